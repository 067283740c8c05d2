//! Gavel: most total throughput.

use super::groups::Groups;
use super::program::{Fractions, most};
use super::{Gavel, Objective};
use crate::policy::list::SHARING;
use crate::policy::registry::Knowledge;
use crate::policy::{PolicySpec, View};

/// Most total throughput, without regard to fairness.
///
/// * Rule: the time fractions X maximise the sum over jobs of g_j · thr_j(X), where thr is the throughput as a part of the job's
///   best and g the GPUs it asks for; rounds follow X by the priority X/f.
/// * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020, section 4.2.
/// * Deviations: Gavel adds up training steps, which makes jobs with short steps worth more; here throughput is service, in seconds of
///   a reference GPU, as everywhere in this simulator. Fractions change at every boundary with other jobs and types are not
///   shuffled.
/// * Complexity: one linear program in groups × types variables when the jobs changed, and O(c log c) a round for c = jobs × types.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gavel-max-sum",
    title: "Gavel max-sum",
    summary: "The most total throughput: a linear program over time fractions, without fairness",
    citation: "Narayanan et al., Gavel, OSDI 2020",
    knowledge: Knowledge::None,
    params: &[SHARING],
    refuses: None,
    build: Some(|params, seed| Box::new(Gavel::new(MaxSum, params, seed))),
};

pub(super) struct MaxSum;

impl Objective for MaxSum {
    fn group(&mut self, view: &View<'_>, groups: &mut Groups) {
        groups.fill(view, |_| 0);
    }

    fn is_stale(&self, _rounds: u64) -> bool {
        false
    }

    fn fractions(&mut self, view: &View<'_>, groups: &mut Groups) -> Option<Fractions> {
        most(view.cluster, groups, |group, choice| group.gpus * group.choices[choice].rate)
            .map(|(_, fractions)| fractions)
    }
}
