//! The best alternative that a decision refused: what running a waiting job would have cost.
//!
//! The job is forced to run and the rest of the round is decided anew, as well as can be: with an option `o` of the job taken for
//! granted, what is left is the same program without the job, with less of every resource and with the floor of its tenant lower by
//! the value of `o`. The best of these over all options is the runner-up. Every one is solved like the round itself, so the cost is
//! exact, or lies between proven bounds where the limits end a search.

use crate::policy::sts::budget::{Limits, Solver};
use crate::policy::sts::program::{Program, Solution, Status};

/// A decided round.
#[derive(Debug, Clone, Copy)]
pub struct DecidedRound<'a> {
    /// Its program, with the floors in force.
    pub program: &'a Program,
    /// For every job of the program the option that the decision gives it.
    pub choice: &'a [Option<u16>],
}

/// What running a waiting job would have cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cost {
    /// The objective would have been less by this much; exact. Negative where the decision itself was not optimal.
    Loses(i128),
    /// The objective would have been less by at least `at_least` and at most `at_most`: the search ended at its limits.
    LosesBetween {
        /// No decision that runs the job loses less.
        at_least: i128,
        /// Some decision that runs the job loses no more.
        at_most: i128,
    },
    /// With the job running, not all of these tenants' floors can hold; without any one of them the others can.
    Breaks(Vec<u32>),
    /// None of its options fits the cluster.
    DoesNotFit,
    /// The search ended at its limits without a decision that runs the job and without a proof that there is none.
    Unknown,
}

/// The best alternative for a waiting job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerUp {
    /// The option it would have: the one of the best decision that runs the job; where floors would break, its most valuable that
    /// fits the cluster.
    pub option: Option<u16>,
    /// What that would have cost.
    pub cost: Cost,
}

/// Finds the runner-up for `job`, a position in the program that idles in the decision. `limits` hold for each solve; there are as
/// many as the job has options, and where floors would break one more a tenant with a floor.
#[must_use]
pub fn runner_up(round: DecidedRound<'_>, job: usize, limits: &Limits) -> RunnerUp {
    let mut solver = Solver::new();
    let none = RunnerUp { option: None, cost: Cost::DoesNotFit };
    let Some(of_program) = round.program.jobs.get(job) else { return none };
    let decided = round.program.objective(round.choice);
    // The greatest objective reached with the job running, and what none exceeds.
    let mut best: Option<(i128, u16)> = None;
    let mut bound: Option<i128> = None;
    let mut fitting: Option<(i64, u16)> = None;
    let mut undecided = false;
    for (index, option) in (0u16..).zip(&of_program.options) {
        let Some((rest, gained)) = forced(round.program, job, index) else { continue };
        if fitting.is_none_or(|(value, _)| option.value > value) {
            fitting = Some((option.value, index));
        }
        match solver.solve(&rest, limits) {
            Some(Solution { status: Status::Infeasible, .. }) => {}
            Some(solution) => {
                let objective = solution.objective + gained;
                if best.is_none_or(|(most, _)| objective > most) {
                    best = Some((objective, index));
                }
                bound = bound.max(Some(solution.bound + gained));
            }
            None => {
                undecided = true;
                bound = bound.max(Some(most_of_all(&rest) + gained));
            }
        }
    }
    let Some((_, most_valuable)) = fitting else { return none };
    match best {
        Some((reached, option)) => {
            let bound = bound.unwrap_or(reached).max(reached);
            let cost = if bound == reached {
                Cost::Loses(decided - reached)
            } else {
                Cost::LosesBetween { at_least: decided - bound, at_most: decided - reached }
            };
            RunnerUp { option: Some(option), cost }
        }
        None if undecided => RunnerUp { option: Some(most_valuable), cost: Cost::Unknown },
        None => {
            let tenants = broken(round.program, job, most_valuable, limits, &mut solver);
            RunnerUp { option: Some(most_valuable), cost: Cost::Breaks(tenants) }
        }
    }
}

/// The program that is left when a job's option is taken for granted, and what the option adds to its objective; `None` if the option
/// does not fit. The job stays, without options, so that positions are kept.
fn forced(program: &Program, job: usize, option: u16) -> Option<(Program, i128)> {
    let of_program = program.jobs.get(job)?;
    let option = of_program.options.get(usize::from(option))?;
    if !option.usage.fits(&program.capacity) {
        return None;
    }
    let mut rest = program.clone();
    for (resource, amount) in option.usage.amounts() {
        if let Some(free) = rest.capacity.get_mut(resource) {
            *free -= amount;
        }
    }
    rest.jobs.get_mut(job)?.options.clear();
    let tenant = rest.tenants.get_mut(of_program.tenant as usize)?;
    tenant.floor = tenant.floor.saturating_sub(option.value).max(0);
    let gained = i128::from(tenant.weight) * i128::from(option.value);
    Some((rest, gained))
}

/// The objective if every job could have its most valuable option.
fn most_of_all(program: &Program) -> i128 {
    let of_job = program.jobs.iter().map(|job| {
        let weight = program.tenants.get(job.tenant as usize).map_or(0, |tenant| tenant.weight);
        let most = job.options.iter().map(|option| option.value).max().unwrap_or(0);
        i128::from(weight) * i128::from(most)
    });
    of_job.sum()
}

/// Tenants whose floors cannot all hold while the job has this option: floors are dropped, in order, for as long as the rest still
/// conflicts.
fn broken(program: &Program, job: usize, option: u16, limits: &Limits, solver: &mut Solver) -> Vec<u32> {
    let Some((mut rest, _)) = forced(program, job, option) else { return Vec::new() };
    for tenant in 0..rest.tenants.len() {
        let floor = std::mem::take(&mut rest.tenants[tenant].floor);
        if floor <= 0 {
            continue;
        }
        let conflicts =
            solver.solve(&rest, limits).is_some_and(|solution| solution.status == Status::Infeasible);
        if !conflicts {
            rest.tenants[tenant].floor = floor;
        }
    }
    (0u32..).zip(&rest.tenants).filter(|(_, tenant)| tenant.floor > 0).map(|(tenant, _)| tenant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::sts::program::{ProgramJob, ProgramOption, ProgramTenant, Usage};

    fn option(slots: u32, value: i64) -> ProgramOption {
        let usage = Usage { first: 0, len: 1, amounts: [slots, 0, 0, 0] };
        ProgramOption { usage, value, keeps: false, slots }
    }

    fn job(tenant: u32, options: &[(u32, i64)]) -> ProgramJob {
        ProgramJob { tenant, options: options.iter().map(|&(slots, value)| option(slots, value)).collect() }
    }

    fn program(floors: &[i64], jobs: Vec<ProgramJob>) -> Program {
        Program {
            capacity: vec![4],
            tenants: floors.iter().map(|&floor| ProgramTenant { weight: 1, floor }).collect(),
            jobs,
        }
    }

    #[test]
    fn the_cost_of_a_job_is_what_the_rest_gives_up_for_it() {
        // Four slots: two jobs worth 10 on two slots each, 6 on one. The third job, worth 3 on one slot and 7 on two, waits.
        let jobs = vec![job(0, &[(1, 6), (2, 10)]), job(0, &[(1, 6), (2, 10)]), job(1, &[(1, 3), (2, 7)])];
        let program = program(&[0, 0], jobs);
        let round = DecidedRound { program: &program, choice: &[Some(1), Some(1), None] };
        // On one slot: 3 + 10 + 6 = 19; on two: 7 + 6 + 6 = 19. Either loses one, and the first of equals is told.
        let found = runner_up(round, 2, &Limits::default());
        assert_eq!(found, RunnerUp { option: Some(0), cost: Cost::Loses(1) });
    }

    #[test]
    fn a_floor_that_would_break_is_named() {
        let jobs = vec![job(0, &[(4, 10)]), job(1, &[(2, 9)]), job(2, &[(5, 90)])];
        let program = program(&[10, 0, 0], jobs);
        let round = DecidedRound { program: &program, choice: &[Some(0), None, None] };
        let of = |job| runner_up(round, job, &Limits::default());
        assert_eq!(of(1), RunnerUp { option: Some(0), cost: Cost::Breaks(vec![0]) });
        assert_eq!(of(2), RunnerUp { option: None, cost: Cost::DoesNotFit });
    }

    #[test]
    fn a_forced_job_counts_for_its_own_tenants_floor() {
        // The tenant's floor of 5 can be met by the waiting job as well: forcing it costs 4.
        let jobs = vec![job(0, &[(4, 9)]), job(0, &[(4, 5)])];
        let program = program(&[5], jobs);
        let round = DecidedRound { program: &program, choice: &[Some(0), None] };
        let found = runner_up(round, 1, &Limits::default());
        assert_eq!(found, RunnerUp { option: Some(0), cost: Cost::Loses(4) });
    }
}
