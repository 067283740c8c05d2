//! Nodes that leave service and come back: planned changes of capacity, and failures with repairs.
//!
//! A node is out of service while it is withdrawn or broken. Every node that may break has its own sequence of random numbers, so
//! that all policies of a comparison meet the same failures at the same times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::draws::Draws;
use crate::units::{NodeId, SimSpan, SimTime};

/// How often a node breaks and how long its repair takes; both are exponentially distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureRate {
    /// Mean time from the end of a repair to the next failure.
    pub between_failures: SimSpan,
    /// Mean time of a repair.
    pub repair: SimSpan,
}

/// A planned change: a node is withdrawn, or it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedChange {
    /// The moment.
    pub at: SimTime,
    /// The node.
    pub node: NodeId,
    /// What happens to it.
    pub service: Service,
}

/// Whether a node is in service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Service {
    /// It takes jobs.
    In,
    /// It takes none.
    Out,
}

/// Why a node leaves service, which decides what its jobs lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It is withdrawn: its jobs write a checkpoint first.
    Withdrawn,
    /// It breaks: its jobs lose what came after their last checkpoint.
    Broken,
}

/// A node changes between service and outage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transition {
    /// It comes back.
    Returns(NodeId),
    /// It leaves.
    Leaves(NodeId, Cause),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Planned(Service),
    Fails,
    IsRepaired,
}

/// What is to happen to the nodes of a run.
#[derive(Debug, Clone, Default)]
pub struct Outages {
    events: BinaryHeap<Reverse<(SimTime, NodeId, Event)>>,
    /// By node; empty without failures.
    rates: Vec<Option<FailureRate>>,
    streams: Vec<Draws>,
    is_withdrawn: Vec<bool>,
    is_broken: Vec<bool>,
}

impl Outages {
    /// Planned changes, and failures of the nodes that have a rate (`rates` by node), drawn from `seed`.
    #[must_use]
    pub fn new(nodes: usize, planned: &[PlannedChange], rates: Vec<Option<FailureRate>>, seed: u64) -> Self {
        let mut outages =
            Self { is_withdrawn: vec![false; nodes], is_broken: vec![false; nodes], ..Self::default() };
        for change in planned {
            outages.events.push(Reverse((change.at, change.node, Event::Planned(change.service))));
        }
        if rates.iter().any(Option::is_some) {
            outages.streams = (0..nodes as u64).map(|node| Draws::stream(seed, node + 1)).collect();
            outages.rates = rates;
            for node in 0..nodes as u32 {
                outages.draw(SimTime::ZERO, NodeId(node), Event::Fails);
            }
        }
        outages
    }

    /// The time of the next event.
    pub(super) fn next(&self) -> Option<SimTime> {
        self.events.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes the next event that is due at `now`; `None` when there is no more. An event that changes nothing, such as the failure
    /// of a node that is withdrawn, is passed over.
    pub(super) fn take_due(&mut self, now: SimTime) -> Option<Transition> {
        while self.next().is_some_and(|at| at <= now) {
            let Some(Reverse((at, node, event))) = self.events.pop() else { break };
            let index = node.index();
            let was_out = self.is_withdrawn[index] || self.is_broken[index];
            match event {
                Event::Planned(service) => self.is_withdrawn[index] = service == Service::Out,
                Event::Fails => {
                    self.is_broken[index] = true;
                    self.draw(at, node, Event::IsRepaired);
                }
                Event::IsRepaired => {
                    self.is_broken[index] = false;
                    self.draw(at, node, Event::Fails);
                }
            }
            let is_out = self.is_withdrawn[index] || self.is_broken[index];
            match (was_out, is_out) {
                (true, false) => return Some(Transition::Returns(node)),
                (false, true) => {
                    let cause = if event == Event::Fails { Cause::Broken } else { Cause::Withdrawn };
                    return Some(Transition::Leaves(node, cause));
                }
                _ => {}
            }
        }
        None
    }

    /// Draws the time of a node's next failure or repair.
    fn draw(&mut self, from: SimTime, node: NodeId, event: Event) {
        let Some(Some(rate)) = self.rates.get(node.index()) else { return };
        let mean = if event == Event::Fails { rate.between_failures } else { rate.repair };
        let span = SimSpan(self.streams[node.index()].exponential(mean.0 as f64) as i64);
        // At least a microsecond, so that time goes on.
        self.events.push(Reverse((from + span.max(SimSpan(1)), node, event)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000;

    #[test]
    fn nodes_break_and_are_repaired_at_the_stated_rates() {
        let rate = FailureRate { between_failures: SimSpan(90 * HOUR), repair: SimSpan(10 * HOUR) };
        let mut outages = Outages::new(50, &[], vec![Some(rate); 50], 3);
        let (mut since, mut out_us, mut failures) = (vec![None; 50], 0i64, 0);
        let end = SimTime(10_000 * HOUR);
        while let Some(at) = outages.next().filter(|at| *at <= end) {
            match outages.take_due(at) {
                Some(Transition::Leaves(node, Cause::Broken)) => {
                    failures += 1;
                    since[node.index()] = Some(at);
                }
                Some(Transition::Returns(node)) => out_us += (at - since[node.index()].take().unwrap()).0,
                other => panic!("{other:?}"),
            }
        }
        let share = out_us as f64 / (50.0 * end.0 as f64);
        assert!((share - 0.1).abs() < 0.01, "out {share} of the time");
        assert!((f64::from(failures) / (50.0 * 100.0) - 1.0).abs() < 0.05, "{failures} failures");
    }

    #[test]
    fn a_node_that_is_both_withdrawn_and_broken_returns_once() {
        let node = NodeId(0);
        let change = |at, service| PlannedChange { at: SimTime(at), node, service };
        let mut outages = Outages::new(1, &[change(5, Service::Out), change(20, Service::In)], vec![None], 0);
        outages.events.push(Reverse((SimTime(10), node, Event::Fails)));
        outages.events.push(Reverse((SimTime(30), node, Event::IsRepaired)));
        assert_eq!(outages.take_due(SimTime(4)), None);
        assert_eq!(outages.take_due(SimTime(10)), Some(Transition::Leaves(node, Cause::Withdrawn)));
        assert_eq!(outages.take_due(SimTime(25)), None);
        assert_eq!(outages.take_due(SimTime(30)), Some(Transition::Returns(node)));
        assert_eq!(outages.next(), None);
    }
}
