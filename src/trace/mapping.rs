//! How the columns of a table make jobs: the settings by which any delimited file can be read.
//!
//! A [`Mapping`] is plain data. A scenario keeps it as `workload.trace.mapping`, the command line reads it with `--mapping
//! FILE.json`, and [`suggest`] proposes one for any table. The smallest names a submission and the GPUs:
//!
//! ```
//! # use sts_sim::trace::mapping::Mapping;
//! let mapping = Mapping::from_json(r#"{
//!     "table": {"delimiter": ";", "decimal": "comma"},
//!     "zone": "+08:00",
//!     "columns": {
//!         "id": "Job", "tenant": "Team",
//!         "submit": {"column": "Submitted", "unit": "date-dmy"},
//!         "duration": {"column": "Run time", "unit": "clock"},
//!         "gpus": {"column": "GPUs", "unit": "percent", "per": "node"},
//!         "nodes": 7
//!     }
//! }"#)?;
//! # assert_eq!(mapping.check(), Ok(()));
//! # Ok::<(), sts_sim::trace::mapping::MappingError>(())
//! ```
//!
//! Rules that hold for every mapping: arrivals are a time (`submit`) or the gaps between jobs (`interval`), whose running sum is
//! the submission; the run time is end − start where a row has both, else `duration`; a job without either stays a job without a
//! run time; cells that say "no value" are listed in `table.missing`.

mod columns;
mod date;
mod guess;
mod numbers;
mod preview;
mod quantity;
mod reader;
mod zone;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub use columns::{
    ColumnRef, Columns, Gap, GapColumn, GpuColumn, GpuUnit, MemoryColumn, MemoryUnit, NoGpus, Per,
    TimeColumn, TimeUnit,
};
pub(super) use guess::suggest_in;
pub use guess::{Reason, Suggestion, suggest};
pub use preview::{Preview, PreviewJob, PreviewRow, Understood, preview};
pub(super) use reader::{fits, header, layout, notes, open};
pub use zone::Zone;

use crate::trace::rows::MAX_COLUMNS;

/// How a table is written and what its columns are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Mapping {
    /// Delimiter, header, quotes, comments, decimals and missing values.
    #[serde(default)]
    pub table: TableForm,
    /// The zone of times that are printed without one.
    #[serde(default)]
    pub zone: Zone,
    /// What each column is.
    pub columns: Columns,
}

/// How a table is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableForm {
    /// What separates fields: one ASCII character other than a quote, a digit or a line end.
    pub delimiter: char,
    /// Whether the first row names the columns.
    pub header: HeaderRow,
    /// Whether `"` encloses fields.
    pub quotes: QuoteMark,
    /// Lines that begin with this ASCII character are no rows; `null` = there are no comments.
    pub comment: Option<char>,
    /// The mark between whole number and fraction.
    pub decimal: DecimalMark,
    /// The mark between groups of three digits of a whole number.
    pub thousands: ThousandsMark,
    /// Lines before the table, such as titles and `sep=;`.
    pub skip_lines: u32,
    /// What stands in a cell that has no value, without blanks around it.
    pub missing: Vec<String>,
}

/// Words that say "no value" unless a mapping lists others.
pub const MISSING: [&str; 16] = [
    "", "-", "--", "-1", "None", "none", "NaN", "nan", "null", "NULL", "NA", "N/A", "n/a", "Unknown", "NaT",
    "\\N",
];
/// The most words for "no value" a mapping may list.
const MOST_MISSING: usize = 64;

impl Default for TableForm {
    fn default() -> Self {
        Self {
            delimiter: ',',
            header: HeaderRow::First,
            quotes: QuoteMark::Double,
            comment: Some('#'),
            decimal: DecimalMark::Point,
            thousands: ThousandsMark::None,
            skip_lines: 0,
            missing: MISSING.map(str::to_owned).to_vec(),
        }
    }
}

/// Whether a table names its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeaderRow {
    /// In its first row.
    #[default]
    First,
    /// It does not; columns are known by their numbers.
    None,
}

/// What may enclose a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteMark {
    /// `"`, doubled inside, as in RFC 4180.
    #[default]
    Double,
    /// Nothing: `"` is a character like any other.
    None,
}

/// The mark between whole number and fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecimalMark {
    /// `1.5`
    #[default]
    Point,
    /// `1,5`
    Comma,
}

/// The mark between thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThousandsMark {
    /// `1234567`
    #[default]
    None,
    /// `1,234,567`
    Comma,
    /// `1.234.567`
    Point,
    /// `1 234 567`, also with a no-break space.
    Blank,
    /// `1'234'567`
    Apostrophe,
}

impl ThousandsMark {
    /// The character; a blank stands for all kinds of it.
    pub(super) fn mark(self) -> Option<char> {
        match self {
            Self::None => None,
            Self::Comma => Some(','),
            Self::Point => Some('.'),
            Self::Blank => Some(' '),
            Self::Apostrophe => Some('\''),
        }
    }
}

/// The most lines before a table.
const MOST_SKIPPED: u32 = 1000;

/// A value of a mapping that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{path}: found {found}, expected {expected}")]
pub struct MappingError {
    /// JSON path in the mapping.
    pub path: String,
    /// What was found.
    pub found: String,
    /// What is allowed.
    pub expected: String,
}

impl MappingError {
    fn new(path: &str, found: impl std::fmt::Display, expected: &str) -> Self {
        Self { path: path.to_owned(), found: found.to_string(), expected: expected.to_owned() }
    }
}

impl Mapping {
    /// Reads a mapping file. Unknown keys and values that cannot be used are errors.
    ///
    /// # Errors
    /// The first [`MappingError`], naming the JSON path.
    pub fn from_json(text: &str) -> Result<Self, MappingError> {
        let mut unknown = BTreeSet::new();
        let mut track = serde_path_to_error::Track::new();
        let mut json = serde_json::Deserializer::from_str(text);
        let mut note = |path: serde_ignored::Path<'_>| {
            unknown.insert(path.to_string());
        };
        let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
        let broken = |path: String, error: serde_json::Error| {
            MappingError::new(&path, error, "a mapping, as `sts import --suggest-mapping` prints one")
        };
        let mapping: Self = serde_ignored::deserialize(tracked, &mut note)
            .map_err(|error| broken(track.path().to_string(), error))?;
        json.end().map_err(|error| broken(".".to_owned(), error))?;
        if let Some(path) = unknown.first() {
            return Err(MappingError::new(path, "a key that is not known", "only keys of a mapping"));
        }
        mapping.check()?;
        Ok(mapping)
    }

    /// The mapping as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Checks every value that can be checked without the table.
    ///
    /// # Errors
    /// The first [`MappingError`].
    pub fn check(&self) -> Result<(), MappingError> {
        self.faults().into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is wrong with it, in the order of its keys.
    #[must_use]
    pub fn faults(&self) -> Vec<MappingError> {
        let mut faults = self.table.faults();
        if self.zone.rules().is_none() {
            faults.push(MappingError::new("zone", format!("{:?}", self.zone.text()), zone::EXPECTED));
        }
        faults.extend(self.columns.faults());
        faults
    }
}

impl TableForm {
    fn faults(&self) -> Vec<MappingError> {
        let mut faults = Vec::new();
        let is_mark =
            |mark: char| mark.is_ascii() && !mark.is_ascii_alphanumeric() && !"\"\r\n\0.".contains(mark);
        if !is_mark(self.delimiter) {
            let expected = "one ASCII character that is no letter, digit, point, quote or line end";
            faults.push(MappingError::new("table.delimiter", format!("{:?}", self.delimiter), expected));
        }
        if let Some(mark) = self.comment
            && (!is_mark(mark) || mark == self.delimiter)
        {
            let expected =
                "one ASCII character that is no letter, digit or quote and not the delimiter, or null";
            faults.push(MappingError::new("table.comment", format!("{mark:?}"), expected));
        }
        if self.decimal == DecimalMark::Comma && self.delimiter == ',' && self.quotes == QuoteMark::None {
            let expected = "point, since the comma separates fields and nothing encloses them";
            faults.push(MappingError::new("table.decimal", "comma", expected));
        }
        let is_decimal = |mark| match self.decimal {
            DecimalMark::Point => mark == ThousandsMark::Point,
            DecimalMark::Comma => mark == ThousandsMark::Comma,
        };
        if is_decimal(self.thousands) {
            let found = if self.thousands == ThousandsMark::Point { "point" } else { "comma" };
            faults.push(MappingError::new("table.thousands", found, "another mark than that of decimals"));
        }
        if self.skip_lines > MOST_SKIPPED {
            faults.push(MappingError::new("table.skip_lines", self.skip_lines, "at most 1000 lines"));
        }
        if self.missing.len() > MOST_MISSING {
            let found = format!("{} words", self.missing.len());
            faults.push(MappingError::new("table.missing", found, "at most 64 words"));
        }
        faults
    }
}

/// Whether a column's number is possible.
fn is_column_number(number: u32) -> bool {
    (1..=MAX_COLUMNS as u32).contains(&number)
}
