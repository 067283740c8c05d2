//! How far an experiment is, and how to pause or stop it.

use yew::prelude::*;

use crate::app::experiment::{Course, Phase};
use crate::app::page::icon::Icon;
use crate::app::page::run_bar::ProgressBar;
use crate::app::strings::experiment as words;

/// What can be done with an experiment under way.
pub(super) struct Controls {
    /// No further run is to begin.
    pub(super) pause: Callback<()>,
    /// Runs are to begin again.
    pub(super) resume: Callback<()>,
    /// It is to be given up.
    pub(super) cancel: Callback<()>,
}

/// How far an experiment is. Drawn anew with every news, so that comparing it with what was drawn before would cost more.
pub(super) fn progress_panel(course: &Course, now_s: f64, controls: &Controls) -> Html {
    let percent = (course.share() * 100.0).floor().clamp(0.0, 100.0) as u32;
    let button = |text: &'static str, testid: &'static str, icon: Icon, act: &Callback<()>| {
        html! {
            <button class="btn" type="button" data-testid={testid} onclick={act.reform(|_: MouseEvent| ())}>{ icon.html() }{ text }</button>
        }
    };
    html! {
        <section class="panel exp-progress" aria-label="Progress">
            <div class="run-txt">
                <span data-testid="experiment-status">{ words::status(course) }</span>
                <span class="grow"></span>
                <span class="muted">{ words::time(course, now_s) }</span>
            </div>
            if course.is_open() {
                <ProgressBar {percent} label="Experiment" testid="experiment-progress" />
                <div class="exp-go">
                    if course.phase == Phase::Paused { { button("Go on", "experiment-resume", Icon::Play, &controls.resume) } }
                    else { { button("Pause", "experiment-pause", Icon::Pause, &controls.pause) } }
                    { button("Cancel", "experiment-cancel", Icon::Stop, &controls.cancel) }
                </div>
            }
            if !course.lost.is_empty() {
                <details>
                    <summary>{ words::lost(course.lost.len()) }</summary>
                    <ul class="exp-lost">{ for course.lost.iter().take(words::MOST_LOST).map(|lost| html! { <li>{ words::lost_run(&course.sweep, lost) }</li> }) }</ul>
                </details>
            }
            <span class="vh" role="status">{ words::spoken(course, percent) }</span>
        </section>
    }
}
