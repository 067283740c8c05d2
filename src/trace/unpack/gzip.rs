//! gzip, also several streams one after the other.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;

use super::{Outlet, Stream, damaged};
use crate::trace::refusal::Refusal;

/// The bytes that gzip files begin with.
pub(super) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A gzip file being unpacked.
#[derive(Debug)]
pub(super) struct Gzip {
    decoder: MultiGzDecoder<Vec<u8>>,
    inner: Stream,
}

impl Gzip {
    pub(super) fn new(inner: Stream) -> Self {
        Self { decoder: MultiGzDecoder::new(Vec::new()), inner }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Outlet<'_>) -> Result<(), Refusal> {
        for step in bytes.chunks(super::PACKED_STEP) {
            self.decoder.write_all(step).map_err(|error| damaged("gzip", error))?;
            self.pass_on(out)?;
        }
        Ok(())
    }

    pub(super) fn end(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        self.decoder.try_finish().map_err(|error| damaged("gzip", error))?;
        self.pass_on(out)?;
        self.inner.end(out)
    }

    fn pass_on(&mut self, out: &mut Outlet<'_>) -> Result<(), Refusal> {
        let mut unpacked = std::mem::take(self.decoder.get_mut());
        out.book(unpacked.len())?;
        self.inner.push(&unpacked, out)?;
        // Hands the allocation back for the next step.
        unpacked.clear();
        *self.decoder.get_mut() = unpacked;
        Ok(())
    }
}
