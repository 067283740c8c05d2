//! The zone of times that are printed without one.

use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};

/// What a zone may be.
pub(super) const EXPECTED: &str = "UTC, an offset as +08:00, or a rule as PST8PDT,M3.2.0,M11.1.0 (standard time, summer time, and when each begins)";

/// A zone, as text: `UTC`, an offset east of UTC (`+08:00`, `UTC-5`), or a rule with summer time as POSIX writes it
/// (`PST8PDT,M3.2.0,M11.1.0`; its hours count west).
///
/// Names of cities are not known: their rules change from year to year and would have to be shipped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Zone(String);

impl Default for Zone {
    fn default() -> Self {
        Self("UTC".to_owned())
    }
}

impl Zone {
    /// Zones to choose from: their text and what they are called. The rules are those in force since 2007 (America) and 1996
    /// (Europe).
    pub const COMMON: [(&str, &str); 12] = [
        ("UTC", "UTC, as printed"),
        ("PST8PDT,M3.2.0,M11.1.0", "US Pacific"),
        ("MST7MDT,M3.2.0,M11.1.0", "US Mountain"),
        ("CST6CDT,M3.2.0,M11.1.0", "US Central"),
        ("EST5EDT,M3.2.0,M11.1.0", "US Eastern"),
        ("GMT0BST,M3.5.0/1,M10.5.0", "United Kingdom"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "Central Europe"),
        ("EET-2EEST,M3.5.0/3,M10.5.0/4", "Eastern Europe"),
        ("+05:30", "India"),
        ("+08:00", "China, Singapore"),
        ("+09:00", "Japan, Korea"),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "Eastern Australia"),
    ];

    /// A zone from its text; [`Mapping::check`](super::Mapping::check) says whether it is one.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// When it has which offset; `None` if the text is no zone.
    pub(in crate::trace) fn rules(&self) -> Option<TimeZone> {
        let text = self.0.trim();
        if text.contains(',') {
            return TimeZone::posix(text).ok();
        }
        offset_s(text).and_then(|seconds| Offset::from_seconds(seconds).ok()).map(TimeZone::fixed)
    }
}

/// The offset that a text such as `UTC`, `+08:00`, `-0530` or `UTC+8` states, in seconds east of UTC.
fn offset_s(text: &str) -> Option<i32> {
    let named = ["UTC", "GMT", "Z"].iter().find_map(|name| text.strip_prefix(name));
    let rest = named.unwrap_or(text).trim_start();
    if rest.is_empty() {
        return named.map(|_| 0);
    }
    let (sign, clock) = match rest.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let (hours, minutes) = match (clock.split_once(':'), clock.len()) {
        (Some(parts), _) => parts,
        (None, 4) => clock.split_at_checked(2)?,
        (None, _) => (clock, "0"),
    };
    let part = |text: &str, most: i32| {
        let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i32>().ok().filter(|&value| is_short && value <= most)
    };
    Some(sign * (part(hours, 18)? * 3600 + part(minutes, 59)? * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_east_of_utc_however_they_are_written() {
        for (text, seconds) in [
            ("UTC", 0),
            ("Z", 0),
            ("+08:00", 28_800),
            ("UTC+8", 28_800),
            ("GMT -5", -18_000),
            ("-0530", -19_800),
            ("+5:45", 20_700),
        ] {
            assert_eq!(offset_s(text), Some(seconds), "{text}");
        }
        for wrong in ["", "8", "PST", "+", "+25", "+08:60", "+8:0:0", "UTC8", "Europe/Berlin", "+١"] {
            assert!(Zone::new(wrong).rules().is_none(), "{wrong}");
        }
    }

    #[test]
    fn every_zone_offered_is_one() {
        for (text, name) in Zone::COMMON {
            assert!(Zone::new(text).rules().is_some(), "{name}");
        }
        assert!(Zone::new("PST8PDT,M3.2.0,nonsense").rules().is_none());
    }
}
