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
//! The stages, each in its own module: `unpack` (gzip, Zstandard, ZIP, tar, encodings) and `archive` (which members) → `sample` and `sniff` (what is this?) → `rows` or
//! `elements` (one record at a time) → a reader in [`mod@format`] (what does the record say?) → `intake` (the workload and its
//! accounts). At most one record is in memory besides the workload. The result does not depend on how the bytes are cut.

mod archive;
mod digest;
mod document;
mod elements;
mod files;
pub mod format;
mod hash;
mod head;
mod identity;
mod intake;
mod json;
mod latin;
pub mod mapping;
mod measure;
mod names;
mod nodes;
mod outcome;
mod refusal;
mod repair;
mod report;
mod room;
mod rows;
mod sample;
mod short;
mod sniff;
mod table;
mod unpack;
mod value;

use std::io::Read;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::workload::Workload;
pub use digest::{
    Arrivals, DurationPercentiles, MAX_BUCKETS, SizeCount, SpanClasses, TenantLoad, TypeLoad, WorkloadDigest,
};
pub use elements::MAX_ELEMENT;
pub use files::{FileRead, Holds, have_same_bytes, node_lists, put_in_reading_order, repeated};
pub use format::SACCT_COMMAND;
pub use format::sts_csv::write_sts_csv;
pub use format::sts_json::write_sts_json;
pub use format::{Detection, Format, MAPPED, detect, formats};
pub use head::Head;
pub use nodes::{NodeGroup, NodeReport};
pub use refusal::Refusal;
pub use repair::{FillFrom, Repairs, RepeatedIds, RunTimeFrom, RunningJobs, TimesIn};
pub use report::{
    ArchiveMember, ColumnRead, ImportReport, Kind, Rejected, Repaired, SHOWN_MEMBERS, Skipped, Warning,
};
pub use rows::{MAX_COLUMNS, MAX_ROW};
pub use unpack::{MAX_MEMBERS, MAX_PACKINGS, MAX_RATIO, MAX_UNPACKED, MAX_WINDOW, RATIO_FROM};
pub use value::{MAX_DURATION_S, MAX_GPUS, MAX_MEMORY_GB, MAX_TIME_S};

use archive::{Archives, Interest};
use document::Document;
use files::HeaderFile;
use format::{Join, SURE, SURE_ENOUGH, Shape};
use intake::{Intake, Notice};
use mapping::Mapping;
use nodes::{NodeList, NodeObjects};
use room::Room;
use rows::{Header, Rows};
use sample::{LineEnds, SAMPLE_BYTES, Sample};
use table::Table;
use unpack::{Member, Oddity, Sink, Unpack};

/// How much of a reader is asked for at once.
const READ_BYTES: usize = 1 << 18;

/// What the user decides about an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ImportOptions {
    /// The format; `None` recognises it by content.
    pub format: Option<String>,
    /// The offset, in seconds east of UTC, of times that are printed without a zone.
    pub utc_offset_s: i32,
    /// What the columns of a table are, for the format `generic-csv`; `None` guesses them.
    #[serde(default)]
    pub mapping: Option<Box<Mapping>>,
    /// The members of archives that are read, by path or by the end of it; empty = every trace in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Only one in so many records is read: one of every block of so many, at a place that is drawn for each block, and always the
    /// same for the same file; 0 and 1 = all.
    #[serde(default, skip_serializing_if = "reads_all")]
    pub one_in: u32,
    /// What is repaired.
    pub repairs: Repairs,
}

fn reads_all(one_in: &u32) -> bool {
    *one_in <= 1
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
    room: Option<Room>,
    /// Whether there was any file.
    has_begun: bool,
}

/// From decoded text to the workload.
struct Pipeline {
    /// The format, once it is known; all files have the same.
    format: Option<&'static Format>,
    choice: Choice,
    mapping: Option<Box<Mapping>>,
    detections: Vec<Detection>,
    stage: Stage,
    line_ends: LineEnds,
    intake: Intake,
    archives: Archives,
    /// Why the last file without records has none.
    empty: Option<Refusal>,
    /// The name of the file being read.
    file: String,
    /// Records that were read before it.
    before: u64,
    /// What the files so far are.
    files: Vec<FileRead>,
    /// The columns of the format in the first file with jobs.
    columns: Vec<ColumnRead>,
    /// Columns that files have for others.
    headers: Vec<HeaderFile>,
    /// What tables that belong together have said so far.
    join: Option<Rc<dyn Join>>,
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
    Table(Box<Table>),
    Json(Document),
    Nodes(Box<Rows>, Box<NodeList>),
    NodeObjects(Box<NodeObjects>),
    /// Nothing but the columns of another file.
    Columns(HeaderFile),
    /// A member of an archive that is not read.
    PassedOver,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipeline")
            .field("stage", &self.stage)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sampling(_) => "Sampling",
            Self::Table(_) => "Table",
            Self::Json(_) => "Json",
            Self::Nodes(..) => "Nodes",
            Self::NodeObjects(_) => "NodeObjects",
            Self::Columns(_) => "Columns",
            Self::PassedOver => "PassedOver",
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
    /// [`Refusal::UnknownFormat`] when the options name a format that does not exist, [`Refusal::BadMapping`] when they have a
    /// mapping that cannot be used, [`Refusal::BadRepairs`] when their repairs contradict each other.
    pub fn new(options: &ImportOptions) -> Result<Self, Refusal> {
        options.repairs.check().map_err(|(key, found, expected)| Refusal::BadRepairs {
            why: format!("repairs.{key}: found {found}, expected {expected}"),
        })?;
        let mapping = options.mapping.clone();
        let name = options.format.as_deref().or(mapping.as_ref().map(|_| format::MAPPED));
        let format = name.map(format::find).transpose()?;
        if let Some(mapping) = &mapping {
            mapping.check().map_err(|error| Refusal::BadMapping { why: error.to_string() })?;
            if name != Some(format::MAPPED) {
                let why = format!("the format is {}, which needs no mapping", name.unwrap_or_default());
                return Err(Refusal::BadMapping { why });
            }
        }
        let pipeline = Pipeline {
            format,
            choice: if format.is_some() { Choice::User } else { Choice::Content },
            mapping,
            detections: Vec::new(),
            stage: Stage::Sampling(Vec::new()),
            line_ends: LineEnds::LineFeed,
            intake: Intake::new(options),
            archives: Archives::new(&options.members),
            empty: None,
            file: String::new(),
            before: 0,
            files: Vec::new(),
            columns: Vec::new(),
            headers: Vec::new(),
            join: None,
        };
        Ok(Self { unpack: None, pipeline, failed: None, bytes: 0, room: None, has_begun: false })
    }

    /// Says how many bytes will be fed in all and how much memory there is for the jobs. What will not fit is then refused soon after
    /// the beginning, and what fits is not moved while it grows.
    pub fn expect(&mut self, files_bytes: u64, memory_bytes: u64) {
        self.room = Some(Room { files_bytes, memory_bytes });
    }

    /// Ends the current file, if any, and begins the next one. All files with jobs have one format; their jobs make one
    /// workload. Files that come with a trace may come in any order, except that one that names the columns of another comes
    /// before it (see [`put_in_reading_order`]). The first file needs no such call unless it has a name.
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

    /// Ends the current file, so that what is wrong with it is said before the next begins.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn end_of_file(&mut self) -> Result<(), Refusal> {
        self.guard(Self::end_file)
    }

    /// Ends the current file, if any, and books a file that is not read because its bytes are those of the file called `of` (see
    /// [`repeated`]).
    ///
    /// # Errors
    /// What is wrong with the file that ends.
    pub fn pass_over_repeated(&mut self, name: &str, of: &str) -> Result<(), Refusal> {
        self.guard(|import| {
            import.end_file()?;
            import
                .pipeline
                .files
                .push(FileRead { name: name.into(), holds: Holds::Repeats { of: of.into() } });
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
            if let Some(unpack) = &mut import.unpack {
                unpack.feed(bytes, &mut import.pipeline)?;
            }
            match import.room {
                Some(room) => import.pipeline.intake.make_room(room, import.bytes),
                None => Ok(()),
            }
        })
    }

    /// Reads a whole file, as [`next_file`](Self::next_file), [`feed`](Self::feed) and [`end_of_file`](Self::end_of_file) do.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot be read or nothing of it can be used.
    pub fn read(&mut self, name: &str, mut from: impl Read) -> Result<(), Refusal> {
        self.next_file(name)?;
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return self.end_of_file(),
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
        self.pipeline.intake.taken()
    }

    /// Ends the last file and the import.
    ///
    /// # Errors
    /// What is wrong with the last file, or why no file had a record.
    pub fn finish(mut self) -> Result<Imported, Refusal> {
        self.guard(|import| {
            if !import.has_begun {
                import.begin_file("");
            }
            import.end_file()
        })?;
        self.pipeline.finish()
    }

    fn begin_file(&mut self, name: &str) {
        self.has_begun = true;
        self.unpack = Some(Unpack::new());
        self.pipeline.begin_file(name);
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
    fn begin_member(&mut self, member: &Member) -> Result<(), Refusal> {
        let interest = self.archives.begin(member, self.intake.taken());
        self.begin_file(&member.path);
        if interest == Interest::PassOver {
            self.stage = Stage::PassedOver;
        }
        Ok(())
    }

    fn take(&mut self, text: &[u8]) -> Result<(), Refusal> {
        self.archives.take(text.len());
        let taken = self.take_text(text);
        self.forgive(taken)
    }

    fn end_member(&mut self) -> Result<(), Refusal> {
        let ended = self.end_file();
        self.forgive(ended)?;
        self.archives.end();
        self.stage = Stage::PassedOver;
        Ok(())
    }

    fn notice(&mut self, oddity: Oddity, count: u64) {
        self.intake.notice(Notice::new(oddity.code, count, oddity.text));
    }

    fn pass_over(&mut self, member: &Member, why: Refusal) -> Result<(), Refusal> {
        self.archives.pass_over(member, why);
        self.stage = Stage::PassedOver;
        Ok(())
    }
}

impl Pipeline {
    fn take_text(&mut self, mut text: &[u8]) -> Result<(), Refusal> {
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

    /// Passes over a member of an archive that is no trace.
    fn forgive(&mut self, result: Result<(), Refusal>) -> Result<(), Refusal> {
        let Err(refusal) = result else { return Ok(()) };
        if !self.archives.forgives(&refusal, self.intake.taken()) {
            return Err(refusal);
        }
        self.stage = Stage::PassedOver;
        Ok(())
    }

    fn push(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let text = &*self.line_ends.unify(text);
        match &mut self.stage {
            Stage::Sampling(_) | Stage::Columns(_) | Stage::PassedOver => Ok(()),
            Stage::Table(table) => table.push(text, &mut self.intake),
            Stage::Json(document) => document.push(text, &mut self.intake),
            Stage::NodeObjects(nodes) => nodes.push(text),
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
        self.line_ends = LineEnds::of(&head);
        self.stage = self.recognise(Sample::new(&self.line_ends.unify(&head)))?;
        self.push(&head)
    }

    /// Begins the next file.
    fn begin_file(&mut self, name: &str) {
        self.stage = Stage::Sampling(Vec::new());
        name.clone_into(&mut self.file);
        self.before = self.intake.taken();
        self.intake.begin_file(name);
    }

    fn recognise(&mut self, sample: Sample<'_>) -> Result<Stage, Refusal> {
        sniff::refuse_foreign(&sample)?;
        if let Some(header) = HeaderFile::new(&self.file, &sample) {
            return Ok(Stage::Columns(header));
        }
        let columns = self.headers.iter().find(|header| header.is_for(&self.file, &sample));
        let columns = columns.map(|header| header.columns.clone());
        let sample = match &columns {
            Some(columns) => sample.with_header(columns.clone()),
            None => sample,
        };
        let detections = format::detect_in(&sample);
        let format = self.choose(&sample, &detections)?;
        let Some(format) = format else {
            if NodeObjects::are_in(&sample) {
                return Ok(Stage::NodeObjects(Box::new(NodeObjects::new(&sample))));
            }
            let list = NodeList::recognise(&sample).ok_or_else(|| sniff::refuse_unknown(&sample))?;
            return Ok(Stage::Nodes(Box::new(Rows::new(list.dialect(&sample))), Box::new(list)));
        };
        self.format = Some(format);
        if self.detections.is_empty() {
            self.detections = detections;
        }
        let notes = Rc::clone(&self.intake.notes);
        match &format.shape {
            Shape::Table { layout, open } => Table::new(&layout(&sample), columns, Box::new(*open), notes)
                .map(|table| Stage::Table(Box::new(table))),
            Shape::Mapped => {
                let mapping =
                    self.mapping.clone().map_or_else(|| format::mapping_of(&sample).map(Box::new), Ok)?;
                let layout = mapping::layout(&mapping.table);
                let header = columns.or_else(|| mapping::header(&mapping, &sample));
                let open = Box::new(move |header: &Header| mapping::open(&mapping, header));
                Table::of(&layout, header, open, notes).map(|table| Stage::Table(Box::new(table)))
            }
            Shape::Tables { layout, begin } => {
                let (join, file) = (Rc::clone(self.join.get_or_insert_with(begin)), self.file.clone());
                let open = Box::new(move |header: &Header| join.open(&file, header));
                Table::new(&layout(&sample), columns, open, notes).map(|table| Stage::Table(Box::new(table)))
            }
            Shape::Json { array, open } => {
                Ok(Stage::Json(Document::new(format.name, array.as_in(&sample), open())))
            }
        }
    }

    /// The format of the jobs in a file; `None` for a file of machines, and for one of which nothing is known.
    fn choose(
        &self,
        sample: &Sample<'_>,
        detections: &[Detection],
    ) -> Result<Option<&'static Format>, Refusal> {
        let best = detections.first().filter(|best| best.score >= SURE_ENOUGH);
        let score = |format: &Format| {
            detections.iter().find(|found| found.format == format.name).map_or(0, |found| found.score)
        };
        let is_mapped = self.mapping.as_ref().is_some_and(|mapping| mapping::fits(mapping, sample));
        // A list of machines in a form of its own is one whatever the format of the jobs; another table is what the user says it is.
        let is_list = match self.choice {
            Choice::User => NodeList::published(sample).is_some(),
            Choice::Content => NodeList::recognise(sample).is_some(),
        };
        match (self.format, self.choice, best) {
            (Some(format), _, _) if is_mapped || score(format) >= SURE => Ok(Some(format)),
            _ if is_list || NodeObjects::are_in(sample) && best.is_none() => Ok(None),
            (Some(format), _, _) if score(format) > 0 => Ok(Some(format)),
            (Some(format), Choice::User, _) => Ok(Some(format)),
            (Some(format), Choice::Content, Some(other)) => Err(Refusal::MixedFormats {
                first: self.named(format.name, &self.first_with_jobs()),
                second: self.named(&other.format, &self.file),
            }),
            (None, _, Some(best)) => format::find(&best.format).map(Some),
            (_, _, None) => Ok(None),
        }
    }

    /// A format with the file that is in it.
    fn named(&self, format: &str, file: &str) -> String {
        if file.is_empty() { format.to_owned() } else { format!("{format} ({file})") }
    }

    fn first_with_jobs(&self) -> String {
        let first = self.files.iter().find(|file| matches!(file.holds, Holds::Jobs { .. }));
        first.map(|file| file.name.clone()).unwrap_or_default()
    }

    /// Ends the file.
    fn end_file(&mut self) -> Result<(), Refusal> {
        if let Stage::Sampling(head) = &self.stage {
            // What is a comment may be for the mapping to say.
            let is_empty = Sample::new(&LineEnds::of(head).unify(head)).first_line().is_empty();
            if is_empty && (self.mapping.is_none() || head.trim_ascii().is_empty()) {
                let detail =
                    if head.is_empty() { "it has no byte" } else { "it has only blank lines and comments" };
                let empty = Refusal::Empty { detail: detail.into() };
                if self.archives.is_inside() {
                    return Err(empty);
                }
                self.empty = Some(empty);
                self.has_read(Holds::Nothing);
                return Ok(());
            }
            self.begin_reading()?;
        }
        let empty = match std::mem::replace(&mut self.stage, Stage::Sampling(Vec::new())) {
            Stage::Sampling(_) | Stage::PassedOver => return Ok(()),
            Stage::Table(table) => {
                if let Some(format) = self.format.filter(|_| self.columns.is_empty()) {
                    self.columns = format.columns_in(table.header());
                }
                table.end(&mut self.intake)?
            }
            Stage::Json(document) => document.end(&mut self.intake)?,
            Stage::Nodes(mut rows, mut list) => {
                rows.end(|cells| {
                    list.row(cells);
                    Ok(())
                })?;
                let report = list.finish();
                if report.nodes == Some(0) && report.unread == 0 {
                    self.empty =
                        Some(Refusal::Empty { detail: "it is a list of machines without a machine".into() });
                    self.has_read(Holds::Nothing);
                } else {
                    self.has_read(Holds::Nodes(Box::new(report)));
                }
                return Ok(());
            }
            Stage::NodeObjects(nodes) => {
                let report = nodes.finish()?;
                self.has_read(Holds::Nodes(Box::new(report)));
                return Ok(());
            }
            Stage::Columns(header) => {
                self.has_read(Holds::Columns { names: header.columns.list() });
                self.headers.push(header);
                return Ok(());
            }
        };
        self.empty = empty.or(self.empty.take());
        let table = self.intake.table().map(str::to_owned);
        self.has_read(Holds::Jobs { table, rows: self.intake.taken() - self.before });
        Ok(())
    }

    fn has_read(&mut self, holds: Holds) {
        self.files.push(FileRead { name: self.file.clone(), holds });
    }

    /// Ends the import.
    fn finish(mut self) -> Result<Imported, Refusal> {
        if let Some(join) = self.join.take() {
            join.finish(&mut self.intake)?;
        }
        if self.intake.records() == 0 {
            if let Some(refusal) = self.archives.refusal() {
                return Err(refusal);
            }
            if self.format.is_none() && node_lists(&self.files).next().is_some() {
                return Err(Refusal::NodeList { files: self.files });
            }
            if let Some(empty) = self.empty {
                return Err(empty);
            }
            if let (None, Some(header)) = (self.format, self.headers.first()) {
                return Err(Refusal::HeaderOnly { columns: header.columns.list() });
            }
        }
        let mut imported = self.intake.finish(self.format.map_or("", |format| format.name));
        imported.report.warnings.extend(repeated_files(&self.files));
        imported.report.files = self.files;
        imported.report.columns = self.columns;
        imported.report.members = self.archives.into_members();
        Ok(Imported { detections: self.detections, ..imported })
    }
}

/// What is said of files that are the same as others.
fn repeated_files(files: &[FileRead]) -> Option<Warning> {
    let repeated: Vec<String> = files
        .iter()
        .filter_map(|file| match &file.holds {
            Holds::Repeats { of } => Some(format!("{} (as {of})", file.name)),
            _ => None,
        })
        .collect();
    let (count, list) = (repeated.len() as u64, repeated.join(", "));
    let message = format!("{count} files have the very bytes of another file; these were read once: {list}.");
    (count > 0).then(|| Warning { code: "repeated-file".into(), message, count })
}
