//! The words of a round explained in full.

use crate::chart::format;
use crate::scenario::explain::{GrantExplained, RoundExplained, WaitExplained};

use super::{counted, jobs};

/// The button.
pub const BUTTON: &str = "Explain this round in full";
/// What it does.
pub const ABOUT: &str = "Runs the policy once more up to this round, and tells how it was decided, what every job was given, and what running \
    each job that waited would have cost.";
/// Without the jobs nothing can be run again.
pub const NO_JOBS: &str = "This round cannot be explained in full: the page does not have the jobs of these results any more. Open the trace \
    again and run the comparison.";
/// No ledger.
pub const NO_QUOTAS: &str = "This policy has no quotas: only STS-Fairness keeps a ledger of its rounds. What it gave to whom, and why the \
    others waited, is told in full below.";
/// A round before which nothing was decided.
pub const NOTHING_DECIDED: &str =
    "Nothing was decided up to this round: no job was there, or the policy is not simulated.";
/// The head of the column of costs.
pub const COST: &str = "By how much the objective of the round would be less if the job ran and the rest were decided anew as well as can be";
/// Jobs for which the price is found at first; each takes a solve for each of its options.
pub const FIRST_JOBS: usize = 20;

/// While it is found out.
#[must_use]
pub fn under_way(policy: &str, round: u64) -> String {
    format!("Running {policy} again up to round {}…", format::count(round))
}

/// Which round is explained, and when it was decided.
#[must_use]
pub fn which(explained: &RoundExplained, asked: u64) -> String {
    let begins = format::elapsed(explained.start_s);
    match explained.round == asked {
        true => format!("Round {asked}, decided at {begins}."),
        false => format!(
            "Round {asked} was not decided anew: the decision of round {}, taken at {begins}, went on.",
            explained.round
        ),
    }
}

/// How the decision was reached and how good it is proven to be, as names and values.
#[must_use]
pub fn decision(explained: &RoundExplained) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(method) = &explained.method {
        lines.push(("Method", method.to_string()));
    }
    if let Some(states) = explained.states {
        lines.push(("States examined", format::count(states)));
    }
    if let Some(objective) = explained.objective {
        lines.push(("Objective", whole(objective)));
    }
    if let (Some(objective), Some(bound)) = (explained.objective, explained.bound) {
        lines.push(("Bound", whole(bound)));
        lines.push(("Proof", proof(objective, bound)));
    }
    if let Some(price) = explained.price_of_fairness {
        let price = match price > 0.0 {
            true => format!("{} more without floors", format::percent(price, 2)),
            false => "none: floors cost nothing".to_owned(),
        };
        lines.push(("Price of fairness", price));
    }
    lines
}

/// What a bound says of an objective.
fn proof(objective: i128, bound: i128) -> String {
    if objective >= bound {
        return "proven optimal".to_owned();
    }
    let gap = if bound > 0 { (bound - objective) as f64 / bound as f64 } else { f64::NAN };
    format!("at most {} below the optimum", format::percent(gap, 3))
}

/// `job-7: 2 × A100-80, 3 slots of each`.
#[must_use]
pub fn grant(of: &GrantExplained) -> String {
    format!("{}: {}", of.job, option(of))
}

/// `2 × A100-80, 3 slots of each`.
#[must_use]
pub fn option(of: &GrantExplained) -> String {
    let devices = format!("{}\u{a0}×\u{a0}{}", of.devices, of.gpu_type);
    match (of.slots, of.devices) {
        (..=1, _) => devices,
        (slots, 1) => format!("{devices}, {} of it", counted(slots.into(), "slot", "slots")),
        (slots, _) => format!("{devices}, {} of each", counted(slots.into(), "slot", "slots")),
    }
}

/// What running a waiting job would have cost, in the unit of the objective and as a share of it.
#[must_use]
pub fn cost(of: &WaitExplained, objective: Option<i128>) -> String {
    let amount = |by: i128| {
        let share =
            objective.filter(|objective| *objective > 0).map(|objective| by as f64 / objective as f64);
        share.map_or_else(|| whole(by), |share| format!("{} ({})", whole(by), format::percent(share, 2)))
    };
    match (of.loses_at_least, of.loses_at_most) {
        _ if !of.breaks_floors_of.is_empty() => {
            format!("The floors of {} could not all hold.", named(&of.breaks_floors_of))
        }
        (Some(least), Some(most)) if least == most && most < 0 => format!("Would gain {}.", amount(-most)),
        (Some(least), Some(most)) if least == most => format!("Would cost {}.", amount(most)),
        (Some(least), Some(most)) => {
            format!("Would cost at least {} and at most {}.", amount(least), amount(most))
        }
        _ if of.alternative.is_some() => "Not found out within the limits of a search.".to_owned(),
        _ => format::UNDEFINED.to_owned(),
    }
}

/// A worker that died while it explained.
#[must_use]
pub fn died(message: &str) -> String {
    format!(
        "{message}. The round was not explained; nothing else was lost, and asking again starts a new worker."
    )
}

/// How many waiting jobs there are and for how many the price is told.
#[must_use]
pub fn waiting(explained: &RoundExplained, looked_at: usize) -> String {
    let all = explained.waiting.len();
    let waited = match all {
        0 => return "No job waited in this round.".to_owned(),
        1 => "1\u{a0}job waited".to_owned(),
        all => format!("{} waited, in order of arrival", jobs(all as u64)),
    };
    match explained.method.is_some() && looked_at < all {
        true => format!("{waited}; what running it would have cost was found out for the first {looked_at}."),
        false => format!("{waited}."),
    }
}

/// `a, b and c`.
fn named(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn whole(value: i128) -> String {
    format::number(value as f64, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(least: Option<i128>, most: Option<i128>, breaks: &[&str]) -> WaitExplained {
        WaitExplained {
            job: "j".into(),
            tenant: "t".into(),
            reason: "OBJECTIVE".into(),
            words: "words".into(),
            alternative: Some(GrantExplained {
                job: "j".into(),
                gpu_type: "A100".into(),
                slots: 3,
                devices: 2,
            }),
            loses_at_least: least,
            loses_at_most: most,
            breaks_floors_of: breaks.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn costs_are_exact_bounded_or_floors_that_break() {
        let of = |wait: &WaitExplained| cost(wait, Some(1_000)).replace(['\u{a0}', '\u{202f}'], " ");
        assert_eq!(of(&wait(Some(5), Some(5), &[])), "Would cost 5 (0.50 %).");
        assert_eq!(of(&wait(Some(-5), Some(-5), &[])), "Would gain 5 (0.50 %).");
        assert_eq!(
            of(&wait(Some(5), Some(20), &[])),
            "Would cost at least 5 (0.50 %) and at most 20 (2.00 %)."
        );
        assert_eq!(of(&wait(None, None, &["a", "b", "c"])), "The floors of a, b and c could not all hold.");
        assert_eq!(of(&wait(None, None, &[])), "Not found out within the limits of a search.");
        assert_eq!(
            cost(&WaitExplained { alternative: None, ..wait(None, None, &[]) }, None),
            format::UNDEFINED
        );
        assert_eq!(cost(&wait(Some(5), Some(5), &[]), Some(0)), "Would cost 5.");
    }

    #[test]
    fn options_and_proofs_are_told() {
        let of = |slots, devices| {
            option(&GrantExplained { job: "j".into(), gpu_type: "A100".into(), slots, devices })
                .replace('\u{a0}', " ")
        };
        assert_eq!(
            [of(1, 4), of(3, 1), of(3, 2)],
            ["4 × A100", "1 × A100, 3 slots of it", "2 × A100, 3 slots of each"]
        );
        assert_eq!(proof(7, 7), "proven optimal");
        assert!(proof(990, 1_000).contains("1.000"));
    }
}
