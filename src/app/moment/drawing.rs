//! The devices at a moment as a drawing: slots in the colours of tenants where there are few, a band for each node where there are more.

use super::{Held, Moment, Moments, Service};
use crate::app::strings::moment as words;
use crate::chart::Scene;
use crate::chart::gantt::Kind;
use crate::chart::palette::{TenantPattern, tenant_fill};
use crate::chart::scene::{Area, Group, Path, Pattern, Rect, Text};

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

/// Whether every device, or node, says what it holds when it is pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Titles {
    /// It does.
    Shown,
    /// It does not, as nobody can read it while time goes on: what is drawn is a path for each colour.
    Left,
}

/// What is drawn of all devices: a path for each colour, so that the page has few elements to replace.
struct Layers {
    scene: Scene,
    titles: Titles,
    idle: Path,
    /// Of the tenants of one hue each, in the order in which hues were first met.
    fills: Vec<(&'static str, Path)>,
    hatched: Path,
    out: Path,
    /// What says something when it is pointed at.
    told: Vec<Group>,
}

impl Layers {
    fn new(scene: Scene, titles: Titles) -> Self {
        let (hatched, out) = (Path::new("").fill(Pattern::Hatch), Path::new("").fill(Pattern::Loss));
        Self { scene, titles, idle: Path::new("idle"), fills: Vec::new(), hatched, out, told: Vec::new() }
    }

    /// The ground of something that says what it holds.
    fn ground(&mut self, area: Area, service: Service, title: impl FnOnce() -> String) {
        self.idle.rect(area);
        if service == Service::Out {
            self.out.rect(area);
        }
        if self.titles == Titles::Shown {
            let mut group = Group::new("").title(title());
            group.add(Rect::new("mo-hit", area));
            self.told.push(group);
        }
    }

    /// What a tenant holds of it.
    fn fill(&mut self, tenant: u32, area: Area) {
        let fill = tenant_fill(tenant as usize);
        match self.fills.iter_mut().find(|(class, _)| *class == fill.class) {
            Some((_, path)) => path.rect(area),
            None => {
                let mut path = Path::new(format!("blk {}", fill.class));
                path.rect(area);
                self.fills.push((fill.class, path));
            }
        }
        if fill.pattern == TenantPattern::Hatched {
            self.hatched.rect(area);
        }
    }

    /// The shares of tenants in so many devices, from the left.
    fn band(&mut self, kind: &Kind, devices: u32, held: &[Held], area: Area) {
        let all = f64::from(devices) * f64::from(kind.slots.max(1));
        let mut x = area.x;
        for (tenant, slots) in by_tenant(held) {
            let width = area.width * slots as f64 / all;
            self.fill(tenant, Area::new(x, area.y, width, area.height));
            x += width;
        }
    }

    fn into_scene(mut self, height: f64) -> Scene {
        let paths = [self.idle]
            .into_iter()
            .chain(self.fills.into_iter().map(|(_, path)| path))
            .chain([self.hatched, self.out]);
        paths.filter(|path| !path.is_empty()).for_each(|path| self.scene.add(path));
        self.told.into_iter().for_each(|group| self.scene.add(group));
        self.scene.height = height;
        self.scene
    }
}

/// The devices at a moment, `width` px wide; `id` is unique in the page.
#[must_use]
pub fn drawing(moments: &Moments, moment: &Moment, width: f64, id: &str, titles: Titles) -> Scene {
    let schedule = moments.schedule();
    let summary = words::drawing(moments, moment);
    let mut layers = Layers::new(Scene { id: id.to_owned(), width, summary, ..Scene::default() }, titles);
    let mut y = 0.0;
    for (index, kind) in (0_u32..).zip(schedule.kinds()).filter(|(_, kind)| kind.devices > 0) {
        let of_kind = within(&moment.held, kind.first_device, kind.devices);
        layers.scene.add(
            Text::new("t12", (0.0, y + 12.0), String::new())
                .span("b tx", kind.name.clone())
                .span("", format!("  {}", words::kind(kind, of_kind))),
        );
        y += HEAD_PX;
        let numbers = schedule.nodes_of(index);
        let measures = Measures::of(kind, numbers.len());
        if measures.grain == Grain::Kind {
            let area = Area::new(0.0, y, width, 16.0);
            layers
                .ground(area, Service::In, || words::band(moments, &kind.name, kind, kind.devices, of_kind));
            layers.band(kind, kind.devices, of_kind, area);
            y += area.height + TYPE_GAP_PX;
            continue;
        }
        let (mut x, mut line_px) = (0.0, 0.0_f64);
        for (number, node) in (1_u32..).zip(numbers) {
            let Some(of) = schedule.nodes().get(node as usize) else { continue };
            let (node_px, per_line) = measures.node_px(kind, of.devices, width);
            if x > 0.0 && x + node_px > width {
                (x, y, line_px) = (0.0, y + line_px + 6.0, 0.0);
            }
            let placed = Placed {
                kind,
                number,
                first_device: of.first_device,
                devices: of.devices,
                held: within(&moment.held, of.first_device, of.devices),
                service: if moment.out.contains(&node) { Service::Out } else { Service::In },
                at: (x, y),
            };
            let height_px = match measures.grain {
                Grain::Devices => devices(&mut layers, moments, &placed, &measures, per_line),
                _ => {
                    let area = Area::new(x, y, node_px, measures.height_px);
                    let title = || words::band(moments, &placed.name(), kind, of.devices, placed.held);
                    layers.ground(area, placed.service, title);
                    layers.band(kind, of.devices, placed.held, area);
                    measures.height_px
                }
            };
            if measures.name_px > 0.0 {
                layers.scene.add(Text::new("", (x, y + height_px + 11.0), number.to_string()));
            }
            line_px = line_px.max(height_px + measures.name_px);
            x += node_px + measures.node_gap_px;
        }
        y += line_px + TYPE_GAP_PX;
    }
    layers.into_scene((y - TYPE_GAP_PX).max(1.0))
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
    number: u32,
    first_device: u32,
    devices: u32,
    held: &'a [Held],
    service: Service,
    at: (f64, f64),
}

impl Placed<'_> {
    fn name(&self) -> String {
        words::node(self.number, self.service)
    }
}

/// Draws the devices of a node one by one, so many in a line; how high they are.
fn devices(
    layers: &mut Layers,
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
        layers.ground(area, node.service, || words::device(moments, &node.name(), at + 1, kind, held));
        for held in held {
            let from = area.x + f64::from(held.first) * measures.cell_px;
            let wide = f64::from(held.height) * measures.cell_px - if kind.positions > 1 { 0.7 } else { 0.0 };
            layers.fill(held.tenant, Area::new(from, area.y, wide, area.height));
        }
    }
    f64::from(node.devices.div_ceil(per_line)) * pitch_px - measures.gap_px
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
