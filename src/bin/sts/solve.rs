//! `sts solve`: decide one allocation, with its proof and its fairness properties.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use sts_sim::policy::param::ParamValue;
use sts_sim::solve::answer::{Answer, Properties, Property};
use sts_sim::solve::{self, Instance};

use crate::clock::timed;
use crate::import::read_all;
use crate::table::{self, Column};

/// Arguments of `sts solve`.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    /// The instance; `-` reads standard input.
    instance: PathBuf,
    /// The policy: one of solve's own (sts-fairness, brute-force, equal-split, max-sum, max-sum-si, max-sum-ef, max-sum-si-ef, max-min,
    /// nash, equal-throughput, partial-allocation), or a policy of rounds that `sts policies` lists, which then decides one round.
    #[arg(long)]
    policy: String,
    /// A parameter, as name=value; may be repeated.
    #[arg(long, value_parser = parse_param)]
    param: Vec<(String, ParamValue)>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Explain the decision: the steps, the prices, and what running each of so many waiting jobs would have cost.
    #[arg(long, value_name = "JOBS", num_args = 0..=1, default_missing_value = "20")]
    explain: Option<usize>,
    /// Search for false reports by which a tenant gains, with so many random ones for every tenant beside the systematic ones.
    #[arg(long, value_name = "RANDOM", num_args = 0..=1, default_missing_value = "16")]
    misreport: Option<u32>,
}

fn parse_param(text: &str) -> Result<(String, ParamValue), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("found {text:?}, expected name=value"))?;
    let value = match value.parse::<f64>() {
        Ok(number) if number.is_finite() => ParamValue::Number(number),
        _ => ParamValue::Word(value.to_string()),
    };
    Ok((name.to_string(), value))
}

pub(crate) fn solve(args: &SolveArgs) -> anyhow::Result<()> {
    let name = args.instance.display();
    let text =
        String::from_utf8(read_all(&args.instance)?).with_context(|| format!("{name}: not UTF-8 text"))?;
    let instance = Instance::from_json(&text).with_context(|| format!("{name}"))?;
    let params: BTreeMap<String, ParamValue> = args.param.iter().cloned().collect();
    if params.len() < args.param.len() {
        bail!("a parameter is given twice");
    }
    let (answer, solve_s) = timed(|| solve::solve(&instance, &args.policy, &params));
    let mut answer = answer.with_context(|| format!("{name}"))?;
    answer.solve_s = Some(solve_s);
    if let Some(jobs) = args.explain {
        let explained = solve::explain(&instance, &args.policy, &params, jobs);
        answer.explain = Some(explained.with_context(|| format!("{name}"))?);
    }
    if let Some(random) = args.misreport {
        solve::misreports(&instance, &args.policy, &params, random, &mut answer)
            .with_context(|| format!("{name}"))?;
    }
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&answer)?)?;
    } else {
        print(&answer, &mut out)?;
    }
    Ok(())
}

/// Violations of one property that are listed; `--json` has all of them.
const VIOLATIONS_SHOWN: usize = 5;

fn print(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{}: objective {}, bound {}, gap {}",
        answer.status.words(),
        number(answer.objective),
        number(answer.bound),
        number(answer.gap)
    )?;
    writeln!(out, "proof: {}", answer.proof)?;
    writeln!(out, "{}", allocation(answer))?;
    writeln!(out, "{}", tenants(answer))?;
    print_properties(&answer.properties, out)?;
    if let Some(counts) = answer.counts {
        let (fitting, allowed, optimal) = (counts.fitting, counts.allowed, counts.optimal);
        writeln!(out, "allocations: {fitting} fit, {allowed} meet the constraints, {optimal} are optimal")?;
    }
    if let Some(search) = &answer.misreports {
        writeln!(out, "false reports tried: {}, undecided: {}", search.tried, search.undecided)?;
        for best in &search.tenants {
            match &best.report {
                Some(report) => writeln!(
                    out,
                    "  {} gains: {} instead of {} by reporting {report}",
                    best.tenant, best.rate, best.truthful_rate
                )?,
                None => writeln!(out, "  {} gains nothing", best.tenant)?,
            }
        }
    }
    let Some(explained) = &answer.explain else { return Ok(()) };
    writeln!(out, "why:")?;
    for step in &explained.steps {
        writeln!(out, "  {step}")?;
    }
    for price in &explained.prices {
        writeln!(out, "  price of {} of {}: {}", price.resource, price.gpu, price.price)?;
    }
    for price in &explained.floor_prices {
        writeln!(out, "  price of the floor of {}: {}", price.tenant, price.price)?;
    }
    for refused in &explained.runners_up {
        writeln!(out, "  {} of {} waits. {}", refused.job, refused.tenant, refused.words)?;
    }
    if explained.not_looked_at > 0 {
        writeln!(out, "  {} more jobs wait", explained.not_looked_at)?;
    }
    Ok(())
}

/// A value to six decimals, the unit in which rates are taken.
fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_string(), |v| ((v * 1e6).round() / 1e6).to_string())
}

/// Who gets what.
fn allocation(answer: &Answer) -> String {
    let columns = [
        Column::Text("tenant"),
        Column::Text("job"),
        Column::Text("type"),
        Column::Number("devices"),
        Column::Number("slots each"),
        Column::Number("share"),
        Column::Number("rate"),
    ];
    let count = |value: Option<u32>| value.map_or_else(String::new, |n| n.to_string());
    let rows = answer.allocation.iter().map(|row| {
        vec![
            row.tenant.clone(),
            row.job.clone().unwrap_or_default(),
            row.gpu.clone(),
            count(row.devices),
            count(row.slots),
            row.share.map_or_else(String::new, |share| number(Some(share))),
            number(Some(row.rate)),
        ]
    });
    table::lines(&columns, rows)
}

/// What each tenant has, and is entitled to.
fn tenants(answer: &Answer) -> String {
    let columns = [
        Column::Text("tenant"),
        Column::Number("rate"),
        Column::Number("floor"),
        Column::Number("equal split"),
        Column::Number("rate / equal split"),
        Column::Number("kept"),
        Column::Text("quota"),
    ];
    let rows = answer.tenants.iter().map(|tenant| {
        let quota: Vec<String> =
            tenant.quota.iter().map(|(gpu, amount)| format!("{} {gpu}", number(Some(*amount)))).collect();
        vec![
            tenant.name.clone(),
            number(tenant.rate),
            number(tenant.floor),
            number(tenant.equal_split_rate),
            number(tenant.si_ratio),
            number(tenant.kept),
            quota.join(", "),
        ]
    });
    table::lines(&columns, rows)
}

fn print_properties(properties: &Properties, out: &mut impl Write) -> io::Result<()> {
    let found = [
        (Some(Property::SharingIncentive), "sharing incentive", properties.sharing_incentive),
        (Some(Property::EnvyFree), "envy-free", properties.envy_free),
        (Some(Property::ParetoEfficient), "Pareto-efficient", properties.pareto_efficient),
        (None, "strategy-proof", properties.strategy_proof),
    ];
    for (property, name, holds) in found {
        let words = match holds {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not decided",
        };
        writeln!(out, "{name}: {words}")?;
        let against: Vec<_> =
            properties.violations.iter().filter(|of| Some(of.property) == property).collect();
        for violation in against.iter().take(VIOLATIONS_SHOWN) {
            let who = violation.tenant.as_deref().unwrap_or("all together");
            let as_who =
                violation.other.as_ref().map(|other| format!(" with what {other} has")).unwrap_or_default();
            writeln!(
                out,
                "  {who}: {}, could have {}{as_who}",
                number(Some(violation.has)),
                number(Some(violation.could_have))
            )?;
        }
        if against.len() > VIOLATIONS_SHOWN {
            writeln!(out, "  and {} more (--json)", against.len() - VIOLATIONS_SHOWN)?;
        }
    }
    Ok(())
}
