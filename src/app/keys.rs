//! Keys that work anywhere on the page: what each does now, and the list that the reader is shown.

use super::comparison::Toggle;
use super::laboratory::Change;
use super::state::{Action, Dialog, Edit, LetterKeys, State, View};
use crate::policy::registry;

/// A key that was pressed outside of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character, without Ctrl or Alt.
    Char(char),
    /// Alt and a digit from 1.
    AltDigit(u8),
    /// Escape.
    Escape,
    /// Ctrl+Z.
    Undo,
    /// Ctrl+Y or Ctrl+Shift+Z.
    Redo,
}

/// Keys and what they do, for the reader.
pub const HELP: [(&str, &str); 15] = [
    ("R", "run the comparison"),
    ("Esc", "cancel a run or reading, close a window"),
    ("1 … 9", "set-up: choose a policy; results: show or hide one"),
    ("Alt 1 … 9", "results: show one policy alone"),
    ("W S · + −", "charts over time and schedule: zoom, all of them together"),
    (
        "A D",
        "charts over time and schedule: pan; arrow keys move the cursor, Page Up and Down the schedule's rows",
    ),
    ("F · 0", "charts over time: everything; schedule: fit the pinned job, everything"),
    ("Shift ← →", "charts over time: select from the cursor on; Esc lets go"),
    (". ,", "schedule: next bar, the bar before; Enter pins its job"),
    ("Enter", "tenants: look at the jobs of the one at the cursor"),
    (". , · > <", "moment by moment: next change, the one before; next round, the one before; Space plays"),
    ("T", "theme: system, light, dark"),
    ("Ctrl Z", "undo a change of the set-up or, in the laboratory, of the instance"),
    ("Ctrl Y", "redo it"),
    ("?", "these keys"),
];

/// What a key does now. An open window has the keyboard for itself.
#[must_use]
pub fn action(state: &State, key: Key) -> Option<Action> {
    if state.dialog.is_some() {
        return None;
    }
    match key {
        Key::Escape if state.runs.active.is_some() || state.runs.awaited.is_some() => Some(Action::Cancel),
        Key::Escape if state.inputs.reading.is_some() => Some(Action::StopReading),
        Key::Escape => None,
        Key::Undo if state.view == View::Laboratory => Some(Action::Laboratory(Change::Undo)),
        Key::Redo if state.view == View::Laboratory => Some(Action::Laboratory(Change::Redo)),
        Key::Undo => Some(Action::Undo),
        Key::Redo => Some(Action::Redo),
        Key::AltDigit(digit) => shown_policy(state, digit, Toggle::Solo),
        Key::Char(_) if state.letter_keys == LetterKeys::Off => None,
        Key::Char('r' | 'R') if state.runs.active.is_none() => Some(Action::Run),
        Key::Char('t' | 'T') => Some(Action::Theme(state.theme.next())),
        Key::Char('?') => Some(Action::Open(Dialog::Keys)),
        Key::Char(digit @ '1'..='9') => {
            let digit = digit as u8 - b'0';
            match state.view {
                View::Start | View::Experiment | View::Laboratory => None,
                View::SetUp => chosen_policy(state, digit),
                View::Results => shown_policy(state, digit, Toggle::Flip),
            }
        }
        Key::Char(_) => None,
    }
}

/// Puts the policy with this number in the set-up into the comparison, or takes it out.
fn chosen_policy(state: &State, digit: u8) -> Option<Action> {
    let spec = registry::policies().get(usize::from(digit).checked_sub(1)?)?;
    let entry = state.scenario.policies.iter().find(|choice| choice.name == spec.name);
    Some(Action::Edit(match entry {
        Some(choice) => Edit::RemovePolicy(choice.label().to_owned()),
        None => Edit::AddPolicy(spec.name.to_owned()),
    }))
}

/// Uses the chip with this number in the results.
fn shown_policy(state: &State, digit: u8, toggle: Toggle) -> Option<Action> {
    let (set, _) = state.displayed()?;
    let choice = set.scenario.policies.get(usize::from(digit).checked_sub(1)?)?;
    (state.view == View::Results).then(|| Action::Toggle(choice.label().to_owned(), toggle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Now;

    fn on(view: View) -> State {
        State { view, ..State::default() }
    }

    #[test]
    fn digits_choose_policies_in_the_set_up() {
        let mut state = on(View::SetUp);
        let before = state.scenario.policies.clone();
        let first = registry::policies()[0].name;
        let had = before.iter().any(|choice| choice.name == first);
        let press = action(&state, Key::Char('1')).unwrap();
        state.apply(press, &Now::default());
        assert_eq!(state.scenario.policies.iter().any(|choice| choice.name == first), !had);
        let press = action(&state, Key::Char('1')).unwrap();
        state.apply(press, &Now::default());
        assert_eq!(state.scenario.policies, before);
        assert_eq!(action(&on(View::Start), Key::Char('1')), None);
        assert_eq!(action(&on(View::Results), Key::Char('1')), None, "nothing to hide");
    }

    #[test]
    fn letters_can_be_turned_off_and_do_nothing_under_a_window() {
        let state = on(View::SetUp);
        assert_eq!(action(&state, Key::Char('r')), Some(Action::Run));
        assert_eq!(action(&state, Key::Char('x')), None);
        let off = State { letter_keys: LetterKeys::Off, ..state.clone() };
        assert_eq!(action(&off, Key::Char('r')), None);
        assert_eq!(action(&off, Key::Undo), Some(Action::Undo));
        let covered = State { dialog: Some(Dialog::Share), ..state };
        assert_eq!(action(&covered, Key::Char('?')), None);
        assert_eq!(action(&covered, Key::Undo), None);
    }

    #[test]
    fn escape_ends_what_is_under_way() {
        let mut state = on(View::SetUp);
        assert_eq!(action(&state, Key::Escape), None);
        state.apply(Action::Run, &Now::default());
        assert!(state.runs.awaited.is_some());
        assert_eq!(action(&state, Key::Escape), Some(Action::Cancel));
        state.apply(Action::Cancel, &Now::default());
        assert_eq!(action(&state, Key::Escape), Some(Action::StopReading));
    }
}
