//! Spans of time counted in classes that grow by a factor.

use serde::{Deserialize, Serialize};

use crate::units::{MICROS_PER_S, SimSpan};

/// How many classes there can be: up to 2³³ seconds.
const MOST_CLASSES: u32 = 67;

/// How many spans fall into each of a row of classes. The first of all classes is below one second; each further one reaches √2 times
/// as far as the one before. Empty classes at both ends are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SpanClasses {
    /// The number of the first class that is listed; 0 is that below one second.
    pub first: u32,
    /// Spans in each class.
    pub counts: Vec<u64>,
}

/// Where class `number` ends, in seconds.
fn end_s(number: u32) -> f64 {
    libm::exp2(f64::from(number) / 2.0)
}

impl SpanClasses {
    /// Counts spans; negative ones count as none.
    pub(super) fn of(spans: impl Iterator<Item = SimSpan>) -> Self {
        let ends: Vec<i64> =
            (0..MOST_CLASSES).map(|number| (end_s(number) * MICROS_PER_S as f64) as i64).collect();
        let mut counts = vec![0u64; ends.len() + 1];
        for span in spans {
            let class = ends.partition_point(|end| *end <= span.0);
            if let Some(count) = counts.get_mut(class) {
                *count += 1;
            }
        }
        let Some(first) = counts.iter().position(|count| *count > 0) else { return Self::default() };
        let last = counts.iter().rposition(|count| *count > 0).unwrap_or(first);
        Self { first: first as u32, counts: counts.drain(first..=last).collect() }
    }

    /// The edges of the classes in seconds, one more than there are classes.
    #[must_use]
    pub fn edges_s(&self) -> Vec<f64> {
        let upto = self.first + self.counts.len() as u32;
        // The class below one second would reach down to nothing on a logarithmic axis.
        (self.first..=upto)
            .map(|number| if number == 0 { end_s(0) / end_s(1) } else { end_s(number - 1) })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_fall_into_the_class_that_holds_them() {
        let spans = [0, 999_999, 1_000_000, 1_400_000, 2_000_000, 5_000_000].map(SimSpan);
        let classes = SpanClasses::of(spans.into_iter());
        assert_eq!((classes.first, &classes.counts[..]), (0, &[2, 2, 0, 1, 0, 1][..]));
        let edges = classes.edges_s();
        assert_eq!((edges.len(), edges[1], edges[3]), (7, 1.0, 2.0));
        let far = SpanClasses::of([SimSpan(60_000_000), SimSpan(i64::MAX)].into_iter());
        assert_eq!((far.first, far.counts.iter().sum::<u64>()), (12, 2));
        assert!(far.edges_s()[0] <= 60.0 && 60.0 < far.edges_s()[1]);
        assert_eq!(SpanClasses::of(std::iter::empty()), SpanClasses::default());
    }
}
