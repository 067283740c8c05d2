//! Numbers and durations as people read them: the one place of the crate that turns a value into words.
//!
//! Thousands are separated by a comma, the minus is the true one (−), a narrow no-break space stands before
//! `%`, a no-break space before every other unit. What is undefined (`NaN`, an infinity, `None`) is
//! [`UNDEFINED`].

/// What is written where a value does not exist.
pub const UNDEFINED: &str = "–";

const MINUS: char = '\u{2212}';
const NARROW_SPACE: char = '\u{202f}';
const NO_BREAK_SPACE: char = '\u{a0}';
/// From here on digits say nothing more, and a power of ten is written.
const LARGEST_IN_DIGITS: f64 = 1e15;
/// Below this (and not 0) a power of ten is written where significant digits are asked for.
const SMALLEST_IN_DIGITS: f64 = 1e-4;
const MOST_DECIMALS: usize = 6;

/// `value` with a fixed number of decimals (at most 6): `1,482`, `−0.38`, `3.2 × 10¹⁷`.
#[must_use]
pub fn number(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return UNDEFINED.to_owned();
    }
    if value.abs() >= LARGEST_IN_DIGITS {
        return power_of_ten(value);
    }
    let digits = format!("{:.*}", decimals.min(MOST_DECIMALS), value.abs());
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let mut text = String::new();
    if value < 0.0 && digits.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        text.push(MINUS);
    }
    text.push_str(&grouped(whole));
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// `value` with `digits` significant digits, never more than 6 decimals: 3 digits give `0.381`, `15.5`,
/// `1,482`.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    if value.is_finite() && value.abs() > 0.0 && value.abs() < SMALLEST_IN_DIGITS {
        return power_of_ten(value);
    }
    number(value, decimals_for(value, digits))
}

/// A whole number: `1,482`.
#[must_use]
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A share of 1 as per cent: `percent(0.864, 1)` is `86.4 %`.
#[must_use]
pub fn percent(share: f64, decimals: usize) -> String {
    with_unit(&number(share * 100.0, decimals), NARROW_SPACE, "%")
}

/// A difference of two shares in percentage points: `points(0.116)` is `11.6 pt`.
#[must_use]
pub fn points(difference: f64) -> String {
    with_unit(&number(difference * 100.0, 1), NO_BREAK_SPACE, "pt")
}

/// A ratio: `1.31×`, `12.4×`, `318×`.
#[must_use]
pub fn ratio(value: f64) -> String {
    let text = number(value, decimals_for(value, 3).min(2));
    if text == UNDEFINED { text } else { format!("{text}×") }
}

/// A size in bytes with decimal prefixes: `362 MB`, `1.9 GB`.
#[must_use]
pub fn bytes(size: u64) -> String {
    let (unit, symbol) = match size {
        0..1_000 => (1, "B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let value = size as f64 / f64::from(unit);
    with_unit(&number(value, usize::from(unit > 1 && value < 100.0)), NO_BREAK_SPACE, symbol)
}

/// A change: `text` of `value` with a `+` before what is above zero (and shows as more than zero).
#[must_use]
pub fn signed(value: f64, text: &str) -> String {
    let shows_more_than_zero = value > 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b));
    if shows_more_than_zero { format!("+{text}") } else { text.to_owned() }
}

/// `text` of the value, or [`UNDEFINED`].
#[must_use]
pub fn or_undefined(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| UNDEFINED.to_owned(), text)
}

/// A duration in the unit that suits it: `38 ms`, `4.8 s`, `60 min`, `15.5 h`, `2.9 d`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    DurationUnit::of(seconds).text(seconds)
}

/// A moment counted from the start, in its two largest units: `3 d 9 h`, `9 h 20 min`, `45 s`.
#[must_use]
pub fn elapsed(seconds: f64) -> String {
    if !seconds.is_finite() || seconds.abs() >= LARGEST_IN_DIGITS {
        return duration(seconds);
    }
    let size = seconds.abs();
    let (unit, part) = match size {
        s if s < 59.5 => return DurationUnit::Second.text(seconds.round()),
        s if s < 3_599.5 => (DurationUnit::Minute, DurationUnit::Second),
        s if s < 86_370.0 => (DurationUnit::Hour, DurationUnit::Minute),
        _ => (DurationUnit::Day, DurationUnit::Hour),
    };
    let parts = (size / part.seconds()).round();
    let parts_in_unit = unit.seconds() / part.seconds();
    let (whole, rest) = ((parts / parts_in_unit).floor(), parts % parts_in_unit);
    let mut text = unit.text(whole.copysign(seconds) * unit.seconds());
    if rest > 0.0 {
        text.push(NO_BREAK_SPACE);
        text.push_str(&part.text(rest * part.seconds()));
    }
    text
}

/// The unit of a duration; choose one for a whole column or axis, so that its values can be compared by eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DurationUnit {
    /// Thousandths of a second.
    Millisecond,
    /// Seconds.
    Second,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days of 24 hours.
    Day,
}

impl DurationUnit {
    /// The unit that suits one value: milliseconds below 1 s, seconds below 90 s, minutes below 90 min, hours
    /// below 36 h, else days.
    #[must_use]
    pub fn of(seconds: f64) -> Self {
        match seconds.abs() {
            s if s <= 0.0 => Self::Second,
            s if s < 0.999_5 => Self::Millisecond,
            s if s < 90.0 => Self::Second,
            s if s < 5_400.0 => Self::Minute,
            s if s < 129_600.0 => Self::Hour,
            _ => Self::Day,
        }
    }

    /// The unit that suits the middle one of `values` (undefined ones left out): the unit of a column.
    #[must_use]
    pub fn of_column(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sizes: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).map(f64::abs).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.get(sizes.len() / 2).map_or(Self::Second, |&middle| Self::of(middle))
    }

    /// Seconds in one unit.
    #[must_use]
    pub fn seconds(self) -> f64 {
        match self {
            Self::Millisecond => 1e-3,
            Self::Second => 1.0,
            Self::Minute => 60.0,
            Self::Hour => 3_600.0,
            Self::Day => 86_400.0,
        }
    }

    /// `ms`, `s`, `min`, `h` or `d`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Millisecond => "ms",
            Self::Second => "s",
            Self::Minute => "min",
            Self::Hour => "h",
            Self::Day => "d",
        }
    }

    /// The value in this unit, without the unit: at most three digits, decimals only where they say
    /// something.
    #[must_use]
    pub fn value_text(self, seconds: f64) -> String {
        let value = seconds / self.seconds();
        let is_whole = value.fract().abs() < 1e-9;
        let decimals = match value.abs() {
            _ if is_whole => 0,
            v if v < 0.995 => decimals_for(v, 2).min(3),
            v if v < 9.95 => 1,
            v if v < 99.95 && self >= Self::Hour => 1,
            _ => 0,
        };
        number(value, decimals)
    }

    /// The value in this unit, with the unit.
    #[must_use]
    pub fn text(self, seconds: f64) -> String {
        with_unit(&self.value_text(seconds), NO_BREAK_SPACE, self.symbol())
    }
}

/// What a value measures, and so how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// A share of 1, written in per cent.
    Share,
    /// Things that are counted.
    Count,
    /// One amount divided by another of its kind.
    Ratio,
    /// Seconds.
    Duration,
}

impl Quantity {
    /// One value, as in a read-out or a table.
    #[must_use]
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Share => percent(value, 1),
            Self::Count if value.fract().abs() < 1e-9 => number(value, 0),
            Self::Count => number(value, decimals_for(value, 3).min(1)),
            Self::Ratio => ratio(value),
            Self::Duration => duration(value),
        }
    }

    /// One tick of an axis whose ticks are `step` apart: as many decimals as the step has, and no more.
    #[must_use]
    pub fn tick_text(self, value: f64, step: f64) -> String {
        match self {
            Self::Share => percent(value, decimals_of_step(step * 100.0)),
            Self::Count | Self::Ratio => number(value, decimals_of_step(step)),
            Self::Duration => {
                let unit = DurationUnit::of(step);
                let text = number(value / unit.seconds(), decimals_of_step(step / unit.seconds()));
                with_unit(&text, NO_BREAK_SPACE, unit.symbol())
            }
        }
    }
}

fn with_unit(text: &str, space: char, unit: &str) -> String {
    if text == UNDEFINED { text.to_owned() } else { format!("{text}{space}{unit}") }
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Decimals that show `digits` significant digits of `value` after rounding; 0 for what is undefined.
fn decimals_for(value: f64, digits: usize) -> usize {
    if !value.is_finite() || value.abs() <= 0.0 {
        return 0;
    }
    let last = i32::try_from(digits.clamp(1, 15) - 1).unwrap_or(0);
    usize::try_from(last - exponent(value, last)).unwrap_or(0).min(MOST_DECIMALS)
}

/// The power of ten of `value` once rounded to `decimals` after its first digit.
fn exponent(value: f64, decimals: i32) -> i32 {
    let text = format!("{:.*e}", usize::try_from(decimals).unwrap_or(0), value);
    text.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0)
}

fn decimals_of_step(step: f64) -> usize {
    (0..MOST_DECIMALS).find(|&d| has_decimals(step, d)).unwrap_or(MOST_DECIMALS)
}

fn has_decimals(step: f64, decimals: usize) -> bool {
    let shown: f64 = format!("{step:.decimals$}").parse().unwrap_or(f64::NAN);
    (shown - step).abs() <= step.abs() * 1e-6
}

fn power_of_ten(value: f64) -> String {
    let text = format!("{:.1e}", value.abs());
    let (factor, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = power.chars().map(superscript).collect();
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    format!("{sign}{factor}{NO_BREAK_SPACE}×{NO_BREAK_SPACE}10{raised}")
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_numbers() {
        assert_eq!(number(1_482.0, 0), "1,482");
        assert_eq!(number(-1_234_567.891, 2), "−1,234,567.89");
        assert_eq!(number(-0.004, 2), "0.00", "no minus before what shows as zero");
        assert_eq!(number(999.999, 2), "1,000.00");
        assert_eq!(number(f64::NAN, 2), "–");
        assert_eq!(number(f64::NEG_INFINITY, 0), "–");
        assert_eq!(number(-3.2e17, 0), "−3.2\u{a0}×\u{a0}10¹⁷");
        assert_eq!(count(44_460), "44,460");
        assert_eq!(count(7), "7");
    }

    #[test]
    fn limits_significant_digits() {
        assert_eq!(significant(0.381_234, 3), "0.381");
        assert_eq!(significant(15.49, 3), "15.5");
        assert_eq!(significant(9.999, 3), "10.0");
        assert_eq!(significant(1_482.3, 3), "1,482");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(0.000_012, 3), "1.2\u{a0}×\u{a0}10⁻⁵");
    }

    #[test]
    fn writes_shares_points_and_ratios() {
        assert_eq!(percent(0.864, 1), "86.4\u{202f}%");
        assert_eq!(percent(-0.42, 0), "−42\u{202f}%");
        assert_eq!(percent(f64::NAN, 0), "–");
        assert_eq!(points(0.116), "11.6\u{a0}pt");
        assert_eq!(ratio(1.308), "1.31×");
        assert_eq!(ratio(12.44), "12.4×");
        assert_eq!(ratio(318.4), "318×");
        assert_eq!(ratio(f64::INFINITY), "–");
        assert_eq!(signed(0.17, &percent(0.17, 0)), "+17\u{202f}%");
        assert_eq!(signed(0.001, &percent(0.001, 0)), "0\u{202f}%");
        assert_eq!(signed(-0.3, &percent(-0.3, 0)), "−30\u{202f}%");
        assert_eq!(or_undefined(None, ratio), "–");
        assert_eq!(bytes(362_000_000), "362\u{a0}MB");
        assert_eq!(bytes(1_940_000_000), "1.9\u{a0}GB");
        assert_eq!(bytes(12), "12\u{a0}B");
    }

    #[test]
    fn chooses_the_unit_of_a_duration() {
        let texts = [0.0, 0.038, 4.8, 89.0, 90.0, 3_600.0, 5_399.0, 5_400.0, 55_800.0, 129_600.0, 250_560.0];
        let shown: Vec<String> = texts.iter().map(|&s| duration(s).replace('\u{a0}', " ")).collect();
        assert_eq!(
            shown,
            [
                "0 s", "38 ms", "4.8 s", "89 s", "1.5 min", "60 min", "90 min", "1.5 h", "15.5 h", "1.5 d",
                "2.9 d"
            ]
        );
        assert_eq!(duration(-250_560.0), "−2.9\u{a0}d");
        assert_eq!(duration(0.999_9), "1.0\u{a0}s");
        assert_eq!(duration(f64::NAN), "–");
    }

    #[test]
    fn one_unit_serves_a_column() {
        let unit = DurationUnit::of_column([40.0, 7_200.0, 9_000.0, f64::NAN]);
        assert_eq!(unit, DurationUnit::Hour);
        assert_eq!(unit.value_text(40.0), "0.011");
        assert_eq!(unit.value_text(7_200.0), "2");
        assert_eq!(unit.value_text(9_012.0), "2.5");
        assert_eq!(DurationUnit::of_column([]), DurationUnit::Second);
    }

    #[test]
    fn writes_moments() {
        let shown = |s: f64| elapsed(s).replace('\u{a0}', " ");
        assert_eq!(shown(0.0), "0 s");
        assert_eq!(shown(45.4), "45 s");
        assert_eq!(shown(59.9), "1 min");
        assert_eq!(shown(125.0), "2 min 5 s");
        assert_eq!(shown(33_600.0), "9 h 20 min");
        assert_eq!(shown(86_399.0), "1 d");
        assert_eq!(shown(291_600.0), "3 d 9 h");
        assert_eq!(shown(-291_600.0), "−3 d 9 h");
        assert_eq!(shown(f64::NAN), "–");
    }

    #[test]
    fn ticks_have_the_decimals_of_their_step() {
        assert_eq!(Quantity::Share.tick_text(0.25, 0.25), "25\u{202f}%");
        assert_eq!(Quantity::Share.tick_text(0.025, 0.025), "2.5\u{202f}%");
        assert_eq!(Quantity::Count.tick_text(1_500.0, 500.0), "1,500");
        assert_eq!(Quantity::Ratio.tick_text(1.0, 0.5), "1.0");
        assert_eq!(Quantity::Duration.tick_text(21_600.0, 10_800.0), "6\u{a0}h");
    }

    #[test]
    fn quantities_write_themselves() {
        assert_eq!(Quantity::Share.text(0.834), "83.4\u{202f}%");
        assert_eq!(Quantity::Count.text(17.0), "17");
        assert_eq!(Quantity::Count.text(17.25), "17.2");
        assert_eq!(Quantity::Count.text(1_017.25), "1,017");
        assert_eq!(Quantity::Ratio.text(0.984), "0.98×");
        assert_eq!(Quantity::Duration.text(f64::NAN), "–");
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::prelude::*;

    use super::*;

    /// Reads back what `number` wrote.
    fn parsed(text: &str) -> f64 {
        text.replace(',', "").replace(MINUS, "-").parse().unwrap_or(f64::NAN)
    }

    proptest! {
        #[test]
        fn a_number_reads_back_to_within_half_its_last_digit(value in -1e12..1e12_f64, decimals in 0_usize..6) {
            let unit = 10_f64.powi(-i32::try_from(decimals).unwrap());
            let error = (parsed(&number(value, decimals)) - value).abs();
            prop_assert!(error <= unit * 0.5 + value.abs() * 1e-15, "{error} off");
        }

        #[test]
        fn groups_hold_three_digits(value in any::<u64>()) {
            let text = count(value);
            prop_assert_eq!(text.replace(',', ""), value.to_string());
            let groups: Vec<&str> = text.split(',').collect();
            prop_assert!((1..=3).contains(&groups[0].len()));
            prop_assert!(groups[1..].iter().all(|group| group.len() == 3));
        }

        #[test]
        fn any_float_gives_short_printable_text(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            for text in [
                number(value, 2), significant(value, 3), percent(value, 1), points(value), ratio(value),
                duration(value), elapsed(value), Quantity::Count.text(value),
                Quantity::Share.tick_text(value, value),
                DurationUnit::Hour.text(value),
            ] {
                prop_assert!(!text.is_empty() && text.chars().count() <= 34, "{text:?} of {value:e}");
                prop_assert!(!text.contains("NaN") && !text.contains("inf") && !text.contains('-'), "{text:?}");
                prop_assert!(value.is_finite() || text == UNDEFINED, "{text:?} of {value:e}");
            }
        }

        #[test]
        fn a_duration_is_near_its_text(seconds in 0.001..1e9_f64) {
            let text = duration(seconds);
            let (value, symbol) = text.split_once(NO_BREAK_SPACE).unwrap();
            let small = [DurationUnit::Millisecond, DurationUnit::Second, DurationUnit::Minute];
            let mut units = small.into_iter().chain([DurationUnit::Hour, DurationUnit::Day]);
            let unit = units.find(|unit| unit.symbol() == symbol).unwrap();
            let read = parsed(value) * unit.seconds();
            prop_assert!((read - seconds).abs() <= seconds * 0.05, "{text} of {seconds} s");
        }

        #[test]
        fn a_longer_duration_never_reads_shorter(a in 0.0..1e7_f64, b in 0.0..1e7_f64) {
            let unit = DurationUnit::Hour;
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(parsed(&unit.value_text(low)) <= parsed(&unit.value_text(high)) + 0.051);
        }
    }
}
