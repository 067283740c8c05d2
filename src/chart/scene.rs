//! What a chart draws: a list of primitives with class names, and its SVG text.
//!
//! A scene has no colours, only classes of `chart.css`, and no `style` attribute, so it follows the page's theme and
//! passes a strict content-security policy. The text is the same for the same scene: numbers have at most two decimals.

use std::borrow::Cow;
use std::fmt::Write as _;

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
    /// One sentence that says what is seen; the accessible name. Empty for a layer that only repeats another's data.
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
    class: Class,
    stroke: Option<Stroke>,
    fill: Option<Pattern>,
    data: String,
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
    class: Class,
    at: (f64, f64),
    anchor: Anchor,
    spans: Vec<(Class, String)>,
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

impl Pattern {
    const ALL: [Self; 2] = [Self::Hatch, Self::Loss];

    fn suffix(self) -> &'static str {
        match self {
            Self::Hatch => "hatch",
            Self::Loss => "loss",
        }
    }

    fn stripe_class(self) -> &'static str {
        match self {
            Self::Hatch => "stripe",
            Self::Loss => "stripe-bad",
        }
    }
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
    /// Adds a primitive on top.
    pub fn add(&mut self, node: impl Into<Node>) {
        self.nodes.push(node.into());
    }

    /// The same with a footnote, which an exported file shows: trace, seed, n, warm-up, engine, hash.
    #[must_use]
    pub fn with_footnote(self, footnote: impl Into<String>) -> Self {
        Self { footnote: footnote.into(), ..self }
    }

    /// The text of an `<svg>` element to be put into a page that links `chart.css`.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut out = String::new();
        let (width, height) = (Px(self.width), Px(self.height));
        let _ = write!(
            out,
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\""
        );
        if self.summary.is_empty() {
            out.push_str(" aria-hidden=\"true\">");
        } else {
            let _ = write!(out, " role=\"img\" aria-label=\"{}\">", Escaped(&self.summary));
        }
        self.write_content(&mut out);
        out.push_str("</svg>");
        out
    }

    /// Writes the patterns that are used, then the primitives.
    pub(super) fn write_content(&self, out: &mut String) {
        let mut used: Vec<Pattern> = Vec::new();
        self.nodes.iter().for_each(|node| node.collect_patterns(&mut used));
        for pattern in Pattern::ALL.into_iter().filter(|p| used.contains(p)) {
            let _ = write!(
                out,
                "<defs><pattern id=\"{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><rect class=\"{}\" width=\"2\" height=\"5\"/></pattern></defs>",
                self.pattern_id(pattern),
                pattern.stripe_class()
            );
        }
        self.write_nodes(&self.nodes, out);
    }

    fn write_nodes(&self, nodes: &[Node], out: &mut String) {
        for node in nodes {
            self.write_node(node, out);
        }
    }

    fn pattern_id(&self, pattern: Pattern) -> String {
        let id: String =
            self.id.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
        format!("{id}-{}", pattern.suffix())
    }

    fn write_node(&self, node: &Node, out: &mut String) {
        match node {
            Node::Group(group) => {
                open(out, "g", &group.class);
                if group.shift != (0.0, 0.0) {
                    let _ =
                        write!(out, " transform=\"translate({} {})\"", Px(group.shift.0), Px(group.shift.1));
                }
                out.push('>');
                if !group.title.is_empty() {
                    let _ = write!(out, "<title>{}</title>", Escaped(&group.title));
                }
                self.write_nodes(&group.nodes, out);
                out.push_str("</g>");
            }
            Node::Path(path) => {
                open(out, "path", &path.class);
                write_stroke(path.stroke, out);
                self.write_fill(path.fill, out);
                let _ = write!(out, " d=\"{}\"/>", path.data);
            }
            Node::Line(line) => {
                open(out, "line", &line.class);
                write_stroke(line.stroke, out);
                let ((x1, y1), (x2, y2)) = (line.from, line.to);
                let _ =
                    write!(out, " x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", Px(x1), Px(y1), Px(x2), Px(y2));
            }
            Node::Rect(rect) => {
                open(out, "rect", &rect.class);
                self.write_fill(rect.fill, out);
                let Area { x, y, width, height } = rect.area;
                let _ = write!(
                    out,
                    " x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                    Px(x),
                    Px(y),
                    Px(width.max(0.0)),
                    Px(height.max(0.0))
                );
                if rect.radius_px > 0.0 {
                    let _ = write!(out, " rx=\"{}\"", Px(rect.radius_px));
                }
                out.push_str("/>");
            }
            Node::Circle(circle) => {
                open(out, "circle", &circle.class);
                let _ = write!(
                    out,
                    " cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                    Px(circle.at.0),
                    Px(circle.at.1),
                    Px(circle.radius_px)
                );
            }
            Node::Text(text) => {
                open(out, "text", &text.class);
                let _ = write!(out, " x=\"{}\" y=\"{}\"", Px(text.at.0), Px(text.at.1));
                match text.anchor {
                    Anchor::Start => {}
                    Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
                    Anchor::End => out.push_str(" text-anchor=\"end\""),
                }
                out.push('>');
                for (class, span) in &text.spans {
                    if class.is_empty() {
                        let _ = write!(out, "{}", Escaped(span));
                    } else {
                        let _ = write!(out, "<tspan class=\"{}\">{}</tspan>", Escaped(class), Escaped(span));
                    }
                }
                out.push_str("</text>");
            }
        }
    }

    fn write_fill(&self, fill: Option<Pattern>, out: &mut String) {
        if let Some(pattern) = fill {
            let _ = write!(out, " fill=\"url(#{})\"", self.pattern_id(pattern));
        }
    }
}

fn open(out: &mut String, name: &str, class: &str) {
    let _ = if class.is_empty() {
        write!(out, "<{name}")
    } else {
        write!(out, "<{name} class=\"{}\"", Escaped(class))
    };
}

fn write_stroke(stroke: Option<Stroke>, out: &mut String) {
    if let Some(stroke) = stroke {
        let _ = write!(out, " stroke-width=\"{}\"", Px(stroke.width_px));
        if !stroke.dash.is_empty() {
            let _ = write!(out, " stroke-dasharray=\"{}\"", stroke.dash);
        }
    }
}

impl Node {
    fn collect_patterns(&self, used: &mut Vec<Pattern>) {
        match self {
            Self::Group(group) => group.nodes.iter().for_each(|node| node.collect_patterns(used)),
            Self::Path(Path { fill, .. }) | Self::Rect(Rect { fill, .. }) => used.extend(fill),
            Self::Line(_) | Self::Circle(_) | Self::Text(_) => {}
        }
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

/// A coordinate with at most two decimals and no trailing zeros; 0 where it is undefined.
pub(super) struct Px(pub(super) f64);

impl std::fmt::Display for Px {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.2}", if self.0.is_finite() { self.0 } else { 0.0 });
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

/// Text safe inside an element or a quoted attribute. Characters that XML cannot hold become U+FFFD.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => f.write_char(' ')?,
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        for (value, text) in [
            (1.0, "1"),
            (1.505, "1.5"),
            (-0.001, "0"),
            (100.0, "100"),
            (0.126, "0.13"),
            (f64::NAN, "0"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(Px(value).to_string(), text);
        }
    }

    #[test]
    fn text_cannot_leave_its_element() {
        let mut scene = Scene { id: "a\"b".into(), summary: "\"><script>".into(), ..Scene::default() };
        let mut group = Group::new("x").title("</title><script>");
        group.add(Text::new("tx", (0.0, 0.0), "<b>&\u{0}</b>"));
        group.add(Rect::new("", Area::default()).fill(Pattern::Loss));
        scene.add(group);
        let svg = scene.to_svg();
        assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\0'));
        assert!(svg.contains("url(#ab-loss)") && svg.contains("id=\"ab-loss\""));
    }

    #[test]
    fn only_used_patterns_are_defined() {
        let mut scene = Scene { id: "c".into(), ..Scene::default() };
        scene.add(Rect::new("t0", Area::default()));
        assert!(!scene.to_svg().contains("<pattern"));
        scene.add(Rect::new("", Area::default()).fill(Pattern::Hatch));
        assert!(scene.to_svg().contains("c-hatch") && !scene.to_svg().contains("c-loss"));
    }

    #[test]
    fn distance_is_zero_inside() {
        let area = Area::new(10.0, 10.0, 20.0, 5.0);
        assert!(area.distance((15.0, 12.0)) <= 0.0);
        assert!((area.distance((33.0, 19.0)) - 5.0).abs() < 1e-9);
    }
}
