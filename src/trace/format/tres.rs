//! GPUs in Slurm's lists of trackable resources (TRES) and in its older lists of generic resources (GRES).

use std::borrow::Cow;

use crate::trace::value::{self, Bad};
use crate::units::MilliGpus;

/// GPUs and the type they are of; an empty type is any.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grant<'a> {
    pub(super) gpus: MilliGpus,
    pub(super) kind: Cow<'a, str>,
}

/// What a list of resources says of GPUs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tres<'a> {
    /// There is no list.
    Empty,
    /// There is one, without GPUs.
    NoGpus,
    /// There is one, with GPUs whose number is not known.
    Unknown,
    Gpus(Grant<'a>),
}

/// The GPUs of a job: what it got, else what it asked for. The type is the one it asked for, if that is recorded. `None` if
/// neither list says anything of GPUs.
pub(super) fn grant<'a>(got: Tres<'a>, asked: Tres<'a>) -> Option<Grant<'a>> {
    match (got, asked) {
        (Tres::Gpus(got), Tres::Gpus(asked)) if !asked.kind.is_empty() => {
            Some(Grant { gpus: got.gpus, kind: asked.kind })
        }
        (Tres::Gpus(grant), _) | (Tres::Empty | Tres::Unknown, Tres::Gpus(grant)) => Some(grant),
        (Tres::NoGpus, Tres::Gpus(_)) => Some(Grant::default()),
        (_, Tres::NoGpus | Tres::Empty | Tres::Unknown) => None,
    }
}

pub(super) const COUNT: Bad =
    Bad { expected: "gres/gpu=N or gres/gpu:type=N with N from 0 to 65,536", hint: "" };

/// Reads `billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G`. A typed entry repeats GPUs of the untyped total, so the
/// typed ones are added up only where there is no total. `gres/gpumem`, `gres/gpuutil` and `gres/shard` are no GPUs.
pub(super) fn tres(text: &[u8]) -> Result<Tres<'_>, Bad> {
    let mut total = None;
    let mut typed = Tally::default();
    for item in text.split(|&b| b == b',') {
        let Some(rest) = item.strip_prefix(b"gres/gpu") else { continue };
        let (name, count) = match rest.iter().position(|&b| b == b'=') {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &b""[..]),
        };
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
    for item in text.split(|&b| b == b',') {
        let item = item.split(|&b| b == b'(').next().unwrap_or_default();
        let (item, times) = match item.strip_prefix(b"PER_NODE:") {
            Some(item) => (item, nodes),
            None => item.strip_prefix(b"PER_JOB:").map_or((item, bare), |item| (item, 1)),
        };
        let item = item.strip_prefix(b"gres:").or(item.strip_prefix(b"gres/")).unwrap_or(item);
        let mut parts = item.split(|&b| b == b':');
        if parts.next() != Some(b"gpu") {
            continue;
        }
        let parts: Vec<&[u8]> = parts.collect();
        let (kind, count): (&[u8], &[u8]) = match parts.as_slice() {
            [] => (b"", b"1"),
            [one] if one.first().is_some_and(u8::is_ascii_digit) => (b"", one),
            [kind] => (kind, b"1"),
            [kind, count, ..] => (kind, count),
        };
        tally.add(kind, value::gpus(count).map_err(|_| COUNT)?, times)?;
    }
    Ok(tally.into_tres(None))
}

/// GPUs by type, added up.
#[derive(Debug, Default)]
pub(super) struct Tally<'a> {
    sum: Option<MilliGpus>,
    kinds: Vec<&'a [u8]>,
}

impl Grant<'_> {
    /// Whether it is of MIG slices, as in `a100_1g.5gb`.
    pub(super) fn is_slices(&self) -> bool {
        self.kind.contains("g.") && self.kind.contains("gb")
    }
}

impl<'a> Tally<'a> {
    /// Adds GPUs of a type, `times` over.
    pub(super) fn add(&mut self, kind: &'a [u8], gpus: MilliGpus, times: i64) -> Result<(), Bad> {
        let sum =
            i64::from(self.sum.unwrap_or_default().0).saturating_add(i64::from(gpus.0).saturating_mul(times));
        let sum = u32::try_from(sum).ok().filter(|_| sum <= value::MAX_GPUS * 1000).ok_or(COUNT)?;
        self.sum = Some(MilliGpus(sum));
        if gpus.0 > 0 && !kind.is_empty() && !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        Ok(())
    }

    /// What was added up; a `total` that is stated holds, since typed entries repeat it.
    pub(super) fn into_tres(self, total: Option<MilliGpus>) -> Tres<'a> {
        let Some(gpus) = total.or(self.sum) else { return Tres::NoGpus };
        let kind = match self.kinds.as_slice() {
            [one] => String::from_utf8_lossy(one),
            many => String::from_utf8_lossy(&many.join(&b'|')).into_owned().into(),
        };
        Tres::Gpus(Grant { gpus, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(milli: u32, kind: &str) -> Result<Tres<'_>, Bad> {
        Ok(Tres::Gpus(Grant { gpus: MilliGpus(milli), kind: kind.into() }))
    }

    #[test]
    fn a_typed_entry_repeats_the_total() {
        assert_eq!(tres(b"billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G"), gpus(1000, "a100"));
        assert_eq!(tres(b"gres/gpu:a100=2,gres/gpu:v100=1"), gpus(3000, "a100|v100"));
        assert_eq!(tres(b"gres/gpu:a100_1g.5gb=1"), gpus(1000, "a100_1g.5gb"));
        assert_eq!(tres(b"gres/gpu=4"), gpus(4000, ""));
        assert_eq!(tres(b"cpu=1,gres/gpumem=80G,gres/gpuutil=3,gres/shard=2"), Ok(Tres::NoGpus));
        for wrong in [&b"gres/gpu=x"[..], b"gres/gpu", b"gres/gpu=-1", b"gres/gpu:a=99999999"] {
            assert_eq!(tres(wrong), Err(COUNT));
        }
    }

    #[test]
    fn old_gres_counts_per_job_or_per_node() {
        let gres = |text, nodes| gres(text, nodes, 1);
        assert_eq!(gres(b"gpu:4", 2), gpus(4000, ""));
        assert_eq!(super::gres(b"gpu:4,gpu:v100:1,PER_JOB:gpu:3", 2, 2), gpus(13_000, "v100"));
        assert_eq!(gres(b"PER_NODE:gpu:8", 2), gpus(16_000, ""));
        assert_eq!(gres(b"gpu:kepler:2(S:0-1)", 1), gpus(2000, "kepler"));
        assert_eq!(gres(b"gpu", 1), gpus(1000, ""));
        assert_eq!(gres(b"craynetwork:1", 1), Ok(Tres::NoGpus));
        assert_eq!(gres(b"PER_NODE:gpu:8", i64::MAX), Err(COUNT));
    }
}
