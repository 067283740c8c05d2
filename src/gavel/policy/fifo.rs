//! `fifo`, `fifo_perf`, `fifo_packed`: first come, first served.
//!
//! Rule of `fifo_perf`: anew at each decision, jobs in order of arrival take the type of GPU on which they are fastest among
//! those with enough left (ties: alphabetically); the first that fits nowhere ends it. `fifo_packed` then packs the jobs after that
//! one onto jobs already chosen while the throughputs of a pair, each over that alone, sum to more than 1.5 (best partner;
//! the first without a partner ends it). Shares are 1 on the type chosen.
//!
//! `fifo` is meant to pick a type at random and to keep it. In Gavel a variable left over from a loop makes it pick the
//! alphabetically last type with any GPU left, without looking whether the job fits there: with jobs on several GPUs the count
//! of GPUs left may fall below 0, and then every later job is put on that type. That is reproduced, draws included.
//! Complexity: O(jobs), with packing O(jobs²).

use std::collections::VecDeque;

use crate::gavel::policy::{ActiveJob, Policy, Shares, View};
use crate::gavel::random::PythonRandom;
use crate::gavel::{GavelError, Gpu, Key, PerGpu};

/// The sum of normalised throughputs above which two jobs are packed.
const WORTH_PACKING: f64 = 1.5;

/// `fifo_perf` and `fifo_packed`: nothing is remembered.
#[derive(Debug)]
pub(super) struct FifoPerf {
    packs: bool,
}

impl FifoPerf {
    pub(super) fn alone() -> Self {
        Self { packs: false }
    }

    pub(super) fn packed() -> Self {
        Self { packs: true }
    }
}

impl Policy for FifoPerf {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        let mut left = PerGpu::new(|gpu| i64::from(view.cluster.gpus(gpu)));
        let mut chosen: Vec<(Key, Gpu)> = Vec::new();
        let mut queue: VecDeque<&ActiveJob> = view.jobs.iter().collect();
        while Gpu::ALL.iter().any(|&gpu| left[gpu] > 0) {
            let Some(job) = queue.pop_front() else { break };
            let gpus = i64::from(job.scale_factor);
            let mut fastest: Option<Gpu> = None;
            for gpu in Gpu::ALL.into_iter().filter(|&gpu| left[gpu] > 0 && left[gpu] >= gpus) {
                if fastest.is_none_or(|best| job.steps_per_s[gpu] > job.steps_per_s[best]) {
                    fastest = Some(gpu);
                }
            }
            let Some(gpu) = fastest else { break };
            if job.steps_per_s[gpu] > 0.0 {
                left[gpu] -= gpus;
                chosen.push((Key::job(job.id), gpu));
            }
        }
        if self.packs {
            pack(view, queue, &mut chosen);
        }
        Ok(of_chosen(view, &chosen))
    }
}

/// Packs waiting jobs onto chosen ones.
fn pack(view: &View<'_>, queue: VecDeque<&ActiveJob>, chosen: &mut Vec<(Key, Gpu)>) {
    for job in queue {
        let mut best = WORTH_PACKING;
        let mut partner = None;
        for (position, &(key, gpu)) in chosen.iter().enumerate() {
            if key.second.is_some() {
                continue;
            }
            let throughput = normalised_throughput(view, Key::pair(key.first, job.id), gpu);
            if throughput > best {
                best = throughput;
                partner = Some(position);
            }
        }
        let Some(position) = partner else { break };
        let (key, gpu) = chosen.remove(position);
        chosen.push((Key::pair(key.first, job.id), gpu));
    }
}

/// The steps/s of both jobs of a pair over those they have alone; 0 for jobs that are no pair.
fn normalised_throughput(view: &View<'_>, key: Key, gpu: Gpu) -> f64 {
    let Some(pair) = view.pairs.iter().find(|pair| pair.key == key) else { return 0.0 };
    let mut sum = 0.0;
    for (job, together) in key.jobs().zip(pair.steps_per_s[gpu]) {
        if let Some(at) = view.position(job)
            && together > 0.0
        {
            sum += together / view.jobs[at].steps_per_s[gpu];
        }
    }
    sum
}

/// A share of 1 on its type for everything chosen.
fn of_chosen(view: &View<'_>, chosen: &[(Key, Gpu)]) -> Shares {
    let mut shares = Shares::none(view);
    for &(key, gpu) in chosen {
        if key.second.is_none() {
            if let Some(at) = view.position(key.first) {
                shares.jobs[at][gpu] = 1.0;
            }
        } else if let Some(at) = view.pairs.iter().position(|pair| pair.key == key) {
            shares.pairs[at][gpu] = 1.0;
        }
    }
    shares
}

/// `fifo`: remembers which type each job was given.
#[derive(Debug)]
pub(super) struct Fifo {
    random: PythonRandom,
    /// The jobs given a type, ascending, with their GPUs.
    given: Vec<(u32, Gpu)>,
}

impl Fifo {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: PythonRandom::new(i128::from(seed)), given: Vec::new() }
    }
}

impl Policy for Fifo {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        let is_given = |given: &[(u32, Gpu)], job: u32| given.iter().any(|&(other, _)| other == job);
        let mut queue: VecDeque<&ActiveJob> =
            view.jobs.iter().filter(|job| !is_given(&self.given, job.id)).collect();
        let mut left = PerGpu::new(|gpu| i64::from(view.cluster.gpus(gpu)));

        // The place of a job that is done goes to the first that waits, if it fits what is left after the jobs so far.
        self.given.sort_unstable_by_key(|&(job, _)| job);
        let mut given = Vec::with_capacity(self.given.len());
        for &(job, gpu) in &self.given {
            if let Some(at) = view.position(job) {
                left[gpu] -= i64::from(view.jobs[at].scale_factor);
                given.push((job, gpu));
            } else if let Some(next) = queue.front()
                && i64::from(next.scale_factor) <= left[gpu]
                && next.steps_per_s[gpu] > 0.0
            {
                left[gpu] -= i64::from(next.scale_factor);
                given.push((next.id, gpu));
                queue.pop_front();
            }
        }

        let mut types: Vec<Gpu> = Gpu::ALL.into_iter().filter(|&gpu| left[gpu] > 0).collect();
        while let Some(&last) = types.last() {
            let Some(job) = queue.pop_front() else { break };
            let gpus = i64::from(job.scale_factor);
            let fitting: Vec<usize> = (0..types.len()).filter(|&at| left[types[at]] >= gpus).collect();
            if fitting.is_empty() {
                break;
            }
            let drawn = self.random.below(fitting.len() as u32) as usize;
            if job.steps_per_s[last] > 0.0 {
                given.push((job.id, last));
                left[last] -= gpus;
                if left[last] == 0 {
                    types.remove(fitting[drawn]);
                }
            }
        }
        self.given = given;
        let chosen: Vec<(Key, Gpu)> = self.given.iter().map(|&(job, gpu)| (Key::job(job), gpu)).collect();
        Ok(of_chosen(view, &chosen))
    }
}
