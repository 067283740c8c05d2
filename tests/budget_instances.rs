//! The loss-budget solver against brute force on small random programs, and against the stated optima of the study's
//! instances.

#![allow(clippy::expect_used, clippy::panic)]

mod budget_instances {
    pub(crate) mod brute;
    pub(crate) mod files;
    pub(crate) mod random;
}
use budget_instances::{brute, files, random};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sts_sim::policy::sts::budget::{Limits, Solver, TieLevel, Ties};
use sts_sim::policy::sts::certificate::{self, Multipliers, Proof};
use sts_sim::policy::sts::dense::{self, Floors, Outcome};
use sts_sim::policy::sts::program::{Program, Solution, Status};

/// States with which the certificates of small programs are always settled.
const ALL: usize = 1_000_000;

/// Random programs of the main test.
const PROGRAMS: u64 = 13_000;

fn limits(ties: Ties) -> Limits {
    Limits { ties, ..Limits::default() }
}

#[test]
fn equals_brute_force_on_random_programs() {
    let mut warm = Solver::new();
    let (mut infeasible, mut bound_by_floors, mut tied, mut dense_too) = (0, 0, 0, 0);
    for seed in 0..PROGRAMS {
        let program = random::program(seed);
        let best = brute::best(&program);
        for ties in [Ties::Any, Ties::PreferKept] {
            let mut cold = Solver::new();
            let solution =
                cold.solve(&program, &limits(ties)).unwrap_or_else(|| panic!("seed {seed}: nothing found"));
            let proof =
                certificate::check(&program, &solution, &cold.multipliers(), ALL).expect("a certificate");
            if ties == Ties::Any
                && let Outcome::Solved { solution: dense, .. } =
                    dense::solve(&program, Floors::Given, 100_000)
            {
                assert_eq!(
                    (dense.status, dense.objective),
                    (solution.status, solution.objective),
                    "seed {seed}"
                );
                dense_too += 1;
            }
            let Some(best) = &best else {
                assert_eq!(solution.status, Status::Infeasible, "seed {seed}");
                assert_eq!(proof, Proof::Infeasible, "seed {seed}");
                infeasible += 1;
                continue;
            };
            assert_eq!(proof, Proof::Optimal, "seed {seed}");
            assert_eq!(solution.status, Status::Optimal, "seed {seed} {ties:?}");
            assert_eq!(solution.objective, best.objective, "seed {seed} {ties:?}");
            assert_eq!(solution.bound, best.objective, "seed {seed}");
            assert!(program.is_feasible(&solution.choice), "seed {seed}");
            if ties == Ties::PreferKept {
                let (kept, slots) = brute::kept_and_slots(&program, &solution.choice);
                // Great weights leave no room for the whole rule.
                match cold.ties() {
                    TieLevel::KeptAndSlots => {
                        assert_eq!((kept, slots), (best.kept, best.slots), "seed {seed}");
                        tied += u64::from(best.optima > 1);
                    }
                    TieLevel::Kept => assert_eq!(kept, best.kept, "seed {seed}"),
                    TieLevel::Any => panic!("seed {seed}: no room for the tie rule"),
                }
            } else {
                let mut free = program.clone();
                free.tenants.iter_mut().for_each(|t| t.floor = 0);
                let unbound = warm.solve(&free, &limits(ties)).expect("idling is feasible");
                bound_by_floors += u64::from(unbound.objective > solution.objective);
                let again = warm.solve(&program, &limits(ties)).expect("a solution");
                assert_eq!(
                    (again.status, again.objective),
                    (Status::Optimal, best.objective),
                    "seed {seed}: warm"
                );
            }
        }
    }
    // The generator must reach what the test is about.
    println!(
        "{infeasible} infeasible, {bound_by_floors} bound by floors, {tied} with ties, {dense_too} by tables too"
    );
    assert!(infeasible > 500 && bound_by_floors > 500 && tied > 1_000 && dense_too > 10_000);
}

#[test]
fn order_of_jobs_and_tenants_does_not_matter() {
    for seed in 0..1_500 {
        let program = random::program(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut shuffled = Program { capacity: program.capacity.clone(), ..Program::default() };
        let mut order: Vec<usize> = (0..program.tenants.len()).collect();
        random::shuffle(&mut order, &mut rng);
        shuffled.tenants = order.iter().map(|&u| program.tenants[u]).collect();
        let mut jobs = program.jobs.clone();
        for job in &mut jobs {
            job.tenant = order.iter().position(|&u| u == job.tenant as usize).expect("a permutation") as u32;
            random::shuffle(&mut job.options, &mut rng);
        }
        random::shuffle(&mut jobs, &mut rng);
        shuffled.jobs = jobs;
        let ties = if rng.random_bool(0.5) { Ties::Any } else { Ties::PreferKept };
        let a = Solver::new().solve(&program, &limits(ties)).expect("a solution");
        let b = Solver::new().solve(&shuffled, &limits(ties)).expect("a solution");
        assert_eq!((a.status, a.objective), (b.status, b.objective), "seed {seed}");
        let weights = program.tenants.iter().map(|t| t.weight).max();
        if ties == Ties::PreferKept && a.status == Status::Optimal && weights < Some(1_000) {
            let of = |p: &Program, c: &[Option<u16>]| brute::kept_and_slots(p, c);
            assert_eq!(of(&program, &a.choice), of(&shuffled, &b.choice), "seed {seed}");
        }
    }
}

#[test]
fn the_same_program_gives_the_same_answer() {
    for seed in 0..300 {
        let program = random::program(seed);
        let a = Solver::new().solve(&program, &Limits::default());
        let b = Solver::new().solve(&program, &Limits::default());
        assert_eq!(a, b, "seed {seed}");
    }
}

#[test]
fn small_limits_never_lead_to_a_false_claim() {
    let mut unproven = 0;
    for seed in 0..3_000 {
        let program = random::program(seed);
        let best = brute::best(&program);
        for expansions in [0, 5, 40, 300] {
            let limits =
                Limits { expansions, kept_states: 6, menu_expansions: expansions / 2, ties: Ties::Any };
            let mut solver = Solver::new();
            let idle = vec![None; program.jobs.len()];
            let known = program.is_feasible(&idle).then_some(&idle[..]);
            let Some(solution) = solver.solve_from(&program, &limits, &mut None, known) else {
                assert!(known.is_none(), "seed {seed}");
                continue;
            };
            match (solution.status, &best) {
                (Status::Infeasible, best) => assert!(best.is_none(), "seed {seed}"),
                (status, Some(best)) => {
                    assert!(program.is_feasible(&solution.choice), "seed {seed}");
                    let range = solution.objective..=solution.bound;
                    assert!(range.contains(&best.objective), "seed {seed}: {range:?} {best:?}");
                    let closed = solution.objective == solution.bound;
                    assert_eq!(status == Status::Optimal, closed, "seed {seed}");
                    unproven += u64::from(status == Status::Feasible);
                }
                (_, None) => panic!("seed {seed}: a choice for an infeasible program"),
            }
            certificate::check(&program, &solution, &solver.multipliers(), ALL).expect("a valid certificate");
        }
    }
    assert!(unproven > 100, "{unproven}");
}

#[test]
fn equals_the_stated_optima_of_the_instances() {
    let Some(instances) = files::load() else { return };
    let mut dense_too = 0;
    for instance in instances {
        let mut floors = Vec::new();
        let mut solver = Solver::new();
        for u in 0..instance.program.tenants.len() {
            let alone = instance.alone(u);
            let solution = solver.solve(&alone, &Limits::default()).expect("idling is feasible");
            assert_eq!(solution.status, Status::Optimal, "{}: floor {u}", instance.name);
            floors.push(i64::try_from(solution.objective).expect("a small value"));
        }
        assert_eq!(floors, instance.floors, "{}", instance.name);
        for ties in [Ties::Any, Ties::PreferKept] {
            let solution = solver.solve(&instance.program, &limits(ties)).expect("the quotas are feasible");
            assert_eq!(solution.status, Status::Optimal, "{} {ties:?}", instance.name);
            assert_eq!(solution.objective, instance.optimum, "{} {ties:?}", instance.name);
            assert!(instance.program.is_feasible(&solution.choice), "{}", instance.name);
            let proof = certificate::check(&instance.program, &solution, &solver.multipliers(), 20_000);
            let gap = proof.expect("a valid certificate").gap().expect("a choice");
            // The multipliers alone are close already.
            assert!(gap * 10 <= solution.objective, "{}: {gap}", instance.name);
            match dense::solve(&instance.program, Floors::Given, 20_000_000) {
                Outcome::Solved { solution: dense, .. } => {
                    assert_eq!(dense.objective, instance.optimum, "{}", instance.name);
                    dense_too += 1;
                }
                Outcome::OverBudget { .. } => {}
            }
        }
    }
    assert!(dense_too >= 4, "{dense_too} of the instances are small enough for tables");
}

/// Changes to an answer that make it say something else.
fn mutations(
    program: &Program,
    solution: &Solution,
    multipliers: &Multipliers,
) -> Vec<(Solution, Multipliers)> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Solution)| {
        let mut changed = solution.clone();
        change(&mut changed);
        all.push((changed, multipliers.clone()));
    };
    for by in [-1_000, -1, 1, 1_000] {
        with(&|s| s.objective += by);
        with(&|s| s.bound += by);
        with(&|s| (s.objective, s.bound) = (s.objective + by, s.bound + by));
    }
    with(&|s| s.status = Status::Infeasible);
    with(&|s| s.choice.clear());
    with(&|s| s.choice.push(None));
    for (j, job) in program.jobs.iter().enumerate() {
        for other in (0..=job.options.len() as u16).map(|o| (o < job.options.len() as u16).then_some(o)) {
            if other == solution.choice[j] {
                continue;
            }
            // The choice alone, and with everything else adapted to it.
            with(&|s| s.choice[j] = other);
            with(&|s| {
                s.choice[j] = other;
                s.objective = program.objective(&s.choice);
                s.bound = s.objective;
            });
        }
        with(&|s| s.choice[j] = Some(job.options.len() as u16));
    }
    let mut with = |change: &dyn Fn(&mut Multipliers)| {
        let mut changed = multipliers.clone();
        change(&mut changed);
        all.push((solution.clone(), changed));
    };
    with(&|m| m.scale = 0);
    with(&|m| m.scale = -m.scale);
    with(&|m| m.lambda.push(0));
    with(&|m| m.mu.push(0));
    for i in 0..multipliers.lambda.len() {
        with(&|m| m.lambda[i] = -1 - m.lambda[i]);
        if program.capacity[i] > 1 {
            with(&|m| m.lambda[i] = i128::MAX);
        }
    }
    for i in 0..multipliers.mu.len() {
        with(&|m| m.mu[i] = -1 - m.mu[i]);
    }
    all
}

#[test]
fn every_false_certificate_is_rejected() {
    let (mut rejected, mut still_true) = (0, 0);
    for seed in 0..2_000 {
        let program = random::program(seed);
        let mut solver = Solver::new();
        let solution = solver.solve(&program, &Limits::default()).expect("an answer");
        if solution.status != Status::Optimal {
            continue;
        }
        for (changed, multipliers) in mutations(&program, &solution, &solver.multipliers()) {
            // Another optimum is a true claim too, and so is a bound that is loosened with the status to match.
            let is_true = multipliers == solver.multipliers()
                && changed.status == Status::Optimal
                && program.is_feasible(&changed.choice)
                && changed.objective == solution.objective
                && changed.bound == solution.objective
                && program.objective(&changed.choice) == solution.objective;
            let checked = certificate::check(&program, &changed, &multipliers, ALL);
            if is_true {
                assert_eq!(checked, Ok(Proof::Optimal), "seed {seed}");
                still_true += 1;
            } else {
                assert!(checked.is_err(), "seed {seed}: {checked:?} for {changed:?} {multipliers:?}");
                rejected += 1;
            }
        }
    }
    println!("{rejected} rejected, {still_true} other optima");
    assert!(rejected > 50_000 && still_true > 100);
}

#[test]
fn any_multipliers_prove_only_what_is_true() {
    for seed in 0..2_000 {
        let program = random::program(seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(best) = brute::best(&program) else { continue };
        let mut solver = Solver::new();
        let solution = solver.solve(&program, &Limits::default()).expect("an answer");
        let mut multipliers = solver.multipliers();
        for m in multipliers.lambda.iter_mut().chain(&mut multipliers.mu) {
            *m = *m * rng.random_range(0..3) + rng.random_range(0..5);
        }
        assert!(certificate::upper_bound(&program, &multipliers).expect("no overflow") >= best.objective);
        match certificate::check(&program, &solution, &multipliers, ALL) {
            Ok(proof) => assert_eq!(proof, Proof::Optimal, "seed {seed}"),
            fault => panic!("seed {seed}: {fault:?}"),
        }
    }
}
