//! Where the records of a trace went: parts that add up to all of them.

use super::strings;
use crate::chart::format;
use crate::trace::ImportReport;

/// One part of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What became of them.
    pub name: String,
    /// How many.
    pub count: u64,
    /// The class that draws it.
    pub class: &'static str,
}

/// All parts that are not empty; their counts add up to the records.
#[must_use]
pub fn of(report: &ImportReport) -> Vec<Account> {
    let account = |name: &str, count, class| Account { name: name.to_owned(), count, class };
    let mut accounts = vec![
        account("GPU jobs", report.gpu_jobs, "acc"),
        account("without GPUs", report.zero_gpu_jobs, "acc2"),
    ];
    for skipped in &report.skipped {
        accounts.push(account(short_reason(&skipped.reason), skipped.count, "quiet"));
    }
    accounts.push(account("rejected", report.rejected_count, "bad-fill"));
    accounts.retain(|account| account.count > 0);
    accounts
}

/// The sum as a sum: `1,538 jobs + 79 left out + 7 rejected`.
#[must_use]
pub fn sum(report: &ImportReport) -> String {
    let parts = [(report.skipped_count(), "left out"), (report.rejected_count, "rejected")];
    let others = parts.into_iter().filter(|(count, _)| *count > 0);
    let others: String = others.map(|(count, name)| format!(" + {} {name}", format::count(count))).collect();
    format!("{}{others}", strings::jobs(report.jobs))
}

/// The bar as a sentence.
#[must_use]
pub fn sentence(report: &ImportReport) -> String {
    let parts: Vec<String> = of(report)
        .iter()
        .map(|account| format!("{} {}", format::count(account.count), account.name))
        .collect();
    format!("{}: {}", strings::counted(report.records, "record", "records"), parts.join(", "))
}

/// Why records were left out, in a word or two.
fn short_reason(reason: &str) -> &str {
    match reason {
        "duplicate" => "folded duplicates",
        "step" => "job steps",
        "resized" => "earlier sizes of jobs",
        "repeated-id" => "repeated ids",
        other => other,
    }
}

/// Why records were left out, in a sentence.
#[must_use]
pub fn reason(reason: &str) -> &str {
    match reason {
        "duplicate" => "Equal to an earlier record, byte for byte",
        "step" => "Step of a job that has a record of its own",
        "resized" => "Earlier size of a job that was resized",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Skipped;

    #[test]
    fn parts_add_up_to_the_records() {
        let skipped = |reason: &str, count| Skipped { reason: reason.into(), count, ..Skipped::default() };
        let report = ImportReport {
            records: 1_624,
            jobs: 1_538,
            gpu_jobs: 1_482,
            zero_gpu_jobs: 56,
            skipped: vec![skipped("step", 63), skipped("duplicate", 16)],
            rejected_count: 7,
            ..ImportReport::default()
        };
        let accounts = of(&report);
        assert_eq!(accounts.iter().map(|account| account.count).sum::<u64>(), report.records);
        assert_eq!(sum(&report), "1,538\u{a0}jobs + 79 left out + 7 rejected");
        assert!(sentence(&report).ends_with("63 job steps, 16 folded duplicates, 7 rejected"));
        assert_eq!(of(&ImportReport::default()), []);
    }
}
