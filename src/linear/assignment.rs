//! The assignment problem: every row gets a column of its own, at the least total cost.

/// The column of each row in an assignment of least total cost, by shortest augmenting paths with potentials (Jonker and
/// Volgenant, "A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems", Computing 1987).
///
/// There must be at least as many columns as rows, and every cost must be finite; `cost(row, column)` is called O(rows² · columns)
/// times, which is also the time it takes. Among equal assignments the answer is the same on every machine: costs are compared in
/// the order of columns. `None` if there are more rows than columns.
#[must_use]
pub fn assign(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Option<Vec<usize>> {
    if rows > columns {
        return None;
    }
    // Rows and columns count from 1; column 0 stands for the row that is being added.
    let mut row_potential = vec![0.0; rows + 1];
    let mut column_potential = vec![0.0; columns + 1];
    let mut row_of = vec![0; columns + 1];
    let mut came_from = vec![0; columns + 1];
    let mut distance = vec![f64::INFINITY; columns + 1];
    let mut is_done = vec![false; columns + 1];
    for added in 1..=rows {
        row_of[0] = added;
        let mut column = 0;
        distance.fill(f64::INFINITY);
        is_done.fill(false);
        while row_of[column] != 0 {
            is_done[column] = true;
            let row = row_of[column];
            let (mut step, mut next) = (f64::INFINITY, 0);
            for candidate in 1..=columns {
                if is_done[candidate] {
                    continue;
                }
                let reduced = cost(row - 1, candidate - 1) - row_potential[row] - column_potential[candidate];
                if reduced < distance[candidate] {
                    distance[candidate] = reduced;
                    came_from[candidate] = column;
                }
                if distance[candidate] < step {
                    step = distance[candidate];
                    next = candidate;
                }
            }
            if next == 0 {
                // Only when a cost is not finite.
                return None;
            }
            for of_column in 0..=columns {
                if is_done[of_column] {
                    row_potential[row_of[of_column]] += step;
                    column_potential[of_column] -= step;
                } else {
                    distance[of_column] -= step;
                }
            }
            column = next;
        }
        while column != 0 {
            let before = came_from[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    let mut column_of = vec![0; rows];
    for (column, &row) in row_of.iter().enumerate().skip(1) {
        if row > 0 {
            column_of[row - 1] = column - 1;
        }
    }
    Some(column_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least_by_trying(costs: &[Vec<f64>], row: usize, taken: &mut Vec<bool>) -> f64 {
        let Some(of_row) = costs.get(row) else { return 0.0 };
        let mut least = f64::INFINITY;
        for column in 0..of_row.len() {
            if !taken[column] {
                taken[column] = true;
                least = least.min(of_row[column] + least_by_trying(costs, row + 1, taken));
                taken[column] = false;
            }
        }
        least
    }

    #[test]
    fn is_as_cheap_as_every_assignment_tried() {
        use rand_chacha::ChaCha8Rng;
        use rand_chacha::rand_core::{Rng, SeedableRng};
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let rows = (rng.next_u32() % 5) as usize;
            let columns = rows + (rng.next_u32() % 3) as usize;
            let costs: Vec<Vec<f64>> = (0..rows)
                .map(|_| (0..columns).map(|_| f64::from(rng.next_u32() % 20) - 5.0).collect())
                .collect();
            let column_of = assign(rows, columns, |row, column| costs[row][column]).unwrap();
            let mut used = column_of.clone();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), rows, "columns are distinct");
            let total: f64 = column_of.iter().enumerate().map(|(row, &column)| costs[row][column]).sum();
            let least = least_by_trying(&costs, 0, &mut vec![false; columns]);
            assert!((total - least).abs() < 1e-9, "{costs:?}: {total} instead of {least}");
        }
    }

    #[test]
    fn refuses_more_rows_than_columns_and_endless_costs() {
        assert_eq!(assign(2, 1, |_, _| 0.0), None);
        assert_eq!(assign(1, 1, |_, _| f64::NAN), None);
        assert_eq!(assign(0, 3, |_, _| 0.0), Some(Vec::new()));
    }
}
