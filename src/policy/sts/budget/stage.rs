//! Stages: what the dynamic programs go through, one after the other.
//!
//! A stage is a list of options, each with what it takes, what it loses, and where it came from. One kind of stage is a
//! *bundle* of copies of identical jobs that move together; another is the menu of a tenant.
//!
//! **Exact splitting.** Let a group have `n` copies, and alternatives `1..=p` to its base in order of regret `r_1 <= .. <= r_p`,
//! of which at most `m_a` copies each take part in a best choice ([`exchange`](super::exchange)). At most
//! `K_a = min(n, budget / r_a, m_a + .. + m_p)` copies take an alternative `>= a`, as each loses at least `r_a`. So `K_p` copies get
//! all alternatives, `K_(p-1) - K_p` further ones all but the last, and so on; the rest stays at the base. This loses no
//! such choice: lay the copies out with the highest alternatives first; alternative `a` ends at or before `K_a`.
//! A segment of `c` copies with `q` classes (the base is one) is cut into bundles of `ceil(rem / q)`, where `rem` is what is
//! left. Every way to spread `c` copies over `q` classes is reached: some class has at least `ceil(rem / q)` copies, give
//! it the bundle, and go on with the rest. That takes about `q ln c` stages instead of `c`. (Powers of two would not do:
//! `{1, 2}` cannot give one copy each to two of three classes.)

use super::exchange::{Move, Unit};
use super::model::Model;
use super::regret::Regrets;

/// Where a stage came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// `size` copies of a unit's job; the tag of an option is the option of the class.
    Bundle { unit: u32, size: u32 },
    /// The menu of a tenant; the tag of an option is the entry.
    Menu { tenant: u32 },
}

/// A list of stages, flat.
#[derive(Debug, Default)]
pub(super) struct Stages {
    pub(super) resources: usize,
    pub(super) origin: Vec<Origin>,
    /// Where each stage's options start; one more than there are stages.
    pub(super) start: Vec<u32>,
    /// `resources` amounts per option.
    pub(super) usage: Vec<u32>,
    /// Loss of every option, ascending within a stage.
    pub(super) loss: Vec<i64>,
    /// Value of every option less that of the base.
    pub(super) value: Vec<i64>,
    pub(super) tag: Vec<u32>,
}

impl Stages {
    pub(super) fn clear(&mut self, resources: usize) {
        self.resources = resources;
        self.origin.clear();
        self.start.clear();
        self.start.push(0);
        self.usage.clear();
        self.loss.clear();
        self.value.clear();
        self.tag.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.origin.len()
    }

    /// The options of a stage, as indices into the lists.
    #[inline]
    pub(super) fn options(&self, stage: usize) -> std::ops::Range<usize> {
        self.start[stage] as usize..self.start[stage + 1] as usize
    }

    /// The stage of an option.
    pub(super) fn stage_of(&self, option: usize) -> usize {
        self.start.partition_point(|&s| s as usize <= option) - 1
    }

    #[inline]
    pub(super) fn usage_of(&self, option: usize) -> &[u32] {
        &self.usage[option * self.resources..(option + 1) * self.resources]
    }

    /// Adds an option to the stage under construction.
    pub(super) fn push(&mut self, usage: &[u32], loss: i64, value: i64, tag: u32) {
        self.usage.extend_from_slice(usage);
        self.loss.push(loss);
        self.value.push(value);
        self.tag.push(tag);
    }

    /// Ends the stage under construction.
    pub(super) fn close(&mut self, origin: Origin) {
        self.origin.push(origin);
        self.start.push(self.loss.len() as u32);
    }

    /// Adds the bundles of a unit for its moves, in order of regret, at a budget, and says how many copies they hold
    /// together.
    pub(super) fn push_bundles(
        &mut self,
        model: &Model,
        regrets: &Regrets,
        unit: &Unit,
        moves: &[Move],
        budget: i64,
    ) -> u32 {
        let choices = model.choices_of(&model.groups[unit.group as usize]);
        let base = regrets.base[unit.group as usize];
        let (mut placed, mut most) = (0, 0u32);
        for used in (1..=moves.len()).rev() {
            let last = &moves[used - 1];
            most = most.saturating_add(last.most).min(unit.copies);
            let paid =
                budget.checked_div(last.regret).map_or(u32::MAX, |p| u32::try_from(p).unwrap_or(u32::MAX));
            let mut rest = most.min(paid) - placed;
            placed += rest;
            while rest > 0 {
                let size = rest.div_ceil(used as u32 + 1);
                rest -= size;
                let value = choices[base as usize].value;
                self.push_copies(model, choices[base as usize].usage, size);
                self.loss.push(0);
                self.value.push(0);
                self.tag.push(base);
                for m in &moves[..used] {
                    self.push_copies(model, choices[m.option as usize].usage, size);
                    self.loss.push(m.regret * i64::from(size));
                    self.value.push((choices[m.option as usize].value - value) * i64::from(size));
                    self.tag.push(m.option);
                }
                self.close(Origin::Bundle { unit: last.unit, size });
            }
        }
        placed
    }

    /// Appends `copies` times a usage.
    fn push_copies(&mut self, model: &Model, usage: u32, copies: u32) {
        let at = self.usage.len();
        self.usage.resize(at + self.resources, 0);
        let usage = &model.usages[usage as usize];
        for i in 0..usize::from(usage.len) {
            // Wider than any capacity means "does not fit", which saturation preserves.
            self.usage[at + usize::from(usage.first) + i] = usage.amounts[i].saturating_mul(copies);
        }
    }
}
