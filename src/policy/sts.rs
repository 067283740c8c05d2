//! STS-Fairness: efficiency optimised under spatiotemporal sharing fairness.
//!
//! Read in this order: [`quota`] (what each tenant is entitled to, over time), [`value`] (what is optimised), [`program`] (the
//! integer program of one round), [`ladder`] (how it is solved, with what proof). Then what is optional: [`loans`] (quotas left to
//! others come back) and [`formulation`] (fairness on average, or the worst-served first, in place of floors).

pub mod alone;
pub mod apportion;
pub mod banking;
pub mod budget;
pub mod certificate;
pub mod dense;
pub mod entitlement;
pub mod explain;
pub mod formulation;
pub mod ladder;
pub mod loans;
pub mod program;
pub mod quota;
mod refill;
pub mod resources;
mod round;
mod settings;
pub mod value;

use self::alone::{Alone, alone};
use self::banking::{Banking, Blocked};
use self::formulation::{Decided, Formulation};
use self::ladder::{Ladder, UNCONTENDED};
use self::loans::{Loans, QuotaUse};
use self::program::{Solution, Status};
use self::quota::{Claim, Quotas, TemporalLayer};
use self::resources::{Resources, TypeResources};
use self::round::Round;
use self::settings::Settings;
pub use self::settings::check_hysteresis;
use self::value::{Objective, Quantum};
use super::estimate::Estimator;
use super::registry::Knowledge;
use super::{Decision, Grant, LedgerRow, Policy, PolicySpec, Proof, Refill, RefillReads, RoundProgram, View};
use crate::units::{JobId, SimTime, TenantId, TypeId};

/// One part in this many of the budget may be spent on finding what tenants could do alone.
const ALONE_SHARE: u64 = 2;

/// STS-Fairness: quota-anchored sharing incentive (formulation F1), and two other formulations of fairness on the same solver.
///
/// * Rule: a temporal layer gives every tenant whole-slot quotas that follow its weighted share of every GPU type to within one slot,
///   for ever; each round maximises the sum of `nu * rate` over all jobs, subject to capacity and to every tenant having at least
///   what its own quota would be worth to it (`V_u(x_u) >= V_u(q_u)`); the integer program is solved exactly by dynamic
///   programming, or to a proven bound beyond the budget.
/// * Source: "STS-Fairness", ICPADS 2025, doi 10.1109/icpads67057.2025.11323066, of which only the abstract is public: this
///   formulation is consistent with it, no more. Quotas: Tijdeman, "The chairman assignment problem", 1980.
/// * Formulations F2 and F3, the same program with other fairness: see [`formulation`].
/// * Deviations: none that could be known. Tenants have no weights in the objective beside their entitlement. Quotas on strictly
///   packed A100-class types are whole devices; jobs larger than their tenant's quota collect credit.
/// * Complexity: polynomial for a constant number of types: `O(log(value) * jobs * options * slots^types)` at worst; in practice
///   the states grow with the integrality gap instead of with the cluster ([`budget`]).
pub const SPEC: PolicySpec = PolicySpec {
    name: "sts-fairness",
    title: "STS-Fairness",
    summary: "Most value under spatiotemporal fairness: no tenant below what its own quota of slots is worth to it",
    citation: "STS-Fairness, ICPADS 2025 (abstract)",
    knowledge: Knowledge::RemainingWork,
    params: settings::PARAMS,
    refuses: None,
    build: Some(|params, seed| Box::new(StsFairness { settings: Settings::new(params, seed), state: None })),
};

/// The policy, for one run.
struct StsFairness {
    settings: Settings,
    /// What is set up when the cluster is first seen.
    state: Option<State>,
}

/// What is kept from round to round.
struct State {
    budget: u64,
    formulation: Formulation,
    layer: TemporalLayer,
    banking: Banking,
    loans: Option<Loans>,
    ladder: Ladder,
    round: Round,
    /// Quotas of the temporal layer, and those in force.
    own: Quotas,
    quotas: Quotas,
    blocked: Vec<Blocked>,
    shares: Vec<Vec<u32>>,
    /// Slots the decision gives, by tenant and then type.
    used: Vec<u32>,
    /// The unit of value in the last decision.
    last_quantum: Option<Quantum>,
    last: Option<LastRound>,
}

/// Whether the optimum without floors is computed too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prices {
    Wanted,
    NotWanted,
}

/// The last round decided.
struct LastRound {
    round: u64,
    /// Whether every job got its best option and nothing is remembered of it, so that nothing changes until a job arrives or
    /// completes.
    settled: bool,
    jobs: Vec<JobId>,
}

impl Policy for StsFairness {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let settings = &self.settings;
        let objective = settings.objective(view);
        let prices = match settings.price_every {
            every if every > 0 && view.round.is_multiple_of(every) => Prices::Wanted,
            _ => Prices::NotWanted,
        };
        let state = self.state.get_or_insert_with(|| State::new(view, settings));
        state.catch_up(view);
        state.set_devices(view.in_service);
        let quantum = state.entitle(view, &objective, &settings.estimator);
        let Some(decided) = state.solve(quantum, prices) else {
            // Cannot happen: idling is a choice, and the shares fit together, so what they are worth is reached.
            return;
        };
        state.settle(view, &decided.solution);
        state.write(&decided, decision);
        let Decided { solution, without_floors, .. } = decided;
        decision.proof = Some(Proof {
            objective: solution.objective,
            bound: solution.bound,
            without_floors,
            states: solution.states,
            method: solution.method,
        });
    }

    fn refill_reads(&self) -> RefillReads {
        RefillReads::Waiting
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        refill::refill(view, &self.settings.objective(view), &self.settings.estimator, waiting, free);
    }

    fn program(&self) -> Option<RoundProgram<'_>> {
        let round = &self.state.as_ref()?.round;
        Some(RoundProgram { program: &round.program, jobs: &round.jobs })
    }

    fn worth(&self, view: &View<'_>, job: JobId, option: u16) -> Option<f64> {
        let options = &view.class(job).options;
        let best = options.iter().map(|option| option.rate).max()?;
        let rate = options.get(usize::from(option))?.rate;
        let objective = self.settings.objective(view);
        Some(round::valued(view, &objective, &self.settings.estimator, job, best).worth(rate))
    }

    fn is_static_when_idle_queue(&self) -> bool {
        // A job on its best option keeps it: with less work left, what it holds only gains on the others.
        self.state.as_ref().and_then(|state| state.last.as_ref()).is_some_and(|last| last.settled)
    }
}

impl State {
    fn new(view: &View<'_>, settings: &Settings) -> Self {
        let resources = Resources::of(view.cluster);
        let units = resources.types().iter().map(TypeResources::units).collect();
        let tenants = view.workload.tenants.len();
        Self {
            budget: settings.budget,
            formulation: settings.formulation.clone(),
            layer: TemporalLayer::new(units, tenants),
            banking: Banking::default(),
            loans: settings.loans.map(|terms| Loans::new(terms, resources.types(), tenants)),
            ladder: Ladder::with_method(settings.budget, settings.method),
            round: Round::new(resources),
            own: Quotas::default(),
            quotas: Quotas::default(),
            blocked: Vec::new(),
            shares: Vec::new(),
            used: Vec::new(),
            last_quantum: None,
            last: None,
        }
    }

    /// Hands out the quotas of the rounds that were passed over since the last decision. In each of them the tenants were active
    /// that still had a job of that decision unfinished, with the weights of the time.
    fn catch_up(&mut self, view: &View<'_>) {
        let Some(last) = self.last.take() else { return };
        let length = view.round_length.0.max(1).unsigned_abs();
        let first_from = |time: SimTime| u64::try_from(time.0).unwrap_or(0).div_ceil(length);
        // When each tenant's last job ends, as the first round in which it is no longer active.
        let mut until: Vec<(TenantId, u64)> = Vec::new();
        for &job in &last.jobs {
            let tenant = view.job(job).tenant;
            let finish = view.state(job).finish.unwrap_or(SimTime::NEVER);
            let first_without = first_from(finish).min(view.round);
            match until.last_mut() {
                Some((other, round)) if *other == tenant => *round = first_without.max(*round),
                _ => until.push((tenant, first_without)),
            }
        }
        let mut round = last.round + 1;
        while round < view.round {
            let mut next = view.round;
            let mut claims: Vec<Claim> = Vec::new();
            for &(tenant, first_without) in until.iter().filter(|&&(_, first_without)| first_without > round)
            {
                next = next.min(first_without);
                let Some(of_workload) = view.workload.tenants.get(tenant.index()) else { continue };
                let start = SimTime((round * length) as i64);
                let change = of_workload.changes.iter().find(|change| change.at > start);
                next = change.map_or(next, |change| next.min(first_from(change.at)));
                let weight = of_workload.weight_at(start);
                if weight > 0 {
                    claims.push(Claim { tenant: tenant.0, weight });
                }
            }
            self.layer.skip(&claims, next - round);
            round = next;
        }
    }

    /// Takes note of devices that left service or came back.
    fn set_devices(&mut self, in_service: &[u32]) {
        let types = self.round.resources.types();
        if types.iter().map(|of_type| of_type.devices).ne(in_service.iter().copied()) {
            self.round.resources = self.round.resources.with_devices(in_service);
            self.layer.set_units(self.round.resources.types().iter().map(TypeResources::units));
        }
    }

    /// Builds the program of the round and what each tenant is entitled to.
    fn entitle(&mut self, view: &View<'_>, objective: &Objective, estimator: &Estimator) -> Quantum {
        let quantum = self.round.assemble(view, objective, estimator);
        if let Some(last) = self.last_quantum.replace(quantum) {
            self.ladder.rescale(quantum.per_worth() / last.per_worth());
        }
        let claims = &self.round.claims;
        self.layer.next_round(claims, &mut self.own);
        self.round.blocked(view, &self.own, &mut self.blocked);
        self.quotas.clone_from(&self.own);
        if let Some(loans) = &mut self.loans {
            loans.begin_round(view.now, claims, &self.round.demand(), &mut self.quotas);
        }
        let is_active = |job: JobId| view.state(job).finish.is_none();
        self.banking.begin_round(view.round, claims, &self.blocked, &self.own, &mut self.quotas, is_active);
        self.round.shares(&self.quotas, &mut self.shares);
        quantum
    }

    /// Solves the program of the round by the formulation in force; `prices` says whether the optimum without floors is wanted.
    fn solve(&mut self, quantum: Quantum, prices: Prices) -> Option<Decided> {
        let mut formulation = std::mem::take(&mut self.formulation);
        let decided = match &mut formulation {
            Formulation::QuotaFloors => self.solve_with_quota_floors(prices),
            Formulation::Drift(drift) => {
                let floors = self.worth_of_quotas();
                let Round { program, claims, .. } = &mut self.round;
                drift.weigh(claims, &floors, quantum, program);
                self.ladder.solve(program).map(|solution| {
                    drift.settle(claims, &floors, &program.tenant_values(&solution.choice), quantum);
                    Decided { solution, floors, without_floors: None }
                })
            }
            Formulation::MaxMin(maxmin) => {
                let floors = self.worth_of_quotas();
                let Round { program, claims, .. } = &mut self.round;
                maxmin.solve(&mut self.ladder, program, claims, quantum, &floors, self.budget).map(
                    |(solution, free)| {
                        maxmin.settle(claims, &program.tenant_values(&solution.choice), quantum);
                        let without_floors = (free.status == Status::Optimal).then_some(free.objective);
                        Decided { solution, floors, without_floors }
                    },
                )
            }
        };
        self.formulation = formulation;
        decided
    }

    fn solve_with_quota_floors(&mut self, prices: Prices) -> Option<Decided> {
        let solution = self.ladder.solve_round(&mut self.round.program, &self.shares)?;
        let without_floors = match prices {
            _ if solution.method == UNCONTENDED => Some(solution.objective),
            Prices::Wanted => self.without_floors(),
            Prices::NotWanted => None,
        };
        let floors = self.round.program.tenants.iter().map(|tenant| tenant.floor).collect();
        Some(Decided { solution, floors, without_floors })
    }

    /// What its quota is worth to every tenant; a value that it reaches, where the most is not found within the budget.
    fn worth_of_quotas(&self) -> Vec<i64> {
        let Round { program, claims, .. } = &self.round;
        let mut worth = vec![0; program.tenants.len()];
        for claim in claims {
            let tenant = claim.tenant as usize;
            worth[tenant] = self.alone(tenant).value;
        }
        worth
    }

    /// What a tenant could do inside its quotas.
    fn alone(&self, tenant: usize) -> Alone {
        let budget = self.budget / ALONE_SHARE / self.round.claims.len().max(1) as u64;
        let share = self.shares.get(tenant).map_or(&[][..], Vec::as_slice);
        alone(&self.round.program, tenant, share, budget)
    }

    /// The optimum when floors are dropped, where it is found within the budget.
    fn without_floors(&mut self) -> Option<i128> {
        let program = &mut self.round.program;
        let floors: Vec<i64> = program.tenants.iter().map(|tenant| tenant.floor).collect();
        for tenant in &mut program.tenants {
            tenant.floor = 0;
        }
        let optimum = self.ladder.solve_exactly(program).map(|solution| solution.objective);
        for (tenant, floor) in program.tenants.iter_mut().zip(floors) {
            tenant.floor = floor;
        }
        optimum
    }

    /// Enters a decision into the accounts that go on to the next round.
    fn settle(&mut self, view: &View<'_>, solution: &Solution) {
        let mut running: Vec<JobId> = Vec::new();
        let chosen = self.round.jobs.iter().zip(&solution.choice);
        running.extend(chosen.filter(|(_, option)| option.is_some()).map(|(&job, _)| job));
        running.sort_unstable();
        self.banking.end_round(|job| running.binary_search(&job).is_ok());
        self.used = self.round.slots_of(&solution.choice);
        if let Some(mut loans) = self.loans.take() {
            let uses = self.quota_uses(&loans);
            loans.end_round(&self.round.claims, &uses);
            self.loans = Some(loans);
        }
        self.last = Some(LastRound {
            round: view.round,
            settled: solution.method == UNCONTENDED && self.loans.is_none() && self.formulation.forgets(),
            jobs: self.round.jobs.clone(),
        });
    }

    /// What became of every claimant's quotas, by claim and then type.
    fn quota_uses(&self, loans: &Loans) -> Vec<QuotaUse> {
        let Round { program, resources, claims, .. } = &self.round;
        let types = resources.types();
        let mut uses = Vec::with_capacity(claims.len() * types.len());
        for (claim, of_claim) in claims.iter().enumerate() {
            let tenant = of_claim.tenant as usize;
            let mut needed = vec![0; types.len()];
            for (job, option) in program.jobs_of(tenant).iter().zip(&self.alone(tenant).choice) {
                resources.count_slots(job, *option, &mut needed);
            }
            let units = self.quotas.of(claim).iter().zip(self.own.of(claim));
            for (k, (of_type, (&quota, &own))) in types.iter().zip(units).enumerate() {
                let slots = of_type.slots_per_unit();
                let cut = i64::from(own) + loans.moved(claim, k) - i64::from(quota);
                uses.push(QuotaUse {
                    quota: quota * slots,
                    used: self.used[tenant * types.len() + k],
                    empty: (quota * slots).saturating_sub(needed[k]),
                    banked: self.banking.banked(of_claim.tenant, k) * slots,
                    cut: u32::try_from(cut).unwrap_or(0) * slots,
                });
            }
        }
        uses
    }

    /// Puts a solution into a decision: grants, reasons, ledger.
    fn write(&self, decided: &Decided, decision: &mut Decision) {
        let solution = &decided.solution;
        for (&job, option) in self.round.jobs.iter().zip(&solution.choice) {
            if let &Some(option) = option {
                decision.grants.push(Grant { job, option });
            }
        }
        decision.grants.sort_unstable_by_key(|grant| grant.job);
        let program = &self.round.program;
        explain::explain(program, &solution.choice, &self.round.jobs, &self.banking, decision);
        let types = self.round.resources.types();
        let worth = program.tenant_values(&solution.choice);
        for (claim, of_claim) in self.round.claims.iter().enumerate() {
            let tenant = of_claim.tenant as usize;
            let units = self.quotas.of(claim).iter().zip(self.own.of(claim));
            for (k, (of_type, (&quota, &own))) in types.iter().zip(units).enumerate() {
                let slots = of_type.slots_per_unit();
                let loan_slots = match &self.loans {
                    Some(loans) => (loans.balance(of_claim.tenant, k) / loans::FINE) as i32,
                    None => (i64::from(own) - i64::from(quota)) as i32 * slots as i32,
                };
                decision.ledger.push(LedgerRow {
                    tenant: TenantId(of_claim.tenant),
                    type_id: TypeId(k as u16),
                    quota_slots: quota * slots,
                    used_slots: self.used[tenant * types.len() + k],
                    floor: decided.floors[tenant],
                    value: worth[tenant],
                    loan_slots,
                    packing_loss_slots: self.banking.lost(of_claim.tenant, k) * slots,
                });
            }
        }
    }
}
