//! The bytes of a file, unpacked where they are packed.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::gavel::GavelError;

/// The bytes that gzip files begin with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The most a file may unpack to, in bytes.
const MOST: u64 = 1 << 30;

/// The contents of a file: unpacked if it is a gzip file (seen by its first bytes, not its name), else as they are.
///
/// # Errors
/// The gzip data are damaged, or unpack to more than 1 GiB.
pub fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, GavelError> {
    if !bytes.starts_with(&GZIP) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut contents = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(MOST + 1).read_to_end(&mut contents);
    let message = match read {
        Err(error) => format!("the gzip data are damaged ({error}); fetch the file again"),
        Ok(_) if contents.len() as u64 > MOST => {
            "the gzip data unpack to more than 1 GiB; expected a file of a few megabytes".to_string()
        }
        Ok(_) => return Ok(Cow::Owned(contents)),
    };
    Err(GavelError::Packed { message })
}
