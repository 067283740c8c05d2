//! Text tables, row by row, from bytes that come in pieces.

use std::borrow::Cow;
use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder, Terminator};
use indexmap::IndexMap;
use memchr::memchr;

use crate::trace::hash::Hash;
use crate::trace::intake::Fault;
use crate::trace::latin;
use crate::trace::refusal::Refusal;
use crate::trace::short::bytes_equal;
use crate::trace::value::{self, Bad, Notes, Unit};
use crate::units::{MilliGpus, SimSpan};

/// The longest record that is read, in bytes.
pub const MAX_ROW: u64 = 1 << 20;
/// The most columns a table may have.
pub const MAX_COLUMNS: usize = 1024;

/// How a table marks fields, and what rows it may have that are not jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    /// What separates fields; a blank stands for any run of blanks and tabs, also around the row.
    pub(super) delimiter: u8,
    /// The second byte of a delimiter of two, such as `|#`; only where there are no quotes.
    pub(super) second: Option<u8>,
    pub(super) quotes: Quotes,
    pub(super) comments: Comments,
    /// Lines before the table.
    pub(super) skip: u32,
}

/// Whether `"` may enclose a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// As in RFC 4180.
    Double,
    /// `"` is a character like any other.
    None,
}

/// Which lines are no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// Those that begin with `#`; they are skipped.
    Hash,
    /// Those that begin with this byte; they are skipped.
    Mark(u8),
    /// Those that begin with `;`; they are handed over as comments, because the format says things in them.
    Semicolon,
    /// None: all are rows.
    None,
}

/// One row as cut into fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    /// The line it begins at, from 1.
    pub(super) line: u64,
    text: &'a [u8],
    /// The same, if it is known to be UTF-8.
    utf8: Option<&'a str>,
    /// Where each field ends in the text.
    ends: &'a [usize],
    between: Between,
    /// Whether the file ends before a quote is closed.
    pub(super) unclosed: bool,
    /// Whether the line is a comment, as one field.
    pub(super) comment: bool,
}

/// What lies between two fields of a row's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing = 0,
    /// A delimiter of one byte.
    Delimiter = 1,
    /// A delimiter of two bytes.
    Pair = 2,
}

impl<'a> Cells<'a> {
    /// A row made of fields that lie one after the other in `text`.
    pub(super) fn new(line: u64, text: &'a [u8], ends: &'a [usize]) -> Self {
        Self { line, text, utf8: None, ends, between: Between::Nothing, unclosed: false, comment: false }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field as it stands; empty beyond the end.
    #[inline]
    pub(super) fn get(&self, index: usize) -> &'a [u8] {
        self.text.get(self.range(index)).unwrap_or_default()
    }

    /// The field and the `more` behind it, with what is in between.
    fn span(&self, index: usize, more: usize) -> &'a [u8] {
        let end = self.range(index.saturating_add(more)).end;
        self.text.get(self.range(index).start..end).unwrap_or_default()
    }

    /// The field as text, if it is known to be UTF-8.
    #[inline]
    fn get_utf8(&self, index: usize) -> Option<&'a str> {
        self.utf8?.get(self.range(index))
    }

    /// Where in the text the field is.
    #[inline]
    fn range(&self, index: usize) -> Range<usize> {
        let Some(&end) = self.ends.get(index) else { return 0..0 };
        let start = match index.checked_sub(1).and_then(|before| self.ends.get(before)) {
            Some(before) => before + self.between as usize,
            None => 0,
        };
        start..end
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(move |i| self.get(i))
    }

    /// The same without its last field.
    pub(super) fn without_last(self) -> Self {
        let ends = self.ends.split_last().map_or(self.ends, |(_, rest)| rest);
        let length = ends.last().copied().unwrap_or(0);
        let utf8 = self.utf8.and_then(|text| text.get(..length));
        Self { ends, text: self.text.get(..length).unwrap_or_default(), utf8, ..self }
    }

    /// A hash of its content. Rows with and without quotes never have the same, even if their fields are equal.
    pub(super) fn hash(&self) -> u64 {
        let hash = Hash::of(self.text);
        match self.between {
            Between::Delimiter | Between::Pair => hash.value(),
            Between::Nothing => self.ends.iter().fold(hash, |hash, &end| hash.with(end as u64)).value(),
        }
    }
}

/// Cuts text into rows. A line without quotes is a row and is cut at its delimiters; only what has quotes takes the way
/// through the state machine of `csv-core`.
#[derive(Debug)]
pub(super) struct Rows {
    dialect: Dialect,
    core: Reader,
    /// The beginning of a line whose end is still to come.
    partial: Vec<u8>,
    /// Complete lines so far.
    lines: u64,
    ends: Vec<usize>,
    quoted: Option<QuotedRow>,
    /// Fields of a row with quotes.
    fields: Vec<u8>,
    filled: usize,
    ended: usize,
}

/// A row with quotes whose end is still to come.
#[derive(Debug, Clone, Copy)]
struct QuotedRow {
    line: u64,
    bytes: u64,
}

impl Rows {
    pub(super) fn new(dialect: Dialect) -> Self {
        let core =
            ReaderBuilder::new().delimiter(dialect.delimiter).terminator(Terminator::Any(b'\n')).build();
        Self {
            dialect,
            core,
            partial: Vec::new(),
            lines: 0,
            ends: vec![0; MAX_COLUMNS + 1],
            quoted: None,
            fields: vec![0; 4096],
            filled: 0,
            ended: 0,
        }
    }

    /// Takes the next piece of text and hands every complete row to `each`.
    pub(super) fn push(
        &mut self,
        mut text: &[u8],
        mut each: impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        // One look at all lines is faster than one at each.
        let mut utf8 = std::str::from_utf8(text).ok();
        while let Some(end) = memchr(b'\n', text) {
            let (line, rest) = (text.get(..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default());
            if self.partial.is_empty() {
                let utf8 = utf8.and_then(|text| text.get(..end)).or_else(|| std::str::from_utf8(line).ok());
                self.take_line(line, utf8, &mut each)?;
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.take_line(&whole, std::str::from_utf8(&whole).ok(), &mut each)?;
                whole.clear();
                self.partial = whole;
            }
            text = rest;
            utf8 = utf8.and_then(|text| text.get(end + 1..));
        }
        self.partial.extend_from_slice(text);
        self.check_length(self.partial.len())
    }

    /// Ends the table: hands over a last row that has no line end.
    pub(super) fn end(
        &mut self,
        mut each: impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if !self.partial.is_empty() {
            let last = std::mem::take(&mut self.partial);
            self.take_line(&last, std::str::from_utf8(&last).ok(), &mut each)?;
        }
        // What is left has a quote that is never closed.
        self.read_quoted(b"", &mut each)
    }

    /// Refuses a row that would have `more` bytes more than it has and be too long.
    fn check_length(&self, more: usize) -> Result<(), Refusal> {
        let (line, bytes) = self.quoted.map_or((self.lines + 1, 0), |row| (row.line, row.bytes));
        if bytes + more as u64 > MAX_ROW {
            return Err(Refusal::LongRecord { line, limit_mb: MAX_ROW >> 20 });
        }
        Ok(())
    }

    /// Takes one line without its line end, and the same as text if it is UTF-8.
    #[inline]
    fn take_line(
        &mut self,
        line: &[u8],
        utf8: Option<&str>,
        each: &mut impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.check_length(line.len())?;
        self.lines += 1;
        if self.lines <= u64::from(self.dialect.skip) {
            return Ok(());
        }
        if self.quoted.is_none() {
            let bare = line.strip_suffix(b"\r").unwrap_or(line);
            let mark = match self.dialect.comments {
                Comments::Hash => Some(&b'#'),
                Comments::Mark(ref mark) => Some(mark),
                Comments::Semicolon | Comments::None => None,
            };
            if bare.is_empty() || (mark.is_some() && bare.first() == mark) {
                return Ok(());
            }
            if self.dialect.comments == Comments::Semicolon && bare.trim_ascii_start().starts_with(b";") {
                let whole = [bare.len()];
                return each(Cells { comment: true, ..Cells::new(self.lines, bare, &whole) });
            }
            let count =
                if self.dialect.delimiter == b' ' { Some(self.cut_blanks(bare)?) } else { self.cut(bare)? };
            if let Some(count) = count {
                let ends = self.ends.get(..count).unwrap_or_default();
                if ends.is_empty() {
                    return Ok(());
                }
                let between = self.dialect.second.map_or(Between::Delimiter, |_| Between::Pair);
                let utf8 = utf8.and_then(|line| line.get(..bare.len()));
                return each(Cells { between, utf8, ..Cells::new(self.lines, bare, ends) });
            }
        }
        let row = self.quoted.get_or_insert(QuotedRow { line: self.lines, bytes: 0 });
        row.bytes += line.len() as u64 + 1;
        if !line.is_empty() {
            self.read_quoted(line, each)?;
        }
        self.read_quoted(b"\n", each)
    }

    /// Cuts a line at its delimiters: how many fields it has, or `None` if it has quotes.
    fn cut(&mut self, line: &[u8]) -> Result<Option<usize>, Refusal> {
        let Dialect { delimiter, second, quotes, .. } = self.dialect;
        if quotes == Quotes::Double && memchr(b'"', line).is_some() {
            return Ok(None);
        }
        let mut count = 0;
        let mut end_at = |at: usize| {
            if second.is_some() && line.get(at + 1).copied() != second {
                return;
            }
            if let Some(end) = self.ends.get_mut(count) {
                *end = at;
            }
            count += 1;
        };
        for (start, bytes) in blocks(line, &mut [0; BLOCK]) {
            let mut found = marks(bytes, delimiter);
            while found != 0 {
                end_at(start + found.trailing_zeros() as usize);
                found &= found - 1;
            }
        }
        match self.ends.get_mut(count).filter(|_| count < MAX_COLUMNS) {
            Some(end) => *end = line.len(),
            None => return Err(Refusal::TooManyColumns { line: self.lines, limit: MAX_COLUMNS as u64 }),
        }
        Ok(Some(count + 1))
    }

    /// Cuts a line at runs of blanks: how many fields it has. A field keeps the blanks in front of it but the first.
    fn cut_blanks(&mut self, line: &[u8]) -> Result<usize, Refusal> {
        let mut count = 0;
        let mut end_at = |at: usize| {
            if let Some(end) = self.ends.get_mut(count) {
                *end = at;
            }
            count += 1;
        };
        // Whether the byte in front of a block is a blank; in front of the line it counts as one.
        let mut after_blank = 1;
        for (start, bytes) in blocks(line, &mut [0; BLOCK]) {
            let blanks = marks(bytes, b' ') | marks(bytes, b'\t');
            let mut found = blanks & !(blanks << 1 | after_blank);
            after_blank = blanks >> (BLOCK - 1);
            while found != 0 {
                end_at(start + found.trailing_zeros() as usize);
                found &= found - 1;
            }
        }
        if line.last().is_some_and(|byte| !matches!(byte, b' ' | b'\t')) {
            end_at(line.len());
        }
        if count > MAX_COLUMNS {
            return Err(Refusal::TooManyColumns { line: self.lines, limit: MAX_COLUMNS as u64 });
        }
        Ok(count)
    }

    /// Reads a piece of a row with quotes; no piece means that there are no more.
    fn read_quoted(
        &mut self,
        mut piece: &[u8],
        each: &mut impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(row) = self.quoted else { return Ok(()) };
        let unclosed = piece.is_empty();
        loop {
            let out = self.fields.get_mut(self.filled..).unwrap_or_default();
            let ends = self.ends.get_mut(self.ended..).unwrap_or_default();
            let (result, read, written, ended) = self.core.read_record(piece, out, ends);
            piece = piece.get(read..).unwrap_or_default();
            self.filled += written;
            self.ended += ended;
            if self.ended > MAX_COLUMNS {
                return Err(Refusal::TooManyColumns { line: row.line, limit: MAX_COLUMNS as u64 });
            }
            match result {
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::Record => {
                    let text = self.fields.get(..self.filled).unwrap_or_default();
                    let ends = self.ends.get(..self.ended).unwrap_or_default();
                    (self.quoted, self.filled, self.ended) = (None, 0, 0);
                    return each(Cells { unclosed, ..Cells::new(row.line, text, ends) });
                }
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputEndsFull | ReadRecordResult::End => {
                    return Ok(());
                }
            }
        }
    }
}

/// How many bytes are searched for delimiters at once.
const BLOCK: usize = 64;

/// A line in blocks, of which `last` becomes the last one. What that has behind the line's end is line ends, which occur in no line
/// and delimit nothing.
#[inline]
fn blocks<'l>(line: &'l [u8], last: &'l mut [u8; BLOCK]) -> impl Iterator<Item = (usize, &'l [u8; BLOCK])> {
    let (blocks, rest) = line.as_chunks();
    *last = [b'\n'; BLOCK];
    last.get_mut(..rest.len()).unwrap_or_default().copy_from_slice(rest);
    blocks.iter().chain([&*last]).enumerate().map(|(at, block)| (at * BLOCK, block))
}

/// Which bytes of a block equal `byte`: one bit each, the first byte's lowest.
#[inline]
fn marks(block: &[u8; BLOCK], byte: u8) -> u64 {
    let (words, _) = block.as_chunks();
    let marked = words.iter().map(|word| bytes_equal(u64::from_le_bytes(*word), byte) >> 7);
    // The product collects the marks of the eight bytes in the highest byte.
    marked.rev().fold(0, |bits, marks| bits << 8 | marks.wrapping_mul(0x0102_0408_1020_4080) >> 56)
}

/// The columns of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    names: Vec<String>,
}

impl Header {
    pub(super) fn new<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Self {
        let mut names: Vec<String> = names.into_iter().map(|n| latin::decode(value::trim(n))).collect();
        // A delimiter at the end of each line is no column.
        if names.len() > 1 && names.last().is_some_and(String::is_empty) {
            names.pop();
        }
        Self { names }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The column called `name`, whatever the case.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n.eq_ignore_ascii_case(name))
    }

    pub(super) fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", String::as_str)
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The names that stand more than once, whatever the case, each with the numbers of its columns: `gpus (columns 2 and 3)`.
    pub(super) fn repeated_names(&self) -> Vec<String> {
        let mut columns: IndexMap<String, Vec<String>> = IndexMap::new();
        for (number, name) in (1..).zip(&self.names).filter(|(_, name)| !name.is_empty()) {
            columns.entry(name.to_ascii_lowercase()).or_default().push(number.to_string());
        }
        let repeated = columns.into_iter().filter(|(_, numbers)| numbers.len() > 1);
        repeated.map(|(name, numbers)| format!("{name} (columns {})", numbers.join(" and "))).collect()
    }

    /// The columns for messages, cut when there are many.
    pub(super) fn list(&self) -> String {
        const SHOWN: usize = 16;
        let mut list: String =
            self.names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        if list.chars().count() > 400 {
            list = list.chars().take(400).chain(['…']).collect();
        }
        if self.names.len() > SHOWN {
            list.push_str(&format!(", … ({} in all)", self.names.len()));
        }
        list
    }
}

/// One row under its header. Fields are seen without blanks around them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    header: &'a Header,
    cells: Cells<'a>,
    notes: &'a Notes,
    /// Fields that belong to the column in front of them: which column, and how many. In order of the columns.
    widened: Widened,
}

/// Up to three columns, in order, and how many surplus fields each has; the position beyond all columns is none.
pub(super) type Widened = [(usize, usize); 3];

impl<'a> Row<'a> {
    pub(super) fn new(header: &'a Header, cells: Cells<'a>, notes: &'a Notes) -> Self {
        Self { header, cells, notes, widened: [(usize::MAX, 0); 3] }
    }

    /// The line it begins at, from 1.
    pub(super) fn line(&self) -> u64 {
        self.cells.line
    }

    /// A hash of its content.
    pub(super) fn hash(&self) -> u64 {
        self.cells.hash()
    }

    /// How many fields it has.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// How many fields it has more than the header has columns.
    pub(super) fn surplus(&self) -> usize {
        self.cells.len().saturating_sub(self.header.len())
    }

    /// The same row with the surplus fields counted as part of `column`.
    pub(super) fn widened_at(self, column: usize) -> Self {
        self.spread([(column, self.surplus()), (usize::MAX, 0), (usize::MAX, 0)])
    }

    /// The same row with so many surplus fields counted as part of each of some columns.
    pub(super) fn spread(self, mut widened: Widened) -> Self {
        widened.sort_unstable();
        Self { widened, ..self }
    }

    /// Whether fields stand in it with their delimiters in between, so that several of them are one text.
    pub(super) fn is_as_written(&self) -> bool {
        self.cells.between != Between::Nothing
    }

    /// Whether its last field is empty, as with a delimiter at the end of each line.
    pub(super) fn ends_empty(&self) -> bool {
        self.len().checked_sub(1).is_some_and(|last| value::trim(self.cells.get(last)).is_empty())
    }

    /// What is noticed about values, and how local times are read.
    pub(super) fn notes(&self) -> &'a Notes {
        self.notes
    }

    #[inline]
    pub(super) fn get(&self, column: usize) -> &'a [u8] {
        // Nearly every row has as many fields as columns.
        let [(left, _), ..] = self.widened;
        if left == usize::MAX {
            return value::trim(self.cells.get(column));
        }
        let more = self.widened.iter().find(|(widened, _)| *widened == column).map_or(0, |(_, by)| *by);
        let field = self.field(column);
        value::trim(if more == 0 { self.cells.get(field) } else { self.cells.span(field, more) })
    }

    /// Which field is the one of a column.
    #[inline]
    fn field(&self, column: usize) -> usize {
        let before = |&(widened, by): &(usize, usize)| if column > widened { by } else { 0 };
        column + self.widened.iter().map(before).sum::<usize>()
    }

    pub(super) fn optional(&self, column: Option<usize>) -> &'a [u8] {
        column.map_or(b"", |c| self.get(c))
    }

    /// A text; what is no UTF-8 is read as Windows-1252 and counted.
    pub(super) fn text(&self, column: Option<usize>) -> Cow<'a, str> {
        let Some(column) = column else { return Cow::Borrowed("") };
        match self.cells.get_utf8(self.field(column)) {
            Some(text) => Cow::Borrowed(text.trim_ascii()),
            None => self.notes.text(self.get(column)),
        }
    }

    /// A value that cannot be read as `bad` says.
    #[cold]
    pub(super) fn fault(&self, column: usize, bad: Bad) -> Fault {
        Fault::of_value(self.header.name(column), self.get(column), bad)
    }

    /// A value that must be there.
    pub(super) fn parse<T>(
        &self,
        column: usize,
        read: impl FnOnce(&[u8]) -> Result<T, Bad>,
    ) -> Result<T, Fault> {
        read(self.get(column)).map_err(|bad| self.fault(column, bad))
    }

    /// A value that may be missing.
    pub(super) fn maybe<T>(
        &self,
        column: Option<usize>,
        read: impl FnOnce(&[u8]) -> Result<T, Bad>,
    ) -> Result<Option<T>, Fault> {
        let Some(column) = column else { return Ok(None) };
        let text = self.get(column);
        if value::is_missing(text) {
            return Ok(None);
        }
        read(text).map(Some).map_err(|bad| self.fault(column, bad))
    }

    pub(super) fn time(&self, column: usize) -> Result<i64, Fault> {
        self.time_in(column, Unit::Second)
    }

    pub(super) fn time_in(&self, column: usize, unit: Unit) -> Result<i64, Fault> {
        self.parse(column, |text| value::time_in(text, unit, self.notes))
    }

    pub(super) fn maybe_time(&self, column: Option<usize>) -> Result<Option<i64>, Fault> {
        self.maybe(column, |text| value::time(text, self.notes))
    }

    pub(super) fn maybe_seconds(&self, column: Option<usize>) -> Result<Option<SimSpan>, Fault> {
        self.maybe(column, value::seconds)
    }

    pub(super) fn maybe_span_in(&self, column: usize, unit: Unit) -> Result<Option<SimSpan>, Fault> {
        self.maybe(Some(column), |text| value::span_in(text, unit))
    }

    pub(super) fn gpus(&self, column: usize) -> Result<MilliGpus, Fault> {
        self.parse(column, value::gpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Dialect =
        Dialect { delimiter: b',', second: None, quotes: Quotes::Double, comments: Comments::Hash, skip: 0 };

    fn rows(text: &[u8], step: usize) -> Vec<(u64, Vec<String>, bool)> {
        let mut rows = Rows::new(CSV);
        let mut found = Vec::new();
        let mut keep = |cells: Cells<'_>| {
            let text = |f| String::from_utf8_lossy(value::trim(f)).into_owned();
            let fields = cells.iter().map(text).collect();
            found.push((cells.line, fields, cells.unclosed));
            Ok(())
        };
        for piece in text.chunks(step) {
            rows.push(piece, &mut keep).unwrap();
        }
        rows.end(&mut keep).unwrap();
        found
    }

    #[test]
    fn lines_are_counted_through_comments_blanks_and_quotes() {
        let text = b"# one\r\n\r\na,b\r\n\n\"x\r\ny\",2\r\n# c\n3,\"4 \"\"q\"\"\"";
        for step in 1..text.len() {
            let found = rows(text, step);
            let lines: Vec<u64> = found.iter().map(|r| r.0).collect();
            assert_eq!(lines, [3, 5, 8], "step {step}");
            assert_eq!(found[1].1, ["x\r\ny", "2"]);
            assert_eq!(found[2].1, ["3", "4 \"q\""]);
            assert!(!found[2].2);
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_is_noticed() {
        for text in [&b"a,b\n1,\"2\n3,4\n"[..], b"a,b\n1,\"2"] {
            for step in [1, 3, 100] {
                let found = rows(text, step);
                assert_eq!(found.len(), 2);
                assert!(found[1].2, "{found:?}");
                assert_eq!(found[1].0, 2);
            }
        }
    }

    #[test]
    fn long_rows_and_wide_rows_are_refused() {
        for step in [1 << 10, 8 << 20] {
            let mut rows = Rows::new(CSV);
            let text = [&b"a\n\""[..], &vec![b'x'; 2 << 20]].concat();
            let refused = text.chunks(step).find_map(|piece| rows.push(piece, |_| Ok(())).err());
            assert_eq!(refused, Some(Refusal::LongRecord { line: 2, limit_mb: 1 }));
        }
        let mut rows = Rows::new(CSV);
        let wide = [&vec![b','; MAX_COLUMNS][..], b"\n"].concat();
        assert_eq!(rows.push(&wide, |_| Ok(())), Err(Refusal::TooManyColumns { line: 1, limit: 1024 }));
    }
}
