//! Prices that rise with load (Hadar).

use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Decision, Grant, Policy, PolicySpec, Reason, Refill, View};
use crate::units::JobId;
use crate::workload::JobOption;

/// Primal-dual scheduling: a job runs where its utility exceeds the price of the GPUs it takes.
///
/// * Rule: the price of a type's device rises from Umin to Umax exponentially in the share of the type that is taken; a job's payoff
///   is its utility, its service over its time to completion, minus the price of what it takes; each round a dynamic program over
///   the queue chooses for every job to skip it or to admit it on a type, so that the payoffs sum to the most; the rest is preempted.
/// * Source: Sultana et al., "Hadar: Heterogeneity-Aware Optimization-Based Online Scheduling for Deep Learning Cluster", IPDPS 2024
///   (arXiv 2503.10918), formulas from memory of the paper.
/// * Deviations: a gang runs on one type; nodes are left to placement. The program keeps the `states` best states after every job, so
///   that it is exact for small queues only. Whole devices only.
/// * Complexity: O(n · states · types) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "hadar",
    title: "Hadar",
    summary: "Jobs whose utility exceeds the price of their GPUs, prices rising with load, preemptive; goes by run times",
    citation: "Sultana et al., Hadar, IPDPS 2024",
    knowledge: Knowledge::RemainingWork,
    params: &[
        DURATIONS,
        DURATION_ERROR,
        ParamSpec {
            name: "states",
            title: "States of the program",
            unit: None,
            kind: ParamKind::Integer { default: 16, min: 1, max: 10_000 },
            help: "How many states the program over the queue keeps after every job. 1 decides job by job.",
        },
        ParamSpec {
            name: "eta",
            title: "Scaling of prices",
            unit: None,
            kind: ParamKind::Number { default: Some(1.0), min: 1.0, max: 1e6 },
            help: "The lowest price is the least utility for a device over four times this. More admits more jobs.",
        },
    ],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Hadar {
            estimator: Estimator::new(params, seed),
            most_states: params.integer("states").unsigned_abs().max(1) as usize,
            eta: params.number("eta"),
            program: Program::default(),
        })
    }),
};

struct Hadar {
    estimator: Estimator,
    most_states: usize,
    eta: f64,
    program: Program,
}

/// The price of a device of any type, by the share of the type that is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Prices {
    least: f64,
    /// Most over least.
    ratio: f64,
}

impl Prices {
    /// For the jobs that want devices.
    fn of(view: &View<'_>, estimator: &Estimator, eta: f64) -> Self {
        let seconds = |job: JobId, slowest: bool| {
            let rates = view.class(job).whole.iter().flatten().map(|&index| view.option(job, index).rate);
            let rate = if slowest { rates.min() } else { rates.max() };
            let rate = rate.map_or(1.0, |rate| rate.as_f64().max(1e-6));
            estimator.remaining(view, job).as_reference_secs() / rate
        };
        let horizon: f64 = view.active.iter().map(|&job| seconds(job, true) + overhead_s(view)).sum();
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for &job in view.active {
            let devices = view.class(job).gpus.as_gpus().max(1.0);
            least = least.min(utility(view, estimator, job, horizon) / devices);
            most = most.max(utility(view, estimator, job, seconds(job, false)) / devices);
        }
        let least = (least / (4.0 * eta)).max(f64::MIN_POSITIVE);
        Self { least, ratio: (most / least).max(1.0) }
    }

    fn at(self, taken: u32, of: u32) -> f64 {
        self.least * libm::pow(self.ratio, f64::from(taken) / f64::from(of.max(1)))
    }
}

fn overhead_s(view: &View<'_>) -> f64 {
    view.start_cost.max(view.restore_cost).as_secs()
}

/// Service over time to completion, for a job that completes in so many seconds.
fn utility(view: &View<'_>, estimator: &Estimator, job: JobId, seconds: f64) -> f64 {
    let bound = view.job(job);
    let done = bound.work.0 - view.state(job).remaining.0;
    let work_s = (done + estimator.remaining(view, job).0) as f64 / 1e12;
    let service = view.class(job).gpus.as_gpus() * work_s;
    // A microsecond more than nothing keeps the quotient finite.
    service.max(1e-6) / ((view.now - bound.submit).as_secs() + seconds).max(1e-6)
}

/// What a job gains on an option at these prices.
fn payoff(
    view: &View<'_>,
    estimator: &Estimator,
    prices: Prices,
    job: JobId,
    option: JobOption,
    taken: u32,
) -> f64 {
    let keeps = view.state(job).held.is_some_and(|held| view.option(job, held.option) == option);
    let remaining = estimator.remaining(view, job).as_reference_secs() / option.rate.as_f64().max(1e-6);
    let seconds = remaining + if keeps { 0.0 } else { overhead_s(view) };
    let of = view.in_service[option.type_id.index()];
    utility(view, estimator, job, seconds) - prices.at(taken, of) * f64::from(option.devices)
}

/// The dynamic program over the queue. Memory is kept from round to round.
#[derive(Debug, Default)]
struct Program {
    states: Vec<State>,
    next: Vec<State>,
    /// Devices taken of each type, state after state.
    taken: Vec<u32>,
    next_taken: Vec<u32>,
    /// For each job the choice that led to each state, and the state it was made in.
    links: Vec<(u32, Option<u16>)>,
    /// Where each job's links begin.
    from: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct State {
    payoff: f64,
    /// The state before, and the option chosen there.
    link: (u32, Option<u16>),
    /// Where its devices are in `taken`.
    at: u32,
}

impl Program {
    /// The choice for each job, in order.
    fn solve(
        &mut self,
        view: &View<'_>,
        most_states: usize,
        gain: impl Fn(JobId, JobOption, u32) -> f64,
    ) -> Vec<Option<u16>> {
        let types = view.cluster.types().len();
        self.states.clear();
        self.states.push(State { payoff: 0.0, link: (0, None), at: 0 });
        self.taken.clear();
        self.taken.resize(types, 0);
        self.links.clear();
        self.from.clear();
        for &job in view.active {
            self.next.clear();
            self.next_taken.clear();
            for (index, state) in (0u32..).zip(&self.states) {
                let taken = &self.taken[state.at as usize..state.at as usize + types];
                push(
                    &mut self.next,
                    &mut self.next_taken,
                    State { link: (index, None), ..*state },
                    taken,
                    None,
                );
                for &choice in view.class(job).whole.iter().flatten() {
                    let option = view.option(job, choice);
                    let of_type = taken[option.type_id.index()];
                    if of_type + option.devices > view.in_service[option.type_id.index()] {
                        continue;
                    }
                    let more = gain(job, option, of_type);
                    if more > 0.0 {
                        let state = State { payoff: state.payoff + more, link: (index, Some(choice)), at: 0 };
                        push(&mut self.next, &mut self.next_taken, state, taken, Some(option));
                    }
                }
            }
            self.keep_best(types, most_states);
            self.from.push(self.links.len());
            self.links.extend(self.states.iter().map(|state| state.link));
        }
        let mut choices = vec![None; view.active.len()];
        let mut state = 0;
        for (choice, &from) in choices.iter_mut().zip(&self.from).rev() {
            let (before, chosen) = self.links[from + state];
            *choice = chosen;
            state = before as usize;
        }
        choices
    }

    /// Of the states with the same devices taken the best, and of those the best few; the best comes first.
    fn keep_best(&mut self, types: usize, most_states: usize) {
        let taken = |state: &State| &self.next_taken[state.at as usize..state.at as usize + types];
        let by_payoff = |a: &State, b: &State| b.payoff.total_cmp(&a.payoff);
        self.next.sort_by(|a, b| taken(a).cmp(taken(b)).then_with(|| by_payoff(a, b)));
        self.next.dedup_by(|a, b| taken(a) == taken(b));
        self.next.sort_by(|a, b| by_payoff(a, b).then_with(|| taken(a).cmp(taken(b))));
        self.next.truncate(most_states);
        std::mem::swap(&mut self.states, &mut self.next);
        std::mem::swap(&mut self.taken, &mut self.next_taken);
    }
}

/// Adds a state in which `more` is taken beside `taken`.
fn push(states: &mut Vec<State>, all: &mut Vec<u32>, state: State, taken: &[u32], more: Option<JobOption>) {
    let at = all.len();
    all.extend_from_slice(taken);
    if let Some(option) = more {
        all[at + option.type_id.index()] += option.devices;
    }
    states.push(State { at: at as u32, ..state });
}

impl Policy for Hadar {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let Self { estimator, program, most_states, eta } = self;
        let prices = Prices::of(view, estimator, *eta);
        let choices = program.solve(view, *most_states, |job, option, taken| {
            payoff(view, estimator, prices, job, option, taken)
        });
        for (&job, choice) in view.active.iter().zip(choices) {
            match choice {
                Some(option) => decision.grants.push(Grant { job, option }),
                None => decision.waits.push((job, Reason::Objective)),
            }
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let Self { estimator, eta, .. } = self;
        let prices = Prices::of(view, estimator, *eta);
        for &job in waiting {
            if free.is_full() {
                return;
            }
            let of_option = |&index: &u16| {
                let option = view.option(job, index);
                let all = view.in_service[option.type_id.index()];
                let taken = all - free.free_devices(option.type_id).min(all);
                (payoff(view, estimator, prices, job, option, taken), index)
            };
            let mut choices: Vec<(f64, u16)> =
                view.class(job).whole.iter().flatten().map(of_option).collect();
            choices.sort_by(|a, b| b.0.total_cmp(&a.0));
            let _ = choices.iter().any(|&(payoff, index)| payoff > 0.0 && free.try_start(job, index));
        }
    }

    fn is_static_when_idle_queue(&self) -> bool {
        // Prices and utilities change with time, and a job may be priced out although nobody waits.
        false
    }
}
