//! The first rows of a table, and what its columns hold.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::Reason;
use crate::trace::mapping::columns::{ColumnRef, TimeUnit};
use crate::trace::mapping::numbers::Numbers;
use crate::trace::mapping::{DecimalMark, HeaderRow, TableForm, ThousandsMark, quantity, reader};
use crate::trace::outcome::outcome;
use crate::trace::rows::{Cells, Rows};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Notes};

/// The most rows before a table that are taken for titles.
const MOST_TITLES: usize = 20;
/// How many rows are looked at.
const ROWS: usize = 200;
/// Delimiters that are tried; blanks only where no other makes a table.
const DELIMITERS: [(char, &str); 5] =
    [(',', "commas"), (';', "semicolons"), ('\t', "tabs"), ('|', "bars"), (' ', "blanks")];

/// The first rows of a table.
pub(super) struct Sampled {
    pub(super) form: TableForm,
    pub(super) fields: Vec<Field>,
    pub(super) reasons: Vec<Reason>,
}

/// One column.
#[derive(Debug)]
pub(super) struct Field {
    /// Its name; empty without a header.
    pub(super) name: String,
    /// The words of its name, in lower case.
    pub(super) words: Vec<String>,
    pub(super) kind: Kind,
    /// Whether its dates would also be dates in the other order of day and month, and come in no better order so.
    pub(super) is_either_order: bool,
    /// The first value.
    pub(super) example: String,
    /// The values of a column of numbers; `None` where a row has none.
    pub(super) numbers: Vec<Option<f64>>,
    pub(super) least: f64,
    pub(super) most: f64,
    cells: Vec<String>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Empty,
    Number,
    Date(TimeUnit),
    Clock,
    Text,
}

impl Kind {
    pub(super) fn is_date(self) -> bool {
        matches!(self, Self::Date(_))
    }
}

/// A row as text without blanks around fields, and the line it begins at.
struct Line {
    number: u64,
    cells: Vec<String>,
}

/// The first rows under a form.
fn lines(sample: &Sample<'_>, form: &TableForm, most: usize) -> Vec<Line> {
    let mut rows = Rows::new(reader::layout(form).dialect);
    let mut found: Vec<Line> = Vec::new();
    let mut take = |cells: Cells<'_>| {
        if found.len() < most {
            let text = |cell| String::from_utf8_lossy(value::trim(cell)).into_owned();
            found.push(Line { number: cells.line, cells: cells.iter().map(text).collect() });
        }
        Ok(())
    };
    // A row that cannot be cut ends what is looked at; reading will say why.
    let _ = rows.push(whole_lines(sample.bytes()), &mut take);
    let _ = rows.end(&mut take);
    found
}

fn rows(sample: &Sample<'_>, form: &TableForm, most: usize) -> Vec<Vec<String>> {
    lines(sample, form, most).into_iter().map(|line| line.cells).collect()
}

/// A sample without its last line where that may be cut.
pub(in crate::trace::mapping) fn whole_lines(head: &[u8]) -> &[u8] {
    let is_cut = head.len() >= crate::trace::sample::SAMPLE_BYTES;
    match head.iter().rposition(|&b| b == b'\n').filter(|_| is_cut) {
        Some(end) => head.get(..=end).unwrap_or(head),
        None => head,
    }
}

/// The number of columns of a table without a header, at least `least` where its rows have as many fields: a delimiter at the
/// end of each row makes none.
pub(in crate::trace::mapping) fn width(sample: &Sample<'_>, form: &TableForm, least: usize) -> usize {
    let rows = rows(sample, form, ROWS);
    let widest = rows.first().map_or(0, Vec::len);
    let is_empty = |row: &Vec<String>| row.len() != widest || row.last().is_some_and(String::is_empty);
    let is_trailing = widest > 1 && rows.iter().all(is_empty);
    (widest - usize::from(is_trailing)).max(least.min(widest))
}

impl Sampled {
    /// The rows of a sample in the form that makes most of them alike; `None` if there is no such form.
    pub(super) fn new(sample: &Sample<'_>) -> Option<Self> {
        let mut reasons = Vec::new();
        let mut because = |path: &str, text: String| reasons.push(Reason { path: path.to_owned(), text });
        let comment = comment(sample.bytes());
        if comment != '#' {
            because("table.comment", format!("the first line begins with {comment}"));
        }
        let Delimited { delimiter, word, mut rows, skip_lines, why_skip } = delimited(sample, comment)?;
        if let Some(why) = why_skip {
            because("table.skip_lines", why.to_owned());
        }
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        because("table.delimiter", format!("{word} make {columns} columns of most rows"));
        let header = header(&rows);
        let names = match header {
            HeaderRow::First => rows.remove(0),
            HeaderRow::None => Vec::new(),
        };
        because(
            "table.header",
            match header {
                HeaderRow::First => "the first row has no number or time in it".to_owned(),
                HeaderRow::None => "the first row has values in it".to_owned(),
            },
        );
        let (numbers, why) = marks(&rows);
        if let Some(why) = why {
            because("table.decimal", why.to_owned());
        }
        if let Some(mark) = numbers.thousands.mark() {
            because(
                "table.thousands",
                format!("numbers from a thousand on have a {mark:?} before three digits"),
            );
        }
        let Numbers { decimal, thousands } = numbers;
        let form = TableForm {
            delimiter,
            header,
            comment: Some(comment),
            decimal,
            thousands,
            skip_lines,
            ..TableForm::default()
        };
        let width = if names.is_empty() { columns } else { names.len() };
        let column = |at: usize| {
            let cells = rows.iter().map(|row| row.get(at).cloned().unwrap_or_default()).collect();
            Field::new(names.get(at).cloned().unwrap_or_default(), cells, &form)
        };
        let mut fields: Vec<Field> = (0..width).map(column).collect();
        // A delimiter at the end of each line is no column.
        if fields.last().is_some_and(|last| last.name.is_empty() && last.kind == Kind::Empty) {
            fields.pop();
        }
        Some(Self { form, fields, reasons }).filter(|sampled| sampled.fields.len() >= 2)
    }
}

/// The mark of comment lines: another than `#` if the file begins with it and a blank.
fn comment(head: &[u8]) -> char {
    match head.trim_ascii_start() {
        [mark @ (b';' | b'%' | b'!'), b' ', ..] => char::from(*mark),
        _ => '#',
    }
}

/// How a table is cut.
struct Delimited {
    delimiter: char,
    word: &'static str,
    rows: Vec<Vec<String>>,
    /// Lines before the table, and how they are known.
    skip_lines: u32,
    why_skip: Option<&'static str>,
}

/// The delimiter under which most rows have the same number of fields, at least two; the rows with it.
fn delimited(sample: &Sample<'_>, comment: char) -> Option<Delimited> {
    let says_separator =
        sample.bytes().get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"sep=")).then_some(1);
    let mut best: Option<(u32, usize, Delimited)> = None;
    for (delimiter, word) in DELIMITERS.into_iter().filter(|(delimiter, _)| *delimiter != comment) {
        if delimiter == ' ' && best.as_ref().is_some_and(|(share, ..)| *share >= 80) {
            continue;
        }
        let skip_lines = says_separator.unwrap_or(0);
        let form = TableForm { delimiter, comment: Some(comment), skip_lines, ..TableForm::default() };
        let mut rows = lines(sample, &form, ROWS);
        let mut widths: Vec<usize> = rows.iter().map(|line| line.cells.len()).collect();
        widths.sort_unstable();
        let runs = widths.chunk_by(|a, b| a == b).map(|run| (run.len(), run.first().copied().unwrap_or(0)));
        let Some((count, width)) = runs.max().filter(|(_, width)| *width >= 2) else { continue };
        let titles = titles(&rows, width);
        let share = (count * 100 / (rows.len() - titles).max(1)).min(100) as u32;
        // Any sentence has blanks.
        if delimiter == ' ' && (share < 80 || width < 3 || rows.len() < 2) {
            continue;
        }
        if best.as_ref().is_none_or(|(known, columns, _)| (share, width) > (*known, *columns)) {
            let before = rows.drain(..titles).count();
            let first = rows.first().map_or(0, |line| line.number as u32 - 1);
            let (skip_lines, why_skip) = match (before, says_separator) {
                (0, None) => (0, None),
                (0, Some(lines)) => {
                    (lines, Some("the first line names the delimiter, as spreadsheets want it"))
                }
                (_, _) => (first, Some("the lines before have hardly a field filled")),
            };
            let rows = rows.into_iter().map(|line| line.cells).collect();
            best = Some((share, width, Delimited { delimiter, word, rows, skip_lines, why_skip }));
        }
    }
    best.filter(|(share, ..)| *share >= 50).map(|(_, _, delimited)| delimited)
}

/// How many rows before a table of this width are titles: they have one field filled, or two and another width.
fn titles(rows: &[Line], width: usize) -> usize {
    let filled = |line: &Line| line.cells.iter().filter(|cell| !cell.is_empty()).count();
    let is_title = |line: &Line| match line.cells.len() == width {
        true => width >= 3 && filled(line) <= 1,
        false => filled(line) <= 2,
    };
    let titles = rows.iter().take_while(|line| is_title(line)).count();
    if titles <= MOST_TITLES && titles < rows.len() { titles } else { 0 }
}

/// Whether the first row names the columns: it holds no value, and it has a name for most of them.
fn header(rows: &[Vec<String>]) -> HeaderRow {
    let Some((first, rest)) = rows.split_first() else { return HeaderRow::First };
    let commas = Numbers { decimal: DecimalMark::Comma, thousands: ThousandsMark::None };
    let points = Numbers { decimal: DecimalMark::Point, thousands: ThousandsMark::None };
    let is_number = |cell: &String| number(cell, commas).or_else(|| number(cell, points)).is_some();
    let is_value = |cell: &String| is_number(cell) || kind_of_time(cell).is_some();
    let is_named = first.iter().filter(|cell| !cell.is_empty()).count() * 2 > first.len();
    let is_repeated = rest.iter().take(20).filter(|row| row.first() == first.first()).count() > 1;
    if is_named && !is_repeated && !first.iter().any(|cell| !is_missing(cell) && is_value(cell)) {
        HeaderRow::First
    } else {
        HeaderRow::None
    }
}

/// The marks of decimals and of thousands, and what they are seen by. A comma or a point before exactly three digits may be
/// either: it is a mark of thousands in a column of whole numbers where just those from a thousand on have it.
fn marks(rows: &[Vec<String>]) -> (Numbers, Option<&'static str>) {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    let (mut has, mut grouped) = (Seen::default(), Seen::default());
    for column in 0..width {
        let (mut small, mut with) = (false, Seen::default());
        let mut own = Seen::default();
        for cell in rows.iter().filter_map(|row| row.get(column)) {
            match shape(cell) {
                Some(Shape::Whole(value)) => small |= value < 1000,
                Some(Shape::Decimal(mark)) => own.see(mark),
                Some(Shape::Grouped { mark, decimal }) => {
                    grouped.see(mark);
                    if let Some(mark) = decimal {
                        has.see(mark);
                    }
                }
                Some(Shape::Either(mark)) => with.see(mark),
                None => {}
            }
        }
        if small && !own.comma && !own.point {
            grouped.comma |= with.comma && !with.point;
            grouped.point |= with.point && !with.comma;
        }
        has.comma |= own.comma;
        has.point |= own.point;
    }
    let decimal_comma = !has.point && (has.comma || grouped.point);
    let decimal = if decimal_comma { DecimalMark::Comma } else { DecimalMark::Point };
    let thousands = match decimal {
        DecimalMark::Comma if grouped.point && !grouped.comma => ThousandsMark::Point,
        DecimalMark::Point if grouped.comma && !grouped.point => ThousandsMark::Comma,
        _ => ThousandsMark::None,
    };
    let why = match (decimal, has.comma) {
        (DecimalMark::Comma, true) => {
            Some("some numbers have a comma before other than three digits, none a point")
        }
        (DecimalMark::Comma, false) => Some("the point is a mark of thousands"),
        (DecimalMark::Point, _) => None,
    };
    (Numbers { decimal, thousands }, why)
}

/// Marks that were seen.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    comma: bool,
    point: bool,
}

impl Seen {
    fn see(&mut self, mark: char) {
        self.comma |= mark == ',';
        self.point |= mark == '.';
    }
}

/// What a number's marks say.
enum Shape {
    /// It has none.
    Whole(u64),
    /// This one is of decimals.
    Decimal(char),
    /// This one is of thousands, and the other of decimals if it is there.
    Grouped { mark: char, decimal: Option<char> },
    /// This one stands once, before three digits.
    Either(char),
}

fn shape(cell: &str) -> Option<Shape> {
    let text = cell.trim_start_matches(['-', '+']);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if is_digits(text) {
        return text.parse().ok().map(Shape::Whole);
    }
    let first = text.find([',', '.'])?;
    let mark = if text[first..].starts_with(',') { ',' } else { '.' };
    let other = if mark == ',' { '.' } else { ',' };
    let (whole, fraction) = match text.split_once(other) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let groups: Vec<&str> = whole.split(mark).collect();
    let is_grouped = groups.iter().all(|group| is_digits(group))
        && groups.first().is_some_and(|group| group.len() <= 3 && !group.starts_with('0'))
        && groups.iter().skip(1).all(|group| group.len() == 3);
    match (fraction, groups.len()) {
        (Some(fraction), _) if is_grouped && is_digits(fraction) => {
            Some(Shape::Grouped { mark, decimal: Some(other) })
        }
        (None, 3..) if is_grouped => Some(Shape::Grouped { mark, decimal: None }),
        (None, 2) if is_grouped => Some(Shape::Either(mark)),
        (None, 2) if groups.iter().all(|group| is_digits(group)) => Some(Shape::Decimal(mark)),
        _ => None,
    }
}

fn is_missing(cell: &str) -> bool {
    super::super::MISSING.contains(&cell)
}

/// A cell as a number, to weigh what a column may be.
fn number(cell: &str, marks: Numbers) -> Option<f64> {
    let is_plain = cell.starts_with(|c: char| c.is_ascii_digit() || "+-.,".contains(c));
    let text = marks.plain(cell.as_bytes()).ok()?;
    let value: f64 = std::str::from_utf8(&text).ok()?.parse().ok()?;
    (is_plain && value.is_finite()).then_some(value)
}

/// Whether day or month stands first in dates that exist either way: as they hardly ever go back in time, and else as they lie
/// close together; else points are European and slashes American. Whether nobody can tell.
fn order_of_days(cells: &[String]) -> (TimeUnit, bool) {
    let times = |unit| -> Vec<i64> {
        let notes = Notes::default();
        cells.iter().filter_map(|cell| quantity::moment(cell.as_bytes(), unit, &notes).ok()).collect()
    };
    let falls = |times: &[i64]| times.windows(2).filter(|pair| pair[1] < pair[0]).count();
    let length =
        |times: &[i64]| times.iter().max().zip(times.iter().min()).map_or(0, |(last, first)| last - first);
    let (day_first, month_first) = (times(TimeUnit::DateDmy), times(TimeUnit::DateMdy));
    // One order makes a length several times the other's only where it tears days apart.
    let is_shorter = |a: &[i64], b: &[i64]| length(a) < length(b) / 4;
    match falls(&day_first).cmp(&falls(&month_first)) {
        Ordering::Equal if is_shorter(&day_first, &month_first) => (TimeUnit::DateDmy, true),
        Ordering::Equal if is_shorter(&month_first, &day_first) => (TimeUnit::DateMdy, true),
        Ordering::Less => (TimeUnit::DateDmy, false),
        Ordering::Greater => (TimeUnit::DateMdy, false),
        Ordering::Equal if cells.iter().any(|cell| cell.contains('/')) => (TimeUnit::DateMdy, true),
        Ordering::Equal => (TimeUnit::DateDmy, true),
    }
}

/// The first way in which a cell is a time that is no plain number.
fn kind_of_time(cell: &str) -> Option<Kind> {
    const WAYS: [(TimeUnit, Kind); 4] = [
        (TimeUnit::Clock, Kind::Clock),
        (TimeUnit::Date, Kind::Date(TimeUnit::Date)),
        (TimeUnit::DateDmy, Kind::Date(TimeUnit::DateDmy)),
        (TimeUnit::DateMdy, Kind::Date(TimeUnit::DateMdy)),
    ];
    WAYS.into_iter().find(|(unit, _)| is_time(cell, *unit)).map(|(_, kind)| kind)
}

fn is_time(cell: &str, unit: TimeUnit) -> bool {
    let has_digit = cell.bytes().any(|b| b.is_ascii_digit());
    has_digit && quantity::moment(cell.as_bytes(), unit, &Notes::default()).is_ok()
}

impl Field {
    fn new(name: String, cells: Vec<String>, form: &TableForm) -> Self {
        let filled = || cells.iter().filter(|cell| !is_missing(cell));
        let marks = Numbers::of(form);
        let numbers: Vec<Option<f64>> =
            cells.iter().map(|cell| number(cell, marks).filter(|_| !is_missing(cell))).collect();
        let count = filled().count();
        // Nine of ten: a few cells may say "no value" in words that are not known.
        let is_mostly = |fitting: usize| count > 0 && fitting * 10 >= count * 9;
        let is_all = |unit| is_mostly(filled().filter(|cell| is_time(cell, unit)).count());
        let mut is_either_order = false;
        let kind = if count == 0 {
            Kind::Empty
        } else if is_mostly(numbers.iter().flatten().count()) {
            Kind::Number
        } else if is_all(TimeUnit::Clock) {
            Kind::Clock
        } else if is_all(TimeUnit::Date) {
            Kind::Date(TimeUnit::Date)
        } else {
            match (is_all(TimeUnit::DateDmy), is_all(TimeUnit::DateMdy)) {
                (true, true) => {
                    let (order, is_either) = order_of_days(&cells);
                    is_either_order = is_either;
                    Kind::Date(order)
                }
                (true, false) => Kind::Date(TimeUnit::DateDmy),
                (false, true) => Kind::Date(TimeUnit::DateMdy),
                (false, false) => Kind::Text,
            }
        };
        let bounds =
            |pick: fn(f64, f64) -> f64| numbers.iter().flatten().copied().reduce(pick).unwrap_or(0.0);
        let (least, most) = (bounds(f64::min), bounds(f64::max));
        let example: String = filled().next().map(|cell| cell.chars().take(32).collect()).unwrap_or_default();
        Self { words: words(&name), name, kind, is_either_order, example, least, most, numbers, cells }
    }

    /// What it is called in a sentence.
    pub(super) fn title(&self, at: usize) -> String {
        if self.name.is_empty() { format!("column {}", at + 1) } else { format!("column {:?}", self.name) }
    }

    /// What it holds, in words.
    pub(super) fn what(&self) -> String {
        let what = match self.kind {
            Kind::Empty => return "no values".to_owned(),
            Kind::Number => "numbers",
            Kind::Date(_) => "dates",
            Kind::Clock => "times of day or spans",
            Kind::Text => "texts",
        };
        format!("{what}, as {}", self.example)
    }

    /// The column in a mapping: by name where the name is there once.
    pub(super) fn reference(&self, at: usize, header: HeaderRow, all: &[Self]) -> ColumnRef {
        let is_unique = all.iter().filter(|field| field.name.eq_ignore_ascii_case(&self.name)).count() == 1
            && !self.name.is_empty();
        if header == HeaderRow::First && is_unique {
            ColumnRef::Name(self.name.clone())
        } else {
            ColumnRef::Number(at as u32 + 1)
        }
    }

    /// The unit that the name ends with, or is, and the word.
    pub(super) fn stated_unit(&self) -> Option<(TimeUnit, &str)> {
        let last = self.words.last().filter(|word| self.words.len() > 1 || word.len() > 3)?;
        unit_word(last).map(|unit| (unit, last.as_str()))
    }

    /// The unit of a column of clock values, and how it is known.
    pub(super) fn unit_of_clock(&self) -> (TimeUnit, String) {
        let parts = |cell: &String| cell.split(':').count();
        let is_pair = self.filled().all(|cell| parts(cell) == 2);
        let says_hours = self.words.last().is_some_and(|word| word == "hhmm")
            || self.words.ends_with(&["hh".into(), "mm".into()]);
        match (is_pair, says_hours) {
            (true, true) => (TimeUnit::ClockHm, "hours and minutes by its name".into()),
            (true, false) => {
                let text = format!(
                    "{} is taken as minutes and seconds; if it is hours and minutes, choose that",
                    self.example
                );
                (TimeUnit::Clock, text)
            }
            (false, _) => (TimeUnit::Clock, "hours, minutes and seconds by its values".into()),
        }
    }

    /// Whether its numbers are of the size of moments since 1970, in seconds or finer.
    pub(super) fn is_epoch(&self) -> bool {
        let is_finer = matches!(self.stated_unit(), Some((TimeUnit::Ns | TimeUnit::Us | TimeUnit::Ms, _)));
        self.kind == Kind::Number && self.least >= if is_finer { 1e18 } else { 1e9 }
    }

    /// Whether its dates have no time of day.
    pub(super) fn is_days(&self) -> bool {
        self.kind.is_date() && !self.filled().any(|cell| cell.contains(':'))
    }

    /// Whether its numbers may be days as spreadsheets count them, of the years 1990 to 2064.
    pub(super) fn is_serial(&self) -> bool {
        let has_fractions = self.numbers.iter().flatten().any(|day| day.fract() != 0.0);
        self.kind == Kind::Number && has_fractions && self.least >= 32_874.0 && self.most < 60_264.0
    }

    /// Points in time in seconds, row by row.
    pub(super) fn seconds(&self) -> impl Iterator<Item = Option<f64>> {
        let unit = match self.kind {
            Kind::Date(unit) => unit,
            _ => self.stated_unit().map_or_else(|| super::by_size(self.most).0, |(unit, _)| unit),
        };
        let notes = Notes::default();
        self.cells.iter().map(move |cell| {
            let micros =
                quantity::moment(cell.as_bytes(), unit, &notes).ok().filter(|_| !is_missing(cell))?;
            Some(micros as f64 / 1e6)
        })
    }

    fn filled(&self) -> impl Iterator<Item = &String> {
        self.cells.iter().filter(|cell| !is_missing(cell))
    }

    /// Whether some rows have no value.
    pub(super) fn has_gaps(&self) -> bool {
        self.cells.iter().any(|cell| is_missing(cell))
    }

    /// Whether no value is there twice.
    pub(super) fn is_unique(&self) -> bool {
        let distinct: BTreeSet<&String> = self.filled().collect();
        !self.has_gaps() && distinct.len() >= 2 && distinct.len() == self.cells.len()
    }

    /// Whether its words are how jobs end.
    pub(super) fn is_states(&self) -> bool {
        let known = self
            .filled()
            .filter(|cell| outcome(cell.split(' ').next().unwrap_or_default()).is_some())
            .count();
        known > 0 && known * 10 >= self.filled().count() * 8
    }

    /// Whether its numbers hardly ever fall and are no mere count of rows.
    pub(super) fn is_rising(&self) -> bool {
        let values: Vec<f64> = match self.kind {
            Kind::Clock => self.seconds().flatten().collect(),
            _ => self.numbers.iter().flatten().copied().collect(),
        };
        let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let rising = steps.iter().filter(|step| **step >= 0.0).count();
        let is_counter = steps.iter().all(|step| (*step - 1.0).abs() < f64::EPSILON);
        steps.len() >= 2 && rising * 10 >= steps.len() * 9 && self.most > self.least && !is_counter
    }

    /// Whether its numbers may be numbers of GPUs.
    pub(super) fn is_device_counts(&self) -> bool {
        let usual = |value: &f64| {
            *value <= 1.0
                || (value.fract() == 0.0 && (*value as u64).is_power_of_two())
                || *value % 8.0 == 0.0
        };
        let values: Vec<f64> = self.numbers.iter().flatten().copied().collect();
        let fitting = values.iter().filter(|value| usual(value)).count();
        self.most <= 4096.0 && self.most > 0.0 && fitting * 10 >= values.len() * 8 && !self.is_rising_by_one()
    }

    /// Whether its numbers name things: whole, none twice, and close together.
    fn is_numbering(&self) -> bool {
        let values: Vec<f64> = self.numbers.iter().flatten().copied().collect();
        let range = self.most - self.least;
        self.is_unique()
            && values.iter().all(|value| value.fract() == 0.0)
            && range < 5.0 * values.len() as f64
    }

    fn is_rising_by_one(&self) -> bool {
        let values: Vec<f64> = self.numbers.iter().flatten().copied().collect();
        values.len() > 2 && values.windows(2).all(|pair| (pair[1] - pair[0] - 1.0).abs() < f64::EPSILON)
    }

    /// Whether its values may be run times.
    pub(super) fn is_lengths(&self) -> bool {
        /// Further words in the names of numbers that are no run times, beside those that no run time is called by.
        const OTHERS: [&str; 36] = [
            "id",
            "ids",
            "job",
            "index",
            "no",
            "nr",
            "number",
            "total",
            "cpus",
            "core",
            "cores",
            "gpus",
            "mem",
            "memory",
            "ram",
            "vram",
            "priority",
            "prio",
            "cost",
            "price",
            "util",
            "utilization",
            "usage",
            "used",
            "power",
            "energy",
            "exit",
            "code",
            "port",
            "epoch",
            "epochs",
            "step",
            "steps",
            "loss",
            "node",
            "nodes",
        ];
        let is_time_of_day = self.words == ["time"];
        let is_named_otherwise =
            is_time_of_day || self.words.iter().any(|word| OTHERS.contains(&word.as_str()));
        let is_number = self.most > 60.0 && !self.is_epoch() && !self.is_rising() && !self.is_numbering();
        !is_named_otherwise && (self.kind == Kind::Clock || is_number)
    }

    /// Whether its numbers look like hundredths of a GPU.
    pub(super) fn is_hundredths(&self) -> bool {
        let mut values = self.numbers.iter().flatten().filter(|value| **value > 0.0).peekable();
        let has_values = values.peek().is_some();
        let has_shares = self
            .numbers
            .iter()
            .flatten()
            .any(|value| *value >= 5.0 && *value < 100.0 && *value % 16.0 != 0.0);
        has_values && has_shares && self.most >= 100.0 && values.all(|value| value % 5.0 == 0.0)
    }
}

/// The words of a name in lower case: it is cut at what is no letter or digit, and where a small letter meets a capital;
/// `%` is the word `percent`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_alphanumeric() {
            let begins = !before.is_alphanumeric() || (before.is_lowercase() && c.is_uppercase());
            match words.last_mut().filter(|_| !begins) {
                Some(word) => word.extend(c.to_lowercase()),
                None => words.push(c.to_lowercase().collect()),
            }
        } else if c == '%' {
            words.push("percent".to_owned());
        }
        before = c;
    }
    words
}

/// The unit that a word of a name stands for.
fn unit_word(word: &str) -> Option<TimeUnit> {
    Some(match word {
        "ns" | "nanos" | "nanoseconds" => TimeUnit::Ns,
        "us" | "usec" | "usecs" | "micros" | "microseconds" | "µs" | "μs" => TimeUnit::Us,
        "ms" | "msec" | "msecs" | "millis" | "milliseconds" => TimeUnit::Ms,
        "s" | "sec" | "secs" | "second" | "seconds" => TimeUnit::S,
        "min" | "mins" | "minute" | "minutes" => TimeUnit::Min,
        "h" | "hr" | "hrs" | "hour" | "hours" => TimeUnit::H,
        "d" | "day" | "days" => TimeUnit::D,
        _ => return None,
    })
}

/// The words of a name without what says in which unit or zone it is.
pub(super) fn without_unit(words: &[String]) -> &[String] {
    let is_unit = |word: &String| {
        unit_word(word).is_some()
            || matches!(word.as_str(), "utc" | "local" | "epoch" | "unix" | "gb" | "gib" | "mb" | "mib")
    };
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() && is_unit(last) => without_unit(rest),
        _ => words,
    }
}
