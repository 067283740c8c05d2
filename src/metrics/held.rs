//! Device time held and service done, by whom, on what and for what kind of job.

use super::window::Window;
use crate::cluster::Cluster;
use crate::policy::{ATTAINED_UNITS, SHARE_UNITS};
use crate::sim::{RunRecord, Segment};
use crate::units::{MICROS_PER_S, SimSpan, SimTime, TypeId};
use crate::workload::BoundWorkload;

/// Device time of one group of jobs, by type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceTime(Vec<i128>);

/// What a run's allocations add up to, inside a window. Segments are looked at once.
#[derive(Debug, Clone)]
pub struct Held {
    /// By all jobs.
    pub all: DeviceTime,
    /// By all jobs, up to the last finish.
    pub to_last_finish: DeviceTime,
    /// By tenant.
    pub by_tenant: Vec<DeviceTime>,
    /// By class of the workload.
    pub by_class: Vec<DeviceTime>,
    /// Slot-seconds held up to the last finish, every slot alike.
    pub slot_s: f64,
    /// Service done, in seconds of one reference GPU, by type.
    pub service_of_type_s: Vec<f64>,
    /// Service done, by class.
    pub service_of_class_s: Vec<f64>,
    /// By job the type of which it held most device time in the whole run (of several, the first); `None` if it held nothing.
    pub main_type: Vec<Option<TypeId>>,
}

impl DeviceTime {
    /// None of `types` types.
    #[must_use]
    pub fn none(types: usize) -> Self {
        Self(vec![0; types])
    }

    /// Hours of one device, on the type at `index`.
    #[must_use]
    pub fn hours(&self, index: usize) -> f64 {
        let units = self.0.get(index).copied().unwrap_or(0);
        units as f64 / (ATTAINED_UNITS * i128::from(MICROS_PER_S) * 3600) as f64
    }

    /// Hours of one device, on all types.
    #[must_use]
    pub fn all_hours(&self) -> f64 {
        (0..self.0.len()).map(|index| self.hours(index)).sum()
    }

    /// Hours times the price of their type; `None` where a type that was held has no price.
    #[must_use]
    pub fn cost(&self, prices: &[Option<f64>]) -> Option<f64> {
        let mut cost = 0.0;
        for (index, price) in prices.iter().enumerate() {
            if self.0.get(index).is_some_and(|&units| units > 0) {
                cost += self.hours(index) * (*price)?;
            }
        }
        Some(cost)
    }

    /// What of it is on one type.
    #[must_use]
    pub fn only(&self, type_id: TypeId) -> Self {
        let mut only = Self::none(self.0.len());
        only.hold(type_id, self.0.get(type_id.index()).copied().unwrap_or(0));
        only
    }

    /// Adds what another group held.
    pub fn add(&mut self, other: &Self) {
        for (sum, units) in self.0.iter_mut().zip(&other.0) {
            *sum += units;
        }
    }

    fn hold(&mut self, type_id: TypeId, units: i128) {
        if let Some(sum) = self.0.get_mut(type_id.index()) {
            *sum += units;
        }
    }
}

/// Microseconds of a stretch that a segment has.
fn of_time(segment: &Segment, stretch: SimSpan) -> i128 {
    i128::from(stretch.0) * i128::from(segment.of_time) / i128::from(SHARE_UNITS)
}

impl Held {
    /// Adds up the allocations of a run in `window`.
    #[must_use]
    pub fn of(
        cluster: &Cluster,
        workload: &BoundWorkload,
        record: &RunRecord,
        window: Window,
        last_finish: Option<SimTime>,
    ) -> Self {
        let types = cluster.types();
        let none = DeviceTime::none(types.len());
        let mut held = Self {
            all: none.clone(),
            to_last_finish: none.clone(),
            by_tenant: vec![none.clone(); workload.tenants.len()],
            by_class: vec![none; workload.classes.len()],
            slot_s: 0.0,
            service_of_type_s: vec![0.0; types.len()],
            service_of_class_s: vec![0.0; workload.classes.len()],
            main_type: vec![None; workload.jobs.len()],
        };
        let to_finish = Window { to: window.to.min(last_finish.unwrap_or(window.from)), ..window };
        let mut slot_us = 0i128;
        let mut of_job = vec![0i128; types.len()];
        let mut segments = record.segments.iter().peekable();
        while let Some(segment) = segments.next() {
            let job = &workload.jobs[segment.job.index()];
            let type_id = segment.type_id;
            let slots = i128::from(segment.slots) * i128::from(segment.devices());
            let unit = ATTAINED_UNITS / i128::from(types[type_id.index()].slots_per_device());
            let units = |(from, to): (SimTime, SimTime)| unit * slots * of_time(segment, to - from);
            of_job[type_id.index()] += units((segment.from, segment.to));
            if let Some(stretch) = window.cut(segment.from, segment.to) {
                let units = units(stretch);
                held.all.hold(type_id, units);
                held.by_tenant[job.tenant.index()].hold(type_id, units);
                held.by_class[job.class.index()].hold(type_id, units);
            }
            if let Some((from, to)) = to_finish.cut(segment.from, segment.to) {
                held.to_last_finish.hold(type_id, units((from, to)));
                slot_us += slots * of_time(segment, to - from);
            }
            if let Some((from, to)) = window.cut(segment.ready, segment.to) {
                let speed =
                    workload.class_of(job).gpus.as_gpus() * segment.rate.as_f64() * segment.time_share();
                let service_s = speed * (to - from).as_secs();
                held.service_of_type_s[type_id.index()] += service_s;
                held.service_of_class_s[job.class.index()] += service_s;
            }
            if segments.peek().is_none_or(|next| next.job != segment.job) {
                let longest = (0..of_job.len()).rev().max_by_key(|&index| of_job[index]);
                held.main_type[segment.job.index()] = longest
                    .filter(|&index| of_job[index] > 0)
                    .map(|index| TypeId(index as u16))
                    .or(Some(type_id));
                of_job.fill(0);
            }
        }
        held.slot_s = slot_us as f64 / MICROS_PER_S as f64;
        held
    }
}
