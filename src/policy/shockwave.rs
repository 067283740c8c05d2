//! Shockwave: a plan for a window of rounds that weighs progress, finish-time fairness and makespan.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::list::{Chooser, Passing, SHARING, Sharing};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Decision, Params, Policy, PolicySpec, Refill, View};
use crate::units::JobId;

/// A plan of rounds that maximises the product of progress.
///
/// * Rule: for a window of R rounds every job is given a number of rounds, one at a time, each to the job with the greatest marginal
///   gain a device, as early as it fits: the rise of the log of its progress, weighted by (its finish-time fairness)^lambda where that
///   is worse than rho_max, plus a term for the jobs that make the makespan; idle devices go to the longest remaining time.
/// * Source: Zheng et al., "Shockwave: Fair and Efficient Cluster Scheduling for Dynamic Adaptation in Machine Learning", NSDI 2023.
/// * Deviations: greedy instead of an integer program; finish-time fairness is a weight from the beginning, not first a constraint;
///   the makespan term is paid for rounds of a job that is longer than what the longest can have left after the window; batch
///   sizes do not change, so that there is nothing to forecast. Jobs are planned with their speed on the fastest type and take
///   the fastest that is free. Planned anew with other jobs and when the window is over.
/// * Complexity: O(n + d R log n) a plan for n jobs and d devices.
pub const SPEC: PolicySpec = PolicySpec {
    name: "shockwave",
    title: "Shockwave",
    summary: "Plans a window of rounds by progress, finish-time fairness and makespan",
    citation: "Zheng et al., Shockwave, NSDI 2023",
    knowledge: Knowledge::RemainingWork,
    params: &[
        ParamSpec {
            name: "window",
            title: "Window",
            unit: Some("rounds"),
            kind: ParamKind::Integer { default: 20, min: 1, max: 1000 },
            help: "Rounds planned at a time.",
        },
        ParamSpec {
            name: "lambda",
            title: "Weight of unfairness",
            unit: None,
            kind: ParamKind::Number { default: Some(5.0), min: 0.0, max: 100.0 },
            help: "Power of a job's finish-time fairness, as a multiple of rho_max, in its weight.",
        },
        ParamSpec {
            name: "rho_max",
            title: "Fairness aimed at",
            unit: None,
            kind: ParamKind::Number { default: Some(1.0), min: 0.1, max: 100.0 },
            help: "Jobs with a worse finish-time fairness than this weigh more.",
        },
        ParamSpec {
            name: "makespan_weight",
            title: "Weight of makespan",
            unit: None,
            kind: ParamKind::Number { default: Some(10.0), min: 0.0, max: 1e6 },
            help: "What a round given to one of the longest jobs is worth beyond its progress, as a multiple of the round's part \
                   of the longest remaining time.",
        },
        DURATIONS,
        DURATION_ERROR,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| Box::new(Shockwave::new(params, seed))),
};

/// A job as it is planned.
#[derive(Debug, Clone, Copy)]
struct Planned {
    job: JobId,
    devices: f64,
    weight: f64,
    /// Seconds at full speed: done before the window with what is planned, and in all.
    done_s: f64,
    total_s: f64,
    /// The first round of the window after those it has.
    next_round: usize,
}

/// Devices in service, at least one.
fn in_service(view: &View<'_>) -> f64 {
    f64::from(view.in_service.iter().sum::<u32>().max(1))
}

/// The next round of a job, by what it gains.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    gain: f64,
    at: usize,
}

impl Eq for Step {}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Shockwave {
    window: u64,
    lambda: f64,
    rho_max: f64,
    makespan_weight: f64,
    sharing: Sharing,
    estimator: Estimator,
    chooser: Chooser,
    /// Mean contention seen by a job and over how many rounds, by job.
    contention: Vec<(f64, f64)>,
    /// The jobs of every round of the window, greatest gain first.
    schedule: Vec<Vec<JobId>>,
    planned_at: u64,
    planned_for: Vec<JobId>,
    order: Vec<JobId>,
}

impl Shockwave {
    fn new(params: &Params, seed: u64) -> Self {
        Self {
            window: params.integer("window").unsigned_abs().max(1),
            lambda: params.number("lambda"),
            rho_max: params.number("rho_max"),
            makespan_weight: params.number("makespan_weight"),
            sharing: Sharing::of(params),
            estimator: Estimator::new(params, seed),
            chooser: Chooser::new(params, seed),
            contention: Vec::new(),
            schedule: Vec::new(),
            planned_at: 0,
            planned_for: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Devices that a job takes where it takes most.
    fn devices(&self, view: &View<'_>, job: JobId) -> f64 {
        let class = view.class(job);
        let options = view.cluster.type_ids().filter_map(|k| self.sharing.option_on(class, k));
        options.fold(0.0, |most: f64, option| {
            let option = class.options[usize::from(option)];
            let slots = f64::from(view.cluster.gpu_type(option.type_id).slots_per_device());
            most.max(f64::from(option.devices) * f64::from(option.slots) / slots)
        })
    }

    fn plan(&mut self, view: &View<'_>) {
        let round_s = view.round_length.as_secs();
        let all = in_service(view);
        let asked: f64 = view.active.iter().map(|&job| self.devices(view, job)).sum();
        let now = (asked / all).max(1.0);
        let mut jobs = Vec::with_capacity(view.active.len());
        for &job in view.active {
            let (mean, _) = self.contention[job.index()];
            let left_s = self.estimator.remaining(view, job).as_reference_secs();
            let done = crate::units::Work(view.job(job).work.0 - view.state(job).remaining.0);
            let done_s = done.as_reference_secs();
            let total_s = (done_s + left_s).max(1e-6);
            let age_s = (view.now - view.job(job).submit).as_secs();
            let rho = (age_s + left_s * now) / (total_s * mean.max(1.0));
            let weight = libm::pow((rho / self.rho_max).max(1.0), self.lambda);
            let devices = self.devices(view, job).max(1e-9);
            jobs.push(Planned { job, devices, weight, done_s, total_s, next_round: 0 });
        }
        let longest_s = jobs.iter().fold(0.0, |most: f64, job| most.max(job.total_s - job.done_s));
        let unavoidable_s = (longest_s - self.window as f64 * round_s).max(0.0);
        let gain = |job: &Planned| -> Option<f64> {
            let left_s = job.total_s - job.done_s;
            if left_s <= 0.0 {
                return None;
            }
            let step_s = left_s.min(round_s);
            // A round is added on both sides, since nothing done has no logarithm.
            let progress = libm::log((job.done_s + round_s + step_s) / (job.done_s + round_s));
            let long = if left_s > unavoidable_s && unavoidable_s > 0.0 { step_s / longest_s } else { 0.0 };
            Some((job.weight * progress + self.makespan_weight * long) / job.devices)
        };
        let first = jobs.iter().enumerate().filter_map(|(at, job)| Some(Step { gain: gain(job)?, at }));
        let mut steps: BinaryHeap<Step> = first.collect();
        let rounds = usize::try_from(self.window).unwrap_or(usize::MAX);
        let mut room = vec![all; rounds];
        self.schedule.clear();
        self.schedule.resize(rounds, Vec::new());
        while let Some(Step { at, .. }) = steps.pop() {
            let job = &mut jobs[at];
            // Steps of a job follow one another, so its next one lies behind those it has.
            let next = (job.next_round..rounds).find(|&round| room[round] + 1e-9 >= job.devices);
            let Some(round) = next else { continue };
            room[round] -= job.devices;
            self.schedule[round].push(job.job);
            job.next_round = round + 1;
            job.done_s = (job.done_s + round_s).min(job.total_s);
            steps.extend(gain(job).map(|gain| Step { gain, at }));
        }
        self.planned_at = view.round;
        self.planned_for.clear();
        self.planned_for.extend_from_slice(view.active);
    }

    /// The jobs that the plan has for this round, then the others, longest remaining time first.
    fn sort(&mut self, view: &View<'_>, jobs: &[JobId]) {
        let round = usize::try_from(view.round - self.planned_at).unwrap_or(usize::MAX);
        let planned = self.schedule.get(round).map_or(&[][..], Vec::as_slice);
        self.order.clear();
        self.order.extend_from_slice(planned);
        self.order.retain(|job| jobs.binary_search(job).is_ok());
        let mut is_planned = planned.to_vec();
        is_planned.sort_unstable();
        let mut others = Vec::with_capacity(jobs.len());
        for &job in jobs.iter().filter(|job| is_planned.binary_search(job).is_err()) {
            others.push((std::cmp::Reverse(self.estimator.remaining(view, job)), job));
        }
        others.sort_unstable();
        self.order.extend(others.into_iter().map(|(_, job)| job));
    }
}

impl Policy for Shockwave {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.contention.resize(view.states.len(), (0.0, 0.0));
        let asked: f64 = view.active.iter().map(|&job| self.devices(view, job)).sum();
        for job in view.active {
            let (mean, rounds) = &mut self.contention[job.index()];
            *rounds += 1.0;
            *mean += (asked / in_service(view) - *mean) / *rounds;
        }
        if view.round - self.planned_at >= self.window || self.planned_for != view.active {
            self.plan(view);
        }
        self.sort(view, view.active);
        self.chooser.serve(view, self.order.iter().copied(), Passing::Always, decision);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.sort(view, waiting);
        self.chooser.refill(view, self.order.iter().copied(), Passing::Always, free);
    }
}
