//! Linear programs, solved by an interior-point method (Clarabel).
//!
//! An interior-point method ends near the centre of the optimal face, not at a vertex of it: where several optima exist, equals are
//! treated alike. Its answers are good to about 1e-8; [`Point::x`] is rounded to billionths, so that what is ranked by it is the
//! same on every machine.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
    ZeroConeT,
};

/// Answers are rounded to multiples of this.
pub const RESOLUTION: f64 = 1e-9;

/// `value` rounded to a multiple of [`RESOLUTION`]; zero has one sign.
#[must_use]
pub fn rounded(value: f64) -> f64 {
    (value / RESOLUTION).round() * RESOLUTION + 0.0
}

/// A linear program in variables `0..n`, each at least 0 unless declared [free](Self::free).
#[derive(Debug, Clone, PartialEq)]
pub struct LinearProgram {
    /// What is minimised.
    costs: Vec<f64>,
    sense: Sense,
    equal: Rows,
    at_most: Rows,
    is_free: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    Maximise,
    Minimise,
}

/// Rows of a sparse matrix with their right-hand sides.
#[derive(Debug, Clone, PartialEq, Default)]
struct Rows {
    /// (row, variable, coefficient)
    terms: Vec<(usize, usize, f64)>,
    bounds: Vec<f64>,
}

impl Rows {
    fn push(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, bound: f64) {
        let row = self.bounds.len();
        self.terms.extend(terms.into_iter().map(|(variable, factor)| (row, variable, factor)));
        self.bounds.push(bound);
    }
}

/// An optimum, as far as floating point goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The variables, rounded to [`RESOLUTION`]; never below 0 for those that are not free.
    pub x: Vec<f64>,
    /// The objective of the unrounded optimum.
    pub objective: f64,
    /// The bound that the dual solution proves: no point has a better objective, to the solver's accuracy.
    pub bound: f64,
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It has an optimum.
    Optimal(Point),
    /// No point satisfies all rows.
    Infeasible,
    /// The objective can be improved without end.
    Unbounded,
    /// The solver gave up: the program is too badly scaled.
    Failed,
}

impl Outcome {
    /// The optimum, if there is one.
    #[must_use]
    pub fn point(self) -> Option<Point> {
        match self {
            Self::Optimal(point) => Some(point),
            _ => None,
        }
    }
}

impl LinearProgram {
    /// Maximise the sum of `gains` times variables.
    #[must_use]
    pub fn maximise(gains: Vec<f64>) -> Self {
        let costs = gains.into_iter().map(|gain| -gain).collect();
        Self { sense: Sense::Maximise, ..Self::minimise(costs) }
    }

    /// Minimise the sum of `costs` times variables.
    #[must_use]
    pub fn minimise(costs: Vec<f64>) -> Self {
        let is_free = vec![false; costs.len()];
        Self { costs, sense: Sense::Minimise, equal: Rows::default(), at_most: Rows::default(), is_free }
    }

    /// The number of variables.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.costs.len()
    }

    /// Lets a variable be negative.
    pub fn free(&mut self, variable: usize) {
        self.is_free[variable] = true;
    }

    /// Σ factor · variable ≤ `bound`.
    pub fn at_most(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, bound: f64) {
        self.at_most.push(terms, bound);
    }

    /// Σ factor · variable ≥ `bound`.
    pub fn at_least(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, bound: f64) {
        self.at_most.push(terms.into_iter().map(|(variable, factor)| (variable, -factor)), -bound);
    }

    /// Σ factor · variable = `value`.
    pub fn equal(&mut self, terms: impl IntoIterator<Item = (usize, f64)>, value: f64) {
        self.equal.push(terms, value);
    }

    /// Solves it.
    #[must_use]
    pub fn solve(&self) -> Outcome {
        let n = self.costs.len();
        if n == 0 {
            let empty = Point { x: Vec::new(), objective: 0.0, bound: 0.0 };
            let holds =
                self.equal.bounds.iter().all(|&b| b == 0.0) && self.at_most.bounds.iter().all(|&b| b >= 0.0);
            return if holds { Outcome::Optimal(empty) } else { Outcome::Infeasible };
        }
        let bounded: Vec<usize> = (0..n).filter(|&variable| !self.is_free[variable]).collect();
        let equalities = self.equal.bounds.len();
        let inequalities = self.at_most.bounds.len();
        let rows = equalities + inequalities + bounded.len();
        let (mut i, mut j, mut value) = (Vec::new(), Vec::new(), Vec::new());
        let mut push = |row: usize, column: usize, factor: f64| {
            i.push(row);
            j.push(column);
            value.push(factor);
        };
        for &(row, variable, factor) in &self.equal.terms {
            push(row, variable, factor);
        }
        for &(row, variable, factor) in &self.at_most.terms {
            push(equalities + row, variable, factor);
        }
        for (row, &variable) in bounded.iter().enumerate() {
            push(equalities + inequalities + row, variable, -1.0);
        }
        let matrix = CscMatrix::new_from_triplets(rows, n, i, j, value);
        let mut bounds = self.equal.bounds.clone();
        bounds.extend_from_slice(&self.at_most.bounds);
        bounds.resize(rows, 0.0);
        let cones: Vec<SupportedConeT<f64>> = [
            (equalities > 0).then_some(ZeroConeT(equalities)),
            (rows > equalities).then_some(NonnegativeConeT(rows - equalities)),
        ]
        .into_iter()
        .flatten()
        .collect();
        // One thread and the built-in factorisation: the same operations in the same order everywhere.
        let Ok(settings) = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_threads(1)
            .direct_solve_method("qdldl".to_string())
            .tol_gap_abs(1e-10)
            .tol_gap_rel(1e-10)
            .tol_feas(1e-10)
            .build()
        else {
            return Outcome::Failed;
        };
        let quadratic = CscMatrix::zeros((n, n));
        let Ok(mut solver) = DefaultSolver::new(&quadratic, &self.costs, &matrix, &bounds, &cones, settings)
        else {
            return Outcome::Failed;
        };
        solver.solve();
        let solution = &solver.solution;
        match solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {
                Outcome::Optimal(self.point(&solution.x, solution.obj_val_dual))
            }
            // Stopped short of the tolerances asked for, which are beyond what double precision gives some programs.
            SolverStatus::InsufficientProgress
            | SolverStatus::MaxIterations
            | SolverStatus::NumericalError
                if self.is_nearly_feasible(&solution.x)
                    && (solution.obj_val - solution.obj_val_dual).abs()
                        <= 1e-6 * solution.obj_val.abs().max(1.0) =>
            {
                Outcome::Optimal(self.point(&solution.x, solution.obj_val_dual))
            }
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Outcome::Infeasible,
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Outcome::Unbounded,
            _ => Outcome::Failed,
        }
    }

    fn point(&self, x: &[f64], dual: f64) -> Point {
        let sign = if self.sense == Sense::Maximise { -1.0 } else { 1.0 };
        let objective = self.costs.iter().zip(x).map(|(cost, x)| cost * x).sum::<f64>();
        let clean = |(variable, &x): (usize, &f64)| {
            let x = rounded(x);
            if self.is_free[variable] { x } else { x.max(0.0) }
        };
        Point {
            x: x.iter().enumerate().map(clean).collect(),
            objective: sign * objective,
            bound: sign * dual,
        }
    }

    /// Whether every row holds to a millionth of its scale.
    fn is_nearly_feasible(&self, x: &[f64]) -> bool {
        let value = |rows: &Rows| {
            let mut sums = vec![(0.0, 1.0_f64); rows.bounds.len()];
            for &(row, variable, factor) in &rows.terms {
                let term = factor * x[variable];
                sums[row].0 += term;
                sums[row].1 = sums[row].1.max(term.abs());
            }
            sums
        };
        let equal = value(&self.equal);
        let at_most = value(&self.at_most);
        x.iter().zip(&self.is_free).all(|(x, free)| *free || *x >= -1e-6)
            && equal.iter().zip(&self.equal.bounds).all(|(&(sum, scale), b)| (sum - b).abs() <= 1e-6 * scale)
            && at_most.iter().zip(&self.at_most.bounds).all(|(&(sum, scale), b)| sum <= b + 1e-6 * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gavel's example: three jobs on a V100 and a K80, the least normalised throughput maximised.
    fn gavel_example() -> LinearProgram {
        let rates = [[40.0, 10.0], [12.0, 4.0], [100.0, 50.0]];
        let least = 6;
        let mut gains = vec![0.0; 7];
        gains[least] = 1.0;
        let mut program = LinearProgram::maximise(gains);
        for (job, row) in rates.iter().enumerate() {
            let equal_split = (row[0] + row[1]) / 3.0;
            let own = (0..2).map(|k| (2 * job + k, row[k] / equal_split));
            program.at_least(own.chain([(least, -1.0)]), 0.0);
            program.at_most((0..2).map(|k| (2 * job + k, 1.0)), 1.0);
        }
        for k in 0..2 {
            program.at_most((0..3).map(|job| (2 * job + k, 1.0)), 1.0);
        }
        program
    }

    #[test]
    fn finds_the_known_optimum_with_its_proof() {
        let point = gavel_example().solve().point().unwrap();
        assert!((point.objective - 12.0 / 11.0).abs() < 1e-8, "{point:?}");
        assert!((point.bound - 12.0 / 11.0).abs() < 1e-8, "{point:?}");
        for (x, expected) in
            point.x.iter().zip([5.0 / 11.0, 0.0, 5.0 / 11.0, 1.0 / 11.0, 1.0 / 11.0, 10.0 / 11.0])
        {
            assert!((x - expected).abs() < 1e-6, "{point:?}");
        }
    }

    #[test]
    fn tells_infeasible_from_unbounded() {
        let mut none = LinearProgram::maximise(vec![1.0]);
        none.at_most([(0, 1.0)], 1.0);
        none.at_least([(0, 1.0)], 2.0);
        assert_eq!(none.solve(), Outcome::Infeasible);
        let mut endless = LinearProgram::maximise(vec![1.0, 0.0]);
        endless.at_most([(1, 1.0)], 1.0);
        assert_eq!(endless.solve(), Outcome::Unbounded);
    }

    #[test]
    fn lets_free_variables_be_negative() {
        let mut program = LinearProgram::minimise(vec![1.0, 1.0]);
        program.free(0);
        program.equal([(0, 1.0), (1, 1.0)], -3.0);
        program.at_most([(1, 1.0)], 5.0);
        let point = program.solve().point().unwrap();
        assert!((point.objective + 3.0).abs() < 1e-8, "{point:?}");
        assert!(point.x[0] < 0.0);
    }

    #[test]
    fn treats_equals_alike() {
        // Three equal variables share one unit: every split is optimal, the middle one is taken.
        let mut program = LinearProgram::maximise(vec![1.0; 3]);
        program.at_most((0..3).map(|i| (i, 1.0)), 1.0);
        let point = program.solve().point().unwrap();
        for x in point.x {
            assert!((x - 1.0 / 3.0).abs() < 1e-7);
        }
    }

    #[test]
    fn a_program_without_variables_is_checked() {
        assert!(matches!(LinearProgram::maximise(Vec::new()).solve(), Outcome::Optimal(_)));
        let mut wrong = LinearProgram::maximise(Vec::new());
        wrong.equal([], 1.0);
        assert_eq!(wrong.solve(), Outcome::Infeasible);
    }
}
