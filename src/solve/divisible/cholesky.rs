//! Small dense positive definite systems.

/// The lower triangle L with L Lᵀ = `matrix`; `None` if that is not positive definite.
pub(super) fn cholesky(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    for i in 0..matrix.len() {
        for j in 0..=i {
            let sum: f64 = matrix[i][j] - (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum::<f64>();
            if i != j {
                matrix[i][j] = sum / matrix[j][j];
            } else if sum > 0.0 && sum.is_finite() {
                matrix[i][i] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(matrix)
}

/// x with L Lᵀ x = `rest`.
pub(super) fn back_substitute(lower: &[Vec<f64>], rest: &[f64]) -> Vec<f64> {
    let n = rest.len();
    let mut x = rest.to_vec();
    for i in 0..n {
        x[i] = (x[i] - (0..i).map(|k| lower[i][k] * x[k]).sum::<f64>()) / lower[i][i];
    }
    for i in (0..n).rev() {
        x[i] = (x[i] - (i + 1..n).map(|k| lower[k][i] * x[k]).sum::<f64>()) / lower[i][i];
    }
    x
}

/// x with `matrix` x = `rest`; `None` if the matrix is not positive definite.
pub(super) fn solve_symmetric(matrix: Vec<Vec<f64>>, rest: &[f64]) -> Option<Vec<f64>> {
    Some(back_substitute(&cholesky(matrix)?, rest))
}
