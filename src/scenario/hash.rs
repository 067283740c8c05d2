//! Fingerprints: of a scenario (what was asked) and of a run (every allocation that came out).

use sha2::{Digest, Sha256};

use super::Scenario;
use crate::sim::RunRecord;
use crate::units::{JobId, SimTime};
use crate::workload::Workload;

/// First 16 hex digits of a SHA-256.
fn short(hasher: Sha256) -> String {
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Fingerprint of a run: over every job in input order its number, start and finish in microseconds (−1 if none) and each of
/// its allocations as (from, to, type, device, first slot, slots), all as little-endian `i64`.
#[must_use]
pub fn result_hash(record: &RunRecord) -> String {
    let mut hasher = Sha256::new();
    let mut put = |value: i64| hasher.update(value.to_le_bytes());
    let micros = |time: Option<SimTime>| time.map_or(-1, |t| t.0);
    let mut segments = record.segments.iter().peekable();
    for (index, run) in record.jobs.iter().enumerate() {
        let job = JobId(index as u32);
        put(i64::from(job.0));
        put(micros(run.first_start));
        put(micros(run.finish));
        while let Some(segment) = segments.next_if(|segment| segment.job == job) {
            for part in record.parts(segment) {
                put(segment.from.0);
                put(segment.to.0);
                put(i64::from(segment.type_id.0));
                put(i64::from(part.device.0));
                put(i64::from(part.first_slot));
                put(i64::from(segment.slots));
            }
        }
    }
    short(hasher)
}

/// Fingerprint of a scenario: over its JSON with sorted keys and all defaults filled in, without its name, with a trace
/// replaced by the fingerprint of its normalised workload.
#[must_use]
pub fn scenario_hash(scenario: &Scenario, workload: &Workload) -> String {
    let mut filled = scenario.clone();
    filled.name.clear();
    for (index, choice) in filled.policies.iter_mut().enumerate() {
        choice.label = Some(choice.label().to_string());
        if let Ok((_, params)) = scenario.policy(index) {
            choice.params = params.values().iter().map(|(k, v)| ((*k).to_string(), v.clone())).collect();
        }
    }
    if let Some(trace) = &mut filled.workload.trace {
        trace.path = workload_hash(workload);
        trace.format.clear();
        trace.mapping = None;
        trace.repairs = crate::trace::Repairs::default();
        trace.members.clear();
        trace.one_in = 0;
    }
    let value = serde_json::to_value(&filled).unwrap_or_default();
    let mut hasher = Sha256::new();
    hasher.update(value.to_string().as_bytes());
    short(hasher)
}

/// Fingerprint of a normalised workload.
#[must_use]
pub fn workload_hash(workload: &Workload) -> String {
    let mut hasher = Sha256::new();
    hasher.update(postcard::to_allocvec(workload).unwrap_or_default());
    short(hasher)
}
