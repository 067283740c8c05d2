//! The states of a dynamic program, changed in place from stage to stage.
//!
//! Most stages are bundles of copies that stay at their base in most choices. So a state is written down *relative to the
//! base*: taking the first option of a stage changes nothing, and only the other options make states. With
//! ```text
//! key = left + ahead            ahead = what the first options of the stages so far take, beyond the least
//! ```
//! per resource, `left` is what is left, as if every stage took its first option; a state is possible while `key >= ahead`.
//!
//! States of a stage must not be used twice in it. While the states that were there before the stage are gone through
//! in order, a better way into one that is still to come waits until the stage is settled.
//!
//! Equal keys have equal completions at equal cost, so the smaller loss dominates. States that have become hopeless may
//! stay for a while; they dominate only states that are hopeless too.

use super::key::{Key, Layout};
use super::table::Table;

/// Loss of a state that is out.
const OUT: i64 = i64::MAX;

/// The root of all ways.
pub(super) const ROOT: u32 = u32::MAX;

/// One move on the way into a state: the move before, and the option taken. Stages not on the way took their first option.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) parent: u32,
    pub(super) option: u32,
}

/// A state.
#[derive(Debug, Clone, Copy)]
pub(super) struct State<const N: usize, V> {
    pub(super) key: Key<N>,
    pub(super) loss: i64,
    /// What else is kept with a state.
    pub(super) value: V,
    /// Its last step, or [`ROOT`].
    pub(super) step: u32,
}

/// A better way into a state that is still to be gone through.
#[derive(Debug, Clone, Copy)]
struct Waiting<V> {
    at: u32,
    step: u32,
    loss: i64,
    value: V,
}

/// The states.
#[derive(Debug)]
pub(super) struct Pool<const N: usize, V> {
    pub(super) key: Vec<Key<N>>,
    pub(super) loss: Vec<i64>,
    pub(super) value: Vec<V>,
    pub(super) step: Vec<u32>,
    waiting: Vec<Waiting<V>>,
    table: Table,
    /// States before the stage that is under way.
    before: usize,
}

impl<const N: usize, V> Default for Pool<N, V> {
    fn default() -> Self {
        Self {
            key: Vec::new(),
            loss: Vec::new(),
            value: Vec::new(),
            step: Vec::new(),
            waiting: Vec::new(),
            table: Table::default(),
            before: 0,
        }
    }
}

impl<const N: usize, V: Copy> Pool<N, V> {
    /// Starts with one state.
    pub(super) fn start(&mut self, first: State<N, V>) {
        self.key.clear();
        self.loss.clear();
        self.value.clear();
        self.step.clear();
        self.waiting.clear();
        self.table.clear(64);
        self.before = 0;
        self.table.find_or_insert(&first.key, &self.key);
        self.push(first);
    }

    pub(super) fn len(&self) -> usize {
        self.key.len()
    }

    fn push(&mut self, state: State<N, V>) {
        self.key.push(state.key);
        self.loss.push(state.loss);
        self.value.push(state.value);
        self.step.push(state.step);
    }

    /// Begins a stage, and says how many states are to be gone through.
    pub(super) fn begin(&mut self) -> usize {
        self.before = self.len();
        self.before
    }

    /// Offers a state made from the one at `source` by `option`.
    #[inline]
    pub(super) fn offer(
        &mut self,
        source: usize,
        (key, loss, value): (Key<N>, i64, V),
        option: u32,
        steps: &mut Vec<Step>,
    ) {
        let found = self.table.find_or_insert(&key, &self.key);
        if found.is_some_and(|at| self.loss[at] <= loss) {
            return;
        }
        let step = steps.len() as u32;
        steps.push(Step { parent: self.step[source], option });
        match found {
            Some(at) if at > source && at < self.before => {
                self.waiting.push(Waiting { at: at as u32, step, loss, value });
            }
            Some(at) => {
                self.loss[at] = loss;
                self.value[at] = value;
                self.step[at] = step;
            }
            None => self.push(State { key, loss, value, step }),
        }
    }

    /// Ends a stage.
    pub(super) fn settle(&mut self) {
        for w in self.waiting.drain(..) {
            let at = w.at as usize;
            if w.loss < self.loss[at] {
                self.loss[at] = w.loss;
                self.value[at] = w.value;
                self.step[at] = w.step;
            }
        }
    }

    /// Keeps the states for which `keep` returns a key, which may be another one with the same completions.
    pub(super) fn sift(&mut self, mut keep: impl FnMut(&Key<N>, i64, &V) -> Option<Key<N>>) {
        let mut to = 0;
        let mut changed = false;
        for i in 0..self.len() {
            if self.loss[i] == OUT {
                continue;
            }
            let Some(key) = keep(&self.key[i], self.loss[i], &self.value[i]) else { continue };
            changed |= key != self.key[i];
            self.key[to] = key;
            self.loss[to] = self.loss[i];
            self.value[to] = self.value[i];
            self.step[to] = self.step[i];
            to += 1;
        }
        self.truncate(to);
        if changed {
            self.merge();
        } else {
            self.table.rebuild(&self.key);
        }
    }

    fn truncate(&mut self, len: usize) {
        self.key.truncate(len);
        self.loss.truncate(len);
        self.value.truncate(len);
        self.step.truncate(len);
    }

    /// Merges states with equal keys.
    fn merge(&mut self) {
        self.table.clear(self.len());
        let mut to = 0;
        for i in 0..self.len() {
            let key = self.key[i];
            // Positions before `to` are final.
            let at = match self.table.find_or_insert(&key, &self.key[..to]) {
                Some(at) if self.loss[i] < self.loss[at] => at,
                Some(_) => continue,
                None => {
                    to += 1;
                    to - 1
                }
            };
            self.key[at] = key;
            self.loss[at] = self.loss[i];
            self.value[at] = self.value[i];
            self.step[at] = self.step[i];
        }
        self.truncate(to);
    }

    /// Keeps the `width` states of least score, in order.
    pub(super) fn thin<S: Ord>(&mut self, width: usize, mut score: impl FnMut(&Key<N>, i64, &V) -> S) {
        if self.len() <= width {
            return;
        }
        let scores = (0..self.len()).map(|i| (score(&self.key[i], self.loss[i], &self.value[i]), i));
        let mut order: Vec<(S, usize)> = scores.collect();
        order.select_nth_unstable(width);
        order.truncate(width);
        order.sort_unstable_by_key(|o| o.1);
        for (to, &(_, from)) in order.iter().enumerate() {
            self.key[to] = self.key[from];
            self.loss[to] = self.loss[from];
            self.value[to] = self.value[from];
            self.step[to] = self.step[from];
        }
        self.truncate(width);
        self.table.rebuild(&self.key);
    }
}

/// A move relative to the base: what it gives back and what it takes, packed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shift<const N: usize> {
    gives: Key<N>,
    /// What it takes, plus `ahead` after its stage.
    takes: Key<N>,
}

/// What a stage's moves are relative to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead<const N: usize> {
    /// `ahead` after the stage.
    pub(super) after: Key<N>,
}

impl<const N: usize> Ahead<N> {
    /// A move from the stage's first option to another one.
    pub(super) fn shift(&self, layout: &Layout<N>, first: &[u32], option: &[u32]) -> Shift<N> {
        let difference = |a: &[u32], b: &[u32]| {
            let mut d = [0; super::RESOURCES];
            for (d, (a, b)) in d.iter_mut().zip(a.iter().zip(b)) {
                *d = a.saturating_sub(*b);
            }
            layout.pack(&d[..a.len()])
        };
        Shift { gives: difference(first, option), takes: difference(option, first).plus(&self.after) }
    }

    /// What is left after the move, or `None` if a resource runs out.
    #[inline]
    pub(super) fn apply(&self, layout: &Layout<N>, key: &Key<N>, shift: &Shift<N>) -> Option<Key<N>> {
        layout.take(&key.plus(&shift.gives), &shift.takes)
    }

    /// What is left when the first option is taken, or `None` if a resource runs out.
    #[inline]
    pub(super) fn left(&self, layout: &Layout<N>, key: &Key<N>) -> Option<Key<N>> {
        layout.take(key, &self.after)
    }

    /// The key of what is left.
    #[inline]
    pub(super) fn key(&self, left: &Key<N>) -> Key<N> {
        left.plus(&self.after)
    }
}
