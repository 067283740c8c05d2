//! How much of a type or a node is used, in advance for equal stretches of the whole run: what a folded row shows as long as one
//! pixel is not shorter than such a stretch.

use std::ops::Range;

use super::rows::{Place, devices};
use super::schedule::Schedule;

/// Stretches of a type.
const OF_KIND: usize = 1 << 15;
/// Most stretches of a node; all nodes together have at most [`CELLS`].
const OF_NODE: usize = 1 << 13;
const CELLS: usize = 1 << 21;
/// What a stretch that is used entirely has.
const FULL: f32 = 65_535.0;

/// Shares in use, by type and by node.
#[derive(Debug, Clone, Default)]
pub struct Bands {
    kinds: Vec<Band>,
    nodes: Vec<Band>,
}

#[derive(Debug, Clone, Default)]
struct Band {
    /// Share of the place that is used in each stretch, of [`FULL`].
    used: Vec<u16>,
}

/// Slots in use, added up over stretches of time.
struct Sum {
    /// Slots in use for the whole of a stretch, as differences from the stretch before.
    steps: Vec<f32>,
    /// Slots in use for parts of stretches.
    parts: Vec<f32>,
    per_tick: f64,
}

impl Sum {
    fn new(stretches: usize, end: u32) -> Self {
        let per_tick = stretches as f64 / f64::from(end.max(1));
        Self { steps: vec![0.0; stretches + 1], parts: vec![0.0; stretches + 1], per_tick }
    }

    fn add(&mut self, start: u32, end: u32, slots: f32) {
        let (from, to) = (f64::from(start) * self.per_tick, f64::from(end) * self.per_tick);
        let last = self.parts.len() - 1;
        let (first, after) = ((from as usize).min(last), (to as usize).min(last));
        if first == after {
            self.parts[first] += (to - from) as f32 * slots;
            return;
        }
        self.parts[first] += (first as f64 + 1.0 - from) as f32 * slots;
        self.parts[after] += (to - after as f64) as f32 * slots;
        self.steps[first + 1] += slots;
        self.steps[after] -= slots;
    }

    fn band(&self, slots: f32) -> Band {
        let mut whole = 0.0;
        let stretches = self.parts.len() - 1;
        let used = (0..stretches).map(|index| {
            whole += self.steps[index];
            ((whole + self.parts[index]) / slots.max(1.0) * FULL).round().clamp(0.0, FULL) as u16
        });
        Band { used: used.collect() }
    }
}

impl Bands {
    /// The bands of all types and nodes.
    #[must_use]
    pub fn new(schedule: &Schedule) -> Self {
        let of_node = (CELLS / schedule.nodes().len().max(1)).clamp(32, OF_NODE);
        let band = |place: Place, stretches: usize| {
            let devices = devices(schedule, place);
            let mut sum = Sum::new(stretches, schedule.end());
            for lane in schedule.lanes_of(devices.clone()) {
                let slots = schedule.lanes().get(lane as usize).map_or(0.0, |lane| f32::from(lane.slots));
                let bars = schedule.lane(lane);
                for (start, end) in schedule.starts[bars.clone()].iter().zip(&schedule.ends[bars]) {
                    sum.add(*start, *end, slots);
                }
            }
            let each = schedule.kind_of(devices.start).map_or(1.0, |(_, kind)| f32::from(kind.slots));
            sum.band(each * devices.len() as f32)
        };
        Self {
            kinds: (0..schedule.kinds().len() as u32).map(|kind| band(Place::Kind(kind), OF_KIND)).collect(),
            nodes: (0..schedule.nodes().len() as u32).map(|node| band(Place::Node(node), of_node)).collect(),
        }
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.kinds.iter().chain(&self.nodes).map(|band| band.used.capacity() * 2).sum()
    }

    fn band(&self, place: Place) -> Option<&Band> {
        match place {
            Place::Kind(kind) => self.kinds.get(kind as usize),
            Place::Node(node) => self.nodes.get(node as usize),
            Place::Device(_) => None,
        }
    }

    /// Stretches of a place; none for a device.
    #[must_use]
    pub fn stretches(&self, place: Place) -> usize {
        self.band(place).map_or(0, |band| band.used.len())
    }

    /// Mean shares of a place in `used.len()` equal parts of a window, given as fractions of the run.
    pub fn fill(&self, place: Place, window: Range<f64>, used: &mut [f32]) {
        let Some(band) = self.band(place) else { return };
        let stretches = band.used.len();
        let per_pixel = (window.end - window.start) * stretches as f64 / used.len().max(1) as f64;
        for (pixel, share) in used.iter_mut().enumerate() {
            let from = window.start * stretches as f64 + per_pixel * pixel as f64;
            if from >= stretches as f64 {
                *share = 0.0;
                continue;
            }
            let first = (from.max(0.0) as usize).min(stretches.saturating_sub(1));
            let last = ((from + per_pixel).ceil() as usize).clamp(first + 1, stretches.max(first + 1));
            let part = band.used.get(first..last.min(stretches)).unwrap_or(&[]);
            let sum: u32 = part.iter().map(|&used| u32::from(used)).sum();
            *share = sum as f32 / part.len().max(1) as f32 / FULL;
        }
    }
}
