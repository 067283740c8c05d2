//! The kinds of objects that are jobs, and where each says when it ran.
//!
//! * A pod runs from `status.startTime` to the last end of its containers.
//! * A batch job has as many pods at once as its parallelism and its completions allow; it runs from `status.startTime` to
//!   `completionTime`, or to when it failed.
//! * A Kueue workload (v1beta1, v1beta2) runs while it is admitted. Once it has finished, newer versions set the condition
//!   `Admitted` to `False` and its time to the end: a condition counts only while it is `True`. The time of admissions that are
//!   over is in `accumulatedPastExecutionTimeSeconds` (v1beta1: `…Exexcution…`).
//! * A Volcano job runs from its first condition `Running` to its last transition. `runningDuration` counts from the creation,
//!   queue included, and is not used.

use std::borrow::Cow;

use serde_json::Value;

use crate::trace::format::k8s_json::pod::{Need, is_gpu};
use crate::trace::intake::Fault;
use crate::trace::json;
use crate::trace::value::{self, Bad, Notes};
use crate::units::SimSpan;
use crate::workload::Outcome;

/// A kind of object that is a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Pod,
    Job,
    Workload,
    VolcanoJob,
}

impl Kind {
    /// By what the object says it is; items of a list of one kind may say nothing, and are known by their members.
    pub(super) fn of(object: &Value) -> Option<Self> {
        let has = |path: &str| object.pointer(path).is_some();
        let is_volcano = json::text(object, "/apiVersion").starts_with("batch.volcano.sh/");
        match &*json::text(object, "/kind") {
            "Pod" => Some(Self::Pod),
            "Job" if is_volcano || has("/spec/tasks") => Some(Self::VolcanoJob),
            "Job" => Some(Self::Job),
            "Workload" if has("/spec/podSets") => Some(Self::Workload),
            "" if has("/spec/containers") => Some(Self::Pod),
            "" if has("/spec/podSets") => Some(Self::Workload),
            "" if has("/spec/tasks") => Some(Self::VolcanoJob),
            "" if has("/spec/template/spec") && (has("/spec/parallelism") || has("/spec/backoffLimit")) => {
                Some(Self::Job)
            }
            _ => None,
        }
    }
}

/// What an object says of its run.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// The source's own word.
    pub(super) word: String,
    /// The outcome where the word does not say it.
    pub(super) outcome: Option<Outcome>,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) run_time: Option<SimSpan>,
    pub(super) was_evicted: bool,
}

/// One object as a job.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) submit: i64,
    pub(super) need: Need,
    /// Pods that run at once.
    pub(super) pods: u32,
    pub(super) status: Status,
    pub(super) tenant: String,
    pub(super) user: String,
    pub(super) limit: Option<SimSpan>,
}

impl Object {
    pub(super) fn read(kind: Kind, object: &Value, notes: &Notes) -> Result<Self, Fault> {
        let clock = Clock { notes };
        let submit = json::required(object, "/metadata/creationTimestamp", |text| value::time(text, notes))?;
        let mut need = Need::default();
        let pods = match kind {
            Kind::Pod => add(&mut need, object.pointer("/spec"), 1)?,
            Kind::Job => {
                let parallel = count(object, "/spec/parallelism")?.unwrap_or(1).max(1);
                let at_once = count(object, "/spec/completions")?.map_or(parallel, |all| parallel.min(all));
                add(&mut need, object.pointer("/spec/template/spec"), at_once)?
            }
            Kind::Workload => pod_sets(&mut need, object)?,
            Kind::VolcanoJob => {
                let mut pods = 0_u32;
                for task in json::list(object, "/spec/tasks") {
                    let replicas = count(task, "/replicas")?.unwrap_or(1);
                    pods = pods.saturating_add(add(&mut need, task.pointer("/template/spec"), replicas)?);
                }
                pods
            }
        };
        let mut status = match kind {
            Kind::Pod => pod_status(object, &clock)?,
            Kind::Job => job_status(object, &clock)?,
            Kind::Workload => workload_status(object, &clock)?,
            Kind::VolcanoJob => volcano_status(object, &clock)?,
        };
        if status.end.zip(status.start).is_some_and(|(end, start)| end < start) {
            // Clocks of different machines; neither is known to be right.
            (status.start, status.end) = (None, None);
        }
        let limit_path = match kind {
            Kind::Workload => "/spec/maximumExecutionTimeSeconds",
            _ => "/spec/activeDeadlineSeconds",
        };
        let namespace = namespace(object).into_owned();
        let (tenant, user) = match kind {
            Kind::Workload => (namespace, json::text(object, "/spec/queueName").into_owned()),
            Kind::VolcanoJob => match &*json::text(object, "/spec/queue") {
                "" | "default" => (namespace, String::new()),
                queue => (queue.to_owned(), namespace),
            },
            Kind::Pod | Kind::Job => (namespace, String::new()),
        };
        let limit = json::maybe(object, limit_path, value::seconds)?;
        Ok(Self { submit, need, pods, status, tenant, user, limit })
    }
}

/// The namespace of an object.
pub(super) fn namespace(object: &Value) -> Cow<'_, str> {
    match json::text(object, "/metadata/namespace") {
        namespace if namespace.is_empty() => Cow::Borrowed("default"),
        namespace => namespace,
    }
}

/// Adds pods; returns how many of them need GPUs.
fn add(need: &mut Need, spec: Option<&Value>, pods: u32) -> Result<u32, Fault> {
    let before = need.gpus;
    need.add(spec.unwrap_or(&Value::Null), pods)?;
    Ok(if need.gpus > before { pods } else { 0 })
}

/// Adds the pod sets of a workload: as many pods as were admitted, of the flavours they were admitted to.
fn pod_sets(need: &mut Need, object: &Value) -> Result<u32, Fault> {
    let assigned = json::list(object, "/status/admission/podSetAssignments");
    let mut pods = 0_u32;
    for set in json::list(object, "/spec/podSets") {
        let name = json::text(set, "/name");
        let assignment = assigned.iter().find(|assignment| json::text(assignment, "/name") == name);
        let admitted = assignment.map(|assignment| count(assignment, "/count")).transpose()?.flatten();
        let wanted = count(set, "/count")?.unwrap_or(1);
        pods = pods.saturating_add(add(need, set.pointer("/template/spec"), admitted.unwrap_or(wanted))?);
        let flavors =
            assignment.and_then(|assignment| assignment.pointer("/flavors")).and_then(Value::as_object);
        for (_, flavor) in flavors.into_iter().flatten().filter(|(resource, _)| is_gpu(resource)) {
            need.add_kind(flavor.as_str().unwrap_or_default());
        }
    }
    Ok(pods)
}

/// A number of pods.
fn count(value: &Value, path: &str) -> Result<Option<u32>, Fault> {
    const BAD: Bad = Bad { expected: "a whole number of pods from 0 to 65,536", hint: "" };
    json::maybe(value, path, |text| {
        value::whole(text)
            .filter(|count| (0..=value::MAX_GPUS).contains(count))
            .and_then(|count| u32::try_from(count).ok())
            .ok_or(BAD)
    })
}

/// Reads times.
struct Clock<'n> {
    notes: &'n Notes,
}

impl Clock<'_> {
    fn at(&self, value: &Value, path: &str) -> Result<Option<i64>, Fault> {
        json::maybe(value, path, |text| value::time(text, self.notes))
    }

    /// When a condition became true, if it is.
    fn since(&self, object: &Value, kind: &str) -> Result<Option<i64>, Fault> {
        match condition(object, kind) {
            Some(condition) => self.at(condition, "/lastTransitionTime"),
            None => Ok(None),
        }
    }
}

/// A condition that is true.
fn condition<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    json::list(object, "/status/conditions").iter().find(|condition| {
        json::text(condition, "/type") == kind && json::text(condition, "/status") == "True"
    })
}

fn between(start: Option<i64>, end: Option<i64>) -> Option<SimSpan> {
    start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start))
}

fn pod_status(pod: &Value, clock: &Clock<'_>) -> Result<Status, Fault> {
    let word = json::text(pod, "/status/phase").into_owned();
    let start = clock.at(pod, "/status/startTime")?;
    let mut end = None;
    if word == "Succeeded" || word == "Failed" {
        for container in json::list(pod, "/status/containerStatuses") {
            end = end.max(clock.at(container, "/state/terminated/finishedAt")?);
        }
    }
    // The node does not answer; the pod may well run.
    let outcome = (word == "Unknown").then_some(Outcome::Running);
    Ok(Status { word, outcome, start, end, run_time: between(start, end), was_evicted: false })
}

fn job_status(job: &Value, clock: &Clock<'_>) -> Result<Status, Fault> {
    let start = clock.at(job, "/status/startTime")?;
    let is_active = json::text(job, "/status/active");
    let (word, outcome, end) = if condition(job, "Complete").is_some() {
        let end = clock.at(job, "/status/completionTime")?;
        ("Complete", Outcome::Completed, end.or(clock.since(job, "Complete")?))
    } else if condition(job, "Failed").is_some() {
        ("Failed", Outcome::Failed, clock.since(job, "Failed")?)
    } else if condition(job, "Suspended").is_some() {
        ("Suspended", Outcome::Pending, None)
    } else if start.is_some() && !is_active.is_empty() && is_active != "0" {
        ("Active", Outcome::Running, None)
    } else {
        ("Pending", Outcome::Pending, None)
    };
    let run_time = between(start, end);
    Ok(Status { word: word.into(), outcome: Some(outcome), start, end, run_time, was_evicted: false })
}

fn workload_status(workload: &Value, clock: &Clock<'_>) -> Result<Status, Fault> {
    let admitted = clock.since(workload, "Admitted")?;
    let finished = clock.since(workload, "Finished")?;
    let ready = clock.since(workload, "PodsReady")?;
    let mut past = None;
    for path in
        ["/status/accumulatedPastExecutionTimeSeconds", "/status/accumulatedPastExexcutionTimeSeconds"]
    {
        past = past.or(json::maybe(workload, path, value::seconds)?);
    }
    let was_evicted = condition(workload, "Evicted").is_some()
        || json::list(workload, "/status/conditions").iter().any(|c| json::text(c, "/type") == "Evicted")
        || !json::list(workload, "/status/schedulingStats/evictions").is_empty();
    if let Some(end) = finished {
        let reason = condition(workload, "Finished");
        let of = |path: &str| reason.map(|reason| json::text(reason, path).into_owned()).unwrap_or_default();
        let word = of("/reason");
        // Older versions have one reason for both, and say in the message how it ended.
        let outcome = match word.as_str() {
            "JobFinished" if of("/message").to_lowercase().contains("fail") => Some(Outcome::Failed),
            "JobFinished" => Some(Outcome::Completed),
            _ => None,
        };
        let start = admitted.or(ready);
        let last = between(admitted, finished);
        let run_time = match (past, last) {
            (Some(past), Some(last)) => Some(past + last),
            (past, last) => past.or(last).or(between(ready, finished)),
        };
        return Ok(Status { word, outcome, start, end: Some(end), run_time, was_evicted });
    }
    let is_active = workload.pointer("/spec/active").and_then(Value::as_bool) != Some(false);
    let (word, outcome) = if admitted.is_some() {
        ("Admitted", Outcome::Running)
    } else if !is_active {
        ("Deactivated", Outcome::Cancelled)
    } else if condition(workload, "QuotaReserved").is_some() {
        ("QuotaReserved", Outcome::Pending)
    } else {
        ("Pending", Outcome::Pending)
    };
    let run_time = past.filter(|_| !is_active);
    Ok(Status {
        word: word.into(),
        outcome: Some(outcome),
        start: admitted,
        end: None,
        run_time,
        was_evicted,
    })
}

fn volcano_status(job: &Value, clock: &Clock<'_>) -> Result<Status, Fault> {
    let word = json::text(job, "/status/state/phase").into_owned();
    let began = json::list(job, "/status/conditions").iter().find(|c| json::text(c, "/status") == "Running");
    let start = began.map(|began| clock.at(began, "/lastTransitionTime")).transpose()?.flatten();
    let (outcome, is_over) = match word.as_str() {
        "Completed" => (Outcome::Completed, true),
        "Failed" => (Outcome::Failed, true),
        "Aborted" | "Terminated" => (Outcome::Cancelled, true),
        "Running" | "Completing" | "Aborting" | "Terminating" | "Restarting" => (Outcome::Running, false),
        _ => (Outcome::Pending, false),
    };
    let end = if is_over { clock.at(job, "/status/state/lastTransitionTime")? } else { None };
    let run_time = between(start, end);
    Ok(Status { word, outcome: Some(outcome), start, end, run_time, was_evicted: false })
}
