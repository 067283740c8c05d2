//! `sts gavel`: run a trace as Gavel's own simulator does.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::error::ErrorKind;
use sts_sim::gavel::outcome::Outcome;
use sts_sim::gavel::policy::PolicyName;
use sts_sim::gavel::replay::{Recorded, Replay};
use sts_sim::gavel::simulator::{GAVELS_ROUND_S, ROUND_S};
use sts_sim::gavel::{Cluster, Counts, Options, Table, file, simulate, trace};

use crate::import::read_all;

/// Arguments of `sts gavel`.
#[derive(Debug, clap::Args)]
pub(crate) struct GavelArgs {
    /// The trace, in Gavel's format with 10 to 12 columns or its older one with 7.
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// The throughput table: Gavel's simulation_throughputs.json or a file of its form.
    #[arg(long, value_name = "FILE")]
    throughputs: PathBuf,
    /// The GPUs.
    #[arg(long, value_name = "V100:P100:K80")]
    cluster: Counts,
    /// The policy, by Gavel's name.
    #[arg(long, value_name = "NAME", value_parser = PolicyName::parse)]
    policy: PolicyName,
    /// The seed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The length of a round, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = GAVELS_ROUND_S, value_parser = round_s)]
    round_s: f64,
    /// The GPUs a server.
    #[arg(long, value_name = "V100:P100:K80", default_value = "1:1:1")]
    gpus_per_server: Counts,
    /// Take the shares recorded in this run instead of the policy's own.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Write the results here as JSON; `-` is standard output. Without it they are printed as text.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn round_s(text: &str) -> Result<f64, String> {
    let expected = || format!("expected seconds, {} to {}", ROUND_S.start(), ROUND_S.end());
    text.parse().ok().filter(|seconds| ROUND_S.contains(seconds)).ok_or_else(expected)
}

pub(crate) fn gavel(args: &GavelArgs) -> anyhow::Result<()> {
    let cluster = Cluster::new(args.cluster, args.gpus_per_server)
        .unwrap_or_else(|error| clap::Error::raw(ErrorKind::ValueValidation, format!("{error}\n")).exit());
    let options = Options { cluster, policy: args.policy, seed: args.seed, round_s: args.round_s };
    let jobs = read(&args.trace, |bytes| {
        let text = std::str::from_utf8(bytes).context("not UTF-8 text")?;
        Ok(trace::read(text)?)
    })?;
    let table = read(&args.throughputs, |bytes| Ok(Table::read(bytes, args.policy.packing())?))?;
    let mut policy = match &args.replay {
        None => args.policy.make(args.seed),
        Some(path) => Box::new(Replay::new(&read(path, |bytes| Ok(Recorded::read(bytes)?))?)),
    };
    let outcome = simulate(&jobs, &table, &options, &mut *policy, &mut ())
        .with_context(|| args.trace.display().to_string())?;
    match &args.json {
        None => print(&outcome),
        Some(path) => {
            let json = serde_json::to_string_pretty(&outcome)? + "\n";
            if path == Path::new("-") {
                return Ok(io::stdout().lock().write_all(json.as_bytes())?);
            }
            fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))
        }
    }
}

/// What `parse` makes of a file; what it says is wrong is said with the file's name.
fn read<T>(path: &Path, parse: impl FnOnce(&[u8]) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let bytes = read_all(path)?;
    let name = || path.display().to_string();
    let contents = file::unpacked(&bytes).with_context(name)?;
    parse(&contents).with_context(name)
}

fn print(outcome: &Outcome) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let seconds = |value: Option<f64>| value.map_or_else(|| "–".to_string(), |value| format!("{value:.3} s"));
    let percent = |value: Option<f64>| value.map_or_else(|| "–".to_string(), |value| format!("{value:.2} %"));
    writeln!(out, "mean JCT        {}", seconds(outcome.avg_jct_s))?;
    writeln!(out, "median JCT      {}", seconds(outcome.median_jct_s))?;
    writeln!(out, "makespan        {}", seconds(Some(outcome.makespan_s)))?;
    writeln!(out, "utilization     {}", percent(outcome.utilization.map(|share| 100.0 * share)))?;
    writeln!(out, "rounds          {}", outcome.rounds)?;
    writeln!(out, "policy runs     {}", outcome.policy_runs)?;
    writeln!(out, "completed       {}", outcome.completed)?;
    writeln!(out, "dropped         {}", outcome.dropped)?;
    writeln!(out, "leases extended {}", percent(outcome.lease_extension_pct))?;
    Ok(())
}
