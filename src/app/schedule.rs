//! The schedule of a run as columns, for the Gantt.

use crate::chart::gantt::{
    Builder, Fate, JobInput, Kind, LeaseInput, Node, Schedule, TooManyBars, WaitInput,
};
use crate::cluster::Cluster;
use crate::policy::Reason;
use crate::scenario::run::Prepared;
use crate::sim::waiting::WaitHistory;
use crate::sim::{JobRun, RunRecord};
use crate::workload::{BoundJob, JobClass};

/// Lays the allocations of a run out; `None` for a run without devices: the trace's own schedule, and the fluid mode.
///
/// # Errors
/// When there are too many of them.
pub fn schedule(
    prepared: &Prepared,
    record: &RunRecord,
    waits: &WaitHistory,
) -> Result<Option<Schedule>, TooManyBars> {
    if record.segments.iter().all(|segment| record.parts(segment).is_empty()) {
        return Ok(None);
    }
    let cluster = &prepared.cluster;
    let mut builder = Builder::new(kinds(cluster), nodes(cluster), record.end.0);
    prepared.workload.tenants.iter().for_each(|tenant| builder.tenant(&tenant.name));
    prepared.workload.classes.iter().for_each(|class| builder.class(&class_name(class)));
    for (job, run) in prepared.workload.jobs.iter().zip(&record.jobs) {
        builder.job(JobInput {
            name: prepared.source.names.get(job.record as usize),
            tenant: job.tenant.index() as u32,
            class: job.class.index() as u32,
            submit_us: job.submit.0,
            end_us: run.ended().map(|end| end.0),
            fate: fate(run),
            waited_us: waited_us(job, run, record),
        });
    }
    for segment in &record.segments {
        let geometry = cluster.gpu_type(segment.type_id).geometry;
        builder.lease(LeaseInput {
            job: segment.job.index() as u32,
            from_us: segment.from.0,
            ready_us: segment.ready.0,
            to_us: segment.to.0,
            rate_micro: segment.rate.0,
            slots: segment.slots,
            height: geometry.memory_slices(segment.slice()),
        });
        for part in record.parts(segment) {
            builder.place(part.device.0, part.first_slot)?;
        }
    }
    for (job, wait) in waits.all() {
        builder.wait(WaitInput {
            job: job.index() as u32,
            from_us: wait.from.0,
            to_us: wait.to.0,
            reason: number_of(wait.reason),
        });
    }
    for outage in &record.outages {
        builder.outage(outage.node.0, outage.from.0, outage.to.0);
    }
    Ok(Some(builder.finish()))
}

/// The number under which a schedule knows a reason.
fn number_of(reason: Reason) -> u8 {
    Reason::ALL.iter().position(|other| *other == reason).map_or(u8::MAX, |at| at as u8)
}

/// The reason that a schedule knows under a number.
#[must_use]
pub fn reason(number: u8) -> Option<Reason> {
    Reason::ALL.get(usize::from(number)).copied()
}

fn kinds(cluster: &Cluster) -> Vec<Kind> {
    let kind = |kind: &crate::cluster::GpuType| Kind {
        name: kind.name.clone(),
        first_device: kind.first_device.0,
        devices: kind.devices,
        positions: kind.geometry.positions(),
        slots: kind.geometry.slots(),
    };
    cluster.types().iter().map(kind).collect()
}

fn nodes(cluster: &Cluster) -> Vec<Node> {
    let node = |node: &crate::cluster::Node| Node {
        kind: node.type_id.index() as u32,
        first_device: node.first_device.0,
        devices: node.devices,
    };
    cluster.nodes().iter().map(node).collect()
}

/// `resnet-50, 2 GPUs`.
fn class_name(class: &JobClass) -> String {
    let gpus = class.gpus.as_gpus();
    let unit = if (gpus - 1.0).abs() < 1e-9 { "GPU" } else { "GPUs" };
    format!("{}, {gpus} {unit}", class.profile)
}

fn fate(run: &JobRun) -> Fate {
    match (run.finish, run.killed) {
        (Some(_), _) => Fate::Finished,
        (None, Some(_)) => Fate::Killed,
        (None, None) => Fate::Unfinished,
    }
}

/// The time it was there and held nothing.
fn waited_us(job: &BoundJob, run: &JobRun, record: &RunRecord) -> i64 {
    let end = run.ended().unwrap_or(record.end);
    ((end - job.submit).0 - run.held.0).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::chart::gantt::{What, figures, history};
    use crate::scenario::run::{generated, prepare};
    use crate::units::SimTime;

    fn sample() -> (Prepared, Vec<RunRecord>) {
        let mut scenario = samples::default_scenario();
        scenario.workload.synthetic.as_mut().unwrap().jobs = 120;
        let jobs = generated(&scenario).unwrap();
        let prepared = prepare(&scenario, &jobs).unwrap();
        let records = (0..2).map(|policy| prepared.run(policy, 0, &mut ()).unwrap().record).collect();
        (prepared, records)
    }

    #[test]
    fn every_allocation_of_a_run_is_in_its_schedule() {
        let (prepared, records) = sample();
        for record in &records {
            let waits = WaitHistory::of(record);
            let schedule = schedule(&prepared, record, &waits).unwrap().unwrap();
            let parts: usize = record.segments.iter().map(|segment| record.parts(segment).len()).sum();
            assert_eq!((schedule.bars(), schedule.jobs()), (parts, record.jobs.len()));
            assert_eq!(schedule.devices(), prepared.cluster.devices());
            let tick_s = schedule.tick_us() as f64 / 1e6;
            for (lease, segment) in (0_u32..).zip(&record.segments) {
                let bars = schedule.bars_of(lease);
                for (&bar, part) in bars.iter().zip(record.parts(segment)) {
                    let (_, lane) = schedule.lane_of(bar).unwrap();
                    let span = schedule.span(bar).unwrap();
                    assert_eq!((lane.device, lane.first), (part.device.0, part.first_slot));
                    assert_eq!(lane.slots, segment.slots);
                    assert_eq!(schedule.job_of(bar), Some(segment.job.index() as u32));
                    let off = |tick: u32, at: SimTime| schedule.seconds(f64::from(tick)) - at.as_secs();
                    assert!(off(span.start, segment.from).abs() <= tick_s);
                    assert!(off(span.end, segment.to).abs() <= tick_s);
                }
            }
            let read = Schedule::from_bytes(&schedule.clone().to_bytes().unwrap());
            assert_eq!(read, Ok(schedule));
        }
    }

    #[test]
    fn its_figures_are_those_of_the_run() {
        let (prepared, records) = sample();
        for record in &records {
            let schedule = schedule(&prepared, record, &WaitHistory::of(record)).unwrap().unwrap();
            let places: Vec<_> =
                (0..schedule.kinds().len() as u32).map(crate::chart::gantt::Place::Kind).collect();
            let found = figures(&schedule, &places, 0.0, f64::from(schedule.end()));
            let hours: f64 = record
                .segments
                .iter()
                .map(|segment| {
                    let slots = prepared.cluster.gpu_type(segment.type_id).slots_per_device();
                    let share = f64::from(segment.slots) / f64::from(slots) * f64::from(segment.devices());
                    (segment.to - segment.from).as_secs() / 3_600.0 * share
                })
                .sum();
            assert!((found.gpu_hours - hours).abs() < hours * 1e-4, "{} of {hours}", found.gpu_hours);
            assert_eq!(
                found.jobs as usize,
                record.jobs.iter().filter(|job| job.first_start.is_some()).count()
            );
        }
    }

    #[test]
    fn a_history_is_what_the_run_noted() {
        let (prepared, records) = sample();
        let record = &records[0];
        let waits = WaitHistory::of(record);
        let schedule = schedule(&prepared, record, &waits).unwrap().unwrap();
        let mut reasons = 0;
        for (index, job) in (0_u32..).zip(&record.jobs) {
            let events = history(&schedule, index);
            let held = events.iter().filter(|event| matches!(event.what, What::Held { .. })).count();
            let segments = record.segments.iter().filter(|segment| segment.job.index() == index as usize);
            assert_eq!(held, segments.count());
            for event in &events {
                if let What::Waited(Some(number)) = event.what {
                    assert!(reason(number).is_some());
                    reasons += 1;
                }
            }
            assert!(events.windows(2).all(|pair| pair[0].to <= pair[1].from + 1), "job {index}: {events:?}");
            assert!(job.finish.is_none() || held > 0);
        }
        assert_eq!(reasons, waits.all().count());
        assert_eq!(Reason::ALL.map(|of| reason(number_of(of))), Reason::ALL.map(Some));
    }

    #[test]
    fn a_run_without_devices_has_none() {
        let (prepared, _) = sample();
        assert_eq!(schedule(&prepared, &RunRecord::default(), &WaitHistory::default()), Ok(None));
    }
}
