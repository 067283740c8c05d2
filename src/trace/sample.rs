//! The beginning of a file, by which its format is recognised.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::trace::rows::Header;

/// How much of a file is looked at.
pub(super) const SAMPLE_BYTES: usize = 64 << 10;

/// What ends the lines of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// A line feed, with or without a carriage return in front of it.
    LineFeed,
    /// A carriage return alone, as on old Macs.
    CarriageReturn,
}

impl LineEnds {
    /// Those of a text that begins so.
    pub(super) fn of(head: &[u8]) -> Self {
        // The line feed behind a last carriage return may not be there yet.
        let inside = head.split_last().map_or(head, |(_, inside)| inside);
        if memchr(b'\r', inside).is_some() && memchr(b'\n', head).is_none() {
            Self::CarriageReturn
        } else {
            Self::LineFeed
        }
    }

    /// The text with line feeds.
    pub(super) fn unify(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::LineFeed => Cow::Borrowed(text),
            Self::CarriageReturn => {
                let unified = text.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte });
                Cow::Owned(unified.collect())
            }
        }
    }
}

/// The first bytes of a file, after unpacking and decoding.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    bytes: &'a [u8],
    /// The first line that is neither blank nor a comment.
    first_line: &'a [u8],
    delimiter: u8,
    header: Header,
}

impl<'a> Sample<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let first_line = bytes
            .split(|&b| b == b'\n' || b == b'\r')
            .find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
            .unwrap_or_default();
        let delimiter = delimiter_of(first_line);
        let header = Header::new(first_line.split(|&b| b == delimiter).map(unquote));
        Self { bytes, first_line, delimiter, header }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn first_line(&self) -> &'a [u8] {
        self.first_line
    }

    /// What separates the columns of the first line.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The first line as column names.
    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// The fields of the first line as they stand.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a [u8]> {
        let delimiter = self.delimiter;
        self.first_line.split(move |&b| b == delimiter).map(unquote)
    }

    /// The same file, whose columns another file names.
    pub(super) fn with_header(self, header: Header) -> Self {
        Self { header, ..self }
    }

    /// Whether nothing but blanks comes after the first line.
    pub(super) fn is_one_line(&self) -> bool {
        self.bytes.trim_ascii() == self.first_line.trim_ascii()
    }

    /// The first byte that is no blank.
    pub(super) fn opening(&self) -> Option<u8> {
        self.bytes.trim_ascii_start().first().copied()
    }

    /// Whether it begins like JSON.
    pub(super) fn is_json(&self) -> bool {
        match self.bytes.trim_ascii_start() {
            [b'{', ..] => true,
            // An array, or a table whose first column is called `[…`.
            [b'[', rest @ ..] => {
                let next = rest.trim_ascii_start().first();
                next.is_none_or(|b| b.is_ascii_digit() || b"{[\"]-".contains(b))
            }
            _ => false,
        }
    }

    /// Whether `"name"` stands in it followed by a colon.
    pub(super) fn has_member(&self, name: &str) -> bool {
        let quoted = format!("\"{name}\"");
        memmem::find_iter(self.bytes, quoted.as_bytes()).any(|at| {
            let rest = self.bytes.get(at + quoted.len()..).unwrap_or_default();
            rest.trim_ascii_start().first() == Some(&b':')
        })
    }

    /// Whether the object it begins with has such a member, as far as it can be seen.
    pub(super) fn begins_with_member(&self, name: &str) -> bool {
        let (mut depth, mut from, mut escaped) = (0_u32, None, false);
        let mut last = &b""[..];
        for (at, &byte) in self.bytes.iter().enumerate() {
            match (from, byte) {
                (Some(_), _) if std::mem::take(&mut escaped) => {}
                (Some(_), b'\\') => escaped = true,
                (Some(begin), b'"') => {
                    last = self.bytes.get(begin..at).unwrap_or_default();
                    from = None;
                }
                (Some(_), _) => {}
                (None, b'"') => from = Some(at + 1),
                (None, b':') if depth == 1 && last == name.as_bytes() => return true,
                (None, b'{' | b'[') => depth += 1,
                (None, b'}' | b']') if depth == 1 => return false,
                (None, b'}' | b']') => depth = depth.saturating_sub(1),
                (None, _) => {}
            }
        }
        false
    }

    /// Whether `text` stands in it.
    pub(super) fn contains(&self, text: &[u8]) -> bool {
        memmem::find(self.bytes, text).is_some()
    }
}

/// The delimiter that occurs most outside of quotes; a comma if none does.
fn delimiter_of(line: &[u8]) -> u8 {
    let mut counts = [(b',', 0u32), (b'\t', 0), (b';', 0), (b'|', 0)];
    let mut quoted = false;
    for &byte in line {
        quoted ^= byte == b'"';
        if !quoted && let Some((_, count)) = counts.iter_mut().find(|(delimiter, _)| *delimiter == byte) {
            *count += 1;
        }
    }
    let mut best = (b',', 0);
    for (delimiter, count) in counts {
        if count > best.1 {
            best = (delimiter, count);
        }
    }
    best.0
}

fn unquote(name: &[u8]) -> &[u8] {
    let name = name.trim_ascii();
    name.strip_prefix(b"\"").and_then(|n| n.strip_suffix(b"\"")).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_found_below_comments_and_with_any_delimiter() {
        let sample = Sample::new(b"# made by x, y, z\n\r\n\"a\"; b ;c,d\r\n1;2;3");
        assert_eq!(sample.delimiter(), b';');
        assert_eq!(sample.header().names(), ["a", "b", "c,d"]);
        assert_eq!(Sample::new(b"a|b|c|\n").header().names(), ["a", "b", "c"]);
        assert_eq!(Sample::new(b"").header().names(), [""]);
    }

    #[test]
    fn lines_end_in_carriage_returns_only_where_there_is_no_line_feed() {
        assert_eq!(LineEnds::of(b"a,b\r1,2\r").unify(b"3,4\r"), &b"3,4\n"[..]);
        for text in [&b"a,b\r\n1,2\r\n"[..], b"a,b\n", b"a,b", b"a,b\r", b""] {
            assert_eq!(LineEnds::of(text), LineEnds::LineFeed, "{text:?}");
        }
    }

    #[test]
    fn members_of_the_first_object_are_told_from_those_inside() {
        let sample = Sample::new(br#"{"a": {"items": ["}"]}, "b\"": "items", "c" : [{"d": 1}]} {"e": 1}"#);
        assert!(sample.begins_with_member("a") && sample.begins_with_member("c"));
        for other in ["items", "d", "e", "b"] {
            assert!(!sample.begins_with_member(other), "{other}");
        }
    }

    #[test]
    fn members_are_found_with_their_colon() {
        let sample = Sample::new(b"[{\"attempts\" : [], \"x\": \"vc\"}]");
        assert!(sample.is_json() && sample.has_member("attempts"));
        assert!(!sample.has_member("vc") && !sample.has_member("attempt"));
    }
}
