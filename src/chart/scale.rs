//! From values to pixels and back.

/// How a value becomes a position between the two ends of a range, linearly or by its logarithm.
///
/// The domain is made usable: ends that are equal, swapped, undefined or beyond measure are widened, put in
/// order or brought nearer, and a logarithmic domain starts above zero. Values outside the domain are placed
/// at its nearer end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    kind: Kind,
    domain: (f64, f64),
    range_px: (f64, f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linear,
    Log10,
}

/// The smallest value of a logarithmic domain.
const SMALLEST_LOG: f64 = 1e-6;

impl Scale {
    /// A linear scale from `domain` to `range_px`.
    #[must_use]
    pub fn linear(domain: (f64, f64), range_px: (f64, f64)) -> Self {
        let (low, high) = ordered(domain);
        let domain = if high - low > low.abs() * 1e-12 { (low, high) } else { (low - 0.5, high + 0.5) };
        Self { kind: Kind::Linear, domain, range_px }
    }

    /// A logarithmic scale from `domain` to `range_px`.
    #[must_use]
    pub fn log10(domain: (f64, f64), range_px: (f64, f64)) -> Self {
        let (low, high) = ordered(domain);
        let (low, high) = (low.max(SMALLEST_LOG), high.max(SMALLEST_LOG));
        let domain = if high > low * (1.0 + 1e-9) { (low, high) } else { (low / 2.0, high * 2.0) };
        Self { kind: Kind::Log10, domain, range_px }
    }

    /// The values at the two ends.
    #[must_use]
    pub fn domain(&self) -> (f64, f64) {
        self.domain
    }

    /// Where `value` lies between the ends of the domain, 0 to 1. An undefined value counts as the lower end.
    #[must_use]
    pub fn fraction(&self, value: f64) -> f64 {
        let (low, high) = (self.inner(self.domain.0), self.inner(self.domain.1));
        let fraction = (self.inner(value.max(self.domain.0)) - low) / (high - low);
        if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) }
    }

    /// The pixel of `value`.
    #[must_use]
    pub fn place(&self, value: f64) -> f64 {
        self.range_px.0 + self.fraction(value) * (self.range_px.1 - self.range_px.0)
    }

    /// The value at `fraction` of the way, which is clamped to 0 to 1.
    #[must_use]
    pub fn value_at(&self, fraction: f64) -> f64 {
        let fraction = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
        let (low, high) = (self.inner(self.domain.0), self.inner(self.domain.1));
        let inner = low + fraction * (high - low);
        let value = match self.kind {
            Kind::Linear => inner,
            Kind::Log10 => libm::pow(10.0, inner),
        };
        value.clamp(self.domain.0, self.domain.1)
    }

    fn inner(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Linear => value,
            Kind::Log10 => libm::log10(value),
        }
    }
}

/// Equal bands side by side, for rows and bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bands {
    start_px: f64,
    size_px: f64,
    count: usize,
}

impl Bands {
    /// `count` bands that fill the range from `start_px` to `end_px`.
    #[must_use]
    pub fn new(count: usize, start_px: f64, end_px: f64) -> Self {
        Self { start_px, size_px: (end_px - start_px) / count.max(1) as f64, count }
    }

    /// The size of one band.
    #[must_use]
    pub fn size_px(&self) -> f64 {
        self.size_px
    }

    /// Where band `index` starts.
    #[must_use]
    pub fn start(&self, index: usize) -> f64 {
        self.start_px + self.size_px * index as f64
    }

    /// The band at `fraction` (clamped to 0 to 1) of the way; none where there is no band.
    #[must_use]
    pub fn index_at(&self, fraction: f64) -> Option<usize> {
        let last = self.count.checked_sub(1)?;
        Some(((fraction.clamp(0.0, 1.0) * self.count as f64) as usize).min(last))
    }
}

/// The lowest and the highest defined value; `None` where there is none.
#[must_use]
pub fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|v| v.is_finite()).fold(None, |extent, value| match extent {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

fn ordered((a, b): (f64, f64)) -> (f64, f64) {
    // The distance of any two such ends is finite.
    const FARTHEST: f64 = 1e150;
    let (a, b) = (a.clamp(-FARTHEST, FARTHEST), b.clamp(-FARTHEST, FARTHEST));
    match (a.is_nan(), b.is_nan()) {
        (false, false) => (a.min(b), a.max(b)),
        (false, true) => (a, a),
        (true, false) => (b, b),
        (true, true) => (0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_linear_scale_places_and_inverts() {
        let scale = Scale::linear((0.0, 200.0), (40.0, 440.0));
        assert!(near(scale.place(50.0), 140.0));
        assert!(near(scale.place(-9.0), 40.0) && near(scale.place(1e9), 440.0), "outside goes to the end");
        assert!(near(scale.value_at(0.25), 50.0));
        assert!(near(scale.place(f64::NAN), 40.0));
    }

    #[test]
    fn a_logarithmic_scale_places_and_inverts() {
        let scale = Scale::log10((10.0, 1_000.0), (0.0, 100.0));
        assert!(near(scale.place(100.0), 50.0));
        assert!(near(scale.place(0.0), 0.0) && near(scale.place(-5.0), 0.0));
        assert!(near(scale.value_at(0.5), 100.0));
    }

    #[test]
    fn a_range_may_run_backwards() {
        let scale = Scale::linear((0.0, 1.0), (300.0, 100.0));
        assert!(near(scale.place(0.25), 250.0));
    }

    #[test]
    fn a_degenerate_domain_is_widened() {
        for scale in [
            Scale::linear((7.0, 7.0), (0.0, 10.0)),
            Scale::log10((7.0, 7.0), (0.0, 10.0)),
            Scale::log10((0.0, 0.0), (0.0, 10.0)),
            Scale::linear((f64::NAN, f64::NAN), (0.0, 10.0)),
            Scale::linear((f64::NEG_INFINITY, f64::MAX), (0.0, 10.0)),
        ] {
            let (low, high) = scale.domain();
            assert!(low < high && (high - low).is_finite(), "{scale:?}");
        }
        assert!(near(Scale::linear((7.0, 7.0), (0.0, 10.0)).place(7.0), 5.0));
    }

    #[test]
    fn bands_tile_their_range() {
        let bands = Bands::new(4, 10.0, 50.0);
        assert!(near(bands.size_px(), 10.0) && near(bands.start(3), 40.0));
        assert_eq!(bands.index_at(0.0), Some(0));
        assert_eq!(bands.index_at(0.6), Some(2));
        assert_eq!(bands.index_at(1.0), Some(3));
        assert_eq!(Bands::new(0, 0.0, 10.0).index_at(0.5), None);
    }

    #[test]
    fn extent_skips_what_is_undefined() {
        assert_eq!(extent([3.0, f64::NAN, -1.0]), Some((-1.0, 3.0)));
        assert_eq!(extent([f64::INFINITY]), None);
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn placing_keeps_order_and_inverts(
            low in 0.001..1e4_f64,
            factor in 1.5..1e6_f64,
            u in 0.0..1.0_f64,
            v in 0.0..1.0_f64,
        ) {
            let (domain, range_px) = ((low, low * factor), (0.0, 500.0));
            for scale in [Scale::linear(domain, range_px), Scale::log10(domain, range_px)] {
                let (a, b) = (scale.value_at(u.min(v)), scale.value_at(u.max(v)));
                prop_assert!(a <= b);
                prop_assert!(scale.place(a) <= scale.place(b) + 1e-9);
                prop_assert!((scale.fraction(scale.value_at(u)) - u).abs() < 1e-6);
            }
        }
    }
}
