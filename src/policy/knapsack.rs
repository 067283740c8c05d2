//! At most one option a job within the cluster, at the greatest total value: the multi-choice knapsack of the allocators that
//! solve an integer program a round, by the exact programs of STS-Fairness without floors.

use super::View;
use super::sts::ladder::Ladder;
use super::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Solution};
use super::sts::resources::Resources;
use crate::workload::JobOption;

/// What an option of a job is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bid {
    /// The option, as an index into the class's options.
    pub(super) option: u16,
    /// The option itself.
    pub(super) taken: JobOption,
    /// Its value, at least 1.
    pub(super) value: i64,
    /// Whether the job holds it: among equal totals those that keep more jobs win.
    pub(super) keeps: bool,
}

/// The solver, with its buffers.
#[derive(Debug)]
pub(super) struct Knapsack {
    ladder: Ladder,
    resources: Option<Resources>,
    program: Program,
}

impl Knapsack {
    /// A solver that spends at most about `budget` expansions on a program.
    pub(super) fn new(budget: u64) -> Self {
        Self { ladder: Ladder::new(budget), resources: None, program: Program::default() }
    }

    /// For every job the position of the bid it takes, beside what is `kept` in any case. With its bound; optimal where the status
    /// says so.
    pub(super) fn solve(
        &mut self,
        view: &View<'_>,
        kept: &[JobOption],
        jobs: &[Vec<Bid>],
    ) -> Option<Solution> {
        let resources = self.resources.get_or_insert_with(|| Resources::of(view.cluster));
        if resources.types().iter().map(|of_type| of_type.devices).ne(view.in_service.iter().copied()) {
            *resources = resources.with_devices(view.in_service);
        }
        let usage = |taken: &JobOption| {
            let of_type = resources.types()[taken.type_id.index()];
            of_type.usage(u32::from(taken.slots), taken.memory, taken.devices)
        };
        self.program.capacity.clear();
        self.program.capacity.extend_from_slice(resources.capacity());
        for taken in kept {
            for (resource, amount) in usage(taken).amounts() {
                let free = &mut self.program.capacity[resource];
                *free = free.saturating_sub(amount);
            }
        }
        self.program.tenants.clear();
        self.program.tenants.push(ProgramTenant { weight: 1, floor: 0 });
        self.program.jobs.clear();
        self.program.jobs.extend(jobs.iter().map(|bids| {
            ProgramJob {
                tenant: 0,
                options: bids
                    .iter()
                    .map(|bid| ProgramOption {
                        usage: usage(&bid.taken),
                        value: bid.value,
                        keeps: bid.keeps,
                        slots: u32::from(bid.taken.slots) * bid.taken.devices,
                    })
                    .collect(),
            }
        }));
        self.ladder.solve(&self.program)
    }
}
