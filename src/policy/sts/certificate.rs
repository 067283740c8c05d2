//! An independent check of a solver's answer.
//!
//! For any integers `lambda >= 0` per resource and `mu >= 0` per tenant and any `scale > 0`, every choice `x` satisfies
//! ```text
//! scale * objective(x) = upper - loss(x)
//! upper   = sum over jobs of max(0, max over options of P) + lambda . C - sum of mu * floor
//! P       = (weight*scale + mu) * value - lambda . usage
//! loss(x) = sum over jobs of (their max - their P) + lambda . (C - used) + sum of mu * (V - floor)
//! ```
//! and for a feasible `x` no term of the loss is negative. So `objective <= upper / scale` for every feasible choice: weak
//! duality, checked here term by term in `i128`, with no code of any solver.
//!
//! **What it proves.** That the choice is feasible; that its objective is what is claimed; and that no choice exceeds
//! `upper / scale`. Where a tighter bound is claimed, an exhaustive search proves that no choice lies above it: such a choice
//! would lose at most `upper - scale * (bound + 1)`, which leaves few options a job. The search is a plain dynamic program
//! over (job, used resources, value of the tenant), so that it shares nothing with the solver but the identity; its states are
//! limited, and where they do not suffice [`Proof::Within`] says what the multipliers alone prove.
//! Infeasibility is proven when the bound is less than what meeting all floors is worth, or by the same search.

use std::collections::BTreeMap;

use super::program::{Program, Solution, Status};

/// Multipliers in units of `1 / scale`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Multipliers {
    /// The fixed point, at least 1.
    pub scale: i64,
    /// One per resource, at least 0.
    pub lambda: Vec<i128>,
    /// One per tenant, at least 0; 0 where there is no floor.
    pub mu: Vec<i128>,
}

/// What was proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The choice is optimal.
    Optimal,
    /// The choice is feasible, and no choice exceeds the claimed bound.
    Bounded {
        /// `bound - objective`.
        gap: i128,
    },
    /// The choice is feasible, and no choice has an objective greater by more than this. Whether the claimed bound holds too was not
    /// found out within the states allowed.
    Within {
        /// `upper / scale - objective`.
        gap: i128,
    },
    /// No choice meets all floors within the capacities.
    Infeasible,
    /// The solver says infeasible; that was neither shown nor refuted within the states allowed.
    Undecided,
}

impl Proof {
    /// How far from the optimum the choice is at most; `None` where there is no choice.
    #[must_use]
    pub fn gap(&self) -> Option<i128> {
        match *self {
            Self::Optimal => Some(0),
            Self::Bounded { gap } | Self::Within { gap } => Some(gap),
            Self::Infeasible | Self::Undecided => None,
        }
    }
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is not one multiplier per resource and tenant, or one is negative, or the scale is not positive.
    #[error("the multipliers do not belong to the program: {0}")]
    Multipliers(&'static str),
    /// The choice breaks a capacity or a floor, or names an option that a job does not have.
    #[error("the choice is not feasible")]
    NotFeasible,
    /// The objective of the choice is not what is claimed.
    #[error("the objective is {found}, not {claimed}")]
    Objective {
        /// From the choice.
        found: i128,
        /// From the answer.
        claimed: i128,
    },
    /// The claimed bound is below the objective.
    #[error("the bound {bound} is below the objective {objective}")]
    BoundBelow {
        /// From the answer.
        bound: i128,
        /// From the answer.
        objective: i128,
    },
    /// The claimed bound is weaker than that of the multipliers: it was not derived from them.
    #[error("the bound {claimed} is weaker than {proven}, which the multipliers prove")]
    BoundWeak {
        /// From the answer.
        claimed: i128,
        /// From the multipliers.
        proven: i128,
    },
    /// An optimum must have its objective as bound.
    #[error("called optimal with objective {objective} and bound {bound}")]
    NotOptimal {
        /// From the answer.
        objective: i128,
        /// From the answer.
        bound: i128,
    },
    /// A feasible choice exceeds the bound, or exists where none should.
    #[error("a feasible choice is worth {found}, above the claimed {claimed}")]
    Exceeded {
        /// Worth of a feasible choice.
        found: i128,
        /// From the answer; -1 where it says that there is no choice.
        claimed: i128,
    },
    /// The identity does not hold, or a term of the loss is negative.
    #[error("the loss does not account for the objective: {0}")]
    Identity(&'static str),
    /// A number is too great for this check.
    #[error("a product exceeds 128 bits")]
    Overflow,
}

/// Checks an answer against its program. The search for choices above the bound keeps at most `states` states.
///
/// # Errors
/// The first fault found.
pub fn check(
    program: &Program,
    solution: &Solution,
    multipliers: &Multipliers,
    states: usize,
) -> Result<Proof, Fault> {
    let upper = upper(program, multipliers)?;
    let scale = i128::from(multipliers.scale);
    let proven = upper.div_euclid(scale);
    if solution.status == Status::Infeasible {
        let mut floors = 0i128;
        for t in &program.tenants {
            floors = sum(floors, product(i128::from(t.weight), i128::from(t.floor.max(0)))?)?;
        }
        if proven < floors {
            return Ok(Proof::Infeasible);
        }
        return match search(program, multipliers, upper - product(scale, floors)?, states)? {
            Search::Nothing => Ok(Proof::Infeasible),
            Search::Found(loss) => {
                Err(Fault::Exceeded { found: (upper - loss).div_euclid(scale), claimed: -1 })
            }
            Search::TooMuch => Ok(Proof::Undecided),
        };
    }
    if !program.is_feasible(&solution.choice) {
        return Err(Fault::NotFeasible);
    }
    let found = program.objective(&solution.choice);
    let (claimed, bound) = (solution.objective, solution.bound);
    if found != claimed {
        return Err(Fault::Objective { found, claimed });
    }
    if bound < claimed {
        return Err(Fault::BoundBelow { bound, objective: claimed });
    }
    if bound > proven {
        return Err(Fault::BoundWeak { claimed: bound, proven });
    }
    if solution.status == Status::Optimal && bound != claimed {
        return Err(Fault::NotOptimal { objective: claimed, bound });
    }
    let loss = loss(program, &solution.choice, multipliers)?;
    if product(scale, found)? != sum(upper, -loss)? {
        return Err(Fault::Identity("upper - loss differs from scale * objective"));
    }
    if found == proven {
        return Ok(Proof::Optimal);
    }
    let settled = if bound == found { Proof::Optimal } else { Proof::Bounded { gap: bound - found } };
    if bound == proven {
        return Ok(settled);
    }
    match search(program, multipliers, upper - product(scale, bound + 1)?, states)? {
        Search::Nothing => Ok(settled),
        Search::Found(loss) => {
            Err(Fault::Exceeded { found: (upper - loss).div_euclid(scale), claimed: bound })
        }
        Search::TooMuch => Ok(Proof::Within { gap: proven - found }),
    }
}

/// How a search ended.
enum Search {
    /// No feasible choice loses so little.
    Nothing,
    /// One does: the least loss.
    Found(i128),
    /// It would have taken more states than allowed.
    TooMuch,
}

/// Looks for feasible choices that lose at most `most`: job by job, the least loss by what is used and by the value of the
/// tenant whose turn it is.
fn search(program: &Program, multipliers: &Multipliers, most: i128, states: usize) -> Result<Search, Fault> {
    if most < 0 {
        return Ok(Search::Nothing);
    }
    let mut order: Vec<usize> = (0..program.jobs.len()).collect();
    order.sort_by_key(|&j| program.jobs[j].tenant);
    let mut jobs = order.into_iter().peekable();
    let mut layer = BTreeMap::from([(vec![0u32; program.capacity.len()], 0i128)]);
    let mut kept = 0;
    for (u, (tenant, &mu)) in program.tenants.iter().zip(&multipliers.mu).enumerate() {
        let mut of_tenant: BTreeMap<(Vec<u32>, i64), i128> =
            layer.into_iter().map(|(used, loss)| ((used, 0), loss)).collect();
        while let Some(job) = jobs.next_if(|&j| program.jobs[j].tenant as usize == u) {
            let moves = moves(program, multipliers, job, most)?;
            let mut next: BTreeMap<(Vec<u32>, i64), i128> = BTreeMap::new();
            for ((used, value), loss) in &of_tenant {
                for &(option, regret) in &moves {
                    let lost = loss + regret;
                    let mut used = used.clone();
                    let option = option.map(|o| &program.jobs[job].options[o]);
                    let fits = option.is_none_or(|o| {
                        o.usage.amounts().all(|(d, amount)| {
                            used[d] = used[d].saturating_add(amount);
                            used[d] <= program.capacity[d]
                        })
                    });
                    if lost <= most && fits {
                        let value = value + option.map_or(0, |o| o.value);
                        next.entry((used, value)).and_modify(|l| *l = lost.min(*l)).or_insert(lost);
                    }
                }
            }
            kept += next.len();
            if kept > states {
                return Ok(Search::TooMuch);
            }
            of_tenant = next;
        }
        layer = BTreeMap::new();
        for ((used, value), loss) in of_tenant {
            let surplus = i128::from(value) - i128::from(tenant.floor);
            let lost = sum(loss, product(mu, surplus)?)?;
            if surplus >= 0 && lost <= most {
                layer.entry(used).and_modify(|l: &mut i128| *l = lost.min(*l)).or_insert(lost);
            }
        }
    }
    let mut least = None;
    for (used, mut loss) in layer {
        for ((&lambda, &capacity), used) in multipliers.lambda.iter().zip(&program.capacity).zip(used) {
            loss = sum(loss, product(lambda, i128::from(capacity - used))?)?;
        }
        if loss <= most && least.is_none_or(|l| loss < l) {
            least = Some(loss);
        }
    }
    Ok(least.map_or(Search::Nothing, Search::Found))
}

/// The options of a job, and idling, that lose at most `most`, with what they lose.
fn moves(
    program: &Program,
    multipliers: &Multipliers,
    job: usize,
    most: i128,
) -> Result<Vec<(Option<usize>, i128)>, Fault> {
    let best = greatest(program, multipliers, job)?;
    let mut moves = vec![(None, best)];
    for o in 0..program.jobs[job].options.len() {
        if program.jobs[job].options[o].usage.fits(&program.capacity) {
            moves.push((Some(o), sum(best, -profit(program, multipliers, job, o)?)?));
        }
    }
    moves.retain(|&(_, regret)| regret <= most);
    Ok(moves)
}

/// The bound on the objective that the multipliers prove.
///
/// # Errors
/// If the multipliers do not belong to the program, or a number is too great.
pub fn upper_bound(program: &Program, multipliers: &Multipliers) -> Result<i128, Fault> {
    Ok(upper(program, multipliers)?.div_euclid(i128::from(multipliers.scale)))
}

/// The bound of the multipliers, times the scale.
fn upper(program: &Program, multipliers: &Multipliers) -> Result<i128, Fault> {
    if multipliers.scale < 1 {
        return Err(Fault::Multipliers("the scale is not positive"));
    }
    if multipliers.lambda.len() != program.capacity.len() || multipliers.mu.len() != program.tenants.len() {
        return Err(Fault::Multipliers("their numbers differ"));
    }
    if multipliers.lambda.iter().chain(&multipliers.mu).any(|&m| m < 0) {
        return Err(Fault::Multipliers("one is negative"));
    }
    let mut upper = 0;
    for j in 0..program.jobs.len() {
        upper = sum(upper, greatest(program, multipliers, j)?)?;
    }
    for (&l, &c) in multipliers.lambda.iter().zip(&program.capacity) {
        upper = sum(upper, product(l, i128::from(c))?)?;
    }
    for (&m, t) in multipliers.mu.iter().zip(&program.tenants) {
        upper = sum(upper, -product(m, i128::from(t.floor))?)?;
    }
    Ok(upper)
}

/// `P` of one option.
fn profit(program: &Program, multipliers: &Multipliers, job: usize, option: usize) -> Result<i128, Fault> {
    let (job, scale) = (&program.jobs[job], i128::from(multipliers.scale));
    let (option, tenant) = (&job.options[option], job.tenant as usize);
    let worth = sum(product(i128::from(program.tenants[tenant].weight), scale)?, multipliers.mu[tenant])?;
    let mut profit = product(worth, i128::from(option.value))?;
    for i in 0..usize::from(option.usage.len) {
        let lambda = multipliers.lambda.get(usize::from(option.usage.first) + i);
        let lambda = *lambda.ok_or(Fault::Multipliers("an option takes a resource that does not exist"))?;
        profit = sum(profit, -product(lambda, i128::from(option.usage.amounts[i]))?)?;
    }
    Ok(profit)
}

/// The greatest `P` of a job, idling included. Options that fit nowhere count too: that only weakens the bound, unless
/// a solver left them out. So those are left out here as well: no feasible choice takes them.
fn greatest(program: &Program, multipliers: &Multipliers, job: usize) -> Result<i128, Fault> {
    let mut most = 0;
    for (o, option) in program.jobs[job].options.iter().enumerate() {
        let u = &option.usage;
        let fits = (0..usize::from(u.len))
            .all(|i| program.capacity.get(usize::from(u.first) + i).is_some_and(|&c| u.amounts[i] <= c));
        if fits {
            most = most.max(profit(program, multipliers, job, o)?);
        }
    }
    Ok(most)
}

/// The loss of a feasible choice, every term of which must be non-negative.
fn loss(program: &Program, choice: &[Option<u16>], multipliers: &Multipliers) -> Result<i128, Fault> {
    let mut loss = 0;
    let mut left: Vec<i128> = program.capacity.iter().map(|&c| i128::from(c)).collect();
    let mut surplus: Vec<i128> = program.tenants.iter().map(|t| -i128::from(t.floor)).collect();
    let mut add = |term: i128, what: &'static str| {
        if term < 0 {
            return Err(Fault::Identity(what));
        }
        loss = sum(loss, term)?;
        Ok(())
    };
    for (j, option) in choice.iter().enumerate() {
        let most = greatest(program, multipliers, j)?;
        let Some(option) = option.map(usize::from) else {
            add(most, "a regret is negative")?;
            continue;
        };
        add(sum(most, -profit(program, multipliers, j, option)?)?, "a regret is negative")?;
        let job = &program.jobs[j];
        let usage = &job.options[option].usage;
        surplus[job.tenant as usize] += i128::from(job.options[option].value);
        for i in 0..usize::from(usage.len) {
            left[usize::from(usage.first) + i] -= i128::from(usage.amounts[i]);
        }
    }
    for (&l, &left) in multipliers.lambda.iter().zip(&left) {
        add(product(l, left)?, "a resource is overdrawn")?;
    }
    for (&m, &surplus) in multipliers.mu.iter().zip(&surplus) {
        add(product(m, surplus)?, "a floor is missed")?;
    }
    Ok(loss)
}

fn sum(a: i128, b: i128) -> Result<i128, Fault> {
    a.checked_add(b).ok_or(Fault::Overflow)
}

fn product(a: i128, b: i128) -> Result<i128, Fault> {
    a.checked_mul(b).ok_or(Fault::Overflow)
}
