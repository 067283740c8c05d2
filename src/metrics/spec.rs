//! What each metric is. The table of the page, its help texts and `docs/metrics.md` are made from this list.
//!
//! Percentiles are nearest-rank: the p-th percentile of n values is the ceil(p/100 · n)-th smallest. With a measuring
//! [window](super::window) "jobs" are those submitted in it and "time" is the window, cut at the last finish; makespan and MIG changes
//! remain those of the whole run.

/// Whether a larger value is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smaller is better.
    Lower,
    /// Larger is better.
    Higher,
    /// Neither.
    Neutral,
}

/// The unit of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// A share from 0 to 1, shown in percent.
    Share,
    /// A ratio, shown with ×.
    Ratio,
    /// A count.
    Count,
    /// Jobs per hour.
    JobsPerHour,
    /// Hours of one device.
    GpuHours,
    /// Work per second, in reference GPUs.
    ReferenceGpus,
    /// Service: seconds of one reference GPU.
    ReferenceGpuSeconds,
    /// The currency of the scenario's prices.
    Money,
}

/// The column group of the key-figure table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Completion, waiting.
    Time,
    /// Use of the cluster.
    Cluster,
    /// Fairness.
    Fairness,
    /// What changes and solving cost.
    Cost,
}

/// One metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MetricSpec {
    /// The key in `summary.json` and in the table.
    pub key: &'static str,
    /// Column head.
    pub title: &'static str,
    /// Unit.
    pub unit: Unit,
    /// Which way is better.
    pub direction: Direction,
    /// Where it stands in the table.
    pub group: Group,
    /// The definition, with its formula.
    pub help: &'static str,
}

macro_rules! table {
    ($($key:literal $title:literal $unit:ident $direction:ident $group:ident $help:literal;)*) => {
        &[$(MetricSpec {
            key: $key, title: $title, unit: Unit::$unit, direction: Direction::$direction, group: Group::$group, help: $help,
        }),*]
    };
}

/// All metrics, in the order of the table.
#[must_use]
pub fn metrics() -> &'static [MetricSpec] {
    table! {
        "jct_mean_s" "Mean JCT" Seconds Lower Time "Mean over completed jobs of finish − submission.";
        "jct_mean_common_s" "Mean JCT, common jobs" Seconds Lower Time "Mean JCT over the jobs completed in every run of the comparison.";
        "jct_p50_s" "Median JCT" Seconds Lower Time "The ceil(0.50 n)-th smallest JCT of the n completed jobs.";
        "jct_p95_s" "p95 JCT" Seconds Lower Time "The ceil(0.95 n)-th smallest JCT of the n completed jobs.";
        "jct_p99_s" "p99 JCT" Seconds Lower Time "The ceil(0.99 n)-th smallest JCT of the n completed jobs.";
        "jct_max_s" "Longest JCT" Seconds Lower Time "The largest JCT of a completed job.";
        "wait_mean_s" "Mean wait" Seconds Lower Time "Mean over completed jobs of JCT − time holding an allocation.";
        "wait_p50_s" "Median wait" Seconds Lower Time "The ceil(0.50 n)-th smallest wait of the n completed jobs.";
        "wait_p95_s" "p95 wait" Seconds Lower Time "The ceil(0.95 n)-th smallest wait of the n completed jobs.";
        "wait_p99_s" "p99 wait" Seconds Lower Time "The ceil(0.99 n)-th smallest wait of the n completed jobs.";
        "wait_max_s" "Longest wait" Seconds Lower Time "The largest wait of a completed job.";
        "first_start_delay_mean_s" "Mean delay of first start" Seconds Lower Time "Mean over started jobs of first start − submission.";
        "slowdown_bounded_mean" "Mean bounded slowdown" Ratio Lower Time "Mean over completed jobs of max(1, JCT / max(10 s, duration on the best type of the cluster)).";
        "slowdown_bounded_p50" "Median bounded slowdown" Ratio Lower Time "The ceil(0.50 n)-th smallest bounded slowdown of the n completed jobs.";
        "slowdown_bounded_p95" "p95 bounded slowdown" Ratio Lower Time "The ceil(0.95 n)-th smallest bounded slowdown of the n completed jobs.";
        "slowdown_bounded_p99" "p99 bounded slowdown" Ratio Lower Time "The ceil(0.99 n)-th smallest bounded slowdown of the n completed jobs.";
        "slowdown_bounded_max" "Worst bounded slowdown" Ratio Lower Time "The largest bounded slowdown of a completed job.";
        "makespan_s" "Makespan" Seconds Lower Cluster "Last finish − first submission.";
        "throughput_jobs_per_hour" "Jobs per hour" JobsPerHour Higher Cluster "Completed jobs / makespan; with a measuring window, jobs that finish in it / its length.";
        "utilization" "Utilisation" Share Higher Cluster "Slot-seconds held, overhead included, each slot weighted by its share of a device, over the slot-seconds of nodes in service from first submission to last finish.";
        "slot_utilization" "Slots in use" Share Higher Cluster "Slot-seconds held, overhead included, over the slot-seconds of nodes in service from first submission to last finish, every slot alike: a device cut in seven counts seven times a whole one.";
        "effective_throughput" "Effective throughput" ReferenceGpus Higher Cluster "Service done per second from first submission to last finish; one whole device of a job's best type gives 1.";
        "queue_mean" "Mean queue" Count Lower Cluster "Time mean of the number of jobs waiting, from first submission to last finish.";
        "queue_p95" "p95 queue" Count Lower Cluster "The least number of jobs waiting that is not exceeded in 95 % of the time.";
        "queue_max" "Longest queue" Count Lower Cluster "The largest number of jobs waiting at once.";
        "fragmentation_mean" "Fragmentation" Share Lower Cluster "Time mean of the share of free GPU that a job of the trace's mix of sizes cannot use (FGD); 0 while nothing is free.";
        "fragmentation_stranded_mean" "Stranded" Share Lower Cluster "The part of fragmentation on nodes that could serve the class of jobs: free GPU on devices that the class cannot use.";
        "fragmentation_deficient_mean" "Deficient" Share Lower Cluster "The part of fragmentation on nodes that cannot serve the class of jobs at all: all their free GPU.";
        "ftf_rho_max" "Worst finish-time ρ" Ratio Lower Fairness "Largest ρ = JCT / (duration on the best type × max(1, c)), c = mean over the job's stay of GPUs requested by active jobs / GPUs of the cluster, or the c that the scenario fixes.";
        "ftf_rho_mean" "Mean finish-time ρ" Ratio Lower Fairness "Mean ρ over completed jobs.";
        "ftf_rho_p95" "p95 finish-time ρ" Ratio Lower Fairness "The ceil(0.95 n)-th smallest ρ of the n completed jobs.";
        "ftf_unfair_share" "ρ > 1" Share Lower Fairness "Share of completed jobs with ρ > 1.";
        "ftf_unfair_share_noisy" "ρ > 1.05" Share Lower Fairness "Share of completed jobs with ρ > 1.05: what is called unfair by those who allow for noise in throughputs.";
        "jain_service" "Jain index" Ratio Higher Fairness "Jain index over tenants of service received / weighted share of all service done while the tenant was active.";
        "service_ratio_min" "Least service" Ratio Higher Fairness "Least over tenants of service received / weighted share of all service done while the tenant was active: sharing incentive over the whole run. A tenant that asks for less than its share falls short by its own choice.";
        "service_short_share" "Under-served tenants" Share Lower Fairness "Share of tenants with less service over the whole run than their weighted share of all service done while they were active.";
        "gini_slowdown" "Gini of slowdown" Ratio Lower Fairness "Gini coefficient of completed jobs' bounded slowdown.";
        "floor_violations" "Under floor" Count Lower Fairness "(Tenant, round) pairs in which the service planned for a tenant, before overheads, is below the most that its jobs could get inside its own quota of slots, on the policy's own partition; service is GPUs asked for × rate. Exact, unless the search for worths would take too long in a large run: then rounds are left out and their neighbours count for them.";
        "floor_shortfall" "Floor shortfall" ReferenceGpuSeconds Lower Fairness "Sum over (tenant, round) of max(0, V(q)·D − service received), V(q) being the most service per second inside the tenant's own quota. Overheads count, and so does what a tenant that runs out of jobs leaves unused. Measured in the same rounds as Under floor.";
        "floor_violations_own" "Under own floor" Count Lower Fairness "(Tenant, round) pairs below the floor in the policy's own metric; zero by construction for STS-Fairness.";
        "sharing_incentive_violated_share" "Sharing incentive missed" Share Lower Fairness "Share of (tenant, round) pairs, in up to 48 evenly spread rounds, in which a tenant has less than phi·V(C): its share of the weights of active tenants times the service per second that its jobs could get with the whole cluster. Failures are proven; where a search would take too long some may be missed.";
        "sharing_incentive_missing_max" "Sharing incentive, worst" ReferenceGpus Lower Fairness "Largest phi·V(C) − what the tenant has, in service per second, in the same rounds.";
        "envy_share" "Envy" Share Lower Fairness "Share of (tenant, other, round) triples, in up to 48 evenly spread rounds, in which a tenant has less than V(x·w/w'): the service per second that its jobs could get inside what the other has, scaled to its own weight and rounded down.";
        "envy_max" "Envy, worst" ReferenceGpus Lower Fairness "Largest V(x·w/w') − what the tenant has, in service per second, in the same rounds.";
        "pareto_violated_share" "Not Pareto efficient" Share Lower Fairness "Share of up to 48 evenly spread rounds for which an allocation is known that gives every tenant at least the service per second it has and one of them more.";
        "pareto_gap_max" "Pareto gap, worst" Share Lower Fairness "Largest (service of such an allocation − service of the decision) / service of such an allocation, in the same rounds.";
        "price_of_fairness_mean" "Price of fairness" Share Lower Fairness "Mean over sampled rounds of optimum without floors / optimum with floors − 1.";
        "preemptions" "Preemptions" Count Lower Cost "Times a running, unfinished job held nothing next.";
        "migrations" "Migrations" Count Lower Cost "Times a job held a different allocation next, with or without a gap.";
        "reconfigurations" "MIG changes" Count Lower Cost "Devices whose MIG layout was changed, summed over decisions.";
        "gpu_hours" "GPU-hours" GpuHours Lower Cost "Device-hours held, a slice counting as its share of the device.";
        "cost" "Cost" Money Lower Cost "GPU-hours times the price of their type, where every type in use has one.";
        "solver_gap_max" "Largest solver gap" Share Lower Cost "Largest (bound − objective) / bound of a round.";
        "solver_gap_mean" "Mean solver gap" Share Lower Cost "Mean of (bound − objective) / bound over the rounds.";
        "solver_s_p95" "p95 decision time" Seconds Lower Cost "The ceil(0.95 n)-th smallest time of a decision with a proof, where there was a clock. The only metric that differs from run to run.";
        "failures" "Failures met" Count Lower Cost "Times the node a measured job ran on broke.";
        "lost_work_s" "Work lost" ReferenceGpuSeconds Lower Cost "Work of measured jobs that failures undid, times GPUs asked for.";
        "killed" "Killed" Count Lower Time "Measured jobs that were killed at the run time they asked for; they are not completed.";
        "completed" "Completed" Count Higher Time "Jobs that finished.";
        "unfinished" "Unfinished" Count Lower Time "Jobs that were submitted and had not finished at the end.";
        "never_fit" "Never fit" Count Neutral Time "Jobs larger than the cluster allows; excluded alike for every policy.";
    }
}

/// The metric with this key.
#[must_use]
pub fn metric(key: &str) -> Option<&'static MetricSpec> {
    metrics().iter().find(|spec| spec.key == key)
}

/// Whether a metric is about the jobs that finished, so that it is comparable only where the same ones did.
#[must_use]
pub fn is_over_finished_jobs(key: &str) -> bool {
    let about_jobs = ["jct_", "wait_", "slowdown_", "ftf_"].iter().any(|prefix| key.starts_with(prefix));
    let others = ["first_start_delay_mean_s", "makespan_s", "gini_slowdown"];
    (about_jobs && key != "jct_mean_common_s") || others.contains(&key)
}

/// The list as a table in Markdown, for the documentation.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from("| key | metric | unit | better | definition |\n|---|---|---|---|---|\n");
    for MetricSpec { key, title, unit, direction, help, .. } in metrics() {
        let better = match direction {
            Direction::Lower => "lower",
            Direction::Higher => "higher",
            Direction::Neutral => "–",
        };
        text += &format!("| `{key}` | {title} | {} | {better} | {help} |\n", unit.words());
    }
    text
}

impl Unit {
    /// What it is called.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Share => "share",
            Self::Ratio => "ratio",
            Self::Count => "count",
            Self::JobsPerHour => "jobs/h",
            Self::GpuHours => "GPU h",
            Self::ReferenceGpus => "reference GPUs",
            Self::ReferenceGpuSeconds => "reference GPU s",
            Self::Money => "money",
        }
    }
}
