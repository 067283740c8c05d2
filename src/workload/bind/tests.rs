use super::*;
use crate::cluster::{Layout, MigMode, NodeGroup, Slice};
use crate::units::Maybe;
use crate::workload::assign::ProfileRule;
use crate::workload::profile::fitted;
use crate::workload::{JobRecord, Outcome, TextColumn};

const MIG: Layout = Layout::Mig(MigMode::Strict);

fn cluster(groups: &[(&str, u32, Layout)]) -> Cluster {
    let group = |&(gpu, gpus_per_node, layout): &(&str, u32, Layout)| NodeGroup {
        model: catalogue::model(gpu).expect("in the catalogue"),
        nodes: 1,
        gpus_per_node,
        layout,
    };
    Cluster::new(&groups.iter().map(group).collect::<Vec<_>>()).expect("a legal cluster")
}

fn job(milli_gpus: u32, workers: u32) -> JobRecord {
    JobRecord {
        submit: SimTime::ZERO,
        gpus: MilliGpus(milli_gpus),
        workers,
        duration: Maybe::some(SimSpan::from_secs(100.0)),
        start: Maybe::NONE,
        end: Maybe::NONE,
        tenant: TenantId(0),
        user: None,
        gpu_type: None,
        model: None,
        memory_mb: 0,
        min_slots: 0,
        outcome: Outcome::Completed,
        limit: Maybe::NONE,
        presence: Presence::Arrives,
    }
}

fn workload(jobs: &[JobRecord], gpu_types: &[&str]) -> Workload {
    Workload {
        jobs: jobs.to_vec(),
        names: TextColumn::default(),
        tenants: vec!["a".into(), "b".into()],
        gpu_types: gpu_types.iter().map(|name| (*name).to_string()).collect(),
        ..Workload::default()
    }
}

fn all(model: &str) -> ProfileSettings {
    ProfileSettings { rule: ProfileRule::All, model: Some(model.into()), ..ProfileSettings::default() }
}

fn bound(jobs: &[JobRecord], cluster: &Cluster, settings: &ProfileSettings) -> BoundWorkload {
    bind(&workload(jobs, &[]), cluster, settings, |_| 1_000_000).expect("legal settings")
}

/// Options as (type, slots, devices, rate in millionths).
fn options(bound: &BoundWorkload, job: usize) -> Vec<(u16, u8, u32, u32)> {
    let class = bound.class_of(&bound.jobs[job]);
    class.options.iter().map(|o| (o.type_id.0, o.slots, o.devices, o.rate.0)).collect()
}

fn work_s(bound: &BoundWorkload, job: usize) -> f64 {
    bound.jobs[job].work.as_reference_secs()
}

#[test]
fn a_job_of_one_gpu_may_run_in_every_slice_that_has_the_memory() {
    let cluster =
        cluster(&[("A100-40", 1, MIG), ("V100-16", 2, Layout::Uniform(4)), ("K80", 1, Layout::Whole)]);
    let b = bound(&[job(1000, 1)], &cluster, &all("transformer/32"));
    let found = options(&b, 0);
    let shapes: Vec<_> = found.iter().map(|o| (o.0, o.1, o.2)).collect();
    let a100 = [1, 2, 3, 4, 7].map(|slots| (0, slots, 1));
    assert_eq!(shapes[..5], a100, "4.7 GB fit a slice of 5 GB");
    assert_eq!(shapes[5..], [(1, 2, 1), (1, 4, 1), (2, 1, 1)], "but not a quarter of a V100");
    let rates: Vec<u32> = found.iter().map(|o| o.3).collect();
    assert_eq!(rates[..5], [163_000, 316_000, 533_000, 593_000, 1_000_000]);
    assert_eq!(rates[6], 526_316, "1 / 1.9");
    assert_eq!(rates[7], Rate::from_f64(3.5074 / 10.621 / 1.9).0);
    let class = b.class_of(&b.jobs[0]);
    assert_eq!(class.whole, [Some(4), Some(6), Some(7)]);
    assert_eq!(class.profile, "transformer/32");
    assert!((work_s(&b, 0) - 100.0 / 1.9).abs() < 1e-3, "traced on a V100, done faster on the A100");
}

#[test]
fn a_fraction_needs_its_share_of_the_slots_and_its_duration_ran_on_it() {
    let cluster =
        cluster(&[("A100-80", 1, MIG), ("V100-16", 1, Layout::Uniform(4)), ("T4", 1, Layout::Whole)]);
    let b = bound(&[job(250, 1), job(470, 1), job(810, 1)], &cluster, &all("linear"));
    let shapes = |i| options(&b, i).iter().map(|o| (o.0, o.1)).collect::<Vec<_>>();
    assert_eq!(shapes(0), [(0, 2), (0, 3), (0, 4), (0, 7), (1, 1), (1, 2), (1, 4), (2, 1)]);
    assert_eq!(shapes(1), [(0, 4), (0, 7), (1, 2), (1, 4), (2, 1)]);
    assert_eq!(shapes(2), [(0, 7), (1, 4), (2, 1)]);
    assert_eq!([0, 1, 2].map(|i| work_s(&b, i).round() as u32), [25, 47, 81]);
    let quarter = options(&b, 0)[4];
    assert_eq!(quarter, (1, 1, 1, 250_000), "on exactly its share it takes its traced time");
    assert_eq!(options(&b, 0)[7].3, 1_000_000, "a whole device runs at full speed");
}

#[test]
fn the_share_of_a_fraction_is_worth_what_the_curve_says() {
    let cluster = cluster(&[("V100-16", 1, Layout::Whole)]);
    let b = bound(&[job(500, 1)], &cluster, &all("resnet/128"));
    let half = fitted::speed(fitted::kappa(1.0 / 7.0, 0.457), 0.5);
    assert!((work_s(&b, 0) - 100.0 * half).abs() < 1e-3);
}

#[test]
fn fractional_workers_take_equal_slices_of_distinct_devices() {
    let cluster = cluster(&[
        ("V100-16", 3, Layout::Uniform(4)),
        ("T4", 2, Layout::Uniform(2)),
        ("K80", 3, Layout::Whole),
    ]);
    let b = bound(&[job(1500, 3)], &cluster, &all("linear"));
    let expected = [(0, 2, 3, 500_000), (0, 4, 3, 1_000_000), (2, 1, 3, 1_000_000)];
    assert_eq!(options(&b, 0), expected, "two T4 are too few");
    assert!((work_s(&b, 0) - 50.0).abs() < 1e-6);
}

#[test]
fn a_gang_takes_whole_devices_of_a_type_that_has_enough() {
    let cluster =
        cluster(&[("A100-40", 2, MIG), ("V100-16", 8, Layout::Uniform(4)), ("P100", 4, Layout::Whole)]);
    let b =
        bound(&[job(4000, 4), job(16_000, 16), job(1500, 1)], &cluster, &all("ResNet-50 (batch size 64)"));
    let p100 = 10.365 / 9.4519;
    let found = options(&b, 0);
    assert_eq!(found, [(1, 4, 4, Rate::from_f64(1.0 / p100).0), (2, 1, 4, 1_000_000)]);
    assert!((work_s(&b, 0) - 100.0 / p100).abs() < 1e-3);
    assert_eq!(b.never_fit, [1]);
    assert_eq!(options(&b, 1).iter().map(|o| o.2).collect::<Vec<_>>(), [2, 2, 2], "1.5 GPUs are two devices");
    assert_eq!(b.class_of(&b.jobs[0]).whole, [None, Some(0), Some(1)]);
}

#[test]
fn memory_and_least_slots_of_the_trace_count_before_the_profile() {
    let cluster = cluster(&[("A100-40", 1, MIG), ("T4", 1, Layout::Uniform(8))]);
    let needs = |memory_mb, min_slots| JobRecord { memory_mb, min_slots, ..job(1000, 1) };
    let jobs = [needs(11 * 1024, 0), needs(0, 3), needs(30 * 1024, 0), needs(41 * 1024, 0)];
    let b = bound(&jobs, &cluster, &all("linear"));
    let shapes = |i| options(&b, i).iter().map(|o| (o.0, o.1)).collect::<Vec<_>>();
    assert_eq!(shapes(0), [(0, 3), (0, 4), (0, 7), (1, 8)], "11 GB of 20, of 16");
    assert_eq!(shapes(1), [(0, 3), (0, 4), (0, 7), (1, 4), (1, 8)]);
    assert_eq!(shapes(2), [(0, 7)]);
    assert_eq!(b.never_fit, [3]);
}

#[test]
fn the_double_memory_1g_is_for_jobs_that_a_plain_1g_has_too_little_memory_for() {
    let cluster = cluster(&[("A100-40", 1, MIG), ("H200-141", 1, MIG), ("A30", 1, MIG)]);
    let needs = |memory_gb: u32| JobRecord { memory_mb: memory_gb * 1024, ..job(1000, 1) };
    let jobs = [5, 6, 10, 11, 18, 19, 35, 36].map(needs);
    let b = bound(&jobs, &cluster, &all("mobilenet/64"));
    let smallest = |i: usize, type_id: u16| {
        let class = b.class_of(&b.jobs[i]);
        class.options.iter().find(|o| o.type_id.0 == type_id).map(JobOption::slice)
    };
    let (plain, double) = (Slice::plain(1), Slice::DOUBLE_MEMORY_1G);
    let on_a100 = [plain, double, double, Slice::plain(3), Slice::plain(3), Slice::plain(3)];
    let on_h200 = [plain, plain, plain, plain, plain, double, double, Slice::plain(3)];
    for (i, slice) in on_a100.into_iter().enumerate() {
        assert_eq!(smallest(i, 0), Some(slice), "{i} on A100");
    }
    for (i, slice) in on_h200.into_iter().enumerate() {
        assert_eq!(smallest(i, 1), Some(slice), "{i} on H200");
    }
    assert_eq!(smallest(1, 2), Some(plain));
    assert_eq!(smallest(2, 2), Some(Slice::plain(2)), "an A30 has no such slice");
    let rate = |i: usize, type_id: u16| {
        let class = b.class_of(&b.jobs[i]);
        class.options.iter().find(|o| o.type_id.0 == type_id).map(|o| o.rate)
    };
    assert_eq!(rate(0, 0), rate(1, 0), "as fast as a plain 1g of an A100");
    assert!(rate(5, 1) > rate(4, 1), "on an H200 it has 26 multiprocessors instead of 16");
}

#[test]
fn jobs_stay_on_the_types_their_trace_names_if_the_cluster_has_them() {
    let cluster =
        cluster(&[("V100-32", 1, Layout::Whole), ("T4", 1, Layout::Whole), ("P100", 1, Layout::Whole)]);
    let names = ["T4", "P100|V100M32", "V100", "MISC", "A100-SXM4-80GB", ""];
    let jobs: Vec<JobRecord> =
        (0..names.len() as u32).map(|i| JobRecord { gpu_type: Some(i), ..job(1000, 1) }).collect();
    let w = workload(&jobs, &names);
    let b = bind(&w, &cluster, &all("mobilenet/64"), |_| 1).expect("legal settings");
    let types = |i| options(&b, i).iter().map(|o| o.0).collect::<Vec<_>>();
    let expected = [vec![1], vec![0, 2], vec![0], vec![0, 1, 2], vec![0, 1, 2], vec![0, 1, 2]];
    for (i, types_of) in expected.into_iter().enumerate() {
        assert_eq!(types(i), types_of, "{}", names[i]);
    }
    assert_eq!((b.assumptions.matched_types, b.assumptions.unmatched_types), (3, 2));
    assert!((work_s(&b, 0) - 100.0).abs() < 1e-6, "traced on a T4 and run on one");
    assert!((work_s(&b, 4) - 200.0).abs() < 1e-3, "traced on an A100 80 GB: 2.0 of a V100");
    assert!((work_s(&b, 3) - 100.0).abs() < 1e-3, "unknown: as on a V100");
    let fixed = ProfileSettings { reference_gpu: Some("A100-40".into()), ..all("mobilenet/64") };
    let b = bind(&w, &cluster, &fixed, |_| 1).expect("legal settings");
    assert!((work_s(&b, 2) - 190.0).abs() < 1e-3);
}

#[test]
fn every_job_is_somewhere_and_the_order_is_that_of_submission() {
    let cluster = cluster(&[("V100-16", 2, Layout::Whole)]);
    let at = |s: i64, gpus, duration: Option<i64>| JobRecord {
        submit: SimTime(s),
        duration: duration.map(SimSpan).into(),
        ..job(gpus, (gpus / 1000).max(1))
    };
    let jobs = [
        at(5, 1000, Some(1)),
        at(3, 0, Some(1)),
        at(3, 1000, None),
        at(3, 2000, Some(7)),
        at(3, 3000, Some(1)),
        at(5, 1000, Some(0)),
        at(1, 1000, Some(-5)),
    ];
    let b = bound(&jobs, &cluster, &all("flat"));
    assert_eq!(b.jobs.iter().map(|j| j.record).collect::<Vec<_>>(), [6, 3, 0, 5]);
    assert_eq!((b.without_duration, b.never_fit, b.assumptions.zero_gpu_jobs), (vec![2], vec![4], 1));
    assert_eq!(b.jobs.iter().map(|j| j.work.0).collect::<Vec<_>>(), [0, 7_000_000, 1_000_000, 0]);
    assert_eq!(b.jobs.iter().map(|j| j.class.0).collect::<Vec<_>>(), [0, 1, 0, 0], "in order of first job");
    assert_eq!(b.assumptions.ruled_models, 6);
    assert_eq!(b.tenants.len(), 2, "also one without jobs");
}

#[test]
fn what_a_profile_cannot_do_is_no_option() {
    let cluster = cluster(&[("K80", 4, Layout::Whole), ("P100", 4, Layout::Whole)]);
    let b = bound(&[job(2000, 2)], &cluster, &all("ResNet-50 (batch size 128)"));
    assert_eq!(options(&b, 0).iter().map(|o| o.0).collect::<Vec<_>>(), [1], "it fails on two K80");
    let on_k80 = ProfileSettings { reference_gpu: Some("K80".into()), ..all("ResNet-50 (batch size 128)") };
    let b = bound(&[job(2000, 2)], &cluster, &on_k80);
    assert!(b.jobs[0].work > Work::ZERO, "and yet the trace says it ran there");
}

#[test]
fn illegal_settings_are_refused_with_their_key() {
    let cluster = cluster(&[("T4", 1, Layout::Whole)]);
    let error = bind(&Workload::default(), &cluster, &all("no-such-model"), |_| 1).expect_err("refused");
    assert!(
        error.to_string().starts_with("workload.profiles.model: found no-such-model, expected"),
        "{error}"
    );
}

#[test]
fn no_option_of_any_profile_has_a_zero_rate_and_the_best_whole_device_has_rate_one() {
    let cluster = cluster(&[
        ("B200-180", 8, MIG),
        ("A30", 8, MIG),
        ("K80", 8, Layout::Whole),
        ("T4", 8, Layout::Uniform(8)),
    ]);
    for p in crate::workload::profile::profiles() {
        for (gpus, workers) in [(100, 1), (1000, 1), (2000, 2), (8000, 8), (1200, 4)] {
            let b = bound(&[job(gpus, workers)], &cluster, &all(&p.name));
            let class = b.class_of(&b.jobs[0]);
            assert!(class.options.iter().all(|o| o.rate.0 > 0));
            assert!(
                class.options.windows(2).all(|o| (o[0].type_id, o[0].slots) < (o[1].type_id, o[1].slots))
            );
            let whole = class.whole.iter().flatten().map(|&index| class.options[usize::from(index)].rate);
            assert_eq!(whole.max(), Some(Rate::ONE), "{}", p.name);
        }
    }
}
