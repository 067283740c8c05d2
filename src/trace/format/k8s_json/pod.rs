//! The GPUs that the pods of one template need.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::trace::intake::Fault;
use crate::trace::json;
use crate::trace::value::{self, Bad};
use crate::units::MilliGpus;

/// Labels of nodes that name the GPU.
pub(in crate::trace) const PRODUCT_LABELS: [&str; 7] = [
    "nvidia.com/gpu.product",
    "amd.com/gpu.product-name",
    "cloud.google.com/gke-accelerator",
    "eks.amazonaws.com/instance-gpu-name",
    "karpenter.k8s.aws/instance-gpu-name",
    "gpu.nvidia.com/class",
    "accelerator",
];

/// Shares of a GPU in percent, beside the number of shares.
const PERCENT: [&str; 4] = [
    "volcano.sh/vgpu-cores",
    "volcano.sh/vgpu-memory-percentage",
    "nvidia.com/gpucores",
    "nvidia.com/gpumem-percentage",
];

/// Memory of each share in MB.
const MEMORY: [&str; 2] = ["volcano.sh/vgpu-memory", "nvidia.com/gpumem"];

/// GPUs of all pods of a job.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) gpus: MilliGpus,
    /// Types it may run on; none is any.
    pub(super) kinds: Vec<String>,
    /// Memory of each share, in MB; 0 where it is not stated.
    pub(super) memory_mb: u32,
    /// Whether a pod needs less than one GPU.
    pub(super) has_parts: bool,
    /// Other things than GPUs that pods ask for, and that may be GPUs by another name.
    pub(super) others: BTreeSet<String>,
    pub(super) is_slices: bool,
    pub(super) is_shared_by_memory: bool,
    /// Containers that hold replicas of GPUs that are shared in time.
    pub(super) replicas: u32,
}

/// Whether a resource is GPUs, or parts of them, by number.
pub(in crate::trace) fn is_gpu(resource: &str) -> bool {
    const NAMES: [&str; 6] = [
        "nvidia.com/gpu",
        "nvidia.com/gpu.shared",
        "amd.com/gpu",
        "gpu.intel.com/i915",
        "gpu.intel.com/xe",
        "volcano.sh/vgpu-number",
    ];
    NAMES.contains(&resource) || resource.starts_with("nvidia.com/mig-")
}

impl Need {
    /// Adds `pods` pods of one template.
    pub(super) fn add(&mut self, spec: &Value, pods: u32) -> Result<(), Fault> {
        const TOO_MANY: Bad = Bad { expected: "at most 65,536 GPUs over all pods", hint: "" };
        let each = self.of_pod(spec)?;
        let sum = u64::from(self.gpus.0) + each * u64::from(pods);
        let gpus = u32::try_from(sum).ok().filter(|&milli| i64::from(milli) <= value::MAX_GPUS * 1000);
        self.gpus = MilliGpus(
            gpus.ok_or_else(|| Fault::of_value("spec", format!("{pods} pods").as_bytes(), TOO_MANY))?,
        );
        self.has_parts |= (1..1000).contains(&each);
        if each > 0 {
            for kind in products(spec) {
                self.add_kind(&kind);
            }
        }
        Ok(())
    }

    /// Names a type.
    pub(super) fn add_kind(&mut self, kind: &str) {
        if !kind.is_empty() && !self.kinds.iter().any(|known| known == kind) {
            self.kinds.push(kind.to_owned());
        }
    }

    /// Thousandths of a GPU of one pod: containers run together, init containers one after the other before them, unless they
    /// go on running beside them.
    fn of_pod(&mut self, spec: &Value) -> Result<u64, Fault> {
        if !json::list(spec, "/resourceClaims").is_empty() {
            self.others.insert("resourceClaims (dynamic resource allocation)".to_owned());
        }
        let mut together: BTreeMap<&str, u64> = BTreeMap::new();
        let mut most: BTreeMap<&str, u64> = BTreeMap::new();
        for container in json::list(spec, "/initContainers") {
            let own = self.of_container(container)?;
            if json::text(container, "/restartPolicy") == "Always" {
                own.iter().for_each(|(name, milli)| *together.entry(name).or_insert(0) += milli);
            } else {
                for (name, milli) in own {
                    let beside = together.get(name).copied().unwrap_or(0);
                    let peak = most.entry(name).or_insert(0);
                    *peak = (*peak).max(milli + beside);
                }
            }
        }
        for container in json::list(spec, "/containers") {
            for (name, milli) in self.of_container(container)? {
                *together.entry(name).or_insert(0) += milli;
            }
        }
        for (name, milli) in together {
            let peak = most.entry(name).or_insert(0);
            *peak = (*peak).max(milli);
        }
        Ok(most.into_values().sum())
    }

    /// Thousandths of a GPU of one container, by resource: its requests, else its limits, which stand for them.
    fn of_container<'v>(&mut self, container: &'v Value) -> Result<BTreeMap<&'v str, u64>, Fault> {
        let members = |path: &str| container.pointer(path).and_then(Value::as_object);
        let mut stated: BTreeMap<&str, &Value> = BTreeMap::new();
        for list in ["/resources/limits", "/resources/requests"] {
            stated.extend(members(list).into_iter().flatten().map(|(name, amount)| (name.as_str(), amount)));
        }
        let amount = |name: &str| {
            let text = stated.get(name).map(|amount| json::text(amount, ""));
            text.map(|text| quantity(text.as_bytes()).map_err(|bad| fault(name, &text, bad))).transpose()
        };
        let mut percent = None;
        for name in PERCENT {
            percent = percent.max(amount(name)?.map(|milli| milli / 1000));
        }
        let mut memory = None;
        for name in MEMORY {
            memory = memory.max(amount(name)?.map(|milli| milli / 1000));
        }
        let mut needs = BTreeMap::new();
        let is_other = |name: &&&str| {
            let is_beside = PERCENT.contains(name) || MEMORY.contains(name);
            name.contains('/') && !is_gpu(name) && !is_beside && !name.ends_with("-storage")
        };
        self.others.extend(stated.keys().filter(is_other).map(|name| (*name).to_owned()));
        for name in stated.keys().copied().filter(|name| is_gpu(name)) {
            let count = amount(name)?.unwrap_or(0);
            if count == 0 {
                continue;
            }
            if count > (value::MAX_GPUS * 1000) as u64 {
                return Err(fault(name, &count.to_string(), AMOUNT));
            }
            if let Some(slice) = name.strip_prefix("nvidia.com/").filter(|rest| rest.starts_with("mig-")) {
                self.is_slices = true;
                self.add_kind(slice);
            }
            let milli = match percent {
                Some(percent) if (1..100).contains(&percent) => (count * percent).div_ceil(100),
                _ => count,
            };
            self.is_shared_by_memory |= percent.is_none() && memory.is_some();
            self.replicas += u32::from(name == "nvidia.com/gpu.shared");
            let memory = memory
                .and_then(|mb| u32::try_from(mb).ok())
                .filter(|&mb| i64::from(mb) <= value::MAX_MEMORY_GB * 1000);
            self.memory_mb = self.memory_mb.max(memory.unwrap_or(0));
            needs.insert(name, milli);
        }
        Ok(needs)
    }
}

/// The types that a pod may run on, by the labels its nodes must have.
fn products(spec: &Value) -> Vec<String> {
    let mut kinds = Vec::new();
    if let Some(labels) = spec.pointer("/nodeSelector").and_then(Value::as_object) {
        kinds.extend(
            PRODUCT_LABELS
                .iter()
                .filter_map(|label| labels.get(*label))
                .filter_map(Value::as_str)
                .map(str::to_owned),
        );
    }
    let terms = json::list(
        spec,
        "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",
    );
    for rule in terms.iter().flat_map(|term| json::list(term, "/matchExpressions")) {
        let key = json::text(rule, "/key");
        if json::text(rule, "/operator") == "In" && PRODUCT_LABELS.contains(&&*key) {
            kinds.extend(json::list(rule, "/values").iter().filter_map(Value::as_str).map(str::to_owned));
        }
    }
    kinds
}

const AMOUNT: Bad =
    Bad { expected: "a quantity of Kubernetes such as \"8\", with at most 65,536 GPUs", hint: "" };

fn fault(resource: &str, text: &str, bad: Bad) -> Fault {
    Fault::of_value(&format!("resources.{resource}"), text.as_bytes(), bad)
}

/// A quantity of Kubernetes in thousandths: `8`, `500m`, `1k`, `2Ki`, `1e1`.
fn quantity(text: &[u8]) -> Result<u64, Bad> {
    const SUFFIXES: [(&[u8], u64); 10] = [
        (b"Ki", 1 << 10),
        (b"Mi", 1 << 20),
        (b"Gi", 1 << 30),
        (b"Ti", 1 << 40),
        (b"k", 1000),
        (b"M", 1_000_000),
        (b"G", 1_000_000_000),
        (b"T", 1_000_000_000_000),
        (b"m", 0),
        (b"", 1),
    ];
    let Some((number, factor)) = SUFFIXES
        .iter()
        .find_map(|(suffix, factor)| text.strip_suffix(*suffix).map(|number| (number, *factor)))
    else {
        return Err(AMOUNT);
    };
    if factor == 0 {
        return value::whole(number).and_then(|milli| u64::try_from(milli).ok()).ok_or(AMOUNT);
    }
    let milli = value::seconds(number).map_err(|_| AMOUNT)?.0 / 1000;
    u64::try_from(milli).ok().and_then(|milli| milli.checked_mul(factor)).ok_or(AMOUNT)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn need(spec: &Value, pods: u32) -> Need {
        let mut need = Need::default();
        need.add(spec, pods).unwrap();
        need
    }

    fn container(resources: &Value) -> Value {
        json!({"resources": resources})
    }

    #[test]
    fn quantities_are_texts_with_suffixes() {
        for (text, milli) in
            [("8", 8000), ("500m", 500), ("1k", 1_000_000), ("2Ki", 2_048_000), ("1e1", 10_000), ("0.5", 500)]
        {
            assert_eq!(quantity(text.as_bytes()), Ok(milli), "{text}");
        }
        for wrong in ["", "x", "-1", "1Q", "m", "9999999T"] {
            assert!(quantity(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn containers_add_up_and_of_init_containers_the_largest_counts() {
        let gpus = |count: &str| container(&json!({"limits": {"nvidia.com/gpu": count}}));
        let spec = json!({"containers": [gpus("1"), gpus("2"), container(&json!({}))], "initContainers": [gpus("4"), gpus("2")]});
        assert_eq!(need(&spec, 3).gpus, MilliGpus(12_000));
        let spec = json!({"containers": [gpus("3")], "initContainers": [gpus("2")]});
        assert_eq!(need(&spec, 1).gpus, MilliGpus(3000));
        let mut beside = gpus("1");
        beside["restartPolicy"] = json!("Always");
        let spec = json!({"containers": [gpus("2")], "initContainers": [beside, gpus("1")]});
        assert_eq!(need(&spec, 1).gpus, MilliGpus(3000));
        let both = container(
            &json!({"requests": {"nvidia.com/gpu": 2}, "limits": {"nvidia.com/gpu": "2", "cpu": "4"}}),
        );
        assert_eq!(need(&json!({"containers": [both]}), 1).gpus, MilliGpus(2000));
    }

    #[test]
    fn slices_shares_and_types() {
        let slices =
            need(&json!({"containers": [container(&json!({"limits": {"nvidia.com/mig-1g.5gb": "2"}}))]}), 1);
        assert_eq!(
            (slices.gpus, slices.kinds, slices.is_slices),
            (MilliGpus(2000), vec!["mig-1g.5gb".to_owned()], true)
        );
        let shares = json!({"volcano.sh/vgpu-number": "2", "volcano.sh/vgpu-cores": "25", "volcano.sh/vgpu-memory": "4000"});
        let shared = need(&json!({"containers": [container(&json!({"limits": shares}))]}), 3);
        assert_eq!((shared.gpus, shared.memory_mb, shared.has_parts), (MilliGpus(1500), 4000, true));
        let by_memory = json!({"volcano.sh/vgpu-number": "1", "volcano.sh/vgpu-memory": "4000"});
        let by_memory = need(&json!({"containers": [container(&json!({"limits": by_memory}))]}), 1);
        assert_eq!((by_memory.gpus, by_memory.is_shared_by_memory), (MilliGpus(1000), true));
        let rule = json!({"key": "nvidia.com/gpu.product", "operator": "In", "values": ["A100", "H100"]});
        let spec = json!({
            "containers": [container(&json!({"limits": {"nvidia.com/gpu": "1"}}))],
            "nodeSelector": {"disk": "ssd", "cloud.google.com/gke-accelerator": "nvidia-l4"},
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}}}
        });
        assert_eq!(need(&spec, 1).kinds, ["nvidia-l4", "A100", "H100"]);
    }

    #[test]
    fn what_no_cluster_has_is_a_fault() {
        let spec = json!({"containers": [container(&json!({"limits": {"nvidia.com/gpu": "eight"}}))]});
        let fault = Need::default().add(&spec, 1).unwrap_err();
        assert_eq!(
            (fault.column.as_deref(), fault.value.as_str()),
            (Some("resources.nvidia.com/gpu"), "eight")
        );
        let spec = json!({"containers": [container(&json!({"limits": {"nvidia.com/gpu": "8"}}))]});
        assert!(Need::default().add(&spec, u32::MAX).is_err());
        let spec = json!({"containers": [container(&json!({"limits": {"nvidia.com/gpu": "99999999T"}}))]});
        assert!(Need::default().add(&spec, 1).is_err());
    }
}
