//! The GPU types of a trace under other names.

use std::collections::BTreeMap;

use crate::workload::Workload;

/// What a trace's names of GPU types stand for: catalogue ids, alternatives separated by `|`; nothing = any type.
pub type TypeNames = BTreeMap<String, String>;

/// A trace's request under the names of `names`; alternatives are separated by `|`. Empty where any type will do: when one of the
/// alternatives stands for any, or there was no name.
#[must_use]
pub fn renamed(request: &str, names: &TypeNames) -> String {
    if let Some(known) = names.get(request) {
        return known.clone();
    }
    let mut kept: Vec<&str> = Vec::new();
    for name in request.split('|').map(str::trim).filter(|name| !name.is_empty()) {
        let known = names.get(name).map_or(name, String::as_str);
        if known.is_empty() {
            return String::new();
        }
        for id in known.split('|') {
            if !kept.contains(&id) {
                kept.push(id);
            }
        }
    }
    kept.join("|")
}

/// Renames the GPU types of a workload.
pub(super) fn rename(workload: &mut Workload, names: &TypeNames) {
    if names.is_empty() {
        return;
    }
    let mut table: Vec<String> = Vec::new();
    let mut numbers: Vec<Option<u32>> = Vec::new();
    for request in &workload.gpu_types {
        let name = renamed(request, names);
        let at = table.iter().position(|known| *known == name).unwrap_or_else(|| {
            if !name.is_empty() {
                table.push(name.clone());
            }
            table.len().saturating_sub(1)
        });
        numbers.push((!name.is_empty()).then_some(at as u32));
    }
    for job in &mut workload.jobs {
        job.gpu_type = job.gpu_type.and_then(|kind| numbers.get(kind as usize).copied().flatten());
    }
    workload.gpu_types = table;
}
