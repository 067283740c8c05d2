//! The Standard Workload Format of the Parallel Workloads Archive, version 2.2 (Chapin et al., JSSPP 1999;
//! <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>).
//!
//! Lines that begin with `;` describe the log (`; MaxProcs: 100`). Every other line is a job: 18 numbers between blanks, -1 for
//! what is unknown. Times are seconds, fractions allowed, from an origin that `UnixStartTime` may name.
//!
//! A job that was swapped out or checkpointed may have several lines in a row with one job number: a line for the whole run
//! (status 0, 1, 5 or -1), and one for each piece of it (2: to be continued, 3: the last, completed, 4: the last, failed), of
//! which only the first has a submission. The standard says to use either, not both: pieces below their whole are skipped;
//! pieces without it are joined.

use crate::trace::format::{Column, Columns, Evidence, Format, Layout, RowReader, Shape, Uneven};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Piece, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Comments, Dialect, Header, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value;
use crate::units::{MilliGpus, SimSpan};
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "swf",
    title: "Standard Workload Format",
    help: "*.swf of the Parallel Workloads Archive: 18 numbers a line, -1 = unknown, comments after ;. Processors are CPUs \
           in most of these logs; each is read as a GPU, and a warning says so. The tenant is the group, else the user.",
    columns: &[
        Column::text("job number", "The job's id.").or("the record's number"),
        Column::number("submit time", Some("s"), "0 to 9000000000", "Submission, from the log's origin.")
            .needed(),
        Column::number("wait time", Some("s"), "0 or more", "From submission to start.").or("unknown"),
        Column::seconds("run time", "Run time; 0 is less than half a second.").or("unknown"),
        Column::number("allocated processors", Some("processors"), "0 to 65536", "What it got.").or("0"),
        Column::number("requested processors", Some("processors"), "0 to 65536", "Read as GPUs.")
            .or("allocated processors"),
        Column::seconds("requested time", "The run time it asked for: its limit.").or("none"),
        Column::number("status", None, "-1 to 5", "How it ended: 1 completed, 0 failed, 5 cancelled.")
            .or("completed"),
        Column::text("user", "Who submitted it, as a number.").or("unknown"),
        Column::text("group", "The tenant, as a number.").or("user"),
    ],
    detect,
    shape: Shape::Table { layout, open },
};

/// The fields of a line, in order.
const FIELDS: [&str; 18] = [
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "preceding job",
    "think time",
];
const NUMBER: usize = 0;
const SUBMIT: usize = 1;
const WAIT: usize = 2;
const RUN: usize = 3;
const ALLOCATED: usize = 4;
const REQUESTED: usize = 7;
const LIMIT: usize = 8;
const STATUS: usize = 10;
const USER: usize = 11;
const GROUP: usize = 12;

/// What a header comment may be called; any one of them tells the format.
const LABELS: [&str; 14] = [
    "Version",
    "Computer",
    "Installation",
    "Acknowledge",
    "Conversion",
    "MaxJobs",
    "MaxRecords",
    "MaxNodes",
    "MaxProcs",
    "UnixStartTime",
    "TimeZoneString",
    "StartTime",
    "EndTime",
    "MaxQueues",
];

/// The name and the value of a header comment such as `; MaxProcs: 100`.
fn comment(line: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(line.trim_ascii_start().strip_prefix(b";")?).ok()?;
    text.split_once(':').map(|(name, value)| (name.trim(), value.trim()))
}

/// The number and the submission of a job whose line this may be: 18 numbers, each in its range.
fn job(line: &[u8]) -> Option<(f64, f64)> {
    let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
    let mut found = [0.0; 18];
    for (at, number) in found.iter_mut().enumerate() {
        *number = std::str::from_utf8(fields.next()?).ok()?.parse::<f64>().ok()?;
        // Times and amounts may have fractions, numbers of things may not.
        let is_count = !matches!(at, SUBMIT..=RUN | 5 | 6 | 8 | 9 | 17);
        if !number.is_finite() || (is_count && (number.fract() != 0.0 || *number < -1.0)) {
            return None;
        }
    }
    (fields.next().is_none() && found[STATUS] <= 5.0).then_some((found[NUMBER], found[SUBMIT]))
}

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let is_label = |line: &[u8]| {
        comment(line).is_some_and(|(name, _)| LABELS.iter().any(|l| l.eq_ignore_ascii_case(name)))
    };
    let lines = || sample.bytes().split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_comment = |line: &&[u8]| line.starts_with(b";");
    let labels = lines().filter(is_comment).filter(|line| is_label(line)).count();
    let comments = lines().filter(is_comment).count();
    // The last line of the sample may be cut off.
    let rows: Vec<&[u8]> = lines().filter(|line| !line.is_empty() && !line.starts_with(b";")).collect();
    let whole = rows.split_last().map_or(&[][..], |(_, rest)| if rest.is_empty() { &rows[..] } else { rest });
    let jobs: Vec<(f64, f64)> = whole.iter().filter_map(|line| job(line)).collect();
    let all_fit = jobs.len() == whole.len();
    let most_fit = jobs.len() * 10 >= whole.len() * 9;
    let ascend = jobs.is_sorted_by(|(number, submit), (next, later)| number <= next && submit <= later)
        && jobs.first().zip(jobs.last()).is_some_and(|(first, last)| first.0 < last.0);
    let score = match (labels, comments) {
        (1.., _) if most_fit => 98,
        (2.., _) if !jobs.is_empty() => 70,
        (0, 1..) if all_fit && !jobs.is_empty() => 90,
        // Without any comment only the numbers tell, so they have to look like a log's.
        (0, 0) if all_fit && ascend => 90,
        _ => return None,
    };
    let text = match (labels, comments) {
        (0, 0) => format!("{} lines of 18 numbers between blanks, as jobs have them, in order", jobs.len()),
        (0, _) => format!("comments after ; and {} lines of 18 numbers between blanks", jobs.len()),
        _ => format!("{labels} header comments such as MaxProcs after ;, {} lines of 18 numbers", jobs.len()),
    };
    Some(Evidence { score, text })
}

fn layout(_: &Sample<'_>) -> Layout {
    let dialect = Dialect {
        delimiter: b' ',
        second: None,
        quotes: Quotes::None,
        comments: Comments::Semicolon,
        skip: 0,
    };
    Layout { dialect, columns: Some(Columns::Known(&FIELDS)), uneven: Uneven::Keep }
}

fn open(_: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader::default()))
}

/// What the lines of the job above were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Above {
    #[default]
    Nothing,
    Whole,
    /// Pieces, the last with this status.
    Pieces(&'static str),
}

#[derive(Debug, Default)]
struct Reader {
    /// From the header: processors, jobs, and what time the origin is.
    max_procs: Option<i64>,
    max_nodes: Option<i64>,
    stated_jobs: Option<i64>,
    stated_records: Option<i64>,
    unix_start_s: Option<i64>,
    zone: String,
    /// The number of the job above, as it stands, and what its lines were.
    number: Vec<u8>,
    above: Above,
    rows: u64,
    gpu_jobs: u64,
    largest: MilliGpus,
    /// Jobs by request, those above the header's processors, if it states them before the jobs.
    too_large: u64,
    over_limit: u64,
    negative: u64,
    unknown_states: u64,
}

/// How a job ended, or whether its line is only a piece of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Whole(Outcome),
    Piece(&'static str, Outcome),
    Unknown,
}

fn status(text: &[u8]) -> Status {
    match text {
        b"1" | b"-1" => Status::Whole(Outcome::Completed),
        b"0" => Status::Whole(Outcome::Failed),
        b"5" => Status::Whole(Outcome::Cancelled),
        b"2" => Status::Piece("2", Outcome::Running),
        b"3" => Status::Piece("3", Outcome::Completed),
        b"4" => Status::Piece("4", Outcome::Failed),
        _ => Status::Unknown,
    }
}

impl Reader {
    /// A span that is unknown if it is negative; the standard knows -1 only.
    fn span(&mut self, row: &Row<'_>, field: usize) -> Result<Option<SimSpan>, Fault> {
        match row.get(field) {
            b"-1" => Ok(None),
            [b'-', rest @ ..] if value::seconds(rest).is_ok() => {
                self.negative += 1;
                Ok(None)
            }
            _ => row.maybe_seconds(Some(field)),
        }
    }

    /// Processors; none if unknown.
    fn processors(row: &Row<'_>, field: usize) -> Result<MilliGpus, Fault> {
        if row.get(field) == b"-1" { Ok(MilliGpus(0)) } else { row.gpus(field) }
    }

    /// The processors the header states; clusters of single processors may state nodes only.
    fn size(&self) -> Option<i64> {
        self.max_procs.or(self.max_nodes).filter(|&size| size > 0)
    }
}

impl RowReader for Reader {
    fn comment(&mut self, line: &[u8]) {
        let Some((name, text)) = comment(line) else { return };
        let digits: &str = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let number = || digits.parse::<i64>().ok();
        match name.to_ascii_lowercase().as_str() {
            "maxprocs" => self.max_procs = number(),
            "maxnodes" => self.max_nodes = number(),
            "maxjobs" => self.stated_jobs = number(),
            "maxrecords" => self.stated_records = number(),
            "unixstarttime" => self.unix_start_s = number(),
            "timezonestring" => text.clone_into(&mut self.zone),
            _ => {}
        }
    }

    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        self.rows += 1;
        if row.len() != FIELDS.len() {
            let (found, hint) = (format!("{} fields", row.len()), "the line may be cut off, or be no job");
            return Err(Fault::of_record(&found, "18 numbers with blanks between them", hint));
        }
        let number = row.get(NUMBER);
        let is_above = self.number == number && number != b"-1";
        let above = if is_above { self.above } else { Above::Nothing };
        let status = status(row.get(STATUS));
        let wait = self.span(row, WAIT)?;
        let run = self.span(row, RUN)?;
        match (above, status) {
            (Above::Whole, Status::Piece(..)) | (Above::Pieces(_), Status::Whole(_) | Status::Unknown) => {
                return Ok(Verdict::Skip("partial-execution"));
            }
            (Above::Pieces(before), Status::Piece(now, outcome)) => {
                self.above = Above::Pieces(now);
                let states = [before, now];
                let reason = "partial-execution";
                return Ok(Verdict::Continues(Piece { pause: wait, run, states, outcome, reason }));
            }
            (Above::Nothing | Above::Whole, _) => self.above = Above::Nothing,
        }
        let submit = row.time(SUBMIT).map_err(|fault| match row.get(SUBMIT) {
            b"-1" => fault.with_hint("-1 is an unknown submission; the job cannot be placed in time"),
            _ => fault,
        })?;
        let requested = Self::processors(row, REQUESTED)?;
        let gpus = if requested.0 > 0 { requested } else { Self::processors(row, ALLOCATED)? };
        let limit = self.span(row, LIMIT)?.filter(|limit| limit.0 > 0);
        let known = |field: usize| Some(field).filter(|&field| row.get(field) != b"-1");
        // A job without a run time did not start: what it waited is the time to its cancellation.
        let start = wait.zip(run).map(|(wait, _)| submit + wait.0);
        let draft = Draft {
            id: row.text(known(NUMBER)),
            tenant: row.text(known(GROUP)),
            user: row.text(known(USER)),
            state: row.text(Some(STATUS)),
            submit,
            gpus,
            duration: run,
            start,
            end: start.zip(run).map(|(start, run)| start + run.0),
            limit,
            outcome: match status {
                Status::Whole(outcome) | Status::Piece(_, outcome) => outcome,
                Status::Unknown => Outcome::Completed,
            },
            ..Draft::default()
        };
        self.number.clear();
        self.number.extend_from_slice(number);
        self.above = match status {
            Status::Piece(word, _) => Above::Pieces(word),
            Status::Whole(_) | Status::Unknown => Above::Whole,
        };
        self.unknown_states += u64::from(status == Status::Unknown);
        self.gpu_jobs += u64::from(gpus.0 > 0);
        self.largest = self.largest.max(gpus);
        self.too_large += u64::from(self.size().is_some_and(|size| i64::from(gpus.0) > size * 1000));
        self.over_limit += u64::from(run > limit && limit.is_some());
        Ok(Verdict::Job(draft))
    }

    fn close(&mut self) -> Closing {
        let size = self.size().unwrap_or_default();
        let stated = self.stated_records.or(self.stated_jobs).and_then(|jobs| u64::try_from(jobs).ok());
        let differs = stated.is_some_and(|jobs| jobs != self.rows);
        let origin = self.unix_start_s.and_then(|s| jiff::Timestamp::from_second(s).ok());
        let zone = if self.zone.is_empty() { "zone unknown" } else { &self.zone };
        let notices = vec![
            Notice::new(
                "processors-as-gpus",
                self.gpu_jobs,
                "jobs ask for processors, which are CPUs in most logs of this format; each is read as one GPU",
            ),
            Notice::new(
                "larger-than-header",
                self.too_large,
                format!(
                    "jobs ask for more processors than the header's {size}, the largest for {}",
                    self.largest.as_gpus()
                ),
            ),
            Notice::new(
                "other-count-than-header",
                u64::from(differs),
                format!(
                    "count of the header differs: it states {} records and the file has {}; it may be a part of the log",
                    stated.unwrap_or_default(),
                    self.rows
                ),
            ),
            Notice::new(
                "log-origin",
                u64::from(origin.is_some()),
                format!(
                    "origin is stated: second 0 of the log is {} ({zone}); times are kept from second 0",
                    origin.map(|at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default()
                ),
            ),
            Notice::new(
                "over-limit",
                self.over_limit,
                "jobs ran longer than the time they asked for; their run time is kept, and a simulation that kills at \
                 the limit cuts them there",
            ),
            Notice::new(
                "negative-times",
                self.negative,
                "times are negative and not -1; they count as unknown",
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}
