//! Runs that look like runs, made from a seeded function: six policies on one week of fourteen tenants.

use std::collections::BTreeMap;
use std::rc::Rc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sts_sim::metrics::{Breakdown, Metrics, metrics};
use sts_sim::scenario::run::{CdfPoint, LoadPoint, RunResult, TenantResult};
use sts_sim::scenario::{
    ClusterSpec, MeasureSpec, NodeSpec, PolicyChoice, RoundSpec, Scenario, TenantSpec, WorkloadSpec,
};

pub(crate) const TENANTS: [&str; 14] = [
    "speech", "vision", "nlp", "recsys", "robotics", "search", "ads", "fraud", "maps", "biology", "climate",
    "infra", "edu", "genai",
];
const JOBS: usize = 1482;
const WEEK_S: f64 = 604_800.0;
const STRETCH_S: f64 = 10_800.0;

/// What a policy does to the jobs: JCT, waits, use of the cluster, service.
struct Effect {
    name: &'static str,
    jct: f64,
    wait: f64,
    used: f64,
    queue: f64,
    floors: f64,
    preemptions: f64,
}

const EFFECTS: [Effect; 6] = [
    Effect {
        name: "sts-fairness",
        jct: 1.0,
        wait: 1.0,
        used: 0.83,
        queue: 17.0,
        floors: 0.0,
        preemptions: 3912.0,
    },
    Effect {
        name: "srtf",
        jct: 0.97,
        wait: 0.9,
        used: 0.81,
        queue: 15.0,
        floors: 611.0,
        preemptions: 4480.0,
    },
    Effect { name: "las", jct: 1.29, wait: 1.7, used: 0.73, queue: 47.0, floors: 902.0, preemptions: 6118.0 },
    Effect {
        name: "round-robin",
        jct: 1.4,
        wait: 2.0,
        used: 0.74,
        queue: 50.0,
        floors: 274.0,
        preemptions: 12871.0,
    },
    Effect {
        name: "fifo-backfill",
        jct: 1.31,
        wait: 1.73,
        used: 0.72,
        queue: 52.0,
        floors: 318.0,
        preemptions: 0.0,
    },
    Effect { name: "fifo", jct: 2.52, wait: 5.7, used: 0.67, queue: 280.0, floors: 1377.0, preemptions: 0.0 },
];

/// A scenario with these policies and seeds.
pub(crate) fn scenario(policies: &[&str], seeds: &[u64]) -> Scenario {
    let node = |gpu: &str, count, layout: &str| NodeSpec {
        gpu: gpu.to_owned(),
        count,
        gpus_per_node: 8,
        layout: layout.to_owned(),
        strict: true,
    };
    Scenario {
        version: 1,
        name: "A week of fourteen tenants".to_owned(),
        cluster: ClusterSpec {
            nodes: vec![node("A100-80", 2, "mig"), node("V100-16", 3, "uniform-4"), node("T4", 3, "whole")],
            ..ClusterSpec::default()
        },
        workload: WorkloadSpec::default(),
        tenants: TenantSpec::default(),
        round: RoundSpec::default(),
        measure: MeasureSpec::default(),
        policies: policies.iter().map(|name| labelled(name)).collect(),
        seeds: seeds.to_vec(),
    }
}

/// A policy called by its name, whatever its title is.
fn labelled(name: &str) -> PolicyChoice {
    PolicyChoice { label: Some(name.to_owned()), ..PolicyChoice::named(name) }
}

/// All six policies.
pub(crate) fn all() -> Vec<&'static str> {
    EFFECTS.iter().map(|effect| effect.name).collect()
}

/// One run a policy and seed.
pub(crate) fn runs(policies: &[&str], seeds: &[u64]) -> Rc<Vec<RunResult>> {
    let effects = EFFECTS.iter().filter(|effect| policies.contains(&effect.name));
    Rc::new(effects.flat_map(|effect| seeds.iter().map(move |&seed| run(effect, seed))).collect())
}

/// The metrics of a run, to be changed by a test.
pub(crate) fn set(run: &mut RunResult, key: &str, value: Option<f64>) {
    run.metrics.values.insert(key.to_owned(), value);
}

fn gauss(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (u + 1e-12).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

fn run(effect: &Effect, seed: u64) -> RunResult {
    let mut workload = ChaCha8Rng::seed_from_u64(seed);
    let mut own = ChaCha8Rng::seed_from_u64(seed * 100 + effect.name.len() as u64);
    let mut jct: Vec<f64> = (0..JOBS)
        .map(|_| {
            let size = (7.35 + 1.62 * gauss(&mut workload)).exp();
            let wait = 900.0 * (effect.wait - 0.9) * (0.2 + 1.6 * own.random::<f64>());
            (size * effect.jct * (0.28 * gauss(&mut own)).exp() + wait).max(20.0)
        })
        .collect();
    jct.sort_by(f64::total_cmp);
    let rank = |share: f64| jct[((share * JOBS as f64).ceil() as usize).clamp(1, JOBS) - 1];
    let mean = jct.iter().sum::<f64>() / JOBS as f64;
    let is_sts = effect.name == "sts-fairness";
    let rounds = 1680;
    let jitter = 1.0 + 0.01 * gauss(&mut own);
    let mut values: BTreeMap<String, Option<f64>> =
        metrics().iter().map(|spec| (spec.key.to_owned(), None)).collect();
    for (key, value) in [
        ("jct_mean_s", mean),
        ("jct_mean_common_s", mean),
        ("jct_p50_s", rank(0.5)),
        ("jct_p95_s", rank(0.95)),
        ("jct_p99_s", rank(0.99)),
        ("jct_max_s", rank(1.0)),
        ("wait_mean_s", 4000.0 * effect.wait * jitter),
        ("wait_p95_s", 21_000.0 * effect.wait * jitter),
        ("first_start_delay_mean_s", 2500.0 * effect.wait),
        ("slowdown_bounded_mean", 1.4 * effect.wait),
        ("makespan_s", WEEK_S + 30_000.0 * effect.wait * jitter),
        ("throughput_jobs_per_hour", JOBS as f64 / (WEEK_S + 30_000.0 * effect.wait) * 3600.0),
        ("utilization", effect.used * jitter.min(1.0 / effect.used)),
        ("effective_throughput", 61.0 * effect.used),
        ("fragmentation_mean", 0.9 - effect.used),
        ("ftf_rho_max", 1.62 * effect.wait),
        ("ftf_rho_mean", 0.5 + 0.1 * effect.wait),
        ("ftf_unfair_share", 0.06 * effect.wait),
        ("jain_service", 1.0 - 0.03 * effect.wait),
        ("gini_slowdown", 0.2 + 0.04 * effect.wait),
        ("floor_violations", (effect.floors * jitter).round()),
        ("floor_shortfall", effect.floors * 2000.0),
        ("preemptions", (effect.preemptions * jitter).round()),
        ("migrations", (effect.preemptions * 0.2 * jitter).round()),
        ("reconfigurations", if is_sts { 412.0 } else { 0.0 }),
        ("gpu_hours", 64.0 * effect.used * 168.0),
        ("completed", JOBS as f64),
        ("unfinished", 0.0),
        ("never_fit", 3.0),
    ] {
        values.insert(key.to_owned(), Some(value));
    }
    if is_sts {
        values.insert("solver_gap_max".to_owned(), Some(0.0038));
        values.insert("solver_gap_mean".to_owned(), Some(0.000_04));
        values.insert("floor_violations_own".to_owned(), Some(0.0));
    }
    RunResult {
        policy: effect.name.to_owned(),
        seed,
        result_hash: format!("{:016x}", own.random::<u64>()),
        sim_wall_s: Some(1.4),
        metrics: Metrics {
            values,
            utilization_by_type: BTreeMap::from([("A100-80".to_owned(), Some(effect.used))]),
        },
        jct_cdf: jct
            .iter()
            .enumerate()
            .step_by(3)
            .chain(jct.iter().enumerate().skip(JOBS - 1))
            .map(|(i, &value)| CdfPoint { value, share: (i + 1) as f64 / JOBS as f64 })
            .collect(),
        wait_cdf: Vec::new(),
        slowdown_cdf: Vec::new(),
        load: load(effect, &mut own),
        tenants: tenants(effect, &mut own),
        breakdown: Breakdown::default(),
        fairness: None,
        rounds,
        rounds_solved: is_sts.then_some(rounds),
        rounds_optimal: is_sts.then_some(1642),
        stopped: None,
        account: sts_sim::scenario::run::Account::default(),
    }
}

fn load(effect: &Effect, rng: &mut ChaCha8Rng) -> Vec<LoadPoint> {
    let mut noise = 0.0;
    (0..57)
        .map(|i| {
            let at_s = f64::from(i) * STRETCH_S;
            let day = 0.5 - 0.5 * ((at_s / 86_400.0 - 0.125) * std::f64::consts::TAU).cos();
            noise = 0.6 * noise + 0.4 * gauss(rng);
            LoadPoint {
                at_s,
                used: Some((effect.used + 0.3 * (day - 0.5) + 0.03 * noise).clamp(0.0, 1.0)),
                waiting: (effect.queue * (0.3 + 1.4 * day + 0.2 * noise)).max(0.0),
                running: 90.0 * effect.used,
            }
        })
        .collect()
}

fn tenants(effect: &Effect, rng: &mut ChaCha8Rng) -> Vec<TenantResult> {
    let per_tenant = JOBS / TENANTS.len();
    let losers = if effect.name == "sts-fairness" { 2 } else { 0 };
    TENANTS
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let loses = index + losers >= TENANTS.len();
            let factor = if loses { 9.0 } else { effect.wait * (0.7 + 0.6 * index as f64 / 14.0) };
            let wait = 4000.0 * factor * (1.0 + 0.02 * rng.random::<f64>());
            let mut level = 0.0;
            let mean: f64 = if effect.floors > 0.0 { 0.96 } else { 1.05 + 0.03 * (index % 5) as f64 };
            let service_ratio = (0..57)
                .map(|stretch| {
                    level = 0.78 * level + 0.22 * gauss(rng);
                    let away = index == 4 && (20..30).contains(&stretch);
                    (!away).then(|| (mean + level * if effect.floors > 0.0 { 0.3 } else { 0.16 }).max(0.0))
                })
                .collect();
            TenantResult {
                name: (*name).to_owned(),
                weight: if index == 0 { 2.0 } else { 1.0 },
                jobs: per_tenant as u64,
                completed: per_tenant as u64,
                jct_mean_s: Some(9000.0 + wait),
                wait_mean_s: Some(wait),
                service_s: 1e6 * mean,
                entitled_s: 1e6,
                service_ratio,
                stretch_s: STRETCH_S,
            }
        })
        .collect()
}
