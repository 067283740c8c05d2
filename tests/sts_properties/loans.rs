//! Loans between tenants, over random rounds and through the policy.

use proptest::prelude::*;
use sts_sim::cluster::{Layout, MigMode};
use sts_sim::policy::sts::loans::{FINE, LoanTerms, Loans, QuotaUse};
use sts_sim::policy::sts::quota::{Claim, Quotas, TemporalLayer};
use sts_sim::policy::sts::resources::{Packing, Resources, TypeResources};
use sts_sim::units::{SimSpan, SimTime, TenantId};

use super::world::{World, policy};

const TENANTS: usize = 4;

/// What a tenant does with a type in a round: whether it takes part, and shares of what it can use and leave empty, in eighths.
type Deed = (bool, u32, u32, u32);

fn deeds() -> impl Strategy<Value = Vec<Vec<Deed>>> {
    let deed = (prop::bool::weighted(0.8), 0u32..9, 0u32..9, 0u32..3);
    prop::collection::vec(prop::collection::vec(deed, TENANTS), 1..40)
}

fn fine_sum(loans: &Loans, k: usize) -> i64 {
    (0..TENANTS as u32).map(|tenant| loans.balance(tenant, k)).sum::<i64>() + loans.pool(k)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn quotas_add_up_balances_cancel_and_caps_hold(
        rounds in deeds(),
        weights in prop::array::uniform4(1u64..5),
        lambda in 0.05f64..1.0,
        cap_rounds in 1u64..9,
        half_life in prop::option::of(100.0f64..5000.0),
    ) {
        let resources = Resources::new([(Packing::Slots, 3, 4), (Packing::MigA100, 5, 7)]);
        let types = resources.types();
        let terms = LoanTerms::new(lambda, cap_rounds, half_life.map(SimSpan::from_secs)).unwrap();
        let mut loans = Loans::new(terms, types, TENANTS);
        let mut layer = TemporalLayer::new(types.iter().map(TypeResources::units).collect(), TENANTS);
        let (mut own, mut quotas) = (Quotas::default(), Quotas::default());
        for (round, deeds) in (0i64..).zip(rounds) {
            let claims: Vec<Claim> = (0u32..).zip(weights).zip(&deeds)
                .filter(|(_, (active, ..))| *active)
                .map(|((tenant, weight), _)| Claim { tenant, weight })
                .collect();
            if claims.is_empty() {
                continue;
            }
            let absent: Vec<u32> = (0..TENANTS as u32).filter(|t| claims.iter().all(|c| c.tenant != *t)).collect();
            let before: Vec<i64> = absent.iter().map(|&tenant| loans.balance(tenant, 0)).collect();
            layer.next_round(&claims, &mut own);
            quotas.clone_from(&own);
            let demand: Vec<u32> = claims.iter().flat_map(|claim| {
                types.iter().map(move |t| t.units() * t.slots_per_unit() * deeds_of(claim) / 8)
            }).collect();
            fn deeds_of(claim: &Claim) -> u32 { 2 + claim.tenant * 2 }
            loans.begin_round(SimTime(round * 360_000_000), &claims, &demand, &mut quotas);
            let mut uses = Vec::new();
            let mut free: Vec<u32> = types.iter().map(|t| t.units() * t.slots_per_unit()).collect();
            for (i, claim) in claims.iter().enumerate() {
                let (_, uses_of, empty_of, banked) = deeds[claim.tenant as usize];
                for (k, of_type) in types.iter().enumerate() {
                    let slots = of_type.slots_per_unit();
                    prop_assert_eq!(i64::from(quotas.of(i)[k]), i64::from(own.of(i)[k]) + loans.moved(i, k));
                    let quota = quotas.of(i)[k] * slots;
                    let used = (of_type.units() * slots * uses_of / 16).min(free[k]);
                    free[k] -= used;
                    let banked = if banked == 2 { quota } else { 0 };
                    uses.push(QuotaUse { quota, used, empty: quota * empty_of / 8, banked, cut: 0 });
                }
            }
            for (k, of_type) in types.iter().enumerate() {
                let total: u32 = (0..claims.len()).map(|i| quotas.of(i)[k]).sum();
                prop_assert_eq!(total, of_type.units());
                prop_assert_eq!(fine_sum(&loans, k), 0);
                let phi_rounds = |claim: &Claim| {
                    let sum: u64 = claims.iter().map(|claim| claim.weight).sum();
                    let slots = u64::from(of_type.units() * of_type.slots_per_unit());
                    (cap_rounds * slots * claim.weight) as f64 / sum as f64
                };
                for claim in &claims {
                    let slots = loans.balance(claim.tenant, k).abs() as f64 / FINE as f64;
                    prop_assert!(slots <= phi_rounds(claim) + 1e-9);
                }
            }
            loans.end_round(&claims, &uses);
            for k in 0..types.len() {
                prop_assert_eq!(fine_sum(&loans, k), 0);
                for claim in &claims {
                    prop_assert!(loans.balance(claim.tenant, k).abs() <= loans.cap(claim.tenant, k));
                }
            }
            // Who is away gets nothing and never gains.
            for (&tenant, before) in absent.iter().zip(before) {
                let after = loans.balance(tenant, 0);
                prop_assert!(after.abs() <= before.abs() && after.signum() * before.signum() >= 0);
            }
        }
    }
}

/// Two tenants share eight slots; the first has little to do for ten rounds, then as much as the second.
fn after_ten_quiet_rounds(params: &[(&str, &str)]) -> Vec<(u32, i32)> {
    let mut world = World::new(&[("V100-16", Layout::Uniform(4), 2)], &[1, 1]);
    let job = [(0, 1, 1, 0.4), (0, 2, 1, 0.7), (0, 4, 1, 1.0)];
    let small = [(0, 1, 1, 0.4)];
    world.job(0, 1, 1e6, &small);
    for _ in 0..4 {
        world.job(1, 1, 1e6, &job);
    }
    let mut policy = policy(params);
    let mut of_first = Vec::new();
    for round in 0..30 {
        if round == 10 {
            for _ in 0..7 {
                world.job(0, 1, 1e6, &small);
            }
        }
        let decision = world.decide(policy.as_mut());
        assert_eq!(decision.ledger.iter().map(|row| row.quota_slots).sum::<u32>(), 8);
        assert!(decision.ledger.iter().all(|row| row.value >= row.floor));
        let row = decision.ledger.iter().find(|row| row.tenant == TenantId(0)).unwrap();
        of_first.push((row.quota_slots, row.loan_slots));
    }
    of_first
}

#[test]
fn a_tenant_gets_back_what_it_lent_and_no_more() {
    let base = [("objective", "throughput"), ("hysteresis", "0")];
    let forgetful = after_ten_quiet_rounds(&base);
    assert!(forgetful.iter().all(|&row| row == (4, 0)));
    let with_loans =
        after_ten_quiet_rounds(&[base[0], base[1], ("loan_lambda", "1"), ("loan_cap_rounds", "3")]);
    // It lends three of four slots a round, up to the cap of twelve, and then has all eight until that is paid back.
    let quiet: Vec<i32> = with_loans[..10].iter().map(|&(_, loan)| loan).collect();
    assert_eq!(quiet, [3, 6, 9, 12, 12, 12, 12, 12, 12, 12]);
    assert_eq!(with_loans[10..14], [(8, 8), (8, 4), (8, 0), (4, 0)]);
    assert_eq!(with_loans[29], (4, 0));
}

#[test]
fn loans_stay_true_where_packing_is_strict_and_gangs_save() {
    let mut world =
        World::new(&[("A100-80", Layout::Mig(MigMode::Strict), 4), ("P100", Layout::Whole, 6)], &[1, 2, 1]);
    for i in 0..6u32 {
        world.job(i % 3, 1, 1e6, &[(0, 1, 1, 0.2), (0, 3, 1, 0.6), (0, 7, 1, 1.0), (1, 1, 1, 0.5)]);
    }
    let gang = world.job(2, 5, 1e6, &[(1, 1, 5, 1.0)]);
    for &job in &[2usize, 5] {
        world.end(sts_sim::units::JobId(job as u32));
    }
    let mut policy = policy(&[("hysteresis", "0"), ("loan_lambda", "0.8"), ("loan_half_life_s", "7200")]);
    let mut ran = 0;
    for _ in 0..60 {
        let decision = world.decide(policy.as_mut());
        for (k, total) in [(0u16, 28), (1, 6)] {
            let of_type = decision.ledger.iter().filter(|row| row.type_id.0 == k);
            assert_eq!(of_type.map(|row| row.quota_slots).sum::<u32>(), total);
        }
        assert!(decision.ledger.iter().all(|row| row.value >= row.floor));
        ran += u32::from(decision.grants.iter().any(|grant| grant.job == gang));
    }
    // A quarter of six GPUs is due: five of them every three or four rounds.
    assert!(ran >= 16, "{ran} of 60 rounds");
}
