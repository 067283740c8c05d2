//! Whether an import will fit in memory, foreseen from how far it is.

use crate::trace::refusal::Refusal;
use crate::workload::JobRecord;

/// Bytes of the files from which on what was read tells what the rest will be like.
const TELLING: u64 = 2_000_000;
/// Memory of a job beside its record and its id: the hashes by which equal records are found while reading; then, the hashes gone,
/// the order in which jobs are sorted and half a copy of them, and what is passed on.
const BESIDE_A_JOB: u64 = 120;
/// How many copies of the ids there may be at once.
const COPIES_OF_IDS: u64 = 3;

/// The size of what is to be read, and the memory there is for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// Bytes of all files, packed as they are.
    pub(super) files_bytes: u64,
    pub(super) memory_bytes: u64,
}

impl Room {
    /// How many jobs there will be in all, if it can be told yet; `jobs` with ids of `id_bytes` were in the first `read` bytes.
    ///
    /// # Errors
    /// [`Refusal::NoRoom`] when they will not fit.
    pub(super) fn foresee(&self, read: u64, jobs: u64, id_bytes: u64) -> Result<Option<u64>, Refusal> {
        if read < TELLING || read > self.files_bytes {
            return Ok(None);
        }
        let in_all = |part: u64| {
            let whole = u128::from(part) * u128::from(self.files_bytes) / u128::from(read);
            u64::try_from(whole).unwrap_or(u64::MAX)
        };
        let record = size_of::<JobRecord>() as u64 + BESIDE_A_JOB;
        let now = jobs.saturating_mul(record).saturating_add(id_bytes.saturating_mul(COPIES_OF_IDS));
        let needed = in_all(now);
        if needed > self.memory_bytes {
            return Err(Refusal::NoRoom {
                jobs: in_all(jobs),
                needed_mb: needed / 1_000_000,
                room_mb: self.memory_bytes / 1_000_000,
                // Some of them more often than needed: a tenth more to spare.
                one_in: (needed + needed / 10).div_ceil(self.memory_bytes.max(1)),
            });
        }
        Ok(Some(in_all(jobs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_foreseen_with_a_sample_that_does() {
        let room = Room { files_bytes: 1_000_000_000, memory_bytes: 100_000_000 };
        assert_eq!(room.foresee(1_000_000, 1, 1), Ok(None));
        assert_eq!(room.foresee(10_000_000, 1_000, 8_000), Ok(Some(100_000)));
        let Err(Refusal::NoRoom { jobs, needed_mb, room_mb, one_in }) =
            room.foresee(10_000_000, 50_000, 400_000)
        else {
            panic!("it does not fit")
        };
        assert_eq!((jobs, room_mb), (5_000_000, 100));
        assert!(needed_mb > 1_000);
        assert!(room.foresee(10_000_000, 50_000 / one_in, 400_000 / one_in).is_ok());
    }
}
