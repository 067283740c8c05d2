//! A hash that is fast on short texts and the same on every machine.

use std::hash::Hasher;

/// The state of the hash. It is not made to withstand chosen collisions; those only cost time here.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hash(u64);

impl Hash {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The hash of `bytes`.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self::default().with_bytes(bytes)
    }

    /// Another hash of `bytes` for every seed.
    pub(super) fn seeded(seed: u64, bytes: &[u8]) -> Self {
        Self::default().with(seed).with_bytes(bytes)
    }

    /// The hash of what was before and `word`.
    pub(super) fn with(self, word: u64) -> Self {
        let mixed = (self.0 ^ word).wrapping_mul(Self::ODD);
        Self(mixed ^ (mixed >> 32))
    }

    fn with_bytes(self, bytes: &[u8]) -> Self {
        let begin = self.with(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        let last = rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        // Two halves that need not wait for each other.
        let (pairs, odd) = words.as_chunks::<2>();
        let (mut even, mut uneven) = (begin, Self(begin.0 ^ Self::ODD));
        for [first, second] in pairs {
            even = even.with(u64::from_le_bytes(*first));
            uneven = uneven.with(u64::from_le_bytes(*second));
        }
        for word in odd {
            even = even.with(u64::from_le_bytes(*word));
        }
        if !pairs.is_empty() {
            even = even.with(uneven.0);
        }
        even.with(last)
    }

    /// Its value.
    pub(super) fn value(self) -> u64 {
        self.0
    }

    /// A word spread over all bits, for tables that look at some of them.
    pub(super) fn spread(word: u32) -> u64 {
        u64::from(word).wrapping_mul(Self::ODD)
    }
}

impl Hasher for Hash {
    fn write(&mut self, bytes: &[u8]) {
        *self = self.with_bytes(bytes);
    }

    fn write_u8(&mut self, byte: u8) {
        *self = self.with(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        // Tables look at the highest bits too.
        self.0.wrapping_mul(Self::ODD)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn near_texts_differ() {
        let texts: Vec<String> = (0..50_000).map(|n| format!("application_{n}")).collect();
        let values: HashSet<u64> = texts.iter().map(|text| Hash::of(text.as_bytes()).value()).collect();
        let tags: HashSet<u32> = values.iter().map(|value| (value >> 32) as u32).collect();
        assert_eq!(values.len(), texts.len());
        assert!(tags.len() > texts.len() - 20, "{}", tags.len());
        assert_ne!(Hash::of(b"").value(), Hash::of(b"\0").value());
        assert_ne!(Hash::of(b"\0\0\0\0\0\0\0\0").value(), Hash::of(b"\0").value());
    }
}
