//! Microsoft's Philly trace (`cluster_job_log` of msr-fiddle/philly-traces): one JSON array of jobs with their attempts.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::trace::elements::ArrayAt;
use crate::trace::format::{Column, ElementReader, Evidence, Format, Shape};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::outcome;
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, Notes};
use crate::units::SimSpan;
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "philly-json",
    title: "Philly (JSON)",
    help: "cluster_job_log of msr-fiddle/philly-traces, one JSON array. A job's GPUs are the most that any of its \
           attempts had; its run time is the sum over attempts that have both times; its tenant is the virtual cluster.",
    columns: &[
        Column::text("jobid", "The job's id.").or("the record's number"),
        Column::text("vc", "The virtual cluster: the tenant.").or("the user, else unknown"),
        Column::text("user", "Who submitted it."),
        Column::number(
            "submitted_time",
            None,
            "a date and time",
            "Submission, on the cluster's local clock.",
        )
        .needed(),
        Column::text("status", "Pass, Killed or Failed.").or("completed"),
        Column::text(
            "attempts",
            "Each (re)start: start_time, end_time and detail, a list of machines with their gpus.",
        )
        .or("none"),
    ],
    detect,
    shape: Shape::Json { array: ArrayAt::Root, open: || Box::new(Reader::default()) },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let seen: Vec<&str> =
        ["attempts", "submitted_time"].into_iter().filter(|n| sample.has_member(n)).collect();
    if !sample.is_json() || seen.is_empty() {
        return None;
    }
    let score = if seen.len() == 2 { 98 } else { 60 };
    Some(Evidence { score, text: format!("its jobs have the members {}", seen.join(", ")) })
}

#[derive(Deserialize)]
struct Job<'a> {
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    vc: Option<Text<'a>>,
    #[serde(borrow)]
    jobid: Option<Text<'a>>,
    #[serde(borrow)]
    user: Option<Text<'a>>,
    #[serde(borrow)]
    submitted_time: Option<Text<'a>>,
    #[serde(borrow)]
    attempts: Option<Vec<Attempt<'a>>>,
}

#[derive(Deserialize)]
struct Attempt<'a> {
    #[serde(borrow)]
    start_time: Option<Text<'a>>,
    #[serde(borrow)]
    end_time: Option<Text<'a>>,
    detail: Option<Vec<Machine>>,
}

#[derive(Deserialize)]
struct Machine {
    /// Only their number matters; this takes no memory.
    gpus: Option<Vec<IgnoredAny>>,
}

/// A text that is borrowed from the file unless it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Text<'a> {
    fn get(text: Option<Self>) -> Cow<'a, str> {
        match text.map(|t| t.0) {
            Some(Cow::Borrowed(text)) => Cow::Borrowed(text.trim()),
            Some(Cow::Owned(text)) => Cow::Owned(text.trim().to_owned()),
            None => Cow::Borrowed(""),
        }
    }
}

#[derive(Debug, Default)]
struct Reader {
    refolded: u64,
    backwards: u64,
    never_started: u64,
    unknown_states: u64,
}

impl ElementReader for Reader {
    fn element<'e>(&mut self, element: &'e str, notes: &Notes) -> Result<Verdict<'e>, Fault> {
        let job: Job<'e> = serde_json::from_str(element).map_err(|e| fault(element, &e))?;
        let submitted = Text::get(job.submitted_time);
        let submit = value::time(submitted.as_bytes(), notes)
            .map_err(|bad| Fault::of_value("submitted_time", submitted.as_bytes(), bad))?;
        let attempts = job.attempts.unwrap_or_default();
        let count = attempts.len() as u64;
        let mut gpus = 0;
        let mut duration: Option<SimSpan> = None;
        let (mut start, mut end) = (None, None);
        let mut backwards = 0;
        for (at, attempt) in attempts.into_iter().enumerate() {
            let time = |name: &str, text: Option<Text<'_>>| {
                let text = Text::get(text);
                if value::is_missing(text.as_bytes()) {
                    return Ok(None);
                }
                value::time(text.as_bytes(), notes)
                    .map(Some)
                    .map_err(|bad| Fault::of_value(&format!("attempts[{at}].{name}"), text.as_bytes(), bad))
            };
            let began = time("start_time", attempt.start_time)?;
            let ended = time("end_time", attempt.end_time)?;
            if at == 0 {
                start = began;
            }
            end = ended;
            if let (Some(began), Some(ended)) = (began, ended) {
                if ended >= began {
                    duration = Some(duration.unwrap_or_default() + SimSpan(ended - began));
                } else {
                    backwards += 1;
                }
            }
            let machines = attempt.detail.unwrap_or_default();
            gpus = gpus.max(machines.iter().map(|m| m.gpus.as_ref().map_or(0, Vec::len)).sum());
        }
        let gpus = value::gpus(gpus.to_string().as_bytes())
            .map_err(|bad| Fault::of_value("attempts", gpus.to_string().as_bytes(), bad))?;
        if end.zip(start).is_some_and(|(end, start)| end < start) {
            // The clock went back between the attempts; each of them is still right.
            (start, end) = (None, None);
        }
        let state = Text::get(job.status);
        let mut ended = outcome(&state);
        self.unknown_states += u64::from(ended.is_none() && !state.is_empty());
        if count > 0 && end.is_none() && start.is_some() && backwards == 0 {
            // The publisher: the last attempt has no end when the job still ran at the snapshot.
            ended = Some(Outcome::Running);
        }
        self.refolded += count.saturating_sub(1);
        self.backwards += backwards;
        self.never_started += u64::from(count == 0);
        Ok(Verdict::Job(Draft {
            id: Text::get(job.jobid),
            tenant: Text::get(job.vc),
            user: Text::get(job.user),
            state,
            submit,
            gpus,
            duration,
            start,
            end,
            outcome: ended.unwrap_or_default(),
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![
            Notice::new(
                "attempts",
                self.refolded,
                "restarts are folded into their jobs: a job's run time is the sum of its attempts, its GPUs the most of any",
            ),
            Notice::new(
                "no-attempts",
                self.never_started,
                "jobs have no attempt, so the trace does not say how many GPUs they asked for; they count as jobs without GPUs",
            ),
            Notice::new(
                "end-before-start",
                self.backwards,
                "attempts end before they start, as when clocks are set back; they add no run time",
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown status and count as completed",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}

/// What is wrong with an element that does not have the shape of a job.
fn fault(element: &str, error: &serde_json::Error) -> Fault {
    let expected = "a job as in cluster_job_log";
    if !error.is_data() {
        return Fault::of_record(
            element,
            "a JSON value",
            &format!("{error}, counted from the line of the job"),
        );
    }
    let parsed: Result<Job<'_>, _> =
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(element));
    let path = parsed.err().map(|e| e.path().to_string()).unwrap_or_default();
    let pointer = format!("/{}", path.replace(['[', '.'], "/").replace(']', "").replace("//", "/"));
    let found = serde_json::from_str::<Value>(element)
        .ok()
        .and_then(|value| value.pointer(&pointer).map(Value::to_string))
        .unwrap_or_else(|| element.to_owned());
    let hint = error.to_string();
    Fault::of_value(&path, found.as_bytes(), Bad { expected, hint: "" }).with_hint(&hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MilliGpus;

    fn read(element: &str) -> Result<(MilliGpus, Option<SimSpan>, Outcome), Fault> {
        match Reader::default().element(element, &Notes::default())? {
            Verdict::Job(job) => Ok((job.gpus, job.duration, job.outcome)),
            _ => unreachable!(),
        }
    }

    #[test]
    fn gpus_are_the_most_and_run_time_the_sum_of_attempts() {
        let (gpus, duration, outcome) = read(
            r#"{"jobid":"a","submitted_time":"2017-10-07 01:11:39","status":"Pass","attempts":[
                {"start_time":"2017-10-07 01:12:00","end_time":"2017-10-07 01:13:00","detail":[{"ip":"m1","gpus":["gpu0"]}]},
                {"start_time":"2017-10-07 02:00:00","end_time":"None","detail":[{"ip":"m1","gpus":["gpu0","gpu1"]},{"ip":"m2","gpus":["gpu0"]}]},
                {"start_time":null,"end_time":"2017-10-07 03:00:00","detail":[]},
                {"start_time":"2017-10-07 04:00:00","end_time":"2017-10-07 04:00:30"}]}"#,
        )
        .unwrap();
        assert_eq!(gpus, MilliGpus(3000));
        assert_eq!(duration, Some(SimSpan(90_000_000)));
        assert_eq!(outcome, Outcome::Completed);
    }

    #[test]
    fn a_missing_last_end_means_still_running_and_no_attempt_means_no_gpus() {
        let running = r#"{"submitted_time":"2017-10-07 01:11:39","status":"Pass","attempts":[{"start_time":"2017-10-07 02:00:00","end_time":""}]}"#;
        assert_eq!(read(running).unwrap(), (MilliGpus(0), None, Outcome::Running));
        let never = r#"{"submitted_time":"2017-10-07 01:11:39","status":"Killed","attempts":[]}"#;
        assert_eq!(read(never).unwrap(), (MilliGpus(0), None, Outcome::Cancelled));
    }

    #[test]
    fn faults_name_the_path_and_the_value() {
        let wrong = r#"{"submitted_time":"2017-10-07 01:11:39","attempts":[{},{"detail":[{"gpus":3}]}]}"#;
        let fault = read(wrong).unwrap_err();
        assert_eq!(fault.column.as_deref(), Some("attempts[1].detail[0].gpus"));
        assert_eq!(fault.value, "3");
        let fault = read(r#"{"submitted_time":"2017-11-31 08:12:00"}"#).unwrap_err();
        assert_eq!(fault.column.as_deref(), Some("submitted_time"));
        assert!(read(r#"{"submitted_time":NaN}"#).unwrap_err().column.is_none());
        assert!(read("7").is_err());
    }
}
