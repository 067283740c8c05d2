//! What the page keeps and never looks into: files, workloads, tables of jobs.

use std::collections::BTreeMap;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File};

use super::results::JobTable;
use crate::app::pool::get;
use crate::app::state::{Action, ComparisonId, FileInfo, FilesId, Groups, ReadId, State};
use crate::scenario::run::RunResult;

/// Everything in the page's keeping. Workloads are blobs: handing one to a worker copies nothing on the page's thread.
#[derive(Default)]
pub struct Shelf {
    files: BTreeMap<FilesId, Array>,
    workloads: BTreeMap<ReadId, JsValue>,
    jobs: BTreeMap<ComparisonId, Rc<Vec<JobTable>>>,
    /// Completion times of every run's jobs, by label and seed.
    times: BTreeMap<ComparisonId, BTreeMap<(String, u64), JsValue>>,
    last: u32,
}

impl Shelf {
    /// Keeps files; the number, and what they are.
    pub fn take_files(&mut self, files: Vec<File>) -> (FilesId, Vec<FileInfo>) {
        self.last = self.last.wrapping_add(1);
        let id = FilesId(self.last);
        let info = |file: &File| FileInfo {
            name: file.name(),
            bytes: file.size() as u64,
            changed_ms: file.last_modified() as i64,
        };
        let infos = files.iter().map(info).collect();
        self.files.insert(id, files.into_iter().collect());
        (id, infos)
    }

    /// Keeps one of the files kept before by itself; what to tell the reducer.
    pub fn take_one_of(&mut self, id: FilesId, at: usize) -> Option<Action> {
        let file = self.files.get(&id)?.get(u32::try_from(at).ok()?).dyn_into().ok()?;
        let (id, infos) = self.take_files(vec![file]);
        Some(Action::Files(id, infos))
    }

    /// The first of some files.
    #[must_use]
    pub fn first_of(&self, id: FilesId) -> Option<File> {
        self.files.get(&id)?.get(0).dyn_into().ok()
    }

    /// Files as a worker gets them.
    #[must_use]
    pub fn files(&self, id: FilesId) -> JsValue {
        self.files.get(&id).map_or(JsValue::UNDEFINED, |files| files.clone().into())
    }

    /// Keeps a workload.
    pub fn keep_workload(&mut self, id: ReadId, workload: JsValue) {
        self.workloads.insert(id, workload);
    }

    /// A workload as a worker gets it.
    #[must_use]
    pub fn workload(&self, id: ReadId) -> JsValue {
        self.workloads.get(&id).cloned().unwrap_or(JsValue::UNDEFINED)
    }

    /// Keeps what stands beside the result of a run: the tables of its jobs, their waits and its rounds, and completion times.
    pub fn keep_jobs(&mut self, id: ComparisonId, run: &RunResult, message: &JsValue) {
        self.times.entry(id).or_default().insert((run.policy.clone(), run.seed), get(message, "times"));
        let blob = |key| get(message, key).dyn_into::<Blob>().ok();
        if let Some(csv) = blob("jobs") {
            let tables = self.jobs.entry(id).or_default();
            let (policy, seed) = (run.policy.clone(), run.seed);
            let (waits, rounds, schedule) = (blob("waits"), blob("rounds"), blob("schedule"));
            let table = JobTable { policy, seed, csv, waits, rounds, schedule };
            Rc::make_mut(tables).push(table);
        }
    }

    /// The tables of a comparison's jobs.
    #[must_use]
    pub fn jobs(&self, id: ComparisonId) -> Rc<Vec<JobTable>> {
        self.jobs.get(&id).cloned().unwrap_or_default()
    }

    /// The completion times of runs, one after another, as a worker gets them.
    #[must_use]
    pub fn times(&self, id: ComparisonId, groups: &Groups) -> JsValue {
        let kept = self.times.get(&id);
        let of = |run| kept.and_then(|kept| kept.get(run)).cloned().unwrap_or(JsValue::UNDEFINED);
        groups.iter().flatten().map(of).collect::<Array>().into()
    }

    /// Throws away what the page does not need any more.
    pub fn tidy(&mut self, state: &State) {
        self.files.retain(|id, _| state.needs_files(*id));
        self.workloads.retain(|id, _| state.needs(*id));
        self.jobs.retain(|id, _| state.needs_comparison(*id));
        self.times
            .retain(|id, _| state.runs.active.as_ref().is_some_and(|active| active.comparison.id == *id));
    }
}
