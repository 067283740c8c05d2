//! `sts solve` through its library door: worked examples, and brute force as the oracle of the exact programs.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sts_sim::cluster::SliceMemory;
use sts_sim::policy::param::ParamValue;
use sts_sim::solve::answer::{Answer, AnswerStatus, Property};
use sts_sim::solve::instance::{InstanceJob, InstanceLayout, InstanceOption, InstanceTenant, InstanceType};
use sts_sim::solve::{Instance, SolveError, solve};

fn fixture(name: &str) -> Instance {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/instances").join(name);
    Instance::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn solved(instance: &Instance, policy: &str) -> Answer {
    solve(instance, policy, &BTreeMap::new()).unwrap()
}

fn enumerated(instance: &Instance, of: &str) -> Answer {
    let params = BTreeMap::from([("of".to_string(), ParamValue::Word(of.to_string()))]);
    solve(instance, "brute-force", &params).unwrap()
}

#[track_caller]
fn assert_close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 2e-6, "{found} is not {expected}");
}

/// The exact program and brute force agree on everything but which of several optima they name.
#[track_caller]
fn assert_same_program(instance: &Instance) -> Answer {
    let exact = solved(instance, "sts-fairness");
    let brute = enumerated(instance, "sts-fairness");
    assert_eq!(exact.status, AnswerStatus::Optimal);
    assert_eq!(exact.objective, brute.objective);
    assert_eq!(exact.bound, brute.bound);
    assert_eq!(
        exact.tenants.iter().map(|t| t.floor).collect::<Vec<_>>(),
        brute.tenants.iter().map(|t| t.floor).collect::<Vec<_>>()
    );
    for tenant in exact.tenants.iter().chain(&brute.tenants) {
        assert!(tenant.rate >= tenant.floor, "{tenant:?}");
    }
    assert_eq!(exact.properties.pareto_efficient, Some(true));
    exact
}

#[test]
fn linear_tenants_on_two_types() {
    // Objective under max-sum; what each tenant has under the fair program; everybody's equal split.
    let cases: [(&str, f64, &[f64], &[f64]); 3] = [
        ("i1.json", 12.0, &[3.0, 6.0], &[3.0, 6.0]),
        ("i2.json", 15.0, &[3.0, 4.0, 5.0], &[3.0, 4.0, 5.0]),
        ("i2b.json", 20.0, &[4.0, 7.0, 5.0], &[4.0, 16.0 / 3.0, 20.0 / 3.0]),
    ];
    for (name, max_sum, fair, equal_split) in cases {
        let instance = fixture(name);
        let answer = assert_same_program(&instance);
        assert_close(answer.objective, fair.iter().sum());
        for ((tenant, &fair), &equal) in answer.tenants.iter().zip(fair).zip(equal_split) {
            assert_close(tenant.rate, fair);
            assert_close(tenant.equal_split_rate, equal);
            assert_close(tenant.si_ratio, fair / equal);
        }
        assert_close(solved(&instance, "max-sum").objective, max_sum);
        assert_close(enumerated(&instance, "max-sum").objective, max_sum);
    }
}

#[test]
fn the_equal_split_of_whole_slots_is_the_quota() {
    let answer = solved(&fixture("i1.json"), "equal-split");
    assert_eq!(answer.status, AnswerStatus::Optimal);
    assert_close(answer.tenants[0].rate, 3.0);
    assert_close(answer.tenants[1].rate, 6.0);
    assert_eq!(answer.properties.sharing_incentive, Some(true));
    assert_eq!(answer.properties.envy_free, Some(true));
    let answer = solved(&fixture("i2.json"), "equal-split");
    assert_eq!(answer.tenants.iter().map(|t| t.rate.unwrap()).collect::<Vec<_>>(), [3.0, 4.0, 5.0]);
}

#[test]
fn without_floors_a_tenant_can_fall_below_its_equal_split() {
    let answer = solved(&fixture("i1.json"), "max-sum");
    assert_eq!(answer.properties.sharing_incentive, Some(false));
    assert_eq!(answer.properties.envy_free, Some(false));
    assert_eq!(answer.properties.pareto_efficient, Some(true));
    let broken: Vec<_> =
        answer.properties.violations.iter().map(|v| (v.property, v.tenant.as_deref())).collect();
    assert!(broken.contains(&(Property::SharingIncentive, Some("u0"))), "{broken:?}");
    assert!(answer.tenants.iter().all(|tenant| tenant.floor.is_none()));
}

#[test]
fn saturating_curves_on_seven_slots() {
    let mut instance = fixture("i3.json");
    assert_close(solved(&instance, "max-sum").objective, 171.0 / 140.0);
    // The first round gives the odd slot to the first tenant, which is worth more to it than to the other.
    let first = assert_same_program(&instance);
    assert_close(first.objective, 0.77 + 3.0 / 7.0);
    let slots = |n| BTreeMap::from([("mig-like".to_string(), n)]);
    instance.quotas = Some(BTreeMap::from([("a".to_string(), slots(3)), ("b".to_string(), slots(4))]));
    let second = assert_same_program(&instance);
    assert_close(second.objective, 171.0 / 140.0);
    assert_eq!(second.allocation.iter().map(|a| a.slots.unwrap()).collect::<Vec<_>>(), [3, 4]);
    assert_close(second.tenants[0].si_ratio, 13.0 / 10.0);
    assert_close(second.tenants[1].si_ratio, 8.0 / 7.0);
    assert_eq!(second.properties.sharing_incentive, Some(true));
}

#[test]
fn three_three_one_slices_do_not_fit_one_a100() {
    let mut instance = fixture("mig1.json");
    let strict = assert_same_program(&instance);
    assert_close(strict.objective, 1.0);
    assert_close(strict.packing_gap, 0.0);
    instance.types[0].layout = InstanceLayout::Uniform;
    assert_close(assert_same_program(&instance).objective, 1.25);
}

#[test]
fn marginal_gains_mislead_on_measured_curves() {
    for (name, greedy, best) in
        [("greedy-transformer.json", 0.522, 0.558), ("greedy-synthetic.json", 0.56, 0.60)]
    {
        let instance = fixture(name);
        let jobs = instance.tenants[0].jobs.as_deref().unwrap();
        // One slot at a time to the job that gains most from it.
        let rate = |job: usize, slots: usize| {
            let option = jobs[job].options.iter().find(|option| option.slots as usize == slots);
            option.map_or(0.0, |option| option.rate)
        };
        let mut given = vec![0; jobs.len()];
        for _ in 0..3 {
            let gain = |job: &usize| rate(*job, given[*job] + 1) - rate(*job, given[*job]);
            let next = (0..jobs.len()).max_by(|a, b| gain(a).total_cmp(&gain(b)).then(b.cmp(a))).unwrap();
            given[next] += 1;
        }
        let reached: f64 = given.iter().enumerate().map(|(job, &slots)| rate(job, slots)).sum();
        assert_close(Some(reached), greedy);
        assert_close(assert_same_program(&instance).objective, best);
    }
}

#[test]
fn quotas_that_exceed_the_cluster_are_said_to_conflict() {
    let instance = fixture("infeasible.json");
    for policy in ["sts-fairness", "brute-force"] {
        let answer = solved(&instance, policy);
        assert_eq!(answer.status, AnswerStatus::Infeasible, "{policy}");
        assert_eq!(answer.objective, None);
        assert!(answer.allocation.is_empty());
        assert!(answer.proof.contains("a >= 0.9, b >= 0.9"), "{}", answer.proof);
        assert_eq!(answer.properties.envy_free, None);
    }
    assert_eq!(solved(&instance, "max-sum").status, AnswerStatus::Optimal);
    assert_eq!(solved(&instance, "equal-split").status, AnswerStatus::Infeasible);
}

#[test]
fn slots_in_sum_need_not_fit_devices() {
    let mut instance = fixture("infeasible.json");
    instance.quotas = None;
    instance.types[0].devices = 2;
    for tenant in &mut instance.tenants {
        tenant.jobs.as_mut().unwrap()[0].options.remove(0);
    }
    // Two jobs of three slots fit eight slots; on two devices of four they lie one on each. A third would need a whole device.
    let answer = solved(&instance, "max-sum");
    assert_close(answer.objective, 1.8);
    assert_close(answer.packing_gap, 0.0);
    instance.types[0].devices = 3;
    instance.types[0].slots_per_device = 3;
    for tenant in &mut instance.tenants {
        tenant.jobs.as_mut().unwrap()[0].options[0].slots = 2;
    }
    instance.tenants.push(InstanceTenant { name: "d".to_string(), ..instance.tenants[0].clone() });
    // Four jobs of two slots in nine slots, but each device of three holds one.
    let answer = solved(&instance, "max-sum");
    assert_close(answer.objective, 3.6);
    assert_close(answer.packing_gap, 0.9);
}

#[test]
fn equal_objectives_keep_what_runs() {
    let mut instance = fixture("mig1.json");
    let jobs = instance.tenants[0].jobs.as_mut().unwrap();
    for option in jobs.iter_mut().flat_map(|job| &mut job.options) {
        option.rate = 0.5;
    }
    jobs[1].previous = Some(sts_sim::solve::instance::InstancePrevious {
        gpu: "A100".to_string(),
        slots: 3,
        memory: SliceMemory::Plain,
        devices: 1,
    });
    // Any two of the three jobs are worth the same. The one that runs is kept, and the other is the one of fewest slots.
    let answer = solved(&instance, "sts-fairness");
    let mut running: Vec<_> = answer.allocation.iter().map(|a| a.job.as_deref().unwrap()).collect();
    running.sort_unstable();
    assert_eq!(running, ["right", "small"]);
}

#[test]
fn the_objectives_of_the_policy_weigh_rates() {
    let mut instance = fixture("greedy-synthetic.json");
    let with = |instance: &Instance, objective: &str| {
        let params = BTreeMap::from([("objective".to_string(), ParamValue::Word(objective.to_string()))]);
        solve(instance, "sts-fairness", &params)
    };
    let error = with(&instance, "jct").unwrap_err().to_string();
    assert!(error.contains("tenants[0].jobs[0].remaining_s"), "{error}");
    assert_close(with(&instance, "throughput").unwrap().objective, 0.60);
    let jobs = instance.tenants[0].jobs.as_mut().unwrap();
    (jobs[0].remaining_s, jobs[1].remaining_s) = (Some(36_000.0), Some(720.0));
    // A short job goes before a long one; what it leaves goes to the long one.
    let answer = with(&instance, "jct").unwrap();
    let got: Vec<_> =
        answer.allocation.iter().map(|a| (a.job.as_deref().unwrap(), a.slots.unwrap())).collect();
    assert_eq!(got, [("A", 1), ("B", 2)]);
    assert_close(answer.objective, 0.18 / 36_000.0 + 0.38 / 720.0);
}

#[test]
fn errors_name_the_place() {
    let error = |json: &str| Instance::from_json(json).unwrap_err().to_string();
    let types = r#""types": [{"name": "V100", "devices": 1, "slots_per_device": 4, "layout": "uniform"}]"#;
    let with = |tenants: &str| format!("{{{types}, \"tenants\": {tenants}}}");
    let job = |option: &str| {
        with(&format!(r#"[{{"name": "a", "jobs": [{{"name": "j", "options": [{option}]}}]}}]"#))
    };
    for (json, expected) in [
        ("{".to_string(), "EOF"),
        (format!("{{{types}, \"tenants\": [], \"quota\": {{}}}}"), "unknown field `quota`"),
        (format!("{{{types}, \"tenants\": []}} x"), "trailing characters"),
        (with(r#"[{"name": "a"}]"#), "tenants[0]: found neither jobs nor rates"),
        (
            job(r#"{"type": "V100", "slots": 9, "rate": 1}"#),
            "tenants[0].jobs[0].options[0].slots: found 9, expected 1 to 4",
        ),
        (
            job(r#"{"type": "H100", "slots": 1, "rate": 1}"#),
            "options[0].type: found \"H100\", expected one of the types: V100",
        ),
        (job(r#"{"type": "V100", "slots": 1, "rate": 0}"#), "options[0].rate: found 0"),
        (job(r#"{"type": "V100", "slots": 1, "rate": -1}"#), "options[0].rate: found -1"),
        (
            job(r#"{"type": "V100", "slots": 1, "rate": 1e400}"#),
            "tenants[0].jobs[0].options[0].rate: number out of range",
        ),
        (
            job(r#"{"type": "V100", "slots": "1", "rate": 1}"#),
            "tenants[0].jobs[0].options[0].slots: invalid type: string",
        ),
        (job(r#"{"type": "V100", "slots": 1, "devices": 0, "rate": 1}"#), "options[0].devices: found 0"),
        (with(r#"[{"name": "a", "jobs": []}, {"name": "a", "jobs": []}]"#), "tenants[1].name: found \"a\""),
        (with(r#"[{"name": "a", "weight": -1, "jobs": []}]"#), "tenants[0].weight: found -1"),
    ] {
        let found = error(&json);
        assert!(found.contains(expected), "{json}\n{found}\nlacks {expected}");
    }
    let instance = Instance::from_json(&with(r#"[{"name": "a", "rates": {"V100": 2}}]"#)).unwrap();
    let mixed = with(r#"[{"name": "a", "rates": {"V100": 2}}, {"name": "b", "jobs": []}]"#);
    let mixed = solve(&Instance::from_json(&mixed).unwrap(), "max-sum", &BTreeMap::new()).unwrap_err();
    assert_eq!(mixed, SolveError::Mixed { path: "tenants[1].jobs".to_string() });
    let unknown = solve(&instance, "best", &BTreeMap::new()).unwrap_err().to_string();
    assert!(unknown.contains("sts-fairness, brute-force, equal-split, max-sum"), "{unknown}");
    let params = BTreeMap::from([("speed".to_string(), ParamValue::Number(1.0))]);
    assert!(solve(&instance, "max-sum", &params).unwrap_err().to_string().contains("solver_budget"));
}

#[test]
fn too_many_choices_are_refused_by_brute_force() {
    let params = BTreeMap::from([("solver_budget".to_string(), ParamValue::Number(1000.0))]);
    let error = solve(&fixture("i2b.json"), "brute-force", &params).unwrap_err();
    assert_eq!(error, SolveError::TooLarge { limit: 1000 });
}

#[test]
fn the_output_has_every_key() {
    let answer = serde_json::to_value(solved(&fixture("infeasible.json"), "sts-fairness")).unwrap();
    for key in [
        "policy",
        "status",
        "objective",
        "bound",
        "gap",
        "packing_gap",
        "proof",
        "states",
        "measure",
        "counts",
        "misreports",
        "allocation",
        "tenants",
        "properties",
        "solve_s",
    ] {
        assert!(answer.get(key).is_some(), "{key}");
    }
    assert_eq!(answer["status"], "infeasible");
    assert!(answer["objective"].is_null() && answer["solve_s"].is_null());
    let answer = serde_json::to_value(solved(&fixture("i3.json"), "sts-fairness")).unwrap();
    for key in ["name", "rate", "floor", "equal_split_rate", "si_ratio"] {
        assert!(answer["tenants"][0].get(key).is_some(), "{key}");
    }
    for key in ["tenant", "job", "type", "slots", "rate"] {
        assert!(answer["allocation"][0].get(key).is_some(), "{key}");
    }
    for key in ["sharing_incentive", "envy_free", "pareto_efficient", "violations"] {
        assert!(answer["properties"].get(key).is_some(), "{key}");
    }
    assert_eq!(answer["status"], "optimal");
    assert_eq!(answer["gap"], 0.0);
}

/// A random instance of at most two types, seven slots and six jobs.
fn random_instance(random: &mut ChaCha8Rng) -> Instance {
    let count = random.random_range(1..=2);
    let types: Vec<InstanceType> = (0..count)
        .map(|k| {
            let (devices, slots_per_device, layout) = match random.random_range(0..4) {
                0 if k == 0 => (1, 7, InstanceLayout::MigA100),
                1 => (1, 4, InstanceLayout::MigA30),
                _ => {
                    let slots = random.random_range(1..=7);
                    (random.random_range(1..=7 / slots), slots, InstanceLayout::Uniform)
                }
            };
            InstanceType { name: format!("t{k}"), devices, slots_per_device, layout }
        })
        .collect();
    let tenants = random.random_range(1..=3);
    let mut left: u32 = random.random_range(tenants..=6);
    let tenants: Vec<InstanceTenant> = (0..tenants)
        .map(|u| {
            let jobs =
                if u + 1 == tenants { left } else { random.random_range(1..=left - (tenants - u - 1)) };
            left -= jobs;
            let jobs = (0..jobs).map(|j| random_job(random, &types, format!("j{j}"))).collect();
            let weight = f64::from(random.random_range(1..=3u8));
            InstanceTenant {
                name: format!("u{u}"),
                weight,
                jobs: Some(jobs),
                rates: None,
                max_total_share: None,
            }
        })
        .collect();
    Instance { types, tenants, quotas: None, optimal: None, floors: None }
}

fn random_job(random: &mut ChaCha8Rng, types: &[InstanceType], name: String) -> InstanceJob {
    let mut options = Vec::new();
    for of_type in types {
        if random.random_bool(0.2) {
            continue;
        }
        let speed = random.random_range(0.2..3.0);
        let sizes: Vec<u32> = match of_type.layout {
            InstanceLayout::MigA100 => vec![1, 2, 3, 4, 7],
            InstanceLayout::MigA30 => vec![1, 2, 4],
            InstanceLayout::Uniform => (1..=of_type.slots_per_device).collect(),
        };
        let mut rate = 0.0;
        for slots in sizes {
            rate += speed * random.random_range(0.0..1.0) / f64::from(of_type.slots_per_device);
            if random.random_bool(0.85) && rate > 1e-6 {
                let rate = (rate * 1e6_f64).round() / 1e6;
                options.push(InstanceOption {
                    gpu: of_type.name.clone(),
                    slots,
                    memory: SliceMemory::Plain,
                    devices: 1,
                    rate,
                });
            }
        }
        if of_type.devices > 1 && random.random_bool(0.3) {
            let devices = random.random_range(2..=of_type.devices);
            let rate = (speed * f64::from(devices) * 1e6).round() / 1e6;
            options.push(InstanceOption {
                gpu: of_type.name.clone(),
                slots: of_type.slots_per_device,
                memory: SliceMemory::Plain,
                devices,
                rate,
            });
        }
    }
    InstanceJob { name, options, remaining_s: None, previous: None }
}

#[test]
fn the_exact_program_is_brute_force_on_random_instances() {
    let mut random = ChaCha8Rng::seed_from_u64(20_250_101);
    let mut bound_by_floors = 0;
    for case in 0..2000 {
        let mut instance = random_instance(&mut random);
        if random.random_bool(0.5) {
            give_random_quotas(&mut random, &mut instance);
        }
        let answer = assert_same_program(&instance);
        let micro = |value: Option<f64>| (value.unwrap() * 1e6).round() as i64;
        let floors: i64 = answer.tenants.iter().map(|tenant| micro(tenant.floor)).sum();
        assert!(micro(answer.objective) >= floors, "case {case}");
        let free = solved(&instance, "max-sum");
        assert_eq!(free.objective, enumerated(&instance, "max-sum").objective, "case {case}");
        assert!(free.objective >= answer.objective, "case {case}");
        bound_by_floors += u32::from(free.objective > answer.objective);
        if instance.tenants.len() == 1 {
            assert_eq!(free.objective, answer.objective, "one tenant's floor binds in case {case}");
        }
    }
    assert!(bound_by_floors > 300, "floors mattered only {bound_by_floors} times");
}

/// Splits the slots of every type (whole devices where packing is strict) at random.
#[test]
fn every_program_is_brute_force_on_random_instances() {
    let mut random = ChaCha8Rng::seed_from_u64(20_261_202);
    let mut infeasible = 0;
    for case in 0..1000 {
        let mut instance = random_instance(&mut random);
        if random.random_bool(0.2) {
            instance.tenants[0].weight = 0.0;
        }
        for policy in ["max-sum-si", "max-sum-ef", "max-sum-si-ef", "max-min", "nash", "equal-throughput"] {
            let exact = solved(&instance, policy);
            let brute = enumerated(&instance, policy);
            assert_eq!(exact.status, brute.status, "{policy} in case {case}: {instance:?}");
            assert_eq!(exact.objective, brute.objective, "{policy} in case {case}: {instance:?}");
            assert_eq!(exact.measure, brute.measure);
            infeasible += u32::from(exact.status == AnswerStatus::Infeasible);
            if exact.status == AnswerStatus::Infeasible {
                continue;
            }
            assert_eq!(exact.bound, exact.objective);
            let has = |word: &str| policy.ends_with(word) || policy.contains(&format!("{word}-"));
            assert!(!has("si") || exact.properties.sharing_incentive == Some(true), "case {case}");
            assert!(!has("ef") || exact.properties.envy_free == Some(true), "case {case}");
            if matches!(policy, "max-min" | "nash") {
                assert_eq!(exact.properties.pareto_efficient, Some(true), "{policy} in case {case}");
            }
        }
    }
    assert!(infeasible > 100, "only {infeasible} conflicts");
}

fn give_random_quotas(random: &mut ChaCha8Rng, instance: &mut Instance) {
    let mut quotas: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for of_type in &instance.types {
        let unit = if of_type.layout == InstanceLayout::MigA100 { 7 } else { 1 };
        for _ in 0..of_type.devices * of_type.slots_per_device / unit {
            let tenant = &instance.tenants[random.random_range(0..instance.tenants.len())].name;
            *quotas.entry(tenant.clone()).or_default().entry(of_type.name.clone()).or_default() += unit;
        }
    }
    instance.quotas = Some(quotas);
}

#[test]
fn names_and_units_do_not_matter_once_quotas_are_given() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..200 {
        let mut instance = random_instance(&mut random);
        give_random_quotas(&mut random, &mut instance);
        let objective = solved(&instance, "sts-fairness").objective;
        let mut relabelled = instance.clone();
        relabelled.tenants.reverse();
        relabelled.types.reverse();
        for tenant in &mut relabelled.tenants {
            tenant.weight *= 5.0;
            tenant.jobs.as_mut().unwrap().reverse();
        }
        assert_eq!(solved(&relabelled, "sts-fairness").objective, objective);
        let jobs = relabelled.tenants.iter_mut().flat_map(|tenant| tenant.jobs.as_mut().unwrap());
        for option in jobs.flat_map(|job| &mut job.options) {
            option.rate = (option.rate * 3e6).round() / 1e6;
        }
        assert_close(solved(&relabelled, "sts-fairness").objective, 3.0 * objective.unwrap());
    }
}

#[test]
fn more_capacity_or_more_options_never_hurt() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for _ in 0..200 {
        let mut instance = random_instance(&mut random);
        give_random_quotas(&mut random, &mut instance);
        let before = solved(&instance, "sts-fairness");
        let mut larger = instance.clone();
        larger.types[0].devices += 1;
        assert!(solved(&larger, "sts-fairness").objective >= before.objective);
        let of_type = &instance.types[0];
        let option = InstanceOption {
            gpu: of_type.name.clone(),
            slots: of_type.slots_per_device,
            memory: SliceMemory::Plain,
            devices: of_type.devices,
            rate: 5.0,
        };
        let mut richer = instance.clone();
        richer.tenants[0].jobs.as_mut().unwrap()[0].options.push(option);
        let after = solved(&richer, "sts-fairness");
        if after.tenants[0].floor == before.tenants[0].floor {
            assert!(after.objective >= before.objective);
        }
    }
}

/// The benchmark instances, if they are there.
fn shared_instances() -> Option<std::path::PathBuf> {
    let root = std::env::var_os("STS_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        std::path::PathBuf::from,
    );
    let folder = root.join("instances");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("STS_REQUIRE_SHARED").is_none_or(|v| v != "1"),
        "{} is missing",
        folder.display()
    );
    println!("skipped: {} is missing", folder.display());
    None
}

#[test]
fn benchmark_instances_are_solved_or_bounded() {
    let Some(folder) = shared_instances() else { return };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let index: serde_json::Value = serde_json::from_str(&read("INDEX.json")).unwrap();
    for entry in index.as_array().unwrap() {
        let name = entry["file"].as_str().unwrap();
        let instance = Instance::from_json(&read(name)).unwrap();
        let optimum = instance.optimal.unwrap();
        // With a budget that suffices, and with none at all: then local moves from the quotas have to do.
        for (budget, least) in [(2e7, 1.0 - 1e-12), (0.0, 0.75)] {
            let params = BTreeMap::from([("solver_budget".to_string(), ParamValue::Number(budget))]);
            let answer = solve(&instance, "sts-fairness", &params).unwrap();
            let (objective, bound) = (answer.objective.unwrap(), answer.bound.unwrap());
            assert!(bound > optimum - 1e-9, "{name}: bound {bound}, optimum {optimum}");
            assert!(objective > least * optimum - 1e-9, "{name}: {objective} of {optimum}");
            assert!(answer.gap.unwrap() < 1.0 - least + 0.1, "{name}: {:?}", answer.gap);
            let mut reaches_floors = true;
            for tenant in &answer.tenants {
                let floor = instance.floors.as_ref().unwrap()[&tenant.name];
                assert!(tenant.rate >= tenant.floor, "{name}: {tenant:?}");
                assert!(tenant.floor.unwrap() < floor + 1e-9, "{name}: {tenant:?}, floor {floor}");
                reaches_floors &= tenant.floor.unwrap() > floor - 1e-9;
            }
            if reaches_floors {
                assert!(objective < optimum + 1e-9, "{name}: {objective} is more than {optimum}");
            }
            if answer.status == AnswerStatus::Optimal {
                assert_close(answer.objective, optimum);
            }
        }
    }
}
