//! Which stretch of time and which rows are seen: zooming and panning, never beyond what there is.

use crate::chart::window::{TimeExtent, TimeWindow};

/// Fewer ticks than this are not shown alone.
const LEAST_TICKS: f64 = 16.0;
/// Nor a stretch shorter than this, in seconds.
const LEAST_S: f64 = 0.1;

/// What there is to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extent {
    /// The end of the run, in ticks.
    pub end: f64,
    /// Ticks in a second.
    pub ticks_per_s: f64,
    /// Height of all rows, in px.
    pub rows_px: f64,
    /// Height of the room for them, in px.
    pub room_px: f64,
}

impl Extent {
    /// What there is along the axis of time, in ticks.
    fn time(&self) -> TimeExtent {
        let most = self.end.max(1.0);
        TimeExtent::new(most, LEAST_TICKS.max(LEAST_S * self.ticks_per_s).min(most))
    }
}

/// What is seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Window {
    /// From this tick.
    pub from: f64,
    /// To this tick.
    pub to: f64,
    /// The height at which the rows begin, in px.
    pub top: f64,
}

impl Window {
    /// Everything, from the first row.
    #[must_use]
    pub fn whole(extent: &Extent) -> Self {
        Self::default().of_time(TimeWindow::whole(&extent.time()))
    }

    /// The ticks that are seen.
    #[must_use]
    pub fn time(&self) -> TimeWindow {
        TimeWindow { from: self.from, to: self.to }
    }

    /// The same rows at another time.
    #[must_use]
    pub fn of_time(self, time: TimeWindow) -> Self {
        Self { from: time.from, to: time.to, ..self }
    }

    /// Ticks that are seen.
    #[must_use]
    pub fn span(&self) -> f64 {
        self.time().span()
    }

    /// The tick at a fraction of the width.
    #[must_use]
    pub fn at(&self, fraction: f64) -> f64 {
        self.time().at(fraction)
    }

    /// The fraction of the width at which a tick is.
    #[must_use]
    pub fn fraction(&self, tick: f64) -> f64 {
        self.time().fraction(tick)
    }

    /// The same within what there is: neither longer nor beyond it. What is undefined becomes the whole.
    #[must_use]
    pub fn within(self, extent: &Extent) -> Self {
        if !self.top.is_finite() {
            return Self::whole(extent);
        }
        let lowest = (extent.rows_px - extent.room_px).max(0.0);
        Self { top: self.top.clamp(0.0, lowest), ..self.of_time(self.time().within(&extent.time())) }
    }

    /// `factor` times as much time, with what is at `fraction` staying there.
    #[must_use]
    pub fn zoomed(self, factor: f64, fraction: f64, extent: &Extent) -> Self {
        self.of_time(self.time().zoomed(factor, fraction, &extent.time())).within(extent)
    }

    /// Later by this share of what is seen.
    #[must_use]
    pub fn panned(self, share: f64, extent: &Extent) -> Self {
        self.of_time(self.time().panned(share, &extent.time())).within(extent)
    }

    /// Lower by so many px.
    #[must_use]
    pub fn scrolled(self, by_px: f64, extent: &Extent) -> Self {
        Self { top: self.top + by_px, ..self }.within(extent)
    }

    /// A stretch of time with a little room around it.
    #[must_use]
    pub fn around(self, from: f64, to: f64, extent: &Extent) -> Self {
        self.of_time(TimeWindow::around(from, to, &extent.time())).within(extent)
    }

    /// Moved just as far as to have a tick in sight.
    #[must_use]
    pub fn showing(self, tick: f64, extent: &Extent) -> Self {
        self.of_time(self.time().showing(tick, &extent.time())).within(extent)
    }

    /// Moved just as far as to have a row in sight.
    #[must_use]
    pub fn showing_row(self, top: f64, bottom: f64, extent: &Extent) -> Self {
        let at = if top < self.top {
            top
        } else if bottom > self.top + extent.room_px {
            bottom - extent.room_px
        } else {
            return self;
        };
        Self { top: at, ..self }.within(extent)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Zoom(f64, f64),
        Pan(f64),
        Scroll(f64),
        Show(f64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0.01..100.0_f64, -0.5..1.5_f64).prop_map(|(factor, at)| Step::Zoom(factor, at)),
            (-3.0..3.0_f64).prop_map(Step::Pan),
            (-900.0..900.0_f64).prop_map(Step::Scroll),
            (0.0..1.0_f64).prop_map(Step::Show),
        ]
    }

    proptest! {
        #[test]
        fn no_gesture_leads_out_of_the_run(
            end in 0.0..4e9_f64, per_s in 1.0..1e6_f64, rows in 0.0..9000.0_f64, steps in prop::collection::vec(step(), 0..40)
        ) {
            let extent = Extent { end, ticks_per_s: per_s, rows_px: rows, room_px: 500.0 };
            let mut window = Window::whole(&extent);
            for step in steps {
                window = match step {
                    Step::Zoom(factor, at) => window.zoomed(factor, at, &extent),
                    Step::Pan(share) => window.panned(share, &extent),
                    Step::Scroll(by) => window.scrolled(by, &extent),
                    Step::Show(at) => {
                        let shown = window.showing(at * end, &extent);
                        prop_assert!(shown.from <= at * end + 1e-3 && at * end <= shown.to + 1e-3);
                        shown
                    }
                };
                prop_assert!(window.from >= 0.0 && window.to <= extent.time().most() * (1.0 + 1e-12));
                prop_assert!(window.span() >= extent.time().least() * (1.0 - 1e-6));
                prop_assert!(window.top >= 0.0 && window.top <= (rows - 500.0).max(0.0));
            }
        }

        #[test]
        fn zooming_keeps_what_is_pointed_at(factor in 0.1..0.9_f64, at in 0.0..1.0_f64) {
            let extent = Extent { end: 1e9, ticks_per_s: 1e3, rows_px: 0.0, room_px: 500.0 };
            let before = Window { from: 3e8, to: 5e8, top: 0.0 };
            let after = before.zoomed(factor, at, &extent);
            prop_assert!((after.at(at) - before.at(at)).abs() < 1.0);
            let back = after.zoomed(1.0 / factor, at, &extent);
            prop_assert!((back.from - before.from).abs() < 1.0 && (back.to - before.to).abs() < 1.0);
        }
    }

    #[test]
    fn the_undefined_shows_everything() {
        let extent = Extent { end: 100.0, ticks_per_s: 1.0, rows_px: 10.0, room_px: 500.0 };
        for window in
            [Window { from: f64::NAN, to: 1.0, top: 0.0 }, Window { from: 0.0, to: 1.0, top: f64::NAN }]
        {
            assert_eq!(window.within(&extent), Window::whole(&extent));
        }
        let around = Window { from: 40.0, to: 50.0, top: 0.0 }.around(10.0, 20.0, &extent);
        assert_eq!(around, Window { from: 7.0, to: 23.0, top: 0.0 });
    }
}
