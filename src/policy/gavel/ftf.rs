//! Gavel: finish-time fairness.

use super::groups::Groups;
use super::program::{Demand, Fractions, raise};
use super::remaining::{Marks, REFRESH_ROUNDS};
use super::{Gavel, Objective};
use crate::policy::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use crate::policy::list::SHARING;
use crate::policy::registry::Knowledge;
use crate::policy::{Params, PolicySpec, View};
use crate::units::Work;

/// Least of the worst finish-time fairness.
///
/// * Rule: the time fractions X minimise the greatest rho_j = (age_j + remaining_j / thr_j(X)) / (iso_j + remaining_j / thr_j(X_iso)):
///   the time a job takes here over the time it would take with an equal part of every type, of which iso_j has passed; rounds follow
///   X by the priority X/f.
/// * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020, section 4.2,
///   after Mahajan et al., Themis, NSDI 2020.
/// * Deviations: computed again with other jobs, or after 10 rounds: rho changes by itself only as far as rounds do not follow X.
///   With more than 64 jobs those of a class whose needs are within a factor of 1.25 get what the neediest of them gets, and rho
///   is found to 1 %. Otherwise as for `gavel-max-min`; weights do not count.
/// * Complexity: a linear program in groups × types variables for each rho that is tried, a few when the jobs changed.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gavel-ftf",
    title: "Gavel FTF",
    summary: "The least worst finish-time fairness: linear programs over time fractions",
    citation: "Narayanan et al., Gavel, OSDI 2020",
    knowledge: Knowledge::RemainingWork,
    params: &[DURATIONS, DURATION_ERROR, SHARING],
    refuses: None,
    build: Some(|params, seed| Box::new(Gavel::new(FinishTime::new(params, seed), params, seed))),
};

/// Values of rho tried while every job is a group of its own, and otherwise.
const TRIES: (usize, usize) = (60, 6);

/// The accuracy of rho, likewise.
const ACCURACY: (f64, f64) = (1e-6, 1e-2);

/// What is remembered of a job's isolated share.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    /// Seconds that what is done would have taken.
    isolated_s: f64,
    /// What was done when that was last brought up to date, and the isolated throughput since.
    done: Work,
    throughput: f64,
}

/// What rho is computed from.
#[derive(Debug, Clone, Copy)]
struct Stake {
    age_s: f64,
    left_s: f64,
    /// Seconds that the job takes by itself.
    isolated_s: f64,
    best_rate: f64,
}

impl Stake {
    fn rho(self, throughput: f64) -> f64 {
        (self.age_s + self.left_s / throughput.max(1e-12)) / self.isolated_s
    }

    /// The throughput at which the job's rho is this; more than any where it is that already.
    fn need(self, rho: f64) -> f64 {
        let time_s = rho * self.isolated_s - self.age_s;
        if time_s > 0.0 { self.left_s / time_s } else { 1e6 }
    }
}

pub(super) struct FinishTime {
    estimator: Estimator,
    marks: Marks,
    /// By job.
    histories: Vec<History>,
    /// The last answer, by which needs are compared.
    rho: f64,
}

impl FinishTime {
    pub(super) fn new(params: &Params, seed: u64) -> Self {
        let estimator = Estimator::new(params, seed);
        Self { estimator, marks: Marks::default(), histories: Vec::new(), rho: 1.0 }
    }

    /// Brings the isolated times up to date, by group.
    fn stakes(&mut self, view: &View<'_>, groups: &Groups) -> Vec<Vec<Stake>> {
        self.histories.resize(view.states.len(), History::default());
        let jobs = view.active.len() as f64;
        let mut stakes = Vec::with_capacity(groups.list.len());
        for group in &groups.list {
            let throughput = group.throughput(&group.isolated(&groups.devices, jobs)).max(1e-9);
            let best_rate = group.best().map_or(0.0, |best| group.choices[best].rate);
            let mut of_group = Vec::with_capacity(group.jobs.len());
            for &job in &group.jobs {
                let history = &mut self.histories[job.index()];
                let done = Work(view.job(job).work.0 - view.state(job).remaining.0);
                if history.throughput > 0.0 {
                    history.isolated_s += (done - history.done).as_reference_secs() / history.throughput;
                }
                history.done = done;
                history.throughput = throughput;
                let left_s = self.estimator.remaining(view, job).as_reference_secs().max(1e-3);
                of_group.push(Stake {
                    age_s: (view.now - view.job(job).submit).as_secs(),
                    left_s,
                    isolated_s: history.isolated_s + left_s / throughput,
                    best_rate,
                });
            }
            stakes.push(of_group);
        }
        stakes
    }
}

impl Objective for FinishTime {
    fn group(&mut self, view: &View<'_>, groups: &mut Groups) {
        let (estimator, rho) = (&mut self.estimator, self.rho);
        let histories = &self.histories;
        self.marks.update(view, |job| {
            let age_s = (view.now - view.job(job).submit).as_secs();
            let left_s = estimator.remaining(view, job).as_reference_secs().max(1e-3);
            let history = histories.get(job.index()).copied().unwrap_or_default();
            // The devices that an equal part has now, for a job that has no history yet.
            let part = f64::from(view.in_service.iter().sum::<u32>().max(1))
                / (view.active.len() as f64 * f64::from(view.class(job).gpus.whole_devices()));
            let throughput = if history.throughput > 0.0 { history.throughput } else { part.min(1.0) };
            let isolated_s = history.isolated_s + left_s / throughput;
            Stake { age_s, left_s, isolated_s, best_rate: 1.0 }.need(rho)
        });
        groups.fill(view, |job| self.marks.of(job));
    }

    fn is_stale(&self, rounds: u64) -> bool {
        rounds >= REFRESH_ROUNDS
    }

    fn fractions(&mut self, view: &View<'_>, groups: &mut Groups) -> Option<Fractions> {
        let stakes = self.stakes(view, groups);
        let is_apart = groups.list.iter().all(|group| group.jobs.len() == 1);
        let (tries, accuracy) = if is_apart { (TRIES.0, ACCURACY.0) } else { (TRIES.1, ACCURACY.1) };
        let worst = |throughput: &dyn Fn(usize) -> f64| -> f64 {
            let of_group = |(at, stakes): (usize, &Vec<Stake>)| {
                let throughput = throughput(at);
                stakes.iter().fold(0.0, |most: f64, stake| most.max(stake.rho(throughput)))
            };
            stakes.iter().enumerate().map(of_group).fold(0.0, f64::max)
        };
        // At full speed nobody is better off; with equal parts everybody is served.
        let mut low = worst(&|at| stakes[at].first().map_or(0.0, |stake| stake.best_rate));
        let mut best = groups.equal_share();
        let mut high = worst(&|at| groups.list[at].throughput(&best[at]));
        let mut rho = low * (1.0 + accuracy / 2.0);
        // How far the needs at `low` and `high` are from being met.
        let (mut level_low, mut level_high): (Option<f64>, f64) = (None, 1.0);
        for attempt in 0..tries {
            if high <= low * (1.0 + accuracy) {
                break;
            }
            let need = |stakes: &Vec<Stake>| {
                Demand::Rises(stakes.iter().fold(0.0, |most: f64, stake| most.max(stake.need(rho))))
            };
            let demands: Vec<Demand> = stakes.iter().map(need).collect();
            let raised = raise(view.cluster, groups, &demands)?;
            if raised.level >= 1.0 - 1e-9 {
                let reached = worst(&|at| groups.list[at].throughput(&raised.fractions[at]));
                if reached < high {
                    best = raised.fractions;
                    high = reached;
                    level_high = raised.level;
                } else {
                    high = high.min(rho);
                }
            } else {
                low = rho;
                level_low = Some(raised.level);
            }
            // By the secant where it is of use, and by halves every other time so that the interval shrinks for certain.
            let middle = 0.5 * (low + high);
            rho = match (attempt, level_low) {
                (0, Some(_)) if self.rho > low && self.rho < high => self.rho,
                (_, Some(level_low)) if attempt % 2 == 1 && level_high > level_low => {
                    let part = (1.0 - level_low) / (level_high - level_low);
                    low + (high - low) * part.clamp(0.05, 0.95)
                }
                _ => middle,
            };
        }
        self.rho = high;
        Some(best)
    }
}
