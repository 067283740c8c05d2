//! A quantity over time: its values, its reduction to what pixels can show, and its line.

use super::Reading;
use super::decimate;
use super::format::{self, Quantity};
use super::palette::{Key, Role};
use super::scale::{Scale, extent};
use super::scene::{Area, Circle, Path, Scene};

/// How a line runs from one point to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Curve {
    /// Straight: the points are means or samples.
    #[default]
    Straight,
    /// The value holds until the next point: the points are changes, the last one the end of what is known.
    Step,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeSeries {
    /// The policy it belongs to.
    pub key: Key,
    curve: Curve,
    points: Vec<(f64, f64)>,
}

impl TimeSeries {
    /// A line through points of time in seconds and value, in any order. A value that is not finite is a gap;
    /// a point whose time is not finite is left out.
    #[must_use]
    pub fn new(key: Key, curve: Curve, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut points: Vec<(f64, f64)> = points
            .into_iter()
            .filter(|p| p.0.is_finite())
            .map(|(x, y)| (x, if y.is_finite() { y } else { f64::NAN }))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { key, curve, points }
    }

    /// The points in the order of time.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The value at a time; none before the first point, after the last and in a gap.
    #[must_use]
    pub fn value_at(&self, time_s: f64) -> Option<f64> {
        let after = self.points.partition_point(|p| p.0 <= time_s);
        let (x, y) = *self.points.get(after.checked_sub(1)?)?;
        let value = match (self.points.get(after), self.curve) {
            (None, _) if x < time_s => return None,
            (Some(next), Curve::Straight) if x < time_s => y + (next.1 - y) * (time_s - x) / (next.0 - x),
            _ => y,
        };
        value.is_finite().then_some(value)
    }

    /// The mean over the time of a window in which the line is defined.
    pub(super) fn mean(&self, window_s: (f64, f64)) -> Option<f64> {
        let (mut area, mut time) = (0.0, 0.0);
        let points = self.within(window_s);
        for pair in points.windows(2) {
            let [(x, y), (next_x, next_y)] = pair else { continue };
            let height = match self.curve {
                Curve::Straight => f64::midpoint(*y, *next_y),
                Curve::Step => *y,
            };
            if height.is_finite() {
                area += height * (next_x - x);
                time += next_x - x;
            }
        }
        if time > 0.0 { Some(area / time) } else { points.iter().map(|p| p.1).find(|y| y.is_finite()) }
    }

    /// The points with a value.
    pub(super) fn defined(&self) -> impl DoubleEndedIterator<Item = &(f64, f64)> {
        self.points.iter().filter(|p| p.1.is_finite())
    }

    /// Draws the line into a plot: one part for each run of defined points, a dot for a run of one.
    pub(super) fn draw(&self, scene: &mut Scene, x: &Scale, y: &Scale, plot: Area) {
        let mut path = Path::new(self.key.line_class()).stroke(self.key.stroke());
        let reduced = self.reduced(x.domain(), plot);
        let mut marked = Vec::new();
        for run in reduced.split(|p| p.1.is_nan()) {
            match run {
                [] => {}
                [(px, py)] => {
                    let at = (x.place(*px), y.place(*py));
                    scene.add(Circle::new(format!("dot {}", self.key.class()), at, 3.2));
                }
                [(px, py), rest @ ..] => {
                    path.move_to(x.place(*px), y.place(*py));
                    let mut corners = vec![(x.place(*px), y.place(*py))];
                    for (px, py) in rest {
                        let at = (x.place(*px), y.place(*py));
                        match self.curve {
                            Curve::Straight => path.line_to(at.0, at.1),
                            Curve::Step => {
                                path.step_to(at.0, at.1);
                                corners.extend(corners.last().map(|last| (at.0, last.1)));
                            }
                        }
                        corners.push(at);
                    }
                    marked.push(corners);
                }
            }
        }
        if !path.is_empty() {
            scene.add(path);
        }
        marked.iter().for_each(|corners| self.key.draw_marks(scene, corners));
    }

    /// The points to draw in a plot.
    fn reduced(&self, window_s: (f64, f64), plot: Area) -> Vec<(f64, f64)> {
        decimate::time_series(&self.within(window_s), plot.width.max(1.0) as usize)
    }

    /// The corners of the line as drawn in a plot, whatever its curve; an undefined value is a gap.
    pub(super) fn outline(&self, window_s: (f64, f64), plot: Area) -> Vec<(f64, f64)> {
        let reduced = self.reduced(window_s, plot);
        match self.curve {
            Curve::Straight => reduced,
            Curve::Step => {
                let held = reduced.windows(2).filter_map(|pair| match pair {
                    [before, after] => Some([*before, (after.0, before.1)]),
                    _ => None,
                });
                held.flatten().chain(reduced.last().copied()).collect()
            }
        }
    }

    /// The points inside a window, with the values at its two ends.
    pub(super) fn within(&self, (from, to): (f64, f64)) -> Vec<(f64, f64)> {
        let first = self.points.partition_point(|p| p.0 < from);
        let end = self.points.partition_point(|p| p.0 <= to);
        let edge = |at: f64| self.value_at(at).map(|value| (at, value));
        let inside = self.points.get(first..end).unwrap_or_default();
        let enters = if first > 0 { edge(from) } else { None };
        let leaves = if end < self.points.len() { edge(to) } else { None };
        enters.into_iter().chain(inside.iter().copied()).chain(leaves).collect()
    }
}

/// The policies of some series, each once, in the order given.
pub(super) fn distinct_keys<'a>(series: impl IntoIterator<Item = &'a TimeSeries>) -> Vec<&'a Key> {
    let mut keys: Vec<&Key> = Vec::new();
    for series in series {
        if keys.iter().all(|key| key.label != series.key.label) {
            keys.push(&series.key);
        }
    }
    keys
}

/// The first and the last time of any of some series.
pub(super) fn time_extent<'a>(series: impl IntoIterator<Item = &'a TimeSeries>) -> Option<(f64, f64)> {
    let ends = series.into_iter().flat_map(|s| s.points.first().into_iter().chain(s.points.last()));
    extent(ends.map(|point| point.0))
}

/// The points of a window that a cursor stops at: those of the subject, else of the first line that has any.
pub(super) fn cursor_points<'a>(
    series: impl IntoIterator<Item = &'a TimeSeries>,
    (from, to): (f64, f64),
) -> &'a [(f64, f64)] {
    let with_points: Vec<&TimeSeries> = series.into_iter().filter(|s| !s.points.is_empty()).collect();
    let subject = with_points.iter().find(|s| s.key.role == Role::Subject);
    let points: &[(f64, f64)] = subject.or(with_points.first()).map_or(&[], |s| &s.points);
    let first = points.partition_point(|p| p.0 < from);
    let end = points.partition_point(|p| p.0 <= to);
    points.get(first..end).unwrap_or_default()
}

/// A cursor that a window shows.
pub(super) fn in_sight(cursor: Option<f64>, (from, to): (f64, f64)) -> Option<f64> {
    cursor.filter(|at| *at >= from && *at <= to)
}

/// What each series of one panel or tenant says at a time.
pub(super) fn readings(
    group: &str,
    series: &[TimeSeries],
    time_s: f64,
    quantity: Quantity,
) -> impl Iterator<Item = Reading> {
    series.iter().map(move |series| {
        let value = series.value_at(time_s);
        Reading {
            group: group.to_owned(),
            label: series.key.label.clone(),
            class: series.key.class(),
            value,
            text: format::or_undefined(value, |v| quantity.text(v)),
        }
    })
}

/// The time of the point nearest to `time_s`; itself where it is beyond the points, for other lines may go on
/// there.
pub(super) fn nearest_time(points: &[(f64, f64)], time_s: f64) -> f64 {
    let after = points.partition_point(|p| p.0 <= time_s);
    match (after.checked_sub(1).and_then(|i| points.get(i)), points.get(after)) {
        (Some(before), Some(after)) if after.0 - time_s < time_s - before.0 => after.0,
        (Some(before), Some(_)) => before.0,
        _ => time_s,
    }
}

/// The fraction `steps` keyboard steps away: a point each where they are few, else a 200th of the window.
pub(super) fn step_along(points: &[(f64, f64)], domain_s: (f64, f64), fraction: f64, steps: i32) -> f64 {
    let x = Scale::linear(domain_s, (0.0, 1.0));
    let stride = (points.len() / 200).max(1) as i64 * i64::from(steps);
    let here = nearest_time(points, x.value_at(fraction));
    let index = points.partition_point(|p| p.0 < here) as i64;
    let beyond = points.get(index as usize).is_none_or(|p| (p.0 - here).abs() > f64::EPSILON * here.abs());
    match usize::try_from(index + stride).ok().and_then(|i| points.get(i)) {
        Some(point) if !beyond => x.fraction(point.0),
        _ => (fraction + f64::from(steps) * 0.005).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(curve: Curve, points: &[(f64, f64)]) -> TimeSeries {
        TimeSeries::new(Key::new("fifo", "FIFO", Role::Other), curve, points.iter().copied())
    }

    #[test]
    fn values_between_points_follow_the_curve() {
        let points = [(10.0, f64::NAN), (0.0, 0.0), (4.0, 8.0), (20.0, 1.0), (f64::NAN, 3.0)];
        let straight = series(Curve::Straight, &points);
        let step = series(Curve::Step, &points);
        assert_eq!(
            [-1.0, 0.0, 2.0, 4.0, 7.0, 20.0, 21.0].map(|t| straight.value_at(t)),
            [None, Some(0.0), Some(4.0), Some(8.0), None, Some(1.0), None]
        );
        assert_eq!([2.0, 7.0, 12.0, 20.0].map(|t| step.value_at(t)), [Some(0.0), Some(8.0), None, Some(1.0)]);
    }

    #[test]
    fn means_are_weighted_by_time() {
        let points = [(0.0, 10.0), (1.0, 10.0), (1.0, 0.0), (10.0, 0.0)];
        let all = (0.0, 10.0);
        assert_eq!(series(Curve::Step, &points).mean(all), Some(1.0));
        assert_eq!(series(Curve::Straight, &points).mean(all), Some(1.0));
        assert_eq!(series(Curve::Step, &[(3.0, 7.0)]).mean(all), Some(7.0));
        assert_eq!(series(Curve::Step, &[]).mean(all), None);
        assert_eq!(series(Curve::Step, &points).mean((0.0, 0.5)), Some(10.0));
        assert_eq!(series(Curve::Straight, &[(0.0, 0.0), (10.0, 10.0)]).mean((4.0, 6.0)), Some(5.0));
    }

    #[test]
    fn a_window_cuts_the_lines_at_its_edges() {
        let line = series(Curve::Straight, &[(0.0, 0.0), (100.0, 100.0)]);
        assert_eq!(line.within((25.0, 75.0)), [(25.0, 25.0), (75.0, 75.0)]);
        let step = series(Curve::Step, &[(0.0, 4.0), (50.0, 9.0), (100.0, 1.0)]);
        assert_eq!(step.within((25.0, 75.0)), [(25.0, 4.0), (50.0, 9.0), (75.0, 9.0)]);
    }
}
