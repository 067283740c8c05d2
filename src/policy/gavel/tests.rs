//! The programs against another solver and other formulations, and Gavel's example.

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::groups::Groups;
use super::program::Fractions;
use super::*;
use crate::cluster::{Cluster, Layout, NodeGroup, SliceMemory, catalogue::model};
use crate::policy::{JobState, spec};
use crate::units::{ClassId, MilliGpus, Rate, SimSpan, SimTime, TenantId, TypeId};
use crate::workload::bind::Tenant;
use crate::workload::{BoundJob, BoundWorkload, JobClass, JobOption, Presence};

/// A cluster and jobs that are all active.
pub(super) struct World {
    cluster: Cluster,
    in_service: Vec<u32>,
    workload: BoundWorkload,
    pub(super) states: Vec<JobState>,
    active: Vec<JobId>,
    now: SimTime,
}

impl World {
    /// `devices` of each type; jobs of (speeds on the types, devices, work in seconds, age in seconds).
    pub(super) fn new(devices: &[u32], jobs: &[(Vec<f64>, u32, f64, f64)]) -> Self {
        let group = |(&devices, gpu): (&u32, &str)| NodeGroup {
            model: model(gpu).unwrap(),
            nodes: 1,
            gpus_per_node: devices,
            layout: Layout::Whole,
        };
        let groups: Vec<NodeGroup> = devices.iter().zip(["V100-16", "P100", "K80"]).map(group).collect();
        let now = SimTime::ZERO + SimSpan::from_secs(1e5);
        let mut workload = BoundWorkload {
            tenants: vec![Tenant { name: "t".into(), weight_micro: 1_000_000, changes: vec![] }],
            ..BoundWorkload::default()
        };
        let mut states = Vec::new();
        for (index, (speeds, gang, work_s, age_s)) in jobs.iter().enumerate() {
            let option = |(&speed, k): (&f64, u16)| JobOption {
                type_id: TypeId(k),
                slots: 1,
                memory: SliceMemory::Plain,
                devices: *gang,
                rate: Rate::from_f64(speed),
            };
            workload.classes.push(JobClass {
                profile: String::new(),
                gpus: MilliGpus(1000 * gang),
                options: speeds.iter().zip(0..).map(option).collect(),
                whole: (0..speeds.len()).map(|k| Some(k as u16)).collect(),
            });
            let work = Rate::ONE.over(SimSpan::from_secs(*work_s));
            workload.jobs.push(BoundJob {
                record: index as u32,
                submit: SimTime(now.0 - SimSpan::from_secs(*age_s).0),
                tenant: TenantId(0),
                class: ClassId(index as u32),
                work,
                recorded_start: None,
                recorded_end: None,
                limit: None,
                presence: Presence::default(),
            });
            states.push(JobState {
                remaining: work,
                held: None,
                last_option: None,
                executed: SimSpan::ZERO,
                attained: 0,
                first_start: None,
                changed: SimTime::ZERO,
                finish: None,
            });
        }
        let active = (0..jobs.len() as u32).map(JobId).collect();
        let in_service = devices.to_vec();
        Self { cluster: Cluster::new(&groups).unwrap(), in_service, workload, states, active, now }
    }

    pub(super) fn view(&self, round: u64) -> View<'_> {
        View {
            now: self.now + SimSpan::from_secs(360.0 * round as f64),
            round,
            round_length: SimSpan::from_secs(360.0),
            start_cost: SimSpan::ZERO,
            restore_cost: SimSpan::ZERO,
            cluster: &self.cluster,
            in_service: &self.in_service,
            workload: &self.workload,
            states: &self.states,
            active: &self.active,
        }
    }

    /// The fractions of an objective, and the throughput of every job.
    fn solve(&self, objective: &mut dyn Objective) -> (Fractions, Vec<f64>) {
        let mut groups = Groups::new(Sharing::Off);
        objective.group(&self.view(0), &mut groups);
        let fractions = objective.fractions(&self.view(0), &mut groups).unwrap();
        let throughputs = groups.list.iter().zip(&fractions).map(|(g, x)| g.throughput(x)).collect();
        self.check(&fractions);
        (fractions, throughputs)
    }

    fn check(&self, fractions: &Fractions) {
        assert!(fractions.iter().all(|row| row.iter().sum::<f64>() <= 1.0 + 1e-7));
        for (k, of_type) in self.cluster.types().iter().enumerate() {
            let used = |(row, job): (&Vec<f64>, &JobClass)| row[k] * job.gpus.as_gpus();
            let used: f64 = fractions.iter().zip(&self.workload.classes).map(used).sum();
            assert!(used <= f64::from(of_type.devices) + 1e-6);
        }
    }

    /// The greatest sum of throughputs times `gains` such that job j has at least `least[j]`, by another solver.
    fn oracle(&self, gains: &[f64], least: &[f64]) -> Option<f64> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let mut x = Vec::new();
        for (class, gain) in self.workload.classes.iter().zip(gains) {
            let add = |o: &JobOption| problem.add_var(gain * o.rate.as_f64(), (0.0, 1.0));
            x.push(class.options.iter().map(add).collect::<Vec<_>>());
        }
        for ((class, x), &least) in self.workload.classes.iter().zip(&x).zip(least) {
            let time: Vec<_> = x.iter().map(|&x| (x, 1.0)).collect();
            problem.add_constraint(&time[..], ComparisonOp::Le, 1.0);
            let done: Vec<_> = x.iter().zip(&class.options).map(|(&x, o)| (x, o.rate.as_f64())).collect();
            problem.add_constraint(&done[..], ComparisonOp::Ge, least);
        }
        for (k, of_type) in self.cluster.types().iter().enumerate() {
            let used = x.iter().zip(&self.workload.classes).map(|(x, class)| (x[k], class.gpus.as_gpus()));
            let used: Vec<_> = used.collect();
            problem.add_constraint(&used[..], ComparisonOp::Le, f64::from(of_type.devices));
        }
        match problem.solve() {
            Ok(SolveOutcome::Solution(solution)) => Some(solution.objective()),
            _ => None,
        }
    }

    /// The least t at which `need(t)` can be met, by bisection.
    fn least(&self, mut low: f64, mut high: f64, need: impl Fn(f64) -> Option<Vec<f64>>) -> f64 {
        let none = vec![0.0; self.active.len()];
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let is_met = need(middle).is_some_and(|need| self.oracle(&none, &need).is_some());
            if is_met { high = middle } else { low = middle }
        }
        high
    }

    /// Throughput of each job with an equal part of every type, from the definition.
    fn isolated(&self) -> Vec<f64> {
        let jobs = self.active.len() as f64;
        let of_class = |class: &JobClass| {
            let parts: Vec<f64> = self
                .cluster
                .types()
                .iter()
                .map(|t| f64::from(t.devices) / (jobs * class.gpus.as_gpus()))
                .collect();
            let sum = parts.iter().sum::<f64>().max(1.0);
            parts.iter().zip(&class.options).map(|(part, o)| part / sum * o.rate.as_f64()).sum()
        };
        self.workload.classes.iter().map(of_class).collect()
    }

    fn random(rng: &mut ChaCha8Rng) -> Self {
        let mut below = |n: u32| rng.next_u32() % n;
        let types = 2 + below(2) as usize;
        let devices: Vec<u32> = (0..types).map(|_| 2 + below(2)).collect();
        let jobs: Vec<(Vec<f64>, u32, f64, f64)> = (0..3 + below(5))
            .map(|_| {
                let speeds = (0..types).map(|_| f64::from(1 + below(20)) / 20.0).collect();
                (speeds, 1 + below(2), f64::from(100 + below(10_000)), f64::from(below(20_000)))
            })
            .collect();
        Self::new(&devices, &jobs)
    }
}

fn objectives() -> [Box<dyn Objective>; 3] {
    let params =
        crate::policy::Params::check("gavel-ftf", spec("gavel-ftf").unwrap().params, &Default::default());
    let params = params.unwrap();
    [
        Box::new(max_min::MaxMin { throughputs: max_min::Throughputs::Aware }),
        Box::new(makespan::Makespan::new(&params, 0)),
        Box::new(ftf::FinishTime::new(&params, 0)),
    ]
}

/// Gavel's example: three jobs, a V100 and a K80.
fn example() -> World {
    let job = |fast: f64, slow: f64| (vec![1.0, slow / fast], 1, 1e6, 0.0);
    World::new(&[1, 1], &[job(40.0, 10.0), job(12.0, 4.0), job(100.0, 50.0)])
}

#[test]
fn gavels_example_has_its_published_fractions() {
    let [mut max_min, ..] = objectives();
    let (fractions, _) = example().solve(&mut *max_min);
    let expected = [5.0, 0.0, 5.0, 1.0, 1.0, 10.0].map(|elevenths| elevenths / 11.0);
    for (x, expected) in fractions.iter().flatten().zip(expected) {
        assert!((x - expected).abs() < 1e-5, "{fractions:?}");
    }
}

#[test]
fn max_min_and_makespan_and_finish_time_fairness_are_optimal() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    for _ in 0..60 {
        let world = World::random(&mut rng);
        let works: Vec<f64> = world.workload.jobs.iter().map(|job| job.work.as_reference_secs()).collect();
        let ages: Vec<f64> =
            world.workload.jobs.iter().map(|job| (world.now - job.submit).as_secs()).collect();
        let [mut max_min, mut makespan, mut ftf] = objectives();

        let all: f64 = world.cluster.types().iter().map(|t| f64::from(t.devices)).sum();
        let need = |class: &JobClass| -> f64 {
            let types = world.cluster.types().iter().zip(&class.options);
            types.map(|(t, o)| o.rate.as_f64() * f64::from(t.devices) / all).sum::<f64>()
                / class.gpus.as_gpus()
        };
        let needs: Vec<f64> = world.workload.classes.iter().map(need).collect();
        let (_, had) = world.solve(&mut *max_min);
        let level = had.iter().zip(&needs).map(|(had, need)| had / need).fold(f64::INFINITY, f64::min);
        let inverse = world.least(1e-3, 1e3, |t| Some(needs.iter().map(|need| need / t).collect()));
        assert!((level * inverse - 1.0).abs() < 1e-6, "max-min {level} of {}", 1.0 / inverse);

        let (_, had) = world.solve(&mut *makespan);
        let last_s = works.iter().zip(&had).map(|(work, had)| work / had).fold(0.0, f64::max);
        let least_s = world.least(1.0, 1e7, |t| Some(works.iter().map(|work| work / t).collect()));
        assert!((last_s / least_s - 1.0).abs() < 1e-6, "makespan {last_s} of {least_s}");

        let isolated = world.isolated();
        let ideal: Vec<f64> = works.iter().zip(&isolated).map(|(work, iso)| work / iso).collect();
        let (_, had) = world.solve(&mut *ftf);
        let rho = |j: usize| (ages[j] + works[j] / had[j]) / ideal[j];
        let worst = (0..works.len()).map(rho).fold(0.0, f64::max);
        let least = world.least(1e-3, 1e6, |rho| {
            let need = |j: usize| {
                let time_s = rho * ideal[j] - ages[j];
                (time_s > 0.0).then(|| works[j] / time_s).filter(|need| *need <= 1.0)
            };
            (0..works.len()).map(need).collect()
        });
        assert!((worst / least - 1.0).abs() < 1e-4, "finish-time fairness {worst} of {least}");
    }
}

#[test]
fn max_sum_is_the_programs_optimum() {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    for _ in 0..60 {
        let world = World::random(&mut rng);
        let (_, had) = world.solve(&mut max_sum::MaxSum);
        let gains: Vec<f64> = world.workload.classes.iter().map(|class| class.gpus.as_gpus()).collect();
        let total: f64 = had.iter().zip(&gains).map(|(had, gain)| had * gain).sum();
        let most = world.oracle(&gains, &vec![0.0; had.len()]).unwrap();
        assert!((total / most - 1.0).abs() < 1e-6, "{total} of {most}");
    }
}

#[test]
fn water_filling_is_no_worse_than_max_min_for_anybody_in_order() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    let mut rises = 0;
    for _ in 0..60 {
        let world = World::random(&mut rng);
        let aware = max_min::Throughputs::Aware;
        let mut groups = Groups::new(Sharing::Off);
        groups.fill(&world.view(0), |_| 0);
        let needs: Vec<f64> = groups.list.iter().map(|group| aware.need(group, &groups.devices)).collect();
        let sorted = |had: &[f64]| {
            let mut levels: Vec<f64> = had.iter().zip(&needs).map(|(had, need)| had / need).collect();
            levels.sort_by(f64::total_cmp);
            levels
        };
        let [mut max_min, ..] = objectives();
        let plain = sorted(&world.solve(&mut *max_min).1);
        let filled =
            sorted(&world.solve(&mut water_filling::WaterFilling { throughputs: aware, levels: 100 }).1);
        let tolerance = 1e-4 * plain[0];
        let differs = plain.iter().zip(&filled).find(|(a, b)| (*a - *b).abs() > tolerance);
        if let Some((plain, filled)) = differs {
            assert!(filled > plain, "{plain} {filled}");
            rises += 1;
        }
    }
    assert!(rises > 0);
}

#[test]
fn a_program_that_cannot_be_solved_leaves_equal_parts() {
    let world = example();
    let mut groups = Groups::new(Sharing::Off);
    groups.fill(&world.view(0), |_| 0);
    for row in groups.equal_share() {
        assert!(row.iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-12), "{row:?}");
    }
}
