//! A report as one HTML file: no script, no address, its style and its drawings inside.

use std::fmt::Write as _;

use super::{Body, Report};
use crate::chart::{Escaped, Table, Theme};

/// The style of the document; drawings carry their own.
const STYLE: &str = "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans',sans-serif;color:#11181f;background:#fff;\
    max-width:960px;margin:32px auto;padding:0 20px}h1{font-size:25px;line-height:1.25}h2{font-size:18px;margin:32px 0 4px}\
    p{margin:6px 0}.sub{color:#5d6976}table{border-collapse:collapse;font-size:12.5px;font-variant-numeric:tabular-nums;margin:8px 0}\
    th,td{text-align:right;padding:4px 8px;border-bottom:1px solid #e8ebef;white-space:nowrap}th{font-weight:600}\
    tr>:first-child{text-align:left}.wide{overflow-x:auto}figure{margin:8px 0}svg{max-width:100%;height:auto}\
    pre{font-size:12px;background:#f5f6f8;padding:12px;overflow:auto;max-height:480px}summary{cursor:pointer;color:#434e5a}\
    @media print{details{display:none}pre{max-height:none}}";

pub(super) fn write(report: &Report) -> String {
    let mut out = String::new();
    let title = Escaped(&report.title);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    for note in &report.notes {
        let _ = writeln!(out, "<p>{}</p>", Escaped(note));
    }
    let _ = writeln!(out, "<p class=\"sub\">{}</p>", Escaped(&report.subtitle));
    for part in &report.parts {
        let _ = writeln!(out, "<section>\n<h2>{}</h2>", Escaped(&part.heading));
        if !part.text.is_empty() {
            let _ = writeln!(out, "<p class=\"sub\">{}</p>", Escaped(&part.text));
        }
        match &part.body {
            Body::Table(of) => table(&mut out, of),
            Body::Figure(scene, of) => {
                let _ = writeln!(out, "<figure>{}</figure>", scene.to_standalone_svg(Theme::Light));
                out.push_str("<details><summary>Data as a table</summary>\n");
                table(&mut out, of);
                out.push_str("</details>\n");
            }
            Body::Lists(lists) => {
                for (title, items) in lists {
                    let _ = writeln!(out, "<h3>{}</h3>\n<ul>", Escaped(title));
                    for item in items {
                        let _ = writeln!(out, "<li>{}</li>", Escaped(item));
                    }
                    out.push_str("</ul>\n");
                }
            }
            Body::Verbatim(text) => {
                out.push_str("<pre>");
                for line in text.lines() {
                    let _ = writeln!(out, "{}", Escaped(line));
                }
                out.push_str("</pre>\n");
            }
        }
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn table(out: &mut String, table: &Table) {
    out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
    for head in &table.header {
        let _ = write!(out, "<th scope=\"col\">{}</th>", Escaped(head));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let (open, close) = if column == 0 { ("<th scope=\"row\">", "</th>") } else { ("<td>", "</td>") };
            let _ = write!(out, "{open}{}{close}", Escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}
