//! An experiment under way or ended: which runs wait, which are with a worker, what is there.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::app::plan::{RunProgress, seconds_left};
use crate::app::state::ResultSet;
use crate::metrics::Metrics;
use crate::scenario::sweep::results::Results;
use crate::scenario::sweep::{Sweep, is_same_world};

/// The number of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ExperimentId(pub u32);

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// What the form said.
    Sweep,
    /// Set-ups side by side.
    SetUps,
    /// What more GPUs would do.
    WhatIf,
}

/// What becomes of the runs that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// They are carried out.
    Running,
    /// They wait on.
    Paused,
    /// They will not be carried out.
    Cancelled,
    /// There is none any more.
    Ended,
}

/// News of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// So far.
    Progress(RunProgress),
    /// Its metrics.
    Measured(Box<Metrics>),
    /// It gave none, and why.
    Lost(String),
}

/// A run without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostRun {
    /// Position among the sweep's runs.
    pub run: usize,
    /// Why.
    pub message: String,
}

/// An experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Its number.
    pub id: ExperimentId,
    /// What was asked.
    pub kind: Kind,
    /// What is run.
    pub sweep: Rc<Sweep>,
    /// What is there of it.
    pub results: Rc<Results>,
    /// Runs that gave no result.
    pub lost: Vec<LostRun>,
    /// What becomes of the runs that wait.
    pub phase: Phase,
    /// Runs that were there already, from the comparison shown.
    pub taken_over: usize,
    waiting: VecDeque<usize>,
    under_way: BTreeMap<usize, RunProgress>,
    planned: usize,
    /// Seconds that it ran until it was last resumed, and since when it runs.
    ran_s: f64,
    since_s: f64,
}

impl Course {
    /// Begins an experiment. Runs that a comparison already has are taken over.
    #[must_use]
    pub fn begin(id: ExperimentId, kind: Kind, sweep: Sweep, shown: Option<&ResultSet>, now_s: f64) -> Self {
        let mut results = Results::none_of(&sweep);
        let mut waiting = VecDeque::new();
        let planned = sweep.to_carry_out().count();
        for at in sweep.to_carry_out() {
            match shown.and_then(|shown| known(&sweep, at, shown)) {
                Some(metrics) => results.take(at, metrics),
                None => waiting.push_back(at),
            }
        }
        let phase = if waiting.is_empty() { Phase::Ended } else { Phase::Running };
        Self {
            id,
            kind,
            sweep: Rc::new(sweep),
            results: Rc::new(results),
            lost: Vec::new(),
            phase,
            taken_over: planned - waiting.len(),
            waiting,
            under_way: BTreeMap::new(),
            planned,
            ran_s: 0.0,
            since_s: now_s,
        }
    }

    /// The runs to hand out now, so that `workers` of them are under way.
    pub fn hand_out(&mut self, workers: usize) -> Vec<usize> {
        let mut runs = Vec::new();
        while self.phase == Phase::Running && self.under_way.len() < workers {
            let Some(run) = self.waiting.pop_front() else { break };
            self.under_way.insert(run, RunProgress::default());
            runs.push(run);
        }
        runs
    }

    /// Takes news of a run; news of another experiment, or of a run that was given up, is dropped.
    pub fn hear(&mut self, id: ExperimentId, run: usize, heard: Heard, now_s: f64) {
        if id != self.id || !self.under_way.contains_key(&run) {
            return;
        }
        match heard {
            Heard::Progress(progress) => {
                self.under_way.insert(run, progress);
                return;
            }
            Heard::Measured(metrics) => Rc::make_mut(&mut self.results).take(run, *metrics),
            Heard::Lost(message) => self.lost.push(LostRun { run, message }),
        }
        self.under_way.remove(&run);
        if self.waiting.is_empty() && self.under_way.is_empty() {
            self.stop_clock(now_s);
            self.phase = Phase::Ended;
        }
    }

    /// Lets no further run begin; those that are with a worker are carried on.
    pub fn pause(&mut self, now_s: f64) {
        if self.phase == Phase::Running {
            self.stop_clock(now_s);
            self.phase = Phase::Paused;
        }
    }

    /// Goes on.
    pub fn resume(&mut self, now_s: f64) {
        if self.phase == Phase::Paused {
            self.since_s = now_s;
            self.phase = Phase::Running;
        }
    }

    /// Gives up what is not there; whether workers are to be stopped.
    pub fn cancel(&mut self, now_s: f64) -> bool {
        if !self.is_open() {
            return false;
        }
        self.stop_clock(now_s);
        self.phase = Phase::Cancelled;
        self.waiting.clear();
        let has_work = !self.under_way.is_empty();
        self.under_way.clear();
        has_work
    }

    /// Whether there is something to wait for.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Paused)
    }

    /// Runs that are there or lost, and runs in all, each counted once.
    #[must_use]
    pub fn runs(&self) -> (usize, usize) {
        let done = match self.phase {
            Phase::Cancelled => self.results.count() + self.lost.len(),
            _ => self.planned - self.waiting.len() - self.under_way.len(),
        };
        (done, self.planned)
    }

    /// How much of what has to be run is done, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        let to_run = self.planned - self.taken_over;
        let done = self.runs().0.saturating_sub(self.taken_over) as f64;
        let partly: f64 = self.under_way.values().map(|progress| progress.share()).sum();
        if to_run == 0 { 1.0 } else { (done + partly) / to_run as f64 }
    }

    /// Seconds that it has run, pauses left out.
    #[must_use]
    pub fn elapsed_s(&self, now_s: f64) -> f64 {
        self.ran_s + if self.phase == Phase::Running { now_s - self.since_s } else { 0.0 }
    }

    /// Seconds left; `None` before that can be said.
    #[must_use]
    pub fn seconds_left(&self, now_s: f64) -> Option<f64> {
        seconds_left(self.elapsed_s(now_s), self.share()).filter(|_| self.phase == Phase::Running)
    }

    fn stop_clock(&mut self, now_s: f64) {
        self.ran_s = self.elapsed_s(now_s);
    }
}

/// The metrics of a run, where a comparison has the same run.
fn known(sweep: &Sweep, at: usize, shown: &ResultSet) -> Option<Metrics> {
    let run = sweep.runs.get(at)?;
    let scenario = &sweep.points.get(run.point)?.scenario;
    let choice = scenario.policies.get(run.policy)?;
    let has_it = is_same_world(scenario, &shown.scenario) && shown.scenario.policies.contains(choice);
    let result =
        shown.results.iter().find(|result| result.policy == choice.label() && result.seed == run.seed);
    result.filter(|_| has_it).map(|result| result.metrics.clone())
}
