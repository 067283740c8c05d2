//! The cluster: GPUs of three types, numbered server by server.

use std::ops::Range;

use crate::gavel::error::shortened;
use crate::gavel::{GavelError, Gpu, PerGpu};

/// The most GPUs of one type.
const MOST: u32 = 1_000_000;

/// The GPUs of a run.
///
/// Workers (one a GPU) are numbered from 0, type by type alphabetically and server by server, so the workers of a type are a
/// range and the workers of a server are neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    gpus: PerGpu<u32>,
}

impl Cluster {
    /// A cluster from its counts and the GPUs a server, as `V100:P100:K80` each. Servers are whole: a count that is no multiple
    /// of its server's size is rounded down.
    ///
    /// # Errors
    /// Either is not three counts, a server is empty, or there is no GPU.
    pub fn parse(counts: &str, per_server: &str) -> Result<Self, GavelError> {
        let wanted = triple(counts, "three counts of GPUs")?;
        let server = triple(per_server, "three sizes of servers")?;
        if Gpu::ALL.iter().any(|&gpu| server[gpu] == 0) {
            return Err(GavelError::Counts {
                found: shortened(per_server),
                expected: "at least one GPU a server".to_string(),
            });
        }
        let gpus = PerGpu::new(|gpu| wanted[gpu] / server[gpu] * server[gpu]);
        if Gpu::ALL.iter().all(|&gpu| gpus[gpu] == 0) {
            return Err(GavelError::Counts {
                found: shortened(counts),
                expected: "at least one whole server".to_string(),
            });
        }
        Ok(Self { gpus })
    }

    /// The GPUs of a type.
    pub fn gpus(&self, gpu: Gpu) -> u32 {
        self.gpus[gpu]
    }

    /// All GPUs.
    pub fn total(&self) -> u32 {
        Gpu::ALL.iter().map(|&gpu| self.gpus[gpu]).sum()
    }

    /// The types there are, alphabetically.
    pub fn types(&self) -> impl Iterator<Item = Gpu> + use<'_> {
        Gpu::ALL.into_iter().filter(|&gpu| self.gpus[gpu] > 0)
    }

    /// The workers of a type.
    pub fn workers(&self, gpu: Gpu) -> Range<u32> {
        let before: u32 =
            Gpu::ALL.iter().take_while(|&&other| other < gpu).map(|&other| self.gpus[other]).sum();
        before..before + self.gpus[gpu]
    }
}

/// Three counts, in Gavel's order V100:P100:K80.
fn triple(text: &str, expected: &str) -> Result<PerGpu<u32>, GavelError> {
    let refused = || GavelError::Counts {
        found: shortened(text),
        expected: format!("{expected}, each 0 to {MOST}, separated by colons"),
    };
    let counts: Vec<u32> = text
        .split(':')
        .map(|count| count.trim().parse().ok().filter(|&count| count <= MOST).ok_or_else(refused))
        .collect::<Result<_, _>>()?;
    let [v100, p100, k80] = counts[..] else { return Err(refused()) };
    Ok(PerGpu::new(|gpu| match gpu {
        Gpu::V100 => v100,
        Gpu::P100 => p100,
        Gpu::K80 => k80,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_numbered_by_type_and_whole_server() {
        let cluster = Cluster::parse("6:5:3", "4:2:1").unwrap();
        assert_eq!(cluster.workers(Gpu::K80), 0..3);
        assert_eq!(cluster.workers(Gpu::P100), 3..7);
        assert_eq!(cluster.workers(Gpu::V100), 7..11);
        assert_eq!(cluster.total(), 11);
    }

    #[test]
    fn what_is_no_cluster_is_refused() {
        for counts in ["", "1:2", "1:2:3:4", "-1:0:1", "0:0:0", "x:1:1", "9999999:0:0", "3:0:0"] {
            let refused = Cluster::parse(counts, "4:4:4").unwrap_err().to_string();
            assert!(refused.contains("V100:P100:K80"), "{counts}: {refused}");
        }
        assert!(Cluster::parse("1:1:1", "0:1:1").is_err());
    }
}
