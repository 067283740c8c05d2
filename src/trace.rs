//! Reading job traces: detection by content, one reader a format, and a report of what was understood.
//!
//! Bytes are pushed in as they come, from a file, a pipe or the slices a browser hands out:
//!
//! ```
//! use sts_sim::trace::{Import, ImportOptions};
//!
//! let mut import = Import::new(&ImportOptions::default())?;
//! import.feed(b"job,submit_s,gpus,duration_s\na,0,1,60\nb,5,0.5,")?;
//! import.feed(b"120\n")?;
//! let imported = import.finish()?;
//! assert_eq!(imported.report.gpus_requested_sum, 1.5);
//! # Ok::<(), sts_sim::trace::Refusal>(())
//! ```
//!
//! The stages, each in its own module: `unpack` (gzip, encodings) → `sample` and `sniff` (what is this?) → `rows` or
//! `elements` (one record at a time) → a reader in [`mod@format`] (what does the record say?) → `intake` (the workload and its
//! accounts). At most one record is in memory besides the workload. The result does not depend on how the bytes are cut.

mod digest;
mod document;
mod elements;
pub mod format;
mod hash;
mod identity;
mod intake;
mod json;
mod measure;
mod nodes;
mod outcome;
mod refusal;
mod report;
mod rows;
mod sample;
mod sniff;
mod table;
mod unpack;
mod value;

use std::io::Read;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::workload::Workload;
pub use digest::{Arrivals, DurationPercentiles, MAX_BUCKETS, SizeCount, TenantLoad, WorkloadDigest};
pub use elements::MAX_ELEMENT;
pub use format::sts_csv::write_sts_csv;
pub use format::sts_json::write_sts_json;
pub use format::{Detection, Format, detect, formats};
pub use nodes::NodeReport;
pub use refusal::Refusal;
pub use report::{ImportReport, Kind, Rejected, Skipped, Warning};
pub use rows::{MAX_COLUMNS, MAX_ROW};
pub use unpack::{MAX_RATIO, MAX_UNPACKED, RATIO_FROM};
pub use value::{MAX_DURATION_S, MAX_GPUS, MAX_MEMORY_GB, MAX_TIME_S};

use document::Document;
use format::{SURE_ENOUGH, Shape};
use intake::Intake;
use nodes::NodeList;
use rows::Rows;
use sample::{SAMPLE_BYTES, Sample};
use table::Table;
use unpack::{Sink, Unpack};

/// How much of a reader is asked for at once.
const READ_BYTES: usize = 1 << 20;

/// What the user decides about an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportOptions {
    /// The format; `None` recognises it by content.
    pub format: Option<String>,
    /// The offset, in seconds east of UTC, of times that are printed without a zone.
    pub utc_offset_s: i32,
}

/// What an import gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The jobs.
    pub workload: Workload,
    /// What was understood, skipped and rejected.
    pub report: ImportReport,
    /// The formats the first file may be in, best first.
    pub detections: Vec<Detection>,
}

/// An import under way. After an error it is over: nothing of it is kept, and every later call gives the same error.
#[derive(Debug)]
pub struct Import {
    /// The file being read, unless there is none yet.
    unpack: Option<Unpack>,
    pipeline: Pipeline,
    failed: Option<Refusal>,
    bytes: u64,
}

/// From decoded text to the workload.
#[derive(Debug)]
struct Pipeline {
    /// The format, once it is known; all files have the same.
    format: Option<&'static Format>,
    choice: Choice,
    detections: Vec<Detection>,
    stage: Stage,
    intake: Intake,
    /// Why the last file without records has none.
    empty: Option<Refusal>,
}

/// Who decides about the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    User,
    Content,
}

/// How far a file is understood.
enum Stage {
    /// Its beginning is being collected.
    Sampling(Vec<u8>),
    Table(Table),
    Json(Document),
    Nodes(Rows, NodeList),
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sampling(_) => "Sampling",
            Self::Table(_) => "Table",
            Self::Json(_) => "Json",
            Self::Nodes(..) => "Nodes",
        })
    }
}

/// Reads a file from start to end.
///
/// # Errors
/// [`Refusal`] when nothing of the file can be used.
pub fn import_reader(name: &str, from: impl Read, options: &ImportOptions) -> Result<Imported, Refusal> {
    let mut import = Import::new(options)?;
    import.read(name, from)?;
    import.finish()
}

impl Import {
    /// Begins an import.
    ///
    /// # Errors
    /// [`Refusal::UnknownFormat`] when the options name a format that does not exist.
    pub fn new(options: &ImportOptions) -> Result<Self, Refusal> {
        let format = options.format.as_deref().map(format::find).transpose()?;
        let pipeline = Pipeline {
            format,
            choice: if format.is_some() { Choice::User } else { Choice::Content },
            detections: Vec::new(),
            stage: Stage::Sampling(Vec::new()),
            intake: Intake::new(options.utc_offset_s),
            empty: None,
        };
        Ok(Self { unpack: None, pipeline, failed: None, bytes: 0 })
    }

    /// Ends the current file, if any, and begins the next one. All files of an import have one format; their jobs make one
    /// workload. The first file needs no such call unless it has a name.
    ///
    /// # Errors
    /// What is wrong with the file that ends.
    pub fn next_file(&mut self, name: &str) -> Result<(), Refusal> {
        self.guard(|import| {
            import.end_file()?;
            import.begin_file(name);
            Ok(())
        })
    }

    /// Takes the next bytes of the current file, any number of them.
    ///
    /// # Errors
    /// [`Refusal`] when nothing of the file can be used.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.guard(|import| {
            if import.unpack.is_none() {
                import.begin_file("");
            }
            import.bytes += bytes.len() as u64;
            match &mut import.unpack {
                Some(unpack) => unpack.feed(bytes, &mut import.pipeline),
                None => Ok(()),
            }
        })
    }

    /// Reads a whole file, as [`next_file`](Self::next_file) and [`feed`](Self::feed) do.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot be read or nothing of it can be used.
    pub fn read(&mut self, name: &str, mut from: impl Read) -> Result<(), Refusal> {
        self.next_file(name)?;
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => self.feed(buffer.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    return self.guard(|_| Err(Refusal::Unreadable { detail: error.to_string() }));
                }
            }
        }
    }

    /// Bytes taken so far, for a progress display.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Records read so far.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.pipeline.intake.records()
    }

    /// Ends the last file and the import.
    ///
    /// # Errors
    /// What is wrong with the last file, or why no file had a record.
    pub fn finish(mut self) -> Result<Imported, Refusal> {
        self.guard(|import| {
            if import.unpack.is_none() {
                import.begin_file("");
            }
            import.end_file()
        })?;
        let Pipeline { format, detections, intake, empty, .. } = self.pipeline;
        if let Some(empty) = empty.filter(|_| intake.records() == 0) {
            return Err(empty);
        }
        let imported = intake.finish(format.map_or("", |format| format.name));
        Ok(Imported { detections, ..imported })
    }

    fn begin_file(&mut self, name: &str) {
        self.unpack = Some(Unpack::default());
        self.pipeline.stage = Stage::Sampling(Vec::new());
        self.pipeline.intake.begin_file(name);
    }

    fn end_file(&mut self) -> Result<(), Refusal> {
        let Some(unpack) = self.unpack.take() else { return Ok(()) };
        unpack.finish(&mut self.pipeline)?;
        self.pipeline.end_file()
    }

    /// Runs a step; remembers its error for all later ones.
    fn guard<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        if let Some(refusal) = &self.failed {
            return Err(refusal.clone());
        }
        step(self).inspect_err(|refusal| self.failed = Some(refusal.clone()))
    }
}

impl Sink for Pipeline {
    fn take(&mut self, mut text: &[u8]) -> Result<(), Refusal> {
        if let Stage::Sampling(sample) = &mut self.stage {
            let wanted = text.len().min(SAMPLE_BYTES - sample.len());
            let (head, rest) = text.split_at(wanted);
            sample.extend_from_slice(head);
            text = rest;
            if sample.len() < SAMPLE_BYTES {
                return Ok(());
            }
            self.begin_reading()?;
        }
        self.push(text)
    }
}

impl Pipeline {
    fn push(&mut self, text: &[u8]) -> Result<(), Refusal> {
        match &mut self.stage {
            Stage::Sampling(_) => Ok(()),
            Stage::Table(table) => table.push(text, &mut self.intake),
            Stage::Json(document) => document.push(text, &mut self.intake),
            Stage::Nodes(rows, list) => rows.push(text, |cells| {
                list.row(cells);
                Ok(())
            }),
        }
    }

    /// Decides by the sample what the file is, and reads the sample.
    fn begin_reading(&mut self) -> Result<(), Refusal> {
        let Stage::Sampling(head) = &mut self.stage else { return Ok(()) };
        let head = std::mem::take(head);
        self.stage = self.recognise(&Sample::new(&head))?;
        self.push(&head)
    }

    fn recognise(&mut self, sample: &Sample<'_>) -> Result<Stage, Refusal> {
        sniff::refuse_foreign(sample)?;
        let detections = format::detect_in(sample);
        let best = detections.first().filter(|best| best.score >= SURE_ENOUGH);
        let format = match (self.format, self.choice, best) {
            (Some(format), Choice::User, _) => format,
            (Some(format), Choice::Content, Some(_))
                if detections.iter().any(|d| d.format == format.name) =>
            {
                format
            }
            (Some(format), Choice::Content, Some(other)) => {
                return Err(Refusal::MixedFormats {
                    first: format.name.into(),
                    second: other.format.clone(),
                });
            }
            (None, _, Some(best)) => format::find(&best.format)?,
            (_, _, None) => {
                let list = NodeList::recognise(sample).ok_or_else(|| sniff::refuse_unknown(sample))?;
                return Ok(Stage::Nodes(Rows::new(NodeList::dialect(sample)), list));
            }
        };
        self.format = Some(format);
        if self.detections.is_empty() {
            self.detections = detections;
        }
        match &format.shape {
            Shape::Table { layout, open } => {
                Table::new(&layout(sample), *open, Rc::clone(&self.intake.notes)).map(Stage::Table)
            }
            Shape::Json { array, open } => Ok(Stage::Json(Document::new(format.name, *array, open()))),
        }
    }

    /// Ends the file.
    fn end_file(&mut self) -> Result<(), Refusal> {
        if let Stage::Sampling(head) = &self.stage {
            if Sample::new(head).first_line().is_empty() {
                let detail =
                    if head.is_empty() { "it has no byte" } else { "it has only blank lines and comments" };
                self.empty = Some(Refusal::Empty { detail: detail.into() });
                return Ok(());
            }
            self.begin_reading()?;
        }
        let empty = match std::mem::replace(&mut self.stage, Stage::Sampling(Vec::new())) {
            Stage::Sampling(_) => None,
            Stage::Table(table) => table.end(&mut self.intake)?,
            Stage::Json(document) => document.end(&mut self.intake)?,
            Stage::Nodes(mut rows, mut list) => {
                rows.end(|cells| {
                    list.row(cells);
                    Ok(())
                })?;
                return Err(list.finish());
            }
        };
        self.empty = empty.or(self.empty.take());
        Ok(())
    }
}
