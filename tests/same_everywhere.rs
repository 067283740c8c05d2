//! Generated and bound workloads, and every allocation of a run, are the same bits natively and in WebAssembly. The constants were
//! found natively; both targets must reproduce them.

#![allow(clippy::unwrap_used)]

use sts_sim::cluster::{Cluster, Layout, MigMode, NodeGroup, catalogue};
use sts_sim::scenario::run::prepare;
use sts_sim::scenario::{self, Scenario, ScenarioError};
use sts_sim::workload::assign::ProfileSettings;
use sts_sim::workload::bind::bind;
use sts_sim::workload::synthetic::{ArrivalKind, Arrivals, SyntheticSpec, generate};

/// FNV-1a over little-endian integers.
fn fingerprint(values: impl IntoIterator<Item = i128>) -> u64 {
    values
        .into_iter()
        .flat_map(i128::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn spec(kind: ArrivalKind) -> SyntheticSpec {
    let arrivals = Arrivals { kind, ..Arrivals::default() };
    SyntheticSpec { arrivals, tenant_skew: 0.7, seed: 42, ..SyntheticSpec::default() }
}

fn generated() -> [u64; 3] {
    [ArrivalKind::Poisson, ArrivalKind::Bursty, ArrivalKind::Diurnal].map(|kind| {
        let workload = generate(&spec(kind));
        fingerprint(workload.jobs.iter().flat_map(|job| {
            let duration = job.duration.get().map_or(-1, |duration| duration.0);
            let model = job.model.map_or(-1, i128::from);
            [job.submit.0.into(), duration.into(), job.gpus.0.into(), job.tenant.0.into(), model]
        }))
    })
}

fn bound() -> Option<u64> {
    let group =
        |gpu, layout| Some(NodeGroup { model: catalogue::model(gpu)?, nodes: 2, gpus_per_node: 4, layout });
    let cluster = Cluster::new(&[
        group("A100-80", Layout::Mig(MigMode::Strict))?,
        group("A30", Layout::Mig(MigMode::Strict))?,
        group("V100-16", Layout::Uniform(4))?,
        group("T4", Layout::Uniform(8))?,
        group("K80", Layout::Whole)?,
    ])
    .ok()?;
    let mut workload = generate(&spec(ArrivalKind::Poisson));
    for job in &mut workload.jobs {
        job.model = None; // drawn by the rule
    }
    let bound = bind(&workload, &cluster, &ProfileSettings::default(), |_| 1).ok()?;
    let rates = bound.classes.iter().flat_map(|class| &class.options).map(|option| i128::from(option.rate.0));
    let work = bound.jobs.iter().map(|job| job.work.0);
    Some(fingerprint(rates.chain(work)))
}

const GENERATED: [u64; 3] = [0x4ec0_b7d3_ff06_6c27, 0x4c26_3b72_ae7c_9c70, 0x8472_3f56_4107_979f];
const RUNS: [(&str, &str); 7] = [
    ("fifo", "e369b9120e35f793"),
    ("fifo-backfill", "102517d15287325c"),
    ("srtf", "1617f33208440a60"),
    ("las", "d1fb0540a21f797b"),
    ("round-robin", "f6b291e2622a7a7f"),
    ("sts-fairness", "d07e9d08adf869ca"),
    ("sts-throughput", "8d72c060b000492b"),
];
const BOUND: u64 = 0x299f_ac1f_12c3_62b9;

/// The fingerprints of every policy of the scenario `mixed.json`, seed 1.
fn runs() -> Result<Vec<(String, String)>, ScenarioError> {
    let scenario = Scenario::from_json(include_str!("fixtures/scenarios/mixed.json"))?.replica(1);
    let prepared = prepare(&scenario, &scenario::run::generated(&scenario).unwrap_or_default())?;
    (0..scenario.policies.len())
        .map(|index| prepared.run(index, 1, &mut ()).map(|run| (run.result.policy, run.result.result_hash)))
        .collect()
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    #[test]
    fn generated_workloads() {
        assert_eq!(super::generated(), super::GENERATED);
    }

    #[test]
    fn bound_workloads() {
        assert_eq!(super::bound(), Some(super::BOUND));
    }

    #[test]
    fn every_allocation_of_every_policy() {
        let runs = super::runs().unwrap();
        let runs: Vec<(&str, &str)> = runs.iter().map(|(p, h)| (p.as_str(), h.as_str())).collect();
        assert_eq!(runs, super::RUNS);
    }
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn generated_workloads() {
        assert_eq!(super::generated(), super::GENERATED);
    }

    #[wasm_bindgen_test]
    fn bound_workloads() {
        assert_eq!(super::bound(), Some(super::BOUND));
    }

    #[wasm_bindgen_test]
    fn every_allocation_of_every_policy() {
        let runs = super::runs().unwrap();
        let runs: Vec<(&str, &str)> = runs.iter().map(|(p, h)| (p.as_str(), h.as_str())).collect();
        assert_eq!(runs, super::RUNS);
    }
}
