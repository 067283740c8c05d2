//! What charts with axes share: frames, grids, tick labels, the cursor's chip, and the sentence in an empty
//! plot.

use super::palette::{Key, line_nodes};
use super::scale::Scale;
use super::scene::{Anchor, Area, Circle, LegendEntry, Line, Path, Rect, Scene, Text};
use super::text::{shortened, spread, text_width_px, wrapped};
use super::ticks::Tick;

/// Font size of tick labels.
pub(super) const TICK_PX: f64 = 11.0;
/// Room below a plot for its tick labels.
pub(super) const X_LABELS_PX: f64 = 24.0;
/// How far the cursor's chip must stay from a tick label.
const CLEARANCE_PX: f64 = 4.0;

/// Room left of a plot for the labels of its y axis.
pub(super) fn left_margin<'a>(labels: impl IntoIterator<Item = &'a Tick>) -> f64 {
    labels.into_iter().map(|t| text_width_px(&t.label, TICK_PX)).fold(20.0, f64::max) + 10.0
}

/// Horizontal grid lines with their labels; the lowest is the base line.
pub(super) fn draw_y_axis(scene: &mut Scene, plot: Area, y: &Scale, ticks: &[Tick]) {
    for tick in ticks {
        let at = y.place(tick.value);
        let class = if at >= plot.bottom() - 0.5 { "ax" } else { "gl" };
        scene.add(Line::new(class, (plot.x, at), (plot.right(), at)));
        scene.add(Text::new("", (plot.x - 8.0, at + 4.0), tick.label.clone()).anchor(Anchor::End));
    }
}

/// The short marks at which the labels of the x axis stand.
pub(super) fn draw_x_marks(scene: &mut Scene, plot: Area, x: &Scale, ticks: &[Tick]) {
    for tick in ticks {
        let at = x.place(tick.value);
        scene.add(Line::new("ax", (at, plot.bottom()), (at, plot.bottom() + 4.0)));
    }
}

/// The labels of the x axis that fit, without those under the cursor's chip; then the chip.
pub(super) fn draw_x_labels(
    scene: &mut Scene,
    plot: Area,
    x: &Scale,
    ticks: &[Tick],
    cursor: Option<(f64, &str)>,
) {
    let chip = cursor.map(|(value, text)| Chip::new(text, x.place(value), plot));
    let taken = chip.as_ref().map(|chip| (chip.area.x - CLEARANCE_PX, chip.area.right() + CLEARANCE_PX));
    let mut free_from = f64::NEG_INFINITY;
    for tick in ticks {
        let width = text_width_px(&tick.label, TICK_PX);
        // A label at the edge is moved inside rather than cut.
        let middle = x.place(tick.value).clamp(width / 2.0, (scene.width - width / 2.0).max(width / 2.0));
        let (from, to) = (middle - width / 2.0, middle + width / 2.0);
        if from < free_from {
            continue;
        }
        free_from = to + 8.0;
        if taken.is_some_and(|(left, right)| to > left && from < right) {
            continue;
        }
        scene.add(Text::new("", (middle, plot.bottom() + 17.0), tick.label.clone()).anchor(Anchor::Middle));
    }
    if let Some(chip) = chip {
        scene.add(Rect::new("cur-bg", chip.area).radius(3.0));
        let (middle, _) = chip.area.centre();
        scene.add(Text::new("cur-t", (middle, chip.area.y + 12.5), chip.text).anchor(Anchor::Middle));
    }
}

/// The cursor's value on the axis, inverted.
struct Chip {
    text: String,
    area: Area,
}

impl Chip {
    fn new(text: &str, at: f64, plot: Area) -> Self {
        let width = text_width_px(text, TICK_PX) * 1.1 + 12.0;
        let x = (at - width / 2.0).min(plot.right() - width).max(plot.x);
        Self { text: text.to_owned(), area: Area::new(x, plot.bottom() + 5.0, width, 17.0) }
    }
}

/// Where a line ends.
pub(super) struct End<'a> {
    /// Whose line.
    pub(super) key: &'a Key,
    /// The point, in px.
    pub(super) at: (f64, f64),
}

/// The least distance between two names.
pub(super) const NAME_GAP_PX: f64 = 15.0;

/// The names right of a plot, spread so that they do not meet, each with a leader to the end of its line.
pub(super) fn draw_end_labels(scene: &mut Scene, plot: Area, ends: Vec<End<'_>>) {
    let wanted: Vec<f64> = ends.iter().map(|end| end.at.1).collect();
    let placed = spread(&wanted, NAME_GAP_PX, (plot.y + 2.0, plot.bottom() - 2.0));
    for (End { key, at: (end_x, end_y) }, label_y) in ends.into_iter().zip(placed) {
        if plot.right() - end_x > 6.0 {
            scene.add(Line::new("lead", (end_x + 4.0, end_y), (plot.right(), end_y)));
            scene.add(Circle::new(format!("dot {}", key.class()), (end_x, end_y), 3.2));
        }
        let mut leader = Path::new("brk");
        leader.move_to(plot.right() + 2.0, end_y);
        leader.line_to(plot.right() + 10.0, label_y);
        scene.add(leader);
        let text = shortened(&key.label, 12.0, scene.width - plot.right() - 14.0);
        let class = format!("name {}{}", key.class(), key.emphasis());
        scene.add(Text::new(class, (plot.right() + 14.0, label_y + 4.0), text));
    }
}

/// Stands where there are more than [`MOST_SERIES`](super::MOST_SERIES) lines.
pub(super) const TOO_MANY: &str = "More than 33 policies: choose at most 33 to tell their lines apart";

/// A sentence in the middle of an area where there is nothing else to draw.
pub(super) fn draw_note(scene: &mut Scene, area: Area, note: &str) {
    let (x, y) = area.centre();
    let lines = wrapped(note, 13.0, area.width.max(80.0));
    let mut baseline = y + 4.0 - 9.0 * (lines.len().saturating_sub(1)) as f64;
    for line in lines {
        scene.add(Text::new("t13 tx2", (x, baseline), line).anchor(Anchor::Middle));
        baseline += 18.0;
    }
}

/// The frame of a chart without data: its base line and the sentence that says why.
pub(super) fn draw_empty(scene: &mut Scene, note: &str) {
    let plot = Area::new(1.0, 8.0, (scene.width - 2.0).max(0.0), (scene.height - 32.0).max(0.0));
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = plot.y + plot.height * share;
        scene.add(Line::new(if share < 1.0 { "gl" } else { "ax" }, (plot.x, y), (plot.right(), y)));
    }
    let (x, y) = plot.centre();
    let width = text_width_px(note, 13.0).min(plot.width) + 24.0;
    scene.add(Rect::new("surf", Area::new(x - width / 2.0, y - 22.0, width, 44.0)));
    draw_note(scene, plot, note);
}

/// The legend of policies, for exported files.
pub(super) fn legend<'a>(keys: impl IntoIterator<Item = &'a Key>) -> Vec<LegendEntry> {
    keys.into_iter()
        .map(|key| LegendEntry { label: key.label.clone(), sample: line_nodes(key, 26.0) })
        .collect()
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
