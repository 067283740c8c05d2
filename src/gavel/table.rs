//! Gavel's throughput table: how fast each kind of job runs on each type of GPU, alone and packed with another.
//!
//! The JSON is `{gpu: {"('job type', scale factor)": {"null": steps/s, "('other type', scale factor)": [own, other], …}}}`. It is
//! read as a stream, and what is not used (types of GPU other than the three, pairs where no policy packs jobs) is passed
//! over without being built.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::gavel::error::shortened;
use crate::gavel::{GavelError, Gpu, PerGpu};

/// Whether the throughputs of jobs packed together are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// They are passed over.
    Skip,
    /// They are read.
    Read,
}

/// A kind of job: its type and its number of GPUs. An index into a [`Table`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u32);

/// The steps/s of two jobs packed together, in the order in which they are asked for.
pub type Together = PerGpu<[f64; 2]>;

/// The throughputs of every kind of job, in training steps per second of the whole job, all its GPUs together.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// By job type: the scale factors there are. Only ever looked up.
    kinds: HashMap<String, Vec<(u32, Kind)>>,
    alone: Vec<PerGpu<Option<f64>>>,
    /// Only ever looked up.
    together: HashMap<(Kind, Kind), Together>,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// The text is not such a table: the error has its line and column.
    pub fn read(json: &[u8], packing: Packing) -> Result<Self, GavelError> {
        let mut table = Self::default();
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let read = TypesOfGpu { table: &mut table, packing }
            .deserialize(&mut deserializer)
            .and_then(|()| deserializer.end());
        read.map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let text = error.to_string();
            let message = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
            GavelError::Table { line, column, message: message.to_string() }
        })?;
        Ok(table)
    }

    /// The kind of a job; `None` if the table does not know it on any type of GPU.
    pub fn kind(&self, job_type: &str, scale_factor: u32) -> Option<Kind> {
        let of_type = self.kinds.get(job_type)?;
        of_type.iter().find(|(factor, _)| *factor == scale_factor).map(|(_, kind)| *kind)
    }

    /// The steps/s of a kind on each type of GPU; `None` where the table has no entry.
    pub fn alone(&self, kind: Kind) -> PerGpu<Option<f64>> {
        self.alone[kind.0 as usize]
    }

    /// The steps/s of two kinds packed together; 0 where the table has no entry.
    pub fn together(&self, a: Kind, b: Kind) -> Together {
        self.together.get(&(a, b)).copied().unwrap_or_default()
    }

    fn intern(&mut self, job_type: &str, scale_factor: u32) -> Kind {
        if let Some(kind) = self.kind(job_type, scale_factor) {
            return kind;
        }
        let kind = Kind(self.alone.len() as u32);
        self.alone.push(PerGpu::default());
        match self.kinds.get_mut(job_type) {
            Some(of_type) => of_type.push((scale_factor, kind)),
            None => {
                self.kinds.insert(job_type.to_string(), vec![(scale_factor, kind)]);
            }
        }
        kind
    }
}

/// The type and scale factor of a key such as `('LM (batch size 5)', 2)`, as Python prints a tuple.
fn type_and_factor(key: &str) -> Option<(&str, u32)> {
    let inner = key.strip_prefix('(')?.strip_suffix(')')?;
    let (quoted, factor) = inner.rsplit_once(", ")?;
    let name = ['\'', '"'].iter().find_map(|&mark| quoted.strip_prefix(mark)?.strip_suffix(mark))?;
    Some((name, factor.parse().ok()?))
}

/// A step rate: finite and not negative.
fn checked<E: serde::de::Error>(steps_per_s: f64) -> Result<f64, E> {
    if steps_per_s.is_finite() && steps_per_s >= 0.0 {
        return Ok(steps_per_s);
    }
    Err(E::custom(format!("found {steps_per_s}, expected steps per second, 0 or more")))
}

fn no_kind<E: serde::de::Error>(key: &str) -> E {
    E::custom(format!("found key {:?}, expected ('job type', scale factor)", shortened(key)))
}

/// A key of an object, borrowed where the text allows it.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_string()))
    }
}

/// The outermost object: types of GPU.
struct TypesOfGpu<'t> {
    table: &'t mut Table,
    packing: Packing,
}

/// The object of a type of GPU: kinds of job.
struct KindsOfJob<'t> {
    table: &'t mut Table,
    packing: Packing,
    gpu: Gpu,
}

/// The object of a kind of job: alone, and with every other.
struct Rates<'t> {
    table: &'t mut Table,
    packing: Packing,
    gpu: Gpu,
    kind: Kind,
}

/// Makes a seed read an object by its `visit_map`.
macro_rules! reads_an_object {
    ($seed:ident, $what:literal) => {
        impl<'de> DeserializeSeed<'de> for $seed<'_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_map(self)
            }
        }

        impl<'de> Visitor<'de> for $seed<'_> {
            type Value = ();

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str($what)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
                self.read(map)
            }
        }
    };
}

reads_an_object!(TypesOfGpu, "an object with a member for each type of GPU");
reads_an_object!(KindsOfJob, "an object with a member for each kind of job");
reads_an_object!(Rates, "an object with the steps per second alone (\"null\") and packed with other kinds");

impl TypesOfGpu<'_> {
    fn read<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(name) = map.next_key_seed(Text)? {
            let Some(gpu) = Gpu::ALL.into_iter().find(|gpu| gpu.name() == name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            found = true;
            map.next_value_seed(KindsOfJob { table: self.table, packing: self.packing, gpu })?;
        }
        if found {
            Ok(())
        } else {
            Err(A::Error::custom("found none of the members \"v100\", \"p100\", \"k80\""))
        }
    }
}

impl KindsOfJob<'_> {
    fn read<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            let (job_type, scale_factor) = type_and_factor(&key).ok_or_else(|| no_kind(&key))?;
            let kind = self.table.intern(job_type, scale_factor);
            map.next_value_seed(Rates { table: self.table, packing: self.packing, gpu: self.gpu, kind })?;
        }
        Ok(())
    }
}

impl Rates<'_> {
    fn read<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            if key == "null" {
                let steps_per_s = checked(map.next_value()?)?;
                self.table.alone[self.kind.0 as usize][self.gpu] = Some(steps_per_s);
            } else if self.packing == Packing::Skip {
                map.next_value::<IgnoredAny>()?;
            } else {
                let (job_type, scale_factor) = type_and_factor(&key).ok_or_else(|| no_kind(&key))?;
                let other = self.table.intern(job_type, scale_factor);
                let [own, others] = map.next_value::<[f64; 2]>()?;
                let rates = self.table.together.entry((self.kind, other)).or_default();
                rates[self.gpu] = [checked(own)?, checked(others)?];
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"{
        "v100": {"('A', 1)": {"null": 2.5, "('B', 1)": [1.5, 0.5]}, "('B', 1)": {"null": 1, "('A', 1)": [0.5, 1.5]}},
        "k80": {"('A', 1)": {"null": 0.25}, "(\"it's\", 4)": {"null": 0.0}},
        "v100_unconsolidated": {"anything": [1, 2]}
    }"#;

    #[test]
    fn rates_are_found_by_type_and_scale_factor() {
        for packing in [Packing::Skip, Packing::Read] {
            let table = Table::read(SMALL.as_bytes(), packing).unwrap();
            let a = table.kind("A", 1).unwrap();
            let b = table.kind("B", 1).unwrap();
            let quoted = table.kind("it's", 4).unwrap();
            assert_eq!(table.alone(a), PerGpu([Some(0.25), None, Some(2.5)]));
            assert_eq!(table.alone(quoted)[Gpu::K80], Some(0.0));
            assert!(table.kind("A", 2).is_none());
            let expected: [f64; 2] = if packing == Packing::Read { [0.5, 1.5] } else { [0.0, 0.0] };
            assert_eq!(table.together(b, a)[Gpu::V100].map(f64::to_bits), expected.map(f64::to_bits));
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (json, place, message) in [
            ("{\"v100\": {\"ResNet\": {}}}", "line 1, column 18", "found key \"ResNet\""),
            ("{\"v100\": {\n\"('A', 1)\": {\"null\": -1}}}", "line 2", "found -1"),
            ("{\"v100\": {\n\"('A', 1)\": {\"null\": \"x\"}}}", "line 2", "invalid type"),
            ("{\"a100\": {}}", "line 1", "found none of the members"),
            ("[]", "line 1", "expected an object with a member for each type"),
            ("{\"v100\": {}} x", "line 1", "trailing characters"),
            ("{\"v100\": {", "line 1", "EOF"),
        ] {
            let refused = Table::read(json.as_bytes(), Packing::Read).unwrap_err().to_string();
            assert!(refused.contains(place) && refused.contains(message), "{refused}");
        }
    }
}
