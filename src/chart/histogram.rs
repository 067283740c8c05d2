//! When jobs arrive: a histogram for the import report, and the small drawing on a sample's card.

use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;

use super::axis;
use super::format::{self, Quantity};
use super::palette::gpu_class;
use super::scale::{Bands, Scale, extent};
use super::scene::{Area, Line, Path, Rect, Scene};
use super::ticks::{self, Tick};
use super::{Chart, Reading, Readout, Table};

/// How many jobs were submitted in each of equal spans of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Unique in the page.
    pub id: String,
    /// What is counted, such as `GPU jobs submitted`.
    pub title: String,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    start_s: f64,
    bin_s: f64,
    counts: Vec<u64>,
    clock: Clock,
}

/// What second 0 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Clock {
    /// The first submit: time is written as elapsed.
    #[default]
    Elapsed,
    /// The start of 1970 in UTC: time is written as dates.
    Calendar,
}

/// Spans that the chart chooses are no shorter than this, and at least [`FEWEST`], or a few jobs at once would fill the whole plot.
const SHORTEST_S: f64 = 60.0;
/// Spans that are given are no shorter than this, and no span is NaN.
const SHORTEST_GIVEN_S: f64 = 1.0;
const FEWEST: usize = 4;
/// About 30,000 years.
const FARTHEST_S: f64 = 1e12;

impl Histogram {
    /// Counts `times_s` (in any order) in spans of a human length, about one for each 10 px. With
    /// [`Clock::Calendar`] the spans begin at whole hours or days in UTC. Times that are not finite, or
    /// 30,000 years and more from second 0, are left out.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        (width, height): (f64, f64),
        clock: Clock,
        times_s: &[f64],
    ) -> Self {
        let times = || times_s.iter().copied().filter(|time| time.abs() < FARTHEST_S);
        let (first, last) = extent(times()).unwrap_or((0.0, 0.0));
        let most = (width / 10.0).clamp(4.0, 400.0) as usize;
        let bin_s = ticks::time_step(last - first, most).max(SHORTEST_S);
        let start_s = (first / bin_s).floor() * bin_s;
        let bin_of = |time: f64| ((time - start_s) / bin_s).floor() as usize;
        let bins = times().next().map_or(0, |_| (bin_of(last) + 1).max(FEWEST));
        let mut counts = vec![0; bins];
        for time in times() {
            if let Some(count) = counts.get_mut(bin_of(time)) {
                *count += 1;
            }
        }
        Self { id: id.into(), title: title.into(), width, height, start_s, bin_s, counts, clock }
    }

    /// Shows `counts` that were already made in spans of `bin_s`, the first of which begins at `start_s`.
    #[must_use]
    pub fn of_counts(
        id: impl Into<String>,
        title: impl Into<String>,
        (width, height): (f64, f64),
        clock: Clock,
        (start_s, bin_s): (f64, f64),
        counts: Vec<u64>,
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            width,
            height,
            start_s,
            bin_s: bin_s.max(SHORTEST_GIVEN_S),
            counts,
            clock,
        }
    }

    /// The counts, the first span first.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The length of a span in seconds.
    #[must_use]
    pub fn bin_s(&self) -> f64 {
        self.bin_s
    }

    fn highest(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    fn end_s(&self) -> f64 {
        self.start_s + self.bin_s * self.counts.len() as f64
    }

    fn layout(&self) -> (Area, Scale, Scale, Vec<Tick>) {
        let scene = self.blank();
        let height = scene.height - 6.0 - axis::X_LABELS_PX;
        let most = (height / 22.0).clamp(1.0, 4.0) as usize;
        let (domain, step) = ticks::nice_domain(Quantity::Count, (0.0, self.highest() as f64), most);
        let y_ticks = ticks::even(Quantity::Count, domain, step);
        let left = axis::left_margin(&y_ticks);
        let plot = Area::new(left, 6.0, scene.width - left, height);
        let x = Scale::linear((self.start_s, self.end_s()), (plot.x, plot.right()));
        (plot, x, Scale::linear(domain, (plot.bottom(), plot.y)), y_ticks)
    }

    fn x_ticks(&self, plot: Area) -> Vec<Tick> {
        let domain = (self.start_s, self.end_s());
        let most = (plot.width / 84.0).clamp(2.0, 12.0) as usize;
        let mut ticks = ticks::time(domain, most);
        if self.clock == Clock::Calendar {
            let span = domain.1 - domain.0;
            let step = ticks::time_step(span, most);
            let pattern = match step {
                s if s < 86_400.0 => "%H:%M",
                _ if span < 60.0 * 86_400.0 => "%a %-d %b",
                _ => "%-d %b %Y",
            };
            for tick in &mut ticks {
                let at_midnight = tick.value.rem_euclid(86_400.0) < 1.0;
                tick.label =
                    date_text(tick.value, if at_midnight && step < 86_400.0 { "%a %-d %b" } else { pattern });
            }
        }
        ticks
    }

    fn moment_text(&self, time_s: f64) -> String {
        match self.clock {
            Clock::Elapsed => format::elapsed(time_s),
            Clock::Calendar if self.bin_s >= 86_400.0 => date_text(time_s, "%a %-d %b %Y"),
            Clock::Calendar => date_text(time_s, "%a %-d %b %Y %H:%M"),
        }
    }

    fn bin_text(&self) -> String {
        ticks::whole_unit(self.bin_s).text(self.bin_s)
    }
}

/// A moment in UTC by a `strftime` pattern; the plain seconds where it is beyond the calendar.
fn date_text(epoch_s: f64, pattern: &str) -> String {
    Timestamp::from_second(epoch_s as i64)
        .map(|moment| TimeZone::UTC.to_datetime(moment))
        .and_then(|date| strtime::format(pattern, date))
        .unwrap_or_else(|_| format::elapsed(epoch_s))
}

impl Chart for Histogram {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height.max(60.0))
    }

    fn note(&self) -> Option<&'static str> {
        self.counts.is_empty().then_some("No job was submitted")
    }

    fn draw(&self, scene: &mut Scene) {
        let (plot, x, y, y_ticks) = self.layout();
        axis::draw_y_axis(scene, plot, &y, &y_ticks);
        let bands = Bands::new(self.counts.len(), plot.x, plot.right());
        let gap = if bands.size_px() > 4.0 { 0.75 } else { 0.0 };
        let mut bars = Path::new("acc");
        for (i, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let top = y.place(count as f64);
            let width = (bands.size_px() - 2.0 * gap).max(0.5);
            bars.rect(Area::new(bands.start(i) + gap, top, width, plot.bottom() - top));
        }
        scene.add(bars);
        axis::draw_x_marks(scene, plot, &x, &self.x_ticks(plot));
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if self.note().is_some() {
            return scene;
        }
        let (plot, x, _, _) = self.layout();
        let cursor = cursor.filter(|c| c.is_finite());
        if let Some(cursor) = cursor {
            let at = x.place(cursor + self.bin_s / 2.0);
            scene.add(Line::new("cur", (at, plot.y), (at, plot.bottom())));
        }
        let chip = cursor.map(|c| (c + self.bin_s / 2.0, self.moment_text(c)));
        let chip = chip.as_ref().map(|(c, text)| (*c, text.as_str()));
        axis::draw_x_labels(&mut scene, plot, &x, &self.x_ticks(plot), chip);
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let total: u64 = self.counts.iter().sum();
        let highest = self.highest();
        let busiest = self.counts.iter().position(|count| *count == highest).unwrap_or(0);
        format!(
            "{} {} from {} to {}; at most {} in {}, from {}.",
            format::count(total),
            if total == 1 { "job" } else { "jobs" },
            self.moment_text(self.start_s),
            self.moment_text(self.end_s()),
            format::count(highest),
            self.bin_text(),
            self.moment_text(self.start_s + busiest as f64 * self.bin_s)
        )
    }

    fn table(&self) -> Table {
        let header = vec!["From".to_owned(), format!("{} in {}", self.title, self.bin_text())];
        let row = |(i, count): (usize, &u64)| {
            vec![self.moment_text(self.start_s + i as f64 * self.bin_s), format::count(*count)]
        };
        Table { header, rows: self.counts.iter().enumerate().map(row).collect() }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.layout().0] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        let index = Bands::new(self.counts.len(), 0.0, 1.0).index_at(fraction)?;
        let count = *self.counts.get(index)?;
        let x = self.start_s + index as f64 * self.bin_s;
        let reading = Reading {
            group: String::new(),
            label: "jobs".to_owned(),
            class: "",
            value: Some(count as f64),
            text: format::count(count),
        };
        Some(Readout {
            x,
            x_text: format!("{} from {}", self.bin_text(), self.moment_text(x)),
            fraction: (index as f64 + 0.5) / self.counts.len() as f64,
            values: vec![reading],
        })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        (fraction + f64::from(steps) / self.counts.len().max(1) as f64).clamp(0.0, 1.0)
    }
}

/// The drawing on a sample's card: arrivals above the mix of GPU types, 44 px high, without text.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Width in px.
    pub width: f64,
    /// Jobs submitted in each of equal spans of time; neighbours are joined where there are more than bars.
    pub arrivals: Vec<u64>,
    /// The GPU types, in the order drawn.
    pub mix: Vec<MixPart>,
}

/// One GPU type's part of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MixPart {
    /// Number of the type in the order of the cluster, which decides the colour.
    pub type_index: usize,
    /// Such as `A100-80`.
    pub name: String,
    /// How many GPUs.
    pub gpus: u64,
}

impl Card {
    /// One sentence that says what is seen.
    #[must_use]
    pub fn summary(&self) -> String {
        let parts: Vec<String> =
            self.mix.iter().map(|part| format!("{} {}", format::count(part.gpus), part.name)).collect();
        let jobs = format::count(self.arrivals.iter().sum());
        match parts.as_slice() {
            [] => format!("{jobs} jobs over time."),
            some => format!("{jobs} jobs over time on {}.", axis::listed(some)),
        }
    }

    /// The drawing.
    #[must_use]
    pub fn scene(&self) -> Scene {
        const BAR_PITCH_PX: f64 = 5.0;
        const BASE_PX: f64 = 30.0;
        let width = self.width.max(60.0);
        let mut scene = Scene { width, height: 44.0, summary: self.summary(), ..Scene::default() };

        let most = (width / BAR_PITCH_PX).floor() as usize;
        let joined = self.arrivals.len().div_ceil(most.max(1)).max(1);
        let bars: Vec<u64> = self.arrivals.chunks(joined).map(|part| part.iter().sum()).collect();
        let highest = bars.iter().copied().max().unwrap_or(0).max(1) as f64;
        let bands = Bands::new(bars.len(), 0.0, width);
        let mut path = Path::new("quiet");
        for (i, &count) in bars.iter().enumerate().filter(|(_, count)| **count > 0) {
            let height = (count as f64 / highest * (BASE_PX - 2.0)).max(1.0);
            let bar = Area::new(bands.start(i), BASE_PX - height, (bands.size_px() * 0.72).min(12.0), height);
            path.rect(bar);
        }
        if !path.is_empty() {
            scene.add(path);
        }
        scene.add(Line::new("ax", (0.0, BASE_PX + 0.5), (width, BASE_PX + 0.5)));

        let total = self.mix.iter().map(|part| part.gpus).sum::<u64>().max(1) as f64;
        let mut x = 0.0;
        for part in &self.mix {
            let part_width = part.gpus as f64 / total * width;
            let area = Area::new(x, BASE_PX + 6.0, (part_width - 2.0).max(2.0), 6.0);
            scene.add(Rect::new(format!("slot {}", gpu_class(part.type_index)), area).radius(1.5));
            x += part_width;
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_counted_once() {
        let times = [0.0, 10.0, 3_599.0, 3_600.0, 86_399.0, f64::NAN];
        let histogram = Histogram::new("h", "Jobs submitted", (260.0, 90.0), Clock::Elapsed, &times);
        assert!((histogram.bin_s() - 3_600.0).abs() < 1e-9);
        assert_eq!(histogram.counts().len(), 24);
        assert_eq!(histogram.counts().get(..2), Some([3, 1].as_slice()));
        assert_eq!(histogram.counts().iter().sum::<u64>(), 5);
        assert_eq!(
            histogram.summary(),
            "5 jobs from 0\u{a0}s to 1\u{a0}d; at most 3 in 1\u{a0}h, from 0\u{a0}s."
        );
    }

    #[test]
    fn spans_of_seconds_are_shown_as_they_were_counted() {
        let histogram = |bin_s| {
            Histogram::of_counts(
                "h",
                "Jobs submitted",
                (260.0, 90.0),
                Clock::Elapsed,
                (0.0, bin_s),
                vec![1; 20],
            )
        };
        assert_eq!(
            histogram(1.0).summary(),
            "20 jobs from 0\u{a0}s to 20\u{a0}s; at most 1 in 1\u{a0}s, from 0\u{a0}s."
        );
        for odd in [0.0, f64::NAN, -3.0] {
            assert!((histogram(odd).bin_s() - SHORTEST_GIVEN_S).abs() < 1e-12, "{odd}");
        }
    }

    #[test]
    fn dates_are_those_of_utc() {
        let start_s = 1_510_531_200.0 + 7.0 * 3_600.0;
        let times: Vec<f64> = (0..7).map(|day| start_s + f64::from(day) * 86_400.0).collect();
        let histogram = Histogram::new("h", "Jobs submitted", (640.0, 90.0), Clock::Calendar, &times);
        let labels: Vec<String> =
            histogram.x_ticks(histogram.layout().0).into_iter().map(|t| t.label).collect();
        assert_eq!(labels[..2], ["Tue 14 Nov", "Wed 15 Nov"]);
        assert_eq!(histogram.nearest(0.0).unwrap().sentence(), "3\u{a0}h from Mon 13 Nov 2017 06:00: jobs 1");
    }

    #[test]
    fn neighbours_are_joined_where_bars_would_be_too_thin() {
        let card = Card { width: 100.0, arrivals: vec![1; 1_000], mix: Vec::new() };
        assert_eq!(card.scene().to_svg().matches("h-").count(), 20);
        assert_eq!(card.summary(), "1,000 jobs over time.");
    }
}
