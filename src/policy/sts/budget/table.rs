//! An open-addressing index from keys to positions in a list that the caller keeps.
//!
//! Iteration is over the caller's list, in insertion order, so nothing depends on the order of the hash. Clearing is one
//! increment of a stamp.

use super::key::Key;

/// One slot: the position, and the generation it belongs to.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    stamp: u32,
    position: u32,
}

/// The index.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
    stamp: u32,
    /// The hash's high bits that address a slot: `hash >> shift`.
    shift: u32,
    /// Positions it takes before it must grow.
    room: usize,
}

/// Fewest slots, as a power of two.
const LEAST_BITS: u32 = 8;

impl Table {
    /// Forgets all keys and makes room for about `expected`.
    pub(super) fn clear(&mut self, expected: usize) {
        let mut bits = LEAST_BITS;
        while (1usize << bits) < expected.saturating_mul(2) && bits < 30 {
            bits += 1;
        }
        let size = 1usize << bits;
        if self.slots.len() < size {
            self.slots.clear();
            self.slots.resize(size, Slot::default());
            self.stamp = 0;
        }
        // A smaller use of a big table addresses only its first part, which stays in the cache.
        self.shift = u64::BITS - bits;
        self.room = size / 2;
        if self.stamp == u32::MAX {
            self.slots.fill(Slot::default());
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    /// The position of `key` in `keys`; if it is not there, `None`, and `keys.len()` is entered as its position: the
    /// caller pushes it.
    #[inline]
    pub(super) fn find_or_insert<const N: usize>(&mut self, key: &Key<N>, keys: &[Key<N>]) -> Option<usize> {
        if keys.len() >= self.room {
            self.grow(keys);
        }
        let mask = (self.room * 2 - 1) as u64;
        let mut at = key.hash() >> self.shift;
        loop {
            let slot = &mut self.slots[at as usize];
            if slot.stamp != self.stamp {
                *slot = Slot { stamp: self.stamp, position: keys.len() as u32 };
                return None;
            }
            if keys[slot.position as usize] == *key {
                return Some(slot.position as usize);
            }
            at = (at + 1) & mask;
        }
    }

    /// Doubles the slots.
    #[cold]
    fn grow<const N: usize>(&mut self, keys: &[Key<N>]) {
        self.rebuild(keys);
    }

    /// Enters these keys, which differ, and no others.
    pub(super) fn rebuild<const N: usize>(&mut self, keys: &[Key<N>]) {
        self.clear(keys.len() * 2 + 2);
        let mask = (self.room * 2 - 1) as u64;
        for (position, key) in keys.iter().enumerate() {
            let mut at = key.hash() >> self.shift;
            while self.slots[at as usize].stamp == self.stamp {
                at = (at + 1) & mask;
            }
            self.slots[at as usize] = Slot { stamp: self.stamp, position: position as u32 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Layout;
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_a_map_through_growth_and_reuse() {
        let layout = Layout::<2>::new(&[1 << 20, 1 << 20, 1 << 20, 1 << 20]);
        let mut table = Table::default();
        for round in 0u32..4 {
            table.clear(10);
            let (mut keys, mut map) = (Vec::new(), HashMap::new());
            for i in 0u32..5_000 {
                let x = (i.wrapping_mul(2_654_435_761).wrapping_add(round)) % 3_001;
                let key = layout.pack(&[x, x / 7, 0, x % 5]);
                let found = table.find_or_insert(&key, &keys);
                assert_eq!(found, map.get(&x).copied());
                if found.is_none() {
                    map.insert(x, keys.len());
                    keys.push(key);
                }
            }
            assert_eq!(keys.len(), map.len());
        }
    }
}
