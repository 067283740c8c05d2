//! What holds for every input.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use sts_sim::trace::{Import, ImportOptions, Imported, Refusal, WorkloadDigest, formats, write_sts_json};

use crate::{FIXTURES, assert_accounts, gzip, import, import_as, import_cut, joined};

/// The hand-made files of a format.
fn files_of(format: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> =
        FIXTURES.iter().filter(|(of, _)| *of == format).map(|(_, bytes)| bytes.to_vec()).collect();
    if format == "sts-json" {
        let mut written = Vec::new();
        write_sts_json(&import(FIXTURES[0].1).unwrap().workload, &mut written).unwrap();
        files.push(written);
    }
    if format == "pai-2020" {
        files.push(joined::TASKS.1.as_bytes().to_vec());
    }
    assert!(!files.is_empty(), "{format} has no fixture");
    files
}

/// What may happen to a line.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Lose,
    Repeat,
    SwapWithNext,
    CutOff,
    Insert(&'static str),
    Replace(&'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    const TEXTS: [&str; 14] = [
        "",
        "-1",
        "0",
        "x",
        "NaN",
        "1e99",
        ",",
        "\t",
        " ",
        "|",
        ";",
        "\"",
        "2020-02-30 00:00:00",
        "\u{fffd}",
    ];
    prop_oneof![
        Just(Damage::Lose),
        Just(Damage::Repeat),
        Just(Damage::SwapWithNext),
        Just(Damage::CutOff),
        select(&TEXTS[..]).prop_map(Damage::Insert),
        select(&TEXTS[..]).prop_map(Damage::Replace),
    ]
}

/// A file with damaged lines.
fn damaged(bytes: &[u8], damages: &[(Index, Index, Damage)]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    for (line, place, damage) in damages {
        if lines.is_empty() {
            break;
        }
        let at = line.index(lines.len());
        let text = lines[at].strip_suffix(b"\n").unwrap_or(&lines[at]).len();
        let place = place.index(text + 1);
        match damage {
            Damage::Lose => drop(lines.remove(at)),
            Damage::Repeat => lines.insert(at, lines[at].clone()),
            Damage::SwapWithNext => {
                let next = (at + 1).min(lines.len() - 1);
                lines.swap(at, next);
            }
            Damage::CutOff => drop(lines[at].drain(place..text)),
            Damage::Insert(word) => drop(lines[at].splice(place..place, word.bytes())),
            Damage::Replace(word) => drop(lines[at].splice(..text, word.bytes())),
        }
    }
    lines.concat()
}

/// Reads a file as a format, in the pieces between `cuts`.
fn import_pieces(format: &str, bytes: &[u8], cuts: &[Index]) -> Result<Imported, Refusal> {
    let options = ImportOptions { format: Some(format.into()), ..ImportOptions::default() };
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut import = Import::new(&options)?;
    import.next_file("trace")?;
    let mut from = 0;
    for cut in cuts {
        import.feed(&bytes[from..cut])?;
        from = cut;
    }
    import.feed(&bytes[from..])?;
    import.finish()
}

/// Any of the fixtures, with some bytes overwritten, cut out or repeated.
fn damaged_fixture() -> impl Strategy<Value = Vec<u8>> {
    let damage = (any::<prop::sample::Index>(), 0u8..3, any::<u8>());
    (0..FIXTURES.len(), proptest::collection::vec(damage, 0..6)).prop_map(|(which, damages)| {
        let mut bytes = FIXTURES[which].1.to_vec();
        for (at, kind, byte) in damages {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at),
                _ => bytes.insert(at, byte),
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn every_format_accounts_for_every_record_of_a_damaged_file(
        damages in proptest::collection::vec((any::<Index>(), any::<Index>(), damage()), 0..8),
        cuts in proptest::collection::vec(any::<Index>(), 0..8),
    ) {
        for format in formats() {
            for file in files_of(format.name) {
                let file = damaged(&file, &damages);
                let whole = import_as(format.name, &file);
                prop_assert_eq!(&import_pieces(format.name, &file, &cuts), &whole, "{}", format.name);
                let Ok(imported) = whole else { continue };
                let report = &imported.report;
                assert_accounts(report);
                prop_assert_eq!(report.jobs as usize, imported.workload.jobs.len());
                prop_assert_eq!(report.jobs as usize, imported.workload.names.len());
                prop_assert!(imported.workload.jobs.is_sorted_by_key(|job| job.submit));
                let lines = file.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
                for rejected in &report.rejected {
                    prop_assert!((1..=lines).contains(&rejected.line), "{}: {:?}", format.name, rejected);
                    prop_assert!(!rejected.expected.is_empty());
                }
                for skipped in &report.skipped {
                    prop_assert!(skipped.first_lines.iter().all(|line| (1..=lines).contains(line)));
                }
            }
        }
    }

    #[test]
    fn the_result_does_not_depend_on_how_the_bytes_are_cut(
        bytes in damaged_fixture(),
        packed in any::<bool>(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = if packed { gzip(&bytes) } else { bytes };
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let whole = import(&bytes);
        prop_assert_eq!(import_cut(&bytes, &cuts), whole.clone());
        let every: Vec<usize> = (1..bytes.len()).collect();
        prop_assert_eq!(import_cut(&bytes, &every), whole);
    }

    #[test]
    fn accounts_add_up_whatever_comes_in(bytes in damaged_fixture()) {
        for format in formats() {
            if let Ok(imported) = import_as(format.name, &bytes) {
                assert_accounts(&imported.report);
                prop_assert_eq!(imported.report.jobs as usize, imported.workload.jobs.len());
                prop_assert_eq!(imported.workload.names.len(), imported.workload.jobs.len());
                prop_assert!(imported.workload.jobs.is_sorted_by_key(|job| job.submit));
                let _ = imported.report.to_text();
                let _ = WorkloadDigest::of(&imported.workload);
            }
        }
    }

    #[test]
    fn no_bytes_make_an_import_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = import(&bytes);
        for format in formats() {
            let _ = import_as(format.name, &bytes);
        }
    }
}
