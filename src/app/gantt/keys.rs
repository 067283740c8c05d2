//! Keys of the Gantt, as in Perfetto where it has them.

use super::Viewer;
use crate::chart::gantt::Towards;

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Press {
    /// Less time, or more.
    Zoom(f64),
    /// Later by this share of the window.
    Pan(f64),
    /// Other rows, by this share of the room.
    Scroll(f64),
    /// The whole run.
    All,
    /// The pinned job, or the whole run.
    Fit,
    /// The next bar.
    Step(Towards),
    /// The cursor, by steps of time and lines.
    Move(f64, i32),
    /// The cursor to the beginning or the end.
    To(Towards),
    /// Pin the job, or fold the row.
    Act,
    /// Let go of what is selected or pinned.
    LetGo,
}

/// What one press of a zooming key leaves of the window.
const ZOOM: f64 = 0.75;
const PAN: f64 = 0.15;
const SCROLL: f64 = 0.8;

/// What a key asks for; `None` for a key that is the page's or the browser's.
#[must_use]
pub fn press(key: &str, shift: Shift) -> Option<Press> {
    let stride = if shift == Shift::Held { 5 } else { 1 };
    Some(match key {
        "w" | "W" | "+" | "=" => Press::Zoom(ZOOM),
        "s" | "S" | "-" | "_" => Press::Zoom(1.0 / ZOOM),
        "a" | "A" => Press::Pan(-PAN),
        "d" | "D" => Press::Pan(PAN),
        "0" => Press::All,
        "f" | "F" => Press::Fit,
        "." => Press::Step(Towards::Next),
        "," => Press::Step(Towards::Previous),
        "ArrowLeft" => Press::Move(-f64::from(stride), 0),
        "ArrowRight" => Press::Move(f64::from(stride), 0),
        "ArrowUp" => Press::Move(0.0, -stride),
        "ArrowDown" => Press::Move(0.0, stride),
        "Home" => Press::To(Towards::Previous),
        "End" => Press::To(Towards::Next),
        "PageUp" => Press::Scroll(-SCROLL),
        "PageDown" => Press::Scroll(SCROLL),
        "Enter" | " " => Press::Act,
        "Escape" => Press::LetGo,
        _ => return None,
    })
}

/// Whether the Shift key is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// It is.
    Held,
    /// It is not.
    Free,
}

impl Viewer {
    /// Does what a key asks for; whether there was anything to do.
    pub fn press(&mut self, press: Press) -> bool {
        match press {
            Press::Zoom(factor) => self.zoom(factor, self.cursor_fraction().unwrap_or(0.5)),
            Press::Pan(share) => self.pan(share, 0.0),
            Press::Scroll(share) => self.pan(0.0, share * self.room_px()),
            Press::All => self.show_all(),
            Press::Fit => self.fit(),
            Press::Step(towards) => self.step(towards),
            Press::Move(steps, lines) => self.move_cursor(steps, lines),
            Press::To(end) => self.cursor_to(end),
            Press::Act => self.act(),
            Press::LetGo => return self.let_go(),
        }
        true
    }

    /// Where the cursor is in the window, if it is there.
    fn cursor_fraction(&self) -> Option<f64> {
        let fraction = self.window().fraction(self.cursor?.tick);
        (0.0..=1.0).contains(&fraction).then_some(fraction)
    }
}
