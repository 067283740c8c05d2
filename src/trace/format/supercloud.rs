//! The scheduler log of the MIT Supercloud dataset (Samsi et al., "The MIT Supercloud Dataset", HPEC 2021): the job table of
//! Slurm's database as CSV (`slurm-log.csv`, also `scheduler-log.csv`), with numbers for states and for resources.
//!
//! States are those of slurm.h (3 is COMPLETED). Resources are `id=count` with the ids of `tres-mapping.txt`: 1001 is gpu:tesla
//! and 1002 gpu:volta. In dumps of other sites 1001 is often all GPUs and 1002 those of a type: where both have the same count
//! they are the same GPUs.

use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, columns_evidence, need};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad};
use crate::units::{MilliGpus, SimSpan};
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "supercloud",
    title: "MIT Supercloud (CSV)",
    help: "slurm-log.csv of the MIT Supercloud dataset: the job table of Slurm's database. GPUs are the resources 1001 \
           (tesla) and 1002 (volta) of tres_alloc, else of tres_req; states are numbers (3 completed, 4 cancelled, 5 failed, \
           6 timeout, 7 node failure, 11 out of memory).",
    columns: &[
        Column::text("id_job", "The job's id.").or("the record's number"),
        Column::text("id_array_job", "With id_array_task, the id of a task of an array."),
        Column::text("account", "The tenant.").or("id_user, else unknown"),
        Column::text("id_user", "Who submitted it."),
        Column::number("time_submit", Some("s"), "epoch seconds", "Submission.").needed(),
        Column::number("time_start", Some("s"), "epoch seconds", "Start; 0 when it never started.").needed(),
        Column::number("time_end", Some("s"), "epoch seconds", "End; 0 while it runs.").needed(),
        Column::number("timelimit", Some("min"), "0 to 4294967295", "The limit; 4294967295 is none."),
        Column::text("tres_alloc", "What it got, as 1=40,4=2,1002=2.").or("tres_req"),
        Column::text("tres_req", "What it asked for. One of the two is needed."),
        Column::number("state", None, "0 to 11", "How it ended, as a number.").or("completed"),
    ],
    detect,
    shape: Shape::Table { layout: Layout::csv, open },
};

const NEEDED: [&str; 3] = ["time_submit", "time_start", "time_end"];

/// What to load.
const ADVICE: &str = "Load slurm-log.csv as published, or dump id_job, id_user, account, time_submit, time_start, time_end, \
                      timelimit, tres_alloc, tres_req and state of the job table.";

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns_evidence(sample, &NEEDED, &["tres_alloc", "tres_req"], &[])
}

#[derive(Debug)]
struct Reader {
    submit: usize,
    start: usize,
    end: usize,
    id: Option<usize>,
    array: Option<usize>,
    task: Option<usize>,
    account: Option<usize>,
    user: Option<usize>,
    limit: Option<usize>,
    got: Option<usize>,
    asked: Option<usize>,
    state: Option<usize>,
    unknown_states: u64,
    unknown_resources: u64,
    repeated: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let [submit, start, end] = need(&FORMAT, header, NEEDED, ADVICE)?;
    let (got, asked) = (header.find("tres_alloc"), header.find("tres_req"));
    if got.or(asked).is_none() {
        return Err(Refusal::MissingColumns {
            format: FORMAT.name.into(),
            missing: "the GPUs (tres_alloc or tres_req)".into(),
            found: header.list(),
            advice: ADVICE.into(),
        });
    }
    Ok(Box::new(Reader {
        submit,
        start,
        end,
        id: header.find("id_job"),
        array: header.find("id_array_job"),
        task: header.find("id_array_task"),
        account: header.find("account"),
        user: header.find("id_user"),
        limit: header.find("timelimit"),
        got,
        asked,
        state: header.find("state"),
        unknown_states: 0,
        unknown_resources: 0,
        repeated: 0,
    }))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let moment = |column| row.maybe_time(Some(column)).map(|time| time.filter(|&micros| micros > 0));
        let submit = row.time(self.submit)?;
        let (start, end) = (moment(self.start)?, moment(self.end)?);
        let source =
            [self.got, self.asked].into_iter().find(|&column| !row.optional(column).is_empty()).flatten();
        let found = match source {
            Some(column) => resources(row.get(column)).map_err(|bad| row.fault(column, bad))?,
            None => Resources::default(),
        };
        self.unknown_resources += u64::from(found.is_unknown);
        self.repeated += u64::from(found.is_repeated);
        let state = row.text(self.state);
        let ended = outcome(state.as_bytes());
        self.unknown_states += u64::from(ended.is_none() && !state.is_empty());
        // A task that is none has the largest numbers as its index.
        let array = row.optional(self.array);
        let task = row.optional(self.task);
        let is_task = !array.is_empty() && array != b"0" && task.len() < 10 && value::whole(task).is_some();
        let id = if is_task {
            format!("{}_{}", String::from_utf8_lossy(array), String::from_utf8_lossy(task)).into()
        } else {
            row.text(self.id)
        };
        Ok(Verdict::Job(Draft {
            id,
            tenant: row.text(self.account),
            user: row.text(self.user),
            gpu_type: found.kind.into(),
            state,
            submit,
            gpus: found.gpus,
            duration: start
                .zip(end)
                .filter(|(start, end)| start <= end)
                .map(|(start, end)| SimSpan(end - start)),
            start,
            end: end.filter(|_| start.is_some()),
            outcome: ended.unwrap_or_default(),
            limit: self.limit_of(row),
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
            Notice::new(
                "unknown-resources",
                self.unknown_resources,
                "jobs have resources with ids above 1002, which tres-mapping.txt does not name; they are not counted",
            ),
            Notice::new(
                "repeated-resources",
                self.repeated,
                "jobs have the same count of the resources 1001 and 1002, as where one is the total of the other; it counts \
                 once",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}

impl Reader {
    /// The limit, which is in minutes; none where it is unlimited or unreadable.
    fn limit_of(&self, row: &Row<'_>) -> Option<SimSpan> {
        const UNLIMITED_FROM: i64 = u32::MAX as i64 - 1;
        let minutes = value::whole(row.optional(self.limit))
            .filter(|&minutes| (0..UNLIMITED_FROM).contains(&minutes))?;
        value::seconds((minutes * 60).to_string().as_bytes()).ok()
    }
}

/// The GPUs of one list of resources.
#[derive(Debug, Default, PartialEq, Eq)]
struct Resources {
    gpus: MilliGpus,
    kind: &'static str,
    is_unknown: bool,
    is_repeated: bool,
}

/// Reads `1=40,2=170000,4=1,1002=2`.
fn resources(text: &[u8]) -> Result<Resources, Bad> {
    const BAD: Bad = Bad { expected: "resources as id=count,…, with at most 65,536 GPUs", hint: "" };
    const SITE_OWN: i64 = 1001;
    let (mut tesla, mut volta) = (0, 0);
    let mut is_unknown = false;
    for item in text.split(|&b| b == b',') {
        let at = item.iter().position(|&b| b == b'=').ok_or(BAD)?;
        let (id, count) = (value::whole(&item[..at]).ok_or(BAD)?, &item[at + 1..]);
        match id {
            1001 => tesla = value::gpus(count).map_err(|_| BAD)?.0,
            1002 => volta = value::gpus(count).map_err(|_| BAD)?.0,
            _ => is_unknown |= id > SITE_OWN,
        }
    }
    let is_repeated = tesla == volta && tesla > 0;
    let gpus = if is_repeated { tesla } else { tesla + volta };
    if i64::from(gpus) > value::MAX_GPUS * 1000 {
        return Err(BAD);
    }
    let kind = match (tesla, volta) {
        _ if is_repeated => "",
        (0, 0) => "",
        (_, 0) => "tesla",
        (0, _) => "volta",
        _ => "tesla|volta",
    };
    Ok(Resources { gpus: MilliGpus(gpus), kind, is_unknown, is_repeated })
}

/// How a job ended, by the number of `enum job_states` of slurm.h; flags above the lowest byte do not matter.
fn outcome(state: &[u8]) -> Option<Outcome> {
    Some(match value::whole(state)? & 0xff {
        0 => Outcome::Pending,
        1 | 2 => Outcome::Running,
        3 => Outcome::Completed,
        4 | 8 => Outcome::Cancelled,
        5..=7 | 9..=11 => Outcome::Failed,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_counted_by_id_and_never_twice() {
        let of = |text: &str| resources(text.as_bytes()).map(|r| (r.gpus.0, r.kind, r.is_unknown));
        assert_eq!(of("1=40,2=170000,4=1,1002=2"), Ok((2000, "volta", false)));
        assert_eq!(of("1001=1,1002=4"), Ok((5000, "tesla|volta", false)));
        assert_eq!(of("1001=4,1002=4,1003=9"), Ok((4000, "", true)));
        assert_eq!(of("1=40"), Ok((0, "", false)));
        for wrong in ["", "1002", "x=1", "1002=-1", "1001=65536,1002=1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn states_are_those_of_slurm() {
        assert_eq!(outcome(b"3"), Some(Outcome::Completed));
        assert_eq!(outcome(b"11"), Some(Outcome::Failed));
        assert_eq!(outcome(b"8196"), Some(Outcome::Cancelled));
        assert_eq!((outcome(b"12"), outcome(b"COMPLETED")), (None, None));
    }
}
