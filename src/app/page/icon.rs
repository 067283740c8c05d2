//! Icons: a 16 px grid, 1.5 px strokes, drawn in the colour of the text beside them.

use yew::prelude::*;

/// Every icon of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    /// Nothing leaves.
    Lock,
    /// Bring in.
    Up,
    /// Take away.
    Down,
    /// A link.
    Share,
    /// Light and dark.
    Theme,
    /// A question.
    Help,
    /// Right.
    Check,
    /// Close, remove.
    Cross,
    /// Something to look at.
    Warn,
    /// Start.
    Play,
    /// Go on later.
    Pause,
    /// End.
    Stop,
    /// One more.
    Plus,
    /// A file.
    File,
    /// A remark.
    Info,
    /// A step back.
    Undo,
    /// A step forth.
    Redo,
}

impl Icon {
    /// Outline and filled parts.
    fn shapes(self) -> (&'static str, &'static str) {
        match self {
            Self::Lock => (
                "M4.5 7h7a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 3 12.5v-4A1.5 1.5 0 0 1 4.5 7zM5 7V5a3 3 0 0 1 6 0v2",
                "",
            ),
            Self::Up => ("M8 10.5V2.5M4.8 5.5 8 2.3l3.2 3.2M2.5 10.5v2a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-2", ""),
            Self::Down => ("M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M2.5 11.5v1a1 1 0 0 0 1 1h9a1 1 0 0 0 1-1v-1", ""),
            Self::Share => (
                "M6.7 9.3a2.5 2.5 0 0 0 3.6 0l2.6-2.6a2.5 2.5 0 0 0-3.6-3.6l-.8.8M9.3 6.7a2.5 2.5 0 0 0-3.6 0L3.1 9.3a2.5 2.5 0 0 0 3.6 3.6l.8-.8",
                "",
            ),
            Self::Pause => ("", "M4.5 3.5h2.4v9H4.5zM9.1 3.5h2.4v9H9.1z"),
            Self::Theme => {
                ("M8 2.4a5.6 5.6 0 1 0 0 11.2A5.6 5.6 0 0 0 8 2.4z", "M8 2.4a5.6 5.6 0 0 1 0 11.2z")
            }
            Self::Help => (
                "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.3a1.9 1.9 0 1 1 2.6 1.8c-.5.2-.8.6-.8 1.2M8 11.4v.1",
                "",
            ),
            Self::Check => ("m3.2 8.4 3.2 3.2 6.4-7", ""),
            Self::Cross => ("m4 4 8 8M12 4l-8 8", ""),
            Self::Warn => ("M8 2.2 14.3 13.4H1.7zM8 6.4v3.4M8 11.6v.1", ""),
            Self::Play => ("", "M5 3.3v9.4l7.6-4.7z"),
            Self::Stop => ("", "M5 4h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1z"),
            Self::Plus => ("M8 3.2v9.6M3.2 8h9.6", ""),
            Self::File => ("M4 1.8h5.2L12.5 5v9.2h-8.5zM9 1.8V5.2h3.5", ""),
            Self::Info => ("M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.3v3.6M8 5.1v.1", ""),
            Self::Undo => ("M5.8 3 2.8 6l3 3M2.8 6h6.4a3.8 3.8 0 0 1 0 7.6H6", ""),
            Self::Redo => ("m10.2 3 3 3-3 3M13.2 6H6.8a3.8 3.8 0 0 0 0 7.6H10", ""),
        }
    }

    /// The icon as a drawing that says nothing to a screen reader.
    pub fn html(self) -> Html {
        let (outline, filled) = self.shapes();
        html! {
            <svg class="ic" viewBox="0 0 16 16" aria-hidden="true">
                if !outline.is_empty() { <path d={outline} /> }
                if !filled.is_empty() { <path class="fill" d={filled} /> }
            </svg>
        }
    }
}

/// The mark of the page: two rows of slots, cut differently.
pub fn mark() -> Html {
    html! {
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <rect class="lg-a" x="1" y="1" width="12" height="9.5" rx="2" />
            <rect class="lg-b" x="14.5" y="1" width="8.5" height="9.5" rx="2" />
            <rect class="lg-c" x="1" y="12" width="5.5" height="11" rx="2" />
            <rect class="lg-a" x="8" y="12" width="15" height="11" rx="2" />
        </svg>
    }
}
