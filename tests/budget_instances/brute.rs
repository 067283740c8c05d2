//! Every choice, one by one.

use sts_sim::policy::sts::program::Program;

/// The best choice under the tie rule: greatest objective, then most kept, then fewest slots.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    pub objective: i128,
    pub kept: u64,
    pub slots: u64,
    /// How many choices have the greatest objective.
    pub optima: u64,
}

/// The best choice, or `None` if none is feasible.
pub(crate) fn best(program: &Program) -> Option<Best> {
    let mut search = Search {
        program,
        left: program.capacity.clone(),
        values: vec![0; program.tenants.len()],
        kept: 0,
        slots: 0,
        best: None,
    };
    search.visit(0);
    search.best
}

/// What the tie rule looks at.
pub(crate) fn kept_and_slots(program: &Program, choice: &[Option<u16>]) -> (u64, u64) {
    let taken = program.jobs.iter().zip(choice).filter_map(|(j, c)| c.map(|c| &j.options[usize::from(c)]));
    taken.fold((0, 0), |sum, o| (sum.0 + u64::from(o.keeps), sum.1 + u64::from(o.slots)))
}

struct Search<'a> {
    program: &'a Program,
    left: Vec<u32>,
    values: Vec<i64>,
    kept: u64,
    slots: u64,
    best: Option<Best>,
}

impl Search<'_> {
    fn visit(&mut self, job: usize) {
        let Some(j) = self.program.jobs.get(job) else { return self.judge() };
        self.visit(job + 1);
        for o in &j.options {
            let at = |i: usize| usize::from(o.usage.first) + i;
            let len = usize::from(o.usage.len);
            if (0..len).any(|i| o.usage.amounts[i] > self.left[at(i)]) {
                continue;
            }
            (0..len).for_each(|i| self.left[at(i)] -= o.usage.amounts[i]);
            self.values[j.tenant as usize] += o.value;
            self.kept += u64::from(o.keeps);
            self.slots += u64::from(o.slots);
            self.visit(job + 1);
            self.slots -= u64::from(o.slots);
            self.kept -= u64::from(o.keeps);
            self.values[j.tenant as usize] -= o.value;
            (0..len).for_each(|i| self.left[at(i)] += o.usage.amounts[i]);
        }
    }

    fn judge(&mut self) {
        let tenants = &self.program.tenants;
        if self.values.iter().zip(tenants).any(|(&v, t)| v < t.floor) {
            return;
        }
        let objective =
            self.values.iter().zip(tenants).map(|(&v, t)| i128::from(t.weight) * i128::from(v)).sum();
        let (kept, slots) = (self.kept, self.slots);
        let better = |b: &Best| {
            (objective, kept, std::cmp::Reverse(slots)) > (b.objective, b.kept, std::cmp::Reverse(b.slots))
        };
        let optima = match &self.best {
            Some(b) if b.objective == objective => b.optima + 1,
            Some(b) if b.objective > objective => b.optima,
            _ => 1,
        };
        match &mut self.best {
            Some(b) if !better(b) => b.optima = optima,
            best => *best = Some(Best { objective, kept, slots, optima }),
        }
    }
}
