//! A worker: takes one request after another and answers each, away from the page's own thread.
//!
//! A worker keeps the workload it was last given, and what it made of it for the scenario it ran last, so that the runs of one
//! comparison read and bind their jobs once a worker.

mod job_tables;

use std::cell::RefCell;
use std::{io, panic};

use js_sys::{Array, Float64Array, Object, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, DedicatedWorkerGlobalScope, File, FileReaderSync};

use super::forecast::Forecast;
use super::laboratory::answers;
use super::mapping::Inspection;
use super::message::{self, Reply, Request, WorkloadFile};
use super::pool::{get, set};
use super::schedule::schedule;
use super::state::inputs::{Contents, MOST_NAMES};
use super::{assumptions, common_jobs, gavel};
use crate::chart::gantt::Schedule;
use crate::chart::window::TimeWindow;
use crate::policy::sts::budget::Limits;
use crate::scenario::Scenario;
use crate::scenario::hash::{scenario_hash, workload_hash};
use crate::scenario::run::{Prepared, prepare};
use crate::scenario::sweep::is_same_world;
use crate::scenario::tables::{RoundsCsv, write_jobs_csv, write_wait_history_csv};
use crate::sim::waiting::WaitHistory;
use crate::sim::{Progress, RoundReport, RunRecord, Watch};
use crate::trace::mapping::Mapping;
use crate::trace::{
    Head, Import, ImportOptions, ImportReport, Refusal, WorkloadDigest, put_in_reading_order, repeated,
    write_sts_csv, write_sts_json,
};
use crate::workload::synthetic::SyntheticSpec;
use crate::workload::{Workload, synthetic};

/// How much of a file is read at a time. A call costs one or two milliseconds whatever its size.
const SLICE_BYTES: f64 = 4_000_000.0;
/// The memory that jobs may take: of the 4 GB that a module can have, three quarters, since what is given back is not always of use.
const MEMORY_BYTES: u64 = 3_000_000_000;
/// How often progress is told.
const PROGRESS_EVERY_MS: f64 = 100.0;

/// What the worker keeps from request to request.
#[derive(Default)]
struct Bench {
    /// The jobs, and where they are from.
    workload: Option<(Origin, Workload)>,
    /// What was made of them for one scenario and seed.
    prepared: Option<Prepared>,
    /// The fingerprint of that scenario, where it was asked for.
    scenario_hash: Option<String>,
}

/// Where jobs are from.
#[derive(Debug, Clone, PartialEq)]
enum Origin {
    /// A trace, by the number of the workload.
    Read(u32),
    /// They were generated.
    Generated(SyntheticSpec),
}

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::default();
}

/// Says that the worker is ready. A panic is told to the page before the worker dies of it: the browser's own event says only
/// that something unreachable was reached.
#[wasm_bindgen]
pub fn start_worker() {
    panic::set_hook(Box::new(|info| tell(&Reply::Panicked { message: info.to_string() }, &[])));
    tell(&Reply::Ready, &[]);
}

/// Takes a request. The answer is posted, not returned.
#[wasm_bindgen]
pub async fn worker_message(message: JsValue) {
    let text = get(&message, "text").as_string().unwrap_or_default();
    let answer = match message::from_text::<Request>(&text) {
        Ok(Request::Read { options }) => read(&message, &options),
        Ok(Request::Inspect { mapping }) => inspect(&message, mapping),
        Ok(Request::Generate { spec }) => generate(&spec),
        Ok(Request::Simulate { scenario, workload, policy, seed }) => {
            BENCH.with_borrow_mut(|bench| simulate(bench, &message, &scenario, workload, policy, seed))
        }
        Ok(Request::Measure { scenario, workload, policy, seed }) => {
            BENCH.with_borrow_mut(|bench| measure(bench, &message, &scenario, workload, policy, seed))
        }
        Ok(Request::Explain { scenario, workload, policy, seed, round, jobs }) => {
            BENCH.with_borrow_mut(|bench| {
                explain(bench, &message, &scenario.replica(seed), workload, (policy, seed, round, jobs))
            })
        }
        Ok(Request::Forecast { scenario, workload }) => {
            BENCH.with_borrow_mut(|bench| bench.forecast(&message, &scenario, workload))
        }
        Ok(Request::Export { format }) => export(&message, format),
        Ok(Request::TraceEvents) => trace_events(&message),
        Ok(Request::CommonMeans { groups }) => common_means(&message, &groups),
        Ok(Request::JobsIn { tables, from_s, to_s }) => {
            job_tables::jobs_in(&message, tables, TimeWindow { from: from_s, to: to_s })
        }
        Ok(Request::JobChanges { pair, query }) => job_tables::changes(&message, pair, &query),
        Ok(Request::JobChangesCsv { pair }) => job_tables::changes_csv(&message, pair),
        Ok(Request::JobWaits { job, tenant }) => job_tables::waits(&message, &job, &tenant),
        Ok(Request::Laboratory { question }) => answers::answers(&question)
            .map(|answers| (Reply::Laboratory { answers: Box::new(answers) }, Vec::new())),
        Ok(Request::Misreports { question }) => answers::misreports(&question)
            .map(|reports| (Reply::Misreports { reports: Box::new(reports) }, Vec::new())),
        Ok(Request::Gavel { settings }) => gavel_run(&message, &settings),
        Err(error) => Err(format!("the page is of another version: {error}")),
    };
    match answer {
        Ok((reply, beside)) => tell(&reply, &beside),
        Err(message) => tell(&Reply::Failed { message }, &[]),
    }
}

/// A reply and what goes beside it, or why there is none.
type Answer = Result<(Reply, Vec<(&'static str, JsValue)>), String>;

fn tell(reply: &Reply, beside: &[(&str, JsValue)]) {
    let object = Object::new();
    set(&object, "text", &message::to_text(reply).into());
    for (key, value) in beside {
        set(&object, key, value);
    }
    // There is nobody else to tell if the page is gone.
    let _ = scope().post_message(&object);
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn now_ms() -> f64 {
    scope().performance().map_or(0.0, |clock| clock.now())
}

/// Lets something happen at most every [`PROGRESS_EVERY_MS`].
struct Pace {
    last_ms: f64,
}

impl Pace {
    fn new() -> Self {
        Self { last_ms: now_ms() }
    }

    fn is_due(&mut self) -> bool {
        let now = now_ms();
        let is_due = now - self.last_ms >= PROGRESS_EVERY_MS;
        if is_due {
            self.last_ms = now;
        }
        is_due
    }
}

fn read(message: &JsValue, options: &ImportOptions) -> Answer {
    let files: Vec<File> = get(message, "files")
        .dyn_into::<Array>()
        .map(|files| files.iter().filter_map(|file| file.dyn_into().ok()).collect())
        .unwrap_or_default();
    match import(&files, options) {
        Ok(imported) => deliver(&imported.0, Some(imported.1)),
        Err(refusal) => Ok((Reply::Refused { refusal: Box::new(refusal) }, Vec::new())),
    }
}

/// Streams files through the importer, a slice at a time.
fn import(files: &[File], options: &ImportOptions) -> Result<(Workload, ImportReport), Refusal> {
    let mut import = Import::new(options)?;
    import.expect(files.iter().map(|file| file.size() as u64).sum(), MEMORY_BYTES);
    let unreadable = |error: JsValue| Refusal::Unreadable { detail: words(&error) };
    let reader = FileReaderSync::new().map_err(unreadable)?;
    let mut buffer = Vec::new();
    let mut pace = Pace::new();
    let read_slice = |file: &File, from: f64, buffer: &mut Vec<u8>| {
        let slice = file.slice_with_f64_and_f64(from, from + SLICE_BYTES).map_err(unreadable)?;
        let slice = reader.read_as_array_buffer(&slice).map_err(unreadable)?;
        let bytes = Uint8Array::new(&slice);
        buffer.resize(bytes.length() as usize, 0);
        bytes.copy_to(buffer);
        Ok::<f64, Refusal>(from + SLICE_BYTES)
    };
    let mut files = files.to_vec();
    put_in_reading_order(&mut files, File::name);
    let mut other_buffer = Vec::new();
    let first = repeated(
        &files,
        |file| Some(file.size() as u64),
        |one, other| {
            let mut from = 0.0;
            while from < one.size() {
                read_slice(one, from, &mut buffer)?;
                from = read_slice(other, from, &mut other_buffer)?;
                if buffer != other_buffer {
                    return Ok(false);
                }
            }
            Ok(true)
        },
    )?;
    for (file, first) in files.iter().zip(first) {
        if let Some(first) = first.and_then(|first| files.get(first)) {
            import.pass_over_repeated(&file.name(), &first.name())?;
            continue;
        }
        import.next_file(&file.name())?;
        let mut from = 0.0;
        while from < file.size() {
            from = read_slice(file, from, &mut buffer)?;
            import.feed(&buffer).map_err(|refusal| refusal.of_file(&file.name(), files.len()))?;
            if pace.is_due() {
                tell(&Reply::Reading { bytes: import.bytes(), records: import.records() }, &[]);
            }
        }
        import.end_of_file().map_err(|refusal| refusal.of_file(&file.name(), files.len()))?;
    }
    let imported = import.finish()?;
    Ok((imported.workload, imported.report))
}

/// Looks at the beginning of a file; what is packed is read until there is enough text.
fn inspect(message: &JsValue, mapping: Option<Box<Mapping>>) -> Answer {
    const STEP_BYTES: f64 = 65_536.0;
    let file: File = get(message, "file").dyn_into().map_err(|_| "the file is missing".to_owned())?;
    let reader = FileReaderSync::new().map_err(|error| words(&error))?;
    let mut head = Head::new(&[]);
    let mut from = 0.0;
    let mut refused = Ok(());
    while from < file.size() && !head.is_full() && refused.is_ok() {
        let slice = file.slice_with_f64_and_f64(from, from + STEP_BYTES);
        let bytes =
            slice.and_then(|slice| reader.read_as_array_buffer(&slice)).map_err(|error| words(&error))?;
        refused = head.feed(&Uint8Array::new(&bytes).to_vec());
        from += STEP_BYTES;
    }
    match refused.and_then(|()| head.finish()) {
        Ok(head) => {
            Ok((Reply::Inspected { inspection: Box::new(Inspection::of(&head, mapping)) }, Vec::new()))
        }
        Err(refusal) => Ok((Reply::Refused { refusal: Box::new(refusal) }, Vec::new())),
    }
}

/// What a browser says when it cannot read a file.
fn words(error: &JsValue) -> String {
    let message = get(error, "message").as_string();
    message
        .unwrap_or_else(|| "the browser gives no reason; the file may have been moved or changed".to_owned())
}

fn generate(spec: &synthetic::SyntheticSpec) -> Answer {
    spec.check().map_err(|(key, found, expected)| format!("{key}: found {found}, expected {expected}"))?;
    deliver(&synthetic::generate(spec), None)
}

/// A workload for the page to keep.
fn deliver(workload: &Workload, report: Option<ImportReport>) -> Answer {
    let fitted = report.as_ref().and_then(|_| synthetic::Fitted::of(workload)).map(Box::new);
    let mut parts = BlobParts::default();
    postcard::to_io(workload, &mut parts)
        .map_err(|error| format!("the jobs cannot be passed on: {error}"))?;
    let contents = Contents {
        report,
        fitted,
        digest: WorkloadDigest::of(workload),
        hash: workload_hash(workload),
        models: workload.models.iter().take(MOST_NAMES).cloned().collect(),
        has_schedule: workload.gpu_jobs().any(|job| job.start.is_some() && job.end.is_some()),
    };
    Ok((Reply::Read { contents: Box::new(contents) }, vec![("workload", parts.into_blob(BYTES)?)]))
}

const BYTES: &str = "application/octet-stream";
const CSV: &str = "text/csv";

/// Bytes on their way out of the module's memory, so that it never holds all of them.
#[derive(Default)]
struct BlobParts {
    part: Vec<u8>,
    parts: Array,
}

impl BlobParts {
    fn hand_over(&mut self) {
        self.parts.push(&Uint8Array::from(&self.part[..]));
        self.part.clear();
    }

    fn into_blob(mut self, kind: &str) -> Result<JsValue, String> {
        self.hand_over();
        blob_of(&self.parts, kind)
    }
}

impl io::Write for BlobParts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= SLICE_BYTES as usize {
            self.hand_over();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes that the page can keep and pass on without looking at them or copying them.
fn blob(bytes: &JsValue, kind: &str) -> Result<JsValue, String> {
    blob_of(&Array::of1(bytes), kind)
}

fn blob_of(parts: &Array, kind: &str) -> Result<JsValue, String> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    Blob::new_with_u8_array_sequence_and_options(parts, &options)
        .map(Into::into)
        .map_err(|error| format!("the browser cannot hold more: {}", words(&error)))
}

fn simulate(
    bench: &mut Bench,
    message: &JsValue,
    scenario: &Scenario,
    workload: u32,
    policy: usize,
    seed: u64,
) -> Answer {
    let (prepared, scenario_hash) = bench.prepare(message, scenario, workload, seed)?;
    let started_ms = now_ms();
    let mut telling =
        Telling { pace: Pace::new(), rounds: RoundsCsv::new(prepared, Vec::new()), has_ledger: false };
    let mut finished = prepared.run(policy, seed, &mut telling).map_err(|error| error.to_string())?;
    finished.result.sim_wall_s = Some((now_ms() - started_ms) / 1_000.0);
    let mut jobs_csv = Vec::new();
    write_jobs_csv(prepared, &finished.record, &mut jobs_csv).map_err(|error| error.to_string())?;
    let times = Float64Array::from(&prepared.completion_times_s(&finished.record)[..]);
    let mut beside =
        vec![("jobs", blob(&Uint8Array::from(&jobs_csv[..]), CSV)?), ("times", blob(&times, BYTES)?)];
    let waits = WaitHistory::of(&finished.record);
    if !finished.record.waits.is_empty() {
        let mut waits_csv = Vec::new();
        write_wait_history_csv(prepared, &waits, &mut waits_csv).map_err(|error| error.to_string())?;
        beside.push(("waits", blob(&Uint8Array::from(&waits_csv[..]), CSV)?));
    }
    if let Some(schedule) = schedule_of(prepared, &finished.record, &waits)? {
        beside.push(("schedule", schedule));
    }
    if telling.has_ledger {
        let rounds_csv = telling.rounds.finish().map_err(|error| error.to_string())?;
        beside.push(("rounds", blob(&Uint8Array::from(&rounds_csv[..]), CSV)?));
    }
    let reply = Reply::Simulated {
        result: Box::new(finished.result),
        scenario_hash,
        jobs: prepared.workload.jobs.len() as u32,
        assumptions: assumptions::sentences(scenario, prepared),
    };
    Ok((reply, beside))
}

/// Runs a policy for its metrics alone.
fn measure(
    bench: &mut Bench,
    message: &JsValue,
    scenario: &Scenario,
    workload: u32,
    policy: usize,
    seed: u64,
) -> Answer {
    let prepared = bench.bind(message, &scenario.replica(seed), workload)?;
    let mut telling = Pacing(Pace::new());
    let finished = prepared.run(policy, seed, &mut telling).map_err(|error| error.to_string())?;
    Ok((Reply::Measured { metrics: Box::new(finished.result.metrics) }, Vec::new()))
}

/// Runs a policy up to a round and explains what was decided there.
fn explain(
    bench: &mut Bench,
    message: &JsValue,
    replica: &Scenario,
    workload: u32,
    (policy, seed, round, jobs): (usize, u64, u64, usize),
) -> Answer {
    let prepared = bench.bind(message, replica, workload)?;
    let explained = prepared.explain(policy, seed, round, jobs, &Limits::default());
    let round = explained.map_err(|error| error.to_string())?.map(Box::new);
    Ok((Reply::Explained { round }, Vec::new()))
}

/// The schedule of a run, for the page to keep until its Gantt is opened; `None` where there is none, or too much of it.
fn schedule_of(
    prepared: &Prepared,
    record: &RunRecord,
    waits: &WaitHistory,
) -> Result<Option<JsValue>, String> {
    let Ok(Some(schedule)) = schedule(prepared, record, waits) else { return Ok(None) };
    let bytes = schedule.to_bytes().map_err(|error| error.to_string())?;
    blob(&Uint8Array::from(&bytes[..]), BYTES).map(Some)
}

impl Bench {
    /// The scenario of a seed, bound to its jobs, and the fingerprint of the scenario.
    fn prepare(
        &mut self,
        message: &JsValue,
        scenario: &Scenario,
        workload: u32,
        seed: u64,
    ) -> Result<(&Prepared, String), String> {
        self.bind(message, &scenario.replica(seed), workload)?;
        let (Some(prepared), Some((_, jobs))) = (&self.prepared, &self.workload) else {
            return Err(NO_JOBS.to_owned());
        };
        let hash = self.scenario_hash.get_or_insert_with(|| scenario_hash(scenario, jobs));
        Ok((prepared, hash.clone()))
    }

    /// A scenario bound to its jobs. What differs in nothing but policies has the same jobs bound.
    fn bind(&mut self, message: &JsValue, scenario: &Scenario, workload: u32) -> Result<&Prepared, String> {
        let wanted = match &scenario.workload.synthetic {
            Some(spec) => Origin::Generated(spec.clone()),
            None => Origin::Read(workload),
        };
        if self.workload.as_ref().is_none_or(|(kept, _)| *kept != wanted) {
            // The old jobs go first, so that there are never two workloads in memory.
            *self = Self::default();
            let jobs = match &wanted {
                Origin::Generated(spec) => synthetic::generate(spec),
                Origin::Read(_) => fetch(message)?,
            };
            self.workload = Some((wanted, jobs));
        }
        let Some((_, jobs)) = &self.workload else { return Err(NO_JOBS.to_owned()) };
        match self.prepared.as_mut().filter(|prepared| is_same_world(&prepared.scenario, scenario)) {
            Some(prepared) if prepared.scenario == *scenario => {}
            Some(prepared) => {
                prepared.scenario = scenario.clone();
                self.scenario_hash = None;
            }
            None => {
                self.prepared = None;
                self.scenario_hash = None;
                self.prepared = Some(prepare(scenario, jobs).map_err(|error| error.to_string())?);
            }
        }
        self.prepared.as_ref().ok_or_else(|| NO_JOBS.to_owned())
    }

    /// What of a workload would be simulated. Only the jobs are kept for the next question.
    fn forecast(&mut self, message: &JsValue, scenario: &Scenario, workload: u32) -> Answer {
        self.bind(message, scenario, workload)?;
        let (Some(prepared), Some((_, traced))) = (self.prepared.take(), &self.workload) else {
            return Err(NO_JOBS.to_owned());
        };
        Ok((Reply::Forecast { forecast: Forecast::of(&prepared, traced) }, Vec::new()))
    }
}

const NO_JOBS: &str = "the jobs are missing";

/// The workload that came with a request.
fn fetch(message: &JsValue) -> Result<Workload, String> {
    let blob: Blob = get(message, "workload").dyn_into().map_err(|_| NO_JOBS.to_owned())?;
    postcard::from_bytes(&Uint8Array::new(&buffer(&blob)?).to_vec())
        .map_err(|error| format!("the jobs cannot be read: {error}"))
}

/// The bytes of a blob as an array buffer.
fn buffer(blob: &Blob) -> Result<JsValue, String> {
    let bytes = FileReaderSync::new().and_then(|reader| reader.read_as_array_buffer(blob));
    bytes.map(JsValue::from).map_err(|error| words(&error))
}

/// The workload that came with a request, as a file.
fn export(message: &JsValue, format: WorkloadFile) -> Answer {
    let workload = fetch(message)?;
    let mut bytes = Vec::new();
    let (written, kind) = match format {
        WorkloadFile::Csv => (write_sts_csv(&workload, &mut bytes), CSV),
        WorkloadFile::Json => (write_sts_json(&workload, &mut bytes), "application/json"),
    };
    written.map_err(|error| error.to_string())?;
    Ok((Reply::Exported, vec![("file", blob(&Uint8Array::from(&bytes[..]), kind)?)]))
}

/// The schedule that came with a request, as a file.
fn trace_events(message: &JsValue) -> Answer {
    let blob: Blob = get(message, "schedule").dyn_into().map_err(|_| "the schedule is missing".to_owned())?;
    let bytes = Uint8Array::new(&buffer(&blob)?).to_vec();
    let schedule = Schedule::from_bytes(&bytes).map_err(|error| error.to_string())?;
    let mut parts = BlobParts::default();
    schedule.write_trace_events(&mut parts).map_err(|error| error.to_string())?;
    Ok((Reply::Exported, vec![("file", parts.into_blob("application/json")?)]))
}

fn common_means(message: &JsValue, groups: &[usize]) -> Answer {
    let blobs = get(message, "times").dyn_into::<Array>().map_err(|_| "the runs are missing".to_owned())?;
    let mut blobs = blobs.iter().filter_map(|blob| blob.dyn_into::<Blob>().ok());
    let mut means = Vec::new();
    for &runs in groups {
        let times = blobs.by_ref().take(runs).map(|blob| Ok(Float64Array::new(&buffer(&blob)?).to_vec()));
        means.extend(common_jobs::means(&times.collect::<Result<Vec<_>, String>>()?));
    }
    Ok((Reply::CommonMeans { means }, Vec::new()))
}

fn gavel_run(message: &JsValue, settings: &gavel::Settings) -> Answer {
    let file = |key: &str, name: &str| {
        let blob = get(message, key).dyn_into::<Blob>().map_err(|_| format!("the {name} is missing"))?;
        let bytes = buffer(&blob).map_err(|error| format!("the {name} cannot be read: {error}"))?;
        Ok::<_, String>(Uint8Array::new(&bytes).to_vec())
    };
    let (table, trace) = (file("table", "throughput table")?, file("trace", "trace")?);
    let (figures, csv) = gavel::run(&table, &trace, settings)?;
    let jobs = blob(&Uint8Array::from(&csv[..]), CSV)?;
    Ok((Reply::Gavel { figures: Box::new(figures) }, vec![("jobs", jobs)]))
}

/// Tells the page how far a run is.
struct Pacing(Pace);

impl Watch for Pacing {
    fn clock_s(&self) -> Option<f64> {
        Some(now_ms() / 1_000.0)
    }

    fn progress(&mut self, progress: Progress) {
        if self.0.is_due() {
            tell(&Reply::Simulating { finished: progress.finished, jobs: progress.jobs }, &[]);
        }
    }
}

/// Tells the page how far a run is, and writes down its rounds where the policy has a ledger.
struct Telling<'a> {
    pace: Pace,
    rounds: RoundsCsv<'a, Vec<u8>>,
    has_ledger: bool,
}

impl Watch for Telling<'_> {
    fn round(&mut self, report: &RoundReport<'_>) {
        if !report.ledger.is_empty() {
            self.has_ledger = true;
            self.rounds.round(report);
        }
    }

    fn clock_s(&self) -> Option<f64> {
        Some(now_ms() / 1_000.0)
    }

    fn progress(&mut self, progress: Progress) {
        if self.pace.is_due() {
            tell(&Reply::Simulating { finished: progress.finished, jobs: progress.jobs }, &[]);
        }
    }
}
