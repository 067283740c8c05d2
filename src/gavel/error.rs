//! What can be wrong with the input of a run, or with a run.

use crate::gavel::Gpu;

/// Why a file is not read or a run is not finished. Nothing of a failed run is reported as a result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GavelError {
    /// The throughput table is not what Gavel writes.
    #[error(
        "throughput table, line {line}, column {column}: {message}. Expected {{\"v100\": {{\"('ResNet-18 (batch size 16)', 1)\": \
         {{\"null\": steps per second, …}}, …}}, …}}; give Gavel's simulation_throughputs.json or a table of that form"
    )]
    Table {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What was found and expected there.
        message: String,
    },
    /// A line of the trace has a number of fields that no layout has, or not that of the line before.
    #[error(
        "trace, line {line}: found {found} fields separated by tabs, expected {expected}. Give a trace as Gavel writes it: 10 \
         to 12 fields, or the 7 of its msr traces"
    )]
    TraceFields {
        /// Line, from 1.
        line: usize,
        /// The number of fields.
        found: usize,
        /// The numbers that are read.
        expected: String,
    },
    /// A field of the trace is not what it has to be.
    #[error("trace, line {line}, field {field} ({name}): found {found:?}, expected {expected}. {hint}")]
    TraceValue {
        /// Line, from 1.
        line: usize,
        /// Field, from 1.
        field: usize,
        /// What the field is.
        name: &'static str,
        /// What is there, shortened.
        found: String,
        /// What is expected.
        expected: String,
        /// What to do.
        hint: &'static str,
    },
    /// The trace has no job.
    #[error("the trace is empty; expected one job a line, its fields separated by tabs")]
    NoJobs,
    /// A cluster or server size is not three counts.
    #[error("found {found:?}, expected {expected}. Give three counts as V100:P100:K80, such as 36:36:36")]
    Counts {
        /// What was given.
        found: String,
        /// What is expected.
        expected: String,
    },
    /// The length of a round is out of range.
    #[error("a round of {found} s; expected 1 s to 1e9 s")]
    RoundLength {
        /// The length given.
        found: String,
    },
    /// The name of a policy is unknown.
    #[error("found policy {found:?}, expected one of {expected}")]
    Policy {
        /// The name given.
        found: String,
        /// The names there are.
        expected: String,
    },
    /// The table does not know a job.
    #[error(
        "trace, line {line}: the throughput table has no ('{job_type}', {scale_factor}) for {gpu}. Give a table that has it, or \
         leave the job out of the trace", gpu = gpu.name()
    )]
    NoThroughput {
        /// The line of the job.
        line: usize,
        /// Its type.
        job_type: String,
        /// Its number of GPUs.
        scale_factor: u32,
        /// The type of GPU.
        gpu: Gpu,
    },
    /// A job asks for more GPUs of one type than there are; Gavel's simulator would never end.
    #[error(
        "trace, line {line}: the job asks for {scale_factor} GPUs of one type, the cluster has at most {largest} on which it \
         runs. Give a larger cluster, or leave the job out of the trace"
    )]
    NeverFits {
        /// The line of the job.
        line: usize,
        /// Its number of GPUs.
        scale_factor: u32,
        /// The most GPUs of a type on which it has a throughput.
        largest: u32,
    },
    /// AlloX serves jobs on one GPU only.
    #[error(
        "trace, line {line}: the job asks for {scale_factor} GPUs, and allox serves jobs on one GPU only. Choose another policy, \
         or a trace whose jobs ask for one GPU"
    )]
    Gang {
        /// The line of the job.
        line: usize,
        /// Its number of GPUs.
        scale_factor: u32,
    },
    /// The policy goes by throughputs on a V100, and there is none.
    #[error(
        "{policy} goes by each job's throughput on a V100, and the cluster has none. Give one with a V100, or take {policy}_perf"
    )]
    NoV100 {
        /// The policy.
        policy: &'static str,
    },
    /// Jobs are left, none arrives, and the policy lets none run; Gavel's simulator would never end.
    #[error(
        "at {time_s} s jobs {jobs} are left and the policy lets none of them run. Gavel's simulator would not end here; choose \
         another policy or cluster"
    )]
    Stuck {
        /// The clock.
        time_s: f64,
        /// The jobs that are left, shortened.
        jobs: String,
    },
    /// The run needs more rounds than are allowed.
    #[error("the run is not over after {rounds} rounds; give longer rounds (--round-s) or a shorter trace")]
    TooManyRounds {
        /// The rounds simulated.
        rounds: u64,
    },
    /// The recorded run does not belong to this trace and cluster.
    #[error(
        "recorded run: {message}. Replay it with the trace, cluster, seed and round length with which it was recorded"
    )]
    Replay {
        /// What does not agree.
        message: String,
    },
    /// A solver gave no answer.
    #[error("at {time_s} s the solver of {policy} gave no allocation: {message}")]
    Solver {
        /// The policy.
        policy: &'static str,
        /// The clock.
        time_s: f64,
        /// What the solver said.
        message: String,
    },
    /// A file is no gzip file though it begins like one, or unpacks to too much.
    #[error("{message}")]
    Packed {
        /// What is wrong and what to do.
        message: String,
    },
}

/// A piece of text short enough for a message.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    if text.chars().count() <= MOST {
        return text.to_string();
    }
    text.chars().take(MOST).chain(['…']).collect()
}
