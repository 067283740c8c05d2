//! What an option of a job is worth in a round: the objective, in integers.
//!
//! `value = round(Q * nu * service)`, at least 1. `nu` weights the job by the objective's mode; `service` is its speed, with two
//! corrections. *Finish in the round*: a job that can finish within the round is worth its full speed with every option that
//! finishes it, and the rest in proportion, so that it takes the fewest slots that do. *Hysteresis*: every option but the one held
//! loses the share of the round that loading the job is taken to cost. The same values serve the objective and the floors;
//! with two metrics the round would no longer be one exact program.

use crate::units::{MilliGpus, Rate, SimSpan, Work};

/// The largest value of any option in a decision: 31 bits.
pub const MAX_VALUE: i64 = (1 << 31) - 1;

/// Bits behind the point of a lasting worth, see [`Quantum::lasting`].
pub const LASTING_BITS: i64 = 72;

/// What the objective favours. `g` is the GPUs a job asks for, `p` its remaining seconds at its reference speed, `D` the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `sqrt(g / max(p, D))`: short jobs first, gangs in proportion to the root of their size.
    Mix,
    /// `g`: most work done.
    Throughput,
    /// `1 / max(p, D)`: Smith's rule.
    Jct,
    /// `g * sqrt(p)`: long jobs first, for batches.
    Makespan,
}

/// What the scheduler knows about run times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durations {
    /// The remaining work, or an estimate of it that is taken for the truth.
    Oracle,
    /// Only the work done so far, which takes the place of the remaining work; no job is known to finish in the round.
    Attained,
}

/// The objective of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objective {
    /// What it favours.
    pub mode: Mode,
    /// What it knows.
    pub durations: Durations,
    /// Length of a round in seconds.
    pub round_s: f64,
    /// Share of the round that every option but the one held loses.
    pub hysteresis: f64,
    /// Seconds since its submission after which a job counts twice; `None` = age does not count.
    pub ageing_s: Option<f64>,
}

/// One job in the eyes of the objective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued {
    /// The weight `nu`.
    pub weight: f64,
    /// Full speed over the speed that finishes the job in the round; above 1 when it can finish before the round ends.
    boost: f64,
    /// The speed of its best option.
    best: f64,
}

impl Objective {
    /// The hysteresis in force: `wished` or, by default, the restore cost but at least a sixth of the round; never more than a
    /// third of the round (beyond it floors in service are lost).
    #[must_use]
    pub fn hysteresis_of(wished: Option<SimSpan>, restore_cost: SimSpan, round: SimSpan) -> f64 {
        if round.0 <= 0 {
            return 0.0;
        }
        let span = wished.unwrap_or(restore_cost.max(SimSpan(round.0 / 6)));
        span.0.clamp(0, round.0 / 3) as f64 / round.0 as f64
    }

    /// A job that asks for `gpus`, has `remaining` work of `total`, and runs at `best` at most.
    #[must_use]
    pub fn job(&self, gpus: MilliGpus, total: Work, remaining: Work, best: Rate) -> Valued {
        let (known_s, boost) = match self.durations {
            Durations::Oracle => {
                let remaining_s = remaining.as_reference_secs().max(0.0);
                let full_round = self.round_s * best.as_f64();
                (remaining_s, if remaining_s < full_round { full_round / remaining_s.max(1e-6) } else { 1.0 })
            }
            Durations::Attained => ((total - remaining).as_reference_secs().max(0.0), 1.0),
        };
        let gpus = gpus.as_gpus();
        let weight = match self.mode {
            Mode::Mix => (gpus / known_s.max(self.round_s)).sqrt(),
            Mode::Throughput => gpus,
            Mode::Jct => 1.0 / known_s.max(self.round_s),
            Mode::Makespan => gpus * known_s.sqrt(),
        };
        Valued { weight, boost, best: best.as_f64() }
    }

    /// The factor on a job's weight by the time since its submission: `1 + age / ageing_s`.
    #[must_use]
    pub fn of_age(&self, age: SimSpan) -> f64 {
        self.ageing_s.map_or(1.0, |ageing_s| 1.0 + age.as_secs().max(0.0) / ageing_s)
    }

    /// The factor on the worth of every option but the one held.
    #[must_use]
    pub fn of_change(&self) -> f64 {
        1.0 - self.hysteresis
    }
}

impl Valued {
    /// The same job with its weight times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, ..self }
    }

    /// `nu` times the service of an option that runs at `rate`, before quantisation.
    #[must_use]
    pub fn worth(&self, rate: Rate) -> f64 {
        self.weight * (rate.as_f64() * self.boost).min(self.best)
    }

    /// `nu` times the speed of an option that runs at `rate`, whether or not the job finishes in the round.
    #[must_use]
    pub fn uncapped(&self, rate: Rate) -> f64 {
        self.weight * rate.as_f64()
    }
}

/// The power of two that turns worths of a decision into integers of at most 31 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantum(f64);

impl Quantum {
    /// For a decision whose largest worth is `largest`.
    #[must_use]
    pub fn for_largest(largest: f64) -> Self {
        if !largest.is_normal() || largest < 0.0 {
            return Self(1.0);
        }
        let exponent = ((largest.to_bits() >> 52) & 0x7ff) as i64 - 1023;
        Self(f64::from_bits(((30 - exponent + 1023).clamp(1, 2046) as u64) << 52))
    }

    /// Units of value in a worth of one.
    #[must_use]
    pub fn per_worth(self) -> f64 {
        self.0
    }

    /// A value as a lasting worth: in [`LASTING_BITS`] behind the point, a unit that does not change from decision to decision.
    /// Exact unless this decision's unit is finer.
    #[must_use]
    pub fn lasting(self, value: i64) -> i128 {
        shifted(value.into(), LASTING_BITS - self.exponent())
    }

    /// A lasting worth in values of this decision, rounded down.
    #[must_use]
    pub fn values(self, lasting: i128) -> i128 {
        shifted(lasting, self.exponent() - LASTING_BITS)
    }

    fn exponent(self) -> i64 {
        ((self.0.to_bits() >> 52) & 0x7ff) as i64 - 1023
    }

    /// The value of a worth: rounded, and at least 1.
    #[must_use]
    pub fn value(self, worth: f64) -> i64 {
        ((worth * self.0).round() as i64).clamp(1, MAX_VALUE)
    }
}

/// `amount * 2^bits`, rounded down and within range.
fn shifted(amount: i128, bits: i64) -> i128 {
    match (u32::try_from(bits), u32::try_from(-bits)) {
        (Ok(up), _) => amount.saturating_mul(1i128.checked_shl(up).filter(|&f| f > 0).unwrap_or(i128::MAX)),
        (_, Ok(down)) => amount >> down.min(127),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_S: f64 = 360.0;

    fn objective(mode: Mode) -> Objective {
        Objective { mode, durations: Durations::Oracle, round_s: ROUND_S, hysteresis: 0.0, ageing_s: None }
    }

    fn seconds(s: f64) -> Work {
        Rate::ONE.over(SimSpan::from_secs(s))
    }

    #[test]
    fn the_largest_value_has_31_bits() {
        for largest in [1e-12, 0.3, 1.0, 1.999_999_999_9, 7.0, 1e9, 1e300] {
            let value = Quantum::for_largest(largest).value(largest);
            assert!((1 << 30..=MAX_VALUE).contains(&value), "{largest}: {value}");
        }
        assert_eq!(Quantum::for_largest(0.0).value(0.0), 1);
        assert_eq!(Quantum::for_largest(1.0).value(1e-30), 1);
    }

    #[test]
    fn a_lasting_worth_is_the_same_in_every_decision() {
        let (coarse, fine) = (Quantum::for_largest(40.0), Quantum::for_largest(0.01));
        let worth = 0.009_765_625;
        assert_eq!(coarse.lasting(coarse.value(worth)), fine.lasting(fine.value(worth)));
        assert_eq!(fine.values(coarse.lasting(coarse.value(worth))), i128::from(fine.value(worth)));
        assert_eq!(coarse.values(fine.lasting(-1)), -1);
        assert_eq!(coarse.values(fine.lasting(1)), 0);
        for largest in [1e-300, 1e300] {
            let quantum = Quantum::for_largest(largest);
            assert!(quantum.lasting(MAX_VALUE) >= 0 && quantum.values(i128::MAX / 4) >= 0);
        }
    }

    #[test]
    fn options_that_finish_in_the_round_tie_at_full_value() {
        let job = objective(Mode::Throughput).job(MilliGpus(1000), seconds(9999.0), seconds(90.0), Rate::ONE);
        let worth = |rate| job.worth(Rate::from_f64(rate));
        assert!((worth(0.25) - worth(1.0)).abs() < 1e-12 && (worth(0.9) - 1.0).abs() < 1e-12);
        assert!((worth(0.125) - 0.5).abs() < 1e-12);
        let long =
            objective(Mode::Throughput).job(MilliGpus(1000), seconds(9999.0), seconds(720.0), Rate::ONE);
        assert!((long.worth(Rate::from_f64(0.25)) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn less_remaining_work_never_lowers_the_best_value() {
        for mode in [Mode::Mix, Mode::Throughput, Mode::Jct] {
            for best in [0.2, 0.7, 1.0] {
                let mut last = 0.0;
                for remaining in [9e5, 4e4, 800.0, 361.0, 360.0, 359.0, 100.0, 3.0, 0.001, 0.0] {
                    let best = Rate::from_f64(best);
                    let job = objective(mode).job(MilliGpus(4000), seconds(1e6), seconds(remaining), best);
                    assert!(job.worth(best) >= last, "{mode:?}, {remaining} s left");
                    last = job.worth(best);
                }
            }
        }
    }

    #[test]
    fn a_job_of_unknown_length_is_judged_by_what_it_has_done() {
        let objective = Objective { durations: Durations::Attained, ..objective(Mode::Jct) };
        let job = objective.job(MilliGpus(1000), seconds(5000.0), seconds(10.0), Rate::ONE);
        assert!((job.worth(Rate::ONE) - 1.0 / 4990.0).abs() < 1e-12);
        let same = objective.job(MilliGpus(1000), seconds(8000.0), seconds(3010.0), Rate::ONE);
        assert_eq!(job, same);
    }

    #[test]
    fn a_job_counts_twice_when_it_is_old() {
        let aged = Objective { ageing_s: Some(7200.0), ..objective(Mode::Throughput) };
        let age = |s| aged.of_age(SimSpan::from_secs(s));
        assert!((age(0.0) - 1.0).abs() < 1e-12 && (age(7200.0) - 2.0).abs() < 1e-12);
        assert!((objective(Mode::Throughput).of_age(SimSpan::from_secs(1e9)) - 1.0).abs() < 1e-12);
        let job = aged.job(MilliGpus(3000), seconds(1e6), seconds(1e6), Rate::ONE).times(age(3600.0));
        assert!((job.worth(Rate::from_f64(0.5)) - 2.25).abs() < 1e-12);
    }

    #[test]
    fn hysteresis_is_a_sixth_of_the_round_and_at_most_a_third() {
        let (round, none) = (SimSpan::from_secs(360.0), SimSpan::ZERO);
        let of = |wished: Option<f64>, restore| {
            Objective::hysteresis_of(wished.map(SimSpan::from_secs), restore, round)
        };
        assert!((of(None, none) - 1.0 / 6.0).abs() < 1e-12);
        assert!((of(None, SimSpan::from_secs(90.0)) - 0.25).abs() < 1e-12);
        assert!((of(None, SimSpan::from_secs(900.0)) - 1.0 / 3.0).abs() < 1e-12);
        assert!((of(Some(30.0), SimSpan::from_secs(90.0)) - 1.0 / 12.0).abs() < 1e-12);
        assert!(of(Some(0.0), none).abs() < 1e-12);
    }
}
