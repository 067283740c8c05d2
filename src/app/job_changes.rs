//! Who gains and who loses, job by job: the jobs of two runs of one seed, joined, and what of them a reader asks for.
//!
//! A worker joins two job tables and keeps the result; the page asks it for a page of rows, counts and a distribution, so that a
//! hundred thousand jobs never cross over.

use std::cmp::Ordering;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::explain::{Unreadable, waiting_jobs};
use super::job_table::{self, JobRow};
use crate::chart::{Classes, Distribution};

/// Rows that are shown at most.
pub const MOST_SHOWN: usize = 100;
/// Completion times that differ by less, in seconds, are the same.
pub const SAME_S: f64 = 1.0;
/// Ends of the classes of the distribution: JCT after ÷ before.
const EDGES: [f64; 8] = [0.1, 0.25, 0.5, 0.9, 1.1, 2.0, 4.0, 10.0];
const CLASSES: [&str; 9] =
    ["< 0.1×", "0.1–0.25", "0.25–0.5", "0.5–0.9", "0.9–1.1", "1.1–2", "2–4", "4–10", "≥ 10×"];

/// How long a job waited and took under one policy.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Times {
    /// From submission to completion, in seconds; `None` if it did not finish.
    pub jct_s: Option<f64>,
    /// Of that, the time it held nothing.
    pub wait_s: Option<f64>,
}

/// A job under both policies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobChange {
    /// Its place among the jobs of the runs, which is its number in their schedules.
    pub number: u32,
    /// Its name.
    pub job: String,
    /// Its tenant.
    pub tenant: String,
    /// GPUs it asked for.
    pub gpus: String,
    /// When it was submitted, in seconds.
    pub submit_s: f64,
    /// Under the baseline.
    pub before: Times,
    /// Under the policy that is looked at.
    pub after: Times,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It finished sooner.
    Gains,
    /// It finished later.
    Loses,
    /// It finished at the same time, but for less than [`SAME_S`].
    Same,
    /// It did not finish under one of the two, or neither.
    Unfinished,
}

impl JobChange {
    /// By how many seconds its completion time is longer than under the baseline.
    #[must_use]
    pub fn difference_s(&self) -> Option<f64> {
        Some(self.after.jct_s? - self.before.jct_s?)
    }

    /// Its completion time over that under the baseline; `None` also where that is 0.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let (after, before) = (self.after.jct_s?, self.before.jct_s?);
        (before > 0.0).then(|| after / before)
    }

    /// What became of it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self.difference_s() {
            None => Outcome::Unfinished,
            Some(by_s) if by_s.abs() < SAME_S => Outcome::Same,
            Some(by_s) if by_s < 0.0 => Outcome::Gains,
            Some(_) => Outcome::Loses,
        }
    }
}

/// What rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SortBy {
    /// The job's name.
    Job,
    /// Its tenant.
    Tenant,
    /// GPUs it asked for.
    Gpus,
    /// Completion time under the baseline.
    JctBefore,
    /// Completion time under the other policy.
    JctAfter,
    /// Their difference.
    Difference,
    /// Their ratio.
    Ratio,
    /// Wait under the baseline.
    WaitBefore,
    /// Wait under the other policy.
    WaitAfter,
}

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sorting {
    /// The least first: with a difference, who gains most.
    Rising,
    /// The greatest first: with a difference, who loses most.
    Falling,
}

/// What a reader asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Rows in this order; undefined values last either way.
    pub sort_by: SortBy,
    /// Which way.
    pub sorting: Sorting,
    /// Only jobs whose name or tenant contains this.
    pub wanted: String,
    /// Only jobs of this tenant.
    pub tenant: Option<String>,
    /// Only jobs of which this became.
    pub outcome: Option<Outcome>,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            sort_by: SortBy::Difference,
            sorting: Sorting::Rising,
            wanted: String::new(),
            tenant: None,
            outcome: None,
        }
    }
}

/// How many jobs gain and lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Jobs that gain.
    pub gain: u64,
    /// Jobs that lose.
    pub lose: u64,
    /// Jobs that stay the same.
    pub same: u64,
    /// Jobs that cannot be compared.
    pub unfinished: u64,
}

impl Counts {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> u64 {
        self.gain + self.lose + self.same + self.unfinished
    }

    fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Gains => &mut self.gain,
            Outcome::Loses => &mut self.lose,
            Outcome::Same => &mut self.same,
            Outcome::Unfinished => &mut self.unfinished,
        } += 1;
    }
}

/// The answer to a [`Query`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Listed {
    /// The first rows, at most [`MOST_SHOWN`].
    pub rows: Vec<JobChange>,
    /// Rows there are.
    pub found: u64,
    /// Of the jobs that the words and the tenant choose, whatever became of them.
    pub counts: Counts,
    /// Of the same jobs, how many have a ratio in each class of [`distribution`].
    pub by_ratio: Vec<u64>,
    /// Every tenant, by name.
    pub tenants: Vec<String>,
}

/// The jobs of two runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobChanges {
    jobs: Vec<JobChange>,
    tenants: Vec<String>,
}

/// Why two tables cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotJoined {
    /// A table is not as the engine writes it.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// They are of other jobs.
    #[error(
        "the two runs are not of the same jobs: row {row} is {found} in one and {expected} in the other; compare runs of one seed"
    )]
    OtherJobs {
        /// The row, counted from 1 without the head.
        row: usize,
        /// A job, or nothing.
        found: String,
        /// The job in its place.
        expected: String,
    },
}

impl JobChanges {
    /// Joins two job tables of one seed: both have the same jobs in the same order.
    ///
    /// # Errors
    /// [`NotJoined`] where a table cannot be read or they are of other jobs.
    pub fn join(before: &[u8], after: &[u8]) -> Result<Self, NotJoined> {
        let mut jobs: Vec<JobChange> = Vec::new();
        job_table::read(before, |row| {
            let before = times(&row);
            let JobRow { job, tenant, submit_s, gpus, .. } = row;
            let number = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
            jobs.push(JobChange { number, job, tenant, gpus, submit_s, before, after: Times::default() });
        })?;
        let mut rows = 0;
        let mut other = None;
        job_table::read(after, |row| {
            match jobs.get_mut(rows) {
                Some(job) if job.job == row.job && job.tenant == row.tenant => job.after = times(&row),
                job if other.is_none() => {
                    let expected = job.map_or_else(|| NO_JOB.to_owned(), |job| job.job.clone());
                    other = Some(NotJoined::OtherJobs { row: rows + 1, found: row.job, expected });
                }
                _ => {}
            }
            rows += 1;
        })?;
        if let Some(other) = other {
            return Err(other);
        }
        if let Some(job) = jobs.get(rows) {
            let (found, expected) = (NO_JOB.to_owned(), job.job.clone());
            return Err(NotJoined::OtherJobs { row: rows + 1, found, expected });
        }
        let mut tenants: Vec<String> = jobs.iter().map(|job| job.tenant.clone()).collect();
        tenants.sort_unstable();
        tenants.dedup();
        Ok(Self { jobs, tenants })
    }

    /// The rows that a reader asks for.
    #[must_use]
    pub fn list(&self, query: &Query) -> Listed {
        let wanted = query.wanted.trim().to_lowercase();
        let contains = |text: &str| text.to_lowercase().contains(&wanted);
        let mut listed =
            Listed { by_ratio: vec![0; CLASSES.len()], tenants: self.tenants.clone(), ..Listed::default() };
        let mut rows: Vec<&JobChange> = Vec::new();
        for job in &self.jobs {
            let is_of_tenant = query.tenant.as_ref().is_none_or(|tenant| *tenant == job.tenant);
            if !is_of_tenant || !(wanted.is_empty() || contains(&job.job) || contains(&job.tenant)) {
                continue;
            }
            let outcome = job.outcome();
            listed.counts.add(outcome);
            if let Some(count) = job.ratio().and_then(|ratio| listed.by_ratio.get_mut(class(ratio))) {
                *count += 1;
            }
            if query.outcome.is_none_or(|of| of == outcome) {
                rows.push(job);
            }
        }
        listed.found = rows.len() as u64;
        let order = |a: &&JobChange, b: &&JobChange| query.order(a, b);
        if rows.len() > MOST_SHOWN {
            rows.select_nth_unstable_by(MOST_SHOWN, order);
            rows.truncate(MOST_SHOWN);
        }
        rows.sort_unstable_by(order);
        listed.rows = rows.into_iter().cloned().collect();
        listed
    }

    /// Writes every job in the order of the runs.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record([
            "job",
            "tenant",
            "gpus",
            "submit_s",
            "jct_before_s",
            "jct_after_s",
            "difference_s",
            "ratio",
            "wait_before_s",
            "wait_after_s",
            "outcome",
        ])?;
        for job in &self.jobs {
            let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            let outcome = match job.outcome() {
                Outcome::Gains => "gains",
                Outcome::Loses => "loses",
                Outcome::Same => "same",
                Outcome::Unfinished => "unfinished",
            };
            // Times in the tables are whole microseconds.
            let rounded = |value: Option<f64>| value.map(|value| format!("{value:.6}")).unwrap_or_default();
            csv.write_record([
                job.job.as_str(),
                &job.tenant,
                &job.gpus,
                &job.submit_s.to_string(),
                &number(job.before.jct_s),
                &number(job.after.jct_s),
                &rounded(job.difference_s()),
                &rounded(job.ratio()),
                &number(job.before.wait_s),
                &number(job.after.wait_s),
                outcome,
            ])?;
        }
        csv.flush()
    }
}

const NO_JOB: &str = "no job";

fn times(row: &JobRow) -> Times {
    Times { jct_s: row.jct_s, wait_s: row.wait_s }
}

/// The class of a ratio.
fn class(ratio: f64) -> usize {
    EDGES.partition_point(|edge| *edge <= ratio)
}

/// How many jobs have their completion time multiplied by how much.
#[must_use]
pub fn distribution(by_ratio: &[u64]) -> Distribution {
    Distribution {
        id: "job-changes".to_owned(),
        title: "Jobs by JCT after ÷ before".to_owned(),
        width: 0.0,
        height: 120.0,
        classes: Classes::Named(CLASSES.map(str::to_owned).into()),
        counts: by_ratio.to_vec(),
    }
}

impl Query {
    /// The order of two jobs: undefined values last, jobs that are alike in their own order.
    fn order(&self, a: &JobChange, b: &JobChange) -> Ordering {
        let turned = |order: Ordering| match self.sorting {
            Sorting::Rising => order,
            Sorting::Falling => order.reverse(),
        };
        let order = match self.sort_by {
            SortBy::Job => turned(a.job.cmp(&b.job)),
            SortBy::Tenant => turned(a.tenant.cmp(&b.tenant)),
            _ => match (self.value(a), self.value(b)) {
                (Some(a), Some(b)) => turned(a.total_cmp(&b)),
                (a, b) => b.is_some().cmp(&a.is_some()),
            },
        };
        order.then_with(|| a.number.cmp(&b.number))
    }

    fn value(&self, job: &JobChange) -> Option<f64> {
        match self.sort_by {
            SortBy::Job | SortBy::Tenant => None,
            SortBy::Gpus => job.gpus.parse().ok(),
            SortBy::JctBefore => job.before.jct_s,
            SortBy::JctAfter => job.after.jct_s,
            SortBy::Difference => job.difference_s(),
            SortBy::Ratio => job.ratio(),
            SortBy::WaitBefore => job.before.wait_s,
            SortBy::WaitAfter => job.after.wait_s,
        }
    }
}

/// A stretch of time in which a job waited for one reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobWait {
    /// From, in seconds.
    pub from_s: f64,
    /// To, in seconds.
    pub to_s: f64,
    /// Why, in words.
    pub words: String,
}

/// When and why one job waited in a run, from its `waits-*.csv`; none where it did not.
///
/// # Errors
/// [`Unreadable`] for a row that is not as the engine writes it.
pub fn waits_of(csv: &str, job: &str, tenant: &str) -> Result<Vec<JobWait>, Unreadable> {
    let of_job = waiting_jobs(csv)?.into_iter().find(|of| of.job == job && of.tenant == tenant);
    let wait =
        |of: super::explain::Waited| JobWait { from_s: of.from_s, to_s: of.to_s, words: of.words.to_owned() };
    Ok(of_job.map(|of| of.waits.into_iter().map(wait).collect()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::job_table::tests::HEAD;
    use crate::chart::Chart;
    use crate::policy::Reason;

    fn table(rows: &[(&str, &str, Option<f64>)]) -> Vec<u8> {
        let row = |(job, tenant, jct): &(&str, &str, Option<f64>)| match jct {
            Some(jct) => format!("{job},{tenant},5,2,6,{},{jct},1,1,0,0,finished,T4\n", jct + 5.0),
            None => format!("{job},{tenant},5,2,,,,,,0,0,unfinished,\n"),
        };
        format!("{HEAD}{}", rows.iter().map(row).collect::<String>()).into_bytes()
    }

    fn four() -> JobChanges {
        let before =
            [("a", "x", Some(100.0)), ("b", "y", Some(10.0)), ("c", "x", Some(50.0)), ("d", "y", None)];
        let after =
            [("a", "x", Some(40.0)), ("b", "y", Some(90.0)), ("c", "x", Some(50.5)), ("d", "y", Some(7.0))];
        JobChanges::join(&table(&before), &table(&after)).unwrap()
    }

    fn names(listed: &Listed) -> String {
        listed.rows.iter().map(|row| row.job.as_str()).collect()
    }

    #[test]
    fn jobs_gain_lose_or_stay() {
        let listed = four().list(&Query::default());
        assert_eq!(names(&listed), "acbd", "who gains most is first, what is undefined last");
        assert_eq!(listed.counts, Counts { gain: 1, lose: 1, same: 1, unfinished: 1 });
        assert_eq!((listed.found, listed.counts.all()), (4, 4));
        assert_eq!(listed.rows[0].difference_s(), Some(-60.0));
        assert_eq!(listed.rows[0].ratio(), Some(0.4));
        assert_eq!(listed.by_ratio, [0, 0, 1, 0, 1, 0, 0, 1, 0]);
        assert_eq!(listed.tenants, ["x", "y"]);
        assert!(distribution(&listed.by_ratio).summary().contains("3 in all"));
    }

    #[test]
    fn a_reader_chooses_and_sorts() {
        let jobs = four();
        let of = |query: Query| names(&jobs.list(&query));
        let falling = Query { sorting: Sorting::Falling, ..Query::default() };
        assert_eq!(of(falling.clone()), "bcad");
        assert_eq!(of(Query { sort_by: SortBy::Job, ..falling.clone() }), "dcba");
        assert_eq!(of(Query { sort_by: SortBy::JctAfter, ..Query::default() }), "dacb");
        assert_eq!(of(Query { tenant: Some("y".into()), ..falling.clone() }), "bd");
        assert_eq!(of(Query { wanted: " X ".into(), ..falling.clone() }), "ca");
        let losers = jobs.list(&Query { outcome: Some(Outcome::Loses), ..falling });
        assert_eq!((names(&losers).as_str(), losers.found, losers.counts.all()), ("b", 1, 4));
    }

    #[test]
    fn only_the_first_rows_cross_over() {
        let jobs: Vec<(String, f64)> =
            (0..5000).map(|i| (format!("j{i}"), f64::from((i * 7919) % 5000))).collect();
        let rows: Vec<(&str, &str, Option<f64>)> =
            jobs.iter().map(|(name, jct)| (name.as_str(), "x", Some(*jct + 1.0))).collect();
        let same: Vec<(&str, &str, Option<f64>)> =
            rows.iter().map(|row| (row.0, "x", Some(2500.0))).collect();
        let joined = JobChanges::join(&table(&same), &table(&rows)).unwrap();
        let listed = joined.list(&Query::default());
        assert_eq!((listed.rows.len(), listed.found), (MOST_SHOWN, 5000));
        let differences: Vec<f64> = listed.rows.iter().filter_map(JobChange::difference_s).collect();
        assert_eq!(differences, (0..100).map(|i| f64::from(i) - 2499.0).collect::<Vec<_>>());
    }

    #[test]
    fn runs_of_other_jobs_are_not_joined() {
        let one = table(&[("a", "x", Some(1.0)), ("b", "x", Some(1.0))]);
        for other in [
            table(&[("a", "x", Some(1.0)), ("c", "x", Some(1.0))]),
            table(&[("a", "x", Some(1.0))]),
            table(&[("a", "x", Some(1.0)), ("b", "x", Some(1.0)), ("c", "x", Some(1.0))]),
        ] {
            let error = JobChanges::join(&one, &other).unwrap_err();
            assert!(error.to_string().contains("not of the same jobs"), "{error}");
        }
        assert_eq!(JobChanges::join(&table(&[]), &table(&[])).unwrap().list(&Query::default()).found, 0);
    }

    #[test]
    fn every_job_leaves_as_csv() {
        let mut out = Vec::new();
        four().write_csv(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[1], "a,x,2,5,100,40,-60.000000,0.400000,1,1,gains");
        assert_eq!(lines[4], "d,y,2,5,,7,,,,1,unfinished");
    }

    #[test]
    fn a_job_tells_why_it_waited() {
        let csv = "job,tenant,from_s,to_s,first_round,last_round,reason\na,x,0,10,0,0,ARRIVED_IN_ROUND\na,x,10,30,1,2,OBJECTIVE\nb,x,0,5,0,0,OBJECTIVE\n";
        let waits = waits_of(csv, "a", "x").unwrap();
        assert_eq!(waits.len(), 2);
        assert_eq!((waits[1].to_s, waits[1].words.as_str()), (30.0, Reason::Objective.words()));
        assert_eq!(waits_of(csv, "a", "y").unwrap(), []);
    }
}
