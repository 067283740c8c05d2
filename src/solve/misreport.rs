//! Whether a tenant can gain by a false report: a search over a finite set of reports, tenant by tenant.
//!
//! The reports: the rates of one type times 0, 1/3, 1/2, 2 and 3; the rates of two types exchanged; in a divisible problem the rates of
//! another tenant; in an integer problem one job left out; and so many reports in which every rate is multiplied by a random fraction
//! a / b with a and b from 1 to 9, seeded. The allocation that the policy then chooses is worth to the tenant what its true rates say;
//! where several allocations are optimal, the one that the policy returns counts. A gain found refutes strategy-proofness; that none
//! is found proves nothing beyond the reports tried.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::answer::{Answer, AnswerStatus};
use super::instance::{Instance, InstanceTenant};
use super::{SolveError, solve};
use crate::policy::param::ParamValue;

/// A gain counts from this on, relative to what telling the truth gives or to 1.
const GAIN: f64 = 1e-6;

/// Factors of one type's rates.
const FACTORS: [(f64, &str); 5] = [(0.0, "0"), (1.0 / 3.0, "1/3"), (0.5, "1/2"), (2.0, "2"), (3.0, "3")];

/// What a search over false reports found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MisreportSearch {
    /// Reports tried.
    pub tried: u64,
    /// Reports that the policy could not decide.
    pub undecided: u64,
    /// The most that any tenant gained, relative to telling the truth; 0 when nobody gained.
    pub best_gain: f64,
    /// Every tenant's best report, in the order of the instance.
    pub tenants: Vec<BestReport>,
}

/// One tenant's best report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestReport {
    /// The tenant.
    pub tenant: String,
    /// What it has when it tells the truth.
    pub truthful_rate: f64,
    /// What it has, by its true rates, with its best false report; the same as the truth when none gains.
    pub rate: f64,
    /// `rate / truthful_rate - 1`; `None` when the truth gives nothing.
    pub gain: Option<f64>,
    /// The report in words, where it gains.
    pub report: Option<String>,
    /// What the tenant says instead of its true self, where it gains.
    pub reported: Option<InstanceTenant>,
}

/// Searches for false reports that pay under a policy, with `random` random ones for every tenant, and notes in the answer what was
/// found.
///
/// # Errors
/// Those of [`solve`] for the instance as it is.
pub fn misreports(
    instance: &Instance,
    policy: &str,
    params: &BTreeMap<String, ParamValue>,
    random: u32,
    answer: &mut Answer,
) -> Result<(), SolveError> {
    let truthful = solve(instance, policy, params)?;
    let mut search = MisreportSearch { tried: 0, undecided: 0, best_gain: 0.0, tenants: Vec::new() };
    for (index, tenant) in instance.tenants.iter().enumerate() {
        let truthful_rate = true_rate(instance, index, &truthful);
        let mut best = BestReport {
            tenant: tenant.name.clone(),
            truthful_rate,
            rate: truthful_rate,
            gain: (truthful_rate > 0.0).then_some(0.0),
            report: None,
            reported: None,
        };
        for (words, reported) in reports(instance, index, random) {
            search.tried += 1;
            let mut other = instance.clone();
            other.tenants[index] = reported.clone();
            let rate = match solve(&other, policy, params) {
                Ok(answer) if answer.status != AnswerStatus::Infeasible => {
                    true_rate(instance, index, &answer)
                }
                _ => {
                    search.undecided += 1;
                    continue;
                }
            };
            if rate > best.rate + GAIN * truthful_rate.max(GAIN) {
                best.rate = rate;
                best.gain = (truthful_rate > 0.0).then(|| rate / truthful_rate - 1.0);
                (best.report, best.reported) = (Some(words), Some(reported));
            }
        }
        search.best_gain = search.best_gain.max(best.gain.unwrap_or(0.0));
        search.tenants.push(best);
    }
    if search.tenants.iter().any(|best| best.report.is_some()) {
        answer.properties.strategy_proof = Some(false);
    }
    answer.misreports = Some(search);
    Ok(())
}

/// What an allocation is worth to a tenant by its true rates.
fn true_rate(instance: &Instance, tenant: usize, answer: &Answer) -> f64 {
    let truth = &instance.tenants[tenant];
    let own = answer.allocation.iter().filter(|row| row.tenant == truth.name);
    own.map(|row| match (&row.job, row.share) {
        (Some(job), _) => {
            let job = truth.jobs.iter().flatten().find(|of_tenant| &of_tenant.name == job);
            let option = job.and_then(|job| {
                let same = |o: &&super::instance::InstanceOption| {
                    o.gpu == row.gpu && Some(o.slots) == row.slots && Some(o.devices) == row.devices
                };
                job.options.iter().filter(same).max_by(|a, b| a.rate.total_cmp(&b.rate))
            });
            option.map_or(0.0, |option| option.rate)
        }
        (None, share) => {
            let rate = truth.rates.as_ref().and_then(|rates| rates.get(&row.gpu)).copied().unwrap_or(0.0);
            rate * share.unwrap_or(0.0)
        }
    })
    .sum()
}

/// False reports of a tenant, each in words.
fn reports(instance: &Instance, index: usize, random: u32) -> Vec<(String, InstanceTenant)> {
    let truth = &instance.tenants[index];
    let types: Vec<&str> = instance.types.iter().map(|t| t.name.as_str()).collect();
    let mut reports = Vec::new();
    for &gpu in &types {
        for (factor, words) in FACTORS {
            let scaled = with_rates(truth, |of, rate| if of == gpu { rate * factor } else { rate });
            reports.push((format!("its rates on {gpu} times {words}"), scaled));
        }
    }
    for (i, &a) in types.iter().enumerate() {
        for &b in &types[i + 1..] {
            if let Some(exchanged) = exchanged(truth, a, b) {
                reports.push((format!("its rates on {a} and {b} exchanged"), exchanged));
            }
        }
    }
    if truth.rates.is_some() {
        for other in instance.tenants.iter().filter(|other| other.name != truth.name) {
            let copied = InstanceTenant { rates: other.rates.clone(), ..truth.clone() };
            reports.push((format!("the rates of {}", other.name), copied));
        }
    }
    for job in truth.jobs.iter().flatten() {
        let jobs = truth.jobs.iter().flatten().filter(|other| other.name != job.name).cloned().collect();
        reports.push((
            format!("without its job {}", job.name),
            InstanceTenant { jobs: Some(jobs), ..truth.clone() },
        ));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(index as u64);
    for number in 1..=random {
        let mut digit = || f64::from(1 + rng.next_u32() % 9);
        let scaled = with_rates(truth, |_, rate| rate * digit() / digit());
        reports.push((format!("every rate times a random fraction, report {number}"), scaled));
    }
    reports.retain(|(_, reported)| reported != truth);
    reports
}

/// A tenant with other rates, in millionths; options without a rate are left out.
fn with_rates(truth: &InstanceTenant, mut rate: impl FnMut(&str, f64) -> f64) -> InstanceTenant {
    let mut reported = truth.clone();
    let mut micro = |gpu: &str, old: f64| (rate(gpu, old) * 1e6).round() / 1e6;
    for (gpu, rate) in reported.rates.iter_mut().flatten() {
        *rate = micro(gpu, *rate);
    }
    for job in reported.jobs.iter_mut().flatten() {
        for option in &mut job.options {
            option.rate = micro(&option.gpu, option.rate);
        }
        job.options.retain(|option| option.rate > 0.0);
    }
    reported
}

/// A divisible tenant that says of one type what is true of another.
fn exchanged(truth: &InstanceTenant, a: &str, b: &str) -> Option<InstanceTenant> {
    let rates = truth.rates.as_ref()?;
    let (of_a, of_b) = (rates.get(a).copied(), rates.get(b).copied());
    let mut rates = rates.clone();
    for (gpu, rate) in [(a, of_b), (b, of_a)] {
        match rate {
            Some(rate) => rates.insert(gpu.to_string(), rate),
            None => rates.remove(gpu),
        };
    }
    Some(InstanceTenant { rates: Some(rates), ..truth.clone() })
}
