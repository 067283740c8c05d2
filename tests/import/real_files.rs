//! Real traces beside the checkout give the figures that are known of them.

use std::path::PathBuf;

use serde_json::Value;
use sts_sim::trace::{Import, ImportOptions, Refusal, WorkloadDigest, import_reader, node_lists};

use crate::assert_accounts;
use crate::export::{through_csv, through_json};

fn shared() -> Option<PathBuf> {
    let folder = std::env::var("STS_SHARED").unwrap_or_else(|_| "../shared/data".into());
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder).join("traces");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("STS_REQUIRE_SHARED").as_deref() != Ok("1"), "{} is not there", folder.display());
    println!("skipped: {} is not there (set STS_SHARED)", folder.display());
    None
}

fn assert_near(file: &str, key: &str, found: &Value, expected: &Value) {
    let near = match (found.as_f64(), expected.as_f64()) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 0.001,
        _ => found == expected,
    };
    assert!(near, "{file}: {key} is {found}, expected {expected}");
}

#[test]
fn real_files_give_the_known_figures() {
    let Some(folder) = shared() else { return };
    let expected: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("EXPECTED.json")).unwrap()).unwrap();
    let mut files = 0;
    for (file, figures) in expected.as_object().unwrap() {
        let is_nodes = figures.get("nodes").is_some();
        files += 1;
        let read = std::fs::File::open(folder.join(file)).unwrap();
        let result = import_reader(file, read, &ImportOptions::default());
        if is_nodes {
            let Err(Refusal::NodeList { files }) = result else { panic!("{file}: {result:?}") };
            let report = serde_json::to_value(node_lists(&files).next().unwrap().1).unwrap();
            for (key, figure) in figures.as_object().unwrap() {
                assert_near(file, key, &report[key], figure);
            }
            continue;
        }
        let imported = result.unwrap_or_else(|refused| panic!("{file}: {refused}"));
        assert_accounts(&imported.report);
        let report = serde_json::to_value(&imported.report).unwrap();
        let digest = WorkloadDigest::of(&imported.workload);
        for (key, figure) in figures.as_object().unwrap() {
            match key.as_str() {
                "state" | "status" => assert_eq!(&report["states"], figure, "{file}"),
                "gpu_hist_top" => {
                    for pair in figure.as_array().unwrap() {
                        let gpus: f64 = pair[0].as_str().unwrap().parse().unwrap();
                        let size = digest.gpu_sizes.iter().find(|s| s.gpus == gpus).unwrap();
                        assert_eq!(size.jobs, pair[1].as_u64().unwrap(), "{file}: {gpus} GPUs");
                    }
                }
                "typed" => {
                    for (kind, jobs) in figure.as_object().unwrap() {
                        let at = imported.workload.gpu_types.iter().position(|t| t == kind);
                        let count = imported
                            .workload
                            .jobs
                            .iter()
                            .filter(|j| j.gpu_type.map(|t| t as usize) == at)
                            .count();
                        assert_eq!(count as u64, jobs.as_u64().unwrap(), "{file}: {kind}");
                    }
                }
                _ if report.get(key).is_some() => assert_near(file, key, &report[key], figure),
                _ => {}
            }
        }
        assert_eq!(through_csv(&imported.workload), imported.workload, "{file}");
        assert_eq!(through_json(&imported.workload), imported.workload, "{file}");
    }
    assert!(files >= 15, "{files} files");
}

#[test]
fn real_files_that_are_no_traces_are_refused() {
    let Some(folder) = shared() else { return };
    for (file, word) in [
        ("philly_json/cluster_machine_list", "552 nodes"),
        ("helios_csv/Earth_gpu_number.first100.csv", "GPU quotas"),
        ("tiresias_csv/cluster_spec.csv", "16 nodes with 64 GPUs"),
        ("slurm_sacct/osc_sacct.txt", "the column Submit, without which nothing can be replayed; a run time"),
        ("slurm_sacct/osc_sacct.txt", "sacct -a -X -P"),
        ("slurm_sacct/vcell_sacct-simple-completed.txt", "Submit"),
        ("alibaba_pai_2020/pai_job_table.readme_row.csv", "pai_task_table"),
        ("alibaba_pai_2020/pai_task_table.header", "no job"),
        ("slurm_sacct/vcell_sacct-cancelled-by-user.txt", "sacct -a -X -P"),
    ] {
        let read = std::fs::File::open(folder.join(file)).unwrap();
        let refused = import_reader(file, read, &ImportOptions::default()).expect_err(file).to_string();
        assert!(refused.contains(word), "{file}: {refused}");
    }
    // Steps only, every row the same: read, and nothing in it is a job.
    let read = std::fs::File::open(folder.join("slurm_sacct/gcm_sample-sacct-output.txt")).unwrap();
    let report = import_reader("gcm", read, &ImportOptions::default()).unwrap().report;
    assert_eq!((report.records, report.jobs, report.skipped_count()), (68, 0, 68));
    assert!(report.warnings.iter().any(|w| w.code == "steps-only" && w.message.contains("-X")));
}

#[test]
fn the_published_rows_of_the_pai_tables_are_joined() {
    let Some(folder) = shared() else { return };
    let folder = folder.join("alibaba_pai_2020");
    let read = |files: &[&str]| {
        let mut import = Import::new(&ImportOptions::default()).unwrap();
        for file in files {
            import.read(file, std::fs::File::open(folder.join(file)).unwrap()).unwrap();
        }
        import.finish().unwrap().report
    };
    // The three published rows are of three jobs.
    let files = [
        "pai_task_table.header",
        "pai_machine_spec.header",
        "pai_machine_spec.first900.csv",
        "pai_group_tag_table.readme_row.csv",
        "pai_task_table.readme_row.csv",
        "pai_job_table.readme_row.csv",
    ];
    let report = read(&files);
    assert_eq!((report.records, report.jobs, report.zero_gpu_jobs), (1, 1, 1));
    assert_eq!(report.first_submit, Some(4_550_879.0));
    assert_eq!(report.node_lists().next().unwrap().1.gpus, 3314.0);
    // The task alone: one instance with half a GPU for 38 seconds.
    let report = read(&["pai_task_table.readme_row.csv"]);
    assert_eq!((report.jobs, report.gpus_requested_sum, report.max_duration_s), (1, 0.5, Some(38.0)));
}

/// The reader of Gavel's own simulator is an oracle of its own for the same files.
#[test]
fn real_gavel_traces_have_the_jobs_that_gavels_own_reader_finds() {
    let Some(folder) = shared() else { return };
    let mut files = 0;
    for entry in std::fs::read_dir(folder.parent().unwrap().join("gavel/traces")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let imported = import_reader("gavel", text.as_bytes(), &ImportOptions::default()).unwrap();
        assert_eq!(imported.report.format, "gavel", "{}", path.display());
        let jobs = sts_sim::gavel::trace::read(&text).unwrap();
        assert_eq!(imported.workload.jobs.len(), jobs.len(), "{}", path.display());
        for (read, oracle) in imported.workload.jobs.iter().zip(&jobs) {
            let submit_s = read.submit.0 as f64 / 1e6 + imported.workload.first_submit_s;
            assert!((submit_s - oracle.arrival_s).abs() < 1e-6, "{}", path.display());
            assert_eq!(u64::from(read.gpus.0), u64::from(oracle.scale_factor) * 1000);
            assert_eq!(imported.workload.models[read.model.unwrap() as usize], oracle.job_type);
        }
        files += 1;
    }
    assert!(files >= 10, "{files} files");
}
