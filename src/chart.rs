//! Charts: from plain data to a scene of primitives, and from a scene to SVG text.
//!
//! Nothing here knows a browser, a clock or the rest of the crate: a chart is a plain value (a *spec*) whose
//! methods give everything a view needs.
//!
//! * [`Chart::marks`] draws what stays while a cursor moves, [`Chart::overlay`] what moves with it;
//!   [`Chart::scene`] is both. [`Scene::to_svg`] gives the text for the page, [`Scene::to_standalone_svg`] a
//!   file.
//! * [`Chart::fraction_at`] turns a pointer position into a fraction of the plot, [`Chart::nearest`] a
//!   fraction into a [`Readout`], whose `x` is the cursor to draw. [`Chart::step`] moves by keyboard.
//! * [`Chart::summary`] is the sentence for the caption, [`Chart::table`] the same data as a table.
//!
//! Every chart draws its states too: no data (a sentence in the frame), one point (a dot), too many series (a
//! sentence that asks for a choice).
//!
//! ```
//! use sts_sim::chart::{CdfChart, CdfSeries, Chart, Key, Role};
//!
//! let chart = CdfChart {
//!     series: vec![CdfSeries::new(Key::new("fifo", "FIFO", Role::Other), [60.0, 3_600.0, 7_200.0])],
//!     ..CdfChart::new("jct", "Job completion time", 640.0, 292.0)
//! };
//! let readout = chart.nearest(1.0).unwrap();
//! assert_eq!(readout.values[0].text, "100.0\u{202f}%");
//! assert!(chart.scene(Some(readout.x)).to_svg().starts_with("<svg class=\"chart\""));
//! ```

mod axis;
mod bars;
mod boxes;
mod cdf;
pub mod decimate;
mod devices;
mod distribution;
pub mod format;
pub mod gantt;
mod heat;
mod histogram;
mod layouts;
mod line;
mod marker;
mod multiples;
pub mod palette;
mod response;
pub mod scale;
mod scatter;
pub mod scene;
mod series;
mod shares;
mod svg;
mod text;
pub mod theme;
pub mod ticks;
pub mod window;

pub use bars::{BarChart, BarRow, Better};
pub use boxes::{BoxChart, BoxRow};
pub use cdf::{CdfChart, CdfSeries, Detail, Direction, Distributed, Percentiles, XAxis};
pub use devices::{DeviceMap, DeviceType};
pub use distribution::{Classes, Distribution};
pub use format::Quantity;
pub use heat::HeatMap;
pub use histogram::{Card, Clock, Histogram, MixPart};
pub use layouts::{Layout, LayoutStrip, Possible, device_strip};
pub use line::{LineChart, Panel, YBase};
pub use marker::{MARKERS, Marker};
pub use multiples::{Multiple, SmallMultiples};
pub use palette::{Key, Marked, Role};
pub use response::{Level, Mean, Response, ResponseChart};
pub use scatter::{Measure, ScatterChart, ScatterPoint};
pub use scene::{Area, Scene};
pub use series::{Curve, TimeSeries};
pub use shares::{Share, ShareChart, ShareColumn};
pub use svg::Escaped;
pub use theme::Theme;

/// More series than this on one chart cannot be told apart: as many as there are policies.
pub const MOST_SERIES: usize = 33;

/// What every chart can do.
pub trait Chart {
    /// The drawing with nothing on it yet.
    fn blank(&self) -> Scene;

    /// The sentence in place of the data, where they cannot be drawn.
    fn note(&self) -> Option<&'static str>;

    /// Draws the data, where there is no [`note`](Self::note), on a [`blank`](Self::blank) scene.
    fn draw(&self, scene: &mut Scene);

    /// Everything that stays while a cursor moves, without the labels of the cursor's axis.
    fn marks(&self) -> Scene {
        let mut scene = self.blank();
        scene.summary = self.summary();
        match self.note() {
            Some(note) => axis::draw_empty(&mut scene, note),
            None => self.draw(&mut scene),
        }
        scene
    }

    /// The labels of the cursor's axis and, where there is a cursor, its line, dots and value: the same size
    /// as [`marks`](Self::marks), to be laid over it. The cursor is a value of the axis, as in
    /// [`Readout::x`].
    fn overlay(&self, cursor: Option<f64>) -> Scene;

    /// One sentence that says what is seen.
    fn summary(&self) -> String;

    /// The data as a table.
    fn table(&self) -> Table;

    /// The rectangles in which data are drawn; empty where there are no data.
    fn plots(&self) -> Vec<Area>;

    /// What is read at a fraction (0 to 1) of the way along the plot; none where there are no data.
    fn nearest(&self, fraction: f64) -> Option<Readout>;

    /// Along which side of a plot the fraction runs.
    fn direction(&self) -> Along {
        Along::X
    }

    /// The fraction `steps` keyboard steps away from a fraction.
    fn step(&self, fraction: f64, steps: i32) -> f64 {
        (fraction + f64::from(steps) * 0.01).clamp(0.0, 1.0)
    }

    /// The fraction at a point of the drawing, in px: that of the nearest plot.
    fn fraction_at(&self, x_px: f64, y_px: f64) -> Option<f64> {
        let plots = self.plots();
        let plot =
            plots.iter().min_by(|a, b| a.distance((x_px, y_px)).total_cmp(&b.distance((x_px, y_px))))?;
        let fraction = match self.direction() {
            Along::X => (x_px - plot.x) / plot.width,
            Along::Y => (y_px - plot.y) / plot.height,
        };
        Some(fraction.clamp(0.0, 1.0))
    }

    /// A stretch between two fractions of the way along every plot, as a layer of its own: the same size as [`marks`](Self::marks).
    fn selection(&self, (from, to): (f64, f64)) -> Scene {
        let mut scene = self.blank();
        let (from, to) = (from.min(to).clamp(0.0, 1.0), from.max(to).clamp(0.0, 1.0));
        if to <= from {
            return scene;
        }
        for plot in self.plots() {
            let area = match self.direction() {
                Along::X => {
                    Area::new(plot.x + plot.width * from, plot.y, plot.width * (to - from), plot.height)
                }
                Along::Y => {
                    Area::new(plot.x, plot.y + plot.height * from, plot.width, plot.height * (to - from))
                }
            };
            scene.add(scene::Rect::new("sel", area));
        }
        scene
    }

    /// Marks and overlay in one drawing.
    fn scene(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.marks();
        scene.nodes.extend(self.overlay(cursor).nodes);
        scene
    }
}

/// Along which side of a plot a cursor moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Along {
    /// From left to right.
    X,
    /// From top to bottom.
    Y,
}

/// The data of a chart as a table of texts; every row has as many cells as the header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Column names, with units.
    pub header: Vec<String>,
    /// The rows; the first cell names the row.
    pub rows: Vec<Vec<String>>,
}

/// What a chart says at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// The place, in the units of the axis (seconds; the row number where rows are read): the cursor to draw.
    pub x: f64,
    /// The place in words.
    pub x_text: String,
    /// The place as a fraction of the plot.
    pub fraction: f64,
    /// Every series' value there.
    pub values: Vec<Reading>,
}

impl Readout {
    /// The read-out as one sentence, for a live region.
    #[must_use]
    pub fn sentence(&self) -> String {
        let mut sentence = format!("{}: ", self.x_text);
        let mut group = "";
        for (i, value) in self.values.iter().enumerate() {
            if i > 0 {
                sentence.push_str(if value.group == group { ", " } else { "; " });
            }
            if value.group != group {
                group = &value.group;
                sentence.push_str(group);
                sentence.push_str(": ");
            }
            if !value.label.is_empty() {
                sentence.push_str(&value.label);
                sentence.push(' ');
            }
            sentence.push_str(&value.text);
        }
        sentence
    }
}

/// One value of a read-out.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The panel or tenant it belongs to; empty where there is only one.
    pub group: String,
    /// The series; empty where there is only one.
    pub label: String,
    /// The series' colour class.
    pub class: &'static str,
    /// The value; none where the series is undefined there.
    pub value: Option<f64>,
    /// The value in words.
    pub text: String,
}
