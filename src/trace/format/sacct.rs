//! Slurm's accounting, as `sacct -P` or `-p` prints it: with a header, or without one (`-n`) in a known or a guessed layout,
//! separated by bars or by what `--delimiter` says. Its man page (sacct(1)) describes the fields.
//!
//! * Steps (`123.batch`) are parts of jobs that have their own line, and are skipped.
//! * The tasks of an array and the components of a heterogeneous job are jobs; of an array that waits there is one line.
//! * A requeued job has a line for each try under the same id if `-D` was given; each try is a job.
//! * Texts that users write may hold the delimiter or line ends: see [`Reader::mend`] and [`Uneven::Mend`].

mod columns;
mod guess;
pub(super) mod states;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::trace::format::sacct::columns::{Delimiter, is_job_id};
use crate::trace::format::sacct::states::Given;
use crate::trace::format::tres::{self, Census, Grant, Tres};
use crate::trace::format::{Column, Evidence, Format, Layout, RowReader, Shape, Uneven};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::outcome::Outcomes;
use crate::trace::refusal::Refusal;
use crate::trace::repair::Tally;
use crate::trace::rows::{Cells, Comments, Dialect, Header, Quotes, Row};
use crate::trace::sample::Sample;
use crate::trace::value::{self, Bad};
use crate::units::SimSpan;
use crate::workload::Outcome;

macro_rules! command {
    () => {
        "sacct -a -X -P -S 2026-01-01 -E now -o \
         JobID,User,Account,Partition,Submit,Start,End,ElapsedRaw,TimelimitRaw,AllocTRES,ReqTRES,State"
    };
}

pub(super) static FORMAT: Format = Format {
    name: "sacct",
    title: "Slurm sacct",
    help: concat!(
        command!(),
        " (set TZ=UTC). Job steps are skipped where they are. GPUs are gres/gpu of AllocTRES, else of ReqTRES. Any --delimiter of \
         one or two marks is recognised. Files without a header (-n) are read in the layouts of Open XDMoD (26 fields) and Sonar \
         (32 fields); of others the columns are guessed from what they hold, and the report shows the guess."
    ),
    columns: &[
        Column::text("JobID", "Job, array task (123_4) or het component (123+1); steps are skipped.")
            .needed(),
        Column::text("User", "Who submitted it."),
        Column::text("Account", "The tenant.").or("Partition, else User, else unknown"),
        Column::text("Partition", "The tenant if there is no account."),
        Column::number("Submit", None, "a date and time, or epoch seconds", "Submission.").needed(),
        Column::number("Start", None, "as Submit", "Start; Unknown or None when it never started."),
        Column::number("End", None, "as Submit", "End; Unknown while it runs."),
        Column::seconds("ElapsedRaw", "Run time.").or("Elapsed, else End − Start"),
        Column::number(
            "Elapsed",
            None,
            "[days-]hours:minutes:seconds",
            "Run time where ElapsedRaw is missing.",
        ),
        Column::text("AllocTRES", "What it got: gres/gpu=N, or gres/gpu:type=N.").or("ReqTRES"),
        Column::text("ReqTRES", "What it asked for. One of the two, or AllocGRES or ReqGRES, is needed."),
        Column::text("AllocGRES", "What it got, on sites that print it."),
        Column::text("ReqGRES", "What it asked for on each node, on sites that print it."),
        Column::text("State", "How it ended; the first word counts.").or("completed"),
        Column::number(
            "TimelimitRaw",
            Some("min"),
            "whole minutes",
            "The limit it asked for, which EASY plans with.",
        )
        .or("Timelimit, else its run time"),
    ],
    detect,
    shape: Shape::Table { layout, open },
};

/// Whether two readings of a row say the same of its job.
fn is_same(a: &Draft<'_>, b: &Draft<'_>) -> bool {
    let of = |draft: &Draft<'_>| {
        (draft.submit, draft.start, draft.end, draft.duration, draft.gpus, draft.outcome, draft.limit)
    };
    of(a) == of(b) && (&a.tenant, &a.user, &a.gpu_type) == (&b.tenant, &b.user, &b.gpu_type)
}

/// No column.
const NONE: (usize, usize) = (usize::MAX, 0);

/// How many fields more than columns a row may have to be put right in every way: the ways are as many as its square.
const MOST_SURPLUS: usize = 64;

/// How many names of users, accounts and partitions are remembered.
const MOST_NAMES: usize = 100_000;

/// Columns of free text, which may hold the delimiter or a line end; those most likely to first.
const FREE_TEXT: [&str; 6] = ["JobName", "Comment", "SubmitLine", "WorkDir", "AdminComment", "SystemComment"];

/// What exports all that is read of Slurm's accounting.
pub const SACCT_COMMAND: &str = command!();

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    columns::recognise(sample).map(|found| Evidence { score: found.score, text: found.evidence })
}

fn layout(sample: &Sample<'_>) -> Layout {
    let found = columns::recognise(sample);
    let delimiter = found.as_ref().map_or(Delimiter { first: b'|', second: None }, |found| found.delimiter);
    // Slurm does not quote; programs that write commas do.
    let is_csv = b",;".contains(&delimiter.first) && delimiter.second.is_none();
    let dialect = Dialect {
        delimiter: delimiter.first,
        second: delimiter.second,
        quotes: if is_csv { Quotes::Double } else { Quotes::None },
        comments: Comments::None,
        skip: 0,
    };
    Layout { dialect, columns: found.and_then(|found| found.columns), uneven: Uneven::Mend }
}

#[derive(Debug)]
struct Reader {
    id: usize,
    submit: usize,
    user: Option<usize>,
    account: Option<usize>,
    partition: Option<usize>,
    start: Option<usize>,
    end: Option<usize>,
    elapsed_raw: Option<usize>,
    elapsed: Option<usize>,
    limit_raw: Option<usize>,
    limit: Option<usize>,
    alloc_tres: Option<usize>,
    req_tres: Option<usize>,
    alloc_gres: Option<usize>,
    req_gres: Option<usize>,
    nodes: Option<usize>,
    node_list: Option<usize>,
    state: Option<usize>,
    free_text: Vec<usize>,
    jobs: u64,
    steps: u64,
    waiting_arrays: u64,
    het_components: u64,
    mended: Tally,
    drafts: Drafts,
    /// Records of earlier sizes of jobs.
    resized: u64,
    outcomes: Outcomes,
    /// Users, accounts and partitions of rows that have as many fields as columns, where other rows may be read in several ways.
    names: HashSet<Vec<u8>>,
    cluster: Option<usize>,
    first_cluster: Vec<u8>,
}

/// What was noticed about the jobs while they were drafted; given back where a draft comes to nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Drafts {
    gpus: Census,
    unknown_states: u64,
    /// Jobs on several nodes whose ReqGRES, or perhaps AllocGRES, counts for each node; and jobs with a ReqGRES on an unknown
    /// number of nodes.
    asked_per_node: u64,
    perhaps_per_node: u64,
    nodes_unknown: u64,
}

fn open(header: &Header) -> Result<Box<dyn RowReader>, Refusal> {
    let id = header.find("JobID").or(header.find("JobIDRaw"));
    let submit = header.find("Submit");
    let run_time =
        header.find("ElapsedRaw").or(header.find("Elapsed")).or(header.find("Start").and(header.find("End")));
    let gpus =
        ["AllocTRES", "ReqTRES", "AllocGRES", "ReqGRES"].into_iter().find_map(|name| header.find(name));
    let needs = [
        (id, "the column JobID"),
        (submit, "the column Submit, without which nothing can be replayed"),
        (run_time, "a run time (ElapsedRaw, Elapsed, or Start and End)"),
        (gpus, "the GPUs (AllocTRES or ReqTRES)"),
    ];
    let missing: Vec<&str> =
        needs.iter().filter(|(column, _)| column.is_none()).map(|(_, what)| *what).collect();
    let (Some(id), Some(submit), Some(_), Some(_)) = (id, submit, run_time, gpus) else {
        return Err(Refusal::MissingColumns {
            format: FORMAT.name.into(),
            missing: missing.join("; "),
            found: header.list(),
            advice: format!("Export with: {SACCT_COMMAND}"),
        });
    };
    let reader = Reader {
        id,
        submit,
        user: header.find("User"),
        account: header.find("Account"),
        partition: header.find("Partition"),
        start: header.find("Start"),
        end: header.find("End"),
        elapsed_raw: header.find("ElapsedRaw"),
        elapsed: header.find("Elapsed"),
        limit_raw: header.find("TimelimitRaw"),
        limit: header.find("Timelimit"),
        alloc_tres: header.find("AllocTRES"),
        req_tres: header.find("ReqTRES"),
        alloc_gres: header.find("AllocGRES"),
        req_gres: header.find("ReqGRES"),
        nodes: ["AllocNodes", "NNodes", "ReqNodes"].into_iter().find_map(|name| header.find(name)),
        node_list: header.find("NodeList"),
        state: header.find("State"),
        free_text: FREE_TEXT
            .into_iter()
            .filter_map(|name| header.find(name))
            .chain(header.len().checked_sub(1))
            .collect(),
        jobs: 0,
        steps: 0,
        waiting_arrays: 0,
        het_components: 0,
        mended: Tally::default(),
        drafts: Drafts::default(),
        resized: 0,
        outcomes: Outcomes::default(),
        names: HashSet::new(),
        cluster: header.find("Cluster"),
        first_cluster: Vec::new(),
    };
    Ok(Box::new(reader))
}

impl RowReader for Reader {
    fn row<'r>(&mut self, row: &Row<'r>) -> Result<Verdict<'r>, Fault> {
        let id = row.get(self.id);
        if id.contains(&b'.') {
            self.steps += 1;
            return Ok(Verdict::Skip("step"));
        }
        let before = self.drafts;
        let draft = if row.surplus() == 0 { self.draft(row) } else { self.mend(row) };
        let draft = draft.inspect_err(|_| self.drafts = before)?;
        if states::is_earlier_size(&draft.state, draft.end) {
            self.drafts = before;
            self.resized += 1;
            return Ok(Verdict::Skip(states::RESIZED));
        }
        // Only where two texts or more may hold the delimiter are there several ways to read a row.
        if row.surplus() == 0 && self.free_text.len() > 1 {
            for column in [self.user, self.account, self.partition] {
                let name = row.optional(column);
                if !name.is_empty() && self.names.len() < MOST_NAMES && !self.names.contains(name) {
                    self.names.insert(name.to_vec());
                }
            }
        }
        self.jobs += 1;
        self.waiting_arrays += u64::from(id.contains(&b'['));
        self.het_components += u64::from(id.contains(&b'+'));
        Ok(Verdict::Job(draft))
    }

    fn begins(&self, line: &Cells<'_>) -> bool {
        is_job_id(value::trim(line.get(self.id)))
    }

    fn teller(&self) -> usize {
        self.id
    }

    fn close(&mut self) -> Closing {
        let notices = [
            Notice::new(
                "no-gpu-data",
                if self.drafts.gpus.any { 0 } else { self.jobs },
                "jobs, and not one record says anything of GPUs: the site does not account them (gres/gpu is not in \
                 AccountingStorageTRES of slurm.conf; `sacctmgr show tres` lists what is), or these are CPU jobs; nothing \
                 can be simulated",
            ),
            Notice::new(
                "steps-only",
                if self.jobs == 0 { self.steps } else { 0 },
                "records are all steps, and the lines of their jobs are missing; export with -X",
            ),
            Notice::new(
                "waiting-arrays",
                self.waiting_arrays,
                "records stand for several tasks of an array that had not started, as in 123_[5-9]; each counts as one job",
            ),
            Notice::new(
                "het-components",
                self.het_components,
                "records are components of heterogeneous jobs, as in 123+1; each counts as a job of its own, although \
                 Slurm starts them together",
            ),
            Notice::new(
                "unknown-states",
                self.drafts.unknown_states,
                "jobs have an unknown state and count as completed",
            ),
            Notice::new(
                "mended-rows",
                self.mended.count(),
                format!("rows had the delimiter inside a text and were put right{}", self.mended.lines()),
            ),
            Notice::new(
                "gres-per-node",
                self.drafts.asked_per_node,
                "jobs ran on several nodes and have their GPUs in ReqGRES, which counts for each node as --gres does; it was \
                 multiplied by the nodes",
            ),
            Notice::new(
                "gres-perhaps-per-node",
                self.drafts.perhaps_per_node,
                "jobs ran on several nodes and have their GPUs in AllocGRES, which is read as the sum over all nodes; some versions \
                 of Slurm print the number for each node. Export AllocTRES, which is always the sum",
            ),
            Notice::new(
                "gres-without-nodes",
                self.drafts.nodes_unknown,
                "jobs have their GPUs in ReqGRES, which counts for each node, and their number of nodes is not in the file; each \
                 counts as one node. Export NNodes as well, or AllocTRES",
            ),
        ];
        let resized = Notice::new("resized-jobs", self.resized, states::RESIZED_SAYS);
        let notices = notices.into_iter().chain(self.drafts.gpus.notices()).chain([resized]).collect();
        Closing { notices, ..Closing::default() }
    }
}

impl Reader {
    /// The limit asked for; none where it is unlimited, the partition's, or unreadable.
    fn limit_of(&self, row: &Row<'_>) -> Option<SimSpan> {
        let raw = row.optional(self.limit_raw);
        let minutes = value::seconds(raw).ok().map(|minutes| SimSpan(minutes.0.saturating_mul(60)));
        minutes.or_else(|| value::elapsed(row.optional(self.limit)).ok()).filter(|limit| limit.0 > 0)
    }

    /// The id of a job. The numbers of jobs are a cluster's own: with those of other clusters than the first stands its name.
    fn full_id<'r>(&mut self, row: &Row<'r>) -> Cow<'r, str> {
        let (id, cluster) = (row.text(Some(self.id)), row.optional(self.cluster));
        if self.first_cluster.is_empty() {
            self.first_cluster = cluster.to_vec();
        }
        if cluster == self.first_cluster { id } else { format!("{}/{id}", row.text(self.cluster)).into() }
    }

    fn draft<'r>(&mut self, row: &Row<'r>) -> Result<Draft<'r>, Fault> {
        let submit = row.time(self.submit)?;
        let start = row.maybe_time(self.start)?;
        let end = row.maybe_time(self.end)?;
        let elapsed = match row.maybe_seconds(self.elapsed_raw)? {
            Some(elapsed) => Some(elapsed),
            None => row.maybe(self.elapsed, value::elapsed)?,
        };
        let ran = start.zip(end).filter(|(start, end)| start <= end).map(|(start, end)| SimSpan(end - start));
        let grant = self.grant(row)?;
        let state = first_word(row.text(self.state));
        let is_given_nothing = self.alloc_tres.is_some_and(|column| row.get(column).is_empty());
        let given = if is_given_nothing { Given::Nothing } else { Given::Something };
        let never_ran = states::never_ran(&state, elapsed.or(ran), given);
        let (start, end) = (start.filter(|_| !never_ran), end.filter(|_| !never_ran));
        // A job that never started shows an elapsed time of zero, which is no run time.
        let started = !never_ran && (self.start.is_none() || start.is_some());
        let mut ended = self.outcomes.of(&state);
        self.drafts.unknown_states += u64::from(ended.is_none() && !state.is_empty());
        if ended == Some(Outcome::Pending) && start.is_some() && end.is_some() {
            // A try that was ended to be requeued; the next one has its own record.
            ended = Some(Outcome::Cancelled);
        }
        let tenant =
            [self.account, self.partition].into_iter().find(|&c| !row.optional(c).is_empty()).flatten();
        Ok(Draft {
            id: self.full_id(row),
            tenant: row.text(tenant),
            user: row.text(self.user),
            gpu_type: grant.kind,
            state,
            submit,
            gpus: grant.gpus,
            duration: elapsed.or(ran).filter(|_| started),
            start,
            end,
            outcome: ended.unwrap_or(Outcome::Completed),
            limit: self.limit_of(row),
            ..Draft::default()
        })
    }

    /// Reads a row that has more fields than columns, as when a job's name holds the delimiter: the surplus belongs to the column of
    /// free text, or else to the two of them, with which all other columns make sense. Where several make sense, that with the most
    /// users, accounts and partitions of other rows.
    fn mend<'r>(&mut self, row: &Row<'r>) -> Result<Draft<'r>, Fault> {
        if let Some(draft) = self.mend_lists(row)? {
            self.mended.add(row.line());
            return Ok(draft);
        }
        let texts = self.free_text.clone();
        let one: Vec<Row<'r>> = texts.iter().map(|&column| row.widened_at(column)).collect();
        // A command repeats the name of its job.
        let surplus = row.surplus().min(MOST_SURPLUS);
        let pairs = texts.iter().enumerate().flat_map(|(at, &first)| {
            texts.iter().skip(at + 1).flat_map(move |&second| {
                (1..surplus).map(move |by| row.spread([(first, by), (second, row.surplus() - by), NONE]))
            })
        });
        let found = match self.readings(one)? {
            None => self.readings(pairs.collect())?,
            found => found,
        };
        if let Some(draft) = found {
            self.mended.add(row.line());
            return Ok(draft);
        }
        Err(Fault::of_record(
            &format!("{} fields more than columns", row.surplus()),
            "as many fields as the header has",
            "a text or a list has the delimiter in it; use the bars of -P (without --delimiter), and put JobName last in -o",
        ))
    }

    /// The most likely of several ways to read a row; `None` if none makes sense, a fault if two are as likely and differ.
    fn readings<'r>(&mut self, rows: Vec<Row<'r>>) -> Result<Option<Draft<'r>>, Fault> {
        let before = self.drafts;
        let mut best: Option<(usize, Draft<'r>, Drafts)> = None;
        let mut is_tied = false;
        for row in rows {
            let is_text = self.free_text.iter().all(|&column| !goes_on_with_resources(row.get(column)));
            let state = first_word(row.text(self.state));
            let is_state = self.state.is_none() || self.outcomes.of(&state).is_some();
            if !is_text || !is_state || !self.is_plausible(&row) {
                continue;
            }
            self.drafts = before;
            let Ok(draft) = self.draft(&row) else { continue };
            let names = [self.user, self.account, self.partition].map(|column| row.optional(column));
            let known = names.iter().filter(|name| self.names.contains(**name)).count();
            match &best {
                Some((score, ..)) if *score > known => {}
                Some((score, other, _)) if *score == known => is_tied |= !is_same(other, &draft),
                _ => {
                    is_tied = false;
                    best = Some((known, draft, self.drafts));
                }
            }
        }
        self.drafts = best.as_ref().map_or(before, |(.., drafts)| *drafts);
        if is_tied {
            return Err(Fault::of_record(
                "the delimiter inside a text",
                "one way to read the row, and there are several",
                "use a --delimiter that no text holds, and put JobName and Comment last in -o",
            ));
        }
        Ok(best.map(|(_, draft, _)| draft))
    }

    /// Whether what is read of a row can be what its columns say: lists only where lists belong.
    fn is_plausible(&self, row: &Row<'_>) -> bool {
        let lists = [self.alloc_tres, self.req_tres];
        let others = [
            self.user,
            self.account,
            self.partition,
            self.state,
            self.start,
            self.end,
            self.elapsed,
            self.elapsed_raw,
        ];
        lists.into_iter().flatten().all(|column| is_list(row.get(column)))
            && others.into_iter().all(|column| !row.optional(column).contains(&b'='))
            && is_node_list(row.optional(self.node_list))
    }

    /// Reads a row whose surplus is commas in the lists of resources and of nodes, as with `--delimiter=,`. The lists of resources
    /// have no name twice, which tells where one ends and the next begins. `None` if the surplus is something else; a fault if it
    /// may be read in two ways.
    fn mend_lists<'r>(&mut self, row: &Row<'r>) -> Result<Option<Draft<'r>>, Fault> {
        let mut lists: Vec<usize> = [self.alloc_tres, self.req_tres].into_iter().flatten().collect();
        lists.sort_unstable();
        let surplus = row.surplus() - usize::from(row.ends_empty());
        let second = lists.get(1).copied();
        let Some(&first) =
            lists.first().filter(|_| row.is_as_written() && (1..=MOST_SURPLUS).contains(&surplus))
        else {
            return Ok(None);
        };
        let of_nodes = 0..=if self.node_list.is_some() { surplus } else { 0 };
        let mut found: Option<Draft<'r>> = None;
        for nodes in of_nodes {
            let rest = surplus - nodes;
            for by in if second.is_some() { 0..=rest } else { rest..=rest } {
                let spread = row.spread([
                    (first, by),
                    (second.unwrap_or(usize::MAX), rest - by),
                    (self.node_list.unwrap_or(usize::MAX), nodes),
                ]);
                if !self.is_plausible(&spread) {
                    continue;
                }
                let before = self.drafts;
                let Ok(draft) = self.draft(&spread) else { continue };
                match &found {
                    Some(known) if (known.gpus, &known.gpu_type) != (draft.gpus, &draft.gpu_type) => {
                        return Err(Fault::of_record(
                            "commas between and inside AllocTRES and ReqTRES",
                            "lists of resources that are told apart",
                            "use the bars of -P (without --delimiter)",
                        ));
                    }
                    Some(_) => self.drafts = before,
                    None => found = Some(draft),
                }
            }
        }
        Ok(found)
    }

    /// The GPUs of a job.
    fn grant<'r>(&mut self, row: &Row<'r>) -> Result<Grant<'r>, Fault> {
        let named = |column: Option<usize>, read: &dyn Fn(&'r [u8]) -> Result<Tres<'r>, Bad>| {
            let text = row.optional(column);
            if text.is_empty() {
                return Ok(Tres::Empty);
            }
            read(text).map_err(|bad| row.fault(column.unwrap_or(usize::MAX), bad))
        };
        let got = named(self.alloc_tres, &tres::tres)?;
        let asked = named(self.req_tres, &tres::tres)?;
        let mut held = tres::held(got, asked);
        // Old sites print GPUs only here.
        if !matches!(held, Tres::Gpus(_)) {
            let stated = value::whole(row.optional(self.nodes));
            let nodes = stated.unwrap_or(1).max(1);
            // --gres counts per node, and ReqGRES is what was asked for with it.
            let asked = named(self.req_gres, &|text| tres::gres(text, nodes, nodes))?;
            let got = named(self.alloc_gres, &|text| tres::gres(text, nodes, 1))?;
            let may_be_each = got == named(self.alloc_gres, &|text| tres::gres(text, 1, 1))?;
            match (got, asked) {
                (Tres::Gpus(got), asked) => {
                    // The sum of what was asked for on all nodes is no number for each node.
                    let is_sum = matches!(&asked, Tres::Gpus(asked) if asked.gpus == got.gpus);
                    self.drafts.perhaps_per_node += u64::from(nodes > 1 && may_be_each && !is_sum);
                    held = Tres::Gpus(got);
                }
                (Tres::Empty, Tres::Gpus(asked)) => {
                    self.drafts.asked_per_node += u64::from(nodes > 1);
                    self.drafts.nodes_unknown += u64::from(stated.is_none());
                    held = Tres::Gpus(asked);
                }
                (Tres::Shares, _) | (_, Tres::Shares) => held = Tres::Shares,
                _ => {}
            }
        }
        Ok(self.drafts.gpus.take(held))
    }
}

/// Whether this is a list of resources, `cpu=8,gres/gpu=1`, that names none twice; an empty text is one.
fn is_list(text: &[u8]) -> bool {
    let mut names: Vec<&[u8]> = Vec::new();
    text.is_empty()
        || !text.iter().any(|byte| b"|;\t".contains(byte))
            && text.split(|&byte| byte == b',').all(|item| {
                let name = item.split(|&byte| byte == b'=').next().filter(|name| name.len() < item.len());
                let is_new = name.is_some_and(|name| !name.is_empty() && !names.contains(&name));
                names.extend(name);
                is_new
            })
}

/// Whether a text has resources behind a comma that are no text of a user's: the rest of a list in another column.
fn goes_on_with_resources(text: &[u8]) -> bool {
    const RESOURCES: [&[u8]; 5] = [b"cpu=", b"mem=", b"node=", b"billing=", b"gres/gpu"];
    text.split(|&byte| byte == b',').any(|item| RESOURCES.iter().any(|name| item.starts_with(name)))
}

/// Whether this can be a list of nodes: every bracket is closed, as in `n[1-2,5],m3`, and there is nothing in it that names have not.
fn is_node_list(text: &[u8]) -> bool {
    let count = |mark: u8| text.iter().filter(|&&byte| byte == mark).count();
    count(b'[') == count(b']')
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.,[]() ".contains(byte))
}

/// The first word: `CANCELLED by 1234` is cancelled.
fn first_word(state: Cow<'_, str>) -> Cow<'_, str> {
    match state {
        Cow::Borrowed(state) => Cow::Borrowed(state.split_whitespace().next().unwrap_or("")),
        Cow::Owned(state) => Cow::Owned(state.split_whitespace().next().unwrap_or("").to_owned()),
    }
}
