//! The devices at a moment as a drawing: slots in the colours of tenants where there are few, a band for each node where there are more.

use super::{Held, Moment, Moments};
use crate::app::strings::moment as words;
use crate::chart::Scene;
use crate::chart::gantt::Kind;
use crate::chart::palette::{TenantPattern, tenant_fill};
use crate::chart::scene::{Area, Group, Node, Pattern, Rect, Text};

/// A type of more devices is drawn as one band a node.
const MOST_DEVICES: u32 = 288;
/// A type of more nodes is drawn as one band.
const MOST_NODES: usize = 720;
/// Nodes have a name where there are no more than so many.
const MOST_NAMED: usize = 40;
/// The line with a type's name.
const HEAD_PX: f64 = 20.0;
const TYPE_GAP_PX: f64 = 12.0;
const NAME_PX: f64 = 14.0;

/// What is drawn of a type, from coarse to fine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grain {
    Kind,
    Nodes,
    Devices,
}

/// The measures of one type's drawing.
struct Measures {
    grain: Grain,
    /// Width of a position, or of a device in a band.
    cell_px: f64,
    height_px: f64,
    /// Between devices of a node.
    gap_px: f64,
    /// Between nodes.
    node_gap_px: f64,
    name_px: f64,
}

impl Measures {
    fn of(kind: &Kind, nodes: usize) -> Self {
        if kind.devices <= MOST_DEVICES {
            let cell_px = if kind.positions == 1 { 14.0 } else { 5.0 };
            let name_px = if nodes <= MOST_NAMED { NAME_PX } else { 0.0 };
            return Self {
                grain: Grain::Devices,
                cell_px,
                height_px: 18.0,
                gap_px: 3.0,
                node_gap_px: 14.0,
                name_px,
            };
        }
        let grain = if nodes <= MOST_NODES { Grain::Nodes } else { Grain::Kind };
        Self { grain, cell_px: 5.0, height_px: 12.0, gap_px: 0.0, node_gap_px: 4.0, name_px: 0.0 }
    }

    /// Width of a node of so many devices, if there is room for it in one line.
    fn node_px(&self, kind: &Kind, devices: u32, room_px: f64) -> (f64, u32) {
        if self.grain != Grain::Devices {
            return ((f64::from(devices) * self.cell_px).clamp(14.0, 60.0), devices);
        }
        let device_px = self.device_px(kind) + self.gap_px;
        let per_line = (((room_px + self.gap_px) / device_px).floor() as u32).clamp(1, devices.max(1));
        (f64::from(per_line) * device_px - self.gap_px, per_line)
    }

    fn device_px(&self, kind: &Kind) -> f64 {
        f64::from(kind.positions.max(1)) * self.cell_px
    }
}

/// The devices at a moment, `width` px wide; `id` is unique in the page.
#[must_use]
pub fn drawing(moments: &Moments, moment: &Moment, width: f64, id: &str) -> Scene {
    let schedule = moments.schedule();
    let mut scene =
        Scene { id: id.to_owned(), width, summary: words::drawing(moments, moment), ..Scene::default() };
    let mut y = 0.0;
    for (index, kind) in (0_u32..).zip(schedule.kinds()) {
        if kind.devices == 0 {
            continue;
        }
        let of_kind = within(&moment.held, kind.first_device, kind.devices);
        scene.add(
            Text::new("t12", (0.0, y + 12.0), String::new())
                .span("b tx", kind.name.clone())
                .span("", format!("  {}", words::kind(kind, of_kind))),
        );
        y += HEAD_PX;
        let numbers = schedule.nodes_of(index);
        let measures = Measures::of(kind, numbers.len());
        if measures.grain == Grain::Kind {
            let mut group =
                Group::new("").title(words::band(moments, &kind.name, kind, kind.devices, of_kind));
            band(&mut group, kind, kind.devices, of_kind, Area::new(0.0, y, width, 16.0));
            scene.add(group);
            y += 16.0 + TYPE_GAP_PX;
            continue;
        }
        let (mut x, mut line_px) = (0.0, 0.0_f64);
        for (number, node) in (1_u32..).zip(numbers.clone()) {
            let Some(of) = schedule.nodes().get(node as usize) else { continue };
            let (node_px, per_line) = measures.node_px(kind, of.devices, width);
            if x > 0.0 && x + node_px > width {
                (x, y, line_px) = (0.0, y + line_px + 6.0, 0.0);
            }
            let held = within(&moment.held, of.first_device, of.devices);
            let is_out = moment.out.contains(&node);
            let name = words::node(number, is_out);
            let height_px = match measures.grain {
                Grain::Devices => {
                    let placed = Placed {
                        kind,
                        name: &name,
                        first_device: of.first_device,
                        devices: of.devices,
                        held,
                        is_out,
                        at: (x, y),
                    };
                    devices(&mut scene, moments, &placed, &measures, per_line)
                }
                _ => {
                    let area = Area::new(x, y, node_px, measures.height_px);
                    let mut group = Group::new("").title(words::band(moments, &name, kind, of.devices, held));
                    band(&mut group, kind, of.devices, held, area);
                    if is_out {
                        group.add(Rect::new("", area).fill(Pattern::Loss));
                    }
                    scene.add(group);
                    measures.height_px
                }
            };
            if measures.name_px > 0.0 {
                scene.add(Text::new("", (x, y + height_px + 11.0), number.to_string()));
            }
            line_px = line_px.max(height_px + measures.name_px);
            x += node_px + measures.node_gap_px;
        }
        y += line_px + TYPE_GAP_PX;
    }
    scene.height = (y - TYPE_GAP_PX).max(1.0);
    scene
}

/// What is held of consecutive devices.
fn within(held: &[Held], first_device: u32, devices: u32) -> &[Held] {
    let from = held.partition_point(|held| held.device < first_device);
    let to = held.partition_point(|held| held.device < first_device + devices);
    held.get(from..to).unwrap_or(&[])
}

/// A node to be drawn.
struct Placed<'a> {
    kind: &'a Kind,
    name: &'a str,
    first_device: u32,
    devices: u32,
    held: &'a [Held],
    is_out: bool,
    at: (f64, f64),
}

/// Draws the devices of a node one by one, so many in a line; how high they are.
fn devices(
    scene: &mut Scene,
    moments: &Moments,
    node: &Placed<'_>,
    measures: &Measures,
    per_line: u32,
) -> f64 {
    let Placed { kind, at: (x, y), .. } = *node;
    let (device_px, pitch_px) = (measures.device_px(kind), measures.height_px + measures.gap_px);
    for at in 0..node.devices {
        let (column, line) = (at % per_line, at / per_line);
        let left = x + f64::from(column) * (device_px + measures.gap_px);
        let area = Area::new(left, y + f64::from(line) * pitch_px, device_px, measures.height_px);
        let held = within(node.held, node.first_device + at, 1);
        let mut group = Group::new("").title(words::device(moments, node.name, at + 1, kind, held));
        group.add(Rect::new("idle", area).radius(2.0));
        for held in held {
            let from = area.x + f64::from(held.first) * measures.cell_px;
            let wide = f64::from(held.height) * measures.cell_px - if kind.positions > 1 { 0.7 } else { 0.0 };
            fill(&mut group, held.tenant, Area::new(from, area.y, wide, area.height));
        }
        if node.is_out {
            group.add(Rect::new("", area).fill(Pattern::Loss));
        }
        scene.add(group);
    }
    f64::from(node.devices.div_ceil(per_line)) * pitch_px - measures.gap_px
}

/// Draws one band: the shares of tenants in so many devices, from the left.
fn band(group: &mut Group, kind: &Kind, devices: u32, held: &[Held], area: Area) {
    group.add(Rect::new("idle", area).radius(2.0));
    let all = f64::from(devices) * f64::from(kind.slots.max(1));
    let mut x = area.x;
    for (tenant, slots) in by_tenant(held) {
        let width = area.width * slots as f64 / all;
        fill(group, tenant, Area::new(x, area.y, width, area.height));
        x += width;
    }
}

/// Slots held by tenant, in the order of tenants.
pub(crate) fn by_tenant(held: &[Held]) -> Vec<(u32, u64)> {
    let mut sums: Vec<(u32, u64)> = Vec::new();
    for held in held {
        match sums.binary_search_by_key(&held.tenant, |&(tenant, _)| tenant) {
            Ok(at) => sums[at].1 += u64::from(held.slots),
            Err(at) => sums.insert(at, (held.tenant, u64::from(held.slots))),
        }
    }
    sums
}

/// A rectangle in the fill of a tenant.
fn fill(group: &mut Group, tenant: u32, area: Area) {
    let fill = tenant_fill(tenant as usize);
    group.add(Rect::new(format!("blk {}", fill.class), area).radius(1.5));
    if fill.pattern == TenantPattern::Hatched {
        group.add(Node::from(Rect::new("", area).radius(1.5).fill(Pattern::Hatch)));
    }
}
