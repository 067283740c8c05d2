//! What the beginning of `sacct` output says of its delimiter and its columns.

use crate::trace::format::Columns;
use crate::trace::format::sacct::guess::guess;
use crate::trace::rows::Header;
use crate::trace::sample::Sample;
use crate::trace::value::{self, Notes};

/// Fields of `sacct` as Open XDMoD's shredder calls it, without a header.
const XDMOD: [&str; 26] = [
    "JobID",
    "JobIDRaw",
    "Cluster",
    "Partition",
    "QOS",
    "Account",
    "Group",
    "GID",
    "User",
    "UID",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Elapsed",
    "ExitCode",
    "State",
    "NNodes",
    "NCPUS",
    "ReqCPUS",
    "ReqMem",
    "ReqTRES",
    "AllocTRES",
    "Timelimit",
    "NodeList",
    "JobName",
];

/// Fields of `sacct` as Sonar calls it, without a header.
const SONAR: [&str; 32] = [
    "JobID",
    "JobIDRaw",
    "User",
    "Account",
    "State",
    "Start",
    "End",
    "AveCPU",
    "AveDiskRead",
    "AveDiskWrite",
    "AveRSS",
    "AveVMSize",
    "ElapsedRaw",
    "ExitCode",
    "Layout",
    "MaxRSS",
    "MaxVMSize",
    "MinCPU",
    "ReqCPUS",
    "ReqMem",
    "ReqNodes",
    "Reservation",
    "Submit",
    "Suspended",
    "SystemCPU",
    "TimelimitRaw",
    "UserCPU",
    "NodeList",
    "Partition",
    "AllocTRES",
    "Priority",
    "JobName",
];

/// Names of `sacct` that stand in a header beside the job's id; three of them are no coincidence.
const NAMES: [&str; 22] = [
    "JobIDRaw",
    "JobName",
    "User",
    "Account",
    "Partition",
    "QOS",
    "Cluster",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Elapsed",
    "ElapsedRaw",
    "State",
    "ExitCode",
    "AllocCPUS",
    "AllocTRES",
    "ReqTRES",
    "AllocGRES",
    "NNodes",
    "NodeList",
    "Timelimit",
];

/// How many lines of a file without a header are looked at.
const SEEN_LINES: usize = 200;

/// What separates the fields: `|`, or what `--delimiter` says, of one byte or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Delimiter {
    pub(super) first: u8,
    pub(super) second: Option<u8>,
}

/// What a file is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) delimiter: Delimiter,
    /// The columns of a file without a header.
    pub(super) columns: Option<Columns>,
    pub(super) score: u8,
    pub(super) evidence: String,
}

impl Delimiter {
    /// What stands after the first `length` bytes of a line. It is of two bytes if the first never stands without the second.
    fn after(line: &[u8], length: usize) -> Option<Self> {
        let marks =
            |byte: &&u8| **byte == b'\t' || (byte.is_ascii_punctuation() && !b"_+.-%[]\"':/=".contains(byte));
        let rest = line.get(length..)?;
        let first = *rest.first().filter(marks)?;
        let second = rest.get(1).filter(marks).copied().filter(|&second| {
            let followed = |(at, &byte): (usize, &u8)| byte != first || rest.get(at + 1) == Some(&second);
            second != first && rest.iter().enumerate().all(followed)
        });
        Some(Self { first, second })
    }

    /// The fields of a line, without blanks around them.
    fn split(self, line: &[u8]) -> Vec<&[u8]> {
        let mut fields = Vec::new();
        let mut from = 0;
        for (at, &byte) in line.iter().enumerate() {
            let is_here = byte == self.first
                && at >= from
                && self.second.is_none_or(|second| line.get(at + 1) == Some(&second));
            if is_here {
                fields.push(value::trim(line.get(from..at).unwrap_or_default()));
                from = at + 1 + usize::from(self.second.is_some());
            }
        }
        fields.push(value::trim(line.get(from..).unwrap_or_default()));
        fields
    }
}

impl std::fmt::Display for Delimiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.first, self.second) {
            (b'\t', _) => f.write_str("tabs"),
            (first, None) => write!(f, "{}", char::from(first)),
            (first, Some(second)) => write!(f, "{}{}", char::from(first), char::from(second)),
        }
    }
}

/// Whether this looks like a job, an array task, a het component or a step.
pub(super) fn is_job_id(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0 && text.get(digits).is_none_or(|b| b"_+.".contains(b))
}

/// What the file is, if it is of `sacct`.
pub(super) fn recognise(sample: &Sample<'_>) -> Option<Found> {
    with_header(sample.first_line()).or_else(|| without_header(sample))
}

fn with_header(line: &[u8]) -> Option<Found> {
    let line = value::trim(line);
    let word = line.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let delimiter = Delimiter::after(line, word)?;
    let header = Header::new(delimiter.split(line));
    let has_id = ["JobID", "JobIDRaw"].iter().any(|name| header.find(name).is_some());
    // squeue writes its names in capitals, and has none of them for the time of submission unless asked.
    let is_squeue = header.names().iter().any(|name| name == "JOBID") && header.find("Submit").is_none();
    let is_named = |name: &&&str| header.names().iter().any(|known| known == **name);
    let named: Vec<&str> = NAMES.iter().filter(is_named).copied().collect();
    // Other tables have job ids too; only sacct puts bars between them.
    if !has_id || is_squeue || header.len() < 2 || (delimiter.first != b'|' && named.len() < 3) {
        return None;
    }
    let telling = ["JobIDRaw", "State", "Submit", "AllocTRES", "ElapsedRaw"];
    let seen: Vec<&str> = telling.into_iter().filter(|name| header.find(name).is_some()).collect();
    let evidence =
        format!("its header, separated by {delimiter}, has {}", [&["JobID"], &seen[..]].concat().join(", "));
    Some(Found { delimiter, columns: None, score: 95, evidence })
}

fn without_header(sample: &Sample<'_>) -> Option<Found> {
    let first = sample.first_line();
    if !is_job_id(first.split(|b| !b.is_ascii_alphanumeric() && !b"_+.[]-%,".contains(b)).next()?) {
        return None;
    }
    let mut length = first.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_+.-%".contains(b)).count();
    if first.get(length) == Some(&b'[') {
        length += first.iter().skip(length).position(|&b| b == b']')? + 1;
    }
    let delimiter = Delimiter::after(first, length)?;
    let mut lines: Vec<&[u8]> = sample.bytes().split(|&b| b == b'\n').take(SEEN_LINES + 1).collect();
    // The last one may be cut off.
    if lines.len() > 1 {
        lines.pop();
    }
    let mut rows: Vec<Vec<&[u8]>> = lines
        .into_iter()
        .map(|line| delimiter.split(line.strip_suffix(b"\r").unwrap_or(line)))
        .filter(|fields| fields.first().is_some_and(|id| is_job_id(id)))
        .collect();
    let width = common_width(&rows)?;
    rows.retain(|row| row.len() == width);
    // A delimiter at the end of each line makes no column.
    if rows.iter().all(|row| row.last().is_some_and(|last| last.is_empty())) {
        rows.iter_mut().for_each(|row| {
            row.pop();
        });
    }
    let width = rows.first()?.len();
    let are_times = |at: &[usize]| {
        rows.iter().all(|row| at.iter().all(|&at| row.get(at).is_some_and(|cell| is_time(cell))))
    };
    let known = if width == XDMOD.len() && are_times(&[10, 12, 13]) {
        Some((&XDMOD[..], "Open XDMoD"))
    } else if width == SONAR.len() && are_times(&[5, 6, 22]) {
        Some((&SONAR[..], "Sonar"))
    } else {
        None
    };
    if let Some((names, layout)) = known {
        let evidence = format!("{width} fields without a header, as {layout} lets sacct print them");
        return Some(Found { delimiter, columns: Some(Columns::Known(names)), score: 90, evidence });
    }
    let names = guess(&rows)?;
    let recognised = names.iter().filter(|name| !name.is_empty()).count();
    let evidence = format!(
        "{width} fields without a header, separated by {delimiter}, the first a job of Slurm; {recognised} of them recognised"
    );
    Some(Found { delimiter, columns: Some(Columns::Guessed(names)), score: 80, evidence })
}

/// The number of fields that most rows have.
fn common_width(rows: &[Vec<&[u8]>]) -> Option<usize> {
    let count = |width: usize| rows.iter().filter(|row| row.len() == width).count();
    rows.iter().map(Vec::len).max_by_key(|&width| (count(width), std::cmp::Reverse(width)))
}

fn is_time(text: &[u8]) -> bool {
    value::is_missing(text) || value::time(text, &Notes::default()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Found> {
        recognise(&Sample::new(text.as_bytes()))
    }

    #[test]
    fn job_ids() {
        for id in ["123", "123_4", "123_[5-9%2]", "123+1", "123.batch"] {
            assert!(is_job_id(id.as_bytes()), "{id}");
        }
        for other in ["", "JobID", "12:30", "2020-01-01"] {
            assert!(!is_job_id(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn delimiters_are_bars_or_what_was_asked_for() {
        for (text, shown) in [
            ("JobID|State\n1|COMPLETED\n", "|"),
            ("JobID|#User|#State\n", "|#"),
            ("JobID\tUser\tState\tSubmit\n", "tabs"),
            ("JobID,User,State,Submit\n", ","),
            ("JobIDRaw^JobID^User^State\n", "^"),
        ] {
            assert_eq!(found(text).unwrap().delimiter.to_string(), shown, "{text}");
        }
        let fields = Delimiter { first: b'|', second: Some(b'#') }.split(b"1|#a|b|#|#c#|");
        assert_eq!(fields, [&b"1"[..], b"a|b", b"", b"c#|"]);
        // A comma-separated table with a job id need not be of Slurm.
        for other in
            ["jobid,user,submit_time\n", "JobID,when,State\n", "1,2,3\n4,5,6\n", "JobID\n", "2020-01-01|x\n"]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }

    #[test]
    fn pairs_are_told_from_bars_before_other_marks() {
        assert_eq!(Delimiter::after(b"1||#x|y", 1), Some(Delimiter { first: b'|', second: None }));
        assert_eq!(Delimiter::after(b"1|#|#x|#y", 1), Some(Delimiter { first: b'|', second: Some(b'#') }));
        assert_eq!(Delimiter::after(b"1", 1), None);
        assert_eq!(Delimiter::after(b"1 2", 1), None);
    }
}
