//! Parameters of policies, declared as data. The page's form, the command line and the documentation are made from these.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::registry::Knowledge;
use crate::formula::{Formula, FormulaError, MOST_CHARACTERS};

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParamKind {
    /// A number.
    Number {
        /// Used when the scenario does not name the parameter; `None` = derived, as the help says.
        default: Option<f64>,
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
    },
    /// A whole number.
    Integer {
        /// Used when the scenario does not name the parameter.
        default: i64,
        /// Smallest allowed value.
        min: i64,
        /// Largest allowed value.
        max: i64,
    },
    /// One of several words, each with what it means. The first is the default.
    Choice(&'static [(&'static str, &'static str)]),
    /// A formula, as text.
    Formula(FormulaParam),
}

/// What a parameter that is a [`Formula`] may name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormulaParam {
    /// Used when the scenario does not name the parameter.
    pub default: &'static str,
    /// The names that it may use.
    pub names: &'static [Symbol],
    /// Formulas to begin with.
    pub examples: &'static [Example],
}

/// A name that a formula may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Symbol {
    /// The name; it ends with the unit where that is a matter of choice.
    pub name: &'static str,
    /// What it is a property of.
    pub of: &'static str,
    /// The unit; empty for a plain number.
    pub unit: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// What a policy that goes by it has to know of run times.
    pub knowledge: Knowledge,
}

/// A formula to begin with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example {
    /// Its name.
    pub title: &'static str,
    /// What it does, and where it comes from.
    pub about: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// Other parameters of the policy that belong to it, which are words; those not named have their defaults.
    pub others: &'static [(&'static str, &'static str)],
}

impl FormulaParam {
    /// Reads a formula over the names.
    ///
    /// # Errors
    /// [`FormulaError`] where the text is none.
    pub fn parse(&self, text: &str) -> Result<Formula, FormulaError> {
        let names: Vec<&str> = self.names.iter().map(|symbol| symbol.name).collect();
        Formula::parse(text, &names)
    }

    /// The names that a formula uses.
    pub fn used(&self, formula: &Formula) -> impl Iterator<Item = &'static Symbol> {
        self.names
            .iter()
            .enumerate()
            .filter(|&(position, _)| formula.names(position))
            .map(|(_, symbol)| symbol)
    }
}

/// A parameter of a policy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParamSpec {
    /// The key in a scenario's `params`.
    pub name: &'static str,
    /// The label in the page.
    pub title: &'static str,
    /// The unit, if it has one.
    pub unit: Option<&'static str>,
    /// Values and default.
    pub kind: ParamKind,
    /// What it does, in a sentence or two.
    pub help: &'static str,
}

/// A value in a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// Why parameters are refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParamError {
    /// The policy has no such parameter.
    #[error("{name}: {policy} has no such parameter; it has {known}")]
    Unknown {
        /// The policy.
        policy: &'static str,
        /// The key found.
        name: String,
        /// The keys there are.
        known: String,
    },
    /// The value is out of range or of the wrong kind.
    #[error("{name}: {found}; expected {expected}")]
    Value {
        /// The key.
        name: &'static str,
        /// The value found.
        found: String,
        /// What is allowed.
        expected: String,
    },
    /// The text is no formula.
    #[error("{name}: {error}")]
    Formula {
        /// The key.
        name: &'static str,
        /// Where and why.
        error: FormulaError,
    },
}

/// Checked parameters of one policy: every declared parameter has a value of its kind, in range.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    values: BTreeMap<&'static str, ParamValue>,
}

impl ParamKind {
    /// The default as a scenario value; `None` when it is derived.
    #[must_use]
    pub fn default_value(&self) -> Option<ParamValue> {
        match *self {
            Self::Number { default, .. } => default.map(ParamValue::Number),
            Self::Integer { default, .. } => Some(ParamValue::Number(default as f64)),
            Self::Choice(words) => words.first().map(|(word, _)| ParamValue::Word((*word).to_string())),
            Self::Formula(formula) => Some(ParamValue::Word(formula.default.to_string())),
        }
    }

    /// What is allowed, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match *self {
            Self::Number { min, max, .. } => format!("a number from {min} to {max}"),
            Self::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            Self::Choice(words) => {
                format!("one of {}", words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", "))
            }
            Self::Formula(formula) => {
                format!("a formula of at most {MOST_CHARACTERS} characters, such as {:?}", formula.default)
            }
        }
    }

    /// Whether `value` is allowed.
    #[must_use]
    pub fn accepts(&self, value: &ParamValue) -> bool {
        match (*self, value) {
            (Self::Number { min, max, .. }, ParamValue::Number(n)) => (min..=max).contains(n),
            (Self::Integer { min, max, .. }, ParamValue::Number(n)) => {
                n.fract() == 0.0 && (min as f64..=max as f64).contains(n)
            }
            (Self::Choice(words), ParamValue::Word(w)) => words.iter().any(|(word, _)| word == w),
            (Self::Formula(formula), ParamValue::Word(text)) => formula.parse(text).is_ok(),
            _ => false,
        }
    }
}

/// Why a value is refused.
fn refusal(spec: &ParamSpec, value: &ParamValue) -> ParamError {
    if let (ParamKind::Formula(formula), ParamValue::Word(text)) = (spec.kind, value)
        && let Err(error) = formula.parse(text)
    {
        return ParamError::Formula { name: spec.name, error };
    }
    let found = match value {
        ParamValue::Number(n) => n.to_string(),
        ParamValue::Word(w) => format!("{w:?}"),
    };
    ParamError::Value { name: spec.name, found, expected: spec.kind.expected() }
}

impl Params {
    /// Checks a scenario's parameters against a policy's declaration and fills in defaults.
    ///
    /// # Errors
    /// [`ParamError`] for a key that is not declared or a value that is not allowed.
    pub fn check(
        policy: &'static str,
        specs: &[ParamSpec],
        given: &BTreeMap<String, ParamValue>,
    ) -> Result<Self, ParamError> {
        if let Some(name) = given.keys().find(|name| !specs.iter().any(|spec| spec.name == name.as_str())) {
            let known = specs.iter().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_string() } else { known };
            return Err(ParamError::Unknown { policy, name: name.clone(), known });
        }
        let mut values = BTreeMap::new();
        for spec in specs {
            match given.get(spec.name) {
                Some(value) if spec.kind.accepts(value) => {
                    values.insert(spec.name, value.clone());
                }
                Some(value) => return Err(refusal(spec, value)),
                None => {
                    if let Some(value) = spec.kind.default_value() {
                        values.insert(spec.name, value);
                    }
                }
            }
        }
        Ok(Self { values })
    }

    /// A number that has a default, or was given; 0 otherwise.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        self.given_number(name).unwrap_or(0.0)
    }

    /// A number, or `None` when it was not given and has no default.
    #[must_use]
    pub fn given_number(&self, name: &str) -> Option<f64> {
        match self.values.get(name) {
            Some(ParamValue::Number(n)) => Some(*n),
            _ => None,
        }
    }

    /// A whole number.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        self.number(name) as i64
    }

    /// A word.
    #[must_use]
    pub fn word(&self, name: &str) -> &str {
        match self.values.get(name) {
            Some(ParamValue::Word(w)) => w,
            _ => "",
        }
    }

    /// All values, for display and hashing.
    #[must_use]
    pub fn values(&self) -> &BTreeMap<&'static str, ParamValue> {
        &self.values
    }
}
