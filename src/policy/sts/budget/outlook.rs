//! What a tenant's loss can still come to, from any point on the way through its stages.
//!
//! Usage left aside, the rest of the way is a covering problem in one dimension: raise the value to the floor at the least loss.
//! Backwards from the last stage, a *front* holds the sums of moves that no other one beats,
//! ```text
//! (gain of value, cost)          cost = regrets + mu * gain
//! ```
//! where more gain for no more cost beats. The cheapest one that lifts a state to the floor bounds its loss from below, so a state
//! whose bound exceeds the budget leads to no entry of the menu. With the whole way ahead the bound is the tenant's integrality
//! loss, or proves that it exceeds the budget.
//!
//! Fronts that grow too long are thinned: of two neighbours one remains, with the greater gain and the smaller cost. That only
//! weakens the bound.

use super::half::Window;
use super::span::Span;

/// Greatest length of a front.
const LENGTH: usize = 1024;
/// Points merged that count as one option tried.
const POINTS_PER_TRY: u64 = 16;

/// A sum of moves.
#[derive(Debug, Clone, Copy)]
struct Point {
    gain: i64,
    cost: i64,
}

/// The fronts of all stages, backwards.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    points: Vec<Point>,
    /// Where the front of the last `i` stages starts in `points`; one more than there are fronts.
    start: Vec<u32>,
    front: Vec<Point>,
    merged: Vec<Point>,
}

impl Outlook {
    /// Looks ahead over all stages of a span. False if numbers are too great for that.
    pub(super) fn build(&mut self, span: &Span, window: &Window, spent: &mut u64) -> bool {
        self.points.clear();
        self.start.clear();
        let all: Vec<u32> = (0..span.len() as u32).collect();
        let swing = span.swing_of(&all);
        let widest = swing.1.saturating_sub(swing.0).saturating_add(window.need.saturating_abs());
        if window.mu.checked_mul(widest).is_none_or(|most| most > i64::MAX / 4) {
            return false;
        }
        self.front.clear();
        self.front.push(Point { gain: 0, cost: 0 });
        self.keep();
        for stage in (0..span.len()).rev() {
            self.extend(span, stage, window, spent);
            self.keep();
        }
        self.start.push(self.points.len() as u32);
        true
    }

    fn keep(&mut self) {
        self.start.push(self.points.len() as u32);
        self.points.extend_from_slice(&self.front);
    }

    /// The front with one more stage ahead: ascending gain and cost.
    fn extend(&mut self, span: &Span, stage: usize, window: &Window, spent: &mut u64) {
        let (start, options) = (self.start.len() - 1, span.options(stage));
        let base = options.start;
        let before = self.start[start] as usize..self.points.len();
        // The first option changes nothing.
        for o in base + 1..options.end {
            let (regret, gain) = (span.loss[o] - span.loss[base], span.value[o] - span.value[base]);
            if regret > window.budget {
                break;
            }
            let cost = regret + window.mu * gain;
            let moved = self.points[before.clone()]
                .iter()
                .map(|p| Point { gain: p.gain + gain, cost: p.cost + cost })
                .filter(|p| p.cost - window.mu * p.gain <= window.budget);
            *spent += (self.front.len() + before.len()) as u64 / POINTS_PER_TRY + 1;
            merge(&self.front, moved, &mut self.merged);
            std::mem::swap(&mut self.front, &mut self.merged);
        }
        if self.front.len() > LENGTH {
            thin(&mut self.front);
        }
    }

    /// A lower bound on the loss that a state ends with, when `left` stages are ahead of it.
    #[inline]
    pub(super) fn least(&self, left: usize, regrets: i64, value: i64, window: &Window) -> i64 {
        let front = &self.points[self.start[left] as usize..self.start[left + 1] as usize];
        let lacking = window.need - value;
        match front.get(front.partition_point(|p| p.gain < lacking)) {
            Some(p) => regrets + p.cost - window.mu * lacking,
            None => i64::MAX,
        }
    }
}

/// Merges two lists of ascending gain into the points that no other one beats.
fn merge(a: &[Point], b: impl DoubleEndedIterator<Item = Point>, into: &mut Vec<Point>) {
    into.clear();
    let mut a = a.iter().rev().copied().peekable();
    let mut b = b.rev().peekable();
    // From the greatest gain down, a point must cost less than all before it.
    let mut cheapest = i64::MAX;
    loop {
        let from_a = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => (x.gain, -x.cost) >= (y.gain, -y.cost),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        let Some(p) = (if from_a { a.next() } else { b.next() }) else { break };
        if p.cost < cheapest {
            cheapest = p.cost;
            into.push(p);
        }
    }
    into.reverse();
}

/// Halves a front: of two neighbours one remains, which is no worse than either.
fn thin(front: &mut Vec<Point>) {
    let len = front.len();
    let mut to = 0;
    for i in (0..len).step_by(2) {
        let high = front[(i + 1).min(len - 1)];
        front[to] = Point { gain: high.gain, cost: front[i].cost };
        to += 1;
    }
    front.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(i64, i64)]) -> Vec<Point> {
        list.iter().map(|&(gain, cost)| Point { gain, cost }).collect()
    }

    fn pairs(list: &[Point]) -> Vec<(i64, i64)> {
        list.iter().map(|p| (p.gain, p.cost)).collect()
    }

    #[test]
    fn merging_keeps_what_no_other_beats() {
        let (a, b) = (points(&[(-2, 0), (1, 3), (5, 9)]), points(&[(-3, -1), (1, 2), (4, 9), (6, 9)]));
        let mut merged = Vec::new();
        merge(&a, b.into_iter(), &mut merged);
        assert_eq!(pairs(&merged), [(-3, -1), (-2, 0), (1, 2), (6, 9)]);
    }

    #[test]
    fn a_thinned_front_is_no_worse_at_any_gain() {
        let front = points(&[(0, 0), (2, 1), (3, 4), (7, 5), (8, 8)]);
        let mut thinned = front.clone();
        thin(&mut thinned);
        assert_eq!(pairs(&thinned), [(2, 0), (7, 4), (8, 8)]);
        let least = |front: &[Point], gain| front.iter().find(|p| p.gain >= gain).map(|p| p.cost);
        for gain in -1..9 {
            assert!(least(&thinned, gain) <= least(&front, gain), "{gain}");
        }
    }
}
