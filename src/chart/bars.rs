//! Who gains and who loses: a horizontal bar per tenant, gains solid, losses hatched, sorted.

use super::axis;
use super::format::{self, Quantity};
use super::palette::tenant_nodes;
use super::scale::{Bands, Scale};
use super::scene::{Anchor, Area, Group, LegendEntry, Line, Path, Pattern, Rect, Scene, Text};
use super::text::{shortened, text_width_px};
use super::ticks;
use super::{Along, Chart, Reading, Readout, Table};

/// The relative change of a quantity per tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// Unique in the page.
    pub id: String,
    /// What changed, such as `Mean wait`.
    pub title: String,
    /// Width in px; the height follows from the number of rows, see [`BarChart::height`].
    pub width: f64,
    /// Label of the policy the comparison is about.
    pub subject: String,
    /// Label of the policy compared with.
    pub baseline: String,
    /// Which direction is a gain.
    pub better: Better,
    /// Above the column of details, such as `Baseline → STS`.
    pub detail_title: String,
    /// At most this many rows are drawn, half of them from each end; the table has all.
    pub most: usize,
    /// The tenants, in any order: gains are drawn first, then losses, undefined changes last.
    pub rows: Vec<BarRow>,
}

/// Which direction of a change is a gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better: wait, completion time.
    Lower,
    /// More is better: service, throughput.
    Higher,
}

/// One tenant's change.
#[derive(Debug, Clone, PartialEq)]
pub struct BarRow {
    /// The tenant's name.
    pub tenant: String,
    /// Its number in the order of the workload, which decides its swatch.
    pub index: usize,
    /// subject / baseline − 1; none where it is undefined.
    pub change: Option<f64>,
    /// The two values, such as `2.16 → 1.25 h`, or why there is no change.
    pub detail: String,
}

impl BarRow {
    fn defined(&self) -> Option<f64> {
        self.change.filter(|change| change.is_finite())
    }

    /// The change and, in brackets, the two values.
    fn text(&self) -> String {
        let change = format::or_undefined(self.defined(), change_text);
        if self.detail.is_empty() { change } else { format!("{change} ({})", self.detail) }
    }
}

const HEADER_PX: f64 = 22.0;
const ROW_PX: f64 = 30.0;
const BAR_PX: f64 = 16.0;
const FOOT_PX: f64 = 14.0;
const DETAIL_PX: f64 = 11.0;
/// Bars are cut at this change, with their true value written beside: a wait that grew tenfold would flatten
/// the rest.
const LARGEST: f64 = 1.5;

/// The summary names this many of those who lose most.
const NAMED_LOSERS: usize = 5;

/// A row of the drawing: a tenant, or the ones that are left out between the two ends.
enum Shown<'a> {
    Row(&'a BarRow),
    LeftOut(Vec<&'a BarRow>),
}

struct Layout<'a> {
    rows: Vec<Shown<'a>>,
    /// Where the bars are.
    plot: Area,
    x: Scale,
    step: f64,
}

impl BarChart {
    /// Bars of `rows`, at most 28 of them drawn.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        width: f64,
        better: Better,
        rows: Vec<BarRow>,
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            width,
            subject: String::new(),
            baseline: String::new(),
            better,
            detail_title: String::new(),
            most: 28,
            rows,
        }
    }

    /// The rows in the order drawn.
    fn sorted(&self) -> Vec<&BarRow> {
        let order = |row: &BarRow| match (row.defined(), self.better) {
            (None, _) => f64::INFINITY,
            (Some(change), Better::Lower) => change,
            (Some(change), Better::Higher) => -change,
        };
        let mut rows: Vec<&BarRow> = self.rows.iter().collect();
        rows.sort_by(|a, b| order(a).total_cmp(&order(b)).then_with(|| a.tenant.cmp(&b.tenant)));
        rows
    }

    /// The height of the drawing in px.
    #[must_use]
    pub fn height(&self) -> f64 {
        if self.note().is_some() {
            return 160.0;
        }
        HEADER_PX + ROW_PX * self.shown().len() as f64 + FOOT_PX
    }

    /// The tenant of a row of the drawing, as [`Readout::x`] counts them; none for the row of those left out.
    #[must_use]
    pub fn tenant_at(&self, row: f64) -> Option<&str> {
        match self.shown().get(row.max(0.0) as usize) {
            Some(Shown::Row(row)) => Some(row.tenant.as_str()),
            _ => None,
        }
    }

    fn is_loss(&self, change: f64) -> bool {
        match self.better {
            Better::Lower => change > 0.0,
            Better::Higher => change < 0.0,
        }
    }

    fn shown(&self) -> Vec<Shown<'_>> {
        let most = self.most.max(4);
        let mut rows = self.sorted();
        if rows.len() <= most {
            return rows.into_iter().map(Shown::Row).collect();
        }
        let head = most / 2;
        let last = rows.split_off(rows.len() - (most - head - 1));
        let left_out = rows.split_off(head);
        let first = rows.into_iter().map(Shown::Row);
        first.chain([Shown::LeftOut(left_out)]).chain(last.into_iter().map(Shown::Row)).collect()
    }

    fn layout(&self) -> Layout<'_> {
        let width = self.width.max(200.0);
        let rows = self.shown();
        let shown_rows = || {
            rows.iter().filter_map(|shown| match shown {
                Shown::Row(row) => Some(*row),
                Shown::LeftOut(_) => None,
            })
        };
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
        let names = widest(&mut shown_rows().map(|r| text_width_px(&r.tenant, 12.0)));
        let details = widest(&mut shown_rows().map(|r| text_width_px(&r.detail, DETAIL_PX)))
            .max(text_width_px(&self.detail_title, DETAIL_PX));
        let left = (names + 30.0).min(width * 0.3);
        let right = if details > 0.0 { (details + 16.0).min(width * 0.35) } else { 8.0 };
        let plot = Area::new(left, HEADER_PX, width - left - right, ROW_PX * rows.len() as f64);

        let changes = || shown_rows().filter_map(BarRow::defined).map(|c| c.clamp(-LARGEST, LARGEST));
        let (lowest, highest) = (changes().fold(0.0, f64::min), changes().fold(0.0, f64::max));
        // Room for the value beside the longest bar of each side.
        let room = 44.0 / plot.width.max(100.0) * (highest - lowest).max(0.1) * 1.4;
        let low = if lowest < 0.0 { lowest - room } else { 0.0 };
        let high = if highest > 0.0 { highest + room } else { (highest - lowest).max(0.1) * 0.02 };
        let most_ticks = (plot.width / 52.0).clamp(3.0, 7.0) as usize;
        let step = ticks::nice_step(high - low, most_ticks);
        Layout { rows, plot, x: Scale::linear((low, high), (plot.x, plot.right())), step }
    }

    fn draw_row(&self, scene: &mut Scene, layout: &Layout<'_>, top: f64, row: &BarRow) {
        let Layout { plot, x, .. } = layout;
        let mut group = Group::new("").title(format!("{}: {}", row.tenant, row.text()));
        group.nodes.extend(tenant_nodes(row.index, Area::new(0.0, top + 6.0, 10.0, 10.0)));
        let name = shortened(&row.tenant, 12.0, plot.x - 22.0);
        group.add(Text::new("t12 tx", (17.0, top + 15.0), name));
        let detail = shortened(&row.detail, DETAIL_PX, scene.width - plot.right() - 8.0);
        group.add(Text::new("tx2", (scene.width, top + 15.0), detail).anchor(Anchor::End));
        let zero = x.place(0.0);
        match row.defined() {
            Some(change) => self.draw_bar(&mut group, x, top, change),
            None => group.add(Text::new("", (zero + 6.0, top + 15.0), format::UNDEFINED)),
        }
        scene.add(group);
    }

    fn draw_bar(&self, group: &mut Group, x: &Scale, top: f64, change: f64) {
        let (zero, end) = (x.place(0.0), x.place(change.clamp(-LARGEST, LARGEST)));
        let area = Area::new(zero.min(end), top + 3.0, (end - zero).abs().max(1.0), BAR_PX);
        if self.is_loss(change) {
            group.add(Rect::new("", area).fill(Pattern::Loss));
            group.add(Rect::new("outl", area));
        } else {
            group.add(Rect::new("gain", area).radius(1.5));
        }
        let outward = if change > 0.0 { 1.0 } else { -1.0 };
        let is_cut = change.abs() > LARGEST;
        if is_cut {
            // A slanted break through the bar, before its end.
            let mut gap = Path::new("surf");
            let at = end - outward * 14.0;
            gap.move_to(at - 1.0, area.bottom() + 1.0);
            gap.line_to(at + 3.0, area.y - 1.0);
            gap.line_to(at + 7.0, area.y - 1.0);
            gap.line_to(at + 3.0, area.bottom() + 1.0);
            gap.close();
            group.add(gap);
        }
        let anchor = if change > 0.0 { Anchor::Start } else { Anchor::End };
        let text = change_text(change);
        group.add(Text::new("tx b", (end + outward * 6.0, top + 15.0), text).anchor(anchor));
    }
}

/// In whole per cent; a change too small for that is not called 0.
fn change_text(change: f64) -> String {
    let decimals = usize::from(change.abs() < 0.01 && change.abs() > 0.0);
    format::signed(change, &format::percent(change, decimals))
}

impl Chart for BarChart {
    fn blank(&self) -> Scene {
        Scene::new(self.id.as_str(), self.title.as_str(), self.width.max(200.0), self.height())
    }

    fn note(&self) -> Option<&'static str> {
        self.rows.iter().all(|r| r.defined().is_none()).then_some("No tenant can be compared in this window")
    }

    fn draw(&self, scene: &mut Scene) {
        let sample = Area::new(0.0, 0.0, 26.0, 10.0);
        scene.legend = vec![
            LegendEntry { label: "gain".to_owned(), sample: vec![Rect::new("gain", sample).into()] },
            LegendEntry {
                label: "loss".to_owned(),
                sample: vec![
                    Rect::new("", sample).fill(Pattern::Loss).into(),
                    Rect::new("outl", sample).into(),
                ],
            },
        ];
        let layout = self.layout();
        let Layout { plot, x, step, .. } = &layout;
        let mut free_from = f64::NEG_INFINITY;
        for tick in ticks::even(Quantity::Share, x.domain(), *step) {
            let at = x.place(tick.value);
            let is_zero = tick.value.abs() < step * 0.5;
            let class = if is_zero { "ax" } else { "gl" };
            scene.add(Line::new(class, (at, plot.y - 4.0), (at, plot.bottom())));
            let label = if is_zero { "0".to_owned() } else { format::signed(tick.value, &tick.label) };
            let half = text_width_px(&label, DETAIL_PX) / 2.0;
            if at - half >= free_from && at + half <= plot.right() + 8.0 {
                free_from = at + half + 6.0;
                scene.add(Text::new("", (at, 11.0), label).anchor(Anchor::Middle));
            }
        }
        scene.add(Text::new("", (scene.width, 11.0), self.detail_title.clone()).anchor(Anchor::End));
        let bands = Bands::new(layout.rows.len(), plot.y, plot.bottom());
        for (i, shown) in layout.rows.iter().enumerate() {
            match shown {
                Shown::Row(row) => self.draw_row(scene, &layout, bands.start(i), row),
                Shown::LeftOut(rows) => {
                    let text = left_out_text(rows);
                    scene.add(Text::new("tx2 halo", (17.0, bands.start(i) + 15.0), text));
                }
            }
        }
    }

    fn overlay(&self, cursor: Option<f64>) -> Scene {
        let mut scene = self.blank();
        let Some(cursor) = cursor.filter(|c| c.is_finite() && *c >= 0.0) else { return scene };
        if self.note().is_none() {
            let layout = self.layout();
            let bands = Bands::new(layout.rows.len(), layout.plot.y, layout.plot.bottom());
            let top = bands.start((cursor as usize).min(layout.rows.len().saturating_sub(1)));
            let area = Area::new(-3.0, top - 2.0, scene.width + 6.0, ROW_PX - 4.0);
            scene.add(Rect::new("outl", area).radius(3.0));
        }
        scene
    }

    fn summary(&self) -> String {
        if let Some(note) = self.note() {
            return format!("{note}.");
        }
        let changes: Vec<(&BarRow, f64)> =
            self.sorted().into_iter().filter_map(|r| r.defined().map(|c| (r, c))).collect();
        let losers: Vec<String> = changes
            .iter()
            .rev()
            .filter(|(_, c)| self.is_loss(*c))
            .map(|(row, c)| format!("{} {}", row.tenant, change_text(*c)))
            .collect();
        let gains = changes.iter().filter(|(_, c)| c.abs() > 0.0 && !self.is_loss(*c)).count();
        let (better, worse) = match self.better {
            Better::Lower => ("lower", "higher"),
            Better::Higher => ("higher", "lower"),
        };
        let losers_text = match losers.as_slice() {
            [] => "no tenant".to_owned(),
            [worst @ .., _] if worst.len() >= NAMED_LOSERS => {
                let rest = format::count((losers.len() - NAMED_LOSERS) as u64);
                format!("{} and {rest} more", losers.get(..NAMED_LOSERS).unwrap_or_default().join(", "))
            }
            few => axis::listed(few),
        };
        format!(
            "{} with {} against {}: {better} for {} of {} tenants, {worse} for {losers_text}.",
            self.title,
            self.subject,
            self.baseline,
            format::count(gains as u64),
            format::count(changes.len() as u64),
        )
    }

    fn table(&self) -> Table {
        let header = ["Tenant", "Change", self.detail_title.as_str()].map(str::to_owned).into();
        let row = |row: &BarRow| {
            vec![row.tenant.clone(), format::or_undefined(row.defined(), change_text), row.detail.clone()]
        };
        Table { header, rows: self.sorted().into_iter().map(row).collect() }
    }

    fn plots(&self) -> Vec<Area> {
        if self.note().is_some() { Vec::new() } else { vec![self.layout().plot] }
    }

    fn direction(&self) -> Along {
        Along::Y
    }

    fn nearest(&self, fraction: f64) -> Option<Readout> {
        if self.note().is_some() {
            return None;
        }
        let rows = self.shown();
        let index = Bands::new(rows.len(), 0.0, 1.0).index_at(fraction)?;
        let (x_text, value, text) = match rows.get(index)? {
            Shown::Row(row) => (row.tenant.clone(), row.defined(), row.text()),
            Shown::LeftOut(left_out) => (left_out_text(left_out), None, String::new()),
        };
        let reading = Reading { group: String::new(), label: String::new(), class: "", value, text };
        let fraction = (index as f64 + 0.5) / rows.len() as f64;
        Some(Readout { x: index as f64, x_text, fraction, values: vec![reading] })
    }

    fn step(&self, fraction: f64, steps: i32) -> f64 {
        (fraction + f64::from(steps) / self.shown().len().max(1) as f64).clamp(0.0, 1.0)
    }
}

fn left_out_text(rows: &[&BarRow]) -> String {
    let count = format::count(rows.len() as u64);
    let mut changes = rows.iter().filter_map(|row| row.defined());
    match (changes.next(), changes.next_back()) {
        (Some(first), Some(last)) => {
            format!("{count} more tenants, {} to {}; all in the table", change_text(first), change_text(last))
        }
        _ => format!("{count} more tenants; all in the table"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(changes: &[(&str, Option<f64>)]) -> BarChart {
        let rows = changes.iter().enumerate().map(|(index, (tenant, change))| BarRow {
            tenant: (*tenant).to_owned(),
            index,
            change: *change,
            detail: String::new(),
        });
        BarChart {
            subject: "STS".into(),
            baseline: "FIFO".into(),
            ..BarChart::new("b", "Mean wait", 500.0, Better::Lower, rows.collect())
        }
    }

    #[test]
    fn losers_are_named() {
        let chart = chart(&[("a", Some(0.17)), ("b", Some(-0.4)), ("c", None), ("d", Some(0.003))]);
        assert_eq!(
            chart.summary(),
            "Mean wait with STS against FIFO: lower for 1 of 3 tenants, higher for a +17\u{202f}% and d +0.3\u{202f}%."
        );
        let names: Vec<String> = chart.table().rows.into_iter().map(|row| row[0].clone()).collect();
        assert_eq!(names, ["b", "d", "a", "c"]);
    }

    #[test]
    fn nobody_loses_and_many_lose() {
        assert!(
            chart(&[("a", Some(-0.1))])
                .summary()
                .ends_with("lower for 1 of 1 tenants, higher for no tenant.")
        );
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let all: Vec<(&str, Option<f64>)> = names.iter().map(|name| (*name, Some(0.5))).collect();
        assert!(chart(&all).summary().contains("c +50\u{202f}% and 2 more."), "{}", chart(&all).summary());
        let five = chart(all.get(..5).unwrap());
        assert!(five.summary().contains("b +50\u{202f}% and a +50\u{202f}%."), "{}", five.summary());
    }

    #[test]
    fn more_is_better_turns_the_sides() {
        let chart = BarChart { better: Better::Higher, ..chart(&[("a", Some(0.2)), ("b", Some(-0.2))]) };
        assert_eq!(chart.table().rows[0][0], "a");
        assert!(chart.summary().contains("higher for 1 of 2 tenants, lower for b −20\u{202f}%"));
    }

    #[test]
    fn rows_are_read_by_height() {
        let chart = chart(&[("a", Some(0.2)), ("b", Some(-0.2))]);
        let readout = chart.nearest(0.9).unwrap();
        assert_eq!(readout.sentence(), "a: +20\u{202f}%");
        let plot = chart.plots()[0];
        assert!(chart.fraction_at(plot.x, plot.bottom() - 1.0).unwrap() > 0.9);
    }

    #[test]
    fn rows_left_out_are_counted() {
        let names: Vec<String> = (0..60).map(|i| format!("t{i:02}")).collect();
        let all: Vec<(&str, Option<f64>)> =
            names.iter().enumerate().map(|(i, name)| (name.as_str(), Some(i as f64 / 100.0 - 0.3))).collect();
        let chart = chart(&all);
        assert_eq!(chart.shown().len(), 28);
        let Some(Shown::LeftOut(rows)) = chart.shown().into_iter().nth(14) else { panic!("no gap") };
        assert_eq!(left_out_text(&rows), "33 more tenants, −16\u{202f}% to +16\u{202f}%; all in the table");
    }
}
