//! Random programs of a round and their optimum by looking at every choice.

use proptest::prelude::*;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Usage};

pub(crate) const BUDGET: u64 = 20_000_000;

/// The best (objective, kept, fewest slots) over all choices that fit, and meet the floors if there are any.
pub(crate) fn enumerate(program: &Program) -> Option<(i128, u32, i64)> {
    let mut best = None;
    let mut choice = vec![None; program.jobs.len()];
    visit(program, &mut choice, 0, &mut best);
    best
}

pub(crate) fn visit(
    program: &Program,
    choice: &mut Vec<Option<u16>>,
    at: usize,
    best: &mut Option<(i128, u32, i64)>,
) {
    if at == program.jobs.len() {
        if program.is_feasible(choice) {
            *best = (*best).max(Some(rank(program, choice)));
        }
        return;
    }
    for option in (0..program.jobs[at].options.len() as u16).map(Some).chain([None]) {
        choice[at] = option;
        visit(program, choice, at + 1, best);
    }
    choice[at] = None;
}

pub(crate) fn rank(program: &Program, choice: &[Option<u16>]) -> (i128, u32, i64) {
    let taken = program.jobs.iter().zip(choice).filter_map(|(job, o)| Some(job.options[usize::from((*o)?)]));
    let (kept, slots) = taken.fold((0, 0), |(kept, slots), option| {
        (kept + u32::from(option.keeps), slots - i64::from(option.slots))
    });
    (program.objective(choice), kept, slots)
}

/// The most a tenant's jobs are worth inside a share, by enumeration.
pub(crate) fn worth_of_share(program: &Program, tenant: u32, share: &[u32]) -> i64 {
    let jobs = program.jobs.iter().filter(|job| job.tenant == tenant);
    let alone = Program {
        capacity: share.to_vec(),
        tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
        jobs: jobs.map(|job| ProgramJob { tenant: 0, options: job.options.clone() }).collect(),
    };
    enumerate(&alone).unwrap().0 as i64
}

/// A random program of two types with one and two resources, few distinct values, and shares that add up to the capacity.
pub(crate) fn programs() -> impl Strategy<Value = (Program, Vec<Vec<u32>>)> {
    let option = (0usize..2, 1u32..4, 1i64..7, any::<bool>());
    let job = (0u32..3, prop::collection::vec(option, 0..4));
    let shares = prop::collection::vec(0usize..3, 13);
    (prop::collection::vec(job, 1..6), shares, 1i64..3).prop_map(|(jobs, owners, weight)| {
        let capacity = vec![5, 4, 4];
        let mut shares = vec![vec![0; 3]; 3];
        let units = [0; 5].into_iter().chain([1; 4]).chain([2; 4]);
        for (resource, owner) in units.zip(owners) {
            shares[owner][resource] += 1;
        }
        let mut jobs: Vec<ProgramJob> = jobs
            .into_iter()
            .map(|(tenant, options)| {
                let options = options.into_iter().map(|(k, amount, value, keeps)| ProgramOption {
                    usage: match k {
                        0 => Usage { first: 0, len: 1, amounts: [amount, 0, 0, 0] },
                        _ => Usage { first: 1, len: 2, amounts: [amount, amount / 2, 0, 0] },
                    },
                    value,
                    keeps,
                    slots: amount,
                });
                ProgramJob { tenant, options: options.collect() }
            })
            .collect();
        jobs.sort_by_key(|job| job.tenant);
        let tenants = (0..3).map(|u| ProgramTenant { weight: if u == 1 { weight } else { 1 }, floor: 0 });
        (Program { capacity, tenants: tenants.collect(), jobs }, shares)
    })
}

/// What every tenant gets under each choice that fits and meets the floors.
pub(crate) fn outcomes(program: &Program) -> Vec<[i64; 3]> {
    fn visit(program: &Program, choice: &mut Vec<Option<u16>>, at: usize, found: &mut Vec<[i64; 3]>) {
        if at == program.jobs.len() {
            if program.is_feasible(choice) {
                let values = program.tenant_values(choice);
                found.push([values[0], values[1], values[2]]);
            }
            return;
        }
        for option in (0..program.jobs[at].options.len() as u16).map(Some).chain([None]) {
            choice[at] = option;
            visit(program, choice, at + 1, found);
        }
        choice[at] = None;
    }
    let mut found = Vec::new();
    visit(program, &mut vec![None; program.jobs.len()], 0, &mut found);
    found
}

/// A random program of three types of at most three slots, and shares that add up to the capacity.
pub(crate) fn programs_of_three_types() -> impl Strategy<Value = (Program, Vec<Vec<u32>>)> {
    let option = (0u16..3, 1u32..4, 1i64..9, any::<bool>());
    let job = (0u32..3, prop::collection::vec(option, 0..5));
    let owners = prop::collection::vec(0usize..3, 9);
    (prop::collection::vec(job, 1..6), owners).prop_map(|(jobs, owners)| {
        let mut shares = vec![vec![0; 3]; 3];
        for (slot, owner) in owners.into_iter().enumerate() {
            shares[owner][slot / 3] += 1;
        }
        let mut jobs: Vec<ProgramJob> = jobs
            .into_iter()
            .map(|(tenant, options)| {
                let options = options.into_iter().map(|(first, slots, value, keeps)| {
                    let usage = Usage { first, len: 1, amounts: [slots, 0, 0, 0] };
                    ProgramOption { usage, value, keeps, slots }
                });
                ProgramJob { tenant, options: options.collect() }
            })
            .collect();
        jobs.sort_by_key(|job| job.tenant);
        let tenants = vec![ProgramTenant { weight: 1, floor: 0 }; 3];
        (Program { capacity: vec![3; 3], tenants, jobs }, shares)
    })
}
