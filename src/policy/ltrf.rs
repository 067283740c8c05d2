//! Long-term resource fairness over tenants.

use super::list::{SHARING, TYPE_CHOICE};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::tenants::{InTurn, Service, held_units, per_weight, weight};
use super::{Decision, Policy, PolicySpec, Refill, View};
use crate::units::{JobId, SimSpan, SimTime, TypeId};

/// Long-term resource fairness over tenants: service is equalised over time, so that what is lent is repaid.
///
/// * Rule: every tenant has an account of the device time it has held so far, each type at its rate of exchange; each round, over
///   and over, the tenant with the least account over its weight gets its next job that fits, in the order of submission; who is
///   left over is preempted. After a window all accounts start anew.
/// * Source: Tang et al., "Long-Term Resource Fairness: Towards Economic Fairness on Pay-as-you-use Computing Systems", ICS 2014.
/// * Deviations: slots are handed out for a round, so an account is charged a round for each before the next is given; what is kept
///   is what was really held. The rate of exchange is the type's speed in the GPU catalogue.
/// * Complexity: O(n log tenants) a round for n active jobs.
pub const SPEC: PolicySpec = PolicySpec {
    name: "ltrf",
    title: "LTRF",
    summary: "Equal GPU time over all the time so far, by weight: idle tenants lend and get it back; needs no run times",
    citation: "Tang et al., ICS 2014",
    knowledge: Knowledge::None,
    params: &[
        ParamSpec {
            name: "window_s",
            title: "Window",
            unit: Some("s"),
            kind: ParamKind::Number { default: None, min: 1.0, max: 1e9 },
            help: "Accounts start anew at every multiple of this time: older loans are forgotten. By default they never are.",
        },
        ParamSpec {
            name: "exchange",
            title: "Types count",
            unit: None,
            kind: ParamKind::Choice(&[
                ("speed", "a device of a fast type counts for more, by its speed in the catalogue"),
                ("alike", "a device counts as one, whatever its type"),
            ]),
            help: "What time on a GPU type counts for in an account.",
        },
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        Box::new(Ltrf {
            turns: InTurn::new(params, seed),
            service: Service::default(),
            window: params.given_number("window_s").map(SimSpan::from_secs),
            exchange: if params.word("exchange") == "alike" { Exchange::Alike } else { Exchange::Speed },
            rates: Vec::new(),
            accounts: Vec::new(),
            since: SimTime::ZERO,
        })
    }),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exchange {
    Speed,
    Alike,
}

struct Ltrf {
    turns: InTurn,
    service: Service,
    window: Option<SimSpan>,
    exchange: Exchange,
    /// What a unit of time on each type counts for, in thousandths.
    rates: Vec<i128>,
    /// By tenant.
    accounts: Vec<i128>,
    /// When the accounts last started anew.
    since: SimTime,
}

impl Ltrf {
    fn catch_up(&mut self, view: &View<'_>) {
        if self.rates.is_empty() {
            self.rates.extend(view.cluster.types().iter().map(|gpu| match self.exchange {
                Exchange::Alike => 1000,
                Exchange::Speed => ((gpu.assumed_speed * 1000.0).round() as i128).max(1),
            }));
        }
        let Self { service, rates, accounts, .. } = self;
        accounts.resize(view.workload.tenants.len(), 0);
        service.count(view, |tenant, type_id, attained| {
            accounts[tenant.index()] += attained * rates[type_id.index()];
        });
        if let Some(window) = self.window.filter(|window| window.0 > 0) {
            let begin = SimTime(view.now.0 - view.now.0.rem_euclid(window.0));
            if begin > self.since {
                self.since = begin;
                accounts.fill(0);
            }
        }
        self.turns.set(view, |tenant| per_weight(accounts[tenant.index()], weight(view, tenant)));
    }
}

/// What holding something of a type for a round counts for.
fn for_a_round(view: &View<'_>, rates: &[i128], type_id: TypeId, units: i128) -> i128 {
    units * i128::from(view.round_length.0) * rates[type_id.index()]
}

impl Policy for Ltrf {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.catch_up(view);
        let rates = &self.rates;
        self.turns.decide(view, decision, |option| {
            for_a_round(view, rates, option.type_id, held_units(view, option))
        });
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.catch_up(view);
        let rates = &self.rates;
        self.turns.refill(view, waiting, free, |option| {
            for_a_round(view, rates, option.type_id, held_units(view, option))
        });
    }
}
