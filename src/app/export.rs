//! The files in which results leave the page: their names and their text.

use super::comparison::Comparison;
use crate::metrics::spec::metrics;
use crate::scenario::statistics::Statistics;
use crate::scenario::tables::{Summary, write_statistics_csv};

/// The version of the engine, as in every export.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The text of `summary.json`: every run of the comparison with every metric, `null` where undefined.
#[must_use]
pub fn summary_json(comparison: &Comparison, scenario_hash: &str) -> String {
    let baseline = comparison.baseline().map(|row| row.label.as_str());
    let runs = comparison.all_runs().map(|(_, run)| run);
    let mut summary = Summary::new(scenario_hash, runs, baseline, Vec::new());
    for run in &mut summary.runs {
        let all = &mut run.metrics;
        for spec in metrics() {
            all.values.entry(spec.key.to_owned()).or_default();
        }
        for value in all.values.values_mut().chain(all.utilization_by_type.values_mut()) {
            *value = value.filter(|v| v.is_finite());
        }
    }
    let mut text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    text.push('\n');
    text
}

/// The key figures as CSV: one line a policy and seed, every metric a column, empty where undefined.
///
/// # Errors
/// None that a writer to memory can meet.
pub fn key_figures_csv(comparison: &Comparison) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(
        ["policy", "seed", "result_hash"].into_iter().chain(metrics().iter().map(|spec| spec.key)),
    )?;
    for (row, run) in comparison.all_runs() {
        let mut fields = vec![row.label.clone(), run.seed.to_string(), run.result_hash.clone()];
        for spec in metrics() {
            let value = run.metrics.get(spec.key).filter(|v| v.is_finite());
            fields.push(value.map(|v| v.to_string()).unwrap_or_default());
        }
        writer.write_record(&fields)?;
    }
    let bytes = writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The text of `statistics.csv`: means, intervals and paired differences to the baseline over the seeds, as `sts run` writes them.
///
/// # Errors
/// None that a writer to memory can meet.
pub fn statistics_csv(comparison: &Comparison) -> std::io::Result<String> {
    let baseline = comparison.baseline().map(|row| row.label.as_str());
    let runs: Vec<_> = comparison.all_runs().map(|(_, run)| run).collect();
    let mut bytes = Vec::new();
    write_statistics_csv(&Statistics::of(&runs, baseline), &mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// `<trace>_<what>_<seeds>_<date>.<extension>`, of characters that every file system takes.
#[must_use]
pub fn file_name(trace: &str, what: &str, seeds: Seeds<'_>, date: &str, extension: &str) -> String {
    let stem = [shortened(trace), what.to_owned(), seeds.text(), date.to_owned()]
        .iter()
        .map(|part| plain(part))
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("_");
    format!("{stem}.{extension}")
}

/// The seeds a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seeds<'a> {
    /// One.
    One(u64),
    /// All of a scenario.
    All(&'a [u64]),
}

impl Seeds<'_> {
    fn text(self) -> String {
        match self {
            Self::One(seed) | Self::All(&[seed]) => format!("seed{seed}"),
            Self::All(seeds) => format!("{}seeds", seeds.len()),
        }
    }
}

/// A file's name without the endings of traces.
fn shortened(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let mut stem = name;
    for _ in 0..2 {
        for ending in [".gz", ".zst", ".zip", ".csv", ".jsonl", ".json", ".txt", ".swf"] {
            stem = stem.strip_suffix(ending).unwrap_or(stem);
        }
    }
    stem.chars().take(60).collect()
}

/// Letters, digits, `-` and `.`; a run of anything else becomes one `-`.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || (c == '.' && !out.is_empty()) {
            out.push(c);
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.trim_end_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_trace_policy_seed_and_date() {
        let name = file_name("philly_2017w46.csv.gz", "sts-fairness", Seeds::One(3), "2026-12-01", "csv");
        assert_eq!(name, "philly-2017w46_sts-fairness_seed3_2026-12-01.csv");
        let name =
            file_name("C:\\traces\\my jobs.json", "jct-cdf", Seeds::All(&[0, 1, 2]), "2026-12-01", "svg");
        assert_eq!(name, "my-jobs_jct-cdf_3seeds_2026-12-01.svg");
    }

    #[test]
    fn names_hold_nothing_a_file_system_refuses() {
        let name = file_name("../..\u{202e}<a>:\"|?*", "a/b", Seeds::All(&[7]), "", "json");
        assert_eq!(name, "a_a-b_seed7.json");
        let name = file_name(&"x".repeat(500), "p", Seeds::One(0), "2026-12-01", "csv");
        assert!(name.len() < 100, "{name}");
    }
}
