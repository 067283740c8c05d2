//! The linear programs of time fractions.

use crate::cluster::Cluster;
use crate::linear::LinearProgram;

use super::groups::{Group, Groups};

/// For every group, and each of its choices, the part of its time that one of its jobs should spend with it: 0 to 1, at most 1 in
/// sum.
pub(super) type Fractions = Vec<Vec<f64>>;

/// What the jobs of a group are to get when a common level is raised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Demand {
    /// This much throughput for every unit of the level.
    Rises(f64),
    /// This much throughput, whatever the level.
    Keeps(f64),
}

/// The greatest common level, and fractions that reach it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Raised {
    /// Each group with a rising demand gets this times its demand.
    pub(super) level: f64,
    /// How.
    pub(super) fractions: Fractions,
}

/// Maximise the level such that every group gets what it demands. `None` when no group's demand rises or the solver fails.
pub(super) fn raise(cluster: &Cluster, groups: &Groups, demands: &[Demand]) -> Option<Raised> {
    let scale = demands.iter().fold(0.0, |most: f64, demand| match demand {
        Demand::Rises(need) => most.max(*need),
        Demand::Keeps(_) => most,
    });
    if scale <= 0.0 {
        return None;
    }
    let level = variables(groups);
    let mut gains = vec![0.0; level + 1];
    gains[level] = 1.0;
    let mut program = LinearProgram::maximise(gains);
    limit(cluster, groups, &mut program);
    let mut first = 0;
    for (group, demand) in groups.list.iter().zip(demands) {
        let throughput = terms(group, first, |choice| choice.rate);
        match *demand {
            Demand::Rises(need) if need > 0.0 => {
                program.at_least(throughput.chain([(level, -need / scale)]), 0.0);
            }
            Demand::Keeps(floor) if floor > 0.0 => program.at_least(throughput, floor),
            _ => {}
        }
        first += group.choices.len();
    }
    let point = program.solve().point()?;
    Some(Raised { level: point.objective / scale, fractions: split(groups, &point.x) })
}

/// Maximise the sum over jobs of `gain(group, choice)` times fractions.
pub(super) fn most(
    cluster: &Cluster,
    groups: &Groups,
    gain: impl Fn(&Group, usize) -> f64,
) -> Option<(f64, Fractions)> {
    let gain = &gain;
    let gains = groups.list.iter().flat_map(|group| {
        let jobs = group.jobs.len() as f64;
        (0..group.choices.len()).map(move |choice| jobs * gain(group, choice))
    });
    let mut program = LinearProgram::maximise(gains.collect());
    limit(cluster, groups, &mut program);
    let point = program.solve().point()?;
    Some((point.objective, split(groups, &point.x)))
}

fn variables(groups: &Groups) -> usize {
    groups.list.iter().map(|group| group.choices.len()).sum()
}

/// Nobody has more than all their time, and no type more than all its devices.
fn limit(cluster: &Cluster, groups: &Groups, program: &mut LinearProgram) {
    let mut first = 0;
    for group in &groups.list {
        program.at_most(terms(group, first, |_| 1.0), 1.0);
        first += group.choices.len();
    }
    for type_id in cluster.type_ids() {
        for resource in 0..cluster.gpu_type(type_id).resource_count() {
            let mut first = 0;
            let mut row = Vec::new();
            for group in &groups.list {
                let jobs = group.jobs.len() as f64;
                let here = group.choices.iter().enumerate().filter(|(_, c)| c.held.type_id == type_id);
                let used = here.map(|(at, choice)| (first + at, jobs * choice.usage[resource]));
                row.extend(used.filter(|(_, used)| *used > 0.0));
                first += group.choices.len();
            }
            if !row.is_empty() {
                program.at_most(row, 1.0);
            }
        }
    }
}

fn terms(
    group: &Group,
    first: usize,
    factor: impl Fn(&super::groups::Choice) -> f64,
) -> impl Iterator<Item = (usize, f64)> {
    group.choices.iter().enumerate().map(move |(at, choice)| (first + at, factor(choice)))
}

/// The variables by group.
fn split(groups: &Groups, x: &[f64]) -> Fractions {
    let mut rest = x;
    groups
        .list
        .iter()
        .map(|group| {
            let (own, others) = rest.split_at(group.choices.len().min(rest.len()));
            rest = others;
            own.iter().map(|&x| x.clamp(0.0, 1.0)).collect()
        })
        .collect()
}
