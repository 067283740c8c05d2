//! `finish_time_fairness` and `finish_time_fairness_perf`: nobody much later than on a part of the cluster of its own.
//!
//! Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020, as Gavel restates it (OSDI 2020, section 4.2). Rule: minimise
//! max_i (age_i + R_i / Σ_j T_ij x_ij) / (alone_i + R_i / iso_i): R_i steps left, iso_i the throughput with `isolated` shares of the jobs
//! now active, alone_i the time that the steps done so far would have taken at the isolated throughputs of their time.
//! Priority weights are ignored. `finish_time_fairness` takes each job's V100 throughput for every type. If the solver gives nothing,
//! shares are those of `isolated`. Complexity: one second-order cone program with jobs · types variables and a cone a job.

use std::collections::BTreeMap;

use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, SecondOrderConeT};
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus};

use crate::gavel::policy::isolated::{Isolated, equal_part};
use crate::gavel::policy::program::ShareVariables;
use crate::gavel::policy::{ActiveJob, Policy, Rates, Shares, View};
use crate::gavel::{GavelError, PerGpu};

/// What is remembered of a job.
#[derive(Debug, Clone, Copy)]
struct Account {
    /// Seconds that its steps so far would have taken alone.
    alone_s: f64,
    /// Steps left and isolated throughput when shares were last computed.
    remaining_steps: u64,
    isolated_steps_per_s: f64,
}

/// The policy.
#[derive(Debug)]
pub(super) struct FinishTime {
    rates: Rates,
    accounts: BTreeMap<u32, Account>,
}

impl FinishTime {
    pub(super) fn new(rates: Rates) -> Self {
        Self { rates, accounts: BTreeMap::new() }
    }

    /// Brings the accounts up to now; accounts of jobs that are done are closed.
    fn bring_up_to_now(&mut self, view: &View<'_>, isolated_steps_per_s: &[f64]) {
        let mut accounts = BTreeMap::new();
        for (job, &isolated) in view.jobs.iter().zip(isolated_steps_per_s) {
            let alone_s = self.accounts.get(&job.id).map_or(0.0, |before| {
                let steps = before.remaining_steps.saturating_sub(job.remaining_steps) as f64;
                before.alone_s + steps / before.isolated_steps_per_s
            });
            let remaining_steps = job.remaining_steps;
            accounts.insert(job.id, Account { alone_s, remaining_steps, isolated_steps_per_s: isolated });
        }
        self.accounts = accounts;
    }
}

impl Policy for FinishTime {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        let rates: Vec<PerGpu<f64>> = view.jobs.iter().map(|job| self.rates.of(job)).collect();
        let isolated = |(job, rate): (&ActiveJob, &PerGpu<f64>)| {
            let share = equal_part(view, f64::from(job.scale_factor), view.jobs.len());
            view.cluster.types().map(|gpu| rate[gpu] * share[gpu]).sum()
        };
        let isolated: Vec<f64> = view.jobs.iter().zip(&rates).map(isolated).collect();
        self.bring_up_to_now(view, &isolated);
        if view.jobs.is_empty() {
            return Ok(Shares::default());
        }
        let jobs: Vec<Deadline> = view
            .jobs
            .iter()
            .zip(self.accounts.values().zip(&isolated))
            .map(|(job, (account, &isolated))| {
                let rest_s = job.remaining_steps as f64 / isolated;
                Deadline { age_s: job.age_s, rest_s, alone_s: account.alone_s + rest_s }
            })
            .collect();
        let variables = ShareVariables::new(view);
        let normalised = |at: usize| PerGpu::new(|gpu| rates[at][gpu] / isolated[at]);
        match solve(&variables, view, &jobs, normalised) {
            Some(x) => Ok(variables.shares(&x)),
            None => Isolated.shares(view),
        }
    }
}

/// A job's times, in seconds: since it arrived, left at its isolated throughput, and all of it at isolated throughputs.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    age_s: f64,
    rest_s: f64,
    alone_s: f64,
}

/// The shares of least ρ: minimise ρ with age + rest · z ≤ ρ · alone and z · Σ_j T_j / iso · x_j ≥ 1 for each job. The
/// product is a second-order cone: ‖(z − y, 2)‖ ≤ z + y.
fn solve(
    variables: &ShareVariables<'_>,
    view: &View<'_>,
    jobs: &[Deadline],
    normalised: impl Fn(usize) -> PerGpu<f64>,
) -> Option<Vec<f64>> {
    let shares = variables.count();
    let inverse = |at: usize| shares + at;
    let rho = shares + jobs.len();
    let columns = rho + 1;
    let mut costs = vec![0.0; columns];
    costs[rho] = 1.0;

    let mut rows = Rows::default();
    for variable in 0..shares {
        rows.push([(variable, -1.0)], 0.0);
    }
    variables.each_constraint(|terms, bound| rows.push(terms.iter().copied(), bound));
    for (at, job) in jobs.iter().enumerate() {
        let scale = 1.0 / job.alone_s;
        rows.push([(inverse(at), job.rest_s * scale), (rho, -1.0)], -job.age_s * scale);
    }
    let linear = rows.bounds.len();
    for at in 0..jobs.len() {
        let rate = normalised(at);
        let throughput = || variables.terms(at, |gpu| rate[gpu]);
        rows.push(throughput().map(|(variable, rate)| (variable, -rate)).chain([(inverse(at), -1.0)]), 0.0);
        rows.push(throughput().chain([(inverse(at), -1.0)]), 0.0);
        rows.push([], 2.0);
    }
    let mut cones = vec![NonnegativeConeT(linear)];
    cones.extend(view.jobs.iter().map(|_| SecondOrderConeT(3)));
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_threads(1)
        .direct_solve_method("qdldl".to_string())
        .build()
        .ok()?;
    let matrix = CscMatrix::new_from_triplets(rows.bounds.len(), columns, rows.row, rows.column, rows.factor);
    let quadratic = CscMatrix::zeros((columns, columns));
    let mut solver = DefaultSolver::new(&quadratic, &costs, &matrix, &rows.bounds, &cones, settings).ok()?;
    solver.solve();
    let solved = matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
    solved.then(|| solver.solution.x[..shares].to_vec())
}

/// Rows of a sparse matrix with their right-hand sides.
#[derive(Debug, Default)]
struct Rows {
    row: Vec<usize>,
    column: Vec<usize>,
    factor: Vec<f64>,
    bounds: Vec<f64>,
}

impl Rows {
    fn push(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, bound: f64) {
        for (column, factor) in terms {
            self.row.push(self.bounds.len());
            self.column.push(column);
            self.factor.push(factor);
        }
        self.bounds.push(bound);
    }
}
