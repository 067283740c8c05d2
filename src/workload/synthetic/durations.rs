//! How long jobs run.

use serde::{Deserialize, Serialize};

use super::in_range;
use crate::draws::Draws;
use crate::workload::assign::Refusal;
use crate::workload::is_unscaled;

/// Durations: drawn by their median and how far they spread, cut to a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Durations {
    /// The distribution. Not written where it is lognormal.
    #[serde(skip_serializing_if = "DurationShape::is_lognormal")]
    pub shape: DurationShape,
    /// Half of the jobs run shorter.
    pub median_s: f64,
    /// Standard deviation of the logarithm (`lognormal`).
    pub sigma: f64,
    /// The exponent of `pareto` and `weibull`: the smaller, the longer the tail. Not written where it is 1.
    #[serde(skip_serializing_if = "is_unscaled")]
    pub exponent: f64,
    /// Shorter ones run this long.
    pub min_s: f64,
    /// Longer ones run this long.
    pub max_s: f64,
}

/// A distribution of durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DurationShape {
    /// The logarithm is normal.
    #[default]
    Lognormal,
    /// P(longer than x) = (xₘ/x)^exponent from the shortest, xₘ = median · 2^(−1/exponent), on. A mean exists for exponents above 1.
    Pareto,
    /// P(longer than x) = exp(−(x/λ)^exponent), λ = median / (ln 2)^(1/exponent). Below 1 the tail is heavier than exponential.
    Weibull,
}

impl DurationShape {
    fn is_lognormal(&self) -> bool {
        *self == Self::Lognormal
    }
}

impl Default for Durations {
    fn default() -> Self {
        Self {
            shape: DurationShape::Lognormal,
            median_s: 3600.0,
            sigma: 1.3,
            exponent: 1.0,
            min_s: 60.0,
            max_s: 86_400.0,
        }
    }
}

impl Durations {
    pub(super) fn check(&self) -> Result<(), Refusal> {
        in_range("duration.median_s", self.median_s, 1.0, 1e8)?;
        in_range("duration.sigma", self.sigma, 0.0, 10.0)?;
        in_range("duration.exponent", self.exponent, 0.1, 20.0)?;
        in_range("duration.min_s", self.min_s, 1.0, 1e8)?;
        in_range("duration.max_s", self.max_s, self.min_s, 1e8)
    }

    /// One duration in seconds.
    pub(super) fn draw_s(&self, draws: &mut Draws) -> f64 {
        let duration_s = match self.shape {
            DurationShape::Lognormal => {
                let logarithm = libm::log(self.median_s) + self.sigma * draws.normal();
                libm::exp(logarithm)
            }
            DurationShape::Pareto => {
                self.median_s * libm::pow(2.0 * (1.0 - draws.uniform()), -1.0 / self.exponent)
            }
            DurationShape::Weibull => {
                let scaled = -libm::log(1.0 - draws.uniform()) / std::f64::consts::LN_2;
                self.median_s * libm::pow(scaled, 1.0 / self.exponent)
            }
        };
        duration_s.clamp(self.min_s, self.max_s)
    }
}
