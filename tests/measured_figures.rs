//! The measured figures that the catalogue restates, against the files they come from (where those are at hand).

use std::path::PathBuf;

use sts_sim::workload::profile::measured::{GAVEL, MISO};

/// A file of the folder of real samples; `None`, with a line printed, where the folder is absent and may be.
fn shared(path: &str) -> Option<String> {
    let folder = std::env::var_os("STS_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    match std::fs::read_to_string(folder.join(path)) {
        Ok(text) => Some(text),
        Err(error) => {
            let required = std::env::var("STS_REQUIRE_SHARED").is_ok_and(|value| value == "1");
            assert!(!required, "{path} is required: {error}");
            println!("skipped: {path} is not in {} (set STS_SHARED)", folder.display());
            None
        }
    }
}

#[test]
fn slices_are_restated_as_published() {
    let Some(text) = shared("curves/miso_a100_mig_relative_throughput.json") else { return };
    let curves: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let published = curves.as_object().expect("an object");
    assert_eq!(published.len(), MISO.len() + 1, "all but deepspeech2/4");
    for row in &MISO {
        let curve = &published[&format!("{}/{}", row.model, row.batch)];
        for (slice, restated) in ["1g", "2g", "3g", "4g"].into_iter().zip(row.slices) {
            assert_eq!(curve[slice].as_f64(), restated, "{}/{} on {slice}", row.model, row.batch);
        }
    }
}

#[test]
fn whole_devices_are_restated_to_five_digits() {
    let Some(text) = shared("gavel/isolated_throughputs.csv") else { return };
    let mut compared = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [model, batch, scale_factor, gpu, steps_per_s] = fields[..] else { panic!("{line}") };
        let batch: u32 = if batch.is_empty() { 0 } else { batch.parse().expect("a batch size") };
        let row = GAVEL.iter().find(|row| row.model == model && row.batch == batch).expect(line);
        let restated = match gpu {
            "k80" => row.k80,
            "p100" => row.p100,
            "v100" => row.v100,
            _ => continue,
        };
        let doublings = scale_factor.parse::<u32>().expect("a scale factor").ilog2() as usize;
        let published: f64 = steps_per_s.parse().expect("a number");
        assert!((restated[doublings] - published).abs() <= 5e-5 * published, "{line}");
        compared += 1;
    }
    let restated: usize = GAVEL.iter().map(|row| row.k80.len() + row.p100.len() + row.v100.len()).sum();
    assert_eq!(compared, restated);
}
