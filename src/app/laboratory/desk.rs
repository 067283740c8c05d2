//! What is asked of the workers and what they answered: one question at a time, the newest next, and answers to other questions dropped.

use std::rc::Rc;

use super::answers::{Answers, Outcome, Question, Solved, program_of};
use super::{Case, Laboratory};
use crate::solve::misreport::MisreportSearch;

/// What is asked: a case, and whose tables.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    case: Rc<Case>,
    program: String,
    question: Question,
}

/// Answers and what they are answers to.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The instance and the settings.
    pub case: Rc<Case>,
    /// Every policy, and the tables.
    pub answers: Answers,
    program: String,
}

impl Answered {
    /// What a policy decided, or why it cannot.
    #[must_use]
    pub fn result(&self, policy: &str) -> Option<Result<&Solved, &str>> {
        let is = |outcome: &&Outcome| outcome.policy == policy;
        let outcome = self.answers.outcomes.iter().find(is)?;
        Some(outcome.result.as_deref().map_err(String::as_str))
    }
}

/// A search for false reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// In which case.
    pub case: Rc<Case>,
    /// Under which policy.
    pub policy: String,
    /// What was found, or why nothing could be; `None` while it is under way.
    pub found: Option<Result<MisreportSearch, String>>,
}

/// Questions and answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Desk {
    /// The last answers.
    pub answered: Option<Rc<Answered>>,
    /// Why the last question was not answered.
    pub error: Option<String>,
    /// The search for false reports.
    pub search: Option<Search>,
    under_way: Option<(u32, Asked)>,
    next: Option<Asked>,
    asked: u32,
}

impl Desk {
    /// What the laboratory needs to know now; what is to be sent to a worker, if one is free.
    pub fn ask(&mut self, laboratory: &Laboratory) -> Option<(u32, Question)> {
        let program = program_of(&laboratory.policy).to_owned();
        let case = Rc::clone(&laboratory.case);
        let is_known = self.error.is_none()
            && self.answered.as_ref().is_some_and(|known| known.case == case && known.program == program);
        if is_known {
            self.next = None;
            return None;
        }
        if self.under_way.as_ref().is_some_and(|(_, asked)| asked.case == case && asked.program == program) {
            self.next = None;
            return None;
        }
        self.next = laboratory.question().map(|question| Asked { case, program, question });
        self.send()
    }

    fn send(&mut self) -> Option<(u32, Question)> {
        if self.under_way.is_some() {
            return None;
        }
        let asked = self.next.take()?;
        self.asked += 1;
        let question = asked.question.clone();
        self.under_way = Some((self.asked, asked));
        Some((self.asked, question))
    }

    /// A worker answered, or could not. Answers to another question than the last one sent are passed over, and so are those that
    /// came too late: something else is asked by now, which is to be sent.
    pub fn hear(&mut self, number: u32, answers: Result<Answers, String>) -> Option<(u32, Question)> {
        let (_, asked) = self.under_way.take_if(|(sent, _)| *sent == number)?;
        if self.next.is_none() {
            match answers {
                Ok(answers) => {
                    self.error = None;
                    let Asked { case, program, .. } = asked;
                    self.answered = Some(Rc::new(Answered { case, answers, program }));
                }
                Err(message) => self.error = Some(message),
            }
        }
        self.send()
    }

    /// Whether the answers are those of this laboratory.
    #[must_use]
    pub fn is_current(&self, laboratory: &Laboratory) -> bool {
        self.answered.as_ref().is_some_and(|known| known.case == laboratory.case)
    }

    /// Whether a worker is at it.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.under_way.is_some()
    }

    /// Begins a search for false reports.
    pub fn search(&mut self, laboratory: &Laboratory) -> Option<Question> {
        let question = laboratory.question()?;
        self.search = Some(Search {
            case: Rc::clone(&laboratory.case),
            policy: laboratory.policy.clone(),
            found: None,
        });
        Some(question)
    }

    /// The search ended. One that was given up is not there any more.
    pub fn found(&mut self, found: Result<MisreportSearch, String>) {
        if let Some(search) = &mut self.search {
            search.found = Some(found);
        }
    }

    /// Gives up a search of another case or policy; whether it was under way.
    pub fn drop_other_search(&mut self, laboratory: &Laboratory) -> bool {
        let is_other =
            |search: &mut Search| search.case != laboratory.case || search.policy != laboratory.policy;
        self.search.take_if(is_other).is_some_and(|search| search.found.is_none())
    }
}
