//! A button that opens a box of further controls.

use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, Node};
use yew::prelude::*;

/// What a menu needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct MenuProps {
    /// A class for its layout.
    pub(super) class: &'static str,
    /// What the button says.
    pub(super) title: &'static str,
    /// The controls.
    pub(super) children: Html,
}

/// The menu. It closes on Escape and when the focus moves elsewhere.
#[component]
pub(super) fn Menu(props: &MenuProps) -> Html {
    let node = use_node_ref();
    let close = {
        let node = node.clone();
        move || {
            if let Some(element) = node.cast::<Element>() {
                // Removing what is not there is no failure.
                let _ = element.remove_attribute("open");
            }
        }
    };
    let on_key = {
        let close = close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.stop_propagation();
                close();
            }
        })
    };
    let on_leave = {
        let node = node.clone();
        Callback::from(move |event: FocusEvent| {
            let next = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
            let inside = node.cast::<Node>().is_some_and(|menu| menu.contains(next.as_ref()));
            if next.is_some() && !inside {
                close();
            }
        })
    };
    html! {
        <details ref={node} class={classes!("menu", props.class)} onkeydown={on_key} onfocusout={on_leave}>
            <summary class="btn">{ props.title }</summary>
            <div class="pop">{ props.children.clone() }</div>
        </details>
    }
}
