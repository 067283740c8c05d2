//! All useful ways through some of a tenant's stages.
//!
//! A state is what is left of the tenant's [`Span`]; kept with it are the sum of regrets and the value (less that of the
//! base). Of two ways into the same state the one with the smaller regrets is kept: it has the greater gain and no smaller
//! value, see [`menu`](super::menu).

use super::key::{Key, Layout};
use super::stage::Stages;
use super::table::Table;

/// A tenant's stages with their least usage taken out, on the resources that its moves touch.
#[derive(Debug, Default)]
pub(super) struct Span {
    /// Resources that some move touches.
    pub(super) tracked: Vec<u32>,
    /// Most that all moves together can take of them.
    pub(super) room: Vec<u32>,
    /// For every stage, where its options start; one more than there are stages.
    start: Vec<u32>,
    /// `tracked.len()` amounts per option.
    usage: Vec<u32>,
    loss: Vec<i64>,
    value: Vec<i64>,
    /// The option's index in the stage list.
    option: Vec<u32>,
    /// For every stage the least and greatest value of an option.
    swing: Vec<(i64, i64)>,
    least: Vec<u32>,
    touched: Vec<u64>,
}

impl Span {
    /// Measures stages. What they take at least is added to `fixed`. `None`: no choice of the tenant fits the capacities.
    pub(super) fn measure(&mut self, stages: &Stages, fixed: &mut [i64], capacity: &[u32]) -> Option<()> {
        let resources = capacity.len();
        let fits = |o: usize| stages.usage_of(o).iter().zip(capacity).all(|(&a, &c)| a <= c && a < u32::MAX);
        self.least.clear();
        self.touched.clear();
        self.touched.resize(resources, 0);
        for s in 0..stages.len() {
            let at = self.least.len();
            self.least.resize(at + resources, u32::MAX);
            let mut most = [0u32; super::RESOURCES];
            let mut any = false;
            for o in stages.options(s).filter(|&o| fits(o)) {
                any = true;
                for (d, &a) in stages.usage_of(o).iter().enumerate() {
                    self.least[at + d] = self.least[at + d].min(a);
                    most[d] = most[d].max(a);
                }
            }
            if !any {
                return None;
            }
            for d in 0..resources {
                let least = self.least[at + d];
                fixed[d] += i64::from(least);
                self.touched[d] += u64::from(most[d] - least);
            }
        }
        self.tracked.clear();
        self.room.clear();
        for d in 0..resources {
            let room = u64::try_from(i64::from(capacity[d]) - fixed[d]).ok()?;
            if self.touched[d] > 0 {
                self.tracked.push(d as u32);
                self.room.push(room.min(self.touched[d]) as u32);
            }
        }
        self.copy_options(stages, resources, fits)
    }

    fn copy_options(
        &mut self,
        stages: &Stages,
        resources: usize,
        fits: impl Fn(usize) -> bool,
    ) -> Option<()> {
        self.start.clear();
        self.start.push(0);
        self.usage.clear();
        self.loss.clear();
        self.value.clear();
        self.option.clear();
        self.swing.clear();
        for s in 0..stages.len() {
            let least = &self.least[s * resources..(s + 1) * resources];
            let mut swing = (i64::MAX, i64::MIN);
            for o in stages.options(s).filter(|&o| fits(o)) {
                let usage = stages.usage_of(o);
                let rest = |d: &u32| usage[*d as usize] - least[*d as usize];
                if self.tracked.iter().zip(&self.room).any(|(d, &room)| rest(d) > room) {
                    continue;
                }
                self.usage.extend(self.tracked.iter().map(rest));
                self.loss.push(stages.loss[o]);
                self.value.push(stages.value[o]);
                self.option.push(o as u32);
                swing = (swing.0.min(stages.value[o]), swing.1.max(stages.value[o]));
            }
            if swing.0 > swing.1 {
                return None;
            }
            self.swing.push(swing);
            self.start.push(self.loss.len() as u32);
        }
        Some(())
    }

    /// Stages measured.
    pub(super) fn len(&self) -> usize {
        self.swing.len()
    }

    /// Least and greatest value that these stages can add.
    pub(super) fn swing_of(&self, stages: &[u32]) -> (i64, i64) {
        let each = stages.iter().map(|&s| self.swing[s as usize]);
        each.fold((0, 0), |sum, s| (sum.0 + s.0, sum.1 + s.1))
    }
}

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

/// How states of a half came about: parents and options, layer by layer.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// Stages of the half, in order.
    stages: Vec<u32>,
    layers: Vec<u32>,
    steps: Vec<(u32, u32)>,
}

impl Trail {
    /// The trail of no stages.
    pub(super) fn clear(&mut self) {
        self.stages.clear();
        self.layers.clear();
        self.steps.clear();
    }

    /// Calls `each` with the stage and the option (an index into the stage list) of every step into a final state.
    pub(super) fn trace(&self, mut at: u32, mut each: impl FnMut(usize, u32)) {
        for (i, &stage) in self.stages.iter().enumerate().rev() {
            let (parent, option) = self.steps[(self.layers[i] + at) as usize];
            each(stage as usize, option);
            at = parent;
        }
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
    /// States kept per layer, if not all.
    pub(super) beam: Option<usize>,
}

/// The states after the last stage of a part.
#[derive(Debug)]
pub(super) struct Half<const N: usize> {
    pub(super) key: Vec<Key<N>>,
    pub(super) loss: Vec<i64>,
    pub(super) value: Vec<i64>,
    /// Options tried.
    pub(super) tried: u64,
    next_key: Vec<Key<N>>,
    next_loss: Vec<i64>,
    next_value: Vec<i64>,
    packed: Vec<Key<N>>,
    table: Table,
    order: Vec<(i64, u32)>,
}

impl<const N: usize> Default for Half<N> {
    fn default() -> Self {
        Self {
            key: Vec::new(),
            loss: Vec::new(),
            value: Vec::new(),
            tried: 0,
            next_key: Vec::new(),
            next_loss: Vec::new(),
            next_value: Vec::new(),
            packed: Vec::new(),
            table: Table::default(),
            order: Vec::new(),
        }
    }
}

impl<const N: usize> Half<N> {
    /// Enumerates a part. False if the tries do not suffice.
    pub(super) fn enumerate(
        &mut self,
        span: &Span,
        layout: &Layout<N>,
        part: Part,
        window: &Window,
        trail: &mut Trail,
    ) -> bool {
        self.key.clear();
        self.loss.clear();
        self.value.clear();
        self.tried = 0;
        self.key.push(layout.pack(&span.room));
        self.loss.push(0);
        self.value.push(0);
        trail.clear();
        trail.stages.extend_from_slice(part.stages);
        let most_surplus = if window.mu > 0 { window.budget / window.mu } else { i64::MAX };
        let ahead = span.swing_of(part.stages);
        let mut swing = (ahead.0 + part.others.0, ahead.1 + part.others.1);
        for &stage in part.stages {
            let stage = stage as usize;
            swing = (swing.0 - span.swing[stage].0, swing.1 - span.swing[stage].1);
            let options = span.start[stage] as usize..span.start[stage + 1] as usize;
            let n = span.tracked.len();
            self.packed.clear();
            self.packed.extend(options.clone().map(|o| layout.pack(&span.usage[o * n..(o + 1) * n])));
            self.next_key.clear();
            self.next_loss.clear();
            self.next_value.clear();
            self.table.clear(self.key.len().saturating_mul(2));
            let layer = trail.steps.len();
            trail.layers.push(layer as u32);
            for parent in 0..self.key.len() {
                let (left, loss, value) = (self.key[parent], self.loss[parent], self.value[parent]);
                for (i, o) in options.clone().enumerate() {
                    let lost = loss + span.loss[o];
                    if lost > window.budget {
                        break;
                    }
                    self.tried += 1;
                    let worth = value + span.value[o];
                    if !window.reachable(lost, worth, swing, most_surplus) {
                        continue;
                    }
                    let Some(key) = layout.take(&left, &self.packed[i]) else { continue };
                    let step = (parent as u32, span.option[o]);
                    match self.table.find_or_insert(&key, &self.next_key) {
                        Some(at) => {
                            if lost < self.next_loss[at] {
                                self.next_loss[at] = lost;
                                self.next_value[at] = worth;
                                trail.steps[layer + at] = step;
                            }
                        }
                        None => {
                            self.next_key.push(key);
                            self.next_loss.push(lost);
                            self.next_value.push(worth);
                            trail.steps.push(step);
                        }
                    }
                }
                if self.tried > part.tries {
                    return false;
                }
            }
            if let Some(width) = part.beam
                && self.next_key.len() > width
            {
                self.thin(width, window, trail, layer);
            }
            std::mem::swap(&mut self.key, &mut self.next_key);
            std::mem::swap(&mut self.loss, &mut self.next_loss);
            std::mem::swap(&mut self.value, &mut self.next_value);
        }
        true
    }

    /// Keeps the states with the least regrets, plus something for being far from the floor.
    fn thin(&mut self, width: usize, window: &Window, trail: &mut Trail, layer: usize) {
        self.order.clear();
        for (i, (&loss, &value)) in self.next_loss.iter().zip(&self.next_value).enumerate() {
            let far = (value - window.need).abs();
            let score = i128::from(loss) + i128::from(window.mu / 8) * i128::from(far);
            self.order.push((score.min(i128::from(i64::MAX)) as i64, i as u32));
        }
        self.order.select_nth_unstable(width);
        self.order.truncate(width);
        self.order.sort_unstable_by_key(|o| o.1);
        for (to, &(_, from)) in self.order.iter().enumerate() {
            let from = from as usize;
            self.next_key[to] = self.next_key[from];
            self.next_loss[to] = self.next_loss[from];
            self.next_value[to] = self.next_value[from];
            trail.steps[layer + to] = trail.steps[layer + from];
        }
        self.next_key.truncate(width);
        self.next_loss.truncate(width);
        self.next_value.truncate(width);
        trail.steps.truncate(layer + width);
    }
}
