//! Which column is what, and in which unit.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{MappingError, is_column_number};

/// The column of each role; `null` where the table has none.
///
/// Needed are `gpus` and one of `submit` and `interval`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Columns {
    /// The job's id, any text. Without it the record's number.
    pub id: Option<ColumnRef>,
    /// Who is charged: virtual cluster, account, queue. Without it the user.
    pub tenant: Option<ColumnRef>,
    /// Who submitted it.
    pub user: Option<ColumnRef>,
    /// When it was submitted.
    pub submit: Option<TimeColumn>,
    /// Instead of `submit`: the time between two submissions, in the order of the file.
    pub interval: Option<GapColumn>,
    /// When the traced scheduler started it.
    pub start: Option<TimeColumn>,
    /// When it ended.
    pub end: Option<TimeColumn>,
    /// How long it ran.
    pub duration: Option<TimeColumn>,
    /// The run time it asked for.
    pub limit: Option<TimeColumn>,
    /// What it asks for.
    pub gpus: Option<GpuColumn>,
    /// On how many nodes; needed for GPUs per node.
    pub nodes: Option<ColumnRef>,
    /// By how many equal workers; needed for GPUs per worker.
    pub workers: Option<ColumnRef>,
    /// The GPU types it may use, alternatives separated by `|`.
    pub gpu_type: Option<ColumnRef>,
    /// The model trained.
    pub model: Option<ColumnRef>,
    /// How it ended, in any scheduler's words.
    pub state: Option<ColumnRef>,
    /// Memory needed on each device.
    pub memory: Option<MemoryColumn>,
}

/// A column by its name, whatever the case, or by its number from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef {
    /// By name.
    Name(String),
    /// By number, from 1.
    Number(u32),
}

impl Default for ColumnRef {
    fn default() -> Self {
        Self::Number(1)
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Number(number) => write!(f, "number {number}"),
        }
    }
}

impl Serialize for ColumnRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Number(number) => serializer.serialize_u32(*number),
        }
    }
}

impl<'de> Deserialize<'de> for ColumnRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrNumber;

        impl Visitor<'_> for NameOrNumber {
            type Value = ColumnRef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a column's name, or its number from 1")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<ColumnRef, E> {
                Ok(ColumnRef::Name(name.to_owned()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<ColumnRef, E> {
                u32::try_from(number)
                    .map(ColumnRef::Number)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }
        }

        deserializer.deserialize_any(NameOrNumber)
    }
}

/// A column of times or of spans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeColumn {
    /// Which.
    pub column: ColumnRef,
    /// How its values are written.
    pub unit: TimeUnit,
}

/// How times and spans are written. A number counts from any origin; seconds since 1970 are recognised as dates by their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// Minutes.
    Min,
    /// Hours.
    H,
    /// Days.
    D,
    /// `[D-]HH:MM:SS`, `h:mm:ss` with any number of hours, `MM:SS`, `N days HH:MM:SS`, `1d 2h 3m 4s` in these and in longer words,
    /// or ISO 8601's `P1DT2H3M4S`; seconds may have a fraction.
    Clock,
    /// As the clock, but what has two parts is `HH:MM`.
    ClockHm,
    /// A date as year, month, day, with a time of day and an offset where there are any: ISO 8601 and its looser forms; or one in
    /// which the month has a name: `Mar 3 2025 08:22:11`, `Mon, 03 Mar 2025 08:22:11 +0100`, `Mon Mar  3 08:22:11 2025`.
    Date,
    /// A date as day, month, year.
    DateDmy,
    /// A date as month, day, year.
    DateMdy,
    /// Days since 30 December 1899, as spreadsheets count them, with the time of day as a fraction.
    Serial,
}

impl TimeUnit {
    /// Every unit, the short ones first.
    pub const ALL: [Self; 13] = [
        Self::Ns,
        Self::Us,
        Self::Ms,
        Self::S,
        Self::Min,
        Self::H,
        Self::D,
        Self::Clock,
        Self::ClockHm,
        Self::Date,
        Self::DateDmy,
        Self::DateMdy,
        Self::Serial,
    ];

    /// Its word in a mapping.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "us",
            Self::Ms => "ms",
            Self::S => "s",
            Self::Min => "min",
            Self::H => "h",
            Self::D => "d",
            Self::Clock => "clock",
            Self::ClockHm => "clock-hm",
            Self::Date => "date",
            Self::DateDmy => "date-dmy",
            Self::DateMdy => "date-mdy",
            Self::Serial => "serial",
        }
    }

    /// The unit with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.word() == word)
    }

    /// Whether it is a date rather than a number or a span.
    #[must_use]
    pub fn is_date(self) -> bool {
        matches!(self, Self::Date | Self::DateDmy | Self::DateMdy | Self::Serial)
    }
}

/// The column of the time between two submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapColumn {
    /// Which.
    pub column: ColumnRef,
    /// How its values are written; no date.
    pub unit: TimeUnit,
    /// Which gap it is.
    #[serde(default)]
    pub to: Gap,
}

/// Which gap a row states. A missing gap counts as none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// That from the job above to this one.
    #[default]
    Previous,
    /// That from this job to the one below.
    Next,
}

/// The column of GPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuColumn {
    /// Which.
    pub column: ColumnRef,
    /// What 1 stands for.
    #[serde(default)]
    pub unit: GpuUnit,
    /// What the number is for: the job, or each of its nodes or workers.
    #[serde(default)]
    pub per: Per,
    /// What a missing number means.
    #[serde(default)]
    pub missing: NoGpus,
}

/// What 1 stands for in a column of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GpuUnit {
    /// A GPU.
    #[default]
    Count,
    /// A hundredth of a GPU.
    Percent,
    /// A thousandth of a GPU.
    Milli,
}

/// What a number of GPUs is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// The whole job.
    #[default]
    Job,
    /// Each of its nodes.
    Node,
    /// Each of its workers.
    Worker,
}

/// What a missing number of GPUs means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoGpus {
    /// The row is rejected.
    #[default]
    Reject,
    /// The job has no GPU; it is counted and not simulated.
    Zero,
}

/// The column of memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryColumn {
    /// Which.
    pub column: ColumnRef,
    /// What 1 stands for.
    #[serde(default)]
    pub unit: MemoryUnit,
}

/// What 1 stands for in a column of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryUnit {
    /// 1000 MB.
    #[default]
    Gb,
    /// 2^30 bytes.
    Gib,
    /// A million bytes.
    Mb,
    /// 2^20 bytes.
    Mib,
}

impl Columns {
    /// Every role that has a column: its key in the mapping and the column.
    #[must_use]
    pub fn roles(&self) -> Vec<(&'static str, &ColumnRef)> {
        let roles = [
            ("id", self.id.as_ref()),
            ("tenant", self.tenant.as_ref()),
            ("user", self.user.as_ref()),
            ("submit", self.submit.as_ref().map(|of| &of.column)),
            ("interval", self.interval.as_ref().map(|of| &of.column)),
            ("start", self.start.as_ref().map(|of| &of.column)),
            ("end", self.end.as_ref().map(|of| &of.column)),
            ("duration", self.duration.as_ref().map(|of| &of.column)),
            ("limit", self.limit.as_ref().map(|of| &of.column)),
            ("gpus", self.gpus.as_ref().map(|of| &of.column)),
            ("nodes", self.nodes.as_ref()),
            ("workers", self.workers.as_ref()),
            ("gpu_type", self.gpu_type.as_ref()),
            ("model", self.model.as_ref()),
            ("state", self.state.as_ref()),
            ("memory", self.memory.as_ref().map(|of| &of.column)),
        ];
        roles.into_iter().filter_map(|(role, column)| Some((role, column?))).collect()
    }

    pub(super) fn faults(&self) -> Vec<MappingError> {
        let mut faults = Vec::new();
        match (&self.submit, &self.interval) {
            (None, None) => faults.push(MappingError::new(
                "columns.submit",
                "null",
                "the column of submissions, or columns.interval for the gaps between them",
            )),
            (Some(_), Some(_)) => {
                let expected = "null, since columns.submit says when jobs are submitted";
                faults.push(MappingError::new("columns.interval", "a column", expected));
            }
            _ => {}
        }
        if self.gpus.is_none() {
            faults.push(MappingError::new("columns.gpus", "null", "the column of GPUs"));
        }
        let spans = [
            ("columns.interval.unit", self.interval.as_ref().map(|of| of.unit)),
            ("columns.duration.unit", self.duration.as_ref().map(|of| of.unit)),
            ("columns.limit.unit", self.limit.as_ref().map(|of| of.unit)),
        ];
        for (path, unit) in spans {
            if let Some(unit) = unit.filter(|unit| unit.is_date()) {
                faults.push(MappingError::new(path, unit.word(), "ns, us, ms, s, min, h, d or clock"));
            }
        }
        match self.gpus.as_ref().map(|gpus| gpus.per) {
            Some(Per::Node) if self.nodes.is_none() => {
                faults.push(MappingError::new(
                    "columns.nodes",
                    "null",
                    "the column of nodes, for GPUs per node",
                ));
            }
            Some(Per::Worker) if self.workers.is_none() => {
                let expected = "the column of workers, for GPUs per worker";
                faults.push(MappingError::new("columns.workers", "null", expected));
            }
            _ => {}
        }
        for (role, column) in self.roles() {
            match column {
                ColumnRef::Number(number) if !is_column_number(*number) => {
                    let path = format!("columns.{role}");
                    faults.push(MappingError::new(&path, number, "a column's number from 1 to 1024"));
                }
                ColumnRef::Number(_) | ColumnRef::Name(_) => {}
            }
        }
        faults
    }
}
