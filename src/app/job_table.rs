//! What the page reads of a `jobs-*.csv`: the jobs of a run, in the order of the file.

use std::collections::BTreeMap;

use super::explain::Unreadable;

/// A job of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its name.
    pub job: String,
    /// Its tenant.
    pub tenant: String,
    /// When it was submitted, in seconds.
    pub submit_s: f64,
    /// GPUs it asked for, as the table writes them.
    pub gpus: String,
    /// When it began; `None` if it never did.
    pub first_start_s: Option<f64>,
    /// When it finished; `None` if it did not.
    pub finish_s: Option<f64>,
    /// From submission to completion.
    pub jct_s: Option<f64>,
    /// Of that, the time it held nothing.
    pub wait_s: Option<f64>,
}

/// Reads a table row by row; jobs that fit nowhere are left out, for they were not simulated.
///
/// # Errors
/// [`Unreadable`] for a row that is not as the engine writes it.
pub fn read(csv: &[u8], mut take: impl FnMut(JobRow)) -> Result<(), Unreadable> {
    let mut reader = csv::Reader::from_reader(csv);
    let unreadable = |row: usize| move |error: csv::Error| Unreadable { row, what: error.to_string() };
    let heads = reader.headers().map_err(unreadable(0))?.clone();
    let places: BTreeMap<&str, usize> = heads.iter().zip(0..).collect();
    let place = |name: &str| {
        places.get(name).copied().ok_or_else(|| Unreadable { row: 0, what: format!("no column {name}") })
    };
    let [job, tenant, gpus, outcome] = ["job", "tenant", "gpus", "outcome"].map(place);
    let (job, tenant, gpus, outcome) = (job?, tenant?, gpus?, outcome?);
    let [submit, first_start, finish, jct, wait] =
        ["submit_s", "first_start_s", "finish_s", "jct_s", "wait_s"].map(place);
    let (submit, first_start, finish, jct, wait) = (submit?, first_start?, finish?, jct?, wait?);
    let mut record = csv::StringRecord::new();
    for row in 1.. {
        if !reader.read_record(&mut record).map_err(unreadable(row))? {
            break;
        }
        let cell = |at: usize| record.get(at).unwrap_or_default();
        if cell(outcome) == NEVER_FIT {
            continue;
        }
        let time = |at: usize| match cell(at) {
            "" => Ok(None),
            text => text
                .parse::<f64>()
                .map(Some)
                .map_err(|_| Unreadable { row, what: format!("found {text:?}, expected seconds") }),
        };
        take(JobRow {
            job: cell(job).to_owned(),
            tenant: cell(tenant).to_owned(),
            submit_s: time(submit)?
                .ok_or_else(|| Unreadable { row, what: "no time of submission".to_owned() })?,
            gpus: cell(gpus).to_owned(),
            first_start_s: time(first_start)?,
            finish_s: time(finish)?,
            jct_s: time(jct)?,
            wait_s: time(wait)?,
        });
    }
    Ok(())
}

/// The outcome of a job that was not simulated.
const NEVER_FIT: &str = "never-fit";

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::app) const HEAD: &str = "job,tenant,submit_s,gpus,first_start_s,finish_s,jct_s,wait_s,slowdown,preemptions,migrations,outcome,gpu_types\n";

    #[test]
    fn jobs_are_read_as_the_engine_writes_them() {
        let text = format!(
            "{HEAD}a,\"x, y\",0,0.25,1.5,10,10,1.5,1.000000,0,0,finished,T4\nb,z,3,2,,,,,,0,0,unfinished,\nc,z,4,99,,,,,,,,never-fit,\n"
        );
        let mut rows = Vec::new();
        read(text.as_bytes(), |row| rows.push(row)).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].tenant.as_str(), rows[0].gpus.as_str()), ("x, y", "0.25"));
        assert_eq!((rows[0].first_start_s, rows[0].wait_s), (Some(1.5), Some(1.5)));
        assert_eq!((rows[1].submit_s, rows[1].finish_s), (3.0, None));
    }

    #[test]
    fn what_is_no_table_of_jobs_is_refused_with_its_row() {
        let of = |text: &str| read(text.as_bytes(), |_| ()).unwrap_err().to_string();
        assert_eq!(of("job,tenant\na,b\n"), "row 0 of the table cannot be read: no column gpus");
        let wrong = format!("{HEAD}a,x,0,1,soon,10,10,0,1,0,0,finished,T4\n");
        assert_eq!(of(&wrong), "row 1 of the table cannot be read: found \"soon\", expected seconds");
        assert!(of(&format!("{HEAD}a,x\n")).starts_with("row 1"));
    }
}
