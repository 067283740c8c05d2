//! The partial-allocation auction.

use crate::cluster::capacity::Capacity;
use crate::policy::View;
use crate::policy::knapsack::{Bid, Knapsack};
use crate::policy::list::{fits, take};
use crate::workload::JobOption;

/// The product of values is maximised exactly up to this many bidders.
const EXACT: usize = 8;

/// Expansions for it.
const BUDGET: u64 = 50_000;

/// Logs of values in integers.
const UNITS: f64 = 1e6;

/// What a bidder would have of an option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Offer {
    /// The option, as an index into the class's options.
    pub(super) option: u16,
    /// The option itself.
    pub(super) taken: JobOption,
    /// ln(value with it / value without), not negative.
    pub(super) gain: f64,
}

/// What a bidder has won.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Win {
    /// The option.
    pub(super) option: u16,
    /// The part of it that the hidden payment leaves, more than 0 and at most 1.
    pub(super) kept: f64,
}

#[derive(Debug)]
pub(super) struct Auction {
    knapsack: Knapsack,
}

impl Default for Auction {
    fn default() -> Self {
        Self { knapsack: Knapsack::new(BUDGET) }
    }
}

impl Auction {
    /// Who wins what of the `room` that the `kept` options leave. A winner's payment is what its presence costs the others: it keeps
    /// the part Π_b V_b(x*) / Π_b V_b(x* without it), the products over the others.
    pub(super) fn hold(
        &mut self,
        view: &View<'_>,
        kept: &[JobOption],
        room: &Capacity,
        offers: &[Vec<Offer>],
    ) -> Vec<Option<Win>> {
        let all = self.best(view, kept, room, offers, None);
        let others = |choice: &[Option<usize>], without: usize| -> f64 {
            let gains = choice.iter().enumerate().filter(|(b, _)| *b != without);
            gains.filter_map(|(b, o)| o.map(|o| offers[b][o].gain)).sum()
        };
        (0..offers.len())
            .map(|bidder| {
                let option = offers[bidder][all[bidder]?].option;
                let alone = self.best(view, kept, room, offers, Some(bidder));
                let lost = others(&alone, bidder) - others(&all, bidder);
                Some(Win { option, kept: libm::exp(-lost.max(0.0)) })
            })
            .collect()
    }

    /// The offers whose gains have the greatest sum, leaving out one bidder.
    fn best(
        &mut self,
        view: &View<'_>,
        kept: &[JobOption],
        room: &Capacity,
        offers: &[Vec<Offer>],
        without: Option<usize>,
    ) -> Vec<Option<usize>> {
        let takes_part = |bidder: usize| Some(bidder) != without;
        if offers.len() <= EXACT {
            let of_bidder = |(bidder, offers): (usize, &Vec<Offer>)| {
                let bid = |offer: &Offer| Bid {
                    option: offer.option,
                    taken: offer.taken,
                    value: 1 + (offer.gain * UNITS).round() as i64,
                    keeps: false,
                };
                if takes_part(bidder) { offers.iter().map(bid).collect() } else { Vec::new() }
            };
            let bids: Vec<Vec<Bid>> = offers.iter().enumerate().map(of_bidder).collect();
            if let Some(solution) = self.knapsack.solve(view, kept, &bids) {
                return solution.choice.iter().map(|choice| choice.map(usize::from)).collect();
            }
        }
        let mut list: Vec<(f64, usize, usize)> = Vec::new();
        for (bidder, offers) in offers.iter().enumerate().filter(|(bidder, _)| takes_part(*bidder)) {
            for (at, offer) in offers.iter().enumerate() {
                let slots = view.cluster.gpu_type(offer.taken.type_id).slots_per_device();
                let devices =
                    f64::from(offer.taken.devices) * f64::from(offer.taken.slots) / f64::from(slots);
                list.push((offer.gain / devices, bidder, at));
            }
        }
        list.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut free = room.clone();
        let mut choice = vec![None; offers.len()];
        for (_, bidder, at) in list {
            let taken = offers[bidder][at].taken;
            if choice[bidder].is_none() && fits(&free, taken) {
                take(&mut free, taken);
                choice[bidder] = Some(at);
            }
        }
        choice
    }
}
