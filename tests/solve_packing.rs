//! `sts solve` and real devices: MIG layouts constrain packability exactly, and `packing_gap` is what device boundaries cost; both
//! against searches over positions.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use sts_sim::cluster::SliceMemory;
use sts_sim::policy::param::ParamValue;
use sts_sim::solve::answer::{Answer, AnswerStatus};
use sts_sim::solve::{Instance, solve};

const PLAIN: SliceMemory = SliceMemory::Plain;

fn solved(instance: &Value, policy: &str) -> Answer {
    let instance = Instance::from_json(&instance.to_string()).expect("a legal instance");
    solve(&instance, policy, &BTreeMap::<String, ParamValue>::new()).expect("an answer")
}

/// Masks of a slice on one device, from NVIDIA's table written out anew: (layout, slots, memory).
fn masks(layout: &str, slots: u64, memory: SliceMemory) -> Vec<u16> {
    let at =
        |length: u32, starts: &[u32]| starts.iter().map(|start| ((1u16 << length) - 1) << start).collect();
    match (layout, slots) {
        ("mig-a100", 1) if memory == SliceMemory::Double => at(2, &[0, 2, 4, 6]),
        ("mig-a100", 1) => at(1, &[0, 1, 2, 3, 4, 5, 6]),
        ("mig-a100", 2) => at(2, &[0, 2, 4]),
        ("mig-a100", 3) => at(4, &[0, 4]),
        ("mig-a100", 4) => at(4, &[0]),
        ("mig-a100", 7) => at(8, &[0]),
        ("mig-a30", 1) => at(1, &[0, 1, 2, 3]),
        ("mig-a30", 2) => at(2, &[0, 2]),
        ("mig-a30", 4) => at(4, &[0]),
        _ => unreachable!("no such slice"),
    }
}

/// A device: its taken positions, or its taken slots where the layout is uniform.
fn ways(layout: &str, slots_per_device: u64, device: u16, slots: u64, memory: SliceMemory) -> Vec<u16> {
    if layout == "uniform" {
        let taken = u64::from(device) + slots;
        return if taken <= slots_per_device { vec![taken as u16] } else { Vec::new() };
    }
    masks(layout, slots, memory)
        .into_iter()
        .filter(|mask| mask & device == 0)
        .map(|mask| mask | device)
        .collect()
}

/// One allocation on the devices of one type.
#[derive(Clone, Copy)]
struct Piece {
    slots: u64,
    memory: SliceMemory,
    devices: u64,
    worth: i64,
}

/// The most worth that can be placed, by trying every device and position for every piece, and leaving it out.
fn most_placed(layout: &str, per_device: u64, devices: &mut Vec<u16>, pieces: &[Piece]) -> i64 {
    let Some((piece, rest)) = pieces.split_first() else { return 0 };
    let mut best = most_placed(layout, per_device, devices, rest);
    place_parts(layout, per_device, devices, piece, piece.devices, 0, &mut |devices| {
        best = best.max(piece.worth + most_placed(layout, per_device, devices, rest));
    });
    best
}

fn place_parts(
    layout: &str,
    per_device: u64,
    devices: &mut Vec<u16>,
    piece: &Piece,
    left: u64,
    from: usize,
    found: &mut dyn FnMut(&mut Vec<u16>),
) {
    if left == 0 {
        return found(devices);
    }
    for device in from..devices.len() {
        let before = devices[device];
        if left == 1 && piece.devices == 1 && devices[..device].contains(&before) {
            continue; // as good as one already tried
        }
        for after in ways(layout, per_device, before, piece.slots, piece.memory) {
            devices[device] = after;
            place_parts(layout, per_device, devices, piece, left - 1, device + 1, found);
            devices[device] = before;
        }
    }
}

fn below(random: &mut ChaCha8Rng, n: u64) -> u64 {
    random.next_u64() % n
}

/// The options that a layout has for one job: (slots, memory).
fn slices(layout: &str, per_device: u64) -> Vec<(u64, SliceMemory)> {
    match layout {
        "mig-a100" => {
            vec![(1, PLAIN), (1, SliceMemory::Double), (2, PLAIN), (3, PLAIN), (4, PLAIN), (7, PLAIN)]
        }
        "mig-a30" => vec![(1, PLAIN), (2, PLAIN), (4, PLAIN)],
        _ => (1..=per_device).map(|slots| (slots, PLAIN)).collect(),
    }
}

/// Jobs of one option each, so that the choice is who runs. `most_devices` > 1 makes gangs of slices.
fn instance(
    random: &mut ChaCha8Rng,
    layout: &str,
    per_device: u64,
    devices: u64,
    most_devices: u64,
) -> Value {
    let jobs = 3 + below(random, 5);
    let slices = slices(layout, per_device);
    let job = |random: &mut ChaCha8Rng, i: u64| {
        let (slots, memory) = slices[below(random, slices.len() as u64) as usize];
        let of_job = if below(random, 3) == 0 { 1 + below(random, most_devices) } else { 1 };
        let rate = (1 + below(random, 900)) as f64 / 1000.0;
        let mut option = json!({"type": "t", "slots": slots, "devices": of_job, "rate": rate});
        if memory == SliceMemory::Double {
            option["memory"] = json!("double");
        }
        json!({"name": format!("j{i}"), "options": [option]})
    };
    let jobs: Vec<Value> = (0..jobs).map(|i| job(random, i)).collect();
    json!({
        "types": [{"name": "t", "devices": devices, "slots_per_device": per_device, "layout": layout}],
        "tenants": [{"name": "a", "jobs": jobs}],
    })
}

/// The jobs of the instance as pieces; with an answer, only those that it lets run.
fn pieces(instance: &Value, answer: Option<&Answer>) -> Vec<Piece> {
    let jobs = instance["tenants"][0]["jobs"].as_array().unwrap();
    let runs = |job: &&Value| {
        answer.is_none_or(|answer| answer.allocation.iter().any(|a| a.job.as_deref() == job["name"].as_str()))
    };
    jobs.iter()
        .filter(runs)
        .map(|job| {
            let option = &job["options"][0];
            Piece {
                slots: option["slots"].as_u64().unwrap(),
                memory: if option["memory"] == "double" { SliceMemory::Double } else { PLAIN },
                devices: option["devices"].as_u64().unwrap(),
                worth: (option["rate"].as_f64().unwrap() * 1e6).round() as i64,
            }
        })
        .collect()
}

fn micro(value: Option<f64>) -> i64 {
    (value.unwrap() * 1e6).round() as i64
}

#[test]
fn mig_layouts_admit_exactly_what_packs() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let mut refused = 0;
    for case in 0..400 {
        let (layout, per_device) = if case % 4 == 0 { ("mig-a30", 4) } else { ("mig-a100", 7) };
        let devices = 1 + below(&mut random, 2);
        let instance = instance(&mut random, layout, per_device, devices, 1);
        let answer = solved(&instance, "max-sum");
        let all = pieces(&instance, None);
        let best = most_placed(layout, per_device, &mut vec![0; devices as usize], &all);
        assert_eq!(micro(answer.objective), best, "case {case}: {instance}");
        assert_eq!(micro(answer.packing_gap), 0);
        assert_eq!(answer.status, AnswerStatus::Optimal);
        for policy in ["brute-force", "sts-fairness"] {
            assert_eq!(
                solved(&instance, policy).objective,
                answer.objective,
                "one tenant's floor never binds"
            );
        }
        refused += u32::from(best < all.iter().map(|piece| piece.worth).sum());
    }
    assert!(refused > 100, "only {refused} instances were tight");
}

#[test]
fn the_packing_gap_is_what_boundaries_and_distinct_devices_cost() {
    let mut random = ChaCha8Rng::seed_from_u64(43);
    let mut gaps = BTreeMap::new();
    for case in 0..450 {
        let (layout, per_device) = match case % 3 {
            0 => ("mig-a100", 7),
            1 => ("mig-a30", 4),
            _ => ("uniform", 2 + below(&mut random, 5)),
        };
        let devices = 2 + below(&mut random, 2);
        let instance = instance(&mut random, layout, per_device, devices, devices);
        let answer = solved(&instance, "max-sum");
        let run = pieces(&instance, Some(&answer));
        let all: i64 = run.iter().map(|piece| piece.worth).sum();
        let placed = most_placed(layout, per_device, &mut vec![0; devices as usize], &run);
        assert_eq!(micro(answer.packing_gap), all - placed, "case {case}: {instance}");
        *gaps.entry(layout).or_insert(0) += u32::from(placed < all);
    }
    assert!(gaps["uniform"] > 20 && gaps["mig-a30"] > 0, "{gaps:?}");
}

#[test]
fn slices_on_more_devices_than_there_are_never_run_on_mig_types() {
    for (layout, per_device) in [("mig-a100", 7), ("mig-a30", 4)] {
        let instance = json!({
            "types": [{"name": "t", "devices": 2, "slots_per_device": per_device, "layout": layout}],
            "tenants": [{"name": "a", "jobs": [
                {"name": "three", "options": [{"type": "t", "slots": 1, "devices": 3, "rate": 5.0}]},
                {"name": "all", "options": [{"type": "t", "slots": per_device, "devices": 2, "rate": 1.0}]},
            ]}],
        });
        for policy in ["sts-fairness", "max-sum", "brute-force"] {
            let answer = solved(&instance, policy);
            assert_eq!(micro(answer.objective), 1_000_000, "{layout} {policy}");
            assert_eq!(answer.allocation[0].job.as_deref(), Some("all"));
            assert_eq!(micro(answer.packing_gap), 0);
        }
    }
}

#[test]
fn a_type_without_devices_gives_nothing() {
    for layout in ["uniform", "mig-a100", "mig-a30"] {
        let per_device = if layout == "mig-a30" { 4 } else { 7 };
        let instance = json!({
            "types": [{"name": "t", "devices": 0, "slots_per_device": per_device, "layout": layout}],
            "tenants": [
                {"name": "a", "jobs": [{"name": "j", "options": [{"type": "t", "slots": 1, "rate": 1.0}]}]},
                {"name": "b", "jobs": []},
            ],
        });
        for policy in ["sts-fairness", "max-sum", "brute-force", "equal-split"] {
            let answer = solved(&instance, policy);
            assert_eq!((answer.objective, answer.packing_gap), (Some(0.0), Some(0.0)), "{layout} {policy}");
            assert_eq!((answer.status, answer.allocation.len()), (AnswerStatus::Optimal, 0));
        }
    }
}

#[test]
fn double_memory_is_refused_where_there_is_no_such_slice() {
    for (layout, slots, per_device) in [("uniform", 1, 4), ("mig-a30", 1, 4), ("mig-a100", 2, 7)] {
        let option = json!({"type": "t", "slots": slots, "memory": "double", "rate": 1.0});
        let instance = json!({
            "types": [{"name": "t", "devices": 1, "slots_per_device": per_device, "layout": layout}],
            "tenants": [{"name": "a", "jobs": [{"name": "j", "options": [option]}]}],
        });
        let error = Instance::from_json(&instance.to_string()).unwrap_err().to_string();
        assert!(error.starts_with("tenants[0].jobs[0].options[0].memory: found double, expected"), "{error}");
    }
}
