//! The finding in a sentence: what the subject gains or loses against the baseline, who pays, and how far the decisions are
//! proven. It says no more than the runs support: with several seeds only what their intervals leave no doubt about, and
//! nothing about mean JCT where the two policies did not finish the same jobs.

use super::comparison::{Comparison, Freshness, Row};
use crate::chart::format;
use crate::metrics::statistics::Estimate;
use crate::scenario::run::{RunResult, TenantResult};

/// A tenant's mean time is the same as before if it changes by less than this.
pub const SAME_TIME_S: f64 = 1.0;

/// So many losers are named; the others are counted.
const NAMED: usize = 4;

/// The headline of the results and the sentences under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// The finding.
    pub title: String,
    /// What qualifies it, a sentence each.
    pub notes: Vec<String>,
}

impl Headline {
    /// The finding of a comparison.
    #[must_use]
    pub fn of(comparison: &Comparison, freshness: Freshness) -> Self {
        let mut notes = Vec::new();
        let title = match (freshness, comparison.subject(), comparison.baseline()) {
            (Freshness::Running { done, planned }, ..) => {
                format!("{} of {} runs are done", count(done), count(planned))
            }
            (Freshness::Incomplete { done, planned }, ..) => {
                format!(
                    "Ended with {} of {} runs done; no comparison is claimed",
                    count(done),
                    count(planned)
                )
            }
            (_, Some(subject), Some(baseline)) => {
                let who = TenantChanges::of(comparison, subject, baseline);
                let title = format!(
                    "{}{}{}",
                    mean_jct(comparison, subject, baseline),
                    who.clause(),
                    in_one_run(comparison)
                );
                notes.extend(who.names());
                notes.extend(who.left_out());
                title
            }
            (_, Some(only), None) | (_, None, Some(only)) => alone(comparison, only),
            _ => "No results yet".to_owned(),
        };
        if let Some(subject) = comparison.subject().or(comparison.baseline()) {
            notes.extend(floors(comparison, subject));
            notes.extend(proof(comparison, subject));
        }
        notes.extend(unfinished(comparison));
        notes.extend(unranked(comparison));
        notes.extend(recorded(comparison));
        notes.extend(effort(comparison));
        Self { title, notes }
    }
}

/// The clause about mean JCT.
fn mean_jct(comparison: &Comparison, subject: &Row, baseline: &Row) -> String {
    let (s, b) = (&subject.title, &baseline.title);
    let (key, of) = if comparison.same_jobs(subject, baseline) {
        ("jct_mean_s", "mean JCT")
    } else {
        ("jct_mean_common_s", "mean JCT of the jobs that every run finished")
    };
    let means = comparison.estimate(subject, key).zip(comparison.estimate(baseline, key));
    let difference = comparison.difference(subject, baseline, |run| run.metrics.get(key));
    let (Some((mean, base)), Some(difference)) = (means, difference) else {
        return format!("{s} and {b} cannot be compared by mean JCT: they finished different jobs");
    };
    if difference.is_undecided() {
        return format!("{s} and {b} finish within the seeds' interval");
    }
    let (larger, smaller) = (mean.mean.max(base.mean), mean.mean.min(base.mean));
    let ratio = format::ratio(larger / smaller);
    if larger <= smaller || ratio == format::ratio(1.0) {
        return format!("{s} and {b} have the same {of}, {}", format::duration(mean.mean));
    }
    if smaller <= 0.0 {
        return format!(
            "{s} has {of} {} against {} under {b}",
            format::duration(mean.mean),
            format::duration(base.mean)
        );
    }
    let verb = if mean.mean < base.mean { "cuts" } else { "lengthens" };
    format!("{s} {verb} {of} {ratio} against {b}")
}

/// How tenants fare under the subject, compared with the baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TenantChanges {
    /// By the mean wait of their jobs.
    pub wait: Losers,
    /// By the mean completion time of their jobs: where slots are shared, jobs may finish later although they wait less.
    pub jct: Losers,
    /// Tenants that can be compared.
    pub compared: usize,
    /// Tenants that have unfinished jobs under one of the two.
    pub not_compared: usize,
}

/// Tenants for which a time is longer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losers {
    /// Certainly, the largest loss first.
    pub certain: Vec<String>,
    /// On average, but within the seeds' interval.
    pub perhaps: Vec<String>,
}

impl TenantChanges {
    /// Compares `subject` with `baseline`, tenant by tenant.
    #[must_use]
    pub fn of(comparison: &Comparison, subject: &Row, baseline: &Row) -> Self {
        let change = |name: &str, figure: fn(&TenantResult) -> Option<f64>| {
            tenant_change(comparison, subject, baseline, name, figure)
        };
        let (mut waits, mut times) = (Vec::new(), Vec::new());
        let mut not_compared = 0;
        for name in tenants(comparison) {
            match (change(&name, |t| t.wait_mean_s), change(&name, |t| t.jct_mean_s)) {
                (Some(wait), Some(jct)) => {
                    waits.push((name.clone(), wait));
                    times.push((name, jct));
                }
                _ => not_compared += 1,
            }
        }
        Self { compared: waits.len(), wait: Losers::of(waits), jct: Losers::of(times), not_compared }
    }

    /// The clause of the headline; nothing where there are fewer than two tenants to speak of.
    fn clause(&self) -> String {
        if self.compared < 2 {
            return String::new();
        }
        let all = count(self.compared);
        let wait = match (self.wait.certain.len(), self.wait.perhaps.len()) {
            (0, 0) => "no tenant waits longer".to_owned(),
            (0, _) => "no tenant waits longer beyond the seeds' interval".to_owned(),
            (1, _) => format!("1 of {all} tenants waits longer"),
            (n, _) => format!("{} of {all} tenants wait longer", count(n)),
        };
        match self.later().len() {
            0 => format!("; {wait}"),
            1 => format!("; {wait}, 1 of {all} finishes later"),
            n => format!("; {wait}, {} of {all} finish later", count(n)),
        }
    }

    /// Who finishes later; nobody where those are the ones that wait longer.
    fn later(&self) -> &[String] {
        let is_told = |name: &String| self.wait.certain.contains(name);
        if self.jct.certain.iter().all(is_told) { &[] } else { &self.jct.certain }
    }

    /// Who loses, by name.
    fn names(&self) -> Option<String> {
        if self.compared < 2 {
            return None;
        }
        let parts: Vec<String> = [
            ("longer", self.wait.certain.as_slice()),
            ("longer, but within the seeds' interval", &self.wait.perhaps),
            ("finish later", self.later()),
        ]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {}", listed(names)))
        .collect();
        (!parts.is_empty()).then(|| sentence(&parts.join("; ")))
    }

    fn left_out(&self) -> Option<String> {
        match self.not_compared {
            0 => None,
            1 => Some("1 tenant is not compared: not all of its jobs finished.".to_owned()),
            n => Some(format!("{} tenants are not compared: not all of their jobs finished.", count(n))),
        }
    }
}

impl Losers {
    fn of(changes: Vec<(String, Estimate)>) -> Self {
        let (perhaps, mut certain): (Vec<_>, Vec<_>) = changes
            .into_iter()
            .filter(|(_, change)| change.mean >= SAME_TIME_S)
            .partition(|(_, change)| change.is_undecided());
        certain.sort_by(|a, b| b.1.mean.total_cmp(&a.1.mean));
        let names = |list: Vec<(String, Estimate)>| list.into_iter().map(|(name, _)| name).collect();
        Self { certain: names(certain), perhaps: names(perhaps) }
    }
}

/// How much a tenant's figure over its completed jobs is higher under `subject` than under `baseline`, seed by seed;
/// `None` where not all of its jobs finished in every run of both, so that the figures are of different jobs.
#[must_use]
pub fn tenant_change(
    comparison: &Comparison,
    subject: &Row,
    baseline: &Row,
    name: &str,
    figure: impl Fn(&TenantResult) -> Option<f64>,
) -> Option<Estimate> {
    comparison.tenant_difference(subject, baseline, name, |tenant| {
        (tenant.completed == tenant.jobs).then(|| figure(tenant)).flatten()
    })
}

/// The names of all tenants, in the order of the first run.
#[must_use]
pub fn tenants(comparison: &Comparison) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (_, run) in comparison.all_runs() {
        names.extend(run.tenants.iter().filter(|t| seen.insert(t.name.clone())).map(|t| t.name.clone()));
    }
    names
}

/// With one seed the finding is about this run alone.
fn in_one_run(comparison: &Comparison) -> &'static str {
    if comparison.planned_seeds() == 1 { ", in this one run" } else { "" }
}

fn alone(comparison: &Comparison, only: &Row) -> String {
    match comparison.estimate(only, "jct_mean_s") {
        Some(mean) => format!("Mean JCT is {} under {}", format::duration(mean.mean), only.title),
        None => format!("No job finished under {}", only.title),
    }
}

/// Whether tenants fell below their quotas.
fn floors(comparison: &Comparison, subject: &Row) -> Option<String> {
    let below = total(comparison, subject, |run| run.metrics.get("floor_violations"))?;
    let rounds: u64 = comparison.runs(subject).map(|run| run.rounds).sum();
    if rounds == 0 {
        return None;
    }
    let of_runs =
        |figure: fn(&RunResult) -> Option<u64>| comparison.runs(subject).map(figure).sum::<Option<u64>>();
    let measured = of_runs(|run| run.account.floor_rounds_measured);
    let is_estimate = measured < of_runs(|run| run.account.floor_rounds);
    let (about, rounds, of_them) = match measured.filter(|_| is_estimate) {
        Some(measured) => {
            ("About ", format::count(rounds), format!(", estimated from {}", format::count(measured)))
        }
        None => ("", format::count(rounds), String::new()),
    };
    let own = total(comparison, subject, |run| run.metrics.get("floor_violations_own"));
    let keeps_its_own = own.is_some_and(|own| own <= 0.0);
    Some(match below {
        b if b <= 0.0 => format!("No tenant fell below its own quota in any of {rounds} rounds{of_them}."),
        // Floors hold in what the policy optimises; one yardstick for all policies has to be another.
        b if keeps_its_own => format!(
            "{} kept every tenant at the worth of its quota in what it optimises; in plain service it planned less {} times in {rounds} rounds{of_them}.",
            subject.title,
            format::number(b, 0)
        ),
        b => format!(
            "{about}{} times in {rounds} rounds{of_them} a tenant fell below its own quota under {}.",
            format::number(b, 0),
            subject.title
        ),
    })
}

/// How many rounds were decided optimally, and the largest gap of the others.
fn proof(comparison: &Comparison, subject: &Row) -> Option<String> {
    let optimal = comparison.runs(subject).map(|run| run.rounds_optimal).sum::<Option<u64>>()?;
    let rounds = comparison.runs(subject).map(|run| run.rounds_solved).sum::<Option<u64>>()?;
    if rounds == 0 {
        return None;
    }
    let open = rounds.saturating_sub(optimal);
    if open == 0 {
        return Some(match rounds {
            1 => "Exact optimum in the one round.".to_owned(),
            _ => format!("Exact optimum in all {} rounds.", format::count(rounds)),
        });
    }
    let gap = comparison.values(subject, |run| run.metrics.get("solver_gap_max")).map_or_else(
        || "no proven gap".to_owned(),
        |gaps| {
            format!("proven gap at most {}", gap_text(gaps.iter().map(|(_, gap)| *gap).fold(0.0, f64::max)))
        },
    );
    Some(format!(
        "Exact optimum in {} of {} rounds, {gap} in the other {}.",
        format::count(optimal),
        format::count(rounds),
        format::count(open)
    ))
}

/// A gap in per cent, rounded up so that "at most" stays true.
fn gap_text(gap: f64) -> String {
    format::percent((gap * 1e4).ceil() / 1e4, 2)
}

/// Jobs that did not finish, policy by policy: where there are any, figures over completed jobs are of different jobs.
fn unfinished(comparison: &Comparison) -> Option<String> {
    let parts: Vec<String> = comparison
        .rows()
        .iter()
        .filter_map(|row| {
            let jobs = total(comparison, row, |run| run.metrics.get("unfinished"))?;
            let why = comparison.runs(row).find_map(|run| run.stopped.as_deref());
            (jobs > 0.0).then(|| match why {
                Some(why) => format!("{} {} ({why})", row.title, format::number(jobs, 0)),
                None => format!("{} {}", row.title, format::number(jobs, 0)),
            })
        })
        .collect();
    (!parts.is_empty()).then(|| sentence(&format!("Jobs left unfinished: {}", parts.join(", "))))
}

/// Jobs whose place in an order was undefined, policy by policy.
fn unranked(comparison: &Comparison) -> Option<String> {
    let parts: Vec<String> = comparison
        .rows()
        .iter()
        .filter_map(|row| {
            let jobs = total(comparison, row, |run| run.account.unranked_jobs.map(f64::from))?;
            (jobs > 0.0).then(|| format!("{} {}", row.title, format::number(jobs, 0)))
        })
        .collect();
    let told = "Jobs that came last at some time because their expression was undefined";
    (!parts.is_empty()).then(|| sentence(&format!("{told}: {}", parts.join(", "))))
}

fn recorded(comparison: &Comparison) -> Option<String> {
    let shown = [comparison.subject(), comparison.baseline()];
    shown
        .into_iter()
        .flatten()
        .find(|row| row.is_recorded())
        .map(|row| format!("{} replays the trace's own times; its cluster may have been another.", row.title))
}

/// Seeds and the time it took.
fn effort(comparison: &Comparison) -> Option<String> {
    if comparison.rows().is_empty() {
        return None;
    }
    let seeds = match comparison.planned_seeds() {
        1 => "One seed, so no statistical claim".to_owned(),
        n => format!("{} seeds", count(n)),
    };
    let wall = comparison.all_runs().map(|(_, run)| run.sim_wall_s).sum::<Option<f64>>();
    Some(
        wall.map_or_else(
            || format!("{seeds}."),
            |s| format!("{seeds}; {} of simulation.", format::duration(s)),
        ),
    )
}

fn total(comparison: &Comparison, row: &Row, value: impl Fn(&RunResult) -> Option<f64>) -> Option<f64> {
    Some(comparison.values(row, value)?.iter().map(|(_, value)| value).sum())
}

/// A name that turns the direction of writing does so for itself alone (Unicode's isolates).
fn isolated(name: &str) -> String {
    let turns = |c: char| matches!(c, '\u{590}'..='\u{8ff}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if name.contains(turns) { format!("\u{2068}{name}\u{2069}") } else { name.to_owned() }
}

fn listed(names: &[String]) -> String {
    let named = names.iter().take(NAMED).map(|name| isolated(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {} more", count(more)),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

fn count(n: usize) -> String {
    format::count(n as u64)
}
