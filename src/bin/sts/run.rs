//! `sts run`: simulate every policy and seed of a scenario.

pub(crate) mod figures;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use sts_sim::app::assumptions::sentences;
use sts_sim::scenario::hash::{scenario_hash, workload_hash};
use sts_sim::scenario::results::Results;
use sts_sim::scenario::run::{Finished, Prepared, generated, prepare, set_common_means};
use sts_sim::scenario::statistics::{Pair, default_baseline};
use sts_sim::scenario::tables::{
    RoundsCsv, Summary, write_classes_csv, write_jobs_csv, write_statistics_csv, write_tenants_csv,
    write_types_csv, write_waits_csv,
};
use sts_sim::scenario::{PolicyChoice, Scenario, plausibility};
use sts_sim::sim::{Progress, RoundReport, Watch};
use sts_sim::trace::WorkloadDigest;
use sts_sim::workload::Workload;
use sts_sim::workload::shape::Shape;

use crate::clock::{Clock, timed};
use crate::import::{import_files, read_all};

/// Arguments of `sts run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scenario; `-` reads standard input.
    scenario: PathBuf,
    /// Folder for `summary.json`, `results.json` (opens in the page), `statistics.csv` and, a policy and seed, `jobs-*.csv`, `rounds-*.csv`, `waits-*.csv`, `tenants-*.csv`,
    /// `types-*.csv` and `classes-*.csv`; made if it does not exist.
    #[arg(long)]
    out: PathBuf,
    /// No table of key figures, and no progress on standard error.
    #[arg(long)]
    quiet: bool,
}

pub(crate) fn run(args: &RunArgs) -> anyhow::Result<()> {
    let name = args.scenario.display();
    let scenario = read_scenario(&args.scenario)?;
    make_folder(&args.out)?;
    let traced = traced(&scenario, &args.scenario)?;

    let mut results = Vec::new();
    let mut over_jobs = Vec::new();
    let (mut assumptions, mut gpu_jobs, mut jobs) = (Vec::new(), 0, 0);
    for &seed in &scenario.seeds {
        let replica = scenario.replica(seed);
        let workload =
            traced.as_ref().map_or_else(|| generated(&replica).unwrap_or_default(), Workload::clone);
        let prepared = prepare(&replica, &workload).with_context(|| format!("{name}"))?;
        for index in 0..scenario.policies.len() {
            prepared.check_policy(index).with_context(|| format!("{name}"))?;
        }
        note_left_out(&prepared, seed);
        if scenario.seeds.first() == Some(&seed) {
            note_doubts(&prepared);
        }
        assumptions = sentences(&scenario, &prepared);
        gpu_jobs = workload.gpu_jobs().count() as u64;
        jobs += (prepared.workload.jobs.len() * scenario.policies.len()) as u64;
        let mut finished = Vec::new();
        for index in 0..scenario.policies.len() {
            finished.push(run_one(&prepared, index, seed, args)?);
        }
        set_common_means(&prepared, &mut finished);
        over_jobs.extend(compare_jobs(&prepared, &finished, seed));
        results.extend(finished.into_iter().map(|run| run.result));
    }
    // Policy by policy, as the scenario lists them.
    results.sort_by_key(|run| scenario.policies.iter().position(|choice| choice.label() == run.policy));
    let trace_hash = traced.as_ref().map(workload_hash);
    let hash = scenario_hash(&scenario, &traced.unwrap_or_default());
    let summary = Summary::new(&hash, &results, default_baseline(&scenario.policies), over_jobs);
    let statistics_path = args.out.join("statistics.csv");
    write_statistics_csv(&summary.statistics, create(&statistics_path)?)
        .with_context(|| format!("cannot write {}", statistics_path.display()))?;
    let path = args.out.join("summary.json");
    fs::write(&path, serde_json::to_string_pretty(&summary)?)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let whole = Results {
        name: scenario.name.clone(),
        date: String::new(),
        scenario: scenario.clone(),
        scenario_hash: hash,
        trace_hash,
        assumptions,
        gpu_jobs,
        jobs,
        runs: results,
    };
    let results_path = args.out.join("results.json");
    fs::write(&results_path, whole.to_json()?)
        .with_context(|| format!("cannot write {}", results_path.display()))?;
    if !args.quiet {
        let baseline = default_baseline(&scenario.policies);
        writeln!(
            io::stdout().lock(),
            "{}",
            figures::text(&summary.statistics, &scenario.policies, baseline)
        )?;
        eprintln!("wrote {}", path.display());
    }
    Ok(())
}

/// The scenario in a file.
pub(crate) fn read_scenario(path: &Path) -> anyhow::Result<Scenario> {
    let name = path.display();
    let text = String::from_utf8(read_all(path)?).with_context(|| format!("{name}: not UTF-8 text"))?;
    Scenario::from_json(&text).with_context(|| format!("{name}"))
}

pub(crate) fn make_folder(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))
}

pub(crate) fn create(path: &Path) -> anyhow::Result<BufWriter<File>> {
    Ok(BufWriter::new(File::create(path).with_context(|| format!("cannot write {}", path.display()))?))
}

/// Every policy against the baseline, job by job.
fn compare_jobs(prepared: &Prepared, finished: &[Finished], seed: u64) -> Vec<Pair> {
    let Some(baseline) = default_baseline(&prepared.scenario.policies) else { return Vec::new() };
    let times_s = |of: &Finished| prepared.completion_times_s(&of.record);
    let Some(base_s) = finished.iter().find(|of| of.result.policy == baseline).map(times_s) else {
        return Vec::new();
    };
    let others = finished.iter().filter(|of| of.result.policy != baseline);
    others
        .filter_map(|of| Pair::over_jobs(&of.result.policy, baseline, seed, (&times_s(of), &base_s)))
        .collect()
}

/// The files that a scenario names: one, or several with a comma and a blank between them.
fn trace_files(folder: &Path, path: &str) -> Vec<PathBuf> {
    let one = folder.join(path);
    if one.exists() || !path.contains(", ") {
        return vec![one];
    }
    path.split(", ").map(|name| folder.join(name)).collect()
}

/// The trace of the scenario in a file, if it names one: files are found from where the scenario is.
pub(crate) fn traced(scenario: &Scenario, file: &Path) -> anyhow::Result<Option<Workload>> {
    let Some(spec) = &scenario.workload.trace else { return Ok(None) };
    let folder = file.parent().unwrap_or(Path::new("."));
    let name = folder.join(&spec.path).display().to_string();
    let imported = import_files(&trace_files(folder, &spec.path), &spec.import_options())
        .with_context(|| name.clone())?;
    if imported.report.rejected_count > 0 {
        eprintln!("{name}: {} rows rejected; `sts import` shows them", imported.report.rejected_count);
    }
    Ok(Some(imported.workload))
}

fn note_left_out(prepared: &Prepared, seed: u64) {
    let workload = &prepared.workload;
    let zero = prepared.source.jobs.iter().filter(|job| job.gpus.0 == 0).count();
    for (count, why) in [
        (workload.never_fit.len(), "ask for more than the cluster can ever give"),
        (workload.without_duration.len(), "have no run time"),
        (zero, "ask for no GPU"),
    ] {
        if count > 0 {
            eprintln!("seed {seed}, not simulated: {count} jobs that {why}");
        }
    }
}

/// What is doubtful about the jobs on the cluster.
fn note_doubts(prepared: &Prepared) {
    let digest = WorkloadDigest::of(&prepared.source);
    for doubt in plausibility::warnings(&prepared.cluster, &digest, &Shape::default()) {
        eprintln!("warning {}: {}", doubt.code, doubt.message);
    }
}

fn run_one(prepared: &Prepared, index: usize, seed: u64, args: &RunArgs) -> anyhow::Result<Finished> {
    let label = prepared.scenario.policies[index].label();
    let name = file_names(&prepared.scenario.policies).swap_remove(index);
    let file = |table: &str| args.out.join(format!("{table}-{name}-{seed}.csv"));
    let rounds_path = file("rounds");
    let mut watch = Report {
        rounds: RoundsCsv::new(prepared, create(&rounds_path)?),
        label,
        seed,
        shown_percent: if args.quiet { None } else { Some(0) },
        clock: Clock::start(),
    };
    let (finished, wall_s) = timed(|| prepared.run(index, seed, &mut watch));
    let mut finished = finished?;
    finished.result.sim_wall_s = Some(wall_s);
    watch.rounds.finish().with_context(|| format!("cannot write {}", rounds_path.display()))?;
    let jobs_path = file("jobs");
    write_jobs_csv(prepared, &finished.record, create(&jobs_path)?)
        .with_context(|| format!("cannot write {}", jobs_path.display()))?;
    let waits_path = file("waits");
    write_waits_csv(prepared, &finished.record, create(&waits_path)?)
        .with_context(|| format!("cannot write {}", waits_path.display()))?;
    let breakdown = &finished.result.breakdown;
    let tables = ["tenants", "types", "classes"].map(file);
    write_tenants_csv(breakdown, create(&tables[0])?)
        .and(write_types_csv(breakdown, create(&tables[1])?))
        .and(write_classes_csv(breakdown, create(&tables[2])?))
        .with_context(|| {
            format!("cannot write one of {}", tables.each_ref().map(|p| p.display().to_string()).join(", "))
        })?;
    if let Some(jobs) = finished.result.account.unranked_jobs.filter(|&jobs| jobs > 0) {
        eprintln!(
            "\r{label}, seed {seed}: {jobs} jobs came last at some time because their expression was undefined"
        );
    }
    if !args.quiet {
        let metrics = &finished.result.metrics;
        eprintln!(
            "\r{label}, seed {seed}: {} jobs in {wall_s:.2} s, mean JCT {} s{}",
            prepared.workload.jobs.len(),
            metrics.get("jct_mean_s").map_or_else(|| "–".to_string(), |s| format!("{s:.1}")),
            finished.result.stopped.as_ref().map_or_else(String::new, |why| format!(" ({why})")),
        );
    }
    Ok(finished)
}

/// Labels as parts of file names: what file systems dislike becomes `_`, and a name that another policy has already, but for capitals,
/// gets a number.
fn file_names(policies: &[PolicyChoice]) -> Vec<String> {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '.' | '_') { c } else { '_' };
    let mut names: Vec<String> = Vec::new();
    for choice in policies {
        let name: String = choice.label().chars().map(plain).collect();
        let is_free = |name: &String| names.iter().all(|taken| taken.to_lowercase() != name.to_lowercase());
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        names.extend(std::iter::once(name.clone()).chain(numbered).find(is_free));
    }
    names
}

struct Report<'a, W: Write> {
    rounds: RoundsCsv<'a, W>,
    label: &'a str,
    seed: u64,
    shown_percent: Option<u64>,
    clock: Clock,
}

impl<W: Write> Watch for Report<'_, W> {
    fn round(&mut self, report: &RoundReport<'_>) {
        self.rounds.round(report);
    }

    fn clock_s(&self) -> Option<f64> {
        Some(self.clock.elapsed_s())
    }

    fn progress(&mut self, progress: Progress) {
        let percent = u64::from(progress.finished) * 100 / u64::from(progress.jobs.max(1));
        if let Some(shown) = &mut self.shown_percent
            && *shown != percent
        {
            *shown = percent;
            eprint!("\r{}, seed {}: {} of {} jobs", self.label, self.seed, progress.finished, progress.jobs);
        }
    }
}
