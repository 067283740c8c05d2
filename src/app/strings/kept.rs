//! Words of results that are kept and opened again.

use super::counted;
use crate::app::state::ResultSet;

/// The heading.
pub const TITLE: &str = "Keep and compare";
/// What can be done.
pub const ABOUT: &str = "Results stay in this browser, or leave as a file that opens here again; `sts run` writes the same file. Earlier results can stand beside these.";
/// Keeps what is shown.
pub const KEEP: &str = "Keep in this browser";
/// Saves what is shown.
pub const SAVE: &str = "Results (JSON)";
/// The name of that file.
pub const FILE: &str = "results.json";
/// Opens a file.
pub const OPEN_FILE: &str = "Open results…";
/// Shows what is kept.
pub const OPEN: &str = "Open";
/// Puts it beside what is shown.
pub const BESIDE: &str = "Put beside these";
/// Takes it away again.
pub const REMOVE: &str = "Take away";
/// Deletes it.
pub const FORGET: &str = "Delete";
/// Deletes everything.
pub const FORGET_ALL: &str = "Delete all that is kept";
/// What is asked before.
pub const FORGET_ALL_ASK: &str =
    "Delete all results that are kept in this browser? This cannot be taken back.";
/// Where nothing is kept.
pub const NONE: &str = "Nothing is kept in this browser.";
/// Results of a scenario without a name.
pub const UNNAMED: &str = "Unnamed";
/// What is not there any more.
pub const GONE: &str = "These results are not kept any more; another tab may have deleted them.";

/// Policies and seeds.
#[must_use]
pub fn about(set: &ResultSet) -> String {
    let policies = counted(set.scenario.policies.len() as u64, "policy", "policies");
    let seeds = counted(set.scenario.seeds.len() as u64, "seed", "seeds");
    format!("{policies}, {seeds}, {}", super::jobs(set.origin.gpu_jobs))
}

/// The button that deletes, for those who do not see the row.
#[must_use]
pub fn forget(name: &str) -> String {
    format!("Delete {name}")
}

/// What stands beside the results shown.
#[must_use]
pub fn beside(name: &str) -> String {
    format!("The results of {name} stand beside these, in every table and chart.")
}

/// A file that is none.
#[must_use]
pub fn unreadable(why: &str) -> String {
    format!("These results cannot be opened: {why}.")
}

/// A browser that keeps nothing.
#[must_use]
pub fn unkept(why: &str) -> String {
    format!(
        "The browser did not keep that: {why}. Private windows keep nothing; save the results as a file instead."
    )
}
