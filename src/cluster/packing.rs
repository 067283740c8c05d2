//! Which device takes a slice, and at which position.
//!
//! What a device can still host depends only on which of its positions are taken, so a preference is an order over the few masks
//! that a device can have ([`Order`]). Slices are packed largest first; then [`Rule::Compact`] and [`Rule::Even`] find a packing
//! of single slices whenever there is one (see [`super::capacity`]), because a position that makes a slot unreachable (of a 3g in
//! the left half, of a double-memory 1g anywhere but at the end) is the last resort.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::{Geometry, Slice};

/// What is preferred when a slice could go to several devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Devices in use, the fullest first: keeps whole devices free. For placing one job at a time.
    BestFit,
    /// Positions that make no slot unreachable; among these devices in use, the fullest first. For packing from scratch.
    Compact,
    /// Positions that make no slot unreachable; among these the emptiest device. For packing from scratch when slices that must
    /// lie on distinct devices are among them.
    Even,
}

/// A device with the positions `before` taken hosts a slice at `start`; then `after` are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Positions taken before.
    pub before: u8,
    /// Where the slice starts.
    pub start: u8,
    /// Positions taken with it.
    pub after: u8,
}

/// The preferred choices of one geometry under one rule, by kind of slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    by_slice: [Vec<Choice>; Slice::KINDS],
}

impl Order {
    /// The order of `geometry` under `rule`.
    #[must_use]
    pub fn of(geometry: Geometry, rule: Rule) -> &'static Self {
        static ORDERS: [OnceLock<Order>; 15] = [const { OnceLock::new() }; 15];
        let row = match geometry {
            Geometry::Buddy { slots: 1 } => 0,
            Geometry::Buddy { slots: 2 } => 1,
            Geometry::Buddy { slots: 4 } => 2,
            Geometry::Buddy { .. } => 3,
            Geometry::MigA100 => 4,
        };
        let column = match rule {
            Rule::BestFit => 0,
            Rule::Compact => 1,
            Rule::Even => 2,
        };
        ORDERS[row * 3 + column].get_or_init(|| Self::new(geometry, rule))
    }

    fn new(geometry: Geometry, rule: Rule) -> Self {
        let masks = reachable_masks(geometry);
        let mut by_slice: [Vec<Choice>; Slice::KINDS] = Default::default();
        for &slice in geometry.slices() {
            let mut ranked: Vec<_> = masks
                .iter()
                .filter_map(|&before| best_start(geometry, slice, before))
                .map(|choice| (key(geometry, slice, choice, rule), choice))
                .collect();
            ranked.sort_unstable_by_key(|&(key, choice)| (key, choice.before));
            by_slice[slice.index()] = ranked.into_iter().map(|(_, choice)| choice).collect();
        }
        Self { by_slice }
    }

    /// The choices for a slice, preferred first; none if there is no such slice.
    #[must_use]
    pub fn choices(&self, slice: impl Into<Slice>) -> &[Choice] {
        self.by_slice.get(slice.into().index()).map_or(&[], Vec::as_slice)
    }
}

/// Allocations of one shape: `count` times a slice on each of `devices` distinct devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    /// The slice on each device.
    pub slice: Slice,
    /// Devices of one allocation.
    pub devices: u32,
    /// Allocations.
    pub count: u32,
}

/// Whether `demands` can be packed under [`Rule::Even`] on `devices` empty devices, in the order given: it must be by descending
/// `slice` and then by descending `devices`. The parts of an allocation take distinct devices. Takes
/// O(allocations on several devices + kinds) steps, whatever the number of devices.
#[must_use]
pub fn packs_evenly(geometry: Geometry, devices: u32, demands: &[Demand]) -> bool {
    let order = Order::of(geometry, Rule::Even);
    let mut by_mask = [0u32; 256];
    by_mask[0] = devices;
    for demand in demands {
        let choices = order.choices(demand.slice);
        if demand.devices == 1 {
            // A device that takes one comes later in the order than it was, so that one pass serves all.
            if !spread(&mut by_mask, choices, demand.count) {
                return false;
            }
            continue;
        }
        for _ in 0..demand.count {
            let mut after = by_mask;
            if !move_devices(&by_mask, &mut after, choices, demand.devices) {
                return false;
            }
            by_mask = after;
        }
    }
    true
}

/// Gives one slice each to `count` devices, the same device as often as its turn comes.
fn spread(by_mask: &mut [u32; 256], choices: &[Choice], mut count: u32) -> bool {
    for choice in choices {
        let taken = by_mask[usize::from(choice.before)].min(count);
        by_mask[usize::from(choice.before)] -= taken;
        by_mask[usize::from(choice.after)] += taken;
        count -= taken;
    }
    count == 0
}

/// Gives one slice each to `count` distinct devices.
fn move_devices(by_mask: &[u32; 256], after: &mut [u32; 256], choices: &[Choice], mut count: u32) -> bool {
    for choice in choices {
        let taken = by_mask[usize::from(choice.before)].min(count);
        after[usize::from(choice.before)] -= taken;
        after[usize::from(choice.after)] += taken;
        count -= taken;
    }
    count == 0
}

/// Every mask a device can come to have.
fn reachable_masks(geometry: Geometry) -> Vec<u8> {
    let mut masks = vec![0u8];
    let mut next = 0;
    while let Some(&mask) = masks.get(next) {
        next += 1;
        for &slice in geometry.slices() {
            for after in placements(geometry, slice, mask) {
                if !masks.contains(&after) {
                    masks.push(after);
                }
            }
        }
    }
    masks
}

/// The masks that one more slice leads to, one for each legal position.
fn placements(geometry: Geometry, slice: Slice, mask: u8) -> impl Iterator<Item = u8> {
    geometry
        .starts(slice)
        .filter_map(move |start| geometry.mask(slice, start))
        .filter(move |more| more & mask == 0)
        .map(move |more| more | mask)
}

/// Legal positions for one more plain slice, of all sizes together: what a device is still good for. The double-memory 1g counts
/// for nothing here, being wanted only by jobs that need more memory than compute.
fn possibilities(geometry: Geometry, mask: u8) -> usize {
    geometry.sizes().iter().map(|&slots| placements(geometry, slots.into(), mask).count()).sum()
}

/// Slots that `choice` takes without using them.
fn waste(geometry: Geometry, slice: Slice, choice: Choice) -> u8 {
    let lost = geometry.reachable_slots(choice.before) - geometry.reachable_slots(choice.after);
    lost.saturating_sub(slice.slots)
}

/// The start that wastes least and leaves most positions legal for later slices; the first of equals.
fn best_start(geometry: Geometry, slice: Slice, before: u8) -> Option<Choice> {
    geometry
        .starts(slice)
        .filter_map(|start| geometry.mask(slice, start).map(|covered| (start, covered)))
        .filter(|&(_, covered)| covered & before == 0)
        .map(|(start, covered)| Choice { before, start, after: before | covered })
        .min_by_key(|&choice| {
            (waste(geometry, slice, choice), Reverse(possibilities(geometry, choice.after)), choice.start)
        })
}

/// The rank of a choice: smaller is preferred.
fn key(geometry: Geometry, slice: Slice, choice: Choice, rule: Rule) -> [usize; 4] {
    let waste = usize::from(waste(geometry, slice, choice));
    let opens = usize::from(choice.before == 0);
    let free = usize::from(geometry.reachable_slots(choice.before));
    let lost = possibilities(geometry, choice.before) - possibilities(geometry, choice.after);
    match rule {
        Rule::BestFit => [opens, free, waste, lost],
        Rule::Compact => [waste, opens, free, lost],
        Rule::Even => [waste, usize::from(u8::MAX) - free, lost, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A100: Geometry = Geometry::MigA100;

    fn first(rule: Rule, slots: u8) -> Choice {
        Order::of(A100, rule).choices(slots)[0]
    }

    #[test]
    fn slices_on_an_empty_a100_leave_the_most_positions() {
        for (slots, start) in [(1, 6), (2, 4), (3, 4), (4, 0), (7, 0)] {
            assert_eq!(best_start(A100, slots.into(), 0).map(|c| c.start), Some(start), "{slots}g");
        }
        let double = best_start(A100, Slice::DOUBLE_MEMORY_1G, 0).map(|c| c.start);
        assert_eq!(
            double,
            Some(6),
            "beside the last slot lies memory that no plain slice but a 3g or 7g can use"
        );
    }

    #[test]
    fn a_3g_completes_a_4g_before_it_opens_a_device_and_goes_left_last() {
        let four = 0x0f;
        assert_eq!(first(Rule::BestFit, 3).before, four);
        let compact = Order::of(A100, Rule::Compact).choices(3);
        let position = |before| compact.iter().position(|c| c.before == before);
        assert_eq!(compact[0].before, four);
        assert!(position(0) < position(0xf0), "an empty device before the left half beside a 3g");
        assert_eq!(first(Rule::BestFit, 7).before, 0);
    }

    #[test]
    fn orders_list_each_mask_that_can_host_the_slice_once() {
        for geometry in [1, 2, 4, 8].map(|slots| Geometry::Buddy { slots }).into_iter().chain([A100]) {
            let masks = reachable_masks(geometry);
            for rule in [Rule::BestFit, Rule::Compact, Rule::Even] {
                for &slice in geometry.slices() {
                    let choices = Order::of(geometry, rule).choices(slice);
                    let hosts = masks.iter().filter(|&&mask| geometry.hosts(slice, mask)).count();
                    assert_eq!(choices.len(), hosts);
                    for (index, choice) in choices.iter().enumerate() {
                        assert_eq!(geometry.mask(slice, choice.start), Some(choice.after ^ choice.before));
                        assert!(choices[..index].iter().all(|other| other.before != choice.before));
                    }
                }
            }
        }
    }

    #[test]
    fn under_even_a_device_falls_back_in_the_order_when_it_takes_a_slice() {
        for geometry in [2, 4, 8].map(|slots| Geometry::Buddy { slots }).into_iter().chain([A100]) {
            for &slice in geometry.slices() {
                let choices = Order::of(geometry, Rule::Even).choices(slice);
                for (index, choice) in choices.iter().enumerate() {
                    assert!(choices[..index].iter().all(|earlier| earlier.before != choice.after));
                }
            }
        }
    }

    #[test]
    fn slices_of_one_job_need_distinct_devices() {
        let s4 = Geometry::Buddy { slots: 4 };
        let demand = |slots, devices, count| Demand { slice: Slice::plain(slots), devices, count };
        assert!(!packs_evenly(s4, 2, &[demand(1, 3, 1)]));
        assert!(packs_evenly(s4, 2, &[demand(2, 2, 2)]));
        assert!(packs_evenly(s4, 3, &[demand(2, 1, 4), demand(1, 2, 2)]));
        // Three halves fill one of two devices, so that nothing can be on both.
        assert!(!packs_evenly(s4, 2, &[demand(2, 1, 3), demand(1, 2, 1)]));
        assert!(packs_evenly(A100, 2, &[demand(4, 2, 1), demand(3, 2, 1)]));
        assert!(!packs_evenly(A100, 2, &[demand(4, 1, 1), demand(3, 2, 2)]));
    }
}
