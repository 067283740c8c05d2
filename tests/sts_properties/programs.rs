//! The solvers of a round against enumeration.

use proptest::prelude::*;
use sts_sim::policy::sts::alone::alone;
use sts_sim::policy::sts::ladder::Ladder;
use sts_sim::policy::sts::program::{Program, ProgramJob, ProgramOption, ProgramTenant, Solution, Status};

use super::oracle::{BUDGET, enumerate, outcomes, programs, programs_of_three_types, rank, worth_of_share};

fn solve_round(budget: u64, program: &mut Program, shares: &[Vec<u32>]) -> Solution {
    let solution = Ladder::new(budget).solve_round(program, shares).unwrap();
    assert!(program.is_feasible(&solution.choice));
    assert_eq!(solution.objective, program.objective(&solution.choice));
    assert!(solution.bound >= solution.objective);
    assert_eq!(solution.status == Status::Optimal, solution.bound == solution.objective);
    solution
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_ladder_is_enumeration_down_to_the_ties((mut program, shares) in programs()) {
        let solution = solve_round(BUDGET, &mut program, &shares);
        prop_assert_eq!(solution.status, Status::Optimal);
        for (tenant, share) in (0..).zip(&shares) {
            let floor = worth_of_share(&program, tenant, share);
            let found = &mut program.tenants[tenant as usize].floor;
            // Where nothing is scarce floors are only known from below.
            prop_assert!(*found == floor || solution.method == "uncontended" && *found <= floor);
            *found = floor;
        }
        prop_assert_eq!(Some(rank(&program, &solution.choice)), enumerate(&program));
    }

    #[test]
    fn three_types_are_enumeration_too((mut program, shares) in programs_of_three_types()) {
        let solution = solve_round(BUDGET, &mut program, &shares);
        let floors: i64 = (0..).zip(&shares).map(|(tenant, share)| worth_of_share(&program, tenant, share)).sum();
        prop_assert!(solution.objective >= floors.into());
        for (tenant, share) in (0..).zip(&shares) {
            program.tenants[tenant as usize].floor = worth_of_share(&program, tenant, share);
        }
        prop_assert_eq!(Some(rank(&program, &solution.choice)), enumerate(&program));
    }

    /// Also among allocations that meet no floors.
    #[test]
    fn no_allocation_is_better_for_all((mut program, shares) in programs()) {
        let solution = solve_round(BUDGET, &mut program, &shares);
        let ours = program.tenant_values(&solution.choice);
        for tenant in &mut program.tenants {
            tenant.floor = 0;
        }
        for theirs in outcomes(&program) {
            let mut pairs = theirs.iter().zip(&ours);
            let dominates = pairs.clone().all(|(theirs, ours)| theirs >= ours) && pairs.any(|(theirs, ours)| theirs > ours);
            prop_assert!(!dominates, "{:?} is better for all than {:?}", theirs, ours);
        }
    }

    /// What a tenant's best takes of its share is the least that reaches its worth.
    #[test]
    fn alone_a_tenant_takes_the_fewest_slots_of_its_best((program, shares) in programs()) {
        for (tenant, share) in (0u32..).zip(&shares) {
            let alone = alone(&program, tenant as usize, share, BUDGET);
            prop_assert_eq!(alone.value, worth_of_share(&program, tenant, share));
            prop_assert_eq!(alone.bound, alone.value);
            let jobs = program.jobs_of(tenant as usize).iter().map(|job| ProgramJob {
                tenant: 0,
                options: job.options.iter().map(|option| ProgramOption { keeps: false, ..*option }).collect(),
            });
            let tenants = vec![ProgramTenant { weight: 1, floor: 0 }];
            let one = Program { capacity: share.clone(), tenants, jobs: jobs.collect() };
            prop_assert_eq!(Some(rank(&one, &alone.choice)), enumerate(&one));
        }
    }

    #[test]
    fn without_tables_the_decision_is_fair_and_the_bound_holds((mut program, shares) in programs()) {
        let solution = solve_round(0, &mut program, &shares);
        let reached: Vec<i64> = program.tenants.iter().map(|tenant| tenant.floor).collect();
        let mut all_reached = true;
        for (tenant, share) in (0..).zip(&shares) {
            let floor = worth_of_share(&program, tenant, share);
            prop_assert!(reached[tenant as usize] <= floor);
            all_reached &= reached[tenant as usize] == floor;
            program.tenants[tenant as usize].floor = floor;
        }
        let (optimum, _, _) = enumerate(&program).unwrap();
        prop_assert!(solution.bound >= optimum, "bound {} < {}", solution.bound, optimum);
        if all_reached {
            prop_assert!(solution.objective <= optimum);
        }
        if solution.status == Status::Optimal && all_reached {
            prop_assert_eq!(solution.objective, optimum);
        }
    }

    #[test]
    fn nothing_that_is_worth_something_is_left_free(
        (mut program, shares) in programs(),
        budget in prop::sample::select(vec![0, BUDGET]),
    ) {
        let solution = solve_round(budget, &mut program, &shares);
        let mut free = program.capacity.clone();
        for (job, option) in program.jobs.iter().zip(&solution.choice) {
            for (resource, amount) in option.iter().flat_map(|&o| job.options[usize::from(o)].usage.amounts()) {
                free[resource] -= amount;
            }
        }
        for (job, _) in program.jobs.iter().zip(&solution.choice).filter(|(_, option)| option.is_none()) {
            prop_assert!(job.options.iter().all(|option| !option.usage.fits(&free)));
        }
    }

    #[test]
    fn given_floors_are_met_or_refuted((mut program, _) in programs(), floors in prop::array::uniform3(0i64..9)) {
        for (tenant, floor) in program.tenants.iter_mut().zip(floors) {
            tenant.floor = floor;
        }
        let solution = Ladder::new(BUDGET).solve(&program).unwrap();
        match enumerate(&program) {
            None => prop_assert_eq!(solution.status, Status::Infeasible),
            Some((optimum, ..)) => {
                prop_assert_eq!(solution.status, Status::Optimal);
                prop_assert!(program.is_feasible(&solution.choice));
                prop_assert_eq!(solution.objective, optimum);
            }
        }
        // Without tables: a feasible choice, a refutation, or no answer, but never a wrong one.
        if let Some(solution) = Ladder::new(0).solve(&program) {
            match enumerate(&program) {
                None => prop_assert_eq!(solution.status, Status::Infeasible),
                Some((optimum, ..)) => {
                    prop_assert!(program.is_feasible(&solution.choice));
                    prop_assert!(solution.objective <= optimum && optimum <= solution.bound);
                }
            }
        }
    }

    #[test]
    fn a_larger_share_is_worth_no_less((program, shares) in programs(), more in prop::array::uniform3(0u32..3)) {
        let mut ladder = Ladder::new(BUDGET);
        let mut worth = |share: &[u32]| {
            let alone = Program {
                capacity: share.to_vec(),
                tenants: vec![ProgramTenant { weight: 1, floor: 0 }],
                jobs: program.jobs.iter().map(|job| ProgramJob { tenant: 0, ..job.clone() }).collect(),
            };
            ladder.solve(&alone).unwrap().objective
        };
        prop_assert_eq!(worth(&[0, 0, 0]), 0);
        let larger: Vec<u32> = shares[0].iter().zip(more).map(|(share, more)| share + more).collect();
        prop_assert!(worth(&larger) >= worth(&shares[0]));
    }
}
