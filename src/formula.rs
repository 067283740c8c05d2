//! Formulas: arithmetic over named numbers, read from text once and evaluated often, without knowing what is computed.
//!
//! There are numbers and nothing else: a comparison is 1 where it holds and 0 where it does not, and 0 counts as "does not hold".
//! What cannot be calculated (0 / 0, the root of −1) is *undefined*, and so is whatever is calculated from it, until an `if` leaves
//! it out. Division by zero is infinite. Nothing loops, so a text of at most [`MOST_CHARACTERS`] bounds the work of an evaluation.
//!
//! [`libm`] computes everything that is more than an operation of IEEE 754, so that a formula has the same value, to the last bit, on
//! every machine.
//!
//! A scheduler evaluates a formula for every job that waits, at every event of a run. That decided against a general script engine:
//! Rhai with all but expressions switched off takes 0.4 to 2.5 µs an evaluation (the tree here about 0.02) and 204 kB of the
//! compressed page, and would leave assignments, loops and strings to be forbidden one by one. The smaller crates for expressions
//! call the platform's mathematics, whose last bits differ between machines, or cannot say where a text is wrong.

mod functions;
mod lexer;
mod parser;

use std::fmt;

pub use functions::{FUNCTIONS, Function};

/// Most characters of a formula's text.
pub const MOST_CHARACTERS: usize = 2_000;

/// Most parentheses, calls and signs inside one another.
pub const MOST_NESTED: u32 = 64;

/// What stands for operators, tightest first: how they are written, and what they mean.
pub const OPERATORS: [(&str, &str); 7] = [
    ("a ^ b", "power; a ^ b ^ c is a ^ (b ^ c)"),
    ("-a", "the negative; -a ^ 2 is -(a ^ 2)"),
    ("a * b, a / b", "product, quotient"),
    ("a + b, a - b", "sum, difference"),
    ("a < b, a <= b, a > b, a >= b, a == b, a != b", "1 where it holds, else 0"),
    ("not a", "1 where a is 0, else 0"),
    ("a and b, a or b", "1 where both hold, where one does, else 0; and binds tighter than or"),
];

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: found {found}, expected {expected}")]
pub struct FormulaError {
    /// Where, in characters from 1.
    pub column: usize,
    /// What stands there.
    pub found: String,
    /// What could stand there, and what to write.
    pub expected: String,
}

/// A formula that can be evaluated. The default is the number 0.
#[derive(Clone)]
pub struct Formula {
    root: Term,
}

/// A part of a formula.
#[derive(Clone)]
enum Term {
    Number(f64),
    /// A named number, by its position among the names.
    Named(usize),
    One(fn(f64) -> f64, Box<Term>),
    Two(fn(f64, f64) -> f64, Box<[Term; 2]>),
    If(Box<[Term; 3]>),
}

impl Default for Formula {
    fn default() -> Self {
        Self { root: Term::Number(0.0) }
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Formula").finish_non_exhaustive()
    }
}

impl Formula {
    /// Reads a formula over numbers with these names.
    ///
    /// # Errors
    /// [`FormulaError`] at the first place where the text is none.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, FormulaError> {
        parser::parse(text, names).map(|root| Self { root })
    }

    /// Its value, where `named` gives the number of each name by its position; NaN where it is undefined. Only numbers that it names
    /// are asked for.
    #[must_use]
    pub fn value(&self, named: &impl Fn(usize) -> f64) -> f64 {
        self.root.value(named)
    }

    /// Whether it names the number at this position.
    #[must_use]
    pub fn names(&self, position: usize) -> bool {
        self.root.names(position)
    }
}

impl Term {
    fn value(&self, named: &impl Fn(usize) -> f64) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Named(position) => named(*position),
            Self::One(of, a) => of(a.value(named)),
            Self::Two(of, both) => of(both[0].value(named), both[1].value(named)),
            Self::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                match functions::truth(condition.value(named)) {
                    None => f64::NAN,
                    Some(true) => then.value(named),
                    Some(false) => otherwise.value(named),
                }
            }
        }
    }

    fn names(&self, position: usize) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Named(named) => *named == position,
            Self::One(_, a) => a.names(position),
            Self::Two(_, both) => both.iter().any(|term| term.names(position)),
            Self::If(parts) => parts.iter().any(|term| term.names(position)),
        }
    }
}

#[cfg(test)]
mod tests;
