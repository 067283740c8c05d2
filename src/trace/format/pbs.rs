//! Accounting logs of PBS Professional, OpenPBS and Torque (`server_priv/accounting/20260102`): a line an event, of which `E`
//! tells of a job that has ended. The administrator's guides describe the fields (PBS Professional, "Accounting Log Format").
//!
//! A job that was run again has an `E` line for each run, and each is a job. Jobs that were deleted before they ran have none.

use std::borrow::Cow;

use crate::trace::format::{Column, Columns, Evidence, Format, Layout, RowReader, Shape, Uneven};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::rows::{Comments, Dialect, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad};
use crate::units::{MilliGpus, SimSpan};
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "pbs",
    title: "PBS and Torque accounting",
    help: "The files of server_priv/accounting of PBS Professional, OpenPBS and Torque: lines of time, kind of event, job and \
           key=value pairs, separated by semicolons. Jobs are the events E. GPUs are Resource_List.ngpus, which is the sum over \
           all chunks, else those of Resource_List.select (chunks times ngpus), else those of Resource_List.nodes (nodes times \
           gpus).",
    columns: &[
        Column::text("account", "The tenant.").or("queue, else the user"),
        Column::text("user", "Who submitted it."),
        Column::number("ctime", Some("s"), "epoch seconds", "Submission.").or("qtime"),
        Column::number("start", Some("s"), "epoch seconds", "Start."),
        Column::number("end", Some("s"), "epoch seconds", "End."),
        Column::number(
            "resources_used.walltime",
            None,
            "hours:minutes:seconds, or seconds",
            "Run time.",
        )
        .or("end − start"),
        Column::number("Resource_List.walltime", None, "as resources_used.walltime", "The limit.").or("none"),
        Column::gpus("Resource_List.ngpus", "GPUs of the whole job.").or("Resource_List.select, else .nodes, else none"),
        Column::text("Resource_List.select", "Also the GPU type: gpu_model, gpu_type or gputype of a chunk.").or("any"),
        Column::number(
            "Exit_status",
            None,
            "a whole number",
            "0 is completed; 265 and 271 (killed by signal 9 or 15, as by qdel) are cancelled; all others failed.",
        )
        .or("completed"),
    ],
    detect,
    shape: Shape::Table { layout, open: |_| Ok(Box::new(Reader::default())) },
};

/// The fields of a line.
const FIELDS: &[&str] = &["time", "event", "job", "message"];
const EVENT: usize = 1;
const JOB: usize = 2;
const MESSAGE: usize = 3;

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let mut fields = sample.first_line().splitn(FIELDS.len(), |&byte| byte == b';');
    let (time, event, job) = (fields.next()?, fields.next()?, fields.next()?);
    fields.next()?;
    let is_time = time.len() == b"03/04/2025 11:23:18".len()
        && time.iter().zip(b"dd/dd/dddd dd:dd:dd").all(|(byte, form)| match form {
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        });
    let is_event = matches!(event, [letter] if letter.is_ascii_alphabetic());
    (is_time && is_event && !job.is_empty()).then(|| Evidence {
        score: 95,
        text: "its lines have a time, a kind of event and a job, separated by semicolons, as PBS writes them"
            .into(),
    })
}

fn layout(_sample: &Sample<'_>) -> Layout {
    let dialect =
        Dialect { delimiter: b';', second: None, quotes: Quotes::None, comments: Comments::None, skip: 0 };
    Layout { dialect, columns: Some(Columns::Known(FIELDS)), uneven: Uneven::Keep }
}

#[derive(Debug, Default)]
struct Reader {
    jobs: u64,
    any_gpus: bool,
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        const FEW: Bad = Bad {
            expected: "a time, an event, a job and what is said of it",
            hint: "the row may be cut off",
        };
        if row.len() < FIELDS.len() {
            return Err(row.fault(row.len().saturating_sub(1), FEW));
        }
        if row.get(EVENT) != b"E" {
            return Ok(Verdict::Skip("other-kind"));
        }
        // A text in it may have semicolons.
        let row = row.widened_at(MESSAGE);
        let said = Said(row.get(MESSAGE));
        let time = |key| said.maybe(key, |text| value::time(text, row.notes()));
        let submit = match time("ctime")? {
            Some(submit) => submit,
            None => said.must("qtime", |text| value::time(text, row.notes()))?,
        };
        let (start, end) = (time("start")?.filter(|&at| at > 0), time("end")?.filter(|&at| at > 0));
        let ran = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        let request = said.request()?;
        self.jobs += 1;
        self.any_gpus |= request.is_some();
        let Request { gpus, kind } = request.unwrap_or_default();
        let text = |key| row.notes().text(said.get(key).unwrap_or_default());
        let tenant = match text("account") {
            account if account.is_empty() => text("queue"),
            account => account,
        };
        let status = said.get("Exit_status").unwrap_or_default();
        Ok(Verdict::Job(Draft {
            id: row.text(Some(JOB)),
            tenant,
            user: text("user"),
            gpu_type: row.notes().text(kind),
            state: if status.is_empty() {
                Cow::Borrowed("")
            } else {
                format!("exit {}", text("Exit_status")).into()
            },
            submit,
            gpus,
            duration: said.maybe("resources_used.walltime", span)?.or(ran),
            start,
            end,
            outcome: match status {
                b"" | b"0" => Outcome::Completed,
                b"265" | b"271" => Outcome::Cancelled,
                _ => Outcome::Failed,
            },
            limit: said.get("Resource_List.walltime").and_then(|text| span(text).ok()),
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![Notice::new(
            "no-gpu-data",
            if self.any_gpus { 0 } else { self.jobs },
            "jobs, and not one says anything of GPUs (ngpus or gpus): the site does not account them, or these are CPU jobs; \
             nothing can be simulated",
        )];
        Closing { notices, ..Closing::default() }
    }
}

/// A span as `hours:minutes:seconds` or in seconds.
fn span(text: &[u8]) -> Result<SimSpan, Bad> {
    if text.contains(&b':') { value::elapsed(text) } else { value::seconds(text) }
}

/// GPUs that a job asks for, and their type.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request<'a> {
    gpus: MilliGpus,
    kind: &'a [u8],
}

/// `key=value key=value …`
#[derive(Debug, Clone, Copy)]
struct Said<'a>(&'a [u8]);

impl<'a> Said<'a> {
    fn get(self, key: &str) -> Option<&'a [u8]> {
        self.0
            .split(|&byte| byte == b' ')
            .find_map(|pair| pair.strip_prefix(key.as_bytes())?.strip_prefix(b"="))
    }

    fn maybe<T>(self, key: &str, read: impl FnOnce(&[u8]) -> Result<T, Bad>) -> Result<Option<T>, Fault> {
        match self.get(key) {
            None | Some(b"") => Ok(None),
            Some(text) => read(text).map(Some).map_err(|bad| Fault::of_value(key, text, bad)),
        }
    }

    fn must<T>(self, key: &str, read: impl FnOnce(&[u8]) -> Result<T, Bad>) -> Result<T, Fault> {
        let text = self.get(key).unwrap_or_default();
        read(text).map_err(|bad| Fault::of_value(key, text, bad))
    }

    /// The GPUs asked for; `None` if nothing is said of them.
    fn request(self) -> Result<Option<Request<'a>>, Fault> {
        let select = self.maybe_chunks("Resource_List.select", b"ngpus")?;
        let kind = self.get("Resource_List.select").and_then(model).unwrap_or_default();
        let sum = self.maybe("Resource_List.ngpus", value::gpus)?;
        let gpus = match sum.or(select) {
            Some(gpus) => Some(gpus),
            None => self.maybe_chunks("Resource_List.nodes", b"gpus")?,
        };
        Ok(gpus.map(|gpus| Request { gpus, kind }))
    }

    /// The sum of a resource over chunks such as `2:ncpus=8:ngpus=4+1:ncpus=2`: `None` where no chunk has it.
    fn maybe_chunks(self, key: &str, resource: &[u8]) -> Result<Option<MilliGpus>, Fault> {
        const CHUNKS: Bad =
            Bad { expected: "chunks such as 2:ncpus=8:ngpus=4, with at most 65,536 GPUs", hint: "" };
        let Some(text) = self.get(key) else { return Ok(None) };
        let fault = || Fault::of_value(key, text, CHUNKS);
        let mut sum = None;
        for chunk in text.split(|&byte| byte == b'+') {
            let amount = |part: &'a [u8]| part.strip_prefix(resource)?.strip_prefix(b"=");
            let Some(each) = chunk.split(|&byte| byte == b':').find_map(amount) else { continue };
            let each = value::gpus(each).map_err(|_| fault())?;
            // A chunk, or a node by its name, is one unless a number says how many.
            let times = chunk.split(|&byte| byte == b':').next().and_then(value::whole).unwrap_or(1);
            let times = u32::try_from(times).map_err(|_| fault())?;
            let gpus = value::gang(each, times).map_err(|_| fault())?.gpus;
            let all = u64::from(sum.map_or(0, |MilliGpus(milli)| milli)) + u64::from(gpus.0);
            let all = u32::try_from(all).ok().filter(|&milli| i64::from(milli) <= value::MAX_GPUS * 1000);
            sum = Some(MilliGpus(all.ok_or_else(fault)?));
        }
        Ok(sum)
    }
}

/// The GPU type that chunks name.
fn model(select: &[u8]) -> Option<&[u8]> {
    let named = |part: &'_ [u8]| {
        [&b"gpu_model="[..], b"gpu_type=", b"gputype="].iter().any(|key| part.starts_with(key))
    };
    let part = select.split(|&byte| matches!(byte, b':' | b'+')).find(|part| named(part))?;
    part.iter().position(|&byte| byte == b'=').and_then(|at| part.get(at + 1..))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_summed_over_chunks_and_nodes() {
        let request = |said: &str| {
            Said(said.as_bytes()).request().map_err(|_| ()).map(|found| {
                found.map(|Request { gpus, kind }| (gpus.0, String::from_utf8_lossy(kind).into_owned()))
            })
        };
        let any = |milli: u32| Ok(Some((milli, String::new())));
        assert_eq!(request("Resource_List.ngpus=8 Resource_List.select=2:ncpus=8:ngpus=4"), any(8000));
        assert_eq!(request("Resource_List.select=2:ncpus=8:ngpus=4+1:ngpus=1+3:ncpus=1"), any(9000));
        assert_eq!(request("Resource_List.select=1:ngpus=2:gpu_model=a100"), Ok(Some((2000, "a100".into()))));
        assert_eq!(request("Resource_List.nodes=2:ppn=8:gpus=4"), any(8000));
        assert_eq!(request("Resource_List.nodes=node7:gpus=4"), any(4000));
        assert_eq!(request("Resource_List.nodes=2:ppn=8 Resource_List.ncpus=16"), Ok(None));
        for wrong in
            ["Resource_List.ngpus=x", "Resource_List.select=70000:ngpus=4", "Resource_List.select=1:ngpus=-1"]
        {
            assert_eq!(request(wrong), Err(()), "{wrong}");
        }
    }
}
