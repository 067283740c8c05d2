//! The curve that stands in where no slice was measured.
//!
//! A job that gets a share f of a device runs at r(f) = min(1, f / (κ + (1 − κ)·f)) of its speed on the whole device: κ = 1 is
//! proportional, κ near 0 a job too small to use the device. The curve is concave, which measured curves often are not; results
//! that depend on that must come from measured ones.

use super::measured::MisoRow;

/// κ of a job that runs at `speed` (0 to 1) on a share `share` (between 0 and 1) of a device: the curve passes through that point.
#[must_use]
pub fn kappa(share: f64, speed: f64) -> f64 {
    share * (1.0 - speed) / (speed * (1.0 - share))
}

/// Speed on a share of a device, relative to the whole.
#[must_use]
pub fn speed(kappa: f64, share: f64) -> f64 {
    if share <= 0.0 {
        return 0.0;
    }
    let speed = share / (kappa + (1.0 - kappa) * share);
    if speed < 1.0 { speed } else { 1.0 }
}

/// κ of a measured model, from its smallest slice that runs at least in proportion to its share: 1g if it has the memory, and
/// does not lose time to a lack of it.
#[must_use]
pub fn kappa_of(row: &MisoRow) -> f64 {
    let shares = [1.0 / 7.0, 2.0 / 7.0, 3.0 / 7.0, 4.0 / 7.0];
    let points = shares.into_iter().zip(row.slices);
    let smallest =
        points.filter_map(|(share, speed)| Some((share, speed?))).find(|(share, speed)| speed >= share);
    smallest.map_or(1.0, |(share, speed)| kappa(share, speed))
}

#[cfg(test)]
mod tests {
    use super::super::measured::MISO;
    use super::*;

    fn of(model: &str, batch: u32) -> f64 {
        kappa_of(MISO.iter().find(|row| row.model == model && row.batch == batch).expect("a row"))
    }

    #[test]
    fn kappa_matches_the_published_examples() {
        assert!((of("mobilenet", 64) - 0.04).abs() < 0.005);
        assert!((of("resnet", 256) - 0.35).abs() < 0.005);
        assert!((of("transformer", 16) - 0.76).abs() < 0.005);
    }

    #[test]
    fn every_model_has_a_kappa_between_nothing_and_proportional() {
        for row in &MISO {
            let kappa = kappa_of(row);
            assert!(kappa > 0.0 && kappa <= 1.0, "{row:?}: {kappa}");
        }
    }

    #[test]
    fn the_curve_passes_through_its_point_rises_and_ends_at_one() {
        let kappa = kappa(1.0 / 7.0, 0.4);
        assert!((speed(kappa, 1.0 / 7.0) - 0.4).abs() < 1e-12);
        assert!((speed(kappa, 1.0) - 1.0).abs() < 1e-12);
        let points: Vec<f64> = (0..=8).map(|i| speed(kappa, f64::from(i) / 8.0)).collect();
        assert!(points.windows(2).all(|p| p[0] < p[1]));
        assert!((speed(1.0, 0.25) - 0.25).abs() < 1e-12, "κ = 1 is proportional");
    }
}
