//! Prints what the solver does on every class of rounds: how many are proven optimal, CPU times, states, gaps, memory.
//!
//! ```text
//! cargo bench --bench solver_table -- [CLASS...] [--seeds N] [--worth NAME]
//! ```
//! Times are CPU times of the thread for a whole cold round: grouping, all floors, multipliers, dynamic program. `warm` is the
//! median of the five rounds that follow, each started from the prices of the one before.

#[cfg(not(target_arch = "wasm32"))]
mod solver {
    pub(crate) mod classes;
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
    use cpu_time::ThreadTime;
    use sts_sim::policy::sts::budget::{Limits, Prices, Solver};
    use sts_sim::policy::sts::program::{Solution, Status};

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

    /// The prices kept from round to round.
    #[derive(Default)]
    struct Kept {
        round: Option<Prices>,
        floors: Vec<Option<Prices>>,
    }

    struct Solved {
        solution: Option<Solution>,
        floors_proven: bool,
        floors_ms: f64,
        ms: f64,
    }

    fn ms(since: ThreadTime) -> f64 {
        since.elapsed().as_secs_f64() * 1e3
    }

    fn solve(round: &Round, solver: &mut Solver, kept: &mut Kept) -> Solved {
        let limits = Limits::default();
        let tenants = round.program.tenants.len();
        kept.floors.resize(tenants, None);
        // Not part of the round: splitting the program into tenants is a copy that a policy does not make.
        let alone: Vec<_> = (0..tenants).map(|u| round.alone(u)).collect();
        let mut program = round.program.clone();
        let start = ThreadTime::now();
        let mut floors_proven = true;
        if tenants > 1 {
            for (u, alone) in alone.iter().enumerate() {
                if let Some(floor) = solver.solve_from(alone, &limits, &mut kept.floors[u], None) {
                    program.tenants[u].floor = floor.objective as i64;
                    floors_proven &= floor.status == Status::Optimal;
                }
            }
        }
        let floors_ms = ms(start);
        let solution = solver.solve_from(&program, &limits, &mut kept.round, None);
        let ms = ms(start);
        if let Some(solution) = &solution {
            assert!(program.is_feasible(&solution.choice), "an infeasible choice");
        }
        Solved { solution, floors_proven, floors_ms, ms }
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
            let mut solver = Solver::new();
            let mut kept = Kept::default();
            let solved = solve(&at, &mut solver, &mut kept);
            let is_proven = |s: &Solved| {
                s.floors_proven && s.solution.as_ref().is_some_and(|s| s.status == Status::Optimal)
            };
            proven += u64::from(is_proven(&solved));
            cold.push(solved.ms);
            floors.push(solved.floors_ms);
            if let Some(solution) = &solved.solution {
                states = states.max(solution.states);
                gap = gap.max((solution.bound - solution.objective) as f64 / solution.bound as f64);
            } else {
                gap = 1.0;
            }
            for later in 0..WARM_ROUNDS {
                at = at.drift(seed * 100 + later);
                let solved = solve(&at, &mut solver, &mut kept);
                warm_proven += u64::from(is_proven(&solved));
                warm.push(solved.ms);
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
