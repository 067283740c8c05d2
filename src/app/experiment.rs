//! The experiment: the comparison of the set-up at several values of one or two things, or of several set-ups side by side. What is to
//! be run ([`Draft`], on the [`Desk`]), how far that is ([`Course`]), and what came out ([`figures`]).

pub mod course;
pub mod desk;
pub mod figures;
pub mod link;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::rc::Rc;

pub use course::{Course, ExperimentId, Heard, Kind, LostRun, Phase};
pub use desk::Desk;

use crate::policy::param::{ParamKind, ParamValue};
use crate::policy::spec;
use crate::scenario::Scenario;
use crate::scenario::sweep::factor::gpus_added;
use crate::scenario::sweep::{
    Axis, Factor, MOST_AXES, Sweep, SweepError, Takes, is_same_world, level_text, parse_levels,
};

/// The metric that is shown first.
pub const FIRST_METRIC: &str = "jct_mean_s";
/// GPUs that "what if" adds, or as many more as fill whole nodes.
pub const ADDED: u32 = 8;

/// What is said where there is nothing to stand beside the set-up.
const TOO_FEW: &str = "Keep the set-up as it is, change it, and come back: both will stand side by side.";

/// What is to be run, as it stands in the form.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What is compared.
    pub what: What,
    /// One or two axes.
    pub axes: Vec<AxisDraft>,
    /// Set-ups that were kept, to stand beside the set-up as it is; their names are their own.
    pub set_ups: Vec<Rc<Scenario>>,
    /// Seeds 0 to n − 1; `None` = those of the set-up.
    pub seeds: Option<u32>,
    /// Labels of policies of the set-up that are left out.
    pub left_out: BTreeSet<String>,
}

/// What an experiment compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum What {
    /// Values of one or two things.
    #[default]
    Values,
    /// Whole set-ups.
    SetUps,
}

/// An axis as it stands in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisDraft {
    /// What is varied.
    pub factor: Factor,
    /// The values, as typed.
    pub text: String,
}

/// A change of the form.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Something else is compared.
    What(What),
    /// The set-up is kept as it is.
    KeepSetUp,
    /// A kept set-up has another name.
    NameSetUp(usize, String),
    /// A kept set-up is not needed any more.
    RemoveSetUp(usize),
    /// An axis is about something else.
    Factor(usize, Factor),
    /// An axis has other values.
    Levels(usize, String),
    /// There is a second axis, about this.
    AddAxis(Factor),
    /// There is no second axis.
    RemoveAxis,
    /// Other seeds.
    Seeds(Option<u32>),
    /// A policy is left out, or not.
    Policy(String),
}

/// Why a form is no experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The axis at fault, if it is one.
    pub axis: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Draft {
    /// What is proposed for a scenario: its load, or the first thing that it has.
    #[must_use]
    pub fn of(base: &Scenario) -> Self {
        let factor = Factor::all(base, []).into_iter().next().unwrap_or(Factor::RoundLength);
        Self {
            what: What::Values,
            axes: vec![AxisDraft::of(factor, base)],
            set_ups: Vec::new(),
            seeds: None,
            left_out: BTreeSet::new(),
        }
    }

    /// Makes a change.
    pub fn apply(&mut self, change: Change, base: &Scenario) {
        match change {
            Change::What(what) => self.what = what,
            Change::KeepSetUp => {
                self.set_ups.push(Rc::new(Scenario { name: self.free_name(&base.name), ..base.clone() }));
            }
            Change::NameSetUp(at, name) => {
                let name = name.trim();
                let is_own = self.set_ups.get(at).is_some_and(|own| own.name == name);
                if !is_own && !name.is_empty() {
                    let name = self.free_name(name);
                    if let Some(set_up) = self.set_ups.get_mut(at) {
                        Rc::make_mut(set_up).name = name;
                    }
                }
            }
            Change::RemoveSetUp(at) if at < self.set_ups.len() => {
                self.set_ups.remove(at);
            }
            Change::RemoveSetUp(_) => {}
            Change::Factor(at, factor) => {
                if let Some(axis) = self.axes.get_mut(at) {
                    *axis = AxisDraft::of(factor, base);
                }
            }
            Change::Levels(at, text) => {
                if let Some(axis) = self.axes.get_mut(at) {
                    axis.text = text;
                }
            }
            Change::AddAxis(factor) if self.axes.len() < MOST_AXES => {
                self.axes.push(AxisDraft::of(factor, base));
            }
            Change::AddAxis(_) => {}
            Change::RemoveAxis => self.axes.truncate(1),
            Change::Seeds(seeds) => self.seeds = seeds,
            Change::Policy(label) => {
                if !self.left_out.remove(&label) {
                    self.left_out.insert(label);
                }
            }
        }
    }

    /// Goes along with a change of the set-up: values that were proposed are proposed anew, what is no longer there is forgotten.
    pub fn follow(&mut self, before: &Scenario, after: &Scenario) {
        let factors = Factor::all(after, []);
        for axis in &mut self.axes {
            if !matches!(axis.factor, Factor::Weight { .. }) && !factors.contains(&axis.factor) {
                *axis = Self::of(after).axes.swap_remove(0);
            } else if axis.text == proposed(&axis.factor, before) {
                axis.text = proposed(&axis.factor, after);
            }
        }
        self.axes.dedup_by(|a, b| a.factor == b.factor);
        self.left_out.retain(|label| after.policies.iter().any(|choice| choice.label() == label));
    }

    /// The scenario that is varied: the set-up with the policies and seeds of the form.
    #[must_use]
    pub fn base(&self, scenario: &Scenario) -> Scenario {
        let mut base = scenario.clone();
        base.policies.retain(|choice| !self.left_out.contains(choice.label()));
        if let Some(seeds) = self.seeds {
            base.seeds = (0..u64::from(seeds)).collect();
        }
        base
    }

    /// A name that no kept set-up has.
    fn free_name(&self, wanted: &str) -> String {
        let wanted = if wanted.is_empty() { "Set-up" } else { wanted };
        let is_free = |name: &String| self.set_ups.iter().all(|set_up| set_up.name != *name);
        let numbered = (2..).map(|number| format!("{wanted} {number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    /// The kept set-ups, and the set-up as it is where it is none of them; all with the policies and seeds of `base`.
    #[must_use]
    pub fn side_by_side(&self, base: &Scenario) -> Vec<Scenario> {
        let mut all: Vec<Scenario> = self.set_ups.iter().map(|set_up| (**set_up).clone()).collect();
        if all.iter().all(|set_up| !is_same_world(set_up, base)) {
            all.push(Scenario { name: self.free_name(&base.name), ..base.clone() });
        }
        for set_up in &mut all {
            set_up.policies.clone_from(&base.policies);
            set_up.seeds.clone_from(&base.seeds);
        }
        all
    }

    /// The sweep that the form says.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn sweep(&self, scenario: &Scenario) -> Result<Sweep, Problem> {
        let base = self.base(scenario);
        if base.policies.is_empty() {
            return Err(Problem { axis: None, message: "Choose at least one policy.".to_owned() });
        }
        if self.what == What::SetUps {
            let all = self.side_by_side(&base);
            if all.len() < 2 {
                return Err(Problem { axis: None, message: TOO_FEW.to_owned() });
            }
            return Sweep::of_scenarios(&all).map_err(|error| told_of(None, error));
        }
        let mut axes = Vec::new();
        for (at, axis) in self.axes.iter().enumerate() {
            let levels = parse_levels(&axis.text).map_err(|refused| told(Some(at), &refused))?;
            let axis = Axis { factor: axis.factor.clone(), levels };
            // Alone first, so that the axis at fault is known.
            Sweep::new(&base, std::slice::from_ref(&axis)).map_err(|error| told_of(Some(at), error))?;
            axes.push(axis);
        }
        Sweep::new(&base, &axes).map_err(|error| told_of(None, error))
    }
}

fn told(axis: Option<usize>, (found, expected): &(String, String)) -> Problem {
    Problem { axis, message: format!("Found {found}, expected {expected}.") }
}

fn told_of(axis: Option<usize>, error: SweepError) -> Problem {
    match error {
        SweepError::Refused { found, expected, .. } => told(axis, &(found, expected)),
        SweepError::Scenario { .. } => Problem { axis, message: format!("{error}.") },
    }
}

impl AxisDraft {
    /// An axis about `factor` with values around those of the scenario.
    #[must_use]
    pub fn of(factor: Factor, base: &Scenario) -> Self {
        let text = proposed(&factor, base);
        Self { factor, text }
    }
}

/// Values to begin with.
fn proposed(factor: &Factor, base: &Scenario) -> String {
    if let Takes::Words(words) = factor.takes(base) {
        return words.join(", ");
    }
    let own = match factor.level(base) {
        Some(ParamValue::Number(number)) => Some(number),
        _ => None,
    };
    let numbers: Vec<f64> = match (factor, own) {
        (Factor::Load, _) => vec![0.5, 0.75, 1.0, 1.25, 1.5],
        (Factor::Gpus { gpu }, own) => {
            let (own, step) = (own.unwrap_or(0.0), f64::from(gpus_added(base, gpu, ADDED)));
            [-1.0, 0.0, 1.0, 2.0, 4.0]
                .iter()
                .map(|steps| own + steps * step)
                .filter(|gpus| *gpus > 0.0)
                .collect()
        }
        (Factor::RoundLength, Some(own)) => {
            [0.25, 0.5, 1.0, 2.0, 5.0].iter().map(|times| own * times).collect()
        }
        (Factor::Param { policy, param }, own) => {
            let choice = base.policies.iter().find(|choice| choice.label() == policy);
            let declared = choice.and_then(|choice| spec(&choice.name));
            let kind = declared.and_then(|spec| spec.params.iter().find(|declared| declared.name == param));
            around(own, kind.map(|declared| declared.kind))
        }
        (_, own) => [0.5, 1.0, 2.0, 4.0].iter().map(|times| own.unwrap_or(1.0) * times).collect(),
    };
    // What other values of the scenario do not allow is not proposed.
    let can_be = |number: &f64| {
        let levels = vec![ParamValue::Number(*number)];
        Sweep::new(base, &[Axis { factor: factor.clone(), levels }]).is_ok()
    };
    let mut texts: Vec<String> =
        numbers.into_iter().filter(can_be).map(|number| level_text(&ParamValue::Number(number))).collect();
    texts.dedup();
    texts.join(", ")
}

/// Values of a parameter around the one that it has, in its range.
fn around(own: Option<f64>, kind: Option<ParamKind>) -> Vec<f64> {
    let (min, max, is_whole) = match kind {
        Some(ParamKind::Number { min, max, .. }) => (min, max, false),
        Some(ParamKind::Integer { min, max, .. }) => (min as f64, max as f64, true),
        _ => (0.0, 1.0, false),
    };
    let own = own.unwrap_or(min);
    let wanted = if own > 0.0 {
        [own / 4.0, own / 2.0, own, own * 2.0, own * 4.0]
    } else if max <= 1.0 {
        [0.0, 0.25, 0.5, 0.75, 1.0]
    } else {
        [0.0, 60.0, 300.0, 600.0, 3600.0]
    };
    let rounded = wanted.map(|value| if is_whole { value.round() } else { value }.clamp(min, max));
    let mut values: Vec<f64> = rounded.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    values
}

/// The sweep that says what more GPUs of a model would do: the scenario as it is, and with at least [`ADDED`] more.
///
/// # Errors
/// Why it cannot be told.
pub fn what_if(scenario: &Scenario, gpu: &str) -> Result<Sweep, String> {
    let factor = Factor::Gpus { gpu: gpu.to_owned() };
    let Some(ParamValue::Number(own)) = factor.level(scenario) else { return Err("No such GPU.".to_owned()) };
    let more = own + f64::from(gpus_added(scenario, gpu, ADDED));
    let levels = vec![ParamValue::Number(own), ParamValue::Number(more)];
    Sweep::new(scenario, &[Axis { factor, levels }]).map_err(|error| told_of(None, error).message)
}
