//! Which records are the same job: ids, equal records under one id, other records under one id.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use hashbrown::HashTable;

use crate::trace::hash::Hash;
use crate::trace::refusal::Refusal;
use crate::trace::repair::RepeatedIds;
use crate::workload::TextColumn;

/// A hash of a record's bytes.
pub(super) fn content_hash(bytes: &[u8]) -> u64 {
    Hash::of(bytes).value()
}

/// Records that share one id.
#[derive(Debug)]
struct Repeats {
    /// Content of each record so far.
    contents: HashSet<u64>,
    /// The last suffix given.
    suffix: u64,
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identity {
    /// A job of its own.
    New,
    /// An earlier record once more.
    Duplicate,
    /// Another record of the job at this position, of which one is to be kept.
    Again(usize),
}

/// How the ids of the jobs so far follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum IdOrder {
    /// Each is longer than the one before, or as long and greater, as counted numbers are. So none is there twice.
    #[default]
    Ascending,
    Any,
}

/// The ids of all jobs.
#[derive(Debug, Default)]
pub(super) struct Identities {
    ids: TextColumn,
    id_bytes: u64,
    /// Hash of each job's record.
    contents: Vec<u64>,
    order: IdOrder,
    /// Hash of an id, and the job that has it; empty while the ids ascend.
    by_id: HashTable<(u32, u32)>,
    /// By the first job that has the id.
    repeats: HashMap<u32, Repeats>,
    /// Contents of records without an id.
    nameless: HashSet<u64>,
    /// Records without an id that equal an earlier one.
    pub(super) identical: u64,
    /// Jobs whose id an earlier, different record had.
    pub(super) repeated: u64,
    number: String,
    /// What becomes of other records of an id.
    policy: RepeatedIds,
}

impl Identities {
    /// No ids yet.
    pub(super) fn new(policy: RepeatedIds) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Says whether a record is a job of its own, and if so gives it an id: its own, or else its `number`, with a suffix if
    /// the id is taken.
    pub(super) fn identify(&mut self, id: &str, content: u64, number: u64) -> Result<Identity, Refusal> {
        if id.is_empty() {
            // Without an id nothing says that two equal rows are one job: sweeps submit many equal ones at an instant.
            self.identical += u64::from(!self.nameless.insert(content));
            let mut id = std::mem::take(&mut self.number);
            id.clear();
            // Writing to a string cannot fail.
            let _ = write!(id, "{number}");
            if let Some(first) = self.claim(&id, content)? {
                self.add_suffixed(&id, first, content)?;
            }
            self.number = id;
            return Ok(Identity::New);
        }
        let Some(first) = self.claim(id, content)? else { return Ok(Identity::New) };
        if !self.repeats_of(first).contents.insert(content) {
            return Ok(Identity::Duplicate);
        }
        if self.policy != RepeatedIds::Keep {
            return Ok(Identity::Again(first as usize));
        }
        self.repeated += 1;
        self.add_suffixed(id, first, content)?;
        Ok(Identity::New)
    }

    /// The length of all ids.
    pub(super) fn id_bytes(&self) -> u64 {
        self.id_bytes
    }

    /// The ids in order of the file.
    pub(super) fn into_ids(self) -> TextColumn {
        self.ids
    }

    /// Takes memory for so many jobs in all, with ids of so many bytes.
    pub(super) fn make_room(&mut self, jobs: usize, id_bytes: usize) {
        let more = jobs.saturating_sub(self.ids.len());
        self.ids.reserve(more, id_bytes.saturating_sub(self.id_bytes as usize));
        // What cannot be had is asked for again when it is needed.
        let _ = self.contents.try_reserve_exact(more);
        if self.order == IdOrder::Any {
            let _ = self.by_id.try_reserve(more, |&(tag, _)| Hash::spread(tag));
        }
    }

    fn repeats_of(&mut self, first: u32) -> &mut Repeats {
        let content = self.contents.get(first as usize).copied();
        self.repeats
            .entry(first)
            .or_insert_with(|| Repeats { contents: content.into_iter().collect(), suffix: 1 })
    }

    /// Gives the next job the id of the job `first` with the first free suffix.
    fn add_suffixed(&mut self, base: &str, first: u32, content: u64) -> Result<(), Refusal> {
        loop {
            let repeats = self.repeats_of(first);
            repeats.suffix += 1;
            let id = format!("{base}#{}", repeats.suffix);
            if self.claim(&id, content)?.is_none() {
                return Ok(());
            }
        }
    }

    /// Gives the next job this id, or says which job has it.
    #[inline]
    fn claim(&mut self, id: &str, content: u64) -> Result<Option<u32>, Refusal> {
        if self.order == IdOrder::Ascending {
            let last = self.ids.get(self.ids.len().wrapping_sub(1));
            if (id.len(), id) > (last.len(), last) {
                return self.append(id, content).map(|_| None);
            }
            self.index();
        }
        let tag = tag_of(id);
        let same = |&(other, at): &(u32, u32)| other == tag && self.ids.get(at as usize) == id;
        if let Some(&(_, taken)) = self.by_id.find(Hash::spread(tag), same) {
            return Ok(Some(taken));
        }
        let position = self.append(id, content)?;
        self.by_id.insert_unique(Hash::spread(tag), (tag, position), |&(tag, _)| Hash::spread(tag));
        Ok(None)
    }

    /// Adds the next job; its position.
    #[inline]
    fn append(&mut self, id: &str, content: u64) -> Result<u32, Refusal> {
        let too_large = |what: &str| Refusal::TooLarge { limit: u64::from(u32::MAX), what: what.into() };
        let position = u32::try_from(self.contents.len()).map_err(|_| too_large("jobs"))?;
        self.id_bytes += id.len() as u64;
        if self.id_bytes > u64::from(u32::MAX) {
            return Err(too_large("bytes of job ids"));
        }
        self.ids.push(id);
        self.contents.push(content);
        Ok(position)
    }

    /// Begins to find jobs by their ids, once these do not ascend any more.
    #[cold]
    fn index(&mut self) {
        self.order = IdOrder::Any;
        // As much as was foreseen for the jobs; what cannot be had is asked for again when it is needed.
        let _ = self.by_id.try_reserve(self.contents.capacity(), |&(tag, _)| Hash::spread(tag));
        for position in 0..u32::try_from(self.ids.len()).unwrap_or(u32::MAX) {
            let tag = tag_of(self.ids.get(position as usize));
            self.by_id.insert_unique(Hash::spread(tag), (tag, position), |&(tag, _)| Hash::spread(tag));
        }
    }
}

/// Half of an id's hash: kept, so that a growing table need not look at the texts again.
fn tag_of(id: &str) -> u32 {
    (Hash::of(id.as_bytes()).value() >> 32) as u32
}
