//! GPUs in Slurm's lists of trackable resources (TRES) and in its older lists of generic resources (GRES).

use std::borrow::Cow;

use crate::trace::intake::Notice;
use crate::trace::value::{self, Bad};
use crate::units::MilliGpus;

/// GPUs and the type they are of; an empty type is any.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grant<'a> {
    pub(super) gpus: MilliGpus,
    pub(super) kind: Cow<'a, str>,
    /// Whether the list names the type of some of the GPUs and not of the rest; no type is given then.
    pub(super) is_partly_typed: bool,
}

/// What a list of resources says of GPUs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tres<'a> {
    /// There is no list.
    Empty,
    /// There is one, without GPUs.
    NoGpus,
    /// There is one, without GPUs and with shares of them (`gres/shard`, `gres/mps`). How many make a GPU is the site's setting.
    Shares,
    /// There is one, with GPUs whose number is not known.
    Unknown,
    Gpus(Grant<'a>),
}

/// What both lists say of a job's GPUs: what it got, else what it asked for. The type is the one it asked for, if that is recorded.
pub(super) fn held<'a>(got: Tres<'a>, asked: Tres<'a>) -> Tres<'a> {
    match (got, asked) {
        // A type that was asked for holds for all GPUs only if it was asked for as many.
        (Tres::Gpus(got), Tres::Gpus(asked))
            if !asked.kind.is_empty() && (!got.is_partly_typed || asked.gpus >= got.gpus) =>
        {
            Tres::Gpus(Grant { gpus: got.gpus, ..asked })
        }
        (Tres::Gpus(grant), _) | (Tres::Empty | Tres::Unknown, Tres::Gpus(grant)) => Tres::Gpus(grant),
        (Tres::NoGpus | Tres::Shares, Tres::Gpus(_)) => Tres::Gpus(Grant::default()),
        (Tres::Shares, _) | (_, Tres::Shares) => Tres::Shares,
        (_, Tres::NoGpus | Tres::Empty | Tres::Unknown) => Tres::NoGpus,
    }
}

pub(super) const COUNT: Bad =
    Bad { expected: "gres/gpu=N or gres/gpu:type=N with N from 0 to 65,536", hint: "" };

/// What the resources of a file's jobs say of GPUs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Census {
    /// Whether any job's lists name GPUs or shares of them.
    pub(super) any: bool,
    slices: u64,
    partly_typed: u64,
    shares: u64,
}

impl Census {
    /// Counts a job that holds this; the GPUs it has.
    pub(super) fn take<'a>(&mut self, held: Tres<'a>) -> Grant<'a> {
        self.any |= matches!(held, Tres::Gpus(_) | Tres::Shares);
        self.shares += u64::from(held == Tres::Shares);
        let Tres::Gpus(grant) = held else { return Grant::default() };
        self.slices += u64::from(grant.is_slices());
        self.partly_typed += u64::from(grant.is_partly_typed);
        grant
    }

    /// What the report says of them.
    pub(super) fn notices(&self) -> [Notice; 3] {
        [
            Notice::new(
                "mig-slices",
                self.slices,
                "jobs hold MIG slices; each slice counts as one GPU, as Slurm counts",
            ),
            Notice::new(
                "partly-typed-gpus",
                self.partly_typed,
                "jobs name the type of some of their GPUs and not of the rest, as where only some types are in \
                 AccountingStorageTRES; all count, and of no type in particular",
            ),
            Notice::new(
                "gpu-shares",
                self.shares,
                "jobs hold shares of GPUs (gres/shard or gres/mps) and count as having none: how many shares make a GPU is in \
                 the site's gres.conf and not in the file. To simulate them, write the table with GPUs as a decimal number, \
                 such as 0.25",
            ),
        ]
    }
}

/// Reads `billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G`. A typed entry repeats GPUs of the untyped total, which also has
/// those whose type the site does not account. `gres/gpumem` and `gres/gpuutil` are no GPUs.
pub(super) fn tres(text: &[u8]) -> Result<Tres<'_>, Bad> {
    let mut total = None;
    let mut typed = Tally::default();
    for item in text.split(|&b| b == b',') {
        let Some(rest) = item.strip_prefix(b"gres/gpu") else {
            if let Some((name, count)) = item.strip_prefix(b"gres/").and_then(|item| split_at(item, b'=')) {
                typed.share(name, count);
            }
            continue;
        };
        let (name, count) = split_at(rest, b'=').unwrap_or((rest, b""));
        match name {
            b"" => total = Some(value::gpus(count).map_err(|_| COUNT)?),
            [b':', kind @ ..] => typed.add(kind, value::gpus(count).map_err(|_| COUNT)?, 1)?,
            _ => {}
        }
    }
    Ok(typed.into_tres(total))
}

/// Reads the older `gpu:4`, `gpu:kepler:2(S:0-1)`, `PER_NODE:gpu:8`: a count per node of `nodes`, per job, or, where the entry does
/// not say, to be taken `bare` times.
pub(super) fn gres(text: &[u8], nodes: i64, bare: i64) -> Result<Tres<'_>, Bad> {
    let mut tally = Tally::default();
    let mut is_unnamed = false;
    for item in text.split(|&b| b == b',') {
        let item = item.split(|&b| b == b'(').next().unwrap_or_default();
        let (item, times) = match item.strip_prefix(b"PER_NODE:") {
            Some(item) => (item, nodes),
            None => item.strip_prefix(b"PER_JOB:").map_or((item, bare), |item| (item, 1)),
        };
        let item = item.strip_prefix(b"gres:").or(item.strip_prefix(b"gres/")).unwrap_or(item);
        let mut parts = item.split(|&b| b == b':');
        let name = parts.next().unwrap_or_default();
        // Some versions print the number that Slurm has for a resource in place of its name.
        is_unnamed |= !name.is_empty() && name.iter().all(u8::is_ascii_digit);
        if name != b"gpu" {
            tally.share(name, parts.next_back().unwrap_or(b"1"));
            continue;
        }
        let (kind, count) = kind_and_count(parts);
        tally.add(kind, value::gpus(count).map_err(|_| COUNT)?, times)?;
    }
    Ok(match tally.into_tres(None) {
        Tres::NoGpus if is_unnamed => Tres::Empty,
        known => known,
    })
}

/// The type and the number of GPUs, of what stands behind `gpu:` in an entry: `a100:2`, `2`, `a100`, or nothing.
pub(in crate::trace) fn kind_and_count<'a>(
    mut parts: impl Iterator<Item = &'a [u8]>,
) -> (&'a [u8], &'a [u8]) {
    match (parts.next(), parts.next()) {
        (None, _) => (b"", b"1"),
        (Some(one), None) if one.first().is_some_and(u8::is_ascii_digit) => (b"", one),
        (Some(kind), count) => (kind, count.unwrap_or(b"1")),
    }
}

/// Whether a type is one of MIG slices, as in `a100_1g.5gb`.
pub(in crate::trace) fn is_slice(kind: &str) -> bool {
    kind.contains("g.") && kind.contains("gb")
}

/// What stands before and behind the first `mark`.
fn split_at(text: &[u8], mark: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(mark, text)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// GPUs by type, added up.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    sum: Option<MilliGpus>,
    /// Those of the sum that have a type.
    typed: MilliGpus,
    kinds: Vec<&'a [u8]>,
    /// Whether there are shares of GPUs.
    has_shares: bool,
}

impl Grant<'_> {
    /// Whether it is of MIG slices, as in `a100_1g.5gb`.
    pub(super) fn is_slices(&self) -> bool {
        is_slice(&self.kind)
    }
}

impl<'a> Tally<'a> {
    /// Adds GPUs of a type, `times` over; an empty type is any.
    pub(super) fn add(&mut self, kind: &'a [u8], gpus: MilliGpus, times: i64) -> Result<(), Bad> {
        let more = i64::from(gpus.0).saturating_mul(times);
        let plus = |sum: MilliGpus| {
            let sum = i64::from(sum.0).saturating_add(more);
            u32::try_from(sum).ok().filter(|_| sum <= value::MAX_GPUS * 1000).map(MilliGpus).ok_or(COUNT)
        };
        self.sum = Some(plus(self.sum.unwrap_or_default())?);
        if gpus.0 > 0 && !kind.is_empty() {
            self.typed = plus(self.typed)?;
            if !self.kinds.contains(&kind) {
                self.kinds.push(kind);
            }
        }
        Ok(())
    }

    /// Notes a resource that is no GPU: `shard`, `mps` and their types are shares of GPUs.
    pub(super) fn share(&mut self, name: &[u8], count: &[u8]) {
        let name = split_at(name, b':').map_or(name, |(name, _)| name);
        self.has_shares |= [&b"shard"[..], b"mps"].contains(&name) && count != b"0";
    }

    /// What was added up. A `total` that is stated has the typed ones in it.
    pub(super) fn into_tres(self, total: Option<MilliGpus>) -> Tres<'a> {
        let Some(gpus) = total.or(self.sum) else {
            return if self.has_shares { Tres::Shares } else { Tres::NoGpus };
        };
        let is_partly_typed = self.typed.0 > 0 && self.typed < gpus;
        let kind = match self.kinds.as_slice() {
            _ if is_partly_typed => Cow::default(),
            [one] => String::from_utf8_lossy(one),
            many => String::from_utf8_lossy(&many.join(&b'|')).into_owned().into(),
        };
        Tres::Gpus(Grant { gpus, kind, is_partly_typed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(milli: u32, kind: &str) -> Result<Tres<'_>, Bad> {
        Ok(Tres::Gpus(Grant { gpus: MilliGpus(milli), kind: kind.into(), is_partly_typed: false }))
    }

    fn partly(milli: u32) -> Result<Tres<'static>, Bad> {
        Ok(Tres::Gpus(Grant { gpus: MilliGpus(milli), kind: "".into(), is_partly_typed: true }))
    }

    #[test]
    fn gpus_without_a_type_count_beside_those_with_one() {
        assert_eq!(tres(b"gres/gpu=4,gres/gpu:a100=2"), partly(4000));
        assert_eq!(tres(b"gres/gpu:a100=2,gres/gpu=4,gres/gpu:v100=1"), partly(4000));
        assert_eq!(tres(b"gres/gpu=4,gres/gpu:a100=2,gres/gpu:v100=2"), gpus(4000, "a100|v100"));
        assert_eq!(gres(b"gpu:2,gpu:a100:1", 1, 1), partly(3000));
        let kind = |text: &'static [u8]| match held(partly(4000)?, tres(text)?) {
            Tres::Gpus(grant) => Ok((grant.gpus.0, grant.kind, grant.is_partly_typed)),
            _ => Err(COUNT),
        };
        assert_eq!(kind(b"gres/gpu:a100=4"), Ok((4000, "a100".into(), false)));
        assert_eq!(kind(b"gres/gpu:a100=2"), Ok((4000, "".into(), true)));
    }

    #[test]
    fn shares_of_gpus_are_noted_and_are_no_gpus() {
        for text in [&b"cpu=1,gres/shard=2"[..], b"gres/mps:a100=50", b"gres/shard:v100=1,gres/mps=0"] {
            assert_eq!(tres(text), Ok(Tres::Shares));
        }
        for text in [&b"shard:4"[..], b"mps:a100:50", b"PER_NODE:shard:2"] {
            assert_eq!(gres(text, 1, 1), Ok(Tres::Shares));
        }
        assert_eq!(tres(b"gres/shard=0"), Ok(Tres::NoGpus));
        assert_eq!(tres(b"gres/gpu=1,gres/shard=2"), gpus(1000, ""));
    }

    #[test]
    fn a_typed_entry_repeats_the_total() {
        assert_eq!(tres(b"billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G"), gpus(1000, "a100"));
        assert_eq!(tres(b"gres/gpu:a100=2,gres/gpu:v100=1"), gpus(3000, "a100|v100"));
        assert_eq!(tres(b"gres/gpu:a100_1g.5gb=1"), gpus(1000, "a100_1g.5gb"));
        assert_eq!(tres(b"gres/gpu=4"), gpus(4000, ""));
        assert_eq!(tres(b"cpu=1,gres/gpumem=80G,gres/gpuutil=3"), Ok(Tres::NoGpus));
        for wrong in [&b"gres/gpu=x"[..], b"gres/gpu", b"gres/gpu=-1", b"gres/gpu:a=99999999"] {
            assert_eq!(tres(wrong), Err(COUNT));
        }
    }

    #[test]
    fn old_gres_counts_per_job_or_per_node() {
        let gres = |text, nodes| gres(text, nodes, 1);
        assert_eq!(gres(b"gpu:4", 2), gpus(4000, ""));
        assert_eq!(super::gres(b"gpu:4,gpu:v100:1,PER_JOB:gpu:3", 2, 2), partly(13_000));
        assert_eq!(gres(b"PER_NODE:gpu:8", 2), gpus(16_000, ""));
        assert_eq!(gres(b"gpu:kepler:2(S:0-1)", 1), gpus(2000, "kepler"));
        assert_eq!(gres(b"gpu", 1), gpus(1000, ""));
        assert_eq!(gres(b"craynetwork:1", 1), Ok(Tres::NoGpus));
        assert_eq!(gres(b"7696487:1", 1), Ok(Tres::Empty), "the number of gpu");
        assert_eq!(gres(b"PER_NODE:gpu:8", i64::MAX), Err(COUNT));
    }
}
