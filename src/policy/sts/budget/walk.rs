//! The loss-budget dynamic program.
//!
//! A state after some stages is what is left of the tracked resources; kept with it is the least loss that leads there. From
//! layer to layer every state takes every option of the stage, unless
//! * the loss so far exceeds the budget, or some resource runs out;
//! * more is left of a priced resource than can still be used or be paid for;
//! * some table says that the loss will exceed the budget in the end.
//!
//! None of these cuts a choice whose loss is within the budget, and two ways into the same state have the same completions
//! at the same cost, so the smaller loss dominates. Hence: the least loss found is the least loss there is, and finding
//! none proves that every choice loses more than the budget.
//!
//! A *beam* keeps only the most promising states of every layer; it proves nothing, and finds good choices fast.

use std::ops::Range;

use super::frame::{Frame, HOPELESS};
use super::half::trace;
use super::key::{Key, Layout};
use super::pool::{Ahead, Pool, ROOT, Shift, State, Step};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The least loss of all choices; the options are in [`Walk::path`].
    Found(i64),
    /// No choice has a loss within the budget.
    Nothing,
    /// More states than the run may keep.
    Overflow,
    /// The work limit of the whole solve is reached.
    Exhausted,
}

/// Work counted over a whole solve.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Work {
    /// State expansions that may still be made.
    pub(super) left: u64,
    /// States kept so far.
    pub(super) states: u64,
}

/// Options that a run may try for every state that it may keep.
const TRIES_PER_STATE: u64 = 48;

/// How many states a run may keep, and how.
#[derive(Debug, Clone, Copy)]
pub(super) enum Extent {
    /// All of them, up to this many.
    All(usize),
    /// This many per layer.
    Beam(usize),
}

/// Stages after which hopeless states are sifted out, unless there are many new ones before.
const SIFT_AFTER: usize = 12;
/// Options of a stage from which they are sorted into buckets.
const MANY: usize = 24;
/// States looked at that count as one option tried.
const LOOKS_PER_TRY: u64 = 16;

/// The buffers of runs with keys of `N` words.
#[derive(Debug)]
pub(super) struct Walk<const N: usize> {
    pool: Pool<N, ()>,
    shifts: Vec<Shift<N>>,
    steps: Vec<Step>,
    buckets: Buckets,
    /// Options tried in the run.
    tried: u64,
}

impl<const N: usize> Default for Walk<N> {
    fn default() -> Self {
        Self {
            pool: Pool::default(),
            shifts: Vec::new(),
            steps: Vec::new(),
            buckets: Buckets::default(),
            tried: 0,
        }
    }
}

/// What the inner loop needs of a tracked resource after a stage.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    most: u32,
    table: u32,
    free: bool,
}

impl Bound {
    /// The table's lower bound when `left` is left, or `None` if that is too much.
    #[inline]
    fn least(&self, frame: &Frame, left: u32) -> Option<i32> {
        if left > self.most && !self.free {
            return None;
        }
        Some(if self.table == u32::MAX {
            0
        } else {
            frame.table[(self.table + left.min(self.most)) as usize]
        })
    }
}

/// The end of a stage: what states must satisfy from there on.
struct Gate<'a, const N: usize> {
    frame: &'a Frame,
    layout: &'a Layout<N>,
    ahead: Ahead<N>,
    bounds: [Bound; super::RESOURCES],
    budget: i64,
}

impl<const N: usize> Gate<'_, N> {
    fn bounds(&self) -> &[Bound] {
        &self.bounds[..self.frame.tracked.len()]
    }

    /// What may still be lost after `lost`, in units of the tables.
    #[inline]
    fn rest(&self, lost: i64) -> i32 {
        ((self.budget - lost) >> self.frame.shift).min(i64::from(HOPELESS) - 1) as i32
    }

    /// The key of what is left, if that can end within the budget. More of a free resource than can be used is as good as
    /// what can be used.
    #[inline]
    fn admit(&self, mut left: Key<N>, lost: i64) -> Option<Key<N>> {
        let rest = self.rest(lost);
        for (t, bound) in self.bounds().iter().enumerate() {
            let e = self.layout.get(&left, t);
            if bound.least(self.frame, e)? > rest {
                return None;
            }
            if e > bound.most {
                self.layout.lower(&mut left, t, e - bound.most);
            }
        }
        Some(self.ahead.key(&left))
    }
}

/// The options of a stage with many of them, by the amount they take of one resource.
#[derive(Debug, Default)]
struct Buckets {
    /// The resource, if the stage has buckets.
    resource: Option<usize>,
    /// Where the options of each amount start.
    start: Vec<u32>,
    /// Options beside the first, by amount and then by loss.
    options: Vec<u32>,
}

impl Buckets {
    /// Sorts the options of a stage by the resource in whose price they differ most.
    fn fill(&mut self, frame: &Frame, options: Range<usize>) {
        self.resource = None;
        if options.len() < MANY {
            return;
        }
        let mut best = 0;
        for (t, tracked) in frame.tracked.iter().enumerate() {
            let amounts = options.clone().map(|o| frame.usage_of(o)[t]);
            let most = amounts.max().unwrap_or(0);
            let spread = i128::from(most) * i128::from(tracked.lambda);
            if spread > best && frame.reach_at(0)[t].table != u32::MAX {
                best = spread;
                self.resource = Some(t);
                self.start.clear();
                self.start.resize(most as usize + 2, 0);
            }
        }
        let Some(t) = self.resource else { return };
        let others = options.start + 1..options.end;
        for o in others.clone() {
            self.start[frame.usage_of(o)[t] as usize + 1] += 1;
        }
        for a in 1..self.start.len() {
            self.start[a] += self.start[a - 1];
        }
        self.options.clear();
        self.options.resize(others.len(), 0);
        let mut next = self.start.clone();
        for o in others {
            let place = &mut next[frame.usage_of(o)[t] as usize];
            self.options[*place as usize] = o as u32;
            *place += 1;
        }
    }
}

impl<const N: usize> Walk<N> {
    /// Runs a prepared frame. On success `path` holds, per stage of the order, the option's index in the stage list.
    pub(super) fn run(
        &mut self,
        frame: &Frame,
        budget: i64,
        extent: Extent,
        work: &mut Work,
        path: &mut Vec<u32>,
    ) -> Outcome {
        let layout = Layout::<N>::new(&frame.widest);
        let capacity: Vec<u32> = frame.tracked.iter().map(|t| t.capacity).collect();
        self.steps.clear();
        self.tried = 0;
        let mut taken = vec![0; capacity.len()];
        self.pool.start(State { key: layout.pack(&capacity), loss: frame.constant, value: (), step: ROOT });
        let (mut sifted, mut since) = (1, 0);
        for stage in 0..frame.len() {
            for (t, a) in taken.iter_mut().zip(frame.usage_of(frame.start[stage] as usize)) {
                *t += a;
            }
            let mut bounds = [Bound::default(); super::RESOURCES];
            for ((b, r), t) in bounds.iter_mut().zip(frame.reach_at(stage + 1)).zip(&frame.tracked) {
                *b = Bound { most: r.most, table: r.table, free: t.lambda == 0 };
            }
            let ahead = Ahead { after: layout.pack(&taken) };
            let gate = Gate { frame, layout: &layout, ahead, bounds, budget };
            if let Err(outcome) = self.advance(&gate, stage, extent, work) {
                return outcome;
            }
            since += 1;
            if since == SIFT_AFTER || self.pool.len() > 2 * sifted + 64 || stage + 1 == frame.len() {
                self.pool.sift(|key, loss, ()| gate.admit(gate.ahead.left(&layout, key)?, loss));
                (sifted, since) = (self.pool.len(), 0);
                if sifted == 0 {
                    break;
                }
            }
            if let Extent::Beam(width) = extent {
                self.thin(&gate, width);
            }
        }
        work.states += self.steps.len() as u64;
        self.finish(frame, &layout, &taken, budget, path)
    }

    /// The final state of least loss, and the way into it.
    fn finish(
        &self,
        frame: &Frame,
        layout: &Layout<N>,
        taken: &[u32],
        budget: i64,
        path: &mut Vec<u32>,
    ) -> Outcome {
        let mut best = None;
        for i in 0..self.pool.len() {
            let mut loss = self.pool.loss[i];
            for (t, tracked) in frame.tracked.iter().enumerate() {
                let left = layout.get(&self.pool.key[i], t) - taken[t];
                loss = loss.saturating_add(tracked.lambda.saturating_mul(i64::from(left)));
            }
            if loss <= budget && best.is_none_or(|(least, _)| loss < least) {
                best = Some((loss, self.pool.step[i]));
            }
        }
        let Some((loss, step)) = best else { return Outcome::Nothing };
        path.clear();
        path.extend((0..frame.len()).map(|s| frame.option[frame.start[s] as usize]));
        trace(&self.steps, step, |o| {
            path[frame.start.partition_point(|&s| s <= o) - 1] = frame.option[o as usize];
        });
        Outcome::Found(loss)
    }

    /// Goes through one stage.
    fn advance(
        &mut self,
        gate: &Gate<N>,
        stage: usize,
        extent: Extent,
        work: &mut Work,
    ) -> Result<(), Outcome> {
        let frame = gate.frame;
        let options = frame.start[stage] as usize..frame.start[stage + 1] as usize;
        let base = options.start;
        let others = base + 1..options.end;
        self.shifts.clear();
        let shift = |o| gate.ahead.shift(gate.layout, frame.usage_of(base), frame.usage_of(o));
        self.shifts.extend(others.clone().map(shift));
        self.buckets.fill(frame, options);
        let least = others.clone().next().map_or(i64::MAX, |o| frame.loss[o]);
        let before = self.pool.begin();
        let mut tried = before as u64 / LOOKS_PER_TRY + 1;
        for source in 0..before {
            let loss = self.pool.loss[source];
            if loss > gate.budget.saturating_sub(least) {
                continue;
            }
            tried += match self.buckets.resource {
                Some(t) => self.expand_buckets(gate, source, t, base),
                None => self.expand(gate, source, others.clone()),
            };
            // Beams run in any case: they are what is left when the work is used up, and they are short.
            if let Extent::All(most) = extent {
                if work.left < tried {
                    work.left = 0;
                    return Err(Outcome::Exhausted);
                }
                if self.steps.len() > most || self.tried + tried > TRIES_PER_STATE * most as u64 {
                    work.left -= tried;
                    return Err(Outcome::Overflow);
                }
            }
        }
        self.pool.settle();
        self.tried += tried;
        work.left = work.left.saturating_sub(tried);
        Ok(())
    }

    /// Makes the states that follow from one, and says how many options were tried.
    #[inline]
    fn expand(&mut self, gate: &Gate<N>, source: usize, others: Range<usize>) -> u64 {
        let (key, loss) = (self.pool.key[source], self.pool.loss[source]);
        let mut tried = 0;
        for (shift, o) in self.shifts.iter().zip(others) {
            let lost = loss + gate.frame.loss[o];
            if lost > gate.budget {
                break;
            }
            tried += 1;
            let left = gate.ahead.apply(gate.layout, &key, shift);
            if let Some(key) = left.and_then(|left| gate.admit(left, lost)) {
                self.pool.offer(source, (key, lost, ()), o as u32, &mut self.steps);
            }
        }
        tried
    }

    /// The same for a stage with buckets: the table of the buckets' resource says for every amount how much may be lost.
    fn expand_buckets(&mut self, gate: &Gate<N>, source: usize, t: usize, base: usize) -> u64 {
        let frame = gate.frame;
        let (key, loss) = (self.pool.key[source], self.pool.loss[source]);
        let amount = frame.usage_of(base)[t];
        // What is left when the stage takes nothing.
        let left = gate.layout.get(&key, t) + amount;
        let Some(left) = left.checked_sub(gate.layout.get(&gate.ahead.after, t)) else { return 1 };
        let mut tried = 1;
        for a in 0..(self.buckets.start.len() as u32 - 1).min(left.saturating_add(1)) {
            let (from, to) = (self.buckets.start[a as usize], self.buckets.start[a as usize + 1]);
            if from == to {
                continue;
            }
            let Some(bound) = gate.bounds()[t].least(frame, left - a) else { continue };
            for &o in &self.buckets.options[from as usize..to as usize] {
                let lost = loss + frame.loss[o as usize];
                if lost > gate.budget || gate.rest(lost) < bound {
                    break;
                }
                tried += 1;
                let shift = &self.shifts[o as usize - base - 1];
                let left = gate.ahead.apply(gate.layout, &key, shift);
                if let Some(key) = left.and_then(|left| gate.admit(left, lost)) {
                    self.pool.offer(source, (key, lost, ()), o, &mut self.steps);
                }
            }
        }
        tried
    }

    /// Keeps the `width` most promising states: least loss so far plus the *sum* of the tables (their maximum fails when
    /// several resources must close together), then those with most resources near the middle of what can still be used.
    fn thin(&mut self, gate: &Gate<N>, width: usize) {
        self.pool.thin(width, |key, loss, ()| {
            let Some(left) = gate.ahead.left(gate.layout, key) else { return (i64::MAX, 0) };
            let (mut score, mut distance) = (loss >> gate.frame.shift, 0);
            for (t, bound) in gate.bounds().iter().enumerate() {
                let e = gate.layout.get(&left, t);
                score += i64::from(bound.least(gate.frame, e).unwrap_or(HOPELESS));
                distance += (i64::from(e) - i64::from(bound.most) / 2).abs();
            }
            (score, distance)
        });
    }
}
