//! What is doubtful about a workload on a cluster, told before anything is simulated.

use crate::cluster::{Cluster, catalogue};
use crate::trace::{SizeCount, Warning, WorkloadDigest};
use crate::units::{MilliGpus, TypeId};
use crate::workload::shape::{Shape, renamed, scaled};

/// What one request for GPU types asks for, on a cluster.
struct Request {
    /// As the trace names it.
    name: String,
    /// The types it may use; all where it names none that is there.
    types: Vec<TypeId>,
    /// Whether a type that it names is there; `None` if it names none.
    matched: Option<bool>,
    jobs: u64,
    gpu_hours: f64,
    sizes: Vec<SizeCount>,
}

/// What is doubtful about the workload of `digest`, shaped by `shape`, on `cluster`. Windows, outcomes and which jobs a sample takes are
/// not in a digest: loads are then those of the whole trace.
#[must_use]
pub fn warnings(cluster: &Cluster, digest: &WorkloadDigest, shape: &Shape) -> Vec<Warning> {
    let requests = requests(cluster, digest, shape);
    let mut warnings = Vec::new();
    warnings.extend(overloads(cluster, digest, shape, &requests));
    warnings.extend(too_large(cluster, shape, &requests));
    warnings.extend(elsewhere(&requests));
    warnings
}

fn requests(cluster: &Cluster, digest: &WorkloadDigest, shape: &Shape) -> Vec<Request> {
    let all = || cluster.type_ids().collect::<Vec<_>>();
    let of = |load: &crate::trace::TypeLoad| {
        let request = renamed(&load.request, &shape.gpu_types);
        let names: Vec<&str> = request.split('|').filter(|name| !name.is_empty()).collect();
        let admitted =
            |id: &TypeId| names.iter().any(|name| catalogue::admits(name, &cluster.gpu_type(*id).gpu));
        let types: Vec<TypeId> = cluster.type_ids().filter(admitted).collect();
        Request {
            name: load.request.clone(),
            matched: (!names.is_empty()).then_some(!types.is_empty()),
            types: if types.is_empty() { all() } else { types },
            jobs: load.jobs,
            gpu_hours: load.gpu_hours,
            sizes: load.sizes.clone(),
        }
    };
    digest.gpu_types.iter().map(of).collect()
}

fn devices(cluster: &Cluster, types: &[TypeId]) -> u64 {
    types.iter().map(|&id| u64::from(cluster.gpu_type(id).devices)).sum()
}

/// `A100-80`, `T4 and A10`, `the cluster`.
fn named(cluster: &Cluster, types: &[TypeId]) -> String {
    if types.len() == cluster.types().len() {
        return "the cluster".to_owned();
    }
    let names: Vec<&str> = types.iter().map(|&id| cluster.gpu_type(id).name.as_str()).collect();
    names.join(" and ")
}

/// Sets of GPU types that jobs ask for more than there is of, over the time of submissions. Jobs that may use only types of a set
/// load it, whatever else there is.
fn overloads(
    cluster: &Cluster,
    digest: &WorkloadDigest,
    shape: &Shape,
    requests: &[Request],
) -> Vec<Warning> {
    if digest.span_s <= 0.0 {
        return Vec::new();
    }
    let factor = shape.rate * shape.sample * shape.duration_scale * shape.gpu_scale;
    let is_part = shape.window.is_some() || shape.states != crate::workload::shape::States::default();
    let of_whole = if is_part { " (over the whole trace)" } else { "" };
    let mut sets: Vec<&[TypeId]> = Vec::new();
    for request in requests {
        if !sets.contains(&&request.types[..]) {
            sets.push(&request.types);
        }
    }
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let mut found = Vec::new();
    for set in sets {
        let inside = || requests.iter().filter(|request| request.types.iter().all(|id| set.contains(id)));
        let hours: f64 = inside().map(|request| request.gpu_hours).sum();
        let asked = hours * factor * 3600.0 / digest.span_s;
        let there = devices(cluster, set);
        let load = asked / there.max(1) as f64;
        if load <= 1.0 {
            continue;
        }
        // Rounded down, so that the rate that is named would do.
        let arrivals = (shape.rate / load * 100.0).floor() / 100.0;
        let slower = if arrivals > 0.0 {
            format!("Lower the arrival rate to {arrivals:.2} or less, take")
        } else {
            "Take".into()
        };
        found.push(Warning {
            code: "overload".into(),
            message: format!(
                "{asked:.2} GPUs of {} are asked for on average{of_whole}, and {there} are there: the load is {load:.2}, so that the \
                 queue grows until submissions end. {slower} a sample, or add GPUs.",
                named(cluster, set)
            ),
            count: inside().map(|request| request.jobs).sum(),
        });
    }
    found
}

/// Jobs that no device type, or not even the whole cluster, has enough GPUs for.
fn too_large(cluster: &Cluster, shape: &Shape, requests: &[Request]) -> Vec<Warning> {
    let all: Vec<TypeId> = cluster.type_ids().collect();
    let total = devices(cluster, &all);
    let (mut of_cluster, mut of_type, mut largest, mut best) = (0u64, 0u64, 0u64, 0u64);
    for request in requests {
        let most = request.types.iter().map(|&id| u64::from(cluster.gpu_type(id).devices)).max().unwrap_or(0);
        for size in &request.sizes {
            let gpus = MilliGpus((size.gpus * 1000.0).round() as u32);
            let workers = if gpus.is_fractional() { 1 } else { gpus.whole_devices() };
            let needed = u64::from(scaled(gpus, workers, shape.gpu_scale).0.whole_devices());
            if needed > most {
                let count = if needed > total { &mut of_cluster } else { &mut of_type };
                *count += size.jobs;
                largest = largest.max(needed);
                best = best.max(most);
            }
        }
    }
    let mut found = Vec::new();
    if of_cluster > 0 {
        found.push(Warning {
            code: "larger-than-cluster".into(),
            message: format!(
                "{of_cluster} jobs ask for more than the {total} GPUs of the cluster, the largest for {largest}: they never run, under \
                 any policy, and are listed. Add GPUs, or scale requests down."
            ),
            count: of_cluster,
        });
    }
    if of_type > 0 {
        found.push(Warning {
            code: "larger-than-type".into(),
            message: format!(
                "{of_type} jobs ask for more GPUs than there are of any one type they may use (at most {best}): a job stays on one \
                 type, so that they never run and are listed. Add GPUs of one type, or scale requests down."
            ),
            count: of_type,
        });
    }
    found
}

/// Jobs whose types are not in the cluster.
fn elsewhere(requests: &[Request]) -> Option<Warning> {
    const MOST_NAMED: usize = 5;
    let missing: Vec<&Request> = requests.iter().filter(|request| request.matched == Some(false)).collect();
    let names: Vec<&str> = missing.iter().take(MOST_NAMED).map(|request| request.name.as_str()).collect();
    let more = if missing.len() > MOST_NAMED { ", …" } else { "" };
    let count: u64 = missing.iter().map(|request| request.jobs).sum();
    (count > 0).then(|| Warning {
        code: "types-elsewhere".into(),
        message: format!(
            "{count} jobs ask for GPU types that are not in the cluster ({}{more}): they may run on any type. Say what these names \
             stand for, or add the types.",
            names.join(", ")
        ),
        count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::trace::{ImportOptions, import_reader};
    use crate::workload::shape::TypeNames;

    /// 8 V100 and 4 P100.
    fn cluster() -> Cluster {
        let text = r#"{"cluster": {"nodes": [{"gpu": "V100-16", "count": 1, "gpus_per_node": 8}, {"gpu": "P100", "count": 1, "gpus_per_node": 4}]},
            "workload": {"trace": {"path": "x"}}, "policies": [{"name": "fifo"}]}"#;
        Scenario::from_json(text).unwrap().build_cluster().unwrap()
    }

    fn told(csv: &str, shape: &Shape) -> Vec<Warning> {
        let workload = import_reader("t", csv.as_bytes(), &ImportOptions::default()).unwrap().workload;
        warnings(&cluster(), &WorkloadDigest::of(&workload), shape)
    }

    fn codes(warnings: &[Warning]) -> Vec<(&str, u64)> {
        warnings.iter().map(|warning| (warning.code.as_str(), warning.count)).collect()
    }

    const HEADER: &str = "submit_s,gpus,duration_s,gpu_type\n";

    #[test]
    fn loads_above_one_are_told_by_type_with_the_rate_that_would_do() {
        // Over 1,000 s: P100 jobs of 4 × 1,500 GPU-seconds on 4 GPUs (load 1.5); 2 × 2,000 for any on 12.
        let csv = format!("{HEADER}0,4,1500,P100\n0,1,2000,\n1000,1,2000,\n");
        let plain = told(&csv, &Shape::default());
        assert_eq!(codes(&plain), [("overload", 1)]);
        assert!(
            plain[0]
                .message
                .contains("6.00 GPUs of P100 are asked for on average, and 4 are there: the load is 1.50"),
            "{plain:?}"
        );
        assert!(plain[0].message.contains("rate to 0.66 or less"), "{plain:?}");
        let slower = Shape { rate: 0.5, ..Shape::default() };
        assert_eq!(codes(&told(&csv, &slower)), []);
        let longer = Shape { duration_scale: 2.0, ..Shape::default() };
        assert_eq!(codes(&told(&csv, &longer)), [("overload", 3), ("overload", 1)]);
        let anywhere =
            Shape { gpu_types: TypeNames::from([("P100".into(), String::new())]), ..Shape::default() };
        assert_eq!(codes(&told(&csv, &anywhere)), []);
    }

    #[test]
    fn jobs_larger_than_the_cluster_or_any_type_are_told_apart() {
        let csv = format!("{HEADER}0,13,1,\n0,12,1,\n0,9,1,\n0,8,1,\n0,5,1,P100\n9000,0.5,1,\n");
        let plain = told(&csv, &Shape::default());
        assert_eq!(codes(&plain), [("larger-than-cluster", 1), ("larger-than-type", 3)]);
        assert!(plain[0].message.contains("the 12 GPUs of the cluster, the largest for 13"), "{plain:?}");
        let halved = Shape { gpu_scale: 0.5, ..Shape::default() };
        assert_eq!(codes(&told(&csv, &halved)), []);
    }

    #[test]
    fn types_that_are_not_there_are_told_until_they_are_named() {
        let csv = format!("{HEADER}0,1,1,MISC\n0,1,1,A100\n9000,1,1,V100\n");
        let plain = told(&csv, &Shape::default());
        assert_eq!(codes(&plain), [("types-elsewhere", 2)]);
        assert!(plain[0].message.contains("(A100, MISC)"), "{plain:?}");
        let names =
            [("MISC", "P100"), ("A100", "V100-16")].map(|(from, to)| (from.to_owned(), to.to_owned()));
        assert_eq!(codes(&told(&csv, &Shape { gpu_types: names.into(), ..Shape::default() })), []);
    }
}
