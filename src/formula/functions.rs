//! The functions of formulas, and what their operators compute.

use std::cmp::Ordering;

/// A function.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How it is called.
    pub form: &'static str,
    /// What it gives.
    pub meaning: &'static str,
    pub(super) rule: Rule,
}

/// How a function is computed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    /// Of two numbers or more, from left to right.
    Fold(fn(f64, f64) -> f64),
    If,
}

/// All functions.
pub const FUNCTIONS: [Function; 12] = [
    function("abs", "abs(a)", "a without its sign", Rule::One(libm::fabs)),
    function("ceil", "ceil(a)", "the next whole number from a up", Rule::One(libm::ceil)),
    function("exp", "exp(a)", "e to the power of a", Rule::One(libm::exp)),
    function("floor", "floor(a)", "the next whole number from a down", Rule::One(libm::floor)),
    function("if", "if(condition, a, b)", "a where the condition is not 0, else b", Rule::If),
    function("ln", "ln(a)", "the natural logarithm", Rule::One(libm::log)),
    function("log10", "log10(a)", "the logarithm to base 10", Rule::One(libm::log10)),
    function("log2", "log2(a)", "the logarithm to base 2", Rule::One(libm::log2)),
    function("max", "max(a, b, …)", "the largest", Rule::Fold(largest)),
    function("min", "min(a, b, …)", "the smallest", Rule::Fold(smallest)),
    function("pow", "pow(a, b)", "a ^ b", Rule::Two(libm::pow)),
    function("sqrt", "sqrt(a)", "the square root", Rule::One(libm::sqrt)),
];

const fn function(name: &'static str, form: &'static str, meaning: &'static str, rule: Rule) -> Function {
    Function { name, form, meaning, rule }
}

/// Whether a number stands for a condition that holds; nothing where it is undefined.
pub(super) fn truth(a: f64) -> Option<bool> {
    a.partial_cmp(&0.0).map(Ordering::is_ne)
}

/// The smaller of two, undefined where one is: unlike `f64::min`, which hides what is undefined.
fn smallest(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn number(truth: Option<bool>) -> f64 {
    match truth {
        None => f64::NAN,
        Some(true) => 1.0,
        Some(false) => 0.0,
    }
}

pub(super) fn less(a: f64, b: f64) -> f64 {
    number(a.partial_cmp(&b).map(Ordering::is_lt))
}

pub(super) fn at_most(a: f64, b: f64) -> f64 {
    number(a.partial_cmp(&b).map(Ordering::is_le))
}

pub(super) fn more(a: f64, b: f64) -> f64 {
    number(a.partial_cmp(&b).map(Ordering::is_gt))
}

pub(super) fn at_least(a: f64, b: f64) -> f64 {
    number(a.partial_cmp(&b).map(Ordering::is_ge))
}

pub(super) fn equal(a: f64, b: f64) -> f64 {
    number(a.partial_cmp(&b).map(Ordering::is_eq))
}

pub(super) fn unequal(a: f64, b: f64) -> f64 {
    number(a.partial_cmp(&b).map(Ordering::is_ne))
}

pub(super) fn not(a: f64) -> f64 {
    number(truth(a).map(|a| !a))
}

pub(super) fn and(a: f64, b: f64) -> f64 {
    number(truth(a).zip(truth(b)).map(|(a, b)| a && b))
}

pub(super) fn or(a: f64, b: f64) -> f64 {
    number(truth(a).zip(truth(b)).map(|(a, b)| a || b))
}
