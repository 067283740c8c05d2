//! tar archives: old ones, ustar, pax and GNU, read by `tar-core`.

use tar_core::EntryType;
use tar_core::parse::{Limits, ParseEvent, Parser};

use super::{Member, Oddity, Outlet, Stream, damaged, fill};
use crate::trace::refusal::Refusal;

/// Everything in a tar archive lies on blocks of this size.
const BLOCK: usize = 512;
/// What is said of an archive that nothing ends.
const UNMARKED: Oddity = Oddity {
    code: "archive-cut",
    text: "tar archives end without the mark that ends one: if such a file was cut off between two members, the later ones are \
           missing",
};
/// The most that names and other additions to one header may have, in bytes.
const MAX_ADDITIONS: u32 = 64 << 10;

/// Whether a file begins with the header of a member.
pub(super) fn begins(head: &[u8]) -> bool {
    head.get(257..262) == Some(b"ustar") || has_checksum(head)
}

/// Whether the first block has the checksum of a tar header, by which archives older than POSIX are known.
fn has_checksum(head: &[u8]) -> bool {
    let (Some(block), Some(field)) = (head.get(..BLOCK), head.get(148..156)) else { return false };
    let digits: Vec<u8> = field.iter().copied().filter(u8::is_ascii_digit).collect();
    let stated = std::str::from_utf8(&digits).ok().and_then(|digits| u32::from_str_radix(digits, 8).ok());
    let blanks = |at: usize| (148..156).contains(&at);
    let sum =
        block.iter().enumerate().map(|(at, &b)| if blanks(at) { 32 } else { u32::from(b) }).sum::<u32>();
    // Text has no zero byte, and the name of a member ends with one.
    stated == Some(sum) && block.get(..100).is_some_and(|name| name.contains(&0))
}

/// A tar archive being unpacked.
#[derive(Debug)]
pub(super) struct Tar {
    /// The member that the archive itself is.
    archive: Option<Member>,
    packings: u8,
    parser: Parser,
    held: Vec<u8>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// In front of a header of which at least so many bytes are needed.
    Header(usize),
    /// In a member: what is left of it, the rest of its last block, and where it goes.
    Body {
        left: u64,
        padding: u64,
        inner: Option<Stream>,
    },
    Done,
}

/// What a header says.
enum Found {
    Member { member: Member, bytes: u64, what: Option<&'static str> },
    Other,
    More(usize),
    End,
}

impl Tar {
    pub(super) fn new(archive: Option<Member>, packings: u8) -> Self {
        let limits = Limits { max_metadata_size: MAX_ADDITIONS, ..Limits::default() };
        let mut parser = Parser::new(limits);
        parser.set_ignore_pax_errors(true);
        Self { archive, packings, parser, held: Vec::new(), state: State::Header(BLOCK) }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        loop {
            match &mut self.state {
                State::Done => return Ok(()),
                State::Header(needed) => {
                    if !fill(&mut self.held, &mut bytes, *needed) {
                        return Ok(());
                    }
                    self.header(out)?;
                }
                State::Body { left, padding, inner } => {
                    let text = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    let (text, rest) = bytes.split_at(text);
                    *left -= text.len() as u64;
                    if let Some(inner) = inner.as_mut().filter(|_| !text.is_empty()) {
                        inner.push(text, out)?;
                    }
                    let skipped = if *left == 0 { rest.len().min(*padding as usize) } else { 0 };
                    *padding -= skipped as u64;
                    bytes = rest.get(skipped..).unwrap_or_default();
                    if *left > 0 || *padding > 0 {
                        return Ok(());
                    }
                    if let Some(inner) = inner {
                        inner.end(out)?;
                    }
                    self.state = State::Header(BLOCK);
                }
            }
        }
    }

    pub(super) fn end(&self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        match &self.state {
            State::Done => Ok(()),
            // Blocks of zeros mark the end; some programs write one, or none.
            State::Header(_) if self.held.iter().all(|&b| b == 0) => {
                if self.held.len() < BLOCK {
                    out.sink.notice(UNMARKED, 1);
                }
                Ok(())
            }
            State::Header(_) | State::Body { .. } => Err(damaged("tar archive", "it ends in the middle")),
        }
    }

    /// Looks at the header that is held.
    fn header(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let (consumed, found) = self.find()?;
        self.held.drain(..consumed.min(self.held.len()));
        match found {
            Found::More(needed) => self.state = State::Header(needed),
            Found::Other => self.state = State::Header(BLOCK),
            Found::End => self.state = State::Done,
            Found::Member { member, bytes, what } => {
                out.book_member()?;
                let inner = match what {
                    None => Some(Stream::new(Some(member), self.packings)),
                    Some(what) => {
                        out.sink.pass_over(&member, Refusal::Empty { detail: format!("it is {what}") })?;
                        None
                    }
                };
                let padding = (BLOCK as u64 - bytes % BLOCK as u64) % BLOCK as u64;
                self.state = State::Body { left: bytes, padding, inner };
            }
        }
        Ok(())
    }

    fn find(&mut self) -> Result<(usize, Found), Refusal> {
        let event = self.parser.parse(&self.held).map_err(|error| damaged("tar archive", error))?;
        Ok(match event {
            ParseEvent::NeedData { min_bytes } => (0, Found::More(min_bytes.max(self.held.len() + 1))),
            ParseEvent::GlobalExtensions { consumed, .. } => (consumed, Found::Other),
            ParseEvent::End { consumed } => (consumed, Found::End),
            ParseEvent::Entry { consumed, entry } => {
                let what = match entry.entry_type {
                    EntryType::Regular | EntryType::Continuous if !entry.path.ends_with(b"/") => None,
                    EntryType::Regular | EntryType::Directory => Some("a directory"),
                    EntryType::Link | EntryType::Symlink => Some("a link"),
                    _ => Some("no file"),
                };
                let member = Member::within(self.archive.as_ref(), &entry.path, Some(entry.size));
                (consumed, Found::Member { member, bytes: entry.size, what })
            }
            ParseEvent::SparseEntry { consumed, entry, real_size, .. } => {
                let member = Member::within(self.archive.as_ref(), &entry.path, Some(real_size));
                (consumed, Found::Member { member, bytes: entry.size, what: Some("a file with holes") })
            }
        })
    }
}
