//! STS-Fairness: efficiency optimised under spatiotemporal sharing fairness.
//!
//! Read in this order: [`quota`] (what each tenant is entitled to, over time), [`value`] (what is optimised), [`program`] (the
//! integer program of one round), [`ladder`] (how it is solved, with what proof).

pub mod banking;
pub mod budget;
pub mod certificate;
pub mod dense;
pub mod explain;
pub mod ladder;
pub mod program;
pub mod quota;
mod refill;
pub mod resources;
mod round;
pub mod value;

use self::banking::{Banking, Blocked};
use self::ladder::{Ladder, Method, UNCONTENDED};
use self::program::Solution;
use self::quota::{Claim, Quotas, TemporalLayer};
use self::resources::{Resources, TypeResources};
use self::round::Round;
use self::value::{Durations, Mode, Objective};
use super::param::{ParamError, ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Decision, Grant, LedgerRow, Params, Policy, PolicySpec, Proof, Refill, RoundProgram, View};
use crate::cluster::Cluster;
use crate::units::{JobId, SimSpan, SimTime, TenantId, TypeId};

/// STS-Fairness, formulation F1: quota-anchored sharing incentive.
///
/// * Rule: a temporal layer gives every tenant whole-slot quotas that follow its weighted share of every GPU type to within one slot,
///   for ever; each round maximises the sum of `nu * rate` over all jobs, subject to capacity and to every tenant having at least
///   what its own quota would be worth to it (`V_u(x_u) >= V_u(q_u)`); the integer program is solved exactly by dynamic
///   programming, or to a proven bound beyond the budget.
/// * Source: "STS-Fairness", ICPADS 2025, doi 10.1109/icpads67057.2025.11323066, of which only the abstract is public: this
///   formulation is consistent with it, no more. Quotas: Tijdeman, "The chairman assignment problem", 1980.
/// * Deviations: none that could be known. Quotas on strictly packed A100-class types are whole devices; jobs larger than
///   their tenant's quota collect credit.
/// * Complexity: polynomial for a constant number of types: `O(log(value) * jobs * options * slots^types)` at worst; in practice
///   the states grow with the integrality gap instead of with the cluster ([`budget`]).
pub const SPEC: PolicySpec = PolicySpec {
    name: "sts-fairness",
    title: "STS-Fairness",
    summary: "Most value under spatiotemporal fairness: no tenant below what its own quota of slots is worth to it",
    citation: "STS-Fairness, ICPADS 2025 (abstract)",
    knowledge: Knowledge::RemainingWork,
    params: PARAMS,
    build: Some(|params, _| Box::new(StsFairness::new(params))),
};

/// The name of the hysteresis parameter, which [`check_hysteresis`] refuses.
const HYSTERESIS: &str = "hysteresis";

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "objective",
        title: "Objective",
        unit: None,
        kind: ParamKind::Choice(&[
            ("mix", "sqrt(GPUs / remaining time): short jobs first, gangs by the root of their size"),
            ("throughput", "GPUs: most work done"),
            ("jct", "1 / remaining time: shortest mean completion time, at the expense of gangs"),
            (
                "makespan",
                "GPUs times sqrt(remaining time): long jobs first; for batches, and mean completion time suffers",
            ),
        ]),
        help: "The weight nu of a job's speed in the sum that every round maximises. Floors hold in the same metric.",
    },
    ParamSpec {
        name: "durations",
        title: "Run times",
        unit: None,
        kind: ParamKind::Choice(&[
            ("oracle", "the remaining time is known"),
            ("attained", "only the time already worked is known, and takes its place"),
        ]),
        help: "What the scheduler knows of a job's remaining time.",
    },
    ParamSpec {
        name: HYSTERESIS,
        title: "Hysteresis",
        unit: Some("s"),
        kind: ParamKind::Number { default: None, min: 0.0, max: 1e7 },
        help: "Seconds of a round that every option but the one held loses, in the objective and in the floors. By default the \
               restore overhead, at least a sixth of the round; more than a third of the round is refused.",
    },
    ParamSpec {
        name: "solver_budget",
        title: "Solver budget",
        unit: None,
        kind: ParamKind::Integer { default: 1_000_000, min: 0, max: 1_000_000_000_000 },
        help: "Options the exact program may try in a round, floors included; what is then unproven is decided with a proven gap. \
               A count, not a time, so that every machine decides alike.",
    },
    ParamSpec {
        name: "solver",
        title: "Solver",
        unit: None,
        kind: ParamKind::Choice(&[
            (
                "loss-budget",
                "dynamic program over what is lost against the Lagrangian bound: clusters of thousands of GPUs",
            ),
            (
                "dense",
                "dynamic program over all slots, as in textbooks, as far as the budget allows: small clusters",
            ),
        ]),
        help: "Which exact program decides. Both prove the same optimum; between equal optima they may choose differently.",
    },
    ParamSpec {
        name: "price_every",
        title: "Price of fairness every",
        unit: Some("rounds"),
        kind: ParamKind::Integer { default: 5, min: 0, max: 1_000_000 },
        help: "How often the optimum without floors is computed too, to show what the floors cost. 0 = never.",
    },
];

/// Refuses a hysteresis of more than a third of the round, with which tenants lose a large part of their floors in service.
///
/// # Errors
/// [`ParamError::Value`] for a `hysteresis` above a third of `round`.
pub fn check_hysteresis(params: &Params, round: SimSpan) -> Result<(), ParamError> {
    let most = round.as_secs() / 3.0;
    match params.given_number(HYSTERESIS) {
        Some(found) if found > most => Err(ParamError::Value {
            name: HYSTERESIS,
            found: found.to_string(),
            expected: format!("at most {most}, a third of the round"),
        }),
        _ => Ok(()),
    }
}

/// The policy, for one run.
struct StsFairness {
    mode: Mode,
    durations: Durations,
    hysteresis: Option<SimSpan>,
    budget: u64,
    method: Method,
    price_every: u64,
    /// What is set up when the cluster is first seen.
    state: Option<State>,
}

/// What is kept from round to round.
struct State {
    layer: TemporalLayer,
    banking: Banking,
    ladder: Ladder,
    round: Round,
    own: Quotas,
    quotas: Quotas,
    blocked: Vec<Blocked>,
    shares: Vec<Vec<u32>>,
    /// Units of value in a worth of one in the last decision.
    last_quantum: Option<f64>,
    last: Option<LastRound>,
}

/// The last round decided.
struct LastRound {
    round: u64,
    /// Whether every job got its best option, so that nothing changes until a job arrives or completes.
    settled: bool,
    jobs: Vec<JobId>,
}

impl StsFairness {
    fn new(params: &Params) -> Self {
        Self {
            mode: match params.word("objective") {
                "throughput" => Mode::Throughput,
                "jct" => Mode::Jct,
                "makespan" => Mode::Makespan,
                _ => Mode::Mix,
            },
            durations: match params.word("durations") {
                "attained" => Durations::Attained,
                _ => Durations::Oracle,
            },
            hysteresis: params.given_number(HYSTERESIS).map(SimSpan::from_secs),
            budget: params.integer("solver_budget").unsigned_abs(),
            method: match params.word("solver") {
                "dense" => Method::Dense,
                _ => Method::LossBudget,
            },
            price_every: params.integer("price_every").unsigned_abs(),
            state: None,
        }
    }

    fn objective(&self, view: &View<'_>) -> Objective {
        Objective {
            mode: self.mode,
            durations: self.durations,
            round_s: view.round_length.as_secs(),
            hysteresis: Objective::hysteresis_of(self.hysteresis, view.restore_cost, view.round_length),
        }
    }
}

impl Policy for StsFairness {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        let objective = self.objective(view);
        let prices = self.price_every > 0 && view.round.is_multiple_of(self.price_every);
        let tenants = view.workload.tenants.len();
        let ladder = || Ladder::with_method(self.budget, self.method);
        let state = self.state.get_or_insert_with(|| State::new(view.cluster, tenants, ladder()));
        state.catch_up(view);
        state.entitle(view, &objective);
        let Some(solution) = state.ladder.solve_round(&mut state.round.program, &state.shares) else {
            // Cannot happen: the shares fit together, so what they are worth is reached.
            return;
        };
        let without_floors = if solution.method == UNCONTENDED {
            Some(solution.objective)
        } else if prices {
            state.without_floors()
        } else {
            None
        };
        state.write(view, &solution, decision);
        decision.proof = Some(Proof {
            objective: solution.objective,
            bound: solution.bound,
            without_floors,
            states: solution.states,
            method: solution.method,
        });
        state.remember(view, &solution);
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        refill::refill(view, &self.objective(view), waiting, free);
    }

    fn program(&self) -> Option<RoundProgram<'_>> {
        let round = &self.state.as_ref()?.round;
        Some(RoundProgram { program: &round.program, jobs: &round.jobs })
    }

    fn worth(&self, view: &View<'_>, job: JobId, option: u16) -> Option<f64> {
        let options = &view.class(job).options;
        let best = options.iter().map(|option| option.rate).max()?;
        let rate = options.get(usize::from(option))?.rate;
        Some(round::valued(view, &self.objective(view), job, best).worth(rate))
    }

    fn is_static_when_idle_queue(&self) -> bool {
        // A job on its best option keeps it: with less work left, what it holds only gains on the others.
        self.state.as_ref().and_then(|state| state.last.as_ref()).is_some_and(|last| last.settled)
    }
}

impl State {
    fn new(cluster: &Cluster, tenants: usize, ladder: Ladder) -> Self {
        let resources = Resources::of(cluster);
        let units = resources.types().iter().map(TypeResources::units).collect();
        Self {
            layer: TemporalLayer::new(units, tenants),
            banking: Banking::default(),
            ladder,
            round: Round::new(resources),
            own: Quotas::default(),
            quotas: Quotas::default(),
            blocked: Vec::new(),
            shares: Vec::new(),
            last_quantum: None,
            last: None,
        }
    }

    /// Hands out the quotas of the rounds that were passed over since the last decision. In each of them the tenants were active
    /// that still had a job of that decision unfinished.
    fn catch_up(&mut self, view: &View<'_>) {
        let Some(last) = self.last.take() else { return };
        let length = view.round_length.0.max(1);
        // When each tenant's last job ends, as the first round in which it is no longer active.
        let mut until: Vec<(Claim, u64)> = Vec::new();
        for &job in &last.jobs {
            let tenant = view.job(job).tenant;
            let weight = view.workload.tenants.get(tenant.index()).map_or(0, |tenant| tenant.weight_micro);
            if weight == 0 {
                continue;
            }
            let finish = view.state(job).finish.unwrap_or(SimTime::NEVER);
            let first_without =
                u64::try_from(finish.0).unwrap_or(0).div_ceil(length.unsigned_abs()).min(view.round);
            match until.last_mut() {
                Some((claim, round)) if claim.tenant == tenant.0 => *round = first_without.max(*round),
                _ => until.push((Claim { tenant: tenant.0, weight }, first_without)),
            }
        }
        let mut round = last.round + 1;
        while round < view.round {
            until.retain(|&(_, first_without)| first_without > round);
            let Some(next) = until.iter().map(|&(_, first_without)| first_without).min() else { break };
            let claims: Vec<Claim> = until.iter().map(|&(claim, _)| claim).collect();
            self.layer.skip(&claims, next - round);
            round = next;
        }
    }

    /// Builds the program of the round and what each tenant is entitled to.
    fn entitle(&mut self, view: &View<'_>, objective: &Objective) {
        let quantum = self.round.assemble(view, objective).per_worth();
        if let Some(last) = self.last_quantum.replace(quantum) {
            self.ladder.rescale(quantum / last);
        }
        self.layer.next_round(&self.round.claims, &mut self.own);
        self.round.blocked(view, &self.own, &mut self.blocked);
        self.quotas.clone_from(&self.own);
        let is_active = |job: JobId| view.state(job).finish.is_none();
        self.banking.begin_round(view.round, &self.round.claims, &self.blocked, &mut self.quotas, is_active);
        self.round.shares(&self.quotas, &mut self.shares);
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

    /// Puts a solution into a decision: grants, reasons, ledger.
    fn write(&mut self, view: &View<'_>, solution: &Solution, decision: &mut Decision) {
        for (&job, option) in self.round.jobs.iter().zip(&solution.choice) {
            if let &Some(option) = option {
                decision.grants.push(Grant { job, option });
            }
        }
        decision.grants.sort_unstable_by_key(|grant| grant.job);
        let program = &self.round.program;
        explain::explain(program, &solution.choice, &self.round.jobs, &self.banking, decision);
        let types = self.round.resources.types();
        let mut used = vec![0u32; program.tenants.len() * types.len()];
        for grant in &decision.grants {
            let option = view.option(grant.job, grant.option);
            let cell = view.job(grant.job).tenant.index() * types.len() + option.type_id.index();
            used[cell] += u32::from(option.slots) * option.devices;
        }
        let worth = program.tenant_values(&solution.choice);
        for (claim, of_claim) in self.round.claims.iter().enumerate() {
            let tenant = of_claim.tenant as usize;
            let units = self.quotas.of(claim).iter().zip(self.own.of(claim));
            for (k, (of_type, (&quota, &own))) in types.iter().zip(units).enumerate() {
                let slots = of_type.slots_per_unit();
                decision.ledger.push(LedgerRow {
                    tenant: TenantId(of_claim.tenant),
                    type_id: TypeId(k as u16),
                    quota_slots: quota * slots,
                    used_slots: used[tenant * types.len() + k],
                    floor: program.tenants[tenant].floor,
                    value: worth[tenant],
                    loan_slots: (i64::from(own) - i64::from(quota)) as i32 * slots as i32,
                    packing_loss_slots: self.banking.lost(of_claim.tenant, k) * slots,
                });
            }
        }
    }

    fn remember(&mut self, view: &View<'_>, solution: &Solution) {
        let mut running: Vec<JobId> = Vec::new();
        let chosen = self.round.jobs.iter().zip(&solution.choice);
        running.extend(chosen.filter(|(_, option)| option.is_some()).map(|(&job, _)| job));
        running.sort_unstable();
        self.banking.end_round(|job| running.binary_search(&job).is_ok());
        self.last = Some(LastRound {
            round: view.round,
            settled: solution.method == UNCONTENDED,
            jobs: self.round.jobs.clone(),
        });
    }
}
