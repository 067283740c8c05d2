//! The words of the window in which it is said how a file is read.

use super::counted;
use crate::chart::format;
use crate::trace::Rejected;
use crate::trace::mapping::{ColumnRef, MappingError, TimeUnit, Understood};
use crate::units::is_date;
use crate::workload::Outcome;

/// The title of the window in which it is said how files are read.
pub const TITLE: &str = "How this file is read";
/// The button that opens it.
pub const OPEN: &str = "Change how it is read";
/// The button in a refusal.
pub const CHOOSE: &str = "Say what its columns are";
/// While the file is being looked at.
pub const LOOKING: &str = "Looking at the beginning of the file.";
/// No row of the preview makes a job.
pub const NO_ROW_READABLE: &str = "No row can be read so. The table below says why.";
/// The evidence of a table whose columns could not be guessed.
pub const NOT_GUESSED: &str = "its columns could not all be recognised; say below what they are";
/// A role without a column.
pub const NO_COLUMN: &str = "(none)";
/// What the preview is of.
pub const PREVIEW_ABOUT: &str = "Of the first 64 kB. Large: as it stands. Small: as it is understood.";
/// A mapping is kept.
pub const SAVED: &str = "The choice is saved with the scenario and its link.";

/// The number of a format's evidence: `95 of 100`.
#[must_use]
pub fn score(score: u8) -> String {
    format!("{score} of 100")
}

/// Rows of the preview that make jobs.
#[must_use]
pub fn readable(readable: u64, read: u64) -> String {
    format!("{} of {} readable", format::count(readable), counted(read, "row", "rows"))
}

/// A column of a table without a name.
#[must_use]
pub fn nameless(number: usize) -> String {
    format!("column {number}")
}

/// A column of a mapping.
#[must_use]
pub fn column(column: &ColumnRef) -> String {
    match column {
        ColumnRef::Name(name) => name.clone(),
        ColumnRef::Number(number) => nameless(*number as usize),
    }
}

/// A mapping names a column that is not there.
#[must_use]
pub fn not_in_table(missing: &ColumnRef) -> String {
    format!("The table has no {}.", column(missing))
}

/// What was expected, as a sentence.
#[must_use]
pub fn expected(expected: &str) -> String {
    format!("Expected {expected}.")
}

/// What is wrong with a mapping: the first thing.
#[must_use]
pub fn fault(fault: &MappingError) -> String {
    let mut path = fault.path.split('.');
    let name = match (path.next(), path.next()) {
        (Some("columns"), Some(role)) => self::role(role),
        _ => control(&fault.path),
    };
    format!("{name}: expected {}.", fault.expected)
}

/// A role by its key in a mapping.
#[must_use]
pub fn role(key: &str) -> &'static str {
    match key {
        "submit" => "Submitted",
        "interval" => "Interval",
        "gpus" => "GPUs",
        "duration" => "Run time",
        "start" => "Started",
        "end" => "Ended",
        "id" => "Job",
        "tenant" => "Tenant",
        "user" => "User",
        "state" => "State",
        "gpu_type" => "GPU type",
        "model" => "Model",
        "nodes" => "Nodes",
        "workers" => "Workers",
        "memory" => "Memory a device",
        "limit" => "Time limit",
        _ => "",
    }
}

/// A control of the mapping by its key.
#[must_use]
pub fn control(key: &str) -> &'static str {
    match key {
        "table.delimiter" => "Fields are separated by",
        "table.header" => "Names of columns",
        "table.quotes" => "Quotes around fields",
        "table.comment" => "Comments",
        "table.decimal" => "Decimals",
        "table.thousands" => "Thousands",
        "table.skip_lines" => "Lines before",
        "table.missing" => "No value is written",
        "zone" => "Times without a zone are in",
        "columns.interval.to" => "What it says",
        "columns.gpus.per" => "The number is",
        "columns.gpus.missing" => "An empty cell",
        key if key.ends_with(".unit") => "Unit",
        _ => "Column",
    }
}

/// A unit of times and spans.
#[must_use]
pub fn time_unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ns => "Nanoseconds",
        TimeUnit::Us => "Microseconds",
        TimeUnit::Ms => "Milliseconds",
        TimeUnit::S => "Seconds",
        TimeUnit::Min => "Minutes",
        TimeUnit::H => "Hours",
        TimeUnit::D => "Days",
        TimeUnit::Clock => "[D-]HH:MM:SS",
        TimeUnit::ClockHm => "[D-]HH:MM",
        TimeUnit::Date => "Date, year first (ISO)",
        TimeUnit::DateDmy => "Date, day first",
        TimeUnit::DateMdy => "Date, month first",
        TimeUnit::Serial => "Spreadsheet days",
    }
}

/// How a cell was understood.
#[must_use]
pub fn understood(value: &Understood) -> String {
    match value {
        Understood::Missing => "no value".to_owned(),
        Understood::Text(text) => format!("“{text}”"),
        Understood::Moment(seconds) if is_date(*seconds) => precise_date(*seconds),
        Understood::Moment(seconds) => format!("{} after the start", format::elapsed(*seconds)),
        Understood::Span(seconds) => format::elapsed(*seconds),
        Understood::Gpus(gpus) => format!("{} GPUs", format::significant(*gpus, 6)),
        Understood::Count(count) => format::count(u64::from(*count)),
        Understood::Memory(gb) => format!("{} GB", format::significant(*gb, 6)),
        Understood::Outcome(outcome) => ended(*outcome).to_owned(),
        Understood::Bad { expected, hint } if hint.is_empty() => format!("expected {expected}"),
        Understood::Bad { expected, hint } => format!("expected {expected}; {hint}"),
    }
}

/// How a job ended.
#[must_use]
pub fn ended(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "cancelled",
        Outcome::Running => "running",
        Outcome::Pending => "pending",
    }
}

/// A date to the second.
fn precise_date(seconds: f64) -> String {
    jiff::Timestamp::from_microsecond((seconds * 1e6).round() as i64)
        .map_or_else(|_| format::elapsed(seconds), |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// The worker is of another version.
pub const ANSWERED_ELSE: &str = "The worker answered something else. Reload the page.";

/// A row that makes no job: `Line 7, column gpus: found "many", expected a number of GPUs`.
#[must_use]
pub fn rejected(row: &Rejected) -> String {
    let column = row.column.as_ref().map(|column| format!(", {column}")).unwrap_or_default();
    let hint = if row.hint.is_empty() { String::new() } else { format!(" ({})", row.hint) };
    format!(
        "Line {}{column}: found {:?}, expected {}{hint}.",
        format::count(row.line),
        row.value,
        row.expected
    )
}
