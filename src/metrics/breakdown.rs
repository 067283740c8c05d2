//! A run's figures for each tenant, GPU type and job class.
//!
//! A job counts once in each table: at its tenant, at its class (its profile and the GPUs it asks for), and at the type of which it held
//! most device time; a job that held nothing is at no type. Service, device-hours and cost are counted where they were used, so that
//! those of a type are also of jobs that held another type for longer.

use serde::{Deserialize, Serialize};

use super::held::DeviceTime;
use super::jobs::{JobFigures, Sample};

/// What every group of jobs has. Percentiles are nearest-rank; figures about time are over completed jobs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupFigures {
    /// Jobs submitted.
    pub jobs: u64,
    /// Those that finished.
    pub completed: u64,
    /// Mean of finish − submission.
    pub jct_mean_s: Option<f64>,
    /// Its median.
    pub jct_p50_s: Option<f64>,
    /// Its 95th percentile.
    pub jct_p95_s: Option<f64>,
    /// Mean of JCT − time holding an allocation.
    pub wait_mean_s: Option<f64>,
    /// Its 95th percentile.
    pub wait_p95_s: Option<f64>,
    /// Mean bounded slowdown.
    pub slowdown_bounded_mean: Option<f64>,
    /// Its 95th percentile.
    pub slowdown_bounded_p95: Option<f64>,
    /// Mean finish-time rho.
    pub ftf_rho_mean: Option<f64>,
    /// Largest finish-time rho.
    pub ftf_rho_max: Option<f64>,
    /// Share of jobs with rho above 1.
    pub ftf_unfair_share: Option<f64>,
    /// Service received, in seconds of one reference GPU; `None` for a run without allocations.
    pub service_s: Option<f64>,
    /// Device-hours held, overhead included; `None` for a run without allocations.
    pub gpu_hours: Option<f64>,
    /// Device-hours times the price of their type; `None` where a type that was held has no price.
    pub cost: Option<f64>,
}

/// One tenant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TenantFigures {
    /// Its name.
    pub tenant: String,
    /// Its weight at the beginning.
    pub weight: f64,
    /// Its weighted share of all service done while it was active.
    pub entitled_s: f64,
    /// Service over entitlement; `None` where nothing was due.
    pub service_ratio: Option<f64>,
    /// What every group has.
    #[serde(flatten)]
    pub figures: GroupFigures,
}

/// One GPU type.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TypeFigures {
    /// Its name.
    pub gpu_type: String,
    /// Devices of the cluster.
    pub devices: u32,
    /// Share of its slot-seconds held up to the last finish.
    pub utilization: Option<f64>,
    /// What every group has.
    #[serde(flatten)]
    pub figures: GroupFigures,
}

/// One class of jobs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClassFigures {
    /// The throughput profile.
    pub model: String,
    /// GPUs asked for.
    pub gpus: f64,
    /// What every group has.
    #[serde(flatten)]
    pub figures: GroupFigures,
}

/// All three tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Breakdown {
    /// Tenants with a measured job, in the order of the workload.
    pub by_tenant: Vec<TenantFigures>,
    /// All types of the cluster, in its order.
    pub by_type: Vec<TypeFigures>,
    /// Classes with a measured job, by name and then by GPUs.
    pub by_class: Vec<ClassFigures>,
}

/// What a group of jobs is made from.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    /// Jobs submitted.
    pub(super) jobs: u64,
    /// Those that finished.
    pub(super) figures: Vec<&'a JobFigures>,
}

impl<'a> Group<'a> {
    /// Adds a job.
    pub(super) fn add(&mut self, figures: Option<&'a JobFigures>) {
        self.jobs += 1;
        self.figures.extend(figures);
    }

    /// Its figures; without `held` no allocations are known.
    pub(super) fn finish(&self, held: Option<(&DeviceTime, f64)>, prices: &[Option<f64>]) -> GroupFigures {
        let sample = Sample::of(self.figures.iter().copied());
        GroupFigures {
            jobs: self.jobs,
            completed: self.figures.len() as u64,
            jct_mean_s: sample.jct_s.mean(),
            jct_p50_s: sample.jct_s.percentile(50),
            jct_p95_s: sample.jct_s.percentile(95),
            wait_mean_s: sample.wait_s.mean(),
            wait_p95_s: sample.wait_s.percentile(95),
            slowdown_bounded_mean: sample.slowdown.mean(),
            slowdown_bounded_p95: sample.slowdown.percentile(95),
            ftf_rho_mean: sample.rho.mean(),
            ftf_rho_max: sample.rho.max(),
            ftf_unfair_share: sample.rho.share_above(1.0),
            service_s: held.map(|(_, service_s)| service_s),
            gpu_hours: held.map(|(time, _)| time.all_hours()),
            cost: held.and_then(|(time, _)| time.cost(prices)),
        }
    }
}
