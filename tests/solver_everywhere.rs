//! The solver's decisions are the same bits natively and in WebAssembly, cold and warm. The constants were found natively; both
//! targets must reproduce them.
//!
//! In WebAssembly the test also prints how long a round takes there, for comparison with `cargo bench --bench solver_table`:
//! ```text
//! wasm-pack test --node --release -- --test solver_everywhere -- --nocapture
//! ```

#![allow(clippy::unwrap_used)]

#[path = "../benches/solver"]
mod solver {
    #[allow(dead_code, reason = "shared with the benchmarks")]
    pub(crate) mod classes;
    #[allow(dead_code, reason = "shared with the benchmarks")]
    pub(crate) mod rounds;
}

use solver::classes::{CLASSES, Class, Worth, round};
use solver::rounds::{Kept, Programs};

/// FNV-1a over the choices of a cold round and of the warm round that follows.
fn fingerprint(class: &Class) -> u64 {
    let first = round(class, Worth::Mix, 0);
    let mut kept = Kept::default();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for round in [first.clone(), first.drift(1)] {
        let solved = Programs::of(&round).solve(&mut kept);
        for option in solved.solution.unwrap().choice {
            let byte = option.map_or(255, |o| o.to_le_bytes()[0]);
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

fn classes() -> impl Iterator<Item = &'static Class> {
    CLASSES.iter().filter(|c| CHOSEN.iter().any(|(name, _)| *name == c.name))
}

fn check() {
    let found: Vec<(&str, u64)> = classes().map(|c| (c.name, fingerprint(c))).collect();
    assert_eq!(found, CHOSEN);
}

/// Classes and the fingerprints of their decisions.
const CHOSEN: [(&str, u64); 6] = [
    ("doc40", 0x7a56_28e3_8b10_5e35),
    ("M150", 0x38e4_36e8_a847_9752),
    ("L600x7", 0xa4c3_1a90_201f_c80b),
    ("P5000", 0x697f_7adb_c414_6487),
    ("gangM", 0x3ccd_c44c_0b77_467e),
    ("migM", 0xed76_fc4d_ce60_f05a),
];

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn decisions() {
    check();
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use wasm_bindgen_test::{console_log, wasm_bindgen_test};

    use super::{Kept, Programs, Worth, round};

    #[wasm_bindgen_test]
    fn decisions() {
        super::check();
    }

    #[wasm_bindgen_test]
    fn times() {
        if cfg!(debug_assertions) {
            return;
        }
        console_log!("| class | worth | cold ms, median of 6 |");
        for class in super::classes() {
            for worth in [Worth::Throughput, Worth::Jct, Worth::Mix] {
                let mut times: Vec<f64> = (0..6)
                    .map(|seed| {
                        let programs = Programs::of(&round(class, worth, seed));
                        let (start, mut rounds) = (js_sys::Date::now(), 0.0);
                        while rounds < 3.0 || (js_sys::Date::now() - start < 30.0 && rounds < 50.0) {
                            programs.clone().solve(&mut Kept::default());
                            rounds += 1.0;
                        }
                        (js_sys::Date::now() - start) / rounds
                    })
                    .collect();
                times.sort_by(f64::total_cmp);
                console_log!("| {} | {} | {:.2} |", class.name, worth.name(), times[times.len() / 2]);
            }
        }
    }
}
