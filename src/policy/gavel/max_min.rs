//! Gavel: max-min fairness.

use super::program::{Demand, Fractions, raise};
use super::{Gavel, Objective};
use crate::policy::list::SHARING;
use crate::policy::param::{ParamKind, ParamSpec};
use crate::policy::registry::Knowledge;
use crate::policy::{Params, PolicySpec, View};

use super::groups::{Group, Groups};

/// Heterogeneity-aware max-min fairness.
///
/// * Rule: the time fractions X maximise the least of z_j · thr_j(X) / (w_j · prop_j) over jobs, where thr is the throughput, z the
///   devices taken, w the weight and prop the throughput when each type gets a part of the time in proportion to its devices;
///   rounds follow X by the priority X/f.
/// * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020, LAS policy
///   of section 4.1.
/// * Deviations: the fractions change at every boundary with other jobs (Gavel waits 1,920 s); types are not shuffled; what X owes
///   a job is remembered over changes of X; a tenant's weight is the weight of each of its jobs.
/// * Complexity: one linear program in groups × types variables when the jobs changed, and O(c log c) a round for c = jobs × types.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gavel-max-min",
    title: "Gavel max-min",
    summary: "Raises the least normalised throughput: a linear program over time fractions on each GPU type",
    citation: "Narayanan et al., Gavel, OSDI 2020",
    knowledge: Knowledge::None,
    params: &[THROUGHPUTS, SHARING],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Gavel::new(MaxMin { throughputs: Throughputs::new(params) }, params, seed))
    }),
};

/// The parameter `throughputs`.
pub(super) const THROUGHPUTS: ParamSpec = ParamSpec {
    name: "throughputs",
    title: "Throughputs",
    unit: None,
    kind: ParamKind::Choice(&[
        ("aware", "every job's throughput on every type"),
        ("agnostic", "all types count as equally fast"),
    ]),
    help: "What the fairness is measured by. Agnostic is plain least attained service over all GPUs.",
};

/// Whether types differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Throughputs {
    Aware,
    Agnostic,
}

impl Throughputs {
    pub(super) fn new(params: &Params) -> Self {
        if params.word("throughputs") == "agnostic" { Self::Agnostic } else { Self::Aware }
    }

    /// What one job of a group is to get for each unit of the level: w · prop / z.
    pub(super) fn need(self, group: &Group, devices: &[f64]) -> f64 {
        let all = devices.iter().sum::<f64>().max(1.0);
        let proportional: f64 = group
            .choices
            .iter()
            .map(|choice| choice.rate * devices.get(choice.held.type_id.index()).unwrap_or(&0.0) / all)
            .sum();
        let taken = group.choices.iter().fold(0.0, |most: f64, choice| most.max(choice.devices));
        group.weight_micro as f64 / 1e6 * proportional / taken.max(f64::MIN_POSITIVE)
    }

    /// Makes all types equally fast if they are to count as such.
    pub(super) fn flatten(self, groups: &mut Groups) {
        if self == Self::Agnostic {
            for choice in groups.list.iter_mut().flat_map(|group| &mut group.choices) {
                choice.rate = 1.0;
            }
        }
    }
}

pub(super) struct MaxMin {
    pub(super) throughputs: Throughputs,
}

impl Objective for MaxMin {
    fn group(&mut self, view: &View<'_>, groups: &mut Groups) {
        groups.fill(view, |_| 0);
        self.throughputs.flatten(groups);
    }

    fn is_stale(&self, _rounds: u64) -> bool {
        false
    }

    fn fractions(&mut self, view: &View<'_>, groups: &mut Groups) -> Option<Fractions> {
        let needs =
            groups.list.iter().map(|group| Demand::Rises(self.throughputs.need(group, &groups.devices)));
        let needs: Vec<Demand> = needs.collect();
        raise(view.cluster, groups, &needs).map(|raised| raised.fractions)
    }
}
