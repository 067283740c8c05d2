//! Fragmentation gradient descent (FGD).

use super::list::{Chooser, SHARING, waiting};
use super::needs::TypeNeeds;
use super::registry::Knowledge;
use super::tenants::held_units;
use super::{Decision, Grant, Placement, Policy, PolicySpec, Refill, RefillReads, Repacking, View};
use crate::cluster::occupancy::Occupancy;
use crate::cluster::{Node, Part};
use crate::units::{DeviceId, JobId};
use crate::workload::JobOption;

/// Fragmentation gradient descent: every job goes where it fragments the cluster least.
///
/// * Rule: jobs start in the order of submission, whoever fits passing those who do not, and are not preempted; a job takes the GPU
///   type, node and devices on which it raises the fragmentation of the cluster least (ties: the type that runs it fastest, then the
///   first node): the free GPU that jobs cannot use, weighted by how many jobs ask for what.
/// * Source: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX
///   ATC 2023.
/// * Deviations: GPUs are the only resource; the mix of requests is that of the workload. A gang on several nodes takes those with most
///   room, and the rest where it is tightest.
/// * Complexity: O(jobs that start · distinct states of nodes · devices of a node) a round.
pub const SPEC: PolicySpec = PolicySpec {
    name: "fgd",
    title: "FGD packing",
    summary: "In order of arrival, each job on the type and devices where it fragments the cluster least; no preemption",
    citation: "Weng et al., FGD, USENIX ATC 2023",
    knowledge: Knowledge::None,
    params: &[SHARING],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Fgd {
            chooser: Chooser::new(params, seed),
            needs: Vec::new(),
            masks: Vec::new(),
            refused: Vec::new(),
            states: Vec::new(),
        })
    }),
};

struct Fgd {
    chooser: Chooser,
    /// By type.
    needs: Vec<TypeNeeds>,
    /// Positions taken on each device.
    masks: Vec<u8>,
    /// Classes that found no place in this decision.
    refused: Vec<bool>,
    /// Scratch: a node of each state that was looked at.
    states: Vec<Node>,
}

/// A place for a job.
struct Choice {
    /// What it adds to fragmentation.
    added: i128,
    option: u16,
    parts: Vec<Part>,
}

fn devices_of(node: Node) -> std::ops::Range<usize> {
    let first = node.first_device.index();
    first..first + node.devices as usize
}

impl Fgd {
    /// Gives places to jobs in their order; `start` takes one and says whether it did.
    fn serve(
        &mut self,
        view: &View<'_>,
        jobs: impl Iterator<Item = JobId>,
        mut start: impl FnMut(JobId, u16, Placement) -> bool,
    ) {
        if self.needs.is_empty() {
            self.needs = TypeNeeds::of(view.cluster, view.workload);
        }
        self.refused.clear();
        self.refused.resize(view.workload.classes.len(), false);
        let mut open = self.open(view);
        for job in jobs {
            if open == 0 {
                return;
            }
            let class = view.job(job).class.index();
            if self.refused[class] {
                continue;
            }
            let Some(Choice { option, parts, .. }) = self.choose(view, job) else {
                self.refused[class] = true;
                continue;
            };
            let wanted = view.option(job, option);
            self.take(view, wanted, &parts);
            open = self.open(view);
            let place = Placement { type_id: wanted.type_id, slice: wanted.slice(), parts };
            self.refused[class] = !start(job, option, place);
        }
    }

    /// Devices that have room for something.
    fn open(&self, view: &View<'_>) -> usize {
        let types = view.cluster.types().iter();
        types
            .map(|gpu| {
                let from = gpu.first_device.index();
                let masks = &self.masks[from..from + gpu.devices as usize];
                masks.iter().filter(|&&mask| gpu.geometry.reachable_slots(mask) > 0).count()
            })
            .sum()
    }

    fn take(&mut self, view: &View<'_>, option: JobOption, parts: &[Part]) {
        let geometry = view.cluster.gpu_type(option.type_id).geometry;
        for part in parts {
            let mask = geometry.mask(option.slice(), part.first_slot).unwrap_or(0);
            self.masks[part.device.index()] |= mask;
        }
    }

    /// Where a job adds least to fragmentation.
    fn choose(&mut self, view: &View<'_>, job: JobId) -> Option<Choice> {
        let Self { chooser, needs, masks, states, .. } = self;
        let mut best: Option<Choice> = None;
        for &index in chooser.ranked(view, job, |_| 0) {
            let option = view.option(job, index);
            let of_type = &needs[option.type_id.index()];
            let taken = held_units(view, option) * i128::from(of_type.jobs());
            let nodes = view.cluster.nodes().iter().filter(|node| node.type_id == option.type_id);
            states.clear();
            for &node in nodes.clone() {
                // Nodes in the same state are equally good, and the first is taken.
                if states.iter().any(|&seen| masks[devices_of(seen)] == masks[devices_of(node)]) {
                    continue;
                }
                states.push(node);
                let before = of_type.usable(&masks[devices_of(node)]) as i128;
                for_each_place(view, option, node, masks, |masks, parts| {
                    let added = before - of_type.usable(masks) as i128 - taken;
                    if best.as_ref().is_none_or(|best| added < best.added) {
                        best = Some(Choice { added, option: index, parts: parts.to_vec() });
                    }
                });
            }
            if best.is_none() && option.devices > 1 {
                let parts = over_nodes(view, option, nodes, masks);
                best = parts.map(|parts| Choice { added: i128::MAX, option: index, parts });
            }
        }
        best
    }
}

/// The first position on a device for an option's slice.
fn position(view: &View<'_>, option: JobOption, device: usize, masks: &[u8]) -> Option<Part> {
    let geometry = view.cluster.gpu_type(option.type_id).geometry;
    let is_free = |&start: &u8| geometry.mask(option.slice(), start).is_some_and(|m| m & masks[device] == 0);
    let first_slot = geometry.starts(option.slice()).find(is_free)?;
    Some(Part { device: DeviceId(device as u32), first_slot })
}

/// Calls `visit` with the masks of a node as they would be with the job there, and the parts it would have: for one device every
/// position on every device, for several the first that have one.
fn for_each_place(
    view: &View<'_>,
    option: JobOption,
    node: Node,
    masks: &mut [u8],
    mut visit: impl FnMut(&[u8], &[Part]),
) {
    let geometry = view.cluster.gpu_type(option.type_id).geometry;
    let devices = devices_of(node);
    if option.devices == 1 {
        for device in devices.clone() {
            let before = masks[device];
            if masks[devices.start..device].contains(&before) {
                continue;
            }
            for first_slot in geometry.starts(option.slice()) {
                let Some(mask) = geometry.mask(option.slice(), first_slot).filter(|mask| mask & before == 0)
                else {
                    continue;
                };
                masks[device] = before | mask;
                visit(&masks[devices.clone()], &[Part { device: DeviceId(device as u32), first_slot }]);
            }
            masks[device] = before;
        }
        return;
    }
    let hosts = devices.clone().filter_map(|device| position(view, option, device, masks));
    let parts: Vec<Part> = hosts.take(option.devices as usize).collect();
    if parts.len() < option.devices as usize {
        return;
    }
    let before = masks[devices.clone()].to_vec();
    for part in &parts {
        masks[part.device.index()] |= geometry.mask(option.slice(), part.first_slot).unwrap_or(0);
    }
    visit(&masks[devices.clone()], &parts);
    masks[devices].copy_from_slice(&before);
}

/// Positions on several nodes: those with most of them, until one holds the rest; of those the tightest.
fn over_nodes<'n>(
    view: &View<'_>,
    option: JobOption,
    nodes: impl Iterator<Item = &'n Node>,
    masks: &[u8],
) -> Option<Vec<Part>> {
    let hosts = |node: &Node| -> Vec<Part> {
        devices_of(*node).filter_map(|device| position(view, option, device, masks)).collect()
    };
    let mut nodes: Vec<Vec<Part>> = nodes.map(hosts).collect();
    nodes.sort_by_key(|parts| std::cmp::Reverse(parts.len()));
    let mut parts: Vec<Part> = Vec::with_capacity(option.devices as usize);
    let mut next = 0;
    while let Some(largest) = nodes.get(next) {
        let rest = option.devices as usize - parts.len();
        // Of the nodes that hold the rest the tightest, and of equals the first.
        let tightest = nodes[next..].iter().filter(|node| node.len() >= rest).min_by_key(|node| node.len());
        parts.extend(tightest.unwrap_or(largest).iter().take(rest));
        if tightest.is_some() {
            break;
        }
        next += 1;
    }
    parts.sort_unstable_by_key(|part| part.device);
    (parts.len() == option.devices as usize).then_some(parts)
}

impl Policy for Fgd {
    fn see(&mut self, occupancy: &Occupancy) {
        self.masks.clear();
        self.masks.extend_from_slice(occupancy.masks());
    }

    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        // Who never showed where jobs lie has none that run.
        self.masks.resize(view.cluster.devices() as usize, 0);
        for &job in view.active {
            decision.grants.extend(view.state(job).held.map(|held| Grant { job, option: held.option }));
        }
        self.serve(view, waiting(view), |job, option, place| {
            decision.grants.push(Grant { job, option });
            decision.places.push((job, place));
            true
        });
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.serve(view, waiting.iter().copied(), |job, option, place| {
            free.try_start_at(job, option, &place)
        });
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn repacking(&self) -> Repacking {
        Repacking::Never
    }
}
