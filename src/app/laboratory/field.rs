//! The fields of the instance: what each is called, what it holds, what may be typed into it, and what is wrong across fields.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Draft, Kind, MOST_DEVICES};
use crate::app::field::{Range, shown};
use crate::app::state::Fault;
use crate::app::strings::laboratory as words;
use crate::cluster::SliceMemory;
use crate::solve::instance::InstanceLayout;

/// A field of the instance, by the positions of what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// Name of a type.
    TypeName(usize),
    /// Devices of a type.
    Devices(usize),
    /// Slots of each device of a type.
    Slots(usize),
    /// Name of a tenant.
    TenantName(usize),
    /// Weight of a tenant.
    Weight(usize),
    /// The most that a tenant's shares may sum to; may be empty.
    Limit(usize),
    /// Rate of a tenant on one device of a type.
    Rate(usize, usize),
    /// Slots on each device of a size.
    SizeSlots(usize),
    /// Devices of a size.
    SizeDevices(usize),
    /// Name of a tenant's job.
    JobName(usize, usize),
    /// Work left of a tenant's job; may be empty.
    Remaining(usize, usize),
    /// Rate of a tenant's job at a size; may be empty.
    JobRate(usize, usize, usize),
    /// Quota of a tenant on a type.
    Quota(usize, usize),
}

/// The largest weight and the largest rate, as the solver takes them.
const MOST: f64 = 1e6;

impl Field {
    /// The id of its input.
    #[must_use]
    pub fn id(self) -> String {
        match self {
            Self::TypeName(k) => format!("lab-type-{k}"),
            Self::Devices(k) => format!("lab-devices-{k}"),
            Self::Slots(k) => format!("lab-slots-{k}"),
            Self::TenantName(u) => format!("lab-tenant-{u}"),
            Self::Weight(u) => format!("lab-weight-{u}"),
            Self::Limit(u) => format!("lab-limit-{u}"),
            Self::Rate(u, k) => format!("lab-rate-{u}-{k}"),
            Self::SizeSlots(c) => format!("lab-size-slots-{c}"),
            Self::SizeDevices(c) => format!("lab-size-devices-{c}"),
            Self::JobName(u, j) => format!("lab-job-{u}-{j}"),
            Self::Remaining(u, j) => format!("lab-left-{u}-{j}"),
            Self::JobRate(u, j, c) => format!("lab-rate-{u}-{j}-{c}"),
            Self::Quota(u, k) => format!("lab-quota-{u}-{k}"),
        }
    }

    /// What a screen reader calls it.
    #[must_use]
    pub fn label(self, draft: &Draft) -> String {
        let gpu = |k: usize| draft.types.get(k).map_or("", |t| t.name.as_str());
        let tenant = |u: usize| draft.tenants.get(u).map_or("", |t| t.name.as_str());
        let job = |u: usize, j: usize| {
            draft.tenants.get(u).and_then(|t| t.jobs.get(j)).map_or("", |job| job.name.as_str())
        };
        match self {
            Self::TypeName(k) => format!("Name of GPU type {}", k + 1),
            Self::Devices(k) => format!("Devices of {}", gpu(k)),
            Self::Slots(k) => format!("Slots on each {}", gpu(k)),
            Self::TenantName(u) => format!("Name of tenant {}", u + 1),
            Self::Weight(u) => format!("Weight of {}", tenant(u)),
            Self::Limit(u) => format!("Largest share of {}, in devices; empty for none", tenant(u)),
            Self::Rate(u, k) => format!("Rate of {} on one {}", tenant(u), gpu(k)),
            Self::SizeSlots(c) => {
                format!(
                    "Size {}: slots on each {}",
                    c + 1,
                    draft.sizes.get(c).map_or("", |size| gpu(size.gpu))
                )
            }
            Self::SizeDevices(c) => {
                format!("Size {}: devices of {}", c + 1, draft.sizes.get(c).map_or("", |size| gpu(size.gpu)))
            }
            Self::JobName(u, j) => format!("Name of job {} of {}", j + 1, tenant(u)),
            Self::Remaining(u, j) => {
                format!("Seconds left of {} of {} at rate 1; empty if unknown", job(u, j), tenant(u))
            }
            Self::JobRate(u, j, c) => format!(
                "Rate of {} of {} on {}; empty if it has no such option",
                job(u, j),
                tenant(u),
                draft.sizes.get(c).map(|size| words::size(gpu(size.gpu), size)).unwrap_or_default()
            ),
            Self::Quota(u, k) => format!("Quota of {} on {}, in slots", tenant(u), gpu(k)),
        }
    }

    /// The text of the value that it has.
    #[must_use]
    pub fn text(self, draft: &Draft) -> String {
        let whole = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
        let number = |value: Option<f64>| value.map(shown).unwrap_or_default();
        match self {
            Self::TypeName(k) => draft.types.get(k).map(|t| t.name.clone()).unwrap_or_default(),
            Self::TenantName(u) => draft.tenants.get(u).map(|t| t.name.clone()).unwrap_or_default(),
            Self::JobName(u, j) => draft
                .tenants
                .get(u)
                .and_then(|t| t.jobs.get(j))
                .map(|job| job.name.clone())
                .unwrap_or_default(),
            Self::Devices(_)
            | Self::Slots(_)
            | Self::SizeSlots(_)
            | Self::SizeDevices(_)
            | Self::Quota(..) => whole(self.whole(draft)),
            Self::Weight(_) | Self::Limit(_) | Self::Rate(..) | Self::Remaining(..) | Self::JobRate(..) => {
                number(self.number(draft))
            }
        }
    }

    fn whole(self, draft: &Draft) -> Option<u32> {
        match self {
            Self::Devices(k) => draft.types.get(k).map(|t| t.devices),
            Self::Slots(k) => draft.types.get(k).map(|t| t.slots),
            Self::SizeSlots(c) => draft.sizes.get(c).map(|size| size.slots),
            Self::SizeDevices(c) => draft.sizes.get(c).map(|size| size.devices),
            Self::Quota(u, k) => draft.quotas.as_ref().and_then(|quotas| quotas.get(u)?.get(k).copied()),
            _ => None,
        }
    }

    fn number(self, draft: &Draft) -> Option<f64> {
        let tenant = |u: usize| draft.tenants.get(u);
        match self {
            Self::Weight(u) => tenant(u).map(|t| t.weight),
            Self::Limit(u) => tenant(u).and_then(|t| t.limit),
            Self::Rate(u, k) => tenant(u).and_then(|t| t.rates.get(k).copied()),
            Self::Remaining(u, j) => tenant(u).and_then(|t| t.jobs.get(j)).and_then(|job| job.remaining_s),
            Self::JobRate(u, j, c) => {
                tenant(u).and_then(|t| t.jobs.get(j)).and_then(|job| job.rates.get(c).copied().flatten())
            }
            _ => None,
        }
    }

    /// Puts what was typed into the draft.
    ///
    /// # Errors
    /// What is expected; the draft keeps what it had.
    pub fn enter(self, draft: &mut Draft, text: &str) -> Result<(), String> {
        match self {
            Self::TypeName(_) | Self::TenantName(_) | Self::JobName(..) => self.enter_name(draft, text),
            Self::Devices(_)
            | Self::Slots(_)
            | Self::SizeSlots(_)
            | Self::SizeDevices(_)
            | Self::Quota(..) => {
                let used = self.whole(draft).unwrap_or(0);
                let value = self.range(draft).parse(text, "", f64::from(used))? as u32;
                self.set_whole(draft, value);
                Ok(())
            }
            Self::Weight(_) | Self::Rate(..) => {
                let used = self.number(draft).unwrap_or(0.0);
                let value = self.range(draft).parse(text, "", used)?;
                self.set_number(draft, Some(value));
                Ok(())
            }
            Self::Limit(_) | Self::Remaining(..) | Self::JobRate(..) => {
                let value = self.range(draft).parse_optional(text, "", self.number(draft))?;
                if matches!(self, Self::JobRate(..)) && value.is_some_and(|rate| rate <= 0.0) {
                    return Err(words::NO_ZERO_RATE.to_owned());
                }
                self.set_number(draft, value);
                Ok(())
            }
        }
    }

    fn range(self, draft: &Draft) -> Range {
        match self {
            Self::Devices(_) => Range::whole(0.0, f64::from(MOST_DEVICES)),
            Self::SizeDevices(_) => Range::whole(1.0, f64::from(MOST_DEVICES)),
            Self::Slots(_) | Self::SizeSlots(_) => Range::whole(1.0, 255.0),
            Self::Quota(_, k) => {
                Range::whole(0.0, draft.types.get(k).map_or(0.0, |t| f64::from(t.capacity())))
            }
            Self::Remaining(..) => Range::any(0.0, 1e12),
            _ => Range::any(0.0, MOST),
        }
    }

    fn enter_name(self, draft: &mut Draft, text: &str) -> Result<(), String> {
        const MOST_CHARACTERS: usize = 40;
        let text = text.trim();
        if text.is_empty() || text.chars().count() > MOST_CHARACTERS {
            return Err(words::name_expected(MOST_CHARACTERS, &self.text(draft)));
        }
        let name = match self {
            Self::TypeName(k) => draft.types.get_mut(k).map(|t| &mut t.name),
            Self::TenantName(u) => draft.tenants.get_mut(u).map(|t| &mut t.name),
            Self::JobName(u, j) => {
                draft.tenants.get_mut(u).and_then(|t| t.jobs.get_mut(j)).map(|job| &mut job.name)
            }
            _ => None,
        };
        if let Some(name) = name {
            text.clone_into(name);
        }
        Ok(())
    }

    fn set_whole(self, draft: &mut Draft, value: u32) {
        let place = match self {
            Self::Devices(k) => draft.types.get_mut(k).map(|t| &mut t.devices),
            Self::Slots(k) => draft.types.get_mut(k).map(|t| &mut t.slots),
            Self::SizeSlots(c) => draft.sizes.get_mut(c).map(|size| &mut size.slots),
            Self::SizeDevices(c) => draft.sizes.get_mut(c).map(|size| &mut size.devices),
            Self::Quota(u, k) => draft.quotas.as_mut().and_then(|quotas| quotas.get_mut(u)?.get_mut(k)),
            _ => None,
        };
        if let Some(place) = place {
            *place = value;
        }
    }

    fn set_number(self, draft: &mut Draft, value: Option<f64>) {
        let (u, of_tenant) = match self {
            Self::Weight(u)
            | Self::Limit(u)
            | Self::Rate(u, _)
            | Self::Remaining(u, _)
            | Self::JobRate(u, ..) => (u, draft.tenants.get_mut(u)),
            _ => return,
        };
        debug_assert!(of_tenant.is_some(), "there is no tenant {u}");
        let Some(tenant) = of_tenant else { return };
        match self {
            Self::Weight(_) => tenant.weight = value.unwrap_or(tenant.weight),
            Self::Limit(_) => tenant.limit = value,
            Self::Rate(_, k) => {
                if let Some(rate) = tenant.rates.get_mut(k) {
                    *rate = value.unwrap_or(*rate);
                }
            }
            Self::Remaining(_, j) => {
                if let Some(job) = tenant.jobs.get_mut(j) {
                    job.remaining_s = value;
                }
            }
            Self::JobRate(_, j, c) => {
                if let Some(rate) = tenant.jobs.get_mut(j).and_then(|job| job.rates.get_mut(c)) {
                    *rate = value;
                }
            }
            _ => {}
        }
    }
}

/// What is wrong across the fields of a draft, each beside the field to be changed. Such a draft has no answers.
#[must_use]
pub fn faults(draft: &Draft) -> BTreeMap<Field, Fault> {
    let mut faults = BTreeMap::new();
    let mut note = |field: Field, message: String| {
        faults.entry(field).or_insert_with(|| Fault { text: field.text(draft), message });
    };
    let mut names = BTreeSet::new();
    for (k, of_type) in draft.types.iter().enumerate() {
        if !names.insert(&of_type.name) {
            note(Field::TypeName(k), words::name_taken(&of_type.name));
        }
    }
    let mut names = BTreeSet::new();
    for (u, tenant) in draft.tenants.iter().enumerate() {
        if !names.insert(&tenant.name) {
            note(Field::TenantName(u), words::name_taken(&tenant.name));
        }
    }
    if draft.kind == Kind::Divisible {
        return faults;
    }
    for (u, tenant) in draft.tenants.iter().enumerate() {
        let mut names = BTreeSet::new();
        for (j, job) in tenant.jobs.iter().enumerate() {
            if !names.insert(&job.name) {
                note(Field::JobName(u, j), words::name_taken(&job.name));
            }
        }
    }
    for (c, size) in draft.sizes.iter().enumerate() {
        let Some(of_type) = draft.types.get(size.gpu) else { continue };
        if !of_type.has_size(size.slots) {
            note(Field::SizeSlots(c), words::no_such_slice(&of_type.name, &of_type.sizes()));
        } else if size.memory == SliceMemory::Double
            && (of_type.layout != InstanceLayout::MigA100 || size.slots != 1)
        {
            note(Field::SizeSlots(c), words::NO_DOUBLE_MEMORY.to_owned());
        } else if draft.sizes.iter().take(c).any(|other| other == size) {
            note(Field::SizeSlots(c), words::SIZE_TAKEN.to_owned());
        }
    }
    for (u, own) in draft.quotas.iter().flatten().enumerate() {
        for (k, &slots) in own.iter().enumerate() {
            let Some(of_type) = draft.types.get(k) else { continue };
            if slots > of_type.capacity() {
                note(Field::Quota(u, k), words::quota_too_large(&of_type.name, of_type.capacity()));
            }
        }
    }
    faults
}
