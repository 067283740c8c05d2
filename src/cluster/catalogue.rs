//! The GPU models the simulator knows, and the names that traces have for them.

use std::sync::OnceLock;

use super::{Geometry, Slice};

/// How a model can be partitioned by MIG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MigFamily {
    /// 4 slices.
    A30,
    /// 7 compute and 8 memory slices; multiprocessors in proportion to the compute slices.
    A100,
    /// The geometry of the A100 with the multiprocessors of H100 and H200.
    Hopper,
    /// The geometry of the A100 with the multiprocessors of the B200.
    Blackwell,
}

impl MigFamily {
    /// Whether its slices have other shares of the multiprocessors than of the compute slices.
    #[must_use]
    pub fn is_uneven(self) -> bool {
        matches!(self, Self::Hopper | Self::Blackwell)
    }

    /// The share of the multiprocessors of the largest instance (7g, or the 4g of the A30) that a slice has; `None` if there is no
    /// such slice. From `nvidia-smi mig -lgip` of each family (A100: 14, 14, 28, 42, 56, 98; A30: 14, 28, 56; H100 and H200: 16, 26,
    /// 32, 60, 64, 132; B200: 18, 30, 36 of 148), except that the 3g and 4g of the B200 are assumed to have, as on Hopper, four times
    /// a 1g and 15/16 of that.
    #[must_use]
    pub fn sm_share(self, slice: Slice) -> Option<f64> {
        let (sms, all): (&[u16], u16) = match self {
            Self::A30 => (&[14, 28, 56], 56),
            Self::A100 => (&[14, 14, 28, 42, 56, 98], 98),
            Self::Hopper => (&[16, 26, 32, 60, 64, 132], 132),
            Self::Blackwell => (&[18, 30, 36, 68, 72, 148], 148),
        };
        let slices = match self {
            Self::A30 => Geometry::Buddy { slots: 4 }.slices(),
            _ => Geometry::MigA100.slices(),
        };
        let index = slices.iter().position(|known| *known == slice)?;
        sms.get(index).map(|&count| f64::from(count) / f64::from(all))
    }
}

/// One GPU model.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuModel {
    /// The catalogue id, such as `A100-80`.
    pub id: String,
    /// The name for people, such as `NVIDIA A100 80 GB`.
    pub name: String,
    /// Device memory in GB.
    pub memory_gb: f64,
    /// Whether MPS can limit a client's share of the threads (Volta and later).
    pub mps: bool,
    /// Its MIG geometry, if it has MIG.
    pub mig: Option<MigFamily>,
    /// Training speed of the whole device relative to a V100 of 16 GB, for jobs without a measurement on this model. A round
    /// figure of the order that memory bandwidth and tensor throughput suggest: assumed, not measured.
    pub assumed_speed: f64,
}

/// One line of [`TABLE`]: id, name, memory, MPS, MIG, assumed speed, and the word that names the model's family in traces. Models
/// of one family differ in memory; the first is meant where a trace does not say how much.
type Row = (&'static str, &'static str, f64, bool, Option<MigFamily>, f64, &'static str);

const TABLE: [Row; 16] = [
    ("K80", "NVIDIA K80 (one of its two GPUs)", 12.0, false, None, 0.2, "k80"),
    ("P100", "NVIDIA P100", 16.0, false, None, 0.6, "p100"),
    ("V100-16", "NVIDIA V100 16 GB", 16.0, true, None, 1.0, "v100"),
    ("V100-32", "NVIDIA V100 32 GB", 32.0, true, None, 1.0, "v100"),
    ("T4", "NVIDIA T4", 16.0, true, None, 0.35, "t4"),
    ("RTX2080Ti", "NVIDIA GeForce RTX 2080 Ti", 11.0, true, None, 0.6, "2080ti"),
    ("RTX3090", "NVIDIA GeForce RTX 3090", 24.0, true, None, 1.0, "3090"),
    ("A10", "NVIDIA A10", 24.0, true, None, 0.75, "a10"),
    ("A30", "NVIDIA A30", 24.0, true, Some(MigFamily::A30), 0.9, "a30"),
    ("A40", "NVIDIA A40", 48.0, true, None, 1.1, "a40"),
    ("L40S", "NVIDIA L40S", 48.0, true, None, 1.6, "l40s"),
    ("A100-40", "NVIDIA A100 40 GB", 40.0, true, Some(MigFamily::A100), 1.9, "a100"),
    ("A100-80", "NVIDIA A100 80 GB", 80.0, true, Some(MigFamily::A100), 2.0, "a100"),
    ("H100-80", "NVIDIA H100 80 GB", 80.0, true, Some(MigFamily::Hopper), 3.6, "h100"),
    ("H200-141", "NVIDIA H200", 141.0, true, Some(MigFamily::Hopper), 4.0, "h200"),
    ("B200-180", "NVIDIA B200", 180.0, true, Some(MigFamily::Blackwell), 6.0, "b200"),
];

/// Other words for a family: what a trace calls it, the family, and the memory that goes with the word.
const OTHER_NAMES: [(&str, &str, Option<f64>); 6] = [
    ("a800", "a100", Some(80.0)),  // the A100 with slower NVLink
    ("h800", "h100", Some(80.0)),  // likewise
    ("volta", "v100", Some(32.0)), // `gpu:volta` of MIT Supercloud
    ("rtx30", "3090", None),       // a Slurm site's name
    ("rtx3090", "3090", None),
    ("rtx2080ti", "2080ti", None),
];

/// Words in a trace's name of a GPU that do not tell models apart.
const NOISE: [&str; 22] = [
    "nvidia", "tesla", "geforce", "rtx", "gtx", "gpu", "gres", "pcie", "pcle", "sxm", "sxm2", "sxm3", "sxm4",
    "sxm5", "sxm6", "nvl", "hbm2", "hbm2e", "hbm3", "hbm3e", "mig", "me",
];

/// All models, oldest first within a line of products.
#[must_use]
pub fn models() -> &'static [GpuModel] {
    static MODELS: OnceLock<Vec<GpuModel>> = OnceLock::new();
    MODELS.get_or_init(|| {
        TABLE
            .iter()
            .map(|&(id, name, memory_gb, mps, mig, assumed_speed, _)| GpuModel {
                id: id.to_string(),
                name: name.to_string(),
                memory_gb,
                mps,
                mig,
                assumed_speed,
            })
            .collect()
    })
}

/// The model with this id.
#[must_use]
pub fn model(id: &str) -> Option<GpuModel> {
    models().iter().find(|m| m.id == id).cloned()
}

/// The catalogue id that a trace's name of a GPU stands for: `V100M16`, `A100-SXM4-80GB`, `nvidia_geforce_rtx_2080_ti`,
/// `a100_1g.5gb` (the model it is a slice of). `None` for names that say nothing, such as `MISC` or `G2`. A family that is
/// named without its memory stands for its first model, see [`admits`].
#[must_use]
pub fn aliases(trace_name: &str) -> Option<&'static str> {
    let (family, memory_gb) = parse(trace_name)?;
    let of_family = TABLE.iter().filter(|row| row.6 == family);
    match memory_gb {
        None => of_family.map(|row| row.0).next(),
        Some(wanted) => {
            of_family.min_by(|a, b| (a.2 - wanted).abs().total_cmp(&(b.2 - wanted).abs())).map(|row| row.0)
        }
    }
}

/// Whether a job whose trace names `trace_name` may use the model `id`: the name is the id itself, or stands for it; a family
/// named without its memory admits all models of the family.
#[must_use]
pub fn admits(trace_name: &str, id: &str) -> bool {
    if trace_name.trim().eq_ignore_ascii_case(id) {
        return true;
    }
    match parse(trace_name) {
        Some((family, None)) => TABLE.iter().any(|row| row.0 == id && row.6 == family),
        Some((_, Some(_))) => aliases(trace_name) == Some(id),
        None => false,
    }
}

/// Family and memory (of the whole device) in a trace's name of a GPU.
fn parse(trace_name: &str) -> Option<(&'static str, Option<f64>)> {
    let text = trace_name.to_ascii_lowercase();
    let mut family = String::new();
    let mut memory_gb: Option<f64> = None;
    let mut slice: Option<u32> = None;
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        let (number, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len()));
        match (number.parse::<u32>(), unit) {
            (Ok(n), "gb" | "gib") => memory_gb = Some(f64::from(n)),
            (Ok(n), "") if is_family(&family) => memory_gb = Some(f64::from(n)),
            (Ok(n @ 1..=7), "g") if is_family(&family) => slice = Some(n),
            _ if NOISE.contains(&word) => {}
            _ => family.push_str(word),
        }
    }
    // `V100M16`
    if let Some((head, gigabytes)) = family.split_once('m')
        && is_family(head)
        && let Ok(n) = gigabytes.parse::<u32>()
    {
        memory_gb = Some(f64::from(n));
        family = head.to_string();
    }
    if let (Some(compute), Some(of_slice)) = (slice, memory_gb) {
        let memory_slices = Geometry::MigA100.memory_slices(compute as u8);
        memory_gb = Some(of_slice * 8.0 / f64::from(memory_slices));
    }
    let (family, usual_gb) = known_family(&family)?;
    Some((family, memory_gb.or(usual_gb)))
}

fn is_family(word: &str) -> bool {
    known_family(word).is_some()
}

/// The family a word stands for, and the memory that goes with the word.
fn known_family(word: &str) -> Option<(&'static str, Option<f64>)> {
    if let Some(&(_, family, memory_gb)) = OTHER_NAMES.iter().find(|(other, ..)| *other == word) {
        return Some((family, memory_gb));
    }
    TABLE.iter().map(|row| row.6).find(|family| *family == word).map(|family| (family, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_found() {
        for (index, m) in models().iter().enumerate() {
            assert_eq!(models().iter().position(|other| other.id == m.id), Some(index));
            assert_eq!(model(&m.id).as_ref(), Some(m));
            assert_eq!(aliases(&m.id), Some(m.id.as_str()), "an id stands for itself");
            assert!(m.memory_gb > 0.0 && m.assumed_speed > 0.0);
        }
        assert_eq!(model("V100"), None);
    }

    #[test]
    fn names_from_real_traces_are_understood() {
        for (name, id) in [
            ("V100M16", "V100-16"),
            ("V100M32", "V100-32"),
            ("v100", "V100-16"),
            ("Tesla V100-SXM2-32GB", "V100-32"),
            ("P100", "P100"),
            ("T4", "T4"),
            ("A10", "A10"),
            ("a30", "A30"),
            ("a40", "A40"),
            ("l40s", "L40S"),
            ("a100", "A100-40"),
            ("a100_80", "A100-80"),
            ("A100-SXM4-80GB", "A100-80"),
            ("A100-SXM4-40GB", "A100-40"),
            ("A100-PCIE-40GB", "A100-40"),
            ("a100_1g.5gb", "A100-40"),
            ("a100_3g.20gb", "A100-40"),
            ("a100_3g.40gb", "A100-80"),
            ("NVIDIA H100 80GB HBM3", "H100-80"),
            ("h100_1g.10gb", "H100-80"),
            ("H200", "H200-141"),
            ("nvidia_geforce_rtx_2080_ti", "RTX2080Ti"),
            ("rtx2080ti", "RTX2080Ti"),
            ("rtx30", "RTX3090"),
            ("A800", "A100-80"),
            ("k80", "K80"),
        ] {
            assert_eq!(aliases(name), Some(id), "{name}");
        }
        for name in ["", "MISC", "G2", "GPU-series-1", "CPU", "gpu", "80GB", "a4000", "t40", "A100A100"] {
            assert_eq!(aliases(name), None, "{name}");
        }
    }

    #[test]
    fn a_family_without_memory_admits_all_its_models() {
        assert!(admits("V100", "V100-16") && admits("V100", "V100-32"));
        assert!(admits("V100M32", "V100-32") && !admits("V100M32", "V100-16"));
        assert!(!admits("V100", "P100") && !admits("MISC", "P100"));
        assert!(admits("my-gpu", "My-GPU"), "a model that a scenario defines is named by its id");
    }
}
