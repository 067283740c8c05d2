//! Slurm's accounting as `sacct --json` prints it, of every version of its data parser (21.08 and later).
//!
//! Versions differ in how they write the same: a number is plain or `{"set", "infinite", "number"}`; a state is a text or a list
//! of texts of which the first counts; a user stands in the job or in its `association`. Times are epoch seconds and 0 where
//! there is none; limits are minutes; a count of −2 is unknown. Steps are inside their job and are not looked at.

use std::borrow::Cow;

use serde_json::Value;

use crate::trace::elements::{ArrayAt, Place};
use crate::trace::format::sacct::states::{self, Given};
use crate::trace::format::tres::{self, COUNT, Census, Grant, Tally, Tres};
use crate::trace::format::{Column, ElementReader, Evidence, Format, Shape};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::json;
use crate::trace::outcome::outcome;
use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad, Notes};
use crate::units::SimSpan;
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "sacct-json",
    title: "Slurm sacct (JSON)",
    help: "sacct -a -S 2026-01-01 -E now --json, of any version of Slurm. GPUs are the gres entries gpu, or gpu:type, of \
           tres.allocated, else of tres.requested; an entry with a type repeats the GPUs of the one without.",
    columns: &[
        Column::text(
            "job_id",
            "The job; with array.job_id and array.task_id, or het.job_id and het.job_offset.",
        ),
        Column::text("account", "The tenant.").or("association.account, else partition, else the user"),
        Column::text("user", "Who submitted it.").or("association.user"),
        Column::text("partition", "The tenant if there is no account."),
        Column::number("time.submission", Some("s"), "epoch seconds", "Submission.").needed(),
        Column::number("time.start", Some("s"), "epoch seconds", "Start; 0 when it never started."),
        Column::number("time.end", Some("s"), "epoch seconds", "End; 0 while it runs."),
        Column::seconds("time.elapsed", "Run time.").or("end − start"),
        Column::number("time.limit", Some("min"), "0 to 52596000", "The limit.").or("none"),
        Column::text("tres.allocated", "What it got.").or("tres.requested"),
        Column::text("tres.requested", "What it asked for."),
        Column::text("state.current", "How it ended: a text, or a list whose first entry counts.")
            .or("completed"),
    ],
    detect,
    shape: Shape::Json { array: ArrayAt::Member("jobs"), open: || Box::new(Reader::default()) },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    if sample.opening() != Some(b'{') || !sample.has_member("jobs") || sample.has_member("submit_time") {
        return None;
    }
    let seen: Vec<&str> = ["submission", "association", "tres", "allocation_nodes", "derived_exit_code"]
        .into_iter()
        .filter(|name| sample.has_member(name))
        .collect();
    if seen.len() >= 2 && sample.has_member("submission") {
        return Some(Evidence { score: 97, text: format!("its jobs have the members {}", seen.join(", ")) });
    }
    let is_slurm =
        sample.has_member("plugin") && [&b"Slurm"[..], b"slurm"].iter().any(|name| sample.contains(name));
    is_slurm
        .then(|| Evidence { score: 70, text: "it has jobs and says that a plugin of Slurm wrote it".into() })
}

#[derive(Debug, Default)]
struct Reader {
    jobs: u64,
    gpus: Census,
    unknown_states: u64,
    /// Records of earlier sizes of jobs.
    resized: u64,
    het_components: u64,
    /// Records that stand for several tasks of an array.
    waiting_arrays: u64,
    /// Errors that Slurm reports beside the jobs.
    errors: u64,
    error: String,
}

impl ElementReader for Reader {
    fn member(&mut self, _at: Place, name: &str, value: &str) -> Result<(), Refusal> {
        if name == "errors"
            && let Ok(Value::Array(errors)) = serde_json::from_str(value)
        {
            self.errors = errors.len() as u64;
            let first = errors.first().unwrap_or(&Value::Null);
            self.error = json::first_text(first, &["/description", "/error", ""]).into_owned();
        }
        Ok(())
    }

    fn element<'e>(&mut self, element: &'e str, notes: &Notes) -> Result<Verdict<'e>, Fault> {
        let job = json::parse(element, "a job as sacct --json prints it")?;
        let time = |path: &str| read(&job, path, |text| value::time(text, notes));
        let submit =
            json::required(&job, number_path(&job, "/time/submission"), |text| value::time(text, notes))?;
        if submit <= 0 {
            const NEVER: Bad =
                Bad { expected: "epoch seconds", hint: "Slurm writes 0 where it does not know the time" };
            return Err(Fault::of_value("time.submission", b"0", NEVER));
        }
        let start = time("/time/start")?.filter(|&start| start > 0);
        let end = time("/time/end")?.filter(|&end| end > 0);
        let ran = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        let elapsed = read(&job, "/time/elapsed", value::seconds)?;
        let minutes = read(&job, "/time/limit", value::seconds).unwrap_or_default();
        let grant = self.grant(&job)?;
        let states = json::list(&job, "/state/current");
        let state = match states.first() {
            Some(first) => json::text(first, ""),
            None => json::first_text(&job, &["/state/current", "/state"]),
        };
        if states::is_earlier_size(&state, end) {
            self.resized += 1;
            return Ok(Verdict::Skip(states::RESIZED));
        }
        let given =
            if json::list(&job, "/tres/allocated").is_empty() { Given::Nothing } else { Given::Something };
        let never_ran = states::never_ran(&state, elapsed.or(ran), given);
        let (start, end) = (start.filter(|_| !never_ran), end.filter(|_| !never_ran));
        let mut ended = outcome(&state);
        self.unknown_states += u64::from(ended.is_none() && !state.is_empty());
        if ended == Some(Outcome::Pending) && !never_ran && ran.is_some() {
            // A try that was ended to be requeued; the next one has its own record.
            ended = Some(Outcome::Cancelled);
        }
        self.jobs += 1;
        Ok(Verdict::Job(Draft {
            id: self.id(&job).into(),
            tenant: owned(json::first_text(&job, &["/account", "/association/account", "/partition"])),
            user: owned(json::first_text(&job, &["/user", "/association/user"])),
            gpu_type: owned(grant.kind),
            state: owned(state),
            submit,
            gpus: grant.gpus,
            duration: elapsed.or(ran).filter(|_| start.is_some()),
            start,
            end,
            outcome: ended.unwrap_or_default(),
            limit: minutes.map(|minutes| SimSpan(minutes.0.saturating_mul(60))),
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let error = if self.error.is_empty() { "no text" } else { &self.error };
        let before = [
            Notice::new(
                "slurm-errors",
                self.errors,
                format!("errors are reported by Slurm in the file, the first: {error}"),
            ),
            Notice::new(
                "no-gpu-data",
                if self.gpus.any { 0 } else { self.jobs },
                "jobs, and not one record says anything of GPUs: the site does not account them (gres/gpu is not in \
                 AccountingStorageTRES of slurm.conf), or these are CPU jobs; nothing can be simulated",
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
        ];
        let after = [
            Notice::new(
                "waiting-arrays",
                self.waiting_arrays,
                "records stand for several tasks of an array that had not started; each counts as one job",
            ),
            Notice::new("resized-jobs", self.resized, states::RESIZED_SAYS),
            Notice::new(
                "het-components",
                self.het_components,
                "records are components of heterogeneous jobs; each counts as a job of its own, although Slurm starts them \
                 together",
            ),
        ];
        let notices = before.into_iter().chain(self.gpus.notices()).chain(after).collect();
        Closing { notices, ..Closing::default() }
    }
}

impl Reader {
    /// The id as `sacct` prints it: `123`, `123_4`, `123_[5-9]`, `123+1`.
    fn id(&mut self, job: &Value) -> String {
        let number = |path: &str| json::text(job, number_path(job, path));
        let of = |path: &str| Some(number(path)).filter(|id| !id.is_empty() && id != "0");
        if let Some(array) = of("/array/job_id") {
            let task = number("/array/task_id");
            if !task.is_empty() {
                return format!("{array}_{task}");
            }
            let waiting = json::text(job, "/array/task");
            if !waiting.is_empty() {
                self.waiting_arrays += 1;
                return format!("{array}_[{}]", task_list(&waiting));
            }
        }
        if let Some(het) = of("/het/job_id") {
            let offset = number("/het/job_offset");
            self.het_components += 1;
            return format!("{het}+{}", if offset.is_empty() { "0" } else { &offset });
        }
        number("/job_id").into_owned()
    }

    fn grant<'v>(&mut self, job: &'v Value) -> Result<Grant<'v>, Fault> {
        let got = resources(job, "/tres/allocated")?;
        let asked = resources(job, "/tres/requested")?;
        if !matches!((&got, &asked), (Tres::Gpus(_), _) | (_, Tres::Gpus(_)))
            && (got == Tres::Unknown || asked == Tres::Unknown)
        {
            const UNKNOWN: Bad =
                Bad { expected: "a number of GPUs", hint: "Slurm writes -2 for a number it does not know" };
            return Err(Fault::of_value("tres", b"-2", UNKNOWN));
        }
        Ok(self.gpus.take(tres::held(got, asked)))
    }
}

/// The GPUs in a list of `{"type", "name", "id", "count"}`.
fn resources<'v>(job: &'v Value, path: &str) -> Result<Tres<'v>, Fault> {
    let list = json::list(job, path);
    if list.is_empty() {
        return Ok(Tres::Empty);
    }
    let mut total = None;
    let mut typed = Tally::default();
    let mut is_unknown = false;
    for entry in list {
        let name = entry.pointer("/name").and_then(Value::as_str).unwrap_or_default();
        let count = json::text(entry, number_path(entry, "/count"));
        let is_gres = json::text(entry, "/type") == "gres";
        if !is_gres || !(name == "gpu" || name.starts_with("gpu:")) {
            if is_gres {
                typed.share(name.as_bytes(), count.as_bytes());
            }
            continue;
        }
        if count.is_empty() || count.starts_with('-') {
            is_unknown = true;
            continue;
        }
        let fault =
            |bad| Fault::of_value(&path.trim_start_matches('/').replace('/', "."), count.as_bytes(), bad);
        let gpus = value::gpus(count.as_bytes()).map_err(|_| fault(COUNT))?;
        match name.split_once(':') {
            None => total = Some(gpus),
            Some((_, kind)) => typed.add(kind.as_bytes(), gpus, 1).map_err(fault)?,
        }
    }
    Ok(match typed.into_tres(total) {
        Tres::NoGpus if is_unknown => Tres::Unknown,
        known => known,
    })
}

/// Where the number at `path` is: there, or in its member `number`, or nowhere if it is not set or infinite.
fn number_path<'p>(value: &Value, path: &'p str) -> &'p str {
    // The few paths that are asked for, with what newer versions append to them.
    const INSIDE: [(&str, &str); 9] = [
        ("/time/submission", "/time/submission/number"),
        ("/time/start", "/time/start/number"),
        ("/time/end", "/time/end/number"),
        ("/time/elapsed", "/time/elapsed/number"),
        ("/time/limit", "/time/limit/number"),
        ("/array/task_id", "/array/task_id/number"),
        ("/array/job_id", "/array/job_id/number"),
        ("/het/job_offset", "/het/job_offset/number"),
        ("/count", "/count/number"),
    ];
    let Some(Value::Object(members)) = value.pointer(path) else { return path };
    let is = |name: &str| members.get(name).and_then(Value::as_bool);
    if is("set") == Some(false) || is("infinite") == Some(true) {
        return path;
    }
    INSIDE.iter().find(|(plain, _)| *plain == path).map_or(path, |(_, inside)| inside)
}

/// A number that may be missing, plain or not.
fn read<T>(
    job: &Value,
    path: &str,
    read: impl FnOnce(&[u8]) -> Result<T, value::Bad>,
) -> Result<Option<T>, Fault> {
    json::maybe(job, number_path(job, path), read)
}

/// The tasks of an array that wait, as `sacct` prints them: some versions write them as the bits of a hexadecimal number, the last one
/// for task 0.
fn task_list(tasks: &str) -> Cow<'_, str> {
    let digits =
        tasks.strip_prefix("0x").filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    let Some(digits) = digits else { return tasks.into() };
    let bits = digits.bytes().rev().flat_map(|digit| {
        let value = char::from(digit).to_digit(16).unwrap_or_default();
        (0..4).map(move |bit| value >> bit & 1 == 1)
    });
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for (task, _) in bits.enumerate().filter(|(_, waits)| *waits) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == task => *last = task,
            _ => ranges.push((task, task)),
        }
    }
    let texts: Vec<String> = ranges
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    texts.join(",").into()
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_that_wait_are_listed_whether_slurm_writes_ranges_or_bits() {
        for (written, listed) in [
            ("1-4", "1-4"),
            ("0x1E", "1-4"),
            ("0x1", "0"),
            ("0x1001f", "0-4,16"),
            ("0xg", "0xg"),
            ("5%2", "5%2"),
        ] {
            assert_eq!(task_list(written), listed);
        }
    }
}
