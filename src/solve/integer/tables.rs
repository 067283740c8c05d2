//! The tables of the dynamic program as in textbooks, for instances small enough to be read.
//!
//! The solver keeps only what it needs (see [`dense`](crate::policy::sts::dense)); here every table is whole. For each tenant `u`, job
//! by job, `V_u(m)`: the most its jobs are worth inside `m` slots of each type. Then tenant by tenant `W_u(n)`, the most that the first
//! tenants are worth together inside `n`, each with its floor: `W_u(n) = max over m <= n with V_u(m) >= floor_u of W_{u-1}(n - m) + V_u(m)`.
//! The last cell of the last table is the optimum; the path to it is that of the answer of [`solve`](crate::solve::solve).

use serde::{Deserialize, Serialize};

use super::problem::Problem;
use super::{Decided, budget, decide, worth};
use crate::policy::param::Params;
use crate::policy::sts::ladder::Ladder;
use crate::policy::sts::program::{ProgramJob, Status, Usage};
use crate::policy::sts::resources::Packing;
use crate::solve::{Instance, SolveError};

/// Policies whose answer is the last cell of such tables.
pub const PROGRAMS: [&str; 3] = ["sts-fairness", "max-sum", "max-sum-si"];

/// A table has at most as many cells.
const MOST_CELLS: usize = 144;
/// At most as many tenants have a table each.
const MOST_TENANTS: usize = 8;
/// At most as many jobs have.
const MOST_JOBS: usize = 24;

/// Why there are no tables.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoTables {
    /// The problem is divisible.
    #[error(
        "The tenants divide the devices by time, in any fractions: a linear program, which has no table of states."
    )]
    Divisible,
    /// The policy has no such program.
    #[error("{0} is not decided by one program over slots.")]
    Policy(String),
    /// MIG geometry.
    #[error(
        "{0} has the MIG geometry of an A100: what fits is counted in four numbers (compute slices, memory slices, places for 2g, left halves), so its table has four dimensions. With the layout uniform it is a table of slots."
    )]
    Geometry(String),
    /// More dimensions than a page.
    #[error("With {0} GPU types the table has as many dimensions; two can be drawn. Leave out a type.")]
    Dimensions(usize),
    /// Too many cells.
    #[error("Every table would have {found} cells; at most {most} can be read. Leave out slots.")]
    Cells {
        /// How many there would be.
        found: u64,
        /// How many there may be.
        most: usize,
    },
    /// Too many tables.
    #[error("There would be a table for each of {0}; that is too many to be read. Leave some out.")]
    Stages(String),
    /// The program itself was not solved.
    #[error("{0}")]
    Unsolved(#[from] SolveError),
}

/// The tables of one program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    /// Whose program: one of [`PROGRAMS`].
    pub policy: String,
    /// The GPU types. A cell is a number of slots of each; the last type counts fastest.
    pub axes: Vec<Axis>,
    /// Tenant by tenant, `W_u`.
    pub tenants: Vec<Stage>,
    /// Of every tenant, job by job, `V_u`.
    pub jobs: Vec<JobTables>,
    /// The optimum; `None` where no allocation meets the floors.
    pub objective: Option<f64>,
}

/// One GPU type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// Its name.
    pub gpu: String,
    /// Its slots.
    pub slots: u32,
}

/// The tables of one tenant's jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobTables {
    /// The tenant.
    pub tenant: String,
    /// What its jobs must be worth at least.
    pub floor: f64,
    /// The cell of its quota, where that gives the floor.
    pub quota: Option<usize>,
    /// Job by job; none for a tenant without jobs.
    pub stages: Vec<Stage>,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The tenant or the job that it adds.
    pub name: String,
    /// Every cell.
    pub cells: Vec<Cell>,
    /// The cell on the path of the optimum, if there is one.
    pub path: Option<usize>,
}

/// One state.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The most it is worth; `None` where some floor cannot be met.
    pub value: Option<f64>,
    /// The cell of the table before that it comes from (before the first table: what stays idle). The difference of the two cells is
    /// what the tenant or the job takes.
    pub from: Option<usize>,
}

impl Tables {
    /// How many slots of each type a cell stands for.
    #[must_use]
    pub fn slots(&self, cell: usize) -> Vec<u32> {
        Grid::new(self.axes.iter().map(|axis| axis.slots)).digits(cell)
    }

    /// What is taken on the way from one cell to another.
    #[must_use]
    pub fn taken(&self, from: usize, to: usize) -> Vec<u32> {
        self.slots(to).into_iter().zip(self.slots(from)).map(|(to, from)| to.saturating_sub(from)).collect()
    }

    /// The cell of all slots.
    #[must_use]
    pub fn last_cell(&self) -> usize {
        Grid::new(self.axes.iter().map(|axis| axis.slots)).cells() - 1
    }

    /// What a tenant's jobs are worth inside the slots of a cell.
    #[must_use]
    pub fn worth(&self, tenant: usize, cell: usize) -> f64 {
        let last = self.jobs.get(tenant).and_then(|tables| tables.stages.last());
        last.and_then(|stage| stage.cells.get(cell)?.value).unwrap_or(0.0)
    }

    /// The cell so many slots of each type stand for; `None` where there are not as many.
    #[must_use]
    pub fn cell(&self, slots: &[u32]) -> Option<usize> {
        Grid::new(self.axes.iter().map(|axis| axis.slots)).index(slots)
    }
}

/// Bundles of slots, counted like digits.
struct Grid {
    sizes: Vec<usize>,
}

impl Grid {
    fn new(slots: impl Iterator<Item = u32>) -> Self {
        Self { sizes: slots.map(|slots| slots as usize + 1).collect() }
    }

    fn cells(&self) -> usize {
        self.sizes.iter().product()
    }

    fn digits(&self, cell: usize) -> Vec<u32> {
        let mut rest = cell;
        let mut digits: Vec<u32> = self
            .sizes
            .iter()
            .rev()
            .map(|size| {
                let digit = rest % size;
                rest /= size;
                digit as u32
            })
            .collect();
        digits.reverse();
        digits
    }

    fn index(&self, digits: &[u32]) -> Option<usize> {
        let fits = digits.len() == self.sizes.len()
            && digits.iter().zip(&self.sizes).all(|(&digit, &size)| (digit as usize) < size);
        fits.then(|| {
            digits.iter().zip(&self.sizes).fold(0, |cell, (&digit, size)| cell * size + digit as usize)
        })
    }

    /// The cell that is left of another when this much is taken.
    fn less(&self, cell: usize, taken: &[u32]) -> Option<usize> {
        let left = self.digits(cell).into_iter().zip(taken).map(|(digit, taken)| digit.checked_sub(*taken));
        self.index(&left.collect::<Option<Vec<u32>>>()?)
    }
}

/// A cell in integers.
#[derive(Clone, Copy)]
struct State {
    value: i64,
    from: usize,
}

type Table = Vec<Option<State>>;

/// The tables of an integer instance under one of [`PROGRAMS`].
pub(in crate::solve) fn tables(
    instance: &Instance,
    policy: &str,
    params: &Params,
) -> Result<Tables, NoTables> {
    if !PROGRAMS.contains(&policy) {
        return Err(NoTables::Policy(policy.to_string()));
    }
    let problem = Problem::new(instance, worth(params))?;
    let grid = grid(&problem)?;
    let mut ladder = Ladder::new(budget(params));
    let decided = decide(&problem, &mut ladder, policy, params)?;
    Ok(build(&problem, &grid, policy, &decided))
}

/// The bundles of an instance, if their tables can be read.
fn grid(problem: &Problem<'_>) -> Result<Grid, NoTables> {
    let types = problem.resources.types();
    if let Some(k) = types.iter().position(|of_type| of_type.packing != Packing::Slots) {
        return Err(NoTables::Geometry(problem.instance.types[k].name.clone()));
    }
    if types.len() > 2 {
        return Err(NoTables::Dimensions(types.len()));
    }
    let found = problem.program.capacity.iter().map(|&slots| u64::from(slots) + 1);
    let found = found.fold(1, u64::saturating_mul);
    if found > MOST_CELLS as u64 {
        return Err(NoTables::Cells { found, most: MOST_CELLS });
    }
    let (tenants, jobs) = (problem.instance.tenants.len(), problem.jobs.len());
    if tenants > MOST_TENANTS {
        return Err(NoTables::Stages(format!("{tenants} tenants")));
    }
    if jobs > MOST_JOBS {
        return Err(NoTables::Stages(format!("{jobs} jobs")));
    }
    Ok(Grid::new(problem.program.capacity.iter().copied()))
}

fn build(problem: &Problem<'_>, grid: &Grid, policy: &str, decided: &Decided) -> Tables {
    let floors = decided.floors.clone().unwrap_or_else(|| vec![0; problem.shares.len()]);
    let solved = decided.solution.status == Status::Optimal;
    let choice = if solved { decided.solution.choice.as_slice() } else { &[] };
    let in_units = |table: &Table, name: &str, path: Option<usize>| Stage {
        name: name.to_string(),
        cells: table
            .iter()
            .map(|state| Cell {
                value: state.map(|state| state.value as f64 / problem.units),
                from: state.map(|state| state.from),
            })
            .collect(),
        path,
    };

    let mut jobs = Vec::new();
    let mut worths: Vec<Table> = Vec::new();
    let mut bundles: Vec<Vec<u32>> = Vec::new();
    for (tenant, of_tenant) in problem.instance.tenants.iter().enumerate() {
        let own = problem.program.jobs.iter().zip(&problem.jobs).enumerate();
        let own: Vec<(usize, &ProgramJob, &str)> = own
            .filter(|(_, (_, (owner, _)))| *owner == tenant)
            .map(|(index, (job, (_, named)))| (index, job, named.name.as_str()))
            .collect();
        let takes: Vec<Vec<u32>> = own
            .iter()
            .map(|(index, job, _)| taken_by(grid, job, choice.get(*index).copied().flatten()))
            .collect();
        let bundle = takes.iter().fold(vec![0; grid.sizes.len()], |sum, takes| {
            sum.iter().zip(takes).map(|(a, b)| a + b).collect()
        });
        let mut tables: Vec<Table> = Vec::new();
        for (_, job, _) in &own {
            tables.push(with_job(grid, tables.last(), job));
        }
        let path = if solved { path_to(grid, &mut tables, grid.index(&bundle), &takes) } else { Vec::new() };
        let stages = own.iter().zip(&tables).enumerate();
        jobs.push(JobTables {
            tenant: of_tenant.name.clone(),
            floor: floors[tenant] as f64 / problem.units,
            quota: (policy == "sts-fairness").then(|| grid.index(&problem.shares[tenant])).flatten(),
            stages: stages
                .map(|(i, ((_, _, name), table))| in_units(table, name, path.get(i).copied()))
                .collect(),
        });
        let nothing = vec![Some(State { value: 0, from: 0 }); grid.cells()];
        worths.push(tables.pop().unwrap_or(nothing));
        bundles.push(bundle);
    }

    let mut tables: Vec<Table> = Vec::new();
    for (own, &floor) in worths.iter().zip(&floors) {
        tables.push(with_tenant(grid, tables.last(), own, floor));
    }
    let last = grid.cells() - 1;
    let path = if solved { path_to(grid, &mut tables, Some(last), &bundles) } else { Vec::new() };
    let objective = tables.last().map_or(Some(0), |table| table[last].map(|state| state.value));
    let tenants = problem.instance.tenants.iter().zip(&tables).enumerate();
    Tables {
        policy: policy.to_string(),
        axes: problem
            .instance
            .types
            .iter()
            .zip(&problem.program.capacity)
            .map(|(of_type, &slots)| Axis { gpu: of_type.name.clone(), slots })
            .collect(),
        tenants: tenants
            .map(|(i, (tenant, table))| in_units(table, &tenant.name, path.get(i).copied()))
            .collect(),
        jobs,
        objective: objective.map(|value| value as f64 / problem.units),
    }
}

fn taken_by(grid: &Grid, job: &ProgramJob, option: Option<u16>) -> Vec<u32> {
    let usage = option.and_then(|option| job.options.get(usize::from(option))).map(|option| option.usage);
    usage.map_or_else(|| vec![0; grid.sizes.len()], |usage| amounts(grid, &usage))
}

fn amounts(grid: &Grid, usage: &Usage) -> Vec<u32> {
    let mut amounts = vec![0; grid.sizes.len()];
    for (resource, amount) in usage.amounts() {
        if let Some(own) = amounts.get_mut(resource) {
            *own += amount;
        }
    }
    amounts
}

/// The value in a table, or 0 before the first.
fn value_in(table: Option<&Table>, cell: usize) -> Option<i64> {
    table.map_or(Some(0), |table| table[cell].map(|state| state.value))
}

/// What may be taken, and its worth.
type Offer = (Vec<u32>, i64);

/// The best of the states that a cell can have by taking an offer: the greatest value, and among those the fewest slots taken.
fn best(
    grid: &Grid,
    before: Option<&Table>,
    cell: usize,
    idle: Option<State>,
    offers: &[Offer],
) -> Option<State> {
    let mut best = idle.map(|state| (state, 0));
    for (taken, gain) in offers {
        let slots: u32 = taken.iter().sum();
        let Some(from) = grid.less(cell, taken) else { continue };
        let Some(value) = value_in(before, from).map(|value| value + gain) else { continue };
        if best.is_none_or(|(state, fewest)| value > state.value || value == state.value && slots < fewest) {
            best = Some((State { value, from }, slots));
        }
    }
    best.map(|(state, _)| state)
}

/// `V^i(m) = max(V^{i-1}(m), max_o V^{i-1}(m - o) + value(o))`.
fn with_job(grid: &Grid, before: Option<&Table>, job: &ProgramJob) -> Table {
    let offers: Vec<Offer> =
        job.options.iter().map(|option| (amounts(grid, &option.usage), option.value)).collect();
    let idle = |cell: usize| value_in(before, cell).map(|value| State { value, from: cell });
    (0..grid.cells()).map(|cell| best(grid, before, cell, idle(cell), &offers)).collect()
}

/// `W_u(n) = max over m with V_u(m) >= floor of W_{u-1}(n - m) + V_u(m)`.
fn with_tenant(grid: &Grid, before: Option<&Table>, own: &Table, floor: i64) -> Table {
    let offers: Vec<Offer> = (0..grid.cells())
        .filter_map(|cell| Some((grid.digits(cell), own[cell]?.value)))
        .filter(|(_, value)| *value >= floor)
        .collect();
    (0..grid.cells()).map(|cell| best(grid, before, cell, None, &offers)).collect()
}

/// The cell of every table on the way to `last` on which each takes what the answer gives it; the cells then come from there. Any
/// optimal allocation is such a way: the values along it are the greatest, or it would not be optimal.
fn path_to(grid: &Grid, tables: &mut [Table], last: Option<usize>, takes: &[Vec<u32>]) -> Vec<usize> {
    let Some(mut cell) = last else { return Vec::new() };
    let mut path = vec![cell; tables.len()];
    for ((place, table), taken) in path.iter_mut().zip(tables.iter_mut()).zip(takes).rev() {
        *place = cell;
        let Some(from) = grid.less(cell, taken) else { return Vec::new() };
        if let Some(state) = &mut table[cell] {
            state.from = from;
        }
        cell = from;
    }
    path
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::solve::tables;

    fn fixture(name: &str) -> Instance {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/instances").join(name);
        Instance::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
    }

    fn of(instance: &Instance, policy: &str) -> Result<Tables, NoTables> {
        tables(instance, policy, &BTreeMap::new())
    }

    /// Follows the path and adds up what is taken.
    fn walk(tables: &Tables, stages: &[Stage]) -> Vec<(String, Vec<u32>)> {
        let step = |stage: &Stage| {
            let cell = stage.path.unwrap();
            (stage.name.clone(), tables.taken(stage.cells[cell].from.unwrap(), cell))
        };
        stages.iter().map(step).collect()
    }

    #[test]
    fn i2b_as_on_paper() {
        let tables = of(&fixture("i2b.json"), "max-sum-si").unwrap();
        assert_eq!(
            tables.axes.iter().map(|axis| (axis.gpu.as_str(), axis.slots)).collect::<Vec<_>>(),
            [("slow", 4), ("fast", 4)]
        );
        assert_eq!((tables.objective, tables.last_cell()), (Some(18.0), 24));
        let value =
            |stage: usize, slots: &[u32]| tables.tenants[stage].cells[tables.cell(slots).unwrap()].value;
        assert_eq!([value(0, &[0, 2]), value(0, &[4, 4]), value(0, &[1, 1])], [Some(4.0), Some(12.0), None]);
        assert_eq!([value(1, &[4, 2]), value(1, &[2, 2]), value(2, &[4, 3])], [Some(10.0), None, None]);
        assert_eq!(value(2, &[4, 4]), Some(18.0));
        let taken = walk(&tables, &tables.tenants);
        assert_eq!(
            taken.iter().map(|(_, slots)| slots.clone()).collect::<Vec<_>>(),
            [[4, 0], [0, 2], [0, 2]]
        );
        let own = walk(&tables, &tables.jobs[1].stages);
        assert_eq!(own, [("slow".to_string(), vec![0, 0]), ("fast".to_string(), vec![0, 2])]);
        assert!((tables.worth(2, tables.cell(&[1, 1]).unwrap()) - 5.0).abs() < 1e-12);
    }

    #[test]
    fn where_floors_cannot_be_met_there_is_no_path() {
        let tables = of(&fixture("infeasible.json"), "sts-fairness").unwrap();
        assert_eq!(tables.objective, None);
        assert!(tables.tenants.iter().all(|stage| stage.path.is_none()));
        assert_eq!(tables.jobs[0].quota, Some(3));
    }

    #[test]
    fn what_is_too_large_says_why() {
        let mut instance = fixture("mig1.json");
        assert!(matches!(of(&instance, "max-sum"), Err(NoTables::Geometry(name)) if name == "A100"));
        assert!(matches!(of(&instance, "nash"), Err(NoTables::Policy(_))));
        instance.types[0].layout = crate::solve::instance::InstanceLayout::Uniform;
        assert_eq!(of(&instance, "max-sum").unwrap().objective, Some(1.25));
        instance.types[0].devices = 99;
        assert!(matches!(of(&instance, "max-sum"), Err(NoTables::Cells { found: 694, .. })));
        let mut three = fixture("i1.json");
        three.types.push(crate::solve::instance::InstanceType { name: "c".into(), ..three.types[0].clone() });
        assert!(matches!(of(&three, "max-sum"), Err(NoTables::Dimensions(3))));
    }

    #[cfg(not(target_arch = "wasm32"))]
    mod properties {
        use proptest::prelude::*;

        use super::*;
        use crate::solve::solve;

        fn instances() -> impl Strategy<Value = Instance> {
            let option = (0..2_usize, 1..4_u32, 1..40_u32);
            let jobs = prop::collection::vec(prop::collection::vec(option, 1..4), 0..3);
            (prop::collection::vec(jobs, 1..4), 1..5_u32, 1..5_u32).prop_map(|(tenants, a, b)| {
                let types = [("a", a), ("b", b)].map(|(name, slots)| {
                    serde_json::json!({"name": name, "devices": 1, "slots_per_device": slots.max(3), "layout": "uniform"})
                });
                let job = |(j, options): (usize, Vec<(usize, u32, u32)>)| {
                    let options: Vec<_> = options
                        .into_iter()
                        .map(|(k, slots, tenths)| {
                            let gpu = if k == 0 { "a" } else { "b" };
                            serde_json::json!({"type": gpu, "slots": slots, "rate": f64::from(tenths) / 10.0})
                        })
                        .collect();
                    serde_json::json!({"name": format!("j{j}"), "options": options})
                };
                let tenants: Vec<_> = tenants
                    .into_iter()
                    .enumerate()
                    .map(|(u, jobs)| {
                        let jobs: Vec<_> = jobs.into_iter().enumerate().map(job).collect();
                        serde_json::json!({"name": format!("u{u}"), "jobs": jobs})
                    })
                    .collect();
                let text = serde_json::json!({"types": types, "tenants": tenants}).to_string();
                Instance::from_json(&text).unwrap()
            })
        }

        proptest! {
            #[test]
            fn the_last_cell_is_the_answer_and_the_path_adds_up(instance in instances()) {
                for policy in PROGRAMS {
                    let answer = solve(&instance, policy, &BTreeMap::new()).unwrap();
                    let tables = of(&instance, policy).unwrap();
                    prop_assert_eq!(tables.objective, answer.objective, "{}", policy);
                    if answer.objective.is_none() {
                        continue;
                    }
                    let mut sum = 0.0;
                    for (tenant, (stage, of_answer)) in tables.tenants.iter().zip(&answer.tenants).enumerate() {
                        let cell = stage.path.unwrap();
                        let taken = tables.taken(stage.cells[cell].from.unwrap(), cell);
                        let worth = tables.worth(tenant, tables.cell(&taken).unwrap());
                        prop_assert!((worth - of_answer.rate.unwrap()).abs() < 1e-9, "{}", policy);
                        prop_assert!(worth >= tables.jobs[tenant].floor - 1e-9);
                        sum += worth;
                        prop_assert!(stage.cells[cell].value.unwrap() >= sum - 1e-9);
                    }
                    prop_assert!((sum - tables.objective.unwrap()).abs() < 1e-9);
                }
            }
        }
    }
}
