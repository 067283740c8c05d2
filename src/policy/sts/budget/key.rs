//! Vectors of small counts packed into machine words.
//!
//! A state of the dynamic programs is "what is left of every resource". Each count gets a field just wide enough for its
//! greatest value plus one *guard* bit above it. Setting all guards before a subtraction keeps a borrow inside its field:
//! the guard of a field survives exactly when that field did not go negative, so one subtraction and one mask test all
//! resources at once. A field never straddles two words.

use super::RESOURCES;

/// Counts packed into `N` words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<const N: usize>([u64; N]);

impl<const N: usize> Key<N> {
    /// A hash whose *high* bits are good, on every target (`usize` is 32 bits wide on some).
    #[inline]
    pub(super) fn hash(&self) -> u64 {
        let mut hash = 0u64;
        for word in self.0 {
            hash = (hash.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        // One multiplication leaves the high bits of a key's low fields well mixed, but not those of its high fields.
        (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    /// `self + other`, of which the caller knows that every count fits its field.
    #[inline]
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut sum = self.0;
        for (s, o) in sum.iter_mut().zip(other.0) {
            *s += o;
        }
        Self(sum)
    }
}

/// Where one resource sits in a key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Field {
    word: u8,
    shift: u8,
    mask: u64,
}

/// The fields of a key.
#[derive(Debug, Clone)]
pub(super) struct Layout<const N: usize> {
    fields: [Field; RESOURCES],
    guard: [u64; N],
}

/// How many words hold fields for these greatest counts.
pub(super) fn words_for(greatest: &[u32]) -> usize {
    let (mut word, mut used) = (0, 0);
    for &g in greatest {
        let width = width(g);
        if used + width > u64::BITS {
            word += 1;
            used = 0;
        }
        used += width;
    }
    word + 1
}

/// Bits of a field, its guard included.
fn width(greatest: u32) -> u32 {
    u32::BITS - greatest.leading_zeros() + 1
}

impl<const N: usize> Layout<N> {
    /// Fields for these greatest counts, in this order; the caller has asked [`words_for`] that `N` words hold them.
    pub(super) fn new(greatest: &[u32]) -> Self {
        debug_assert!(words_for(greatest) <= N && greatest.len() <= RESOURCES);
        let mut layout = Self { fields: [Field::default(); RESOURCES], guard: [0; N] };
        let (mut word, mut used) = (0usize, 0);
        for (field, &g) in layout.fields.iter_mut().zip(greatest) {
            let width = width(g);
            if used + width > u64::BITS {
                word += 1;
                used = 0;
            }
            *field = Field { word: word as u8, shift: used as u8, mask: (1u64 << (width - 1)) - 1 };
            layout.guard[word] |= 1u64 << (used + width - 1);
            used += width;
        }
        layout
    }

    /// The key of these counts, each at most its field's greatest.
    #[inline]
    pub(super) fn pack(&self, counts: &[u32]) -> Key<N> {
        let mut words = [0; N];
        for (field, &count) in self.fields.iter().zip(counts) {
            debug_assert!(u64::from(count) <= field.mask);
            words[usize::from(field.word)] |= u64::from(count) << field.shift;
        }
        Key(words)
    }

    /// One count of a key.
    #[inline]
    pub(super) fn get(&self, key: &Key<N>, field: usize) -> u32 {
        let f = self.fields[field];
        ((key.0[usize::from(f.word)] >> f.shift) & f.mask) as u32
    }

    /// Lowers one count of a key by `by`, which is at most the count.
    #[inline]
    pub(super) fn lower(&self, key: &mut Key<N>, field: usize, by: u32) {
        let f = self.fields[field];
        key.0[usize::from(f.word)] -= u64::from(by) << f.shift;
    }

    /// `left - taken`, or `None` if any count would go negative.
    #[inline]
    pub(super) fn take(&self, left: &Key<N>, taken: &Key<N>) -> Option<Key<N>> {
        let mut rest = [0; N];
        let mut lost = 0;
        for (i, r) in rest.iter_mut().enumerate() {
            let t = (left.0[i] | self.guard[i]).wrapping_sub(taken.0[i]);
            lost |= !t & self.guard[i];
            *r = t & !self.guard[i];
        }
        (lost == 0).then_some(Key(rest))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<const N: usize>(greatest: &[u32], left: &[u32], taken: &[u32]) {
        let layout = Layout::<N>::new(greatest);
        let (l, t) = (layout.pack(left), layout.pack(taken));
        let fits = left.iter().zip(taken).all(|(l, t)| t <= l);
        let rest = layout.take(&l, &t);
        assert_eq!(rest.is_some(), fits);
        if let Some(rest) = rest {
            for (i, (l, t)) in left.iter().zip(taken).enumerate() {
                assert_eq!(layout.get(&rest, i), l - t);
            }
        }
    }

    proptest! {
        #[test]
        fn packed_subtraction_is_subtraction(rows in prop::collection::vec((0u32..=1 << 20, any::<u32>(), any::<u32>(), any::<bool>()), 1..=RESOURCES)) {
            let greatest: Vec<u32> = rows.iter().map(|r| r.0).collect();
            let left: Vec<u32> = rows.iter().map(|r| r.1 % (r.0 + 1)).collect();
            let taken: Vec<u32> = rows.iter().zip(&left).map(|(r, &l)| if r.3 { r.2 % (l + 1) } else { r.2 % (r.0 + 1) }).collect();
            match words_for(&greatest) {
                1 => check::<1>(&greatest, &left, &taken),
                2 => check::<2>(&greatest, &left, &taken),
                3 | 4 => check::<4>(&greatest, &left, &taken),
                _ => check::<RESOURCES>(&greatest, &left, &taken),
            }
        }
    }

    #[test]
    fn full_width_counts_fit_the_widest_key() {
        assert_eq!(words_for(&[u32::MAX; RESOURCES]), RESOURCES);
        check::<RESOURCES>(&[u32::MAX; RESOURCES], &[u32::MAX; RESOURCES], &[u32::MAX; RESOURCES]);
        check::<RESOURCES>(&[u32::MAX; RESOURCES], &[5; RESOURCES], &[6; RESOURCES]);
        assert_eq!(words_for(&[]), 1);
    }
}
