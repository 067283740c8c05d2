//! The slices of MIG devices, by search over positions with the library's own table.

use std::collections::BTreeSet;

use sts_sim::cluster::{Geometry, Slice};

use crate::instances::{fixture, objective, solved};

/// Every set of plain slices that can be on one device together, as (slots, start), and the positions they take.
fn placements(geometry: Geometry) -> Vec<(Vec<(u8, u8)>, u8)> {
    let mut found: Vec<(Vec<(u8, u8)>, u8)> = vec![(Vec::new(), 0)];
    for &slots in geometry.sizes() {
        for start in geometry.starts(Slice::plain(slots)) {
            let mask = geometry.mask(slots, start).unwrap();
            let grown: Vec<_> = found
                .iter()
                .filter(|(_, taken)| taken & mask == 0)
                .map(|(placed, taken)| {
                    (placed.iter().copied().chain([(slots, start)]).collect(), taken | mask)
                })
                .collect();
            found.extend(grown);
        }
    }
    found
}

fn multiset(placed: &[(u8, u8)]) -> Vec<u8> {
    let mut sizes: Vec<u8> = placed.iter().map(|&(slots, _)| slots).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

#[test]
fn mig_1_the_geometries_of_an_a100() {
    let geometry = Geometry::MigA100;
    let all = placements(geometry);
    assert_eq!(all.len(), 298);
    let feasible: BTreeSet<Vec<u8>> = all.iter().map(|(placed, _)| multiset(placed)).collect();
    assert_eq!(feasible.len(), 38);
    let is_maximal = |taken: u8| geometry.sizes().iter().all(|&slots| !geometry.hosts(slots, taken));
    let maximal: Vec<_> = all.iter().filter(|(_, taken)| is_maximal(*taken)).collect();
    assert_eq!(maximal.len(), 19);
    let sets: BTreeSet<Vec<u8>> = maximal.iter().map(|(placed, _)| multiset(placed)).collect();
    let expected: BTreeSet<Vec<u8>> = [
        &[7][..],
        &[4, 3],
        &[4, 2, 1],
        &[4, 1, 1, 1],
        &[3, 3],
        &[3, 2, 2],
        &[3, 2, 1, 1],
        &[3, 2, 1],
        &[3, 1, 1, 1, 1],
        &[3, 1, 1, 1],
        &[2, 2, 2, 1],
        &[2, 2, 1, 1, 1],
        &[2, 1, 1, 1, 1, 1],
        &[1, 1, 1, 1, 1, 1, 1],
    ]
    .iter()
    .map(|set| set.to_vec())
    .collect();
    assert_eq!(sets, expected);
    // 3 + 3 + 1 = 7 compute slices, but not eight memory slices.
    assert!(!feasible.contains(&vec![3, 3, 1]));
    let sums_of_slices = |compute: u8, memory: u8| {
        let mut sets = BTreeSet::new();
        let mut open = vec![Vec::<u8>::new()];
        while let Some(set) = open.pop() {
            for &slots in geometry.sizes() {
                let mut larger = set.clone();
                larger.push(slots);
                larger.sort_unstable_by(|a, b| b.cmp(a));
                let memory_of = |set: &[u8]| set.iter().map(|&s| geometry.memory_slices(s)).sum::<u8>();
                if larger.iter().sum::<u8>() <= compute
                    && memory_of(&larger) <= memory
                    && !sets.contains(&larger)
                {
                    sets.insert(larger.clone());
                    open.push(larger);
                }
            }
        }
        sets.insert(Vec::new());
        sets
    };
    let by_compute = sums_of_slices(7, u8::MAX);
    assert_eq!(by_compute.difference(&feasible).collect::<Vec<_>>(), [&vec![3, 3, 1]]);
    assert_eq!(sums_of_slices(7, 8), feasible);
}

#[test]
fn mig_1_the_geometries_of_an_a30() {
    let geometry = Geometry::Buddy { slots: 4 };
    let sets: BTreeSet<Vec<u8>> = placements(geometry)
        .iter()
        .filter(|(_, taken)| *taken == geometry.whole_mask())
        .map(|(placed, _)| multiset(placed))
        .collect();
    let expected: BTreeSet<Vec<u8>> =
        [&[4][..], &[2, 2], &[2, 1, 1], &[1, 1, 1, 1]].iter().map(|set| set.to_vec()).collect();
    assert_eq!(sets, expected);
}

#[test]
fn mig_1_a_program_knows_that_three_three_one_does_not_fit() {
    let mut instance = fixture("mig1.json");
    objective(&solved(&instance, "max-sum"), 1.0);
    instance.types[0].layout = sts_sim::solve::instance::InstanceLayout::Uniform;
    objective(&solved(&instance, "max-sum"), 1.25);
}
