//! What the engine makes of decisions on real devices: strict decisions always find a place, relaxed ones are counted where they
//! do not, instances change only where nobody runs, and gangs keep to few nodes.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, MigMode, NodeGroup, Slice, SliceMemory};
use sts_sim::policy::registry::policies;
use sts_sim::policy::{Decision, Grant, Params, Policy, PolicySpec, Reason, Refill, View, spec};
use sts_sim::scenario::Scenario;
use sts_sim::scenario::run::{generated, prepare};
use sts_sim::sim::{Boundary, GangPenalty, RoundSettings, RunRecord, simulate};
use sts_sim::units::{ClassId, JobId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

const STRICT: Layout = Layout::Mig(MigMode::Strict);
const RELAXED: Layout = Layout::Mig(MigMode::Relaxed);

/// Groups of nodes of one model as (model, nodes, GPUs in each, layout).
fn cluster(groups: &[(&str, u32, u32, Layout)]) -> Cluster {
    let group = |&(gpu, nodes, gpus_per_node, layout): &(&str, u32, u32, Layout)| NodeGroup {
        model: model(gpu).unwrap(),
        nodes,
        gpus_per_node,
        layout,
    };
    Cluster::new(&groups.iter().map(group).collect::<Vec<_>>()).unwrap()
}

/// An option of the first type.
fn option(slice: impl Into<Slice>, devices: u32, rate: f64) -> JobOption {
    let Slice { slots, memory } = slice.into();
    JobOption { type_id: TypeId(0), slots, memory, devices, rate: Rate::from_f64(rate) }
}

/// Jobs as (submit s, work s at rate 1, options), all of one tenant.
fn workload(cluster: &Cluster, jobs: &[(f64, f64, Vec<JobOption>)]) -> BoundWorkload {
    let mut workload = BoundWorkload {
        tenants: vec![Tenant { name: "t".into(), weight_micro: 1_000_000, changes: vec![] }],
        ..BoundWorkload::default()
    };
    for (index, (submit, work, options)) in jobs.iter().enumerate() {
        let whole = |id: TypeId| {
            let slots = cluster.gpu_type(id).geometry.slots();
            options.iter().position(|o| o.type_id == id && o.slots == slots).map(|i| i as u16)
        };
        workload.classes.push(JobClass {
            profile: String::new(),
            gpus: MilliGpus(options.iter().map(|o| o.devices).max().unwrap_or(1) * 1000),
            options: options.clone(),
            whole: cluster.type_ids().map(whole).collect(),
        });
        workload.jobs.push(BoundJob {
            record: index as u32,
            submit: SimTime::ZERO + SimSpan::from_secs(*submit),
            tenant: TenantId(0),
            class: ClassId(index as u32),
            work: Rate::ONE.over(SimSpan::from_secs(*work)),
            recorded_start: None,
            recorded_end: None,
            limit: None,
            presence: Presence::Arrives,
        });
    }
    workload
}

/// Whether a policy does not refuse these jobs on this cluster.
fn serves(policy: &PolicySpec, cluster: &Cluster, workload: &BoundWorkload) -> bool {
    policy.refuses.is_none_or(|refuses| refuses(cluster, workload, &Params::default()).is_none())
}

fn settings(rounds: Option<u32>) -> RoundSettings {
    RoundSettings {
        mode: sts_sim::sim::Mode::Rounds,
        length: SimSpan::from_secs(100.0),
        boundary: Boundary::Idle,
        start_cost: SimSpan::from_secs(2.0),
        restore_cost: SimSpan::from_secs(5.0),
        reconfigure_cost: SimSpan::from_secs(8.0),
        gang_penalty: GangPenalty::default(),
        horizon: rounds.map(|rounds| SimTime::ZERO + SimSpan::from_secs(f64::from(rounds) * 100.0)),
        checkpoint: None,
        limits: sts_sim::sim::Limits::Ignore,
    }
}

fn named(policy: &str) -> Box<dyn Policy> {
    let spec = spec(policy).unwrap();
    let params = Params::check(spec.name, spec.params, &BTreeMap::new()).unwrap();
    spec.build.unwrap()(&params, 3)
}

/// Every round gives each job a random option, or the one it holds, as long as the resources that an optimiser counts suffice.
struct Shuffle(ChaCha8Rng);

impl Policy for Shuffle {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let types = view.cluster.types();
        let mut left: Vec<_> = types.iter().map(|t| t.resource_capacity(t.devices)).collect();
        for &job in view.active {
            let options = &view.class(job).options;
            let held =
                view.state(job).held.filter(|_| !self.0.next_u32().is_multiple_of(3)).map(|held| held.option);
            let index = held.unwrap_or((self.0.next_u32() as usize % options.len()) as u16);
            let option = options[usize::from(index)];
            let usage = view.cluster.gpu_type(option.type_id).resource_usage(option.slice(), option.devices);
            let left = &mut left[option.type_id.index()];
            if usage.iter().zip(&*left).all(|(more, left)| more <= left) {
                left.iter_mut().zip(usage).for_each(|(left, more)| *left -= more);
                decision.grants.push(Grant { job, option: index });
            }
        }
    }

    fn refill(&mut self, _: &View<'_>, _: &[JobId], _: &mut dyn Refill) {}

    fn worth(&self, view: &View<'_>, job: JobId, option: u16) -> Option<f64> {
        Some(view.option(job, option).rate.as_f64())
    }

    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}

/// Gives every job its first option, whatever fits.
struct First;

impl Policy for First {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        decision.grants.extend(view.active.iter().map(|&job| Grant { job, option: 0 }));
    }

    fn refill(&mut self, _: &View<'_>, _: &[JobId], _: &mut dyn Refill) {}

    fn worth(&self, view: &View<'_>, job: JobId, option: u16) -> Option<f64> {
        Some(view.option(job, option).rate.as_f64())
    }
}

/// Jobs with every slice of the first type, and gangs of whole devices.
fn slices_and_gangs(cluster: &Cluster, sizes: &[usize]) -> BoundWorkload {
    let of_type = &cluster.types()[0];
    let slices = of_type.geometry.slices();
    let jobs: Vec<_> = sizes
        .iter()
        .map(|&size| {
            let options = if size < slices.len() {
                // Its size and all larger ones.
                slices[size..].iter().zip(1u8..).map(|(&s, n)| option(s, 1, f64::from(n) / 8.0)).collect()
            } else {
                let devices = (size - slices.len() + 2) as u32;
                vec![option(of_type.geometry.slots(), devices.min(of_type.devices), 1.0)]
            };
            (0.0, 1e9, options)
        })
        .collect();
    workload(cluster, &jobs)
}

/// Replays every allocation: positions never overlap, and the MIG instances of a device change only where nobody runs, each time
/// at a cost. Returns the number of (moment, device) at which instances changed.
fn replay(cluster: &Cluster, record: &RunRecord, settings: RoundSettings) -> usize {
    let mut order: Vec<usize> = (0..record.segments.len()).collect();
    order.sort_by_key(|&i| (record.segments[i].from, record.segments[i].job));
    let mut instances: Vec<BTreeMap<u8, Slice>> = vec![BTreeMap::new(); cluster.devices() as usize];
    let mut running: Vec<usize> = Vec::new();
    let mut started: BTreeSet<JobId> = BTreeSet::new();
    let mut changes: BTreeSet<(SimTime, u32)> = BTreeSet::new();
    for index in order {
        let segment = &record.segments[index];
        let of_type = cluster.gpu_type(segment.type_id);
        running.retain(|&i| record.segments[i].to > segment.from);
        let mask = |slice: Slice, start: u8| of_type.geometry.mask(slice, start).expect("a legal start");
        let mut reconfigured = false;
        for part in record.parts(segment) {
            let mine = mask(segment.slice(), part.first_slot);
            for &other in &running {
                let other = &record.segments[other];
                for at in record.parts(other).iter().filter(|at| at.device == part.device) {
                    assert_eq!(
                        mask(other.slice(), at.first_slot) & mine,
                        0,
                        "instances in use are not touched"
                    );
                }
            }
            let of_device = &mut instances[part.device.index()];
            if of_device.get(&part.first_slot) != Some(&segment.slice()) {
                of_device.retain(|&start, slice| mask(*slice, start) & mine == 0);
                of_device.insert(part.first_slot, segment.slice());
                if matches!(of_type.layout, Layout::Mig(_)) {
                    reconfigured = true;
                    changes.insert((segment.from, part.device.0));
                }
            }
        }
        let load = if started.insert(segment.job) { settings.start_cost } else { settings.restore_cost };
        let change = if reconfigured { settings.reconfigure_cost } else { SimSpan::ZERO };
        assert_eq!(segment.ready - segment.from, load + change);
        running.push(index);
    }
    changes.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_strict_resources_admit_is_placed_and_idle_instances_alone_change(
        sizes in prop::collection::vec(0usize..9, 1..40),
        devices in 1u32..4,
        seed in any::<u64>(),
        gpu in prop::sample::select(vec!["A100-40", "H200-141", "A30"]),
    ) {
        let cluster = cluster(&[(gpu, 2, devices, STRICT)]);
        let workload = slices_and_gangs(&cluster, &sizes);
        let settings = settings(Some(12));
        let policy = Box::new(Shuffle(ChaCha8Rng::seed_from_u64(seed)));
        let record = simulate(&cluster, &workload, settings, policy, &mut ());
        prop_assert_eq!((record.unplaced, record.downgraded), (0, 0));
        prop_assert_eq!(record.packing.gap(), Some(0.0));
        prop_assert_eq!(replay(&cluster, &record, settings) as u64, record.reconfigurations);
    }

    #[test]
    fn what_relaxed_resources_admit_and_devices_do_not_is_counted(
        sizes in prop::collection::vec(0usize..8, 4..40),
        seed in any::<u64>(),
    ) {
        let cluster = cluster(&[("A100-40", 1, 2, RELAXED)]);
        let workload = slices_and_gangs(&cluster, &sizes);
        let policy = Box::new(Shuffle(ChaCha8Rng::seed_from_u64(seed)));
        let settings = settings(Some(8));
        let record = simulate(&cluster, &workload, settings, policy, &mut ());
        let lost = record.unplaced + record.downgraded;
        prop_assert_eq!(lost > 0, record.packing.lost > 0.0);
        prop_assert!(record.packing.gap().is_none_or(|gap| (0.0..1.0).contains(&gap)));
        prop_assert_eq!(replay(&cluster, &record, settings) as u64, record.reconfigurations);
    }

    #[test]
    fn every_policy_changes_idle_instances_only(
        sizes in prop::collection::vec(0usize..8, 1..20),
        work in prop::collection::vec(1u32..900, 20),
    ) {
        let cluster = cluster(&[("H100-80", 2, 2, STRICT)]);
        let mut workload = slices_and_gangs(&cluster, &sizes);
        for (index, (job, work)) in workload.jobs.iter_mut().zip(&work).enumerate() {
            job.submit = SimTime::ZERO + SimSpan::from_secs(30.0 * index as f64);
            job.work = Rate::ONE.over(SimSpan::from_secs(f64::from(*work)));
        }
        for boundary in [Boundary::Refill, Boundary::Idle] {
            let settings = RoundSettings { boundary, ..settings(None) };
            for policy in policies().iter().filter(|policy| policy.build.is_some() && serves(policy, &cluster, &workload)) {
                let record = simulate(&cluster, &workload, settings, named(policy.name), &mut ());
                prop_assert_eq!(replay(&cluster, &record, settings) as u64, record.reconfigurations);
                prop_assert_eq!(record.unplaced, 0, "{}", policy.name);
            }
        }
    }
}

#[test]
fn the_packing_gap_is_the_share_of_the_worth_that_found_no_place() {
    let cluster = cluster(&[("A100-40", 1, 1, RELAXED)]);
    let three = vec![option(3, 1, 0.5)];
    // 3g+3g+1g needs nine memory slices.
    let jobs = [(0.0, 1e6, three.clone()), (0.0, 1e6, three), (0.0, 1e6, vec![option(1, 1, 0.25)])];
    let workload = workload(&cluster, &jobs);
    let record = simulate(&cluster, &workload, settings(Some(2)), Box::new(First), &mut ());
    assert_eq!((record.unplaced, record.downgraded), (2, 0), "once a round");
    assert_eq!(record.packing.gap(), Some(0.25 / 1.25));
}

#[test]
fn a_smaller_slice_that_fits_instead_is_counted_as_such() {
    let cluster = cluster(&[("A100-40", 1, 1, RELAXED)]);
    // Only one 4g has a position; the other job gets its 3g on the right.
    let jobs = [(0.0, 1e6, vec![option(4, 1, 0.5)]), (0.0, 1e6, vec![option(4, 1, 0.75), option(3, 1, 0.5)])];
    let workload = workload(&cluster, &jobs);
    let record = simulate(&cluster, &workload, settings(Some(1)), Box::new(First), &mut ());
    assert_eq!((record.unplaced, record.downgraded), (0, 1));
    assert_eq!(record.packing.gap(), Some(0.25 / 1.25));
    assert_eq!(record.segments[1].slots, 3);
}

fn nodes(cluster: &Cluster, record: &RunRecord, job: u32) -> Vec<u32> {
    let segment = record.segments.iter().find(|s| s.job == JobId(job)).unwrap();
    record.parts(segment).iter().map(|part| cluster.node_of(part.device).0).collect()
}

#[test]
fn gangs_keep_to_few_nodes_and_pay_for_each_further_one() {
    let cluster = cluster(&[("V100-16", 2, 4, Layout::Whole), ("V100-16", 1, 2, Layout::Whole)]);
    assert_eq!((cluster.types().len(), cluster.nodes().len()), (1, 3), "nodes of different size, one type");
    let gang = |devices| vec![option(1, devices, 1.0)];
    // A gang of six takes a whole node and the two devices of the small one; a gang of three the node that is left.
    let jobs = [(0.0, 120.0, gang(6)), (0.0, 120.0, gang(3))];
    let workload = workload(&cluster, &jobs);
    let free = RoundSettings { start_cost: SimSpan::ZERO, ..settings(None) };
    let plain = simulate(&cluster, &workload, free, named("fifo-backfill"), &mut ());
    assert_eq!(nodes(&cluster, &plain, 0), [0, 0, 0, 0, 2, 2]);
    assert_eq!(nodes(&cluster, &plain, 1), [1, 1, 1]);
    let finish = |record: &RunRecord, job: usize| record.jobs[job].finish.unwrap().as_secs();
    assert_eq!((finish(&plain, 0), finish(&plain, 1)), (120.0, 120.0));
    let slowed = RoundSettings { gang_penalty: GangPenalty::per_node(0.25), ..free };
    for policy in policies().iter().filter(|policy| policy.build.is_some()) {
        let record = simulate(&cluster, &workload, slowed, named(policy.name), &mut ());
        assert_eq!((finish(&record, 0), finish(&record, 1)), (150.0, 120.0), "{}", policy.name);
        assert_eq!(record.segments.iter().find(|s| s.job == JobId(0)).unwrap().rate, Rate(800_000));
    }
}

#[test]
fn a_gang_penalty_never_speeds_up_and_never_stops() {
    let penalty = GangPenalty::per_node(0.3);
    for rate in [1, 2, 999, 1_000_000, u32::MAX] {
        let rates: Vec<u32> = (0..100).map(|nodes| penalty.rate_on(Rate(rate), nodes).0).collect();
        assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]) && rates[99] >= 1);
        assert_eq!((rates[0], rates[1]), (rate, rate));
        assert_eq!(GangPenalty::default().rate_on(Rate(rate), 100), Rate(rate));
    }
    assert_eq!(penalty.rate_on(Rate(0), 3), Rate(0));
    assert_eq!(penalty.rate_on(Rate::ONE, 3), Rate(625_000));
}

#[test]
fn the_slices_of_a_gang_are_on_distinct_devices_of_few_nodes() {
    for (gpu, layout, slice) in [
        ("V100-16", Layout::Uniform(4), Slice::plain(2)),
        ("A100-40", STRICT, Slice::plain(3)),
        ("A100-40", STRICT, Slice::DOUBLE_MEMORY_1G),
        ("A30", STRICT, Slice::plain(2)),
    ] {
        let cluster = cluster(&[(gpu, 3, 4, layout)]);
        let single = vec![option(slice, 1, 0.5)];
        let jobs = [
            (0.0, 1e4, single),
            (1.0, 1e4, vec![option(slice, 4, 0.5)]),
            (2.0, 1e4, vec![option(slice, 6, 0.5)]),
        ];
        let workload = workload(&cluster, &jobs);
        let record = simulate(&cluster, &workload, settings(None), named("sts-fairness"), &mut ());
        assert_eq!(record.unplaced, 0);
        for segment in &record.segments {
            let devices: BTreeSet<_> = record.parts(segment).iter().map(|part| part.device).collect();
            assert_eq!(devices.len(), record.parts(segment).len(), "distinct devices");
        }
        let distinct = |job| nodes(&cluster, &record, job).into_iter().collect::<BTreeSet<_>>().len();
        assert_eq!((distinct(0), distinct(1), distinct(2)), (1, 1, 2), "{gpu} {slice}");
    }
}

#[test]
fn a_gang_as_large_as_the_cluster_runs() {
    for (gpu, layout, slots) in [("V100-16", Layout::Whole, 1), ("A100-80", STRICT, 7), ("A30", STRICT, 4)] {
        let cluster = cluster(&[(gpu, 2, 4, layout), (gpu, 1, 3, layout)]);
        let all = cluster.devices();
        let single = vec![option(slots, 1, 1.0)];
        let jobs =
            [(0.0, 50.0, single.clone()), (0.0, 100.0, vec![option(slots, all, 1.0)]), (0.0, 50.0, single)];
        let workload = workload(&cluster, &jobs);
        for policy in
            policies().iter().filter(|policy| policy.build.is_some() && serves(policy, &cluster, &workload))
        {
            let record = simulate(&cluster, &workload, settings(None), named(policy.name), &mut ());
            assert!(record.jobs.iter().all(|job| job.finish.is_some()), "{}", policy.name);
            assert_eq!((record.unplaced, record.stopped), (0, None), "{}", policy.name);
        }
    }
}

#[test]
fn work_is_conserved_under_a_gang_penalty() {
    let cluster = cluster(&[("V100-16", 4, 2, Layout::Uniform(4))]);
    let sizes = [1u32, 3, 5, 8, 2, 4, 7, 6];
    let jobs: Vec<_> = sizes
        .iter()
        .enumerate()
        .map(|(i, &n)| (40.0 * i as f64, 300.0, vec![option(2, n, 0.6), option(4, n, 1.0)]))
        .collect();
    let workload = workload(&cluster, &jobs);
    let settings = RoundSettings { gang_penalty: GangPenalty::per_node(0.1), ..settings(None) };
    for policy in policies().iter().filter(|policy| policy.build.is_some()) {
        let record = simulate(&cluster, &workload, settings, named(policy.name), &mut ());
        for (index, job) in workload.jobs.iter().enumerate() {
            let segments = record.segments.iter().filter(|s| s.job.index() == index);
            let (mut done, mut last) = (Work::ZERO, Rate::ONE);
            for segment in segments {
                let on =
                    record.parts(segment).iter().map(|p| cluster.node_of(p.device)).collect::<BTreeSet<_>>();
                let option = workload.class_of(job).options[usize::from(segment.option)];
                let per_million = 1_000_000 + 100_000 * (on.len() as u64 - 1);
                last = Rate((u64::from(option.rate.0) * 1_000_000 / per_million) as u32);
                assert_eq!(segment.rate, last);
                if segment.to > segment.ready {
                    done += last.over(segment.to - segment.ready);
                }
            }
            assert!(done >= job.work && done - job.work < last.over(SimSpan(1)), "{}: {done:?}", policy.name);
        }
    }
}

#[test]
fn what_distinct_devices_cost_is_counted_and_said() {
    // Three halves fill one of two devices, so that no gang can be on both, although the slots suffice.
    let cluster = cluster(&[("A30", 1, 2, STRICT)]);
    let half = || (0.0, 250.0, vec![option(2, 1, 0.5)]);
    let jobs = [half(), half(), half(), (0.0, 250.0, vec![option(1, 2, 0.25)])];
    let workload = workload(&cluster, &jobs);
    let record = simulate(&cluster, &workload, settings(None), named("sts-fairness"), &mut ());
    assert!(record.unplaced > 0 && record.packing.gap().is_some_and(|gap| gap > 0.0 && gap < 0.5));
    assert!(record.waits.iter().any(|wait| wait.job == JobId(3) && wait.reason == Reason::NoPlace));
    assert!(record.jobs.iter().all(|job| job.finish.is_some()), "it runs when a half is done");
}

#[test]
fn a_scenario_says_what_further_nodes_cost_a_gang() {
    let text = |round: &str| {
        format!(
            r#"{{"cluster": {{"nodes": [
                {{"gpu": "V100-16", "count": 2, "gpus_per_node": 4}},
                {{"gpu": "V100-16", "count": 3, "gpus_per_node": 2}},
                {{"gpu": "H200-141", "count": 1, "gpus_per_node": 2, "layout": "mig"}}]}},
              "workload": {{"synthetic": {{"jobs": 120, "seed": 5}}}}, {round}
              "policies": [{{"name": "fifo-backfill"}}, {{"name": "sts-fairness"}}]}}"#
        )
    };
    let run = |round: &str| {
        let scenario = Scenario::from_json(&text(round)).unwrap();
        let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        [0, 1].map(|index| prepared.run(index, 0, &mut ()).unwrap())
    };
    let plain = run("");
    let zero = run(r#""round": {"gang_node_penalty": 0},"#);
    let slowed = run(r#""round": {"gang_node_penalty": 0.5},"#);
    for ((plain, zero), slowed) in plain.iter().zip(&zero).zip(&slowed) {
        assert_eq!(plain.result.result_hash, zero.result.result_hash);
        assert_ne!(plain.result.result_hash, slowed.result.result_hash);
        assert_eq!((plain.record.stopped, slowed.record.stopped), (None, None));
        let slow = slowed.record.segments.iter().filter(|s| slowed.record.parts(s).len() > 4).count();
        assert!(slow > 0, "gangs that no node can hold");
    }
}

#[test]
fn a_double_memory_slice_runs_beside_plain_ones() {
    let cluster = cluster(&[("A100-40", 1, 1, STRICT)]);
    let double = || vec![option(Slice::DOUBLE_MEMORY_1G, 1, 0.2)];
    let jobs: Vec<_> = (0..5).map(|_| (0.0, 100.0, double())).collect();
    let workload = workload(&cluster, &jobs);
    let record = simulate(&cluster, &workload, settings(None), named("sts-fairness"), &mut ());
    let at_once = record.segments.iter().filter(|s| s.from == SimTime::ZERO).count();
    assert_eq!(at_once, 4, "eight memory slices");
    assert!(record.segments.iter().all(|s| s.memory == SliceMemory::Double && s.slots == 1));
    assert!(record.jobs.iter().all(|job| job.finish.is_some()));
}
