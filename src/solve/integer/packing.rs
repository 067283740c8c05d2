//! Whether an allocation that counts resources can be put on devices.
//!
//! A device is what it has left: free slots where sizes are arbitrary, the positions taken where they are those of MIG. Pieces are
//! tried largest first on every kind of device there is, and left out where that loses less.

use super::problem::Problem;
use crate::cluster::packing::{Order, Rule};
use crate::cluster::{Geometry, Slice, SliceMemory};
use crate::solve::instance::InstanceLayout;

/// Steps of the search on one type, and the most pieces it is tried with.
const MAX_STEPS: u32 = 200_000;
const MAX_PIECES: usize = 200;

/// The value, in units of the program, of jobs that find no device: on uniform types each device holds what sums to its slots, on
/// MIG types what its geometry allows, and the parts of one job lie on distinct devices. Single instances and whole devices of MIG
/// types lose nothing, since their program counts exactly what packs. The least loss where the search ends within its budget (up
/// to [`MAX_PIECES`] jobs, [`MAX_STEPS`] steps a type); otherwise the best that was found.
pub(super) fn unplaced_value(problem: &Problem<'_>, choice: &[Option<u16>]) -> i64 {
    let mut lost = 0;
    for (k, of_type) in problem.instance.types.iter().enumerate() {
        let mut pieces: Vec<Piece> = Vec::new();
        for (job, (option, &(_, of_instance))) in choice.iter().zip(&problem.jobs).enumerate() {
            let Some(i) = option.map(usize::from) else { continue };
            let Some(chosen) = of_instance.options.get(i).filter(|o| problem.type_index(&o.gpu) == k) else {
                continue;
            };
            let value = problem.program.jobs[job].options[i].value;
            let slots = u8::try_from(chosen.slots).unwrap_or(u8::MAX);
            pieces.push(Piece {
                slice: Slice { slots, memory: chosen.memory },
                devices: chosen.devices,
                value,
            });
        }
        let kind = match of_type.layout {
            InstanceLayout::Uniform => Kind::Slots,
            InstanceLayout::MigA100 => Kind::Mig(Geometry::MigA100),
            InstanceLayout::MigA30 => Kind::Mig(Geometry::Buddy { slots: 4 }),
        };
        let empty = match kind {
            Kind::Slots => u8::try_from(of_type.slots_per_device).unwrap_or(u8::MAX),
            Kind::Mig(_) => 0,
        };
        lost += least_loss(kind, empty, of_type.devices, pieces);
    }
    lost
}

/// What is placed: a slice on each of so many distinct devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    slice: Slice,
    devices: u32,
    value: i64,
}

/// What the state of a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Its free slots.
    Slots,
    /// Its taken positions.
    Mig(Geometry),
}

/// Devices by state.
type Devices = [u32; 256];

fn least_loss(kind: Kind, empty: u8, devices: u32, mut pieces: Vec<Piece>) -> i64 {
    let size = |piece: &Piece| (piece.slice, piece.devices, piece.value);
    pieces.sort_by_key(|piece| std::cmp::Reverse(size(piece)));
    let mut by_state: Devices = [0; 256];
    by_state[usize::from(empty)] = devices;
    let lost = largest_first(kind, &mut by_state.clone(), &pieces);
    if lost == 0 || pieces.len() > MAX_PIECES {
        return lost;
    }
    let mut search = Search { kind, pieces: &pieces, devices: by_state, best: lost, steps: MAX_STEPS };
    search.piece(0, 0, None);
    search.best
}

/// States that host a slice and what they become, preferred first: the fullest devices, and on MIG devices positions that make no
/// slot unreachable.
fn moves(kind: Kind, slice: Slice, devices: &Devices) -> Vec<(u8, u8)> {
    let there = |state: u8| devices[usize::from(state)] > 0;
    match kind {
        Kind::Slots if slice.memory == SliceMemory::Double => Vec::new(),
        Kind::Slots => (slice.slots..=u8::MAX).filter(|&s| there(s)).map(|s| (s, s - slice.slots)).collect(),
        Kind::Mig(geometry) => {
            let preferred = Order::of(geometry, Rule::Compact).choices(slice);
            let mut moves: Vec<(u8, u8)> =
                preferred.iter().filter(|c| there(c.before)).map(|c| (c.before, c.after)).collect();
            for choice in preferred.iter().filter(|c| there(c.before)) {
                let masks = geometry.starts(slice).filter_map(|start| geometry.mask(slice, start));
                for mask in masks.filter(|mask| mask & choice.before == 0) {
                    let other = (choice.before, choice.before | mask);
                    if !moves.contains(&other) {
                        moves.push(other);
                    }
                }
            }
            moves
        }
    }
}

/// Puts every piece where it is preferred; returns the value of those that find no devices.
fn largest_first(kind: Kind, devices: &mut Devices, pieces: &[Piece]) -> i64 {
    let mut lost = 0;
    for piece in pieces {
        let mut after = *devices;
        let mut before = *devices;
        let mut left = piece.devices;
        for (from, to) in moves(kind, piece.slice, devices) {
            let taken = before[usize::from(from)].min(left);
            before[usize::from(from)] -= taken;
            after[usize::from(from)] -= taken;
            after[usize::from(to)] += taken;
            left -= taken;
        }
        if left == 0 {
            *devices = after;
        } else {
            lost += piece.value;
        }
    }
    lost
}

/// The search for the least loss.
struct Search<'p> {
    kind: Kind,
    pieces: &'p [Piece],
    devices: Devices,
    best: i64,
    steps: u32,
}

impl Search<'_> {
    /// Places or leaves out the pieces from `at` on. Of pieces alike, which are ordered by value, those that follow one that was
    /// left out are left out too.
    fn piece(&mut self, at: usize, lost: i64, left_out: Option<usize>) {
        if lost >= self.best || self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let Some(&piece) = self.pieces.get(at) else {
            self.best = lost;
            return;
        };
        let like = |other: usize| {
            let other = self.pieces[other];
            (other.slice, other.devices) == (piece.slice, piece.devices)
        };
        if !left_out.is_some_and(like) {
            let moves = moves(self.kind, piece.slice, &self.devices);
            let untouched = self.devices;
            self.parts(at, lost, left_out, &moves, piece.devices, untouched);
        }
        self.piece(at + 1, lost + piece.value, Some(at));
    }

    /// Puts `left` parts of the piece `at` on devices that it has not used (`unused`), by `moves` in order.
    fn parts(
        &mut self,
        at: usize,
        lost: i64,
        left_out: Option<usize>,
        moves: &[(u8, u8)],
        left: u32,
        unused: Devices,
    ) {
        if left == 0 {
            self.piece(at + 1, lost, left_out);
            return;
        }
        let Some((&(from, to), rest)) = moves.split_first() else { return };
        if self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let (from, to) = (usize::from(from), usize::from(to));
        for count in (0..=unused[from].min(left)).rev() {
            let mut still_unused = unused;
            still_unused[from] -= count;
            self.devices[from] -= count;
            self.devices[to] += count;
            self.parts(at, lost, left_out, rest, left - count, still_unused);
            self.devices[to] -= count;
            self.devices[from] += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(slots: &[u8]) -> Vec<Piece> {
        slots.iter().map(|&s| Piece { slice: s.into(), devices: 1, value: i64::from(s) }).collect()
    }

    #[test]
    fn a_packing_is_found_where_largest_first_misses_it() {
        // 6 4 | 5 5 | 4 3 3 on ten slots each, sorted: 6 5 5 4 4 3 3.
        let slots = [6, 5, 5, 4, 4, 3, 3];
        assert_eq!(least_loss(Kind::Slots, 10, 3, pieces(&slots)), 0);
        assert_eq!(least_loss(Kind::Slots, 6, 2, pieces(&[4, 4, 4])), 4);
    }

    #[test]
    fn what_is_worth_least_is_left_out() {
        let piece = |slots: u8, devices, value| Piece { slice: slots.into(), devices, value };
        // Both halves, or the whole that is worth less.
        let two = vec![piece(4, 1, 5), piece(2, 1, 3), piece(2, 1, 4)];
        assert_eq!(least_loss(Kind::Slots, 4, 1, two), 5);
        // Three halves leave no second device for the gang.
        let gang = vec![piece(2, 1, 9), piece(2, 1, 9), piece(2, 1, 1), piece(1, 2, 3)];
        assert_eq!(least_loss(Kind::Mig(Geometry::Buddy { slots: 4 }), 0, 2, gang), 1);
    }
}
