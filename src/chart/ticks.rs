//! Where the ticks of an axis stand and what is written at them.

use super::format::{DurationUnit, Quantity};

/// One tick.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Where, in the units of the axis.
    pub value: f64,
    /// What is written there.
    pub label: String,
}

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;

/// Steps of a linear time axis, in seconds; each is a whole number of a unit people count in.
const TIME_STEPS_S: [f64; 31] = [
    0.1,
    0.2,
    0.5,
    1.0,
    2.0,
    5.0,
    10.0,
    15.0,
    30.0,
    MINUTE,
    2.0 * MINUTE,
    5.0 * MINUTE,
    10.0 * MINUTE,
    15.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    2.0 * HOUR,
    3.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
    2.0 * DAY,
    7.0 * DAY,
    14.0 * DAY,
    28.0 * DAY,
    50.0 * DAY,
    100.0 * DAY,
    200.0 * DAY,
    500.0 * DAY,
    1_000.0 * DAY,
    10_000.0 * DAY,
];

/// Ticks of a logarithmic duration axis: the ones that suffice on a wide domain, …
const LANDMARKS_S: [f64; 11] =
    [0.01, 0.1, 1.0, 10.0, MINUTE, 10.0 * MINUTE, HOUR, 6.0 * HOUR, DAY, 7.0 * DAY, 30.0 * DAY];

/// … and the finer ones for a narrow domain.
const FINE_LANDMARKS_S: [f64; 28] = [
    0.01,
    0.03,
    0.1,
    0.3,
    1.0,
    2.0,
    5.0,
    10.0,
    20.0,
    30.0,
    MINUTE,
    2.0 * MINUTE,
    5.0 * MINUTE,
    10.0 * MINUTE,
    20.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    2.0 * HOUR,
    3.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
    2.0 * DAY,
    3.0 * DAY,
    7.0 * DAY,
    14.0 * DAY,
    30.0 * DAY,
    100.0 * DAY,
];

/// Fewer ticks than this leave an axis unreadable.
const FEWEST: usize = 3;

/// The smallest of 1, 2, 2.5, 5 times a power of ten that cuts `span` into at most `most` parts.
#[must_use]
pub fn nice_step(span: f64, most: usize) -> f64 {
    let raw = span / most.max(1) as f64;
    if !(raw.is_finite() && raw > 0.0) {
        return 1.0;
    }
    let magnitude = libm::pow(10.0, libm::log10(raw).floor());
    let slack = 1.0 - 1e-9;
    [1.0, 2.0, 2.5, 5.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|&step| step >= raw * slack)
        .unwrap_or(10.0 * magnitude)
}

/// The domain widened to whole steps, so that the axis begins and ends at a tick, and that step.
#[must_use]
pub fn nice_domain(quantity: Quantity, (low, high): (f64, f64), most: usize) -> ((f64, f64), f64) {
    let span = if high > low { high - low } else { high.abs().max(1.0) };
    let step = match quantity {
        // Things come whole: 2.5 of them would be written as 3.
        Quantity::Count => nice_step(span, most).ceil(),
        Quantity::Duration => time_step(span, most),
        Quantity::Share | Quantity::Ratio => nice_step(span, most),
    };
    let first = (low / step + 1e-9).floor() * step;
    let last = (high / step - 1e-9).ceil() * step;
    ((first, if last > first { last } else { first + step }), step)
}

/// Ticks every `step` in the domain, written as `quantity`.
#[must_use]
pub fn even(quantity: Quantity, domain: (f64, f64), step: f64) -> Vec<Tick> {
    multiples(domain, step)
        .into_iter()
        .map(|value| Tick { value, label: quantity.tick_text(value, step) })
        .collect()
}

/// About `most` ticks on a linear time axis in seconds, all in one unit: `0 d, 1 d, 2 d` or `0 h, 6 h, 12 h`.
#[must_use]
pub fn time(domain_s: (f64, f64), most: usize) -> Vec<Tick> {
    let step = time_step(domain_s.1 - domain_s.0, most);
    in_one_unit(domain_s, step)
}

/// Ticks on a logarithmic duration axis in seconds where people look for them: 1 min, 10 min, 1 h, 6 h, 1 d,
/// 7 d.
#[must_use]
pub fn log_duration(domain_s: (f64, f64)) -> Vec<Tick> {
    let within = |candidates: &[f64]| -> Vec<Tick> {
        candidates
            .iter()
            .filter(|&&s| s >= domain_s.0 && s <= domain_s.1)
            .map(|&value| Tick { value, label: whole_unit(value).text(value) })
            .collect()
    };
    let coarse = within(&LANDMARKS_S);
    if coarse.len() >= FEWEST {
        return coarse;
    }
    let fine = within(&FINE_LANDMARKS_S);
    if fine.len() >= FEWEST {
        return fine;
    }
    let step = time_step(domain_s.1 - domain_s.0, 6);
    in_one_unit(domain_s, step)
}

/// Ticks at the powers of ten in the domain, written as `quantity`: 100 %, 10 %, 1 %.
#[must_use]
pub fn decades(quantity: Quantity, (low, high): (f64, f64)) -> Vec<Tick> {
    (-9..=15)
        .map(|power| libm::pow(10.0, f64::from(power)))
        .filter(|&value| value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9))
        .map(|value| Tick { value, label: quantity.tick_text(value, value) })
        .collect()
}

/// Ticks on a logarithmic axis: the powers of ten, with 2 and 5 times them where these alone are too few; where even those are,
/// ticks at equal steps.
#[must_use]
pub fn log(quantity: Quantity, (low, high): (f64, f64)) -> Vec<Tick> {
    let coarse = decades(quantity, (low, high));
    if coarse.len() >= FEWEST {
        return coarse;
    }
    let fine: Vec<Tick> = (-9..=15)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * libm::pow(10.0, f64::from(power))))
        .filter(|&value| value >= low * (1.0 - 1e-9) && value <= high * (1.0 + 1e-9))
        .map(|value| Tick { value, label: quantity.tick_text(value, value) })
        .collect();
    if fine.len() >= FEWEST {
        return fine;
    }
    let step = nice_step(high - low, 4);
    even(quantity, (low, high), step)
}

/// The largest unit of which `seconds` is at least one: 60 s on an axis is "1 min", although in a sentence a
/// duration of 60 s is "60 s".
pub(super) fn whole_unit(seconds: f64) -> DurationUnit {
    [DurationUnit::Day, DurationUnit::Hour, DurationUnit::Minute]
        .into_iter()
        .find(|unit| seconds >= unit.seconds() * (1.0 - 1e-9))
        .unwrap_or(DurationUnit::Second)
}

/// The smallest human step that cuts `span_s` into at most `most` parts.
pub(super) fn time_step(span_s: f64, most: usize) -> f64 {
    let raw = span_s / most.max(1) as f64 * (1.0 - 1e-9);
    if raw < 0.1 {
        return nice_step(span_s, most);
    }
    TIME_STEPS_S.into_iter().find(|&step| step >= raw).unwrap_or_else(|| nice_step(span_s / DAY, most) * DAY)
}

/// The whole multiples of `step` in the domain; none where they would be a thousand or more.
fn multiples((low, high): (f64, f64), step: f64) -> Vec<f64> {
    let slack = 1e-9;
    let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
    if !(first.is_finite() && last.is_finite() && last - first < 1_000.0 && last.abs() < 1e15) {
        return Vec::new();
    }
    (first as i64..=last as i64).map(|k| k as f64 * step).collect()
}

/// Ticks every `step_s` seconds, all in the largest unit of which the step is at least one.
fn in_one_unit(domain_s: (f64, f64), step_s: f64) -> Vec<Tick> {
    let unit = whole_unit(step_s);
    let label = |value_s: f64| {
        let number = Quantity::Count.tick_text(value_s / unit.seconds(), step_s / unit.seconds());
        format!("{number}\u{a0}{}", unit.symbol())
    };
    multiples(domain_s, step_s).into_iter().map(|value| Tick { value, label: label(value) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<String> {
        ticks.iter().map(|t| t.label.replace(['\u{a0}', '\u{202f}'], " ")).collect()
    }

    #[test]
    fn steps_are_nice() {
        for (span, most, step) in
            [(1.0, 4, 0.25), (100.0, 5, 20.0), (7.0, 4, 2.0), (0.37, 4, 0.1), (0.0, 4, 1.0)]
        {
            assert!(
                (nice_step(span, most) - step).abs() < 1e-9,
                "{span} in {most}: {}",
                nice_step(span, most)
            );
        }
    }

    #[test]
    fn a_nice_domain_ends_at_ticks() {
        let (domain, step) = nice_domain(Quantity::Count, (0.0, 371.0), 4);
        assert_eq!(labels(&even(Quantity::Count, domain, step)), ["0", "100", "200", "300", "400"]);
        let (domain, step) = nice_domain(Quantity::Count, (0.0, 3.0), 4);
        assert_eq!(labels(&even(Quantity::Count, domain, step)), ["0", "1", "2", "3"]);
        let (domain, step) = nice_domain(Quantity::Count, (0.0, 0.0), 4);
        assert_eq!(labels(&even(Quantity::Count, domain, step)), ["0", "1"]);
        let (domain, step) = nice_domain(Quantity::Share, (0.0, 1.0), 4);
        assert_eq!(labels(&even(Quantity::Share, domain, step)), ["0 %", "25 %", "50 %", "75 %", "100 %"]);
        let (domain, step) = nice_domain(Quantity::Count, (0.0, 9.0), 4);
        assert_eq!(labels(&even(Quantity::Count, domain, step)), ["0", "3", "6", "9"], "no half jobs");
    }

    #[test]
    fn time_ticks_keep_one_unit() {
        assert_eq!(
            labels(&time((0.0, 7.0 * DAY), 8)),
            ["0 d", "1 d", "2 d", "3 d", "4 d", "5 d", "6 d", "7 d"]
        );
        assert_eq!(labels(&time((0.0, DAY), 5)), ["0 h", "6 h", "12 h", "18 h", "24 h"]);
        assert_eq!(labels(&time((78.0 * HOUR, 90.0 * HOUR), 4)), ["78 h", "81 h", "84 h", "87 h", "90 h"]);
        assert_eq!(labels(&time((0.0, 90.0), 4)), ["0 s", "30 s", "60 s", "90 s"]);
        assert_eq!(labels(&time((0.0, 0.5), 5)), ["0.0 s", "0.1 s", "0.2 s", "0.3 s", "0.4 s", "0.5 s"]);
        assert_eq!(labels(&time((0.0, 70.0 * DAY), 6)), ["0 d", "14 d", "28 d", "42 d", "56 d", "70 d"]);
    }

    #[test]
    fn log_ticks_are_landmarks() {
        assert_eq!(labels(&log_duration((45.0, 900_000.0))), ["1 min", "10 min", "1 h", "6 h", "1 d", "7 d"]);
        assert_eq!(
            labels(&log_duration((100.0, 4_000.0))),
            ["2 min", "5 min", "10 min", "20 min", "30 min", "1 h"]
        );
        assert_eq!(
            labels(&log_duration((4_000.0, 4_300.0))),
            ["67 min", "68 min", "69 min", "70 min", "71 min"]
        );
    }

    #[test]
    fn decades_of_shares() {
        assert_eq!(labels(&decades(Quantity::Share, (0.001, 1.0))), ["0.1 %", "1 %", "10 %", "100 %"]);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ticks_are_few_rising_and_inside(low in -1e6..1e7_f64, span in 1e-3..1e9_f64, most in 2_usize..10) {
            let high = low + span;
            for ticks in [time((low, high), most), log_duration((low.max(0.01), high.max(0.02)))] {
                prop_assert!(ticks.len() <= most.max(28) + 1);
                prop_assert!(ticks.windows(2).all(|pair| pair[0].value < pair[1].value));
                prop_assert!(ticks.windows(2).all(|pair| pair[0].label != pair[1].label), "{ticks:?}");
            }
            let slack = span * 1e-6;
            let inside = low - slack..=high + slack;
            prop_assert!(time((low, high), most).iter().all(|t| inside.contains(&t.value)));
        }

        #[test]
        fn a_nice_domain_covers_the_data(low in -1e6..1e6_f64, span in 0.0..1e6_f64, most in 2_usize..8) {
            for quantity in [Quantity::Share, Quantity::Count, Quantity::Ratio, Quantity::Duration] {
                let ((first, last), step) = nice_domain(quantity, (low, low + span), most);
                prop_assert!(first <= low + step * 1e-6 && last >= low + span - step * 1e-6);
                prop_assert!(even(quantity, (first, last), step).len() >= 2);
            }
        }
    }
}
