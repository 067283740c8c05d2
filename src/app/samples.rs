//! The gallery: seeded scenarios small enough to be simulated while the reader looks on.

use std::collections::BTreeMap;

use super::presets::Preset;
use crate::policy;
use crate::scenario::{MeasureSpec, PolicyChoice, RoundSpec, Scenario, TenantSpec, VERSION, WorkloadSpec};
use crate::workload::synthetic::{ArrivalKind, Arrivals, Durations, GpuShare, SyntheticSpec};

/// The policies of every sample.
const POLICIES: [&str; 6] = ["sts-fairness", "fifo", "fifo-backfill", "srtf", "las", "round-robin"];

/// One entry of the gallery.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// The name for tests and links.
    pub id: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What is to be seen in it.
    pub about: &'static str,
    cluster: &'static str,
    workload: fn() -> SyntheticSpec,
    round_s: f64,
    weights: &'static [(&'static str, f64)],
}

/// All samples. The first one is the scenario that the page opens with.
pub const SAMPLES: [Sample; 6] = [
    Sample {
        id: "research-week",
        title: "A research cluster's days",
        about: "Six groups of unequal size share 64 mixed GPUs by day and night. Who waits for whom?",
        cluster: "Mixed 64",
        workload: research_days,
        round_s: 360.0,
        weights: &[],
    },
    Sample {
        id: "bursts",
        title: "Bursts of one tenant",
        about: "Sweeps of twenty jobs arrive at once. What quotas do for those who submit one at a time.",
        cluster: "Mixed 64",
        workload: bursts,
        round_s: 360.0,
        weights: &[],
    },
    Sample {
        id: "small-jobs",
        title: "Many jobs smaller than a GPU",
        about: "Most jobs ask for a quarter or half of a GPU. Where slots pay most.",
        cluster: "Mixed 64",
        workload: small_jobs,
        round_s: 300.0,
        weights: &[],
    },
    Sample {
        id: "eight-a100",
        title: "Eight A100 cut by MIG",
        about: "One node, four tenants, speeds measured on MIG slices: which layouts does the load ask for?",
        cluster: "Eight A100",
        workload: eight_a100,
        round_s: 300.0,
        weights: &[],
    },
    Sample {
        id: "whole-devices",
        title: "Three generations, undivided",
        about: "36 V100, 36 P100 and 36 K80 that nobody may share: what is left of fairness in space.",
        cluster: "Gavel 36:36:36",
        workload: gangs,
        round_s: 360.0,
        weights: &[],
    },
    Sample {
        id: "weights",
        title: "Three tenants, weights 3 : 2 : 1",
        about: "All jobs are there from the start, so that shares show as they are.",
        cluster: "Sia 64",
        workload: three_tenants,
        round_s: 360.0,
        weights: &[("tenant-1", 3.0), ("tenant-2", 2.0), ("tenant-3", 1.0)],
    },
];

impl Sample {
    /// The scenario.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        let weights: BTreeMap<String, f64> =
            self.weights.iter().map(|&(tenant, weight)| (tenant.to_owned(), weight)).collect();
        Scenario {
            version: VERSION,
            name: self.title.to_owned(),
            cluster: Preset::named(self.cluster).map(Preset::cluster).unwrap_or_default(),
            workload: WorkloadSpec { synthetic: Some((self.workload)()), ..WorkloadSpec::default() },
            tenants: TenantSpec { weights, ..TenantSpec::default() },
            round: RoundSpec {
                length_s: self.round_s,
                start_s: 10.0,
                restore_s: 30.0,
                reconfigure_s: 8.0,
                ..RoundSpec::default()
            },
            measure: MeasureSpec::default(),
            policies: POLICIES
                .into_iter()
                .filter(|name| policy::spec(name).is_some())
                .map(PolicyChoice::named)
                .collect(),
            seeds: vec![0],
        }
    }
}

/// Whether a scenario is that of a sample, as the gallery has it.
#[must_use]
pub fn is_one(scenario: &Scenario) -> bool {
    SAMPLES.iter().any(|sample| sample.scenario() == *scenario)
}

/// The sample with this id.
#[must_use]
pub fn sample(id: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.id == id)
}

/// The scenario that the page opens with.
#[must_use]
pub fn default_scenario() -> Scenario {
    SAMPLES[0].scenario()
}

/// The workload that a reader who wants a generated one begins with.
#[must_use]
pub fn default_synthetic() -> SyntheticSpec {
    SyntheticSpec { jobs: 300, seed: 1, ..SyntheticSpec::default() }
}

fn sizes(shares: &[(f64, f64)]) -> Vec<GpuShare> {
    shares.iter().map(|&(gpus, weight)| GpuShare { gpus, weight }).collect()
}

fn lasting(median_s: f64) -> Durations {
    Durations { median_s, max_s: 43_200.0, ..Durations::default() }
}

fn arriving(kind: ArrivalKind, rate_per_hour: f64) -> Arrivals {
    Arrivals { kind, rate_per_hour, ..Arrivals::default() }
}

fn research_days() -> SyntheticSpec {
    SyntheticSpec {
        jobs: 600,
        arrivals: arriving(ArrivalKind::Diurnal, 16.0),
        tenants: 6,
        tenant_skew: 0.8,
        duration: lasting(7200.0),
        gpus: sizes(&[(0.25, 8.0), (0.5, 8.0), (1.0, 60.0), (2.0, 12.0), (4.0, 8.0), (8.0, 4.0)]),
        seed: 46,
        ..SyntheticSpec::default()
    }
}

fn bursts() -> SyntheticSpec {
    SyntheticSpec {
        jobs: 400,
        arrivals: Arrivals { burst_jobs: 20.0, burst_s: 600.0, ..arriving(ArrivalKind::Bursty, 22.0) },
        tenants: 5,
        duration: lasting(5400.0),
        gpus: sizes(&[(0.5, 10.0), (1.0, 80.0), (2.0, 10.0)]),
        seed: 300,
        ..SyntheticSpec::default()
    }
}

fn small_jobs() -> SyntheticSpec {
    SyntheticSpec {
        jobs: 700,
        arrivals: arriving(ArrivalKind::Poisson, 60.0),
        tenants: 8,
        tenant_skew: 0.5,
        duration: lasting(5400.0),
        gpus: sizes(&[(0.25, 45.0), (0.5, 35.0), (1.0, 20.0)]),
        seed: 7064,
        ..SyntheticSpec::default()
    }
}

fn eight_a100() -> SyntheticSpec {
    SyntheticSpec {
        jobs: 160,
        arrivals: arriving(ArrivalKind::Poisson, 14.0),
        tenants: 4,
        duration: lasting(2700.0),
        gpus: sizes(&[(0.25, 30.0), (0.5, 30.0), (1.0, 40.0)]),
        seed: 96,
        ..SyntheticSpec::default()
    }
}

fn gangs() -> SyntheticSpec {
    SyntheticSpec {
        jobs: 400,
        arrivals: arriving(ArrivalKind::Poisson, 24.0),
        tenants: 6,
        tenant_skew: 0.5,
        duration: lasting(7200.0),
        gpus: sizes(&[(1.0, 70.0), (2.0, 10.0), (4.0, 15.0), (8.0, 5.0)]),
        seed: 36,
        ..SyntheticSpec::default()
    }
}

fn three_tenants() -> SyntheticSpec {
    SyntheticSpec {
        jobs: 240,
        arrivals: arriving(ArrivalKind::Batch, 60.0),
        tenants: 3,
        duration: lasting(5400.0),
        gpus: sizes(&[(1.0, 90.0), (2.0, 10.0)]),
        seed: 3,
        ..SyntheticSpec::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::run::{generated, prepare};

    #[test]
    fn every_sample_is_a_scenario_whose_jobs_all_fit() {
        for sample in &SAMPLES {
            let scenario = sample.scenario();
            assert_eq!(scenario.check(), Ok(()), "{}", sample.id);
            assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario.clone()), "{}", sample.id);
            let workload = generated(&scenario).unwrap();
            let prepared = prepare(&scenario, &workload).unwrap();
            assert_eq!(prepared.workload.jobs.len(), workload.jobs.len(), "{}", sample.id);
        }
    }

    #[test]
    fn ids_are_distinct_and_found() {
        for (index, one) in SAMPLES.iter().enumerate() {
            assert!(SAMPLES[..index].iter().all(|other| other.id != one.id));
            assert_eq!(sample(one.id).map(|found| found.title), Some(one.title));
        }
        assert!(sample("none").is_none());
    }

    #[test]
    fn the_weights_of_a_sample_are_those_of_its_tenants() {
        for sample in &SAMPLES {
            let tenants = generated(&sample.scenario()).unwrap().tenants;
            assert!(sample.weights.iter().all(|(tenant, _)| tenants.iter().any(|name| name == tenant)));
        }
    }
}
