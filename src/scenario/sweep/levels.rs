//! The values of an axis, as they are written: a list, `0.5, 1, 2`, or numbers at equal steps, `8 to 64 by 8`.

use super::MOST_LEVELS;
use crate::policy::param::ParamValue;

/// A value as it is written.
#[must_use]
pub fn level_text(level: &ParamValue) -> String {
    match level {
        ParamValue::Number(number) => number.to_string(),
        ParamValue::Word(word) => word.clone(),
    }
}

/// Reads the values of an axis. What is no number is a word.
///
/// # Errors
/// What was found and what is expected.
pub fn parse_levels(text: &str) -> Result<Vec<ParamValue>, (String, String)> {
    if let Some((from, rest)) = text.split_once(" to ") {
        return steps(from.trim(), rest.trim());
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() {
        return Err(("no value".into(), "a list, as in 8, 16, 32, or 8 to 64 by 8".into()));
    }
    Ok(parts.into_iter().map(level).collect())
}

fn level(text: &str) -> ParamValue {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => ParamValue::Number(number),
        _ => ParamValue::Word(text.to_owned()),
    }
}

/// The numbers `from`, `from + step`, … up to the end. All are whole multiples of the last decimal that was written, so that
/// `0 to 1 by 0.1` has 0.3 and not 0.30000000000000004.
fn steps(from: &str, rest: &str) -> Result<Vec<ParamValue>, (String, String)> {
    const EXPECTED: &str = "two numbers and a step above 0, as in 8 to 64 by 8";
    let refused = |found: &str| (format!("`{found}`"), EXPECTED.to_owned());
    let Some((to, step)) = rest.split_once(" by ") else {
        return Err((format!("`{from} to {rest}` without a step"), EXPECTED.into()));
    };
    let parts = [from, to.trim(), step.trim()];
    let decimals = parts.map(decimals).into_iter().max().unwrap_or(0);
    let mut units = [0i64; 3];
    for (unit, part) in units.iter_mut().zip(parts) {
        *unit = in_units(part, decimals).ok_or_else(|| refused(part))?;
    }
    let [from_units, to_units, step_units] = units;
    if step_units <= 0 {
        return Err(refused(step));
    }
    if to_units < from_units {
        return Err((format!("{to} after {from}"), "the smaller number first".into()));
    }
    let count = (to_units - from_units) / step_units + 1;
    if count > MOST_LEVELS as i64 {
        return Err((format!("{count} values"), format!("at most {MOST_LEVELS}")));
    }
    let scale = 10f64.powi(decimals as i32);
    Ok((0..count).map(|at| ParamValue::Number((from_units + at * step_units) as f64 / scale)).collect())
}

/// How many digits stand after the point.
fn decimals(number: &str) -> usize {
    number.split_once('.').map_or(0, |(_, after)| after.len())
}

/// A number in units of its `decimals`-th decimal; `None` where it is none, or too long to be exact.
fn in_units(number: &str, decimals: usize) -> Option<i64> {
    const MOST_DIGITS: usize = 15;
    let (whole, after) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{after:0<decimals$}");
    (digits.len() <= MOST_DIGITS && after.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}
