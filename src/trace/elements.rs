//! JSON documents that hold one long array of jobs, element by element, from bytes that come in pieces.
//!
//! Only brackets, strings and line ends are looked at here; each element is then parsed on its own. So at most one element is
//! in memory, however long the file is.

use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;

/// The longest element that is read, in bytes.
pub const MAX_ELEMENT: usize = 16 << 20;

/// Where the array of jobs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayAt {
    /// The document is the array; one object after the other without brackets is taken too.
    Root,
    /// It is this member of the document, an object.
    Member(&'static str),
    /// It is this member of the document, and of every other that follows; or the document is the array.
    MemberOrRoot(&'static str),
    /// It is the first member of the document; the second one is an object that may be as long as the array, and is handed
    /// over one member at a time.
    MemberBeside(&'static str, &'static str),
}

impl ArrayAt {
    /// Where it is in a document that begins like `sample`: a bare array is the array itself, and a document without the member is one job, or jobs one after the other.
    pub(super) fn as_in(self, sample: &Sample<'_>) -> Self {
        match self {
            Self::MemberOrRoot(name)
                if sample.opening() == Some(b'{') && !sample.begins_with_member(name) =>
            {
                Self::Root
            }
            Self::Member(_) if sample.opening() == Some(b'[') => Self::Root,
            other => other,
        }
    }
}

/// A piece of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// An element of the array.
    Element(Place, &'a [u8]),
    /// Another member of the document: its name (with escapes as written) and value.
    Member(Place, &'a [u8], &'a [u8]),
    /// A member of the object beside the array: its name (with escapes as written) and value.
    Entry(&'a [u8], &'a [u8]),
}

/// Where something begins: line and column from 1, the column in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// What may come next, between values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Document,
    ElementOrEnd,
    Element,
    CommaOrArrayEnd,
    KeyOrEnd,
    Key,
    Colon,
    MemberValue,
    CommaOrObjectEnd,
    /// Objects without an array around them.
    NextDocument,
    Nothing,
}

/// The value whose end is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scan {
    /// None: between values.
    Idle,
    /// An object or array, this many brackets deep.
    Nested(u32),
    String,
    /// A number or word: ends before a blank, comma or bracket.
    Bare,
}

/// Whose members come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Document,
    /// The object beside the array.
    Beside,
}

/// What a value is, once its end is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Element,
    Key,
    Member,
}

/// Cuts a document into [`Piece`]s.
#[derive(Debug)]
pub(super) struct Cutter {
    array: ArrayAt,
    expect: Expect,
    scan: Scan,
    role: Role,
    /// Inside a string of a nested value.
    in_string: bool,
    /// After a backslash.
    escaped: bool,
    held: Vec<u8>,
    begins: Place,
    key: Vec<u8>,
    line: u64,
    /// Bytes of the current line that have been passed.
    column: u64,
    elements: u64,
    seen_array: bool,
    within: Within,
}

impl Cutter {
    pub(super) fn new(array: ArrayAt) -> Self {
        Self {
            array,
            expect: Expect::Document,
            scan: Scan::Idle,
            role: Role::Element,
            in_string: false,
            escaped: false,
            held: Vec::new(),
            begins: Place::default(),
            key: Vec::new(),
            line: 1,
            column: 0,
            elements: 0,
            seen_array: false,
            within: Within::Document,
        }
    }

    /// Takes the next piece of text and hands every complete element and member to `each`.
    pub(super) fn push(
        &mut self,
        mut text: &[u8],
        mut each: impl FnMut(Piece<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        while !text.is_empty() {
            if self.scan == Scan::Idle {
                text = self.step(text)?;
                continue;
            }
            let (length, complete) = self.scan_value(text);
            let (value, rest) = text.split_at(length);
            text = rest;
            if self.held.len() + value.len() > MAX_ELEMENT {
                return Err(Refusal::LongRecord {
                    line: self.begins.line,
                    limit_mb: (MAX_ELEMENT >> 20) as u64,
                });
            }
            if complete && self.held.is_empty() {
                self.deliver(value, &mut each)?;
            } else {
                self.held.extend_from_slice(value);
                if complete {
                    let held = std::mem::take(&mut self.held);
                    self.deliver(&held, &mut each)?;
                    self.held = held;
                    self.held.clear();
                }
            }
        }
        Ok(())
    }

    /// Ends the document. Returns whether it had the array.
    pub(super) fn end(&self) -> Result<bool, Refusal> {
        let complete = self.scan == Scan::Idle
            && matches!(self.expect, Expect::Nothing | Expect::NextDocument | Expect::Document);
        if complete {
            return Ok(self.seen_array);
        }
        Err(Refusal::Truncated {
            what: "JSON".into(),
            line: self.line,
            column: self.column.max(1),
            complete: self.elements,
        })
    }

    /// Passes one byte between values.
    fn step<'t>(&mut self, text: &'t [u8]) -> Result<&'t [u8], Refusal> {
        let [byte, rest @ ..] = text else { return Ok(text) };
        if byte.is_ascii_whitespace() {
            self.pass(*byte);
            return Ok(rest);
        }
        let next = match (self.expect, byte) {
            (Expect::Document, b'[') if matches!(self.array, ArrayAt::Root | ArrayAt::MemberOrRoot(_)) => {
                self.array = ArrayAt::Root;
                self.seen_array = true;
                Expect::ElementOrEnd
            }
            (Expect::Document, b'{') if self.array != ArrayAt::Root => Expect::KeyOrEnd,
            (Expect::Document | Expect::NextDocument, b'{') => {
                self.seen_array = true;
                return Ok(self.begin(Role::Element, text));
            }
            (Expect::ElementOrEnd | Expect::CommaOrArrayEnd, b']') => match self.array {
                ArrayAt::Root => Expect::Nothing,
                _ => Expect::CommaOrObjectEnd,
            },
            (Expect::CommaOrArrayEnd, b',') => Expect::Element,
            (Expect::ElementOrEnd | Expect::Element, _) if begins_value(*byte) => {
                return Ok(self.begin(Role::Element, text));
            }
            (Expect::KeyOrEnd | Expect::CommaOrObjectEnd, b'}') if self.within == Within::Beside => {
                self.within = Within::Document;
                Expect::CommaOrObjectEnd
            }
            (Expect::KeyOrEnd | Expect::CommaOrObjectEnd, b'}') => Expect::Nothing,
            (Expect::Nothing, b'{') if matches!(self.array, ArrayAt::MemberOrRoot(_)) => Expect::KeyOrEnd,
            (Expect::KeyOrEnd | Expect::Key, b'"') => return Ok(self.begin(Role::Key, text)),
            (Expect::Colon, b':') => Expect::MemberValue,
            (Expect::MemberValue, b'[') if self.at_array() => {
                self.seen_array = true;
                Expect::ElementOrEnd
            }
            (Expect::MemberValue, b'{') if self.at_beside() => {
                self.within = Within::Beside;
                Expect::KeyOrEnd
            }
            (Expect::MemberValue, _) if begins_value(*byte) => return Ok(self.begin(Role::Member, text)),
            (Expect::CommaOrObjectEnd, b',') => Expect::Key,
            _ => return Err(self.broken(*byte)),
        };
        self.expect = next;
        self.pass(*byte);
        Ok(rest)
    }

    fn at_array(&self) -> bool {
        let name = match self.array {
            ArrayAt::Root => return false,
            ArrayAt::Member(name) | ArrayAt::MemberOrRoot(name) | ArrayAt::MemberBeside(name, _) => name,
        };
        self.within == Within::Document && self.key == name.as_bytes()
    }

    fn at_beside(&self) -> bool {
        self.within == Within::Document
            && matches!(self.array, ArrayAt::MemberBeside(_, name) if self.key == name.as_bytes())
    }

    /// Notes that a value begins here; its first byte is still to be scanned.
    fn begin<'t>(&mut self, role: Role, text: &'t [u8]) -> &'t [u8] {
        self.role = role;
        self.begins = Place { line: self.line, column: self.column + 1 };
        self.in_string = false;
        self.escaped = false;
        self.scan = match text.first() {
            Some(b'{' | b'[') => Scan::Nested(0),
            Some(b'"') => Scan::String,
            _ => Scan::Bare,
        };
        text
    }

    fn pass(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 0;
        } else {
            self.column += 1;
        }
    }

    /// Scans the value under way: how many bytes of `text` belong to it, and whether it ends there.
    fn scan_value(&mut self, text: &[u8]) -> (usize, bool) {
        let (mut line, mut line_begin) = (self.line, None);
        let mut end = None;
        match self.scan {
            Scan::Idle => end = Some(0),
            Scan::Bare => {
                end = text.iter().position(|b| b.is_ascii_whitespace() || b",]}".contains(b));
            }
            Scan::String | Scan::Nested(_) => {
                let mut depth = if let Scan::Nested(depth) = self.scan { depth } else { 0 };
                for (at, &byte) in text.iter().enumerate() {
                    if byte == b'\n' {
                        line += 1;
                        line_begin = Some(at + 1);
                    }
                    if self.escaped {
                        self.escaped = false;
                    } else if self.in_string {
                        match byte {
                            b'\\' => self.escaped = true,
                            b'"' => self.in_string = false,
                            _ => continue,
                        }
                        if depth == 0 && !self.in_string {
                            end = Some(at + 1);
                            break;
                        }
                    } else {
                        match byte {
                            b'"' => self.in_string = true,
                            b'{' | b'[' => depth += 1,
                            b'}' | b']' => {
                                depth = depth.saturating_sub(1);
                                if depth == 0 {
                                    end = Some(at + 1);
                                    break;
                                }
                            }
                            _ => {}
                        }
                    }
                }
                if let Scan::Nested(kept) = &mut self.scan {
                    *kept = depth;
                }
            }
        }
        let length = end.unwrap_or(text.len());
        self.line = line;
        self.column = match line_begin {
            Some(begin) => (length - begin) as u64,
            None => self.column + length as u64,
        };
        (length, end.is_some())
    }

    fn deliver(
        &mut self,
        value: &[u8],
        each: &mut impl FnMut(Piece<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.scan = Scan::Idle;
        match self.role {
            Role::Key => {
                self.key = value.get(1..value.len().saturating_sub(1)).unwrap_or_default().to_vec();
                self.expect = Expect::Colon;
                Ok(())
            }
            Role::Member => {
                self.expect = Expect::CommaOrObjectEnd;
                each(if self.within == Within::Beside {
                    Piece::Entry(&self.key, value)
                } else {
                    Piece::Member(self.begins, &self.key, value)
                })
            }
            Role::Element => {
                self.expect = match self.expect {
                    Expect::Document | Expect::NextDocument => Expect::NextDocument,
                    _ => Expect::CommaOrArrayEnd,
                };
                each(Piece::Element(self.begins, value))?;
                self.elements += 1;
                Ok(())
            }
        }
    }

    fn broken(&self, byte: u8) -> Refusal {
        let expected = match self.expect {
            Expect::Document if matches!(self.array, ArrayAt::Root | ArrayAt::MemberOrRoot(_)) => "[ or {",
            Expect::Document | Expect::NextDocument => "{",
            Expect::ElementOrEnd => "a job or ]",
            Expect::Element => "a job",
            Expect::CommaOrArrayEnd => ", or ]",
            Expect::KeyOrEnd => "a member or }",
            Expect::Key => "a member",
            Expect::Colon => ":",
            Expect::MemberValue => "a value",
            Expect::CommaOrObjectEnd => ", or }",
            Expect::Nothing => "the end of the file",
        };
        Refusal::BrokenJson {
            line: self.line,
            column: self.column + 1,
            found: format!("{:?}", char::from(byte)),
            expected: expected.into(),
            complete: self.elements,
        }
    }
}

/// Whether a JSON value, or what programs write in place of one, can begin with this byte.
fn begins_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'{' | b'[' | b'"' | b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], array: ArrayAt, step: usize) -> Result<Vec<(u64, u64, String)>, Refusal> {
        let mut cutter = Cutter::new(array);
        let mut pieces = Vec::new();
        let mut keep = |piece: Piece<'_>| {
            let (at, text) = match piece {
                Piece::Element(at, text) => (at, String::from_utf8_lossy(text).into_owned()),
                Piece::Member(at, name, text) => {
                    (at, format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(text)))
                }
                Piece::Entry(name, text) => {
                    let text = format!("{}:{}", String::from_utf8_lossy(name), String::from_utf8_lossy(text));
                    (Place::default(), text)
                }
            };
            pieces.push((at.line, at.column, text));
            Ok(())
        };
        for piece in text.chunks(step) {
            cutter.push(piece, &mut keep)?;
        }
        cutter.end()?;
        Ok(pieces)
    }

    fn piece(line: u64, column: u64, text: &str) -> (u64, u64, String) {
        (line, column, text.to_owned())
    }

    #[test]
    fn arrays_members_and_loose_objects_are_cut_wherever_the_pieces_end() {
        let array = br#" [ {"a": "}\"]\\", "b": [1,
 {}]} ,
  "s\"" , 12.5,null
 ]
"#;
        let object = br#"{"v": 1, "jobs" : [{"x":1},{"y":2}], "z": {"jobs":[3]}, "t":"q"}"#;
        let loose = b"{\"a\":1}\n{\"b\":[2]}\n";
        for step in 1..array.len() {
            assert_eq!(
                cut(array, ArrayAt::Root, step).unwrap(),
                [
                    piece(1, 4, "{\"a\": \"}\\\"]\\\\\", \"b\": [1,\n {}]}"),
                    piece(3, 3, "\"s\\\"\""),
                    piece(3, 11, "12.5"),
                    piece(3, 16, "null")
                ],
                "step {step}"
            );
            assert_eq!(
                cut(object, ArrayAt::Member("jobs"), step).unwrap(),
                [
                    piece(1, 7, "v=1"),
                    piece(1, 20, "{\"x\":1}"),
                    piece(1, 28, "{\"y\":2}"),
                    piece(1, 43, "z={\"jobs\":[3]}"),
                    piece(1, 61, "t=\"q\"")
                ]
            );
            assert_eq!(
                cut(loose, ArrayAt::Root, step).unwrap(),
                [piece(1, 1, "{\"a\":1}"), piece(2, 1, "{\"b\":[2]}")]
            );
        }
    }

    #[test]
    fn the_object_beside_the_array_is_cut_into_its_members_wherever_it_stands() {
        let array = ArrayAt::MemberBeside("jobs", "profiles");
        let before = br#"{"profiles":{"a":{"jobs":[1]},"jobs":[2]},"jobs":[{"x":1}],"n":{"profiles":{}}}"#;
        let after = br#"{"jobs":[{"x":1}],"profiles":{},"profiles":{"b":3}}"#;
        for step in 1..before.len() {
            assert_eq!(
                cut(before, array, step).unwrap(),
                [
                    piece(0, 0, "a:{\"jobs\":[1]}"),
                    piece(0, 0, "jobs:[2]"),
                    piece(1, 51, "{\"x\":1}"),
                    piece(1, 64, "n={\"profiles\":{}}")
                ]
            );
            assert_eq!(cut(after, array, step).unwrap(), [piece(1, 10, "{\"x\":1}"), piece(0, 0, "b:3")]);
        }
        assert!(cut(br#"{"jobs":[],"profiles":{"a":1}"#, array, 3).is_err());
    }

    #[test]
    fn a_bare_array_may_stand_for_the_document() {
        let array = ArrayAt::MemberOrRoot("items");
        assert_eq!(cut(b"[1]", array, 2).unwrap(), [piece(1, 2, "1")]);
        assert_eq!(cut(br#"{"items":[1]}"#, array, 2).unwrap(), [piece(1, 11, "1")]);
    }

    #[test]
    fn what_is_cut_off_or_broken_is_refused_at_its_place() {
        let truncated =
            |line, column, complete| Err(Refusal::Truncated { what: "JSON".into(), line, column, complete });
        for step in [1, 100] {
            assert_eq!(cut(b"[{\"a\":1},\n{\"b\":", ArrayAt::Root, step), truncated(2, 5, 1));
            assert_eq!(cut(b"[{\"a\":1}", ArrayAt::Root, step), truncated(1, 8, 1));
            assert_eq!(cut(b"[{\"a\":\"x", ArrayAt::Root, step), truncated(1, 8, 0));
            assert_eq!(cut(b"{\"jobs\":[1]", ArrayAt::Member("jobs"), step), truncated(1, 11, 1));
            for (text, column) in [(&b"[1 2]"[..], 4), (b"[1,]", 4), (b"[1]x", 4), (b"]", 1), (b"[,1]", 2)] {
                let refused = cut(text, ArrayAt::Root, step);
                assert!(
                    matches!(refused, Err(Refusal::BrokenJson { line: 1, column: c, .. }) if c == column),
                    "{refused:?}"
                );
            }
        }
    }

    #[test]
    fn an_endless_element_is_refused() {
        let mut cutter = Cutter::new(ArrayAt::Root);
        let text = [&b"[\n\""[..], &vec![b'x'; MAX_ELEMENT]].concat();
        let refused = text.chunks(1 << 20).find_map(|piece| cutter.push(piece, |_| Ok(())).err());
        assert_eq!(refused, Some(Refusal::LongRecord { line: 2, limit_mb: 16 }));
    }
}
