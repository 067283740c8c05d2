//! Small random programs that reach every feature: several types, four resources per type, gangs, identical jobs, ties,
//! weights, floors that bind, that are out of reach, and that do not exist.

use super::brute;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Usage};

/// A device cut like a seven-slice GPU: compute, memory, places for two slices, left halves, for every profile.
const STRICT: [(u32, [u32; 4]); 5] =
    [(1, [1, 1, 0, 0]), (2, [2, 2, 1, 0]), (3, [3, 4, 1, 0]), (4, [4, 4, 2, 1]), (7, [7, 8, 3, 1])];

/// One GPU type.
struct Type {
    first: u8,
    devices: u32,
    slots: u32,
    strict: bool,
}

/// Fisher-Yates.
pub(crate) fn shuffle<T>(list: &mut [T], rng: &mut ChaCha8Rng) {
    for i in (1..list.len()).rev() {
        list.swap(i, rng.random_range(0..=i));
    }
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Program {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut program = Program::default();
    let mut types = Vec::new();
    for _ in 0..[1, 1, 1, 2, 2, 3][rng.random_range(0..6)] {
        let first = program.capacity.len() as u8;
        let strict = rng.random_bool(0.35);
        let (devices, slots) = (
            [1, 1, 2, 3][rng.random_range(0..4)],
            if strict { 7 } else { [1, 2, 4, 7][rng.random_range(0..4)] },
        );
        types.push(Type { first, devices, slots, strict });
        if strict {
            program.capacity.extend([7 * devices, 8 * devices, 3 * devices, devices]);
        } else {
            // Not always whole devices.
            program.capacity.push((devices * slots).saturating_sub(rng.random_range(0..2)));
        }
    }
    let tenants = rng.random_range(1..=3);
    let weighted = rng.random_bool(0.3);
    for _ in 0..tenants {
        let weight = if weighted { [1, 2, 3, 1_000_003][rng.random_range(0..4)] } else { 1 };
        program.tenants.push(ProgramTenant { weight, floor: 0 });
    }
    let most_value = [3, 40, 1_000, 1_000_000, (1 << 31) - 1][rng.random_range(0..5)];
    let jobs = rng.random_range(2..=7);
    let alike = [0.0, 0.3, 0.8][rng.random_range(0..3)];
    for _ in 0..jobs {
        let tenant = rng.random_range(0..tenants);
        let copy = rng.random_bool(alike) && !program.jobs.is_empty();
        let mut job = if copy {
            program.jobs[rng.random_range(0..program.jobs.len())].clone()
        } else {
            random_job(&types, most_value, &mut rng)
        };
        job.tenant = tenant;
        for o in &mut job.options {
            o.keeps = false;
        }
        if rng.random_bool(0.4) && !job.options.is_empty() {
            let kept = rng.random_range(0..job.options.len());
            job.options[kept].keeps = true;
        }
        program.jobs.push(job);
    }
    program.jobs.sort_by_key(|j| j.tenant);
    set_floors(&mut program, &types, &mut rng);
    program
}

fn random_job(types: &[Type], most_value: i64, rng: &mut ChaCha8Rng) -> ProgramJob {
    let mut options = Vec::new();
    for _ in 0..[0, 1, 2, 3, 4, 4, 5][rng.random_range(0..7)] {
        let t = &types[rng.random_range(0..types.len())];
        let (usage, slots) = if rng.random_bool(0.15) {
            // A gang of whole devices.
            let devices = rng.random_range(1..=t.devices);
            usage(t, 7.min(t.slots), devices)
        } else {
            usage(t, rng.random_range(1..=t.slots), 1)
        };
        // Values that grow with the slots, with noise: dominated and non-concave options included.
        let scale = most_value * i64::from(slots) / 21;
        let value = (scale + rng.random_range(0..=most_value)).clamp(1, most_value);
        options.push(ProgramOption { usage, value, keeps: false, slots });
    }
    ProgramJob { tenant: 0, options }
}

fn usage(t: &Type, slots: u32, devices: u32) -> (Usage, u32) {
    if t.strict {
        let (slots, amounts) = STRICT[STRICT.iter().position(|p| p.0 >= slots).expect("seven is the most")];
        let amounts = if devices > 1 { STRICT[4].1.map(|a| a * devices) } else { amounts };
        let slots = if devices > 1 { 7 * devices } else { slots };
        (Usage { first: t.first.into(), len: 4, amounts }, slots)
    } else {
        let slots = slots * devices;
        (Usage { first: t.first.into(), len: 1, amounts: [slots, 0, 0, 0] }, slots)
    }
}

/// Floors: mostly what each tenant reaches in a random share of the cluster, as in a round; or a bit more than that, which
/// may be out of reach; or none.
fn set_floors(program: &mut Program, types: &[Type], rng: &mut ChaCha8Rng) {
    let mode = rng.random_range(0..5);
    if mode == 0 {
        return;
    }
    let tenants = program.tenants.len();
    let mut shares = vec![vec![0; program.capacity.len()]; tenants];
    for t in types {
        let first = usize::from(t.first);
        for _ in 0..if t.strict { t.devices } else { program.capacity[first] } {
            let share = &mut shares[rng.random_range(0..tenants)];
            for i in 0..if t.strict { 4 } else { 1 } {
                share[first + i] += if t.strict { STRICT[4].1[i] } else { 1 };
            }
        }
    }
    for (u, share) in shares.into_iter().enumerate() {
        let jobs = program.jobs.iter().filter(|j| j.tenant as usize == u);
        let alone = Program {
            capacity: share,
            tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
            jobs: jobs.map(|j| ProgramJob { tenant: 0, options: j.options.clone() }).collect(),
        };
        let reached = brute::best(&alone).map_or(0, |b| b.objective as i64);
        program.tenants[u].floor = match mode {
            1 => reached + reached / 8,
            2 if rng.random_bool(0.5) => 0,
            _ => reached,
        };
    }
}
