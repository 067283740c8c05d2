//! The members of archives: which are read, which are passed over and why.

use crate::trace::refusal::Refusal;
use crate::trace::report::{ArchiveMember, SHOWN_MEMBERS};
use crate::trace::unpack::Member;

/// The accounts of all archives of an import.
#[derive(Debug, Default)]
pub(super) struct Archives {
    /// The members that are wanted, by path or by the end of it; empty = all.
    wanted: Vec<String>,
    members: Vec<ArchiveMember>,
    /// Members so far, also those that are not listed.
    count: u64,
    read: u64,
    /// Members passed over that may have been meant.
    candidates: u64,
    /// Why the first of them was.
    first: Option<Refusal>,
    /// The member being read.
    current: Option<Current>,
}

/// A member whose text comes in.
#[derive(Debug)]
struct Current {
    path: String,
    bytes: u64,
    /// Records of the import before it.
    records: u64,
    skipped: Option<String>,
}

/// Whether the text of a member is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interest {
    Read,
    PassOver,
}

impl Archives {
    /// Accounts of an import that is to read the members called `wanted`, or all.
    pub(super) fn new(wanted: &[String]) -> Self {
        Self { wanted: wanted.to_vec(), ..Self::default() }
    }

    /// Begins a member.
    pub(super) fn begin(&mut self, member: &Member, records: u64) -> Interest {
        let skipped = if self.wanted.is_empty() {
            no_trace(&member.path).map(str::to_owned)
        } else {
            (!self.is_wanted(&member.path)).then(|| "it was not chosen".to_owned())
        };
        let interest = if skipped.is_none() { Interest::Read } else { Interest::PassOver };
        self.current = Some(Current { path: member.path.clone(), bytes: 0, records, skipped });
        interest
    }

    /// Counts text of the current member, if there is one.
    pub(super) fn take(&mut self, bytes: usize) {
        if let Some(current) = &mut self.current {
            current.bytes += bytes as u64;
        }
    }

    /// Whether a refusal only means that the current member is passed over: no record of it was read, and the others may do.
    pub(super) fn forgives(&mut self, refusal: &Refusal, records: u64) -> bool {
        let is_final = matches!(
            refusal,
            Refusal::Bomb { .. }
                | Refusal::Damaged { .. }
                | Refusal::TooLarge { .. }
                | Refusal::NoRoom { .. }
                | Refusal::MixedFormats { .. }
                | Refusal::UnknownFormat { .. }
        );
        match &mut self.current {
            Some(current) if !is_final && current.records == records => {
                current.skipped = Some(refusal.short());
                self.candidates += 1;
                self.first.get_or_insert_with(|| refusal.clone());
                true
            }
            _ => false,
        }
    }

    /// Ends the current member.
    pub(super) fn end(&mut self) {
        if let Some(Current { path, bytes, skipped, .. }) = self.current.take() {
            self.read += u64::from(skipped.is_none());
            self.list(ArchiveMember { path, bytes: Some(bytes), skipped });
        }
    }

    /// Lists a member that has no text.
    pub(super) fn pass_over(&mut self, member: &Member, why: Refusal) {
        let skipped = Some(why.short());
        if !matches!(why, Refusal::Empty { .. }) && (self.wanted.is_empty() || self.is_wanted(&member.path)) {
            self.candidates += 1;
            self.first.get_or_insert(why);
        }
        self.list(ArchiveMember { path: member.path.clone(), bytes: member.bytes, skipped });
    }

    /// Whether a member is being read.
    pub(super) fn is_inside(&self) -> bool {
        self.current.is_some()
    }

    /// Whether any file was an archive.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The members for the report.
    pub(super) fn into_members(self) -> Vec<ArchiveMember> {
        self.members
    }

    /// Why nothing was read, if nothing was.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        if self.is_empty() || self.read > 0 {
            return None;
        }
        let all_unwanted = self.candidates == 0 && !self.wanted.is_empty();
        if all_unwanted {
            let wanted = self.wanted.join(", ");
            return Some(Refusal::NoSuchMember { wanted, members: self.paths() });
        }
        let advice = match (self.candidates, &self.first) {
            (_, Some(Refusal::Packed { advice, .. })) => advice.clone(),
            // A single candidate says best itself what is wrong.
            (1, Some(first)) => return Some(first.clone()),
            _ => "Pack the table of jobs alone, or load it unpacked.".into(),
        };
        Some(Refusal::NoTraceInside { members: self.reasons(), advice })
    }

    fn is_wanted(&self, path: &str) -> bool {
        self.wanted.iter().any(|wanted| {
            path.strip_suffix(wanted.as_str())
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        })
    }

    fn list(&mut self, member: ArchiveMember) {
        self.count += 1;
        if self.members.len() < SHOWN_MEMBERS {
            self.members.push(member);
        }
    }

    fn paths(&self) -> String {
        self.listed(|member| member.path.clone())
    }

    fn reasons(&self) -> String {
        self.listed(|member| format!("{} ({})", member.path, member.skipped.as_deref().unwrap_or("read")))
    }

    /// The first members for messages.
    fn listed(&self, text: impl Fn(&ArchiveMember) -> String) -> String {
        const SHOWN: usize = 8;
        let mut texts: Vec<String> = self.members.iter().take(SHOWN).map(text).collect();
        if self.count > texts.len() as u64 {
            texts.push(format!("… ({} in all)", self.count));
        }
        texts.join(", ")
    }
}

/// Why a member of this name is no trace.
fn no_trace(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_text_about = ["readme", "license", "licence", "copying", "notice", "changelog", "authors"]
        .iter()
        .any(|start| name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)));
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    if path.split('/').any(|folder| folder == "__MACOSX") || name.starts_with("._") || name == ".DS_Store" {
        Some("it is a file of macOS beside the data")
    } else if is_text_about || ends(&[".md", ".rst", ".pdf", ".html"]) {
        Some("it is a text about the data")
    } else if ends(&[".py", ".sh", ".ipynb", ".r", ".sql", ".yml", ".yaml", ".toml"]) {
        Some("it is a program or its settings")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_no_traces() {
        for name in ["README.md", "x/LICENSE", "__MACOSX/._a.csv", "a/._b.csv", "plot.py", "Readme.txt"] {
            assert!(no_trace(name).is_some(), "{name}");
        }
        for name in ["cluster_log.csv", "a/pai_job_table.header", "x", "jobs.txt", "r", "readjobs.csv"] {
            assert!(no_trace(name).is_none(), "{name}");
        }
    }
}
