//! Step 2: which GPUs there are and how each is cut.

use std::rc::Rc;

use yew::prelude::*;

use super::drawing::{Draw, Drawing, scene};
use super::field::{Choice, LabelShown, NumberField, select};
use super::icon::Icon;
use super::service::Service;
use super::setup::{StepProps, step_head};
use crate::app::field::Range;
use crate::app::mig;
use crate::app::presets::{PRESETS, Preset};
use crate::app::state::edit::nodes_for;
use crate::app::state::{Action, Edit, Faults};
use crate::app::strings;
use crate::chart::{Chart, DeviceMap, DeviceType, LayoutStrip, Possible, Scene, device_strip, format};
use crate::cluster::catalogue::{self, GpuModel};
use crate::cluster::{Geometry, Layout, MigMode};
use crate::scenario::{NodeSpec, Scenario, parse_layout};

/// Ways to cut a GPU, as a scenario names them.
const LAYOUTS: [(&str, Layout); 5] = [
    ("whole", Layout::Whole),
    ("uniform-2", Layout::Uniform(2)),
    ("uniform-4", Layout::Uniform(4)),
    ("uniform-8", Layout::Uniform(8)),
    ("mig", Layout::Mig(MigMode::Strict)),
];

/// Step 2.
#[component]
pub fn ClusterStep(props: &StepProps) -> Html {
    let StepProps { scenario, faults, dispatch, .. } = props;
    let rows = scenario.cluster.nodes.iter().enumerate().map(|(row, spec)| {
        html! { <GpuRow key={row} {row} spec={spec.clone()} faults={faults} dispatch={dispatch} /> }
    });
    let refusal = scenario.build_cluster().err();
    html! {
        <section class="step" id="s-cluster" tabindex="-1" aria-labelledby="h-cluster">
            { step_head(2, "h-cluster", "Cluster", "", presets(scenario, dispatch)) }
            <div class="panel flush" data-testid="cluster-editor">
                <div class="scroll-x">
                    <table class="tbl form" id="gpu-table">
                        <thead><tr>
                            <th>{ "GPU type" }</th><th class="n">{ "Memory" }</th><th class="n">{ "GPUs" }</th><th class="n">{ "Per node" }</th>
                            <th class="n">{ "Nodes" }</th><th>{ "Slots on each GPU" }</th><th class="n">{ "Slots" }</th><th>{ "One GPU" }</th>
                            <th><span class="vh">{ "Remove" }</span></th>
                        </tr></thead>
                        <tbody>{ for rows }</tbody>
                        { totals(scenario, dispatch) }
                    </table>
                </div>
                if let Some(refusal) = refusal {
                    <p class="ferr panel-note" role="alert">{ Icon::Warn.html() }<span>{ refusal.to_string() }</span></p>
                }
                <DeviceFigure scenario={scenario} />
                { for mig_types(scenario).into_iter().map(|of| html! { <MigFigure key={of.name.clone()} of={of.clone()} dispatch={dispatch} /> }) }
                <Service ..props.clone() />
            </div>
        </section>
    }
}

fn presets(scenario: &Scenario, dispatch: &Callback<Action>) -> Html {
    let chip = |preset: &'static Preset| {
        let onclick = dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::Cluster(preset.cluster())));
        let pressed = preset.is(&scenario.cluster).to_string();
        html! {
            <button class="chip" type="button" key={preset.name} title={preset.about} aria-pressed={pressed} {onclick}>{ preset.name }</button>
        }
    };
    html! { <div class="chips" role="group" aria-label="Presets">{ for PRESETS.iter().map(chip) }</div> }
}

fn totals(scenario: &Scenario, dispatch: &Callback<Action>) -> Html {
    let nodes: u64 = scenario.cluster.nodes.iter().map(|row| u64::from(row.count)).sum();
    let gpus: u64 = scenario.cluster.nodes.iter().map(gpus_of).sum();
    let slots: u64 = scenario.cluster.nodes.iter().map(|row| gpus_of(row) * u64::from(slots_of(row))).sum();
    html! {
        <tfoot><tr>
            <td colspan="2">
                <button class="link" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::Edit(Edit::AddRow))}>
                    { Icon::Plus.html() }{ "Add a GPU type" }
                </button>
            </td>
            <td class="n">{ format::count(gpus) }</td><td></td><td class="n">{ format::count(nodes) }</td><td></td>
            <td class="n">{ format::count(slots) }</td><td colspan="2"></td>
        </tr></tfoot>
    }
}

fn gpus_of(row: &NodeSpec) -> u64 {
    u64::from(row.count) * u64::from(row.gpus_per_node)
}

fn slots_of(row: &NodeSpec) -> u8 {
    geometry_of(row).map_or(0, Geometry::slots)
}

fn geometry_of(row: &NodeSpec) -> Option<Geometry> {
    Geometry::of(&catalogue::model(&row.gpu)?, parse_layout(row)?).ok()
}

/// One row of the cluster.
#[derive(Properties, PartialEq)]
struct RowProps {
    row: usize,
    spec: NodeSpec,
    faults: Rc<Faults>,
    dispatch: Callback<Action>,
}

#[component]
fn GpuRow(props: &RowProps) -> Html {
    let RowProps { row, spec, faults, dispatch } = props;
    let row = *row;
    let change = |change: fn(&mut NodeSpec, String)| {
        let (spec, dispatch) = (spec.clone(), dispatch.clone());
        Callback::from(move |text: String| {
            let mut spec = spec.clone();
            change(&mut spec, text);
            dispatch.emit(Action::Edit(Edit::Row(row, spec)));
        })
    };
    let name = |field: &str| AttrValue::from(format!("cluster.nodes.{row}.{field}"));
    let models: Vec<Choice> =
        catalogue::models().iter().map(|model| Choice::new(model.id.clone(), model.name.clone())).collect();
    let model = catalogue::model(&spec.gpu);
    let number = |field: &'static str,
                  label: String,
                  value: f64,
                  range: Range,
                  edit: Callback<f64, Result<Edit, String>>| {
        html! {
            <NumberField name={name(field)} {label} label_shown={LabelShown::Hidden} {value} {range} {faults} {edit} {dispatch} />
        }
    };
    let gpus = gpus_of(spec);
    let of = format!("of row {}", row + 1);
    html! {
        <tr data-testid={format!("gpu-row-{row}")}>
            <td>{ select(&name("gpu"), &format!("GPU type {of}"), LabelShown::Hidden, &models, &spec.gpu, &change(choose_gpu)) }</td>
            <td class="n">{ model.as_ref().map(|model| format!("{}\u{a0}GB", model.memory_gb)) }</td>
            <td class="n">{ number("gpus", format!("GPUs {of}"), gpus as f64, Range::whole(1.0, 1e6), set_gpus(props)) }</td>
            <td class="n">{ number("gpus_per_node", format!("GPUs in each node {of}"), f64::from(spec.gpus_per_node), Range::whole(1.0, 1024.0), set_per_node(props)) }</td>
            <td class="n">{ format::count(u64::from(spec.count)) }</td>
            <td class="lay">{ select(&name("layout"), &format!("Slots on each GPU {of}"), LabelShown::Hidden, &layouts(model.as_ref()), &spec.layout, &change(|spec, layout| spec.layout = layout)) }</td>
            <td class="n">{ format::count(gpus * u64::from(slots_of(spec))) }</td>
            <td class="one">{ geometry_of(spec).map(|geometry| scene(&one_gpu(row, geometry))) }</td>
            <td>
                <button class="btn ghost icon" type="button" aria-label={format!("Remove {} from the cluster", spec.gpu)}
                    onclick={dispatch.reform(move |_: MouseEvent| Action::Edit(Edit::RemoveRow(row)))}>{ Icon::Cross.html() }</button>
            </td>
        </tr>
    }
}

/// One device cut into its smallest slots.
fn one_gpu(row: usize, geometry: Geometry) -> Scene {
    const WIDTH_PX: f64 = 96.0;
    let slots = u32::from(geometry.slots());
    device_strip(row, slots, &vec![1; slots as usize], WIDTH_PX)
}

/// Another GPU keeps the layout where its hardware can have it.
fn choose_gpu(spec: &mut NodeSpec, gpu: String) {
    spec.gpu = gpu;
    if geometry_of(spec).is_none() {
        "whole".clone_into(&mut spec.layout);
    }
}

/// The layouts a model's hardware can have.
fn layouts(model: Option<&GpuModel>) -> Vec<Choice> {
    let can = |layout: Layout| model.is_none_or(|model| Geometry::of(model, layout).is_ok());
    let name = |layout: Layout| match layout {
        Layout::Whole => "Whole GPU, one slot".to_owned(),
        Layout::Uniform(slots) => format!("MPS, {slots} equal slots"),
        Layout::Mig(_) => "MIG, reconfigured".to_owned(),
    };
    LAYOUTS
        .into_iter()
        .filter(|(_, layout)| can(*layout))
        .map(|(word, layout)| Choice::new(word, name(layout)))
        .collect()
}

/// Another number of GPUs, which must fill its nodes.
fn set_gpus(props: &RowProps) -> Callback<f64, Result<Edit, String>> {
    set_counts(props, |spec, gpus| (gpus, spec.gpus_per_node))
}

/// Another number of GPUs in each node; the GPUs stay.
fn set_per_node(props: &RowProps) -> Callback<f64, Result<Edit, String>> {
    set_counts(props, |spec, per_node| (u32::try_from(gpus_of(spec)).unwrap_or(u32::MAX), per_node))
}

fn set_counts(
    props: &RowProps,
    counts: fn(&NodeSpec, u32) -> (u32, u32),
) -> Callback<f64, Result<Edit, String>> {
    let (row, spec) = (props.row, props.spec.clone());
    Callback::from(move |value: f64| {
        let (gpus, gpus_per_node) = counts(&spec, value as u32);
        let count = nodes_for(gpus, gpus_per_node)?;
        Ok(Edit::Row(row, NodeSpec { count, gpus_per_node, ..spec.clone() }))
    })
}

/// Draws the cluster.
#[derive(Properties, PartialEq)]
struct FigureProps {
    scenario: Rc<Scenario>,
}

#[component]
fn DeviceFigure(props: &FigureProps) -> Html {
    let rows = props.scenario.cluster.nodes.iter();
    let types: Vec<DeviceType> = rows
        .filter(|row| gpus_of(row) > 0)
        .map(|row| DeviceType {
            name: row.gpu.clone(),
            nodes: row.count,
            gpus_per_node: row.gpus_per_node,
            slots_per_gpu: u32::from(slots_of(row)),
        })
        .collect();
    html! {
        <figure class="map" aria-labelledby="map-h">
            <figcaption id="map-h"><b>{ "Devices and slots" }</b><span class="muted">{ "Each block is a GPU, each cell a slot, each bracket a node." }</span></figcaption>
            <Drawing<DeviceTypes> of={DeviceTypes(types)} draw={device_map as Draw<_>} />
        </figure>
    }
}

/// What is drawn of a cluster.
#[derive(Debug, Clone, PartialEq)]
struct DeviceTypes(Vec<DeviceType>);

fn device_map(types: &DeviceTypes, width: f64) -> Scene {
    let map =
        DeviceMap { id: "devices".into(), title: "Devices and slots".into(), width, types: types.0.clone() };
    map.scene(None)
}

/// A GPU type that is cut by MIG.
#[derive(Debug, Clone, PartialEq)]
struct MigType {
    name: String,
    index: usize,
    geometry: Geometry,
    strict: bool,
}

/// Every MIG model of the cluster once.
fn mig_types(scenario: &Scenario) -> Vec<MigType> {
    let mut types: Vec<MigType> = Vec::new();
    for (index, row) in scenario.cluster.nodes.iter().enumerate().filter(|(_, row)| row.layout == "mig") {
        let Some(geometry) = geometry_of(row) else { continue };
        if types.iter().all(|known| known.geometry != geometry) {
            types.push(MigType { name: row.gpu.clone(), index, geometry, strict: row.strict });
        }
    }
    types
}

#[derive(Properties, PartialEq)]
struct MigProps {
    of: MigType,
    dispatch: Callback<Action>,
}

#[component]
fn MigFigure(props: &MigProps) -> Html {
    let MigProps { of, dispatch } = props;
    let layouts = mig::layouts(of.geometry);
    let possible = layouts.iter().filter(|layout| layout.possible == Possible::Yes).count();
    let choices = [Choice::new("strict", "Strict geometry"), Choice::new("relaxed", "Slot count only")];
    let chosen = if of.strict { "strict" } else { "relaxed" };
    let on_choice = dispatch.reform(|choice: String| {
        Action::Edit(Edit::MigMode(if choice == "strict" { MigMode::Strict } else { MigMode::Relaxed }))
    });
    html! {
        <div class="mig">
            <div class="mig-t">
                <h3>{ format!("MIG layouts of the {}", of.name) }</h3>
                <p>{ strings::mig(of.geometry, possible) }</p>
                { super::field::segments("mig-mode", "Decisions keep to", &choices, chosen, &on_choice) }
            </div>
            <Drawing<MigType> of={of.clone()} draw={layout_strip as Draw<_>} />
        </div>
    }
}

fn layout_strip(of: &MigType, width: f64) -> Scene {
    let strip = LayoutStrip {
        id: format!("mig-{}", of.name),
        title: format!("MIG layouts of the {}", of.name),
        width_px: width as u32,
        slots: u32::from(of.geometry.slots()),
        type_index: of.index,
        layouts: mig::layouts(of.geometry),
    };
    strip.scene()
}
