//! A tenant's stages, measured: what its moves can take of which resource, and what they can be worth.

use std::ops::Range;

use super::stage::Stages;

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
    pub(super) loss: Vec<i64>,
    pub(super) value: Vec<i64>,
    /// The option's index in the stage list.
    pub(super) option: Vec<u32>,
    /// For every stage the least and greatest value of an option.
    pub(super) swing: Vec<(i64, i64)>,
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

    /// The options of a stage, as indices into the lists.
    #[inline]
    pub(super) fn options(&self, stage: usize) -> Range<usize> {
        self.start[stage] as usize..self.start[stage + 1] as usize
    }

    #[inline]
    pub(super) fn usage_of(&self, option: usize) -> &[u32] {
        let n = self.tracked.len();
        &self.usage[option * n..(option + 1) * n]
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
