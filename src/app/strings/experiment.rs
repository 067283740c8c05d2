//! The words of the experiment.

use super::counted;
use crate::app::comparison;
use crate::app::experiment::{Course, LostRun, Phase};
use crate::chart::format;
use crate::scenario::Scenario;
use crate::scenario::sweep::{Factor, Sweep, level_text};

/// What it is for.
pub const ABOUT: &str = "The comparison of the set-up at several values of one or two things, with every policy and seed: how do figures answer?";
/// What the form is about.
pub const FORM: &str = "Everything else stays as it is in the set-up.";
/// What set-ups side by side are about.
pub const SET_UPS: &str = "Kept set-ups and the set-up as it stands, each with the policies and seeds below. The first is what others are compared with.";
/// Where there is none yet.
pub const NO_SET_UP: &str =
    "None is kept yet. Keep the set-up as it stands, change it, and come back: both will stand side by side.";
/// How numbers are written.
pub const NUMBERS: &str = "A list, 8, 16, 32, or equal steps, 8 to 64 by 8.";
/// What the questions are about.
pub const WHAT_IF: &str = "Runs the set-up with these and tells what changes.";
/// The set-up was changed after the experiment was begun.
pub const STALE: &str = "Of the set-up as it was: it has been changed since.";
/// Before the cursor is there.
pub const POINT: &str = "Point at the chart to read it.";
/// So many lost runs are listed.
pub const MOST_LOST: usize = 50;

/// `36 GPUs: 12 V100-16, 24 T4 · rounds of 360 s`: what a set-up is.
#[must_use]
pub fn summary(scenario: &Scenario) -> String {
    let rows = scenario.cluster.nodes.iter().map(|row| {
        let gpus = u64::from(row.count) * u64::from(row.gpus_per_node);
        let cut = if row.layout == "whole" { String::new() } else { format!(" {}", row.layout) };
        (gpus, format!("{} {}{cut}", format::count(gpus), row.gpu))
    });
    let rows: Vec<(u64, String)> = rows.collect();
    let gpus: u64 = rows.iter().map(|(gpus, _)| gpus).sum();
    let texts: Vec<&str> = rows.iter().map(|(_, text)| text.as_str()).collect();
    let round = format::duration(scenario.round.length_s);
    let jobs = match (&scenario.workload.trace, &scenario.workload.synthetic) {
        (Some(trace), _) => trace.path.clone(),
        (None, Some(spec)) => format!("{} generated", super::jobs(spec.jobs.into())),
        (None, None) => "no jobs".to_owned(),
    };
    format!("{}: {} · rounds of {round} · {jobs}", counted(gpus, "GPU", "GPUs"), texts.join(", "),)
}

/// `5 values × 3 policies × 5 seeds = 75 runs`.
#[must_use]
pub fn plan(sweep: &Sweep) -> String {
    let values = sweep.axes.iter().map(|axis| match axis.factor {
        Factor::SetUp => counted(axis.levels.len() as u64, "set-up", "set-ups"),
        _ => counted(axis.levels.len() as u64, "value", "values"),
    });
    let policies = counted(sweep.base.policies.len() as u64, "policy", "policies");
    let seeds = counted(sweep.base.seeds.len() as u64, "seed", "seeds");
    let parts: Vec<String> = values.chain([policies, seeds]).collect();
    let (all, to_run) = (sweep.runs.len(), sweep.to_carry_out().count());
    let fewer = if to_run < all {
        format!(", of which {} differ", format::count(to_run as u64))
    } else {
        String::new()
    };
    format!("{} = {}{fewer}", parts.join(" × "), counted(all as u64, "run", "runs"))
}

/// Where it stands.
#[must_use]
pub fn status(course: &Course) -> String {
    let (done, planned) = course.runs();
    let runs = super::runs_of(done, planned);
    match course.phase {
        Phase::Running => runs,
        Phase::Paused => format!("Paused · {runs}; what is with a worker is carried on"),
        Phase::Cancelled => format!("Cancelled · {runs}"),
        Phase::Ended => {
            let known = match course.taken_over {
                0 => String::new(),
                known => format!(", {} from the results", format::count(known as u64)),
            };
            format!("Done · {runs}{known}")
        }
    }
}

/// Time left, or taken.
#[must_use]
pub fn time(course: &Course, now_s: f64) -> String {
    match course.seconds_left(now_s) {
        Some(left) => format!("{} left", format::duration(left)),
        None if course.is_open() => String::new(),
        None => format::duration(course.elapsed_s(now_s)),
    }
}

/// What is read out: at beginning and end, and at every quarter.
#[must_use]
pub fn spoken(course: &Course, percent: u32) -> String {
    match course.phase {
        Phase::Running => format!("Experiment, {} %", percent / 25 * 25),
        _ => status(course),
    }
}

/// `3 runs gave no result`.
#[must_use]
pub fn lost(count: usize) -> String {
    format!("{} gave no result", counted(count as u64, "run", "runs"))
}

/// Which run, and why.
#[must_use]
pub fn lost_run(sweep: &Sweep, lost: &LostRun) -> String {
    let Some(run) = sweep.runs.get(lost.run) else { return lost.message.clone() };
    let policy = sweep.base.policies.get(run.policy).map_or("", |choice| comparison::title(choice));
    format!("{policy} at {}, seed {}: {}", sweep.place(run.point), run.seed, lost.message)
}

/// `Means of 5 seeds with their 95 % intervals.`
#[must_use]
pub fn shown(sweep: &Sweep) -> String {
    match sweep.base.seeds.len() {
        1 => "One seed.".to_owned(),
        seeds if sweep.axes.len() > 1 => format!("Means of {seeds} seeds."),
        seeds => format!("Means of {seeds} seeds with their 95\u{202f}% intervals."),
    }
}

/// `GPUs, NVIDIA …: 24 instead of 16`: a point of one axis against the first.
#[must_use]
pub fn instead(sweep: &Sweep, point: usize) -> String {
    let Some(axis) = sweep.axes.first() else { return String::new() };
    match (axis.levels.first(), axis.levels.get(point)) {
        (Some(own), Some(other)) => {
            format!(
                "{}: {} instead of {}",
                axis.factor.title(&sweep.base),
                level_text(other),
                level_text(own)
            )
        }
        _ => axis.factor.title(&sweep.base),
    }
}

/// What the table of changes says.
#[must_use]
pub fn changes(sweep: &Sweep) -> String {
    match sweep.base.seeds.len() {
        1 => "The change of each figure; one seed supports no claim beyond this run.".to_owned(),
        seeds => format!(
            "The change of each figure, in the mean of {seeds} seeds; ≈ where they support no difference."
        ),
    }
}

/// What stands in a file.
#[must_use]
pub fn footnote(sweep: &Sweep) -> String {
    let axes: Vec<String> = sweep.axes.iter().map(ToString::to_string).collect();
    let seeds = counted(sweep.base.seeds.len() as u64, "seed", "seeds");
    format!("{} · {} · {seeds} · {}", super::workload_name(&sweep.base), axes.join("; "), super::VERSION)
}
