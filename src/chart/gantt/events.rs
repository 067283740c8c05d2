//! The schedule in the Trace Event Format, which Perfetto and the tracing page of Chromium open.
//!
//! A GPU type is a process and a lane a thread, so that events of one thread never overlap. Every bar is a complete event (`"ph": "X"`) in
//! microseconds from the beginning of the run, named after its job and categorised by its tenant.

use std::io::{self, Write};

use super::{Lane, Schedule};

impl Schedule {
    /// Writes every bar as an event, preceded by the names of types and lanes.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_trace_events(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        let mut gap = "\n";
        for (process, kind) in self.kinds().iter().enumerate() {
            write!(to, "{gap}{}", named("process_name", process, 0, &kind.name))?;
            gap = ",\n";
        }
        let tenants: Vec<String> =
            (0..self.tenants().len()).map(|at| quoted(self.tenants().get(at))).collect();
        for (thread, lane) in self.lanes().iter().enumerate() {
            let process = self.kind_of(lane.device).map_or(0, |(kind, _)| kind as usize);
            write!(to, "{gap}{}", named("thread_name", process, thread, &self.lane_name(*lane)))?;
            gap = ",\n";
            for bar in self.lane(thread as u32) {
                self.write_bar(&mut to, gap, bar as u32, (process, thread), &tenants)?;
            }
        }
        to.write_all(b"\n]}\n")
    }

    fn write_bar(
        &self,
        to: &mut impl Write,
        gap: &str,
        bar: u32,
        (process, thread): (usize, usize),
        tenants: &[String],
    ) -> io::Result<()> {
        let (Some(span), Some(lease), Some(job)) = (self.span(bar), self.lease_of(bar), self.job_of(bar))
        else {
            return Ok(());
        };
        let Some(of) = self.job(job) else { return Ok(()) };
        let micros = |ticks: u32| i64::from(ticks) * self.tick_us();
        let tenant = tenants.get(of.tenant as usize).map_or("\"\"", String::as_str);
        let overhead_us = micros(lease.ready.min(span.end).saturating_sub(span.start));
        write!(
            to,
            "{gap}{{\"ph\":\"X\",\"pid\":{process},\"tid\":{thread},\"ts\":{},\"dur\":{},\"name\":{},\"cat\":{tenant},\"args\":{{\"tenant\":{tenant},\
             \"class\":{},\"submitted_us\":{},\"overhead_us\":{overhead_us},\"rate_millionths\":{}}}}}",
            micros(span.start),
            micros(span.end - span.start),
            quoted(self.name(job)),
            quoted(self.classes().get(of.class as usize)),
            micros(of.submit),
            lease.rate_micro,
        )
    }

    /// `node 2, GPU 5`, and which slots of it where it is divided.
    fn lane_name(&self, lane: Lane) -> String {
        let (_, node, gpu) = self.address(lane.device).unwrap_or_default();
        let positions = self.kind_of(lane.device).map_or(1, |(_, kind)| kind.positions);
        if positions <= 1 {
            return format!("node {node}, GPU {gpu}");
        }
        let (first, last) = (lane.first + 1, lane.first + lane.height);
        if lane.height == 1 {
            format!("node {node}, GPU {gpu}, slot {first}")
        } else {
            format!("node {node}, GPU {gpu}, slots {first} to {last}")
        }
    }
}

fn named(what: &str, process: usize, thread: usize, name: &str) -> String {
    format!(
        "{{\"ph\":\"M\",\"pid\":{process},\"tid\":{thread},\"name\":\"{what}\",\"args\":{{\"name\":{}}}}}",
        quoted(name)
    )
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::tests::schedule;

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
        assert_eq!(super::quoted("a\"b\\\n"), r#""a\"b\\\n""#);
    }
}
