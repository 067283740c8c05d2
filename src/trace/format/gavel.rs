//! Gavel's traces (stanford-futuredata/gavel, `scheduler/traces`; Narayanan et al., OSDI 2020): one job a line, fields separated
//! by tabs, no header.
//!
//! The fields, by how many there are; the two oldest layouts have the last two in the opposite order:
//!
//! | | fields |
//! |---|---|
//! | 6 | job_type, command, num_steps_arg, total_steps, arrival_time, scale_factor (Gavel's first traces) |
//! | 7 | the same with needs_data_dir before total_steps (`traces/msr`) |
//! | 10 | job_type, command, working_directory, num_steps_arg, needs_data_dir, total_steps, scale_factor, priority_weight, SLO, arrival_time |
//! | 11 | the same with a duration after the last or before it, or with a mode after the last or after scale_factor |
//! | 12 | the same with a duration and a mode after the last |
//!
//! Which of the layouts of 11 fields a file has is decided by what stands in them: a mode is a word, arrivals do not go back. A
//! job has no id and no tenant. It ends after `total_steps` steps, at a speed that a table of throughputs gives; without a
//! duration it has no run time here. `sts gavel` reads these files with Gavel's own semantics.

use crate::trace::format::{Column, Columns, Evidence, Format, Layout, RowReader, Shape, Uneven, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Comments, Dialect, Header, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value;

pub(super) static FORMAT: Format = Format {
    name: "gavel",
    title: "Gavel (tab-separated)",
    help: "scheduler/traces of stanford-futuredata/gavel: 6, 7, 10, 11 or 12 fields separated by tabs, no header. Jobs have \
           no id and no tenant, and mostly no run time, which they need before they can be replayed here; `sts gavel` \
           simulates them by their steps. Weights and SLOs are not used.",
    columns: &COLUMNS,
    detect,
    shape: Shape::Table { layout, open },
};

/// The columns that are read, of whatever layout.
pub(super) const COLUMNS: [Column; 4] = [
    Column::text("job_type", "The model and its batch size."),
    Column::gpus("scale_factor", "GPUs of the whole job, at least 1.").needed(),
    Column::number("arrival_time", Some("s"), "0 to 9000000000", "Submission.").needed(),
    Column::seconds("duration", "Run time, where the layout has one.").or("unknown"),
];

const SIX: [&str; 6] =
    ["job_type", "command", "num_steps_arg", "total_steps", "arrival_time", "scale_factor"];
const SEVEN: [&str; 7] =
    ["job_type", "command", "num_steps_arg", "needs_data_dir", "total_steps", "arrival_time", "scale_factor"];
/// The columns of a newer layout: what all begin with, and the rest.
macro_rules! newer {
    ($($rest:literal),+) => {
        [
            "job_type",
            "command",
            "working_directory",
            "num_steps_arg",
            "needs_data_dir",
            "total_steps",
            "scale_factor",
            $($rest),+
        ]
    };
}
pub(super) use newer;

const TEN: [&str; 10] = newer!["priority_weight", "SLO", "arrival_time"];
const DURATION_LAST: [&str; 11] = newer!["priority_weight", "SLO", "arrival_time", "duration"];
const ARRIVAL_LAST: [&str; 11] = newer!["priority_weight", "SLO", "duration", "arrival_time"];
const MODE_LAST: [&str; 11] = newer!["priority_weight", "SLO", "arrival_time", "mode"];
const MODE_INSIDE: [&str; 11] = newer!["mode", "priority_weight", "SLO", "arrival_time"];
const TWELVE: [&str; 12] = newer!["priority_weight", "SLO", "arrival_time", "duration", "mode"];

/// The fields of a line.
pub(super) fn fields(line: &[u8]) -> Vec<&[u8]> {
    line.split(|&byte| byte == b'\t').map(value::trim).collect()
}

/// Whether a field holds a number of zero or more.
pub(super) fn is_number(field: &[u8]) -> bool {
    value::seconds(field).is_ok()
}

/// The columns of a file that begins like `sample`; of one with another number of fields, those of the commonest layout.
fn columns(sample: &Sample<'_>) -> &'static [&'static str] {
    let first = fields(sample.first_line());
    let has_number = |at: usize| first.get(at).is_some_and(|field| is_number(field));
    match first.len() {
        6 => &SIX,
        7 => &SEVEN,
        11 if !has_number(7) => &MODE_INSIDE,
        11 if !has_number(10) => &MODE_LAST,
        11 if goes_back(sample, 9) && !goes_back(sample, 10) => &ARRIVAL_LAST,
        11 => &DURATION_LAST,
        12 => &TWELVE,
        _ => &TEN,
    }
}

/// Whether the numbers of a field go back from one line of the sample to the next.
fn goes_back(sample: &Sample<'_>, field: usize) -> bool {
    let lines = sample.bytes().split(|&byte| byte == b'\n');
    // The last line may be cut off.
    let values: Vec<i64> = lines
        .filter_map(|line| fields(line).get(field).and_then(|text| value::seconds(text).ok()))
        .map(|span| span.0)
        .collect();
    let whole = values.split_last().map_or(&[][..], |(_, rest)| rest);
    !whole.is_sorted()
}

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let first = fields(sample.first_line());
    if first.len() == 12 && !is_number(first.get(7)?) {
        return None;
    }
    if !matches!(first.len(), 6 | 7 | 10..=12) {
        return None;
    }
    evidence(&first, columns(sample))
}

/// Evidence that a line is one of Gavel's in the layout of `columns`.
pub(super) fn evidence(line: &[&[u8]], columns: &[&str]) -> Option<Evidence> {
    let field =
        |name: &str| columns.iter().position(|&column| column == name).and_then(|at| line.get(at)).copied();
    let job_type = field("job_type")?;
    let gpus = value::whole(field("scale_factor")?)?;
    let steps = value::whole(field("total_steps")?)?;
    let is_flag = field("needs_data_dir").is_none_or(|flag| flag == b"0" || flag == b"1");
    if job_type.is_empty() || is_number(job_type) || gpus < 1 || steps < 0 || !is_flag {
        return None;
    }
    if !is_number(field("arrival_time")?) {
        return None;
    }
    let names_option = field("num_steps_arg").is_some_and(|option| option.starts_with(b"-"));
    let (score, seen) = if names_option { (95, " with an option for the steps") } else { (60, "") };
    let text = format!(
        "{} fields separated by tabs and no header; in the first line a job type{seen}, {steps} steps and {gpus} GPUs",
        line.len()
    );
    Some(Evidence { score, text })
}

fn layout(sample: &Sample<'_>) -> Layout {
    tabs(columns(sample))
}

/// A table separated by tabs without a header.
pub(super) fn tabs(columns: &'static [&'static str]) -> Layout {
    let dialect =
        Dialect { delimiter: b'\t', second: None, quotes: Quotes::None, comments: Comments::Hash, skip: 0 };
    Layout { dialect, columns: Some(Columns::Known(columns)), uneven: Uneven::Reject }
}

/// Reads the rows of any of the layouts, also of Shockwave's.
#[derive(Debug)]
pub(super) struct Reader {
    submit: usize,
    gpus: usize,
    model: Option<usize>,
    duration: Option<usize>,
    weight: Option<usize>,
    mode: Option<usize>,
    weighted: u64,
    changing: u64,
}

impl Reader {
    pub(super) fn new(format: &Format, header: &Header) -> Result<Self, Refusal> {
        let names = ["arrival_time", "scale_factor"];
        let [submit, gpus] = need(format, header, names, "Load a *.trace file as published.")?;
        Ok(Self {
            submit,
            gpus,
            model: header.find("job_type"),
            duration: header.find("duration"),
            weight: header.find("priority_weight"),
            mode: header.find("mode"),
            weighted: 0,
            changing: 0,
        })
    }
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader::new(&FORMAT, header)?))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let draft = Draft {
            model: row.text(self.model),
            submit: row.time(self.submit)?,
            gpus: row.gpus(self.gpus)?,
            duration: row.maybe_seconds(self.duration)?,
            ..Draft::default()
        };
        let weight = row.optional(self.weight);
        self.weighted += u64::from(!weight.is_empty() && value::whole(weight) != Some(1));
        self.changing += u64::from(!matches!(row.optional(self.mode), b"" | b"static"));
        Ok(Verdict::Job(draft))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![
            Notice::new(
                "weights",
                self.weighted,
                "jobs have a priority weight other than 1, which is not used: weights are of tenants",
            ),
            Notice::new(
                "batch-size-changes",
                self.changing,
                "jobs change their batch size while they run (mode accordion or gns); their run time is taken as stated",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}
