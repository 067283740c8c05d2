//! The instance file of `sts solve`: GPU types, tenants with their jobs, optional quotas.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::cluster::{MAX_DEVICES, SliceMemory};

/// One allocation problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instance {
    /// The GPU types.
    pub types: Vec<InstanceType>,
    /// The tenants.
    pub tenants: Vec<InstanceTenant>,
    /// Slots each tenant is entitled to, by tenant and type; what is not named is zero. Left out: the first round of the
    /// temporal layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quotas: Option<BTreeMap<String, BTreeMap<String, u32>>>,
    /// The optimum under `sts-fairness`, where a benchmark instance states it. Carried along; solving does not look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimal: Option<f64>,
    /// Each tenant's floor, where a benchmark instance states them. Carried along like `optimal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floors: Option<BTreeMap<String, f64>>,
}

/// One GPU type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceType {
    /// Its name.
    pub name: String,
    /// How many devices there are.
    pub devices: u32,
    /// Slots on each.
    pub slots_per_device: u32,
    /// What may be combined on one device.
    pub layout: InstanceLayout,
}

/// What may be combined on the devices of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InstanceLayout {
    /// Any sizes; only their sum is constrained.
    Uniform,
    /// The instances of A100-class GPUs, exactly as they pack; that the slices of one job need distinct devices is left to the
    /// placement.
    MigA100,
    /// The instances of the A30, likewise.
    MigA30,
}

/// One tenant. It has `jobs` (each takes one option or idles) or `rates` (a divisible problem), never both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceTenant {
    /// Its name.
    pub name: String,
    /// Its weight; zero means no quota.
    #[serde(default = "one")]
    pub weight: f64,
    /// Its jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<InstanceJob>>,
    /// Its rate on one device of each type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<BTreeMap<String, f64>>,
    /// The most its shares may sum to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_total_share: Option<f64>,
}

/// One job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceJob {
    /// Its name, unique within its tenant.
    pub name: String,
    /// The ways to run it.
    pub options: Vec<InstanceOption>,
    /// Seconds left at rate 1, which objectives other than the plain sum of rates need.
    #[serde(default)]
    pub remaining_s: Option<f64>,
    /// What it holds now.
    #[serde(default)]
    pub previous: Option<InstancePrevious>,
}

/// One way to run a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceOption {
    /// The GPU type.
    #[serde(rename = "type")]
    pub gpu: String,
    /// Slots on each device.
    pub slots: u32,
    /// Memory of the slices: `double` for the double-memory 1g of `mig-a100`.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub memory: SliceMemory,
    /// Devices.
    #[serde(default = "one_device")]
    pub devices: u32,
    /// The rate.
    pub rate: f64,
}

/// What a job holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstancePrevious {
    /// The GPU type.
    #[serde(rename = "type")]
    pub gpu: String,
    /// Slots on each device.
    pub slots: u32,
    /// Memory of the slices.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub memory: SliceMemory,
    /// Devices.
    #[serde(default = "one_device")]
    pub devices: u32,
}

fn one() -> f64 {
    1.0
}

fn is_plain(memory: &SliceMemory) -> bool {
    *memory == SliceMemory::Plain
}

fn one_device() -> u32 {
    1
}

/// What is wrong with an instance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstanceError {
    /// It is not JSON, or has a key or a kind of value that does not belong there.
    #[error("{path}: {message}")]
    Json {
        /// The JSON path.
        path: String,
        /// What was found, what was expected, line and column.
        message: String,
    },
    /// A value that cannot be.
    #[error("{path}: found {found}, expected {expected}")]
    Value {
        /// The JSON path.
        path: String,
        /// What was found.
        found: String,
        /// What is allowed, or what to do.
        expected: String,
    },
}

impl InstanceError {
    /// A wrong value at `path`.
    pub(super) fn value(path: String, found: impl Display, expected: impl Into<String>) -> Self {
        Self::Value { path, found: found.to_string(), expected: expected.into() }
    }
}

/// The largest weight and the largest rate.
const MAX_NUMBER: f64 = 1e6;

/// The most slots on a device.
const MAX_SLOTS: u32 = 255;

impl Instance {
    /// Whether it is a divisible problem: a tenant has rates.
    #[must_use]
    pub fn is_divisible(&self) -> bool {
        self.tenants.iter().any(|tenant| tenant.rates.is_some())
    }

    /// Reads an instance and checks it.
    ///
    /// # Errors
    /// [`InstanceError`] with the JSON path of the first thing that is wrong.
    pub fn from_json(text: &str) -> Result<Self, InstanceError> {
        let json = &mut serde_json::Deserializer::from_str(text);
        let instance: Self = serde_path_to_error::deserialize(&mut *json).map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { "the instance".to_string() } else { path };
            InstanceError::Json { path, message: error.into_inner().to_string() }
        })?;
        json.end().map_err(|error| InstanceError::Json {
            path: "after the instance".to_string(),
            message: error.to_string(),
        })?;
        instance.check()?;
        Ok(instance)
    }

    /// Checks what the types of the fields do not say.
    ///
    /// # Errors
    /// [`InstanceError::Value`] with the JSON path of the first wrong value.
    pub fn check(&self) -> Result<(), InstanceError> {
        if self.types.is_empty() {
            return Err(InstanceError::value("types".to_string(), "none", "at least one GPU type"));
        }
        let devices: u64 = self.types.iter().map(|t| u64::from(t.devices)).sum();
        if devices > MAX_DEVICES {
            let path = "types".to_string();
            return Err(InstanceError::value(
                path,
                format!("{devices} devices"),
                format!("at most {MAX_DEVICES}"),
            ));
        }
        for (i, of_type) in self.types.iter().enumerate() {
            of_type.check(&format!("types[{i}]"))?;
            unique(&of_type.name, self.types[..i].iter().map(|t| &t.name), format!("types[{i}].name"))?;
        }
        for (i, tenant) in self.tenants.iter().enumerate() {
            let path = format!("tenants[{i}]");
            unique(&tenant.name, self.tenants[..i].iter().map(|t| &t.name), format!("{path}.name"))?;
            tenant.check(&path, &self.types)?;
        }
        for (tenant, quotas) in self.quotas.iter().flatten() {
            if !self.tenants.iter().any(|t| &t.name == tenant) {
                let expected = "the name of a tenant";
                return Err(InstanceError::value(format!("quotas.{tenant}"), quoted(tenant), expected));
            }
            for (gpu, &slots) in quotas {
                let path = format!("quotas.{tenant}.{gpu}");
                let of_type = find_type(&self.types, gpu, &path)?;
                let most = of_type.devices * of_type.slots_per_device;
                if slots > most {
                    return Err(InstanceError::value(
                        path,
                        slots,
                        format!("at most the {most} slots of {gpu}"),
                    ));
                }
            }
        }
        Ok(())
    }
}

impl InstanceType {
    fn check(&self, path: &str) -> Result<(), InstanceError> {
        let (least, most, expected) = match self.layout {
            InstanceLayout::Uniform => (1, MAX_SLOTS, format!("1 to {MAX_SLOTS}")),
            InstanceLayout::MigA100 => (7, 7, "7, the compute slices of an A100-class GPU".to_string()),
            InstanceLayout::MigA30 => (4, 4, "4, the slices of an A30".to_string()),
        };
        if !(least..=most).contains(&self.slots_per_device) {
            let path = format!("{path}.slots_per_device");
            return Err(InstanceError::value(path, self.slots_per_device, expected));
        }
        Ok(())
    }

    /// Whether a slice of so many slots is possible on one device.
    #[must_use]
    pub fn has_size(&self, slots: u32) -> bool {
        match self.layout {
            InstanceLayout::Uniform => (1..=self.slots_per_device).contains(&slots),
            InstanceLayout::MigA100 => [1, 2, 3, 4, 7].contains(&slots),
            InstanceLayout::MigA30 => [1, 2, 4].contains(&slots),
        }
    }

    /// The slots that slices can have, in words.
    #[must_use]
    pub fn sizes(&self) -> String {
        match self.layout {
            InstanceLayout::Uniform => format!("1 to {}", self.slots_per_device),
            InstanceLayout::MigA100 => "1, 2, 3, 4 or 7".to_string(),
            InstanceLayout::MigA30 => "1, 2 or 4".to_string(),
        }
    }
}

impl InstanceTenant {
    fn check(&self, path: &str, types: &[InstanceType]) -> Result<(), InstanceError> {
        number(format!("{path}.weight"), self.weight, 0.0, MAX_NUMBER)?;
        match (&self.jobs, &self.rates) {
            (Some(_), Some(_)) => {
                let path = path.to_string();
                return Err(InstanceError::value(path, "both jobs and rates", "one of the two"));
            }
            (None, None) => {
                return Err(InstanceError::value(
                    path.to_string(),
                    "neither jobs nor rates",
                    "one of the two",
                ));
            }
            _ => {}
        }
        for (gpu, &rate) in self.rates.iter().flatten() {
            let path = format!("{path}.rates.{gpu}");
            find_type(types, gpu, &path)?;
            number(path, rate, 0.0, MAX_NUMBER)?;
        }
        if let Some(most) = self.max_total_share {
            number(format!("{path}.max_total_share"), most, 0.0, MAX_NUMBER)?;
        }
        let jobs = self.jobs.as_deref().unwrap_or(&[]);
        for (i, job) in jobs.iter().enumerate() {
            let path = format!("{path}.jobs[{i}]");
            unique(&job.name, jobs[..i].iter().map(|job| &job.name), format!("{path}.name"))?;
            job.check(&path, types)?;
        }
        Ok(())
    }
}

impl InstanceJob {
    fn check(&self, path: &str, types: &[InstanceType]) -> Result<(), InstanceError> {
        if self.options.len() >= usize::from(u16::MAX) {
            let found = format!("{} options", self.options.len());
            return Err(InstanceError::value(format!("{path}.options"), found, "fewer than 65535"));
        }
        if let Some(remaining_s) = self.remaining_s {
            number(format!("{path}.remaining_s"), remaining_s, 0.0, 1e12)?;
        }
        for (i, option) in self.options.iter().enumerate() {
            let path = format!("{path}.options[{i}]");
            allocation(&path, types, &option.gpu, (option.slots, option.memory), option.devices)?;
            if option.rate <= 0.0 {
                let expected = "a rate above 0; leave out options that cannot run";
                return Err(InstanceError::value(format!("{path}.rate"), option.rate, expected));
            }
            number(format!("{path}.rate"), option.rate, 0.0, MAX_NUMBER)?;
        }
        if let Some(previous) = &self.previous {
            let slice = (previous.slots, previous.memory);
            allocation(&format!("{path}.previous"), types, &previous.gpu, slice, previous.devices)?;
        }
        Ok(())
    }
}

fn allocation(
    path: &str,
    types: &[InstanceType],
    gpu: &str,
    (slots, memory): (u32, SliceMemory),
    devices: u32,
) -> Result<(), InstanceError> {
    let of_type = find_type(types, gpu, &format!("{path}.type"))?;
    if !of_type.has_size(slots) {
        return Err(InstanceError::value(format!("{path}.slots"), slots, of_type.sizes()));
    }
    if memory == SliceMemory::Double && (of_type.layout != InstanceLayout::MigA100 || slots != 1) {
        let expected = "plain; only 1 slot of a mig-a100 type has double memory";
        return Err(InstanceError::value(format!("{path}.memory"), "double", expected));
    }
    if devices == 0 || u64::from(devices) > MAX_DEVICES {
        return Err(InstanceError::value(format!("{path}.devices"), devices, format!("1 to {MAX_DEVICES}")));
    }
    Ok(())
}

fn find_type<'t>(
    types: &'t [InstanceType],
    gpu: &str,
    path: &str,
) -> Result<&'t InstanceType, InstanceError> {
    types.iter().find(|t| t.name == gpu).ok_or_else(|| {
        let known = types.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ");
        InstanceError::value(path.to_string(), quoted(gpu), format!("one of the types: {known}"))
    })
}

fn unique<'n>(
    name: &str,
    mut others: impl Iterator<Item = &'n String>,
    path: String,
) -> Result<(), InstanceError> {
    if others.any(|other| other == name) {
        return Err(InstanceError::value(path, quoted(name), "a name that is not taken"));
    }
    Ok(())
}

fn number(path: String, found: f64, least: f64, most: f64) -> Result<(), InstanceError> {
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(InstanceError::value(path, found, format!("a number from {least} to {most}")))
    }
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}
