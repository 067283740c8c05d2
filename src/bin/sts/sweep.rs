//! `sts sweep`: simulate a scenario at several values of one or two things.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use sts_sim::chart::format::{self, DurationUnit};
use sts_sim::metrics::Metrics;
use sts_sim::metrics::spec::MetricSpec;
use sts_sim::scenario::run::{Prepared, generated, prepare};
use sts_sim::scenario::sweep::results::{Results, sweep_metrics, write_means_csv, write_runs_csv};
use sts_sim::scenario::sweep::{Axis, Run, Sweep, level_text};
use sts_sim::scenario::{Scenario, ScenarioError};
use sts_sim::workload::Workload;

use crate::clock::Clock;
use crate::run::figures::{cell, head};
use crate::run::{create, make_folder, read_scenario, traced};
use crate::table::{self, Column};

/// Arguments of `sts sweep`.
#[derive(Debug, clap::Args)]
pub(crate) struct SweepArgs {
    /// The scenario; `-` reads standard input.
    scenario: PathBuf,
    /// What is varied, and its values: a list or equal steps. Once or twice.
    ///
    /// load=0.5, 1, 2 (× the arrival rate) · round_s=60 to 600 by 60 · gpus:V100-16=8 to 64 by 8 · layout:A100-80=whole, mig ·
    /// weight:TENANT=1, 2 · param:POLICY:PARAMETER=…
    #[arg(long = "axis", required_unless_present = "beside", value_name = "WHAT=VALUES")]
    axes: Vec<Axis>,
    /// Instead of axes: another scenario of the same jobs, to stand side by side with the policies and seeds of the first. As often as
    /// there are.
    #[arg(long, conflicts_with = "axes", value_name = "SCENARIO")]
    beside: Vec<PathBuf>,
    /// Seeds 0 to N − 1 instead of those of the scenario.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    /// The metric of the table that is printed; the files have all of them.
    #[arg(long, default_value = "jct_mean_s")]
    metric: String,
    /// Folder for `runs.csv` and `means.csv`; made if it does not exist.
    #[arg(long)]
    out: PathBuf,
    /// No table, and no progress on standard error.
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn sweep(args: &SweepArgs) -> anyhow::Result<()> {
    let Some(metric) = sweep_metrics().find(|spec| spec.key == args.metric) else {
        let known: Vec<&str> = sweep_metrics().map(|spec| spec.key).collect();
        bail!("--metric: found {}, expected one of {}", args.metric, known.join(", "));
    };
    let mut scenario = read_scenario(&args.scenario)?;
    if let Some(seeds) = args.seeds {
        scenario.seeds = (0..seeds).collect();
    }
    let sweep = if args.beside.is_empty() {
        Sweep::new(&scenario, &args.axes)?
    } else {
        let mut all = vec![scenario.clone()];
        for path in &args.beside {
            all.push(read_scenario(path)?);
        }
        Sweep::of_scenarios(&all)?
    };
    let traced = traced(&scenario, &args.scenario)?;
    make_folder(&args.out)?;
    let results = carry_out(&sweep, traced.as_ref(), args)?;
    for (name, written) in [
        ("runs.csv", write_runs_csv as fn(&Sweep, &Results, _) -> io::Result<()>),
        ("means.csv", write_means_csv),
    ] {
        let path = args.out.join(name);
        written(&sweep, &results, create(&path)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if !args.quiet {
        writeln!(io::stdout().lock(), "{}", means(&sweep, &results, metric))?;
        eprintln!("wrote {}", args.out.join("means.csv").display());
    }
    Ok(())
}

/// Carries out every run. One that cannot be is told and left out; that none can be is an error.
fn carry_out(sweep: &Sweep, traced: Option<&Workload>, args: &SweepArgs) -> anyhow::Result<Results> {
    let mut results = Results::none_of(sweep);
    let mut bench = Bench { traced, kept: None };
    let clock = Clock::start();
    let planned = sweep.to_carry_out().count();
    let mut last = None;
    for (done, at) in sweep.to_carry_out().enumerate() {
        let run = sweep.runs[at];
        match bench.run(sweep, run)? {
            Ok(metrics) => results.take(at, metrics),
            Err(error) => {
                let label = sweep.base.policies[run.policy].label();
                let place = sweep.place(run.point);
                eprintln!("\rnot run: {label} at {place}, seed {}: {error}", run.seed);
                last = Some(error);
            }
        }
        if !args.quiet {
            let done = done + 1;
            let left_s = clock.elapsed_s() / done as f64 * (planned - done) as f64;
            eprint!("\r{done} of {planned} runs, {} left  ", format::duration(left_s));
        }
    }
    if !args.quiet {
        eprintln!();
    }
    match last {
        Some(error) if results.count() == 0 => Err(error).context("nothing could be run"),
        _ => Ok(results),
    }
}

/// What is kept from run to run: runs of one world and seed have the same cluster and jobs.
struct Bench<'t> {
    traced: Option<&'t Workload>,
    kept: Option<((usize, u64), Result<Prepared, ScenarioError>)>,
}

impl Bench<'_> {
    /// The metrics of a run, or why it cannot be.
    fn run(&mut self, sweep: &Sweep, run: Run) -> anyhow::Result<Result<Metrics, ScenarioError>> {
        let point = &sweep.points[run.point];
        let wanted = (point.world, run.seed);
        if self.kept.as_ref().is_none_or(|(kept, _)| *kept != wanted) {
            let prepared = self.prepare(&point.scenario.replica(run.seed));
            if let Ok(prepared) = &prepared {
                let tenants = &prepared.workload.tenants;
                sweep.check_tenants(|name| tenants.iter().any(|tenant| tenant.name == name))?;
            }
            self.kept = Some((wanted, prepared));
        }
        let Some((_, prepared)) = &mut self.kept else { bail!("nothing was prepared") };
        Ok(match prepared {
            Ok(prepared) => {
                prepared.scenario.policies.clone_from(&point.scenario.policies);
                prepared.run(run.policy, run.seed, &mut ()).map(|finished| finished.result.metrics)
            }
            Err(error) => Err(error.clone()),
        })
    }

    fn prepare(&self, replica: &Scenario) -> Result<Prepared, ScenarioError> {
        match self.traced {
            Some(workload) => prepare(replica, workload),
            None => prepare(replica, &generated(replica).unwrap_or_default()),
        }
    }
}

/// A table of one metric: a row a point, a column a policy, means over the seeds with half of their 95 % interval.
fn means(sweep: &Sweep, results: &Results, metric: &MetricSpec) -> String {
    let policies = sweep.policies();
    let estimates: Vec<Vec<_>> = (0..sweep.points.len())
        .map(|point| {
            (0..policies.len()).map(|policy| results.estimate(sweep, point, policy, metric.key)).collect()
        })
        .collect();
    let unit = DurationUnit::of_column(estimates.iter().flatten().flatten().map(|estimate| estimate.mean));
    let factors: Vec<String> = sweep.axes.iter().map(|axis| axis.factor.to_string()).collect();
    let factors = factors.iter().map(|factor| Column::Number(factor));
    let columns: Vec<Column<'_>> =
        factors.chain(policies.iter().map(|label| Column::Number(label))).collect();
    let rows = sweep.points.iter().zip(&estimates).map(|(point, of_point)| {
        let figures = of_point.iter().map(|estimate| {
            estimate.as_ref().map_or_else(
                || format::UNDEFINED.to_owned(),
                |of| cell(metric, unit, of.mean, of.ends().map(<[f64; 2]>::from)),
            )
        });
        point.levels.iter().map(level_text).chain(figures).collect()
    });
    format!("{}\n{}", head(metric, unit), table::lines(&columns, rows))
}
