//! What the page draws (Yew).

pub mod results;
