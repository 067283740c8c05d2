//! The words around and in the bars, and what is seen as an SVG file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::paint::{Picture, Rectangle, Scene};
use super::rows::{Folding, Place, Row};
use super::schedule::Schedule;
use super::shade::{Category, Fill, Rgb};
use super::window::Window;
use crate::chart::palette::TenantPattern;
use crate::chart::svg::{Escaped, Px};
use crate::chart::text::{shortened, text_width_px, wrapped};
use crate::chart::theme::{TOKENS, Theme};
use crate::chart::ticks;

/// Height of the axis above the rows.
pub const AXIS_PX: f64 = 22.0;
/// Least height and width of a bar that is labelled, and the font size there.
const LABEL_HEIGHT_PX: f32 = 11.0;
const LABEL_WIDTH_PX: f32 = 34.0;
const LABEL_FONT_PX: f64 = 10.0;
/// Most labels in bars.
const MOST_LABELS: usize = 240;
/// Px that a tick needs.
const TICK_PX: f64 = 74.0;

/// A text at a place, its middle at this height.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Where it begins, or its middle for ticks, in px.
    pub x: f64,
    /// The height of its middle, in px; measured from the first row except for ticks.
    pub y: f64,
    /// The text.
    pub text: String,
    /// The bar it is in, by its position among the rectangles.
    pub bar: Option<usize>,
    /// Whether it is the head of other rows.
    pub is_head: bool,
}

/// The words of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Labels {
    /// Along the axis.
    pub ticks: Vec<Written>,
    /// Before the rows.
    pub rows: Vec<Written>,
    /// In wide bars: the job, or where that is too long its tenant.
    pub bars: Vec<Written>,
}

/// The words for a picture whose rows begin `gutter_px` from the left; `to_px` is the width of a pixel of its image.
#[must_use]
pub fn labels(
    scene: &Scene<'_>,
    window: &Window,
    picture: &Picture,
    room_px: f64,
    gutter_px: f64,
    to_px: f64,
) -> Labels {
    let schedule = scene.schedule;
    let width_px = picture.width as f64 * to_px;
    let span_s = (schedule.seconds(window.from), schedule.seconds(window.to));
    let most = (width_px / TICK_PX).max(2.0) as usize;
    let tick = |tick: ticks::Tick| Written {
        x: gutter_px + (tick.value - span_s.0) / (span_s.1 - span_s.0).max(f64::MIN_POSITIVE) * width_px,
        y: AXIS_PX / 2.0,
        text: tick.label,
        bar: None,
        is_head: false,
    };
    let visible = scene.rows.between(window.top, window.top + room_px);
    let row = |row: &Row| Written {
        x: indent(row),
        y: row.top + (row.height / 2.0).min(8.0),
        text: shortened(&row_label(schedule, row), 11.0, gutter_px - indent(row) - 4.0),
        bar: None,
        is_head: matches!(row.place, Place::Kind(_)),
    };
    Labels {
        ticks: ticks::time(span_s, most).into_iter().map(tick).collect(),
        rows: scene.rows.rows.get(visible).unwrap_or(&[]).iter().map(row).collect(),
        bars: bar_labels(schedule, picture, gutter_px, to_px),
    }
}

fn bar_labels(schedule: &Schedule, picture: &Picture, gutter_px: f64, to_px: f64) -> Vec<Written> {
    let label = |(at, bar): (usize, &Rectangle)| {
        let room = f64::from(bar.width) * to_px - 10.0;
        let job = schedule.job_of(bar.bar)?;
        let name = schedule.name(job);
        let tenant = schedule.tenants().get(schedule.job(job)?.tenant as usize);
        let text = [name, tenant].into_iter().find(|text| text_width_px(text, LABEL_FONT_PX) <= room)?;
        Some(Written {
            x: gutter_px + f64::from(bar.x) * to_px + 5.0,
            y: f64::from(bar.y + bar.height / 2.0),
            text: text.to_owned(),
            bar: Some(at),
            is_head: false,
        })
    };
    let is_wide = |bar: &&Rectangle| {
        bar.height >= LABEL_HEIGHT_PX && f64::from(bar.width) * to_px >= f64::from(LABEL_WIDTH_PX)
    };
    let wide = picture.rectangles.iter().enumerate().filter(|(_, bar)| is_wide(bar));
    wide.filter_map(label).take(MOST_LABELS).collect()
}

/// Where the label of a row begins.
fn indent(row: &Row) -> f64 {
    match row.place {
        Place::Kind(_) => 8.0,
        Place::Node(_) => 16.0,
        Place::Device(_) => 28.0,
    }
}

/// What a row is called, with a mark for what can be unfolded.
#[must_use]
pub fn row_label(schedule: &Schedule, row: &Row) -> String {
    let mark = match row.folding {
        Folding::Leaf => "",
        Folding::Folded => "▸ ",
        Folding::Unfolded => "▾ ",
    };
    let name = match row.place {
        Place::Kind(kind) => schedule.kinds().get(kind as usize).map(|kind| kind.name.clone()),
        Place::Node(node) => schedule
            .nodes()
            .get(node as usize)
            .and_then(|node| schedule.address(node.first_device))
            .map(|(_, node, _)| format!("node {node}")),
        Place::Device(device) => schedule.address(device).map(|(_, _, gpu)| format!("GPU {gpu}")),
    };
    format!("{mark}{}", name.unwrap_or_default())
}

/// A fill mixed with the surface, by a look-up of custom properties.
#[must_use]
pub fn mixed(fill: Fill, look_up: impl Fn(&str) -> Rgb) -> Rgb {
    let (colour, surface) = (look_up(fill.token), look_up("surface"));
    let share = u32::from(fill.percent);
    let part =
        |at: usize| (u32::from(colour[at]) * share + u32::from(surface[at]) * (100 - share.min(100))) / 100;
    [0, 1, 2].map(|at| part(at) as u8)
}

/// The value of a custom property in a theme.
#[must_use]
pub fn token(theme: Theme, name: &str) -> Rgb {
    let found = TOKENS.iter().find(|(token, _, _)| *token == name);
    let text = found.map_or("", |(_, light, dark)| match theme {
        Theme::Light => light,
        Theme::Dark => dark,
    });
    let part = |at: usize| text.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    [part(1), part(3), part(5)]
}

/// What stands around a picture in a file.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below the title.
    pub summary: &'a str,
    /// At the end.
    pub footnote: &'a str,
    /// What the colours mean.
    pub categories: &'a [Category],
    /// Height of the room for rows.
    pub room_px: f64,
    /// Width before the rows.
    pub gutter_px: f64,
    /// Width of a pixel of the image.
    pub to_px: f64,
}

const PADDING_PX: f64 = 16.0;

/// What is seen as an SVG file in the light theme. The picture must have been painted in its colours.
#[must_use]
pub fn svg(scene: &Scene<'_>, window: &Window, picture: &Picture, frame: &Frame<'_>) -> String {
    let text_colour = |name| hex(token(Theme::Light, name));
    let width = frame.gutter_px + picture.width as f64 * frame.to_px;
    let words = labels(scene, window, picture, frame.room_px, frame.gutter_px, frame.to_px);
    let mut body = String::new();
    let mut y = PADDING_PX;
    let mut write = |body: &mut String, text: &str, size: f64, weight: u32, colour: &str| {
        for line in wrapped(text, size, width) {
            y += size * 1.35;
            let _ = write!(
                body,
                "<text x=\"{PADDING_PX}\" y=\"{}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{colour}\">{}</text>",
                Px(y - size * 0.3),
                Escaped(&line)
            );
        }
        y
    };
    write(&mut body, frame.title, 15.0, 620, &text_colour("text"));
    let top = write(&mut body, frame.summary, 13.0, 400, &text_colour("text-2")) + 10.0;
    let _ = write!(body, "<g transform=\"translate({PADDING_PX} {})\">", Px(top));
    for tick in &words.ticks {
        let _ = write!(
            body,
            "<path d=\"M{} {AXIS_PX}v{}\" stroke=\"{}\"/><text x=\"{}\" y=\"{}\" font-size=\"11\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
            Px(tick.x),
            Px(frame.room_px),
            text_colour("grid"),
            Px(tick.x),
            Px(tick.y + 4.0),
            text_colour("text-3"),
            Escaped(&tick.text)
        );
    }
    // Rows that are cut at the edges stay within the room for them.
    let _ = write!(
        body,
        "<clipPath id=\"rows\"><path d=\"M0 {AXIS_PX}h{}v{}H0z\"/></clipPath><g clip-path=\"url(#rows)\"><g transform=\"translate(0 {})\">",
        Px(width),
        Px(frame.room_px),
        Px(AXIS_PX - window.top)
    );
    write_image(&mut body, picture, frame);
    write_rectangles(&mut body, scene, picture, frame);
    for row in &words.rows {
        let (weight, colour) = if row.is_head { (620, "text") } else { (400, "text-2") };
        write_text(&mut body, row, 11.0, weight, &text_colour(colour));
    }
    for label in &words.bars {
        write_text(&mut body, label, LABEL_FONT_PX, 600, "#ffffff");
    }
    body.push_str("</g></g></g>");
    y = top + AXIS_PX + frame.room_px + 6.0;
    y = write_legend(&mut body, frame, width, y);
    for line in wrapped(frame.footnote, 11.0, width) {
        y += 15.0;
        let _ = write!(
            body,
            "<text x=\"{PADDING_PX}\" y=\"{}\" font-size=\"11\" fill=\"{}\">{}</text>",
            Px(y),
            text_colour("text-3"),
            Escaped(&line)
        );
    }
    let (width, height) = (width + 2.0 * PADDING_PX, y + PADDING_PX);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\"><title>{}</title><desc>{}</desc><defs><pattern id=\"stripes\" width=\"5\" height=\"5\" \
         patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><path d=\"M0 0h2v5H0z\" fill=\"#ffffff\" fill-opacity=\".55\"/></pattern>\
         </defs><path d=\"M0 0h{w}v{h}H0z\" fill=\"{}\"/>{body}</svg>",
        Escaped(frame.title),
        Escaped(frame.summary),
        text_colour("surface"),
        w = Px(width),
        h = Px(height),
    )
}

fn write_text(body: &mut String, written: &Written, size: f64, weight: u32, colour: &str) {
    let _ = write!(
        body,
        "<text x=\"{}\" y=\"{}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{colour}\">{}</text>",
        Px(written.x),
        Px(written.y + size * 0.36),
        Escaped(&written.text)
    );
}

/// The image as paths, one a colour: pixels of one colour that follow each other are one.
fn write_image(body: &mut String, picture: &Picture, frame: &Frame<'_>) {
    let mut paths: BTreeMap<Rgb, String> = BTreeMap::new();
    for (line, strip) in picture.strips.iter().enumerate() {
        let Some(bytes) = picture.image.get(line * picture.width * 4..(line + 1) * picture.width * 4) else {
            continue;
        };
        let pixels = bytes.as_chunks::<4>().0;
        let mut from = 0;
        while let Some(&pixel) = pixels.get(from) {
            let run = pixels[from..].iter().take_while(|other| coarse(**other) == coarse(pixel)).count();
            let path = paths.entry(coarse(pixel)).or_default();
            let _ = write!(
                path,
                "M{} {}h{}v{}h{}z",
                Px(frame.gutter_px + from as f64 * frame.to_px),
                Px(strip.y),
                Px(run as f64 * frame.to_px),
                Px(strip.height),
                Px(-(run as f64) * frame.to_px)
            );
            from += run;
        }
    }
    for (colour, path) in paths {
        let _ = write!(body, "<path fill=\"{}\" shape-rendering=\"crispEdges\" d=\"{path}\"/>", hex(colour));
    }
}

/// Colours that the eye does not tell apart count as one.
fn coarse([r, g, b, _]: [u8; 4]) -> Rgb {
    [r, g, b].map(|part| (part & 0xf8) | part >> 5)
}

fn write_rectangles(body: &mut String, scene: &Scene<'_>, picture: &Picture, frame: &Frame<'_>) {
    let mut paths: BTreeMap<u8, String> = BTreeMap::new();
    for bar in &picture.rectangles {
        let width = f64::from(bar.width) * frame.to_px;
        let width = if width > 3.0 { width - 1.0 } else { width };
        let height = f64::from(bar.height) - 1.0;
        let path = paths.entry(bar.category).or_default();
        let x = frame.gutter_px + f64::from(bar.x) * frame.to_px;
        let _ =
            write!(path, "M{} {}h{}v{}h{}z", Px(x), Px(f64::from(bar.y)), Px(width), Px(height), Px(-width));
    }
    for (category, path) in paths {
        let _ = write!(body, "<path fill=\"{}\" d=\"{path}\"/>", hex(scene.shades.colour(category)));
        let pattern = frame.categories.get(usize::from(category)).map(|category| category.fill.pattern);
        if pattern == Some(TenantPattern::Hatched) {
            let _ = write!(body, "<path fill=\"url(#stripes)\" d=\"{path}\"/>");
        }
    }
}

fn write_legend(body: &mut String, frame: &Frame<'_>, width: f64, top: f64) -> f64 {
    let (mut x, mut y) = (PADDING_PX, top + 12.0);
    for category in frame.categories {
        let label = shortened(&category.label, 11.0, 220.0);
        let room = 20.0 + text_width_px(&label, 11.0) + 14.0;
        if x > PADDING_PX && x + room > width {
            (x, y) = (PADDING_PX, y + 17.0);
        }
        let colour = hex(mixed(category.fill, |name| token(Theme::Light, name)));
        let sample = format!("M{} {}h14v10h-14z", Px(x), Px(y - 9.0));
        let _ = write!(body, "<path fill=\"{colour}\" d=\"{sample}\"/>");
        if category.fill.pattern == TenantPattern::Hatched {
            let _ = write!(body, "<path fill=\"url(#stripes)\" d=\"{sample}\"/>");
        }
        let _ = write!(
            body,
            "<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"{}\">{}</text>",
            Px(x + 20.0),
            Px(y),
            hex(token(Theme::Light, "text-2")),
            Escaped(&label)
        );
        x += room;
    }
    y
}

/// A colour as `#rrggbb`.
#[must_use]
pub fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
