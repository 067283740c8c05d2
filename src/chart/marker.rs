//! Marks along a line: what tells lines apart, besides colour and dash, where there are many.

use super::scene::{Node, Path};

/// A mark: a shape, filled or hollow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Marker {
    shape: Shape,
    fill: Fill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
    Left,
    Right,
    Cross,
    Plus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fill {
    Full,
    Hollow,
}

/// All marks; neighbours differ most.
pub const MARKERS: [Marker; 16] = [
    full(Shape::Circle),
    hollow(Shape::Square),
    full(Shape::Up),
    hollow(Shape::Diamond),
    hollow(Shape::Cross),
    full(Shape::Square),
    hollow(Shape::Circle),
    full(Shape::Down),
    hollow(Shape::Up),
    full(Shape::Diamond),
    hollow(Shape::Plus),
    hollow(Shape::Down),
    full(Shape::Left),
    hollow(Shape::Right),
    full(Shape::Right),
    hollow(Shape::Left),
];

const fn full(shape: Shape) -> Marker {
    Marker { shape, fill: Fill::Full }
}

/// Shapes made of strokes count as hollow.
const fn hollow(shape: Shape) -> Marker {
    Marker { shape, fill: Fill::Hollow }
}

/// From one mark of a line to the next, along the x axis.
const APART_PX: f64 = 88.0;
/// From the centre of a mark to its edge.
const RADIUS_PX: f64 = 3.4;

impl Marker {
    /// Marks at some points, in the colour of `class`.
    #[must_use]
    pub fn at(self, points: &[(f64, f64)], class: &str) -> Node {
        let kind = match self.fill {
            Fill::Full => "mk",
            Fill::Hollow => "mk-o",
        };
        let mut path = Path::new(format!("{kind} {class}"));
        for &(x, y) in points {
            self.draw(&mut path, x, y);
        }
        path.into()
    }

    fn draw(self, path: &mut Path, x: f64, y: f64) {
        const R: f64 = RADIUS_PX;
        /// The half side of a square and of a cross that look as large as the circle.
        const SIDE: f64 = RADIUS_PX * 0.88;
        /// The tips of a diamond and of triangles reach farther.
        const TIP: f64 = RADIUS_PX * 1.25;
        match self.shape {
            Shape::Circle => path.circle((x, y), R),
            Shape::Square => {
                polygon(
                    path,
                    &[(x - SIDE, y - SIDE), (x + SIDE, y - SIDE), (x + SIDE, y + SIDE), (x - SIDE, y + SIDE)],
                );
            }
            Shape::Diamond => polygon(path, &[(x, y - TIP), (x + TIP, y), (x, y + TIP), (x - TIP, y)]),
            Shape::Up => polygon(path, &[(x, y - TIP), (x + TIP, y + R), (x - TIP, y + R)]),
            Shape::Down => polygon(path, &[(x, y + TIP), (x + TIP, y - R), (x - TIP, y - R)]),
            Shape::Left => polygon(path, &[(x - TIP, y), (x + R, y - TIP), (x + R, y + TIP)]),
            Shape::Right => polygon(path, &[(x + TIP, y), (x - R, y - TIP), (x - R, y + TIP)]),
            Shape::Cross => {
                segment(path, (x - SIDE, y - SIDE), (x + SIDE, y + SIDE));
                segment(path, (x - SIDE, y + SIDE), (x + SIDE, y - SIDE));
            }
            Shape::Plus => {
                segment(path, (x - TIP, y), (x + TIP, y));
                segment(path, (x, y - TIP), (x, y + TIP));
            }
        }
    }
}

fn polygon(path: &mut Path, corners: &[(f64, f64)]) {
    for (i, &(x, y)) in corners.iter().enumerate() {
        if i == 0 {
            path.move_to(x, y);
        } else {
            path.line_to(x, y);
        }
    }
    path.close();
}

fn segment(path: &mut Path, from: (f64, f64), to: (f64, f64)) {
    path.move_to(from.0, from.1);
    path.line_to(to.0, to.1);
}

/// Where the marks of a line through `corners` stand, which rise in x: at equal distances, which begin at another place for every
/// `number`, so that lines that lie on each other show the marks of both. Every line has one.
pub(super) fn places(corners: &[(f64, f64)], number: usize) -> Vec<(f64, f64)> {
    let (Some(&(first, _)), Some(&(last, _))) = (corners.first(), corners.last()) else { return Vec::new() };
    let phase = (0.5 + number as f64 * 0.382).fract() * APART_PX;
    let mut wanted: Vec<f64> = Vec::new();
    let mut x = first + phase;
    while x <= last {
        wanted.push(x);
        x += APART_PX;
    }
    if wanted.is_empty() {
        wanted.push(f64::midpoint(first, last));
    }
    let height = |x: f64| {
        let after = corners.partition_point(|corner| corner.0 < x);
        let &(x1, y1) = corners.get(after).or(corners.last())?;
        let &(x0, y0) = after.checked_sub(1).and_then(|before| corners.get(before)).unwrap_or(&(x1, y1));
        Some(if x1 > x0 { y0 + (y1 - y0) * (x - x0) / (x1 - x0) } else { y1 })
    };
    wanted.into_iter().filter_map(|x| height(x).map(|y| (x, y))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_marks_are_drawn_alike() {
        let drawn: BTreeSet<String> =
            MARKERS.iter().map(|marker| format!("{:?}", marker.at(&[(0.0, 0.0)], "p-fifo"))).collect();
        assert_eq!(drawn.len(), MARKERS.len());
    }

    #[test]
    fn marks_stand_on_the_line() {
        let corners = [(10.0, 0.0), (110.0, 100.0), (110.0, 40.0), (400.0, 40.0)];
        let places = places(&corners, 3);
        assert!(places.len() >= 4);
        for &(x, y) in &places {
            assert!(
                if x < 110.0 { (y - (x - 10.0)).abs() < 1e-9 } else { (y - 40.0).abs() < 1e-9 },
                "{x} {y}"
            );
        }
        assert_ne!(places, super::places(&corners, 4));
        assert_eq!(super::places(&[(5.0, 7.0)], 9), [(5.0, 7.0)]);
        assert_eq!(super::places(&[], 9), []);
    }
}
