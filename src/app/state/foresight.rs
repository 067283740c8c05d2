//! What the page has asked about the jobs that would be simulated, and the answer.

use std::rc::Rc;

use super::ReadId;
use crate::app::forecast::Forecast;
use crate::scenario::Scenario;

/// The last question and its answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Foresight {
    /// How many questions there were.
    asked: u32,
    question: Option<Question>,
}

#[derive(Debug, Clone, PartialEq)]
struct Question {
    scenario: Rc<Scenario>,
    read: ReadId,
    answer: Option<Result<Forecast, String>>,
}

impl Question {
    /// Whether it is about the same jobs on the same cluster; policies, weights and seeds do not matter.
    fn is_about(&self, scenario: &Scenario, read: ReadId) -> bool {
        let own = &*self.scenario;
        self.read == read
            && (&own.cluster, &own.workload, &own.measure)
                == (&scenario.cluster, &scenario.workload, &scenario.measure)
            && (&own.tenants.changes, &own.round) == (&scenario.tenants.changes, &scenario.round)
    }
}

impl Foresight {
    /// The number of a new question; `None` where it was the last one.
    pub(super) fn ask(&mut self, scenario: &Rc<Scenario>, read: ReadId) -> Option<u32> {
        if self.question.as_ref().is_some_and(|question| question.is_about(scenario, read)) {
            return None;
        }
        self.asked = self.asked.wrapping_add(1);
        self.question = Some(Question { scenario: Rc::clone(scenario), read, answer: None });
        Some(self.asked)
    }

    /// Takes an answer; that to an older question is dropped.
    pub(super) fn hear(&mut self, number: u32, answer: Result<Forecast, String>) {
        if let Some(question) = self.question.as_mut().filter(|_| number == self.asked) {
            question.answer = Some(answer);
        }
    }

    /// Whoever was to answer was stopped.
    pub(super) fn forget_question(&mut self) {
        self.question.take_if(|question| question.answer.is_none());
    }

    /// The answer for a scenario and its workload.
    pub(super) fn answer(&self, scenario: &Scenario, read: ReadId) -> Option<&Result<Forecast, String>> {
        let question = self.question.as_ref().filter(|question| question.is_about(scenario, read));
        question.and_then(|question| question.answer.as_ref())
    }
}
