//! The list of all policies.

use super::param::ParamKind;
use super::{Cluster, ParamSpec, Params, Policy};
use crate::workload::BoundWorkload;

/// What a policy has to know about run times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Knowledge {
    /// Nothing.
    None,
    /// How the service that jobs need is distributed, but nothing of any one job.
    Distribution,
    /// The remaining work of every job, exact or estimated (see [`super::estimate`]).
    RemainingWork,
}

impl Knowledge {
    /// The word in exports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Distribution => "distribution",
            Self::RemainingWork => "remaining-work",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "Needs to know nothing about run times.",
            Self::Distribution => {
                "Needs to know how the service that jobs need is distributed, but no job's own."
            }
            Self::RemainingWork => {
                "Goes by every job's remaining work: exact, estimated or unknown, as set here."
            }
        }
    }
}

/// Makes an instance of a policy for one run, from its parameters and the run's seed.
pub type Build = fn(&Params, u64) -> Box<dyn Policy>;

/// Why a policy cannot serve jobs on a cluster, as a sentence that says what to change; `None` if it can.
pub type Refuses = fn(&Cluster, &BoundWorkload, &Params) -> Option<String>;

/// One policy: its names, what it does, what it needs, its parameters.
#[derive(Debug, Clone, Copy)]
pub struct PolicySpec {
    /// The name in scenarios, such as `sts-fairness`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The rule, in a sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// What it has to know about run times. A policy that has a formula may need less: see [`Self::knowledge_with`].
    pub knowledge: Knowledge,
    /// Its parameters.
    pub params: &'static [ParamSpec],
    /// Says whether it can serve a scenario, and is asked before a run; `None` for a policy that serves every one.
    pub refuses: Option<Refuses>,
    /// Makes an instance for one run; `None` for [`RECORDED`], which is read from the trace and not simulated.
    pub build: Option<Build>,
}

impl PolicySpec {
    /// What it has to know about run times with these parameters: one that goes by a formula knows what that names.
    #[must_use]
    pub fn knowledge_with(&self, params: &Params) -> Knowledge {
        for param in self.params {
            let ParamKind::Formula(formula) = param.kind else { continue };
            let Ok(read) = formula.parse(params.word(param.name)) else { continue };
            return formula.used(&read).map(|symbol| symbol.knowledge).max().unwrap_or(Knowledge::None);
        }
        self.knowledge
    }
}

/// The name of the row that replays the trace's own starts and ends.
pub const RECORDED: &str = "recorded";

/// All policies, in the order of the page.
#[must_use]
pub fn policies() -> &'static [PolicySpec] {
    const ALL: &[PolicySpec] = &[
        super::recorded::SPEC,
        super::fifo::SPEC,
        super::fifo_backfill::SPEC,
        super::easy::SPEC,
        super::sjf::SPEC,
        super::srtf::SPEC,
        super::las::SPEC,
        super::tiresias::SPEC,
        super::gittins::SPEC,
        super::round_robin::SPEC,
        super::equal_split::SPEC,
        super::drf::SPEC,
        super::proportional::SPEC,
        super::gavel::max_min::SPEC,
        super::gavel::water_filling::SPEC,
        super::gavel::max_sum::SPEC,
        super::gavel::makespan::SPEC,
        super::gavel::ftf::SPEC,
        super::themis::SPEC,
        super::allox::SPEC,
        super::gandiva_fair::SPEC,
        super::oef::coop::SPEC,
        super::oef::noncoop::SPEC,
        super::sia::SPEC,
        super::optimus::SPEC,
        super::shockwave::SPEC,
        super::hadar::SPEC,
        super::miso::SPEC,
        super::ltrf::SPEC,
        super::fgd::SPEC,
        super::random::SPEC,
        super::expression::SPEC,
        super::sts::SPEC,
    ];
    ALL
}

/// The policy with this name.
#[must_use]
pub fn spec(name: &str) -> Option<&'static PolicySpec> {
    policies().iter().find(|spec| spec.name == name)
}
