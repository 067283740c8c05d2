//! Numbers, times, spans, GPUs and memory in the units of a mapping. Everything is read into integers, never through a float.

use super::columns::{GpuUnit, MemoryUnit, TimeUnit};
use super::date::{self, Order};
use crate::trace::value::{self, Bad, MAX_DURATION_S, MAX_GPUS, MAX_MEMORY_GB, MAX_TIME_S, Miss, Notes};
use crate::units::{MICROS_PER_S, SimSpan};

/// Decimals that are read of a number, and the fraction by which it becomes microseconds.
struct Scale {
    places: i32,
    times: i128,
    over: i128,
}

/// The scale of a unit that is a number.
fn scale(unit: TimeUnit) -> Option<Scale> {
    let (places, times, over) = match unit {
        TimeUnit::Ns => (0, 1, 1000),
        TimeUnit::Us => (0, 1, 1),
        TimeUnit::Ms => (3, 1, 1),
        TimeUnit::S => (6, 1, 1),
        TimeUnit::Min => (10, 60, 10_000),
        TimeUnit::H => (12, 3600, 1_000_000),
        TimeUnit::D | TimeUnit::Serial => (12, 86_400, 1_000_000),
        TimeUnit::Clock | TimeUnit::ClockHm | TimeUnit::Date | TimeUnit::DateDmy | TimeUnit::DateMdy => {
            return None;
        }
    };
    Some(Scale { places, times, over })
}

impl Scale {
    /// A number in microseconds, rounded half away from zero.
    fn micros(&self, text: &[u8]) -> Result<i64, Miss> {
        let value = i128::from(value::fixed(text, self.places)?) * self.times;
        let half = self.over / 2 * value.signum();
        i64::try_from((value + half) / self.over).map_err(|_| Miss::TooLarge)
    }
}

/// A point in time in microseconds of the source's own origin.
pub(super) fn moment(text: &[u8], unit: TimeUnit, notes: &Notes) -> Result<i64, Bad> {
    let expected = expected_moment(unit);
    let bad = |hint| Bad { expected, hint };
    let micros = match (scale(unit), unit) {
        (Some(scale), TimeUnit::Serial) => {
            // Spreadsheets have no finer times than milliseconds, and write them as binary fractions of a day.
            let micros = scale.micros(text).map_err(|miss| bad(number_hint(text, miss)))?;
            let millis = (micros + 500).div_euclid(1000);
            notes.local(millis * 1000 - SERIAL_EPOCH_S * MICROS_PER_S)
        }
        (Some(scale), _) => scale.micros(text).map_err(|miss| bad(number_hint(text, miss)))?,
        (None, TimeUnit::Clock | TimeUnit::ClockHm) => clock(text, unit)?.0,
        (None, _) => printed(text, unit, notes).ok_or_else(|| bad(date_hint(text)))?,
    };
    if micros < 0 {
        return Err(bad("a time before the origin"));
    }
    if micros > MAX_TIME_S * MICROS_PER_S {
        return Err(bad("that is after the year 2255; the unit is probably a smaller one"));
    }
    Ok(micros)
}

/// A length of time.
pub(super) fn span(text: &[u8], unit: TimeUnit) -> Result<SimSpan, Bad> {
    let expected = expected_span(unit);
    let bad = |hint| Bad { expected, hint };
    let Some(scale) = scale(unit) else { return clock(text, unit) };
    let micros = scale.micros(text).map_err(|miss| bad(number_hint(text, miss)))?;
    if micros < 0 {
        return Err(bad("a length of time cannot be negative"));
    }
    if micros > MAX_DURATION_S * MICROS_PER_S {
        return Err(bad("that is more than 100 years; the unit is probably a smaller one"));
    }
    Ok(SimSpan(micros))
}

/// From 30 December 1899 to 1970.
const SERIAL_EPOCH_S: i64 = 25_569 * 86_400;

/// A span by the units [`TimeUnit::Clock`] and [`TimeUnit::ClockHm`].
fn clock(text: &[u8], unit: TimeUnit) -> Result<SimSpan, Bad> {
    if unit == TimeUnit::ClockHm && text.iter().filter(|&&b| b == b':').count() == 1 {
        return days_and_clock(&[text, b":00"].concat());
    }
    days_and_clock(text).or_else(|bad| in_words(text).ok_or(bad))
}

/// `1d 2h 3m 4s`, also in longer words, and ISO 8601's `P1DT2H3M4S`.
fn in_words(text: &[u8]) -> Option<SimSpan> {
    // LSF leaves the choice to the reader: `30 second(s)`.
    let text = std::str::from_utf8(text).ok()?.replace("(s)", "s");
    let span: jiff::Span = text.parse().ok()?;
    let length = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?;
    let micros = i64::try_from(length.as_micros()).ok()?;
    (0..=MAX_DURATION_S * MICROS_PER_S).contains(&micros).then_some(SimSpan(micros))
}

/// `[D-]HH:MM:SS`, `MM:SS`, or `N days HH:MM:SS`.
fn days_and_clock(text: &[u8]) -> Result<SimSpan, Bad> {
    let plain = || value::elapsed(text);
    let Some(at) = text.iter().position(|&b| b == b'd').filter(|&at| at > 0) else { return plain() };
    let (days, rest) = text.split_at_checked(at).unwrap_or((text, b""));
    let days = value::trim(days);
    let rest =
        rest.strip_prefix(b"days").or(rest.strip_prefix(b"day")).or(rest.strip_prefix(b"d")).unwrap_or(rest);
    let rest = value::trim(rest.strip_prefix(b",").unwrap_or(rest));
    let bad = Bad { expected: expected_span(TimeUnit::Clock), hint: "" };
    let days = value::whole(days).filter(|days| (0..=36_525).contains(days)).ok_or(bad)?;
    let of_day = if rest.is_empty() { SimSpan::ZERO } else { value::elapsed(rest)? };
    let micros = days * 86_400 * MICROS_PER_S + of_day.0;
    if micros > MAX_DURATION_S * MICROS_PER_S { Err(bad) } else { Ok(SimSpan(micros)) }
}

/// A date, read at the zone of `notes` if it has no offset.
fn printed(text: &[u8], unit: TimeUnit, notes: &Notes) -> Option<i64> {
    let order = match unit {
        TimeUnit::DateDmy => Order::DayMonthYear,
        TimeUnit::DateMdy => Order::MonthDayYear,
        _ => {
            let is_date = text.get(4) == Some(&b'-');
            if let Some(micros) = is_date.then(|| value::date(text, notes)).flatten() {
                return Some(micros);
            }
            Order::YearMonthDay
        }
    };
    let text = std::str::from_utf8(text).ok()?;
    let named = || (unit == TimeUnit::Date).then(|| date::read_named(text)).flatten();
    let date = date::read(text, order).or_else(named)?;
    Some(match date.offset_s {
        Some(offset_s) => date.micros - i64::from(offset_s) * MICROS_PER_S,
        None => notes.local(date.micros),
    })
}

/// A number of GPUs in thousandths, times `each`: how many nodes or workers have that number.
pub(super) fn milli_gpus(text: &[u8], unit: GpuUnit, each: u32) -> Result<u32, Bad> {
    let (places, expected) = match unit {
        GpuUnit::Count => (3, "a number of GPUs from 0 to 65,536"),
        GpuUnit::Percent => (1, "hundredths of a GPU from 0 to 6,553,600"),
        GpuUnit::Milli => (0, "thousandths of a GPU from 0 to 65,536,000"),
    };
    let bad = |hint| Bad { expected, hint };
    let milli = value::fixed(text, places).map_err(|miss| bad(number_hint(text, miss)))?;
    if milli < 0 {
        return Err(bad("a request cannot be negative"));
    }
    let is_written = text.iter().take_while(|b| !b"eE".contains(b)).any(|b| matches!(b, b'1'..=b'9'));
    if milli == 0 && is_written {
        return Err(bad("the smallest share of a GPU that is told apart from none is 0.001"));
    }
    let all = i128::from(milli) * i128::from(each);
    u32::try_from(all)
        .ok()
        .filter(|_| all <= i128::from(MAX_GPUS) * 1000)
        .ok_or_else(|| bad("no cluster is that large; is this another column, or another unit?"))
}

/// Memory in MB, rounded up: a device must have all of it.
pub(super) fn memory_mb(text: &[u8], unit: MemoryUnit) -> Result<u32, Bad> {
    let bad = |hint| Bad { expected: "memory of a device up to 1,000,000 GB", hint };
    let kilo = value::fixed(text, 3).map_err(|miss| bad(number_hint(text, miss)))?;
    let (times, over) = match unit {
        MemoryUnit::Gb => (1000i128, 1000i128),
        MemoryUnit::Mb => (1, 1000),
        MemoryUnit::Gib => (1 << 30, 1_000_000_000),
        MemoryUnit::Mib => (1 << 20, 1_000_000_000),
    };
    let product = i128::from(kilo) * times;
    let mb = (product + over - 1).div_euclid(over);
    u32::try_from(mb)
        .ok()
        .filter(|_| mb <= i128::from(MAX_MEMORY_GB) * 1000)
        .ok_or_else(|| bad("is this another unit?"))
}

fn expected_moment(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ns => "nanoseconds, a number from 0 to 9e18",
        TimeUnit::Us => "microseconds, a number from 0 to 9e15",
        TimeUnit::Ms => "milliseconds, a number from 0 to 9e12",
        TimeUnit::S => "seconds, a number from 0 to 9e9",
        TimeUnit::Min => "minutes, a number from 0 to 1.5e8",
        TimeUnit::H => "hours, a number from 0 to 2.5e6",
        TimeUnit::D => "days, a number from 0 to 104,166",
        TimeUnit::Clock => "a time as [days-]hours:minutes:seconds",
        TimeUnit::ClockHm => "a time as [days-]hours:minutes",
        TimeUnit::Serial => "days since 30 December 1899, a number from 25,569 to 129,735",
        TimeUnit::Date => "a date that exists, as YYYY-MM-DD HH:MM:SS",
        TimeUnit::DateDmy => "a date that exists, as DD.MM.YYYY HH:MM:SS",
        TimeUnit::DateMdy => "a date that exists, as MM/DD/YYYY HH:MM:SS",
    }
}

fn expected_span(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Ns => "nanoseconds from 0 to 100 years",
        TimeUnit::Us => "microseconds from 0 to 100 years",
        TimeUnit::Ms => "milliseconds from 0 to 100 years",
        TimeUnit::Min => "minutes from 0 to 100 years",
        TimeUnit::H => "hours from 0 to 100 years",
        TimeUnit::D => "days from 0 to 100 years",
        TimeUnit::Clock => "a span as [days-]hours:minutes:seconds, or as 1d 2h 3m 4s",
        TimeUnit::ClockHm => "a span as [days-]hours:minutes",
        TimeUnit::S | TimeUnit::Date | TimeUnit::DateDmy | TimeUnit::DateMdy | TimeUnit::Serial => {
            "seconds from 0 to 100 years"
        }
    }
}

/// What to say of a number that cannot be read.
fn number_hint(text: &[u8], miss: Miss) -> &'static str {
    let has = |byte: u8| text.contains(&byte);
    if miss == Miss::TooLarge {
        "the number is too large; the unit is probably a smaller one"
    } else if text.is_empty() {
        "the cell is empty"
    } else if has(b':') && text.get(4) == Some(&b'-') {
        "it looks like a date; choose the unit date"
    } else if has(b':') {
        "it looks like hours:minutes:seconds; choose the unit clock"
    } else if has(b',') {
        "thousands must have no mark; if this is a decimal comma, choose it"
    } else {
        ""
    }
}

/// What to say of a date that cannot be read.
fn date_hint(text: &[u8]) -> &'static str {
    if text.is_empty() {
        "the cell is empty"
    } else if value::fixed(text, 0).is_ok() {
        "it is a number; choose the unit it is in"
    } else if text.contains(&b'[') {
        "a zone name without an offset is not read; write the offset, as in +08:00"
    } else if text.contains(&b'/') || text.contains(&b'.') {
        "check the order of day and month"
    } else {
        "check the day and the time of day"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_every_unit_are_exact() {
        for (text, unit, micros) in [
            ("1500", TimeUnit::Ns, 2),
            ("12", TimeUnit::Us, 12),
            ("5095000", TimeUnit::Ms, 5_095_000_000),
            ("0.000001", TimeUnit::S, 1),
            ("1.5", TimeUnit::Min, 90_000_000),
            ("0.0166666667", TimeUnit::Min, 1_000_000),
            ("0.000277777777778", TimeUnit::H, 1_000_000),
            ("184", TimeUnit::D, 184 * 86_400_000_000),
            ("90:00:01", TimeUnit::Clock, 324_001_000_000),
            ("10-13:27:06", TimeUnit::Clock, 912_426_000_000),
            ("2 days, 1:00:00", TimeUnit::Clock, 176_400_000_000),
            ("0 days 00:00:01.5", TimeUnit::Clock, 1_500_000),
            ("1 day", TimeUnit::Clock, 86_400_000_000),
            ("25h 1m 1s", TimeUnit::Clock, 90_061_000_000),
            ("1d 01:01:01", TimeUnit::Clock, 90_061_000_000),
            ("1 hour, 30 mins", TimeUnit::Clock, 5_400_000_000),
            ("30 second(s)", TimeUnit::Clock, 30_000_000),
            ("0h0m30s", TimeUnit::Clock, 30_000_000),
            ("PT1M30.5S", TimeUnit::Clock, 90_500_000),
            ("P1DT1H", TimeUnit::Clock, 90_000_000_000),
            ("10:30", TimeUnit::Clock, 630_000_000),
            ("10:30", TimeUnit::ClockHm, 37_800_000_000),
            ("1-10:30:05", TimeUnit::ClockHm, 124_205_000_000),
        ] {
            assert_eq!(span(text.as_bytes(), unit), Ok(SimSpan(micros)), "{text} {unit:?}");
        }
        for (text, unit) in [
            ("-1", TimeUnit::S),
            ("1e300", TimeUnit::D),
            ("36526", TimeUnit::D),
            ("x days", TimeUnit::Clock),
            ("99999 days", TimeUnit::Clock),
            ("24", TimeUnit::Clock),
            ("-30s", TimeUnit::Clock),
            ("1 month", TimeUnit::Clock),
            ("P200Y", TimeUnit::Clock),
            ("10:61", TimeUnit::ClockHm),
            ("", TimeUnit::H),
        ] {
            assert!(span(text.as_bytes(), unit).is_err(), "{text} {unit:?}");
        }
    }

    #[test]
    fn the_same_moment_in_every_unit() {
        let notes = Notes::default();
        let moment_s = 1_591_728_061;
        for (text, unit) in [
            ("1591728061000000000", TimeUnit::Ns),
            ("1591728061000000", TimeUnit::Us),
            ("1591728061000", TimeUnit::Ms),
            ("1591728061", TimeUnit::S),
            ("1.591728061e9", TimeUnit::S),
            ("2020-06-09 18:41:01", TimeUnit::Date),
            ("2020-06-10T02:41:01+08:00", TimeUnit::Date),
            ("2020/6/9 18:41:01", TimeUnit::Date),
            ("9.6.2020 18:41:01", TimeUnit::DateDmy),
            ("6/9/2020 6:41:01 PM", TimeUnit::DateMdy),
            ("Tue Jun  9 18:41:01 2020", TimeUnit::Date),
            ("43991.778483796296", TimeUnit::Serial),
        ] {
            assert_eq!(moment(text.as_bytes(), unit, &notes), Ok(moment_s * MICROS_PER_S), "{text}");
        }
        assert_eq!(notes.local_times.get(), 6);
        let milli = moment(b"1591728061000", TimeUnit::S, &notes).unwrap_err();
        assert!(milli.hint.contains("smaller"), "{milli:?}");
        let date = moment(b"2020-06-09 18:41:01", TimeUnit::S, &notes).unwrap_err();
        assert!(date.hint.contains("date"), "{date:?}");
        let number = moment(b"1591728061", TimeUnit::Date, &notes).unwrap_err();
        assert!(number.hint.contains("number"), "{number:?}");
    }

    #[test]
    fn gpus_in_every_unit_never_vanish_or_saturate() {
        assert_eq!(milli_gpus(b"0.25", GpuUnit::Count, 1), Ok(250));
        assert_eq!(milli_gpus(b"25.0", GpuUnit::Percent, 1), Ok(250));
        assert_eq!(milli_gpus(b"50", GpuUnit::Percent, 2), Ok(1000));
        assert_eq!(milli_gpus(b"470", GpuUnit::Milli, 1), Ok(470));
        assert_eq!(milli_gpus(b"8", GpuUnit::Count, 94), Ok(752_000));
        assert_eq!(milli_gpus(b"0", GpuUnit::Percent, 3), Ok(0));
        for (text, unit, each) in [
            ("-1", GpuUnit::Count, 1),
            ("65537", GpuUnit::Count, 1),
            ("8", GpuUnit::Count, u32::MAX),
            ("0.04", GpuUnit::Percent, 1),
            ("0.4", GpuUnit::Milli, 1),
            ("8 GPUs", GpuUnit::Count, 1),
        ] {
            assert!(milli_gpus(text.as_bytes(), unit, each).is_err(), "{text}");
        }
    }

    #[test]
    fn memory_is_rounded_up_to_whole_mb() {
        assert_eq!(memory_mb(b"16", MemoryUnit::Gb), Ok(16_000));
        assert_eq!(memory_mb(b"16", MemoryUnit::Gib), Ok(17_180));
        assert_eq!(memory_mb(b"1.5", MemoryUnit::Mb), Ok(2));
        assert_eq!(memory_mb(b"1024", MemoryUnit::Mib), Ok(1_074));
        assert!(memory_mb(b"-1", MemoryUnit::Gb).is_err());
        assert!(memory_mb(b"1000001", MemoryUnit::Gb).is_err());
    }
}
