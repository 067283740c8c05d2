//! Slurm's accounting, as `sacct -P` prints it: with a header, or in the two headerless layouts of Open XDMoD and Sonar.

use std::borrow::Cow;

use crate::trace::format::{Column, Columns, Evidence, Format, Layout, RowReader, Shape, Uneven};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::outcome;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Cells, Comments, Dialect, Header, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, Notes};
use crate::units::{MilliGpus, SimSpan};
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "sacct",
    title: "Slurm sacct",
    help: "sacct -a -X -P -S 2026-01-01 -E now -o \
           JobID,User,Account,Partition,Submit,Start,End,ElapsedRaw,AllocTRES,ReqTRES,State (set TZ=UTC). Job steps are \
           skipped where they are. GPUs are gres/gpu of AllocTRES, else of ReqTRES. Files without a header are read in \
           the layouts of Open XDMoD (26 fields) and Sonar (32 fields).",
    columns: &[
        Column::text("JobID", "Job, array task (123_4) or het component (123+1); steps are skipped.")
            .needed(),
        Column::text("User", "Who submitted it."),
        Column::text("Account", "The tenant.").or("Partition, else User, else unknown"),
        Column::text("Partition", "The tenant if there is no account."),
        Column::number("Submit", None, "a date and time, or epoch seconds", "Submission.").needed(),
        Column::number("Start", None, "as Submit", "Start; Unknown or None when it never started."),
        Column::number("End", None, "as Submit", "End; Unknown while it runs."),
        Column::seconds("ElapsedRaw", "Run time.").or("Elapsed, else End − Start"),
        Column::number(
            "Elapsed",
            None,
            "[days-]hours:minutes:seconds",
            "Run time where ElapsedRaw is missing.",
        ),
        Column::text("AllocTRES", "What it got: gres/gpu=N, or gres/gpu:type=N.").or("ReqTRES"),
        Column::text("ReqTRES", "What it asked for. One of the two, or AllocGRES or ReqGRES, is needed."),
        Column::text("State", "How it ended; the first word counts.").or("completed"),
    ],
    detect,
    shape: Shape::Table { layout, open },
};

/// Fields of `sacct` as Open XDMoD's shredder calls it, without a header.
const XDMOD: [&str; 26] = [
    "JobID",
    "JobIDRaw",
    "Cluster",
    "Partition",
    "QOS",
    "Account",
    "Group",
    "GID",
    "User",
    "UID",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Elapsed",
    "ExitCode",
    "State",
    "NNodes",
    "NCPUS",
    "ReqCPUS",
    "ReqMem",
    "ReqTRES",
    "AllocTRES",
    "Timelimit",
    "NodeList",
    "JobName",
];

/// Fields of `sacct` as Sonar calls it, without a header.
const SONAR: [&str; 32] = [
    "JobID",
    "JobIDRaw",
    "User",
    "Account",
    "State",
    "Start",
    "End",
    "AveCPU",
    "AveDiskRead",
    "AveDiskWrite",
    "AveRSS",
    "AveVMSize",
    "ElapsedRaw",
    "ExitCode",
    "Layout",
    "MaxRSS",
    "MaxVMSize",
    "MinCPU",
    "ReqCPUS",
    "ReqMem",
    "ReqNodes",
    "Reservation",
    "Submit",
    "Suspended",
    "SystemCPU",
    "TimelimitRaw",
    "UserCPU",
    "NodeList",
    "Partition",
    "AllocTRES",
    "Priority",
    "JobName",
];

/// Columns of free text, which may hold the delimiter or a line end; those most likely to first.
const FREE_TEXT: [&str; 6] = ["JobName", "Comment", "SubmitLine", "WorkDir", "AdminComment", "SystemComment"];

/// What to type when columns are missing.
const ADVICE: &str = "Export with: sacct -a -X -P -S 2026-01-01 -E now -o \
                      JobID,User,Account,Partition,Submit,Start,End,ElapsedRaw,AllocTRES,ReqTRES,State";

/// The fields of the first line.
fn first_fields<'a>(sample: &Sample<'a>) -> Vec<&'a [u8]> {
    sample.first_line().split(|&b| b == b'|').map(value::trim).collect()
}

/// The columns of a file that has no header, by the number of fields and what some of them hold.
fn headerless(sample: &Sample<'_>) -> Option<&'static [&'static str]> {
    let fields = first_fields(sample);
    let at = |index: usize| fields.get(index).copied().unwrap_or_default();
    let is_time =
        |index: usize| value::is_missing(at(index)) || value::time(at(index), &Notes::default()).is_ok();
    if !is_job_id(at(0)) {
        return None;
    }
    if fields.len() >= XDMOD.len() && fields.len() != SONAR.len() && is_time(10) && is_time(12) && is_time(13)
    {
        return Some(&XDMOD);
    }
    (fields.len() >= SONAR.len() && is_time(5) && is_time(6) && is_time(22)).then_some(&SONAR)
}

/// Whether this looks like a job, an array task, a het component or a step.
fn is_job_id(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && text.get(digits).is_none_or(|b| b"_+.".contains(b))
}

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    if let Some(columns) = headerless(sample) {
        let layout = if columns.len() == XDMOD.len() { "Open XDMoD" } else { "Sonar" };
        let text = format!("{} fields without a header, as {layout} lets sacct print them", columns.len());
        return Some(Evidence { score: 90, text });
    }
    let header = Header::new(first_fields(sample));
    let seen: Vec<&str> = ["JobID", "JobIDRaw", "State", "Submit", "AllocTRES", "ElapsedRaw"]
        .into_iter()
        .filter(|name| header.find(name).is_some())
        .collect();
    let has_id = header.find("JobID").or(header.find("JobIDRaw")).is_some();
    (has_id && header.len() > 1)
        .then(|| Evidence { score: 95, text: format!("its header, separated by |, has {}", seen.join(", ")) })
}

fn layout(sample: &Sample<'_>) -> Layout {
    let dialect = Dialect { delimiter: b'|', second: None, quotes: Quotes::None, comments: Comments::None };
    Layout { dialect, columns: headerless(sample).map(Columns::Known), uneven: Uneven::Mend }
}

#[derive(Debug)]
struct Reader {
    id: usize,
    submit: usize,
    user: Option<usize>,
    account: Option<usize>,
    partition: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    elapsed_raw: Option<usize>,
    elapsed: Option<usize>,
    limit_raw: Option<usize>,
    limit: Option<usize>,
    alloc_tres: Option<usize>,
    req_tres: Option<usize>,
    alloc_gres: Option<usize>,
    req_gres: Option<usize>,
    nodes: Option<usize>,
    state: Option<usize>,
    free_text: Vec<usize>,
    jobs: u64,
    /// Whether any record names `gres/gpu` or its like.
    any_gpus: bool,
    unknown_states: u64,
    mended: u64,
    slices: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let lacking = |missing: &str| Refusal::MissingColumns {
        format: FORMAT.name.into(),
        missing: missing.into(),
        found: header.list(),
        advice: ADVICE.into(),
    };
    let id = header.find("JobID").or(header.find("JobIDRaw")).ok_or_else(|| lacking("the column JobID"))?;
    let submit = header
        .find("Submit")
        .ok_or_else(|| lacking("the column Submit, without which nothing can be replayed"))?;
    let reader = Reader {
        id,
        submit,
        user: header.find("User"),
        account: header.find("Account"),
        partition: header.find("Partition"),
        start: header.find("Start"),
        end: header.find("End"),
        elapsed_raw: header.find("ElapsedRaw"),
        elapsed: header.find("Elapsed"),
        limit_raw: header.find("TimelimitRaw"),
        limit: header.find("Timelimit"),
        alloc_tres: header.find("AllocTRES"),
        req_tres: header.find("ReqTRES"),
        alloc_gres: header.find("AllocGRES"),
        req_gres: header.find("ReqGRES"),
        nodes: ["AllocNodes", "NNodes", "ReqNodes"].into_iter().find_map(|name| header.find(name)),
        state: header.find("State"),
        free_text: FREE_TEXT
            .into_iter()
            .filter_map(|name| header.find(name))
            .chain(header.len().checked_sub(1))
            .collect(),
        jobs: 0,
        any_gpus: false,
        unknown_states: 0,
        mended: 0,
        slices: 0,
    };
    if reader.elapsed_raw.or(reader.elapsed).is_none() && reader.start.and(reader.end).is_none() {
        return Err(lacking("a run time (ElapsedRaw, Elapsed, or Start and End)"));
    }
    if [reader.alloc_tres, reader.req_tres, reader.alloc_gres, reader.req_gres].iter().all(Option::is_none) {
        return Err(lacking("the GPUs (AllocTRES or ReqTRES)"));
    }
    Ok(Box::new(reader))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        if row.get(self.id).contains(&b'.') {
            return Ok(Verdict::Skip("step"));
        }
        let draft = if row.surplus() == 0 { self.draft(row)? } else { self.mend(row)? };
        self.jobs += 1;
        Ok(Verdict::Job(draft))
    }

    fn begins(&self, line: &Cells<'_>) -> bool {
        is_job_id(value::trim(line.get(self.id)))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![
            Notice::new(
                "no-gpu-data",
                if self.any_gpus { 0 } else { self.jobs },
                "jobs, and not one record says anything of GPUs: the site does not account them (gres/gpu in \
                 AccountingStorageTRES), or these are CPU jobs; nothing can be simulated",
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
            Notice::new(
                "mended-rows",
                self.mended,
                "rows had the delimiter inside a text and were put right",
            ),
            Notice::new(
                "mig-slices",
                self.slices,
                "jobs hold MIG slices; each slice counts as one GPU, as Slurm counts",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}

impl Reader {
    /// The limit asked for; none where it is unlimited, the partition's, or unreadable.
    fn limit_of(&self, row: &Row<'_>) -> Option<SimSpan> {
        let raw = row.optional(self.limit_raw);
        let minutes = value::seconds(raw).ok().map(|minutes| SimSpan(minutes.0.saturating_mul(60)));
        minutes.or_else(|| value::elapsed(row.optional(self.limit)).ok()).filter(|limit| limit.0 > 0)
    }

    fn draft<'r>(&mut self, row: &Row<'r>) -> Result<Draft<'r>, Fault> {
        let submit = row.time(self.submit)?;
        let start = row.maybe_time(self.start)?;
        let end = row.maybe_time(self.end)?;
        let elapsed = match row.maybe_seconds(self.elapsed_raw)? {
            Some(elapsed) => Some(elapsed),
            None => row.maybe(self.elapsed, value::elapsed)?,
        };
        let ran = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        // A job that never started shows an elapsed time of zero, which is no run time.
        let started = self.start.is_none() || start.is_some();
        let grant = self.grant(row)?;
        let state = first_word(row.text(self.state));
        let ended = outcome(&state);
        self.unknown_states += u64::from(ended.is_none() && !state.is_empty());
        let tenant =
            [self.account, self.partition].into_iter().find(|&c| !row.optional(c).is_empty()).flatten();
        Ok(Draft {
            id: row.text(Some(self.id)),
            tenant: row.text(tenant),
            user: row.text(self.user),
            gpu_type: grant.kind,
            state,
            submit,
            gpus: grant.gpus,
            duration: elapsed.or(ran).filter(|_| started),
            start,
            end,
            outcome: ended.unwrap_or(Outcome::Completed),
            limit: self.limit_of(row),
            ..Draft::default()
        })
    }

    /// Reads a row that has more fields than columns, as when a job's name holds the delimiter: the surplus belongs to the
    /// first column of free text with which all other columns make sense.
    fn mend<'r>(&mut self, row: &Row<'r>) -> Result<Draft<'r>, Fault> {
        for column in self.free_text.clone() {
            let widened = row.widened_at(column);
            let state = first_word(widened.text(self.state));
            if self.state.is_some() && outcome(&state).is_none() {
                continue;
            }
            if let Ok(draft) = self.draft(&widened) {
                self.mended += 1;
                return Ok(draft);
            }
        }
        Err(Fault::of_record(
            &format!("{} fields more than columns", row.surplus()),
            "as many fields as the header has",
            "a text with | in it; put JobName last in -o",
        ))
    }

    /// The GPUs of a job: what it got, else what it asked for. The type is the one it asked for, if that is recorded.
    fn grant<'r>(&mut self, row: &Row<'r>) -> Result<Grant<'r>, Fault> {
        let named = |column: Option<usize>, read: &dyn Fn(&'r [u8]) -> Result<Tres<'r>, Bad>| {
            let text = row.optional(column);
            if text.is_empty() {
                return Ok(Tres::Empty);
            }
            read(text).map_err(|bad| row.fault(column.unwrap_or(usize::MAX), bad))
        };
        let got = named(self.alloc_tres, &tres)?;
        let asked = named(self.req_tres, &tres)?;
        let grant = match (got, asked) {
            (Tres::Gpus(got), Tres::Gpus(asked)) if !asked.kind.is_empty() => {
                Grant { gpus: got.gpus, kind: asked.kind }
            }
            (Tres::Gpus(grant), _) | (Tres::Empty, Tres::Gpus(grant)) => grant,
            (Tres::NoGpus, Tres::Gpus(_)) => {
                self.any_gpus = true;
                return Ok(Grant::default());
            }
            // Old sites print GPUs only here.
            (Tres::NoGpus | Tres::Empty, Tres::NoGpus | Tres::Empty) => {
                let nodes = value::whole(row.optional(self.nodes)).unwrap_or(1).max(1);
                let old = |text| gres(text, nodes);
                match (named(self.alloc_gres, &old)?, named(self.req_gres, &old)?) {
                    (Tres::Gpus(grant), _) | (Tres::Empty, Tres::Gpus(grant)) => grant,
                    _ => return Ok(Grant::default()),
                }
            }
        };
        self.any_gpus = true;
        self.slices += u64::from(grant.kind.contains("g.") && grant.kind.contains("gb"));
        Ok(grant)
    }
}

/// GPUs and the type they are of; an empty type is any.
#[derive(Debug, Default, PartialEq, Eq)]
struct Grant<'a> {
    gpus: MilliGpus,
    kind: Cow<'a, str>,
}

/// What a list of resources says of GPUs.
#[derive(Debug, PartialEq, Eq)]
enum Tres<'a> {
    /// There is no list.
    Empty,
    /// There is one, without GPUs.
    NoGpus,
    Gpus(Grant<'a>),
}

const COUNT: Bad = Bad { expected: "gres/gpu=N or gres/gpu:type=N with N from 0 to 65,536", hint: "" };

/// Reads `billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G`. A typed entry repeats GPUs of the untyped total, so the
/// typed ones are added up only where there is no total. `gres/gpumem`, `gres/gpuutil` and `gres/shard` are no GPUs.
fn tres(text: &[u8]) -> Result<Tres<'_>, Bad> {
    let mut total = None;
    let mut typed = Tally::default();
    for item in text.split(|&b| b == b',') {
        let Some(rest) = item.strip_prefix(b"gres/gpu") else { continue };
        let (name, count) = match rest.iter().position(|&b| b == b'=') {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &b""[..]),
        };
        match name {
            b"" => total = Some(value::gpus(count).map_err(|_| COUNT)?),
            [b':', kind @ ..] => typed.add(kind, value::gpus(count).map_err(|_| COUNT)?, 1)?,
            _ => {}
        }
    }
    Ok(typed.into_tres(total))
}

/// Reads the older `gpu:4`, `gpu:kepler:2(S:0-1)`, `PER_NODE:gpu:8`: a count per job, or per node of `nodes`.
fn gres(text: &[u8], nodes: i64) -> Result<Tres<'_>, Bad> {
    let mut tally = Tally::default();
    for item in text.split(|&b| b == b',') {
        let item = item.split(|&b| b == b'(').next().unwrap_or_default();
        let (item, times) = match item.strip_prefix(b"PER_NODE:") {
            Some(item) => (item, nodes),
            None => (item.strip_prefix(b"PER_JOB:").unwrap_or(item), 1),
        };
        let item = item.strip_prefix(b"gres:").or(item.strip_prefix(b"gres/")).unwrap_or(item);
        let mut parts = item.split(|&b| b == b':');
        if parts.next() != Some(b"gpu") {
            continue;
        }
        let parts: Vec<&[u8]> = parts.collect();
        let (kind, count): (&[u8], &[u8]) = match parts.as_slice() {
            [] => (b"", b"1"),
            [one] if one.first().is_some_and(u8::is_ascii_digit) => (b"", one),
            [kind] => (kind, b"1"),
            [kind, count, ..] => (kind, count),
        };
        tally.add(kind, value::gpus(count).map_err(|_| COUNT)?, times)?;
    }
    Ok(tally.into_tres(None))
}

/// GPUs by type, added up.
#[derive(Debug, Default)]
struct Tally<'a> {
    sum: Option<MilliGpus>,
    kinds: Vec<&'a [u8]>,
}

impl<'a> Tally<'a> {
    fn add(&mut self, kind: &'a [u8], gpus: MilliGpus, times: i64) -> Result<(), Bad> {
        let sum =
            i64::from(self.sum.unwrap_or_default().0).saturating_add(i64::from(gpus.0).saturating_mul(times));
        let sum = u32::try_from(sum).ok().filter(|_| sum <= value::MAX_GPUS * 1000).ok_or(COUNT)?;
        self.sum = Some(MilliGpus(sum));
        if gpus.0 > 0 && !kind.is_empty() && !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        Ok(())
    }

    fn into_tres(self, total: Option<MilliGpus>) -> Tres<'a> {
        let Some(gpus) = total.or(self.sum) else { return Tres::NoGpus };
        let kind = match self.kinds.as_slice() {
            [one] => String::from_utf8_lossy(one),
            many => String::from_utf8_lossy(&many.join(&b'|')).into_owned().into(),
        };
        Tres::Gpus(Grant { gpus, kind })
    }
}

/// The first word: `CANCELLED by 1234` is cancelled.
fn first_word(state: Cow<'_, str>) -> Cow<'_, str> {
    match state {
        Cow::Borrowed(state) => Cow::Borrowed(state.split_whitespace().next().unwrap_or("")),
        Cow::Owned(state) => Cow::Owned(state.split_whitespace().next().unwrap_or("").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(milli: u32, kind: &str) -> Result<Tres<'_>, Bad> {
        Ok(Tres::Gpus(Grant { gpus: MilliGpus(milli), kind: kind.into() }))
    }

    #[test]
    fn a_typed_entry_repeats_the_total() {
        assert_eq!(tres(b"billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G"), gpus(1000, "a100"));
        assert_eq!(tres(b"gres/gpu:a100=2,gres/gpu:v100=1"), gpus(3000, "a100|v100"));
        assert_eq!(tres(b"gres/gpu:a100_1g.5gb=1"), gpus(1000, "a100_1g.5gb"));
        assert_eq!(tres(b"gres/gpu=4"), gpus(4000, ""));
        assert_eq!(tres(b"cpu=1,gres/gpumem=80G,gres/gpuutil=3,gres/shard=2"), Ok(Tres::NoGpus));
        for wrong in [&b"gres/gpu=x"[..], b"gres/gpu", b"gres/gpu=-1", b"gres/gpu:a=99999999"] {
            assert_eq!(tres(wrong), Err(COUNT));
        }
    }

    #[test]
    fn old_gres_counts_per_job_or_per_node() {
        assert_eq!(gres(b"gpu:4", 2), gpus(4000, ""));
        assert_eq!(gres(b"PER_NODE:gpu:8", 2), gpus(16_000, ""));
        assert_eq!(gres(b"gpu:kepler:2(S:0-1)", 1), gpus(2000, "kepler"));
        assert_eq!(gres(b"gpu", 1), gpus(1000, ""));
        assert_eq!(gres(b"craynetwork:1", 1), Ok(Tres::NoGpus));
        assert_eq!(gres(b"PER_NODE:gpu:8", i64::MAX), Err(COUNT));
    }

    #[test]
    fn job_ids() {
        for id in ["123", "123_4", "123_[5-9%2]", "123+1", "123.batch"] {
            assert!(is_job_id(id.as_bytes()), "{id}");
        }
        for other in ["", "JobID", "12:30", "2020-01-01"] {
            assert!(!is_job_id(other.as_bytes()), "{other}");
        }
    }
}
