use super::results::{Results, write_means_csv, write_runs_csv};
use super::*;
use crate::scenario::run::{generated, prepare};

const BASE: &str = r#"{
    "cluster": {"nodes": [
        {"gpu": "V100-16", "count": 2, "gpus_per_node": 4, "layout": "uniform-2"},
        {"gpu": "P100", "count": 1, "gpus_per_node": 2}
    ]},
    "workload": {"synthetic": {"jobs": 40, "tenants": 2, "gpus": [{"gpus": 1, "weight": 1}],
        "arrivals": {"kind": "poisson", "rate_per_hour": 60}}},
    "policies": [{"name": "fifo"}, {"name": "las"}],
    "seeds": [0, 1, 2]
}"#;

fn base() -> Scenario {
    Scenario::from_json(BASE).unwrap()
}

fn sweep(axes: &[&str]) -> Result<Sweep, SweepError> {
    let axes: Vec<Axis> = axes.iter().map(|axis| axis.parse()).collect::<Result<_, _>>()?;
    Sweep::new(&base(), &axes)
}

fn levels(text: &str) -> String {
    match parse_levels(text) {
        Ok(levels) => levels.iter().map(level_text).collect::<Vec<_>>().join(" "),
        Err((found, expected)) => format!("found {found}, expected {expected}"),
    }
}

#[test]
fn values_are_a_list_or_equal_steps() {
    assert_eq!(levels("8, 16,32 ,"), "8 16 32");
    assert_eq!(levels("whole, mig"), "whole mig");
    assert_eq!(levels("0 to 1 by 0.1"), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
    assert_eq!(levels("8 to 30 by 8"), "8 16 24");
    assert_eq!(levels("-0.5 to 0.5 by 0.5"), "-0.5 0 0.5");
    assert_eq!(levels("5 to 5 by 1"), "5");
    for (text, told) in [
        ("", "no value"),
        ("8 to 16", "without a step"),
        ("8 to 16 by 0", "found `0`"),
        ("8 to 16 by -1", "found `-1`"),
        ("16 to 8 by 1", "smaller number first"),
        ("0 to 1 by 0.001", "found 1001 values"),
        ("a to b by c", "found `a`"),
        ("1e3 to 2e3 by 1", "found `1e3`"),
        ("0 to 99999999999999999999 by 1", "found `99999999999999999999`"),
        ("1. to 2.-5 by 1", "found `2.-5`"),
    ] {
        assert!(levels(text).contains(told), "{text}: {}", levels(text));
    }
}

#[test]
fn an_axis_is_read_as_it_is_written() {
    for text in [
        "load=0.5, 1",
        "round_s=60",
        "gpus:V100-16=4, 8",
        "layout:P100=whole, mig",
        "weight:a:b=2",
        "param:my: LAS = 2:lease_s=60",
        "set-up=before, after",
    ] {
        let axis: Axis = text.parse().unwrap();
        assert_eq!(axis.to_string(), text);
        let json = serde_json::to_string(&axis).unwrap();
        assert_eq!(serde_json::from_str::<Axis>(&json).unwrap(), axis);
    }
    for text in ["load", "gpus=8", "weight:=1", "param:las=1", "speed=2", "load:x=1", "load="] {
        assert!(text.parse::<Axis>().is_err(), "{text}");
    }
}

#[test]
fn points_come_with_the_first_axis_slowest_and_change_nothing_else() {
    let sweep = sweep(&["load=1, 2", "gpus:V100-16=4, 8, 12"]).unwrap();
    let places: Vec<String> = (0..sweep.points.len()).map(|point| sweep.place(point)).collect();
    assert_eq!(places[1], "load=1, gpus:V100-16=8");
    assert_eq!(places[3], "load=2, gpus:V100-16=4");
    assert_eq!(sweep.points[1].scenario, base(), "the level that is there is the scenario itself");
    assert_eq!(sweep.points[5].scenario.cluster.nodes[0].count, 3);
    let rate = |point: usize| {
        sweep.points[point].scenario.workload.synthetic.as_ref().unwrap().arrivals.rate_per_hour
    };
    assert!((rate(5) - 2.0 * rate(0)).abs() < 1e-9);
    assert_eq!(sweep.runs.len(), 6 * 3 * 2);
    assert_eq!(sweep.to_carry_out().count(), 6 * 3 * 2);
    let run = sweep.runs[3 * 2 + 2 + 1];
    assert_eq!((run.point, run.seed, run.policy), (1, 1, 1));
}

#[test]
fn a_run_that_no_factor_touches_is_carried_out_once() {
    let sweep = sweep(&["param:las:lease_s=0, 60, 120"]).unwrap();
    assert_eq!(sweep.to_carry_out().count(), 3 * 3 + 3, "LAS at three leases, FIFO once, with three seeds");
    let again = sweep.runs[6];
    assert_eq!((again.policy, again.point, again.same_as), (0, 1, Some(0)));
    assert!(sweep.points.iter().all(|point| point.world == 0));
}

#[test]
fn every_factor_of_a_scenario_can_take_the_level_it_has() {
    let base = base();
    let factors = Factor::all(&base, ["tenant-1", "tenant-2"]);
    assert!(factors.len() > 10);
    for factor in factors {
        assert_eq!(factor.to_string().parse::<Factor>().unwrap(), factor);
        assert!(!factor.title(&base).is_empty());
        let Some(level) = factor.level(&base) else { continue };
        let axis = Axis { factor: factor.clone(), levels: vec![level] };
        let sweep = Sweep::new(&base, &[axis]).unwrap();
        let changed = &sweep.points[0].scenario;
        assert_eq!(changed.build_cluster().unwrap(), base.build_cluster().unwrap(), "{factor}");
        if let Takes::Words(words) = factor.takes(&base) {
            let levels = words.into_iter().map(|word| ParamValue::Word(word.to_owned())).collect();
            let sweep = Sweep::new(&base, &[Axis { factor: factor.clone(), levels }]);
            assert!(sweep.is_ok(), "{factor}: {sweep:?}");
        }
    }
}

#[test]
fn gpus_come_and_go_by_whole_nodes() {
    let nodes = |axis: &str| {
        let sweep = sweep(&[axis]).map_err(|error| error.to_string())?;
        let rows = sweep.points[0].scenario.cluster.nodes.iter();
        Ok::<_, String>(
            rows.map(|row| format!("{}×{} {}", row.count, row.gpus_per_node, row.gpu))
                .collect::<Vec<_>>()
                .join(", "),
        )
    };
    assert_eq!(nodes("gpus:V100-16=16").unwrap(), "4×4 V100-16, 1×2 P100");
    assert_eq!(nodes("gpus:V100-16=0").unwrap(), "1×2 P100");
    assert_eq!(nodes("gpus:A100-80=12").unwrap(), "2×4 V100-16, 1×2 P100, 2×6 A100-80");
    assert_eq!(nodes("gpus:A100-80=3").unwrap(), "2×4 V100-16, 1×2 P100, 1×3 A100-80");
    assert!(nodes("gpus:V100-16=10").unwrap_err().contains("by a multiple of 4"));
    assert!(nodes("gpus:V100-16=1.5").unwrap_err().contains("a whole number of GPUs"));
    assert!(nodes("gpus:V100=8").unwrap_err().contains("found `V100`, expected one of"));
    let mut changing = base();
    changing.cluster.changes.push(crate::scenario::CapacityChange { at_s: 60.0, row: 0, count: 1 });
    let error = Sweep::new(&changing, &["gpus:V100-16=16".parse().unwrap()]).unwrap_err().to_string();
    assert!(error.contains("nodes that stay"), "{error}");
    assert!(Sweep::new(&changing, &["gpus:P100=0".parse().unwrap()]).is_ok());
    assert_eq!(factor::gpus_added(&base(), "V100-16", 8), 8);
    assert_eq!(factor::gpus_added(&base(), "P100", 7), 8);
}

#[test]
fn what_cannot_be_is_told_with_its_axis() {
    for (axes, told) in [
        (&["load=1", "load=2"][..], "axis load: found the same factor twice"),
        (&["load=1, 2, 1"], "axis load: found 1 twice"),
        (&["load=fast"], "axis load: found `fast`, expected a number"),
        (&["load=0"], "expected a number above 0"),
        (&["layout:P100=2"], "expected one of whole"),
        (&["layout:P100=mig"], "at layout:P100=mig: cluster.nodes[1].layout"),
        (&["layout:T4=whole"], "expected a GPU of the cluster: V100-16, P100"),
        (&["round_s=-1"], "at round_s=-1: round.length_s"),
        (&["weight:x=-1"], "at weight:x=-1: tenants.weights.x"),
        (&["param:sjf:lease_s=1"], "expected a policy of the scenario: fifo, las"),
        (&["param:las:speed=1"], "at param:las:speed=1: policies[1].params.speed"),
        (&["load=1 to 100 by 1", "round_s=1 to 100 by 1"], "found 10000 combinations, expected at most 1000"),
        (&[], "found 0, expected one or two"),
    ] {
        let error = sweep(axes).unwrap_err().to_string();
        assert!(error.contains(told), "{axes:?}: {error}");
    }
    let stranger = sweep(&["weight:x=2"]).unwrap();
    let known = |name: &str| name.starts_with("tenant-");
    assert!(stranger.check_tenants(known).unwrap_err().to_string().contains("found \"x\""));
    assert!(sweep(&["weight:tenant-1=2"]).unwrap().check_tenants(known).is_ok());
}

#[test]
fn a_batch_has_no_load_and_a_fitted_workload_is_hurried() {
    let mut batch = base();
    if let Some(synthetic) = &mut batch.workload.synthetic {
        synthetic.arrivals.kind = crate::workload::synthetic::ArrivalKind::Batch;
    }
    let load: Axis = "load=2".parse().unwrap();
    assert!(
        Sweep::new(&batch, std::slice::from_ref(&load)).unwrap_err().to_string().contains("arrive over time")
    );
    assert!(!Factor::all(&batch, []).contains(&Factor::Load));
    let mut fitted = base();
    let workload = generated(&fitted).unwrap();
    if let Some(synthetic) = &mut fitted.workload.synthetic {
        synthetic.fitted = crate::workload::synthetic::Fitted::of(&workload).map(Box::new);
    }
    let last_s = |scenario: &Scenario| generated(scenario).unwrap().jobs.last().unwrap().submit.0 as f64;
    let hurried = Sweep::new(&fitted, &[load]).unwrap();
    let ratio = last_s(&fitted) / last_s(&hurried.points[0].scenario);
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
}

#[test]
fn tables_have_every_run_and_means_with_intervals() {
    let sweep = sweep(&["param:las:lease_s=0, 720"]).unwrap();
    let mut results = Results::none_of(&sweep);
    for at in sweep.to_carry_out() {
        let run = sweep.runs[at];
        let replica = sweep.points[run.point].scenario.replica(run.seed);
        let prepared = prepare(&replica, &generated(&replica).unwrap()).unwrap();
        let metrics = prepared.run(run.policy, run.seed, &mut ()).unwrap().result.metrics;
        results.take(at, metrics);
    }
    let (mut runs, mut means) = (Vec::new(), Vec::new());
    write_runs_csv(&sweep, &results, &mut runs).unwrap();
    write_means_csv(&sweep, &results, &mut means).unwrap();
    let (runs, means) = (String::from_utf8(runs).unwrap(), String::from_utf8(means).unwrap());
    let rows: Vec<&str> = runs.lines().collect();
    assert!(rows[0].starts_with("param:las:lease_s,policy,seed,jct_mean_s,jct_p50_s,"));
    assert_eq!(rows.len(), 1 + 2 * 3 * 2);
    assert!(rows[1].starts_with("0,fifo,0,") && rows[12].starts_with("720,las,2,"));
    assert_eq!(rows[1].split_once(',').unwrap().1, rows[7].split_once(',').unwrap().1, "FIFO has no lease");
    let row = means.lines().find(|line| line.starts_with("0,las,jct_mean_s,3,")).unwrap();
    let figures: Vec<f64> = row.split(',').skip(4).map(|cell| cell.parse().unwrap()).collect();
    let estimate = results.estimate(&sweep, 0, 1, "jct_mean_s").unwrap();
    assert!((figures[0] - estimate.mean).abs() < 1e-9);
    assert!(figures[2] < figures[0] && figures[0] < figures[3]);
    let none = results.difference(&sweep, [0, 1], 0, "jct_mean_s").unwrap();
    assert_eq!((none.mean, none.seeds), (0.0, 3));
}

#[test]
fn scenarios_side_by_side_are_points_with_the_policies_and_seeds_of_the_first() {
    let named = |name: &str| Scenario { name: name.into(), ..base() };
    let mut other = named("more");
    other.cluster.nodes[0].count = 5;
    other.policies.pop();
    other.seeds = vec![9];
    let sweep = Sweep::of_scenarios(&[named("own"), other.clone(), named("again")]).unwrap();
    assert_eq!(
        sweep.points[1].scenario,
        Scenario { policies: base().policies, seeds: base().seeds, ..other }
    );
    assert_eq!(sweep.place(1), "set-up=more");
    assert_eq!((sweep.runs.len(), sweep.to_carry_out().count()), (18, 12), "two are of one world");
    let refused = |scenarios: &[Scenario]| Sweep::of_scenarios(scenarios).unwrap_err().to_string();
    assert!(refused(&[named("own")]).contains("at least two"));
    assert!(refused(&[named("own"), named("own")]).contains("own twice"));
    let mut traced = named("traced");
    traced.workload.trace = Some(crate::scenario::TraceSpec::whole("a.csv".into()));
    assert!(refused(&[named("own"), traced]).contains("other jobs in traced"));
    let alone = Axis { factor: Factor::SetUp, levels: vec![ParamValue::Word("own".into())] };
    assert!(Sweep::new(&base(), &[alone]).unwrap_err().to_string().contains("side by side"));
}
