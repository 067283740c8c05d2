//! The machines of a Slurm cluster, as `sinfo` prints them with their names and generic resources (`-N -o '%N %G'`, `-o '%n %G'`), and as
//! `scontrol show node` does. Each node counts once, however many partitions it is in.

use std::collections::HashSet;

use serde_json::Value;

use super::Count;
use crate::trace::format::{is_slice, kind_and_count};
use crate::trace::json;
use crate::trace::latin;
use crate::trace::rows::Cells;
use crate::trace::sample::Sample;
use crate::trace::value;
use crate::units::MilliGpus;

/// The most nodes that one list of names, as in `n[1-4000]`, stands for.
const MAX_NAMES: usize = 100_000;

/// Reads what was printed.
#[derive(Debug)]
pub(super) struct Printed {
    print: Print,
    seen: HashSet<String>,
}

#[derive(Debug)]
enum Print {
    /// A table with the columns of names and of generic resources.
    Table { names: usize, gres: usize, state: Option<usize>, width: usize, rows: Rows },
    /// Words such as `NodeName=n1` and `Gres=gpu:a100:8`: the nodes whose resources have not come yet, and how many were counted last.
    Words { pending: Vec<String>, last: u64 },
}

/// Which rows of a table are nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    BelowHeader,
    All,
}

impl Printed {
    /// Whether a file that begins so was printed by one of the two.
    pub(super) fn recognise(sample: &Sample<'_>) -> Option<Self> {
        let line = sample.first_line().trim_ascii();
        let print = if line.starts_with(b"NodeName=") {
            Print::Words { pending: Vec::new(), last: 0 }
        } else {
            let delimiter = delimiter(sample);
            let fields: Vec<&[u8]> = if delimiter == b' ' {
                line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
            } else {
                sample.fields().collect()
            };
            let at = |names: &[&str]| {
                fields.iter().position(|f| names.iter().any(|n| f.eq_ignore_ascii_case(n.as_bytes())))
            };
            if at(&["JOBID"]).is_some() {
                return None;
            }
            let width = fields.len();
            let names = at(&["NODELIST", "HOSTNAMES", "NODEHOST", "HOSTNAME"]);
            // With -h there is no header: a name, and resources behind it.
            let is_gres = |field: &&[u8]| field.starts_with(b"gpu:");
            match (names.zip(at(&["GRES"])), fields.iter().position(is_gres)) {
                (Some((names, gres)), _) => {
                    Print::Table { names, gres, state: at(&["STATE"]), width, rows: Rows::BelowHeader }
                }
                (None, Some(gres)) if gres > 0 && width < 6 => {
                    Print::Table { names: 0, gres, state: None, width, rows: Rows::All }
                }
                _ => return None,
            }
        };
        Some(Self { print, seen: HashSet::new() })
    }

    /// Whether the first row names the columns.
    pub(super) fn has_header(&self) -> bool {
        matches!(self.print, Print::Table { rows: Rows::BelowHeader, .. })
    }

    pub(super) fn row(&mut self, cells: Cells<'_>, count: &mut Count) {
        match &mut self.print {
            Print::Table { names, gres, state, width, .. } => {
                let text = |column: usize| latin::decode(value::trim(cells.get(column)));
                let Some(nodes) = expand(&text(*names)) else { return count.unread(cells.line) };
                // Commas between fields stand in the list of resources too.
                let surplus = if *gres + 1 == *width { cells.len().saturating_sub(*width) } else { 0 };
                if cells.len() > *width && surplus == 0 {
                    return count.unread(cells.line);
                }
                let resources: Vec<String> = (*gres..=*gres + surplus).map(text).collect();
                let state = state.map(text).unwrap_or_default();
                for node in nodes {
                    if self.seen.insert(node) {
                        count_gpus(&resources.join(","), count);
                        count.state(&state);
                    }
                }
            }
            Print::Words { pending, last } => {
                for word in cells.iter().map(value::trim) {
                    if let Some(name) = word.strip_prefix(b"NodeName=") {
                        book(pending, "", &mut self.seen, count);
                        // Defaults of slurm.conf for the lines that follow.
                        if name.eq_ignore_ascii_case(b"DEFAULT") {
                            continue;
                        }
                        match expand(&latin::decode(name)) {
                            Some(names) => *pending = names,
                            None => count.unread(cells.line),
                        }
                    } else if let Some(gres) = word.strip_prefix(b"Gres=") {
                        *last = book(pending, &latin::decode(gres), &mut self.seen, count);
                    } else if let Some(state) = word.strip_prefix(b"State=") {
                        let of = pending.len() as u64 + std::mem::take(last);
                        (0..of).for_each(|_| count.state(&latin::decode(state)));
                    }
                }
            }
        }
    }

    /// Counts a last node that has no resources.
    pub(super) fn end(&mut self, count: &mut Count) {
        if let Print::Words { pending, .. } = &mut self.print {
            book(pending, "", &mut self.seen, count);
        }
    }
}

/// Counts nodes with such resources, unless they were counted before; how many were not.
fn book(pending: &mut Vec<String>, gres: &str, seen: &mut HashSet<String>, count: &mut Count) -> u64 {
    let mut new = 0;
    for name in pending.drain(..) {
        if seen.insert(name) {
            count_gpus(gres, count);
            new += 1;
        }
    }
    new
}

/// What separates the fields: blanks, unless it is a table made for programs.
pub(super) fn delimiter(sample: &Sample<'_>) -> u8 {
    let line = sample.first_line();
    let is_split = !line.starts_with(b"NodeName=") && line.contains(&sample.delimiter());
    if is_split { sample.delimiter() } else { b' ' }
}

/// Counts a node of `scontrol show nodes --json`.
pub(super) fn count_node(node: &Value, count: &mut Count) {
    count_gpus(&json::text(node, "/gres"), count);
    let states: Vec<String> =
        json::list(node, "/state").iter().map(|state| json::text(state, "").into_owned()).collect();
    count.state(&states.join("+"));
}

/// Counts one node with such resources: `gpu:a100:8(S:0-1)`, `gpu:4`, `gpu:a100:4,gpu:v100:2`, `(null)`. One with several models is a
/// machine of the first; the others count as machines beside it.
fn count_gpus(gres: &str, count: &mut Count) {
    let mut is_first = true;
    for item in gres.as_bytes().split(|&byte| byte == b',') {
        let item = item.split(|&byte| byte == b'(').next().unwrap_or_default();
        let mut words = item.split(|&byte| byte == b':');
        if !words.next().is_some_and(|name| name.eq_ignore_ascii_case(b"gpu")) {
            continue;
        }
        let (model, number) = kind_and_count(words);
        let Ok(gpus) = value::gpus(number) else {
            count.report.unread += 1;
            continue;
        };
        let model = latin::decode(model);
        if is_slice(&model) {
            count.parts(gpus);
        }
        if std::mem::take(&mut is_first) {
            count.machine(model, gpus);
        } else {
            count.beside(model, gpus);
        }
    }
    if is_first {
        count.machine(String::new(), MilliGpus(0));
    }
}

/// The names in a list such as `n[01-03,7],login1`; `None` for one that cannot be read, or of too many.
pub(super) fn expand(list: &str) -> Option<Vec<String>> {
    let mut depth = 0_i32;
    let parts = list.split(|mark: char| {
        depth += i32::from(mark == '[') - i32::from(mark == ']');
        mark == ',' && depth == 0
    });
    let mut names = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        let Some((head, rest)) = part.split_once('[') else {
            names.push(part.to_owned());
            continue;
        };
        let (ranges, tail) = rest.split_once(']').filter(|(_, tail)| !tail.contains('['))?;
        for range in ranges.split(',') {
            let (from, to) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
            if last < first || last - first + names.len() >= MAX_NAMES {
                return None;
            }
            let width = from.len();
            names.extend((first..=last).map(|number| format!("{head}{number:0width$}{tail}")));
        }
    }
    Some(names).filter(|names| !names.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_told_apart() {
        let names = |list: &str| expand(list).map(|names| names.join(" "));
        assert_eq!(names("n[01-03,7],login1").as_deref(), Some("n01 n02 n03 n7 login1"));
        assert_eq!(names("gpu-[1,3]-ib").as_deref(), Some("gpu-1-ib gpu-3-ib"));
        for bad in ["", "n[1-", "n[3-1]", "n[a-b]", "n[0-99999999]", "r[1-2]n[1-2]"] {
            assert_eq!(names(bad), None, "{bad}");
        }
    }
}
