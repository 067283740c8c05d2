//! The workloads the page has read or generated.
//!
//! The jobs themselves are in the page's keeping, under a number; here is what is told about them. Which of the workloads is in
//! use is not stored: it is the one that the scenario names.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::scenario::WorkloadSpec;
use crate::trace::{ImportOptions, ImportReport, WorkloadDigest};
use crate::workload::synthetic::{Fitted, SyntheticSpec};

/// The number of a workload: no two that were ever read or generated share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ReadId(pub u32);

/// The number under which the page keeps files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilesId(pub u32);

/// A file as the reader gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInfo {
    /// Its name, without a path.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub changed_ms: i64,
}

/// Where a workload comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Files that the reader gave to the page.
    Files {
        /// Where the page keeps them.
        id: FilesId,
        /// What they are.
        files: Vec<FileInfo>,
        /// How they are to be read.
        options: ImportOptions,
    },
    /// The generator.
    Synthetic(SyntheticSpec),
}

/// The name of files as a scenario has it.
#[must_use]
pub fn path_of(files: &[FileInfo]) -> String {
    files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(", ")
}

impl Source {
    /// The name of the files as a scenario has it.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self {
            Self::Files { files, .. } => Some(path_of(files)),
            Self::Synthetic(_) => None,
        }
    }

    /// Size of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Files { files, .. } => files.iter().map(|file| file.bytes).sum(),
            Self::Synthetic(_) => 0,
        }
    }

    /// Whether this is what a scenario asks for.
    fn is_named_by(&self, workload: &WorkloadSpec) -> bool {
        match (self, &workload.trace, &workload.synthetic) {
            (Self::Files { options, .. }, Some(trace), _) => {
                *options == trace.import_options() && self.path().as_deref() == Some(trace.path.as_str())
            }
            (Self::Synthetic(spec), None, Some(wanted)) => spec == wanted,
            _ => false,
        }
    }
}

/// What a worker tells about a workload that it read or generated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    /// What was understood of the files; `None` for a generated workload.
    pub report: Option<ImportReport>,
    /// What is in it.
    pub digest: WorkloadDigest,
    /// Its fingerprint.
    pub hash: String,
    /// The names of models in it, the first [`MOST_NAMES`].
    pub models: Vec<String>,
    /// Whether it says when jobs started and ended, so that the traced schedule can be replayed.
    pub has_schedule: bool,
    /// Its shape, to generate more of the same kind; `None` for a generated workload, and where too few jobs have a run time.
    pub fitted: Option<Box<Fitted>>,
}

/// Names beyond this many are not told.
pub const MOST_NAMES: usize = 200;

/// A workload in the page's keeping.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its number.
    pub read: ReadId,
    /// Where it comes from.
    pub source: Source,
    /// What is in it.
    pub contents: Contents,
    /// How long reading took.
    pub seconds: f64,
}

/// The very same workload is not looked at value by value: the page asks at every step whether it is another.
impl PartialEq for Loaded {
    fn eq(&self, other: &Self) -> bool {
        let Self { read, source, contents, seconds } = self;
        std::ptr::eq(self, other)
            || ((*read, *seconds) == (other.read, other.seconds)
                && (source, contents) == (&other.source, &other.contents))
    }
}

/// What is being read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Its number.
    pub read: ReadId,
    /// Where from.
    pub source: Source,
    /// Bytes read so far.
    pub bytes: u64,
    /// Records read so far.
    pub records: u64,
    /// When it began.
    pub started_s: f64,
}

/// What could not be read, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// What was given.
    pub source: Source,
    /// Why.
    pub why: Why,
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// It is no trace: what it looks like, and what to do.
    NoTrace(crate::trace::Refusal),
    /// It was read, and no record of it is a job: what was left out.
    NoJob(Box<ImportReport>),
    /// The generator or the file system refused.
    Failed(String),
    /// The worker that read it died.
    Died(String),
}

impl Why {
    /// Whether it is a table that can be read once it is known what its columns are.
    #[must_use]
    pub fn asks_for_mapping(&self) -> bool {
        use crate::trace::{MAPPED, Refusal};
        match self {
            Self::NoTrace(Refusal::UnknownTable { .. } | Refusal::BadMapping { .. }) => true,
            Self::NoTrace(Refusal::MissingColumns { format, .. }) => format == MAPPED,
            Self::NoTrace(_) | Self::NoJob(_) | Self::Failed(_) | Self::Died(_) => false,
        }
    }
}

/// News of what is being read.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadReport {
    /// So far.
    Progress {
        /// Bytes of the files.
        bytes: u64,
        /// Records.
        records: u64,
    },
    /// It was read, and is kept.
    Read(Box<Contents>),
    /// It was not.
    Refused(Why),
}

/// Workloads beyond this many are forgotten, the oldest first.
const MOST_KEPT: usize = 4;

/// All workloads of the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inputs {
    kept: Vec<Rc<Loaded>>,
    /// What is being read.
    pub reading: Option<Reading>,
    /// What the last files were refused for.
    pub refused: Option<Rc<Refused>>,
    /// Fingerprint of the trace that the sender of the link had.
    pub expected_trace: Option<String>,
    last: ReadId,
}

impl Inputs {
    /// The workload that a scenario asks for, if it is there.
    #[must_use]
    pub fn named_by(&self, workload: &WorkloadSpec) -> Option<&Rc<Loaded>> {
        self.kept.iter().rev().find(|loaded| loaded.source.is_named_by(workload))
    }

    /// Whether what a scenario asks for is just being read.
    #[must_use]
    pub fn is_reading(&self, workload: &WorkloadSpec) -> bool {
        self.reading.as_ref().is_some_and(|reading| reading.source.is_named_by(workload))
    }

    /// Whether files are being read.
    pub(super) fn is_reading_files(&self) -> bool {
        self.reading.as_ref().is_some_and(|reading| matches!(reading.source, Source::Files { .. }))
    }

    /// Begins to read or generate.
    pub(super) fn begin(&mut self, source: Source, now_s: f64) -> ReadId {
        self.last = ReadId(self.last.0.wrapping_add(1));
        self.refused = None;
        self.reading = Some(Reading { read: self.last, source, bytes: 0, records: 0, started_s: now_s });
        self.last
    }

    /// Keeps a workload.
    pub(super) fn keep(&mut self, loaded: Loaded) -> Rc<Loaded> {
        let loaded = Rc::new(loaded);
        self.kept.retain(|other| other.source != loaded.source);
        if self.kept.len() >= MOST_KEPT {
            self.kept.remove(0);
        }
        self.kept.push(Rc::clone(&loaded));
        loaded
    }

    /// Whether the workload of this number is kept.
    #[must_use]
    pub fn keeps(&self, read: ReadId) -> bool {
        self.kept.iter().any(|loaded| loaded.read == read)
    }

    /// Everything that was or is being read.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let kept = self.kept.iter().map(|loaded| &loaded.source);
        let reading = self.reading.iter().map(|reading| &reading.source);
        kept.chain(reading).chain(self.refused.iter().map(|refused| &refused.source))
    }
}
