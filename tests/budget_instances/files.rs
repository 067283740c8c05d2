//! The instances of the scaling study, with their proven optima.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Usage};

#[derive(Deserialize)]
struct Index {
    file: String,
    optimal_micro: i128,
}

#[derive(Deserialize)]
struct File {
    types: Vec<Type>,
    tenants: Vec<Tenant>,
    quotas: BTreeMap<String, BTreeMap<String, u32>>,
    floors: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Type {
    name: String,
    devices: u32,
    slots_per_device: u32,
    layout: String,
}

#[derive(Deserialize)]
struct Tenant {
    name: String,
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    options: Vec<JobOption>,
}

#[derive(Deserialize)]
struct JobOption {
    #[serde(rename = "type")]
    gpu: String,
    slots: u32,
    rate: f64,
    devices: u32,
}

/// One instance.
pub(crate) struct Instance {
    pub name: String,
    pub program: Program,
    pub floors: Vec<i64>,
    pub optimum: i128,
    /// Per tenant the capacities of its quota.
    quotas: Vec<Vec<u32>>,
}

impl Instance {
    /// The program of one tenant inside its quota.
    pub(crate) fn alone(&self, tenant: usize) -> Program {
        let jobs = self.program.jobs.iter().filter(|j| j.tenant as usize == tenant);
        Program {
            capacity: self.quotas[tenant].clone(),
            tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
            jobs: jobs.map(|j| ProgramJob { tenant: 0, options: j.options.clone() }).collect(),
        }
    }
}

fn shared() -> PathBuf {
    std::env::var_os("STS_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from)
}

/// All instances, or `None` (with a line printed) where the data is absent.
pub(crate) fn load() -> Option<Vec<Instance>> {
    let folder = shared().join("instances");
    let Ok(index) = std::fs::read_to_string(folder.join("INDEX.json")) else {
        println!("skipped: no {}", folder.join("INDEX.json").display());
        assert_ne!(std::env::var("STS_REQUIRE_SHARED").as_deref(), Ok("1"), "the shared data is required");
        return None;
    };
    let index: Vec<Index> = serde_json::from_str(&index).expect("INDEX.json");
    let read = |i: &Index| {
        let text = std::fs::read_to_string(folder.join(&i.file)).expect(&i.file);
        build(&i.file, &serde_json::from_str(&text).expect(&i.file), i.optimal_micro)
    };
    Some(index.iter().map(read).collect())
}

/// Usage per profile of a strict seven-slice device.
fn strict(slots: u32) -> [u32; 4] {
    match slots {
        1 => [1, 1, 0, 0],
        2 => [2, 2, 1, 0],
        3 => [3, 4, 1, 0],
        4 => [4, 4, 2, 1],
        7 => [7, 8, 3, 1],
        _ => panic!("no profile of {slots} slots"),
    }
}

fn micro(rate: f64) -> i64 {
    (rate * 1e6).round() as i64
}

fn capacities(t: &Type, slots: u32) -> Vec<u32> {
    match t.layout.as_str() {
        "mig-a100" => {
            assert_eq!(slots % 7, 0, "strict quotas are whole devices");
            [7, 8, 3, 1].iter().map(|a| a * slots / 7).collect()
        }
        _ => vec![slots],
    }
}

fn build(name: &str, file: &File, optimum: i128) -> Instance {
    let mut program = Program::default();
    let mut first = BTreeMap::new();
    for t in &file.types {
        first.insert(t.name.as_str(), (program.capacity.len() as u8, t));
        program.capacity.extend(capacities(t, t.devices * t.slots_per_device));
    }
    for (u, tenant) in file.tenants.iter().enumerate() {
        program.tenants.push(ProgramTenant { weight: 1, floor: micro(file.floors[&tenant.name]) });
        for job in &tenant.jobs {
            let options = job.options.iter().map(|o| {
                let (first, t) = first[o.gpu.as_str()];
                let (len, amounts) = if t.layout == "mig-a100" {
                    (4, strict(o.slots).map(|a| a * o.devices))
                } else {
                    (1, [o.slots * o.devices, 0, 0, 0])
                };
                let usage = Usage { first: first.into(), len, amounts };
                ProgramOption { usage, value: micro(o.rate), keeps: false, slots: o.slots * o.devices }
            });
            program.jobs.push(ProgramJob { tenant: u as u32, options: options.collect() });
        }
    }
    let quotas = file.tenants.iter().map(|tenant| {
        let quota = &file.quotas[&tenant.name];
        file.types.iter().flat_map(|t| capacities(t, quota.get(&t.name).copied().unwrap_or(0))).collect()
    });
    let quotas = quotas.collect();
    let floors = program.tenants.iter().map(|t| t.floor).collect();
    Instance { name: name.to_owned(), program, floors, optimum, quotas }
}
