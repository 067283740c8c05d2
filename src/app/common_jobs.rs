//! The mean completion time over the jobs that finished in every run, where the runs were made in different workers.

use crate::metrics::distribution::mean;

/// For each run its mean over the jobs that are finished in all of `runs`, which are alike but for their policy. A run is the
/// completion time of every job in seconds, NaN where it did not finish. `None` where no job finished in all of them.
#[must_use]
pub fn means(runs: &[Vec<f64>]) -> Vec<Option<f64>> {
    let jobs = runs.iter().map(Vec::len).min().unwrap_or(0);
    let common: Vec<usize> = (0..jobs).filter(|&job| runs.iter().all(|run| run[job].is_finite())).collect();
    runs.iter()
        .map(|run| {
            let mut jct_s: Vec<f64> = common.iter().map(|&job| run[job]).collect();
            // Summed as the mean over all jobs is, so that the two are equal when every job finished.
            jct_s.sort_by(f64::total_cmp);
            mean(&jct_s)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::samples;
    use crate::scenario::run::{generated, prepare, set_common_means};

    #[test]
    fn it_is_what_the_command_line_computes() {
        let mut scenario = samples::default_scenario();
        scenario.round.horizon_s = Some(60_000.0);
        let prepared = prepare(&scenario, &generated(&scenario).unwrap()).unwrap();
        let mut finished: Vec<_> = [1, 3].map(|index| prepared.run(index, 0, &mut ()).unwrap()).into();
        let runs: Vec<Vec<f64>> =
            finished.iter().map(|run| prepared.completion_times_s(&run.record)).collect();
        assert!(runs.iter().all(|run| run.iter().any(|jct| jct.is_nan())), "the horizon cuts some jobs off");
        set_common_means(&prepared, &mut finished);
        let expected: Vec<_> =
            finished.iter().map(|run| run.result.metrics.get("jct_mean_common_s")).collect();
        assert_eq!(means(&runs), expected);
        assert!(expected.iter().all(Option::is_some));
    }

    #[test]
    fn nothing_in_common_has_no_mean() {
        assert_eq!(means(&[vec![1.0, f64::NAN], vec![f64::NAN, 1.0]]), [None, None]);
        assert_eq!(means(&[vec![1.0, 3.0], vec![f64::NAN, 5.0]]), [Some(3.0), Some(5.0)]);
        assert_eq!(means(&[]), Vec::<Option<f64>>::new());
    }
}
