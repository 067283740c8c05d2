//! What a sweep can vary.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{SweepError, level_text};
use crate::cluster::{Geometry, catalogue};
use crate::policy::param::{ParamKind, ParamValue};
use crate::policy::spec;
use crate::scenario::{NodeSpec, PolicyChoice, Scenario, parse_layout};
use crate::workload::synthetic::ArrivalKind;

/// Something of a scenario that takes other values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Factor {
    /// How many GPUs of a model there are in all, by catalogue id: nodes like those that are there come or go. A model that is not
    /// there comes whole, in nodes of up to eight.
    Gpus {
        /// The model.
        gpu: String,
    },
    /// How a model's GPUs are cut, by catalogue id: the layout of every row of it.
    Layout {
        /// The model.
        gpu: String,
    },
    /// How fast jobs arrive, as a multiple of the scenario's own rate.
    Load,
    /// The length of a round in seconds.
    RoundLength,
    /// A tenant's weight at the beginning.
    Weight {
        /// The tenant.
        tenant: String,
    },
    /// A parameter of a policy.
    Param {
        /// The policy's label.
        policy: String,
        /// The parameter.
        param: String,
    },
    /// Which of several whole scenarios, by their names ([`Sweep::of_scenarios`](super::Sweep::of_scenarios)).
    SetUp,
}

/// What levels a factor takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// Numbers.
    Numbers,
    /// Some of these words.
    Words(Vec<&'static str>),
}

/// GPUs of a node that is added for a model that the cluster does not have.
const PER_NODE: u32 = 8;
/// How a row can be cut.
const LAYOUTS: [&str; 5] = ["whole", "uniform-2", "uniform-4", "uniform-8", "mig"];

/// What was found, and what is expected.
type Refusal = (String, String);

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gpus { gpu } => write!(f, "gpus:{gpu}"),
            Self::Layout { gpu } => write!(f, "layout:{gpu}"),
            Self::Load => f.write_str("load"),
            Self::RoundLength => f.write_str("round_s"),
            Self::Weight { tenant } => write!(f, "weight:{tenant}"),
            Self::Param { policy, param } => write!(f, "param:{policy}:{param}"),
            Self::SetUp => f.write_str("set-up"),
        }
    }
}

impl From<Factor> for String {
    fn from(factor: Factor) -> Self {
        factor.to_string()
    }
}

impl TryFrom<String> for Factor {
    type Error = SweepError;

    fn try_from(text: String) -> Result<Self, SweepError> {
        text.parse()
    }
}

impl FromStr for Factor {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let (kind, of) = text.split_once(':').map_or((text, None), |(kind, of)| (kind, Some(of)));
        let of = of.filter(|of| !of.is_empty());
        let factor = match (kind, of) {
            ("load", None) => Some(Self::Load),
            ("round_s", None) => Some(Self::RoundLength),
            ("set-up", None) => Some(Self::SetUp),
            ("gpus", Some(gpu)) => Some(Self::Gpus { gpu: gpu.to_owned() }),
            ("layout", Some(gpu)) => Some(Self::Layout { gpu: gpu.to_owned() }),
            ("weight", Some(tenant)) => Some(Self::Weight { tenant: tenant.to_owned() }),
            // A label may have a colon, a parameter has none.
            ("param", Some(of)) => of
                .rsplit_once(':')
                .map(|(policy, param)| Self::Param { policy: policy.to_owned(), param: param.to_owned() }),
            _ => None,
        };
        factor.ok_or_else(|| {
            let expected = "load, round_s, gpus:MODEL, layout:MODEL, weight:TENANT or param:POLICY:PARAMETER";
            SweepError::refused(text, format!("`{text}`"), expected)
        })
    }
}

impl Factor {
    /// What it is called, with the unit where there is one.
    #[must_use]
    pub fn title(&self, base: &Scenario) -> String {
        let model =
            |gpu: &str| catalogue::model(gpu).map_or_else(|| gpu.to_owned(), |model| model.name.clone());
        match self {
            Self::Gpus { gpu } => format!("GPUs, {}", model(gpu)),
            Self::Layout { gpu } => format!("Layout, {}", model(gpu)),
            Self::Load => "Load, × the arrival rate".to_owned(),
            Self::RoundLength => "Round length, s".to_owned(),
            Self::SetUp => "Set-up".to_owned(),
            Self::Weight { tenant } => format!("Weight, {tenant}"),
            Self::Param { policy, param } => {
                let choice = base.policies.iter().find(|choice| choice.label() == policy);
                let of = choice.and_then(|choice| spec(&choice.name));
                let declared = of.and_then(|of| of.params.iter().find(|declared| declared.name == param));
                let title = declared.map_or(param.as_str(), |declared| declared.title);
                let unit = declared
                    .and_then(|declared| declared.unit)
                    .map_or_else(String::new, |unit| format!(", {unit}"));
                let label = match choice {
                    Some(choice) if choice.label.is_none() => of.map_or(policy.as_str(), |of| of.title),
                    _ => policy,
                };
                format!("{title} of {label}{unit}")
            }
        }
    }

    /// Everything that can be varied of a scenario, for whose workload these are some of the tenants.
    #[must_use]
    pub fn all<'t>(base: &Scenario, tenants: impl IntoIterator<Item = &'t str>) -> Vec<Self> {
        let mut factors = Vec::new();
        if load(base, 1.0).is_ok() {
            factors.push(Self::Load);
        }
        let mut gpus: Vec<&str> = Vec::new();
        for row in &base.cluster.nodes {
            if !gpus.contains(&row.gpu.as_str()) {
                gpus.push(&row.gpu);
            }
        }
        factors.extend(gpus.iter().map(|gpu| Self::Gpus { gpu: (*gpu).to_owned() }));
        let cuttable = gpus.iter().filter(|gpu| layouts(gpu).len() > 1);
        factors.extend(cuttable.map(|gpu| Self::Layout { gpu: (*gpu).to_owned() }));
        factors.push(Self::RoundLength);
        factors.extend(tenants.into_iter().map(|tenant| Self::Weight { tenant: tenant.to_owned() }));
        for choice in &base.policies {
            let params = spec(&choice.name).map_or(&[][..], |spec| spec.params);
            let of_policy = params.iter().filter(|param| !matches!(param.kind, ParamKind::Formula(_)));
            factors.extend(of_policy.map(|param| Self::Param {
                policy: choice.label().to_owned(),
                param: param.name.to_owned(),
            }));
        }
        factors
    }

    /// What levels it takes in a scenario.
    #[must_use]
    pub fn takes(&self, base: &Scenario) -> Takes {
        match self {
            Self::Layout { gpu } => Takes::Words(layouts(gpu)),
            Self::Param { policy, param } => {
                let choice = base.policies.iter().find(|choice| choice.label() == policy);
                let of = choice.and_then(|choice| spec(&choice.name));
                let declared = of.and_then(|of| of.params.iter().find(|declared| declared.name == param));
                match declared.map(|declared| declared.kind) {
                    Some(ParamKind::Choice(words)) => {
                        Takes::Words(words.iter().map(|(word, _)| *word).collect())
                    }
                    _ => Takes::Numbers,
                }
            }
            _ => Takes::Numbers,
        }
    }

    /// The level that a scenario has; `None` where it has several, or one that is derived.
    #[must_use]
    pub fn level(&self, base: &Scenario) -> Option<ParamValue> {
        match self {
            Self::Gpus { gpu } => Some(ParamValue::Number(f64::from(gpus_of(base, gpu)))),
            Self::Layout { gpu } => {
                let mut layouts = rows_of(base, gpu).map(|(_, row)| &row.layout);
                let first = layouts.next()?;
                layouts.all(|layout| layout == first).then(|| ParamValue::Word(first.clone()))
            }
            Self::Load => Some(ParamValue::Number(1.0)),
            Self::RoundLength => Some(ParamValue::Number(base.round.length_s)),
            Self::SetUp => Some(ParamValue::Word(base.name.clone())),
            Self::Weight { tenant } => {
                let weight = base.tenants.weights.get(tenant).copied().unwrap_or(base.tenants.default_weight);
                Some(ParamValue::Number(weight))
            }
            Self::Param { policy, param } => {
                let choice = base.policies.iter().find(|choice| choice.label() == policy)?;
                let declared = spec(&choice.name)?.params.iter().find(|declared| declared.name == param)?;
                choice.params.get(param).cloned().or_else(|| declared.kind.default_value())
            }
        }
    }

    /// The scenario at a level. Whether its values are in range is for [`Scenario::check`].
    pub(super) fn applied(&self, base: &Scenario, level: &ParamValue) -> Result<Scenario, Refusal> {
        let mut varied = base.clone();
        match (self, level) {
            (Self::SetUp, level) => {
                return Err((
                    format!("`{}` alone", level_text(level)),
                    "whole scenarios, put side by side".into(),
                ));
            }
            (Self::Param { policy, param }, level) => {
                let expected = || {
                    let labels: Vec<&str> = base.policies.iter().map(PolicyChoice::label).collect();
                    format!("a policy of the scenario: {}", labels.join(", "))
                };
                let choice = varied.policies.iter_mut().find(|choice| choice.label() == policy);
                let choice = choice.ok_or_else(|| (format!("`{policy}`"), expected()))?;
                choice.params.insert(param.clone(), level.clone());
            }
            (Self::Layout { gpu }, ParamValue::Word(word)) => {
                if rows_of(base, gpu).next().is_none() {
                    return Err((format!("`{gpu}`"), models_there(base)));
                }
                for row in varied.cluster.nodes.iter_mut().filter(|row| row.gpu == *gpu) {
                    row.layout.clone_from(word);
                }
            }
            (Self::Layout { .. }, ParamValue::Number(number)) => {
                return Err((number.to_string(), format!("one of {}", LAYOUTS.join(", "))));
            }
            (_, ParamValue::Word(word)) => return Err((format!("`{word}`"), "a number".into())),
            (Self::Gpus { gpu }, ParamValue::Number(gpus)) => {
                let is_count = gpus.fract() == 0.0 && (0.0..=1e6).contains(gpus);
                let expected = || "a whole number of GPUs from 0 to 1000000".to_owned();
                set_gpus(
                    &mut varied,
                    gpu,
                    is_count.then_some(*gpus as u32).ok_or_else(|| (gpus.to_string(), expected()))?,
                )?;
            }
            (Self::Load, ParamValue::Number(times)) => varied = load(base, *times)?,
            (Self::RoundLength, ParamValue::Number(length_s)) => varied.round.length_s = *length_s,
            (Self::Weight { tenant }, ParamValue::Number(weight)) => {
                varied.tenants.weights.insert(tenant.clone(), *weight);
            }
        }
        Ok(varied)
    }
}

fn rows_of<'s>(scenario: &'s Scenario, gpu: &str) -> impl Iterator<Item = (usize, &'s NodeSpec)> {
    scenario.cluster.nodes.iter().enumerate().filter(move |(_, row)| row.gpu == gpu)
}

fn gpus_of(scenario: &Scenario, gpu: &str) -> u32 {
    rows_of(scenario, gpu)
        .map(|(_, row)| row.count.saturating_mul(row.gpus_per_node))
        .fold(0, u32::saturating_add)
}

/// The layouts that a model can have.
fn layouts(gpu: &str) -> Vec<&'static str> {
    let Some(model) = catalogue::model(gpu) else { return Vec::new() };
    let row = |layout: &str| NodeSpec {
        gpu: gpu.to_owned(),
        count: 1,
        gpus_per_node: 1,
        layout: layout.to_owned(),
        strict: true,
    };
    let can_be =
        |word: &&str| parse_layout(&row(word)).is_some_and(|layout| Geometry::of(&model, layout).is_ok());
    LAYOUTS.into_iter().filter(can_be).collect()
}

fn models_there(scenario: &Scenario) -> String {
    let mut gpus: Vec<&str> = scenario.cluster.nodes.iter().map(|row| row.gpu.as_str()).collect();
    gpus.dedup();
    format!("a GPU of the cluster: {}", gpus.join(", "))
}

/// How many GPUs come at least with one step up from what is there: whole nodes like those of the first row of the model.
#[must_use]
pub fn gpus_added(scenario: &Scenario, gpu: &str, wanted: u32) -> u32 {
    let per_node = rows_of(scenario, gpu).next().map_or(1, |(_, row)| row.gpus_per_node.max(1));
    wanted.div_ceil(per_node).saturating_mul(per_node)
}

/// Gives the cluster so many GPUs of a model: the first of its rows whose nodes can make up the difference gets other nodes.
fn set_gpus(scenario: &mut Scenario, gpu: &str, wanted: u32) -> Result<(), Refusal> {
    if catalogue::model(gpu).is_none() {
        let known: Vec<&str> = catalogue::models().iter().map(|model| model.id.as_str()).collect();
        return Err((format!("`{gpu}`"), format!("one of {}", known.join(", "))));
    }
    let there = gpus_of(scenario, gpu);
    if wanted == there {
        return Ok(());
    }
    let rows: Vec<(usize, NodeSpec)> = rows_of(scenario, gpu).map(|(at, row)| (at, row.clone())).collect();
    let Some((_, first)) = rows.first() else {
        let gpus_per_node =
            (1..=PER_NODE).rev().find(|per_node| wanted.is_multiple_of(*per_node)).unwrap_or(1);
        let layout = LAYOUTS[0].to_owned();
        let count = wanted / gpus_per_node;
        scenario.cluster.nodes.push(NodeSpec {
            gpu: gpu.to_owned(),
            count,
            gpus_per_node,
            layout,
            strict: true,
        });
        return Ok(());
    };
    if scenario.cluster.changes.iter().any(|change| rows.iter().any(|(at, _)| *at == change.row)) {
        return Err((
            "GPUs whose nodes change over time (cluster.changes)".into(),
            "nodes that stay as they are".into(),
        ));
    }
    if wanted == 0 {
        for (at, _) in rows.iter().rev() {
            scenario.cluster.remove_row(*at);
        }
        return Ok(());
    }
    let fitting = rows.iter().find_map(|(at, row)| {
        let others = there - row.count * row.gpus_per_node;
        let own = wanted.checked_sub(others)?;
        own.is_multiple_of(row.gpus_per_node).then_some((*at, own / row.gpus_per_node))
    });
    match fitting {
        Some((at, 0)) => scenario.cluster.remove_row(at),
        Some((at, count)) => scenario.cluster.nodes[at].count = count,
        None => {
            let expected = format!(
                "{there} GPUs, more or fewer by a multiple of {}, as nodes have",
                first.gpus_per_node
            );
            return Err((wanted.to_string(), expected));
        }
    }
    Ok(())
}

/// The scenario with jobs arriving so many times as fast.
fn load(base: &Scenario, times: f64) -> Result<Scenario, Refusal> {
    let mut varied = base.clone();
    if !(1e-6..=1e6).contains(&times) {
        return Err((times.to_string(), "a number above 0".into()));
    }
    match (&mut varied.workload.trace, &mut varied.workload.synthetic) {
        (Some(trace), _) => trace.rate *= times,
        (None, Some(synthetic)) => match &mut synthetic.fitted {
            Some(fitted) => fitted.hurry(times),
            None if synthetic.arrivals.kind == ArrivalKind::Batch => {
                return Err(("jobs that all arrive at once".into(), "jobs that arrive over time".into()));
            }
            None => synthetic.arrivals.rate_per_hour *= times,
        },
        (None, None) => {}
    }
    Ok(varied)
}
