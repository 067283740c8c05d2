//! Properties of all policies of the registry: whoever is added there is tested here.

use proptest::prelude::*;
use sts_sim::cluster::catalogue::model;
use sts_sim::cluster::{Cluster, Layout, NodeGroup};
use sts_sim::policy::param::{ParamKind, ParamValue};
use sts_sim::policy::registry::policies;
use sts_sim::policy::{Params, PolicySpec};
use sts_sim::sim::{Boundary, RoundSettings, RunRecord};
use sts_sim::units::{SimSpan, SimTime, TenantId, TypeId, Work};
use sts_sim::workload::BoundWorkload;

use super::checks::{check_busy, check_space, check_work};
use super::mixed::{JobRow, cluster, rows, workload};
use super::world::{rounds, run, run_with, schedule};

/// Policies whose documentation claims that nobody waits beside free devices that would do.
const CONSERVING: [&str; 15] = [
    "expression",
    "gittins",
    "optimus",
    "fgd",
    "fifo-backfill",
    "sjf",
    "srtf",
    "las",
    "tiresias",
    "round-robin",
    "equal-split",
    "drf",
    "proportional",
    "ltrf",
    "random",
];

/// Policies that treat tenants alike whatever their numbers.
const SYMMETRIC: [&str; 18] = [
    "expression",
    "gittins",
    "optimus",
    "hadar",
    "miso",
    "fgd",
    "fifo",
    "fifo-backfill",
    "easy",
    "sjf",
    "srtf",
    "las",
    "tiresias",
    "round-robin",
    "drf",
    "proportional",
    "ltrf",
    "random",
];

/// Policies in whose rule no time has a meaning of its own.
const TIMELESS: [&str; 13] = [
    "expression",
    "optimus",
    "fgd",
    "fifo",
    "fifo-backfill",
    "easy",
    "sjf",
    "srtf",
    "round-robin",
    "equal-split",
    "drf",
    "proportional",
    "ltrf",
];

/// Policies that solve linear programs with many optima: which of them a solver comes near depends on the order of the variables.
const OF_MANY_OPTIMA: [&str; 7] = [
    "gavel-max-min",
    "gavel-water-filling",
    "gavel-max-sum",
    "gavel-makespan",
    "gavel-ftf",
    "oef-coop",
    "oef-noncoop",
];

fn simulated() -> impl Iterator<Item = &'static PolicySpec> {
    policies().iter().filter(|policy| policy.build.is_some())
}

fn named(names: &[&str]) -> impl Iterator<Item = &'static PolicySpec> {
    simulated().filter(|policy| names.contains(&policy.name))
}

fn overheads(boundary: Boundary, overhead_s: f64) -> RoundSettings {
    let overhead = SimSpan::from_secs(overhead_s);
    RoundSettings {
        start_cost: overhead,
        restore_cost: overhead,
        reconfigure_cost: SimSpan::from_secs(overhead_s / 2.0),
        ..rounds(100.0, boundary)
    }
}

/// Every parameter with words, set to one of them.
fn words(policy: &PolicySpec, pick: usize) -> Vec<(String, ParamValue)> {
    let mut pick = pick;
    let mut values = Vec::new();
    for param in policy.params {
        let ParamKind::Choice(words) = param.kind else { continue };
        // A part that stays idle may keep a gang waiting for ever.
        let words: Vec<_> = words.iter().filter(|(word, _)| *word != "idle").collect();
        values.push((param.name.to_owned(), ParamValue::Word(words[pick % words.len()].0.to_owned())));
        pick /= words.len();
    }
    values
}

/// The first of these worlds, from what was asked for to ever simpler ones, that a policy serves.
fn served(policy: &PolicySpec, layouts: &[u8], list: &[JobRow]) -> (Cluster, BoundWorkload) {
    let singles: Vec<JobRow> = list.iter().map(|&(s, d, quarters, t)| (s, d, quarters.min(4), t)).collect();
    let params = Params::check(policy.name, policy.params, &Default::default()).unwrap();
    let worlds = [(layouts, list), (layouts, &singles[..]), (&[2, 4], list), (&[2, 4], &singles)];
    worlds
        .into_iter()
        .map(|(layouts, list)| (cluster(layouts), list))
        .map(|(cluster, list)| {
            let workload = workload(&cluster, list);
            (cluster, workload)
        })
        .find(|(cluster, workload)| {
            policy.refuses.is_none_or(|refuses| refuses(cluster, workload, &params).is_none())
        })
        .unwrap_or_else(|| panic!("{} refuses every world", policy.name))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn runs_respect_space_conserve_work_and_repeat(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
        boundary in prop::sample::select(vec![Boundary::Refill, Boundary::Idle]),
        overhead_s in prop::sample::select(vec![0.0, 7.5]),
        pick in 0usize..1000,
    ) {
        for policy in simulated() {
            let (cluster, workload) = served(policy, &layouts, &rows);
            for params in [vec![], words(policy, pick)] {
                let settings = overheads(boundary, overhead_s);
                let record = run_with(policy.name, &params, 7, &cluster, &workload, settings);
                prop_assert_eq!(record.stopped, None, "{} with {:?}", policy.name, params);
                check_space(&cluster, &workload, &record);
                check_work(&workload, &record);
                let again = run_with(policy.name, &params, 7, &cluster, &workload, settings);
                prop_assert!(record == again, "{} with {params:?} is not deterministic", policy.name);
            }
        }
    }

    #[test]
    fn nobody_waits_beside_what_would_do_where_a_policy_claims_so(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
    ) {
        for policy in named(&CONSERVING) {
            let (cluster, workload) = served(policy, &layouts, &rows);
            let record = run(policy.name, &cluster, &workload, rounds(100.0, Boundary::Refill));
            check_busy(&cluster, &workload, &record, policy.name);
        }
    }

    #[test]
    fn names_and_the_numbering_of_classes_mean_nothing(
        rows in rows(),
        layouts in prop::collection::vec(0u8..5, 1..4),
    ) {
        for policy in simulated().filter(|policy| !OF_MANY_OPTIMA.contains(&policy.name)) {
            let (cluster, workload) = served(policy, &layouts, &rows);
            let mut renamed = workload.clone();
            renamed.tenants.iter_mut().for_each(|tenant| tenant.name = format!("z{}", tenant.weight_micro));
            renamed.classes.reverse();
            let last = renamed.classes.len() as u32 - 1;
            renamed.jobs.iter_mut().for_each(|job| job.class.0 = last - job.class.0);
            let settings = overheads(Boundary::Refill, 7.5);
            let record = run(policy.name, &cluster, &workload, settings);
            let other = run(policy.name, &cluster, &renamed, settings);
            prop_assert!(record == other, "{} goes by names or numbers of classes", policy.name);
        }
    }

    #[test]
    fn the_numbering_of_tenants_means_nothing(rows in rows(), layouts in prop::collection::vec(0u8..5, 1..4)) {
        for policy in named(&SYMMETRIC) {
            let (cluster, workload) = served(policy, &layouts, &rows);
            let mut renumbered = workload.clone();
            renumbered.tenants.rotate_left(1);
            let tenants = renumbered.tenants.len() as u32;
            let before = |tenant: TenantId| TenantId((tenant.0 + tenants - 1) % tenants);
            renumbered.jobs.iter_mut().for_each(|job| job.tenant = before(job.tenant));
            let settings = overheads(Boundary::Refill, 7.5);
            let record = run(policy.name, &cluster, &workload, settings);
            let other = run(policy.name, &cluster, &renumbered, settings);
            prop_assert!(record == other, "{} goes by the numbers of tenants", policy.name);
        }
    }

    #[test]
    fn with_all_times_doubled_everything_takes_twice_as_long(rows in rows()) {
        for policy in named(&TIMELESS) {
            let cluster = cluster(&[0, 1]);
            let workload = workload(&cluster, &rows);
            let mut doubled = workload.clone();
            for job in &mut doubled.jobs {
                job.submit = SimTime(2 * job.submit.0);
                job.work = Work(2 * job.work.0);
            }
            let once = schedule(&run(policy.name, &cluster, &workload, rounds(100.0, Boundary::Refill)));
            let twice = schedule(&run(policy.name, &cluster, &doubled, rounds(200.0, Boundary::Refill)));
            let scaled: Vec<_> = once
                .into_iter()
                .map(|(job, from, to, option, parts)| (job, SimTime(2 * from.0), SimTime(2 * to.0), option, parts))
                .collect();
            prop_assert!(scaled == twice, "{} has a time of its own", policy.name);
        }
    }

    #[test]
    fn policies_without_preemption_never_preempt(rows in rows()) {
        let cluster = cluster(&[0, 1]);
        let workload = workload(&cluster, &rows);
        for policy in ["fifo", "fifo-backfill", "easy", "sjf", "random", "fgd", "expression"] {
            let record = run(policy, &cluster, &workload, rounds(100.0, Boundary::Refill));
            prop_assert!(record.jobs.iter().all(|job| job.preemptions == 0 && job.migrations == 0), "{}", policy);
        }
    }

    #[test]
    fn on_one_device_every_policy_is_busy_while_there_is_work(rows in rows()) {
        let model = model("P100").unwrap();
        let cluster =
            Cluster::new(&[NodeGroup { model, nodes: 1, gpus_per_node: 1, layout: Layout::Whole }]).unwrap();
        let rows: Vec<JobRow> = rows.into_iter().map(|(s, d, _, t)| (s, d, 4, t)).collect();
        let workload = workload(&cluster, &rows);
        // The end of the last busy period does not depend on the order of service.
        let end = |policy: &str| run(policy, &cluster, &workload, rounds(100.0, Boundary::Refill)).end;
        for policy in named(&CONSERVING) {
            prop_assert_eq!(end(policy.name), end("fifo"), "{}", policy.name);
        }
    }
}

#[test]
fn a_job_takes_the_type_that_runs_it_fastest() {
    let cluster = cluster(&[0, 1]);
    let workload = workload(&cluster, &[(0, 100, 4, 0)]);
    let settings = rounds(100.0, Boundary::Refill);
    let type_of = |record: &RunRecord| record.segments[0].type_id;
    // The test cluster makes earlier types faster. FGD goes by fragmentation instead.
    for policy in named(&SYMMETRIC).filter(|policy| policy.name != "fgd") {
        assert_eq!(type_of(&run(policy.name, &cluster, &workload, settings)), TypeId(0), "{}", policy.name);
    }
}

#[test]
fn the_lists_here_name_policies() {
    for name in CONSERVING.iter().chain(&SYMMETRIC).chain(&TIMELESS) {
        assert!(policies().iter().any(|policy| policy.name == *name), "{name}");
    }
}

#[test]
#[should_panic(expected = "job 2 waits")]
fn the_check_for_idle_devices_finds_out_who_holds_up_others() {
    let cluster = cluster(&[0]);
    let workload = workload(&cluster, &[(0, 100, 12, 0), (1, 100, 8, 0), (2, 10, 4, 0)]);
    let record = run("fifo", &cluster, &workload, rounds(100.0, Boundary::Refill));
    check_busy(&cluster, &workload, &record, "fifo");
}
