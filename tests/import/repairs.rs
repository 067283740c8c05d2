//! What is repaired when it is asked for, and told.

use sts_sim::trace::{
    FillFrom, ImportOptions, Imported, Repairs, RepeatedIds, RunTimeFrom, RunningJobs, TimesIn, import_reader,
};
use sts_sim::units::SimSpan;

use crate::{FIXTURES, assert_accounts, import, job};

/// Run times missing, too long, with the queue in them; one job still runs, one was never started, one id comes twice.
const TABLE: &str = "job,tenant,model,submit_s,gpus,duration_s,start_s,end_s,outcome
a,t1,m,0,1,100,0,100,completed
b,t1,m,10,1,300,10,310,completed
c,t1,m,20,1,,,,completed
d,t2,,30,2,5000,130,5030,completed
e,t2,,40,2,,,,completed
f,t3,x,50,1,,,,completed
g,t3,x,60,1,,70,,running
h,t3,x,70,1,,,,cancelled
i,t3,x,80,0,,,,completed
b,t1,m,90,4,20,90,110,failed
";

fn repaired(text: &str, repairs: Repairs) -> Imported {
    let options = ImportOptions { repairs, ..ImportOptions::default() };
    let imported = import_reader("trace", text.as_bytes(), &options).unwrap();
    assert_accounts(&imported.report);
    imported
}

fn duration_s(imported: &Imported, id: &str) -> Option<f64> {
    job(imported, id).duration.get().map(SimSpan::as_secs)
}

/// Every repair: its key, how many jobs it changed, and their first lines.
fn told(imported: &Imported) -> Vec<(&str, u64, &[u64])> {
    let repairs = imported.report.repairs.iter();
    repairs.map(|told| (told.repair.as_str(), told.count, &told.first_lines[..])).collect()
}

#[test]
fn nothing_is_repaired_unless_it_is_asked_for() {
    for (_, bytes) in FIXTURES {
        assert!(import(bytes).unwrap().report.repairs.is_empty());
    }
    let plain = repaired(TABLE, Repairs::default());
    assert_eq!((plain.report.jobs, plain.report.with_duration, plain.report.duplicate_ids), (10, 4, 1));
}

#[test]
fn missing_run_times_become_the_median_of_model_tenant_or_all() {
    for (fill, expected, line) in [
        (
            FillFrom::Model,
            [100.0, 5000.0, 100.0],
            "(1 from their model, 1 from their tenant, 2 from all jobs)",
        ),
        (FillFrom::Tenant, [100.0, 5000.0, 100.0], "(2 from their tenant, 2 from all jobs)"),
        (FillFrom::All, [100.0; 3], "(4 from all jobs)"),
    ] {
        let imported = repaired(TABLE, Repairs { fill, ..Repairs::default() });
        let filled = ["c", "e", "f"].map(|id| duration_s(&imported, id).unwrap());
        assert_eq!(filled, expected);
        assert_eq!(told(&imported), [("fill", 4, &[4, 6, 7, 8][..])]);
        assert!(imported.report.repairs[0].message.contains(line), "{:?}", imported.report.repairs);
        assert_eq!(duration_s(&imported, "h"), None, "it was cancelled before it started");
        assert_eq!(duration_s(&imported, "i"), None, "it asks for no GPU");
    }
}

#[test]
fn a_trace_without_any_run_time_gets_the_stated_one() {
    let text = "submit_s,gpus,duration_s\n0,1,\n5,1,\n";
    let without = repaired(text, Repairs { fill: FillFrom::All, ..Repairs::default() });
    assert_eq!(told(&without), [("fill", 0, &[][..])]);
    assert!(without.report.repairs[0].message.contains("2 stay without"));
    let stated = repaired(text, Repairs { fill_s: Some(600), ..Repairs::default() });
    assert_eq!(told(&stated), [("fill", 2, &[2, 3][..])]);
    assert_eq!((stated.report.with_duration, stated.report.max_duration_s), (2, Some(600.0)));
}

#[test]
fn run_times_are_cut_to_a_range() {
    let imported =
        repaired(TABLE, Repairs { shortest_s: Some(60), longest_s: Some(1000), ..Repairs::default() });
    assert_eq!(told(&imported), [("shortest_s", 1, &[11][..]), ("longest_s", 1, &[5][..])]);
    assert_eq!([duration_s(&imported, "d"), duration_s(&imported, "b#2")], [Some(1000.0), Some(60.0)]);
}

#[test]
fn run_times_come_from_starts_and_ends() {
    let imported = repaired(TABLE, Repairs { run_time: RunTimeFrom::StartToEnd, ..Repairs::default() });
    assert_eq!(told(&imported), [("run_time", 1, &[5][..])]);
    assert_eq!(duration_s(&imported, "d"), Some(4900.0));
}

#[test]
fn running_jobs_have_run_until_the_end_of_the_trace() {
    let imported = repaired(TABLE, Repairs { running: RunningJobs::Elapsed, ..Repairs::default() });
    assert_eq!(told(&imported), [("running", 1, &[8][..])]);
    assert_eq!(duration_s(&imported, "g"), Some(4960.0));
}

#[test]
fn of_repeated_ids_one_is_kept() {
    for (repeated_ids, line, gpus, failed) in
        [(RepeatedIds::First, 11, 1.0, None), (RepeatedIds::Last, 3, 4.0, Some(&1))]
    {
        let imported = repaired(TABLE, Repairs { repeated_ids, ..Repairs::default() });
        assert_eq!(told(&imported), [("repeated_ids", 1, &[line][..])]);
        assert_eq!((imported.report.jobs, imported.report.duplicate_ids), (9, 0));
        assert_eq!(job(&imported, "b").gpus.as_gpus(), gpus);
        assert_eq!(imported.report.states.get("failed"), failed);
        assert_eq!(imported.report.states.values().sum::<u64>(), 9);
        let skipped = &imported.report.skipped[0];
        assert_eq!((skipped.reason.as_str(), &skipped.first_lines[..]), ("repeated-id", &[line][..]));
    }
}

#[test]
fn milliseconds_are_read_as_such() {
    let text = "submit_s,gpus,duration_s,start_s,end_s,limit_s\n1000,1,60000,2000,62000,90000\n4000,1,500,4000,4500,\n";
    let imported = repaired(text, Repairs { times: TimesIn::Milliseconds, ..Repairs::default() });
    assert_eq!(told(&imported), [("times", 2, &[2, 3][..])]);
    let first = job(&imported, "1");
    assert_eq!((first.duration.get().unwrap().as_secs(), first.end.get().unwrap().as_secs()), (60.0, 61.0));
    assert_eq!(first.limit.get().unwrap().as_secs(), 90.0);
    assert_eq!((imported.report.first_submit, imported.report.last_submit), (Some(1.0), Some(4.0)));
}

#[test]
fn dates_stay_dates_where_run_times_are_milliseconds() {
    let text = "submit_s,gpus,duration_s\n1740990131,1,60000\n1740990289,1,500\n";
    let imported = repaired(text, Repairs { times: TimesIn::Milliseconds, ..Repairs::default() });
    assert_eq!(told(&imported), [("times", 2, &[2, 3][..])]);
    assert_eq!(job(&imported, "1").duration.get().unwrap().as_secs(), 60.0);
    assert_eq!(imported.report.first_submit, Some(1_740_990_131.0));
}

#[test]
fn repairs_stand_in_the_text_of_the_report() {
    let imported = repaired(TABLE, Repairs { longest_s: Some(1000), ..Repairs::default() });
    let text = imported.report.to_text();
    assert!(text.contains("repaired longest_s: 1 jobs ran longer and run 1000 s. (lines 5)\n"), "{text}");
}
