//! A round as a policy solves it: every tenant's floor, then the program with those floors.

use super::classes::Round;
use sts_sim::policy::sts::budget::{Limits, Prices, Solver};
use sts_sim::policy::sts::program::{Program, Solution, Status};

/// A round, taken apart into the programs to be solved.
#[derive(Debug, Clone)]
pub(crate) struct Programs {
    alone: Vec<Program>,
    together: Program,
}

/// What is kept from round to round: buffers and prices.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    solver: Solver,
    together: Option<Prices>,
    alone: Vec<Option<Prices>>,
}

/// A solved round.
#[derive(Debug)]
pub(crate) struct Solved {
    pub(crate) solution: Option<Solution>,
    pub(crate) floors_proven: bool,
}

impl Solved {
    /// Whether the decision and every floor are proven optimal.
    pub(crate) fn is_proven(&self) -> bool {
        self.floors_proven && self.solution.as_ref().is_some_and(|s| s.status == Status::Optimal)
    }
}

impl Programs {
    pub(crate) fn of(round: &Round) -> Self {
        let alone = (0..round.program.tenants.len()).map(|u| round.alone(u)).collect();
        Self { alone, together: round.program.clone() }
    }

    /// Finds the floors, and says whether all are proven. With one tenant there are none.
    pub(crate) fn set_floors(&mut self, kept: &mut Kept) -> bool {
        let mut proven = true;
        kept.alone.resize(self.alone.len(), None);
        if self.alone.len() > 1 {
            for (u, alone) in self.alone.iter().enumerate() {
                let floor = kept.solver.solve_from(alone, &Limits::default(), &mut kept.alone[u], None);
                self.together.tenants[u].floor = floor.as_ref().map_or(0, |f| f.objective as i64);
                proven &= floor.is_some_and(|f| f.status == Status::Optimal);
            }
        }
        proven
    }

    /// Solves the program with the floors found.
    pub(crate) fn decide(&self, kept: &mut Kept) -> Option<Solution> {
        let solution = kept.solver.solve_from(&self.together, &Limits::default(), &mut kept.together, None);
        if let Some(solution) = &solution {
            assert!(self.together.is_feasible(&solution.choice), "an infeasible choice");
        }
        solution
    }

    /// The whole round.
    pub(crate) fn solve(&mut self, kept: &mut Kept) -> Solved {
        let floors_proven = self.set_floors(kept);
        Solved { solution: self.decide(kept), floors_proven }
    }
}
