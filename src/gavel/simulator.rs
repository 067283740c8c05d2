//! The simulation: rounds that end with their slowest job, and what happens between them.
//!
//! Nothing happens inside a round. At its end what ran is retired, jobs that arrived meanwhile are admitted, and the next round
//! is chosen, placed and started. Times are 64-bit floats in seconds, and every sum is taken in Gavel's order.

use std::ops::RangeInclusive;

use crate::gavel::mechanism::Mechanism;
use crate::gavel::outcome::{Outcome, mean, median};
use crate::gavel::placement::{Placement, Placing};
use crate::gavel::policy::{ActiveJob, Gangs, Policy, PolicyName, Shares, TypeOrder, V100s, View};
use crate::gavel::random::PythonRandom;
use crate::gavel::table::{Kind, Packing};
use crate::gavel::trace::Job;
use crate::gavel::{Cluster, GavelError, Gpu, Key, PerGpu, Table};

/// Failures in a row after which a job is dropped.
const MOST_FAILURES: u32 = 5;
/// Rounds after which a run is given up.
const MOST_ROUNDS: u64 = 20_000_000;

/// The seconds a round may have.
pub const ROUND_S: RangeInclusive<f64> = 1.0..=1e9;
/// The length of a round in Gavel, in seconds.
pub const GAVELS_ROUND_S: f64 = 360.0;

/// What a run needs besides jobs and their throughputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The GPUs.
    pub cluster: Cluster,
    /// The policy by whose rules rounds are filled.
    pub policy: PolicyName,
    /// The seed.
    pub seed: u64,
    /// The length of a round, in seconds.
    pub round_s: f64,
}

/// A job or pair that runs in a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Running<'a> {
    /// What runs.
    pub key: Key,
    /// On which type of GPU.
    pub gpu: Gpu,
    /// On which workers.
    pub workers: &'a [u32],
}

/// Someone who watches a run. What is not of interest need not be implemented.
pub trait Observer {
    /// Shares were computed.
    fn shares(&mut self, _view: &View<'_>, _shares: &Shares) {}

    /// A round begins.
    fn round(&mut self, _now_s: f64, _running: &[Running<'_>]) {}

    /// Whether rounds are watched; if not, they are not described.
    fn watches_rounds(&self) -> bool {
        true
    }
}

/// Nobody watches.
impl Observer for () {
    fn watches_rounds(&self) -> bool {
        false
    }
}

/// Runs a trace to its end. `policy` gives the shares: that of [`Options::policy`], or a replay of recorded ones.
///
/// # Errors
/// The table does not know a job, a job never fits or is not served by the policy, the policy fails or lets nothing run, or there
/// are more than 20 million rounds.
pub fn simulate(
    jobs: &[Job],
    table: &Table,
    options: &Options,
    policy: &mut dyn Policy,
    observer: &mut dyn Observer,
) -> Result<Outcome, GavelError> {
    if !ROUND_S.contains(&options.round_s) {
        return Err(GavelError::RoundLength { found: options.round_s.to_string() });
    }
    if options.policy.v100s() == V100s::Needed && options.cluster.gpus(Gpu::V100) == 0 {
        return Err(GavelError::NoV100 { policy: options.policy.name() });
    }
    Simulator::new(jobs, table, options)?.run(policy, observer)
}

/// A job on its way.
#[derive(Debug)]
struct Progress {
    kind: Kind,
    steps_per_s: PerGpu<f64>,
    remaining_steps: u64,
    latest_s: f64,
    failures: u32,
    is_done: bool,
}

/// What runs in a round.
#[derive(Debug, Clone, Copy)]
struct MicroTask {
    key: Key,
    gpu: Gpu,
    scale_factor: u32,
    steps: [u64; 2],
    finish_s: f64,
    placing: usize,
}

/// A run.
struct Simulator<'a> {
    jobs: &'a [Job],
    table: &'a Table,
    options: &'a Options,
    random: PythonRandom,
    progress: Vec<Progress>,
    mechanism: Mechanism,
    placement: Placement,
    now_s: f64,
    round_start_s: f64,
    round_end_s: Option<f64>,
    /// The next job to arrive.
    next: usize,
    running: Vec<MicroTask>,
    placings: Vec<Placing>,
    /// What was placed in the round before.
    placed_before: Vec<Key>,
    rounds: u64,
    policy_runs: u64,
    leases: u64,
    extended: u64,
    worker_time_s: Vec<f64>,
    jct_s: Vec<Option<f64>>,
    done: usize,
    dropped: usize,
}

impl<'a> Simulator<'a> {
    fn new(jobs: &'a [Job], table: &'a Table, options: &'a Options) -> Result<Self, GavelError> {
        Ok(Self {
            jobs,
            table,
            options,
            random: PythonRandom::new(i128::from(options.seed) + 5),
            progress: jobs.iter().map(|job| begin(job, table, options)).collect::<Result<_, _>>()?,
            mechanism: Mechanism::new(options.round_s, jobs.len()),
            placement: Placement::default(),
            now_s: jobs.first().map_or(0.0, |job| job.arrival_s),
            round_start_s: 0.0,
            round_end_s: None,
            next: 0,
            running: Vec::new(),
            placings: Vec::new(),
            placed_before: Vec::new(),
            rounds: 0,
            policy_runs: 0,
            leases: 0,
            extended: 0,
            worker_time_s: vec![0.0; options.cluster.total() as usize],
            jct_s: vec![None; jobs.len()],
            done: 0,
            dropped: 0,
        })
    }

    fn run(mut self, policy: &mut dyn Policy, observer: &mut dyn Observer) -> Result<Outcome, GavelError> {
        while self.done < self.jobs.len() {
            if self.rounds == MOST_ROUNDS {
                return Err(GavelError::TooManyRounds { rounds: self.rounds });
            }
            let was_idle = self.running.is_empty();
            if self.next == self.jobs.len() && was_idle {
                self.mechanism.forget_last_reset();
            }
            self.advance();
            self.retire();
            self.admit();
            self.schedule(policy, observer)?;
            let changes = self.next < self.jobs.len() || self.mechanism.is_stale;
            if was_idle && self.running.is_empty() && !changes && !self.mechanism.is_empty() {
                return Err(self.stuck());
            }
        }
        Ok(self.outcome())
    }

    /// Moves the clock to the end of the round, or to the next arrival if nothing ran.
    fn advance(&mut self) {
        let ends = self.running.iter().map(|task| task.finish_s);
        if let Some(end_s) = ends.reduce(f64::max) {
            self.round_start_s = self.round_end_s.unwrap_or(self.round_start_s);
            self.round_end_s = Some(end_s);
            self.now_s = end_s;
        } else if let Some(job) = self.jobs.get(self.next) {
            self.now_s = job.arrival_s;
        }
    }

    /// Books what ran, latest end first.
    fn retire(&mut self) {
        let mut running = std::mem::take(&mut self.running);
        running.sort_by(|a, b| b.finish_s.total_cmp(&a.finish_s).then_with(|| a.key.cmp(&b.key)));
        for task in running.drain(..) {
            self.retire_one(&task);
        }
        self.running = running;
    }

    fn retire_one(&mut self, task: &MicroTask) {
        let exec_s = task.finish_s - self.round_start_s;
        for job in task.key.jobs() {
            self.progress[job as usize].latest_s = task.finish_s;
        }
        // All workers but the last do an equal whole number of steps: fewer steps than workers leave one without any.
        let fails = |steps: u64| exec_s <= 0.0 || steps < u64::from(task.scale_factor);
        if task.key.jobs().zip(task.steps).any(|(_, steps)| fails(steps)) {
            self.fail(task.key);
            return;
        }
        self.mechanism.book(task.key, task.gpu, exec_s);
        if let Some(held) = self.placings[task.placing].now {
            for &worker in self.placement.workers(held) {
                self.worker_time_s[worker as usize] += exec_s;
            }
        }
        for (job, steps) in task.key.jobs().zip(task.steps) {
            let progress = &mut self.progress[job as usize];
            progress.failures = 0;
            progress.remaining_steps = progress.remaining_steps.saturating_sub(steps);
            if progress.remaining_steps == 0 {
                self.jct_s[job as usize] = Some(progress.latest_s - self.jobs[job as usize].arrival_s);
                self.let_go(job);
            }
        }
    }

    /// Counts a failure; a pair's are not counted.
    fn fail(&mut self, key: Key) {
        self.mechanism.is_stale = true;
        if key.second.is_some() {
            return;
        }
        let progress = &mut self.progress[key.first as usize];
        progress.failures += 1;
        if progress.failures == MOST_FAILURES {
            self.dropped += 1;
            self.let_go(key.first);
        }
    }

    fn let_go(&mut self, job: u32) {
        self.progress[job as usize].is_done = true;
        self.done += 1;
        self.mechanism.remove(job);
    }

    /// Takes in the jobs that have arrived.
    fn admit(&mut self) {
        while let Some(job) = self.jobs.get(self.next).filter(|job| job.arrival_s <= self.now_s) {
            let id = self.next as u32;
            let kind = self.progress[self.next].kind;
            let partners: Vec<u32> = match self.options.policy.packing() {
                Packing::Skip => Vec::new(),
                Packing::Read => {
                    let alike = self.mechanism.jobs().filter(|entry| entry.scale_factor == job.scale_factor);
                    alike.map(|entry| entry.key.first).collect()
                }
            };
            self.mechanism.admit(id, job.scale_factor, self.progress[self.next].steps_per_s);
            for partner in partners {
                let together = self.table.together(self.progress[partner as usize].kind, kind);
                self.mechanism.admit_pair(Key::pair(partner, id), job.scale_factor, together);
            }
            self.next += 1;
        }
    }

    /// Computes shares if due, chooses a round, places it and starts it.
    fn schedule(&mut self, policy: &mut dyn Policy, observer: &mut dyn Observer) -> Result<(), GavelError> {
        if self.mechanism.is_reset_due(self.now_s) {
            self.compute_shares(policy, observer)?;
        }
        self.rounds += 1;
        self.choose_and_place();
        self.count_leases();
        self.start();
        if observer.watches_rounds() {
            let workers = |task: &MicroTask| match self.placings[task.placing].now {
                Some(held) => self.placement.workers(held),
                None => &[],
            };
            let running: Vec<Running<'_>> = self
                .running
                .iter()
                .map(|task| Running { key: task.key, gpu: task.gpu, workers: workers(task) })
                .collect();
            observer.round(self.now_s, &running);
        }
        Ok(())
    }

    fn compute_shares(
        &mut self,
        policy: &mut dyn Policy,
        observer: &mut dyn Observer,
    ) -> Result<(), GavelError> {
        self.mechanism.settle(&self.options.cluster, self.now_s);
        let active = self.mechanism.jobs().map(|entry| {
            let job = &self.jobs[entry.key.first as usize];
            let progress = &self.progress[entry.key.first as usize];
            ActiveJob {
                id: entry.key.first,
                scale_factor: job.scale_factor,
                weight: job.weight,
                steps_per_s: progress.steps_per_s,
                remaining_steps: progress.remaining_steps,
                age_s: self.now_s - job.arrival_s,
            }
        });
        let active: Vec<ActiveJob> = active.collect();
        let pairs: Vec<_> = self.mechanism.pairs().collect();
        let view = View { now_s: self.now_s, cluster: &self.options.cluster, jobs: &active, pairs: &pairs };
        let shares = policy.shares(&view)?;
        observer.shares(&view, &shares);
        self.mechanism.set_shares(&shares);
        self.policy_runs += 1;
        Ok(())
    }

    fn choose_and_place(&mut self) {
        let cluster = &self.options.cluster;
        let filling = self.options.policy.filling();
        let mut order = Gpu::FASTEST_FIRST.to_vec();
        order.retain(|&gpu| cluster.gpus(gpu) > 0);
        if filling.order == TypeOrder::Shuffled {
            self.random.shuffle(&mut order);
        }
        self.placement.next_round(cluster);
        self.placings.clear();
        let mut chosen = Vec::new();
        for gpu in order {
            self.mechanism.choose(self.rounds, gpu, cluster.gpus(gpu), filling, &mut chosen);
            let of_type = self.placings.len();
            for &owner in &chosen {
                let entry = self.mechanism.entry(owner);
                // What has no share yet took its GPUs but does not get them: they stay idle.
                if entry.has_share {
                    let scale_factor = entry.scale_factor;
                    self.placings.push(Placing { owner, scale_factor, before: entry.held, now: None });
                }
            }
            self.placement.place(gpu, cluster.workers(gpu), &mut self.placings[of_type..]);
        }
    }

    /// Counts leases extended, and remembers who holds what. A pair might be extended while one of its jobs is active.
    fn count_leases(&mut self) {
        let is_active = |key: &&Key| key.jobs().any(|job| !self.progress[job as usize].is_done);
        self.leases += self.placed_before.iter().filter(is_active).count() as u64;
        self.placed_before.clear();
        for placing in &self.placings {
            if let (Some(before), Some(now)) = (placing.before, placing.now) {
                self.extended += u64::from(self.placement.is_extended(before, now));
            }
        }
        for entry in self.mechanism.entries_mut() {
            entry.held = None;
        }
        for placing in &self.placings {
            let entry = &mut self.mechanism.entries_mut()[placing.owner];
            entry.held = placing.now;
            self.placed_before.push(entry.key);
        }
    }

    /// Starts what was placed.
    fn start(&mut self) {
        for (placing, placed) in self.placings.iter().enumerate() {
            let entry = self.mechanism.entry(placed.owner);
            let Some(held) = placed.now else { continue };
            let mut steps = [0; 2];
            let mut finish_s = f64::NEG_INFINITY;
            for (at, job) in entry.key.jobs().enumerate() {
                let steps_per_s = entry.steps_per_s[held.gpu][at];
                let in_a_round = (steps_per_s * self.options.round_s) as u64;
                steps[at] = in_a_round.min(self.progress[job as usize].remaining_steps);
                finish_s = finish_s.max(self.now_s + steps[at] as f64 / steps_per_s);
            }
            self.running.push(MicroTask {
                key: entry.key,
                gpu: held.gpu,
                scale_factor: entry.scale_factor,
                steps,
                finish_s,
                placing,
            });
        }
    }

    fn stuck(&self) -> GavelError {
        let ids: Vec<String> = self.mechanism.jobs().map(|entry| entry.key.first.to_string()).collect();
        GavelError::Stuck { time_s: self.now_s, jobs: super::error::shortened(&ids.join(", ")) }
    }

    fn outcome(self) -> Outcome {
        let completed: Vec<f64> = self.jct_s.iter().copied().flatten().collect();
        let busy = |time_s: &f64| time_s / self.now_s;
        let utilization = mean(&self.worker_time_s.iter().map(busy).collect::<Vec<_>>());
        Outcome {
            avg_jct_s: mean(&completed),
            median_jct_s: median(&completed),
            makespan_s: self.now_s,
            utilization: utilization.filter(|share| share.is_finite()),
            rounds: self.rounds,
            policy_runs: self.policy_runs,
            completed: completed.len(),
            dropped: self.dropped,
            lease_extension_pct: (self.leases > 0).then(|| 100.0 * self.extended as f64 / self.leases as f64),
            jct_s: (0..).zip(self.jct_s).collect(),
            worker_time_s: self.worker_time_s,
        }
    }
}

/// A job before its first step.
fn begin(job: &Job, table: &Table, options: &Options) -> Result<Progress, GavelError> {
    let line = job.line;
    let unknown = |gpu| GavelError::NoThroughput {
        line,
        job_type: super::error::shortened(&job.job_type),
        scale_factor: job.scale_factor,
        gpu,
    };
    if options.policy.gangs() == Gangs::Refused && job.scale_factor > 1 {
        return Err(GavelError::Gang { line, scale_factor: job.scale_factor });
    }
    let first_type = options.cluster.types().next().unwrap_or(Gpu::V100);
    let kind = table.kind(&job.job_type, job.scale_factor).ok_or_else(|| unknown(first_type))?;
    let known = table.alone(kind);
    let mut steps_per_s = PerGpu::default();
    for gpu in options.cluster.types() {
        steps_per_s[gpu] = known[gpu].ok_or_else(|| unknown(gpu))?;
    }
    let runs_on = options.cluster.types().filter(|&gpu| steps_per_s[gpu] > 0.0);
    let largest = runs_on.map(|gpu| options.cluster.gpus(gpu)).max().unwrap_or(0);
    if job.scale_factor > largest {
        return Err(GavelError::NeverFits { line, scale_factor: job.scale_factor, largest });
    }
    Ok(Progress {
        kind,
        steps_per_s,
        remaining_steps: job.total_steps,
        latest_s: 0.0,
        failures: 0,
        is_done: false,
    })
}
