//! Gavel's simulator on its own trace of 500 jobs, from the bytes of the files to the results.
//!
//! The files are those of the folder that `STS_SHARED` names (default `../shared/data`).

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use sts_sim::gavel::policy::PolicyName;
use sts_sim::gavel::simulator::GAVELS_ROUND_S;
use sts_sim::gavel::table::Packing;
use sts_sim::gavel::{Cluster, Options, Table, simulate, trace};

fn gavel(criterion: &mut Criterion) {
    let shared = std::env::var("STS_SHARED").unwrap_or_else(|_| "../shared/data".into());
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(shared).join("gavel");
    let throughputs = std::fs::read(folder.join("simulation_throughputs.json"));
    let jobs = std::fs::read_to_string(folder.join("traces/philly_mg_500_l1800_s0.trace"));
    let (Ok(throughputs), Ok(jobs)) = (throughputs, jobs) else {
        println!("skipped: {} is not there (set STS_SHARED)", folder.display());
        return;
    };
    criterion.bench_function("gavel/read the table", |bench| {
        bench.iter(|| black_box(Table::read(&throughputs, Packing::Skip)).is_ok());
    });
    let counts = || "36:36:36".parse();
    let (Ok(table), Ok(jobs)) = (Table::read(&throughputs, Packing::Skip), trace::read(&jobs)) else {
        return;
    };
    let (Ok(gpus), Ok(per_server)) = (counts(), "4:4:4".parse()) else { return };
    let Ok(cluster) = Cluster::new(gpus, per_server) else { return };
    let mut group = criterion.benchmark_group("gavel/500 jobs");
    group.sample_size(10);
    for name in ["fifo_perf", "isolated", "max_min_fairness_perf", "finish_time_fairness_perf"] {
        let Ok(policy) = PolicyName::parse(name) else { return };
        let options = Options { cluster: cluster.clone(), policy, seed: 0, round_s: GAVELS_ROUND_S };
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let outcome = simulate(&jobs, &table, &options, &mut *policy.make(0), &mut ());
                black_box(outcome).is_ok()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, gavel);
criterion_main!(benches);
