//! From the bytes of a file to UTF-8 text: gzip, Zstandard, ZIP and tar by content, one in another, byte order marks, UTF-16.
//!
//! Bytes are pushed in pieces of any size and nothing is read twice, so a pipe will do. A ZIP archive is therefore read by the
//! headers in front of its members, not by the directory at its end.

mod encoding;
mod gzip;
mod tar;
mod zip;
mod zstd;

use crate::trace::latin;
use crate::trace::refusal::Refusal;
use encoding::Encoding;
use gzip::Gzip;
use tar::Tar;
use zip::Zip;
pub use zstd::MAX_WINDOW;
use zstd::Zstd;

/// The most a file may unpack to, in bytes.
pub const MAX_UNPACKED: u64 = 16 << 30;
/// The most a file may unpack to, as a multiple of its size, once [`RATIO_FROM`] is passed. Traces reach 5 to 40.
pub const MAX_RATIO: u64 = 250;
/// Unpacked bytes below which the ratio does not matter.
pub const RATIO_FROM: u64 = 64 << 20;
/// How many packings a text may be in: a ZIP archive of `.tar.gz` files is three.
pub const MAX_PACKINGS: u8 = 3;
/// The most members that archives of one file may have.
pub const MAX_MEMBERS: u64 = 10_000;
/// Packed bytes handed to a decoder at once, so that a small input cannot fill the memory before it is looked at.
const PACKED_STEP: usize = 16 << 10;
/// How much of a stream tells what it is: the header of a tar archive is that long.
const HEAD_BYTES: usize = 512;
/// The longest name of a member that is kept, in characters.
const SHOWN_NAME: usize = 400;

/// A member of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    /// Its path, below that of the archive it is in if that is a member itself.
    pub(super) path: String,
    /// Its size unpacked, where the archive says so in advance.
    pub(super) bytes: Option<u64>,
}

/// Something odd about how a file is packed, which does not keep it from being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Oddity {
    /// The code of its warning.
    pub(super) code: &'static str,
    /// What is said of it behind a count.
    pub(super) text: &'static str,
}

/// Bytes behind the end of packed data.
const TRAILING: Oddity = Oddity {
    code: "trailing-bytes",
    text: "bytes follow the end of the packed data and were passed over, as gzip does; if the file was put together from several, \
           the rest of it is missing",
};

/// Where decoded text goes.
pub(super) trait Sink {
    /// The text that follows, up to [`end_member`](Self::end_member), is that of a member.
    fn begin_member(&mut self, member: &Member) -> Result<(), Refusal>;
    /// Takes the next piece of text, cut anywhere.
    fn take(&mut self, text: &[u8]) -> Result<(), Refusal>;
    /// The text of the member is complete.
    fn end_member(&mut self) -> Result<(), Refusal>;
    /// Something odd was met so many times.
    fn notice(&mut self, oddity: Oddity, count: u64);
    /// A member has no text that could be read.
    fn pass_over(&mut self, member: &Member, why: Refusal) -> Result<(), Refusal>;
}

/// Unpacks and decodes one file, piece by piece.
#[derive(Debug)]
pub(super) struct Unpack {
    stream: Stream,
    budget: Budget,
}

/// What has been unpacked, against the limits.
#[derive(Debug, Default)]
struct Budget {
    packed: u64,
    unpacked: u64,
    members: u64,
}

/// Where a stream's text goes, and what it may still cost.
struct Outlet<'a> {
    budget: &'a mut Budget,
    sink: &'a mut dyn Sink,
}

/// One stream of bytes: the file, or what a packing in it holds.
#[derive(Debug)]
struct Stream {
    /// The member of an archive that it is.
    member: Option<Member>,
    /// How many packings it is in.
    packings: u8,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// The first bytes, until they tell.
    Unknown(Vec<u8>),
    Text(Encoding),
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
    Zip(Box<Zip>),
    Tar(Box<Tar>),
    /// A member that cannot be read.
    PassedOver,
}

impl Unpack {
    pub(super) fn new() -> Self {
        Self { stream: Stream::new(None, 0), budget: Budget::default() }
    }

    /// Takes the next bytes of the file.
    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<(), Refusal> {
        let mut out = Outlet { budget: &mut self.budget, sink };
        // In steps, so that the ratio is of what has been looked at.
        for step in bytes.chunks(self.stream.step()) {
            out.budget.packed += step.len() as u64;
            self.stream.push(step, &mut out)?;
        }
        Ok(())
    }

    /// Ends the file.
    pub(super) fn finish(mut self, sink: &mut impl Sink) -> Result<(), Refusal> {
        self.stream.end(&mut Outlet { budget: &mut self.budget, sink })
    }
}

impl Outlet<'_> {
    /// Books what a decoder made.
    fn book(&mut self, unpacked: usize) -> Result<(), Refusal> {
        let budget = &mut *self.budget;
        budget.unpacked += unpacked as u64;
        let ratio_broken = budget.unpacked > RATIO_FROM && budget.unpacked / MAX_RATIO > budget.packed;
        if ratio_broken || budget.unpacked > MAX_UNPACKED {
            return Err(Refusal::Bomb {
                packed_mb: budget.packed.div_ceil(1_000_000),
                unpacked_mb: budget.unpacked / 1_000_000,
                ratio: MAX_RATIO,
                limit_gb: MAX_UNPACKED >> 30,
            });
        }
        Ok(())
    }

    /// Books a member of an archive.
    fn book_member(&mut self) -> Result<(), Refusal> {
        self.budget.members += 1;
        if self.budget.members > MAX_MEMBERS {
            return Err(Refusal::TooManyMembers { limit: MAX_MEMBERS });
        }
        Ok(())
    }
}

impl Stream {
    fn new(member: Option<Member>, packings: u8) -> Self {
        Self { member, packings, content: Content::Unknown(Vec::new()) }
    }

    /// What is inside this stream, once its packing is off.
    fn inside(&self) -> Self {
        Self::new(self.member.clone(), self.packings + 1)
    }

    /// How many bytes to take at once.
    fn step(&self) -> usize {
        match self.content {
            Content::Text(_) => usize::MAX,
            _ => PACKED_STEP,
        }
    }

    fn push(&mut self, bytes: &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        if let Content::Unknown(head) = &mut self.content {
            head.extend_from_slice(bytes);
            if head.len() < HEAD_BYTES {
                return Ok(());
            }
            return self.recognise(out);
        }
        self.pass_on(bytes, out)
    }

    /// Decides by the first bytes what the stream is, and takes them.
    fn recognise(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let Content::Unknown(head) = &mut self.content else { return Ok(()) };
        let head = std::mem::take(head);
        let content = if head.starts_with(&gzip::MAGIC) {
            Content::Gzip(Box::new(Gzip::new(self.inside())))
        } else if zstd::begins(&head) {
            Content::Zstd(Box::new(Zstd::new(self.inside())))
        } else if zip::begins(&head) {
            Content::Zip(Box::new(Zip::new(self.member.clone(), self.packings + 1)))
        } else if tar::begins(&head) {
            Content::Tar(Box::new(Tar::new(self.member.clone(), self.packings + 1)))
        } else {
            if let Some(member) = &self.member {
                out.sink.begin_member(member)?;
            }
            Content::Text(Encoding::default())
        };
        self.content = content;
        if self.packings >= MAX_PACKINGS && !matches!(self.content, Content::Text(_)) {
            return self.refuse(Refusal::PackedTooOften { limit: MAX_PACKINGS.into() }, out);
        }
        self.pass_on(&head, out)
    }

    /// Gives up on this stream: a member is passed over, a file refused.
    fn refuse(&mut self, why: Refusal, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        self.content = Content::PassedOver;
        match &self.member {
            Some(member) => out.sink.pass_over(member, why),
            None => Err(why),
        }
    }

    fn pass_on(&mut self, bytes: &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let foreign = match &mut self.content {
            Content::Text(encoding) => return encoding.push(bytes, &mut |text| out.sink.take(text)),
            Content::Gzip(gzip) => return gzip.push(bytes, out),
            Content::Zstd(zstd) => return zstd.push(bytes, out),
            Content::Tar(tar) => return tar.push(bytes, out),
            Content::Zip(zip) => zip.push(bytes, out)?,
            Content::Unknown(_) | Content::PassedOver => return Ok(()),
        };
        match foreign {
            Some(why) => self.refuse(why, out),
            None => Ok(()),
        }
    }

    fn end(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        self.recognise(out)?;
        match &mut self.content {
            Content::Text(encoding) => {
                encoding.end(&mut |text| out.sink.take(text))?;
                if self.member.is_some() { out.sink.end_member() } else { Ok(()) }
            }
            Content::Gzip(gzip) => gzip.end(out),
            Content::Zstd(zstd) => zstd.end(out),
            Content::Zip(zip) => zip.end(out),
            Content::Tar(tar) => tar.end(out),
            Content::Unknown(_) | Content::PassedOver => Ok(()),
        }
    }
}

impl Member {
    /// A member of an archive, which may be a member itself.
    fn within(archive: Option<&Self>, name: &[u8], bytes: Option<u64>) -> Self {
        let name = latin::decode(name);
        let path: String = archive
            .map(|archive| archive.path.as_str())
            .into_iter()
            .flat_map(|outer| outer.chars().chain(['/']))
            .chain(name.trim_start_matches("./").chars())
            .take(SHOWN_NAME)
            .collect();
        Self { path, bytes }
    }
}

/// Takes from `bytes` what `held` needs to reach `length`; whether it has it.
fn fill(held: &mut Vec<u8>, bytes: &mut &[u8], length: usize) -> bool {
    let wanted = length.saturating_sub(held.len()).min(bytes.len());
    let (taken, rest) = bytes.split_at(wanted);
    held.extend_from_slice(taken);
    *bytes = rest;
    held.len() >= length
}

/// What follows packed data that is complete: padding with zeros, or something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Trailing {
    bytes: u64,
    is_padding: bool,
}

impl Trailing {
    /// Begins with nothing but what is to come.
    fn new() -> Self {
        Self { bytes: 0, is_padding: true }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.is_padding &= bytes.iter().all(|&byte| byte == 0);
    }

    /// Tells of what is no padding.
    fn end(self, out: &mut Outlet<'_>) {
        if !self.is_padding {
            out.sink.notice(TRAILING, self.bytes);
        }
    }
}

fn damaged(what: &str, detail: impl std::fmt::Display) -> Refusal {
    Refusal::Damaged { what: what.into(), detail: detail.to_string() }
}
