//! The workload under construction: names, identities, accounts of what was skipped and rejected.
//!
//! A reader turns each record into one [`Verdict`]; [`Intake::settle`] books it exactly once, so that jobs, skipped and
//! rejected records always add up to the records of the file.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

use crate::trace::hash::Hash;
use crate::trace::identity::{Identities, Identity};
use crate::trace::latin;
use crate::trace::mapping;
use crate::trace::measure::{Figures, measure};
use crate::trace::names::Names;
use crate::trace::refusal::Refusal;
use crate::trace::repair::{self, Origin, Repairs, RepeatedIds, Tally};
use crate::trace::report::{NOT_IN_SAMPLE, Rejected, Skipped, Warning};
use crate::trace::room::Room;
use crate::trace::value::{Bad, MAX_DURATION_S, Notes};
use crate::trace::{ImportOptions, Imported};
use crate::units::{MICROS_PER_S, MilliGpus, SimSpan, SimTime, TenantId};
use crate::workload::{JobRecord, Outcome, Presence, TextColumn, Workload, give_back};

/// How many rejected records the report shows.
const SHOWN_REJECTED: usize = 20;
/// How many lines of skipped records the report shows for each reason.
const SHOWN_SKIPPED: usize = 5;
/// What the sample of one record in so many is drawn with.
const SAMPLE_SEED: u64 = 0x7374_735f_6f6e_6569;
/// How much of a rejected value is shown, in characters.
const SHOWN_VALUE: usize = 40;
/// One job as a reader understood it. Times are microseconds in the source's own origin; empty texts mean "not stated".
#[derive(Debug, Default)]
pub(super) struct Draft<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) tenant: Cow<'a, str>,
    pub(super) user: Cow<'a, str>,
    pub(super) gpu_type: Cow<'a, str>,
    pub(super) model: Cow<'a, str>,
    /// The source's own word for how it ended.
    pub(super) state: Cow<'a, str>,
    pub(super) submit: i64,
    pub(super) gpus: MilliGpus,
    /// `None`: one worker a GPU.
    pub(super) workers: Option<u32>,
    pub(super) duration: Option<SimSpan>,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) memory_mb: u32,
    pub(super) min_slots: u8,
    pub(super) outcome: Outcome,
    pub(super) limit: Option<SimSpan>,
}

/// What a reader makes of one record.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly every record is a job; boxing each would cost more")]
pub(super) enum Verdict<'a> {
    /// A job.
    Job(Draft<'a>),
    /// Nothing, on purpose; the reason is one of [`Skipped::reason`].
    Skip(&'static str),
    /// A part of a job that is booked when all tables are read: no record yet.
    Part,
    /// More of the run of the job that the record above is, or continues.
    Continues(Piece),
}

/// A piece of a job's run that has a record of its own, after one of the same job.
#[derive(Debug)]
pub(super) struct Piece {
    /// From the end of the piece before to its start.
    pub(super) pause: Option<SimSpan>,
    pub(super) run: Option<SimSpan>,
    /// The source's word for how the job ended, as it was with the pieces before and as it is with this one.
    pub(super) states: [&'static str; 2],
    /// What the latter means.
    pub(super) outcome: Outcome,
    /// The reason for which the record counts as skipped: the job is counted by its first one.
    pub(super) reason: &'static str,
}

/// What is wrong with one record.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) column: Option<String>,
    pub(super) value: String,
    pub(super) expected: String,
    pub(super) hint: String,
}

impl Fault {
    /// A value that cannot be read.
    pub(super) fn of_value(column: &str, value: &[u8], bad: Bad) -> Self {
        Self {
            column: Some(column.to_owned()),
            value: cut(&latin::decode(value)),
            expected: bad.expected.to_owned(),
            hint: bad.hint.to_owned(),
        }
    }

    /// The same with another hint.
    pub(super) fn with_hint(mut self, hint: &str) -> Self {
        hint.clone_into(&mut self.hint);
        self
    }

    /// A record that is wrong as a whole.
    pub(super) fn of_record(value: &str, expected: &str, hint: &str) -> Self {
        Self { column: None, value: cut(value), expected: expected.to_owned(), hint: hint.to_owned() }
    }
}

/// The first characters of a value.
fn cut(value: &str) -> String {
    let mut shown: String = value.chars().take(SHOWN_VALUE).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown
}

/// Name tables whose order, and entries that no job uses, a file states itself.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) tenants: Vec<String>,
    pub(super) users: Vec<String>,
    pub(super) gpu_types: Vec<String>,
    pub(super) models: Vec<String>,
}

/// What a reader adds when a file ends.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Added to every time of the file, in microseconds.
    pub(super) origin: i64,
    /// Tables to begin with.
    pub(super) tables: Tables,
    /// What it noticed.
    pub(super) notices: Vec<Notice>,
    /// Figures of the report that only this format has.
    pub(super) figures: Vec<(&'static str, u64)>,
    /// Which of the tables of its format this one is.
    pub(super) table: Option<&'static str>,
    /// Run times by the name that the jobs of the file carry as their model, where they stand apart from the jobs.
    pub(super) run_times: Option<HashMap<String, SimSpan>>,
}

/// Something noticed about a number of records. Its message is the count, a blank and the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) code: &'static str,
    pub(super) count: u64,
    pub(super) text: Cow<'static, str>,
}

impl Notice {
    pub(super) fn new(code: &'static str, count: u64, text: impl Into<Cow<'static, str>>) -> Self {
        Self { code, count, text: text.into() }
    }
}

/// The workload and its report while records come in.
#[derive(Debug, Default)]
pub(super) struct Intake {
    pub(super) notes: Rc<Notes>,
    /// The file being read, shown in the report once there are several.
    file: String,
    files: u32,
    /// Records and parts of records that were read.
    taken: u64,
    /// The number of the element being read, in a file of which lines tell little.
    element: Option<u64>,
    records: u64,
    jobs: Vec<JobRecord>,
    identities: Identities,
    tenants: Names,
    users: Names,
    gpu_types: Names,
    models: Names,
    /// Words for how a job ended, and how many jobs have each.
    states: Names,
    state_counts: Vec<u64>,
    /// Whether the last record of a job of its own made one, rather than being one that was read before.
    continuing: bool,
    skipped: Vec<Skipped>,
    rejected: Vec<Rejected>,
    rejected_count: u64,
    /// Jobs of the files before the current one.
    earlier_jobs: usize,
    tables: Tables,
    notices: Vec<Notice>,
    /// Jobs that start before they are submitted.
    early: Tally,
    figures: IndexMap<String, u64>,
    /// Which of the tables of its format the last file was.
    table: Option<&'static str>,
    /// One in so many records is read.
    one_in: u64,
    repairs: Repairs,
    /// Where each job comes from, where something is repaired.
    origins: Vec<Origin>,
    /// Records that are left out because another one of their id is kept.
    left_out: Tally,
    /// Jobs of earlier files in whose place is now a record of the current file.
    replaced: BTreeSet<usize>,
}

impl Intake {
    /// An import as the user wants it.
    pub(super) fn new(options: &ImportOptions) -> Self {
        let notes = match &options.mapping {
            Some(mapping) => mapping::notes(mapping),
            None => Notes::at_offset(options.utc_offset_s),
        };
        Self {
            notes: Rc::new(notes),
            identities: Identities::new(options.repairs.repeated_ids),
            repairs: options.repairs,
            one_in: options.one_in.max(1).into(),
            ..Self::default()
        }
    }

    /// Names the file that the next records come from.
    pub(super) fn begin_file(&mut self, name: &str) {
        name.clone_into(&mut self.file);
        self.files += 1;
        self.earlier_jobs = self.jobs.len();
        self.replaced.clear();
    }

    /// Ends the current file with what its reader adds.
    pub(super) fn end_file(&mut self, closing: Closing) {
        if closing.origin != 0 {
            let shift = |time: SimTime| SimTime(time.0 + closing.origin);
            let replaced = std::mem::take(&mut self.replaced);
            for (at, job) in self.jobs.iter_mut().enumerate() {
                if at < self.earlier_jobs && !replaced.contains(&at) {
                    continue;
                }
                job.submit = shift(job.submit);
                job.start = job.start.map(shift);
                job.end = job.end.map(shift);
            }
        }
        self.table = closing.table;
        if let Some(run_times) = &closing.run_times {
            self.apply_run_times(run_times);
        }
        self.tables.tenants.extend(closing.tables.tenants);
        self.tables.users.extend(closing.tables.users);
        self.tables.gpu_types.extend(closing.tables.gpu_types);
        self.tables.models.extend(closing.tables.models);
        for notice in closing.notices {
            self.notice(notice);
        }
        for (name, figure) in closing.figures {
            *self.figures.entry(name.to_owned()).or_insert(0) += figure;
        }
    }

    /// Gives the jobs of the current file the run times that their names stand for. A job is killed at its limit.
    /// Names that are mere numbers are no models and are dropped.
    fn apply_run_times(&mut self, by_name: &HashMap<String, SimSpan>) {
        let is_number = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let by_model: Vec<(Option<SimSpan>, bool)> =
            self.models.iter().map(|name| (by_name.get(name).copied(), is_number(name))).collect();
        for job in self.jobs.iter_mut().skip(self.earlier_jobs) {
            let Some(&(span, is_number)) = job.model.and_then(|model| by_model.get(model as usize)) else {
                continue;
            };
            if is_number {
                job.model = None;
            }
            if let (Some(span), Some(limit)) = (span, job.limit.get())
                && limit < span
            {
                job.outcome = Outcome::Failed;
            }
            job.duration = span.map(|span| job.limit.get().map_or(span, |limit| limit.min(span))).into();
        }
    }

    /// Books a notice; those of one code are added up.
    pub(super) fn notice(&mut self, notice: Notice) {
        match self.notices.iter_mut().find(|known| known.code == notice.code) {
            Some(known) => known.count += notice.count,
            None => self.notices.push(notice),
        }
    }

    /// Sees to it that there is memory for all jobs, when `read` bytes of the files have been read.
    pub(super) fn make_room(&mut self, room: Room, read: u64) -> Result<(), Refusal> {
        /// Expected jobs are reserved with so many more, in hundredths.
        const SPARE: u64 = 3;
        let Some(expected) = room.foresee(read, self.jobs.len() as u64, self.identities.id_bytes())? else {
            return Ok(());
        };
        let jobs = self.jobs.len() as u64;
        if jobs > 0 && (self.jobs.capacity() as u64) < expected {
            let ids = self.identities.id_bytes().saturating_mul(expected) / jobs;
            let spared = |count: u64| usize::try_from(count + count / 100 * SPARE).unwrap_or(usize::MAX);
            let (expected, ids) = (spared(expected), spared(ids));
            // What cannot be had is asked for again when it is needed.
            let _ = self.jobs.try_reserve_exact(expected.saturating_sub(self.jobs.len()));
            self.identities.make_room(expected, ids);
        }
        Ok(())
    }

    /// Records so far.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Records and parts of records that were read so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Which of the tables of its format the last file was.
    pub(super) fn table(&mut self) -> Option<&'static str> {
        self.table.take()
    }

    /// Books a record as [`settle`](Self::settle) does, of a file that was read before.
    pub(super) fn settle_of(
        &mut self,
        file: &str,
        line: u64,
        content: u64,
        verdict: Result<Verdict<'_>, Fault>,
    ) -> Result<(), Refusal> {
        if self.file != file {
            file.clone_into(&mut self.file);
        }
        self.book(line, content, verdict)
    }

    /// Books one record: its first line, the hash of its content, and what the reader made of it.
    #[inline]
    pub(super) fn settle(
        &mut self,
        line: u64,
        content: u64,
        verdict: Result<Verdict<'_>, Fault>,
    ) -> Result<(), Refusal> {
        self.taken += 1;
        self.book(line, content, verdict)
    }

    /// Books an element of a JSON document as [`settle`](Self::settle) does; `number` counts them in the file.
    pub(super) fn settle_element(
        &mut self,
        number: u64,
        line: u64,
        content: u64,
        verdict: Result<Verdict<'_>, Fault>,
    ) -> Result<(), Refusal> {
        self.element = Some(number);
        let settled = self.settle(line, content, verdict);
        self.element = None;
        settled
    }

    #[inline]
    fn book(&mut self, line: u64, content: u64, verdict: Result<Verdict<'_>, Fault>) -> Result<(), Refusal> {
        if matches!(verdict, Ok(Verdict::Part)) {
            return Ok(());
        }
        self.records += 1;
        if matches!(verdict, Ok(Verdict::Job(_))) {
            self.continuing = false;
        }
        // What continues a job goes where the job went.
        let continues = matches!(verdict, Ok(Verdict::Continues(_)));
        if self.one_in > 1 && !continues && !self.is_in_sample() {
            self.skip(line, NOT_IN_SAMPLE);
            return Ok(());
        }
        match verdict {
            Ok(Verdict::Job(ref draft)) => self.add(line, content, draft)?,
            Ok(Verdict::Skip(reason)) => self.skip(line, reason),
            Ok(Verdict::Part) => {}
            Ok(Verdict::Continues(piece)) if self.continuing => self.go_on(line, &piece),
            // The job it continues is one that was read before.
            Ok(Verdict::Continues(piece)) => self.skip(line, piece.reason),
            Err(fault) => self.reject(line, fault),
        }
        Ok(())
    }

    /// Whether the last record is in the sample: of every block of so many records one is, at a place that differs from block to
    /// block, so that what comes back in a table at equal distances is neither always met nor never.
    fn is_in_sample(&self) -> bool {
        let before = self.records.saturating_sub(1);
        let (block, place) = (before / self.one_in, before % self.one_in);
        let drawn = Hash::seeded(SAMPLE_SEED, &block.to_le_bytes()).value();
        place == ((u128::from(drawn) * u128::from(self.one_in)) >> 64) as u64
    }

    /// Adds a piece to the run of the last job.
    fn go_on(&mut self, line: u64, piece: &Piece) {
        let Some(job) = self.jobs.last_mut() else { return };
        let run = piece.run.unwrap_or_default();
        let sum = SimSpan(job.duration.get().unwrap_or_default().0 + run.0);
        if sum.0 > MAX_DURATION_S * MICROS_PER_S {
            let fault =
                Fault::of_record("a piece of a run", "pieces that last at most 100 years together", "");
            return self.reject(line, fault);
        }
        if job.duration.is_some() || piece.run.is_some() {
            job.duration = Some(sum).into();
        }
        job.end = job.end.get().zip(piece.pause).map(|(end, pause)| SimTime(end.0 + pause.0 + run.0)).into();
        job.outcome = piece.outcome;
        let [before, now] = piece.states;
        if before != now {
            let before = self.states.optional(before);
            self.uncount_state(before);
            let state = self.count_state(now);
            if let Some(origin) = self.origins.last_mut() {
                origin.state = state;
            }
        }
        self.skip(line, piece.reason);
    }

    fn skip(&mut self, line: u64, reason: &'static str) {
        let at = self.skipped.iter().position(|s| s.reason == reason).unwrap_or_else(|| {
            self.skipped.push(Skipped { reason: reason.to_owned(), ..Skipped::default() });
            self.skipped.len() - 1
        });
        let Some(skipped) = self.skipped.get_mut(at) else { return };
        skipped.count += 1;
        if skipped.first_lines.len() < SHOWN_SKIPPED {
            skipped.first_lines.push(line);
            skipped.first_records.extend(self.element);
        }
    }

    fn reject(&mut self, line: u64, fault: Fault) {
        self.rejected_count += 1;
        if self.rejected.len() < SHOWN_REJECTED {
            let mut hint = fault.hint;
            if self.files > 1 {
                let gap = if hint.is_empty() { "" } else { "; " };
                hint = format!("{hint}{gap}in {}", self.file);
            }
            self.rejected.push(Rejected {
                line,
                record: self.element,
                column: fault.column,
                value: fault.value,
                expected: fault.expected,
                hint,
            });
        }
    }

    fn add(&mut self, line: u64, content: u64, draft: &Draft<'_>) -> Result<(), Refusal> {
        if draft.end.zip(draft.start).is_some_and(|(end, start)| end < start) {
            let fault = Fault::of_record("an end before the start", "an end at or after the start", "");
            self.reject(line, fault);
            return Ok(());
        }
        let mut replaced = None;
        let is_early = draft.start.is_some_and(|start| start < draft.submit);
        match self.identities.identify(&draft.id, content, self.records)? {
            Identity::New => {}
            Identity::Duplicate => {
                self.skip(line, "duplicate");
                return Ok(());
            }
            Identity::Again(_) if self.repairs.repeated_ids == RepeatedIds::First => {
                self.leave_out(line);
                return Ok(());
            }
            Identity::Again(at) => replaced = Some(at),
        }
        if is_early {
            self.early.add(line);
        }
        let tenant = match (draft.tenant.as_ref(), draft.user.as_ref()) {
            ("", "") => "unknown",
            ("", user) => user,
            (tenant, _) => tenant,
        };
        let tenant = TenantId(self.tenants.position(tenant));
        let state = self.count_state(draft.state.as_ref());
        self.continuing = replaced.is_none();
        let job = JobRecord {
            submit: SimTime(draft.submit),
            gpus: draft.gpus,
            workers: draft.workers.unwrap_or_else(|| draft.gpus.whole_devices().max(1)),
            duration: draft.duration.into(),
            start: draft.start.map(SimTime).into(),
            end: draft.end.map(SimTime).into(),
            tenant,
            user: self.users.optional(&draft.user),
            gpu_type: self.gpu_types.optional(&draft.gpu_type),
            model: self.models.optional(&draft.model),
            memory_mb: draft.memory_mb,
            min_slots: draft.min_slots,
            outcome: draft.outcome,
            limit: draft.limit.filter(|limit| limit.0 > 0).into(),
            presence: Presence::Arrives,
        };
        let origin = Origin { line, state };
        match replaced {
            Some(at) => self.replace(at, job, origin),
            None => {
                self.jobs.push(job);
                if !self.repairs.is_none() {
                    self.origins.push(origin);
                }
            }
        }
        Ok(())
    }

    /// Counts a word for how a job ended; its position among all words.
    #[inline]
    fn count_state(&mut self, word: &str) -> Option<u32> {
        let state = self.states.optional(word)?;
        self.state_counts.resize(self.states.len(), 0);
        if let Some(count) = self.state_counts.get_mut(state as usize) {
            *count += 1;
        }
        Some(state)
    }

    /// Takes a counted word back.
    fn uncount_state(&mut self, state: Option<u32>) {
        if let Some(count) = state.and_then(|state| self.state_counts.get_mut(state as usize)) {
            *count = count.saturating_sub(1);
        }
    }

    /// Leaves a record out because another one of its id is kept.
    fn leave_out(&mut self, line: u64) {
        self.skip(line, "repeated-id");
        self.left_out.add(line);
    }

    /// Puts a job in the place of an earlier record of its id.
    fn replace(&mut self, at: usize, job: JobRecord, origin: Origin) {
        let (Some(old), Some(old_origin)) = (self.jobs.get_mut(at), self.origins.get_mut(at)) else { return };
        *old = job;
        if at < self.earlier_jobs {
            self.replaced.insert(at);
        }
        let Origin { line, state } = std::mem::replace(old_origin, origin);
        self.uncount_state(state);
        self.leave_out(line);
    }

    /// Ends the import: jobs in order of submission, times from the first one, tables in order of appearance.
    pub(super) fn finish(mut self, format: &str) -> Imported {
        let repaired = repair::apply(&mut self.jobs, &self.origins, &self.repairs, self.left_out);
        let unsorted = self.jobs.windows(2).filter(|pair| pair[1].submit < pair[0].submit).count() as u64;
        let (identical, repeated) = (self.identities.identical, self.identities.repeated);
        let mut ids = self.identities.into_ids();
        if unsorted > 0 {
            ids = sort(&mut self.jobs, &ids);
        }
        let first = self.jobs.first().map_or(0, |job| job.submit.0);
        let rebase = |time: SimTime| SimTime(time.0 - first);
        let mut tables = [
            Renumbering::new(self.tables.tenants, self.tenants),
            Renumbering::new(self.tables.users, self.users),
            Renumbering::new(self.tables.gpu_types, self.gpu_types),
            Renumbering::new(self.tables.models, self.models),
        ];
        let [tenants, users, gpu_types, models] = &mut tables;
        let mut figures = Figures::default();
        for job in &mut self.jobs {
            job.submit = rebase(job.submit);
            job.start = job.start.map(rebase);
            job.end = job.end.map(rebase);
            job.tenant = TenantId(tenants.number(job.tenant.0));
            job.user = job.user.map(|user| users.number(user));
            job.gpu_type = job.gpu_type.map(|kind| gpu_types.number(kind));
            job.model = job.model.map(|model| models.number(model));
            figures.add(job);
        }
        let [tenants, users, gpu_types, models] = tables.map(Renumbering::into_names);
        give_back(&mut self.jobs);
        ids.give_back();
        let workload = Workload {
            jobs: self.jobs,
            names: ids,
            tenants,
            users,
            gpu_types,
            models,
            first_submit_s: first as f64 / MICROS_PER_S as f64,
        };
        let (mut report, looks) = measure(&workload, figures);
        format.clone_into(&mut report.format);
        report.records = self.records;
        report.duplicate_ids = repeated;
        report.submit_sorted = unsorted == 0;
        let states = self.states.iter().map(str::to_owned).zip(self.state_counts);
        report.states = states.filter(|(_, count)| *count > 0).collect();
        report.figures = self.figures;
        report.skipped = self.skipped;
        report.repairs = repaired;
        report.rejected = self.rejected;
        report.rejected_count = self.rejected_count;
        let early = format!(
            "jobs start before they are submitted{}; the start is kept as traced and the submission counts",
            self.early.lines()
        );
        let own = [
            (
                "unsorted",
                unsorted,
                "records are submitted before the one above them; jobs were sorted by submission, which is right unless the file \
                 was put together from several clusters",
            ),
            (
                "duplicate-ids",
                repeated,
                "jobs have the id of an earlier, different job; they carry a suffix #2, #3, … If these are later states of one \
                 job, keep the last (repeated_ids=last)",
            ),
            (
                "identical-rows",
                identical,
                "rows equal an earlier one and have no id that would tell whether they are the same job; all are kept",
            ),
            (
                "local-times",
                self.notes.local_times.get(),
                "times are printed without a zone and are read as UTC. In another fixed zone all would be earlier or later alike, which \
                 changes no result; if clocks were changed in between, export in UTC or name the zone in a mapping (generic-csv)",
            ),
            (
                "repeated-times",
                self.notes.repeated_times.get(),
                "times fall into an hour that the zone's clock shows twice or skips; of two the earlier is taken",
            ),
            (
                "invalid-utf8",
                self.notes.not_utf8.get(),
                "texts hold bytes that are no UTF-8; these bytes were read as Windows-1252 (of which Latin-1 is a part). If names look \
                 wrong, save the file as UTF-8",
            ),
        ];
        let own = own.map(|(code, count, text)| Notice::new(code, count, text));
        let own = own.into_iter().chain([Notice::new("start-before-submit", self.early.count(), early)]);
        // Where the origin is stated, times far from it are no other unit.
        let has_origin = self.notices.iter().any(|notice| notice.code == "log-origin" && notice.count > 0);
        let looks = looks.into_iter().filter(|notice| !has_origin || notice.code != "far-origin");
        let all = self.notices.into_iter().chain(own).chain(looks);
        report.warnings = all.filter(|notice| notice.count > 0).map(Warning::from).collect();
        Imported { workload, report, detections: Vec::new() }
    }
}

/// Puts jobs in order of submission, equal times in the order of the file; returns their ids in that order.
fn sort(jobs: &mut [JobRecord], ids: &TextColumn) -> TextColumn {
    let mut order: Vec<u32> = (0..jobs.len() as u32).collect();
    order.sort_by_key(|&at| jobs.get(at as usize).map(|job| job.submit));
    let mut sorted = TextColumn::default();
    sorted.reserve(ids.len(), ids.bytes());
    for at in order {
        sorted.push(ids.get(at as usize));
    }
    jobs.sort_by_key(|job| job.submit);
    sorted
}

impl From<Notice> for Warning {
    fn from(notice: Notice) -> Self {
        Self {
            code: notice.code.into(),
            message: format!("{} {}.", notice.count, notice.text),
            count: notice.count,
        }
    }
}

/// A name table being put in order: the names a file lists first, then by first use.
struct Renumbering {
    names: IndexSet<String>,
    old: Names,
    new: Vec<Option<u32>>,
}

impl Renumbering {
    fn new(listed: Vec<String>, old: Names) -> Self {
        Self { names: listed.into_iter().collect(), new: vec![None; old.len()], old }
    }

    fn number(&mut self, old: u32) -> u32 {
        let Some(slot) = self.new.get_mut(old as usize) else { return 0 };
        *slot.get_or_insert_with(|| {
            let name = self.old.name(Some(old)).to_owned();
            self.names.insert_full(name).0 as u32
        })
    }

    fn into_names(self) -> Vec<String> {
        self.names.into_iter().collect()
    }
}
