//! The words of the panel that shows a run moment by moment.

use crate::app::moment::{Held, Moment, Moments, Service, Waiting};
use crate::chart::format;
use crate::chart::gantt::Kind;

use super::{counted, jobs};

/// The head of the panel.
pub const TITLE: &str = "Moment by moment";
/// What it shows.
pub const ABOUT: &str = "What every GPU holds and who waits, at the cursor that all charts over time share.";
/// Before it is opened.
pub const OPEN: &str = "Show the moments";
/// While it is read.
pub const READING: &str = "Reading the schedule…";
/// Where no run has devices.
pub const NONE: &str = "No run has devices to show: the trace's own schedule and the fluid mode know none, and runs of more than \
    8 million allocations are not laid out.";
/// Where results came without their runs.
pub const OPENED: &str = "A file of results keeps figures, not what every job did. Open the trace it is of, if it is of one, and run the \
    comparison again to see its moments and why jobs waited.";
/// How the slider is operated.
pub const KEYS: [(&str, &str); 3] =
    [(", .", "change before, next"), ("< >", "round before, next"), ("Space", "plays, on the slider")];
/// What the table of tenants says of entitlement.
pub const ENTITLED: &str =
    "Slots that the tenant's quota gives it in the round, from the ledger of STS-Fairness";
/// What the queue lists.
pub const SINCE: &str = "Since it was submitted, or since it last held something";
/// Nobody waits.
pub const EMPTY_QUEUE: &str = "No job waits.";
/// The run did not note why.
pub const NO_REASON: &str = "no reason noted";
/// Most tenants or jobs that one tooltip names.
const MOST_NAMED: usize = 6;

/// A moment as on a clock: `2 d 04:10:05`, `04:10:05`.
#[must_use]
pub fn instant(time_s: f64) -> String {
    let seconds = if time_s.is_finite() { time_s.clamp(0.0, 1e12).round() as u64 } else { 0 };
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3_600, rest / 60 % 60, rest % 60);
    if days > 0 { format!("{}\u{a0}d\u{a0}{clock}", format::count(days)) } else { clock }
}

/// `31 of 36 GPUs in use, 14 jobs run, 22 wait`.
#[must_use]
pub fn counts(moments: &Moments, moment: &Moment) -> String {
    let devices = moments.schedule().devices();
    let gpus = format!(
        "{} of {} in use",
        format::count(moment.devices_used.into()),
        counted(devices.into(), "GPU", "GPUs")
    );
    let slots = if moment.slots > u64::from(devices) {
        format!(" ({} of {} slots)", format::count(moment.slots_used), format::count(moment.slots))
    } else {
        String::new()
    };
    let running = match moment.running {
        1 => "1\u{a0}job runs".to_owned(),
        count => format!("{} run", jobs(count.into())),
    };
    let waiting = match moment.waiting.len() {
        0 => "none waits".to_owned(),
        1 => "1 waits".to_owned(),
        count => format!("{} wait", format::count(count as u64)),
    };
    format!("{gpus}{slots}, {running}, {waiting}")
}

/// The whole moment in a sentence.
#[must_use]
pub fn headline(moments: &Moments, moment: &Moment, time_s: f64, run: &str) -> String {
    let at = instant(time_s);
    if time_s > moments.end_s() + 1e-6 {
        return format!("At {at} the run under {run} had ended, at {}.", instant(moments.end_s()));
    }
    let longest = moment.longest.map(|longest| {
        let schedule = moments.schedule();
        format!(
            ", longest {} ({} of {})",
            waited(moments, moment, longest),
            schedule.name(longest.job),
            schedule.tenants().get(longest.tenant as usize)
        )
    });
    format!("At {at} under {run}: {}{}.", counts(moments, moment), longest.unwrap_or_default())
}

/// How long a job has waited.
#[must_use]
pub fn waited(moments: &Moments, moment: &Moment, waiting: Waiting) -> String {
    format::duration(moments.seconds(moment.tick.saturating_sub(waiting.since)))
}

/// What the drawing is, for those who do not see it; tenants and queue stand beside it as tables.
#[must_use]
pub fn drawing(moments: &Moments, moment: &Moment) -> String {
    format!("The devices of the cluster: {}.", counts(moments, moment))
}

/// `12 of 16 GPUs in use`.
#[must_use]
pub fn kind(kind: &Kind, held: &[Held]) -> String {
    format!("{} of {} in use", format::count(used(held).into()), counted(kind.devices.into(), "GPU", "GPUs"))
}

/// Devices of which something is held.
fn used(held: &[Held]) -> u32 {
    let mut last = None;
    held.iter().filter(|held| last.replace(held.device) != Some(held.device)).count() as u32
}

/// `node 3`.
#[must_use]
pub fn node(number: u32, service: Service) -> String {
    match service {
        Service::In => format!("node {number}"),
        Service::Out => format!("node {number}, out of service"),
    }
}

/// What a band of several devices holds.
#[must_use]
pub fn band(moments: &Moments, name: &str, kind: &Kind, devices: u32, held: &[Held]) -> String {
    let tenants = moments.schedule().tenants();
    let sums = crate::app::moment::by_tenant(held);
    let of = |(tenant, slots): &(u32, u64)| {
        format!("{} {}", tenants.get(*tenant as usize), slots_of(kind, *slots))
    };
    let mut parts: Vec<String> = sums.iter().take(MOST_NAMED).map(of).collect();
    if sums.len() > MOST_NAMED {
        parts.push(format!("and {} more tenants", sums.len() - MOST_NAMED));
    }
    let parts = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) };
    format!("{name}: {} of {} in use{parts}", used(held), counted(devices.into(), "GPU", "GPUs"))
}

/// What one device holds.
#[must_use]
pub fn device(moments: &Moments, node: &str, number: u32, kind: &Kind, held: &[Held]) -> String {
    let schedule = moments.schedule();
    let of = |held: &Held| {
        let of = format!("{} of {}", schedule.name(held.job), schedule.tenants().get(held.tenant as usize));
        if kind.slots > 1 { format!("{of}, {}", slots_of(kind, held.slots.into())) } else { of }
    };
    let mut parts: Vec<String> = held.iter().map(of).collect();
    let free = u64::from(kind.slots).saturating_sub(held.iter().map(|held| u64::from(held.slots)).sum());
    match (held.is_empty(), free) {
        (true, _) => parts.push("free".to_owned()),
        (false, 0) => {}
        (false, free) => parts.push(format!("{} free", slots_of(kind, free))),
    }
    format!("{node}, GPU {number}: {}", parts.join("; "))
}

/// Slots of a type; where a device is one slot these are GPUs.
fn slots_of(kind: &Kind, slots: u64) -> String {
    if kind.slots > 1 { counted(slots, "slot", "slots") } else { counted(slots, "GPU", "GPUs") }
}

/// What the slider says.
#[must_use]
pub fn slider(moments: &Moments, moment: &Moment, time_s: f64) -> String {
    format!("{}; {}", instant(time_s), counts(moments, moment))
}

/// How much of the queue is listed.
#[must_use]
pub fn listed(shown: usize, all: usize) -> String {
    if shown < all {
        format!(
            "The first {} of {} that wait, in order of arrival",
            format::count(shown as u64),
            jobs(all as u64)
        )
    } else if all == 1 {
        "The job that waits".to_owned()
    } else {
        format!("The {} that wait, in order of arrival", jobs(all as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_as_on_a_clock() {
        assert_eq!(instant(0.0), "00:00:00");
        assert_eq!(instant(3_725.4), "01:02:05");
        assert_eq!(instant(2.0 * 86_400.0 + 4.0 * 3_600.0 + 600.0), "2\u{a0}d\u{a0}04:10:00");
        assert_eq!([f64::NAN, -5.0].map(instant), ["00:00:00", "00:00:00"]);
    }
}
