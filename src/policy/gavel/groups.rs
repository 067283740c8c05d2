//! Jobs that a program treats alike.

use crate::cluster::capacity::{Capacity, MAX_RESOURCES};
use crate::policy::View;
use crate::policy::list::{Sharing, fits, take};
use crate::units::{ClassId, JobId, TypeId};
use crate::workload::JobOption;

use super::program::Fractions;

/// One way to run the jobs of a group: at most one a GPU type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice {
    /// The option, as an index into the class's options.
    pub(super) option: u16,
    /// The option itself.
    pub(super) held: JobOption,
    /// Progress, in seconds of the job's reference speed a second.
    pub(super) rate: f64,
    /// Share of each resource of the whole type that one job takes.
    pub(super) usage: [f64; MAX_RESOURCES],
    /// Devices it takes, a slice counting as its share of one.
    pub(super) devices: f64,
}

/// Jobs of the same class and weight, and of about the same of whatever else an objective looks at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    /// The class.
    pub(super) class: ClassId,
    /// The weight of each job, in millionths.
    pub(super) weight_micro: u64,
    /// What else its jobs have in common, as the objective counts it.
    pub(super) mark: i64,
    /// Its jobs, in order of submission.
    pub(super) jobs: Vec<JobId>,
    /// GPUs that each asks for.
    pub(super) gpus: f64,
    /// Where each can run, in the order of types.
    pub(super) choices: Vec<Choice>,
}

/// What tells groups apart, and how many jobs there are in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    class: ClassId,
    weight_micro: u64,
    mark: i64,
    jobs: usize,
}

/// All groups of active jobs.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// The groups, by class, weight and mark.
    pub(super) list: Vec<Group>,
    /// Devices in service, by type.
    pub(super) devices: Vec<f64>,
    /// Group and position in the order of `View::active`.
    keys: Vec<(ClassId, u64, i64, JobId)>,
    sharing: Sharing,
    room: Option<Capacity>,
}

impl Groups {
    pub(super) fn new(sharing: Sharing) -> Self {
        Self { list: Vec::new(), devices: Vec::new(), keys: Vec::new(), sharing, room: None }
    }

    /// Sorts the active jobs into groups, told apart by class, weight and `mark`.
    pub(super) fn fill(&mut self, view: &View<'_>, mut mark: impl FnMut(JobId) -> i64) {
        self.room = Some(view.capacity());
        self.devices.clear();
        self.devices.extend(view.in_service.iter().map(|&devices| f64::from(devices)));
        self.keys.clear();
        self.keys.extend(view.active.iter().map(|&job| {
            let bound = view.job(job);
            let weight_micro = view.workload.tenants[bound.tenant.index()].weight_at(view.now);
            (bound.class, weight_micro, mark(job), job)
        }));
        self.keys.sort_unstable();
        self.list.clear();
        for &(class, weight_micro, mark, job) in &self.keys {
            match self.list.last_mut() {
                Some(last) if (last.class, last.weight_micro, last.mark) == (class, weight_micro, mark) => {
                    last.jobs.push(job);
                }
                _ => self.list.push(Group {
                    class,
                    weight_micro,
                    mark,
                    jobs: vec![job],
                    gpus: view.workload.classes[class.index()].gpus.as_gpus(),
                    choices: choices(view, class, self.sharing),
                }),
            }
        }
    }

    /// Writes down what groups there are.
    pub(super) fn sign(&self, into: &mut Vec<Signature>) {
        into.clear();
        into.extend(self.list.iter().map(Group::signature));
    }

    /// Whether these are the groups that were written down.
    pub(super) fn is_signed(&self, signed: &[Signature]) -> bool {
        self.list.iter().map(Group::signature).eq(signed.iter().copied())
    }

    /// All the time on the fastest option for everybody, if that fits: no rule has anything better.
    pub(super) fn uncontended(&self) -> Option<Fractions> {
        let mut room = self.room.clone()?;
        let mut fractions = Vec::with_capacity(self.list.len());
        for group in &self.list {
            let mut row = vec![0.0; group.choices.len()];
            if let Some(best) = group.best() {
                row[best] = 1.0;
                if !group.takes(best, &mut room) {
                    return None;
                }
            }
            fractions.push(row);
        }
        Some(fractions)
    }

    /// Every job gets an equal part of each type, and no more than all its time: Gavel's isolated share.
    pub(super) fn equal_share(&self) -> Fractions {
        let jobs = self.list.iter().map(|group| group.jobs.len()).sum::<usize>().max(1) as f64;
        self.list.iter().map(|group| group.isolated(&self.devices, jobs)).collect()
    }
}

impl Group {
    fn signature(&self) -> Signature {
        Signature {
            class: self.class,
            weight_micro: self.weight_micro,
            mark: self.mark,
            jobs: self.jobs.len(),
        }
    }

    /// The fastest choice; of equals the first.
    pub(super) fn best(&self) -> Option<usize> {
        (0..self.choices.len()).reduce(|a, b| if self.choices[b].rate > self.choices[a].rate { b } else { a })
    }

    /// Takes room for all jobs of the group; `false` if there is none.
    fn takes(&self, choice: usize, room: &mut Capacity) -> bool {
        let choice = &self.choices[choice];
        // What all take together is counted before it is taken one by one.
        let used: f64 = choice.usage.iter().fold(0.0, |most, &usage| most.max(usage));
        let counts = used * (self.jobs.len() as f64) < 1.0 + 1e-9;
        counts
            && self.jobs.iter().all(|_| {
                let fits = fits(room, choice.held);
                take(room, choice.held);
                fits
            })
    }

    /// Progress of one job with these fractions.
    pub(super) fn throughput(&self, fractions: &[f64]) -> f64 {
        self.choices.iter().zip(fractions).map(|(choice, x)| choice.rate * x).sum()
    }

    /// The fractions of one of `jobs` jobs among which every type is split evenly.
    pub(super) fn isolated(&self, devices: &[f64], jobs: f64) -> Vec<f64> {
        let part = |choice: &Choice| {
            devices.get(choice.held.type_id.index()).map_or(0.0, |devices| devices / (jobs * choice.devices))
        };
        let mut row: Vec<f64> = self.choices.iter().map(part).collect();
        let sum: f64 = row.iter().sum();
        if sum > 1.0 {
            for x in &mut row {
                *x /= sum;
            }
        }
        row
    }
}

/// The choices of a class.
fn choices(view: &View<'_>, class: ClassId, sharing: Sharing) -> Vec<Choice> {
    let class = &view.workload.classes[class.index()];
    let choice = |type_id: TypeId| {
        let option = sharing.option_on(class, type_id)?;
        let chosen = class.options[usize::from(option)];
        let gpu_type = view.cluster.gpu_type(type_id);
        let in_service = view.in_service.get(type_id.index()).copied().unwrap_or(0);
        if in_service == 0 {
            return None;
        }
        let capacity = gpu_type.resource_capacity(in_service);
        let taken = gpu_type.resource_usage(chosen.slice(), chosen.devices);
        let mut usage = [0.0; MAX_RESOURCES];
        for (usage, (taken, capacity)) in usage.iter_mut().zip(taken.into_iter().zip(capacity)) {
            *usage = if capacity > 0 { f64::from(taken) / f64::from(capacity) } else { 0.0 };
        }
        let slots = f64::from(gpu_type.slots_per_device());
        let devices = f64::from(chosen.devices) * f64::from(chosen.slots) / slots;
        Some(Choice { option, held: chosen, rate: chosen.rate.as_f64(), usage, devices })
    };
    view.cluster.type_ids().filter_map(choice).collect()
}
