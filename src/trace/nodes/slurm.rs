//! The machines of a Slurm cluster, as `sinfo` prints them with their names and generic resources (`-N -o '%N %G'`, `-o '%n %G'`), and as
//! `scontrol show node` does. Each node counts once, however many partitions it is in.

use std::collections::HashSet;

use serde_json::Value;

use super::Count;
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
    Table { names: usize, gres: usize },
    /// Words such as `NodeName=n1` and `Gres=gpu:a100:8`; the node whose resources have not come yet.
    Words { pending: Option<String> },
}

impl Printed {
    /// Whether a file that begins so was printed by one of the two.
    pub(super) fn recognise(sample: &Sample<'_>) -> Option<Self> {
        let line = sample.first_line().trim_ascii();
        let print = if line.starts_with(b"NodeName=") {
            Print::Words { pending: None }
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
            Print::Table {
                names: at(&["NODELIST", "HOSTNAMES", "NODEHOST", "HOSTNAME"])?,
                gres: at(&["GRES"])?,
            }
        };
        Some(Self { print, seen: HashSet::new() })
    }

    /// Whether the first row names the columns.
    pub(super) fn has_header(&self) -> bool {
        matches!(self.print, Print::Table { .. })
    }

    pub(super) fn row(&mut self, cells: Cells<'_>, count: &mut Count) {
        match &mut self.print {
            Print::Table { names, gres } => {
                let text = |column: usize| latin::decode(value::trim(cells.get(column)));
                let Some(nodes) = expand(&text(*names)) else {
                    count.report.unread += 1;
                    return;
                };
                for node in nodes {
                    if self.seen.insert(node) {
                        count_gpus(&text(*gres), count);
                    }
                }
            }
            Print::Words { pending } => {
                for word in cells.iter().map(value::trim) {
                    if let Some(name) = word.strip_prefix(b"NodeName=") {
                        let name = latin::decode(name);
                        if pending.replace(name).is_some_and(|before| self.seen.insert(before)) {
                            count_gpus("", count);
                        }
                    } else if let Some(gres) = word.strip_prefix(b"Gres=")
                        && pending.take().is_some_and(|name| self.seen.insert(name))
                    {
                        count_gpus(&latin::decode(gres), count);
                    }
                }
            }
        }
    }

    /// Counts a last node that has no resources.
    pub(super) fn end(&mut self, count: &mut Count) {
        if let Print::Words { pending } = &mut self.print
            && pending.take().is_some_and(|name| self.seen.insert(name))
        {
            count_gpus("", count);
        }
    }
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
}

/// Counts one node with such resources: `gpu:a100:8(S:0-1)`, `gpu:4`, `gpu:a100:4,gpu:v100:2`, `(null)`. One with several models is a
/// machine of the first; the others count as machines beside it.
fn count_gpus(gres: &str, count: &mut Count) {
    let mut depth = 0_i32;
    let items = gres.split(|mark: char| {
        depth += i32::from(mark == '(') - i32::from(mark == ')');
        mark == ',' && depth == 0
    });
    let mut is_first = true;
    for item in items {
        let item = item.split('(').next().unwrap_or_default();
        let mut words = item.split(':');
        if words.next() != Some("gpu") {
            continue;
        }
        let (model, number) = match (words.next(), words.next()) {
            (Some(model), Some(number)) => (model, number),
            (Some(only), None) if only.starts_with(|mark: char| mark.is_ascii_digit()) => ("", only),
            (only, _) => (only.unwrap_or_default(), "1"),
        };
        let Ok(gpus) = value::gpus(number.as_bytes()) else {
            count.report.unread += 1;
            continue;
        };
        if std::mem::take(&mut is_first) {
            count.machine(model.to_owned(), gpus);
        } else {
            count.beside(model.to_owned(), gpus);
        }
    }
    if is_first {
        count.machine(String::new(), MilliGpus(0));
    }
}

/// The names in a list such as `n[01-03,7],login1`; `None` for one that cannot be read, or of too many.
fn expand(list: &str) -> Option<Vec<String>> {
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
