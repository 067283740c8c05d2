//! Every metric of a run, from the record it left behind: its jobs and its allocations are each looked at once.

use std::collections::BTreeMap;

use super::breakdown::{Breakdown, ClassFigures, Group, TenantFigures, TypeFigures};
use super::distribution::{Distribution, gini, mean, nearest_rank};
use super::held::{DeviceTime, Held};
use super::jobs::{Jobs, Sample};
use super::proofs::ProofStats;
use super::properties::FairnessReport;
use super::queue::Queue;
use super::series::Service;
use super::window::Window;
use super::yardstick::Yardstick;
use super::{Measured, Metrics};
use crate::cluster::Cluster;
use crate::sim::RunRecord;
use crate::units::{SimTime, TypeId};
use crate::workload::BoundWorkload;

/// Rho up to here is called fair by those who allow for noise in throughputs (Shockwave's scripts).
const NOISY_RHO: f64 = 1.05;

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
    /// The fairness properties of its decisions; `None` for a run that was not simulated.
    pub fairness: Option<&'a FairnessReport>,
    /// Service by tenant, in the window.
    pub service: &'a Service,
    /// Price of a GPU-hour by catalogue id.
    pub price_per_gpu_hour: &'a BTreeMap<String, f64>,
    /// The stretch that is measured.
    pub window: Window,
    /// The contention that rho divides by; without it, that of the run.
    pub ftf_n: Option<f64>,
}

/// Computes every metric of one run and its break-downs. `jct_mean_common_s` is left undefined: it needs the other runs of the
/// comparison.
#[must_use]
pub fn compute(inputs: Inputs<'_>) -> Measured {
    let Inputs { cluster, workload, record, window, .. } = inputs;
    let jobs = Jobs::of(cluster, workload, record, window, inputs.ftf_n);
    let held =
        (!record.segments.is_empty()).then(|| Held::of(cluster, workload, record, window, jobs.last_finish));
    let mut metrics = Metrics::default();
    for spec in super::metrics() {
        metrics.values.insert(spec.key.to_string(), None);
    }
    let mut set = |key: &str, value: Option<f64>| {
        debug_assert!(super::spec::metric(key).is_some(), "{key} is not specified");
        metrics.values.insert(key.to_string(), value.filter(|v| v.is_finite()));
    };
    let stretch = window.cut(SimTime::ZERO, jobs.last_finish.unwrap_or(SimTime::ZERO));
    let sample = Sample::of(jobs.figures.iter().flatten());
    set_job_metrics(inputs, &jobs, &sample, stretch, &mut set);
    set_decision_metrics(inputs, &mut set);
    if let Some(held) = &held {
        set_device_metrics(inputs, held, &jobs, stretch, &mut set);
    }
    for (index, gpu_type) in cluster.types().iter().enumerate() {
        let share = held.as_ref().and_then(|held| utilization(inputs, held, stretch, Some(index)));
        metrics.utilization_by_type.insert(gpu_type.name.clone(), share);
    }
    Measured { metrics, breakdown: breakdown(inputs, &jobs, held.as_ref(), stretch), sample }
}

type Stretch = Option<(SimTime, SimTime)>;

fn seconds(stretch: Stretch) -> Option<f64> {
    stretch.map(|(from, to)| (to - from).as_secs())
}

/// Figures over jobs.
fn set_job_metrics(
    inputs: Inputs<'_>,
    jobs: &Jobs,
    sample: &Sample,
    stretch: Stretch,
    set: &mut impl FnMut(&str, Option<f64>),
) {
    let completed = sample.jct_s.sorted().len();
    set("jct_mean_s", sample.jct_s.mean());
    set("jct_p50_s", sample.jct_s.percentile(50));
    set("jct_p95_s", sample.jct_s.percentile(95));
    set("jct_p99_s", sample.jct_s.percentile(99));
    set("jct_max_s", sample.jct_s.max());
    set("wait_mean_s", sample.wait_s.mean());
    set("wait_p50_s", sample.wait_s.percentile(50));
    set("wait_p95_s", sample.wait_s.percentile(95));
    set("wait_p99_s", sample.wait_s.percentile(99));
    set("wait_max_s", sample.wait_s.max());
    set("first_start_delay_mean_s", Distribution::of(jobs.first_start_delay_s.clone()).mean());
    set("slowdown_bounded_mean", sample.slowdown.mean());
    set("slowdown_bounded_p50", sample.slowdown.percentile(50));
    set("slowdown_bounded_p95", sample.slowdown.percentile(95));
    set("slowdown_bounded_p99", sample.slowdown.percentile(99));
    set("slowdown_bounded_max", sample.slowdown.max());
    set("gini_slowdown", gini(sample.slowdown.sorted()));
    set("ftf_rho_max", sample.rho.max());
    set("ftf_rho_mean", sample.rho.mean());
    set("ftf_rho_p95", sample.rho.percentile(95));
    set("ftf_unfair_share", sample.rho.share_above(1.0));
    set("ftf_unfair_share_noisy", sample.rho.share_above(NOISY_RHO));
    set("completed", Some(completed as f64));
    set("unfinished", Some((jobs.count() - completed) as f64));
    set("never_fit", Some(inputs.workload.never_fit.len() as f64));
    set("makespan_s", jobs.last_finish.map(SimTime::as_secs));
    // In a window the jobs that finish in it count, whenever they were submitted.
    let finished = if inputs.window.is_whole() {
        completed
    } else {
        let finishes = inputs.record.jobs.iter().filter_map(|run| run.finish);
        finishes.filter(|&finish| inputs.window.holds(finish)).count()
    };
    set(
        "throughput_jobs_per_hour",
        seconds(stretch).filter(|&s| s > 0.0).map(|s| finished as f64 / (s / 3600.0)),
    );
    let queue = stretch.and_then(|(_, to)| Queue::of(inputs.record, inputs.window, to));
    set("queue_mean", queue.map(|queue| queue.mean));
    set("queue_p95", queue.map(|queue| queue.p95));
    set("queue_max", queue.map(|queue| queue.max));
    set("jain_service", inputs.service.jain());
    let ratios = inputs.service.overall_ratios();
    set("service_ratio_min", ratios.iter().copied().min_by(f64::total_cmp));
    let short = ratios.iter().filter(|&&ratio| ratio < 1.0).count();
    set("service_short_share", (!ratios.is_empty()).then(|| short as f64 / ratios.len() as f64));
}

/// Figures over decisions: floors, fairness properties, proofs.
fn set_decision_metrics(inputs: Inputs<'_>, set: &mut impl FnMut(&str, Option<f64>)) {
    // A run without rounds, as in the fluid mode, has no floors.
    let yardstick = inputs.yardstick.filter(|yardstick| yardstick.rounds() > 0);
    set("floor_violations", yardstick.map(|yardstick| yardstick.violations() as f64));
    set("floor_shortfall", yardstick.map(Yardstick::shortfall_s));
    if let Some(fairness) = inputs.fairness {
        set("sharing_incentive_violated_share", fairness.sharing_incentive.violated_share());
        set("sharing_incentive_missing_max", fairness.sharing_incentive.missing_max());
        set("envy_share", fairness.envy.violated_share());
        set("envy_max", fairness.envy.missing_max());
        set("pareto_violated_share", fairness.pareto.violated_share());
        set("pareto_gap_max", fairness.pareto.gap_max());
    }
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
}

/// Figures over allocations.
fn set_device_metrics(
    inputs: Inputs<'_>,
    held: &Held,
    jobs: &Jobs,
    stretch: Stretch,
    set: &mut impl FnMut(&str, Option<f64>),
) {
    let record = inputs.record;
    let sum = |count: fn(&crate::sim::JobRun) -> u32| {
        let measured = record.jobs.iter().zip(&jobs.measured).filter(|(_, measured)| **measured);
        measured.map(|(job, _)| f64::from(count(job))).sum::<f64>()
    };
    set("preemptions", Some(sum(|job| job.preemptions)));
    set("migrations", Some(sum(|job| job.migrations)));
    set("failures", Some(sum(|job| job.failures)));
    set("killed", Some(sum(|job| u32::from(job.killed.is_some()))));
    let runs =
        inputs.workload.jobs.iter().zip(&record.jobs).zip(&jobs.measured).filter(|(_, measured)| **measured);
    let lost = runs
        .map(|((job, run), _)| inputs.workload.class_of(job).gpus.as_gpus() * run.lost.as_reference_secs());
    set("lost_work_s", Some(lost.sum()));
    set("reconfigurations", Some(record.reconfigurations as f64));
    // In the fluid mode allocations are on no device in particular, and nothing is fragmented.
    if record.segments.iter().any(|segment| !record.parts(segment).is_empty()) {
        set("fragmentation_mean", Some(record.fragmentation_mean));
        set("fragmentation_stranded_mean", Some(record.fragmentation_stranded_mean));
        let deficient = (record.fragmentation_mean - record.fragmentation_stranded_mean).max(0.0);
        set("fragmentation_deficient_mean", Some(deficient));
    }
    let span_s = seconds(stretch).filter(|&s| s > 0.0);
    set("effective_throughput", span_s.map(|s| inputs.service.total_s() / s));
    set("gpu_hours", Some(held.all.all_hours()));
    set("cost", held.all.cost(&prices(inputs)));
    set("utilization", utilization(inputs, held, stretch, None));
    let types = inputs.cluster.types().iter().enumerate();
    let slot_hours = types.map(|(index, gpu_type)| {
        available_hours(inputs, stretch, Some(index)) * f64::from(gpu_type.slots_per_device())
    });
    let slot_hours = slot_hours.sum::<f64>();
    set("slot_utilization", (slot_hours > 0.0).then(|| (held.slot_s / 3600.0 / slot_hours).min(1.0)));
}

/// The price of a GPU-hour of every type.
fn prices(inputs: Inputs<'_>) -> Vec<Option<f64>> {
    let types = inputs.cluster.types().iter();
    types.map(|gpu_type| inputs.price_per_gpu_hour.get(&gpu_type.gpu).copied()).collect()
}

/// The share of the device time in service of a type, or of all, that was held; `None` where none was in service.
fn utilization(inputs: Inputs<'_>, held: &Held, stretch: Stretch, of_type: Option<usize>) -> Option<f64> {
    let hours = match of_type {
        Some(index) => held.to_last_finish.hours(index),
        None => held.to_last_finish.all_hours(),
    };
    let available = available_hours(inputs, stretch, of_type);
    (available > 0.0).then(|| (hours / available).min(1.0))
}

/// Hours in a stretch that devices of a type, or of all, were in service: those of nodes that are out are nobody's to use.
fn available_hours(inputs: Inputs<'_>, stretch: Stretch, of_type: Option<usize>) -> f64 {
    let Some((from, to)) = stretch else { return 0.0 };
    let cluster = inputs.cluster;
    let counts = |index: usize| of_type.is_none_or(|of_type| of_type == index);
    let types = cluster.types().iter().enumerate().filter(|(index, _)| counts(*index));
    let devices: u32 = types.map(|(_, gpu_type)| gpu_type.devices).sum();
    let out = inputs.record.outages.iter().filter_map(|outage| {
        let node = cluster.nodes().get(outage.node.index()).filter(|node| counts(node.type_id.index()))?;
        let out = (outage.to.min(to) - outage.from.max(from)).as_secs().max(0.0) / 3600.0;
        Some(out * f64::from(node.devices))
    });
    (to - from).as_secs() / 3600.0 * f64::from(devices) - out.sum::<f64>()
}

/// The run's figures by tenant, type and class.
fn breakdown(inputs: Inputs<'_>, jobs: &Jobs, held: Option<&Held>, stretch: Stretch) -> Breakdown {
    let Inputs { cluster, workload, service, .. } = inputs;
    let prices = prices(inputs);
    let mut tenants: Vec<Group<'_>> = workload.tenants.iter().map(|_| Group::default()).collect();
    let mut types: Vec<Group<'_>> = cluster.types().iter().map(|_| Group::default()).collect();
    // Classes that differ in nothing but the types they may use are one here.
    let mut names: BTreeMap<(&str, u32), Vec<usize>> = BTreeMap::new();
    for (index, class) in workload.classes.iter().enumerate() {
        names.entry((&class.profile, class.gpus.0)).or_default().push(index);
    }
    let mut row_of_class = vec![0; workload.classes.len()];
    for (row, members) in names.values().enumerate() {
        for &member in members {
            row_of_class[member] = row;
        }
    }
    let mut classes: Vec<Group<'_>> = names.iter().map(|_| Group::default()).collect();
    for (index, job) in workload.jobs.iter().enumerate() {
        if !jobs.measured[index] {
            continue;
        }
        let figures = jobs.figures[index].as_ref();
        tenants[job.tenant.index()].add(figures);
        classes[row_of_class[job.class.index()]].add(figures);
        if let Some(type_id) = held.and_then(|held| held.main_type[index]) {
            types[type_id.index()].add(figures);
        }
    }
    let by_tenant =
        workload.tenants.iter().zip(&tenants).enumerate().filter(|(_, (_, group))| group.jobs > 0);
    let by_tenant = by_tenant.map(|(index, (tenant, group))| {
        let held = held.map(|held| (&held.by_tenant[index], service.received(index)));
        let entitled_s = service.due(index);
        TenantFigures {
            tenant: tenant.name.clone(),
            weight: tenant.weight_micro as f64 / 1e6,
            entitled_s,
            service_ratio: held.and_then(|(_, received)| (entitled_s > 0.0).then(|| received / entitled_s)),
            figures: group.finish(held, &prices),
        }
    });
    let by_type = cluster.types().iter().zip(&types).enumerate().map(|(index, (gpu_type, group))| {
        let of_type = held.map(|held| (held.all.only(TypeId(index as u16)), held.service_of_type_s[index]));
        TypeFigures {
            gpu_type: gpu_type.name.clone(),
            devices: gpu_type.devices,
            utilization: held.and_then(|held| utilization(inputs, held, stretch, Some(index))),
            figures: group.finish(of_type.as_ref().map(|(time, service)| (time, *service)), &prices),
        }
    });
    let by_class = names.iter().zip(&classes).filter(|(_, group)| group.jobs > 0);
    let by_class = by_class.map(|((&(model, gpus), members), group)| {
        let of_class = held.map(|held| {
            let mut time = DeviceTime::none(cluster.types().len());
            members.iter().for_each(|&member| time.add(&held.by_class[member]));
            (time, members.iter().map(|&member| held.service_of_class_s[member]).sum::<f64>())
        });
        ClassFigures {
            model: model.to_string(),
            gpus: f64::from(gpus) / 1000.0,
            figures: group.finish(of_class.as_ref().map(|(time, service)| (time, *service)), &prices),
        }
    });
    Breakdown { by_tenant: by_tenant.collect(), by_type: by_type.collect(), by_class: by_class.collect() }
}

/// Fills in `jct_mean_common_s` for runs of one comparison on one workload: the mean JCT over the jobs submitted in `window` that
/// finished in all of them.
pub fn set_common_means(workload: &BoundWorkload, window: Window, runs: &mut [(&RunRecord, &mut Metrics)]) {
    let common: Vec<usize> = (0..workload.jobs.len())
        .filter(|&index| window.holds(workload.jobs[index].submit))
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
