//! Loans: what tenants leave of their quotas to others, and get back.
//!
//! Long-term resource fairness (Tang et al., ICS 2014, doi 10.1145/2597652.2597672) in slots. On every GPU type, round after round:
//!
//! * *Lent* are the slots of its quota that a tenant neither needs (the choice of fewest slots that is worth `V_u(q_u)` leaves them
//!   empty) nor uses. They are *owed* by tenants that use more than their quota, in proportion to the excess. What nobody uses, or
//!   only tenants without entitlement use, is no loan; nor is an exchange, in which tenants use each other's slots and need their own.
//! * A share lambda of it enters the balances. No balance exceeds the tenant's share of `cap_rounds` rounds, either way; what would
//!   exceed it is neither credited nor charged.
//! * *Repayment*: quotas of the next rounds move from debtors to creditors, in whole units: as much as creditors are owed and their
//!   jobs could use, and debtors owe and have. What a creditor then leaves empty is not repaid.
//! * Gang credit ([`super::banking`]) is kept apart. What is lent for it is owed to the pool of that type, and who is cut for a gang
//!   is owed by the pool.
//! * Balances decay by half in every half-life.
//!
//! On each type the balances and the pool sum to zero, always: where decay or a lower cap takes from one side, the other side is
//! scaled down to it (largest remainder). A tenant without jobs keeps its balance, subject to that.

use super::apportion::apportion;
use super::quota::{Claim, Quotas};
use super::resources::TypeResources;
use crate::units::{SimSpan, SimTime};

/// Parts of a slot in which balances are counted.
pub const FINE: i64 = 1 << 20;

/// One in the fixed point of the decay.
const WHOLE: u64 = 1 << 32;

/// The terms on which tenants lend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoanTerms {
    /// Share of what is lent that is owed, in 1/[`FINE`].
    lambda: u64,
    cap_rounds: u64,
    half_life: Option<SimSpan>,
}

impl LoanTerms {
    /// Terms with `lambda` from 0 to 1; `None` if nothing is ever owed.
    #[must_use]
    pub fn new(lambda: f64, cap_rounds: u64, half_life: Option<SimSpan>) -> Option<Self> {
        let lambda = (lambda.clamp(0.0, 1.0) * FINE as f64).round() as u64;
        (lambda > 0 && cap_rounds > 0).then_some(Self { lambda, cap_rounds, half_life })
    }

    /// What is left of a loan after `span`, of [`WHOLE`].
    fn kept(&self, span: SimSpan) -> u64 {
        match self.half_life {
            Some(half_life) if span.0 > 0 => {
                let halvings = span.0 as f64 / half_life.0.max(1) as f64;
                (libm::exp2(-halvings) * WHOLE as f64).round() as u64
            }
            _ => WHOLE,
        }
    }
}

/// What became of one claimant's quota on one type in a round, in slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaUse {
    /// The quota.
    pub quota: u32,
    /// Slots the decision gives it.
    pub used: u32,
    /// Slots of the quota that the tenant's best inside its own quotas leaves empty.
    pub empty: u32,
    /// Slots of the quota that went into gang credit, or would have but for its cap.
    pub banked: u32,
    /// Slots taken from the quota for another tenant's gang.
    pub cut: u32,
}

/// The balances of one type.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Book {
    slots: u64,
    slots_per_unit: u64,
    /// By tenant, in 1/[`FINE`] slots: owed to it if positive, by it if negative.
    balance: Vec<i64>,
    /// By tenant: no balance is larger, either way.
    cap: Vec<i64>,
    /// Owed to gang credit.
    pool: i64,
    /// By claim: units of quota that moved to it (or from it) in this round.
    moved: Vec<i64>,
}

/// The balances of all tenants on all types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loans {
    terms: LoanTerms,
    books: Vec<Book>,
    last: Option<SimTime>,
}

impl Loans {
    /// Books without entries.
    #[must_use]
    pub fn new(terms: LoanTerms, types: &[TypeResources], tenants: usize) -> Self {
        let books = types.iter().map(|of_type| Book {
            slots: u64::from(of_type.units()) * u64::from(of_type.slots_per_unit()),
            slots_per_unit: u64::from(of_type.slots_per_unit()),
            balance: vec![0; tenants],
            cap: vec![0; tenants],
            pool: 0,
            moved: Vec::new(),
        });
        Self { terms, books: books.collect(), last: None }
    }

    /// Lets balances decay and moves quotas from debtors to creditors. `demand` are the slots that each claimant's jobs could
    /// take of each type, claim by claim.
    pub fn begin_round(&mut self, now: SimTime, claims: &[Claim], demand: &[u32], quotas: &mut Quotas) {
        let kept = self.last.map_or(WHOLE, |last| self.terms.kept(now - last));
        self.last = Some(now);
        let types = self.books.len();
        for (k, book) in self.books.iter_mut().enumerate() {
            book.set_caps(claims, self.terms.cap_rounds);
            book.level(kept);
            book.repay(k, claims, |claim| demand.get(claim * types + k).copied().unwrap_or(0), quotas);
        }
    }

    /// Units of a type's quota that moved to a claimant in this round by repayment, or from it.
    #[must_use]
    pub fn moved(&self, claim: usize, type_index: usize) -> i64 {
        self.books.get(type_index).and_then(|book| book.moved.get(claim)).copied().unwrap_or(0)
    }

    /// Enters what was lent, borrowed and repaid in a round. `uses` are by claim and then type.
    pub fn end_round(&mut self, claims: &[Claim], uses: &[QuotaUse]) {
        let types = self.books.len();
        for (k, book) in self.books.iter_mut().enumerate() {
            let of_type: Vec<QuotaUse> = uses.iter().skip(k).step_by(types).copied().collect();
            let lent = book.settle_repayments(claims, &of_type);
            book.lend(claims, &of_type, &lent, self.terms.lambda);
            book.compensate(claims, &of_type, self.terms.lambda);
        }
    }

    /// What a tenant is owed on a type, in 1/[`FINE`] slots; negative if it owes.
    #[must_use]
    pub fn balance(&self, tenant: u32, type_index: usize) -> i64 {
        self.books.get(type_index).and_then(|book| book.balance.get(tenant as usize)).copied().unwrap_or(0)
    }

    /// The largest balance a tenant may have on a type, in 1/[`FINE`] slots, as of the last round in which it was active.
    #[must_use]
    pub fn cap(&self, tenant: u32, type_index: usize) -> i64 {
        self.books.get(type_index).and_then(|book| book.cap.get(tenant as usize)).copied().unwrap_or(0)
    }

    /// What a type's pool of gang credit is owed, in 1/[`FINE`] slots; negative if tenants were cut for more.
    #[must_use]
    pub fn pool(&self, type_index: usize) -> i64 {
        self.books.get(type_index).map_or(0, |book| book.pool)
    }
}

impl Book {
    /// A tenant's share of `rounds` rounds of the type.
    fn set_caps(&mut self, claims: &[Claim], rounds: u64) {
        let total: u128 = claims.iter().map(|claim| u128::from(claim.weight)).sum();
        let all = u128::from(self.slots) * u128::from(rounds) * FINE as u128;
        for claim in claims {
            let tenant = claim.tenant as usize;
            if self.cap.len() <= tenant {
                self.cap.resize(tenant + 1, 0);
                self.balance.resize(tenant + 1, 0);
            }
            let cap = (all * u128::from(claim.weight) / total.max(1)) as i64;
            self.cap[tenant] = cap;
            self.balance[tenant] = self.balance[tenant].clamp(-cap, cap);
        }
    }

    /// Scales credits and debts alike to what both sides have, times `kept`.
    fn level(&mut self, kept: u64) {
        let side = |sign: i64| {
            let of_side = |&amount: &i64| if amount.signum() == sign { amount.unsigned_abs() } else { 0 };
            self.balance.iter().chain([&self.pool]).map(of_side).collect::<Vec<u64>>()
        };
        let (credits, debts) = (side(1), side(-1));
        let (credit, debt) = (sum(&credits), sum(&debts));
        if credit == debt && kept == WHOLE {
            return;
        }
        let total = (u128::from(credit.min(debt)) * u128::from(kept) / u128::from(WHOLE)) as u64;
        let scaled = apportion(total, &credits).into_iter().zip(apportion(total, &debts));
        for (amount, (credit, debt)) in self.balance.iter_mut().chain([&mut self.pool]).zip(scaled) {
            *amount = credit as i64 - debt as i64;
        }
    }

    fn repay(&mut self, k: usize, claims: &[Claim], demand: impl Fn(usize) -> u32, quotas: &mut Quotas) {
        let n = claims.len();
        self.moved.clear();
        self.moved.resize(n, 0);
        let first = k % n.max(1);
        let order: Vec<usize> = (first..n).chain(0..first).collect();
        let per_unit = self.slots_per_unit.max(1);
        let own = |quotas: &Quotas, claim: usize| u64::from(quotas.of(claim).get(k).copied().unwrap_or(0));
        let whole = |amount: i64| amount.max(0) as u64 / (per_unit * FINE as u64);
        let (mut wanted, mut given) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for &claim in &order {
            let (balance, own) = (self.balance[claims[claim].tenant as usize], own(quotas, claim));
            let room = u64::from(demand(claim)).div_ceil(per_unit).saturating_sub(own);
            wanted.push(whole(balance).min(room));
            given.push(whole(-balance).min(own));
        }
        let total = sum(&wanted).min(sum(&given));
        let changes = apportion(total, &wanted).into_iter().zip(apportion(total, &given));
        for (&claim, (gets, gives)) in order.iter().zip(changes) {
            self.moved[claim] = gets as i64 - gives as i64;
            if let Some(units) = quotas.of_mut(claim).get_mut(k) {
                *units = (i64::from(*units) + self.moved[claim]) as u32;
            }
        }
    }

    /// Enters repayments as far as creditors took them up. Returns what each claimant lent beyond them.
    fn settle_repayments(&mut self, claims: &[Claim], uses: &[QuotaUse]) -> Vec<u64> {
        let mut lent = Vec::with_capacity(uses.len());
        let mut given = Vec::with_capacity(uses.len());
        let mut all_taken = 0;
        for ((claim, of_claim), &moved) in claims.iter().zip(uses).zip(&self.moved) {
            let idle = of_claim.empty.min(of_claim.quota.saturating_sub(of_claim.used));
            let unbanked = u64::from(idle.saturating_sub(of_claim.banked));
            let slots = moved.unsigned_abs() * self.slots_per_unit;
            let (got, gave) = if moved > 0 { (slots, 0) } else { (0, slots) };
            let taken = got - got.min(unbanked);
            lent.push(unbanked - got.min(unbanked));
            given.push(gave);
            all_taken += taken;
            self.balance[claim.tenant as usize] -= taken as i64 * FINE;
        }
        for (claim, settled) in claims.iter().zip(apportion(all_taken, &given)) {
            self.balance[claim.tenant as usize] += settled as i64 * FINE;
        }
        lent
    }

    /// Enters new loans.
    fn lend(&mut self, claims: &[Claim], uses: &[QuotaUse], lent: &[u64], lambda: u64) {
        let banked = |of_claim: &QuotaUse| {
            of_claim.empty.min(of_claim.quota.saturating_sub(of_claim.used)).min(of_claim.banked)
        };
        let to_pool = uses.iter().map(|of_claim| u64::from(banked(of_claim))).sum::<u64>();
        let credits: Vec<u64> = lent.iter().chain([&to_pool]).map(|slots| slots * lambda).collect();
        let excess = |of_claim: &QuotaUse| u64::from(of_claim.used.saturating_sub(of_claim.quota)) * lambda;
        let debts: Vec<u64> = uses.iter().map(excess).collect();
        let (mut credits, mut debts) = both_sides(&credits, &debts);
        for ((claim, credit), debt) in claims.iter().zip(&mut credits).zip(&mut debts) {
            let tenant = claim.tenant as usize;
            *credit = (*credit).min((self.cap[tenant] - self.balance[tenant]).max(0) as u64);
            *debt = (*debt).min((self.cap[tenant] + self.balance[tenant]).max(0) as u64);
        }
        let (credits, debts) = both_sides(&credits, &debts);
        for ((claim, credit), debt) in claims.iter().zip(&credits).zip(&debts) {
            self.balance[claim.tenant as usize] += *credit as i64 - *debt as i64;
        }
        self.pool += credits.last().map_or(0, |&credit| credit as i64);
    }

    /// Credits, from the pool, those who were cut for a gang.
    fn compensate(&mut self, claims: &[Claim], uses: &[QuotaUse], lambda: u64) {
        for (claim, of_claim) in claims.iter().zip(uses) {
            let tenant = claim.tenant as usize;
            let room = (self.cap[tenant] - self.balance[tenant]).max(0);
            let credit = ((u64::from(of_claim.cut) * lambda) as i64).min(room);
            self.balance[tenant] += credit;
            self.pool -= credit;
        }
    }
}

/// Credits and debts scaled down to the smaller of their sums.
fn both_sides(credits: &[u64], debts: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let total = sum(credits).min(sum(debts));
    (apportion(total, credits), apportion(total, debts))
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, &part| sum.saturating_add(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::sts::resources::{Packing, Resources};

    const PAIR: [Claim; 2] = [Claim { tenant: 0, weight: 1 }, Claim { tenant: 1, weight: 1 }];

    /// Eight slots of one type, to which two tenants are due half each.
    fn pair(lambda: f64, half_life: Option<SimSpan>) -> Loans {
        let resources = Resources::new([(Packing::Slots, 2, 4)]);
        Loans::new(LoanTerms::new(lambda, 3, half_life).unwrap(), resources.types(), 2)
    }

    fn begin(loans: &mut Loans, round: i64, demand: [u32; 2]) -> [u32; 2] {
        let mut quotas = Quotas::new(2, 1);
        (quotas.of_mut(0)[0], quotas.of_mut(1)[0]) = (4, 4);
        loans.begin_round(SimTime(round * 360_000_000), &PAIR, &demand, &mut quotas);
        [quotas.of(0)[0], quotas.of(1)[0]]
    }

    fn end(loans: &mut Loans, quotas: [u32; 2], used: [u32; 2], empty: [u32; 2]) {
        let uses = [0, 1].map(|i| QuotaUse {
            quota: quotas[i],
            used: used[i],
            empty: empty[i],
            ..QuotaUse::default()
        });
        loans.end_round(&PAIR, &uses);
    }

    /// Balances in half slots.
    fn halves(loans: &Loans) -> [i64; 2] {
        [0, 1].map(|tenant| loans.balance(tenant, 0) * 2 / FINE)
    }

    #[test]
    fn what_is_lent_comes_back() {
        let mut loans = pair(1.0, None);
        // The first tenant needs one slot of its four; the second takes two of the others.
        let quotas = begin(&mut loans, 0, [1, 8]);
        assert_eq!(quotas, [4, 4]);
        end(&mut loans, quotas, [1, 6], [3, 0]);
        assert_eq!(halves(&loans), [4, -4]);
        // It still needs one: nothing moves.
        let quotas = begin(&mut loans, 1, [1, 8]);
        assert_eq!(quotas, [4, 4]);
        end(&mut loans, quotas, [1, 7], [3, 0]);
        assert_eq!(halves(&loans), [10, -10]);
        // It could use seven, so three come back; it takes up two of them.
        let quotas = begin(&mut loans, 2, [7, 8]);
        assert_eq!(quotas, [7, 1]);
        end(&mut loans, quotas, [6, 2], [1, 0]);
        assert_eq!(halves(&loans), [6, -6]);
        // All it is owed; the second tenant keeps what it does not owe.
        let quotas = begin(&mut loans, 3, [8, 8]);
        assert_eq!(quotas, [7, 1]);
        end(&mut loans, quotas, [7, 1], [0, 0]);
        assert_eq!(halves(&loans), [0, 0]);
        assert_eq!(begin(&mut loans, 4, [8, 8]), [4, 4]);
    }

    #[test]
    fn lambda_is_the_share_that_is_owed_and_the_cap_is_kept() {
        let mut loans = pair(0.25, None);
        for round in 0..40 {
            let quotas = begin(&mut loans, round, [2, 8]);
            end(&mut loans, quotas, [2, 6], [2, 0]);
            let owed = (round + 1).min(24);
            assert_eq!(halves(&loans), [owed, -owed]);
        }
        assert_eq!(loans.cap(0, 0), 12 * FINE);
    }

    #[test]
    fn an_exchange_and_idle_slots_are_no_loans() {
        let mut loans = pair(1.0, None);
        let quotas = begin(&mut loans, 0, [8, 8]);
        // The first tenant needs its slots but has something better elsewhere.
        end(&mut loans, quotas, [0, 8], [0, 0]);
        assert_eq!(halves(&loans), [0, 0]);
        // Nobody takes what is left.
        end(&mut loans, quotas, [1, 4], [3, 0]);
        assert_eq!(halves(&loans), [0, 0]);
        // What it uses after all is not lent.
        end(&mut loans, quotas, [3, 5], [3, 0]);
        assert_eq!(halves(&loans), [2, -2]);
    }

    #[test]
    fn loans_decay_by_half_in_a_half_life() {
        let mut loans = pair(1.0, Some(SimSpan::from_secs(3600.0)));
        let quotas = begin(&mut loans, 0, [1, 8]);
        end(&mut loans, quotas, [0, 8], [4, 0]);
        begin(&mut loans, 10, [1, 8]);
        assert_eq!(halves(&loans), [4, -4]);
        begin(&mut loans, 11, [1, 8]);
        let tenth = 2.0 * 0.5f64.powf(0.1);
        assert!(
            (loans.balance(0, 0) as f64 / FINE as f64 - tenth).abs() < 1e-5
                && loans.balance(0, 0) == -loans.balance(1, 0)
        );
    }

    #[test]
    fn the_pool_stands_between_gang_credit_and_those_who_are_cut() {
        let mut loans = pair(1.0, None);
        let quotas = begin(&mut loans, 0, [8, 8]);
        let saves = QuotaUse { quota: 4, empty: 4, banked: 4, ..QuotaUse::default() };
        let uses = QuotaUse { quota: 4, used: 7, ..QuotaUse::default() };
        loans.end_round(&PAIR, &[saves, uses]);
        assert_eq!((quotas, halves(&loans), loans.pool(0)), ([4, 4], [0, -6], 3 * FINE));
        // Nobody is a creditor yet, so nothing moves; then the gang runs and the other is cut by two.
        assert_eq!(begin(&mut loans, 1, [8, 8]), [4, 4]);
        let runs = QuotaUse { quota: 6, used: 6, ..QuotaUse::default() };
        let is_cut = QuotaUse { quota: 2, used: 2, cut: 2, ..QuotaUse::default() };
        loans.end_round(&PAIR, &[runs, is_cut]);
        assert_eq!((halves(&loans), loans.pool(0)), ([0, -2], FINE));
    }

    #[test]
    fn nothing_is_owed_where_lambda_or_the_cap_is_zero() {
        assert!(LoanTerms::new(0.0, 8, None).is_none() && LoanTerms::new(1.0, 0, None).is_none());
    }
}
