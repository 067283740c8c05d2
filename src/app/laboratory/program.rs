//! How the tables of the dynamic program are read: which there are, how one moves in them, and where a cell comes from, in words.

use super::number::{difference, shown};
use crate::solve::integer::tables::{Stage, Tables};

/// Which tables are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// Those of the tenants, one after another.
    #[default]
    Tenants,
    /// Those of the jobs of one tenant.
    Jobs(usize),
}

/// A cell of the tables shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The table.
    pub stage: usize,
    /// The cell in it.
    pub cell: usize,
}

/// Where a key leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// More slots of the last type; beyond them the next table.
    Right,
    /// Fewer; beyond them the table before.
    Left,
    /// More slots of the first of two types.
    Down,
    /// Fewer.
    Up,
    /// The first cell of the table.
    First,
    /// The last one.
    Last,
    /// Where the value comes from.
    Origin,
}

/// Tables and a part of them.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    tables: &'a Tables,
    part: Part,
}

impl<'a> Reader<'a> {
    /// Reads a part; that of the tenants where a tenant has no jobs or is not there.
    #[must_use]
    pub fn new(tables: &'a Tables, part: Part) -> Self {
        let part = match part {
            Part::Jobs(tenant) if tables.jobs.get(tenant).is_some_and(|own| !own.stages.is_empty()) => part,
            _ => Part::Tenants,
        };
        Self { tables, part }
    }

    /// The part that is read.
    #[must_use]
    pub fn part(&self) -> Part {
        self.part
    }

    /// The tables.
    #[must_use]
    pub fn stages(&self) -> &'a [Stage] {
        match self.part {
            Part::Tenants => &self.tables.tenants,
            Part::Jobs(tenant) => self.tables.jobs.get(tenant).map_or(&[], |own| &own.stages),
        }
    }

    /// Rows and columns of every table: the first of two types counts rows.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        match self.tables.axes.as_slice() {
            [rows, columns] => (rows.slots as usize + 1, columns.slots as usize + 1),
            [columns] => (1, columns.slots as usize + 1),
            _ => (1, 1),
        }
    }

    /// The cell in which reading begins: the optimum.
    #[must_use]
    pub fn start(&self) -> Place {
        let stage = self.stages().len().saturating_sub(1);
        let path = self.stages().last().and_then(|stage| stage.path);
        Place { stage, cell: path.unwrap_or_else(|| self.tables.last_cell()) }
    }

    /// Where a move leads from a place.
    #[must_use]
    pub fn after(&self, place: Place, step: Move) -> Place {
        let (rows, columns) = self.shape();
        let (row, column) = (place.cell / columns, place.cell % columns);
        let at = |stage: usize, row: usize, column: usize| Place { stage, cell: row * columns + column };
        match step {
            Move::Right if column + 1 < columns => at(place.stage, row, column + 1),
            Move::Right if place.stage + 1 < self.stages().len() => at(place.stage + 1, row, 0),
            Move::Left if column > 0 => at(place.stage, row, column - 1),
            Move::Left if place.stage > 0 => at(place.stage - 1, row, columns - 1),
            Move::Down if row + 1 < rows => at(place.stage, row + 1, column),
            Move::Up if row > 0 => at(place.stage, row - 1, column),
            Move::First => at(place.stage, 0, 0),
            Move::Last => at(place.stage, rows - 1, columns - 1),
            Move::Origin => self.origin(place).unwrap_or(place),
            _ => place,
        }
    }

    /// The cell that a value comes from; `None` before the first table.
    #[must_use]
    pub fn origin(&self, place: Place) -> Option<Place> {
        let from = self.stages().get(place.stage)?.cells.get(place.cell)?.from?;
        Some(Place { stage: place.stage.checked_sub(1)?, cell: from })
    }

    /// Whether a cell is on the path of the optimum.
    #[must_use]
    pub fn is_on_path(&self, place: Place) -> bool {
        self.stages().get(place.stage).is_some_and(|stage| stage.path == Some(place.cell))
    }

    /// How large a value is among all shown, from 0 to 7; `None` where there is none.
    #[must_use]
    pub fn heat(&self, value: Option<f64>) -> Option<u32> {
        let values = self.stages().iter().flat_map(|stage| &stage.cells).filter_map(|cell| cell.value);
        let greatest = values.fold(0.0, f64::max);
        value.map(|value| if greatest > 0.0 { (value / greatest * 7.0).clamp(0.0, 7.0) as u32 } else { 0 })
    }

    /// `2 slow, 3 fast`.
    #[must_use]
    pub fn slots_text(&self, cell: usize) -> String {
        self.amounts_text(&self.tables.slots(cell))
    }

    fn amounts_text(&self, amounts: &[u32]) -> String {
        let parts =
            self.tables.axes.iter().zip(amounts).map(|(axis, amount)| format!("{amount} {}", axis.gpu));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// What a table's tenant or job takes on the path of the optimum: `4 slow, 0 fast`.
    #[must_use]
    pub fn taken_text(&self, stage: usize) -> Option<String> {
        let table = self.stages().get(stage)?;
        let to = table.path?;
        Some(self.amounts_text(&self.tables.taken(table.cells.get(to)?.from?, to)))
    }

    /// The heading of a table: what is in it.
    #[must_use]
    pub fn heading(&self, stage: usize) -> String {
        let name = self.stages().get(stage).map_or("", |table| table.name.as_str());
        if stage == 0 { format!("{name} alone") } else { format!("with {name}") }
    }

    /// Where the value of a cell comes from, in a sentence or two.
    #[must_use]
    pub fn explanation(&self, place: Place) -> String {
        let Some(table) = self.stages().get(place.stage) else { return String::new() };
        let Some(cell) = table.cells.get(place.cell) else { return String::new() };
        let inside = self.slots_text(place.cell);
        let whose = self.whose(place.stage);
        let (Some(value), Some(from)) = (cell.value, cell.from) else {
            return format!("Inside {inside} there is no way to give {whose} what their floors ask.");
        };
        let before = place.stage.checked_sub(1).and_then(|before| self.stages().get(before));
        let value_before = before.map_or(Some(0.0), |table| table.cells.get(from)?.value).unwrap_or(0.0);
        let taken = self.tables.taken(from, place.cell);
        let takes = match (taken.iter().all(|&amount| amount == 0), self.part) {
            (true, Part::Jobs(_)) => format!("{} idles", table.name),
            (true, Part::Tenants) => format!("{} takes nothing", table.name),
            (false, _) => format!(
                "{} takes {}, worth {}",
                table.name,
                self.amounts_text(&taken),
                difference(value, value_before)
            ),
        };
        let rest = match before {
            Some(_) => format!(
                "{} inside the other {} {} worth {}",
                self.whose(place.stage - 1),
                self.slots_text(from),
                if place.stage == 1 { "is" } else { "are" },
                shown(value_before)
            ),
            None if from == 0 => String::new(),
            None => format!("{} stay idle", self.slots_text(from)),
        };
        let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
        let floor = match self.part {
            Part::Tenants => self.floor_text(place.stage),
            Part::Jobs(tenant) => self.quota_text(tenant, place),
        };
        let path = if self.is_on_path(place) { " On the path of the optimum." } else { "" };
        format!(
            "Inside {inside}, {whose} {} worth at most {}: {takes}{rest}.{floor}{path}",
            if place.stage == 0 { "is" } else { "are" },
            shown(value)
        )
    }

    /// `u0`, `u0 and u1`, `u0 to u3`.
    fn whose(&self, stage: usize) -> String {
        let names: Vec<&str> =
            self.stages().iter().take(stage + 1).map(|table| table.name.as_str()).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [one, two] => format!("{one} and {two}"),
            [first, .., last] => format!("{first} to {last}"),
        }
    }

    fn floor_text(&self, tenant: usize) -> String {
        match self.tables.jobs.get(tenant) {
            Some(own) if own.floor > 0.0 => format!(" {}’s floor is {}.", own.tenant, shown(own.floor)),
            _ => String::new(),
        }
    }

    fn quota_text(&self, tenant: usize, place: Place) -> String {
        let Some(own) = self.tables.jobs.get(tenant) else { return String::new() };
        let is_last = place.stage + 1 == own.stages.len();
        if is_last && own.quota == Some(place.cell) {
            format!(" This is {}’s quota, so it is its floor.", own.tenant)
        } else {
            String::new()
        }
    }
}
