//! How a table writes its numbers: the marks of decimals and of thousands.

use std::borrow::Cow;

use super::{DecimalMark, TableForm, ThousandsMark};
use crate::trace::value::Bad;

/// The marks of a table's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) decimal: DecimalMark,
    pub(super) thousands: ThousandsMark,
}

impl Numbers {
    pub(super) fn of(table: &TableForm) -> Self {
        Self { decimal: table.decimal, thousands: table.thousands }
    }

    /// A cell with a decimal point and without marks of thousands. What is no number is left for others to read or refuse.
    pub(super) fn plain(self, text: &[u8]) -> Result<Cow<'_, [u8]>, Bad> {
        if self.decimal == DecimalMark::Point && self.thousands == ThousandsMark::None {
            return Ok(Cow::Borrowed(text));
        }
        let mut text = Cow::Borrowed(text);
        // A span with colons has no thousands; its fraction may have a point whatever numbers have.
        let is_clock = text.contains(&b':');
        if let Some(mark) = self.thousands.mark().filter(|_| !is_clock) {
            text = without_thousands(text, mark)?;
        }
        if self.decimal == DecimalMark::Comma {
            if text.contains(&b'.') && !is_clock {
                let expected = "a number with a decimal comma";
                let hint =
                    "if the point is a mark of thousands, choose it; if it is that of decimals, choose that";
                return Err(Bad { expected, hint });
            }
            if text.contains(&b',') {
                text = text
                    .iter()
                    .map(|&byte| if byte == b',' { b'.' } else { byte })
                    .collect::<Vec<u8>>()
                    .into();
            }
        }
        Ok(text)
    }
}

/// A number without its marks of thousands; they stand before groups of three digits.
fn without_thousands(text: Cow<'_, [u8]>, mark: char) -> Result<Cow<'_, [u8]>, Bad> {
    let Ok(words) = std::str::from_utf8(&text) else { return Ok(text) };
    let is_mark = |c: char| c == mark || (mark == ' ' && matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}'));
    if !words.contains(is_mark) {
        return Ok(text);
    }
    // The last group may have the fraction behind it.
    let is_digits = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let mut groups = words.split(is_mark);
    let first = groups.next().unwrap_or_default().trim_start_matches(['-', '+']);
    let is_whole = |group: &str| group.len() >= 3 && is_digits(group.get(..3).unwrap_or("x"));
    let ends = |group: &str| !group.get(3..).unwrap_or_default().starts_with(|c: char| c.is_ascii_digit());
    if !(1..=3).contains(&first.len())
        || !is_digits(first)
        || !groups.all(|group| is_whole(group) && ends(group))
    {
        let expected = "a number whose marks of thousands stand before three digits";
        return Err(Bad { expected, hint: "" });
    }
    Ok(words.replace(is_mark, "").into_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(decimal: DecimalMark, thousands: ThousandsMark, text: &str) -> Option<String> {
        let numbers = Numbers { decimal, thousands };
        numbers
            .plain(text.as_bytes())
            .ok()
            .map(|text| String::from_utf8(text.into_owned()).unwrap_or_default())
    }

    #[test]
    fn marks_go_and_a_decimal_point_stays() {
        use DecimalMark::{Comma, Point};
        use ThousandsMark as Mark;
        for (decimal, thousands, text, expected) in [
            (Point, Mark::None, "1234.5", "1234.5"),
            (Point, Mark::Comma, "1,234,567.5", "1234567.5"),
            (Point, Mark::Comma, "999", "999"),
            (Comma, Mark::None, "1234,5", "1234.5"),
            (Comma, Mark::Point, "1.234,5", "1234.5"),
            (Comma, Mark::Point, "-90.061", "-90061"),
            (Comma, Mark::Blank, "1\u{a0}234,5", "1234.5"),
            (Point, Mark::Apostrophe, "1'234", "1234"),
            (Comma, Mark::None, "0:00:30.5", "0:00:30.5"),
            (Comma, Mark::Point, "0:00:30,5", "0:00:30.5"),
        ] {
            assert_eq!(plain(decimal, thousands, text).as_deref(), Some(expected), "{text}");
        }
        for (decimal, thousands, text) in [
            (Comma, Mark::None, "3.600"),
            (Comma, Mark::None, "1.234,5"),
            (Comma, Mark::Point, "1.5"),
            (Point, Mark::Comma, "1,5"),
            (Point, Mark::Comma, "1234,567"),
            (Point, Mark::Comma, ",567"),
            (Point, Mark::Comma, "1,2345"),
        ] {
            assert_eq!(plain(decimal, thousands, text), None, "{text}");
        }
    }
}
