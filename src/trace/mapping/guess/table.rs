//! The first rows of a table, and what its columns hold.

use std::collections::BTreeSet;

use super::Reason;
use crate::trace::mapping::columns::{ColumnRef, TimeUnit};
use crate::trace::mapping::{DecimalMark, HeaderRow, TableForm, quantity, reader};
use crate::trace::outcome::outcome;
use crate::trace::rows::Rows;
use crate::trace::sample::Sample;
use crate::trace::value::{self, Notes};

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

/// The first rows under a form, as text without blanks around fields.
fn rows(sample: &Sample<'_>, form: &TableForm, most: usize) -> Vec<Vec<String>> {
    let mut rows = Rows::new(reader::layout(form).dialect);
    let mut found: Vec<Vec<String>> = Vec::new();
    // A row that cannot be cut ends what is looked at; reading will say why.
    let _ = rows.push(whole_lines(sample.bytes()), |cells| {
        if found.len() < most {
            found.push(
                cells.iter().map(|cell| String::from_utf8_lossy(value::trim(cell)).into_owned()).collect(),
            );
        }
        Ok(())
    });
    let _ = rows.end(|cells| {
        if found.len() < most {
            found.push(
                cells.iter().map(|cell| String::from_utf8_lossy(value::trim(cell)).into_owned()).collect(),
            );
        }
        Ok(())
    });
    found
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
        let (delimiter, word, mut rows) = delimited(sample, comment)?;
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
        let decimal = decimal(&rows);
        if decimal == DecimalMark::Comma {
            because(
                "table.decimal",
                "some numbers have a comma before other than three digits, none a point".to_owned(),
            );
        }
        let form = TableForm { delimiter, header, comment: Some(comment), decimal, ..TableForm::default() };
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

/// A delimiter, the word for it, and the rows under it.
type Delimited = (char, &'static str, Vec<Vec<String>>);

/// The delimiter under which most rows have the same number of fields, at least two; the rows with it.
fn delimited(sample: &Sample<'_>, comment: char) -> Option<Delimited> {
    let mut best: Option<(u32, usize, Delimited)> = None;
    for (delimiter, word) in DELIMITERS.into_iter().filter(|(delimiter, _)| *delimiter != comment) {
        if delimiter == ' ' && best.as_ref().is_some_and(|(share, ..)| *share >= 80) {
            continue;
        }
        let form = TableForm { delimiter, comment: Some(comment), ..TableForm::default() };
        let rows = rows(sample, &form, ROWS);
        let mut widths: Vec<usize> = rows.iter().map(Vec::len).collect();
        widths.sort_unstable();
        let runs = widths.chunk_by(|a, b| a == b).map(|run| (run.len(), run.first().copied().unwrap_or(0)));
        let Some((count, width)) = runs.max().filter(|(_, width)| *width >= 2) else { continue };
        let share = (count * 100 / rows.len().max(1)) as u32;
        // Any sentence has blanks.
        if delimiter == ' ' && (share < 80 || width < 3 || rows.len() < 2) {
            continue;
        }
        if best.as_ref().is_none_or(|(known, columns, _)| (share, width) > (*known, *columns)) {
            best = Some((share, width, (delimiter, word, rows)));
        }
    }
    best.filter(|(share, ..)| *share >= 50).map(|(_, _, delimited)| delimited)
}

/// Whether the first row names the columns: it holds no value, and it has a name for most of them.
fn header(rows: &[Vec<String>]) -> HeaderRow {
    let Some((first, rest)) = rows.split_first() else { return HeaderRow::First };
    let is_value = |cell: &String| number(cell, DecimalMark::Comma).is_some() || kind_of_time(cell).is_some();
    let is_named = first.iter().filter(|cell| !cell.is_empty()).count() * 2 > first.len();
    let is_repeated = rest.iter().take(20).filter(|row| row.first() == first.first()).count() > 1;
    if is_named && !is_repeated && !first.iter().any(|cell| !is_missing(cell) && is_value(cell)) {
        HeaderRow::First
    } else {
        HeaderRow::None
    }
}

/// A decimal comma if some numbers have one that cannot be a mark of thousands, and none has a point.
fn decimal(rows: &[Vec<String>]) -> DecimalMark {
    let cells = || rows.iter().flatten();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let split = |cell: &&String, mark: char| {
        cell.split_once(mark)
            .filter(|(whole, part)| digits(whole.trim_start_matches('-')) && digits(part))
            .map(|(_, part)| part.len())
    };
    let has_comma = cells().filter_map(|cell| split(&cell, ',')).any(|places| places != 3);
    let has_point = cells().filter_map(|cell| split(&cell, '.')).any(|_| true);
    if has_comma && !has_point { DecimalMark::Comma } else { DecimalMark::Point }
}

fn is_missing(cell: &str) -> bool {
    super::super::MISSING.contains(&cell)
}

/// A cell as a number, to weigh what a column may be.
fn number(cell: &str, decimal: DecimalMark) -> Option<f64> {
    let is_plain = cell.bytes().all(|b| b.is_ascii_digit() || b"+-.,eE".contains(&b));
    let text = match decimal {
        DecimalMark::Comma => cell.replacen(',', ".", 1),
        DecimalMark::Point => cell.to_owned(),
    };
    text.parse::<f64>().ok().filter(|value| is_plain && value.is_finite())
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
        let numbers: Vec<Option<f64>> =
            cells.iter().map(|cell| number(cell, form.decimal).filter(|_| !is_missing(cell))).collect();
        let count = filled().count();
        // Nine of ten: a few cells may say "no value" in words that are not known.
        let is_mostly = |fitting: usize| count > 0 && fitting * 10 >= count * 9;
        let is_all = |unit| is_mostly(filled().filter(|cell| is_time(cell, unit)).count());
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
                // Either may be meant: points are European, slashes American.
                (true, true) if filled().any(|cell| cell.contains('/')) => Kind::Date(TimeUnit::DateMdy),
                (true, _) => Kind::Date(TimeUnit::DateDmy),
                (false, true) => Kind::Date(TimeUnit::DateMdy),
                (false, false) => Kind::Text,
            }
        };
        let bounds =
            |pick: fn(f64, f64) -> f64| numbers.iter().flatten().copied().reduce(pick).unwrap_or(0.0);
        let (least, most) = (bounds(f64::min), bounds(f64::max));
        let example: String = filled().next().map(|cell| cell.chars().take(32).collect()).unwrap_or_default();
        Self { words: words(&name), name, kind, example, least, most, numbers, cells }
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

    /// The unit that the name ends with, and the word.
    pub(super) fn stated_unit(&self) -> Option<(TimeUnit, &str)> {
        let last = self.words.last().filter(|_| self.words.len() > 1)?;
        unit_word(last).map(|unit| (unit, last.as_str()))
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
        let values: Vec<f64> = self.numbers.iter().flatten().copied().collect();
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

    fn is_rising_by_one(&self) -> bool {
        let values: Vec<f64> = self.numbers.iter().flatten().copied().collect();
        values.len() > 2 && values.windows(2).all(|pair| (pair[1] - pair[0] - 1.0).abs() < f64::EPSILON)
    }

    /// Whether its values may be run times.
    pub(super) fn is_lengths(&self) -> bool {
        self.kind == Kind::Clock || (self.most > 60.0 && !self.is_rising())
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
