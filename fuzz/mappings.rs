//! Mappings made of bytes.

use sts_sim::trace::mapping::{
    ColumnRef, DecimalMark, Gap, GapColumn, GpuColumn, GpuUnit, HeaderRow, Mapping, MemoryColumn, MemoryUnit,
    NoGpus, Per, QuoteMark, TimeColumn, TimeUnit, Zone,
};

/// How many bytes are the settings of a mapping.
pub(crate) const SETTINGS: usize = 32;

/// Bytes taken one after the other; zeros when there are none left.
struct Settings<'a>(std::slice::Iter<'a, u8>);

impl Settings<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    /// One of these; none for most bytes, so that what is suggested stays.
    fn one_of<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        usize::from(self.byte()).checked_sub(1).and_then(|at| choices.get(at)).copied()
    }

    /// Sets a column that is simply one: 1 for none, then a number.
    fn column(&mut self, column: &mut Option<ColumnRef>) {
        match self.byte() {
            1 => *column = None,
            number @ 2..=32 => *column = Some(ColumnRef::Number(u32::from(number) - 2)),
            _ => {}
        }
    }

    fn time(&mut self, time: &mut Option<TimeColumn>) {
        let mut column = time.as_ref().map(|time| time.column.clone());
        self.column(&mut column);
        let unit = self.one_of(&TimeUnit::ALL).or(time.as_ref().map(|time| time.unit)).unwrap_or(TimeUnit::S);
        *time = column.map(|column| TimeColumn { column, unit });
    }
}

/// `mapping` with the settings changed that the bytes do not leave as they are: zeros change nothing.
pub(crate) fn vary(mut mapping: Mapping, settings: &[u8; SETTINGS]) -> Mapping {
    // The first byte is the caller's.
    let mut settings = Settings(settings[1..].iter());
    let table = &mut mapping.table;
    set(&mut table.delimiter, settings.one_of(&[',', ';', '\t', ' ', '|', ':', '-', 'a', '"', '\n', 'é']));
    set(&mut table.header, settings.one_of(&[HeaderRow::First, HeaderRow::None]));
    set(&mut table.quotes, settings.one_of(&[QuoteMark::Double, QuoteMark::None]));
    set(&mut table.comment, settings.one_of(&[None, Some('#'), Some(';'), Some(','), Some('-')]));
    set(&mut table.decimal, settings.one_of(&[DecimalMark::Point, DecimalMark::Comma]));
    if settings.byte() == 1 {
        table.missing.clear();
    }
    let zones = Zone::COMMON.map(|(text, _)| text);
    set(&mut mapping.zone, settings.one_of(&zones).map(Zone::new));
    let columns = &mut mapping.columns;
    for column in [
        &mut columns.id,
        &mut columns.tenant,
        &mut columns.user,
        &mut columns.nodes,
        &mut columns.workers,
        &mut columns.gpu_type,
        &mut columns.model,
        &mut columns.state,
    ] {
        settings.column(column);
    }
    for time in
        [&mut columns.submit, &mut columns.start, &mut columns.end, &mut columns.duration, &mut columns.limit]
    {
        settings.time(time);
    }
    let mut interval = None;
    settings.time(&mut interval);
    if let Some(TimeColumn { column, unit }) = interval {
        columns.submit = None;
        columns.interval = Some(GapColumn { column, unit, to: Gap::default() });
    }
    if let Some(interval) = &mut columns.interval {
        set(&mut interval.to, settings.one_of(&[Gap::Previous, Gap::Next]));
    }
    let gpus = columns.gpus.get_or_insert(GpuColumn {
        column: ColumnRef::Number(2),
        unit: GpuUnit::default(),
        per: Per::default(),
        missing: NoGpus::default(),
    });
    set(&mut gpus.unit, settings.one_of(&[GpuUnit::Count, GpuUnit::Percent, GpuUnit::Milli]));
    set(&mut gpus.per, settings.one_of(&[Per::Job, Per::Node, Per::Worker]));
    set(&mut gpus.missing, settings.one_of(&[NoGpus::Reject, NoGpus::Zero]));
    let mut memory = None;
    settings.column(&mut memory);
    if let Some(column) = memory {
        let unit = settings.one_of(&[MemoryUnit::Gb, MemoryUnit::Gib, MemoryUnit::Mb, MemoryUnit::Mib]);
        columns.memory = Some(MemoryColumn { column, unit: unit.unwrap_or_default() });
    }
    mapping
}

fn set<T>(setting: &mut T, choice: Option<T>) {
    if let Some(choice) = choice {
        *setting = choice;
    }
}
