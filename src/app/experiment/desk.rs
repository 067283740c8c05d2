//! The form of the experiment, kept through changes of the set-up.

use std::rc::Rc;

use super::{Change, Draft};
use crate::scenario::Scenario;

/// The form and the set-up that it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Desk {
    draft: Draft,
    base: Rc<Scenario>,
}

impl Desk {
    /// What is proposed for a set-up.
    #[must_use]
    pub fn of(base: &Rc<Scenario>) -> Self {
        Self { draft: Draft::of(base), base: Rc::clone(base) }
    }

    /// What stands in the form.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Whether nobody has changed the form.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.draft == Draft::of(&self.base)
    }

    /// Makes a change.
    pub fn apply(&mut self, change: Change) {
        self.draft.apply(change, &self.base);
    }

    /// Whether it has gone along with this set-up.
    #[must_use]
    pub fn is_of(&self, scenario: &Rc<Scenario>) -> bool {
        Rc::ptr_eq(&self.base, scenario)
    }

    /// Goes along with the set-up.
    pub fn follow(&mut self, scenario: &Rc<Scenario>) {
        self.draft.follow(&self.base, scenario);
        self.base = Rc::clone(scenario);
    }

    /// Takes what a link says for a set-up. Set-ups that were kept here stay.
    pub fn open(&mut self, draft: Draft, scenario: &Rc<Scenario>) {
        let kept = std::mem::replace(&mut self.draft, draft).set_ups;
        for set_up in kept {
            if !self.draft.set_ups.contains(&set_up) {
                self.draft.set_ups.push(set_up);
            }
        }
        self.base = Rc::clone(scenario);
        self.draft.follow(scenario, scenario);
    }
}
