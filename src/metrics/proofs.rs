//! What the rounds of a policy that proves its decisions add up to.

use super::window::Window;
use crate::policy::{LedgerRow, Proof};
use crate::sim::{RoundReport, Watch};
use crate::units::TenantId;

/// What the rounds of a policy that proves its decisions add up to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProofStats {
    /// Rounds with a proof.
    pub rounds: u64,
    /// Rounds proven optimal.
    pub optimal: u64,
    /// Largest relative gap.
    pub gap_max: f64,
    /// Sum of relative gaps.
    pub gap_sum: f64,
    /// Rounds in which the optimum without floors is known, and the sum of its excess.
    pub priced: u64,
    /// Sum over priced rounds of optimum without floors / objective − 1.
    pub price_sum: f64,
    /// (Tenant, round) pairs with a value below the floor, in the policy's own metric.
    pub own_violations: u64,
    /// Whether the policy keeps a ledger.
    pub has_ledger: bool,
    /// Slots of entitlement, summed over rounds, that were lost because credit for a job larger than its tenant's quota was at its
    /// cap.
    pub packing_loss_slots: u64,
    /// Seconds that each decision with a proof took, where there is a clock.
    pub decide_s: Vec<f64>,
    /// Rounds that begin outside of it do not count.
    pub window: Window,
}

impl ProofStats {
    /// Adds one round.
    pub fn add(&mut self, proof: Option<&Proof>, ledger: &[LedgerRow]) {
        if let Some(proof) = proof {
            self.rounds += 1;
            let gap = proof.gap();
            if proof.objective >= proof.bound {
                self.optimal += 1;
            }
            self.gap_max = self.gap_max.max(gap);
            self.gap_sum += gap;
            if let Some(free) = proof.without_floors
                && proof.objective > 0
            {
                self.priced += 1;
                self.price_sum += (free as f64 / proof.objective as f64 - 1.0).max(0.0);
            }
        }
        self.has_ledger |= !ledger.is_empty();
        self.packing_loss_slots += ledger.iter().map(|row| u64::from(row.packing_loss_slots)).sum::<u64>();
        let mut counted: Option<TenantId> = None;
        for row in ledger.iter().filter(|row| row.value < row.floor) {
            // A tenant has one row a type, next to each other; its floor is one.
            if counted != Some(row.tenant) {
                self.own_violations += 1;
                counted = Some(row.tenant);
            }
        }
    }
}

impl Watch for ProofStats {
    fn round(&mut self, report: &RoundReport<'_>) {
        if !self.window.holds(report.start) {
            return;
        }
        self.add(report.proof, report.ledger);
        if let (Some(_), Some(seconds)) = (report.proof, report.decide_s) {
            self.decide_s.push(seconds);
        }
    }
}
