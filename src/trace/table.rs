//! A text table on its way into the workload: its header, its rows, and rows that are uneven.

use std::rc::Rc;

use crate::trace::format::{Columns, Layout, RowReader, Uneven};
use crate::trace::intake::{Closing, Fault, Intake, Notice};
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Cells, Header, Row, Rows};
use crate::trace::value::{self, Notes};

/// Makes a reader for a table with these columns.
pub(super) type Open = Box<dyn Fn(&Header) -> Result<Box<dyn RowReader>, Refusal>>;

/// A table being read.
pub(super) struct Table {
    rows: Rows,
    body: Body,
}

/// What the rows are given to.
struct Body {
    open: Open,
    uneven: Uneven,
    notes: Rc<Notes>,
    header: Header,
    /// Whether a delimiter ends each row, once a row has told.
    ends_each: Option<bool>,
    reader: Option<Box<dyn RowReader>>,
    /// A row that is too short and may go on in the next line.
    held: Option<Held>,
    /// What the report says of columns that were guessed.
    guess: Option<Notice>,
    /// Rows read.
    rows: u64,
    repeated_headers: u64,
    continued: u64,
    /// Names of columns that the header has more than once, each with the columns it names.
    repeated_names: Vec<String>,
}

/// A row kept while the next line is looked at.
struct Held {
    line: u64,
    /// Lines that were joined with others.
    lines: u64,
    /// Whether it tells a job.
    begins: bool,
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Table {
    /// Begins a table of a format; `columns` are those that another file has for it.
    pub(super) fn new(
        layout: &Layout,
        columns: Option<Header>,
        open: Open,
        notes: Rc<Notes>,
    ) -> Result<Self, Refusal> {
        let own = layout.columns.as_ref().filter(|_| columns.is_none());
        let named = own.map(|own| Header::new(own.names().iter().map(|name| name.as_bytes())));
        let mut table = Self::of(layout, columns.or(named), open, notes)?;
        table.body.guess = own.and_then(guess_notice);
        Ok(table)
    }

    /// Begins a table with these columns; without them its first row names them.
    pub(super) fn of(
        layout: &Layout,
        header: Option<Header>,
        open: Open,
        notes: Rc<Notes>,
    ) -> Result<Self, Refusal> {
        let reader = header.as_ref().map(&open).transpose()?;
        let header = header.unwrap_or_default();
        Ok(Self {
            rows: Rows::new(layout.dialect),
            body: Body {
                open,
                uneven: layout.uneven,
                notes,
                header,
                ends_each: None,
                reader,
                held: None,
                guess: None,
                rows: 0,
                repeated_headers: 0,
                continued: 0,
                repeated_names: Vec::new(),
            },
        })
    }

    /// The names of its columns, as far as they are known.
    pub(super) fn header(&self) -> &Header {
        &self.body.header
    }

    /// Takes the next piece of text.
    pub(super) fn push(&mut self, text: &[u8], intake: &mut Intake) -> Result<(), Refusal> {
        self.rows.push(text, |cells| self.body.take(cells, intake))
    }

    /// Ends the table. A table without rows is no error here; it is said why there are none.
    pub(super) fn end(mut self, intake: &mut Intake) -> Result<Option<Refusal>, Refusal> {
        self.rows.end(|cells| self.body.take(cells, intake))?;
        self.body.settle_held(intake)?;
        intake.end_file(self.body.close());
        Ok((self.body.rows == 0).then(|| Refusal::HeaderOnly { columns: self.body.header.list() }))
    }
}

impl Body {
    /// Takes one line of fields.
    fn take(&mut self, cells: Cells<'_>, intake: &mut Intake) -> Result<(), Refusal> {
        if cells.comment {
            if let Some(reader) = &mut self.reader {
                reader.comment(cells.get(0));
            }
            return Ok(());
        }
        if self.reader.is_none() {
            self.header = Header::new(cells.iter());
            self.repeated_names = self.header.repeated_names();
            self.reader = Some((self.open)(&self.header)?);
            return Ok(());
        }
        let width = self.header.len();
        // A delimiter at the end of each line makes no field. Where texts may hold it, the first row tells whether it is at the end of each.
        let has_end = cells.len() == width + 1 && value::trim(cells.get(width)).is_empty();
        let ends_each = *self.ends_each.get_or_insert(has_end || self.uneven != Uneven::Mend);
        let cells = if has_end && ends_each { cells.without_last() } else { cells };
        if cells.len() == 1 && value::trim(cells.get(0)).is_empty() && width > 1 {
            return Ok(());
        }
        if cells.unclosed {
            let hint = "everything from here to the end of the file is inside a quote";
            return self.reject(cells.line, "a quote that is never closed", "a closing quote", hint, intake);
        }
        if self.is_header(&cells) {
            self.repeated_headers += 1;
            return Ok(());
        }
        match self.uneven {
            Uneven::Reject if cells.len() != width => {
                let hint = if cells.len() > width {
                    "a delimiter inside a text needs quotes around the text"
                } else {
                    "the row may be cut off"
                };
                self.reject_width(cells.line, cells.len(), hint, intake)
            }
            Uneven::Mend if cells.len() < width => self.mend(cells, intake),
            Uneven::Reject | Uneven::Mend | Uneven::Keep => {
                self.settle_held(intake)?;
                self.settle(cells, intake)
            }
        }
    }

    /// Whether this is the header once more, as in files that were joined.
    fn is_header(&self, cells: &Cells<'_>) -> bool {
        let same = |at: usize| value::trim(cells.get(at)) == self.header.name(at).as_bytes();
        cells.len() == self.header.len() && same(0) && (1..cells.len()).all(same)
    }

    /// Deals with a row that is too short: the beginning of one, the continuation of one, or neither. Where the column that tells
    /// a job is not the first one, a line end in a text in front of it leaves a beginning that does not tell.
    fn mend(&mut self, cells: Cells<'_>, intake: &mut Intake) -> Result<(), Refusal> {
        let width = self.header.len();
        let begins = self.begins(&cells);
        if let Some(mut held) = self.held.take() {
            let joined = held.ends.len() + cells.len() - 1;
            let goes_on = joined <= width && (!begins || (!held.begins && joined == width));
            if !goes_on {
                self.held = Some(held);
            } else {
                held.join(&cells);
                let whole = Cells::new(held.line, &held.text, &held.ends);
                let tells = held.begins || self.begins(&whole);
                if joined < width {
                    self.held = Some(Held { begins: tells, ..held });
                    return Ok(());
                }
                if tells {
                    self.continued += held.lines - 1;
                    return self.settle(whole, intake);
                }
                self.held = Some(held);
                return self.settle_held(intake);
            }
        }
        self.settle_held(intake)?;
        self.held = Some(Held { begins, ..Held::new(&cells) });
        // With nothing in front of the column that tells, what does not tell goes on with the row above.
        if !begins && !self.may_begin_later() { self.settle_held(intake) } else { Ok(()) }
    }

    fn begins(&self, cells: &Cells<'_>) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.begins(cells))
    }

    /// Whether the column that tells a job has others in front of it.
    fn may_begin_later(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.teller() > 0)
    }

    /// Deals with a short row that did not become a whole one. It is rejected, unless it is a text that went on: that of the last
    /// column of the row above, or that of the first column of the row below.
    fn settle_held(&mut self, intake: &mut Intake) -> Result<(), Refusal> {
        let Some(held) = self.held.take() else { return Ok(()) };
        let is_text = !held.begins && (self.rows > 0 || (held.ends.len() == 1 && self.may_begin_later()));
        if is_text {
            self.continued += held.lines;
            return Ok(());
        }
        self.reject_width(held.line, held.ends.len(), "the row may be cut off", intake)
    }

    fn reject_width(
        &mut self,
        line: u64,
        fields: usize,
        hint: &str,
        intake: &mut Intake,
    ) -> Result<(), Refusal> {
        let expected = format!("{} fields, as in the header", self.header.len());
        self.reject(line, &format!("{fields} fields"), &expected, hint, intake)
    }

    fn reject(
        &mut self,
        line: u64,
        value: &str,
        expected: &str,
        hint: &str,
        intake: &mut Intake,
    ) -> Result<(), Refusal> {
        self.rows += 1;
        intake.settle(line, 0, Err(Fault::of_record(value, expected, hint)))
    }

    fn settle(&mut self, cells: Cells<'_>, intake: &mut Intake) -> Result<(), Refusal> {
        self.rows += 1;
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let verdict = reader.row(&Row::new(&self.header, cells, &self.notes));
        intake.settle(cells.line, cells.hash(), verdict)
    }

    fn close(&mut self) -> Closing {
        let mut closing = self.reader.as_mut().map(|reader| reader.close()).unwrap_or_default();
        closing.notices.extend(self.guess.take());
        closing.notices.push(Notice::new(
            "repeated-headers",
            self.repeated_headers,
            "rows repeat the header, as in files that were joined; they are no records",
        ));
        let repeated_names = std::mem::take(&mut self.repeated_names);
        closing.notices.push(Notice::new(
            "repeated-columns",
            repeated_names.len() as u64,
            format!(
                "names stand more than once in the header; where such a column is read, it is the first: {}",
                repeated_names.join(", ")
            ),
        ));
        closing.notices.push(Notice::new(
            "continued-rows",
            self.continued,
            "lines continue the text of the row above and were joined with it",
        ));
        closing
    }
}

/// What the report says of columns that were guessed: each with its number.
fn guess_notice(columns: &Columns) -> Option<Notice> {
    let Columns::Guessed(names) = columns else { return None };
    let list: Vec<String> = (1..)
        .zip(names)
        .filter(|(_, name)| !name.is_empty())
        .map(|(number, name)| format!("{number} {name}"))
        .collect();
    let text = format!(
        "columns have no names; by what they hold, these were recognised: {}. If that is wrong, export the file with its header",
        list.join(", ")
    );
    Some(Notice::new("guessed-columns", names.len() as u64, text))
}

impl Held {
    fn new(cells: &Cells<'_>) -> Self {
        let mut held = Self { line: cells.line, lines: 1, begins: false, text: Vec::new(), ends: Vec::new() };
        held.append(cells);
        held
    }

    /// Appends a line: its first field continues the last one.
    fn join(&mut self, cells: &Cells<'_>) {
        self.ends.pop();
        self.lines += 1;
        self.text.push(b'\n');
        self.append(cells);
    }

    fn append(&mut self, cells: &Cells<'_>) {
        for field in cells.iter() {
            self.text.extend_from_slice(field);
            self.ends.push(self.text.len());
        }
    }
}
