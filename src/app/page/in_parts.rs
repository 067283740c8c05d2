//! A big view comes part by part, so that no single task keeps the page from answering: what is seen first is there at once, what is
//! below it within a few frames.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// About a frame: what one part shows is laid out and painted before the next one comes.
const BETWEEN_MS: u32 = 16;

/// The parts of a view.
#[derive(Properties, Clone, PartialEq)]
pub struct InPartsProps {
    /// So many are there at once.
    #[prop_or(1)]
    pub first: usize,
    /// So many parts of the view come before these.
    #[prop_or_default]
    pub after: usize,
    /// Each of them a part.
    pub children: Children,
}

/// Shows its children one after another, in their order. Those that are there stay: nothing that is shown moves, for what comes is below.
#[component]
pub fn InParts(props: &InPartsProps) -> Html {
    let InPartsProps { first, after, children } = props;
    let turn = use_state_eq(|| 0_usize);
    let last = (after + children.len()).saturating_sub(*first);
    {
        let set_turn = turn.setter();
        use_effect_with((*turn, last), move |&(turn, last)| {
            let next = (turn < last).then(|| Timeout::new(BETWEEN_MS, move || set_turn.set(turn + 1)));
            move || drop(next)
        });
    }
    let there = (first + *turn).saturating_sub(*after);
    // A part that is to come has its place in the list, so that those that are there keep theirs.
    let part = |(at, child): (usize, Html)| {
        if at < there {
            child
        } else {
            html! {}
        }
    };
    html! { <>{ for children.iter().enumerate().map(part) }</> }
}
