//! Quantities over time, one line per policy, in panels one below the other that share the time axis and the
//! cursor.

use super::axis::{self, End};
use super::format::{self, Quantity};
use super::palette::{Key, Role, drawing_order};
use super::scale::{Scale, extent};
use super::scene::{Anchor, Area, Circle, Line, Scene, Text};
use super::series::{
    TimeSeries, cursor_points, distinct_keys, in_sight, nearest_time, readings, step_along, time_extent,
};
use super::text::text_width_px;
use super::ticks::{self, Tick};
use super::{Chart, MOST_SERIES, Readout, Table};

/// Lines over time, such as slots in use above jobs waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct LineChart {
    /// Unique in the page.
    pub id: String,
    /// The quantity shown.
    pub title: String,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// First and last second of the axis; from the data where it is not given.
    pub window_s: Option<(f64, f64)>,
    /// From top to bottom.
    pub panels: Vec<Panel>,
}

/// One quantity of a [`LineChart`].
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What is measured, such as `Slots in use`.
    pub title: String,
    /// How its values are written.
    pub quantity: Quantity,
    /// Where its axis begins.
    pub base: YBase,
    /// The lines.
    pub series: Vec<TimeSeries>,
}

/// Where a value axis begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum YBase {
    /// At zero.
    #[default]
    Zero,
    /// Near the lowest value, which the panel's title then says; at zero where that is near.
    Data,
}

/// Room above a panel for its title.
const TITLE_PX: f64 = 20.0;
/// Room between a panel and the title of the next.
const PANEL_GAP_PX: f64 = 16.0;
/// From this width of a plot on there is room to say where the axis begins, beside the tick that says it too.
const AXIS_NOTE_FROM_PX: f64 = 440.0;
/// From this width on there is room for the names at the ends of the lines.
const LABELS_FROM_PX: f64 = 520.0;

struct Layout {
    x: Scale,
    x_ticks: Vec<Tick>,
    panels: Vec<PanelLayout>,
}

struct PanelLayout {
    plot: Area,
    y: Scale,
    ticks: Vec<Tick>,
}

impl LineChart {
    /// A chart without panels.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>, width: f64, height: f64) -> Self {
        Self { id: id.into(), title: title.into(), width, height, window_s: None, panels: Vec::new() }
    }

    fn series(&self) -> impl Iterator<Item = &TimeSeries> {
        self.panels.iter().flat_map(|panel| &panel.series)
    }

    fn keys(&self) -> Vec<&Key> {
        distinct_keys(self.series())
    }

    fn window_s(&self) -> (f64, f64) {
        self.window_s.or_else(|| time_extent(self.series())).unwrap_or((0.0, 1.0))
    }

    /// The ends of the axis: one moment is drawn in the middle of an axis that begins at 0.
    fn domain_s(&self) -> (f64, f64) {
        match self.window_s() {
            (from, to) if to > from => (from, to),
            (_, only) => (0.0, if only > 0.0 { only * 2.0 } else { 60.0 }),
        }
    }

    fn layout(&self) -> Layout {
        let scene = self.blank();
        let count = self.panels.len().max(1) as f64;
        let titles_and_gaps = TITLE_PX * count + PANEL_GAP_PX * (count - 1.0);
        let height = ((scene.height - axis::X_LABELS_PX - titles_and_gaps) / count).max(24.0);
        let most_ticks = (height / 45.0).clamp(2.0, 5.0) as usize;
        let axes: Vec<((f64, f64), f64)> =
            self.panels.iter().map(|p| p.domain(self.domain_s(), most_ticks)).collect();
        let ticks: Vec<Vec<Tick>> = self
            .panels
            .iter()
            .zip(&axes)
            .map(|(p, (domain, step))| ticks::even(p.quantity, *domain, *step))
            .collect();

        let left = axis::left_margin(ticks.iter().flatten());
        let right = if scene.width < LABELS_FROM_PX { 14.0 } else { self.label_room() };
        let width = (scene.width - left - right).max(24.0);
        let x = Scale::linear(self.domain_s(), (left, left + width));
        let panels = axes.into_iter().zip(ticks).enumerate().map(|(i, ((domain, _), ticks))| {
            let top = TITLE_PX + (height + PANEL_GAP_PX + TITLE_PX) * i as f64;
            let plot = Area::new(left, top, width, height);
            PanelLayout { plot, y: Scale::linear(domain, (plot.bottom(), plot.y)), ticks }
        });
        let panels = panels.collect();
        Layout { x, x_ticks: ticks::time(x.domain(), (width / 70.0).clamp(2.0, 12.0) as usize), panels }
    }

    /// Room for the longest name at the ends of the lines, at most 30 % of the width.
    fn label_room(&self) -> f64 {
        let widest = self.keys().iter().map(|key| text_width_px(&key.label, 12.0)).fold(0.0, f64::max);
        (widest + 18.0).min(self.width * 0.3)
    }

    fn draw_panel(&self, scene: &mut Scene, panel: &Panel, layout: &PanelLayout, x: &Scale) {
        let PanelLayout { plot, y, ticks } = layout;
        let mut title = Text::new("t12 tx2", (plot.x, plot.y - 7.0), "").span("b", panel.title.clone());
        if let (true, Some(first)) = (plot.width >= AXIS_NOTE_FROM_PX && y.domain().0 > 0.0, ticks.first()) {
            title = title.span("tx3", format!(", axis from {}", first.label));
        }
        scene.add(title);
        axis::draw_y_axis(scene, *plot, y, ticks);
        for series in drawing_order(&panel.series, |s| &s.key) {
            series.draw(scene, x, y, *plot);
        }
        if scene.width >= LABELS_FROM_PX {
            draw_end_labels(scene, panel, layout, x);
        }
    }
}

impl Panel {
    /// The ends of the axis of values and its step: they suit what the window shows.
    fn domain(&self, window_s: (f64, f64), most_ticks: usize) -> ((f64, f64), f64) {
        let values = self.series.iter().flat_map(|s| s.within(window_s)).map(|p| p.1);
        let (low, high) = extent(values).unwrap_or((0.0, 1.0));
        let low = match self.base {
            YBase::Data if low > high * 0.25 => low,
            YBase::Data | YBase::Zero => low.min(0.0),
        };
        let high = if self.quantity == Quantity::Share && high > 0.5 { high.max(1.0) } else { high };
        ticks::nice_domain(self.quantity, (low, high), most_ticks)
    }

    /// The series whose values stand beside the title: subject and baseline, else the first two.
    fn compared(&self) -> Vec<&TimeSeries> {
        let mut named: Vec<&TimeSeries> = self.series.iter().filter(|s| s.key.role != Role::Other).collect();
        named.sort_by_key(|s| std::cmp::Reverse(s.key.role));
        if named.is_empty() { self.series.iter().take(2).collect() } else { named }
    }

    /// `jobs waiting averaged 17 with A, 50 with B and 21 to 240 with 4 others`.
    fn means_text(&self, window_s: (f64, f64)) -> Option<String> {
        let mean = |series: &TimeSeries| {
            series
                .mean(window_s)
                .map(|mean| format!("{} with {}", self.quantity.text(mean), series.key.label))
        };
        let compared = self.compared();
        let mut parts: Vec<String> = compared.iter().filter_map(|s| mean(s)).collect();
        let is_compared = |s: &TimeSeries| compared.iter().any(|c| c.key.label == s.key.label);
        let others: Vec<&TimeSeries> = self.series.iter().filter(|s| !is_compared(s)).collect();
        match (others.as_slice(), extent(others.iter().filter_map(|s| s.mean(window_s)))) {
            ([one], _) => parts.extend(mean(one)),
            (many, Some((low, high))) => {
                let (low, high) = (self.quantity.text(low), self.quantity.text(high));
                parts.push(format!("{low} to {high} with {} others", many.len()));
            }
            _ => {}
        }
        let mut letters = self.title.chars();
        let first = letters.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
        (!parts.is_empty()).then(|| format!("{first}{} averaged {}", letters.as_str(), axis::listed(&parts)))
    }
}

impl LineChart {
    /// Whether a series has nothing to say where another one still has.
    fn ends_differ(&self) -> bool {
        let (from, to) = self.domain_s();
        let end = |series: &TimeSeries| {
            series.within((from, to)).into_iter().rfind(|point| point.1.is_finite()).map(|point| point.0)
        };
        let ends = self.panels.iter().flat_map(|panel| &panel.series).filter_map(end);
        // Less than a hundredth of what is seen is one stretch of means.
        extent(ends).is_some_and(|(first, last)| last - first > (to - from) / 100.0)
    }
}

/// The names at the ends of the lines: where there is no room for all, those of subject and baseline.
fn draw_end_labels(scene: &mut Scene, panel: &Panel, layout: &PanelLayout, x: &Scale) {
    let PanelLayout { plot, y, .. } = layout;
    let last_in_view = |s: &TimeSeries| s.within(x.domain()).into_iter().rfind(|p| p.1.is_finite());
    let fit = panel.series.len() as f64 * axis::NAME_GAP_PX <= plot.height + axis::NAME_GAP_PX;
    let named = panel.series.iter().filter(|s| fit || s.key.role != Role::Other);
    let ends = named.filter_map(|s| {
        let (px, py) = last_in_view(s)?;
        Some(End { key: &s.key, at: (x.place(px), y.place(py)) })
    });
    axis::draw_end_labels(scene, *plot, ends.collect());
}

/// The values of the compared policies at the cursor, at the right of a panel's title: with as much of the
/// names as there is room for.
fn draw_values(scene: &mut Scene, panel: &Panel, plot: Area, cursor: f64) {
    let compared = panel.compared();
    let value = |s: &TimeSeries| format::or_undefined(s.value_at(cursor), |v| panel.quantity.text(v));
    let first_word = |label: &str| label.split([' ', '-']).next().unwrap_or_default().to_owned();
    let full: Vec<(String, String)> = compared.iter().map(|s| (s.key.label.clone(), value(s))).collect();
    let short = compared.iter().map(|s| (first_word(&s.key.label), value(s))).collect();
    let note = if plot.width >= AXIS_NOTE_FROM_PX { 110.0 } else { 0.0 };
    let room = plot.width - text_width_px(&panel.title, 12.0) - note - 12.0;
    let width = |pairs: &[(String, String)]| -> f64 {
        pairs.iter().map(|(name, value)| text_width_px(name, 11.0) + text_width_px(value, 11.0) + 20.0).sum()
    };
    let Some(pairs) = [full, short].into_iter().find(|pairs| width(pairs) <= room) else {
        return;
    };
    let mut text = Text::new("", (plot.right(), plot.y - 7.0), "").anchor(Anchor::End);
    for (i, (name, value)) in pairs.into_iter().enumerate() {
        let space = if i > 0 { "\u{a0}\u{a0}\u{a0}\u{a0}" } else { "" };
        text = text.span("tx2", format!("{space}{name}\u{a0}\u{a0}")).span("tx b", value);
    }
    scene.add(text);
}

impl Chart for LineChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height.max(100.0))
    }

    fn note(&self) -> Option<&'static str> {
        if self.panels.iter().any(|p| p.series.len() > MOST_SERIES) {
            Some(axis::TOO_MANY)
        } else if self.series().all(|s| s.defined().next().is_none()) {
            Some("Nothing was recorded in this window")
        } else {
            None
        }
    }

    fn draw(&self, scene: &mut Scene) {
        scene.legend = axis::legend(self.keys());
        let layout = self.layout();
        for (panel, panel_layout) in self.panels.iter().zip(&layout.panels) {
            self.draw_panel(scene, panel, panel_layout, &layout.x);
        }
        if let Some(lowest) = layout.panels.last() {
            axis::draw_x_marks(scene, lowest.plot, &layout.x, &layout.x_ticks);
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if self.note().is_some() {
            return scene;
        }
        let layout = self.layout();
        let cursor = in_sight(cursor, self.domain_s());
        for (panel, PanelLayout { plot, y, .. }) in self.panels.iter().zip(&layout.panels) {
            let Some(cursor) = cursor else { continue };
            let at = layout.x.place(cursor);
            scene.add(Line::new("cur", (at, plot.y), (at, plot.bottom())));
            for series in drawing_order(&panel.series, |s| &s.key) {
                if let Some(value) = series.value_at(cursor) {
                    let class = format!("dot {}", series.key.class());
                    scene.add(Circle::new(class, (at, y.place(value)), 3.6));
                }
            }
            draw_values(&mut scene, panel, *plot, cursor);
        }
        if let Some(lowest) = layout.panels.last() {
            let chip = cursor.map(|c| (c, format::elapsed(c)));
            let chip = chip.as_ref().map(|(c, text)| (*c, text.as_str()));
            axis::draw_x_labels(&mut scene, lowest.plot, &layout.x, &layout.x_ticks, chip);
        }
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let (from, to) = self.window_s();
        let (from_text, to_text) = (format::elapsed(from), format::elapsed(to));
        let span = match (from, to) {
            (from, to) if to <= from => format!("At {to_text}"),
            (from, _) if from > 0.0 => format!("From {from_text} to {to_text}"),
            _ => format!("Over {to_text}"),
        };
        let panels: Vec<String> =
            self.panels.iter().filter_map(|panel| panel.means_text(self.domain_s())).collect();
        let each = if self.ends_differ() { ", each until its own end" } else { "" };
        format!("{span}{each}, {}.", panels.join("; "))
    }

    fn table(&self) -> Table {
        const MOST_ROWS: usize = 30;
        let series = || self.panels.iter().flat_map(|p| p.series.iter().map(move |s| (p, s)));
        let names = series().map(|(panel, s)| format!("{}, {}", panel.title, s.key.label));
        let rows = ticks::time(self.domain_s(), MOST_ROWS).into_iter().map(|tick| {
            let values = series()
                .map(|(panel, s)| format::or_undefined(s.value_at(tick.value), |v| panel.quantity.text(v)));
            std::iter::once(tick.label).chain(values).collect()
        });
        let header = std::iter::once("Time".to_owned()).chain(names).collect();
        Table { header, rows: if self.note().is_some() { Vec::new() } else { rows.collect() } }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() {
            return Vec::new();
        }
        self.layout().panels.iter().map(|p| p.plot).collect()
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() {
            return None;
        }
        let x = Scale::linear(self.domain_s(), (0.0, 1.0));
        let points = cursor_points(self.series(), self.domain_s());
        let time_s = nearest_time(points, x.value_at(fraction));
        let panels = self.panels.iter();
        let values = panels.flat_map(|p| readings(&p.title, &p.series, time_s, p.quantity));
        let (x_text, fraction) = (format::elapsed(time_s), x.fraction(time_s));
        Some(Readout { x: time_s, x_text, fraction, values: values.collect() })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        step_along(cursor_points(self.series(), self.domain_s()), self.domain_s(), fraction, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::super::series::Curve;
    use super::*;

    fn series(role: Role, curve: Curve, points: &[(f64, f64)]) -> TimeSeries {
        let name = if role == Role::Subject { "sts-fairness" } else { "fifo" };
        TimeSeries::new(Key::new(name, name.to_uppercase(), role), curve, points.iter().copied())
    }

    fn chart(series: Vec<TimeSeries>) -> LineChart {
        let panel =
            Panel { title: "Jobs waiting".into(), quantity: Quantity::Count, base: YBase::Zero, series };
        LineChart { panels: vec![panel], ..LineChart::new("t", "Queue", 600.0, 300.0) }
    }

    #[test]
    fn the_cursor_stops_at_points_of_the_subject() {
        let chart = chart(vec![
            series(Role::Other, Curve::Straight, &[(0.0, 1.0), (100.0, 3.0)]),
            series(Role::Subject, Curve::Straight, &[(0.0, 5.0), (30.0, 6.0), (60.0, 7.0)]),
        ]);
        let readout = chart.nearest(0.4).unwrap();
        assert!((readout.x - 30.0).abs() < 1e-9 && (readout.fraction - 0.3).abs() < 1e-9);
        assert_eq!(readout.sentence(), "30\u{a0}s: Jobs waiting: FIFO 1.6, STS-FAIRNESS 6");
        let beyond = chart.nearest(1.0).unwrap();
        assert_eq!(beyond.values[0].value, Some(3.0), "other lines are read beyond the subject's end");
        assert_eq!(beyond.values[1].text, "–");
    }

    #[test]
    fn keys_move_from_point_to_point() {
        let points: Vec<(f64, f64)> = (0..5).map(|i| (f64::from(i) * 25.0, 1.0)).collect();
        let chart = chart(vec![series(Role::Subject, Curve::Straight, &points)]);
        assert!((chart.step(0.25, 1) - 0.5).abs() < 1e-9);
        assert!((chart.step(0.25, -1) - 0.0).abs() < 1e-9);
        assert!((chart.step(1.0, 1) - 1.0).abs() < 1e-9 && (chart.step(0.0, -3) - 0.0).abs() < 1e-9);
    }

    #[test]
    fn a_window_is_all_that_is_drawn_read_and_summed_up() {
        let points: Vec<(f64, f64)> = (0..=100).map(|i| (f64::from(i) * 10.0, f64::from(i))).collect();
        let whole = chart(vec![series(Role::Subject, Curve::Straight, &points)]);
        let part = LineChart { window_s: Some((205.0, 245.0)), ..whole.clone() };
        let read = |fraction: f64| part.nearest(fraction).map(|readout| readout.x);
        assert_eq!(read(0.15), Some(210.0));
        assert_eq!(read(0.0), Some(205.0), "points outside are not gone to");
        assert_eq!(read(1.0), Some(245.0));
        let after = part.step(part.nearest(0.15).unwrap().fraction, 1);
        assert!((after - 15.0 / 40.0).abs() < 1e-9);
        assert_eq!(
            part.summary().replace('\u{a0}', " "),
            "From 3 min 25 s to 4 min 5 s, jobs waiting averaged 22.5 with STS-FAIRNESS."
        );
        let axis = |chart: &LineChart| chart.layout().panels[0].y.domain();
        assert_eq!((axis(&whole).1, axis(&part).1), (100.0, 25.0));
        let lines =
            |chart: &LineChart, cursor| chart.overlay(Some(cursor)).to_svg().matches("\"cur\"").count();
        assert_eq!((lines(&part, 220.0), lines(&part, 300.0), lines(&whole, 300.0)), (1, 0, 1));
    }

    #[test]
    fn a_selection_covers_its_part_of_every_panel() {
        let one = chart(vec![series(Role::Subject, Curve::Step, &[(0.0, 1.0), (9.0, 2.0)])]);
        let two = LineChart { panels: vec![one.panels[0].clone(), one.panels[0].clone()], ..one };
        let rects = two.selection((0.75, 0.25)).to_svg();
        assert_eq!(rects.matches("class=\"sel\"").count(), 2);
        assert_eq!(two.selection((0.5, 0.5)).nodes, []);
        assert_eq!(two.selection((1.5, 2.0)).nodes, []);
    }

    #[test]
    fn a_pointer_is_mapped_through_the_plot() {
        let chart = chart(vec![series(Role::Subject, Curve::Step, &[(0.0, 1.0), (9.0, 2.0)])]);
        let plot = chart.plots()[0];
        let middle = plot.centre();
        assert!((chart.fraction_at(middle.0, middle.1).unwrap() - 0.5).abs() < 1e-9);
        assert!((chart.fraction_at(-50.0, 900.0).unwrap() - 0.0).abs() < 1e-9);
    }
}
