//! The program as the solver sees it: exact preprocessing.
//!
//! * Options that cannot run, and options that another option on the same type beats with no more of any resource, are
//!   dropped. Idling becomes an ordinary option that takes nothing and is worth nothing.
//! * Jobs with the same option list and weight form a *class*; the jobs of one tenant in one class form a *group*, whose
//!   members are interchangeable.
//! * The objective is scaled to `scale * objective + bonus`. The scale is the fixed point in which multipliers are
//!   integers, and at the same time leaves room for the tie rule: the bonus of a whole choice (jobs that keep their option,
//!   then fewer slots) is always smaller than one unit of the objective, so the scaled optimum is an optimum, and among the
//!   optima the one that the tie rule wants.
//!
//! **Widths.** The gain of an option is `weight * scale * value + bonus`. The scale is chosen so that
//! `weight * scale * value <= 2^57`: with values of 31 bits and weights of 1 that leaves 26 bits, enough for the whole tie
//! rule at 5,000 jobs on 11,000 slots. Gains are summed and priced in `i128`; only *regrets* and budgets live in `i64`,
//! saturated at [`UNREACHABLE`](super::UNREACHABLE) `= 2^61`, 16 times the greatest gain: an optimum loses a fraction of
//! one gain per resource and floor. Wider inputs stay correct: the budget then cannot be raised to where a solution is
//! proven, and the answer says so.

use std::ops::Range;

use super::Ties;
use super::search::Incumbent;
use crate::policy::sts::program::{Program, ProgramJob, ProgramOption, Usage};
use crate::units;

/// An option of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// What it takes, as an index into [`Model::usages`].
    pub(super) usage: u32,
    /// Its index in the job's own list; idling has none.
    pub(super) original: Option<u16>,
    /// What it is worth.
    pub(super) value: i64,
    /// Its part of the tie rule.
    pub(super) bonus: i64,
}

/// Jobs with the same options and weight.
#[derive(Debug, Clone)]
pub(super) struct Class {
    /// Its options in [`Model::choices`]; the last one idles.
    pub(super) choices: Range<u32>,
    /// Weight of its tenants, divided by the weights' common divisor.
    pub(super) weight: i64,
}

/// Interchangeable jobs of one tenant.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The tenant.
    pub(super) tenant: u32,
    /// The class.
    pub(super) class: u32,
    /// Its jobs in [`Model::members`].
    pub(super) members: Range<u32>,
    /// Where its options start in lists that hold one entry per group and option.
    pub(super) first: u32,
}

impl Group {
    /// How many jobs it has.
    pub(super) fn len(&self) -> u32 {
        self.members.end - self.members.start
    }
}

/// One tenant.
#[derive(Debug, Clone)]
pub(super) struct Tenant {
    /// Its floor, 0 if it has none.
    pub(super) floor: i64,
    /// Weight, divided by the weights' common divisor.
    pub(super) weight: i64,
    /// Its groups.
    pub(super) groups: Range<u32>,
}

/// The preprocessed program.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) capacity: Vec<u32>,
    pub(super) usages: Vec<Usage>,
    pub(super) choices: Vec<Choice>,
    pub(super) classes: Vec<Class>,
    pub(super) groups: Vec<Group>,
    pub(super) members: Vec<u32>,
    pub(super) tenants: Vec<Tenant>,
    /// Entries in lists that hold one entry per group and option.
    pub(super) entries: usize,
    /// The unit of the objective; see the module.
    pub(super) scale: i64,
    /// Common divisor of the weights, by which the program's own objective is greater.
    pub(super) weight_unit: i64,
    /// Most that the bonuses of a feasible choice can take away.
    pub(super) greatest_malus: i64,
    /// Every reachable gain is a multiple of this.
    pub(super) step: i64,
    /// Greatest `weight * value`, at least 1.
    pub(super) greatest_gain: i64,
    /// Greatest value, at least 1.
    pub(super) greatest_value: i64,
    /// The part of the tie rule that the widths have room for.
    pub(super) ties: TieLevel,
    scratch: Scratch,
}

/// How much of the tie rule is built into the gains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TieLevel {
    /// None: any optimum.
    #[default]
    Any,
    /// Among the optima, one in which most jobs keep their option.
    Kept,
    /// Among those, one that takes the fewest slots.
    KeptAndSlots,
}

#[derive(Debug, Default)]
struct Scratch {
    class_of_job: Vec<u32>,
    representative: Vec<u32>,
    heads: Vec<u32>,
    group_of_class: Vec<u32>,
    group_of_job: Vec<u32>,
    hashes: Vec<u64>,
}

/// Bits of the greatest gain.
const GAIN_BITS: u32 = 57;
/// Bits of the fixed point when nothing asks for more.
const SCALE_BITS: u32 = 20;

impl Model {
    /// Reads a program. Buffers are reused.
    #[inline(never)]
    pub(super) fn read(&mut self, program: &Program, ties: Ties) {
        self.capacity.clone_from(&program.capacity);
        self.weight_unit = program.tenants.iter().fold(0, |g, t| gcd(g, t.weight)).max(1);
        self.find_classes(program, ties);
        self.find_groups(program);
        self.scale_gains(program, ties);
        self.fill_choices(program);
        self.entries = 0;
        let mut step = 0;
        for group in &mut self.groups {
            let choices = &self.classes[group.class as usize].choices;
            group.first = self.entries as u32;
            self.entries += choices.len();
        }
        for class in &self.classes {
            for c in &self.choices[class.choices.start as usize..class.choices.end as usize] {
                // A wrapped product only happens outside the stated widths; a step of 1 is right for every input.
                let gain = class.weight.checked_mul(self.scale).and_then(|w| w.checked_mul(c.value));
                step = gain.map_or(1, |gain| gcd(step, gain + c.bonus));
            }
        }
        self.step = step.max(1);
    }

    /// The options of a group.
    #[inline]
    pub(super) fn choices_of(&self, group: &Group) -> &[Choice] {
        let range = &self.classes[group.class as usize].choices;
        &self.choices[range.start as usize..range.end as usize]
    }

    /// Adds `times` times an option's usage to a total.
    #[inline]
    pub(super) fn add_usage(&self, usage: u32, times: i64, total: &mut [i64]) {
        let usage = &self.usages[usage as usize];
        for i in 0..usize::from(usage.len) {
            total[usize::from(usage.first) + i] += times * i64::from(usage.amounts[i]);
        }
    }

    /// The scaled gain of a choice given as how many jobs of each group take each option.
    pub(super) fn gain(&self, counts: &[u32]) -> i128 {
        let mut total = 0;
        for group in &self.groups {
            let weight = i128::from(self.tenants[group.tenant as usize].weight) * i128::from(self.scale);
            for (c, &n) in self.choices_of(group).iter().zip(&counts[group.first as usize..]) {
                if n > 0 {
                    total += i128::from(n) * (weight * i128::from(c.value) + i128::from(c.bonus));
                }
            }
        }
        total
    }

    /// The value of every tenant, from the same counts.
    pub(super) fn values(&self, counts: &[u32], values: &mut Vec<i64>) {
        values.clear();
        values.resize(self.tenants.len(), 0);
        for group in &self.groups {
            for (c, &n) in self.choices_of(group).iter().zip(&counts[group.first as usize..]) {
                values[group.tenant as usize] += i64::from(n) * c.value;
            }
        }
    }

    /// What such a choice takes of every resource.
    pub(super) fn used(&self, counts: &[u32], used: &mut Vec<i64>) {
        used.clear();
        used.resize(self.capacity.len(), 0);
        for group in &self.groups {
            for (c, &n) in self.choices_of(group).iter().zip(&counts[group.first as usize..]) {
                if n > 0 {
                    self.add_usage(c.usage, i64::from(n), used);
                }
            }
        }
    }

    /// A choice of the program as counts. An option that was dropped becomes one that is no worse.
    pub(super) fn recognise(&self, program: &Program, choice: &[Option<u16>]) -> Option<Incumbent> {
        let mut counts = vec![0; self.entries];
        for group in &self.groups {
            let choices = self.choices_of(group);
            for &j in &self.members[group.members.start as usize..group.members.end as usize] {
                let original = choice.get(j as usize).copied()?;
                let same = choices.iter().position(|c| c.original == original);
                let o = match (same, original) {
                    (Some(o), _) => o,
                    (None, None) => return None,
                    (None, Some(o)) => {
                        let old = program.jobs.get(j as usize)?.options.get(usize::from(o))?;
                        choices.iter().position(|c| {
                            let usage = &self.usages[c.usage as usize];
                            c.value >= old.value && within(usage, &old.usage)
                        })?
                    }
                };
                counts[group.first as usize + o] += 1;
            }
        }
        let gain = self.gain(&counts);
        Some(Incumbent { counts, gain, method: "known" })
    }

    /// Says which option each job takes: of interchangeable jobs those that hold an option already keep it as far as the
    /// counts allow, the others take what is left in order.
    #[inline(never)]
    pub(super) fn hand_out(&self, program: &Program, counts: &[u32]) -> Vec<Option<u16>> {
        let mut choice = vec![None; program.jobs.len()];
        let mut rest = Vec::new();
        for group in &self.groups {
            let choices = self.choices_of(group);
            let members = &self.members[group.members.start as usize..group.members.end as usize];
            rest.clear();
            rest.extend_from_slice(&counts[group.first as usize..group.first as usize + choices.len()]);
            if let [only] = members {
                let o = rest.iter().position(|&n| n > 0).unwrap_or(choices.len() - 1);
                choice[*only as usize] = choices[o].original;
                continue;
            }
            let kept = |j: u32| {
                let options = &program.jobs[j as usize].options;
                let keeps = |c: &Choice| c.original.is_some_and(|o| options[usize::from(o)].keeps);
                choices.iter().position(keeps)
            };
            let mut waiting = Vec::new();
            for &j in members {
                match kept(j).filter(|&o| rest[o] > 0) {
                    Some(o) => {
                        rest[o] -= 1;
                        choice[j as usize] = choices[o].original;
                    }
                    None => waiting.push(j),
                }
            }
            let mut o = 0;
            for j in waiting {
                while rest[o] == 0 {
                    o += 1;
                }
                rest[o] -= 1;
                choice[j as usize] = choices[o].original;
            }
        }
        choice
    }

    /// Finds jobs with equal option lists: `class_of_job`, and for every class its first job.
    #[inline(never)]
    fn find_classes(&mut self, program: &Program, ties: Ties) {
        let s = &mut self.scratch;
        s.class_of_job.clear();
        s.representative.clear();
        s.hashes.clear();
        let bits = usize::BITS - (program.jobs.len().max(128) * 2).leading_zeros();
        s.heads.clear();
        s.heads.resize(1 << bits, 0);
        let shift = u64::BITS - bits;
        let mask = (s.heads.len() - 1) as u64;
        for (j, job) in program.jobs.iter().enumerate() {
            let weight = program.tenants[job.tenant as usize].weight;
            let hash = hash_job(job, weight, ties);
            let mut at = hash >> shift;
            let class = loop {
                let head = s.heads[at as usize];
                if head == 0 {
                    s.representative.push(j as u32);
                    s.hashes.push(hash);
                    s.heads[at as usize] = s.representative.len() as u32;
                    break s.representative.len() as u32 - 1;
                }
                let class = head - 1;
                if s.hashes[class as usize] == hash {
                    let other = &program.jobs[s.representative[class as usize] as usize];
                    if weight == program.tenants[other.tenant as usize].weight
                        && same_options(&job.options, &other.options, ties)
                    {
                        break class;
                    }
                }
                at = (at + 1) & mask;
            };
            s.class_of_job.push(class);
        }
    }

    /// Groups the jobs by (tenant, class), in order of tenant and first job.
    #[inline(never)]
    fn find_groups(&mut self, program: &Program) {
        let s = &mut self.scratch;
        let unit = self.weight_unit;
        self.groups.clear();
        self.tenants.clear();
        self.tenants.extend(program.tenants.iter().map(|t| Tenant {
            floor: t.floor.max(0),
            weight: t.weight / unit,
            groups: 0..0,
        }));
        // Jobs come ordered by tenant; a list in another order only has its groups sorted afterwards.
        s.group_of_class.clear();
        s.group_of_class.resize(s.representative.len(), u32::MAX);
        s.group_of_job.clear();
        for (job, &class) in program.jobs.iter().zip(&s.class_of_job) {
            let last = &mut s.group_of_class[class as usize];
            if *last == u32::MAX || self.groups[*last as usize].tenant != job.tenant {
                *last = self.groups.len() as u32;
                self.groups.push(Group { tenant: job.tenant, class, members: 0..0, first: 0 });
            }
            let group = *last;
            self.groups[group as usize].members.end += 1;
            s.group_of_job.push(group);
        }
        let mut rank: Vec<u32> = Vec::new();
        if !self.groups.is_sorted_by_key(|g| g.tenant) {
            let mut order: Vec<u32> = (0..self.groups.len() as u32).collect();
            order.sort_by_key(|&g| self.groups[g as usize].tenant);
            rank = vec![0; order.len()];
            for (to, &from) in order.iter().enumerate() {
                rank[from as usize] = to as u32;
            }
            self.groups = order.iter().map(|&g| self.groups[g as usize].clone()).collect();
        }
        let mut at = 0;
        for (g, group) in self.groups.iter_mut().enumerate() {
            let len = group.members.end;
            group.members = at..at;
            at += len;
            let groups = &mut self.tenants[group.tenant as usize].groups;
            if groups.start == groups.end {
                groups.start = g as u32;
            }
            groups.end = g as u32 + 1;
        }
        self.members.clear();
        self.members.resize(program.jobs.len(), 0);
        for (j, &group) in s.group_of_job.iter().enumerate() {
            let group = rank.get(group as usize).copied().unwrap_or(group);
            let members = &mut self.groups[group as usize].members;
            self.members[members.end as usize] = j as u32;
            members.end += 1;
        }
    }

    /// Chooses the scale and how much of the tie rule fits.
    #[inline(never)]
    fn scale_gains(&mut self, program: &Program, ties: Ties) {
        let s = &self.scratch;
        let (mut greatest_gain, mut greatest_value) = (1i128, 1);
        let mut keepers = 0i128;
        let mut slots_by_job = 0i128;
        // Slots per unit of a type's first resource, as the count they add up to at capacity.
        let mut slots_by_type = vec![0i128; self.capacity.len()];
        let mut unbounded = false;
        for (job, &class) in program.jobs.iter().zip(&s.class_of_job) {
            if matches!(ties, Ties::PreferKept) {
                keepers += i128::from(job.options.iter().any(|o| o.keeps));
                slots_by_job += i128::from(job.options.iter().map(|o| o.slots).max().unwrap_or(0));
            }
            let first = s.representative[class as usize] as usize;
            if !std::ptr::eq(&raw const program.jobs[first], job) {
                continue;
            }
            let weight = program.tenants[job.tenant as usize].weight / self.weight_unit;
            for o in &job.options {
                greatest_gain = greatest_gain.max(i128::from(weight) * i128::from(o.value));
                greatest_value = greatest_value.max(o.value);
                let d = usize::from(o.usage.first);
                match (o.usage.amounts[0], slots_by_type.get_mut(d)) {
                    (a, Some(most)) if a > 0 && o.usage.len > 0 => {
                        *most =
                            (*most).max(i128::from(o.slots) * i128::from(self.capacity[d]) / i128::from(a));
                    }
                    _ => unbounded |= o.slots > 0,
                }
            }
        }
        let by_type: i128 = slots_by_type.iter().sum();
        let slots = if unbounded { slots_by_job } else { slots_by_job.min(by_type) };
        let room = (1i128 << GAIN_BITS) / greatest_gain;
        let usual = room.clamp(1, 1 << SCALE_BITS);
        let (level, needed, malus) = match ties {
            Ties::PreferKept if (keepers + 1) * (slots + 1) <= room => {
                (TieLevel::KeptAndSlots, (keepers + 1) * (slots + 1), slots)
            }
            Ties::PreferKept if keepers < room => (TieLevel::Kept, keepers + 1, 0),
            Ties::Any | Ties::PreferKept => (TieLevel::Any, 1, 0),
        };
        self.ties = level;
        self.scale = i64::try_from(usual.max(needed)).unwrap_or(1);
        self.greatest_malus = i64::try_from(malus).unwrap_or(0);
        self.greatest_gain = i64::try_from(greatest_gain).unwrap_or(i64::MAX);
        self.greatest_value = greatest_value;
    }

    /// Numbers the usages and lists the options of every class, without those that cannot be in an optimum.
    #[inline(never)]
    fn fill_choices(&mut self, program: &Program) {
        self.usages.clear();
        self.usages.push(Usage::default());
        self.choices.clear();
        self.classes.clear();
        let s = &mut self.scratch;
        // Usages repeat from job to job: most are found where the previous job had them.
        let mut recent: Vec<u32> = Vec::new();
        let mut index = UsageIndex::default();
        for &j in &s.representative {
            let job = &program.jobs[j as usize];
            let start = self.choices.len();
            for (i, o) in job.options.iter().enumerate().take(usize::from(u16::MAX)) {
                if o.value <= 0 || !fits(&o.usage, &self.capacity) {
                    continue;
                }
                let usage = match recent.get(i) {
                    Some(&u) if same_usage(&self.usages[u as usize], &o.usage) => u,
                    _ => index.number(&o.usage, &mut self.usages),
                };
                if recent.len() <= i {
                    recent.resize(i + 1, 0);
                }
                recent[i] = usage;
                let bonus = match self.ties {
                    TieLevel::Any => 0,
                    TieLevel::Kept => i64::from(o.keeps),
                    TieLevel::KeptAndSlots => {
                        i64::from(o.keeps) * (self.greatest_malus + 1) - i64::from(o.slots)
                    }
                };
                self.choices.push(Choice { usage, original: Some(i as u16), value: o.value, bonus });
            }
            drop_beaten(&mut self.choices, start, &self.usages);
            self.choices.push(Choice { usage: 0, original: None, value: 0, bonus: 0 });
            let weight = program.tenants[job.tenant as usize].weight / self.weight_unit;
            self.classes.push(Class { choices: start as u32..self.choices.len() as u32, weight });
        }
    }
}

/// Removes options at `start..` that another one there beats: same type, no more of any resource, no smaller gain.
fn drop_beaten(choices: &mut Vec<Choice>, start: usize, usages: &[Usage]) {
    let mut keep = start;
    let end = choices.len();
    for i in start..end {
        let a = choices[i];
        let ua = &usages[a.usage as usize];
        // Earlier survivors are at start..keep; later ones are still in place.
        let beaten = choices[start..keep].iter().any(|b| beats(b, ua, &a, usages))
            || choices[i + 1..end].iter().any(|b| beats(b, ua, &a, usages) && !same(b, &a));
        if !beaten {
            choices[keep] = a;
            keep += 1;
        }
    }
    choices.truncate(keep);
}

/// Whether `b` makes `a` useless, or is the same.
#[inline]
fn beats(b: &Choice, ua: &Usage, a: &Choice, usages: &[Usage]) -> bool {
    (b.value, b.bonus) >= (a.value, a.bonus) && within(&usages[b.usage as usize], ua)
}

/// Whether two options take and give the same; then the earlier one stays.
#[inline]
fn same(b: &Choice, a: &Choice) -> bool {
    (b.value, b.bonus, b.usage) == (a.value, a.bonus, a.usage)
}

fn fits(usage: &Usage, capacity: &[u32]) -> bool {
    (0..usize::from(usage.len))
        .all(|i| capacity.get(usize::from(usage.first) + i).is_some_and(|&c| usage.amounts[i] <= c))
}

/// Whether `a` is on the same type as `b` and takes no more.
fn within(a: &Usage, b: &Usage) -> bool {
    let len = usize::from(a.len);
    a.first == b.first
        && a.len == b.len
        && a.amounts[..len].iter().zip(&b.amounts[..len]).all(|(x, y)| x <= y)
}

#[inline]
fn same_usage(a: &Usage, b: &Usage) -> bool {
    a.first == b.first && a.len == b.len && a.amounts[..usize::from(a.len)] == b.amounts[..usize::from(a.len)]
}

fn same_options(a: &[ProgramOption], b: &[ProgramOption], ties: Ties) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| {
            x.value == y.value
                && same_usage(&x.usage, &y.usage)
                && (matches!(ties, Ties::Any) || (x.keeps == y.keeps && x.slots == y.slots))
        })
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(26) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash_usage(mut hash: u64, usage: &Usage) -> u64 {
    hash = mix(hash, u64::from(usage.first) << 40 | u64::from(usage.len) << 32 | u64::from(usage.amounts[0]));
    if usage.len > 1 {
        hash = mix(hash, u64::from(usage.amounts[1]) << 32 | u64::from(usage.amounts[2]));
        hash = mix(hash, u64::from(usage.amounts[3]));
    }
    hash
}

fn hash_job(job: &ProgramJob, weight: i64, ties: Ties) -> u64 {
    let mut hash = mix(job.options.len() as u64, weight as u64);
    for o in &job.options {
        hash = mix(hash_usage(hash, &o.usage), o.value as u64);
        if matches!(ties, Ties::PreferKept) {
            hash = mix(hash, u64::from(o.slots) << 1 | u64::from(o.keeps));
        }
    }
    (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// Numbers distinct usages in order of appearance.
#[derive(Default)]
struct UsageIndex {
    slots: Vec<u32>,
    used: usize,
}

impl UsageIndex {
    fn number(&mut self, usage: &Usage, usages: &mut Vec<Usage>) -> u32 {
        if self.used * 2 >= self.slots.len() {
            self.slots = vec![0; (self.slots.len() * 2).max(64)];
            for (i, u) in usages.iter().enumerate().skip(1) {
                let at = self.find(u, usages);
                self.slots[at] = i as u32;
            }
        }
        let at = self.find(usage, usages);
        if self.slots[at] == 0 {
            let mut clean = *usage;
            clean.amounts[usize::from(usage.len)..].fill(0);
            self.slots[at] = usages.len() as u32;
            self.used += 1;
            usages.push(clean);
        }
        self.slots[at]
    }

    /// The slot that holds a usage, or the empty one where it belongs. Number 0, the empty usage, is never looked up.
    fn find(&self, usage: &Usage, usages: &[Usage]) -> usize {
        let mask = self.slots.len() - 1;
        let hash = hash_usage(0, usage);
        let mut at = (hash ^ (hash >> 32)) as u32 as usize & mask;
        while self.slots[at] != 0 && !same_usage(&usages[self.slots[at] as usize], usage) {
            at = (at + 1) & mask;
        }
        at
    }
}

/// Greatest common divisor of magnitudes; `gcd(0, b) = |b|`.
fn gcd(a: i64, b: i64) -> i64 {
    i64::try_from(units::gcd(a.unsigned_abs(), b.unsigned_abs())).unwrap_or(1)
}
