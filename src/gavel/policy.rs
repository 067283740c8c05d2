//! Gavel's policies: what a policy sees, what it answers, and their names.
//!
//! A policy computes shares: for each job (or pair of jobs packed together) and each type of GPU, the fraction of time it should
//! hold its GPUs. The round mechanism turns shares into rounds. Formulas are in the notation of Gavel's paper: jobs i, types
//! of GPU j, W_j GPUs, s_i scale factor, w_i priority weight, T_ij steps/s, x_ij share. Where a program has several
//! optima, an interior-point solver answers, as in Gavel.

mod allox;
mod fifo;
mod finish_time;
mod gandiva;
mod isolated;
mod makespan;
mod max_min;
mod max_sum;
mod program;
mod water_filling;

use self::allox::Allox;
use self::finish_time::FinishTime;
use self::makespan::Makespan;
use self::max_min::MaxMin;
use self::max_sum::MaxSum;
use self::water_filling::WaterFilling;
use crate::gavel::table::{Packing, Together};
use crate::gavel::{Cluster, GavelError, Gpu, Key, PerGpu};

/// An active job as a policy sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveJob {
    /// Its number.
    pub id: u32,
    /// Its GPUs.
    pub scale_factor: u32,
    /// Its priority weight.
    pub weight: f64,
    /// Its steps/s alone, all GPUs together.
    pub steps_per_s: PerGpu<f64>,
    /// Training steps left.
    pub remaining_steps: u64,
    /// Seconds since it arrived.
    pub age_s: f64,
}

/// Two active jobs of one scale factor that may be packed together.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivePair {
    /// Both jobs.
    pub key: Key,
    /// The steps/s of each, the lower-numbered one first.
    pub steps_per_s: Together,
}

/// What a policy sees.
#[derive(Debug)]
pub struct View<'a> {
    /// The clock, in seconds.
    pub now_s: f64,
    /// The GPUs.
    pub cluster: &'a Cluster,
    /// The active jobs, by number.
    pub jobs: &'a [ActiveJob],
    /// Their pairs, in the order in which they came to be; empty for policies that do not pack.
    pub pairs: &'a [ActivePair],
}

impl View<'_> {
    /// The position of a job.
    pub fn position(&self, job: u32) -> Option<usize> {
        self.jobs.binary_search_by_key(&job, |active| active.id).ok()
    }
}

/// The shares a policy gives, each in 0…1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shares {
    /// As [`View::jobs`].
    pub jobs: Vec<PerGpu<f64>>,
    /// As [`View::pairs`].
    pub pairs: Vec<PerGpu<f64>>,
}

impl Shares {
    /// No share for anyone.
    pub fn none(view: &View<'_>) -> Self {
        Self {
            jobs: vec![PerGpu::default(); view.jobs.len()],
            pairs: vec![PerGpu::default(); view.pairs.len()],
        }
    }
}

/// A rule that gives shares.
pub trait Policy {
    /// The shares of the active jobs. It is also asked when there is none, so that it may forget.
    ///
    /// # Errors
    /// A solver failed, or a recorded run does not agree.
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError>;
}

/// How rounds are filled from shares: Gavel tells by the name of the policy's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filling {
    /// The order in which types of GPU are filled.
    pub order: TypeOrder,
    /// Whether jobs without a share fill what is left.
    pub leftover: Leftover,
}

/// The order in which types of GPU are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeOrder {
    /// Fastest first.
    FastestFirst,
    /// Drawn anew each round.
    Shuffled,
}

/// What becomes of GPUs that no job with a share takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    /// Jobs without a share run on them.
    Filled,
    /// They stay idle.
    Idle,
}

/// A policy by Gavel's name.
#[derive(Debug, Clone, Copy)]
pub struct PolicyName(&'static Entry);

impl PartialEq for PolicyName {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

/// What is known of a policy before it is made.
#[derive(Debug, Clone, Copy)]
struct Entry {
    name: &'static str,
    filling: Filling,
    packing: Packing,
    gangs: Gangs,
    v100s: V100s,
    make: fn(u64) -> Box<dyn Policy>,
}

/// Whether a policy serves jobs on several GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gangs {
    /// It does.
    Served,
    /// It does not.
    Refused,
}

/// Whether a policy goes by the throughput on a V100 alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum V100s {
    /// It does: the cluster has to have one.
    Needed,
    /// It does not.
    MayLack,
}

/// Which throughputs a policy goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rates {
    /// Each job's own on each type.
    Own,
    /// The same for all jobs on every type.
    Equal,
    /// Each job's own on a V100, for every type.
    OfV100,
}

impl Rates {
    /// The steps/s of a job.
    fn of(self, job: &ActiveJob) -> PerGpu<f64> {
        match self {
            Self::Own => job.steps_per_s,
            Self::Equal => PerGpu::new(|_| 1.0),
            Self::OfV100 => PerGpu::new(|_| job.steps_per_s[Gpu::V100]),
        }
    }
}

const SHUFFLED: Filling = Filling { order: TypeOrder::Shuffled, leftover: Leftover::Filled };
const IN_ORDER: Filling = Filling { order: TypeOrder::FastestFirst, leftover: Leftover::Filled };

const fn entry(name: &'static str, filling: Filling, make: fn(u64) -> Box<dyn Policy>) -> Entry {
    Entry { name, filling, packing: Packing::Skip, gangs: Gangs::Served, v100s: V100s::MayLack, make }
}

const fn needs_v100(entry: Entry) -> Entry {
    Entry { v100s: V100s::Needed, ..entry }
}

static POLICIES: &[Entry] = &[
    entry("isolated", SHUFFLED, |_| Box::new(isolated::Isolated)),
    entry("fifo", Filling { leftover: Leftover::Idle, ..SHUFFLED }, |seed| Box::new(fifo::Fifo::new(seed))),
    entry("fifo_perf", Filling { leftover: Leftover::Idle, ..IN_ORDER }, |_| {
        Box::new(fifo::FifoPerf::alone())
    }),
    Entry {
        packing: Packing::Read,
        ..entry("fifo_packed", Filling { leftover: Leftover::Idle, ..IN_ORDER }, |_| {
            Box::new(fifo::FifoPerf::packed())
        })
    },
    entry("max_min_fairness", SHUFFLED, |_| {
        Box::new(MaxMin { name: "max_min_fairness", rates: Rates::Equal })
    }),
    entry("max_min_fairness_perf", IN_ORDER, |_| {
        Box::new(MaxMin { name: "max_min_fairness_perf", rates: Rates::Own })
    }),
    entry("max_min_fairness_water_filling", SHUFFLED, |_| {
        Box::new(WaterFilling { name: "max_min_fairness_water_filling", rates: Rates::Equal })
    }),
    entry("max_min_fairness_water_filling_perf", IN_ORDER, |_| {
        Box::new(WaterFilling { name: "max_min_fairness_water_filling_perf", rates: Rates::Own })
    }),
    needs_v100(entry("finish_time_fairness", SHUFFLED, |_| Box::new(FinishTime::new(Rates::OfV100)))),
    entry("finish_time_fairness_perf", IN_ORDER, |_| Box::new(FinishTime::new(Rates::Own))),
    entry("max_sum_throughput_perf", IN_ORDER, |_| Box::new(MaxSum { name: "max_sum_throughput_perf" })),
    needs_v100(entry("min_total_duration", SHUFFLED, |_| {
        Box::new(Makespan { name: "min_total_duration", rates: Rates::OfV100 })
    })),
    entry("min_total_duration_perf", IN_ORDER, |_| {
        Box::new(Makespan { name: "min_total_duration_perf", rates: Rates::Own })
    }),
    Entry { gangs: Gangs::Refused, ..entry("allox", IN_ORDER, |_| Box::new(Allox::default())) },
    Entry {
        packing: Packing::Read,
        ..entry("gandiva", IN_ORDER, |seed| Box::new(gandiva::Gandiva::new(seed)))
    },
];

impl PolicyName {
    /// All names.
    pub fn all() -> impl Iterator<Item = Self> {
        POLICIES.iter().map(Self)
    }

    /// A policy by its name.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn parse(name: &str) -> Result<Self, GavelError> {
        Self::all().find(|policy| policy.0.name == name).ok_or_else(|| GavelError::Policy {
            found: crate::gavel::error::shortened(name),
            expected: Self::all().map(|policy| policy.0.name).collect::<Vec<_>>().join(", "),
        })
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// How rounds are filled.
    pub fn filling(self) -> Filling {
        self.0.filling
    }

    /// Whether it packs jobs, and so needs their throughputs together.
    pub fn packing(self) -> Packing {
        self.0.packing
    }

    /// Whether it serves jobs on several GPUs.
    pub fn gangs(self) -> Gangs {
        self.0.gangs
    }

    /// Whether the cluster has to have a V100.
    pub fn v100s(self) -> V100s {
        self.0.v100s
    }

    /// The policy, before its first answer. Only `fifo` and `gandiva` draw from the seed.
    pub fn make(self, seed: u64) -> Box<dyn Policy> {
        (self.0.make)(seed)
    }
}
