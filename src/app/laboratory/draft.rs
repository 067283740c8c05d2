//! A small instance as it is edited: types, sizes and tenants by their position, so that a name can change without losing what it
//! names.
//!
//! What an instance has as lists of options is a table here: a row a job, a column a [`Size`], a rate in every cell that is an option.

use std::collections::BTreeMap;

use crate::cluster::SliceMemory;
use crate::solve::Instance;
use crate::solve::instance::{
    InstanceJob, InstanceLayout, InstanceOption, InstancePrevious, InstanceTenant, InstanceType,
};

/// The laboratory is for instances that can be read; larger ones are for `sts solve`.
pub const MOST_TYPES: usize = 8;
/// At most as many tenants.
pub const MOST_TENANTS: usize = 14;
/// At most as many jobs in all.
pub const MOST_JOBS: usize = 42;
/// At most as many sizes.
pub const MOST_SIZES: usize = 28;
/// At most as many devices of a type.
pub const MOST_DEVICES: u32 = 1_000;

/// What the tenants have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Rates: devices are divided by time.
    Divisible,
    /// Jobs with options: slots are given whole.
    Integer,
}

impl Kind {
    /// That of an instance.
    #[must_use]
    pub fn of(instance: &Instance) -> Self {
        if instance.is_divisible() { Self::Divisible } else { Self::Integer }
    }
}

/// A small instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What the tenants have. What belongs to the other kind is kept, unused.
    pub kind: Kind,
    /// The GPU types.
    pub types: Vec<TypeRow>,
    /// The sizes that jobs can have.
    pub sizes: Vec<Size>,
    /// The tenants.
    pub tenants: Vec<TenantRow>,
    /// Slots by tenant and type; `None` = by the weights.
    pub quotas: Option<Vec<Vec<u32>>>,
}

/// A GPU type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeRow {
    /// Its name.
    pub name: String,
    /// Devices.
    pub devices: u32,
    /// Slots on each.
    pub slots: u32,
    /// What may be combined on one device.
    pub layout: InstanceLayout,
}

/// What a job may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// The position of its type.
    pub gpu: usize,
    /// Slots on each device.
    pub slots: u32,
    /// Memory of the slices.
    pub memory: SliceMemory,
    /// Devices.
    pub devices: u32,
}

/// A tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct TenantRow {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Divisible: its rate on one device of each type.
    pub rates: Vec<f64>,
    /// Divisible: the most that its shares may sum to.
    pub limit: Option<f64>,
    /// Integer: its jobs.
    pub jobs: Vec<JobRow>,
}

/// A job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its name.
    pub name: String,
    /// Seconds left at rate 1.
    pub remaining_s: Option<f64>,
    /// The size that it holds now.
    pub holds: Option<usize>,
    /// Its rate at each size; `None` where that is no option.
    pub rates: Vec<Option<f64>>,
}

impl TypeRow {
    /// Slots of all devices.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        self.devices.saturating_mul(self.slots)
    }

    fn instance(&self) -> InstanceType {
        InstanceType {
            name: self.name.clone(),
            devices: self.devices,
            slots_per_device: self.slots,
            layout: self.layout,
        }
    }

    /// Whether a slice can have so many slots.
    #[must_use]
    pub fn has_size(&self, slots: u32) -> bool {
        self.instance().has_size(slots)
    }

    /// The slots that slices can have, in words.
    #[must_use]
    pub fn sizes(&self) -> String {
        self.instance().sizes()
    }
}

impl Size {
    /// Slots in all.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.slots.saturating_mul(self.devices)
    }

    fn order(&self) -> (usize, u32, SliceMemory, u32) {
        (self.gpu, self.total(), self.memory, self.devices)
    }
}

impl Draft {
    /// An instance as a draft; what is lost of it is nothing that an answer depends on.
    ///
    /// # Errors
    /// Why it cannot be edited here.
    pub fn of(instance: &Instance) -> Result<Self, String> {
        instance.check().map_err(|error| error.to_string())?;
        let kind = Kind::of(instance);
        if kind == Kind::Divisible
            && let Some(odd) = instance.tenants.iter().find(|tenant| tenant.jobs.is_some())
        {
            return Err(format!("{} has jobs and others have rates; give all tenants the same.", odd.name));
        }
        let types: Vec<TypeRow> = instance
            .types
            .iter()
            .map(|t| TypeRow {
                name: t.name.clone(),
                devices: t.devices,
                slots: t.slots_per_device,
                layout: t.layout,
            })
            .collect();
        let position = |name: &str| types.iter().position(|of_type| of_type.name == name);
        let jobs = || instance.tenants.iter().flat_map(|tenant| tenant.jobs.iter().flatten());
        let mut sizes: Vec<Size> = Vec::new();
        for option in jobs().flat_map(|job| &job.options) {
            let size = position(&option.gpu).map(|gpu| Size {
                gpu,
                slots: option.slots,
                memory: option.memory,
                devices: option.devices,
            });
            if let Some(size) = size.filter(|size| !sizes.contains(size)) {
                let place = sizes.partition_point(|other| other.order() < size.order());
                sizes.insert(place, size);
            }
        }
        let draft = Self {
            kind,
            tenants: instance.tenants.iter().map(|tenant| TenantRow::of(tenant, &types, &sizes)).collect(),
            quotas: instance.quotas.as_ref().map(|quotas| {
                let slots = |tenant: &InstanceTenant, gpu: &str| {
                    quotas.get(&tenant.name).and_then(|own| own.get(gpu)).copied().unwrap_or(0)
                };
                let of = |tenant| types.iter().map(|t| slots(tenant, &t.name)).collect();
                instance.tenants.iter().map(of).collect()
            }),
            types,
            sizes,
        };
        draft.is_small()?;
        Ok(draft)
    }

    /// Whether it is small enough to be read.
    fn is_small(&self) -> Result<(), String> {
        let jobs = self.jobs();
        let devices = self.types.iter().map(|t| t.devices).max().unwrap_or(0) as usize;
        let parts = [
            ("GPU types", self.types.len(), MOST_TYPES),
            ("tenants", self.tenants.len(), MOST_TENANTS),
            ("jobs", jobs, MOST_JOBS),
            ("sizes of options", self.sizes.len(), MOST_SIZES),
            ("devices of one type", devices, MOST_DEVICES as usize),
        ];
        match parts.into_iter().find(|(_, found, most)| found > most) {
            Some((what, found, most)) => Err(format!(
                "It has {found} {what}; the laboratory takes at most {most}. Larger instances are for the command line: sts solve INSTANCE.json --policy NAME."
            )),
            None => Ok(()),
        }
    }

    /// The instance that it is.
    #[must_use]
    pub fn instance(&self) -> Instance {
        let quotas = self.quotas.as_ref().filter(|_| self.kind == Kind::Integer).map(|quotas| {
            let row =
                |own: &Vec<u32>| self.types.iter().map(|t| t.name.clone()).zip(own.iter().copied()).collect();
            self.tenants.iter().map(|tenant| tenant.name.clone()).zip(quotas.iter().map(row)).collect()
        });
        Instance {
            types: self.types.iter().map(TypeRow::instance).collect(),
            tenants: self.tenants.iter().map(|tenant| self.tenant(tenant)).collect(),
            quotas,
            optimal: None,
            floors: None,
        }
    }

    fn tenant(&self, tenant: &TenantRow) -> InstanceTenant {
        let divides = self.kind == Kind::Divisible;
        let rates: BTreeMap<String, f64> =
            self.types.iter().map(|t| t.name.clone()).zip(tenant.rates.iter().copied()).collect();
        InstanceTenant {
            name: tenant.name.clone(),
            weight: tenant.weight,
            jobs: (!divides).then(|| tenant.jobs.iter().map(|job| self.job(job)).collect()),
            rates: divides.then_some(rates),
            max_total_share: tenant.limit.filter(|_| divides),
        }
    }

    fn job(&self, job: &JobRow) -> InstanceJob {
        let gpu = |size: &Size| self.types.get(size.gpu).map(|t| t.name.clone()).unwrap_or_default();
        let options = self.sizes.iter().zip(&job.rates).filter_map(|(size, rate)| {
            Some(InstanceOption {
                gpu: gpu(size),
                slots: size.slots,
                memory: size.memory,
                devices: size.devices,
                rate: (*rate)?,
            })
        });
        InstanceJob {
            name: job.name.clone(),
            options: options.collect(),
            remaining_s: job.remaining_s,
            previous: job.holds.and_then(|size| self.sizes.get(size)).map(|size| InstancePrevious {
                gpu: gpu(size),
                slots: size.slots,
                memory: size.memory,
                devices: size.devices,
            }),
        }
    }

    /// A name from a stem on that is not taken.
    fn free_name(stem: &str, taken: &[&str]) -> String {
        let names = (0_u32..).map(|n| format!("{stem}{n}"));
        names.into_iter().find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
    }

    /// Whether one more of these is still small enough to be read.
    #[must_use]
    pub fn has_room_for(&self, what: Row) -> bool {
        match what {
            Row::Type => self.types.len() < MOST_TYPES,
            Row::Size => self.sizes.len() < MOST_SIZES,
            Row::Tenant => {
                let more = self.tenants.last().map_or(0, |tenant| tenant.jobs.len());
                self.tenants.len() < MOST_TENANTS && self.jobs() + more <= MOST_JOBS
            }
            Row::Job => self.jobs() < MOST_JOBS,
        }
    }

    fn jobs(&self) -> usize {
        self.tenants.iter().map(|tenant| tenant.jobs.len()).sum()
    }

    /// Adds a type of one device.
    pub fn add_type(&mut self) {
        if !self.has_room_for(Row::Type) {
            return;
        }
        let name = Self::free_name("type", &self.types.iter().map(|t| t.name.as_str()).collect::<Vec<_>>());
        self.types.push(TypeRow { name, devices: 1, slots: 1, layout: InstanceLayout::Uniform });
        for tenant in &mut self.tenants {
            tenant.rates.push(1.0);
        }
        for own in self.quotas.iter_mut().flatten() {
            own.push(0);
        }
    }

    /// Removes a type with all that names it.
    pub fn remove_type(&mut self, k: usize) {
        if k >= self.types.len() {
            return;
        }
        self.types.remove(k);
        for tenant in &mut self.tenants {
            tenant.rates.remove(k);
        }
        for own in self.quotas.iter_mut().flatten() {
            own.remove(k);
        }
        for c in (0..self.sizes.len()).rev().filter(|&c| self.sizes[c].gpu == k).collect::<Vec<_>>() {
            self.remove_size(c);
        }
        for size in self.sizes.iter_mut().filter(|size| size.gpu > k) {
            size.gpu -= 1;
        }
    }

    /// Adds a tenant like the last one.
    pub fn add_tenant(&mut self) {
        if !self.has_room_for(Row::Tenant) {
            return;
        }
        let name = Self::free_name("u", &self.tenants.iter().map(|t| t.name.as_str()).collect::<Vec<_>>());
        let tenant = match self.tenants.last() {
            Some(last) => TenantRow { name, ..last.clone() },
            None => TenantRow {
                name,
                weight: 1.0,
                rates: vec![1.0; self.types.len()],
                limit: None,
                jobs: Vec::new(),
            },
        };
        self.tenants.push(tenant);
        if let Some(quotas) = &mut self.quotas {
            quotas.push(vec![0; self.types.len()]);
        }
    }

    /// Removes a tenant.
    pub fn remove_tenant(&mut self, u: usize) {
        if u < self.tenants.len() {
            self.tenants.remove(u);
            if let Some(quotas) = &mut self.quotas {
                quotas.remove(u);
            }
        }
    }

    /// Adds a job to a tenant, with a rate at the first size.
    pub fn add_job(&mut self, u: usize) {
        let columns = self.sizes.len();
        let has_room = self.has_room_for(Row::Job);
        if let Some(tenant) = self.tenants.get_mut(u).filter(|_| has_room) {
            let name =
                Self::free_name("j", &tenant.jobs.iter().map(|job| job.name.as_str()).collect::<Vec<_>>());
            let rates = match tenant.jobs.last() {
                Some(last) => last.rates.clone(),
                None => (0..columns).map(|c| (c == 0).then_some(1.0)).collect(),
            };
            tenant.jobs.push(JobRow { name, remaining_s: None, holds: None, rates });
        }
    }

    /// Removes a job.
    pub fn remove_job(&mut self, u: usize, j: usize) {
        if let Some(tenant) = self.tenants.get_mut(u).filter(|tenant| j < tenant.jobs.len()) {
            tenant.jobs.remove(j);
        }
    }

    /// Adds a size of a type: the smallest that is not there.
    pub fn add_size(&mut self, k: usize) {
        let has_room = self.has_room_for(Row::Size);
        let Some(of_type) = self.types.get(k).filter(|_| has_room) else { return };
        let sizes = (1..=MOST_DEVICES).flat_map(|devices| {
            (1..=of_type.slots).filter(|&slots| of_type.has_size(slots)).map(move |slots| Size {
                gpu: k,
                slots,
                memory: SliceMemory::Plain,
                devices,
            })
        });
        let Some(size) = sizes.into_iter().find(|size| !self.sizes.contains(size)) else { return };
        let c = self.sizes.partition_point(|other| other.order() < size.order());
        self.sizes.insert(c, size);
        for job in self.tenants.iter_mut().flat_map(|tenant| &mut tenant.jobs) {
            job.rates.insert(c, None);
            job.holds = job.holds.map(|held| if held >= c { held + 1 } else { held });
        }
    }

    /// Removes a size with all rates at it.
    pub fn remove_size(&mut self, c: usize) {
        if c >= self.sizes.len() {
            return;
        }
        self.sizes.remove(c);
        for job in self.tenants.iter_mut().flat_map(|tenant| &mut tenant.jobs) {
            job.rates.remove(c);
            job.holds =
                job.holds.filter(|&held| held != c).map(|held| if held > c { held - 1 } else { held });
        }
    }

    /// Changes what the tenants have. Where there is nothing yet of the other kind it is made of what there is: of rates on a device
    /// a job for each type with a rate in proportion to its slots, of jobs the best rate for each device.
    pub fn set_kind(&mut self, kind: Kind) {
        if kind == self.kind {
            return;
        }
        self.kind = kind;
        match kind {
            Kind::Integer if self.tenants.iter().all(|tenant| tenant.jobs.is_empty()) => self.make_jobs(),
            Kind::Divisible
                if self.tenants.iter().all(|tenant| tenant.rates.iter().all(|rate| *rate <= 0.0)) =>
            {
                self.make_rates();
            }
            _ => {}
        }
    }

    fn make_jobs(&mut self) {
        /// Sizes made for each type.
        const MOST: u32 = 4;
        self.sizes.clear();
        for (gpu, of_type) in self.types.iter().enumerate() {
            let of = |slots, devices| Size { gpu, slots, memory: SliceMemory::Plain, devices };
            if of_type.devices > 1 && of_type.slots == 1 {
                self.sizes.extend((1..=of_type.devices.min(MOST)).map(|devices| of(1, devices)));
            } else {
                let sizes = (1..=of_type.slots).filter(|&slots| of_type.has_size(slots));
                self.sizes.extend(sizes.take(MOST as usize).map(|slots| of(slots, 1)));
            }
        }
        let types = &self.types;
        for tenant in &mut self.tenants {
            let job = |(gpu, of_type): (usize, &TypeRow)| {
                let on_device = tenant.rates.get(gpu).copied().unwrap_or(0.0);
                let rate =
                    |size: &Size| on_device * f64::from(size.total()) / f64::from(of_type.slots.max(1));
                let rates =
                    self.sizes.iter().map(|size| Some(rate(size)).filter(|r| size.gpu == gpu && *r > 0.0));
                JobRow { name: of_type.name.clone(), remaining_s: None, holds: None, rates: rates.collect() }
            };
            tenant.jobs = types.iter().enumerate().map(job).collect();
        }
    }

    fn make_rates(&mut self) {
        for tenant in &mut self.tenants {
            let rate = |(gpu, of_type): (usize, &TypeRow)| {
                let per_device =
                    tenant.jobs.iter().flat_map(|job| self.sizes.iter().zip(&job.rates)).filter_map(
                        |(size, rate)| {
                            let devices = f64::from(size.total()) / f64::from(of_type.slots.max(1));
                            Some((*rate)? / devices).filter(|_| size.gpu == gpu)
                        },
                    );
                per_device.fold(0.0, f64::max)
            };
            tenant.rates = self.types.iter().enumerate().map(rate).collect();
        }
    }

    /// Every tenant's quotas are stated, or follow from the weights.
    pub fn set_quotas(&mut self, given: Given) {
        self.quotas = match given {
            Given::ByWeight => None,
            Given::Stated => Some(self.equal_quotas()),
        };
    }

    /// Whole parts by weight, to begin with.
    fn equal_quotas(&self) -> Vec<Vec<u32>> {
        let total: f64 = self.tenants.iter().map(|tenant| tenant.weight).sum();
        let part = |tenant: &TenantRow, of_type: &TypeRow| {
            let share = if total > 0.0 { tenant.weight / total } else { 0.0 };
            libm::floor(share * f64::from(of_type.capacity()) + 1e-9) as u32
        };
        self.tenants.iter().map(|tenant| self.types.iter().map(|t| part(tenant, t)).collect()).collect()
    }
}

/// What can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// A GPU type.
    Type,
    /// A size that jobs may have.
    Size,
    /// A tenant.
    Tenant,
    /// A job.
    Job,
}

/// Whether quotas are stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// They follow from the weights.
    ByWeight,
    /// They are stated.
    Stated,
}

impl TenantRow {
    fn of(tenant: &InstanceTenant, types: &[TypeRow], sizes: &[Size]) -> Self {
        let rate = |t: &TypeRow| tenant.rates.as_ref().and_then(|rates| rates.get(&t.name)).copied();
        Self {
            name: tenant.name.clone(),
            weight: tenant.weight,
            rates: types.iter().map(|t| rate(t).unwrap_or(0.0)).collect(),
            limit: tenant.max_total_share,
            jobs: tenant.jobs.iter().flatten().map(|job| JobRow::of(job, types, sizes)).collect(),
        }
    }
}

impl JobRow {
    /// Of several options of one size only the fastest can be chosen by anything that looks at rates, and it is kept.
    fn of(job: &InstanceJob, types: &[TypeRow], sizes: &[Size]) -> Self {
        let is = |size: &Size, gpu: &str, slots, memory, devices| {
            types.get(size.gpu).is_some_and(|t| t.name == gpu)
                && (size.slots, size.memory, size.devices) == (slots, memory, devices)
        };
        let rate = |size: &Size| {
            let same = job.options.iter().filter(|o| is(size, &o.gpu, o.slots, o.memory, o.devices));
            same.map(|option| option.rate)
                .fold(None, |best: Option<f64>, rate| Some(best.map_or(rate, |b| b.max(rate))))
        };
        let holds = job.previous.as_ref().and_then(|held| {
            sizes.iter().position(|size| is(size, &held.gpu, held.slots, held.memory, held.devices))
        });
        Self {
            name: job.name.clone(),
            remaining_s: job.remaining_s,
            holds,
            rates: sizes.iter().map(rate).collect(),
        }
    }
}
