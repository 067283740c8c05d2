//! Reads the rows of a table by a mapping.

use std::borrow::Cow;

use super::columns::{ColumnRef, Gap, GpuColumn, MemoryUnit, NoGpus, Per, TimeColumn, TimeUnit};
use super::numbers::Numbers;
use super::preview::Understood;
use super::{HeaderRow, Mapping, QuoteMark, TableForm, quantity};
use crate::trace::format::{Layout, RowReader, Uneven};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::outcome;
use crate::trace::refusal::Refusal;
use crate::trace::rows::{Comments, Dialect, Header, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, MAX_TIME_S, Notes};
use crate::units::{MICROS_PER_S, MilliGpus, SimSpan};

/// The layout of a table that is read by a mapping.
pub(in crate::trace) fn layout(table: &TableForm) -> Layout {
    let byte = |mark: char| u8::try_from(mark).unwrap_or(b',');
    let dialect = Dialect {
        second: None,
        delimiter: byte(table.delimiter),
        quotes: match table.quotes {
            QuoteMark::Double => Quotes::Double,
            QuoteMark::None => Quotes::None,
        },
        comments: match table.comment {
            Some('#') => Comments::Hash,
            Some(mark) => Comments::Mark(byte(mark)),
            None => Comments::None,
        },
        skip: table.skip_lines,
    };
    Layout { dialect, columns: None, uneven: Uneven::Reject }
}

/// The columns of a table without a header, as many as its first row has: `column 1`, `column 2`, …
pub(super) fn numbered(width: usize) -> Header {
    let names: Vec<String> = (1..=width).map(|number| format!("column {number}")).collect();
    Header::new(names.iter().map(String::as_bytes))
}

/// The columns a table has before its first row is read; `None` if they are named in it.
pub(in crate::trace) fn header(mapping: &Mapping, sample: &Sample<'_>) -> Option<Header> {
    let last = mapping.columns.roles().into_iter().map(|(_, column)| match column {
        ColumnRef::Number(number) => *number as usize,
        ColumnRef::Name(_) => 0,
    });
    let least = last.max().unwrap_or(0);
    (mapping.table.header == HeaderRow::None)
        .then(|| numbered(super::guess::width(sample, &mapping.table, least)))
}

/// Whether a table has every column that a mapping names.
pub(in crate::trace) fn fits(mapping: &Mapping, sample: &Sample<'_>) -> bool {
    let roles = mapping.columns.roles();
    mapping.table.header == HeaderRow::First
        && !roles.is_empty()
        && roles.iter().all(|(_, column)| position(sample.header(), column).is_some())
}

/// Makes a reader for a table with these columns.
///
/// # Errors
/// [`Refusal::MissingColumns`] when the table has not all columns of the mapping, [`Refusal::BadMapping`] when the mapping is
/// none.
pub(in crate::trace) fn open(mapping: &Mapping, header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader::new(mapping, header)?))
}

/// Where a column is, and how its values are written.
type Timed = (usize, TimeUnit);

/// When jobs are submitted.
#[derive(Debug, Clone, Copy)]
enum Arrivals {
    At(Timed),
    Gaps(Timed, Gap),
}

/// Reads rows by a mapping.
#[derive(Debug)]
pub(super) struct Reader {
    numbers: Numbers,
    missing: Vec<Vec<u8>>,
    arrivals: Arrivals,
    gpus: (usize, GpuColumn),
    id: Option<usize>,
    tenant: Option<usize>,
    user: Option<usize>,
    start: Option<Timed>,
    end: Option<Timed>,
    duration: Option<Timed>,
    limit: Option<Timed>,
    nodes: Option<usize>,
    workers: Option<usize>,
    gpu_type: Option<usize>,
    model: Option<usize>,
    state: Option<usize>,
    memory: Option<(usize, MemoryUnit)>,
    /// The sum of the gaps so far.
    clock: i64,
    missing_gaps: u64,
    disagreeing: u64,
    unknown_states: u64,
    without_gpus: u64,
}

impl Reader {
    pub(super) fn new(mapping: &Mapping, header: &Header) -> Result<Self, Refusal> {
        mapping.check().map_err(|error| Refusal::BadMapping { why: error.to_string() })?;
        let columns = &mapping.columns;
        let missing: Vec<String> = columns
            .roles()
            .into_iter()
            .filter(|(_, column)| position(header, column).is_none())
            .map(|(role, column)| format!("{column} (columns.{role})"))
            .collect();
        if !missing.is_empty() {
            let number = if missing.len() == 1 { "column" } else { "columns" };
            return Err(Refusal::MissingColumns {
                format: "generic-csv".into(),
                missing: format!("the {number} {}", missing.join(", ")),
                found: header.list(),
                advice: "Change the mapping: name columns as the table does, or give their numbers.".into(),
            });
        }
        let at = |column: &Option<ColumnRef>| column.as_ref().and_then(|column| position(header, column));
        let timed = |of: &Option<TimeColumn>| {
            of.as_ref().and_then(|of| Some((position(header, &of.column)?, of.unit)))
        };
        let gaps = columns
            .interval
            .as_ref()
            .and_then(|of| Some(Arrivals::Gaps((position(header, &of.column)?, of.unit), of.to)));
        let gpus = columns.gpus.as_ref().and_then(|of| Some((position(header, &of.column)?, of.clone())));
        // Both are there: the mapping was checked and its columns were found.
        let (Some(arrivals), Some(gpus)) = (timed(&columns.submit).map(Arrivals::At).or(gaps), gpus) else {
            return Err(Refusal::BadMapping { why: "columns: found neither submit nor gpus".into() });
        };
        Ok(Self {
            numbers: Numbers::of(&mapping.table),
            missing: mapping.table.missing.iter().map(|word| word.clone().into_bytes()).collect(),
            arrivals,
            gpus,
            id: at(&columns.id),
            tenant: at(&columns.tenant),
            user: at(&columns.user),
            start: timed(&columns.start),
            end: timed(&columns.end),
            duration: timed(&columns.duration),
            limit: timed(&columns.limit),
            nodes: at(&columns.nodes),
            workers: at(&columns.workers),
            gpu_type: at(&columns.gpu_type),
            model: at(&columns.model),
            state: at(&columns.state),
            memory: columns.memory.as_ref().and_then(|of| Some((position(header, &of.column)?, of.unit))),
            clock: 0,
            missing_gaps: 0,
            disagreeing: 0,
            unknown_states: 0,
            without_gpus: 0,
        })
    }

    /// The cell of a column, unless it says "no value".
    fn cell<'r>(&self, row: &Row<'r>, column: usize) -> Option<&'r [u8]> {
        let text = row.get(column);
        (!self.missing.iter().any(|word| word == text)).then_some(text)
    }

    fn text<'r>(&self, row: &Row<'r>, column: Option<usize>) -> Cow<'r, str> {
        match column.filter(|&column| self.cell(row, column).is_some()) {
            Some(column) => row.text(Some(column)),
            None => Cow::Borrowed(""),
        }
    }

    /// What a cell says, read by `read` with a decimal point; `None` for no value.
    fn read<T>(
        &self,
        row: &Row<'_>,
        column: usize,
        read: impl FnOnce(&[u8]) -> Result<T, Bad>,
    ) -> Result<Option<T>, Fault> {
        let Some(text) = self.cell(row, column) else { return Ok(None) };
        let value = self.numbers.plain(text).and_then(|text| read(&text));
        value.map(Some).map_err(|bad| row.fault(column, bad))
    }

    fn moment(&self, row: &Row<'_>, (column, unit): Timed) -> Result<Option<i64>, Fault> {
        if unit.is_date() && unit != TimeUnit::Serial {
            let Some(text) = self.cell(row, column) else { return Ok(None) };
            let moment = quantity::moment(text, unit, row.notes());
            return moment.map(Some).map_err(|bad| row.fault(column, bad));
        }
        self.read(row, column, |text| quantity::moment(text, unit, row.notes()))
    }

    fn maybe_moment(&self, row: &Row<'_>, of: Option<Timed>) -> Result<Option<i64>, Fault> {
        of.map_or(Ok(None), |of| self.moment(row, of))
    }

    fn span(&self, row: &Row<'_>, of: Option<Timed>) -> Result<Option<SimSpan>, Fault> {
        let Some((column, unit)) = of else { return Ok(None) };
        self.read(row, column, |text| quantity::span(text, unit))
    }

    /// When the job of a row is submitted. Gaps add up, whatever else is wrong with the row.
    fn arrival(&mut self, row: &Row<'_>) -> Result<i64, Fault> {
        match self.arrivals {
            Arrivals::At(of) => self.moment(row, of)?.ok_or_else(|| {
                row.fault(
                    of.0,
                    Bad { expected: "the time of submission", hint: "the cell says that there is none" },
                )
            }),
            Arrivals::Gaps(of, to) => {
                let gap = self.span(row, Some(of))?;
                self.missing_gaps += u64::from(gap.is_none());
                let before = self.clock;
                let after = before + gap.unwrap_or_default().0;
                if after > MAX_TIME_S * MICROS_PER_S {
                    let expected = "gaps that add up to less than 285 years";
                    return Err(row.fault(of.0, Bad { expected, hint: "the unit is probably a smaller one" }));
                }
                self.clock = after;
                Ok(match to {
                    Gap::Previous => after,
                    Gap::Next => before,
                })
            }
        }
    }

    fn count(&self, row: &Row<'_>, column: Option<usize>) -> Result<Option<u32>, Fault> {
        column.map_or(Ok(None), |column| self.read(row, column, value::workers))
    }

    /// GPUs of the whole job, if the row states them, and its workers where they are stated.
    fn gpus_of(&self, row: &Row<'_>) -> Result<(Option<MilliGpus>, Option<u32>), Fault> {
        let (column, GpuColumn { unit, per, missing, .. }) = &self.gpus;
        let (column, unit, per) = (*column, *unit, *per);
        let Some(text) = self.cell(row, column) else {
            if *missing == NoGpus::Zero {
                return Ok((None, None));
            }
            let hint = "if that means none, set columns.gpus.missing to zero";
            return Err(row.fault(column, Bad { expected: "a number of GPUs", hint }));
        };
        let is_none = text.iter().all(|b| matches!(b, b'0' | b'.' | b','));
        let by = match per {
            Per::Job => self.workers,
            Per::Node => self.nodes,
            Per::Worker => self.workers,
        };
        // A job without GPUs may have no nodes or workers either.
        let counted = if is_none { Ok(None) } else { self.count(row, by) }?;
        let each = match (per, counted) {
            (Per::Job, _) => 1,
            (_, Some(count)) => count,
            (_, None) if is_none => 1,
            (_, None) => {
                let bad =
                    Bad { expected: "how many have that number of GPUs each", hint: "the cell says nothing" };
                return Err(row.fault(by.unwrap_or(column), bad));
            }
        };
        let milli = self.read(row, column, |text| quantity::milli_gpus(text, unit, each))?;
        Ok((milli.map(MilliGpus), counted))
    }

    /// What each column with a role says in a row, by the key of the role and the column's position.
    pub(super) fn understood(&self, row: &Row<'_>) -> Vec<(String, usize, Understood)> {
        let mut all = Vec::new();
        let mut tell = |role: &str, column: usize, value: Result<Option<Understood>, Fault>| {
            let understood = match value {
                Ok(value) => value.unwrap_or(Understood::Missing),
                Err(fault) => Understood::Bad { expected: fault.expected, hint: fault.hint },
            };
            all.push((role.to_owned(), column, understood));
        };
        let text =
            |column| self.cell(row, column).map(|_| Understood::Text(row.text(Some(column)).into_owned()));
        let moment =
            |of| Ok(self.moment(row, of)?.map(|at| Understood::Moment(at as f64 / MICROS_PER_S as f64)));
        let span = |of| Ok(self.span(row, Some(of))?.map(|span| Understood::Span(span.as_secs())));
        let count = |column| Ok(self.count(row, Some(column))?.map(Understood::Count));
        match self.arrivals {
            Arrivals::At(of) => tell("submit", of.0, moment(of)),
            Arrivals::Gaps(of, _) => tell("interval", of.0, span(of)),
        }
        let (column, _) = self.gpus;
        let gpus = self.gpus_of(row).map(|(gpus, _)| gpus.map(|gpus| Understood::Gpus(gpus.as_gpus())));
        tell("gpus", column, gpus);
        for (role, of) in [("start", self.start), ("end", self.end)] {
            if let Some(of) = of {
                tell(role, of.0, moment(of));
            }
        }
        for (role, of) in [("duration", self.duration), ("limit", self.limit)] {
            if let Some(of) = of {
                tell(role, of.0, span(of));
            }
        }
        for (role, column) in [("nodes", self.nodes), ("workers", self.workers)] {
            if let Some(column) = column {
                tell(role, column, count(column));
            }
        }
        let texts = [
            ("id", self.id),
            ("tenant", self.tenant),
            ("user", self.user),
            ("gpu_type", self.gpu_type),
            ("model", self.model),
        ];
        for (role, column) in texts {
            if let Some(column) = column {
                tell(role, column, Ok(text(column)));
            }
        }
        if let Some(column) = self.state {
            let state = self.text(row, Some(column));
            let known = outcome(first_word(&state)).map(Understood::Outcome);
            tell("state", column, Ok(known.or_else(|| text(column))));
        }
        if let Some((column, _)) = self.memory {
            let memory =
                self.memory(row).map(|mb| (mb > 0).then(|| Understood::Memory(f64::from(mb) / 1000.0)));
            tell("memory", column, memory);
        }
        all
    }

    fn memory(&self, row: &Row<'_>) -> Result<u32, Fault> {
        let Some((column, unit)) = self.memory else { return Ok(0) };
        Ok(self.read(row, column, |text| quantity::memory_mb(text, unit))?.unwrap_or(0))
    }
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let submit = self.arrival(row)?;
        let (gpus, workers) = self.gpus_of(row)?;
        self.without_gpus += u64::from(gpus.is_none());
        let start = self.maybe_moment(row, self.start)?;
        let end = self.maybe_moment(row, self.end)?;
        let stated = self.span(row, self.duration)?;
        let run = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        let draft = Draft {
            id: self.text(row, self.id),
            tenant: self.text(row, self.tenant),
            user: self.text(row, self.user),
            gpu_type: self.text(row, self.gpu_type),
            model: self.text(row, self.model),
            state: self.text(row, self.state),
            submit,
            gpus: gpus.unwrap_or(MilliGpus(0)),
            workers,
            duration: run.or(stated),
            start,
            end,
            memory_mb: self.memory(row)?,
            limit: self.span(row, self.limit)?,
            ..Draft::default()
        };
        let ended = outcome(first_word(&draft.state));
        self.unknown_states += u64::from(ended.is_none() && !draft.state.is_empty());
        self.disagreeing += u64::from(run.zip(stated).is_some_and(|(run, stated)| differ(run, stated)));
        Ok(Verdict::Job(Draft { outcome: ended.unwrap_or_default(), ..draft }))
    }

    fn close(&mut self) -> Closing {
        // The gap before the first job, or after the last, leads nowhere.
        let missing_gaps = self.missing_gaps.saturating_sub(1);
        let notices = vec![
            Notice::new(
                "missing-intervals",
                missing_gaps,
                "jobs have no interval and count as submitted at once",
            ),
            Notice::new(
                "duration-differs",
                self.disagreeing,
                "jobs have a duration other than end − start; end − start is used",
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
            Notice::new(
                "missing-gpus",
                self.without_gpus,
                "jobs state no number of GPUs and count as jobs without",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}

/// Whether two run times differ by more than rounding to whole seconds can make them.
fn differ(run: SimSpan, stated: SimSpan) -> bool {
    (run.0 - stated.0).abs() > MICROS_PER_S
}

/// The first word of a state: Slurm appends who cancelled a job.
fn first_word(state: &str) -> &str {
    state.split(' ').next().unwrap_or_default()
}

/// Where a column is under a header.
pub(super) fn position(header: &Header, column: &ColumnRef) -> Option<usize> {
    match column {
        ColumnRef::Name(name) => header.find(name.trim()),
        ColumnRef::Number(number) => (*number as usize).checked_sub(1).filter(|&at| at < header.len()),
    }
}

/// The notes of a table whose local times are those of a mapping's zone.
pub(in crate::trace) fn notes(mapping: &Mapping) -> Notes {
    mapping.zone.rules().map_or_else(Notes::default, Notes::in_zone)
}
