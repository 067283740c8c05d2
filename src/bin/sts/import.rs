//! `sts import`: read job traces and say what was understood.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sts_sim::trace::{self, Import, ImportOptions};

/// Arguments of `sts import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// Trace files of one format; `-` reads standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The format; found from the content when absent.
    #[arg(long)]
    format: Option<String>,
    /// Read only this member of an archive, by its path or the end of it; may be given several times.
    #[arg(long, value_name = "NAME")]
    member: Vec<String>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Fail when any row is rejected.
    #[arg(long)]
    strict: bool,
    /// Write the normalised workload here.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Reads a file, or standard input for `-`, as a whole.
pub(crate) fn read_all(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(bytes)
}

pub(crate) fn import(args: &ImportArgs) -> anyhow::Result<()> {
    let options = ImportOptions {
        format: args.format.clone(),
        members: args.member.clone(),
        ..ImportOptions::default()
    };
    let mut import = Import::new(&options)?;
    for path in &args.files {
        let name = path.display().to_string();
        import.read(&name, open(path)?).with_context(|| name)?;
    }
    let imported = import.finish()?;
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&imported.report)?)?;
    } else {
        write!(out, "{}", imported.report.to_text())?;
    }
    if let Some(path) = &args.out {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let mut file = io::BufWriter::new(file);
        trace::write_sts_json(&imported.workload, &mut file)
            .and_then(|()| file.flush())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if args.strict && imported.report.rejected_count > 0 {
        bail!("{} rows were rejected", imported.report.rejected_count);
    }
    Ok(())
}
