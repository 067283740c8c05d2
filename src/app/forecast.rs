//! What of a workload would be simulated on a cluster, told before anything is run.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::strings::{counted, jobs};
use crate::chart::format;
use crate::scenario::run::Prepared;
use crate::workload::Workload;

/// Jobs by what becomes of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// GPU jobs of the workload before anything is taken from it.
    pub traced: u64,
    /// GPU jobs in the window and of the outcomes, tenants and sample that are asked for.
    pub taken: u64,
    /// Jobs that will be simulated.
    pub simulated: u64,
    /// Jobs larger than the cluster allows.
    pub too_large: u64,
    /// Jobs without a run time.
    pub without_run_time: u64,
    /// Tenants of the jobs that are simulated.
    pub tenants: u64,
}

impl Forecast {
    /// What was made of a workload as traced or generated.
    #[must_use]
    pub fn of(prepared: &Prepared, traced: &Workload) -> Self {
        let workload = &prepared.workload;
        Self {
            traced: traced.gpu_jobs().count() as u64,
            taken: prepared.source.gpu_jobs().count() as u64,
            simulated: workload.jobs.len() as u64,
            too_large: workload.never_fit.len() as u64,
            without_run_time: workload.without_duration.len() as u64,
            tenants: workload.jobs.iter().map(|job| job.tenant).collect::<BTreeSet<_>>().len() as u64,
        }
    }

    /// One sentence: how many jobs are simulated, and what becomes of the others.
    #[must_use]
    pub fn sentence(&self) -> String {
        let tenants = counted(self.tenants, "tenant", "tenants");
        let Self { traced, simulated, .. } = *self;
        if simulated == traced {
            return format!("All {} of {tenants} will be simulated.", jobs(traced));
        }
        let others = [
            (traced.saturating_sub(self.taken), "not taken from the trace"),
            (self.too_large, "larger than this cluster allows"),
            (self.without_run_time, "without a run time"),
        ];
        let others = others.into_iter().filter(|(count, _)| *count > 0);
        let others: Vec<String> =
            others.map(|(count, what)| format!("{} {what}", format::count(count))).collect();
        let (some, all) = (jobs(simulated), format::count(traced));
        format!("{some} of {all}, of {tenants}, will be simulated: {}.", others.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use crate::scenario::run::prepare;
    use crate::trace::{ImportOptions, import_reader};

    fn told(trace: &str) -> String {
        let csv = b"submit_s,gpus,duration_s,tenant,outcome\n0,1,60,a,completed\n1,16,60,b,completed\n2,1,,b,completed\n\
                    3,0,60,b,completed\n4,1,60,b,failed\n7200,1,60,b,completed\n";
        let text = format!(
            r#"{{"cluster": {{"nodes": [{{"gpu": "V100-16", "count": 1, "gpus_per_node": 8}}]}},
                "workload": {{"trace": {{"path": "x"{trace}}}}}, "policies": [{{"name": "fifo"}}]}}"#
        );
        let workload = import_reader("x.csv", &csv[..], &ImportOptions::default()).unwrap().workload;
        let prepared = prepare(&Scenario::from_json(&text).unwrap(), &workload).unwrap();
        Forecast::of(&prepared, &workload).sentence()
    }

    #[test]
    fn every_gpu_job_of_the_trace_is_accounted_for() {
        assert_eq!(
            told(""),
            "3\u{a0}jobs of 5, of 2\u{a0}tenants, will be simulated: 1 larger than this cluster allows, 1 without a run time."
        );
        assert_eq!(
            told(r#", "states": "completed", "window_s": [0, 3600]"#),
            "1\u{a0}job of 5, of 1\u{a0}tenant, will be simulated: 2 not taken from the trace, 1 larger than this cluster allows, 1 \
             without a run time."
        );
    }

    #[test]
    fn nothing_left_out_is_said_in_short() {
        let all =
            Forecast { traced: 9, taken: 9, simulated: 9, too_large: 0, without_run_time: 0, tenants: 1 };
        assert_eq!(all.sentence(), "All 9\u{a0}jobs of 1\u{a0}tenant will be simulated.");
    }
}
