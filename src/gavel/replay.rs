//! Recorded runs, and the policy that gives the shares recorded in one.
//!
//! A linear program of Gavel's has many optima, and which one its solver gave decides the rest of a run. Replaying
//! the shares that Gavel had separates the two: the mechanism has to agree to the last bit, the policies in their objectives.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::gavel::policy::{Policy, Shares, View};
use crate::gavel::{GavelError, Gpu, Key, PerGpu};

/// Seconds by which the clock may differ from the recorded one.
const TOLERANCE_S: f64 = 1e-6;

/// A share by type of GPU, as recorded.
type RecordedShare = BTreeMap<String, f64>;

/// What a run recorded. Only the shares are needed to replay it; the rest is there to compare with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Recorded {
    /// At each computation of shares: the clock, and shares by job (`"7"`) or pair (`"3,7"`). What has none may be left out.
    pub allocs: Vec<(f64, BTreeMap<String, RecordedShare>)>,
    /// At each round: the clock, and workers by job or pair.
    #[serde(default)]
    pub rounds: Vec<(f64, BTreeMap<String, Vec<u32>>)>,
    /// Completion time by job, in seconds; null for a dropped job.
    #[serde(default)]
    pub jct: BTreeMap<u32, Option<f64>>,
    /// Seconds booked, by worker.
    #[serde(default)]
    pub cum_worker_time: BTreeMap<u32, f64>,
    /// Leases extended, in percent.
    #[serde(default)]
    pub lease_ext_pct: Option<f64>,
}

impl Recorded {
    /// Reads a recorded run.
    ///
    /// # Errors
    /// The text is no such JSON: the message has line and column.
    pub fn read(json: &[u8]) -> Result<Self, GavelError> {
        serde_json::from_slice(json).map_err(|error| GavelError::Replay {
            message: format!(
                "{error}; expected {{\"allocs\": [[seconds, {{\"job\" or \"job,job\": {{\"v100\": share}}}}], …], …}}"
            ),
        })
    }
}

/// A key of a recorded run: `"7"` or `"3,7"`.
pub fn recorded_key(text: &str) -> Option<Key> {
    match text.split_once(',') {
        None => Some(Key::job(text.trim().parse().ok()?)),
        Some((a, b)) => Some(Key::pair(a.trim().parse().ok()?, b.trim().parse().ok()?)),
    }
}

/// The policy that gives recorded shares, one computation after the other.
#[derive(Debug, Clone)]
pub struct Replay {
    allocs: std::vec::IntoIter<(f64, BTreeMap<String, RecordedShare>)>,
}

impl Replay {
    /// The shares of a recorded run.
    pub fn new(recorded: &Recorded) -> Self {
        Self { allocs: recorded.allocs.clone().into_iter() }
    }
}

impl Policy for Replay {
    fn shares(&mut self, view: &View<'_>) -> Result<Shares, GavelError> {
        let disagree = |message: String| GavelError::Replay { message };
        let now_s = view.now_s;
        let Some((recorded_s, recorded)) = self.allocs.next() else {
            return Err(disagree(format!("it has no more shares, but some are needed at {now_s} s")));
        };
        if (recorded_s - now_s).abs() > TOLERANCE_S {
            return Err(disagree(format!("shares are needed at {now_s} s, its next are of {recorded_s} s")));
        }
        let mut shares = Shares::none(view);
        for (text, by_type) in &recorded {
            let key = recorded_key(text)
                .ok_or_else(|| disagree(format!("found key {text:?}, expected \"7\" or \"3,7\"")))?;
            let share = shares_of(by_type).map_err(disagree)?;
            let place = if key.second.is_none() {
                view.position(key.first).and_then(|at| shares.jobs.get_mut(at))
            } else {
                view.pairs.iter().position(|pair| pair.key == key).and_then(|at| shares.pairs.get_mut(at))
            };
            *place.ok_or_else(|| {
                disagree(format!("it has a share for {text} at {now_s} s, which is not active"))
            })? = share;
        }
        Ok(shares)
    }
}

fn shares_of(by_type: &RecordedShare) -> Result<PerGpu<f64>, String> {
    let mut share = PerGpu::default();
    for (name, &value) in by_type {
        let gpu = Gpu::ALL.into_iter().find(|gpu| gpu.name() == name);
        let gpu = gpu.ok_or_else(|| format!("found type of GPU {name:?}, expected v100, p100 or k80"))?;
        if !(0.0..=1.0).contains(&value) {
            return Err(format!("found share {value}, expected 0 to 1"));
        }
        share[gpu] = value;
    }
    Ok(share)
}
