//! Finding places for all allocations of a round, with as few moves as possible.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{Part, Placement, Repacking};
use crate::cluster::capacity::Room;
use crate::cluster::occupancy::Occupancy;
use crate::cluster::packing::Rule;
use crate::cluster::{Cluster, Geometry, Slice};
use crate::units::{DeviceId, TypeId};

/// An allocation that is to be placed: a slice on each of `devices` distinct devices of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The type.
    pub type_id: TypeId,
    /// The slice on each device.
    pub slice: Slice,
    /// Devices.
    pub devices: u32,
    /// Where the job was before.
    pub previous: Option<&'a Placement>,
    /// What moving the job would cost, in any unit; those with the least are moved first.
    pub work_at_stake: i64,
}

/// Places `wanted`, in order, on an occupancy that holds none of them; `None` where there is no position.
///
/// 1. An allocation that is what it was before keeps its position.
/// 2. The others are placed, largest first: gangs of whole devices, then slices by descending size; ties by position in `wanted`.
/// 3. With [`Repacking::WhereNeeded`], if one of them finds no position: kept slices give up theirs, in the order of least work at
///    stake and in batches that double, until all can be placed; a position that is still free afterwards goes back to its job.
///    At the latest when all slices of the type are packed anew, everything that fits by counting
///    ([`crate::cluster::capacity`]) has a place. Whole devices that were kept never move.
///
/// An allocation that does not fit by counting beside those before it (kept ones first) gets no position. Takes
/// O(n log n) steps for n allocations, times O(log n) where repacking is needed.
#[must_use]
pub fn settle(
    cluster: &Cluster,
    occupancy: &mut Occupancy,
    wanted: &[Wanted<'_>],
    repacking: Repacking,
) -> Vec<Option<Placement>> {
    let mut places: Vec<Option<Placement>> = vec![None; wanted.len()];
    for type_id in cluster.type_ids() {
        let geometry = cluster.gpu_type(type_id).geometry;
        let mut table = Table { type_id, geometry, wanted, places: &mut places, occupancy };
        let of_type: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i].type_id == type_id).collect();
        let (kept, mut fresh): (Vec<usize>, Vec<usize>) = of_type.into_iter().partition(|&i| table.keep(i));
        table.sort_largest_first(&mut fresh);
        let (placed, stuck): (Vec<usize>, Vec<usize>) =
            fresh.into_iter().partition(|&i| table.place(Rule::BestFit, i));
        if !stuck.is_empty() && repacking == Repacking::WhereNeeded {
            table.repack(&kept, &placed, stuck);
        }
    }
    places
}

/// The allocations of one type while they are placed.
struct Table<'a, 'w> {
    type_id: TypeId,
    geometry: Geometry,
    wanted: &'a [Wanted<'w>],
    places: &'a mut [Option<Placement>],
    occupancy: &'a mut Occupancy,
}

impl Table<'_, '_> {
    /// Leaves an allocation where it was, if it is what it was.
    fn keep(&mut self, index: usize) -> bool {
        let wanted = &self.wanted[index];
        let Some(previous) = wanted.previous else { return false };
        let same = previous.type_id == wanted.type_id
            && previous.slice == wanted.slice
            && previous.parts.len() == wanted.devices as usize;
        if same && self.occupancy.claim(previous) {
            self.places[index] = Some(previous.clone());
            return true;
        }
        false
    }

    fn place(&mut self, rule: Rule, index: usize) -> bool {
        let wanted = &self.wanted[index];
        self.places[index] = self.occupancy.place_by(rule, self.type_id, wanted.slice, wanted.devices);
        self.places[index].is_some()
    }

    fn lift(&mut self, index: usize) -> Option<Placement> {
        let placement = self.places[index].take()?;
        self.occupancy.release(&placement);
        Some(placement)
    }

    fn parts(&self, index: usize) -> &[Part] {
        self.places[index].as_ref().map_or(&[], |placement| &placement.parts)
    }

    fn is_slice(&self, index: usize) -> bool {
        self.wanted[index].slice.slots != self.geometry.slots()
    }

    fn sort_largest_first(&self, indices: &mut [usize]) {
        indices.sort_unstable_by_key(|&i| (Reverse((self.wanted[i].slice, self.wanted[i].devices)), i));
    }

    /// Makes room for `stuck`, largest first, by moving slices.
    fn repack(&mut self, kept: &[usize], placed: &[usize], mut stuck: Vec<usize>) {
        let (devices, movable) = self.movable(kept.iter().chain(placed).copied());
        let mut room = Room::new(self.geometry, devices);
        for &i in &movable {
            room.add(self.wanted[i].slice, self.wanted[i].devices);
        }
        stuck.retain(|&i| {
            let wanted = &self.wanted[i];
            let fits = room.fits(wanted.slice, wanted.devices);
            if fits {
                room.add(wanted.slice, wanted.devices);
            }
            fits
        });
        if stuck.is_empty() {
            return;
        }
        let mut loose: Vec<usize> = placed.iter().copied().filter(|i| movable.contains(i)).collect();
        let fresh = loose.len();
        loose.extend(kept.iter().copied().filter(|i| movable.contains(i)));
        loose[fresh..].sort_by_key(|&i| (self.wanted[i].work_at_stake, i));
        if !self.release_until_it_packs(&stuck, &loose, fresh) {
            self.pack_anew(&stuck, &loose);
        }
    }

    /// Slices that may be moved, and the devices that are free or hold nothing but them.
    fn movable(&self, placed: impl Iterator<Item = usize>) -> (u32, BTreeSet<usize>) {
        let mut movable: BTreeSet<usize> = placed.filter(|&i| self.is_slice(i)).collect();
        loop {
            let mut held: BTreeMap<DeviceId, u8> = BTreeMap::new();
            for &i in &movable {
                for part in self.parts(i) {
                    let slice = self.geometry.mask(self.wanted[i].slice, part.first_slot).unwrap_or(0);
                    *held.entry(part.device).or_default() |= slice;
                }
            }
            let shared: BTreeSet<DeviceId> = held
                .iter()
                .filter(|&(&device, &mask)| self.occupancy.device_mask(device) != mask)
                .map(|(&device, _)| device)
                .collect();
            if shared.is_empty() {
                return (self.occupancy.free_devices(self.type_id) + held.len() as u32, movable);
            }
            movable.retain(|&i| self.parts(i).iter().all(|part| !shared.contains(&part.device)));
        }
    }

    /// Lifts the first of `loose` (`fresh` of them at once, then ever more) until `stuck` and all that was lifted find a place.
    fn release_until_it_packs(&mut self, stuck: &[usize], loose: &[usize], fresh: usize) -> bool {
        let mut released = fresh;
        loop {
            if self.place_instead(stuck, &loose[..released]) {
                return true;
            }
            if released == loose.len() {
                return false;
            }
            released = loose.len().min((2 * released).saturating_sub(fresh).max(released + 1));
        }
    }

    /// Places `stuck` where `loose` may be, then `loose` again: where it was or where there is room. Changes nothing if one of them
    /// finds no position.
    fn place_instead(&mut self, stuck: &[usize], loose: &[usize]) -> bool {
        let before: Vec<(usize, Placement)> =
            loose.iter().filter_map(|&i| self.lift(i).map(|placement| (i, placement))).collect();
        let mut done = stuck.iter().all(|&i| self.place(Rule::BestFit, i));
        if done {
            let mut displaced = Vec::new();
            for (i, placement) in &before {
                if self.occupancy.claim(placement) {
                    self.places[*i] = Some(placement.clone());
                } else {
                    displaced.push(*i);
                }
            }
            self.sort_largest_first(&mut displaced);
            done = displaced.into_iter().all(|i| self.place(Rule::BestFit, i));
        }
        if !done {
            self.restore(stuck, before);
        }
        done
    }

    /// Packs `stuck` and all of `loose` from scratch. It succeeds because all of it fits by counting; if it did not, nothing
    /// would change.
    fn pack_anew(&mut self, stuck: &[usize], loose: &[usize]) {
        let before: Vec<(usize, Placement)> =
            loose.iter().filter_map(|&i| self.lift(i).map(|placement| (i, placement))).collect();
        let mut all: Vec<usize> = stuck.iter().chain(loose).copied().collect();
        self.sort_largest_first(&mut all);
        for rule in [Rule::Compact, Rule::Even] {
            if all.iter().all(|&i| self.place(rule, i)) {
                self.swap_back(&before);
                return;
            }
            for &i in &all {
                self.lift(i);
            }
        }
        self.restore(&[], before);
    }

    /// Exchanges places among single slices of one size so that as many as possible are where they were.
    fn swap_back(&mut self, before: &[(usize, Placement)]) {
        let single = |placement: &Placement| match placement.parts[..] {
            [part] => Some((placement.slice, part.device, part.first_slot)),
            _ => None,
        };
        let mut holder: BTreeMap<_, usize> =
            before.iter().filter_map(|&(i, _)| Some((single(self.places[i].as_ref()?)?, i))).collect();
        for (index, placement) in before {
            let Some(position) = single(placement) else { continue };
            let Some(&other) = holder.get(&position) else { continue };
            if let Some(mine) = self.places[*index].as_ref().and_then(single) {
                self.places.swap(*index, other);
                holder.insert(mine, other);
                holder.insert(position, *index);
            }
        }
    }

    /// Puts everything back to where it was.
    fn restore(&mut self, stuck: &[usize], before: Vec<(usize, Placement)>) {
        for &i in stuck {
            self.lift(i);
        }
        for &(i, _) in &before {
            self.lift(i);
        }
        for (i, placement) in before {
            let free = self.occupancy.claim(&placement);
            debug_assert!(free, "it was there before");
            self.places[i] = Some(placement);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Layout, MigMode, NodeGroup, catalogue};

    const FIRST: TypeId = TypeId(0);

    fn cluster(gpu: &str, nodes: u32, gpus_per_node: u32, layout: Layout) -> Cluster {
        let model = catalogue::model(gpu).expect("in the catalogue");
        Cluster::new(&[NodeGroup { model, nodes, gpus_per_node, layout }]).expect("a legal cluster")
    }

    fn at(slots: u8, parts: &[(u32, u8)]) -> Placement {
        let part = |&(device, first_slot): &(u32, u8)| Part { device: DeviceId(device), first_slot };
        Placement { type_id: FIRST, slice: slots.into(), parts: parts.iter().map(part).collect() }
    }

    fn fresh(slots: u8, devices: u32) -> Wanted<'static> {
        Wanted { type_id: FIRST, slice: slots.into(), devices, previous: None, work_at_stake: 0 }
    }

    fn kept(previous: &Placement, work_at_stake: i64) -> Wanted<'_> {
        let devices = previous.parts.len() as u32;
        Wanted { type_id: FIRST, slice: previous.slice, devices, previous: Some(previous), work_at_stake }
    }

    #[test]
    fn the_job_with_least_at_stake_moves_for_one_that_has_no_position() {
        let cluster = cluster("A100-40", 1, 2, Layout::Mig(MigMode::Strict));
        let places = [at(2, &[(0, 0)]), at(2, &[(1, 0)]), at(2, &[(1, 4)])];
        let wanted = [kept(&places[0], 30), kept(&places[1], 20), kept(&places[2], 10), fresh(4, 1)];
        let stay = settle(&cluster, &mut Occupancy::new(&cluster), &wanted, Repacking::Never);
        assert_eq!(stay, [Some(places[0].clone()), Some(places[1].clone()), Some(places[2].clone()), None]);
        let moved = settle(&cluster, &mut Occupancy::new(&cluster), &wanted, Repacking::WhereNeeded);
        assert_eq!(moved[0].as_ref(), Some(&places[0]), "most at stake");
        assert_eq!(moved[2].as_ref(), Some(&places[2]), "in nobody's way");
        assert_eq!(moved[3], Some(at(4, &[(1, 0)])));
        assert_eq!(moved[1], Some(at(2, &[(0, 2)])));
    }

    #[test]
    fn a_gang_gets_whole_devices_from_slices_and_kept_gangs_stay() {
        let cluster = cluster("V100-16", 1, 4, Layout::Uniform(4));
        let places = [at(1, &[(0, 0)]), at(1, &[(1, 2)]), at(1, &[(2, 1)]), at(4, &[(3, 0)])];
        let mut wanted: Vec<Wanted<'_>> = places.iter().map(|p| kept(p, 5)).collect();
        wanted.push(fresh(4, 2));
        let mut occupancy = Occupancy::new(&cluster);
        let settled = settle(&cluster, &mut occupancy, &wanted, Repacking::WhereNeeded);
        assert!(settled.iter().all(Option::is_some));
        assert_eq!(settled[3].as_ref(), Some(&places[3]));
        assert_eq!(occupancy.used_slots(FIRST), 3 + 4 + 8);
        let stayed = settled.iter().zip(&places).filter(|(now, before)| now.as_ref() == Some(before)).count();
        assert_eq!(stayed, 2, "one slice and the gang");
    }

    #[test]
    fn what_does_not_fit_by_counting_moves_nobody() {
        let cluster = cluster("A100-40", 1, 1, Layout::Mig(MigMode::Relaxed));
        let place = at(3, &[(0, 0)]);
        let wanted = [kept(&place, 1), fresh(3, 1), fresh(1, 1)];
        let settled = settle(&cluster, &mut Occupancy::new(&cluster), &wanted, Repacking::WhereNeeded);
        assert_eq!(
            settled,
            [Some(place.clone()), Some(at(3, &[(0, 4)])), None],
            "3g+3g+1g needs 9 memory slices"
        );
    }

    #[test]
    fn a_changed_option_is_placed_anew_and_others_jobs_are_left_alone() {
        let cluster = cluster("A100-40", 1, 2, Layout::Mig(MigMode::Strict));
        let mut occupancy = Occupancy::new(&cluster);
        let foreign = at(1, &[(0, 1)]);
        assert!(occupancy.claim(&foreign));
        let before = at(2, &[(1, 4)]);
        let grown = Wanted { slice: Slice::plain(4), ..kept(&before, 1) };
        let settled =
            settle(&cluster, &mut occupancy, &[grown, fresh(3, 1), fresh(3, 1)], Repacking::WhereNeeded);
        assert_eq!(settled, [Some(at(4, &[(1, 0)])), Some(at(3, &[(1, 4)])), Some(at(3, &[(0, 4)]))]);
        occupancy.release(&foreign);
        assert_eq!(occupancy.device_mask(DeviceId(0)), 0xf0);
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod properties {
        use proptest::prelude::*;
        use proptest::sample::Index;

        use super::*;
        use crate::cluster::capacity::Capacity;

        fn two_types() -> Cluster {
            let group = |gpu, nodes, gpus_per_node, layout| NodeGroup {
                model: catalogue::model(gpu).expect("in the catalogue"),
                nodes,
                gpus_per_node,
                layout,
            };
            Cluster::new(&[
                group("A100-80", 2, 2, Layout::Mig(MigMode::Strict)),
                group("V100-16", 3, 1, Layout::Uniform(4)),
            ])
            .expect("a legal cluster")
        }

        /// A job of an imagined workload: type, size, devices, stake, and the rounds in which it wants to run.
        type Job = (u16, Index, u32, i64, Vec<bool>);

        fn jobs() -> impl Strategy<Value = Vec<Job>> {
            let devices = prop_oneof![8 => Just(1u32), 1 => Just(2u32), 1 => Just(3u32)];
            let job = (0u16..2, any::<Index>(), devices, 0i64..100, prop::collection::vec(any::<bool>(), 8));
            prop::collection::vec(job, 1..24)
        }

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(400))]
            #[test]
            fn everything_that_fits_by_counting_finds_a_place(jobs in jobs()) {
                let cluster = two_types();
                let mut places: Vec<Option<Placement>> = vec![None; jobs.len()];
                for round in 0..8 {
                    let mut capacity = Capacity::full(&cluster);
                    let mut running: Vec<usize> = Vec::new();
                    for (i, (type_id, size, devices, _, active)) in jobs.iter().enumerate() {
                        let slice = *size.get(cluster.gpu_type(TypeId(*type_id)).geometry.slices());
                        if active[round] && capacity.take(TypeId(*type_id), slice, *devices) {
                            running.push(i);
                        }
                    }
                    let wanted: Vec<Wanted<'_>> = running
                        .iter()
                        .map(|&i| {
                            let (type_id, size, devices, work_at_stake, _) = &jobs[i];
                            Wanted {
                                type_id: TypeId(*type_id),
                                slice: *size.get(cluster.gpu_type(TypeId(*type_id)).geometry.slices()),
                                devices: *devices,
                                previous: places[i].as_ref(),
                                work_at_stake: *work_at_stake,
                            }
                        })
                        .collect();
                    let mut still = Occupancy::new(&cluster);
                    let unmoved = settle(&cluster, &mut still, &wanted, Repacking::Never);
                    for (place, w) in unmoved.iter().zip(&wanted) {
                        prop_assert!(w.previous.is_none() || place.as_ref() == w.previous, "nobody moves");
                    }
                    let mut occupancy = Occupancy::new(&cluster);
                    let settled = settle(&cluster, &mut occupancy, &wanted, Repacking::WhereNeeded);
                    let mut check = Occupancy::new(&cluster);
                    for (place, w) in settled.iter().zip(&wanted) {
                        let place = place.as_ref();
                        prop_assert!(place.is_some(), "a place for each");
                        let place = place.expect("just asserted");
                        prop_assert_eq!((place.slice, place.parts.len() as u32), (w.slice, w.devices));
                        prop_assert!(check.claim(place), "no overlap, legal starts");
                        let whole = w.slice.slots == cluster.gpu_type(w.type_id).geometry.slots();
                        if whole && w.previous.is_some() {
                            prop_assert_eq!(Some(place), w.previous);
                        }
                    }
                    for device in (0..cluster.devices()).map(DeviceId) {
                        prop_assert_eq!(check.device_mask(device), occupancy.device_mask(device));
                    }
                    if unmoved.iter().all(Option::is_some) {
                        prop_assert_eq!(&unmoved, &settled, "nobody moves without need");
                    }
                    let now: Vec<_> = running.into_iter().zip(settled).collect();
                    places = vec![None; jobs.len()];
                    for (i, place) in now {
                        places[i] = place;
                    }
                }
            }
        }
    }
}
