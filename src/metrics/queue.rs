//! How many jobs wait, over time.

use super::window::Window;
use crate::sim::RunRecord;
use crate::units::SimTime;

/// The number of waiting jobs over a stretch of time, each moment counting alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Queue {
    /// Its mean over time.
    pub mean: f64,
    /// The least length that it does not exceed in 95 % of the time.
    pub p95: f64,
    /// The longest.
    pub max: f64,
}

impl Queue {
    /// The queue of a run in `window`, up to `end`; `None` for an empty stretch or a run without a record of its load.
    #[must_use]
    pub fn of(record: &RunRecord, window: Window, end: SimTime) -> Option<Self> {
        let (from, to) = window.cut(SimTime::ZERO, end)?;
        if record.load.is_empty() {
            return None;
        }
        let mut stretches: Vec<(u32, i64)> = Vec::with_capacity(record.load.len());
        for (index, load) in record.load.iter().enumerate() {
            let until = record.load.get(index + 1).map_or(to, |next| next.at);
            let (start, until) = (load.at.max(from), until.min(to));
            if until > start {
                stretches.push((load.waiting, (until - start).0));
            }
        }
        let span = i128::from((to - from).0);
        // Before the first event nobody waits.
        let known: i128 = stretches.iter().map(|&(_, us)| i128::from(us)).sum();
        stretches.push((0, i64::try_from(span - known).unwrap_or(0).max(0)));
        stretches.sort_unstable();
        let sum: i128 = stretches.iter().map(|&(waiting, us)| i128::from(waiting) * i128::from(us)).sum();
        let mut passed = 0i128;
        let p95 = stretches.iter().find(|&&(_, us)| {
            passed += i128::from(us);
            passed * 100 >= span * 95
        });
        Some(Self {
            mean: sum as f64 / span as f64,
            p95: f64::from(p95.or(stretches.last())?.0),
            max: f64::from(stretches.iter().rev().find(|&&(_, us)| us > 0)?.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Load;

    fn record(loads: &[(i64, u32)]) -> RunRecord {
        let load = loads
            .iter()
            .map(|&(at, waiting)| Load { at: SimTime(at), running: 0, waiting, used: None })
            .collect();
        RunRecord { load, ..RunRecord::default() }
    }

    #[test]
    fn lengths_count_by_how_long_they_last() {
        // 10 µs with nobody, 40 with 2, 45 with 1 and 5 with 7: mean (80 + 45 + 35) / 100; in 95 % of the time at most 2 wait.
        let run = record(&[(10, 2), (50, 1), (95, 7)]);
        let queue = Queue::of(&run, Window::WHOLE, SimTime(100)).unwrap();
        assert_eq!(queue, Queue { mean: 1.6, p95: 2.0, max: 7.0 });
        let half = Window { from: SimTime(50), to: SimTime(95) };
        let queue = Queue::of(&run, half, SimTime(100)).unwrap();
        assert_eq!(queue, Queue { mean: 1.0, p95: 1.0, max: 1.0 });
        assert_eq!(Queue::of(&run, Window::WHOLE, SimTime::ZERO), None);
    }
}
