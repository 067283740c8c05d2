//! The two themes' colours, and the file that a chart is exported as.

use std::fmt::Write as _;

use super::scene::{Area, Group, LegendEntry, Rect, Scene, Text};
use super::svg::{Escaped, Px};
use super::text::{text_width_px, wrapped};

/// Which set of colours an exported file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// Dark text on white.
    Light,
    /// Light text on a dark surface.
    Dark,
}

/// The style sheet of all charts; the page links the same file.
pub const STYLE_SHEET: &str = include_str!("chart.css");

/// What follows this in the style sheet concerns the page alone.
const PAGE_ONLY: &str = "/* ---------- Page only";

const SANS: &str = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', \
    'Liberation Sans', Arial, sans-serif";

/// The custom properties that the style sheet uses: name, light, dark.
pub const TOKENS: [(&str, &str, &str); 28] = [
    ("sans", SANS, SANS),
    ("bg", "#f5f6f8", "#0d1116"),
    ("surface", "#ffffff", "#141a21"),
    ("line-2", "#c5ccd5", "#394552"),
    ("ctl-line", "#848f9c", "#66727f"),
    ("text", "#11181f", "#e8edf2"),
    ("text-2", "#434e5a", "#b3bfcb"),
    ("text-3", "#5d6976", "#8f9caa"),
    ("accent", "#005fae", "#62b5ff"),
    ("accent-solid", "#005fae", "#1b72c2"),
    ("good", "#006b54", "#4fd0a8"),
    ("bad", "#a63b00", "#ffa066"),
    ("grid", "#e8ebef", "#232c36"),
    ("axis", "#a9b2bd", "#4a5765"),
    ("idle", "#e6eaee", "#222b35"),
    ("p0", "#0064b7", "#56b0ff"),
    ("p1", "#bd4500", "#ff9150"),
    ("p2", "#00785c", "#3fd0a4"),
    ("p3", "#9b3c8c", "#ea94db"),
    ("p4", "#574700", "#f0d264"),
    ("p5", "#56626f", "#a9b5c1"),
    ("t0", "#2f6db5", "#5b9be6"),
    ("t1", "#ba571f", "#ee8b50"),
    ("t2", "#17795d", "#3fae8b"),
    ("t3", "#a4549c", "#d488cc"),
    ("t4", "#5f5208", "#d9c257"),
    ("t5", "#4a5a6d", "#a3b4c6"),
    ("t6", "#b8425e", "#e8829a"),
];

/// The style sheet without comments and with every custom property replaced by its value in `theme`.
#[must_use]
pub fn resolved_style_sheet(theme: Theme) -> String {
    let sheet = STYLE_SHEET.split(PAGE_ONLY).next().unwrap_or(STYLE_SHEET);
    let rules: String = sheet.split("*/").filter_map(|part| part.split("/*").next()).collect();
    let rules = rules.trim().replace("\n\n", "\n");
    TOKENS.iter().fold(rules, |sheet, (name, light, dark)| {
        let value = match theme {
            Theme::Light => light,
            Theme::Dark => dark,
        };
        sheet.replace(&format!("var(--{name})"), value)
    })
}

const PADDING: f64 = 16.0;
/// Width of a legend sample and the space after it.
const SAMPLE_PX: f64 = 32.0;

impl Scene {
    /// The text of an SVG file that stands alone: heading, summary, the drawing, legend and footnote, with
    /// the colours of `theme` inside.
    #[must_use]
    pub fn to_standalone_svg(&self, theme: Theme) -> String {
        let framed = self.framed();
        let (width, height) = (Px(framed.width), Px(framed.height));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\">"
        );
        let _ = write!(
            out,
            "<title>{}</title><desc>{}</desc><style>{}</style>",
            Escaped(&self.title),
            Escaped(&self.summary),
            resolved_style_sheet(theme)
        );
        framed.write_content(&mut out);
        out.push_str("</svg>");
        out
    }

    /// The drawing on a surface, with heading and summary above, legend and footnote below.
    fn framed(&self) -> Self {
        let mut framed = Self { id: self.id.clone(), width: self.width + 2.0 * PADDING, ..Self::default() };
        framed.height = PADDING;
        framed.add_lines("t15 tx b", wrapped(&self.title, 15.0, self.width), 20.0);
        framed.add_lines("t13 tx2", wrapped(&self.summary, 13.0, self.width), 18.0);
        framed.height += 12.0;
        let shift = (PADDING, framed.height);
        framed.add(Group { shift, nodes: self.nodes.clone(), ..Group::default() });
        framed.height += self.height + 8.0;
        framed.add_legend(&self.legend);
        framed.add_lines("", wrapped(&self.footnote, 11.0, self.width), 15.0);
        framed.height += PADDING;
        let surface = Area::new(0.0, 0.0, framed.width, framed.height);
        framed.nodes.insert(0, Rect::new("surf", surface).into());
        framed
    }

    fn add_lines(&mut self, class: &'static str, lines: Vec<String>, line_px: f64) {
        for line in lines {
            self.height += line_px;
            self.add(Text::new(class, (PADDING, self.height - line_px * 0.25), line));
        }
    }

    fn add_legend(&mut self, legend: &[LegendEntry]) {
        const LINE_PX: f64 = 18.0;
        let right = self.width - PADDING;
        let mut x = right;
        for entry in legend {
            let width = SAMPLE_PX + text_width_px(&entry.label, 12.0) + 18.0;
            if x + width > right {
                x = PADDING;
                self.height += LINE_PX;
            }
            let mut group = Group { shift: (x, self.height - 13.0), ..Group::default() };
            group.nodes.clone_from(&entry.sample);
            group.add(Text::new("t12 tx2", (SAMPLE_PX, 9.0), entry.label.clone()));
            self.add(group);
            x += width;
        }
        if !legend.is_empty() {
            self.height += 4.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_custom_property_of_the_style_sheet_has_a_value_and_none_is_idle() {
        let used: BTreeSet<&str> =
            STYLE_SHEET.split("var(--").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        let known: BTreeSet<&str> = TOKENS.iter().map(|token| token.0).collect();
        assert_eq!(used, known);
        for theme in [Theme::Light, Theme::Dark] {
            let resolved = resolved_style_sheet(theme);
            assert!(!resolved.contains("var(") && !resolved.contains("@media"));
        }
    }

    #[test]
    fn colours_stand_in_the_tokens_alone() {
        assert!(!STYLE_SHEET.contains('#') && !STYLE_SHEET.contains("rgb("));
    }

    #[test]
    fn a_file_stands_alone() {
        let scene = Scene {
            id: "c".into(),
            width: 300.0,
            height: 100.0,
            title: "A & B".into(),
            summary: "One sentence that is long enough to be broken into two lines.".into(),
            ..Scene::default()
        };
        let file = scene.with_footnote("philly, seed 1").to_standalone_svg(Theme::Dark);
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(file.contains("A &amp; B") && file.contains("philly, seed 1") && file.contains("#141a21"));
        assert!(!file.contains("var(") && !file.contains("style=\""));
    }
}
