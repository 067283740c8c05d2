//! The program as the linear relaxation sees it: real numbers, laid out for looking at all options of all groups.

use super::model::Model;
use crate::policy::sts::program::MAX_TYPE_RESOURCES;

/// A group of interchangeable jobs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Its options.
    pub(super) start: u32,
    /// One past its options.
    pub(super) end: u32,
    pub(super) tenant: u32,
    pub(super) copies: f64,
}

/// What an option takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amounts {
    pub(super) first: usize,
    pub(super) len: usize,
    pub(super) of: [f64; MAX_TYPE_RESOURCES],
}

/// The relaxation. Options are numbered as in [`Model::choices`].
#[derive(Debug, Default)]
pub(super) struct Relaxation {
    /// Value of every option.
    pub(super) value: Vec<f64>,
    /// What it takes, as an index into `amounts`.
    pub(super) usage: Vec<u32>,
    pub(super) amounts: Vec<Amounts>,
    pub(super) blocks: Vec<Block>,
    /// Per tenant.
    pub(super) weight: Vec<f64>,
    /// Per tenant.
    pub(super) floor: Vec<f64>,
    /// Per resource.
    pub(super) capacity: Vec<f64>,
    /// The greatest `weight * value` and the greatest value: units in which the simplex counts.
    pub(super) gain_unit: f64,
    pub(super) value_unit: f64,
}

impl Relaxation {
    /// Reads a model. Buffers are reused.
    #[inline(never)]
    pub(super) fn read(&mut self, model: &Model) {
        self.value.clear();
        self.value.extend(model.choices.iter().map(|c| c.value as f64));
        self.usage.clear();
        self.usage.extend(model.choices.iter().map(|c| c.usage));
        self.amounts.clear();
        self.amounts.extend(model.usages.iter().map(|u| Amounts {
            first: usize::from(u.first),
            len: usize::from(u.len),
            of: u.amounts.map(f64::from),
        }));
        self.blocks.clear();
        self.blocks.extend(model.groups.iter().map(|g| {
            let options = &model.classes[g.class as usize].choices;
            Block { start: options.start, end: options.end, tenant: g.tenant, copies: f64::from(g.len()) }
        }));
        self.weight.clear();
        self.weight.extend(model.tenants.iter().map(|t| t.weight as f64));
        self.floor.clear();
        self.floor.extend(model.tenants.iter().map(|t| t.floor as f64));
        self.capacity.clear();
        self.capacity.extend(model.capacity.iter().map(|&c| f64::from(c)));
        self.gain_unit = model.greatest_gain as f64;
        self.value_unit = model.greatest_value as f64;
    }

    /// What every usage costs.
    pub(super) fn price_usages(&self, lambda: &[f64], price: &mut Vec<f64>) {
        price.clear();
        for a in &self.amounts {
            let mut sum = 0.0;
            for (of, l) in a.of[..a.len].iter().zip(&lambda[a.first.min(lambda.len())..]) {
                sum += of * l;
            }
            price.push(sum);
        }
    }

    /// The option of a block with the greatest profit `value * worth - price`, the first one of equals.
    #[inline]
    pub(super) fn best(&self, block: &Block, worth: f64, price: &[f64]) -> u32 {
        let (mut most, mut best) = (f64::NEG_INFINITY, block.start);
        let range = block.start as usize..block.end as usize;
        for (i, (v, &u)) in self.value[range.clone()].iter().zip(&self.usage[range]).enumerate() {
            let profit = v * worth - price[u as usize];
            // Which option is best is hard to foresee: selections instead of branches.
            let better = profit > most;
            most = if better { profit } else { most };
            best = if better { block.start + i as u32 } else { best };
        }
        best
    }

    /// The best option other than `key`, with its profit less that of the key.
    #[inline]
    pub(super) fn rival(&self, block: &Block, key: u32, worth: f64, price: &[f64]) -> (u32, f64) {
        let (mut most, mut best) = (f64::NEG_INFINITY, key);
        let range = block.start as usize..block.end as usize;
        for (i, (v, &u)) in self.value[range.clone()].iter().zip(&self.usage[range]).enumerate() {
            let profit = v * worth - price[u as usize];
            let better = profit > most && block.start + i as u32 != key;
            most = if better { profit } else { most };
            best = if better { block.start + i as u32 } else { best };
        }
        let base = self.value[key as usize] * worth - price[self.usage[key as usize] as usize];
        (best, most - base)
    }
}
