//! What fairness asks of a round: three formulations on one solver.
//!
//! * F1, quota floors: no tenant below what its quota is worth to it, in every round.
//! * F2, [`drift`]: what tenants missed in earlier rounds weighs in the objective; fair on average.
//! * F3, [`maxmin`]: the worst-served tenant first; the extreme of fairness.

pub mod drift;
pub mod maxmin;

use self::drift::Drift;
use self::maxmin::MaxMin;
use super::program::Solution;

/// The formulation of a run, with what it remembers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Formulation {
    /// F1.
    #[default]
    QuotaFloors,
    /// F2.
    Drift(Drift),
    /// F3.
    MaxMin(MaxMin),
}

/// A round decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decided {
    /// The decision, and what is proven of it.
    pub(super) solution: Solution,
    /// By tenant `V_u(q_u)`, what its quota is worth to it: a floor in F1, for reference in the others.
    pub(super) floors: Vec<i64>,
    /// The optimum when floors are dropped, in the units of the solution's objective, where it is known.
    pub(super) without_floors: Option<i128>,
}

impl Formulation {
    /// Whether a round is decided as if there had been none before, but for what the temporal layer hands out.
    pub(super) fn forgets(&self) -> bool {
        matches!(self, Self::QuotaFloors)
    }
}
