//! Shaping a traced workload: a window of time, a choice of outcomes, a sample, faster arrivals, longer or larger jobs, other tenants,
//! other names of GPU types.

mod states;
mod tenants;
mod types;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use serde::{Deserialize, Serialize};

use super::{JobRecord, Presence, TextColumn, Workload, is_unscaled};
use crate::units::{Maybe, MilliGpus, SimSpan, SimTime};
pub use states::States;
pub use tenants::{ONE_TENANT, TenantsBy};
pub use types::{TypeNames, renamed};

/// What becomes of jobs that run when a window begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunningAtStart {
    /// The cluster is empty when the window begins.
    #[default]
    LeaveOut,
    /// Jobs that were submitted before the window and run when it begins, by their traced start and end, are there with the rest of
    /// their run time. They are placed first and left out of the metrics of jobs.
    Include,
}

/// How a workload is cut and scaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Submissions in `[from, to)` only.
    pub window: Option<(SimTime, SimTime)>,
    /// What becomes of jobs that run when the window begins.
    pub running: RunningAtStart,
    /// Outcomes kept.
    pub states: States,
    /// Arrivals come this many times as fast.
    pub rate: f64,
    /// Share of the jobs kept, 0 to 1.
    pub sample: f64,
    /// Which of all samples of that share.
    pub sample_seed: u64,
    /// Jobs run this many times as long.
    pub duration_scale: f64,
    /// Jobs ask for this many times as many GPUs, see [`scaled`].
    pub gpu_scale: f64,
    /// Who is a tenant.
    pub tenants: TenantsBy,
    /// What the trace's names of GPU types stand for.
    pub gpu_types: TypeNames,
}

/// The largest request that scaling leads to.
const MOST_GPUS: f64 = 65_536.0;

/// GPUs and workers of a request that is scaled by `scale`: whole GPUs become a whole number of them, at least one; a fraction stays
/// one, at most a whole GPU for each worker.
#[must_use]
pub fn scaled(gpus: MilliGpus, workers: u32, scale: f64) -> (MilliGpus, u32) {
    if gpus.0 == 0 {
        return (gpus, workers);
    }
    let workers = workers.max(1);
    let most = u64::from(workers) * 1000;
    if u64::from(gpus.0) < most {
        let milli = (f64::from(gpus.0) * scale).round().clamp(1.0, most as f64);
        return (MilliGpus(milli as u32), workers);
    }
    let whole = (f64::from(gpus.whole_devices()) * scale).round().clamp(1.0, MOST_GPUS) as u32;
    let workers = if workers == gpus.whole_devices() { whole } else { workers.min(whole) };
    (MilliGpus(whole * 1000), workers)
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            window: None,
            running: RunningAtStart::LeaveOut,
            states: States::default(),
            rate: 1.0,
            sample: 1.0,
            sample_seed: 0,
            duration_scale: 1.0,
            gpu_scale: 1.0,
            tenants: TenantsBy::Vc,
            gpu_types: TypeNames::new(),
        }
    }
}

impl Shape {
    /// Whether the shape leaves every workload as it is.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::default()
    }

    /// The shaped workload. Submissions are again counted from the first job kept; traced starts and ends keep their distance
    /// from the submission. With jobs that run at its beginning, times count from the beginning of the window. Whether a job
    /// is sampled depends on its position and the seed, and nothing else. A job that runs longer by `duration_scale` also ends later in its
    /// traced schedule, and may ask for a longer run time.
    #[must_use]
    pub fn apply(&self, workload: &Workload) -> Workload {
        let mut shaped = Workload {
            jobs: Vec::new(),
            names: TextColumn::default(),
            tenants: workload.tenants.clone(),
            users: workload.users.clone(),
            gpu_types: workload.gpu_types.clone(),
            models: workload.models.clone(),
            first_submit_s: workload.first_submit_s,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(self.sample_seed);
        let threshold = (self.sample * 2f64.powi(53)) as u64;
        let mut origin = None;
        for (index, job) in workload.jobs.iter().enumerate() {
            let drawn = rng.next_u64() >> 11 < threshold;
            let in_window = self.window.is_none_or(|(from, to)| from <= job.submit && job.submit < to);
            if !(drawn && self.states.keeps(job.outcome)) {
                continue;
            }
            if !in_window {
                if let Some(running) = self.running_at_start(job) {
                    origin = self.window.map(|(from, _)| from);
                    shaped.jobs.push(self.resized(running));
                    shaped.names.push(workload.names.get(index));
                }
                continue;
            }
            let origin = *origin.get_or_insert(job.submit);
            let submit = SimTime((job.submit.since(origin).0 as f64 / self.rate).round() as i64);
            let moved = |time: Option<SimTime>| time.map(|t| submit + t.since(job.submit));
            let mut kept = *job;
            kept.submit = submit;
            kept.start = moved(job.start.get()).into();
            kept.end = moved(job.end.get()).into();
            shaped.jobs.push(self.resized(kept));
            shaped.names.push(workload.names.get(index));
        }
        if let Some(origin) = origin {
            shaped.first_submit_s += origin.as_secs();
        }
        self.tenants.regroup(&mut shaped);
        types::rename(&mut shaped, &self.gpu_types);
        shaped
    }

    /// A job that runs longer and asks for more.
    fn resized(&self, mut job: JobRecord) -> JobRecord {
        if !is_unscaled(&self.duration_scale) {
            let longer = |span: SimSpan| SimSpan((span.0 as f64 * self.duration_scale).round() as i64);
            if let (Some(start), Some(end)) = (job.start.get(), job.end.get()) {
                job.end = Some(start + longer(end - start)).into();
            }
            job.duration = job.duration.map(longer);
            job.limit = job.limit.map(longer);
        }
        if !is_unscaled(&self.gpu_scale) {
            (job.gpus, job.workers) = scaled(job.gpus, job.workers, self.gpu_scale);
        }
        job
    }

    /// What is left of a job that was submitted before the window and runs when it begins.
    fn running_at_start(&self, job: &JobRecord) -> Option<JobRecord> {
        let (from, _) = self.window.filter(|_| self.running == RunningAtStart::Include)?;
        let (start, end) = (job.start.get()?, job.end.get()?);
        if !(job.submit < from && start < from && from < end) {
            return None;
        }
        let ran = (from - start).0 as f64 / (end - start).0 as f64;
        Some(JobRecord {
            submit: SimTime::ZERO,
            start: Maybe::some(SimTime::ZERO),
            end: Some(SimTime::ZERO + (end - from)).into(),
            duration: job.duration.map(|whole| SimSpan((whole.0 as f64 * (1.0 - ran)).round() as i64)),
            limit: job.limit.map(|limit| (limit - (from - start)).max(SimSpan(1))),
            presence: Presence::Running,
            ..*job
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::TenantId;
    use crate::workload::Outcome;

    fn job(submit: i64, start: i64, end: i64) -> JobRecord {
        JobRecord {
            submit: SimTime(submit),
            gpus: MilliGpus(1000),
            workers: 1,
            duration: Maybe::some(SimSpan(end - start)),
            start: Maybe::some(SimTime(start)),
            end: Maybe::some(SimTime(end)),
            tenant: TenantId(0),
            user: None,
            gpu_type: None,
            model: None,
            memory_mb: 0,
            min_slots: 0,
            outcome: Outcome::Completed,
            limit: Maybe::some(SimSpan(500)),
            presence: Presence::Arrives,
        }
    }

    #[test]
    fn jobs_that_run_when_the_window_begins_have_the_rest_of_their_run_time() {
        let mut workload = Workload::default();
        // Over before the window; running at its start; waiting at its start; inside it; after it.
        for (name, record) in [
            ("a", job(0, 0, 90)),
            ("b", job(10, 20, 180)),
            ("c", job(60, 110, 150)),
            ("d", job(120, 130, 200)),
            ("e", job(300, 300, 310)),
        ] {
            workload.jobs.push(record);
            workload.names.push(name);
        }
        let window = Some((SimTime(100), SimTime(200)));
        let empty = Shape { window, ..Shape::default() }.apply(&workload);
        assert_eq!(empty.jobs.len(), 1);
        assert_eq!(empty.jobs[0].submit, SimTime(0));
        let shaped = Shape { window, running: RunningAtStart::Include, ..Shape::default() }.apply(&workload);
        assert_eq!((shaped.names.get(0), shaped.names.get(1), shaped.jobs.len()), ("b", "d", 2));
        let [running, arriving] = [shaped.jobs[0], shaped.jobs[1]];
        assert_eq!(
            (running.presence, running.submit, running.duration.get()),
            (Presence::Running, SimTime(0), Some(SimSpan(80)))
        );
        assert_eq!((running.end.get(), running.limit.get()), (Some(SimTime(80)), Some(SimSpan(420))));
        assert_eq!(
            (arriving.presence, arriving.submit, arriving.end.get()),
            (Presence::Arrives, SimTime(20), Some(SimTime(100)))
        );
    }

    /// Jobs of users x, none, x and y in the virtual clusters a, a, b and b, of types `V100`, `V100|P100`, none and `MISC`.
    fn four() -> Workload {
        let mut workload = Workload {
            tenants: vec!["a".into(), "b".into()],
            users: vec!["x".into(), "y".into()],
            gpu_types: vec!["V100".into(), "V100|P100".into(), "MISC".into()],
            ..Workload::default()
        };
        let rows = [
            (0, Some(0), Some(0), Outcome::Completed),
            (0, None, Some(1), Outcome::Failed),
            (1, Some(0), None, Outcome::Cancelled),
            (1, Some(1), Some(2), Outcome::Running),
        ];
        for (at, (tenant, user, gpu_type, outcome)) in (0..).zip(rows) {
            let record =
                JobRecord { tenant: TenantId(tenant), user, gpu_type, outcome, ..job(at, at, at + 7) };
            workload.jobs.push(record);
            workload.names.push(&at.to_string());
        }
        workload
    }

    fn tenants_of(workload: &Workload) -> Vec<&str> {
        workload.jobs.iter().map(|job| workload.tenants[job.tenant.index()].as_str()).collect()
    }

    #[test]
    fn tenants_are_merged_and_split() {
        for (tenants, expected) in [
            (TenantsBy::Vc, ["a", "a", "b", "b"]),
            (TenantsBy::User, ["x", "a", "x", "y"]),
            (TenantsBy::Both, ["a/x", "a", "b/x", "b/y"]),
            (TenantsBy::One, ["all", "all", "all", "all"]),
        ] {
            let shaped = Shape { tenants, ..Shape::default() }.apply(&four());
            assert_eq!(tenants_of(&shaped), expected);
            let mut distinct: Vec<&str> = expected.to_vec();
            distinct.dedup();
            assert!(
                shaped.tenants.len() <= 4
                    && shaped.tenants.iter().all(|name| distinct.contains(&name.as_str()))
            );
        }
    }

    #[test]
    fn outcomes_are_chosen() {
        for (states, expected) in
            [("all", 4), ("completed", 1), ("completed,failed,cancelled", 3), ("running", 1)]
        {
            let shape = Shape { states: states.parse().unwrap(), ..Shape::default() };
            assert_eq!(shape.apply(&four()).jobs.len(), expected, "{states}");
        }
    }

    #[test]
    fn gpu_types_get_the_names_of_the_catalogue() {
        let names = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect::<TypeNames>()
        };
        let shaped =
            |pairs: &[(&str, &str)]| Shape { gpu_types: names(pairs), ..Shape::default() }.apply(&four());
        let types = |workload: &Workload| -> Vec<String> {
            let name =
                |kind: Option<u32>| kind.map_or("any".into(), |k| workload.gpu_types[k as usize].clone());
            workload.jobs.iter().map(|job| name(job.gpu_type)).collect()
        };
        assert_eq!(types(&shaped(&[("V100", "V100-16")])), ["V100-16", "V100-16|P100", "any", "MISC"]);
        assert_eq!(
            types(&shaped(&[("MISC", "T4|A10"), ("P100", "V100")])),
            ["V100", "V100", "any", "T4|A10"]
        );
        assert_eq!(types(&shaped(&[("V100", ""), ("MISC", "")])), ["any"; 4]);
        assert!(shaped(&[("V100", ""), ("MISC", "")]).gpu_types.is_empty());
        assert_eq!(types(&shaped(&[("V100|P100", "T4")])), ["V100", "T4", "any", "MISC"]);
    }

    #[test]
    fn jobs_are_scaled_in_length_and_size() {
        let shape = Shape { duration_scale: 2.5, gpu_scale: 3.0, ..Shape::default() };
        let shaped = shape.apply(&four());
        let first = shaped.jobs[0];
        assert_eq!(
            (first.duration.get(), first.end.get(), first.limit.get()),
            (Some(SimSpan(18)), Some(SimTime(18)), Some(SimSpan(1250)))
        );
        assert_eq!((first.gpus, first.workers), (MilliGpus(3000), 3));
        for (gpus, workers, scale, expected) in [
            (0, 1, 2.0, (0, 1)),
            (250, 1, 2.0, (500, 1)),
            (250, 1, 9.0, (1000, 1)),
            (1000, 4, 0.5, (500, 4)),
            (8000, 8, 0.5, (4000, 4)),
            (8000, 1, 0.3, (2000, 1)),
            (1000, 1, 0.1, (1000, 1)),
            (65_000_000, 65_000, 10.0, (65_536_000, 65_536)),
        ] {
            let (gpus, workers) = scaled(MilliGpus(gpus), workers, scale);
            assert_eq!((gpus.0, workers), expected);
        }
    }

    #[test]
    fn a_sample_is_that_of_its_seed() {
        let mut workload = Workload::default();
        for at in 0..1000 {
            workload.jobs.push(job(at, at, at + 1));
            workload.names.push("");
        }
        let sampled =
            |sample_seed| Shape { sample: 0.3, sample_seed, ..Shape::default() }.apply(&workload).jobs;
        assert_eq!(sampled(1), sampled(1));
        assert_ne!(sampled(1), sampled(2));
        assert!(sampled(1).len().abs_diff(300) < 60);
    }
}
