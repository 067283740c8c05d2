//! Prints what the solver does on every class of rounds: how many are proven optimal, CPU times, states, gaps, memory.
//!
//! ```text
//! cargo bench --bench solver_table -- [CLASS...] [--seeds N] [--worth NAME]
//! ```
//! Times are CPU times of the thread for a whole cold round: grouping, all floors, multipliers, dynamic program. `warm` is the
//! median of the five rounds that follow, each started from the prices of the one before.

#[cfg(not(target_arch = "wasm32"))]
mod solver {
    #[allow(dead_code, reason = "shared with other benchmarks and tests")]
    pub(crate) mod classes;
    #[allow(dead_code, reason = "shared with other benchmarks and tests")]
    pub(crate) mod rounds;
}

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    table::print();
}

#[cfg(not(target_arch = "wasm32"))]
mod table {
    use super::solver::classes::{CLASSES, Class, Round, WORTHS, Worth, round};
    use super::solver::rounds::{Kept, Programs, Solved};
    use cpu_time::ThreadTime;

    /// Later rounds of each instance.
    const WARM_ROUNDS: u64 = 5;

    struct Wishes {
        classes: Vec<String>,
        seeds: u64,
        worth: Option<String>,
    }

    fn wishes() -> Wishes {
        let mut wishes = Wishes { classes: Vec::new(), seeds: 6, worth: None };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--bench" => {}
                "--seeds" => wishes.seeds = args.next().and_then(|n| n.parse().ok()).unwrap_or(6),
                "--worth" => wishes.worth = args.next(),
                _ => wishes.classes.push(arg),
            }
        }
        wishes
    }

    fn ms(since: ThreadTime) -> f64 {
        since.elapsed().as_secs_f64() * 1e3
    }

    struct Timed {
        solved: Solved,
        floors_ms: f64,
        ms: f64,
    }

    fn timed(round: &Round, kept: &mut Kept) -> Timed {
        // Taking the round apart is a copy that a policy does not make.
        let mut programs = Programs::of(round);
        let start = ThreadTime::now();
        let floors_proven = programs.set_floors(kept);
        let floors_ms = ms(start);
        let solution = programs.decide(kept);
        Timed { solved: Solved { solution, floors_proven }, floors_ms, ms: ms(start) }
    }

    fn median(list: &mut [f64]) -> f64 {
        list.sort_by(f64::total_cmp);
        list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
    }

    pub(super) fn print() {
        let wishes = wishes();
        println!(
            "| class | worth | proven | ms median | max | of it floors | warm ms | warm proven | states max | worst gap |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for class in CLASSES {
            if !wishes.classes.is_empty() && !wishes.classes.iter().any(|c| c == class.name) {
                continue;
            }
            for worth in WORTHS {
                if wishes.worth.as_ref().is_none_or(|w| w == worth.name()) {
                    row(class, worth, wishes.seeds);
                }
            }
        }
    }

    fn row(class: &Class, worth: Worth, seeds: u64) {
        let (mut cold, mut floors, mut warm) = (Vec::new(), Vec::new(), Vec::new());
        let (mut proven, mut warm_proven, mut states, mut gap) = (0, 0, 0, 0.0f64);
        for seed in 0..seeds {
            let mut at = round(class, worth, seed);
            let mut kept = Kept::default();
            let first = timed(&at, &mut kept);
            proven += u64::from(first.solved.is_proven());
            cold.push(first.ms);
            floors.push(first.floors_ms);
            match &first.solved.solution {
                Some(solution) => {
                    states = states.max(solution.states);
                    gap = gap.max((solution.bound - solution.objective) as f64 / solution.bound as f64);
                }
                None => gap = 1.0,
            }
            for later in 0..WARM_ROUNDS {
                at = at.drift(seed * 100 + later);
                let next = timed(&at, &mut kept);
                warm_proven += u64::from(next.solved.is_proven());
                warm.push(next.ms);
            }
        }
        let most = cold.iter().copied().fold(0.0, f64::max);
        println!(
            "| {} | {} | {proven}/{seeds} | {:.2} | {most:.2} | {:.2} | {:.2} | {warm_proven}/{} | {states} | {gap:.1e} |",
            class.name,
            worth.name(),
            median(&mut cold),
            median(&mut floors),
            median(&mut warm),
            seeds * WARM_ROUNDS,
        );
    }
}
