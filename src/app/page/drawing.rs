//! Drawings that nothing is read from: they fill the width they are given.

use yew::prelude::*;

use super::width::use_width;
use crate::chart::Scene;

/// Draws something at a width in px.
pub type Draw<T> = fn(&T, f64) -> Scene;

/// A drawing.
#[derive(Properties, Clone)]
pub struct DrawingProps<T: Clone + PartialEq + 'static> {
    /// What is drawn.
    pub of: T,
    /// How it is drawn.
    pub draw: Draw<T>,
}

/// The function is the same in one place of the page as long as it shows the same kind of thing.
impl<T: Clone + PartialEq> PartialEq for DrawingProps<T> {
    fn eq(&self, other: &Self) -> bool {
        self.of == other.of
    }
}

/// A drawing, drawn anew when what it shows or its width changes.
#[component]
pub fn Drawing<T: Clone + PartialEq + 'static>(props: &DrawingProps<T>) -> Html {
    let (node, width) = use_width();
    let svg = use_memo((props.clone(), width), |(props, width)| {
        if *width > 0.0 {
            scene(&(props.draw)(&props.of, *width))
        } else {
            html! {}
        }
    });
    html! { <div class="plot" ref={node}>{ (*svg).clone() }</div> }
}

/// A finished drawing.
pub fn scene(scene: &Scene) -> Html {
    Html::from_html_unchecked(scene.to_svg().into())
}
