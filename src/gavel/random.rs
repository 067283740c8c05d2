//! The random numbers of Gavel's programming language: CPython's `random.Random`.
//!
//! CPython seeds a Mersenne Twister (MT19937) by `init_by_array` with the 32-bit words of the seed's absolute value, and draws
//! whole numbers below a bound by rejection from as many leading bits as the bound has. Both are reproduced here; the
//! generator itself is `rand_mt`'s.

use rand_mt::Mt;

/// A generator that gives what `random.Random(seed)` gives.
#[derive(Debug, Clone)]
pub struct PythonRandom(Mt);

impl PythonRandom {
    /// `random.Random(seed)`.
    pub fn new(seed: i128) -> Self {
        let mut rest = seed.unsigned_abs();
        let mut words = Vec::new();
        loop {
            words.push((rest & u128::from(u32::MAX)) as u32);
            rest >>= 32;
            if rest == 0 {
                break;
            }
        }
        Self(Mt::new_with_key(words))
    }

    /// `randrange(bound)`: a whole number below `bound`, each as likely; 0 if there is none below.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 0 {
            return 0;
        }
        let bits = u32::BITS - bound.leading_zeros();
        loop {
            let drawn = self.0.next_u32() >> (u32::BITS - bits);
            if drawn < bound {
                return drawn;
            }
        }
    }

    /// `shuffle(items)`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }

    /// The positions that `sample(items, 2)` picks of `len` items.
    pub fn sample_two(&mut self, len: u32) -> (u32, u32) {
        let first = self.below(len);
        // Up to 21 items CPython moves the last item into the gap; above, it draws again until the position is new.
        if len <= 21 {
            let second = self.below(len.saturating_sub(1));
            return (first, if second == first { len - 1 } else { second });
        }
        loop {
            let second = self.below(len);
            if second != first {
                return (first, second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shuffles(seed: i128, types: &[char]) -> String {
        let mut random = PythonRandom::new(seed + 5);
        let one = |_| {
            let mut order = types.to_vec();
            random.shuffle(&mut order);
            order.iter().collect::<String>()
        };
        (0..12).map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn types_are_shuffled_as_by_cpython() {
        let three = |seed| shuffles(seed, &['v', 'p', 'k']);
        assert_eq!(three(0), "vpk vpk pvk kvp pvk pkv vkp kpv pvk pvk pkv vkp");
        assert_eq!(three(1), "pvk vkp pkv kpv vpk kvp vkp kpv pvk kpv pvk vkp");
        assert_eq!(three(7), "vkp vpk kpv kpv vkp vpk pvk pvk pvk vkp kpv pkv");
        assert_eq!(three(-3), "pkv kpv kpv kvp pvk pvk vkp vpk vpk vpk pkv vkp");
        // A seed of two words.
        assert_eq!(three((1 << 40) + 5), "vpk kpv vpk kvp pvk vpk kvp vpk vpk vpk kvp kpv");
        assert_eq!(shuffles(0, &['v', 'p']), "vp vp pv vp pv pv pv pv vp vp pv vp");
        assert_eq!(shuffles(0, &['v']), "v v v v v v v v v v v v");
    }

    #[test]
    fn draws_and_samples_are_cpythons() {
        let mut random = PythonRandom::new(0);
        let drawn: Vec<u32> = (0..20).map(|_| random.below(3)).collect();
        assert_eq!(drawn, [1, 1, 0, 1, 2, 1, 1, 1, 1, 1, 2, 0, 2, 0, 1, 0, 0, 2, 1, 2]);
        let mut random = PythonRandom::new(0);
        let of_thirty: Vec<(u32, u32)> = (0..6).map(|_| random.sample_two(30)).collect();
        assert_eq!(of_thirty, [(27, 12), (24, 28), (13, 1), (8, 16), (15, 12), (29, 25)]);
        let of_seven: Vec<(u32, u32)> = (0..6).map(|_| random.sample_two(7)).collect();
        assert_eq!(of_seven, [(6, 2), (3, 2), (4, 1), (4, 1), (2, 1), (6, 0)]);
    }
}
