//! Running one policy and seed of a scenario, and what comes out of it for tables, charts and files.

use serde::{Deserialize, Serialize};

use super::hash::{result_hash, scenario_hash};
use super::{PolicyChoice, Scenario, ScenarioError};
use crate::cluster::Cluster;
use crate::metrics::compute::{Inputs, mean};
use crate::metrics::series::{self, Service};
pub use crate::metrics::series::{CdfPoint, LoadPoint};
use crate::metrics::yardstick::Yardstick;
use crate::metrics::{self, Metrics, ProofStats};
use crate::sim::recorded::{has_record, recorded};
use crate::sim::standing::UNITS_PER_S;
use crate::sim::{Engine, PassedRounds, Progress, RoundReport, RunRecord, Standing, Watch};
use crate::workload::bind::bind;
use crate::workload::{BoundWorkload, Workload, synthetic};

/// Most points of a thinned series.
pub const SERIES_POINTS: usize = 1000;

/// Stretches in which service is compared with entitlement.
pub const SERVICE_STRETCHES: usize = 120;

/// A scenario with its workload bound to its cluster, ready to run any of its policies.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The scenario.
    pub scenario: Scenario,
    /// Its fingerprint.
    pub scenario_hash: String,
    /// The cluster.
    pub cluster: Cluster,
    /// The workload after shaping, for names and for what is not simulated.
    pub source: Workload,
    /// Jobs bound to the cluster.
    pub workload: BoundWorkload,
}

/// A run with everything it left behind.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Figures and thinned series.
    pub result: RunResult,
    /// Every allocation.
    pub record: RunRecord,
}

/// The workload a synthetic scenario generates; `None` for a scenario that names a trace.
#[must_use]
pub fn generated(scenario: &Scenario) -> Option<Workload> {
    scenario.workload.synthetic.as_ref().map(synthetic::generate)
}

/// Fills in the mean JCT over the jobs that finished in every run of one seed.
pub fn set_common_means(prepared: &Prepared, runs: &mut [Finished]) {
    let mut pairs: Vec<_> = runs.iter_mut().map(|run| (&run.record, &mut run.result.metrics)).collect();
    metrics::compute::set_common_means(&prepared.workload, &mut pairs);
}

/// Checks a scenario and binds `workload` (as traced or generated, not yet shaped) to its cluster.
///
/// # Errors
/// [`ScenarioError`] naming the JSON path, also when no job of the workload can run.
pub fn prepare(scenario: &Scenario, workload: &Workload) -> Result<Prepared, ScenarioError> {
    scenario.check()?;
    let cluster = scenario.build_cluster()?;
    let shape = scenario.shape()?;
    let source = if shape.is_identity() { workload.clone() } else { shape.apply(workload) };
    let mut bound =
        bind(&source, &cluster, &scenario.workload.profiles, |tenant| scenario.tenants.weight_micro(tenant))?;
    scenario.tenants.enter_changes(&mut bound.tenants, scenario.round.settings().length)?;
    if bound.jobs.is_empty() {
        return Err(ScenarioError::Value {
            path: "workload".into(),
            found: format!(
                "{} jobs, of which {} fit no GPU type of the cluster and {} have no run time",
                source.jobs.len(),
                bound.never_fit.len(),
                bound.without_duration.len()
            ),
            expected: "at least one GPU job with a run time that fits the cluster".into(),
        });
    }
    let scenario_hash = scenario_hash(scenario, workload);
    Ok(Prepared { scenario: scenario.clone(), scenario_hash, cluster, source, workload: bound })
}

impl Prepared {
    /// Why the policy at `index` cannot serve this scenario, to be asked before a run.
    ///
    /// # Errors
    /// [`ScenarioError`] when there is no such policy, or it cannot serve this scenario.
    pub fn check_policy(&self, index: usize) -> Result<(), ScenarioError> {
        let (spec, params) = self.scenario.policy(index)?;
        let refused = match spec.build {
            None if !has_record(&self.workload) => Some("a trace with start and end times".to_string()),
            _ => (spec.refuses)(&self.cluster, &self.workload, &params),
        };
        match refused {
            None => Ok(()),
            Some(expected) => Err(ScenarioError::Value {
                path: format!("policies[{index}].name"),
                found: spec.name.into(),
                expected: format!("{expected}; or leave this policy out"),
            }),
        }
    }

    /// Simulates the policy at `index` with `seed`.
    ///
    /// # Errors
    /// [`ScenarioError`] when there is no such policy, or it cannot serve this scenario.
    pub fn run(&self, index: usize, seed: u64, watch: &mut dyn Watch) -> Result<Finished, ScenarioError> {
        self.check_policy(index)?;
        let (spec, params) = self.scenario.policy(index)?;
        let choice = &self.scenario.policies[index];
        let settings = self.scenario.round.settings();
        let mut measures = Measures {
            proofs: ProofStats::default(),
            yardstick: Yardstick::new(&self.cluster, &self.workload, &settings),
            watch,
        };
        let record = match spec.build {
            Some(build) => {
                let policy = build(&params, seed);
                Engine::new(&self.cluster, &self.workload, settings, policy)
                    .with_outages(self.scenario.outages(&self.cluster, seed))
                    .run(&mut measures)
            }
            None => recorded(&self.workload),
        };
        let Measures { proofs, yardstick, .. } = measures;
        let yardstick = spec.build.map(|_| &yardstick);
        let result = self.result(choice, seed, &record, &proofs, yardstick);
        Ok(Finished { result, record })
    }

    /// Every job's completion time in seconds, in the order of the workload; NaN where it did not finish.
    #[must_use]
    pub fn completion_times_s(&self, record: &RunRecord) -> Vec<f64> {
        let jobs = self.workload.jobs.iter().zip(&record.jobs);
        jobs.map(|(job, run)| run.finish.map_or(f64::NAN, |finish| (finish - job.submit).as_secs())).collect()
    }

    fn result(
        &self,
        choice: &PolicyChoice,
        seed: u64,
        record: &RunRecord,
        proofs: &ProofStats,
        yardstick: Option<&Yardstick<'_>>,
    ) -> RunResult {
        let service = Service::of(&self.workload, record, SERVICE_STRETCHES);
        let metrics = metrics::compute(Inputs {
            cluster: &self.cluster,
            workload: &self.workload,
            record,
            proofs,
            yardstick,
            service: &service,
            price_per_gpu_hour: &self.scenario.cluster.price_per_gpu_hour,
        });
        let mut jct_s: Vec<f64> = self
            .workload
            .jobs
            .iter()
            .zip(&record.jobs)
            .filter_map(|(job, run)| run.finish.map(|finish| (finish - job.submit).as_secs()))
            .collect();
        jct_s.sort_by(f64::total_cmp);
        RunResult {
            policy: choice.label().to_string(),
            seed,
            result_hash: result_hash(record),
            sim_wall_s: None,
            metrics,
            jct_cdf: series::cdf(&jct_s, SERIES_POINTS),
            load: series::load(record, SERIES_POINTS),
            tenants: self.tenants(record, &service),
            rounds: record.rounds,
            rounds_solved: (proofs.rounds > 0).then_some(proofs.rounds),
            rounds_optimal: (proofs.rounds > 0).then_some(proofs.optimal),
            stopped: record.stopped.map(|stopped| stopped.words().to_string()),
            account: Account {
                packing_loss_slots: proofs.has_ledger.then_some(proofs.packing_loss_slots),
                packing_gap: record.packing.gap(),
                packing_gap_s: yardstick.map(|_| record.packing_gap as f64 / UNITS_PER_S),
                floor_rounds: yardstick.map(Yardstick::rounds),
                floor_rounds_measured: yardstick.map(Yardstick::measured),
                floors_unproven: yardstick.map(Yardstick::unproven),
            },
        }
    }

    fn tenants(&self, record: &RunRecord, service: &Service) -> Vec<TenantResult> {
        let tenants = &self.workload.tenants;
        let mut jct_s = vec![Vec::new(); tenants.len()];
        let mut wait_s = vec![Vec::new(); tenants.len()];
        let mut jobs = vec![0; tenants.len()];
        for (job, run) in self.workload.jobs.iter().zip(&record.jobs) {
            let tenant = job.tenant.index();
            jobs[tenant] += 1;
            if let Some(finish) = run.finish {
                let jct = finish - job.submit;
                jct_s[tenant].push(jct.as_secs());
                wait_s[tenant].push((jct - run.held).as_secs());
            }
        }
        tenants
            .iter()
            .enumerate()
            .filter(|(index, _)| jobs[*index] > 0)
            .map(|(index, tenant)| TenantResult {
                name: tenant.name.clone(),
                weight: tenant.weight_micro as f64 / 1e6,
                jobs: jobs[index],
                completed: jct_s[index].len() as u64,
                jct_mean_s: mean(&jct_s[index]),
                wait_mean_s: mean(&wait_s[index]),
                service_s: service.received(index),
                entitled_s: service.due(index),
                service_ratio: service.ratios(index),
                stretch_s: service.stretch_s,
            })
            .collect()
    }
}

/// Measures a run while it goes on, and shows it to the caller's watcher.
struct Measures<'a> {
    proofs: ProofStats,
    yardstick: Yardstick<'a>,
    watch: &'a mut dyn Watch,
}

impl Watch for Measures<'_> {
    fn round(&mut self, report: &RoundReport<'_>) {
        self.proofs.round(report);
        self.yardstick.round(report);
        self.watch.round(report);
    }

    fn passed(&mut self, passed: &PassedRounds<'_>) {
        self.yardstick.passed(passed);
        self.watch.passed(passed);
    }

    fn idle(&mut self, standing: &Standing) {
        self.yardstick.idle(standing);
        self.watch.idle(standing);
    }

    fn progress(&mut self, progress: Progress) {
        self.watch.progress(progress);
    }

    fn has_seen_enough(&self) -> bool {
        self.watch.has_seen_enough()
    }

    fn clock_s(&self) -> Option<f64> {
        self.watch.clock_s()
    }
}

/// Result of one policy and seed. It is plain data: the page gets it from a worker, the command line writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// The policy's label in the scenario.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// Fingerprint of every allocation of the run.
    pub result_hash: String,
    /// Seconds the simulation took, if a clock was given.
    pub sim_wall_s: Option<f64>,
    /// Metrics.
    pub metrics: Metrics,
    /// Sorted completion times of completed jobs, thinned for drawing.
    pub jct_cdf: Vec<CdfPoint>,
    /// Utilisation and queue over time, thinned for drawing.
    pub load: Vec<LoadPoint>,
    /// Service against entitlement, by tenant.
    pub tenants: Vec<TenantResult>,
    /// Rounds decided.
    pub rounds: u64,
    /// Rounds that were decided with a proof; rounds passed over as they are have none.
    #[serde(default)]
    pub rounds_solved: Option<u64>,
    /// Rounds whose decision was proven optimal; `None` for policies without a bound.
    pub rounds_optimal: Option<u64>,
    /// Why the run ended before every job had finished, in words; `None` if all finished.
    pub stopped: Option<String>,
    /// What violations of floors come from, and how well they were measured.
    #[serde(default)]
    pub account: Account,
}

/// Figures beside the metrics: what violations of floors come from, and how well they were measured. `None` where a figure does not
/// apply to the run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Account {
    /// Slots of entitlement, summed over rounds, that tenants with jobs larger than their quota lost because their credit was at
    /// its cap. `None` for policies without quotas.
    pub packing_loss_slots: Option<u64>,
    /// Share of what decisions are worth to the policy that was lost because devices had no position for it. `None` for policies
    /// without values.
    pub packing_gap: Option<f64>,
    /// Service that decisions planned and placement on devices lost, in seconds of one reference GPU.
    pub packing_gap_s: Option<f64>,
    /// Rounds with an active tenant.
    pub floor_rounds: Option<u64>,
    /// Those in which `floor_violations` and `floor_shortfall` were measured; where fewer, the two are estimates.
    pub floor_rounds_measured: Option<u64>,
    /// Worths of quotas that are the best found rather than proven to be the most.
    pub floors_unproven: Option<u64>,
}

/// One tenant in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenantResult {
    /// Its name.
    pub name: String,
    /// Its weight at the beginning.
    pub weight: f64,
    /// Simulated jobs.
    pub jobs: u64,
    /// Completed jobs.
    pub completed: u64,
    /// Mean JCT of its completed jobs.
    pub jct_mean_s: Option<f64>,
    /// Mean wait of its completed jobs.
    pub wait_mean_s: Option<f64>,
    /// Service received, in seconds of one reference GPU.
    pub service_s: f64,
    /// Weighted share of all service done while it was active.
    pub entitled_s: f64,
    /// Service over entitlement in equal stretches of time; `None` where the tenant was not active.
    pub service_ratio: Vec<Option<f64>>,
    /// Length of one stretch of `service_ratio`.
    pub stretch_s: f64,
}
