//! `sts policies` and `sts formats`: what exists.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};
use sts_sim::formula::{FUNCTIONS, MOST_CHARACTERS, MOST_NESTED, OPERATORS};
use sts_sim::policy::param::{Example, FormulaParam, ParamKind, ParamSpec, Symbol};
use sts_sim::policy::registry::{Knowledge, policies as all_policies};
use sts_sim::trace;

/// Arguments of the listing commands.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn param_json(param: &ParamSpec) -> Value {
    let range = match param.kind {
        ParamKind::Number { min, max, .. } => json!({"min": min, "max": max}),
        ParamKind::Integer { min, max, .. } => json!({"min": min, "max": max}),
        ParamKind::Choice(words) => {
            json!(words.iter().map(|(word, help)| json!({"value": word, "help": help})).collect::<Vec<_>>())
        }
        ParamKind::Formula(formula) => formula_json(&formula),
    };
    let kind = match param.kind {
        ParamKind::Number { .. } => "number",
        ParamKind::Integer { .. } => "integer",
        ParamKind::Choice(_) => "choice",
        ParamKind::Formula(_) => "formula",
    };
    json!({
        "name": param.name,
        "title": param.title,
        "kind": kind,
        "unit": param.unit,
        "default": param.kind.default_value(),
        "range": range,
        "help": param.help,
    })
}

/// What a formula is made of.
fn formula_json(param: &FormulaParam) -> Value {
    let symbol = |s: &Symbol| json!({"name": s.name, "of": s.of, "unit": s.unit, "meaning": s.meaning, "knowledge": s.knowledge.word()});
    let example = |e: &Example| {
        let others: BTreeMap<_, _> = e.others.iter().copied().collect();
        json!({"title": e.title, "about": e.about, "formula": e.formula, "params": others})
    };
    json!({
        "most_characters": MOST_CHARACTERS,
        "most_nested": MOST_NESTED,
        "names": param.names.iter().map(symbol).collect::<Vec<_>>(),
        "operators": OPERATORS.map(|(form, meaning)| json!({"form": form, "meaning": meaning})),
        "functions": FUNCTIONS.map(|f| json!({"name": f.name, "form": f.form, "meaning": f.meaning})),
        "examples": param.examples.iter().map(example).collect::<Vec<_>>(),
    })
}

/// What a formula is made of, in lines.
fn write_formula(out: &mut impl Write, param: &FormulaParam) -> anyhow::Result<()> {
    for symbol in param.names {
        let Symbol { name, of, unit, meaning, .. } = symbol;
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        writeln!(out, "        {name}{unit}: {of}: {meaning}")?;
    }
    for (form, meaning) in OPERATORS {
        writeln!(out, "        {form}: {meaning}")?;
    }
    for function in FUNCTIONS {
        writeln!(out, "        {}: {}", function.form, function.meaning)?;
    }
    for Example { title, about, formula, others } in param.examples {
        let others: String = others.iter().map(|(name, word)| format!(", {name} = {word}")).collect();
        writeln!(out, "        example {title}: {formula:?}{others}: {about}")?;
    }
    Ok(())
}

pub(crate) fn policies(args: &ListArgs) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if args.json {
        let list: Vec<Value> = all_policies()
            .iter()
            .map(|policy| {
                json!({
                    "name": policy.name,
                    "title": policy.title,
                    "summary": policy.summary,
                    "citation": policy.citation,
                    "knowledge": policy.knowledge.word(),
                    "needs_remaining_work": policy.knowledge == Knowledge::RemainingWork,
                    "params": policy.params.iter().map(param_json).collect::<Vec<_>>(),
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    for policy in all_policies() {
        writeln!(
            out,
            "{:16} {}. {}. {}",
            policy.name,
            policy.title,
            policy.summary,
            policy.knowledge.words()
        )?;
        for param in policy.params {
            let default = match param.kind.default_value() {
                Some(value) => serde_json::to_string(&value)?,
                None => "derived".to_string(),
            };
            let unit = param.unit.map_or_else(String::new, |unit| format!(" {unit}"));
            writeln!(
                out,
                "    {} = {default}{unit} ({}): {}",
                param.name,
                param.kind.expected(),
                param.help
            )?;
            if let ParamKind::Formula(formula) = &param.kind {
                write_formula(&mut out, formula)?;
            }
        }
    }
    Ok(())
}

pub(crate) fn formats(args: &ListArgs) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&trace::formats())?)?;
        return Ok(());
    }
    for format in trace::formats() {
        writeln!(out, "{:16} {}", format.name, format.title)?;
    }
    Ok(())
}
