//! Policies that weigh what jobs gain: the Gittins index, Optimus, Hadar, MISO, FGD.

use proptest::prelude::*;
use sts_sim::cluster::{Layout, MigMode};
use sts_sim::policy::{Params, spec};
use sts_sim::sim::{Boundary, RunRecord, Segment};
use sts_sim::units::JobId;
use sts_sim::workload::BoundWorkload;

use super::world::{
    Row, add_job, finishes, nodes, number, one_type, rounds, row, run, run_with, schedule, secs, starts,
    tenants, word, workload,
};

fn empty() -> BoundWorkload {
    BoundWorkload { tenants: tenants(&[1_000_000]), ..BoundWorkload::default() }
}

/// What a job holds at a moment.
fn holding(record: &RunRecord, job: u32, at_s: f64) -> Option<&Segment> {
    let at = secs(at_s);
    record.segments.iter().find(|s| s.job == JobId(job) && s.from <= at && at < s.to)
}

fn single_rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((0u32..300, 1u32..60), 1..30)
        .prop_map(|list| list.iter().map(|&(s, d)| row(f64::from(s), f64::from(d), 1, 0)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Under a distribution whose hazard never falls, such as the geometric up to its last value, nobody who has begun is passed.
    #[test]
    fn gittins_is_fifo_where_the_hazard_never_falls(
        submits in prop::collection::vec(0u32..100, 31),
        order in Just((0..31).collect::<Vec<usize>>()).prop_shuffle(),
        devices in 1u32..4,
    ) {
        // 16 jobs of one round, 8 of two, and so on, and one more of the longest.
        let lengths = (0..31u32).map(|i| (f64::from(i + 1).log2().floor()) as u32);
        let lengths: Vec<f64> = lengths.map(|level| f64::from(5 - level) * 10.0).collect();
        let rows: Vec<Row> =
            submits.iter().zip(&order).map(|(&s, &i)| row(f64::from(s), lengths[i], 1, 0)).collect();
        let workload = workload(&[1], &rows);
        let settings = rounds(10.0, Boundary::Idle);
        let record = run("gittins", &one_type(devices), &workload, settings);
        let fifo = run("fifo", &one_type(devices), &workload, settings);
        prop_assert_eq!(schedule(&record), schedule(&fifo));
    }

    #[test]
    fn gittins_is_fifo_where_all_jobs_are_alike(submits in prop::collection::vec(0u32..300, 1..30)) {
        let rows: Vec<Row> = submits.iter().map(|&s| row(f64::from(s), 25.0, 1, 0)).collect();
        let workload = workload(&[1], &rows);
        let settings = rounds(10.0, Boundary::Refill);
        let fifo = run("fifo", &one_type(2), &workload, settings);
        for source in ["workload", "completed"] {
            let params = [word("distribution", source)];
            let record = run_with("gittins", &params, 7, &one_type(2), &workload, settings);
            prop_assert_eq!(schedule(&record), schedule(&fifo));
        }
    }

    #[test]
    fn optimus_with_fixed_sizes_serves_the_smallest_first(rows in single_rows(), devices in 1u32..4) {
        // All of one GPU: in the order of submission.
        let workload = workload(&[1], &rows);
        let settings = rounds(10.0, Boundary::Refill);
        let record = run("optimus", &one_type(devices), &workload, settings);
        prop_assert_eq!(schedule(&record), schedule(&run("fifo", &one_type(devices), &workload, settings)));
    }

    #[test]
    fn fgd_with_one_kind_of_job_is_fifo(rows in single_rows(), devices in 1u32..4) {
        let workload = workload(&[1], &rows);
        let settings = rounds(10.0, Boundary::Refill);
        let record = run("fgd", &one_type(devices), &workload, settings);
        let fifo = run("fifo", &one_type(devices), &workload, settings);
        prop_assert_eq!(starts(&record), starts(&fifo));
    }
}

#[test]
fn gittins_lets_short_jobs_pass_where_few_are_long() {
    // Nine jobs of a second and one of a hundred, which has shown after a round that it is long.
    let mut rows = vec![row(0.0, 100.0, 1, 0)];
    rows.extend((0..9).map(|index| row(10.0 + f64::from(index), 1.0, 1, 0)));
    let record = run("gittins", &one_type(1), &workload(&[1], &rows), rounds(1.0, Boundary::Refill));
    assert_eq!(finishes(&record), [109.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]);
    // Before a job has completed nothing is known, and the long one is not interrupted.
    let params = [word("distribution", "completed")];
    let workload = workload(&[1], &rows);
    let record = run_with("gittins", &params, 7, &one_type(1), &workload, rounds(1.0, Boundary::Refill));
    assert_eq!(finishes(&record)[..1], [100.0]);
}

#[test]
fn optimus_gives_what_is_free_to_the_job_that_gains_most() {
    // On one device of four slots both start with one. Going from one slot to two saves A 100 s − 50 s = 50 s for a slot, and B
    // 100 s − 80 s = 20 s; A's step from two to four would save 10 s for two.
    let cluster = nodes(&[("V100-16", 1, Layout::Uniform(4))]);
    let mut workload = empty();
    add_job(&mut workload, 0.0, 50.0, 1.0, &[(0, 1, 1, 0.5), (0, 2, 1, 1.0), (0, 4, 1, 1.25)]);
    add_job(&mut workload, 0.0, 50.0, 1.0, &[(0, 1, 1, 0.5), (0, 2, 1, 0.625), (0, 4, 1, 1.0)]);
    let params = [word("sharing", "elastic")];
    let record = run_with("optimus", &params, 7, &cluster, &workload, rounds(1000.0, Boundary::Idle));
    let slots = |job| holding(&record, job, 1.0).map(|s| s.slots);
    assert_eq!([slots(0), slots(1)], [Some(2), Some(2)]);
    // With a third job only two slots are left for growth, and the one that gains most has them.
    add_job(&mut workload, 0.0, 50.0, 1.0, &[(0, 1, 1, 0.5), (0, 2, 1, 0.625), (0, 4, 1, 1.0)]);
    let record = run_with("optimus", &params, 7, &cluster, &workload, rounds(1000.0, Boundary::Idle));
    let slots = |job| holding(&record, job, 1.0).map(|s| s.slots);
    assert_eq!([slots(0), slots(1), slots(2)], [Some(2), Some(1), Some(1)]);
    // Whole devices: the gang of one goes before the gang of two that came first.
    let rows = [row(0.0, 10.0, 2, 0), row(0.0, 10.0, 1, 0)];
    let record =
        run("optimus", &one_type(2), &super::world::workload(&[1], &rows), rounds(100.0, Boundary::Refill));
    assert_eq!(starts(&record), [10.0, 0.0]);
}

#[test]
fn hadar_puts_each_job_where_it_pays_most() {
    // Two types with a device each. A runs half as fast on the second, B nine tenths as fast.
    let cluster = nodes(&[("V100-16", 1, Layout::Whole), ("P100", 1, Layout::Whole)]);
    let mut workload = empty();
    add_job(&mut workload, 0.0, 100.0, 1.0, &[(0, 1, 1, 1.0), (1, 1, 1, 0.9)]);
    add_job(&mut workload, 0.0, 100.0, 1.0, &[(0, 1, 1, 1.0), (1, 1, 1, 0.5)]);
    let settings = rounds(1000.0, Boundary::Refill);
    let record = run("hadar", &cluster, &workload, settings);
    let type_of = |record: &RunRecord, job| holding(record, job, 1.0).map(|s| s.type_id.0);
    assert_eq!([type_of(&record, 0), type_of(&record, 1)], [Some(1), Some(0)]);
    // Job by job, the first takes what is best for it.
    let greedy = run_with("hadar", &[number("states", 1.0)], 7, &cluster, &workload, settings);
    assert_eq!(type_of(&greedy, 0), Some(0));
}

#[test]
fn hadar_with_one_job_runs_it_at_once_on_its_best_type() {
    let cluster = nodes(&[("V100-16", 1, Layout::Whole), ("P100", 1, Layout::Whole)]);
    let mut workload = empty();
    add_job(&mut workload, 5.0, 100.0, 1.0, &[(0, 1, 1, 0.5), (1, 1, 1, 1.0)]);
    assert_eq!(finishes(&run("hadar", &cluster, &workload, rounds(10.0, Boundary::Refill))), [105.0]);
}

const A100: [(&str, u32, Layout); 1] = [("A100-80", 2, Layout::Mig(MigMode::Strict))];

#[test]
fn miso_with_a_job_a_gpu_gives_each_a_whole_gpu() {
    let mut workload = empty();
    for _ in 0..2 {
        add_job(&mut workload, 0.0, 100.0, 1.0, &[(0, 1, 1, 0.3), (0, 3, 1, 0.8), (0, 7, 1, 1.0)]);
    }
    let record = run("miso", &nodes(&A100), &workload, rounds(10.0, Boundary::Refill));
    assert_eq!(finishes(&record), [100.0, 100.0]);
    assert!(record.segments.iter().all(|segment| segment.slots == 7));
}

#[test]
fn miso_cuts_a_gpu_as_its_jobs_run_fastest_in_sum() {
    let cluster = nodes(&[("A100-80", 1, Layout::Mig(MigMode::Strict))]);
    let mut workload = empty();
    // 3g and 4g either way round: 0.5 + 0.85 or 0.9 + 0.8.
    add_job(&mut workload, 0.0, 1000.0, 1.0, &[(0, 3, 1, 0.5), (0, 4, 1, 0.9), (0, 7, 1, 1.0)]);
    add_job(&mut workload, 0.0, 1000.0, 1.0, &[(0, 3, 1, 0.8), (0, 4, 1, 0.85), (0, 7, 1, 1.0)]);
    let record = run("miso", &cluster, &workload, rounds(10.0, Boundary::Refill));
    let slots = |record: &RunRecord, job, at| holding(record, job, at).map(|s| s.slots);
    assert_eq!([slots(&record, 0, 1.0), slots(&record, 1, 1.0)], [Some(4), Some(3)]);
    // A third job that needs 3g finds no room beside them; one of 1g does not either, since 3g+3g+1g is not to be had.
    add_job(&mut workload, 0.0, 1000.0, 1.0, &[(0, 1, 1, 0.2), (0, 7, 1, 1.0)]);
    let record = run("miso", &cluster, &workload, rounds(10.0, Boundary::Refill));
    assert_eq!(slots(&record, 2, 1.0), None);
    // As soon as one of the two is done, the third has its place; and the last one has the whole GPU.
    assert_eq!(slots(&record, 2, 1115.0), Some(1));
    assert_eq!(record.segments.iter().filter(|s| s.job == JobId(2)).map(|s| s.slots).max(), Some(7));
}

#[test]
fn miso_refuses_a_cluster_without_mig() {
    let policy = spec("miso").unwrap();
    let refusal = |cluster| policy.refuses.unwrap()(&cluster, &empty(), &Params::default());
    assert!(refusal(one_type(2)).is_some_and(|why| why.contains("mig")));
    assert_eq!(refusal(nodes(&A100)), None);
}

#[test]
fn fgd_takes_the_type_where_a_job_leaves_gangs_their_room() {
    // Most jobs want all four V100s, or the P100. The second job would be faster on a V100.
    let cluster = nodes(&[("V100-16", 4, Layout::Whole), ("P100", 1, Layout::Whole)]);
    let mut workload = empty();
    add_job(&mut workload, 0.0, 100.0, 1.0, &[(0, 1, 1, 1.0), (1, 1, 1, 0.5)]);
    for _ in 0..3 {
        add_job(&mut workload, 1.0, 10.0, 4.0, &[(0, 1, 4, 1.0)]);
    }
    let settings = rounds(10.0, Boundary::Refill);
    assert_eq!(starts(&run("fgd", &cluster, &workload, settings)), [0.0, 1.0, 11.0, 21.0]);
    assert_eq!(starts(&run("fifo-backfill", &cluster, &workload, settings)), [0.0, 100.0, 110.0, 120.0]);
}

#[test]
fn fgd_puts_a_slice_where_it_wastes_least() {
    // Two devices of four slots; half of the jobs want a whole one, a quarter two slots, a quarter one.
    let cluster = nodes(&[("V100-16", 2, Layout::Uniform(4))]);
    let mut workload = empty();
    add_job(&mut workload, 0.0, 100.0, 0.25, &[(0, 1, 1, 0.25), (0, 4, 1, 1.0)]);
    add_job(&mut workload, 1.0, 100.0, 0.5, &[(0, 2, 1, 0.5), (0, 4, 1, 1.0)]);
    for _ in 0..2 {
        add_job(&mut workload, 2.0, 10.0, 1.0, &[(0, 4, 1, 1.0)]);
    }
    let params = [word("sharing", "requested")];
    let record = run_with("fgd", &params, 7, &cluster, &workload, rounds(10.0, Boundary::Refill));
    let device = |job| holding(&record, job, 3.0).map(|s| record.parts(s)[0]);
    assert_eq!(device(0).map(|part| (part.device.0, part.first_slot)), Some((0, 0)));
    assert_eq!(device(1).map(|part| (part.device.0, part.first_slot)), Some((0, 2)));
    assert_eq!(device(2).map(|part| part.device.0), Some(1));
}
