//! Files that are refused as a whole, and what is said of them.

use std::io::Write as _;

use sts_sim::trace::mapping::Mapping;
use sts_sim::trace::{ImportOptions, MAX_ELEMENT, NodeReport, Refusal, import_reader, node_lists};

use crate::{FIXTURES, gzip, import, import_as, utf16};

/// Refused; the message holds each of `words`.
fn assert_refused(bytes: &[u8], code: &str, words: &[&str]) {
    let refused = import(bytes).expect_err(&format!("{:?} was read", String::from_utf8_lossy(bytes)));
    let message = refused.to_string();
    assert_eq!(serde_json::to_value(&refused).unwrap()["code"], code, "{message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in: {message}");
    }
}

#[test]
fn files_without_jobs_are_refused_by_what_they_are() {
    assert_refused(b"", "empty", &["no byte"]);
    assert_refused(b"\n# x\n\r\n", "empty", &["blank lines"]);
    assert_refused(&gzip(b""), "empty", &[]);
    assert_refused(b"submit_s,gpus,duration_s\n", "header-only", &["submit_s, gpus, duration_s"]);
    assert_refused(b"JobID|Submit|ElapsedRaw|AllocTRES", "header-only", &["JobID"]);
    assert_refused(
        b"{\"format\": \"sts-json\", \"version\": 1, \"jobs\": []}",
        "header-only",
        &["empty array"],
    );
    assert_refused(b"{\"format\": \"sts-json\", \"version\": 1}", "missing-columns", &["array of jobs"]);
    assert_refused(
        b"{\"format\": \"sts-json\", \"version\": 2, \"jobs\": []}",
        "broken-json",
        &["version 1", "line 1"],
    );
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234567\n";
    assert_refused(pointer, "lfs-pointer", &["1234567 bytes", "git lfs pull"]);
    assert_refused(b"PAR1\x15\x04", "binary", &["Parquet", "to_csv"]);
    assert_refused(b"\x89PNG\r\n\x1a\n", "binary", &["PNG"]);
    assert_refused(b"FWS\x06\x10\0\0\0", "binary", &["Flash"]);
    assert_refused(b"ab\0cd\0\x01\x02efgh", "binary", &["zero bytes"]);
    assert_refused(&utf16("submit_s,gpus", u16::to_le_bytes), "encoding", &["UTF-16", "UTF-8"]);
    assert_refused(b"<!DOCTYPE html><html>", "not-jobs", &["web page"]);
    let azure = b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,4808,10\n";
    assert_refused(azure, "not-jobs", &["requests to a model", "ContextTokens"]);
    let dcgm = b"timestamp,gpu,DCGM_FI_DEV_GPU_UTIL\n2026-11-02T00:00:00Z,n7:0,97\n";
    assert_refused(dcgm, "not-jobs", &["metrics export", "DCGM_FI_DEV_GPU_UTIL"]);
    let measured = b"job_uuid,submit_ts,start_ts,end_ts,gpu_req,gpu_util_avg,prompts\n\
        a1,1700000000,1700000100,1700000700,2,33.5,0\nb2,1700000311,1700000400,1700003000,1,71.0,0\n";
    assert_refused(measured, "unknown-table", &["gpu_req", "gpu_util_avg"]);
    assert_refused(
        b"# HELP DCGM_FI x\n# TYPE DCGM_FI gauge\nDCGM_FI{gpu=\"0\"} 5\n",
        "not-jobs",
        &["Prometheus"],
    );
    let results = b"job,tenant,submit_s,gpus,first_start_s,finish_s,jct_s\na,t,0,1,0,5,5\n";
    assert_refused(results, "not-jobs", &["result of a simulation"]);
    assert_refused(b"{\"scenario_hash\": \"x\", \"runs\": []}", "not-jobs", &["results of STS-Sim"]);
    assert_refused(b"{\"a\": 1}", "unknown-json", &["philly-json"]);
    let columns = b"id,when,how_many\n1,2,3\n";
    assert_refused(columns, "unknown-table", &["id, when, how_many", "sts-csv", "helios-csv"]);
    assert_refused(b"duration\n5\n7\n", "not-jobs", &["no table of jobs"]);
    let eye = b"JobID           JobName  Partition\n------------ ---------- ----------\n1 a b\n";
    assert_refused(eye, "not-jobs", &["-P"]);
    assert_refused(b"1|a|b|COMPLETED\n2|a|b|FAILED\n", "missing-columns", &["Submit", "State"]);
    assert_refused(b"1|a|b|c\n2|a|b|c\n", "not-jobs", &["header", "-n"]);
    assert_refused(b"JobID|JobName|State\n1|a|COMPLETED\n", "missing-columns", &["Submit", "sacct -a -X -P"]);
    assert_refused(b"JobID|Submit|ElapsedRaw|State\n1|0|1|COMPLETED\n", "missing-columns", &["AllocTRES"]);
    assert!(matches!(import_as("swoof", b"x"), Err(Refusal::UnknownFormat { .. })));
    let refused = import_as("helios-csv", FIXTURES[2].1).unwrap_err().to_string();
    assert!(refused.contains("gpu_num") && refused.contains("submission_time"), "{refused}");
}

#[test]
fn node_lists_are_counted_and_said_to_be_none_of_jobs() {
    let nodes = |text: &str| match import(text.as_bytes()) {
        Err(Refusal::NodeList { files }) if files.len() == 1 => node_lists(&files).next().unwrap().1.clone(),
        other => panic!("{other:?}"),
    };
    let openb = nodes(
        "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\nn1,96000,393216,8,G2\nn2,96000,1,8,G2\n",
    );
    assert_eq!((openb.format.as_str(), openb.nodes, openb.gpus), ("openb-2023", Some(3), 18.0));
    assert_eq!(openb.models.get("G2"), Some(&2));
    let philly = nodes("machineId, number of GPUs, single GPU mem\nm0,2, 12GB\nm1,8, 24GB\n");
    assert_eq!((philly.nodes, philly.gpus), (Some(2), 10.0));
    let pai = nodes("7399a758eb02bae1a3621236,CPU,96,512,0\n6265a99de1a50cc6f1b03602,T4,96,512,2\n");
    assert_eq!((pai.nodes, pai.gpus), (Some(2), 2.0));
    let helios = nodes("date,vc1,vc2,total\n2020-04-01,8,16,24\n2020-04-02,8,24,32\n");
    assert_eq!((helios.nodes, helios.gpus), (None, 32.0));
    let tiresias =
        nodes("num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node\n1,16,4,128,254");
    assert_eq!((tiresias.nodes, tiresias.gpus), (Some(16), 64.0));
    assert!(
        openb
            .groups
            .iter()
            .map(|g| (g.model.as_str(), g.gpus_per_node, g.nodes))
            .eq([("P100", 2, 1), ("G2", 8, 2)])
    );
    assert_eq!(helios.quotas.get("vc2"), Some(&24.0));
    let turned = nodes("node_name,cpu_num,gpu_model,gpu_capacity_num\n0,192,A10,1\n1,192,A10,x\n");
    assert_eq!((turned.nodes, turned.gpus, turned.unread), (Some(1), 1.0, 1));
    let groups = |list: &NodeReport| {
        list.groups.iter().map(|g| format!("{}x{} {}", g.nodes, g.gpus_per_node, g.model)).collect::<Vec<_>>()
    };
    // As people write them, and as Slurm prints them: a node that is in two partitions is one machine.
    for (text, told, unread) in [
        ("node,gpu_type,gpus\nn1,A100,8\nn2,A100,8\nn3,V100,4\nn4,,x\n", &["2x8 A100", "1x4 V100"][..], 1),
        ("gpu_type;nodes;gpus_per_node\nA100;30;8\nT4;5;1\n", &["30x8 A100", "5x1 T4"], 0),
        ("host\tgpus\nn1\t8\n", &["1x8 "], 0),
        (
            "NODELIST             GRES\nn1                   gpu:a100:8(S:0-1)\nn1                   gpu:a100:8(S:0-1)\n\
             n2                   gpu:v100:2,gpu:t4:1\nlogin1               (null)\n",
            &["1x8 a100", "1x2 v100", "1x1 t4"],
            0,
        ),
        (
            "NODELIST|GRES|CPUS\ngpu[00-03,7]|gpu:a100:8(S:0,1)|128\ngpu[01-02]|gpu:a100:8(S:0,1)|128\n[|gpu:1|2\n",
            &["5x8 a100"],
            1,
        ),
        ("HOSTNAMES GRES\nn1 gpu:4\nn2 gpu\n", &["1x4 ", "1x1 "], 0),
        ("n1 gpu:a100:4\nn2 (null)\n", &["1x4 a100"], 0),
        (
            "NodeName=n1 Arch=x86_64 CoresPerSocket=32\n   CPUAlloc=0 Gres=gpu:h100:4(S:0-1)\n   OS=Linux 5.1\n   Partitions=a,b\n\n\
             NodeName=n2 Arch=x86_64\n   Gres=(null)\n\nNodeName=n3 Arch=x86_64\n",
            &["1x4 h100"],
            0,
        ),
        (
            r#"{"meta": {}, "nodes": [{"name": "n1", "gres": "gpu:a100:8(S:0-1)", "slurmd_start_time": 5}, {"name": "n2", "gres": ""}]}"#,
            &["1x8 a100"],
            0,
        ),
    ] {
        let list = nodes(text);
        assert_eq!(
            (groups(&list), list.unread),
            (told.iter().map(|&t| t.to_owned()).collect(), unread),
            "{text}"
        );
    }
    let printed = nodes("NodeName=n1 Arch=x86_64\n Gres=gpu:2\nNodeName=n2\nNodeName=n2\n");
    assert_eq!((printed.nodes, printed.gpus), (Some(2), 2.0));
    // A column that machines have not, or names that jobs have too: a table of jobs is none of machines.
    let of_jobs = "submit_s begin beginn created launched ts t Datum since dauer hours secs minutes length wall wait lr steps iterations \
                   project team account owner command image task run_id pid priority epochs exit_code gpu_util user";
    for column in of_jobs.split_whitespace() {
        for start in ["node", "host", "name", "machine"] {
            let jobs = format!("{start},gpu_type,gpus,{column}\nn1,A100,1,0\n");
            assert!(!matches!(import(jobs.as_bytes()), Err(Refusal::NodeList { .. })), "{jobs}");
        }
    }
    for jobs in [
        "name,gpus\na,1\n",
        "name,gpu,cpu,memory\na,1,2,3\n",
        "gpu_type,nodes,gpus_per_node,hours\nA100,1,8,2\n",
    ] {
        assert!(!matches!(import(jobs.as_bytes()), Err(Refusal::NodeList { .. })), "{jobs}");
    }
    // What the user says of a table holds, also if it could be one of machines.
    let table = b"node,gpu_type,gpus,cpu\nj1,A100,8,5\nj2,A100,8,9\n";
    let mapping = r#"{"columns": {"id": "node", "submit": {"column": "cpu", "unit": "s"}, "gpus": {"column": "gpus"},
                      "duration": {"column": "cpu", "unit": "s"}}}"#;
    let options = ImportOptions {
        format: Some("generic-csv".into()),
        mapping: Some(Box::new(Mapping::from_json(mapping).unwrap())),
        ..ImportOptions::default()
    };
    assert_eq!(import_reader("t.csv", &table[..], &options).unwrap().report.jobs, 2);
    // Names in any spelling; a machine counts once, a sum not at all; a list of names is many.
    let list = nodes(
        "\u{feff}\"Node Name\";\"GPU Model\";\"# GPUs\"\nn1;A100;8\nn1;A100;8\nn[2-3];A100;4\nTotal;;16\n",
    );
    assert_eq!(
        (groups(&list), list.unread_lines),
        (vec!["1x8 A100".to_owned(), "2x4 A100".to_owned()], vec![5])
    );
    // slurm.conf, and a list in commas whose resources have commas too.
    let conf = nodes(
        "NodeName=DEFAULT CPUs=64\nNodeName=g[1-4] Gres=gpu:a100:8 State=UNKNOWN\nNodeName=g5 Gres=GPU:v100:4 State=DOWN\n",
    );
    assert_eq!((groups(&conf), conf.out_of_service), (vec!["4x8 a100".to_owned(), "1x4 v100".to_owned()], 1));
    let commas = nodes("NODELIST,GRES\ngpu01,gpu:a100:4,gpu:v100:2\n");
    assert_eq!(groups(&commas), ["1x4 a100", "1x2 v100"]);
    // Parts of GPUs are told.
    let cut = nodes("NODELIST GRES\nn1 gpu:h100_1g.10gb:7(S:0),gpu:h100:1\n");
    assert!(
        (cut.parts, cut.gpus) == (7.0, 8.0) && cut.to_string().contains("7 of the GPUs are MIG slices"),
        "{cut}"
    );
    for labels in [
        r#""nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-SHARED", "nvidia.com/gpu.replicas": "4""#,
        r#""nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb""#,
    ] {
        let shared = nodes(&format!(
            r#"{{"kind": "List", "items": [{{"kind": "Node", "metadata": {{"name": "n", "labels": {{{labels}}}}},
            "status": {{"capacity": {{"nvidia.com/gpu": "56"}}, "conditions": [{{"type": "Ready", "status": "False"}}]}}}}]}}"#
        ));
        assert_eq!((shared.parts, shared.out_of_service), (56.0, 1), "{labels}");
    }
    assert_refused(b"node,gpu_type,gpus\n", "empty", &["without a machine"]);
    let message = import(b"date,vc1,vc2,total\n2020-04-01,8,16,24\n").unwrap_err().to_string();
    assert!(message.contains("not a job trace") && message.contains("24 GPUs"), "{message}");
}

#[test]
fn a_file_that_was_cut_off_is_refused_as_a_whole() {
    let json = FIXTURES[1].1;
    let cut = json.len() - 60;
    let refused = import(&json[..cut]).unwrap_err();
    let lines = json[..cut].iter().filter(|&&b| b == b'\n').count() as u64 + 1;
    assert!(
        matches!(refused, Refusal::Truncated { line, complete: 4, .. } if line == lines),
        "{refused:?}, line {lines}"
    );
    let packed = gzip(FIXTURES[0].1);
    for cut in [2, 10, packed.len() / 2, packed.len() - 1] {
        let refused = import(&packed[..cut]).unwrap_err();
        assert!(matches!(refused, Refusal::Damaged { .. }), "{refused:?}");
    }
    let mut flipped = packed.clone();
    let middle = flipped.len() - 6;
    flipped[middle] ^= 0xff;
    assert!(matches!(import(&flipped), Err(Refusal::Damaged { .. })));
}

#[test]
fn endless_records_and_gzip_bombs_are_stopped() {
    let long = [&b"submit_s,gpus,duration_s\n0,1,"[..], &vec![b'1'; 2 << 20]].concat();
    assert!(matches!(import(&long), Err(Refusal::LongRecord { line: 2, limit_mb: 1 })));
    let element = [&b"[{\"attempts\":[],\"submitted_time\":\""[..], &vec![b'1'; MAX_ELEMENT + 1]].concat();
    assert!(matches!(import(&element), Err(Refusal::LongRecord { line: 1, limit_mb: 16 })));
    let wide = [&b"submit_s,gpus,duration_s\n"[..], &vec![b','; 2000]].concat();
    assert!(matches!(import(&wide), Err(Refusal::TooManyColumns { line: 2, .. })));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(b"submit_s,gpus,duration_s\n").unwrap();
    let comment = [&b"#"[..], &vec![b'x'; 65_534], b"\n"].concat();
    for _ in 0..1100 {
        encoder.write_all(&comment).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    let refused = import(&bomb).unwrap_err();
    assert!(matches!(refused, Refusal::Bomb { ratio: 250, .. }), "{refused:?}");
}

#[test]
fn what_batch_systems_print_is_named_with_the_way_out() {
    let sacct = "sacct -a -X -P -S";
    for (text, words) in [
        (
            "JobId=51000 JobName=a UserId=bob(1) JobState=RUNNING\nJobId=51001 JobName=b\n",
            &["scontrol show job", sacct][..],
        ),
        ("NODES GRES\n4 gpu:a100:8(S:0-1)\n", &["sinfo", "nodes.txt", sacct]),
        ("NODELIST   NODES PARTITION STATE\nn1 1 gpu* idle\n", &["sinfo", "nodes.txt", sacct]),
        ("PartitionName=gpu\n   AllowGroups=ALL\n", &["scontrol show partition", "nodes.txt"]),
        ("JOBID|USER|STATE|TRES_PER_NODE|TIME_LEFT\n1|a|RUNNING|gres:gpu:1|5\n", &["squeue", sacct]),
        ("JOBID USER ST TIME\n1 a R 5:00\n", &["squeue", sacct]),
        (
            "Mon Jan  5 08:00:00 2026\nNODELIST   NODES PARTITION       STATE CPUS\nn1 1 gpu idle 64\n",
            &["sinfo", "nodes.txt"],
        ),
        ("NAME STATUS ROLES AGE VERSION\nn1 Ready <none> 5d v1.30\n", &["kubectl", "-o json"]),
        ("sacct: error: no connection\nJobID|User\n1|ann\n", &["error message", "2> errors.txt"]),
        ("apiVersion: v1\nitems:\n- kind: Pod\n", &["kubectl", "-o json"]),
        (
            r#"{"meta": {}, "sinfo": [{"nodes": {"total": 1}}]}"#,
            &["sinfo --json", "scontrol show nodes --json"],
        ),
        (
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\ngpu*  up infinite 4 idle gpu[00-03]\n",
            &["sinfo", sacct],
        ),
        (
            "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n 5 gpu a b R 1:00 1 n1\n",
            &["squeue", sacct],
        ),
        (
            "==============================================================\nqname        gpu.q\nhostname     n1\njobnumber    1\n",
            &["qacct", "awk"],
        ),
        (
            "\nAccounting information about jobs that are:\n  - submitted by all users.\n",
            &["bacct", "bjobs -a -u all"],
        ),
        (
            "       JobID      User      State\n------------ --------- ----------\n  1 bob COMPLETED\n",
            &["for the eye", sacct],
        ),
    ] {
        assert_refused(text.as_bytes(), "not-jobs", words);
    }
    let records = r#"{"id": "1", "user": "bob", "when": "2025-03-03T08:22:11Z", "n": 1}"#;
    assert_refused(format!("[{records}, {records}]").as_bytes(), "unknown-json", &["jq -r '", "lines=False"]);
    assert_refused(format!("{records}\n{records}\n").as_bytes(), "unknown-json", &["jq -rs '", "lines=True"]);
}

#[test]
fn a_refusal_is_of_the_file_that_is_at_fault() {
    let mut import = sts_sim::trace::Import::new(&sts_sim::trace::ImportOptions::default()).unwrap();
    let refused = import.read("nodes.csv", &b"rack,speed\nr1,fast\n"[..]).unwrap_err();
    assert!(matches!(refused, Refusal::UnknownTable { .. }), "{refused}");
    assert_eq!(refused.clone().of_file("nodes.csv", 1), refused);
    let named = refused.of_file("nodes.csv", 2);
    assert!(
        named
            .to_string()
            .starts_with("nodes.csv: The file is a table of no known format. Found the columns rack")
    );
    assert_eq!(named.clone().of_file("b", 2), named);
}
