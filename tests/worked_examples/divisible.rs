//! Divisible examples on a matrix of speeds.

use std::collections::BTreeMap;

use sts_sim::solve::answer::{AnswerStatus, Measure};
use sts_sim::solve::{Instance, SolveError, solve};

use crate::instances::{
    close, divisible, envy, objective, one_at_a_time, properties, rates, ratios, solved, solved_with,
};

/// Rates by user and type.
type Rows<'r> = &'r [&'r [f64]];

fn g1() -> Instance {
    one_at_a_time(&[&[40.0, 10.0], &[12.0, 4.0], &[100.0, 50.0]], &[1, 1])
}

fn s1() -> Instance {
    divisible(&[&[1.0, 2.0], &[1.0, 5.0]], &[1, 1])
}

fn s2() -> Instance {
    divisible(&[&[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]], &[1, 1])
}

#[test]
fn g1_gavels_three_jobs() {
    let limited = g1();
    let equal = solved(&limited, "equal-split");
    rates(&equal, &[50.0 / 3.0, 16.0 / 3.0, 50.0]);
    ratios(&equal, &[1.0; 3]);
    properties(&equal, "yyn");
    for policy in ["gavel-max-min", "gavel-water-filling", "max-min"] {
        let fair = solved(&limited, policy);
        assert_eq!(fair.measure, Measure::LeastRatio);
        objective(&fair, 12.0 / 11.0);
        rates(&fair, &[200.0 / 11.0, 64.0 / 11.0, 600.0 / 11.0]);
        ratios(&fair, &[12.0 / 11.0; 3]);
        properties(&fair, "yny");
        close(envy(&fair, 0, 1), 10.0 / 11.0);
    }
    let unlimited = divisible(&[&[40.0, 10.0], &[12.0, 4.0], &[100.0, 50.0]], &[1, 1]);
    let fair = solved(&unlimited, "max-min");
    objective(&fair, 54.0 / 49.0);
    rates(&fair, &[900.0 / 49.0, 288.0 / 49.0, 2700.0 / 49.0]);
    properties(&fair, "yny");
    close(envy(&fair, 0, 1), 60.0 / 49.0);
    for policy in ["max-sum", "gavel-max-sum"] {
        let greatest = solved(&unlimited, policy);
        objective(&greatest, 150.0);
        rates(&greatest, &[0.0, 0.0, 150.0]);
        ratios(&greatest, &[0.0, 0.0, 3.0]);
        properties(&greatest, "nny");
    }
    let fair = solved(&unlimited, "max-sum-si");
    objective(&fair, 773.0 / 9.0);
    rates(&fair, &[50.0 / 3.0, 16.0 / 3.0, 575.0 / 9.0]);
    ratios(&fair, &[1.0, 1.0, 23.0 / 18.0]);
    properties(&fair, "yny");
    for instance in [&limited, &unlimited] {
        let nash = solved(instance, "nash");
        objective(&nash, 6000.0);
        rates(&nash, &[20.0, 6.0, 50.0]);
        ratios(&nash, &[6.0 / 5.0, 9.0 / 8.0, 1.0]);
        properties(&nash, "yyy");
    }
    for policy in ["partial-allocation", "themis"] {
        let kept = solved(&unlimited, policy);
        rates(&kept, &[80.0 / 9.0, 8.0 / 3.0, 225.0 / 8.0]);
        for (tenant, f) in kept.tenants.iter().zip([4.0 / 9.0, 4.0 / 9.0, 9.0 / 16.0]) {
            close(tenant.kept.unwrap(), f);
        }
    }
    // Equal parts of what a whole V100 would do; divided by the rate on the slow type they are equal at another point.
    let equal = solved_with(&unlimited, "equal-throughput", &[("normalise", "fastest")]);
    objective(&equal, 3.0 / 2.0);
    rates(&equal, &[20.0, 6.0, 50.0]);
    let equal = solved(&unlimited, "equal-throughput");
    objective(&equal, 54.0 / 13.0);
    rates(&equal, &[180.0 / 13.0, 72.0 / 13.0, 900.0 / 13.0]);
}

#[test]
fn p1_to_p4_isolated_throughput_with_normalised_rows() {
    let normalised = [("normalise", "sum")];
    let cases: [(Rows<'_>, f64, &[f64]); 4] = [
        (&[&[1.0, 2.0], &[2.0, 1.0]], 4.0 / 3.0, &[2.0 / 3.0, 2.0 / 3.0]),
        (&[&[1.0, 2.0], &[1.0, 1.0]], 7.0 / 6.0, &[2.0 / 3.0, 0.5]),
        (&[&[1.0, 2.0], &[10.0, 10.0]], 7.0 / 6.0, &[2.0 / 3.0, 0.5]),
        (&[&[1.0, 2.0], &[2.0, 1.0], &[1.0, 1.0]], 11.0 / 9.0, &[1.0 / 3.0, 5.0 / 9.0, 1.0 / 3.0]),
    ];
    for (i, (matrix, sum, own)) in cases.into_iter().enumerate() {
        let answer = solved_with(&divisible(matrix, &[1, 1]), "max-sum-si", &normalised);
        objective(&answer, sum);
        // The fourth example is symmetric in its first two tenants: either may have more.
        if i < 3 {
            for (tenant, (row, own)) in answer.tenants.iter().zip(matrix.iter().zip(own)) {
                close(tenant.rate.unwrap() / row.iter().sum::<f64>(), *own);
            }
        }
        assert_eq!(answer.properties.sharing_incentive, Some(true));
    }
    // The raw rates.
    let cases: [(Rows<'_>, f64); 3] = [
        (&[&[1.0, 2.0], &[2.0, 1.0]], 4.0 / 3.0),
        (&[&[1.0, 2.0], &[1.0, 1.0]], 8.0 / 7.0),
        (&[&[1.0, 2.0], &[2.0, 1.0], &[2.0, 2.0]], 6.0 / 5.0),
    ];
    for (matrix, least) in cases {
        let answer = solved(&divisible(matrix, &[1, 1]), "max-min");
        objective(&answer, least);
        properties(&answer, "yyy");
    }
}

#[test]
fn s1_two_users() {
    let instance = s1();
    let equal = solved(&instance, "equal-split");
    rates(&equal, &[1.5, 3.0]);
    properties(&equal, "yyn");
    let greatest = solved(&instance, "max-sum");
    objective(&greatest, 6.0);
    // The slow device is worth the same to both, so that the first has 1 at most.
    assert!(greatest.tenants[0].si_ratio.unwrap() < 2.0 / 3.0 + 1e-6);
    properties(&greatest, "nny");
    for policy in ["max-sum-si", "max-sum-ef", "max-sum-si-ef", "oef-coop"] {
        let fair = solved(&instance, policy);
        objective(&fair, 21.0 / 4.0);
        rates(&fair, &[1.5, 15.0 / 4.0]);
        ratios(&fair, &[1.0, 5.0 / 4.0]);
        properties(&fair, "yyy");
    }
    let nash = solved(&instance, "nash");
    objective(&nash, 45.0 / 8.0);
    rates(&nash, &[1.5, 15.0 / 4.0]);
    let fair = solved(&instance, "max-min");
    objective(&fair, 10.0 / 9.0);
    rates(&fair, &[5.0 / 3.0, 10.0 / 3.0]);
    properties(&fair, "yyy");
    for policy in ["equal-throughput", "oef-noncoop"] {
        let equal = solved(&instance, policy);
        objective(&equal, 30.0 / 7.0);
        rates(&equal, &[15.0 / 7.0, 15.0 / 7.0]);
        ratios(&equal, &[10.0 / 7.0, 5.0 / 7.0]);
        properties(&equal, "nny");
    }
    let limited = solved(&one_at_a_time(&[&[1.0, 2.0], &[1.0, 5.0]], &[1, 1]), "max-min");
    objective(&limited, 1.0);
    rates(&limited, &[1.5, 3.0]);
    properties(&limited, "yyy");
    let kept = solved(&instance, "partial-allocation");
    rates(&kept, &[15.0 / 16.0, 15.0 / 8.0]);
    close(kept.tenants[0].kept.unwrap(), 5.0 / 8.0);
    close(kept.tenants[1].kept.unwrap(), 1.0 / 2.0);
    let own: Vec<f64> = nash.tenants.iter().map(|tenant| tenant.rate.unwrap()).collect();
    let si: Vec<f64> = nash.tenants.iter().map(|tenant| tenant.si_ratio.unwrap()).collect();
    close(sts_sim::metrics::distribution::jain(&own).unwrap(), 49.0 / 58.0);
    close(sts_sim::metrics::distribution::jain(&si).unwrap(), 81.0 / 82.0);
}

#[test]
fn s2_three_users() {
    let instance = s2();
    let equal = solved(&instance, "equal-split");
    rates(&equal, &[1.0, 4.0 / 3.0, 5.0 / 3.0]);
    properties(&equal, "yyn");
    let greatest = solved(&instance, "max-sum");
    objective(&greatest, 5.0);
    assert_eq!(greatest.properties.envy_free, Some(false));
    let fair = solved(&instance, "max-sum-si");
    objective(&fair, 41.0 / 9.0);
    rates(&fair, &[1.0, 4.0 / 3.0, 20.0 / 9.0]);
    ratios(&fair, &[1.0, 1.0, 4.0 / 3.0]);
    properties(&fair, "yny");
    close(envy(&fair, 0, 2), 1.0 / 9.0);
    close(envy(&fair, 1, 2), 1.0 / 3.0);
    for policy in ["max-sum-ef", "oef-coop", "max-sum-si-ef"] {
        let fair = solved(&instance, policy);
        objective(&fair, 9.0 / 2.0);
        rates(&fair, &[1.0, 1.5, 2.0]);
        properties(&fair, "yyy");
    }
    let nash = solved(&instance, "nash");
    objective(&nash, 3.0);
    rates(&nash, &[1.0, 1.5, 2.0]);
    ratios(&nash, &[1.0, 9.0 / 8.0, 6.0 / 5.0]);
    let fair = solved(&instance, "max-min");
    objective(&fair, 54.0 / 49.0);
    rates(&fair, &[54.0 / 49.0, 72.0 / 49.0, 90.0 / 49.0]);
    properties(&fair, "yny");
    close(envy(&fair, 2, 1), 6.0 / 49.0);
    let limited = one_at_a_time(&[&[1.0, 2.0], &[1.0, 3.0], &[1.0, 4.0]], &[1, 1]);
    let fair = solved(&limited, "max-min");
    objective(&fair, 12.0 / 11.0);
    rates(&fair, &[12.0 / 11.0, 16.0 / 11.0, 20.0 / 11.0]);
    properties(&fair, "yny");
    close(envy(&fair, 2, 1), 1.0 / 11.0);
    let equal = solved(&instance, "oef-noncoop");
    objective(&equal, 54.0 / 13.0);
    rates(&equal, &[18.0 / 13.0; 3]);
    ratios(&equal, &[18.0 / 13.0, 27.0 / 26.0, 54.0 / 65.0]);
    properties(&equal, "nny");
    let kept = solved(&instance, "themis");
    rates(&kept, &[9.0 / 16.0, 2.0 / 3.0, 8.0 / 9.0]);
}

#[test]
fn s4_identical_users_are_treated_alike() {
    let instance = divisible(&[&[1.0, 3.0][..]; 3], &[3, 3]);
    for policy in ["max-sum-si", "max-sum-ef", "max-min", "nash", "equal-throughput", "gandiva-fair"] {
        let answer = solved(&instance, policy);
        rates(&answer, &[4.0; 3]);
        assert_eq!(answer.properties.pareto_efficient, Some(true), "{policy}");
    }
    objective(&solved(&instance, "max-sum"), 12.0);
    // Where all rows are proportional, the equal split is efficient.
    properties(&solved(&instance, "equal-split"), "yyy");
}

#[test]
fn s5_trading_helps_both_sides() {
    let instance = divisible(&[&[1.0, 1.25], &[1.0, 5.0]], &[4, 4]);
    rates(&solved(&instance, "equal-split"), &[4.5, 12.0]);
    for policy in ["max-sum-si", "max-sum-ef"] {
        let fair = solved(&instance, policy);
        objective(&fair, 45.0 / 2.0);
        rates(&fair, &[4.5, 18.0]);
    }
    rates(&solved(&instance, "nash"), &[4.5, 18.0]);
    let fair = solved(&instance, "max-min");
    objective(&fair, 6.0 / 5.0);
    rates(&fair, &[27.0 / 5.0, 72.0 / 5.0]);
    let greatest = solved(&instance, "max-sum");
    objective(&greatest, 24.0);
    assert!(greatest.tenants[0].si_ratio.unwrap() < 8.0 / 9.0 + 1e-6);
    assert_eq!(greatest.properties.sharing_incentive, Some(false));
    // One fast device costs sqrt(1.25 * 5) = 2.5 slow ones: the seller gets all four slow ones for 0.8 fast ones, and both gain.
    let traded = solved(&instance, "gandiva-fair");
    rates(&traded, &[5.5, 14.0]);
    assert_eq!(traded.properties.sharing_incentive, Some(true));
    let fast: Vec<f64> =
        traded.allocation.iter().filter(|a| a.gpu == "t1").map(|a| a.share.unwrap()).collect();
    close(fast[0], 1.2);
    close(fast[1], 2.8);
}

/// A trade of one fast device for `price` slow ones from the equal split.
#[test]
fn s5_one_for_many_pays_between_the_speedups() {
    let gains = |price: f64| {
        let (fast, slow) = (0.5, 0.5 * price);
        let seller = -1.25 * fast + slow;
        let buyer = 5.0 * fast - slow;
        (seller, buyer)
    };
    for (price, seller_gains, buyer_gains) in
        [(1.2, false, true), (1.26, true, true), (4.99, true, true), (5.01, true, false)]
    {
        let (seller, buyer) = gains(price);
        assert_eq!((seller > 0.0, buyer > 0.0), (seller_gains, buyer_gains), "{price}");
    }
    assert!(gains(1.25).0.abs() < 1e-12 && gains(5.0).1.abs() < 1e-12);
}

#[test]
fn weights_scale_entitlements() {
    let mut instance = s1();
    instance.tenants[1].weight = 3.0;
    let equal = solved(&instance, "equal-split");
    rates(&equal, &[0.75, 4.5]);
    properties(&equal, "yyn");
    assert_eq!(solved(&instance, "proportional").allocation, equal.allocation);
    assert_eq!(solved(&instance, "drf").allocation, equal.allocation);
    // Replicating a tenant of weight 3 three times, as its definition says.
    let mut replicated = divisible(&[&[1.0, 2.0], &[1.0, 5.0], &[1.0, 5.0], &[1.0, 5.0]], &[1, 1]);
    close(
        solved(&instance, "max-sum-ef").objective.unwrap(),
        solved(&replicated, "max-sum-ef").objective.unwrap(),
    );
    for policy in ["nash", "max-min"] {
        let weighted = solved(&instance, policy);
        let several = solved(&replicated, policy);
        close(weighted.tenants[0].rate.unwrap(), several.tenants[0].rate.unwrap());
        let together: f64 = several.tenants[1..].iter().map(|tenant| tenant.rate.unwrap()).sum();
        close(weighted.tenants[1].rate.unwrap(), together);
    }
    // Nobody is entitled through a weight of zero, and nobody else loses by it.
    replicated.tenants[3].weight = 0.0;
    let nash = solved(&replicated, "nash");
    close(nash.tenants[3].rate.unwrap(), 0.0);
    assert_eq!(nash.tenants[3].si_ratio, None);
    assert_eq!(nash.status, AnswerStatus::Optimal);
}

#[test]
fn policies_that_cannot_divide_say_why() {
    for (policy, words) in [
        ("sts-fairness", "whole slots"),
        ("brute-force", "infinitely many"),
        ("fifo", "a tenant with rates has none"),
        ("srtf", "give the tenants jobs"),
    ] {
        let error = solve(&s1(), policy, &BTreeMap::new()).unwrap_err();
        assert!(matches!(error, SolveError::Refused { .. }), "{policy}: {error}");
        assert!(error.to_string().contains(words), "{policy}: {error}");
    }
    let error = solve(&s1(), "best", &BTreeMap::new()).unwrap_err().to_string();
    assert!(error.contains("max-sum-si-ef") && error.contains("srtf"), "{error}");
}

#[test]
fn degenerate_divisions_are_answered() {
    let policies = [
        "equal-split",
        "max-sum",
        "max-sum-si",
        "max-sum-ef",
        "max-sum-si-ef",
        "max-min",
        "nash",
        "equal-throughput",
        "partial-allocation",
        "gavel-max-min",
        "gandiva-fair",
    ];
    let worthless = divisible(&[&[0.0, 0.0], &[1.0, 0.0]], &[2, 0]);
    let mut idle = divisible(&[&[1.0, 0.0], &[2.0, 0.0]], &[2, 3]);
    idle.tenants[0].max_total_share = Some(0.0);
    let nothing = divisible(&[&[1.0]], &[0]);
    for policy in policies {
        for instance in [&worthless, &idle, &nothing] {
            let answer = solved(instance, policy);
            assert_eq!(answer.status, AnswerStatus::Optimal, "{policy} {instance:?}: {answer:?}");
        }
        let answer = solved(&worthless, policy);
        close(answer.tenants[1].rate.unwrap(), 2.0);
    }
}
