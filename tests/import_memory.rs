//! How much memory a workload takes when it has been read: at most 100 bytes a job beside its texts.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../fuzz/counting.rs"]
mod counting;

use std::fmt::Write as _;

use counting::counted;
use sts_sim::trace::{Import, ImportOptions};

const JOBS: usize = 150_000;
/// Bytes a job may take beside its texts.
const BYTES_A_JOB: usize = 100;
/// Bytes of the report and of what takes the same whatever the number of jobs.
const BYTES_ONCE: usize = 1 << 16;

/// How the rows of a table are sorted.
#[derive(Clone, Copy)]
enum Order {
    Submission,
    Reverse,
}

/// A table with every column.
fn table(order: Order) -> String {
    let mut text = String::from(
        "job,tenant,user,submit_s,gpus,workers,gpu_type,duration_s,start_s,end_s,model,min_slots,memory_gb,outcome,limit_s\n",
    );
    for n in 0..JOBS {
        let submit = 10
            * match order {
                Order::Submission => n,
                Order::Reverse => JOBS - n,
            };
        writeln!(
            text,
            "job-{n},vc{},user{},{submit},{},1,A100-80,600,{},{},bert,0,16,completed,7200",
            n % 30,
            n % 800,
            1 + n % 8,
            submit + 60,
            submit + 660,
        )
        .unwrap();
    }
    text
}

/// One test, since what it counts is the memory of the whole process.
#[test]
fn a_job_takes_at_most_100_bytes_beside_its_texts() {
    let cases = [
        (Order::Submission, true),
        (Order::Submission, false),
        (Order::Reverse, true),
        (Order::Reverse, false),
    ];
    for (order, size_is_known) in cases {
        let text = table(order);
        let read = counted(|| {
            let mut import = Import::new(&ImportOptions::default()).unwrap();
            if size_is_known {
                import.expect(text.len() as u64, u64::MAX);
            }
            import.read("table.csv", text.as_bytes()).unwrap();
            import.finish().unwrap()
        });
        let workload = &read.value.workload;
        assert_eq!(workload.jobs.len(), JOBS);
        let ids: usize = (0..JOBS).map(|at| workload.names.get(at).len()).sum();
        let tables = [&workload.tenants, &workload.users, &workload.gpu_types, &workload.models];
        let names: usize = tables.into_iter().flatten().map(|name| name.len() + size_of::<String>()).sum();
        // A text that grows may have some of its memory to spare.
        let texts = ids + ids / 8 + 2 * names;
        let most = JOBS * BYTES_A_JOB + texts + BYTES_ONCE;
        assert!(
            read.kept <= most,
            "{} bytes a job beside texts",
            read.kept.saturating_sub(texts + BYTES_ONCE) / JOBS
        );
    }
}
