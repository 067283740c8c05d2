//! Running other programs from the repository's root.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The result of a task; the error is a sentence for the person at the terminal.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The repository's root.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// A program with its words.
pub(crate) fn program(name: impl AsRef<OsStr>, words: &[&str]) -> Command {
    let mut command = Command::new(name);
    command.args(words);
    command
}

/// Shows the command and runs it at the root; anything but success is an error.
pub(crate) fn run(mut command: Command) -> Result {
    let line = shown(&command);
    eprintln!("> {line}");
    let status =
        command.current_dir(root()).status().map_err(|error| format!("'{line}' did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("'{line}' failed ({status})").into()) }
}

/// What the command prints on standard output, or `None` if it is missing or fails.
pub(crate) fn output(name: impl AsRef<OsStr>, words: &[&str]) -> Option<String> {
    let output = program(name, words).current_dir(root()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The first of these programs that `PATH` has.
pub(crate) fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    names
        .iter()
        .map(|name| format!("{name}{}", std::env::consts::EXE_SUFFIX))
        .flat_map(|name| folders.iter().map(move |folder| folder.join(&name)))
        .find(|program| program.is_file())
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
