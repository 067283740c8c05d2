//! The sheet on which the reader says how a file is read: which format it is, or what the columns of a table are.
//!
//! Every choice is a [`Control`] with the JSON path of the mapping as its key, so that what is wrong with a value is shown where
//! it is chosen.

use serde::{Deserialize, Serialize};

use super::strings::mapping as strings;
use crate::trace::mapping::{
    self, ColumnRef, Columns, Gap, GapColumn, GpuColumn, GpuUnit, HeaderRow, Mapping, MappingError,
    MemoryColumn, MemoryUnit, NoGpus, Per, Preview, Reason, TimeColumn, TimeUnit, Zone,
};
use crate::trace::{self, Detection, MAPPED};

/// What a worker tells about the beginning of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inspection {
    /// The formats it may be in, best first.
    pub detections: Vec<Detection>,
    /// The mapping that was tried: the one asked for, else a guess.
    pub mapping: Mapping,
    /// Why it was guessed; empty for one that was asked for.
    pub reasons: Vec<Reason>,
    /// What it makes of the table.
    pub preview: Preview,
}

impl Inspection {
    /// Looks at a file's first 64 kB, as text.
    #[must_use]
    pub fn of(head: &[u8], mapping: Option<Box<Mapping>>) -> Self {
        let (mapping, reasons) = match mapping {
            Some(mapping) => (*mapping, Vec::new()),
            None => mapping::suggest(head).map(|guess| (guess.mapping, guess.reasons)).unwrap_or_default(),
        };
        let preview = mapping::preview(head, &mapping);
        Self { detections: trace::detect(head), mapping, reasons, preview }
    }
}

/// A list to choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The JSON path of its value in the mapping.
    pub key: String,
    /// What it is.
    pub label: &'static str,
    /// Values and how they are called.
    pub choices: Vec<(String, String)>,
    /// The value chosen.
    pub chosen: String,
    /// What is wrong with it.
    pub fault: Option<String>,
}

/// The controls of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The key of the role.
    pub role: &'static str,
    /// What it is.
    pub label: &'static str,
    /// Whether jobs cannot be made without it.
    pub need: Need,
    /// The column, then how it is read.
    pub controls: Vec<Control>,
}

/// Whether a role must have a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It must.
    Needed,
    /// It may.
    Optional,
}

/// The sheet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// The format chosen: `generic-csv` for a table by its columns.
    pub format: String,
    /// What the columns are.
    pub mapping: Mapping,
    /// What was last found; `None` until the first answer.
    pub inspection: Option<Inspection>,
}

/// The value of "no column".
const NONE: &str = "";

/// Roles of the sheet: key, whether it is needed.
const ROLES: [(&str, Need); 15] = [
    ("submit", Need::Needed),
    ("gpus", Need::Needed),
    ("duration", Need::Optional),
    ("start", Need::Optional),
    ("end", Need::Optional),
    ("id", Need::Optional),
    ("tenant", Need::Optional),
    ("user", Need::Optional),
    ("state", Need::Optional),
    ("gpu_type", Need::Optional),
    ("model", Need::Optional),
    ("nodes", Need::Optional),
    ("workers", Need::Optional),
    ("memory", Need::Optional),
    ("limit", Need::Optional),
];

impl Sheet {
    /// Takes what a worker found. The first answer without a mapping asked for fills the sheet.
    pub fn hear(&mut self, inspection: Inspection) {
        if self.inspection.is_none() || !inspection.reasons.is_empty() {
            self.mapping = inspection.mapping.clone();
        }
        if self.format.is_empty() {
            self.format = MAPPED.to_owned();
        }
        let known = self.inspection.take();
        let reasons = match known {
            Some(known) if inspection.reasons.is_empty() => known.reasons,
            _ => inspection.reasons.clone(),
        };
        self.inspection = Some(Inspection { reasons, ..inspection });
    }

    /// Whether the table is read by its columns.
    #[must_use]
    pub fn is_by_columns(&self) -> bool {
        self.format == MAPPED
    }

    /// Whether the choice can be used.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        if !self.is_by_columns() {
            return !self.format.is_empty();
        }
        let preview = self.inspection.as_ref().map(|inspection| &inspection.preview);
        self.mapping.check().is_ok()
            && preview.is_some_and(|preview| preview.refusal.is_none() && preview.readable > 0)
    }

    /// Why the choice cannot be used; empty when it can.
    #[must_use]
    pub fn obstacle(&self) -> String {
        let Some(inspection) = &self.inspection else { return strings::LOOKING.to_owned() };
        if !self.is_by_columns() || self.is_usable() {
            return String::new();
        }
        match (self.mapping.faults().first(), &inspection.preview.refusal) {
            (Some(fault), _) => strings::fault(fault),
            (None, Some(refusal)) => refusal.to_string(),
            (None, None) => strings::NO_ROW_READABLE.to_owned(),
        }
    }

    /// The formats to choose from: those that were recognised, with score and evidence, and the table by its columns.
    #[must_use]
    pub fn detections(&self) -> Vec<Detection> {
        let found = self.inspection.as_ref().map(|inspection| &inspection.detections[..]).unwrap_or_default();
        let mut all: Vec<Detection> = found.iter().filter(|found| found.format != MAPPED).cloned().collect();
        let guessed = found.iter().find(|found| found.format == MAPPED).cloned();
        all.push(guessed.unwrap_or_else(|| Detection {
            format: MAPPED.to_owned(),
            score: 0,
            evidence: strings::NOT_GUESSED.to_owned(),
        }));
        all
    }

    /// How the table is written.
    #[must_use]
    pub fn table_controls(&self) -> Vec<Control> {
        let table = &self.mapping.table;
        let mark = |mark: char, known: &[(&str, &str)]| {
            let mut choices = pairs(known);
            if !choices.iter().any(|(value, _)| *value == mark.to_string()) {
                choices.push((mark.to_string(), format!("{mark:?}")));
            }
            choices
        };
        let comment = table.comment.map(String::from).unwrap_or_default();
        let comments =
            [("#", "# lines"), (";", "; lines"), ("%", "% lines"), ("!", "! lines"), (NONE, "None")];
        let zone = self.mapping.zone.text().to_owned();
        vec![
            self.control("table.delimiter", mark(table.delimiter, DELIMITERS), table.delimiter.to_string()),
            self.control(
                "table.header",
                pairs(&[("first", "First row"), ("none", "None")]),
                word(&table.header),
            ),
            self.control(
                "table.quotes",
                pairs(&[("double", "\"…\""), ("none", "None")]),
                word(&table.quotes),
            ),
            self.control(
                "table.comment",
                table.comment.map_or_else(|| pairs(&comments), |of| mark(of, &comments)),
                comment,
            ),
            self.control("table.decimal", pairs(&[("point", "1.5"), ("comma", "1,5")]), word(&table.decimal)),
            self.control("table.thousands", pairs(THOUSANDS), word(&table.thousands)),
            self.control("table.skip_lines", lines_before(table.skip_lines), table.skip_lines.to_string()),
            self.control("zone", zones(&zone), zone),
        ]
    }

    /// The words that say "no value", in the field's form: separated by blanks.
    #[must_use]
    pub fn missing(&self) -> String {
        let words = self.mapping.table.missing.iter().filter(|word| !word.is_empty());
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// What is wrong with them.
    #[must_use]
    pub fn missing_fault(&self) -> Option<String> {
        self.fault("table.missing")
    }

    /// The roles and their columns.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        ROLES.into_iter().map(|(role, need)| self.line(role, need)).collect()
    }

    fn line(&self, role: &'static str, need: Need) -> Line {
        let columns = &self.mapping.columns;
        let mut controls = Vec::new();
        let column =
            |role: &'static str| columns.roles().into_iter().find(|(key, _)| *key == role).map(|(_, of)| of);
        let by_gaps = columns.interval.is_some();
        let shown = if role == "submit" && by_gaps { "interval" } else { role };
        let chosen = column(shown);
        controls.push(self.column_control(shown, chosen));
        let unit = |of: &Option<TimeColumn>| of.as_ref().map(|of| of.unit);
        let (unit, are_dates) = match role {
            "submit" if by_gaps => (columns.interval.as_ref().map(|of| of.unit), false),
            "submit" => (unit(&columns.submit), true),
            "start" => (unit(&columns.start), true),
            "end" => (unit(&columns.end), true),
            "duration" => (unit(&columns.duration), false),
            "limit" => (unit(&columns.limit), false),
            _ => (None, false),
        };
        if role == "submit" {
            let kinds =
                [("at", "Time"), ("previous", "Time since the job above"), ("next", "Time to the job below")];
            let kind = columns
                .interval
                .as_ref()
                .map_or("at", |of| if of.to == Gap::Next { "next" } else { "previous" });
            controls.push(self.control("columns.interval.to", pairs(&kinds), kind.to_owned()));
        }
        if let Some(unit) = unit {
            let units =
                TimeUnit::ALL.into_iter().filter(|other| are_dates || !other.is_date() || *other == unit);
            let choices =
                units.map(|unit| (unit.word().to_owned(), strings::time_unit(unit).to_owned())).collect();
            controls.push(self.control(&format!("columns.{shown}.unit"), choices, unit.word().to_owned()));
        }
        if let Some(gpus) = columns.gpus.as_ref().filter(|_| role == "gpus") {
            let units =
                [("count", "GPUs"), ("percent", "Percent of a GPU"), ("milli", "Thousandths of a GPU")];
            controls.push(self.control("columns.gpus.unit", pairs(&units), word(&gpus.unit)));
            let per = [("job", "For the job"), ("node", "For each node"), ("worker", "For each worker")];
            controls.push(self.control("columns.gpus.per", pairs(&per), word(&gpus.per)));
            let missing = [("reject", "Is an error"), ("zero", "Is no GPU")];
            controls.push(self.control("columns.gpus.missing", pairs(&missing), word(&gpus.missing)));
        }
        if let Some(memory) = columns.memory.as_ref().filter(|_| role == "memory") {
            let units = [("gb", "GB"), ("gib", "GiB"), ("mb", "MB"), ("mib", "MiB")];
            controls.push(self.control("columns.memory.unit", pairs(&units), word(&memory.unit)));
        }
        Line { role, label: strings::role(role), need, controls }
    }

    /// The list of columns; one that the table does not have is listed as well, with what is wrong.
    fn column_control(&self, role: &str, chosen: Option<&ColumnRef>) -> Control {
        let names = self.column_names();
        let mut choices = vec![(NONE.to_owned(), strings::NO_COLUMN.to_owned())];
        choices.extend(names.iter().enumerate().map(|(at, name)| {
            let title = if name.is_empty() { strings::nameless(at + 1) } else { name.clone() };
            (value_of(&reference(at, name, names, self.mapping.table.header)), title)
        }));
        let value = chosen.map(value_of).unwrap_or_default();
        let is_there = |column: &ColumnRef| match column {
            ColumnRef::Name(name) => names.iter().position(|known| known.eq_ignore_ascii_case(name)),
            ColumnRef::Number(number) => (*number as usize).checked_sub(1).filter(|&at| at < names.len()),
        };
        let at = chosen.and_then(is_there);
        // The list has each column once, under its name or its number.
        let listed = at.and_then(|at| choices.get(at + 1)).map(|(value, _)| value.clone());
        let key = format!("columns.{role}");
        let mut control = self.control(&key, Vec::new(), listed.unwrap_or_else(|| value.clone()));
        if let Some(column) = chosen.filter(|_| at.is_none() && !names.is_empty()) {
            choices.push((value, strings::column(column)));
            control.fault.get_or_insert_with(|| strings::not_in_table(column));
        }
        control.choices = choices;
        control
    }

    fn column_names(&self) -> &[String] {
        self.inspection.as_ref().map(|inspection| &inspection.preview.columns[..]).unwrap_or_default()
    }

    fn control(&self, key: &str, choices: Vec<(String, String)>, chosen: String) -> Control {
        Control { key: key.to_owned(), label: strings::control(key), choices, chosen, fault: self.fault(key) }
    }

    fn fault(&self, key: &str) -> Option<String> {
        let is_of = |fault: &MappingError| fault.path == key;
        // Nothing is asked for before the table has been looked at.
        self.inspection.as_ref()?;
        self.mapping
            .faults()
            .iter()
            .find(|fault| is_of(fault))
            .map(|fault| strings::expected(&fault.expected))
    }

    /// A value was chosen. Values that no list has change nothing.
    pub fn set(&mut self, key: &str, value: &str) {
        let names = self.column_names().to_vec();
        let table = &mut self.mapping.table;
        match key {
            "table.delimiter" => table.delimiter = value.chars().next().unwrap_or(table.delimiter),
            "table.comment" => table.comment = value.chars().next(),
            "table.quotes" => put(&mut table.quotes, value),
            "table.decimal" => put(&mut table.decimal, value),
            "table.thousands" => put(&mut table.thousands, value),
            "table.skip_lines" => table.skip_lines = value.parse().unwrap_or(table.skip_lines),
            "table.header" => {
                put(&mut table.header, value);
                if table.header == HeaderRow::None {
                    self.mapping.columns = numbered(&self.mapping.columns, &names);
                }
            }
            "table.missing" => {
                let words = value.split_whitespace().map(str::to_owned);
                table.missing = std::iter::once(String::new()).chain(words).collect();
            }
            "zone" => self.mapping.zone = Zone::new(value),
            _ => self.set_columns(key, value),
        }
    }

    fn set_columns(&mut self, key: &str, value: &str) {
        let Some(path) = key.strip_prefix("columns.") else { return };
        let columns = &mut self.mapping.columns;
        match path.split_once('.') {
            None => set_column(columns, path, column_of(value)),
            Some(("interval", "to")) => set_arrivals(columns, value),
            Some(("gpus", part)) => {
                let Some(gpus) = &mut columns.gpus else { return };
                match part {
                    "unit" => put(&mut gpus.unit, value),
                    "per" => put(&mut gpus.per, value),
                    _ => put(&mut gpus.missing, value),
                }
            }
            Some(("memory", _)) => {
                if let Some(memory) = &mut columns.memory {
                    put(&mut memory.unit, value);
                }
            }
            Some((role, _)) => {
                let Some(unit) = TimeUnit::named(value) else { return };
                if let (Some(gaps), "interval") = (&mut columns.interval, role) {
                    gaps.unit = unit;
                } else if let Some(Some(of)) = time_column(columns, role) {
                    of.unit = unit;
                }
            }
        }
    }
}

/// Delimiters to choose from.
const DELIMITERS: &[(&str, &str)] =
    &[(",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Bar |"), (" ", "Blank")];

/// Marks of thousands to choose from.
const THOUSANDS: &[(&str, &str)] =
    &[("none", "None"), ("comma", "1,234"), ("point", "1.234"), ("blank", "1 234"), ("apostrophe", "1'234")];

/// Numbers of lines before the table to choose from: a few, and the one chosen.
fn lines_before(chosen: u32) -> Vec<(String, String)> {
    (0..=20)
        .chain((chosen > 20).then_some(chosen))
        .map(|lines| (lines.to_string(), lines.to_string()))
        .collect()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(value, label)| ((*value).to_owned(), (*label).to_owned())).collect()
}

/// Zones to choose from: the common ones, then whole hours; and the one chosen.
fn zones(chosen: &str) -> Vec<(String, String)> {
    let mut zones: Vec<(String, String)> =
        Zone::COMMON.iter().map(|(text, name)| ((*text).to_owned(), (*name).to_owned())).collect();
    let hours = (-11..=14).filter(|hours| *hours != 0).map(|hours| format!("{hours:+03}:00"));
    zones.extend(hours.map(|text| (text.clone(), format!("UTC{text}"))));
    if !zones.iter().any(|(text, _)| text == chosen) {
        zones.push((chosen.to_owned(), chosen.to_owned()));
    }
    zones.dedup_by(|a, b| a.0 == b.0);
    zones
}

/// A value of the mapping as the word that its JSON has.
fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Sets a value by its word in JSON.
fn put<T: for<'a> Deserialize<'a>>(value: &mut T, word: &str) {
    if let Ok(read) = serde_json::from_value(serde_json::Value::from(word)) {
        *value = read;
    }
}

/// A column as the value of a list: `n:` and its name, or `c:` and its number.
fn value_of(column: &ColumnRef) -> String {
    match column {
        ColumnRef::Name(name) => format!("n:{name}"),
        ColumnRef::Number(number) => format!("c:{number}"),
    }
}

fn column_of(value: &str) -> Option<ColumnRef> {
    let name = value.strip_prefix("n:").map(|name| ColumnRef::Name(name.to_owned()));
    name.or_else(|| value.strip_prefix("c:").and_then(|number| number.parse().ok()).map(ColumnRef::Number))
}

/// How a mapping names a column: by name where the header has that name once.
fn reference(at: usize, name: &str, names: &[String], header: HeaderRow) -> ColumnRef {
    let is_unique = names.iter().filter(|other| other.eq_ignore_ascii_case(name)).count() == 1;
    if header == HeaderRow::First && is_unique && !name.is_empty() {
        ColumnRef::Name(name.to_owned())
    } else {
        ColumnRef::Number(at as u32 + 1)
    }
}

/// The column of times or spans of a role.
fn time_column<'c>(columns: &'c mut Columns, role: &str) -> Option<&'c mut Option<TimeColumn>> {
    Some(match role {
        "submit" => &mut columns.submit,
        "start" => &mut columns.start,
        "end" => &mut columns.end,
        "duration" => &mut columns.duration,
        "limit" => &mut columns.limit,
        _ => return None,
    })
}

/// The column of texts or counts of a role.
fn plain_column<'c>(columns: &'c mut Columns, role: &str) -> Option<&'c mut Option<ColumnRef>> {
    Some(match role {
        "id" => &mut columns.id,
        "tenant" => &mut columns.tenant,
        "user" => &mut columns.user,
        "nodes" => &mut columns.nodes,
        "workers" => &mut columns.workers,
        "gpu_type" => &mut columns.gpu_type,
        "model" => &mut columns.model,
        "state" => &mut columns.state,
        _ => return None,
    })
}

/// Gives a role another column; units stay.
fn set_column(columns: &mut Columns, role: &str, column: Option<ColumnRef>) {
    if let Some(of) = time_column(columns, role) {
        let unit = of.as_ref().map_or(TimeUnit::S, |of| of.unit);
        *of = column.map(|column| TimeColumn { column, unit });
    } else if let Some(of) = plain_column(columns, role) {
        *of = column;
    } else {
        match role {
            "interval" => {
                let (unit, to) =
                    columns.interval.as_ref().map_or((TimeUnit::S, Gap::Previous), |of| (of.unit, of.to));
                columns.interval = column.map(|column| GapColumn { column, unit, to });
            }
            "gpus" => {
                columns.gpus = column.map(|column| match columns.gpus.take() {
                    Some(known) => GpuColumn { column, ..known },
                    None => {
                        GpuColumn { column, unit: GpuUnit::Count, per: Per::Job, missing: NoGpus::Reject }
                    }
                });
            }
            "memory" => {
                let unit = columns.memory.as_ref().map_or(MemoryUnit::Gb, |of| of.unit);
                columns.memory = column.map(|column| MemoryColumn { column, unit });
            }
            _ => {}
        }
    }
}

/// Arrivals become times or gaps; their column stays.
fn set_arrivals(columns: &mut Columns, kind: &str) {
    let submit = columns.submit.take().map(|of| (of.column, of.unit));
    let Some((column, unit)) = submit.or(columns.interval.take().map(|of| (of.column, of.unit))) else {
        return;
    };
    let span = if unit.is_date() { TimeUnit::S } else { unit };
    match kind {
        "previous" => columns.interval = Some(GapColumn { column, unit: span, to: Gap::Previous }),
        "next" => columns.interval = Some(GapColumn { column, unit: span, to: Gap::Next }),
        _ => columns.submit = Some(TimeColumn { column, unit }),
    }
}

/// The same columns by their numbers, for a table whose first row names nothing.
fn numbered(columns: &Columns, names: &[String]) -> Columns {
    let mut changed = columns.clone();
    for (role, column) in columns.roles() {
        let ColumnRef::Name(name) = column else { continue };
        let at = names.iter().position(|known| known.eq_ignore_ascii_case(name));
        set_column(&mut changed, role, at.map(|at| ColumnRef::Number(at as u32 + 1)));
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"Job;Team;Submitted;Cards;Minutes;Node count\n\
        a;x;5.3.2024 12:05;0,5;10;1\nb;y;5.3.2024 12:06;2;x;2\nc;x;13.3.2024 12:07;4;5,5;1\n";

    fn opened() -> Sheet {
        let mut sheet = Sheet::default();
        sheet.hear(Inspection::of(TABLE, None));
        sheet
    }

    /// The sheet after its mapping was tried.
    fn tried(mut sheet: Sheet) -> Sheet {
        let mapping = sheet.mapping.clone();
        sheet.hear(Inspection::of(TABLE, Some(Box::new(mapping))));
        sheet
    }

    fn control(sheet: &Sheet, key: &str) -> Control {
        let lines = sheet.lines();
        let mut all = lines.into_iter().flat_map(|line| line.controls).chain(sheet.table_controls());
        all.find(|control| control.key == key).unwrap_or_else(|| panic!("no {key}"))
    }

    #[test]
    fn a_sheet_begins_with_a_guess_and_leaves_open_what_it_cannot_tell() {
        let sheet = opened();
        assert!(sheet.is_by_columns() && sheet.is_usable());
        assert_eq!(control(&sheet, "columns.gpus").chosen, "n:Cards");
        assert_eq!(control(&sheet, "columns.duration").chosen, NONE);
        assert_eq!(control(&sheet, "table.delimiter").chosen, ";");
        assert_eq!(control(&sheet, "table.decimal").chosen, "comma");
        assert_eq!(control(&sheet, "columns.submit").chosen, "n:Submitted");
        assert_eq!(control(&sheet, "columns.submit.unit").chosen, "date-dmy");
        assert_eq!(control(&sheet, "columns.tenant").chosen, "n:Team");
        assert!(sheet.detections().iter().any(|found| found.format == MAPPED));
    }

    #[test]
    fn what_is_chosen_by_hand_makes_jobs() {
        let mut sheet = opened();
        sheet.set("columns.gpus", "n:Cards");
        sheet.set("columns.duration", "n:Minutes");
        sheet.set("columns.duration.unit", "min");
        let sheet = tried(sheet);
        let preview = &sheet.inspection.as_ref().unwrap().preview;
        assert_eq!((preview.read, preview.readable), (3, 2));
        assert_eq!(
            preview.rows[0].job.as_ref().map(|job| (job.gpus, job.duration_s)),
            Some((0.5, Some(600.0)))
        );
        assert!(preview.rows[1].job.is_none());
        assert!(sheet.is_usable() && sheet.obstacle().is_empty());
    }

    #[test]
    fn faults_stand_beside_what_they_are_about() {
        let mut sheet = opened();
        sheet.set("columns.gpus", NONE);
        assert!(control(&sheet, "columns.gpus").fault.is_some());
        assert!(sheet.obstacle().contains("GPUs"), "{}", sheet.obstacle());
        sheet.set("columns.gpus", "n:Cards");
        sheet.set("columns.gpus.per", "worker");
        assert!(control(&sheet, "columns.workers").fault.is_some());
        sheet.set("columns.workers", "n:Node count");
        assert!(control(&sheet, "columns.workers").fault.is_none());
        sheet.set("columns.submit", "n:Gone");
        let lost = control(&sheet, "columns.submit");
        assert!(lost.fault.is_some() && lost.choices.iter().any(|(value, _)| *value == lost.chosen));
    }

    #[test]
    fn columns_keep_their_places_when_the_header_is_none() {
        let mut sheet = opened();
        sheet.set("columns.gpus", "n:Cards");
        sheet.set("table.header", "none");
        assert_eq!(sheet.mapping.columns.tenant, Some(ColumnRef::Number(2)));
        let sheet = tried(sheet);
        assert_eq!(control(&sheet, "columns.gpus").chosen, "c:4");
        assert_eq!(sheet.inspection.as_ref().unwrap().preview.columns[3], "column 4");
        assert_eq!(sheet.inspection.as_ref().unwrap().preview.read, 4);
    }

    #[test]
    fn arrivals_become_gaps_and_times_again() {
        let mut sheet = opened();
        sheet.set("columns.interval.to", "next");
        let gaps = sheet.mapping.columns.interval.clone().unwrap();
        assert_eq!((gaps.unit, gaps.to), (TimeUnit::S, Gap::Next));
        assert!(sheet.mapping.columns.submit.is_none());
        sheet.set("columns.interval", "n:Minutes");
        sheet.set("columns.interval.unit", "min");
        sheet.set("columns.interval.to", "at");
        let times = sheet.mapping.columns.submit.clone().unwrap();
        assert_eq!((times.unit, times.column), (TimeUnit::Min, ColumnRef::Name("Minutes".into())));
    }

    #[test]
    fn values_that_no_list_has_change_nothing() {
        let mut sheet = opened();
        let before = sheet.mapping.clone();
        for (key, value) in [
            ("table.quotes", "x"),
            ("columns.submit.unit", "year"),
            ("columns.gpus.unit", "x"),
            ("nothing", ""),
        ] {
            sheet.set(key, value);
        }
        assert_eq!(sheet.mapping, before);
    }

    #[test]
    fn every_control_has_its_choice_in_its_list_and_a_name() {
        let sheet = tried(opened());
        let lines = sheet.lines();
        for control in lines.iter().flat_map(|line| &line.controls).chain(&sheet.table_controls()) {
            assert!(control.choices.iter().any(|(value, _)| *value == control.chosen), "{control:?}");
            assert!(!control.label.is_empty(), "{control:?}");
        }
    }
}
