//! The Gantt of a run: every allocation on its device, as bars over time.
//!
//! [`Schedule`] holds a run as columns ([`Builder`] makes one, [`Schedule::to_bytes`] sends it). [`rows()`] lays out types, nodes,
//! devices and slots, some of them folded ([`Folds`]); a [`Window`] says which stretch of time and which rows are seen.
//! [`Picture::paint`] decides what is drawn of it: rectangles for wide bars, an image for thin ones. [`hit()`] finds the bar at a point,
//! [`search`] the jobs of a name, [`figures()`] the statistics of a selection and [`history`] what happened to one job. [`svg()`] writes
//! what is seen as a file, [`Schedule::write_trace_events`] all of it for Perfetto.
//!
//! Nothing here takes longer for what is not seen: a window of a million bars takes as many steps as there are pixels.

mod bands;
mod events;
mod hit;
mod rows;
mod schedule;
mod shade;
mod statistics;
mod svg;
mod wire;

mod paint;
mod window;

#[cfg(test)]
mod tests;

pub use bands::Bands;
pub use hit::{Hit, MOST_FOUND, Towards, beside, from, hit, search};
pub use paint::{Ground, MOST_RECTANGLES, Picture, Rectangle, Scene, Strip, THIN_PX};
pub use rows::{Folding, Folds, Place, Row, Rows, Shape, devices, rows};
pub use schedule::{
    Builder, Fate, Job, JobInput, Kind, Lane, Lease, LeaseInput, MOST_BARS, NEVER, Node, Outage, Schedule,
    Texts, TooManyBars, Wait, WaitInput,
};
pub use shade::{Category, Colouring, DIMMED, Fill, Rgb, Shades, categories, category, change_s};
pub use statistics::{Event, Figures, What, figures, first_start, history, used};
pub use svg::{AXIS_PX, Frame, Labels, Written, hex, labels, mixed, row_label, svg, token};
pub use window::{Extent, Window};
pub use wire::{Assembler, Broken, Layout, PREFIX_BYTES};
