//! Tables on a terminal: columns side by side, numbers to the right.

use comfy_table::{CellAlignment, Table, presets};

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column<'a> {
    /// Words.
    Text(&'a str),
    /// Numbers.
    Number(&'a str),
}

/// The lines of a table whose rows have a cell for each of `columns`, two blanks before each line.
pub(crate) fn lines(columns: &[Column<'_>], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(columns.iter().map(|column| match column {
        Column::Text(head) | Column::Number(head) => *head,
    }));
    table.add_rows(rows);
    for (of_table, column) in table.column_iter_mut().zip(columns) {
        of_table.set_padding((2, 0));
        if matches!(column, Column::Number(_)) {
            of_table.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}
