//! Instances and what is asked of their answers.

use std::collections::BTreeMap;

use sts_sim::policy::param::ParamValue;
use sts_sim::solve::answer::{Answer, AnswerStatus, Property};
use sts_sim::solve::instance::{InstanceLayout, InstanceTenant, InstanceType};
use sts_sim::solve::{Instance, solve};

/// How far a divisible answer may be from the exact one, relative.
pub(crate) const CLOSE: f64 = 1e-6;

/// Tenants `u0`, `u1`, … with rates on types `t0`, `t1`, ….
pub(crate) fn divisible(rates: &[&[f64]], devices: &[u32]) -> Instance {
    let types = devices.iter().enumerate().map(|(k, &devices)| InstanceType {
        name: format!("t{k}"),
        devices,
        slots_per_device: 1,
        layout: InstanceLayout::Uniform,
    });
    let tenants = rates.iter().enumerate().map(|(u, row)| InstanceTenant {
        name: format!("u{u}"),
        weight: 1.0,
        jobs: None,
        rates: Some(row.iter().enumerate().map(|(k, &rate)| (format!("t{k}"), rate)).collect()),
        max_total_share: None,
    });
    Instance { types: types.collect(), tenants: tenants.collect(), quotas: None, optimal: None, floors: None }
}

/// The same with every tenant limited to one device at a time.
pub(crate) fn one_at_a_time(rates: &[&[f64]], devices: &[u32]) -> Instance {
    let mut instance = divisible(rates, devices);
    for tenant in &mut instance.tenants {
        tenant.max_total_share = Some(1.0);
    }
    instance
}

pub(crate) fn fixture(name: &str) -> Instance {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/instances").join(name);
    Instance::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn solved(instance: &Instance, policy: &str) -> Answer {
    solve(instance, policy, &BTreeMap::new()).unwrap_or_else(|error| panic!("{policy}: {error}"))
}

pub(crate) fn solved_with(instance: &Instance, policy: &str, params: &[(&str, &str)]) -> Answer {
    let params =
        params.iter().map(|(name, word)| ((*name).to_string(), ParamValue::Word((*word).to_string())));
    solve(instance, policy, &params.collect()).unwrap_or_else(|error| panic!("{policy}: {error}"))
}

#[track_caller]
pub(crate) fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= CLOSE * expected.abs().max(1.0), "{found} is not {expected}");
}

/// The objective, proven, and its bound.
#[track_caller]
pub(crate) fn objective(answer: &Answer, expected: f64) {
    assert_eq!(answer.status, AnswerStatus::Optimal, "{}: {}", answer.policy, answer.proof);
    close(answer.objective.unwrap(), expected);
    close(answer.bound.unwrap(), expected);
}

#[track_caller]
pub(crate) fn rates(answer: &Answer, expected: &[f64]) {
    let found: Vec<f64> = answer.tenants.iter().map(|tenant| tenant.rate.unwrap()).collect();
    assert_eq!(found.len(), expected.len());
    for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(
            difference <= CLOSE * expected.abs().max(1.0),
            "{}: u{i} has {found}, not {expected}",
            answer.policy
        );
    }
}

#[track_caller]
pub(crate) fn ratios(answer: &Answer, expected: &[f64]) {
    for (tenant, &expected) in answer.tenants.iter().zip(expected) {
        close(tenant.si_ratio.unwrap(), expected);
    }
}

/// Sharing incentive, envy-freeness and Pareto efficiency as letters `y` and `n`.
#[track_caller]
pub(crate) fn properties(answer: &Answer, expected: &str) {
    let p = &answer.properties;
    let letter = |holds: Option<bool>| match holds {
        Some(true) => 'y',
        Some(false) => 'n',
        None => '?',
    };
    let found: String = [p.sharing_incentive, p.envy_free, p.pareto_efficient].map(letter).iter().collect();
    assert_eq!(found, expected, "{}: {:?}", answer.policy, p.violations);
}

/// By how much a tenant envies another.
pub(crate) fn envy(answer: &Answer, tenant: usize, other: usize) -> f64 {
    let (tenant, other) = (format!("u{tenant}"), format!("u{other}"));
    let pair = answer.properties.violations.iter().find(|v| {
        v.property == Property::EnvyFree
            && v.tenant.as_ref() == Some(&tenant)
            && v.other.as_ref() == Some(&other)
    });
    pair.map_or(0.0, |violation| violation.could_have - violation.has)
}

/// Parameters of one word.
pub(crate) fn word(name: &str, value: &str) -> BTreeMap<String, ParamValue> {
    BTreeMap::from([(name.to_string(), ParamValue::Word(value.to_string()))])
}
