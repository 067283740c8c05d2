//! What cluster managers export.

use sts_sim::trace::{ImportReport, Imported, Refusal, detect};
use sts_sim::units::{MilliGpus, SimSpan};
use sts_sim::workload::Outcome;

use crate::{FIXTURES, assert_accounts, import, job, warning};

const BATSIM: &str = include_str!("../fixtures/traces/batsim.json");

fn message(report: &ImportReport, code: &str) -> String {
    report.warnings.iter().find(|w| w.code == code).map_or(String::new(), |w| w.message.clone())
}

#[test]
fn batsim_jobs_run_as_long_as_their_profiles_say_wherever_these_stand() {
    let (before, after) = BATSIM.split_once("  \"profiles\"").unwrap();
    let (profiles, jobs) = after.split_once("  \"jobs\"").unwrap();
    let (jobs, end) = jobs.split_once("  \"nb_res\"").unwrap();
    let jobs_first = format!("{before}  \"jobs\"{jobs}  \"profiles\"{profiles}  \"nb_res\"{end}");
    for text in [BATSIM, &jobs_first] {
        let imported = import(text.as_bytes()).unwrap();
        let report = &imported.report;
        assert_accounts(report);
        assert_eq!((report.format.as_str(), report.records, report.jobs), ("batsim", 10, 8));
        assert_eq!((report.gpus_requested_sum, report.with_duration), (34.0, 4));
        assert!(!report.submit_sorted);
        let first = job(&imported, "w0!3");
        assert_eq!((first.gpus, first.duration.get()), (MilliGpus(8000), Some(SimSpan(120_500_000))));
        assert_eq!(first.limit.get(), Some(SimSpan(600_000_000)));
        assert_eq!(imported.workload.models[first.model.unwrap() as usize], "train.big");
        // A profile named by a number is no model; a walltime of −1 is no limit.
        let plain = job(&imported, "1");
        assert_eq!(
            (plain.duration.get(), plain.model, plain.limit.get()),
            (Some(SimSpan(60_000_000)), None, None)
        );
        // Killed at its walltime.
        let killed = job(&imported, "2");
        assert_eq!((killed.duration.get(), killed.outcome), (Some(SimSpan(45_500_000)), Outcome::Failed));
        assert_eq!(job(&imported, "7").duration.get(), Some(SimSpan(5_000_000)));
        for timeless in ["4", "5", "6", "8"] {
            assert_eq!(job(&imported, timeless).duration.get(), None);
        }
        assert_eq!((warning(report, "work-profiles"), warning(report, "missing-profiles")), (3, 1));
        assert_eq!((warning(report, "hosts-as-gpus"), warning(report, "no-duration")), (8, 4));
        let work = message(report, "work-profiles");
        for words in ["ParallelTaskHomogeneous, delay without a time, msg_par_hg", "make_workload --hosts 16"]
        {
            assert!(work.contains(words), "{work}");
        }
        let rejected: Vec<_> =
            report.rejected.iter().map(|r| (r.column.as_deref(), r.value.as_str())).collect();
        assert_eq!(rejected, [(Some("subtime"), "soon"), (Some("res"), "-1")]);
    }
}

const SACCT_GUESSED: &[u8] = include_bytes!("../fixtures/traces/sacct_guessed.txt");
const SACCT_PAIRS: &[u8] = include_bytes!("../fixtures/traces/sacct_pairs.txt");

#[test]
fn sacct_without_names_is_guessed_and_the_report_shows_the_guess() {
    let imported = import(SACCT_GUESSED).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.gpu_jobs, report.zero_gpu_jobs), (6, 5, 4, 1));
    assert_eq!((report.gpus_requested_sum, report.with_duration, report.duplicate_ids), (6.0, 4, 1));
    assert_eq!(
        message(report, "guessed-columns"),
        "12 columns have no names; by what they hold, these were recognised: 1 JobID, 2 User, 3 Account, 4 Partition, \
         5 Submit, 6 Start, 7 End, 8 Elapsed, 9 Timelimit, 10 State, 11 AllocTRES, 12 NodeList. If that is wrong, export \
         the file with its header."
    );
    assert_eq!(
        (imported.workload.tenants.join(","), imported.workload.users.join(",")),
        ("bio,chem".into(), "ann,bob".into())
    );
    let first = job(&imported, "400");
    assert_eq!((first.gpus, first.duration.get()), (MilliGpus(2000), Some(SimSpan(3_600_000_000))));
    assert_eq!(first.limit.get(), Some(SimSpan(86_400_000_000)));
    // The first try of a requeued job held its GPUs, and the second one is a job of its own.
    let tries = [job(&imported, "402+0"), job(&imported, "402+0#2")];
    assert_eq!(tries.map(|job| job.outcome), [Outcome::Cancelled, Outcome::Failed]);
    assert_eq!(
        tries.map(|job| job.duration.get()),
        [Some(SimSpan(30_000_000)), Some(SimSpan(1_200_000_000))]
    );
    let running = job(&imported, "402+1");
    assert_eq!((running.gpus, running.duration.get()), (MilliGpus(2000), Some(SimSpan(172_801_000_000))));
    for (code, count) in [
        ("waiting-arrays", 1),
        ("het-components", 3),
        ("censored", 1),
        ("mig-slices", 1),
        ("unknown-states", 0),
    ] {
        assert_eq!(warning(report, code), count, "{code}");
    }
}

#[test]
fn sacct_takes_delimiters_of_two_marks_and_old_resources() {
    let imported = import(SACCT_PAIRS).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.rejected_count), (3, 3, 0), "{report:?}");
    // Eight on each of two nodes; a name with a bar in it is no trouble.
    assert_eq!(job(&imported, "500").gpus, MilliGpus(16_000));
    assert_eq!(
        (job(&imported, "501").gpus, job(&imported, "501").outcome),
        (MilliGpus(2000), Outcome::Cancelled)
    );
    assert_eq!(imported.workload.gpu_types, ["kepler"]);
    assert_eq!((job(&imported, "502").start.get(), job(&imported, "502").duration.get()), (None, None));
    assert_eq!((warning(report, "invalid-utf8"), warning(report, "continued-rows")), (1, 1));
}

#[test]
fn sacct_takes_tabs_and_quoted_commas() {
    let tabs = "JobID\tUser\tSubmit\tElapsedRaw\tState\tReqTRES\n1\tann\t5\t60\tFAILED\tcpu=1,gres/gpu=2\n";
    let commas = "JobID,User,Submit,ElapsedRaw,State,ReqTRES\n1,ann,5,60,FAILED,\"cpu=1,gres/gpu=2\"\n";
    for text in [tabs, commas] {
        let imported = import(text.as_bytes()).unwrap();
        assert_eq!((imported.report.format.as_str(), imported.report.gpus_requested_sum), ("sacct", 2.0));
    }
}

#[test]
fn sacct_that_cannot_be_replayed_says_what_is_missing_and_the_command_that_helps() {
    let refused = |text: &str| import(text.as_bytes()).unwrap_err().to_string();
    let default =
        refused("JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode\n1|a|p|b|1|COMPLETED|0:0\n");
    for words in ["the column Submit", "a run time", "the GPUs", "sacct -a -X -P", "Found JobID, JobName"] {
        assert!(default.contains(words), "{words}: {default}");
    }
    let unnamed = refused("1|a|p|b|1|COMPLETED|0:0\n2|a|p|b|1|COMPLETED|0:0\n");
    assert!(unnamed.contains("sacct -a -X -P"), "{unnamed}");
    let steps = "JobID|Submit|ElapsedRaw|AllocTRES\n1.batch|0|5|gres/gpu=1\n1.0|0|5|gres/gpu=1\n";
    let report = import(steps.as_bytes()).unwrap().report;
    assert_eq!((report.jobs, warning(&report, "steps-only")), (0, 2));
}

const SACCT_JSON: &[u8] = include_bytes!("../fixtures/traces/sacct.json");
const SUPERCLOUD: &[u8] = include_bytes!("../fixtures/traces/supercloud.csv");
const K8S_WORKLOADS: &str = include_str!("../fixtures/traces/k8s_workloads.json");
const K8S_MIXED: &str = include_str!("../fixtures/traces/k8s_mixed.json");

fn kind(imported: &Imported, id: &str) -> String {
    job(imported, id)
        .gpu_type
        .map_or(String::new(), |kind| imported.workload.gpu_types[kind as usize].clone())
}

fn tenant<'i>(imported: &'i Imported, id: &str) -> &'i str {
    &imported.workload.tenants[job(imported, id).tenant.index()]
}

#[test]
fn sacct_json_means_the_same_in_every_version() {
    let imported = import(SACCT_JSON).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!(
        (report.format.as_str(), report.records, report.jobs, report.gpu_jobs),
        ("sacct-json", 5, 4, 3)
    );
    assert_eq!((report.gpus_requested_sum, report.with_duration), (8.0, 2));
    assert_eq!(report.first_submit, Some(1_700_000_000.0));
    let first = job(&imported, "700");
    assert_eq!((first.gpus, first.duration.get()), (MilliGpus(2000), Some(SimSpan(600_000_000))));
    assert_eq!((first.limit.get(), kind(&imported, "700")), (Some(SimSpan(3_600_000_000)), "a100".into()));
    // Typed entries only: added up. Still running, so the run time is what has passed.
    let running = job(&imported, "701_4");
    assert_eq!((running.gpus, running.outcome, running.end.get()), (MilliGpus(2000), Outcome::Running, None));
    assert_eq!((kind(&imported, "701_4"), tenant(&imported, "701_4")), ("a100_1g.5gb|h100".into(), "chem"));
    assert_eq!(running.limit.get(), Some(SimSpan(86_400_000_000)));
    let waiting = job(&imported, "706_[5-9%2]");
    assert_eq!(
        (waiting.gpus, waiting.duration.get(), waiting.start.get(), waiting.limit.get()),
        (MilliGpus(4000), None, None, None)
    );
    let never = job(&imported, "710+1");
    assert_eq!((never.gpus, never.duration.get(), never.outcome), (MilliGpus(0), None, Outcome::Cancelled));
    let states: Vec<&str> = report.states.keys().map(String::as_str).collect();
    assert_eq!(states, ["COMPLETED", "RUNNING", "PENDING", "CANCELLED"]);
    for (code, count) in
        [("slurm-errors", 1), ("censored", 1), ("mig-slices", 1), ("het-components", 1), ("no-gpu-data", 0)]
    {
        assert_eq!(warning(report, code), count, "{code}");
    }
    assert!(message(report, "slurm-errors").contains("one node did not answer"));
    assert_eq!((report.rejected[0].line, report.rejected[0].column.as_deref()), (23, Some("time.end")));
    let empty = import(br#"{"meta":{"plugin":{"name":"Slurm OpenAPI"}},"jobs":[],"errors":[]}"#)
        .unwrap_err()
        .to_string();
    assert!(empty.contains("empty array"), "{empty}");
}

#[test]
fn supercloud_numbers_are_states_and_resources() {
    let imported = import(SUPERCLOUD).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!(
        (report.format.as_str(), report.records, report.jobs, report.zero_gpu_jobs),
        ("supercloud", 6, 5, 1)
    );
    assert_eq!((report.gpus_requested_sum, report.with_duration, report.tenants), (13.0, 3, 3));
    let first = job(&imported, "800");
    assert_eq!(
        (first.gpus, first.duration.get(), first.limit.get()),
        (MilliGpus(2000), Some(SimSpan(3_600_000_000)), None)
    );
    assert_eq!((kind(&imported, "800"), tenant(&imported, "800")), ("volta".into(), "9001"));
    let task = job(&imported, "801_7");
    assert_eq!((task.outcome, kind(&imported, "801_7")), (Outcome::Failed, "tesla".into()));
    assert_eq!(task.limit.get(), Some(SimSpan(3_600_000_000)));
    // Cancelled in the queue: what it asked for, no start, no run time.
    let never = job(&imported, "802");
    assert_eq!(
        (never.gpus, never.duration.get(), never.start.get(), never.outcome),
        (MilliGpus(8000), None, None, Outcome::Cancelled)
    );
    assert_eq!(
        (job(&imported, "803").outcome, job(&imported, "803").duration.get()),
        (Outcome::Running, None)
    );
    assert_eq!(job(&imported, "804").gpus, MilliGpus(2000));
    assert_eq!((warning(report, "repeated-resources"), report.states.get("11")), (1, Some(&1)));
    assert_eq!(report.rejected[0].column.as_deref(), Some("tres_alloc"));
    let lacking =
        import(b"id_job,time_submit,time_start,time_end,state\n1,1,2,3,3\n").unwrap_err().to_string();
    assert!(lacking.contains("tres_alloc or tres_req"), "{lacking}");
}

#[test]
fn kueue_workloads_run_while_they_are_admitted() {
    let imported = import(K8S_WORKLOADS.as_bytes()).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!(
        (report.format.as_str(), report.records, report.jobs, report.zero_gpu_jobs),
        ("k8s-json", 5, 5, 1)
    );
    assert_eq!((report.gpus_requested_sum, report.with_duration), (39.0, 3));
    let train = job(&imported, "vision/job-train");
    assert_eq!((train.gpus, train.duration.get()), (MilliGpus(32_000), Some(SimSpan(3_600_000_000))));
    assert_eq!((train.outcome, train.limit.get()), (Outcome::Failed, Some(SimSpan(7_200_000_000))));
    assert_eq!(
        (kind(&imported, "vision/job-train"), tenant(&imported, "vision/job-train")),
        ("a100-80".into(), "vision")
    );
    assert_eq!(imported.workload.users, ["team"]);
    // Finished, so no longer admitted: the end is not the start, and the time of past admissions is the run time.
    let tune = job(&imported, "speech/job-tune");
    assert_eq!(
        (tune.start.get(), tune.duration.get(), tune.outcome),
        (None, Some(SimSpan(900_000_000)), Outcome::Completed)
    );
    assert_eq!((tune.gpus, kind(&imported, "speech/job-tune")), (MilliGpus(2000), "mig-1g.5gb".into()));
    let runs = job(&imported, "speech/job-run");
    assert_eq!((runs.gpus, runs.outcome, runs.duration.get()), (MilliGpus(4000), Outcome::Running, None));
    let stopped = job(&imported, "speech/job-stopped");
    assert_eq!((stopped.outcome, stopped.duration.get()), (Outcome::Cancelled, Some(SimSpan(93_000_000))));
    assert_eq!(job(&imported, "vision/job-waits").outcome, Outcome::Pending);
    for (code, count) in [("snapshot", 5), ("evicted", 2), ("mig-slices", 1), ("unknown-states", 0)] {
        assert_eq!(warning(report, code), count, "{code}");
    }
    // The items alone, as `jq .items` prints them, and without their kinds, as the API lists them.
    let items =
        K8S_WORKLOADS.split_once("\"items\": ").unwrap().1.rsplit_once("  \"kind\": \"List\"").unwrap().0;
    let bare = items.trim().trim_end_matches(',').replace("\"kind\": \"Workload\",", "");
    assert_eq!(import(bare.as_bytes()).unwrap().workload, imported.workload);
}

#[test]
fn the_same_work_is_counted_once_whatever_shows_it() {
    let imported = import(K8S_MIXED.as_bytes()).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.records, report.jobs, report.skipped_count(), report.rejected_count), (9, 6, 2, 1));
    assert_eq!((report.gpus_requested_sum, report.with_duration), (19.0, 3));
    // From the first Running on: the running duration that Volcano writes includes the queue.
    let ring = job(&imported, "ml/ring");
    assert_eq!((ring.gpus, ring.duration.get()), (MilliGpus(9000), Some(SimSpan(1_800_000_000))));
    assert_eq!(
        (tenant(&imported, "ml/ring"), kind(&imported, "ml/ring")),
        ("research", "NVIDIA-H100-80GB-HBM3".into())
    );
    let shares = job(&imported, "ml/shares");
    assert_eq!((shares.gpus, shares.workers, shares.memory_mb), (MilliGpus(1000), 2, 8000));
    assert_eq!((tenant(&imported, "ml/shares"), shares.outcome), ("ml", Outcome::Pending));
    // Three completions never take eight pods at once.
    let sweep = job(&imported, "ml/sweep");
    assert_eq!(
        (sweep.gpus, sweep.duration.get(), sweep.outcome),
        (MilliGpus(6000), Some(SimSpan(600_000_000)), Outcome::Failed)
    );
    assert_eq!(sweep.limit.get(), Some(SimSpan(600_000_000)));
    assert_eq!(job(&imported, "web/lone").duration.get(), Some(SimSpan(120_000_000)));
    assert_eq!(job(&imported, "web/set-0").outcome, Outcome::Running);
    let skipped: Vec<(&str, u64)> = report.skipped.iter().map(|s| (s.reason.as_str(), s.count)).collect();
    assert_eq!(skipped, [("part-of-another", 1), ("other-kind", 1)]);
    assert_eq!((warning(report, "sibling-pods"), warning(report, "other-kinds")), (1, 1));
    assert!(message(report, "other-kinds").contains("Deployment"));
    assert_eq!(report.rejected[0].column.as_deref(), Some("resources.nvidia.com/gpu"));
}

#[test]
fn pods_before_their_job_are_the_jobs() {
    let item = |kind: &str, name: &str, uid: &str, owner: &str, spec: &str| {
        format!(
            "{{\"kind\": \"{kind}\", \"apiVersion\": \"v1\", \"metadata\": {{\"name\": \"{name}\", \"uid\": \"{uid}\", \
             \"creationTimestamp\": \"2025-05-01T08:00:00Z\", \"ownerReferences\": [{{\"uid\": \"{owner}\"}}]}}, \"spec\": {spec}}}"
        )
    };
    let containers = "{\"containers\": [{\"resources\": {\"limits\": {\"nvidia.com/gpu\": \"1\"}}}]}";
    let template = format!("{{\"parallelism\": 2, \"template\": {{\"spec\": {containers}}}}}");
    let sets = format!("{{\"podSets\": [{{\"count\": 2, \"template\": {{\"spec\": {containers}}}}}]}}");
    let objects = [
        item("Pod", "a", "p1", "j1", containers),
        item("Pod", "b", "p2", "j1", containers),
        item("Job", "j", "j1", "", &template),
        item("Workload", "w", "w1", "j1", &sets),
    ];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [0, 3, 1, 2]] {
        let items: Vec<&str> = order.iter().map(|&at| objects[at].as_str()).collect();
        let report = import(format!("{{\"items\": [{}]}}", items.join(",")).as_bytes()).unwrap().report;
        assert_eq!(report.gpus_requested_sum, 2.0, "{order:?}");
    }
}

#[test]
fn other_lists_of_slurm_and_kubernetes_are_told_what_they_are() {
    let squeue = br#"{"meta": {"plugin": {"name": "Slurm"}}, "jobs": [{"job_state": ["RUNNING"], "submit_time": {"number": 5}}]}"#;
    let refused = import(squeue).unwrap_err().to_string();
    assert!(refused.contains("squeue --json") && refused.contains("sacct"), "{refused}");
    let nodes = br#"{"items": [{"kind": "Node", "metadata": {"name": "n"}, "spec": {}, "status": {"capacity": {}}}], "kind": "List"}"#;
    let refused = import(nodes).unwrap_err().to_string();
    assert!(refused.contains("a list of machines (k8s-json), 1 nodes with 0 GPUs"), "{refused}");
}

#[test]
fn no_other_format_is_sure_of_these_files() {
    for &(format, bytes) in FIXTURES {
        let found = detect(bytes);
        let rivals: Vec<_> = found.iter().skip(1).filter(|other| other.score + 15 > found[0].score).collect();
        assert!(found[0].format == format && rivals.is_empty(), "{format}: {found:?}");
    }
}

const TRES_COMMAS: &str = "JobID,User,Submit,Start,End,Elapsed,AllocTRES,ReqTRES,State\n\
    1,bob,2025-03-03T08:00:00,2025-03-03T08:00:00,2025-03-03T08:00:30,00:00:30,billing=8,cpu=8,energy=5,gres/gpu:a100=2,gres/gpu=2,mem=100G,node=1,billing=8,cpu=8,gres/gpu=2,mem=100G,node=1,COMPLETED\n\
    2,bob,2025-03-03T08:00:00,2025-03-03T08:00:00,2025-03-03T08:00:30,00:00:30,,cpu=8,gres/gpu=3,TIMEOUT\n\
    3,ann,2025-03-03T08:00:00,Unknown,Unknown,00:00:00,,,PENDING\n\
    4,ann,2025-03-03T08:00:00,2025-03-03T08:00:00,2025-03-03T08:00:30,00:00:30,gres/gpu=1,cpu=8,COMPLETED\n\
    5,ann,2025-03-03T08:00:00,2025-03-03T08:00:00,2025-03-03T08:00:30,00:00:30,cpu=8,gres/gpu:v100=1,gres/gpu=2,mem=1G,COMPLETED\n";

#[test]
fn sacct_with_commas_inside_and_between_its_lists() {
    for end in ["", ","] {
        let text: String = TRES_COMMAS.lines().map(|line| format!("{line}{end}\n")).collect();
        let imported = import(text.as_bytes()).unwrap();
        let report = &imported.report;
        assert_accounts(report);
        assert_eq!((report.jobs, report.rejected_count), (4, 1), "{report:?}");
        assert_eq!(job(&imported, "1").gpus, MilliGpus(2000));
        assert_eq!(
            (job(&imported, "2").gpus, job(&imported, "2").outcome),
            (MilliGpus(3000), Outcome::Failed)
        );
        assert_eq!(job(&imported, "3").outcome, Outcome::Pending);
        assert_eq!(job(&imported, "4").gpus, MilliGpus(1000));
        assert_eq!(imported.workload.gpu_types, ["a100"]);
        // Of the last row it cannot be told whether it got two GPUs or one of the type.
        assert!(
            report.rejected[0].hint.contains("-P") && report.rejected[0].line == 6,
            "{:?}",
            report.rejected
        );
    }
    let one = "JobID,User,Submit,Elapsed,AllocTRES,State\n1,bob,2025-03-03T08:00:00,00:00:30,cpu=8,gres/gpu=4,node=1,FAILED\n";
    assert_eq!(import(one.as_bytes()).unwrap().report.gpus_requested_sum, 4.0);
    // A comma in a name is no list.
    let named = "JobID,JobName,Submit,Elapsed,AllocTRES,State\n1,a,b,2025-03-03T08:00:00,00:00:30,\"gres/gpu=4\",FAILED\n";
    let report = import(named.as_bytes()).unwrap().report;
    assert!(report.jobs == 1 || report.rejected[0].hint.contains("--delimiter"), "{report:?}");
}

#[test]
fn old_lists_of_resources_count_for_each_node() {
    let read = |columns: &str, cells: &str| {
        let text = format!("JobID|Submit|ElapsedRaw|State|{columns}\n1|1700000000|60|COMPLETED|{cells}\n");
        let report = import(text.as_bytes()).unwrap().report;
        let told = ["gres-per-node", "gres-perhaps-per-node", "gres-without-nodes"]
            .map(|code| warning(&report, code));
        (report.gpus_requested_sum, told)
    };
    assert_eq!(read("NNodes|ReqGRES", "2|gpu:8"), (16.0, [1, 0, 0]));
    assert_eq!(read("NNodes|ReqGRES", "1|gpu:8"), (8.0, [0, 0, 0]));
    assert_eq!(read("NNodes|ReqGRES", "2|PER_JOB:gpu:8"), (8.0, [1, 0, 0]));
    assert_eq!(read("ReqGRES", "gpu:8"), (8.0, [0, 0, 1]));
    assert_eq!(read("NNodes|AllocGRES", "2|gpu:8"), (8.0, [0, 1, 0]));
    assert_eq!(read("NNodes|AllocGRES", "2|PER_NODE:gpu:8"), (16.0, [0, 0, 0]));
    // What was got is the sum of what was asked for on each node.
    assert_eq!(read("NNodes|AllocGRES|ReqGRES", "2|gpu:16|gpu:8"), (16.0, [0, 0, 0]));
    assert_eq!(read("NNodes|AllocGRES|ReqGRES|AllocTRES", "2|gpu:8|gpu:8|gres/gpu=16"), (16.0, [0, 0, 0]));
}

#[test]
fn a_number_of_gpus_that_slurm_does_not_know_is_never_none() {
    let read = |allocated: &str, requested: &str| {
        let list = |count: &str| match count {
            "" => String::new(),
            count => format!(r#"{{"type": "gres", "name": "gpu:a100", "id": 1, "count": {count}}}"#),
        };
        let text = format!(
            r#"{{"jobs": [{{"job_id": 1, "association": {{"account": "a"}}, "time": {{"submission": 5, "start": 6, "end": 9}},
            "tres": {{"allocated": [{}], "requested": [{}]}}, "state": {{"current": ["COMPLETED"]}}}}]}}"#,
            list(allocated),
            list(requested)
        );
        let report = import(text.as_bytes()).unwrap().report;
        (report.gpus_requested_sum, report.rejected_count)
    };
    assert_eq!(read("-2", "2"), (2.0, 0));
    assert_eq!(read("4", "-2"), (4.0, 0));
    assert_eq!(read(r#"{"set": false, "infinite": false, "number": 0}"#, "3"), (3.0, 0));
    assert_eq!((read("-2", "-2"), read("-2", ""), read("", "-2")), ((0.0, 1), (0.0, 1), (0.0, 1)));
    assert_eq!(read("", ""), (0.0, 0));
}

fn pod(name: &str, resources: &str) -> String {
    format!(
        r#"{{"apiVersion": "v1", "kind": "Pod", "metadata": {{"name": "{name}", "namespace": "ns", "uid": "{name}",
        "creationTimestamp": "2024-01-01T00:00:00Z"}}, "spec": {{"volumes": [{{"configMap": {{"items": []}}}}],
        "containers": [{{"resources": {{"limits": {{{resources}}}}}}}]}}, "status": {{"phase": "Succeeded",
        "startTime": "2024-01-01T00:00:10Z", "containerStatuses": [{{"state": {{"terminated": {{"finishedAt": "2024-01-01T01:00:10Z"}}}}}}]}}}}"#
    )
}

fn pods(items: &[String]) -> String {
    format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{}]}}"#, items.join(", "))
}

#[test]
fn objects_of_kubernetes_come_as_a_list_alone_or_one_after_the_other() {
    let gpu = r#""nvidia.com/gpu": "1""#;
    let [a, b] = [pod("a", gpu), pod("b", gpu)];
    let one_line = |text: &str| text.split_whitespace().collect::<String>();
    let list = import(pods(&[a.clone(), b.clone()]).as_bytes()).unwrap();
    assert_eq!(list.report.jobs, 2);
    for text in [
        format!("{a}\n{b}\n"),
        format!("{}\n{}\n", one_line(&a), one_line(&b)),
        format!("[{a}, {b}]"),
        format!("{}\n{}\n", pods(std::slice::from_ref(&a)), pods(std::slice::from_ref(&b))),
    ] {
        assert_eq!(import(text.as_bytes()).unwrap().workload, list.workload, "{text}");
    }
    assert_eq!(import(a.as_bytes()).unwrap().report.jobs, 1);
    for empty in
        [pods(&[]), r#"{"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": []}"#.to_owned()]
    {
        let refused = import(empty.as_bytes()).unwrap_err();
        assert!(
            matches!(refused, Refusal::Empty { .. }) && refused.to_string().contains("without items"),
            "{refused}"
        );
    }
}

#[test]
fn resources_that_may_be_gpus_by_another_name_are_told() {
    let mut claims = pod("e", r#""cpu": "1""#);
    claims = claims.replace(r#""volumes""#, r#""resourceClaims": [{"name": "gpu"}], "volumes""#);
    let items = [
        pod("a", r#""habana.ai/gaudi": "1""#),
        pod("b", r#""google.com/tpu": "4""#),
        pod("c", r#""aliyun.com/gpu-mem": "8", "cpu": "1", "hugepages-2Mi": "1Gi""#),
        pod("d", r#""nvidia.com/gpu": "1", "rdma/hca": "1""#),
        claims,
        pod("f", r#""cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi""#),
    ];
    let report = import(pods(&items).as_bytes()).unwrap().report;
    assert_eq!((report.jobs, report.gpu_jobs, warning(&report, "unread-resources")), (6, 1, 4));
    let text = report.to_text();
    let names =
        "aliyun.com/gpu-mem, google.com/tpu, habana.ai/gaudi, resourceClaims (dynamic resource allocation).";
    assert!(text.contains(names), "{text}");
}

#[test]
fn nodes_of_kubernetes_are_a_list_of_machines() {
    let node = |name: &str, labels: &str, capacity: &str| {
        format!(
            r#"{{"apiVersion": "v1", "kind": "Node", "metadata": {{"name": "{name}", "labels": {{{labels}}}}}, "spec": {{}},
            "status": {{"allocatable": {{"nvidia.com/gpu": "1"}}, "capacity": {{{capacity}}}}}}}"#
        )
    };
    let (a100, h100) = (
        r#""nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB""#,
        r#""cloud.google.com/gke-accelerator": "nvidia-h100-80gb""#,
    );
    let nodes = [
        node("n0", a100, r#""cpu": "64", "nvidia.com/gpu": "8""#),
        node("n1", a100, r#""cpu": "64", "nvidia.com/gpu": "8""#),
        node("n2", h100, r#""nvidia.com/gpu": "4""#),
        node("n3", r#""amd.com/gpu.product-name": "MI300X""#, r#""amd.com/gpu": "8""#),
        node(
            "n4",
            &format!(r#"{a100}, "nvidia.com/gpu.count": "2""#),
            r#""nvidia.com/mig-1g.10gb": "7", "nvidia.com/mig-3g.40gb": "2", "nvidia.com/gpu": "0""#,
        ),
        node("n5", "", r#""nvidia.com/mig-1g.10gb": "7""#),
        node("cpu", "", r#""cpu": "64""#),
        node("bad", "", r#""nvidia.com/gpu": "eight""#),
    ];
    for text in [pods(&nodes), nodes.join("\n")] {
        let Err(Refusal::NodeList { files }) = import(text.as_bytes()) else { panic!("{text}") };
        let list = sts_sim::trace::node_lists(&files).next().unwrap().1;
        assert_eq!(
            (list.format.as_str(), list.nodes, list.gpus, list.unread),
            ("k8s-json", Some(7), 37.0, 1)
        );
        let groups: Vec<_> =
            list.groups.iter().map(|g| (g.model.as_str(), g.gpus_per_node, g.nodes)).collect();
        assert_eq!(
            groups,
            [
                ("NVIDIA-A100-SXM4-80GB", 8, 2),
                ("nvidia-h100-80gb", 4, 1),
                ("MI300X", 8, 1),
                ("NVIDIA-A100-SXM4-80GB", 2, 1),
                ("mig-1g.10gb", 7, 1)
            ]
        );
    }
    // With the pods that ran on them.
    let mut import = sts_sim::trace::Import::new(&sts_sim::trace::ImportOptions::default()).unwrap();
    import.read("pods.json", pods(&[pod("a", r#""nvidia.com/gpu": "1""#)]).as_bytes()).unwrap();
    import.read("nodes.json", pods(&nodes).as_bytes()).unwrap();
    let report = import.finish().unwrap().report;
    assert_eq!((report.jobs, report.node_lists().count()), (1, 1));
}

#[test]
fn accounting_logs_of_pbs_and_torque() {
    let imported = import(include_bytes!("../fixtures/traces/pbs.txt")).unwrap();
    let report = &imported.report;
    assert_accounts(report);
    assert_eq!((report.format.as_str(), report.records, report.jobs, report.gpu_jobs), ("pbs", 7, 3, 2));
    assert_eq!((report.skipped[0].reason.as_str(), report.skipped[0].count), ("other-kind", 3));
    assert_eq!((report.rejected[0].line, report.rejected[0].column.as_deref()), (6, Some("qtime")));
    let first = job(&imported, "51000.pbs01");
    assert_eq!((first.gpus, first.duration.get()), (MilliGpus(8000), Some(SimSpan(61_000_000))));
    assert_eq!((first.limit.get(), first.outcome), (Some(SimSpan(172_800_000_000)), Outcome::Completed));
    assert_eq!(first.start.get().map(|start| start.0), Some(69_000_000));
    let second = job(&imported, "51001[2].pbs01");
    assert_eq!((second.gpus, second.outcome), (MilliGpus(4000), Outcome::Cancelled));
    assert_eq!(second.duration.get(), Some(SimSpan(3_600_000_000)));
    let third = job(&imported, "51002.pbs01");
    assert_eq!((third.duration.get(), third.outcome), (Some(SimSpan(60_000_000)), Outcome::Failed));
    assert_eq!(imported.workload.tenants, ["lab", "gpu", "cpu"]);
    assert_eq!(
        (imported.workload.gpu_types.as_slice(), report.first_submit),
        (&["a100".to_owned()][..], Some(1_772_525_531.0))
    );
}
