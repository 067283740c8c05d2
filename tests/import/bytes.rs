//! Encodings, compression, several files.

use sts_sim::trace::{Import, ImportOptions, Refusal};

use crate::{FIXTURES, assert_accounts, gzip, import, import_cut, utf16, warning};

#[test]
fn marks_line_ends_gzip_and_utf16_make_no_difference() {
    let text = "job,tenant,submit_s,gpus,duration_s\na,ü😀,0,1,60\nb,t,5,2,60\n";
    let plain = import(text.as_bytes()).unwrap();
    let mut marked = b"\xef\xbb\xbf".to_vec();
    marked.extend_from_slice(text.replace('\n', "\r\n").as_bytes());
    let little = [&b"\xff\xfe"[..], &utf16(text, u16::to_le_bytes)].concat();
    let big = [&b"\xfe\xff"[..], &utf16(text, u16::to_be_bytes)].concat();
    let (head, tail) = text.as_bytes().split_at(30);
    let members = [gzip(head), gzip(tail)].concat();
    for bytes in [marked, little, big, gzip(text.as_bytes()), members] {
        assert_eq!(import(&bytes).unwrap(), plain);
        for step in 1..8 {
            let cuts: Vec<usize> = (step..bytes.len()).step_by(step).collect();
            assert_eq!(import_cut(&bytes, &cuts).unwrap(), plain);
        }
    }
}

#[test]
fn bytes_that_are_no_utf8_are_windows_1252_and_counted() {
    let imported = import(b"job,tenant,submit_s,gpus,duration_s\na,\xff\xfex,0,1,60\n").unwrap();
    assert_eq!(imported.workload.tenants, ["ÿþx"]);
    assert_eq!(warning(&imported.report, "invalid-utf8"), 1);
    let json =
        b"[{\"jobid\":\"a\",\"vc\":\"\xe9\",\"submitted_time\":\"2017-10-07 01:00:00\",\"attempts\":[]}]";
    let imported = import(json).unwrap();
    assert_eq!((imported.workload.tenants[0].as_str(), warning(&imported.report, "invalid-utf8")), ("é", 1));
}

#[test]
fn several_files_make_one_workload() {
    let mut import = Import::new(&ImportOptions::default()).unwrap();
    import.next_file("a.csv").unwrap();
    import.feed(b"submit_s,job,gpus,duration_s\n100,a,1,60\n0,x,1,60\n").unwrap();
    import.next_file("empty.csv").unwrap();
    import.next_file("b.csv").unwrap();
    import.feed(b"job,submit_s,gpus,duration_s\nb,50,2,60\nx,0,1,x\n").unwrap();
    let imported = import.finish().unwrap();
    assert_accounts(&imported.report);
    assert_eq!(imported.report.jobs, 3);
    assert_eq!(imported.workload.names.get(1), "b");
    assert!(imported.report.rejected[0].hint.contains("b.csv"));
    assert_eq!(imported.report.rejected[0].line, 3);
}

#[test]
fn files_of_two_formats_are_not_mixed() {
    let mut import = Import::new(&ImportOptions::default()).unwrap();
    import.read("a", FIXTURES[0].1).unwrap();
    let refused = import.read("b", FIXTURES[2].1).unwrap_err();
    assert!(matches!(refused, Refusal::MixedFormats { .. }), "{refused}");
}

#[test]
fn after_a_refusal_nothing_more_is_taken() {
    let mut import = Import::new(&ImportOptions::default()).unwrap();
    import.feed(b"%PDF-1.7 ").unwrap();
    let refused = import.next_file("b").unwrap_err();
    assert_eq!(import.feed(b"submit_s,gpus,duration_s\n"), Err(refused.clone()));
    assert_eq!(import.finish(), Err(refused));
}

#[test]
fn names_in_windows_1252_stay_apart_in_every_kind_of_file() {
    let tenants = |bytes: &[u8]| {
        let imported = import(bytes).unwrap();
        let read = warning(&imported.report, "invalid-utf8");
        assert!(read > 0, "{:?}", imported.report.warnings);
        imported.workload.tenants
    };
    let csv = b"submit_s,gpus,duration_s,tenant\n0,1,9,M\xfcller\n1,1,9,M\xf6ller\n";
    assert_eq!(tenants(csv), ["Müller", "Möller"]);
    let sacct = b"JobID|Account|Submit|ElapsedRaw|AllocTRES|State\n\
        1|M\xfcller|1700000000|9|gres/gpu=1|COMPLETED\n2|M\xf6ller|1700000001|9|gres/gpu=1|COMPLETED\n";
    assert_eq!(tenants(sacct), ["Müller", "Möller"]);
    let json = b"{\"format\": \"sts-json\", \"version\": 1, \"jobs\": [\n\
        {\"submit_s\": 0, \"gpus\": 1, \"duration_s\": 9, \"tenant\": \"M\xfcller\"},\n\
        {\"submit_s\": 1, \"gpus\": 1, \"duration_s\": 9, \"tenant\": \"M\xf6ller\"}]}";
    assert_eq!(tenants(json), ["Müller", "Möller"]);
    // A column's name is read the same way.
    let named = import(b"submit_s,gpus,duration_s,Gr\xf6\xdfe\n0,1,9,1\n").unwrap().report;
    assert!(named.warnings.iter().any(|w| w.code == "unused-columns" && w.message.contains("Größe")));
}

#[test]
fn lines_may_end_in_carriage_returns_alone() {
    for text in [
        "submit_s,gpus,duration_s\n0,1,105\n2,20,7\n",
        "JobID|Submit|ElapsedRaw|AllocTRES\n1|1700000000|9|gres/gpu=1\n2|x|9|gres/gpu=1\n",
        "{\"format\": \"sts-json\", \"version\": 1, \"jobs\": [\n{\"submit_s\": 0, \"gpus\": 1, \"duration_s\": 5}]}\n",
    ] {
        let (old, new) = (text.replace('\n', "\r"), import(text.as_bytes()).unwrap());
        assert_eq!(import(old.as_bytes()).unwrap(), new, "{text}");
        for cut in 1..old.len() {
            assert_eq!(import_cut(old.as_bytes(), &[cut]).unwrap(), new, "{text} at {cut}");
        }
    }
}
