//! Drawing on the canvases: what is painted, the words, the cursor, the overview.

use gloo::utils::{document, window};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasPattern, CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::colours::Colours;
use crate::app::gantt::{Pane, Viewer};
use crate::chart::gantt::{
    AXIS_PX, Category, Ground, Labels, Picture, Rgb, Written, categories, hex, labels,
};
use crate::chart::palette::TenantPattern;

/// Room at the right, for the mark of how far the rows are scrolled.
const RIGHT_PX: f64 = 12.0;
/// The image has no more pixels than this for each px of the page.
const MOST_PIXELS: f64 = 2.0;
/// The title of each of two runs.
const TITLE_PX: f64 = 20.0;
const BELOW_PX: f64 = 6.0;
/// Height of the overview.
pub(super) const OVERVIEW_PX: f64 = 34.0;
/// Most bars of a pinned job that are outlined.
const MOST_OUTLINED: usize = 400;
const FONT: &str =
    "\"Segoe UI\", Roboto, \"Helvetica Neue\", \"Noto Sans\", \"Liberation Sans\", Arial, sans-serif";

/// Where things are on the canvas, in px.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Layout {
    /// Of the canvas.
    pub(super) width: f64,
    /// Before the rows.
    pub(super) gutter: f64,
    /// Of the rows of one run.
    pub(super) room: f64,
    /// Of the whole of one run.
    pub(super) pane: f64,
    /// From the upper edge of a run to its first row.
    pub(super) head: f64,
    /// Runs.
    pub(super) panes: usize,
}

impl Layout {
    /// The layout at a width.
    pub(super) fn new(viewer: &Viewer, width: f64) -> Self {
        let panes = viewer.panes().len();
        let head = AXIS_PX + if panes > 1 { TITLE_PX } else { 0.0 };
        let room = viewer.room_px();
        let gutter = if width < 560.0 { 78.0 } else { 108.0 };
        Self { width, gutter, room, pane: head + room + BELOW_PX, head, panes }
    }

    /// Height of the canvas.
    pub(super) fn height(&self) -> f64 {
        self.pane * self.panes as f64
    }

    /// Width of the plot.
    pub(super) fn plot(&self) -> f64 {
        (self.width - self.gutter - RIGHT_PX).max(1.0)
    }

    /// The run at a height, and the height below its first row.
    pub(super) fn pane_at(&self, y: f64) -> (usize, f64) {
        let pane = ((y / self.pane.max(1.0)) as usize).min(self.panes.saturating_sub(1));
        (pane, y - self.pane * pane as f64 - self.head)
    }

    /// The fraction of the plot at a distance from the left.
    pub(super) fn fraction(&self, x: f64) -> f64 {
        (x - self.gutter) / self.plot()
    }

    fn top(&self, pane: usize) -> f64 {
        self.pane * pane as f64 + self.head
    }
}

/// A canvas and how to draw on it.
struct Sheet {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
}

impl Sheet {
    fn of(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self { canvas, context })
    }

    fn hidden() -> Option<Self> {
        Self::of(document().create_element("canvas").ok()?.dyn_into().ok()?)
    }

    /// Makes it this large, and empties it.
    fn clear(&self, width: f64, height: f64, ratio: f64) {
        let pixels = |px: f64| (px * ratio).round().max(1.0) as u32;
        if self.canvas.width() != pixels(width) || self.canvas.height() != pixels(height) {
            self.canvas.set_width(pixels(width));
            self.canvas.set_height(pixels(height));
            let _ = self.canvas.style().set_property("height", &format!("{height}px"));
        }
        let _ = self.context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        self.context.clear_rect(0.0, 0.0, width, height);
    }

    fn fill(&self, colour: Rgb) {
        self.context.set_fill_style_str(&hex(colour));
    }

    fn font(&self, size: f64, weight: u32) {
        self.context.set_font(&format!("{weight} {size}px {FONT}"));
    }

    fn write(&self, text: &str, x: f64, y: f64) {
        let _ = self.context.fill_text(text, x, y);
    }
}

/// Everything that is drawn on.
pub(super) struct Brush {
    base: Sheet,
    over: Sheet,
    overview: Sheet,
    image: Sheet,
    /// The overview without what moves; empty when it is to be drawn anew.
    run: Sheet,
    is_run_drawn: bool,
    pub(super) colours: Colours,
    stripes: Option<CanvasPattern>,
}

impl Brush {
    /// Draws on these canvases.
    pub(super) fn new(
        base: HtmlCanvasElement,
        over: HtmlCanvasElement,
        overview: HtmlCanvasElement,
    ) -> Option<Self> {
        let mut brush = Self {
            base: Sheet::of(base)?,
            over: Sheet::of(over)?,
            overview: Sheet::of(overview)?,
            image: Sheet::hidden()?,
            run: Sheet::hidden()?,
            is_run_drawn: false,
            colours: Colours::new(),
            stripes: None,
        };
        brush.theme_changed();
        Some(brush)
    }

    /// Looks the colours up again.
    pub(super) fn theme_changed(&mut self) {
        self.colours.forget();
        self.forget_run();
        self.stripes = stripes(&self.base.context, self.colours.get("surface"));
    }

    /// The overview is to be drawn anew: there is another run, or another width.
    pub(super) fn forget_run(&mut self) {
        self.is_run_drawn = false;
    }

    /// The canvas that is seen.
    pub(super) fn canvas(&self) -> &HtmlCanvasElement {
        &self.base.canvas
    }

    /// Colours of what is no bar.
    pub(super) fn ground(&self) -> Ground {
        Ground { idle: self.colours.get("sunken"), used: self.colours.get("accent-solid") }
    }

    /// Draws all but the cursor.
    pub(super) fn draw(&mut self, viewer: &mut Viewer, layout: &Layout) {
        let ratio = window().device_pixel_ratio().max(1.0);
        let width = (layout.plot() * ratio.min(MOST_PIXELS)).round().max(1.0) as usize;
        let ground = self.ground();
        viewer.paint(width, ground);
        self.base.clear(layout.width, layout.height(), ratio);
        let context = &self.base.context;
        context.set_text_baseline("middle");
        for (at, pane) in viewer.panes().iter().enumerate() {
            let Some(scene) = viewer.scene(at, ground) else { continue };
            let to_px = layout.plot() / width as f64;
            let window = viewer.window_of(at);
            let words = labels(&scene, &window, &pane.picture, layout.room, layout.gutter, to_px);
            context.save();
            let _ = context.translate(0.0, layout.pane * at as f64);
            self.draw_axis(pane, layout, &words);
            context.begin_path();
            context.rect(0.0, layout.head, layout.width, layout.room);
            context.clip();
            let _ = context.translate(0.0, layout.head - window.top);
            self.put_image(&pane.picture, layout, to_px);
            let categories = categories(&pane.schedule, viewer.colouring());
            self.draw_bars(pane, layout, to_px, &categories);
            self.draw_outages(viewer, at, layout);
            self.write_labels(pane, &words, &categories);
            context.restore();
        }
    }

    fn draw_axis(&self, pane: &Pane, layout: &Layout, words: &Labels) {
        let sheet = &self.base;
        if layout.panes > 1 {
            sheet.font(12.0, 620);
            sheet.fill(self.colours.get("text"));
            sheet.context.set_text_align("left");
            sheet.write(&pane.title, 8.0, TITLE_PX / 2.0 + 2.0);
        }
        let axis = layout.head - AXIS_PX;
        sheet.font(11.0, 400);
        sheet.context.set_text_align("center");
        for tick in &words.ticks {
            sheet.fill(self.colours.get("axis"));
            sheet.context.fill_rect(tick.x.round(), layout.head - 5.0, 1.0, 5.0);
            sheet.fill(self.colours.get("text-3"));
            if tick.x > layout.gutter - 1.0 && tick.x < layout.width - 18.0 {
                sheet.write(&tick.text, tick.x, axis + tick.y - 2.0);
            }
        }
        sheet.context.set_text_align("left");
    }

    /// Puts the image on the canvas, line by line at the height of its row.
    fn put_image(&self, picture: &Picture, layout: &Layout, to_px: f64) {
        let lines = picture.lines();
        if picture.width == 0 || lines == 0 {
            return;
        }
        let (width, height) = (picture.width as u32, lines as u32);
        let Sheet { canvas, context } = &self.image;
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
        }
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&picture.image), width, height);
        let Ok(image) = image else { return };
        let _ = context.put_image_data(&image, 0.0, 0.0);
        let target = &self.base.context;
        target.set_image_smoothing_enabled(false);
        let across = picture.width as f64;
        for (line, strip) in picture.strips.iter().enumerate() {
            // A slot is told from the next by a gap.
            let gap = if strip.height < 10.0 { 1.0 } else { 0.0 };
            let _ = target.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                canvas,
                0.0,
                line as f64,
                across,
                1.0,
                layout.gutter,
                strip.y,
                across * to_px,
                strip.height - gap,
            );
        }
    }

    /// Fills wide bars, one colour after another.
    fn draw_bars(&self, pane: &Pane, layout: &Layout, to_px: f64, categories: &[Category]) {
        let context = &self.base.context;
        let mut of_category: Vec<Vec<usize>> = vec![Vec::new(); categories.len() + 1];
        for (at, bar) in pane.picture.rectangles.iter().enumerate() {
            let category = usize::from(bar.category).min(categories.len());
            of_category[category].push(at);
        }
        for (category, bars) in of_category.iter().enumerate().filter(|(_, bars)| !bars.is_empty()) {
            let is_hatched =
                categories.get(category).is_some_and(|of| of.fill.pattern == TenantPattern::Hatched);
            let fill = |at: &usize| {
                let bar = pane.picture.rectangles[*at];
                let width = f64::from(bar.width) * to_px;
                let width = if width > 3.0 { width - 1.0 } else { width };
                let x = layout.gutter + f64::from(bar.x) * to_px;
                context.fill_rect(x, f64::from(bar.y), width, f64::from(bar.height) - 1.0);
            };
            let colour = bars.first().map(|at| pane.picture.rectangles[*at].category).unwrap_or_default();
            self.base.fill(pane.shades.colour(colour));
            bars.iter().for_each(fill);
            if let (true, Some(stripes)) = (is_hatched, &self.stripes) {
                context.set_fill_style_canvas_pattern(stripes);
                bars.iter().for_each(fill);
            }
        }
    }

    /// Marks nodes that were out of service.
    fn draw_outages(&self, viewer: &Viewer, at: usize, layout: &Layout) {
        let Some(schedule) = viewer.schedule(at) else { return };
        let window = viewer.window_of(at);
        let context = &self.base.context;
        for outage in schedule.outages() {
            let (from, to) = (window.fraction(f64::from(outage.from)), window.fraction(f64::from(outage.to)));
            if to < 0.0 || from > 1.0 {
                continue;
            }
            let Some(node) = schedule.nodes().get(outage.node as usize) else { continue };
            let rows = [node.first_device, node.first_device + node.devices.saturating_sub(1)]
                .map(|device| viewer.rows().holding(schedule, device));
            let [Some(first), Some(last)] = rows else { continue };
            let (top, bottom) = (viewer.rows().rows[first].top, viewer.rows().rows[last].bottom());
            let (x0, x1) = (from.max(0.0) * layout.plot(), to.min(1.0) * layout.plot());
            self.base.fill(self.colours.get("bad"));
            context.set_global_alpha(0.55);
            context.fill_rect(layout.gutter + x0, top, (x1 - x0).max(1.0), bottom - top);
            if let Some(stripes) = &self.stripes {
                context.set_global_alpha(1.0);
                context.set_fill_style_canvas_pattern(stripes);
                context.fill_rect(layout.gutter + x0, top, (x1 - x0).max(1.0), bottom - top);
            }
            context.set_global_alpha(1.0);
        }
    }

    fn write_labels(&self, pane: &Pane, words: &Labels, categories: &[Category]) {
        let sheet = &self.base;
        for row in &words.rows {
            sheet.font(11.0, if row.is_head { 620 } else { 400 });
            sheet.fill(self.colours.get(if row.is_head { "text" } else { "text-2" }));
            sheet.write(&row.text, row.x, row.y);
        }
        sheet.font(10.0, 600);
        let mut last: Option<Rgb> = None;
        for label in &words.bars {
            let Some(bar) = label.bar.and_then(|at| pane.picture.rectangles.get(at)) else { continue };
            let ground = pane.shades.colour(bar.category);
            let category = categories.get(usize::from(bar.category));
            if category.is_some_and(|of| of.fill.pattern == TenantPattern::Hatched) {
                self.plate(label, f64::from(bar.height), ground);
                last = None;
            }
            let colour = readable_on(ground);
            if last != Some(colour) {
                sheet.fill(colour);
                last = Some(colour);
            }
            sheet.write(&label.text, label.x, label.y);
        }
    }

    /// A plain ground for a label on stripes.
    fn plate(&self, label: &Written, height: f64, colour: Rgb) {
        let width = self.base.context.measure_text(&label.text).map_or(0.0, |measured| measured.width());
        self.base.fill(colour);
        self.base.context.fill_rect(label.x - 3.0, label.y - height / 2.0 + 0.5, width + 6.0, height - 2.0);
    }

    /// Draws the cursor, what is pinned and selected, and how far the rows are scrolled. `time` is a tick of the first run.
    pub(super) fn draw_over(&self, viewer: &Viewer, layout: &Layout, time: Option<f64>) {
        let ratio = window().device_pixel_ratio().max(1.0);
        let sheet = &self.over;
        sheet.clear(layout.width, layout.height(), ratio);
        let window = viewer.window();
        for pane in 0..layout.panes {
            let top = layout.top(pane);
            let context = &sheet.context;
            context.save();
            context.begin_path();
            context.rect(layout.gutter, top - AXIS_PX, layout.plot(), layout.room + AXIS_PX);
            context.clip();
            if let Some(fraction) =
                time.map(|time| window.fraction(time)).filter(|at| (0.0..=1.0).contains(at))
            {
                sheet.fill(self.colours.get("text-2"));
                let x = (layout.gutter + fraction * layout.plot()).round();
                context.fill_rect(x, top, 1.0, layout.room);
            }
            self.draw_selection(viewer, layout, pane, top);
            context.begin_path();
            context.rect(layout.gutter, top, layout.plot(), layout.room);
            context.clip();
            if let Some(job) = viewer.pinned {
                self.outline_job(viewer, layout, pane, job);
            }
            if let Some(cursor) = viewer.cursor.filter(|cursor| cursor.pane == pane) {
                match cursor.bar {
                    Some(bar) => self.outline(viewer, layout, pane, bar, 2.0),
                    None => self.outline_line(viewer, layout, pane),
                }
            }
            context.restore();
            self.draw_scrolled(viewer, layout, top);
        }
    }

    fn draw_selection(&self, viewer: &Viewer, layout: &Layout, pane: usize, top: f64) {
        let Some(selection) = viewer.selection.filter(|selection| selection.pane == pane) else { return };
        let window = viewer.window();
        let (x0, x1) = (window.fraction(selection.from), window.fraction(selection.to));
        let (x0, x1) = (layout.gutter + x0 * layout.plot(), layout.gutter + x1 * layout.plot());
        let (y0, y1) = (top + selection.top - window.top, top + selection.bottom - window.top);
        let context = &self.over.context;
        self.over.fill(self.colours.get("accent"));
        context.set_global_alpha(0.16);
        context.fill_rect(x0, y0, x1 - x0, y1 - y0);
        context.set_global_alpha(1.0);
        context.set_stroke_style_str(&hex(self.colours.get("accent")));
        context.set_line_width(1.5);
        context.stroke_rect(x0, y0, x1 - x0, y1 - y0);
    }

    fn outline_job(&self, viewer: &Viewer, layout: &Layout, pane: usize, job: u32) {
        let Some(schedule) = viewer.schedule(pane) else { return };
        let window = viewer.window_of(pane);
        let bars = schedule.leases(job).flat_map(|lease| schedule.bars_of(lease).iter().copied());
        let is_seen = |bar: &u32| {
            schedule
                .span(*bar)
                .is_some_and(|span| f64::from(span.end) > window.from && f64::from(span.start) < window.to)
        };
        for bar in bars.filter(is_seen).take(MOST_OUTLINED) {
            self.outline(viewer, layout, pane, bar, 1.5);
        }
    }

    fn outline(&self, viewer: &Viewer, layout: &Layout, pane: usize, bar: u32, line_px: f64) {
        let Some(place) = viewer.place_of(pane, bar) else { return };
        let top = layout.top(pane) - viewer.window().top;
        let x0 = layout.gutter + place.from.max(-0.1) * layout.plot();
        let x1 = layout.gutter + place.to.min(1.1) * layout.plot();
        let context = &self.over.context;
        let edges = (x0 - 0.5, top + place.top - 0.5, (x1 - x0).max(2.0), place.height);
        for (colour, width) in [("surface", line_px + 2.0), ("text", line_px)] {
            context.set_stroke_style_str(&hex(self.colours.get(colour)));
            context.set_line_width(width);
            context.stroke_rect(edges.0, edges.1, edges.2, edges.3);
        }
    }

    /// Underlines the line that the cursor is in where there is no bar.
    fn outline_line(&self, viewer: &Viewer, layout: &Layout, pane: usize) {
        let (Some(row), Some(cursor)) = (viewer.cursor_row(), viewer.cursor) else { return };
        let y = layout.top(pane) - viewer.window().top + row.top;
        let x = layout.gutter + viewer.window().fraction(cursor.tick) * layout.plot();
        let context = &self.over.context;
        context.set_stroke_style_str(&hex(self.colours.get("text")));
        context.set_line_width(1.0);
        context.stroke_rect(x - 3.5, y + 0.5, 7.0, (row.height - 1.0).max(3.0));
    }

    fn draw_scrolled(&self, viewer: &Viewer, layout: &Layout, top: f64) {
        let all = viewer.rows().height;
        if all <= layout.room + 1.0 {
            return;
        }
        let context = &self.over.context;
        let x = layout.width - RIGHT_PX + 4.0;
        self.over.fill(self.colours.get("line-2"));
        context.fill_rect(x, top, 6.0, layout.room);
        self.over.fill(self.colours.get("text-3"));
        let height = (layout.room / all * layout.room).max(18.0);
        let free = (all - layout.room).max(1.0);
        context.fill_rect(x, top + viewer.window().top / free * (layout.room - height), 6.0, height);
    }

    /// Draws how much of the cluster is used over the whole run, and what of it is seen.
    pub(super) fn draw_overview(&mut self, viewer: &Viewer, layout: &Layout) {
        let ratio = window().device_pixel_ratio().max(1.0);
        if !std::mem::replace(&mut self.is_run_drawn, true) {
            self.draw_run(viewer, layout, ratio);
        }
        let sheet = &self.overview;
        sheet.clear(layout.width, OVERVIEW_PX, ratio);
        let context = &sheet.context;
        let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(
            &self.run.canvas,
            0.0,
            0.0,
            layout.width,
            OVERVIEW_PX,
        );
        let end = viewer.extent().end.max(1.0);
        let seen = viewer.window();
        let x0 = layout.gutter + seen.from / end * layout.plot();
        let x1 = layout.gutter + seen.to / end * layout.plot();
        sheet.fill(self.colours.get("surface"));
        context.set_global_alpha(0.62);
        context.fill_rect(layout.gutter, 0.0, x0 - layout.gutter, OVERVIEW_PX);
        context.fill_rect(x1, 0.0, layout.gutter + layout.plot() - x1, OVERVIEW_PX);
        context.set_global_alpha(1.0);
        context.set_stroke_style_str(&hex(self.colours.get("text-2")));
        context.set_line_width(1.5);
        context.stroke_rect(x0, 2.0, (x1 - x0).max(3.0), OVERVIEW_PX - 4.0);
    }

    fn draw_run(&self, viewer: &Viewer, layout: &Layout, ratio: f64) {
        let sheet = &self.run;
        sheet.clear(layout.width, OVERVIEW_PX, ratio);
        sheet.fill(self.colours.get("accent-solid"));
        sheet.context.set_global_alpha(0.6);
        let parts = layout.plot().round().max(1.0) as usize;
        for (at, share) in viewer.overview(parts).into_iter().enumerate() {
            let height = f64::from(share) * (OVERVIEW_PX - 8.0);
            sheet.context.fill_rect(layout.gutter + at as f64, OVERVIEW_PX - 4.0 - height, 1.0, height);
        }
        sheet.context.set_global_alpha(1.0);
        sheet.context.set_text_baseline("middle");
        sheet.font(11.0, 400);
        sheet.fill(self.colours.get("text-3"));
        sheet.write("Whole run", 8.0, OVERVIEW_PX / 2.0);
    }

    /// What is seen, under a title and above a footnote, as a canvas of its own.
    pub(super) fn composed(&self, title: &str, footnote: &str) -> Result<HtmlCanvasElement, JsValue> {
        let ratio = window().device_pixel_ratio().max(1.0);
        let sheet = Sheet::hidden().ok_or("the browser gives no canvas")?;
        let (width, height) =
            (f64::from(self.base.canvas.width()) / ratio, f64::from(self.base.canvas.height()) / ratio);
        sheet.clear(width, height + 58.0, ratio);
        sheet.fill(self.colours.get("surface"));
        sheet.context.fill_rect(0.0, 0.0, width, height + 58.0);
        sheet.context.set_text_baseline("middle");
        sheet.font(14.0, 620);
        sheet.fill(self.colours.get("text"));
        sheet.write(title, 8.0, 18.0);
        for canvas in [&self.base.canvas, &self.over.canvas] {
            sheet
                .context
                .draw_image_with_html_canvas_element_and_dw_and_dh(canvas, 0.0, 34.0, width, height)?;
        }
        sheet.font(11.0, 400);
        sheet.fill(self.colours.get("text-3"));
        sheet.write(footnote, 8.0, height + 46.0);
        Ok(sheet.canvas)
    }
}

/// Stripes of the surface, which let every other pair of pixels through.
fn stripes(context: &CanvasRenderingContext2d, surface: Rgb) -> Option<CanvasPattern> {
    const SIZE: u32 = 6;
    let sheet = Sheet::hidden()?;
    sheet.canvas.set_width(SIZE);
    sheet.canvas.set_height(SIZE);
    sheet.fill(surface);
    sheet.context.set_global_alpha(0.5);
    for y in 0..SIZE {
        for x in 0..2 {
            sheet.context.fill_rect(f64::from((x + SIZE - y) % SIZE), f64::from(y), 1.0, 1.0);
        }
    }
    context.create_pattern_with_html_canvas_element(&sheet.canvas, "repeat").ok().flatten()
}

/// Black or white, whichever is read more easily on a colour.
fn readable_on(ground: Rgb) -> Rgb {
    let [r, g, b] = ground.map(f64::from);
    // Where the contrast of both is about the same (WCAG 2.2, relative luminance of 0.18).
    if 0.2126 * r + 0.7152 * g + 0.0722 * b > 118.0 { [12, 17, 22] } else { [255, 255, 255] }
}
