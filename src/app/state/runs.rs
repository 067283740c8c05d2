//! Runs under way, and comparisons that are there.

use std::rc::Rc;

use super::View;
use super::inputs::{Loaded, ReadId};
use crate::app::plan::{Plan, RunProgress};
use crate::scenario::results::Results;
use crate::scenario::run::RunResult;
use crate::scenario::{PolicyChoice, Scenario};

/// The number of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ComparisonId(pub u32);

/// Runs that belong together, by label and seed.
pub type Groups = Vec<Vec<(String, u64)>>;

/// The workload that results are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its number; `None` where the page does not have it, as of results that were opened.
    pub read: Option<ReadId>,
    /// Its GPU jobs.
    pub gpu_jobs: u64,
    /// Fingerprint of a trace; `None` for a generated workload.
    pub trace_hash: Option<String>,
}

impl Origin {
    fn of(input: &Loaded) -> Self {
        let contents = &input.contents;
        Self {
            read: Some(input.read),
            gpu_jobs: contents.digest.gpu_jobs,
            trace_hash: contents.report.is_some().then(|| contents.hash.clone()),
        }
    }
}

/// Results of one scenario on one workload: all of its runs, or those that were finished.
#[derive(Debug, Clone)]
pub struct ResultSet {
    /// Its number.
    pub id: ComparisonId,
    /// What was run.
    pub scenario: Rc<Scenario>,
    /// On which jobs.
    pub origin: Origin,
    /// Finished runs, in the order in which they finished.
    pub results: Rc<Vec<RunResult>>,
    /// Fingerprint of the scenario; empty until a run has finished.
    pub scenario_hash: String,
    /// What was assumed about the jobs, a sentence each.
    pub assumptions: Rc<Vec<String>>,
    /// Runs it has when complete.
    pub planned: usize,
    /// Jobs simulated, over all finished runs.
    pub jobs: u64,
    /// Time of day when it ended.
    pub clock: String,
    /// How long it took.
    pub seconds: f64,
}

/// The very same results are not looked at value by value: the page asks at every step whether they are others.
impl PartialEq for ResultSet {
    fn eq(&self, other: &Self) -> bool {
        let Self { id, scenario, origin, results, scenario_hash, assumptions, planned, jobs, clock, seconds } =
            self;
        std::ptr::eq(self, other)
            || ((*id, *planned, *jobs, *seconds) == (other.id, other.planned, other.jobs, other.seconds)
                && (origin, scenario_hash, clock) == (&other.origin, &other.scenario_hash, &other.clock)
                && (Rc::ptr_eq(results, &other.results) || results == &other.results)
                && (scenario, assumptions) == (&other.scenario, &other.assumptions))
    }
}

impl ResultSet {
    /// Whether every run is there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.results.len() >= self.planned
    }

    /// The policies of which every seed is there, in the order of the scenario.
    #[must_use]
    pub fn finished_policies(&self) -> Vec<&PolicyChoice> {
        let seeds = self.scenario.seeds.len();
        let count = |label: &str| self.results.iter().filter(|result| result.policy == label).count();
        self.scenario.policies.iter().filter(|choice| count(choice.label()) >= seeds).collect()
    }

    /// All of it as a file.
    #[must_use]
    pub fn to_file(&self, date: &str) -> Results {
        Results {
            name: self.scenario.name.clone(),
            date: date.to_owned(),
            scenario: (*self.scenario).clone(),
            scenario_hash: self.scenario_hash.clone(),
            trace_hash: self.origin.trace_hash.clone(),
            assumptions: (*self.assumptions).clone(),
            gpu_jobs: self.origin.gpu_jobs,
            jobs: self.jobs,
            runs: (*self.results).clone(),
        }
    }

    fn result(&self, (policy, seed): &(String, u64)) -> Option<&RunResult> {
        self.results.iter().find(|result| result.policy == *policy && result.seed == *seed)
    }

    fn set_common_means(&mut self, groups: &Groups, means: &[Option<f64>]) {
        let results = Rc::make_mut(&mut self.results);
        for ((policy, seed), mean) in groups.iter().flatten().zip(means) {
            let run = results.iter_mut().find(|result| result.policy == *policy && result.seed == *seed);
            if let Some(run) = run {
                run.metrics.values.insert("jct_mean_common_s".to_owned(), *mean);
            }
        }
    }

    /// Whether `scenario` asks for the same results; its name does not matter.
    #[must_use]
    pub fn answers(&self, scenario: &Scenario) -> bool {
        let Scenario { version, name: _, cluster, workload, tenants, round, measure, policies, seeds } =
            scenario;
        let own = &*self.scenario;
        (own.version, &own.cluster, &own.workload, &own.tenants) == (*version, cluster, workload, tenants)
            && (&own.round, &own.measure, &own.policies, &own.seeds) == (round, measure, policies, seeds)
    }
}

/// A comparison under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Active {
    /// What is there of it.
    pub comparison: Rc<ResultSet>,
    /// Its runs.
    pub plan: Rc<Plan>,
    /// How far each run is, in the order of the plan.
    pub progress: Vec<RunProgress>,
    /// Which runs are finished or lost.
    pub ended: Vec<usize>,
    /// Runs that were lost, and why.
    pub lost: Vec<Lost>,
    /// The run last heard of.
    pub current: usize,
    /// When it began.
    pub started_s: f64,
    /// Whether older results stay in sight meanwhile.
    pub older: Older,
}

/// Whether older results stay in sight while a comparison is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older {
    /// They do, marked as older: the reader changed something and runs it again.
    Stay,
    /// They do not: the reader asked for something else.
    Hide,
}

impl Active {
    /// How much of it is done, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let sum: f64 = self.progress.iter().map(|progress| progress.share()).sum();
        if self.progress.is_empty() { 0.0 } else { sum / self.progress.len() as f64 }
    }

    /// Jobs finished so far, and jobs in all as far as is known.
    #[must_use]
    pub fn jobs(&self) -> (u64, u64) {
        let finished = self.progress.iter().map(|progress| u64::from(progress.finished)).sum();
        let of_one = self.progress.iter().map(|progress| u64::from(progress.jobs)).max().unwrap_or(0);
        (finished, of_one * self.progress.len() as u64)
    }
}

/// A run that gave no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// What people call the policy.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// Whose fault it was.
    pub cause: Cause,
    /// What was said.
    pub message: String,
}

/// Why a run gave no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The scenario cannot be run on this workload.
    Refused,
    /// The worker died: a fault of the program, or no memory.
    Died,
}

/// How a comparison was interrupted.
#[derive(Debug, Clone, PartialEq)]
pub enum Interruption {
    /// By the reader, at this share (0 to 1).
    Cancelled(f64),
    /// Runs were lost.
    Lost(Vec<Lost>),
}

/// A comparison that did not end as planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupted {
    /// What is there of it.
    pub comparison: Rc<ResultSet>,
    /// How.
    pub how: Interruption,
}

/// News of one run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunReport {
    /// So far.
    Progress(RunProgress),
    /// It is finished.
    Finished {
        /// What came out.
        result: Box<RunResult>,
        /// Fingerprint of the scenario.
        scenario_hash: String,
        /// Jobs simulated.
        jobs: u32,
        /// What was assumed about the jobs.
        assumptions: Vec<String>,
    },
    /// It gave no result.
    Lost(Cause, String),
}

/// Runs and results of the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Runs {
    /// What is running.
    pub active: Option<Active>,
    /// What the results view shows when nothing is running.
    pub shown: Option<Rc<ResultSet>>,
    /// What did not end as planned, until the next run.
    pub interrupted: Option<Rc<Interrupted>>,
    /// The run is to begin as soon as the workload is there.
    pub awaited: Option<Older>,
    /// The view from which the last run was asked for; the start page asks for one by itself.
    pub(super) asked_in: View,
    last: ComparisonId,
}

impl Runs {
    /// Begins a comparison.
    pub(super) fn begin(
        &mut self,
        scenario: Rc<Scenario>,
        input: &Loaded,
        older: Older,
        now_s: f64,
    ) -> &Active {
        self.last = ComparisonId(self.last.0.wrapping_add(1));
        let plan = Plan::of(&scenario);
        let runs = plan.runs.len();
        self.interrupted = None;
        self.awaited = None;
        self.active.insert(Active {
            comparison: Rc::new(ResultSet {
                id: self.last,
                scenario,
                origin: Origin::of(input),
                results: Rc::default(),
                scenario_hash: String::new(),
                assumptions: Rc::default(),
                planned: runs,
                jobs: 0,
                clock: String::new(),
                seconds: 0.0,
            }),
            plan: Rc::new(plan),
            progress: vec![RunProgress::default(); runs],
            ended: Vec::new(),
            lost: Vec::new(),
            current: 0,
            started_s: now_s,
            older,
        })
    }

    /// Shows results that were run before, perhaps elsewhere.
    pub fn open(&mut self, file: &Results, clock: &str) {
        self.last = ComparisonId(self.last.0.wrapping_add(1));
        self.interrupted = None;
        self.shown = Some(Rc::new(ResultSet {
            id: self.last,
            planned: Plan::of(&file.scenario).runs.len(),
            scenario: Rc::new(file.scenario.clone()),
            origin: Origin { read: None, gpu_jobs: file.gpu_jobs, trace_hash: file.trace_hash.clone() },
            results: Rc::new(file.runs.clone()),
            scenario_hash: file.scenario_hash.clone(),
            assumptions: Rc::new(file.assumptions.clone()),
            jobs: file.jobs,
            clock: clock.to_owned(),
            seconds: 0.0,
        }));
    }

    /// Takes news of a run of the comparison under way; whether that was its last run. News of another comparison is dropped.
    pub(super) fn hear(&mut self, id: ComparisonId, run: usize, report: RunReport) -> bool {
        let Some(active) = self.active.as_mut().filter(|active| active.comparison.id == id) else {
            return false;
        };
        let Some(planned) = active.plan.runs.get(run) else { return false };
        if active.ended.contains(&run) {
            return false;
        }
        active.current = run;
        match report {
            RunReport::Progress(progress) => {
                active.progress[run] = progress;
                return false;
            }
            RunReport::Finished { result, scenario_hash, jobs, assumptions } => {
                active.progress[run] = RunProgress { finished: jobs, jobs };
                let comparison = Rc::make_mut(&mut active.comparison);
                Rc::make_mut(&mut comparison.results).push(*result);
                comparison.jobs += u64::from(jobs);
                comparison.scenario_hash = scenario_hash;
                comparison.assumptions = Rc::new(assumptions);
            }
            RunReport::Lost(cause, message) => {
                let lost = Lost { policy: planned.title.clone(), seed: planned.seed, cause, message };
                active.lost.push(lost);
            }
        }
        active.ended.push(run);
        active.ended.len() == active.plan.runs.len()
    }

    /// Which runs of the comparison under way are to be compared over the jobs that all of them finished: those of each seed that
    /// every policy has run. Where every job finished, the means are known, and nothing is left to be asked for.
    pub(super) fn common_groups(&mut self) -> Groups {
        let Some(active) = &mut self.active else { return Groups::new() };
        let set = Rc::make_mut(&mut active.comparison);
        let policies = set.scenario.policies.len();
        let groups = set.scenario.seeds.iter().map(|&seed| {
            let of_seed = set.results.iter().filter(|result| result.seed == seed);
            of_seed.map(|result| (result.policy.clone(), seed)).collect::<Vec<_>>()
        });
        let groups: Groups = groups.filter(|group| group.len() == policies).collect();
        let is_cut = set.results.iter().any(|result| result.metrics.get("unfinished") != Some(0.0));
        if is_cut {
            return groups;
        }
        let means: Vec<_> = groups
            .iter()
            .flatten()
            .map(|run| set.result(run).and_then(|result| result.metrics.get("jct_mean_s")))
            .collect();
        set.set_common_means(&groups, &means);
        Groups::new()
    }

    /// Takes the means that were asked for.
    pub(super) fn set_common_means(&mut self, means: &[Option<f64>]) {
        let groups = self.common_groups();
        if let Some(active) = &mut self.active {
            Rc::make_mut(&mut active.comparison).set_common_means(&groups, means);
        }
    }

    /// Ends the comparison under way. What was finished before stays in sight unless every run is there.
    pub(super) fn end(&mut self, cancelled: Option<f64>, now_s: f64, clock: &str) {
        let Some(active) = self.active.take() else { return };
        let mut comparison = active.comparison;
        let ended = Rc::make_mut(&mut comparison);
        ended.seconds = now_s - active.started_s;
        clock.clone_into(&mut ended.clock);
        let how = match cancelled {
            Some(share) => Some(Interruption::Cancelled(share)),
            None if active.lost.is_empty() => None,
            None => Some(Interruption::Lost(active.lost)),
        };
        if how.is_none() || (self.shown.is_none() && !comparison.results.is_empty()) {
            self.shown = Some(Rc::clone(&comparison));
        }
        self.interrupted = how.map(|how| Rc::new(Interrupted { comparison, how }));
    }
}
