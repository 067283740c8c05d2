//! The laboratory in a link: an example by its short name, or an instance with its settings, which has a version of its own.
//!
//! `example` names an example as it is; else `lab` is the instance and the settings (JSON, base64url without padding) and `lv` the
//! version of that. `solve` is the policy that is looked at.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Map, Value};

use super::answers::Settings;
use super::draft::Draft;
use super::examples;
use super::{Case, Laboratory};
use crate::solve::Instance;

/// The version of what is written.
pub const VERSION: u32 = 1;

/// One step a version: `UPGRADES[n]` turns what version n + 1 wrote into what version n + 2 writes.
const UPGRADES: [fn(&mut Value); VERSION as usize - 1] = [];

/// What a link says of the laboratory.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// The instance and the settings.
    pub case: Case,
    /// The policy that is looked at.
    pub policy: String,
}

impl Shared {
    /// What is to be shared of a laboratory.
    #[must_use]
    pub fn of(laboratory: &Laboratory) -> Self {
        Self { case: (*laboratory.case).clone(), policy: laboratory.policy.clone() }
    }
}

/// The keys and values of a link.
#[must_use]
pub fn encode(shared: &Shared) -> Vec<(&'static str, String)> {
    let known = examples::EXAMPLES.iter().find(|example| Case::of_example(example) == shared.case);
    let mut pairs = match known {
        Some(example) => vec![("example", example.id.to_owned())],
        None => vec![("lab", URL_SAFE_NO_PAD.encode(json(&shared.case))), ("lv", VERSION.to_string())],
    };
    if known.is_none_or(|example| example.policy != shared.policy) {
        pairs.push(("solve", shared.policy.clone()));
    }
    pairs
}

/// What stands in a link.
#[derive(Serialize)]
struct Written<'a> {
    instance: Instance,
    normalise: &'a str,
    objective: &'a str,
}

fn json(case: &Case) -> String {
    let Settings { normalise, objective } = &case.settings;
    serde_json::to_string(&Written { instance: case.draft.instance(), normalise, objective })
        .unwrap_or_default()
}

/// Whether a key of a link is of the laboratory.
#[must_use]
pub fn is_key(key: &str) -> bool {
    ["example", "lab", "lv", "solve"].contains(&key)
}

/// What was read of the laboratory's part of a link.
#[derive(Debug, Default)]
pub struct Read {
    /// What it says, if it can be used.
    pub shared: Option<Shared>,
    /// Parts that mean nothing here.
    pub dropped: Vec<String>,
    /// The version that it names, if that is newer than this one.
    pub newer: Option<u32>,
    /// Why it cannot be used.
    pub unreadable: Option<String>,
}

/// Reads the keys of a link for which [`is_key`] holds.
#[must_use]
pub fn decode(pairs: &[(String, String)]) -> Read {
    let mut read = Read::default();
    let value =
        |wanted: &str| pairs.iter().rev().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
    let version = match value("lv").map(str::parse::<u32>) {
        None => VERSION,
        Some(Ok(version)) => version,
        Some(Err(_)) => {
            read.dropped.push("lv".to_owned());
            VERSION
        }
    };
    read.newer = (version > VERSION).then_some(version);
    let found = match (value("lab"), value("example")) {
        (Some(encoded), _) => match read_case(encoded, version, &mut read.dropped) {
            Ok(case) => Some((case, None)),
            Err(why) => {
                read.unreadable = Some(why);
                None
            }
        },
        (None, Some(id)) => match examples::example(id) {
            Some(example) => Some((Case::of_example(example), Some(example.policy))),
            None => {
                read.dropped.push(format!("example={id}"));
                None
            }
        },
        (None, None) => None,
    };
    let policy = value("solve").filter(|policy| {
        let known = super::answers::policies().any(|name| name == *policy);
        if !known {
            read.dropped.push(format!("solve={policy}"));
        }
        known
    });
    read.shared = found.map(|(case, of_example)| Shared {
        case,
        policy: policy.or(of_example).unwrap_or(super::FIRST_POLICY).to_owned(),
    });
    read
}

fn read_case(encoded: &str, version: u32, dropped: &mut Vec<String>) -> Result<Case, String> {
    let bytes = URL_SAFE_NO_PAD
        .decode(encoded.trim_end_matches('='))
        .map_err(|error| format!("the instance is not base64url: {error}"))?;
    let mut value: Value =
        serde_json::from_slice(&bytes).map_err(|error| format!("the instance is not JSON: {error}"))?;
    for step in UPGRADES.iter().skip(version.saturating_sub(1) as usize) {
        step(&mut value);
    }
    let mut word = |key: &str, default: String| {
        let found = value.get(key).and_then(Value::as_str);
        let known = found.filter(|word| Settings::choices(key).iter().any(|(known, _)| known == word));
        if let (Some(found), None) = (found, known) {
            dropped.push(format!("{key}={found}"));
        }
        known.map_or(default, str::to_owned)
    };
    let default = Settings::default();
    let settings = Settings {
        normalise: word("normalise", default.normalise),
        objective: word("objective", default.objective),
    };
    for key in value.as_object().into_iter().flat_map(Map::keys) {
        if !["instance", "normalise", "objective"].contains(&key.as_str()) {
            dropped.push(key.clone());
        }
    }
    let mut instance = value.get("instance").cloned().ok_or("the instance is missing")?;
    drop_unknown(&mut instance, dropped);
    let instance = Instance::from_json(&instance.to_string()).map_err(|error| error.to_string())?;
    Ok(Case { draft: Draft::of(&instance)?, settings })
}

/// What an instance can have, by the path of the object that has it. Empty: any key (a name).
const KEYS: [(&str, &[&str]); 6] = [
    ("", &["types", "tenants", "quotas", "optimal", "floors"]),
    ("types", &["name", "devices", "slots_per_device", "layout"]),
    ("tenants", &["name", "weight", "jobs", "rates", "max_total_share"]),
    ("tenants.jobs", &["name", "options", "remaining_s", "previous"]),
    ("tenants.jobs.options", &["type", "slots", "memory", "devices", "rate"]),
    ("tenants.jobs.previous", &["type", "slots", "memory", "devices"]),
];

/// Leaves out what a newer page may have added to an instance: a file with an unknown key is refused, a link is not.
fn drop_unknown(instance: &mut Value, dropped: &mut Vec<String>) {
    fn walk(value: &mut Value, path: &str, dropped: &mut Vec<String>) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| walk(item, path, dropped)),
            Value::Object(object) => {
                let Some((_, keys)) = KEYS.iter().find(|(known, _)| *known == path) else { return };
                object.retain(|key, value| {
                    let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    let known = keys.contains(&key.as_str());
                    if known {
                        walk(value, &inner, dropped);
                    } else if !dropped.contains(&inner) {
                        dropped.push(inner);
                    }
                    known
                });
            }
            _ => {}
        }
    }
    walk(instance, "", dropped);
}
