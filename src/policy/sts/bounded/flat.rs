//! A program laid out for scanning: all options of all jobs in a row, equal usages numbered.

use std::ops::Range;

use crate::policy::sts::program::{Program, Usage};

/// The program, without options that are too large or dominated.
#[derive(Debug, Clone, Default)]
pub(super) struct Flat {
    /// For every job its first option; one more entry at the end.
    first: Vec<u32>,
    /// For every job its tenant.
    pub(super) tenant: Vec<u32>,
    /// For every option its value.
    pub(super) value: Vec<i64>,
    /// For every option its usage, in `usages`.
    pub(super) usage: Vec<u32>,
    /// For every option its index in the program.
    pub(super) index: Vec<u16>,
    /// Distinct usages.
    pub(super) usages: Vec<Usage>,
    /// Numbers of the usages of each type, by the type's first resource.
    numbers: Vec<Vec<u32>>,
}

impl Flat {
    pub(super) fn load(&mut self, program: &Program) {
        self.first.clear();
        self.tenant.clear();
        self.value.clear();
        self.usage.clear();
        self.index.clear();
        self.usages.clear();
        self.numbers.resize(program.capacity.len(), Vec::new());
        for numbers in &mut self.numbers {
            numbers.clear();
        }
        self.first.push(0);
        for job in &program.jobs {
            let start = self.value.len();
            for (index, option) in job.options.iter().enumerate() {
                if option.value > 0 && option.usage.fits(&program.capacity) {
                    self.add(start, index as u16, option.value, option.usage);
                }
            }
            self.first.push(self.value.len() as u32);
            self.tenant.push(job.tenant);
        }
    }

    /// Adds an option of the job whose options begin at `start`, unless another takes no more and is worth as much.
    fn add(&mut self, start: usize, index: u16, value: i64, usage: Usage) {
        let mut kept = start;
        for i in start..self.value.len() {
            let other = self.usages[self.usage[i] as usize];
            if other.within(&usage) && self.value[i] >= value {
                return;
            }
            if !(usage.within(&other) && value >= self.value[i]) {
                self.value.swap(kept, i);
                self.usage.swap(kept, i);
                self.index.swap(kept, i);
                kept += 1;
            }
        }
        self.value.truncate(kept);
        self.usage.truncate(kept);
        self.index.truncate(kept);
        let number = self.number(usage);
        self.value.push(value);
        self.usage.push(number);
        self.index.push(index);
    }

    fn number(&mut self, usage: Usage) -> u32 {
        let next = self.usages.len() as u32;
        if let Some(numbers) = self.numbers.get_mut(usize::from(usage.first)) {
            if let Some(&number) = numbers.iter().find(|&&number| self.usages[number as usize] == usage) {
                return number;
            }
            numbers.push(next);
        }
        self.usages.push(usage);
        next
    }

    /// The options of a job.
    pub(super) fn options(&self, job: usize) -> Range<usize> {
        self.first[job] as usize..self.first[job + 1] as usize
    }

    /// Where an option of the program is, or one that takes no more and is worth as much.
    pub(super) fn find(&self, program: &Program, job: usize, index: u16) -> Option<usize> {
        let wanted = program.jobs.get(job)?.options.get(usize::from(index))?;
        self.options(job).find(|&option| self.index[option] == index).or_else(|| {
            self.options(job).find(|&option| {
                self.usage_of(option).within(&wanted.usage) && self.value[option] >= wanted.value
            })
        })
    }

    /// How many options these jobs have.
    pub(super) fn count(&self, jobs: &Range<usize>) -> u64 {
        u64::from(self.first[jobs.end] - self.first[jobs.start])
    }

    /// The usage of an option.
    pub(super) fn usage_of(&self, option: usize) -> &Usage {
        &self.usages[self.usage[option] as usize]
    }
}
