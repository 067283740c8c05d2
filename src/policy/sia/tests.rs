use super::*;
use crate::cluster::{Cluster, Layout, NodeGroup, SliceMemory, catalogue::model};
use crate::units::{Rate, SimSpan, SimTime, TypeId};
use crate::workload::BoundWorkload;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The greatest total of bids within the free devices, by trying everything.
fn by_trying(bids: &[Vec<Bid>], free: &mut [u32]) -> i64 {
    let Some((first, rest)) = bids.split_first() else { return 0 };
    let mut most = by_trying(rest, free);
    for bid in first {
        let k = bid.taken.type_id.index();
        if bid.taken.devices <= free[k] {
            free[k] -= bid.taken.devices;
            most = most.max(bid.value + by_trying(rest, free));
            free[k] += bid.taken.devices;
        }
    }
    most
}

#[test]
fn the_program_is_solved_as_by_trying_everything() {
    let groups: Vec<NodeGroup> = ["V100-16", "T4"]
        .iter()
        .map(|gpu| NodeGroup {
            model: model(gpu).unwrap(),
            nodes: 1,
            gpus_per_node: 4,
            layout: Layout::Whole,
        })
        .collect();
    let cluster = Cluster::new(&groups).unwrap();
    let workload = BoundWorkload::default();
    let view = View {
        now: SimTime::ZERO,
        round: 0,
        round_length: SimSpan::from_secs(60.0),
        start_cost: SimSpan::ZERO,
        restore_cost: SimSpan::ZERO,
        cluster: &cluster,
        in_service: &[4, 4],
        workload: &workload,
        states: &[],
        active: &[],
    };
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut knapsack = Knapsack::new(1_000_000);
    for _ in 0..300 {
        let jobs = 1 + rng.next_u32() % 7;
        let bids: Vec<Vec<Bid>> = (0..jobs)
            .map(|_| {
                let devices = 1 + rng.next_u32() % 3;
                let values: Vec<(u16, u32)> =
                    (0..2).map(|k| (k, rng.next_u32() % 1_300_000)).filter(|(_, value)| *value > 0).collect();
                let worth = values.into_iter().filter(|(_, value)| *value <= 1_100_000);
                worth
                    .map(|(k, value)| Bid {
                        option: k,
                        taken: JobOption {
                            type_id: TypeId(k),
                            slots: 1,
                            memory: SliceMemory::Plain,
                            devices,
                            rate: Rate::ONE,
                        },
                        value: i64::from(value),
                        keeps: false,
                    })
                    .collect()
            })
            .collect();
        let solution = knapsack.solve(&view, &[], &bids).unwrap();
        assert_eq!(solution.status, Status::Optimal);
        assert_eq!(solution.objective, i128::from(by_trying(&bids, &mut [4, 4])), "{bids:?}");
    }
}
