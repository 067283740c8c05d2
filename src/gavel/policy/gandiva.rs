//! `gandiva`: random packing by trial and error.
//!
//! Xiao et al., "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI 2018, as Gavel restates it.
//! Rule: while all jobs fit, an equal part each. Else jobs without a partner are drawn two at a time and paired if they ask for
//! equally many GPUs; a pair whose normalised throughputs sum to less than 1 is dissolved at the next decision; every
//! pair and every job left alone has an equal part. The sum is over both jobs and all types of GPU, so it is rarely below 1.
//! Complexity: O(jobs²) for looking up pairs.

use std::collections::BTreeMap;

use crate::gavel::policy::isolated::equal_part;
use crate::gavel::policy::{Policy, Shares, View};
use crate::gavel::random::PythonRandom;
use crate::gavel::{GavelError, Key};

/// The policy, with the pairs made so far.
#[derive(Debug)]
pub(super) struct Gandiva {
    random: PythonRandom,
    partner: BTreeMap<u32, u32>,
}

impl Gandiva {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: PythonRandom::new(i128::from(seed)), partner: BTreeMap::new() }
    }

    /// Dissolves pairs of which a job is done, or which are slower together than one after the other.
    fn dissolve(&mut self, view: &View<'_>) {
        let kept = |job: u32, other: u32| {
            view.position(job).is_some()
                && view.position(other).is_some()
                && normalised_throughput(view, Key::pair(job, other)) >= 1.0
        };
        self.partner.retain(|&job, &mut other| kept(job, other));
    }

    /// Pairs jobs that have no partner, at random.
    fn pair_up(&mut self, view: &View<'_>) {
        let mut free: Vec<u32> =
            view.jobs.iter().map(|job| job.id).filter(|job| !self.partner.contains_key(job)).collect();
        let scale_factor = |job| view.position(job).map(|at| view.jobs[at].scale_factor);
        for _ in 0..free.len() {
            if free.len() <= 1 {
                break;
            }
            let (first, second) = self.random.sample_two(free.len() as u32);
            let (a, b) = (free[first as usize], free[second as usize]);
            if scale_factor(a) != scale_factor(b) {
                continue;
            }
            free.retain(|&job| job != a && job != b);
            self.partner.insert(a, b);
            self.partner.insert(b, a);
        }
    }
}

impl Policy for Gandiva {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        let mut shares = Shares::none(view);
        if view.jobs.is_empty() {
            return Ok(shares);
        }
        self.dissolve(view);
        let requested: u64 = view.jobs.iter().map(|job| u64::from(job.scale_factor)).sum();
        let packed = requested > u64::from(view.cluster.total());
        if packed {
            self.pair_up(view);
        }
        let partner = |job: u32| if packed { self.partner.get(&job) } else { None };
        let parts =
            view.jobs.iter().filter(|job| partner(job.id).is_none_or(|&other| job.id < other)).count();
        for (job, share) in view.jobs.iter().zip(&mut shares.jobs) {
            if partner(job.id).is_none() {
                *share = equal_part(view, f64::from(job.scale_factor), parts);
            }
        }
        for (pair, share) in view.pairs.iter().zip(&mut shares.pairs) {
            if partner(pair.key.first).copied() == pair.key.second
                && let Some(at) = view.position(pair.key.first)
            {
                *share = equal_part(view, f64::from(view.jobs[at].scale_factor), parts);
            }
        }
        Ok(shares)
    }
}

/// The steps/s of both jobs of a pair over those they have alone, summed over the types of GPU; 0 if either cannot run.
fn normalised_throughput(view: &View<'_>, key: Key) -> f64 {
    let Some(pair) = view.pairs.iter().find(|pair| pair.key == key) else { return 0.0 };
    let mut sum = 0.0;
    for gpu in view.cluster.types() {
        for (job, together) in key.jobs().zip(pair.steps_per_s[gpu]) {
            let Some(at) = view.position(job) else { return 0.0 };
            if together <= 0.0 {
                return 0.0;
            }
            sum += together / view.jobs[at].steps_per_s[gpu];
        }
    }
    sum
}
