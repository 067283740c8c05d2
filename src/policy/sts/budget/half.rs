//! All useful ways through some of a tenant's stages.
//!
//! A state is what is left of the tenant's [`Span`], see [`pool`](super::pool); kept with it are the sum of regrets and the
//! value (less that of the base). Of two ways into the same state the one with the smaller regrets is kept: it has the
//! greater gain and no smaller value, see [`menu`](super::menu).

use super::key::Layout;
use super::pool::{Ahead, Pool, ROOT, Shift, State, Step};
use super::span::Span;

/// What a state must satisfy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Greatest loss `regrets + mu * (value - need)`.
    pub(super) budget: i64,
    /// Price of value above the need.
    pub(super) mu: i64,
    /// Least value, less that of the base.
    pub(super) need: i64,
}

impl Window {
    /// The loss of a choice, if it is in the window.
    #[inline]
    pub(super) fn loss(&self, regrets: i64, value: i64) -> Option<i64> {
        if value < self.need {
            return None;
        }
        let rest = self.budget - regrets;
        let surplus = value - self.need;
        if rest < 0 || (self.mu > 0 && surplus > rest / self.mu) {
            return None;
        }
        Some(regrets + self.mu * surplus)
    }

    /// Whether a state can still end in the window, if the stages to come add a value in `swing`.
    #[inline]
    fn reachable(&self, regrets: i64, value: i64, swing: (i64, i64), most_surplus: i64) -> bool {
        // `most_surplus` is the budget over the price: a cheap test first, the exact one only where it matters.
        if value + swing.1 < self.need {
            return false;
        }
        let surplus = value + swing.0 - self.need;
        surplus <= 0 || (surplus <= most_surplus && regrets + self.mu * surplus <= self.budget)
    }
}

/// Which stages are enumerated, and how far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) stages: &'a [u32],
    /// What the other stages can add to the value.
    pub(super) others: (i64, i64),
    /// Most options that may be tried.
    pub(super) tries: u64,
    /// States kept per stage, if not all.
    pub(super) beam: Option<usize>,
}

/// The states after the last stage of a part.
#[derive(Debug)]
pub(super) struct Half<const N: usize> {
    /// What they leave of the span, with their regrets, values and last steps.
    pub(super) pool: Pool<N, i64>,
    /// Options tried.
    pub(super) tried: u64,
    shifts: Vec<Shift<N>>,
}

impl<const N: usize> Default for Half<N> {
    fn default() -> Self {
        Self { pool: Pool::default(), tried: 0, shifts: Vec::new() }
    }
}

/// States looked at that count as one option tried.
const LOOKS_PER_TRY: u64 = 16;
/// Stages after which hopeless states are sifted out, unless there are many new ones before.
const SIFT_AFTER: usize = 12;

impl<const N: usize> Half<N> {
    /// Enumerates a part. False if the tries do not suffice.
    pub(super) fn enumerate(
        &mut self,
        span: &Span,
        layout: &Layout<N>,
        part: Part,
        window: &Window,
        steps: &mut Vec<Step>,
    ) -> bool {
        self.tried = 0;
        steps.clear();
        let first = |s: &u32| span.options(*s as usize).start;
        // Without anything dropped the first option is the base, at no loss.
        let loss = part.stages.iter().map(|s| span.loss[first(s)]).fold(0, i64::saturating_add);
        let value: i64 = part.stages.iter().map(|s| span.value[first(s)]).sum();
        let pool = &mut self.pool;
        pool.start(State { key: layout.pack(&span.room), loss, value, step: ROOT });
        let most_surplus = if window.mu > 0 { window.budget / window.mu } else { i64::MAX };
        let ahead = span.swing_of(part.stages);
        // What the stages to come and the others can add, beyond their first options.
        let mut swing = (ahead.0 - value + part.others.0, ahead.1 - value + part.others.1);
        let mut taken = vec![0u32; span.tracked.len()];
        let (mut sifted, mut since) = (1, 0);
        for (i, &stage) in part.stages.iter().enumerate() {
            let stage = stage as usize;
            let options = span.options(stage);
            let base = options.start;
            swing.0 -= span.swing[stage].0 - span.value[base];
            swing.1 -= span.swing[stage].1 - span.value[base];
            for (t, a) in taken.iter_mut().zip(span.usage_of(base)) {
                *t += a;
            }
            let ahead = Ahead { after: layout.pack(&taken) };
            self.shifts.clear();
            let others = base + 1..options.end;
            self.shifts
                .extend(others.clone().map(|o| ahead.shift(layout, span.usage_of(base), span.usage_of(o))));
            let before = pool.begin();
            self.tried += before as u64 / LOOKS_PER_TRY + 1;
            let least = others.clone().next().map_or(i64::MAX, |o| span.loss[o] - span.loss[base]);
            for source in 0..before {
                let loss = pool.loss[source];
                if loss > window.budget.saturating_sub(least) {
                    continue;
                }
                let (key, value) = (pool.key[source], pool.value[source]);
                for (shift, o) in self.shifts.iter().zip(others.clone()) {
                    let lost = loss + (span.loss[o] - span.loss[base]);
                    if lost > window.budget {
                        break;
                    }
                    self.tried += 1;
                    let worth = value + (span.value[o] - span.value[base]);
                    if !window.reachable(lost, worth, swing, most_surplus) {
                        continue;
                    }
                    if let Some(left) = ahead.apply(layout, &key, shift) {
                        pool.offer(source, (ahead.key(&left), lost, worth), span.option[o], steps);
                    }
                }
            }
            pool.settle();
            if self.tried > part.tries {
                return false;
            }
            since += 1;
            let last = i + 1 == part.stages.len();
            if last || since == SIFT_AFTER || pool.len() > 2 * sifted + 64 {
                pool.sift(|key, loss, &value| {
                    let left = ahead.left(layout, key)?;
                    let hopeful = loss <= window.budget && window.reachable(loss, value, swing, most_surplus);
                    // In the end only what is left counts.
                    hopeful.then_some(if last { left } else { *key })
                });
                (sifted, since) = (pool.len(), 0);
            }
            if let Some(width) = part.beam {
                // The least regrets, plus something for being far from the floor.
                pool.thin(width, |_, loss, value| {
                    let far = (value - window.need).abs();
                    i128::from(loss) + i128::from(window.mu / 8) * i128::from(far)
                });
            }
        }
        if part.stages.is_empty() {
            pool.sift(|key, loss, &value| {
                let hopeful = loss <= window.budget && window.reachable(loss, value, swing, most_surplus);
                hopeful.then_some(*key)
            });
        }
        true
    }
}

/// The steps on the way into a state, last first.
pub(super) fn trace(steps: &[Step], mut step: u32, mut each: impl FnMut(u32)) {
    while step != ROOT {
        let s = steps[step as usize];
        each(s.option);
        step = s.parent;
    }
}

/// The greatest counts of keys for a span: what is left, and what first options take ahead. `None` if they are too great.
pub(super) fn widest(span: &Span) -> Option<Vec<u32>> {
    let mut widest: Vec<u64> = span.room.iter().map(|&r| u64::from(r)).collect();
    for s in 0..span.len() {
        for (w, &a) in widest.iter_mut().zip(span.usage_of(span.options(s).start)) {
            *w += u64::from(a);
        }
    }
    widest.into_iter().map(|w| u32::try_from(w).ok()).collect()
}
