//! Weighted choice, in integers.

/// Things to draw from, with the sums of their weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mix<T> {
    upto: Vec<(u64, T)>,
    total: u64,
}

impl<T: Copy> Mix<T> {
    /// Weights are rounded to millionths; what then weighs nothing is never drawn.
    pub(super) fn new(weights: impl IntoIterator<Item = (T, f64)>) -> Self {
        let mut total = 0u64;
        let upto = weights.into_iter().map(|(item, weight)| {
            total = total.saturating_add((weight * 1e6).round() as u64);
            (total, item)
        });
        Self { upto: upto.collect(), total }
    }

    /// Whether nothing can be drawn.
    pub(super) fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The thing at `point`, which is uniform over all 64-bit values; `None` if nothing can be drawn.
    pub(super) fn at(&self, point: u64) -> Option<T> {
        let scaled = (u128::from(point) * u128::from(self.total)) >> 64;
        let index = self.upto.partition_point(|(upto, _)| u128::from(*upto) <= scaled);
        self.upto.get(index).map(|(_, item)| *item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_has_its_share_of_the_points() {
        let mix = Mix::new([('a', 1.0), ('b', 0.0), ('c', 3.0)]);
        let quarter = u64::MAX / 4;
        assert_eq!((mix.at(0), mix.at(quarter), mix.at(quarter + 1)), (Some('a'), Some('a'), Some('c')));
        assert_eq!(mix.at(u64::MAX), Some('c'));
    }

    #[test]
    fn nothing_is_drawn_from_no_weight() {
        let mix = Mix::new([('a', 0.0), ('b', 1e-9)]);
        assert!(mix.is_empty());
        assert_eq!(mix.at(u64::MAX), None);
        assert_eq!(Mix::<u8>::new([]).at(0), None);
    }
}
