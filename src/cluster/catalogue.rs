//! The GPU models the simulator knows.

/// How a model can be partitioned by MIG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MigFamily {
    /// 7 compute and 8 memory slices.
    A100,
    /// 4 slices.
    A30,
}

/// One GPU model.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuModel {
    /// The catalogue id, such as `A100-80`.
    pub id: String,
    /// The name for people, such as `A100 80 GB`.
    pub name: String,
    /// Device memory in GB.
    pub memory_gb: f64,
    /// Whether MPS can limit a client's share of the threads (Volta and later).
    pub mps: bool,
    /// Its MIG geometry, if it has MIG.
    pub mig: Option<MigFamily>,
}
