//! `sts explain`: one round of a run, with its ledger and what running the jobs that waited would have cost.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use sts_sim::policy::sts::budget::Limits;
use sts_sim::scenario::PolicyChoice;
use sts_sim::scenario::run::{generated, prepare};

use crate::run::{read_scenario, traced};

/// Arguments of `sts explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The scenario; `-` reads standard input.
    scenario: PathBuf,
    /// The label of the policy.
    #[arg(long, default_value = "sts-fairness")]
    policy: String,
    /// The seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The round.
    #[arg(long)]
    round: u64,
    /// For so many waiting jobs, find out what running them would have cost.
    #[arg(long, default_value_t = 20)]
    jobs: usize,
}

pub(crate) fn explain(args: &ExplainArgs) -> anyhow::Result<()> {
    let name = args.scenario.display();
    let scenario = read_scenario(&args.scenario)?.replica(args.seed);
    let labels: Vec<&str> = scenario.policies.iter().map(PolicyChoice::label).collect();
    let Some(index) = labels.iter().position(|label| *label == args.policy) else {
        bail!("{name} has no policy labelled {:?}; it has {}", args.policy, labels.join(", "));
    };
    let workload = match traced(&scenario, &args.scenario)? {
        Some(workload) => workload,
        None => generated(&scenario).unwrap_or_default(),
    };
    let prepared = prepare(&scenario, &workload).with_context(|| format!("{name}"))?;
    let explained = prepared.explain(index, args.seed, args.round, args.jobs, &Limits::default())?;
    let Some(explained) = explained else {
        bail!("no round up to {} was decided by {}", args.round, args.policy);
    };
    writeln!(io::stdout().lock(), "{}", serde_json::to_string_pretty(&explained)?)?;
    Ok(())
}
