//! Credit for jobs that are larger than their tenant's quota.
//!
//! A tenant none of whose jobs can run inside its quota on any type (gangs, or single jobs whose smallest slice is large) would
//! never be owed anything: its floor is zero every round. For the first of its jobs such a tenant collects its quota on one type,
//! the one with the largest rate times capacity, round after round, while the slots themselves are lent to the pool. Once the
//! credit covers the job, the tenant's quota is the job's need for one round and the others' quotas on that type are cut in
//! proportion. No credit is collected in a round in which the job runs anyway, and it is capped at twice the need: a fluid share
//! of gangs can be physically unreachable, and what exceeds the cap is reported as lost to packing.

use super::apportion::apportion;
use super::quota::{Claim, Quotas};
use crate::units::JobId;

/// A tenant that cannot run anything inside its quota, and the job it collects for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocked {
    /// Its position among the claims.
    pub claim: usize,
    /// The job.
    pub job: JobId,
    /// The type to collect on.
    pub type_index: usize,
    /// Units of quota that cover the job there.
    pub need: u32,
}

/// What a tenant collects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Account {
    job: JobId,
    type_index: usize,
    need: u32,
    credit: u64,
    /// The round from which on the credit covers the need.
    ready_since: Option<u64>,
    /// Collected in this round.
    collected: u32,
    /// Beyond the cap in this round.
    lost: u32,
    /// Whether this round's quota was raised.
    raised: bool,
}

/// The accounts of all tenants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Banking {
    accounts: Vec<Option<Account>>,
}

impl Banking {
    /// Collects credit for blocked tenants and raises the quotas of those who have enough; `own` are the quotas of the temporal
    /// layer, of which credit is made, and `quotas` those in force. An account lives as long as its job.
    pub fn begin_round(
        &mut self,
        round: u64,
        claims: &[Claim],
        blocked: &[Blocked],
        own: &Quotas,
        quotas: &mut Quotas,
        is_active: impl Fn(JobId) -> bool,
    ) {
        let tenants = claims.iter().map(|claim| claim.tenant as usize + 1).max().unwrap_or(0);
        if self.accounts.len() < tenants {
            self.accounts.resize(tenants, None);
        }
        for account in &mut self.accounts {
            *account = account.filter(|account| is_active(account.job));
            if let Some(account) = account {
                (account.collected, account.lost, account.raised) = (0, 0, false);
            }
        }
        for blocked in blocked {
            let Some(claim) = claims.get(blocked.claim) else { continue };
            let Some(account) = self.accounts.get_mut(claim.tenant as usize) else { continue };
            let account = account.get_or_insert(Account {
                job: blocked.job,
                type_index: blocked.type_index,
                need: blocked.need,
                credit: 0,
                ready_since: None,
                collected: 0,
                lost: 0,
                raised: false,
            });
            account.collect(own.of(blocked.claim), round);
        }
        self.raise(claims, blocked, quotas);
    }

    /// At most one account a type is served, the one that has been ready longest (ties: the order of tenants).
    fn raise(&mut self, claims: &[Claim], blocked: &[Blocked], quotas: &mut Quotas) {
        let mut ready: Vec<(u64, usize, u32)> = blocked
            .iter()
            .filter_map(|blocked| {
                let tenant = claims.get(blocked.claim)?.tenant;
                let since = self.accounts.get(tenant as usize)?.as_ref()?.ready_since?;
                Some((since, blocked.claim, tenant))
            })
            .collect();
        ready.sort_unstable();
        let mut served: Vec<usize> = Vec::new();
        for (_, claim, tenant) in ready {
            let Some(Some(account)) = self.accounts.get_mut(tenant as usize) else { continue };
            if !served.contains(&account.type_index) {
                served.push(account.type_index);
                account.raised = true;
                give_to_one(claims, claim, account.type_index, account.need, quotas);
            }
        }
    }

    /// Settles the accounts once the round is decided; `runs` says whether a job got anything.
    pub fn end_round(&mut self, runs: impl Fn(JobId) -> bool) {
        for account in self.accounts.iter_mut().flatten() {
            if account.raised {
                account.credit = account.credit.saturating_sub(u64::from(account.need));
            } else if runs(account.job) {
                account.credit = account.credit.saturating_sub(u64::from(account.collected));
                (account.collected, account.lost) = (0, 0);
            }
            if account.credit < u64::from(account.need) {
                account.ready_since = None;
            }
        }
    }

    /// The job a tenant collects for in this round and the type it does so on.
    #[must_use]
    pub fn collects_for(&self, tenant: u32) -> Option<(JobId, usize)> {
        let account = self.accounts.get(tenant as usize)?.as_ref()?;
        (account.collected > 0 || account.lost > 0 || account.raised)
            .then_some((account.job, account.type_index))
    }

    /// Units of quota that a tenant left to the pool on a type in this round for credit, or would have but for its cap; known once
    /// the round has ended.
    #[must_use]
    pub fn banked(&self, tenant: u32, type_index: usize) -> u32 {
        match self.accounts.get(tenant as usize) {
            Some(Some(account)) if account.type_index == type_index && !account.raised => {
                account.collected + account.lost
            }
            _ => 0,
        }
    }

    /// Units of quota a tenant lost on a type in this round because its credit was at the cap.
    #[must_use]
    pub fn lost(&self, tenant: u32, type_index: usize) -> u32 {
        match self.accounts.get(tenant as usize) {
            Some(Some(account)) if account.type_index == type_index => account.lost,
            _ => 0,
        }
    }
}

impl Account {
    fn collect(&mut self, own: &[u32], round: u64) {
        let units = own.get(self.type_index).copied().unwrap_or(0);
        let room = (2 * u64::from(self.need)).saturating_sub(self.credit);
        self.collected = u64::from(units).min(room) as u32;
        self.lost = units - self.collected;
        self.credit += u64::from(self.collected);
        if self.credit >= u64::from(self.need) {
            self.ready_since.get_or_insert(round);
        }
    }
}

/// Raises one claimant's quota on a type to `need` and cuts the others' in proportion (largest remainder; ties in the type's
/// order).
fn give_to_one(claims: &[Claim], claim: usize, type_index: usize, need: u32, quotas: &mut Quotas) {
    let units = |quotas: &Quotas, i: usize| quotas.of(i).get(type_index).copied().unwrap_or(0);
    let taken = u64::from(need.saturating_sub(units(quotas, claim)));
    let n = claims.len();
    let first = type_index % n.max(1);
    let others: Vec<usize> = (first..n).chain(0..first).filter(|&i| i != claim).collect();
    let parts: Vec<u64> = others.iter().map(|&i| u64::from(units(quotas, i))).collect();
    if taken == 0 || parts.iter().sum::<u64>() < taken {
        return;
    }
    for (&i, cut) in others.iter().zip(apportion(taken, &parts)) {
        quotas.of_mut(i)[type_index] -= cut as u32;
    }
    quotas.of_mut(claim)[type_index] += taken as u32;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::sts::quota::TemporalLayer;

    fn equal(n: u32) -> Vec<Claim> {
        (0..n).map(|tenant| Claim { tenant, weight: 1 }).collect()
    }

    #[test]
    fn a_gang_of_five_in_nine_runs_when_three_rounds_share_is_collected() {
        // Each of three tenants is due three of nine GPUs and has only gangs of five.
        let claims = equal(3);
        let mut layer = TemporalLayer::new(vec![9], 3);
        let mut banking = Banking::default();
        let mut raised = [0u32; 3];
        let mut lost = 0;
        for round in 0..90 {
            let mut own = Quotas::default();
            layer.next_round(&claims, &mut own);
            let mut quotas = own.clone();
            let blocked: Vec<Blocked> = (0..3)
                .map(|claim| Blocked { claim, job: JobId(claim as u32), type_index: 0, need: 5 })
                .collect();
            banking.begin_round(round, &claims, &blocked, &own, &mut quotas, |_| true);
            let units: Vec<u32> = (0..3).map(|i| quotas.of(i)[0]).collect();
            assert_eq!(units.iter().sum::<u32>(), 9);
            let served: Vec<usize> = (0..3).filter(|&i| units[i] >= 5).collect();
            assert!(served.len() <= 1, "{units:?}");
            for &i in &served {
                raised[i] += 1;
            }
            banking.end_round(|job| served.contains(&job.index()));
            lost += (0..3).map(|tenant| banking.lost(tenant, 0)).sum::<u32>();
        }
        // One gang a round fits; 1.8 would be due. Everybody gets a third of what fits, and the rest is reported.
        assert!(raised.iter().all(|&n| (28..=30).contains(&n)), "{raised:?}");
        assert!((300..=370).contains(&lost), "{lost} of 90 * 4");
    }

    #[test]
    fn a_round_in_which_the_job_runs_anyway_collects_nothing() {
        let claims = equal(2);
        let mut banking = Banking::default();
        let blocked = [Blocked { claim: 0, job: JobId(7), type_index: 0, need: 6 }];
        let own = || {
            let mut quotas = Quotas::new(2, 1);
            quotas.of_mut(0)[0] = 4;
            quotas.of_mut(1)[0] = 4;
            quotas
        };
        let mut quotas = own();
        banking.begin_round(0, &claims, &blocked, &own(), &mut quotas, |_| true);
        assert_eq!(quotas, own());
        assert_eq!(banking.collects_for(0), Some((JobId(7), 0)));
        banking.end_round(|_| true);
        banking.begin_round(1, &claims, &blocked, &own(), &mut quotas, |_| true);
        assert_eq!(quotas, own());
        banking.end_round(|_| false);
        banking.begin_round(2, &claims, &blocked, &own(), &mut quotas, |_| true);
        assert_eq!((quotas.of(0)[0], quotas.of(1)[0]), (6, 2));
        // The job ends, and its account with it.
        banking.end_round(|_| true);
        banking.begin_round(3, &claims, &[], &own(), &mut own(), |_| false);
        assert_eq!(banking.collects_for(0), None);
    }

    #[test]
    fn others_are_cut_in_proportion() {
        let claims = equal(4);
        let mut quotas = Quotas::new(4, 1);
        for (i, units) in [1, 6, 3, 0].into_iter().enumerate() {
            quotas.of_mut(i)[0] = units;
        }
        give_to_one(&claims, 0, 0, 7, &mut quotas);
        assert_eq!((0..4).map(|i| quotas.of(i)[0]).collect::<Vec<_>>(), [7, 2, 1, 0]);
    }
}
