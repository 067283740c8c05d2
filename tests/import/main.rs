//! Importing job traces through the public door.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test fails by panicking, and figures that must be exact are compared exactly"
)]

mod archives;
mod bytes;
mod clusters;
mod export;
mod formats;
mod joined;
mod mapping;
mod properties;
mod real_files;
mod refusals;
mod repairs;
mod reports;
mod simulators;
mod slurm;
mod swf;
mod tables;
mod values;

use std::io::Write as _;

use sts_sim::trace::{Import, ImportOptions, ImportReport, Imported, Refusal, import_reader};
use sts_sim::workload::JobRecord;

/// The hand-made files of every format.
const FIXTURES: &[(&str, &[u8])] = &[
    ("helios-csv", include_bytes!("../fixtures/traces/helios.csv")),
    ("philly-json", include_bytes!("../fixtures/traces/philly.json")),
    ("elasticflow", include_bytes!("../fixtures/traces/elasticflow_raw.csv")),
    ("elasticflow", include_bytes!("../fixtures/traces/elasticflow_generated.csv")),
    ("sacct", include_bytes!("../fixtures/traces/sacct.txt")),
    ("sacct", include_bytes!("../fixtures/traces/sacct_xdmod.txt")),
    ("sacct", include_bytes!("../fixtures/traces/sacct_sonar.txt")),
    ("sts-csv", include_bytes!("../fixtures/traces/sts.csv")),
    ("acme-seren", include_bytes!("../fixtures/traces/acme_seren.csv")),
    ("acme-kalos", include_bytes!("../fixtures/traces/acme_kalos.csv")),
    ("openb-2023", include_bytes!("../fixtures/traces/openb_pods.csv")),
    ("dlrm-2025", include_bytes!("../fixtures/traces/dlrm.csv")),
    ("spot-2026", include_bytes!("../fixtures/traces/spot_jobs.csv")),
    ("helios-csv", include_bytes!("../fixtures/traces/helios_canonical.csv")),
    ("generic-csv", include_bytes!("../fixtures/traces/generic_gen_parallel.csv")),
    ("sacct", include_bytes!("../fixtures/traces/sacct_guessed.txt")),
    ("sacct", include_bytes!("../fixtures/traces/sacct_pairs.txt")),
    ("pbs", include_bytes!("../fixtures/traces/pbs.txt")),
    ("sacct-json", include_bytes!("../fixtures/traces/sacct.json")),
    ("supercloud", include_bytes!("../fixtures/traces/supercloud.csv")),
    ("k8s-json", include_bytes!("../fixtures/traces/k8s_workloads.json")),
    ("k8s-json", include_bytes!("../fixtures/traces/k8s_mixed.json")),
    ("batsim", include_bytes!("../fixtures/traces/batsim.json")),
    ("tiresias", include_bytes!("../fixtures/traces/tiresias.csv")),
    ("tiresias", include_bytes!("../fixtures/traces/tiresias_older.csv")),
    ("muri", include_bytes!("../fixtures/traces/muri.csv")),
    ("chronus", include_bytes!("../fixtures/traces/chronus.csv")),
    ("titan", include_bytes!("../fixtures/traces/titan.csv")),
    ("pollux", include_bytes!("../fixtures/traces/pollux.csv")),
    ("pollux", include_bytes!("../fixtures/traces/pollux_indexed.csv")),
    ("shockwave", include_bytes!("../fixtures/traces/shockwave.trace")),
    ("gavel", include_bytes!("../fixtures/traces/gavel_7.trace")),
    ("gavel", include_bytes!("../fixtures/traces/gavel_10.trace")),
    ("gavel", include_bytes!("../fixtures/traces/gavel_11.trace")),
    ("swf", include_bytes!("../fixtures/traces/swf.swf")),
];

fn import(bytes: &[u8]) -> Result<Imported, Refusal> {
    import_reader("trace", bytes, &ImportOptions::default())
}

fn import_as(format: &str, bytes: &[u8]) -> Result<Imported, Refusal> {
    import_reader("trace", bytes, &ImportOptions { format: Some(format.into()), ..ImportOptions::default() })
}

/// Feeds `bytes` cut at the given places.
fn import_cut(bytes: &[u8], cuts: &[usize]) -> Result<Imported, Refusal> {
    let mut import = Import::new(&ImportOptions::default())?;
    import.next_file("trace")?;
    let mut from = 0;
    for &cut in cuts {
        import.feed(&bytes[from..cut])?;
        from = cut;
    }
    import.feed(&bytes[from..])?;
    import.finish()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

fn job<'a>(imported: &'a Imported, id: &str) -> &'a JobRecord {
    let names = &imported.workload.names;
    let at = (0..names.len()).find(|&at| names.get(at) == id).unwrap_or_else(|| panic!("no job {id:?}"));
    &imported.workload.jobs[at]
}

fn warning(report: &ImportReport, code: &str) -> u64 {
    report.warnings.iter().find(|w| w.code == code).map_or(0, |w| w.count)
}

fn assert_accounts(report: &ImportReport) {
    assert_eq!(report.jobs + report.skipped_count() + report.rejected_count, report.records);
    assert_eq!(report.gpu_jobs + report.zero_gpu_jobs, report.jobs);
    assert!(report.rejected.len() as u64 <= report.rejected_count);
}
