//! Tables for files: jobs, rounds and break-downs as CSV, the comparison as JSON.

mod breakdown;
mod statistics;

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

pub use self::breakdown::{write_classes_csv, write_tenants_csv, write_types_csv};
pub use self::statistics::write_statistics_csv;
use super::run::{Account, Prepared, RunResult};
use super::statistics::{Pair, Statistics};
use crate::metrics::jobs::bounded_slowdown;
use crate::metrics::properties::FairnessReport;
use crate::metrics::{Breakdown, Metrics};
use crate::sim::waiting::WaitHistory;
use crate::sim::{RoundReport, RunRecord, Watch};

/// `summary.json`: every run of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Fingerprint of the scenario.
    pub scenario_hash: String,
    /// Version of the engine.
    pub engine_version: String,
    /// One entry a policy and seed.
    pub runs: Vec<SummaryRun>,
    /// Every metric over the seeds, and its difference to the baseline.
    #[serde(default)]
    pub statistics: Statistics,
}

/// One run in `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRun {
    /// The policy's label.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// Fingerprint of every allocation.
    pub result_hash: String,
    /// Seconds the simulation took.
    pub sim_wall_s: Option<f64>,
    /// Metrics.
    pub metrics: Metrics,
    /// What violations of floors come from, and how well they were measured.
    #[serde(default)]
    pub account: Account,
    /// Fairness properties of its decisions, with the worst failures; `None` for a run that was not simulated.
    #[serde(default)]
    pub fairness: Option<FairnessReport>,
    /// `by_tenant`, `by_type` and `by_class`.
    #[serde(default, flatten)]
    pub breakdown: Breakdown,
}

impl Summary {
    /// The summary of a comparison with the baseline of this label; `over_jobs` are comparisons job by job, if there are any.
    #[must_use]
    pub fn new<'a>(
        scenario_hash: &str,
        runs: impl IntoIterator<Item = &'a RunResult>,
        baseline: Option<&str>,
        over_jobs: Vec<Pair>,
    ) -> Self {
        let results: Vec<&RunResult> = runs.into_iter().collect();
        let mut statistics = Statistics::of(&results, baseline);
        statistics.pairs.extend(over_jobs);
        let runs = results
            .into_iter()
            .map(|run| SummaryRun {
                policy: run.policy.clone(),
                seed: run.seed,
                result_hash: run.result_hash.clone(),
                sim_wall_s: run.sim_wall_s,
                metrics: run.metrics.clone(),
                account: run.account,
                fairness: run.fairness.clone(),
                breakdown: run.breakdown.clone(),
            })
            .collect();
        Self {
            scenario_hash: scenario_hash.to_string(),
            engine_version: env!("CARGO_PKG_VERSION").to_string(),
            runs,
            statistics,
        }
    }
}

/// Seconds with microseconds, without trailing zeros.
fn seconds(micros: i64) -> String {
    let text = format!(
        "{}{}.{:06}",
        if micros < 0 { "-" } else { "" },
        micros.abs() / 1_000_000,
        micros.abs() % 1_000_000
    );
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Writes one row a job: simulated jobs in order of submission, then jobs that never fit.
///
/// # Errors
/// Those of `out`.
pub fn write_jobs_csv(prepared: &Prepared, record: &RunRecord, out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "job",
        "tenant",
        "submit_s",
        "gpus",
        "first_start_s",
        "finish_s",
        "jct_s",
        "wait_s",
        "slowdown",
        "preemptions",
        "migrations",
        "outcome",
        "gpu_types",
    ])?;
    let none = String::new;
    let mut segments = record.segments.iter().peekable();
    for (index, (job, run)) in prepared.workload.jobs.iter().zip(&record.jobs).enumerate() {
        let mut types: Vec<&str> = Vec::new();
        while let Some(segment) = segments.next_if(|segment| segment.job.index() == index) {
            let name = prepared.cluster.gpu_type(segment.type_id).name.as_str();
            if !types.contains(&name) {
                types.push(name);
            }
        }
        let jct = run.finish.map(|finish| finish - job.submit);
        let slowdown = jct.map(|jct| bounded_slowdown(job, jct.as_secs()));
        csv.write_record([
            prepared.source.names.get(job.record as usize),
            &prepared.workload.tenants[job.tenant.index()].name,
            &seconds(job.submit.0),
            &prepared.workload.class_of(job).gpus.as_gpus().to_string(),
            &run.first_start.map_or_else(none, |t| seconds(t.0)),
            &run.finish.map_or_else(none, |t| seconds(t.0)),
            &jct.map_or_else(none, |jct| seconds(jct.0)),
            &jct.map_or_else(none, |jct| seconds((jct - run.held).0)),
            &slowdown.map_or_else(none, |s| format!("{s:.6}")),
            &run.preemptions.to_string(),
            &run.migrations.to_string(),
            if run.finish.is_some() { "finished" } else { "unfinished" },
            &types.join("|"),
        ])?;
    }
    for &index in &prepared.workload.never_fit {
        let Some(job) = prepared.source.jobs.get(index as usize) else { continue };
        let tenant = prepared.source.tenants.get(job.tenant.index()).map_or("", String::as_str);
        csv.write_record([
            prepared.source.names.get(index as usize),
            tenant,
            &seconds(job.submit.0),
            &job.gpus.as_gpus().to_string(),
            "",
            "",
            "",
            "",
            "",
            "",
            "",
            "never-fit",
            "",
        ])?;
    }
    csv.flush()
}

/// Writes one row a stretch of time in which a job waited for one reason: simulated jobs in order of submission, each one's waits in
/// order of time. `first_round` and `last_round` are the rounds that the stretch touches.
///
/// # Errors
/// Those of `out`.
pub fn write_waits_csv(prepared: &Prepared, record: &RunRecord, out: impl Write) -> io::Result<()> {
    write_wait_history_csv(prepared, &WaitHistory::of(record), out)
}

/// The same from waits that are known already.
///
/// # Errors
/// Those of `out`.
pub fn write_wait_history_csv(prepared: &Prepared, waits: &WaitHistory, out: impl Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(["job", "tenant", "from_s", "to_s", "first_round", "last_round", "reason"])?;
    let length = prepared.scenario.round.settings().length;
    for (job, span) in waits.all() {
        let Some(bound) = prepared.workload.jobs.get(job.index()) else { continue };
        let rounds = span.rounds(length);
        csv.write_record([
            prepared.source.names.get(bound.record as usize),
            &prepared.workload.tenants[bound.tenant.index()].name,
            &seconds(span.from.0),
            &seconds(span.to.0),
            &rounds.start.to_string(),
            &(rounds.end - 1).to_string(),
            span.reason.code(),
        ])?;
    }
    csv.flush()
}

/// Writes the rounds of a run as they are decided: one row a tenant and type for policies with a ledger, else one row a round.
/// Rounds that are passed over, because they would be decided alike, have no row.
///
/// | column | what it is |
/// |---|---|
/// | `round`, `start_s` | index of the round, its beginning |
/// | `tenant`, `gpu_type` | whose row it is and for which type; a tenant has one for every type of the cluster |
/// | `quota_slots` | slots the tenant was entitled to on this type, loans and credit for gangs included |
/// | `used_slots` | slots on this type of the options that the decision grants its jobs |
/// | `floor` | what the quota is worth to the tenant over all types, `V_u(q_u)`, in the integer unit of the decision; where every job of the round has its best option no floor can bind, and a lower value reached inside the quota may stand here |
/// | `value` | what the decision gives the tenant over all types, in the same unit; never below `floor` |
/// | `loan_slots` | slots that the temporal layer gave to the tenant on this type and others have as their quota this round; negative for what it has of others |
/// | `gap` | (bound − objective) / bound of the decision; empty for policies without a bound |
///
/// `floor` and `value` are in a unit that may change from round to round: compare them within a round.
pub struct RoundsCsv<'a, W: Write> {
    prepared: &'a Prepared,
    csv: csv::Writer<W>,
    error: Option<io::Error>,
}

impl<'a, W: Write> RoundsCsv<'a, W> {
    /// Starts the table.
    pub fn new(prepared: &'a Prepared, out: W) -> Self {
        let mut csv = csv::Writer::from_writer(out);
        let head = [
            "round",
            "start_s",
            "tenant",
            "gpu_type",
            "quota_slots",
            "used_slots",
            "floor",
            "value",
            "loan_slots",
            "gap",
        ];
        let error = csv.write_record(head).err().map(io::Error::from);
        Self { prepared, csv, error }
    }

    /// Ends the table and gives back what it was written to.
    ///
    /// # Errors
    /// The first error of the underlying writer.
    pub fn finish(mut self) -> io::Result<W> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.csv.into_inner().map_err(csv::IntoInnerError::into_error),
        }
    }

    fn write(&mut self, report: &RoundReport<'_>) -> io::Result<()> {
        let gap = report.proof.map_or_else(String::new, |proof| proof.gap().to_string());
        let (round, start) = (report.round.to_string(), seconds(report.start.0));
        if report.ledger.is_empty() {
            self.csv.write_record([&round, &start, "", "", "", "", "", "", "", gap.as_str()])?;
        }
        for row in report.ledger {
            self.csv.write_record([
                &round,
                &start,
                &self.prepared.workload.tenants[row.tenant.index()].name,
                &self.prepared.cluster.gpu_type(row.type_id).name,
                &row.quota_slots.to_string(),
                &row.used_slots.to_string(),
                &row.floor.to_string(),
                &row.value.to_string(),
                &row.loan_slots.to_string(),
                &gap,
            ])?;
        }
        Ok(())
    }
}

impl<W: Write> Watch for RoundsCsv<'_, W> {
    fn round(&mut self, report: &RoundReport<'_>) {
        if self.error.is_none() {
            self.error = self.write(report).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn seconds_are_exact_and_short() {
        assert_eq!(seconds(0), "0");
        assert_eq!(seconds(1_500_000), "1.5");
        assert_eq!(seconds(-1), "-0.000001");
        assert_eq!(seconds(100_000_000), "100");
    }
}
