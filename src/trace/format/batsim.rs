//! Workloads of the Batsim simulator: an object with the jobs and, apart from them, the profiles they run.
//!
//! Profiles may stand before or after the jobs, and both may be long: each is read one element at a time, and run times are
//! put into the jobs at the end of the file.

use std::collections::HashMap;

use serde_json::Value;

use crate::trace::elements::{ArrayAt, Place};
use crate::trace::format::{Column, ElementReader, Evidence, Format, Shape};
use crate::trace::intake::{Closing, Draft, Fault, Notice, Verdict};
use crate::trace::json;
use crate::trace::refusal::Refusal;
use crate::trace::sample::Sample;
use crate::trace::value::{self, Notes};
use crate::units::SimSpan;

pub(super) static FORMAT: Format = Format {
    name: "batsim",
    title: "Batsim (JSON)",
    help: "A Batsim workload: {\"nb_res\": …, \"jobs\": […], \"profiles\": {…}}. Hosts (res) are read as GPUs. A job's run time \
           is the delay of its profile, of type delay or DelayProfile, cut at its walltime, where Batsim kills it. Profiles \
           that state floating-point operations or messages give no run time: that takes the speed of the hosts.",
    columns: &[
        Column::text("id", "The job's id, a number or a text such as w0!1.").or("the record's number"),
        Column::number("subtime", Some("s"), "0 to 9000000000", "Submission.").needed(),
        Column::gpus("res", "Hosts, each read as one GPU.").needed(),
        Column::seconds("walltime", "The limit; -1 is none.").or("none"),
        Column::text("profile", "Its profile: the model, unless it is a mere number."),
        Column::seconds("profiles.*.delay", "Run time, of profiles of type delay or DelayProfile.")
            .or("none"),
    ],
    detect,
    shape: Shape::Json {
        array: ArrayAt::MemberBeside("jobs", "profiles"),
        open: || Box::new(Reader::default()),
    },
};

fn detect(sample: &Sample<'_>) -> Option<Evidence> {
    if sample.opening() != Some(b'{') {
        return None;
    }
    let evidence = |score, members: &[&str]| {
        Some(Evidence { score, text: format!("it has the members {}", members.join(", ")) })
    };
    for members in [&["jobs", "subtime", "res"][..], &["profiles", "nb_res", "type"]] {
        if members.iter().all(|name| sample.has_member(name)) {
            return evidence(96, members);
        }
    }
    // Profiles so long that the jobs are beyond the sample.
    let types: [&[u8]; 4] = [b"\"DelayProfile\"", b"\"delay\"", b"\"msg_par", b"\"Parallel"];
    let members = ["profiles", "type"];
    let seems = members.iter().all(|name| sample.has_member(name)) && !sample.has_member("jobs");
    if seems && types.iter().any(|kind| sample.contains(kind)) { evidence(75, &members) } else { None }
}

/// What a profile says.
#[derive(Debug)]
enum Profile {
    /// A run time.
    Delay(SimSpan),
    /// Work of this kind, or a run time that cannot be read.
    Work(Box<str>),
}

#[derive(Debug, Default)]
struct Reader {
    profiles: HashMap<String, Profile>,
    /// Jobs of each profile.
    uses: HashMap<String, u64>,
    /// How the file was made, as it says itself.
    command: String,
    jobs: u64,
}

impl ElementReader for Reader {
    fn member(&mut self, _at: Place, name: &str, value: &str) -> Result<(), Refusal> {
        const SHOWN: usize = 300;
        if name == "command" {
            let command: String = serde_json::from_str(value).unwrap_or_default();
            self.command = command.chars().take(SHOWN).collect();
        }
        Ok(())
    }

    fn entry(&mut self, name: &str, value: &str) {
        let name = if name.contains('\\') {
            serde_json::from_str(&format!("\"{name}\"")).unwrap_or_else(|_| name.to_owned())
        } else {
            name.to_owned()
        };
        let value: Value = serde_json::from_str(value).unwrap_or_default();
        let kind = json::text(&value, "/type");
        let delay = ["delay", "DelayProfile"].contains(&&*kind).then(|| json::text(&value, "/delay"));
        let profile = match delay.map(|delay| value::seconds(delay.as_bytes())) {
            Some(Ok(span)) => Profile::Delay(span),
            Some(Err(_)) => Profile::Work("delay without a time".into()),
            None => Profile::Work(kind.into()),
        };
        self.profiles.insert(name, profile);
    }

    fn element<'e>(&mut self, element: &'e str, notes: &Notes) -> Result<Verdict<'e>, Fault> {
        let job =
            json::parse(element, "a job as in {\"id\": 1, \"subtime\": 0, \"res\": 4, \"profile\": \"p\"}")?;
        let submit = json::required(&job, "/subtime", |text| value::time(text, notes))?;
        let gpus = json::required(&job, "/res", value::gpus)?;
        let is_unlimited = json::text(&job, "/walltime").starts_with('-');
        let limit = if is_unlimited { None } else { json::maybe(&job, "/walltime", value::seconds)? };
        let profile = json::text(&job, "/profile");
        self.jobs += 1;
        match self.uses.get_mut(&*profile) {
            Some(uses) => *uses += 1,
            None => {
                self.uses.insert(profile.clone().into_owned(), 1);
            }
        }
        Ok(Verdict::Job(Draft {
            id: json::text(&job, "/id").into_owned().into(),
            model: profile.into_owned().into(),
            submit,
            gpus,
            limit,
            ..Draft::default()
        }))
    }

    fn close(&mut self) -> Closing {
        let reader = std::mem::take(self);
        let (mut worked, mut missing) = (0, 0);
        let mut kinds: Vec<&str> = Vec::new();
        for (name, uses) in &reader.uses {
            match reader.profiles.get(name) {
                Some(Profile::Delay(_)) => {}
                Some(Profile::Work(kind)) => {
                    worked += uses;
                    if !kinds.contains(&&**kind) {
                        kinds.push(kind);
                    }
                }
                None => missing += uses,
            }
        }
        kinds.sort_unstable();
        let made = match reader.command.as_str() {
            "" => String::new(),
            command => format!("; the file was made by: {command}"),
        };
        let notices = vec![
            Notice::new(
                "hosts-as-gpus",
                reader.jobs,
                "jobs ask for hosts (res); each host is read as one GPU",
            ),
            Notice::new(
                "work-profiles",
                worked,
                format!(
                    "jobs have profiles that state work and no time ({}); without the speed of the hosts they have no run \
                     time{made}",
                    kinds.join(", ")
                ),
            ),
            Notice::new(
                "missing-profiles",
                missing,
                "jobs name a profile that is not in the file and have no run time",
            ),
        ];
        let delay = |(name, profile)| match profile {
            Profile::Delay(span) => Some((name, span)),
            Profile::Work(_) => None,
        };
        let run_times = Some(reader.profiles.into_iter().filter_map(delay).collect());
        Closing { notices, run_times, ..Closing::default() }
    }
}
