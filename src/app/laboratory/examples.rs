//! Instances to begin with: worked examples whose optima were found in exact fractions or by looking at every allocation.

use super::draft::{Draft, JobRow, Kind, Size, TenantRow, TypeRow};
use crate::cluster::SliceMemory;
use crate::solve::instance::InstanceLayout;

/// What a group of examples is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Devices divided by time.
    Divisions,
    /// Whole slots.
    Slots,
    /// Weights.
    Weights,
    /// Schedulers' orders.
    Orders,
}

impl Group {
    /// Every group, in the order of the page.
    pub const ALL: [Self; 4] = [Self::Divisions, Self::Slots, Self::Weights, Self::Orders];
}

/// One example.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Its short name, also in links.
    pub id: &'static str,
    /// Its name.
    pub title: &'static str,
    /// Its group.
    pub group: Group,
    /// What it shows.
    pub shows: &'static str,
    /// What to look at.
    pub look: &'static str,
    /// The policy to look at.
    pub policy: &'static str,
    /// The unit of utilities.
    pub normalise: &'static str,
    build: fn() -> Draft,
}

impl Example {
    /// The instance.
    #[must_use]
    pub fn draft(&self) -> Draft {
        (self.build)()
    }
}

/// The one that the laboratory begins with.
pub const FIRST: &str = "I2b";

/// The example with this short name.
#[must_use]
pub fn example(id: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| example.id == id)
}

const AS_DEFINED: &str = "as-defined";

/// Every example.
pub const EXAMPLES: [Example; 23] = [
    Example {
        id: "G1",
        title: "Gavel’s three jobs",
        group: Group::Divisions,
        shows: "Three jobs on a V100 and a K80, each on at most one device at a time: the example of Gavel’s paper.",
        look: "Max-min gives every job 12/11 of its equal split, and still job0 envies job1. Nash leaves no envy: 20, 6 and 50.",
        policy: "max-min",
        normalise: AS_DEFINED,
        build: || limited(g1()),
    },
    Example {
        id: "G1u",
        title: "G1 without the limit",
        group: Group::Divisions,
        shows: "The same jobs when each may use both devices at once.",
        look: "The greatest sum, 150, is all job2’s; keeping everybody’s equal split costs it down to 773/9. Max-min is 54/49.",
        policy: "max-sum-si",
        normalise: AS_DEFINED,
        build: g1,
    },
    Example {
        id: "P1",
        title: "Opposite tastes",
        group: Group::Divisions,
        shows: "Two tenants, each twice as fast where the other is slow; rates are divided by their sum, as in Gavel’s isolated policy.",
        look: "The sum with sharing incentive is 4/3: both have 2/3 of everything they could have.",
        policy: "max-sum-si",
        normalise: "sum",
        build: || matrix(&["a", "b"], &[1, 1], &[("u0", &[1.0, 2.0]), ("u1", &[2.0, 1.0])]),
    },
    Example {
        id: "P2",
        title: "One is indifferent",
        group: Group::Divisions,
        shows: "One tenant is twice as fast on b, the other does not mind.",
        look: "The sum with sharing incentive is 7/6; the indifferent one gives up b and loses nothing.",
        policy: "max-sum-si",
        normalise: "sum",
        build: || matrix(&["a", "b"], &[1, 1], &[("u0", &[1.0, 2.0]), ("u1", &[1.0, 1.0])]),
    },
    Example {
        id: "P3",
        title: "P2 in another unit",
        group: Group::Divisions,
        shows: "P2 with the second tenant’s rates ten times as large: normalised, nothing changes.",
        look: "Still 7/6. Set the unit of utilities to the rates as given, and the larger numbers win.",
        policy: "max-sum-si",
        normalise: "sum",
        build: || matrix(&["a", "b"], &[1, 1], &[("u0", &[1.0, 2.0]), ("u1", &[10.0, 10.0])]),
    },
    Example {
        id: "P4",
        title: "Three on two devices",
        group: Group::Divisions,
        shows: "P1 with a third tenant that does not mind.",
        look: "The sum with sharing incentive is 11/9; every floor is a third of both devices.",
        policy: "max-sum-si",
        normalise: "sum",
        build: || {
            matrix(&["a", "b"], &[1, 1], &[("u0", &[1.0, 2.0]), ("u1", &[2.0, 1.0]), ("u2", &[1.0, 1.0])])
        },
    },
    Example {
        id: "P-SP",
        title: "A false report pays",
        group: Group::Divisions,
        shows: "The greatest sum with sharing incentive is not strategy-proof.",
        look: "The truth gives 10/9. Search for false reports: u2 gains a quarter by saying that it is three times as fast on b.",
        policy: "max-sum-si",
        normalise: "sum",
        build: || {
            matrix(&["a", "b"], &[1, 1], &[("u0", &[2.0, 1.0]), ("u1", &[1.0, 1.0]), ("u2", &[1.0, 1.0])])
        },
    },
    Example {
        id: "S1",
        title: "Two tenants, ⟨1, 2⟩ and ⟨1, 5⟩",
        group: Group::Divisions,
        shows: "Four notions of fairness, four answers.",
        look: "The greatest sum, 6, leaves u0 with 2/3 of its equal split; with sharing incentive it is 21/4; max-min gives both 10/9.",
        policy: "max-sum-si",
        normalise: AS_DEFINED,
        build: s1,
    },
    Example {
        id: "S1L",
        title: "S1, one device at a time",
        group: Group::Divisions,
        shows: "S1 with shares of at most one device: the equal split is the best there is.",
        look: "Max-min is 1: both have exactly their equal split, and nothing better exists.",
        policy: "max-min",
        normalise: AS_DEFINED,
        build: || limited(s1()),
    },
    Example {
        id: "S2",
        title: "Three tenants, ⟨1, 2⟩ to ⟨1, 4⟩",
        group: Group::Divisions,
        shows: "Sharing incentive alone leaves envy.",
        look: "With sharing incentive the sum is 41/9, and u1 envies u2 by 1/3. Without envy it is 9/2, the same as Nash: 1, 3/2, 2.",
        policy: "max-sum-si",
        normalise: AS_DEFINED,
        build: s2,
    },
    Example {
        id: "S2L",
        title: "S2, one device at a time",
        group: Group::Divisions,
        shows: "S2 with shares of at most one device.",
        look: "Max-min is 12/11 for everybody, as in G1: the rates are proportional to those of G1.",
        policy: "max-min",
        normalise: AS_DEFINED,
        build: || limited(s2()),
    },
    Example {
        id: "S4",
        title: "Three alike",
        group: Group::Divisions,
        shows: "Identical tenants: every policy that is fair and efficient treats them alike.",
        look: "Everybody has 4. The greatest sum is 12 in any split, so that it may be unfair for nothing.",
        policy: "max-min",
        normalise: AS_DEFINED,
        build: || {
            let row: &[f64] = &[1.0, 3.0];
            matrix(&["slow", "fast"], &[3, 3], &[("u0", row), ("u1", row), ("u2", row)])
        },
    },
    Example {
        id: "S5",
        title: "Trading",
        group: Group::Divisions,
        shows: "Four slow and four fast devices; one tenant hardly gains from fast ones, the other much: a trade helps both.",
        look: "Gandiva-fair trades from the equal split (9/2, 12) to 11/2 and 14; the most with sharing incentive is 45/2.",
        policy: "gandiva-fair",
        normalise: AS_DEFINED,
        build: || matrix(&["slow", "fast"], &[4, 4], &[("u0", &[1.0, 1.25]), ("u1", &[1.0, 5.0])]),
    },
    Example {
        id: "I1",
        title: "Two tenants, 2 + 2 slots",
        group: Group::Slots,
        shows: "S1 in whole slots: 36 allocations. In fractions the sum with sharing incentive would be 21/2, in slots it is 9.",
        look: "The greatest sum is 12. The greatest product, 20, gives u0 less than its equal split.",
        policy: "max-sum-si",
        normalise: AS_DEFINED,
        build: || linear(2, &[("u0", 2.0), ("u1", 5.0)]),
    },
    Example {
        id: "I2",
        title: "Three tenants, 3 + 3 slots",
        group: Group::Slots,
        shows: "S2 in whole slots: 400 allocations, and only the equal split keeps everybody’s equal split.",
        look: "With floors the sum is 12, without them 15. The greatest product, 72, is unfair to u1.",
        policy: "max-sum-si",
        normalise: AS_DEFINED,
        build: || linear(3, &[("u0", 2.0), ("u1", 3.0), ("u2", 4.0)]),
    },
    Example {
        id: "I2b",
        title: "Three tenants, 4 + 4 slots",
        group: Group::Slots,
        shows: "Slots that three tenants cannot share evenly: 1,225 allocations.",
        look: "Five notions of fairness pick the same allocation, 4, 6 and 8, with sum 18; the greatest sum without floors is 20.",
        policy: "max-sum-si",
        normalise: AS_DEFINED,
        build: || linear(4, &[("u0", 2.0), ("u1", 3.0), ("u2", 4.0)]),
    },
    Example {
        id: "I3",
        title: "One GPU of 7 slots",
        group: Group::Slots,
        shows: "Rates that saturate, and an odd number of slots: sharing incentive and envy-freeness cannot both hold.",
        look: "The greatest sum is 171/140 = 1.2214 with 3 and 4 slots. Without envy one slot stays idle: 151/140 = 1.0786. Both together: infeasible.",
        policy: "max-sum-si-ef",
        normalise: AS_DEFINED,
        build: i3,
    },
    Example {
        id: "MIG-1",
        title: "3g + 3g + 1g",
        group: Group::Slots,
        shows: "Two 3g and a 1g are 7 compute slices and still do not fit one A100: each 3g takes 4 of 8 memory slices.",
        look: "The greatest sum is 1. Change the layout to uniform, which only adds up slots: 1.25.",
        policy: "max-sum",
        normalise: AS_DEFINED,
        build: mig1,
    },
    Example {
        id: "DP",
        title: "Greedy is not enough",
        group: Group::Slots,
        shows: "Two jobs on three slots. Taking the best rate for each next slot gives 0.54; the dynamic program finds 0.6.",
        look: "The table of the jobs: in the last cell A with all three slots is worth more than any mix.",
        policy: "max-sum",
        normalise: AS_DEFINED,
        build: greedy,
    },
    Example {
        id: "K1",
        title: "Weights 70 : 30",
        group: Group::Weights,
        shows: "100 GPUs, two queues: what KAI’s over-quota weights 3 : 1 come to, as weights of tenants.",
        look: "Every fair policy gives 70 and 30.",
        policy: "equal-split",
        normalise: AS_DEFINED,
        build: || weighted(100, &[("a", 70.0), ("b", 30.0)]),
    },
    Example {
        id: "K3",
        title: "Used before, less now",
        group: Group::Weights,
        shows: "12 GPUs. Equal weights, but a used half of the cluster before, which KAI’s time-based weights turn into 1/2 : 1.",
        look: "4 and 8 GPUs.",
        policy: "equal-split",
        normalise: AS_DEFINED,
        build: || weighted(12, &[("a", 0.5), ("b", 1.0)]),
    },
    Example {
        id: "K4",
        title: "Nested queues",
        group: Group::Weights,
        shows: "300 GPUs, two cohorts with equal shares; 1A, 1B and 1C have 1 : 1 : 3 of the first, 2A all of the second (a story of Kueue).",
        look: "30, 30, 90 and 150.",
        policy: "equal-split",
        normalise: AS_DEFINED,
        build: || weighted(300, &[("1A", 1.0), ("1B", 1.0), ("1C", 3.0), ("2A", 5.0)]),
    },
    Example {
        id: "D1",
        title: "One GPU, three jobs",
        group: Group::Orders,
        shows: "Jobs of 100, 10 and 1 s wait for one GPU: who goes first is all that differs.",
        look: "FIFO takes A, SRTF takes C. The sum of rates is the same for all, so it says nothing here.",
        policy: "srtf",
        normalise: AS_DEFINED,
        build: d1,
    },
];

fn of_type(name: &str, devices: u32, slots: u32) -> TypeRow {
    TypeRow { name: name.to_owned(), devices, slots, layout: InstanceLayout::Uniform }
}

/// Rates of tenants on one device of each type.
fn matrix(types: &[&str], devices: &[u32], rows: &[(&str, &[f64])]) -> Draft {
    let tenant = |&(name, rates): &(&str, &[f64])| TenantRow {
        name: name.to_owned(),
        weight: 1.0,
        rates: rates.to_vec(),
        limit: None,
        jobs: Vec::new(),
    };
    Draft {
        kind: Kind::Divisible,
        types: types.iter().zip(devices).map(|(name, &devices)| of_type(name, devices, 1)).collect(),
        sizes: Vec::new(),
        tenants: rows.iter().map(tenant).collect(),
        quotas: None,
    }
}

fn limited(mut draft: Draft) -> Draft {
    for tenant in &mut draft.tenants {
        tenant.limit = Some(1.0);
    }
    draft
}

fn g1() -> Draft {
    let rows: [(&str, &[f64]); 3] =
        [("job0", &[40.0, 10.0]), ("job1", &[12.0, 4.0]), ("job2", &[100.0, 50.0])];
    matrix(&["V100", "K80"], &[1, 1], &rows)
}

fn s1() -> Draft {
    matrix(&["slow", "fast"], &[1, 1], &[("u0", &[1.0, 2.0]), ("u1", &[1.0, 5.0])])
}

fn s2() -> Draft {
    matrix(&["slow", "fast"], &[1, 1], &[("u0", &[1.0, 2.0]), ("u1", &[1.0, 3.0]), ("u2", &[1.0, 4.0])])
}

fn weighted(devices: u32, tenants: &[(&str, f64)]) -> Draft {
    let rows: Vec<(&str, &[f64])> = tenants.iter().map(|&(name, _)| (name, &[1.0][..])).collect();
    let mut draft = matrix(&["GPU"], &[devices], &rows);
    for (tenant, &(_, weight)) in draft.tenants.iter_mut().zip(tenants) {
        tenant.weight = weight;
    }
    draft
}

fn sizes(gpu: usize, slots: impl IntoIterator<Item = u32>) -> impl Iterator<Item = Size> {
    slots.into_iter().map(move |slots| Size { gpu, slots, memory: SliceMemory::Plain, devices: 1 })
}

fn job(name: &str, rates: Vec<Option<f64>>) -> JobRow {
    JobRow { name: name.to_owned(), remaining_s: None, holds: None, rates }
}

fn with_jobs(name: &str, types: usize, jobs: Vec<JobRow>) -> TenantRow {
    TenantRow { name: name.to_owned(), weight: 1.0, rates: vec![0.0; types], limit: None, jobs }
}

fn integer(types: Vec<TypeRow>, sizes: Vec<Size>, tenants: Vec<TenantRow>) -> Draft {
    Draft { kind: Kind::Integer, types, sizes, tenants, quotas: None }
}

/// Tenants with a job on each of two types of so many slots; a slow slot is worth 1 to everybody, a fast one what is given.
fn linear(slots: u32, fast: &[(&str, f64)]) -> Draft {
    let columns: Vec<Size> = sizes(0, 1..=slots).chain(sizes(1, 1..=slots)).collect();
    let on = |gpu: usize, rate: f64| {
        let of = |size: &Size| (size.gpu == gpu).then(|| rate * f64::from(size.slots));
        columns.iter().map(of).collect()
    };
    let tenants = fast
        .iter()
        .map(|&(name, rate)| with_jobs(name, 2, vec![job("slow", on(0, 1.0)), job("fast", on(1, rate))]))
        .collect();
    integer(vec![of_type("slow", 1, slots), of_type("fast", 1, slots)], columns.clone(), tenants)
}

fn i3() -> Draft {
    let a = [0.3, 0.5, 0.65, 0.77, 0.87, 0.95, 1.0];
    let b = [0.142_857, 0.285_714, 0.428_571, 0.571_429, 0.714_286, 0.857_143, 1.0];
    let tenant = |name: &str, rates: [f64; 7]| with_jobs(name, 1, vec![job(name, rates.map(Some).to_vec())]);
    integer(vec![of_type("mig-like", 1, 7)], sizes(0, 1..=7).collect(), vec![tenant("a", a), tenant("b", b)])
}

fn mig1() -> Draft {
    let a100 = TypeRow { layout: InstanceLayout::MigA100, ..of_type("A100", 1, 7) };
    let jobs = vec![
        job("left", vec![None, Some(0.5)]),
        job("right", vec![None, Some(0.5)]),
        job("small", vec![Some(0.25), None]),
    ];
    integer(vec![a100], sizes(0, [1, 3]).collect(), vec![with_jobs("a", 1, jobs)])
}

fn greedy() -> Draft {
    let jobs =
        vec![job("A", vec![Some(0.18), Some(0.34), Some(0.6)]), job("B", vec![Some(0.2), Some(0.38), None])];
    integer(vec![of_type("A100", 1, 3)], sizes(0, 1..=3).collect(), vec![with_jobs("a", 1, jobs)])
}

fn d1() -> Draft {
    let jobs = [("A", 100.0), ("B", 10.0), ("C", 1.0)];
    let jobs = jobs.map(|(name, left)| JobRow { remaining_s: Some(left), ..job(name, vec![Some(1.0)]) });
    integer(vec![of_type("V100", 1, 1)], sizes(0, [1]).collect(), vec![with_jobs("a", 1, jobs.to_vec())])
}
