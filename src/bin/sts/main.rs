//! The command line of STS-Sim.
//!
//! Exit status: 0 done; 1 the input is at fault (said on standard error); 2 wrong usage.

#[cfg(target_arch = "wasm32")]
fn main() {}

#[cfg(not(target_arch = "wasm32"))]
mod catalogue;
#[cfg(not(target_arch = "wasm32"))]
mod clock;
#[cfg(not(target_arch = "wasm32"))]
mod explain;
#[cfg(not(target_arch = "wasm32"))]
mod gavel;
#[cfg(not(target_arch = "wasm32"))]
mod generate;
#[cfg(not(target_arch = "wasm32"))]
mod import;
#[cfg(not(target_arch = "wasm32"))]
mod run;
#[cfg(not(target_arch = "wasm32"))]
mod solve;
#[cfg(not(target_arch = "wasm32"))]
mod sweep;
#[cfg(not(target_arch = "wasm32"))]
mod table;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use clap::Parser;

    let result = match Cli::parse().command {
        Command::Import(args) => import::import(&args),
        Command::Generate(args) => generate::generate(&args),
        Command::Run(args) => run::run(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Solve(args) => solve::solve(&args),
        Command::Gavel(args) => gavel::gavel(&args),
        Command::Explain(args) => explain::explain(&args),
        Command::Policies(args) => catalogue::policies(&args),
        Command::Formats(args) => catalogue::formats(&args),
    };
    match result {
        Ok(()) => std::process::ExitCode::SUCCESS,
        // A closed pipe (`sts … | head`) is the reader's choice.
        Err(error) if is_broken_pipe(&error) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("sts: {error:#}");
            std::process::ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
}

/// A simulator of spatiotemporal sharing fairness on heterogeneous GPU clusters.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, clap::Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Read job traces and say what was understood.
    Import(import::ImportArgs),
    /// Generate a workload from a seed, or like a trace.
    Generate(generate::GenerateArgs),
    /// Simulate every policy and seed of a scenario.
    Run(run::RunArgs),
    /// Simulate a scenario at several values of one or two things, such as the load or the GPUs of a type.
    Sweep(sweep::SweepArgs),
    /// Decide one allocation, with its proof and its fairness properties.
    Solve(solve::SolveArgs),
    /// Run a trace as Gavel's own simulator does, by Gavel's policies.
    Gavel(gavel::GavelArgs),
    /// Explain one round of a run: quotas, floors, grants, and what running the jobs that waited would have cost.
    Explain(explain::ExplainArgs),
    /// The policies and their parameters.
    Policies(catalogue::ListArgs),
    /// The trace formats.
    Formats(catalogue::ListArgs),
}
