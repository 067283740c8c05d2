//! Scenarios with expressions of the user's own, through the public doors.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};
use sts_sim::formula::{FUNCTIONS, MOST_CHARACTERS, MOST_NESTED, OPERATORS};
use sts_sim::policy::param::{FormulaParam, ParamKind};
use sts_sim::policy::registry::Knowledge;
use sts_sim::policy::spec;
use sts_sim::scenario::run::{generated, prepare};
use sts_sim::scenario::{PolicyChoice, Scenario};

fn formula() -> FormulaParam {
    let params = spec("expression").unwrap().params;
    let formula = params.iter().find_map(|param| match param.kind {
        ParamKind::Formula(formula) => Some(formula),
        _ => None,
    });
    formula.unwrap()
}

fn scenario(policies: &Value) -> String {
    json!({
        "cluster": {"nodes": [{"gpu": "V100-16", "count": 1, "gpus_per_node": 4, "layout": "uniform-4"}]},
        "workload": {"synthetic": {"jobs": 60, "arrivals": {"kind": "poisson", "rate_per_hour": 30}, "seed": 1}},
        "policies": policies,
    })
    .to_string()
}

#[test]
fn an_error_names_the_path_and_the_column() {
    for (expression, told) in [
        (json!("2 * wait"), "column 5: found `wait`, expected a name; did you mean wait_s?"),
        (json!(""), "column 1: found the end, expected a number"),
        (json!(3), "3; expected a formula of at most 2000 characters"),
    ] {
        let policies =
            json!([{"name": "fifo"}, {"name": "expression", "params": {"expression": expression}}]);
        let error = Scenario::from_json(&scenario(&policies)).unwrap_err().to_string();
        assert!(error.starts_with("policies[1].params.expression: ") && error.contains(told), "{error}");
    }
}

#[test]
fn expressions_stand_beside_each_other_and_beside_other_policies() {
    let policies = json!([
        {"name": "srtf"},
        {"name": "expression"},
        {"name": "expression", "label": "mine", "params": {"expression": "remaining_s", "preemption": "rounds"}},
        {"name": "expression", "label": "odd", "params": {"expression": "ln(-gpus)"}},
    ]);
    let text = scenario(&policies);
    let scenario = Scenario::from_json(&text).unwrap();
    assert_eq!(Scenario::from_json(&scenario.to_json()).unwrap(), scenario);
    let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
    let runs: Vec<_> = (0..4).map(|index| prepared.run(index, 0, &mut ()).unwrap().result).collect();
    assert_eq!(runs[0].result_hash, runs[2].result_hash);
    assert_ne!(runs[0].result_hash, runs[1].result_hash);
    let unranked: Vec<Option<u32>> = runs.iter().map(|run| run.account.unranked_jobs).collect();
    assert_eq!(unranked, [None, Some(0), Some(0), Some(prepared.workload.jobs.len() as u32)]);
}

#[test]
fn an_expression_knows_of_run_times_what_it_names() {
    for (expression, knowledge) in [
        (None, Knowledge::RemainingWork),
        (Some("wait_s + limit_s"), Knowledge::None),
        (Some("wait_s + 0 * remaining_s"), Knowledge::RemainingWork),
    ] {
        let mut choice = PolicyChoice::named("expression");
        let text =
            expression.map(|text| ("expression".to_owned(), serde_json::from_value(json!(text)).unwrap()));
        choice.params.extend(text);
        let spec = spec("expression").unwrap();
        let params = sts_sim::policy::Params::check(spec.name, spec.params, &choice.params).unwrap();
        assert_eq!(spec.knowledge_with(&params), knowledge, "{expression:?}");
    }
}

#[test]
fn the_documentation_has_every_field_operator_function_and_example() {
    let text = include_str!("../docs/expression.md");
    let expected =
        |row: String| assert!(text.lines().any(|line| line == row), "docs/expression.md lacks\n{row}");
    for symbol in formula().names {
        let unit = if symbol.unit.is_empty() { "" } else { symbol.unit };
        expected(format!("| `{}` | {} | {unit} | {} |", symbol.name, symbol.of, symbol.meaning));
    }
    for (form, meaning) in OPERATORS {
        expected(format!("| `{form}` | {meaning} |"));
    }
    for function in FUNCTIONS {
        expected(format!("| `{}` | {} |", function.form, function.meaning));
    }
    for example in formula().examples {
        let others: Vec<String> =
            example.others.iter().map(|(name, word)| format!("`{name}` = `{word}`")).collect();
        let (title, about) = (example.title, example.about);
        expected(format!("| {title} | `{}` | {} | {about} |", example.formula, others.join(", ")));
    }
    assert!(
        text.contains(&format!("{MOST_CHARACTERS} characters")) && text.contains(&MOST_NESTED.to_string())
    );
}

#[test]
fn every_example_is_an_expression_with_parameters_that_exist() {
    for example in formula().examples {
        let mut params = json!({"expression": example.formula});
        for (name, word) in example.others {
            params[*name] = json!(word);
        }
        let policies = json!([{"name": "expression", "params": params}]);
        Scenario::from_json(&scenario(&policies))
            .unwrap_or_else(|error| panic!("{}: {error}", example.title));
    }
}
