//! Throughput profiles: how fast a job trains on each GPU, whole and in slices.
//!
//! A profile gives speeds relative to one whole V100 of 16 GB (a gang: to the gang of that size on V100). Two things make it up:
//!
//! * **whole devices**: Gavel's measurements on K80, P100 and V100; every other GPU by the catalogue's assumed figure;
//! * **slices** as a share of the whole device's speed: MISO's measurements on an A100 40 GB, assumed for the A100 80 GB too, whose
//!   slices have the same multiprocessors; everywhere else (MPS, A30, slices that ran out of memory on the A100 40 GB and have more
//!   elsewhere, and H100, H200 and B200, where a 3g has nearly the multiprocessors of a 4g) the synthetic curve of [`fitted`] over
//!   the share of the multiprocessors ([`MigFamily::sm_share`]).
//!
//! Where a model was measured in only one of the two, the nearest one of the other stands in ([`Profile::likeness`]):
//!
//! | model measured by MISO | whole devices as Gavel's | model measured by Gavel | κ of the slices as MISO's |
//! |---|---|---|---|
//! | mobilenet, resnet | ResNet-18, batch as near as there is | ResNet-18 | resnet, batch as near as there is |
//! | embedding | LM (batch size 80) | ResNet-50 | resnet/512 (batch size 16: resnet/256) |
//! | gnn | LM (batch size 20) | Transformer | transformer, batch as near as there is |
//! | cyclegan | CycleGAN | LM | embedding/128 (from batch size 40: embedding/256) |
//! | deepspeech2 | LM (batch size 20) | Recommendation | embedding/512 |
//! | transformer | Transformer, same batch | CycleGAN | cyclegan/1 |
//! | bert | Transformer (batch size 128) | A3C | mobilenet/64 |
//!
//! Memory needs are assumed: per model a line over the batch size that agrees with which A100 slices it ran in, and for Gavel's
//! models with the 12 GB of the K80 it ran on. Only + − × ÷ is used, so that speeds are the same bits on every machine.

pub mod fitted;
pub mod measured;

use std::sync::OnceLock;

use crate::cluster::catalogue::{GpuModel, MigFamily};
use crate::cluster::{Geometry, GpuType, Slice, SliceMemory};
use measured::{GAVEL, GAVEL_SOURCE, GavelRow, MISO, MISO_SOURCE, MisoRow};

/// A profile: its position in [`profiles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileId(pub u16);

impl ProfileId {
    /// The profile.
    #[must_use]
    pub fn profile(self) -> &'static Profile {
        let all = profiles();
        &all[usize::from(self.0).min(all.len() - 1)]
    }
}

/// Speeds of one kind of job. See the [module](self) for where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The name in scenarios: `mobilenet/64` (a model that MISO measured, and its batch size), `LM (batch size 20)` (one that Gavel
    /// measured), `linear`, `flat`.
    pub name: String,
    /// Memory it needs on each device, in GB; assumed.
    pub memory_gb: f64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// Measured in slices; on whole devices like a model of Gavel's.
    Miso { row: &'static MisoRow, kappa: f64, whole: &'static GavelRow },
    /// Measured on whole devices; in slices like a model of MISO's.
    Gavel { row: &'static GavelRow, kappa: f64, slices: &'static MisoRow },
    /// As fast as its share of the device, on every GPU.
    Linear,
    /// Equally fast on any slice of any GPU.
    Flat,
}

/// What a profile has to know about a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gpu<'a> {
    /// Catalogue id.
    pub id: &'a str,
    /// Memory of the device.
    pub memory_gb: f64,
    /// Speed where nothing is measured, see [`GpuModel::assumed_speed`].
    pub assumed_speed: f64,
    /// How it is cut by MIG, if it can be.
    pub mig: Option<MigFamily>,
}

impl<'a> From<&'a GpuModel> for Gpu<'a> {
    fn from(model: &'a GpuModel) -> Self {
        Self { id: &model.id, memory_gb: model.memory_gb, assumed_speed: model.assumed_speed, mig: model.mig }
    }
}

impl<'a> From<&'a GpuType> for Gpu<'a> {
    fn from(gpu: &'a GpuType) -> Self {
        Self { id: &gpu.gpu, memory_gb: gpu.memory_gb, assumed_speed: gpu.assumed_speed, mig: gpu.mig }
    }
}

/// How far a speed can be relied on, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provenance {
    /// The unit of all speeds.
    Unit,
    /// Measured, by whom and on what.
    Measured(&'static str),
    /// From a curve through a measurement.
    Fitted(&'static str),
    /// Assumed, on what grounds.
    Assumed(&'static str),
}

impl Provenance {
    /// In words, for tables and the page.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Unit => "the unit: a whole V100 of 16 GB".to_string(),
            Self::Measured(source) => source.to_string(),
            Self::Fitted(basis) => format!("fitted: {basis}"),
            Self::Assumed(basis) => format!("assumed: {basis}"),
        }
    }
}

/// All profiles: the models of MISO, those of Gavel, `linear` and `flat`.
#[must_use]
pub fn profiles() -> &'static [Profile] {
    static PROFILES: OnceLock<Vec<Profile>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        let neutral = [("linear", Kind::Linear), ("flat", Kind::Flat)];
        let neutral = neutral.map(|(name, kind)| Profile { name: name.to_string(), memory_gb: 0.0, kind });
        MISO.iter().map(Profile::miso).chain(GAVEL.iter().map(Profile::gavel)).chain(neutral).collect()
    })
}

/// The models that MISO measured, which are what jobs without a model draw from by default.
pub fn measured_in_slices() -> impl ExactSizeIterator<Item = ProfileId> {
    (0..MISO.len() as u16).map(ProfileId)
}

/// The profile of this name.
#[must_use]
pub fn find(name: &str) -> Option<ProfileId> {
    profiles().iter().position(|profile| profile.name == name).map(|index| ProfileId(index as u16))
}

impl Profile {
    fn miso(row: &'static MisoRow) -> Self {
        let (model, batch) = match row.model {
            "mobilenet" | "resnet" => ("ResNet-18", row.batch),
            "embedding" => ("LM", 80),
            "gnn" | "deepspeech2" => ("LM", 20),
            "cyclegan" => ("CycleGAN", 0),
            "bert" => ("Transformer", 128),
            _ => ("Transformer", row.batch),
        };
        let (base_gb, per_sample_gb) = match row.model {
            "mobilenet" => (1.2, 0.005),
            "resnet" => (1.2, 0.006),
            "embedding" => (1.0, 0.004),
            "gnn" => (1.0, 0.0125),
            "cyclegan" => (1.6, 2.4),
            "deepspeech2" => (2.0, 0.3),
            "transformer" => (1.2, 0.11),
            _ => (4.0, 1.3),
        };
        let whole = nearest(&GAVEL, |gavel| (gavel.model == model).then_some(gavel.batch), batch);
        Self {
            name: format!("{}/{}", row.model, row.batch),
            memory_gb: base_gb + per_sample_gb * f64::from(row.batch),
            kind: Kind::Miso { row, kappa: fitted::kappa_of(row), whole },
        }
    }

    fn gavel(row: &'static GavelRow) -> Self {
        let (model, batch) = match row.model {
            "ResNet-18" => ("resnet", row.batch),
            "ResNet-50" => ("resnet", if row.batch <= 16 { 256 } else { 512 }),
            "Transformer" => ("transformer", row.batch),
            "LM" => ("embedding", if row.batch < 40 { 128 } else { 256 }),
            "Recommendation" => ("embedding", 512),
            "CycleGAN" => ("cyclegan", 1),
            _ => ("mobilenet", 64),
        };
        let (base_gb, per_sample_gb) = match row.model {
            "ResNet-18" => (1.2, 0.006),
            "ResNet-50" => (1.5, 0.074),
            "Transformer" => (1.0, 0.04),
            "LM" => (1.0, 0.03),
            "Recommendation" => (1.0, 0.0008),
            "CycleGAN" => (4.0, 0.0),
            _ => (1.0, 0.0),
        };
        let slices = nearest(&MISO, |miso| (miso.model == model).then_some(miso.batch), batch);
        Self {
            name: gavel_name(row),
            memory_gb: base_gb + per_sample_gb * f64::from(row.batch),
            kind: Kind::Gavel { row, kappa: fitted::kappa_of(slices), slices },
        }
    }

    /// Speed of a job on a slice of each of `devices` devices of a GPU, relative to `devices` whole V100 of 16 GB. `None`
    /// where it cannot run: the slice has too little memory, there is no such slice, or it failed when it was measured.
    #[must_use]
    pub fn speed(
        &self,
        gpu: Gpu<'_>,
        geometry: Geometry,
        slice: impl Into<Slice>,
        devices: u32,
    ) -> Option<f64> {
        let slice = slice.into();
        let fits = geometry.slice_memory_gb(gpu.memory_gb, slice) >= self.memory_gb;
        if fits { self.speed_with_memory(gpu, geometry, slice, devices) } else { None }
    }

    /// [`Self::speed`] of a job that is known to have the memory it needs.
    #[must_use]
    pub fn speed_with_memory(
        &self,
        gpu: Gpu<'_>,
        geometry: Geometry,
        slice: impl Into<Slice>,
        devices: u32,
    ) -> Option<f64> {
        let slice = slice.into();
        if !geometry.slices().contains(&slice) {
            return None;
        }
        Some(self.device_speed(gpu, devices)? * self.slice_speed(gpu, geometry, slice))
    }

    /// Speed on whole devices, relative to as many V100 of 16 GB. Gangs of a size that was not measured are taken as the largest
    /// smaller one that was.
    #[must_use]
    pub fn device_speed(&self, gpu: Gpu<'_>, devices: u32) -> Option<f64> {
        let row = match self.kind {
            Kind::Miso { whole, .. } => whole,
            Kind::Gavel { row, .. } => row,
            Kind::Linear | Kind::Flat => return Some(1.0),
        };
        let steps = match gpu.id {
            "K80" => row.k80,
            "P100" => row.p100,
            "V100-16" | "V100-32" => return Some(1.0),
            _ => return Some(gpu.assumed_speed),
        };
        let doublings = devices.max(1).ilog2() as usize;
        let measured = doublings.min(steps.len() - 1).min(row.v100.len() - 1);
        let speed = steps[measured] / row.v100[measured];
        (speed > 0.0).then_some(speed)
    }

    /// Speed on a slice relative to the whole device: measured, else by the fitted curve at the slice's share of the device's
    /// multiprocessors.
    #[must_use]
    pub fn slice_speed(&self, gpu: Gpu<'_>, geometry: Geometry, slice: impl Into<Slice>) -> f64 {
        let slice = slice.into();
        if slice.slots == geometry.slots() {
            return 1.0;
        }
        self.measured_slice(gpu, geometry, slice).unwrap_or_else(|| {
            let of_slots = f64::from(slice.slots) / f64::from(geometry.slots());
            let share = gpu.mig.filter(|_| geometry == Geometry::MigA100).and_then(|mig| mig.sm_share(slice));
            self.share_speed(share.unwrap_or(of_slots))
        })
    }

    /// Speed on any share of a device, from 0 to 1, relative to the whole: by the fitted curve.
    #[must_use]
    pub fn share_speed(&self, share: f64) -> f64 {
        match self.kind {
            Kind::Miso { kappa, .. } | Kind::Gavel { kappa, .. } => fitted::speed(kappa, share),
            Kind::Linear => share,
            Kind::Flat => 1.0,
        }
    }

    /// What the speed in a slice relative to the whole device, or of the whole device, rests on.
    #[must_use]
    pub fn provenance(&self, gpu: Gpu<'_>, geometry: Geometry, slice: impl Into<Slice>) -> Provenance {
        let slice = slice.into();
        if matches!(self.kind, Kind::Linear | Kind::Flat) {
            return Provenance::Assumed("a neutral profile, the same on every GPU");
        }
        if slice.slots == geometry.slots() {
            return match (gpu.id, self.kind) {
                ("V100-16", _) => Provenance::Unit,
                ("V100-32", _) => Provenance::Assumed("as fast as a V100 of 16 GB"),
                ("K80" | "P100", Kind::Gavel { .. }) => Provenance::Measured(GAVEL_SOURCE),
                ("K80" | "P100", _) => {
                    Provenance::Assumed("the ratio that Gavel measured for a similar model")
                }
                _ => Provenance::Assumed("a round figure for the GPU, the same for every model"),
            };
        }
        match (self.measured_slice(gpu, geometry, slice), gpu.id, self.kind) {
            (Some(_), ..) if slice.memory == SliceMemory::Double => {
                Provenance::Assumed("as fast as the plain slice of an A100 40 GB was measured")
            }
            (Some(_), "A100-40", _) => Provenance::Measured(MISO_SOURCE),
            (Some(_), ..) => Provenance::Assumed("the share that was measured on an A100 40 GB"),
            (None, _, Kind::Miso { .. } | Kind::Gavel { .. })
                if gpu.mig.is_some_and(MigFamily::is_uneven) =>
            {
                Provenance::Fitted(
                    "synthetic, a concave curve over the slice's share of the multiprocessors, through a measurement on an A100",
                )
            }
            (None, _, Kind::Miso { .. }) => {
                Provenance::Fitted("a concave curve through the model's smallest measured slice")
            }
            (None, ..) => {
                Provenance::Fitted("a concave curve through a similar model's smallest measured slice")
            }
        }
    }

    /// The measured model that stands in for what was not measured of this one.
    #[must_use]
    pub fn likeness(&self) -> Option<String> {
        match self.kind {
            Kind::Miso { whole, .. } => Some(gavel_name(whole)),
            Kind::Gavel { slices, .. } => Some(format!("{}/{}", slices.model, slices.batch)),
            Kind::Linear | Kind::Flat => None,
        }
    }

    /// What was measured on an A100: it stands for A100 of any memory, whose slices have the same multiprocessors.
    fn measured_slice(&self, gpu: Gpu<'_>, geometry: Geometry, slice: Slice) -> Option<f64> {
        match (self.kind, geometry) {
            (Kind::Miso { row, .. }, Geometry::MigA100) if gpu.mig == Some(MigFamily::A100) => {
                row.slices.get(usize::from(slice.slots).checked_sub(1)?).copied().flatten()
            }
            _ => None,
        }
    }
}

/// The row of a model with the nearest batch size; the smaller of two that are equally near.
fn nearest<T>(rows: &'static [T], batch_of: impl Fn(&T) -> Option<u32>, batch: u32) -> &'static T {
    let distance = |row: &T| batch_of(row).map_or(u32::MAX, |of_row| of_row.abs_diff(batch));
    rows.iter().min_by_key(|row| distance(row)).unwrap_or(&rows[0])
}

fn gavel_name(row: &GavelRow) -> String {
    match row.batch {
        0 => row.model.to_string(),
        batch => format!("{} (batch size {batch})", row.model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::catalogue::{model, models};

    fn profile(name: &str) -> &'static Profile {
        find(name).expect("a profile").profile()
    }

    fn speed(
        name: &str,
        gpu: &str,
        geometry: Geometry,
        slice: impl Into<Slice>,
        devices: u32,
    ) -> Option<f64> {
        let gpu = model(gpu).expect("in the catalogue");
        profile(name).speed(Gpu::from(&gpu), geometry, slice, devices)
    }

    fn close(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|speed| (speed - expected).abs() < 5e-4), "{found:?}, expected {expected}");
    }

    const WHOLE: Geometry = Geometry::Buddy { slots: 1 };

    #[test]
    fn there_are_31_models_in_slices_and_26_on_whole_devices() {
        assert_eq!(profiles().len(), 31 + 26 + 2);
        assert_eq!(measured_in_slices().len(), 31);
        for (index, p) in profiles().iter().enumerate() {
            assert_eq!(find(&p.name), Some(ProfileId(index as u16)), "names are unique");
        }
        assert_eq!(find("deepspeech2/4"), None);
    }

    #[test]
    fn slices_of_an_a100_run_as_measured() {
        close(speed("mobilenet/64", "A100-40", Geometry::MigA100, 1, 1), 1.9 * 0.810);
        close(speed("transformer/16", "A100-40", Geometry::MigA100, 3, 1), 1.9 * 0.558);
        close(speed("transformer/16", "A100-80", Geometry::MigA100, 3, 1), 2.0 * 0.558);
        close(speed("resnet/64", "A100-40", Geometry::MigA100, 7, 1), 1.9);
        assert_eq!(speed("resnet/64", "A100-40", Geometry::MigA100, 5, 1), None, "there is no 5g");
    }

    #[test]
    fn the_assumed_memory_agrees_with_the_slices_that_ran() {
        for (row, id) in MISO.iter().zip(measured_in_slices()) {
            let a100 = model("A100-40").expect("in the catalogue");
            for (slots, measured) in [1u8, 2, 3, 4].into_iter().zip(row.slices) {
                let speed = id.profile().speed(Gpu::from(&a100), Geometry::MigA100, slots, 1);
                assert_eq!(speed.is_some(), measured.is_some(), "{}: {slots}g", id.profile().name);
            }
        }
        for row in &GAVEL {
            assert!(profile(&gavel_name(row)).memory_gb <= 12.0, "it ran on a K80");
        }
    }

    #[test]
    fn a_slice_with_more_memory_than_the_measured_one_is_fitted() {
        let a100 = Geometry::MigA100;
        assert_eq!(speed("bert/2", "A100-40", a100, 1, 1), None, "5 GB");
        let on_80 = speed("bert/2", "A100-80", a100, 1, 1).expect("10 GB are enough");
        assert!(on_80 > 0.0 && on_80 < 2.0 * 0.389);
        let a100_80 = model("A100-80").expect("in the catalogue");
        assert!(matches!(profile("bert/2").provenance(Gpu::from(&a100_80), a100, 1), Provenance::Fitted(_)));
        assert_eq!(speed("bert/8", "K80", WHOLE, 1, 1), None, "12 GB");
    }

    #[test]
    fn whole_devices_run_as_gavel_measured() {
        close(speed("ResNet-50 (batch size 64)", "K80", WHOLE, 1, 1), 0.61903 / 4.3948);
        close(speed("ResNet-50 (batch size 64)", "P100", WHOLE, 1, 8), 18.221 / 17.303);
        close(speed("ResNet-50 (batch size 64)", "P100", WHOLE, 1, 100), 18.221 / 17.303);
        close(speed("ResNet-50 (batch size 64)", "P100", WHOLE, 1, 7), 10.365 / 9.4519);
        assert_eq!(speed("ResNet-50 (batch size 128)", "K80", WHOLE, 1, 2), None, "it did not run");
        let p100 = speed("Recommendation (batch size 2048)", "P100", WHOLE, 1, 1);
        assert!(p100.is_some_and(|s| s > 2.0), "slower on V100 than on P100");
        close(speed("mobilenet/128", "K80", WHOLE, 1, 1), 1.8065 / 17.995);
        close(speed("A3C", "K80", WHOLE, 1, 4), 3.4388 / 7.1758);
    }

    #[test]
    fn where_slices_are_uneven_speeds_follow_the_multiprocessors() {
        let (mig, double) = (Geometry::MigA100, Slice::DOUBLE_MEMORY_1G);
        let kappa = fitted::kappa(1.0 / 7.0, 0.457);
        for (gpu, whole, [one, two_memories, three, four]) in [
            ("H100-80", 3.6, [16.0 / 132.0, 26.0 / 132.0, 60.0 / 132.0, 64.0 / 132.0]),
            ("H200-141", 4.0, [16.0 / 132.0, 26.0 / 132.0, 60.0 / 132.0, 64.0 / 132.0]),
            ("B200-180", 6.0, [18.0 / 148.0, 30.0 / 148.0, 68.0 / 148.0, 72.0 / 148.0]),
        ] {
            close(speed("resnet/128", gpu, mig, 1, 1), whole * fitted::speed(kappa, one));
            close(speed("resnet/128", gpu, mig, double, 1), whole * fitted::speed(kappa, two_memories));
            close(speed("resnet/128", gpu, mig, 3, 1), whole * fitted::speed(kappa, three));
            close(speed("resnet/128", gpu, mig, 4, 1), whole * fitted::speed(kappa, four));
            close(speed("resnet/128", gpu, mig, 7, 1), whole);
            close(speed("linear", gpu, mig, 3, 1), three);
        }
        for gpu in ["A100-40", "A100-80"] {
            let plain = speed("resnet/128", gpu, mig, 1, 1);
            assert!(plain.is_some() && speed("resnet/128", gpu, mig, double, 1) == plain);
        }
        assert_eq!(speed("resnet/128", "A30", Geometry::Buddy { slots: 4 }, double, 1), None);
        for gpu in models() {
            let Some(family) = gpu.mig else { continue };
            let slices = Geometry::of(gpu, crate::cluster::Layout::Mig(crate::cluster::MigMode::Strict));
            let slices = slices.expect("it has MIG").slices();
            let shares: Vec<_> = slices.iter().map(|&slice| family.sm_share(slice)).collect();
            assert!(shares.windows(2).all(|s| s[0] <= s[1]), "{}: {shares:?}", gpu.id);
            assert_eq!(shares.last(), Some(&Some(1.0)));
            if !family.is_uneven() {
                let all = f64::from(slices[slices.len() - 1].slots);
                for (slice, share) in slices.iter().zip(&shares) {
                    close(*share, f64::from(slice.slots) / all);
                }
            }
        }
    }

    #[test]
    fn mps_slots_follow_the_fitted_curve() {
        let quarter = Geometry::Buddy { slots: 4 };
        let expected = fitted::speed(fitted::kappa(1.0 / 7.0, 0.457), 0.25);
        close(speed("resnet/128", "V100-16", quarter, 1, 1), expected);
        close(
            speed("resnet/128", "A30", quarter, 2, 1),
            0.9 * fitted::speed(fitted::kappa(1.0 / 7.0, 0.457), 0.5),
        );
        assert_eq!(speed("resnet/512", "V100-16", quarter, 1, 1), None, "a quarter has 4 GB");
        close(speed("linear", "T4", quarter, 1, 3), 0.25);
        close(speed("flat", "T4", quarter, 1, 3), 1.0);
    }

    #[test]
    fn every_speed_has_a_provenance_that_says_what_it_is() {
        let a100 = Geometry::MigA100;
        let of = |name: &str, gpu, geometry, slots: u8| {
            profile(name).provenance(Gpu::from(&model(gpu).expect("in the catalogue")), geometry, slots)
        };
        assert_eq!(of("resnet/64", "A100-40", a100, 2), Provenance::Measured(MISO_SOURCE));
        assert!(matches!(of("resnet/64", "A100-80", a100, 2), Provenance::Assumed(_)));
        assert!(of("resnet/64", "H100-80", a100, 2).words().starts_with("fitted: synthetic"));
        assert!(matches!(of("LM (batch size 5)", "A100-40", a100, 2), Provenance::Fitted(_)));
        assert_eq!(of("LM (batch size 5)", "K80", WHOLE, 1), Provenance::Measured(GAVEL_SOURCE));
        assert!(matches!(of("gnn/64", "K80", WHOLE, 1), Provenance::Assumed(_)));
        assert_eq!(of("gnn/64", "V100-16", WHOLE, 1), Provenance::Unit);
        assert_eq!(profile("gnn/64").likeness().as_deref(), Some("LM (batch size 20)"));
        assert_eq!(profile("Transformer (batch size 256)").likeness().as_deref(), Some("transformer/128"));
        assert!(of("gnn/64", "T4", WHOLE, 1).words().starts_with("assumed: "));
    }

    #[test]
    fn each_profile_runs_somewhere_on_each_large_gpu() {
        for p in profiles() {
            for gpu in models().iter().filter(|m| m.memory_gb >= 16.0) {
                for devices in [1, 2, 8, 64] {
                    let speed = p.speed(Gpu::from(gpu), WHOLE, 1, devices);
                    assert!(speed.is_some_and(|s| s > 0.0), "{} on {}", p.name, gpu.id);
                }
            }
        }
    }
}
