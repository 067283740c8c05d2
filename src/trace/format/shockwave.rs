//! Shockwave's traces (uw-mad-dash/shockwave, `scheduler/traces/reproduce/*.trace`; Zheng et al., NSDI 2023): Gavel's fields
//! with a mode after the GPUs and a duration before the arrival, 12 in all, separated by tabs, no header.
//!
//! `mode` says how the batch size changes while the job runs (`static`, `accordion`, `gns`), `SLO` is -1 where there is none.
//! A job has no id and no tenant. The publisher's file names contain commas.

use crate::trace::format::gavel::{COLUMNS, Reader, evidence, fields, is_number, newer, tabs};
use crate::trace::format::{Evidence, Format, Layout, RowReader, Shape};
use crate::trace::refusal::Refusal;
use crate::trace::rows::Header;
use crate::trace::sample::Sample;

pub(super) static FORMAT: Format = Format {
    name: "shockwave",
    title: "Shockwave (tab-separated)",
    help: "scheduler/traces/reproduce/*.trace of uw-mad-dash/shockwave: 12 fields separated by tabs, no header. Jobs have no \
           id and no tenant. Modes, steps, weights and SLOs are not used.",
    columns: &COLUMNS,
    detect,
    shape: Shape::Table { layout, open },
};

const FIELDS: [&str; 12] = newer!["mode", "priority_weight", "SLO", "duration", "arrival_time"];

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let first = fields(sample.first_line());
    let [.., mode, weight, _, duration, _] = first.as_slice() else { return None };
    let fits = first.len() == FIELDS.len() && !is_number(mode) && is_number(weight) && is_number(duration);
    if fits { evidence(&first, &FIELDS) } else { None }
}

fn layout(_: &Sample<'_>) -> Layout {
    tabs(&FIELDS)
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    Ok(Box::new(Reader::new(&FORMAT, header)?))
}
