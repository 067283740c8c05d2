//! The words of the page: what is said in more than one place, and every sentence with a number in it.

pub mod experiment;
pub mod explain;
pub mod gantt;
pub mod job_changes;
pub mod kept;
pub mod laboratory;
pub mod machines;
pub mod mapping;
pub mod moment;

use super::comparison;
use super::field;
use super::gavel::Settings;
use super::groups::GroupBy;
use super::link::Remark;
use super::message::Reply;
use super::state::runs::{Cause, Interrupted, Interruption, Lost};
use super::state::{State, View};
use crate::chart::format;
use crate::cluster::Geometry;
use crate::scenario::{NodeSpec, Scenario};
use crate::trace::{ImportReport, Refusal, Skipped};
use crate::units::is_date;
use crate::workload::Outcome;
use crate::workload::synthetic::Fitted;

/// The page's name.
pub const PRODUCT: &str = "STS-Sim";
/// What is at the foot of the page.
pub const VERSION: &str = concat!("STS-Sim ", env!("CARGO_PKG_VERSION"));
/// While a generated workload is being made.
pub const GENERATING: &str = "Generating the jobs";
/// After a run.
pub const RESULTS_READY: &str = "results are ready";
/// After an interrupted run.
pub const LAST_RESULTS_KEPT: &str = "the last finished results are kept";

/// What the glyphs of the key figures mean where several seeds were run.
pub const BETTER_BY_SEEDS: &str = " better than the baseline, supported by the seeds";
/// The other way.
pub const WORSE_BY_SEEDS: &str = " worse, supported by the seeds";
/// Where the interval of the difference holds zero.
pub const NO_DIFFERENCE: &str = " no difference supported by the seeds";
/// What stands beside a mean.
pub const HALF_INTERVAL: &str = " half of the 95\u{202f}% interval of the mean (Student's t)";
/// What the mark in a column means.
pub const BEST_BY_SEEDS: &str = "best: better than every other, seed by seed, at 95\u{202f}%";
/// What the glyphs mean with one seed.
pub const BETTER_IN_ONE_RUN: &str = " better than the baseline in this one run";
/// The other way.
pub const WORSE_IN_ONE_RUN: &str = " worse in this one run";
/// Why nothing is marked best with one seed.
pub const ONE_RUN: &str = "One seed supports no claim beyond this run, so that no figure is marked best.";

/// The head of the break-downs.
pub const GROUPS_TITLE: &str = "Figures by group";
/// The head of the fairness properties.
pub const FAIRNESS_TITLE: &str = "Fairness of decisions";
/// What they are and how many rounds are looked at.
pub const FAIRNESS: &str = "In up to 48 evenly spread rounds, in service per second (reference GPUs). Sharing incentive: each tenant has at \
    least its weighted part of what the whole cluster would be worth to it. Envy: a tenant would have more in another's place, scaled by \
    their weights. Pareto: nobody can have more without taking from somebody. Every failure counted is proven; where exact search would \
    take too long, some may be missed.";

/// What a break-down shows.
#[must_use]
pub fn groups(by: GroupBy, seeds: usize) -> String {
    let what = match by {
        GroupBy::Tenant => "Jobs of each tenant.",
        GroupBy::GpuType => {
            "A job counts at the type it held for longest; service, hours and cost where they were used."
        }
        GroupBy::Class => "A class is a throughput profile and the number of GPUs asked for.",
    };
    if seeds > 1 {
        format!("{what} Means of {seeds} seeds; ≈ where they support no difference.")
    } else {
        format!("{what} One seed: differences are of this one run.")
    }
}

/// `one thing`, `2 things`.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", format::count(count), if count == 1 { one } else { many })
}

/// `1,482 jobs`.
#[must_use]
pub fn jobs(count: u64) -> String {
    counted(count, "job", "jobs")
}

/// `6 policies × 5 seeds = 30 runs`.
#[must_use]
pub fn plan(policies: usize, seeds: usize) -> String {
    let runs = counted((policies * seeds) as u64, "run", "runs");
    let policies = counted(policies as u64, "policy", "policies");
    if seeds == 1 { format!("{policies}, {runs}") } else { format!("{policies} × {seeds} seeds = {runs}") }
}

/// `12 of 30 runs done`.
#[must_use]
pub fn runs_of(done: usize, planned: usize) -> String {
    format!("{done} of {}", counted(planned as u64, "run", "runs"))
}

/// `2 of 30 runs were lost`.
#[must_use]
pub fn lost(lost: usize, planned: usize) -> String {
    let verb = if lost == 1 { "was" } else { "were" };
    format!("{lost} of {} {verb} lost", counted(planned as u64, "run", "runs"))
}

/// What MIG layouts are there, and why not every sum is one of them.
#[must_use]
pub fn mig(geometry: Geometry, possible: usize) -> String {
    match geometry {
        Geometry::MigA100 => format!(
            "7 compute slices share 8 memory slices, so 3g+3g+1g does not exist although 3 + 3 + 1 = 7. Placement uses these \
             {possible} layouts and what fits inside them. With strict geometry decisions know that; with slot count only they \
             add up slots, and what then has no place waits."
        ),
        Geometry::Buddy { .. } => format!(
            "{possible} layouts; a slice begins at a multiple of its size. With strict geometry decisions know that; with slot \
             count only they add up slots, and what then has no place waits."
        ),
    }
}

/// The name of a view.
#[must_use]
pub fn view(view: View) -> &'static str {
    match view {
        View::Start => "Start",
        View::SetUp => "Set up",
        View::Results => "Results",
        View::Experiment => "Experiment",
        View::Laboratory => "Laboratory",
    }
}

/// The name of the tab.
#[must_use]
pub fn title(shown: View, scenario: &str) -> String {
    match (shown, scenario) {
        (View::Start, _) => PRODUCT.to_owned(),
        (View::SetUp | View::Experiment | View::Laboratory, _) | (_, "") => {
            format!("{} · {PRODUCT}", view(shown))
        }
        (View::Results, name) => format!("{name} · {PRODUCT}"),
    }
}

/// What the page does, in a sentence.
#[must_use]
pub fn lede(others: usize) -> String {
    format!(
        "{PRODUCT} replays a GPU job trace under STS-Fairness and {}, in this tab, and shows every difference on the same axes.",
        counted(others as u64, "other scheduler", "other schedulers")
    )
}

/// What can be opened.
#[must_use]
pub fn formats() -> String {
    let titles: Vec<&str> = crate::trace::formats().iter().map(|format| format.title).collect();
    format!("{} · gz, zst, zip, tar", titles.join(" · "))
}

/// The size of a scenario with a generated workload: `600 jobs · 6 tenants · 16 A100-80, 24 V100-16, 24 T4`.
#[must_use]
pub fn facts(scenario: &Scenario) -> String {
    let gpus =
        |row: &NodeSpec| format!("{} {}", u64::from(row.count) * u64::from(row.gpus_per_node), row.gpu);
    let cluster: Vec<String> = scenario.cluster.nodes.iter().map(gpus).collect();
    let workload = scenario.workload.synthetic.as_ref().map(|spec| {
        format!(
            "{} · {} · ",
            jobs(u64::from(spec.jobs)),
            counted(u64::from(spec.tenant_count()), "tenant", "tenants")
        )
    });
    format!("{}{}", workload.unwrap_or_default(), cluster.join(", "))
}

/// What in a link could not be followed, and what was done about it.
#[must_use]
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::NewerVersion { found } => format!(
            "This link was made by a newer version of the page (format {found}; this page has {}). What it knows is loaded.",
            crate::scenario::VERSION
        ),
        Remark::Dropped(parts) => format!(
            "{} not understood and left out; the rest is loaded: {}.",
            match parts.len() {
                1 => "One setting of the link was".to_owned(),
                count => format!("{count} settings of the link were"),
            },
            parts.join(", ")
        ),
        Remark::OtherTrace { expected, found } => format!(
            "The link was made with another trace (fingerprint {expected}; this one is {found}): results will differ from the sender's."
        ),
        Remark::NotOpened { address, why } => format!("{address} was not opened: {why}."),
        Remark::Unreadable(why) => {
            format!(
                "What this link holds cannot be used: {why}. The page shows its own; ask the sender for the link again."
            )
        }
    }
}

/// Why an address of another host is not opened.
pub const OTHER_HOST: &str = "this page asks no host but its own for anything, so that nothing leaves your machine. Download the file and drop it here";

/// An address of a folder.
pub const NO_FILE_NAMED: &str = "it names no file, expected one beside this page, as in traces/july.csv";

/// Why an address gave no file.
#[must_use]
pub fn no_answer(found: &str) -> String {
    format!("its host answered {found}, expected a file. Check the address, or drop the file here")
}

/// What to send along when something is wrong; the reader adds the rest.
#[must_use]
pub fn fault_report(state: &State, build: &str, browser: &str, address: &str) -> String {
    let mut said: Vec<String> = state.remarks.iter().map(remark).collect();
    said.extend(state.kept_fault.clone());
    said.extend(state.faults.iter().map(|(field, fault)| format!("{field}: {}", fault.message)));
    if said.is_empty() {
        said.push("nothing".to_owned());
    }
    format!(
        "What I did:\n\nWhat I expected:\n\nWhat happened:\n\n---\n{VERSION}, build {build}\nView: {}\nThe page says: {}\nBrowser: {browser}\nSet-up: {address}\n",
        view(state.view),
        said.join(" ")
    )
}

/// What stands below the remark on an interrupted run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// Results of the run before.
    RunBefore,
    /// What there is of this run, if anything.
    ThisRun,
}

/// What became of an interrupted run, a sentence each.
#[must_use]
pub fn interruption(interrupted: &Interrupted, below: Below) -> Vec<String> {
    let set = &interrupted.comparison;
    let finished: Vec<&str> = set.finished_policies().into_iter().map(comparison::title).collect();
    let had = if finished.is_empty() {
        "had not finished any policy".to_owned()
    } else {
        format!("had finished {}", finished.join(", "))
    };
    let shown = match below {
        Below::RunBefore => " The results below are those of the run before.",
        Below::ThisRun => "",
    };
    match &interrupted.how {
        Interruption::Cancelled(share) => {
            vec![format!(
                "Cancelled at {}.{shown} The cancelled run {had}.",
                format::percent(share.min(0.99), 0)
            )]
        }
        Interruption::Lost(lost) => {
            let kept = set.results.len() as u64;
            let mut sentences: Vec<String> = lost.iter().take(MOST_LOST).map(lost_run).collect();
            if lost.len() > MOST_LOST {
                sentences.push(format!("{} more were lost.", lost.len() - MOST_LOST));
            }
            sentences.push(format!("{} finished and kept.{shown}", counted(kept, "run was", "runs were")));
            sentences
        }
    }
}

/// Lost runs beyond this many are only counted.
const MOST_LOST: usize = 4;

fn lost_run(lost: &Lost) -> String {
    let Lost { policy, seed, cause, message } = lost;
    match cause {
        Cause::Refused => format!("{policy}, seed {seed}, cannot be run: {message}."),
        Cause::Died => format!(
            "The engine stopped in {policy}, seed {seed}: {message}. This is a fault of {PRODUCT}, or the tab ran out of memory; its \
             worker was replaced."
        ),
    }
}

/// What the jobs of a scenario are called: the trace's file, or the scenario's own name.
#[must_use]
pub fn workload_name(scenario: &Scenario) -> String {
    let trace = scenario.workload.trace.as_ref().map(|trace| trace.path.clone());
    trace.filter(|path| !path.is_empty()).unwrap_or_else(|| scenario.name.clone())
}

/// When more text is pasted than is taken.
pub const TOO_MUCH_PASTED: &str = "More than 5 MB of text. Save it as a file and open that.";
/// What pasted text may look like.
pub const PASTE_EXAMPLE: &str =
    "job,tenant,submit_s,gpus,duration_s\na,vision,0,1,3600\nb,speech,60,0.5,1800";

/// What a failure costs a job.
pub const CHECKPOINT: &str =
    "What a failing node loses came after the last one. Empty: all since the job was loaded.";
/// The beginning of what is measured.
pub const MEASURE_FROM: &str =
    "Leaves out the warm-up: earlier jobs run and do not count. Empty: from the beginning.";
/// The end of what is measured.
pub const MEASURE_TO: &str = "Leaves out the cool-down. Empty: to the end.";
/// The contention of finish-time fairness.
pub const MEASURE_FTF: &str =
    "GPUs asked for over GPUs there are, while a job is present; at least 1. Empty: as it was in the run.";

/// A window that holds nothing.
#[must_use]
pub fn ends_before_it_begins(from_s: f64, to_s: f64) -> String {
    format!(
        "From {} s to {} s holds no job: the end must come after the beginning.",
        field::shown(from_s),
        field::shown(to_s)
    )
}

/// The head of what is said of each GPU of the cluster.
pub const BY_GPU: &str = "Prices and failures";
/// What a failure is.
pub const FAILURES: &str = "A node breaks as a whole; what ran on it goes back to its last checkpoint. Both times are means of exponential draws, by the seed.";
/// The head of the changes of capacity.
pub const CAPACITY: &str = "Changes of capacity";
/// What they are.
pub const CAPACITY_ABOUT: &str = "From a moment on a row has another number of nodes. What runs on nodes that leave is stopped with a checkpoint.";
/// The head of the changes of weights.
pub const WEIGHT_CHANGES: &str = "Weights that change";
/// What they are.
pub const WEIGHT_CHANGES_ABOUT: &str = "The table above has the weights of the beginning. A change holds from the first round that begins at its time or later.";
/// The weight of tenants without one of their own.
pub const DEFAULT_WEIGHT: &str = "Of tenants that are not set one by one.";

/// A tenant that the workload does not have.
#[must_use]
pub fn unknown_tenant(name: &str) -> String {
    format!("No tenant is called {name:?}. Expected a name of the table above.")
}

/// The head of the repairs.
pub const REPAIRS: &str = "Repairs";
/// What they are.
pub const REPAIRS_ABOUT: &str = "Nothing is repaired unless it is chosen here. The files are then read again, and what was changed is listed.";
/// Where no repair is chosen.
pub const NOTHING_REPAIRED: &str = "Nothing is repaired.";
/// The head of what is doubtful.
pub const DOUBTS: &str = "On this cluster";
/// The head of the outcomes that are kept.
pub const KEPT_OUTCOMES: &str = "Keep GPU jobs that";
/// The buttons that save all jobs.
pub const SAVE_CSV: &str = "Jobs (CSV)";
/// The other format.
pub const SAVE_JSON: &str = "Jobs (JSON)";
/// The button that saves the import report.
pub const SAVE_REPORT: &str = "Report (JSON)";
/// When the browser gives no file.
pub const NO_FILE: &str =
    "The browser did not take the file. Try again, or use the command line: sts import --out.";
/// The button that generates a workload like a trace.
pub const MORE_LIKE: &str = "Generate one like this";
/// What it does.
pub const MORE_LIKE_ABOUT: &str = "Jobs drawn at random: submissions by the hour of the day, run times by the number of GPUs, tenants by \
    share, without their names";
/// The button that leaves a fitted workload.
pub const STATE_INSTEAD: &str = "State it instead";
/// The head of the table of GPU types.
pub const TYPE_NAMES: &str = "GPU types in the trace";
/// What it is for.
pub const TYPE_NAMES_ABOUT: &str = "Jobs run on the types that their names stand for, and their run times count as traced on these. Where none \
    of them is in the cluster, a job may run on any type.";
/// The button that fills the table.
pub const TYPE_NAMES_PROPOSE: &str = "Take the nearest type of the cluster for what it lacks";
/// What is there for a name that stands for any type.
pub const ANY_TYPE: &str = "any type";
/// What becomes of jobs whose types are not in the cluster.
pub const RUNS_ON_ANY: &str = "no: any type";

/// What a trace's name of a GPU says by itself.
#[must_use]
pub fn said_by_name(said: Option<&str>) -> String {
    said.map_or_else(|| "Nothing: any type".to_owned(), |model| format!("{model}, by its name"))
}

/// Where the first records left out for one reason are: lines, or elements of a JSON document.
#[must_use]
pub fn first_places(skipped: &Skipped) -> String {
    if skipped.first_records.is_empty() {
        return first_lines(&skipped.first_lines, skipped.count);
    }
    let what = if skipped.count == 1 { "record" } else { "records" };
    format!("{what} {}", first_lines(&skipped.first_records, skipped.count))
}

/// The first lines of `count` records: `3, 7 …`.
#[must_use]
pub fn first_lines(lines: &[u64], count: u64) -> String {
    let more = if count > lines.len() as u64 { " …" } else { "" };
    format!("{}{more}", lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
}

/// A way in which jobs end, and how many did: `failed (12)`.
#[must_use]
pub fn outcome(outcome: Outcome, count: u64) -> String {
    let verb = match outcome {
        Outcome::Completed => "completed",
        Outcome::Failed => "failed",
        Outcome::Cancelled => "were cancelled",
        Outcome::Running => "still ran",
        Outcome::Pending => "never started",
    };
    format!("{verb} ({})", format::count(count))
}

/// What a fitted workload is drawn from.
#[must_use]
pub fn fitted(fitted: &Fitted) -> String {
    let jobs: u64 = fitted.sizes.iter().map(|size| size.jobs).sum();
    format!(
        "Like {} of a trace: submissions by the hour of the day, run times by the number of GPUs ({}), {} by share. Each is drawn by \
         itself; what they have to do with each other is lost.",
        self::jobs(jobs),
        counted(fitted.sizes.len() as u64, "size", "sizes"),
        counted(fitted.tenants.len() as u64, "tenant", "tenants")
    )
}

/// The file name of a workload: `jobs.csv` becomes `jobs-workload.csv`.
#[must_use]
pub fn workload_file(scenario: &Scenario, extension: &str) -> String {
    file_of(&workload_name(scenario), "workload", extension)
}

/// The file name of an import report: `jobs.csv` becomes `jobs-report.json`.
#[must_use]
pub fn report_file(trace: &str) -> String {
    file_of(trace, "report", "json")
}

fn file_of(trace: &str, what: &str, extension: &str) -> String {
    let stem = trace.split(['.', ',']).next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let stem: String = stem.chars().map(plain).collect();
    format!("{}-{what}.{extension}", if stem.is_empty() { "jobs" } else { &stem })
}

/// The name of the window, and of the button that opens it.
pub const GAVEL: &str = "Gavel’s simulator";
/// What it does.
pub const GAVEL_ABOUT: &str = "Runs Gavel’s own traces with its rounds and its policies (Narayanan et al., OSDI 2020), as sts gavel does: \
    to set a result beside those of the literature.";
/// The file name of the example's throughputs.
pub const GAVEL_EXAMPLE_TABLE: &str = "example-throughputs.json";
/// The file name of the example's jobs.
pub const GAVEL_EXAMPLE_TRACE: &str = "example.trace";
/// What the buttons of the rows do.
pub const GAVEL_SAVE: &str = "Save per-job JCTs (CSV)";

/// While a policy of Gavel's runs.
#[must_use]
pub fn gavel_running(policy: &str) -> String {
    format!("Running {policy}")
}

/// A worker that died of a run: `message` as it stands, and what to do.
#[must_use]
pub fn gavel_died(message: &str) -> String {
    format!(
        "{message}. This is a fault of {PRODUCT}, or the tab ran out of memory. The rows there are stay; the next run starts a new worker."
    )
}

/// With what a policy of Gavel's was run: `philly.trace · 36:36:36 · seed 0 · 360 s`.
#[must_use]
pub fn gavel_run(trace: &str, settings: &Settings) -> String {
    format!("{trace} · {} · seed {} · {} s", settings.cluster(), settings.seed, settings.round_s)
}

/// A trace that a link names and does not carry.
#[must_use]
pub fn awaited(path: &str) -> String {
    format!(
        "This scenario is for {path}, which a link does not carry. Open the file here; what is set below then holds for it."
    )
}

/// Why files were refused, with the way out that the page has where the command line has another.
#[must_use]
pub fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::UnknownTable { columns } => format!(
            "It is a table of no known format, with the columns {columns}. Say what its columns are, choose its format, or \
             name the columns submit_s, gpus and duration_s."
        ),
        Refusal::UnknownJson { found, advice } => {
            let gap = if advice.is_empty() { "" } else { " " };
            format!(
                "It is JSON of no known format: found {found}. Choose its format, or load the jobs as a table.{gap}{advice}"
            )
        }
        Refusal::BadMapping { why } => {
            format!("It cannot be read as jobs: {why}. Say what its columns are.")
        }
        Refusal::Unreadable { detail } => format!(
            "It cannot be read: {detail}. A file that was moved or changed since it was chosen has to be chosen again."
        ),
        Refusal::OfFile { file, why } => format!("{file}: {}", self::refusal(why)),
        other => other.to_string(),
    }
}

/// Files of which no record is a job.
#[must_use]
pub fn no_job(report: &ImportReport) -> String {
    if report.not_in_sample() > 0 {
        return format!(
            "Of its {} the sample left {} out, and none of the others is a job. Take a larger sample: one in a smaller number.",
            counted(report.records, "record", "records"),
            format::count(report.not_in_sample())
        );
    }
    format!(
        "It was read as {}, and of its {} none is a job. If it is of another format, choose that; what its columns are can be said too.",
        report.format,
        counted(report.records, "record", "records")
    )
}

/// A column that is in the file.
pub const COLUMN_READ: &str = "read";

/// A column that is not in the file, and nothing stands in for it.
pub const COLUMN_MISSING: &str = "not in the file";

/// A column that is not in the file, and what is taken instead.
#[must_use]
pub fn column_instead(otherwise: &str) -> String {
    format!("not in the file: {otherwise}")
}

/// How many of the columns that a format knows are in the file.
#[must_use]
pub fn columns_read(report: &ImportReport) -> String {
    let found = report.columns.iter().filter(|column| column.found).count() as u64;
    let all = report.columns.len() as u64;
    if found == all {
        return format!("Columns: all {all} that are read are in the file");
    }
    format!("Columns: {found} of the {all} that are read are in the file")
}

/// The menu of documents.
pub const REPORT: &str = "Report";
/// What they hold.
pub const REPORT_ABOUT: &str = "Finding, key figures, charts and what they rest on";
/// The document with drawings.
pub const REPORT_HTML: &str = "one file that opens anywhere";
/// The document with tables.
pub const REPORT_MARKDOWN: &str = "for notes, issues and papers";

/// A worker that answers what it was not asked.
#[must_use]
pub fn answered_else(reply: &Reply) -> String {
    format!("the worker answered something else: {reply:?}")
}

/// A worker that died while reading.
#[must_use]
pub fn died(message: &str) -> String {
    format!(
        "{message}. This is a fault of {PRODUCT}, or the tab ran out of memory. Nothing else was lost; reading again starts a \
         new worker."
    )
}

/// A number of GPUs: whole ones without decimals, shares to the thousandth that is counted.
#[must_use]
pub fn gpus(value: f64) -> String {
    let thousandths = (value * 1000.0).round() % 1000.0;
    let decimals = match () {
        () if thousandths % 1000.0 == 0.0 => 0,
        () if thousandths % 100.0 == 0.0 => 1,
        () if thousandths % 10.0 == 0.0 => 2,
        () => 3,
    };
    format::number(value, decimals)
}

/// A moment in a trace's own origin: a date in UTC where it can only be one.
#[must_use]
pub fn moment(seconds: f64) -> String {
    if !is_date(seconds) {
        return format::elapsed(seconds);
    }
    jiff::Timestamp::from_microsecond((seconds * 1e6).round() as i64)
        .map_or_else(|_| format::elapsed(seconds), |time| time.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(jobs(1), "1\u{a0}job");
        assert_eq!(jobs(44_460), "44,460\u{a0}jobs");
        assert_eq!(plan(6, 5), "6\u{a0}policies × 5 seeds = 30\u{a0}runs");
        assert_eq!(plan(1, 1), "1\u{a0}policy, 1\u{a0}run");
        assert_eq!(lost(1, 30), "1 of 30\u{a0}runs was lost");
    }

    #[test]
    fn files_are_named_after_what_they_hold() {
        let scenario = crate::app::samples::default_scenario();
        assert_eq!(workload_file(&scenario, "csv"), "A-research-cluster-s-days-workload.csv");
        assert_eq!(first_lines(&[3, 7], 9), "3, 7 …");
        assert_eq!(first_lines(&[3], 1), "3");
    }

    #[test]
    fn moments_are_dates_only_where_they_can_only_be_dates() {
        assert_eq!(moment(1_510_531_320.0), "2017-11-13 00:02 UTC");
        assert_eq!(moment(7_200.0), "2\u{a0}h");
        assert!(!is_date(-5.0));
    }
}
