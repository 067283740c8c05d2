//! Laws that hold for any instance, on random ones.

use proptest::prelude::*;
use sts_sim::cluster::SliceMemory;
use sts_sim::solve::answer::{Answer, AnswerStatus};
use sts_sim::solve::instance::{InstanceJob, InstanceLayout, InstanceOption, InstanceTenant, InstanceType};
use sts_sim::solve::{Instance, solve};

use crate::instances::{divisible, solved, word};

/// Two to four users with rates of 1 to 9 on two or three types of one to three devices.
fn markets() -> impl Strategy<Value = Instance> {
    (2usize..=3).prop_flat_map(|types| {
        let row = prop::collection::vec(1u32..=9, types);
        let devices = prop::collection::vec(1u32..=3, types);
        (prop::collection::vec(row, 2..=4), devices).prop_map(|(rows, devices)| {
            let rows: Vec<Vec<f64>> =
                rows.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect();
            let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            divisible(&rows, &devices)
        })
    })
}

/// Two or three users on two types with four slots at most each, rates of 1 to 9 a slot, as many slots of each type as they like.
fn slots() -> impl Strategy<Value = Instance> {
    let rows = prop::collection::vec((1u32..=9, 1u32..=9), 2..=3);
    (rows, 1u32..=4, 1u32..=4).prop_map(|(rows, slow, fast)| whole_slots(&rows, [slow, fast]))
}

fn whole_slots(rows: &[(u32, u32)], slots: [u32; 2]) -> Instance {
    let types = ["slow", "fast"].iter().zip(slots).map(|(name, slots)| InstanceType {
        name: (*name).to_string(),
        devices: 1,
        slots_per_device: slots,
        layout: InstanceLayout::Uniform,
    });
    let tenants = rows.iter().enumerate().map(|(user, &(slow, fast))| {
        let job = |name: &str, rate: u32, most: u32| InstanceJob {
            name: name.to_string(),
            options: (1..=most)
                .map(|slots| InstanceOption {
                    gpu: name.to_string(),
                    slots,
                    memory: SliceMemory::Plain,
                    devices: 1,
                    rate: f64::from(rate * slots),
                })
                .collect(),
            remaining_s: None,
            previous: None,
        };
        InstanceTenant {
            name: format!("u{user}"),
            weight: 1.0,
            jobs: Some(vec![job("slow", slow, slots[0]), job("fast", fast, slots[1])]),
            rates: None,
            max_total_share: None,
        }
    });
    Instance { types: types.collect(), tenants: tenants.collect(), quotas: None, optimal: None, floors: None }
}

fn value(instance: &Instance, policy: &str) -> f64 {
    let answer = solved(instance, policy);
    assert_eq!(answer.status, AnswerStatus::Optimal, "{policy}: {answer:?}");
    let (objective, bound) = (answer.objective.unwrap(), answer.bound.unwrap());
    assert!(bound >= objective - 1e-9 && answer.gap.unwrap() <= 1e-7, "{policy}: {objective} of {bound}");
    objective
}

/// Whether everything that is worth something is held.
fn is_full(instance: &Instance, answer: &Answer) -> bool {
    instance.types.iter().all(|t| {
        let held: f64 = answer.allocation.iter().filter(|a| a.gpu == t.name).map(|a| a.share.unwrap()).sum();
        held > f64::from(t.devices) - 1e-6
    })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-6 * a.abs().max(b.abs()).max(1.0)
}

const OBJECTIVES: [&str; 4] = ["max-sum", "max-sum-si", "max-min", "nash"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn law_1_no_envy_and_nothing_idle_is_sharing_incentive(instance in markets()) {
        for policy in ["max-sum-ef", "nash", "max-sum-si", "max-min", "equal-split", "equal-throughput", "gandiva-fair"] {
            let answer = solved(&instance, policy);
            if answer.properties.envy_free == Some(true) && is_full(&instance, &answer) {
                prop_assert_eq!(answer.properties.sharing_incentive, Some(true), "{}", policy);
            }
        }
        let coop = solved(&instance, "oef-coop");
        prop_assert_eq!(coop.properties.envy_free, Some(true));
        let nash = solved(&instance, "nash");
        prop_assert_eq!(nash.properties.envy_free, Some(true), "{:?}", nash);
        prop_assert_eq!(nash.properties.pareto_efficient, Some(true), "{:?}", nash);
        let traded = solved(&instance, "gandiva-fair");
        prop_assert_eq!(traded.properties.sharing_incentive, Some(true));
    }

    #[test]
    fn law_2_the_equal_split_is_efficient_where_rows_are_proportional(instance in markets()) {
        let equal = solved(&instance, "equal-split");
        prop_assert_eq!(equal.properties.sharing_incentive, Some(true));
        prop_assert_eq!(equal.properties.envy_free, Some(true));
        let rows: Vec<Vec<f64>> =
            instance.tenants.iter().map(|t| t.rates.as_ref().unwrap().values().copied().collect()).collect();
        let proportional = rows.iter().all(|row| {
            (0..row.len()).all(|k| (row[k] * rows[0][0] - rows[0][k] * row[0]).abs() < 1e-9)
        });
        prop_assert_eq!(equal.properties.pareto_efficient, Some(proportional));
    }

    #[test]
    fn law_3_identical_rows_share_equally(row in prop::collection::vec(1u32..=9, 2..=3), users in 2usize..=4) {
        let row: Vec<f64> = row.into_iter().map(f64::from).collect();
        let instance = divisible(&vec![row.as_slice(); users], &vec![2; row.len()]);
        let due = 2.0 * row.iter().sum::<f64>() / users as f64;
        for policy in ["max-sum-si", "max-sum-ef", "max-min", "nash", "equal-throughput", "gavel-max-min"] {
            for tenant in solved(&instance, policy).tenants {
                prop_assert!(close(tenant.rate.unwrap(), due), "{}: {:?}", policy, tenant);
            }
        }
    }

    #[test]
    fn law_4_every_demand_costs(instance in markets()) {
        let [greatest, si, ef] = ["max-sum", "max-sum-si", "max-sum-ef"].map(|policy| value(&instance, policy));
        let both = value(&instance, "max-sum-si-ef");
        let equal = value(&instance, "equal-split");
        let slack = 1e-6 * greatest;
        prop_assert!(greatest >= si - slack && greatest >= ef - slack);
        prop_assert!(si >= both - slack && ef >= both - slack && both >= equal - slack);
    }

    #[test]
    fn law_5_names_and_units_do_not_count(instance in markets(), by in 2u32..=7) {
        let mut relabelled = instance.clone();
        relabelled.tenants.reverse();
        relabelled.types.reverse();
        for policy in OBJECTIVES {
            prop_assert!(close(value(&relabelled, policy), value(&instance, policy)), "{}", policy);
        }
        let mut scaled = instance.clone();
        for rate in scaled.tenants[0].rates.as_mut().unwrap().values_mut() {
            *rate *= f64::from(by);
        }
        prop_assert!(close(value(&scaled, "max-min"), value(&instance, "max-min")));
        prop_assert!(close(value(&scaled, "nash"), f64::from(by) * value(&instance, "nash")));
        for policy in ["max-min", "nash"] {
            let (before, after) = (solved(&instance, policy), solved(&scaled, policy));
            for (before, after) in before.tenants.iter().zip(&after.tenants) {
                let (before, after) = (before.si_ratio.unwrap(), after.si_ratio.unwrap());
                prop_assert!(close(before, after), "{}: {} and {}", policy, before, after);
            }
        }
        // Sharing incentive and envy are about ratios too: the same allocations have them.
        for policy in ["equal-split", "nash"] {
            let (before, after) = (solved(&instance, policy).properties, solved(&scaled, policy).properties);
            prop_assert_eq!(before.sharing_incentive, after.sharing_incentive);
            prop_assert_eq!(before.envy_free, after.envy_free);
        }
    }

    #[test]
    fn law_6_another_gpu_lowers_no_objective(instance in markets(), which in 0usize..3) {
        let mut larger = instance.clone();
        let which = which % larger.types.len();
        larger.types[which].devices += 1;
        for policy in ["max-sum", "nash", "equal-throughput"] {
            let (before, after) = (value(&instance, policy), value(&larger, policy));
            prop_assert!(after >= before * (1.0 - 1e-6), "{}: {} and {}", policy, before, after);
        }
    }

    #[test]
    fn every_division_is_proven_whatever_the_weights_limits_and_zeroes(
        rows in prop::collection::vec(prop::collection::vec(0u32..=5, 4), 1..=6),
        devices in prop::collection::vec(0u32..=3, 4),
        weights in prop::collection::vec(0u32..=3, 6),
        limits in prop::collection::vec(prop::option::of(0u32..=3), 6),
    ) {
        let rows: Vec<Vec<f64>> =
            rows.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut instance = divisible(&rows, &devices);
        for ((tenant, weight), limit) in instance.tenants.iter_mut().zip(weights).zip(limits) {
            tenant.weight = f64::from(weight);
            tenant.max_total_share = limit.map(f64::from);
        }
        for policy in ["equal-split", "max-sum", "max-sum-si", "max-min", "gavel-max-min", "nash", "equal-throughput", "gandiva-fair", "partial-allocation", "max-sum-ef"] {
            let answer = solved(&instance, policy);
            // With limits that differ, envy within them is not linear, and the answer may be short of its bound.
            let proven = policy != "max-sum-ef" || instance.tenants.iter().all(|t| t.max_total_share.is_none());
            prop_assert!(!proven || answer.status == AnswerStatus::Optimal, "{}: {:?}", policy, answer);
            for (k, of_type) in instance.types.iter().enumerate() {
                let held: f64 =
                    answer.allocation.iter().filter(|a| a.gpu == format!("t{k}")).map(|a| a.share.unwrap()).sum();
                prop_assert!(held <= f64::from(of_type.devices) + 1e-8, "{}: {:?}", policy, answer);
            }
            for tenant in &instance.tenants {
                let held: f64 =
                    answer.allocation.iter().filter(|a| a.tenant == tenant.name).map(|a| a.share.unwrap()).sum();
                prop_assert!(held <= tenant.max_total_share.unwrap_or(f64::INFINITY) + 1e-8, "{}", policy);
            }
            let fair = answer.properties.sharing_incentive;
            let efficient = answer.properties.pareto_efficient;
            match policy {
                "equal-split" | "max-sum-si" | "max-min" | "gavel-max-min" | "gandiva-fair" => {
                    prop_assert_eq!(fair, Some(true), "{}: {:?}", policy, answer);
                }
                "max-sum-ef" => prop_assert_eq!(answer.properties.envy_free, Some(true), "{:?}", answer),
                _ => {}
            }
            if matches!(policy, "max-sum" | "max-sum-si" | "max-min") {
                prop_assert_eq!(efficient, Some(true), "{}: {:?}", policy, answer);
            }
        }
    }

    #[test]
    fn law_7_whole_slots_reach_no_more_than_parts_and_as_much_as_enumeration(instance in slots()) {
        let rates = |t: &InstanceTenant| -> Vec<f64> {
            t.jobs.iter().flatten().map(|job| job.options[0].rate).collect()
        };
        let rows: Vec<Vec<f64>> = instance.tenants.iter().map(rates).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let devices: Vec<u32> = instance.types.iter().map(|t| t.slots_per_device).collect();
        let divided = divisible(&rows, &devices);
        for policy in ["max-sum", "max-sum-si", "max-sum-ef", "max-sum-si-ef", "max-min", "nash", "equal-throughput", "sts-fairness"] {
            let whole = solved(&instance, policy);
            let brute = solve(&instance, "brute-force", &word("of", policy)).unwrap();
            prop_assert_eq!(whole.status, brute.status, "{}: {:?}", policy, whole);
            prop_assert_eq!(whole.objective, brute.objective, "{}", policy);
            if matches!(policy, "max-min" | "equal-throughput") {
                prop_assert_eq!(sorted(&instance, &whole, policy), sorted(&instance, &brute, policy), "{}", policy);
            }
            // The integer programs of sts-fairness and equal throughput are others than the divisible ones.
            if let (Some(whole), false) = (whole.objective, matches!(policy, "equal-throughput" | "sts-fairness")) {
                prop_assert!(whole <= value(&divided, policy) * (1.0 + 1e-6), "{}", policy);
            }
        }
    }
}

/// What a max-min policy compares, ascending.
fn sorted(instance: &Instance, answer: &Answer, policy: &str) -> Vec<f64> {
    let smallest = |user: usize| {
        let options = instance.tenants[user].jobs.iter().flatten().flat_map(|job| &job.options);
        options.map(|option| option.rate).fold(f64::INFINITY, f64::min)
    };
    let ratio = |(user, t): (usize, &sts_sim::solve::answer::TenantAnswer)| match policy {
        "max-min" => t.si_ratio.unwrap(),
        _ => t.rate.unwrap() / smallest(user),
    };
    let mut ratios: Vec<f64> = answer.tenants.iter().enumerate().map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

#[test]
fn law_6_the_least_ratio_may_fall_where_a_gpu_is_added() {
    let rows: [&[f64]; 2] = [&[1.0, 2.0], &[1.0, 5.0]];
    assert!(close(value(&divisible(&rows, &[1, 1]), "max-min"), 10.0 / 9.0));
    assert!(close(value(&divisible(&rows, &[1, 2]), "max-min"), 50.0 / 47.0));
}
