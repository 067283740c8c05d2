//! What tenants and GPU types are asked for.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{SizeCount, gpu_hours};
use crate::units::MilliGpus;
use crate::workload::shape::TenantsBy;
use crate::workload::{JobRecord, Workload};

/// What one tenant asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenantLoad {
    /// Its name.
    pub name: String,
    /// Its jobs.
    pub jobs: u64,
    /// Sum of GPUs times run time over its jobs.
    pub gpu_hours: f64,
}

/// What one request for GPU types asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TypeLoad {
    /// The types as the trace names them, alternatives separated by `|`; empty = any.
    pub request: String,
    /// Its jobs.
    pub jobs: u64,
    /// Sum of GPUs times run time over its jobs.
    pub gpu_hours: f64,
    /// Its jobs by size, smallest first.
    pub sizes: Vec<SizeCount>,
}

/// GPUs times run time, in thousandths and microseconds.
fn demand(job: &JobRecord) -> i128 {
    job.duration.get().map_or(0, |span| i128::from(span.0) * i128::from(job.gpus.0))
}

/// The tenants of GPU jobs, most GPU-hours first (ties: more jobs, then name).
pub(super) fn by_tenant(workload: &Workload, tenants: TenantsBy) -> Vec<TenantLoad> {
    // Looked up by tenant and user, never walked.
    let mut rows: HashMap<(u32, Option<u32>), usize> = HashMap::new();
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut sums: Vec<(u64, i128)> = Vec::new();
    for job in workload.gpu_jobs() {
        let user = job.user.filter(|_| matches!(tenants, TenantsBy::User | TenantsBy::Both));
        let row = *rows.entry((job.tenant.0, user)).or_insert_with(|| {
            *by_name.entry(tenants.name(workload, job)).or_insert_with(|| {
                sums.push((0, 0));
                sums.len() - 1
            })
        });
        if let Some((jobs, sum)) = sums.get_mut(row) {
            *jobs += 1;
            *sum += demand(job);
        }
    }
    let mut loads: Vec<(String, (u64, i128))> =
        by_name.into_iter().filter_map(|(name, row)| Some((name, *sums.get(row)?))).collect();
    loads.sort_by(|(name, (jobs, sum)), (name_b, (jobs_b, sum_b))| {
        sum_b.cmp(sum).then(jobs_b.cmp(jobs)).then(name.cmp(name_b))
    });
    loads
        .into_iter()
        .map(|(name, (jobs, sum))| TenantLoad { name, jobs, gpu_hours: gpu_hours(sum) })
        .collect()
}

/// The requests of GPU jobs, most GPU-hours first (ties: more jobs, then name).
pub(super) fn by_type(workload: &Workload) -> Vec<TypeLoad> {
    let mut rows: BTreeMap<Option<u32>, (i128, BTreeMap<MilliGpus, u64>)> = BTreeMap::new();
    for job in workload.gpu_jobs() {
        let (sum, sizes) = rows.entry(job.gpu_type).or_default();
        *sum += demand(job);
        *sizes.entry(job.gpus).or_default() += 1;
    }
    let mut loads: Vec<(i128, TypeLoad)> = rows
        .into_iter()
        .map(|(request, (sum, sizes))| {
            let request = request.and_then(|at| workload.gpu_types.get(at as usize)).cloned();
            let load = TypeLoad {
                request: request.unwrap_or_default(),
                jobs: sizes.values().sum(),
                gpu_hours: gpu_hours(sum),
                sizes: SizeCount::list(sizes),
            };
            (sum, load)
        })
        .collect();
    loads.sort_by(|(sum, load), (sum_b, load_b)| {
        sum_b.cmp(sum).then(load_b.jobs.cmp(&load.jobs)).then(load.request.cmp(&load_b.request))
    });
    loads.into_iter().map(|(_, load)| load).collect()
}
