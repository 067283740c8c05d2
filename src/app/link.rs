//! The page's address: everything after `#` that makes another reader's page show the same.
//!
//! `s` is the scenario (JSON, base64url without padding), `v` the version of its format. What is shown is apart from what is
//! computed, so that a bad part of the one does not lose the other: `view`, `base` (the baseline's label), and `trace`, the
//! fingerprint of the workload, which tells a reader whose file is another one. Jobs are never in a link; `open` is where the page finds
//! their file on its own host. What is in the laboratory
//! is written by [`laboratory::link`](super::laboratory::link), what is in the experiment by [`experiment::link`](super::experiment::link).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::experiment::{Draft, link as experiment};
use super::laboratory::link::{self as laboratory, Shared};
use super::state::View;
use crate::policy;
use crate::scenario::{Scenario, VERSION};

/// What a link says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Link {
    /// The set-up.
    pub scenario: Option<Scenario>,
    /// What is shown.
    pub view: Option<View>,
    /// Label of the policy that others are compared with.
    pub baseline: Option<String>,
    /// Fingerprint of the traced workload that the sender had.
    pub trace: Option<String>,
    /// Address of a file to be opened, on the page's own host.
    pub open: Option<String>,
    /// What is in the laboratory.
    pub laboratory: Option<Shared>,
    /// What is in the experiment.
    pub experiment: Option<Draft>,
}

/// What in a link could not be followed. The page shows each of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// The link was made by a version of the page that knows more.
    NewerVersion {
        /// The version it names.
        found: u32,
    },
    /// These parts mean nothing here and were left out; the rest is loaded.
    Dropped(Vec<String>),
    /// The sender's trace was another one, by its fingerprint.
    OtherTrace {
        /// In the link.
        expected: String,
        /// Of the file read here.
        found: String,
    },
    /// There is a scenario, but it cannot be used; why.
    Unreadable(String),
    /// The file at this address cannot be opened; why.
    NotOpened {
        /// As it stands in the link.
        address: String,
        /// What was found, and what to do.
        why: String,
    },
}

/// The text after `#`.
#[must_use]
pub fn encode(link: &Link) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    if let Some(scenario) = &link.scenario {
        text.append_pair("s", &written(scenario)).append_pair("v", &VERSION.to_string());
    }
    let others = [
        ("view", link.view.map(View::word)),
        ("base", link.baseline.as_deref()),
        ("trace", link.trace.as_deref()),
        ("open", link.open.as_deref()),
    ];
    for (key, value) in others {
        if let Some(value) = value {
            text.append_pair(key, value);
        }
    }
    for (key, value) in link.laboratory.iter().flat_map(laboratory::encode) {
        text.append_pair(key, &value);
    }
    for (key, value) in link.experiment.iter().flat_map(|draft| experiment::encode(draft, written)) {
        text.append_pair(key, &value);
    }
    text.finish()
}

fn written(scenario: &Scenario) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_string(scenario).unwrap_or_default())
}

/// Reads what stands after `#` (with or without it). Whatever cannot be followed is left out and named.
#[must_use]
pub fn decode(text: &str) -> (Link, Vec<Remark>) {
    let mut link = Link::default();
    let mut remarks = Vec::new();
    let mut dropped = Vec::new();
    let mut scenario = None;
    let mut version = VERSION;
    let mut of_laboratory = Vec::new();
    let mut of_experiment = Vec::new();
    for (key, value) in form_urlencoded::parse(text.trim_start_matches('#').as_bytes()) {
        match key.as_ref() {
            "s" => scenario = Some(value.into_owned()),
            "v" => match value.parse() {
                Ok(found) => version = found,
                Err(_) => dropped.push(format!("v={value}")),
            },
            "view" => match View::named(&value) {
                Some(view) => link.view = Some(view),
                None => dropped.push(format!("view={value}")),
            },
            "base" => link.baseline = Some(value.into_owned()),
            "trace" => link.trace = Some(value.into_owned()),
            "open" if value.is_empty() => dropped.push("open".to_owned()),
            "open" => {
                dropped.extend(link.open.replace(value.into_owned()).map(|other| format!("open={other}")));
            }
            key if laboratory::is_key(key) => of_laboratory.push((key.to_owned(), value.into_owned())),
            key if experiment::is_key(key) => of_experiment.push((key.to_owned(), value.into_owned())),
            _ => dropped.push(key.into_owned()),
        }
    }
    let in_laboratory = laboratory::decode(&of_laboratory);
    dropped.extend(in_laboratory.dropped);
    link.laboratory = in_laboratory.shared;
    if version > VERSION {
        remarks.push(Remark::NewerVersion { found: version });
    }
    remarks.extend(in_laboratory.newer.map(|found| Remark::NewerVersion { found }));
    remarks.extend(in_laboratory.unreadable.map(Remark::Unreadable));
    if let Some(encoded) = scenario {
        match read_scenario(&encoded, version, &mut dropped) {
            Ok(scenario) => link.scenario = Some(scenario),
            Err(why) => remarks.push(Remark::Unreadable(why)),
        }
    }
    let mut dropped_beside = Vec::new();
    let read = |encoded: &str| read_scenario(encoded, version, &mut dropped_beside).ok();
    link.experiment = experiment::decode(&of_experiment, read, &mut dropped);
    dropped.extend(dropped_beside);
    if let (Some(draft), Some(scenario)) = (&mut link.experiment, &link.scenario) {
        let is_there = |label: &String| scenario.policies.iter().any(|choice| choice.label() == label);
        dropped.extend(
            draft.left_out.iter().filter(|label| !is_there(label)).map(|label| format!("without={label}")),
        );
        draft.left_out.retain(is_there);
    }
    if !dropped.is_empty() {
        remarks.push(Remark::Dropped(dropped));
    }
    (link, remarks)
}

fn read_scenario(encoded: &str, version: u32, dropped: &mut Vec<String>) -> Result<Scenario, String> {
    let bytes = URL_SAFE_NO_PAD
        .decode(encoded.trim_end_matches('='))
        .map_err(|error| format!("it is not base64url: {error}"))?;
    let mut value: Value =
        serde_json::from_slice(&bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    upgrade(&mut value, version);
    let mut unknown = Vec::new();
    drop_unknown_policies(&mut value, &mut unknown);
    let read = Scenario::from_link(&value.to_string()).map_err(|error| error.to_string())?;
    // Of a scenario that cannot be used nothing is left out: all of it is.
    dropped.extend(unknown);
    dropped.extend(read.dropped);
    Ok(read.scenario)
}

/// One step a version: `UPGRADES[n]` turns a scenario of version n + 1 into one of version n + 2.
const UPGRADES: [fn(&mut Value); VERSION as usize - 1] = [];

/// Brings a scenario of an older link to this version. One of a newer version is taken for this one: what it has beyond that
/// is dropped with a remark.
fn upgrade(scenario: &mut Value, version: u32) {
    for step in UPGRADES.iter().skip(version.saturating_sub(1) as usize) {
        step(scenario);
    }
    if let Some(object) = scenario.as_object_mut() {
        object.insert("version".into(), VERSION.into());
    }
}

/// A policy that this page does not have must not take the others with it.
fn drop_unknown_policies(scenario: &mut Value, dropped: &mut Vec<String>) {
    let Some(policies) = scenario.get_mut("policies").and_then(Value::as_array_mut) else { return };
    let mut index = 0;
    policies.retain(|entry| {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let known = policy::spec(name).is_some();
        if !known {
            dropped.push(format!("policies[{index}] ({name})"));
        }
        index += 1;
        known
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;

    fn link() -> Link {
        Link {
            scenario: Some(samples::default_scenario()),
            view: Some(View::Results),
            baseline: Some("Gavel & co. + 1".into()),
            trace: Some("7be1c9".into()),
            open: Some("traces/july 2025.csv".into()),
            laboratory: None,
            experiment: None,
        }
    }

    fn with_json(edit: impl Fn(&mut Value)) -> String {
        let mut json = serde_json::to_value(samples::default_scenario()).unwrap();
        edit(&mut json);
        format!("#s={}&v=1", URL_SAFE_NO_PAD.encode(json.to_string()))
    }

    #[test]
    fn a_link_survives_the_way_through_the_address() {
        assert_eq!(decode(&encode(&link())), (link(), vec![]));
        assert_eq!(decode(&format!("#{}", encode(&link()))), (link(), vec![]));
        assert_eq!(decode(""), (Link::default(), vec![]));
        assert_eq!(encode(&Link::default()), "");
    }

    #[test]
    fn an_experiment_survives_the_way_through_the_address() {
        use crate::app::experiment::{Change, What};
        use crate::scenario::sweep::Factor;
        let base = samples::default_scenario();
        let mut draft = Draft::of(&base);
        for change in [
            Change::Factor(0, Factor::Weight { tenant: "a=b & c".into() }),
            Change::Levels(0, "1, 2, and".into()),
            Change::AddAxis(Factor::RoundLength),
            Change::Seeds(Some(7)),
            Change::Policy("fifo".into()),
            Change::KeepSetUp,
            Change::KeepSetUp,
            Change::What(What::SetUps),
        ] {
            draft.apply(change, &base);
        }
        let link = Link { experiment: Some(draft), view: Some(View::Experiment), ..link() };
        assert_eq!(decode(&encode(&link)), (link, vec![]));
        let (read, remarks) = decode("#vary=load=1&vary=speed=2&seeds=0&beside=%25&compare=cats&vary=load=2");
        assert_eq!(read.experiment.map(|draft| draft.axes.len()), Some(1));
        let dropped = ["vary=speed=2", "seeds=0", "beside=%", "compare=cats", "vary=load=2"];
        assert_eq!(remarks, [Remark::Dropped(dropped.map(str::to_owned).to_vec())]);
    }

    #[test]
    fn what_cannot_be_followed_is_told_and_a_scenario_that_cannot_be_used_is_not_said_to_be_loaded() {
        let all = samples::default_scenario();
        let known = all.policies[0].label().to_owned();
        let text = format!("{}&open=a&open=b&vary=load=1&without={known}&without=foo", encode(&link()));
        let (read, remarks) = decode(&text.replace("&open=traces%2Fjuly+2025.csv", ""));
        assert_eq!(read.open.as_deref(), Some("b"));
        assert_eq!(read.experiment.unwrap().left_out.into_iter().collect::<Vec<_>>(), [known]);
        let dropped = ["open=a", "without=foo"].map(str::to_owned).to_vec();
        assert_eq!(remarks, [Remark::Dropped(dropped)]);
        let (_, remarks) = decode(&with_json(|json| json["policies"] = serde_json::json!([{"name": "x"}])));
        assert!(matches!(&remarks[..], [Remark::Unreadable(_)]), "{remarks:?}");
        let (_, remarks) = decode(&with_json(|json| json["seeds"] = serde_json::json!([1, 2, 1])));
        assert!(matches!(&remarks[..], [Remark::Unreadable(why)] if why.contains("1 twice")), "{remarks:?}");
    }

    #[test]
    fn an_address_holds_nothing_that_needs_escaping_in_the_scenario() {
        let text = encode(&Link { scenario: link().scenario, ..Link::default() });
        let (scenario, version) = text.strip_prefix("s=").unwrap().split_once('&').unwrap();
        assert!(scenario.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'));
        assert_eq!(version, "v=1");
    }

    #[test]
    fn unknown_parts_are_dropped_and_named() {
        let text = with_json(|json| {
            json["colour"] = "red".into();
            json["round"]["lease"] = 3.into();
            json["policies"].as_array_mut().unwrap().push(serde_json::json!({"name": "oracle"}));
        });
        let (read, remarks) = decode(&format!("{text}&zoom=3&view=explain"));
        let count = samples::default_scenario().policies.len();
        assert_eq!(read.scenario, Some(samples::default_scenario()));
        assert_eq!(read.view, None);
        let expected =
            ["view=explain", "zoom", &format!("policies[{count}] (oracle)"), "colour", "round.lease"];
        let mut expected = expected.map(str::to_owned).to_vec();
        let [Remark::Dropped(dropped)] = &remarks[..] else { panic!("{remarks:?}") };
        let mut dropped = dropped.clone();
        dropped.sort();
        expected.sort();
        assert_eq!(dropped, expected);
    }

    #[test]
    fn a_link_of_a_newer_page_is_loaded_as_far_as_it_is_understood() {
        let text = with_json(|json| json["version"] = 7.into()).replace("v=1", "v=7");
        let (read, remarks) = decode(&text);
        assert_eq!(read.scenario, Some(samples::default_scenario()));
        assert_eq!(remarks, [Remark::NewerVersion { found: 7 }]);
    }

    #[test]
    fn a_bad_scenario_does_not_lose_the_view() {
        for bad in ["#s=%%%&v=1&view=results", "#s=bm90IGpzb24&view=results", "#s=e30&view=results"] {
            let (read, remarks) = decode(bad);
            assert_eq!((read.scenario, read.view), (None, Some(View::Results)), "{bad}");
            assert!(matches!(&remarks[..], [Remark::Unreadable(why)] if !why.is_empty()), "{remarks:?}");
        }
        let (read, remarks) = decode(&with_json(|json| json["round"]["length_s"] = (-1).into()));
        assert_eq!(read.scenario, None);
        assert!(
            matches!(&remarks[..], [Remark::Unreadable(why)] if why.contains("round.length_s")),
            "{remarks:?}"
        );
    }
}
