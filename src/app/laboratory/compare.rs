//! The answers side by side: a row a policy, and which of them are best by a measure that they share.

use super::answers::{Answers, Outcome, Scale, Solved, is_own};
use super::draft::Draft;
use super::number::shown;
use crate::solve::answer::AnswerStatus;

/// Objectives nearer than this, relative, are the same: answers of divisible problems are in floating point.
const SAME: f64 = 1e-7;

/// The policies that answered, and those that did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<'a> {
    /// Those of `solve`.
    pub own: Vec<Row<'a>>,
    /// Those of rounds, which decide once.
    pub rounds: Vec<Row<'a>>,
    /// Those that cannot decide the instance, each with its reason.
    pub refused: Vec<(&'a str, &'a str)>,
}

/// One policy that answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Row<'a> {
    /// Its name.
    pub policy: &'a str,
    /// What it decided.
    pub solved: &'a Solved,
    /// How it stands among the policies with the same measure.
    pub mark: Mark,
}

/// How an objective stands among those of the same measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// No other has a greater one, and several have one.
    Greatest,
    /// Another has a greater one.
    Less,
    /// There is nothing to compare it with.
    Alone,
}

impl<'a> Comparison<'a> {
    /// Sorts answers into rows.
    #[must_use]
    pub fn of(answers: &'a Answers) -> Self {
        let all: Vec<(&Outcome, &Solved)> = answers
            .outcomes
            .iter()
            .filter_map(|outcome| Some((outcome, outcome.result.as_deref().ok()?)))
            .collect();
        let mark = |solved: &Solved| {
            let same = || all.iter().map(|(_, other)| *other).filter(|other| other.scale == solved.scale);
            let objectives = || same().filter_map(|other| other.answer.objective);
            let Some(own) = solved.answer.objective.filter(|_| objectives().count() > 1) else {
                return Mark::Alone;
            };
            let greatest = objectives().fold(f64::NEG_INFINITY, f64::max);
            if own >= greatest - SAME * greatest.abs().max(1.0) { Mark::Greatest } else { Mark::Less }
        };
        let row = |&(outcome, solved): &(&'a Outcome, &'a Solved)| Row {
            policy: &outcome.policy,
            solved,
            mark: mark(solved),
        };
        let (own, rounds): (Vec<_>, Vec<_>) = all.iter().map(row).partition(|row| is_own(row.policy));
        let refused = answers
            .outcomes
            .iter()
            .filter_map(|outcome| Some((outcome.policy.as_str(), outcome.result.as_ref().err()?.as_str())));
        Self { own, rounds, refused: refused.collect() }
    }

    /// Every scale that objectives have, in the order of the rows.
    #[must_use]
    pub fn scales(&self) -> Vec<&'a Scale> {
        let mut scales: Vec<&Scale> = Vec::new();
        for row in self.own.iter().chain(&self.rounds).filter(|row| row.solved.answer.objective.is_some()) {
            if !scales.contains(&&row.solved.scale) {
                scales.push(&row.solved.scale);
            }
        }
        scales
    }
}

impl Solved {
    /// Whether it gives anything.
    #[must_use]
    pub fn is_feasible(&self) -> bool {
        self.answer.status != AnswerStatus::Infeasible
    }

    /// What a tenant holds of each type, in slots or devices.
    #[must_use]
    pub fn held(&self, draft: &Draft, tenant: &str) -> Vec<f64> {
        let of = |gpu: &str| {
            let own = self.answer.allocation.iter().filter(|part| part.tenant == tenant && part.gpu == gpu);
            own.map(|part| match (part.share, part.slots, part.devices) {
                (Some(share), ..) => share,
                (None, Some(slots), Some(devices)) => f64::from(slots) * f64::from(devices),
                _ => 0.0,
            })
            .sum()
        };
        draft.types.iter().map(|of_type| of(&of_type.name)).collect()
    }

    /// `4 + 0`: what a tenant holds of each type.
    #[must_use]
    pub fn held_text(&self, draft: &Draft, tenant: &str) -> String {
        self.held(draft, tenant).into_iter().map(shown).collect::<Vec<_>>().join(" + ")
    }

    /// The names of those whom a tenant envies.
    #[must_use]
    pub fn envied_by(&self, tenant: &str) -> Vec<&str> {
        self.envies().filter(|(who, ..)| *who == tenant).map(|(_, whom, _)| whom).collect()
    }
}
