//! Who has how much of what: a column for each GPU type, the tenants' parts stacked in it, what is left on top.

use super::axis;
use super::format;
use super::palette::{tenant_fill, tenant_nodes};
use super::scale::Bands;
use super::scene::{Anchor, Area, Group, LegendEntry, Line, Rect, Scene, Text};
use super::text::{shortened, text_width_px};
use super::{Chart, Reading, Readout, Table};

/// Parts of several wholes.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareChart {
    /// Unique in the page.
    pub id: String,
    /// The quantity.
    pub title: String,
    /// Width in px.
    pub width: f64,
    /// Height in px.
    pub height: f64,
    /// The wholes, from left to right.
    pub columns: Vec<ShareColumn>,
}

/// One whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareColumn {
    /// Its name.
    pub name: String,
    /// How much there is.
    pub capacity: f64,
    /// That in words, with its unit: `4 slots`.
    pub capacity_text: String,
    /// The parts, the lowest first: every tenant's, in the same order in every column.
    pub shares: Vec<Share>,
}

/// One part.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Whose it is.
    pub tenant: String,
    /// The tenant's number, which decides its fill.
    pub index: usize,
    /// How much it is, in the unit of the column.
    pub amount: f64,
    /// That as it is written.
    pub text: String,
}

const TOP_PX: f64 = 8.0;
const FOOT_PX: f64 = 40.0;
const LEFT_PX: f64 = 44.0;
const WIDEST_PX: f64 = 180.0;
/// Below this a part has no room for its name.
const LABEL_FROM_PX: f64 = 15.0;
/// Rounding is no part.
const NOTHING: f64 = 1e-9;

impl ShareColumn {
    /// What nobody has.
    fn idle(&self) -> f64 {
        (self.capacity - self.shares.iter().map(|share| share.amount).sum::<f64>()).max(0.0)
    }

    /// What nobody has, of the whole, as it is written.
    fn idle_text(&self) -> Option<String> {
        (self.idle() > 1e-6 * self.capacity.max(1.0)).then(|| format::percent(self.idle() / self.capacity, 0))
    }
}

impl ShareChart {
    /// A chart of these columns, 240 px high.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        width: f64,
        columns: Vec<ShareColumn>,
    ) -> Self {
        Self { id: id.into(), title: title.into(), width, height: 240.0, columns }
    }

    fn plot(&self) -> Area {
        let width = (self.width.max(160.0) - LEFT_PX).min(WIDEST_PX * self.columns.len() as f64);
        Area::new(LEFT_PX, TOP_PX, width, self.height - TOP_PX - FOOT_PX)
    }

    fn bands(&self, plot: Area) -> Bands {
        Bands::new(self.columns.len(), plot.x, plot.right())
    }

    fn column_area(&self, plot: Area, index: usize) -> Area {
        let bands = self.bands(plot);
        let gap = (bands.size_px() * 0.12).min(16.0);
        Area::new(bands.start(index) + gap, plot.y, bands.size_px() - 2.0 * gap, plot.height)
    }

    fn draw_column(scene: &mut Scene, area: Area, column: &ShareColumn) {
        let (middle, _) = area.centre();
        let room = area.width + 12.0;
        let name = shortened(&column.name, 12.0, room);
        scene.add(Text::new("t12 tx b", (middle, area.bottom() + 17.0), name).anchor(Anchor::Middle));
        let capacity = shortened(&column.capacity_text, 11.0, room);
        scene.add(Text::new("", (middle, area.bottom() + 32.0), capacity).anchor(Anchor::Middle));
        scene.add(Rect::new("idle", area).radius(2.0));
        if column.capacity <= 0.0 {
            return;
        }
        let mut from = area.bottom();
        for share in column.shares.iter().filter(|share| share.amount > NOTHING) {
            let height = (share.amount / column.capacity * area.height).min(from - area.y);
            // A hair of the surface between two parts.
            let block = Area::new(area.x, from - height, area.width, (height - 1.0).max(0.5));
            let mut group =
                Group::new("").title(format!("{}: {} of {}", share.tenant, share.text, column.name));
            group.nodes.extend(tenant_nodes(share.index, block));
            if height >= LABEL_FROM_PX {
                let label = format!("{} {}", share.tenant, share.text);
                let label = shortened(&label, 12.0, area.width - 14.0);
                // On its own plate it is read on every colour and on stripes.
                let (_, y) = block.centre();
                let plate = (text_width_px(&label, 12.0) + 8.0).min(area.width - 4.0);
                let plate = Area::new(
                    middle - plate / 2.0,
                    y - 9.0_f64.min(block.height / 2.0),
                    plate,
                    block.height.min(18.0),
                );
                group.add(Rect::new("surf", plate).radius(3.0));
                group.add(Text::new("t12 tx b", (middle, y + 4.0), label).anchor(Anchor::Middle));
            }
            scene.add(group);
            from -= height;
        }
        if column.idle_text().is_some() && from - area.y >= LABEL_FROM_PX {
            let y = (area.y + from) / 2.0;
            scene.add(Text::new("tx2", (middle, y + 4.0), "idle").anchor(Anchor::Middle));
        }
    }

    fn share_texts(column: &ShareColumn) -> Vec<Reading> {
        let readings = column.shares.iter().map(|share| Reading {
            group: String::new(),
            label: share.tenant.clone(),
            class: tenant_fill(share.index).class,
            value: Some(share.amount),
            text: share.text.clone(),
        });
        let idle = column.idle_text().map(|text| Reading {
            group: String::new(),
            label: "idle".to_owned(),
            class: "",
            value: Some(column.idle()),
            text,
        });
        readings.chain(idle).collect()
    }
}

impl Chart for ShareChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height)
    }

    fn note(&self) -> Option<&'static str> {
        self.columns.iter().all(|column| column.capacity <= 0.0).then_some("There is nothing to allocate")
    }

    fn draw(&self, scene: &mut Scene) {
        let sample = Area::new(8.0, 0.0, 10.0, 10.0);
        scene.legend = self
            .columns
            .first()
            .into_iter()
            .flat_map(|column| &column.shares)
            .map(|share| LegendEntry {
                label: share.tenant.clone(),
                sample: tenant_nodes(share.index, sample),
            })
            .collect();
        let plot = self.plot();
        for share in [0.0, 0.5, 1.0] {
            let y = plot.bottom() - share * plot.height;
            scene.add(Line::new(if share > 0.0 { "gl" } else { "ax" }, (plot.x, y), (plot.right(), y)));
            let label = format::percent(share, 0);
            scene.add(Text::new("", (plot.x - 8.0, y + 4.0), label).anchor(Anchor::End));
        }
        for (index, column) in self.columns.iter().enumerate() {
            Self::draw_column(scene, self.column_area(plot, index), column);
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        let Some(cursor) = cursor.filter(|c| c.is_finite() && *c >= 0.0 && self.note().is_none()) else {
            return scene;
        };
        let index = (cursor as usize).min(self.columns.len().saturating_sub(1));
        let area = self.column_area(self.plot(), index);
        scene.add(
            Rect::new("outl", Area::new(area.x - 3.0, area.y - 3.0, area.width + 6.0, area.height + 6.0))
                .radius(3.0),
        );
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let columns = self.columns.iter().map(|column| {
            let parts = column.shares.iter().filter(|share| share.amount > NOTHING);
            let parts: Vec<String> = parts.map(|share| format!("{} {}", share.tenant, share.text)).collect();
            let idle = column.idle_text().map(|text| format!("{text} idle"));
            let parts: Vec<String> = parts.into_iter().chain(idle).collect();
            let parts = if parts.is_empty() { "nothing".to_owned() } else { axis::listed(&parts) };
            format!("{} ({}): {parts}", column.name, column.capacity_text)
        });
        format!("{}.", columns.collect::<Vec<_>>().join("; "))
    }

    fn table(&self) -> Table {
        let tenants = self.columns.first().map_or(&[][..], |column| &column.shares);
        let header = ["GPU type", "There is"].map(str::to_owned).into_iter();
        let header =
            header.chain(tenants.iter().map(|share| share.tenant.clone())).chain(["Idle".to_owned()]);
        let row = |column: &ShareColumn| {
            let head = [column.name.clone(), column.capacity_text.clone()].into_iter();
            let parts = column.shares.iter().map(|share| share.text.clone());
            head.chain(parts).chain([column.idle_text().unwrap_or_else(|| "0".to_owned())]).collect()
        };
        Table { header: header.collect(), rows: self.columns.iter().map(row).collect() }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.plot()] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() {
            return None;
        }
        let index = Bands::new(self.columns.len(), 0.0, 1.0).index_at(fraction)?;
        let column = self.columns.get(index)?;
        Some(Readout {
            x: index as f64,
            x_text: format!("{}, {}", column.name, column.capacity_text),
            fraction: (index as f64 + 0.5) / self.columns.len() as f64,
            values: Self::share_texts(column),
        })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        (fraction + f64::from(steps) / self.columns.len().max(1) as f64).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, capacity: f64, amounts: &[f64]) -> ShareColumn {
        let shares = amounts.iter().enumerate().map(|(index, &amount)| Share {
            tenant: format!("u{index}"),
            index,
            amount,
            text: amount.to_string(),
        });
        ShareColumn {
            name: name.to_owned(),
            capacity,
            capacity_text: format!("{capacity} slots"),
            shares: shares.collect(),
        }
    }

    fn chart(columns: Vec<ShareColumn>) -> ShareChart {
        ShareChart::new("c", "Allocation", 400.0, columns)
    }

    #[test]
    fn parts_and_what_is_idle_are_said() {
        let chart = chart(vec![column("slow", 4.0, &[4.0, 0.0]), column("fast", 4.0, &[0.0, 3.0])]);
        assert_eq!(chart.summary(), "slow (4 slots): u0 4; fast (4 slots): u1 3 and 25\u{202f}% idle.");
        assert_eq!(chart.table().header, ["GPU type", "There is", "u0", "u1", "Idle"]);
        assert_eq!(chart.table().rows[1], ["fast", "4 slots", "0", "3", "25\u{202f}%"]);
        let readout = chart.nearest(0.9).unwrap();
        assert_eq!(readout.sentence(), "fast, 4 slots: u0 0, u1 3, idle 25\u{202f}%");
        assert_eq!(chart.nearest(chart.step(readout.fraction, -1)).unwrap().x_text, "slow, 4 slots");
    }

    #[test]
    fn parts_are_drawn_in_proportion_within_the_column() {
        let chart = chart(vec![column("a", 2.0, &[0.5, 1.5, 0.0])]);
        let plot = chart.plots()[0];
        let blocks: Vec<Area> = chart
            .marks()
            .nodes
            .iter()
            .filter_map(|node| match node {
                super::super::scene::Node::Group(group) => match group.nodes.first() {
                    Some(super::super::scene::Node::Rect(rect)) => Some(rect.area),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(blocks.len(), 2);
        assert!((blocks[1].height + 1.0 - 3.0 * (blocks[0].height + 1.0)).abs() < 1e-6);
        assert!((blocks[1].y - plot.y).abs() < 1e-6 && (blocks[0].bottom() - plot.bottom()).abs() <= 1.0);
    }

    #[test]
    fn nothing_to_allocate_is_a_sentence() {
        let chart = chart(vec![column("a", 0.0, &[])]);
        assert!(chart.plots().is_empty() && chart.nearest(0.5).is_none());
        assert!(chart.marks().to_svg().contains("nothing to allocate"));
    }
}
