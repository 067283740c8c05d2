//! Fuzzing the importer: the targets of `fuzz/` built with libFuzzer's counters, begun from the corpus and from every fixture.
//!
//! What the fuzzer finds on its way stays in `target/fuzz/corpus`, so that the next run goes on from there; an input that fails is
//! left in `target/fuzz/failures`. `tests/fuzz_corpus.rs` runs the same targets on the corpus without libFuzzer.

use crate::command::{Result, output, program, root, run};
use std::fs;
use std::path::Path;

/// A target, its share of the time, and what stands before a file to make it an input: the settings of the import.
struct Target {
    name: &'static str,
    shares: u64,
    settings: &'static [u8],
}

const TARGETS: [Target; 2] = [
    // The format by content, in pieces of seven bytes.
    Target { name: "import", shares: 2, settings: &[u8::MAX, 7] },
    // The mapping that the table suggests.
    Target { name: "mapping", shares: 1, settings: &[0; 32] },
];

/// Folders of files that are worth damaging.
const FIXTURES: [&str; 2] = ["tests/fixtures/traces", "tests/fixtures/archives"];

/// The counters by which libFuzzer sees where an input leads. These flags are stable ones; the target names its own.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=4 --cfg fuzzing";

/// An input may take so long, and the process so much memory.
const LIMITS: [&str; 3] = ["-timeout=20", "-rss_limit_mb=3000", "-max_len=16384"];

/// Runs every target for its share of the time; an input that fails ends it.
pub(crate) fn run_for(minutes: u64) -> Result {
    let host =
        output("rustc", &["--print", "host-tuple"]).ok_or("rustc is not on PATH: see https://rustup.rs")?;
    let folder = root().join("target/fuzz");
    // With a target named, the flags are not those of build scripts and macros.
    let mut build =
        program("cargo", &["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target"]);
    build.arg(&host).arg("--target-dir").arg(&folder).env("RUSTFLAGS", FLAGS);
    run(build)?;
    let failures = folder.join("failures");
    fs::create_dir_all(&failures)?;
    let shares: u64 = TARGETS.iter().map(|target| target.shares).sum();
    for Target { name, shares: share, settings } in TARGETS {
        let [found, seeds] = ["corpus", "seeds"].map(|kind| folder.join(kind).join(name));
        fs::create_dir_all(&found)?;
        write_seeds(&seeds, settings)?;
        let mut fuzzer = program(folder.join(&host).join("release").join(name), &LIMITS);
        fuzzer
            .arg(format!("-max_total_time={}", minutes * 60 * share / shares))
            .arg(format!("-artifact_prefix={}/{name}-", failures.display()))
            .arg("-print_final_stats=1")
            .args([&found, &root().join("fuzz/corpus").join(name), &seeds]);
        run(fuzzer)?;
    }
    Ok(())
}

/// Makes an input of every fixture.
fn write_seeds(folder: &Path, settings: &[u8]) -> Result {
    fs::create_dir_all(folder)?;
    for fixtures in FIXTURES {
        for entry in fs::read_dir(root().join(fixtures))? {
            let entry = entry?;
            let input = [settings, &fs::read(entry.path())?].concat();
            fs::write(folder.join(entry.file_name()), input)?;
        }
    }
    Ok(())
}
