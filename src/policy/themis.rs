//! Themis: leases won in partial-allocation auctions by those whose finish-time fairness is worst.

mod auction;

use super::estimate::{DURATION_ERROR, DURATIONS, Estimator};
use super::list::{Chooser, Passing, SHARING, Sharing, fits, take};
use super::param::{ParamKind, ParamSpec};
use super::registry::Knowledge;
use super::{Decision, Grant, Params, Policy, PolicySpec, Refill, View};
use crate::units::JobId;
use crate::workload::JobOption;
use auction::{Auction, Offer};

/// Finish-time fairness by auctions.
///
/// * Rule: when leases end, the free devices are offered to the 1 − f jobs with the worst rho = T_shared / T_ideal; an auction
///   maximises the product of their values 1 / rho, and a winner keeps the part of its lease that its hidden payment leaves; what
///   nobody won goes round-robin, by id, to the others.
/// * Source: Mahajan et al., "Themis: Fair and Efficient GPU Cluster Scheduling", NSDI 2020; partial allocation after Cole, Gkatzelis
///   and Goel, EC 2013.
/// * Deviations: every job is an app. A gang is indivisible, so the hidden payment is taken from the time of the lease, in whole
///   rounds, not from its GPUs. T_shared of a bid is the age, the lease as bid, and the rest at full speed. The product is
///   maximised exactly for up to 8 bidders and greedily by log gain a device beyond; at most 256 bid at a time. Leases end
///   at round boundaries.
/// * Complexity: O(n log n) a round for n active jobs, and O(b² k) an auction for b bidders and k types.
pub const SPEC: PolicySpec = PolicySpec {
    name: "themis",
    title: "Themis",
    summary: "Leases, auctioned to the jobs with the worst finish-time fairness",
    citation: "Mahajan et al., Themis, NSDI 2020",
    knowledge: Knowledge::RemainingWork,
    params: &[
        ParamSpec {
            name: "lease_s",
            title: "Lease",
            unit: Some("s"),
            kind: ParamKind::Number { default: Some(1200.0), min: 0.0, max: 1e7 },
            help: "How long a winner holds its devices, in whole rounds, at least one.",
        },
        ParamSpec {
            name: "fairness_knob",
            title: "Fairness knob f",
            unit: None,
            kind: ParamKind::Number { default: Some(0.8), min: 0.0, max: 1.0 },
            help: "The auction is for the worst 1 − f of the jobs without a lease, one at least. Towards 1 it is fairer, \
                   towards 0 more efficient.",
        },
        DURATIONS,
        DURATION_ERROR,
        SHARING,
    ],
    refuses: None,
    build: Some(|params, seed| Box::new(Themis::new(params, seed))),
};

/// The most bidders in an auction.
const BIDDERS: usize = 256;

struct Themis {
    lease_s: f64,
    knob: f64,
    sharing: Sharing,
    estimator: Estimator,
    chooser: Chooser,
    auction: Auction,
    /// The first round after a job's lease, by job.
    leased_until: Vec<u64>,
    /// The job that was last given leftovers.
    last_served: Option<JobId>,
}

impl Themis {
    fn new(params: &Params, seed: u64) -> Self {
        Self {
            lease_s: params.number("lease_s"),
            knob: params.number("fairness_knob"),
            sharing: Sharing::of(params),
            estimator: Estimator::new(params, seed),
            chooser: Chooser::new(params, seed),
            auction: Auction::default(),
            leased_until: Vec::new(),
            last_served: None,
        }
    }

    /// Seconds since submission, seconds left at full speed, and rho if the job runs at full speed from now.
    fn outlook(&mut self, view: &View<'_>, job: JobId) -> (f64, f64, f64) {
        let age_s = (view.now - view.job(job).submit).as_secs();
        let left_s = self.estimator.remaining(view, job).as_reference_secs();
        let done = view.job(job).work.0 - view.state(job).remaining.0;
        let ideal_s = crate::units::Work(done).as_reference_secs() + left_s;
        (age_s, left_s, (age_s + left_s) / ideal_s.max(1e-6))
    }

    /// The bids of a job: for each type the log of the factor by which its rho falls with a lease there.
    fn offers(&self, view: &View<'_>, job: JobId, age_s: f64, left_s: f64, lease_s: f64) -> Vec<Offer> {
        let class = view.class(job);
        let without_s = (age_s + lease_s + left_s).max(1e-6);
        let options = view.cluster.type_ids().filter_map(|k| self.sharing.option_on(class, k));
        options
            .map(|option| {
                let taken = class.options[usize::from(option)];
                let rate = taken.rate.as_f64();
                let with_s =
                    if rate * lease_s >= left_s { age_s + left_s / rate } else { without_s - rate * lease_s };
                Offer { option, taken, gain: libm::log(without_s / with_s.max(1e-6)).max(0.0) }
            })
            .collect()
    }

    /// Jobs without a lease, worst first: rho down, then id.
    fn sort(&mut self, view: &View<'_>, jobs: impl Iterator<Item = JobId>) -> Vec<(JobId, f64, f64)> {
        let mut sorted: Vec<(f64, JobId, f64, f64)> = jobs
            .map(|job| {
                let (age_s, left_s, rho) = self.outlook(view, job);
                (rho, job, age_s, left_s)
            })
            .collect();
        sorted.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        sorted.into_iter().map(|(_, job, age_s, left_s)| (job, age_s, left_s)).collect()
    }
}

impl Policy for Themis {
    fn decide(&mut self, view: &View<'_>, decision: &mut Decision) {
        self.leased_until.resize(view.states.len(), 0);
        let round_s = view.round_length.as_secs();
        let lease_rounds = libm::round(self.lease_s / round_s).max(1.0);
        let mut room = view.capacity();
        let mut kept: Vec<JobOption> = Vec::new();
        let mut without = Vec::new();
        for &job in view.active {
            match view.state(job).held {
                Some(held) if self.leased_until[job.index()] > view.round => {
                    let option = view.option(job, held.option);
                    take(&mut room, option);
                    kept.push(option);
                    decision.grants.push(Grant { job, option: held.option });
                }
                _ => without.push(job),
            }
        }
        let sorted = self.sort(view, without.into_iter());
        let bidding = ((1.0 - self.knob) * sorted.len() as f64 - 1e-9).ceil() as usize;
        let bidding = bidding.clamp(1, BIDDERS).min(sorted.len());
        let offers: Vec<Vec<Offer>> = sorted[..bidding]
            .iter()
            .map(|&(job, age_s, left_s)| self.offers(view, job, age_s, left_s, lease_rounds * round_s))
            .collect();
        let wins = self.auction.hold(view, &kept, &room, &offers);
        let mut rest = Vec::new();
        for (&(job, _, _), win) in sorted.iter().zip(wins.iter().chain(std::iter::repeat(&None))) {
            match win {
                Some(win) => {
                    take(&mut room, view.option(job, win.option));
                    decision.grants.push(Grant { job, option: win.option });
                    let rounds = libm::floor(lease_rounds * win.kept + 1e-9).max(1.0);
                    self.leased_until[job.index()] = view.round + rounds as u64;
                }
                None => rest.push(job),
            }
        }
        rest.sort_unstable();
        let next = rest.partition_point(|&job| Some(job) <= self.last_served);
        rest.rotate_left(next);
        for job in rest {
            let class = view.class(job);
            let options = view.cluster.type_ids().filter_map(|k| self.sharing.option_on(class, k));
            let free = options.filter(|&o| fits(&room, class.options[usize::from(o)]));
            let rate = |option: u16| class.options[usize::from(option)].rate;
            if let Some(option) = free.reduce(|a, b| if rate(b) > rate(a) { b } else { a }) {
                take(&mut room, class.options[usize::from(option)]);
                decision.grants.push(Grant { job, option });
                self.leased_until[job.index()] = view.round + lease_rounds as u64;
                self.last_served = Some(job);
            }
        }
    }

    fn refill(&mut self, view: &View<'_>, waiting: &[JobId], free: &mut dyn Refill) {
        let sorted = self.sort(view, waiting.iter().copied());
        self.chooser.refill(view, sorted.into_iter().map(|(job, _, _)| job), Passing::Always, free);
    }

    fn is_static_when_idle_queue(&self) -> bool {
        false
    }
}
