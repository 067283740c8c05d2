//! `sts policies` and `sts formats`: what exists.

use std::io::Write;

use serde_json::{Value, json};
use sts_sim::policy::param::{ParamKind, ParamSpec};
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
    };
    let kind = match param.kind {
        ParamKind::Number { .. } => "number",
        ParamKind::Integer { .. } => "integer",
        ParamKind::Choice(_) => "choice",
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
