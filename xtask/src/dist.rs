//! Builds `dist/`: the page as static files that run from any host, under any path, offline.
//!
//! Every file but `index.html` and `sw.js` has a name with a hash of its content, so that it may be cached for ever.
//! A file that names others is hashed after their names are written into it, hence leaves first.

use crate::command::{Result, output, program, root, run};
use crate::{tools, wasm};
use std::fs;
use std::path::Path;

/// The compressed module may not be larger: it is what a visitor waits for.
const WASM_GZ_BUDGET: usize = 3_600_000;

const PAGE: &str = "index.html";
const SERVICE_WORKER: &str = "sw.js";
const WASM: &str = "app_bg.wasm";

/// Files that name no other, then files that name only those before them.
const HASHED: [(&str, &str); 10] = [
    ("target/pkg", WASM),
    ("www", "style.css"),
    ("src/chart", "chart.css"),
    ("www", "results.css"),
    ("www", "laboratory.css"),
    ("www", "icon.svg"),
    ("www", "manifest.webmanifest"),
    ("target/pkg", "app.js"),
    ("www", "worker.js"),
    ("www", "boot.js"),
];

/// A file of `dist/`.
struct File {
    name: String,
    content: Vec<u8>,
}

/// Builds the release page and replaces `dist/` with it.
pub(crate) fn build() -> Result {
    tools::wasm_target()?;
    let mut wasm_pack = program(tools::wasm_pack()?, &["build", "--target", "web", "--release"]);
    wasm_pack.args(["--no-pack", "--no-typescript", "--out-name", "app", "--out-dir", "target/pkg"]);
    run(wasm_pack)?;
    if root().join("target/pkg/snippets").exists() {
        return Err(
            "a dependency brings JavaScript of its own (target/pkg/snippets), which dist/ does not carry"
                .into(),
        );
    }

    let files = assemble()?;
    let dist = root().join("dist");
    if dist.exists() {
        fs::remove_dir_all(&dist)?;
    }
    fs::create_dir(&dist)?;
    for file in &files {
        fs::write(dist.join(&file.name), &file.content)?;
    }
    let module = files.iter().find(|file| file.name.ends_with(".wasm")).ok_or("dist/ has no module")?;
    check_size(&dist.join(&module.name))
}

/// The content of the policy in the page's meta tag, the one place where it is written.
pub(crate) fn content_security_policy(page: &str) -> Result<&str> {
    let tag = r#"http-equiv="Content-Security-Policy" content=""#;
    let policy = page.split_once(tag).and_then(|(_, rest)| rest.split_once('"'));
    policy.map(|(policy, _)| policy).ok_or_else(|| "index.html has no Content-Security-Policy".into())
}

fn assemble() -> Result<Vec<File>> {
    let mut files: Vec<File> = Vec::new();
    let mut renamed: Vec<(&str, String)> = Vec::new();
    for (folder, name) in HASHED {
        let mut content = read(&root().join(folder).join(name))?;
        if name == WASM {
            content = wasm::without_custom_sections(&content)?;
        } else {
            content = with_new_names(content, &renamed)?;
        }
        let hashed = hashed_name(name, &content);
        files.push(File { name: hashed.clone(), content });
        renamed.push((name, hashed));
    }
    let page = String::from_utf8(with_new_names(read(&root().join(PAGE))?, &renamed)?)?;
    let page = page.replace("%BUILD%", &build_name());
    if let Some((name, _)) = renamed.iter().find(|(_, hashed)| !named(hashed, &page, &files)) {
        return Err(format!("no file of the page refers to {name}").into());
    }

    let service_worker = service_worker(&page, &files)?;
    files.push(File { name: PAGE.to_owned(), content: page.into_bytes() });
    files.push(File { name: SERVICE_WORKER.to_owned(), content: service_worker.into_bytes() });
    Ok(files)
}

/// The commit that is built, `731ab7c`; one with changes of its own ends in `+`. Outside of a checkout it is the package's version.
fn build_name() -> String {
    let commit = output("git", &["describe", "--always", "--dirty=+", "--abbrev=7", "--exclude=*"]);
    commit.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned())
}

fn named(name: &str, page: &str, files: &[File]) -> bool {
    page.contains(name) || files.iter().any(|file| String::from_utf8_lossy(&file.content).contains(name))
}

/// `sw.js` with the files to keep, their common version and the page's policy.
fn service_worker(page: &str, files: &[File]) -> Result<String> {
    let names: Vec<_> = files.iter().map(|file| format!(r#""{}""#, file.name)).collect();
    let list = format!(r#"["./", {}]"#, names.join(", "));
    let version = fnv1a(format!("{page}{list}").as_bytes());
    let mut text = String::from_utf8(read(&root().join("www").join(SERVICE_WORKER))?)?;
    let blanks = [
        (r#""%VERSION%""#, format!(r#""{version:016x}""#)),
        (r#""%FILES%""#, list),
        (r#""%POLICY%""#, format!(r#""{}""#, content_security_policy(page)?)),
    ];
    for (blank, value) in blanks {
        if !text.contains(blank) {
            return Err(format!("www/sw.js has no {blank}").into());
        }
        text = text.replace(blank, &value);
    }
    Ok(text)
}

/// Writes the hashed names into a text: wherever a quoted string is a file's name, with or without `./`.
fn with_new_names(content: Vec<u8>, renamed: &[(&str, String)]) -> Result<Vec<u8>> {
    let mut text = String::from_utf8(content)?;
    for (name, hashed) in renamed {
        for quote in ['"', '\''] {
            for dot in ["", "./"] {
                text = text
                    .replace(&format!("{quote}{dot}{name}{quote}"), &format!("{quote}{dot}{hashed}{quote}"));
            }
        }
    }
    Ok(text.into_bytes())
}

/// `app.js` becomes `app-<hash>.js`.
fn hashed_name(name: &str, content: &[u8]) -> String {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    format!("{stem}-{:016x}.{extension}", fnv1a(content))
}

/// The 64-bit FNV-1a hash: enough to tell the versions of one file apart.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Prints the sizes of the module; too large a one is an error.
fn check_size(module: &Path) -> Result {
    let name = module.to_string_lossy();
    let raw = fs::metadata(module)?.len();
    let Some(gz) = gzip_size(&name) else {
        eprintln!("dist/: module {raw} bytes; gzip is not on PATH, so its compressed size was not checked");
        return Ok(());
    };
    eprintln!(
        "dist/: module {raw} bytes, {gz} gzipped (at most {WASM_GZ_BUDGET}); function names in target/pkg/{WASM}"
    );
    if gz > WASM_GZ_BUDGET {
        return Err(format!("the module has {gz} bytes gzipped, more than {WASM_GZ_BUDGET}").into());
    }
    Ok(())
}

fn gzip_size(name: &str) -> Option<usize> {
    let output = program("gzip", &["-9nc", name]).output().ok()?;
    output.status.success().then_some(output.stdout.len())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_only_where_they_stand_alone() {
        let renamed = [("app.js", "app-1.js".to_owned()), ("a.css", "a-2.css".to_owned())];
        let text = r#"import "./app.js"; new URL('a.css', x); "myapp.js"; app.js; href="a.css""#;
        let new = with_new_names(text.as_bytes().to_vec(), &renamed).unwrap();
        let expected = r#"import "./app-1.js"; new URL('a-2.css', x); "myapp.js"; app.js; href="a-2.css""#;
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }

    #[test]
    fn a_name_changes_with_the_content() {
        // The published test vector of FNV-1a for "a".
        assert_eq!(hashed_name("app_bg.wasm", b"a"), "app_bg-af63dc4c8601ec8c.wasm");
        assert_ne!(hashed_name("app.js", b"a"), hashed_name("app.js", b"b"));
    }

    #[test]
    fn the_page_has_a_strict_policy() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        let policy = content_security_policy(&page).unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        for word in ["unsafe-inline", "'unsafe-eval'", "http:", "https:", "*"] {
            assert!(!policy.contains(word), "{word} in {policy}");
        }
    }
}
