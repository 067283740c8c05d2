//! The runs that the engine's benchmark times are the same natively and in WebAssembly. The constants were found natively; both
//! targets must reproduce them.
//!
//! In WebAssembly the test also prints how many jobs a second are simulated there, for comparison with `cargo bench --bench engine`:
//! ```text
//! wasm-pack test --node --release -- --test month_everywhere -- --nocapture
//! ```

#![allow(clippy::unwrap_used)]

#[path = "../benches/engine/month.rs"]
mod month;

use month::{POLICIES, bound};

/// FNV-1a over every allocation of the first 2,000 jobs, by policy.
fn fingerprints() -> Vec<u64> {
    let scenario = month::month(2_000);
    let prepared = bound(&scenario);
    let of = |policy: &&str| {
        let record = month::run(&scenario, &prepared, policy);
        let numbers = record.segments.iter().flat_map(|segment| {
            [i64::from(segment.job.0), segment.from.0, segment.to.0, i64::from(segment.option)]
        });
        numbers.flat_map(i64::to_le_bytes).fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    POLICIES.iter().map(of).collect()
}

const FINGERPRINTS: [u64; 3] = [0x0839_2d9c_c738_7226, 0xa126_501e_0316_3167, 0x0d39_b828_1005_e411];

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn allocations() {
    assert_eq!(fingerprints(), FINGERPRINTS);
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use wasm_bindgen_test::{console_log, wasm_bindgen_test};

    #[wasm_bindgen_test]
    fn allocations() {
        assert_eq!(super::fingerprints(), super::FINGERPRINTS);
    }

    #[wasm_bindgen_test]
    fn times() {
        if cfg!(debug_assertions) {
            return;
        }
        let scenario = super::month::month(100_000);
        let prepared = super::bound(&scenario);
        console_log!("| policy | jobs a second, best of 5 |");
        for policy in super::POLICIES {
            let once = |_| {
                let start = js_sys::Date::now();
                super::month::run(&scenario, &prepared, policy);
                js_sys::Date::now() - start
            };
            let best = (0..5).map(once).fold(f64::INFINITY, f64::min);
            console_log!("| {} | {:.0} |", policy, prepared.workload.jobs.len() as f64 * 1e3 / best);
        }
    }
}
