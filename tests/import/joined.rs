//! Several files at once: tables that are joined, files that come with a trace, files that do not belong together.

use sts_sim::trace::{Holds, Import, ImportOptions, Imported, Refusal, node_lists};
use sts_sim::units::{MilliGpus, SimSpan, SimTime};
use sts_sim::workload::Outcome;

use crate::{FIXTURES, assert_accounts, import, job, warning};

const JOBS: (&str, &str) = (
    "pai_job_table.csv",
    "aaaaaaaaaaaaaaaaaaaaaaa1,11111111111111111111111111111111111111111111,aabbccddeeff,Terminated,1000.0,1400.0\n\
     aaaaaaaaaaaaaaaaaaaaaaa2,22222222222222222222222222222222222222222222,aabbccddeeff,Failed,900.0,1000.0\n\
     aaaaaaaaaaaaaaaaaaaaaaa3,33333333333333333333333333333333333333333333,001122334455,Running,950.0,\n\
     aaaaaaaaaaaaaaaaaaaaaaa4,44444444444444444444444444444444444444444444,001122334455,Waiting,990.0,\n\
     aaaaaaaaaaaaaaaaaaaaaaa4,44444444444444444444444444444444444444444444,001122334455,Waiting,990.0,\n\
     aaaaaaaaaaaaaaaaaaaaaaa5,55555555555555555555555555555555555555555555,001122334455,Terminated,,1000.0\n\
     aaaaaaaaaaaaaaaaaaaaaaa6,66666666666666666666666666666666666666666666,001122334455,Terminated,999.0,1000.0\n",
);
pub(crate) const TASKS: (&str, &str) = (
    "pai_task_table.csv",
    "aaaaaaaaaaaaaaaaaaaaaaa1,ps,1.0,Terminated,1100.0,1390.0,600.0,10.0,,\n\
     aaaaaaaaaaaaaaaaaaaaaaa1,worker,4.0,Terminated,1110.0,1400.0,600.0,29.296875,25.0,T4\n\
     aaaaaaaaaaaaaaaaaaaaaaa2,tensorflow,2.0,Failed,940.0,960.0,600.0,29.3,800.0,V100\n\
     aaaaaaaaaaaaaaaaaaaaaaa3,tensorflow,1.0,Running,980.0,,600.0,29.3,100.0,MISC\n\
     aaaaaaaaaaaaaaaaaaaaaaa3,evaluator,1.0,Terminated,980.0,985.0,600.0,29.3,50.0,MISC\n\
     aaaaaaaaaaaaaaaaaaaaaaa4,tensorflow,1.0,Waiting,,,600.0,29.3,50.0,\n\
     aaaaaaaaaaaaaaaaaaaaaaa5,tensorflow,1.0,Terminated,999.0,1000.0,600.0,29.3,50.0,T4\n\
     aaaaaaaaaaaaaaaaaaaaaaa6,tensorflow,1.0,Terminated,999.0,1000.0,600.0,29.3,half,T4\n\
     aaaaaaaaaaaaaaaaaaaaaaa7,tensorflow,1.0,Terminated,999.0,1000.0,600.0,29.3,50.0,T4\n",
);
const TAGS: (&str, &str) = (
    "pai_group_tag_table.csv",
    "11111111111111111111111111111111111111111111,aabbccddeeff,,fbeb14d671c629b6e82bee889fe4bb4c,bert\n\
     22222222222222222222222222222222222222222222,aabbccddeeff,V100M32,fbeb14d671c629b6e82bee889fe4bb4c,nmt\n\
     33333333333333333333333333333333333333333333,001122334455,,fbeb14d671c629b6e82bee889fe4bb4c,\n",
);
const INSTANCES: (&str, &str) = (
    "pai_instance_table.csv",
    "aaaaaaaaaaaaaaaaaaaaaaa1,ps,abc,def,11111111111111111111111111111111111111111111,Terminated,1.0,9.0,7399a758eb02bae1a3621236\n\
     aaaaaaaaaaaaaaaaaaaaaaa4,tensorflow,abc,def,44444444444444444444444444444444444444444444,Running,995.0,,7399a758eb02bae1a3621236\n",
);
const MACHINES: (&str, &str) = (
    "pai_machine_spec.csv",
    "7399a758eb02bae1a3621236,CPU,96,512,0\n6265a99de1a50cc6f1b03602,T4,96,512,2\n6265a99de1a50cc6f1b03603,T4,96,512,2\n",
);

fn import_all(files: &[(&str, &str)]) -> Result<Imported, Refusal> {
    let mut import = Import::new(&ImportOptions::default())?;
    for (name, text) in files {
        import.read(name, text.as_bytes())?;
    }
    import.finish()
}

fn named(names: &[String], at: Option<u32>) -> String {
    at.map_or_else(String::new, |at| names[at as usize].clone())
}

#[test]
fn pai_tables_are_joined_in_whatever_order_they_come() {
    let imported = import_all(&[JOBS, TASKS, TAGS, INSTANCES, MACHINES]).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!(report.format, "pai-2020");
    assert_eq!((report.records, report.jobs, report.rejected_count), (7, 4, 2));
    assert_eq!(
        (report.skipped[0].reason.as_str(), report.skipped[0].first_lines.as_slice()),
        ("duplicate", &[5][..])
    );
    assert_eq!(report.gpus_requested_sum, 1.0 + 16.0 + 1.5 + 0.5);
    assert_eq!((report.first_submit, report.last_submit), (Some(900.0), Some(1000.0)));
    assert!(!report.submit_sorted);
    // A parameter server without GPUs and four workers with a quarter each, from the first start to the last end.
    let first = job(&imported, "aaaaaaaaaaaaaaaaaaaaaaa1");
    assert_eq!(
        (first.gpus, first.workers, first.duration.get()),
        (MilliGpus(1000), 4, Some(SimSpan(300_000_000)))
    );
    assert_eq!((first.submit, first.start.get()), (SimTime(100_000_000), Some(SimTime(200_000_000))));
    assert_eq!((first.gpu_type, first.outcome), (None, Outcome::Completed));
    assert_eq!(named(&imported.workload.models, first.model), "bert");
    // Two instances of eight GPUs; the type is the one asked for, not the one given.
    let second = job(&imported, "aaaaaaaaaaaaaaaaaaaaaaa2");
    assert_eq!(
        (second.gpus, second.workers, second.duration.get()),
        (MilliGpus(16_000), 16, Some(SimSpan(20_000_000)))
    );
    assert_eq!(named(&imported.workload.gpu_types, second.gpu_type), "V100M32");
    assert_eq!(second.outcome, Outcome::Failed);
    // Still running: no run time, although one of its tasks has ended.
    let third = job(&imported, "aaaaaaaaaaaaaaaaaaaaaaa3");
    assert_eq!(
        (third.gpus, third.duration.get(), third.end.get(), third.outcome),
        (MilliGpus(1500), None, None, Outcome::Running)
    );
    // No task says when it started, but an instance does.
    let fourth = job(&imported, "aaaaaaaaaaaaaaaaaaaaaaa4");
    assert_eq!((fourth.start.get(), fourth.outcome), (Some(SimTime(95_000_000)), Outcome::Pending));
    assert_eq!(imported.workload.tenants, ["aabbccddeeff", "001122334455"]);
    let states: Vec<(&str, u64)> = report.states.iter().map(|(word, n)| (word.as_str(), *n)).collect();
    assert_eq!(states, [("Terminated", 1), ("Failed", 1), ("Running", 1), ("Waiting", 1)]);
    // What is wrong with a job is said of the row that is wrong, in whichever table.
    let rejected: Vec<_> = report
        .rejected
        .iter()
        .map(|r| (r.line, r.column.as_deref(), r.value.as_str(), r.hint.contains("pai_task_table.csv")))
        .collect();
    assert_eq!(rejected, [(6, Some("start_time"), "", false), (8, Some("plan_gpu"), "half", true)]);
    for (code, count) in [("tasks-without-job", 1), ("mixed-tasks", 1), ("untagged", 1), ("no-tasks", 0)] {
        assert_eq!(warning(report, code), count, "{code}");
    }
    let machines = report.node_lists().next().unwrap().1;
    assert_eq!((machines.nodes, machines.gpus), (Some(3), 4.0));
    let tables: Vec<(&str, u64)> = report
        .files
        .iter()
        .filter_map(|file| match &file.holds {
            Holds::Jobs { table, rows } => Some((table.as_deref().unwrap(), *rows)),
            _ => None,
        })
        .collect();
    let all =
        [("pai_job_table", 7), ("pai_task_table", 9), ("pai_group_tag_table", 3), ("pai_instance_table", 2)];
    assert_eq!(tables, all);

    let turned = import_all(&[MACHINES, INSTANCES, TAGS, TASKS, JOBS]).unwrap();
    assert_eq!(turned.workload, imported.workload);
    assert_eq!((&turned.report.states, turned.report.records), (&imported.report.states, 7));
    let hints = |report: &sts_sim::trace::ImportReport| {
        report.rejected.iter().map(|r| (r.line, r.hint.clone())).max()
    };
    assert_eq!(hints(&turned.report), hints(&imported.report));
}

#[test]
fn pai_tables_say_what_stands_in_for_those_that_are_missing() {
    let alone = import_all(&[TASKS]).unwrap();
    assert_accounts(&alone.report);
    // Job 4 has no start at all, job 6 has a task that cannot be read.
    assert_eq!((alone.report.records, alone.report.jobs, alone.report.rejected_count), (7, 5, 2));
    assert_eq!(warning(&alone.report, "no-job-table"), 5);
    assert_eq!(warning(&alone.report, "no-group-tags"), 5);
    let second = job(&alone, "aaaaaaaaaaaaaaaaaaaaaaa2");
    assert_eq!(named(&alone.workload.gpu_types, second.gpu_type), "V100");
    assert_eq!(alone.workload.tenants, ["unknown"]);
    assert_eq!(job(&alone, "aaaaaaaaaaaaaaaaaaaaaaa3").outcome, Outcome::Running);
    let refused = import_all(&[JOBS, TAGS]).unwrap_err().to_string();
    assert!(refused.contains("pai_task_table") && refused.contains("pai_group_tag_table"), "{refused}");
}

#[test]
fn a_header_file_names_the_columns_of_the_table_beside_it() {
    // Columns in another order than the publisher's: only the header file tells.
    let header = ("pai_task_table.header", "plan_gpu,gpu_type,start_time,end_time,inst_num,job_name\n");
    let table = ("pai_task_table.csv", "50.0,T4,10.0,20.0,2.0,a\n100.0,,11.0,21.0,1.0,b\n");
    let imported = import_all(&[header, table]).unwrap();
    assert_eq!((imported.report.format.as_str(), imported.report.gpus_requested_sum), ("pai-2020", 2.0));
    assert!(matches!(imported.report.files[0].holds, Holds::Columns { .. }));
    // Of any format, and with the header also in the file.
    let header = ("jobs.header", "submit_s,gpus,duration_s\n");
    let own = import_all(&[header, ("jobs.part1.csv", "0,1,60\n5,2,60\n")]).unwrap();
    assert_eq!(
        (own.report.format.as_str(), own.report.jobs, own.report.gpus_requested_sum),
        ("sts-csv", 2, 3.0)
    );
    let own = import_all(&[header, ("jobs.csv", "submit_s,gpus,duration_s\n0,1,60\n")]).unwrap();
    assert_eq!((own.report.jobs, own.report.rejected_count), (1, 0));
    assert!(matches!(import_all(&[header]), Err(Refusal::HeaderOnly { .. })));
}

#[test]
fn tables_with_their_header_in_the_first_row_are_read_too() {
    let text = format!(
        "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n{}",
        TASKS.1
    );
    let imported = import(text.as_bytes()).unwrap();
    assert_eq!((imported.report.records, imported.report.jobs), (7, 5));
}

#[test]
fn the_simulators_table_of_pai_counts_whole_gpus() {
    let text = "job_id,user,num_inst,num_gpu,num_cpu,submit_time,duration,gpu_type\n\
                1,u1,1,0.25,6,0,60,T4\n2,u1,4,1.0,6,5,30,MISC\n3,u2,2,16,6,7,0,\n4,u2,1,,6,9,5,CPU\n";
    let imported = import(text.as_bytes()).unwrap();
    let report = &imported.report;
    assert_eq!((report.format.as_str(), report.jobs, report.zero_gpu_jobs), ("pai-2020", 4, 1));
    assert_eq!(report.gpus_requested_sum, 17.25);
    assert_eq!((job(&imported, "2").workers, job(&imported, "3").workers), (4, 16));
    assert_eq!(imported.workload.tenants, ["u1", "u2"]);
}

#[test]
fn measurements_are_passed_over_with_a_word() {
    let sensor = format!(
        "aaaaaaaaaaaaaaaaaaaaaaa1,worker,{0},{0},{0},/dev/gpu0{1}\n",
        "0".repeat(40),
        ",1.0".repeat(10)
    );
    let imported = import_all(&[("pai_sensor_table.csv", &sensor), JOBS, TASKS]).unwrap();
    assert_eq!((imported.report.jobs, warning(&imported.report, "measurements")), (4, 1));
}

#[test]
fn a_list_of_machines_comes_with_a_trace_in_either_order() {
    let pods =
        std::str::from_utf8(FIXTURES.iter().find(|(name, _)| *name == "openb-2023").unwrap().1).unwrap();
    let nodes = "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,96000,393216,8,G2\n";
    for files in [[("pods.csv", pods), ("nodes.csv", nodes)], [("nodes.csv", nodes), ("pods.csv", pods)]] {
        let imported = import_all(&files).unwrap();
        assert_eq!((imported.report.format.as_str(), imported.report.jobs), ("openb-2023", 5));
        let (name, list) = imported.report.node_lists().next().unwrap();
        assert_eq!((name, list.nodes, list.gpus), ("nodes.csv", Some(2), 10.0));
        let text = imported.report.to_text();
        let line =
            "  nodes.csv: a list of machines (openb-2023), 2 nodes with 10 GPUs: 1 x 2 P100, 1 x 8 G2\n";
        assert!(text.contains(line), "{text}");
        assert!(text.contains("  pods.csv: jobs, 6 records\n"), "{text}");
        let json = serde_json::to_value(&imported.report).unwrap();
        let at = files.iter().position(|(name, _)| *name == "nodes.csv").unwrap();
        assert_eq!(
            (json["files"][at]["holds"].as_str(), json["files"][at]["gpus"].as_f64()),
            (Some("nodes"), Some(10.0))
        );
        assert_eq!(serde_json::from_value::<sts_sim::trace::ImportReport>(json).unwrap(), imported.report);
    }
    // Of another publisher, with a format that the user chose.
    let mut import =
        Import::new(&ImportOptions { format: Some("sts-csv".into()), ..ImportOptions::default() }).unwrap();
    import.read("nodes.csv", nodes.as_bytes()).unwrap();
    import.read("jobs.csv", &b"submit_s,gpus,duration_s\n0,1,60\n"[..]).unwrap();
    assert_eq!(import.finish().unwrap().report.node_lists().count(), 1);
    let Err(Refusal::NodeList { files }) = import_all(&[("nodes.csv", nodes), MACHINES]) else { panic!() };
    assert_eq!(node_lists(&files).count(), 2);
}

#[test]
fn traces_of_two_formats_are_named_and_refused() {
    let first = ("first.csv", "submit_s,gpus,duration_s\n0,1,60\n");
    let second = ("second.csv", "job_id,submission_time,duration,num_gpu\n1,0,60,1\n");
    let refused = import_all(&[first, second]).unwrap_err().to_string();
    assert!(refused.contains("sts-csv (first.csv) and elasticflow (second.csv)"), "{refused}");
}

#[test]
fn rows_of_a_table_that_come_twice_are_folded_and_counted() {
    let once = import_all(&[JOBS, TASKS, TAGS, INSTANCES]).unwrap();
    // A second copy of each table under another name, as when folders overlap.
    let again = |(name, text): (&'static str, &'static str)| (["copy_of_", name].concat(), text);
    let copies = [again(JOBS), again(TASKS), again(TAGS), again(INSTANCES)];
    let [jobs, tasks, tags, instances] = copies.each_ref().map(|(name, text)| (name.as_str(), *text));
    let twice = import_all(&[JOBS, TASKS, TAGS, INSTANCES, tasks, jobs, instances, tags]).unwrap();
    assert_accounts(&twice.report);
    assert_eq!(twice.workload, once.workload);
    assert_eq!(twice.report.gpus_requested_sum, once.report.gpus_requested_sum);
    let duplicates = |imported: &Imported| {
        imported.report.skipped.iter().find(|s| s.reason == "duplicate").map_or(0, |s| s.count)
    };
    // Six distinct jobs of seven rows, of which one is refused for its start; nine tasks, three tags.
    assert_eq!((duplicates(&once), duplicates(&twice)), (1, 1 + 6 + 9 + 3));
    // The same within one table.
    let doubled = TASKS.1.repeat(2);
    let doubled = import_all(&[JOBS, (TASKS.0, &doubled), TAGS, INSTANCES]).unwrap();
    assert_eq!(doubled.workload, once.workload);
    assert_eq!(duplicates(&doubled), 1 + 9);
}

#[test]
fn a_file_that_is_not_read_twice_is_named() {
    let csv = &b"submit_s,gpus,duration_s\n0,1,60\n"[..];
    let mut import = Import::new(&ImportOptions::default()).unwrap();
    import.read("a.csv", csv).unwrap();
    import.pass_over_repeated("b.csv", "a.csv").unwrap();
    import.read("c.csv", &b"submit_s,gpus,duration_s\n5,1,60\n"[..]).unwrap();
    let report = import.finish().unwrap().report;
    assert_eq!((report.jobs, warning(&report, "repeated-file")), (2, 1));
    let names: Vec<&str> = report.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.csv", "b.csv", "c.csv"]);
    assert!(
        report.to_text().contains("  b.csv: not read, since its bytes are those of a.csv\n"),
        "{}",
        report.to_text()
    );
}
