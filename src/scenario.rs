//! The scenario: one object that says everything a comparison depends on. The page's link, its download, and the command line's
//! `SCENARIO.json` are this object.

pub mod explain;
pub mod hash;
pub mod machines;
mod measure;
pub mod plausibility;
pub mod results;
pub mod run;
pub mod service;
pub mod statistics;
pub mod sweep;
pub mod tables;
mod tenants;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use self::measure::MeasureSpec;
pub use self::service::{CapacityChange, FailureSpec};
pub use self::tenants::{TenantSpec, WeightChangeSpec};
use crate::cluster::catalogue::{self, GpuModel};
use crate::cluster::{Cluster, ClusterError, Layout, MigMode, NodeGroup};
use crate::policy::param::{ParamError, ParamValue};
use crate::policy::sts::{self, resources::Resources};
use crate::policy::{self, Params, PolicySpec};
use crate::sim::{Boundary, GangPenalty, Limits, Mode, RoundSettings};
use crate::trace::mapping::Mapping;
use crate::trace::{ImportOptions, MAPPED, Repairs};
use crate::units::{SimSpan, SimTime};
use crate::workload::assign::ProfileSettings;
use crate::workload::bind::BindError;
use crate::workload::is_unscaled;
use crate::workload::shape::{RunningAtStart, Shape, States, TenantsBy, TypeNames};
use crate::workload::synthetic::SyntheticSpec;

/// The version this build writes.
pub const VERSION: u32 = 1;

/// A comparison: cluster, workload, tenants, rounds, policies, seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// The format's version, [`VERSION`].
    #[serde(default = "version")]
    pub version: u32,
    /// A name for people.
    #[serde(default)]
    pub name: String,
    /// The cluster.
    pub cluster: ClusterSpec,
    /// The jobs.
    pub workload: WorkloadSpec,
    /// Weights.
    #[serde(default)]
    pub tenants: TenantSpec,
    /// Rounds and overheads.
    #[serde(default)]
    pub round: RoundSpec,
    /// What is measured. Left out of the JSON when everything is.
    #[serde(default, skip_serializing_if = "MeasureSpec::is_default")]
    pub measure: MeasureSpec,
    /// The policies to compare.
    pub policies: Vec<PolicyChoice>,
    /// One run a policy and seed; see [`Scenario::replica`].
    #[serde(default = "one_seed")]
    pub seeds: Vec<u64>,
}

fn version() -> u32 {
    VERSION
}

fn one_seed() -> Vec<u64> {
    vec![0]
}

fn one() -> f64 {
    1.0
}

/// The cluster of a scenario.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ClusterSpec {
    /// Groups of equal nodes.
    pub nodes: Vec<NodeSpec>,
    /// Price of one GPU-hour by catalogue id.
    #[serde(default)]
    pub price_per_gpu_hour: BTreeMap<String, f64>,
    /// Other numbers of nodes from later moments on. Not written where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CapacityChange>,
    /// How often nodes break, by catalogue id. Not written where none does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, FailureSpec>,
}

/// A group of equal nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeSpec {
    /// Catalogue id of the GPU.
    pub gpu: String,
    /// Nodes in the group.
    pub count: u32,
    /// GPUs in each node.
    pub gpus_per_node: u32,
    /// `whole`, `uniform-2`, `uniform-4`, `uniform-8` or `mig`.
    #[serde(default = "whole")]
    pub layout: String,
    /// For `mig`: decisions choose only what can be placed (`true`), or count slots.
    #[serde(default = "yes")]
    pub strict: bool,
}

fn whole() -> String {
    "whole".to_string()
}

fn yes() -> bool {
    true
}

/// The jobs of a scenario: a trace or a synthetic workload, and how jobs get their throughput profiles.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkloadSpec {
    /// A trace file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSpec>,
    /// A generated workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<SyntheticSpec>,
    /// How jobs get their throughput profiles.
    #[serde(default)]
    pub profiles: ProfileSettings,
}

/// A trace file and how it is shaped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceSpec {
    /// File name; on the command line a path, relative to the scenario file.
    pub path: String,
    /// A format's name, or `auto`.
    #[serde(default = "auto")]
    pub format: String,
    /// What the columns of a table are, for a file that is read as `generic-csv`; `null` for every other.
    #[serde(default)]
    pub mapping: Option<Box<Mapping>>,
    /// Only jobs submitted in `[from, to)`, seconds from the first submission.
    #[serde(default)]
    pub window_s: Option<[f64; 2]>,
    /// Whether jobs that run when the window begins are there; not written where they are left out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub running_at_start: RunningAtStart,
    /// `all`, or the outcomes that are kept, separated by commas: `completed`, `failed`, `cancelled`, `running`, `pending`.
    #[serde(default = "all")]
    pub states: String,
    /// Arrivals come this many times as fast.
    #[serde(default = "one")]
    pub rate: f64,
    /// This share of the jobs, chosen by `sample_seed`.
    #[serde(default = "one")]
    pub sample: f64,
    /// Which of all samples of that share; not written where it is 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sample_seed: u64,
    /// Jobs run this many times as long; not written where it is 1.
    #[serde(default = "one", skip_serializing_if = "is_unscaled")]
    pub duration_scale: f64,
    /// Jobs ask for this many times as many GPUs; not written where it is 1.
    #[serde(default = "one", skip_serializing_if = "is_unscaled")]
    pub gpu_scale: f64,
    /// Who is a tenant; not written where it is the virtual cluster.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tenants: TenantsBy,
    /// Catalogue ids (alternatives separated by `|`, nothing for any) by the trace's names of GPU types. Not written where there
    /// are none: names are then understood as they are, as far as they can be.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gpu_types: TypeNames,
    /// What is repaired when the file is read. Not written where nothing is.
    #[serde(default, skip_serializing_if = "Repairs::is_none")]
    pub repairs: Repairs,
    /// The members of an archive that are read, by path or by the end of it. Not written where all are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Only one in so many records is read. Not written where all are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub one_in: u32,
}

impl TraceSpec {
    /// A trace taken as it is.
    #[must_use]
    pub fn whole(path: String) -> Self {
        Self {
            path,
            format: auto(),
            mapping: None,
            window_s: None,
            running_at_start: RunningAtStart::LeaveOut,
            states: all(),
            rate: 1.0,
            sample: 1.0,
            sample_seed: 0,
            duration_scale: 1.0,
            gpu_scale: 1.0,
            tenants: TenantsBy::Vc,
            gpu_types: TypeNames::new(),
            repairs: Repairs::default(),
            members: Vec::new(),
            one_in: 0,
        }
    }

    /// How its file is read.
    #[must_use]
    pub fn import_options(&self) -> ImportOptions {
        let format = Some(self.format.clone()).filter(|format| *format != auto());
        ImportOptions {
            format,
            mapping: self.mapping.clone(),
            repairs: self.repairs,
            members: self.members.clone(),
            one_in: self.one_in,
            ..ImportOptions::default()
        }
    }
}

fn auto() -> String {
    "auto".to_string()
}

fn check_mapping(trace: &TraceSpec) -> Result<(), ScenarioError> {
    let Some(mapping) = &trace.mapping else { return Ok(()) };
    if trace.format != auto() && trace.format != MAPPED {
        let expected = "auto or generic-csv, since the trace has a mapping";
        return Err(ScenarioError::value("workload.trace.format", &trace.format, expected));
    }
    mapping.check().map_err(|error| {
        ScenarioError::value(format!("workload.trace.mapping.{}", error.path), error.found, &error.expected)
    })
}

fn all() -> String {
    "all".to_string()
}

/// Rounds and overheads, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoundSpec {
    /// `rounds`, or `fluid` for shares of time without rounds, devices and overheads; not written for rounds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Length of a round.
    #[serde(default = "six_minutes")]
    pub length_s: f64,
    /// What happens when capacity becomes free inside a round.
    #[serde(default)]
    pub boundary: Boundary,
    /// Overhead of a job's first start.
    #[serde(default)]
    pub start_s: f64,
    /// Overhead of every later load.
    #[serde(default)]
    pub restore_s: f64,
    /// Overhead of changing a MIG layout.
    #[serde(default)]
    pub reconfigure_s: f64,
    /// What every node beyond the first costs a gang: on n nodes its rate is divided by 1 + penalty·(n−1). Not written where it is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gang_node_penalty: f64,
    /// Progress between two checkpoints of a job; a failure loses what came after the last. `null` = only when the scheduler stops
    /// the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_s: Option<f64>,
    /// `kill` ends a job that has held GPUs for the run time it asked for; `ignore` lets it run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// The simulation stops here; `null` = when every job has finished.
    #[serde(default)]
    pub horizon_s: Option<f64>,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn six_minutes() -> f64 {
    360.0
}

impl Default for RoundSpec {
    fn default() -> Self {
        Self {
            mode: Mode::Rounds,
            length_s: six_minutes(),
            boundary: Boundary::Refill,
            start_s: 0.0,
            restore_s: 0.0,
            reconfigure_s: 0.0,
            gang_node_penalty: 0.0,
            checkpoint_s: None,
            limits: Limits::Ignore,
            horizon_s: None,
        }
    }
}

impl RoundSpec {
    /// The engine's settings.
    #[must_use]
    pub fn settings(&self) -> RoundSettings {
        RoundSettings {
            mode: self.mode,
            length: SimSpan::from_secs(self.length_s),
            boundary: self.boundary,
            start_cost: SimSpan::from_secs(self.start_s),
            restore_cost: SimSpan::from_secs(self.restore_s),
            reconfigure_cost: SimSpan::from_secs(self.reconfigure_s),
            gang_penalty: GangPenalty::per_node(self.gang_node_penalty),
            horizon: self.horizon_s.map(|s| SimTime::ZERO + SimSpan::from_secs(s)),
            checkpoint: self.checkpoint_s.map(SimSpan::from_secs),
            limits: self.limits,
        }
    }
}

/// A policy in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyChoice {
    /// The policy's name.
    pub name: String,
    /// What files, table rows and charts call it; the name when absent. Unique in the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, ParamValue>,
}

impl PolicyChoice {
    /// A policy with default parameters.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_string(), label: None, params: BTreeMap::new() }
    }

    /// What files, table rows and charts call it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name)
    }
}

/// Why a scenario is refused. Every variant names the place in the JSON.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ScenarioError {
    /// Not JSON, or a value of the wrong kind.
    #[error("{path}: {message}")]
    Json {
        /// JSON path.
        path: String,
        /// What was found and expected, with line and column where known.
        message: String,
    },
    /// Keys that mean nothing.
    #[error("{path}: unknown key; remove it or correct its spelling")]
    UnknownKey {
        /// JSON path.
        path: String,
    },
    /// A value out of range.
    #[error("{path}: found {found}, expected {expected}")]
    Value {
        /// JSON path.
        path: String,
        /// What was found.
        found: String,
        /// What is allowed.
        expected: String,
    },
    /// A cluster that cannot be built.
    #[error("{path}: {error}")]
    Cluster {
        /// JSON path.
        path: String,
        /// Why.
        error: ClusterError,
    },
    /// Profiles that cannot be assigned.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A parameter of a policy.
    #[error("{path}.{error}")]
    Param {
        /// JSON path of the policy's `params`.
        path: String,
        /// Why.
        error: ParamError,
    },
}

impl ScenarioError {
    fn value(path: impl Into<String>, found: impl std::fmt::Display, expected: &str) -> Self {
        Self::Value { path: path.into(), found: found.to_string(), expected: expected.to_string() }
    }
}

/// A scenario read from a link, and what in it was not understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Lenient {
    /// The scenario.
    pub scenario: Scenario,
    /// JSON paths of keys that were dropped.
    pub dropped: Vec<String>,
}

impl Scenario {
    /// Reads a scenario file. Unknown keys and values out of range are errors.
    ///
    /// # Errors
    /// [`ScenarioError`], naming the JSON path.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let Lenient { scenario, dropped } = Self::read(text)?;
        match dropped.into_iter().next() {
            Some(path) => Err(ScenarioError::UnknownKey { path }),
            None => Ok(scenario),
        }
    }

    /// Reads a scenario from a link: unknown keys are dropped and named.
    ///
    /// # Errors
    /// [`ScenarioError`], naming the JSON path.
    pub fn from_link(text: &str) -> Result<Lenient, ScenarioError> {
        Self::read(text)
    }

    fn read(text: &str) -> Result<Lenient, ScenarioError> {
        let mut dropped = BTreeSet::new();
        let mut track = serde_path_to_error::Track::new();
        let mut json = serde_json::Deserializer::from_str(text);
        let mut note = |path: serde_ignored::Path<'_>| {
            dropped.insert(path.to_string());
        };
        let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
        let scenario = serde_ignored::deserialize::<_, _, Self>(tracked, &mut note).map_err(|error| {
            ScenarioError::Json { path: track.path().to_string(), message: error.to_string() }
        })?;
        json.end().map_err(|error| ScenarioError::Json { path: ".".into(), message: error.to_string() })?;
        scenario.check()?;
        Ok(Lenient { scenario, dropped: dropped.into_iter().collect() })
    }

    /// The scenario as JSON text, every key written.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Checks every value.
    ///
    /// # Errors
    /// The first [`ScenarioError`] found.
    pub fn check(&self) -> Result<(), ScenarioError> {
        if self.version != VERSION {
            return Err(ScenarioError::value("version", self.version, "1"));
        }
        self.build_cluster()?;
        for (gpu, price) in &self.cluster.price_per_gpu_hour {
            in_range(format!("cluster.price_per_gpu_hour.{gpu}"), *price, 0.0, 1e6)?;
        }
        self.check_service()?;
        self.check_workload()?;
        self.tenants.check()?;
        in_range("round.length_s", self.round.length_s, 1e-3, 1e7)?;
        in_range("round.start_s", self.round.start_s, 0.0, 1e7)?;
        in_range("round.restore_s", self.round.restore_s, 0.0, 1e7)?;
        in_range("round.reconfigure_s", self.round.reconfigure_s, 0.0, 1e7)?;
        in_range("round.gang_node_penalty", self.round.gang_node_penalty, 0.0, GangPenalty::MOST)?;
        if let Some(checkpoint) = self.round.checkpoint_s {
            in_range("round.checkpoint_s", checkpoint, 1e-3, 1e9)?;
        }
        if let Some(horizon) = self.round.horizon_s {
            in_range("round.horizon_s", horizon, 0.0, 1e11)?;
        }
        self.measure.check()?;
        self.check_policies()?;
        if self.seeds.is_empty() || self.seeds.len() > 1000 {
            return Err(ScenarioError::value(
                "seeds",
                format!("{} seeds", self.seeds.len()),
                "1 to 1000 seeds",
            ));
        }
        // A seed that counts twice would make the results look surer than they are.
        let mut seen = BTreeSet::new();
        if let Some(again) = self.seeds.iter().find(|seed| !seen.insert(**seed)) {
            return Err(ScenarioError::value("seeds", format!("{again} twice"), "each seed once"));
        }
        Ok(())
    }

    fn check_workload(&self) -> Result<(), ScenarioError> {
        let workload = &self.workload;
        match (&workload.trace, &workload.synthetic) {
            (Some(trace), None) => {
                check_mapping(trace)?;
                trace.repairs.check().map_err(|(key, found, expected)| {
                    ScenarioError::value(format!("workload.trace.repairs.{key}"), found, &expected)
                })?;
                self.shape().map(|_| ())?;
            }
            (None, Some(synthetic)) => synthetic.check().map_err(|(key, found, expected)| {
                ScenarioError::value(format!("workload.synthetic.{key}"), found, &expected)
            })?,
            (Some(_), Some(_)) => {
                return Err(ScenarioError::value("workload", "trace and synthetic", "one of the two"));
            }
            (None, None) => {
                return Err(ScenarioError::value(
                    "workload",
                    "neither trace nor synthetic",
                    "one of the two",
                ));
            }
        }
        workload.profiles.check().map_err(|(key, found, expected)| {
            ScenarioError::value(format!("workload.profiles.{key}"), found, &expected)
        })
    }

    fn check_policies(&self) -> Result<(), ScenarioError> {
        if self.policies.is_empty() {
            return Err(ScenarioError::value("policies", "none", "at least one policy"));
        }
        let mut labels = BTreeSet::new();
        for (index, choice) in self.policies.iter().enumerate() {
            let (spec, _) = self.policy(index)?;
            let resources = Resources::of(&self.build_cluster()?).capacity().len();
            if spec.name == sts::SPEC.name && resources > sts::budget::RESOURCES {
                let found = format!("{} on GPU types with {resources} resources", spec.name);
                let expected = format!(
                    "at most {}: a type packed strictly has four, every other one; count slots on some (\"strict\": false)",
                    sts::budget::RESOURCES
                );
                return Err(ScenarioError::value(format!("policies[{index}].name"), found, &expected));
            }
            if choice.label() == statistics::PAIRS {
                let expected = "any other label: statistics keep this key for comparisons";
                return Err(ScenarioError::value(
                    format!("policies[{index}].label"),
                    choice.label(),
                    expected,
                ));
            }
            if !labels.insert(choice.label()) {
                let expected = "a label that no other policy of the scenario has";
                return Err(ScenarioError::value(
                    format!("policies[{index}].label"),
                    choice.label(),
                    expected,
                ));
            }
        }
        Ok(())
    }

    /// The policy at `index` and its checked parameters.
    ///
    /// # Errors
    /// [`ScenarioError`] when there is no such policy or a parameter is refused.
    pub fn policy(&self, index: usize) -> Result<(&'static PolicySpec, Params), ScenarioError> {
        let Some(choice) = self.policies.get(index) else {
            return Err(ScenarioError::value(
                "policies",
                format!("no entry {index}"),
                "an entry of the list",
            ));
        };
        let Some(spec) = policy::spec(&choice.name) else {
            let known: Vec<_> = policy::registry::policies().iter().map(|p| p.name).collect();
            return Err(ScenarioError::value(
                format!("policies[{index}].name"),
                &choice.name,
                &format!("one of {}", known.join(", ")),
            ));
        };
        let refused = |error| ScenarioError::Param { path: format!("policies[{index}].params"), error };
        let params = Params::check(spec.name, spec.params, &choice.params).map_err(refused)?;
        if spec.name == sts::SPEC.name {
            sts::check_hysteresis(&params, SimSpan::from_secs(self.round.length_s)).map_err(refused)?;
        }
        Ok((spec, params))
    }

    /// The scenario of one seed: a seed is added to the seeds of the synthetic workload and of the drawn profiles, so that
    /// every seed is another draw of the same world, alike for all policies. Seed 0 is the scenario itself.
    #[must_use]
    pub fn replica(&self, seed: u64) -> Self {
        let mut replica = self.clone();
        let profiles = &mut replica.workload.profiles;
        profiles.seed = profiles.seed.wrapping_add(seed);
        if let Some(synthetic) = &mut replica.workload.synthetic {
            synthetic.seed = synthetic.seed.wrapping_add(seed);
        }
        replica
    }

    /// How a trace is cut and scaled before it is run.
    ///
    /// # Errors
    /// [`ScenarioError`] for a value out of range.
    pub fn shape(&self) -> Result<Shape, ScenarioError> {
        let Some(trace) = &self.workload.trace else { return Ok(Shape::default()) };
        in_range("workload.trace.rate", trace.rate, 1e-3, 1e3)?;
        in_range("workload.trace.sample", trace.sample, 1e-6, 1.0)?;
        in_range("workload.trace.duration_scale", trace.duration_scale, 1e-3, 1e3)?;
        in_range("workload.trace.gpu_scale", trace.gpu_scale, 1e-3, 1e3)?;
        check_type_names(&trace.gpu_types)?;
        let window = match trace.window_s {
            None => None,
            Some([from, to]) if from.is_finite() && to.is_finite() && from < to => {
                Some((SimTime::ZERO + SimSpan::from_secs(from), SimTime::ZERO + SimSpan::from_secs(to)))
            }
            Some([from, to]) => {
                return Err(ScenarioError::value(
                    "workload.trace.window_s",
                    format!("[{from}, {to}]"),
                    "[from, to] with from < to",
                ));
            }
        };
        let states: States = trace.states.parse().map_err(|()| {
            let expected =
                "\"all\", or some of completed, failed, cancelled, running and pending, separated by commas";
            ScenarioError::value("workload.trace.states", &trace.states, expected)
        })?;
        Ok(Shape {
            window,
            running: trace.running_at_start,
            states,
            rate: trace.rate,
            sample: trace.sample,
            sample_seed: trace.sample_seed,
            duration_scale: trace.duration_scale,
            gpu_scale: trace.gpu_scale,
            tenants: trace.tenants,
            gpu_types: trace.gpu_types.clone(),
        })
    }

    /// Builds the cluster.
    ///
    /// # Errors
    /// [`ScenarioError`] naming the row.
    pub fn build_cluster(&self) -> Result<Cluster, ScenarioError> {
        let mut groups = Vec::new();
        for (index, row) in self.cluster.nodes.iter().enumerate() {
            let path = format!("cluster.nodes[{index}]");
            let Some(model) = catalogue::model(&row.gpu) else {
                let known: Vec<&str> = catalogue::models().iter().map(|m: &GpuModel| m.id.as_ref()).collect();
                return Err(ScenarioError::value(
                    format!("{path}.gpu"),
                    &row.gpu,
                    &format!("one of {}", known.join(", ")),
                ));
            };
            let layout = parse_layout(row).ok_or_else(|| {
                let expected = "whole, uniform-2, uniform-4, uniform-8 or mig";
                ScenarioError::value(format!("{path}.layout"), &row.layout, expected)
            })?;
            crate::cluster::Geometry::of(&model, layout)
                .map_err(|error| ScenarioError::Cluster { path: format!("{path}.layout"), error })?;
            groups.push(NodeGroup {
                model,
                nodes: self.most_nodes(index),
                gpus_per_node: row.gpus_per_node,
                layout,
            });
        }
        Cluster::new(&groups).map_err(|error| ScenarioError::Cluster { path: "cluster.nodes".into(), error })
    }
}

/// Whether trace names stand for models that exist.
fn check_type_names(names: &TypeNames) -> Result<(), ScenarioError> {
    for (name, ids) in names.iter().filter(|(_, ids)| !ids.is_empty()) {
        for id in ids.split('|') {
            if catalogue::model(id).is_none() {
                let known: Vec<&str> = catalogue::models().iter().map(|model| model.id.as_str()).collect();
                let expected =
                    format!("nothing for any type, or some of {}, separated by |", known.join(", "));
                return Err(ScenarioError::value(format!("workload.trace.gpu_types.{name}"), id, &expected));
            }
        }
    }
    Ok(())
}

/// The layout that a row names; `None` when there is no such layout.
#[must_use]
pub fn parse_layout(row: &NodeSpec) -> Option<Layout> {
    match row.layout.as_str() {
        "whole" => Some(Layout::Whole),
        "mig" if row.strict => Some(Layout::Mig(MigMode::Strict)),
        "mig" => Some(Layout::Mig(MigMode::Relaxed)),
        other => other.strip_prefix("uniform-").and_then(|n| n.parse().ok()).map(Layout::Uniform),
    }
}

fn in_range(path: impl Into<String>, value: f64, min: f64, max: f64) -> Result<(), ScenarioError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(ScenarioError::value(path, value, &format!("a number from {min} to {max}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str = r#"{"cluster": {"nodes": [{"gpu": "V100-16", "count": 2, "gpus_per_node": 4}]},
        "workload": {"trace": {"path": "jobs.csv"}}, "policies": [{"name": "fifo"}]}"#;

    fn with(from: &str, to: &str) -> String {
        assert!(MINIMAL.contains(from));
        MINIMAL.replace(from, to)
    }

    #[test]
    fn defaults_are_filled_in() {
        let scenario = Scenario::from_json(MINIMAL).unwrap();
        assert_eq!(scenario.round, RoundSpec::default());
        assert_eq!(scenario.seeds, [0]);
        assert_eq!(scenario.build_cluster().unwrap().devices(), 8);
        assert_eq!(scenario.tenants.weight_micro("anyone"), 1_000_000);
    }

    #[test]
    fn a_scenario_survives_being_written() {
        let scenario = Scenario::from_json(MINIMAL).unwrap();
        assert_eq!(Scenario::from_json(&scenario.to_json()).unwrap(), scenario);
    }

    #[test]
    fn a_gang_penalty_is_written_only_where_there_is_one() {
        let none = Scenario::from_json(MINIMAL).unwrap();
        assert!(!none.to_json().contains("gang_node_penalty"));
        let text = with("\"policies\"", "\"round\": {\"gang_node_penalty\": 0.25}, \"policies\"");
        let scenario = Scenario::from_json(&text).unwrap();
        assert_eq!(scenario.round.settings().gang_penalty, GangPenalty::per_node(0.25));
        assert_eq!(Scenario::from_json(&scenario.to_json()).unwrap(), scenario);
        assert_ne!(none.round.settings(), scenario.round.settings());
    }

    #[test]
    fn a_file_with_an_unknown_key_is_refused_and_a_link_drops_it() {
        let text = with("\"gpus_per_node\": 4", "\"gpus_per_node\": 4, \"colour\": \"red\"");
        let error = Scenario::from_json(&text).unwrap_err();
        assert!(error.to_string().contains("cluster.nodes.0.colour"), "{error}");
        let lenient = Scenario::from_link(&text).unwrap();
        assert_eq!(lenient.dropped, ["cluster.nodes.0.colour"]);
        assert_eq!(lenient.scenario, Scenario::from_json(MINIMAL).unwrap());
    }

    #[test]
    fn errors_name_the_place() {
        for (from, to, place) in [
            ("\"count\": 2", "\"count\": \"two\"", "cluster.nodes[0].count"),
            ("\"count\": 2", "\"count\": 0", "cluster.nodes"),
            ("\"count\": 2", "\"count\": 4000000000", "cluster.nodes"),
            ("V100-16", "V100", "cluster.nodes[0].gpu"),
            (
                "\"gpus_per_node\": 4",
                "\"gpus_per_node\": 4, \"layout\": \"uniform-3\"",
                "cluster.nodes[0].layout",
            ),
            ("fifo", "lifo", "policies[0].name"),
            ("{\"name\": \"fifo\"}", "{\"name\": \"fifo\"}, {\"name\": \"fifo\"}", "policies[1].label"),
            (
                "{\"name\": \"fifo\"}",
                "{\"name\": \"fifo\", \"params\": {\"speed\": 1}}",
                "policies[0].params",
            ),
            (
                "{\"name\": \"fifo\"}",
                "{\"name\": \"sts-fairness\", \"params\": {\"hysteresis\": 5000}}",
                "policies[0].params",
            ),
            (
                "\"path\": \"jobs.csv\"",
                "\"path\": \"jobs.csv\", \"window_s\": [5, 1]",
                "workload.trace.window_s",
            ),
            (
                "\"path\": \"jobs.csv\"",
                "\"path\": \"jobs.csv\", \"repairs\": {\"shortest_s\": 10, \"longest_s\": 5}",
                "workload.trace.repairs.longest_s",
            ),
            ("\"path\": \"jobs.csv\"", "\"path\": \"jobs.csv\", \"rate\": 0", "workload.trace.rate"),
            (
                "\"path\": \"jobs.csv\"",
                "\"path\": \"jobs.csv\", \"states\": \"done\"",
                "workload.trace.states",
            ),
            (
                "\"path\": \"jobs.csv\"",
                "\"path\": \"jobs.csv\", \"gpu_types\": {\"v\": \"V100\"}",
                "workload.trace.gpu_types.v",
            ),
            (
                "\"path\": \"jobs.csv\"",
                "\"path\": \"jobs.csv\", \"duration_scale\": 0",
                "workload.trace.duration_scale",
            ),
            (
                "\"path\": \"jobs.csv\"",
                "\"path\": \"jobs.csv\", \"repairs\": {\"fill\": \"mean\"}",
                "workload.trace.repairs.fill",
            ),
            (
                "\"policies\"",
                "\"round\": {\"gang_node_penalty\": -0.1}, \"policies\"",
                "round.gang_node_penalty",
            ),
            ("\"gpus_per_node\": 4", "\"gpus_per_node\": 0", "cluster.nodes"),
        ] {
            let error = Scenario::from_json(&with(from, to)).unwrap_err().to_string();
            assert!(error.starts_with(place), "{to}: {error}");
        }
    }

    #[test]
    fn one_model_with_two_layouts_is_two_types() {
        let second = "{\"gpu\": \"V100-16\", \"count\": 1, \"gpus_per_node\": 8, \"layout\": \"uniform-4\"}";
        let text = with("\"gpus_per_node\": 4}", &format!("\"gpus_per_node\": 4}}, {second}"));
        let cluster = Scenario::from_json(&text).unwrap().build_cluster().unwrap();
        let names: Vec<&str> = cluster.types().iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["V100-16 (whole)", "V100-16 (uniform-4)"]);
        assert_eq!(cluster.nodes().len(), 3);
    }
}
