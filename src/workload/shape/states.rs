//! Which jobs are kept by how they ended.

use std::fmt;
use std::str::FromStr;

use crate::workload::Outcome;

/// A set of outcomes. As text: `all`, or outcomes separated by commas, such as `completed, failed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct States([bool; Outcome::ALL.len()]);

impl Default for States {
    /// All: failed and cancelled jobs held their GPUs too.
    fn default() -> Self {
        Self([true; Outcome::ALL.len()])
    }
}

impl States {
    /// Whether jobs that ended so are kept.
    #[must_use]
    pub fn keeps(self, outcome: Outcome) -> bool {
        Outcome::ALL.iter().zip(self.0).any(|(known, kept)| kept && *known == outcome)
    }

    /// The same set with an outcome that was not kept, or without one that was.
    #[must_use]
    pub fn flipped(mut self, outcome: Outcome) -> Self {
        for (known, kept) in Outcome::ALL.iter().zip(&mut self.0) {
            *kept ^= *known == outcome;
        }
        self
    }
}

impl FromStr for States {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text.trim() == "all" {
            return Ok(Self::default());
        }
        let mut states = Self([false; Outcome::ALL.len()]);
        for word in text.split(',').map(str::trim) {
            let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.word() == word).ok_or(())?;
            if !states.keeps(outcome) {
                states = states.flipped(outcome);
            }
        }
        Ok(states)
    }
}

impl fmt::Display for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::default() {
            return f.write_str("all");
        }
        let kept: Vec<&str> =
            Outcome::ALL.into_iter().filter(|outcome| self.keeps(*outcome)).map(Outcome::word).collect();
        f.write_str(&kept.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_as_they_are_written() {
        let two =
            States::default().flipped(Outcome::Running).flipped(Outcome::Pending).flipped(Outcome::Cancelled);
        assert_eq!(two.to_string(), "completed,failed");
        for states in [two, States::default()] {
            assert_eq!(states.to_string().parse(), Ok(states));
        }
        let completed: States = " completed ".parse().unwrap();
        assert!(completed.keeps(Outcome::Completed) && !completed.keeps(Outcome::Failed));
        for text in ["", "done", "completed,", "ALL"] {
            assert!(text.parse::<States>().is_err(), "{text}");
        }
    }
}
