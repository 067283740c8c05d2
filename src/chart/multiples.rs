//! Service against entitlement, one small plot per tenant on shared axes, the worst served first.

use super::axis;
use super::format::{self, Quantity};

use super::palette::{Key, Role, drawing_order, tenant_nodes};
use super::scale::{Scale, extent};
use super::scene::{Anchor, Area, Circle, Group, LegendEntry, Line, Path, Pattern, Scene, Text};
use super::series::{
    TimeSeries, cursor_points, distinct_keys, in_sight, nearest_time, readings, step_along, time_extent,
};
use super::text::{shortened, text_width_px};
use super::ticks::{self, Tick};
use super::{Chart, MOST_SERIES, Readout, Table};

/// Small plots of a ratio whose 1 means: exactly what the tenant is entitled to.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallMultiples {
    /// Unique in the page.
    pub id: String,
    /// The quantity shown.
    pub title: String,
    /// Width in px; the height follows from it, see [`SmallMultiples::height`].
    pub width: f64,
    /// First and last second of the axis; from the data where it is not given.
    pub window_s: Option<(f64, f64)>,
    /// At most this many plots are drawn; a line below says what the others are. The table has them all.
    pub most: usize,
    /// The tenants, in any order: the worst served is drawn first, those without work last.
    pub multiples: Vec<Multiple>,
}

/// One tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct Multiple {
    /// The tenant's name.
    pub tenant: String,
    /// Its number in the order of the workload, which decides its swatch.
    pub index: usize,
    /// Its weight.
    pub weight: f64,
    /// Service / entitlement over the whole window with the policy the comparison is about; none if it never
    /// had work.
    pub overall: Option<f64>,
    /// Service / entitlement over time, a line per policy; a gap where the tenant had no work.
    pub series: Vec<TimeSeries>,
}

/// Height of one plot with its title.
const CELL_PX: f64 = 112.0;
const TITLE_PX: f64 = 22.0;
const COLUMN_GAP_PX: f64 = 18.0;
const ROW_GAP_PX: f64 = 14.0;
const LEFT_PX: f64 = 28.0;
/// Lines are cut here, or a tenant that was served alone for a while would flatten all others.
const HIGHEST: f64 = 3.0;
/// Below 1 by less than this counts as served.
const TOLERANCE: f64 = 0.005;

struct Layout {
    cells: Vec<Area>,
    columns: usize,
    x_domain: (f64, f64),
    y_domain: (f64, f64),
    y_ticks: Vec<Tick>,
    /// Whether lines go beyond the axis.
    is_cut: bool,
    weights: Weights,
    height: f64,
}

/// Whether weights say anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weights {
    AllEqual,
    Differ,
}

impl Weights {
    fn of(multiples: &[&Multiple]) -> Self {
        let differ = extent(multiples.iter().map(|m| m.weight)).is_some_and(|(low, high)| high > low);
        if differ { Self::Differ } else { Self::AllEqual }
    }
}

impl SmallMultiples {
    /// The plots of `multiples`, at most 28 of them drawn.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        width: f64,
        multiples: Vec<Multiple>,
    ) -> Self {
        Self { id: id.into(), title: title.into(), width, window_s: None, most: 28, multiples }
    }

    /// The tenants in the order drawn.
    fn sorted(&self) -> Vec<&Multiple> {
        let order = |m: &Multiple| m.overall.filter(|v| v.is_finite()).unwrap_or(f64::INFINITY);
        let mut multiples: Vec<&Multiple> = self.multiples.iter().collect();
        multiples.sort_by(|a, b| order(a).total_cmp(&order(b)).then_with(|| a.tenant.cmp(&b.tenant)));
        multiples
    }

    /// The height of the drawing in px.
    #[must_use]
    pub fn height(&self) -> f64 {
        if self.note().is_some() { 160.0 } else { self.layout().height }
    }

    fn drawn(&self) -> Vec<&Multiple> {
        let mut drawn = self.sorted();
        drawn.truncate(self.most.max(1));
        drawn
    }

    fn series(&self) -> impl Iterator<Item = &TimeSeries> {
        self.multiples.iter().flat_map(|multiple| &multiple.series)
    }

    fn domain_s(&self) -> (f64, f64) {
        self.window_s.or_else(|| time_extent(self.series())).unwrap_or((0.0, 1.0))
    }

    fn layout(&self) -> Layout {
        let drawn = self.drawn();
        let width = self.width.max(160.0);
        let columns = match width {
            w if w > 1_200.0 => 7,
            w if w > 800.0 => 5,
            w if w > 560.0 => 4,
            _ => 2,
        };
        let columns = columns.min(drawn.len().max(1));
        let rows = drawn.len().div_ceil(columns);
        // Few tenants do not get wider plots than many: the shape of a line should not depend on how many
        // there are.
        let widest = if columns < 4 { 420.0 } else { 320.0 };
        let free = (width - LEFT_PX - COLUMN_GAP_PX * (columns - 1) as f64 - 2.0) / columns as f64;
        let cell_width = free.clamp(40.0, widest);
        let cells = (0..drawn.len()).map(|i| {
            let x = LEFT_PX + (i % columns) as f64 * (cell_width + COLUMN_GAP_PX);
            let y = (i / columns) as f64 * (CELL_PX + ROW_GAP_PX) + TITLE_PX;
            Area::new(x, y, cell_width, CELL_PX - TITLE_PX)
        });
        let values = drawn.iter().flat_map(|m| m.series.iter().flat_map(|s| s.points().iter().map(|p| p.1)));
        let (low, high) = extent(values).unwrap_or((1.0, 1.0));
        let (low, top) = (if low < 0.5 { 0.0 } else { 0.5 }, high.clamp(1.5, HIGHEST));
        let step = if top - low > 1.6 { 1.0 } else { 0.5 };
        Layout {
            cells: cells.collect(),
            columns,
            x_domain: self.domain_s(),
            y_domain: (low, top),
            y_ticks: ticks::even(Quantity::Ratio, (low, top), step),
            is_cut: high > top,
            weights: Weights::of(&drawn),
            height: rows as f64 * (CELL_PX + ROW_GAP_PX) + self.line_below().map_or(0.0, |_| 18.0),
        }
    }

    /// What is not drawn, in words.
    fn line_below(&self) -> Option<String> {
        let sorted = self.sorted();
        let rest = sorted.get(self.most.max(1)..).filter(|rest| !rest.is_empty())?;
        let count = format::count(rest.len() as u64);
        let lowest = rest.first().and_then(|m| m.overall);
        Some(match lowest {
            Some(lowest) => {
                format!("{count} more tenants, served {} or more; all in the table", format::ratio(lowest))
            }
            None => format!("{count} more tenants, without work; all in the table"),
        })
    }

    fn draw_cell(&self, scene: &mut Scene, layout: &Layout, index: usize, multiple: &Multiple, plot: Area) {
        let x = Scale::linear(layout.x_domain, (plot.x, plot.right()));
        let y = Scale::linear(layout.y_domain, (plot.bottom(), plot.y));
        draw_title(scene, multiple, layout.weights, plot);
        for tick in &layout.y_ticks {
            let at = y.place(tick.value);
            let is_entitled = (tick.value - 1.0).abs() < 1e-9;
            let class = if is_entitled { "ref" } else { "gl" };
            scene.add(Line::new(class, (plot.x, at), (plot.right(), at)));
            if index.is_multiple_of(layout.columns) {
                let (class, label) = if is_entitled { ("tx b", "1") } else { ("", tick.label.as_str()) };
                scene.add(Text::new(class, (plot.x - 5.0, at + 4.0), label).anchor(Anchor::End));
            }
        }
        let order = drawing_order(&multiple.series, |s| &s.key);
        let Some((top, below)) = order.split_last() else { return };
        for series in below {
            series.draw(scene, &x, &y, plot);
        }
        if top.key.role == Role::Subject {
            draw_shortfall(scene, top, &x, &y, plot);
        }
        top.draw(scene, &x, &y, plot);
    }

    /// Whether no plot stands below this one, so that the ends of the time axis are written there.
    fn is_lowest(&self, index: usize, columns: usize) -> bool {
        index + columns >= self.multiples.len().min(self.most.max(1))
    }

    fn keys(&self) -> Vec<&Key> {
        distinct_keys(self.series())
    }
}

fn draw_title(scene: &mut Scene, multiple: &Multiple, weights: Weights, plot: Area) {
    let baseline = plot.y - TITLE_PX + 12.0;
    scene.nodes.extend(tenant_nodes(multiple.index, Area::new(plot.x, baseline - 8.0, 9.0, 9.0)));
    let weight = format!("weight {}", format::number(multiple.weight, weight_decimals(multiple.weight)));
    let overall = format::or_undefined(multiple.overall, format::ratio);
    let is_below = multiple.overall.is_some_and(|v| v < 1.0 - TOLERANCE);
    let value_class = if is_below { "b bad-tx" } else { "b tx" };
    let value_room = text_width_px(&overall, TICK_PX) * 1.15;
    let room = plot.width - 14.0 - value_room - 4.0;
    let weight_fits = text_width_px(&multiple.tenant, 12.0) + text_width_px(&weight, TICK_PX) <= room;
    let name = shortened(&multiple.tenant, 12.0, room);
    scene.add(Text::new("t12 b tx", (plot.x + 14.0, baseline), name));
    let is_shown = weights == Weights::Differ && weight_fits;
    let before = if is_shown { format!("{weight}\u{a0}\u{a0}") } else { String::new() };
    scene.add(Text::new("", (plot.right(), baseline), before).anchor(Anchor::End).span(value_class, overall));
}

const TICK_PX: f64 = axis::TICK_PX;

fn weight_decimals(weight: f64) -> usize {
    (0..3).find(|&d| (weight * libm::pow(10.0, d as f64)).fract().abs() < 1e-6).unwrap_or(3)
}

/// Hatches what lies between 1 and the line where the line is below 1.
fn draw_shortfall(scene: &mut Scene, series: &TimeSeries, x: &Scale, y: &Scale, plot: Area) {
    let mut area = Path::new("").fill(Pattern::Loss);
    let points = series.outline(x.domain(), plot);
    let one = y.place(1.0);
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1)] = *pair else { continue };
        if !(y0.is_finite() && y1.is_finite() && (y0 < 1.0 || y1 < 1.0)) {
            continue;
        }
        // Where the line crosses 1, the hatch begins or ends.
        let crossing = |low: f64, high: f64| (1.0 - low) / (high - low);
        let (from, to) = match (y0 < 1.0, y1 < 1.0) {
            (true, true) => (0.0, 1.0),
            (true, false) => (0.0, crossing(y0, y1)),
            _ => (crossing(y0, y1), 1.0),
        };
        let at = |u: f64| (x.place(x0 + (x1 - x0) * u), y.place(y0 + (y1 - y0) * u));
        let ((left, left_y), (right, right_y)) = (at(from), at(to));
        area.move_to(left, one);
        area.line_to(left, left_y);
        area.line_to(right, right_y);
        area.line_to(right, one);
        area.close();
    }
    if !area.is_empty() {
        scene.add(area);
    }
}

impl Chart for SmallMultiples {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(160.0), self.height())
    }

    fn note(&self) -> Option<&'static str> {
        let defined = |m: &Multiple| m.series.iter().any(|s| s.points().iter().any(|p| p.1.is_finite()));
        if self.multiples.iter().any(|m| m.series.len() > MOST_SERIES) {
            Some(axis::TOO_MANY)
        } else if !self.multiples.iter().any(defined) {
            Some("No tenant had work in this window")
        } else {
            None
        }
    }

    fn draw(&self, scene: &mut Scene) {
        scene.legend = axis::legend(self.keys());
        let sample = Line::new("ref", (1.0, 5.0), (25.0, 5.0));
        scene.legend.push(LegendEntry { label: "entitled = 1".to_owned(), sample: vec![sample.into()] });
        let layout = self.layout();
        for (i, (multiple, plot)) in self.drawn().into_iter().zip(&layout.cells).enumerate() {
            self.draw_cell(scene, &layout, i, multiple, *plot);
        }
        if let Some(line) = self.line_below() {
            scene.add(Text::new("tx2", (0.0, scene.height - 5.0), line));
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        if self.note().is_some() {
            return scene;
        }
        let layout = self.layout();
        let ends = ticks::time(layout.x_domain, 7);
        let ends: Vec<&Tick> = ends.first().into_iter().chain(ends.last()).collect();
        for (i, (multiple, plot)) in self.drawn().into_iter().zip(&layout.cells).enumerate() {
            let x = Scale::linear(layout.x_domain, (plot.x, plot.right()));
            if self.is_lowest(i, layout.columns)
                && let [first, last] = ends.as_slice()
            {
                let y = plot.bottom() + 12.0;
                scene.add(Text::new("", (x.place(first.value), y), first.label.clone()));
                let at = (x.place(last.value), y);
                scene.add(Text::new("", at, last.label.clone()).anchor(Anchor::End));
            }
            let Some(cursor) = in_sight(cursor, layout.x_domain) else { continue };
            let at = x.place(cursor);
            let y = Scale::linear(layout.y_domain, (plot.bottom(), plot.y));
            let mut group = Group::new("");
            group.add(Line::new("cur", (at, plot.y), (at, plot.bottom())));
            let top = drawing_order(&multiple.series, |s| &s.key).pop();
            if let Some((top, value)) = top.and_then(|s| s.value_at(cursor).map(|v| (s, v))) {
                group.add(Circle::new(format!("dot {}", top.key.class()), (at, y.place(value)), 3.4));
            }
            scene.add(group);
        }
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let served: Vec<(&str, f64)> = self
            .sorted()
            .into_iter()
            .filter_map(|m| m.overall.map(|overall| (m.tenant.as_str(), overall)))
            .collect();
        let subject = self.keys().into_iter().find(|key| key.role == Role::Subject);
        let with = subject.map_or(String::new(), |key| format!(" with {}", key.label));
        let below = served.iter().filter(|(_, v)| *v < 1.0 - TOLERANCE).count();
        let cut = if self.layout().is_cut {
            format!("; lines are cut at {}", format::ratio(HIGHEST))
        } else {
            String::new()
        };
        let lowest = served
            .first()
            .map_or(String::new(), |(tenant, v)| format!("; lowest: {tenant} {}", format::ratio(*v)));
        let count = match below {
            0 => "no tenant".to_owned(),
            n => format!("{} of {} tenants", format::count(n as u64), format::count(served.len() as u64)),
        };
        format!("Over the whole window {count} got less than entitled to{with}{lowest}{cut}.")
    }

    fn table(&self) -> Table {
        let keys = self.keys();
        let mut header: Vec<String> = ["Tenant", "Weight", "Whole window"].map(str::to_owned).into();
        header.extend(
            keys.iter().flat_map(|key| [format!("{}, lowest", key.label), format!("{}, highest", key.label)]),
        );
        let rows = self.sorted().into_iter().map(|multiple| {
            let mut row = vec![
                multiple.tenant.clone(),
                format::number(multiple.weight, weight_decimals(multiple.weight)),
                format::or_undefined(multiple.overall, format::ratio),
            ];
            for key in &keys {
                let series = multiple.series.iter().find(|s| s.key.label == key.label);
                let range = series.and_then(|s| extent(s.points().iter().map(|p| p.1)));
                row.push(format::or_undefined(range.map(|r| r.0), format::ratio));
                row.push(format::or_undefined(range.map(|r| r.1), format::ratio));
            }
            row
        });
        let rows = rows.collect();
        Table { header, rows }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { self.layout().cells }
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() {
            return None;
        }
        let x = Scale::linear(self.domain_s(), (0.0, 1.0));
        let points = cursor_points(self.series(), self.domain_s());
        let time_s = nearest_time(points, x.value_at(fraction));
        let tenants = self.sorted().into_iter();
        let values = tenants.flat_map(|m| readings(&m.tenant, &m.series, time_s, Quantity::Ratio));
        let (x_text, fraction) = (format::elapsed(time_s), x.fraction(time_s));
        Some(Readout { x: time_s, x_text, fraction, values: values.collect() })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        step_along(cursor_points(self.series(), self.domain_s()), self.domain_s(), fraction, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::super::series::Curve;
    use super::*;

    fn multiple(tenant: &str, overall: Option<f64>, values: &[f64]) -> Multiple {
        let points = values.iter().enumerate().map(|(i, v)| (i as f64 * 3_600.0, *v));
        let key = Key::new("sts-fairness", "STS-Fairness", Role::Subject);
        let series = vec![TimeSeries::new(key, Curve::Straight, points)];
        Multiple { tenant: tenant.to_owned(), index: 0, weight: 1.0, overall, series }
    }

    fn chart(multiples: Vec<Multiple>) -> SmallMultiples {
        SmallMultiples::new("s", "Service against entitlement", 600.0, multiples)
    }

    #[test]
    fn the_worst_served_is_first_and_the_idle_last() {
        let chart = chart(vec![
            multiple("idle", None, &[]),
            multiple("b", Some(1.2), &[1.0, 1.4]),
            multiple("c", Some(0.9), &[0.8, 1.0]),
            multiple("a", Some(1.2), &[1.0, 1.4]),
        ]);
        let names: Vec<String> = chart.table().rows.into_iter().map(|row| row[0].clone()).collect();
        assert_eq!(names, ["c", "a", "b", "idle"]);
        assert_eq!(
            chart.summary(),
            "Over the whole window 1 of 3 tenants got less than entitled to with STS-Fairness; lowest: c 0.90×."
        );
    }

    #[test]
    fn what_is_not_drawn_is_said() {
        let tenants =
            (0..40).map(|i| multiple(&format!("t{i:02}"), Some(1.0 + f64::from(i) * 0.01), &[1.0, 1.5]));
        let chart = chart(tenants.collect());
        assert_eq!(chart.plots().len(), 28);
        assert_eq!(chart.line_below().unwrap(), "12 more tenants, served 1.28× or more; all in the table");
        assert_eq!(chart.table().rows.len(), 40);
    }

    #[test]
    fn service_far_above_entitlement_is_cut_and_said() {
        let chart = chart(vec![multiple("alone", Some(9.0), &[1.0, 12.0])]);
        assert!(chart.summary().ends_with("lines are cut at 3.00×."));
        assert!(chart.layout().y_domain.1 <= HIGHEST);
    }

    #[test]
    fn only_what_is_below_one_is_hatched() {
        let above = chart(vec![multiple("a", Some(1.1), &[1.0, 1.2, 1.0])]).marks().to_svg();
        let below = chart(vec![multiple("a", Some(0.9), &[1.0, 0.8, 1.1])]).marks().to_svg();
        assert!(!above.contains("s-loss") && below.contains("url(#s-loss)"));
    }
}
