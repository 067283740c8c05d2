//! Quantities over time: requested load, service and entitlement of tenants, and thinned series for charts.

use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::sim::RunRecord;
use crate::units::{SimTime, TenantId};
use crate::workload::BoundWorkload;

use super::distribution::jain;
use super::window::Window;

/// A point of a cumulative distribution: `share` of the jobs have at most `value`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CdfPoint {
    /// In the unit of the figure.
    pub value: f64,
    /// 0 to 1.
    pub share: f64,
}

/// Mean load in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// Beginning of the stretch, seconds from the first submission.
    pub at_s: f64,
    /// Share of the cluster held; `None` when the run was not on this cluster (the trace's own schedule).
    pub used: Option<f64>,
    /// Jobs waiting.
    pub waiting: f64,
    /// Jobs running.
    pub running: f64,
}

/// GPUs requested by active jobs over GPUs of the cluster, integrated over time.
#[derive(Debug, Clone, Default)]
pub struct ActiveDemand {
    at: Vec<SimTime>,
    /// Integral up to `at`, in milli-GPU-microseconds.
    integral: Vec<i128>,
    /// Milli-GPUs requested from `at` on.
    level: Vec<i64>,
    cluster_milli: i128,
}

impl ActiveDemand {
    /// The demand of a run: a job is active from its submission to its completion, or to the end of the run.
    #[must_use]
    pub fn of(cluster: &Cluster, workload: &BoundWorkload, record: &RunRecord) -> Self {
        let mut changes: Vec<(SimTime, i64)> = Vec::with_capacity(2 * workload.jobs.len());
        for (job, run) in workload.jobs.iter().zip(&record.jobs) {
            let gpus = i64::from(workload.class_of(job).gpus.0);
            changes.push((job.submit, gpus));
            changes.push((run.finish.unwrap_or(record.end.max(job.submit)), -gpus));
        }
        changes.sort_unstable();
        let mut demand = Self { cluster_milli: i128::from(cluster.devices()) * 1000, ..Self::default() };
        let (mut level, mut integral, mut last) = (0i64, 0i128, SimTime::ZERO);
        for (at, change) in changes {
            integral += i128::from(level) * i128::from((at - last).0);
            level += change;
            last = at;
            if demand.at.last() == Some(&at) {
                demand.level.pop();
                demand.level.push(level);
            } else {
                demand.at.push(at);
                demand.integral.push(integral);
                demand.level.push(level);
            }
        }
        demand
    }

    fn integral_to(&self, time: SimTime) -> i128 {
        let after = self.at.partition_point(|&at| at <= time);
        if after == 0 {
            return 0;
        }
        let i = after - 1;
        self.integral[i] + i128::from(self.level[i]) * i128::from((time - self.at[i]).0)
    }

    /// Mean over `[from, to]` of requested GPUs / GPUs of the cluster; 0 for an empty stretch.
    #[must_use]
    pub fn mean(&self, from: SimTime, to: SimTime) -> f64 {
        let span = i128::from((to - from).0) * self.cluster_milli;
        if span <= 0 { 0.0 } else { (self.integral_to(to) - self.integral_to(from)) as f64 / span as f64 }
    }
}

/// Service received and due, by tenant, in equal stretches of time.
///
/// Service is in seconds of one reference GPU: GPUs requested times rate times time, overhead excluded. What is due to a tenant
/// in a stretch is its weighted share, among the tenants active then, of all service done in the stretch, at the weights of the
/// time; tenants of weight zero are due nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Service {
    /// Length of a stretch in seconds.
    pub stretch_s: f64,
    /// By tenant and stretch.
    pub received_s: Vec<Vec<f64>>,
    /// By tenant and stretch.
    pub due_s: Vec<Vec<f64>>,
}

impl Service {
    /// Splits the part of a run that lies in `window` into at most `stretches` stretches.
    #[must_use]
    pub fn of(workload: &BoundWorkload, record: &RunRecord, window: Window, stretches: usize) -> Self {
        let tenants = workload.tenants.len();
        let (origin_us, end_us) = match window.cut(SimTime::ZERO, record.end) {
            Some((from, to)) => (from.0, to.0),
            None => (0, 1),
        };
        let stretch_us = (end_us - origin_us + stretches as i64 - 1) / stretches.max(1) as i64;
        let mut service = Self {
            stretch_s: stretch_us as f64 / 1e6,
            received_s: vec![vec![0.0; stretches]; tenants],
            due_s: vec![vec![0.0; stretches]; tenants],
        };
        // Seconds active, by tenant, weight it had and stretch, from the union of its jobs' stays.
        let mut active_s: Vec<Vec<Vec<f64>>> = workload
            .tenants
            .iter()
            .map(|tenant| vec![vec![0.0; stretches]; tenant.weights().count()])
            .collect();
        let each = |from: SimTime, to: SimTime, add: &mut dyn FnMut(usize, f64)| {
            let mut from_us = (from.0 - origin_us).max(0);
            let end_us = to.0.min(end_us) - origin_us;
            while from_us < end_us {
                let index = (from_us / stretch_us) as usize;
                let to_us = end_us.min((index as i64 + 1) * stretch_us);
                if index < stretches {
                    add(index, (to_us - from_us) as f64 / 1e6);
                }
                from_us = to_us;
            }
        };
        let mut stays: Vec<(TenantId, SimTime, SimTime)> = workload
            .jobs
            .iter()
            .zip(&record.jobs)
            .map(|(job, run)| (job.tenant, job.submit, run.finish.unwrap_or(record.end)))
            .collect();
        stays.sort_unstable();
        let mut covered: Option<(TenantId, SimTime)> = None;
        for (tenant, from, to) in stays {
            let from = match covered {
                Some((last, until)) if last == tenant => from.max(until),
                _ => from,
            };
            let weights = workload.tenants[tenant.index()].weights();
            for ((_, since, until), active_s) in weights.zip(&mut active_s[tenant.index()]) {
                let (from, to) = (from.max(since), to.min(until));
                if to > from {
                    each(from, to, &mut |index, seconds| active_s[index] += seconds);
                }
            }
            covered = match covered {
                Some((last, until)) if last == tenant => Some((tenant, until.max(to))),
                _ => Some((tenant, to)),
            };
        }
        for segment in &record.segments {
            let job = &workload.jobs[segment.job.index()];
            let class = workload.class_of(job);
            let speed = class.gpus.as_gpus() * segment.rate.as_f64() * segment.time_share();
            let received = &mut service.received_s[job.tenant.index()];
            each(segment.ready, segment.to, &mut |index, seconds| received[index] += speed * seconds);
        }
        for index in 0..stretches {
            let total: f64 = service.received_s.iter().map(|row| row[index]).sum();
            let weight = |tenant: usize| -> f64 {
                let weights = workload.tenants[tenant].weights().zip(&active_s[tenant]);
                weights.map(|((weight, ..), active_s)| weight as f64 * active_s[index]).sum()
            };
            let weights: f64 = (0..tenants).map(weight).sum();
            if weights > 0.0 {
                for tenant in 0..tenants {
                    service.due_s[tenant][index] = total * weight(tenant) / weights;
                }
            }
        }
        service
    }

    /// All service done.
    #[must_use]
    pub fn total_s(&self) -> f64 {
        self.received_s.iter().flatten().sum()
    }

    /// Service received by a tenant.
    #[must_use]
    pub fn received(&self, tenant: usize) -> f64 {
        self.received_s.get(tenant).map_or(0.0, |row| row.iter().sum())
    }

    /// Service due to a tenant.
    #[must_use]
    pub fn due(&self, tenant: usize) -> f64 {
        self.due_s.get(tenant).map_or(0.0, |row| row.iter().sum())
    }

    /// Received over due in each stretch; `None` where nothing was due.
    #[must_use]
    pub fn ratios(&self, tenant: usize) -> Vec<Option<f64>> {
        let (Some(received), Some(due)) = (self.received_s.get(tenant), self.due_s.get(tenant)) else {
            return Vec::new();
        };
        received.iter().zip(due).map(|(r, d)| (*d > 0.0).then(|| r / d)).collect()
    }

    /// Jain's index over the tenants to which anything was due, of received over due.
    #[must_use]
    pub fn jain(&self) -> Option<f64> {
        jain(&self.overall_ratios())
    }

    /// Received over due of the tenants to which anything was due.
    #[must_use]
    pub fn overall_ratios(&self) -> Vec<f64> {
        (0..self.due_s.len())
            .filter(|&tenant| self.due(tenant) > 0.0)
            .map(|tenant| self.received(tenant) / self.due(tenant))
            .collect()
    }
}

/// Thins sorted values to at most `points` points of their distribution, keeping the first, the last and the percentiles
/// 50, 90, 95 and 99.
#[must_use]
pub fn cdf(sorted: &[f64], points: usize) -> Vec<CdfPoint> {
    let n = sorted.len();
    let mut ranks: Vec<usize> = if n <= points {
        (0..n).collect()
    } else {
        let spare = points.saturating_sub(4).max(2);
        let mut ranks: Vec<usize> = (0..spare).map(|i| i * (n - 1) / (spare - 1)).collect();
        ranks.extend([50, 90, 95, 99].map(|p| (n * p).div_ceil(100).max(1) - 1));
        ranks
    };
    ranks.sort_unstable();
    ranks.dedup();
    ranks
        .into_iter()
        .map(|rank| CdfPoint { value: sorted[rank], share: (rank + 1) as f64 / n as f64 })
        .collect()
}

/// Time means of the load in at most `points` equal stretches.
#[must_use]
pub fn load(record: &RunRecord, points: usize) -> Vec<LoadPoint> {
    let end_us = record.end.0;
    if record.load.is_empty() || end_us <= 0 || points == 0 {
        return Vec::new();
    }
    let stretch_us = (end_us + points as i64 - 1) / points as i64;
    let count = ((end_us + stretch_us - 1) / stretch_us) as usize;
    let measured = record.load.iter().all(|load| load.used.is_some());
    let mut sums = vec![(0.0, 0.0, 0.0); count];
    for (index, level) in record.load.iter().enumerate() {
        let until = record.load.get(index + 1).map_or(end_us, |next| next.at.0).min(end_us);
        let mut from = level.at.0.max(0);
        while from < until {
            let bucket = (from / stretch_us) as usize;
            let to = until.min((bucket as i64 + 1) * stretch_us);
            let weight = (to - from) as f64;
            let sum = &mut sums[bucket];
            sum.0 += level.used.unwrap_or(0.0) * weight;
            sum.1 += f64::from(level.waiting) * weight;
            sum.2 += f64::from(level.running) * weight;
            from = to;
        }
    }
    sums.iter()
        .enumerate()
        .map(|(index, sum)| {
            let from = index as i64 * stretch_us;
            let length = (end_us - from).min(stretch_us) as f64;
            LoadPoint {
                at_s: from as f64 / 1e6,
                used: measured.then(|| (sum.0 / length).min(1.0)),
                waiting: sum.1 / length,
                running: sum.2 / length,
            }
        })
        .collect()
}
