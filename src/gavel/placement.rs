//! Which workers a chosen job gets. It matters for worker numbers and for how many leases are extended, never for speed.
//!
//! On each type of GPU jobs are placed by scale factor, largest first. Of one scale factor, a job that ran on this type in the round
//! before keeps its workers if none of them is taken; then the others take the next free workers in order of number, by a
//! pointer that never goes back within the round.

use std::ops::Range;

use crate::gavel::{Cluster, Gpu};

/// Workers held: a range of the round's list of worker numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) gpu: Gpu,
    start: usize,
    end: usize,
}

/// A job or pair to be placed, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placing {
    /// Whose it is: the caller's own number.
    pub(super) owner: usize,
    pub(super) scale_factor: u32,
    /// What it held in the round before.
    pub(super) before: Option<Held>,
    /// What it holds now; set here.
    pub(super) now: Option<Held>,
}

/// The workers of this round and of the one before.
#[derive(Debug, Default)]
pub(super) struct Placement {
    workers: Vec<u32>,
    workers_before: Vec<u32>,
    taken: Vec<bool>,
}

impl Placement {
    /// Starts a round: what was held now is what was held before.
    pub(super) fn next_round(&mut self, cluster: &Cluster) {
        std::mem::swap(&mut self.workers, &mut self.workers_before);
        self.workers.clear();
        self.taken.clear();
        self.taken.resize(cluster.total() as usize, false);
    }

    /// The workers held in this round.
    pub(super) fn workers(&self, held: Held) -> &[u32] {
        &self.workers[held.start..held.end]
    }

    /// Whether the same set of workers is held as in the round before.
    pub(super) fn is_extended(&self, before: Held, now: Held) -> bool {
        let (before, now) = (&self.workers_before[before.start..before.end], self.workers(now));
        before.len() == now.len() && before.iter().all(|worker| now.contains(worker))
    }

    /// Places the jobs chosen for one type. Together they ask for no more workers than there are.
    pub(super) fn place(&mut self, gpu: Gpu, workers: Range<u32>, chosen: &mut [Placing]) {
        chosen.sort_by_key(|placing| std::cmp::Reverse(placing.scale_factor));
        let mut free = workers;
        for of_one_size in chosen.chunk_by_mut(|a, b| a.scale_factor == b.scale_factor) {
            for placing in &mut *of_one_size {
                placing.now = placing.before.filter(|held| held.gpu == gpu).and_then(|held| self.keep(held));
            }
            for placing in of_one_size.iter_mut().filter(|placing| placing.now.is_none()) {
                let start = self.workers.len();
                while self.workers.len() - start < placing.scale_factor as usize {
                    let Some(worker) = free.next() else { break };
                    if !std::mem::replace(&mut self.taken[worker as usize], true) {
                        self.workers.push(worker);
                    }
                }
                placing.now = Some(Held { gpu, start, end: self.workers.len() });
            }
        }
    }

    /// Takes the workers held in the round before, if all are free.
    fn keep(&mut self, before: Held) -> Option<Held> {
        let held = &self.workers_before[before.start..before.end];
        if held.iter().any(|&worker| self.taken[worker as usize]) {
            return None;
        }
        let start = self.workers.len();
        for &worker in held {
            self.taken[worker as usize] = true;
        }
        self.workers.extend_from_slice(held);
        Some(Held { gpu: before.gpu, start, end: self.workers.len() })
    }
}
