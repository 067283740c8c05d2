//! The SVG text of every kind of chart and state, and what holds for any data.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use sts_sim::chart::{
    BarChart, BarRow, Better, Card, CdfChart, CdfSeries, Chart, Clock, Curve, Detail, DeviceMap, DeviceType,
    Direction, HeatMap, Histogram, Key, Layout, LayoutStrip, Level, LineChart, Marked, Mean, MixPart,
    Multiple, Panel, Possible, Quantity, Response, ResponseChart, Role, Scene, SmallMultiples, Theme,
    TimeSeries, XAxis, YBase, decimate, device_strip, palette, theme,
};

/// One element a line, so that a change of the drawing is a readable change of the snapshot.
fn lines(scene: &Scene) -> String {
    scene.to_svg().replace("><", ">\n<")
}

macro_rules! snapshot {
    ($name:literal, $scene:expr) => {
        insta::assert_snapshot!($name, lines(&$scene));
    };
}

fn keys() -> [Key; 3] {
    [
        Key::new("sts-fairness", "STS-Fairness", Role::Subject),
        Key::new("gavel-max-min", "Gavel max-min", Role::Baseline),
        Key::new("fifo", "FIFO", Role::Other),
    ]
}

fn completion_times() -> CdfChart {
    let samples_s: [&[f64]; 3] = [
        &[60.0, 600.0, 3_000.0, 7_200.0, 40_000.0],
        &[90.0, 900.0, 4_000.0, 9_000.0, 50_000.0],
        &[9_000.0, 20_000.0, 40_000.0, 90_000.0, 200_000.0],
    ];
    let series =
        keys().into_iter().zip(samples_s).map(|(key, samples)| CdfSeries::new(key, samples.iter().copied()));
    let series = series.collect();
    CdfChart { series, ..CdfChart::new("jct", "Job completion time", 640.0, 292.0) }
}

fn time_chart(width: f64) -> LineChart {
    let line = |key: Key, curve: Curve, values: [f64; 5]| {
        TimeSeries::new(key, curve, values.into_iter().enumerate().map(|(i, v)| (i as f64 * 21_600.0, v)))
    };
    let [subject, baseline, fifo] = keys();
    let slots = vec![
        line(subject.clone(), Curve::Straight, [0.8, 0.95, 0.9, 0.97, 0.85]),
        line(baseline.clone(), Curve::Straight, [0.7, 0.8, f64::NAN, 0.75, 0.72]),
        line(fifo.clone(), Curve::Straight, [0.6, 0.62, 0.6, 0.66, 0.61]),
    ];
    let waiting = vec![
        line(subject, Curve::Step, [0.0, 4.0, 9.0, 3.0, 0.0]),
        line(baseline, Curve::Step, [0.0, 8.0, 12.0, 7.0, 2.0]),
        line(fifo, Curve::Step, [1.0, 14.0, 31.0, 44.0, 40.0]),
    ];
    LineChart {
        panels: vec![
            Panel {
                title: "Slots in use".into(),
                quantity: Quantity::Share,
                base: YBase::Data,
                series: slots,
            },
            Panel {
                title: "Jobs waiting".into(),
                quantity: Quantity::Count,
                base: YBase::Zero,
                series: waiting,
            },
        ],
        ..LineChart::new("time", "Utilisation and queue", width, 420.0)
    }
}

fn service() -> SmallMultiples {
    let tenants: [(&str, usize, f64, [f64; 4]); 3] = [
        ("speech", 0, 1.24, [1.2, 1.3, 1.1, 1.3]),
        ("edu", 12, 0.98, [1.1, 0.8, 0.9, 1.2]),
        ("nlp", 2, 1.05, [1.0, f64::NAN, 1.1, 1.0]),
    ];
    let multiples = tenants.into_iter().map(|(tenant, index, overall, values)| {
        let [subject, baseline, _] = keys();
        let at = |i: usize| i as f64 * 43_200.0;
        let line = |key: Key, factor: f64| {
            let points = values.into_iter().enumerate().map(|(i, v)| (at(i), v * factor));
            TimeSeries::new(key, Curve::Straight, points)
        };
        let series = vec![line(subject, 1.0), line(baseline, 0.9)];
        let weight = if index == 12 { 0.5 } else { 1.0 };
        Multiple { tenant: tenant.to_owned(), index, weight, overall: Some(overall), series }
    });
    SmallMultiples::new("service", "Service against entitlement, by tenant", 640.0, multiples.collect())
}

fn waits() -> BarChart {
    let rows = [
        ("recsys", 3, Some(-0.42), "2.16 → 1.25 h"),
        ("fraud", 7, Some(-0.38), "2.05 → 1.27 h"),
        ("edu", 12, Some(0.17), "1.86 → 2.17 h"),
        ("tiny", 5, Some(44.0), "0.02 → 0.90 h"),
        ("idle", 6, None, "never waited"),
    ];
    let rows = rows.map(|(tenant, index, change, detail)| BarRow {
        tenant: tenant.to_owned(),
        index,
        change,
        detail: detail.to_owned(),
    });
    BarChart {
        subject: "STS-Fairness".into(),
        baseline: "Gavel max-min".into(),
        detail_title: "Baseline → STS".into(),
        ..BarChart::new("waits", "Mean wait", 540.0, Better::Lower, rows.into())
    }
}

fn devices(width: f64) -> DeviceMap {
    let kind = |name: &str, nodes, gpus_per_node, slots_per_gpu| DeviceType {
        name: name.to_owned(),
        nodes,
        gpus_per_node,
        slots_per_gpu,
    };
    let types = vec![kind("A100-80", 1, 2, 7), kind("V100-16", 2, 2, 4), kind("P100", 300, 8, 1)];
    DeviceMap { id: "devices".into(), title: "Devices and slots".into(), width, types }
}

fn layouts() -> LayoutStrip {
    let layout = |parts: &[u32], possible| Layout { parts: parts.to_vec(), possible };
    LayoutStrip {
        id: "mig".into(),
        title: "MIG layouts of the A100".into(),
        width_px: 500,
        slots: 7,
        type_index: 0,
        layouts: vec![
            layout(&[4, 3], Possible::Yes),
            layout(&[3, 3], Possible::Yes),
            layout(&[3, 3, 1], Possible::No),
        ],
    }
}

fn arrivals(width: f64) -> Histogram {
    let times: Vec<f64> = (0..60).map(|i| 1_510_531_200.0 + f64::from(i * i % 53) * 3_600.0 * 3.0).collect();
    Histogram::new("arrivals", "GPU jobs submitted", (width, 100.0), Clock::Calendar, &times)
}

fn card() -> Card {
    let part = |type_index, name: &str, gpus| MixPart { type_index, name: name.to_owned(), gpus };
    Card { width: 120.0, arrivals: vec![3, 0, 5, 9, 2], mix: vec![part(0, "A100-80", 16), part(1, "T4", 48)] }
}

#[test]
fn cdf() {
    let chart = completion_times();
    snapshot!("cdf-log", chart.scene(Some(3_600.0)));
    snapshot!("cdf-linear", CdfChart { x: XAxis::Linear, ..chart.clone() }.scene(None));
    snapshot!("cdf-remaining", CdfChart { direction: Direction::Remaining, ..chart.clone() }.scene(None));
    snapshot!("cdf-compact", CdfChart { detail: Detail::Compact, ..chart }.scene(None));
}

#[test]
fn cdf_states() {
    let [subject, ..] = keys();
    let of = |series: Vec<CdfSeries>| CdfChart { series, ..completion_times() }.scene(None);
    snapshot!("cdf-empty", of(Vec::new()));
    snapshot!("cdf-one-job", of(vec![CdfSeries::new(subject.clone(), [3_000.0])]));
    let many = (0..34).map(|i| CdfSeries::new(subject.clone().variant(i), [60.0]));
    snapshot!("cdf-too-many", of(many.collect()));
}

#[test]
fn time() {
    snapshot!("time", time_chart(664.0).scene(Some(43_200.0)));
    snapshot!("time-narrow", time_chart(340.0).scene(Some(43_200.0)));
    let window_s = Some((30_000.0, 60_000.0));
    let window = LineChart { window_s, ..time_chart(664.0) };
    snapshot!("time-window", window.scene(None));
    snapshot!("time-selected", window.selection((0.25, 0.5)));
}

#[test]
fn time_states() {
    let [subject, ..] = keys();
    let of = |points: Vec<(f64, f64)>| {
        let series = vec![TimeSeries::new(subject.clone(), Curve::Straight, points)];
        let panel =
            Panel { title: "Slots in use".into(), quantity: Quantity::Share, base: YBase::Zero, series };
        LineChart { panels: vec![panel], ..time_chart(664.0) }.scene(None)
    };
    snapshot!("time-empty", of(vec![(0.0, f64::NAN)]));
    snapshot!("time-one-point", of(vec![(600.0, 0.42)]));
}

#[test]
fn multiples() {
    snapshot!("multiples", service().scene(Some(43_200.0)));
    let window_s = Some((30_000.0, 90_000.0));
    snapshot!("multiples-window", SmallMultiples { window_s, ..service() }.scene(Some(20_000.0)));
    snapshot!("multiples-empty", SmallMultiples { multiples: Vec::new(), ..service() }.scene(None));
}

#[test]
fn bars() {
    snapshot!("bars", waits().scene(Some(1.0)));
    snapshot!("bars-empty", BarChart { rows: Vec::new(), ..waits() }.scene(None));
}

#[test]
fn cluster() {
    snapshot!("devices", devices(700.0).scene(Some(1.0)));
    snapshot!("devices-narrow", devices(320.0).scene(None));
    snapshot!("devices-empty", DeviceMap { types: Vec::new(), ..devices(700.0) }.scene(None));
    snapshot!("layouts", layouts().scene());
    snapshot!("device-strip", device_strip(1, 7, &[4, 2], 70.0));
}

#[test]
fn submits() {
    snapshot!("arrivals", arrivals(400.0).scene(Some(1_510_531_200.0)));
    snapshot!("arrivals-empty", Histogram::new("a", "Jobs", (400.0, 100.0), Clock::Elapsed, &[]).scene(None));
    snapshot!("card", card().scene());
}

fn response(width: f64) -> ResponseChart {
    let levels = [0.5, 1.0, 2.0].map(|at| Level { at: Some(at), text: at.to_string() });
    let mean = |value: f64| Some(Mean { value, interval: Some((value * 0.9, value * 1.2)) });
    let means = [
        vec![mean(600.0), mean(1_200.0), mean(3_000.0)],
        vec![mean(700.0), None, mean(3_600.0)],
        vec![Some(Mean { value: 900.0, interval: None }), mean(2_000.0), None],
    ];
    let series = keys().into_iter().zip(means).map(|(key, means)| Response { key, means }).collect();
    ResponseChart {
        id: "response".into(),
        title: "Mean JCT".into(),
        width,
        height: 300.0,
        quantity: Quantity::Duration,
        factor: "Load, × the arrival rate".into(),
        levels: levels.to_vec(),
        series,
    }
}

fn heat() -> HeatMap {
    HeatMap {
        id: "heat".into(),
        title: "Utilisation".into(),
        width: 420.0,
        quantity: Quantity::Share,
        across: ("Load".into(), ["0.5", "1", "2"].map(String::from).to_vec()),
        down: ("Layout".into(), ["whole", "mig"].map(String::from).to_vec()),
        cells: vec![Some(0.31), Some(0.62), Some(0.97), Some(0.29), None, Some(0.99)],
    }
}

#[test]
fn sweeps() {
    snapshot!("response", response(664.0).scene(Some(1.0)));
    snapshot!("response-narrow", response(340.0).scene(None));
    snapshot!("heat", heat().scene(Some(4.0)));
    snapshot!("heat-empty", HeatMap { cells: vec![None; 6], ..heat() }.scene(None));
}

#[test]
fn samples() {
    let [subject, _, fifo] = keys();
    snapshot!("line-sample", palette::line_sample(&subject, 26.0));
    snapshot!("line-sample-dotted", palette::line_sample(&fifo, 26.0));
    snapshot!("line-sample-variant", palette::line_sample(&fifo.variant(1), 26.0));
    snapshot!("swatch-hatched", palette::tenant_swatch("t", 9, 10.0));
}

#[test]
fn exported_file() {
    let scene = waits().scene(None).with_footnote("philly week 46 · seed 1 · n = 1,482");
    insta::assert_snapshot!("exported-light", scene.to_standalone_svg(Theme::Light).replace("><", ">\n<"));
}

#[test]
fn tables() {
    let text = |chart: &dyn Chart| {
        let table = chart.table();
        assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
        std::iter::once(&table.header)
            .chain(&table.rows)
            .map(|row| row.join(" | ") + "\n")
            .collect::<String>()
    };
    let charts: [&dyn Chart; 7] = [
        &completion_times(),
        &service(),
        &waits(),
        &devices(700.0),
        &time_chart(664.0),
        &response(664.0),
        &heat(),
    ];
    insta::assert_snapshot!("tables", charts.map(text).join("\n"));
}

#[test]
fn sentences() {
    let charts: [&dyn Chart; 8] = [
        &completion_times(),
        &time_chart(664.0),
        &service(),
        &waits(),
        &devices(700.0),
        &arrivals(400.0),
        &response(664.0),
        &heat(),
    ];
    let text = charts.map(|chart| {
        let readout = chart.nearest(0.4).map(|readout| readout.sentence()).unwrap_or_default();
        format!("{}\n{readout}\n", chart.summary())
    });
    insta::assert_snapshot!("sentences", text.join("\n"));
}

// ---- many policies ----

/// As many policies as there are, by their names.
fn all_keys() -> Vec<Key> {
    let policies = sts_sim::policy::registry::policies();
    let key =
        |name: &str, title: &str| Key::new(name, title, Role::Other).marked(Marked::among(policies.len()));
    policies.iter().map(|policy| key(policy.name, policy.title)).collect()
}

fn many_lines(width: f64) -> [Box<dyn Chart>; 3] {
    let lines = || {
        all_keys().into_iter().enumerate().map(|(i, key)| {
            let height = |t: i32| 1.0 + f64::from(t) * 0.2 + i as f64 * 0.1;
            TimeSeries::new(key, Curve::Straight, (0..20).map(|t| (f64::from(t) * 3_600.0, height(t))))
        })
    };
    let panel = |title: &str| Panel {
        title: title.into(),
        quantity: Quantity::Count,
        base: YBase::Zero,
        series: lines().collect(),
    };
    let samples = |i: usize| (1..30).map(move |k| f64::from(k) * 60.0 * (1.0 + i as f64));
    let curves = all_keys().into_iter().enumerate().map(|(i, key)| CdfSeries::new(key, samples(i)));
    let multiple = Multiple {
        tenant: "edu".into(),
        index: 0,
        weight: 1.0,
        overall: Some(1.0),
        series: lines().collect(),
    };
    [
        Box::new(LineChart {
            panels: vec![panel("Slots"), panel("Jobs")],
            ..LineChart::new("many", "Load", width, 420.0)
        }),
        Box::new(CdfChart { series: curves.collect(), ..CdfChart::new("many-cdf", "JCT", width, 292.0) }),
        Box::new(SmallMultiples::new("many-tenants", "Service", width, vec![multiple])),
    ]
}

/// Colour class, dash and mark of every line: what tells them apart.
fn looks(svg: &str) -> BTreeSet<String> {
    let classes = |tag: &str, kind: &str| -> Option<String> {
        let class = tag.split("class=\"").nth(1)?.split('"').next()?;
        class.starts_with(kind).then(|| class.split(' ').find(|c| c.starts_with("p-")).map(str::to_owned))?
    };
    let tags: Vec<&str> = svg.split('<').collect();
    let mut looks = BTreeSet::new();
    for tag in &tags {
        let Some(line) = classes(tag, "line ") else { continue };
        let dash = tag.split("stroke-dasharray=\"").nth(1).and_then(|rest| rest.split('"').next());
        let mark = tags.iter().find(|tag| classes(tag, "mk").is_some_and(|mark| mark == line));
        let hue = theme::resolved_style_sheet(Theme::Light)
            .split('}')
            .find(|rule| rule.split([',', '{', '\n']).any(|part| part.trim() == format!(".{line}")))
            .and_then(|rule| rule.split_once('{'))
            .map(|(_, colour)| colour.trim().to_owned());
        let kind = mark.map(|mark| shape(mark));
        looks.insert(format!("{hue:?} {dash:?} {kind:?}"));
    }
    looks
}

/// A mark's class and the strokes of its outline, wherever it stands: less than what is seen.
fn shape(tag: &str) -> String {
    let class = tag.split("class=\"").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let data = tag.split(" d=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let first: String = data.split_inclusive(['z', 'Z']).next().unwrap_or_default().to_owned();
    let letters: String = first.chars().filter(char::is_ascii_alphabetic).collect();
    format!("{class} {letters}")
}

#[test]
fn every_policy_of_all_has_its_own_line_and_its_sample_in_the_legend() {
    let policies = all_keys().len();
    assert!(policies > 8);
    for width in [390.0, 1_100.0] {
        for chart in many_lines(width) {
            let scene = chart.scene(None);
            assert_eq!(scene.legend.iter().filter(|entry| entry.label != "entitled = 1").count(), policies);
            assert_eq!(looks(&scene.to_svg()).len(), policies, "{}", scene.id);
            for entry in scene.legend.iter().filter(|entry| entry.label != "entitled = 1") {
                assert_eq!(entry.sample.len(), 2, "{}: a line and its mark", entry.label);
            }
        }
    }
}

// ---- what holds for any data ----

fn all_scenes() -> Vec<Scene> {
    let mut scenes = vec![layouts().scene(), device_strip(0, 7, &[4, 2], 70.0), card().scene()];
    for width in [200.0, 340.0, 664.0, 1_400.0] {
        let charts: [&dyn Chart; 6] = [
            &CdfChart { width, ..completion_times() },
            &time_chart(width),
            &SmallMultiples { width, ..service() },
            &BarChart { width, ..waits() },
            &devices(width),
            &arrivals(width),
        ];
        for chart in charts {
            let middle = chart.nearest(0.5).map(|readout| readout.x);
            scenes.extend([chart.scene(None), chart.scene(middle)]);
        }
        scenes.extend(many_lines(width).map(|chart| chart.scene(None)));
    }
    scenes
}

/// The values of an attribute, of the elements of one name.
fn attributes<'a>(svg: &'a str, element: &str, attribute: &str) -> Vec<&'a str> {
    let (open, name) = (format!("<{element} "), format!(" {attribute}=\""));
    svg.split(&open)
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .filter_map(|tag| tag.find(&name).and_then(|at| tag.get(at + name.len()..)))
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn every_class_has_a_rule() {
    let known: BTreeSet<&str> = theme::STYLE_SHEET
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '.'))
        .filter_map(|word| word.strip_prefix('.'))
        .collect();
    for scene in all_scenes() {
        let svg = scene.to_svg();
        for element in ["text", "tspan", "line", "path", "rect", "circle", "g"] {
            for class in attributes(
                &svg.replace(&format!("<{element} class"), &format!("<{element}  class")),
                element,
                "class",
            ) {
                for one in class.split_whitespace() {
                    assert!(known.contains(one), "no rule for .{one} in {}", scene.id);
                }
            }
        }
    }
}

#[test]
fn a_drawing_has_no_colours_and_no_style() {
    for scene in all_scenes() {
        let svg = scene.to_svg();
        assert!(!svg.contains("style=") && !svg.contains("rgb("), "{}", scene.id);
        assert!(svg.replace("url(#", "").find('#').is_none(), "{}", scene.id);
    }
}

/// By the estimate of the drawing itself, which is a little more than the text needs.
#[test]
fn no_text_leaves_the_drawing() {
    for scene in all_scenes() {
        let svg = scene.to_svg();
        for text in svg.split("<text ").skip(1).filter_map(|rest| rest.split("</text>").next()) {
            let (tag, content) = text.split_once('>').unwrap();
            let spaced = format!("<text  {tag}>");
            let x: f64 = attributes(&spaced, "text", "x")[0].parse().unwrap();
            let size = if tag.contains("t13") {
                13.0
            } else if tag.contains("t12") {
                12.0
            } else {
                11.0
            };
            let plain: String =
                content.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
            let width = plain.chars().count() as f64 * 0.5 * size;
            let (from, to) = if tag.contains("middle") {
                (x - width / 2.0, x + width / 2.0)
            } else if tag.contains("\"end\"") {
                (x - width, x)
            } else {
                (x, x + width)
            };
            assert!(
                from >= -1.0 && to <= scene.width + 1.0,
                "{plain:?} at {from} to {to} of {} in {}",
                scene.width,
                scene.id
            );
        }
    }
}

fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -1e4..1e6_f64,
        1 => Just(0.0),
        1 => any::<f64>(),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
    ]
}

/// Elements are closed in the order in which they were opened, and no number is undefined.
fn assert_well_formed(svg: &str) {
    assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("Infinity"));
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let tag = tag.split_once('>').map_or(tag, |(tag, _)| tag);
        let name = tag.split_once(' ').map_or(tag, |(name, _)| name);
        match name.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed)),
            None if tag.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_data_draws_a_bounded_well_formed_chart(
        points in vec((any_value(), any_value()), 0..3_000),
        width in prop_oneof![Just(0.0), 60.0..1_600.0_f64],
        height in prop_oneof![Just(0.0), 40.0..600.0_f64],
        fraction in -0.5..1.5_f64,
        name in "\\PC{0,40}",
    ) {
        let key = Key::new(name.clone(), name.clone(), Role::Subject);
        let series = |curve| TimeSeries::new(key.clone(), curve, points.iter().copied());
        let panel = |quantity, base, curve| {
            Panel { title: name.clone(), quantity, base, series: vec![series(curve)] }
        };
        let multiple = Multiple {
            tenant: name.clone(),
            index: points.len(),
            weight: fraction,
            overall: points.first().map(|p| p.1),
            series: vec![series(Curve::Straight)],
        };
        let rows = points.iter().take(60).enumerate().map(|(index, p)| {
            BarRow { tenant: name.clone(), index, change: Some(p.1), detail: name.clone() }
        });
        let times: Vec<f64> = points.iter().map(|p| p.0).collect();
        let cdf = CdfChart {
            series: vec![CdfSeries::new(key.clone(), times.clone())],
            ..CdfChart::new(name.clone(), name.clone(), width, height)
        };
        let line = LineChart {
            panels: vec![
                panel(Quantity::Share, YBase::Data, Curve::Straight),
                panel(Quantity::Count, YBase::Zero, Curve::Step),
                panel(Quantity::Duration, YBase::Data, Curve::Step),
            ],
            ..LineChart::new(name.clone(), name.clone(), width, height)
        };
        let charts: [&dyn Chart; 7] = [
            &CdfChart { x: XAxis::Linear, ..cdf.clone() },
            &CdfChart { direction: Direction::Remaining, ..cdf.clone() },
            &cdf,
            &line,
            &SmallMultiples::new(name.clone(), name.clone(), width, vec![multiple]),
            &BarChart::new(name.clone(), name.clone(), width, Better::Lower, rows.collect()),
            &Histogram::new(name.clone(), name.clone(), (width, height), Clock::Calendar, &times),
        ];
        for chart in charts {
            let readout = chart.nearest(fraction);
            let scene = chart.scene(readout.as_ref().map(|r| r.x));
            assert_well_formed(&scene.to_svg());
            assert_well_formed(&scene.to_standalone_svg(Theme::Dark));
            for path in attributes(&scene.to_svg(), "path", "d") {
                prop_assert!(path.matches(['L', 'V', 'M']).count() <= 4 * decimate::MOST_POINTS);
            }
            if let Some(readout) = readout {
                prop_assert!((0.0..=1.0).contains(&readout.fraction) && readout.x.is_finite());
                prop_assert!((0.0..=1.0).contains(&chart.step(readout.fraction, 3)));
                prop_assert!(!readout.sentence().is_empty() && !chart.plots().is_empty());
            }
            let table = chart.table();
            prop_assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
        }
    }
}
