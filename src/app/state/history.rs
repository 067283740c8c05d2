//! Changes of the set-up that can be taken back.

use std::rc::Rc;

use crate::scenario::Scenario;

/// How many changes can be taken back.
const MOST: usize = 100;

/// Scenarios as they were before each change, and those that were taken back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    done: Vec<Rc<Scenario>>,
    undone: Vec<Rc<Scenario>>,
}

impl History {
    /// `current` has become `next`.
    pub(super) fn change(&mut self, current: &mut Rc<Scenario>, next: Scenario) {
        if self.done.len() >= MOST {
            self.done.remove(0);
        }
        self.done.push(std::mem::replace(current, Rc::new(next)));
        self.undone.clear();
    }

    /// Takes the last change back; whether there was one.
    pub(super) fn undo(&mut self, current: &mut Rc<Scenario>) -> bool {
        let before = self.done.pop();
        before.is_some_and(|before| {
            self.undone.push(std::mem::replace(current, before));
            true
        })
    }

    /// Makes the change last taken back again; whether there was one.
    pub(super) fn redo(&mut self, current: &mut Rc<Scenario>) -> bool {
        let after = self.undone.pop();
        after.is_some_and(|after| {
            self.done.push(std::mem::replace(current, after));
            true
        })
    }

    /// What taking the last change back would lead to.
    #[must_use]
    pub fn before(&self) -> Option<&Scenario> {
        self.done.last().map(Rc::as_ref)
    }

    /// What making the change last taken back again would lead to.
    #[must_use]
    pub fn after(&self) -> Option<&Scenario> {
        self.undone.last().map(Rc::as_ref)
    }
}
