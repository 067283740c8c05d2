//! The Gittins index of attained service (Tiresias).

use super::list::{ByRank, Chooser, LEASE, Passing, Rank, SHARING, TYPE_CHOICE};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, View};
use crate::units::{JobId, Work};

/// The two-dimensional Gittins index: who is likeliest to finish for the service it takes comes first.
///
/// * Rule: a job's service is GPUs times work; with attained service a its index is the largest, over Δ, of
///   P(S − a ≤ Δ | S > a) / E[min(S − a, Δ) | S > a], where S is distributed as the service of jobs is; each round jobs are served
///   in descending index; whoever fits runs; the rest is preempted.
/// * Source: Gittins, "Bandit Processes and Dynamic Allocation Indices", J. Royal Statistical Society B 1979; in two dimensions
///   Gu et al., "Tiresias: A GPU Cluster Manager for Distributed Deep Learning", NSDI 2019, §4.
/// * Deviations: acts at round boundaries. The index changes at quantiles of the distribution, which takes the place of Tiresias's
///   queues; indexes that differ by less than a hundred-thousandth tie, and ties go to the earlier submission.
/// * Complexity: O(n log n) a round for n active jobs; O(jobs log jobs) each time the distribution is measured.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gittins",
    title: "Gittins (Tiresias-G)",
    summary: "Likeliest to finish for the service it takes first, preemptive; knows how service is distributed",
    citation: "Gittins, JRSS B 1979; Gu et al., Tiresias, NSDI 2019",
    knowledge: Knowledge::Distribution,
    params: &[
        ParamSpec {
            name: "distribution",
            title: "Distribution of service",
            unit: None,
            kind: ParamKind::Choice(&[
                ("workload", "that of all jobs of the workload, as if it were known from an earlier one"),
                (
                    "completed",
                    "that of the jobs completed so far; before the first, jobs are served in order of arrival",
                ),
            ]),
            help: "Where the distribution of the service that jobs need is taken from.",
        },
        LEASE,
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Gittins {
            source: if params.word("distribution") == "completed" {
                Source::Completed
            } else {
                Source::Workload
            },
            samples: Vec::new(),
            index: Index::default(),
            measure_at: 0,
            followed: Vec::new(),
            chooser: Chooser::new(params, seed),
            order: ByRank::default(),
        })
    }),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Workload,
    Completed,
}

struct Gittins {
    source: Source,
    /// Service of the jobs the distribution is made of, in GPU-seconds.
    samples: Vec<f64>,
    index: Index,
    /// The distribution is measured anew when there are so many samples.
    measure_at: usize,
    /// Jobs that were active when last looked at.
    followed: Vec<JobId>,
    chooser: Chooser,
    order: ByRank,
}

impl Gittins {
    fn learn(&mut self, view: &View<'_>) {
        let jobs = view.workload.jobs.len() as u32;
        match self.source {
            Source::Workload if self.samples.is_empty() => {
                self.samples.extend((0..jobs).map(JobId).map(|job| service(view, job, view.job(job).work)));
            }
            Source::Workload => {}
            Source::Completed => {
                let Self { samples, followed, .. } = self;
                let completed = followed.iter().filter(|&&job| view.state(job).finish.is_some());
                samples.extend(completed.map(|&job| service(view, job, view.job(job).work)));
                followed.clear();
                followed.extend_from_slice(view.active);
            }
        }
        if self.samples.len() >= self.measure_at.max(1) {
            self.samples.sort_unstable_by(f64::total_cmp);
            self.index = Index::new(&self.samples);
            // A quarter more before it is measured again: the cost of all measurements stays that of a few.
            self.measure_at = self.samples.len() + self.samples.len().div_ceil(4);
        }
    }
}

/// The service that a job has had when it has done so much work.
fn service(view: &View<'_>, job: JobId, done: Work) -> f64 {
    done.as_reference_secs() * view.class(job).gpus.as_gpus()
}

/// Most points of a distribution.
const POINTS: usize = 256;

/// Indexes are equal if their logarithms are when rounded to this fraction.
const PER_LOG: f64 = 100_000.0;

/// The index by attained service.
#[derive(Debug, Clone, Default, PartialEq)]
struct Index {
    /// Services at which it changes, ascending.
    points: Vec<f64>,
    /// The logarithm of the index, in [`PER_LOG`]ths, from each point on; first from no service on.
    logs: Vec<i64>,
}

impl Index {
    /// The index under the distribution of these samples, which are sorted.
    fn new(samples: &[f64]) -> Self {
        let mut points: Vec<(f64, f64)> = Vec::new();
        let each = samples.len().div_ceil(POINTS).max(1);
        for group in samples.chunks(each) {
            let Some(&last) = group.last() else { continue };
            match points.last_mut() {
                Some(point) if point.0 >= last => point.1 += group.len() as f64,
                _ => points.push((last, group.len() as f64)),
            }
        }
        let mut logs = Vec::with_capacity(points.len() + 1);
        let mut attained = 0.0;
        for from in 0..points.len() {
            logs.push(log_of(best_ratio(&points[from..], attained)));
            attained = points[from].0;
        }
        // Nobody has needed more than the last: taken to need as much again.
        logs.push(log_of(1.0 / attained));
        Self { points: points.into_iter().map(|(point, _)| point).collect(), logs }
    }

    /// The logarithm of the index.
    fn at(&self, attained: f64) -> i64 {
        let passed = self.points.partition_point(|&point| point <= attained);
        self.logs.get(passed).copied().unwrap_or(0)
    }
}

/// The largest, over points, of the weight up to it over the expected service up to it, for jobs that have attained so much.
fn best_ratio(points: &[(f64, f64)], attained: f64) -> f64 {
    let mut left: f64 = points.iter().map(|&(_, weight)| weight).sum();
    let (mut done, mut spent, mut best) = (0.0, 0.0, 0.0f64);
    for &(point, weight) in points {
        let more = (point - attained).max(0.0);
        done += weight;
        left -= weight;
        spent += weight * more;
        best = best.max(done / (spent + left * more).max(f64::MIN_POSITIVE));
    }
    best
}

fn log_of(ratio: f64) -> i64 {
    (libm::log(ratio.clamp(f64::MIN_POSITIVE, f64::MAX)) * PER_LOG).round() as i64
}

impl Policy for Gittins {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.learn(view);
        let Self { chooser, index, order, .. } = self;
        chooser.serve_by_rank(view, order, |job| Rank::descending(index.of(view, job)), decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.learn(view);
        let Self { chooser, index, order, .. } = self;
        let startable = chooser.startable(view, waiting, free);
        order.sort(startable, |job| Rank::descending(index.of(view, job)));
        chooser.refill(view, order.jobs(), Passing::Always, free);
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }
}

impl Index {
    fn of(&self, view: &View<'_>, job: JobId) -> i64 {
        let done = Work(view.job(job).work.0 - view.state(job).remaining.0);
        self.at(service(view, job, done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^-k of the jobs need k units, and the rest a few more than anybody looked at here.
    fn geometric(most: u32) -> Vec<(f64, f64)> {
        (1..=most).map(|k| (f64::from(k), 0.5f64.powi(k.min(most - 1) as i32))).collect()
    }

    #[test]
    fn under_a_memoryless_distribution_attained_service_does_not_count() {
        let points = geometric(60);
        for from in 0..20 {
            let index = best_ratio(&points[from..], from as f64);
            assert!((index - 0.5).abs() < 1e-6, "{from}: {index}");
        }
    }

    #[test]
    fn the_index_of_two_kinds_of_jobs() {
        // Nine of ten need 1, one needs 100: at first 0.9 / 1; then a long job for sure, 1 / 99.
        let mut samples = vec![1.0; 9];
        samples.push(100.0);
        let index = Index::new(&samples);
        assert_eq!(index.at(0.0), log_of(0.9));
        assert_eq!(index.at(0.5), index.at(0.0));
        assert_eq!(index.at(1.0), log_of(1.0 / 99.0));
        assert_eq!(index.at(100.0), log_of(0.01));
    }

    #[test]
    fn many_samples_are_measured_at_quantiles() {
        let samples: Vec<f64> = (1..=10_000).map(f64::from).collect();
        let index = Index::new(&samples);
        assert!(index.points.len() <= POINTS && index.points.last() == Some(&10_000.0));
        // Uniform: who is further finishes sooner.
        assert!(index.logs[..index.logs.len() - 1].is_sorted());
    }
}
