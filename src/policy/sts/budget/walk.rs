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

use super::frame::{Frame, HOPELESS};
use super::key::{Key, Layout};
use super::table::Table;

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

/// The way into a state.
#[derive(Debug, Clone, Copy)]
struct Step {
    parent: u32,
    option: u32,
}

/// The states of one layer.
#[derive(Debug)]
struct Layer<const N: usize> {
    key: Vec<Key<N>>,
    loss: Vec<i64>,
}

impl<const N: usize> Default for Layer<N> {
    fn default() -> Self {
        Self { key: Vec::new(), loss: Vec::new() }
    }
}

/// The buffers of runs with keys of `N` words.
#[derive(Debug)]
pub(super) struct Walk<const N: usize> {
    now: Layer<N>,
    next: Layer<N>,
    packed: Vec<Key<N>>,
    steps: Vec<Step>,
    /// Where each layer's steps start.
    layers: Vec<usize>,
    table: Table,
    order: Vec<(i64, i64, u32)>,
    /// Options tried in the run.
    tried: u64,
}

impl<const N: usize> Default for Walk<N> {
    fn default() -> Self {
        Self {
            now: Layer::default(),
            next: Layer::default(),
            packed: Vec::new(),
            steps: Vec::new(),
            layers: Vec::new(),
            table: Table::default(),
            order: Vec::new(),
            tried: 0,
        }
    }
}

/// What the inner loop needs of a tracked resource.
#[derive(Debug, Clone, Copy, Default)]
struct Bound {
    most: u32,
    table: u32,
    free: bool,
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
        let tracked = frame.tracked.len();
        let mut widest = [0; super::RESOURCES];
        for (w, t) in widest.iter_mut().zip(&frame.tracked) {
            *w = t.capacity;
        }
        let layout = Layout::<N>::new(&widest[..tracked]);
        self.packed.clear();
        self.packed.extend((0..frame.loss.len()).map(|o| layout.pack(frame.usage_of(o))));
        self.steps.clear();
        self.layers.clear();
        self.now.key.clear();
        self.now.loss.clear();
        self.tried = 0;
        self.now.key.push(layout.pack(&widest[..tracked]));
        self.now.loss.push(frame.constant);
        for stage in 0..frame.len() {
            if let Err(outcome) = self.advance(frame, &layout, stage, budget, extent, work) {
                return outcome;
            }
        }
        let mut best = None;
        for (i, (key, &loss)) in self.now.key.iter().zip(&self.now.loss).enumerate() {
            let slack: i64 = (0..tracked)
                .map(|t| frame.tracked[t].lambda.saturating_mul(i64::from(layout.get(key, t))))
                .fold(0, i64::saturating_add);
            let loss = loss.saturating_add(slack);
            if loss <= budget && best.is_none_or(|(least, _)| loss < least) {
                best = Some((loss, i));
            }
        }
        let Some((loss, mut at)) = best else { return Outcome::Nothing };
        path.clear();
        path.resize(frame.len(), 0);
        for stage in (0..frame.len()).rev() {
            let step = self.steps[self.layers[stage] + at];
            path[stage] = frame.option[step.option as usize];
            at = step.parent as usize;
        }
        Outcome::Found(loss)
    }

    /// Goes through one stage.
    fn advance(
        &mut self,
        frame: &Frame,
        layout: &Layout<N>,
        stage: usize,
        budget: i64,
        extent: Extent,
        work: &mut Work,
    ) -> Result<(), Outcome> {
        let options = frame.start[stage] as usize..frame.start[stage + 1] as usize;
        let tracked = frame.tracked.len();
        let mut bounds = [Bound::default(); super::RESOURCES];
        for ((b, r), t) in bounds.iter_mut().zip(frame.reach_at(stage + 1)).zip(&frame.tracked) {
            *b = Bound { most: r.most, table: r.table, free: t.lambda == 0 };
        }
        let bounds = &bounds[..tracked];
        self.next.key.clear();
        self.next.loss.clear();
        self.table.clear(self.now.key.len().saturating_mul(2));
        let layer = self.steps.len();
        self.layers.push(layer);
        for parent in 0..self.now.key.len() {
            let (left, loss) = (self.now.key[parent], self.now.loss[parent]);
            let mut tried = 0;
            'options: for o in options.clone() {
                let lost = loss + frame.loss[o];
                if lost > budget {
                    break;
                }
                tried += 1;
                let Some(mut key) = layout.take(&left, &self.packed[o]) else { continue };
                let rest = ((budget - lost) >> frame.shift).min(i64::from(HOPELESS) - 1) as i32;
                for (t, b) in bounds.iter().enumerate() {
                    let mut e = layout.get(&key, t);
                    if e > b.most {
                        if !b.free {
                            continue 'options;
                        }
                        layout.lower(&mut key, t, e - b.most);
                        e = b.most;
                    }
                    if b.table != u32::MAX && frame.table[(b.table + e) as usize] > rest {
                        continue 'options;
                    }
                }
                let step = Step { parent: parent as u32, option: o as u32 };
                match self.table.find_or_insert(&key, &self.next.key) {
                    Some(at) => {
                        if lost < self.next.loss[at] {
                            self.next.loss[at] = lost;
                            self.steps[layer + at] = step;
                        }
                    }
                    None => {
                        self.next.key.push(key);
                        self.next.loss.push(lost);
                        self.steps.push(step);
                    }
                }
            }
            // Beams run in any case: they are what is left when the work is used up, and they are short.
            if let Extent::All(most) = extent {
                if work.left < tried {
                    return Err(Outcome::Exhausted);
                }
                self.tried += tried;
                if self.steps.len() > most || self.tried > TRIES_PER_STATE * most as u64 {
                    return Err(Outcome::Overflow);
                }
            }
            work.left = work.left.saturating_sub(tried);
        }
        if self.next.key.is_empty() {
            return Err(Outcome::Nothing);
        }
        if let Extent::Beam(width) = extent
            && self.next.key.len() > width
        {
            self.thin(frame, layout, stage + 1, width, layer);
        }
        work.states += self.next.key.len() as u64;
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(())
    }

    /// Keeps the `width` most promising states of the new layer: least loss so far plus the *sum* of the tables (their
    /// maximum fails when several resources must close together), then those with most resources near the middle of what
    /// can still be used.
    fn thin(&mut self, frame: &Frame, layout: &Layout<N>, stage: usize, width: usize, layer: usize) {
        self.order.clear();
        for (i, (key, &loss)) in self.next.key.iter().zip(&self.next.loss).enumerate() {
            let (mut score, mut distance) = (loss >> frame.shift, 0);
            for (t, r) in frame.reach_at(stage).iter().enumerate() {
                let e = layout.get(key, t);
                if r.table != u32::MAX {
                    score += i64::from(frame.table[(r.table + e) as usize]);
                }
                distance += (i64::from(e) - i64::from(r.most) / 2).abs();
            }
            self.order.push((score, distance, i as u32));
        }
        self.order.select_nth_unstable(width);
        self.order.truncate(width);
        self.order.sort_unstable_by_key(|o| o.2);
        for (to, &(_, _, from)) in self.order.iter().enumerate() {
            let from = from as usize;
            self.next.key[to] = self.next.key[from];
            self.next.loss[to] = self.next.loss[from];
            self.steps[layer + to] = self.steps[layer + from];
        }
        self.next.key.truncate(width);
        self.next.loss.truncate(width);
        self.steps.truncate(layer + width);
    }
}
