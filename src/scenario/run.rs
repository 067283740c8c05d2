//! Running one policy and seed of a scenario, and what comes out of it for tables, charts and files.

use serde::{Deserialize, Serialize};

use super::hash::{result_hash, scenario_hash};
use super::{Scenario, ScenarioError};
use crate::cluster::Cluster;
use crate::metrics::compute::Inputs;
use crate::metrics::distribution::Distribution;
use crate::metrics::properties::{FairnessReport, Properties};
use crate::metrics::series::{self, Service};
pub use crate::metrics::series::{CdfPoint, LoadPoint};
use crate::metrics::window::Window;
use crate::metrics::yardstick::Yardstick;
use crate::metrics::{self, Breakdown, Measured, Metrics, ProofStats};
use crate::sim::recorded::{has_record, recorded};
use crate::sim::standing::UNITS_PER_S;
use crate::sim::{Engine, JobRun, PassedRounds, Progress, RoundReport, RunRecord, Standing, Watch};
use crate::units::SimTime;
use crate::workload::bind::bind;
use crate::workload::{BoundJob, BoundWorkload, Workload, synthetic};

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
    metrics::compute::set_common_means(&prepared.workload, prepared.scenario.measure.window(), &mut pairs);
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
        return Err(no_job(&source, workload, &bound));
    }
    scenario.measure.check_jobs(&bound.jobs)?;
    let scenario_hash = scenario_hash(scenario, workload);
    Ok(Prepared { scenario: scenario.clone(), scenario_hash, cluster, source, workload: bound })
}

/// Why nothing of a workload would be simulated: what becomes of its jobs, the step that takes them first.
fn no_job(source: &Workload, traced: &Workload, bound: &BoundWorkload) -> ScenarioError {
    let (all, taken) = (traced.gpu_jobs().count(), source.gpu_jobs().count());
    let (found, expected) = if all == 0 {
        ("no job that asks for a GPU".to_owned(), "at least one GPU job")
    } else if taken == 0 {
        let found = format!(
            "{all} GPU jobs, none of them in the window and of the outcomes, tenants and sample that are asked for"
        );
        (found, "at least one; change window_s, states, tenants or sample")
    } else {
        let found = format!(
            "{taken} GPU jobs, of which {} fit no GPU type of the cluster and {} have no run time",
            bound.never_fit.len(),
            bound.without_duration.len()
        );
        (found, "at least one GPU job with a run time that fits the cluster")
    };
    ScenarioError::Value { path: "workload".into(), found, expected: expected.into() }
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
            _ => spec.refuses.and_then(|refuses| refuses(&self.cluster, &self.workload, &params)),
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
        let settings = self.scenario.round.settings();
        let window = self.scenario.measure.window();
        let mut measures = Measures {
            window,
            proofs: ProofStats { window, ..ProofStats::default() },
            yardstick: Yardstick::new(&self.cluster, &self.workload, &settings).within(window),
            properties: Properties::new(&self.cluster, &self.workload, window),
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
        let result = self.result(index, seed, &record, &measures)?;
        Ok(Finished { result, record })
    }

    /// Every job's completion time in seconds, in the order of the workload; NaN where it did not finish or is not measured.
    #[must_use]
    pub fn completion_times_s(&self, record: &RunRecord) -> Vec<f64> {
        let window = self.scenario.measure.window();
        let jobs = self.workload.jobs.iter().zip(&record.jobs);
        let time_s = |(job, run): (&BoundJob, &JobRun)| {
            let finish = run.finish.filter(|_| window.holds(job.submit));
            finish.map_or(f64::NAN, |finish| (finish - job.submit).as_secs())
        };
        jobs.map(time_s).collect()
    }

    fn result(
        &self,
        index: usize,
        seed: u64,
        record: &RunRecord,
        measures: &Measures<'_>,
    ) -> Result<RunResult, ScenarioError> {
        let (spec, _) = self.scenario.policy(index)?;
        let choice = &self.scenario.policies[index];
        let Measures { proofs, window, .. } = measures;
        let yardstick = spec.build.map(|_| &measures.yardstick);
        let fairness = spec.build.map(|_| measures.properties.report());
        let over_time = Service::of(&self.workload, record, Window::WHOLE, SERVICE_STRETCHES);
        let in_window =
            (!window.is_whole()).then(|| Service::of(&self.workload, record, *window, SERVICE_STRETCHES));
        let Measured { metrics, breakdown, sample } = metrics::compute(Inputs {
            cluster: &self.cluster,
            workload: &self.workload,
            record,
            proofs,
            yardstick,
            fairness,
            service: in_window.as_ref().unwrap_or(&over_time),
            price_per_gpu_hour: &self.scenario.cluster.price_per_gpu_hour,
            window: *window,
            ftf_n: self.scenario.measure.ftf_n,
        });
        let thinned = |of: &Distribution| series::cdf(of.sorted(), SERIES_POINTS);
        Ok(RunResult {
            policy: choice.label().to_string(),
            seed,
            result_hash: result_hash(record),
            sim_wall_s: None,
            metrics,
            jct_cdf: thinned(&sample.jct_s),
            wait_cdf: thinned(&sample.wait_s),
            slowdown_cdf: thinned(&sample.slowdown),
            load: series::load(record, SERIES_POINTS),
            tenants: self.tenants(&breakdown, in_window.as_ref().unwrap_or(&over_time), &over_time),
            breakdown,
            fairness: fairness.cloned(),
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
                unranked_jobs: record.unranked,
            },
        })
    }

    /// The tenants with a measured job, with their service over the whole run.
    fn tenants(&self, breakdown: &Breakdown, measured: &Service, over_time: &Service) -> Vec<TenantResult> {
        let mut rows = breakdown.by_tenant.iter().peekable();
        let mut tenants = Vec::new();
        for (index, tenant) in self.workload.tenants.iter().enumerate() {
            let Some(row) = rows.next_if(|row| row.tenant == tenant.name) else { continue };
            tenants.push(TenantResult {
                name: row.tenant.clone(),
                weight: row.weight,
                jobs: row.figures.jobs,
                completed: row.figures.completed,
                jct_mean_s: row.figures.jct_mean_s,
                wait_mean_s: row.figures.wait_mean_s,
                service_s: measured.received(index),
                entitled_s: measured.due(index),
                service_ratio: over_time.ratios(index),
                stretch_s: over_time.stretch_s,
            });
        }
        tenants
    }
}

/// Measures a run while it goes on, and shows it to the caller's watcher.
struct Measures<'a> {
    window: Window,
    proofs: ProofStats,
    yardstick: Yardstick<'a>,
    properties: Properties<'a>,
    watch: &'a mut dyn Watch,
}

impl Watch for Measures<'_> {
    fn round(&mut self, report: &RoundReport<'_>) {
        self.proofs.round(report);
        self.yardstick.round(report);
        self.properties.round(report);
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

    fn window(&self) -> Option<(SimTime, SimTime)> {
        (!self.window.is_whole()).then_some((self.window.from, self.window.to))
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
    /// Sorted waits of completed jobs, likewise.
    #[serde(default)]
    pub wait_cdf: Vec<CdfPoint>,
    /// Sorted bounded slowdowns of completed jobs, likewise.
    #[serde(default)]
    pub slowdown_cdf: Vec<CdfPoint>,
    /// Utilisation and queue over time, thinned for drawing.
    pub load: Vec<LoadPoint>,
    /// Service against entitlement, by tenant.
    pub tenants: Vec<TenantResult>,
    /// Figures by tenant, GPU type and job class.
    #[serde(default)]
    pub breakdown: Breakdown,
    /// Fairness properties of its decisions; `None` for a run that was not simulated.
    #[serde(default)]
    pub fairness: Option<FairnessReport>,
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

/// Figures beside the metrics: what violations of floors come from, how well they were measured, and jobs without a place in the
/// policy's order. `None` where a figure does not
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
    /// Jobs that were served last, at some time, because their place in the policy's order was undefined. `None` for policies whose
    /// order never is.
    #[serde(default)]
    pub unranked_jobs: Option<u32>,
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
