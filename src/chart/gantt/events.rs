//! The schedule in the Trace Event Format, which Perfetto and the tracing page of Chromium open.
//!
//! A GPU type is a process and a lane a thread, so that events of one thread never overlap. Every bar is a complete event (`"ph": "X"`) in
//! microseconds from the beginning of the run, named after its job and categorised by its tenant.

use std::io::{self, Write};

use serde::Serialize;

use super::{Lane, Schedule};

/// An event, by its phase.
#[derive(Serialize)]
#[serde(tag = "ph")]
enum Event<'a> {
    /// The name of a process or thread.
    #[serde(rename = "M")]
    Name { pid: usize, tid: usize, name: &'static str, args: Named<'a> },
    /// A bar.
    #[serde(rename = "X")]
    Bar { pid: usize, tid: usize, ts: i64, dur: i64, name: &'a str, cat: &'a str, args: Details<'a> },
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Details<'a> {
    tenant: &'a str,
    class: &'a str,
    submitted_us: i64,
    overhead_us: i64,
    rate_millionths: u32,
}

impl Schedule {
    /// Writes every bar as an event, and the names of types and lanes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_trace_events(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        let mut gap = "\n";
        let mut write = |event: &Event<'_>| {
            to.write_all(gap.as_bytes())?;
            gap = ",\n";
            serde_json::to_writer(&mut to, event).map_err(io::Error::from)
        };
        for (pid, kind) in self.kinds().iter().enumerate() {
            write(&Event::Name { pid, tid: 0, name: "process_name", args: Named { name: &kind.name } })?;
        }
        for (tid, lane) in self.lanes().iter().enumerate() {
            let pid = self.kind_of(lane.device).map_or(0, |(kind, _)| kind as usize);
            write(&Event::Name {
                pid,
                tid,
                name: "thread_name",
                args: Named { name: &self.lane_name(*lane) },
            })?;
            for event in self.lane(tid as u32).filter_map(|bar| self.event(bar as u32, pid, tid)) {
                write(&event)?;
            }
        }
        to.write_all(b"\n]}\n")
    }

    fn event(&self, bar: u32, pid: usize, tid: usize) -> Option<Event<'_>> {
        let (span, lease) = (self.span(bar)?, self.lease_of(bar)?);
        let job = self.job(lease.job)?;
        let micros = |ticks: u32| i64::from(ticks) * self.tick_us();
        let tenant = self.tenants().get(job.tenant as usize);
        Some(Event::Bar {
            pid,
            tid,
            ts: micros(span.start),
            dur: micros(span.end - span.start),
            name: self.name(lease.job),
            cat: tenant,
            args: Details {
                tenant,
                class: self.classes().get(job.class as usize),
                submitted_us: micros(job.submit),
                overhead_us: micros(lease.ready.min(span.end).saturating_sub(span.start)),
                rate_millionths: lease.rate_micro,
            },
        })
    }

    /// `node 2, GPU 5`, and which slots of it where it is divided.
    fn lane_name(&self, lane: Lane) -> String {
        let (_, node, gpu) = self.address(lane.device).unwrap_or_default();
        let positions = self.kind_of(lane.device).map_or(1, |(_, kind)| kind.positions);
        let (first, last) = (lane.first + 1, lane.first + lane.height);
        match lane.height {
            _ if positions <= 1 => format!("node {node}, GPU {gpu}"),
            1 => format!("node {node}, GPU {gpu}, slot {first}"),
            _ => format!("node {node}, GPU {gpu}, slots {first} to {last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::tests::schedule;
    use super::super::{Builder, Kind};

    #[test]
    fn every_bar_is_an_event_on_its_lane() {
        let schedule = schedule(&[(0, 0, 2, 5, 9), (0, 2, 1, 5, 8), (0, 0, 2, 9, 12), (7, 0, 1, 0, 3)], 12);
        let mut text = Vec::new();
        schedule.write_trace_events(&mut text).unwrap();
        let value: Value = serde_json::from_slice(&text).unwrap();
        let events = value["traceEvents"].as_array().unwrap();
        let names: Vec<String> = events
            .iter()
            .filter(|event| event["ph"] == "M")
            .map(|event| format!("{} {} {}", event["pid"], event["tid"], event["args"]["name"]))
            .collect();
        let lanes =
            ["0 0 \"node 1, GPU 1, slots 1 to 2\"", "0 1 \"node 1, GPU 1, slot 3\"", "1 2 \"node 2, GPU 2\""];
        assert_eq!(names, [["0 0 \"big\"", "1 0 \"small\""].as_slice(), &lanes].concat());
        let bars: Vec<String> = events
            .iter()
            .filter(|event| event["ph"] == "X")
            .map(|event| {
                let [thread, from, length, name, tenant] =
                    ["tid", "ts", "dur", "name", "cat"].map(|key| event[key].to_string());
                format!("{thread}: {from} for {length}, {name} of {tenant}")
            })
            .collect();
        assert_eq!(
            bars,
            [
                "0: 5 for 4, \"job-0\" of \"red\"",
                "0: 9 for 3, \"job-2\" of \"blue\"",
                "1: 5 for 3, \"job-1\" of \"green\"",
                "2: 0 for 3, \"job-3\" of \"red\"",
            ]
        );
        assert_eq!(bars.len(), schedule.bars());
    }

    #[test]
    fn names_may_hold_anything() {
        let name = "a\"b\\\n";
        let kind = Kind { name: name.into(), first_device: 0, devices: 0, positions: 1, slots: 1 };
        let mut text = Vec::new();
        Builder::new(vec![kind], Vec::new(), 1).finish().write_trace_events(&mut text).unwrap();
        let value: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(value["traceEvents"][0]["args"]["name"], name);
    }
}
