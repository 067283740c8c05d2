//! The stretch of a run that is measured: warming up and cooling down may be cut off.

use crate::units::SimTime;

/// Jobs submitted in `[from, to)` count in figures about jobs; time means, service and device time are taken over `[from, to)`, cut at
/// the last finish; decisions count if their round begins in it. What the run itself does is the same with any window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Its beginning.
    pub from: SimTime,
    /// Its end, which is not part of it.
    pub to: SimTime,
}

impl Default for Window {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Window {
    /// Everything.
    pub const WHOLE: Self = Self { from: SimTime(i64::MIN), to: SimTime::NEVER };

    /// Whether nothing is cut off.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self == Self::WHOLE
    }

    /// Whether a moment lies in it.
    #[must_use]
    pub fn holds(self, time: SimTime) -> bool {
        time >= self.from && time < self.to
    }

    /// The part of a stretch that lies in it; `None` if none does.
    #[must_use]
    pub fn cut(self, from: SimTime, to: SimTime) -> Option<(SimTime, SimTime)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        (from < to).then_some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_end_is_not_part_of_it() {
        let window = Window { from: SimTime(5), to: SimTime(9) };
        assert!(window.holds(SimTime(5)) && !window.holds(SimTime(9)) && !window.holds(SimTime(4)));
        assert_eq!(window.cut(SimTime(0), SimTime(7)), Some((SimTime(5), SimTime(7))));
        assert_eq!(window.cut(SimTime(9), SimTime(12)), None);
        assert!(Window::WHOLE.is_whole() && !window.is_whole());
    }
}
