//! Student's t distribution. The functions of `libm` are used, so that every target gets the same bits.

/// The probability of a value further from zero than `t`, on either side: `I_x(v/2, 1/2)` with `x = v / (v + t²)` (Abramowitz and
/// Stegun 26.7.1). Between 0 and 1; 0 for an infinite `t`.
#[must_use]
pub fn two_sided_p(t: f64, freedom: u32) -> f64 {
    let v = f64::from(freedom.max(1));
    if !t.is_finite() {
        return if t.is_nan() { f64::NAN } else { 0.0 };
    }
    incomplete_beta(v / 2.0, 0.5, v / (v + t * t))
}

/// The value that is not exceeded with probability `p`, from 0.5 to below 1: for `p` = 0.975 the half width of a 95 % interval in
/// standard errors. Infinite for `p` = 1; not a number outside 0.5 to 1.
#[must_use]
pub fn quantile(p: f64, freedom: u32) -> f64 {
    if !(0.5..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    let v = f64::from(freedom.max(1));
    let tail = 1.0 - p;
    match freedom {
        0 | 1 => return libm::tan(std::f64::consts::PI * (p - 0.5)),
        2 => return (2.0 * p - 1.0) / libm::sqrt(2.0 * p * tail),
        _ => {}
    }
    // The distribution function is concave above zero, so that Newton's steps from the left end at the quantile.
    let log_scale = -libm::log(v) / 2.0 - log_beta(v / 2.0, 0.5);
    let density = |t: f64| libm::exp(log_scale - (v + 1.0) / 2.0 * libm::log1p(t * t / v));
    let mut t = 0.0;
    for _ in 0..200 {
        let step = (two_sided_p(t, freedom) / 2.0 - tail) / density(t);
        t = (t + step).max(0.0);
        if libm::fabs(step) <= 1e-13 * t.max(1.0) {
            break;
        }
    }
    t
}

/// ln B(a, b).
fn log_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

/// The regularised incomplete beta function `I_x(a, b)`, by its continued fraction (Numerical Recipes, 6.4, after Lentz).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = libm::exp(a * libm::log(x) + b * libm::log1p(-x) - log_beta(a, b));
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |value: f64| if libm::fabs(value) < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..=500 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / kept(1.0 + even * d);
        c = kept(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / kept(1.0 + odd * d);
        c = kept(1.0 + odd / c);
        h *= d * c;
        if libm::fabs(d * c - 1.0) < 1e-15 {
            break;
        }
    }
    h
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tabulated values (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, and exact closed forms).
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, at_95, at_975, at_995) in [
            (1, 6.314, 12.706, 63.657),
            (2, 2.920, 4.303, 9.925),
            (3, 2.353, 3.182, 5.841),
            (4, 2.132, 2.776, 4.604),
            (5, 2.015, 2.571, 4.032),
            (9, 1.833, 2.262, 3.250),
            (19, 1.729, 2.093, 2.861),
            (30, 1.697, 2.042, 2.750),
            (100, 1.660, 1.984, 2.626),
            (100_000, 1.645, 1.960, 2.576),
        ] {
            for (p, value) in [(0.95, at_95), (0.975, at_975), (0.995, at_995)] {
                let found = quantile(p, freedom);
                assert!((found - value).abs() < 6e-4, "t({p}, {freedom}) = {found}, not {value}");
            }
        }
    }

    #[test]
    fn probabilities_have_their_closed_forms() {
        // One degree of freedom is Cauchy's distribution, two have an algebraic form.
        for t in [0.1f64, 1.0, 3.0, 50.0] {
            let cauchy = 1.0 - 2.0 * t.atan() / std::f64::consts::PI;
            assert!((two_sided_p(t, 1) - cauchy).abs() < 1e-12);
            assert!((two_sided_p(t, 2) - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-12);
        }
        assert!((two_sided_p(0.0, 7) - 1.0).abs() < 1e-15);
        assert!(two_sided_p(f64::INFINITY, 7) <= 0.0);
        assert!((two_sided_p(-2.0, 7) - two_sided_p(2.0, 7)).abs() < 1e-15);
    }

    #[test]
    fn the_quantile_undoes_the_probability() {
        for freedom in [1, 2, 3, 4, 8, 25, 400, 50_000] {
            for p in [0.5, 0.6, 0.9, 0.975, 0.999, 0.999_999] {
                let found = two_sided_p(quantile(p, freedom), freedom);
                assert!((found - 2.0 * (1.0 - p)).abs() < 1e-9, "{freedom} {p} {found}");
            }
        }
        assert!(quantile(1.0, 3).is_infinite() && quantile(0.4, 3).is_nan());
    }
}
