//! Dates that are not ISO 8601: other orders of day, month and year, one-digit parts, names of months, AM and PM.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

/// In which order a date has its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

/// A date with its time of day, in microseconds since 1970 as printed, and the offset if one is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) micros: i64,
    pub(super) offset_s: Option<i32>,
}

/// The beginnings of the names of months.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The beginnings of the names of days.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Reads a date such as `31.12.2023 14:05`, `12/31/2023 2:05:09 PM`, `5-Mar-2024` or `2024/3/5T1:02Z`.
pub(super) fn read(text: &str, order: Order) -> Option<Printed> {
    let text = text.trim();
    let split = text.find(['T', ' ']).unwrap_or(text.len());
    let (day, rest) = text.split_at_checked(split)?;
    let mut parts = day.split(['-', '/', '.']);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    // With the year first two digits would be anything.
    if parts.next().is_some() || (order == Order::YearMonthDay && first.len() != 4) {
        return None;
    }
    let (year, month, day) = match order {
        Order::YearMonthDay => (first, second, third),
        Order::DayMonthYear => (third, second, first),
        Order::MonthDayYear => (third, first, second),
    };
    printed((year_of(year)?, month_of(month)?, number(day, 2)?), rest.trim_start_matches(['T', ' ']))
}

/// The moment of a day (year, month, day) and a time of day.
fn printed((year, month, day): (i16, i8, i16), clock: &str) -> Option<Printed> {
    let date = Date::new(year, month, day.try_into().ok()?).ok()?;
    let (time, offset_s) = time_of_day(clock)?;
    let moment = Offset::UTC.to_timestamp(DateTime::from_parts(date, time)).ok()?;
    Some(Printed { micros: moment.as_microsecond(), offset_s })
}

/// Reads a date in which the month has a name and stands apart: `Mar 03 2025 08:22:11`, `Mon, 3 Mar 2025 8:22 AM +0100`,
/// `Mon Mar  3 08:22:11 2025`.
pub(super) fn read_named(text: &str) -> Option<Printed> {
    let (mut year, mut month, mut day) = (None, None, None);
    let (mut clock, mut half, mut offset) = ("", "", "");
    for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        let known = match word.as_bytes() {
            [b'0'..=b'9', ..] if word.contains(':') => std::mem::replace(&mut clock, word).is_empty(),
            [b'0'..=b'9', ..] if word.len() == 4 => year.replace(number(word, 4)?).is_none(),
            [b'0'..=b'9', ..] => {
                day.replace(number(word.trim_end_matches(['.', 's', 't', 'n', 'd', 'r', 'h']), 2)?).is_none()
            }
            _ if ["AM", "PM", "am", "pm"].contains(&word) => std::mem::replace(&mut half, word).is_empty(),
            [b'+' | b'-', ..] | b"Z" | b"UTC" | b"GMT" => std::mem::replace(&mut offset, word).is_empty(),
            _ => match month_of(word.trim_end_matches('.')) {
                Some(found) => month.replace(found).is_none(),
                None => {
                    DAYS.iter().any(|day| word.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(day)))
                }
            },
        };
        if !known {
            return None;
        }
    }
    printed((year?, month?, day?), &format!("{clock}{half}{offset}"))
}

/// Up to `most` digits and nothing else.
fn number(text: &str, most: usize) -> Option<i16> {
    let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A year of four digits, or of two: 70 to 99 are of the last century.
fn year_of(text: &str) -> Option<i16> {
    match text.len() {
        4 => number(text, 4),
        2 => number(text, 2).map(|year| if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

/// A month by its number or its name.
fn month_of(text: &str) -> Option<i8> {
    if let Some(month) = number(text, 2) {
        return month.try_into().ok();
    }
    let name = text.get(..3)?.to_ascii_lowercase();
    let is_name = text.bytes().all(|b| b.is_ascii_alphabetic());
    MONTHS.iter().position(|month| is_name && *month == name).map(|at| at as i8 + 1)
}

/// `14:05`, `2:05:09.25 PM`, with or without `Z`, `UTC` or an offset; midnight if there is none.
fn time_of_day(text: &str) -> Option<(Time, Option<i32>)> {
    let (text, offset_s) = split_offset(text.trim())?;
    let upper = text.to_ascii_uppercase();
    let (clock, half_day) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(clock), _) => (clock.trim_end(), Some(0)),
        (_, Some(clock)) => (clock.trim_end(), Some(12)),
        _ => (upper.as_str(), None),
    };
    if clock.is_empty() {
        return (half_day.is_none()).then_some((Time::midnight(), offset_s));
    }
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let (second, nanos) = match parts.next().map(|part| part.split_once('.').unwrap_or((part, ""))) {
        None => (0, 0),
        Some((whole, fraction)) => (number(whole, 2)?, nanoseconds(fraction)?),
    };
    let hour = match half_day {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(half) => hour % 12 + half,
    };
    // A leap second is read as the second before it, as ISO dates are.
    let (second, nanos) = if second == 60 { (59, 0) } else { (second, nanos) };
    let part = |value: i16| i8::try_from(value).ok();
    let time = Time::new(part(hour)?, part(minute)?, part(second)?, nanos).ok()?;
    parts.next().is_none().then_some((time, offset_s))
}

/// A fraction of a second; digits beyond the ninth are cut.
fn nanoseconds(fraction: &str) -> Option<i32> {
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    Some(digits.fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0')))
}

/// The time of day and the offset after it.
fn split_offset(text: &str) -> Option<(&str, Option<i32>)> {
    for name in ["Z", "UTC", "GMT"] {
        if let Some(clock) = text.strip_suffix(name) {
            return Some((clock.trim_end(), Some(0)));
        }
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, None)) };
    let (clock, offset) = text.split_at_checked(at)?;
    let (hours, minutes) = match offset.get(1..)? {
        digits if digits.len() == 4 && !digits.contains(':') => digits.split_at_checked(2)?,
        digits => digits.split_once(':').unwrap_or((digits, "0")),
    };
    let seconds = i32::from(number(hours, 2)?) * 3600 + i32::from(number(minutes, 2)?) * 60;
    Some((clock.trim_end(), Some(if offset.starts_with('-') { -seconds } else { seconds })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, order: Order) -> Option<(i64, Option<i32>)> {
        read(text, order).map(|printed| (printed.micros, printed.offset_s))
    }

    #[test]
    fn dates_are_read_in_the_order_asked_for() {
        let noon = 1_709_640_300_000_000; // 2024-03-05 12:05:00
        assert_eq!(at("03.03.25 08:22", Order::YearMonthDay), None);
        for (text, order) in [
            ("5.3.2024 12:05", Order::DayMonthYear),
            ("05/03/24 12:05:00", Order::DayMonthYear),
            ("5-Mar-2024 12:05 PM", Order::DayMonthYear),
            ("3/5/2024 12:05:00.0 pm", Order::MonthDayYear),
            ("March/5/2024 12:05", Order::MonthDayYear),
            ("2024/3/5 12:05", Order::YearMonthDay),
            ("2024.03.05T12:05:00", Order::YearMonthDay),
        ] {
            assert_eq!(at(text, order), Some((noon, None)), "{text}");
        }
        assert_eq!(at("2024/3/5 12:05Z", Order::YearMonthDay), Some((noon, Some(0))));
        assert_eq!(
            at("5.3.2024 20:05 +0800", Order::DayMonthYear),
            Some((noon + 28_800_000_000, Some(28_800)))
        );
        assert_eq!(at("3/5/2024 12:05 AM", Order::MonthDayYear), Some((noon - 43_200_000_000, None)));
        assert_eq!(at("5.3.2024", Order::DayMonthYear), Some((noon - 43_500_000_000, None)));
        assert_eq!(at("5.3.2024 12:05:00.25", Order::DayMonthYear), Some((noon + 250_000, None)));
    }

    #[test]
    fn months_with_names_may_stand_anywhere() {
        let morning = 1_740_990_131_000_000; // 2025-03-03 08:22:11
        for text in [
            "Mar 03 2025 08:22:11",
            "Mar 03 08:22:11 2025",
            "Mon Mar  3 08:22:11 2025",
            "3 March 2025, 8:22:11 AM",
            "Monday, March 3rd, 2025 08:22:11",
        ] {
            assert_eq!(read_named(text), Some(Printed { micros: morning, offset_s: None }), "{text}");
        }
        let utc = Some(Printed { micros: morning, offset_s: Some(0) });
        assert_eq!(read_named("Mon, 03 Mar 2025 08:22:11 GMT"), utc);
        assert_eq!(read_named("Mon Mar  3 08:22:11 UTC 2025"), utc);
        let east = Some(Printed { micros: morning, offset_s: Some(3600) });
        assert_eq!(read_named("Mon, 03 Mar 2025 08:22:11 +0100"), east);
        for wrong in [
            "Mar 2025",
            "Mar 03 2025 08:22:11 CET",
            "Mar Mar 03 2025",
            "03 03 2025",
            "Mar 32 2025",
            "8:22",
            "",
        ] {
            assert_eq!(read_named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for wrong in [
            "",
            "5.3",
            "31.2.2024",
            "5.13.2024",
            "5.3.2024 25:00",
            "5.3.2024 13:00 PM",
            "x.y.z",
            "1.2.3.4",
            "5.3.20240",
            "5.3.2024 1:2:3:4",
            "5.3.2024 PM",
            "5.é.2024",
            "5.3.2024 1:00+",
            "5.3.2024 12",
        ] {
            assert_eq!(at(wrong, Order::DayMonthYear), None, "{wrong}");
        }
    }
}
