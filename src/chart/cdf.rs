//! The distribution of completion times, waits or slowdowns: which share of the jobs has at most a value, one line per policy.

use super::axis;
use super::decimate::{self, nearest_rank};
use super::format::{self, DurationUnit, Quantity};
use super::palette::{Key, Role, drawing_order};
use super::scale::{Scale, extent};
use super::scene::{Anchor, Area, Circle, Line, Path, Scene, Text};
use super::text::{spread, text_width_px};
use super::ticks::{self, Tick};
use super::{Chart, MOST_SERIES, Reading, Readout, Table};

/// A cumulative distribution as an exact step function, never smoothed.
#[derive(Debug, Clone, PartialEq)]
pub struct CdfChart {
    /// Unique in the page.
    pub id: String,
    /// The quantity shown, such as `Job completion time`; the x axis is named after it.
    pub title: String,
    /// What is distributed.
    pub of: Distributed,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// The axis of values.
    pub x: XAxis,
    /// Finished or not yet finished.
    pub direction: Direction,
    /// How much is drawn beside the curves.
    pub detail: Detail,
    /// The curves.
    pub series: Vec<CdfSeries>,
}

/// What a [`CdfChart`] shows of jobs: how its values are written and spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Distributed {
    /// Times from submission to finish, in seconds.
    #[default]
    CompletionTime,
    /// Times without an allocation, in seconds.
    Wait,
    /// Completion times over run times.
    Slowdown,
}

impl Distributed {
    fn quantity(self) -> Quantity {
        match self {
            Self::CompletionTime | Self::Wait => Quantity::Duration,
            Self::Slowdown => Quantity::Ratio,
        }
    }

    /// What jobs do that have at most a value, and those that have more.
    fn words(self, direction: Direction) -> &'static str {
        match (self, direction) {
            (Self::CompletionTime, Direction::Finished) => "Done by",
            (Self::CompletionTime, Direction::Remaining) => "Not done by",
            (Self::Wait, Direction::Finished) => "Waited at most",
            (Self::Wait, Direction::Remaining) => "Waited longer than",
            (Self::Slowdown, Direction::Finished) => "Slowed at most",
            (Self::Slowdown, Direction::Remaining) => "Slowed more than",
        }
    }

    /// The same of half of the jobs, in a sentence.
    fn verb(self) -> &'static str {
        match self {
            Self::CompletionTime => "finish within",
            Self::Wait => "wait at most",
            Self::Slowdown => "are slowed at most",
        }
    }

    /// The unit that values of a column are written in, and each of them.
    fn column(self, values: impl Iterator<Item = f64>) -> Column {
        match self {
            Self::CompletionTime | Self::Wait => Column::In(DurationUnit::of_column(values)),
            Self::Slowdown => Column::Plain,
        }
    }
}

/// How the values of a column are written.
#[derive(Debug, Clone, Copy)]
enum Column {
    In(DurationUnit),
    Plain,
}

impl Column {
    fn head(self, name: &str) -> String {
        match self {
            Self::In(unit) => format!("{name}, {}", unit.symbol()),
            Self::Plain => name.to_owned(),
        }
    }

    fn text(self, value: f64) -> String {
        match self {
            Self::In(unit) => unit.value_text(value),
            Self::Plain => Quantity::Ratio.text(value),
        }
    }
}

/// The axis of values of a [`CdfChart`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XAxis {
    /// Logarithmic, over all samples.
    #[default]
    Log,
    /// Linear from 0, over as much as holds nine tenths of the jobs of each policy.
    Linear,
}

/// Which side of the distribution is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// The share finished within a time.
    #[default]
    Finished,
    /// The share not yet finished, on a logarithmic axis: the tail.
    Remaining,
}

/// How much a [`CdfChart`] draws beside the curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// The name of the x axis and the cursor.
    #[default]
    Full,
    /// A dot at each median instead.
    Compact,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CdfSeries {
    /// The policy it belongs to.
    pub key: Key,
    sorted: Vec<f64>,
}

impl CdfSeries {
    /// The distribution of samples, in any order; what is not finite or below zero is left out.
    #[must_use]
    pub fn new(key: Key, samples: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = samples.into_iter().filter(|s| s.is_finite() && *s >= 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        Self { key, sorted }
    }

    /// The samples in rising order.
    #[must_use]
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The share of samples at or below a value.
    #[must_use]
    pub fn share_within(&self, value: f64) -> Option<f64> {
        let within = self.sorted.partition_point(|&s| s <= value);
        (!self.sorted.is_empty()).then(|| within as f64 / self.sorted.len() as f64)
    }

    /// The share of samples at or below a value, or above it.
    #[must_use]
    pub fn share(&self, value: f64, direction: Direction) -> Option<f64> {
        let within = self.share_within(value);
        match direction {
            Direction::Finished => within,
            Direction::Remaining => within.map(|share| 1.0 - share),
        }
    }

    /// The nearest-rank percentile: the ceil(share · n)-th smallest sample.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<f64> {
        nearest_rank(self.sorted.len(), share).and_then(|i| self.sorted.get(i)).copied()
    }
}

/// A percentile of every curve, in one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Percentiles {
    /// Its name and the unit.
    pub head: String,
    /// One for each curve.
    pub cells: Vec<String>,
}

struct Layout {
    plot: Area,
    x: Scale,
    x_ticks: Vec<Tick>,
    /// What is written below the axis.
    x_name: String,
    y: Scale,
    y_ticks: Vec<Tick>,
}

impl Layout {
    /// Where a curve is at a share of finished jobs.
    fn x_of(&self, series: &CdfSeries, share: f64) -> Option<f64> {
        series.percentile(share).map(|s| self.x.place(s))
    }
}

impl CdfChart {
    /// A chart without curves, of finished jobs over a logarithmic axis.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>, width: f64, height: f64) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            of: Distributed::CompletionTime,
            width,
            height,
            x: XAxis::Log,
            direction: Direction::Finished,
            detail: Detail::Full,
            series: Vec::new(),
        }
    }

    /// A percentile of all curves, in the unit that suits them.
    #[must_use]
    pub fn column(&self, share: f64, name: &str) -> Percentiles {
        let column = self.of.column(self.series.iter().filter_map(|series| series.percentile(share)));
        let cell =
            |series: &CdfSeries| format::or_undefined(series.percentile(share), |value| column.text(value));
        Percentiles { head: column.head(name), cells: self.series.iter().map(cell).collect() }
    }

    /// What is read of jobs at a value: `Done by 2 h`.
    #[must_use]
    pub fn read_at(&self, value: f64, direction: Direction) -> String {
        format!("{} {}", self.of.words(direction), self.of.quantity().text(value))
    }

    fn layout(&self) -> Layout {
        let scene = self.blank();
        let below = if self.detail == Detail::Full { 40.0 } else { 26.0 };
        let height = scene.height - 10.0 - below;
        let (y_domain, y_ticks) = match self.direction {
            Direction::Finished => {
                let step = if height < 90.0 { 0.5 } else { 0.25 };
                ((0.0, 1.0), ticks::even(Quantity::Share, (0.0, 1.0), step))
            }
            Direction::Remaining => {
                let most = self.series.iter().map(|s| s.sorted.len()).max().unwrap_or(1);
                let domain = (libm::pow(10.0, libm::log10(1.0 / most.max(2) as f64).floor()), 1.0);
                (domain, ticks::decades(Quantity::Share, domain))
            }
        };
        let left = axis::left_margin(&y_ticks);
        let plot = Area::new(left, 10.0, scene.width - left - 14.0, height);
        let y_range = (plot.bottom(), plot.y);
        let y = match self.direction {
            Direction::Finished => Scale::linear(y_domain, y_range),
            Direction::Remaining => Scale::log10(y_domain, y_range),
        };
        let (x, x_ticks, x_name) = self.x_axis((plot.x, plot.right()));
        Layout { plot, x, x_ticks, x_name, y, y_ticks }
    }

    fn x_axis(&self, range: (f64, f64)) -> (Scale, Vec<Tick>, String) {
        let all = || self.series.iter().flat_map(|s| &s.sorted).copied();
        match self.x {
            XAxis::Log => {
                let (low, high) = extent(all().filter(|&s| s > 0.0)).unwrap_or((1.0, 1.0));
                let (low, high) =
                    if high > low * 4.0 { (low / 1.1, high * 1.1) } else { (low / 2.0, high * 2.0) };
                let x = Scale::log10((low.max(1e-3), high), range);
                let ticks = match self.of.quantity() {
                    Quantity::Duration => ticks::log_duration(x.domain()),
                    quantity => ticks::log(quantity, x.domain()),
                };
                (x, ticks, format!("{}, log scale", self.title))
            }
            XAxis::Linear => {
                let highest = all().fold(0.0, f64::max);
                let nine_tenths = self.series.iter().filter_map(|s| s.percentile(0.9)).fold(0.0, f64::max);
                let most = ((range.1 - range.0) / 80.0).clamp(2.0, 8.0) as usize;
                let quantity = self.of.quantity();
                let ((_, end), step) = ticks::nice_domain(quantity, (0.0, nine_tenths), most);
                let x = Scale::linear((0.0, end), range);
                let x_ticks = match quantity {
                    Quantity::Duration => ticks::time(x.domain(), most),
                    _ => ticks::even(quantity, x.domain(), step),
                };
                let name = match x_ticks.last() {
                    Some(last) if highest > end => format!("{}, first {}", self.title, last.label),
                    _ => self.title.clone(),
                };
                (x, x_ticks, name)
            }
        }
    }

    fn height_of(&self, share_finished: f64) -> f64 {
        match self.direction {
            Direction::Finished => share_finished,
            Direction::Remaining => 1.0 - share_finished,
        }
    }

    fn draw_curve(&self, scene: &mut Scene, layout: &Layout, series: &CdfSeries) {
        let Layout { plot, x, y, .. } = layout;
        let n = series.sorted.len() as f64;
        let share_at = |index: usize| self.height_of((index + 1) as f64 / n);
        let mut path = Path::new(series.key.line_class()).stroke(series.key.stroke());
        let end = x.domain().1;
        let in_view = series.sorted.partition_point(|&s| s <= end);
        let shown = series.sorted.get(..in_view).unwrap_or_default();
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for (k, index) in decimate::cumulative(shown, |s| x.place(s)).into_iter().enumerate() {
            let Some(&sample) = shown.get(index) else { continue };
            if k == 0 {
                path.move_to(x.place(sample), y.place(self.height_of(0.0)));
                corners.push((x.place(sample), y.place(self.height_of(0.0))));
            }
            let at = (x.place(sample), y.place(share_at(index)));
            path.step_to(at.0, at.1);
            corners.extend(corners.last().map(|last| (at.0, last.1)));
            corners.push(at);
        }
        if path.is_empty() {
            return;
        }
        // What is reached holds to the end of the axis; all finished is where the line of interest ends.
        if in_view < series.sorted.len() {
            path.along_to(plot.right());
            corners.extend(corners.last().map(|last| (plot.right(), last.1)));
        }
        scene.add(path);
        series.key.draw_marks(scene, &corners);
        if let ([only], true) = (series.sorted.as_slice(), in_view == 1) {
            let at = (x.place(*only), y.place(self.height_of(1.0)));
            scene.add(Circle::new(format!("dot {}", series.key.class()), at, 3.6));
        }
    }

    /// The share of finished jobs at a height of the plot, counted from its upper edge in parts of 1.
    fn share_at(&self, layout: &Layout, depth: f64) -> f64 {
        self.height_of(layout.y.value_at(1.0 - depth))
    }

    /// Names beside the curves, each with a dotted leader: the subject, the baseline, and of the others the
    /// slowest if it stands clear of the rest. All curves are named in the read-out and in an exported file's
    /// legend.
    fn draw_names(&self, scene: &mut Scene, layout: &Layout) {
        let depths = match self.direction {
            Direction::Finished => [0.26, 0.39, 0.7],
            Direction::Remaining => [0.45, 0.58, 0.25],
        };
        let named = |role: Role| self.series.iter().find(|s| s.key.role == role && !s.sorted.is_empty());
        let beside = [Role::Subject, Role::Baseline].into_iter().zip(depths);
        let beside: Vec<(&CdfSeries, f64)> =
            beside.filter_map(|(role, depth)| named(role).map(|s| (s, depth))).collect();
        let plot = layout.plot;
        let wanted: Vec<f64> = beside.iter().map(|(_, depth)| plot.y + depth * plot.height).collect();
        let placed = spread(&wanted, 16.0, (plot.y + 8.0, plot.bottom() - 8.0));
        for ((series, depth), label_y) in beside.into_iter().zip(placed) {
            self.draw_name_beside(scene, layout, series, depth, label_y);
        }
        self.draw_name_of_slowest(scene, layout, depths[2]);
    }

    /// In the nearest gap between curves that is wide enough, preferably on the left.
    fn draw_name_beside(
        &self,
        scene: &mut Scene,
        layout: &Layout,
        series: &CdfSeries,
        depth: f64,
        label_y: f64,
    ) {
        const AWAY_PX: f64 = 10.0;
        const NEAR_PX: f64 = 110.0;
        let share = self.share_at(layout, depth);
        let Some(curve_x) = layout.x_of(series, share) else { return };
        let curve_y = layout.y.place(self.height_of(share));
        let width = text_width_px(&series.key.label, 12.0) + 4.0;
        let gaps = self.gaps(layout, label_y);
        let wide = || gaps.iter().filter(|(from, to)| to - from >= width + 2.0 * AWAY_PX);
        let left = wide().filter(|gap| gap.1 <= curve_x + 1.0).map(|gap| gap.1).next_back();
        let right = wide().map(|gap| gap.0).find(|from| *from >= curve_x - 1.0);
        let (label_x, anchor) = match (left, right) {
            (Some(left), right)
                if curve_x - left <= NEAR_PX
                    || right.is_none_or(|right| curve_x - left <= right - curve_x) =>
            {
                (left - AWAY_PX, Anchor::End)
            }
            (_, Some(right)) => (right + AWAY_PX, Anchor::Start),
            _ => return,
        };
        let lead_x = if anchor == Anchor::End { label_x + 4.0 } else { label_x - 4.0 };
        scene.add(Line::new("lead", (lead_x, label_y), (curve_x, curve_y)));
        scene.add(Circle::new(format!("blk {}", series.key.class()), (curve_x, curve_y), 2.6));
        let class = format!("name t12 b halo {}", series.key.class());
        scene.add(Text::new(class, (label_x, label_y + 4.0), series.key.label.clone()).anchor(anchor));
    }

    /// The free spans, from left to right, of a line of text at this height.
    fn gaps(&self, layout: &Layout, y_px: f64) -> Vec<(f64, f64)> {
        const HALF_LINE_PX: f64 = 8.0;
        let plot = layout.plot;
        let share_at = |y: f64| self.share_at(layout, (y - plot.y) / plot.height);
        let (above, below) = (share_at(y_px - HALF_LINE_PX), share_at(y_px + HALF_LINE_PX));
        let mut taken: Vec<(f64, f64)> = self
            .series
            .iter()
            .filter_map(|s| extent([layout.x_of(s, above)?, layout.x_of(s, below)?]))
            .collect();
        taken.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free_from = plot.x;
        let mut gaps = Vec::new();
        for (from, to) in taken {
            gaps.push((free_from, from));
            free_from = to.max(free_from);
        }
        gaps.push((free_from, plot.right()));
        gaps
    }

    fn draw_name_of_slowest(&self, scene: &mut Scene, layout: &Layout, depth: f64) {
        const CLEAR_PX: f64 = 28.0;
        let share = self.share_at(layout, depth);
        let mut at: Vec<(&CdfSeries, f64)> =
            self.series.iter().filter_map(|s| layout.x_of(s, share).map(|x| (s, x))).collect();
        at.sort_by(|a, b| a.1.total_cmp(&b.1));
        let Some((&(series, x), rest)) = at.split_last() else { return };
        let next = rest.last().map_or(layout.plot.x, |(_, x)| *x);
        let width = text_width_px(&series.key.label, 12.0) + 4.0;
        let fits = x - next >= CLEAR_PX && x + 10.0 + width <= layout.plot.right();
        if series.key.role != Role::Other || !fits {
            return;
        }
        let class = format!("name t12 b halo {}", series.key.class());
        let baseline = layout.y.place(self.height_of(share)) + 8.0;
        scene.add(Text::new(class, (x + 10.0, baseline), series.key.label.clone()));
    }

    /// The policies that sentences are about: subject and baseline, else the first two with jobs.
    fn compared(&self) -> Vec<&CdfSeries> {
        let with_jobs = || self.series.iter().filter(|s| !s.sorted.is_empty());
        let mut named: Vec<&CdfSeries> = with_jobs().filter(|s| s.key.role != Role::Other).collect();
        named.sort_by_key(|s| std::cmp::Reverse(s.key.role));
        if named.is_empty() { with_jobs().take(2).collect() } else { named }
    }
}

impl Chart for CdfChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height.max(100.0))
    }

    fn note(&self) -> Option<&'static str> {
        if self.series.len() > MOST_SERIES {
            Some(axis::TOO_MANY)
        } else if self.series.iter().all(|s| s.sorted.is_empty()) {
            Some("No job finished in this window")
        } else {
            None
        }
    }

    fn draw(&self, scene: &mut Scene) {
        scene.legend = axis::legend(self.series.iter().map(|s| &s.key));
        let layout = self.layout();
        axis::draw_y_axis(scene, layout.plot, &layout.y, &layout.y_ticks);
        axis::draw_x_marks(scene, layout.plot, &layout.x, &layout.x_ticks);
        if self.detail == Detail::Full {
            let at = (layout.plot.right(), scene.height - 4.0);
            scene.add(Text::new("", at, layout.x_name.clone()).anchor(Anchor::End));
        }
        for series in drawing_order(&self.series, |s| &s.key) {
            self.draw_curve(scene, &layout, series);
        }
        if self.detail == Detail::Compact {
            let y = layout.y.place(self.height_of(0.5));
            for series in drawing_order(&self.series, |s| &s.key) {
                if let Some(x) = layout.x_of(series, 0.5) {
                    scene.add(Circle::new(format!("dot {}", series.key.class()), (x, y), 4.0));
                }
            }
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if self.note().is_some() {
            return scene;
        }
        let layout = self.layout();
        let Layout { plot, x, x_ticks, y, .. } = &layout;
        let cursor = cursor.filter(|c| c.is_finite());
        if let Some(cursor) = cursor {
            let at = x.place(cursor);
            scene.add(Line::new("cur", (at, plot.y), (at, plot.bottom())));
        }
        // Names lie over the cursor's line, dots over both.
        self.draw_names(&mut scene, &layout);
        for series in drawing_order(&self.series, |s| &s.key) {
            if let Some((cursor, share)) = cursor.and_then(|c| series.share_within(c).map(|share| (c, share)))
            {
                let at = (x.place(cursor), y.place(self.height_of(share)));
                scene.add(Circle::new(format!("dot {}", series.key.class()), at, 4.0));
            }
        }
        let chip = cursor.map(|c| (c, self.of.quantity().text(c)));
        let chip = chip.as_ref().map(|(c, text)| (*c, text.as_str()));
        axis::draw_x_labels(&mut scene, *plot, x, x_ticks, chip);
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let compared = self.compared();
        let at = |share: f64| -> String {
            let texts: Vec<String> = compared
                .iter()
                .filter_map(|s| {
                    let text = self.of.quantity().text(s.percentile(share)?);
                    Some(format!("{text} with {}", s.key.label))
                })
                .collect();
            axis::listed(&texts)
        };
        let verb = self.of.verb();
        let again =
            verb.rsplit_once(' ').map_or(verb, |(_, last)| if last == "most" { "at most" } else { last });
        format!("Half of the jobs {verb} {}; 95\u{202f}% {again} {}.", at(0.5), at(0.95))
    }

    fn table(&self) -> Table {
        const SHARES: [(f64, &str); 9] = [
            (0.05, "p5"),
            (0.1, "p10"),
            (0.25, "p25"),
            (0.5, "p50"),
            (0.75, "p75"),
            (0.9, "p90"),
            (0.95, "p95"),
            (0.99, "p99"),
            (1.0, "longest"),
        ];
        let columns = SHARES.map(|(share, name)| self.column(share, name));
        let heads = columns.iter().map(|column| column.head.clone());
        let header = ["Policy".to_owned(), "Jobs".to_owned()].into_iter().chain(heads).collect();
        let rows = self.series.iter().enumerate().map(|(row, series)| {
            let values = columns.iter().filter_map(|column| column.cells.get(row).cloned());
            let jobs = format::count(series.sorted.len() as u64);
            [series.key.label.clone(), jobs].into_iter().chain(values).collect()
        });
        Table { header, rows: rows.collect() }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.layout().plot] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() {
            return None;
        }
        let x = self.layout().x;
        let at = x.value_at(fraction);
        let values = self.series.iter().map(|series| {
            let value = series.share_within(at).map(|share| self.height_of(share));
            Reading {
                group: String::new(),
                label: series.key.label.clone(),
                class: series.key.class(),
                value,
                text: format::or_undefined(value, |v| format::percent(v, 1)),
            }
        });
        Some(Readout {
            x: at,
            x_text: self.read_at(at, self.direction),
            fraction: x.fraction(at),
            values: values.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(samples: &[f64]) -> CdfChart {
        let series = vec![CdfSeries::new(Key::new("fifo", "FIFO", Role::Other), samples.iter().copied())];
        CdfChart { series, ..CdfChart::new("c", "Job completion time", 600.0, 300.0) }
    }

    #[test]
    fn shares_and_percentiles_are_exact() {
        let series = CdfSeries::new(
            Key::new("fifo", "FIFO", Role::Other),
            [30.0, 10.0, f64::NAN, 20.0, 40.0, -1.0, f64::INFINITY],
        );
        assert_eq!(series.sorted(), [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(
            [9.0, 10.0, 25.0, 40.0].map(|t| series.share_within(t)),
            [Some(0.0), Some(0.25), Some(0.5), Some(1.0)]
        );
        assert_eq!([0.5, 0.51, 1.0].map(|p| series.percentile(p)), [Some(20.0), Some(30.0), Some(40.0)]);
    }

    #[test]
    fn what_is_read_is_what_is_drawn() {
        let chart = chart(&[60.0, 3_600.0, 7_200.0, 86_400.0]);
        let at = |time_s: f64| chart.nearest(chart.layout().x.fraction(time_s)).unwrap();
        assert_eq!(at(5_000.0).values[0].value, Some(0.5));
        assert_eq!(at(5_000.0).x_text, "Done by 83\u{a0}min");
        let remaining = CdfChart { direction: Direction::Remaining, ..chart.clone() };
        assert_eq!(remaining.nearest(1.0).unwrap().values[0].value, Some(0.0));
    }

    #[test]
    fn the_linear_axis_says_how_much_it_shows() {
        let mut samples: Vec<f64> = (1..=95).map(|i| f64::from(i) * 600.0).collect();
        samples.extend([900_000.0; 5]);
        let (x, _, name) = CdfChart { x: XAxis::Linear, ..chart(&samples) }.x_axis((0.0, 600.0));
        assert!((x.domain().1 - 54_000.0).abs() < 1e-6);
        assert_eq!(name, "Job completion time, first 15\u{a0}h");
        let (_, _, name) = CdfChart { x: XAxis::Linear, ..chart(&[600.0, 900.0]) }.x_axis((0.0, 600.0));
        assert_eq!(name, "Job completion time");
    }

    #[test]
    fn jobs_that_took_no_time_do_not_break_the_log_axis() {
        let svg = chart(&[0.0, 0.0, 10.0]).scene(None).to_svg();
        assert!(!svg.contains("NaN") && chart(&[0.0]).plots().len() == 1);
        assert_eq!(chart(&[0.0, 0.0, 10.0]).nearest(0.0).unwrap().values[0].text, "66.7\u{202f}%");
    }

    #[test]
    fn columns_of_the_table_have_one_unit() {
        let table = chart(&[60.0, 3_600.0, 7_200.0, 200_000.0]).table();
        assert_eq!(table.header[5], "p50, min");
        assert_eq!(table.header[10], "longest, d");
        assert_eq!(table.rows, [["FIFO", "4", "60", "60", "60", "60", "2", "2.3", "2.3", "2.3", "2.3"]]);
    }
}
