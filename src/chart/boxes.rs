//! How a figure varies over seeds: of each policy every seed's value, their quartiles and their ends.

use super::axis;
use super::decimate::nearest_rank;
use super::format::{self, Quantity};
use super::palette::Key;
use super::scale::{Bands, Scale, extent};
use super::scene::{Anchor, Area, Circle, Group, Line, Rect, Scene, Text};
use super::text::{shortened, text_width_px};
use super::ticks::{self, Tick};
use super::{Along, Chart, MOST_SERIES, Reading, Readout, Table};

/// A box with whiskers for each policy.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxChart {
    /// Unique in the page.
    pub id: String,
    /// The figure.
    pub title: String,
    /// What its values are.
    pub quantity: Quantity,
    /// Width in px; the height follows from the number of rows, see [`BoxChart::height`].
    pub width: f64,
    /// The policies.
    pub rows: Vec<BoxRow>,
}

/// One policy's values.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxRow {
    /// How it is drawn.
    pub key: Key,
    /// Seeds and their values by rising value.
    sorted: Vec<(u64, f64)>,
}

impl BoxRow {
    /// The values of some seeds; what is not finite is left out.
    #[must_use]
    pub fn new(key: Key, values: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let mut sorted: Vec<(u64, f64)> = values.into_iter().filter(|(_, value)| value.is_finite()).collect();
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        Self { key, sorted }
    }

    /// The nearest-rank percentile: the ceil(share · n)-th smallest value.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<f64> {
        nearest_rank(self.sorted.len(), share).and_then(|at| self.sorted.get(at)).map(|(_, value)| *value)
    }

    /// Least value, quartiles and greatest value.
    fn five(&self) -> Option<[f64; 5]> {
        let (first, last) = (self.sorted.first()?, self.sorted.last()?);
        Some([first.1, self.percentile(0.25)?, self.percentile(0.5)?, self.percentile(0.75)?, last.1])
    }
}

const ROW_PX: f64 = 30.0;
const BOX_PX: f64 = 14.0;
const ABOVE_PX: f64 = 6.0;
const BELOW_PX: f64 = 26.0;
const NAME_PX: f64 = 12.0;

struct Layout {
    plot: Area,
    x: Scale,
    ticks: Vec<Tick>,
}

impl BoxChart {
    /// The height of the drawing in px.
    #[must_use]
    pub fn height(&self) -> f64 {
        if self.note().is_some() { 160.0 } else { ABOVE_PX + ROW_PX * self.rows.len() as f64 + BELOW_PX }
    }

    fn layout(&self) -> Layout {
        let width = self.width.max(200.0);
        let names = self.rows.iter().map(|row| text_width_px(&row.key.label, NAME_PX)).fold(0.0, f64::max);
        let left = (names + 14.0).min(width * 0.32);
        let plot = Area::new(left, ABOVE_PX, width - left - 14.0, ROW_PX * self.rows.len() as f64);
        let all = self.rows.iter().flat_map(|row| &row.sorted).map(|(_, value)| *value);
        let (low, high) = extent(all).unwrap_or((0.0, 1.0));
        let room = ((high - low) * 0.06).max(high.abs() * 0.01).max(1e-9);
        let most = (plot.width / 90.0).clamp(2.0, 8.0) as usize;
        let wanted = ((low - room).max(0.0_f64.min(low)), high + room);
        let (domain, step) = ticks::nice_domain(self.quantity, wanted, most);
        let ticks = ticks::even(self.quantity, domain, step);
        Layout { plot, x: Scale::linear(domain, (plot.x, plot.right())), ticks }
    }

    fn draw_row(&self, scene: &mut Scene, layout: &Layout, top: f64, row: &BoxRow) {
        let mut group = Group::new(row.key.class()).title(format!("{}: {}", row.key.label, self.text(row)));
        let name = shortened(&row.key.label, NAME_PX, layout.plot.x - 12.0);
        let class = format!("name t12{} {}", row.key.emphasis(), row.key.class());
        group.add(Text::new(class, (layout.plot.x - 10.0, top + 19.0), name).anchor(Anchor::End));
        let middle = top + ROW_PX / 2.0;
        let Some([least, low, median, high, most]) = row.five().map(|five| five.map(|v| layout.x.place(v)))
        else {
            group.add(Text::new("", (layout.plot.x + 6.0, middle + 4.0), format::UNDEFINED));
            scene.add(group);
            return;
        };
        group.add(Line::new("outl", (least, middle), (most, middle)));
        let area = Area::new(low, middle - BOX_PX / 2.0, (high - low).max(1.0), BOX_PX);
        group.add(Rect::new(format!("slot {}", row.key.class()), area).radius(1.5));
        group.add(Rect::new("outl", area).radius(1.5));
        group.add(Line::new("ref", (median, area.y - 2.0), (median, area.bottom() + 2.0)));
        for (_, value) in &row.sorted {
            let at = (layout.x.place(*value), middle);
            group.add(Circle::new(format!("dot {}", row.key.class()), at, 3.0));
        }
        scene.add(group);
    }

    /// `1.3 h in the middle, 1.2 h to 1.4 h over 5 seeds`.
    fn text(&self, row: &BoxRow) -> String {
        let Some([least, _, median, _, most]) = row.five() else { return format::UNDEFINED.to_owned() };
        let text = |value| self.quantity.text(value);
        let seeds = row.sorted.len();
        format!("{} in the middle, {} to {} over {seeds} seeds", text(median), text(least), text(most))
    }
}

impl Chart for BoxChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(200.0), self.height())
    }

    fn note(&self) -> Option<&'static str> {
        if self.rows.len() > MOST_SERIES {
            return Some(axis::TOO_MANY);
        }
        self.rows.iter().all(|row| row.sorted.is_empty()).then_some("No policy has this figure")
    }

    fn draw(&self, scene: &mut Scene) {
        let layout = self.layout();
        let plot = layout.plot;
        for tick in &layout.ticks {
            let at = layout.x.place(tick.value);
            scene.add(Line::new("gl", (at, plot.y), (at, plot.bottom())));
        }
        axis::draw_x_labels(scene, plot, &layout.x, &layout.ticks, None);
        let bands = Bands::new(self.rows.len(), plot.y, plot.bottom());
        for (at, row) in self.rows.iter().enumerate() {
            self.draw_row(scene, &layout, bands.start(at), row);
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        let Some(cursor) = cursor.filter(|c| c.is_finite() && *c >= 0.0) else { return scene };
        if self.note().is_none() {
            let plot = self.layout().plot;
            let bands = Bands::new(self.rows.len(), plot.y, plot.bottom());
            let top = bands.start((cursor as usize).min(self.rows.len().saturating_sub(1)));
            scene.add(
                Rect::new("outl", Area::new(1.0, top + 1.0, scene.width - 2.0, ROW_PX - 2.0)).radius(3.0),
            );
        }
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let rows = self.rows.iter().filter(|row| !row.sorted.is_empty());
        let texts: Vec<String> = rows.map(|row| format!("{} {}", row.key.label, self.text(row))).collect();
        format!("{}: {}.", self.title, texts.join("; "))
    }

    fn table(&self) -> Table {
        let mut seeds: Vec<u64> =
            self.rows.iter().flat_map(|row| row.sorted.iter().map(|(seed, _)| *seed)).collect();
        seeds.sort_unstable();
        seeds.dedup();
        let ends = ["Least", "Lower quartile", "Median", "Upper quartile", "Greatest"].map(str::to_owned);
        let header = std::iter::once("Policy".to_owned())
            .chain(ends)
            .chain(seeds.iter().map(|seed| format!("Seed {seed}")))
            .collect();
        let text = |value: Option<f64>| format::or_undefined(value, |value| self.quantity.text(value));
        let rows = self.rows.iter().map(|row| {
            let five = row.five().map_or([None; 5], |five| five.map(Some));
            let of_seed =
                |seed: &u64| row.sorted.iter().find(|(own, _)| own == seed).map(|(_, value)| *value);
            std::iter::once(row.key.label.clone())
                .chain(five.map(text))
                .chain(seeds.iter().map(|seed| text(of_seed(seed))))
                .collect()
        });
        Table { header, rows: rows.collect() }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.layout().plot] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        self.note().is_none().then_some(())?;
        let at = Bands::new(self.rows.len(), 0.0, 1.0).index_at(fraction)?;
        let row = self.rows.get(at)?;
        Some(Readout {
            x: at as f64,
            x_text: row.key.label.clone(),
            fraction: (at as f64 + 0.5) / self.rows.len() as f64,
            values: vec![Reading {
                group: String::new(),
                label: self.title.clone(),
                class: row.key.class(),
                value: row.percentile(0.5),
                text: self.text(row),
            }],
        })
    }

    fn direction(&self) -> Along {
        Along::Y
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        let rows = self.rows.len().max(1) as f64;
        (fraction + f64::from(steps) / rows).clamp(0.5 / rows, 1.0 - 0.5 / rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Role;

    fn chart(rows: Vec<(&str, Vec<f64>)>) -> BoxChart {
        let rows = rows
            .into_iter()
            .map(|(label, values)| BoxRow::new(Key::new("fifo", label, Role::Other), (0..).zip(values)))
            .collect();
        BoxChart {
            id: "b".to_owned(),
            title: "Mean JCT".to_owned(),
            quantity: Quantity::Duration,
            width: 600.0,
            rows,
        }
    }

    #[test]
    fn quartiles_are_values_of_seeds() {
        let chart = chart(vec![("a", vec![50.0, 10.0, 40.0, 20.0, 30.0]), ("b", vec![f64::NAN])]);
        assert_eq!(chart.rows[0].five(), Some([10.0, 20.0, 30.0, 40.0, 50.0]));
        let table = chart.table();
        assert_eq!(table.header.len(), 11);
        assert_eq!(table.rows[0][3], format::duration(30.0));
        assert_eq!(table.rows[0][6], format::duration(50.0), "seed 0");
        assert!(table.rows[1][1..].iter().all(|cell| cell == format::UNDEFINED));
        assert!(chart.marks().to_svg().contains("over 5 seeds"));
    }

    #[test]
    fn rows_are_read_from_top_to_bottom() {
        let chart = chart(vec![("a", vec![1.0, 2.0]), ("b", vec![3.0])]);
        let first = chart.nearest(0.1).unwrap();
        assert_eq!(first.x_text, "a");
        assert_eq!(chart.nearest(chart.step(first.fraction, 1)).unwrap().x_text, "b");
        assert!(chart.scene(Some(1.0)).to_svg().starts_with("<svg"));
        assert!(chart.nearest(0.9).unwrap().sentence().starts_with("b: "));
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let empty = chart(vec![("a", Vec::new())]);
        assert!(empty.marks().to_svg().contains("No policy has this figure"));
        assert!(empty.nearest(0.5).is_none() && empty.plots().is_empty());
    }
}
