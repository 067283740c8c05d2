//! What is exported reads back the same.

use proptest::prelude::*;
use sts_sim::trace::{write_sts_csv, write_sts_json};
use sts_sim::units::{MilliGpus, SimSpan, SimTime, TenantId};
use sts_sim::workload::{JobRecord, Outcome, Presence, TextColumn, Workload};

use crate::{FIXTURES, import};

pub(crate) fn through_csv(workload: &Workload) -> Workload {
    let mut bytes = Vec::new();
    write_sts_csv(workload, &mut bytes).unwrap();
    import(&bytes).unwrap().workload
}

pub(crate) fn through_json(workload: &Workload) -> Workload {
    let mut bytes = Vec::new();
    write_sts_json(workload, &mut bytes).unwrap();
    import(&bytes).unwrap().workload
}

#[test]
fn imported_workloads_survive_both_exports() {
    for &(_, bytes) in FIXTURES {
        let workload = import(bytes).unwrap().workload;
        assert_eq!(through_csv(&workload), workload);
        assert_eq!(through_json(&workload), workload);
    }
}

#[test]
fn json_keeps_names_that_no_job_uses_and_their_order() {
    let mut workload = import(FIXTURES[0].1).unwrap().workload;
    workload.tenants.push("idle".into());
    workload.models = vec!["z".into(), "a".into()];
    workload.jobs[0].model = Some(1);
    assert_eq!(through_json(&workload), workload);
}

#[test]
fn json_members_may_come_in_any_order() {
    let text = r#"{"jobs": [{"submit_s": 5, "gpus": 1, "tenant": "b"}, {"submit_s": 2, "gpus": 1, "tenant": "a"}],
        "first_submit_s": 100, "tenants": ["a", "b"], "version": 1, "format": "sts-json"}"#;
    let imported = import(text.as_bytes()).unwrap();
    assert_eq!(imported.workload.first_submit_s, 102.0);
    assert_eq!(imported.workload.tenants, ["a", "b"]);
    assert_eq!(imported.workload.jobs[0].tenant, TenantId(0));
}

fn any_name() -> impl Strategy<Value = String> {
    "[a-z#\"',;|\\\\é\r\n]{1,6}"
        .prop_map(|name| name.trim().to_owned())
        .prop_filter("empty", |name| !name.is_empty())
}

fn any_workload() -> impl Strategy<Value = Workload> {
    let span = 0i64..3_155_760_000_000_000;
    let record = (
        any_name(),
        0i64..2_000_000_000_000_000,
        0u32..65_536_000,
        1u32..65_536,
        proptest::option::of(span),
        proptest::option::of((0i64..4_000_000_000_000_000, 0i64..1_000_000_000)),
        (
            any_name(),
            proptest::option::of(any_name()),
            proptest::option::of(any_name()),
            proptest::option::of(any_name()),
        ),
        (0u32..1_000_000_000, 0u8..8, 0u8..5),
    );
    (proptest::collection::vec(record, 1..20), 0i64..4_000_000_000_000_000).prop_map(|(records, first)| {
        let mut workload = Workload { first_submit_s: first as f64 / 1e6, ..Workload::default() };
        let position = |table: &mut Vec<String>, name: String| match table.iter().position(|n| *n == name) {
            Some(at) => at as u32,
            None => {
                table.push(name);
                table.len() as u32 - 1
            }
        };
        let mut records = records;
        records.sort_by_key(|r| r.1);
        let earliest = records[0].1;
        let mut names = TextColumn::default();
        for (
            at,
            (
                id,
                submit,
                gpus,
                workers,
                duration,
                ran,
                (tenant, user, model, gpu_type),
                (memory_mb, min_slots, end),
            ),
        ) in records.into_iter().enumerate()
        {
            names.push(&format!("{id}{at}"));
            workload.jobs.push(JobRecord {
                submit: SimTime(submit - earliest),
                gpus: MilliGpus(gpus),
                workers,
                duration: duration.map(SimSpan).into(),
                start: ran.map(|(start, _)| SimTime(start)).into(),
                end: ran.map(|(start, length)| SimTime(start + length)).into(),
                tenant: TenantId(position(&mut workload.tenants, tenant)),
                user: user.map(|name| position(&mut workload.users, name)),
                gpu_type: gpu_type.map(|name| position(&mut workload.gpu_types, name)),
                model: model.map(|name| position(&mut workload.models, name)),
                memory_mb,
                min_slots,
                outcome: [
                    Outcome::Completed,
                    Outcome::Failed,
                    Outcome::Cancelled,
                    Outcome::Running,
                    Outcome::Pending,
                ][usize::from(end)],
                limit: duration.filter(|_| workers > 1).map(SimSpan).into(),
                presence: Presence::Arrives,
            });
        }
        workload.names = names;
        workload
    })
}

proptest! {
    #[test]
    fn random_workloads_survive_both_exports(workload in any_workload()) {
        prop_assert_eq!(through_csv(&workload), workload.clone());
        prop_assert_eq!(through_json(&workload), workload.clone());
        prop_assert_eq!(through_csv(&through_json(&workload)), workload);
    }
}
