//! Lists of machines, which people drop with a job trace or in place of one: recognised, counted, and grouped into what a
//! cluster is made of.

mod kubernetes;
mod plain;
mod slurm;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::trace::latin;
use crate::trace::report::{self, Kind};
use crate::trace::rows::{Cells, Comments, Dialect, Header, Quotes};
use crate::trace::sample::Sample;
use crate::trace::value;
use crate::units::MilliGpus;

pub(super) use kubernetes::NodeObjects;

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
    /// Machines with equal numbers of GPUs of one model, in order of first appearance; those without GPUs are left out.
    pub groups: Vec<NodeGroup>,
    /// GPUs of each virtual cluster on the last day, where the list says them.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub quotas: IndexMap<String, f64>,
    /// Rows whose number of GPUs cannot be read; they are not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unread: u64,
    /// Lines of the first of them, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread_lines: Vec<u64>,
    /// GPUs among [`gpus`](Self::gpus) that are parts of one: MIG slices, or replicas of a GPU that is shared in time.
    #[serde(default, skip_serializing_if = "is_none")]
    pub parts: f64,
    /// Machines that are said to be down or drained; they are counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub out_of_service: u64,
}

/// Equal machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeGroup {
    /// What the list calls their GPUs; empty when it does not say.
    pub model: String,
    /// GPUs in each.
    pub gpus_per_node: u32,
    /// How many.
    pub nodes: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_none(number: &f64) -> bool {
    *number <= 0.0
}

impl NodeReport {
    /// What to know before a cluster is made of it, a sentence each.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.unread > 0 {
            let lines = report::lines(&self.unread_lines, self.unread);
            remarks.push(format!("{} rows cannot be read and are not counted{lines}", self.unread));
        }
        if self.parts > 0.0 {
            remarks.push(format!(
                "{} of the GPUs are MIG slices or replicas of shared GPUs and are counted as whole ones: enter the devices and their layout \
                 instead",
                self.parts
            ));
        }
        if self.out_of_service > 0 {
            remarks.push(format!(
                "{} machines are down or drained and are counted all the same",
                self.out_of_service
            ));
        }
        remarks
    }
}

impl std::fmt::Display for NodeReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.nodes {
            Some(nodes) => {
                write!(f, "a list of machines ({}), {nodes} nodes with {} GPUs", self.format, self.gpus)?;
            }
            None => {
                write!(f, "a list of GPU quotas a day ({}), {} GPUs on the last", self.format, self.gpus)?;
            }
        }
        for (at, group) in self.groups.iter().take(SHOWN_GROUPS).enumerate() {
            let (gap, model) = (if at == 0 { ": " } else { ", " }, &group.model);
            let blank = if model.is_empty() { "" } else { " " };
            write!(f, "{gap}{} x {}{blank}{model}", group.nodes, group.gpus_per_node)?;
        }
        if self.groups.len() > SHOWN_GROUPS {
            write!(f, ", … ({} groups in all)", self.groups.len())?;
        }
        for remark in self.remarks() {
            write!(f, "; {remark}")?;
        }
        Ok(())
    }
}

/// How many lines of rows that cannot be read are told.
const SHOWN_LINES: usize = 5;
/// How many groups of machines a sentence lists.
const SHOWN_GROUPS: usize = 12;

/// Where a kind of list has what.
#[derive(Debug, Clone, Copy)]
struct Layout {
    format: &'static str,
    /// Columns by which it is recognised, in any order.
    header: &'static [&'static str],
    /// The column with the GPUs of a machine, or of the day.
    gpus: &'static str,
    model: Option<&'static str>,
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
        header: &["sn", "gpu", "model"],
        gpus: "gpu",
        model: Some("model"),
        rows: RowsAre::Machines,
    },
    Layout {
        format: "spot-2026",
        header: &["gpu_model", "gpu_capacity_num", "node_name"],
        gpus: "gpu_capacity_num",
        model: Some("gpu_model"),
        rows: RowsAre::Machines,
    },
    Layout {
        format: "philly-json",
        header: &["machineId", "number of GPUs", "single GPU mem"],
        gpus: "number of GPUs",
        model: Some("single GPU mem"),
        rows: RowsAre::Machines,
    },
    Layout {
        format: "pai-2020",
        header: MACHINE_SPEC,
        gpus: "cap_gpu",
        model: Some("gpu_type"),
        rows: RowsAre::Machines,
    },
    Layout {
        format: "helios-csv",
        header: &["date", "total"],
        gpus: "total",
        model: None,
        rows: RowsAre::Days,
    },
    Layout {
        format: "tiresias",
        header: &["num_switch", "num_node_p_switch", "num_gpu_p_node"],
        gpus: "num_gpu_p_node",
        model: None,
        rows: RowsAre::Shape,
    },
];

/// The columns of `pai_machine_spec`, which has no header.
const MACHINE_SPEC: &[&str] = &["machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"];

/// Counts a node list.
#[derive(Debug)]
pub(super) struct NodeList {
    kind: Layouts,
    /// Whether the next row is the header.
    has_header: bool,
    count: Count,
}

/// How a list is written.
#[derive(Debug)]
enum Layouts {
    /// As one that is published with a trace.
    Published(Layout, Columns, Header),
    /// As people write them.
    Plain(plain::Plain),
    /// As Slurm prints it.
    Slurm(slurm::Printed),
}

/// Machines being counted.
#[derive(Debug)]
struct Count {
    /// Machines by model and number of GPUs.
    groups: IndexMap<(String, u32), u64>,
    report: NodeReport,
}

/// Where the columns that count are.
#[derive(Debug, Clone, Copy)]
struct Columns {
    gpus: usize,
    model: Option<usize>,
}

impl NodeList {
    /// A counter for the list that begins like `sample`, if it is one.
    pub(super) fn recognise(sample: &Sample<'_>) -> Option<Self> {
        Self::published(sample).or_else(|| {
            let plain = Layouts::Plain(plain::Plain::recognise(sample.header())?);
            Some(Self { kind: plain, has_header: true, count: Count::new("sts-csv", Some(0)) })
        })
    }

    /// The same of lists as they come with a trace or from Slurm, which cannot be anything else.
    pub(super) fn published(sample: &Sample<'_>) -> Option<Self> {
        if let Some(printed) = slurm::Printed::recognise(sample) {
            let has_header = printed.has_header();
            return Some(Self {
                kind: Layouts::Slurm(printed),
                has_header,
                count: Count::new("sacct", Some(0)),
            });
        }
        let machine_spec = Header::new(MACHINE_SPEC.iter().map(|name| name.as_bytes()));
        let is_nameless = is_machine_spec(sample);
        let header = if is_nameless { &machine_spec } else { sample.header() };
        let layout = LAYOUTS.into_iter().find(|layout| match layout.rows {
            RowsAre::Days => {
                header.len() > 2 && header.name(0) == "date" && header.name(header.len() - 1) == "total"
            }
            _ => layout.header.iter().all(|name| header.find(name).is_some()),
        })?;
        let columns = Columns {
            gpus: header.find(layout.gpus)?,
            model: layout.model.and_then(|model| header.find(model)),
        };
        let count = Count::new(layout.format, (layout.rows != RowsAre::Days).then_some(0));
        let first_is_header =
            sample.fields().next().is_some_and(|f| f.eq_ignore_ascii_case(header.name(0).as_bytes()));
        let published = Layouts::Published(layout, columns, header.clone());
        Some(Self { kind: published, has_header: first_is_header, count })
    }

    /// How it is cut into fields.
    pub(super) fn dialect(&self, sample: &Sample<'_>) -> Dialect {
        let delimiter = match &self.kind {
            Layouts::Slurm(_) => slurm::delimiter(sample),
            Layouts::Published(..) | Layouts::Plain(_) => sample.delimiter(),
        };
        Dialect { delimiter, second: None, quotes: Quotes::Double, comments: Comments::Hash, skip: 0 }
    }

    /// Counts one row.
    pub(super) fn row(&mut self, cells: Cells<'_>) {
        if std::mem::take(&mut self.has_header) {
            return;
        }
        match &mut self.kind {
            Layouts::Published(layout, columns, names) => layout.row(*columns, names, cells, &mut self.count),
            Layouts::Plain(plain) => plain.row(cells, &mut self.count),
            Layouts::Slurm(printed) => printed.row(cells, &mut self.count),
        }
    }

    /// What was counted.
    pub(super) fn finish(mut self) -> NodeReport {
        if let Layouts::Slurm(printed) = &mut self.kind {
            printed.end(&mut self.count);
        }
        self.count.finish()
    }
}

impl Layout {
    /// Counts one row of such a list.
    fn row(&self, columns: Columns, names: &Header, cells: Cells<'_>, count: &mut Count) {
        let number = |column: usize| value::gpus(value::trim(cells.get(column))).ok();
        let Some(gpus) = number(columns.gpus) else {
            return count.unread(cells.line);
        };
        match self.rows {
            RowsAre::Machines => {
                let model = columns.model.map(|model| value::trim(cells.get(model))).unwrap_or_default();
                count.machine(latin::decode(model), gpus);
            }
            RowsAre::Days => {
                count.report.gpus = gpus.as_gpus();
                let quotas = (1..columns.gpus).filter_map(|vc| {
                    let quota = number(vc).filter(|quota| quota.0 > 0)?;
                    Some((names.name(vc).to_owned(), quota.as_gpus()))
                });
                count.report.quotas = quotas.collect();
            }
            RowsAre::Shape => {
                let whole = |column| number(column).map_or(0, |n| u64::from(n.0 / 1000));
                count.add(String::new(), gpus, whole(0) * whole(1));
            }
        }
    }
}

impl Count {
    fn new(format: &str, nodes: Option<u64>) -> Self {
        let report = NodeReport {
            format: format.into(),
            kind: Kind::Nodes,
            nodes,
            gpus: 0.0,
            models: IndexMap::new(),
            groups: Vec::new(),
            quotas: IndexMap::new(),
            unread: 0,
            unread_lines: Vec::new(),
            parts: 0.0,
            out_of_service: 0,
        };
        Self { groups: IndexMap::new(), report }
    }

    /// Notes a row that cannot be read.
    fn unread(&mut self, line: u64) {
        self.report.unread += 1;
        if self.report.unread_lines.len() < SHOWN_LINES {
            self.report.unread_lines.push(line);
        }
    }

    /// Notes that so many GPUs of a machine are parts of one.
    fn parts(&mut self, gpus: MilliGpus) {
        self.report.parts += gpus.as_gpus();
    }

    /// Notes the state of a machine, as Slurm writes it.
    fn state(&mut self, state: &str) {
        const OUT: [&str; 5] = ["down", "drain", "drng", "fail", "maint"];
        let state = state.to_ascii_lowercase();
        self.report.out_of_service += u64::from(OUT.iter().any(|word| state.contains(word)));
    }

    /// Counts one machine.
    fn machine(&mut self, model: String, gpus: MilliGpus) {
        self.machines(model, gpus, 1);
    }

    /// Counts machines with so many GPUs each.
    fn machines(&mut self, model: String, gpus: MilliGpus, nodes: u64) {
        *self.report.models.entry(model.clone()).or_insert(0) += nodes;
        self.add(model, gpus, nodes);
    }

    /// Counts GPUs of another model in a machine that is counted already.
    fn beside(&mut self, model: String, gpus: MilliGpus) {
        let nodes = self.report.nodes;
        self.machine(model, gpus);
        self.report.nodes = nodes;
    }

    /// Counts `nodes` machines with so many GPUs each.
    fn add(&mut self, model: String, gpus: MilliGpus, nodes: u64) {
        self.report.nodes = self.report.nodes.map(|n| n.saturating_add(nodes));
        self.report.gpus += gpus.as_gpus() * nodes as f64;
        let gpus_per_node = gpus.whole_devices();
        if gpus_per_node == 0 || nodes == 0 {
            return;
        }
        *self.groups.entry((model, gpus_per_node)).or_insert(0) += nodes;
    }

    fn finish(self) -> NodeReport {
        let groups = self.groups.into_iter();
        let group = |((model, gpus_per_node), nodes)| NodeGroup { model, gpus_per_node, nodes };
        NodeReport { groups: groups.map(group).collect(), ..self.report }
    }
}

/// Whether the first line is one of `pai_machine_spec`: a machine (24 hex digits), its GPU type, and three numbers.
fn is_machine_spec(sample: &Sample<'_>) -> bool {
    let fields: Vec<&[u8]> = sample.fields().collect();
    let is_number = |field: &&[u8]| value::gpus(field).is_ok();
    let machine = fields.first().copied().unwrap_or_default();
    fields.len() == MACHINE_SPEC.len()
        && machine.len() == 24
        && machine.iter().all(u8::is_ascii_hexdigit)
        && fields.iter().skip(2).all(is_number)
}
