//! The user's own order: a formula of fields of the job, its tenant and the cluster.

mod examples;
pub mod field;
mod surroundings;

use std::cell::Cell;

use self::field::{Field, SYMBOLS};
use self::surroundings::Surroundings;
use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::list::{ByRank, Chooser, LEASE, Passing, Rank, SHARING, TYPE_CHOICE, waiting};
use super::param::{FormulaParam, ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Decision, Policy, PolicySpec, Refill, RefillReads, Repacking, View};
use crate::formula::Formula;
use crate::units::JobId;

/// A priority expression of the user's own: whoever has the least value comes first.
///
/// * Rule: jobs are served in ascending value of a formula over [`field::SYMBOLS`]; ties go to the earlier submission. Values are
///   those of the moment of decision: they do not change while jobs are being served.
/// * Source: the user. Priority functions of this kind are compared by Carastan-Santos and de Camargo, "Obtaining Dynamic Scheduling
///   Policies with Simulation and Machine Learning", SC 2017.
/// * Deviations: a job whose value is undefined (0 / 0, the logarithm of a negative number) comes after all others; how many
///   jobs that happened to is told beside the results. Infinite values are in order, like numbers.
/// * Complexity: O(n log n) a round for n jobs that may start, and as many evaluations of the formula.
pub const SPEC: PolicySpec = PolicySpec {
    name: "expression",
    title: "Own expression",
    summary: "Least value first, of an expression that you write; preemptive or not",
    citation: "Yours; for examples see Carastan-Santos and de Camargo, SC 2017",
    knowledge: Knowledge::RemainingWork,
    params: &[
        ParamSpec {
            name: EXPRESSION,
            title: "Expression",
            unit: None,
            kind: ParamKind::Formula(FORMULA),
            help: "Whoever has the least value comes first; put a minus before what should be large. Ties go to who came first, \
                   and a value that cannot be calculated, such as 0 / 0, comes last.",
        },
        ParamSpec {
            name: PREEMPTION,
            title: "Preemption",
            unit: None,
            kind: ParamKind::Choice(&[
                ("none", "whoever runs keeps its GPUs to the end; the expression orders those that wait"),
                (
                    "rounds",
                    "each round all jobs are put in order, whoever fits runs, and the others lose their GPUs",
                ),
            ]),
            help: "Whether a running job can lose its GPUs.",
        },
        ParamSpec {
            name: BACKFILL,
            title: "Who does not fit",
            unit: None,
            kind: ParamKind::Choice(&[
                ("passed", "those behind a job that does not fit may start before it"),
                ("waited-for", "nobody starts before a job ahead that does not fit"),
            ]),
            help: "What happens behind a job for which not enough is free.",
        },
        DURATIONS,
        DURATION_ERROR,
        LEASE,
        TYPE_CHOICE,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| {
        // Checked parameters hold a formula.
        let formula = FORMULA.parse(params.word(EXPRESSION)).unwrap_or_default();
        Box::new(Expression {
            surroundings: Surroundings::for_fields(|field| formula.names(field.position())),
            formula,
            takes_back: params.word(PREEMPTION) == "rounds",
            passing: if params.word(BACKFILL) == "waited-for" { Passing::Never } else { Passing::Always },
            estimator: Estimator::new(params, seed),
            undefined: Vec::new(),
            chooser: Chooser::new(params, seed),
            order: ByRank::default(),
            jobs: Vec::new(),
        })
    }),
};

const FORMULA: FormulaParam =
    FormulaParam { default: examples::WFP3, names: &SYMBOLS, examples: examples::ALL };

/// The parameter that is the expression.
pub const EXPRESSION: &str = "expression";

const PREEMPTION: &str = "preemption";
const BACKFILL: &str = "backfill";

struct Expression {
    formula: Formula,
    surroundings: Surroundings,
    /// Whether running jobs are put in order with those that wait.
    takes_back: bool,
    passing: Passing,
    estimator: Estimator,
    /// By job: whether its value ever was undefined.
    undefined: Vec<Cell<bool>>,
    chooser: Chooser,
    order: ByRank,
    /// Scratch.
    jobs: Vec<JobId>,
}

/// The rank of a value. Undefined values come last, which is noted.
fn rank(value: f64, is_undefined: Option<&Cell<bool>>) -> Rank {
    if value.is_nan() {
        if let Some(is_undefined) = is_undefined {
            is_undefined.set(true);
        }
        return Rank::ascending(i128::MAX);
    }
    // Bits of numbers of one sign are ordered as the numbers are; adding 0 makes -0 equal to 0.
    let bits = (value + 0.0).to_bits() as i64;
    Rank::ascending(i128::from(bits ^ ((bits >> 63) & i64::MAX)))
}

impl Policy for Expression {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.surroundings.observe(view);
        self.undefined.resize(view.workload.jobs.len(), Cell::new(false));
        let Self { formula, surroundings, estimator, undefined, chooser, order, jobs, passing, .. } = self;
        let rank = |job: JobId| {
            let value =
                formula.value(&|position| surroundings.value(Field::at(position), view, estimator, job));
            rank(value, undefined.get(job.index()))
        };
        match (self.takes_back, *passing) {
            (false, passing) => {
                jobs.clear();
                jobs.extend(waiting(view));
                order.sort(jobs, rank);
                chooser.keep_and_start(view, order.jobs(), passing, decision);
            }
            (true, Passing::Always) => chooser.serve_by_rank(view, order, rank, decision),
            (true, Passing::Never) => {
                order.sort(view.active, rank);
                chooser.serve(view, order.jobs(), Passing::Never, decision);
            }
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        self.undefined.resize(view.workload.jobs.len(), Cell::new(false));
        let Self { formula, surroundings, estimator, undefined, chooser, order, passing, .. } = self;
        // Whoever holds up others has its place in the order although not enough is free for it.
        let candidates = match passing {
            Passing::Always => chooser.startable(view, waiting, free),
            Passing::Never => waiting,
        };
        if candidates.is_empty() {
            return;
        }
        surroundings.observe(view);
        order.sort(candidates, |job| {
            let value =
                formula.value(&|position| surroundings.value(Field::at(position), view, estimator, job));
            rank(value, undefined.get(job.index()))
        });
        chooser.refill(view, order.jobs(), *passing, free);
    }

    fn refill_reads(&self) -> RefillReads {
        self.surroundings.reads()
    }

    fn repacking(&self) -> Repacking {
        if self.takes_back { Repacking::WhereNeeded } else { Repacking::Never }
    }

    fn unranked(&self) -> Option<u32> {
        Some(self.undefined.iter().filter(|is_undefined| is_undefined.get()).count() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_in_the_order_of_values_and_undefined_ones_last() {
        let ascends =
            [f64::NEG_INFINITY, -1e300, -1.0, -1e-300, 0.0, 1e-300, 1.0, 1e300, f64::INFINITY, f64::NAN];
        let ranks: Vec<Rank> = ascends.iter().map(|&value| rank(value, None)).collect();
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
        assert_eq!(rank(-0.0, None), rank(0.0, None));
        assert_eq!(rank(-f64::NAN, None), rank(f64::NAN, None));
        let noted = Cell::new(false);
        rank(f64::INFINITY, Some(&noted));
        assert!(!noted.get());
        rank(f64::NAN, Some(&noted));
        assert!(noted.get());
    }
}
