//! The gate: everything that must hold before a change is accepted.
//!
//! The steps share one `target/` and one set of compiler flags: lints are denied by an argument to clippy, never by
//! `RUSTFLAGS`, which would compile every dependency again.

mod sources;

use crate::command::{Result, output, program, root, run as run_command};
use crate::options::Options;
use crate::{dist, fuzz, page_script, tools};
use std::process::Command;
use std::time::{Duration, Instant};

/// Cases of each property test in the long gate.
const LONG_CASES: &str = "4096";
/// How long the long gate fuzzes.
const LONG_FUZZING_MIN: u64 = 60;

/// The steps done so far and their times.
struct Gate<'a> {
    only: Option<&'a str>,
    times: Vec<(&'static str, Duration)>,
}

/// Runs the steps in order; the first that fails ends the gate.
pub(crate) fn run(options: &Options) -> Result {
    real_samples()?;
    let mut gate = Gate { only: options.only.as_deref(), times: Vec::new() };
    let result = steps(&mut gate, options);
    gate.print();
    result?;
    if gate.times.is_empty() {
        return Err("no step has such a name".into());
    }
    if !options.long {
        println!("\n{}", long_additions()?);
    }
    println!("\n{}", if gate.only.is_some() { "These steps pass." } else { "The gate is passed." });
    Ok(())
}

fn steps(gate: &mut Gate, options: &Options) -> Result {
    // All at once: a missing tool should be known before the first minutes of compiling.
    gate.step("tools", || {
        tools::components()?;
        tools::wasm_target()?;
        tools::browser()?;
        tools::node_modules()?;
        tools::wasm_pack().map(drop)
    })?;
    gate.step("format", || cargo(&["fmt", "--all", "--check"]))?;
    gate.step("clippy, native", || cargo(&["clippy", "--workspace", "--all-targets", "--", "-Dwarnings"]))?;
    gate.step("clippy, wasm", || {
        cargo(&["clippy", "--lib", "--target", tools::WASM_TARGET, "--", "-Dwarnings"])
    })?;
    gate.step("native tests", native_tests)?;
    gate.step("documentation", documentation)?;
    gate.step("browser tests", browser_tests)?;
    gate.step("dist", dist::build)?;
    gate.step("page", || {
        // What the page gives is compared with the command line, which a check has no time to build.
        run_command(program("cargo", &["build", "--bin", "sts"]))?;
        let mut script = page_script("e2e.mjs", &tools::browser()?)?;
        if options.long {
            script.env("STS_LONG", "1");
        }
        run_command(script)
    })?;
    if options.long {
        gate.step("native tests, long", long_tests)?;
        gate.step("oracle", oracle)?;
        gate.step("fuzzing", || fuzz::run_for(LONG_FUZZING_MIN))?;
    }
    Ok(())
}

impl Gate<'_> {
    fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result) -> Result {
        if self.only.is_some_and(|word| !name.contains(word)) {
            return Ok(());
        }
        eprintln!("\n== {name}");
        let (result, time) = timed(work);
        self.times.push((name, time));
        eprintln!("== {name}: {:.1} s", time.as_secs_f64());
        result.map_err(|error| format!("the gate fails at '{name}': {error}").into())
    }

    fn print(&self) {
        println!("\n{:<20} {:>8}", "step", "seconds");
        for (name, time) in &self.times {
            println!("{name:<20} {:>8.1}", time.as_secs_f64());
        }
        let all: Duration = self.times.iter().map(|(_, time)| time).sum();
        println!("{:<20} {:>8.1}", "all", all.as_secs_f64());
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "the rule is for the engine; here a person wants to know what takes long"
)]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

fn cargo(words: &[&str]) -> Result {
    run_command(program("cargo", words))
}

/// With `STS_REQUIRE_SHARED=1`, a missing folder of real samples fails at once and not after the build.
fn real_samples() -> Result {
    let folder = root().join(std::env::var("STS_SHARED").unwrap_or_else(|_| "../shared/data".to_owned()));
    let required = std::env::var("STS_REQUIRE_SHARED").is_ok_and(|value| value == "1");
    match (folder.is_dir(), required) {
        (true, _) => Ok(()),
        (false, false) => {
            eprintln!("no real samples in {} (STS_SHARED): the tests on them are skipped", folder.display());
            Ok(())
        }
        (false, true) => {
            Err(format!("no real samples in {}, but STS_REQUIRE_SHARED=1", folder.display()).into())
        }
    }
}

fn has_nextest() -> bool {
    output("cargo", &["nextest", "--version"]).is_some()
}

fn native_tests() -> Result {
    if !has_nextest() {
        return cargo(&["test", "--workspace"]);
    }
    cargo(&["nextest", "run", "--workspace"])?;
    // What nextest does not run.
    cargo(&["test", "--doc"])
}

/// The documentation of both targets: the page's modules are for WebAssembly only.
fn documentation() -> Result {
    for target in [&[][..], &["--lib", "--target", tools::WASM_TARGET]] {
        let mut doc = program("cargo", &["doc", "--no-deps"]);
        doc.args(target).env("RUSTDOCFLAGS", "-Dwarnings");
        run_command(doc)?;
    }
    Ok(())
}

fn long_tests() -> Result {
    let mut tests: Command = if has_nextest() {
        program("cargo", &["nextest", "run", "--release", "--run-ignored", "all"])
    } else {
        program("cargo", &["test", "--release", "--", "--include-ignored"])
    };
    tests.env("PROPTEST_CASES", LONG_CASES);
    run_command(tests)
}

/// The solver against HiGHS, through Python. Its package goes into `target/`.
fn oracle() -> Result {
    let packages = root().join("target/oracles");
    if !packages.join("highspy").is_dir() {
        let mut pip = program("python3", &["-m", "pip", "install", "--quiet", "--target"]);
        pip.arg(&packages).arg("highspy");
        run_command(pip)?;
    }
    cargo(&["build", "--release", "--bin", "sts"])?;
    let mut script = program("python3", &["tests/oracles/highs.py", "target/release/sts"]);
    script.env("PYTHONPATH", packages);
    run_command(script)
}

/// The tests that run inside a browser. Only their targets are named: native tests need not compile for WebAssembly.
fn browser_tests() -> Result {
    let chromedriver = tools::browser()?.chromedriver;
    let mut wasm_pack = program(tools::wasm_pack()?, &["test", "--headless", "--chrome", "--chromedriver"]);
    wasm_pack.arg(chromedriver).arg("--").args(sources::browser_test_targets()?);
    run_command(wasm_pack)
}

/// What `--long` would add, as the sources have it.
fn long_additions() -> Result<String> {
    let ignored = sources::ignored_tests()?;
    let mut text = format!(
        "cargo xtask test --long adds the page checks marked long, compares the solver with HiGHS, fuzzes the importer for {LONG_FUZZING_MIN} minutes, and runs the native tests in release mode with \
         {LONG_CASES} cases a property, among them the {} tests marked #[ignore]",
        ignored.len()
    );
    for (file, reason) in ignored {
        text += &format!("\n    {file}: {reason}");
    }
    Ok(text)
}
