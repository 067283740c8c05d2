//! What the page tells of one job and of one round, read from the tables that the runs left: when and why each job waited, and
//! what every tenant was entitled to and got.

use std::collections::BTreeMap;

use crate::policy::Reason;

/// Most jobs in a list.
pub const MOST_LISTED: usize = 50;

/// A stretch of time in which a job waited for one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Waited {
    /// From, in seconds.
    pub from_s: f64,
    /// To, in seconds.
    pub to_s: f64,
    /// The first round it touches.
    pub first_round: u64,
    /// The last round it touches.
    pub last_round: u64,
    /// Why, in words.
    pub words: &'static str,
}

/// A job and all it waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingJob {
    /// Its name.
    pub job: String,
    /// Its tenant.
    pub tenant: String,
    /// Its waits, in order of time.
    pub waits: Vec<Waited>,
    /// Seconds it waited in all.
    pub total_s: f64,
}

/// Why the page cannot show a table that one of its own workers wrote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {row} of the table cannot be read: {what}")]
pub struct Unreadable {
    /// The row, counted from 1 without the head.
    pub row: usize,
    /// What is wrong.
    pub what: String,
}

/// The jobs of a `waits-*.csv`, the longest wait first.
///
/// # Errors
/// [`Unreadable`] for a row that is not as the engine writes it.
pub fn waiting_jobs(csv: &str) -> Result<Vec<WaitingJob>, Unreadable> {
    let mut jobs: Vec<WaitingJob> = Vec::new();
    for (row, record) in (1..).zip(csv::Reader::from_reader(csv.as_bytes()).into_records()) {
        let record = record.map_err(|error| Unreadable { row, what: error.to_string() })?;
        let cell = |at: usize| record.get(at).unwrap_or_default();
        let waited = Waited {
            from_s: number(cell(2), row)?,
            to_s: number(cell(3), row)?,
            first_round: number(cell(4), row)?,
            last_round: number(cell(5), row)?,
            words: Reason::ALL
                .into_iter()
                .find(|reason| reason.code() == cell(6))
                .map(Reason::words)
                .ok_or_else(|| Unreadable { row, what: format!("no reason {:?}", cell(6)) })?,
        };
        // A job's waits stand together.
        if jobs.last().is_none_or(|job| job.job != cell(0) || job.tenant != cell(1)) {
            let (job, tenant) = (cell(0).to_owned(), cell(1).to_owned());
            jobs.push(WaitingJob { job, tenant, waits: Vec::new(), total_s: 0.0 });
        }
        if let Some(job) = jobs.last_mut() {
            job.total_s += waited.to_s - waited.from_s;
            job.waits.push(waited);
        }
    }
    jobs.sort_by(|a, b| b.total_s.total_cmp(&a.total_s));
    Ok(jobs)
}

/// Those of some jobs whose name or tenant contains a text, in their order; at most [`MOST_LISTED`].
#[must_use]
pub fn listed<'j>(jobs: &'j [WaitingJob], wanted: &str) -> Vec<&'j WaitingJob> {
    let wanted = wanted.trim().to_lowercase();
    let is_wanted = |job: &&WaitingJob| {
        wanted.is_empty()
            || job.job.to_lowercase().contains(&wanted)
            || job.tenant.to_lowercase().contains(&wanted)
    };
    jobs.iter().filter(is_wanted).take(MOST_LISTED).collect()
}

/// The ledger of a run, round by round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    rounds: BTreeMap<u64, LedgerRound>,
}

/// One decided round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LedgerRound {
    /// Its beginning.
    pub start_s: f64,
    /// (bound − objective) / bound of the decision.
    pub gap: Option<f64>,
    /// The tenants that were entitled to something, in the order of the workload.
    pub tenants: Vec<LedgerTenant>,
}

/// One tenant in one round.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerTenant {
    /// Its name.
    pub tenant: String,
    /// Its slots, type by type.
    pub types: Vec<LedgerSlots>,
    /// What its quota is worth to it, in the unit of the decision.
    pub floor: i64,
    /// What the decision gives it, in the same unit.
    pub value: i64,
}

/// A tenant's slots on one type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerSlots {
    /// The type.
    pub gpu: String,
    /// Slots it was entitled to.
    pub quota: u32,
    /// Slots it got.
    pub used: u32,
    /// Slots of its own that others have as quota; negative for what it has of others.
    pub loan: i64,
}

impl LedgerTenant {
    /// By how much the value exceeds the floor, as a share of the floor; `None` without a floor.
    #[must_use]
    pub fn slack(&self) -> Option<f64> {
        (self.floor > 0).then(|| (self.value - self.floor) as f64 / self.floor as f64)
    }
}

impl Ledger {
    /// Reads a `rounds-*.csv`. Rounds without a tenant are left out.
    ///
    /// # Errors
    /// [`Unreadable`] for a row that is not as the engine writes it.
    pub fn read(csv: &str) -> Result<Self, Unreadable> {
        let mut ledger = Self::default();
        for (row, record) in (1..).zip(csv::Reader::from_reader(csv.as_bytes()).into_records()) {
            ledger.take(row, record)?;
        }
        Ok(ledger)
    }

    /// Takes the next row of a `rounds-*.csv`, counted from 1 without the head.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn take(
        &mut self,
        row: usize,
        record: Result<csv::StringRecord, csv::Error>,
    ) -> Result<(), Unreadable> {
        let record = record.map_err(|error| Unreadable { row, what: error.to_string() })?;
        let cell = |at: usize| record.get(at).unwrap_or_default();
        if cell(2).is_empty() && cell(3).is_empty() {
            return Ok(());
        }
        let round = self.rounds.entry(number(cell(0), row)?).or_default();
        round.start_s = number(cell(1), row)?;
        round.gap = if cell(9).is_empty() { None } else { Some(number(cell(9), row)?) };
        if round.tenants.last().is_none_or(|tenant| tenant.tenant != cell(2)) {
            round.tenants.push(LedgerTenant {
                tenant: cell(2).to_owned(),
                types: Vec::new(),
                floor: number(cell(6), row)?,
                value: number(cell(7), row)?,
            });
        }
        let slots = LedgerSlots {
            gpu: cell(3).to_owned(),
            quota: number(cell(4), row)?,
            used: number(cell(5), row)?,
            loan: number(cell(8), row)?,
        };
        if let Some(tenant) = round.tenants.last_mut() {
            tenant.types.push(slots);
        }
        Ok(())
    }

    /// Decided rounds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rounds.len()
    }

    /// Whether no round was decided.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }

    /// The first decided round.
    #[must_use]
    pub fn first(&self) -> Option<u64> {
        self.rounds.keys().next().copied()
    }

    /// The round that was decided last up to this one, which holds in it.
    #[must_use]
    pub fn at(&self, round: u64) -> Option<(u64, &LedgerRound)> {
        self.rounds.range(..=round).next_back().map(|(&round, of_round)| (round, of_round))
    }

    /// The decided round before this one.
    #[must_use]
    pub fn before(&self, round: u64) -> Option<u64> {
        self.rounds.range(..round).next_back().map(|(&round, _)| round)
    }

    /// The decided round after this one.
    #[must_use]
    pub fn after(&self, round: u64) -> Option<u64> {
        self.rounds.range(round.saturating_add(1)..).next().map(|(&round, _)| round)
    }
}

fn number<T: std::str::FromStr>(text: &str, row: usize) -> Result<T, Unreadable> {
    text.parse().map_err(|_| Unreadable { row, what: format!("found {text:?}, expected a number") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_listed_by_their_wait() {
        let csv = "job,tenant,from_s,to_s,first_round,last_round,reason\n\
            a,x,0,10,0,0,ARRIVED_IN_ROUND\na,x,10,30,1,2,OBJECTIVE\nb,\"y, z\",0.5,100,0,9,FLOOR_OF_OTHERS\n";
        let jobs = waiting_jobs(csv).unwrap();
        assert_eq!(
            jobs.iter().map(|j| (j.job.as_str(), j.total_s)).collect::<Vec<_>>(),
            [("b", 99.5), ("a", 30.0)]
        );
        assert_eq!(jobs[1].waits[1].words, Reason::Objective.words());
        assert_eq!((jobs[1].waits[1].first_round, jobs[1].waits[1].last_round), (1, 2));
        assert_eq!(listed(&jobs, " Y, ").len(), 1);
        assert_eq!(listed(&jobs, "").len(), 2);
        let wrong =
            waiting_jobs("job,tenant,from_s,to_s,first_round,last_round,reason\na,x,0,z,0,0,OBJECTIVE\n");
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "row 1 of the table cannot be read: found \"z\", expected a number"
        );
    }

    #[test]
    fn the_ledger_holds_until_the_next_decision() {
        let csv = "round,start_s,tenant,gpu_type,quota_slots,used_slots,floor,value,loan_slots,gap\n\
            0,0,u,A100,4,7,100,150,0,0\n0,0,u,T4,2,0,100,150,1,0\n0,0,v,A100,3,0,0,0,0,0\n0,0,v,T4,1,3,0,0,-1,0\n\
            5,500,u,A100,7,7,90,90,0,0.01\n5,500,u,T4,4,4,90,90,0,0.01\n9,900,,,,,,,,\n";
        let ledger = Ledger::read(csv).unwrap();
        assert_eq!((ledger.len(), ledger.first()), (2, Some(0)));
        let (round, of_round) = ledger.at(4).unwrap();
        assert_eq!((round, of_round.tenants.len(), of_round.gap), (0, 2, Some(0.0)));
        assert_eq!(of_round.tenants[0].slack(), Some(0.5));
        assert_eq!(of_round.tenants[1].slack(), None);
        assert_eq!(of_round.tenants[1].types[1].loan, -1);
        assert_eq!((ledger.after(0), ledger.before(5), ledger.after(5)), (Some(5), Some(0), None));
    }
}
