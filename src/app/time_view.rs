//! What of the axis of time that the charts of the results share is seen, and what of it is selected; and what gestures and keys do
//! with both. Seconds throughout, from the first submission.

use super::gantt::{self, Press, Shift};
use crate::chart::window::{TimeExtent, TimeWindow};

/// A stretch shorter than this is not shown alone, in seconds.
const LEAST_S: f64 = 0.1;
/// What one press of the buttons leaves of the window; the Gantt's buttons do the same.
pub const ZOOM: f64 = 0.6;
/// How much a px of a turned wheel zooms, as a power of two.
const WHEEL: f64 = 0.002;
/// A pointer that moved less has clicked.
const CLICK_PX: f64 = 4.0;

/// What is seen and selected. The default: all, and nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeView {
    /// What is seen; `None` for all there is, however much that comes to be.
    pub window: Option<TimeWindow>,
    /// The selected stretch.
    pub selected: Option<TimeWindow>,
}

/// What is done to a view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// `factor` times as much time; what is at the fraction of the width stays there.
    Zoom {
        /// The factor.
        factor: f64,
        /// The fraction.
        at: f64,
    },
    /// Later by this share of the window.
    Pan(f64),
    /// This stretch; `None` shows everything.
    Show(Option<TimeWindow>),
    /// Select between two moments.
    Select(f64, f64),
    /// Select what is seen.
    SelectSeen,
    /// No selection.
    Unselect,
    /// Everything seen, nothing selected: the runs are others.
    Forget,
}

/// The time that runs of this length in seconds take.
#[must_use]
pub fn extent(end_s: f64) -> TimeExtent {
    TimeExtent::new(end_s, LEAST_S)
}

impl TimeView {
    /// What is seen.
    #[must_use]
    pub fn seen(&self, extent: &TimeExtent) -> TimeWindow {
        self.window.map_or_else(|| TimeWindow::whole(extent), |window| window.within(extent))
    }

    /// The view after a change.
    #[must_use]
    pub fn after(self, change: Change, extent: &TimeExtent) -> Self {
        let whole = TimeWindow::whole(extent);
        let shown = |window: TimeWindow| Self { window: (window != whole).then_some(window), ..self };
        let seen = self.seen(extent);
        match change {
            Change::Zoom { factor, at } => shown(seen.zoomed(factor, at, extent)),
            Change::Pan(share) => shown(seen.panned(share, extent)),
            Change::Show(Some(window)) => shown(window.within(extent)),
            Change::Show(None) => Self { window: None, ..self },
            Change::Select(a, b) => {
                let TimeWindow { from, to } = TimeWindow::between(a, b);
                let (from, to) = (from.clamp(0.0, extent.most()), to.clamp(0.0, extent.most()));
                Self { selected: (to > from).then_some(TimeWindow { from, to }), ..self }
            }
            Change::SelectSeen => Self { selected: Some(seen), ..self },
            Change::Unselect => Self { selected: None, ..self },
            Change::Forget => Self::default(),
        }
    }
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyPress {
    /// This much of the window, around the cursor.
    Zoom(f64),
    /// Later by this share of the window.
    Pan(f64),
    /// Everything.
    Fit,
    /// The selection to reach so many steps of the cursor on.
    Extend(i32),
    /// No selection any more.
    LetGo,
}

/// What a key asks for; `None` for one that moves the cursor, or is the page's or the browser's. The letters are the Gantt's.
#[must_use]
pub fn key_press(key: &str, shift: Shift) -> Option<KeyPress> {
    match (gantt::press(key, shift)?, key, shift) {
        (Press::Zoom(factor), ..) => Some(KeyPress::Zoom(factor)),
        (Press::Pan(share), ..) => Some(KeyPress::Pan(share)),
        (Press::All | Press::Fit, ..) => Some(KeyPress::Fit),
        (Press::LetGo, ..) => Some(KeyPress::LetGo),
        (_, "ArrowLeft", Shift::Held) => Some(KeyPress::Extend(-1)),
        (_, "ArrowRight", Shift::Held) => Some(KeyPress::Extend(1)),
        _ => None,
    }
}

/// The selection after the cursor went on from one moment to another: the end at which it was moves with it. A cursor at neither end
/// begins a new one.
#[must_use]
pub fn extended(selected: Option<TimeWindow>, from_s: f64, to_s: f64) -> Change {
    let is_at = |end: f64| (end - from_s).abs() <= 1e-9 * from_s.abs().max(1.0);
    let anchor_s = match selected {
        Some(of) if is_at(of.to) => of.from,
        Some(of) if is_at(of.from) => of.to,
        _ => from_s,
    };
    Change::Select(anchor_s, to_s)
}

/// A turn of the wheel in px, and what is held meanwhile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// To the right.
    pub right_px: f64,
    /// Down.
    pub down_px: f64,
    /// Ctrl or the command key, which zooms.
    pub zooms: Zooms,
    /// Shift, which turns a wheel that only goes up and down into one across.
    pub shift: Shift,
}

/// Whether Ctrl or the command key is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zooms {
    /// It is.
    Yes,
    /// It is not.
    No,
}

impl Turn {
    /// What the turn does at a fraction of a plot of this width; `None` where it scrolls the page.
    #[must_use]
    pub fn change(&self, at: f64, width_px: f64) -> Option<Change> {
        if self.zooms == Zooms::Yes {
            return Some(Change::Zoom { factor: libm::exp2((self.down_px * WHEEL).clamp(-1.0, 1.0)), at });
        }
        let is_across = self.right_px.abs() > self.down_px.abs();
        let across_px = if is_across { self.right_px } else { self.down_px };
        (is_across || self.shift == Shift::Held).then(|| Change::Pan(across_px / width_px.max(1.0)))
    }
}

/// What a pointer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// A mouse or a pen: it drags to select.
    Fine,
    /// The same with Shift held: it drags to pan.
    FineWithShift,
    /// A finger: it pans what is zoomed; two pinch.
    Finger,
}

/// Pointers that are down on a plot, with their places along it in px.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gesture {
    down: Vec<(i32, f64)>,
    pointer: Option<Pointer>,
    began_px: f64,
    /// The moment at which it began.
    began_s: f64,
    has_moved: bool,
}

impl Gesture {
    /// Whether any pointer is down.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.down.is_empty()
    }

    /// A pointer came down at a place whose moment is `at_s`.
    pub fn begin(&mut self, id: i32, pointer: Pointer, at_px: f64, at_s: f64) {
        if self.down.is_empty() {
            *self = Self { pointer: Some(pointer), began_px: at_px, began_s: at_s, ..Self::default() };
        } else {
            // Two fingers zoom, whatever one would do.
            self.pointer = Some(Pointer::Finger);
            self.has_moved = true;
        }
        self.down.retain(|(other, _)| *other != id);
        self.down.push((id, at_px));
    }

    /// A pointer moved; what that does to a view on a plot that begins at `left_px` and is so wide.
    pub fn moved(
        &mut self,
        id: i32,
        at_px: f64,
        (left_px, width_px): (f64, f64),
        seen: TimeWindow,
    ) -> Vec<Change> {
        let other = self.down.iter().find(|(other, _)| *other != id).map(|(_, at)| *at);
        let Some((_, place)) = self.down.iter_mut().find(|(other, _)| *other == id) else {
            return Vec::new();
        };
        self.has_moved |= (at_px - self.began_px).abs() >= CLICK_PX;
        if !self.has_moved {
            return Vec::new();
        }
        let old_px = std::mem::replace(place, at_px);
        let fraction = |px: f64| ((px - left_px) / width_px.max(1.0)).clamp(0.0, 1.0);
        let by = (old_px - at_px) / width_px.max(1.0);
        match (other, self.pointer) {
            (Some(other_px), _) => {
                let distance = |px: f64| (px - other_px).abs().max(24.0);
                let factor = distance(old_px) / distance(at_px);
                let middle = f64::midpoint(at_px, other_px);
                vec![Change::Zoom { factor, at: fraction(middle) }, Change::Pan(by / 2.0)]
            }
            (None, Some(Pointer::Fine)) => vec![Change::Select(self.began_s, seen.at(fraction(at_px)))],
            (None, _) => vec![Change::Pan(by)],
        }
    }

    /// A pointer went up, or is the browser's now.
    pub fn end(&mut self, id: i32) {
        self.down.retain(|(other, _)| *other != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: TimeWindow = TimeWindow { from: 0.0, to: 1000.0 };

    fn after(view: TimeView, change: Change) -> TimeView {
        view.after(change, &extent(1000.0))
    }

    #[test]
    fn all_is_no_window_so_that_it_grows_with_the_runs() {
        let zoomed = after(TimeView::default(), Change::Zoom { factor: 0.5, at: 0.5 });
        assert_eq!(zoomed.window, Some(TimeWindow { from: 250.0, to: 750.0 }));
        assert_eq!(after(zoomed, Change::Zoom { factor: 8.0, at: 0.5 }).window, None);
        assert_eq!(after(zoomed, Change::Show(None)).window, None);
        assert_eq!(after(zoomed, Change::Show(Some(ALL))).window, None);
        assert_eq!(after(zoomed, Change::Pan(0.1)).window, Some(TimeWindow { from: 300.0, to: 800.0 }));
        assert_eq!(zoomed.seen(&extent(400.0)), TimeWindow { from: 0.0, to: 400.0 });
        let seen = after(zoomed, Change::SelectSeen);
        assert_eq!(seen.selected, zoomed.window);
        assert_eq!(after(seen, Change::Forget), TimeView::default());
    }

    #[test]
    fn a_selection_stays_within_the_run_and_is_never_empty() {
        let of = |a, b| after(TimeView::default(), Change::Select(a, b)).selected;
        assert_eq!(of(700.0, 200.0), Some(TimeWindow { from: 200.0, to: 700.0 }));
        assert_eq!(of(900.0, 5000.0), Some(TimeWindow { from: 900.0, to: 1000.0 }));
        assert_eq!(of(300.0, 300.0), None);
        assert_eq!(of(f64::NAN, 300.0), None);
        assert_eq!(after(TimeView { selected: of(1.0, 2.0), window: None }, Change::Unselect).selected, None);
    }

    #[test]
    fn keys_are_the_gantts_and_arrows_stay_the_cursors() {
        assert!(matches!(key_press("w", Shift::Free), Some(KeyPress::Zoom(f)) if f < 1.0));
        assert!(matches!(key_press("-", Shift::Free), Some(KeyPress::Zoom(f)) if f > 1.0));
        assert!(matches!(key_press("D", Shift::Held), Some(KeyPress::Pan(by)) if by > 0.0));
        assert_eq!(key_press("0", Shift::Free), Some(KeyPress::Fit));
        assert_eq!(key_press("f", Shift::Free), Some(KeyPress::Fit));
        assert_eq!(key_press("Escape", Shift::Free), Some(KeyPress::LetGo));
        assert_eq!(key_press("ArrowRight", Shift::Free), None);
        assert_eq!(key_press("ArrowLeft", Shift::Held), Some(KeyPress::Extend(-1)));
        for key in ["ArrowUp", "PageDown", "Enter", ".", "r", "Home"] {
            assert_eq!(key_press(key, Shift::Free), None, "{key}");
        }
    }

    #[test]
    fn a_selection_is_extended_from_the_cursor() {
        let of = |from, to| Some(TimeWindow { from, to });
        assert_eq!(extended(None, 10.0, 20.0), Change::Select(10.0, 20.0));
        assert_eq!(extended(of(10.0, 20.0), 20.0, 30.0), Change::Select(10.0, 30.0));
        assert_eq!(extended(of(10.0, 20.0), 10.0, 5.0), Change::Select(20.0, 5.0));
        assert_eq!(extended(of(10.0, 20.0), 50.0, 60.0), Change::Select(50.0, 60.0));
    }

    #[test]
    fn the_plain_wheel_is_the_pages() {
        let turn = Turn { right_px: 0.0, down_px: 120.0, zooms: Zooms::No, shift: Shift::Free };
        assert_eq!(turn.change(0.5, 600.0), None);
        assert_eq!(Turn { shift: Shift::Held, ..turn }.change(0.5, 600.0), Some(Change::Pan(0.2)));
        assert_eq!(Turn { right_px: -300.0, ..turn }.change(0.5, 600.0), Some(Change::Pan(-0.5)));
        let zoom = |down_px| Turn { down_px, zooms: Zooms::Yes, ..turn }.change(0.25, 600.0);
        assert!(matches!(zoom(-120.0), Some(Change::Zoom { factor, .. }) if factor < 1.0));
        assert_eq!(zoom(0.0), Some(Change::Zoom { factor: 1.0, at: 0.25 }));
        assert_eq!(zoom(1e9), Some(Change::Zoom { factor: 2.0, at: 0.25 }));
    }

    #[test]
    fn a_mouse_selects_with_shift_it_pans_and_fingers_pan_and_pinch() {
        let plot = (100.0, 500.0);
        let mut gesture = Gesture::default();
        gesture.begin(1, Pointer::Fine, 200.0, 200.0);
        assert_eq!(gesture.moved(1, 202.0, plot, ALL), [], "that is a click");
        assert_eq!(gesture.moved(1, 350.0, plot, ALL), [Change::Select(200.0, 500.0)]);
        assert_eq!(gesture.moved(1, 9000.0, plot, ALL), [Change::Select(200.0, 1000.0)]);
        assert_eq!(gesture.moved(2, 10.0, plot, ALL), [], "that pointer is not down");
        gesture.end(1);
        assert!(!gesture.is_on());
        gesture.begin(1, Pointer::FineWithShift, 200.0, 200.0);
        assert_eq!(gesture.moved(1, 150.0, plot, ALL), [Change::Pan(0.1)]);
        gesture.end(1);
        gesture.begin(1, Pointer::Finger, 200.0, 200.0);
        gesture.begin(2, Pointer::Finger, 300.0, 400.0);
        let [Change::Zoom { factor, at }, Change::Pan(by)] = gesture.moved(2, 400.0, plot, ALL)[..] else {
            panic!("a pinch zooms and pans");
        };
        assert_eq!((factor, at, by), (0.5, 0.4, -0.1));
    }
}
