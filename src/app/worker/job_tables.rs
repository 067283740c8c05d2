//! What a worker reads from job tables: jobs in a stretch of time, and the jobs of two runs against each other. It keeps what it read
//! last, so that a second question costs no reading.

use std::cell::RefCell;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use super::{Answer, BlobParts, CSV, buffer};
use crate::app::job_changes::{JobChanges, Query, waits_of};
use crate::app::message::Reply;
use crate::app::pool::get;
use crate::app::stretch::JobTimes;
use crate::chart::window::TimeWindow;

thread_local! {
    /// The times of the jobs of all runs, by the number of the tables.
    static TIMES: RefCell<Option<(u32, Vec<JobTimes>)>> = const { RefCell::new(None) };
    /// Two runs, by the number of the pair.
    static PAIR: RefCell<Option<(u32, JobChanges)>> = const { RefCell::new(None) };
}

/// The bytes of a blob that came with a request.
fn bytes(blob: JsValue) -> Result<Vec<u8>, String> {
    let blob: Blob = blob.dyn_into().map_err(|_| "the table of jobs is missing".to_owned())?;
    Ok(Uint8Array::new(&buffer(&blob)?).to_vec())
}

/// The jobs of every table in a stretch of time.
pub(super) fn jobs_in(message: &JsValue, tables: u32, stretch: TimeWindow) -> Answer {
    TIMES.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(number, _)| *number != tables) {
            *kept = None;
            let blobs = get(message, "tables")
                .dyn_into::<Array>()
                .map_err(|_| "the tables are missing".to_owned())?;
            let read = |blob| JobTimes::read(&bytes(blob)?).map_err(|error| error.to_string());
            *kept = Some((tables, blobs.iter().map(read).collect::<Result<_, String>>()?));
        }
        let times = kept.iter().flat_map(|(_, times)| times);
        Ok((Reply::JobsIn { jobs: times.map(|times| times.within(stretch)).collect() }, Vec::new()))
    })
}

/// Does something with two runs, joined.
fn with_pair(message: &JsValue, pair: u32, answer: impl FnOnce(&JobChanges) -> Answer) -> Answer {
    PAIR.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(number, _)| *number != pair) {
            *kept = None;
        }
        if kept.is_none() {
            let (before, after) = (bytes(get(message, "before"))?, bytes(get(message, "after"))?);
            *kept = Some((pair, JobChanges::join(&before, &after).map_err(|error| error.to_string())?));
        }
        match kept {
            Some((_, jobs)) => answer(jobs),
            None => Err("the runs are missing".to_owned()),
        }
    })
}

/// The jobs that a reader asks for.
pub(super) fn changes(message: &JsValue, pair: u32, query: &Query) -> Answer {
    with_pair(message, pair, |jobs| {
        Ok((Reply::JobChanges { listed: Box::new(jobs.list(query)) }, Vec::new()))
    })
}

/// All jobs of both runs as a file.
pub(super) fn changes_csv(message: &JsValue, pair: u32) -> Answer {
    with_pair(message, pair, |jobs| {
        let mut parts = BlobParts::default();
        jobs.write_csv(&mut parts).map_err(|error| error.to_string())?;
        Ok((Reply::Exported, vec![("file", parts.into_blob(CSV)?)]))
    })
}

/// When and why a job waited in some runs; `None` for a run that does not say.
pub(super) fn waits(message: &JsValue, job: &str, tenant: &str) -> Answer {
    let blobs = get(message, "waits").dyn_into::<Array>().map_err(|_| "the waits are missing".to_owned())?;
    let of_run = |blob: JsValue| {
        if !blob.is_instance_of::<Blob>() {
            return Ok(None);
        }
        let text = String::from_utf8(bytes(blob)?).map_err(|error| error.to_string())?;
        waits_of(&text, job, tenant).map(Some).map_err(|error| error.to_string())
    };
    let waits = blobs.iter().map(of_run).collect::<Result<_, String>>()?;
    Ok((Reply::JobWaits { waits }, Vec::new()))
}
