//! What may be typed into a field, and what is said when something else is.

use crate::chart::format;

/// The numbers a field takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Between them.
    pub step: Step,
}

/// Which numbers between the ends of a [`Range`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Any.
    Any,
    /// Whole ones.
    Whole,
}

impl Range {
    /// Any number from `min` to `max`.
    #[must_use]
    pub const fn any(min: f64, max: f64) -> Self {
        Self { min, max, step: Step::Any }
    }

    /// A whole number from `min` to `max`.
    #[must_use]
    pub const fn whole(min: f64, max: f64) -> Self {
        Self { min, max, step: Step::Whole }
    }

    /// What is expected, for a field that holds `used` (without its unit) until it is changed; `None` = nothing.
    fn complaint(self, unit: &str, used: Option<f64>) -> String {
        let kind = match self.step {
            Step::Any => "",
            Step::Whole => "a whole number from ",
        };
        let unit = if unit.is_empty() { String::new() } else { format!("\u{a0}{unit}") };
        let (min, max) = (shown(self.min), shown(self.max));
        match used {
            Some(used) => format!(
                "Must be {kind}{min} to {max}{unit}. Using {}{unit} until it is changed.",
                shown(used)
            ),
            None => format!("Must be {kind}{min} to {max}{unit}, or empty. Using none until it is changed."),
        }
    }

    fn number(self, text: &str) -> Option<f64> {
        let text: String = text.trim().replace(['\u{202f}', '\u{a0}', ' '], "").replace('\u{2212}', "-");
        let value = text.parse::<f64>().ok().or_else(|| without_commas(&text))?;
        let is_in =
            (self.min..=self.max).contains(&value) && (self.step == Step::Any || value.fract() == 0.0);
        is_in.then_some(value)
    }

    /// Reads what was typed.
    ///
    /// # Errors
    /// The sentence to be shown under the field, which holds `used` until it is changed.
    pub fn parse(self, text: &str, unit: &str, used: f64) -> Result<f64, String> {
        self.number(text).ok_or_else(|| self.complaint(unit, Some(used)))
    }

    /// The same for a field that may be empty, which is no number.
    ///
    /// # Errors
    /// As [`Range::parse`].
    pub fn parse_optional(self, text: &str, unit: &str, used: Option<f64>) -> Result<Option<f64>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        self.number(text).map(Some).ok_or_else(|| self.complaint(unit, used))
    }
}

/// A number whose thousands are separated by commas.
fn without_commas(text: &str) -> Option<f64> {
    let mut groups = text.split('.').next()?.trim_start_matches('-').split(',');
    let starts_well = groups.next().is_some_and(|first| (1..=3).contains(&first.len()));
    (starts_well && groups.all(|group| group.len() == 3))
        .then(|| text.replace(',', "").parse().ok())
        .flatten()
}

/// A value as a field shows it: plain digits that can be typed back.
#[must_use]
pub fn shown(value: f64) -> String {
    if value.abs() >= 1e15 { format!("{value:e}") } else { value.to_string() }
}

/// Reads a stretch of time in hours: `0 - 24`; nothing is all of it.
///
/// # Errors
/// What is expected.
pub fn parse_window(text: &str) -> Result<Option<[f64; 2]>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|hours| (0.0..1e9).contains(hours));
    let ends = text.split_once(['-', '–']).and_then(|(from, to)| Some([number(from)?, number(to)?]));
    ends.filter(|[from, to]| from < to).map(Some).ok_or_else(|| {
        "Two numbers of hours from the first submission, as in 0 - 24; nothing for all.".to_owned()
    })
}

/// Reads what weighs how much: `0.5: 5, 1: 75`. Nothing is no weight at all.
///
/// # Errors
/// What is expected.
pub fn parse_weights(text: &str) -> Result<Vec<(String, f64)>, String> {
    let pair = |part: &str| {
        let (what, weight) = part.rsplit_once([':', '='])?;
        let weight = weight.trim().parse::<f64>().ok().filter(|weight| (0.0..=1e6).contains(weight))?;
        (!what.trim().is_empty()).then(|| (what.trim().to_owned(), weight))
    };
    let parts = text.split([',', ';', '\n']).filter(|part| !part.trim().is_empty());
    parts
        .map(|part| {
            pair(part).ok_or_else(|| {
                format!(
                    "Found {:?}. Expected pairs with a weight from 0 to 1,000,000, as in a: 2, b: 1.",
                    part.trim()
                )
            })
        })
        .collect()
}

/// Weights as the field shows them.
#[must_use]
pub fn shown_weights<'a, W: std::fmt::Display>(weights: impl IntoIterator<Item = (W, &'a f64)>) -> String {
    weights
        .into_iter()
        .map(|(what, weight)| format!("{what}: {}", shown(*weight)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Reads seeds: whole numbers, separated by commas or blanks; `0-4` is 0, 1, 2, 3, 4.
///
/// # Errors
/// What is expected.
pub fn parse_seeds(text: &str) -> Result<Vec<u64>, String> {
    const MOST: usize = 1_000;
    let expected =
        || format!("Whole numbers separated by commas, each once; at most {}.", format::count(MOST as u64));
    let mut seeds: Vec<u64> = Vec::new();
    for part in text.split([',', ' ', ';', '\n', '\t']).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once(['-', '–']).unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) else {
            return Err(expected());
        };
        if last < first || last - first >= MOST as u64 {
            return Err(expected());
        }
        seeds.extend(first..=last);
    }
    let mut distinct = seeds.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() == seeds.len() && (1..=MOST).contains(&seeds.len()) {
        Ok(seeds)
    } else {
        Err(expected())
    }
}

/// Seeds as the field shows them.
#[must_use]
pub fn shown_seeds(seeds: &[u64]) -> String {
    seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let range = Range::any(-5.0, 2e6);
        for (text, value) in [
            ("360", 360.0),
            (" 1,482 ", 1482.0),
            ("1 000 000", 1e6),
            ("−4.5", -4.5),
            ("1e3", 1000.0),
            ("1,000.5", 1000.5),
        ] {
            assert_eq!(range.parse(text, "s", 1.0), Ok(value), "{text}");
        }
        for text in ["", "x", "NaN", "inf", "1,2", "3,45", "3e6", "-6", "1.2.3"] {
            assert!(range.parse(text, "s", 1.0).is_err(), "{text}");
        }
    }

    #[test]
    fn a_refusal_says_what_is_expected_and_what_is_used() {
        let said = Range::any(0.0, 168.0).parse("-4", "h", 4.0).unwrap_err();
        assert_eq!(said, "Must be 0 to 168\u{a0}h. Using 4\u{a0}h until it is changed.");
        let said = Range::whole(1.0, 8.0).parse("2.5", "", 2.0).unwrap_err();
        assert_eq!(said, "Must be a whole number from 1 to 8. Using 2 until it is changed.");
    }

    #[test]
    fn a_field_may_be_empty() {
        let range = Range::any(1.0, 9.0);
        assert_eq!(range.parse_optional(" ", "h", Some(4.0)), Ok(None));
        assert_eq!(range.parse_optional("2", "h", None), Ok(Some(2.0)));
        let said = range.parse_optional("0", "h", None).unwrap_err();
        assert_eq!(said, "Must be 1 to 9\u{a0}h, or empty. Using none until it is changed.");
    }

    #[test]
    fn a_window_is_two_numbers_of_hours() {
        assert_eq!(parse_window(" 0 - 24"), Ok(Some([0.0, 24.0])));
        assert_eq!(parse_window("1.5–2"), Ok(Some([1.5, 2.0])));
        assert_eq!(parse_window("  "), Ok(None));
        for text in ["24", "-1 - 4", "4 - 4", "5 - 4", "a - b", "0 - inf", "NaN - 4"] {
            assert!(parse_window(text).is_err(), "{text}");
        }
    }

    #[test]
    fn weights_are_pairs() {
        let pairs = vec![("LM (batch size 20)".to_owned(), 2.0), ("a".to_owned(), 0.5)];
        assert_eq!(parse_weights("LM (batch size 20): 2, a=0.5"), Ok(pairs.clone()));
        let text = shown_weights(pairs.iter().map(|(what, weight)| (what, weight)));
        assert_eq!(parse_weights(&text), Ok(pairs));
        assert_eq!(parse_weights(" "), Ok(vec![]));
        for text in ["a", "a: b", "a: -1", "a: NaN", ": 3"] {
            assert!(parse_weights(text).unwrap_err().contains(text.trim()), "{text}");
        }
    }

    #[test]
    fn seeds_are_listed_or_counted_up() {
        assert_eq!(parse_seeds("0, 1,2"), Ok(vec![0, 1, 2]));
        assert_eq!(parse_seeds("3 0-2"), Ok(vec![3, 0, 1, 2]));
        assert_eq!(parse_seeds(&shown_seeds(&[7, u64::MAX])), Ok(vec![7, u64::MAX]));
        for text in ["", "a", "-1", "1, 1", "5-2", "0-99999999999", "1.5"] {
            assert!(parse_seeds(text).is_err(), "{text}");
        }
    }
}
