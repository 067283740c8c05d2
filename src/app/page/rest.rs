//! Values that follow another once that has come to rest.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// A value as it was when it last had not changed for so many milliseconds; the default at first.
#[hook]
pub fn use_rested<T: Clone + PartialEq + Default + 'static>(value: &T, rest_ms: u32) -> T {
    let rested = use_state_eq(T::default);
    {
        let rested = rested.setter();
        use_effect_with(value.clone(), move |value| {
            let value = value.clone();
            let timeout = Timeout::new(rest_ms, move || rested.set(value));
            move || drop(timeout)
        });
    }
    (*rested).clone()
}
