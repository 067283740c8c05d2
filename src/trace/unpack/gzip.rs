//! gzip, also several streams one after the other. What follows the last one is passed over, as gzip(1) does: silently if it is
//! padding with zeros.

use std::io::Write as _;

use flate2::write::GzDecoder;

use super::{Outlet, Stream, Trailing, damaged, fill};
use crate::trace::refusal::Refusal;

/// The bytes that gzip files begin with.
pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A gzip file being unpacked.
#[derive(Debug)]
pub(super) struct Gzip {
    state: State,
    inner: Stream,
}

#[derive(Debug)]
enum State {
    /// In a stream.
    Stream(Box<GzDecoder<Vec<u8>>>),
    /// Behind a complete stream: what may be the first bytes of the next.
    Between(Vec<u8>),
    /// Behind the last stream.
    Trailing(Trailing),
}

impl Gzip {
    pub(super) fn new(inner: Stream) -> Self {
        Self { state: State::Stream(Box::new(GzDecoder::new(Vec::new()))), inner }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        for mut step in bytes.chunks(super::PACKED_STEP) {
            while !step.is_empty() {
                self.step(&mut step, out)?;
            }
        }
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        match &mut self.state {
            State::Stream(decoder) => {
                decoder.try_finish().map_err(|error| damaged("gzip", error))?;
                self.pass_on(out)?;
            }
            State::Between(held) => {
                let mut trailing = Trailing::new();
                trailing.take(held);
                trailing.end(out);
            }
            State::Trailing(trailing) => trailing.end(out),
        }
        self.inner.end(out)
    }

    /// Takes some of the bytes.
    fn step(&mut self, bytes: &mut &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        match &mut self.state {
            State::Stream(decoder) => {
                let taken = decoder.write(bytes).map_err(|error| damaged("gzip", error))?;
                *bytes = bytes.get(taken..).unwrap_or_default();
                if taken == 0 {
                    // The stream is complete.
                    decoder.try_finish().map_err(|error| damaged("gzip", error))?;
                }
                self.pass_on(out)?;
                if taken == 0 {
                    self.state = State::Between(Vec::new());
                }
            }
            State::Between(held) => {
                if fill(held, bytes, MAGIC.len()) {
                    let held = std::mem::take(held);
                    self.state = if held == MAGIC {
                        let mut decoder = GzDecoder::new(Vec::new());
                        decoder.write_all(&held).map_err(|error| damaged("gzip", error))?;
                        State::Stream(Box::new(decoder))
                    } else {
                        let mut trailing = Trailing::new();
                        trailing.take(&held);
                        State::Trailing(trailing)
                    };
                }
            }
            State::Trailing(trailing) => trailing.take(std::mem::take(bytes)),
        }
        Ok(())
    }

    /// Hands on what the decoder has unpacked.
    fn pass_on(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let State::Stream(decoder) = &mut self.state else { return Ok(()) };
        let mut unpacked = std::mem::take(decoder.get_mut());
        out.book(unpacked.len())?;
        self.inner.push(&unpacked, out)?;
        // Hands the allocation back for the next step.
        unpacked.clear();
        *decoder.get_mut() = unpacked;
        Ok(())
    }
}
