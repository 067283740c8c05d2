//! Clusters to begin with.

use crate::scenario::{ClusterSpec, NodeSpec};

/// A row of a preset: GPU, nodes, GPUs a node, layout.
type Row = (&'static str, u32, u32, &'static str);

/// A cluster to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Where it comes from, and what it is good for.
    pub about: &'static str,
    rows: &'static [Row],
}

/// All presets.
pub const PRESETS: [Preset; 5] = [
    Preset {
        name: "Gavel 36:36:36",
        about: "36 V100, 36 P100 and 36 K80, undivided: the cluster of Gavel's simulations.",
        rows: &[("V100-16", 9, 4, "whole"), ("P100", 9, 4, "whole"), ("K80", 9, 4, "whole")],
    },
    Preset {
        name: "Sia 64",
        about: "24 T4, 24 RTX 2080 Ti and 16 A100, undivided: the heterogeneous cluster of Sia.",
        rows: &[("T4", 6, 4, "whole"), ("RTX2080Ti", 3, 8, "whole"), ("A100-40", 2, 8, "whole")],
    },
    Preset {
        name: "Mixed 64",
        about: "16 A100 cut by MIG, 24 V100 and 24 T4 cut into four by MPS.",
        rows: &[("A100-80", 2, 8, "mig"), ("V100-16", 6, 4, "uniform-4"), ("T4", 6, 4, "uniform-4")],
    },
    Preset {
        name: "Mixed 672",
        about: "256 V100 cut into four by MPS, 256 undivided P100, 160 A100 cut by MIG: for traces of a whole site.",
        rows: &[("V100-16", 32, 8, "uniform-4"), ("P100", 32, 8, "whole"), ("A100-80", 20, 8, "mig")],
    },
    Preset {
        name: "Eight A100",
        about: "One node of eight A100 cut by MIG.",
        rows: &[("A100-80", 1, 8, "mig")],
    },
];

impl Preset {
    /// The preset with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Its cluster.
    #[must_use]
    pub fn cluster(&self) -> ClusterSpec {
        let nodes = self.rows.iter().map(|&(gpu, count, gpus_per_node, layout)| NodeSpec {
            gpu: gpu.to_owned(),
            count,
            gpus_per_node,
            layout: layout.to_owned(),
            strict: true,
        });
        ClusterSpec { nodes: nodes.collect(), ..ClusterSpec::default() }
    }

    /// Whether a cluster has the rows of this preset.
    #[must_use]
    pub fn is(&self, cluster: &ClusterSpec) -> bool {
        cluster.nodes == self.cluster().nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::scenario::Scenario;

    #[test]
    fn every_preset_is_a_cluster_the_hardware_can_be() {
        let gpus = |preset: &Preset| {
            let scenario = Scenario { cluster: preset.cluster(), ..samples::default_scenario() };
            scenario.build_cluster().unwrap().devices()
        };
        assert_eq!(PRESETS.iter().map(gpus).collect::<Vec<_>>(), [108, 64, 64, 672, 8]);
        assert!(PRESETS.iter().all(|preset| preset.is(&preset.cluster())));
        assert_eq!(Preset::named("Mixed 64").map(|preset| preset.name), Some("Mixed 64"));
    }
}
