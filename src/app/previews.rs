//! Small histograms of a workload: run times, sizes, and gaps between submissions.

use crate::chart::{Classes, Distribution};
use crate::trace::{SizeCount, SpanClasses, WorkloadDigest};

/// Height of a preview in px.
const HEIGHT_PX: f64 = 92.0;

/// Which of the previews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preview {
    /// Jobs by run time.
    RunTimes,
    /// Jobs by GPUs asked for.
    Sizes,
    /// Submissions by the time since the one before.
    Gaps,
}

impl Preview {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 3] = [Self::RunTimes, Self::Sizes, Self::Gaps];

    /// The title.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::RunTimes => "GPU jobs by run time",
            Self::Sizes => "GPU jobs by GPUs asked",
            Self::Gaps => "Submissions by the time since the one before",
        }
    }

    /// A word for hooks.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::RunTimes => "run-times",
            Self::Sizes => "sizes",
            Self::Gaps => "gaps",
        }
    }

    /// The histogram at a width in px.
    #[must_use]
    pub fn chart(self, digest: &WorkloadDigest, width: f64) -> Distribution {
        let (classes, counts) = match self {
            Self::RunTimes => spans(&digest.run_times),
            Self::Gaps => spans(&digest.gaps),
            Self::Sizes => sizes(&digest.gpu_sizes),
        };
        Distribution {
            id: format!("preview-{}", self.word()),
            title: self.title().to_owned(),
            width,
            height: HEIGHT_PX,
            classes,
            counts,
        }
    }
}

fn spans(spans: &SpanClasses) -> (Classes, Vec<u64>) {
    // Alone, the class that reaches down to nothing has no axis to stand on.
    if spans.first == 0 && spans.counts.len() == 1 {
        return (Classes::Named(vec!["below 1 s".to_owned()]), spans.counts.clone());
    }
    (Classes::Spans(spans.edges_s()), spans.counts.clone())
}

/// Requests in classes that double: up to a quarter, up to half, below one, 1, 2, 3–4, 5–8, …
fn sizes(sizes: &[SizeCount]) -> (Classes, Vec<u64>) {
    let (mut names, mut counts): (Vec<String>, Vec<u64>) = (Vec::new(), Vec::new());
    for size in sizes.iter().filter(|size| size.gpus > 0.0) {
        let name = class_of(size.gpus);
        if names.last() != Some(&name) {
            names.push(name);
            counts.push(0);
        }
        if let Some(count) = counts.last_mut() {
            *count += size.jobs;
        }
    }
    (Classes::Named(names), counts)
}

fn class_of(gpus: f64) -> String {
    match gpus {
        g if g <= 0.25 => "≤ ¼".to_owned(),
        g if g <= 0.5 => "≤ ½".to_owned(),
        g if g < 1.0 => "< 1".to_owned(),
        g if g <= 1.0 => "1".to_owned(),
        g if g <= 2.0 => "2".to_owned(),
        g => {
            let upto = (g.ceil() as u64).next_power_of_two();
            format!("{}–{upto}", upto / 2 + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_of_all_that_is_below_a_second_has_a_name() {
        let (classes, counts) = spans(&SpanClasses { first: 0, counts: vec![9] });
        assert_eq!((classes, counts), (Classes::Named(vec!["below 1 s".to_owned()]), vec![9]));
    }

    #[test]
    fn sizes_are_counted_in_classes_that_double() {
        let size = |gpus, jobs| SizeCount { gpus, jobs };
        let all = [
            size(0.0, 9),
            size(0.1, 1),
            size(0.25, 2),
            size(0.5, 3),
            size(0.9, 1),
            size(1.0, 7),
            size(2.0, 1),
            size(3.0, 1),
            size(4.0, 1),
            size(8.0, 2),
            size(9.0, 1),
        ];
        let names = ["≤ ¼", "≤ ½", "< 1", "1", "2", "3–4", "5–8", "9–16"].map(str::to_owned).to_vec();
        assert_eq!(sizes(&all), (Classes::Named(names), vec![3, 3, 1, 7, 1, 2, 2, 1]));
    }
}
