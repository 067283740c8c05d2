//! Two policies compared seed by seed, or job by job within one seed.

use serde::{Deserialize, Serialize};

use super::{Estimate, bootstrap, student, wilcoxon};
use crate::metrics::spec::Direction;

/// What may be said of a metric of one policy against the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is better: the 95 % interval of the paired difference lies on the good side of zero.
    Better,
    /// It is worse.
    Worse,
    /// It differs, and the metric has no good side.
    Different,
    /// The seeds support no difference.
    NoDifference,
    /// One seed: it may differ in this one run, and nothing is claimed beyond it.
    OneSeed,
}

impl Verdict {
    /// What it is called in files.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Different => "different",
            Self::NoDifference => "no-difference",
            Self::OneSeed => "one-seed",
        }
    }

    /// The verdict on a paired difference, policy − baseline.
    #[must_use]
    pub fn of(difference: &Estimate, direction: Direction) -> Self {
        if difference.half_width.is_none() {
            return Self::OneSeed;
        }
        if difference.is_undecided() {
            return Self::NoDifference;
        }
        match (direction, difference.mean < 0.0) {
            (Direction::Neutral, _) => Self::Different,
            (Direction::Lower, true) | (Direction::Higher, false) => Self::Better,
            (Direction::Lower, false) | (Direction::Higher, true) => Self::Worse,
        }
    }
}

/// The differences `a − b` over the seeds that both have, in the order of `a`.
#[must_use]
pub fn differences(a: &[(u64, f64)], b: &[(u64, f64)]) -> Vec<f64> {
    let of_seed = |seed: u64| b.iter().find(|(other, _)| *other == seed).map(|(_, value)| value);
    a.iter().filter_map(|(seed, value)| of_seed(*seed).map(|other| value - other)).collect()
}

/// A metric of two policies, compared over their common seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// The mean of the differences, with Student's interval.
    pub difference: Estimate,
    /// The bootstrap interval; `None` for a single seed.
    pub bootstrap: Option<bootstrap::Interval>,
    /// The two-sided p of the paired t-test; `None` for a single seed. 0 where all differences are equal and not zero, 1 where all are
    /// zero.
    pub p_t: Option<f64>,
    /// The two-sided p of the signed-rank test; `None` for a single seed.
    pub p_wilcoxon: Option<f64>,
}

impl Paired {
    /// Compares `a` with `b`, values by seed; `None` without a common seed.
    #[must_use]
    pub fn of(a: &[(u64, f64)], b: &[(u64, f64)]) -> Option<Self> {
        let differences = differences(a, b);
        let difference = Estimate::of(&differences)?;
        let n = differences.len();
        let p_t = difference.sd.map(|sd| {
            if sd <= 0.0 {
                return if difference.mean == 0.0 { 1.0 } else { 0.0 };
            }
            let t = difference.mean / (sd / libm::sqrt(n as f64));
            student::two_sided_p(t, u32::try_from(n - 1).unwrap_or(u32::MAX))
        });
        Some(Self {
            difference,
            bootstrap: bootstrap::interval(&differences),
            p_t,
            p_wilcoxon: (n > 1).then(|| wilcoxon::p_value(&differences)).flatten(),
        })
    }
}

/// The completion times of two runs of one seed, compared job by job over the jobs that finished in both. Jobs of one run wait for
/// each other and are not independent: the interval is no statement about other seeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobDifference {
    /// Jobs that finished in both runs.
    pub jobs: usize,
    /// Mean of the differences.
    pub mean: f64,
    /// The sample's standard deviation of the differences; `None` for a single job.
    pub sd: Option<f64>,
    /// The bootstrap interval of the mean; `None` for a single job.
    pub bootstrap: Option<bootstrap::Interval>,
}

impl JobDifference {
    /// Compares `a` with `b`, a value for every job in the same order, not a number for a job that did not finish. `None` where no job
    /// finished in both.
    #[must_use]
    pub fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).filter(|d| d.is_finite()).collect();
        let estimate = Estimate::of(&differences)?;
        Some(Self {
            jobs: differences.len(),
            mean: estimate.mean,
            sd: estimate.sd,
            bootstrap: bootstrap::interval(&differences),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_seed(values: &[f64]) -> Vec<(u64, f64)> {
        (0..).zip(values.iter().copied()).collect()
    }

    #[test]
    fn the_paired_test_of_a_textbook_sample() {
        // Differences 1, 2, 3, 4: mean 2.5, sd 1.2910, t = 2.5 / 0.6455 = 3.8730 with 3 degrees of freedom, p = 0.0305.
        let paired = Paired::of(&by_seed(&[2.0, 4.0, 6.0, 8.0]), &by_seed(&[1.0, 2.0, 3.0, 4.0])).unwrap();
        assert!((paired.p_t.unwrap() - 0.030_466).abs() < 1e-5, "{paired:?}");
        assert_eq!(paired.p_wilcoxon, Some(2.0 / 16.0));
        assert_eq!(Verdict::of(&paired.difference, Direction::Lower), Verdict::Worse);
        assert_eq!(Verdict::of(&paired.difference, Direction::Higher), Verdict::Better);
        assert_eq!(Verdict::of(&paired.difference, Direction::Neutral), Verdict::Different);
    }

    #[test]
    fn exchanging_the_two_exchanges_the_signs() {
        let (a, b) = (by_seed(&[3.0, 1.0, 4.0, 1.5, 5.0]), by_seed(&[2.0, 7.0, 1.0, 8.0, 2.5]));
        let (ab, ba) = (Paired::of(&a, &b).unwrap(), Paired::of(&b, &a).unwrap());
        assert_eq!(Some(ab.difference.mean), Some(-ba.difference.mean));
        assert_eq!(ab.difference.half_width, ba.difference.half_width);
        assert_eq!((ab.p_t, ab.p_wilcoxon), (ba.p_t, ba.p_wilcoxon));
        // The resamples are the same ones mirrored; a nearest rank is one off in the mirror.
        let (i, j) = (ab.bootstrap.unwrap(), ba.bootstrap.unwrap());
        assert!((i.low + j.high).abs() < 0.05 && (i.high + j.low).abs() < 0.05);
        let verdicts = [ab, ba].map(|of| Verdict::of(&of.difference, Direction::Lower));
        assert_eq!(verdicts, [Verdict::NoDifference; 2]);
    }

    #[test]
    fn identical_runs_do_not_differ() {
        let a = by_seed(&[0.1, 0.2, 0.3]);
        let paired = Paired::of(&a, &a).unwrap();
        assert_eq!((paired.difference.mean, paired.p_t, paired.p_wilcoxon), (0.0, Some(1.0), Some(1.0)));
        assert_eq!(Verdict::of(&paired.difference, Direction::Lower), Verdict::NoDifference);
    }

    #[test]
    fn one_seed_is_no_verdict() {
        let paired = Paired::of(&by_seed(&[5.0]), &by_seed(&[1.0])).unwrap();
        assert_eq!((paired.p_t, paired.p_wilcoxon, paired.bootstrap), (None, None, None));
        assert_eq!(Verdict::of(&paired.difference, Direction::Lower), Verdict::OneSeed);
        assert_eq!(Paired::of(&by_seed(&[]), &by_seed(&[1.0])), None);
    }

    #[test]
    fn jobs_are_compared_where_both_runs_finished_them() {
        let nan = f64::NAN;
        let found = JobDifference::of(&[1.0, nan, 5.0, 7.0], &[2.0, 3.0, nan, 4.0]).unwrap();
        assert_eq!((found.jobs, found.mean), (2, 1.0));
        assert_eq!(JobDifference::of(&[nan], &[1.0]), None);
    }
}
