//! What tenants ask for against what they are entitled to.

use std::collections::BTreeMap;

use crate::scenario::TenantSpec;
use crate::trace::TenantLoad;

/// One tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Its name.
    pub name: String,
    /// Its GPU jobs.
    pub jobs: u64,
    /// GPUs times run time over its jobs.
    pub gpu_hours: f64,
    /// Its weight.
    pub weight: f64,
    /// Its weight over the sum of weights.
    pub share: f64,
    /// Its GPU-hours over those of all.
    pub demand: f64,
}

/// All tenants of a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// Each tenant, most GPU-hours first.
    pub rows: Vec<Share>,
    /// GPU jobs of all.
    pub jobs: u64,
    /// GPU-hours of all.
    pub gpu_hours: f64,
    /// Sum of weights.
    pub weight: f64,
    /// The largest share or demand: the length of the longest bar.
    pub most: f64,
}

impl Shares {
    /// The tenants of a workload under the weights of a scenario.
    #[must_use]
    pub fn of(loads: &[TenantLoad], spec: &TenantSpec) -> Self {
        let weight_of = |name: &str| spec.weights.get(name).copied().unwrap_or(spec.default_weight);
        let weight: f64 = loads.iter().map(|load| weight_of(&load.name)).sum();
        let gpu_hours: f64 = loads.iter().map(|load| load.gpu_hours).sum();
        let part = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let rows: Vec<Share> = loads
            .iter()
            .map(|load| Share {
                name: load.name.clone(),
                jobs: load.jobs,
                gpu_hours: load.gpu_hours,
                weight: weight_of(&load.name),
                share: part(weight_of(&load.name), weight),
                demand: part(load.gpu_hours, gpu_hours),
            })
            .collect();
        let most = rows.iter().flat_map(|row| [row.share, row.demand]).fold(0.0, f64::max);
        Self { rows, jobs: loads.iter().map(|load| load.jobs).sum(), gpu_hours, weight, most }
    }

    /// Weights in proportion to what each tenant asks for, 1 on average, to three decimals.
    #[must_use]
    pub fn weights_by_demand(&self) -> BTreeMap<String, f64> {
        let count = self.rows.len() as f64;
        let weight = |row: &Share| (row.demand * count * 1e3).round().max(1.0) / 1e3;
        self.rows.iter().map(|row| (row.name.clone(), weight(row))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, gpu_hours: f64) -> TenantLoad {
        TenantLoad { name: name.into(), jobs: 2, gpu_hours }
    }

    #[test]
    fn shares_are_by_weight_and_demands_by_hours() {
        let spec = TenantSpec {
            weights: BTreeMap::from([("a".into(), 3.0)]),
            default_weight: 1.0,
            ..TenantSpec::default()
        };
        let shares = Shares::of(&[load("a", 30.0), load("b", 10.0)], &spec);
        let found: Vec<(f64, f64)> = shares.rows.iter().map(|row| (row.share, row.demand)).collect();
        assert_eq!(found, [(0.75, 0.75), (0.25, 0.25)]);
        assert_eq!((shares.jobs, shares.gpu_hours, shares.weight, shares.most), (4, 40.0, 4.0, 0.75));
        let weights = shares.weights_by_demand();
        assert_eq!(weights, BTreeMap::from([("a".into(), 1.5), ("b".into(), 0.5)]));
    }

    #[test]
    fn nothing_asked_for_or_no_weight_is_no_share() {
        let spec = TenantSpec { weights: BTreeMap::new(), default_weight: 0.0, ..TenantSpec::default() };
        let shares = Shares::of(&[load("a", 0.0)], &spec);
        assert_eq!((shares.rows[0].share, shares.rows[0].demand), (0.0, 0.0));
        assert_eq!(shares.weights_by_demand(), BTreeMap::from([("a".into(), 0.001)]));
        assert!(Shares::of(&[], &spec).rows.is_empty());
    }
}
