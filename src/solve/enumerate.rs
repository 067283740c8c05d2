//! Brute force: every choice there is, counted on its own terms.
//!
//! This shares no reasoning with the dynamic programs: capacities of uniform and A30 types are sums of slots; what packs on
//! A100-class devices is decided by filling right halves with 3g first (a closed form over instance counts), not by the linear
//! resources; floors are found by enumeration too.

use super::SolveError;
use super::instance::InstanceLayout;
use super::problem::Problem;
use crate::cluster::SliceMemory;

/// More jobs than can be enumerated within any limit.
const MAX_JOBS: usize = 64;

/// The best choice found by looking at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Enumerated {
    /// For every job the option it takes; `None` when no choice meets the floors.
    pub(super) choice: Option<Vec<Option<u16>>>,
    /// Each tenant's floor.
    pub(super) floors: Vec<i64>,
    /// Choices and parts of choices visited.
    pub(super) states: u64,
}

/// Whether tenants have floors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fairness {
    /// Every tenant gets at least what its quota is worth to it.
    Floors,
    /// None has.
    NoFloors,
}

/// Enumerates all choices, at most `limit` steps of it.
pub(super) fn enumerate(
    problem: &Problem<'_>,
    fairness: Fairness,
    limit: u64,
) -> Result<Enumerated, SolveError> {
    if problem.jobs.len() > MAX_JOBS {
        return Err(SolveError::TooLarge { limit });
    }
    let mut walk = Walk { problem, states: 0, limit, jobs: Vec::new(), floors: Vec::new(), best: None };
    let devices: Vec<u32> = problem.instance.types.iter().map(|t| t.devices).collect();
    let all: Vec<u32> = problem.instance.types.iter().map(|t| t.devices * t.slots_per_device).collect();
    let mut floors = vec![0; problem.instance.tenants.len()];
    if fairness == Fairness::Floors {
        for (tenant, floor) in floors.iter_mut().enumerate() {
            let quota = &problem.quotas[tenant];
            let types = &problem.instance.types;
            let own: Vec<u32> =
                quota.iter().zip(types).map(|(&slots, t)| slots.div_ceil(t.slots_per_device)).collect();
            walk.jobs = (0..problem.jobs.len()).filter(|&job| problem.jobs[job].0 == tenant).collect();
            walk.run(&own, quota, &vec![0; problem.instance.tenants.len()])?;
            *floor = walk.best.take().map_or(0, |(objective, _)| objective);
        }
    }
    walk.jobs = (0..problem.jobs.len()).collect();
    walk.run(&devices, &all, &floors)?;
    let choice = walk.best.take().map(|(_, choice)| choice);
    Ok(Enumerated { choice, floors, states: walk.states })
}

struct Walk<'p> {
    problem: &'p Problem<'p>,
    states: u64,
    limit: u64,
    /// The jobs that choose.
    jobs: Vec<usize>,
    floors: Vec<i64>,
    best: Option<(i64, Vec<Option<u16>>)>,
}

/// What has been taken so far.
struct Taken {
    choice: Vec<Option<u16>>,
    /// Slots by type.
    slots: Vec<u32>,
    /// Instances of 1, 2, 3, 4 and 7 slices and 1g with double memory by type.
    counts: Vec<[u32; 6]>,
    worth: Vec<i64>,
}

impl Walk<'_> {
    fn run(&mut self, devices: &[u32], slots: &[u32], floors: &[i64]) -> Result<(), SolveError> {
        self.floors = floors.to_vec();
        let mut taken = Taken {
            choice: vec![None; self.problem.jobs.len()],
            slots: vec![0; slots.len()],
            counts: vec![[0; 6]; slots.len()],
            worth: vec![0; self.floors.len()],
        };
        self.step(0, devices, slots, &mut taken)
    }

    fn step(
        &mut self,
        at: usize,
        devices: &[u32],
        slots: &[u32],
        taken: &mut Taken,
    ) -> Result<(), SolveError> {
        self.states += 1;
        if self.states > self.limit {
            return Err(SolveError::TooLarge { limit: self.limit });
        }
        let Some(&job) = self.jobs.get(at) else {
            let objective = taken.worth.iter().sum();
            if taken.worth.iter().zip(&self.floors).all(|(worth, floor)| worth >= floor)
                && self.best.as_ref().is_none_or(|(best, _)| objective > *best)
            {
                self.best = Some((objective, taken.choice.clone()));
            }
            return Ok(());
        };
        let problem = self.problem;
        let (tenant, of_instance) = problem.jobs[job];
        for (i, option) in of_instance.options.iter().enumerate() {
            let k = problem.type_index(&option.gpu);
            let value = problem.program.jobs[job].options[i].value;
            let amount = option.slots * option.devices;
            let size = match option.memory {
                SliceMemory::Plain => [1, 2, 3, 4, 7].iter().position(|&size| size == option.slots),
                SliceMemory::Double => Some(5),
            };
            taken.slots[k] += amount;
            if let Some(size) = size {
                taken.counts[k][size] += option.devices;
            }
            let fits = taken.slots[k] <= slots[k]
                && match problem.instance.types[k].layout {
                    InstanceLayout::Uniform => true,
                    _ if option.devices > problem.instance.types[k].devices => false,
                    InstanceLayout::MigA30 => true,
                    InstanceLayout::MigA100 => packs(devices[k], taken.counts[k]),
                };
            if fits {
                taken.choice[job] = Some(i as u16);
                taken.worth[tenant] += value;
                self.step(at + 1, devices, slots, taken)?;
                taken.worth[tenant] -= value;
            }
            taken.slots[k] -= amount;
            if let Some(size) = size {
                taken.counts[k][size] -= option.devices;
            }
        }
        taken.choice[job] = None;
        self.step(at + 1, devices, slots, taken)
    }
}

/// Whether these numbers of 1g, 2g, 3g, 4g, 7g and double-memory 1g instances fit on so many A100-class devices. Each device is a
/// left half (four slices, where alone a 4g can lie) and a right half (three); a 3g wastes nothing on the right and one slice on the
/// left, a double-memory 1g nothing on the last slice of the right and one slice elsewhere, where it lies as a 2g does.
fn packs(devices: u32, counts: [u32; 6]) -> bool {
    let [n1, n2, n3, n4, n7, doubles] = counts.map(i64::from);
    let devices = i64::from(devices);
    let (lefts, rights) = (n7 + n4, n7 + n3);
    let free_lefts = devices - lefts - (rights - devices).max(0);
    let free_rights = (devices - rights).max(0);
    let at_the_end = doubles.min(free_rights);
    let pairs = n2 + doubles - at_the_end;
    n7 <= devices
        && free_lefts >= 0
        && pairs <= 2 * free_lefts + free_rights
        && n1 + 2 * pairs + at_the_end <= 4 * free_lefts + 3 * free_rights
}
