//! The functions of formulas, and what their operators compute.

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

/// Whether a number stands for a condition that holds.
pub(super) fn holds(a: f64) -> bool {
    a < 0.0 || a > 0.0
}

/// The smaller of two, undefined where one is: unlike `f64::min`, which hides what is undefined.
fn smallest(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// 1 or 0, undefined where one of two numbers is.
fn told(a: f64, b: f64, is_true: bool) -> f64 {
    match (a.is_nan() || b.is_nan(), is_true) {
        (true, _) => f64::NAN,
        (false, true) => 1.0,
        (false, false) => 0.0,
    }
}

pub(super) fn less(a: f64, b: f64) -> f64 {
    told(a, b, a < b)
}

pub(super) fn at_most(a: f64, b: f64) -> f64 {
    told(a, b, a <= b)
}

pub(super) fn more(a: f64, b: f64) -> f64 {
    told(a, b, a > b)
}

pub(super) fn at_least(a: f64, b: f64) -> f64 {
    told(a, b, a >= b)
}

pub(super) fn equal(a: f64, b: f64) -> f64 {
    told(a, b, a <= b && a >= b)
}

pub(super) fn unequal(a: f64, b: f64) -> f64 {
    told(a, b, a < b || a > b)
}

pub(super) fn not(a: f64) -> f64 {
    told(a, a, !holds(a))
}

pub(super) fn and(a: f64, b: f64) -> f64 {
    told(a, b, holds(a) && holds(b))
}

pub(super) fn or(a: f64, b: f64) -> f64 {
    told(a, b, holds(a) || holds(b))
}
