//! Workloads from a seed: arrivals, sizes, durations, tenants and models drawn from stated distributions.
//!
//! The same description gives the same workload on every machine: random bits come from ChaCha8, logarithms and the like from
//! `libm`, and times are whole seconds. Each job draws from a stream of its own, so that the first jobs are the same however many
//! there are (of bursts, all but the last).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assign::Refusal;
use super::mix::Mix;
use super::profile::{self, measured_in_slices};
use super::{JobRecord, Outcome, Presence, TextColumn, Workload};
use crate::draws::Draws;
use crate::units::{MICROS_PER_S, MilliGpus, SimSpan, SimTime, TenantId};

/// A synthetic workload. Everything has a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SyntheticSpec {
    /// Jobs.
    pub jobs: u32,
    /// When they are submitted.
    pub arrivals: Arrivals,
    /// Tenants, `tenant-1` and so on.
    pub tenants: u32,
    /// How unequal tenants are: tenant i submits in proportion to i^−skew; 0 = equally.
    pub tenant_skew: f64,
    /// How long jobs run, on a V100 of 16 GB unless `profiles.reference_gpu` says otherwise.
    pub duration: Durations,
    /// How many GPUs jobs ask for.
    pub gpus: Vec<GpuShare>,
    /// Relative weights of the models; empty = the models measured in slices, all equally likely.
    pub models: BTreeMap<String, f64>,
    /// The seed.
    pub seed: u64,
}

/// The pattern of submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalKind {
    /// Independent of each other, at a constant rate.
    #[default]
    Poisson,
    /// Bursts at a constant rate; the jobs of one burst are of one tenant.
    Bursty,
    /// Independent of each other, at a rate that swings with the time of day; the workload begins at midnight, when it is lowest.
    Diurnal,
    /// All at once.
    Batch,
}

/// When jobs are submitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Arrivals {
    /// The pattern.
    pub kind: ArrivalKind,
    /// Jobs an hour, in the mean over days; no effect on `batch`.
    pub rate_per_hour: f64,
    /// Mean jobs of a burst (`bursty`).
    pub burst_jobs: f64,
    /// Length of a burst in seconds (`bursty`).
    pub burst_s: f64,
    /// How far the rate swings, as a share of its mean: 0 = not at all, 1 = down to nothing (`diurnal`).
    pub swing: f64,
}

/// Durations: lognormal, cut to a range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Durations {
    /// Half of the jobs run shorter.
    pub median_s: f64,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Shorter ones run this long.
    pub min_s: f64,
    /// Longer ones run this long.
    pub max_s: f64,
}

/// A request size and how often it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GpuShare {
    /// GPUs: a fraction of one, or a whole number.
    pub gpus: f64,
    /// Relative weight.
    pub weight: f64,
}

impl Default for SyntheticSpec {
    fn default() -> Self {
        let share = |(gpus, weight)| GpuShare { gpus, weight };
        let gpus = [(0.25, 5.0), (0.5, 5.0), (1.0, 75.0), (2.0, 6.0), (4.0, 5.0), (8.0, 4.0)];
        Self {
            jobs: 1000,
            arrivals: Arrivals::default(),
            tenants: 4,
            tenant_skew: 0.0,
            duration: Durations::default(),
            gpus: gpus.map(share).to_vec(),
            models: BTreeMap::new(),
            seed: 0,
        }
    }
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { kind: ArrivalKind::Poisson, rate_per_hour: 60.0, burst_jobs: 7.0, burst_s: 300.0, swing: 0.8 }
    }
}

impl Default for Durations {
    fn default() -> Self {
        Self { median_s: 3600.0, sigma: 1.3, min_s: 60.0, max_s: 86_400.0 }
    }
}

/// The most jobs a synthetic workload can have.
pub const MAX_JOBS: u32 = 1_000_000;
const MAX_TENANTS: u32 = 10_000;
const MAX_GPUS: f64 = 4096.0;
const DAY_S: f64 = 86_400.0;

impl SyntheticSpec {
    /// Checks every value.
    ///
    /// # Errors
    /// The first [`Refusal`].
    pub fn check(&self) -> Result<(), Refusal> {
        in_range("jobs", f64::from(self.jobs), 1.0, f64::from(MAX_JOBS))?;
        in_range("arrivals.rate_per_hour", self.arrivals.rate_per_hour, 1e-3, 1e6)?;
        in_range("arrivals.burst_jobs", self.arrivals.burst_jobs, 1.0, 1e4)?;
        in_range("arrivals.burst_s", self.arrivals.burst_s, 0.0, 1e6)?;
        in_range("arrivals.swing", self.arrivals.swing, 0.0, 1.0)?;
        in_range("tenants", f64::from(self.tenants), 1.0, f64::from(MAX_TENANTS))?;
        in_range("tenant_skew", self.tenant_skew, 0.0, 10.0)?;
        in_range("duration.median_s", self.duration.median_s, 1.0, 1e8)?;
        in_range("duration.sigma", self.duration.sigma, 0.0, 10.0)?;
        in_range("duration.min_s", self.duration.min_s, 1.0, 1e8)?;
        in_range("duration.max_s", self.duration.max_s, self.duration.min_s, 1e8)?;
        for (index, share) in self.gpus.iter().enumerate() {
            let gpus = share.gpus;
            if !(0.001..=MAX_GPUS).contains(&gpus) || (gpus > 1.0 && gpus.fract() > 0.0) {
                let expected = format!("a number from 0.001 to 1, or a whole number up to {MAX_GPUS}");
                return Err((format!("gpus[{index}].gpus"), gpus.to_string(), expected));
            }
            in_range(&format!("gpus[{index}].weight"), share.weight, 0.0, 1e6)?;
        }
        if self.sizes().is_empty() {
            return Err(("gpus".into(), "no weight above 0".into(), "at least one size".into()));
        }
        for (model, &weight) in &self.models {
            let key = format!("models.{model}");
            if profile::find(model).is_none() {
                return Err((key, model.clone(), "a profile, such as resnet/64".into()));
            }
            in_range(&key, weight, 0.0, 1e6)?;
        }
        if self.model_mix().1.is_empty() {
            return Err(("models".into(), "no weight above 0".into(), "at least one model".into()));
        }
        Ok(())
    }

    fn sizes(&self) -> Mix<MilliGpus> {
        let milli = |gpus: f64| MilliGpus((gpus * 1000.0).round() as u32);
        Mix::new(self.gpus.iter().map(|share| (milli(share.gpus), share.weight)))
    }

    /// The names of all models, and what is drawn: positions among them.
    fn model_mix(&self) -> (Vec<String>, Mix<u32>) {
        if self.models.is_empty() {
            let names: Vec<String> = measured_in_slices().map(|id| id.profile().name.clone()).collect();
            let mix = Mix::new((0..names.len() as u32).map(|index| (index, 1.0)));
            (names, mix)
        } else {
            let mix = Mix::new((0u32..).zip(self.models.values().copied()));
            (self.models.keys().cloned().collect(), mix)
        }
    }

    fn tenant_mix(&self) -> Mix<TenantId> {
        Mix::new((0..self.tenants).map(|i| (TenantId(i), libm::pow(f64::from(i + 1), -self.tenant_skew))))
    }
}

fn in_range(key: &str, value: f64, min: f64, max: f64) -> Result<(), Refusal> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err((key.to_string(), value.to_string(), format!("a number from {min} to {max}")))
    }
}

/// A submission, and its tenant where the pattern decides it.
struct Arrival {
    submit_s: f64,
    tenant: Option<TenantId>,
}

/// Generates the workload of a checked `spec`. Its first job is submitted at 0.
#[must_use]
pub fn generate(spec: &SyntheticSpec) -> Workload {
    let (models, model_mix) = spec.model_mix();
    let (sizes, tenants) = (spec.sizes(), spec.tenant_mix());
    let mut arrivals = arrivals(spec, &tenants);
    arrivals.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    let origin_s = arrivals.first().map_or(0.0, |first| first.submit_s);
    let mut names = TextColumn::default();
    let jobs = arrivals.iter().zip(1u64..).map(|(arrival, number)| {
        let mut draws = Draws::stream(spec.seed, number);
        let tenant = tenants.at(draws.bits()).unwrap_or_default();
        let gpus = sizes.at(draws.bits()).unwrap_or(MilliGpus(1000));
        let model = model_mix.at(draws.bits());
        let logarithm = libm::log(spec.duration.median_s) + spec.duration.sigma * draws.normal();
        let duration_s = libm::exp(logarithm).clamp(spec.duration.min_s, spec.duration.max_s);
        names.push(&format!("job-{number}"));
        JobRecord {
            submit: SimTime(whole_seconds(arrival.submit_s - origin_s).0),
            gpus,
            workers: if gpus.is_fractional() { 1 } else { gpus.whole_devices() },
            duration: Some(whole_seconds(duration_s)),
            start: None,
            end: None,
            tenant: arrival.tenant.unwrap_or(tenant),
            user: None,
            gpu_type: None,
            model,
            memory_mb: 0,
            min_slots: 0,
            outcome: Outcome::Completed,
            limit: None,
            presence: Presence::Arrives,
        }
    });
    let jobs = jobs.collect();
    Workload {
        jobs,
        names,
        tenants: (1..=spec.tenants).map(|i| format!("tenant-{i}")).collect(),
        models,
        ..Workload::default()
    }
}

fn whole_seconds(seconds: f64) -> SimSpan {
    SimSpan((seconds.round() as i64).saturating_mul(MICROS_PER_S))
}

fn arrivals(spec: &SyntheticSpec, tenants: &Mix<TenantId>) -> Vec<Arrival> {
    let pattern = &spec.arrivals;
    let gap_s = 3600.0 / pattern.rate_per_hour;
    let mut draws = Draws::stream(spec.seed, 0);
    let mut found = Vec::with_capacity(spec.jobs as usize);
    let mut now_s = 0.0;
    while (found.len() as u32) < spec.jobs {
        match pattern.kind {
            ArrivalKind::Batch => found.push(Arrival { submit_s: 0.0, tenant: None }),
            ArrivalKind::Poisson => {
                now_s += draws.exponential(gap_s);
                found.push(Arrival { submit_s: now_s, tenant: None });
            }
            ArrivalKind::Diurnal => {
                // Thinning: candidates at the highest rate, kept in proportion to the rate of their hour.
                let highest = 1.0 + pattern.swing;
                now_s += draws.exponential(gap_s / highest);
                let hour = libm::cos(2.0 * std::f64::consts::PI * (now_s / DAY_S));
                if draws.uniform() * highest < 1.0 - pattern.swing * hour {
                    found.push(Arrival { submit_s: now_s, tenant: None });
                }
            }
            ArrivalKind::Bursty => {
                now_s += draws.exponential(gap_s * pattern.burst_jobs);
                let tenant = tenants.at(draws.bits());
                let left = spec.jobs - found.len() as u32;
                for _ in 0..burst_size(&mut draws, pattern.burst_jobs).min(left) {
                    let submit_s = now_s + pattern.burst_s * draws.uniform();
                    found.push(Arrival { submit_s, tenant });
                }
            }
        }
    }
    found
}

/// Geometric, at least 1, with this mean.
fn burst_size(draws: &mut Draws, mean: f64) -> u32 {
    if mean <= 1.0 {
        return 1;
    }
    let trials = libm::log(1.0 - draws.uniform()) / libm::log(1.0 - 1.0 / mean);
    1 + trials.min(1e6) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submits_s(workload: &Workload) -> Vec<i64> {
        workload.jobs.iter().map(|job| job.submit.0 / MICROS_PER_S).collect()
    }

    fn with(kind: ArrivalKind) -> SyntheticSpec {
        SyntheticSpec { arrivals: Arrivals { kind, ..Arrivals::default() }, ..SyntheticSpec::default() }
    }

    #[test]
    fn the_first_jobs_of_seed_zero_are_these() {
        let workload = generate(&SyntheticSpec { jobs: 6, ..SyntheticSpec::default() });
        let lines: Vec<String> = workload
            .jobs
            .iter()
            .map(|job| {
                let model = &workload.models[job.model.expect("a model") as usize];
                let duration_s = job.duration.expect("a duration").as_secs();
                format!("{} {} {duration_s} {} {model}", job.submit.as_secs(), job.gpus.0, job.tenant)
            })
            .collect();
        let expected = [
            "0 1000 225 3 cyclegan/3",
            "38 2000 2939 1 cyclegan/4",
            "110 250 2408 0 resnet/512",
            "113 1000 2153 3 mobilenet/512",
            "240 1000 3196 0 gnn/256",
            "288 1000 841 0 embedding/128",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn more_jobs_do_not_change_the_first() {
        for kind in [ArrivalKind::Poisson, ArrivalKind::Diurnal, ArrivalKind::Batch] {
            let few = generate(&SyntheticSpec { jobs: 50, ..with(kind) });
            let many = generate(&SyntheticSpec { jobs: 200, ..with(kind) });
            assert_eq!(few.jobs, many.jobs[..50]);
            assert_ne!(few.jobs, generate(&SyntheticSpec { jobs: 50, seed: 1, ..with(kind) }).jobs);
        }
    }

    #[test]
    fn arrivals_follow_their_pattern() {
        for kind in [ArrivalKind::Poisson, ArrivalKind::Bursty, ArrivalKind::Diurnal, ArrivalKind::Batch] {
            let workload = generate(&SyntheticSpec { jobs: 6000, ..with(kind) });
            let at = submits_s(&workload);
            assert_eq!((at.len(), at[0]), (6000, 0));
            assert!(at.windows(2).all(|pair| pair[0] <= pair[1]), "in order");
            let hours = (at[5999] - at[0]) as f64 / 3600.0;
            match kind {
                ArrivalKind::Batch => assert_eq!(at[5999], 0),
                _ => assert!(
                    (85.0..115.0).contains(&hours),
                    "{kind:?}: 6000 jobs at 60 an hour took {hours} hours"
                ),
            }
            // Jobs that follow another within a minute and a half by the same tenant: many in bursts.
            let pairs = workload.jobs.windows(2);
            let close = pairs
                .filter(|p| p[1].submit.since(p[0].submit).as_secs() < 90.0 && p[0].tenant == p[1].tenant);
            let share = close.count() as f64 / 6000.0;
            assert!(if kind == ArrivalKind::Bursty { share > 0.6 } else { share < 0.3 }, "{kind:?}: {share}");
        }
        let diurnal = submits_s(&generate(&SyntheticSpec { jobs: 6000, ..with(ArrivalKind::Diurnal) }));
        let by_day = diurnal.iter().filter(|s| (21_600..64_800).contains(&(*s % 86_400))).count();
        assert!(by_day > 4000, "{by_day} of 6000 between 6 and 18 o'clock");
    }

    #[test]
    fn sizes_durations_and_tenants_have_their_distributions() {
        let spec = SyntheticSpec { jobs: 20_000, tenant_skew: 1.0, tenants: 2, ..SyntheticSpec::default() };
        let workload = generate(&spec);
        let share = |of: &dyn Fn(&JobRecord) -> bool| {
            workload.jobs.iter().filter(|j| of(j)).count() as f64 / 20_000.0
        };
        assert!((share(&|j| j.gpus.0 == 1000) - 0.75).abs() < 0.02);
        assert!((share(&|j| j.gpus.0 == 8000 && j.workers == 8) - 0.04).abs() < 0.01);
        assert!((share(&|j| j.gpus.0 == 250 && j.workers == 1) - 0.05).abs() < 0.01);
        assert!((share(&|j| j.tenant == TenantId(0)) - 2.0 / 3.0).abs() < 0.02);
        assert!((share(&|j| j.duration.is_some_and(|d| d.as_secs() < 3600.0)) - 0.5).abs() < 0.02);
        let within = |j: &JobRecord| j.duration.is_some_and(|d| (60.0..=86_400.0).contains(&d.as_secs()));
        assert!(share(&within) > 0.99999);
        let one_sigma = 3600.0 * std::f64::consts::E.powf(1.3);
        assert!((share(&|j| j.duration.is_some_and(|d| d.as_secs() < one_sigma)) - 0.841).abs() < 0.02);
    }

    #[test]
    fn a_description_is_json_with_defaults_and_wrong_values_are_refused_by_key() {
        let json = r#"{"jobs": 10, "arrivals": {"kind": "bursty", "rate_per_hour": 30}, "seed": 1, "models": {"gnn/64": 1}}"#;
        let spec: SyntheticSpec = serde_json::from_str(json).expect("valid JSON");
        assert_eq!(spec.check(), Ok(()));
        assert_eq!((spec.arrivals.kind, spec.tenants), (ArrivalKind::Bursty, 4));
        assert_eq!(generate(&spec).models, ["gnn/64"]);
        let back = serde_json::to_string(&spec).expect("it is plain data");
        assert_eq!(serde_json::from_str::<SyntheticSpec>(&back).expect("valid JSON"), spec);
        for (json, key) in [
            (r#"{"jobs": 0}"#, "jobs"),
            (r#"{"tenants": 0}"#, "tenants"),
            (r#"{"arrivals": {"rate_per_hour": 0}}"#, "arrivals.rate_per_hour"),
            (r#"{"arrivals": {"swing": 2}}"#, "arrivals.swing"),
            (r#"{"duration": {"min_s": 100, "max_s": 10}}"#, "duration.max_s"),
            (r#"{"gpus": [{"gpus": 1.5, "weight": 1}]}"#, "gpus[0].gpus"),
            (r#"{"gpus": [{"gpus": 1, "weight": 0}]}"#, "gpus"),
            (r#"{"gpus": []}"#, "gpus"),
            (r#"{"models": {"vgg": 1}}"#, "models.vgg"),
            (r#"{"models": {"flat": 0}}"#, "models"),
        ] {
            let spec: SyntheticSpec = serde_json::from_str(json).expect("valid JSON");
            assert_eq!(spec.check().map_err(|(key, ..)| key), Err(key.to_string()));
        }
    }
}
