//! How many jobs a second the engine simulates, without what measures a run: a month of 100,000 jobs on 2,490 GPUs.
//! `cargo xtask bench` adds WebAssembly.

#![allow(clippy::unwrap_used, missing_docs)]

#[path = "engine/month.rs"]
mod month;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn jobs_per_second(criterion: &mut Criterion) {
    let scenario = month::month(100_000);
    let prepared = month::bound(&scenario);
    let mut group = criterion.benchmark_group("month");
    group.sample_size(10).throughput(Throughput::Elements(prepared.workload.jobs.len() as u64));
    for policy in month::POLICIES {
        group.bench_function(policy, |bench| bench.iter(|| month::run(&scenario, &prepared, policy)));
    }
    group.finish();
}

criterion_group!(benches, jobs_per_second);
criterion_main!(benches);
