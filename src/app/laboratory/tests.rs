//! The laboratory, from the outside.

use std::collections::BTreeSet;

use super::answers::{Answers, Outcome, Solved, answers, misreports};
use super::compare::{Comparison, Mark};
use super::draft::{Draft, Given, Kind};
use super::examples::{EXAMPLES, example};
use super::field::Field;
use super::link::{Shared, decode, encode};
use super::number::{difference, shown};
use super::program::{Move, Part, Place, Reader};
use super::*;
use crate::solve::answer::{AnswerStatus, Measure};

fn with(id: &str) -> Laboratory {
    let mut laboratory = Laboratory::default();
    laboratory.apply(Change::Example(example(id).unwrap().id));
    laboratory
}

fn ask(laboratory: &Laboratory) -> Answers {
    answers(&laboratory.question().unwrap()).unwrap()
}

fn of<'a>(answers: &'a Answers, policy: &str) -> &'a Solved {
    let outcome: &Outcome = answers.outcomes.iter().find(|outcome| outcome.policy == policy).unwrap();
    outcome.result.as_deref().unwrap_or_else(|why| panic!("{policy}: {why}"))
}

fn enter(laboratory: &mut Laboratory, field: Field, text: &str) {
    laboratory.apply(Change::Enter(field, text.to_owned()));
}

/// What the examples' sentences promise: the objective of a policy, as shown.
const PROMISED: [(&str, &str, &str); 46] = [
    ("G1", "max-min", "12/11"),
    ("G1", "gavel-max-min", "12/11"),
    ("G1", "nash", "6,000"),
    ("G1u", "max-sum", "150"),
    ("G1u", "max-sum-si", "773/9"),
    ("G1u", "max-min", "54/49"),
    ("P1", "max-sum-si", "4/3"),
    ("P2", "max-sum-si", "7/6"),
    ("P3", "max-sum-si", "7/6"),
    ("P4", "max-sum-si", "11/9"),
    ("P-SP", "max-sum-si", "10/9"),
    ("S1", "max-sum", "6"),
    ("S1", "max-sum-si", "21/4"),
    ("S1", "max-sum-ef", "21/4"),
    ("S1", "nash", "45/8"),
    ("S1", "max-min", "10/9"),
    ("S1", "equal-throughput", "30/7"),
    ("S1L", "max-min", "1"),
    ("S2", "max-sum", "5"),
    ("S2", "max-sum-si", "41/9"),
    ("S2", "max-sum-ef", "9/2"),
    ("S2", "nash", "3"),
    ("S2", "max-min", "54/49"),
    ("S2", "equal-throughput", "54/13"),
    ("S2L", "max-min", "12/11"),
    ("S4", "max-sum", "12"),
    ("S5", "max-sum", "24"),
    ("S5", "max-sum-si", "45/2"),
    ("S5", "max-min", "6/5"),
    ("I1", "max-sum", "12"),
    ("I1", "max-sum-si", "9"),
    ("I1", "max-sum-ef", "9"),
    ("I1", "nash", "20"),
    ("I2", "max-sum", "15"),
    ("I2", "max-sum-si", "12"),
    ("I2", "nash", "72"),
    ("I2b", "max-sum", "20"),
    ("I2b", "max-sum-si", "18"),
    ("I2b", "max-sum-ef", "18"),
    ("I2b", "max-min", "1"),
    ("I2b", "nash", "192"),
    ("MIG-1", "max-sum", "1"),
    ("DP", "max-sum", "3/5"),
    ("K1", "equal-split", "100"),
    ("K3", "equal-split", "12"),
    ("K4", "max-min", "1"),
];

#[test]
fn every_example_gives_what_it_promises() {
    for (id, policy, objective) in PROMISED {
        let all = ask(&with(id));
        let solved = of(&all, policy);
        assert_eq!(solved.answer.objective.map(shown).as_deref(), Some(objective), "{id} {policy}");
        assert_eq!(solved.answer.status, AnswerStatus::Optimal, "{id} {policy}");
    }
    let promised: BTreeSet<&str> = PROMISED.iter().map(|(id, ..)| *id).collect();
    for example in &EXAMPLES {
        assert!(promised.contains(example.id) || ["I3", "D1"].contains(&example.id), "{}", example.id);
        let all = ask(&with(example.id));
        of(&all, example.policy);
        assert_eq!(all.outcomes.len(), super::answers::policies().count());
    }
}

#[test]
fn examples_that_are_not_about_an_objective() {
    let all = ask(&with("I3"));
    assert_eq!(of(&all, "max-sum-si-ef").answer.status, AnswerStatus::Infeasible);
    assert!((of(&all, "max-sum").answer.objective.unwrap() - 171.0 / 140.0).abs() < 1e-6);
    assert!((of(&all, "max-sum-ef").answer.objective.unwrap() - 151.0 / 140.0).abs() < 1e-6);
    let all = ask(&with("D1"));
    let first = |policy| of(&all, policy).answer.allocation[0].job.clone();
    assert_eq!([first("fifo"), first("srtf")], [Some("A".to_owned()), Some("C".to_owned())]);
    for (id, parts) in [("K1", &[70.0, 30.0][..]), ("K3", &[4.0, 8.0]), ("K4", &[30.0, 30.0, 90.0, 150.0])] {
        let all = ask(&with(id));
        for policy in ["equal-split", "max-min", "nash"] {
            for (tenant, part) in of(&all, policy).answer.tenants.iter().zip(parts) {
                assert!((tenant.rate.unwrap() - part).abs() < 1e-6 * part, "{id} {policy}");
            }
        }
    }
    let s2 = ask(&with("S2"));
    let envy = of(&s2, "max-sum-si").envies().find(|(tenant, ..)| *tenant == "u1").unwrap();
    let (_, other, envy) = envy;
    assert_eq!((other, difference(envy.could_have, envy.has)), ("u2", "1/3".to_owned()));
    let mut mig = with("MIG-1");
    mig.apply(Change::Layout(0, InstanceLayout::Uniform));
    assert_eq!(of(&ask(&mig), "max-sum").answer.objective, Some(1.25));
}

#[test]
fn a_false_report_is_found() {
    let question = with("P-SP").question().unwrap();
    let search = misreports(&question).unwrap();
    assert!(search.tenants[2].gain.unwrap() > 0.25 - 1e-6, "{search:?}");
    let honest = misreports(&Question { policy: "equal-split".into(), ..question.clone() }).unwrap();
    assert!(honest.tenants.iter().all(|best| best.report.is_none() && best.gain == Some(0.0)));
    assert!(
        misreports(&Question { policy: "fifo".into(), ..question })
            .unwrap_err()
            .contains("give the tenants jobs")
    );
}

#[test]
fn only_policies_with_the_same_measure_are_compared() {
    let all = ask(&with("S1"));
    let comparison = Comparison::of(&all);
    let mark = |policy: &str| {
        let rows = comparison.own.iter().chain(&comparison.rounds);
        rows.clone().find(|row| row.policy == policy).unwrap().mark
    };
    assert_eq!(mark("max-sum"), Mark::Greatest);
    assert_eq!(mark("max-sum-si"), Mark::Less);
    assert_eq!(mark("nash"), Mark::Alone);
    assert_eq!(mark("max-min"), Mark::Greatest);
    // The rates over the slowest are another unit.
    assert_eq!(of(&all, "equal-throughput").scale, Scale { measure: Measure::Sum, unit: "slowest".into() });
    assert_ne!(of(&all, "equal-throughput").scale, of(&all, "max-sum").scale);
    assert!(
        comparison
            .refused
            .iter()
            .any(|(policy, why)| *policy == "sts-fairness" && why.starts_with("Its quotas"))
    );
    assert_eq!(comparison.own.len() + comparison.rounds.len() + comparison.refused.len(), all.outcomes.len());
    use super::answers::Scale;
}

#[test]
fn what_is_typed_is_one_step_and_can_be_taken_back() {
    let mut laboratory = Laboratory::default();
    let before = laboratory.clone();
    let field = Field::JobRate(0, 1, 4);
    for text in ["2.", "2.5", "2.50"] {
        enter(&mut laboratory, field, text);
    }
    assert_eq!(laboratory.step, 1);
    assert!(laboratory.example().is_none());
    assert_eq!(laboratory.case.draft.tenants[0].jobs[1].rates[4], Some(2.5));
    enter(&mut laboratory, Field::Weight(1), "3");
    assert_eq!(laboratory.step, 2);
    laboratory.apply(Change::Undo);
    assert_eq!(Field::Weight(1).text(&laboratory.case.draft), "1");
    laboratory.apply(Change::Undo);
    assert_eq!(laboratory.case, before.case);
    assert_eq!(laboratory.example().map(|example| example.id), Some("I2b"));
    laboratory.apply(Change::Redo);
    assert_eq!(laboratory.case.draft.tenants[0].jobs[1].rates[4], Some(2.5));
    assert_eq!(laboratory.can_undo_redo(), (true, true));
}

#[test]
fn a_text_that_is_no_value_keeps_the_last_good_one() {
    let mut laboratory = with("S1");
    enter(&mut laboratory, Field::Rate(0, 1), "3");
    enter(&mut laboratory, Field::Rate(0, 1), "x");
    let faults = laboratory.faults();
    assert_eq!(faults[&Field::Rate(0, 1)].text, "x");
    assert!(faults[&Field::Rate(0, 1)].message.contains("Using 3 until it is changed"));
    assert_eq!(Field::Rate(0, 1).text(&laboratory.case.draft), "3");
    assert!(laboratory.question().is_some(), "the last good value is solved");
    enter(&mut laboratory, Field::Rate(0, 1), "2");
    assert!(laboratory.faults().is_empty());
    enter(&mut laboratory, Field::Limit(0), "");
    assert!(laboratory.faults().is_empty());
    enter(&mut laboratory, Field::TenantName(0), "  ");
    assert!(laboratory.faults()[&Field::TenantName(0)].message.contains("u0"));
}

#[test]
fn faults_across_fields_stand_beside_one_of_them() {
    let mut laboratory = Laboratory::default();
    enter(&mut laboratory, Field::TenantName(2), "u0");
    assert!(laboratory.faults()[&Field::TenantName(2)].message.contains("u0 is there already"));
    assert!(laboratory.question().is_none());
    enter(&mut laboratory, Field::TenantName(2), "u2");
    enter(&mut laboratory, Field::Slots(1), "3");
    assert!(laboratory.faults()[&Field::SizeSlots(7)].message.contains("1 to 3"));
    laboratory.apply(Change::RemoveSize(7));
    assert!(laboratory.faults().is_empty());
    enter(&mut laboratory, Field::SizeSlots(1), "1");
    assert!(laboratory.faults().contains_key(&Field::SizeSlots(1)));
    enter(&mut laboratory, Field::SizeSlots(1), "2");
    enter(&mut laboratory, Field::JobName(0, 1), "slow");
    assert!(laboratory.faults().contains_key(&Field::JobName(0, 1)));
    enter(&mut laboratory, Field::JobName(0, 1), "fast");
    enter(&mut laboratory, Field::JobRate(0, 0, 0), "0");
    assert!(laboratory.faults()[&Field::JobRate(0, 0, 0)].message.contains("leave it empty"));
    laboratory.apply(Change::Quotas(Given::Stated));
    assert_eq!(laboratory.case.draft.quotas, Some(vec![vec![1, 1]; 3]));
    enter(&mut laboratory, Field::Quota(0, 0), "4");
    laboratory.apply(Change::Enter(Field::Slots(0), "3".into()));
    assert!(laboratory.faults().contains_key(&Field::Quota(0, 0)));
    assert!(laboratory.question().is_none());
}

#[test]
fn every_field_has_an_id_of_its_own_a_label_and_its_text() {
    let mut laboratory = Laboratory::default();
    laboratory.apply(Change::Quotas(Given::Stated));
    let draft = &laboratory.case.draft;
    let mut fields = vec![Field::TypeName(0), Field::Devices(1), Field::Slots(1), Field::Quota(2, 1)];
    fields.extend([Field::TenantName(1), Field::Weight(1), Field::Limit(1), Field::Rate(1, 0)]);
    fields.extend([Field::SizeSlots(3), Field::SizeDevices(3), Field::JobName(1, 1), Field::Remaining(1, 1)]);
    fields.extend([Field::JobRate(1, 1, 5), Field::JobRate(1, 0, 5)]);
    let ids: BTreeSet<String> = fields.iter().map(|field| field.id()).collect();
    assert_eq!(ids.len(), fields.len());
    let labels: BTreeSet<String> = fields.iter().map(|field| field.label(draft)).collect();
    assert_eq!(labels.len(), fields.len());
    let mut copy = draft.clone();
    for field in fields {
        let text = field.text(draft);
        let optional = matches!(field, Field::Limit(_) | Field::Remaining(..) | Field::JobRate(1, 0, 5));
        assert_eq!(text.is_empty(), optional, "{field:?}");
        assert_eq!(field.enter(&mut copy, &text), Ok(()), "{field:?}");
    }
    assert_eq!(copy, *draft);
}

#[test]
fn rows_and_columns_come_and_go() {
    let mut laboratory = with("I1");
    laboratory.apply(Change::AddType);
    laboratory.apply(Change::AddSize(2));
    laboratory.apply(Change::AddSize(2));
    assert_eq!(
        laboratory.case.draft.sizes.len(),
        6,
        "a type of one slot has sizes of one and of two devices"
    );
    laboratory.apply(Change::AddTenant);
    laboratory.apply(Change::AddJob(2));
    laboratory.apply(Change::Holds(2, 0, Some(5)));
    laboratory.apply(Change::RemoveType(0));
    let draft = &laboratory.case.draft;
    assert_eq!((draft.types.len(), draft.sizes.len(), draft.tenants.len()), (2, 4, 3));
    assert_eq!(draft.tenants[2].jobs[0].holds, Some(3));
    assert!(draft.tenants.iter().flat_map(|tenant| &tenant.jobs).all(|job| job.rates.len() == 4));
    assert!(draft.instance().check().is_ok(), "{:?}", draft.instance().check());
    laboratory.apply(Change::RemoveJob(2, 0));
    laboratory.apply(Change::RemoveTenant(0));
    assert_eq!(laboratory.case.draft.tenants.len(), 2);
    assert!(laboratory.question().is_some());
    for _ in 0..4 {
        laboratory.apply(Change::RemoveTenant(0));
        laboratory.apply(Change::RemoveType(0));
    }
    let why = answers(&laboratory.question().unwrap()).unwrap_err();
    assert!(why.contains("at least one GPU type"), "{why}");
    laboratory.apply(Change::AddType);
    assert!(ask(&laboratory).outcomes.iter().any(|outcome| outcome.result.is_ok()), "without tenants");
}

#[test]
fn kinds_turn_into_each_other_and_back() {
    let mut laboratory = with("S5");
    laboratory.apply(Change::Kind(Kind::Integer));
    let draft = &laboratory.case.draft;
    assert_eq!(draft.sizes.len(), 8);
    // A device each: the same rates as in fractions.
    assert_eq!(of(&ask(&laboratory), "max-sum").answer.objective, Some(24.0));
    laboratory.apply(Change::Kind(Kind::Divisible));
    assert_eq!(laboratory.case.draft.instance(), with("S5").case.draft.instance());
    let mut laboratory = with("I2b");
    laboratory.apply(Change::Kind(Kind::Divisible));
    assert_eq!(laboratory.case.draft.tenants[2].rates, [4.0, 16.0], "on one device of four slots");
}

#[test]
fn files_open_as_they_were_saved() {
    for example in &EXAMPLES {
        let laboratory = with(example.id);
        let mut other = Laboratory::default();
        other.apply(Change::Open(laboratory.file()));
        assert_eq!(other.refused, None, "{}", example.id);
        assert_eq!(other.case.draft.instance(), laboratory.case.draft.instance(), "{}", example.id);
    }
    for (name, reason) in [
        ("i1.json", None),
        ("i2.json", None),
        ("i2b.json", None),
        ("i3.json", None),
        ("mig1.json", None),
        ("infeasible.json", None),
        ("greedy-synthetic.json", None),
        ("greedy-transformer.json", None),
    ] {
        let path = format!("{}/tests/fixtures/instances/{name}", env!("CARGO_MANIFEST_DIR"));
        let mut laboratory = Laboratory::default();
        laboratory.apply(Change::Open(std::fs::read_to_string(path).unwrap()));
        assert_eq!(laboratory.refused.as_deref(), reason, "{name}");
        let reopened = Draft::of(&laboratory.case.draft.instance()).unwrap();
        assert_eq!(reopened, laboratory.case.draft, "{name}");
    }
    assert_eq!(with("I3").case.draft.instance(), {
        let text = include_str!("../../../tests/fixtures/instances/i3.json");
        crate::solve::Instance::from_json(text).unwrap()
    });
}

#[test]
fn what_is_no_instance_changes_nothing_and_says_why() {
    let before = Laboratory::default();
    let many = format!(
        r#"{{"types": [{{"name": "a", "devices": 1, "slots_per_device": 1, "layout": "uniform"}}], "tenants": [{}]}}"#,
        (0..15).map(|u| format!(r#"{{"name": "u{u}", "rates": {{"a": 1}}}}"#)).collect::<Vec<_>>().join(",")
    );
    let mixed = r#"{"types": [{"name": "a", "devices": 1, "slots_per_device": 1, "layout": "uniform"}],
        "tenants": [{"name": "x", "rates": {"a": 1}}, {"name": "y", "jobs": []}]}"#;
    for (text, why) in [
        (" ", "no text"),
        ("[1]", "no instance"),
        (r#"{"types": [], "tenants": []}"#, "at least one GPU type"),
        (r#"{"types": [{"name": "a", "colour": 1}], "tenants": []}"#, "colour"),
        (many.as_str(), "15 tenants; the laboratory takes at most 14"),
        (mixed, "y has jobs"),
    ] {
        let mut laboratory = before.clone();
        laboratory.apply(Change::Open(text.to_owned()));
        assert!(
            laboratory.refused.as_ref().is_some_and(|said| said.contains(why)),
            "{:?}",
            laboratory.refused
        );
        assert_eq!(laboratory.case, before.case);
    }
}

fn through_a_link(laboratory: &Laboratory) -> super::link::Read {
    let pairs = encode(&Shared::of(laboratory));
    decode(&pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Vec<_>>())
}

#[test]
fn a_link_holds_all_that_is_solved() {
    let mut laboratory = with("G1");
    assert_eq!(encode(&Shared::of(&laboratory)), [("example", "G1".to_owned())]);
    enter(&mut laboratory, Field::Rate(0, 0), "41.5");
    laboratory.apply(Change::Normalise("fastest".into()));
    laboratory.apply(Change::Policy("nash".into()));
    let read = through_a_link(&laboratory);
    assert_eq!(read.shared, Some(Shared::of(&laboratory)));
    assert!(read.dropped.is_empty() && read.newer.is_none() && read.unreadable.is_none());
    let mut jobs = with("D1");
    jobs.apply(Change::Quotas(Given::Stated));
    jobs.apply(Change::Objective("jct".into()));
    assert_eq!(through_a_link(&jobs).shared, Some(Shared::of(&jobs)));
    let mut other = Laboratory::default();
    other.follow(through_a_link(&jobs).shared);
    assert_eq!((&other.case, &other.policy), (&jobs.case, &jobs.policy));
    other.follow(None);
    assert_eq!(other.case, Laboratory::default().case);
    assert_eq!(other.can_undo_redo(), (false, true), "a step back");
}

#[test]
fn a_link_that_is_not_understood_says_what() {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let read = decode(&[pair("example", "Z9"), pair("solve", "lottery")]);
    assert_eq!((read.shared, read.dropped.len()), (None, 2));
    assert!(decode(&[pair("lab", "%%%")]).unreadable.is_some());
    let full = r#"{"instance": {"types": [{"name": "a", "devices": 1, "slots_per_device": 7, "layout": "mig-a100", "colour": 1}],
        "tenants": [{"name": "x", "weight": 2, "jobs": [{"name": "j", "remaining_s": 5, "age": 3,
            "options": [{"type": "a", "slots": 1, "memory": "double", "devices": 1, "rate": 1}],
            "previous": {"type": "a", "slots": 1, "memory": "double", "devices": 1}}]}], "quotas": {"x": {"a": 7}}, "optimal": 1,
        "floors": {"x": 1}}, "normalise": "weekly", "zoom": 2}"#;
    let encoded = {
        use base64::Engine as _;
        base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(full)
    };
    let read = decode(&[pair("lab", &encoded), pair("lv", "3")]);
    let mut dropped = read.dropped.clone();
    dropped.sort();
    assert_eq!(dropped, ["normalise=weekly", "tenants.jobs.age", "types.colour", "zoom"]);
    assert_eq!(read.newer, Some(3));
    let draft = read.shared.unwrap().case.draft;
    assert_eq!((draft.quotas.clone(), draft.tenants[0].jobs[0].holds), (Some(vec![vec![7]]), Some(0)));
}

#[test]
fn a_cell_says_where_it_comes_from() {
    let all = ask(&with("I2b"));
    let tables = all.tables.unwrap();
    let reader = Reader::new(&tables, Part::Tenants);
    assert_eq!(reader.shape(), (5, 5));
    let end = reader.start();
    assert_eq!(end, Place { stage: 2, cell: 24 });
    assert_eq!(
        reader.explanation(end),
        "Inside 4 slow, 4 fast, u0 to u2 are worth at most 18: u2 takes 0 slow, 2 fast, worth 8; u0 and u1 inside the other \
         4 slow, 2 fast are worth 10. u2’s floor is 20/3. On the path of the optimum."
    );
    let before = reader.after(end, Move::Origin);
    assert_eq!(before, Place { stage: 1, cell: 22 });
    assert_eq!(reader.taken_text(0).as_deref(), Some("4 slow, 0 fast"));
    let none = Place { stage: 0, cell: 0 };
    assert_eq!(
        reader.explanation(none),
        "Inside 0 slow, 0 fast there is no way to give u0 what their floors ask."
    );
    assert_eq!(reader.after(none, Move::Origin), none);
    assert_eq!(reader.after(Place { stage: 0, cell: 4 }, Move::Right), Place { stage: 1, cell: 0 });
    assert_eq!(reader.after(Place { stage: 1, cell: 5 }, Move::Left), Place { stage: 0, cell: 9 });
    assert_eq!(reader.after(none, Move::Down), Place { stage: 0, cell: 5 });
    assert_eq!(reader.after(none, Move::Up), none);
    assert_eq!(
        (reader.heat(Some(18.0)), reader.heat(Some(0.0)), reader.heat(None)),
        (Some(7), Some(0), None)
    );
    let jobs = Reader::new(&tables, Part::Jobs(1));
    let cell = tables.cell(&[1, 2]).unwrap();
    assert_eq!(
        jobs.explanation(Place { stage: 1, cell }),
        "Inside 1 slow, 2 fast, slow and fast are worth at most 7: fast takes 0 slow, 2 fast, worth 6; slow inside the other \
         1 slow, 0 fast is worth 1."
    );
    assert_eq!(Reader::new(&tables, Part::Jobs(9)).part(), Part::Tenants);
}

#[test]
fn without_tables_there_is_a_reason() {
    assert!(ask(&with("S1")).tables.unwrap_err().contains("linear program"));
    assert!(ask(&with("MIG-1")).tables.unwrap_err().contains("four dimensions"));
    let mut large = with("I2b");
    enter(&mut large, Field::Devices(0), "9");
    assert!(ask(&large).tables.unwrap_err().contains("185 cells"));
}

#[test]
fn the_largest_instance_ends() {
    // As many of everything as the laboratory takes; the budget is a count, so this ends on every machine.
    let mut laboratory = with("I2b");
    for _ in 0..draft::MOST_TENANTS - 3 {
        laboratory.apply(Change::AddTenant);
    }
    enter(&mut laboratory, Field::Devices(0), "900");
    for u in 0..draft::MOST_TENANTS {
        enter(&mut laboratory, Field::JobRate(u, 1, 7), &format!("{}.{u}", 4 + u));
    }
    let all = ask(&laboratory);
    assert!(all.outcomes.iter().filter(|outcome| outcome.result.is_ok()).count() > 8);
}

#[test]
fn the_newest_question_is_next_and_late_answers_are_dropped() {
    use super::desk::Desk;
    let mut laboratory = with("S1");
    let mut desk = Desk::default();
    let (first, question) = desk.ask(&laboratory).unwrap();
    assert!(desk.ask(&laboratory).is_none(), "it is being asked");
    let old = answers(&question).unwrap();
    enter(&mut laboratory, Field::Rate(0, 1), "3");
    assert!(desk.ask(&laboratory).is_none(), "one at a time");
    enter(&mut laboratory, Field::Rate(0, 1), "31");
    assert!(desk.ask(&laboratory).is_none());
    assert!(desk.hear(first + 7, Ok(old.clone())).is_none(), "nobody asked that");
    let (second, question) = desk.hear(first, Ok(old)).unwrap();
    assert!(desk.answered.is_none(), "the old answer came too late");
    assert!(question.instance.contains("31"));
    assert!(desk.hear(second, answers(&question)).is_none());
    assert!(desk.is_current(&laboratory) && !desk.is_busy());
    assert!(desk.ask(&laboratory).is_none(), "it is known");
    laboratory.apply(Change::Policy("nash".into()));
    assert!(desk.ask(&laboratory).is_some(), "its tables are those of another program");
    laboratory.apply(Change::Undo);
    assert!(!desk.is_current(&laboratory));
}

#[test]
fn a_failed_question_says_why_and_is_asked_again() {
    use super::desk::Desk;
    let laboratory = with("I1");
    let mut desk = Desk::default();
    let (number, _) = desk.ask(&laboratory).unwrap();
    assert!(desk.hear(number, Err("the worker died".into())).is_none());
    assert_eq!(desk.error.as_deref(), Some("the worker died"));
    let (number, question) = desk.ask(&laboratory).unwrap();
    desk.hear(number, answers(&question));
    assert_eq!(desk.error, None);
    assert!(desk.search(&laboratory).is_some());
    let mut other = laboratory.clone();
    other.apply(Change::Policy("nash".into()));
    assert!(desk.drop_other_search(&other), "it was under way");
    desk.found(misreports(&question));
    assert_eq!(desk.search, None);
}
