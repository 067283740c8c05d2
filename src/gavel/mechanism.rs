//! The round mechanism: from shares to the jobs of a round.
//!
//! Each job (and pair of jobs packed together) has, on each type of GPU, a priority: its share over the fraction of the type's
//! busy time that it has had since shares were last computed. A round is filled greedily by falling priority. What a job fell
//! short of is carried over as a deficit, which breaks ties.

use std::cmp::Ordering;

use crate::gavel::policy::{ActivePair, Filling, Leftover, Shares};
use crate::gavel::table::Together;
use crate::gavel::{Cluster, Gpu, Key, PerGpu};

use super::placement::Held;

/// Seconds that have to pass before shares are computed anew.
const RESET_GAP_S: f64 = 1920.0;

/// A job or pair, with its account.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) scale_factor: u32,
    /// Steps/s of both jobs of a pair; of a job alone, the first.
    pub(super) steps_per_s: Together,
    /// Workers held in the last round.
    pub(super) held: Option<Held>,
    /// Whether it was there when shares were last computed. Others take GPUs but do not run.
    pub(super) has_share: bool,
    share: PerGpu<f64>,
    time_s: PerGpu<f64>,
    deficit_s: PerGpu<f64>,
}

impl Entry {
    /// Whether everything in it can run on a type.
    fn runs_on(&self, gpu: Gpu) -> bool {
        let [first, second] = self.steps_per_s[gpu];
        first > 0.0 && (self.key.second.is_none() || second > 0.0)
    }
}

/// The order in which entries come to be: a job, then its pairs with the jobs before it.
fn order_of_coming(key: Key) -> (u32, Option<u32>) {
    match key.second {
        None => (key.first, None),
        Some(second) => (second, Some(key.first)),
    }
}

/// The accounts of all active jobs.
#[derive(Debug)]
pub(super) struct Mechanism {
    /// In the order in which they came to be.
    entries: Vec<Entry>,
    round_s: f64,
    worker_time_s: PerGpu<f64>,
    last_reset_s: f64,
    /// Whether something changed since shares were last computed.
    pub(super) is_stale: bool,
    /// By job: the round in which it was last chosen, from 1.
    chosen_in: Vec<u64>,
    ranking: Vec<Ranked>,
}

/// An entry as it stands on one type.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    priority: f64,
    deficit_s: f64,
    share: f64,
    entry: usize,
}

impl Mechanism {
    pub(super) fn new(round_s: f64, jobs: usize) -> Self {
        Self {
            entries: Vec::new(),
            round_s,
            worker_time_s: PerGpu::default(),
            last_reset_s: 0.0,
            is_stale: true,
            chosen_in: vec![0; jobs],
            ranking: Vec::new(),
        }
    }

    pub(super) fn entry(&self, at: usize) -> &Entry {
        &self.entries[at]
    }

    pub(super) fn entries_mut(&mut self) -> &mut [Entry] {
        &mut self.entries
    }

    /// Whether no job is active.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The active jobs, by number.
    pub(super) fn jobs(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.key.second.is_none())
    }

    /// The pairs, in the order in which they came to be.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ActivePair> {
        let pairs = self.entries.iter().filter(|entry| entry.key.second.is_some());
        pairs.map(|entry| ActivePair { key: entry.key, steps_per_s: entry.steps_per_s })
    }

    /// Takes a job in.
    pub(super) fn admit(&mut self, job: u32, scale_factor: u32, steps_per_s: PerGpu<f64>) {
        let alone = PerGpu::new(|gpu| [steps_per_s[gpu], 0.0]);
        self.push(Key::job(job), scale_factor, alone, self.round_s / 2.0);
        self.is_stale = true;
    }

    /// Takes a pair in, after its newer job.
    pub(super) fn admit_pair(&mut self, key: Key, scale_factor: u32, steps_per_s: Together) {
        self.push(key, scale_factor, steps_per_s, 0.0);
    }

    fn push(&mut self, key: Key, scale_factor: u32, steps_per_s: Together, time_s: f64) {
        self.entries.push(Entry {
            key,
            scale_factor,
            steps_per_s,
            held: None,
            has_share: false,
            share: PerGpu::default(),
            time_s: PerGpu::new(|_| time_s),
            deficit_s: PerGpu::default(),
        });
    }

    /// Lets a job go, with its pairs.
    pub(super) fn remove(&mut self, job: u32) {
        self.entries.retain(|entry| entry.key.first != job && entry.key.second != Some(job));
        self.is_stale = true;
    }

    /// Books time that something ran on a type.
    pub(super) fn book(&mut self, key: Key, gpu: Gpu, time_s: f64) {
        self.worker_time_s[gpu] += time_s;
        let found =
            self.entries.binary_search_by_key(&order_of_coming(key), |entry| order_of_coming(entry.key));
        if let Ok(at) = found {
            self.entries[at].time_s[gpu] += time_s;
        }
    }

    /// Makes the next computation of shares wait for nothing but a change.
    pub(super) fn forget_last_reset(&mut self) {
        self.last_reset_s = 0.0;
    }

    /// Whether shares have to be computed.
    pub(super) fn is_reset_due(&self, now_s: f64) -> bool {
        self.is_stale && (now_s - self.last_reset_s >= RESET_GAP_S || self.last_reset_s == 0.0)
    }

    /// Settles the accounts: what the shares of old would have given since the last time, less what was had, is carried over.
    pub(super) fn settle(&mut self, cluster: &Cluster, now_s: f64) {
        let elapsed_s = now_s - self.last_reset_s;
        let half_s = self.round_s / 2.0;
        for gpu in cluster.types() {
            self.worker_time_s[gpu] = 0.0;
            for entry in &mut self.entries {
                let due_s = if entry.has_share { entry.share[gpu] * elapsed_s } else { 0.0 };
                entry.deficit_s[gpu] += due_s - (entry.time_s[gpu] - half_s);
                entry.time_s[gpu] = half_s;
                self.worker_time_s[gpu] += half_s;
            }
        }
        self.last_reset_s = now_s;
        self.is_stale = false;
    }

    /// Sets the shares, in the order of [`Mechanism::jobs`] and [`Mechanism::pairs`].
    pub(super) fn set_shares(&mut self, shares: &Shares) {
        let (mut jobs, mut pairs) = (shares.jobs.iter(), shares.pairs.iter());
        for entry in &mut self.entries {
            let share = if entry.key.second.is_none() { jobs.next() } else { pairs.next() };
            entry.share = share.copied().unwrap_or_default();
            entry.has_share = true;
        }
    }

    /// Chooses what a round (numbered from 1) has of one type, as positions of entries, by falling rank.
    pub(super) fn choose(
        &mut self,
        round: u64,
        gpu: Gpu,
        gpus: u32,
        filling: Filling,
        chosen: &mut Vec<usize>,
    ) {
        chosen.clear();
        self.rank(gpu, filling);
        let mut left = gpus;
        for ranked in &self.ranking {
            if left == 0 {
                break;
            }
            let entry = &self.entries[ranked.entry];
            let is_chosen = entry.key.jobs().any(|job| self.chosen_in[job as usize] == round);
            if is_chosen || !entry.runs_on(gpu) || entry.scale_factor > left {
                continue;
            }
            left -= entry.scale_factor;
            for job in entry.key.jobs() {
                self.chosen_in[job as usize] = round;
            }
            chosen.push(ranked.entry);
        }
    }

    /// Ranks all entries on a type, those without priority too unless they would be passed over anyway.
    fn rank(&mut self, gpu: Gpu, filling: Filling) {
        let worker_time_s = self.worker_time_s[gpu];
        self.ranking.clear();
        for (at, entry) in self.entries.iter().enumerate() {
            let share = entry.share[gpu];
            let mut priority = 0.0;
            if entry.has_share && share != 0.0 && entry.runs_on(gpu) {
                let fraction = if worker_time_s > 0.0 { entry.time_s[gpu] / worker_time_s } else { 0.0 };
                priority = if fraction > 0.0 { share / fraction } else { share * 1e9 };
            }
            if priority > 0.0 || filling.leftover == Leftover::Filled {
                self.ranking.push(Ranked { priority, deficit_s: entry.deficit_s[gpu], share, entry: at });
            }
        }
        self.ranking.sort_by(|a, b| {
            falling(b.priority, a.priority)
                .then_with(|| falling(b.deficit_s, a.deficit_s).then_with(|| falling(b.share, a.share)))
        });
    }
}

/// Compares as Gavel's language does: 0 and -0 are equal. There is no NaN: everything compared is a finite sum or quotient.
fn falling(b: f64, a: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}
