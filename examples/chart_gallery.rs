//! Draws every kind of chart and state with plausible data, in both themes, into `target/charts/*.svg`, and
//! as a page would show it into `target/charts/index.html` (to be served: its content-security policy is the
//! page's).
//!
//! `cargo run --example chart_gallery`

use std::error::Error;
use std::fs;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sts_sim::chart::{
    BarChart, BarRow, Better, Card, CdfChart, CdfSeries, Chart, Clock, Curve, Detail, DeviceMap, DeviceType,
    Direction, Histogram, Key, Layout, LayoutStrip, LineChart, MixPart, Multiple, Panel, Possible, Quantity,
    Role, Scene, SmallMultiples, Theme, TimeSeries, XAxis, YBase, format, theme,
};

const DAY_S: f64 = 86_400.0;
const FOOTNOTE: &str =
    "Invented data · seeds 0 to 4, n = 1,482 jobs · warm-up cut 4 h · engine 0.1.0 · scenario 9f2c41d0";
const TENANTS: [&str; 14] = [
    "speech", "vision", "nlp", "recsys", "robotics", "search", "ads", "fraud", "maps", "biology", "climate",
    "infra", "edu", "genai",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("target/charts");
    fs::create_dir_all(folder)?;
    let mut figures = String::new();
    for (name, scene) in scenes() {
        figures.push_str(&format!("<h2>{name}</h2>\n{}\n", scene.to_svg()));
        let scene = scene.with_footnote(FOOTNOTE);
        fs::write(folder.join(format!("{name}-light.svg")), scene.to_standalone_svg(Theme::Light))?;
        fs::write(folder.join(format!("{name}-dark.svg")), scene.to_standalone_svg(Theme::Dark))?;
    }
    fs::write(folder.join("chart.css"), theme::STYLE_SHEET)?;
    fs::write(folder.join("tokens.css"), tokens())?;
    let policy = "default-src 'none'; style-src 'self'";
    let head = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Charts</title>\
         <meta http-equiv=content-security-policy content=\"{policy}\">\
         <link rel=stylesheet href=tokens.css><link rel=stylesheet href=chart.css>"
    );
    fs::write(folder.join("index.html"), head + &figures)?;
    println!("wrote {}", folder.display());
    Ok(())
}

/// The custom properties of both themes, as the page's style sheet has them.
fn tokens() -> String {
    let properties = theme::TOKENS.map(|(name, light, dark)| match name {
        "sans" => format!("--{name}: {light};"),
        _ => format!("--{name}: light-dark({light}, {dark});"),
    });
    format!(
        ":root {{ color-scheme: light dark; {} }} body {{ background: var(--surface); color: var(--text); }}",
        properties.join(" ")
    )
}

fn scenes() -> Vec<(&'static str, Scene)> {
    let cdf = completion_times(640.0, 292.0);
    let time = utilisation(664.0, 486.0);
    let service = service(1_360.0, &TENANTS);
    let waits = waits(540.0);
    let arrivals = arrivals();
    vec![
        ("cdf-log", cdf.scene(Some(3_600.0))),
        ("cdf-linear", CdfChart { x: XAxis::Linear, ..cdf.clone() }.scene(Some(30_000.0))),
        ("cdf-remaining", CdfChart { direction: Direction::Remaining, ..cdf.clone() }.scene(None)),
        ("cdf-compact", compact(&cdf).scene(None)),
        ("cdf-narrow", completion_times(340.0, 240.0).scene(Some(3_600.0))),
        ("cdf-one-job", one_job().scene(None)),
        ("cdf-empty", CdfChart { series: Vec::new(), ..cdf }.scene(None)),
        ("time", time.scene(Some(3.375 * DAY_S))),
        ("time-narrow", utilisation(350.0, 420.0).scene(Some(1.5 * DAY_S))),
        ("time-ends-apart", makespans(664.0, 300.0).scene(Some(6.0 * DAY_S))),
        ("time-one-point", one_sample().scene(None)),
        ("time-empty", LineChart { panels: Vec::new(), ..time }.scene(None)),
        ("service", service.scene(Some(3.375 * DAY_S))),
        ("service-narrow", crate::service(350.0, &TENANTS[..5]).scene(None)),
        ("service-few", crate::service(640.0, &TENANTS[..3]).scene(None)),
        ("service-many", crate::service(1_000.0, &many_names()).scene(None)),
        (
            "service-empty",
            SmallMultiples::new("s", "Service against entitlement", 640.0, Vec::new()).scene(None),
        ),
        ("bars", waits.scene(Some(3.0))),
        ("bars-narrow", crate::waits(340.0).scene(None)),
        ("bars-extreme", extreme_waits().scene(None)),
        ("bars-empty", BarChart::new("b", "Mean wait", 540.0, Better::Lower, Vec::new()).scene(None)),
        ("devices", devices(1_080.0, &[(2, 8, 7), (6, 4, 4), (6, 4, 4)]).scene(None)),
        ("devices-narrow", devices(340.0, &[(2, 8, 7), (6, 4, 4), (6, 4, 4)]).scene(None)),
        ("devices-large", devices(1_080.0, &[(20, 8, 7), (32, 8, 4), (900, 8, 1)]).scene(Some(1.0))),
        ("devices-huge", devices(1_080.0, &[(3, 8, 1), (9_000, 8, 4), (40, 1, 8)]).scene(None)),
        ("devices-empty", devices(640.0, &[]).scene(None)),
        ("layouts", layouts(840)),
        ("layouts-narrow", layouts(340)),
        ("arrivals", arrivals.scene(Some(1_510_531_200.0 + 3.0 * DAY_S))),
        (
            "arrivals-elapsed",
            Histogram::new("a", "Jobs submitted", (420.0, 100.0), Clock::Elapsed, &[5.0]).scene(None),
        ),
        (
            "arrivals-empty",
            Histogram::new("a", "Jobs submitted", (640.0, 120.0), Clock::Elapsed, &[]).scene(None),
        ),
        ("card", card()),
    ]
}

fn keys() -> [Key; 6] {
    [
        Key::new("sts-fairness", "STS-Fairness", Role::Subject),
        Key::new("gavel-max-min", "Gavel max-min", Role::Baseline),
        Key::new("themis", "Themis", Role::Other),
        Key::new("sia", "Sia", Role::Other),
        Key::new("tiresias", "Tiresias 2D-LAS", Role::Other),
        Key::new("fifo", "FIFO", Role::Other),
    ]
}

fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A standard normal variate, near enough for a picture.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// From 0 at 3 o'clock to 1 at 15 o'clock.
fn daylight(time_s: f64) -> f64 {
    0.5 - 0.5 * libm::cos((time_s / DAY_S - 0.125) * std::f64::consts::TAU)
}

fn completion_times(width: f64, height: f64) -> CdfChart {
    let queueing_s = [0.0, 1_100.0, 2_100.0, 300.0, 0.0, 24_000.0];
    let series = keys().into_iter().zip(queueing_s).enumerate().map(|(k, (key, queueing_s))| {
        let mut rng = random(100 + k as u64);
        let samples: Vec<f64> = (0..1_482)
            .map(|_| {
                let work = libm::exp(8.1 + 1.62 * normal(&mut rng));
                work + queueing_s * (0.15 + 1.7 * rng.random::<f64>())
            })
            .collect();
        CdfSeries::new(key, samples)
    });
    let series = series.collect();
    CdfChart { series, ..CdfChart::new("jct", "Job completion time", width, height) }
}

fn compact(cdf: &CdfChart) -> CdfChart {
    let series = [0, 1, 5].into_iter().filter_map(|i| cdf.series.get(i).cloned()).collect();
    CdfChart { width: 560.0, height: 214.0, detail: Detail::Compact, series, ..cdf.clone() }
}

fn one_job() -> CdfChart {
    let [subject, baseline, ..] = keys();
    let series = vec![CdfSeries::new(subject, [3_000.0]), CdfSeries::new(baseline, [5_400.0])];
    CdfChart { series, ..CdfChart::new("jct", "Job completion time", 640.0, 292.0) }
}

fn utilisation(width: f64, height: f64) -> LineChart {
    let levels = [0.834, 0.718, 0.739, 0.812, 0.726, 0.669];
    let drains = [0.66, 0.75, 0.78, 0.69, 0.76, 0.9];
    let mut slots = Vec::new();
    let mut waiting = Vec::new();
    for (k, key) in keys().into_iter().enumerate() {
        let mut rng = random(500 + k as u64);
        let (mut drift, mut queue) = (0.0, 0.0_f64);
        let (mut slot_points, mut queue_points) = (Vec::new(), Vec::new());
        for i in 0..57 {
            let time_s = f64::from(i) * 3.0 * 3_600.0;
            let load = 0.42 + 0.75 * daylight(time_s) * if time_s > 5.0 * DAY_S { 0.72 } else { 1.0 };
            drift = 0.6 * drift + 0.4 * normal(&mut rng);
            slot_points.push((time_s, (levels[k] + (load - 0.75) * 0.34 + drift * 0.032).clamp(0.3, 0.995)));
            queue = (queue * drains[k] + (load - 0.45) * 60.0 + 5.0 * normal(&mut rng)).max(0.0);
            queue_points.push((time_s, (queue * if k == 5 { 2.6 } else { 0.9 }).round()));
        }
        slots.push(TimeSeries::new(key.clone(), Curve::Straight, slot_points));
        waiting.push(TimeSeries::new(key, Curve::Straight, queue_points));
    }
    LineChart {
        panels: vec![
            Panel {
                title: "Slots in use".into(),
                quantity: Quantity::Share,
                base: YBase::Data,
                series: slots,
            },
            Panel {
                title: "Jobs waiting".into(),
                quantity: Quantity::Count,
                base: YBase::Zero,
                series: waiting,
            },
        ],
        ..LineChart::new("time", "Utilisation and queue", width, height)
    }
}

/// Step curves of very many points that end at different times.
fn makespans(width: f64, height: f64) -> LineChart {
    let series = keys().into_iter().take(3).enumerate().map(|(k, key)| {
        let mut rng = random(700 + k as u64);
        let end_s = (5.0 + 1.5 * k as f64) * DAY_S;
        let mut level: f64 = 20.0;
        let points: Vec<(f64, f64)> = (0..20_000)
            .map(|i| {
                level = (level + normal(&mut rng)).clamp(0.0, 300.0);
                (end_s * f64::from(i) / 20_000.0, level.round())
            })
            .chain([(end_s, 0.0)])
            .collect();
        TimeSeries::new(key, Curve::Step, points)
    });
    let series = series.collect();
    let panel = Panel { title: "Jobs running".into(), quantity: Quantity::Count, base: YBase::Zero, series };
    LineChart { panels: vec![panel], ..LineChart::new("running", "Jobs running", width, height) }
}

fn one_sample() -> LineChart {
    let [subject, ..] = keys();
    let series = vec![TimeSeries::new(subject, Curve::Straight, [(600.0, 0.42)])];
    let panel = Panel { title: "Slots in use".into(), quantity: Quantity::Share, base: YBase::Zero, series };
    LineChart { panels: vec![panel], ..LineChart::new("one", "Utilisation", 640.0, 240.0) }
}

fn service(width: f64, tenants: &[impl AsRef<str>]) -> SmallMultiples {
    let multiples = tenants.iter().enumerate().map(|(index, tenant)| {
        let mut rng = random(1_200 + index as u64);
        let overall = 0.97 + 0.45 * rng.random::<f64>();
        let mut line = |key: Key, middle: f64, spread: f64| {
            let mut drift = 0.0;
            let points: Vec<(f64, f64)> = (0..57)
                .map(|i| {
                    drift = 0.78 * drift + 0.22 * normal(&mut rng);
                    let is_idle = index == 3 && (20..27).contains(&i);
                    let value = (middle + drift * spread).max(0.52);
                    (f64::from(i) * 3.0 * 3_600.0, if is_idle { f64::NAN } else { value })
                })
                .collect();
            TimeSeries::new(key, Curve::Straight, points)
        };
        let [subject, baseline, ..] = keys();
        let series = vec![line(subject, overall, 0.16), line(baseline, 0.98, 0.3)];
        Multiple {
            tenant: tenant.as_ref().to_owned(),
            index,
            weight: [2.0, 1.0, 1.0, 1.5, 1.0, 0.25][index % 6],
            overall: Some(overall),
            series,
        }
    });
    SmallMultiples::new("service", "Service against entitlement, by tenant", width, multiples.collect())
}

fn many_names() -> Vec<String> {
    (0..60).map(|i| format!("virtual-cluster-{i:02}")).collect()
}

fn waits(width: f64) -> BarChart {
    let factors = [0.71, 0.66, 0.83, 0.58, 0.79, 0.74, 0.88, 0.62, 0.91, 0.69, 0.77, 0.85, 1.17, 1.08];
    let mut rng = random(11);
    let rows = TENANTS.iter().zip(factors).enumerate().map(|(index, (tenant, factor))| {
        let before_h = 1.1 + 1.8 * rng.random::<f64>();
        row(index, tenant, before_h, before_h * factor)
    });
    bars(width, rows.collect())
}

fn extreme_waits() -> BarChart {
    let mut rows: Vec<BarRow> =
        (0..50).map(|i| row(i, &format!("group-{i:02}"), 2.0, 2.0 * (0.3 + 0.024 * i as f64))).collect();
    rows.push(row(50, "tiny", 0.02, 0.9));
    rows.push(row(51, "late", 0.5, 1.6));
    rows.push(BarRow { tenant: "idle".into(), index: 52, change: None, detail: "never waited".into() });
    bars(620.0, rows)
}

fn row(index: usize, tenant: &str, before_h: f64, after_h: f64) -> BarRow {
    BarRow {
        tenant: tenant.to_owned(),
        index,
        change: Some(after_h / before_h - 1.0),
        detail: format!("{} → {} h", format::number(before_h, 2), format::number(after_h, 2)),
    }
}

fn bars(width: f64, rows: Vec<BarRow>) -> BarChart {
    BarChart {
        subject: "STS-Fairness".into(),
        baseline: "Gavel max-min".into(),
        detail_title: "Baseline → STS".into(),
        ..BarChart::new("waits", "Mean wait", width, Better::Lower, rows)
    }
}

fn devices(width: f64, sizes: &[(u32, u32, u32)]) -> DeviceMap {
    let types = sizes.iter().zip(["A100-80", "V100-16", "T4"]).map(|(&(nodes, gpus, slots), name)| {
        DeviceType { name: name.to_owned(), nodes, gpus_per_node: gpus, slots_per_gpu: slots }
    });
    DeviceMap { id: "devices".into(), title: "Devices and slots".into(), width, types: types.collect() }
}

fn layouts(width_px: u32) -> Scene {
    let possible: [&[u32]; 12] = [
        &[7],
        &[4, 3],
        &[4, 2, 1],
        &[4, 1, 1, 1],
        &[3, 3],
        &[3, 2, 2],
        &[3, 2, 1, 1],
        &[3, 1, 1, 1, 1],
        &[2, 2, 2, 1],
        &[2, 2, 1, 1, 1],
        &[2, 1, 1, 1, 1, 1],
        &[1; 7],
    ];
    let layout = |parts: &[u32], possible: Possible| Layout { parts: parts.to_vec(), possible };
    let mut layouts: Vec<Layout> = possible.iter().map(|parts| layout(parts, Possible::Yes)).collect();
    layouts.push(layout(&[3, 3, 1], Possible::No));
    let title = "MIG layouts of the A100".to_owned();
    LayoutStrip { id: "mig".into(), title, width_px, slots: 7, type_index: 0, layouts }.scene()
}

fn arrivals() -> Histogram {
    let mut rng = random(42);
    let start_s = 1_510_531_200.0;
    let submit_s = |_| {
        let time_s = rng.random::<f64>() * 7.0 * DAY_S;
        let rate = daylight(time_s) * if time_s > 5.0 * DAY_S { 0.4 } else { 1.0 };
        (rng.random::<f64>() < rate).then_some(start_s + time_s)
    };
    let times: Vec<f64> = (0..4_000).filter_map(submit_s).collect();
    Histogram::new("arrivals", "GPU jobs submitted", (640.0, 100.0), Clock::Calendar, &times)
}

fn card() -> Scene {
    let part = |type_index, name: &str, gpus| MixPart { type_index, name: name.to_owned(), gpus };
    let mix = vec![part(0, "A100-80", 16), part(1, "V100-16", 24), part(2, "T4", 24)];
    let arrivals = arrivals().counts().to_vec();
    Card { width: 360.0, arrivals, mix }.scene()
}
