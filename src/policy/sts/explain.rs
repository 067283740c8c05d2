//! Why jobs wait, in terms of the program: a reason for every one in every round, cheap and by comparison; and, on demand, what
//! it would have cost to run it ([`runner_up`]).

pub mod runner_up;

use super::banking::Banking;
use super::program::Program;
use crate::policy::{Decision, Reason};
use crate::units::JobId;

/// What jobs that a floor protects hold on one type, from the largest down: (slots, least value of a job with at least so many
/// slots and its tenant, the same among other tenants).
#[derive(Debug, Clone, Default)]
struct Protected {
    by_slots: Vec<(u32, Least, Least)>,
}

/// The least value of a tenant's protected jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Least {
    value: i64,
    tenant: u32,
}

const NOBODY: Least = Least { value: i64::MAX, tenant: u32::MAX };

/// Adds the reason of every job that idles in `choice` to a decision.
///
/// * Collecting credit: its tenant cannot run anything inside its quota, and this is the job it collects for.
/// * Floors of others: it is worth more than a running job of another tenant whose slots it could use, but that tenant would fall
///   below its floor.
/// * The objective: neither.
pub(super) fn explain(
    program: &Program,
    choice: &[Option<u16>],
    jobs: &[JobId],
    banking: &Banking,
    decision: &mut Decision,
) {
    if choice.iter().all(Option::is_some) {
        return;
    }
    let protected = protected(program, choice);
    for ((of_program, option), &job) in program.jobs.iter().zip(choice).zip(jobs) {
        if option.is_some() {
            continue;
        }
        let collects =
            banking.collects_for(of_program.tenant).is_some_and(|(collecting, _)| collecting == job);
        let displaces = || {
            of_program.options.iter().any(|option| {
                protected.get(usize::from(option.usage.first)).is_some_and(|on_type| {
                    on_type.least(option.slots, of_program.tenant).is_some_and(|least| least < option.value)
                })
            })
        };
        let reason = if collects {
            Reason::GangBanking
        } else if displaces() {
            Reason::FloorOfOthers
        } else {
            Reason::Objective
        };
        decision.waits.push((job, reason));
    }
}

/// Running jobs whose tenant would miss its floor without them, by the first resource of their type.
fn protected(program: &Program, choice: &[Option<u16>]) -> Vec<Protected> {
    let worth = program.tenant_values(choice);
    let mut held: Vec<Vec<(u32, Least)>> = vec![Vec::new(); program.capacity.len()];
    for (job, option) in program.jobs.iter().zip(choice) {
        let Some(option) = option.and_then(|o| job.options.get(usize::from(o))) else { continue };
        let tenant = job.tenant as usize;
        let is_protected =
            program.tenants.get(tenant).is_some_and(|t| worth[tenant] - option.value < t.floor);
        if let (true, Some(held)) = (is_protected, held.get_mut(usize::from(option.usage.first))) {
            held.push((option.slots, Least { value: option.value, tenant: job.tenant }));
        }
    }
    held.into_iter()
        .map(|mut held| {
            held.sort_by_key(|&(slots, least)| (std::cmp::Reverse(slots), least.value, least.tenant));
            let mut on_type = Protected::default();
            let (mut first, mut second) = (NOBODY, NOBODY);
            for (slots, least) in held {
                if least.value < first.value {
                    if first.tenant != least.tenant {
                        second = first;
                    }
                    first = least;
                } else if least.tenant != first.tenant && least.value < second.value {
                    second = least;
                }
                on_type.by_slots.push((slots, first, second));
            }
            on_type
        })
        .collect()
}

impl Protected {
    /// The least value of a protected job of another tenant that holds at least so many slots.
    fn least(&self, slots: u32, tenant: u32) -> Option<i64> {
        let large_enough = self.by_slots.partition_point(|&(held, _, _)| held >= slots);
        let (_, first, second) = self.by_slots.get(large_enough.checked_sub(1)?)?;
        let least = if first.tenant == tenant { second } else { first };
        (least.value < i64::MAX).then_some(least.value)
    }
}
