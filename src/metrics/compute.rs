//! Metrics computed from the record of a run, in one pass over its jobs and segments.

use std::collections::BTreeMap;

use super::Metrics;
use super::series::{ActiveDemand, Service};
use super::yardstick::Yardstick;
use crate::cluster::Cluster;
use crate::policy::{ATTAINED_UNITS, LedgerRow, Proof};
use crate::sim::{RoundReport, RunRecord, Watch};
use crate::units::{MICROS_PER_S, Rate, SimSpan, TenantId};
use crate::workload::{BoundJob, BoundWorkload};

/// Shortest duration that slowdowns are computed with.
const SLOWDOWN_BOUND_S: f64 = 10.0;

/// What the rounds of a policy that proves its decisions add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProofStats {
    /// Rounds with a proof.
    pub rounds: u64,
    /// Rounds proven optimal.
    pub optimal: u64,
    /// Largest relative gap.
    pub gap_max: f64,
    /// Sum of relative gaps.
    pub gap_sum: f64,
    /// Rounds in which the optimum without floors is known, and the sum of its excess.
    pub priced: u64,
    /// Sum over priced rounds of optimum without floors / objective − 1.
    pub price_sum: f64,
    /// (Tenant, round) pairs with a value below the floor, in the policy's own metric.
    pub own_violations: u64,
    /// Whether the policy keeps a ledger.
    pub has_ledger: bool,
    /// Slots of entitlement, summed over rounds, that were lost because credit for a job larger than its tenant's quota was at its
    /// cap.
    pub packing_loss_slots: u64,
    /// Seconds that each decision with a proof took, where there is a clock.
    pub decide_s: Vec<f64>,
}

impl ProofStats {
    /// Adds one round.
    pub fn add(&mut self, proof: Option<&Proof>, ledger: &[LedgerRow]) {
        if let Some(proof) = proof {
            self.rounds += 1;
            let gap = proof.gap();
            if proof.objective >= proof.bound {
                self.optimal += 1;
            }
            self.gap_max = self.gap_max.max(gap);
            self.gap_sum += gap;
            if let Some(free) = proof.without_floors
                && proof.objective > 0
            {
                self.priced += 1;
                self.price_sum += (free as f64 / proof.objective as f64 - 1.0).max(0.0);
            }
        }
        self.has_ledger |= !ledger.is_empty();
        self.packing_loss_slots += ledger.iter().map(|row| u64::from(row.packing_loss_slots)).sum::<u64>();
        let mut counted: Option<TenantId> = None;
        for row in ledger.iter().filter(|row| row.value < row.floor) {
            // A tenant has one row a type, next to each other; its floor is one.
            if counted != Some(row.tenant) {
                self.own_violations += 1;
                counted = Some(row.tenant);
            }
        }
    }
}

impl Watch for ProofStats {
    fn round(&mut self, report: &RoundReport<'_>) {
        self.add(report.proof, report.ledger);
        if let (Some(_), Some(seconds)) = (report.proof, report.decide_s) {
            self.decide_s.push(seconds);
        }
    }
}

/// Seconds a job takes on one whole device (a gang: on its gang) of its best type in the cluster.
#[must_use]
pub fn best_duration_s(job: &BoundJob) -> f64 {
    job.work.time_at(Rate::ONE).unwrap_or(SimSpan::ZERO).as_secs()
}

/// The nearest-rank percentile of sorted values: the ceil(p/100 · n)-th smallest.
#[must_use]
pub fn nearest_rank(sorted: &[f64], percent: u32) -> Option<f64> {
    let rank = (sorted.len() as u64 * u64::from(percent)).div_ceil(100).max(1);
    sorted.get(rank as usize - 1).copied()
}

/// The arithmetic mean; `None` of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

/// Jain's index (Σx)² / (n Σx²); 1 when everything is zero; `None` of nothing.
#[must_use]
pub fn jain(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|x| x * x).sum();
    if squares > 0.0 { Some(sum * sum / (values.len() as f64 * squares)) } else { Some(1.0) }
}

/// The Gini coefficient of sorted non-negative values; 0 when everything is zero; `None` of nothing.
#[must_use]
pub fn gini(sorted: &[f64]) -> Option<f64> {
    if sorted.is_empty() {
        return None;
    }
    let n = sorted.len() as f64;
    let sum: f64 = sorted.iter().sum();
    let ranked: f64 = sorted.iter().enumerate().map(|(i, x)| (i as f64 + 1.0) * x).sum();
    if sum > 0.0 { Some((2.0 * ranked) / (n * sum) - (n + 1.0) / n) } else { Some(0.0) }
}

/// Everything a metric may depend on.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// Jobs.
    pub workload: &'a BoundWorkload,
    /// The run.
    pub record: &'a RunRecord,
    /// What its rounds proved.
    pub proofs: &'a ProofStats,
    /// What its floors were worth; `None` for a run that was not simulated.
    pub yardstick: Option<&'a Yardstick<'a>>,
    /// Service by tenant.
    pub service: &'a Service,
    /// Price of a GPU-hour by catalogue id.
    pub price_per_gpu_hour: &'a BTreeMap<String, f64>,
}

/// Computes every metric of one run. `jct_mean_common_s` is left undefined: it needs the other runs of the comparison.
#[must_use]
pub fn compute(inputs: Inputs<'_>) -> Metrics {
    let mut metrics = Metrics::default();
    for spec in super::metrics() {
        metrics.values.insert(spec.key.to_string(), None);
    }
    let mut set = |key: &str, value: Option<f64>| {
        metrics.values.insert(key.to_string(), value.filter(|v| v.is_finite()));
    };
    let times = Times::of(inputs);
    set("jct_mean_s", mean(&times.jct_s));
    set("jct_p50_s", nearest_rank(&times.jct_s, 50));
    set("jct_p95_s", nearest_rank(&times.jct_s, 95));
    set("jct_p99_s", nearest_rank(&times.jct_s, 99));
    set("jct_max_s", times.jct_s.last().copied());
    set("wait_mean_s", mean(&times.wait_s));
    set("wait_p95_s", nearest_rank(&times.wait_s, 95));
    set("first_start_delay_mean_s", mean(&times.first_start_delay_s));
    set("slowdown_bounded_mean", mean(&times.slowdown));
    set("gini_slowdown", gini(&times.slowdown));
    set("ftf_rho_max", times.rho.last().copied());
    set("ftf_rho_mean", mean(&times.rho));
    let unfair = times.rho.iter().filter(|&&rho| rho > 1.0).count();
    set("ftf_unfair_share", (!times.rho.is_empty()).then(|| unfair as f64 / times.rho.len() as f64));
    set("completed", Some(times.jct_s.len() as f64));
    set("unfinished", Some((inputs.workload.jobs.len() - times.jct_s.len()) as f64));
    set("never_fit", Some(inputs.workload.never_fit.len() as f64));
    let makespan_s = times.last_finish_s;
    set("makespan_s", makespan_s);
    set(
        "throughput_jobs_per_hour",
        makespan_s.filter(|&s| s > 0.0).map(|s| times.jct_s.len() as f64 / (s / 3600.0)),
    );
    set("jain_service", inputs.service.jain());

    let simulated = !inputs.record.segments.is_empty();
    let sum = |count: fn(&crate::sim::JobRun) -> u32| {
        inputs.record.jobs.iter().map(|job| f64::from(count(job))).sum::<f64>()
    };
    if simulated {
        set("preemptions", Some(sum(|job| job.preemptions)));
        set("migrations", Some(sum(|job| job.migrations)));
        set("reconfigurations", Some(inputs.record.reconfigurations as f64));
        set("fragmentation_mean", Some(inputs.record.fragmentation_mean));
        set("effective_throughput", makespan_s.filter(|&s| s > 0.0).map(|s| inputs.service.total_s() / s));
    }
    set("floor_violations", inputs.yardstick.map(|yardstick| yardstick.violations() as f64));
    set("floor_shortfall", inputs.yardstick.map(Yardstick::shortfall_s));
    let proofs = inputs.proofs;
    if proofs.rounds > 0 {
        set("solver_gap_max", Some(proofs.gap_max));
        set("solver_gap_mean", Some(proofs.gap_sum / proofs.rounds as f64));
    }
    let mut decide_s = proofs.decide_s.clone();
    decide_s.sort_by(f64::total_cmp);
    set("solver_s_p95", nearest_rank(&decide_s, 95));
    if proofs.priced > 0 {
        set("price_of_fairness_mean", Some(proofs.price_sum / proofs.priced as f64));
    }
    if proofs.has_ledger {
        set("floor_violations_own", Some(proofs.own_violations as f64));
    }
    let use_of = Use::of(inputs);
    if simulated {
        set("gpu_hours", Some(use_of.gpu_hours()));
        set("cost", use_of.cost(inputs));
        set("utilization", use_of.share(makespan_s, None));
    }
    for (index, gpu_type) in inputs.cluster.types().iter().enumerate() {
        let share = if simulated { use_of.share(makespan_s, Some(index)) } else { None };
        metrics.utilization_by_type.insert(gpu_type.name.clone(), share);
    }
    metrics
}

/// Per-job times, sorted.
struct Times {
    jct_s: Vec<f64>,
    wait_s: Vec<f64>,
    first_start_delay_s: Vec<f64>,
    slowdown: Vec<f64>,
    rho: Vec<f64>,
    last_finish_s: Option<f64>,
}

impl Times {
    fn of(inputs: Inputs<'_>) -> Self {
        let demand = ActiveDemand::of(inputs.cluster, inputs.workload, inputs.record);
        let mut times = Self {
            jct_s: Vec::new(),
            wait_s: Vec::new(),
            first_start_delay_s: Vec::new(),
            slowdown: Vec::new(),
            rho: Vec::new(),
            last_finish_s: None,
        };
        for (job, run) in inputs.workload.jobs.iter().zip(&inputs.record.jobs) {
            if let Some(start) = run.first_start {
                times.first_start_delay_s.push((start - job.submit).as_secs());
            }
            let Some(finish) = run.finish else { continue };
            let jct = finish - job.submit;
            let jct_s = jct.as_secs();
            let best_s = best_duration_s(job);
            times.jct_s.push(jct_s);
            times.wait_s.push((jct - run.held).as_secs());
            times.slowdown.push((jct_s / best_s.max(SLOWDOWN_BOUND_S)).max(1.0));
            if best_s > 0.0 {
                times.rho.push(jct_s / (best_s * demand.mean(job.submit, finish).max(1.0)));
            }
            times.last_finish_s = Some(times.last_finish_s.unwrap_or(0.0).max(finish.as_secs()));
        }
        for values in [
            &mut times.jct_s,
            &mut times.wait_s,
            &mut times.first_start_delay_s,
            &mut times.slowdown,
            &mut times.rho,
        ] {
            values.sort_by(f64::total_cmp);
        }
        times
    }
}

/// Device time held, by type.
struct Use {
    /// In [`ATTAINED_UNITS`] a device-microsecond, within the window to the last finish.
    held: Vec<i128>,
    devices: Vec<u32>,
}

impl Use {
    fn of(inputs: Inputs<'_>) -> Self {
        let types = inputs.cluster.types();
        let mut held = vec![0i128; types.len()];
        for segment in &inputs.record.segments {
            let gpu_type = &types[segment.type_id.index()];
            let unit = ATTAINED_UNITS / i128::from(gpu_type.slots_per_device());
            let devices = inputs.record.parts(segment).len() as i128;
            held[segment.type_id.index()] +=
                unit * i128::from(segment.slots) * devices * i128::from((segment.to - segment.from).0);
        }
        Self { held, devices: types.iter().map(|t| t.devices).collect() }
    }

    fn device_hours(&self, index: usize) -> f64 {
        self.held[index] as f64 / (ATTAINED_UNITS * i128::from(MICROS_PER_S) * 3600) as f64
    }

    fn gpu_hours(&self) -> f64 {
        (0..self.held.len()).map(|index| self.device_hours(index)).sum()
    }

    fn cost(&self, inputs: Inputs<'_>) -> Option<f64> {
        let mut cost = 0.0;
        for (index, gpu_type) in inputs.cluster.types().iter().enumerate() {
            if self.held[index] > 0 {
                cost += self.device_hours(index) * inputs.price_per_gpu_hour.get(&gpu_type.gpu)?;
            }
        }
        Some(cost)
    }

    fn share(&self, window_s: Option<f64>, index: Option<usize>) -> Option<f64> {
        let window_hours = window_s.filter(|&s| s > 0.0)? / 3600.0;
        let (hours, devices) = match index {
            Some(index) => (self.device_hours(index), self.devices[index]),
            None => (self.gpu_hours(), self.devices.iter().sum()),
        };
        Some((hours / (window_hours * f64::from(devices))).min(1.0))
    }
}

/// Fills in `jct_mean_common_s` for runs of one comparison on one workload: the mean JCT over the jobs finished in all of them.
pub fn set_common_means(workload: &BoundWorkload, runs: &mut [(&RunRecord, &mut Metrics)]) {
    let common: Vec<usize> = (0..workload.jobs.len())
        .filter(|&index| runs.iter().all(|(record, _)| record.jobs[index].finish.is_some()))
        .collect();
    for (record, metrics) in runs.iter_mut() {
        let mut jct_s: Vec<f64> = common
            .iter()
            .filter_map(|&index| {
                record.jobs[index].finish.map(|finish| (finish - workload.jobs[index].submit).as_secs())
            })
            .collect();
        // Summed in the same order as the mean over all jobs, so that the two are equal when every job finished.
        jct_s.sort_by(f64::total_cmp);
        metrics.values.insert("jct_mean_common_s".to_string(), mean(&jct_s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_index_of_known_vectors() {
        let close = |x: Option<f64>, y: f64| assert!((x.unwrap() - y).abs() < 1e-12);
        close(jain(&[1.0, 1.0, 1.0, 1.0]), 1.0);
        close(jain(&[1.0, 0.0, 0.0, 0.0]), 0.25);
        close(jain(&[1.0, 2.0, 3.0]), 6.0 / 7.0);
        close(jain(&[0.0, 0.0]), 1.0);
        assert_eq!(jain(&[]), None);
    }

    #[test]
    fn percentiles_are_nearest_rank() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(nearest_rank(&values, 50), Some(50.0));
        assert_eq!(nearest_rank(&values, 95), Some(95.0));
        assert_eq!(nearest_rank(&values, 99), Some(99.0));
        assert_eq!(nearest_rank(&[7.0], 50), Some(7.0));
        assert_eq!(nearest_rank(&[], 50), None);
    }

    #[test]
    fn gini_of_equal_and_of_one_taking_all() {
        assert!(gini(&[2.0, 2.0, 2.0]).unwrap().abs() < 1e-12);
        assert!((gini(&[0.0, 0.0, 0.0, 1.0]).unwrap() - 0.75).abs() < 1e-12);
    }
}
