//! Proposes a mapping for a table nobody has described: by the names of its columns and by what stands in them, with reasons.
//!
//! A proposal is shown to be checked; nothing is imported by it unless it is asked for.

mod roles;
mod table;

use serde::{Deserialize, Serialize};

use super::columns::{
    ColumnRef, Columns, Gap, GapColumn, GpuColumn, GpuUnit, MemoryColumn, MemoryUnit, NoGpus, Per,
    TimeColumn, TimeUnit,
};
use super::{HeaderRow, Mapping, Zone};
use crate::trace::sample::Sample;
use roles::Role;
use table::{Field, Kind, Sampled};
pub(super) use table::{whole_lines, width};

/// A mapping that a table seems to have, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The mapping. It may lack what could not be found: [`Mapping::faults`] says what.
    pub mapping: Mapping,
    /// Why, in the order of the mapping's keys.
    pub reasons: Vec<Reason>,
}

/// Why a value of a mapping is proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Its JSON path in the mapping.
    pub path: String,
    /// What was seen.
    pub text: String,
}

impl Suggestion {
    /// What it finds, in a line: `submission from submit_time, GPUs from n_gpus, run time from elapsed`.
    #[must_use]
    pub fn summary(&self) -> String {
        let columns = &self.mapping.columns;
        let name = |column: &ColumnRef| match column {
            ColumnRef::Name(name) => name.clone(),
            ColumnRef::Number(number) => format!("column {number}"),
        };
        let submit = columns.submit.as_ref().map(|of| &of.column);
        let parts = [
            ("submission", submit.or(columns.interval.as_ref().map(|of| &of.column))),
            ("GPUs", columns.gpus.as_ref().map(|of| &of.column)),
            ("run time", columns.duration.as_ref().or(columns.end.as_ref()).map(|of| &of.column)),
        ];
        let found =
            parts.into_iter().filter_map(|(what, column)| Some(format!("{what} from {}", name(column?))));
        found.collect::<Vec<_>>().join(", ")
    }
}

/// The mapping that a file's first 64 kB, as text, seem to have; `None` if it is no table of at least two columns.
#[must_use]
pub fn suggest(head: &[u8]) -> Option<Suggestion> {
    suggest_in(&Sample::new(head))
}

pub(in crate::trace) fn suggest_in(sample: &Sample<'_>) -> Option<Suggestion> {
    if sample.is_json() {
        return None;
    }
    let sampled = Sampled::new(sample)?;
    let mut guess = Guess {
        fields: &sampled.fields,
        taken: vec![None; sampled.fields.len()],
        start: None,
        reasons: Vec::new(),
    };
    guess.by_name();
    guess.by_content();
    guess.say_what_is_not_read();
    let columns = guess.columns(sampled.form.header);
    let mut reasons = sampled.reasons.clone();
    if let Some(field) = sampled.fields.iter().find(|field| field.kind.is_date()) {
        let text = format!("dates without an offset, if any, are taken as printed ({})", field.example);
        reasons.push(Reason { path: "zone".into(), text });
    }
    reasons.extend(guess.reasons);
    let mapping = Mapping { table: sampled.form, zone: Zone::default(), columns };
    Some(Suggestion { mapping, reasons })
}

/// Roles being given to columns.
struct Guess<'s> {
    fields: &'s [Field],
    /// The role of each column.
    taken: Vec<Option<Role>>,
    /// The column of starts, where it also stands for submissions.
    start: Option<usize>,
    reasons: Vec<Reason>,
}

impl Guess<'_> {
    /// The column of a role.
    fn of(&self, role: Role) -> Option<usize> {
        let given = self.taken.iter().position(|taken| *taken == Some(role));
        given.or(self.start.filter(|_| role == Role::Start))
    }

    fn free(&self) -> impl Iterator<Item = (usize, &Field)> {
        self.fields.iter().enumerate().filter(|(at, _)| self.taken.get(*at).is_some_and(Option::is_none))
    }

    fn give(&mut self, role: Role, at: usize, why: &str) {
        if let (Some(taken), Some(field)) = (self.taken.get_mut(at), self.fields.get(at)) {
            *taken = Some(role);
            let text = format!("{}, {why}: {}", field.title(at), field.what());
            self.reasons.push(Reason { path: format!("columns.{}", role.key()), text });
        }
    }

    /// Gives roles to columns that are called so, and whose values can be that.
    fn by_name(&mut self) {
        for role in Role::ALL {
            if role == Role::Interval && self.of(Role::Submit).is_some() {
                continue;
            }
            let best = self
                .free()
                .filter(|(_, field)| role.fits(field))
                .filter_map(|(at, field)| Some((role.rank(&field.words)?, at)))
                .min();
            if let Some((_, at)) = best {
                self.give(role, at, "by its name");
            }
        }
    }

    /// Gives the roles that are needed to columns whose values look so.
    fn by_content(&mut self) {
        let looks_like = |guess: &Self, role: Role, test: fn(&Field) -> bool| {
            let found = guess
                .free()
                .find(|(_, field)| role.fits(field) && !role.is_excluded(&field.words) && test(field))
                .map(|(at, _)| at);
            found.filter(|_| guess.of(role).is_none())
        };
        if let Some(at) = looks_like(self, Role::State, Field::is_states) {
            self.give(Role::State, at, "by its words");
        }
        if self.of(Role::Interval).is_none() {
            let submit = looks_like(self, Role::Submit, |field| field.kind.is_date())
                .or_else(|| looks_like(self, Role::Submit, Field::is_rising));
            match submit {
                Some(at) => self.give(Role::Submit, at, "the first column of rising times"),
                None => self.submit_from_start(),
            }
        }
        if let Some(at) = looks_like(self, Role::Gpus, Field::is_device_counts) {
            self.give(Role::Gpus, at, "small numbers, mostly powers of two");
        }
        if self.of(Role::End).is_none()
            && let Some(at) = looks_like(self, Role::Duration, Field::is_lengths)
        {
            self.give(Role::Duration, at, "numbers that may be run times");
        }
        if let Some(at) = looks_like(self, Role::Id, Field::is_unique) {
            self.give(Role::Id, at, "no value twice");
        }
    }

    /// A log that says when jobs started and not when they were submitted: the start stands in.
    fn submit_from_start(&mut self) {
        if let Some(start) = self.of(Role::Start).filter(|_| self.of(Role::Submit).is_none()) {
            self.give(
                Role::Submit,
                start,
                "which is the start, since no column says when jobs were submitted",
            );
            self.start = Some(start);
        }
    }

    /// Columns that are called as one that is needed and hold what is not understood; and times of day beside their dates.
    fn say_what_is_not_read(&mut self) {
        for role in [Role::Submit, Role::Gpus, Role::Duration] {
            if self.of(role).is_some() || (role == Role::Duration && self.of(Role::End).is_some()) {
                continue;
            }
            let called =
                self.free().find(|(_, field)| field.kind != Kind::Empty && role.rank(&field.words).is_some());
            if let Some((at, field)) = called {
                let text = format!(
                    "{} is called so, but its values are not read as that: {}",
                    field.title(at),
                    field.what()
                );
                self.because(&format!("columns.{}", role.key()), text);
            }
        }
        let is_day = self.of(Role::Submit).and_then(|at| self.fields.get(at)).is_some_and(Field::is_days);
        let clock = self
            .free()
            .find(|(_, field)| field.kind == Kind::Clock && Role::Submit.rank(&field.words).is_some());
        if let (true, Some((at, field))) = (is_day, clock) {
            let text = format!(
                "{} may be the time of day that belongs to these dates; it is not read: join the two in one column",
                field.title(at)
            );
            self.because("columns.submit", text);
        }
    }

    /// The columns of a mapping, with units.
    fn columns(&mut self, header: HeaderRow) -> Columns {
        let fields = self.fields;
        let named = |at: usize| fields.get(at).map(|field| field.reference(at, header, fields));
        let text = |guess: &Self, role| guess.of(role).and_then(named);
        let submit = self.timed(Role::Submit, named);
        let of_gaps = self.timed(Role::Interval, named);
        let mut columns = Columns {
            id: text(self, Role::Id),
            tenant: text(self, Role::Tenant),
            user: text(self, Role::User),
            submit,
            interval: of_gaps.map(|of| GapColumn { column: of.column, unit: of.unit, to: Gap::Previous }),
            start: self.timed(Role::Start, named),
            end: self.timed(Role::End, named),
            duration: self.timed(Role::Duration, named),
            limit: self.timed(Role::Limit, named),
            gpus: None,
            nodes: text(self, Role::Nodes),
            workers: text(self, Role::Workers),
            gpu_type: text(self, Role::GpuType),
            model: text(self, Role::Model),
            state: text(self, Role::State),
            memory: self.memory(named),
        };
        columns.gpus = self.gpus(&columns, named);
        columns
    }

    fn because(&mut self, path: &str, text: impl Into<String>) {
        self.reasons.push(Reason { path: path.to_owned(), text: text.into() });
    }

    fn timed(&mut self, role: Role, named: impl Fn(usize) -> Option<ColumnRef>) -> Option<TimeColumn> {
        let at = self.of(role)?;
        let (unit, why) = self.unit(role, self.fields.get(at)?);
        self.because(&format!("columns.{}.unit", role.key()), why);
        Some(TimeColumn { column: named(at)?, unit })
    }

    /// The unit of a column of times or spans.
    fn unit(&self, role: Role, field: &Field) -> (TimeUnit, String) {
        let is_moment = matches!(role, Role::Submit | Role::Start | Role::End);
        match field.kind {
            Kind::Date(unit) if field.is_either_order => {
                let other = if unit == TimeUnit::DateDmy { "month" } else { "day" };
                return (
                    unit,
                    format!(
                        "{}, which is a guess: its dates exist with the {other} first too; check",
                        unit.word()
                    ),
                );
            }
            Kind::Date(unit) => return (unit, format!("{} by its values", unit.word())),
            Kind::Clock => return field.unit_of_clock(),
            Kind::Number | Kind::Text | Kind::Empty => {}
        }
        if let Some((unit, word)) = field.stated_unit() {
            return (unit, format!("{} by its name ({word})", unit.word()));
        }
        if is_moment && field.is_serial() {
            return (TimeUnit::Serial, "days as spreadsheets count them, by its size".into());
        }
        if is_moment {
            let (unit, why) = by_size(field.most);
            return (unit, why.into());
        }
        if role == Role::Duration
            && let Some(unit) = self.unit_by_ends(field)
        {
            return (unit, format!("{}: it is then end − start", unit.word()));
        }
        let arrivals = self.of(Role::Submit).and_then(|at| self.fields.get(at));
        if let Some((unit, word)) = arrivals.and_then(Field::stated_unit) {
            return (unit, format!("{}, as the submission has it ({word})", unit.word()));
        }
        (TimeUnit::S, "no unit is stated; seconds are assumed".into())
    }

    /// The unit in which a duration is end − start, in most rows that have all three.
    fn unit_by_ends(&self, duration: &Field) -> Option<TimeUnit> {
        let (start, end) = (self.fields.get(self.of(Role::Start)?)?, self.fields.get(self.of(Role::End)?)?);
        let runs: Vec<(f64, f64)> = start
            .seconds()
            .zip(end.seconds())
            .zip(&duration.numbers)
            .filter_map(|((start, end), length)| Some((end? - start?, (*length)?)))
            .filter(|(run_s, length)| *run_s > 0.0 && *length > 0.0)
            .collect();
        let units = [
            (TimeUnit::S, 1.0),
            (TimeUnit::Ms, 1e3),
            (TimeUnit::Us, 1e6),
            (TimeUnit::Min, 1.0 / 60.0),
            (TimeUnit::H, 1.0 / 3600.0),
        ];
        let found = units.into_iter().find(|(_, per_s)| {
            let agree =
                runs.iter().filter(|(run_s, length)| (length / per_s - run_s).abs() <= 0.02 * run_s + 1.0);
            runs.len() >= 2 && agree.count() * 10 >= runs.len() * 6
        });
        found.map(|(unit, _)| unit)
    }

    fn memory(&mut self, named: impl Fn(usize) -> Option<ColumnRef>) -> Option<MemoryColumn> {
        let at = self.of(Role::Memory)?;
        let field = self.fields.get(at)?;
        let has = |word: &str| field.words.iter().any(|known| known == word);
        let (unit, why) = match () {
            () if has("mib") => (MemoryUnit::Mib, "MiB by its name"),
            () if has("mb") => (MemoryUnit::Mb, "MB by its name"),
            () if has("gib") => (MemoryUnit::Gib, "GiB by its name"),
            () if field.most > 2_000.0 => (MemoryUnit::Mb, "no unit is stated; too large for GB"),
            () => (MemoryUnit::Gb, "no unit is stated; GB are assumed"),
        };
        self.because("columns.memory.unit", why);
        Some(MemoryColumn { column: named(at)?, unit })
    }

    fn gpus(&mut self, columns: &Columns, named: impl Fn(usize) -> Option<ColumnRef>) -> Option<GpuColumn> {
        let at = self.of(Role::Gpus)?;
        let field = self.fields.get(at)?;
        let has = |words: &[&str]| field.words.iter().any(|word| words.contains(&word.as_str()));
        let (unit, why) = if has(&["milli", "millis"]) {
            (GpuUnit::Milli, "thousandths by its name")
        } else if has(&["percent", "pct", "perc", "plan"]) {
            (GpuUnit::Percent, "hundredths by its name")
        } else if field.is_hundredths() {
            (GpuUnit::Percent, "hundredths: every value is a multiple of 5, and some are below 100")
        } else {
            (GpuUnit::Count, "whole GPUs or decimals of one")
        };
        self.because("columns.gpus.unit", why);
        let is_per = |words: &[&str]| (has(&["per", "each", "on"]) || field.name.contains('/')) && has(words);
        let per = if is_per(&["node", "nodes", "host", "machine", "server"]) && columns.nodes.is_some() {
            self.because("columns.gpus.per", "each node, by its name");
            Per::Node
        } else if is_per(&["worker", "task", "instance", "replica", "pod", "process"])
            && columns.workers.is_some()
        {
            self.because("columns.gpus.per", "each worker, by its name");
            Per::Worker
        } else {
            Per::Job
        };
        let missing = if field.has_gaps() { NoGpus::Zero } else { NoGpus::Reject };
        if missing == NoGpus::Zero {
            self.because("columns.gpus.missing", "some cells are empty, as for jobs without GPUs");
        }
        Some(GpuColumn { column: named(at)?, unit, per, missing })
    }
}

/// The unit of plain numbers that are points in time, by the largest of them.
fn by_size(most: f64) -> (TimeUnit, &'static str) {
    match most {
        most if most >= 1e17 => (TimeUnit::Ns, "ns since 1970, by its size"),
        most if most >= 1e14 => (TimeUnit::Us, "us since 1970, by its size"),
        most if most > 9e9 => (TimeUnit::Ms, "ms, since seconds would be centuries"),
        most if most >= 1e9 => (TimeUnit::S, "s since 1970, by its size"),
        _ => (TimeUnit::S, "no unit is stated; seconds are assumed"),
    }
}
