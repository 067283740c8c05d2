//! What is fuzzed, and what must hold whatever the bytes are. `tests/fuzz_corpus.rs` runs the same on a corpus without libFuzzer.

use sts_sim::trace::mapping::{self, Mapping};
use sts_sim::trace::{self, Import, ImportOptions, Imported, Refusal};

use crate::counting::counted;
use crate::mappings;

/// Memory that an import may take whatever its input: buffers, the longest JSON element.
const MEMORY_AT_LEAST: usize = 32 << 20;
/// Memory that decoders may take beside: a window in each packing.
const MEMORY_OF_DECODERS: usize = trace::MAX_PACKINGS as usize * trace::MAX_WINDOW as usize;
/// Memory that an import may take for each byte of text: the shortest record of a job has a few bytes.
const MEMORY_PER_BYTE: usize = 64;
/// Text that may come out of a packed input, for each of its bytes: what deflate reaches, three times over, is stopped by the
/// importer's own limit long after this; here it bounds what a fuzzer can ask for.
const TEXT_PER_PACKED_BYTE: usize = 1100;

/// Any bytes, as any format, cut anywhere: the first byte chooses the format (beyond the formats: by content), the second the size
/// of the pieces.
pub(crate) fn import(data: &[u8]) {
    let [format, step, file @ ..] = data else { return };
    let format = trace::formats().get(usize::from(*format)).map(|format| format.name.to_owned());
    let options = ImportOptions { format, ..ImportOptions::default() };
    let _ = trace::detect(file);
    all_ways(&options, file, usize::from(*step));
}

/// Any table by any mapping: the first bytes are the mapping's settings, which are laid over the one that the table suggests.
pub(crate) fn mapping(data: &[u8]) {
    let Some((settings, table)) = data.split_first_chunk::<{ mappings::SETTINGS }>() else { return };
    let suggested = mapping::suggest(table).map(|suggestion| {
        let _ = suggestion.summary();
        suggestion.mapping
    });
    let mapping = mappings::vary(suggested.unwrap_or_default(), settings);
    if mapping.check().is_ok() {
        assert_eq!(Mapping::from_json(&mapping.to_json()).as_ref(), Ok(&mapping));
    }
    let shown = mapping::preview(table, &mapping);
    assert!(shown.readable <= shown.read);
    let options = ImportOptions { mapping: Some(Box::new(mapping)), ..ImportOptions::default() };
    all_ways(&options, table, usize::from(settings[0]));
}

/// Imports a file as a whole and in pieces, within the bounds on memory.
fn all_ways(options: &ImportOptions, file: &[u8], step: usize) {
    let whole = counted(|| read(options, file, file.len().max(1)));
    let (text, least) = if is_packed(file) {
        (file.len() * TEXT_PER_PACKED_BYTE, MEMORY_AT_LEAST + MEMORY_OF_DECODERS)
    } else {
        (file.len(), MEMORY_AT_LEAST)
    };
    assert!(whole.peak <= least + text * MEMORY_PER_BYTE, "{} bytes for {} of input", whole.peak, file.len());
    let whole = whole.value;
    if let Ok(imported) = &whole {
        check(imported);
    }
    let step = step.max(1);
    if file.len() / step <= 4096 {
        let pieces = read(options, file, step);
        // Of a damaged file that has another fault too, either may be met first.
        let is_damaged = |result: &Result<Imported, Refusal>| matches!(result, Err(Refusal::Damaged { .. }));
        assert!(
            pieces == whole
                || (whole.is_err() && is_damaged(&pieces))
                || (pieces.is_err() && is_damaged(&whole)),
            "in pieces of {step}: {pieces:?}, as a whole: {whole:?}"
        );
    }
}

fn read(options: &ImportOptions, file: &[u8], step: usize) -> Result<Imported, Refusal> {
    let mut import = Import::new(options)?;
    for piece in file.chunks(step) {
        import.feed(piece)?;
    }
    import.finish()
}

fn is_packed(file: &[u8]) -> bool {
    [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd", b"PK"]
        .iter()
        .any(|magic| file.windows(magic.len()).any(|w| w == *magic))
        || matches!(file, [_, 0x2a, 0x4d, 0x18, ..])
}

/// What holds of every import.
fn check(imported: &Imported) {
    let (report, workload) = (&imported.report, &imported.workload);
    assert_eq!(report.jobs + report.skipped_count() + report.rejected_count, report.records);
    assert_eq!(report.gpu_jobs + report.zero_gpu_jobs, report.jobs);
    assert_eq!(workload.jobs.len() as u64, report.jobs);
    assert_eq!(workload.names.len(), workload.jobs.len());
    assert!(workload.jobs.is_sorted_by_key(|job| job.submit));
    for job in &workload.jobs {
        assert!(job.submit.0 >= 0 && job.workers >= 1);
        assert!((job.tenant.0 as usize) < workload.tenants.len());
        assert!(job.user.is_none_or(|user| (user as usize) < workload.users.len()));
        assert!(job.model.is_none_or(|model| (model as usize) < workload.models.len()));
        assert!(job.gpu_type.is_none_or(|kind| (kind as usize) < workload.gpu_types.len()));
        assert!(job.duration.get().is_none_or(|span| span.0 >= 0));
    }
}
