//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

pub(crate) const USAGE: &str = "\
cargo xtask serve   build the page and serve it on this machine
    --port N        the port (default 8080; 0: any free one)
    --no-open       do not open a browser
    --pwa           let the page keep itself for offline use
    --no-build      serve dist/ as it is
    --dir DIR       serve DIR as it is
    --prefix PATH   serve under this path (default /)
    --bare          send none of the hosted page's headers, as a host that cannot be configured
cargo xtask dist    build dist/, the page as static files
cargo xtask test    the gate: format, lints, tests, browser tests
    --long          also what takes more than minutes
    --only STEP     only the steps whose name contains STEP
cargo xtask bench   measure
    --web           the page in a browser instead: first render, long tasks, charts, Gantt
    --no-build      with --web: of dist/ as it is
cargo xtask fuzz    damage traces and archives at random and read them
    --minutes N     for so long (default 1)
cargo xtask shots   screenshots of the page into target/shots
    --no-build      of dist/ as it is";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    Help,
    Serve,
    Dist,
    Test,
    Bench,
    Fuzz,
    Shots,
}

/// What the local server adds to the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Headers {
    /// The headers of the hosted page.
    Hosted,
    /// Only what HTTP needs.
    Bare,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Measured {
    /// Engine, import and solver.
    Engine,
    /// The page, in a browser.
    Page,
}

/// Whether the page may register its service worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pwa {
    On,
    Off,
}

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) task: Task,
    pub(crate) build: bool,
    /// What to serve in place of `dist/`.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) port: u16,
    pub(crate) open: bool,
    pub(crate) pwa: Pwa,
    /// Starts and ends with a slash.
    pub(crate) prefix: String,
    pub(crate) headers: Headers,
    pub(crate) long: bool,
    /// What to measure.
    pub(crate) measured: Measured,
    /// How long to fuzz.
    pub(crate) minutes: u64,
    pub(crate) only: Option<String>,
}

impl Options {
    /// Reads the words after `cargo xtask`; an error names the word that is not understood.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut words = words.into_iter();
        let task = match words.next().as_deref() {
            Some("serve") => Task::Serve,
            Some("dist") => Task::Dist,
            Some("test") => Task::Test,
            Some("bench") => Task::Bench,
            Some("fuzz") => Task::Fuzz,
            Some("shots") => Task::Shots,
            Some("help" | "--help" | "-h") | None => Task::Help,
            Some(other) => return Err(format!("there is no task '{other}'")),
        };
        let mut options = Options {
            task,
            build: true,
            dir: None,
            port: 8080,
            open: true,
            pwa: Pwa::Off,
            prefix: "/".to_owned(),
            headers: Headers::Hosted,
            long: false,
            measured: Measured::Engine,
            minutes: 1,
            only: None,
        };
        while let Some(word) = words.next() {
            match (task, word.as_str()) {
                (Task::Serve | Task::Shots | Task::Bench, "--no-build") => options.build = false,
                (Task::Serve, "--dir") => {
                    options.dir = Some(value(&word, words.next())?);
                    options.build = false;
                }
                (Task::Serve, "--port") => options.port = value(&word, words.next())?,
                (Task::Serve, "--no-open") => options.open = false,
                (Task::Serve, "--pwa") => options.pwa = Pwa::On,
                (Task::Serve, "--prefix") => {
                    let path: String = value(&word, words.next())?;
                    options.prefix = format!("/{}/", path.trim_matches('/')).replace("//", "/");
                }
                (Task::Serve, "--bare") => options.headers = Headers::Bare,
                (Task::Fuzz, "--minutes") => options.minutes = value(&word, words.next())?,
                (Task::Test, "--long") => options.long = true,
                (Task::Bench, "--web") => options.measured = Measured::Page,
                (Task::Test, "--only") => options.only = Some(value(&word, words.next())?),
                (_, "--help" | "-h") => options.task = Task::Help,
                _ => return Err(format!("'{word}' is not understood here")),
            }
        }
        Ok(options)
    }
}

fn value<T: FromStr>(option: &str, word: Option<String>) -> Result<T, String> {
    let word = word.ok_or_else(|| format!("{option} needs a value"))?;
    word.parse().map_err(|_| format!("{option} cannot be '{word}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn serve_reads_its_options() {
        let options = parse("serve --port 0 --no-open --pwa --prefix some/path --no-build").unwrap();
        assert_eq!(options.task, Task::Serve);
        assert_eq!((options.port, options.open, options.build), (0, false, false));
        assert_eq!((options.pwa, options.headers), (Pwa::On, Headers::Hosted));
        assert_eq!(options.prefix, "/some/path/");
    }

    #[test]
    fn a_prefix_has_one_slash_at_each_end() {
        for (given, kept) in [("/", "/"), ("a", "/a/"), ("/a/b", "/a/b/"), ("/a/b/", "/a/b/")] {
            assert_eq!(parse(&format!("serve --prefix {given}")).unwrap().prefix, kept);
        }
    }

    #[test]
    fn fuzzing_lasts_a_minute_unless_told() {
        assert_eq!(parse("fuzz").unwrap().minutes, 1);
        assert_eq!(parse("fuzz --minutes 60").unwrap().minutes, 60);
    }

    #[test]
    fn the_engine_is_measured_unless_told() {
        assert_eq!(parse("bench").unwrap().measured, Measured::Engine);
        let page = parse("bench --web --no-build").unwrap();
        assert_eq!((page.measured, page.build), (Measured::Page, false));
    }

    #[test]
    fn wrong_usage_names_the_word() {
        for (line, word) in [
            ("serv", "serv"),
            ("serve --long", "--long"),
            ("serve --port", "--port"),
            ("serve --port 70000", "70000"),
            ("fuzz --minutes soon", "soon"),
            ("test extra", "extra"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
