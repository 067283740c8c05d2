//! What panels read from the tables of runs: nothing is read twice, and what no panel shows any more gives its memory back.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};

use gloo::utils::window;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Blob;
use yew::Callback;

use crate::app::explain::Ledger;
use crate::chart::gantt::{Assembler, Bands, Layout, PREFIX_BYTES, Schedule};

/// Rows of a ledger that are read in one task.
const ROWS: usize = 2_000;

/// A schedule, and how much of its rows is used.
#[derive(Debug)]
pub(super) struct Laid {
    /// The schedule.
    pub(super) schedule: Rc<Schedule>,
    /// Its folded rows.
    pub(super) bands: Rc<Bands>,
}

/// What was read, or why it could not be.
pub(super) type Outcome<T> = Result<Rc<T>, String>;

/// Everything that panels of one results view read.
#[derive(Clone)]
pub(super) struct Readings {
    /// Schedules.
    pub(super) schedules: Shelf<Laid>,
    /// Ledgers of rounds.
    pub(super) ledgers: Shelf<Ledger>,
}

impl Default for Readings {
    fn default() -> Self {
        Self {
            schedules: Shelf::new(|blob| Box::pin(laid(blob))),
            ledgers: Shelf::new(|blob| Box::pin(ledger(blob))),
        }
    }
}

impl PartialEq for Readings {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.schedules.known, &other.schedules.known)
    }
}

type Work<T> = Pin<Box<dyn Future<Output = Result<T, String>>>>;

/// Readings of one kind.
pub(super) struct Shelf<T: 'static> {
    read: fn(Blob) -> Work<T>,
    known: Rc<RefCell<All<T>>>,
}

/// What is known of each file.
type All<T> = Vec<(Blob, Known<T>)>;

impl<T> Clone for Shelf<T> {
    fn clone(&self) -> Self {
        Self { read: self.read, known: Rc::clone(&self.known) }
    }
}

/// How far a reading is.
enum Known<T: 'static> {
    /// It is under way; these are told.
    Reading(Vec<Callback<Outcome<T>>>),
    /// It is there as long as somebody keeps it.
    Read(Weak<T>),
}

impl<T> Shelf<T> {
    fn new(read: fn(Blob) -> Work<T>) -> Self {
        Self { read, known: Rc::default() }
    }

    /// Reads a table, unless it is being read or there already, and tells what came of it.
    pub(super) fn get(&self, blob: &Blob, tell: Callback<Outcome<T>>) {
        let mut known = self.known.borrow_mut();
        known.retain(|(_, known)| !matches!(known, Known::Read(of) if of.strong_count() == 0));
        let there = match known.iter_mut().find(|(of, _)| of == blob) {
            Some((_, Known::Reading(waiting))) => {
                waiting.push(tell);
                return;
            }
            Some((_, Known::Read(of))) => of.upgrade(),
            None => None,
        };
        if let Some(there) = there {
            drop(known);
            tell.emit(Ok(there));
            return;
        }
        known.push((blob.clone(), Known::Reading(vec![tell])));
        drop(known);
        let (shelf, blob, work) = (self.clone(), blob.clone(), (self.read)(blob.clone()));
        spawn_local(async move {
            let outcome = work.await.map(Rc::new);
            for tell in shelf.settle(&blob, outcome.as_ref().ok()) {
                tell.emit(outcome.clone());
            }
        });
    }

    /// Notes what came of a reading; who is to be told.
    fn settle(&self, blob: &Blob, read: Option<&Rc<T>>) -> Vec<Callback<Outcome<T>>> {
        let mut known = self.known.borrow_mut();
        let Some(at) = known.iter().position(|(of, _)| of == blob) else { return Vec::new() };
        let (_, was) = known.swap_remove(at);
        known.extend(read.map(|read| (blob.clone(), Known::Read(Rc::downgrade(read)))));
        match was {
            Known::Reading(waiting) => waiting,
            Known::Read(_) => Vec::new(),
        }
    }
}

/// Reads a schedule column by column: no task is long, and what a column was read from is given back before the next.
async fn laid(blob: Blob) -> Result<Laid, String> {
    let layout =
        Layout::read(&part(&blob, 0.0, PREFIX_BYTES as f64).await?).map_err(|error| error.to_string())?;
    let mut assembler = Assembler::default();
    for column in layout.columns {
        let bytes = part(&blob, column.start as f64, column.end as f64).await?;
        assembler.take(bytes).map_err(|error| error.to_string())?;
    }
    pause().await;
    let schedule = assembler.finish().map_err(|error| error.to_string())?;
    pause().await;
    let bands = Bands::new(&schedule);
    pause().await;
    Ok(Laid { schedule: Rc::new(schedule), bands: Rc::new(bands) })
}

/// Reads a ledger some rows at a time.
async fn ledger(blob: Blob) -> Result<Ledger, String> {
    let text = JsFuture::from(blob.text()).await.map_err(|error| refused(&error))?;
    let text = text.as_string().unwrap_or_default();
    let mut ledger = Ledger::default();
    for (row, record) in (1..).zip(csv::Reader::from_reader(text.as_bytes()).into_records()) {
        ledger.take(row, record).map_err(|error| error.to_string())?;
        if row % ROWS == 0 {
            pause().await;
        }
    }
    Ok(ledger)
}

/// Some of the bytes of a blob.
async fn part(blob: &Blob, from: f64, to: f64) -> Result<Vec<u8>, String> {
    let slice = blob.slice_with_f64_and_f64(from, to).map_err(|error| refused(&error))?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(|error| refused(&error))?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

fn refused(error: &JsValue) -> String {
    format!("The browser gave the table up: {error:?}")
}

/// Lets the browser do something else.
async fn pause() {
    let later = Promise::new(&mut |resolve, _| {
        let _ = window().set_timeout_with_callback(&resolve);
    });
    let _ = JsFuture::from(later).await;
}
