//! Rows: GPU types, their nodes, the devices of these, and the slots of a device; each level can be folded into one band.

use std::ops::Range;

use super::schedule::Schedule;

/// Height of the row of a type or a node.
const GROUP_PX: f64 = 16.0;
/// Height of a device without positions to tell apart, and of a folded one.
const DEVICE_PX: f64 = 13.0;
/// Height of one position.
const POSITION_PX: f64 = 6.0;
/// Between two rows.
const GAP_PX: f64 = 2.0;
/// Before the row of a type.
const TYPE_GAP_PX: f64 = 7.0;
/// Rows are unfolded from the beginning as long as they are not higher than so many screens.
const SCREENS: f64 = 2.5;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// A GPU type.
    Kind(u32),
    /// A node.
    Node(u32),
    /// A device.
    Device(u32),
}

/// How a row is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One band: how much is used.
    Band,
    /// Bars, at their positions.
    Bars,
}

/// Whether a row can be folded, and is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folding {
    /// It has no rows below it.
    Leaf,
    /// What is below it is not shown.
    Folded,
    /// What is below it is shown.
    Unfolded,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// What it is about.
    pub place: Place,
    /// How it is drawn.
    pub shape: Shape,
    /// Whether it is folded.
    pub folding: Folding,
    /// Its upper edge, in px from that of the first.
    pub top: f64,
    /// Its height in px.
    pub height: f64,
}

impl Row {
    /// Its lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// What is unfolded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Folds {
    kinds: Vec<bool>,
    nodes: Vec<bool>,
    devices: Vec<bool>,
}

impl Folds {
    /// Everything folded.
    #[must_use]
    pub fn all(schedule: &Schedule) -> Self {
        Self {
            kinds: vec![false; schedule.kinds().len()],
            nodes: vec![false; schedule.nodes().len()],
            devices: vec![false; schedule.devices() as usize],
        }
    }

    /// Everything unfolded.
    #[must_use]
    pub fn none(schedule: &Schedule) -> Self {
        let mut folds = Self::all(schedule);
        [&mut folds.kinds, &mut folds.nodes, &mut folds.devices]
            .into_iter()
            .for_each(|level| level.fill(true));
        folds
    }

    /// As much unfolded as a reader can take in on a screen of this height: everything, or devices as bands, or the first node of
    /// every type, or nothing.
    #[must_use]
    pub fn fitting(schedule: &Schedule, height_px: f64) -> Self {
        let room = height_px * SCREENS;
        let everything = Self::none(schedule);
        if rows(schedule, &everything).height <= room {
            return everything;
        }
        let mut first_nodes = Self::all(schedule);
        first_nodes.kinds.fill(true);
        for kind in 0..schedule.kinds().len() as u32 {
            let first = schedule.nodes_of(kind).start as usize;
            let Some(node) = schedule.nodes().get(first) else { continue };
            if let Some(open) = first_nodes.nodes.get_mut(first) {
                *open = true;
            }
            let devices = node.first_device as usize..(node.first_device + node.devices) as usize;
            if let Some(devices) = first_nodes.devices.get_mut(devices) {
                devices.fill(true);
            }
        }
        if rows(schedule, &first_nodes).height <= room * 2.0 {
            return first_nodes;
        }
        Self::all(schedule)
    }

    fn open_mut(&mut self, place: Place) -> Option<&mut bool> {
        match place {
            Place::Kind(kind) => self.kinds.get_mut(kind as usize),
            Place::Node(node) => self.nodes.get_mut(node as usize),
            Place::Device(device) => self.devices.get_mut(device as usize),
        }
    }

    /// Folds what is unfolded, and the other way round.
    pub fn toggle(&mut self, place: Place) {
        if let Some(open) = self.open_mut(place) {
            *open = !*open;
        }
    }

    /// Unfolds a device and everything it is in.
    pub fn unfold(&mut self, schedule: &Schedule, device: u32) {
        let kind = schedule.kind_of(device).map(|(kind, _)| Place::Kind(kind));
        let node = schedule.node_of(device).map(|(node, _)| Place::Node(node));
        for place in [kind, node, Some(Place::Device(device))].into_iter().flatten() {
            if let Some(open) = self.open_mut(place) {
                *open = true;
            }
        }
    }

    fn folding(&self, place: Place) -> Folding {
        let level = match place {
            Place::Kind(kind) => self.kinds.get(kind as usize),
            Place::Node(node) => self.nodes.get(node as usize),
            Place::Device(device) => self.devices.get(device as usize),
        };
        if level.copied().unwrap_or(false) { Folding::Unfolded } else { Folding::Folded }
    }
}

/// All rows that are not inside a folded one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    /// From above to below.
    pub rows: Vec<Row>,
    /// Their height in px.
    pub height: f64,
}

/// Lays rows out.
#[must_use]
pub fn rows(schedule: &Schedule, folds: &Folds) -> Rows {
    let mut out = Rows::default();
    for (index, kind) in schedule.kinds().iter().enumerate() {
        if index > 0 {
            out.height += TYPE_GAP_PX;
        }
        let place = Place::Kind(index as u32);
        let folding = folds.folding(place);
        out.push(place, Shape::Band, folding, GROUP_PX);
        if folding == Folding::Folded {
            continue;
        }
        for node in schedule.nodes_of(index as u32) {
            let place = Place::Node(node);
            let folding = folds.folding(place);
            out.push(place, Shape::Band, folding, GROUP_PX);
            let node = schedule.nodes().get(node as usize).filter(|_| folding == Folding::Unfolded);
            let Some(node) = node else { continue };
            for device in node.first_device..node.first_device + node.devices {
                let place = Place::Device(device);
                match (kind.positions, folds.folding(place)) {
                    (1, _) => out.push(place, Shape::Bars, Folding::Leaf, DEVICE_PX),
                    (_, Folding::Folded) => out.push(place, Shape::Band, Folding::Folded, DEVICE_PX),
                    (positions, _) => {
                        let height = f64::from(positions) * POSITION_PX;
                        out.push(place, Shape::Bars, Folding::Unfolded, height.max(DEVICE_PX));
                    }
                }
            }
        }
    }
    out
}

impl Rows {
    fn push(&mut self, place: Place, shape: Shape, folding: Folding, height: f64) {
        self.rows.push(Row { place, shape, folding, top: self.height, height });
        self.height += height + GAP_PX;
    }

    /// The numbers of the rows between two heights.
    #[must_use]
    pub fn between(&self, top: f64, bottom: f64) -> Range<usize> {
        let first = self.rows.partition_point(|row| row.bottom() <= top);
        let last = self.rows.partition_point(|row| row.top < bottom);
        first..last.max(first)
    }

    /// The row at a height; the one above where there is a gap.
    #[must_use]
    pub fn at(&self, y: f64) -> Option<usize> {
        self.rows.partition_point(|row| row.top <= y).checked_sub(1)
    }

    /// The row of a place, or of the folded one that it is in.
    #[must_use]
    pub fn holding(&self, schedule: &Schedule, device: u32) -> Option<usize> {
        let kind = schedule.kind_of(device).map(|(kind, _)| Place::Kind(kind));
        let node = schedule.node_of(device).map(|(node, _)| Place::Node(node));
        let find = |place| self.rows.iter().position(|row| row.place == place);
        find(Place::Device(device)).or_else(|| node.and_then(find)).or_else(|| kind.and_then(find))
    }
}

/// The devices of a place.
#[must_use]
pub fn devices(schedule: &Schedule, place: Place) -> Range<u32> {
    match place {
        Place::Kind(kind) => schedule
            .kinds()
            .get(kind as usize)
            .map_or(0..0, |kind| kind.first_device..kind.first_device + kind.devices),
        Place::Node(node) => schedule
            .nodes()
            .get(node as usize)
            .map_or(0..0, |node| node.first_device..node.first_device + node.devices),
        Place::Device(device) => device..device + 1,
    }
}
