//! The ways in which one GPU can be cut into parts, such as the MIG layouts of an A100.

use super::axis;
use super::palette::gpu_class;
use super::scale::Bands;
use super::scene::{Area, Pattern, Rect, Scene, Text};

/// The ways in which one GPU can be cut, and those in which it cannot although the sizes seem to add up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutStrip {
    /// Unique in the page.
    pub id: String,
    /// The heading.
    pub title: String,
    /// Width in px.
    pub width_px: u32,
    /// Slots of the whole GPU: 7 for an A100, 4 for an A30.
    pub slots: u32,
    /// Number of the GPU type in the order of the cluster, which decides the colour.
    pub type_index: usize,
    /// In the order drawn.
    pub layouts: Vec<Layout>,
}

/// One way of cutting a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Sizes of the parts in slots, such as `[4, 2, 1]`.
    pub parts: Vec<u32>,
    /// Whether the hardware can do it.
    pub possible: Possible,
}

/// Whether the hardware can do a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Possible {
    /// It can.
    Yes,
    /// It cannot, although the slots would suffice.
    No,
}

impl Layout {
    fn name(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| format!("{part}g")).collect();
        parts.join("+")
    }
}

const STRIP_PX: f64 = 15.0;
const STRIP_PITCH_PX: f64 = 36.0;

impl LayoutStrip {
    fn columns(&self) -> usize {
        match self.width_px {
            0..=420 => 2,
            421..=640 => 3,
            _ => 4,
        }
    }

    /// The height of the drawing in px.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.layouts.len().div_ceil(self.columns()) as f64 * STRIP_PITCH_PX
    }

    /// The drawing.
    #[must_use]
    pub fn scene(&self) -> Scene {
        let mut scene = Scene {
            id: self.id.clone(),
            width: f64::from(self.width_px.max(160)),
            height: self.height(),
            title: self.title.clone(),
            summary: self.summary(),
            ..Scene::default()
        };
        let columns = self.columns();
        let gap = 18.0;
        let width = (scene.width - gap * (columns - 1) as f64) / columns as f64;
        for (i, layout) in self.layouts.iter().enumerate() {
            let x = (i % columns) as f64 * (width + gap);
            let y = (i / columns) as f64 * STRIP_PITCH_PX;
            draw_parts(&mut scene, Area::new(x, y, width, STRIP_PX), self.slots, self.type_index, layout);
            let (class, words) = match layout.possible {
                Possible::Yes => ("", layout.name()),
                Possible::No => ("bad-tx b", format!("{}: cannot exist", layout.name())),
            };
            scene.add(Text::new(class, (x, y + STRIP_PX + 11.0), words));
        }
        scene
    }

    /// One sentence that says what is seen.
    #[must_use]
    pub fn summary(&self) -> String {
        let named = |possible: Possible| -> Vec<String> {
            self.layouts.iter().filter(|l| l.possible == possible).map(Layout::name).collect()
        };
        let (can, cannot) = (named(Possible::Yes), named(Possible::No));
        let impossible = match cannot.as_slice() {
            [] => String::new(),
            some => format!("; {} cannot exist", axis::listed(some)),
        };
        format!("{} layouts: {}{impossible}.", can.len(), axis::listed(&can))
    }
}

/// One GPU cut into `parts`, the rest of its `slots` idle, without text: for a table cell.
#[must_use]
pub fn device_strip(type_index: usize, slots: u32, parts: &[u32], width: f64) -> Scene {
    let mut scene = Scene { width, height: STRIP_PX, ..Scene::default() };
    let layout = Layout { parts: parts.to_vec(), possible: Possible::Yes };
    draw_parts(&mut scene, Area::new(0.0, 0.0, width, STRIP_PX), slots, type_index, &layout);
    scene
}

fn draw_parts(scene: &mut Scene, area: Area, slots: u32, type_index: usize, layout: &Layout) {
    let total: u32 = layout.parts.iter().fold(0, |sum, part| sum.saturating_add(*part));
    let bands = Bands::new(total.max(slots).max(1) as usize, area.x, area.right());
    let mut from = 0;
    let mut part_area = |size: u32| {
        let start = bands.start(from);
        from += size as usize;
        Area::new(start, area.y, (bands.start(from) - start - 2.0).max(1.0), area.height)
    };
    for &part in &layout.parts {
        let part = part_area(part);
        match layout.possible {
            Possible::Yes => {
                scene.add(Rect::new(format!("slot {}", gpu_class(type_index)), part).radius(2.0));
            }
            Possible::No => {
                scene.add(Rect::new("", part).radius(2.0).fill(Pattern::Loss));
                scene.add(Rect::new("outl", part).radius(2.0));
            }
        }
    }
    if let Some(idle) = slots.checked_sub(total).filter(|idle| *idle > 0) {
        scene.add(Rect::new("idle", part_area(idle)).radius(2.0));
    }
}
