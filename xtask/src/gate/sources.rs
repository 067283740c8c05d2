//! What the sources say about their tests.

use crate::command::{Result, root};
use std::fs;
use std::path::{Path, PathBuf};

/// The attribute of a test that runs in a browser.
const BROWSER_TEST: &str = "#[wasm_bindgen_test";

/// Which targets have tests that run in a browser, as arguments of `cargo test`.
pub(crate) fn browser_test_targets() -> Result<Vec<String>> {
    let mut arguments = Vec::new();
    if rust_files(&root().join("src"))?.iter().any(|(_, text)| text.contains(BROWSER_TEST)) {
        arguments.push("--lib".to_owned());
    }
    let tests = root().join("tests");
    for (path, text) in rust_files(&tests)? {
        // A target is a file of `tests/`, or a folder with a `main.rs`.
        let target = path.strip_prefix(&tests)?.components().next();
        if let Some(target) = target.filter(|_| text.contains(BROWSER_TEST)) {
            let name = Path::new(target.as_os_str()).file_stem().unwrap_or_default();
            arguments.extend(["--test".to_owned(), name.to_string_lossy().into_owned()]);
        }
    }
    Ok(arguments)
}

/// The tests marked `#[ignore = "reason"]`: file and reason.
pub(crate) fn ignored_tests() -> Result<Vec<(String, String)>> {
    let mut tests = Vec::new();
    for folder in ["src", "tests"] {
        for (path, text) in rust_files(&root().join(folder))? {
            let file = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            tests.extend(
                text.lines().filter_map(ignore_reason).map(|reason| (file.clone(), reason.to_owned())),
            );
        }
    }
    Ok(tests)
}

fn ignore_reason(line: &str) -> Option<&str> {
    let attribute = line.trim().strip_prefix("#[ignore")?.strip_suffix(']')?;
    Some(attribute.trim_start_matches([' ', '=']).trim_matches('"'))
}

/// All Rust files below a folder with their text, sorted by path.
fn rust_files(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "node_modules") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path)?;
                files.push((path, text));
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_an_ignored_test() {
        assert_eq!(ignore_reason("    #[ignore = \"an hour of soak\"]"), Some("an hour of soak"));
        assert_eq!(ignore_reason("#[ignore]"), Some(""));
        assert_eq!(ignore_reason("// #[ignore]"), None);
    }

    #[test]
    fn this_repository_has_browser_tests() {
        let targets = browser_test_targets().unwrap();
        assert!(targets.windows(2).any(|pair| pair == ["--test", "worker_env"]), "{targets:?}");
    }
}
