//! What a tenant could do alone, inside its own share.

use super::ladder::Ladder;
use super::program::{Program, ProgramJob, ProgramOption, ProgramTenant};

/// A tenant's best inside its share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alone {
    /// What its jobs are worth: `V_u(q_u)` where `value` equals `bound`.
    pub value: i64,
    /// They cannot be worth more.
    pub bound: i64,
    /// The option of each of its jobs, in the order of the program. Of all choices of that value the one that takes the fewest
    /// slots, where the value is proven.
    pub choice: Vec<Option<u16>>,
    /// Table expansions spent.
    pub states: u64,
}

/// The best that the jobs of `tenant` can do inside `share` (an amount of every resource), found with about `budget` expansions.
#[must_use]
pub fn alone(program: &Program, tenant: usize, share: &[u32], budget: u64) -> Alone {
    let jobs = program.jobs_of(tenant);
    let forgetful = |option: &ProgramOption| ProgramOption { keeps: false, ..*option };
    let one = Program {
        capacity: share.to_vec(),
        tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
        jobs: jobs
            .iter()
            .map(|job| ProgramJob { tenant: 0, options: job.options.iter().map(forgetful).collect() })
            .collect(),
    };
    match Ladder::new(budget).solve(&one) {
        Some(solution) => Alone {
            value: i64::try_from(solution.objective).unwrap_or(i64::MAX),
            bound: i64::try_from(solution.bound).unwrap_or(i64::MAX),
            choice: solution.choice,
            states: solution.states,
        },
        // Idling always is a choice, so this cannot happen.
        None => Alone { value: 0, bound: i64::MAX, choice: vec![None; jobs.len()], states: 0 },
    }
}
