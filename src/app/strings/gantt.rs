//! The words of the Gantt.

use super::counted;
use crate::app::gantt::{Selection, Viewer};
use crate::app::schedule::reason;
use crate::chart::gantt::{
    Colouring, Event, Fate, Figures, Place, Row, Schedule, What, change_s, history, row_label,
};
use crate::chart::{Table, format};

/// The head of the panel.
pub const TITLE: &str = "Schedule";
/// Before it is opened.
pub const ABOUT: &str = "Every allocation of a run on its device, over time.";
/// The button that opens it.
pub const OPEN: &str = "Show the schedule";
/// While it is read.
pub const READING: &str = "Reading the schedule…";
/// Where no run has one.
pub const NONE: &str = "No run has devices to show: the trace's own schedule and the fluid mode know none, and runs of more than \
    8 million allocations are not laid out.";
/// How the plot is operated, for those who do not see it.
pub const LABEL: &str = "Schedule of slots. Arrow keys move the cursor, full stop and comma go from bar to bar, Enter pins a job or \
    folds a row, W and S zoom, A and D pan, Page Up and Page Down scroll the rows, F fits the pinned job, 0 shows everything.";
/// What the pointer does.
pub const POINTER: [(&str, &str); 5] = [
    ("Ctrl + wheel", "zooms"),
    ("drag", "pans"),
    ("Shift + drag", "selects"),
    ("double-click", "fits"),
    ("W A S D", "by keyboard"),
];
/// Where the window of a run with no bars stands.
pub const NOT_FOUND: &str = "No job is called so.";
/// The button that selects by dragging.
pub const SELECT: &str = "Select";
/// The button for the figures of what is seen.
pub const FIGURES_OF_VIEW: &str = "Figures of the view";
/// Most devices that are listed of one lease.
const MOST_DEVICES: usize = 4;

/// What bars can be coloured by.
#[must_use]
pub fn colouring(colouring: Colouring) -> &'static str {
    match colouring {
        Colouring::Tenant => "Tenant",
        Colouring::Class => "Class",
        Colouring::Wait => "Wait",
        Colouring::Change => "Change",
    }
}

/// What is said of the place the reader is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The job, or the row.
    pub title: String,
    /// What is known of it.
    pub lines: Vec<(&'static str, String)>,
}

impl Reading {
    /// All of it in one sentence, for a live region.
    #[must_use]
    pub fn sentence(&self) -> String {
        let parts: Vec<String> =
            self.lines.iter().map(|(what, text)| format!("{} {text}", what.to_lowercase())).collect();
        format!("{}: {}.", self.title, parts.join(", "))
    }
}

/// What is at the cursor, on a plot of this width.
#[must_use]
pub fn at_cursor(viewer: &Viewer, px: f64) -> Option<Reading> {
    let cursor = viewer.cursor?;
    let schedule = viewer.schedule(cursor.pane)?;
    let moment = format::elapsed(schedule.seconds(viewer.scaled(cursor.pane, cursor.tick)));
    let Some(bar) = cursor.bar else {
        let row = viewer.cursor_row()?;
        let used =
            format::or_undefined(viewer.used_at_cursor(px), |share| format::percent(share.min(1.0), 0));
        let lines = vec![("At", moment), ("In use", used)];
        return Some(Reading { title: place(schedule, row), lines });
    };
    let job = schedule.job_of(bar)?;
    let of = schedule.job(job)?;
    let mut lines = vec![
        ("Tenant", schedule.tenants().get(of.tenant as usize).to_owned()),
        ("Class", schedule.classes().get(of.class as usize).to_owned()),
        ("On", on_bar(schedule, bar)),
        ("Held", held(schedule, bar)),
        ("Rate", rate(schedule, bar)),
        ("Waited", format::duration(schedule.seconds(f64::from(of.waited)))),
    ];
    if let Some(other) = viewer.other(cursor.pane) {
        lines.push(("Ends", change(change_s(schedule, &other.schedule, job), &other.title)));
    }
    Some(Reading { title: schedule.name(job).to_owned(), lines })
}

/// By how much a job ends sooner or later than under another policy.
fn change(change_s: Option<f64>, other: &str) -> String {
    match change_s {
        None => format!("not both here and under {other}"),
        Some(change_s) if change_s.abs() < 1.0 => format!("as under {other}"),
        Some(change_s) if change_s < 0.0 => {
            format!("{} sooner than under {other}", format::duration(-change_s))
        }
        Some(change_s) => format!("{} later than under {other}", format::duration(change_s)),
    }
}

/// `A100-80, node 2`.
#[must_use]
pub fn place(schedule: &Schedule, row: &Row) -> String {
    let address = match row.place {
        Place::Kind(_) => None,
        Place::Node(node) => {
            schedule.nodes().get(node as usize).and_then(|node| schedule.address(node.first_device))
        }
        Place::Device(device) => schedule.address(device),
    };
    match (row.place, address) {
        (Place::Node(_), Some((kind, node, _))) => format!("{kind}, node {node}"),
        (Place::Device(_), Some((kind, node, gpu))) => format!("{kind}, node {node}, GPU {gpu}"),
        _ => row_label(schedule, row).trim_start_matches(['▸', '▾', ' ']).to_owned(),
    }
}

/// `A100-80, node 2, GPU 3, 3 of 7 slots (positions 1–4)`.
fn on_bar(schedule: &Schedule, bar: u32) -> String {
    let Some((_, lane)) = schedule.lane_of(bar) else { return String::new() };
    let Some((kind, node, gpu)) = schedule.address(lane.device) else { return String::new() };
    let of = schedule.kind_of(lane.device).map_or((1, 1), |(_, kind)| (kind.slots, kind.positions));
    let device = format!("{kind}, node {node}, GPU {gpu}");
    match of {
        (_, 1) => device,
        (slots, positions) if lane.height == positions => format!("{device}, all {slots} slots"),
        (slots, _) if lane.height == 1 => {
            format!("{device}, {} of {slots} slots (position {})", lane.slots, lane.first + 1)
        }
        (slots, _) => format!(
            "{device}, {} of {slots} slots (positions {}–{})",
            lane.slots,
            lane.first + 1,
            lane.first + lane.height
        ),
    }
}

/// `3 d 9 h to 3 d 12 h (2.9 h)`.
fn held(schedule: &Schedule, bar: u32) -> String {
    let Some(span) = schedule.span(bar) else { return String::new() };
    let (from, to) = (schedule.seconds(f64::from(span.start)), schedule.seconds(f64::from(span.end)));
    format!("{} to {} ({})", format::elapsed(from), format::elapsed(to), format::duration(to - from))
}

fn rate(schedule: &Schedule, bar: u32) -> String {
    schedule
        .lease_of(bar)
        .map_or_else(String::new, |lease| format::percent(f64::from(lease.rate_micro) / 1e6, 0))
}

/// What the panel shows, in a sentence or two.
#[must_use]
pub fn summary(viewer: &Viewer) -> String {
    let Some(schedule) = viewer.first() else { return String::new() };
    let window = viewer.window();
    let titles: Vec<&str> = viewer.panes().iter().map(|pane| pane.title.as_str()).collect();
    let in_view: usize = viewer.panes().iter().map(|pane| pane.picture.bars).sum();
    let thin = if viewer.panes().iter().any(|pane| pane.picture.has_thin) {
        " Bars of less than 2 px are summed up."
    } else {
        ""
    };
    format!(
        "{}: {} on {}. {} of {} in view, {} in unfolded rows.{thin}",
        titles.join(" above "),
        counted(schedule.bars() as u64, "allocation", "allocations"),
        counted(u64::from(schedule.devices()), "GPU", "GPUs"),
        format::duration(schedule.seconds(window.span())),
        format::duration(schedule.seconds(viewer.extent().end)),
        counted(in_view as u64, "bar", "bars"),
    )
}

/// What happened to a job, as a table.
#[must_use]
pub fn events(schedule: &Schedule, job: u32) -> Table {
    let header = ["From", "For", "What", "Where"].map(str::to_owned).into();
    let row = |event: &Event| {
        let (what, place) = match &event.what {
            What::Waited(None) => ("waited".to_owned(), String::new()),
            What::Waited(Some(number)) => {
                let words = reason(*number).map_or("", crate::policy::Reason::words);
                (format!("waited: {words}"), String::new())
            }
            What::Held { loading, rate_micro, bars, .. } => {
                let loading_s = schedule.seconds(f64::from(*loading));
                let loading = if loading_s > 0.0 {
                    format!(", {} of it loading", format::duration(loading_s))
                } else {
                    String::new()
                };
                let speed = format::percent(f64::from(*rate_micro) / 1e6, 0);
                (format!("ran at {speed} of its best speed{loading}"), devices(schedule, bars))
            }
        };
        vec![
            format::elapsed(schedule.seconds(f64::from(event.from))),
            format::duration(schedule.seconds(f64::from(event.to - event.from))),
            what,
            place,
        ]
    };
    Table { header, rows: history(schedule, job).iter().map(row).collect() }
}

/// Where the bars of one lease are.
fn devices(schedule: &Schedule, bars: &[u32]) -> String {
    let named: Vec<String> = bars.iter().take(MOST_DEVICES).map(|bar| on_bar(schedule, *bar)).collect();
    let more = match bars.len().saturating_sub(MOST_DEVICES) {
        0 => String::new(),
        rest => format!("; and {}", counted(rest as u64, "more GPU", "more GPUs")),
    };
    format!("{}{more}", named.join("; "))
}

/// What a pinned job is, in a sentence.
#[must_use]
pub fn pinned(schedule: &Schedule, job: u32) -> String {
    let Some(of) = schedule.job(job) else { return String::new() };
    let seconds = |ticks: u32| schedule.seconds(f64::from(ticks));
    let end = match of.fate {
        Fate::Finished => {
            format!("ended after {}", format::duration(seconds(of.end.saturating_sub(of.submit))))
        }
        Fate::Killed => format!(
            "was killed at the run time it asked for, after {}",
            format::duration(seconds(of.end.saturating_sub(of.submit)))
        ),
        Fate::Unfinished => "had not ended when the run did".to_owned(),
    };
    format!(
        "{} of {}, {}: submitted at {}, {end}; it waited {} in all.",
        schedule.name(job),
        schedule.tenants().get(of.tenant as usize),
        schedule.classes().get(of.class as usize),
        format::elapsed(seconds(of.submit)),
        format::duration(seconds(of.waited)),
    )
}

/// The bars that are seen, as a table; the first ones only where there are many.
#[must_use]
pub fn listed(viewer: &Viewer, pane: usize) -> (Table, String) {
    let header = ["Job", "Tenant", "On", "From", "For", "Waited in all"].map(str::to_owned).into();
    let (bars, count) = viewer.listed(pane);
    let Some(schedule) = viewer.schedule(pane) else { return Default::default() };
    let row = |bar: &u32| {
        let job = schedule.job_of(*bar)?;
        let (of, span) = (schedule.job(job)?, schedule.span(*bar)?);
        let seconds = |ticks: u32| schedule.seconds(f64::from(ticks));
        Some(vec![
            schedule.name(job).to_owned(),
            schedule.tenants().get(of.tenant as usize).to_owned(),
            on_bar(schedule, *bar),
            format::elapsed(seconds(span.start)),
            format::duration(seconds(span.end - span.start)),
            format::duration(seconds(of.waited)),
        ])
    };
    let title = viewer.panes().get(pane).map_or("", |pane| pane.title.as_str());
    let note = if count > bars.len() {
        format!(
            "{title}: the first {} of {} in view; zoom in for the others.",
            bars.len(),
            counted(count as u64, "bar", "bars")
        )
    } else {
        format!("{title}: {} in view.", counted(count as u64, "bar", "bars"))
    };
    (Table { header, rows: bars.iter().filter_map(row).collect() }, note)
}

/// Figures of a selection, line by line.
#[must_use]
pub fn figures(viewer: &Viewer, selection: &Selection, figures: &Figures) -> Reading {
    let seconds = |tick: f64| viewer.first().map_or(0.0, |schedule| schedule.seconds(tick));
    let title = format!(
        "{} to {} on {}",
        format::elapsed(seconds(selection.from)),
        format::elapsed(seconds(selection.to)),
        counted(u64::from(figures.devices), "GPU", "GPUs"),
    );
    let tenants = viewer.schedule(selection.pane).map(|schedule| {
        let share = |(tenant, hours): &(u32, f64)| {
            format!(
                "{} {}",
                schedule.tenants().get(*tenant as usize),
                format::percent(hours / figures.gpu_hours.max(f64::MIN_POSITIVE), 0)
            )
        };
        figures.by_tenant.iter().take(4).map(share).collect::<Vec<_>>().join(", ")
    });
    let lines = vec![
        ("Length", format::duration(figures.length_s)),
        ("In use", format::or_undefined(figures.used, |used| format::percent(used, 1))),
        ("GPU-hours", format::number(figures.gpu_hours, 1)),
        ("Jobs", format::count(figures.jobs)),
        ("Started", format::count(figures.started)),
        ("Ended", format::count(figures.ended)),
        ("Mean wait of those started", format::or_undefined(figures.wait_mean_s, format::duration)),
        (
            "Most held by",
            tenants.filter(|text| !text.is_empty()).unwrap_or_else(|| format::UNDEFINED.to_owned()),
        ),
    ];
    Reading { title, lines }
}

/// What the button says that opens a schedule of so many bytes.
#[must_use]
pub fn size(bytes: f64) -> String {
    format!("It takes {} in this tab.", format::bytes(bytes as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_said_with_their_sign() {
        let words = |change_s| change(change_s, "FIFO").replace('\u{a0}', " ");
        assert_eq!(words(Some(-7_200.0)), "2 h sooner than under FIFO");
        assert_eq!(words(Some(90.0)), "1.5 min later than under FIFO");
        assert_eq!(words(Some(0.2)), "as under FIFO");
        assert_eq!(words(None), "not both here and under FIFO");
    }

    #[test]
    fn a_reading_is_one_sentence() {
        let lines = vec![("Tenant", "vision".to_owned()), ("On", "T4, node 1".to_owned())];
        let reading = Reading { title: "job-7".into(), lines };
        assert_eq!(reading.sentence(), "job-7: tenant vision, on T4, node 1.");
    }
}
