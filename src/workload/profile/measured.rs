//! Measured throughputs, restated with their sources.

/// One model and batch size on the slices of an A100 40 GB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MisoRow {
    /// The model.
    pub model: &'static str,
    /// Batch size.
    pub batch: u32,
    /// Throughput on 1g, 2g, 3g and 4g relative to 7g; `None` where it ran out of memory (no log exists).
    pub slices: [Option<f64>; 4],
}

/// The citation of [`MISO`].
pub const MISO_SOURCE: &str =
    "measured on the MIG slices of an A100 40 GB by the authors of MISO (Li et al., SoCC 2022)";

/// Throughput relative to a whole A100 40 GB: medians of the times per iteration in the logs of MISO's artifact
/// (github.com/boringlee24/socc22-miso, `mps/models/logs/mig`, MIT licence). Its 32nd curve, deepspeech2 with batch size 4, is
/// left out: the log contradicts its neighbours.
#[rustfmt::skip]
pub const MISO: [MisoRow; 31] = [
    MisoRow { model: "mobilenet", batch: 64, slices: [Some(0.81), Some(0.904), Some(0.974), Some(0.984)] },
    MisoRow { model: "mobilenet", batch: 128, slices: [Some(0.704), Some(0.849), Some(0.962), Some(0.981)] },
    MisoRow { model: "mobilenet", batch: 256, slices: [Some(0.556), Some(0.794), Some(0.92), Some(0.957)] },
    MisoRow { model: "mobilenet", batch: 512, slices: [Some(0.396), Some(0.666), Some(0.881), Some(0.94)] },
    MisoRow { model: "resnet", batch: 64, slices: [Some(0.579), Some(0.893), Some(1.004), Some(0.956)] },
    MisoRow { model: "resnet", batch: 128, slices: [Some(0.457), Some(0.775), Some(0.934), Some(0.964)] },
    MisoRow { model: "resnet", batch: 256, slices: [Some(0.323), Some(0.583), Some(0.851), Some(0.929)] },
    MisoRow { model: "resnet", batch: 512, slices: [Some(0.224), Some(0.419), Some(0.652), Some(0.747)] },
    MisoRow { model: "embedding", batch: 64, slices: [Some(0.612), Some(0.811), Some(0.938), Some(0.938)] },
    MisoRow { model: "embedding", batch: 128, slices: [Some(0.444), Some(0.681), Some(0.889), Some(0.914)] },
    MisoRow { model: "embedding", batch: 256, slices: [Some(0.309), Some(0.535), Some(0.745), Some(0.809)] },
    MisoRow { model: "embedding", batch: 512, slices: [Some(0.241), Some(0.43), Some(0.642), Some(0.703)] },
    MisoRow { model: "gnn", batch: 64, slices: [Some(0.366), Some(0.588), Some(0.775), Some(0.848)] },
    MisoRow { model: "gnn", batch: 128, slices: [Some(0.29), Some(0.497), Some(0.684), Some(0.745)] },
    MisoRow { model: "gnn", batch: 256, slices: [Some(0.238), Some(0.43), Some(0.62), Some(0.718)] },
    MisoRow { model: "gnn", batch: 512, slices: [None, Some(0.373), Some(0.58), Some(0.654)] },
    MisoRow { model: "cyclegan", batch: 1, slices: [Some(0.24), Some(0.461), Some(0.717), Some(0.781)] },
    MisoRow { model: "cyclegan", batch: 2, slices: [None, Some(0.329), Some(0.522), Some(0.627)] },
    MisoRow { model: "cyclegan", batch: 3, slices: [None, Some(0.305), Some(0.489), Some(0.588)] },
    MisoRow { model: "cyclegan", batch: 4, slices: [None, None, Some(0.493), Some(0.588)] },
    MisoRow { model: "deepspeech2", batch: 2, slices: [Some(0.27), Some(0.648), Some(0.851), Some(0.948)] },
    MisoRow { model: "deepspeech2", batch: 8, slices: [Some(0.077), Some(0.66), Some(0.838), Some(0.936)] },
    MisoRow { model: "deepspeech2", batch: 16, slices: [None, Some(0.623), Some(0.805), Some(0.857)] },
    MisoRow { model: "transformer", batch: 16, slices: [Some(0.18), Some(0.342), Some(0.558), Some(0.616)] },
    MisoRow { model: "transformer", batch: 32, slices: [Some(0.163), Some(0.316), Some(0.533), Some(0.593)] },
    MisoRow { model: "transformer", batch: 64, slices: [None, Some(0.301), Some(0.52), Some(0.579)] },
    MisoRow { model: "transformer", batch: 128, slices: [None, None, Some(0.511), Some(0.57)] },
    MisoRow { model: "bert", batch: 2, slices: [None, Some(0.389), Some(0.627), Some(0.688)] },
    MisoRow { model: "bert", batch: 4, slices: [None, Some(0.325), Some(0.556), Some(0.615)] },
    MisoRow { model: "bert", batch: 6, slices: [None, None, Some(0.547), Some(0.601)] },
    MisoRow { model: "bert", batch: 8, slices: [None, None, Some(0.517), Some(0.574)] },
];

/// One model and batch size on whole GPUs: steps per second on 1, 2, 4 and 8 of them (on 1 only where no more was measured).
/// 0 where it could not run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GavelRow {
    /// The model, as in Gavel's traces.
    pub model: &'static str,
    /// Batch size; 0 for a model that has only one.
    pub batch: u32,
    /// On K80.
    pub k80: &'static [f64],
    /// On P100.
    pub p100: &'static [f64],
    /// On V100 16 GB.
    pub v100: &'static [f64],
}

/// The citation of [`GAVEL`].
pub const GAVEL_SOURCE: &str = "measured on whole GPUs by the authors of Gavel (Narayanan et al., OSDI 2020)";

/// Steps per second, to five digits, of jobs that run alone on GPUs of one server where they can
/// (github.com/stanford-futuredata/gavel, `scheduler/simulation_throughputs.json`, MIT licence).
#[rustfmt::skip]
pub const GAVEL: [GavelRow; 26] = [
    GavelRow { model: "ResNet-18", batch: 16, k80: &[4.7953, 8.7582, 16.121, 26.918], p100: &[35.869, 60.911, 94.321, 130.09], v100: &[32.353, 100.14, 123.85, 382.6] },
    GavelRow { model: "ResNet-18", batch: 32, k80: &[7.1758, 13.18, 22.529, 43.919], p100: &[35.825, 57.519, 97.036, 142.0], v100: &[29.947, 94.249, 114.73, 340.04] },
    GavelRow { model: "ResNet-18", batch: 64, k80: &[7.0521, 12.495, 21.626, 42.644], p100: &[22.305, 41.482, 74.991, 120.04], v100: &[24.093, 74.136, 95.588, 255.83] },
    GavelRow { model: "ResNet-18", batch: 128, k80: &[1.8065, 3.6315, 6.9817, 13.664], p100: &[11.675, 24.227, 45.351, 85.079], v100: &[17.995, 23.985, 69.951, 162.09] },
    GavelRow { model: "ResNet-18", batch: 256, k80: &[0.88558, 1.6738, 3.4052, 6.9753], p100: &[7.7228, 14.229, 27.729, 53.957], v100: &[10.3, 15.883, 27.782, 81.507] },
    GavelRow { model: "ResNet-50", batch: 16, k80: &[2.3005, 4.3007, 7.7041, 15.056], p100: &[9.053, 16.191, 30.798, 44.762], v100: &[11.396, 13.86, 23.196, 27.799] },
    GavelRow { model: "ResNet-50", batch: 32, k80: &[1.2366, 2.3533, 4.3792, 8.7923], p100: &[4.8883, 9.749, 18.55, 33.568], v100: &[7.7873, 10.835, 13.763, 24.067] },
    GavelRow { model: "ResNet-50", batch: 64, k80: &[0.61903, 1.2636, 2.4122, 4.5687], p100: &[2.6195, 5.516, 10.365, 18.221], v100: &[4.3948, 7.9221, 9.4519, 17.303] },
    GavelRow { model: "ResNet-50", batch: 128, k80: &[0.34722, 0.0, 0.0, 0.0], p100: &[1.5844, 2.8809, 5.1911, 9.935], v100: &[2.4968, 4.223, 7.0293, 10.293] },
    GavelRow { model: "Transformer", batch: 16, k80: &[5.4674, 7.0475, 10.273, 18.618], p100: &[9.5372, 14.305, 21.235, 29.02], v100: &[11.064, 14.154, 20.085, 71.652] },
    GavelRow { model: "Transformer", batch: 32, k80: &[3.5074, 5.0966, 7.985, 13.913], p100: &[7.8692, 11.224, 18.159, 26.224], v100: &[10.621, 13.328, 22.823, 63.978] },
    GavelRow { model: "Transformer", batch: 64, k80: &[1.7522, 3.0631, 5.031, 8.9762], p100: &[5.0918, 7.8867, 13.313, 19.943], v100: &[8.6178, 15.876, 19.66, 49.651] },
    GavelRow { model: "Transformer", batch: 128, k80: &[0.98158, 1.6575, 2.8654, 5.257], p100: &[3.0735, 5.0874, 8.7741, 13.684], v100: &[5.4461, 10.069, 14.175, 30.884] },
    GavelRow { model: "Transformer", batch: 256, k80: &[0.45833, 0.84919, 1.5129, 2.9232], p100: &[1.6777, 2.9414, 5.2432, 9.2532], v100: &[1.5951, 2.8852, 4.763, 9.717] },
    GavelRow { model: "LM", batch: 5, k80: &[25.486, 32.386, 44.089, 76.863], p100: &[90.776, 76.922, 110.22, 133.52], v100: &[109.17, 185.72, 126.72, 698.77] },
    GavelRow { model: "LM", batch: 10, k80: &[23.794, 29.985, 42.956, 75.568], p100: &[77.085, 72.532, 105.18, 127.79], v100: &[81.652, 163.13, 121.48, 615.09] },
    GavelRow { model: "LM", batch: 20, k80: &[17.142, 23.773, 35.703, 61.449], p100: &[58.173, 62.332, 93.815, 116.65], v100: &[64.742, 132.17, 111.0, 497.3] },
    GavelRow { model: "LM", batch: 40, k80: &[11.5, 16.07, 22.986, 43.146], p100: &[35.766, 48.042, 76.052, 102.25], v100: &[45.237, 91.593, 96.031, 359.31] },
    GavelRow { model: "LM", batch: 80, k80: &[6.0542, 10.008, 16.389, 28.286], p100: &[21.158, 31.841, 54.996, 82.934], v100: &[28.24, 58.092, 74.807, 231.18] },
    GavelRow { model: "Recommendation", batch: 512, k80: &[32.859], p100: &[48.882], v100: &[23.318] },
    GavelRow { model: "Recommendation", batch: 1024, k80: &[20.05], p100: &[30.744], v100: &[13.283] },
    GavelRow { model: "Recommendation", batch: 2048, k80: &[10.441], p100: &[16.597], v100: &[7.4696] },
    GavelRow { model: "Recommendation", batch: 4096, k80: &[5.3002], p100: &[8.8967], v100: &[3.9061] },
    GavelRow { model: "Recommendation", batch: 8192, k80: &[2.6988], p100: &[5.5484], v100: &[2.8415] },
    GavelRow { model: "CycleGAN", batch: 0, k80: &[0.50477], p100: &[2.4027], v100: &[4.4261] },
    GavelRow { model: "A3C", batch: 0, k80: &[3.4388], p100: &[5.6813], v100: &[7.1758] },
];
