//! From the bytes of a text to UTF-8: byte order marks, UTF-16.

use crate::trace::refusal::Refusal;

/// The encoding of one text, found by its first bytes.
#[derive(Debug)]
pub(super) enum Encoding {
    /// The first bytes, until they tell.
    Unknown(Vec<u8>),
    Utf8,
    Utf16(Utf16),
}

impl Default for Encoding {
    fn default() -> Self {
        Self::Unknown(Vec::new())
    }
}

impl Encoding {
    /// Hands the next bytes of the text to `take`, as UTF-8.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        match self {
            Self::Utf8 => take(bytes),
            Self::Utf16(utf16) => take(utf16.decode(bytes).as_bytes()),
            Self::Unknown(head) => {
                head.extend_from_slice(bytes);
                if head.len() < 3 {
                    return Ok(());
                }
                let head = std::mem::take(head);
                let (encoding, mark) = match head.as_slice() {
                    [0xef, 0xbb, 0xbf, ..] => (Self::Utf8, 3),
                    [0xff, 0xfe, ..] => (Self::Utf16(Utf16::new(u16::from_le_bytes)), 2),
                    [0xfe, 0xff, ..] => (Self::Utf16(Utf16::new(u16::from_be_bytes)), 2),
                    _ => (Self::Utf8, 0),
                };
                *self = encoding;
                self.push(head.get(mark..).unwrap_or_default(), take)
            }
        }
    }

    /// Ends the text.
    pub(super) fn end(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), Refusal>) -> Result<(), Refusal> {
        match self {
            Self::Utf8 => Ok(()),
            Self::Utf16(utf16) => take(utf16.end().as_bytes()),
            Self::Unknown(head) => take(head),
        }
    }
}

/// UTF-16 to UTF-8, cut anywhere. A unit that has no partner becomes U+FFFD.
#[derive(Debug)]
pub(super) struct Utf16 {
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
