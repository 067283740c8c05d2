//! F2, drift plus penalty: fairness on average, without floors.
//!
//! Every tenant has a queue of what it was entitled to and did not get, `Q_u(t+1) = max(0, Q_u + V_u(q_u) - V_u(x_u))`. A round
//! maximises `sum_u (B + Q_u) * V_u(x_u)` subject to capacity alone: the longer a tenant waits for its due, the more its jobs count.
//! Source: Neely, "Stochastic Network Optimization with Application to Communication and Queueing Systems", 2010. As the quotas
//! together fit the cluster, average service follows average entitlement, with queues of the order of `B` and the objective within
//! the order of `1/B` of the best. No single round is guaranteed anything.
//!
//! `B` is given in rounds: that many times the mean entitlement of a tenant in a round so far.

use crate::policy::sts::program::Program;
use crate::policy::sts::quota::Claim;
use crate::policy::sts::value::Quantum;
use crate::units::gcd;

/// The largest weight of a tenant in the program: weights are rounded to this part of the largest one, and are at least 1.
pub const MOST_WEIGHT: i64 = (1 << 16) - 1;

/// Parts of a round in which `B` is counted.
const PARTS: i128 = 1_000_000;

/// Bits of the largest weight before it is rounded, so that products stay in range.
const WEIGHT_BITS: u32 = 100;

/// The queues of all tenants, as lasting worths ([`Quantum::lasting`]).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drift {
    /// `B`, in 1/[`PARTS`] rounds.
    efficiency: i128,
    queues: Vec<i128>,
    /// Sum of all entitlements so far, and of how many tenants and rounds.
    entitled: i128,
    entitlements: i128,
}

impl Drift {
    /// Empty queues; `b` is `B` in rounds.
    #[must_use]
    pub fn new(b: f64) -> Self {
        Self { efficiency: (b * PARTS as f64).round() as i128, ..Self::default() }
    }

    /// Enters the entitlements of a round, by tenant, and weighs the tenants of its program, whose floors it drops.
    pub fn weigh(&mut self, claims: &[Claim], entitled: &[i64], quantum: Quantum, program: &mut Program) {
        self.queues.resize(program.tenants.len(), 0);
        for claim in claims {
            let entitled = entitled.get(claim.tenant as usize).copied().unwrap_or(0);
            self.entitled = self.entitled.saturating_add(quantum.lasting(entitled));
            self.entitlements += 1;
        }
        let mean = self.entitled / self.entitlements.max(1);
        let efficiency = (mean / PARTS).saturating_mul(self.efficiency);
        let weights: Vec<i128> = self.queues.iter().map(|&queue| efficiency.saturating_add(queue)).collect();
        let most = weights.iter().copied().max().unwrap_or(0);
        let shift = (i128::BITS - most.leading_zeros()).saturating_sub(WEIGHT_BITS);
        let unit = (most >> shift).max(1);
        for (tenant, weight) in program.tenants.iter_mut().zip(weights) {
            let rounded = ((weight >> shift) * i128::from(MOST_WEIGHT) + unit / 2) / unit;
            tenant.weight = (rounded as i64).max(1);
            tenant.floor = 0;
        }
        let divisor = program
            .tenants
            .iter()
            .fold(0, |divisor, tenant| gcd(divisor, tenant.weight.unsigned_abs()))
            .max(1);
        let divisor = i64::try_from(divisor).unwrap_or(i64::MAX);
        for tenant in &mut program.tenants {
            tenant.weight /= divisor;
        }
    }

    /// Enters what a decision gives, by tenant.
    pub fn settle(&mut self, claims: &[Claim], entitled: &[i64], values: &[i64], quantum: Quantum) {
        for claim in claims {
            let tenant = claim.tenant as usize;
            let missed = entitled.get(tenant).zip(values.get(tenant)).map_or(0, |(due, got)| due - got);
            if let Some(queue) = self.queues.get_mut(tenant) {
                *queue = queue.saturating_add(quantum.lasting(missed)).max(0);
            }
        }
    }

    /// What a tenant is behind, as a lasting worth.
    #[must_use]
    pub fn queue(&self, tenant: usize) -> i128 {
        self.queues.get(tenant).copied().unwrap_or(0)
    }
}
