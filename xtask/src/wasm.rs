//! The one thing that xtask does to a WebAssembly module: dropping its custom sections.

use crate::command::Result;

/// Magic number and version.
const HEADER: [u8; 8] = *b"\0asm\x01\0\0\0";
const CUSTOM: u8 = 0;

/// The module without custom sections. What runs is untouched; the function names (a fifth of the size), which only
/// stack traces show, are gone.
pub(crate) fn without_custom_sections(module: &[u8]) -> Result<Vec<u8>> {
    let mut rest = module.strip_prefix(&HEADER).ok_or("not a WebAssembly module of version 1")?;
    let mut kept = HEADER.to_vec();
    while let Some((&id, after_id)) = rest.split_first() {
        let (size, body) = leb128(after_id).ok_or("the size of a section is cut off")?;
        let after = body.get(size..).ok_or("a section is cut off")?;
        if id != CUSTOM {
            kept.extend_from_slice(&rest[..rest.len() - after.len()]);
        }
        rest = after;
    }
    Ok(kept)
}

/// An unsigned LEB128 number of at most 32 bits, and what follows it.
fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0usize;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(sections: &[&[u8]]) -> Vec<u8> {
        [&HEADER[..], &sections.concat()].concat()
    }

    #[test]
    fn only_custom_sections_go() {
        let types: &[u8] = &[1, 4, 1, 0x60, 0, 0];
        let name: &[u8] = &[0, 6, 4, b'n', b'a', b'm', b'e', 7];
        let long_custom = [&[0, 0x80, 0x01][..], &[9; 128]].concat();
        let memory: &[u8] = &[5, 3, 1, 0, 1];
        let whole = module(&[types, name, memory, &long_custom]);
        assert_eq!(without_custom_sections(&whole).unwrap(), module(&[types, memory]));
    }

    #[test]
    fn a_damaged_module_is_refused() {
        for damaged in
            [&b"\0asn\x01\0\0\0"[..], &module(&[&[1]]), &module(&[&[1, 4, 1]]), &module(&[&[0, 0x80]])]
        {
            assert!(without_custom_sections(damaged).is_err(), "{damaged:?}");
        }
    }
}
