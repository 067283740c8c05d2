//! Tenants of a scenario: their weights, and how these change over time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ScenarioError, in_range, one};
use crate::units::{SimSpan, SimTime};
use crate::workload::bind::{Tenant, WeightChange};

/// Tenants' weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TenantSpec {
    /// Weight by tenant name.
    #[serde(default)]
    pub weights: BTreeMap<String, f64>,
    /// The weight of all others.
    #[serde(default = "one")]
    pub default_weight: f64,
    /// Weights that change while jobs run. Left out of the JSON when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<WeightChangeSpec>,
}

/// A tenant's weight from some time on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightChangeSpec {
    /// Seconds from the first submission. The weight holds from the first round boundary that is not earlier.
    pub at_s: f64,
    /// The tenant's name.
    pub tenant: String,
    /// Its weight from then on. Of several changes of one tenant at one boundary the last in time, then in the list, holds.
    pub weight: f64,
}

impl Default for TenantSpec {
    fn default() -> Self {
        Self { weights: BTreeMap::new(), default_weight: 1.0, changes: Vec::new() }
    }
}

impl TenantSpec {
    /// A tenant's weight at the beginning, in millionths.
    #[must_use]
    pub fn weight_micro(&self, tenant: &str) -> u64 {
        micro(self.weights.get(tenant).copied().unwrap_or(self.default_weight))
    }

    /// Checks every value.
    pub(super) fn check(&self) -> Result<(), ScenarioError> {
        for (tenant, weight) in &self.weights {
            in_range(format!("tenants.weights.{tenant}"), *weight, 0.0, 1e6)?;
        }
        in_range("tenants.default_weight", self.default_weight, 0.0, 1e6)?;
        for (index, change) in self.changes.iter().enumerate() {
            in_range(format!("tenants.changes[{index}].at_s"), change.at_s, 0.0, 1e11)?;
            in_range(format!("tenants.changes[{index}].weight"), change.weight, 0.0, 1e6)?;
        }
        Ok(())
    }

    /// Checks that changes are about tenants of the workload.
    ///
    /// # Errors
    /// [`ScenarioError::Value`] for the first tenant that is not known.
    pub fn check_names(&self, is_known: impl Fn(&str) -> bool) -> Result<(), ScenarioError> {
        match self.changes.iter().enumerate().find(|(_, change)| !is_known(&change.tenant)) {
            Some((index, change)) => Err(ScenarioError::value(
                format!("tenants.changes[{index}].tenant"),
                format!("{:?}", change.tenant),
                "the name of a tenant of the workload",
            )),
            None => Ok(()),
        }
    }

    /// Enters the changes at the tenants they are about, at boundaries of rounds of `round` length.
    pub(super) fn enter_changes(&self, tenants: &mut [Tenant], round: SimSpan) -> Result<(), ScenarioError> {
        let length = round.0.max(1);
        self.check_names(|name| tenants.iter().any(|tenant| tenant.name == name))?;
        for change in &self.changes {
            let Some(tenant) = tenants.iter_mut().find(|tenant| tenant.name == change.tenant) else {
                continue;
            };
            let at = SimTime::ZERO + SimSpan::from_secs(change.at_s);
            tenant.changes.push(WeightChange { at, weight_micro: micro(change.weight) });
        }
        for tenant in tenants {
            tenant.changes.sort_by_key(|change| change.at);
            for change in &mut tenant.changes {
                let rounds = change.at.0 / length + i64::from(change.at.0 % length > 0);
                change.at = SimTime(rounds.saturating_mul(length));
            }
        }
        Ok(())
    }
}

fn micro(weight: f64) -> u64 {
    (weight * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::scenario::run::{generated, prepare};

    fn scenario(tenants: &str) -> Result<Scenario, ScenarioError> {
        Scenario::from_json(&format!(
            r#"{{"cluster": {{"nodes": [{{"gpu": "V100-16", "count": 2, "gpus_per_node": 4}}]}},
            "workload": {{"synthetic": {{"jobs": 50}}}}, "policies": [{{"name": "fifo"}}], "tenants": {tenants}}}"#
        ))
    }

    fn prepared(tenants: &str) -> Result<Vec<Tenant>, ScenarioError> {
        let scenario = scenario(tenants)?;
        Ok(prepare(&scenario, &generated(&scenario).unwrap_or_default())?.workload.tenants)
    }

    #[test]
    fn without_changes_the_json_is_what_it_was() {
        let json = scenario(r#"{"weights": {"a": 2}}"#).unwrap().to_json();
        assert!(!json.contains("changes"), "{json}");
        let with = scenario(r#"{"changes": [{"at_s": 5, "tenant": "a", "weight": 0}]}"#).unwrap();
        assert_eq!(Scenario::from_json(&with.to_json()).unwrap(), with);
    }

    #[test]
    fn weights_change_at_round_boundaries() {
        let names: Vec<String> = prepared("{}").unwrap().into_iter().map(|tenant| tenant.name).collect();
        let name = &names[1];
        let tenants = prepared(&format!(
            r#"{{"changes": [{{"at_s": 721, "tenant": "{name}", "weight": 3}}, {{"at_s": 720, "tenant": "{name}", "weight": 2}},
            {{"at_s": 900, "tenant": "{name}", "weight": 0.5}}]}}"#
        ))
        .unwrap();
        let at = |s: f64| tenants[1].weight_at(SimTime::ZERO + SimSpan::from_secs(s));
        assert_eq!(
            [0.0, 719.0, 720.0, 1079.0, 1080.0, 1e9].map(at),
            [1_000_000, 1_000_000, 2_000_000, 2_000_000, 500_000, 500_000]
        );
        assert_eq!(tenants[0].weights().count(), 1);
        let weights: Vec<u64> = tenants[1].weights().map(|(weight, ..)| weight).collect();
        assert_eq!(weights, [1_000_000, 2_000_000, 3_000_000, 500_000]);
    }

    /// What is due to every tenant in a run.
    fn due(tenants: &str) -> Vec<f64> {
        let scenario = scenario(tenants).unwrap();
        let prepared = prepare(&scenario, &generated(&scenario).unwrap_or_default()).unwrap();
        let result = prepared.run(0, 0, &mut ()).unwrap().result;
        result.tenants.iter().map(|tenant| tenant.entitled_s).collect()
    }

    #[test]
    fn what_is_due_follows_the_weights_of_the_time() {
        let name = prepared("{}").unwrap()[0].name.clone();
        let change = |at_s: f64| {
            due(&format!(r#"{{"changes": [{{"at_s": {at_s}, "tenant": "{name}", "weight": 5}}]}}"#))
        };
        let (never, always) = (due("{}"), due(&format!(r#"{{"weights": {{"{name}": 5}}}}"#)));
        assert!(never[0] < always[0]);
        assert_eq!((change(0.0), change(1e9)), (always.clone(), never.clone()));
        let halfway = change(20_000.0);
        assert!(never[0] < halfway[0] && halfway[0] < always[0], "{} {} {}", never[0], halfway[0], always[0]);
        let sum = |due: &[f64]| due.iter().sum::<f64>();
        assert!((sum(&halfway) - sum(&never)).abs() < 1e-6 * sum(&never));
    }

    #[test]
    fn wrong_changes_name_the_place() {
        for (change, place) in [
            (r#"{"at_s": -1, "tenant": "a", "weight": 1}"#, "tenants.changes[0].at_s: found -1"),
            (r#"{"at_s": 1, "tenant": "a", "weight": 1e7}"#, "tenants.changes[0].weight: found 10000000"),
            (r#"{"at_s": 1, "weight": 1}"#, "tenants.changes[0]"),
            (
                r#"{"at_s": 1, "tenant": "nobody", "weight": 1}"#,
                "tenants.changes[0].tenant: found \"nobody\"",
            ),
            (
                r#"{"at_s": 1, "tenant": "a", "weight": 1, "until_s": 2}"#,
                "tenants.changes.0.until_s: unknown key",
            ),
        ] {
            let error = prepared(&format!(r#"{{"changes": [{change}]}}"#)).unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }
}
