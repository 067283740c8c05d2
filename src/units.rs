//! Time, work, rates and identifiers.
//!
//! The engine computes in integers so that the same scenario gives the same answer, to the microsecond, natively and in
//! WebAssembly. Time is in microseconds since the first submission of the workload; a rate is in millionths of the speed a
//! job has on one whole device of its best GPU type; work is their product.

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Microseconds in one second.
pub const MICROS_PER_S: i64 = 1_000_000;

/// The beginning of 1990 in seconds since 1970: traces that count from zero do not reach it.
pub const DATES_FROM_S: f64 = 631_152_000.0;

/// Whether seconds in a trace's own origin are seconds since 1970.
#[must_use]
pub fn is_date(seconds: f64) -> bool {
    seconds >= DATES_FROM_S
}

/// Greatest common divisor; that of a number and 0 is the number.
#[must_use]
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A point in simulated time: microseconds since the first submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimTime(pub i64);

/// A length of simulated time in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SimSpan(pub i64);

impl SimTime {
    /// The first submission.
    pub const ZERO: Self = Self(0);
    /// Later than every event.
    pub const NEVER: Self = Self(i64::MAX);

    /// Seconds since the first submission, for display and metrics.
    #[must_use]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / MICROS_PER_S as f64
    }

    /// The span from `earlier` to `self`; negative if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> SimSpan {
        SimSpan(self.0.saturating_sub(earlier.0))
    }
}

impl SimSpan {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// A span of `secs` seconds rounded to the nearest microsecond; saturates, and takes NaN as zero.
    #[must_use]
    pub fn from_secs(secs: f64) -> Self {
        Self((secs * MICROS_PER_S as f64).round() as i64)
    }

    /// Length in seconds, for display and metrics.
    #[must_use]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / MICROS_PER_S as f64
    }
}

impl Add<SimSpan> for SimTime {
    type Output = Self;
    fn add(self, span: SimSpan) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<SimSpan> for SimTime {
    fn add_assign(&mut self, span: SimSpan) {
        *self = *self + span;
    }
}

impl Sub for SimTime {
    type Output = SimSpan;
    fn sub(self, earlier: Self) -> SimSpan {
        self.since(earlier)
    }
}

impl Add for SimSpan {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for SimSpan {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for SimSpan {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for SimSpan {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Speed in millionths of a job's reference speed: its throughput on one whole device (a gang: on its requested gang) of the
/// fastest type it may use in this cluster. `Rate(1_000_000)` does one second of work a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rate(pub u32);

impl Rate {
    /// The reference speed.
    pub const ONE: Self = Self(1_000_000);

    /// `speed` relative to the reference, rounded to a millionth; at least one millionth for any positive speed.
    #[must_use]
    pub fn from_f64(speed: f64) -> Self {
        if speed > 0.0 { Self(((speed * 1e6).round() as u32).max(1)) } else { Self(0) }
    }

    /// The speed relative to the reference.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }

    /// The work done in `span`.
    #[must_use]
    pub fn over(self, span: SimSpan) -> Work {
        Work(i128::from(self.0) * i128::from(span.0))
    }
}

/// An amount of work: rate in millionths times microseconds, so that one second at the reference speed is 10^12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Work(pub i128);

impl Work {
    /// Nothing left to do.
    pub const ZERO: Self = Self(0);

    /// Seconds of work at the reference speed, for values that are compared only within one decision, and for display.
    #[must_use]
    pub fn as_reference_secs(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// The shortest whole number of microseconds in which `rate` does this work; `None` if the rate is zero.
    #[must_use]
    pub fn time_at(self, rate: Rate) -> Option<SimSpan> {
        if self.0 <= 0 {
            return Some(SimSpan::ZERO);
        }
        let rate = i128::from(rate.0);
        if rate == 0 {
            return None;
        }
        Some(SimSpan(i64::try_from((self.0 + rate - 1) / rate).unwrap_or(i64::MAX)))
    }
}

impl Add for Work {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Work {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Work {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

/// GPUs as asked for, in thousandths of a device: 250 is a quarter of a GPU, 8000 a gang of eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MilliGpus(pub u32);

impl MilliGpus {
    /// The request in devices.
    #[must_use]
    pub fn as_gpus(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// Whole devices that cover the request.
    #[must_use]
    pub fn whole_devices(self) -> u32 {
        self.0.div_ceil(1000)
    }

    /// Whether the request is for less than one device.
    #[must_use]
    pub fn is_fractional(self) -> bool {
        self.0 < 1000
    }
}

macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// The position as an index into the table it belongs to.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

index_type!(
    /// A job: its position in the workload, which is the order of submission.
    JobId(u32)
);
index_type!(
    /// A tenant: its position in the workload's list of tenants.
    TenantId(u32)
);
index_type!(
    /// A GPU type of the cluster: its position in [`crate::cluster::Cluster::types`].
    TypeId(u16)
);
index_type!(
    /// A node of the cluster.
    NodeId(u32)
);
index_type!(
    /// A device (one GPU). Devices of one type are numbered consecutively, node after node.
    DeviceId(u32)
);
index_type!(
    /// A class of jobs that have the same options in this cluster (same model, size and allowed types).
    ClassId(u32)
);

/// Values of which one never occurs and can stand for none.
pub trait Spare: Copy + PartialEq {
    /// The value that never occurs.
    const SPARE: Self;
}

impl Spare for SimTime {
    const SPARE: Self = Self(i64::MIN);
}

impl Spare for SimSpan {
    const SPARE: Self = Self(i64::MIN);
}

/// A value or none in the size of the value, for what there are millions of; an `Option` of a time takes twice as much.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Maybe<T>(T);

impl<T: Spare> Maybe<T> {
    /// No value.
    pub const NONE: Self = Self(T::SPARE);

    /// A value.
    #[must_use]
    pub const fn some(value: T) -> Self {
        Self(value)
    }

    /// The value, unless there is none.
    #[must_use]
    #[inline]
    pub fn get(self) -> Option<T> {
        (self.0 != T::SPARE).then_some(self.0)
    }

    /// Whether there is a value.
    #[must_use]
    pub fn is_some(self) -> bool {
        self.0 != T::SPARE
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0 == T::SPARE
    }

    /// Another value in place of the value, if there is one.
    #[must_use]
    pub fn map(self, other: impl FnOnce(T) -> T) -> Self {
        self.get().map(other).into()
    }
}

impl<T: Spare> Default for Maybe<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: Spare> From<Option<T>> for Maybe<T> {
    #[inline]
    fn from(value: Option<T>) -> Self {
        Self(value.unwrap_or(T::SPARE))
    }
}

impl<T: Spare + fmt::Debug> fmt::Debug for Maybe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

impl<T: Spare + Serialize> Serialize for Maybe<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de, T: Spare + Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_finishes_at_the_first_microsecond_that_completes_its_work() {
        let work = Rate::ONE.over(SimSpan::from_secs(1.0));
        assert_eq!(work.time_at(Rate::ONE), Some(SimSpan(1_000_000)));
        assert_eq!(work.time_at(Rate(300_000)), Some(SimSpan(3_333_334)));
        assert_eq!(work.time_at(Rate(0)), None);
        assert_eq!(Work::ZERO.time_at(Rate(0)), Some(SimSpan::ZERO));
    }

    #[test]
    fn requests_round_up_to_whole_devices() {
        assert_eq!(MilliGpus(250).whole_devices(), 1);
        assert_eq!(MilliGpus(8000).whole_devices(), 8);
        assert_eq!(MilliGpus(1001).whole_devices(), 2);
        assert!(MilliGpus(999).is_fractional() && !MilliGpus(1000).is_fractional());
    }

    #[test]
    fn positive_speeds_never_round_to_nothing() {
        assert_eq!(Rate::from_f64(1e-9), Rate(1));
        assert_eq!(Rate::from_f64(0.0), Rate(0));
        assert_eq!(Rate::from_f64(f64::NAN), Rate(0));
    }
}
