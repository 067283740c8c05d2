//! What the files of an import are: tables of jobs, and what comes with them.

use std::io::{self, BufRead};

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
    Nodes(Box<NodeReport>),
    /// The names of the columns of another file.
    Columns {
        /// The names.
        names: String,
    },
    /// The same bytes as another file, which is read once.
    Repeats {
        /// The name of the other file.
        of: String,
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
            Self::Repeats { of } => write!(f, "not read, since its bytes are those of {of}"),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}

/// Puts files into the order in which an import understands them best, whatever the order they were given in: those that name
/// the columns of others come first.
pub fn put_in_reading_order<T>(files: &mut [T], name: impl Fn(&T) -> String) {
    files.sort_by_key(|file| !names_columns(&name(file)));
}

/// Which files have the bytes of an earlier one: for each file the position of the first such, if there is one. `size` is `None`
/// where it is not known; only files of one size are compared.
///
/// # Errors
/// What `is_same` says.
pub fn repeated<T, E>(
    files: &[T],
    size: impl Fn(&T) -> Option<u64>,
    mut is_same: impl FnMut(&T, &T) -> Result<bool, E>,
) -> Result<Vec<Option<usize>>, E> {
    let mut found: Vec<Option<usize>> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let bytes = size(file).filter(|&bytes| bytes > 0);
        let mut first = None;
        for (other, earlier) in files.iter().enumerate().take(at) {
            let is_first = found.get(other).is_some_and(Option::is_none);
            if is_first && bytes.is_some() && size(earlier) == bytes && is_same(earlier, file)? {
                first = Some(other);
                break;
            }
        }
        found.push(first);
    }
    Ok(found)
}

/// Whether two readers give the same bytes.
///
/// # Errors
/// What a reader says.
pub fn have_same_bytes(mut one: impl BufRead, mut other: impl BufRead) -> io::Result<bool> {
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if length == 0 {
            return Ok(left.is_empty() && right.is_empty());
        }
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// The lists of machines among files, with the names of the files they are in.
pub fn node_lists(files: &[FileRead]) -> impl Iterator<Item = (&str, &NodeReport)> {
    files.iter().filter_map(|file| match &file.holds {
        Holds::Nodes(list) => Some((file.name.as_str(), &**list)),
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
    fn only_files_of_one_size_are_compared_and_each_is_matched_with_the_first() {
        let files = ["ab", "abc", "xyz", "abc", "", "", "abc"];
        let mut compared = 0;
        let found = repeated(
            &files,
            |file| Some(file.len() as u64),
            |one, other| {
                compared += 1;
                have_same_bytes(io::BufReader::with_capacity(2, one.as_bytes()), other.as_bytes())
            },
        );
        assert_eq!(found.unwrap(), [None, None, None, Some(1), None, None, Some(1)]);
        assert_eq!(compared, 3);
        assert!(!have_same_bytes(&b"abc"[..], &b"ab"[..]).unwrap());
        assert_eq!(repeated(&["a", "a"], |_| None, |_, _| Ok::<_, ()>(true)), Ok(vec![None, None]));
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
