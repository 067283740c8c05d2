//! What a chart draws: a list of primitives with class names and no colours.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::svg::Px;

/// A class list, such as `tx b`.
pub type Class = Cow<'static, str>;

/// A drawing of `width` x `height` CSS px.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// Unique in the page; the ids of fill patterns begin with it.
    pub id: String,
    /// Width of the view box.
    pub width: f64,
    /// Height of the view box.
    pub height: f64,
    /// The quantity shown: the heading of an exported file.
    pub title: String,
    /// One sentence that says what is seen; the accessible name. Empty for a layer that only repeats
    /// another's data.
    pub summary: String,
    /// Which line or fill is which, for an exported file (the page has its own legend beside the chart).
    pub legend: Vec<LegendEntry>,
    /// Where the data come from, for an exported file.
    pub footnote: String,
    /// The primitives, the first one lowest.
    pub nodes: Vec<Node>,
}

/// One line of a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct LegendEntry {
    /// What is written.
    pub label: String,
    /// What is drawn before it, in a box of 26 x 10 px.
    pub sample: Vec<Node>,
}

/// A primitive.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Several primitives under one class and one tooltip.
    Group(Group),
    /// A path.
    Path(Path),
    /// A straight line.
    Line(Line),
    /// A rectangle.
    Rect(Rect),
    /// A circle.
    Circle(Circle),
    /// A line of text.
    Text(Text),
}

/// Several primitives under one class.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// Class list; may be empty.
    pub class: Class,
    /// Shown by the browser when the pointer rests on the group; may be empty.
    pub title: String,
    /// Moves the whole group right and down.
    pub shift: (f64, f64),
    /// What it holds.
    pub nodes: Vec<Node>,
}

/// Dash pattern and width of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// As `stroke-dasharray`; empty for solid.
    pub dash: &'static str,
    /// Width in px.
    pub width_px: f64,
}

/// A path, built from its start to its end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Path {
    pub(super) class: Class,
    pub(super) stroke: Option<Stroke>,
    pub(super) fill: Option<Pattern>,
    pub(super) data: String,
}

/// A straight line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Class list.
    pub class: Class,
    /// From here …
    pub from: (f64, f64),
    /// … to here.
    pub to: (f64, f64),
    /// Dash and width where the class does not give them.
    pub stroke: Option<Stroke>,
}

/// A rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Rect {
    /// Class list.
    pub class: Class,
    /// Where.
    pub area: Area,
    /// Radius of the corners.
    pub radius_px: f64,
    /// A pattern instead of the colour of the class.
    pub fill: Option<Pattern>,
}

/// A circle.
#[derive(Debug, Clone, PartialEq)]
pub struct Circle {
    /// Class list.
    pub class: Class,
    /// Centre.
    pub at: (f64, f64),
    /// Radius.
    pub radius_px: f64,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    pub(super) class: Class,
    pub(super) at: (f64, f64),
    pub(super) anchor: Anchor,
    pub(super) spans: Vec<(Class, String)>,
}

/// Which part of a text stands at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// Its start.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// A fill of 45° stripes, 5 px apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// The surface shows through: a tenant of the second seven.
    Hatch,
    /// The colour of what is worse: a loss, wherever it appears.
    Loss,
}

/// A rectangle of the drawing, in px from its top left corner.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    /// An area by its left upper corner and its size.
    #[must_use]
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// The centre.
    #[must_use]
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// How far a point is from the area; 0 inside.
    #[must_use]
    pub fn distance(&self, (x, y): (f64, f64)) -> f64 {
        let beyond = |value: f64, low: f64, high: f64| (low - value).max(value - high).max(0.0);
        libm::hypot(beyond(x, self.x, self.right()), beyond(y, self.y, self.bottom()))
    }
}

impl Scene {
    /// An empty drawing of this size.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>, width: f64, height: f64) -> Self {
        Self { id: id.into(), title: title.into(), width, height, ..Self::default() }
    }

    /// Adds a primitive on top.
    pub fn add(&mut self, node: impl Into<Node>) {
        self.nodes.push(node.into());
    }

    /// The same with a footnote, which an exported file shows: trace, seed, n, warm-up, engine, hash.
    #[must_use]
    pub fn with_footnote(self, footnote: impl Into<String>) -> Self {
        Self { footnote: footnote.into(), ..self }
    }
}

impl Group {
    /// An empty group of this class.
    #[must_use]
    pub fn new(class: impl Into<Class>) -> Self {
        Self { class: class.into(), ..Self::default() }
    }

    /// The same with a tooltip.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// Adds a primitive on top.
    pub fn add(&mut self, node: impl Into<Node>) {
        self.nodes.push(node.into());
    }
}

impl Path {
    /// An empty path of this class.
    #[must_use]
    pub fn new(class: impl Into<Class>) -> Self {
        Self { class: class.into(), ..Self::default() }
    }

    /// The same with a dash and a width.
    #[must_use]
    pub fn stroke(self, stroke: Stroke) -> Self {
        Self { stroke: Some(stroke), ..self }
    }

    /// The same filled with a pattern.
    #[must_use]
    pub fn fill(self, pattern: Pattern) -> Self {
        Self { fill: Some(pattern), ..self }
    }

    /// Whether nothing was drawn yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Starts a part of the path.
    pub fn move_to(&mut self, x: f64, y: f64) {
        let _ = write!(self.data, "M{} {}", Px(x), Px(y));
    }

    /// Draws to a point.
    pub fn line_to(&mut self, x: f64, y: f64) {
        let _ = write!(self.data, "L{} {}", Px(x), Px(y));
    }

    /// Draws along to `x`, then up or down to `y`.
    pub fn step_to(&mut self, x: f64, y: f64) {
        let _ = write!(self.data, "H{}V{}", Px(x), Px(y));
    }

    /// Draws along to `x`.
    pub fn along_to(&mut self, x: f64) {
        let _ = write!(self.data, "H{}", Px(x));
    }

    /// Adds a circle.
    pub fn circle(&mut self, (x, y): (f64, f64), radius_px: f64) {
        let (r, left) = (Px(radius_px), Px(x - radius_px));
        let (there, back) = (Px(radius_px * 2.0), Px(radius_px * -2.0));
        let _ = write!(self.data, "M{left} {}a{r} {r} 0 1 0 {there} 0a{r} {r} 0 1 0 {back} 0z", Px(y));
    }

    /// Closes the part.
    pub fn close(&mut self) {
        self.data.push('Z');
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, area: Area) {
        let Area { x, y, width, height } = area;
        let _ = write!(self.data, "M{} {}h{}v{}h{}z", Px(x), Px(y), Px(width), Px(height), Px(-width));
    }
}

impl Line {
    /// A line of this class.
    #[must_use]
    pub fn new(class: impl Into<Class>, from: (f64, f64), to: (f64, f64)) -> Self {
        Self { class: class.into(), from, to, stroke: None }
    }

    /// The same with a dash and a width.
    #[must_use]
    pub fn stroke(self, stroke: Stroke) -> Self {
        Self { stroke: Some(stroke), ..self }
    }
}

impl Rect {
    /// A rectangle of this class, with square corners.
    #[must_use]
    pub fn new(class: impl Into<Class>, area: Area) -> Self {
        Self { class: class.into(), area, radius_px: 0.0, fill: None }
    }

    /// The same with round corners.
    #[must_use]
    pub fn radius(self, radius_px: f64) -> Self {
        Self { radius_px, ..self }
    }

    /// The same filled with a pattern.
    #[must_use]
    pub fn fill(self, pattern: Pattern) -> Self {
        Self { fill: Some(pattern), ..self }
    }
}

impl Circle {
    /// A circle of this class.
    #[must_use]
    pub fn new(class: impl Into<Class>, at: (f64, f64), radius_px: f64) -> Self {
        Self { class: class.into(), at, radius_px }
    }
}

impl Text {
    /// Text of this class whose baseline starts at a point.
    #[must_use]
    pub fn new(class: impl Into<Class>, at: (f64, f64), text: impl Into<String>) -> Self {
        Self {
            class: class.into(),
            at,
            anchor: Anchor::Start,
            spans: vec![(Class::Borrowed(""), text.into())],
        }
    }

    /// The same with another part at the point.
    #[must_use]
    pub fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same with more text of another class after it.
    #[must_use]
    pub fn span(mut self, class: impl Into<Class>, text: impl Into<String>) -> Self {
        self.spans.push((class.into(), text.into()));
        self
    }
}

macro_rules! node_from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Node {
            fn from(node: $kind) -> Self {
                Self::$kind(node)
            }
        }
    )*};
}

node_from!(Group, Path, Line, Rect, Circle, Text);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_is_zero_inside() {
        let area = Area::new(10.0, 10.0, 20.0, 5.0);
        assert!(area.distance((15.0, 12.0)) <= 0.0);
        assert!((area.distance((33.0, 19.0)) - 5.0).abs() < 1e-9);
    }
}
