//! Clusters of several GPU types, and jobs of all kinds on them: fractions, single devices and gangs of three tenants.

use proptest::prelude::*;
use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, MigMode, NodeGroup, SliceMemory};
use sts_sim::units::{MilliGpus, Rate};
use sts_sim::workload::{BoundWorkload, JobClass, JobOption};

use super::world::{bound_job, secs, tenants};

/// (submit s, duration s, GPUs in quarters of a device, tenant)
pub(crate) type JobRow = (u32, u32, u32, u32);

pub(crate) fn cluster(layouts: &[u8]) -> Cluster {
    let groups: Vec<NodeGroup> = layouts
        .iter()
        .map(|&kind| {
            let (gpu, layout) = match kind {
                0 => ("P100", Layout::Whole),
                1 => ("V100-16", Layout::Uniform(4)),
                2 => ("A100-80", Layout::Mig(MigMode::Strict)),
                3 => ("H100-80", Layout::Mig(MigMode::Relaxed)),
                _ => ("A30", Layout::Mig(MigMode::Strict)),
            };
            NodeGroup { model: model(gpu).unwrap(), nodes: 2, gpus_per_node: 2, layout }
        })
        .collect();
    Cluster::new(&groups).unwrap()
}

pub(crate) fn workload(cluster: &Cluster, rows: &[JobRow]) -> BoundWorkload {
    let tenants = tenants(&[1_000_000, 2_000_000, 3_000_000]);
    let mut workload = BoundWorkload { tenants, ..BoundWorkload::default() };
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.0);
    for (index, &(submit, duration, quarters, tenant)) in rows.iter().enumerate() {
        let mut options = Vec::new();
        let mut whole = vec![None; cluster.types().len()];
        for type_id in cluster.type_ids() {
            let gpu_type = cluster.gpu_type(type_id);
            let slots = gpu_type.geometry.slots();
            let speed = 0.5f64.powi(i32::from(type_id.0));
            let whole_devices = quarters.div_ceil(4);
            if quarters <= 4 {
                for &size in gpu_type.geometry.sizes().iter().filter(|&&size| size < slots) {
                    let share = f64::from(size) / f64::from(slots);
                    if share * 4.0 >= f64::from(quarters % 4) {
                        options.push(JobOption {
                            type_id,
                            slots: size,
                            memory: SliceMemory::Plain,
                            devices: 1,
                            rate: Rate::from_f64(speed * share),
                        });
                    }
                }
            }
            if whole_devices <= gpu_type.devices {
                whole[type_id.index()] = Some(options.len() as u16);
                options.push(JobOption {
                    type_id,
                    slots,
                    memory: SliceMemory::Plain,
                    devices: whole_devices,
                    rate: Rate::from_f64(speed),
                });
            }
        }
        workload.classes.push(JobClass {
            profile: String::new(),
            gpus: MilliGpus(quarters * 250),
            options,
            whole,
        });
        let submit = secs(f64::from(submit));
        workload.jobs.push(bound_job(index, submit, tenant % 3, index as u32, f64::from(duration)));
    }
    workload
}

pub(crate) fn rows() -> impl Strategy<Value = Vec<JobRow>> {
    prop::collection::vec(
        (0u32..2000, 0u32..1500, prop::sample::select(vec![1u32, 2, 3, 4, 4, 4, 8, 12]), 0u32..3),
        1..40,
    )
}
