//! Bytes that are no UTF-8, read as Windows-1252: the encoding of Western European exports, of which Latin-1 is a part.

/// The characters of the bytes 0x80 to 0x9f; all other bytes are characters of the same number. The five bytes that Windows-1252
/// leaves open are the control characters of their numbers, as browsers read them, so that no two bytes are the same character
/// (WHATWG Encoding Standard, index-windows-1252).
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Text in which what is UTF-8 is read as it is, and every other byte as Windows-1252. Texts that differ stay different, unless one
/// spells in Windows-1252 what the other spells in UTF-8.
pub(super) fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| character(byte)));
    }
    text
}

fn character(byte: u8) -> char {
    let high = usize::from(byte).checked_sub(0x80).and_then(|at| HIGH.get(at));
    high.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_byte_is_a_character_of_its_own() {
        let all: HashSet<char> = (0..=255).map(character).collect();
        assert_eq!(all.len(), 256);
        assert_eq!(
            (character(0x80), character(0x9f), character(0xfc), character(b'a')),
            ('€', 'Ÿ', 'ü', 'a')
        );
    }

    #[test]
    fn what_is_utf_8_stays_as_it_is() {
        assert_eq!(decode(b"M\xfcller"), "Müller");
        assert_eq!(decode("Jürgen Mü".as_bytes()), "Jürgen Mü");
        assert_eq!(decode(b"J\xc3\xbcrgen M\xc3"), "Jürgen MÃ");
        assert_eq!(decode(b"\x93x\x94"), "“x”");
    }
}
