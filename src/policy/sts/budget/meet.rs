//! Making a menu: two halves that meet in the middle, or one pass.

use super::half::{Half, Part, Window, widest};
use super::key::{Key, Layout};
use super::menu::Entries;
use super::outlook::Outlook;
use super::pool::ROOT;
use super::span::Span;
use super::table::Table;

/// Loss classes of the right half.
const CLASSES: i64 = 16;
/// Options and pairs that the simple ways may look at: they suffice for most menus. The others are worth an [`Outlook`].
const SIMPLE: u64 = 40_000;
/// Entries of a menu up to which all of them are compared with each other.
const COMPARED: usize = 2000;

/// An entry under construction.
#[derive(Debug, Clone, Copy)]
struct Found {
    tau: i64,
    left: u32,
    right: u32,
}

/// A state of the right half, ready to be met.
#[derive(Debug, Clone, Copy)]
struct Candidate<const N: usize> {
    value: i64,
    loss: i64,
    /// What it takes.
    taken: Key<N>,
    step: u32,
}

/// What a menu may cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Most options and pairs looked at.
    pub(super) tries: u64,
    /// States per layer, if not all.
    pub(super) beam: Option<usize>,
}

/// How one pass goes.
#[derive(Debug, Clone, Copy)]
struct Way<'a> {
    tries: u64,
    beam: Option<usize>,
    outlook: Option<&'a Outlook>,
}

/// The buffers for keys of `N` words.
#[derive(Debug)]
pub(super) struct Maker<const N: usize> {
    left: Half<N>,
    right: Half<N>,
    /// What every entry leaves of the span.
    keys: Vec<Key<N>>,
    found: Vec<Found>,
    table: Table,
    candidates: Vec<Candidate<N>>,
    /// Where each loss class starts in `candidates`, with its least loss.
    classes: Vec<(usize, i64)>,
    by_value: Vec<u32>,
    outlook: Outlook,
}

impl<const N: usize> Default for Maker<N> {
    fn default() -> Self {
        Self {
            left: Half::default(),
            right: Half::default(),
            keys: Vec::new(),
            found: Vec::new(),
            table: Table::default(),
            candidates: Vec::new(),
            classes: Vec::new(),
            by_value: Vec::new(),
            outlook: Outlook::default(),
        }
    }
}

impl<const N: usize> Maker<N> {
    /// All entries of `span` in the window. Says whether that succeeded within the effort, and what it took.
    pub(super) fn make(
        &mut self,
        span: &Span,
        window: &Window,
        effort: Effort,
        lambda: &[i64],
        entries: &mut Entries,
    ) -> (bool, u64) {
        let Some(widest) = widest(span) else { return (false, 0) };
        let layout = Layout::<N>::new(&widest);
        let mut spent = 0;
        let mut done;
        if let Some(beam) = effort.beam {
            done = self.pass(
                span,
                &layout,
                window,
                Way { tries: effort.tries, beam: Some(beam), outlook: None },
                entries,
                &mut spent,
            );
        } else {
            let simple = SIMPLE.min(effort.tries);
            done = if window.mu > 0 {
                self.meet_in_the_middle(span, &layout, window, simple, entries, &mut spent)
            } else {
                self.pass(
                    span,
                    &layout,
                    window,
                    Way { tries: simple, beam: None, outlook: None },
                    entries,
                    &mut spent,
                )
            };
            if !done && spent < effort.tries {
                done = self.look_ahead(span, &layout, window, effort.tries, entries, &mut spent);
            }
        }
        if done {
            self.serve(span, &layout, lambda, entries);
        }
        (done, spent)
    }

    /// One pass that only goes where the outlook is good enough.
    fn look_ahead(
        &mut self,
        span: &Span,
        layout: &Layout<N>,
        window: &Window,
        tries: u64,
        entries: &mut Entries,
        spent: &mut u64,
    ) -> bool {
        let mut outlook = std::mem::take(&mut self.outlook);
        let built = outlook.build(span, window, spent);
        let way = Way { tries, beam: None, outlook: built.then_some(&outlook) };
        let done = self.pass(span, layout, window, way, entries, spent);
        self.outlook = outlook;
        done
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.found.clear();
        self.table.clear(64);
    }

    /// Enters an entry, unless its usage is there with no greater loss.
    #[inline]
    fn enter(&mut self, key: Key<N>, found: Found) {
        match self.table.find_or_insert(&key, &self.keys) {
            Some(at) => {
                if found.tau < self.found[at].tau {
                    self.found[at] = found;
                }
            }
            None => {
                self.keys.push(key);
                self.found.push(found);
            }
        }
    }

    /// One pass through all stages.
    fn pass(
        &mut self,
        span: &Span,
        layout: &Layout<N>,
        window: &Window,
        way: Way<'_>,
        entries: &mut Entries,
        spent: &mut u64,
    ) -> bool {
        self.clear();
        let stages: Vec<u32> = (0..span.len() as u32).collect();
        let tries = way.tries.saturating_sub(*spent);
        let part = Part { stages: &stages, others: (0, 0), tries, beam: way.beam, outlook: way.outlook };
        let done = self.left.enumerate(span, layout, part, window, &mut entries.left);
        *spent += self.left.tried;
        if done {
            let pool = &self.left.pool;
            for i in 0..pool.len() {
                if let Some(tau) = window.loss(pool.loss[i], pool.value[i]) {
                    self.keys.push(pool.key[i]);
                    self.found.push(Found { tau, left: pool.step[i], right: ROOT });
                }
            }
        }
        done
    }

    fn meet_in_the_middle(
        &mut self,
        span: &Span,
        layout: &Layout<N>,
        window: &Window,
        tries: u64,
        entries: &mut Entries,
        spent: &mut u64,
    ) -> bool {
        self.clear();
        let all = 0..span.len() as u32;
        let halves: [Vec<u32>; 2] = [all.clone().step_by(2).collect(), all.skip(1).step_by(2).collect()];
        let swings = [span.swing_of(&halves[0]), span.swing_of(&halves[1])];
        let part = |stages, others, spent| Part {
            stages,
            others,
            tries: tries.saturating_sub(spent),
            beam: None,
            outlook: None,
        };
        let left = part(&halves[0], swings[1], *spent);
        let mut done = self.left.enumerate(span, layout, left, window, &mut entries.left);
        *spent += self.left.tried;
        if done {
            let right = part(&halves[1], swings[0], *spent);
            done = self.right.enumerate(span, layout, right, window, &mut entries.right);
            *spent += self.right.tried;
        }
        done && self.meet(span, layout, window, tries, spent)
    }

    /// Pairs every left state with the right states that bring the value into the window.
    fn meet(
        &mut self,
        span: &Span,
        layout: &Layout<N>,
        window: &Window,
        tries: u64,
        spent: &mut u64,
    ) -> bool {
        self.sort_right(span, layout, window.budget);
        self.by_value.clear();
        self.by_value.extend(0..self.left.pool.len() as u32);
        // Descending values on the left let the windows on the right move up only.
        let left_value = &self.left.pool.value;
        self.by_value.sort_unstable_by_key(|&i| (std::cmp::Reverse(left_value[i as usize]), i));
        for class in 0..self.classes.len() - 1 {
            let (start, least) = self.classes[class];
            let end = self.classes[class + 1].0;
            let mut low = start;
            for at in 0..self.by_value.len() {
                let i = self.by_value[at] as usize;
                let pool = &self.left.pool;
                let (key, loss, value, step) = (pool.key[i], pool.loss[i], pool.value[i], pool.step[i]);
                let lacking = window.need - value;
                while low < end && self.candidates[low].value < lacking {
                    low += 1;
                }
                if low == end {
                    break;
                }
                let rest = window.budget - loss;
                if rest < least {
                    continue;
                }
                let most = lacking.saturating_add((rest - least) / window.mu);
                let mut right = low;
                while right < end && self.candidates[right].value <= most {
                    let c = &self.candidates[right];
                    right += 1;
                    let tau = loss + c.loss + window.mu * (c.value - lacking);
                    if tau > window.budget {
                        continue;
                    }
                    if let Some(key) = layout.take(&key, &c.taken) {
                        let found = Found { tau, left: step, right: c.step };
                        self.enter(key, found);
                    }
                }
                *spent += (right - low) as u64;
                if *spent > tries {
                    return false;
                }
            }
        }
        true
    }

    /// Puts the right half into classes of similar loss, each sorted by value.
    fn sort_right(&mut self, span: &Span, layout: &Layout<N>, budget: i64) {
        let room = layout.pack(&span.room);
        self.candidates.clear();
        let pool = &self.right.pool;
        for (i, key) in pool.key.iter().enumerate() {
            // No state leaves more than the room.
            if let Some(taken) = layout.take(&room, key) {
                let (value, loss, step) = (pool.value[i], pool.loss[i], pool.step[i]);
                self.candidates.push(Candidate { value, loss, taken, step });
            }
        }
        let width = budget / CLASSES + 1;
        let few = self.candidates.len() < 64;
        let class = |c: &Candidate<N>| if few { 0 } else { c.loss / width };
        self.candidates.sort_unstable_by_key(|c| (class(c), c.value, c.step));
        self.classes.clear();
        let mut last = -1;
        for (i, c) in self.candidates.iter().enumerate() {
            if class(c) != last {
                last = class(c);
                self.classes.push((i, c.loss));
            }
            if let Some((_, least)) = self.classes.last_mut() {
                *least = c.loss.min(*least);
            }
        }
        self.classes.push((self.candidates.len(), 0));
    }

    /// Sorts the entries by (loss, usage), drops beaten ones, and unpacks them.
    fn serve(&mut self, span: &Span, layout: &Layout<N>, lambda: &[i64], entries: &mut Entries) {
        let (found, keys) = (&self.found, &self.keys);
        self.by_value.clear();
        self.by_value.extend(0..found.len() as u32);
        self.by_value.sort_unstable_by_key(|&i| (found[i as usize].tau, keys[i as usize]));
        if found.len() <= COMPARED {
            self.drop_beaten(span, layout, lambda);
        }
        for &i in &self.by_value {
            let (found, key) = (self.found[i as usize], self.keys[i as usize]);
            let at = entries.usage.len();
            entries.usage.resize(at + entries.resources, 0);
            for (t, (&d, room)) in span.tracked.iter().zip(&span.room).enumerate() {
                entries.usage[at + d as usize] = room - layout.get(&key, t);
            }
            entries.tau.push(found.tau);
            entries.origin.push((found.left, found.right));
        }
    }

    /// Drops entries that take no less of any resource than another one and gain no more. Up to a constant the gain is
    /// `lambda . usage - tau`; an entry that beats another has no greater `tau`, so it comes earlier.
    fn drop_beaten(&mut self, span: &Span, layout: &Layout<N>, lambda: &[i64]) {
        let gain = |i: u32| {
            let key = &self.keys[i as usize];
            let mut gain = -i128::from(self.found[i as usize].tau);
            for (t, (&d, room)) in span.tracked.iter().zip(&span.room).enumerate() {
                gain += i128::from(lambda[d as usize]) * i128::from(room - layout.get(key, t));
            }
            gain
        };
        let mut kept: Vec<(i128, Key<N>)> = Vec::with_capacity(self.by_value.len());
        let mut order = std::mem::take(&mut self.by_value);
        order.retain(|&i| {
            let (gain, key) = (gain(i), self.keys[i as usize]);
            // The other takes no more where it leaves no less.
            let beaten = kept.iter().any(|(g, k)| *g >= gain && layout.take(k, &key).is_some());
            if !beaten {
                kept.push((gain, key));
            }
            !beaten
        });
        self.by_value = order;
    }
}
