//! When jobs are submitted.

use serde::{Deserialize, Serialize};

use super::{SyntheticSpec, in_range};
use crate::draws::Draws;
use crate::units::TenantId;
use crate::workload::assign::Refusal;
use crate::workload::is_unscaled;
use crate::workload::mix::Mix;

const DAY_S: f64 = 86_400.0;

/// The pattern of submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalKind {
    /// Independent of each other, at a constant rate.
    #[default]
    Poisson,
    /// Bursts at a constant rate; the jobs of one burst are of one tenant.
    Bursty,
    /// Independent of each other, at a rate that is high in busy times and low between them, both of random length: a Markov-modulated
    /// Poisson process with two states.
    Mmpp,
    /// Independent of each other, at a rate that swings with the time of day; the workload begins on a Monday at midnight, when it is
    /// lowest.
    Diurnal,
    /// All at once.
    Batch,
}

/// When jobs are submitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Arrivals {
    /// The pattern.
    pub kind: ArrivalKind,
    /// Jobs an hour, in the mean over weeks; no effect on `batch`.
    pub rate_per_hour: f64,
    /// Mean jobs of a burst (`bursty`).
    pub burst_jobs: f64,
    /// Length of a burst in seconds (`bursty`).
    pub burst_s: f64,
    /// How far the rate swings, as a share of its mean: 0 = not at all, 1 = down to nothing (`diurnal`).
    pub swing: f64,
    /// The rate at weekends over that of other days (`diurnal`). Not written where it is 1.
    #[serde(skip_serializing_if = "is_unscaled")]
    pub weekend: f64,
    /// The rate of busy times, and how they are (`mmpp`). Not written where they are the usual ones.
    #[serde(skip_serializing_if = "Busy::is_default")]
    pub busy: Busy,
}

/// Busy times (`mmpp`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Busy {
    /// The share of time that is busy.
    pub share: f64,
    /// The rate in busy times over the mean rate; what is left over comes in calm times.
    pub rate: f64,
    /// Mean length of a busy time in seconds.
    pub length_s: f64,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self {
            kind: ArrivalKind::Poisson,
            rate_per_hour: 60.0,
            burst_jobs: 7.0,
            burst_s: 300.0,
            swing: 0.8,
            weekend: 1.0,
            busy: Busy::default(),
        }
    }
}

impl Default for Busy {
    fn default() -> Self {
        Self { share: 0.2, rate: 4.0, length_s: 3600.0 }
    }
}

impl Busy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Arrivals {
    pub(super) fn check(&self) -> Result<(), Refusal> {
        in_range("arrivals.rate_per_hour", self.rate_per_hour, 1e-3, 1e6)?;
        in_range("arrivals.burst_jobs", self.burst_jobs, 1.0, 1e4)?;
        in_range("arrivals.burst_s", self.burst_s, 0.0, 1e6)?;
        in_range("arrivals.swing", self.swing, 0.0, 1.0)?;
        in_range("arrivals.weekend", self.weekend, 0.0, 10.0)?;
        in_range("arrivals.busy.share", self.busy.share, 0.001, 0.999)?;
        in_range("arrivals.busy.length_s", self.busy.length_s, 1.0, 1e7)?;
        // More than this would be more than all jobs.
        in_range("arrivals.busy.rate", self.busy.rate, 1.0, (1.0 / self.busy.share).max(1.0))
    }
}

/// A submission, and its tenant where the pattern decides it.
pub(super) struct Arrival {
    pub(super) submit_s: f64,
    pub(super) tenant: Option<TenantId>,
}

/// All submissions of a workload, in no order.
pub(super) fn draw(spec: &SyntheticSpec, tenants: &Mix<TenantId>) -> Vec<Arrival> {
    let pattern = &spec.arrivals;
    let gap_s = 3600.0 / pattern.rate_per_hour;
    let mut draws = Draws::stream(spec.seed, 0);
    let mut found = Vec::with_capacity(spec.jobs as usize);
    if let Some(fitted) = &spec.fitted {
        let mut now_ms = 0u64;
        while (found.len() as u32) < spec.jobs {
            found.push(Arrival { submit_s: now_ms as f64 / 1000.0, tenant: None });
            now_ms = now_ms.saturating_add(fitted.gap_ms(now_ms, draws.bits()));
        }
        return found;
    }
    let mut now_s = 0.0;
    let mut times = BusyTimes::new(pattern.busy);
    while (found.len() as u32) < spec.jobs {
        match pattern.kind {
            ArrivalKind::Batch => found.push(Arrival { submit_s: 0.0, tenant: None }),
            ArrivalKind::Poisson => {
                now_s += draws.exponential(gap_s);
                found.push(Arrival { submit_s: now_s, tenant: None });
            }
            ArrivalKind::Mmpp => {
                now_s = times.next(now_s, gap_s, &mut draws);
                found.push(Arrival { submit_s: now_s, tenant: None });
            }
            ArrivalKind::Diurnal => {
                // Thinning: candidates at the highest rate, kept in proportion to the rate of their hour.
                let weekday = 7.0 / (5.0 + 2.0 * pattern.weekend);
                let highest = (1.0 + pattern.swing) * weekday * pattern.weekend.max(1.0);
                now_s += draws.exponential(gap_s / highest);
                let hour = libm::cos(2.0 * std::f64::consts::PI * (now_s / DAY_S));
                let day = (now_s / DAY_S) as u64 % 7;
                let of_day = if day < 5 { weekday } else { weekday * pattern.weekend };
                if draws.uniform() * highest < (1.0 - pattern.swing * hour) * of_day {
                    found.push(Arrival { submit_s: now_s, tenant: None });
                }
            }
            ArrivalKind::Bursty => {
                now_s += draws.exponential(gap_s * pattern.burst_jobs);
                let tenant = tenants.at(draws.bits());
                let left = spec.jobs - found.len() as u32;
                for _ in 0..burst_size(&mut draws, pattern.burst_jobs).min(left) {
                    let submit_s = now_s + pattern.burst_s * draws.uniform();
                    found.push(Arrival { submit_s, tenant });
                }
            }
        }
    }
    found
}

/// Geometric, at least 1, with this mean.
fn burst_size(draws: &mut Draws, mean: f64) -> u32 {
    if mean <= 1.0 {
        return 1;
    }
    let trials = libm::log(1.0 - draws.uniform()) / libm::log(1.0 - 1.0 / mean);
    1 + trials.min(1e6) as u32
}

/// Busy and calm times, one after another.
struct BusyTimes {
    busy: Busy,
    is_busy: bool,
    /// When the time that now is ends; nothing is known before the first draw.
    ends_s: Option<f64>,
}

impl BusyTimes {
    fn new(busy: Busy) -> Self {
        Self { busy, is_busy: false, ends_s: None }
    }

    /// The next submission after `now_s`, where the mean time between two is `gap_s`.
    fn next(&mut self, mut now_s: f64, gap_s: f64, draws: &mut Draws) -> f64 {
        let Busy { share, rate, length_s } = self.busy;
        let calm = ((1.0 - share * rate) / (1.0 - share)).max(0.0);
        let mut ends_s = match self.ends_s {
            Some(ends_s) => ends_s,
            None => {
                self.is_busy = draws.uniform() < share;
                now_s + self.length_s(length_s, share, draws)
            }
        };
        loop {
            let rate = if self.is_busy { rate } else { calm };
            // Exponential times have no memory: what is drawn beyond the end of a time is drawn anew in the next.
            let candidate = if rate > 0.0 { now_s + draws.exponential(gap_s / rate) } else { f64::INFINITY };
            if candidate <= ends_s {
                self.ends_s = Some(ends_s);
                return candidate;
            }
            now_s = ends_s;
            self.is_busy = !self.is_busy;
            ends_s = now_s + self.length_s(length_s, share, draws);
        }
    }

    fn length_s(&self, busy_s: f64, share: f64, draws: &mut Draws) -> f64 {
        let mean = if self.is_busy { busy_s } else { busy_s * (1.0 - share) / share };
        draws.exponential(mean)
    }
}
