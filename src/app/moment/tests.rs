use super::*;
use crate::app::samples;
use crate::app::schedule::schedule;
use crate::app::strings::moment as words;
use crate::chart::gantt::{Builder, Fate, JobInput, Kind, LeaseInput, Node, WaitInput};
use crate::scenario::run::{Prepared, generated, prepare};
use crate::sim::RunRecord;
use crate::sim::waiting::WaitHistory;
use crate::units::{JobId, SimTime};

fn sample() -> (Prepared, Vec<RunRecord>) {
    let mut scenario = samples::default_scenario();
    scenario.workload.synthetic.as_mut().unwrap().jobs = 150;
    let jobs = generated(&scenario).unwrap();
    let prepared = prepare(&scenario, &jobs).unwrap();
    let records =
        (0..scenario.policies.len().min(3)).map(|policy| prepared.run(policy, 0, &mut ()).unwrap().record);
    let records = records.collect();
    (prepared, records)
}

fn moments(prepared: &Prepared, record: &RunRecord) -> Moments {
    let schedule = schedule(prepared, record, &WaitHistory::of(record)).unwrap().unwrap();
    Moments::new(Rc::new(schedule))
}

/// Ticks at and around which things happen, and others.
fn ticks(moments: &Moments) -> Vec<u32> {
    let end = moments.schedule().end();
    let mut out: Vec<u32> = (0..60).map(|part| (u64::from(end) * part / 59) as u32).collect();
    let mut tick = 0;
    while let Some(next) = moments.change_after(tick).filter(|_| out.len() < 300) {
        out.extend([next - 1, next, next + 1]);
        tick = next + end / 200;
    }
    out
}

#[test]
fn every_moment_agrees_with_the_record_of_the_run() {
    let (prepared, records) = sample();
    for record in &records {
        let moments = moments(&prepared, record);
        let history = WaitHistory::of(record);
        // Times as the schedule knows them.
        let tick_us = moments.schedule().tick_us();
        let in_ticks = |time: SimTime| (time.0 / tick_us) as u32;
        for tick in ticks(&moments) {
            let moment = moments.at(tick);
            let tick = moment.tick;
            let is_now = |from: SimTime, to: SimTime| (in_ticks(from)..in_ticks(to)).contains(&tick);
            let mut running = vec![false; record.jobs.len()];
            let mut slots = 0;
            for segment in record.segments.iter().filter(|s| is_now(s.from, s.to)) {
                running[segment.job.index()] = true;
                slots += record.parts(segment).len() as u64 * u64::from(segment.slots);
            }
            let waiting: Vec<u32> = (0_u32..)
                .zip(prepared.workload.jobs.iter().zip(&record.jobs))
                .filter(|(id, (job, run))| {
                    is_now(job.submit, run.ended().unwrap_or(SimTime(i64::MAX / 2))) && !running[*id as usize]
                })
                .map(|(id, _)| id)
                .collect();
            assert_eq!(moment.running as usize, running.iter().filter(|runs| **runs).count(), "{tick}");
            assert_eq!(moment.waiting, waiting, "{tick}");
            assert_eq!(moment.slots_used, slots, "{tick}");
            assert_eq!(moment.tenants.iter().map(|of| of.slots).sum::<u64>(), slots);
            assert_eq!(moment.tenants.iter().map(|of| of.waiting).sum::<u32>() as usize, waiting.len());
            assert_eq!(moment.tenants.iter().map(|of| of.running).sum::<u32>(), moment.running);
            let queue = moments.queue(&moment, None);
            assert_eq!(queue.len(), waiting.len().min(MOST_LISTED));
            for entry in &queue {
                let job = JobId(entry.job);
                let held = record.segments.iter().filter(|s| s.job == job && in_ticks(s.from) <= tick);
                let before = held.map(|s| in_ticks(s.to)).max();
                assert_eq!(
                    entry.since,
                    before.unwrap_or(in_ticks(prepared.workload.jobs[job.index()].submit))
                );
                assert_eq!(entry.has_run, before.is_some());
                let reason = history.job(job).find(|s| is_now(s.from, s.to)).map(|s| s.reason);
                assert_eq!(moments.reason(entry.job, tick), reason);
            }
            if waiting.len() <= MOST_LISTED {
                let longest = queue.iter().map(|entry| entry.since).min();
                assert_eq!(moment.longest.map(|longest| longest.since), longest);
            }
        }
    }
}

#[test]
fn steps_go_from_change_to_change_and_back() {
    let (prepared, records) = sample();
    let moments = moments(&prepared, &records[0]);
    let in_ticks = |time: SimTime| (time.0 / moments.schedule().tick_us()) as u32;
    let mut all: Vec<u32> = prepared.workload.jobs.iter().map(|job| in_ticks(job.submit)).collect();
    all.extend(records[0].segments.iter().flat_map(|segment| [in_ticks(segment.from), in_ticks(segment.to)]));
    all.sort_unstable();
    all.dedup();
    for pair in all.windows(2) {
        assert_eq!(moments.change_after(pair[0]), Some(pair[1]));
        assert_eq!(moments.change_before(pair[1]), Some(pair[0]));
        assert_eq!(moments.change_after(pair[1] - 1), Some(pair[1]));
    }
    assert_eq!(moments.change_before(all[0]), None);
    assert_eq!(moments.change_after(all[all.len() - 1]), None);
}

/// One node of two devices of four slots; job 0 of `red` holds half of the first from 10 to 20, job 1 of `blue` waits from 5 on and
/// has not ended when the run does, at 30; job 2 never gets anything.
fn small() -> Moments {
    let kind = Kind { name: "big".into(), first_device: 0, devices: 2, positions: 4, slots: 4 };
    let mut builder = Builder::new(vec![kind], vec![Node { kind: 0, first_device: 0, devices: 2 }], 30);
    ["red", "blue"].into_iter().for_each(|tenant| builder.tenant(tenant));
    builder.class("resnet, 1 GPU");
    for (name, tenant, submit_us, end_us) in
        [("first", 0, 0, Some(20)), ("second", 1, 5, None), ("third", 1, 12, None)]
    {
        let fate = if end_us.is_some() { Fate::Finished } else { Fate::Unfinished };
        builder.job(JobInput { name, tenant, class: 0, submit_us, end_us, fate, waited_us: 0 });
    }
    for (job, from_us, to_us, device, first) in [(0, 10, 20, 0, 2), (1, 22, 30, 1, 0)] {
        builder.lease(LeaseInput {
            job,
            from_us,
            ready_us: from_us,
            to_us,
            rate_micro: 1,
            slots: 2,
            height: 2,
        });
        builder.place(device, first).unwrap();
    }
    builder.wait(WaitInput { job: 1, from_us: 5, to_us: 22, reason: 0 });
    builder.outage(0, 1, 4);
    Moments::new(Rc::new(builder.finish()))
}

#[test]
fn a_moment_is_told_and_drawn() {
    let moments = small();
    let moment = moments.at(15);
    assert_eq!(
        words::headline(&moments, &moment, 15e-6, "FIFO").replace('\u{a0}', " "),
        "At 00:00:00 under FIFO: 1 of 2 GPUs in use (2 of 8 slots), 1 job runs, 2 wait, longest 0.010 ms (second of blue)."
    );
    let svg = drawing(&moments, &moment, 300.0, "m", Titles::Shown).to_svg().replace('\u{a0}', " ");
    assert!(svg.contains("<title>node 1, GPU 1: first of red, 2 slots; 2 slots free</title>"), "{svg}");
    assert!(
        svg.contains("<title>node 1, GPU 2: free</title>")
            && svg.contains("blk t0")
            && !svg.contains("blk t1")
    );
    let out = drawing(&moments, &moments.at(2), 300.0, "m", Titles::Shown).to_svg();
    assert!(out.contains("node 1, out of service, GPU 1: free") && out.contains("url(#m-loss)"));
    assert_eq!(moments.reason(1, 15), Some(Reason::Capacity));
    assert_eq!(moments.reason(2, 15), None);
    assert_eq!(moments.queue(&moment, Some(0)), []);
    assert_eq!(moments.queue(&moment, Some(1)).len(), 2);
}

#[test]
fn what_the_end_cuts_off_is_held_at_the_end() {
    let moments = small();
    for tick in [30, u32::MAX] {
        let moment = moments.at(tick);
        assert_eq!((moment.tick, moment.running, moment.waiting.clone()), (29, 1, vec![2]));
    }
    assert!(words::headline(&moments, &moments.at(30), 1.0, "FIFO").contains("had ended"));
}

#[test]
fn nothing_has_moments_too() {
    let moments = Moments::new(Rc::new(Builder::new(Vec::new(), Vec::new(), 0).finish()));
    let moment = moments.at(5);
    assert_eq!((moment.running, moment.waiting.len(), moment.slots), (0, 0, 0));
    assert_eq!((moments.change_after(0), moments.change_before(0)), (None, None));
    assert!(drawing(&moments, &moment, 0.0, "m", Titles::Left).height >= 1.0);
}

/// Many devices are bands of nodes, and more are one band: what is drawn does not grow with the cluster.
#[test]
fn large_clusters_are_drawn_in_bands() {
    for (nodes, per_node) in [(30, 8), (311, 8), (900, 8)] {
        let devices = nodes * per_node;
        let kind = Kind { name: "big".into(), first_device: 0, devices, positions: 1, slots: 1 };
        let of = (0..nodes).map(|node| Node { kind: 0, first_device: node * per_node, devices: per_node });
        let mut builder = Builder::new(vec![kind], of.collect(), 100);
        (0..20).for_each(|tenant| builder.tenant(&format!("t{tenant}")));
        builder.class("c");
        for job in 0..devices {
            let (end_us, fate) = (Some(100), Fate::Finished);
            builder.job(JobInput {
                name: "j",
                tenant: job % 20,
                class: 0,
                submit_us: 0,
                end_us,
                fate,
                waited_us: 0,
            });
            builder.lease(LeaseInput {
                job,
                from_us: 0,
                ready_us: 0,
                to_us: 100,
                rate_micro: 1,
                slots: 1,
                height: 1,
            });
            builder.place(job, 0).unwrap();
        }
        let moments = Moments::new(Rc::new(builder.finish()));
        let moment = moments.at(50);
        assert_eq!((moment.devices_used, moment.running), (devices, devices));
        let scene = drawing(&moments, &moment, 600.0, "m", Titles::Shown);
        assert!(
            scene.to_svg().matches("<rect").count() < 6_000 && scene.height < 1_200.0,
            "{nodes}: {}",
            scene.height
        );
        assert!(scene.to_svg().matches("<title>").count() <= 311);
        let playing = drawing(&moments, &moment, 600.0, "m", Titles::Left);
        assert!(playing.nodes.len() < 60 && playing.height.to_bits() == scene.height.to_bits());
    }
}

#[test]
fn playing_takes_as_long_as_it_says_and_stops_at_the_end() {
    for speed in Speed::ALL {
        let mut time_s = 0.0;
        for _ in 0..10 {
            time_s = speed.after(time_s, 3_600.0, speed.seconds() / 10.0);
        }
        assert!((time_s - 3_600.0).abs() < 1e-6);
        assert!(speed.after(time_s, 3_600.0, 1.0) <= 3_600.0);
    }
    assert_eq!([0.0, 359.999, 360.0, 1e9].map(|time_s| round_at(time_s, 360.0)), [0, 0, 1, 2_777_777]);
    // A third of a second is not a whole number of microseconds, and a boundary is one still.
    assert_eq!(round_at(7.0 * 0.333_333, 0.333_333), 7);
    assert_eq!(round_at(5.0, 0.0), 0);
}
