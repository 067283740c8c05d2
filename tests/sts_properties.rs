//! Properties of STS-Fairness, against oracles that share no code with it.

#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, MigMode, NodeGroup, SliceMemory};
use sts_sim::policy::param::ParamValue;
use sts_sim::policy::sts::ladder::Ladder;
use sts_sim::policy::sts::program::{
    Program, ProgramJob, ProgramOption, ProgramTenant, Solution, Status, Usage,
};
use sts_sim::policy::sts::quota::{Claim, Quotas, TemporalLayer};
use sts_sim::policy::{Decision, Held, JobState, Params, Policy, Reason, Refill, View, spec};
use sts_sim::units::{ClassId, JobId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId, Work};
use sts_sim::workload::bind::Tenant;
use sts_sim::workload::{BoundJob, BoundWorkload, JobClass, JobOption};

const BUDGET: u64 = 20_000_000;

// Programs.

/// The best (objective, kept, fewest slots) over all choices that fit, and meet the floors if there are any.
fn enumerate(program: &Program) -> Option<(i128, u32, i64)> {
    let mut best = None;
    let mut choice = vec![None; program.jobs.len()];
    visit(program, &mut choice, 0, &mut best);
    best
}

fn visit(program: &Program, choice: &mut Vec<Option<u16>>, at: usize, best: &mut Option<(i128, u32, i64)>) {
    if at == program.jobs.len() {
        if program.is_feasible(choice) {
            *best = (*best).max(Some(rank(program, choice)));
        }
        return;
    }
    for option in (0..program.jobs[at].options.len() as u16).map(Some).chain([None]) {
        choice[at] = option;
        visit(program, choice, at + 1, best);
    }
    choice[at] = None;
}

fn rank(program: &Program, choice: &[Option<u16>]) -> (i128, u32, i64) {
    let taken = program.jobs.iter().zip(choice).filter_map(|(job, o)| Some(job.options[usize::from((*o)?)]));
    let (kept, slots) = taken.fold((0, 0), |(kept, slots), option| {
        (kept + u32::from(option.keeps), slots - i64::from(option.slots))
    });
    (program.objective(choice), kept, slots)
}

/// The most a tenant's jobs are worth inside a share, by enumeration.
fn worth_of_share(program: &Program, tenant: u32, share: &[u32]) -> i64 {
    let jobs = program.jobs.iter().filter(|job| job.tenant == tenant);
    let alone = Program {
        capacity: share.to_vec(),
        tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
        jobs: jobs.map(|job| ProgramJob { tenant: 0, options: job.options.clone() }).collect(),
    };
    enumerate(&alone).unwrap().0 as i64
}

/// A random program of two types with one and two resources, few distinct values, and shares that add up to the capacity.
fn programs() -> impl Strategy<Value = (Program, Vec<Vec<u32>>)> {
    let option = (0usize..2, 1u32..4, 1i64..7, any::<bool>());
    let job = (0u32..3, prop::collection::vec(option, 0..4));
    let shares = prop::collection::vec(0usize..3, 13);
    (prop::collection::vec(job, 1..6), shares, 1i64..3).prop_map(|(jobs, owners, weight)| {
        let capacity = vec![5, 4, 4];
        let mut shares = vec![vec![0; 3]; 3];
        let units = [0; 5].into_iter().chain([1; 4]).chain([2; 4]);
        for (resource, owner) in units.zip(owners) {
            shares[owner][resource] += 1;
        }
        let mut jobs: Vec<ProgramJob> = jobs
            .into_iter()
            .map(|(tenant, options)| {
                let options = options.into_iter().map(|(k, amount, value, keeps)| ProgramOption {
                    usage: match k {
                        0 => Usage { first: 0, len: 1, amounts: [amount, 0, 0, 0] },
                        _ => Usage { first: 1, len: 2, amounts: [amount, amount / 2, 0, 0] },
                    },
                    value,
                    keeps,
                    slots: amount,
                });
                ProgramJob { tenant, options: options.collect() }
            })
            .collect();
        jobs.sort_by_key(|job| job.tenant);
        let tenants = (0..3).map(|u| ProgramTenant { weight: if u == 1 { weight } else { 1 }, floor: 0 });
        (Program { capacity, tenants: tenants.collect(), jobs }, shares)
    })
}

fn solve_round(budget: u64, program: &mut Program, shares: &[Vec<u32>]) -> Solution {
    let solution = Ladder::new(budget).solve_round(program, shares).unwrap();
    assert!(program.is_feasible(&solution.choice));
    assert_eq!(solution.objective, program.objective(&solution.choice));
    assert!(solution.bound >= solution.objective);
    assert_eq!(solution.status == Status::Optimal, solution.bound == solution.objective);
    solution
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_ladder_is_enumeration_down_to_the_ties((mut program, shares) in programs()) {
        let solution = solve_round(BUDGET, &mut program, &shares);
        prop_assert_eq!(solution.status, Status::Optimal);
        for (tenant, share) in (0..).zip(&shares) {
            let floor = worth_of_share(&program, tenant, share);
            let found = &mut program.tenants[tenant as usize].floor;
            // Where nothing is scarce floors are only known from below.
            prop_assert!(*found == floor || solution.method == "uncontended" && *found <= floor);
            *found = floor;
        }
        prop_assert_eq!(Some(rank(&program, &solution.choice)), enumerate(&program));
    }

    #[test]
    fn without_tables_the_decision_is_fair_and_the_bound_holds((mut program, shares) in programs()) {
        let solution = solve_round(0, &mut program, &shares);
        let reached: Vec<i64> = program.tenants.iter().map(|tenant| tenant.floor).collect();
        let mut all_reached = true;
        for (tenant, share) in (0..).zip(&shares) {
            let floor = worth_of_share(&program, tenant, share);
            prop_assert!(reached[tenant as usize] <= floor);
            all_reached &= reached[tenant as usize] == floor;
            program.tenants[tenant as usize].floor = floor;
        }
        let (optimum, _, _) = enumerate(&program).unwrap();
        prop_assert!(solution.bound >= optimum, "bound {} < {}", solution.bound, optimum);
        if all_reached {
            prop_assert!(solution.objective <= optimum);
        }
        if solution.status == Status::Optimal && all_reached {
            prop_assert_eq!(solution.objective, optimum);
        }
    }

    #[test]
    fn nothing_that_is_worth_something_is_left_free(
        (mut program, shares) in programs(),
        budget in prop::sample::select(vec![0, BUDGET]),
    ) {
        let solution = solve_round(budget, &mut program, &shares);
        let mut free = program.capacity.clone();
        for (job, option) in program.jobs.iter().zip(&solution.choice) {
            for (resource, amount) in option.iter().flat_map(|&o| job.options[usize::from(o)].usage.amounts()) {
                free[resource] -= amount;
            }
        }
        for (job, _) in program.jobs.iter().zip(&solution.choice).filter(|(_, option)| option.is_none()) {
            prop_assert!(job.options.iter().all(|option| !option.usage.fits(&free)));
        }
    }

    #[test]
    fn given_floors_are_met_or_refuted((mut program, _) in programs(), floors in prop::array::uniform3(0i64..9)) {
        for (tenant, floor) in program.tenants.iter_mut().zip(floors) {
            tenant.floor = floor;
        }
        let solution = Ladder::new(BUDGET).solve(&program).unwrap();
        match enumerate(&program) {
            None => prop_assert_eq!(solution.status, Status::Infeasible),
            Some((optimum, ..)) => {
                prop_assert_eq!(solution.status, Status::Optimal);
                prop_assert!(program.is_feasible(&solution.choice));
                prop_assert_eq!(solution.objective, optimum);
            }
        }
        // Without tables: a feasible choice, a refutation, or no answer, but never a wrong one.
        if let Some(solution) = Ladder::new(0).solve(&program) {
            match enumerate(&program) {
                None => prop_assert_eq!(solution.status, Status::Infeasible),
                Some((optimum, ..)) => {
                    prop_assert!(program.is_feasible(&solution.choice));
                    prop_assert!(solution.objective <= optimum && optimum <= solution.bound);
                }
            }
        }
    }

    #[test]
    fn a_larger_share_is_worth_no_less((program, shares) in programs(), more in prop::array::uniform3(0u32..3)) {
        let mut ladder = Ladder::new(BUDGET);
        let mut worth = |share: &[u32]| {
            let alone = Program {
                capacity: share.to_vec(),
                tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
                jobs: program.jobs.iter().map(|job| ProgramJob { tenant: 0, ..job.clone() }).collect(),
            };
            ladder.solve(&alone).unwrap().objective
        };
        prop_assert_eq!(worth(&[0, 0, 0]), 0);
        let larger: Vec<u32> = shares[0].iter().zip(more).map(|(share, more)| share + more).collect();
        prop_assert!(worth(&larger) >= worth(&shares[0]));
    }

    #[test]
    fn quotas_follow_fixed_shares_over_every_window(
        weights in prop::collection::vec(1u64..9, 1..8),
        units in 1u32..40,
        rounds in 2usize..60,
    ) {
        let claims: Vec<Claim> = (0..).zip(&weights).map(|(tenant, &weight)| Claim { tenant, weight }).collect();
        let total: u64 = weights.iter().sum();
        let mut layer = TemporalLayer::new(vec![units], weights.len());
        let mut quotas = Quotas::default();
        let mut given = vec![vec![0i64; weights.len()]];
        for _ in 0..rounds {
            layer.next_round(&claims, &mut quotas);
            let last = given.last().unwrap();
            let next: Vec<i64> = last.iter().enumerate().map(|(i, g)| g + i64::from(quotas.of(i)[0])).collect();
            prop_assert_eq!(next.iter().sum::<i64>() - last.iter().sum::<i64>(), i64::from(units));
            given.push(next);
        }
        for (from, start) in given.iter().enumerate() {
            for (to, end) in given.iter().enumerate().skip(from) {
                for (i, &weight) in weights.iter().enumerate() {
                    let due = (to - from) as i64 * i64::from(units) * weight as i64;
                    let error = ((end[i] - start[i]) * total as i64 - due).abs();
                    let most = if from == 0 { total } else { 2 * total };
                    prop_assert!(error < most as i64);
                }
            }
        }
    }
}

// The policy, round by round.

/// A cluster with jobs, and what they hold; nothing ever ends unless the test says so.
struct World {
    cluster: Cluster,
    workload: BoundWorkload,
    states: Vec<JobState>,
    active: Vec<JobId>,
    round: u64,
}

const ROUND_S: f64 = 360.0;

impl World {
    fn new(groups: &[(&str, Layout, u32)], weights: &[u64]) -> Self {
        let groups: Vec<NodeGroup> = groups
            .iter()
            .map(|&(gpu, layout, devices)| NodeGroup {
                model: model(gpu).unwrap(),
                nodes: devices,
                gpus_per_node: 1,
                layout,
            })
            .collect();
        let tenants = weights
            .iter()
            .enumerate()
            .map(|(i, &weight)| Tenant { name: format!("t{i}"), weight_micro: weight * 1_000_000 })
            .collect();
        Self {
            cluster: Cluster::new(&groups).unwrap(),
            workload: BoundWorkload { tenants, ..BoundWorkload::default() },
            states: Vec::new(),
            active: Vec::new(),
            round: 0,
        }
    }

    /// Adds a job with one option per (type, slots, devices, speed).
    fn job(&mut self, tenant: u32, gpus: u32, work_s: f64, options: &[(u16, u8, u32, f64)]) -> JobId {
        let id = JobId(self.workload.jobs.len() as u32);
        let options: Vec<JobOption> = options
            .iter()
            .map(|&(k, slots, devices, speed)| JobOption {
                type_id: TypeId(k),
                slots,
                memory: SliceMemory::Plain,
                devices,
                rate: Rate::from_f64(speed),
            })
            .collect();
        let whole = vec![None; self.cluster.types().len()];
        self.workload.classes.push(JobClass {
            profile: String::new(),
            gpus: MilliGpus(gpus * 1000),
            options,
            whole,
        });
        let work = Rate::ONE.over(SimSpan::from_secs(work_s));
        self.workload.jobs.push(BoundJob {
            record: id.0,
            submit: SimTime::ZERO,
            tenant: TenantId(tenant),
            class: ClassId(id.0),
            work,
            recorded_start: None,
            recorded_end: None,
        });
        self.states.push(JobState {
            remaining: work,
            held: None,
            last_option: None,
            executed: SimSpan::ZERO,
            attained: 0,
            first_start: None,
            changed: SimTime::ZERO,
            finish: None,
        });
        self.active.push(id);
        id
    }

    fn view(&self) -> View<'_> {
        View {
            now: SimTime::ZERO + SimSpan::from_secs(ROUND_S * self.round as f64),
            round: self.round,
            round_length: SimSpan::from_secs(ROUND_S),
            start_cost: SimSpan::ZERO,
            restore_cost: SimSpan::ZERO,
            cluster: &self.cluster,
            workload: &self.workload,
            states: &self.states,
            active: &self.active,
        }
    }

    /// Decides a round and lets the jobs hold what they are granted.
    fn decide(&mut self, policy: &mut dyn Policy) -> Decision {
        let mut decision = Decision::default();
        policy.decide(&self.view(), &mut decision);
        let now = self.view().now;
        for state in &mut self.states {
            state.held = None;
        }
        for grant in &decision.grants {
            self.states[grant.job.index()].held = Some(Held { option: grant.option, since: now });
        }
        self.round += 1;
        decision
    }

    fn end(&mut self, job: JobId) {
        self.active.retain(|&other| other != job);
        self.states[job.index()].finish = Some(self.view().now);
        self.states[job.index()].remaining = Work::ZERO;
        self.states[job.index()].held = None;
    }
}

fn policy(params: &[(&str, &str)]) -> Box<dyn Policy> {
    let spec = spec("sts-fairness").unwrap();
    let value = |word: &str| match word.parse() {
        Ok(number) => ParamValue::Number(number),
        Err(_) => ParamValue::Word(word.to_string()),
    };
    let given: BTreeMap<String, ParamValue> =
        params.iter().map(|&(k, v)| (k.to_string(), value(v))).collect();
    spec.build.unwrap()(&Params::check(spec.name, spec.params, &given).unwrap(), 0)
}

/// Values and floors of every round recomputed from what is granted and from the quotas in the ledger.
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
