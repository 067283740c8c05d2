//! The policy, round by round.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sts_sim::cluster::{Layout, MigMode};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::{Decision, Params, Reason, Refill, View, spec};
use sts_sim::units::{JobId, SimSpan, SimTime, TenantId, TypeId};
use sts_sim::workload::JobOption;
use sts_sim::workload::bind::WeightChange;

use super::world::{World, policy};

#[test]
fn every_round_gives_every_tenant_at_least_what_its_quota_is_worth() {
    let plain =
        [("objective", "throughput"), ("durations", "attained"), ("hysteresis", "0"), ("price_every", "1")];
    let mut world = World::new(
        &[
            ("V100-16", Layout::Uniform(4), 2),
            ("A100-80", Layout::Mig(MigMode::Strict), 1),
            ("P100", Layout::Whole, 2),
        ],
        &[1, 2, 1, 0],
    );
    let v100 = |speed: f64| [(0u16, 1u8, 1u32, 0.4 * speed), (0, 2, 1, 0.7 * speed), (0, 4, 1, speed)];
    for i in 0..9u32 {
        let speed = 1.0 - 0.07 * f64::from(i);
        let mut options = v100(speed).to_vec();
        if i % 2 == 0 {
            options.extend([(1, 1, 1, 0.2), (1, 2, 1, 0.45), (1, 3, 1, 0.9 * speed), (1, 7, 1, 1.0)]);
        } else {
            options.push((2, 1, 1, 0.5 * speed));
        }
        world.job(i % 4, 1, 1e6, &options);
    }
    world.job(1, 2, 1e6, &[(2, 1, 2, 0.6), (0, 4, 2, 1.0)]);
    let mut policy = policy(&plain);
    let mut fair_rounds = 0;
    for _ in 0..40 {
        let decision = world.decide(policy.as_mut());
        let proof = decision.proof.as_ref().unwrap();
        assert_eq!(proof.objective, proof.bound, "{}", proof.method);
        let free = proof.without_floors.unwrap();
        assert!(free >= proof.objective);
        fair_rounds += u32::from(free > proof.objective);
        for k in 0..3u16 {
            let rows = decision.ledger.iter().filter(|row| row.type_id == TypeId(k));
            let total: u32 = rows.clone().map(|row| row.quota_slots).sum();
            assert_eq!(total, world.cluster.gpu_type(TypeId(k)).total_slots());
            assert_eq!(rows.map(|row| row.loan_slots).sum::<i32>(), 0);
        }
        // Everything in units of the largest value, in which the policy has at most 31 bits.
        let largest = 2.0_f64.powi(30);
        for tenant in 0..3u32 {
            let rows: Vec<_> = decision.ledger.iter().filter(|row| row.tenant == TenantId(tenant)).collect();
            assert!(rows[0].value >= rows[0].floor);
            let gpus = |job: JobId| world.workload.class_of(&world.workload.jobs[job.index()]).gpus.as_gpus();
            let got: f64 = decision
                .grants
                .iter()
                .filter(|grant| world.workload.jobs[grant.job.index()].tenant == TenantId(tenant))
                .map(|grant| gpus(grant.job) * world.view().option(grant.job, grant.option).rate.as_f64())
                .sum();
            let quota: Vec<u32> = rows.iter().map(|row| row.quota_slots).collect();
            let floor = floor_by_hand(&world, tenant, &quota);
            // The gang's two whole V100 are worth 2, which becomes 2^30.
            let (value, stated) =
                (rows[0].value as f64 / largest * 2.0, rows[0].floor as f64 / largest * 2.0);
            assert!((value - got).abs() < 1e-6, "{value} is not {got}");
            assert!((stated - floor).abs() < 1e-6, "{stated} is not {floor} for {quota:?}");
        }
    }
    assert!(fair_rounds > 3, "floors never bound");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Over every window each tenant gets what its quotas were worth to it, on clusters and with jobs of any kind.
    #[test]
    fn windows_are_fair_on_any_cluster(
        weights in prop::array::uniform3(1u64..4),
        jobs in prop::collection::vec((0u32..3, 1u32..4, 0.2f64..1.0, any::<bool>()), 1..10),
        gangs in 0u32..3,
        loans in prop::sample::select(vec!["0", "0.5", "1"]),
        budget in prop::sample::select(vec!["0", "20000000"]),
    ) {
        let mut world = World::new(
            &[("V100-16", Layout::Uniform(4), 2), ("A100-80", Layout::Mig(MigMode::Strict), 2), ("P100", Layout::Whole, 4)],
            &weights,
        );
        for (tenant, kind, speed, steep) in jobs {
            let part = if steep { 0.3 } else { 0.7 };
            let all = [
                [(0u16, 1u8, 1u32, part * speed), (0, 4, 1, speed)],
                [(1, 2, 1, part * speed), (1, 7, 1, speed)],
                [(1, 3, 1, part * speed), (2, 1, 1, speed)],
            ];
            world.job(tenant, 1, 1e7, &all[kind as usize - 1]);
        }
        for gang in 0..gangs {
            world.job(gang, 3, 1e7, &[(2, 1, 3, 1.0), (0, 4, 2, 0.5)]);
        }
        let plain = [("objective", "throughput"), ("durations", "attained"), ("hysteresis", "0")];
        let mut policy = policy(&[&plain[..], &[("loan_lambda", loans), ("solver_budget", budget)]].concat());
        for _ in 0..25 {
            let decision = world.decide(policy.as_mut());
            let mut floors = BTreeMap::new();
            for row in &decision.ledger {
                // With every round also every window, as the unit of value is that of the fastest job throughout.
                prop_assert!(row.value >= row.floor);
                floors.insert(row.tenant, i128::from(row.floor));
            }
            let proof = decision.proof.as_ref().unwrap();
            prop_assert!(proof.objective >= floors.values().sum() && proof.bound >= proof.objective);
            for k in 0..3u16 {
                let total = world.cluster.gpu_type(TypeId(k)).total_slots();
                let used = decision.grants.iter().map(|grant| world.view().option(grant.job, grant.option));
                let used = used.filter(|option| option.type_id == TypeId(k));
                prop_assert!(used.map(|option| u32::from(option.slots) * option.devices).sum::<u32>() <= total);
                let quotas = decision.ledger.iter().filter(|row| row.type_id == TypeId(k));
                prop_assert_eq!(quotas.map(|row| row.quota_slots).sum::<u32>(), total);
            }
        }
    }
}

/// What a tenant's jobs are worth inside a quota of V100 slots, A100 slots (whole devices) and P100, by enumeration.
fn floor_by_hand(world: &World, tenant: u32, quota: &[u32]) -> f64 {
    fn best(jobs: &[(f64, &[JobOption])], quota: &[u32], taken: [u32; 3], mig: &mut Vec<u8>) -> f64 {
        let Some(((gpus, options), rest)) = jobs.split_first() else { return 0.0 };
        let mut most = best(rest, quota, taken, mig);
        for option in *options {
            let k = option.type_id.index();
            let mut with = taken;
            with[k] += u32::from(option.slots) * option.devices;
            if with[k] > quota[k] {
                continue;
            }
            if k == 1 {
                mig.push(option.slots);
                // On one device only three, three and one slices cannot be had although they are seven.
                let threes = mig.iter().filter(|&&slots| slots == 3).count();
                if threes < 2 || mig.len() == 2 {
                    most = most.max(gpus * option.rate.as_f64() + best(rest, quota, with, mig));
                }
                mig.pop();
            } else {
                most = most.max(gpus * option.rate.as_f64() + best(rest, quota, with, mig));
            }
        }
        most
    }
    let jobs: Vec<(f64, &[JobOption])> = world
        .workload
        .jobs
        .iter()
        .filter(|job| job.tenant == TenantId(tenant))
        .map(|job| {
            (world.workload.class_of(job).gpus.as_gpus(), world.workload.class_of(job).options.as_slice())
        })
        .collect();
    best(&jobs, quota, [0; 3], &mut Vec::new())
}

#[test]
fn equal_tenants_have_equal_quotas_over_time() {
    let mut world = World::new(&[("V100-16", Layout::Uniform(4), 3)], &[1, 1, 1, 1, 1]);
    for i in 0..20 {
        world.job(i % 5, 1, 1e6, &[(0, 1, 1, 0.4), (0, 2, 1, 0.7), (0, 4, 1, 1.0)]);
    }
    let mut policy = policy(&[]);
    let mut given = [0u32; 5];
    for _ in 0..100 {
        for row in world.decide(policy.as_mut()).ledger {
            given[row.tenant.index()] += row.quota_slots;
        }
        let (least, most) = (given.iter().min().unwrap(), given.iter().max().unwrap());
        assert!(most - least < 2, "{given:?}");
    }
}

#[test]
fn rounds_that_are_passed_over_count() {
    let build = || {
        let mut world = World::new(&[("V100-16", Layout::Uniform(4), 5)], &[3, 1, 2]);
        let jobs: Vec<JobId> = (0..4).map(|i| world.job(i % 3, 1, 1e7, &[(0, 4, 1, 1.0)])).collect();
        (world, jobs, policy(&[]))
    };
    let (mut played, jobs, mut every) = build();
    let (mut skipping, _, mut some) = build();
    for rounds in [1u64, 7, 40, 3] {
        let mut last = Decision::default();
        for _ in 0..rounds {
            last = played.decide(every.as_mut());
        }
        assert!(some.is_static_when_idle_queue() || skipping.round == 0);
        skipping.round += rounds - 1;
        let after = skipping.decide(some.as_mut());
        assert_eq!(after.ledger, last.ledger);
        assert_eq!(after.grants, last.grants);
    }
    // Nothing is decided while nobody is there: the rounds after the last completion are nobody's.
    for world in [&mut played, &mut skipping] {
        for &job in &jobs {
            world.end(job);
        }
    }
    played.round += 100;
    skipping.round += 100;
    let mut empty = Decision::default();
    let view = View { round: played.round - 50, ..played.view() };
    every.decide(&view, &mut empty);
    assert!(empty.grants.is_empty());
    for world in [&mut played, &mut skipping] {
        for tenant in 0..3 {
            world.job(tenant, 1, 1e7, &[(0, 4, 1, 1.0)]);
        }
    }
    assert_eq!(played.decide(every.as_mut()).ledger, skipping.decide(some.as_mut()).ledger);
}

/// Weights that change reach quotas at once, in rounds that are decided and in those passed over, and nothing owed is forgotten.
#[test]
fn quotas_follow_weights_that_change() {
    let round = |n: i64| SimTime(n * 360_000_000);
    let build = || {
        let mut world = World::new(&[("V100-16", Layout::Uniform(4), 5)], &[3, 1, 2]);
        for tenant in 0..3 {
            world.job(tenant, 1, 1e7, &[(0, 4, 1, 1.0)]);
        }
        let change = |at, weight: u64| WeightChange { at: round(at), weight_micro: weight * 1_000_000 };
        world.workload.tenants[0].changes = vec![change(7, 1), change(31, 0), change(40, 5)];
        world.workload.tenants[1].changes = vec![change(7, 4), change(8, 2)];
        (world, policy(&[]))
    };
    let weights = |n: u64| {
        let first = [3, 1, 0, 5][usize::from(n >= 7) + usize::from(n >= 31) + usize::from(n >= 40)];
        [first, [1, 4, 2][usize::from(n >= 7) + usize::from(n >= 8)], 2]
    };
    let (mut played, mut every) = build();
    let (mut skipping, mut some) = build();
    let (mut due, mut given) = ([0.0; 3], [0u32; 3]);
    // Some rounds are passed over, then some are decided, so that what is owed shows.
    for (passed_over, decided) in [(0u64, 2u64), (1, 1), (6, 9), (14, 3), (0, 4), (30, 12)] {
        for round in 0..passed_over + decided {
            let of_round = weights(played.round);
            let ledger = played.decide(every.as_mut()).ledger;
            for row in &ledger {
                let tenant = row.tenant.index();
                given[tenant] += row.quota_slots;
                due[tenant] += 20.0 * f64::from(of_round[tenant]) / f64::from(of_round.iter().sum::<i32>());
                assert!((due[tenant] - f64::from(given[tenant])).abs() < 2.0);
            }
            assert_eq!(ledger.len(), of_round.iter().filter(|&&weight| weight > 0).count());
            if round < passed_over {
                assert!(some.is_static_when_idle_queue());
                skipping.round += 1;
            } else {
                assert_eq!(skipping.decide(some.as_mut()).ledger, ledger, "round {}", played.round);
            }
        }
    }
}

#[test]
fn a_contended_round_is_not_static() {
    let mut world = World::new(&[("V100-16", Layout::Uniform(4), 1)], &[1, 1]);
    for tenant in [0, 1] {
        world.job(tenant, 1, 1e6, &[(0, 1, 1, 0.4), (0, 4, 1, 1.0)]);
    }
    let mut policy = policy(&[]);
    assert!(!policy.is_static_when_idle_queue());
    let decision = world.decide(policy.as_mut());
    assert_eq!(decision.grants.len(), 2);
    // Both run, but neither on its best option.
    assert!(!policy.is_static_when_idle_queue());
}

#[test]
fn an_uncontended_round_is_static_unless_something_is_remembered() {
    let is_static = |params: &[(&str, &str)]| {
        let mut world = World::new(&[("V100-16", Layout::Uniform(4), 1)], &[1, 1]);
        world.job(0, 1, 1e6, &[(0, 1, 1, 0.4), (0, 4, 1, 1.0)]);
        let mut policy = policy(params);
        assert_eq!(world.decide(policy.as_mut()).proof.unwrap().method, "uncontended");
        policy.is_static_when_idle_queue()
    };
    assert!(is_static(&[]) && is_static(&[("ageing_s", "60"), ("loan_lambda", "0")]));
    for remembers in [("loan_lambda", "0.5"), ("formulation", "f2"), ("formulation", "f3")] {
        assert!(!is_static(&[remembers]), "{remembers:?}");
    }
}

#[test]
fn gangs_larger_than_every_quota_run_in_turn() {
    let mut world = World::new(&[("P100", Layout::Whole, 9)], &[1, 1, 1]);
    let gangs: Vec<JobId> = (0..3).map(|tenant| world.job(tenant, 5, 1e7, &[(0, 1, 5, 1.0)])).collect();
    let mut policy = policy(&[("hysteresis", "0")]);
    let mut ran = [0u32; 3];
    let mut lost = 0;
    for round in 0..90 {
        let decision = world.decide(policy.as_mut());
        assert_eq!(decision.grants.len(), 1, "one gang of five fits nine GPUs");
        ran[decision.grants[0].job.index()] += 1;
        if round > 3 {
            assert!(
                decision.waits.iter().all(|(_, reason)| *reason == Reason::GangBanking),
                "{:?}",
                decision.waits
            );
        }
        assert_eq!(decision.ledger.iter().map(|row| row.quota_slots).sum::<u32>(), 9);
        lost += decision.ledger.iter().map(|row| row.packing_loss_slots).sum::<u32>();
    }
    assert!(ran.iter().all(|&n| n >= 27), "{ran:?}");
    assert!(lost > 0);
    // Left alone, a gang runs every round.
    world.end(gangs[0]);
    world.end(gangs[1]);
    for _ in 0..5 {
        assert_eq!(world.decide(policy.as_mut()).grants[0].job, gangs[2]);
    }
}

#[test]
fn jobs_that_wait_for_the_floors_of_others_are_told_so() {
    // The second tenant's job is worth twice as much in every slot, but the first is due half of them.
    let mut world = World::new(&[("V100-16", Layout::Uniform(4), 2)], &[1, 1]);
    let slow = [(0, 4, 1, 0.25)];
    let fast = [(0, 4, 1, 1.0)];
    world.job(0, 1, 1e6, &slow);
    let fast: Vec<JobId> = (0..2).map(|_| world.job(1, 1, 1e6, &fast)).collect();
    // The first tenant's job could be fast elsewhere, so its reference is not this cluster; rates are as given.
    let mut policy = policy(&[("objective", "throughput"), ("hysteresis", "0"), ("price_every", "1")]);
    let decision = world.decide(policy.as_mut());
    assert_eq!(decision.grants.iter().map(|grant| grant.job).collect::<Vec<_>>(), [JobId(0), fast[0]]);
    assert_eq!(decision.waits, [(fast[1], Reason::FloorOfOthers)]);
    let proof = decision.proof.unwrap();
    assert!(proof.without_floors.unwrap() > proof.objective);
    // Within a tenant it is the objective.
    world.workload.tenants[0].weight_micro = 0;
    let decision = world.decide(policy.as_mut());
    assert_eq!(decision.waits, [(JobId(0), Reason::Objective)]);
    assert_eq!(decision.ledger.len(), 1, "who has no weight has no entitlement");
}

#[test]
fn hysteresis_keeps_what_is_nearly_as_good() {
    let mut world = World::new(&[("P100", Layout::Whole, 1)], &[1]);
    let first = world.job(0, 1, 1e6, &[(0, 1, 1, 0.9)]);
    let mut steady = policy(&[("objective", "throughput"), ("hysteresis", "60")]);
    assert_eq!(world.decide(steady.as_mut()).grants[0].job, first);
    let second = world.job(0, 1, 1e6, &[(0, 1, 1, 1.0)]);
    assert_eq!(world.decide(steady.as_mut()).grants[0].job, first);
    let mut eager = policy(&[("objective", "throughput"), ("hysteresis", "0")]);
    assert_eq!(world.decide(eager.as_mut()).grants[0].job, second);
}

/// Free slots of one type on one device, without positions.
struct Free {
    slots: u32,
    options: Vec<Vec<JobOption>>,
    held: BTreeMap<JobId, u16>,
}

impl Free {
    fn taken(&self, job: JobId, option: u16) -> u32 {
        let option = self.options[job.index()][usize::from(option)];
        u32::from(option.slots) * option.devices
    }
}

impl Refill for Free {
    fn try_start(&mut self, job: JobId, option: u16) -> bool {
        let taken = self.taken(job, option);
        assert!(!self.held.contains_key(&job) && taken <= self.slots);
        self.slots -= taken;
        self.held.insert(job, option);
        true
    }

    fn try_grow(&mut self, job: JobId, option: u16) -> bool {
        let before = self.taken(job, self.held[&job]);
        let after = self.taken(job, option);
        assert!(after > before && after - before <= self.slots);
        self.slots -= after - before;
        self.held.insert(job, option);
        true
    }

    fn free_slots(&self, _: TypeId) -> u32 {
        self.slots
    }

    fn free_devices(&self, _: TypeId) -> u32 {
        self.slots / 4
    }

    fn is_full(&self) -> bool {
        self.slots == 0
    }
}

#[test]
fn what_becomes_free_goes_to_the_densest_and_then_to_the_largest_gain() {
    let mut world = World::new(&[("V100-16", Layout::Uniform(8), 1)], &[1]);
    let all = |one: f64, two: f64, four: f64| {
        vec![(0u16, 1u8, 1u32, one), (0, 2, 1, two), (0, 4, 1, four), (0, 8, 1, 1.0)]
    };
    let flat = world.job(0, 1, 1e6, &all(0.6, 0.7, 0.8));
    let steep = world.job(0, 1, 1e6, &all(0.2, 0.5, 0.9));
    let waits = world.job(0, 1, 1e6, &[(0, 8, 1, 1.0)]);
    let options = world.workload.classes.iter().map(|class| class.options.clone()).collect();
    let mut free = Free { slots: 5, options, held: BTreeMap::new() };
    let mut policy = policy(&[("objective", "throughput")]);
    policy.refill(&world.view(), &[flat, steep, waits], &mut free);
    // One slot for the flat curve (0.6 a slot), two for the steep one (0.25 a slot), which then gains most by two more (0.4).
    assert_eq!(free.held, BTreeMap::from([(flat, 0), (steep, 2)]));
    assert_eq!(free.slots, 0);
    // With one more slot the flat curve grows too.
    let mut free = Free { slots: 6, held: BTreeMap::new(), ..free };
    policy.refill(&world.view(), &[flat, steep, waits], &mut free);
    assert_eq!(free.held, BTreeMap::from([(flat, 1), (steep, 2)]));
    // Nobody waits whom eight slots cannot please.
    let mut free = Free { slots: 8, held: BTreeMap::new(), ..free };
    policy.refill(&world.view(), &[waits], &mut free);
    assert_eq!(free.held, BTreeMap::from([(waits, 0)]));
}

#[test]
fn modes_order_jobs_as_they_say() {
    let run = |objective: &str| {
        let mut world = World::new(&[("P100", Layout::Whole, 8)], &[1]);
        let option = [(0, 1, 1, 1.0)];
        let gang = world.job(0, 8, 40_000.0, &[(0, 1, 8, 1.0)]);
        for i in 0..8 {
            world.job(0, 1, 10_000.0 + f64::from(i), &option);
        }
        let decision = world.decide(policy(&[("objective", objective)]).as_mut());
        decision.grants.iter().any(|grant| grant.job == gang)
    };
    // Eight short jobs: 8 sqrt(1 / 10,000) against sqrt(8 / 40,000); 8 against 8; 8 sqrt(10,000) against 8 sqrt(40,000).
    assert_eq!(["mix", "jct", "makespan"].map(run), [false, false, true]);
}

#[test]
fn with_ageing_an_old_job_comes_before_a_better_one() {
    let run = |params: &[(&str, &str)]| {
        let mut world = World::new(&[("P100", Layout::Whole, 1)], &[1]);
        let old = world.job(0, 1, 1e6, &[(0, 1, 1, 0.5)]);
        world.round = 20;
        let young = world.job(0, 1, 1e6, &[(0, 1, 1, 0.9)]);
        world.workload.jobs[young.index()].submit = world.view().now;
        let plain = [("objective", "throughput"), ("hysteresis", "0")];
        world.decide(policy(&[&plain[..], params].concat()).as_mut()).grants[0].job == old
    };
    // After two hours the old job counts 1 + 7200 / ageing_s times, 1.8 for 9000.
    assert_eq!([run(&[]), run(&[("ageing_s", "8900")]), run(&[("ageing_s", "9100")])], [false, true, false]);
}

#[test]
fn too_large_a_hysteresis_is_refused() {
    let spec = spec("sts-fairness").unwrap();
    let params = |value| {
        let given = BTreeMap::from([("hysteresis".to_string(), ParamValue::Number(value))]);
        Params::check(spec.name, spec.params, &given).unwrap()
    };
    let round = SimSpan::from_secs(360.0);
    let check = |value| sts_sim::policy::sts::check_hysteresis(&params(value), round);
    assert!(check(120.0).is_ok());
    let error = check(121.0).unwrap_err().to_string();
    assert!(error.contains("at most 120"), "{error}");
}
