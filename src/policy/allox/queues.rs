//! Jobs to places in queues: the assignment problem of AlloX with equal workers merged.
//!
//! A job of run time p at position l from the end of a queue delays the l jobs from itself on by p: the sum of completion times is
//! the sum of l·p. With m equal workers of a type the columns (worker, l) are one column (type, l) of capacity m. The positions of a
//! type are opened one by one: the next only when the last is full, since it costs every job more.
//!
//! Jobs are added one at a time by shortest augmenting paths over columns. A column with room has price zero and an open column is
//! never cheaper for anybody than the one before it, so a position that is not open yet could not have lowered any path: the
//! result is the optimum over all positions, however long the queues.

/// A place in the queue of some worker of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The type.
    pub type_index: usize,
    /// The position, counted from the end of the queue; 1 is served last.
    pub position: usize,
}

/// One position in the queues of all workers of a type.
struct Column {
    place: Place,
    capacity: usize,
    rows: Vec<usize>,
    price: f64,
}

/// The place of every job in an assignment that makes the sum over jobs of position × run time least; `None` for a job that can
/// run on no free worker. `times[job][type]` are run times, infinite where the job cannot run; `free` are the workers by type.
/// Among equal assignments the answer is the same on every machine.
#[must_use]
pub fn queue(times: &[Vec<f64>], free: &[u32]) -> Vec<Option<Place>> {
    let open: Vec<usize> = (0..free.len()).filter(|&k| free[k] > 0).collect();
    let runs = |row: usize| open.iter().any(|&k| times[row][k].is_finite());
    let mut rows: Vec<usize> = (0..times.len()).filter(|&row| runs(row)).collect();
    // Longest first: their place is near the end, and most jobs then append without moving others.
    let shortest = |row: usize| open.iter().map(|&k| times[row][k]).fold(f64::INFINITY, f64::min);
    rows.sort_by(|&a, &b| shortest(b).total_cmp(&shortest(a)).then(a.cmp(&b)));
    let mut places = vec![None; times.len()];
    if let [only] = open[..] {
        for (rank, &row) in rows.iter().enumerate() {
            places[row] = Some(Place { type_index: only, position: rank / free[only] as usize + 1 });
        }
        return places;
    }
    let mut search = Search { times, free, columns: Vec::new() };
    for &k in &open {
        search.open(k, 1);
    }
    for row in rows {
        search.add(row);
    }
    for column in &search.columns {
        for &row in &column.rows {
            places[row] = Some(column.place);
        }
    }
    places
}

struct Search<'a> {
    times: &'a [Vec<f64>],
    free: &'a [u32],
    columns: Vec<Column>,
}

impl Search<'_> {
    fn open(&mut self, type_index: usize, position: usize) {
        self.columns.push(Column {
            place: Place { type_index, position },
            capacity: self.free[type_index] as usize,
            rows: Vec::new(),
            price: 0.0,
        });
    }

    fn cost(&self, row: usize, column: &Column) -> f64 {
        column.place.position as f64 * self.times[row][column.place.type_index]
    }

    /// Adds a job by the shortest augmenting path; reduced costs are cost + price − the same in the row's own column.
    fn add(&mut self, row: usize) {
        let count = self.columns.len();
        let mut distance: Vec<f64> = self.columns.iter().map(|c| self.cost(row, c) + c.price).collect();
        // The column a path comes from, and the row that moves from there.
        let mut came_from: Vec<Option<(usize, usize)>> = vec![None; count];
        let mut is_settled = vec![false; count];
        let mut settled = Vec::new();
        let end = loop {
            let nearest = (0..count).filter(|&c| !is_settled[c] && distance[c].is_finite());
            let Some(near) = nearest.reduce(|a, b| if distance[b] < distance[a] { b } else { a }) else {
                return;
            };
            if self.columns[near].rows.len() < self.columns[near].capacity {
                break near;
            }
            is_settled[near] = true;
            settled.push(near);
            let from = &self.columns[near];
            for &mover in &from.rows {
                let leaves = self.cost(mover, from) + from.price;
                for (c, to) in self.columns.iter().enumerate() {
                    let step = self.cost(mover, to) + to.price - leaves;
                    let through = distance[near] + step.max(0.0);
                    if !is_settled[c] && through < distance[c] {
                        distance[c] = through;
                        came_from[c] = Some((near, mover));
                    }
                }
            }
        };
        let length = distance[end];
        for &column in &settled {
            self.columns[column].price += length - distance[column];
        }
        let mut to = end;
        while let Some((from, mover)) = came_from[to] {
            self.columns[from].rows.retain(|&other| other != mover);
            self.columns[to].rows.push(mover);
            to = from;
        }
        self.columns[to].rows.push(row);
        let Column { place, capacity, .. } = self.columns[end];
        if self.columns[end].rows.len() == capacity {
            self.open(place.type_index, place.position + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::assign;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    fn total(times: &[Vec<f64>], places: &[Option<Place>]) -> f64 {
        let cost = |(row, place): (usize, &Option<Place>)| {
            place.map_or(0.0, |place| place.position as f64 * times[row][place.type_index])
        };
        places.iter().enumerate().map(cost).sum()
    }

    #[test]
    fn merged_columns_are_as_good_as_the_whole_matrix() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..400 {
            let types = 1 + (rng.next_u32() % 3) as usize;
            let free: Vec<u32> = (0..types).map(|_| rng.next_u32() % 4).collect();
            let jobs = (rng.next_u32() % 12) as usize;
            let times: Vec<Vec<f64>> = (0..jobs)
                .map(|_| {
                    (0..types)
                        .map(|_| match rng.next_u32() % 6 {
                            0 => f64::INFINITY,
                            _ => f64::from(1 + rng.next_u32() % 50),
                        })
                        .collect()
                })
                .collect();
            let places = queue(&times, &free);
            // Every worker with every position, as in the paper.
            let workers: Vec<usize> =
                (0..types).flat_map(|k| std::iter::repeat_n(k, free[k] as usize)).collect();
            let rows: Vec<usize> =
                (0..jobs).filter(|&row| workers.iter().any(|&k| times[row][k].is_finite())).collect();
            assert!(places.iter().enumerate().all(|(row, p)| p.is_some() == rows.contains(&row)));
            if rows.is_empty() {
                continue;
            }
            let columns = workers.len() * jobs;
            let cost = |row: usize, column: usize| {
                let (worker, position) = (column % workers.len(), column / workers.len() + 1);
                let time = times[rows[row]][workers[worker]];
                if time.is_finite() { time * position as f64 } else { 1e9 }
            };
            let least: f64 = assign(rows.len(), columns, cost)
                .unwrap()
                .iter()
                .enumerate()
                .map(|(row, &column)| cost(row, column))
                .sum();
            assert!(
                (total(&times, &places) - least).abs() < 1e-6,
                "{times:?} {free:?}: {places:?}, not {least}"
            );
            for (k, &free) in free.iter().enumerate() {
                for position in 1..=jobs {
                    let here = |p: &&Option<Place>| **p == Some(Place { type_index: k, position });
                    assert!(places.iter().filter(here).count() <= free as usize);
                }
            }
        }
    }
}
