//! The targets of the fuzzer on its corpus, on every fixture, and on both damaged at random, without libFuzzer.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../fuzz/counting.rs"]
mod counting;
#[path = "../fuzz/mappings.rs"]
mod mappings;
#[path = "../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sts_sim::trace;

/// How many damaged inputs are made for each target.
const DAMAGED: usize = 6000;

/// The files of a folder in order of their names.
fn files(folder: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

fn below(random: &mut ChaCha8Rng, limit: usize) -> usize {
    (random.next_u64() % limit.max(1) as u64) as usize
}

/// One of the inputs with some bytes overwritten, lost, or put in from another one.
fn damaged(inputs: &[Vec<u8>], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut input = inputs[below(random, inputs.len())].clone();
    for _ in 0..=below(random, 4) {
        let at = below(random, input.len());
        let end = (at + 1 + below(random, 12)).min(input.len());
        match below(random, 4) {
            0 if at < end => input[at] = random.next_u64() as u8,
            1 => drop(input.drain(at..end)),
            2 => input.truncate(at),
            _ => {
                let other = &inputs[below(random, inputs.len())];
                let from = below(random, other.len());
                let piece = &other[from..(from + below(random, 40)).min(other.len())];
                input.splice(at..end, piece.iter().copied());
            }
        }
    }
    input
}

/// One test, since what it counts is the memory of the whole process.
#[test]
fn whatever_the_bytes_are_an_import_holds() {
    let formats = trace::formats().len() as u8;
    let fixtures = [files("tests/fixtures/traces"), files("tests/fixtures/archives")].concat();
    let of = |begin: &[u8], file: &[u8]| [begin, file].concat();
    let mut random = ChaCha8Rng::seed_from_u64(1);

    let mut imports = files("fuzz/corpus/import");
    imports.extend(fixtures.iter().map(|file| of(&[u8::MAX, 7], file)));
    for import in &imports {
        targets::import(import);
    }
    for file in &fixtures {
        for format in 0..formats {
            targets::import(&of(&[format, 31], file));
        }
    }
    for _ in 0..DAMAGED {
        targets::import(&damaged(&imports, &mut random));
    }

    let mut tables = files("fuzz/corpus/mapping");
    tables.extend(fixtures.iter().map(|file| of(&[0; mappings::SETTINGS], file)));
    for table in &tables {
        targets::mapping(table);
    }
    for _ in 0..DAMAGED {
        targets::mapping(&damaged(&tables, &mut random));
    }
}
