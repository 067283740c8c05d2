//! `sts import`: read job traces and say what was understood.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use sts_sim::scenario::{ClusterSpec, machines};
use sts_sim::trace::mapping::{self, Mapping};
use sts_sim::trace::{self, FileRead, Head, Import, ImportOptions, Imported, NodeReport, Refusal, Repairs};
use sts_sim::workload::Workload;
use sts_sim::workload::shape::TypeNames;

/// Arguments of `sts import`.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// Files of one trace, in any order: one format, and what comes with it (lists of machines, files with the names of columns,
    /// tables that belong together); `-` reads standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The format; found from the content when absent.
    #[arg(long)]
    format: Option<String>,
    /// What the columns of a table are and how it is written (JSON); it is then read as `generic-csv`.
    #[arg(long, value_name = "FILE.json")]
    mapping: Option<PathBuf>,
    /// Read nothing: print the mapping that the first file seems to have, and on standard error why.
    #[arg(long, conflicts_with_all = ["mapping", "json", "out", "strict", "cluster"])]
    suggest_mapping: bool,
    /// Read only this member of an archive, by its path or the end of it; may be given several times.
    #[arg(long, value_name = "NAME")]
    member: Vec<String>,
    /// Repair what is read, such as `fill=model`, `fill_s=3600`, `running=elapsed`, `run_time=start-to-end`, `longest_s=86400`,
    /// `shortest_s=1`, `repeated_ids=last` or `times=milliseconds`; may be given several times. Each is listed in the report.
    #[arg(long, value_name = "KEY=VALUE")]
    repair: Vec<String>,
    /// Read only one record in N: one of every N records, at a place that is drawn, always alike.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    one_in: u32,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Fail when any row is rejected.
    #[arg(long)]
    strict: bool,
    /// Write the normalised workload here: `sts-csv` if the name ends in `.csv`, else `sts-json`.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write the `cluster` of a scenario here (JSON), made of the only list of machines among the files. Models whose names say
    /// nothing are written as a stand-in, and told on standard error.
    #[arg(long, value_name = "FILE.json")]
    cluster: Option<PathBuf>,
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

/// Repairs as `--repair` states them: the keys and values of a scenario's `workload.trace.repairs`.
fn repairs(pairs: &[String]) -> anyhow::Result<Repairs> {
    let mut object = serde_json::Map::new();
    for pair in pairs {
        let (key, value) = pair
            .split_once('=')
            .with_context(|| format!("--repair: found {pair:?}, expected KEY=VALUE, such as fill=model"))?;
        let number = value.parse::<u64>().map(serde_json::Value::from);
        object.insert(key.to_owned(), number.unwrap_or_else(|_| value.into()));
    }
    let mut unknown = Vec::new();
    let json = serde_json::Value::Object(object);
    let repairs = serde_ignored::deserialize(json, |key| unknown.push(key.to_string()))
        .with_context(|| format!("--repair: {}", pairs.join(" ")))?;
    if !unknown.is_empty() {
        bail!(
            "--repair: there is no {}; there are repeated_ids, times, run_time, running, fill, fill_s, shortest_s and longest_s",
            unknown.join(", ")
        );
    }
    Ok(repairs)
}

/// Writes a workload: as a table if the name of the file ends in `.csv`, else as JSON.
pub(crate) fn write_workload(workload: &Workload, path: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut file = io::BufWriter::new(File::create(path).with_context(failed)?);
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let written = if is_csv {
        trace::write_sts_csv(workload, &mut file)
    } else {
        trace::write_sts_json(workload, &mut file)
    };
    written.and_then(|()| file.flush()).with_context(failed)
}

/// Prints the mapping that a file seems to have.
fn suggest_mapping(path: &Path, members: &[String]) -> anyhow::Result<()> {
    let name = path.display().to_string();
    let head = Head::read(open(path)?, members).with_context(|| name.clone())?;
    let Some(suggestion) = mapping::suggest(&head) else {
        bail!(
            "{name}: no table of at least two columns. Expected text with a delimiter; a mapping cannot help here"
        );
    };
    for reason in &suggestion.reasons {
        eprintln!("{}: {}", reason.path, reason.text);
    }
    writeln!(io::stdout().lock(), "{}", suggestion.mapping.to_json())?;
    if let Err(error) = suggestion.mapping.check() {
        bail!("{name}: the proposal is not complete: {error}");
    }
    Ok(())
}

/// The mapping in a file.
fn read_mapping(path: &Path) -> anyhow::Result<Mapping> {
    let name = path.display().to_string();
    let text = String::from_utf8(read_all(path)?).with_context(|| format!("{name}: not UTF-8 text"))?;
    Mapping::from_json(&text).with_context(|| name)
}

/// Reads files as one trace, in whatever order they are given.
pub(crate) fn import_files(paths: &[PathBuf], options: &ImportOptions) -> anyhow::Result<Imported> {
    let mut import = Import::new(options)?;
    let size =
        |path: &PathBuf| path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    if let Some(bytes) = paths.iter().map(size).sum() {
        // The system says itself when there is no more memory.
        import.expect(bytes, u64::MAX);
    }
    let mut paths = paths.to_vec();
    trace::put_in_reading_order(&mut paths, |path| path.display().to_string());
    let repeated = trace::repeated(&paths, size, |one, other| -> anyhow::Result<bool> {
        Ok(trace::have_same_bytes(BufReader::new(open(one)?), BufReader::new(open(other)?))?)
    })?;
    for (path, first) in paths.iter().zip(repeated) {
        let name = path.display().to_string();
        match first.and_then(|first| paths.get(first)) {
            Some(first) => import.pass_over_repeated(&name, &first.display().to_string()),
            None => import.read(&name, open(path)?),
        }
        .with_context(|| name)?;
    }
    Ok(import.finish()?)
}

/// Writes the cluster of the list of machines among files.
fn write_cluster(files: &[FileRead], path: &Path) -> anyhow::Result<()> {
    let lists: Vec<(&str, &NodeReport)> = trace::node_lists(files).collect();
    let [(name, list)] = lists.as_slice() else {
        bail!(
            "{} is not written: found {} lists of machines among the files, expected one; give the one to be used",
            path.display(),
            lists.len()
        );
    };
    let nodes = machines::nodes(list, &TypeNames::new());
    if nodes.is_empty() {
        bail!("{} is not written: no machine in {name} has a GPU", path.display());
    }
    for model in machines::models(list).iter().filter(|model| model.known_as.is_none()) {
        let model = if model.name.is_empty() { "not stated" } else { model.name.as_str() };
        eprintln!(
            "{name}: the GPU model {model} is not in the catalogue; {} stands for it",
            machines::STAND_IN
        );
    }
    let cluster = ClusterSpec {
        nodes,
        price_per_gpu_hour: BTreeMap::new(),
        changes: Vec::new(),
        failures: BTreeMap::new(),
    };
    let json = serde_json::to_string_pretty(&cluster)?;
    std::fs::write(path, json + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// Prints lists of machines that came without jobs. There is no workload to be written.
fn print_machines(files: &[FileRead], args: &ImportArgs, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(path) = &args.out {
        bail!("{} is not written: the files list machines, not jobs", path.display());
    }
    if let Some(path) = &args.cluster {
        write_cluster(files, path)?;
    }
    let lists: Vec<(&str, &NodeReport)> = trace::node_lists(files).collect();
    let unread: u64 = lists.iter().map(|(_, list)| list.unread).sum();
    match lists.as_slice() {
        [(_, list)] if args.json => writeln!(out, "{}", serde_json::to_string_pretty(list)?)?,
        _ if args.json => writeln!(out, "{}", serde_json::to_string_pretty(files)?)?,
        lists => {
            for (name, list) in lists {
                writeln!(out, "{name}: {list}")?;
            }
        }
    }
    if args.strict && unread > 0 {
        bail!("{unread} rows of machines cannot be read");
    }
    Ok(())
}

pub(crate) fn import(args: &ImportArgs) -> anyhow::Result<()> {
    if let Some(path) = args.files.first().filter(|_| args.suggest_mapping) {
        return suggest_mapping(path, &args.member);
    }
    let options = ImportOptions {
        format: args.format.clone(),
        mapping: args.mapping.as_deref().map(read_mapping).transpose()?.map(Box::new),
        members: args.member.clone(),
        one_in: args.one_in,
        repairs: repairs(&args.repair)?,
        ..ImportOptions::default()
    };
    let mut out = io::stdout().lock();
    let imported = match import_files(&args.files, &options) {
        Ok(imported) => imported,
        Err(error) => match error.downcast_ref() {
            Some(Refusal::NodeList { files }) => return print_machines(files, args, &mut out),
            _ => return Err(error),
        },
    };
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&imported.report)?)?;
    } else {
        write!(out, "{}", imported.report.to_text())?;
    }
    if let Some(path) = &args.cluster {
        write_cluster(&imported.report.files, path)?;
    }
    let report = &imported.report;
    if report.jobs == 0 && report.not_in_sample() > 0 {
        bail!(
            "no job was read: the sample left {} of {} records out; give --one-in a number smaller than {}",
            report.not_in_sample(),
            report.records,
            args.one_in
        );
    }
    if report.jobs == 0 {
        bail!(
            "no job was read: of {} records {} were left out and {} rejected",
            report.records,
            report.skipped_count(),
            report.rejected_count
        );
    }
    if let Some(path) = &args.out {
        write_workload(&imported.workload, path)?;
    }
    if args.strict && imported.report.rejected_count > 0 {
        bail!("{} rows were rejected", imported.report.rejected_count);
    }
    Ok(())
}
