//! Text tables, row by row, from bytes that come in pieces.

use std::borrow::Cow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::trace::intake::Fault;
use crate::trace::refusal::Refusal;
use crate::trace::value::{self, Bad, Notes};
use crate::units::{MilliGpus, SimSpan};

/// The longest record that is read, in bytes.
pub const MAX_ROW: u64 = 1 << 20;
/// The most columns a table may have.
pub const MAX_COLUMNS: usize = 1024;

/// How a table marks fields, and what rows it may have that are not jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) quotes: Quotes,
    pub(super) comments: Comments,
}

/// Whether `"` may enclose a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    /// As in RFC 4180.
    Double,
    /// `"` is a character like any other.
    None,
}

/// Whether lines that begin with `#` are no rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// They are skipped.
    Hash,
    /// They are rows.
    None,
}

/// One row as cut into fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cells<'a> {
    /// The line it begins at, from 1.
    pub(super) line: u64,
    text: &'a [u8],
    ends: &'a [usize],
    /// Whether the file ends before a quote is closed.
    pub(super) unclosed: bool,
}

impl<'a> Cells<'a> {
    /// A row made of fields that lie one after the other in `text`.
    pub(super) fn new(line: u64, text: &'a [u8], ends: &'a [usize]) -> Self {
        Self { line, text, ends, unclosed: false }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The field as it stands; empty beyond the end.
    pub(super) fn get(&self, index: usize) -> &'a [u8] {
        let Some(&end) = self.ends.get(index) else { return b"" };
        let start = index.checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0);
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(move |i| self.get(i))
    }

    /// The same without its last field.
    pub(super) fn without_last(self) -> Self {
        let ends = self.ends.split_last().map_or(self.ends, |(_, rest)| rest);
        Self { ends, text: self.text.get(..ends.last().copied().unwrap_or(0)).unwrap_or_default(), ..self }
    }

    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(super) fn ends(&self) -> &'a [usize] {
        self.ends
    }
}

/// Cuts text into rows.
#[derive(Debug)]
pub(super) struct Rows {
    core: Reader,
    comments: Comments,
    fields: Vec<u8>,
    filled: usize,
    ends: Vec<usize>,
    ended: usize,
    /// Line ends passed outside of rows.
    skipped_lines: u64,
    /// Bytes of the row that has begun; 0 between rows.
    row_bytes: u64,
    row_line: u64,
    in_comment: bool,
}

impl Rows {
    pub(super) fn new(dialect: Dialect) -> Self {
        let core = ReaderBuilder::new()
            .delimiter(dialect.delimiter)
            .quoting(dialect.quotes == Quotes::Double)
            .build();
        Self {
            core,
            comments: dialect.comments,
            fields: vec![0; 4096],
            filled: 0,
            ends: vec![0; MAX_COLUMNS + 1],
            ended: 0,
            skipped_lines: 0,
            row_bytes: 0,
            row_line: 1,
            in_comment: false,
        }
    }

    /// The line that the next byte is on, from 1.
    fn line(&self) -> u64 {
        self.core.line() + self.skipped_lines
    }

    /// Takes the next piece of text and hands every complete row to `each`.
    pub(super) fn push(
        &mut self,
        mut text: &[u8],
        mut each: impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        loop {
            if self.row_bytes == 0 {
                text = self.skip_to_row(text);
                self.row_line = self.line();
            }
            if text.is_empty() {
                return Ok(());
            }
            text = self.read(text, Input::MayFollow, &mut each)?;
        }
    }

    /// Ends the table: hands over a last row that has no line end.
    pub(super) fn end(
        &mut self,
        mut each: impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if self.row_bytes > 0 {
            // A line end closes any row but one whose quote is still open.
            self.read(b"\n", Input::MayFollow, &mut each)?;
        }
        if self.row_bytes > 0 {
            self.read(b"", Input::IsOver, &mut each)?;
        }
        Ok(())
    }

    /// Passes blank lines and comments.
    fn skip_to_row<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let mut rest = text;
        while let [byte, after @ ..] = rest {
            match byte {
                b'\n' => {
                    self.skipped_lines += 1;
                    self.in_comment = false;
                }
                _ if self.in_comment => {}
                b'\r' => {}
                b'#' if self.comments == Comments::Hash => self.in_comment = true,
                _ => return rest,
            }
            rest = after;
        }
        rest
    }

    /// Reads until the row or the text ends; returns the rest of the text.
    fn read<'t>(
        &mut self,
        text: &'t [u8],
        input: Input,
        each: &mut impl FnMut(Cells<'_>) -> Result<(), Refusal>,
    ) -> Result<&'t [u8], Refusal> {
        let mut rest = text;
        loop {
            let out = self.fields.get_mut(self.filled..).unwrap_or_default();
            let ends = self.ends.get_mut(self.ended..).unwrap_or_default();
            let (result, read, written, ended) = self.core.read_record(rest, out, ends);
            rest = rest.get(read..).unwrap_or_default();
            self.filled += written;
            self.ended += ended;
            self.row_bytes += read as u64;
            if self.row_bytes > MAX_ROW {
                return Err(Refusal::LongRecord { line: self.row_line, limit_mb: MAX_ROW >> 20 });
            }
            if self.ended > MAX_COLUMNS {
                return Err(Refusal::TooManyColumns { line: self.row_line, limit: MAX_COLUMNS as u64 });
            }
            match result {
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::Record => {
                    let cells = Cells {
                        line: self.row_line,
                        text: self.fields.get(..self.filled).unwrap_or_default(),
                        ends: self.ends.get(..self.ended).unwrap_or_default(),
                        unclosed: input == Input::IsOver,
                    };
                    (self.filled, self.ended, self.row_bytes) = (0, 0, 0);
                    each(cells)?;
                    return Ok(rest);
                }
                ReadRecordResult::InputEmpty if input == Input::MayFollow => return Ok(rest),
                // With all input at hand the reader gives the rest as a row, and then only says that it is at the end.
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputEndsFull | ReadRecordResult::End => {
                    self.row_bytes = 0;
                    return Ok(rest);
                }
            }
        }
    }
}

/// Whether more text may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    MayFollow,
    IsOver,
}

/// The columns of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Header {
    names: Vec<String>,
}

impl Header {
    pub(super) fn new<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Self {
        let mut names: Vec<String> =
            names.into_iter().map(|n| String::from_utf8_lossy(value::trim(n)).into_owned()).collect();
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
    /// Fields to pass over: from which column, and how many.
    widened: (usize, usize),
}

impl<'a> Row<'a> {
    pub(super) fn new(header: &'a Header, cells: Cells<'a>, notes: &'a Notes) -> Self {
        Self { header, cells, notes, widened: (usize::MAX, 0) }
    }

    /// How many fields it has more than the header has columns.
    pub(super) fn surplus(&self) -> usize {
        self.cells.len().saturating_sub(self.header.len())
    }

    /// The same row with the surplus fields counted as part of `column`.
    pub(super) fn widened_at(self, column: usize) -> Self {
        Self { widened: (column, self.surplus()), ..self }
    }

    pub(super) fn get(&self, column: usize) -> &'a [u8] {
        let (from, by) = self.widened;
        value::trim(self.cells.get(if column > from { column + by } else { column }))
    }

    pub(super) fn optional(&self, column: Option<usize>) -> &'a [u8] {
        column.map_or(b"", |c| self.get(c))
    }

    /// A text; bytes that are no UTF-8 are replaced and counted.
    pub(super) fn text(&self, column: Option<usize>) -> Cow<'a, str> {
        self.notes.text(self.optional(column))
    }

    /// A value that cannot be read as `bad` says.
    pub(super) fn fault(&self, column: usize, bad: Bad) -> Fault {
        Fault::of_value(self.header.name(column), self.get(column), bad)
    }

    fn parse<T>(&self, column: usize, read: impl FnOnce(&[u8]) -> Result<T, Bad>) -> Result<T, Fault> {
        read(self.get(column)).map_err(|bad| self.fault(column, bad))
    }

    /// A value that may be missing.
    pub(super) fn maybe<T>(
        &self,
        column: Option<usize>,
        read: impl FnOnce(&[u8]) -> Result<T, Bad>,
    ) -> Result<Option<T>, Fault> {
        match column {
            Some(column) if !value::is_missing(self.get(column)) => self.parse(column, read).map(Some),
            _ => Ok(None),
        }
    }

    pub(super) fn time(&self, column: usize) -> Result<i64, Fault> {
        self.parse(column, |text| value::time(text, self.notes))
    }

    pub(super) fn maybe_time(&self, column: Option<usize>) -> Result<Option<i64>, Fault> {
        self.maybe(column, |text| value::time(text, self.notes))
    }

    pub(super) fn maybe_seconds(&self, column: Option<usize>) -> Result<Option<SimSpan>, Fault> {
        self.maybe(column, value::seconds)
    }

    pub(super) fn gpus(&self, column: usize) -> Result<MilliGpus, Fault> {
        self.parse(column, value::gpus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Dialect = Dialect { delimiter: b',', quotes: Quotes::Double, comments: Comments::Hash };

    fn rows(text: &[u8], step: usize) -> Vec<(u64, Vec<String>, bool)> {
        let mut rows = Rows::new(CSV);
        let mut found = Vec::new();
        let mut keep = |cells: Cells<'_>| {
            let fields = cells.iter().map(|f| String::from_utf8_lossy(f).into_owned()).collect();
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
        let wide = vec![b','; MAX_COLUMNS + 1];
        assert_eq!(rows.push(&wide, |_| Ok(())), Err(Refusal::TooManyColumns { line: 1, limit: 1024 }));
    }
}
