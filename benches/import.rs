//! CPU time of reading generated traces of 100 MB. `cargo bench --bench import`; `cargo xtask bench` adds WebAssembly.

#![allow(clippy::unwrap_used)]

#[cfg(not(target_arch = "wasm32"))]
#[path = "solver/cpu_time.rs"]
mod cpu_time;
#[cfg(not(target_arch = "wasm32"))]
#[path = "import/files.rs"]
mod files;

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    import::measure();
}

#[cfg(not(target_arch = "wasm32"))]
mod import {
    use std::hint::black_box;
    use std::time::Duration;

    use criterion::{Criterion, Throughput};
    use sts_sim::trace::{Import, ImportOptions, Imported};

    use crate::cpu_time::CpuTime;
    use crate::files::KINDS;

    /// Size of each file.
    const BYTES: usize = 100_000_000;

    /// As the page and the command line do it: the size is known.
    fn read(file: &[u8]) -> Imported {
        let mut import = Import::new(&ImportOptions::default()).unwrap();
        import.expect(file.len() as u64, u64::MAX);
        import.read("generated", file).unwrap();
        import.finish().unwrap()
    }

    pub(super) fn measure() {
        let mut criterion = Criterion::default()
            .with_measurement(CpuTime::default())
            .sample_size(10)
            .measurement_time(Duration::from_secs(8))
            .configure_from_args();
        let mut group = criterion.benchmark_group("import");
        for kind in KINDS {
            let (file, records) = kind.file(BYTES);
            assert_eq!(read(&file).report.jobs, records);
            group.throughput(Throughput::Bytes(file.len() as u64));
            group.bench_function(kind.name, |b| b.iter(|| black_box(read(&file))));
        }
        group.finish();
    }
}
