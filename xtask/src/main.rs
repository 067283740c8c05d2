//! Build, serve and test STS-Sim: the commands behind `cargo xtask`.
//!
//! Standard output carries only what a script may want to read (the address of `serve`, the table of `test`);
//! progress goes to standard error.

mod command;
mod dist;
mod fuzz;
mod gate;
mod options;
mod serve;
mod tools;
mod wasm;

use command::{Result, program, root};
use options::{Measured, Options, Task};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result {
    match options.task {
        Task::Help => println!("{}", options::USAGE),
        Task::Serve => {
            if options.build {
                dist::build()?;
            }
            serve::run(options)?;
        }
        Task::Dist => dist::build()?,
        Task::Test => gate::run(options)?,
        Task::Bench if options.measured == Measured::Page => {
            if options.build {
                dist::build()?;
            }
            command::run(page_script("bench.mjs", &tools::browser()?)?)?;
        }
        // Only what measures: plain `bench` also lists every test of the library.
        Task::Bench => {
            command::run(program("cargo", &["bench", "--bench", "*"]))?;
            println!("\nThe same in WebAssembly:");
            for test in ["solver_everywhere", "month_everywhere"] {
                let words = ["test", "--node", "--release", "--", "--test", test, "--", "--nocapture"];
                command::run(program(tools::wasm_pack()?, &words))?;
            }
        }
        Task::Fuzz => fuzz::run_for(options.minutes)?,
        Task::Shots => {
            if options.build {
                dist::build()?;
            }
            let browser = tools::browser()?;
            command::run(page_script("shots.mjs", &browser)?)?;
        }
    }
    Ok(())
}

/// A script of `tests/e2e`, its packages installed, told where the browser and this program are.
fn page_script(name: &str, browser: &tools::Browser) -> Result<Command> {
    tools::node_modules()?;
    let mut node = program("node", &[]);
    node.arg(root().join("tests/e2e").join(name))
        .env("CHROMIUM", &browser.chromium)
        .env("STS_XTASK", std::env::current_exe()?);
    Ok(node)
}
