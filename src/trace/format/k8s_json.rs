//! What `kubectl get … -o json` prints of pods, batch jobs, Kueue workloads and Volcano jobs.
//!
//! One object is one job. An export of several kinds shows the same work more than once: a job and its pods, a workload and its
//! job. Whatever comes first in the file counts; what belongs to it, or what it belongs to, is left out.
//!
//! An export is a snapshot: finished objects are deleted after a while, and of a workload that was evicted only the last
//! admission is kept. The report says so.

mod object;
mod pod;

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::trace::elements::ArrayAt;
use crate::trace::format::k8s_json::object::{Kind, Object};
pub(in crate::trace) use crate::trace::format::k8s_json::pod::{PRODUCT_LABELS, is_gpu};
use crate::trace::format::{Column, ElementReader, Evidence, Format, Shape};
use crate::trace::identity::content_hash;
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::json;
use crate::trace::outcome::outcome;
use crate::trace::sample::Sample;
use crate::trace::value::Notes;
use crate::workload::Outcome;

pub(super) static FORMAT: Format = Format {
    name: "k8s-json",
    title: "Kubernetes (kubectl, JSON)",
    help: "kubectl get workloads.kueue.x-k8s.io -A -o json, or jobs.batch, vcjob, pods: lists with items, a bare array, or \
           objects one after the other. The \
           tenant is the namespace (of a Volcano job its queue, unless that is default). GPUs are the requests, else the \
           limits, for nvidia.com/gpu and its like, of all containers times the pods; of init containers the largest counts.",
    columns: &[
        Column::text("metadata.name", "With metadata.namespace, the id."),
        Column::text("metadata.namespace", "The tenant.").or("default"),
        Column::text("spec.queueName", "Of a Kueue workload: shown as the user."),
        Column::number("metadata.creationTimestamp", None, "a date and time (RFC 3339)", "Submission.").needed(),
        Column::gpus(
            "resources.requests",
            "Of each container: nvidia.com/gpu, nvidia.com/mig-*, amd.com/gpu, gpu.intel.com/*, volcano.sh/vgpu-number.",
        )
        .or("resources.limits, else none"),
        Column::text("spec.nodeSelector", "The GPU type: nvidia.com/gpu.product and its like; also node affinity.").or("any"),
        Column::text("status", "Start, end and outcome: phases, container states or conditions, by kind."),
        Column::seconds("spec.activeDeadlineSeconds", "The limit; maximumExecutionTimeSeconds of a workload.").or("none"),
    ],
    detect,
    shape: Shape::Json { array: ArrayAt::MemberOrRoot("items"), open: || Box::new(Reader::default()) },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    let has_all = ["metadata", "spec"].iter().all(|name| sample.has_member(name));
    if !sample.is_json() || !has_all {
        return None;
    }
    let kinds: Vec<&str> = ["containers", "podSets", "template", "minAvailable"]
        .into_iter()
        .filter(|name| sample.has_member(name))
        .collect();
    let is_list = sample.opening() == Some(b'[') || sample.has_member("items");
    if kinds.is_empty() || !(sample.has_member("apiVersion") || sample.has_member("creationTimestamp")) {
        return None;
    }
    let members = [&["metadata", "spec"][..], &kinds].concat().join(", ");
    Some(Evidence {
        score: if is_list { 95 } else { 60 },
        text: format!("its objects have the members {members}, as in Kubernetes"),
    })
}

#[derive(Debug, Default)]
struct Reader {
    /// Objects that are jobs here, or whose parts or owners are; by a hash of their uid, with the kind that is the job.
    counted: HashMap<u64, Kind>,
    jobs: u64,
    slices: u64,
    shared: u64,
    /// Jobs with replicas of GPUs that are shared in time.
    replicas: u64,
    evicted: u64,
    siblings: u64,
    unknown_states: u64,
    /// Resources that jobs without GPUs ask for, and such jobs.
    unread_resources: BTreeSet<String>,
    with_unread_resources: u64,
    other_kinds: Vec<String>,
    others: u64,
}

impl ElementReader for Reader {
    fn element<'e>(&mut self, element: &'e str, notes: &Notes) -> Result<Verdict<'e>, Fault> {
        let value = json::parse(element, "an object of Kubernetes")?;
        let Some(kind) = Kind::of(&value) else {
            self.note_other(&value);
            return Ok(Verdict::Skip("other-kind"));
        };
        let Object { submit, need, pods, status, tenant, user, limit } = Object::read(kind, &value, notes)?;
        if self.is_part_of_another(kind, &value) {
            return Ok(Verdict::Skip("part-of-another"));
        }
        self.jobs += 1;
        if need.gpus.0 == 0 && !need.others.is_empty() {
            self.with_unread_resources += 1;
            self.unread_resources.extend(need.others);
        }
        self.slices += u64::from(need.is_slices);
        self.shared += u64::from(need.is_shared_by_memory);
        self.replicas += u64::from(need.replicas > 0);
        self.evicted += u64::from(status.was_evicted);
        let ended = status.outcome.or_else(|| outcome(&status.word));
        self.unknown_states += u64::from(ended.is_none() && !status.word.is_empty());
        let name = json::text(&value, "/metadata/name");
        Ok(Verdict::Job(Draft {
            id: format!("{}/{name}", object::namespace(&value)).into(),
            tenant: tenant.into(),
            user: user.into(),
            gpu_type: need.kinds.join("|").into(),
            state: status.word.into(),
            submit,
            gpus: need.gpus,
            workers: (need.has_parts && pods > 0).then_some(pods),
            duration: status.run_time,
            start: status.start,
            end: status.end,
            memory_mb: need.memory_mb,
            outcome: ended.unwrap_or(Outcome::Completed),
            limit,
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let notices = vec![
            Notice::new(
                "snapshot",
                self.jobs,
                "jobs are what the cluster still kept when it was asked: finished objects are deleted after a while, so \
                 short jobs may be missing",
            ),
            Notice::new(
                "evicted",
                self.evicted,
                "workloads were evicted at least once; runs before the last admission count only where the object sums them up",
            ),
            Notice::new(
                "sibling-pods",
                self.siblings,
                "pods have the same owner as an earlier one, and each counts as a job of its own; export the jobs \
                 (jobs.batch, vcjob, workloads) to have them as gangs",
            ),
            Notice::new("mig-slices", self.slices, "jobs hold MIG slices; each slice counts as one GPU"),
            Notice::new(
                "shared-by-memory",
                self.shared,
                "jobs share GPUs by memory alone, which says nothing of their part; each counts as whole GPUs",
            ),
            Notice::new(
                "shared-in-time",
                self.replicas,
                "jobs hold replicas of GPUs that are shared in time (nvidia.com/gpu.shared); each replica counts as a whole GPU",
            ),
            Notice::new(
                "unread-resources",
                self.with_unread_resources,
                format!(
                    "jobs have no GPUs of a kind that is read and count as jobs without GPUs, but ask for {}",
                    listed(&self.unread_resources)
                ),
            ),
            Notice::new(
                "other-kinds",
                self.others,
                format!("objects are of kinds that are not read: {}", self.other_kinds.join(", ")),
            ),
            Notice::new(
                "unknown-states",
                self.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
        ];
        Closing { notices, ..Closing::default() }
    }
}

/// The first of many names.
fn listed(names: &BTreeSet<String>) -> String {
    const SHOWN: usize = 8;
    let mut shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    if names.len() > SHOWN {
        shown.push("…");
    }
    shown.join(", ")
}

impl Reader {
    fn note_other(&mut self, value: &Value) {
        const SHOWN: usize = 8;
        self.others += 1;
        let kind = json::text(value, "/kind");
        let kind = if kind.is_empty() { "no kind".into() } else { kind };
        if self.other_kinds.len() < SHOWN && !self.other_kinds.iter().any(|known| *known == kind) {
            self.other_kinds.push(kind.into_owned());
        }
    }

    /// Whether the same work is a job already, as its owner or as one of its parts of another kind. If not, it is one now.
    fn is_part_of_another(&mut self, kind: Kind, value: &Value) -> bool {
        let hash = |uid: &str| (!uid.is_empty()).then(|| content_hash(uid.as_bytes()));
        let own = hash(&json::text(value, "/metadata/uid"));
        let owner = hash(&json::text(value, "/metadata/ownerReferences/0/uid"));
        let by_part = own.and_then(|uid| self.counted.get(&uid)).is_some_and(|&part| part != kind);
        let by_owner = owner.and_then(|uid| self.counted.get(&uid)).copied();
        if by_part || by_owner.is_some_and(|counted| counted != kind) {
            // What belongs to this one is counted as well.
            if let Some(uid) = own {
                self.counted.entry(uid).or_insert(by_owner.unwrap_or(kind));
            }
            return true;
        }
        self.siblings += u64::from(by_owner.is_some());
        for uid in own.into_iter().chain(owner) {
            self.counted.insert(uid, kind);
        }
        false
    }
}
