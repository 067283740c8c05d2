//! A quantity over two things that are varied: a cell for each combination, the darker the larger, with its value.

use super::axis;
use super::format::{self, Quantity};
use super::scale::extent;
use super::scene::{Anchor, Area, LegendEntry, Rect, Scene, Text};
use super::text::{shortened, text_width_px};
use super::{Chart, Reading, Readout, Table};

/// A quantity by two factors.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// Unique in the page.
    pub id: String,
    /// The quantity shown.
    pub title: String,
    /// Width in px; the height follows from the number of rows, see [`HeatMap::height`].
    pub width: f64,
    /// How its values are written.
    pub quantity: Quantity,
    /// What is varied from left to right, and its levels.
    pub across: (String, Vec<String>),
    /// What is varied from top to bottom, and its levels.
    pub down: (String, Vec<String>),
    /// Row by row; `None` where nothing is known.
    pub cells: Vec<Option<f64>>,
}

const ROW_PX: f64 = 34.0;
const TITLE_PX: f64 = 22.0;
/// Classes of shades, `h0` to `h7` in `chart.css`.
const SHADES: [&str; 8] =
    ["heat h0", "heat h1", "heat h2", "heat h3", "heat h4", "heat h5", "heat h6", "heat h7"];

impl HeatMap {
    /// The height in px.
    #[must_use]
    pub fn height(&self) -> f64 {
        TITLE_PX * 2.0 + axis::X_LABELS_PX + ROW_PX * self.down.1.len().max(1) as f64
    }

    /// What is read at a cursor, which is the number of a cell.
    #[must_use]
    pub fn readout(&self, cursor: f64) -> Option<Readout> {
        self.nearest((cursor + 0.5) / self.cells.len().max(1) as f64)
    }

    fn columns(&self) -> usize {
        self.across.1.len()
    }

    fn plot(&self) -> Area {
        let widest = self.down.1.iter().map(|text| text_width_px(text, 11.0)).fold(20.0, f64::max);
        let left = (widest + 12.0).min(self.width * 0.35);
        let height = ROW_PX * self.down.1.len() as f64;
        Area::new(left, TITLE_PX, (self.width.max(160.0) - left - 2.0).max(24.0), height)
    }

    fn area(&self, cell: usize) -> Area {
        let plot = self.plot();
        let columns = self.columns().max(1);
        let width = plot.width / columns as f64;
        let (row, column) = (cell / columns, cell % columns);
        Area::new(plot.x + width * column as f64, plot.y + ROW_PX * row as f64, width, ROW_PX)
    }

    /// Known values, smallest and largest.
    fn extent(&self) -> Option<(f64, f64)> {
        extent(self.cells.iter().flatten().copied())
    }

    fn shade(&self, value: f64) -> &'static str {
        let (low, high) = self.extent().unwrap_or((0.0, 1.0));
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        SHADES[((share * SHADES.len() as f64) as usize).min(SHADES.len() - 1)]
    }

    /// `Load = 2, Round = 60`.
    fn place(&self, cell: usize) -> Option<String> {
        let columns = self.columns();
        let (row, column) = (cell.checked_div(columns)?, cell.checked_rem(columns)?);
        let (down, across) = (self.down.1.get(row)?, self.across.1.get(column)?);
        Some(format!("{} = {down}, {} = {across}", self.down.0, self.across.0))
    }

    fn text(&self, value: Option<f64>) -> String {
        format::or_undefined(value, |value| self.quantity.text(value))
    }
}

impl Chart for HeatMap {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height())
    }

    fn note(&self) -> Option<&'static str> {
        self.extent().is_none().then_some("Nothing is known of this figure yet")
    }

    fn draw(&self, scene: &mut Scene) {
        let plot = self.plot();
        let title = Text::new("t12 tx2", (1.0, plot.y - 8.0), "").span("b", self.title.clone());
        scene.add(title.span("tx3", format!(", {} down", self.down.0)));
        for (at, value) in self.cells.iter().enumerate() {
            let area = self.area(at);
            let inner = Area::new(area.x + 1.0, area.y + 1.0, (area.width - 2.0).max(1.0), area.height - 2.0);
            scene.add(Rect::new(value.map_or("heat", |value| self.shade(value)), inner).radius(2.0));
            let (x, y) = inner.centre();
            let text = self.text(*value);
            if text_width_px(&text, 11.0) <= inner.width - 2.0 {
                scene.add(Text::new("tx", (x, y + 4.0), text).anchor(Anchor::Middle));
            }
        }
        for (row, text) in self.down.1.iter().enumerate() {
            let y = plot.y + ROW_PX * (row as f64 + 0.5);
            let text = shortened(text, 11.0, plot.x - 10.0);
            scene.add(Text::new("", (plot.x - 8.0, y + 4.0), text).anchor(Anchor::End));
        }
        let room = plot.width / self.columns().max(1) as f64;
        for (column, text) in self.across.1.iter().enumerate() {
            let x = plot.x + room * (column as f64 + 0.5);
            let text = shortened(text, 11.0, room - 4.0);
            scene.add(Text::new("", (x, plot.bottom() + 17.0), text).anchor(Anchor::Middle));
        }
        let below = plot.bottom() + axis::X_LABELS_PX + 12.0;
        scene.add(Text::new("t12 tx2", (plot.x, below), self.across.0.clone()));
        if let Some((low, high)) = self.extent() {
            let sample = |shade: &'static str| vec![Rect::new(shade, Area::new(0.0, 0.0, 26.0, 10.0)).into()];
            let entry =
                |shade, value| LegendEntry { label: self.quantity.text(value), sample: sample(shade) };
            scene.legend = vec![entry(SHADES[0], low), entry(SHADES[SHADES.len() - 1], high)];
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if let Some(cell) = cursor.filter(|_| self.note().is_none()) {
            let cell = cell.max(0.0) as usize;
            if cell < self.cells.len() {
                scene.add(Rect::new("heat-cur", self.area(cell)).radius(2.0));
            }
        }
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let known = self.cells.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
        let (Some(least), Some(most)) =
            (known.clone().min_by(|a, b| a.1.total_cmp(&b.1)), known.max_by(|a, b| a.1.total_cmp(&b.1)))
        else {
            return String::new();
        };
        let told = |(at, value): (usize, f64)| {
            format!("{} at {}", self.quantity.text(value), self.place(at).unwrap_or_default())
        };
        format!("{}: from {} to {}.", self.title, told(least), told(most))
    }

    fn table(&self) -> Table {
        let header = std::iter::once(format!("{} \\ {}", self.down.0, self.across.0));
        let rows = self.down.1.iter().enumerate().map(|(row, text)| {
            let cells = self.cells.iter().skip(row * self.columns()).take(self.columns());
            std::iter::once(text.clone()).chain(cells.map(|value| self.text(*value))).collect()
        });
        let rows = if self.note().is_some() { Vec::new() } else { rows.collect() };
        Table { header: header.chain(self.across.1.iter().cloned()).collect(), rows }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.plot()] }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() || self.cells.is_empty() {
            return None;
        }
        let count = self.cells.len();
        let cell = ((fraction * count as f64) as usize).min(count - 1);
        let value = self.cells.get(cell).copied().flatten();
        let reading = Reading {
            group: String::new(),
            label: self.title.clone(),
            class: "",
            value,
            text: self.text(value),
        };
        Some(Readout {
            x: cell as f64,
            x_text: self.place(cell)?,
            fraction: (cell as f64 + 0.5) / count as f64,
            values: vec![reading],
        })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        let count = self.cells.len().max(1) as f64;
        let cell = (fraction * count).floor() + f64::from(steps);
        (cell.clamp(0.0, count - 1.0) + 0.5) / count
    }

    fn fraction_at(&self, x_px: f64, y_px: f64) -> Option<f64> {
        let plot = self.plots().into_iter().next()?;
        let (columns, rows) = (self.columns().max(1), self.down.1.len().max(1));
        let share = |at: f64, from: f64, size: f64, count: usize| {
            (((at - from) / size * count as f64).max(0.0) as usize).min(count - 1)
        };
        let cell =
            share(y_px, plot.y, plot.height, rows) * columns + share(x_px, plot.x, plot.width, columns);
        Some((cell as f64 + 0.5) / (rows * columns) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> HeatMap {
        HeatMap {
            id: "h".into(),
            title: "Mean queue".into(),
            width: 400.0,
            quantity: Quantity::Count,
            across: ("Load".into(), vec!["1".into(), "2".into(), "4".into()]),
            down: ("Round".into(), vec!["60".into(), "600".into()]),
            cells: vec![Some(1.0), Some(2.0), None, Some(3.0), Some(5.0), Some(9.0)],
        }
    }

    #[test]
    fn every_cell_is_reached_and_named() {
        let map = map();
        for cell in 0..6 {
            let (x, y) = map.area(cell).centre();
            let fraction = map.fraction_at(x, y).unwrap();
            assert!((map.nearest(fraction).unwrap().x - cell as f64).abs() < 1e-9);
            assert_eq!(map.readout(cell as f64), map.nearest(fraction));
        }
        assert_eq!(map.nearest(0.99).unwrap().sentence(), "Round = 600, Load = 4: Mean queue 9");
        assert_eq!(map.nearest(0.4).unwrap().values[0].text, "–");
        assert!((map.step(0.0, 1) - 0.25).abs() < 1e-9 && map.step(1.0, 9) < 1.0);
        assert_eq!(
            map.summary(),
            "Mean queue: from 1 at Round = 60, Load = 1 to 9 at Round = 600, Load = 4."
        );
        assert_eq!(map.table().rows[1], ["600", "3", "5", "9"]);
    }

    #[test]
    fn larger_values_are_darker() {
        let svg = map().marks().to_svg();
        assert!(svg.contains("heat h0") && svg.contains("heat h7"));
        assert_eq!((map().shade(1.0), map().shade(9.0)), (SHADES[0], SHADES[7]));
        let none = HeatMap { cells: vec![None; 6], ..map() };
        assert!(none.nearest(0.5).is_none() && none.scene(Some(2.0)).to_svg().contains("Nothing is known"));
    }
}
