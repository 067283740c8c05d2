//! Seeded rounds of the classes by which the solver is measured: clusters from 16 to 2,490 GPUs.
//!
//! Jobs are drawn from 31 made-up models whose speed on a slice of a GPU runs from nearly linear to saturated, mostly not
//! concave, as measured training jobs do; the other types follow by a ratio per model. Tenants differ in number of jobs,
//! in the models they favour and in weight; their quotas are largest-remainder shares.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sts_sim::cluster::SliceMemory;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Usage};
use sts_sim::policy::sts::resources::{Packing, Resources};

/// A GPU type of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Type {
    /// Devices.
    pub devices: u32,
    /// Slots per device: 7 or 4.
    pub slots: u32,
    /// Whether packability on the seven-slice device is constrained exactly.
    pub strict: bool,
    /// Least and greatest speed relative to the first type.
    pub speed: (f64, f64),
}

const A100: (f64, f64) = (1.0, 1.0);
const H100: (f64, f64) = (1.6, 2.1);
const V100: (f64, f64) = (0.35, 0.75);
const T4: (f64, f64) = (0.12, 0.4);

const fn cut(devices: u32, slots: u32, speed: (f64, f64)) -> Type {
    Type { devices, slots, strict: false, speed }
}

const fn strict(devices: u32) -> Type {
    Type { devices, slots: 7, strict: true, speed: A100 }
}

/// What makes jobs of a class special.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twist {
    /// Nothing.
    Plain,
    /// 15 % of the jobs are gangs of 2, 4 or 8 whole devices.
    Gangs,
    /// Every rate is off by some millionths: near ties.
    NearTies,
    /// Every job has random increasing rates.
    Random,
    /// Rates are multiples of 0.01: massive ties.
    Coarse,
}

/// A class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    /// Name.
    pub name: &'static str,
    /// GPU types.
    pub types: &'static [Type],
    /// Jobs.
    pub jobs: usize,
    /// Tenants.
    pub tenants: usize,
    /// Speciality.
    pub twist: Twist,
}

const fn class(
    name: &'static str,
    types: &'static [Type],
    jobs: usize,
    tenants: usize,
    twist: Twist,
) -> Class {
    Class { name, types, jobs, tenants, twist }
}

const C16: &[Type] = &[cut(4, 7, A100), cut(8, 4, V100), cut(4, 4, T4)];
const C64: &[Type] = &[cut(16, 7, A100), cut(24, 4, V100), cut(24, 4, T4)];
const C192: &[Type] = &[cut(64, 7, A100), cut(64, 4, V100), cut(64, 4, T4)];
const C449: &[Type] = &[cut(64, 7, A100), cut(64, 7, H100), cut(64, 7, V100)];
const C224: &[Type] = &[cut(32, 7, A100), cut(64, 7, H100), cut(64, 4, V100), cut(64, 4, T4)];
const C2490: &[Type] = &[cut(490, 7, A100), cut(1000, 4, V100), cut(1000, 4, T4)];
const C2490X4: &[Type] = &[cut(200, 7, H100), cut(490, 7, A100), cut(900, 4, V100), cut(900, 4, T4)];

/// All classes.
pub(crate) const CLASSES: &[Class] = &[
    class("S20", &[cut(2, 7, A100), cut(2, 4, V100)], 20, 4, Twist::Plain),
    class("doc40", C16, 40, 4, Twist::Plain),
    class("doc40u10", C16, 40, 10, Twist::Plain),
    class("M60under", C64, 60, 8, Twist::Plain),
    class("M150", C64, 150, 8, Twist::Plain),
    class("M150u20", C64, 150, 20, Twist::Plain),
    class("L500", C192, 500, 10, Twist::Plain),
    class("L600x7", C449, 600, 10, Twist::Plain),
    class("one449", C449, 600, 1, Twist::Plain),
    class("L1500over", C192, 1500, 20, Twist::Plain),
    class("K4_800", C224, 800, 12, Twist::Plain),
    class("K1_2490", &[cut(2490, 4, V100)], 5000, 15, Twist::Plain),
    class("P2000under", C2490, 2000, 15, Twist::Plain),
    class("P5000", C2490, 5000, 15, Twist::Plain),
    class("K4P5000", C2490X4, 5000, 20, Twist::Plain),
    class("gangM", C64, 150, 8, Twist::Gangs),
    class("gangL", C192, 500, 10, Twist::Gangs),
    class("gangP", C2490, 5000, 15, Twist::Gangs),
    class("migS", &[strict(4)], 20, 3, Twist::Plain),
    class("migM", &[strict(16), cut(24, 4, V100), cut(24, 4, T4)], 150, 8, Twist::Plain),
    class("migL", &[strict(64), cut(64, 4, V100), cut(64, 4, T4)], 500, 10, Twist::Plain),
    class("migP", &[strict(490), cut(1000, 4, V100), cut(1000, 4, T4)], 5000, 15, Twist::Plain),
    class("nearM", C64, 150, 8, Twist::NearTies),
    class("nearL", C192, 500, 10, Twist::NearTies),
    class("nearP", C2490, 5000, 15, Twist::NearTies),
    class("rndM", C64, 150, 8, Twist::Random),
    class("rndL7", C449, 600, 10, Twist::Random),
    class("rndP", C2490, 5000, 15, Twist::Random),
    class("coarse", C64, 150, 8, Twist::Coarse),
];

/// What a unit of service is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worth {
    /// The same for every job: many jobs are alike.
    Throughput,
    /// One over the remaining time: short jobs first.
    Jct,
    /// The square root of GPUs over remaining time.
    Mix,
    /// In proportion to the remaining time.
    Makespan,
}

/// All of them.
pub(crate) const WORTHS: [Worth; 4] = [Worth::Throughput, Worth::Jct, Worth::Mix, Worth::Makespan];

impl Worth {
    /// Name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Throughput => "throughput",
            Self::Jct => "jct",
            Self::Mix => "mix",
            Self::Makespan => "makespan",
        }
    }
}

/// One round: the program without floors, and every tenant's quota as capacities.
#[derive(Debug, Clone)]
pub(crate) struct Round {
    pub program: Program,
    pub quotas: Vec<Vec<u32>>,
}

impl Round {
    /// The program of one tenant inside its quota, whose optimum is its floor.
    pub(crate) fn alone(&self, tenant: usize) -> Program {
        let jobs = self.program.jobs.iter().filter(|j| j.tenant as usize == tenant);
        Program {
            capacity: self.quotas[tenant].clone(),
            tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
            jobs: jobs.map(|j| ProgramJob { tenant: 0, options: j.options.clone() }).collect(),
        }
    }

    /// A later round: remaining times drift by up to 3 %, 2 % of the jobs are replaced by jobs of other tenants, and one
    /// slot of each quota moves.
    pub(crate) fn drift(&self, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut next = self.clone();
        for job in &mut next.program.jobs {
            let factor = rng.random_range(0.97..1.0);
            for o in &mut job.options {
                o.value = ((o.value as f64 * factor) as i64).max(1);
            }
        }
        for _ in 0..self.program.jobs.len() / 50 {
            let (to, from) =
                (rng.random_range(0..self.program.jobs.len()), rng.random_range(0..self.program.jobs.len()));
            next.program.jobs[to].options = self.program.jobs[from].options.clone();
        }
        let tenants = next.quotas.len();
        let strict = self.program.jobs.iter().any(|j| j.options.iter().any(|o| o.usage.len > 1));
        for d in 0..if strict || tenants < 2 { 0 } else { next.program.capacity.len() } {
            let (to, from) = (rng.random_range(0..tenants), rng.random_range(0..tenants));
            if next.quotas[from][d] > 0 {
                next.quotas[from][d] -= 1;
                next.quotas[to][d] += 1;
            }
        }
        next
    }
}

/// Speed on the slices of one device, for the profiles of its cut.
#[derive(Debug, Clone)]
struct Model {
    seven: [f64; 5],
    four: [f64; 3],
    /// Smallest profile that its memory allows, as an index.
    smallest: usize,
    /// Speed of a whole device per type.
    speed: Vec<f64>,
}

const SEVEN: [u32; 5] = [1, 2, 3, 4, 7];
const FOUR: [u32; 3] = [1, 2, 4];
/// Nearly linear and saturated curves, between which models lie.
const CURVES7: [[f64; 5]; 2] = [[0.22, 0.42, 0.65, 0.72, 1.0], [0.81, 0.90, 0.97, 0.985, 1.0]];
const CURVES4: [[f64; 3]; 2] = [[0.32, 0.58, 1.0], [0.76, 0.92, 1.0]];

fn three_digits(x: f64) -> f64 {
    (x * 1e3).round() / 1e3
}

fn models(types: &[Type]) -> Vec<Model> {
    let mut rng = ChaCha8Rng::seed_from_u64(0x5151);
    let mut blend = |curves: [f64; 2], share: f64| {
        let noise = rng.random_range(-0.02..0.02);
        three_digits(curves[0] + (curves[1] - curves[0]) * share + noise * (1.0 - curves[0]))
    };
    let mut all = Vec::new();
    for m in 0..31 {
        let share = (m % 11) as f64 / 11.0 * (m % 3 + 1) as f64 / 3.0;
        let seven = std::array::from_fn(|i| blend([CURVES7[0][i], CURVES7[1][i]], share));
        let four = std::array::from_fn(|i| blend([CURVES4[0][i], CURVES4[1][i]], share));
        all.push(Model { seven, four, smallest: [0, 0, 0, 1, 2][m % 5], speed: Vec::new() });
    }
    for model in &mut all {
        for t in types {
            model.speed.push(three_digits(rng.random_range(t.speed.0..=t.speed.1)));
        }
    }
    all
}

/// A standard normal number, near enough: the sum of twelve uniform ones.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random_range(0.0..1.0)).sum::<f64>() - 6.0
}

/// The resources of the class's types.
fn resources(types: &[Type]) -> Resources {
    let packing = |t: &Type| if t.strict { Packing::MigA100 } else { Packing::Slots };
    Resources::new(types.iter().map(|t| (packing(t), t.devices, t.slots)))
}

/// A round of a class. Values have up to 31 bits, as a round of a run has them.
pub(crate) fn round(class: &Class, worth: Worth, seed: u64) -> Round {
    let mut rng = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(class.jobs as u64));
    let models = models(class.types);
    let resources = resources(class.types);
    let mut program = Program { capacity: resources.capacity().to_vec(), ..Program::default() };
    let weights: Vec<u32> = (0..class.tenants).map(|_| rng.random_range(1..=3)).collect();
    let favour: Vec<Vec<usize>> = (0..class.tenants)
        .map(|_| (0..[3, 5, 8, 31][rng.random_range(0..4)]).map(|_| rng.random_range(0..31)).collect())
        .collect();
    let size: Vec<f64> = (0..class.tenants).map(|_| libm::exp(normal(&mut rng))).collect();
    let all: f64 = size.iter().sum();
    let mut owners: Vec<usize> = (0..class.jobs)
        .map(|_| {
            let mut x = rng.random_range(0.0..all);
            size.iter().position(|s| (x -= s, x < 0.0).1).unwrap_or(0)
        })
        .collect();
    owners.sort_unstable();
    let mut rates = Vec::new();
    let mut longest = 1.0f64;
    for &u in &owners {
        let model = &models[favour[u][rng.random_range(0..favour[u].len())]];
        let left_s = 7200.0 * libm::exp(1.6 * normal(&mut rng));
        longest = longest.max(left_s);
        rates.push((u, left_s, options(class, model, &resources, &mut rng)));
    }
    // Worth of every option; options that finish within the round are worth no more than that.
    let round_s = 360.0;
    let mut worths = Vec::new();
    for (_, left_s, options) in &rates {
        let nu = match worth {
            Worth::Throughput => 1.0,
            Worth::Jct => round_s / left_s.max(round_s),
            Worth::Mix => libm::sqrt(round_s / left_s.max(round_s)),
            Worth::Makespan => libm::sqrt(left_s / longest),
        };
        let best = options.iter().map(|o| o.1).fold(0.0, f64::max);
        let finish = *left_s < round_s * best;
        let value =
            |rate: f64| if finish { nu * best * (rate * round_s / left_s).min(1.0) } else { nu * rate };
        worths.push(options.iter().map(|o| value(o.1)).collect::<Vec<f64>>());
    }
    let greatest = worths.iter().flatten().copied().fold(0.0, f64::max);
    let unit = if class.twist == Twist::Coarse { 100.0 } else { f64::from((1u32 << 31) - 1) / greatest };
    for ((u, _, options), worths) in rates.into_iter().zip(worths) {
        let option = |((usage, _, slots), worth): ((Usage, f64, u32), f64)| ProgramOption {
            usage,
            value: ((worth * unit).round() as i64).max(1),
            keeps: false,
            slots,
        };
        let options = options.into_iter().zip(worths).map(option).collect();
        program.jobs.push(ProgramJob { tenant: u as u32, options });
    }
    program.tenants = vec![ProgramTenant { weight: 1, floor: 0 }; class.tenants];
    let quotas = quotas(&resources, &weights);
    Round { program, quotas }
}

fn options(
    class: &Class,
    model: &Model,
    resources: &Resources,
    rng: &mut ChaCha8Rng,
) -> Vec<(Usage, f64, u32)> {
    let fastest = model.speed.iter().copied().fold(0.0, f64::max);
    let gang = class.twist == Twist::Gangs && rng.random_bool(0.15);
    let devices = if gang { [2, 4, 8][rng.random_range(0..3)] } else { 1 };
    let mut options = Vec::new();
    for ((t, of_type), speed) in class.types.iter().zip(resources.types()).zip(&model.speed) {
        let profiles: &[u32] = if t.slots == 7 { &SEVEN } else { &FOUR };
        let curve: &[f64] = if t.slots == 7 { &model.seven } else { &model.four };
        // A smaller memory per slice excludes small slices.
        let smallest = if t.slots == 7 { model.smallest } else { model.smallest.min(1) };
        let mut random = 0.0;
        for (i, (&slots, &share)) in profiles.iter().zip(curve).enumerate() {
            let mut rate = share.min(1.0) * speed / fastest;
            match class.twist {
                Twist::NearTies => rate *= 1.0 + 1e-6 * rng.random_range(-5.0..5.0),
                Twist::Random => {
                    random += rng.random_range(0.02..1.0);
                    rate = random / 5.0 * speed / fastest;
                }
                Twist::Coarse => rate = (rate * 100.0).round() / 100.0,
                Twist::Plain | Twist::Gangs => {}
            }
            if gang {
                if slots == t.slots && devices <= t.devices {
                    let rate = rate * f64::from(devices);
                    options.push((of_type.usage(slots, SliceMemory::Plain, devices), rate, slots * devices));
                }
            } else if i >= smallest {
                options.push((of_type.usage(slots, SliceMemory::Plain, 1), rate, slots));
            }
        }
    }
    options
}

/// Largest-remainder shares of every type: slots, or whole devices of strict types.
fn quotas(resources: &Resources, weights: &[u32]) -> Vec<Vec<u32>> {
    let all: u32 = weights.iter().sum();
    let mut slots = vec![Vec::new(); weights.len()];
    for (k, t) in resources.types().iter().enumerate() {
        let units = t.units();
        let mut share: Vec<u32> = weights.iter().map(|w| w * units / all).collect();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&u| (std::cmp::Reverse(weights[u] * units % all), (u + k) % weights.len()));
        let rest = units - share.iter().sum::<u32>();
        order.iter().take(rest as usize).for_each(|&u| share[u] += 1);
        for (of_tenant, s) in slots.iter_mut().zip(share) {
            of_tenant.push(s * t.slots_per_unit());
        }
    }
    let share = |of_tenant: Vec<u32>| {
        let mut share = Vec::new();
        resources.share(of_tenant, &mut share);
        share
    };
    slots.into_iter().map(share).collect()
}
