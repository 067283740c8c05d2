//! Policies that cannot serve a set-up, told before it is run.
//!
//! The page itself keeps no jobs, only how many there are of each size. That is enough for what policies refuse: kinds of GPUs, and
//! gangs. What needs more is told by the run.

use super::comparison::title;
use crate::cluster::{Cluster, SliceMemory};
use crate::scenario::Scenario;
use crate::trace::SizeCount;
use crate::units::{ClassId, MilliGpus, Rate, SimTime, TenantId, Work};
use crate::workload::shape::scaled;
use crate::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// The policies of a scenario that cannot serve its cluster or jobs of these sizes, each with what it expects instead.
#[must_use]
pub fn refused(scenario: &Scenario, sizes: &[SizeCount]) -> Vec<(String, String)> {
    let mut choosy = Vec::new();
    for (index, choice) in scenario.policies.iter().enumerate() {
        if let Ok((spec, params)) = scenario.policy(index)
            && let Some(refuses) = spec.refuses
        {
            choosy.push((choice, params, refuses));
        }
    }
    if choosy.is_empty() {
        return Vec::new();
    }
    let Ok(cluster) = scenario.build_cluster() else { return Vec::new() };
    let gpu_scale = scenario.shape().map_or(1.0, |shape| shape.gpu_scale);
    let sizes: Vec<SizeCount> = sizes.iter().map(|size| scaled_size(*size, gpu_scale)).collect();
    let jobs = outline(&cluster, &sizes);
    let told = choosy.into_iter().filter_map(|(choice, params, refuses)| {
        Some((title(choice).to_owned(), refuses(&cluster, &jobs, &params)?))
    });
    told.collect()
}

/// A size after shaping.
fn scaled_size(size: SizeCount, gpu_scale: f64) -> SizeCount {
    let gpus = MilliGpus((size.gpus * 1000.0).round() as u32);
    let workers = if gpus.is_fractional() { 1 } else { gpus.whole_devices() };
    SizeCount { gpus: scaled(gpus, workers, gpu_scale).0.as_gpus(), ..size }
}

/// Jobs of these sizes that run on whole devices of every type that has enough of them. Fractions of a GPU take one device.
fn outline(cluster: &Cluster, sizes: &[SizeCount]) -> BoundWorkload {
    let mut workload = BoundWorkload::default();
    for size in sizes.iter().filter(|size| size.gpus > 0.0) {
        let devices = size.gpus.ceil() as u32;
        let fitting = cluster.type_ids().filter(|&k| cluster.gpu_type(k).devices >= devices);
        let options: Vec<JobOption> = fitting
            .map(|type_id| JobOption {
                type_id,
                slots: cluster.gpu_type(type_id).geometry.slots(),
                memory: SliceMemory::Plain,
                devices,
                rate: Rate::ONE,
            })
            .collect();
        if options.is_empty() {
            // Larger than the cluster allows: left out for every policy.
            continue;
        }
        let whole =
            cluster.type_ids().map(|k| options.iter().position(|o| o.type_id == k).map(|at| at as u16));
        let class = ClassId(workload.classes.len() as u32);
        workload.classes.push(JobClass {
            profile: String::new(),
            gpus: MilliGpus((size.gpus * 1000.0).round() as u32),
            whole: whole.collect(),
            options,
        });
        let job = BoundJob {
            record: 0,
            submit: SimTime::ZERO,
            tenant: TenantId(0),
            class,
            work: Work::ZERO,
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::Arrives,
        };
        workload.jobs.extend(std::iter::repeat_n(job, usize::try_from(size.jobs).unwrap_or(0)));
    }
    workload
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    fn scenario(layout: &str) -> Scenario {
        Scenario::from_json(&format!(
            r#"{{"cluster": {{"nodes": [{{"gpu": "A100-80", "count": 1, "gpus_per_node": 4, "layout": "{layout}"}}]}},
            "workload": {{"trace": {{"path": "jobs.csv"}}}}, "policies": [{{"name": "fifo"}}, {{"name": "allox"}}, {{"name": "miso"}}]}}"#
        ))
        .unwrap()
    }

    #[test]
    fn who_cannot_serve_is_told_with_what_it_needs() {
        let size = |gpus: f64, jobs: u64| SizeCount { gpus, jobs };
        let titles = |layout: &str, sizes: &[SizeCount]| -> Vec<String> {
            refused(&scenario(layout), sizes).into_iter().map(|(title, _)| title).collect()
        };
        assert!(titles("mig", &[size(0.5, 3), size(1.0, 5)]).is_empty());
        assert_eq!(titles("whole", &[size(1.0, 5)]), ["MISO"]);
        assert_eq!(titles("mig", &[size(1.0, 5), size(2.0, 7)]), ["AlloX"]);
        let (_, needs) = &refused(&scenario("mig"), &[size(2.0, 7)])[0];
        assert!(needs.contains('7'), "{needs}");
        // A gang that the cluster cannot hold is no reason.
        assert!(titles("mig", &[size(1.0, 5), size(64.0, 7)]).is_empty());
    }
}
