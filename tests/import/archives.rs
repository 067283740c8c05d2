//! Archives: made by the usual programs, cut anywhere, nested, damaged, or too much.
//!
//! The files in `fixtures/archives` were written by Info-ZIP, Python's `zipfile`, GNU tar and zstd.

use std::io::Write as _;

use sts_sim::trace::{ImportOptions, Imported, MAX_MEMBERS, Refusal, import_reader};

use crate::{assert_accounts, gzip, import, import_cut, warning};

macro_rules! archives {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_bytes!(concat!("../fixtures/archives/", $name)))),*]
    };
}

/// All files, for the tests that go through them.
const ARCHIVES: &[(&str, &[u8])] = archives![
    "bzip2.zip",
    "empty.zip",
    "encrypted.zip",
    "frames.zst",
    "gnu.tar.zst",
    "infozip.zip",
    "infozip_stream.zip",
    "jobs.csv.zst",
    "nested.zip",
    "pax.tar.gz",
    "pictures.zip",
    "sheet.xlsx",
    "stored.zip",
    "ustar.tar.gz",
    "v7.tgz",
    "zip64.zip",
    "zip64_stream.zip",
];

fn archive(name: &str) -> &'static [u8] {
    ARCHIVES.iter().find(|(known, _)| *known == name).expect(name).1
}

fn read(name: &str) -> Imported {
    let imported = import(archive(name)).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    assert_accounts(&imported.report);
    imported
}

fn ids(imported: &Imported) -> Vec<&str> {
    let names = &imported.workload.names;
    (0..names.len()).map(|at| names.get(at)).collect()
}

/// The members in the report: path, size, whether it was read.
fn members(imported: &Imported) -> Vec<(&str, Option<u64>, bool)> {
    let members = imported.report.members.iter();
    members.map(|member| (member.path.as_str(), member.bytes, member.skipped.is_none())).collect()
}

fn choose(bytes: &[u8], names: &[&str]) -> Result<Imported, Refusal> {
    let members = names.iter().map(|&name| name.to_owned()).collect();
    import_reader("archive", bytes, &ImportOptions { members, ..ImportOptions::default() })
}

/// A ZIP archive of stored members.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let sizes = (content.len() as u32).to_le_bytes();
        bytes.extend_from_slice(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0");
        bytes.extend_from_slice(&crc.sum().to_le_bytes());
        bytes.extend_from_slice(&[sizes, sizes].concat());
        bytes.extend_from_slice(&(name.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&[0, 0]);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(content);
    }
    bytes.extend_from_slice(b"PK\x05\x06");
    bytes.extend_from_slice(&[0; 18]);
    bytes
}

#[test]
fn archives_of_the_usual_programs_are_read_and_their_members_listed() {
    let all = [("README.md", Some(21), false), ("data/", Some(0), false)];
    let [jobs, more] = [("data/jobs.csv", Some(63), true), ("data/more.csv", Some(48), true)];
    for name in ["infozip.zip", "stored.zip", "ustar.tar.gz"] {
        let imported = read(name);
        assert_eq!(ids(&imported), ["a", "b", "c"], "{name}");
        let found = members(&imported);
        assert_eq!(found.len(), 4, "{name}: {found:?}");
        for member in all.into_iter().chain([jobs, more]) {
            assert!(found.contains(&member), "{name}: {member:?} is not in {found:?}");
        }
    }
    let imported = read("v7.tgz");
    assert_eq!(members(&imported), [all[0], jobs, more]);
    for name in ["gnu.tar.zst", "pax.tar.gz"] {
        let imported = read(name);
        assert_eq!(ids(&imported), ["a", "b", "c"], "{name}");
        assert_eq!(imported.report.members[1].path.len(), "data/".len() + 150 + ".csv".len());
    }
    assert_eq!(ids(&read("zip64_stream.zip")), ["a", "b", "c"]);
    for name in ["infozip_stream.zip", "zip64.zip", "jobs.csv.zst"] {
        assert_eq!(ids(&read(name)), ["a", "b"], "{name}");
    }
    assert!(read("jobs.csv.zst").report.members.is_empty());
    assert_eq!(ids(&read("frames.zst")), ["a", "b", "d"]);
    let nested = read("nested.zip");
    assert_eq!(ids(&nested), ["a", "b", "c"]);
    assert_eq!(members(&nested)[2].0, "inner.tar.gz/data/more.csv");
    let text = nested.report.to_text();
    assert!(text.contains("member inner.tar.gz/README.md (21 bytes): it is a text about the data"), "{text}");
}

#[test]
fn where_an_archive_is_cut_into_pieces_makes_no_difference() {
    for (name, bytes) in ARCHIVES {
        let whole = import(bytes);
        for step in [1, 2, 3, 7, 29, 30, 31, 511, 512, 513] {
            let cuts: Vec<usize> = (step..bytes.len()).step_by(step).collect();
            assert_eq!(import_cut(bytes, &cuts), whole, "{name} in steps of {step}");
        }
    }
}

#[test]
fn members_are_chosen_by_path_or_by_the_end_of_it() {
    for wanted in ["data/more.csv", "more.csv"] {
        let imported = choose(archive("infozip.zip"), &[wanted]).unwrap();
        assert_eq!(ids(&imported), ["c"]);
        let skipped = |path: &str| {
            let member = imported.report.members.iter().find(|member| member.path == path).unwrap();
            member.skipped.clone()
        };
        assert_eq!(skipped("data/jobs.csv").as_deref(), Some("it was not chosen"));
        assert_eq!(skipped("data/more.csv"), None);
    }
    let imported = choose(archive("nested.zip"), &["inner.tar.gz/data/jobs.csv", "more.csv"]).unwrap();
    assert_eq!(ids(&imported), ["a", "b", "c"]);
    let refused = choose(archive("ustar.tar.gz"), &["jobs"]).unwrap_err();
    let Refusal::NoSuchMember { wanted, members } = &refused else { panic!("{refused:?}") };
    assert_eq!(wanted, "jobs");
    assert!(members.contains("README.md") && members.contains("data/jobs.csv"), "{members}");
    // What was chosen and cannot be read says itself why.
    let refused = choose(&zip(&[("a.png", b"\x89PNG"), ("b.csv", b"")]), &["a.png"]).unwrap_err();
    assert!(matches!(refused, Refusal::Binary { .. }), "{refused:?}");
}

#[test]
fn members_that_are_no_traces_are_passed_over_and_named() {
    let csv = b"submit_s,gpus,duration_s\n0,1,60\n";
    let members: &[(&str, &[u8])] = &[
        ("a.csv", csv),
        ("b.png", b"\x89PNG\r\n"),
        ("c.csv", b""),
        ("d.csv", b"x,y,z\n1,2,3\n"),
        ("e.csv", b"submit_s,gpus,duration_s\n7,1,60\n"),
        ("__MACOSX/._a.csv", b"\0\x05\x16\x07"),
    ];
    let imported = import(&zip(members)).unwrap();
    assert_eq!(imported.report.jobs, 2);
    let skipped: Vec<&str> =
        imported.report.members.iter().map(|member| member.skipped.as_deref().unwrap_or("")).collect();
    assert_eq!(
        skipped,
        [
            "",
            "it looks like a PNG picture",
            "it has no byte",
            "it is a table of no known format",
            "",
            "it is a file of macOS beside the data"
        ]
    );
    let refused = import(archive("pictures.zip")).unwrap_err();
    let message = refused.to_string();
    assert!(matches!(refused, Refusal::NoTraceInside { .. }), "{refused:?}");
    for word in ["a.png (it looks like a PNG picture)", "b.npy", "README (it is a text about the data)"] {
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn what_cannot_be_unpacked_is_refused_with_the_way_out() {
    for (name, code, words) in [
        ("encrypted.zip", "no-trace-inside", &["data/jobs.csv (it is encrypted)", "password"][..]),
        ("bzip2.zip", "no-trace-inside", &["data/jobs.csv", "method 12", "Unpack it"]),
        ("sheet.xlsx", "binary", &["Excel", "save it as CSV"]),
        ("empty.zip", "empty", &["without members"]),
    ] {
        let refused = import(archive(name)).unwrap_err();
        assert_eq!(serde_json::to_value(&refused).unwrap()["code"], code, "{name}: {refused}");
        for word in words {
            assert!(refused.to_string().contains(word), "{name}: {refused}");
        }
    }
    let refused = choose(archive("encrypted.zip"), &["more.csv"]).unwrap_err();
    assert!(refused.to_string().contains("password"), "{refused}");
    // Stored, and the size only behind it: nothing says where it ends.
    let mut endless = zip(&[("a.csv", b"submit_s,gpus,duration_s\n0,1,60\n")]);
    endless[6] = 8;
    endless[14..26].fill(0);
    let refused = import(&endless).unwrap_err();
    assert!(matches!(refused, Refusal::Packed { .. }) && refused.to_string().contains("a.csv"), "{refused}");
    // A window of 2 GB.
    let refused = import(b"\x28\xb5\x2f\xfd\x04\xa8\x01\0\0").unwrap_err();
    assert!(refused.to_string().contains("--long=31"), "{refused}");
}

#[test]
fn cut_and_damaged_archives_give_nothing() {
    for (name, bytes) in ARCHIVES {
        if import(bytes).is_err() {
            continue;
        }
        for cut in 1..bytes.len() {
            if let Ok(imported) = import(&bytes[..cut]) {
                // Behind the last member only the end of an archive is missing; a frame more would not be missed.
                if *name == "frames.zst" && imported.report.jobs == 2 {
                    continue;
                }
                assert_eq!(imported, import(bytes).unwrap(), "{name} cut at {cut}");
            }
        }
    }
    for name in ["stored.zip", "infozip.zip", "infozip_stream.zip", "jobs.csv.zst", "zip64_stream.zip"] {
        let whole = import(archive(name)).unwrap();
        for at in 0..archive(name).len() {
            let mut bytes = archive(name).to_vec();
            bytes[at] ^= 0x10;
            // Names and times have no checksum; what the jobs say has.
            if let Ok(imported) = import(&bytes) {
                assert!(imported.workload.jobs.len() <= whole.workload.jobs.len(), "{name} at {at}");
                assert!(ids(&imported).iter().all(|id| ids(&whole).contains(id)), "{name} at {at}");
            }
        }
    }
}

#[test]
fn limits_stop_bombs_nesting_and_crowds() {
    let csv = b"submit_s,gpus,duration_s\n0,1,60\n";
    let three = zip(&[("a.csv.gz", &gzip(csv))]);
    assert_eq!(import(&gzip(&three)).unwrap().report.jobs, 1);
    let four = import(&gzip(&gzip(&three))).unwrap_err();
    assert_eq!(four, Refusal::PackedTooOften { limit: 3 });
    let five = import(&gzip(&gzip(&gzip(&gzip(csv))))).unwrap_err();
    assert_eq!(five, Refusal::PackedTooOften { limit: 3 });

    let crowd = vec![("a", &b""[..]); MAX_MEMBERS as usize + 1];
    assert_eq!(import(&zip(&crowd)).unwrap_err(), Refusal::TooManyMembers { limit: MAX_MEMBERS });

    // 100 MB of zeros: gzip inside ZIP, and Zstandard blocks of one repeated byte, four bytes for 128 kB.
    let mut zeros = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..1600 {
        zeros.write_all(&[b'\n'; 1 << 16]).unwrap();
    }
    let zeros = zeros.finish().unwrap();
    let mut repeated = b"\x28\xb5\x2f\xfd\x04\x38".to_vec();
    repeated.extend_from_slice(&[25 << 3, 0, 0]);
    repeated.extend_from_slice(b"submit_s,gpus,duration_s\n");
    for _ in 0..800 {
        repeated.extend_from_slice(&[0x02, 0x00, 0x10, b'\n']);
    }
    for bomb in [zip(&[("jobs.csv.gz", &zeros)]), repeated] {
        let refused = import(&bomb).unwrap_err();
        assert!(matches!(refused, Refusal::Bomb { ratio: 250, .. }), "{refused:?}");
    }
}

/// A tar archive of ustar headers, without the mark that ends it.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, content) in members {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes
}

#[test]
fn an_archive_that_nothing_ends_may_be_cut_and_is_told() {
    let [a, b] = [&b"submit_s,gpus,duration_s\n0,1,60\n"[..], b"submit_s,gpus,duration_s\n5,1,60\n"];
    let both = [tar(&[("a.csv", a), ("b.csv", b)]), vec![0; 1024]].concat();
    let cut = |bytes: &[u8]| {
        let report = import(bytes).unwrap().report;
        (report.jobs, warning(&report, "archive-cut"))
    };
    let first = tar(&[("a.csv", a)]);
    assert_eq!(both[..first.len()], first);
    for packed in [|bytes: &[u8]| bytes.to_vec(), |bytes: &[u8]| gzip(bytes)] {
        assert_eq!(cut(&packed(&both)), (2, 0));
        assert_eq!(cut(&packed(&both[..both.len() - 512])), (2, 0), "one block of zeros is a mark too");
        assert_eq!(cut(&packed(&first)), (1, 1));
        assert!(matches!(import(&packed(&first[..first.len() - 100])), Err(Refusal::Damaged { .. })));
    }
}

#[test]
fn what_follows_packed_data_is_passed_over_and_told_unless_it_is_padding() {
    let csv = b"submit_s,gpus,duration_s\n0,1,60\n";
    let trailing = |bytes: &[u8]| {
        let report = import(bytes).unwrap().report;
        for step in [1, 2, 5] {
            let cuts: Vec<usize> = (step..bytes.len()).step_by(step).collect();
            assert_eq!(import_cut(bytes, &cuts).unwrap().report, report);
        }
        (report.jobs, warning(&report, "trailing-bytes"))
    };
    let zstd = archive("jobs.csv.zst");
    for (packed, jobs) in [(gzip(csv), 1), (zstd.to_vec(), 2)] {
        let with = |rest: &[u8]| trailing(&[&packed[..], rest].concat());
        assert_eq!(with(b""), (jobs, 0));
        assert_eq!((with(&[0; 1]), with(&[0; 3]), with(&[0; 1000])), ((jobs, 0), (jobs, 0), (jobs, 0)));
        assert_eq!((with(b"x"), with(b"\0\0\0garbage")), ((jobs, 1), (jobs, 10)));
    }
    // A stream that begins and is cut off is no rest.
    let cut = [gzip(csv), gzip(csv)[..12].to_vec()].concat();
    assert!(matches!(import(&cut), Err(Refusal::Damaged { .. })));
    let cut = [zstd, &zstd[..3]].concat();
    assert!(matches!(import(&cut), Err(Refusal::Damaged { .. })));
    assert_eq!(import(&[gzip(csv), gzip(b"9,1,60\n")].concat()).unwrap().report.jobs, 2);
}
