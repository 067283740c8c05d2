//! The words of the list of jobs that gain and lose.

use crate::app::job_changes::{Counts, JobChange, SAME_S, Times};
use crate::chart::format;

/// The head of the panel.
pub const TITLE: &str = "Jobs: who gains and who loses";
/// Before anything is known.
pub const ABOUT: &str =
    "Every job under two policies of the same seed: which finish sooner, which later, and why.";
/// Where no run keeps its jobs.
pub const NOT_KEPT: &str = "The jobs of these runs are not kept: results that were opened from a file hold figures alone. Run the comparison again to see its jobs.";
/// Where the two runs are not there.
pub const NO_PAIR: &str = "Two policies with a run of the same seed are needed.";
/// While the tables are read.
pub const READING: &str = "Comparing the jobs…";
/// The button that compares many jobs.
pub const OPEN: &str = "Compare the jobs";
/// The button that leads to the schedule.
pub const SHOW: &str = "Show in the schedule";
/// While waits are read.
pub const READING_WAITS: &str = "Reading…";
/// Where a run tells no reasons.
pub const NO_REASONS: &str = "This run has no reasons for waits: the trace's own schedule states none, and in the fluid mode time goes in shares.";
/// A job that waited for nothing.
pub const NEVER_WAITED: &str = "It did not wait.";
/// What the distribution shows.
pub const BY_RATIO: &str = "Jobs by JCT after ÷ before: left of the middle they gain, right of it they lose.";
/// The same for those who do not see it.
pub const BY_RATIO_LABEL: &str =
    "Jobs by completion time after over before; arrow keys go from class to class";

/// How many jobs gain and lose.
#[must_use]
pub fn counts(counts: &Counts, tenant: Option<&str>) -> String {
    let count = format::count;
    let of = tenant.map(|tenant| format!(" of {tenant}")).unwrap_or_default();
    let unfinished = match counts.unfinished {
        0 => String::new(),
        n => format!("; {} did not finish under both", count(n)),
    };
    format!(
        "Of {}{of}, {} finish sooner, {} later and {} at the same time (less than {} apart){unfinished}.",
        super::jobs(counts.all()),
        count(counts.gain),
        count(counts.lose),
        count(counts.same),
        format::duration(SAME_S)
    )
}

/// How many rows are there, and how many are shown.
#[must_use]
pub fn shown(shown: u64, found: u64) -> String {
    match found {
        0 => "No such job.".to_owned(),
        _ if shown < found => format!(
            "The first {} of {}; the CSV file has all of both runs.",
            format::count(shown),
            super::jobs(found)
        ),
        _ => format!("{}; the CSV file has all of both runs.", super::jobs(found)),
    }
}

/// By how much longer or shorter.
#[must_use]
pub fn change(difference_s: Option<f64>) -> String {
    format::or_undefined(difference_s, |by_s| format::signed(by_s, &format::duration(by_s)))
}

/// How long a job took under one policy.
#[must_use]
pub fn took(times: Times) -> String {
    match (times.jct_s, times.wait_s) {
        (Some(jct_s), Some(wait_s)) => {
            format!(
                "Done after {}, of which it waited {}.",
                format::duration(jct_s),
                format::duration(wait_s)
            )
        }
        _ => "It did not finish.".to_owned(),
    }
}

/// What a job asked for, and when.
#[must_use]
pub fn submitted(job: &JobChange) -> String {
    let change = match job.ratio() {
        Some(ratio) => format!(" {} ({}).", change(job.difference_s()), format::ratio(ratio)),
        None => String::new(),
    };
    format!("Submitted at {} for {} GPU.{change}", format::elapsed(job.submit_s), job.gpus)
}

/// With a capital and a full stop.
#[must_use]
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_a_sentence() {
        let of = Counts { gain: 3, lose: 2, same: 1, unfinished: 0 };
        assert_eq!(
            counts(&of, None),
            "Of 6\u{a0}jobs, 3 finish sooner, 2 later and 1 at the same time (less than 1\u{a0}s apart)."
        );
        let some = Counts { unfinished: 4, ..of };
        assert!(counts(&some, Some("vision")).starts_with("Of 10\u{a0}jobs of vision, 3"));
        assert!(counts(&some, None).ends_with("; 4 did not finish under both."));
        assert_eq!(shown(100, 5_000), "The first 100 of 5,000\u{a0}jobs; the CSV file has all of both runs.");
        assert_eq!(change(Some(-80.0)), "−80\u{a0}s");
        assert_eq!(change(Some(80.0)), "+80\u{a0}s");
        assert_eq!(change(None), "–");
        assert_eq!(sentence("there is no place"), "There is no place.");
    }
}
