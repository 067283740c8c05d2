//! Numbers of the laboratory: a fraction where a number is one, as on paper.

use crate::chart::format;

/// The largest denominator that is looked for.
const MOST: u32 = 140;
/// Denominators below this are looked for to a millionth.
const MILLIONTHS: u32 = 13;
/// Answers of programs in floating point end within about so much of the exact number, relative to it or to 1.
const ACCURACY: f64 = 1e-7;

/// `5`, `16/3`, `0.87`, `1.4142`: a fraction where the number is one to the accuracy of the solver and has no short decimals, else up
/// to four decimals.
#[must_use]
pub fn shown(value: f64) -> String {
    written(value, ACCURACY * value.abs().max(1.0))
}

/// The same of `a - b`, which is as accurate as the larger of them.
#[must_use]
pub fn difference(a: f64, b: f64) -> String {
    written(a - b, ACCURACY * a.abs().max(b.abs()).max(1.0))
}

/// A number that may be off by so much.
fn written(value: f64, near: f64) -> String {
    match fraction(value, near) {
        Some((whole, 1)) => format::number(whole, 0),
        Some((above, below)) if below < 10 || !ends(value, near) => {
            format!("{}/{below}", format::number(above, 0))
        }
        _ if value.is_finite() && value.abs() < 1e6 => {
            let text = format::number(value, 4);
            let text =
                if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            text.to_owned()
        }
        _ => format::significant(value, 6),
    }
}

/// Whether a number has at most four decimals, so that it needs no fraction.
fn ends(value: f64, near: f64) -> bool {
    let shifted = value * 1e4;
    (shifted - libm::round(shifted)).abs() <= near * 1e4
}

/// The fraction with the smallest denominator that a number is. A denominator counts only if so few of the fractions with such
/// denominators are that near to any number that it is hardly one by chance; the smallest count to a millionth too, the unit in which
/// whole slots are valued.
fn fraction(value: f64, near: f64) -> Option<(f64, u32)> {
    if !value.is_finite() || value.abs() > 1e9 {
        return None;
    }
    (1..=MOST).find_map(|below| {
        let above = libm::round(value * f64::from(below));
        let near = if below < MILLIONTHS { near.max(1.1e-6) } else { near };
        let is_rare = near * f64::from(below * below) < 0.02;
        (is_rare && (above / f64::from(below) - value).abs() <= near).then_some((above, below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_the_worked_examples_are_recognised() {
        for (value, text) in [
            (0.0, "0"),
            (1482.0, "1,482"),
            (12.0 / 11.0, "12/11"),
            (773.0 / 9.0, "773/9"),
            (45.0 / 98.0 + 3e-9, "45/98"),
            (54.0 / 65.0, "54/65"),
            (2700.0 / 49.0 - 2e-7, "2,700/49"),
            (-0.5, "−1/2"),
            (171.0 / 140.0, "171/140"),
            (5.333_334, "16/3"),
            (0.142_857, "1/7"),
        ] {
            assert_eq!(shown(value), text);
        }
    }

    #[test]
    fn a_difference_is_as_accurate_as_what_it_is_of() {
        let (has, could_have) = (200.0 / 11.0 + 1e-6, 210.0 / 11.0 - 5e-7);
        assert_eq!(difference(could_have, has), "10/11");
        assert_eq!(difference(18.0, 10.0), "8");
    }

    #[test]
    fn other_numbers_are_not() {
        assert_eq!(shown(2.0_f64.sqrt()), "1.4142");
        assert_eq!(shown(std::f64::consts::E), "2.7183");
        assert_eq!([shown(0.558), shown(0.65), shown(100.5)], ["0.558", "0.65", "201/2"]);
        assert_eq!(shown(123_456.781_23), "123,456.7812");
        assert_eq!(shown(f64::NAN), format::UNDEFINED);
    }
}
