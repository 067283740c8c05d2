//! The round's integer program solved exactly at cluster scale: the loss-budget dynamic program.
//!
//! # The idea
//!
//! A dense table over all capacities has one cell per vector of remaining resources: 90 million for three types of 64
//! GPUs cut in seven. The linear relaxation, however, has at most one fractional job per resource and per binding floor,
//! so the integer optimum differs from the Lagrangian choice by a few moves. This solver enumerates only what lies within
//! a small *loss* of the Lagrangian bound, and raises that budget until it finds the optimum.
//!
//! # The proof, and where it is in the code
//!
//! 1. *Identity* (`regret`). For integer multipliers, `gain(x) = upper - loss(x)`, and for a feasible `x` every term of
//!    the loss (regrets of jobs, priced slack of resources, priced surplus of floors) is non-negative. So the program is
//!    "minimise the loss"; multipliers, wherever they come from, only decide how small it is.
//! 2. *Restriction* (`stage`, `walk`). A choice with loss at most `B` uses options with regret at most `B`, and every partial
//!    sum of its loss is at most `B`. So fixing jobs without such options at their base, and cutting states above `B`,
//!    loses no choice of loss at most `B`. Splitting identical jobs into bundles reaches every distribution.
//!    Of jobs that offer the same move, only the cheapest ones take part in some best choice (`exchange`).
//! 3. *Merging* (`walk`). Equal resources left at the same stage have the same completions at the same cost, so the
//!    smaller loss dominates.
//! 4. *Menus* (`menu`, `half`, `meet`). A floor binds one tenant only, so it is settled inside a list of that tenant's useful
//!    (usage, value) pairs, and the outer state has no dimension for floors. The tenant's least loss `gamma` is a
//!    constant.
//! 5. *Bounds* (`frame`). A table per resource ignores all other resources: a relaxation, hence a lower bound on the loss to
//!    come.
//! 6. *Lazy floors* (`slack`). A floor without a multiplier is first left out, a relaxation; what is found is checked.
//! 7. *Budget* (`search`). A run minimises over all choices of loss at most `B`. If it finds one, the optimum is among
//!    them; if not, the optimum loses more than `B`, which is a bound. The greatest possible loss is finite, so the loop
//!    ends: with the optimum, with the proof that no choice is feasible, or at a work limit with a proven gap.
//!
//! [`certificate`] checks feasibility and the bound of step 1 without any of this code.
//!
//! # Determinism
//!
//! Everything that decides is an integer. Multipliers are floating-point advice from `lp`, computed with `+ - * /` only,
//! so they have the same bits on every target. Limits are counts of states, never times. Among optima the tie rule may be built
//! into the gains ([`Ties::PreferKept`]); what remains is broken by order: first option, earlier state, copies handed
//! out in order of tenant and job.

mod attempt;
mod crash;
mod exchange;
mod frame;
mod half;
mod key;
mod lp;
mod meet;
mod menu;
mod model;
mod outlook;
mod pool;
mod regret;
mod relaxation;
mod repair;
mod search;
mod simplex;
mod slack;
mod span;
mod stage;
mod table;
mod walk;

use super::certificate::{self, Multipliers};
use super::program::{Program, Solution, Status};
pub use lp::Prices;
use menu::MenuLimits;
use model::Model;
pub use model::TieLevel;
use search::{End, Incumbent, Search, SearchLimits};
use walk::Work;

/// Most resources of a program.
pub const RESOURCES: usize = 32;

/// Losses from here on are not told apart; see `model` on widths.
const UNREACHABLE: i64 = 1 << 61;

/// The greatest budget: below all losses that are not told apart.
const GREATEST_BUDGET: i64 = UNREACHABLE - 1;

/// States of the search with which debug builds check every answer.
const CHECKED_STATES: usize = 2_000;

/// What breaks ties between optima.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Nothing in particular: fastest.
    #[default]
    Any,
    /// Most jobs keep their option, then fewest slots. Exact as far as the widths allow ([`Solver::ties`] says how far).
    PreferKept,
}

/// Work limits of a solve, counted in operations, so that the same step ends it on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Options tried and pairs looked at, over all runs and menus.
    pub expansions: u64,
    /// States kept in one run; each takes about 24 bytes while its layer is current and 8 bytes after.
    pub kept_states: usize,
    /// Options tried and pairs looked at for one menu.
    pub menu_expansions: u64,
    /// The tie rule.
    pub ties: Ties,
}

impl Default for Limits {
    fn default() -> Self {
        Self { expansions: 20_000_000, kept_states: 3_000_000, menu_expansions: 4_000_000, ties: Ties::Any }
    }
}

/// The solver: buffers, and the prices of its last solve as a start for the next.
///
/// One solver serves any programs one after the other. For sequences of similar programs that alternate (the floors of
/// several tenants and the program of the round), keep one [`Prices`] for each and use [`solve_from`](Self::solve_from).
#[derive(Debug, Default)]
pub struct Solver {
    model: Model,
    linear: lp::Linear,
    regrets: regret::Regrets,
    search: Search,
    prices: Option<Prices>,
    /// Multipliers that show that the last program is infeasible.
    refutation: Option<Multipliers>,
    spent: u64,
}

impl Solver {
    /// A solver without history.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a program, starting from the prices of the last solve if that had as many resources and tenants.
    ///
    /// `None` if the limits ended the search with neither a feasible choice nor a proof that there is none, or if the
    /// program has more than [`RESOURCES`] resources.
    pub fn solve(&mut self, program: &Program, limits: &Limits) -> Option<Solution> {
        let mut prices = self.prices.take();
        let solution = self.solve_from(program, limits, &mut prices, None);
        self.prices = prices;
        solution
    }

    /// Solves a program starting from `prices`, which become those of this solve. A start of other dimensions is ignored.
    /// Prices change the effort and the choice among ties, never the value of an optimum.
    ///
    /// `known` is a feasible choice: the answer is never worse, and there is one.
    pub fn solve_from(
        &mut self,
        program: &Program,
        limits: &Limits,
        prices: &mut Option<Prices>,
        known: Option<&[Option<u16>]>,
    ) -> Option<Solution> {
        if program.capacity.len() > RESOURCES {
            return None;
        }
        self.model.read(program, limits.ties);
        let solved = self.linear.solve(&self.model, prices.as_ref());
        self.regrets.compute(&self.model, &solved);
        self.refutation = None;
        if self.linear.misses_a_floor() {
            let prices = self.linear.feasibility_prices(&solved);
            let multipliers = |(lambda, mu)| Multipliers { scale: 1, lambda, mu };
            self.refutation = regret::Regrets::refutation(&self.model, &prices).map(multipliers);
        }
        *prices = Some(solved);
        let known = known.filter(|k| program.is_feasible(k)).and_then(|k| self.model.recognise(program, k));
        let search_limits = SearchLimits {
            kept: limits.kept_states,
            menu: MenuLimits { tries: limits.menu_expansions, beam: 400 },
        };
        let work = Work { left: limits.expansions, states: 0 };
        self.spent = 0;
        if self.refutation.is_some() {
            let solution = self.answer(program, End::Infeasible, None, 0, 0);
            return self.checked(program, solution);
        }
        let mut run = self.search.start(&self.model, &self.regrets, search_limits, work, known);
        let end = run.run();
        let (best, bound, states) = (run.best.take(), run.bound, run.work.states);
        self.spent = limits.expansions.saturating_sub(run.work.left);
        let solution = self.answer(program, end, best, bound, states);
        self.checked(program, solution)
    }

    /// The prices of the last [`solve`](Self::solve), or `None` before it.
    #[must_use]
    pub fn prices(&self) -> Option<&Prices> {
        self.prices.as_ref()
    }

    /// Expansions of the last solve.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// How much of the tie rule the last solve had room for.
    #[must_use]
    pub fn ties(&self) -> TieLevel {
        self.model.ties
    }

    /// The integer multipliers of the last solve, for [`certificate::check`].
    #[must_use]
    pub fn multipliers(&self) -> Multipliers {
        if let Some(refutation) = &self.refutation {
            return refutation.clone();
        }
        let unit = self.model.weight_unit;
        Multipliers {
            scale: self.model.scale,
            lambda: self.regrets.lambda.iter().map(|&l| i128::from(l) * i128::from(unit)).collect(),
            mu: self.regrets.mu.iter().map(|&m| i128::from(m) * i128::from(unit)).collect(),
        }
    }

    /// The answer, in debug builds only after the certificate has been checked.
    fn checked(&self, program: &Program, solution: Option<Solution>) -> Option<Solution> {
        debug_assert_eq!(
            solution.as_ref().and_then(|s| certificate::check(
                program,
                s,
                &self.multipliers(),
                CHECKED_STATES
            )
            .err()),
            None
        );
        solution
    }

    /// Puts the answer into the program's own terms.
    fn answer(
        &mut self,
        program: &Program,
        end: End,
        best: Option<Incumbent>,
        bound: i128,
        states: u64,
    ) -> Option<Solution> {
        let unit = i128::from(self.model.weight_unit);
        // gain = scale * objective + bonus, and no bonus is less than the greatest malus allows.
        let scaled = bound + i128::from(self.model.greatest_malus);
        let bound = scaled.div_euclid(i128::from(self.model.scale)) * unit;
        let method = "loss-budget";
        if end == End::Infeasible {
            let status = Status::Infeasible;
            return Some(Solution { status, choice: Vec::new(), objective: 0, bound: 0, states, method });
        }
        let best = best?;
        let choice = self.model.hand_out(program, &best.counts);
        let objective = program.objective(&choice);
        if end == End::Proven || bound == objective {
            let status = Status::Optimal;
            return Some(Solution { status, choice, objective, bound: objective, states, method });
        }
        // With bonuses in the gains, dividing by the scale may have cost a unit.
        let bound = certificate::upper_bound(program, &self.multipliers()).map_or(bound, |b| b.min(bound));
        Some(Solution { status: Status::Feasible, choice, objective, bound, states, method: best.method })
    }
}
