//! CPU time of whole rounds, floors included: cold, and warm after an earlier round. `cargo bench --bench solver`.

#[cfg(not(target_arch = "wasm32"))]
mod solver {
    #[allow(dead_code, reason = "shared with other benchmarks and tests")]
    pub(crate) mod classes;
    pub(crate) mod cpu_time;
    #[allow(dead_code, reason = "shared with other benchmarks and tests")]
    pub(crate) mod rounds;
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    rounds::measure();
}

#[cfg(not(target_arch = "wasm32"))]
mod rounds {
    use std::hint::black_box;
    use std::time::Duration;

    use super::solver::classes::{CLASSES, Worth, round};
    use super::solver::cpu_time::CpuTime;
    use super::solver::rounds::{Kept, Programs};
    use criterion::{BatchSize, Criterion};

    /// 64 GPUs and 150 jobs, 192 and 600 on 449^3 states, 2,490 and 5,000 on three types and on four, gangs, strict MIG.
    const MEASURED: [&str; 6] = ["M150", "L600x7", "P5000", "K4P5000", "gangL", "migL"];
    /// Instances of each.
    const SEEDS: u64 = 6;

    pub(super) fn measure() {
        let mut criterion = Criterion::default()
            .with_measurement(CpuTime::default())
            .sample_size(10)
            .measurement_time(Duration::from_secs(2))
            .configure_from_args();
        for class in CLASSES.iter().filter(|c| MEASURED.contains(&c.name)) {
            let mut group = criterion.benchmark_group(class.name);
            for seed in 0..SEEDS {
                let first = round(class, Worth::Mix, seed);
                let cold = Programs::of(&first);
                group.bench_function(format!("cold/{seed}"), |b| {
                    b.iter_batched_ref(
                        || (cold.clone(), Kept::default()),
                        |(programs, kept)| black_box(programs.solve(kept)),
                        BatchSize::PerIteration,
                    );
                });
                let warm = Programs::of(&first.drift(seed));
                let mut kept = Kept::default();
                group.bench_function(format!("warm/{seed}"), |b| {
                    b.iter_batched_ref(
                        || {
                            // Prices of the first round, whatever was solved in between.
                            kept = Kept::default();
                            cold.clone().solve(&mut kept);
                            (warm.clone(), std::mem::take(&mut kept))
                        },
                        |(programs, kept)| black_box(programs.solve(kept)),
                        BatchSize::PerIteration,
                    );
                });
            }
        }
        criterion.final_summary();
    }
}
