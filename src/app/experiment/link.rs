//! The experiment in a link: `vary` is an axis, once or twice; `beside` a kept set-up (as the link's own scenario is written), as often
//! as there are; `seeds` and `without` (a policy's label) what differs from the set-up.
//!
//! `compare` is `set-ups` where these are compared. Versions and upgraders are those of the link's scenario.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{AxisDraft, Draft, What};
use crate::scenario::Scenario;
use crate::scenario::sweep::{Factor, MOST_AXES, MOST_LEVELS};

const SET_UPS: &str = "set-ups";
/// Seeds that a form takes at most.
const MOST_SEEDS: u32 = 1000;

/// Whether a key of a link is of the experiment.
#[must_use]
pub fn is_key(key: &str) -> bool {
    ["vary", "beside", "seeds", "without", "compare"].contains(&key)
}

/// The keys and values of a link; `write` puts a scenario into a value.
pub fn encode(draft: &Draft, write: impl Fn(&Scenario) -> String) -> Vec<(&'static str, String)> {
    let mut pairs = Vec::new();
    pairs.extend(draft.axes.iter().map(|axis| ("vary", format!("{}={}", axis.factor, axis.text))));
    if draft.what == What::SetUps {
        pairs.push(("compare", SET_UPS.to_owned()));
    }
    pairs.extend(draft.set_ups.iter().map(|set_up| ("beside", write(set_up))));
    pairs.extend(draft.seeds.map(|seeds| ("seeds", seeds.to_string())));
    pairs.extend(draft.left_out.iter().map(|label| ("without", label.clone())));
    pairs
}

/// Reads the keys of a link for which [`is_key`] holds; `read` takes a scenario out of a value. What means nothing is added to
/// `dropped`. `None` where no axis is left: a link always has one.
pub fn decode(
    pairs: &[(String, String)],
    mut read: impl FnMut(&str) -> Option<Scenario>,
    dropped: &mut Vec<String>,
) -> Option<Draft> {
    let mut draft = Draft {
        what: What::Values,
        axes: Vec::new(),
        set_ups: Vec::new(),
        seeds: None,
        left_out: BTreeSet::new(),
    };
    for (key, value) in pairs {
        let is_taken = match key.as_str() {
            "vary" => axis(value).is_some_and(|axis| {
                let is_new = draft.axes.iter().all(|other| other.factor != axis.factor);
                let fits = is_new && draft.axes.len() < MOST_AXES;
                draft.axes.extend(fits.then_some(axis));
                fits
            }),
            "beside" if draft.set_ups.len() < MOST_LEVELS => read(value).is_some_and(|set_up| {
                draft.set_ups.push(Rc::new(set_up));
                true
            }),
            "seeds" => {
                draft.seeds = value.parse().ok().filter(|seeds| (1..=MOST_SEEDS).contains(seeds));
                draft.seeds.is_some()
            }
            "without" => draft.left_out.insert(value.clone()),
            "compare" if value == SET_UPS => {
                draft.what = What::SetUps;
                true
            }
            _ => false,
        };
        if !is_taken {
            let short: String = value.chars().take(40).collect();
            dropped.push(format!("{key}={short}"));
        }
    }
    (!draft.axes.is_empty()).then_some(draft)
}

fn axis(text: &str) -> Option<AxisDraft> {
    let (factor, levels) = text.rsplit_once('=')?;
    let factor: Factor = factor.parse().ok()?;
    (factor != Factor::SetUp).then(|| AxisDraft { factor, text: levels.to_owned() })
}
