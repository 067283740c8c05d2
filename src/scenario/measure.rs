//! What of a run is measured: a window that cuts off warming up and cooling down, and the contention that finish-time fairness assumes.

use serde::{Deserialize, Serialize};

use super::{ScenarioError, in_range};
use crate::metrics::window::Window;
use crate::units::{SimSpan, SimTime};
use crate::workload::BoundJob;

/// What is measured. It changes no run, only what is said of it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct MeasureSpec {
    /// Seconds from the first submission: jobs submitted earlier do not count; `null` = from the beginning.
    #[serde(default)]
    pub from_s: Option<f64>,
    /// Jobs submitted at this time or later do not count; `null` = to the end.
    #[serde(default)]
    pub to_s: Option<f64>,
    /// The contention c in rho = JCT / (duration · c); `null` = that of the run, at least 1.
    #[serde(default)]
    pub ftf_n: Option<f64>,
}

impl MeasureSpec {
    /// Whether it is what holds without it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The window.
    #[must_use]
    pub fn window(&self) -> Window {
        let at = |seconds: f64| SimTime::ZERO + SimSpan::from_secs(seconds);
        Window {
            from: self.from_s.map_or(Window::WHOLE.from, at),
            to: self.to_s.map_or(Window::WHOLE.to, at),
        }
    }

    /// Checks every value.
    pub(super) fn check(&self) -> Result<(), ScenarioError> {
        for (key, value) in [("from_s", self.from_s), ("to_s", self.to_s)] {
            if let Some(seconds) = value {
                in_range(format!("measure.{key}"), seconds, 0.0, 1e11)?;
            }
        }
        if let (Some(from), Some(to)) = (self.from_s, self.to_s)
            && from >= to
        {
            let expected = format!("more than measure.from_s, which is {from}");
            return Err(ScenarioError::value("measure.to_s", to, &expected));
        }
        if let Some(n) = self.ftf_n {
            in_range("measure.ftf_n", n, 1.0, 1e9)?;
        }
        Ok(())
    }

    /// Checks that some of `jobs` are measured.
    pub(super) fn check_jobs(&self, jobs: &[BoundJob]) -> Result<(), ScenarioError> {
        let window = self.window();
        let submits = jobs.iter().map(|job| job.submit);
        if submits.clone().any(|submit| window.holds(submit)) {
            return Ok(());
        }
        let at = |time: Option<SimTime>| time.map_or(0.0, SimTime::as_secs);
        let (first, last) = (at(submits.clone().min()), at(submits.max()));
        let found = format!("a window without any of the {} jobs", jobs.len());
        let expected = format!("one that holds a submission; they are from {first} s to {last} s");
        Err(ScenarioError::value("measure", found, &expected))
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::Scenario;
    use crate::scenario::hash::scenario_hash;
    use crate::scenario::run::{generated, prepare};

    fn scenario(measure: &str) -> Result<Scenario, String> {
        let text = format!(
            r#"{{"cluster": {{"nodes": [{{"gpu": "V100-16", "count": 2, "gpus_per_node": 4}}]}},
            "workload": {{"synthetic": {{"jobs": 50}}}}, "policies": [{{"name": "fifo"}}]{measure}}}"#
        );
        Scenario::from_json(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_window_is_part_of_the_scenario_and_of_its_hash() {
        let workload = generated(&scenario("").unwrap()).unwrap();
        let plain = scenario("").unwrap();
        let empty = scenario(r#", "measure": {"from_s": null, "to_s": null}"#).unwrap();
        let cut = scenario(r#", "measure": {"from_s": 3600}"#).unwrap();
        assert_eq!(plain, empty);
        assert!(!plain.to_json().contains("measure"));
        assert_eq!(Scenario::from_json(&cut.to_json()).unwrap(), cut);
        assert_ne!(scenario_hash(&plain, &workload), scenario_hash(&cut, &workload));
    }

    #[test]
    fn errors_name_the_place() {
        for (measure, place) in [
            (r#"{"from_s": -1}"#, "measure.from_s: found -1"),
            (
                r#"{"from_s": 5, "to_s": 5}"#,
                "measure.to_s: found 5, expected more than measure.from_s, which is 5",
            ),
            (r#"{"to_s": 1e12}"#, "measure.to_s: found 1000000000000"),
            (r#"{"ftf_n": 0.5}"#, "measure.ftf_n: found 0.5"),
            (r#"{"from": 1}"#, "measure.from: unknown key"),
        ] {
            let error = scenario(&format!(r#", "measure": {measure}"#)).unwrap_err();
            assert!(error.starts_with(place), "{error}");
        }
        let far = scenario(r#", "measure": {"from_s": 1e10}"#).unwrap();
        let error = prepare(&far, &generated(&far).unwrap()).unwrap_err().to_string();
        assert!(error.starts_with("measure: found a window without any of the 50 jobs"), "{error}");
    }
}
