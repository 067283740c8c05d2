//! The width of an element, for what is drawn to fit.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// The width in px of the element that the node is given to, followed as it changes; 0 before it is known.
#[hook]
pub fn use_width() -> (NodeRef, f64) {
    let node = use_node_ref();
    let width = use_state_eq(|| 0.0_f64);
    {
        let width = width.setter();
        use_effect_with(node.clone(), move |node| {
            let element = node.cast::<Element>();
            let measured = element.clone();
            let on_resize = Closure::<dyn FnMut()>::new(move || {
                if let Some(element) = &measured {
                    width.set(f64::from(element.client_width()));
                }
            });
            let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, &element) {
                observer.observe(element);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(on_resize);
            }
        });
    }
    (node, *width)
}
