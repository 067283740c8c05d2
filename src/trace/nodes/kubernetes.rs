//! The machines of a Kubernetes cluster, as `kubectl get nodes -o json` prints them: GPUs by `status.capacity`, their model by the
//! labels that device plugins set.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Count, NodeReport, slurm};
use crate::trace::elements::{ArrayAt, Cutter, Piece};
use crate::trace::format::{GPU_LABELS, is_kubernetes_gpu};
use crate::trace::json;
use crate::trace::latin;
use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;
use crate::trace::value;
use crate::units::MilliGpus;

/// GPUs of a node whose plugin hands out nothing but slices of them.
const GPU_COUNT: &str = "nvidia.com/gpu.count";

/// Counts nodes.
#[derive(Debug)]
pub(in crate::trace) struct NodeObjects {
    cutter: Cutter,
    count: Count,
    count_node: fn(&Value, &mut Count),
}

impl NodeObjects {
    /// Whether a file that begins so is a list of nodes, or one node.
    pub(in crate::trace) fn are_in(sample: &Sample<'_>) -> bool {
        if Self::are_slurms(sample) {
            return true;
        }
        let is_node = [&b"\"Node\""[..], b"\"NodeList\""].into_iter().any(|kind| sample.contains(kind));
        let has = |name| sample.has_member(name);
        sample.is_json() && is_node && has("kind") && has("metadata") && (has("capacity") || has("nodeInfo"))
    }

    /// Whether it is what `scontrol show nodes --json` prints.
    fn are_slurms(sample: &Sample<'_>) -> bool {
        let of_slurm = ["gres_used", "slurmd_start_time", "architecture", "real_memory", "partitions"];
        let has = |name| sample.has_member(name);
        sample.is_json() && has("nodes") && has("gres") && has("name") && of_slurm.into_iter().any(has)
    }

    /// A counter for such a file.
    pub(in crate::trace) fn new(sample: &Sample<'_>) -> Self {
        if Self::are_slurms(sample) {
            let cutter = Cutter::new(ArrayAt::Member("nodes").as_in(sample));
            return Self { cutter, count: Count::new("sacct", Some(0)), count_node: slurm::count_node };
        }
        let cutter = Cutter::new(ArrayAt::MemberOrRoot("items").as_in(sample));
        Self { cutter, count: Count::new("k8s-json", Some(0)), count_node }
    }

    /// Takes the next piece of text.
    pub(in crate::trace) fn push(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let (count, count_node) = (&mut self.count, self.count_node);
        self.cutter.push(text, |piece| {
            if let Piece::Element(_, element) = piece {
                match json::parse(&latin::decode(element), "a node") {
                    Ok(node) => count_node(&node, count),
                    Err(_) => count.report.unread += 1,
                }
            }
            Ok(())
        })
    }

    /// What was counted.
    pub(in crate::trace) fn finish(self) -> Result<NodeReport, Refusal> {
        self.cutter.end()?;
        Ok(self.count.finish())
    }
}

/// Counts one object; what is no node is passed over.
fn count_node(node: &Value, count: &mut Count) {
    if !matches!(&*json::text(node, "/kind"), "Node" | "") {
        return;
    }
    let members = |path: &str| node.pointer(path).and_then(Value::as_object);
    let label =
        |name: &str| members("/metadata/labels").and_then(|labels| labels.get(name)).and_then(Value::as_str);
    let resources = members("/status/capacity").or(members("/status/allocatable"));
    let mut gpus = BTreeMap::new();
    for (name, amount) in resources.into_iter().flatten().filter(|(name, _)| is_kubernetes_gpu(name)) {
        match value::gpus(json::text(amount, "").as_bytes()) {
            Ok(amount) => gpus.insert(name.as_str(), amount),
            Err(_) => {
                count.report.unread += 1;
                return;
            }
        };
    }
    gpus.retain(|_, amount| amount.0 > 0);
    let are_slices = !gpus.is_empty() && gpus.keys().all(|name| slice_of(name).is_some());
    let product = GPU_LABELS.iter().find_map(|name| label(name)).unwrap_or_default();
    let whole = label(GPU_COUNT).filter(|_| are_slices && !product.is_empty());
    let sum = gpus.values().fold(0_u32, |sum, amount| sum.saturating_add(amount.0));
    let replicas =
        label("nvidia.com/gpu.replicas").is_some_and(|replicas| !matches!(replicas, "" | "0" | "1"));
    let is_cut = product.contains("-MIG-") || product.ends_with("-SHARED") || replicas;
    for (name, amount) in &gpus {
        if is_cut || (slice_of(name).is_some() && whole.is_none()) {
            count.parts(*amount);
        }
    }
    let conditions = json::list(node, "/status/conditions");
    let is_down = |condition: &Value| {
        json::text(condition, "/type") == "Ready" && json::text(condition, "/status") != "True"
    };
    if conditions.iter().any(is_down) {
        count.state("down");
    }
    let (model, sum) = match whole.and_then(|count| value::gpus(count.as_bytes()).ok()) {
        Some(whole) => (product.to_owned(), whole),
        None if are_slices => {
            let names: Vec<&str> = gpus.keys().filter_map(|name| slice_of(name)).collect();
            (format!("{product} {}", names.join("|")).trim_start().to_owned(), MilliGpus(sum))
        }
        None => (product.to_owned(), MilliGpus(sum)),
    };
    count.machine(model, sum);
}

/// What a resource calls slices, if it is of slices.
fn slice_of(resource: &str) -> Option<&str> {
    resource.strip_prefix("nvidia.com/").filter(|rest| rest.starts_with("mig-"))
}
