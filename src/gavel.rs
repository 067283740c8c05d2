//! Gavel's own simulator, reproduced: the mode in which this engine can be compared with the field's reference, run by run.
//!
//! Gavel (Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020) comes with
//! a simulator whose results are in many papers. Its semantics differ from this engine's own in ways that matter: a round ends
//! with its slowest job, shares are computed anew at most every 1920 s, a job that came since then holds GPUs without running,
//! nothing costs time but computing. This module has those semantics and no others, quirks included, in 64-bit floating
//! point and in Gavel's order of operations, so that a recorded run is reproduced to the last bit.
//!
//! It depends on nothing else of this crate but the solvers: [`table`] and [`trace`] read Gavel's files, [`simulate`] runs
//! a [`policy::Policy`], an [`Observer`] may watch, [`outcome::Outcome`] has the results. `docs/gavel.md` lists what is reproduced.

pub mod cluster;
mod error;
pub mod file;
mod mechanism;
pub mod outcome;
mod placement;
pub mod policy;
pub mod random;
pub mod replay;
pub mod simulator;
pub mod table;
pub mod trace;

use std::ops::{Index, IndexMut};

pub use self::cluster::{Cluster, Counts};
pub use self::error::GavelError;
pub use self::simulator::{Observer, Options, simulate};
pub use self::table::Table;

/// A type of GPU. Gavel knows three; the order is its alphabetical one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gpu {
    /// NVIDIA K80.
    K80,
    /// NVIDIA P100.
    P100,
    /// NVIDIA V100.
    V100,
}

impl Gpu {
    /// All types, alphabetically.
    pub const ALL: [Self; 3] = [Self::K80, Self::P100, Self::V100];
    /// All types in the order in which rounds are filled, fastest first.
    pub const FASTEST_FIRST: [Self; 3] = [Self::V100, Self::P100, Self::K80];

    /// The name in Gavel's files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::K80 => "k80",
            Self::P100 => "p100",
            Self::V100 => "v100",
        }
    }
}

/// One value for each type of GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerGpu<T>([T; 3]);

impl<T> PerGpu<T> {
    /// The value that `of` gives for each type.
    pub fn new(of: impl FnMut(Gpu) -> T) -> Self {
        Self(Gpu::ALL.map(of))
    }
}

impl<T> Index<Gpu> for PerGpu<T> {
    type Output = T;

    fn index(&self, gpu: Gpu) -> &T {
        &self.0[gpu as usize]
    }
}

impl<T> IndexMut<Gpu> for PerGpu<T> {
    fn index_mut(&mut self, gpu: Gpu) -> &mut T {
        &mut self.0[gpu as usize]
    }
}

/// What shares a GPU set at a time: one job, or two jobs packed together. Jobs are numbered from 0 in the order of the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The job, or the lower-numbered one of a pair.
    pub first: u32,
    /// The other job of a pair. `None` comes before every pair, as in Gavel.
    pub second: Option<u32>,
}

impl Key {
    /// One job.
    pub const fn job(job: u32) -> Self {
        Self { first: job, second: None }
    }

    /// Two jobs, in either order.
    pub fn pair(a: u32, b: u32) -> Self {
        Self { first: a.min(b), second: Some(a.max(b)) }
    }

    /// The jobs in it, ascending.
    pub fn jobs(self) -> impl Iterator<Item = u32> {
        std::iter::once(self.first).chain(self.second)
    }
}
