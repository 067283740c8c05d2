//! The words of the laboratory.

use crate::app::laboratory::answers::{Scale, Solved};
use crate::app::laboratory::draft::Size;
use crate::app::laboratory::examples::Group;
use crate::app::laboratory::number::shown;
use crate::app::strings::counted;
use crate::chart::format;
use crate::cluster::SliceMemory;
use crate::policy::registry;
use crate::solve::answer::{AnswerStatus, Measure};
use crate::solve::misreport::{BestReport, MisreportSearch};

/// What it is.
pub const ABOUT: &str = "A case small enough to check by hand. Change a number: every policy, its fairness and the dynamic program are \
    computed again in this tab.";
/// On the start page.
pub const TEASER: &str = "Worked examples small enough to check by hand: every policy side by side, and the dynamic program’s tables.";
/// Below the table of comparison.
pub const ABOUT_NUMBERS: &str = "Fractions stand where a number is one to the accuracy of the solver. Rates of whole slots are exact to a \
    millionth.";
/// In the head of the instance of a divisible problem.
pub const ABOUT_DIVISIBLE: &str =
    "Rate of a tenant on one device of each type. Devices are divided by time, in any fraction.";
/// In the head of the instance of an integer problem.
pub const ABOUT_INTEGER: &str =
    "Rate of a job at every size it may run at; empty where it may not. A job takes one size or waits.";
/// Where the answers are those of an instance before.
pub const CORRECT_FIRST: &str = "Correct the marked fields; below are the answers before that.";
/// Where an example was changed, or a file opened.
pub const OWN: &str = "An instance of your own. It is kept in the address of this page; the examples above replace it, and Undo brings it back.";
/// Where a browser refuses to save.
pub const NOT_SAVED: &str = "The browser does not allow saving the file.";
/// While answers are being computed.
pub const COMPUTING: &str = "Computing …";
/// What the mark in the comparison says.
pub const GREATEST: &str = "greatest of this measure";
/// What the mark means.
pub const MARKED: &str =
    "greatest among policies with the same measure; what different measures give cannot be compared";
/// About the policies of rounds.
pub const ROUNDS: &str = "Schedulers, deciding one round";
/// About the policies of solve.
pub const PROGRAMS: &str = "Programs and divisions";
/// About the tables.
pub const ABOUT_TABLES: &str = "What the first tenants can be worth together inside so many slots, each with its floor. The path back from the \
    last cell is the optimum. A dot: no way to meet the floors.";
/// About the tables of one tenant's jobs.
pub const ABOUT_JOB_TABLES: &str = "What the first jobs of this tenant can be worth inside so many slots: the last table is what the tenant’s \
    bundles are worth in the tables of the tenants.";
/// Where the policy looked at has no tables of its own.
pub const OTHER_PROGRAM: &str =
    "The policy looked at is not decided by such tables; these are those of STS-Fairness.";
/// How the tables are read by keyboard.
pub const TABLE_KEYS: &str = "Arrow keys move from cell to cell and from table to table; Enter goes to where a value comes from; Home and End go to the \
    first and the last cell";
/// Before a search for false reports.
pub const ABOUT_REPORTS: &str = "A tenant may say something other than the truth. Tried are its rates on a type times 0, 1/3, 1/2, 2 and 3, \
    exchanged rates, the rates of others, one job left out, and 16 random reports.";
/// Where a rate of nothing was typed.
pub const NO_ZERO_RATE: &str = "Must be above 0; leave it empty where the job cannot run.";
/// Where double memory is not possible.
pub const NO_DOUBLE_MEMORY: &str = "Double memory is for 1 slot of a MIG A100.";
/// Where a size is there twice.
pub const SIZE_TAKEN: &str = "This size is there already.";
/// Where there is no text to open.
pub const NO_TEXT: &str = "There is no text yet.";
/// Where a browser refuses a file.
pub const NOT_READ: &str = "The file could not be read; it may have been moved or changed.";
/// Where a file is no small instance by its size alone.
pub const TOO_LARGE: &str = "The file is larger than 1 MB, which no small instance is. Traces are opened in the views Start and Set up.";
/// Where the text that is pasted stands.
pub const PASTE_EXAMPLE: &str = "{\"types\": [{\"name\": \"A100\", \"devices\": 1, \"slots_per_device\": 7, \"layout\": \"uniform\"}],\n \"tenants\": [{\"name\": \
    \"a\", \"rates\": {\"A100\": 1}}]}";

/// Where a worker dies.
#[must_use]
pub fn died(message: &str) -> String {
    format!("The worker failed: {message}. This is a fault of STS-Sim; change the instance to try again.")
}

/// What is said of a file that is no instance.
#[must_use]
pub fn no_instance(why: &str) -> String {
    format!(
        "This is no instance as sts solve takes them: {why}. Traces are opened in the views Start and Set up."
    )
}

/// What a name must be.
#[must_use]
pub fn name_expected(most: usize, used: &str) -> String {
    format!("Must be a name of 1 to {most} characters. Using {used} until it is changed.")
}

/// A name that is there already.
#[must_use]
pub fn name_taken(name: &str) -> String {
    format!("{name} is there already; names must differ.")
}

/// Slots that no slice of a type has.
#[must_use]
pub fn no_such_slice(gpu: &str, sizes: &str) -> String {
    format!("A slice of {gpu} has {sizes} slots.")
}

/// A quota beyond its type.
#[must_use]
pub fn quota_too_large(gpu: &str, most: u32) -> String {
    format!("{gpu} has {} in all.", counted(u64::from(most), "slot", "slots"))
}

/// `2 slots of A100`, `1 slot on each of 4 V100`.
#[must_use]
pub fn size(gpu: &str, size: &Size) -> String {
    let slots = counted(u64::from(size.slots), "slot", "slots");
    let memory = if size.memory == SliceMemory::Double { " with double memory" } else { "" };
    if size.devices == 1 {
        format!("{slots}{memory} of {gpu}")
    } else {
        format!("{slots}{memory} on each of {} {gpu}", size.devices)
    }
}

/// `1 value to correct`.
#[must_use]
pub fn to_correct(count: usize) -> String {
    format!("{} to correct", counted(count as u64, "value", "values"))
}

/// The heading of a group of examples.
#[must_use]
pub fn group(group: Group) -> &'static str {
    match group {
        Group::Divisions => "Divided by time",
        Group::Slots => "Whole slots",
        Group::Weights => "Weights",
        Group::Orders => "Orders",
    }
}

/// What a policy is called.
#[must_use]
pub fn policy(name: &str) -> &str {
    match name {
        "sts-fairness" => "STS-Fairness",
        "brute-force" => "Brute force",
        "equal-split" => "Equal split",
        "max-sum" => "Greatest sum",
        "max-sum-si" => "Sum, sharing incentive",
        "max-sum-ef" => "Sum, no envy",
        "max-sum-si-ef" => "Sum, incentive and no envy",
        "max-min" => "Max-min",
        "nash" => "Nash",
        "equal-throughput" => "Equal throughput",
        "partial-allocation" => "Partial allocation",
        other => registry::spec(other).map_or(other, |spec| spec.title),
    }
}

/// What a policy does, in a sentence.
#[must_use]
pub fn about_policy(name: &str) -> String {
    let own = crate::solve::POLICIES.iter().find(|(own, _)| *own == name).map(|(_, about)| *about);
    let mut about = match (own, registry::spec(name)) {
        (Some(about), _) => about.to_owned(),
        (None, Some(spec)) => format!("one round of {} ({})", spec.title, spec.name),
        (None, None) => String::new(),
    };
    if let Some(first) = about.get(..1) {
        about.replace_range(..1, &first.to_uppercase());
    }
    if !about.is_empty() && !about.ends_with('.') {
        about.push('.');
    }
    about
}

/// What an objective is.
#[must_use]
pub fn scale(scale: &Scale) -> String {
    let measure = match scale.measure {
        Measure::Sum => "sum",
        Measure::LeastRatio => "least ratio",
        Measure::LeastThroughput => "least throughput",
        Measure::Product => "product",
    };
    match scale.unit.as_str() {
        "" => measure.to_owned(),
        "slowest" => format!("{measure}, in slowest rates"),
        "fastest" => format!("{measure}, in fastest rates"),
        "sum" => format!("{measure}, in sums of rates"),
        unit => format!("{measure}, {unit}"),
    }
}

/// What the small figures in the comparison are.
#[must_use]
pub fn held<'n>(types: impl Iterator<Item = &'n str>) -> String {
    format!("Under each rate: what the tenant holds of {}.", types.collect::<Vec<_>>().join(" + "))
}

/// The first of a list, and how many more there are.
#[must_use]
pub fn few(items: &[String]) -> String {
    const MOST: usize = 3;
    match items.len().checked_sub(MOST) {
        None | Some(0) => items.join(", "),
        Some(more) => format!("{}, {more} more", items.get(..MOST).unwrap_or_default().join(", ")),
    }
}

/// How good a decision is: `optimal`, `within 3 %`.
#[must_use]
pub fn status(solved: &Solved) -> String {
    match (solved.answer.status, solved.answer.gap) {
        (AnswerStatus::Optimal, _) => "optimal".to_owned(),
        (AnswerStatus::Infeasible, _) => "infeasible".to_owned(),
        (AnswerStatus::Feasible, Some(gap)) if gap < 0.9995 => format!("gap {}", format::percent(gap, 1)),
        (AnswerStatus::Feasible, _) => "no bound".to_owned(),
    }
}

/// The heading of a decision.
#[must_use]
pub fn objective(solved: &Solved) -> String {
    match solved.answer.objective {
        Some(value) => format!("{} {}", upper(&scale(&solved.scale)), shown(value)),
        None => "No allocation satisfies this".to_owned(),
    }
}

/// The first letter large.
#[must_use]
pub fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How many allocations were looked at.
#[must_use]
pub fn counts(fitting: u64, allowed: u64, optimal: u64) -> String {
    format!(
        "{} fit, {} meet the constraints, {} best.",
        counted(fitting, "allocation", "allocations"),
        format::count(allowed),
        if optimal == 1 { "1 is".to_owned() } else { format!("{} are", format::count(optimal)) }
    )
}

/// What a search for false reports found, over all.
#[must_use]
pub fn found(search: &MisreportSearch) -> String {
    let tried = counted(search.tried, "report", "reports");
    let undecided = match search.undecided {
        0 => String::new(),
        some => format!(", {} undecided", format::count(some)),
    };
    let gains = search.tenants.iter().filter(|best| best.report.is_some()).count();
    if gains == 0 {
        format!("None of {tried} pays{undecided}. That proves nothing about others.")
    } else {
        format!(
            "Not strategy-proof: of {tried}{undecided} some pay {}.",
            counted(gains as u64, "tenant", "tenants")
        )
    }
}

/// One tenant's best report.
#[must_use]
pub fn best_report(best: &BestReport) -> String {
    let truth = shown(best.truthful_rate);
    match (&best.report, best.gain) {
        (None, _) => format!("gains nothing; the truth gives {truth}"),
        (Some(report), Some(gain)) => format!(
            "has {} instead of {truth} ({}) by reporting {report}",
            shown(best.rate),
            format::signed(gain, &format::percent(gain, 1))
        ),
        (Some(report), None) => format!("has {} instead of nothing by reporting {report}", shown(best.rate)),
    }
}

/// How an answer was reached.
#[must_use]
pub fn proof(method: &str) -> String {
    match method.strip_prefix("loss-budget") {
        Some("") => "the loss-budget dynamic program, which is exact and made for whole clusters".to_owned(),
        Some(rest) => {
            format!("the loss-budget dynamic program{rest}; it is exact and made for whole clusters")
        }
        None if method == "dynamic program" => "the dynamic program over whole tables".to_owned(),
        None => method.to_owned(),
    }
}

/// Whether a property holds.
#[must_use]
pub fn holds(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not decided",
    }
}

/// What the last answers were, for those who do not see them.
#[must_use]
pub fn spoken(policy_name: &str, solved: &Solved) -> String {
    match solved.answer.objective {
        Some(value) => {
            format!("{}: {} {}, {}.", policy(policy_name), scale(&solved.scale), shown(value), status(solved))
        }
        None => format!("{}: infeasible.", policy(policy_name)),
    }
}
