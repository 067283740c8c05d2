//! Files that are no job traces: what they look like, and what to load instead.

use serde_json::Value;

use crate::trace::format::{SACCT_COMMAND, names};
use crate::trace::mapping;
use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;

/// Kinds of files that are no text, by their first bytes.
const MAGIC: [(&[u8], &str, &str); 20] = [
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls)", "Open it and save it as CSV."),
    (b"\xfd7zXZ", "an xz archive", "Unpack it with `xz -d` and load what is in it."),
    (b"BZh", "a bzip2 archive", "Unpack it with `bzip2 -d` and load what is in it."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "Unpack it and load the trace that is in it."),
    (b"Rar!", "a RAR archive", "Unpack it and load the trace that is in it."),
    (
        b"PAR1",
        "a Parquet file",
        "Convert it: python -c \"import pandas as p; p.read_parquet('F').to_csv('F.csv', index=False)\"",
    ),
    (
        b"ARROW1",
        "an Arrow file",
        "Convert it: python -c \"import pandas as p; p.read_feather('F').to_csv('F.csv', index=False)\"",
    ),
    (b"\x89HDF", "an HDF5 file", "Convert the table of jobs to CSV."),
    (b"\x93NUMPY", "a NumPy array", "Convert it to CSV with column names."),
    (
        b"SQLite format 3",
        "an SQLite database",
        "Export the table of jobs: sqlite3 -header -csv F 'select * from jobs'",
    ),
    (b"\x89PNG", "a PNG picture", "Load the trace itself."),
    (b"\xff\xd8\xff", "a JPEG picture", "Load the trace itself."),
    (b"GIF8", "a GIF picture", "Load the trace itself."),
    (b"%PDF", "a PDF document", "Load the data behind it as CSV."),
    (b"\x7fELF", "a program", "Load the trace itself."),
    (b"\0asm", "a WebAssembly module", "Load the trace itself."),
    (
        b"FWS",
        "an Adobe Flash film, which shares the name .swf with workload traces",
        "Load a trace in the Standard Workload Format.",
    ),
    (
        b"CWS",
        "an Adobe Flash film, which shares the name .swf with workload traces",
        "Load a trace in the Standard Workload Format.",
    ),
    (
        b"ZWS",
        "an Adobe Flash film, which shares the name .swf with workload traces",
        "Load a trace in the Standard Workload Format.",
    ),
    (b"\x80\x04\x95", "a Python pickle", "Save the table of jobs as CSV instead."),
];

/// What to load instead of a file that has no jobs.
const INSTEAD: &str = "Load a file with one row a job: its submission, GPUs and run time.";

/// Refuses what is no text, or text that cannot be a table or JSON, whatever format was asked for.
pub(super) fn refuse_foreign(sample: &Sample<'_>) -> Result<(), Refusal> {
    let bytes = sample.bytes();
    let binary = |looks_like: &str, advice: &str| {
        Err(Refusal::Binary { looks_like: looks_like.into(), advice: advice.into() })
    };
    for (magic, looks_like, advice) in MAGIC {
        // Flash films have their version, a control character, after the three letters; a column may begin so too.
        let is_flash = magic.ends_with(b"WS");
        if bytes.starts_with(magic)
            && (!is_flash || bytes.get(3).is_some_and(|&version| version < 64 && version != b','))
        {
            return binary(looks_like, advice);
        }
    }
    refuse_encodings(bytes)?;
    if bytes.starts_with(b"version https://git-lfs") {
        let size = bytes
            .split(|&b| b == b'\n')
            .find_map(|line| line.strip_prefix(b"size "))
            .map(|size| format!(" of {} bytes", String::from_utf8_lossy(size).trim()))
            .unwrap_or_default();
        return Err(Refusal::LfsPointer { size });
    }
    let opening: String =
        String::from_utf8_lossy(bytes.trim_ascii_start()).chars().take(60).collect::<String>().to_lowercase();
    if ["<!doctype html", "<html", "<?xml", "{\\rtf"].iter().any(|start| opening.starts_with(start)) {
        return Err(Refusal::NotJobs {
            looks_like: if opening.starts_with("<?xml") { "XML" } else { "a document or web page" }.into(),
            evidence: format!("it begins with {:?}", opening.chars().take(20).collect::<String>()),
            advice: "Download the file itself, not the page that shows it.".into(),
        });
    }
    Ok(())
}

/// Refuses UTF-16 and UTF-32 that do not say so, and other bytes that no text has.
fn refuse_encodings(bytes: &[u8]) -> Result<(), Refusal> {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|&&b| b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if even + odd == 0 {
        return Ok(());
    }
    let half = bytes.len() / 2;
    let encoding = match (even, odd) {
        (0, odd) if odd * 10 > half * 8 => "UTF-16 (little-endian) without a byte order mark",
        (even, 0) if even * 10 > half * 8 => "UTF-16 (big-endian) without a byte order mark",
        (even, odd) if (even + odd) * 10 > bytes.len() * 7 => "UTF-32",
        _ => {
            return Err(Refusal::Binary {
                looks_like: "binary data: it has zero bytes".into(),
                advice: "Load the trace as text, or as gzip of text.".into(),
            });
        }
    };
    Err(Refusal::Encoding { encoding: encoding.into() })
}

/// Says what a file of no known format is.
pub(super) fn refuse_unknown(sample: &Sample<'_>) -> Refusal {
    if sample.is_json() { unknown_json(sample) } else { unknown_text(sample) }
}

fn unknown_json(sample: &Sample<'_>) -> Refusal {
    if ["jobs", "job_state", "submit_time"].iter().all(|name| sample.has_member(name)) {
        return Refusal::NotJobs {
            looks_like: "what `squeue --json` or the Slurm REST API prints".into(),
            evidence: "its jobs have job_state and submit_time; it knows only what waits and runs now".into(),
            advice: "Export the jobs of the past as well: sacct -a -S 2026-01-01 -E now --json".into(),
        };
    }
    if sample.has_member("sinfo") {
        return Refusal::NotJobs {
            looks_like: "what `sinfo --json` prints".into(),
            evidence: "it has the member sinfo; it lists machines by what they have in common".into(),
            advice: format!(
                "For the cluster: scontrol show nodes --json, or {SINFO_COMMAND}; for the jobs: {SACCT_COMMAND}"
            ),
        };
    }
    let items = serde_json::from_slice::<Value>(sample.bytes()).ok();
    let is_without_items =
        |object: &Value| object.get("items").and_then(Value::as_array).is_some_and(Vec::is_empty);
    if sample.has_member("kind") && items.as_ref().is_some_and(is_without_items) {
        return Refusal::Empty { detail: "it is a list of Kubernetes without items".into() };
    }
    if sample.has_member("format") && sample.contains(b"\"sts-results\"") {
        return Refusal::Results;
    }
    let kinds: [(&[&str], &str); 5] = [
        (&["scenario_hash", "runs"], "results of STS-Sim (summary.json)"),
        (&["cluster", "policies"], "an STS-Sim scenario"),
        (&["types", "slots_per_device"], "an STS-Sim instance for `sts solve`"),
        (&["nodes", "models"], "an import report of STS-Sim"),
        (&["records", "rejected_count"], "an import report of STS-Sim"),
    ];
    for (members, looks_like) in kinds {
        if members.iter().all(|name| sample.has_member(name)) {
            return Refusal::NotJobs {
                looks_like: looks_like.into(),
                evidence: format!("it has the members {}", members.join(" and ")),
                advice: INSTEAD.into(),
            };
        }
    }
    let start: String = String::from_utf8_lossy(sample.bytes().trim_ascii_start()).chars().take(80).collect();
    Refusal::UnknownJson { found: format!("{start:?}"), advice: as_table(sample) }
}

/// How records in JSON become a table, if these are records: an array of objects, or one object a line.
fn as_table(sample: &Sample<'_>) -> String {
    let bytes = sample.bytes().trim_ascii_start();
    let (begins, slurp, lines) = match bytes {
        [b'[', rest @ ..] => (rest.trim_ascii_start().first() == Some(&b'{'), "", "False"),
        [b'{', ..] => {
            let mut ends =
                bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
            let is_object = |line: Option<&[u8]>| line.is_some_and(|line| line.starts_with(b"{"));
            (is_object(ends.next()) && is_object(ends.next()), "s", "True")
        }
        _ => return String::new(),
    };
    if !begins {
        return String::new();
    }
    format!(
        "If it has one object a job, make a table of it and say which column is what: jq -r{slurp} '(.[0]|keys_unsorted) as $k | \
         $k, (.[]|[.[$k[]]]) | @csv' F > F.csv, or python3 -c \"import pandas as p; p.read_json('F', lines={lines})\
         .to_csv('F.csv', index=False)\""
    )
}

/// What prints a list of machines that can be read.
const SINFO_COMMAND: &str = "sinfo -N -o '%N %G' > nodes.txt";

/// What makes a table of `qacct`, with the request, in which the GPUs are.
const QACCT_COMMAND: &str = "qacct -j '*' | awk 'BEGIN {print \"job|user|submit|start|end|seconds|request\"} function row() {if (r[\"jobnumber\"]) \
     print r[\"jobnumber\"] \"|\" r[\"owner\"] \"|\" r[\"qsub_time\"] \"|\" r[\"start_time\"] \"|\" r[\"end_time\"] \"|\" r[\"ru_wallclock\"]+0 \"|\" r[\"category\"]; split(\"\", r)} \
     /^==/ {row()} {v = $0; sub(/^[^ ]+ */, \"\", v); sub(/ +$/, \"\", v); r[$1] = v} END {row()}' > jobs.csv";

/// What exports the jobs of LSF as a table.
const BJOBS_COMMAND: &str = "LSB_DISPLAY_YEAR=Y bjobs -a -u all -o \"jobid user stat queue submit_time start_time finish_time run_time gpu_num \
     delimiter=','\" > jobs.csv";

/// Says what the output of a batch system is that has no job a row, by its first line.
fn batch_system(sample: &Sample<'_>) -> Option<(&'static str, String)> {
    // A date or a message may stand above the table.
    let lines: Vec<&[u8]> = sample.bytes().split(|&byte| byte == b'\n').take(3).collect();
    let above = String::from_utf8_lossy(&lines.join(&b'\n')).into_owned();
    let first = String::from_utf8_lossy(sample.first_line());
    if above.contains("apiVersion:")
        || (above.contains("NAME") && (above.contains("READY") || above.contains("ROLES")))
    {
        let advice =
            "Print it as JSON: kubectl get pods -A -o json, and kubectl get nodes -o json for the cluster"
                .to_owned();
        return Some(("what kubectl prints for the eye, or YAML", advice));
    }
    if above.contains("Mom = ") || above.contains("ntype = PBS") {
        let advice = "It lists machines. Write them as a table with the columns node,gpu_type,gpus; jobs are in server_priv/accounting".to_owned();
        return Some(("what `pbsnodes` prints", advice));
    }
    let first = if first.contains("error:") || is_printed_date(&first) {
        lines.get(1).map_or(first.clone(), |line| String::from_utf8_lossy(line))
    } else {
        first
    };
    let words: Vec<&str> = first.split(|c: char| c.is_whitespace() || c == '|' || c == ',').collect();
    let has = |name: &str| words.iter().any(|word| word.eq_ignore_ascii_case(name));
    if first.starts_with("JobId=") || first.starts_with("JobID=") {
        let advice = format!(
            "It knows only what waits and runs now. Export the jobs of the past as well: {SACCT_COMMAND}"
        );
        return Some(("what `scontrol show job` prints", advice));
    }
    let of_nodes = ["NODELIST", "HOSTNAMES", "NODES", "PARTITION"].into_iter().any(has);
    let of_sinfo = ["GRES", "AVAIL", "STATE", "NODELIST"].into_iter().any(has);
    if (of_nodes && of_sinfo && !has("JOBID")) || first.starts_with("PartitionName=") {
        let advice =
            format!("It lists machines. For the cluster: {SINFO_COMMAND} and for the jobs: {SACCT_COMMAND}");
        return Some(("what `sinfo` or `scontrol show partition` prints", advice));
    }
    let of_squeue = ["NODELIST(REASON)", "ST", "TIME_LEFT", "TRES_PER_NODE", "REASON", "PRIORITY", "TIME"];
    if has("JOBID") && of_squeue.into_iter().any(has) && !has("SUBMIT") {
        let advice = format!(
            "It knows only what waits and runs now. Export the jobs of the past as well: {SACCT_COMMAND}"
        );
        return Some(("what `squeue` prints", advice));
    }
    if first.starts_with("=====") && sample.contains(b"\nqname ") && sample.contains(b"\njobnumber ") {
        let advice = format!("Make a table of it, and say which column is what: {QACCT_COMMAND}");
        return Some(("what `qacct -j` of Grid Engine prints", advice));
    }
    if sample.contains(b"Accounting information about jobs that are") || first.starts_with("\"JOB_FINISH\"") {
        let advice = format!("Export a table instead, and say which column is what: {BJOBS_COMMAND}");
        return Some(("what `bacct` of LSF prints, or its log", advice));
    }
    None
}

/// Whether a line is a date as `date` prints it: `Mon Jan  5 08:00:00 2026`.
fn is_printed_date(line: &str) -> bool {
    let days = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    days.iter().any(|day| line.trim_start().starts_with(day)) && line.contains(':')
}

/// Whether a table seems to have submissions, GPUs and run times. Logs of jobs may well have measurements beside them.
fn has_run_times(sample: &Sample<'_>) -> bool {
    mapping::suggest_in(sample).is_some_and(|guess| {
        let columns = &guess.mapping.columns;
        let is_timed = columns.duration.is_some() || (columns.start.is_some() && columns.end.is_some());
        is_timed && guess.mapping.check().is_ok()
    })
}

fn unknown_text(sample: &Sample<'_>) -> Refusal {
    let header = sample.header();
    let lower: Vec<String> = header.names().iter().map(|name| name.to_lowercase()).collect();
    let column = |parts: &[&str]| {
        lower.iter().position(|name| parts.iter().any(|part| name.contains(part))).map(|at| header.name(at))
    };
    let not_jobs = |looks_like: &str, evidence: String, advice: &str| Refusal::NotJobs {
        looks_like: looks_like.into(),
        evidence,
        advice: advice.into(),
    };
    if sample.contains(b"# TYPE ") || sample.contains(b"# HELP ") {
        return not_jobs("a metrics export of Prometheus", "it has # HELP and # TYPE lines".into(), INSTEAD);
    }
    let is_jobs = has_run_times(sample);
    if let Some(name) = column(&["token", "prompt", "lora"]).filter(|_| !is_jobs) {
        return not_jobs("a log of requests to a model", format!("column {name}"), INSTEAD);
    }
    let metric = ["dcgm_fi", "utilization.", "gpu_util", "power.draw", "temperature", "sm_clock", "_util"];
    if let Some(name) = column(&metric).filter(|_| !is_jobs) {
        let evidence = format!("column {name}; no column holds a job and its run time");
        return not_jobs("a GPU metrics export (DCGM, nvidia-smi)", evidence, INSTEAD);
    }
    let result = ["jct", "finish_s", "first_start_s", "executed_time", "quota_slots", "completion_time"];
    if let Some(name) =
        lower.iter().position(|name| result.contains(&name.as_str())).map(|at| header.name(at))
    {
        let advice = "Load the trace that the simulation was run on.";
        return not_jobs("a result of a simulation", format!("column {name}"), advice);
    }
    if let Some((looks_like, advice)) = batch_system(sample) {
        let line: String = String::from_utf8_lossy(sample.first_line()).chars().take(24).collect();
        return not_jobs(looks_like, format!("its first line is {line:?}"), &advice);
    }
    if lower.iter().any(|name| name.starts_with("jobid ")) || sample.contains(b"------------ ") {
        let advice = format!(
            "Columns so printed are cut off. Export with -P, and -X to leave out steps: {SACCT_COMMAND}"
        );
        return not_jobs("sacct printed for the eye", "columns are aligned with blanks".into(), &advice);
    }
    if sample.first_line().starts_with(b"sacct: error") || sample.first_line().starts_with(b"slurm_") {
        return not_jobs(
            "an error message of Slurm, perhaps above a table",
            format!("its first line is {:?}", String::from_utf8_lossy(sample.first_line())),
            "Export again without messages (2> errors.txt), or delete the line.",
        );
    }
    if sample.first_line().contains(&b'|') && sample.first_line().first().is_some_and(u8::is_ascii_digit) {
        return not_jobs(
            "sacct output without its header",
            format!("{} fields, and none of them named", header.len()),
            "Leave out -n, so that the first line names the columns.",
        );
    }
    if lower.len() < 2 {
        let line: String = String::from_utf8_lossy(sample.first_line()).chars().take(80).collect();
        return not_jobs(
            "text that is no table of jobs",
            format!("its first line is {line:?}"),
            &format!("Load a table with a header, or JSON, in one of the formats {}.", names()),
        );
    }
    Refusal::UnknownTable { columns: header.list() }
}
