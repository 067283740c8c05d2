//! The first text of a file: what is looked at before anything is decided about it.

use std::io::Read;

use crate::trace::refusal::Refusal;
use crate::trace::sample::{LineEnds, SAMPLE_BYTES};
use crate::trace::unpack::{Member, Oddity, Sink, Unpack};

/// How much is read at once.
const STEP_BYTES: usize = 16 << 10;

/// The first 64 kB of a file's text, unpacked and decoded; of an archive, those of its first member that is asked for.
#[derive(Debug)]
pub struct Head {
    unpack: Unpack,
    first: First,
}

#[derive(Debug)]
struct First {
    /// Members that are looked at, by path or by the end of it; empty = any.
    members: Vec<String>,
    is_wanted: bool,
    text: Vec<u8>,
}

impl Head {
    /// Begins; `members` are those of [`ImportOptions`](crate::trace::ImportOptions).
    #[must_use]
    pub fn new(members: &[String]) -> Self {
        let first = First { members: members.to_vec(), is_wanted: true, text: Vec::new() };
        Self { unpack: Unpack::new(), first }
    }

    /// Takes the next bytes of the file; those after the first text are passed over.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot be unpacked.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        for step in bytes.chunks(STEP_BYTES) {
            if !self.is_full() {
                self.unpack.feed(step, &mut self.first)?;
            }
        }
        Ok(())
    }

    /// Whether there is as much text as is looked at.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.first.text.len() >= SAMPLE_BYTES
    }

    /// The text of a file whose bytes have all been taken, or of which there is enough.
    ///
    /// # Errors
    /// [`Refusal`] when the file ends where it must not.
    pub fn finish(mut self) -> Result<Vec<u8>, Refusal> {
        if !self.is_full() {
            self.unpack.finish(&mut self.first)?;
        }
        // So that lines are lines, whatever ends them.
        Ok(LineEnds::of(&self.first.text).unify(&self.first.text).into_owned())
    }

    /// The first text of what a reader gives.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot be read or unpacked.
    pub fn read(mut from: impl Read, members: &[String]) -> Result<Vec<u8>, Refusal> {
        let mut head = Self::new(members);
        let mut buffer = vec![0; STEP_BYTES];
        while !head.is_full() {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => head.feed(buffer.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Refusal::Unreadable { detail: error.to_string() }),
            }
        }
        head.finish()
    }
}

impl Sink for First {
    fn begin_member(&mut self, member: &Member) -> Result<(), Refusal> {
        let is_named = self.members.is_empty() || self.members.iter().any(|name| member.path.ends_with(name));
        self.is_wanted = self.text.is_empty() && is_named;
        Ok(())
    }

    fn take(&mut self, text: &[u8]) -> Result<(), Refusal> {
        if self.is_wanted {
            let room = SAMPLE_BYTES - self.text.len();
            self.text.extend_from_slice(text.get(..room).unwrap_or(text));
        }
        Ok(())
    }

    fn end_member(&mut self) -> Result<(), Refusal> {
        self.is_wanted = false;
        Ok(())
    }

    fn notice(&mut self, _oddity: Oddity, _count: u64) {}

    fn pass_over(&mut self, _member: &Member, _why: Refusal) -> Result<(), Refusal> {
        Ok(())
    }
}
