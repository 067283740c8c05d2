//! How many things fall into each of a row of classes: a small histogram of run times, of gaps or of sizes.

use super::axis;
use super::format::{self, Quantity};
use super::scale::{Scale, extent};
use super::scene::{Area, Path, Scene};
use super::ticks::{self, Tick};
use super::{Chart, Reading, Readout, Table};

/// Counts by class.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Unique in the page.
    pub id: String,
    /// What is counted, such as `GPU jobs by run time`.
    pub title: String,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// The classes.
    pub classes: Classes,
    /// The count of each class.
    pub counts: Vec<u64>,
}

/// What is counted together.
#[derive(Debug, Clone, PartialEq)]
pub enum Classes {
    /// Spans of time between neighbouring edges, in ascending seconds, one more than there are classes; drawn on a logarithmic
    /// axis. What is shorter than the first edge belongs to the first class.
    Spans(Vec<f64>),
    /// Names, drawn side by side.
    Named(Vec<String>),
}

impl Distribution {
    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Plot, x and y axis, and the ticks of both.
    fn layout(&self) -> (Area, Scale, Scale, Vec<Tick>, Vec<Tick>) {
        let scene = self.blank();
        let height = scene.height - 6.0 - axis::X_LABELS_PX;
        let most = (height / 22.0).clamp(1.0, 4.0) as usize;
        let highest = self.counts.iter().copied().max().unwrap_or(0) as f64;
        let (domain, step) = ticks::nice_domain(Quantity::Count, (0.0, highest), most);
        let y_ticks = ticks::even(Quantity::Count, domain, step);
        let left = axis::left_margin(&y_ticks);
        let plot = Area::new(left, 6.0, scene.width - left, height);
        let y = Scale::linear(domain, (plot.bottom(), plot.y));
        let ends = (plot.x, plot.right());
        let (x, x_ticks) = match &self.classes {
            Classes::Spans(edges) => {
                let domain = extent(edges.iter().copied()).unwrap_or((1.0, 2.0));
                (Scale::log10(domain, ends), ticks::log_duration(domain))
            }
            Classes::Named(names) => {
                let x = Scale::linear((0.0, names.len().max(1) as f64), ends);
                let middle =
                    |(at, name): (usize, &String)| Tick { value: at as f64 + 0.5, label: name.clone() };
                (x, names.iter().enumerate().map(middle).collect())
            }
        };
        (plot, x, y, x_ticks, y_ticks)
    }

    /// The ends of a class on the axis.
    fn ends(&self, at: usize) -> (f64, f64) {
        match &self.classes {
            Classes::Spans(edges) => {
                let edge = |at: usize| edges.get(at).or(edges.last()).copied().unwrap_or(1.0);
                (edge(at), edge(at + 1))
            }
            Classes::Named(_) => (at as f64, at as f64 + 1.0),
        }
    }

    /// A class in words.
    fn name(&self, at: usize) -> String {
        match &self.classes {
            Classes::Named(names) => names.get(at).cloned().unwrap_or_default(),
            Classes::Spans(_) => {
                let (from, to) = self.ends(at);
                if at == 0 {
                    format!("under {}", format::elapsed(to))
                } else {
                    format!("{} to {}", format::elapsed(from), format::elapsed(to))
                }
            }
        }
    }
}

impl Chart for Distribution {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(120.0), self.height.max(60.0))
    }

    fn note(&self) -> Option<&'static str> {
        (self.total() == 0).then_some("Nothing to count")
    }

    fn draw(&self, scene: &mut Scene) {
        let (plot, x, y, x_ticks, y_ticks) = self.layout();
        axis::draw_y_axis(scene, plot, &y, &y_ticks);
        let mut bars = Path::new("acc");
        for (at, &count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (from, to) = self.ends(at);
            let (left, right) = (x.place(from), x.place(to));
            let gap = if right - left > 4.0 { 0.75 } else { 0.0 };
            let top = y.place(count as f64);
            let width = (right - left - 2.0 * gap).max(0.5);
            bars.rect(Area::new(left + gap, top, width, plot.bottom() - top));
        }
        scene.add(bars);
        axis::draw_x_marks(scene, plot, &x, &x_ticks);
    }

    fn overlay(&self, _cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if self.total() > 0 {
            let (plot, x, _, x_ticks, _) = self.layout();
            axis::draw_x_labels(&mut scene, plot, &x, &x_ticks, None);
        }
        scene
    }

    fn summary(&self) -> String {
        let total = self.total();
        let highest = self.counts.iter().copied().max().unwrap_or(0);
        match self.counts.iter().position(|count| *count == highest) {
            Some(at) if total > 0 => format!(
                "{}: {} in all; most in the class {}, {}.",
                self.title,
                format::count(total),
                self.name(at),
                format::count(highest)
            ),
            _ => format!("{}: none.", self.title),
        }
    }

    fn table(&self) -> Table {
        let row = |(at, count): (usize, &u64)| vec![self.name(at), format::count(*count)];
        Table {
            header: vec!["Class".to_owned(), self.title.clone()],
            rows: self.counts.iter().enumerate().map(row).collect(),
        }
    }

    fn plots(&self) -> Vec<Area> {
        if self.total() == 0 { Vec::new() } else { vec![self.layout().0] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        let (_, x, ..) = self.layout();
        let value = x.value_at(fraction);
        let at = (0..self.counts.len()).rfind(|&at| at == 0 || self.ends(at).0 <= value)?;
        let count = *self.counts.get(at)?;
        let reading = Reading {
            group: String::new(),
            label: String::new(),
            class: "",
            value: Some(count as f64),
            text: format::count(count),
        };
        let (from, to) = self.ends(at);
        let middle = (x.fraction(from) + x.fraction(to)) / 2.0;
        Some(Readout { x: from, x_text: self.name(at), fraction: middle, values: vec![reading] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(classes: Classes, counts: Vec<u64>) -> Distribution {
        Distribution {
            id: "d".into(),
            title: "Jobs by run time".into(),
            width: 300.0,
            height: 90.0,
            classes,
            counts,
        }
    }

    #[test]
    fn classes_of_time_stand_where_their_edges_are() {
        let spans = drawn(Classes::Spans(vec![1.0, 10.0, 100.0, 1000.0]), vec![2, 0, 5]);
        assert_eq!(
            spans.summary(),
            "Jobs by run time: 7 in all; most in the class 1\u{a0}min\u{a0}40\u{a0}s to 16\u{a0}min\u{a0}40\u{a0}s, 5."
        );
        assert_eq!(spans.nearest(0.9).unwrap().values[0].text, "5");
        assert_eq!(spans.nearest(0.5).unwrap().values[0].text, "0");
        assert!((spans.nearest(0.5).unwrap().fraction - 0.5).abs() < 1e-9);
        assert_eq!(spans.table().rows[0], ["under 10\u{a0}s", "2"]);
    }

    #[test]
    fn named_classes_stand_side_by_side() {
        let named = drawn(Classes::Named(vec!["1".into(), "2".into()]), vec![3, 1]);
        assert_eq!(named.nearest(0.2).unwrap().sentence(), "1: 3");
        assert_eq!(named.nearest(0.7).unwrap().sentence(), "2: 1");
        let svg = named.scene(None).to_svg();
        assert!(svg.contains(">1</text>") && svg.contains(">2</text>"), "{svg}");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let empty = drawn(Classes::Named(Vec::new()), Vec::new());
        assert_eq!(empty.summary(), "Jobs by run time: none.");
        assert!(empty.plots().is_empty() && empty.scene(None).to_svg().contains("Nothing to count"));
    }
}
