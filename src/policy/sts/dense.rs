//! The exact dynamic program over dense tables.
//!
//! *Inner*, per tenant: `V_u(m)`, the most its jobs are worth inside each bundle `m`, job by job:
//! `V^i(m) = max(V^{i-1}(m), max_o V^{i-1}(m - o) + value(o))`. The tenant's floor `V_u(q_u)` is read from the same table.
//! *Menu*: the bundles that meet the floor and of which nothing could be left out without losing value. Some optimal solution
//! gives every tenant a bundle of its menu. *Outer*, over tenants: `W_u(n) = max over the menu of W_{u-1}(n - m) + weight * V_u(m)`;
//! `W(C)` is the optimum. The floors only filter each tenant's menu, so they do not couple the stages: a hard fairness
//! constraint keeps the optimal substructure. For a constant number of types this is polynomial in devices and jobs.
//!
//! Scores are lexicographic (objective, jobs that keep their option, fewest slots), packed into one integer each; sums of packed
//! scores compare like sums of tuples, so the proof covers them too.

mod grid;

use self::grid::{Grid, Score};
use super::program::{Program, ProgramJob, ProgramOption, Solution, Status, Usage};

/// The name of this method in proofs.
pub const METHOD: &str = "dynamic program";

/// Where the floors come from.
#[derive(Debug, Clone, Copy)]
pub enum Floors<'a> {
    /// From the program.
    Given,
    /// `V_u(q_u)`, for these shares of every resource, tenant by tenant.
    OfShares(&'a [Vec<u32>]),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The program is solved: optimal or proven infeasible. `floors` are the tenants' floors.
    Solved {
        /// The answer.
        solution: Solution,
        /// The floor of every tenant.
        floors: Vec<i64>,
    },
    /// The tables would need more expansions than allowed; this many were spent finding out.
    OverBudget {
        /// Expansions spent.
        states: u64,
    },
}

/// Solves a program, if that takes at most `limit` expansions (an option tried in a cell).
#[must_use]
pub fn solve(program: &Program, floors: Floors<'_>, limit: u64) -> Outcome {
    let over_budget = Outcome::OverBudget { states: 0 };
    if cells(&program.capacity, &program.jobs) > limit {
        return over_budget;
    }
    let packing = ScorePacking::of(program);
    if packing.most <= i64::MOST {
        Run::<i64>::new(program, &packing, limit).solve(floors)
    } else if packing.most <= i128::MOST {
        Run::<i128>::new(program, &packing, limit).solve(floors)
    } else {
        over_budget
    }
}

/// The expansions that solving these jobs in one table takes at most; for a look before any work is done.
#[must_use]
pub fn expansions(capacity: &[u32], jobs: &[ProgramJob]) -> u64 {
    let options: usize = jobs.iter().map(|job| job.options.len()).sum();
    cells(capacity, jobs).saturating_mul(options as u64)
}

/// Cells of a table for these jobs: bundles of what there is, or of what the jobs can take if that is less.
fn cells(capacity: &[u32], jobs: &[ProgramJob]) -> u64 {
    let mut demand = vec![0u32; capacity.len()];
    let mut most = demand.clone();
    for job in jobs {
        most.fill(0);
        for (resource, amount) in job.options.iter().flat_map(|option| option.usage.amounts()) {
            if let Some(most) = most.get_mut(resource) {
                *most = amount.max(*most);
            }
        }
        for (demand, &most) in demand.iter_mut().zip(&most) {
            *demand = demand.saturating_add(most);
        }
    }
    capacity.iter().zip(&demand).map(|(&c, &d)| u64::from(c.min(d)) + 1).fold(1, u64::saturating_mul)
}

/// How (objective, kept, slots) is packed: `objective * objective_unit + kept * kept_unit - slots`.
struct ScorePacking {
    objective_unit: i128,
    kept_unit: i128,
    most_slots: i128,
    /// Above the packed score of every solution.
    most: i128,
}

impl ScorePacking {
    fn of(program: &Program) -> Self {
        let (mut most_slots_of_one, mut most_value_of_one, mut sum_of_values) = (0, 0, 0);
        for job in &program.jobs {
            let best = job.options.iter().map(|o| i128::from(o.value)).max().unwrap_or(0);
            sum_of_values += best;
            most_value_of_one = best.max(most_value_of_one);
            most_slots_of_one =
                job.options.iter().map(|o| i128::from(o.slots)).fold(most_slots_of_one, i128::max);
        }
        // Every option takes something, so no more jobs run than there are resources to take.
        let capacity: i128 = program.capacity.iter().map(|&c| i128::from(c)).sum();
        let running = capacity.min(program.jobs.len() as i128);
        let most_slots = running.saturating_mul(most_slots_of_one);
        let most_value = running.saturating_mul(most_value_of_one).min(sum_of_values);
        let weight = program.tenants.iter().map(|t| i128::from(t.weight)).max().unwrap_or(1);
        let kept_unit = most_slots + 1;
        let objective_unit = kept_unit.saturating_mul(running + 1).saturating_add(most_slots);
        let most = most_value.saturating_mul(weight).saturating_add(1).saturating_mul(objective_unit);
        Self { objective_unit, kept_unit, most_slots, most }
    }

    fn pack<S: Score>(&self, weight: i64, option: &ProgramOption) -> S {
        let objective = i128::from(weight) * i128::from(option.value);
        S::pack(
            objective * self.objective_unit + i128::from(option.keeps) * self.kept_unit
                - i128::from(option.slots),
        )
    }

    fn objective(&self, score: i128) -> i128 {
        (score + self.most_slots).div_euclid(self.objective_unit)
    }
}

/// An option that may be part of an optimal solution.
struct Candidate<S> {
    index: u16,
    usage: Usage,
    gain: S,
}

/// Jobs that go through one inner program.
struct Stage<S> {
    /// The tenant, or `None` when no floor holds and all jobs are taken together.
    tenant: Option<usize>,
    /// Weight of its value in the outer program; inside, values count once.
    weight: i128,
    jobs: Vec<usize>,
    candidates: Vec<Vec<Candidate<S>>>,
    grid: Option<Grid>,
}

/// A bundle worth giving to a tenant.
struct MenuEntry<S> {
    cell: usize,
    lows: Vec<u32>,
    gain: S,
}

/// For every job the option it takes.
type Choice = Vec<Option<u16>>;

const IDLE: u16 = u16::MAX;

/// One part in this many of the budget may go to the inner tables of a program with floors.
const INNER_SHARE: u64 = 4;

struct Run<'a, S> {
    program: &'a Program,
    packing: &'a ScorePacking,
    limit: u64,
    states: u64,
    scores: std::marker::PhantomData<S>,
}

impl<'a, S: Score> Run<'a, S> {
    fn new(program: &'a Program, packing: &'a ScorePacking, limit: u64) -> Self {
        Self { program, packing, limit, states: 0, scores: std::marker::PhantomData }
    }

    fn solve(mut self, floors: Floors<'_>) -> Outcome {
        let mut known: Vec<i64> = self.program.tenants.iter().map(|tenant| tenant.floor).collect();
        match self.run(floors, &mut known) {
            Some(choice) => Outcome::Solved { solution: self.solution(choice), floors: known },
            None => Outcome::OverBudget { states: self.states },
        }
    }

    fn solution(&self, choice: Option<Choice>) -> Solution {
        let (status, choice) = match choice {
            Some(choice) => (Status::Optimal, choice),
            None => (Status::Infeasible, Vec::new()),
        };
        let objective = self.program.objective(&choice);
        Solution { status, choice, objective, bound: objective, states: self.states, method: METHOD }
    }

    /// The best choice, `Some(None)` when there is none; `None` when finding it would exceed the limit. Writes the floors that
    /// are read from the tables to `known`.
    fn run(&mut self, floors: Floors<'_>, known: &mut [i64]) -> Option<Option<Choice>> {
        let program = self.program;
        let mut stages = self.stages(floors);
        let demand = self.demand(stages.iter().flat_map(|stage| &stage.candidates));
        let outer = Grid::new(&clip(&program.capacity, &demand), self.limit)?;
        let mut needed = 0u64;
        for stage in &mut stages {
            let demand = self.demand(&stage.candidates);
            let grid = Grid::new(&clip(&program.capacity, &demand), self.limit)?;
            let options: usize = stage.candidates.iter().map(Vec::len).sum();
            needed = needed.saturating_add((options as u64).saturating_mul(grid.cells() as u64));
            stage.grid = Some(grid);
        }
        // With floors the inner tables are the smaller part of the work.
        let one_stage = stages.iter().all(|stage| stage.tenant.is_none());
        if needed > if one_stage { self.limit } else { self.limit / INNER_SHARE } {
            return None;
        }
        if let ([stage], true) = (stages.as_slice(), one_stage) {
            let choice = self.trace_inner(stage, &program.capacity)?;
            return Some(Some(self.merge(&stages, vec![choice])));
        }

        let mut menus = Vec::with_capacity(stages.len());
        for stage in &mut stages {
            let grid = stage.grid.take()?;
            let table = self.inner(stage, &grid, None);
            if let (Floors::OfShares(shares), Some(tenant)) = (floors, stage.tenant) {
                let share = shares.get(tenant).map_or(&[][..], Vec::as_slice);
                let floor = self.packing.objective(table[grid.cell_within(share)].unpack());
                known[tenant] = i64::try_from(floor).unwrap_or(i64::MAX);
            }
            let floor = stage.tenant.map_or(0, |tenant| known[tenant]);
            menus.push((self.menu(&grid, &table, &outer, i128::from(floor), stage.weight), grid));
        }
        let Some(entries) = self.outer(&outer, &menus)? else { return Some(None) };
        let mut choices = Vec::with_capacity(stages.len());
        for ((stage, (menu, grid)), entry) in stages.iter().zip(&menus).zip(entries) {
            choices.push(self.trace_inner(stage, &grid.bundle(menu[entry].cell, program.capacity.len()))?);
        }
        Some(Some(self.merge(&stages, choices)))
    }

    /// One stage a tenant; without floors, all jobs in one stage.
    fn stages(&self, floors: Floors<'_>) -> Vec<Stage<S>> {
        let program = self.program;
        let without_floors =
            matches!(floors, Floors::Given) && program.tenants.iter().all(|tenant| tenant.floor <= 0);
        let mut stages: Vec<Stage<S>> = Vec::new();
        if without_floors {
            stages.push(Stage {
                tenant: None,
                weight: 1,
                jobs: Vec::new(),
                candidates: Vec::new(),
                grid: None,
            });
        } else {
            stages.extend(program.tenants.iter().enumerate().map(|(tenant, t)| Stage {
                tenant: Some(tenant),
                weight: i128::from(t.weight),
                jobs: Vec::new(),
                candidates: Vec::new(),
                grid: None,
            }));
        }
        for (index, job) in program.jobs.iter().enumerate() {
            let tenant = job.tenant as usize;
            let Some(stage) = stages.get_mut(if without_floors { 0 } else { tenant }) else { continue };
            let weight = if without_floors { program.tenants.get(tenant).map_or(1, |t| t.weight) } else { 1 };
            stage.jobs.push(index);
            stage.candidates.push(self.candidates(weight, &job.options));
        }
        // A tenant without jobs is worth nothing, which is all that is asked of it unless its floor was given.
        let given = matches!(floors, Floors::Given);
        stages.retain(|stage| {
            let asked = stage.tenant.is_some_and(|tenant| given && program.tenants[tenant].floor > 0);
            asked || !stage.jobs.is_empty() || without_floors
        });
        stages
    }

    /// Options that fit the cluster and are not dominated: another option of the same type that takes no more and scores no less
    /// makes an option superfluous.
    fn candidates(&self, weight: i64, options: &[ProgramOption]) -> Vec<Candidate<S>> {
        let mut kept: Vec<Candidate<S>> = Vec::with_capacity(options.len());
        for (index, option) in options.iter().enumerate() {
            let gain: S = self.packing.pack(weight, option);
            if option.value <= 0
                || !option.usage.fits(&self.program.capacity)
                || kept.iter().any(|k| k.usage.within(&option.usage) && k.gain >= gain)
            {
                continue;
            }
            kept.retain(|k| !(option.usage.within(&k.usage) && gain >= k.gain));
            kept.push(Candidate { index: index as u16, usage: option.usage, gain });
        }
        kept
    }

    /// The most that jobs can take of every resource.
    fn demand<'c>(&self, jobs: impl IntoIterator<Item = &'c Vec<Candidate<S>>>) -> Vec<u32>
    where
        S: 'c,
    {
        let mut demand = vec![0u32; self.program.capacity.len()];
        let mut most = demand.clone();
        for candidates in jobs {
            most.fill(0);
            for (resource, amount) in candidates.iter().flat_map(|candidate| candidate.usage.amounts()) {
                most[resource] = most[resource].max(amount);
            }
            for (demand, &most) in demand.iter_mut().zip(&most) {
                *demand = demand.saturating_add(most);
            }
        }
        demand
    }

    /// The table of a stage: for every bundle the best score inside it. Notes in `picks`, job after job, which candidate each
    /// bundle's best uses last.
    fn inner(&mut self, stage: &Stage<S>, grid: &Grid, mut picks: Option<&mut Vec<u16>>) -> Vec<S> {
        let cells = grid.cells();
        let mut table = vec![S::from(0); cells];
        let mut previous = table.clone();
        for candidates in &stage.candidates {
            if let Some(picks) = &mut picks {
                picks.resize(picks.len() + cells, IDLE);
            }
            self.states += candidates.len() as u64 * cells as u64;
            previous.copy_from_slice(&table);
            for (i, candidate) in candidates.iter().enumerate() {
                let Some(lows) = grid.digits_of(&candidate.usage) else { continue };
                let noted = picks.as_mut().map(|picks| {
                    let start = picks.len() - cells;
                    (&mut picks[start..], i as u16)
                });
                grid.relax(&lows, candidate.gain, &previous, &mut table, noted);
            }
        }
        table
    }

    /// The best choice of a stage's jobs inside a bundle. Repeats the inner program up to that bundle, which costs no more than
    /// its table did, instead of keeping every tenant's picks.
    fn trace_inner(&mut self, stage: &Stage<S>, bundle: &[u32]) -> Option<Choice> {
        let demand = self.demand(&stage.candidates);
        let grid = Grid::new(&clip(bundle, &demand), self.limit)?;
        let mut picks = Vec::new();
        self.inner(stage, &grid, Some(&mut picks));
        let mut choice = vec![None; stage.candidates.len()];
        let mut cell = grid.cells() - 1;
        for (job, picks) in picks.chunks(grid.cells()).enumerate().rev() {
            let Some(candidate) = stage.candidates[job].get(usize::from(picks[cell])) else { continue };
            choice[job] = Some(candidate.index);
            cell -= grid.digits_of(&candidate.usage).map_or(0, |lows| grid.offset(&lows));
        }
        Some(choice)
    }

    /// Bundles that meet the floor and of which nothing can be left out.
    fn menu(
        &mut self,
        grid: &Grid,
        table: &[S],
        outer: &Grid,
        floor: i128,
        weight: i128,
    ) -> Vec<MenuEntry<S>> {
        let mut menu = Vec::new();
        let mut digits = Vec::new();
        for (cell, &score) in table.iter().enumerate() {
            let value = self.packing.objective(score.unpack());
            if value < floor {
                continue;
            }
            grid.digits_at(cell, &mut digits);
            if grid.below(cell, &digits).any(|below| table[below] >= score) {
                continue;
            }
            let Some(lows) = outer.translate(grid, &digits) else { continue };
            let gain = S::pack(score.unpack() + (weight - 1) * value * self.packing.objective_unit);
            menu.push(MenuEntry { cell, lows, gain });
        }
        menu
    }

    /// The menu entry of every stage in an optimal solution; `Some(None)` when there is none.
    fn outer(&mut self, grid: &Grid, menus: &[(Vec<MenuEntry<S>>, Grid)]) -> Option<Option<Vec<usize>>> {
        let cells = grid.cells();
        let needed = menus.iter().enumerate().map(|(stage, (menu, _))| {
            outer_expansions(menu.len(), if stage + 1 == menus.len() { 1 } else { cells })
        });
        if menus.iter().any(|(menu, _)| menu.len() >= usize::from(IDLE))
            || needed.fold(self.states, u64::saturating_add) > self.limit
        {
            return None;
        }
        let mut table = vec![S::from(0); cells];
        let mut picks: Vec<Vec<u16>> = Vec::with_capacity(menus.len());
        for (stage, (menu, _)) in menus.iter().enumerate() {
            let last = stage + 1 == menus.len();
            self.states += outer_expansions(menu.len(), if last { 1 } else { cells });
            let previous = std::mem::replace(&mut table, vec![S::NONE; cells]);
            let mut noted = vec![IDLE; if last { 1 } else { cells }];
            for (i, entry) in menu.iter().enumerate() {
                if last {
                    let candidate = previous[cells - 1 - grid.offset(&entry.lows)] + entry.gain;
                    if candidate > table[cells - 1] {
                        table[cells - 1] = candidate;
                        noted[0] = i as u16;
                    }
                } else {
                    grid.relax(&entry.lows, entry.gain, &previous, &mut table, Some((&mut noted, i as u16)));
                }
            }
            picks.push(noted);
        }
        if let Some(&best) = table.last()
            && best.unpack() < S::NONE.unpack() / 2
        {
            return Some(None);
        }
        let mut entries = vec![0; menus.len()];
        let mut cell = cells - 1;
        for (stage, (menu, _)) in menus.iter().enumerate().rev() {
            let noted = &picks[stage];
            let entry = usize::from(noted[cell.min(noted.len() - 1)]);
            let Some(chosen) = menu.get(entry) else { return Some(None) };
            entries[stage] = entry;
            cell -= grid.offset(&chosen.lows);
        }
        Some(Some(entries))
    }

    /// Puts the stages' choices into the order of the program.
    fn merge(&self, stages: &[Stage<S>], choices: Vec<Choice>) -> Choice {
        let mut merged = vec![None; self.program.jobs.len()];
        for (stage, choice) in stages.iter().zip(choices) {
            for (&job, option) in stage.jobs.iter().zip(choice) {
                merged[job] = option;
            }
        }
        merged
    }
}

/// Expansions of an outer stage. Each cell counts once at least, for its memory.
fn outer_expansions(menu: usize, cells: usize) -> u64 {
    (menu.max(1) as u64).saturating_mul(cells as u64)
}

fn clip(capacity: &[u32], demand: &[u32]) -> Vec<u32> {
    capacity.iter().zip(demand).map(|(&c, &d)| c.min(d)).collect()
}
