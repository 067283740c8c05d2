//! Gavel: max-min fairness with water filling.

use super::groups::Groups;
use super::max_min::{THROUGHPUTS, Throughputs};
use super::program::{Demand, Fractions, raise};
use super::{Gavel, Objective};
use crate::policy::list::SHARING;
use crate::policy::param::{ParamKind, ParamSpec};
use crate::policy::registry::Knowledge;
use crate::policy::{PolicySpec, View};

/// Max-min fairness that goes on when the worst-off can have no more.
///
/// * Rule: the least normalised throughput is raised as in max-min fairness; jobs that are at it in every optimum keep it, the level
///   of the others is raised further, until nobody is left: the lexicographic optimum.
/// * Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020, section 4.3.
/// * Deviations: bottlenecks are found without an integer program: an interior-point solution of the program lies inside the set of
///   optima, where whoever can have more has more. At most `levels` levels are raised; the last gives what it gives. As for
///   `gavel-max-min` otherwise.
/// * Complexity: at most `levels` linear programs in groups × types variables when the jobs changed.
pub const SPEC: PolicySpec = PolicySpec {
    name: "gavel-water-filling",
    title: "Gavel water filling",
    summary: "Max-min fairness that goes on raising those who can still have more",
    citation: "Narayanan et al., Gavel, OSDI 2020",
    knowledge: Knowledge::None,
    params: &[
        THROUGHPUTS,
        ParamSpec {
            name: "levels",
            title: "Levels",
            unit: None,
            kind: ParamKind::Integer { default: 8, min: 1, max: 1000 },
            help: "The most levels that are raised one after the other; each costs a linear program.",
        },
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        let objective =
            WaterFilling { throughputs: Throughputs::new(params), levels: params.integer("levels") };
        Box::new(Gavel::new(objective, params, seed))
    }),
};

/// Who has no more than this above the level, as a part of it, is at it.
const AT_LEVEL: f64 = 1e-5;

pub(super) struct WaterFilling {
    pub(super) throughputs: Throughputs,
    pub(super) levels: i64,
}

impl Objective for WaterFilling {
    fn group(&mut self, view: &View<'_>, groups: &mut Groups) {
        groups.fill(view, |_| 0);
        self.throughputs.flatten(groups);
    }

    fn is_stale(&self, _rounds: u64) -> bool {
        false
    }

    fn fractions(&mut self, view: &View<'_>, groups: &mut Groups) -> Option<Fractions> {
        let needs: Vec<f64> =
            groups.list.iter().map(|group| self.throughputs.need(group, &groups.devices)).collect();
        let mut demands: Vec<Demand> = needs.iter().map(|&need| Demand::Rises(need)).collect();
        let mut best = None;
        for _ in 0..self.levels {
            let Some(raised) = raise(view.cluster, groups, &demands) else { break };
            let mut is_done = true;
            for (at, (demand, &need)) in demands.iter_mut().zip(&needs).enumerate() {
                let Demand::Rises(_) = demand else { continue };
                let has = groups.list[at].throughput(&raised.fractions[at]);
                let full = groups.list[at].best().map_or(0.0, |best| groups.list[at].choices[best].rate);
                let level = raised.level * need;
                if has - level <= AT_LEVEL * level || full - level <= AT_LEVEL * full {
                    // A hair less than the level, so that rounding leaves the next program feasible.
                    *demand = Demand::Keeps(level * (1.0 - 1e-7));
                } else {
                    is_done = false;
                }
            }
            best = Some(raised.fractions);
            if is_done {
                break;
            }
        }
        best
    }
}
