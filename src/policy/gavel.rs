//! Gavel's policies as round policies: a linear program says how much of its time each job should spend on each GPU type, and a
//! mechanism that is the same for all of them turns these fractions into rounds.
//!
//! Source: Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning Workloads", OSDI 2020. The fractions
//! are computed when a round begins with other jobs, or other weights, than the last one; there is no least time between two
//! computations, no shuffling of types, and a job that has just arrived takes part at once. (`sts gavel` has the reference
//! simulator's own behaviour.)
//!
//! Jobs of the same class and weight are one `Group`: in a program that treats equals alike the average of two
//! optima is an optimum, so that nothing is lost by giving them the same fractions.

pub mod ftf;
mod groups;
pub mod makespan;

pub mod max_min;
pub mod max_sum;
mod program;
mod remaining;
mod rounds;
pub mod water_filling;

use super::fluid::{self, Dealer};
use super::list::Sharing;
use super::{Decision, Params, Policy, Proof, Refill, SHARE_UNITS, Share, View};
use crate::units::JobId;
use groups::Groups;
use program::Fractions;
use rounds::Rounds;

/// What one of the policies optimises.
trait Objective {
    /// Sorts the active jobs into groups that are treated alike.
    fn group(&mut self, view: &View<'_>, groups: &mut Groups);

    /// Whether fractions that were computed some rounds ago for the same groups are out of date.
    fn is_stale(&self, rounds: u64) -> bool;

    /// The fractions of every group; `None` when the program could not be solved.
    fn fractions(&mut self, view: &View<'_>, groups: &mut Groups) -> Option<Fractions>;
}

/// A policy of this family for one run.
struct Gavel<O> {
    objective: O,
    groups: Groups,
    /// The groups that the fractions are for.
    solved: Vec<groups::Signature>,
    solved_round: u64,
    /// Devices in service that they are for, by type.
    solved_devices: Vec<f64>,
    fractions: Fractions,
    /// Whether the fractions are the equal share because the program could not be solved.
    is_fallback: bool,
    rounds: Rounds,
}

impl<O: Objective> Gavel<O> {
    fn new(objective: O, params: &Params, seed: u64) -> Self {
        Self {
            objective,
            groups: Groups::new(Sharing::of(params)),
            solved: Vec::new(),
            solved_round: 0,
            solved_devices: Vec::new(),
            fractions: Vec::new(),
            is_fallback: false,
            rounds: Rounds::new(params, seed),
        }
    }

    /// Computes the fractions where they are out of date.
    fn update(&mut self, view: &View<'_>) {
        self.objective.group(view, &mut self.groups);
        if self.objective.is_stale(view.round - self.solved_round)
            || self.solved_devices != self.groups.devices
            || !self.groups.is_signed(&self.solved)
        {
            self.solve(view);
        }
    }

    fn solve(&mut self, view: &View<'_>) {
        self.is_fallback = false;
        self.fractions = match self.groups.uncontended() {
            Some(fractions) => fractions,
            None => self.objective.fractions(view, &mut self.groups).unwrap_or_else(|| {
                self.is_fallback = true;
                self.groups.equal_share()
            }),
        };
        self.solved_round = view.round;
        self.solved_devices.clone_from(&self.groups.devices);
        self.groups.sign(&mut self.solved);
    }
}

impl<O: Objective> Policy for Gavel<O> {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.update(view);
        self.rounds.decide(view, &self.groups, &self.fractions, decision);
        if self.is_fallback {
            decision.proof = Some(Proof::failed());
        }
    }

    /// The fractions to the letter: what the program leaves idle stays idle.
    fn shares(&mut self, view: &View<'_>, shares: &mut Vec<Share>) -> bool {
        self.update(view);
        let mut pool = fluid::whole(view);
        let mut dealer = Dealer::new(view, shares);
        for (group, row) in self.groups.list.iter().zip(&self.fractions) {
            for (choice, fraction) in group.choices.iter().zip(row) {
                let of_time = (fraction.clamp(0.0, 1.0) * SHARE_UNITS as f64) as u64;
                for &job in &group.jobs {
                    dealer.give(&mut pool, job, choice.option, of_time);
                }
            }
        }
        dealer.finish();
        true
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.rounds.refill(view, waiting, free);
    }

    /// Jobs change places among types although nobody waits.
    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
