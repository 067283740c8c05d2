//! Max-min fairness of utilities over equal splits, plain and lexicographic.

use super::programs::{self, Parts};
use super::{Decided, Economy, Measure, Shares, SolveError, Split};
use crate::linear::program::Point;

/// By how much, relative, levels that are held are let go, so that the next program has an interior.
const SLACK: f64 = 1e-8;

/// A division that falls short of its levels by more than this, relative, is not taken if there is a better one.
const SHORT: f64 = 3e-8;

/// A tenant can be raised if its ratio can grow by this, relative.
const RAISES: f64 = 1e-6;

/// Maximises the least ratio utility / equal split (Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep
/// Learning Workloads", OSDI 2020, section 4.1), and of what reaches it the sum of all ratios.
pub(super) fn least_ratio(economy: &Economy<'_>) -> Result<Decided, SolveError> {
    let mut levels = Levels::new(economy);
    let Some((objective, bound)) = levels.raise()? else { return nobody(economy) };
    levels.held = vec![Some(objective); levels.entitled.len()];
    levels.finish(
        objective,
        bound,
        "the greatest least ratio by a linear program, then the greatest sum of ratios",
    )
}

/// Maximises the least ratio, then the least of those that can still be raised, and so on (water filling). The objective is the least
/// ratio.
pub(super) fn lexicographic(economy: &Economy<'_>) -> Result<Decided, SolveError> {
    let mut levels = Levels::new(economy);
    let mut least = None;
    while levels.held.iter().any(Option::is_none) {
        let Some((level, bound)) = levels.raise()? else { return nobody(economy) };
        least.get_or_insert((level, bound));
        levels.hold(level)?;
    }
    let Some((objective, bound)) = least else { return nobody(economy) };
    levels.finish(objective, bound, "linear programs by an interior-point method, one level after the other; the bound is that of the least ratio")
}

/// With nobody entitled there is no ratio: the sum is maximised.
fn nobody(economy: &Economy<'_>) -> Result<Decided, SolveError> {
    let mut decided = programs::max_sum(economy, &[])?;
    if let Decided::Split(split) = &mut decided {
        (split.measure, split.objective, split.bound) = (Measure::LeastRatio, 0.0, 0.0);
        split.proof =
            "no tenant is entitled to anything, so that there is no ratio; the sum is maximised".to_string();
    }
    Ok(decided)
}

struct Levels<'e> {
    economy: &'e Economy<'e>,
    entitled: Vec<usize>,
    equal: Vec<f64>,
    /// Of each entitled tenant the ratio that it is held at.
    held: Vec<Option<f64>>,
    /// The division that reached the last level.
    last: Option<Shares>,
    programs: u64,
}

impl<'e> Levels<'e> {
    fn new(economy: &'e Economy<'e>) -> Self {
        let entitled = economy.entitled();
        let held = vec![None; entitled.len()];
        Self { economy, entitled, equal: economy.equal_split(), held, last: None, programs: 0 }
    }

    /// Ratio rows: held tenants at their levels, the others at `level`, plus extra variables with factor -1 where `extra` says so.
    fn rows(&self, parts: &mut Parts<'_>, level: f64, extra: impl Fn(usize) -> Option<usize>) {
        for (i, &tenant) in self.entitled.iter().enumerate() {
            let least = self.held[i].unwrap_or(level) * (1.0 - SLACK);
            let grows = extra(i).map(|index| (parts.extra(index), -1.0));
            let terms: Vec<_> =
                parts.utility(tenant, tenant, 1.0 / self.equal[tenant]).chain(grows).collect();
            parts.program.at_least(terms, least);
        }
    }

    fn solve(&mut self, parts: &Parts<'_>) -> Result<Point, SolveError> {
        self.programs += 1;
        parts.solve()?.ok_or(SolveError::Numerical)
    }

    /// The greatest level that all tenants not yet held can have together, and its bound. `None` if there is nobody.
    fn raise(&mut self) -> Result<Option<(f64, f64)>, SolveError> {
        if self.entitled.is_empty() {
            return Ok(None);
        }
        let mut parts = Parts::new(self.economy, |_| 0.0, &[1.0]);
        self.rows(&mut parts, 0.0, |i| self.held[i].is_none().then_some(0));
        let point = self.solve(&parts)?;
        self.last = Some(parts.shares(&point));
        Ok(Some((point.x[parts.extra(0)], point.bound)))
    }

    /// Holds at `level` those who cannot be raised above it while nobody falls. If each of several can be raised, all can be raised a
    /// little together, so what one program raises it need not look at again.
    fn hold(&mut self, level: f64) -> Result<(), SolveError> {
        let free: Vec<usize> = (0..self.held.len()).filter(|&i| self.held[i].is_none()).collect();
        let mut stuck = free.clone();
        while !stuck.is_empty() {
            let mut parts = Parts::new(self.economy, |_| 0.0, &vec![1.0; stuck.len()]);
            self.rows(&mut parts, level, |i| stuck.iter().position(|&other| other == i));
            for index in 0..stuck.len() {
                parts.program.at_most([(parts.extra(index), 1.0)], level.max(RAISES));
            }
            let point = self.solve(&parts)?;
            let grown: Vec<f64> = (0..stuck.len()).map(|index| point.x[parts.extra(index)]).collect();
            if grown.iter().all(|&by| by <= RAISES * level.max(RAISES)) {
                break;
            }
            let mut by = grown.iter();
            stuck.retain(|_| by.next().is_some_and(|&by| by <= RAISES * level.max(RAISES)));
        }
        // Rounding may show room where there is none: then everybody is held, at a level a millionth off at most.
        for &i in if stuck.is_empty() { &free } else { &stuck } {
            self.held[i] = Some(level);
        }
        Ok(())
    }

    /// The least part of its level that a division gives anybody.
    fn reached(&self, shares: &Shares) -> f64 {
        let utilities = self.economy.utilities(shares);
        let part = |(&tenant, held): (&usize, &Option<f64>)| {
            held.filter(|&held| held > 0.0).map_or(1.0, |held| utilities[tenant] / self.equal[tenant] / held)
        };
        self.entitled.iter().zip(&self.held).map(part).fold(f64::INFINITY, f64::min)
    }

    /// The division: everybody at its level, and as much in sum of ratios as goes beyond (that of tenants without weight counts over
    /// what the whole cluster is worth to them).
    fn finish(&mut self, objective: f64, bound: f64, proof: &str) -> Result<Decided, SolveError> {
        let economy = self.economy;
        let gain = |tenant: usize| {
            let everything = economy.best_within(tenant, &economy.devices);
            let unit = if self.equal[tenant] > 0.0 { self.equal[tenant] } else { everything };
            if unit > 0.0 { 1.0 / unit } else { 0.0 }
        };
        let mut parts = Parts::new(economy, gain, &[]);
        self.rows(&mut parts, 0.0, |_| None);
        let point = self.solve(&parts)?;
        let mut shares = parts.shares(&point);
        if let Some(last) = self.last.take()
            && self.reached(&shares) < (1.0 - SHORT).min(self.reached(&last))
        {
            shares = last;
        }
        let utilities = economy.utilities(&shares);
        let ratios = self.entitled.iter().map(|&tenant| utilities[tenant] / self.equal[tenant]);
        let objective = ratios.fold(f64::INFINITY, f64::min).min(objective);
        Ok(Decided::Split(Split {
            shares,
            measure: Measure::LeastRatio,
            objective,
            bound: bound.max(objective),
            proof: proof.to_string(),
            states: self.programs,
            kept: None,
        }))
    }
}
