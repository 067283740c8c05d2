//! Names of tenants, users, GPU types and models: each text once, and its number.

use std::hash::BuildHasherDefault;

use hashbrown::HashTable;
use indexmap::IndexSet;

use crate::trace::hash::Hash;
use crate::trace::short::Short;

/// So many short names are found by their bytes as numbers: where there are more, they are hardly names.
const MOST_SHORT: usize = 4096;

/// Distinct names in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: IndexSet<String, BuildHasherDefault<Hash>>,
    /// The first short ones and their positions.
    short: HashTable<(Short, u32)>,
}

impl Names {
    /// The position of `name`, added if it is new.
    #[inline]
    pub(super) fn position(&mut self, name: &str) -> u32 {
        let Some(short) = Short::of(name.as_bytes()) else { return self.position_in_all(name) };
        match self.short.find(hash(short), |(known, _)| *known == short) {
            Some((_, at)) => *at,
            None => self.position_of_new(name, short),
        }
    }

    pub(super) fn optional(&mut self, name: &str) -> Option<u32> {
        (!name.is_empty()).then(|| self.position(name))
    }

    /// The name at `position`; empty where there is none.
    pub(super) fn name(&self, position: Option<u32>) -> &str {
        position.and_then(|at| self.all.get_index(at as usize)).map_or("", String::as_str)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    fn position_of_new(&mut self, name: &str, short: Short) -> u32 {
        let at = self.position_in_all(name);
        if self.short.len() < MOST_SHORT {
            self.short.insert_unique(hash(short), (short, at), |(known, _)| hash(*known));
        }
        at
    }

    fn position_in_all(&mut self, name: &str) -> u32 {
        let at = self.all.get_index_of(name).unwrap_or_else(|| self.all.insert_full(name.to_owned()).0);
        u32::try_from(at).unwrap_or(u32::MAX)
    }
}

#[inline]
fn hash(short: Short) -> u64 {
    Hash::default().with(short.high).with(short.low).value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_keeps_its_position_however_many_there_are() {
        let mut names = Names::default();
        let all: Vec<String> =
            (0..2 * MOST_SHORT).flat_map(|n| [format!("{n}"), format!("a rather long name {n}")]).collect();
        for _ in 0..2 {
            for (at, name) in all.iter().enumerate() {
                assert_eq!(names.position(name), at as u32);
            }
        }
        assert_eq!(names.len(), all.len());
        assert!(names.iter().eq(&all));
        assert_eq!((names.optional(""), names.name(None), names.name(Some(2))), (None, "", "1"));
    }
}
