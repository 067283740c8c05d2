//! Which run a panel of devices shows, and which other run of the same jobs with it.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::JobTable;
use crate::app::comparison::Comparison;

/// A run by its label and seed.
pub(super) type Key = (String, u64);

/// Schedules of up to so many bytes are shown without being asked for.
pub(super) const SMALL_BYTES: f64 = 2_000_000.0;

/// What a reader chose.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Choice {
    chosen: Option<Key>,
    other: Option<Key>,
}

/// The runs there are to choose from.
#[derive(Clone, Copy)]
pub(super) struct Runs<'p> {
    /// Their tables.
    pub(super) tables: &'p [JobTable],
    /// What their policies are called.
    pub(super) comparison: &'p Comparison,
}

impl<'p> Runs<'p> {
    /// Those with devices.
    pub(super) fn with_schedule(self) -> impl Iterator<Item = &'p JobTable> + Clone {
        self.tables.iter().filter(|table| table.schedule.is_some())
    }

    /// What a run is called.
    pub(super) fn title(self, table: &JobTable) -> String {
        format!("{}, seed {}", self.policy(table), table.seed)
    }

    /// What its policy is called.
    pub(super) fn policy(self, table: &JobTable) -> &'p str {
        let row = self.comparison.rows().iter().find(|row| row.label == table.policy);
        let label = || self.tables.iter().find(|of| of.policy == table.policy).map(|of| of.policy.as_str());
        row.map(|row| row.title.as_str()).or_else(label).unwrap_or_default()
    }
}

impl Choice {
    /// The run that is shown: the one chosen, that of the subject, or the first.
    pub(super) fn first<'p>(&self, runs: Runs<'p>) -> Option<&'p JobTable> {
        let of = |label: &str, seed: Option<u64>| {
            runs.with_schedule()
                .filter(|table| table.policy == label && seed.is_none_or(|seed| table.seed == seed))
                .min_by_key(|table| table.seed)
        };
        let chosen = self.chosen.as_ref().and_then(|(label, seed)| of(label, Some(*seed)));
        let subject = runs.comparison.subject().and_then(|row| of(&row.label, None));
        chosen.or(subject).or_else(|| runs.with_schedule().next())
    }

    /// The run with it, if one is chosen that has the same jobs.
    pub(super) fn second<'p>(&self, runs: Runs<'p>) -> Option<&'p JobTable> {
        let first = self.first(runs)?;
        let (label, seed) = self.other.as_ref()?;
        runs.with_schedule()
            .find(|table| table.policy == *label && table.seed == *seed)
            .filter(|table| has_same_jobs(table, first))
    }

    /// Another run was chosen. If it was the other one, the two change places.
    pub(super) fn choose(&mut self, key: Key) {
        if self.other.as_ref() == Some(&key) {
            self.other.clone_from(&self.chosen);
        }
        self.chosen = Some(key);
    }

    /// Another run with it, or none.
    pub(super) fn compare(&mut self, other: Option<Key>) {
        self.other = other;
    }

    /// The two lists to choose from.
    pub(super) fn selects(&self, runs: Runs<'_>, lists: &Lists) -> Html {
        let (first, second) = (self.first(runs), self.second(runs));
        let key = |table: &JobTable| (table.policy.clone(), table.seed);
        let keys: Vec<Key> = runs.with_schedule().map(key).collect();
        let on_choose = {
            let on_choose = lists.on_choose.clone();
            Callback::from(move |event: Event| {
                let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
                if let Some(key) = usize::try_from(at).ok().and_then(|at| keys.get(at)) {
                    on_choose.emit(key.clone());
                }
            })
        };
        let others =
            runs.with_schedule().filter(|table| first.is_some_and(|first| has_same_jobs(table, first)));
        let other_keys: Vec<Key> = others.clone().map(key).collect();
        let has_others = !other_keys.is_empty();
        let on_compare = lists.on_compare.reform(move |event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            usize::try_from(at - 1).ok().and_then(|at| other_keys.get(at)).cloned()
        });
        let option = |table: &JobTable, is_chosen: bool| {
            html! { <option selected={is_chosen}>{ runs.title(table) }</option> }
        };
        html! {
            <>
                <label class="inline"><span class="vh">{ "Run" }</span>
                    <select data-testid={format!("{}-run", lists.testid)} onchange={on_choose}>
                        { for runs.with_schedule().map(|table| option(table, first == Some(table))) }
                    </select>
                </label>
                if has_others {
                    <label class="inline">{ lists.with }
                        <select data-testid={format!("{}-other", lists.testid)} onchange={on_compare}>
                            <option selected={second.is_none()}>{ "nothing" }</option>
                            { for others.map(|table| option(table, second == Some(table))) }
                        </select>
                    </label>
                }
            </>
        }
    }
}

/// What the lists of a panel are called, and who hears of a choice.
pub(super) struct Lists {
    /// How the hooks for tests begin.
    pub(super) testid: &'static str,
    /// Where the second run stands.
    pub(super) with: &'static str,
    /// A run was chosen.
    pub(super) on_choose: Callback<Key>,
    /// A run with it was chosen, or none.
    pub(super) on_compare: Callback<Option<Key>>,
}

/// Runs of one seed under two policies have the same jobs.
fn has_same_jobs(table: &JobTable, other: &JobTable) -> bool {
    table.seed == other.seed && table.policy != other.policy
}
