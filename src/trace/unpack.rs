//! From the bytes of a file to UTF-8 text: gzip by content, byte order marks, UTF-16.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;

use crate::trace::refusal::Refusal;

/// The most a gzip file may unpack to, in bytes.
pub const MAX_UNPACKED: u64 = 16 << 30;
/// The most a gzip file may unpack to, as a multiple of its size, once [`RATIO_FROM`] is passed. Traces reach 5 to 40.
pub const MAX_RATIO: u64 = 250;
/// Unpacked bytes below which the ratio does not matter.
pub const RATIO_FROM: u64 = 64 << 20;
/// Packed bytes handed to the decoder at once, so that a small input cannot fill the memory before it is looked at.
const PACKED_STEP: usize = 16 << 10;
/// The bytes that gzip files begin with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Where decoded text goes.
pub(super) trait Sink {
    /// Takes the next piece of text, cut anywhere.
    fn take(&mut self, text: &[u8]) -> Result<(), Refusal>;
}

#[derive(Debug)]
enum Packing {
    /// The first bytes, until they tell.
    Unknown(Vec<u8>),
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

#[derive(Debug)]
enum Encoding {
    /// The first bytes, until they tell.
    Unknown(Vec<u8>),
    Utf8,
    Utf16(Utf16),
}

/// Unpacks and decodes one file, piece by piece.
#[derive(Debug)]
pub(super) struct Unpack {
    packing: Packing,
    encoding: Encoding,
    packed: u64,
    unpacked: u64,
}

impl Default for Unpack {
    fn default() -> Self {
        Self {
            packing: Packing::Unknown(Vec::new()),
            encoding: Encoding::Unknown(Vec::new()),
            packed: 0,
            unpacked: 0,
        }
    }
}

impl Unpack {
    /// Takes the next bytes of the file.
    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<(), Refusal> {
        self.packed += bytes.len() as u64;
        if let Packing::Unknown(head) = &mut self.packing {
            head.extend_from_slice(bytes);
            if head.len() < GZIP.len() {
                return Ok(());
            }
            let head = std::mem::take(head);
            self.choose_packing(&head);
            return self.unpack(&head, sink);
        }
        self.unpack(bytes, sink)
    }

    /// Ends the file.
    pub(super) fn finish(mut self, sink: &mut impl Sink) -> Result<(), Refusal> {
        if let Packing::Unknown(head) = &mut self.packing {
            let head = std::mem::take(head);
            self.packing = Packing::Plain;
            self.unpack(&head, sink)?;
        }
        if let Packing::Gzip(decoder) = &mut self.packing {
            decoder.try_finish().map_err(|e| damaged(&e))?;
            let text = std::mem::take(decoder.get_mut());
            self.emit_unpacked(&text, sink)?;
        }
        if let Encoding::Unknown(head) = &mut self.encoding {
            let head = std::mem::take(head);
            self.encoding = Encoding::Utf8;
            sink.take(&head)?;
        }
        match &mut self.encoding {
            Encoding::Utf16(utf16) => sink.take(utf16.end().as_bytes()),
            Encoding::Utf8 | Encoding::Unknown(_) => Ok(()),
        }
    }

    fn choose_packing(&mut self, head: &[u8]) {
        self.packing = if head.starts_with(&GZIP) {
            Packing::Gzip(Box::new(MultiGzDecoder::new(Vec::new())))
        } else {
            Packing::Plain
        };
    }

    fn unpack(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<(), Refusal> {
        if !matches!(self.packing, Packing::Gzip(_)) {
            return self.decode(bytes, sink);
        }
        for step in bytes.chunks(PACKED_STEP) {
            let Packing::Gzip(decoder) = &mut self.packing else { break };
            decoder.write_all(step).map_err(|e| damaged(&e))?;
            let mut text = std::mem::take(decoder.get_mut());
            self.emit_unpacked(&text, sink)?;
            // Hands the allocation back for the next step.
            if let Packing::Gzip(decoder) = &mut self.packing {
                text.clear();
                *decoder.get_mut() = text;
            }
        }
        Ok(())
    }

    fn emit_unpacked(&mut self, text: &[u8], sink: &mut impl Sink) -> Result<(), Refusal> {
        self.unpacked += text.len() as u64;
        let ratio_broken = self.unpacked > RATIO_FROM && self.unpacked / MAX_RATIO > self.packed;
        if ratio_broken || self.unpacked > MAX_UNPACKED {
            return Err(Refusal::Bomb {
                packed_mb: self.packed.div_ceil(1_000_000),
                unpacked_mb: self.unpacked / 1_000_000,
                ratio: MAX_RATIO,
                limit_gb: MAX_UNPACKED >> 30,
            });
        }
        self.decode(text, sink)
    }

    fn decode(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<(), Refusal> {
        match &mut self.encoding {
            Encoding::Utf8 => sink.take(bytes),
            Encoding::Utf16(utf16) => sink.take(utf16.decode(bytes).as_bytes()),
            Encoding::Unknown(head) => {
                head.extend_from_slice(bytes);
                if head.len() < 3 {
                    return Ok(());
                }
                let head = std::mem::take(head);
                let (encoding, mark) = match head.as_slice() {
                    [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
                    [0xff, 0xfe, ..] => (Encoding::Utf16(Utf16::new(u16::from_le_bytes)), 2),
                    [0xfe, 0xff, ..] => (Encoding::Utf16(Utf16::new(u16::from_be_bytes)), 2),
                    _ => (Encoding::Utf8, 0),
                };
                self.encoding = encoding;
                self.decode(head.get(mark..).unwrap_or_default(), sink)
            }
        }
    }
}

fn damaged(error: &std::io::Error) -> Refusal {
    Refusal::DamagedGzip { detail: error.to_string() }
}

/// UTF-16 to UTF-8, cut anywhere. A unit that has no partner becomes U+FFFD.
#[derive(Debug)]
struct Utf16 {
    unit: fn([u8; 2]) -> u16,
    /// The first byte of a unit whose second is still to come.
    odd: Option<u8>,
    /// A leading surrogate whose partner is still to come.
    lead: Option<u16>,
    text: String,
}

impl Utf16 {
    fn new(unit: fn([u8; 2]) -> u16) -> Self {
        Self { unit, odd: None, lead: None, text: String::new() }
    }

    fn decode(&mut self, mut bytes: &[u8]) -> &str {
        self.text.clear();
        if let (Some(odd), [second, rest @ ..]) = (self.odd, bytes) {
            self.odd = None;
            bytes = rest;
            self.push((self.unit)([odd, *second]));
        }
        let pairs = bytes.chunks_exact(2);
        if let [odd] = pairs.remainder() {
            self.odd = Some(*odd);
        }
        for pair in pairs {
            if let [first, second] = pair {
                self.push((self.unit)([*first, *second]));
            }
        }
        &self.text
    }

    fn push(&mut self, unit: u16) {
        match (self.lead.take(), unit) {
            (Some(lead), 0xdc00..0xe000) => {
                let pair = char::decode_utf16([lead, unit]).next().and_then(Result::ok);
                self.text.push(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (Some(_), _) => {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.push(unit);
            }
            (None, 0xd800..0xdc00) => self.lead = Some(unit),
            (None, _) => {
                self.text.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    fn end(&mut self) -> &str {
        self.text.clear();
        if self.lead.take().is_some() || self.odd.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        &self.text
    }
}
