//! The runs of one scenario put side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::chart::{Key, Marked, Role};
use crate::metrics::statistics::Estimate;
use crate::policy::registry;
use crate::scenario::run::{RunResult, TenantResult};
use crate::scenario::statistics::{default_baseline, has_finished_all};
use crate::scenario::{PolicyChoice, Scenario};

/// How the results on the page stand to the set-up beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Every run of the scenario is there, and the set-up has not been changed since.
    Current,
    /// Runs are under way; what is there is part of the comparison.
    Running {
        /// Runs that are there.
        done: usize,
        /// Runs there will be.
        planned: usize,
    },
    /// It ended before every run was there: cancelled, or an engine failed.
    Incomplete {
        /// Runs that are there.
        done: usize,
        /// Runs there should have been.
        planned: usize,
    },
    /// They are of the run before: the set-up has been changed, or a new run has nothing to show yet.
    Stale,
}

/// What a policy's chip was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggle {
    /// Show the policy where it was hidden, hide it where it was shown.
    Flip,
    /// Show this policy alone; where it is alone already, show all.
    Solo,
}

/// The policies of a scenario that have runs, each with its runs by rising seed, the baseline and the subject.
///
/// The *baseline* is what the others are compared with; the *subject* is the policy the finding is about: STS-Fairness
/// where it runs, else the first one besides the baseline. Two comparisons are equal if they are of the very same runs,
/// which are not looked at value by value.
#[derive(Debug, Clone)]
pub struct Comparison {
    runs: Rc<Vec<RunResult>>,
    rows: Vec<Row>,
    baseline: Option<usize>,
    subject: Option<usize>,
    planned_seeds: usize,
    marked: Marked,
    /// The tenants of each run in the order of their names, as indices into the run's own.
    by_name: Vec<Vec<u32>>,
}

/// One policy in a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The label in the scenario, unique there; files call it so.
    pub label: String,
    /// What people read: the label if the scenario gives one, else the policy's title.
    pub title: String,
    /// The policy's name.
    pub policy: String,
    /// 0 for the first entry of a policy, 1 for the second of the same policy, ….
    pub variant: usize,
    /// Its runs, by rising seed, as indices into the runs.
    runs: Vec<usize>,
}

impl PartialEq for Comparison {
    fn eq(&self, other: &Self) -> bool {
        let choices = |of: &Self| (of.baseline, of.subject, of.planned_seeds, of.marked);
        Rc::ptr_eq(&self.runs, &other.runs) && choices(self) == choices(other) && self.rows == other.rows
    }
}

impl Row {
    /// Whether it replays the trace's own times, perhaps of another cluster, and was not simulated.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.policy == registry::RECORDED
    }
}

impl Comparison {
    /// Puts `runs` in the order of the scenario's policies. Of two runs of one policy and seed the later counts.
    /// `baseline` is a label; where the scenario does not have it, the comparison chooses: `fifo`, else the first policy
    /// that is neither the subject nor recorded, else the first. A baseline that has not run yet is no baseline yet: no
    /// other takes its place.
    #[must_use]
    pub fn new(runs: Rc<Vec<RunResult>>, scenario: &Scenario, baseline: Option<&str>) -> Self {
        let row = |(choice, Called { title, variant }): (&PolicyChoice, Called)| Row {
            label: choice.label().to_owned(),
            title,
            policy: choice.name.clone(),
            variant,
            runs: Vec::new(),
        };
        let mut rows: Vec<Row> = scenario.policies.iter().zip(called(&scenario.policies)).map(row).collect();
        for row in &mut rows {
            let by_seed: BTreeMap<u64, usize> = runs
                .iter()
                .enumerate()
                .filter(|(_, run)| run.policy == row.label)
                .map(|(index, run)| (run.seed, index))
                .collect();
            row.runs = by_seed.into_values().collect();
        }
        let asked = rows.iter().map(|row| row.label.as_str()).find(|label| Some(*label) == baseline);
        let wanted = asked.or_else(|| default_baseline(&scenario.policies)).map(str::to_owned);
        rows.retain(|row| !row.runs.is_empty());
        let position = |wanted: &dyn Fn(&Row) -> bool| rows.iter().position(wanted);
        let baseline = position(&|row| Some(&row.label) == wanted.as_ref());
        let is_other = |row: &Row| Some(&row.label) != wanted.as_ref();
        let subject = position(&|row| row.policy == SUBJECT && is_other(row)).or_else(|| position(&is_other));
        let marked = Marked::among(scenario.policies.len());
        let by_name = runs.iter().map(|run| sorted_by_name(&run.tenants)).collect();
        Self { runs, baseline, subject, planned_seeds: scenario.seeds.len(), rows, marked, by_name }
    }

    /// The policies that have runs, in the order of the scenario.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What the others are compared with; `None` while it has not run.
    #[must_use]
    pub fn baseline(&self) -> Option<&Row> {
        self.baseline.and_then(|index| self.rows.get(index))
    }

    /// What the finding is about; `None` with fewer than two policies.
    #[must_use]
    pub fn subject(&self) -> Option<&Row> {
        self.subject.and_then(|index| self.rows.get(index))
    }

    /// Seeds that every policy is to have.
    #[must_use]
    pub fn planned_seeds(&self) -> usize {
        self.planned_seeds
    }

    /// The runs of one policy, by rising seed.
    pub fn runs<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a RunResult> + Clone {
        row.runs.iter().filter_map(|&index| self.runs.get(index))
    }

    /// A tenant of a policy, by name, in each of the policy's runs that has it, by rising seed.
    pub fn tenant_of<'a>(
        &'a self,
        row: &'a Row,
        name: &'a str,
    ) -> impl Iterator<Item = &'a TenantResult> + Clone {
        row.runs.iter().filter_map(move |&run| self.tenant_in(run, name))
    }

    /// A tenant of the run at `run`, by name.
    fn tenant_in(&self, run: usize, name: &str) -> Option<&TenantResult> {
        let (tenants, order) = (&self.runs.get(run)?.tenants, self.by_name.get(run)?);
        let at = |index: &u32| tenants.get(*index as usize);
        let found =
            order.partition_point(|index| at(index).is_some_and(|tenant| tenant.name.as_str() < name));
        order.get(found).and_then(at).filter(|tenant| tenant.name == name)
    }

    /// How much higher a tenant's figure is under `row` than under `other`, seed by seed; `None` where it is undefined in any run.
    #[must_use]
    pub fn tenant_difference(
        &self,
        row: &Row,
        other: &Row,
        name: &str,
        figure: impl Fn(&TenantResult) -> Option<f64>,
    ) -> Option<Estimate> {
        Estimate::of_difference(
            &self.tenant_values(row, name, &figure)?,
            &self.tenant_values(other, name, &figure)?,
        )
    }

    /// One value of a tenant a seed; `None` where it is undefined in any of the policy's runs.
    #[must_use]
    pub fn tenant_values(
        &self,
        row: &Row,
        name: &str,
        figure: impl Fn(&TenantResult) -> Option<f64>,
    ) -> Option<Vec<(u64, f64)>> {
        let value = |&index: &usize| {
            let value = figure(self.tenant_in(index, name)?).filter(|value| value.is_finite())?;
            Some((self.runs.get(index)?.seed, value))
        };
        row.runs.iter().map(value).collect()
    }

    /// Every run, in the order of the rows and then of the seeds.
    pub fn all_runs(&self) -> impl Iterator<Item = (&Row, &RunResult)> {
        self.rows.iter().flat_map(|row| self.runs(row).map(move |run| (row, run)))
    }

    /// The seeds of all runs, rising.
    #[must_use]
    pub fn seeds(&self) -> Vec<u64> {
        self.all_runs().map(|(_, run)| run.seed).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// One value a seed; `None` where it is undefined (or not a number) in any of the policy's runs.
    #[must_use]
    pub fn values(&self, row: &Row, value: impl Fn(&RunResult) -> Option<f64>) -> Option<Vec<(u64, f64)>> {
        self.runs(row).map(|run| Some((run.seed, value(run).filter(|v| v.is_finite())?))).collect()
    }

    /// A metric of a policy over its seeds; `None` where it is undefined in any of its runs.
    #[must_use]
    pub fn estimate(&self, row: &Row, key: &str) -> Option<Estimate> {
        let values = self.values(row, |run| run.metrics.get(key))?;
        Estimate::of(&values.into_iter().map(|(_, value)| value).collect::<Vec<_>>())
    }

    /// How much higher a figure is under `row` than under `other`, seed by seed; `None` where either is undefined.
    #[must_use]
    pub fn difference(
        &self,
        row: &Row,
        other: &Row,
        value: impl Fn(&RunResult) -> Option<f64>,
    ) -> Option<Estimate> {
        Estimate::of_difference(&self.values(row, &value)?, &self.values(other, &value)?)
    }

    /// Whether figures over the completed jobs of two policies are about the same jobs: all jobs have finished in every
    /// run of both, so none is left out of either.
    #[must_use]
    pub fn same_jobs(&self, row: &Row, other: &Row) -> bool {
        self.runs(row).chain(self.runs(other)).all(has_finished_all)
    }

    /// Whether every job has finished in every run.
    #[must_use]
    pub fn all_finished(&self) -> bool {
        self.all_runs().all(|(_, run)| has_finished_all(run))
    }

    /// How a policy is drawn.
    #[must_use]
    pub fn key(&self, row: &Row) -> Key {
        let is = |other: Option<&Row>| other.is_some_and(|other| other.label == row.label);
        let role = match (is(self.subject()), is(self.baseline())) {
            (true, _) => Role::Subject,
            (_, true) if self.rows.len() > 1 => Role::Baseline,
            _ => Role::Other,
        };
        Key::new(row.policy.clone(), row.title.clone(), role).variant(row.variant).marked(self.marked)
    }
}

fn sorted_by_name(tenants: &[TenantResult]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..tenants.len() as u32).collect();
    order.sort_by_key(|&index| tenants.get(index as usize).map(|tenant| tenant.name.as_str()));
    order
}

/// How one of several policies is told from the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// What people read: its [`title`]; its label where an earlier one is called so.
    pub title: String,
    /// 0 for the first entry of a policy, 1 for the second of the same policy, ….
    pub variant: usize,
}

/// What each of the policies of a scenario is called, in their order.
#[must_use]
pub fn called(policies: &[PolicyChoice]) -> Vec<Called> {
    let mut all: Vec<Called> = Vec::new();
    for (at, choice) in policies.iter().enumerate() {
        let title = title(choice);
        let clashes = all.iter().any(|earlier| earlier.title == title);
        let variant = policies.iter().take(at).filter(|earlier| earlier.name == choice.name).count();
        all.push(Called { title: if clashes { choice.label() } else { title }.to_owned(), variant });
    }
    all
}

/// What people read for a policy of a scenario: its label, else the policy's title.
#[must_use]
pub fn title(choice: &PolicyChoice) -> &str {
    match &choice.label {
        Some(label) => label,
        None => registry::spec(&choice.name).map_or(&choice.name, |spec| spec.title),
    }
}

/// The policy that findings are about.
pub const SUBJECT: &str = "sts-fairness";
