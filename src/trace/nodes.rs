//! Lists of machines, which people drop where a job trace is expected: recognised, counted, and said to be what they are.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::trace::refusal::Refusal;
use crate::trace::report::Kind;
use crate::trace::rows::{Cells, Comments, Dialect, Header, Quotes};
use crate::trace::sample::Sample;
use crate::trace::value;

/// What a node list holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeReport {
    /// The trace format it belongs to.
    pub format: String,
    /// Nodes.
    pub kind: Kind,
    /// Machines; `null` when the list counts GPUs only.
    pub nodes: Option<u64>,
    /// GPUs.
    pub gpus: f64,
    /// Machines of each GPU model, in order of first appearance.
    pub models: IndexMap<String, u64>,
}

impl std::fmt::Display for NodeReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.nodes {
            Some(nodes) => {
                write!(f, "it is a list of machines ({}), {nodes} nodes with {} GPUs", self.format, self.gpus)
            }
            None => write!(
                f,
                "it is a list of GPU quotas a day ({}), {} GPUs on the last",
                self.format, self.gpus
            ),
        }
    }
}

/// Where a kind of list has what.
#[derive(Debug, Clone, Copy)]
struct Layout {
    format: &'static str,
    /// Columns by which it is recognised, from the first; empty for a list without a header.
    header: &'static [&'static str],
    gpus: usize,
    model: Option<usize>,
    rows: RowsAre,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowsAre {
    Machines,
    /// One row a day; the last column is the sum.
    Days,
    /// One row: switches, nodes per switch, GPUs per node.
    Shape,
}

const LAYOUTS: [Layout; 6] = [
    Layout {
        format: "openb-2023",
        header: &["sn", "cpu_milli", "memory_mib", "gpu", "model"],
        gpus: 3,
        model: Some(4),
        rows: RowsAre::Machines,
    },
    Layout {
        format: "spot-2026",
        header: &["gpu_model", "gpu_capacity_num", "cpu_num", "node_name"],
        gpus: 1,
        model: Some(0),
        rows: RowsAre::Machines,
    },
    Layout {
        format: "philly-json",
        header: &["machineId", "number of GPUs", "single GPU mem"],
        gpus: 1,
        model: Some(2),
        rows: RowsAre::Machines,
    },
    Layout { format: "pai-2020", header: &[], gpus: 4, model: Some(1), rows: RowsAre::Machines },
    Layout { format: "helios-csv", header: &["date"], gpus: 0, model: None, rows: RowsAre::Days },
    Layout {
        format: "tiresias",
        header: &["num_switch", "num_node_p_switch", "num_gpu_p_node"],
        gpus: 0,
        model: None,
        rows: RowsAre::Shape,
    },
];

/// Counts a node list.
#[derive(Debug)]
pub(super) struct NodeList {
    layout: Layout,
    rows: u64,
    report: NodeReport,
}

impl NodeList {
    /// A counter for the list that begins like `sample`, if it is one.
    pub(super) fn recognise(sample: &Sample<'_>) -> Option<Self> {
        let header = sample.header();
        let layout = LAYOUTS.into_iter().find(|layout| match layout.rows {
            RowsAre::Days => {
                header.len() > 2 && header.name(0) == "date" && header.name(header.len() - 1) == "total"
            }
            _ if layout.header.is_empty() => is_machine_spec(header),
            _ => {
                layout.header.iter().enumerate().all(|(at, name)| header.name(at).eq_ignore_ascii_case(name))
            }
        })?;
        let report = NodeReport {
            format: layout.format.into(),
            kind: Kind::Nodes,
            nodes: (layout.rows != RowsAre::Days).then_some(0),
            gpus: 0.0,
            models: IndexMap::new(),
        };
        Some(Self { layout, rows: 0, report })
    }

    pub(super) fn dialect(sample: &Sample<'_>) -> Dialect {
        Dialect {
            delimiter: sample.delimiter(),
            second: None,
            quotes: Quotes::Double,
            comments: Comments::Hash,
        }
    }

    /// Counts one row.
    pub(super) fn row(&mut self, cells: Cells<'_>) {
        self.rows += 1;
        if self.rows == 1 && !self.layout.header.is_empty() {
            return;
        }
        let number = |column: usize| {
            value::gpus(value::trim(cells.get(column))).map_or(0.0, crate::units::MilliGpus::as_gpus)
        };
        match self.layout.rows {
            RowsAre::Machines => {
                self.report.nodes = self.report.nodes.map(|n| n + 1);
                self.report.gpus += number(self.layout.gpus);
                if let Some(model) = self.layout.model {
                    let model = String::from_utf8_lossy(value::trim(cells.get(model))).into_owned();
                    *self.report.models.entry(model).or_insert(0) += 1;
                }
            }
            RowsAre::Days => self.report.gpus = number(cells.len().saturating_sub(1)),
            RowsAre::Shape => {
                let nodes = number(0) * number(1);
                self.report.nodes = self.report.nodes.map(|n| n + nodes as u64);
                self.report.gpus += nodes * number(2);
            }
        }
    }

    /// What was counted, as the refusal that says so.
    pub(super) fn finish(self) -> Refusal {
        Refusal::NodeList(Box::new(self.report))
    }
}

/// Whether the first line is one of `pai_machine_spec`: a machine (24 hex digits), its GPU type, and three numbers.
fn is_machine_spec(first: &Header) -> bool {
    let names = first.names();
    let is_number = |at: usize| names.get(at).is_some_and(|n| n.parse::<f64>().is_ok());
    let machine = names.first().map_or("", String::as_str);
    names.len() == 5
        && machine.len() == 24
        && machine.bytes().all(|b| b.is_ascii_hexdigit())
        && (2..5).all(is_number)
}
