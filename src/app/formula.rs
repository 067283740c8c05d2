//! What is said of a formula while it is typed, and the examples that can take its place.

use super::state::Edit;
use crate::policy::param::{Example, FormulaParam, ParamKind, ParamSpec, ParamValue};
use crate::policy::registry::Knowledge;
use crate::policy::{Params, PolicySpec};
use crate::scenario::PolicyChoice;

/// What a text is, in a sentence.
///
/// # Errors
/// What is wrong with it and where, as a sentence.
pub fn read(param: &FormulaParam, text: &str) -> Result<String, String> {
    let formula = param.parse(text).map_err(|error| {
        let stop = if error.expected.ends_with('?') { "" } else { "." };
        format!("Column {}: found {}, expected {}{stop}", error.column, error.found, error.expected)
    })?;
    let names: Vec<&str> = param.used(&formula).map(|symbol| symbol.name).collect();
    let knows_run_times = param.used(&formula).any(|symbol| symbol.knowledge == Knowledge::RemainingWork);
    Ok(match names.is_empty() {
        true => "Names no field: all jobs are equal and come in order of arrival.".to_owned(),
        false => {
            let needs = if knows_run_times { "Goes by run times" } else { "Needs no run times" };
            format!("Reads {}. {needs}.", names.join(", "))
        }
    })
}

/// The change that a typed text makes to the entry with this label.
///
/// # Errors
/// What is wrong with it, and what is used instead.
pub fn entered(param: &ParamSpec, formula: &FormulaParam, label: &str, text: &str) -> Result<Edit, String> {
    let text = text.trim();
    read(formula, text)
        .map_err(|error| format!("{error} The expression before it is used until it is changed."))?;
    Ok(Edit::Param { label: label.to_owned(), name: param.name, value: given(param, text) })
}

/// A value as it is written in a scenario: the default is not.
fn given(param: &ParamSpec, word: &str) -> Option<ParamValue> {
    let value = ParamValue::Word(word.to_owned());
    (param.kind.default_value().as_ref() != Some(&value)).then_some(value)
}

/// The parameters that examples set beside the formula.
fn others<'s>(spec: &'s PolicySpec, formula: &FormulaParam) -> impl Iterator<Item = &'s ParamSpec> {
    let examples = formula.examples;
    spec.params.iter().filter(move |param| examples.iter().any(|example| word(example, param).is_some()))
}

/// The word that an example gives a parameter beside the formula.
fn word(example: &Example, param: &ParamSpec) -> Option<&'static str> {
    example.others.iter().find(|(name, _)| *name == param.name).map(|(_, word)| *word)
}

/// The example that an entry is, if it is one.
#[must_use]
pub fn example_of(spec: &PolicySpec, choice: &PolicyChoice) -> Option<&'static Example> {
    let params = Params::check(spec.name, spec.params, &choice.params).ok()?;
    let (of_formula, formula) = formula_of(spec)?;
    let is = |example: &&Example| {
        params.word(of_formula.name) == example.formula
            && others(spec, &formula).all(|param| {
                let default = param.kind.default_value();
                match (word(example, param), default) {
                    (Some(word), _) => params.word(param.name) == word,
                    (None, Some(ParamValue::Word(default))) => params.word(param.name) == default,
                    (None, _) => true,
                }
            })
    };
    formula.examples.iter().find(is)
}

/// The change that makes an entry an example.
#[must_use]
pub fn take_example(spec: &PolicySpec, label: &str, title: &str) -> Option<Edit> {
    let (of_formula, formula) = formula_of(spec)?;
    let example = formula.examples.iter().find(|example| example.title == title)?;
    let mut values = vec![(of_formula.name, given(of_formula, example.formula))];
    for param in others(spec, &formula) {
        values.push((param.name, word(example, param).and_then(|word| given(param, word))));
    }
    Some(Edit::Params { label: label.to_owned(), values })
}

/// The parameter of a policy that is a formula.
#[must_use]
pub fn formula_of(spec: &PolicySpec) -> Option<(&ParamSpec, FormulaParam)> {
    spec.params.iter().find_map(|param| match param.kind {
        ParamKind::Formula(formula) => Some((param, formula)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::policy::spec;

    #[test]
    fn a_text_is_described_or_its_fault_is() {
        let (param, formula) = formula_of(spec("expression").unwrap()).unwrap();
        assert_eq!(
            read(&formula, "remaining_s - wait_s / 6"),
            Ok("Reads wait_s, remaining_s. Goes by run times.".to_owned())
        );
        assert_eq!(read(&formula, "-gpus"), Ok("Reads gpus. Needs no run times.".to_owned()));
        assert!(read(&formula, "1").unwrap().starts_with("Names no field"));
        let fault = read(&formula, "2 * waits").unwrap_err();
        assert_eq!(fault, "Column 5: found `waits`, expected a name; did you mean wait_s?");
        let refused = entered(param, &formula, "expression", "2 *").unwrap_err();
        assert!(refused.ends_with("is used until it is changed."), "{refused}");
    }

    #[test]
    fn every_example_can_be_taken_and_is_then_recognised() {
        let spec = spec("expression").unwrap();
        let (param, formula) = formula_of(spec).unwrap();
        let mut scenario = samples::default_scenario();
        scenario.policies = vec![PolicyChoice::named("expression")];
        for example in formula.examples.iter().chain(formula.examples.iter().rev()) {
            take_example(spec, "expression", example.title).unwrap().apply(&mut scenario);
            assert_eq!(scenario.check(), Ok(()), "{}", example.title);
            assert_eq!(example_of(spec, &scenario.policies[0]), Some(example));
        }
        assert_eq!(
            scenario.policies[0].params.len(),
            0,
            "the first example is the default, of which nothing is written"
        );
        entered(param, &formula, "expression", " -gpus ").unwrap().apply(&mut scenario);
        assert_eq!(
            scenario.policies[0].params.get("expression"),
            Some(&ParamValue::Word("-gpus".to_owned()))
        );
        assert_eq!(example_of(spec, &scenario.policies[0]), None);
        assert_eq!(take_example(spec, "expression", "nobody's"), None);
    }
}
