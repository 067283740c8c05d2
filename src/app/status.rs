//! What the run bar says.

use super::plan::{Plan, seconds_left};
use super::state::runs::Interruption;
use super::state::{Obstacle, State};
use super::strings;
use crate::chart::format;

/// What can be done in the run bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The comparison cannot be run.
    Blocked,
    /// It can be run.
    Ready,
    /// It will be run when the jobs are there.
    Waiting,
    /// It is running.
    Running,
    /// It was run and answers the set-up.
    Done,
    /// It was cancelled, or runs were lost.
    Interrupted,
}

/// What the run bar shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// What can be done.
    pub phase: Phase,
    /// The sentence at the left.
    pub text: String,
    /// The remark at the right.
    pub note: String,
    /// How much is done, in per cent, while that means anything.
    pub percent: Option<u32>,
}

impl Status {
    fn new(phase: Phase, text: impl Into<String>, note: impl Into<String>) -> Self {
        Self { phase, text: text.into(), note: note.into(), percent: None }
    }

    /// The status of the page.
    #[must_use]
    pub fn of(state: &State, now_s: f64) -> Self {
        if state.runs.awaited.is_some() {
            return Self::new(Phase::Waiting, strings::GENERATING, "");
        }
        if let Some(active) = &state.runs.active {
            return Self::running(active, now_s);
        }
        if let Some(interrupted) = &state.runs.interrupted {
            return Self::interrupted(state, interrupted);
        }
        if let Some(obstacle) = state.obstacles().first() {
            return Self::new(Phase::Blocked, obstacle_text(obstacle), "");
        }
        match &state.runs.shown {
            Some(shown) if shown.answers(&state.scenario) && shown.is_complete() => {
                let text = format!(
                    "{} simulated in {} · {}",
                    strings::jobs(shown.jobs),
                    format::duration(shown.seconds),
                    strings::runs_of(shown.results.len(), shown.planned)
                );
                Self::new(Phase::Done, text, strings::RESULTS_READY)
            }
            _ => {
                let plan = Plan::of(&state.scenario);
                let foreseen = state.forecast().and_then(|forecast| Some(forecast.as_ref().ok()?.simulated));
                let jobs = foreseen.or(state.input().map(|input| input.contents.digest.gpu_jobs));
                let jobs = jobs.map(|jobs| format!("{} each", strings::jobs(jobs)));
                let text = format!("Ready: {}", strings::plan(plan.policies, plan.seeds));
                Self::new(Phase::Ready, text, jobs.unwrap_or_default())
            }
        }
    }

    fn running(active: &super::state::runs::Active, now_s: f64) -> Self {
        let (finished, all) = active.jobs();
        let seeds = active.plan.seeds;
        let current = active.plan.runs.get(active.current).map(|run| {
            let seed =
                if seeds > 1 { format!(", seed {} of {seeds}", run.seed_number) } else { String::new() };
            format!("{}{seed} · ", run.title)
        });
        let text = format!(
            "{}{} of {} · {}",
            current.unwrap_or_default(),
            format::count(finished),
            strings::jobs(all),
            strings::runs_of(active.ended.len(), active.plan.runs.len())
        );
        let share = active.share();
        let percent = (share * 100.0).floor().clamp(0.0, 100.0) as u32;
        let left = seconds_left(now_s - active.started_s, share);
        let left = left.map(|left| format!(" · {} left", format::duration(left))).unwrap_or_default();
        let note = format!("{}{left}", format::percent(f64::from(percent) / 100.0, 0));
        Self { percent: Some(percent), ..Self::new(Phase::Running, text, note) }
    }

    fn interrupted(state: &State, interrupted: &super::state::runs::Interrupted) -> Self {
        let set = &interrupted.comparison;
        let kept = state.runs.shown.as_ref().is_some_and(|shown| shown.id != set.id);
        let note = if kept { strings::LAST_RESULTS_KEPT } else { "" };
        let did = format!("{} in {}", strings::jobs(set.jobs), format::duration(set.seconds));
        let text = match &interrupted.how {
            Interruption::Cancelled(share) => {
                format!("Cancelled at {} · {did}", format::percent(share.min(0.99), 0))
            }
            Interruption::Lost(lost) => format!("{} · {did}", strings::lost(lost.len(), set.planned)),
        };
        let percent = match interrupted.how {
            Interruption::Cancelled(share) => Some((share * 100.0).floor().clamp(0.0, 100.0) as u32),
            Interruption::Lost(_) => None,
        };
        Self { percent, ..Self::new(Phase::Interrupted, text, note) }
    }

    /// The status as it is read out: it changes only where something begins or ends, and at every quarter.
    #[must_use]
    pub fn spoken(&self) -> String {
        match (self.phase, self.percent) {
            (Phase::Running, Some(percent)) => format!("Running, {} %", percent / 25 * 25),
            (Phase::Ready, _) => String::new(),
            _ => self.text.clone(),
        }
    }
}

/// What keeps the comparison from being run, and what to do.
#[must_use]
pub fn obstacle_text(obstacle: &Obstacle) -> String {
    match obstacle {
        Obstacle::StillReading => "The trace is still being read.".to_owned(),
        Obstacle::NoTrace(path) => format!("Open {path} first: the link names it but does not carry it."),
        Obstacle::NoRunTimes => "No job of this trace has a run time, so none can be replayed. Choose how to fill them under Repairs, or give \
                                 a table that has them."
            .to_owned(),
        Obstacle::NoJobs => "No job of this trace asks for a GPU, so there is nothing to schedule.".to_owned(),
        Obstacle::NoPolicy => "Choose at least one policy.".to_owned(),
        Obstacle::NoSchedule => {
            "These jobs carry no start and end times, so the traced schedule cannot be replayed: leave that policy out.".to_owned()
        }
        Obstacle::Policy(title, expected) => format!("{title} needs {expected}: leave it out, or change that."),
        Obstacle::Scenario(error) => format!("The set-up cannot be run: {error}."),
    }
}
