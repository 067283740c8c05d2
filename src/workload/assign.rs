//! Which throughput profile each job has.
//!
//! Few traces name the model that a job trains, so a rule has to. What the rule is stands in the scenario and in the page
//! ([`ProfileSettings::describe`]); nothing is assigned silently.

pub mod names;

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::mix::Mix;
use super::profile::{self, ProfileId, measured_in_slices};
use super::{JobRecord, Workload};
use crate::cluster::catalogue;
pub use names::known_model;

/// How jobs get their profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileRule {
    /// The model that the trace names, where it is known; the others draw from a mix of models, each by its own id.
    #[default]
    SeededMix,
    /// All jobs have one model.
    All,
    /// As `seeded-mix`, but one draw for all jobs of one user (where the trace has users, else one tenant) with the same GPUs:
    /// people run the same thing again.
    ByClass,
    /// As `seeded-mix`, with a table that says what the names in the trace stand for.
    Column,
}

/// The `profiles` of a scenario.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileSettings {
    /// The rule.
    pub rule: ProfileRule,
    /// Catalogue id of the GPU on which durations were traced; `null` = the one that the trace names for the job, else `V100-16`.
    pub reference_gpu: Option<String>,
    /// The one model of rule `all`; `linear` if absent.
    pub model: Option<String>,
    /// Relative weights of the models that are drawn; empty = the models measured in slices, all equally likely.
    pub weights: BTreeMap<String, f64>,
    /// Seed of the draws.
    pub seed: u64,
    /// Rule `column`: the profile of each model name of the trace.
    pub column: BTreeMap<String, String>,
}

/// A setting that is refused: its key, what was found, what was expected.
pub type Refusal = (String, String, String);

/// Why a job has its profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The rule says so for every job, or the trace says nothing.
    Rule,
    /// The trace names a model that is known.
    Named,
    /// The trace names a model that is not known, so that the rule had to.
    Unknown,
}

/// The profile of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assigned {
    /// The profile.
    pub profile: ProfileId,
    /// Why.
    pub basis: Basis,
}

/// The largest weight of a model.
const MAX_WEIGHT: f64 = 1e6;

impl ProfileSettings {
    /// Checks every value.
    ///
    /// # Errors
    /// The first [`Refusal`].
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(gpu) = &self.reference_gpu
            && catalogue::model(gpu).is_none()
        {
            let ids: Vec<&str> = catalogue::models().iter().map(|m| m.id.as_str()).collect();
            return Err(("reference_gpu".into(), gpu.clone(), format!("one of {}", ids.join(", "))));
        }
        if let Some(model) = &self.model {
            known_profile("model", model)?;
        }
        for (model, &weight) in &self.weights {
            let key = format!("weights.{model}");
            known_profile(&key, model)?;
            if !(0.0..=MAX_WEIGHT).contains(&weight) {
                return Err((key, weight.to_string(), format!("a number from 0 to {MAX_WEIGHT}")));
            }
        }
        if !self.weights.is_empty() && self.mix().is_empty() {
            return Err(("weights".into(), "no weight above 0".into(), "at least one model to draw".into()));
        }
        for (name, model) in &self.column {
            known_profile(&format!("column.{name}"), model)?;
        }
        Ok(())
    }

    /// The rule as a sentence or two for people.
    #[must_use]
    pub fn describe(&self) -> String {
        let reference = match &self.reference_gpu {
            Some(gpu) => format!("Durations count as traced on a {gpu}."),
            None => {
                "Durations count as traced on the GPU that the trace names, else on a V100-16.".to_string()
            }
        };
        if self.rule == ProfileRule::All {
            return format!("Every job has the throughput profile {}. {reference}", self.one_model());
        }
        let mix = if self.weights.is_empty() {
            format!("the {} models measured on MIG slices, all equally likely", measured_in_slices().len())
        } else {
            let parts: Vec<String> = self
                .weights
                .iter()
                .filter(|(_, w)| **w > 0.0)
                .map(|(model, w)| format!("{model} ({w})"))
                .collect();
            format!("{}, weights in brackets", parts.join(", "))
        };
        let named = match self.rule {
            ProfileRule::Column if !self.column.is_empty() => {
                "Jobs get the throughput profile that the table of names gives their model, or that of the same known model"
            }
            _ => "Jobs get the throughput profile of the model that the trace names, where it is known",
        };
        let drawn = match self.rule {
            ProfileRule::ByClass => "those of one user with the same GPUs draw one together",
            _ => "each of the others draws one",
        };
        let seed = self.seed;
        format!(
            "{named}; {drawn} from {mix} (seed {seed}, by id, so that it is the same in any selection). {reference}"
        )
    }

    fn one_model(&self) -> &str {
        self.model.as_deref().unwrap_or("linear")
    }

    fn mix(&self) -> Mix<ProfileId> {
        if self.weights.is_empty() {
            Mix::new(measured_in_slices().map(|id| (id, 1.0)))
        } else {
            let weights = self.weights.iter();
            Mix::new(weights.filter_map(|(model, weight)| Some((profile::find(model)?, *weight))))
        }
    }
}

fn known_profile(key: &str, name: &str) -> Result<ProfileId, Refusal> {
    profile::find(name).ok_or_else(|| {
        let known = "a profile, such as resnet/64, LM (batch size 20) or linear";
        (key.to_string(), name.to_string(), known.to_string())
    })
}

/// The profile of every job of `workload`. A draw depends on the seed and on the job's id (its position, where it has none), not on
/// which other jobs there are.
///
/// # Errors
/// The first [`Refusal`] of [`ProfileSettings::check`].
pub fn assign(workload: &Workload, settings: &ProfileSettings) -> Result<Vec<Assigned>, Refusal> {
    settings.check()?;
    if settings.rule == ProfileRule::All {
        let profile = known_profile("model", settings.one_model())?;
        return Ok(vec![Assigned { profile, basis: Basis::Rule }; workload.jobs.len()]);
    }
    let named: Vec<Option<ProfileId>> = workload
        .models
        .iter()
        .map(|name| match settings.column.get(name) {
            Some(model) if settings.rule == ProfileRule::Column => profile::find(model),
            _ => known_model(name),
        })
        .collect();
    let mix = settings.mix();
    let base = ChaCha8Rng::seed_from_u64(settings.seed);
    let fallback = ProfileId(0);
    let draw = |stream: u64| {
        let mut rng = base.clone();
        rng.set_stream(stream);
        mix.at(rng.next_u64()).unwrap_or(fallback)
    };
    let assigned = workload.jobs.iter().enumerate().map(|(index, job)| {
        let name = job.model.and_then(|model| named.get(model as usize));
        if let Some(Some(profile)) = name {
            return Assigned { profile: *profile, basis: Basis::Named };
        }
        let stream = match settings.rule {
            ProfileRule::ByClass => class_stream(workload, job),
            _ => job_stream(workload, index),
        };
        Assigned { profile: draw(stream), basis: if name.is_some() { Basis::Unknown } else { Basis::Rule } }
    });
    Ok(assigned.collect())
}

fn job_stream(workload: &Workload, index: usize) -> u64 {
    match workload.names.get(index) {
        "" => index as u64,
        id => fnv1a([id.as_bytes()]),
    }
}

fn class_stream(workload: &Workload, job: &JobRecord) -> u64 {
    let user = job.user.and_then(|user| workload.users.get(user as usize));
    let who = user.or_else(|| workload.tenants.get(job.tenant.index()));
    fnv1a([who.map_or(&[][..], |name| name.as_bytes()), &[0], &job.gpus.0.to_le_bytes()])
}

/// FNV-1a, 64 bits.
fn fnv1a<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    parts
        .into_iter()
        .flatten()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Maybe, MilliGpus, SimSpan, SimTime, TenantId};
    use crate::workload::{Outcome, Presence, TextColumn};

    fn workload(jobs: u32, models: &[&str]) -> Workload {
        let mut names = TextColumn::default();
        let job = |i: u32| JobRecord {
            submit: SimTime(i64::from(i)),
            gpus: MilliGpus(1000 + 1000 * (i % 2)),
            workers: 1 + i % 2,
            duration: Maybe::some(SimSpan(1)),
            start: Maybe::NONE,
            end: Maybe::NONE,
            tenant: TenantId(i / 2 % 3),
            user: None,
            gpu_type: None,
            model: (!models.is_empty()).then(|| i % models.len() as u32),
            memory_mb: 0,
            min_slots: 0,
            outcome: Outcome::Completed,
            limit: Maybe::NONE,
            presence: Presence::Arrives,
        };
        let list = (0..jobs).map(|i| {
            names.push(&format!("job-{i}"));
            job(i)
        });
        Workload {
            jobs: list.collect(),
            names,
            tenants: ["a", "b", "c"].map(str::to_string).to_vec(),
            models: models.iter().map(|m| (*m).to_string()).collect(),
            ..Workload::default()
        }
    }

    fn profiles_of(workload: &Workload, settings: &ProfileSettings) -> Vec<&'static str> {
        let assigned = assign(workload, settings).expect("legal settings");
        assigned.iter().map(|a| a.profile.profile().name.as_str()).collect()
    }

    #[test]
    fn draws_are_fixed_by_seed_and_id() {
        let all = workload(400, &[]);
        let settings = ProfileSettings::default();
        let drawn = profiles_of(&all, &settings);
        assert_eq!(
            &drawn[..4],
            ["embedding/512", "embedding/64", "resnet/512", "gnn/512"],
            "the same everywhere"
        );
        let mut half = all.clone();
        half.jobs = all.jobs.iter().step_by(2).copied().collect();
        half.names = TextColumn::default();
        (0..400).step_by(2).for_each(|i| half.names.push(all.names.get(i)));
        assert_eq!(profiles_of(&half, &settings), drawn.iter().copied().step_by(2).collect::<Vec<_>>());
        assert_ne!(profiles_of(&all, &ProfileSettings { seed: 1, ..settings }), drawn);
        let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
        assert_eq!(distinct.len(), 31, "all models occur among 400 jobs");
    }

    #[test]
    fn weights_decide_how_often_a_model_is_drawn() {
        let weights = BTreeMap::from([
            ("resnet/64".to_string(), 3.0),
            ("bert/2".to_string(), 1.0),
            ("flat".to_string(), 0.0),
        ]);
        let drawn =
            profiles_of(&workload(4000, &[]), &ProfileSettings { weights, ..ProfileSettings::default() });
        let bert = drawn.iter().filter(|name| **name == "bert/2").count();
        assert!((900..1100).contains(&bert), "{bert} of 4000");
        assert_eq!(drawn.iter().filter(|name| **name == "resnet/64").count() + bert, 4000);
    }

    #[test]
    fn named_models_are_used_where_known_and_counted_where_not() {
        let traced = workload(6, &["bert/8", "vgg16", "my-net"]);
        let settings = ProfileSettings::default();
        let assigned = assign(&traced, &settings).expect("legal settings");
        let bases: Vec<Basis> = assigned.iter().map(|a| a.basis).collect();
        assert_eq!(bases[..3], [Basis::Named, Basis::Unknown, Basis::Unknown]);
        assert_eq!(assigned[0].profile.profile().name, "bert/8");
        let column = BTreeMap::from([
            ("my-net".to_string(), "gnn/64".to_string()),
            ("bert/8".into(), "linear".into()),
        ]);
        let by_column = ProfileSettings { rule: ProfileRule::Column, column, ..settings };
        let assigned = assign(&traced, &by_column).expect("legal settings");
        assert_eq!(assigned[0].profile.profile().name, "linear");
        assert_eq!((assigned[1].basis, assigned[2].basis), (Basis::Unknown, Basis::Named));
        assert_eq!(assigned[2].profile.profile().name, "gnn/64");
    }

    #[test]
    fn by_class_gives_jobs_of_one_user_and_size_the_same_model() {
        let drawn = profiles_of(
            &workload(60, &[]),
            &ProfileSettings { rule: ProfileRule::ByClass, ..Default::default() },
        );
        for (i, name) in drawn.iter().enumerate() {
            assert_eq!(name, &drawn[i % 6], "six classes: three tenants, two sizes");
        }
        assert!(drawn[..6].iter().any(|name| name != &drawn[0]));
    }

    #[test]
    fn one_model_for_all() {
        let settings =
            ProfileSettings { rule: ProfileRule::All, model: Some("flat".into()), ..Default::default() };
        assert!(profiles_of(&workload(5, &["bert/8"]), &settings).iter().all(|name| *name == "flat"));
        assert_eq!(
            settings.describe(),
            "Every job has the throughput profile flat. Durations count as traced on the GPU that the trace names, else on a V100-16."
        );
    }

    #[test]
    fn settings_are_flat_json_and_wrong_ones_are_refused_by_key() {
        let json = r#"{"rule": "seeded-mix", "reference_gpu": "T4", "weights": {"gnn/64": 2}, "seed": 7}"#;
        let settings: ProfileSettings = serde_json::from_str(json).expect("valid JSON");
        assert_eq!((settings.seed, settings.check()), (7, Ok(())));
        assert!(settings.describe().contains("gnn/64 (2)") && settings.describe().contains("on a T4"));
        assert_eq!(
            serde_json::from_str::<ProfileSettings>("{}").expect("all optional"),
            ProfileSettings::default()
        );
        for (json, key) in [
            (r#"{"reference_gpu": "V100"}"#, "reference_gpu"),
            (r#"{"model": "vgg"}"#, "model"),
            (r#"{"weights": {"vgg": 1}}"#, "weights.vgg"),
            (r#"{"weights": {"gnn/64": -1}}"#, "weights.gnn/64"),
            (r#"{"weights": {"gnn/64": 0}}"#, "weights"),
            (r#"{"column": {"a": "b"}}"#, "column.a"),
        ] {
            let settings: ProfileSettings = serde_json::from_str(json).expect("valid JSON");
            assert_eq!(settings.check().map_err(|(key, ..)| key), Err(key.to_string()));
        }
    }
}
