//! Zstandard (RFC 8878), also several frames one after the other. Frames are cut into blocks here, so that no more than one block
//! is unpacked before it is counted; the blocks are decoded by `ruzstd`.

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Outlet, Stream, Trailing, damaged, fill};
use crate::trace::refusal::Refusal;

/// The largest window that is accepted, in bytes: what `zstd --ultra -22` and `--long` use.
pub const MAX_WINDOW: u64 = 128 << 20;
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The most bytes that say how long the header of a frame is: the magic number and the descriptor.
const DESCRIBED: usize = 5;

/// Whether a file begins with a frame, or with one that decoders skip.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || is_skippable(head)
}

fn is_skippable(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// A Zstandard file being unpacked.
pub(super) struct Zstd {
    decoder: FrameDecoder,
    state: State,
    held: Vec<u8>,
    /// Unpacked bytes on their way.
    text: Vec<u8>,
    inner: Stream,
    /// Whether a frame is complete.
    has_frame: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a frame.
    Frame,
    /// Before a block of a frame with or without a checksum at its end.
    Block { checksum: usize },
    /// In a frame that is skipped.
    Skip(u64),
    /// Behind the last frame.
    Trailing(Trailing),
}

impl std::fmt::Debug for Zstd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Zstd").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Zstd {
    pub(super) fn new(inner: Stream) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self { decoder, state: State::Frame, held: Vec::new(), text: Vec::new(), inner, has_frame: false }
    }

    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        while self.step(&mut bytes, out)? {}
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        if let State::Trailing(trailing) = self.state {
            trailing.end(out);
        } else if self.state == State::Frame && self.has_frame && !may_begin(&self.held) {
            let mut trailing = Trailing::new();
            trailing.take(&self.held);
            trailing.end(out);
        } else if self.state != State::Frame || !self.held.is_empty() {
            return Err(damaged("Zstandard", "it ends in the middle"));
        }
        self.inner.end(out)
    }

    /// Goes one step on; whether there may be another.
    fn step(&mut self, bytes: &mut &[u8], out: &mut Outlet<'_>) -> Result<bool, Refusal> {
        match self.state {
            State::Skip(left) => {
                let skipped = left.min(bytes.len() as u64);
                *bytes = bytes.get(skipped as usize..).unwrap_or_default();
                let left = left - skipped;
                self.state = if left == 0 { State::Frame } else { State::Skip(left) };
                Ok(left == 0)
            }
            State::Frame => self.frame(bytes),
            State::Trailing(mut trailing) => {
                trailing.take(std::mem::take(bytes));
                self.state = State::Trailing(trailing);
                Ok(false)
            }
            State::Block { checksum } => self.block(checksum, bytes, out),
        }
    }

    /// Reads the header of a frame.
    fn frame(&mut self, bytes: &mut &[u8]) -> Result<bool, Refusal> {
        if !fill(&mut self.held, bytes, DESCRIBED) {
            return Ok(false);
        }
        if is_skippable(&self.held) {
            if !fill(&mut self.held, bytes, 8) {
                return Ok(false);
            }
            let length = self.held.get(4..8).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
            self.state = State::Skip(length.into());
            self.held.clear();
            return Ok(true);
        }
        if !self.held.starts_with(&MAGIC) {
            let mut trailing = Trailing::new();
            trailing.take(&std::mem::take(&mut self.held));
            self.state = State::Trailing(trailing);
            return Ok(true);
        }
        let descriptor = self.held.get(4).copied().unwrap_or_default();
        if !fill(&mut self.held, bytes, header_length(descriptor)) {
            return Ok(false);
        }
        self.decoder.reset(self.held.as_slice()).map_err(|error| refusal(&error))?;
        self.held.clear();
        self.state = State::Block { checksum: if descriptor & 0b100 == 0 { 0 } else { 4 } };
        Ok(true)
    }

    /// Decodes a block once all of it is there.
    fn block(&mut self, checksum: usize, bytes: &mut &[u8], out: &mut Outlet<'_>) -> Result<bool, Refusal> {
        /// A block header is a little-endian number: whether it is the last, its kind, its size.
        const HEADER: usize = 3;
        const REPEATED: u32 = 1;
        /// The largest block, packed or not (RFC 8878, 3.1.1.2.3).
        const LARGEST: usize = 128 << 10;
        if !fill(&mut self.held, bytes, HEADER) {
            return Ok(false);
        }
        let header = match self.held.as_slice() {
            [a, b, c, ..] => u32::from_le_bytes([*a, *b, *c, 0]),
            _ => 0,
        };
        let (is_last, kind, size) = (header & 1 == 1, (header >> 1) & 3, (header >> 3) as usize);
        if size > LARGEST {
            return Err(damaged("Zstandard", "a block is larger than any may be"));
        }
        let content = if kind == REPEATED { 1 } else { size };
        if !fill(&mut self.held, bytes, HEADER + content + if is_last { checksum } else { 0 }) {
            return Ok(false);
        }
        let decoded = self.decoder.decode_blocks(self.held.as_slice(), BlockDecodingStrategy::UptoBlocks(1));
        decoded.map_err(|error| refusal(&error))?;
        self.held.clear();
        self.text.clear();
        self.decoder.collect_to_writer(&mut self.text).map_err(|error| damaged("Zstandard", error))?;
        out.book(self.text.len())?;
        self.inner.push(&self.text, out)?;
        if is_last {
            let stated = self.decoder.get_checksum_from_data();
            if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
                return Err(damaged("Zstandard", "the checksum is not that of the data"));
            }
            self.state = State::Frame;
            self.has_frame = true;
        }
        Ok(true)
    }
}

/// Whether these few bytes may be the beginning of a frame.
fn may_begin(held: &[u8]) -> bool {
    let is_skippable =
        matches!(held, [0x50..=0x5f] | [0x50..=0x5f, 0x2a] | [0x50..=0x5f, 0x2a, 0x4d]) || is_skippable(held);
    held.starts_with(&MAGIC) || MAGIC.starts_with(held) || is_skippable
}

/// How long the header of a frame is, by its descriptor (RFC 8878, 3.1.1.1).
fn header_length(descriptor: u8) -> usize {
    let is_single_segment = descriptor & 0b10_0000 != 0;
    let window = usize::from(!is_single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 0b11)];
    let content = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    DESCRIBED + window + dictionary + content
}

fn refusal(error: &FrameDecoderError) -> Refusal {
    let packed = |what: &str, advice: &str| Refusal::Packed { what: what.into(), advice: advice.into() };
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => packed(
            &format!("Zstandard with a window of {} MB; {} MB are read", requested >> 20, max >> 20),
            "Unpack it with `zstd -d --long=31`, or pack it again without --long.",
        ),
        FrameDecoderError::DictNotProvided { .. } => packed(
            "Zstandard with a dictionary that is not in the file",
            "Unpack it with `zstd -d -D DICTIONARY`.",
        ),
        other => damaged("Zstandard", other),
    }
}
