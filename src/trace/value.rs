//! Values as they stand in a file, read from bytes without allocation: decimals, times, spans, GPU counts.
//!
//! Numbers are read as decimals into integers (microseconds, thousandths of a GPU), never through a float, so that what is
//! written comes back exactly. Nothing saturates: a value out of range is an error that says what was expected.

use std::borrow::Cow;
use std::cell::Cell;

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::{Offset, TimeZone};

use crate::trace::latin;
use crate::trace::short::{POWERS, Short};
use crate::units::{MICROS_PER_S, MilliGpus, SimSpan};

/// The latest time that is read, in seconds: the year 2255 as a date. Up to here microseconds are exact in a double.
pub const MAX_TIME_S: i64 = 9_000_000_000;
/// The longest run time that is read, in seconds: one hundred years.
pub const MAX_DURATION_S: i64 = 3_155_760_000;
/// The largest number of GPUs one job may ask for.
pub const MAX_GPUS: i64 = 65_536;
/// The largest memory need per device, in GB.
pub const MAX_MEMORY_GB: i64 = 1_000_000;

/// What is wrong with a value: what would have been right, and what may have gone wrong (may be empty).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) expected: &'static str,
    pub(super) hint: &'static str,
}

/// What the readers notice about the values of a whole import, and how local times are to be read.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Offset of times that are printed without a zone, in seconds east of UTC.
    utc_offset_s: i32,
    /// Instead of the offset, a zone whose offset changes.
    rules: Option<TimeZone>,
    /// Times read that the clock of the zone shows twice.
    pub(super) repeated_times: Cell<u64>,
    /// Times read that had no zone.
    pub(super) local_times: Cell<u64>,
    /// Texts read that are no UTF-8.
    pub(super) not_utf8: Cell<u64>,
    /// The last date read and its midnight: neighbouring records are mostly of one day.
    last_day: Cell<Option<([u8; 10], i64)>>,
}

impl Notes {
    /// Notes of an import whose local times are `utc_offset_s` east of UTC.
    pub(super) fn at_offset(utc_offset_s: i32) -> Self {
        Self { utc_offset_s, ..Self::default() }
    }

    /// Notes of an import whose local times are those of a zone.
    pub(super) fn in_zone(rules: TimeZone) -> Self {
        match rules.to_fixed_offset() {
            Ok(offset) => Self::at_offset(offset.seconds()),
            Err(_) => Self { rules: Some(rules), ..Self::default() },
        }
    }

    /// Bytes as text; what is no UTF-8 is read as Windows-1252 and counted.
    pub(super) fn text<'b>(&self, bytes: &'b [u8]) -> Cow<'b, str> {
        std::str::from_utf8(bytes).map_or_else(
            |_| {
                self.not_utf8.set(self.not_utf8.get() + 1);
                Cow::Owned(latin::decode(bytes))
            },
            Cow::Borrowed,
        )
    }

    /// A printed time without a zone as a point in time. One that the clock shows twice is the earlier of the two; one that it
    /// skips is as far behind the gap as it is printed into it.
    pub(super) fn local(&self, printed: i64) -> i64 {
        self.local_times.set(self.local_times.get() + 1);
        let fixed = printed - i64::from(self.utc_offset_s) * MICROS_PER_S;
        let Some(rules) = &self.rules else { return fixed };
        let Ok(as_utc) = Timestamp::from_microsecond(printed) else { return fixed };
        let choices = rules.to_ambiguous_timestamp(Offset::UTC.to_datetime(as_utc));
        self.repeated_times.set(self.repeated_times.get() + u64::from(choices.is_ambiguous()));
        choices.compatible().map_or(fixed, Timestamp::as_microsecond)
    }
}

/// Why text is no decimal that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Miss {
    NotNumber,
    TooLarge,
}

/// The decimal `text`, such as `-12.50` or `4e-4`, times 10^`places`, rounded half away from zero.
#[inline]
pub(super) fn fixed(text: &[u8], places: i32) -> Result<i64, Miss> {
    // Most decimals are short and plain.
    let plain = Short::of(text).zip(usize::try_from(places).ok());
    match plain.and_then(|(short, places)| short.decimal(places)).map(i64::try_from) {
        Some(Ok(value)) => Ok(value),
        _ => fixed_any(text, places),
    }
}

fn fixed_any(text: &[u8], places: i32) -> Result<i64, Miss> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let power = |exponent: u32| POWERS.get(exponent as usize).copied();
    let mut mantissa: u64 = 0;
    let mut scale = places;
    let mut digits = 0u32;
    let mut after_point = false;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                if mantissa < u64::MAX / 10 - 1 {
                    mantissa = mantissa * 10 + u64::from(byte - b'0');
                    scale -= i32::from(after_point);
                } else {
                    scale += i32::from(!after_point);
                }
            }
            b'.' if !after_point => after_point = true,
            b'e' | b'E' if digits > 0 => {
                scale = scale.saturating_add(exponent(&text[at + 1..]).ok_or(Miss::NotNumber)?);
                break;
            }
            _ => return Err(Miss::NotNumber),
        }
    }
    if digits == 0 {
        return Err(Miss::NotNumber);
    }
    let size = if mantissa == 0 {
        0
    } else if scale >= 0 {
        power(scale.unsigned_abs()).and_then(|p| mantissa.checked_mul(p)).ok_or(Miss::TooLarge)?
    } else {
        match power(scale.unsigned_abs()) {
            Some(divisor) => mantissa / divisor + u64::from(mantissa % divisor >= divisor.div_ceil(2)),
            None => 0,
        }
    };
    let size = i64::try_from(size).map_err(|_| Miss::TooLarge)?;
    Ok(if negative { -size } else { size })
}

/// The exponent of a decimal; beyond ±99,999 it makes no difference.
fn exponent(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(sign * digits.iter().fold(0i32, |sum, &d| (sum * 10 + i32::from(d - b'0')).min(99_999)))
}

/// `text` without ASCII blanks around it.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    match text {
        // Most have none.
        [b'!'..=u8::MAX, .., b'!'..=u8::MAX] => text,
        _ => text.trim_ascii(),
    }
}

/// Whether a cell says "no value": empty, or one of the words programs print for it. `NaN` is no such word: a number that is
/// not one is an error.
#[inline]
pub(super) fn is_missing(text: &[u8]) -> bool {
    // Most values are numbers.
    let is_number = text.first().is_some_and(u8::is_ascii_digit);
    !is_number && is_word_for_missing(text)
}

fn is_word_for_missing(text: &[u8]) -> bool {
    matches!(
        text,
        b"" | b"None" | b"none" | b"Unknown" | b"unknown" | b"null" | b"NULL" | b"N/A" | b"NaT" | b"\\N"
    )
}

/// What to say of a number that cannot be read.
fn number_hint(text: &[u8]) -> &'static str {
    if text.is_empty() {
        "the cell is empty"
    } else if text.eq_ignore_ascii_case(b"nan") {
        "NaN is no number; leave the cell empty if the value is unknown"
    } else if text.contains(&b',') {
        "write decimals with a point and thousands without a mark"
    } else {
        ""
    }
}

/// A point in time in microseconds of the source's own origin: a plain number of seconds, or a date and time. A date without
/// a zone is read as printed, at the offset of `notes`; an offset that is written is applied.
pub(super) fn time(text: &[u8], notes: &Notes) -> Result<i64, Bad> {
    const EXPECTED: &str = "seconds from 0 to 9,000,000,000, or a date that exists as YYYY-MM-DD HH:MM:SS";
    let bad = |hint| Bad { expected: EXPECTED, hint };
    if let Some(first) = text.first()
        && text.get(4) == Some(&b'-')
        && first.is_ascii_digit()
    {
        return date(text, notes).ok_or_else(|| {
            bad(if text.contains(&b'[') {
                "a zone name without an offset is not read; write the offset, as in +08:00"
            } else {
                "check the day and the time of day"
            })
        });
    }
    match fixed(text, 6) {
        Ok(micros) if micros < 0 => Err(bad("a time before the origin")),
        Ok(micros) if micros <= MAX_TIME_S * MICROS_PER_S => Ok(micros),
        Ok(_) | Err(Miss::TooLarge) => Err(bad("it looks like milliseconds or microseconds; write seconds")),
        Err(Miss::NotNumber) => date(text, notes).ok_or_else(|| {
            bad(match number_hint(text) {
                "" if text.contains(&b'/') => "write dates as YYYY-MM-DD",
                hint => hint,
            })
        }),
    }
}

/// An ISO 8601 date and time, with or without an offset, or with one of the words ` UTC` and ` GMT` behind it.
pub(super) fn date(text: &[u8], notes: &Notes) -> Option<i64> {
    const PARSER: DateTimeParser = DateTimeParser::new();
    let in_utc = |text: &[u8]| {
        let pieces =
            PARSER.parse_pieces(text).ok().filter(|pieces| pieces.time_zone_annotation().is_none())?;
        let offset = pieces.offset().map_or(0, |offset| offset.to_numeric_offset().seconds());
        let printed = pieces.date().to_datetime(pieces.time().unwrap_or_default());
        let printed = Offset::UTC.to_timestamp(printed).ok()?.as_microsecond();
        Some(printed - i64::from(offset) * MICROS_PER_S)
    };
    let at_utc = |civil: DateTime| Offset::UTC.to_timestamp(civil).ok().map(Timestamp::as_microsecond);
    let micros = if let Some((day, clock_s)) = plain_date(text) {
        let midnight = match notes.last_day.get() {
            Some((last_day, midnight)) if last_day == *day => midnight,
            _ => at_utc(PARSER.parse_date(day).ok()?.to_datetime(Time::midnight()))?,
        };
        notes.last_day.set(Some((*day, midnight)));
        notes.local(midnight + clock_s * MICROS_PER_S)
    } else if let Some(before) = before_zone_word(text) {
        in_utc(before)?
    } else {
        let pieces = PARSER.parse_pieces(text).ok()?;
        let printed = at_utc(pieces.date().to_datetime(pieces.time().unwrap_or_default()))?;
        match pieces.offset() {
            Some(offset) => printed - i64::from(offset.to_numeric_offset().seconds()) * MICROS_PER_S,
            None if pieces.time_zone_annotation().is_some() => return None,
            None => notes.local(printed),
        }
    };
    (0..=MAX_TIME_S * MICROS_PER_S).contains(&micros).then_some(micros)
}

/// What stands in front of ` UTC` or ` GMT`, and of the offset that Go prints in between.
fn before_zone_word(text: &[u8]) -> Option<&[u8]> {
    let (before, word) = text.split_at_checked(text.len().checked_sub(4)?)?;
    let is_zone = word.eq_ignore_ascii_case(b" utc") || word.eq_ignore_ascii_case(b" gmt");
    is_zone.then(|| trim(before.strip_suffix(b" +0000").unwrap_or(before)))
}

/// The commonest form, `YYYY-MM-DD HH:MM:SS` with a blank or T: the date, and the time of day in seconds.
fn plain_date(text: &[u8]) -> Option<(&[u8; 10], i64)> {
    let (day, rest) = text.split_first_chunk::<10>()?;
    let [b' ' | b'T', h1, h2, b':', m1, m2, b':', s1, s2] = rest else { return None };
    let two = |tens: &u8, ones: &u8, below: i64| {
        let value = i64::from(tens.wrapping_sub(b'0')) * 10 + i64::from(ones.wrapping_sub(b'0'));
        (tens.is_ascii_digit() && ones.is_ascii_digit() && value < below).then_some(value)
    };
    Some((day, two(h1, h2, 24)? * 3600 + two(m1, m2, 60)? * 60 + two(s1, s2, 60)?))
}

/// The unit of times that are plain numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Millisecond,
}

/// A point in time in `unit`; in seconds it may be a date as well.
pub(super) fn time_in(text: &[u8], unit: Unit, notes: &Notes) -> Result<i64, Bad> {
    const EXPECTED: &str = "milliseconds from 0 to 9,000,000,000,000";
    match unit {
        Unit::Second => time(text, notes),
        Unit::Millisecond => milliseconds(text, MAX_TIME_S, EXPECTED),
    }
}

/// A span in `unit`, zero or more.
pub(super) fn span_in(text: &[u8], unit: Unit) -> Result<SimSpan, Bad> {
    const EXPECTED: &str = "milliseconds from 0 to 3,155,760,000,000 (100 years)";
    match unit {
        Unit::Second => seconds(text),
        Unit::Millisecond => milliseconds(text, MAX_DURATION_S, EXPECTED).map(SimSpan),
    }
}

/// Milliseconds from 0 to `most_s` seconds, as microseconds.
fn milliseconds(text: &[u8], most_s: i64, expected: &'static str) -> Result<i64, Bad> {
    let hint = match fixed(text, 3) {
        Ok(micros) if (0..=most_s * MICROS_PER_S).contains(&micros) => return Ok(micros),
        Ok(micros) if micros < 0 => "a time cannot be negative",
        Ok(_) | Err(Miss::TooLarge) => "no time is that long; is this another column?",
        Err(Miss::NotNumber) => number_hint(text),
    };
    Err(Bad { expected, hint })
}

/// A span in seconds, zero or more.
pub(super) fn seconds(text: &[u8]) -> Result<SimSpan, Bad> {
    const EXPECTED: &str = "seconds from 0 to 3,155,760,000 (100 years)";
    match fixed(text, 6) {
        Ok(micros) if (0..=MAX_DURATION_S * MICROS_PER_S).contains(&micros) => Ok(SimSpan(micros)),
        Ok(micros) if micros < 0 => Err(Bad { expected: EXPECTED, hint: "a run time cannot be negative" }),
        Ok(_) | Err(Miss::TooLarge) => {
            Err(Bad { expected: EXPECTED, hint: "it may be in milliseconds or microseconds; write seconds" })
        }
        Err(Miss::NotNumber) => Err(Bad { expected: EXPECTED, hint: number_hint(text) }),
    }
}

/// A span as Slurm prints it: `[days-]hours:minutes:seconds` or `minutes:seconds`, seconds with or without a fraction.
pub(super) fn elapsed(text: &[u8]) -> Result<SimSpan, Bad> {
    let bad = Bad { expected: "a span as [days-]hours:minutes:seconds", hint: "" };
    let (days, clock) = match text.iter().position(|&b| b == b'-') {
        Some(dash) => (whole_digits(&text[..dash]).ok_or(bad)?, &text[dash + 1..]),
        None => (0, text),
    };
    let mut parts = clock.rsplit(|&b| b == b':');
    let seconds = parts.next().filter(|s| s.first().is_some_and(u8::is_ascii_digit)).ok_or(bad)?;
    let seconds = fixed(seconds, 6).map_err(|_| bad)?;
    let minutes = parts.next().and_then(whole_digits).ok_or(bad)?;
    let hours = parts.next().map_or(Some(0), whole_digits).ok_or(bad)?;
    if parts.next().is_some() || minutes > 59 || seconds >= 60 * MICROS_PER_S {
        return Err(bad);
    }
    let whole_s = (days * 24 + hours) * 3600 + minutes * 60;
    if whole_s > MAX_DURATION_S {
        return Err(Bad { expected: "a span of at most 100 years", hint: "" });
    }
    Ok(SimSpan(whole_s * MICROS_PER_S + seconds))
}

/// Up to seven digits and nothing else.
fn whole_digits(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 7 || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(text.iter().fold(0, |sum, &d| sum * 10 + i64::from(d - b'0')))
}

/// A number of GPUs, in thousandths.
pub(super) fn gpus(text: &[u8]) -> Result<MilliGpus, Bad> {
    gpu_count(text, 3, "a number of GPUs from 0 to 65,536")
}

/// A number of GPUs in percent of one, in thousandths of a GPU.
pub(super) fn gpu_percent(text: &[u8]) -> Result<MilliGpus, Bad> {
    gpu_count(text, 1, "a number of GPUs in percent of one, from 0 to 6,553,600")
}

/// A number of GPUs of which the decimal, times 10^`places`, is thousandths.
fn gpu_count(text: &[u8], places: i32, expected: &'static str) -> Result<MilliGpus, Bad> {
    let bad = |hint| Bad { expected, hint };
    match fixed(text, places) {
        Ok(milli) if milli < 0 => Err(bad("a request cannot be negative")),
        Ok(0) if text.iter().take_while(|b| !b"eE".contains(b)).any(|b| matches!(b, b'1'..=b'9')) => {
            Err(bad("the smallest share of a GPU that is told apart from none is 0.001"))
        }
        Ok(milli) if milli <= MAX_GPUS * 1000 => {
            u32::try_from(milli).map(MilliGpus).map_err(|_| bad("a request cannot be that large"))
        }
        Ok(_) | Err(Miss::TooLarge) => Err(bad("no cluster is that large; is this another column?")),
        Err(Miss::NotNumber) => Err(bad(number_hint(text))),
    }
}

/// GPUs of equal workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gang {
    /// Over all workers.
    pub(super) gpus: MilliGpus,
    /// How many they are, if each has less than one GPU; whole GPUs are one worker each.
    pub(super) workers: Option<u32>,
}

/// `workers` workers of `each` GPUs.
pub(super) fn gang(each: MilliGpus, workers: u32) -> Result<Gang, Bad> {
    const BAD: Bad = Bad { expected: "at most 65,536 GPUs over all workers", hint: "" };
    let milli = u64::from(each.0) * u64::from(workers);
    let gpus = u32::try_from(milli).ok().filter(|&milli| i64::from(milli) <= MAX_GPUS * 1000).ok_or(BAD)?;
    Ok(Gang { gpus: MilliGpus(gpus), workers: (workers > 0 && each.is_fractional()).then_some(workers) })
}

/// A point in time in whole microseconds of the source's own origin.
pub(super) fn microseconds(text: &[u8]) -> Result<i64, Bad> {
    const EXPECTED: &str = "microseconds from 0 to 9,000,000,000,000,000";
    match fixed(text, 0) {
        Ok(micros) if (0..=MAX_TIME_S * MICROS_PER_S).contains(&micros) => Ok(micros),
        Ok(_) | Err(Miss::TooLarge) => Err(Bad { expected: EXPECTED, hint: "" }),
        Err(Miss::NotNumber) => Err(Bad { expected: EXPECTED, hint: number_hint(text) }),
    }
}

/// A number of workers.
pub(super) fn workers(text: &[u8]) -> Result<u32, Bad> {
    const BAD: Bad = Bad { expected: "a whole number of workers from 1 to 65,536", hint: "" };
    whole(text).filter(|n| (1..=MAX_GPUS).contains(n)).and_then(|n| u32::try_from(n).ok()).ok_or(BAD)
}

/// The fewest slots of a seven-slot device.
pub(super) fn min_slots(text: &[u8]) -> Result<u8, Bad> {
    const BAD: Bad = Bad { expected: "a whole number of slots from 0 to 7", hint: "0 means unknown" };
    whole(text).filter(|n| (0..=7).contains(n)).and_then(|n| u8::try_from(n).ok()).ok_or(BAD)
}

/// Memory in GB, as MB (1 GB = 1000 MB).
pub(super) fn memory_mb(text: &[u8]) -> Result<u32, Bad> {
    const BAD: Bad = Bad { expected: "GB per device from 0 to 1,000,000", hint: "0 means unknown" };
    let mb = fixed(text, 3).map_err(|_| BAD)?;
    u32::try_from(mb).ok().filter(|_| mb <= MAX_MEMORY_GB * 1000).ok_or(BAD)
}

/// A whole number, also if it is written `32.0`.
pub(super) fn whole(text: &[u8]) -> Option<i64> {
    let milli = fixed(text, 3).ok()?;
    (milli % 1000 == 0).then_some(milli / 1000)
}

/// Writes an integer number of 10^-`places` as a decimal without trailing zeros: the inverse of reading.
pub(super) struct Decimal {
    pub(super) value: i64,
    pub(super) places: usize,
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unit = 10u64.pow(u32::try_from(self.places).unwrap_or(0));
        let size = self.value.unsigned_abs();
        if self.value < 0 {
            f.write_str("-")?;
        }
        write!(f, "{}", size / unit)?;
        if !size.is_multiple_of(unit) {
            let fraction = format!("{:0width$}", size % unit, width = self.places);
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_read_exactly_and_rounded_half_away() {
        assert_eq!(fixed(b"487.661836", 6), Ok(487_661_836));
        assert_eq!(fixed(b"475.00000000000006", 6), Ok(475_000_000));
        assert_eq!(fixed(b"10.0", 3), Ok(10_000));
        assert_eq!(fixed(b"4e-4", 6), Ok(400));
        assert_eq!(fixed(b"1.5E3", 0), Ok(1500));
        assert_eq!(fixed(b"-0.0015", 3), Ok(-2));
        assert_eq!(fixed(b".5", 3), Ok(500));
        assert_eq!(fixed(b"5.", 3), Ok(5000));
        assert_eq!(fixed(b"0e999999", 3), Ok(0));
        assert_eq!(fixed(b"1e-300", 3), Ok(0));
        assert_eq!(fixed(b"0.00000000000000000000000000000001", 3), Ok(0));
        assert_eq!(fixed(b"1e300", 3), Err(Miss::TooLarge));
        assert_eq!(fixed(b"123456789012345678901234567890", 0), Err(Miss::TooLarge));
        for wrong in ["", "-", ".", "NaN", "inf", "1.2.3", "1e", "1e+", "0x10", "1_000", "1,5", "e5", "--1"] {
            assert_eq!(fixed(wrong.as_bytes(), 3), Err(Miss::NotNumber), "{wrong}");
        }
    }

    #[test]
    fn times_are_seconds_or_dates_and_only_written_offsets_are_applied() {
        let notes = Notes::default();
        assert_eq!(time(b"1591728061", &notes), Ok(1_591_728_061_000_000));
        assert_eq!(time(b"2020-06-09 18:41:01", &notes), Ok(1_591_728_061_000_000));
        assert_eq!(time(b"2020-06-09T18:41:01", &notes), Ok(1_591_728_061_000_000));
        assert_eq!(time(b"2020-06-09T18:41", &notes), Ok(1_591_728_060_000_000));
        assert_eq!(time(b"2016-12-31 23:59:60", &notes), Ok(1_483_228_799_000_000));
        assert_eq!(time(b"2020-06-09 18:41:01.25", &notes), Ok(1_591_728_061_250_000));
        assert_eq!(time(b"2020-06-10 00:00:00", &notes), Ok(1_591_747_200_000_000));
        notes.local_times.set(2);
        assert_eq!(time(b"2023-03-01 00:18:22+08:00", &notes), Ok(1_677_601_102_000_000));
        assert_eq!(time(b"2023-05-17T11:00:58Z", &notes), Ok(1_684_321_258_000_000));
        assert_eq!(notes.local_times.get(), 2);
        let china = Notes::at_offset(8 * 3600);
        assert_eq!(time(b"2023-03-01 00:18:22", &china), Ok(1_677_601_102_000_000));
        for wrong in [
            "2017-11-31 08:12",
            "1969-12-31 23:59:59",
            "2020-13-01",
            "-5",
            "1e300",
            "NaN",
            "",
            "1591728061000",
        ] {
            assert!(time(wrong.as_bytes(), &notes).is_err(), "{wrong}");
        }
        assert!(time(b"1591728061000", &notes).is_err_and(|bad| bad.hint.contains("milliseconds")));
    }

    #[test]
    fn slurm_spans() {
        assert_eq!(elapsed(b"10-13:27:06"), Ok(SimSpan(912_426_000_000)));
        assert_eq!(elapsed(b"00:00:24"), Ok(SimSpan(24_000_000)));
        assert_eq!(elapsed(b"00:23.779"), Ok(SimSpan(23_779_000)));
        for wrong in
            ["", "24", "-00:00:24", "1:60:00", "00:00:61", "x-00:00:01", "1:2:3:4", "00:-1:00", "0:0:-1"]
        {
            assert!(elapsed(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(elapsed(b"9999999-00:00:00").is_err());
    }

    #[test]
    fn gpu_counts_never_vanish_or_saturate() {
        assert_eq!(gpus(b"0.25"), Ok(MilliGpus(250)));
        assert_eq!(gpus(b"8"), Ok(MilliGpus(8000)));
        assert_eq!(gpus(b"0"), Ok(MilliGpus(0)));
        assert_eq!(gpus(b"65536"), Ok(MilliGpus(65_536_000)));
        for wrong in ["-1", "65537", "1e300", "NaN", "", "0.0001", "8 GPUs"] {
            assert!(gpus(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn workers_with_a_part_of_a_gpu_are_counted_and_whole_gpus_are_workers() {
        let of = |each, count| gang(MilliGpus(each), count);
        assert_eq!(of(500, 3), Ok(Gang { gpus: MilliGpus(1500), workers: Some(3) }));
        assert_eq!(of(8000, 94), Ok(Gang { gpus: MilliGpus(752_000), workers: None }));
        assert_eq!(of(500, 0), Ok(Gang { gpus: MilliGpus(0), workers: None }));
        assert!(of(65_536_000, 2).is_err() && of(u32::MAX, u32::MAX).is_err());
    }

    #[test]
    fn percents_of_a_gpu() {
        assert_eq!(gpu_percent(b"25.0"), Ok(MilliGpus(250)));
        assert_eq!(gpu_percent(b"800"), Ok(MilliGpus(8000)));
        assert!(gpu_percent(b"-1").is_err() && gpu_percent(b"").is_err() && gpu_percent(b"6553601").is_err());
    }

    #[test]
    fn microseconds_are_whole_and_reach_as_far_as_seconds() {
        assert_eq!(microseconds(b"5835000000"), Ok(5_835_000_000));
        assert_eq!(microseconds(b"9000000000000000"), Ok(MAX_TIME_S * MICROS_PER_S));
        for wrong in ["", "-1", "9000000000000001", "x", "1e300"] {
            assert!(microseconds(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_written_decimal_reads_back(value in any::<i64>().prop_map(|v| v / 4), places in 0usize..7) {
            let written = Decimal { value, places }.to_string();
            prop_assert_eq!(fixed(written.as_bytes(), places as i32), Ok(value), "{}", written);
        }

        #[test]
        fn no_bytes_make_a_value_reader_panic(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let notes = Notes::default();
            let _ = (time(&text, &notes), seconds(&text), elapsed(&text), gpus(&text), workers(&text));
            let _ = (min_slots(&text), memory_mb(&text));
        }

        #[test]
        fn plain_decimals_are_read_as_any_others(text in "[0-9]{0,9}[.]?[0-9]{0,8}", places in 0i32..7) {
            prop_assert_eq!(fixed(text.as_bytes(), places), fixed_any(text.as_bytes(), places));
        }

        #[test]
        fn spans_agree_with_floating_point(whole in 0i64..3_000_000_000, micros in 0i64..1_000_000) {
            let text = format!("{whole}.{micros:06}");
            prop_assert_eq!(seconds(text.as_bytes()), Ok(SimSpan(whole * MICROS_PER_S + micros)));
        }
    }
}
