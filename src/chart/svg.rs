//! The SVG text of a scene.
//!
//! It has no colours, only classes of `chart.css`, and no `style` attribute, so it follows the page's theme
//! and passes a strict content-security policy. The text is the same for the same scene: numbers have at most
//! two decimals.

use std::fmt::Write as _;

use super::scene::{Anchor, Area, Node, Path, Pattern, Rect, Scene, Stroke};

impl Scene {
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

impl Node {
    fn collect_patterns(&self, used: &mut Vec<Pattern>) {
        match self {
            Self::Group(group) => group.nodes.iter().for_each(|node| node.collect_patterns(used)),
            Self::Path(Path { fill, .. }) | Self::Rect(Rect { fill, .. }) => used.extend(fill),
            Self::Line(_) | Self::Circle(_) | Self::Text(_) => {}
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
pub struct Escaped<'a>(pub &'a str);

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
    use super::super::scene::{Group, Text};
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
}
