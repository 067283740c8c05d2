//! The cluster as a drawing: brackets are nodes, blocks are GPUs, cells are slots.

use super::axis;
use super::format;
use super::palette::gpu_class;
use super::scene::{Area, Group, Path, Rect, Scene, Text};
use super::text::{text_width_px, wrapped};
use super::{Along, Chart, Reading, Readout, Table};

/// All devices of a cluster, a row (or several) for each GPU type.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMap {
    /// Unique in the page.
    pub id: String,
    /// The heading.
    pub title: String,
    /// Width in px; the height follows from the cluster, see [`DeviceMap::height`].
    pub width: f64,
    /// The GPU types in the order of the cluster, which decides their colours.
    pub types: Vec<DeviceType>,
}

/// The nodes of one GPU type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceType {
    /// Such as `A100-80`.
    pub name: String,
    /// How many nodes.
    pub nodes: u32,
    /// GPUs in each node.
    pub gpus_per_node: u32,
    /// Slots on each GPU: 1 for a whole GPU, 7 for MIG.
    pub slots_per_gpu: u32,
}

impl DeviceType {
    fn gpus(&self) -> u64 {
        u64::from(self.nodes) * u64::from(self.gpus_per_node)
    }

    fn slots(&self) -> u64 {
        self.gpus().saturating_mul(u64::from(self.slots_per_gpu))
    }

    fn size_text(&self) -> String {
        let gpus = format::count(self.gpus());
        match self.slots_per_gpu {
            0 | 1 => format!("{gpus} whole GPUs"),
            slots => format!("{gpus} × {slots} = {}", format::count(self.slots())),
        }
    }
}

/// How finely a type is drawn: as finely as its size allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grain {
    Slots,
    Gpus,
    Nodes,
}

const LABEL_BESIDE_FROM_PX: f64 = 560.0;
const TYPE_GAP_PX: f64 = 10.0;
/// From one line of words under a type to the next.
const WORDS_PX: f64 = 14.0;
/// A type takes at most this many rows before it is drawn more coarsely.
const MOST_ROWS: u64 = 8;
const MOST_CELLS: u64 = 2_400;

/// The measures of one type's drawing.
struct Row {
    grain: Grain,
    top: f64,
    /// Where devices start, right of the label or under it.
    devices: Area,
    block_px: f64,
    gap_px: f64,
    block_height_px: f64,
    /// Blocks side by side before a node continues below.
    blocks_per_line: u64,
    lines_per_node: u64,
    nodes_per_row: u64,
    node_width_px: f64,
    shown_nodes: u64,
    /// What a block is where it is not a GPU cut into slots, and what is not drawn; in lines.
    words: Vec<String>,
}

impl DeviceMap {
    /// The height of the drawing in px.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.rows().last().map_or(120.0, |row| row.devices.bottom())
    }

    fn filled(&self) -> impl Iterator<Item = (usize, &DeviceType)> {
        self.types.iter().enumerate().filter(|(_, t)| t.gpus() > 0)
    }

    fn rows(&self) -> Vec<Row> {
        let width = self.width.max(160.0);
        let widest = self.filled().map(|(_, kind)| {
            text_width_px(&kind.name, 12.0).max(text_width_px(&kind.size_text(), 11.0)) + 12.0
        });
        let left = if width < LABEL_BESIDE_FROM_PX { 0.0 } else { widest.fold(92.0, f64::max) };
        let mut top = 0.0;
        self.filled()
            .map(|(_, kind)| {
                let row = Row::new(kind, width, left, top);
                top = row.devices.bottom() + TYPE_GAP_PX;
                row
            })
            .collect()
    }
}

impl Row {
    /// The finest grain in which the type is not too large; nodes that do not fit even as dots are counted in
    /// words.
    fn new(kind: &DeviceType, width: f64, left: f64, top: f64) -> Self {
        [Grain::Slots, Grain::Gpus]
            .into_iter()
            .map(|grain| Self::with_grain(kind, width, left, top, grain))
            .find(|row| {
                let cells = if row.grain == Grain::Slots { kind.slots() } else { kind.gpus() };
                let rows = u64::from(kind.nodes).div_ceil(row.nodes_per_row) * row.lines_per_node;
                cells <= MOST_CELLS && rows <= MOST_ROWS
            })
            .unwrap_or_else(|| Self::with_grain(kind, width, left, top, Grain::Nodes))
    }

    fn with_grain(kind: &DeviceType, width: f64, left: f64, top: f64, grain: Grain) -> Self {
        let room = width - left;
        let above = if left > 0.0 { 0.0 } else { 18.0 };
        let slots = kind.slots_per_gpu.max(1);
        let (block_px, gap_px, block_height_px, node_gap_px, blocks) = match grain {
            Grain::Slots => {
                (f64::from(slots) * slot_px(slots), 5.0, 20.0, 16.0, u64::from(kind.gpus_per_node))
            }
            Grain::Gpus => (6.0, 2.0, 14.0, 10.0, u64::from(kind.gpus_per_node)),
            Grain::Nodes => (7.0, 2.0, 10.0, 2.0, 1),
        };
        let fits = |size: f64, gap: f64| (((room + gap) / (size + gap)).floor() as u64).max(1);
        let lines_per_node = blocks.div_ceil(fits(block_px, gap_px)).max(1);
        let blocks_per_line = blocks.div_ceil(lines_per_node).max(1);
        let node_width_px = blocks_per_line as f64 * (block_px + gap_px) - gap_px;
        let nodes_per_row = fits(node_width_px, node_gap_px);
        let nodes = u64::from(kind.nodes);
        let shown_nodes = nodes
            .min(nodes_per_row * if grain == Grain::Nodes { MOST_ROWS } else { u64::MAX / nodes_per_row });
        let mut row = Self {
            grain,
            top,
            devices: Area::default(),
            block_px,
            gap_px,
            block_height_px,
            blocks_per_line,
            lines_per_node,
            nodes_per_row,
            node_width_px,
            shown_nodes,
            words: Vec::new(),
        };
        row.words = row.words(kind).map_or_else(Vec::new, |words| wrapped(&words, 11.0, room));
        let rows = shown_nodes.div_ceil(nodes_per_row) as f64;
        let height = (rows * row.node_pitch_px()).max(30.0) + WORDS_PX * row.words.len() as f64;
        row.devices = Area::new(left, top + above, room, height);
        row
    }

    fn node_gap_px(&self) -> f64 {
        match self.grain {
            Grain::Slots => 16.0,
            Grain::Gpus => 10.0,
            Grain::Nodes => 2.0,
        }
    }

    /// From one row of nodes to the next.
    fn node_pitch_px(&self) -> f64 {
        let bracket = match self.grain {
            Grain::Slots => 16.0,
            Grain::Gpus => 11.0,
            Grain::Nodes => 3.0,
        };
        self.lines_per_node as f64 * (self.block_height_px + 4.0) - 4.0 + bracket
    }

    /// The left upper corner of a node.
    fn node_at(&self, node: u64) -> (f64, f64) {
        let (column, row) = (node % self.nodes_per_row, node / self.nodes_per_row);
        let x = self.devices.x + column as f64 * (self.node_width_px + self.node_gap_px());
        (x, self.devices.y + row as f64 * self.node_pitch_px())
    }

    fn draw(&self, scene: &mut Scene, index: usize, kind: &DeviceType) {
        if self.devices.x > 0.0 {
            scene.add(Text::new("t12 b tx", (0.0, self.top + 13.0), kind.name.clone()));
            scene.add(Text::new("", (0.0, self.top + 27.0), kind.size_text()));
        } else {
            let label = Text::new("t12 tx", (0.0, self.top + 11.0), "").span("b", kind.name.clone());
            scene.add(label.span("tx2", format!("\u{a0}\u{a0}{}", kind.size_text())));
        }
        if self.grain == Grain::Nodes {
            let mut blocks = Path::new(format!("slot {}", gpu_class(index)));
            for node in 0..self.shown_nodes {
                let (x, y) = self.node_at(node);
                blocks.rect(Area::new(x, y, self.block_px, self.block_height_px));
            }
            scene.add(blocks);
        } else {
            for node in 0..self.shown_nodes {
                scene.add(self.node(node, index, kind));
            }
        }
        for (line, words) in self.words.iter().rev().enumerate() {
            let baseline = self.devices.bottom() - 4.0 - WORDS_PX * line as f64;
            scene.add(Text::new("", (self.devices.x, baseline), words.clone()));
        }
    }

    /// One node: the cells of its blocks, and its bracket.
    fn node(&self, node: u64, index: usize, kind: &DeviceType) -> Group {
        let (x, y) = self.node_at(node);
        let slots = kind.slots_per_gpu.max(1);
        let each = if slots == 1 { "whole".to_owned() } else { format!("{slots} slots each") };
        let gpus = if kind.gpus_per_node == 1 { "GPU" } else { "GPUs" };
        let title = format!("{}, node {}: {} {gpus}, {each}", kind.name, node + 1, kind.gpus_per_node);
        let mut group = Group::new("").title(title);
        let mut cells = Path::new(format!("slot {}", gpu_class(index)));
        for gpu in 0..u64::from(kind.gpus_per_node) {
            let (column, line) = (gpu % self.blocks_per_line, gpu / self.blocks_per_line);
            let block_x = x + column as f64 * (self.block_px + self.gap_px);
            let block_y = y + line as f64 * (self.block_height_px + 4.0);
            if self.grain == Grain::Gpus {
                cells.rect(Area::new(block_x, block_y, self.block_px, self.block_height_px));
                continue;
            }
            let cell = slot_px(slots);
            for slot in 0..slots {
                let cell_x = block_x + f64::from(slot) * cell;
                cells.rect(Area::new(cell_x, block_y, cell - 1.0, self.block_height_px));
            }
        }
        group.add(cells);
        let under = y + self.lines_per_node as f64 * (self.block_height_px + 4.0);
        let mut bracket = Path::new("brk");
        bracket.move_to(x + 0.5, under - 0.5);
        bracket.line_to(x + 0.5, under + 2.5);
        bracket.along_to(x + self.node_width_px - 1.5);
        bracket.line_to(x + self.node_width_px - 1.5, under - 0.5);
        group.add(bracket);
        group
    }

    fn words(&self, kind: &DeviceType) -> Option<String> {
        match self.grain {
            Grain::Slots => None,
            Grain::Gpus => Some("Each block is a GPU.".to_owned()),
            Grain::Nodes => {
                let size = format!("Each block is a node of {} GPUs", kind.gpus_per_node);
                Some(match u64::from(kind.nodes) - self.shown_nodes {
                    0 => format!("{size}."),
                    rest => format!("{size}; {} more nodes are not drawn.", format::count(rest)),
                })
            }
        }
    }
}

/// The width of one slot and the gap after it.
fn slot_px(slots_per_gpu: u32) -> f64 {
    match slots_per_gpu {
        0 | 1 => 15.0,
        2 => 9.0,
        3 | 4 => 7.0,
        5..=7 => 6.0,
        8 => 5.0,
        _ => 4.0,
    }
}

impl Chart for DeviceMap {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height())
    }

    fn note(&self) -> Option<&'static str> {
        self.types.iter().all(|t| t.gpus() == 0).then_some("No GPU in this cluster")
    }

    fn draw(&self, scene: &mut Scene) {
        for ((index, kind), row) in self.filled().zip(self.rows()) {
            row.draw(scene, index, kind);
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        let Some(cursor) = cursor.filter(|c| c.is_finite() && *c >= 0.0) else { return scene };
        if let Some(row) = self.rows().get(cursor as usize) {
            let height = row.devices.bottom() - row.top + 4.0;
            let area = Area::new(-4.0, row.top - 4.0, scene.width + 8.0, height);
            scene.add(Rect::new("outl", area).radius(3.0));
        }
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let parts: Vec<String> = self
            .filled()
            .map(|(_, t)| {
                let nodes = if t.nodes == 1 { "node" } else { "nodes" };
                let (gpus, count) = (format::count(t.gpus()), format::count(u64::from(t.nodes)));
                format!("{gpus} {} in {count} {nodes}", t.name)
            })
            .collect();
        let gpus: u64 = self.types.iter().map(DeviceType::gpus).sum();
        let slots = self.types.iter().map(DeviceType::slots).fold(0, u64::saturating_add);
        format!("{} GPUs with {} slots: {}.", format::count(gpus), format::count(slots), axis::listed(&parts))
    }

    fn table(&self) -> Table {
        let header = ["GPU type", "Nodes", "GPUs per node", "GPUs", "Slots on each GPU", "Slots"];
        let row = |t: &DeviceType| {
            vec![
                t.name.clone(),
                format::count(u64::from(t.nodes)),
                format::count(u64::from(t.gpus_per_node)),
                format::count(t.gpus()),
                format::count(u64::from(t.slots_per_gpu)),
                format::count(t.slots()),
            ]
        };
        Table { header: header.map(str::to_owned).into(), rows: self.types.iter().map(row).collect() }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() {
            return Vec::new();
        }
        vec![Area::new(0.0, 0.0, self.width.max(160.0), self.height())]
    }

    fn direction(&self) -> Along {
        Along::Y
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        let rows = self.rows();
        let y = fraction.clamp(0.0, 1.0) * self.height();
        let index = rows.iter().rposition(|row| row.top <= y)?;
        let ((_, kind), row) = self.filled().zip(&rows).nth(index)?;
        let reading = |label: &str, value: u64| Reading {
            group: String::new(),
            label: label.to_owned(),
            class: "",
            value: Some(value as f64),
            text: format::count(value),
        };
        let values = vec![
            reading("nodes", u64::from(kind.nodes)),
            reading("GPUs", kind.gpus()),
            reading("slots", kind.slots()),
        ];
        let middle = f64::midpoint(row.top, row.devices.bottom());
        Some(Readout { x: index as f64, x_text: kind.name.clone(), fraction: middle / self.height(), values })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        let rows = self.rows();
        let y = fraction.clamp(0.0, 1.0) * self.height();
        let here = rows.iter().rposition(|row| row.top <= y).unwrap_or(0);
        let there = (here as i64 + i64::from(steps)).clamp(0, rows.len().saturating_sub(1) as i64);
        let row = usize::try_from(there).ok().and_then(|i| rows.get(i));
        row.map_or(fraction, |row| f64::midpoint(row.top, row.devices.bottom()) / self.height())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(width: f64, nodes: u32, gpus_per_node: u32, slots_per_gpu: u32) -> DeviceMap {
        let kind = DeviceType { name: "A100-80".into(), nodes, gpus_per_node, slots_per_gpu };
        DeviceMap { id: "d".into(), title: "Devices".into(), width, types: vec![kind] }
    }

    /// Rectangles in the drawing's paths.
    fn cells(map: &DeviceMap) -> usize {
        let scene = map.marks().to_svg();
        scene.matches("h-").count()
    }

    #[test]
    fn every_slot_of_a_small_cluster_is_drawn() {
        assert_eq!(cells(&map(1_000.0, 2, 8, 7)), 112);
        assert_eq!(cells(&map(300.0, 2, 8, 7)), 112);
    }

    #[test]
    fn a_large_cluster_is_drawn_more_coarsely_and_says_so() {
        let gpus = map(1_000.0, 32, 8, 7);
        assert_eq!(cells(&gpus), 256);
        assert!(gpus.marks().to_svg().contains("Each block is a GPU."));
        let nodes = map(1_000.0, 9_000, 8, 1);
        let drawn = cells(&nodes);
        let rest = format::count(9_000 - drawn as u64);
        assert!(nodes.marks().to_svg().contains(&format!("{rest} more nodes are not drawn.")));
    }

    #[test]
    fn no_size_breaks_the_drawing() {
        for (nodes, gpus, slots) in
            [(u32::MAX, u32::MAX, u32::MAX), (1, 100_000, 1), (0, 8, 7), (3, 0, 7), (3, 8, 0)]
        {
            for width in [0.0, 300.0, 1_400.0] {
                let map = map(width, nodes, gpus, slots);
                assert!(map.scene(Some(0.0)).to_svg().len() < 400_000, "{nodes} {gpus} {slots}");
                assert!(map.height().is_finite() && map.height() < 2_000.0);
            }
        }
    }

    #[test]
    fn rows_are_read_by_height() {
        let readout = map(1_000.0, 2, 8, 7).nearest(0.5).unwrap();
        assert_eq!(readout.sentence(), "A100-80: nodes 2, GPUs 16, slots 112");
    }
}
