//! Which stretch of a time axis is seen: zooming and panning, never beyond what there is.

/// What there is to be seen, from 0 on, in the unit of the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeExtent {
    most: f64,
    least: f64,
}

impl TimeExtent {
    /// From 0 to `end`; nothing shorter than `least` is shown alone. What ends before that, or nowhere, is `least` long.
    #[must_use]
    pub fn new(end: f64, least: f64) -> Self {
        let least = if least.is_finite() && least > 0.0 { least } else { 1.0 };
        Self { most: if end.is_finite() { end.max(least) } else { least }, least }
    }

    /// All there is.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.most
    }

    /// The shortest stretch that is shown alone.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.least
    }
}

/// A stretch of a time axis, in its unit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeWindow {
    /// From here …
    pub from: f64,
    /// … to here.
    pub to: f64,
}

impl TimeWindow {
    /// Everything.
    #[must_use]
    pub fn whole(extent: &TimeExtent) -> Self {
        Self { from: 0.0, to: extent.most() }
    }

    /// Between two moments, whichever is the earlier.
    #[must_use]
    pub fn between(a: f64, b: f64) -> Self {
        Self { from: a.min(b), to: a.max(b) }
    }

    /// Its length.
    #[must_use]
    pub fn span(&self) -> f64 {
        self.to - self.from
    }

    /// The moment at a fraction of the width.
    #[must_use]
    pub fn at(&self, fraction: f64) -> f64 {
        self.from + self.span() * fraction
    }

    /// The fraction of the width at which a moment is.
    #[must_use]
    pub fn fraction(&self, moment: f64) -> f64 {
        if self.span() > 0.0 { (moment - self.from) / self.span() } else { 0.0 }
    }

    /// The same within what there is: neither longer nor beyond it. What is undefined becomes the whole.
    #[must_use]
    pub fn within(self, extent: &TimeExtent) -> Self {
        if !(self.from.is_finite() && self.to.is_finite()) {
            return Self::whole(extent);
        }
        let span = self.span().clamp(extent.least(), extent.most());
        let middle = f64::midpoint(self.from, self.to);
        let from = (middle - span / 2.0).clamp(0.0, extent.most() - span);
        Self { from, to: from + span }
    }

    /// `factor` times as much time, with what is at `fraction` staying there.
    #[must_use]
    pub fn zoomed(self, factor: f64, fraction: f64, extent: &TimeExtent) -> Self {
        let span = (self.span() * factor).clamp(extent.least(), extent.most());
        let from = self.at(fraction) - span * fraction;
        Self { from, to: from + span }.within(extent)
    }

    /// Later by this share of what is seen.
    #[must_use]
    pub fn panned(self, share: f64, extent: &TimeExtent) -> Self {
        let by = self.span() * share;
        Self { from: self.from + by, to: self.to + by }.within(extent)
    }

    /// A stretch of time with a little room around it.
    #[must_use]
    pub fn around(from: f64, to: f64, extent: &TimeExtent) -> Self {
        let room = (to - from) * 0.05;
        Self { from: from - room, to: to + room }.within(extent)
    }

    /// Moved just as far as to have a moment in sight.
    #[must_use]
    pub fn showing(self, moment: f64, extent: &TimeExtent) -> Self {
        let room = self.span() * 0.1;
        let by = if moment < self.from {
            moment - room - self.from
        } else if moment > self.to {
            moment + room - self.to
        } else {
            return self;
        };
        Self { from: self.from + by, to: self.to + by }.within(extent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extent_is_never_shorter_than_what_is_shown_alone() {
        assert_eq!(TimeExtent::new(0.0, 16.0), TimeExtent { most: 16.0, least: 16.0 });
        assert_eq!(TimeExtent::new(f64::NAN, f64::NAN), TimeExtent { most: 1.0, least: 1.0 });
        let extent = TimeExtent::new(100.0, 10.0);
        let all = TimeWindow::whole(&extent);
        assert_eq!(all.zoomed(5.0, 0.3, &extent), all, "there is no more than all");
        assert_eq!(all.zoomed(1e-9, 0.5, &extent), TimeWindow { from: 45.0, to: 55.0 });
        assert_eq!(all.panned(0.5, &extent), all);
        assert_eq!(TimeWindow::between(30.0, 20.0), TimeWindow { from: 20.0, to: 30.0 });
        assert_eq!(
            TimeWindow { from: 20.0, to: 30.0 }.panned(-9.0, &extent),
            TimeWindow { from: 0.0, to: 10.0 }
        );
        assert_eq!(TimeWindow { from: f64::NAN, to: 3.0 }.within(&extent), all);
    }
}
