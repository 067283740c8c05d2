//! What is drawn of a window: wide bars as rectangles, thin ones summed up in an image, by level of detail.
//!
//! The image has one line for each position of an unfolded device and one for each folded row, and is stretched to the rows' heights
//! when it is put on the canvas. A bar of less than [`THIN_PX`] adds its colour to the pixels it touches, by how much of each it
//! covers. Eight thin bars in a row that lie within [`THIN_PX`] are added as one, so that no frame takes more steps than there are
//! pixels, however many bars there are.

use std::ops::Range;

use super::bands::Bands;
use super::rows::{Row, Rows, Shape, devices};
use super::schedule::Schedule;
use super::shade::{BLOCK, Rgb, Shades};
use super::window::Window;

/// Bars narrower than this go into the image.
pub const THIN_PX: f64 = 2.0;
/// Most rectangles; where there are more, the narrowest go into the image as well.
pub const MOST_RECTANGLES: usize = 2_500;
/// A folded row of more lanes than this is drawn from its band at any zoom.
const MOST_LANES: usize = 8_192;

/// Colours of what is no bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ground {
    /// Where nothing runs.
    pub idle: Rgb,
    /// What is used, in folded rows.
    pub used: Rgb,
}

/// What a window looks into.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The run.
    pub schedule: &'a Schedule,
    /// Its rows.
    pub rows: &'a Rows,
    /// The colours of its bars.
    pub shades: &'a Shades,
    /// Its folded rows.
    pub bands: &'a Bands,
    /// The other colours.
    pub ground: Ground,
}

/// A wide bar, in px of the window; the height is measured from the first row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Its left edge, cut at the window's.
    pub x: f32,
    /// Its width.
    pub width: f32,
    /// Its upper edge.
    pub y: f32,
    /// Its height.
    pub height: f32,
    /// The first line of the image that it covers.
    line: u32,
    /// How many lines it covers.
    lines: u32,
    /// Its category.
    pub category: u8,
    /// The bar.
    pub bar: u32,
}

/// Where a line of the image belongs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip {
    /// Its upper edge, measured from the first row.
    pub y: f64,
    /// Its height.
    pub height: f64,
}

/// What is drawn.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// Width of the image.
    pub width: usize,
    /// RGBA, line after line.
    pub image: Vec<u8>,
    /// Where each line belongs.
    pub strips: Vec<Strip>,
    /// Wide bars.
    pub rectangles: Vec<Rectangle>,
    /// Bars that touch the window in unfolded rows.
    pub bars: usize,
    /// Whether some of these were summed up.
    pub has_thin: bool,
    /// Sums of one device: colour times cover, and cover.
    sums: Vec<[f32; 4]>,
    lane: Vec<[f32; 4]>,
    shares: Vec<f32>,
}

impl Picture {
    /// Draws the rows between two heights at `width` pixels of the image.
    pub fn paint(&mut self, scene: &Scene<'_>, window: &Window, room_px: f64, width: usize) {
        self.width = width;
        self.image.clear();
        self.strips.clear();
        self.rectangles.clear();
        self.bars = 0;
        self.has_thin = false;
        if scene.shades.categories.len() != scene.schedule.bars() {
            // They are not coloured yet.
            return;
        }
        let visible = scene.rows.between(window.top, window.top + room_px);
        for row in scene.rows.rows.get(visible).unwrap_or(&[]) {
            match row.shape {
                Shape::Band => self.band(scene, window, row),
                Shape::Bars => self.device(scene, window, row),
            }
        }
        self.spare_rectangles(scene.shades);
    }

    /// The lines of the image.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.strips.len()
    }

    fn band(&mut self, scene: &Scene<'_>, window: &Window, row: &Row) {
        let width = self.width;
        self.shares.clear();
        self.shares.resize(width, 0.0);
        let stretches = scene.bands.stretches(row.place) as f64;
        let run = f64::from(scene.schedule.end().max(1));
        let is_coarse = stretches * window.span() / run < width as f64;
        let of = devices(scene.schedule, row.place);
        let lanes = scene.schedule.lanes_of(of.clone());
        if stretches > 0.0 && (!is_coarse || lanes.len() > MOST_LANES) {
            scene.bands.fill(row.place, window.from / run..window.to / run, &mut self.shares);
        } else {
            let each = scene.schedule.kind_of(of.start).map_or(1.0, |(_, kind)| f32::from(kind.slots));
            self.exact_band(scene, window, lanes, each * of.len().max(1) as f32);
        }
        let Ground { idle, used } = scene.ground;
        for &share in &self.shares {
            let share = share.clamp(0.0, 1.0);
            // As the eye tells shares apart: little use is seen, and much use differs from full use.
            let opacity = if share > 0.0 { 0.12 + 0.88 * share * share } else { 0.0 };
            push_mixed(&mut self.image, idle, used.map(f32::from), opacity);
        }
        self.strips.push(Strip { y: row.top, height: row.height });
    }

    /// Adds up the bars that are seen.
    fn exact_band(&mut self, scene: &Scene<'_>, window: &Window, lanes: Range<u32>, slots: f32) {
        let schedule = scene.schedule;
        let to_px = self.width as f64 / window.span();
        for lane in lanes {
            let weight =
                schedule.lanes().get(lane as usize).map_or(0.0, |lane| f32::from(lane.slots)) / slots;
            for bar in schedule.touching(lane, window.from, window.to) {
                let (x0, x1) = clipped(schedule, bar, window, to_px, self.width);
                cover(&mut self.shares, x0, x1, |share, part| *share += part * weight);
            }
        }
    }

    fn device(&mut self, scene: &Scene<'_>, window: &Window, row: &Row) {
        let schedule = scene.schedule;
        let of = devices(schedule, row.place);
        let positions = schedule.kind_of(of.start).map_or(1, |(_, kind)| usize::from(kind.positions));
        let width = self.width;
        self.sums.clear();
        self.sums.resize(width * positions, [0.0; 4]);
        let first_line = self.strips.len() as u32;
        let each_px = row.height / positions as f64;
        for lane in schedule.lanes_of(of) {
            let Some(shape) = schedule.lanes().get(lane as usize).copied() else { continue };
            let first = usize::from(shape.first).min(positions - 1);
            let height = usize::from(shape.height).clamp(1, positions - first);
            let at = Rectangle {
                x: 0.0,
                width: 0.0,
                y: (row.top + first as f64 * each_px) as f32,
                height: (height as f64 * each_px) as f32,
                line: first_line + first as u32,
                lines: height as u32,
                category: 0,
                bar: 0,
            };
            self.draw_lane(scene, window, lane, at, first);
        }
        for position in 0..positions {
            for sum in self.sums.get(position * width..(position + 1) * width).unwrap_or(&[]) {
                let cover = sum[3];
                let colour =
                    if cover > 0.0 { [sum[0], sum[1], sum[2]].map(|part| part / cover) } else { [0.0; 3] };
                push_mixed(&mut self.image, scene.ground.idle, colour, cover.min(1.0));
            }
            self.strips.push(Strip { y: row.top + position as f64 * each_px, height: each_px });
        }
    }

    fn draw_lane(&mut self, scene: &Scene<'_>, window: &Window, lane: u32, at: Rectangle, first: usize) {
        let Scene { schedule, shades, .. } = scene;
        let width = self.width;
        let to_px = width as f64 / window.span();
        let all = schedule.lane(lane);
        let seen = schedule.touching(lane, window.from, window.to);
        self.bars += seen.len();
        let first_block = shades.lane_blocks.get(lane as usize).copied().unwrap_or(0) as usize;
        // A lane of one line is summed up where it belongs; a higher one beside, and then copied to its lines.
        let is_single = at.lines == 1;
        let mut lane_sums = std::mem::take(&mut self.lane);
        let mut sums = std::mem::take(&mut self.sums);
        if !is_single {
            lane_sums.clear();
            lane_sums.resize(width, [0.0; 4]);
        }
        let line = if is_single { &mut sums[first * width..(first + 1) * width] } else { &mut lane_sums[..] };
        let mut touched = width..0;
        let mut bar = seen.start;
        while bar < seen.end {
            let offset = bar - all.start;
            if offset.is_multiple_of(BLOCK) && bar + BLOCK <= seen.end {
                let x0 = (f64::from(schedule.starts[bar]) - window.from) * to_px;
                let x1 = (f64::from(schedule.ends[bar + BLOCK - 1]) - window.from) * to_px;
                if x1 - x0 <= THIN_PX && x0 >= 0.0 && x1 <= width as f64 {
                    let block = first_block + offset / BLOCK;
                    let busy_px = (f64::from(shades.busy[block]) * to_px) as f32;
                    let share = busy_px / ((x1 - x0) as f32).max(f32::MIN_POSITIVE);
                    add(line, x0 as f32, x1 as f32, shades.means[block], share);
                    touched = touched.start.min(x0 as usize)..touched.end.max(x1 as usize + 1);
                    bar += BLOCK;
                    continue;
                }
            }
            let (x0, x1) = clipped(schedule, bar, window, to_px, width);
            if f64::from(x1 - x0) >= THIN_PX {
                let category = shades.categories[bar];
                self.rectangles.push(Rectangle { x: x0, width: x1 - x0, category, bar: bar as u32, ..at });
            } else {
                add(line, x0, x1, shades.colour(shades.categories[bar]), 1.0);
                touched = touched.start.min(x0 as usize)..touched.end.max(x1 as usize + 1);
            }
            bar += 1;
        }
        self.has_thin |= touched.start < touched.end;
        if !is_single {
            let touched = touched.start.min(width)..touched.end.min(width);
            for position in first..first + at.lines as usize {
                let target = &mut sums[position * width..(position + 1) * width];
                for pixel in touched.clone() {
                    for (sum, more) in target[pixel].iter_mut().zip(lane_sums[pixel]) {
                        *sum += more;
                    }
                }
            }
        }
        (self.lane, self.sums) = (lane_sums, sums);
    }

    /// Where there are too many rectangles, paints the narrowest into the image.
    fn spare_rectangles(&mut self, shades: &Shades) {
        let count = self.rectangles.len();
        if count <= MOST_RECTANGLES {
            return;
        }
        let mut widths: Vec<f32> = self.rectangles.iter().map(|rectangle| rectangle.width).collect();
        let (_, &mut least, _) = widths.select_nth_unstable_by(count - MOST_RECTANGLES, f32::total_cmp);
        let rectangles = std::mem::take(&mut self.rectangles);
        for rectangle in rectangles {
            if rectangle.width > least {
                self.rectangles.push(rectangle);
            } else {
                self.blend(&rectangle, shades.colour(rectangle.category));
            }
        }
        self.has_thin = true;
    }

    fn blend(&mut self, rectangle: &Rectangle, colour: Rgb) {
        let width = self.width;
        let lines = rectangle.line as usize..(rectangle.line + rectangle.lines) as usize;
        for line in lines {
            let Some(pixels) = self.image.get_mut(line * width * 4..(line + 1) * width * 4) else { continue };
            let pixels = pixels.as_chunks_mut::<4>().0;
            cover(pixels, rectangle.x, rectangle.x + rectangle.width, |pixel, part| {
                for (old, new) in pixel.iter_mut().zip(colour) {
                    *old = (f32::from(*old) * (1.0 - part) + f32::from(new) * part).round() as u8;
                }
            });
        }
    }
}

/// A bar's edges in px, cut at those of the window.
fn clipped(schedule: &Schedule, bar: usize, window: &Window, to_px: f64, width: usize) -> (f32, f32) {
    let at = |tick: u32| ((f64::from(tick) - window.from) * to_px).clamp(0.0, width as f64) as f32;
    (at(schedule.starts[bar]), at(schedule.ends[bar]))
}

/// Adds a colour over a stretch, at `share` of its full cover.
fn add(line: &mut [[f32; 4]], x0: f32, x1: f32, colour: Rgb, share: f32) {
    let [r, g, b] = colour.map(f32::from);
    cover(line, x0, x1, |sum, part| {
        let part = part * share;
        sum[0] += part * r;
        sum[1] += part * g;
        sum[2] += part * b;
        sum[3] += part;
    });
}

/// Calls `with` for every pixel that a stretch touches, with the part of the pixel that it covers.
fn cover<T>(line: &mut [T], x0: f32, x1: f32, mut with: impl FnMut(&mut T, f32)) {
    let first = x0 as usize;
    let last = x1 as usize;
    if first == last {
        if let Some(pixel) = line.get_mut(first) {
            with(pixel, x1 - x0);
        }
        return;
    }
    if let Some(pixel) = line.get_mut(first) {
        with(pixel, (first + 1) as f32 - x0);
    }
    for pixel in line.iter_mut().take(last).skip(first + 1) {
        with(pixel, 1.0);
    }
    if let Some(pixel) = line.get_mut(last) {
        with(pixel, x1 - last as f32);
    }
}

/// One opaque pixel: a colour over the ground.
fn push_mixed(image: &mut Vec<u8>, ground: Rgb, colour: [f32; 3], opacity: f32) {
    let mix = |at: usize| (f32::from(ground[at]) * (1.0 - opacity) + colour[at] * opacity + 0.5) as u8;
    image.extend_from_slice(&[mix(0), mix(1), mix(2), 255]);
}
