//! Gavel's example over many rounds, through the engine.

use sts_sim::sim::Boundary;

use crate::world::{Job, rounds_had, run};

#[test]
fn everybody_has_twelve_elevenths_of_the_equal_split_in_gavels_example() {
    let job = |fast: f64, slow: f64| Job {
        tenant: 0,
        submit_s: 0.0,
        work_s: 1e7,
        options: vec![(0, 1, 1.0), (1, 1, slow / fast)],
    };
    let jobs = [job(40.0, 10.0), job(12.0, 4.0), job(100.0, 50.0)];
    let record = run("gavel-max-min", &[], &[("V100-16", 1), ("K80", 1)], &jobs, 360.0, Boundary::Refill);
    let x = [[5.0, 0.0], [5.0, 1.0], [1.0, 10.0]];
    for rounds in [110.0, 330.0, 1100.0] {
        let had = rounds_had(&record, 3, 2, 360.0, 360.0 * rounds);
        for (job, (had, x)) in had.iter().zip(x).enumerate() {
            for (had, x) in had.iter().zip(x) {
                assert!((had - x / 11.0 * rounds).abs() <= 1.01, "job {job}: {had} of {}", x / 11.0 * rounds);
            }
        }
        let speeds = [[40.0, 10.0], [12.0, 4.0], [100.0, 50.0]];
        for (had, speeds) in had.iter().zip(speeds) {
            let done: f64 = had.iter().zip(speeds).map(|(had, speed)| had * speed).sum();
            let split = rounds * (speeds[0] + speeds[1]) / 3.0;
            assert!((done / split - 12.0 / 11.0).abs() < 4.0 / rounds, "{done} of {split}");
        }
    }
}
