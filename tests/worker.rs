//! A worker of the page: it is asked as the page asks, in a worker, and its answers are caught before they are posted.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::cell::RefCell;
use std::rc::Rc;

use sts_sim::app::message::{Reply, Request, from_text};
use sts_sim::app::pool::{get, post};
use sts_sim::app::samples;
use sts_sim::app::worker::worker_message;
use sts_sim::scenario::run::{generated, prepare};
use sts_sim::scenario::sweep::Sweep;
use sts_sim::scenario::{Scenario, TraceSpec};
use sts_sim::trace::{ImportOptions, Refusal};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::js_sys::{Array, Reflect, Uint8Array, global};
use web_sys::{Blob, File};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Everything the worker answers to a request: what it says, and the object in which it says it.
async fn ask(request: &Request, beside: &[(&str, JsValue)]) -> Vec<(Reply, JsValue)> {
    let heard = Rc::new(RefCell::new(Vec::new()));
    let ear = {
        let heard = Rc::clone(&heard);
        Closure::<dyn FnMut(JsValue)>::new(move |message: JsValue| heard.borrow_mut().push(message))
    };
    let post_message = get(&global(), "postMessage");
    Reflect::set(&global(), &"postMessage".into(), ear.as_ref()).unwrap();
    worker_message(post(request, beside)).await;
    Reflect::set(&global(), &"postMessage".into(), &post_message).unwrap();
    let heard = heard.take();
    heard
        .into_iter()
        .map(|message| (from_text(&get(&message, "text").as_string().unwrap()).unwrap(), message))
        .collect()
}

/// The last answer.
async fn answer(request: &Request, beside: &[(&str, JsValue)]) -> (Reply, JsValue) {
    ask(request, beside).await.pop().expect("an answer")
}

fn file(name: &str, bytes: &[u8]) -> File {
    let part: JsValue = Uint8Array::from(bytes).into();
    File::new_with_u8_array_sequence(&Array::of1(&part), name).unwrap()
}

async fn read(files: &[File], format: &str) -> (Reply, JsValue) {
    let files: Array = files.iter().collect();
    let format = (format != "auto").then(|| format.to_owned());
    let options = ImportOptions { format, ..ImportOptions::default() };
    answer(&Request::Read { options }, &[("files", files.into())]).await
}

async fn text(blob: &JsValue) -> String {
    let blob: &Blob = blob.dyn_ref().expect("a blob");
    wasm_bindgen_futures::JsFuture::from(blob.text()).await.unwrap().as_string().unwrap()
}

/// The workload of a scenario as the page keeps it.
async fn workload(scenario: &Scenario) -> JsValue {
    let spec = Box::new(scenario.workload.synthetic.clone().unwrap());
    let (reply, message) = answer(&Request::Generate { spec }, &[]).await;
    assert!(matches!(reply, Reply::Read { .. }), "{reply:?}");
    get(&message, "workload")
}

#[wasm_bindgen_test]
async fn files_are_read_in_slices_and_reported() {
    let rows: String = (0..300_000).map(|row| format!("{row},t{},{row},1,60\n", row % 3)).collect();
    let csv = format!("job,tenant,submit_s,gpus,duration_s\n{rows}");
    assert!(csv.len() > 4_000_000, "more than one slice");
    let (reply, message) = read(&[file("jobs.csv", csv.as_bytes())], "auto").await;
    let Reply::Read { contents } = reply else { panic!("{reply:?}") };
    let report = contents.report.unwrap();
    assert_eq!((report.format.as_str(), report.jobs, report.rejected_count), ("sts-csv", 300_000, 0));
    assert_eq!(contents.digest.tenants.len(), 3);
    assert!(get(&message, "workload").dyn_ref::<Blob>().is_some_and(|workload| workload.size() > 1e6));
}

#[wasm_bindgen_test]
async fn several_files_are_one_trace() {
    let header = "job,submit_s,gpus,duration_s\n";
    let files = [
        file("a.csv", format!("{header}1,0,1,60\n").as_bytes()),
        file("b.csv", format!("{header}2,5,2,60\n").as_bytes()),
    ];
    let (reply, _) = read(&files, "sts-csv").await;
    let Reply::Read { contents } = reply else { panic!("{reply:?}") };
    assert_eq!(contents.report.unwrap().jobs, 2);
}

#[wasm_bindgen_test]
async fn what_is_no_trace_is_refused() {
    for (bytes, expected) in [
        (&b""[..], "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n", "lfs-pointer"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
    ] {
        let (reply, _) = read(&[file("x.csv", bytes)], "auto").await;
        let Reply::Refused { refusal } = reply else { panic!("{reply:?}") };
        assert_eq!(serde_json::to_value(&*refusal).unwrap()["code"], expected);
    }
    let (reply, _) = read(&[file("x.csv", b"a,b\n1,2\n")], "no-such-format").await;
    assert!(matches!(reply, Reply::Refused { refusal } if matches!(*refusal, Refusal::UnknownFormat { .. })));
}

#[wasm_bindgen_test]
async fn a_run_gives_what_the_engine_gives() {
    let scenario = samples::sample("eight-a100").unwrap().scenario();
    let workload = workload(&scenario).await;
    for seed in [0, 3] {
        let replica = scenario.replica(seed);
        let prepared = prepare(&replica, &generated(&replica).unwrap()).unwrap();
        for (policy, choice) in scenario.policies.iter().enumerate() {
            let request =
                Request::Simulate { scenario: Box::new(scenario.clone()), workload: 7, policy, seed };
            let (reply, message) = answer(&request, &[("workload", workload.clone())]).await;
            let Reply::Simulated { result, jobs, assumptions, .. } = reply else { panic!("{reply:?}") };
            let expected = prepared.run(policy, seed, &mut ()).unwrap().result;
            assert_eq!((&*result.policy, result.seed), (choice.label(), seed));
            assert_eq!(result.result_hash, expected.result_hash, "{}, seed {seed}", choice.label());
            assert_eq!(result.metrics.get("jct_mean_s"), expected.metrics.get("jct_mean_s"));
            assert!(result.sim_wall_s.is_some() && !assumptions.is_empty());
            let rows = text(&get(&message, "jobs")).await.lines().count();
            assert_eq!(rows, jobs as usize + 1, "a row a job and a header");
        }
    }
}

#[wasm_bindgen_test]
async fn a_measured_run_has_the_metrics_of_the_run() {
    let scenario = samples::sample("eight-a100").unwrap().scenario();
    let sweep = Sweep::new(&scenario, &["load=1, 2".parse().unwrap()]).unwrap();
    for at in sweep.to_carry_out() {
        let run = sweep.runs[at];
        let varied = &sweep.points[run.point].scenario;
        let (policy, seed) = (run.policy, run.seed);
        let request = Request::Measure { scenario: Box::new(varied.clone()), workload: 0, policy, seed };
        let (reply, _) = answer(&request, &[]).await;
        let Reply::Measured { metrics } = reply else { panic!("{reply:?}") };
        let replica = varied.replica(seed);
        let prepared = prepare(&replica, &generated(&replica).unwrap()).unwrap();
        let expected = prepared.run(policy, seed, &mut ()).unwrap().result.metrics;
        for key in ["jct_mean_s", "utilization", "ftf_rho_max"] {
            assert_eq!(metrics.get(key), expected.get(key), "{key} at {}", sweep.place(run.point));
        }
    }
}

#[wasm_bindgen_test]
async fn means_over_common_jobs_come_from_the_times_of_each_run() {
    let mut scenario = samples::sample("eight-a100").unwrap().scenario();
    scenario.round.horizon_s = Some(20_000.0);
    let workload = workload(&scenario).await;
    let times = Array::new();
    for policy in 0..scenario.policies.len() {
        let request =
            Request::Simulate { scenario: Box::new(scenario.clone()), workload: 8, policy, seed: 0 };
        let (_, message) = answer(&request, &[("workload", workload.clone())]).await;
        times.push(&get(&message, "times"));
    }
    let request = Request::CommonMeans { groups: vec![scenario.policies.len()] };
    let (reply, _) = answer(&request, &[("times", times.into())]).await;
    let Reply::CommonMeans { means } = reply else { panic!("{reply:?}") };
    assert_eq!(means.len(), scenario.policies.len());
    assert!(means.iter().all(|mean| mean.is_some_and(|mean| mean > 0.0)));
}

#[wasm_bindgen_test]
async fn what_cannot_be_done_is_said_and_the_worker_goes_on() {
    let scenario = samples::default_scenario();
    let request =
        |policy| Request::Simulate { scenario: Box::new(scenario.clone()), workload: 9, policy, seed: 0 };
    let mut traced = scenario.clone();
    traced.workload.synthetic = None;
    traced.workload.trace = Some(TraceSpec::whole("jobs.csv".into()));
    let of_trace = Request::Simulate { scenario: Box::new(traced), workload: 9, policy: 0, seed: 0 };
    let (reply, _) = answer(&of_trace, &[]).await;
    assert_eq!(reply, Reply::Failed { message: "the jobs are missing".into() });
    let workload = workload(&scenario).await;
    let (reply, _) = answer(&request(99), &[("workload", workload.clone())]).await;
    assert!(matches!(&reply, Reply::Failed { message } if message.contains("policies")), "{reply:?}");
    let (reply, _) = answer(&request(0), &[("workload", workload)]).await;
    assert!(matches!(reply, Reply::Simulated { .. }), "{reply:?}");
}
