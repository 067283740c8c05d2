//! The laboratory: a small instance that can be changed in every part, every policy of `solve` beside the others, and the dynamic
//! program at work.
//!
//! [`Laboratory`] is what the page keeps of it: plain data, changed by [`Laboratory::apply`]. A worker finds the [`answers`], and
//! [`compare`] and [`program`] say how they are read.

pub mod allocation;
pub mod answers;
pub mod compare;
pub mod desk;
pub mod draft;
pub mod examples;
pub mod field;
pub mod link;
pub mod number;
pub mod program;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::answers::{Question, Settings, policies};
use self::draft::{Draft, Given, Kind};
use self::examples::Example;
use self::field::Field;
use super::state::Fault;
use super::strings::laboratory as words;
use crate::solve::Instance;
use crate::solve::instance::InstanceLayout;

/// The policy that is looked at where nothing says which.
pub const FIRST_POLICY: &str = "sts-fairness";

/// How many changes can be taken back.
const MOST_UNDONE: usize = 100;

/// What is solved: an instance and the settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The instance.
    pub draft: Draft,
    /// The settings.
    pub settings: Settings,
}

impl Case {
    /// An example as it is.
    #[must_use]
    pub fn of_example(example: &Example) -> Self {
        let settings = Settings { normalise: example.normalise.to_owned(), ..Settings::default() };
        Self { draft: example.draft(), settings }
    }
}

/// What the page keeps of the laboratory.
#[derive(Debug, Clone, PartialEq)]
pub struct Laboratory {
    /// What is solved.
    pub case: Rc<Case>,
    /// The policy that is looked at.
    pub policy: String,
    /// Fields whose text is no value; the draft keeps the last good one.
    pub typed: Rc<BTreeMap<Field, Fault>>,
    /// Why the last file could not be opened.
    pub refused: Option<String>,
    /// Counts steps worth going back to: what is typed into one field is one.
    pub step: u32,
    done: Vec<(Rc<Case>, String)>,
    undone: Vec<(Rc<Case>, String)>,
    /// The field that the last change was made in.
    last_field: Option<Field>,
}

impl Default for Laboratory {
    fn default() -> Self {
        let example = examples::example(examples::FIRST).unwrap_or(&examples::EXAMPLES[0]);
        Self {
            case: Rc::new(Case::of_example(example)),
            policy: example.policy.to_owned(),
            typed: Rc::default(),
            refused: None,
            step: 0,
            done: Vec::new(),
            undone: Vec::new(),
            last_field: None,
        }
    }
}

/// What was done in the laboratory.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A text stands in a field.
    Enter(Field, String),
    /// A type's layout was chosen.
    Layout(usize, InstanceLayout),
    /// What a job holds now was chosen.
    Holds(usize, usize, Option<usize>),
    /// What the tenants have was chosen.
    Kind(Kind),
    /// Whether quotas are stated was chosen.
    Quotas(Given),
    /// A type is to be added.
    AddType,
    /// A type is to be removed.
    RemoveType(usize),
    /// A size of a type is to be added.
    AddSize(usize),
    /// A size is to be removed.
    RemoveSize(usize),
    /// A tenant is to be added.
    AddTenant,
    /// A tenant is to be removed.
    RemoveTenant(usize),
    /// A job of a tenant is to be added.
    AddJob(usize),
    /// A job of a tenant is to be removed.
    RemoveJob(usize, usize),
    /// The unit of utilities was chosen.
    Normalise(String),
    /// What an option is worth was chosen.
    Objective(String),
    /// An example was chosen.
    Example(&'static str),
    /// The text of an instance file is to be edited.
    Open(String),
    /// A file could not be read or saved; why.
    NotRead(String),
    /// A policy was chosen to be looked at.
    Policy(String),
    /// The last change is taken back.
    Undo,
    /// It is made again.
    Redo,
}

impl Laboratory {
    /// What keeps the instance from being solved, beside the field where it is to be changed.
    #[must_use]
    pub fn faults(&self) -> BTreeMap<Field, Fault> {
        let mut faults = field::faults(&self.case.draft);
        faults.extend(self.typed.iter().map(|(field, fault)| (*field, fault.clone())));
        faults
    }

    /// What a worker is to be asked; `None` while something is wrong across fields. Texts that are no value do not count: the value
    /// before holds.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        let Case { draft, settings } = &*self.case;
        field::faults(draft).is_empty().then(|| Question {
            instance: serde_json::to_string(&draft.instance()).unwrap_or_default(),
            settings: settings.clone(),
            policy: self.policy.clone(),
        })
    }

    /// The example that this is, if it was not changed.
    #[must_use]
    pub fn example(&self) -> Option<&'static Example> {
        examples::EXAMPLES.iter().find(|example| Case::of_example(example) == *self.case)
    }

    /// Whether there is something to take back, and something to make again.
    #[must_use]
    pub fn can_undo_redo(&self) -> (bool, bool) {
        (!self.done.is_empty(), !self.undone.is_empty())
    }

    /// The instance as a file.
    #[must_use]
    pub fn file(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.case.draft.instance()).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Takes a change.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Enter(field, text) => self.enter(field, text),
            Change::Undo => self.undo(),
            Change::Redo => self.redo(),
            Change::Policy(name) => {
                if policies().any(|known| known == name) {
                    self.policy = name;
                }
            }
            Change::Example(id) => {
                if let Some(example) = examples::example(id) {
                    self.replace(Case::of_example(example), example.policy.to_owned());
                }
            }
            Change::Open(text) => match Self::read(&text) {
                Ok(draft) => {
                    let settings = self.case.settings.clone();
                    self.replace(Case { draft, settings }, self.policy.clone());
                }
                Err(why) => self.refused = Some(why),
            },
            Change::NotRead(why) => self.refused = Some(why),
            Change::Normalise(word) => self.change(|case| case.settings.normalise = word),
            Change::Objective(word) => self.change(|case| case.settings.objective = word),
            structural => {
                let mut case = (*self.case).clone();
                Self::rebuild(&mut case.draft, &structural);
                self.replace(case, self.policy.clone());
            }
        }
    }

    /// Changes rows and columns; positions of fields may be others afterwards.
    fn rebuild(draft: &mut Draft, change: &Change) {
        match *change {
            Change::Layout(k, layout) => {
                if let Some(of_type) = draft.types.get_mut(k) {
                    of_type.layout = layout;
                    match layout {
                        InstanceLayout::MigA100 => of_type.slots = 7,
                        InstanceLayout::MigA30 => of_type.slots = 4,
                        InstanceLayout::Uniform => {}
                    }
                }
            }
            Change::Holds(u, j, size) => {
                let job = draft.tenants.get_mut(u).and_then(|tenant| tenant.jobs.get_mut(j));
                if let Some(job) = job {
                    job.holds = size;
                }
            }
            Change::Kind(kind) => draft.set_kind(kind),
            Change::Quotas(given) => draft.set_quotas(given),
            Change::AddType => draft.add_type(),
            Change::RemoveType(k) => draft.remove_type(k),
            Change::AddSize(k) => draft.add_size(k),
            Change::RemoveSize(c) => draft.remove_size(c),
            Change::AddTenant => draft.add_tenant(),
            Change::RemoveTenant(u) => draft.remove_tenant(u),
            Change::AddJob(u) => draft.add_job(u),
            Change::RemoveJob(u, j) => draft.remove_job(u, j),
            _ => {}
        }
    }

    fn enter(&mut self, field: Field, text: String) {
        let mut case = (*self.case).clone();
        match field.enter(&mut case.draft, &text) {
            Ok(()) => {
                if self.typed.contains_key(&field) {
                    Rc::make_mut(&mut self.typed).remove(&field);
                }
                if case == *self.case {
                    return;
                }
                if self.last_field == Some(field) {
                    // One more letter of the same change.
                    self.case = Rc::new(case);
                    self.undone.clear();
                } else {
                    self.remember();
                    self.case = Rc::new(case);
                    self.last_field = Some(field);
                }
            }
            Err(message) => {
                Rc::make_mut(&mut self.typed).insert(field, Fault { text, message });
            }
        }
    }

    /// Keeps what there is, to be gone back to.
    fn remember(&mut self) {
        if self.done.len() >= MOST_UNDONE {
            self.done.remove(0);
        }
        self.done.push((Rc::clone(&self.case), self.policy.clone()));
        self.undone.clear();
        self.step = self.step.wrapping_add(1);
        self.refused = None;
    }

    fn change(&mut self, edit: impl FnOnce(&mut Case)) {
        let mut case = (*self.case).clone();
        edit(&mut case);
        if case != *self.case {
            self.remember();
            self.case = Rc::new(case);
            self.last_field = None;
        }
    }

    /// Another case as a whole.
    fn replace(&mut self, case: Case, policy: String) {
        if case != *self.case {
            self.remember();
            self.case = Rc::new(case);
        }
        self.policy = policy;
        self.refused = None;
        self.typed = Rc::default();
        self.last_field = None;
    }

    fn undo(&mut self) {
        if let Some(before) = self.done.pop() {
            self.undone.push((Rc::clone(&self.case), self.policy.clone()));
            self.restore(before);
        }
    }

    fn redo(&mut self) {
        if let Some(after) = self.undone.pop() {
            self.done.push((Rc::clone(&self.case), self.policy.clone()));
            self.restore(after);
        }
    }

    fn restore(&mut self, (case, policy): (Rc<Case>, String)) {
        (self.case, self.policy) = (case, policy);
        self.typed = Rc::default();
        self.refused = None;
        self.last_field = None;
        self.step = self.step.wrapping_add(1);
    }

    /// Follows a link: a step back or forth where that is what it leads to.
    pub fn follow(&mut self, shared: Option<link::Shared>) {
        let (case, policy) = match shared {
            Some(shared) => (shared.case, shared.policy),
            None => {
                let first = Self::default();
                ((*first.case).clone(), first.policy)
            }
        };
        let is = |entry: Option<&(Rc<Case>, String)>| entry.is_some_and(|(other, _)| **other == case);
        if case == *self.case {
            self.policy = policy;
        } else if is(self.done.last()) {
            self.undo();
            self.policy = policy;
        } else if is(self.undone.last()) {
            self.redo();
            self.policy = policy;
        } else {
            self.replace(case, policy);
        }
    }

    fn read(text: &str) -> Result<Draft, String> {
        if text.trim().is_empty() {
            return Err(words::NO_TEXT.to_owned());
        }
        let instance = Instance::from_json(text).map_err(|error| words::no_instance(&error.to_string()))?;
        Draft::of(&instance)
    }
}
