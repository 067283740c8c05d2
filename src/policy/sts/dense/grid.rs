//! Tables over all bundles of resources, and the one step that every stage of the dynamic program makes on them.

use std::ops::{Add, Range};

use crate::policy::sts::program::Usage;

/// A value in a table: objective, jobs kept and slots taken, packed so that integer order is their lexicographic order.
pub(super) trait Score: Copy + Ord + Add<Output = Self> + From<i64> {
    /// Below every reachable score, even after all gains are added to it.
    const NONE: Self;
    /// The largest sum of gains for which this type serves.
    const MOST: i128;
    /// From a number within [`Self::MOST`].
    fn pack(number: i128) -> Self;
    /// The number.
    fn unpack(self) -> i128;
}

impl Score for i64 {
    const NONE: Self = -(1 << 62);
    const MOST: i128 = 1 << 60;
    fn pack(number: i128) -> Self {
        number as Self
    }
    fn unpack(self) -> i128 {
        Self::into(self)
    }
}

impl Score for i128 {
    const NONE: Self = -(1 << 126);
    const MOST: i128 = 1 << 124;
    fn pack(number: i128) -> Self {
        number
    }
    fn unpack(self) -> i128 {
        self
    }
}

/// Mixed-radix numbering of the bundles up to a capacity. Resources without capacity have no digit.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Per digit: the resource and its capacity. The largest comes last, so that rows are long.
    digits: Vec<(usize, u32)>,
    strides: Vec<usize>,
    cells: usize,
}

impl Grid {
    /// The grid of bundles up to `capacity`, if it has at most `limit` cells.
    pub(super) fn new(capacity: &[u32], limit: u64) -> Option<Self> {
        let mut digits: Vec<_> = capacity.iter().copied().enumerate().filter(|&(_, c)| c > 0).collect();
        digits.sort_by_key(|&(resource, c)| (c, resource));
        let mut strides = vec![0; digits.len()];
        let mut cells = 1u64;
        for (stride, &(_, c)) in strides.iter_mut().zip(&digits).rev() {
            *stride = usize::try_from(cells).ok()?;
            cells = cells.checked_mul(u64::from(c) + 1).filter(|&cells| cells <= limit)?;
        }
        Some(Self { digits, strides, cells: usize::try_from(cells).ok()? })
    }

    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// The cell of a bundle, clipped to the capacity.
    pub(super) fn cell_within(&self, bundle: &[u32]) -> usize {
        self.digits
            .iter()
            .zip(&self.strides)
            .map(|(&(resource, c), stride)| bundle.get(resource).map_or(0, |&b| b.min(c)) as usize * stride)
            .sum()
    }

    /// The bundle of a cell: the amount of each of `resources` resources.
    pub(super) fn bundle(&self, cell: usize, resources: usize) -> Vec<u32> {
        let mut bundle = vec![0; resources];
        let mut rest = cell;
        for (&(resource, _), &stride) in self.digits.iter().zip(&self.strides) {
            bundle[resource] = (rest / stride) as u32;
            rest %= stride;
        }
        bundle
    }

    /// The digits of a usage; `None` if it exceeds the capacity.
    pub(super) fn digits_of(&self, usage: &Usage) -> Option<Vec<u32>> {
        let mut lows = vec![0; self.digits.len()];
        for (resource, amount) in usage.amounts().filter(|&(_, amount)| amount > 0) {
            let digit = self.digits.iter().position(|&(r, c)| r == resource && amount <= c)?;
            lows[digit] = amount;
        }
        Some(lows)
    }

    /// The digits of a cell.
    pub(super) fn digits_at(&self, cell: usize, digits: &mut Vec<u32>) {
        digits.clear();
        let mut rest = cell;
        for &stride in &self.strides {
            digits.push((rest / stride) as u32);
            rest %= stride;
        }
    }

    /// The digits here of a bundle that has these digits in `other`; `None` if it exceeds the capacity.
    pub(super) fn translate(&self, other: &Self, digits: &[u32]) -> Option<Vec<u32>> {
        let mut lows = vec![0; self.digits.len()];
        for (&(resource, _), &amount) in other.digits.iter().zip(digits).filter(|&(_, &amount)| amount > 0) {
            let digit = self.digits.iter().position(|&(r, c)| r == resource && amount <= c)?;
            lows[digit] = amount;
        }
        Some(lows)
    }

    /// The distance in cells between a bundle and the bundle without these digits.
    pub(super) fn offset(&self, digits: &[u32]) -> usize {
        digits.iter().zip(&self.strides).map(|(&d, stride)| d as usize * stride).sum()
    }

    /// Whether a cell is one step above the lowest in a digit, and the cell one step below.
    pub(super) fn below(&self, cell: usize, digits: &[u32]) -> impl Iterator<Item = usize> {
        digits.iter().zip(&self.strides).filter(|&(&d, _)| d > 0).map(move |(_, stride)| cell - stride)
    }

    /// Calls `visit` with every maximal run of consecutive cells whose digits are all at least `lows`.
    fn rows(&self, lows: &[u32], mut visit: impl FnMut(Range<usize>)) {
        let Some((&(_, last_capacity), outer)) = self.digits.split_last() else {
            visit(0..1);
            return;
        };
        let last_low = lows[outer.len()] as usize;
        let length = last_capacity as usize + 1 - last_low;
        let mut at = lows[..outer.len()].to_vec();
        loop {
            let start = self.offset(&at) + last_low;
            visit(start..start + length);
            let Some(digit) = (0..outer.len()).rev().find(|&d| at[d] < outer[d].1) else { return };
            at[digit] += 1;
            at[digit + 1..].copy_from_slice(&lows[digit + 1..outer.len()]);
        }
    }

    /// One option of one stage: `to[n] = max(to[n], from[n - option] + gain)` for every bundle `n` that holds the option; where
    /// that is an improvement, `picks[n] = pick`.
    pub(super) fn relax<S: Score>(
        &self,
        lows: &[u32],
        gain: S,
        from: &[S],
        to: &mut [S],
        picks: Option<(&mut [u16], u16)>,
    ) {
        let offset = self.offset(lows);
        match picks {
            None => self.rows(lows, |row| {
                let source = &from[row.start - offset..row.end - offset];
                for (to, &from) in to[row].iter_mut().zip(source) {
                    *to = (*to).max(from + gain);
                }
            }),
            Some((picks, pick)) => self.rows(lows, |row| {
                let source = &from[row.start - offset..row.end - offset];
                for ((to, &from), slot) in to[row.clone()].iter_mut().zip(source).zip(&mut picks[row]) {
                    let candidate = from + gain;
                    if candidate > *to {
                        *to = candidate;
                        *slot = pick;
                    }
                }
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_cover_exactly_the_bundles_that_hold_the_option() {
        let grid = Grid::new(&[2, 0, 3, 1], 1000).unwrap();
        assert_eq!(grid.cells(), 24);
        for low in 0..grid.cells() {
            let mut lows = Vec::new();
            grid.digits_at(low, &mut lows);
            let mut seen = Vec::new();
            grid.rows(&lows, |row| seen.extend(row));
            let least = grid.bundle(low, 4);
            let holds =
                |&cell: &usize| grid.bundle(cell, 4).iter().zip(&least).all(|(have, need)| have >= need);
            assert_eq!(seen, (0..grid.cells()).filter(holds).collect::<Vec<_>>());
        }
    }

    #[test]
    fn cells_and_bundles_are_one_to_one() {
        let grid = Grid::new(&[5, 2, 0], 1000).unwrap();
        for cell in 0..grid.cells() {
            assert_eq!(grid.cell_within(&grid.bundle(cell, 3)), cell);
        }
        assert_eq!(grid.bundle(grid.cell_within(&[9, 1, 4]), 3), [5, 1, 0]);
        assert!(Grid::new(&[u32::MAX, u32::MAX, u32::MAX], u64::MAX).is_none());
    }
}
