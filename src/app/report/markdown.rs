//! A report as Markdown, with tables as GitHub and Pandoc read them.

use std::fmt::Write as _;

use super::{Body, Report};
use crate::chart::Table;

pub(super) fn write(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "# {}\n", line(&report.title));
    for note in &report.notes {
        let _ = writeln!(out, "{}\n", line(note));
    }
    let _ = writeln!(out, "*{}*\n", line(&report.subtitle));
    for part in &report.parts {
        let _ = writeln!(out, "## {}\n", line(&part.heading));
        if !part.text.is_empty() {
            let _ = writeln!(out, "{}\n", line(&part.text));
        }
        match &part.body {
            Body::Table(of) | Body::Figure(_, of) => table(&mut out, of),
            Body::Lists(lists) => {
                for (title, items) in lists {
                    let _ = writeln!(out, "**{}**\n", line(title));
                    for item in items {
                        let _ = writeln!(out, "* {}", line(item));
                    }
                    out.push('\n');
                }
            }
            Body::Verbatim(text) => {
                let _ = writeln!(out, "{0}\n{1}\n{0}\n", fence(text), text.trim_end());
            }
        }
    }
    out
}

fn table(out: &mut String, table: &Table) {
    let row = |out: &mut String, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| line(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    row(out, &table.header);
    let rules: Vec<String> =
        (0..table.header.len()).map(|column| if column == 0 { "---" } else { "---:" }.to_owned()).collect();
    let _ = writeln!(out, "|{}|", rules.join("|"));
    for cells in &table.rows {
        row(out, cells);
    }
    out.push('\n');
}

/// A text on one line, with what Markdown would take for its own marks kept from it.
fn line(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for mark in text.chars() {
        match mark {
            '\\' | '`' | '*' | '_' | '|' | '<' | '>' | '[' | ']' | '#' => safe.extend(['\\', mark]),
            '\n' | '\r' => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}

/// More backticks than stand together in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|mark| mark != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
