//! Which bar is at a point, which is next to another, and which jobs have a name.

use super::rows::{Place, Row, Shape, devices};
use super::schedule::Schedule;

/// How far a bar that is looked for may be, in px.
const REACH_PX: f64 = 2.0;
/// Most jobs that a search lists.
pub const MOST_FOUND: usize = 50;

/// What is at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hit {
    /// A bar.
    Bar(u32),
    /// A place without a bar: a folded row, or where nothing runs.
    Row(Place),
}

/// What is in a row at a tick and, for unfolded devices, at a height within the row; a bar may be 2 px away.
#[must_use]
pub fn hit(schedule: &Schedule, row: &Row, tick: f64, y: f64, ticks_per_px: f64) -> Hit {
    if row.shape == Shape::Band {
        return Hit::Row(row.place);
    }
    let of = devices(schedule, row.place);
    let positions = schedule.kind_of(of.start).map_or(1, |(_, kind)| kind.positions);
    let position = (y / row.height * f64::from(positions)).clamp(0.0, f64::from(positions) - 1.0) as u8;
    let reach = REACH_PX * ticks_per_px;
    let mut nearest: Option<(f64, u32)> = None;
    for lane in schedule.lanes_of(of) {
        let Some(shape) = schedule.lanes().get(lane as usize) else { continue };
        if !(shape.first..shape.first + shape.height).contains(&position) {
            continue;
        }
        for bar in nearby(schedule, lane, tick) {
            let Some(span) = schedule.span(bar) else { continue };
            let (from, to) = (f64::from(span.start), f64::from(span.end));
            let distance = (from - tick).max(tick - to).max(0.0);
            if distance <= reach && nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, bar));
            }
        }
    }
    nearest.map_or(Hit::Row(row.place), |(_, bar)| Hit::Bar(bar))
}

/// The bar of a lane at a tick, or those before and after it.
fn nearby(schedule: &Schedule, lane: u32, tick: f64) -> impl Iterator<Item = u32> {
    let bars = schedule.lane(lane);
    let starts = schedule.starts.get(bars.clone()).unwrap_or(&[]);
    let after = bars.start + starts.partition_point(|&start| f64::from(start) <= tick);
    let before = after.checked_sub(1).filter(|&bar| bar >= bars.start);
    before.into_iter().chain(Some(after).filter(|&bar| bar < bars.end)).map(|bar| bar as u32)
}

/// In which direction of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Towards {
    /// Later.
    Next,
    /// Earlier.
    Previous,
}

/// The bar of the same device that begins next after another, or last before it; of those that begin together, by lane.
#[must_use]
pub fn beside(schedule: &Schedule, bar: u32, towards: Towards) -> Option<u32> {
    let (here, lane) = schedule.lane_of(bar)?;
    let start = schedule.span(bar)?.start;
    let lanes = schedule.lanes_of(lane.device..lane.device + 1);
    let candidates = lanes.filter_map(|other| {
        let bars = schedule.lane(other);
        let starts = schedule.starts.get(bars.clone())?;
        let at = match towards {
            Towards::Next => starts.partition_point(|&s| (s, other) <= (start, here)),
            Towards::Previous => starts.partition_point(|&s| (s, other) < (start, here)).checked_sub(1)?,
        };
        let start = *starts.get(at)?;
        Some((start, other, (bars.start + at) as u32))
    });
    let found = match towards {
        Towards::Next => candidates.min(),
        Towards::Previous => candidates.max(),
    };
    found.map(|(_, _, bar)| bar)
}

/// The bar in some devices that begins first from a tick on, or last before it.
#[must_use]
pub fn from(schedule: &Schedule, place: Place, tick: f64, towards: Towards) -> Option<u32> {
    let candidates = schedule.lanes_of(devices(schedule, place)).filter_map(|lane| {
        let bars = schedule.lane(lane);
        let starts = schedule.starts.get(bars.clone())?;
        let after = starts.partition_point(|&start| f64::from(start) < tick);
        let at = match towards {
            Towards::Next => after,
            Towards::Previous => after.checked_sub(1)?,
        };
        Some((*starts.get(at)?, lane, (bars.start + at) as u32))
    });
    let found = match towards {
        Towards::Next => candidates.min(),
        Towards::Previous => candidates.max(),
    };
    found.map(|(_, _, bar)| bar)
}

/// Jobs whose name contains a text, whatever its letters' case: those that are called so, then those whose name begins with it, then
/// the others, each in order of submission; at most [`MOST_FOUND`].
#[must_use]
pub fn search(schedule: &Schedule, wanted: &str) -> Vec<u32> {
    let wanted = wanted.trim().as_bytes();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: [Vec<u32>; 3] = Default::default();
    let mut from = 0;
    for (job, &end) in (0_u32..).zip(&schedule.names.ends) {
        let name = schedule.names.bytes.get(from..end as usize).unwrap_or(&[]);
        from = end as usize;
        if name.len() < wanted.len() {
            continue;
        }
        let is_here = |at: usize| name[at..at + wanted.len()].eq_ignore_ascii_case(wanted);
        let Some(at) = (0..=name.len() - wanted.len()).find(|&at| is_here(at)) else { continue };
        let rank = match at {
            0 if name.len() == wanted.len() => 0,
            0 => 1,
            _ => 2,
        };
        if found[rank].len() < MOST_FOUND {
            found[rank].push(job);
        }
    }
    found.into_iter().flatten().take(MOST_FOUND).collect()
}
