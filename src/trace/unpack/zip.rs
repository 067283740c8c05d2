//! ZIP archives, read front to back by the headers before their members (APPNOTE.TXT 6.3.10, 4.3).
//!
//! Members are stored, deflated, or packed with Zstandard. The size of a deflated one may be stated after it only; a stored one
//! must state it in front, since nothing else tells where it ends.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::{Member, Outlet, Stream, damaged, fill};
use crate::trace::refusal::Refusal;

/// The fixed part of the header before a member.
const HEADER: usize = 30;
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// What stands before the sizes that follow a member.
const DESCRIPTOR: [u8; 4] = *b"PK\x07\x08";
/// The longest form of the sizes that follow a member: mark, checksum, two sizes of 64 bits. More than that follows in any case:
/// the directory at the end has 22 bytes at least.
const LONGEST_DESCRIPTOR: usize = 24;
/// Deflated bytes come out in pieces of this size.
const PIECE: usize = 64 << 10;

/// Whether a file begins with the header of a member, with the end of an archive without any, or as a part of a split archive.
pub(super) fn begins(head: &[u8]) -> bool {
    [&LOCAL[..], b"PK\x05\x06", &DESCRIPTOR].iter().any(|mark| head.starts_with(mark))
}

/// A ZIP archive being unpacked.
#[derive(Debug)]
pub(super) struct Zip {
    /// The member that the archive itself is.
    archive: Option<Member>,
    packings: u8,
    held: Vec<u8>,
    state: State,
    has_members: bool,
    piece: Vec<u8>,
}

#[derive(Debug)]
enum State {
    /// Before the header of a member.
    Header,
    /// In a member.
    Body(Box<Body>),
    /// Before the sizes that follow a member.
    Descriptor(Box<Body>),
    /// Behind the last member.
    Directory,
}

/// A member being read.
#[derive(Debug)]
struct Body {
    /// Where its text goes; `None` if it is passed over.
    inner: Option<Stream>,
    packing: Packing,
    /// Packed bytes that are still to come, where that is known.
    left: Option<u64>,
    /// Packed and unpacked bytes so far, and the checksum of the latter.
    packed: u64,
    unpacked: u64,
    crc: Crc,
    /// What it should have been; `None` when it follows the member.
    stated: Option<Stated>,
    has_descriptor: bool,
}

/// What an archive says of a member's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stated {
    crc: u32,
    unpacked: u64,
}

#[derive(Debug)]
enum Packing {
    /// As it is; Zstandard is then found by content.
    Stored,
    /// As it is, but the checksum is that of what is in it.
    Foreign,
    Deflated(Decompress),
}

impl Zip {
    pub(super) fn new(archive: Option<Member>, packings: u8) -> Self {
        Self {
            archive,
            packings,
            held: Vec::new(),
            state: State::Header,
            has_members: false,
            piece: Vec::new(),
        }
    }

    /// Takes the next bytes. What comes back is why the archive as a whole is none that has traces.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        out: &mut Outlet<'_>,
    ) -> Result<Option<Refusal>, Refusal> {
        loop {
            match &mut self.state {
                State::Directory => return Ok(None),
                State::Header => match self.header(&mut bytes, out)? {
                    Progress::Wait => return Ok(None),
                    Progress::Foreign(why) => return Ok(Some(why)),
                    Progress::Next => {}
                },
                State::Body(body) => {
                    let taken = body.take(bytes, &mut self.piece, out)?;
                    bytes = bytes.get(taken.bytes..).unwrap_or_default();
                    if !taken.is_complete {
                        return Ok(None);
                    }
                    self.complete_body(out)?;
                }
                State::Descriptor(_) => {
                    if !fill(&mut self.held, &mut bytes, LONGEST_DESCRIPTOR) {
                        return Ok(None);
                    }
                    self.descriptor(out)?;
                }
            }
        }
    }

    pub(super) fn end(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        match &self.state {
            State::Directory if self.has_members => {}
            State::Directory => {
                return Err(Refusal::Empty { detail: "it is an archive without members".into() });
            }
            State::Header if self.held.is_empty() => {
                return Err(damaged("ZIP archive", "the directory at its end is missing"));
            }
            State::Descriptor(_) => self.descriptor(out)?,
            State::Header | State::Body(_) => {
                return Err(damaged("ZIP archive", "it ends in the middle"));
            }
        }
        Ok(())
    }

    fn header(&mut self, bytes: &mut &[u8], out: &mut Outlet<'_>) -> Result<Progress, Refusal> {
        if !fill(&mut self.held, bytes, LOCAL.len()) {
            return Ok(Progress::Wait);
        }
        match self.held.get(..4) {
            Some(mark) if mark == LOCAL => {}
            // The directory, of either size, or what may stand before it.
            Some(b"PK\x01\x02" | b"PK\x05\x06" | b"PK\x06\x06" | b"PK\x06\x08") => {
                self.state = State::Directory;
                return Ok(Progress::Next);
            }
            // Written before the first member by programs that were ready to split the archive.
            Some(b"PK\x07\x08" | b"PK00") => {
                self.held.drain(..4);
                return Ok(Progress::Next);
            }
            _ => return Err(damaged("ZIP archive", "a member does not begin where it should")),
        }
        if !fill(&mut self.held, bytes, HEADER) {
            return Ok(Progress::Wait);
        }
        let length = HEADER + usize::from(self.u16(26)) + usize::from(self.u16(28));
        if !fill(&mut self.held, bytes, length) {
            return Ok(Progress::Wait);
        }
        let name_end = HEADER + usize::from(self.u16(26));
        let name = self.held.get(HEADER..name_end).unwrap_or_default();
        if let Some(why) = office_document(name) {
            return Ok(Progress::Foreign(why));
        }
        out.book_member()?;
        self.has_members = true;
        let body = self.open(name_end, out)?;
        self.held.drain(..length);
        self.state = State::Body(Box::new(body));
        Ok(Progress::Next)
    }

    /// Makes ready to read the member whose header is held, its name ending at `name_end`.
    fn open(&self, name_end: usize, out: &mut Outlet<'_>) -> Result<Body, Refusal> {
        const ENCRYPTED: u16 = 1;
        const FOLLOWED_BY_SIZES: u16 = 1 << 3;
        let (flags, method, crc) = (self.u16(6), self.u16(8), self.u32(14));
        let (packed, unpacked) = self.sizes(name_end);
        let name = self.held.get(HEADER..name_end).unwrap_or_default();
        let has_descriptor = flags & FOLLOWED_BY_SIZES != 0;
        let is_directory = name.ends_with(b"/");
        let is_sized = !has_descriptor || packed > 0 || is_directory;
        let member = Member::within(self.archive.as_ref(), name, Some(unpacked).filter(|_| is_sized));
        let why = if is_directory {
            Some(Refusal::Empty { detail: "it is a directory".into() })
        } else if flags & ENCRYPTED != 0 {
            Some(Refusal::Packed {
                what: "it is encrypted".into(),
                advice: "Unpack it with its password and load what is in it.".into(),
            })
        } else if !matches!(method, 0 | 8 | 93) {
            Some(Refusal::Packed {
                what: format!("it is packed by method {method}; stored, deflated and Zstandard are read"),
                advice: "Unpack it and load what is in it.".into(),
            })
        } else if method != 8 && !is_sized {
            Some(Refusal::Packed {
                what: format!(
                    "the member {} has its size behind it only, so nothing says where it ends",
                    member.path
                ),
                advice: "Unpack it and load what is in it.".into(),
            })
        } else {
            None
        };
        let inner = match why {
            None => Some(Stream::new(Some(member), self.packings)),
            // Nothing says where the next member begins.
            Some(why) if !is_sized => return Err(why),
            Some(why) => {
                out.sink.pass_over(&member, why)?;
                None
            }
        };
        let packing = match method {
            8 if inner.is_some() => Packing::Deflated(Decompress::new(false)),
            0 if inner.is_some() => Packing::Stored,
            _ => Packing::Foreign,
        };
        Ok(Body {
            inner,
            packing,
            left: is_sized.then_some(packed),
            packed: 0,
            unpacked: 0,
            crc: Crc::new(),
            stated: (!has_descriptor).then_some(Stated { crc, unpacked }),
            has_descriptor,
        })
    }

    /// The packed and the unpacked size that a header states, of 32 or, in an addition behind the name, 64 bits.
    fn sizes(&self, name_end: usize) -> (u64, u64) {
        const LARGE: u32 = u32::MAX;
        const SIZES_OF_64_BITS: u16 = 1;
        let (packed, unpacked) = (self.u32(18), self.u32(22));
        let mut large = None;
        let mut at = name_end;
        while at + 4 <= self.held.len() {
            if self.u16(at) == SIZES_OF_64_BITS {
                large = Some(at + 4);
            }
            at += 4 + usize::from(self.u16(at + 2));
        }
        let Some(mut at) = large else { return (packed.into(), unpacked.into()) };
        let mut size = |small: u32| {
            if small != LARGE {
                return u64::from(small);
            }
            let size =
                self.held.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
            at += 8;
            size
        };
        // The unpacked size comes first there.
        let unpacked = size(unpacked);
        (size(packed), unpacked)
    }

    /// Ends a member, unless its sizes follow.
    fn complete_body(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        match std::mem::replace(&mut self.state, State::Header) {
            State::Body(body) if body.has_descriptor => self.state = State::Descriptor(body),
            State::Body(mut body) => body.end(out)?,
            State::Header | State::Descriptor(_) | State::Directory => {}
        }
        Ok(())
    }

    /// Reads the sizes that follow a member. With or without a mark, of 32 or 64 bits: the form that fits is the right one.
    fn descriptor(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let State::Descriptor(mut body) = std::mem::replace(&mut self.state, State::Header) else {
            return Ok(());
        };
        let mark = if self.held.starts_with(&DESCRIPTOR) { 4 } else { 0 };
        let wide = |at: usize| u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32;
        let forms = [
            (mark + 12, u64::from(self.u32(mark + 4)), u64::from(self.u32(mark + 8))),
            (mark + 20, wide(mark + 4), wide(mark + 12)),
        ];
        let is_passed_over = body.inner.is_none();
        let fitting = forms.into_iter().find(|&(length, packed, unpacked)| {
            length <= self.held.len()
                && packed == body.packed
                && (is_passed_over || matches!(body.packing, Packing::Foreign) || unpacked == body.unpacked)
        });
        let Some((length, _, unpacked)) = fitting else {
            return Err(damaged("ZIP archive", "the sizes behind a member are not its own"));
        };
        body.stated = Some(Stated { crc: self.u32(mark), unpacked });
        self.held.drain(..length);
        body.end(out)
    }

    fn u16(&self, at: usize) -> u16 {
        self.held.get(at..at + 2).and_then(|b| b.try_into().ok()).map_or(0, u16::from_le_bytes)
    }

    fn u32(&self, at: usize) -> u32 {
        self.held.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
    }
}

/// What came of looking at a header.
enum Progress {
    Wait,
    Next,
    Foreign(Refusal),
}

/// How much a member took, and whether it has all.
struct Taken {
    bytes: usize,
    is_complete: bool,
}

impl Body {
    fn take(&mut self, bytes: &[u8], piece: &mut Vec<u8>, out: &mut Outlet<'_>) -> Result<Taken, Refusal> {
        let known = self.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        let bytes = bytes.get(..known.min(bytes.len())).unwrap_or_default();
        let taken = match &mut self.packing {
            Packing::Stored | Packing::Foreign => {
                if let Some(inner) = &mut self.inner {
                    if matches!(self.packing, Packing::Stored) {
                        self.crc.update(bytes);
                    }
                    self.unpacked += bytes.len() as u64;
                    inner.push(bytes, out)?;
                }
                Taken { bytes: bytes.len(), is_complete: self.left == Some(bytes.len() as u64) }
            }
            Packing::Deflated(_) => self.inflate(bytes, piece, out)?,
        };
        self.packed += taken.bytes as u64;
        self.left = self.left.map(|left| left.saturating_sub(taken.bytes as u64));
        if self.left.is_some_and(|left| taken.is_complete != (left == 0)) {
            return Err(damaged("ZIP archive", "a member does not end where it should"));
        }
        Ok(taken)
    }

    fn inflate(&mut self, bytes: &[u8], piece: &mut Vec<u8>, out: &mut Outlet<'_>) -> Result<Taken, Refusal> {
        let (Packing::Deflated(inflater), Some(inner)) = (&mut self.packing, &mut self.inner) else {
            return Ok(Taken { bytes: bytes.len(), is_complete: true });
        };
        piece.resize(PIECE, 0);
        let mut taken = 0;
        loop {
            let (read, written) = (inflater.total_in(), inflater.total_out());
            let rest = bytes.get(taken..).unwrap_or_default();
            let status = inflater
                .decompress(rest, piece, FlushDecompress::None)
                .map_err(|error| damaged("ZIP archive", error))?;
            taken += (inflater.total_in() - read) as usize;
            let written = (inflater.total_out() - written) as usize;
            let text = piece.get(..written).unwrap_or_default();
            out.book(written)?;
            self.crc.update(text);
            self.unpacked += written as u64;
            inner.push(text, out)?;
            if status == Status::StreamEnd {
                return Ok(Taken { bytes: taken, is_complete: true });
            }
            if written < PIECE && taken == bytes.len() {
                return Ok(Taken { bytes: taken, is_complete: false });
            }
        }
    }

    fn end(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let Some(inner) = &mut self.inner else { return Ok(()) };
        let found = Stated { crc: self.crc.sum(), unpacked: self.unpacked };
        if !matches!(self.packing, Packing::Foreign) && self.stated.is_some_and(|stated| stated != found) {
            return Err(damaged("ZIP archive", "the checksum or size of a member is not that of its data"));
        }
        inner.end(out)
    }
}

/// The formats of office programs are ZIP archives of XML.
fn office_document(name: &[u8]) -> Option<Refusal> {
    let looks_like = if name == b"[Content_Types].xml" || name.starts_with(b"xl/") {
        "an Excel workbook (.xlsx) or another document of Microsoft Office"
    } else if name == b"mimetype" {
        "an OpenDocument sheet (.ods) or another document"
    } else {
        return None;
    };
    Some(Refusal::Binary { looks_like: looks_like.into(), advice: "Open it and save it as CSV.".into() })
}
