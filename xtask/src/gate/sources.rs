//! What the sources say about their tests.

use crate::command::{Result, root};
use std::fs;
use std::path::{Path, PathBuf};

/// Which targets have tests that run in a browser, as arguments of `cargo test`: files of `tests/` for WebAssembly
/// only, and the library if it has such tests.
pub(crate) fn browser_test_targets() -> Result<Vec<Vec<String>>> {
    let mut targets = Vec::new();
    if rust_files(&root().join("src"))?.iter().any(|(_, text)| text.contains("#[wasm_bindgen_test")) {
        targets.push(vec!["--lib".to_owned()]);
    }
    for (path, text) in rust_files(&root().join("tests"))? {
        if text.contains("#![cfg(target_arch = \"wasm32\")]") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            targets.push(vec!["--test".to_owned(), name]);
        }
    }
    Ok(targets)
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
        assert!(targets.contains(&vec!["--test".to_owned(), "worker_env".to_owned()]), "{targets:?}");
    }
}
