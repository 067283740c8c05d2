//! What the files of an import are: tables of jobs, and what comes with them.

use serde::{Deserialize, Serialize};

use crate::trace::nodes::NodeReport;
use crate::trace::rows::Header;
use crate::trace::sample::Sample;

/// The ending of a file that names the columns of another.
const HEADER_ENDING: &str = ".header";

/// One file, and what it was recognised as.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileRead {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub holds: Holds,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "holds", rename_all = "kebab-case")]
pub enum Holds {
    /// Jobs, or one of the tables that describe them together.
    Jobs {
        /// Which table, where the format has several.
        table: Option<String>,
        /// Its records.
        rows: u64,
    },
    /// Machines, or GPU quotas.
    Nodes(NodeReport),
    /// The names of the columns of another file.
    Columns {
        /// The names.
        names: String,
    },
    /// Nothing.
    Nothing,
}

impl std::fmt::Display for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Jobs { table: Some(table), rows } => write!(f, "{table}, {rows} rows"),
            Self::Jobs { table: None, rows } => write!(f, "jobs, {rows} records"),
            Self::Nodes(report) => report.fmt(f),
            Self::Columns { names } => write!(f, "the columns {names}"),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}

/// Puts files into the order in which an import understands them best, whatever the order they were given in: those that name
/// the columns of others come first.
pub fn put_in_reading_order<T>(files: &mut [T], name: impl Fn(&T) -> String) {
    files.sort_by_key(|file| !names_columns(&name(file)));
}

/// The lists of machines among files, with the names of the files they are in.
pub fn node_lists(files: &[FileRead]) -> impl Iterator<Item = (&str, &NodeReport)> {
    files.iter().filter_map(|file| match &file.holds {
        Holds::Nodes(list) => Some((file.name.as_str(), list)),
        _ => None,
    })
}

/// Whether a file of this name has the columns of another one.
pub(super) fn names_columns(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(HEADER_ENDING)
}

/// Columns that one file has for others.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeaderFile {
    /// What the names of the files begin with that it is for.
    stem: String,
    pub(super) columns: Header,
}

impl HeaderFile {
    /// The columns in a file of this name, which has nothing else.
    pub(super) fn new(name: &str, sample: &Sample<'_>) -> Option<Self> {
        let is_one = names_columns(name) && sample.is_one_line() && !sample.is_json();
        is_one.then(|| Self { stem: stem(name), columns: sample.header().clone() })
    }

    /// Whether it has the columns of a file of this name that begins so. A file that begins with the columns needs none.
    pub(super) fn is_for(&self, name: &str, sample: &Sample<'_>) -> bool {
        stem(name).starts_with(&self.stem)
            && sample.fields().count() == self.columns.len()
            && *sample.header() != self.columns
    }
}

/// The name of a file without folders and from its first dot on.
fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    file.split('.').next().unwrap_or(file).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_name_columns_come_first_and_others_stay_in_order() {
        let mut files = ["b.csv", "t.HEADER", "a.csv", "s.header"];
        put_in_reading_order(&mut files, |name| (*name).to_owned());
        assert_eq!(files, ["t.HEADER", "s.header", "b.csv", "a.csv"]);
    }

    #[test]
    fn columns_belong_to_files_of_the_same_stem_and_width() {
        let header = HeaderFile::new("x/pai_job.header", &Sample::new(b"a,b,c\n")).unwrap();
        let is_for = |name: &str, text: &[u8]| header.is_for(name, &Sample::new(text));
        assert!(is_for("pai_job.csv", b"1,2,\n") && is_for("C:\\t\\PAI_job.part.tar.gz", b"1,2,3"));
        assert!(!is_for("pai_task.csv", b"1,2,3"), "another file");
        assert!(!is_for("pai_job.csv", b"1,2"), "another width");
        assert!(!is_for("pai_job.csv", b"a,b,c\n1,2,3"), "it has a header");
        assert!(HeaderFile::new("pai_job.csv", &Sample::new(b"a,b,c")).is_none());
        assert!(HeaderFile::new("a.header", &Sample::new(b"a,b,c\n1,2,3")).is_none());
    }
}
