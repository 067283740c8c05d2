//! Slices of devices for policies that solve programs, and nodes that come and go for every policy.

use proptest::prelude::*;
use sts_sim::cluster::Cluster;
use sts_sim::policy::param::{ParamKind, ParamValue};
use sts_sim::policy::registry::policies;
use sts_sim::policy::{Params, PolicySpec};
use sts_sim::sim::{
    Boundary, Engine, FailureRate, Outages, PlannedChange, RoundSettings, RunRecord, Service,
};
use sts_sim::units::{NodeId, SimSpan};
use sts_sim::workload::BoundWorkload;

use super::checks::{check_space, check_work};
use super::mixed::{JobRow, cluster, rows, workload};
use super::world::{rounds, secs};

/// Policies whose rounds come from a program, an auction or a plan.
const OPTIMISERS: [&str; 15] = [
    "gavel-max-min",
    "gavel-water-filling",
    "gavel-max-sum",
    "gavel-makespan",
    "gavel-ftf",
    "oef-coop",
    "oef-noncoop",
    "themis",
    "allox",
    "sia",
    "optimus",
    "shockwave",
    "hadar",
    "gandiva-fair",
    "sts-fairness",
];

fn simulated() -> impl Iterator<Item = &'static PolicySpec> {
    policies().iter().filter(|policy| policy.build.is_some())
}

fn optimisers() -> impl Iterator<Item = &'static PolicySpec> {
    policies().iter().filter(|policy| OPTIMISERS.contains(&policy.name))
}

/// The parameters without any, and with every word of `sharing`.
fn sharings(policy: &PolicySpec) -> Vec<Params> {
    let check = |given| Params::check(policy.name, policy.params, &given).unwrap();
    let mut all = vec![check([].into())];
    for param in policy.params.iter().filter(|param| param.name == "sharing") {
        let ParamKind::Choice(words) = param.kind else { continue };
        let named = |word: &str| check([("sharing".to_owned(), ParamValue::Word(word.to_owned()))].into());
        all.extend(words.iter().map(|(word, _)| named(word)));
    }
    all
}

/// The layouts, or one MIG type among them where the policy serves no others.
fn served_layouts(policy: &PolicySpec, params: &Params, layouts: &[u8]) -> Vec<u8> {
    let cluster = cluster(layouts);
    let nobody = workload(&cluster, &[]);
    let refuses = policy.refuses.is_some_and(|refuses| refuses(&cluster, &nobody, params).is_some());
    layouts.iter().copied().chain(refuses.then_some(2)).collect()
}

/// The cluster with the jobs, or with their single devices alone where the policy serves no gangs.
fn served(policy: &PolicySpec, params: &Params, cluster: &Cluster, list: &[JobRow]) -> BoundWorkload {
    let all = workload(cluster, list);
    if policy.refuses.is_none_or(|refuses| refuses(cluster, &all, params).is_none()) {
        return all;
    }
    let singles: Vec<JobRow> = list.iter().map(|&(s, d, quarters, t)| (s, d, quarters.min(4), t)).collect();
    workload(cluster, &singles)
}

fn run(
    policy: &PolicySpec,
    params: &Params,
    cluster: &Cluster,
    workload: &BoundWorkload,
    outages: Outages,
) -> RunRecord {
    let settings = RoundSettings {
        start_cost: SimSpan::from_secs(5.0),
        restore_cost: SimSpan::from_secs(5.0),
        checkpoint: Some(SimSpan::from_secs(50.0)),
        ..rounds(100.0, Boundary::Refill)
    };
    let policy = policy.build.unwrap()(params, 7);
    Engine::new(cluster, workload, settings, policy).with_outages(outages).run(&mut ())
}

/// Nothing runs on a node that is out of service.
fn check_outages(cluster: &Cluster, record: &RunRecord, name: &str) {
    for outage in &record.outages {
        for segment in record.segments.iter().filter(|s| s.from < outage.to && s.to > outage.from) {
            let parts = record.parts(segment);
            let touches = parts.iter().any(|part| cluster.node_of(part.device) == outage.node);
            assert!(!touches, "{name}: {segment:?} during {outage:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn slices_are_shared_without_overlap_and_gangs_are_whole(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
    ) {
        let cluster = cluster(&layouts);
        for policy in optimisers() {
            for params in sharings(policy) {
                let workload = served(policy, &params, &cluster, &rows);
                let record = run(policy, &params, &cluster, &workload, Outages::default());
                prop_assert_eq!(record.stopped, None, "{}", policy.name);
                check_space(&cluster, &workload, &record);
                check_work(&workload, &record);
            }
        }
    }

    #[test]
    fn no_job_is_lost_while_nodes_break_and_are_withdrawn(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
        seed in 0u64..1000,
        away in prop::collection::vec((0u32..2000, 1u32..500, 0usize..6), 0..3),
    ) {
        let rate = FailureRate {
            between_failures: SimSpan::from_secs(2_000.0),
            repair: SimSpan::from_secs(150.0),
        };
        for policy in simulated() {
            for params in sharings(policy) {
                let cluster = cluster(&served_layouts(policy, &params, &layouts));
                let workload = served(policy, &params, &cluster, &rows);
                let nodes = cluster.nodes().len();
                let planned: Vec<PlannedChange> = away
                    .iter()
                    .flat_map(|&(at, length, node)| {
                        let node = NodeId((node % nodes) as u32);
                        let change = |at: u32, service| PlannedChange { at: secs(f64::from(at)), node, service };
                        [change(at, Service::Out), change(at + length, Service::In)]
                    })
                    .collect();
                let outages = Outages::new(nodes, &planned, vec![Some(rate); nodes], seed);
                let record = run(policy, &params, &cluster, &workload, outages);
                prop_assert_eq!(record.stopped, None, "{}", policy.name);
                check_space(&cluster, &workload, &record);
                check_outages(&cluster, &record, policy.name);
                for (job, run) in workload.jobs.iter().zip(&record.jobs) {
                    let finish = run.finish;
                    prop_assert!(finish.is_some_and(|finish| finish >= job.submit), "{}", policy.name);
                }
            }
        }
    }
}

#[test]
fn the_list_of_optimisers_names_policies() {
    for name in OPTIMISERS {
        assert!(policies().iter().any(|policy| policy.name == name && policy.build.is_some()), "{name}");
    }
}
