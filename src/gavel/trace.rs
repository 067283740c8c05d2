//! Job traces as Gavel writes them: one job a line, fields separated by tabs, no header.
//!
//! Two layouts are read. Of the one with 10 fields (11 or 12 with additions of later tools) the fields used are 1 job type,
//! 6 total steps, 7 scale factor, 8 priority weight and 10 arrival time; of the older one with 7 fields (Gavel's msr traces,
//! which its own present parser refuses) 1 job type, 5 total steps, 6 arrival time and 7 scale factor, every weight being 1.

use crate::gavel::GavelError;
use crate::gavel::error::shortened;

/// The most training steps of a job: every whole number up to it is a 64-bit float.
const MOST_STEPS: u64 = 1 << 53;
/// The most GPUs of a job.
const MOST_GPUS: u32 = 1_000_000;

/// A job of a trace. Jobs are numbered from 0 in the order of the trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The model and its batch size, as the throughput table names them.
    pub job_type: String,
    /// The GPUs it runs on, all of one type.
    pub scale_factor: u32,
    /// Its length in training steps (mini-batches).
    pub total_steps: u64,
    /// Its priority weight.
    pub weight: f64,
    /// When it arrives, in seconds.
    pub arrival_s: f64,
    /// Its line in the trace, from 1.
    pub line: usize,
}

/// Which field has what, from 0.
struct Layout {
    total_steps: usize,
    scale_factor: usize,
    weight: Option<usize>,
    arrival: usize,
}

const TEN_FIELDS: Layout = Layout { total_steps: 5, scale_factor: 6, weight: Some(7), arrival: 9 };
const SEVEN_FIELDS: Layout = Layout { total_steps: 4, scale_factor: 6, weight: None, arrival: 5 };

/// Reads a trace. Blank lines are passed over.
///
/// # Errors
/// There is no job; a line has another number of fields; a field is not the number it has to be; arrivals go back in time.
pub fn read(text: &str) -> Result<Vec<Job>, GavelError> {
    let mut jobs: Vec<Job> = Vec::new();
    let mut layout_fields = None;
    let mut fields: Vec<&str> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() {
            continue;
        }
        fields.clear();
        fields.extend(line.split('\t'));
        let expected = layout_fields.unwrap_or(fields.len());
        let layout = match fields.len() {
            7 => SEVEN_FIELDS,
            10..=12 => TEN_FIELDS,
            found => {
                let expected = "10 to 12, or 7".to_string();
                return Err(GavelError::TraceFields { line: number, found, expected });
            }
        };
        if fields.len() != expected {
            let expected = format!("{expected} as on the lines before");
            return Err(GavelError::TraceFields { line: number, found: fields.len(), expected });
        }
        layout_fields = Some(expected);
        let job = read_job(&fields, &layout, number, jobs.last().map(|job| job.arrival_s))?;
        jobs.push(job);
    }
    if jobs.is_empty() { Err(GavelError::NoJobs) } else { Ok(jobs) }
}

fn read_job(fields: &[&str], layout: &Layout, line: usize, before_s: Option<f64>) -> Result<Job, GavelError> {
    let refuse = |field: usize, name, expected: String, hint| GavelError::TraceValue {
        line,
        field: field + 1,
        name,
        found: shortened(fields[field]),
        expected,
        hint,
    };
    let number = |field: usize| fields[field].trim().parse::<f64>().ok().filter(|value| value.is_finite());
    const EXPORT: &str = "Write the field as Gavel does.";

    let job_type = fields[0].trim();
    if job_type.is_empty() {
        return Err(refuse(
            0,
            "job type",
            "a name such as \"ResNet-18 (batch size 16)\"".to_string(),
            EXPORT,
        ));
    }
    let total_steps = fields[layout.total_steps].trim().parse().ok().filter(|&steps| steps <= MOST_STEPS);
    let total_steps = total_steps.ok_or_else(|| {
        refuse(layout.total_steps, "total steps", format!("a whole number, 0 to {MOST_STEPS}"), EXPORT)
    })?;
    let gpus = fields[layout.scale_factor].trim().parse().ok().filter(|gpus| (1..=MOST_GPUS).contains(gpus));
    let scale_factor = gpus.ok_or_else(|| {
        refuse(layout.scale_factor, "scale factor", format!("a whole number, 1 to {MOST_GPUS}"), EXPORT)
    })?;
    let weight = match layout.weight {
        None => 1.0,
        Some(field) => number(field)
            .filter(|&weight| (1e-9..=1e9).contains(&weight))
            .ok_or_else(|| refuse(field, "priority weight", "a number, 1e-9 to 1e9".to_string(), EXPORT))?,
    };
    let arrival_s = number(layout.arrival).filter(|&arrival_s| (0.0..=1e12).contains(&arrival_s));
    let arrival_s = arrival_s
        .ok_or_else(|| refuse(layout.arrival, "arrival time", "seconds, 0 to 1e12".to_string(), EXPORT))?;
    if let Some(before_s) = before_s.filter(|&before_s| before_s > arrival_s) {
        let expected = format!("at least {before_s}, the arrival before");
        return Err(refuse(layout.arrival, "arrival time", expected, "Sort the trace by arrival."));
    }
    Ok(Job { job_type: job_type.to_string(), scale_factor, total_steps, weight, arrival_s, line })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: &str = "A3C\trun\trl\t--steps\t0\t100\t2\t5\t-1.0\t12.5";

    #[test]
    fn both_layouts_give_the_same_job() {
        let seven = "A3C\trun\t--steps\t0\t100\t12.5\t2";
        let expected = Job {
            job_type: "A3C".to_string(),
            scale_factor: 2,
            total_steps: 100,
            weight: 5.0,
            arrival_s: 12.5,
            line: 1,
        };
        assert_eq!(read(TEN).unwrap(), std::slice::from_ref(&expected));
        assert_eq!(read(&format!("{TEN}\t600\r\n\n")).unwrap(), std::slice::from_ref(&expected));
        assert_eq!(read(&format!("{TEN}\t600\tstatic\n")).unwrap(), std::slice::from_ref(&expected));
        assert_eq!(read(seven).unwrap(), [Job { weight: 1.0, ..expected }]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let change = |field: usize, to: &str| {
            let mut fields: Vec<&str> = TEN.split('\t').collect();
            fields[field] = to;
            format!("{TEN}\n{}", fields.join("\t"))
        };
        for (text, place) in [
            (change(5, "1.5"), "line 2, field 6 (total steps): found \"1.5\""),
            (change(5, "-1"), "line 2, field 6 (total steps): found \"-1\""),
            (change(6, "0"), "line 2, field 7 (scale factor): found \"0\""),
            (change(7, "nan"), "line 2, field 8 (priority weight): found \"nan\""),
            (change(7, "0"), "line 2, field 8 (priority weight): found \"0\""),
            (change(9, "12"), "line 2, field 10 (arrival time): found \"12\", expected at least 12.5"),
            (change(9, ""), "line 2, field 10 (arrival time): found \"\""),
            (change(0, " "), "line 2, field 1 (job type)"),
            (format!("{TEN}\nA3C\tx"), "line 2: found 2 fields"),
            (format!("{TEN}\n{TEN}\tx"), "line 2: found 11 fields separated by tabs, expected 10"),
            ("job,gpus\n".to_string(), "line 1: found 1 fields"),
            (" \n".to_string(), "the trace is empty"),
        ] {
            let refused = read(&text).unwrap_err().to_string();
            assert!(refused.contains(place), "{refused}");
        }
    }
}
