//! Drift plus penalty (F2) and lexicographic max-min (F3) against enumeration, and over time.

use proptest::prelude::*;
use sts_sim::cluster::Layout;
use sts_sim::policy::Decision;
use sts_sim::policy::sts::formulation::drift::{Drift, MOST_WEIGHT};
use sts_sim::policy::sts::formulation::maxmin::{MaxMin, PROVEN};
use sts_sim::policy::sts::ladder::Ladder;
use sts_sim::policy::sts::program::Status;
use sts_sim::policy::sts::quota::Claim;
use sts_sim::policy::sts::value::Quantum;
use sts_sim::units::TenantId;

use super::oracle::{BUDGET, enumerate, outcomes, programs};
use super::world::{World, policy};

/// A unit in which lasting worths are whole.
fn quantum() -> Quantum {
    Quantum::for_largest(6.0)
}

fn claims(weights: [u64; 3]) -> Vec<Claim> {
    (0..)
        .zip(weights)
        .filter(|&(_, weight)| weight > 0)
        .map(|(tenant, weight)| Claim { tenant, weight })
        .collect()
}

/// The least of (given + value) / weight over the claims, as a fraction in lowest terms of no importance: compared crosswise.
fn least(claims: &[Claim], given: [i64; 3], weights: [u64; 3], values: [i64; 3]) -> (i64, i64) {
    let levels = claims.iter().map(|claim| {
        let tenant = claim.tenant as usize;
        (given[tenant] + values[tenant], weights[tenant] as i64)
    });
    levels.min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).unwrap_or((0, 1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn drift_weighs_missed_entitlement_and_finds_the_optimum(
        (mut program, _) in programs(),
        past in prop::collection::vec((prop::array::uniform3(0i64..9), prop::array::uniform3(0i64..9)), 0..6),
        now in prop::array::uniform3(0i64..9),
        b in 0.0f64..4.0,
    ) {
        let claims = claims([1, 1, 1]);
        let mut drift = Drift::new(b);
        let mut queues = [0i64; 3];
        let mut entitled = 0;
        let rounds = past.len() as i64 + 1;
        for (due, got) in past {
            drift.weigh(&claims, &due, quantum(), &mut program);
            drift.settle(&claims, &due, &got, quantum());
            for tenant in 0..3 {
                queues[tenant] = (queues[tenant] + due[tenant] - got[tenant]).max(0);
                prop_assert_eq!(drift.queue(tenant), quantum().lasting(queues[tenant]));
                entitled += due[tenant];
            }
        }
        entitled += now.iter().sum::<i64>();
        drift.weigh(&claims, &now, quantum(), &mut program);
        // B + Q_u in proportion, to the stated part of the largest.
        let wished = queues.map(|queue| b * entitled as f64 / (3 * rounds) as f64 + queue as f64);
        let most = wished.iter().fold(0.0, |a: f64, &b| a.max(b));
        let largest = program.tenants.iter().map(|tenant| tenant.weight).max().unwrap();
        for (tenant, wished) in program.tenants.iter().zip(wished) {
            prop_assert!((1..=MOST_WEIGHT).contains(&tenant.weight) && tenant.floor == 0);
            if most > 0.0 {
                let (found, wished) = (tenant.weight as f64 / largest as f64, wished / most);
                prop_assert!((found - wished).abs() <= 2.0 / MOST_WEIGHT as f64, "{} is not {}", found, wished);
            }
        }
        let solution = Ladder::new(BUDGET).solve(&program).unwrap();
        prop_assert_eq!(solution.status, Status::Optimal);
        prop_assert_eq!(Some(solution.objective), enumerate(&program).map(|best| best.0));
    }

    #[test]
    fn the_least_level_is_the_greatest_there_is(
        (mut program, _) in programs(),
        past in prop::collection::vec(prop::array::uniform3(0i64..9), 0..4),
        weights in prop::array::uniform3(0u64..4),
    ) {
        let claims = claims(weights);
        let mut maxmin = MaxMin::default();
        let mut ladder = Ladder::new(BUDGET);
        let mut given = [0; 3];
        let mut elapsed = [0; 3];
        for got in past {
            maxmin.solve(&mut ladder, &mut program, &claims, quantum(), &[], BUDGET).unwrap();
            maxmin.settle(&claims, &got, quantum());
            for claim in &claims {
                let tenant = claim.tenant as usize;
                given[tenant] += got[tenant];
                elapsed[tenant] += claim.weight;
            }
        }
        for claim in &claims {
            elapsed[claim.tenant as usize] += claim.weight;
        }
        let (solution, free) = maxmin.solve(&mut ladder, &mut program, &claims, quantum(), &[], BUDGET).unwrap();
        prop_assert_eq!(solution.status, Status::Optimal);
        prop_assert!(program.is_feasible(&solution.choice) && free.objective >= solution.objective);
        let values = program.tenant_values(&solution.choice);
        let values = [values[0], values[1], values[2]];
        let found = least(&claims, given, elapsed, values);
        for tenant in &mut program.tenants {
            tenant.floor = 0;
        }
        for other in &outcomes(&program) {
            let theirs = least(&claims, given, elapsed, *other);
            prop_assert!(theirs.0 * found.1 <= found.0 * theirs.1, "{:?} is fairer than {:?}", other, values);
            let mut pairs = claims.iter().map(|claim| claim.tenant as usize).map(|u| (other[u], values[u]));
            let dominates = pairs.clone().all(|(other, ours)| other >= ours) && pairs.any(|(other, ours)| other > ours);
            prop_assert!(!dominates, "{:?} is better for all than {:?}", other, values);
        }
    }

    /// Without a budget nothing is called optimal that was not shown.
    #[test]
    fn max_min_without_a_budget_claims_nothing((mut program, _) in programs(), weights in prop::array::uniform3(1u64..4)) {
        let claims = claims(weights);
        let mut ladder = Ladder::new(0);
        let (solution, _) = MaxMin::default().solve(&mut ladder, &mut program, &claims, quantum(), &[], 0).unwrap();
        prop_assert!(program.is_feasible(&solution.choice));
        if solution.status == Status::Optimal {
            prop_assert_eq!(solution.method, "uncontended");
        } else {
            prop_assert!(solution.bound > solution.objective);
        }
    }
}

/// Two tenants on eight slots; the first one's jobs are worth half of the second's in every slot.
fn slow_and_fast(params: &[(&str, &str)], rounds: u32) -> (World, Vec<Decision>) {
    let mut world = World::new(&[("V100-16", Layout::Uniform(4), 2)], &[1, 1]);
    for _ in 0..3 {
        world.job(0, 1, 1e7, &[(0, 1, 1, 0.2), (0, 2, 1, 0.35), (0, 4, 1, 0.5)]);
        world.job(1, 1, 1e7, &[(0, 1, 1, 0.4), (0, 2, 1, 0.7), (0, 4, 1, 1.0)]);
    }
    let mut policy = policy(&[&[("objective", "throughput"), ("hysteresis", "0")], params].concat());
    let decisions = (0..rounds).map(|_| world.decide(policy.as_mut())).collect();
    assert!(!policy.is_static_when_idle_queue());
    (world, decisions)
}

fn sums(decisions: &[Decision], tenant: u32) -> (i64, i64, u32) {
    let rows =
        decisions.iter().flat_map(|decision| &decision.ledger).filter(|row| row.tenant == TenantId(tenant));
    rows.fold((0, 0, 0), |(value, floor, violated), row| {
        (value + row.value, floor + row.floor, violated + u32::from(row.value < row.floor))
    })
}

#[test]
fn drift_gives_everybody_its_due_on_average_but_not_in_every_round() {
    for b in ["0", "2", "10"] {
        let (_, decisions) = slow_and_fast(&[("formulation", "f2"), ("drift_b", b)], 400);
        let mut missed = 0;
        for tenant in 0..2 {
            let (value, floor, violated) = sums(&decisions, tenant);
            missed += violated;
            // Behind by no more than the queue, which is of the order of B mean entitlements.
            let mean = floor as f64 / 400.0;
            let behind = (floor - value) as f64 / mean;
            assert!(
                behind <= 4.0 + 4.0 * b.parse::<f64>().unwrap(),
                "B {b}: tenant {tenant} is {behind} rounds behind"
            );
        }
        assert!(missed > 0, "with B {b} every round was fair");
        for decision in &decisions {
            let proof = decision.proof.as_ref().unwrap();
            assert_eq!((proof.objective, proof.without_floors), (proof.bound, None));
        }
    }
    // The more efficiency weighs, the more work is done.
    let total = |b| {
        let (_, decisions) = slow_and_fast(&[("formulation", "f2"), ("drift_b", b)], 60);
        sums(&decisions, 0).0 + sums(&decisions, 1).0
    };
    assert!(total("20") > total("0"));
}

#[test]
fn max_min_makes_what_tenants_got_equal() {
    let (_, decisions) = slow_and_fast(&[("formulation", "f3")], 200);
    let (slow, fast) = (sums(&decisions, 0).0 as f64, sums(&decisions, 1).0 as f64);
    assert!((slow / fast - 1.0).abs() < 0.02, "{slow} and {fast}");
    for decision in &decisions {
        let proof = decision.proof.as_ref().unwrap();
        assert_eq!((proof.objective, proof.method), (proof.bound, PROVEN));
        assert!(proof.without_floors.unwrap() >= proof.objective);
    }
    // At the price of the efficiency that floors alone would leave.
    let (_, floors) = slow_and_fast(&[], 200);
    assert!(sums(&floors, 0).0 + sums(&floors, 1).0 > sums(&decisions, 0).0 + sums(&decisions, 1).0);
}

#[test]
fn every_formulation_serves_gangs_changes_and_tenants_without_weight() {
    for formulation in ["f1", "f2", "f3"] {
        for loans in ["0", "1"] {
            let mut world =
                World::new(&[("P100", Layout::Whole, 6), ("V100-16", Layout::Uniform(4), 2)], &[1, 2, 0]);
            for tenant in [0, 0, 1, 2] {
                world.job(tenant, 1, 1e5, &[(0, 1, 1, 0.9), (1, 1, 1, 0.3), (1, 4, 1, 1.0)]);
            }
            let gang = world.job(1, 5, 1e5, &[(0, 1, 5, 1.0)]);
            let mut policy =
                policy(&[("formulation", formulation), ("loan_lambda", loans), ("hysteresis", "0")]);
            let mut ran = 0;
            for round in 0..40 {
                if round == 30 {
                    world.end(sts_sim::units::JobId(0));
                    world.end(sts_sim::units::JobId(1));
                }
                let decision = world.decide(policy.as_mut());
                let proof = decision.proof.unwrap();
                assert_eq!(proof.objective, proof.bound, "{formulation} {}", proof.method);
                ran += u32::from(decision.grants.iter().any(|grant| grant.job == gang));
            }
            assert!(ran > 10, "{formulation}: the gang ran in {ran} of 40 rounds");
        }
    }
}
