//! Sia: an integer program over configurations, solved to proven optimality.

use super::knapsack::{Bid, Knapsack};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::sts::program::Status;
use super::{Decision, Grant, Params, Policy, PolicySpec, Proof, Refill, View};
use crate::units::JobId;
use crate::workload::JobOption;

/// Goodput-optimised allocation.
///
/// * Rule: every round choose at most one configuration a job to minimise the sum of G^p + lambda · (jobs without one), where G is the
///   job's speed in the configuration over that in its slowest; what is not the current configuration counts r · G, with r =
///   max(age − restarts · penalty, 0) / (age + penalty).
/// * Source: Jayaram Subramanya et al., "Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling", SOSP 2023; p = −0.5 and
///   lambda = 1.1 as in its simulator.
/// * Deviations: jobs are rigid: a configuration is a type with the job's own number of GPUs, or with `sharing` a slice; goodput is
///   throughput. r concerns jobs that hold a configuration, since who waits has none to lose. The program is solved as a
///   multi-choice knapsack, exactly, or with the proven gap that its budget leaves.
/// * Complexity: a knapsack program a round, at most `solver_budget` expansions.
pub const SPEC: PolicySpec = PolicySpec {
    name: "sia",
    title: "Sia",
    summary: "An integer program over configurations each round, balancing goodput, restarts and jobs left out",
    citation: "Jayaram Subramanya et al., Sia, SOSP 2023",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "p",
            title: "Fairness power p",
            unit: None,
            kind: ParamKind::Number { default: Some(-0.5), min: -10.0, max: -0.01 },
            help: "Power of the normalised goodput. The more negative, the less is gained by speeding up a job that runs well.",
        },
        ParamSpec {
            name: "lambda",
            title: "Cost of leaving out",
            unit: None,
            kind: ParamKind::Number { default: Some(1.1), min: 0.0, max: 1000.0 },
            help: "What a job without a configuration costs.",
        },
        ParamSpec {
            name: "restart_penalty_s",
            title: "Restart penalty",
            unit: Some("s"),
            kind: ParamKind::Number { default: Some(60.0), min: 0.0, max: 1e6 },
            help: "What a restart is taken to cost when a job's configuration is changed. Sia has 20 to 250 s by model.",
        },
        ParamSpec {
            name: "sharing",
            title: "Sharing",
            unit: None,
            kind: ParamKind::Choice(&[
                ("off", "configurations are whole devices"),
                ("slots", "configurations are also slices of devices"),
            ]),
            help: "Whether jobs may share a device. This scheduler was designed for whole devices.",
        },
        ParamSpec {
            name: "solver_budget",
            title: "Solver budget",
            unit: Some("expansions"),
            kind: ParamKind::Integer { default: 200_000, min: 1_000, max: 1_000_000_000 },
            help: "Work limit of a round's program; beyond it the best decision found is taken, with its proven gap.",
        },
    ],
    refuses: None,
    build: Some(|params, _| Box::new(Sia::new(params))),
};

/// Values of the program in units of the objective.
const UNITS: f64 = 1e6;

struct Sia {
    p: f64,
    lambda: f64,
    penalty_s: f64,
    with_slices: bool,
    knapsack: Knapsack,
    /// How often a job was loaded anew, by job.
    restarts: Vec<u32>,
    bids: Vec<Vec<Bid>>,
}

impl Sia {
    fn new(params: &Params) -> Self {
        Self {
            p: params.number("p"),
            lambda: params.number("lambda"),
            penalty_s: params.number("restart_penalty_s"),
            with_slices: params.word("sharing") == "slots",
            knapsack: Knapsack::new(params.integer("solver_budget").unsigned_abs()),
            restarts: Vec::new(),
            bids: Vec::new(),
        }
    }

    /// The configurations of a job.
    fn configurations<'a>(
        &'a self,
        view: &View<'a>,
        job: JobId,
    ) -> impl Iterator<Item = (u16, JobOption)> + Clone + 'a {
        let class = view.class(job);
        let options = class.options.iter().zip(0u16..);
        options
            .filter(|(option, index)| self.with_slices || class.whole[option.type_id.index()] == Some(*index))
            .map(|(option, index)| (index, *option))
    }

    /// What each configuration is worth: what it costs less than leaving the job out.
    fn bid(&self, view: &View<'_>, job: JobId) -> Vec<Bid> {
        let configurations = self.configurations(view, job);
        let rates = configurations.clone().map(|(_, option)| option.rate.as_f64());
        let slowest = rates.fold(f64::INFINITY, f64::min);
        let held = view.state(job).held.map(|held| held.option);
        let age_s = (view.now - view.job(job).submit).as_secs();
        let lost_s = f64::from(self.restarts[job.index()]) * self.penalty_s;
        let whole_s = age_s + self.penalty_s;
        let factor = if whole_s > 0.0 { (age_s - lost_s).max(0.0) / whole_s } else { 1.0 };
        configurations
            .filter_map(|(index, taken)| {
                let keeps = held == Some(index);
                let factor = if held.is_some() && !keeps { factor } else { 1.0 };
                let goodput = factor * taken.rate.as_f64() / slowest;
                let value = UNITS * (self.lambda - libm::pow(goodput, self.p));
                (goodput > 0.0 && value >= 1.0).then(|| Bid {
                    option: index,
                    taken,
                    value: value.round() as i64,
                    keeps,
                })
            })
            .collect()
    }
}

impl Policy for Sia {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.restarts.resize(view.states.len(), 0);
        self.bids = view.active.iter().map(|&job| self.bid(view, job)).collect();
        let Some(solution) = self.knapsack.solve(view, &[], &self.bids) else { return };
        for ((&job, bids), choice) in view.active.iter().zip(&self.bids).zip(&solution.choice) {
            let Some(bid) = choice.and_then(|choice| bids.get(usize::from(choice))) else { continue };
            decision.grants.push(Grant { job, option: bid.option });
            if view.state(job).first_start.is_some() && !bid.keeps {
                self.restarts[job.index()] += 1;
            }
        }
        if solution.status != Status::Infeasible {
            decision.proof = Some(Proof {
                objective: solution.objective,
                bound: solution.bound,
                without_floors: None,
                states: solution.states,
                method: solution.method,
            });
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        for &job in waiting {
            if free.is_full() {
                return;
            }
            let mut fastest: Vec<(u16, JobOption)> = self.configurations(view, job).collect();
            fastest.sort_by_key(|(index, option)| (std::cmp::Reverse(option.rate), *index));
            let _ = fastest.iter().any(|&(index, _)| free.try_start(job, index));
        }
    }

    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
