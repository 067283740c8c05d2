//! How a quantity answers to something that is varied: one line per policy over the values, with the interval of each mean. Between
//! levels that are words there is nothing: policies stand side by side at each.

use super::axis::{self, End};
use super::format::{self, Quantity};
use super::palette::{Key, drawing_order};
use super::scale::{Scale, extent};
use super::scene::{Area, Circle, Line, Path, Scene, Text};
use super::series::{Curve, TimeSeries};
use super::text::text_width_px;
use super::ticks::{self, Tick};
use super::{Chart, MOST_SERIES, Reading, Readout, Table};

/// Means of a quantity at the levels of a factor, with a band for the interval of each.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseChart {
    /// Unique in the page.
    pub id: String,
    /// The quantity shown.
    pub title: String,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// How its values are written.
    pub quantity: Quantity,
    /// What is varied.
    pub factor: String,
    /// Its levels, in the order given.
    pub levels: Vec<Level>,
    /// The lines.
    pub series: Vec<Response>,
}

/// A value of what is varied.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Where it stands on the axis; levels that are words stand at equal steps.
    pub at: Option<f64>,
    /// What is written.
    pub text: String,
}

/// One line: a mean at each level, `None` where none is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The policy.
    pub key: Key,
    /// In the order of the levels.
    pub means: Vec<Option<Mean>>,
}

/// A mean and the interval that it is known to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The ends of its interval, where there is one.
    pub interval: Option<(f64, f64)>,
}

impl Mean {
    /// `1.4 h`, or `1.4 h (1.2 h to 1.6 h)`.
    pub(super) fn text(self, quantity: Quantity) -> String {
        let value = quantity.text(self.value);
        match self.interval {
            Some((low, high)) => format!("{value} ({} to {})", quantity.text(low), quantity.text(high)),
            None => value,
        }
    }
}

/// Room above the plot for the quantity, and below the labels of the axis for what is varied.
const TITLE_PX: f64 = 20.0;
/// From this width on there is room for the names at the ends of the lines.
const LABELS_FROM_PX: f64 = 520.0;

struct Layout {
    plot: Area,
    x: Scale,
    x_ticks: Vec<Tick>,
    y: Scale,
    y_ticks: Vec<Tick>,
}

impl ResponseChart {
    /// What is read at a cursor, which is a place of the axis.
    #[must_use]
    pub fn readout(&self, cursor: f64) -> Option<Readout> {
        self.nearest(Scale::linear(self.domain(), (0.0, 1.0)).fraction(cursor))
    }

    /// Whether the axis is one of numbers.
    fn is_of_numbers(&self) -> bool {
        self.levels.iter().all(|level| level.at.is_some())
    }

    /// Where each level stands, in the units of the axis, in the order given.
    fn places(&self) -> Vec<f64> {
        let is_of_numbers = self.is_of_numbers();
        let place = |(order, level): (usize, &Level)| match level.at {
            Some(at) if is_of_numbers => at,
            _ => order as f64,
        };
        self.levels.iter().enumerate().map(place).collect()
    }

    /// The levels from left to right: their places and positions.
    fn in_order(&self) -> Vec<(f64, usize)> {
        let mut order: Vec<(f64, usize)> =
            self.places().into_iter().enumerate().map(|(at, place)| (place, at)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order
    }

    fn domain(&self) -> (f64, f64) {
        match extent(self.places()) {
            Some((from, to)) if to > from && !self.is_of_numbers() => (from - 0.5, to + 0.5),
            Some((from, to)) if to > from => (from, to),
            // One level stands in the middle.
            Some((only, _)) => (only - 1.0, only + 1.0),
            None => (0.0, 1.0),
        }
    }

    fn layout(&self) -> Layout {
        let scene = self.blank();
        let ends = self.series.iter().flat_map(|series| series.means.iter().flatten());
        let ends = ends.flat_map(|mean| {
            let (low, high) = mean.interval.unwrap_or((mean.value, mean.value));
            [low, high, mean.value]
        });
        let (low, high) = extent(ends).unwrap_or((0.0, 1.0));
        let height = (scene.height - TITLE_PX * 2.0 - axis::X_LABELS_PX).max(24.0);
        let most = (height / 45.0).clamp(2.0, 6.0) as usize;
        let (domain, step) = ticks::nice_domain(self.quantity, (low.min(0.0), high), most);
        let y_ticks = ticks::even(self.quantity, domain, step);
        let left = axis::left_margin(&y_ticks);
        let names =
            self.series.iter().map(|series| text_width_px(&series.key.label, 12.0)).fold(0.0, f64::max);
        let right = if scene.width < LABELS_FROM_PX { 14.0 } else { (names + 18.0).min(self.width * 0.3) };
        let plot = Area::new(left, TITLE_PX, (scene.width - left - right).max(24.0), height);
        let order = self.in_order();
        let tick = |(value, at): (f64, usize)| Tick { value, label: self.levels[at].text.clone() };
        Layout {
            x: Scale::linear(self.domain(), (plot.x + 6.0, plot.right() - 6.0)),
            x_ticks: order.into_iter().map(tick).collect(),
            y: Scale::linear(domain, (plot.bottom(), plot.y)),
            y_ticks,
            plot,
        }
    }

    /// How far a series stands from the place of each level, in px: those at levels that are words stand side by side.
    fn aside_px(&self, series: usize, x: &Scale) -> f64 {
        const MOST_PX: f64 = 18.0;
        let count = self.series.len() as f64;
        if self.is_of_numbers() || count < 2.0 {
            return 0.0;
        }
        let step_px = (x.place(1.0) - x.place(0.0)).abs();
        (series as f64 - (count - 1.0) / 2.0) * (step_px * 0.7 / count).min(MOST_PX)
    }

    /// A series' means from left to right: place and mean.
    fn means(&self, series: &Response) -> Vec<(f64, Option<Mean>)> {
        let of = |(place, at): (f64, usize)| (place, series.means.get(at).copied().flatten());
        self.in_order().into_iter().map(of).collect()
    }

    fn line(&self, series: &Response) -> TimeSeries {
        let points = self.means(series).into_iter();
        let points = points.map(|(place, mean)| (place, mean.map_or(f64::NAN, |mean| mean.value)));
        TimeSeries::new(series.key.clone(), Curve::Straight, points)
    }

    /// What is written of a mean.
    fn text(&self, mean: Option<Mean>) -> String {
        mean.map_or_else(|| format::UNDEFINED.to_owned(), |mean| mean.text(self.quantity))
    }

    /// The level that is nearest to a fraction of the axis.
    fn nearest_level(&self, fraction: f64) -> Option<(f64, usize)> {
        let at = Scale::linear(self.domain(), (0.0, 1.0)).value_at(fraction);
        self.in_order().into_iter().min_by(|a, b| (a.0 - at).abs().total_cmp(&(b.0 - at).abs()))
    }
}

/// The area between the ends of the intervals of neighbouring means.
fn draw_band(scene: &mut Scene, key: &Key, means: &[(f64, Option<Mean>)], x: &Scale, y: &Scale) {
    let known = |(place, mean): &(f64, Option<Mean>)| mean.and_then(|mean| Some((*place, mean.interval?)));
    for run in means.split(|mean| known(mean).is_none()) {
        let ends: Vec<(f64, (f64, f64))> = run.iter().filter_map(known).collect();
        let class = format!("band {}", key.class());
        match ends.as_slice() {
            [] => {}
            [(place, (low, high))] => {
                let at = x.place(*place);
                scene.add(Line::new(
                    format!("line {}", key.class()),
                    (at, y.place(*low)),
                    (at, y.place(*high)),
                ));
            }
            [(first, (_, top)), rest @ ..] => {
                let mut path = Path::new(class);
                path.move_to(x.place(*first), y.place(*top));
                rest.iter().for_each(|(place, (_, high))| path.line_to(x.place(*place), y.place(*high)));
                ends.iter().rev().for_each(|(place, (low, _))| path.line_to(x.place(*place), y.place(*low)));
                path.close();
                scene.add(path);
            }
        }
    }
}

impl Chart for ResponseChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height.max(120.0))
    }

    fn note(&self) -> Option<&'static str> {
        if self.series.len() > MOST_SERIES {
            Some(axis::TOO_MANY)
        } else if self.series.iter().all(|series| series.means.iter().all(Option::is_none)) {
            Some("Nothing is known of this figure yet")
        } else {
            None
        }
    }

    fn draw(&self, scene: &mut Scene) {
        let Layout { plot, x, x_ticks, y, y_ticks } = self.layout();
        scene.legend = axis::legend(self.series.iter().map(|series| &series.key));
        scene.add(Text::new("t12 tx2", (plot.x, plot.y - 7.0), "").span("b", self.title.clone()));
        axis::draw_y_axis(scene, plot, &y, &y_ticks);
        axis::draw_x_marks(scene, plot, &x, &x_ticks);
        let below = plot.bottom() + axis::X_LABELS_PX + 12.0;
        scene.add(Text::new("t12 tx2", (plot.x, below), self.factor.clone()));
        let placed: Vec<(usize, &Response)> = self.series.iter().enumerate().collect();
        let order = drawing_order(&placed, |(_, series)| &series.key);
        if self.is_of_numbers() {
            for (_, series) in &order {
                draw_band(scene, &series.key, &self.means(series), &x, &y);
            }
        }
        for (at, series) in &order {
            let aside = self.aside_px(*at, &x);
            let of_numbers = self.is_of_numbers();
            if of_numbers {
                self.line(series).draw(scene, &x, &y, plot);
            }
            for (place, mean) in self.means(series) {
                let Some(mean) = mean else { continue };
                let left = x.place(place) + aside;
                if let Some((low, high)) = mean.interval.filter(|_| !of_numbers) {
                    let class = format!("line {}", series.key.class());
                    scene.add(Line::new(class, (left, y.place(low)), (left, y.place(high))));
                }
                let class = format!("dot {}", series.key.class());
                scene.add(Circle::new(class, (left, y.place(mean.value)), 3.2));
            }
        }
        if scene.width >= LABELS_FROM_PX {
            let end = |(at, series): (usize, &Response)| {
                let last =
                    self.means(series).into_iter().rev().find_map(|(place, mean)| Some((place, mean?)));
                last.map(|(place, mean)| (x.place(place) + self.aside_px(at, &x), y.place(mean.value)))
            };
            let ends = placed.iter().filter_map(|of| Some(End { key: &of.1.key, at: end(*of)? }));
            axis::draw_end_labels(scene, plot, ends.collect());
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if self.note().is_some() {
            return scene;
        }
        let Layout { plot, x, x_ticks, y, .. } = self.layout();
        let level = cursor
            .and_then(|cursor| self.in_order().into_iter().find(|(place, _)| (place - cursor).abs() < 1e-9));
        if let Some((place, at)) = level {
            let left = x.place(place);
            scene.add(Line::new("cur", (left, plot.y), (left, plot.bottom())));
            let placed: Vec<(usize, &Response)> = self.series.iter().enumerate().collect();
            for (own, series) in drawing_order(&placed, |(_, series)| &series.key) {
                if let Some(mean) = series.means.get(at).copied().flatten() {
                    let class = format!("dot {}", series.key.class());
                    let left = left + self.aside_px(*own, &x);
                    scene.add(Circle::new(class, (left, y.place(mean.value)), 4.2));
                }
            }
        }
        let chip = level.map(|(place, at)| (place, self.levels[at].text.as_str()));
        axis::draw_x_labels(&mut scene, plot, &x, &x_ticks, chip);
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let told = self.series.iter().filter_map(|series| {
            let known: Vec<(usize, Mean)> = (self.in_order().into_iter())
                .filter_map(|(_, at)| Some((at, series.means.get(at).copied().flatten()?)))
                .collect();
            let [(first, from), .., (last, to)] = known.as_slice() else { return None };
            let (from, to) = (self.quantity.text(from.value), self.quantity.text(to.value));
            let (first, last) = (&self.levels[*first].text, &self.levels[*last].text);
            Some(format!("{}: {from} at {first}, {to} at {last}", series.key.label))
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() {
            format!("{}.", self.factor)
        } else {
            format!("{}. {}.", self.factor, told.join("; "))
        }
    }

    fn table(&self) -> Table {
        let header =
            std::iter::once(self.factor.clone()).chain(self.series.iter().map(|s| s.key.label.clone()));
        let row = |(_, at): (f64, usize)| {
            let means = self.series.iter().map(|series| self.text(series.means.get(at).copied().flatten()));
            std::iter::once(self.levels[at].text.clone()).chain(means).collect()
        };
        let rows =
            if self.note().is_some() { Vec::new() } else { self.in_order().into_iter().map(row).collect() };
        Table { header: header.collect(), rows }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.layout().plot] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() {
            return None;
        }
        let (place, at) = self.nearest_level(fraction)?;
        let values = self.series.iter().map(|series| {
            let mean = series.means.get(at).copied().flatten();
            Reading {
                group: String::new(),
                label: series.key.label.clone(),
                class: series.key.class(),
                value: mean.map(|mean| mean.value),
                text: self.text(mean),
            }
        });
        Some(Readout {
            x: place,
            x_text: self.levels.get(at)?.text.clone(),
            fraction: Scale::linear(self.domain(), (0.0, 1.0)).fraction(place),
            values: values.collect(),
        })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        let order = self.in_order();
        let scale = Scale::linear(self.domain(), (0.0, 1.0));
        let here =
            self.nearest_level(fraction).and_then(|(_, at)| order.iter().position(|(_, other)| *other == at));
        let there = here
            .map_or(0, |here| here.saturating_add_signed(steps as isize))
            .min(order.len().saturating_sub(1));
        order.get(there).map_or(fraction, |(place, _)| scale.fraction(*place))
    }
}

#[cfg(test)]
mod tests {
    use super::super::palette::Role;
    use super::*;

    fn chart() -> ResponseChart {
        let level = |at: f64| Level { at: Some(at), text: at.to_string() };
        let mean = |value: f64| Some(Mean { value, interval: Some((value - 1.0, value + 1.0)) });
        ResponseChart {
            id: "r".into(),
            title: "Mean queue".into(),
            width: 600.0,
            height: 300.0,
            quantity: Quantity::Count,
            factor: "Load".into(),
            levels: vec![level(4.0), level(1.0), level(2.0)],
            series: vec![
                Response {
                    key: Key::new("fifo", "FIFO", Role::Other),
                    means: vec![mean(40.0), mean(10.0), None],
                },
                Response {
                    key: Key::new("las", "LAS", Role::Other),
                    means: vec![None, mean(8.0), mean(9.0)],
                },
            ],
        }
    }

    #[test]
    fn levels_are_read_from_left_to_right() {
        let chart = chart();
        let steps: Vec<f64> = [0.0, 1.0 / 3.0].iter().map(|from| chart.step(*from, 1)).collect();
        assert!((steps[0] - 1.0 / 3.0).abs() < 1e-9 && (steps[1] - 1.0).abs() < 1e-9);
        assert!((chart.step(1.0, 5) - 1.0).abs() < 1e-9 && chart.step(1.0, -9).abs() < 1e-9);
        assert_eq!(chart.readout(4.0), chart.nearest(1.0));
        assert_eq!(chart.nearest(0.1).unwrap().sentence(), "1: FIFO 10 (9 to 11), LAS 8 (7 to 9)");
        assert_eq!(chart.nearest(0.3).unwrap().values[0].text, "–");
        let table = chart.table();
        assert_eq!(table.header, ["Load", "FIFO", "LAS"]);
        assert_eq!(table.rows[2], ["4", "40 (39 to 41)", "–"]);
        assert_eq!(chart.summary(), "Load. FIFO: 10 at 1, 40 at 4; LAS: 8 at 1, 9 at 2.");
    }

    #[test]
    fn words_stand_at_equal_steps_and_one_level_in_the_middle() {
        let words = ["whole", "mig", "uniform-4"].map(|text| Level { at: None, text: text.into() });
        let chart = ResponseChart { levels: words.to_vec(), ..chart() };
        assert!((chart.nearest(0.5).unwrap().fraction - 0.5).abs() < 1e-9);
        assert_eq!(chart.table().rows[1][0], "mig");
        let svg = chart.scene(None).to_svg();
        assert!(!svg.contains("band"), "nothing is claimed between words");
        assert!(svg.matches("dot ").count() > 3);
        let one = ResponseChart { levels: vec![Level { at: Some(7.0), text: "7".into() }], ..chart };
        assert!((one.nearest(0.9).unwrap().fraction - 0.5).abs() < 1e-9);
        assert!(one.scene(Some(7.0)).to_svg().contains(">7<"));
    }

    #[test]
    fn nothing_yet_is_a_sentence() {
        let chart = ResponseChart { series: Vec::new(), ..chart() };
        assert!(chart.nearest(0.5).is_none() && chart.table().rows.is_empty() && chart.plots().is_empty());
        assert!(chart.scene(None).to_svg().contains("Nothing is known"));
    }
}
