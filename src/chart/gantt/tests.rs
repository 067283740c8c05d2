use super::*;

/// One bar as a test states it: device, first position, height, from, to.
type Bar = (u32, u8, u8, u32, u32);

const SECOND: i64 = 1_000_000;

/// Two types (4 and 1 positions), of two nodes with two devices each; every bar is a job of its own, its tenant by turns one of three.
/// A tick is a microsecond, so that nothing is rounded.
pub(super) fn schedule(bars: &[Bar], end: u32) -> Schedule {
    let kind = |name: &str, first_device, positions| Kind {
        name: name.into(),
        first_device,
        devices: 4,
        positions,
        slots: positions,
    };
    let nodes = (0..4).map(|node| Node { kind: node / 2, first_device: node * 2, devices: 2 }).collect();
    let mut builder = Builder::new(vec![kind("big", 0, 4), kind("small", 4, 1)], nodes, i64::from(end));
    ["red", "green", "blue"].into_iter().for_each(|tenant| builder.tenant(tenant));
    builder.class("resnet, 1 GPU");
    for (job, &(device, first, height, from, to)) in (0_u32..).zip(bars) {
        builder.job(JobInput {
            name: &format!("job-{job}"),
            tenant: job % 3,
            class: 0,
            submit_us: 0,
            end_us: Some(i64::from(to)),
            fate: Fate::Finished,
            waited_us: i64::from(from),
        });
        builder.lease(LeaseInput {
            job,
            from_us: i64::from(from),
            ready_us: i64::from(from),
            to_us: i64::from(to),
            rate_micro: 1_000_000,
            slots: height,
            height,
        });
        builder.place(device, first).unwrap();
    }
    builder.finish()
}

/// Everything unfolded, in one colour on black.
struct Stage {
    schedule: Schedule,
    rows: Rows,
    shades: Shades,
    bands: Bands,
}

impl Stage {
    fn new(schedule: Schedule, colours: [Rgb; 3]) -> Self {
        let rows = rows(&schedule, &Folds::none(&schedule));
        let of_job: Vec<u8> = (0..schedule.jobs() as u32)
            .map(|job| category(&schedule, None, Colouring::Tenant, job))
            .collect();
        let shades = Shades::new(&schedule, &of_job, [&colours[..], &[[9, 9, 9]]].concat());
        let bands = Bands::new(&schedule);
        Self { schedule, rows, shades, bands }
    }

    fn scene(&self) -> Scene<'_> {
        let ground = Ground { idle: [0; 3], used: [255; 3] };
        Scene { schedule: &self.schedule, rows: &self.rows, shades: &self.shades, bands: &self.bands, ground }
    }

    fn picture(&self, window: &Window, width: usize) -> Picture {
        let mut picture = Picture::default();
        picture.paint(&self.scene(), window, self.rows.height, width);
        picture
    }

    /// The lines of the image of a device's positions.
    fn first_line(&self, picture: &Picture, device: u32) -> usize {
        let row = self.rows.rows.iter().find(|row| row.place == Place::Device(device)).unwrap();
        picture.strips.iter().position(|strip| (strip.y - row.top).abs() < 1e-9).unwrap()
    }
}

const WHITE: [Rgb; 3] = [[255; 3]; 3];

/// The image with all rectangles drawn into it, as one number from 0 to 255 a pixel and colour.
fn composed(stage: &Stage, picture: &Picture) -> Vec<Vec<[f64; 3]>> {
    let mut lines: Vec<Vec<[f64; 3]>> = picture
        .image
        .chunks(picture.width * 4)
        .map(|line| line.chunks(4).map(|p| [p[0], p[1], p[2]].map(f64::from)).collect())
        .collect();
    for bar in &picture.rectangles {
        let (y0, y1) = (f64::from(bar.y), f64::from(bar.y + bar.height));
        let colour = stage.shades.colour(bar.category).map(f64::from);
        for (line, strip) in lines.iter_mut().zip(&picture.strips) {
            let middle = strip.y + strip.height / 2.0;
            if !(y0..y1).contains(&middle) {
                continue;
            }
            for (at, pixel) in line.iter_mut().enumerate() {
                let covered =
                    overlap((f64::from(bar.x), f64::from(bar.x + bar.width)), (at as f64, at as f64 + 1.0));
                for (old, new) in pixel.iter_mut().zip(colour) {
                    *old += covered * new;
                }
            }
        }
    }
    lines
}

fn overlap(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0.0)
}

/// What the pixels of a position must be: every bar on its own, by how much of the pixel it covers.
fn brute_force(
    stage: &Stage,
    bars: &[Bar],
    window: &Window,
    width: usize,
    device: u32,
    position: u8,
) -> Vec<[f64; 3]> {
    let to_px = width as f64 / window.span();
    let mut line = vec![[0.0; 3]; width];
    for (job, &(of, first, height, from, to)) in bars.iter().enumerate() {
        if of != device || !(first..first + height).contains(&position) {
            continue;
        }
        let colour = stage.shades.colour((job % 3) as u8).map(f64::from);
        let edges = ((f64::from(from) - window.from) * to_px, (f64::from(to) - window.from) * to_px);
        for (at, pixel) in line.iter_mut().enumerate() {
            let covered = overlap(edges, (at as f64, at as f64 + 1.0));
            for (old, new) in pixel.iter_mut().zip(colour) {
                *old += covered * new;
            }
        }
    }
    line
}

#[test]
fn bars_stand_in_lanes_in_order_of_time() {
    let bars = [(0, 2, 2, 50, 90), (0, 2, 2, 10, 50), (0, 0, 2, 0, 90), (0, 2, 1, 0, 10), (5, 0, 1, 3, 4)];
    let schedule = schedule(&bars, 100);
    let lanes: Vec<_> = schedule.lanes().iter().map(|lane| (lane.device, lane.first, lane.height)).collect();
    assert_eq!(lanes, [(0, 0, 2), (0, 2, 1), (0, 2, 2), (5, 0, 1)]);
    assert_eq!(schedule.lanes_of(0..1), 0..3);
    assert_eq!(schedule.lanes_of(5..6), 3..4);
    assert_eq!(schedule.lanes_of(6..8), 4..4);
    let of_third: Vec<u32> = schedule.lane(2).filter_map(|bar| schedule.job_of(bar as u32)).collect();
    assert_eq!(of_third, [1, 0]);
    assert_eq!(schedule.bars_of(4), [4]);
    assert_eq!(schedule.address(5), Some(("small", 1, 2)));
    assert_eq!(schedule.name(3), "job-3");
}

#[test]
fn a_run_of_a_century_fits_into_ticks() {
    let us = 100 * 365 * 86_400 * SECOND;
    let mut builder = Builder::new(Vec::new(), Vec::new(), us);
    builder.job(JobInput {
        name: "a",
        tenant: 0,
        class: 0,
        submit_us: us / 2,
        end_us: None,
        fate: Fate::Unfinished,
        waited_us: 0,
    });
    let schedule = builder.finish();
    assert!(schedule.end() < NEVER);
    let seconds = schedule.seconds(f64::from(schedule.job(0).unwrap().submit));
    assert!((seconds - (us / 2 / SECOND) as f64).abs() < 1.0, "{seconds}");
    assert_eq!(schedule.job(0).unwrap().end, NEVER);
}

#[test]
fn what_fits_a_screen_is_unfolded() {
    let small = schedule(&[], 10);
    assert_eq!(Folds::fitting(&small, 600.0), Folds::none(&small));
    let many = |nodes: u32| {
        let kind = Kind { name: "g".into(), first_device: 0, devices: nodes * 8, positions: 7, slots: 7 };
        let nodes = (0..nodes).map(|node| Node { kind: 0, first_device: node * 8, devices: 8 }).collect();
        Builder::new(vec![kind], nodes, 10).finish()
    };
    let large = many(40);
    let folds = Folds::fitting(&large, 600.0);
    let laid_out = rows(&large, &folds);
    assert_eq!(
        laid_out.rows.iter().filter(|row| row.shape == Shape::Bars).count(),
        8,
        "one node is unfolded"
    );
    assert_eq!(laid_out.rows.iter().filter(|row| matches!(row.place, Place::Node(_))).count(), 40);
    let huge = many(4_000);
    assert_eq!(rows(&huge, &Folds::fitting(&huge, 600.0)).rows.len(), 1);
    let mut folds = Folds::all(&huge);
    folds.unfold(&huge, 31_999);
    let laid_out = rows(&huge, &folds);
    let at = laid_out.holding(&huge, 31_999).unwrap();
    assert_eq!(laid_out.rows[at].place, Place::Device(31_999));
    assert_eq!(laid_out.rows[laid_out.holding(&huge, 0).unwrap()].place, Place::Node(0));
    folds.toggle(Place::Kind(0));
    assert_eq!(rows(&huge, &folds).rows.len(), 1);
}

#[test]
fn a_wide_bar_is_a_rectangle_and_a_thin_one_a_pixel() {
    let stage = Stage::new(schedule(&[(4, 0, 1, 0, 30), (4, 0, 1, 50, 51)], 100), WHITE);
    let picture = stage.picture(&Window { from: 0.0, to: 100.0, top: 0.0 }, 100);
    assert_eq!(picture.bars, 2);
    let [bar] = picture.rectangles[..] else { panic!("{:?}", picture.rectangles) };
    assert_eq!((bar.x, bar.width, bar.bar), (0.0, 30.0, 0));
    let line = stage.first_line(&picture, 4);
    let pixel = |at: usize| picture.image[(line * 100 + at) * 4];
    assert_eq!((pixel(20), pixel(49), pixel(50), pixel(51)), (0, 0, 255, 0));
}

#[test]
fn what_is_not_coloured_yet_is_not_drawn() {
    let mut stage = Stage::new(schedule(&[(4, 0, 1, 0, 30)], 100), WHITE);
    stage.shades = Shades::default();
    assert_eq!(stage.picture(&Window { from: 0.0, to: 100.0, top: 0.0 }, 100).lines(), 0);
}

#[test]
fn too_many_rectangles_go_into_the_image() {
    let bars: Vec<Bar> = (0..4_000).map(|n| (4 + n % 4, 0, 1, n / 4 * 10, n / 4 * 10 + 9)).collect();
    let stage = Stage::new(schedule(&bars, 10_000), WHITE);
    let window = Window { from: 0.0, to: 10_000.0, top: 0.0 };
    let picture = stage.picture(&window, 4_000);
    assert!(picture.rectangles.len() <= MOST_RECTANGLES && picture.has_thin);
    let lines = composed(&stage, &picture);
    let line = stage.first_line(&picture, 5);
    let expected = brute_force(&stage, &bars, &window, 4_000, 5, 0);
    for (at, (found, wanted)) in lines[line].iter().zip(&expected).enumerate() {
        assert!((found[0] - wanted[0]).abs() <= 2.0, "pixel {at}: {found:?}, expected {wanted:?}");
    }
}

#[test]
fn a_million_bars_take_a_hundred_megabytes() {
    // As they are read: a million jobs, each with one bar on one of 128 devices and a wait.
    let kind = Kind { name: "g".into(), first_device: 0, devices: 128, positions: 1, slots: 1 };
    let nodes = (0..16).map(|node| Node { kind: 0, first_device: node * 8, devices: 8 }).collect();
    let mut builder = Builder::new(vec![kind], nodes, 100_000 * SECOND);
    builder.tenant("t");
    builder.class("c");
    for job in 0..1_000_000_u32 {
        let from_us = i64::from(job / 128) * 10 * SECOND;
        builder.job(JobInput {
            name: &format!("job-{job}"),
            tenant: 0,
            class: 0,
            submit_us: 0,
            end_us: Some(from_us + 9 * SECOND),
            fate: Fate::Finished,
            waited_us: from_us,
        });
        builder.lease(LeaseInput {
            job,
            from_us,
            ready_us: from_us,
            to_us: from_us + 9 * SECOND,
            rate_micro: 1,
            slots: 1,
            height: 1,
        });
        builder.place(job % 128, 0).unwrap();
        builder.wait(WaitInput { job, from_us: 0, to_us: from_us, reason: 0 });
    }
    let mut read = Schedule::from_bytes(&builder.finish().to_bytes().unwrap()).unwrap();
    let columns = read.bytes();
    let stage = Stage::new(read, WHITE);
    let picture = stage.picture(&Window { from: 0.0, to: 4e9, top: 0.0 }, 1_400);
    let all = columns + stage.shades.bytes() + stage.bands.bytes() + picture.image.capacity();
    assert!(all < 100_000_000, "{all} bytes, {columns} of them in columns");
}

#[test]
fn a_folded_row_shows_how_much_is_used() {
    // Half of node 0's eight slots in the first half of the run.
    let stage = Stage::new(schedule(&[(0, 0, 4, 0, 500)], 1_000), WHITE);
    let whole = Window { from: 0.0, to: 1_000.0, top: 0.0 };
    for (window, pixels) in [(whole, 10), (Window { from: 495.0, to: 505.0, top: 0.0 }, 10)] {
        let picture = stage.picture(&window, pixels);
        let row = stage.rows.rows.iter().find(|row| row.place == Place::Node(0)).unwrap();
        let line = picture.strips.iter().position(|strip| (strip.y - row.top).abs() < 1e-9).unwrap();
        let shades: Vec<u8> = (0..pixels).map(|at| picture.image[(line * pixels + at) * 4]).collect();
        let half = (255.0_f32 * (0.12 + 0.88 * 0.25)) as u8;
        assert!(shades[..5].iter().all(|shade| shade.abs_diff(half) <= 2), "{shades:?}");
        assert!(shades[5..].iter().all(|shade| *shade == 0), "{shades:?}");
    }
}

#[test]
fn after_the_end_of_the_run_nothing_is_used() {
    let stage = Stage::new(schedule(&[(4, 0, 1, 0, 1_000)], 1_000), WHITE);
    let mut shares = [9.0; 4];
    stage.bands.fill(Place::Node(2), 0.5..1.5, &mut shares);
    let off = shares.iter().zip([0.5, 0.5, 0.0, 0.0]).map(|(found, wanted)| (found - wanted).abs());
    assert!(off.fold(0.0, f32::max) < 1e-4, "{shares:?}");
}

#[test]
fn jobs_are_found_by_name_the_best_match_first() {
    let bars: Vec<Bar> = (0..12).map(|n| (4, 0, 1, n, n + 1)).collect();
    let schedule = schedule(&bars, 12);
    assert_eq!(search(&schedule, " JOB-1 "), [1, 10, 11]);
    assert_eq!(search(&schedule, "b-11"), [11]);
    assert_eq!(search(&schedule, "0job"), [0_u32; 0], "names do not run into each other");
    assert!(
        search(&schedule, "").is_empty() && search(&schedule, "a name that is longer than all").is_empty()
    );
}

#[test]
fn waits_and_changes_have_categories() {
    let day = 86_400_u32;
    let here = schedule(&[(4, 0, 1, 0, 10), (4, 0, 1, 10, 11)], day);
    assert_eq!(categories(&here, Colouring::Tenant).len(), 3);
    assert_eq!(categories(&here, Colouring::Wait).len(), 6);
    assert_eq!(categories(&here, Colouring::Change).len(), 8);
    // Ticks of these schedules are microseconds, so changes of less than a minute are none.
    assert_eq!(category(&here, Some(&here), Colouring::Change, 0), 3);
    assert_eq!(category(&here, None, Colouring::Change, 0), 7);
    let of_end = |end_s: i64| {
        let mut builder = Builder::new(Vec::new(), Vec::new(), 400_000 * SECOND);
        builder.job(JobInput {
            name: "a",
            tenant: 0,
            class: 0,
            submit_us: 0,
            end_us: Some(end_s * SECOND),
            fate: Fate::Finished,
            waited_us: end_s * SECOND,
        });
        builder.finish()
    };
    let at = |end_s| category(&of_end(end_s), Some(&of_end(100_000)), Colouring::Change, 0);
    let ends = [100_000 - 30_000, 100_000 - 4_000, 100_000 - 61, 100_000, 100_070, 104_000, 130_000];
    assert_eq!(ends.map(at), [0, 1, 2, 3, 4, 5, 6]);
    let waits = [59, 601, 3_601, 30_000, 100_000].map(|s| category(&of_end(s), None, Colouring::Wait, 0));
    assert_eq!(waits, [0, 2, 3, 4, 5]);
    assert!((change_s(&of_end(5), &of_end(9), 0).unwrap() + 4.0).abs() < 1e-3, "to a tick");
}

#[test]
fn a_history_has_no_gap() {
    let kind = Kind { name: "g".into(), first_device: 0, devices: 2, positions: 1, slots: 1 };
    let node = Node { kind: 0, first_device: 0, devices: 2 };
    let mut builder = Builder::new(vec![kind], vec![node], 100);
    builder.tenant("t");
    builder.class("c");
    builder.job(JobInput {
        name: "a",
        tenant: 0,
        class: 0,
        submit_us: 5,
        end_us: Some(90),
        fate: Fate::Finished,
        waited_us: 35,
    });
    for (from, to) in [(20, 40), (60, 90)] {
        let lease = LeaseInput {
            job: 0,
            from_us: from,
            ready_us: from + 3,
            to_us: to,
            rate_micro: 500_000,
            slots: 1,
            height: 1,
        };
        builder.lease(lease);
        builder.place(0, 0).unwrap();
        builder.place(1, 0).unwrap();
    }
    builder.wait(WaitInput { job: 0, from_us: 5, to_us: 20, reason: 4 });
    let schedule = builder.finish();
    let events = history(&schedule, 0);
    let spans: Vec<_> = events.iter().map(|event| (event.from, event.to)).collect();
    assert_eq!(spans, [(5, 20), (20, 40), (40, 60), (60, 90)]);
    assert_eq!(events[0].what, What::Waited(Some(4)));
    assert_eq!(events[2].what, What::Waited(None));
    let What::Held { lease, loading, rate_micro, bars } = &events[3].what else { panic!() };
    assert_eq!((*lease, *loading, *rate_micro, bars.len()), (1, 3, 500_000, 2));
    assert_eq!(first_start(&schedule, 0), Some(20));
    let figures = figures(&schedule, &[Place::Node(0), Place::Device(0)], 0.0, 50.0);
    assert_eq!(
        (figures.devices, figures.jobs, figures.started, figures.ended, figures.bars),
        (2, 1, 1, 0, 2)
    );
    assert_eq!(figures.used, Some(0.4));
    assert!((figures.wait_mean_s.unwrap() - 15e-6).abs() < 1e-12);
}

#[test]
fn a_file_shows_what_is_seen() {
    let bars = [(0, 0, 2, 0, 600), (0, 2, 2, 0, 2), (4, 0, 1, 100, 900)];
    let stage = Stage::new(schedule(&bars, 1_000), [[47, 109, 181], [186, 87, 31], [23, 121, 125]]);
    let window = Window { from: 0.0, to: 1_000.0, top: 0.0 };
    let picture = stage.picture(&window, 800);
    let categories = categories(&stage.schedule, Colouring::Tenant);
    let frame = Frame {
        title: "Schedule of <FIFO>",
        summary: "Two bars & a pixel.",
        footnote: "a trace",
        categories: &categories,
        room_px: stage.rows.height,
        gutter_px: 90.0,
        to_px: 1.0,
    };
    let file = svg(&stage.scene(), &window, &picture, &frame);
    assert!(file.starts_with("<svg xmlns=") && file.ends_with("</svg>"));
    for part in [
        "Schedule of &lt;FIFO&gt;",
        "Two bars &amp; a pixel.",
        "a trace",
        "job-0",
        "node 2",
        "GPU 1",
        "red",
        "#2f6db5",
    ] {
        assert!(file.contains(part), "no {part}");
    }
    assert!(!file.contains("style=") && !file.contains("NaN"));
    let words = labels(&stage.scene(), &window, &picture, stage.rows.height, 90.0, 1.0);
    assert_eq!(words.rows.len(), stage.rows.rows.len());
    assert!(words.ticks.len() > 2);
    assert_eq!(token(crate::chart::Theme::Dark, "surface"), [0x14, 0x1a, 0x21]);
}

#[cfg(not(target_arch = "wasm32"))]
mod properties {
    use proptest::prelude::*;

    use super::*;

    const END: u32 = 20_000;

    /// Bars of every device that do not overlap: each device is cut into parts, differently in each half of the run, and every part
    /// holds one bar after another.
    fn bars() -> impl Strategy<Value = Vec<Bar>> {
        let part = prop::collection::vec((0_u32..400, 1_u32..900), 0..60);
        let of_device = (prop::collection::vec(part, 8), 0_usize..3, 0_usize..3);
        prop::collection::vec(of_device, 8).prop_map(|devices| {
            const CUTS: [&[(u8, u8)]; 3] = [&[(0, 4)], &[(0, 2), (2, 2)], &[(0, 1), (1, 1), (2, 2)]];
            let mut bars = Vec::new();
            for (device, (parts, first, second)) in (0_u32..).zip(devices) {
                for (half, cut) in [first, second].into_iter().enumerate() {
                    let cut = if device < 4 { CUTS[cut] } else { &[(0, 1)][..] };
                    for (at, &(position, height)) in cut.iter().enumerate() {
                        let mut now = half as u32 * END / 2;
                        for &(gap, length) in &parts[half * 4 + at] {
                            let from = now + gap;
                            let to = (from + length).min((half as u32 + 1) * END / 2);
                            if from >= to {
                                break;
                            }
                            bars.push((device, position, height, from, to));
                            now = to;
                        }
                    }
                }
            }
            bars
        })
    }

    fn window() -> impl Strategy<Value = Window> {
        (0.0..0.95_f64, 0.001..1.0_f64).prop_map(|(from, span)| {
            let from = from * f64::from(END);
            Window { from, to: (from + span * f64::from(END)).min(f64::from(END)), top: 0.0 }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn every_pixel_is_that_of_brute_force(bars in bars(), window in window(), width in 300_usize..1_200) {
            let stage = Stage::new(schedule(&bars, END), [[250, 0, 0], [0, 240, 0], [0, 0, 230]]);
            let picture = stage.picture(&window, width);
            let lines = composed(&stage, &picture);
            for device in 0..8 {
                let first = stage.first_line(&picture, device);
                for position in 0..if device < 4 { 4 } else { 1 } {
                    let expected = brute_force(&stage, &bars, &window, width, device, position);
                    let found = &lines[first + usize::from(position)];
                    // Blocks shift colour by at most their own width, so that sums up to any pixel agree.
                    for colour in 0..3 {
                        let (mut sum, mut wanted) = (0.0, 0.0);
                        for at in 0..width {
                            sum += found[at][colour];
                            wanted += expected[at][colour];
                            let slack = (THIN_PX + 0.5) * 255.0 + (at + 1) as f64 * 1.6;
                            prop_assert!((sum - wanted).abs() <= slack, "device {device}, position {position}, pixel {at}: {sum}, expected {wanted}");
                        }
                    }
                }
            }
            let seen = bars.iter().filter(|bar| f64::from(bar.4) > window.from && f64::from(bar.3) < window.to).count();
            prop_assert_eq!(picture.bars, seen);
        }

        #[test]
        fn without_blocks_every_pixel_is_exact(bars in bars(), from in 0.0..0.9_f64, width in 300_usize..900) {
            // A window of 600 ticks at this width has more than a pixel for every tick or two.
            let from = from * f64::from(END);
            let window = Window { from, to: from + 600.0, top: 0.0 };
            let long: Vec<Bar> = bars.into_iter().filter(|bar| bar.4 - bar.3 >= 4).collect();
            let stage = Stage::new(schedule(&long, END), [[250, 0, 0], [0, 240, 0], [0, 0, 230]]);
            let picture = stage.picture(&window, width);
            let lines = composed(&stage, &picture);
            for device in 0..8 {
                let first = stage.first_line(&picture, device);
                let expected = brute_force(&stage, &long, &window, width, device, 0);
                for (at, (found, wanted)) in lines[first].iter().zip(&expected).enumerate() {
                    for colour in 0..3 {
                        prop_assert!((found[colour] - wanted[colour]).abs() <= 2.0, "device {device}, pixel {at}: {found:?}, expected {wanted:?}");
                    }
                }
            }
        }

        #[test]
        fn a_point_is_in_the_bar_that_covers_it(bars in bars(), device in 0_u32..8, position in 0_u8..4, tick in 0_u32..END) {
            let stage = Stage::new(schedule(&bars, END), WHITE);
            let position = if device < 4 { position } else { 0 };
            let row = *stage.rows.rows.iter().find(|row| row.place == Place::Device(device)).unwrap();
            let positions = if device < 4 { 4.0 } else { 1.0 };
            let y = (f64::from(position) + 0.5) / positions * row.height;
            let covering = bars.iter().position(|&(of, first, height, from, to)| {
                of == device && (first..first + height).contains(&position) && (from..to).contains(&tick)
            });
            let found = hit(&stage.schedule, &row, f64::from(tick) + 0.5, y, 0.0);
            match covering {
                Some(job) => {
                    let Hit::Bar(bar) = found else { return Err(TestCaseError::fail("no bar")) };
                    prop_assert_eq!(stage.schedule.job_of(bar), Some(job as u32));
                }
                None => prop_assert_eq!(found, Hit::Row(Place::Device(device))),
            }
        }

        #[test]
        fn figures_are_those_of_brute_force(bars in bars(), window in window()) {
            let schedule = schedule(&bars, END);
            let places = [Place::Kind(0), Place::Device(1), Place::Node(3)];
            let found = figures(&schedule, &places, window.from, window.to);
            let looked_at = |device: u32| !(4..6).contains(&device);
            let inside = |bar: &&Bar| looked_at(bar.0) && f64::from(bar.4) > window.from && f64::from(bar.3) < window.to;
            let of: Vec<&Bar> = bars.iter().filter(inside).collect();
            prop_assert_eq!((found.devices, found.bars, found.jobs), (6, of.len() as u64, of.len() as u64));
            let held: f64 = of
                .iter()
                .map(|bar| {
                    let share = f64::from(bar.2) / if bar.0 < 4 { 4.0 } else { 1.0 };
                    overlap((f64::from(bar.3), f64::from(bar.4)), (window.from, window.to)) * share
                })
                .sum();
            prop_assert!((found.used.unwrap() - held / (6.0 * window.span())).abs() < 1e-9);
            let started = of.iter().filter(|bar| f64::from(bar.3) >= window.from).count();
            prop_assert_eq!(found.started, started as u64);
            let sum: f64 = found.by_tenant.iter().map(|(_, hours)| hours).sum();
            prop_assert!((sum - found.gpu_hours).abs() < 1e-9);
            let node = used(&schedule, Place::Node(3), window.from, window.to).unwrap();
            prop_assert!((0.0..=1.0 + 1e-9).contains(&node));
        }

        #[test]
        fn stepping_goes_through_every_bar_of_a_device(bars in bars(), device in 0_u32..8) {
            let schedule = schedule(&bars, END);
            let mut walked = Vec::new();
            let mut at = super::super::from(&schedule, Place::Device(device), 0.0, Towards::Next);
            while let Some(bar) = at {
                walked.push(schedule.span(bar).unwrap().start);
                let next = beside(&schedule, bar, Towards::Next);
                if let Some(next) = next {
                    prop_assert_eq!(beside(&schedule, next, Towards::Previous), Some(bar));
                }
                at = next;
            }
            let mut expected: Vec<u32> = bars.iter().filter(|bar| bar.0 == device).map(|bar| bar.3).collect();
            expected.sort_unstable();
            prop_assert_eq!(walked, expected);
        }

        #[test]
        fn bytes_read_back(bars in bars()) {
            let schedule = schedule(&bars, END);
            let bytes = schedule.clone().to_bytes().unwrap();
            let read = Schedule::from_bytes(&bytes);
            prop_assert_eq!(read.as_ref(), Ok(&schedule));
        }

        #[test]
        fn damaged_bytes_are_refused_or_harmless(bars in bars(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
            let mut bytes = schedule(&bars, END).to_bytes().unwrap();
            prop_assert!(Schedule::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
            let place = at.index(bytes.len());
            bytes[place] = byte;
            let Ok(read) = Schedule::from_bytes(&bytes) else { return Ok(()) };
            // Whatever a reader does with it, nothing is out of reach.
            let jobs = read.jobs() as u32;
            (0..jobs.min(50)).for_each(|job| drop(history(&read, job)));
            drop(figures(&read, &[Place::Kind(0), Place::Kind(1)], 0.0, 1e4));
            if read.devices() < 1_000 {
                let stage = Stage::new(read, WHITE);
                stage.picture(&Window { from: 0.0, to: 2e4, top: 0.0 }, 300);
            }
        }
    }
}
