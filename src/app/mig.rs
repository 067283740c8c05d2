//! In which ways one GPU can be cut: every layout to which nothing can be added, and those that only seem to fit.

use std::collections::BTreeSet;

use crate::chart::{Layout, Possible};
use crate::cluster::Geometry;

/// The layouts of one device, largest parts first: those that exist and leave no room for a further part, then those whose slots
/// add up to the device although no placement exists.
#[must_use]
pub fn layouts(geometry: Geometry) -> Vec<Layout> {
    let mut legal = BTreeSet::new();
    extend(geometry, 0, &mut Vec::new(), &mut legal);
    let fits = |parts: &[u8], one_more: u8| {
        let mut more = parts.to_vec();
        more.push(one_more);
        more.sort_unstable_by(|a, b| b.cmp(a));
        legal.contains(&more)
    };
    let full = |parts: &&Vec<u8>| geometry.sizes().iter().all(|&size| !fits(parts, size));
    let possible = legal.iter().rev().filter(full).map(|parts| layout(parts, Possible::Yes));
    let mut sums = Vec::new();
    partitions(geometry.slots(), geometry.sizes(), &mut Vec::new(), &mut sums);
    let impossible =
        sums.iter().filter(|parts| !legal.contains(*parts)).map(|parts| layout(parts, Possible::No));
    possible.chain(impossible).collect()
}

fn layout(parts: &[u8], possible: Possible) -> Layout {
    Layout { parts: parts.iter().map(|&part| u32::from(part)).collect(), possible }
}

/// Adds every set of parts that can lie beside what is `taken`, where `parts` lie.
fn extend(geometry: Geometry, taken: u8, parts: &mut Vec<u8>, legal: &mut BTreeSet<Vec<u8>>) {
    let mut sorted = parts.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    legal.insert(sorted);
    for &size in geometry.sizes() {
        for mask in geometry.starts(size).filter_map(|start| geometry.mask(size, start)) {
            // Parts are placed from the first position on, so that each set of positions is met once.
            if taken & mask == 0 && mask > taken {
                parts.push(size);
                extend(geometry, taken | mask, parts, legal);
                parts.pop();
            }
        }
    }
}

/// All ways to write `slots` as a sum of `sizes`, largest first.
fn partitions(slots: u8, sizes: &[u8], parts: &mut Vec<u8>, found: &mut Vec<Vec<u8>>) {
    if slots == 0 {
        found.push(parts.clone());
        return;
    }
    let most = parts.last().copied().unwrap_or(slots).min(slots);
    for &size in sizes.iter().rev().filter(|&&size| size <= most) {
        parts.push(size);
        partitions(slots - size, sizes, parts, found);
        parts.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(geometry: Geometry, possible: Possible) -> Vec<Vec<u32>> {
        let wanted = layouts(geometry).into_iter().filter(|layout| layout.possible == possible);
        wanted.map(|layout| layout.parts).collect()
    }

    #[test]
    fn an_a100_has_twelve_full_layouts_and_one_that_only_seems_to_fit() {
        let expected: [&[u32]; 12] = [
            &[7],
            &[4, 3],
            &[4, 2, 1],
            &[4, 1, 1, 1],
            &[3, 3],
            &[3, 2, 2],
            &[3, 2, 1, 1],
            &[3, 1, 1, 1, 1],
            &[2, 2, 2, 1],
            &[2, 2, 1, 1, 1],
            &[2, 1, 1, 1, 1, 1],
            &[1, 1, 1, 1, 1, 1, 1],
        ];
        assert_eq!(of(Geometry::MigA100, Possible::Yes), expected);
        assert_eq!(of(Geometry::MigA100, Possible::No), [[3, 3, 1]]);
    }

    #[test]
    fn an_a30_has_four() {
        let a30 = Geometry::Buddy { slots: 4 };
        assert_eq!(of(a30, Possible::Yes), [&[4][..], &[2, 2], &[2, 1, 1], &[1, 1, 1, 1]]);
        assert!(of(a30, Possible::No).is_empty());
    }
}
