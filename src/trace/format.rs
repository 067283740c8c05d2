//! The formats: one file each, and the table of all of them.
//!
//! To add one: write `format/<name>.rs` with a `pub(super) static FORMAT: Format`, name it in `FORMATS`, and add a fixture
//! and its figures to `tests/import/`.

mod acme;
mod batsim;
mod chronus;
mod dlrm;
mod elasticflow;
mod gavel;
mod generic_csv;
mod helios_csv;
mod k8s_json;
mod muri;
mod openb;
mod pai;
mod pbs;
mod philly_json;
mod pollux;
mod sacct;
mod sacct_json;
mod shockwave;
mod spot;
pub mod sts_csv;
pub mod sts_json;
mod supercloud;
mod swf;
mod tiresias;
mod titan;
mod tres;

use std::rc::Rc;

use serde::{Deserialize, Serialize};

pub(super) use generic_csv::mapping_of;
pub(super) use k8s_json::{PRODUCT_LABELS as GPU_LABELS, is_gpu as is_kubernetes_gpu};
pub use sacct::SACCT_COMMAND;
pub(super) use tres::{is_slice, kind_and_count};

use crate::trace::elements::{ArrayAt, Place};
use crate::trace::intake::{Closing, Fault, Intake, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::report::ColumnRead;
use crate::trace::rows::{Cells, Comments, Dialect, Header, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value::Notes;

/// Every format that can be read, in the order in which they are listed and tried.
static FORMATS: &[&Format] = &[
    &sts_csv::FORMAT,
    &sts_json::FORMAT,
    &philly_json::FORMAT,
    &helios_csv::FORMAT,
    &acme::SEREN,
    &acme::KALOS,
    &pai::FORMAT,
    &openb::FORMAT,
    &dlrm::FORMAT,
    &spot::FORMAT,
    &elasticflow::FORMAT,
    &tiresias::FORMAT,
    &muri::FORMAT,
    &chronus::FORMAT,
    &titan::FORMAT,
    &pollux::FORMAT,
    &shockwave::FORMAT,
    &gavel::FORMAT,
    &swf::FORMAT,
    &batsim::FORMAT,
    &sacct::FORMAT,
    &sacct_json::FORMAT,
    &pbs::FORMAT,
    &supercloud::FORMAT,
    &k8s_json::FORMAT,
    &generic_csv::FORMAT,
];

/// The format that is read by a mapping.
pub const MAPPED: &str = "generic-csv";

/// A score from which a format is taken without being named.
pub(super) const SURE_ENOUGH: u8 = 50;
/// A score that only a file with everything a format is known by has.
pub(super) const SURE: u8 = 90;

/// One trace format.
#[derive(Debug, Serialize)]
pub struct Format {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Its name in prose.
    pub title: &'static str,
    /// Where such files come from and how they are read.
    pub help: &'static str,
    /// The columns, or members, that are read.
    pub columns: &'static [Column],
    #[serde(skip)]
    pub(super) detect: fn(&Sample<'_>) -> Option<Evidence>,
    #[serde(skip)]
    pub(super) shape: Shape,
}

/// One column of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name in the file.
    pub name: &'static str,
    /// The unit of its values; `null` for texts.
    pub unit: Option<&'static str>,
    /// Whether a file without it is refused.
    pub required: bool,
    /// What stands in for a missing value; `null` when there is none.
    pub default: Option<&'static str>,
    /// The values it may have; `null` for any text.
    pub range: Option<&'static str>,
    /// What it means.
    pub help: &'static str,
}

impl Column {
    /// A column of texts.
    const fn text(name: &'static str, help: &'static str) -> Self {
        Self { name, unit: None, required: false, default: None, range: None, help }
    }

    /// A column of numbers or times.
    const fn number(
        name: &'static str,
        unit: Option<&'static str>,
        range: &'static str,
        help: &'static str,
    ) -> Self {
        Self { range: Some(range), unit, ..Self::text(name, help) }
    }

    /// A column of GPUs of the whole job.
    const fn gpus(name: &'static str, help: &'static str) -> Self {
        Self::number(name, Some("GPUs"), "0 to 65536", help)
    }

    /// A column of run times in seconds.
    const fn seconds(name: &'static str, help: &'static str) -> Self {
        Self::number(name, Some("s"), "0 to 3155760000", help)
    }

    /// A file without it is refused.
    const fn needed(self) -> Self {
        Self { required: true, ..self }
    }

    /// What stands in for a missing value.
    const fn or(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }
}

impl Format {
    /// Which of its columns a table has. Of formats in several tables, and of mapped ones, nothing is said: their columns are not
    /// those of one header.
    pub(super) fn columns_in(&self, header: &Header) -> Vec<ColumnRead> {
        if !matches!(self.shape, Shape::Table { .. }) {
            return Vec::new();
        }
        let read = |column: &Column| ColumnRead {
            name: column.name.to_owned(),
            found: header.find(column.name).is_some(),
            help: column.help.to_owned(),
            otherwise: column.default.map(str::to_owned),
        };
        // A table without names is read by position.
        if !self.columns.iter().any(|column| header.find(column.name).is_some()) {
            return Vec::new();
        }
        // What is needed and not there is there by another name.
        let known =
            self.columns.iter().filter(|column| !column.required || header.find(column.name).is_some());
        known.map(read).collect()
    }
}

/// Why a file is taken to be of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evidence {
    /// 0 to 100.
    pub(super) score: u8,
    /// What was seen.
    pub(super) text: String,
}

/// A format that a file may be in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detection {
    /// The format's name.
    pub format: String,
    /// How well it fits, 0 to 100.
    pub score: u8,
    /// What in the file says so.
    pub evidence: String,
}

/// How files of a format are cut into records, and how records are read.
pub(super) enum Shape {
    /// A text table.
    Table {
        /// Its dialect, and its columns if the file does not name them.
        layout: fn(&Sample<'_>) -> Layout,
        /// Makes a reader for a table with these columns.
        open: fn(&Header) -> Result<Box<dyn RowReader>, Refusal>,
    },
    /// Several text tables that make one trace, in any order.
    Tables {
        /// The dialect of a table, and its columns if it does not name them.
        layout: fn(&Sample<'_>) -> Layout,
        /// Begins to join them.
        begin: fn() -> Rc<dyn Join>,
    },
    /// JSON with an array of jobs.
    Json {
        /// Where the array is.
        array: ArrayAt,
        /// Makes a reader.
        open: fn() -> Box<dyn ElementReader>,
    },
    /// A text table whose columns a mapping describes.
    Mapped,
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Table { .. } => "Table",
            Self::Tables { .. } => "Tables",
            Self::Json { .. } => "Json",
            Self::Mapped => "Mapped",
        })
    }
}

/// The layout of a text table.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) dialect: Dialect,
    /// The columns of a file without a header.
    pub(super) columns: Option<Columns>,
    pub(super) uneven: Uneven,
}

/// The columns of a file that does not name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Columns {
    /// Those of a published layout.
    Known(&'static [&'static str]),
    /// Guessed from what they hold; the empty text is a column of unknown meaning. The report shows the guess.
    Guessed(Vec<&'static str>),
}

impl Columns {
    /// Their names from the first.
    pub(super) fn names(&self) -> &[&'static str] {
        match self {
            Self::Known(names) => names,
            Self::Guessed(names) => names,
        }
    }
}

/// What to do with rows that have another number of fields than the table has columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Uneven {
    /// They are rejected.
    Reject,
    /// A short row goes on in the next line (a text in it holds a line end); a long one is left to the reader.
    Mend,
    /// They are left to the reader.
    Keep,
}

impl Layout {
    /// A table with a header, RFC 4180 quotes and `#` comments, whose delimiter is what its header uses.
    pub(super) fn csv(sample: &Sample<'_>) -> Self {
        let delimiter = sample.delimiter();
        let dialect =
            Dialect { delimiter, second: None, quotes: Quotes::Double, comments: Comments::Hash, skip: 0 };
        Self { dialect, columns: None, uneven: Uneven::Reject }
    }
}

/// Reads the rows of one table.
pub(super) trait RowReader {
    /// What one row says.
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault>;

    /// Whether a line that is too short for a row begins one, rather than going on with the one above.
    fn begins(&self, _line: &Cells<'_>) -> bool {
        true
    }

    /// The column by which [`begins`](Self::begins) tells.
    fn teller(&self) -> usize {
        0
    }

    /// Takes a comment, in formats that say things in them ([`Comments::Semicolon`]).
    fn comment(&mut self, _line: &[u8]) {}

    /// Called once at the end of the table.
    fn close(&mut self) -> Closing {
        Closing::default()
    }
}

/// Tables that make one trace together. What is read of one is kept until all are read.
pub(super) trait Join {
    /// Makes a reader for the table with these columns, which is in this file.
    fn open(&self, file: &str, header: &Header) -> Result<Box<dyn RowReader>, Refusal>;

    /// Books the jobs that all tables together describe. Called once, after the last file.
    fn finish(&self, intake: &mut Intake) -> Result<(), Refusal>;
}

/// Reads the elements of one JSON document.
pub(super) trait ElementReader {
    /// A member of the document beside the array; most formats have none that matters.
    fn member(&mut self, _at: Place, _name: &str, _value: &str) -> Result<(), Refusal> {
        Ok(())
    }

    /// A member of the object beside the array, where the format has one ([`ArrayAt::MemberBeside`]).
    fn entry(&mut self, _name: &str, _value: &str) {}

    /// What one element says.
    fn element<'e>(&mut self, element: &'e str, notes: &Notes) -> Result<Verdict<'e>, Fault>;

    /// Called once at the end of the document.
    fn close(&mut self) -> Closing {
        Closing::default()
    }
}

/// All formats.
#[must_use]
pub fn formats() -> &'static [&'static Format] {
    FORMATS
}

/// The names of all formats, for messages.
pub(super) fn names() -> String {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    names.join(", ")
}

/// The format called `name`.
pub(super) fn find(name: &str) -> Result<&'static Format, Refusal> {
    FORMATS
        .iter()
        .copied()
        .find(|format| format.name == name)
        .ok_or_else(|| Refusal::UnknownFormat { found: name.to_owned() })
}

/// The formats a file may be in, best first, by its first 64 kB.
#[must_use]
pub fn detect(head: &[u8]) -> Vec<Detection> {
    detect_in(&Sample::new(head))
}

pub(super) fn detect_in(sample: &Sample<'_>) -> Vec<Detection> {
    let mut found: Vec<Detection> = FORMATS
        .iter()
        .filter_map(|format| {
            (format.detect)(sample).map(|evidence| Detection {
                format: format.name.to_owned(),
                score: evidence.score,
                evidence: evidence.text,
            })
        })
        .collect();
    found.sort_by_key(|detection| std::cmp::Reverse(detection.score));
    found
}

/// Evidence for a table whose header has all of `needed`: sure if it has one of `telling` as well, or nothing is telling.
pub(super) fn columns_evidence(
    sample: &Sample<'_>,
    needed: &[&str],
    telling: &[&str],
    foreign: &[&str],
) -> Option<Evidence> {
    let header = sample.header();
    let has = |name: &&&str| header.find(name).is_some();
    if needed.iter().filter(has).count() < needed.len() || foreign.iter().any(|name| has(&name)) {
        return None;
    }
    let seen: Vec<&str> = telling.iter().filter(has).copied().collect();
    let score = if telling.is_empty() || !seen.is_empty() { 95 } else { 60 };
    let columns: Vec<&str> = needed.iter().copied().chain(seen).collect();
    Some(Evidence { score, text: format!("its header has {}", columns.join(", ")) })
}

/// The positions of the columns a format cannot do without.
pub(super) fn need<const N: usize>(
    format: &Format,
    header: &Header,
    names: [&str; N],
    advice: &str,
) -> Result<[usize; N], Refusal> {
    let missing: Vec<&str> = names.into_iter().filter(|name| header.find(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(names.map(|name| header.find(name).unwrap_or(usize::MAX)));
    }
    Err(Refusal::MissingColumns {
        format: format.name.into(),
        missing: format!("the columns {}", missing.join(", ")),
        found: header.list(),
        advice: advice.into(),
    })
}
