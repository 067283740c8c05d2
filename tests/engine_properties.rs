//! What every run must satisfy, on seeded random workloads and clusters, for every policy.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, MigMode, NodeGroup, SliceMemory};
use sts_sim::policy::registry::policies;
use sts_sim::policy::{Params, spec};
use sts_sim::sim::{Boundary, GangPenalty, RoundSettings, RunRecord, Segment, simulate};
use sts_sim::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// (submit s, duration s, GPUs in quarters of a device, tenant)
type JobRow = (u32, u32, u32, u32);

fn cluster(layouts: &[u8]) -> Cluster {
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

fn workload(cluster: &Cluster, rows: &[JobRow]) -> BoundWorkload {
    let mut workload = BoundWorkload {
        tenants: (0..3)
            .map(|t| Tenant { name: format!("t{t}"), weight_micro: 1_000_000 * (1 + t), changes: vec![] })
            .collect(),
        ..BoundWorkload::default()
    };
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.0);
    for (index, &(submit, duration, quarters, tenant)) in rows.iter().enumerate() {
        let mut options = Vec::new();
        let mut whole = vec![None; cluster.types().len()];
        for type_id in cluster.type_ids() {
            let gpu_type = cluster.gpu_type(type_id);
            let slots = gpu_type.geometry.slots();
            let speed = 1.0 / (1.0 + f64::from(type_id.0));
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
        workload.jobs.push(BoundJob {
            record: index as u32,
            submit: SimTime::ZERO + SimSpan::from_secs(f64::from(submit)),
            tenant: TenantId(tenant % 3),
            class: ClassId(index as u32),
            work: Rate::ONE.over(SimSpan::from_secs(f64::from(duration))),
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::Arrives,
        });
    }
    workload
}

fn settings(boundary: Boundary, overhead_s: f64) -> RoundSettings {
    RoundSettings {
        mode: sts_sim::sim::Mode::Rounds,
        length: SimSpan::from_secs(100.0),
        boundary,
        start_cost: SimSpan::from_secs(overhead_s),
        restore_cost: SimSpan::from_secs(overhead_s),
        reconfigure_cost: SimSpan::from_secs(overhead_s / 2.0),
        gang_penalty: GangPenalty::default(),
        horizon: None,
        checkpoint: None,
        limits: sts_sim::sim::Limits::Ignore,
    }
}

fn run(policy: &str, cluster: &Cluster, workload: &BoundWorkload, settings: RoundSettings) -> RunRecord {
    let spec = spec(policy).unwrap();
    let params = Params::check(spec.name, spec.params, &BTreeMap::new()).unwrap();
    simulate(cluster, workload, settings, spec.build.unwrap()(&params, 7), &mut ())
}

/// Segments never overlap on a position, lie at legal starts, and are options of their jobs.
fn check_space(cluster: &Cluster, workload: &BoundWorkload, record: &RunRecord) {
    let mut changes: Vec<(SimTime, bool, usize)> = Vec::new();
    for (index, segment) in record.segments.iter().enumerate() {
        let option =
            workload.class_of(&workload.jobs[segment.job.index()]).options[usize::from(segment.option)];
        assert_eq!((option.type_id, option.slice()), (segment.type_id, segment.slice()));
        assert_eq!(record.parts(segment).len(), option.devices as usize);
        assert!(segment.from <= segment.to && segment.from <= segment.ready);
        if segment.from < segment.to {
            changes.push((segment.from, true, index));
            changes.push((segment.to, false, index));
        }
    }
    // Ends sort before beginnings at the same moment.
    changes.sort();
    let mut masks = vec![0u8; cluster.devices() as usize];
    for (_, begins, index) in changes {
        let segment = &record.segments[index];
        let geometry = cluster.gpu_type(segment.type_id).geometry;
        for part in record.parts(segment) {
            assert_eq!(cluster.type_of(part.device), segment.type_id);
            let mask = geometry.mask(segment.slice(), part.first_slot).expect("a legal start");
            let taken = &mut masks[part.device.index()];
            if begins {
                assert_eq!(*taken & mask, 0, "two jobs on one position");
            }
            *taken ^= mask;
        }
    }
    assert!(masks.iter().all(|&mask| mask == 0));
}

/// Every job finishes once, after exactly its work, and its figures agree with its segments.
fn check_work(workload: &BoundWorkload, record: &RunRecord) {
    assert_eq!(record.stopped, None);
    for (index, (job, outcome)) in workload.jobs.iter().zip(&record.jobs).enumerate() {
        let finish = outcome.finish.expect("finished");
        let segments: Vec<_> = record.segments.iter().filter(|s| s.job.index() == index).collect();
        assert_eq!(outcome.first_start, segments.first().map(|s| s.from));
        assert_eq!(segments.last().map(|s| s.to), Some(finish));
        assert!(segments.first().is_none_or(|s| s.from >= job.submit));
        assert!(segments.windows(2).all(|pair| pair[0].to <= pair[1].from));
        let held: i64 = segments.iter().map(|s| (s.to - s.from).0).sum();
        assert_eq!(outcome.held, SimSpan(held));
        let options = &workload.class_of(job).options;
        let mut done = Work::ZERO;
        let mut last_rate = Rate::ONE;
        for segment in &segments {
            last_rate = options[usize::from(segment.option)].rate;
            if segment.to > segment.ready {
                done += last_rate.over(segment.to - segment.ready);
            }
        }
        // The last microsecond may do more than was left.
        assert!(
            done >= job.work && done - job.work < last_rate.over(SimSpan(1)),
            "{done:?} of {:?}",
            job.work
        );
        let breaks = segments.windows(2).filter(|pair| pair[0].to < pair[1].from).count();
        assert!(outcome.preemptions as usize >= breaks);
        // A grant that finds no position may send its job back to where it was.
        let holds =
            |s: &Segment| (s.option, record.parts(s).iter().map(|part| part.device).collect::<Vec<_>>());
        let changes = segments.windows(2).filter(|pair| holds(pair[0]) != holds(pair[1])).count();
        assert!((outcome.preemptions + outcome.migrations) as usize >= changes);
    }
}

fn rows() -> impl Strategy<Value = Vec<JobRow>> {
    prop::collection::vec(
        (0u32..2000, 0u32..1500, prop::sample::select(vec![1u32, 2, 3, 4, 4, 4, 8, 12]), 0u32..3),
        1..40,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn runs_respect_space_and_conserve_work(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
        boundary in prop::sample::select(vec![Boundary::Refill, Boundary::Idle]),
        overhead_s in prop::sample::select(vec![0.0, 7.5]),
    ) {
        let cluster = cluster(&layouts);
        let workload = workload(&cluster, &rows);
        for policy in policies().iter().filter(|policy| policy.build.is_some()) {
            let record = run(policy.name, &cluster, &workload, settings(boundary, overhead_s));
            check_space(&cluster, &workload, &record);
            check_work(&workload, &record);
            let again = run(policy.name, &cluster, &workload, settings(boundary, overhead_s));
            prop_assert_eq!(record, again, "{} is not deterministic", policy.name);
        }
    }

    #[test]
    fn whole_device_policies_without_preemption_never_preempt(rows in rows()) {
        let cluster = cluster(&[0, 1]);
        let workload = workload(&cluster, &rows);
        for policy in ["fifo", "fifo-backfill"] {
            let record = run(policy, &cluster, &workload, settings(Boundary::Refill, 0.0));
            prop_assert!(record.jobs.iter().all(|job| job.preemptions == 0 && job.migrations == 0));
        }
    }

    #[test]
    fn on_one_device_every_policy_is_busy_while_there_is_work(rows in rows()) {
        let cluster = Cluster::new(&[NodeGroup {
            model: model("P100").unwrap(), nodes: 1, gpus_per_node: 1, layout: Layout::Whole,
        }]).unwrap();
        let rows: Vec<JobRow> = rows.into_iter().map(|(s, d, _, t)| (s, d, 4, t)).collect();
        let workload = workload(&cluster, &rows);
        // The end of the last busy period does not depend on the order of service.
        let ends: Vec<SimTime> = ["fifo", "srtf", "las", "round-robin", "fifo-backfill"]
            .iter()
            .map(|policy| run(policy, &cluster, &workload, settings(Boundary::Refill, 0.0)).end)
            .collect();
        prop_assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    }
}

#[test]
fn a_job_takes_the_type_that_runs_it_fastest() {
    let cluster = cluster(&[0, 1]);
    let workload = workload(&cluster, &[(0, 100, 4, 0)]);
    let record = run("fifo", &cluster, &workload, settings(Boundary::Refill, 0.0));
    // The test cluster makes earlier types faster.
    assert_eq!(record.segments[0].type_id, TypeId(0));
}
