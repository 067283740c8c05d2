//! At each recorded decision, the policies' own shares are as good as the recorded ones.
//!
//! Objectives are computed here from their definitions, not by the policies' code.

use std::collections::BTreeMap;

use sts_sim::gavel::policy::{ActiveJob, Policy, Shares, View};
use sts_sim::gavel::replay::Replay;
use sts_sim::gavel::{Gpu, Observer, PerGpu};

use crate::runs::{Run, runs, simulated};

/// Which throughputs an objective goes by.
#[derive(Clone, Copy)]
enum Rates {
    Own,
    Equal,
    OfV100,
}

impl Rates {
    fn of(self, job: &ActiveJob, gpu: Gpu) -> f64 {
        match self {
            Rates::Own => job.steps_per_s[gpu],
            Rates::Equal => 1.0,
            Rates::OfV100 => job.steps_per_s[Gpu::V100],
        }
    }

    fn throughput(self, view: &View<'_>, job: &ActiveJob, share: &PerGpu<f64>) -> f64 {
        view.cluster.types().map(|gpu| self.of(job, gpu) * share[gpu]).sum()
    }
}

fn least_service(rates: Rates, view: &View<'_>, shares: &Shares) -> f64 {
    let total = f64::from(view.cluster.total());
    let of_job = |(job, share): (&ActiveJob, &PerGpu<f64>)| {
        let proportional = PerGpu::new(|gpu| f64::from(view.cluster.gpus(gpu)) / total);
        let served = rates.throughput(view, job, share) / rates.throughput(view, job, &proportional);
        served * f64::from(job.scale_factor) / job.weight
    };
    view.jobs.iter().zip(&shares.jobs).map(of_job).fold(f64::INFINITY, f64::min)
}

fn sum_of_steps(view: &View<'_>, shares: &Shares) -> f64 {
    view.jobs.iter().zip(&shares.jobs).map(|(job, share)| Rates::Own.throughput(view, job, share)).sum()
}

fn makespan_s(rates: Rates, view: &View<'_>, shares: &Shares) -> f64 {
    let of_job = |(job, share): (&ActiveJob, &PerGpu<f64>)| {
        job.remaining_steps as f64 / rates.throughput(view, job, share)
    };
    view.jobs.iter().zip(&shares.jobs).map(of_job).fold(0.0, f64::max)
}

/// What finish-time fairness remembers of a job: steps left and isolated throughput at the last decision, and the time that all
/// steps before would have taken alone.
#[derive(Clone, Copy, Default)]
struct Alone {
    remaining_steps: f64,
    steps_per_s: f64,
    so_far_s: f64,
}

/// Compares the shares of a policy with recorded ones.
struct Compare {
    name: String,
    policy: Box<dyn Policy>,
    objective: Objective,
    alone: BTreeMap<u32, Alone>,
    decisions: u64,
    worst: f64,
}

#[derive(Clone, Copy)]
enum Objective {
    LeastService(Rates),
    SumOfSteps,
    FinishTime(Rates),
    Makespan(Rates),
}

impl Objective {
    /// The objective of a policy, and the relative difference allowed.
    fn of(policy: &str) -> Option<(Self, f64)> {
        Some(match policy {
            "max_min_fairness" => (Self::LeastService(Rates::Equal), 1e-6),
            "max_min_fairness_perf" | "max_min_fairness_water_filling_perf" => {
                (Self::LeastService(Rates::Own), 1e-6)
            }
            "max_sum_throughput_perf" => (Self::SumOfSteps, 1e-6),
            "finish_time_fairness" => (Self::FinishTime(Rates::OfV100), 1e-4),
            "finish_time_fairness_perf" => (Self::FinishTime(Rates::Own), 1e-4),
            "min_total_duration" => (Self::Makespan(Rates::OfV100), 0.05),
            "min_total_duration_perf" => (Self::Makespan(Rates::Own), 0.05),
            _ => return None,
        })
    }
}

impl Compare {
    fn isolated(view: &View<'_>, rates: Rates, job: &ActiveJob) -> f64 {
        let equal = PerGpu::new(|gpu| {
            f64::from(view.cluster.gpus(gpu)) / (view.jobs.len() as f64 * f64::from(job.scale_factor))
        });
        let sum: f64 = view.cluster.types().map(|gpu| equal[gpu]).sum();
        rates.throughput(view, job, &equal) / sum.max(1.0)
    }

    fn account(&mut self, view: &View<'_>, rates: Rates) {
        let account = |job: &ActiveJob| {
            let before = self.alone.get(&job.id).copied().unwrap_or_default();
            let remaining_steps = job.remaining_steps as f64;
            let done = if before.steps_per_s > 0.0 {
                (before.remaining_steps - remaining_steps) / before.steps_per_s
            } else {
                0.0
            };
            let steps_per_s = Self::isolated(view, rates, job);
            (job.id, Alone { remaining_steps, steps_per_s, so_far_s: before.so_far_s + done })
        };
        self.alone = view.jobs.iter().map(account).collect();
    }

    fn rho(&self, rates: Rates, view: &View<'_>, shares: &Shares) -> f64 {
        let of_job = |(job, share): (&ActiveJob, &PerGpu<f64>)| {
            let alone = self.alone[&job.id];
            let here_s = job.age_s + alone.remaining_steps / rates.throughput(view, job, share);
            here_s / (alone.so_far_s + alone.remaining_steps / alone.steps_per_s)
        };
        view.jobs.iter().zip(&shares.jobs).map(of_job).fold(0.0, f64::max)
    }

    fn value(&self, view: &View<'_>, shares: &Shares) -> f64 {
        match self.objective {
            Objective::LeastService(rates) => least_service(rates, view, shares),
            Objective::SumOfSteps => sum_of_steps(view, shares),
            Objective::FinishTime(rates) => self.rho(rates, view, shares),
            Objective::Makespan(rates) => makespan_s(rates, view, shares),
        }
    }

    /// Whether shares are within the cluster, to the accuracy of recorded ones.
    fn assert_feasible(&self, view: &View<'_>, shares: &Shares) {
        for gpu in view.cluster.types() {
            let held: f64 = view
                .jobs
                .iter()
                .zip(&shares.jobs)
                .map(|(job, share)| f64::from(job.scale_factor) * share[gpu])
                .sum();
            let gpus = f64::from(view.cluster.gpus(gpu));
            assert!(
                held <= gpus * (1.0 + 1e-6),
                "{} at {} s: {held} of {gpus} {}",
                self.name,
                view.now_s,
                gpu.name()
            );
        }
        for share in &shares.jobs {
            let sum: f64 = Gpu::ALL.iter().map(|&gpu| share[gpu]).sum();
            assert!(sum <= 1.0 + 1e-6, "{} at {} s: a job has {sum}", self.name, view.now_s);
        }
    }
}

impl Observer for Compare {
    fn shares(&mut self, view: &View<'_>, recorded: &Shares) {
        if let Objective::FinishTime(rates) = self.objective {
            self.account(view, rates);
        }
        let own = self.policy.shares(view).unwrap();
        if view.jobs.is_empty() {
            return;
        }
        self.assert_feasible(view, &own);
        let (own, recorded) = (self.value(view, &own), self.value(view, recorded));
        self.worst = self.worst.max((own / recorded - 1.0).abs());
        self.decisions += 1;
    }
}

#[test]
fn objectives_are_those_of_recorded_shares() {
    let Some(runs) = runs() else { return };
    let mut decisions = 0;
    for run in &runs {
        let Some((objective, tolerance)) = Objective::of(run.policy.name()) else { continue };
        let mut compare = Compare {
            name: run.name.clone(),
            policy: run.policy.make(run.options.seed),
            objective,
            alone: BTreeMap::new(),
            decisions: 0,
            worst: 0.0,
        };
        let Run { name, recorded, .. } = run;
        simulated(run, &mut Replay::new(recorded), &mut compare);
        println!("{name:58} worst of {} decisions: {:.1e}", compare.decisions, compare.worst);
        assert!(compare.worst <= tolerance, "{name}: off by {} of the recorded objective", compare.worst);
        decisions += compare.decisions;
    }
    assert!(decisions >= 500, "{decisions} decisions");
}
