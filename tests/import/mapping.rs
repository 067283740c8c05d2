//! Tables read by a mapping of their columns, and mappings that are guessed.

use proptest::prelude::*;
use sts_sim::trace::mapping::{
    ColumnRef, Columns, DecimalMark, Gap, GapColumn, GpuColumn, GpuUnit, HeaderRow, Mapping, NoGpus, Per,
    QuoteMark, TimeColumn, TimeUnit, Understood, Zone, preview, suggest,
};
use sts_sim::trace::{Head, ImportOptions, Imported, Refusal, detect, import_reader};
use sts_sim::units::SimSpan;
use sts_sim::workload::Outcome;

use crate::{assert_accounts, gzip, import, import_as, job, warning};

fn mapped(mapping: &Mapping, table: &[u8]) -> Result<Imported, Refusal> {
    let options = ImportOptions { mapping: Some(Box::new(mapping.clone())), ..ImportOptions::default() };
    import_reader("table", table, &options)
}

/// Reads a table by a mapping in JSON, and checks that the accounts add up.
fn by(json: &str, table: &str) -> Imported {
    let imported = mapped(&Mapping::from_json(json).unwrap(), table.as_bytes()).unwrap();
    assert_accounts(&imported.report);
    assert_eq!(imported.report.format, "generic-csv");
    imported
}

fn submits_s(imported: &Imported) -> Vec<f64> {
    imported.workload.jobs.iter().map(|job| job.submit.as_secs()).collect()
}

fn durations_s(imported: &Imported) -> Vec<Option<f64>> {
    imported.workload.jobs.iter().map(|job| job.duration.get().map(SimSpan::as_secs)).collect()
}

fn gpus(imported: &Imported) -> Vec<u32> {
    imported.workload.jobs.iter().map(|job| job.gpus.0).collect()
}

fn name(name: &str) -> ColumnRef {
    ColumnRef::Name(name.into())
}

fn time(column: ColumnRef, unit: TimeUnit) -> Option<TimeColumn> {
    Some(TimeColumn { column, unit })
}

fn gpu_column(column: ColumnRef) -> Option<GpuColumn> {
    Some(GpuColumn { column, unit: GpuUnit::Count, per: Per::Job, missing: NoGpus::Reject })
}

#[test]
fn gen_parallel_adds_up_its_intervals() {
    let table = include_bytes!("../fixtures/traces/generic_gen_parallel.csv");
    let imported = import(table).unwrap();
    assert_eq!(imported.report.format, "generic-csv");
    assert!(imported.detections[0].score >= 90, "{:?}", imported.detections);
    assert_eq!(submits_s(&imported), [0.0, 30.0, 75.0, 75.0]);
    assert_eq!((imported.report.gpu_jobs, imported.report.zero_gpu_jobs), (3, 1));
    assert_eq!(imported.report.gpus_requested_sum, 25.0);
    assert_eq!(imported.report.tenants, 2);
    assert_eq!(imported.report.states.get("Killed"), Some(&1));
    assert_eq!(job(&imported, "2").outcome, Outcome::Cancelled);
    assert_eq!(job(&imported, "3").duration.get().map(SimSpan::as_secs), Some(7200.0));
}

#[test]
fn a_gap_counts_even_if_its_row_is_rejected_or_folded() {
    let json = r#"{"columns": {"id": 1, "interval": {"column": 2, "unit": "s"}, "gpus": {"column": 3}}}"#;
    let imported = by(json, "id,gap,gpus\na,10,1\nb,10,many\nc,,1\nd,5,1\nd,5,1\ne,1,1\n");
    assert_eq!((imported.report.jobs, imported.report.rejected_count), (4, 1));
    assert_eq!(imported.report.first_submit, Some(10.0));
    assert_eq!(submits_s(&imported), [0.0, 10.0, 15.0, 21.0]);
    let next =
        r#"{"columns": {"interval": {"column": 2, "unit": "min", "to": "next"}, "gpus": {"column": 3}}}"#;
    let imported = by(next, "id,gap,gpus\na,1,1\nb,2,1\nc,,1\n");
    assert_eq!(submits_s(&imported), [0.0, 60.0, 180.0]);
    assert_eq!(warning(&imported.report, "missing-intervals"), 0);
}

#[test]
fn every_unit_of_time_gives_the_same_jobs() {
    for (unit, submit, length) in [
        ("ns", "90000000000", "1800000000000"),
        ("us", "90000000", "1800000000"),
        ("ms", "90000", "1800000"),
        ("s", "90", "1800"),
        ("min", "1.5", "30"),
        ("h", "0.025", "0.5"),
        ("d", "0.001041666667", "0.020833333333"),
        ("clock", "00:01:30", "0:30:00"),
    ] {
        let json = format!(
            r#"{{"columns": {{"submit": {{"column": "t", "unit": "{unit}"}},
                "duration": {{"column": "len", "unit": "{unit}"}}, "gpus": {{"column": "g"}}}}}}"#
        );
        let imported = by(&json, &format!("t,len,g\n{submit},{length},1\n"));
        assert_eq!(imported.report.first_submit.map(f64::round), Some(90.0), "{unit}");
        assert_eq!(durations_s(&imported)[0].map(f64::round), Some(1800.0), "{unit}");
        assert_eq!(imported.report.warnings, [], "{unit}");
    }
}

#[test]
fn gpus_are_counts_shares_or_each_nodes_or_workers() {
    for (gpu, each, cells, milli, workers) in [
        (r#"{"column": "g"}"#, "", "0.25,1", 250, 1),
        (r#"{"column": "g", "unit": "percent"}"#, "", "25.0,1", 250, 1),
        (r#"{"column": "g", "unit": "milli"}"#, "", "470,1", 470, 1),
        (r#"{"column": "g", "per": "node"}"#, r#""nodes": "n","#, "8,16", 128_000, 16),
        (r#"{"column": "g", "unit": "percent", "per": "worker"}"#, r#""workers": "n","#, "50.0,4", 2_000, 4),
    ] {
        let json =
            format!(r#"{{"columns": {{"submit": {{"column": "t", "unit": "s"}}, {each} "gpus": {gpu}}}}}"#);
        let imported = by(&json, &format!("t,g,n\n0,{cells}\n"));
        assert_eq!((gpus(&imported)[0], imported.workload.jobs[0].workers), (milli, workers), "{gpu}");
    }
}

#[test]
fn a_missing_number_of_gpus_is_rejected_or_none() {
    let json = |missing: &str| {
        format!(
            r#"{{"columns": {{"submit": {{"column": "t", "unit": "s"}},
                "gpus": {{"column": "g", "per": "node", "missing": "{missing}"}}, "nodes": "n"}}}}"#
        )
    };
    let table = "t,g,n\n0,8,2\n1,,1\n2,N/A,\n3,0,\n";
    let strict = by(&json("reject"), table);
    assert_eq!((strict.report.jobs, strict.report.rejected_count), (2, 2));
    assert!(strict.report.rejected[0].hint.contains("zero"), "{:?}", strict.report.rejected);
    let lenient = by(&json("zero"), table);
    assert_eq!(gpus(&lenient), [16_000, 0, 0, 0]);
    assert_eq!(warning(&lenient.report, "missing-gpus"), 2);
}

#[test]
fn end_minus_start_goes_before_a_duration_that_includes_the_queue() {
    let json = r#"{"columns": {"submit": {"column": "q", "unit": "s"}, "start": {"column": "s", "unit": "s"},
        "end": {"column": "e", "unit": "s"}, "duration": {"column": "d", "unit": "s"}, "gpus": {"column": "g"}}}"#;
    let imported = by(json, "q,s,e,d,g\n0,10,18,18,1\n0,70,82,82,1\n5,,,7,1\n6,-1,None,NaN,1\n");
    assert_eq!(durations_s(&imported), [Some(8.0), Some(12.0), Some(7.0), None]);
    assert_eq!(warning(&imported.report, "duration-differs"), 2);
    assert_eq!(imported.report.with_duration, 3);
}

#[test]
fn zones_apply_to_times_without_an_offset_only() {
    let json = |zone: &str| {
        format!(
            r#"{{"zone": "{zone}", "columns": {{"submit": {{"column": "t", "unit": "date"}}, "gpus": {{"column": "g"}}}}}}"#
        )
    };
    let first =
        |zone: &str, cell: &str| by(&json(zone), &format!("t,g\n{cell},1\n")).report.first_submit.unwrap();
    let printed = 1_509_868_800.0; // 2017-11-05 08:00:00 UTC
    assert_eq!(first("UTC", "2017-11-05 08:00:00"), printed);
    assert_eq!(first("+08:00", "2017-11-05 16:00:00"), printed);
    assert_eq!(first("+08:00", "2017-11-05T08:00:00Z"), printed);
    assert_eq!(first("PST8PDT,M3.2.0,M11.1.0", "2017-11-05 01:00:00"), printed);
    // The hour after that is printed the same; the earlier of the two is taken, and said.
    let pacific = json("PST8PDT,M3.2.0,M11.1.0");
    let fall = by(&pacific, "t,g\n2017-11-05 00:59:59,1\n2017-11-05 01:30:00,1\n2017-11-05 02:00:00,1\n");
    assert_eq!(submits_s(&fall), [0.0, 1801.0, 7201.0]);
    assert_eq!(warning(&fall.report, "repeated-times"), 1);
    assert_eq!(warning(&fall.report, "local-times"), 3);
}

#[test]
fn a_hand_made_export_with_every_quirk_is_read() {
    let json = r#"{
        "table": {"delimiter": ";", "comment": "%", "decimal": "comma", "missing": ["", "k.A."]},
        "zone": "CET-1CEST,M3.5.0,M10.5.0/3",
        "columns": {
            "id": "Auftrag", "tenant": "Gruppe", "user": 3,
            "submit": {"column": "Beginn", "unit": "date-dmy"},
            "duration": {"column": "Dauer", "unit": "h"},
            "gpus": {"column": "GPUs"}, "gpu_type": "Typ", "state": "Ende",
            "memory": {"column": "GiB", "unit": "gib"}, "limit": {"column": "Grenze", "unit": "clock"}
        }
    }"#;
    let table = "\u{feff}% Export vom 1.7.\r\nAuftrag;Gruppe;;Beginn;Dauer;GPUs;Typ;Ende;GiB;Grenze;\r\n\
        \"a;1\";NLP;eva;30.6.2024 12:00;1,5;0,5;A100|H100;COMPLETED;16;2-00:00:00;\r\n\
        b;NLP;k.A.;30.6.2024 11:00:30;k.A.;4;;CANCELLED by 380693;;;\r\n\
        % a note\r\n\
        \"c\r\nd\";CV;ida;1.7.2024;0;0;\"T4\";EXPLODED;1,5;;";
    let imported = by(json, table);
    let report = &imported.report;
    assert_eq!((report.records, report.jobs, report.rejected_count), (3, 3, 0), "{report:?}");
    assert!(!report.submit_sorted);
    assert_eq!(report.first_submit, Some(1_719_738_030.0));
    let half = job(&imported, "a;1");
    assert_eq!(
        (half.gpus.0, half.memory_mb, half.limit.get().map(SimSpan::as_secs)),
        (500, 17_180, Some(172_800.0))
    );
    assert_eq!(half.duration.get().map(SimSpan::as_secs), Some(5400.0));
    assert_eq!(imported.workload.gpu_types, ["A100|H100", "T4"]);
    assert_eq!(job(&imported, "b").outcome, Outcome::Cancelled);
    assert_eq!(job(&imported, "c\r\nd").gpus.0, 0);
    assert_eq!(imported.workload.users, ["eva", "ida"]);
    assert_eq!(warning(report, "unknown-states"), 1);
}

#[test]
fn a_table_without_a_header_is_read_by_numbers() {
    let json = r#"{"table": {"delimiter": "|", "header": "none", "quotes": "none", "comment": null},
        "columns": {"id": 1, "submit": {"column": 2, "unit": "ms"}, "gpus": {"column": 3}}}"#;
    let imported = by(json, "#1|1591728061000|8|\n#2|1591728062500|\"|\n#3|1591728063000|2|\n");
    assert_eq!((imported.report.records, imported.report.jobs), (3, 2));
    assert_eq!(submits_s(&imported), [0.0, 2.0]);
    assert_eq!(imported.report.rejected[0].column.as_deref(), Some("column 3"));
    assert_eq!(imported.workload.names.get(0), "#1");
}

#[test]
fn rejected_cells_say_what_was_expected_and_which_unit_may_be_meant() {
    let json = r#"{"columns": {"submit": {"column": "t", "unit": "s"}, "duration": {"column": "d", "unit": "s"},
        "gpus": {"column": "g"}}}"#;
    let imported = by(
        json,
        "t,d,g\n1591728061000,5,1\n2020-06-09 18:41:01,5,1\n0,1:00:00,1\n0,-5,1\n0,5,\"1,5\"\n,5,1\n",
    );
    let hints: Vec<&str> = imported.report.rejected.iter().map(|row| row.hint.as_str()).collect();
    for (hint, word) in hints.iter().zip(["smaller", "date", "clock", "negative", "decimal comma", "none"]) {
        assert!(hint.contains(word), "{hint:?} lacks {word}");
    }
    assert_eq!(hints.len(), 6);
    let lines: Vec<u64> = imported.report.rejected.iter().map(|row| row.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7]);
}

#[test]
fn faults_of_a_mapping_name_their_json_path() {
    let needed = r#""submit": {"column": 1, "unit": "s"}, "gpus": {"column": 2}"#;
    for (json, path) in [
        ("{}".to_owned(), "."),
        (r#"{"columns": {"gpus": {"column": 1}}}"#.to_owned(), "columns.submit"),
        (r#"{"columns": {"submit": {"column": 1, "unit": "s"}}}"#.to_owned(), "columns.gpus"),
        (r#"{"columns": {"submit": {"column": 1}, "gpus": {"column": 2}}}"#.to_owned(), "columns.submit"),
        (r#"{"columns": {"submit": {"column": 1, "unit": "year"}}}"#.to_owned(), "columns.submit.unit"),
        (r#"{"columns": {"submit": {"column": true, "unit": "s"}}}"#.to_owned(), "columns.submit.column"),
        (
            format!(r#"{{"columns": {{{needed}, "duration": {{"column": 3, "unit": "date"}}}}}}"#),
            "columns.duration.unit",
        ),
        (format!(r#"{{"columns": {{{needed}, "id": 0}}}}"#), "columns.id"),
        (format!(r#"{{"columns": {{{needed}, "idd": 1}}}}"#), "columns.idd"),
        (format!(r#"{{"columns": {{{needed}}}, "zone": "Mars"}}"#), "zone"),
        (format!(r#"{{"columns": {{{needed}}}, "table": {{"delimiter": "a"}}}}"#), "table.delimiter"),
        (format!(r#"{{"columns": {{{needed}}}, "table": {{"delimiter": ",,"}}}}"#), "table.delimiter"),
        (format!(r#"{{"columns": {{{needed}}}, "table": {{"comment": ","}}}}"#), "table.comment"),
        (
            format!(r#"{{"columns": {{{needed}, "interval": {{"column": 3, "unit": "s"}}}}}}"#),
            "columns.interval",
        ),
        (
            r#"{"columns": {"submit": {"column": 1, "unit": "s"}, "gpus": {"column": 2, "per": "node"}}}"#
                .to_owned(),
            "columns.nodes",
        ),
    ] {
        let error = Mapping::from_json(&json).expect_err(&json);
        assert_eq!(error.path, path, "{json}: {error}");
        assert!(!error.expected.is_empty() && !error.found.is_empty());
    }
}

#[test]
fn columns_that_are_not_there_are_named_with_those_that_are() {
    let json = r#"{"columns": {"submit": {"column": "when", "unit": "s"}, "gpus": {"column": 9}}}"#;
    let refused = mapped(&Mapping::from_json(json).unwrap(), b"t,g\n0,1\n").unwrap_err().to_string();
    for word in ["\"when\"", "columns.submit", "number 9", "columns.gpus", "t, g"] {
        assert!(refused.contains(word), "{refused} lacks {word}");
    }
    let options = ImportOptions {
        format: Some("helios-csv".into()),
        mapping: Some(Box::new(Mapping::from_json(json).unwrap())),
        ..ImportOptions::default()
    };
    let refused = import_reader("t", &b""[..], &options).unwrap_err();
    assert!(matches!(refused, Refusal::BadMapping { .. }), "{refused}");
}

#[test]
fn a_table_nobody_knows_is_guessed_with_reasons_and_not_taken_unasked() {
    let table = "Job;Team;Owner;Submitted;Started;Finished;Elapsed;GPUs per node;Nodes;GPU model;Exit state\n\
        t-1;nlp;ann;2024-03-05 12:00:00;2024-03-05 12:01:00;2024-03-05 13:01:00;60,0;8;2;A100;COMPLETED\n\
        t-2;cv;bob;2024-03-05 12:05:00;2024-03-05 12:05:30;2024-03-05 12:10:30;5,0;1;1;V100;FAILED\n\
        t-3;nlp;ann;2024-03-05 12:06:00;2024-03-05 12:07:00;2024-03-05 12:09:30;2,5;4;1;A100;COMPLETED\n";
    let Err(Refusal::UnknownTable { .. }) = import(table.as_bytes()) else { panic!("taken without asking") };
    let found = detect(table.as_bytes());
    assert!(found.iter().all(|found| found.score < 50) && found[0].format == "generic-csv", "{found:?}");
    let guess = suggest(table.as_bytes()).unwrap();
    let columns = &guess.mapping.columns;
    assert_eq!(guess.mapping.table.delimiter, ';');
    assert_eq!(guess.mapping.table.decimal, DecimalMark::Comma);
    assert_eq!(columns.id, Some(name("Job")));
    assert_eq!(columns.tenant, Some(name("Team")));
    assert_eq!(columns.user, Some(name("Owner")));
    assert_eq!(columns.submit, time(name("Submitted"), TimeUnit::Date));
    assert_eq!(columns.start, time(name("Started"), TimeUnit::Date));
    assert_eq!(columns.end, time(name("Finished"), TimeUnit::Date));
    assert_eq!(columns.duration, time(name("Elapsed"), TimeUnit::Min), "as end − start has it");
    assert_eq!(columns.gpus.as_ref().map(|gpus| gpus.per), Some(Per::Node));
    assert_eq!(columns.nodes, Some(name("Nodes")));
    assert_eq!(columns.gpu_type, Some(name("GPU model")));
    assert_eq!(columns.state, Some(name("Exit state")));
    for path in
        ["table.delimiter", "table.decimal", "columns.submit", "columns.duration.unit", "columns.gpus.per"]
    {
        assert!(guess.reasons.iter().any(|reason| reason.path == path), "no reason for {path}");
    }
    let imported = import_as("generic-csv", table.as_bytes()).unwrap();
    assert_eq!(imported.report.gpus_requested_sum, 21.0);
    assert_eq!(durations_s(&imported), [Some(3600.0), Some(300.0), Some(150.0)]);
    assert_eq!(warning(&imported.report, "duration-differs"), 0);
}

#[test]
fn guesses_see_through_dialects_and_units() {
    let unit = |of: &Option<TimeColumn>| of.as_ref().map(|of| of.unit);
    for (table, submit, duration, gpus) in [
        ("id,arrival_time_ms,runtime_ms,num_gpus\n1,0,100,1\n2,50,90,8\n", "ms", Some("ms"), GpuUnit::Count),
        (
            "job\tcreated_at\tlen_h\tduration_h\tgpu_milli\na\t1591728061\tx\t2\t470\nb\t1591728062\ty\t1\t1000\n",
            "s",
            Some("h"),
            GpuUnit::Milli,
        ),
        (
            "name|submittedAt|elapsed|gpuCount\na|1591728061000|01:02:03|1\nb|1591728062000|2-00:00:00|2\n",
            "ms",
            Some("clock"),
            GpuUnit::Count,
        ),
        (
            "uuid,submit,run_time,gpu_percent\na,12/31/2023 2:05 PM,30,25\nb,1/1/2024 3:00 AM,40,100\n",
            "date-mdy",
            Some("s"),
            GpuUnit::Percent,
        ),
        (
            "uuid,submit,plan_gpu\na,31.12.2023 14:05,25\nb,1.1.2024 03:00,600\n",
            "date-dmy",
            None,
            GpuUnit::Percent,
        ),
    ] {
        let guess = suggest(table.as_bytes()).unwrap_or_else(|| panic!("{table}"));
        assert_eq!(guess.mapping.check(), Ok(()), "{table}");
        let columns = &guess.mapping.columns;
        assert_eq!(unit(&columns.submit).map(TimeUnit::word), Some(submit), "{table}");
        assert_eq!(unit(&columns.duration).map(TimeUnit::word), duration, "{table}");
        assert_eq!(columns.gpus.as_ref().map(|of| of.unit), Some(gpus), "{table}");
        let imported = mapped(&guess.mapping, table.as_bytes()).unwrap();
        assert_eq!((imported.report.jobs, imported.report.rejected_count), (2, 0), "{table}");
    }
}

#[test]
fn guesses_of_a_table_without_a_header_go_by_what_stands_in_it() {
    let table = "j-7,2024-03-05 12:00:00,8,3600,COMPLETED\nj-8,2024-03-05 12:10:00,1,90,FAILED\n\
        j-9,2024-03-05 12:20:00,4,7000,COMPLETED\n";
    let guess = suggest(table.as_bytes()).unwrap();
    assert_eq!(guess.mapping.table.header, HeaderRow::None);
    let columns = &guess.mapping.columns;
    assert_eq!(columns.submit, time(ColumnRef::Number(2), TimeUnit::Date));
    assert_eq!(columns.gpus.as_ref().map(|of| &of.column), Some(&ColumnRef::Number(3)));
    assert_eq!(columns.duration, time(ColumnRef::Number(4), TimeUnit::S));
    assert_eq!(columns.id, Some(ColumnRef::Number(1)));
    assert_eq!(columns.state, Some(ColumnRef::Number(5)));
}

#[test]
fn what_is_no_table_of_jobs_is_not_guessed_to_be_one() {
    assert_eq!(suggest(b""), None);
    assert_eq!(suggest(b"just a line of text\n"), None);
    assert_eq!(suggest(br#"[{"a": 1, "b": 2}]"#), None);
    let Err(Refusal::BadMapping { why }) = import_as("generic-csv", b"colour,shape\nred,round\nblue,flat\n")
    else {
        panic!("read as jobs")
    };
    assert!(why.contains("columns.submit"), "{why}");
}

#[test]
fn a_preview_shows_rows_what_is_understood_and_jobs() {
    let json = r#"{"columns": {"id": "id", "submit": {"column": "t", "unit": "date"}, "duration": {"column": "d", "unit": "min"},
        "gpus": {"column": "g", "unit": "percent"}, "state": "s"}}"#;
    let mapping = Mapping::from_json(json).unwrap();
    let table = b"id,t,d,g,s,more\na,2024-03-05 12:00:00,1.5,50,FAILED,x\nb,soon,2,100,COMPLETED,y\nc,2024-03-05,3,4,5\n";
    let seen = preview(table, &mapping);
    assert_eq!(seen.columns, ["id", "t", "d", "g", "s", "more"]);
    assert_eq!((seen.read, seen.readable, seen.rejected.len()), (3, 1, 2));
    assert_eq!(seen.rows.len(), 2, "a row of another width has no cells to show");
    let job = seen.rows[0].job.as_ref().unwrap();
    assert_eq!((job.submit_s, job.gpus, job.duration_s), (1_709_640_000.0, 0.5, Some(90.0)));
    assert_eq!(job.outcome, Outcome::Failed);
    let of = |row: usize, role: &str| {
        seen.rows[row].understood.iter().find(|of| of.0 == role).map(|of| (of.1, &of.2))
    };
    assert_eq!(of(0, "duration"), Some((2, &Understood::Span(90.0))));
    assert_eq!(of(0, "state"), Some((4, &Understood::Outcome(Outcome::Failed))));
    assert!(matches!(of(1, "submit"), Some((1, Understood::Bad { .. }))));
    assert_eq!(of(1, "gpus"), Some((3, &Understood::Gpus(1.0))), "cells are understood one by one");
    assert!(seen.rows[1].job.is_none());
    // A mapping that does not fit shows the table all the same.
    let mut other = mapping;
    other.columns.gpus = gpu_column(name("cards"));
    let seen = preview(table, &other);
    assert!(seen.refusal.is_some() && seen.rows.len() == 2 && seen.readable == 0);
}

#[test]
fn the_beginning_of_a_packed_file_is_its_text() {
    let table: String = (0..20_000).map(|row| format!("{row},{},8\n", row * 7)).collect();
    for packed in [table.clone().into_bytes(), gzip(table.as_bytes())] {
        let head = Head::read(&packed[..], &[]).unwrap();
        assert_eq!(head.len(), 64 << 10);
        assert!(table.as_bytes().starts_with(&head));
    }
    let short = gzip(b"a,b\n1,2\n");
    assert_eq!(Head::read(&short[..], &[]).unwrap(), b"a,b\n1,2\n");
    assert!(Head::read(&short[..short.len() - 6], &[]).is_err(), "a cut file is no text");
}

/// A job as a table may state it.
#[derive(Debug, Clone)]
struct Stated {
    id: String,
    tenant: String,
    submit_s: i64,
    duration_ms: Option<i64>,
    centi_gpus: u32,
    nodes: u32,
    is_failed: bool,
}

fn stated() -> impl Strategy<Value = Stated> {
    let text = "j[a-zA-Z0-9_ ,;|'\\t\"-]{0,8}[a-zA-Z0-9]";
    (
        text,
        text,
        0i64..3_000_000_000,
        proptest::option::of(0i64..1_000_000_000_000),
        1u32..2000,
        1u32..9,
        any::<bool>(),
    )
        .prop_map(|(id, tenant, submit_s, duration_ms, centi_gpus, nodes, is_failed)| Stated {
            id,
            tenant,
            submit_s,
            duration_ms,
            centi_gpus,
            nodes,
            is_failed,
        })
}

/// A way to write a table.
#[derive(Debug, Clone)]
struct Style {
    delimiter: char,
    header: HeaderRow,
    decimal: DecimalMark,
    submit: TimeUnit,
    duration: TimeUnit,
    gpus: GpuUnit,
    per: Per,
    by_gaps: bool,
    order: Vec<usize>,
    line_end: &'static str,
    zone_hours: i64,
    trailing: bool,
}

fn style() -> impl Strategy<Value = Style> {
    use TimeUnit::{Clock, Date, DateDmy, DateMdy, H, Min, Ms, Ns, S, Us};
    (
        (
            prop::sample::select(vec![',', ';', '\t', '|']),
            prop::sample::select(vec![HeaderRow::First, HeaderRow::None]),
            prop::sample::select(vec![DecimalMark::Point, DecimalMark::Comma]),
            prop::sample::select(vec![Ns, Us, Ms, S, Min, H, Date, DateDmy, DateMdy]),
            prop::sample::select(vec![Ns, Us, Ms, S, Min, H, Clock]),
            prop::sample::select(vec![GpuUnit::Count, GpuUnit::Percent, GpuUnit::Milli]),
        ),
        (
            prop::sample::select(vec![Per::Job, Per::Node]),
            any::<bool>(),
            Just((0..7usize).collect::<Vec<_>>()).prop_shuffle(),
            prop::sample::select(vec!["\n", "\r\n"]),
            -11i64..=14,
            any::<bool>(),
        ),
    )
        .prop_map(
            |(
                (delimiter, header, decimal, submit, duration, gpus),
                (per, by_gaps, order, line_end, zone_hours, trailing),
            )| {
                Style {
                    delimiter,
                    header,
                    decimal,
                    submit,
                    duration,
                    gpus,
                    per,
                    by_gaps,
                    order,
                    line_end,
                    zone_hours,
                    trailing,
                }
            },
        )
}

/// The columns in the order before they are shuffled.
const NAMES: [&str; 7] = ["the job", "group", "when", "how long", "cards", "machines", "end"];

impl Style {
    fn mapping(&self) -> Mapping {
        let at = |column: usize| match self.header {
            HeaderRow::First => ColumnRef::Name(NAMES[column].into()),
            HeaderRow::None => {
                ColumnRef::Number(self.order.iter().position(|&other| other == column).unwrap() as u32 + 1)
            }
        };
        let mut mapping =
            Mapping { zone: Zone::new(format!("{:+03}:00", self.zone_hours)), ..Mapping::default() };
        mapping.table.delimiter = self.delimiter;
        mapping.table.header = self.header;
        mapping.table.decimal = self.decimal;
        mapping.table.quotes = QuoteMark::Double;
        mapping.columns = Columns {
            id: Some(at(0)),
            tenant: Some(at(1)),
            submit: (!self.by_gaps).then(|| TimeColumn { column: at(2), unit: self.submit }),
            interval: self.by_gaps.then(|| GapColumn {
                column: at(2),
                unit: self.gap_unit(),
                to: Gap::Previous,
            }),
            duration: time(at(3), self.duration),
            gpus: Some(GpuColumn { column: at(4), unit: self.gpus, per: self.per, missing: NoGpus::Reject }),
            nodes: Some(at(5)),
            state: Some(at(6)),
            ..Columns::default()
        };
        mapping
    }

    fn gap_unit(&self) -> TimeUnit {
        if self.submit.is_date() { TimeUnit::Ms } else { self.submit }
    }

    fn decimal(&self, text: String) -> String {
        if self.decimal == DecimalMark::Comma { text.replace('.', ",") } else { text }
    }

    /// A length of time that is a whole number of milliseconds.
    fn span(&self, ms: i64, unit: TimeUnit) -> String {
        let fraction = |whole: i64, of: i64, places: u32| {
            let tenths = i128::from(whole) * 10i128.pow(places) * 2 / i128::from(of);
            let digits = (tenths + 1) / 2;
            let over = 10i128.pow(places);
            format!("{}.{:0width$}", digits / over, digits % over, width = places as usize)
        };
        match unit {
            TimeUnit::Ns => format!("{ms}000000"),
            TimeUnit::Us => format!("{ms}000"),
            TimeUnit::Ms => ms.to_string(),
            TimeUnit::S => self.decimal(fraction(ms, 1000, 3)),
            TimeUnit::Min => self.decimal(fraction(ms, 60_000, 9)),
            TimeUnit::H => self.decimal(fraction(ms, 3_600_000, 11)),
            _ => {
                let (s, part) = (ms / 1000, ms % 1000);
                let clock = format!("{:02}:{:02}:{:02}.{part:03}", s / 3600 % 24, s / 60 % 60, s % 60);
                self.decimal(format!("{}-{clock}", s / 86_400))
            }
        }
    }

    fn moment(&self, s: i64) -> String {
        let local = || civil(s + self.zone_hours * 3600);
        match self.submit {
            TimeUnit::Date => local().0,
            TimeUnit::DateDmy => local().1,
            TimeUnit::DateMdy => local().2,
            unit => self.span(s * 1000, unit),
        }
    }

    fn cells(&self, job: &Stated, gap_s: i64) -> Vec<String> {
        let when =
            if self.by_gaps { self.span(gap_s * 1000, self.gap_unit()) } else { self.moment(job.submit_s) };
        let length = job.duration_ms.map(|ms| self.span(ms, self.duration)).unwrap_or_default();
        let cards = match self.gpus {
            GpuUnit::Count => self.decimal(format!("{}.{:02}", job.centi_gpus / 100, job.centi_gpus % 100)),
            GpuUnit::Percent => job.centi_gpus.to_string(),
            GpuUnit::Milli => format!("{}0", job.centi_gpus),
        };
        let end = if job.is_failed { "FAILED" } else { "COMPLETED" };
        vec![job.id.clone(), job.tenant.clone(), when, length, cards, job.nodes.to_string(), end.to_owned()]
    }

    fn line(&self, cells: &[String]) -> String {
        let quoted = |cell: &String| {
            if cell.contains([self.delimiter, '"', '\n', ' ']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let fields: Vec<String> = self.order.iter().map(|&at| quoted(&cells[at])).collect();
        let mut line = fields.join(&self.delimiter.to_string());
        if self.trailing {
            line.push(self.delimiter);
        }
        line + self.line_end
    }

    fn table(&self, jobs: &[Stated]) -> String {
        let mut table = String::from("# a comment");
        table.push_str(self.line_end);
        if self.header == HeaderRow::First {
            table.push_str(&self.line(&NAMES.map(str::to_owned)));
        }
        let mut before = 0;
        for job in jobs {
            table.push_str(&self.line(&self.cells(job, job.submit_s - before)));
            before = job.submit_s;
        }
        table
    }
}

/// Seconds since 1970 as year-month-day, day.month.year and month/day/year with the time of day, by days counted in civil
/// eras (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn civil(s: i64) -> (String, String, String) {
    let (days, of_day) = (s.div_euclid(86_400), s.rem_euclid(86_400));
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    (
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
        format!("{day}.{month}.{year} {hour}:{minute:02}:{second:02}"),
        format!("{month}/{day}/{year} {}:{minute:02}:{second:02} {half}", (hour + 11) % 12 + 1),
    )
}

proptest! {
    #[test]
    fn a_random_table_in_a_random_dialect_reads_back_to_its_jobs(
        jobs in proptest::collection::vec(stated(), 1..12),
        style in style(),
    ) {
        let mut jobs = jobs;
        let mut ids = std::collections::BTreeSet::new();
        jobs.retain(|job| ids.insert(job.id.clone()));
        // The zone must not put a date before 1970, and gaps need an order.
        for job in &mut jobs {
            job.submit_s += 86_400;
        }
        if style.by_gaps {
            jobs.sort_by_key(|job| job.submit_s);
        }
        let table = style.table(&jobs);
        let mapping = style.mapping();
        let again = Mapping::from_json(&mapping.to_json());
        prop_assert_eq!(again.as_ref(), Ok(&mapping));
        let imported = mapped(&mapping, table.as_bytes());
        prop_assert!(imported.is_ok(), "{:?}\n{}", imported, table);
        let imported = imported.unwrap();
        prop_assert_eq!(imported.report.rejected.as_slice(), &[], "{}", table);
        jobs.sort_by_key(|job| job.submit_s);
        prop_assert_eq!(imported.workload.jobs.len(), jobs.len(), "{}", table);
        for (job, stated) in imported.workload.jobs.iter().zip(&jobs) {
            let submit_s = imported.workload.first_submit_s + job.submit.as_secs();
            prop_assert!((submit_s - stated.submit_s as f64).abs() < 1e-3, "{} {}\n{}", submit_s, stated.submit_s, table);
            prop_assert_eq!(job.duration.get().map(|span| span.0), stated.duration_ms.map(|ms| ms * 1000));
            let each = if style.per == Per::Node { stated.nodes } else { 1 };
            prop_assert_eq!(job.gpus.0, stated.centi_gpus * 10 * each);
            prop_assert_eq!(job.outcome == Outcome::Failed, stated.is_failed);
            prop_assert_eq!(imported.workload.tenants[job.tenant.0 as usize].as_str(), stated.tenant.trim());
        }
    }

    #[test]
    fn no_bytes_make_a_guess_or_a_preview_panic(
        bytes in proptest::collection::vec(prop_oneof![Just(b','), Just(b'\n'), Just(b'"'), Just(b'1'), any::<u8>()], 0..400),
        style in style(),
    ) {
        let guess = suggest(&bytes);
        if let Some(guess) = &guess {
            let seen = preview(&bytes, &guess.mapping);
            prop_assert!(seen.readable <= seen.read);
            if let Ok(imported) = mapped(&guess.mapping, &bytes) {
                assert_accounts(&imported.report);
            }
        }
        let seen = preview(&bytes, &style.mapping());
        prop_assert!(seen.readable <= seen.read && seen.rows.len() <= 5);
    }
}

/// The same three jobs as other tools write them: 8, 1 and 2 GPUs for 30 s, 90,061 s and 3,661 s from 3 March 2025, 8:22:11 on.
#[test]
fn a_guess_reads_the_same_jobs_from_tables_of_many_kinds() {
    let seconds = "job,user,submit,gpus,elapsed_s\na,u,1740990131,8,30\nb,v,1740990289,1,90061\nc,u,1740992610,2,3661\n";
    for table in [
        seconds,
        // An index, spans in words, AM and PM.
        ",who,Submitted,GPUs,Duration\n0,u,3/3/2025 8:22:11 AM,8,0h 0m 30s\n1,v,3/3/2025 8:24:49 AM,1,25h 1m 1s\n2,u,3/3/2025 9:03:30 AM,2,1h 1m 1s\n",
        "id,gpus,submit,duration\na,8,2025-03-03T08:22:11Z,PT30S\nb,1,2025-03-03T08:24:49Z,P1DT1H1M1S\nc,2,2025-03-03T09:03:30Z,PT1H1M1S\n",
        // Months with names; a length in words.
        "JOBID,SUBMIT_TIME,RUN_TIME,GPU_NUM\n1,Mar 03 08:22:11 2025,30 second(s),8\n2,Mar 03 08:24:49 2025,90061 second(s),1\n3,Mar 03 09:03:30 2025,3661 second(s),2\n",
        // Marks of thousands of either kind, titles, a line for spreadsheets.
        "sep=;\nJob;Submit;GPUs;Runtime_s\n1;03.03.2025 08:22:11;8;30\n2;03.03.2025 08:24:49;1;90.061\n3;03.03.2025 09:03:30;2;3.661\n",
        "Usage of GPUs;;;\nMarch 2025;;;\n;;;\nJob;Submit;GPUs;Runtime_s\n1;03.03.25 08:22:11;8;30\n2;03.03.25 08:24:49;1;90.061\n3;03.03.25 09:03:30;2;3.661\n",
        "Job,Submit,GPUs,Runtime_s\n1,2025-03-03 08:22:11,8,\"30\"\n2,2025-03-03 08:24:49,1,\"90,061\"\n3,2025-03-03 09:03:30,2,\"3,661\"\n",
        // Days that spreadsheets count, with a decimal comma.
        "job;submit;gpus;elapsed_s\na;45719,348738426;8;30\nb;45719,350567130;1;90061\nc;45719,377430556;2;3661\n",
        // No submission: the start stands in, and the run time is end − start.
        "job,start,end,gpus\na,1740990131,1740990161,8\nb,1740990289,1741080350,1\nc,1740992610,1740996271,2\n",
        "id,createdAt,scheduledAt,completedAt,gpus\na,2025-03-03T08:22:11Z,2025-03-03T08:30:00Z,2025-03-03T08:30:30Z,8\n\
         b,2025-03-03T08:24:49Z,2025-03-03T08:30:00Z,2025-03-04T09:31:01Z,1\nc,2025-03-03T09:03:30Z,2025-03-03T09:03:30Z,2025-03-03T10:04:31Z,2\n",
        // Columns that are something else: waits, GPU-hours, ids, percentages, times of other things.
        "job,start_time,wait_s,run_s,gpus,gpu_hours\n51000,1740990131,593,30,8,0.067\n51001,1740990289,572,90061,1,25.017\n51002,1740992610,4727,3661,2,2.034\n",
        "id,qtime,stime,Resource_List.ngpus,Resource_List.nodect,resources_used.walltime,gpu_mem_util\n\
         51000,1740990131,1740990724,8,1,00:00:30,92\n51001,1740990289,1740990861,1,1,25:01:01,85\n51002,1740992610,1740997337,2,1,01:01:01,77\n",
        "51000\tu\t1740990131\t8\t30\n51001\tv\t1740990289\t1\t90061\n51002\tu\t1740992610\t2\t3661\n",
        // GPUs on every node, in other words than "per".
        "job,submit,hosts,gpus/node,elapsed_s\na,1740990131,2,4,30\nb,1740990289,1,1,90061\nc,1740992610,1,2,3661\n",
        "job,submit,node_count,gpus_on_node,elapsed_s\na,1740990131,2,4,30\nb,1740990289,1,1,90061\nc,1740992610,1,2,3661\n",
        "id,submit_ns,duration_ns,gpus\n1,1740990131000000000,30000000000,8\n2,1740990289000000000,90061000000000,1\n3,1740992610000000000,3661000000000,2\n",
        "timestamp,n_gpu,hours\n2025-03-03 08:22:11,8,0.0083333333\n2025-03-03 08:24:49,1,25.016944444\n2025-03-03 09:03:30,2,1.0169444444\n",
    ] {
        let suggestion = suggest(table.as_bytes()).unwrap();
        assert_eq!(suggestion.mapping.check(), Ok(()), "{table}\n{:?}", suggestion.reasons);
        let imported = mapped(&suggestion.mapping, table.as_bytes()).unwrap();
        let told = format!("{table}\n{:?}\n{:?}", suggestion.reasons, suggestion.mapping.columns);
        assert_eq!(imported.report.rejected_count, 0, "{told}");
        assert_eq!(gpus(&imported), [8000, 1000, 2000], "{told}");
        let run_s: Vec<f64> = durations_s(&imported).into_iter().map(|s| s.unwrap_or(-1.0).round()).collect();
        assert_eq!(run_s, [30.0, 90_061.0, 3_661.0], "{told}");
        assert_eq!(imported.report.first_submit.map(f64::round), Some(1_740_990_131.0), "{told}");
        assert_eq!(imported.report.last_submit.map(f64::round), Some(1_740_992_610.0), "{told}");
    }
}

#[test]
fn what_a_guess_cannot_know_it_says() {
    let said = |table: &str, path: &str| {
        let suggestion = suggest(table.as_bytes()).unwrap();
        let reasons = suggestion.reasons.into_iter().filter(|reason| reason.path == path);
        reasons.map(|reason| reason.text).collect::<Vec<_>>().join("; ")
    };
    let either = "job,submit,gpus\na,03/04/2025,1\nb,03/04/2025,2\n";
    assert!(said(either, "columns.submit.unit").contains("guess"), "{}", said(either, "columns.submit.unit"));
    // Later rows decide.
    let day_first = "job,submit,gpus\na,03/03/2025,1\nb,04/03/2025,2\nc,02/04/2025,1\n";
    assert!(said(day_first, "columns.submit.unit").starts_with("date-dmy by"));
    let clock = "job,submit,gpus,elapsed\na,2025-03-03 01:00,1,1:30\nb,2025-03-03 02:00,2,2:30\n";
    assert!(said(clock, "columns.duration.unit").contains("hours and minutes"));
    let unread = "job,submit,gpus,duration\na,2025-03-03 01:00,1,long\nb,2025-03-03 02:00,2,short\n";
    assert!(said(unread, "columns.duration").contains("not read"));
    let apart = "job,Date,Time,gpus\na,2025-03-03,23:00:00,1\nb,2025-03-04,01:00:00,2\n";
    assert!(said(apart, "columns.submit").contains("join the two"), "{}", said(apart, "columns.submit"));
}

#[test]
fn a_name_that_says_something_else_is_believed_whatever_the_values() {
    let of = |table: &str| suggest(table.as_bytes()).unwrap().mapping.columns;
    let hours =
        "job,submit,GPU hours\na,2024-03-04T10:00:00,2\nb,2024-03-04T11:00:00,8\nc,2024-03-04T12:00:00,4\n";
    assert_eq!(of(hours).gpus, None);
    let estimate = "job,submit,gpus,estimated_s\na,2024-03-04T10:00:00,1,300\nb,2024-03-04T11:00:00,2,120\nc,2024-03-04T12:00:00,1,90\n";
    assert_eq!(of(estimate).duration, None);
}
