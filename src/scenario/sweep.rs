//! Sweeps: one comparison at several values of one or two things, with every policy and seed.
//!
//! An [`Axis`] is a [`Factor`] (what is varied) and its levels (the values it takes). Every combination of levels is a [`Point`]: the
//! scenario with these values and nothing else changed. Points come in the order of the levels as given, the first axis slowest; at
//! each point come the seeds, and for each seed the policies, as the scenario lists them.
//!
//! Whole scenarios can stand side by side too ([`Sweep::of_scenarios`]): each is a point, whatever they differ in.
//!
//! A policy that a factor does not touch would give the same result at several points: such a run is carried out once
//! ([`Run::same_as`]) and stands in the table at each of them.

pub mod factor;
mod levels;
pub mod results;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use self::factor::{Factor, Takes};
pub use self::levels::{level_text, parse_levels};
use super::{Scenario, ScenarioError};
use crate::policy::param::ParamValue;

/// The most axes.
pub const MOST_AXES: usize = 2;
/// The most levels of an axis.
pub const MOST_LEVELS: usize = 100;
/// The most combinations of levels.
pub const MOST_POINTS: usize = 1000;
/// The most runs, those that are the same as another one counted too.
pub const MOST_RUNS: usize = 20_000;

/// A factor and the values that it takes, in the order in which they are run and shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What is varied.
    pub factor: Factor,
    /// Its values, none twice.
    pub levels: Vec<ParamValue>,
}

/// `gpus:V100-16=8, 16, 32`.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let levels: Vec<String> = self.levels.iter().map(level_text).collect();
        write!(f, "{}={}", self.factor, levels.join(", "))
    }
}

impl FromStr for Axis {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let Some((factor, levels)) = text.rsplit_once('=') else {
            return Err(SweepError::refused(
                text,
                "no `=`",
                "a factor, `=` and values, as in load=0.5, 1, 2",
            ));
        };
        let factor: Factor = factor.trim().parse()?;
        let levels = parse_levels(levels).map_err(|(found, expected)| SweepError::Refused {
            axis: factor.to_string(),
            found,
            expected,
        })?;
        Ok(Self { factor, levels })
    }
}

/// Why there is no such sweep.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SweepError {
    /// An axis cannot be.
    #[error("axis {axis}: found {found}, expected {expected}")]
    Refused {
        /// The axis, as it was written or by its factor.
        axis: String,
        /// What was found.
        found: String,
        /// What is allowed.
        expected: String,
    },
    /// A value makes a scenario that cannot be.
    #[error("at {at}: {error}")]
    Scenario {
        /// The levels, as `load=2, round=60`.
        at: String,
        /// What is wrong with it.
        error: Box<ScenarioError>,
    },
}

impl SweepError {
    fn refused(axis: impl fmt::Display, found: impl fmt::Display, expected: &str) -> Self {
        Self::Refused { axis: axis.to_string(), found: found.to_string(), expected: expected.to_owned() }
    }
}

/// A combination of levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// One level an axis.
    pub levels: Vec<ParamValue>,
    /// The scenario with these levels.
    pub scenario: Scenario,
    /// The first point whose scenario differs in nothing but policies: the same cluster and jobs.
    pub world: usize,
}

/// A policy and seed at a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Position of the point.
    pub point: usize,
    /// Position of the policy in the scenario.
    pub policy: usize,
    /// The seed.
    pub seed: u64,
    /// Position of an earlier run that gives the same result; `None` = it has to be carried out.
    pub same_as: Option<usize>,
}

/// A sweep: everything that is to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// The scenario that is varied.
    pub base: Scenario,
    /// One or two axes.
    pub axes: Vec<Axis>,
    /// Every combination of levels, the first axis slowest.
    pub points: Vec<Point>,
    /// Every policy and seed at every point: point by point, seed by seed.
    pub runs: Vec<Run>,
}

impl Sweep {
    /// The sweep of a scenario along axes.
    ///
    /// # Errors
    /// [`SweepError`] for the first axis or level that cannot be.
    pub fn new(base: &Scenario, axes: &[Axis]) -> Result<Self, SweepError> {
        check_axes(base, axes)?;
        let points = points(base, axes)?;
        let runs = runs(base, &points);
        Ok(Self { base: base.clone(), axes: axes.to_vec(), points, runs })
    }

    /// Scenarios side by side: the first as it is, and the others with its policies and seeds, so that what differs in the results
    /// comes from cluster, jobs, tenants, rounds or measurement. The levels are their names.
    ///
    /// # Errors
    /// [`SweepError`] where there are fewer than two, two have one name, one reads another trace than the first, or one cannot be.
    pub fn of_scenarios(scenarios: &[Scenario]) -> Result<Self, SweepError> {
        let factor = Factor::SetUp;
        let [base, _, ..] = scenarios else {
            return Err(SweepError::refused(factor, scenarios.len(), "at least two"));
        };
        if let Some(other) = scenarios.iter().find(|other| !has_same_trace(base, other)) {
            let found = format!("other jobs in {}", other.name);
            return Err(SweepError::refused(factor, found, "the trace of the first, read in the same way"));
        }
        let level = |scenario: &Scenario| ParamValue::Word(scenario.name.clone());
        let axes = [Axis { factor, levels: scenarios.iter().map(level).collect() }];
        check_axes(base, &axes)?;
        let alike = |scenario: &Scenario| Scenario {
            policies: base.policies.clone(),
            seeds: base.seeds.clone(),
            ..scenario.clone()
        };
        let combinations =
            scenarios.iter().map(|scenario| (vec![level(scenario)], alike(scenario))).collect();
        let points = checked(&axes, combinations)?;
        let runs = runs(base, &points);
        Ok(Self { base: base.clone(), axes: axes.into(), points, runs })
    }

    /// The labels of the policies, in the order of the scenario.
    #[must_use]
    pub fn policies(&self) -> Vec<&str> {
        self.base.policies.iter().map(super::PolicyChoice::label).collect()
    }

    /// Positions of the runs that have to be carried out, in order.
    pub fn to_carry_out(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().enumerate().filter(|(_, run)| run.same_as.is_none()).map(|(at, _)| at)
    }

    /// `load=2, round=60`: where a point is.
    #[must_use]
    pub fn place(&self, point: usize) -> String {
        let levels = self.points.get(point).map_or(&[][..], |point| &point.levels);
        place(&self.axes, levels)
    }

    /// Checks that weights are varied only of tenants that there are.
    ///
    /// # Errors
    /// [`SweepError::Refused`] for the first axis about another one.
    pub fn check_tenants(&self, is_known: impl Fn(&str) -> bool) -> Result<(), SweepError> {
        let stranger = self.axes.iter().find_map(|axis| match &axis.factor {
            Factor::Weight { tenant } if !is_known(tenant) => Some((axis, tenant)),
            _ => None,
        });
        match stranger {
            Some((axis, tenant)) => {
                let expected = "the name of a tenant of the workload";
                Err(SweepError::refused(&axis.factor, format!("{tenant:?}"), expected))
            }
            None => Ok(()),
        }
    }
}

fn place(axes: &[Axis], levels: &[ParamValue]) -> String {
    let parts = axes.iter().zip(levels).map(|(axis, level)| format!("{}={}", axis.factor, level_text(level)));
    parts.collect::<Vec<_>>().join(", ")
}

fn check_axes(base: &Scenario, axes: &[Axis]) -> Result<(), SweepError> {
    if !(1..=MOST_AXES).contains(&axes.len()) {
        return Err(SweepError::refused("count", axes.len(), "one or two"));
    }
    for (at, axis) in axes.iter().enumerate() {
        let factor = &axis.factor;
        if axes[..at].iter().any(|earlier| earlier.factor == *factor) {
            return Err(SweepError::refused(factor, "the same factor twice", "two different ones"));
        }
        if !(1..=MOST_LEVELS).contains(&axis.levels.len()) {
            let expected = format!("1 to {MOST_LEVELS} values");
            return Err(SweepError::refused(factor, axis.levels.len(), &expected));
        }
        if let Some(level) = (axis.levels.iter().enumerate())
            .find_map(|(at, level)| axis.levels[..at].contains(level).then_some(level))
        {
            return Err(SweepError::refused(
                factor,
                format!("{} twice", level_text(level)),
                "each value once",
            ));
        }
    }
    let points: usize = axes.iter().map(|axis| axis.levels.len()).product();
    if points > MOST_POINTS {
        let found = format!("{points} combinations");
        return Err(SweepError::refused("count", found, &format!("at most {MOST_POINTS}")));
    }
    let runs = points * base.policies.len() * base.seeds.len();
    if runs > MOST_RUNS {
        return Err(SweepError::refused("count", format!("{runs} runs"), &format!("at most {MOST_RUNS}")));
    }
    Ok(())
}

fn points(base: &Scenario, axes: &[Axis]) -> Result<Vec<Point>, SweepError> {
    let mut combinations: Vec<(Vec<ParamValue>, Scenario)> = vec![(Vec::new(), base.clone())];
    for axis in axes {
        let mut next = Vec::new();
        for (levels, scenario) in combinations {
            for level in &axis.levels {
                let varied = axis.factor.applied(&scenario, level).map_err(|(found, expected)| {
                    SweepError::Refused { axis: axis.factor.to_string(), found, expected }
                })?;
                let levels = levels.iter().cloned().chain([level.clone()]).collect();
                next.push((levels, varied));
            }
        }
        combinations = next;
    }
    checked(axes, combinations)
}

/// Points of these levels and scenarios, each of which can be.
fn checked(axes: &[Axis], combinations: Vec<(Vec<ParamValue>, Scenario)>) -> Result<Vec<Point>, SweepError> {
    let mut points: Vec<Point> = Vec::new();
    for (at, (levels, scenario)) in combinations.into_iter().enumerate() {
        scenario
            .check()
            .map_err(|error| SweepError::Scenario { at: place(axes, &levels), error: Box::new(error) })?;
        let world = points.iter().position(|earlier| is_same_world(&earlier.scenario, &scenario));
        points.push(Point { levels, scenario, world: world.unwrap_or(at) });
    }
    Ok(points)
}

/// Whether two scenarios read the same jobs from the same file, or both generate theirs.
fn has_same_trace(one: &Scenario, other: &Scenario) -> bool {
    match (&one.workload.trace, &other.workload.trace) {
        (Some(one), Some(other)) => one.path == other.path && one.import_options() == other.import_options(),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Whether two scenarios differ in nothing but policies and seeds.
#[must_use]
pub fn is_same_world(one: &Scenario, other: &Scenario) -> bool {
    let Scenario { version, name: _, cluster, workload, tenants, round, measure, policies: _, seeds: _ } =
        one;
    (version, cluster, workload, tenants) == (&other.version, &other.cluster, &other.workload, &other.tenants)
        && (round, measure) == (&other.round, &other.measure)
}

fn runs(base: &Scenario, points: &[Point]) -> Vec<Run> {
    let (policies, seeds) = (base.policies.len(), base.seeds.len());
    let mut runs = Vec::new();
    for (at, point) in points.iter().enumerate() {
        for (seed_at, &seed) in base.seeds.iter().enumerate() {
            for policy in 0..policies {
                let is_same = |earlier: &usize| {
                    points[*earlier].world == point.world
                        && points[*earlier].scenario.policies[policy] == point.scenario.policies[policy]
                };
                let same_as = (point.world..at).find(is_same);
                let same_as = same_as.map(|earlier| (earlier * seeds + seed_at) * policies + policy);
                runs.push(Run { point: at, policy, seed, same_as });
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests;
