//! What bars are coloured by. Every colour has a name in the legend and in the read-out, and past the seventh hue also a pattern.

use super::schedule::{Fate, NEVER, Schedule};
use crate::chart::palette::{TenantPattern, tenant_fill};

/// What bars are coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// The job's tenant.
    #[default]
    Tenant,
    /// The job's class: its profile and the GPUs it asked for.
    Class,
    /// How long the job waited in all.
    Wait,
    /// How much sooner or later the job ended than under the other policy.
    Change,
}

/// How bars of one category are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// The custom property of the colour, without dashes.
    pub token: &'static str,
    /// How much of it, in per cent; the rest is the surface.
    pub percent: u8,
    /// Whether the surface shows through in stripes.
    pub pattern: TenantPattern,
}

/// A category of bars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// How they are filled.
    pub fill: Fill,
    /// What they have in common.
    pub label: String,
}

/// Tenants and classes have so many fills.
const FILLS: u32 = 14;
/// The category of bars that are not among those looked at.
pub const DIMMED: u8 = 14;

/// Waits of up to so many seconds, and their names.
const WAITS: [(f64, &str); 5] = [
    (60.0, "waited up to 1 min"),
    (600.0, "up to 10 min"),
    (3_600.0, "up to 1 h"),
    (21_600.0, "up to 6 h"),
    (86_400.0, "up to 1 d"),
];
const LONGEST_WAIT: &str = "longer";

/// Changes of less than a minute count as none; the others are told apart at an hour and at six.
const STEPS_S: [f64; 3] = [60.0, 3_600.0, 21_600.0];
const CHANGES: [&str; 8] = [
    "ends more than 6 h sooner",
    "1 to 6 h sooner",
    "up to 1 h sooner",
    "within a minute",
    "up to 1 h later",
    "1 to 6 h later",
    "more than 6 h later",
    "ends under one policy only",
];

/// How much later a job ends here than in another schedule of the same jobs, in seconds; `None` unless it ends in both.
#[must_use]
pub fn change_s(here: &Schedule, other: &Schedule, job: u32) -> Option<f64> {
    let end_s = |of: &Schedule| {
        of.job(job)
            .filter(|job| job.end != NEVER && job.fate != Fate::Unfinished)
            .map(|job| of.seconds(f64::from(job.end)))
    };
    Some(end_s(here)? - end_s(other)?)
}

/// The category of a job.
#[must_use]
pub fn category(schedule: &Schedule, other: Option<&Schedule>, colouring: Colouring, number: u32) -> u8 {
    // One column is read, and not the whole job: there may be a million.
    let of = |column: &[u32]| column.get(number as usize).copied().unwrap_or(0);
    match colouring {
        Colouring::Tenant => (of(&schedule.job_tenants) % FILLS) as u8,
        Colouring::Class => (of(&schedule.job_classes) % FILLS) as u8,
        Colouring::Wait => wait_category(schedule.seconds(f64::from(of(&schedule.job_waits)))),
        Colouring::Change => {
            let change = other.and_then(|other| change_s(schedule, other, number));
            change.map_or(CHANGES.len() as u8 - 1, change_category)
        }
    }
}

fn wait_category(waited_s: f64) -> u8 {
    WAITS.iter().take_while(|(most_s, _)| waited_s > *most_s).count() as u8
}

fn change_category(change_s: f64) -> u8 {
    let size = STEPS_S.iter().take_while(|step| change_s.abs() >= **step).count() as u8;
    if change_s < 0.0 { 3 - size } else { 3 + size }
}

/// Every category, in order; those that tenants or classes share have all of their names.
#[must_use]
pub fn categories(schedule: &Schedule, colouring: Colouring) -> Vec<Category> {
    let plain = |token, percent| Fill { token, percent, pattern: TenantPattern::Solid };
    let named = |fill: Fill, label: &str| Category { fill, label: label.to_owned() };
    match colouring {
        Colouring::Tenant => of_names(schedule.tenants()),
        Colouring::Class => of_names(schedule.classes()),
        Colouring::Wait => {
            let labels = WAITS.iter().map(|(_, label)| *label).chain([LONGEST_WAIT]);
            labels
                .zip([22, 36, 50, 66, 82, 100])
                .map(|(label, percent)| named(plain("p0", percent), label))
                .collect()
        }
        Colouring::Change => {
            let later = |percent| Fill { token: "bad", percent, pattern: TenantPattern::Hatched };
            let fills = [
                plain("accent", 100),
                plain("accent", 66),
                plain("accent", 36),
                plain("axis", 70),
                later(45),
                later(72),
                later(100),
                plain("text-3", 100),
            ];
            CHANGES.iter().zip(fills).map(|(label, fill)| named(fill, label)).collect()
        }
    }
}

/// One category a name, as long as there are fills.
fn of_names(names: &super::schedule::Texts) -> Vec<Category> {
    let fills = (names.len() as u32).min(FILLS);
    let category = |index: u32| {
        let fill = tenant_fill(index as usize);
        let sharing = (index as usize..names.len()).step_by(FILLS as usize);
        let label = sharing.map(|index| names.get(index)).collect::<Vec<_>>().join(", ");
        Category { fill: Fill { token: fill.class, percent: 100, pattern: fill.pattern }, label }
    };
    (0..fills).map(category).collect()
}

/// Bars in a block, over which colours are summed up in advance.
pub(super) const BLOCK: usize = 8;

/// A colour.
pub type Rgb = [u8; 3];

/// The colours of all bars of a schedule under one colouring, and those of its blocks.
#[derive(Debug, Clone, Default)]
pub struct Shades {
    /// By bar.
    pub(super) categories: Vec<u8>,
    /// Where the blocks of each lane begin.
    pub(super) lane_blocks: Vec<u32>,
    /// Ticks that the bars of each block last.
    pub(super) busy: Vec<u32>,
    /// Their mean colour, weighted by how long they last.
    pub(super) means: Vec<Rgb>,
    /// The colour of each category, and last that of [`DIMMED`].
    pub(super) colours: Vec<Rgb>,
}

impl Shades {
    /// The colours of bars whose jobs have these categories: `of_job` by job, `colours` by category, with that of [`DIMMED`] last.
    #[must_use]
    pub fn new(schedule: &Schedule, of_job: &[u8], colours: Vec<Rgb>) -> Self {
        let categories = schedule
            .bar_leases
            .iter()
            .map(|&lease| {
                let job = schedule.lease_jobs.get(lease as usize).copied().unwrap_or(0);
                of_job.get(job as usize).copied().unwrap_or(0)
            })
            .collect();
        let mut shades = Self { categories, ..Self::default() };
        shades.recolour(schedule, colours);
        shades
    }

    /// The same categories in other colours.
    pub fn recolour(&mut self, schedule: &Schedule, colours: Vec<Rgb>) {
        self.colours = colours;
        self.lane_blocks.clear();
        self.busy.clear();
        self.means.clear();
        let blocks =
            (0..schedule.lanes().len() as u32).map(|lane| schedule.lane(lane).len().div_ceil(BLOCK)).sum();
        self.busy.reserve_exact(blocks);
        self.means.reserve_exact(blocks);
        for lane in 0..schedule.lanes().len() as u32 {
            self.lane_blocks.push(self.busy.len() as u32);
            let bars = schedule.lane(lane);
            for from in bars.clone().step_by(BLOCK) {
                let to = (from + BLOCK).min(bars.end);
                let (busy, mean) = self.sum(schedule, from, to);
                self.busy.push(busy);
                self.means.push(mean);
            }
        }
    }

    fn sum(&self, schedule: &Schedule, from: usize, to: usize) -> (u32, Rgb) {
        let mut sums = [0_u64; 3];
        let mut busy = 0_u64;
        for bar in from..to {
            let length = u64::from(schedule.ends[bar] - schedule.starts[bar]);
            let colour = self.colour(self.categories[bar]);
            busy += length;
            for (sum, part) in sums.iter_mut().zip(colour) {
                *sum += length * u64::from(part);
            }
        }
        (busy as u32, sums.map(|sum| (sum / busy.max(1)) as u8))
    }

    /// The colour of a category.
    #[must_use]
    pub fn colour(&self, category: u8) -> Rgb {
        let last = self.colours.last().copied().unwrap_or_default();
        if category == DIMMED {
            last
        } else {
            self.colours.get(usize::from(category)).copied().unwrap_or(last)
        }
    }

    /// Bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.categories.capacity()
            + 4 * (self.lane_blocks.capacity() + self.busy.capacity())
            + 3 * (self.means.capacity() + self.colours.capacity())
    }

    /// The category of a bar.
    #[must_use]
    pub fn category(&self, bar: u32) -> u8 {
        self.categories.get(bar as usize).copied().unwrap_or(0)
    }
}
