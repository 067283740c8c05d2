//! What the record of every run must satisfy.

use sts_sim::cluster::Cluster;
use sts_sim::sim::{RunRecord, Segment};
use sts_sim::units::{Rate, SimSpan, SimTime, Work};
use sts_sim::workload::BoundWorkload;

/// Segments never overlap on a position, lie at legal starts, and are options of their jobs.
pub(crate) fn check_space(cluster: &Cluster, workload: &BoundWorkload, record: &RunRecord) {
    let mut changes: Vec<(SimTime, bool, usize)> = Vec::new();
    for (index, segment) in record.segments.iter().enumerate() {
        let option =
            workload.class_of(&workload.jobs[segment.job.index()]).options[usize::from(segment.option)];
        assert_eq!((option.type_id, option.slice()), (segment.type_id, segment.slice()));
        assert_eq!(record.parts(segment).len(), option.devices as usize);
        assert!(segment.from <= segment.to && segment.from <= segment.ready);
        if segment.from < segment.to {
            changes.push((segment.from, true, index));
            changes.push((segment.to, false, index));
        }
    }
    // Ends sort before beginnings at the same moment.
    changes.sort();
    let mut masks = vec![0u8; cluster.devices() as usize];
    for (_, begins, index) in changes {
        let segment = &record.segments[index];
        let geometry = cluster.gpu_type(segment.type_id).geometry;
        for part in record.parts(segment) {
            assert_eq!(cluster.type_of(part.device), segment.type_id);
            let mask = geometry.mask(segment.slice(), part.first_slot).expect("a legal start");
            let taken = &mut masks[part.device.index()];
            if begins {
                assert_eq!(*taken & mask, 0, "two jobs on one position");
            }
            *taken ^= mask;
        }
    }
    assert!(masks.iter().all(|&mask| mask == 0));
}

/// Every job finishes once, after exactly its work, and its figures agree with its segments.
pub(crate) fn check_work(workload: &BoundWorkload, record: &RunRecord) {
    assert_eq!(record.stopped, None);
    for (index, (job, outcome)) in workload.jobs.iter().zip(&record.jobs).enumerate() {
        let finish = outcome.finish.expect("finished");
        let segments: Vec<_> = record.segments.iter().filter(|s| s.job.index() == index).collect();
        assert_eq!(outcome.first_start, segments.first().map(|s| s.from));
        assert_eq!(segments.last().map(|s| s.to), Some(finish));
        assert!(segments.first().is_none_or(|s| s.from >= job.submit));
        assert!(segments.windows(2).all(|pair| pair[0].to <= pair[1].from));
        let held: i64 = segments.iter().map(|s| (s.to - s.from).0).sum();
        assert_eq!(outcome.held, SimSpan(held));
        let options = &workload.class_of(job).options;
        let mut done = Work::ZERO;
        let mut last_rate = Rate::ONE;
        for segment in &segments {
            last_rate = options[usize::from(segment.option)].rate;
            if segment.to > segment.ready {
                done += last_rate.over(segment.to - segment.ready);
            }
        }
        // The last microsecond may do more than was left.
        assert!(
            done >= job.work && done - job.work < last_rate.over(SimSpan(1)),
            "{done:?} of {:?}",
            job.work
        );
        let breaks = segments.windows(2).filter(|pair| pair[0].to < pair[1].from).count();
        assert!(outcome.preemptions as usize >= breaks);
        // A grant that finds no position may send its job back to where it was.
        let holds =
            |s: &Segment| (s.option, record.parts(s).iter().map(|part| part.device).collect::<Vec<_>>());
        let changes = segments.windows(2).filter(|pair| holds(pair[0]) != holds(pair[1])).count();
        assert!((outcome.preemptions + outcome.migrations) as usize >= changes);
    }
}

/// Nobody waits while whole free devices would do for it. Runs in which jobs hold whole devices only.
pub(crate) fn check_busy(cluster: &Cluster, workload: &BoundWorkload, record: &RunRecord, policy: &str) {
    let mut moments: Vec<SimTime> = record.segments.iter().flat_map(|s| [s.from, s.to]).collect();
    moments.extend(workload.jobs.iter().map(|job| job.submit));
    moments.sort_unstable();
    moments.dedup();
    for now in moments {
        let running = |s: &&Segment| s.from <= now && now < s.to;
        let mut free: Vec<u32> = cluster.types().iter().map(|gpu| gpu.devices).collect();
        let mut runs = vec![false; workload.jobs.len()];
        for segment in record.segments.iter().filter(running) {
            free[segment.type_id.index()] -= record.parts(segment).len() as u32;
            runs[segment.job.index()] = true;
        }
        for (index, job) in workload.jobs.iter().enumerate() {
            let is_waiting =
                job.submit <= now && !runs[index] && record.jobs[index].finish.is_none_or(|end| end > now);
            let class = workload.class_of(job);
            let whole = class.whole.iter().flatten().map(|&option| class.options[usize::from(option)]);
            let could_run = |free: &[u32]| whole.clone().any(|o| o.devices <= free[o.type_id.index()]);
            assert!(
                !(is_waiting && could_run(&free)),
                "{policy}: job {index} waits at {now:?} beside {free:?}"
            );
        }
    }
}
