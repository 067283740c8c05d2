//! Joining the tables: what each says of a job is kept, in about 150 bytes a job beside its name, until all are read.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use super::tables::PaiTable;
use super::{FORMAT, open_simulator};
use crate::trace::format::{Join, RowReader, need};
use crate::trace::hash::Hash;
use crate::trace::intake::{Closing, Draft, Fault, Intake, Notice, Verdict};
use crate::trace::names::Names;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Header, Row};
use crate::trace::value::{self, Bad, MAX_GPUS};
use crate::units::{MilliGpus, SimSpan};
use crate::workload::Outcome;

/// How many faults of tasks are kept word for word: as many as the report shows.
const KEPT_FAULTS: usize = 20;

/// The tables being joined.
#[derive(Debug, Default)]
pub(super) struct Joined(Rc<RefCell<State>>);

impl Join for Joined {
    fn open(&self, file: &str, header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
        let Some(table) = PaiTable::named_by(header) else { return open_simulator(header) };
        let mut state = self.0.borrow_mut();
        state.files.push(file.to_owned());
        if !state.seen.contains(&table) {
            state.seen.push(table);
        }
        let (state, file) = (Rc::clone(&self.0), state.files.len() as u32 - 1);
        let advice =
            "Load the table as published; it has no header, and its columns are in its .header file.";
        let find = |name| header.find(name);
        Ok(match table {
            PaiTable::Job => {
                let [job, inst, submit] =
                    need(&FORMAT, header, ["job_name", "inst_id", "start_time"], advice)?;
                Box::new(JobRows {
                    state,
                    file,
                    job,
                    inst,
                    user: find("user"),
                    status: find("status"),
                    submit,
                })
            }
            PaiTable::Task => {
                let [job, count, gpus, start, end] = need(
                    &FORMAT,
                    header,
                    ["job_name", "inst_num", "plan_gpu", "start_time", "end_time"],
                    advice,
                )?;
                let (status, gpu_type) = (find("status"), find("gpu_type"));
                Box::new(TaskRows { state, file, job, count, gpus, start, end, status, gpu_type })
            }
            PaiTable::Instance => {
                let [job, inst, start, end] =
                    need(&FORMAT, header, ["job_name", "inst_id", "start_time", "end_time"], advice)?;
                Box::new(InstanceRows { state, job, inst, start, end, unread: 0 })
            }
            PaiTable::GroupTag => {
                let [inst] = need(&FORMAT, header, ["inst_id"], advice)?;
                let (user, gpu_type, model) = (find("user"), find("gpu_type_spec"), find("workload"));
                Box::new(TagRows { state, inst, user, gpu_type, model })
            }
            PaiTable::Sensor | PaiTable::MachineMetric => Box::new(Measurements { table, rows: 0 }),
        })
    }

    fn finish(&self, intake: &mut Intake) -> Result<(), Refusal> {
        let state = self.0.take();
        if state.seen.is_empty() { Ok(()) } else { state.book(intake) }
    }
}

/// A job's other name, as two hashes: of millions of names no two share both.
type InstKey = (u64, u64);

fn inst_key(inst: &[u8]) -> Option<InstKey> {
    (!inst.is_empty()).then(|| (Hash::of(inst).value(), Hash::seeded(1, inst).value()))
}

/// The reason for which a row that equals an earlier one is skipped. Of instances, of which there are millions, equal rows are not
/// told apart: they change nothing, since the earliest start and the latest end count.
const DUPLICATE: &str = "duplicate";

/// Whether a table has said something of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Said {
    #[default]
    Nothing,
    Something,
    /// Something that cannot be read.
    Nonsense,
}

/// From the earliest start to the latest end, in microseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    start: Option<i64>,
    end: Option<i64>,
}

impl Extent {
    fn include(&mut self, start: Option<i64>, end: Option<i64>) {
        self.start = match (self.start, start) {
            (Some(known), Some(new)) => Some(known.min(new)),
            (known, new) => known.or(new),
        };
        self.end = self.end.max(end);
    }

    /// The same, with the bounds of `other` where it has none.
    fn or(self, other: Self) -> Self {
        Self { start: self.start.or(other.start), end: self.end.or(other.end) }
    }
}

/// What the tables say of one job.
#[derive(Debug, Default)]
struct Job {
    row: Said,
    tasks: Said,
    /// File and line of its row in the job table, else of its first task.
    at: (u32, u64),
    /// Hash of its row in the job table.
    content: u64,
    inst: Option<InstKey>,
    submit: Option<i64>,
    user: Option<u32>,
    status: Option<u32>,
    /// The GPU type its first task with GPUs was given.
    assigned: Option<u32>,
    gpus: MilliGpus,
    /// Instances with GPUs, and the GPUs of each while they are equal.
    workers: u32,
    each: Option<MilliGpus>,
    ran: Extent,
    instances_ran: Extent,
}

/// What the group tag table says of one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag {
    user: Option<u32>,
    gpu_type: Option<u32>,
    model: Option<u32>,
    /// Hash of its row.
    content: u64,
}

/// A row of the task table that cannot be read.
#[derive(Debug)]
struct TaskFault {
    job: u32,
    at: (u32, u64),
    fault: Fault,
}

/// What all tables so far say.
#[derive(Debug, Default)]
struct State {
    files: Vec<String>,
    seen: Vec<PaiTable>,
    /// Names of jobs; the position is that in `jobs`.
    names: Names,
    jobs: Vec<Job>,
    tags: HashMap<InstKey, Tag, BuildHasherDefault<Hash>>,
    /// Hashes of the rows of the task table.
    tasks: HashSet<u64, BuildHasherDefault<Hash>>,
    repeated_tags: u64,
    users: Names,
    gpu_types: Names,
    models: Names,
    statuses: Names,
    faults: Vec<TaskFault>,
}

impl State {
    /// The job that a row names.
    fn job(&mut self, row: &Row<'_>, column: usize) -> Result<(u32, &mut Job), Fault> {
        const NAMELESS: Bad = Bad { expected: "a job_name", hint: "the tables are joined by it" };
        const TOO_MANY: Bad = Bad { expected: "at most 4,294,967,294 jobs", hint: "" };
        let name = row.text(Some(column));
        if name.is_empty() {
            return Err(row.fault(column, NAMELESS));
        }
        let at = self.names.position(&name);
        if at as usize >= self.jobs.len() {
            self.jobs.push(Job::default());
        }
        match self.jobs.get_mut(at as usize) {
            Some(job) => Ok((at, job)),
            None => Err(row.fault(column, TOO_MANY)),
        }
    }

    /// The order of statuses, from unknown words over what ended well to what has not ended.
    fn rank(&self, status: Option<u32>) -> u8 {
        match ended(self.statuses.name(status)) {
            None => u8::from(status.is_some()),
            Some(Outcome::Completed) => 2,
            Some(Outcome::Failed | Outcome::Cancelled) => 3,
            Some(Outcome::Pending) => 4,
            Some(Outcome::Running) => 5,
        }
    }

    /// Books every job, in the order of the job table.
    fn book(mut self, intake: &mut Intake) -> Result<(), Refusal> {
        let has = |table| self.seen.contains(&table);
        if !has(PaiTable::Task) {
            let names: Vec<&str> = self.seen.iter().map(|table| table.name()).collect();
            return Err(Refusal::MissingColumns {
                format: FORMAT.name.into(),
                missing: "the table pai_task_table, which has the GPUs".into(),
                found: names.join(", "),
                advice: "Load it together with the others, in any order.".into(),
            });
        }
        let (has_jobs, has_tags) = (has(PaiTable::Job), has(PaiTable::GroupTag));
        let job = |at: &u32| self.jobs.get(*at as usize);
        let has_row = |at: &u32| job(at).is_some_and(|job| job.row == Said::Something);
        let has_tasks_only =
            |at: &u32| job(at).is_some_and(|job| job.row == Said::Nothing && job.tasks != Said::Nothing);
        let all = 0..self.jobs.len() as u32;
        let without_row: Vec<u32> = all.clone().filter(has_tasks_only).collect();
        let orphans = if has_jobs { without_row.len() as u64 } else { 0 };
        let mut order = if has_jobs { all.filter(has_row).collect() } else { without_row };
        order.sort_by_key(|at| job(at).map(|job| job.at));
        let mut faults = std::mem::take(&mut self.faults);
        let mut booking = Booking {
            state: &self,
            has_jobs,
            has_tags,
            orphans,
            started_as_submitted: 0,
            assigned_as_asked: 0,
            without_tasks: 0,
            untagged: 0,
            mixed: 0,
            unknown_states: 0,
        };
        for at in order {
            let fault =
                faults.iter().position(|fault| fault.job == at).map(|found| faults.swap_remove(found));
            booking.book(at, fault, intake)?;
        }
        booking.end(intake);
        Ok(())
    }
}

/// How a status says that it ended; `None` for an unknown word or none.
fn ended(status: &str) -> Option<Outcome> {
    match status {
        "Terminated" => Some(Outcome::Completed),
        "Failed" => Some(Outcome::Failed),
        "Running" => Some(Outcome::Running),
        "Waiting" => Some(Outcome::Pending),
        _ => None,
    }
}

/// The jobs on their way into the workload.
struct Booking<'s> {
    state: &'s State,
    has_jobs: bool,
    has_tags: bool,
    orphans: u64,
    started_as_submitted: u64,
    assigned_as_asked: u64,
    without_tasks: u64,
    untagged: u64,
    mixed: u64,
    unknown_states: u64,
}

impl<'s> Booking<'s> {
    fn book(&mut self, at: u32, fault: Option<TaskFault>, intake: &mut Intake) -> Result<(), Refusal> {
        let Some(job) = self.state.jobs.get(at as usize) else { return Ok(()) };
        let (of, verdict) = match (fault, job.tasks) {
            (Some(found), _) => (found.at, Err(found.fault)),
            (None, Said::Nonsense) => {
                let wrong = "a job with a task that cannot be read";
                (job.at, Err(Fault::of_record(wrong, "readable rows in pai_task_table", "")))
            }
            (None, _) => (job.at, self.verdict(at, job)),
        };
        let file = self.state.files.get(of.0 as usize).map_or("", String::as_str);
        intake.settle_of(file, of.1, job.content, verdict)
    }

    fn verdict(&mut self, at: u32, job: &Job) -> Result<Verdict<'s>, Fault> {
        let state = self.state;
        let ran = job.ran.or(job.instances_ran);
        let submit = match (self.has_jobs, job.submit, ran.start) {
            (true, Some(submit), _) => submit,
            (false, _, Some(start)) => {
                self.started_as_submitted += 1;
                start
            }
            _ => {
                let hint = "load pai_job_table as well; it has the submission";
                return Err(Fault::of_record(
                    "a job without a start",
                    "a start_time of one of its tasks",
                    hint,
                ));
            }
        };
        let tag = job.inst.and_then(|inst| state.tags.get(&inst));
        self.untagged += u64::from(self.has_tags && tag.is_none());
        self.without_tasks += u64::from(job.tasks == Said::Nothing);
        let gpu_type = if self.has_tags { tag.and_then(|tag| tag.gpu_type) } else { job.assigned };
        self.assigned_as_asked += u64::from(!self.has_tags && job.assigned.is_some());
        let status = state.statuses.name(job.status);
        let outcome = ended(status);
        self.unknown_states += u64::from(outcome.is_none() && !status.is_empty());
        let outcome = outcome.unwrap_or_default();
        let end = ran.end.filter(|_| !matches!(outcome, Outcome::Running | Outcome::Pending));
        let is_mixed = job.workers > 0 && job.each.is_none();
        self.mixed += u64::from(is_mixed);
        Ok(Verdict::Job(Draft {
            id: state.names.name(Some(at)).into(),
            user: state.users.name(job.user.or_else(|| tag.and_then(|tag| tag.user))).into(),
            gpu_type: state.gpu_types.name(gpu_type).into(),
            model: state.models.name(tag.and_then(|tag| tag.model)).into(),
            state: status.into(),
            submit,
            gpus: job.gpus,
            workers: job.each.filter(|each| each.is_fractional()).map(|_| job.workers),
            duration: ran.start.zip(end).filter(|(s, e)| s <= e).map(|(s, e)| SimSpan(e - s)),
            start: ran.start,
            end,
            outcome,
            ..Draft::default()
        }))
    }

    /// Tells what was noticed.
    fn end(self, intake: &mut Intake) {
        let notices = [
            (
                "no-job-table",
                self.started_as_submitted,
                "jobs are submitted when their first task starts, since pai_job_table is not among the files",
            ),
            (
                "no-group-tags",
                self.assigned_as_asked,
                "jobs ask for the GPU type they were given, since pai_group_tag_table is not among the files",
            ),
            ("untagged", self.untagged, "jobs have no row in pai_group_tag_table and may use any GPU type"),
            (
                "repeated-tags",
                self.state.repeated_tags,
                "rows of pai_group_tag_table say of a job what an earlier row says otherwise; the first is used",
            ),
            (
                "no-tasks",
                self.without_tasks,
                "jobs have no row in pai_task_table and count as jobs without GPUs",
            ),
            (
                "tasks-without-job",
                self.orphans,
                "jobs are named in pai_task_table only and are left out, since pai_job_table is among the files",
            ),
            (
                "mixed-tasks",
                self.mixed,
                "jobs have instances with different numbers of GPUs; these are added up",
            ),
            ("unknown-states", self.unknown_states, "jobs have an unknown state and count as completed"),
        ];
        for (code, count, text) in notices {
            intake.notice(Notice::new(code, count, text));
        }
    }
}

/// Reads the job table.
struct JobRows {
    state: Rc<RefCell<State>>,
    file: u32,
    job: usize,
    inst: usize,
    user: Option<usize>,
    status: Option<usize>,
    submit: usize,
}

impl RowReader for JobRows {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        const REPEATED: Bad =
            Bad { expected: "a job_name that no earlier row has", hint: "the tables are joined by it" };
        let state = &mut *self.state.borrow_mut();
        let (at, job) = state.job(row, self.job)?;
        if job.row != Said::Nothing {
            let is_same = job.row == Said::Something && job.content == row.hash();
            return if is_same { Ok(Verdict::Skip(DUPLICATE)) } else { Err(row.fault(self.job, REPEATED)) };
        }
        job.row = Said::Nonsense;
        let submit = row.time(self.submit)?;
        let user = state.users.optional(&row.text(self.user));
        let status = state.statuses.optional(&row.text(self.status));
        let Some(job) = state.jobs.get_mut(at as usize) else { return Ok(Verdict::Part) };
        job.row = Said::Something;
        job.at = (self.file, row.line());
        job.content = row.hash();
        job.inst = inst_key(row.get(self.inst)).or(job.inst);
        (job.submit, job.user, job.status) = (Some(submit), user, status);
        Ok(Verdict::Part)
    }

    fn close(&mut self) -> Closing {
        Closing { table: Some(PaiTable::Job.name()), ..Closing::default() }
    }
}

/// Reads the task table.
struct TaskRows {
    state: Rc<RefCell<State>>,
    file: u32,
    job: usize,
    count: usize,
    gpus: usize,
    start: usize,
    end: usize,
    status: Option<usize>,
    gpu_type: Option<usize>,
}

/// One row of the task table.
struct Task {
    instances: u32,
    each: MilliGpus,
    start: Option<i64>,
    end: Option<i64>,
}

impl TaskRows {
    fn read(&self, row: &Row<'_>) -> Result<Task, Fault> {
        const INSTANCES: Bad = Bad { expected: "a whole number of instances from 0 to 65,536", hint: "" };
        let instances = value::whole(row.get(self.count))
            .filter(|n| (0..=MAX_GPUS).contains(n))
            .and_then(|n| u32::try_from(n).ok())
            .ok_or_else(|| row.fault(self.count, INSTANCES))?;
        let each = row.maybe(Some(self.gpus), value::gpu_percent)?.unwrap_or_default();
        Ok(Task {
            instances,
            each,
            start: row.maybe_time(Some(self.start))?,
            end: row.maybe_time(Some(self.end))?,
        })
    }

    /// Adds a task to its job.
    fn add(&self, row: &Row<'_>, task: &Task, job: &mut Job) -> Result<(), Fault> {
        const TOO_LARGE: Bad = Bad { expected: "at most 65,536 GPUs over all tasks of a job", hint: "" };
        let too_large = |bad| row.fault(self.gpus, bad);
        let gang = value::gang(task.each, task.instances).map_err(too_large)?;
        let sum = u64::from(job.gpus.0) + u64::from(gang.gpus.0);
        job.gpus = u32::try_from(sum)
            .ok()
            .filter(|&milli| i64::from(milli) <= MAX_GPUS * 1000)
            .map(MilliGpus)
            .ok_or_else(|| too_large(TOO_LARGE))?;
        if gang.gpus.0 > 0 {
            let is_first = job.workers == 0;
            job.each = if is_first { Some(task.each) } else { job.each.filter(|each| *each == task.each) };
            job.workers += task.instances;
        }
        job.ran.include(task.start, task.end);
        Ok(())
    }
}

impl RowReader for TaskRows {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let state = &mut *self.state.borrow_mut();
        if !state.tasks.insert(row.hash()) {
            return Ok(Verdict::Skip(DUPLICATE));
        }
        let task = self.read(row);
        let status = state.statuses.optional(&row.text(self.status));
        let assigned = state.gpu_types.optional(&row.text(self.gpu_type));
        let (at, job) = state.job(row, self.job)?;
        if job.row == Said::Nothing && job.tasks == Said::Nothing {
            job.at = (self.file, row.line());
        }
        let added = task.and_then(|task| self.add(row, &task, job).map(|()| task.each.0 > 0));
        match added {
            Ok(has_gpus) => {
                job.assigned = job.assigned.or(assigned.filter(|_| has_gpus));
                if job.tasks == Said::Nothing {
                    job.tasks = Said::Something;
                }
            }
            Err(fault) => {
                job.tasks = Said::Nonsense;
                if state.faults.len() < KEPT_FAULTS {
                    state.faults.push(TaskFault { job: at, at: (self.file, row.line()), fault });
                }
            }
        }
        // Of a job that has no row, the task that ended worst tells how it ended.
        let known = state.jobs.get(at as usize).map(|job| (job.row, job.status));
        if let Some((Said::Nothing, known)) = known
            && state.rank(status) > state.rank(known)
            && let Some(job) = state.jobs.get_mut(at as usize)
        {
            job.status = status;
        }
        Ok(Verdict::Part)
    }

    fn close(&mut self) -> Closing {
        Closing { table: Some(PaiTable::Task.name()), ..Closing::default() }
    }
}

/// Reads the instance table: when instances ran, where no task says it, and which names are those of one job.
struct InstanceRows {
    state: Rc<RefCell<State>>,
    job: usize,
    inst: usize,
    start: usize,
    end: usize,
    unread: u64,
}

impl RowReader for InstanceRows {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let state = &mut *self.state.borrow_mut();
        let (_, job) = state.job(row, self.job)?;
        if job.inst.is_none() {
            job.inst = inst_key(row.get(self.inst));
        }
        match (row.maybe_time(Some(self.start)), row.maybe_time(Some(self.end))) {
            (Ok(start), Ok(end)) => job.instances_ran.include(start, end),
            _ => self.unread += 1,
        }
        Ok(Verdict::Part)
    }

    fn close(&mut self) -> Closing {
        let text =
            "rows of pai_instance_table have times that cannot be read; the task table tells when jobs ran";
        let notices = vec![Notice::new("unread-instances", self.unread, text)];
        Closing { table: Some(PaiTable::Instance.name()), notices, ..Closing::default() }
    }
}

/// Reads the group tag table.
struct TagRows {
    state: Rc<RefCell<State>>,
    inst: usize,
    user: Option<usize>,
    gpu_type: Option<usize>,
    model: Option<usize>,
}

impl RowReader for TagRows {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let Some(inst) = inst_key(row.get(self.inst)) else { return Ok(Verdict::Part) };
        let state = &mut *self.state.borrow_mut();
        let tag = Tag {
            user: state.users.optional(&row.text(self.user)),
            gpu_type: state.gpu_types.optional(&row.text(self.gpu_type)),
            model: state.models.optional(&row.text(self.model)),
            content: row.hash(),
        };
        match state.tags.entry(inst) {
            Entry::Vacant(entry) => {
                entry.insert(tag);
            }
            Entry::Occupied(known) if known.get().content == tag.content => {
                return Ok(Verdict::Skip(DUPLICATE));
            }
            Entry::Occupied(known) => {
                let same = Tag { content: known.get().content, ..tag };
                state.repeated_tags += u64::from(*known.get() != same);
            }
        }
        Ok(Verdict::Part)
    }

    fn close(&mut self) -> Closing {
        Closing { table: Some(PaiTable::GroupTag.name()), ..Closing::default() }
    }
}

/// Passes over a table of measurements.
struct Measurements {
    table: PaiTable,
    rows: u64,
}

impl RowReader for Measurements {
    fn row<'r>(&mut self, _row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        self.rows += 1;
        Ok(Verdict::Part)
    }

    fn close(&mut self) -> Closing {
        let text = "rows of measurements are not needed and were passed over";
        let notices = vec![Notice::new("measurements", self.rows, text)];
        Closing { table: Some(self.table.name()), notices, ..Closing::default() }
    }
}
