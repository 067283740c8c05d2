//! How many jobs a second the engine simulates, without what measures a run: a month of 100,000 jobs on 2,490 GPUs.

#![allow(clippy::unwrap_used, missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sts_sim::policy::{Params, spec};
use sts_sim::scenario::run::{generated, prepare};
use sts_sim::scenario::{PolicyChoice, Scenario};
use sts_sim::sim::simulate;

/// The month of the study, in rounds of 600 s without overheads.
fn month() -> Scenario {
    let mut scenario = Scenario::from_json(include_str!("../docs/study/month.json")).unwrap();
    scenario.round.restore_s = 0.0;
    scenario.policies = ["fifo", "srtf", "las"].map(PolicyChoice::named).to_vec();
    scenario
}

fn jobs_per_second(criterion: &mut Criterion) {
    let scenario = month();
    let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
    let mut group = criterion.benchmark_group("month");
    group.sample_size(10).throughput(Throughput::Elements(prepared.workload.jobs.len() as u64));
    for choice in &scenario.policies {
        let spec = spec(&choice.name).unwrap();
        let params = Params::check(spec.name, spec.params, &choice.params).unwrap();
        let build = spec.build.unwrap();
        group.bench_function(spec.name, |bench| {
            bench.iter(|| {
                let settings = scenario.round.settings();
                simulate(&prepared.cluster, &prepared.workload, settings, build(&params, 0), &mut ())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, jobs_per_second);
criterion_main!(benches);
