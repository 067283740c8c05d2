//! Figures of a selected stretch of time, for each policy: use and queue from the load curves, jobs from the job tables.

use serde::{Deserialize, Serialize};

use super::comparison::{Comparison, Row};
use super::explain::Unreadable;
use super::figures::{Hidden, load_until, own_stretch_s, shown};
use super::job_table;
use crate::chart::window::TimeWindow;
use crate::chart::{Table, format};
use crate::scenario::run::RunResult;

/// When the jobs of one run came, began and finished, column by column: small enough to keep for every run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JobTimes {
    submit_s: Vec<f64>,
    first_start_s: Vec<f64>,
    finish_s: Vec<f64>,
    wait_s: Vec<f64>,
    jct_s: Vec<f64>,
}

/// Jobs of one run in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JobsIn {
    /// Jobs that were submitted in it.
    pub arrived: u64,
    /// Jobs that began in it for the first time.
    pub started: u64,
    /// Jobs that finished in it.
    pub finished: u64,
    /// Seconds that those which finished in it had waited in all.
    pub wait_sum_s: f64,
    /// Their completion times, added up.
    pub jct_sum_s: f64,
}

impl JobTimes {
    /// Reads a `jobs-*.csv`.
    ///
    /// # Errors
    /// [`Unreadable`] for a row that is not as the engine writes it.
    pub fn read(csv: &[u8]) -> Result<Self, Unreadable> {
        let mut times = Self::default();
        job_table::read(csv, |row| {
            let or_never = |time: Option<f64>| time.unwrap_or(f64::NAN);
            times.submit_s.push(row.submit_s);
            times.first_start_s.push(or_never(row.first_start_s));
            times.finish_s.push(or_never(row.finish_s));
            times.wait_s.push(or_never(row.wait_s));
            times.jct_s.push(or_never(row.jct_s));
        })?;
        Ok(times)
    }

    /// What happened from the beginning of a stretch until before its end. What never happened is in none.
    #[must_use]
    pub fn within(&self, stretch: TimeWindow) -> JobsIn {
        let is_in = |moment: f64| moment >= stretch.from && moment < stretch.to;
        let count = |moments: &[f64]| moments.iter().filter(|moment| is_in(**moment)).count() as u64;
        let mut jobs = JobsIn {
            arrived: count(&self.submit_s),
            started: count(&self.first_start_s),
            ..JobsIn::default()
        };
        for (finish_s, (wait_s, jct_s)) in self.finish_s.iter().zip(self.wait_s.iter().zip(&self.jct_s)) {
            if is_in(*finish_s) {
                jobs.finished += 1;
                jobs.wait_sum_s += wait_s;
                jobs.jct_sum_s += jct_s;
            }
        }
        jobs
    }
}

/// Use and queue of one run in a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LoadIn {
    used: Option<f64>,
    waiting: f64,
    most_waiting: f64,
}

/// Means over the part of a stretch in which a run goes on; `None` where it does not.
fn load_in(run: &RunResult, stretch: TimeWindow) -> Option<LoadIn> {
    let (mut time_s, mut used, mut waiting, mut most_waiting) = (0.0, Some(0.0), 0.0, 0.0_f64);
    for (point, until_s) in load_until(run) {
        let overlap_s = until_s.min(stretch.to) - point.at_s.max(stretch.from);
        if overlap_s > 0.0 {
            time_s += overlap_s;
            used = used.zip(point.used).map(|(sum, used)| sum + used * overlap_s);
            waiting += point.waiting * overlap_s;
            most_waiting = most_waiting.max(point.waiting);
        }
    }
    (time_s > 0.0).then(|| LoadIn {
        used: used.map(|sum| sum / time_s),
        waiting: waiting / time_s,
        most_waiting,
    })
}

/// What is known of the jobs of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JobsKnown<'a> {
    /// No run keeps its jobs: the results were opened from a file.
    NotKept,
    /// They are being counted.
    Counting,
    /// They could not be read, and why.
    Failed(&'a str),
    /// By policy's label and seed.
    Counted(&'a [((String, u64), JobsIn)]),
}

/// The figures of a stretch, a row for each policy that is shown: means over its seeds.
#[must_use]
pub fn table(comparison: &Comparison, hidden: &Hidden, stretch: TimeWindow, jobs: JobsKnown<'_>) -> Table {
    let header = [
        "Policy",
        "Mean use",
        "Mean queue",
        "Greatest queue",
        "Arrived",
        "Started",
        "Finished",
        "Mean wait",
        "Mean JCT",
    ]
    .map(str::to_owned)
    .into();
    let rows = shown(comparison, hidden).map(|row| {
        let loads: Vec<LoadIn> = comparison.runs(row).filter_map(|run| load_in(run, stretch)).collect();
        let mean = |value: &dyn Fn(&LoadIn) -> Option<f64>| {
            let values: Option<Vec<f64>> = loads.iter().map(value).collect();
            values
                .filter(|values| !values.is_empty())
                .map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        let number = |value: f64| format::significant(value, 3);
        let mut cells = vec![
            row.title.clone(),
            format::or_undefined(mean(&|load| load.used), |used| format::percent(used, 1)),
            format::or_undefined(mean(&|load| Some(load.waiting)), number),
            format::or_undefined(mean(&|load| Some(load.most_waiting)), number),
        ];
        cells.extend(job_cells(comparison, row, jobs));
        cells
    });
    Table { header, rows: rows.collect() }
}

fn job_cells(comparison: &Comparison, row: &Row, jobs: JobsKnown<'_>) -> [String; 5] {
    let all = |text: &str| [(); 5].map(|()| text.to_owned());
    let counted = match jobs {
        JobsKnown::NotKept => return all("not kept"),
        JobsKnown::Counting => return all("…"),
        JobsKnown::Failed(_) => return all(format::UNDEFINED),
        JobsKnown::Counted(counted) => counted,
    };
    let of_seeds: Option<Vec<&JobsIn>> = comparison
        .runs(row)
        .map(|run| {
            let key = counted.iter().find(|((label, seed), _)| *label == row.label && *seed == run.seed);
            key.map(|(_, jobs)| jobs)
        })
        .collect();
    let Some(of_seeds) = of_seeds.filter(|of_seeds| !of_seeds.is_empty()) else { return all("not kept") };
    let sum = |value: fn(&JobsIn) -> f64| of_seeds.iter().map(|jobs| value(jobs)).sum::<f64>();
    let seeds = of_seeds.len() as f64;
    let count = |value: fn(&JobsIn) -> f64| {
        let mean = sum(value) / seeds;
        format::number(mean, usize::from(mean.fract() > 1e-9))
    };
    let finished = sum(|jobs| jobs.finished as f64);
    let mean = |value: fn(&JobsIn) -> f64| {
        format::or_undefined((finished > 0.0).then(|| sum(value) / finished), format::duration)
    };
    [
        count(|jobs| jobs.arrived as f64),
        count(|jobs| jobs.started as f64),
        count(|jobs| jobs.finished as f64),
        mean(|jobs| jobs.wait_sum_s),
        mean(|jobs| jobs.jct_sum_s),
    ]
}

/// What the figures of a stretch mean.
#[must_use]
pub fn notes(comparison: &Comparison) -> String {
    let own_s = comparison.all_runs().map(|(_, run)| own_stretch_s(run)).fold(0.0, f64::max);
    let seeds = match comparison.planned_seeds() {
        0 | 1 => String::new(),
        n => format!("Means over {n} seeds. "),
    };
    format!(
        "{seeds}Use and queue while the run goes on; the greatest queue is the highest mean over {}. Wait and JCT are of the jobs that finished in it.",
        format::duration(own_s)
    )
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::app::job_table::tests::HEAD;
    use crate::app::samples;
    use crate::scenario::run::{generated, prepare};
    use crate::scenario::tables::write_jobs_csv;

    fn stretch(from: f64, to: f64) -> TimeWindow {
        TimeWindow { from, to }
    }

    #[test]
    fn jobs_are_counted_where_they_happen() {
        let text = format!(
            "{HEAD}a,x,0,1,0,10,10,0,1,0,0,finished,T4\nb,x,5,1,10,20,15,5,1,0,0,finished,T4\nc,x,10,1,,,,,,0,0,unfinished,\n"
        );
        let times = JobTimes::read(text.as_bytes()).unwrap();
        let all = times.within(stretch(0.0, 21.0));
        assert_eq!((all.arrived, all.started, all.finished), (3, 2, 2));
        assert_eq!((all.wait_sum_s, all.jct_sum_s), (5.0, 25.0));
        let part = times.within(stretch(5.0, 10.0));
        assert_eq!((part.arrived, part.started, part.finished), (1, 0, 0), "the end belongs to what follows");
        let next = times.within(stretch(10.0, 20.0));
        assert_eq!((next.arrived, next.started, next.finished), (1, 1, 1));
    }

    #[test]
    fn the_whole_run_has_the_figures_of_the_run() {
        let mut scenario = samples::default_scenario();
        scenario.policies.truncate(2);
        let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        let mut runs = Vec::new();
        let mut counted = Vec::new();
        for index in 0..2 {
            let finished = prepared.run(index, 0, &mut ()).unwrap();
            let mut csv = Vec::new();
            write_jobs_csv(&prepared, &finished.record, &mut csv).unwrap();
            let jobs = JobTimes::read(&csv).unwrap().within(stretch(0.0, 1e9));
            let metric = |key: &str| finished.result.metrics.get(key).unwrap();
            assert_eq!(jobs.finished, metric("completed") as u64);
            assert!((jobs.jct_sum_s / jobs.finished as f64 - metric("jct_mean_s")).abs() < 1e-3);
            assert!((jobs.wait_sum_s / jobs.finished as f64 - metric("wait_mean_s")).abs() < 1e-3);
            let load = load_in(&finished.result, stretch(0.0, 1e9)).unwrap();
            assert!((load.used.unwrap() - metric("utilization")).abs() < 0.02);
            assert!(load.most_waiting > load.waiting);
            counted.push(((finished.result.policy.clone(), 0), jobs));
            runs.push(finished.result);
        }
        let comparison = Comparison::new(Rc::new(runs), &scenario, None);
        let of = |jobs| table(&comparison, &Hidden::new(), stretch(0.0, 1e9), jobs);
        let whole = of(JobsKnown::Counted(&counted));
        assert_eq!(whole.rows.len(), 2);
        assert!(
            whole.rows.iter().all(|row| row.len() == whole.header.len() && !row.contains(&"–".to_owned()))
        );
        assert_eq!(of(JobsKnown::NotKept).rows[0][4], "not kept");
        assert_eq!(
            of(JobsKnown::Counted(&counted[..1])).rows.iter().filter(|row| row[4] == "not kept").count(),
            1
        );
        let beyond = table(&comparison, &Hidden::new(), stretch(1e9, 2e9), JobsKnown::Counting);
        assert_eq!(beyond.rows[0][1..5], ["–", "–", "–", "…"]);
    }
}
