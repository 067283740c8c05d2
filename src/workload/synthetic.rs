//! Workloads from a seed: arrivals, sizes, durations, tenants and models drawn from stated distributions.
//!
//! The same description gives the same workload on every machine: random bits come from ChaCha8, logarithms and the like from
//! `libm`, and times are whole seconds. Each job draws from a stream of its own, so that the first jobs are the same however many
//! there are (of bursts, all but the last).

mod arrivals;
mod durations;
mod fitted;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assign::Refusal;
use super::mix::Mix;
use super::profile::{self, measured_in_slices};
use super::{JobRecord, Outcome, Presence, TextColumn, Workload};
pub use arrivals::{ArrivalKind, Arrivals, Busy};
pub use durations::{DurationShape, Durations};
pub use fitted::{Fitted, FittedSize, Quantiles};

use crate::draws::Draws;
use crate::units::{MICROS_PER_S, Maybe, MilliGpus, SimSpan, SimTime, TenantId};

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
    /// The shape of another workload, in place of `arrivals`, `tenants`, `tenant_skew`, `duration` and `gpus`; not written where
    /// there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitted: Option<Box<Fitted>>,
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
            fitted: None,
        }
    }
}

/// The most jobs a synthetic workload can have.
pub const MAX_JOBS: u32 = 1_000_000;
/// The longest that submissions may take, in hours: over eleven years. All times are then within what a trace may have.
const MAX_SPAN_H: f64 = 100_000.0;
const MAX_TENANTS: u32 = 10_000;
const MAX_GPUS: f64 = 4096.0;

impl SyntheticSpec {
    /// Checks every value.
    ///
    /// # Errors
    /// The first [`Refusal`].
    pub fn check(&self) -> Result<(), Refusal> {
        in_range("jobs", f64::from(self.jobs), 1.0, f64::from(MAX_JOBS))?;
        self.arrivals.check()?;
        if self.fitted.is_none() && self.arrivals.kind != ArrivalKind::Batch {
            let least = f64::from(self.jobs) / MAX_SPAN_H;
            if self.arrivals.rate_per_hour < least {
                let expected =
                    format!("{least} or more, so that {} jobs come within {MAX_SPAN_H} hours", self.jobs);
                return Err((
                    "arrivals.rate_per_hour".into(),
                    self.arrivals.rate_per_hour.to_string(),
                    expected,
                ));
            }
        }
        in_range("tenants", f64::from(self.tenants), 1.0, f64::from(MAX_TENANTS))?;
        in_range("tenant_skew", self.tenant_skew, 0.0, 10.0)?;
        self.duration.check()?;
        if let Some(fitted) = &self.fitted {
            fitted.check()?;
        }
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

    /// How many tenants there are.
    #[must_use]
    pub fn tenant_count(&self) -> u32 {
        self.fitted.as_ref().map_or(self.tenants, |fitted| fitted.tenants.len() as u32)
    }

    fn tenant_mix(&self) -> Mix<TenantId> {
        if let Some(fitted) = &self.fitted {
            return Mix::new((0..).map(TenantId).zip(fitted.tenants.iter().map(|jobs| *jobs as f64)));
        }
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

/// Generates the workload of a checked `spec`. Its first job is submitted at 0.
#[must_use]
pub fn generate(spec: &SyntheticSpec) -> Workload {
    let (models, model_mix) = spec.model_mix();
    let (sizes, tenants) = (spec.sizes(), spec.tenant_mix());
    let mut arrivals = arrivals::draw(spec, &tenants);
    arrivals.sort_by(|a, b| a.submit_s.total_cmp(&b.submit_s));
    let origin_s = arrivals.first().map_or(0.0, |first| first.submit_s);
    let mut names = TextColumn::default();
    let jobs = arrivals.iter().zip(1u64..).map(|(arrival, number)| {
        let mut draws = Draws::stream(spec.seed, number);
        let tenant = tenants.at(draws.bits()).unwrap_or_default();
        let size = draws.bits();
        let model = model_mix.at(draws.bits());
        let (gpus, duration) = match spec.fitted.as_ref().and_then(|fitted| fitted.size(size)) {
            Some((gpus, durations)) => (gpus, SimSpan(durations.at(draws.bits()) as i64 * 1000)),
            None => {
                let gpus = sizes.at(size).unwrap_or(MilliGpus(1000));
                (gpus, whole_seconds(spec.duration.draw_s(&mut draws)))
            }
        };
        names.push(&format!("job-{number}"));
        JobRecord {
            submit: SimTime(whole_seconds(arrival.submit_s - origin_s).0),
            gpus,
            workers: if gpus.is_fractional() { 1 } else { gpus.whole_devices() },
            duration: Maybe::some(duration),
            start: Maybe::NONE,
            end: Maybe::NONE,
            tenant: arrival.tenant.unwrap_or(tenant),
            user: None,
            gpu_type: None,
            model,
            memory_mb: 0,
            min_slots: 0,
            outcome: Outcome::Completed,
            limit: Maybe::NONE,
            presence: Presence::Arrives,
        }
    });
    let jobs = jobs.collect();
    Workload {
        jobs,
        names,
        tenants: (1..=spec.tenant_count()).map(|i| format!("tenant-{i}")).collect(),
        models,
        ..Workload::default()
    }
}

fn whole_seconds(seconds: f64) -> SimSpan {
    SimSpan((seconds.round() as i64).saturating_mul(MICROS_PER_S))
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
                let duration_s = job.duration.get().expect("a duration").as_secs();
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
        assert!((share(&|j| j.duration.get().is_some_and(|d| d.as_secs() < 3600.0)) - 0.5).abs() < 0.02);
        let within =
            |j: &JobRecord| j.duration.get().is_some_and(|d| (60.0..=86_400.0).contains(&d.as_secs()));
        assert!(share(&within) > 0.99999);
        let one_sigma = 3600.0 * std::f64::consts::E.powf(1.3);
        assert!((share(&|j| j.duration.get().is_some_and(|d| d.as_secs() < one_sigma)) - 0.841).abs() < 0.02);
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
            (r#"{"arrivals": {"weekend": -1}}"#, "arrivals.weekend"),
            (r#"{"arrivals": {"busy": {"share": 0.5, "rate": 3}}}"#, "arrivals.busy.rate"),
            (r#"{"duration": {"exponent": 0}}"#, "duration.exponent"),
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

    /// Submissions in each of `length_s` seconds.
    fn counts(workload: &Workload, length_s: i64) -> Vec<f64> {
        let submits = submits_s(workload);
        let mut counts = vec![0.0; (submits.last().copied().unwrap_or(0) / length_s) as usize + 1];
        for submit in submits {
            counts[(submit / length_s) as usize] += 1.0;
        }
        counts
    }

    /// Variance over mean: 1 for a Poisson process.
    fn dispersion(counts: &[f64]) -> f64 {
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / counts.len() as f64 / mean
    }

    #[test]
    fn busy_times_keep_the_mean_rate_and_are_burstier_than_chance() {
        let poisson = generate(&SyntheticSpec { jobs: 30_000, ..with(ArrivalKind::Poisson) });
        let mmpp = generate(&SyntheticSpec { jobs: 30_000, ..with(ArrivalKind::Mmpp) });
        let hours = |workload: &Workload| *submits_s(workload).last().unwrap() as f64 / 3600.0;
        assert!((30_000.0 / hours(&mmpp) / 60.0 - 1.0).abs() < 0.15, "{}", hours(&mmpp));
        assert!((dispersion(&counts(&poisson, 3600)) - 1.0).abs() < 0.3);
        assert!(dispersion(&counts(&mmpp, 3600)) > 20.0);
        assert!(mmpp.jobs.iter().all(|job| job.submit.0 % MICROS_PER_S == 0), "times are whole seconds");
        // All jobs in busy times: calm ones have none.
        let busy = Busy { share: 0.25, rate: 4.0, length_s: 600.0 };
        let all = Arrivals { busy, ..with(ArrivalKind::Mmpp).arrivals };
        let all = SyntheticSpec { jobs: 5_000, arrivals: all, ..SyntheticSpec::default() };
        assert_eq!((all.check(), generate(&all).jobs.len()), (Ok(()), 5_000));
    }

    #[test]
    fn weekends_are_quieter_and_the_mean_rate_stays() {
        let mut spec = SyntheticSpec { jobs: 20_000, ..with(ArrivalKind::Diurnal) };
        spec.arrivals.weekend = 0.25;
        let days = counts(&generate(&spec), 86_400);
        let mean_of = |wanted: fn(usize) -> bool| {
            let days: Vec<f64> = days
                .iter()
                .take(7)
                .enumerate()
                .filter(|(day, _)| wanted(*day))
                .map(|(_, count)| *count)
                .collect();
            days.iter().sum::<f64>() / days.len() as f64
        };
        let (weekday, weekend) = (mean_of(|day| day < 5), mean_of(|day| day >= 5));
        assert!((weekend / weekday - 0.25).abs() < 0.03, "{weekend} {weekday}");
        assert!((mean_of(|_| true) / 1440.0 - 1.0).abs() < 0.05);
    }

    #[test]
    fn every_distribution_of_durations_has_its_median_and_its_tail() {
        let share_above = |shape, exponent, factor: f64| {
            let duration = Durations { shape, exponent, min_s: 1.0, max_s: 1e8, ..Durations::default() };
            let spec = SyntheticSpec { jobs: 20_000, duration, ..SyntheticSpec::default() };
            spec.check().expect("it is legal");
            let above = generate(&spec)
                .jobs
                .iter()
                .filter(|job| job.duration.get().unwrap().as_secs() > 3600.0 * factor)
                .count();
            above as f64 / 20_000.0
        };
        for (shape, exponent, factor, expected) in [
            (DurationShape::Pareto, 1.5, 1.0, 0.5),
            (DurationShape::Pareto, 1.5, 10.0, 0.5 * 10f64.powf(-1.5)),
            (DurationShape::Weibull, 0.7, 1.0, 0.5),
            (DurationShape::Weibull, 0.7, 8.0, 0.5f64.powf(8f64.powf(0.7))),
            (DurationShape::Lognormal, 1.0, 1.0, 0.5),
            (DurationShape::Lognormal, 1.0, 1.3f64.exp(), 0.158_655),
        ] {
            let share = share_above(shape, exponent, factor);
            assert!((share - expected).abs() < 0.012, "{shape:?} {factor}: {share}, expected {expected}");
        }
    }

    #[test]
    fn a_fitted_workload_is_like_the_one_it_was_fitted_to() {
        let mut source =
            SyntheticSpec { jobs: 8_000, tenants: 5, tenant_skew: 1.0, ..with(ArrivalKind::Diurnal) };
        source.duration.max_s = 1e6;
        let traced = generate(&source);
        let fitted = Fitted::of(&traced).expect("it has run times");
        let spec = SyntheticSpec {
            jobs: 8_000,
            seed: 9,
            fitted: Some(Box::new(fitted)),
            ..SyntheticSpec::default()
        };
        assert_eq!(spec.check(), Ok(()));
        let drawn = generate(&spec);
        assert_eq!((drawn.tenants.len(), drawn.jobs.len()), (5, 8_000));
        let span = |workload: &Workload| *submits_s(workload).last().unwrap() as f64;
        assert!((span(&drawn) / span(&traced) - 1.0).abs() < 0.1, "{} {}", span(&drawn), span(&traced));
        let hours = |workload: &Workload| {
            workload.jobs.iter().map(|job| job.duration.get().unwrap().as_secs()).sum::<f64>() / 3600.0
        };
        assert!((hours(&drawn) / hours(&traced) - 1.0).abs() < 0.15, "{} {}", hours(&drawn), hours(&traced));
        let of_size = |workload: &Workload, gpus: u32| {
            workload.jobs.iter().filter(|job| job.gpus.0 == gpus).count() as f64
        };
        for gpus in [250, 1000, 8000] {
            assert!((of_size(&drawn, gpus) - of_size(&traced, gpus)).abs() < 150.0, "{gpus}");
        }
        // By day and night, as traced.
        let at_noon = |workload: &Workload| {
            let noon = |submit: &&i64| (10..14).contains(&(**submit / 3600 % 24));
            submits_s(workload).iter().filter(noon).count() as f64 / 8_000.0
        };
        assert!(
            (at_noon(&drawn) - at_noon(&traced)).abs() < 0.05,
            "{} {}",
            at_noon(&drawn),
            at_noon(&traced)
        );
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<SyntheticSpec>(&text).unwrap(), spec);
        assert!(text.len() < 20_000, "{} bytes are much for a link", text.len());
        assert_eq!(Fitted::of(&Workload::default()), None);
    }

    #[test]
    fn a_fit_from_which_nothing_can_be_drawn_is_refused() {
        let fitted = Fitted::of(&generate(&SyntheticSpec { jobs: 50, ..SyntheticSpec::default() })).unwrap();
        for (key, broken) in [
            ("fitted.start_s", Fitted { start_s: 86_400, ..fitted.clone() }),
            ("fitted.gaps_ms", Fitted { gaps_ms: vec![], ..fitted.clone() }),
            ("fitted.gaps_ms", Fitted { gaps_ms: vec![Quantiles::default(); 24], ..fitted.clone() }),
            ("fitted.sizes", Fitted { sizes: vec![], ..fitted.clone() }),
            ("fitted.tenants", Fitted { tenants: vec![0], ..fitted.clone() }),
        ] {
            let spec = SyntheticSpec { fitted: Some(Box::new(broken)), ..SyntheticSpec::default() };
            assert_eq!(spec.check().map_err(|(key, ..)| key), Err(key.to_owned()));
        }
    }
}
