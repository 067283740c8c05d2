//! The columns of `sacct -n` output, guessed from what they hold.
//!
//! Times are told apart by their order (submission, start, end) and by which of them are missing; run times by being the end
//! less the start; states, resources and limits by their words; names by how many there are: users, then accounts, then
//! partitions. Steps, where they are printed, tell more: only the account is repeated in them.

use std::cmp::Reverse;
use std::collections::HashSet;

use crate::trace::format::sacct::columns::is_job_id;
use crate::trace::outcome::outcome;
use crate::trace::value::{self, Notes};
use crate::units::{MICROS_PER_S, SimSpan};

/// One field of one row.
type Cell<'a> = &'a [u8];

/// A test of one cell.
type Look = fn(Cell<'_>) -> bool;

/// The names of the columns, empty where nothing is recognised; `None` if there is not even a state or a time.
pub(super) fn guess(rows: &[Vec<Cell<'_>>]) -> Option<Vec<&'static str>> {
    let (steps, jobs): (Vec<_>, Vec<_>) = rows.iter().partition(|row| is_step(row));
    // Steps alone are of no use, but they are Slurm's, and the report says what is missing.
    let table = Table { rows: if jobs.is_empty() { steps.clone() } else { jobs }, steps };
    let mut guess = Guess { names: vec![""; rows.first()?.len()], table };
    guess.name(0, "JobID");
    guess.raw_id();
    guess.times();
    guess.spans();
    guess.first("State", is_state);
    guess.resources();
    guess.first("ExitCode", is_exit_code);
    guess.node_list();
    guess.texts();
    let names = guess.names;
    ["Submit", "State"].iter().any(|name| names.contains(name)).then_some(names)
}

fn is_step(row: &[Cell<'_>]) -> bool {
    row.first().is_some_and(|id| id.contains(&b'.'))
}

/// The rows that are looked at, all of one width.
struct Table<'r, 'a> {
    rows: Vec<&'r Vec<Cell<'a>>>,
    steps: Vec<&'r Vec<Cell<'a>>>,
}

impl<'a> Table<'_, 'a> {
    fn column(&self, at: usize) -> impl Iterator<Item = Cell<'a>> {
        self.rows.iter().map(move |row| row.get(at).copied().unwrap_or_default())
    }

    /// Whether all cells that say something look so, and at least one does.
    fn is(&self, at: usize, look: Look) -> bool {
        let mut said = self.column(at).filter(|cell| !value::is_missing(cell)).peekable();
        said.peek().is_some() && said.all(look)
    }

    fn missing(&self, at: usize) -> usize {
        self.column(at).filter(|cell| value::is_missing(cell)).count()
    }

    fn distinct(&self, at: usize) -> usize {
        self.column(at).collect::<HashSet<_>>().len()
    }
}

/// Names given so far.
struct Guess<'r, 'a> {
    names: Vec<&'static str>,
    table: Table<'r, 'a>,
}

impl Guess<'_, '_> {
    fn name(&mut self, at: usize, name: &'static str) {
        if let Some(slot) = self.names.get_mut(at) {
            *slot = name;
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| *known == name)
    }

    /// Columns without a name that look so, from the first.
    fn open(&self, look: Look) -> Vec<usize> {
        (0..self.names.len())
            .filter(|&at| self.names.get(at).is_some_and(|name| name.is_empty()) && self.table.is(at, look))
            .collect()
    }

    fn first(&mut self, name: &'static str, look: Look) {
        if let Some(&at) = self.open(look).first() {
            self.name(at, name);
        }
    }

    /// The plain number beside an id.
    fn raw_id(&mut self) {
        if self.table.is(1, is_job_id) && self.names.len() > 2 {
            let is_long = self
                .table
                .column(1)
                .zip(self.table.column(0))
                .all(|(raw, id)| raw.len().abs_diff(id.len()) < 8);
            let are_alike =
                self.table.column(1).zip(self.table.column(0)).any(|(raw, id)| id.starts_with(raw));
            if is_long && are_alike {
                self.name(1, "JobIDRaw");
            }
        }
    }

    /// Submission, eligibility, start and end, in this order in time; those that are missing more often come later.
    fn times(&mut self) {
        let mut columns = self.open(is_date);
        let rank = |at: usize| {
            let is_after = |(one, other): (Cell<'_>, Cell<'_>)| match (date(one), date(other)) {
                (Some(one), Some(other)) => one > other,
                (None, Some(_)) => true,
                _ => false,
            };
            let others = columns.iter().filter(|&&other| other != at);
            others
                .map(|&other| {
                    self.table.column(at).zip(self.table.column(other)).filter(|&pair| is_after(pair)).count()
                })
                .sum::<usize>()
        };
        let ranks: Vec<(usize, usize)> = columns.iter().map(|&at| (rank(at), at)).collect();
        columns.sort_by_key(|at| ranks.iter().find(|(_, column)| column == at));
        match *columns.as_slice() {
            [] => {}
            [submit] => self.name(submit, "Submit"),
            [one, other] => self.two_times(one, other),
            [submit, start, end] => {
                self.name(submit, "Submit");
                self.name(start, "Start");
                self.name(end, "End");
            }
            [submit, eligible, .., start, end] => {
                self.name(submit, "Submit");
                self.name(eligible, "Eligible");
                self.name(start, "Start");
                self.name(end, "End");
            }
        }
    }

    /// Two times are start and end where a run time lies between them, else submission and start, or submission and end.
    fn two_times(&mut self, one: usize, other: usize) {
        if !self.spans_between(one, other).is_empty() {
            self.name(one, "Start");
            self.name(other, "End");
            return;
        }
        self.name(one, "Submit");
        let runs_before = self.open(is_clock).into_iter().any(|at| {
            let rows = self.table.column(one).zip(self.table.column(other)).zip(self.table.column(at));
            let mut spans = rows
                .filter_map(|((one, other), span)| Some((date(other)? - date(one)?, clock(span)?.0)))
                .peekable();
            spans.peek().is_some() && spans.all(|(between, span)| span <= between)
        });
        self.name(other, if runs_before { "End" } else { "Start" });
    }

    /// Columns that hold the time from one column to the other, in seconds or as a clock; those of a clock come last.
    fn spans_between(&self, from: usize, to: usize) -> Vec<usize> {
        let is_span = |at: usize, read: fn(Cell<'_>) -> Option<SimSpan>| {
            let rows = self.table.column(from).zip(self.table.column(to)).zip(self.table.column(at));
            let spans: Vec<(i64, Option<SimSpan>)> =
                rows.filter_map(|((from, to), span)| Some((date(to)? - date(from)?, read(span)))).collect();
            spans.iter().any(|(between, _)| *between > 0)
                && spans.iter().all(|(between, span)| *span == Some(SimSpan(*between)))
        };
        let raw = self.open(is_whole).into_iter().filter(|&at| is_span(at, whole_seconds));
        let clocks = self.open(is_clock).into_iter().filter(|&at| is_span(at, clock));
        raw.chain(clocks).collect()
    }

    /// Run time and limit.
    fn spans(&mut self) {
        if let Some((start, end)) = self.find("Start").zip(self.find("End"))
            && let Some(&at) = self.spans_between(start, end).first()
        {
            let name = if self.table.is(at, is_whole) { "ElapsedRaw" } else { "Elapsed" };
            self.name(at, name);
        }
        let clocks = self.open(is_clock_or_unlimited);
        let has_run_time = self.find("ElapsedRaw").or(self.find("Elapsed")).is_some();
        if has_run_time || self.find("Start").zip(self.find("End")).is_some() {
            // Limits are whole minutes; the times of CPUs are not.
            if let Some(at) = clocks.into_iter().find(|&at| self.table.column(at).all(is_limit)) {
                self.name(at, "Timelimit");
            }
        } else if let [run, limit] = *clocks.as_slice() {
            let pairs = self.table.column(run).zip(self.table.column(limit));
            let longer =
                pairs.filter(|(run, limit)| clock(run).zip(clock(limit)).is_some_and(|(r, l)| r > l)).count();
            let (run, limit) = if longer * 2 > self.table.rows.len() { (limit, run) } else { (run, limit) };
            self.name(run, "Elapsed");
            self.name(limit, "Timelimit");
        } else if let Some(&run) = clocks.first() {
            self.name(run, "Elapsed");
        }
    }

    /// What a job got, which is missing before it starts and is what is billed; and what it asked for.
    fn resources(&mut self) {
        let table = &self.table;
        let mut columns = self.open(is_tres);
        let billed = |at: usize| table.column(at).filter(|cell| cell.starts_with(b"billing=")).count();
        columns.sort_by_key(|&at| (Reverse(table.missing(at)), Reverse(billed(at))));
        for (at, name) in columns.into_iter().zip(["AllocTRES", "ReqTRES"]) {
            self.name(at, name);
        }
        for (at, name) in self.open(is_gres).into_iter().zip(["AllocGRES", "ReqGRES"]) {
            self.name(at, name);
        }
    }

    /// Nodes, of which several stand in brackets.
    fn node_list(&mut self) {
        let columns = self.open(|cell| is_node_list(cell) || is_word(cell));
        if let Some(at) = columns.into_iter().find(|&at| self.table.column(at).any(is_node_list)) {
            self.name(at, "NodeList");
        }
    }

    /// Names of jobs, users, accounts and partitions.
    fn texts(&mut self) {
        let last = self.names.len().saturating_sub(1);
        let in_steps = |at: usize| {
            let mut cells = self.table.steps.iter().map(|row| row.get(at).copied().unwrap_or_default());
            cells.any(|cell| !cell.is_empty())
        };
        let has_steps = !self.table.steps.is_empty();
        let is_of_step = |at: usize| {
            let name = |row: &&Vec<Cell<'_>>| {
                let id = row.first().copied().unwrap_or_default();
                let step = id.iter().position(|&b| b == b'.').and_then(|dot| id.get(dot + 1..));
                step.is_some() && step == row.get(at).copied()
            };
            self.table.steps.iter().any(name)
        };
        let mut columns = self.open(is_text);
        // A job's name is its own; a step of a job is called batch or extern.
        let by_step = columns.iter().copied().find(|&at| at > 1 && is_of_step(at));
        let by_number =
            columns.iter().copied().find(|&at| self.table.distinct(at) * 10 > self.table.rows.len() * 8);
        let many = self.table.rows.len() >= 10 && columns.len() > 3;
        let title = by_step
            .or(by_number.filter(|_| many))
            .or((columns.len() > 3 && columns.contains(&last)).then_some(last));
        columns.retain(|&at| Some(at) != title && self.table.is(at, is_word));
        columns.sort_by_key(|&at| Reverse(self.table.distinct(at)));
        let account = columns.iter().copied().find(|&at| has_steps && in_steps(at));
        let named: Vec<(usize, &'static str)> = match account {
            Some(account) => {
                let others = columns.iter().copied().filter(|&at| !in_steps(at));
                [(account, "Account")].into_iter().chain(others.zip(["User", "Partition"])).collect()
            }
            None if columns.len() == 1 => columns.into_iter().zip(["Account"]).collect(),
            None => columns.into_iter().zip(["User", "Account", "Partition"]).collect(),
        };
        if let Some(title) = title {
            self.name(title, "JobName");
        }
        for (at, name) in named {
            self.name(at, name);
        }
    }
}

fn date(cell: Cell<'_>) -> Option<i64> {
    is_date(cell).then(|| value::time(cell, &Notes::default()).ok()).flatten()
}

fn clock(cell: Cell<'_>) -> Option<SimSpan> {
    value::elapsed(cell).ok()
}

fn whole_seconds(cell: Cell<'_>) -> Option<SimSpan> {
    value::whole(cell).and_then(|seconds| seconds.checked_mul(MICROS_PER_S)).map(SimSpan)
}

fn is_date(cell: Cell<'_>) -> bool {
    cell.get(4) == Some(&b'-') && value::time(cell, &Notes::default()).is_ok()
}

fn is_clock(cell: Cell<'_>) -> bool {
    clock(cell).is_some() && cell.iter().filter(|&&b| b == b':').count() == 2
}

fn is_unlimited(cell: Cell<'_>) -> bool {
    [&b"UNLIMITED"[..], b"Partition_Limit", b"INVALID"].contains(&cell)
}

fn is_clock_or_unlimited(cell: Cell<'_>) -> bool {
    is_clock(cell) || is_unlimited(cell)
}

fn is_limit(cell: Cell<'_>) -> bool {
    value::is_missing(cell)
        || is_unlimited(cell)
        || clock(cell).is_some_and(|limit| limit.0 % (60 * MICROS_PER_S) == 0)
}

fn is_whole(cell: Cell<'_>) -> bool {
    !cell.is_empty() && cell.iter().all(u8::is_ascii_digit)
}

fn is_state(cell: Cell<'_>) -> bool {
    let word = cell.split(|&b| b == b' ').next().unwrap_or_default();
    word.iter().all(|&b| b.is_ascii_uppercase() || b"_+".contains(&b))
        && std::str::from_utf8(word).is_ok_and(|word| outcome(word).is_some())
}

/// Resources as counts; what they used is in times and does not look so.
fn is_tres(cell: Cell<'_>) -> bool {
    const COUNTED: [&[u8]; 10] = [
        b"billing=",
        b"mem=",
        b"node=",
        b"gres/",
        b"energy=",
        b"license/",
        b"fs/",
        b"bb/",
        b"vmem=",
        b"pages=",
    ];
    cell.split(|&b| b == b',').all(|item| match item.strip_prefix(b"cpu=") {
        Some(count) => is_whole(count),
        None => COUNTED.iter().any(|start| item.starts_with(start)),
    })
}

fn is_gres(cell: Cell<'_>) -> bool {
    [&b"gpu:"[..], b"gres:gpu", b"PER_NODE:gpu", b"PER_JOB:gpu"].iter().any(|start| cell.starts_with(start))
}

fn is_exit_code(cell: Cell<'_>) -> bool {
    let mut parts = cell.split(|&b| b == b':');
    parts.clone().count() == 2 && parts.all(is_whole)
}

fn is_node_list(cell: Cell<'_>) -> bool {
    cell == b"None assigned" || cell.contains(&b'[')
}

/// Neither a number nor an amount such as `128G`, `64Gn`.
fn is_text(cell: Cell<'_>) -> bool {
    let is_amount = cell.first().is_some_and(u8::is_ascii_digit) && cell.len() < 16;
    !is_amount && !is_clock_or_unlimited(cell) && !is_date(cell)
}

fn is_word(cell: Cell<'_>) -> bool {
    cell.len() <= 64 && !cell.iter().any(|b| b" =/[]()".contains(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(text: &str) -> Option<Vec<&'static str>> {
        let rows: Vec<Vec<&[u8]>> =
            text.lines().map(|line| line.as_bytes().split(|&b| b == b'|').collect()).collect();
        guess(&rows)
    }

    #[test]
    fn the_columns_that_the_help_recommends_are_recognised() {
        let text = "\
            1|ann|bio|gpu|2025-01-01T00:00:00|2025-01-01T00:01:00|2025-01-01T00:03:00|120|cpu=8,gres/gpu=1|cpu=8,gres/gpu=1|COMPLETED\n\
            2|bob|bio|gpu|2025-01-01T00:00:10|2025-01-01T00:02:00|Unknown|600|cpu=8,gres/gpu=1|cpu=8,gres/gpu=1|RUNNING\n\
            3|cy|chem|gpu|2025-01-01T00:00:20|Unknown|Unknown|0||cpu=8,gres/gpu=1|PENDING\n\
            4_[1-5]|cy|chem|gpu|2025-01-01T00:00:30|None|Unknown|0||cpu=8|CANCELLED by 12";
        assert_eq!(
            guessed(text).unwrap(),
            [
                "JobID",
                "User",
                "Account",
                "Partition",
                "Submit",
                "Start",
                "End",
                "ElapsedRaw",
                "AllocTRES",
                "ReqTRES",
                "State"
            ]
        );
    }

    #[test]
    fn one_row_in_another_order_is_enough_for_times_and_resources() {
        let text = "7+1|7|FAILED|billing=2,gres/gpu=2|2025-01-01T00:03:00|2025-01-01T00:00:00|2025-01-01T00:01:00|00:02:00|1-00:00:00|n[1-2]|1:0";
        assert_eq!(
            guessed(text).unwrap(),
            [
                "JobID",
                "JobIDRaw",
                "State",
                "AllocTRES",
                "End",
                "Submit",
                "Start",
                "Elapsed",
                "Timelimit",
                "NodeList",
                "ExitCode"
            ]
        );
    }

    #[test]
    fn steps_tell_the_account_and_the_name() {
        let text = "\
            5|gpu|ann|train|bio|2025-01-01T00:00:00|2025-01-01T00:00:00|2025-01-01T00:01:00|COMPLETED\n\
            5.batch|||batch|bio|2025-01-01T00:00:00|2025-01-01T00:00:00|2025-01-01T00:01:00|COMPLETED\n\
            6|gpu|bob|train|bio|2025-01-01T00:00:05|2025-01-01T00:00:06|2025-01-01T00:01:00|COMPLETED";
        assert_eq!(
            guessed(text).unwrap(),
            ["JobID", "Partition", "User", "JobName", "Account", "Submit", "Start", "End", "State"]
        );
    }

    #[test]
    fn two_times_with_a_run_time_between_them_are_start_and_end() {
        let text = "1|2025-01-01T00:00:00|2025-01-01T00:02:00|120|COMPLETED";
        assert_eq!(guessed(text).unwrap(), ["JobID", "Start", "End", "ElapsedRaw", "State"]);
        let text = "1|2025-01-01T00:00:00|2025-01-01T00:05:00|00:02:00|COMPLETED";
        assert_eq!(guessed(text).unwrap(), ["JobID", "Submit", "End", "Elapsed", "State"]);
    }

    #[test]
    fn what_has_neither_state_nor_time_is_not_guessed() {
        assert_eq!(guessed("1|a|b"), None);
        assert_eq!(guessed(""), None);
    }
}
