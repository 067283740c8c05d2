use super::keys::Shift;
use super::*;
use crate::chart::gantt::{Builder, Fate, JobInput, Kind, LeaseInput, Node, token};
use crate::chart::theme::Theme;

/// A device of two slots and one of one slot; job 0 holds the first slot of the first device twice, job 1 the second slot, job 2 the
/// other device. `late_s` later than written for the second run.
fn run(late_s: i64) -> Pane {
    const SECOND: i64 = 1_000_000;
    let kind = |name: &str, first_device, positions| Kind {
        name: name.into(),
        first_device,
        devices: 1,
        positions,
        slots: positions,
    };
    let node = |kind| Node { kind, first_device: kind, devices: 1 };
    let mut builder = Builder::new(
        vec![kind("a", 0, 2), kind("b", 1, 1)],
        vec![node(0), node(1)],
        (1_000 + late_s) * SECOND,
    );
    ["x", "y"].into_iter().for_each(|tenant| builder.tenant(tenant));
    builder.class("c");
    for (name, tenant, end_s) in [("one", 0, 400), ("two", 1, 300), ("three", 1, 1_000)] {
        builder.job(JobInput {
            name,
            tenant,
            class: 0,
            submit_us: 0,
            end_us: Some((end_s + late_s) * SECOND),
            fate: Fate::Finished,
            waited_us: 0,
        });
    }
    for (job, device, first, from_s, to_s) in
        [(0, 0, 0, 0, 100), (0, 0, 0, 200, 400), (1, 0, 1, 150, 300), (2, 1, 0, 500, 1_000)]
    {
        builder.lease(LeaseInput {
            job,
            from_us: (from_s + late_s) * SECOND,
            ready_us: (from_s + late_s) * SECOND,
            to_us: (to_s + late_s) * SECOND,
            rate_micro: 1_000_000,
            slots: 1,
            height: 1,
        });
        builder.place(device, first).unwrap();
    }
    let schedule = Rc::new(builder.finish());
    let bands = Rc::new(Bands::new(&schedule));
    Pane::new(format!("late by {late_s} s"), schedule, bands)
}

fn viewer(panes: Vec<Pane>) -> Viewer {
    let mut viewer = Viewer::new(panes, 400.0);
    viewer.shade(&|name| token(Theme::Light, name));
    viewer
}

fn keys(viewer: &mut Viewer, text: &[&str]) {
    for key in text {
        let pressed = press(key, Shift::Free).unwrap();
        viewer.press(pressed);
    }
}

fn name_at_cursor(viewer: &Viewer) -> Option<String> {
    let cursor = viewer.cursor?;
    let schedule = viewer.schedule(cursor.pane)?;
    Some(schedule.name(schedule.job_of(cursor.bar?)?).to_owned())
}

#[test]
fn the_keyboard_reaches_every_bar() {
    let mut viewer = viewer(vec![run(0)]);
    // The first row that is seen, then down to the device: type, node, first slot.
    keys(&mut viewer, &["ArrowDown", "ArrowDown", "ArrowDown", "Home"]);
    assert_eq!(name_at_cursor(&viewer).as_deref(), Some("one"));
    keys(&mut viewer, &["."]);
    assert_eq!(name_at_cursor(&viewer).as_deref(), Some("two"), "the next to begin on the device");
    keys(&mut viewer, &["."]);
    assert_eq!((name_at_cursor(&viewer).as_deref(), viewer.cursor.unwrap().tick), (Some("one"), 200e6));
    keys(&mut viewer, &[",", ","]);
    assert_eq!((name_at_cursor(&viewer).as_deref(), viewer.cursor.unwrap().tick), (Some("one"), 0.0));
    keys(&mut viewer, &["Enter"]);
    assert_eq!(viewer.pinned, Some(0));
    keys(&mut viewer, &["f"]);
    let seconds = |tick: f64| viewer.first().unwrap().seconds(tick).round();
    assert_eq!((seconds(viewer.window().from), seconds(viewer.window().to)), (0.0, 440.0));
    keys(&mut viewer, &["Escape"]);
    assert_eq!(viewer.pinned, None);
    assert!(!viewer.press(Press::LetGo), "nothing is left to let go of");
}

#[test]
fn zooming_and_panning_by_keys_ends_where_the_run_does() {
    let mut viewer = viewer(vec![run(0)]);
    let whole = viewer.window();
    keys(&mut viewer, &["w", "w", "+", "="]);
    let zoomed = viewer.window();
    assert!(zoomed.span() < whole.span() * 0.32);
    keys(&mut viewer, &["d", "D"]);
    assert!(viewer.window().from > zoomed.from);
    keys(&mut viewer, &["a", "A"]);
    assert!((viewer.window().from - zoomed.from).abs() < 1.0);
    keys(&mut viewer, &["s", "S", "-", "_", "s"]);
    assert_eq!(viewer.window(), whole);
    keys(&mut viewer, &["w", "0"]);
    assert_eq!(viewer.window(), whole);
    assert_eq!(press("r", Shift::Free), None);
    assert_eq!(press("ArrowLeft", Shift::Held), Some(Press::Move(-5.0, 0)));
}

#[test]
fn a_row_folds_where_the_cursor_is() {
    let mut viewer = viewer(vec![run(0)]);
    let all = viewer.rows().rows.len();
    keys(&mut viewer, &["ArrowUp"]);
    assert_eq!(viewer.cursor_row().unwrap().place, Place::Kind(0));
    keys(&mut viewer, &["Enter"]);
    assert_eq!(viewer.rows().rows.len(), all - 2);
    assert_eq!(viewer.cursor_row().unwrap().place, Place::Kind(0));
    viewer.fold_all(Folding::Folded);
    assert_eq!(viewer.rows().rows.len(), 2);
    viewer.fold_all(Folding::Unfolded);
    assert_eq!(viewer.rows().rows.len(), all);
    viewer.fold_all(Folding::Folded);
    viewer.find(1);
    assert_eq!((viewer.pinned, name_at_cursor(&viewer).as_deref()), (Some(1), Some("two")));
}

#[test]
fn two_runs_have_one_axis() {
    let mut viewer = viewer(vec![run(0), run(5_000)]);
    let end_s = viewer.first().unwrap().seconds(viewer.window().to);
    assert!((end_s - 6_000.0).abs() < 1.0, "{end_s}");
    let of = viewer.window_of(1);
    let second = viewer.schedule(1).unwrap();
    assert!(second.tick_us() > 1, "ticks of the two differ");
    assert!((second.seconds(of.to) - end_s).abs() < 1.0);
    viewer.colour_by(Colouring::Change);
    viewer.shade(&|name| token(Theme::Light, name));
    let categories = |pane: usize| viewer.panes()[pane].shades.category(0);
    assert_eq!((categories(0), categories(1)), (1, 5), "an hour sooner here, an hour later there");
    // The cursor in the second run reads its bars.
    let row = viewer.rows().holding(viewer.schedule(1).unwrap(), 1).unwrap();
    let y = viewer.rows().rows[row].top + 3.0;
    viewer.point(1, 5_700.0 / 6_000.0, y, 1_000.0);
    assert_eq!(name_at_cursor(&viewer).as_deref(), Some("three"));
    viewer.point(0, 5_700.0 / 6_000.0, y, 1_000.0);
    assert_eq!(name_at_cursor(&viewer), None);
    viewer.show(vec![run(0)]);
    assert_eq!(viewer.colouring(), Colouring::Tenant);
    assert!(viewer.window().to <= viewer.extent().end);
}

#[test]
fn a_selection_has_figures() {
    let mut viewer = viewer(vec![run(0)]);
    viewer.select_view();
    let figures = viewer.selected().unwrap();
    assert_eq!((figures.devices, figures.jobs, figures.bars), (2, 3, 4));
    assert!((figures.used.unwrap() - (450.0 / 2.0 + 500.0) / 2_000.0).abs() < 1e-6);
    let (bars, count) = viewer.listed(0);
    assert_eq!((bars.len(), count), (4, 4));
    let overview = viewer.overview(10);
    assert!((overview[0] - 0.25).abs() < 1e-3 && (overview[9] - 0.5).abs() < 1e-3, "{overview:?}");
}

#[test]
fn one_category_can_be_looked_at_alone() {
    let mut viewer = viewer(vec![run(0)]);
    viewer.focus_on(1);
    viewer.shade(&|name| token(Theme::Light, name));
    assert_eq!(viewer.panes()[0].shades.category(0), DIMMED);
    viewer.focus_on(1);
    viewer.shade(&|name| token(Theme::Light, name));
    assert_eq!(viewer.panes()[0].shades.category(0), 0);
}
