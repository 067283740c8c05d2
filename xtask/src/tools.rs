//! Finds the tools that the tasks need and installs what is missing.

use crate::command::{Result, on_path, output, program, root, run};
use std::path::PathBuf;

/// The wasm-pack that the page is built with.
const WASM_PACK: &str = "0.15.1";
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// A browser and the driver that fits it.
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
    pub(crate) chromedriver: PathBuf,
}

/// The formatter and the linter.
pub(crate) fn components() -> Result {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if output("cargo", &[command, "--version"]).is_none() {
            run(program("rustup", &["component", "add", component]))?;
        }
    }
    Ok(())
}

/// The standard library for WebAssembly.
pub(crate) fn wasm_target() -> Result {
    let sysroot =
        output("rustc", &["--print", "sysroot"]).ok_or("rustc is not on PATH: see https://rustup.rs")?;
    if PathBuf::from(sysroot).join("lib/rustlib").join(WASM_TARGET).is_dir() {
        return Ok(());
    }
    run(program("rustup", &["target", "add", WASM_TARGET]))
}

/// wasm-pack at the pinned version: from `PATH`, or installed once under `target/tools`.
pub(crate) fn wasm_pack() -> Result<PathBuf> {
    let folder = root().join("target/tools");
    let own = folder.join("bin").join(format!("wasm-pack{}", std::env::consts::EXE_SUFFIX));
    for tool in [PathBuf::from("wasm-pack"), own.clone()] {
        if output(&tool, &["--version"]).as_deref() == Some(&format!("wasm-pack {WASM_PACK}")) {
            return Ok(tool);
        }
    }
    let mut install =
        program("cargo", &["install", "wasm-pack", "--version", WASM_PACK, "--locked", "--force", "--root"]);
    install.arg(folder);
    run(install)?;
    Ok(own)
}

/// Chromium and ChromeDriver of one major version: `$CHROMIUM` and `$CHROMEDRIVER`, or those on `PATH`, or the
/// system's packages where they may be installed.
pub(crate) fn browser() -> Result<Browser> {
    let find = || {
        let chromium = std::env::var_os("CHROMIUM").map(PathBuf::from);
        let chromedriver = std::env::var_os("CHROMEDRIVER").map(PathBuf::from);
        Some(Browser {
            chromium: chromium.or_else(|| on_path(&["chromium", "chromium-browser", "google-chrome"]))?,
            chromedriver: chromedriver.or_else(|| on_path(&["chromedriver"]))?,
        })
    };
    let browser = match find() {
        Some(browser) => browser,
        None => {
            system_packages(&["chromium", "chromium-driver"])?;
            find().ok_or(
                "chromium and chromedriver are installed, but not on PATH: set CHROMIUM and CHROMEDRIVER",
            )?
        }
    };
    let versions = [&browser.chromium, &browser.chromedriver].map(|tool| {
        output(tool, &["--version"]).ok_or_else(|| format!("'{} --version' failed", tool.display()))
    });
    let [chromium, chromedriver] = versions;
    let (chromium, chromedriver) = (chromium?, chromedriver?);
    if major(&chromium).is_none() || major(&chromium) != major(&chromedriver) {
        return Err(format!(
            "the browser and its driver must have one major version: found '{chromium}' and '{chromedriver}'; \
             install a pair, or set CHROMIUM and CHROMEDRIVER"
        )
        .into());
    }
    Ok(browser)
}

/// The packages of `tests/e2e`, as its lock file has them.
pub(crate) fn node_modules() -> Result {
    if on_path(&["node"]).is_none() || on_path(&["npm"]).is_none() {
        system_packages(&["nodejs", "npm"])?;
    }
    let folder = root().join("tests/e2e");
    let changed = |file: &str| folder.join(file).metadata().and_then(|file| file.modified()).ok();
    let installed = changed("node_modules/.package-lock.json");
    if installed.is_some() && installed >= changed("package-lock.json") {
        return Ok(());
    }
    let mut npm = program("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"]);
    npm.arg(folder);
    run(npm)
}

/// Installs packages of the system, or says which command would.
fn system_packages(names: &[&str]) -> Result {
    let is_root = output("id", &["-u"]).as_deref() == Some("0");
    let sudo = if is_root { "" } else { "sudo " };
    let install = format!("{sudo}apt-get install -y --no-install-recommends {}", names.join(" "));
    let update = format!("{sudo}apt-get update");
    let may = is_root || output("sudo", &["-n", "true"]).is_some();
    if !may || on_path(&["apt-get"]).is_none() {
        return Err(
            format!("{} missing. Install with:\n    {update} && {install}", names.join(" and ")).into()
        );
    }
    for line in [update, install] {
        let words: Vec<_> = line.split(' ').collect();
        let (name, words) = words.split_first().ok_or("no command")?;
        let mut command = program(name, words);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        run(command)?;
    }
    Ok(())
}

/// The first number in a version line: `Chromium 156.0.8078.114 built on …` has 156.
fn major(version: &str) -> Option<u32> {
    version.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_major_version_is_the_first_number() {
        assert_eq!(major("Chromium 156.0.8078.114 built on Debian GNU/Linux 12 (bookworm)"), Some(156));
        assert_eq!(major("ChromeDriver 99.1 (ea19f9)"), Some(99));
        assert_eq!(major("no digits"), None);
    }
}
