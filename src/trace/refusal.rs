//! Why a whole file is refused: what it looks like, what was expected, and what to do.

use serde::{Deserialize, Serialize};

use crate::trace::files::{FileRead, node_lists};
use crate::trace::format;

/// A reason to read nothing from a file. Nothing of it is kept: a refused file never yields part of a workload.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// There is nothing in it.
    #[error(
        "The file is empty: {detail}. Expected one job a line or a JSON array of jobs. Export it again and check that the \
         query matched any job."
    )]
    Empty {
        /// What was there instead of jobs.
        detail: String,
    },
    /// It has a header and no job.
    #[error(
        "The file has a header and no job: {columns}. Expected one row a job below it. Export it again; the query \
         probably matched no job."
    )]
    HeaderOnly {
        /// The columns, or what else stands for a header.
        columns: String,
    },
    /// It is not text.
    #[error("The file is no text: it looks like {looks_like}. Expected a text table or JSON. {advice}")]
    Binary {
        /// The kind of file, from its first bytes.
        looks_like: String,
        /// How to get a readable file from it.
        advice: String,
    },
    /// It is the pointer that Git keeps in place of a large file.
    #[error(
        "The file is a Git LFS pointer, not the trace itself{size}. Expected the file it stands for. Run `git lfs pull` \
         in the repository, or download the file through the site's own link."
    )]
    LfsPointer {
        /// The size of the real file as the pointer states it, with a leading blank; may be empty.
        size: String,
    },
    /// It is something else than a job trace.
    #[error("The file is not a job trace: it looks like {looks_like} ({evidence}). {advice}")]
    NotJobs {
        /// What it looks like.
        looks_like: String,
        /// What in the file says so.
        evidence: String,
        /// What to load instead.
        advice: String,
    },
    /// It holds results, not jobs.
    #[error(
        "The file is not a job trace: it holds results of STS-Sim. Open it in the page, or load the trace that they are of."
    )]
    Results,
    /// It lists machines, not jobs.
    #[error(
        "The file is not a job trace: it is {}. Set up the cluster with it, and load the file that has one row a job too.",
        list_of(.files)
    )]
    NodeList {
        /// The files, and what each was recognised as.
        files: Vec<FileRead>,
    },
    /// A text table of unknown columns.
    #[error(
        "The file is a table of no known format. Found the columns {columns}. Expected one of: {formats}. Say which column \
         is what (`sts import --suggest-mapping` proposes a mapping), or name the columns as in sts-csv (submit_s, gpus, \
         duration_s); a list of machines has node, gpu_type and gpus.",
        formats = format::names()
    )]
    UnknownTable {
        /// The columns found.
        columns: String,
    },
    /// A mapping that cannot be used, or none where one is needed.
    #[error(
        "The table cannot be read as jobs: {why}. Expected a mapping that says which column is what. \
         `sts import --suggest-mapping` proposes one; change it and give it with --mapping."
    )]
    BadMapping {
        /// What is wrong.
        why: String,
    },
    /// Repairs of which one contradicts another.
    #[error("The repairs contradict each other: {why}. Change one of the two.")]
    BadRepairs {
        /// The key, what was found and what was expected.
        why: String,
    },
    /// What is wrong with one of several files.
    #[error("{file}: {why}")]
    OfFile {
        /// Its name.
        file: String,
        /// What is wrong with it.
        why: Box<Refusal>,
    },
    /// JSON that is no known trace.
    #[error(
        "The file is JSON of no known format. Found {found}. Expected one of: {formats}.{gap}{advice}",
        gap = if advice.is_empty() { "" } else { " " },
        formats = format::names()
    )]
    UnknownJson {
        /// What stands at the start.
        found: String,
        /// What may help; may be empty.
        #[serde(default)]
        advice: String,
    },
    /// The first file decides the format; a later one is in another.
    #[error(
        "The files are traces of different formats: {first} and {second}. Expected one trace, in one file or in several of \
         the same format, and what belongs to it. Load one of them alone; of an archive choose a member."
    )]
    MixedFormats {
        /// The format of the first file, and its name.
        first: String,
        /// The format of the later one, and its name.
        second: String,
    },
    /// A format name that does not exist.
    #[error("There is no format {found:?}. Expected one of: {formats}.", formats = format::names())]
    UnknownFormat {
        /// The name given.
        found: String,
    },
    /// The format is clear but a column it cannot do without is not there.
    #[error("As {format} the file lacks {missing}. Found {found}. {advice}")]
    MissingColumns {
        /// The format.
        format: String,
        /// The columns that are not there.
        missing: String,
        /// The columns that are.
        found: String,
        /// What to do.
        advice: String,
    },
    /// The end of the file is missing.
    #[error(
        "The {what} ends in the middle, at line {line}, column {column}, after {complete} complete jobs. Expected its \
         closing bracket. The file was probably cut in a download: fetch it again. Nothing of it is kept."
    )]
    Truncated {
        /// The kind of file.
        what: String,
        /// Line of the last byte, from 1.
        line: u64,
        /// Column of the last byte, from 1.
        column: u64,
        /// Jobs read before the cut.
        complete: u64,
    },
    /// It is no JSON at some place between jobs.
    #[error(
        "The JSON is broken at line {line}, column {column}: found {found}, expected {expected}. {complete} jobs were \
         complete before it; nothing of the file is kept. Repair or export it again."
    )]
    BrokenJson {
        /// Line from 1.
        line: u64,
        /// Column from 1, in bytes.
        column: u64,
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: String,
        /// Jobs read before.
        complete: u64,
    },
    /// A row or a JSON element that is longer than any real one.
    #[error(
        "The record that begins at line {line} is longer than {limit_mb} MB. Expected one job a record. Look for a \
         quote that is never closed, or for line ends that were lost."
    )]
    LongRecord {
        /// Line it begins at.
        line: u64,
        /// The limit.
        limit_mb: u64,
    },
    /// A row with more columns than any real one.
    #[error("Line {line} has more than {limit} columns. Expected one job a line. Check the delimiter.")]
    TooManyColumns {
        /// The line.
        line: u64,
        /// The limit.
        limit: u64,
    },
    /// A packed file is damaged or cut.
    #[error(
        "The {what} is damaged: {detail}. Expected a complete one. Fetch it again, or test it with the program that made \
         it. Nothing of it is kept."
    )]
    Damaged {
        /// The kind of packing.
        what: String,
        /// What the decoder says.
        detail: String,
    },
    /// It unpacks to more than any real trace.
    #[error(
        "The file unpacks to more than {unpacked_mb} MB from {packed_mb} MB. Expected at most {ratio} times its size and \
         {limit_gb} GB. Unpack it yourself if it is right."
    )]
    Bomb {
        /// MB read.
        packed_mb: u64,
        /// MB unpacked when it was stopped.
        unpacked_mb: u64,
        /// The largest accepted ratio.
        ratio: u64,
        /// The largest accepted size.
        limit_gb: u64,
    },
    /// It is packed in a way that is not read.
    #[error(
        "The file cannot be unpacked: {what}. Expected gzip, Zstandard, tar, or ZIP without a password. {advice}"
    )]
    Packed {
        /// How it is packed.
        what: String,
        /// How to get at what is in it.
        advice: String,
    },
    /// Archives in archives in archives.
    #[error(
        "The file is packed more than {limit} times over. Expected at most that, as in a ZIP archive of .tar.gz files. \
         Unpack it and load the trace that is in it."
    )]
    PackedTooOften {
        /// The limit.
        limit: u64,
    },
    /// An archive with more members than any that holds traces.
    #[error(
        "The archive has more than {limit} members. Expected an archive of traces. Unpack it and load the traces that are \
         in it."
    )]
    TooManyMembers {
        /// The limit.
        limit: u64,
    },
    /// None of an archive's members is a trace.
    #[error(
        "The archive has no trace that can be read: {members}. Expected a member in one of the formats. {advice}"
    )]
    NoTraceInside {
        /// The members, each with why it was not read.
        members: String,
        /// What to do.
        advice: String,
    },
    /// The member that was asked for is not in the archive.
    #[error("The archive has no member {wanted}. Found {members}. Name one of them.")]
    NoSuchMember {
        /// What was asked for.
        wanted: String,
        /// The members.
        members: String,
    },
    /// A text encoding that is not read.
    #[error(
        "The file is text in {encoding}. Expected UTF-8, or UTF-16 with a byte order mark. Save it as UTF-8."
    )]
    Encoding {
        /// The encoding it seems to have.
        encoding: String,
    },
    /// More jobs or longer ids than can be numbered.
    #[error(
        "The trace has more than {limit} {what}. Expected a trace that fits in memory. Cut it into parts and import one."
    )]
    TooLarge {
        /// The limit.
        limit: u64,
        /// Of what.
        what: String,
    },
    /// More jobs than there is memory for.
    #[error(
        "The trace has about {jobs} jobs, which need {needed_mb} MB of memory; there are {room_mb} MB. Expected a trace that \
         fits. Read a sample of it, one job in {one_in} (`sts import --one-in {one_in}`), or a part of it."
    )]
    NoRoom {
        /// Jobs expected.
        jobs: u64,
        /// MB they need.
        needed_mb: u64,
        /// MB there are.
        room_mb: u64,
        /// The largest sample that fits is one in so many.
        one_in: u64,
    },
    /// The operating system could not read it.
    #[error(
        "The file cannot be read: {detail}. Expected a readable file. Check the path and its permissions."
    )]
    Unreadable {
        /// What the system says.
        detail: String,
    },
}

impl Refusal {
    /// The reason in a few words, for a list.
    pub(super) fn short(&self) -> String {
        match self {
            Self::Empty { detail } => detail.clone(),
            Self::HeaderOnly { .. } => "it has a header and no job".into(),
            Self::Binary { looks_like, .. } | Self::NotJobs { looks_like, .. } => {
                format!("it looks like {looks_like}")
            }
            Self::LfsPointer { .. } => "it is a Git LFS pointer".into(),
            Self::NodeList { .. } => "it lists machines".into(),
            Self::UnknownTable { .. } => "it is a table of no known format".into(),
            Self::UnknownJson { .. } => "it is JSON of no known format".into(),
            Self::Packed { what, .. } => what.clone(),
            Self::PackedTooOften { limit } => format!("it is packed more than {limit} times over"),
            other => other.to_string(),
        }
    }

    /// The same, as what is wrong with one of `files` files. What is not of one file alone stays as it is.
    #[must_use]
    pub fn of_file(self, file: &str, files: usize) -> Self {
        let is_of_all = matches!(
            self,
            Self::MixedFormats { .. }
                | Self::NoRoom { .. }
                | Self::TooLarge { .. }
                | Self::NodeList { .. }
                | Self::OfFile { .. }
        );
        if files < 2 || is_of_all {
            self
        } else {
            Self::OfFile { file: file.to_owned(), why: Box::new(self) }
        }
    }
}

fn list_of(files: &[FileRead]) -> String {
    node_lists(files).map(|(_, list)| list.to_string()).collect::<Vec<_>>().join("; ")
}
