//! `sts generate`: a workload from a seed, or one like a trace.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, bail};
use sts_sim::trace::{ImportOptions, WorkloadDigest, import_reader};
use sts_sim::workload::synthetic::{self, Fitted, SyntheticSpec};

use crate::import::{open, read_all, write_workload};

/// Arguments of `sts generate`.
#[derive(Debug, clap::Args)]
pub(crate) struct GenerateArgs {
    /// What to generate: the object that a scenario has under `workload.synthetic`, every key optional; `-` reads standard input.
    /// Without it: 1,000 jobs.
    spec: Option<PathBuf>,
    /// Generate jobs like those of this trace, as many as it has GPU jobs: submissions by the hour of the day, run times by the number
    /// of GPUs, tenants by share.
    #[arg(long, value_name = "TRACE")]
    like: Option<PathBuf>,
    /// Jobs, whatever the object says.
    #[arg(long)]
    jobs: Option<u32>,
    /// The seed, whatever the object says.
    #[arg(long)]
    seed: Option<u64>,
    /// Write the workload here: `sts-csv` if the name ends in `.csv`, else `sts-json`.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print the object, every value filled in, to be used in a scenario.
    #[arg(long)]
    spec_json: bool,
}

pub(crate) fn generate(args: &GenerateArgs) -> anyhow::Result<()> {
    let mut spec = spec(args)?;
    if let Some(path) = &args.like {
        let name = path.display().to_string();
        let traced =
            import_reader(&name, open(path)?, &ImportOptions::default()).with_context(|| name.clone())?;
        let fitted = Fitted::of(&traced.workload).with_context(|| {
            format!("{name}: fewer than two GPU jobs have a run time, so that there is nothing to go by")
        })?;
        spec.jobs = u32::try_from(traced.report.gpu_jobs).unwrap_or(u32::MAX).min(synthetic::MAX_JOBS);
        spec.fitted = Some(Box::new(fitted));
    }
    spec.jobs = args.jobs.unwrap_or(spec.jobs);
    spec.seed = args.seed.unwrap_or(spec.seed);
    if let Err((key, found, expected)) = spec.check() {
        bail!("{key}: found {found}, expected {expected}");
    }
    let mut out = std::io::stdout().lock();
    if args.spec_json {
        writeln!(out, "{}", serde_json::to_string(&spec)?)?;
    }
    let workload = synthetic::generate(&spec);
    match &args.out {
        Some(path) => {
            write_workload(&workload, path)?;
            let digest = WorkloadDigest::of(&workload);
            eprintln!(
                "wrote {}: {} jobs over {:.1} h, {:.0} GPU-hours",
                path.display(),
                digest.jobs,
                digest.span_s / 3600.0,
                digest.gpu_hours
            );
        }
        None if args.spec_json => {}
        None => sts_sim::trace::write_sts_csv(&workload, out)?,
    }
    Ok(())
}

/// What the arguments name, or the default.
fn spec(args: &GenerateArgs) -> anyhow::Result<SyntheticSpec> {
    let Some(path) = &args.spec else { return Ok(SyntheticSpec::default()) };
    let name = path.display();
    let bytes = read_all(path)?;
    let mut unknown = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let spec = serde_ignored::deserialize(&mut json, |key| unknown.push(key.to_string()))
        .and_then(|spec| json.end().map(|()| spec))
        .with_context(|| format!("{name}"))?;
    if !unknown.is_empty() {
        bail!("{name}: unknown keys {}; remove them or correct their spelling", unknown.join(", "));
    }
    Ok(spec)
}
