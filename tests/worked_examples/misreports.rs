//! Whether false reports pay.

use std::collections::BTreeMap;

use sts_sim::policy::param::ParamValue;
use sts_sim::solve::misreport::MisreportSearch;
use sts_sim::solve::{Instance, misreports, solve};

use crate::instances::{close, divisible, fixture, objective, solved, solved_with, word};

fn search(
    instance: &Instance,
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
    random: u32,
) -> MisreportSearch {
    let mut answer = solve(instance, policy, params).unwrap();
    misreports(instance, policy, params, random, &mut answer).unwrap();
    let search = answer.misreports.unwrap();
    let gains = search.tenants.iter().any(|best| best.report.is_some());
    assert_eq!(answer.properties.strategy_proof, gains.then_some(false));
    assert_eq!(search.undecided, 0);
    search
}

/// The third of three tenants that are all indifferent or nearly so.
fn truth() -> Instance {
    divisible(&[&[2.0, 1.0], &[1.0, 1.0], &[1.0, 1.0]], &[1, 1])
}

#[test]
fn p3_faking_demand_pays_where_the_sum_is_maximised() {
    let params = word("normalise", "sum");
    let honest = solved_with(&truth(), "max-sum-si", &[("normalise", "sum")]);
    objective(&honest, 10.0 / 9.0);
    close(honest.tenants[2].rate.unwrap() / 2.0, 1.0 / 3.0);
    let faked = divisible(&[&[2.0, 1.0], &[1.0, 1.0], &[1.0, 3.0]], &[1, 1]);
    let faked = solved_with(&faked, "max-sum-si", &[("normalise", "sum")]);
    objective(&faked, 31.0 / 24.0);
    let true_rate: f64 =
        faked.allocation.iter().filter(|row| row.tenant == "u2").map(|row| row.share.unwrap()).sum();
    close(true_rate / 2.0, 5.0 / 12.0);
    // The search finds that report, or a better one, by itself.
    let found = search(&truth(), "max-sum-si", &params, 0);
    assert!(found.tenants[2].gain.unwrap() > 0.25 - 1e-6, "{found:?}");
    assert!(found.best_gain > 0.25 - 1e-6);
    let best = &found.tenants[2];
    close(best.truthful_rate / 2.0, 1.0 / 3.0);
    assert!(best.report.is_some() && best.reported.as_ref().unwrap().rates.is_some());
}

#[test]
fn p3_nothing_is_gained_where_the_report_does_not_count_or_everybody_gets_the_same() {
    let examples = [
        truth(),
        divisible(&[&[1.0, 2.0], &[1.0, 5.0]], &[1, 1]),
        divisible(&[&[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]], &[1, 1]),
    ];
    for instance in &examples {
        let found = search(instance, "equal-split", &BTreeMap::new(), 20);
        assert_eq!(found.best_gain, 0.0, "{found:?}");
        assert!(found.tried > 60);
        let found = search(instance, "partial-allocation", &BTreeMap::new(), 20);
        assert!(found.best_gain < 1e-6, "{found:?}");
    }
}

/// Overstating a speedup over the slowest type, which is the same for all, never pays under equal throughput: who claims to be fast
/// needs fewer devices for the same. Understating does, as long as a tenant still seems to gain most from the fast type.
#[test]
fn p3_overstated_speedups_gain_nothing_under_equal_throughput() {
    let examples: [&[&[f64]]; 3] = [
        &[&[1.0, 2.0], &[1.0, 1.0], &[1.0, 1.0]],
        &[&[1.0, 2.0], &[1.0, 5.0]],
        &[&[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]],
    ];
    for rows in examples {
        let honest = solved(&divisible(rows, &[1, 1]), "oef-noncoop");
        let mut understated_pays = false;
        for (user, truth) in rows.iter().enumerate() {
            for speedup in [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 9.0, 20.0] {
                let report = [1.0, speedup];
                let mut reported = rows.to_vec();
                reported[user] = &report;
                let answer = solved(&divisible(&reported, &[1, 1]), "oef-noncoop");
                let own = answer.allocation.iter().filter(|row| row.tenant == format!("u{user}"));
                let rate = |gpu: &str| if gpu == "t0" { truth[0] } else { truth[1] };
                let gained: f64 = own.map(|row| row.share.unwrap() * rate(&row.gpu)).sum();
                let gains = gained > honest.tenants[user].rate.unwrap() * (1.0 + 1e-6);
                assert!(!gains || speedup < truth[1], "{rows:?}: u{user} says {speedup}");
                understated_pays |= gains;
            }
        }
        assert!(understated_pays, "{rows:?}");
    }
    // It can also pay to deny the slowest type, which changes the unit in which a tenant is measured.
    let found = search(&truth(), "oef-noncoop", &BTreeMap::new(), 0);
    assert!(found.tenants[0].gain.unwrap() > 0.5, "{found:?}");
}

#[test]
fn whole_slots_are_searched_too() {
    let instance = fixture("i1.json");
    let equal = search(&instance, "equal-split", &BTreeMap::new(), 4);
    assert_eq!(equal.best_gain, 0.0, "{equal:?}");
    let greatest = search(&instance, "max-sum", &BTreeMap::new(), 4);
    // Claiming three times the speed wins slots.
    assert!(greatest.best_gain > 0.0);
    let winner = greatest.tenants.iter().find(|best| best.report.is_some()).unwrap();
    assert!(winner.rate > winner.truthful_rate && winner.reported.as_ref().unwrap().jobs.is_some());
    let again = search(&instance, "max-sum", &BTreeMap::new(), 4);
    assert_eq!(again, greatest, "the same reports every time");
}
