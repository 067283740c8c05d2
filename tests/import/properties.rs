//! What holds for every input.

use proptest::prelude::*;
use sts_sim::trace::{WorkloadDigest, formats};

use crate::{FIXTURES, assert_accounts, gzip, import, import_as, import_cut};

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
