//! Two figures of each policy against each other, and the policies that none beats in both.

use super::axis;
use super::format::Quantity;
use super::palette::{Key, Role, drawing_order};
use super::response::Mean;
use super::scale::{Scale, extent};
use super::scene::{Anchor, Area, Circle, Line, Path, Scene, Text};
use super::text::text_width_px;
use super::ticks::{self, Tick};
use super::{Better, Chart, MOST_SERIES, Reading, Readout, Table};

/// Policies by two figures.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterChart {
    /// Unique in the page.
    pub id: String,
    /// What the chart is about.
    pub title: String,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// The figure along the x axis.
    pub x: Measure,
    /// The figure along the y axis.
    pub y: Measure,
    /// The policies; one without both figures is not drawn, and named in the table.
    pub points: Vec<ScatterPoint>,
}

/// A figure and how it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// Its name, such as `Mean JCT`.
    pub name: String,
    /// What its values are.
    pub quantity: Quantity,
    /// Which way is good.
    pub better: Better,
}

impl Measure {
    /// A value such that less is better.
    fn cost(&self, own: Mean) -> f64 {
        match self.better {
            Better::Lower => own.value,
            Better::Higher => -own.value,
        }
    }

    /// The name with which way is good.
    fn title(&self) -> String {
        match self.better {
            Better::Lower => format!("{} (less is better)", self.name),
            Better::Higher => format!("{} (more is better)", self.name),
        }
    }
}

/// One policy.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// How it is drawn.
    pub key: Key,
    /// Its figure along the x axis.
    pub x: Option<Mean>,
    /// Its figure along the y axis.
    pub y: Option<Mean>,
}

impl ScatterPoint {
    fn place(&self) -> Option<(Mean, Mean)> {
        let both = self.x.zip(self.y)?;
        (both.0.value.is_finite() && both.1.value.is_finite()).then_some(both)
    }
}

struct Layout {
    plot: Area,
    x: Scale,
    x_ticks: Vec<Tick>,
    y: Scale,
    y_ticks: Vec<Tick>,
}

/// Room below the plot: the tick labels and the name of the axis.
const BELOW_PX: f64 = 40.0;
/// Room above it: the name of the y axis.
const ABOVE_PX: f64 = 24.0;
const DOT_PX: f64 = 5.0;
const NAME_PX: f64 = 12.0;

impl ScatterChart {
    /// The policies that none beats: each has no other that is as good in both figures and better in one. In order of x.
    #[must_use]
    pub fn front(&self) -> Vec<&ScatterPoint> {
        let costs = |point: &ScatterPoint| point.place().map(|(x, y)| (self.x.cost(x), self.y.cost(y)));
        let beats = |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 && a.1 <= b.1 && (a.0 < b.0 || a.1 < b.1);
        let is_beaten = |own: (f64, f64)| self.points.iter().filter_map(costs).any(|other| beats(other, own));
        let mut front: Vec<&ScatterPoint> =
            self.points.iter().filter(|point| costs(point).is_some_and(|own| !is_beaten(own))).collect();
        front.sort_by(|a, b| {
            let x = |point: &ScatterPoint| point.x.map_or(f64::INFINITY, |own| own.value);
            x(a).total_cmp(&x(b)).then_with(|| a.key.label.cmp(&b.key.label))
        });
        front
    }

    fn drawn(&self) -> Vec<(&ScatterPoint, Mean, Mean)> {
        let mut drawn: Vec<_> =
            self.points.iter().filter_map(|point| point.place().map(|(x, y)| (point, x, y))).collect();
        drawn.sort_by(|a, b| a.1.value.total_cmp(&b.1.value).then_with(|| a.0.key.label.cmp(&b.0.key.label)));
        drawn
    }

    fn layout(&self) -> Layout {
        let domain = |of: &dyn Fn(&(&ScatterPoint, Mean, Mean)) -> Mean| {
            let all = self.drawn();
            let ends = all.iter().map(of).flat_map(|e| {
                let (low, high) = e.interval.unwrap_or((e.value, e.value));
                [low, high]
            });
            let (low, high) = extent(ends).unwrap_or((0.0, 1.0));
            let room = ((high - low) * 0.12).max(high.abs() * 0.02).max(1e-9);
            ((low - room).max(0.0_f64.min(low)), high + room)
        };
        let most = (self.width / 110.0).clamp(2.0, 7.0) as usize;
        let (y_domain, y_step) = ticks::nice_domain(self.y.quantity, domain(&|p| p.2), 5);
        let y_ticks = ticks::even(self.y.quantity, y_domain, y_step);
        let (x_domain, x_step) = ticks::nice_domain(self.x.quantity, domain(&|p| p.1), most);
        let x_ticks = ticks::even(self.x.quantity, x_domain, x_step);
        let left = axis::left_margin(&y_ticks);
        let scene = self.blank();
        let plot = Area::new(left, ABOVE_PX, scene.width - left - 14.0, scene.height - ABOVE_PX - BELOW_PX);
        let x = Scale::linear(x_domain, (plot.x, plot.right()));
        let y = Scale::linear(y_domain, (plot.bottom(), plot.y));
        Layout { plot, x, x_ticks, y, y_ticks }
    }

    /// A dotted line through the policies that none beats.
    fn draw_front(&self, scene: &mut Scene, layout: &Layout) {
        let places: Vec<(f64, f64)> = self
            .front()
            .iter()
            .filter_map(|point| point.place())
            .map(|(x, y)| (layout.x.place(x.value), layout.y.place(y.value)))
            .collect();
        let [first, rest @ ..] = places.as_slice() else { return };
        let mut path = Path::new("lead");
        path.move_to(first.0, first.1);
        for &(x, y) in rest {
            path.line_to(x, y);
        }
        scene.add(path);
    }

    /// Names beside the dots, on the side where they fit and no earlier name stands; the others are in the read-out.
    fn draw_names(&self, scene: &mut Scene, layout: &Layout) {
        let mut taken: Vec<Area> = self
            .drawn()
            .iter()
            .map(|(_, x, y)| {
                let at = (layout.x.place(x.value), layout.y.place(y.value));
                Area::new(at.0 - DOT_PX, at.1 - DOT_PX, 2.0 * DOT_PX, 2.0 * DOT_PX)
            })
            .collect();
        let mut points = drawing_order(&self.points, |point| &point.key);
        points.reverse();
        for point in points {
            let Some((x, y)) = point.place() else { continue };
            let at = (layout.x.place(x.value), layout.y.place(y.value));
            let width = text_width_px(&point.key.label, NAME_PX) + 2.0;
            let places = [
                (at.0 + 9.0, at.1 + 4.0, Anchor::Start),
                (at.0 - 9.0, at.1 + 4.0, Anchor::End),
                (at.0, at.1 - 10.0, Anchor::Middle),
                (at.0, at.1 + 19.0, Anchor::Middle),
            ];
            let area = |&(x, baseline, anchor): &(f64, f64, Anchor)| {
                let left = match anchor {
                    Anchor::Start => x,
                    Anchor::Middle => x - width / 2.0,
                    Anchor::End => x - width,
                };
                Area::new(left, baseline - NAME_PX, width, NAME_PX + 4.0)
            };
            let plot = layout.plot;
            let fits = |place: &&(f64, f64, Anchor)| {
                let own = area(place);
                let inside = own.x >= plot.x
                    && own.right() <= plot.right()
                    && own.y >= plot.y
                    && own.bottom() <= plot.bottom();
                inside && !taken.iter().any(|other| overlap(&own, other))
            };
            let Some(place) = places.iter().find(fits) else { continue };
            taken.push(area(place));
            let class = format!("name t12{} halo {}", point.key.emphasis(), point.key.class());
            scene.add(Text::new(class, (place.0, place.1), point.key.label.clone()).anchor(place.2));
        }
    }

    fn readout(&self, index: usize) -> Option<Readout> {
        let drawn = self.drawn();
        let layout = self.layout();
        let (point, x, y) = drawn.get(index)?;
        let reading = |measure: &Measure, own: &Mean| Reading {
            group: String::new(),
            label: measure.name.clone(),
            class: point.key.class(),
            value: Some(own.value),
            text: own.text(measure.quantity),
        };
        Some(Readout {
            x: index as f64,
            x_text: point.key.label.clone(),
            fraction: layout.x.fraction(x.value),
            values: vec![reading(&self.x, x), reading(&self.y, y)],
        })
    }
}

fn overlap(a: &Area, b: &Area) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

impl Chart for ScatterChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(200.0), self.height.max(160.0))
    }

    fn note(&self) -> Option<&'static str> {
        match self.drawn().len() {
            0 => Some("No policy has both figures"),
            n if n > MOST_SERIES => Some(axis::TOO_MANY),
            _ => None,
        }
    }

    fn draw(&self, scene: &mut Scene) {
        let layout = self.layout();
        scene.legend = axis::legend(self.points.iter().map(|point| &point.key));
        axis::draw_y_axis(scene, layout.plot, &layout.y, &layout.y_ticks);
        axis::draw_x_marks(scene, layout.plot, &layout.x, &layout.x_ticks);
        axis::draw_x_labels(scene, layout.plot, &layout.x, &layout.x_ticks, None);
        scene.add(Text::new("tx2", (0.0, 12.0), self.y.title()));
        let below = self.x.title();
        scene.add(Text::new("tx2", (layout.plot.right(), scene.height - 4.0), below).anchor(Anchor::End));
        self.draw_front(scene, &layout);
        for point in drawing_order(&self.points, |point| &point.key) {
            let Some((x, y)) = point.place() else { continue };
            let at = (layout.x.place(x.value), layout.y.place(y.value));
            if let Some((low, high)) = x.interval {
                let class = point.key.line_class();
                scene.add(Line::new(class, (layout.x.place(low), at.1), (layout.x.place(high), at.1)));
            }
            if let Some((low, high)) = y.interval {
                let class = point.key.line_class();
                scene.add(Line::new(class, (at.0, layout.y.place(low)), (at.0, layout.y.place(high))));
            }
            match point.key.marker() {
                Some(marker) => scene.add(marker.at(&[at], point.key.class())),
                None => {
                    let radius = if point.key.role == Role::Other { DOT_PX - 1.0 } else { DOT_PX };
                    scene.add(Circle::new(format!("dot {}", point.key.class()), at, radius));
                }
            }
        }
        self.draw_names(scene, &layout);
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        let Some(index) = cursor.filter(|c| c.is_finite() && *c >= 0.0) else { return scene };
        let drawn = self.drawn();
        let Some((point, x, y)) = drawn.get(index.round() as usize) else { return scene };
        let layout = self.layout();
        let at = (layout.x.place(x.value), layout.y.place(y.value));
        scene.add(Circle::new("outl", at, DOT_PX + 4.0));
        let words = format!("{}: {}, {}", point.key.label, x.text(self.x.quantity), y.text(self.y.quantity));
        scene.add(Text::new("tx b halo", (layout.plot.right(), 12.0), words).anchor(Anchor::End));
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let front: Vec<String> = self.front().iter().map(|point| point.key.label.clone()).collect();
        let drawn = self.drawn().len();
        if front.len() == drawn {
            return format!("No policy is beaten in both by another: {}.", axis::listed(&front));
        }
        format!("Beaten in both by no other: {}.", axis::listed(&front))
    }

    fn table(&self) -> Table {
        let header = vec![
            "Policy".to_owned(),
            self.x.name.clone(),
            self.y.name.clone(),
            "Beaten in both by another".to_owned(),
        ];
        let front: Vec<&str> = self.front().iter().map(|point| point.key.label.as_str()).collect();
        let written = |measure: &Measure, own: Option<Mean>| {
            own.filter(|own| own.value.is_finite())
                .map_or_else(|| super::format::UNDEFINED.to_owned(), |own| own.text(measure.quantity))
        };
        let rows = self
            .points
            .iter()
            .map(|point| {
                let is_beaten = match point.place() {
                    None => super::format::UNDEFINED,
                    Some(_) if front.contains(&point.key.label.as_str()) => "no",
                    Some(_) => "yes",
                };
                vec![
                    point.key.label.clone(),
                    written(&self.x, point.x),
                    written(&self.y, point.y),
                    is_beaten.to_owned(),
                ]
            })
            .collect();
        Table { header, rows }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.layout().plot] }
    }

    /// The policy whose x is nearest.
    fn nearest(&self, fraction: f64) -> Option<Readout> {
        self.note().is_none().then_some(())?;
        let x = &self.layout().x;
        let drawn = self.drawn();
        let away = |index: &usize| {
            drawn.get(*index).map_or(f64::INFINITY, |p| (x.fraction(p.1.value) - fraction).abs())
        };
        let index = (0..drawn.len()).min_by(|a, b| away(a).total_cmp(&away(b)))?;
        self.readout(index)
    }

    /// One policy further.
    fn step(&self, fraction: f64, steps: i32) -> f64 {
        let Some(here) = self.nearest(fraction) else { return fraction };
        let last = self.drawn().len().saturating_sub(1) as f64;
        let index = (here.x + f64::from(steps)).clamp(0.0, last);
        self.readout(index as usize).map_or(fraction, |readout| readout.fraction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(label: &str, x: f64, y: f64) -> ScatterPoint {
        let exact = |value| Some(Mean { value, interval: None });
        ScatterPoint { key: Key::new("fifo", label, Role::Other), x: exact(x), y: exact(y) }
    }

    fn chart(points: Vec<ScatterPoint>) -> ScatterChart {
        let measure =
            |name: &str, quantity| Measure { name: name.to_owned(), quantity, better: Better::Lower };
        ScatterChart {
            id: "s".to_owned(),
            title: "Trade-off".to_owned(),
            width: 600.0,
            height: 320.0,
            x: measure("Mean JCT", Quantity::Duration),
            y: measure("Worst rho", Quantity::Ratio),
            points,
        }
    }

    fn names(chart: &ScatterChart) -> Vec<&str> {
        chart.front().iter().map(|point| point.key.label.as_str()).collect()
    }

    #[test]
    fn the_front_holds_what_no_other_beats() {
        let chart = chart(vec![
            point("slow and fair", 9000.0, 1.1),
            point("fast and unfair", 3600.0, 4.0),
            point("beaten", 9500.0, 1.2),
            point("between", 5000.0, 2.0),
            point("as good", 5000.0, 2.0),
            point("beaten in one", 3600.0, 5.0),
            ScatterPoint { y: None, ..point("without", 1.0, 0.0) },
        ]);
        assert_eq!(names(&chart), ["fast and unfair", "as good", "between", "slow and fair"]);
        let table = chart.table();
        assert_eq!(table.rows[2][3], "yes");
        assert_eq!(table.rows[6][2..], ["–", "–"]);
        assert!(chart.summary().starts_with("Beaten in both by no other: fast and unfair, as good"));
        let more = ScatterChart { y: Measure { better: Better::Higher, ..chart.y.clone() }, ..chart };
        assert_eq!(names(&more), ["beaten in one"]);
    }

    #[test]
    fn the_cursor_goes_from_policy_to_policy() {
        let chart = chart(vec![point("b", 7200.0, 2.0), point("a", 3600.0, 4.0), point("c", 7200.0, 1.0)]);
        let first = chart.nearest(0.0).unwrap();
        assert_eq!((first.x_text.as_str(), first.values.len()), ("a", 2));
        let next = chart.nearest(chart.step(first.fraction, 1)).unwrap();
        assert_eq!(next.x_text, "b");
        assert!(chart.scene(Some(next.x)).to_svg().contains("b: "));
        assert_eq!(chart.nearest(chart.step(0.0, -3)).unwrap().x_text, "a");
    }

    #[test]
    fn nothing_and_one_policy_are_drawn_too() {
        assert!(chart(Vec::new()).marks().to_svg().contains("No policy has both figures"));
        assert!(chart(Vec::new()).nearest(0.5).is_none());
        let one = chart(vec![point("only", 5.0, 1.0)]);
        assert_eq!(names(&one), ["only"]);
        assert!(one.marks().to_svg().contains("only"));
    }
}
