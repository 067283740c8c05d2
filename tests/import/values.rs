//! Values, rows and quotes that are not right: rejected where they stand, never more.

use crate::{assert_accounts, import, warning};

#[test]
fn values_out_of_range_are_rejected_rows() {
    let rows = [
        ("NaN,1,60", "submit_s"),
        ("-5,1,60", "submit_s"),
        ("1e300,1,60", "submit_s"),
        ("1591728061000,1,60", "submit_s"),
        ("2017-11-31 08:12,1,60", "submit_s"),
        ("2017-11-13 25:12:00,1,60", "submit_s"),
        ("0,NaN,60", "gpus"),
        ("0,-1,60", "gpus"),
        ("0,1e300,60", "gpus"),
        ("0,65537,60", "gpus"),
        ("0,0.00001,60", "gpus"),
        ("0,,60", "gpus"),
        ("0,\"1,5\",60", "gpus"),
        ("0,1,NaN", "duration_s"),
        ("0,1,-1", "duration_s"),
        ("0,1,1e300", "duration_s"),
        ("0,1,inf", "duration_s"),
        ("0,1,3155760001", "duration_s"),
    ];
    for (row, column) in rows {
        let text = format!("submit_s,gpus,duration_s\n0,1,1\n{row}\n");
        let report = import(text.as_bytes()).unwrap().report;
        assert_accounts(&report);
        assert_eq!((report.jobs, report.rejected_count), (1, 1), "{row}");
        assert_eq!(
            (report.rejected[0].line, report.rejected[0].column.as_deref()),
            (3, Some(column)),
            "{row}"
        );
        assert!(!report.rejected[0].expected.is_empty(), "{row}");
    }
}

#[test]
fn json_values_out_of_range_are_rejected_elements() {
    for (member, path) in [
        (r#""submit_s": -1, "gpus": 1"#, Some("submit_s")),
        (r#""submit_s": 1e300, "gpus": 1"#, Some("submit_s")),
        (r#""submit_s": 0, "gpus": [1]"#, Some("gpus")),
        (r#""submit_s": 0, "gpus": 1, "outcome": "lost""#, Some("outcome")),
        (r#""submit_s": 0"#, Some("gpus")),
        (r#""submit_s": NaN, "gpus": 1"#, None),
        (r#""submit_s": 1e999, "gpus": 1"#, None),
    ] {
        let text = format!(
            "{{\"format\": \"sts-json\", \"version\": 1, \"jobs\": [\n{{\"submit_s\": 0, \"gpus\": 1}},\n{{{member}}}]}}"
        );
        let report = import(text.as_bytes()).unwrap().report;
        assert_eq!((report.jobs, report.rejected_count), (1, 1), "{member}");
        assert_eq!((report.rejected[0].line, report.rejected[0].column.as_deref()), (3, path), "{member}");
    }
}

#[test]
fn a_long_value_is_cut_in_the_report() {
    let text = format!("submit_s,gpus,duration_s\n{},1,1\n", "é".repeat(60));
    let value = import(text.as_bytes()).unwrap().report.rejected[0].value.clone();
    assert_eq!(value, format!("{}…", "é".repeat(40)));
}

#[test]
fn only_the_first_rejected_rows_are_shown_but_all_are_counted() {
    let text = format!("submit_s,gpus,duration_s\n{}", "0,x,1\n".repeat(50));
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, report.rejected.len(), report.rejected_count), (0, 20, 50));
    assert_eq!((report.first_submit, report.max_gpus), (None, None));
}

#[test]
fn uneven_rows_are_rejected_and_a_trailing_delimiter_is_none() {
    let text = "submit_s,gpus,duration_s,\n0,1,1,\n0,1,1\n0,1,1,2\n0,1\n0,1,1,\"\"\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_accounts(&report);
    let lines: Vec<u64> = report.rejected.iter().map(|r| r.line).collect();
    assert_eq!((report.jobs, lines), (3, vec![4, 5]));
}

#[test]
fn headers_in_the_middle_of_joined_files_are_no_records() {
    let text = "submit_s,gpus,duration_s\n0,1,1\nsubmit_s,gpus,duration_s\n1,1,1\n";
    let report = import(text.as_bytes()).unwrap().report;
    assert_eq!((report.records, report.jobs, warning(&report, "repeated-headers")), (2, 2, 1));
}

#[test]
fn a_quote_that_is_never_closed_is_reported_where_it_opens() {
    let report = import(b"job,submit_s,gpus,duration_s\na,0,1,1\n\"b,0,1,1\nc,0,1,1\n").unwrap().report;
    assert_eq!((report.jobs, report.rejected_count), (1, 1));
    assert_eq!(report.rejected[0].line, 3);
    assert!(report.rejected[0].expected.contains("quote"));
}
