//! The cluster: GPUs of three types, numbered server by server.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

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

/// Three counts, written `V100:P100:K80`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts(PerGpu<u32>);

impl FromStr for Counts {
    type Err = GavelError;

    /// # Errors
    /// The text is not three counts of at most a million.
    fn from_str(text: &str) -> Result<Self, GavelError> {
        let refused = || GavelError::Counts {
            found: shortened(text),
            expected: format!("three counts, each 0 to {MOST}, separated by colons"),
        };
        let counts: Vec<u32> = text
            .split(':')
            .map(|count| count.trim().parse().ok().filter(|&count| count <= MOST).ok_or_else(refused))
            .collect::<Result<_, _>>()?;
        let [v100, p100, k80] = counts[..] else { return Err(refused()) };
        Ok(Self(PerGpu::new(|gpu| match gpu {
            Gpu::V100 => v100,
            Gpu::P100 => p100,
            Gpu::K80 => k80,
        })))
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.0[Gpu::V100], self.0[Gpu::P100], self.0[Gpu::K80])
    }
}

impl Cluster {
    /// A cluster from its GPUs and the GPUs a server. Servers are whole: a count that is no multiple of its server's size is
    /// rounded down.
    ///
    /// # Errors
    /// A server is empty, or there is no GPU.
    pub fn new(gpus: Counts, per_server: Counts) -> Result<Self, GavelError> {
        let refused = |found: Counts, expected: &str| GavelError::Counts {
            found: found.to_string(),
            expected: expected.to_string(),
        };
        if Gpu::ALL.iter().any(|&gpu| per_server.0[gpu] == 0) {
            return Err(refused(per_server, "at least one GPU a server"));
        }
        let whole = PerGpu::new(|gpu| gpus.0[gpu] / per_server.0[gpu] * per_server.0[gpu]);
        if Gpu::ALL.iter().all(|&gpu| whole[gpu] == 0) {
            return Err(refused(gpus, "at least one whole server"));
        }
        Ok(Self { gpus: whole })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(gpus: &str, per_server: &str) -> Result<Cluster, GavelError> {
        Cluster::new(gpus.parse()?, per_server.parse()?)
    }

    #[test]
    fn workers_are_numbered_by_type_and_whole_server() {
        let cluster = cluster("6:5:3", "4:2:1").unwrap();
        assert_eq!(cluster.workers(Gpu::K80), 0..3);
        assert_eq!(cluster.workers(Gpu::P100), 3..7);
        assert_eq!(cluster.workers(Gpu::V100), 7..11);
        assert_eq!(cluster.total(), 11);
    }

    #[test]
    fn what_is_no_cluster_is_refused() {
        for counts in ["", "1:2", "1:2:3:4", "-1:0:1", "0:0:0", "x:1:1", "9999999:0:0", "3:0:0"] {
            let refused = cluster(counts, "4:4:4").unwrap_err().to_string();
            assert!(refused.contains("V100:P100:K80"), "{counts}: {refused}");
        }
        assert!(cluster("1:1:1", "0:1:1").is_err());
    }
}
