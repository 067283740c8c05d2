//! The words traces use for how a job ended.

use crate::trace::names::Names;
use crate::workload::Outcome;

/// Words that were met, and what they stand for: a file has few different ones.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    words: Names,
    meant: Vec<Option<Outcome>>,
}

impl Outcomes {
    /// As [`outcome`] says, faster for a word that was met before.
    #[inline]
    pub(super) fn of(&mut self, word: &str) -> Option<Outcome> {
        let at = self.words.position(word) as usize;
        match self.meant.get(at) {
            Some(meant) => *meant,
            None => {
                let meant = outcome(word);
                self.meant.push(meant);
                meant
            }
        }
    }
}

/// Words in capitals.
static WORDS: [(&str, Outcome); 45] = [
    ("COMPLETED", Outcome::Completed),
    ("PASS", Outcome::Completed),
    ("SUCCEEDED", Outcome::Completed),
    ("SUCCESS", Outcome::Completed),
    ("SUCCESSFUL", Outcome::Completed),
    ("COMPLETE", Outcome::Completed),
    ("FINISHED", Outcome::Completed),
    ("DONE", Outcome::Completed),
    ("FAILED", Outcome::Failed),
    ("FAILURE", Outcome::Failed),
    ("ERROR", Outcome::Failed),
    ("CRASHED", Outcome::Failed),
    ("TIMEOUT", Outcome::Failed),
    ("NODE_FAIL", Outcome::Failed),
    ("OUT_OF_MEMORY", Outcome::Failed),
    ("DEADLINE", Outcome::Failed),
    ("BOOT_FAIL", Outcome::Failed),
    ("LAUNCH_FAILED", Outcome::Failed),
    ("RECONFIG_FAIL", Outcome::Failed),
    ("CANCELLED", Outcome::Cancelled),
    ("CANCELED", Outcome::Cancelled),
    ("KILLED", Outcome::Cancelled),
    ("ABORTED", Outcome::Cancelled),
    ("EVICTED", Outcome::Cancelled),
    ("PREEMPTED", Outcome::Cancelled),
    ("REVOKED", Outcome::Cancelled),
    ("RUNNING", Outcome::Running),
    ("COMPLETING", Outcome::Running),
    ("SUSPENDED", Outcome::Running),
    ("RESIZING", Outcome::Running),
    ("STOPPED", Outcome::Running),
    ("SIGNALING", Outcome::Running),
    ("STAGE_OUT", Outcome::Running),
    ("EXPEDITING", Outcome::Running),
    ("UPDATE_DB", Outcome::Running),
    ("PENDING", Outcome::Pending),
    ("CONFIGURING", Outcome::Pending),
    ("REQUEUED", Outcome::Pending),
    ("REQUEUE_FED", Outcome::Pending),
    ("REQUEUE_HOLD", Outcome::Pending),
    ("RESV_DEL_HOLD", Outcome::Pending),
    ("SPECIAL_EXIT", Outcome::Pending),
    ("POWER_UP_NODE", Outcome::Pending),
    ("WAITING", Outcome::Pending),
    ("QUEUED", Outcome::Pending),
];

/// The outcome that `word` stands for, whatever its case; `None` for a word no scheduler is known to use. Slurm cuts long
/// states off with a `+`.
pub(super) fn outcome(word: &str) -> Option<Outcome> {
    let (word, is_cut) = match word.strip_suffix('+') {
        Some(start) => (start, true),
        None => (word, false),
    };
    WORDS
        .iter()
        .find(|(known, _)| {
            known.eq_ignore_ascii_case(word)
                || (is_cut
                    && word.len() >= 3
                    && known.get(..word.len()).is_some_and(|k| k.eq_ignore_ascii_case(word)))
        })
        .map(|(_, outcome)| *outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_met_mean_the_same_again() {
        let mut outcomes = Outcomes::default();
        for _ in 0..2 {
            for word in
                ["completed", "no such word", "", "a word of more than fifteen bytes", "FAILED", "CANCELLED+"]
            {
                assert_eq!(outcomes.of(word), outcome(word), "{word}");
            }
        }
    }

    #[test]
    fn exported_words_read_back_and_cut_words_are_completed() {
        for known in Outcome::ALL {
            assert_eq!(outcome(known.word()), Some(known));
        }
        assert_eq!(outcome("OUT_OF_ME+"), Some(Outcome::Failed));
        assert_eq!(outcome("CANCELLED+"), Some(Outcome::Cancelled));
        assert_eq!(outcome("Pass"), Some(Outcome::Completed));
        assert_eq!(outcome("SUCCESS"), Some(Outcome::Completed));
        assert_eq!(outcome("error"), Some(Outcome::Failed));
        assert_eq!(outcome("COMPL+"), Some(Outcome::Completed));
        assert_eq!(outcome("42"), None);
        assert_eq!(outcome("+"), None);
    }
}
