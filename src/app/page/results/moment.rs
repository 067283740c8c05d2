//! A run, or two, moment by moment: a slider over time that plays, and what the devices hold and who waits at the page's cursor.

mod pane;

use std::rc::Rc;

use gloo::events::EventListener;
use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use gloo::utils::{document, window};
use web_sys::{Blob, HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use self::pane::Pane;
use super::JobTable;
use super::choice::{Choice, Key, Lists, Runs, SMALL_BYTES};
use super::explain::Inspected;
use super::readings::{Laid, Outcome, Readings};
use crate::app::comparison::Comparison;
use crate::app::explain::Ledger;
use crate::app::moment::{Moment as Now, Moments, Speed, Titles, round_at};
use crate::app::page::icon::Icon;
use crate::app::page::rest::use_rested;
use crate::app::strings::{gantt, moment as words};

/// The cursor of all charts moves at most so often while playing.
const STEP_MS: f64 = 60.0;
/// After a pause of the browser, playing goes on as if it had been no longer than this.
const LONGEST_MS: f64 = 250.0;
/// Where motion is not wanted, playing goes in steps this far apart.
const CALM_STEP_MS: u32 = 1_000;
/// A screen reader is told where the moment came to rest.
const REST_MS: u32 = 400;

/// What the panel needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct MomentProps {
    /// The runs' tables, their schedules among them.
    pub(super) tables: Rc<Vec<JobTable>>,
    /// The comparison, for what policies are called.
    pub(super) comparison: Rc<Comparison>,
    /// What panels have read.
    pub(super) readings: Readings,
    /// The length of a round.
    pub(super) round_s: f64,
    /// The cursor of every chart over time.
    pub(super) time_s: Option<f64>,
    /// The reader, or time, moved it.
    pub(super) on_time: Callback<f64>,
    /// A round is to be explained.
    pub(super) on_inspect: Callback<Inspected>,
}

impl MomentProps {
    fn runs(&self) -> Runs<'_> {
        Runs { tables: &self.tables, comparison: &self.comparison }
    }
}

/// A schedule as it was read, ready for any moment.
#[derive(Clone)]
struct Kept {
    blob: Blob,
    /// Keeps the reading for the other panels.
    _laid: Rc<Laid>,
    moments: Rc<Moments>,
}

/// Where a step leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The change before.
    Back,
    /// The next change.
    On,
    /// The beginning of the round, or of the one before.
    RoundBack,
    /// The next round.
    RoundOn,
}

/// What the panel hears.
pub(super) enum Msg {
    /// It is to be shown.
    Open,
    /// Another run was chosen.
    Choose(Key),
    /// Another run beside it, or none.
    Compare(Option<Key>),
    /// A schedule was read, or could not be.
    Read(Blob, Outcome<Laid>),
    /// So was a ledger.
    Ledger(Blob, Outcome<Ledger>),
    /// The slider was moved.
    Slide(f64),
    /// To another moment.
    Step(Step),
    /// Play, or pause.
    Toggle,
    /// How fast.
    Speed(Speed),
    /// Time to move on; the browser's clock, or none where time goes in steps.
    Frame(Option<f64>),
    /// The tab is not seen any more.
    Hidden,
}

/// What moves time on. Dropping it stops that.
enum Motion {
    Smooth(#[expect(dead_code, reason = "kept for its drop")] AnimationFrame),
    Calm(#[expect(dead_code, reason = "kept for its drop")] Timeout),
}

/// The panel.
pub(super) struct Moment {
    is_open: bool,
    choice: Choice,
    kept: Vec<Kept>,
    ledgers: Vec<(Blob, Rc<Ledger>)>,
    /// What is being read.
    reading: Vec<Blob>,
    failure: Option<String>,
    speed: Speed,
    playing: Option<Motion>,
    /// When time was last moved on.
    moved_ms: Option<f64>,
    _on_hidden: EventListener,
}

impl Component for Moment {
    type Message = Msg;
    type Properties = MomentProps;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link().clone();
        let on_hidden = EventListener::new(&document(), "visibilitychange", move |_| {
            if document().hidden() {
                link.send_message(Msg::Hidden);
            }
        });
        let mut panel = Self {
            is_open: false,
            choice: Choice::default(),
            kept: Vec::new(),
            ledgers: Vec::new(),
            reading: Vec::new(),
            failure: None,
            speed: Speed::default(),
            playing: None,
            moved_ms: None,
            _on_hidden: on_hidden,
        };
        panel.open_if_small(ctx.props());
        panel.fetch(ctx);
        panel
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &MomentProps) -> bool {
        let props = ctx.props();
        if props.tables != old.tables || props.comparison != old.comparison || props.readings != old.readings
        {
            self.open_if_small(props);
            self.fetch(ctx);
        }
        true
    }

    fn update(&mut self, ctx: &Context<Self>, msg: Msg) -> bool {
        match msg {
            Msg::Open => {
                self.is_open = true;
                self.fetch(ctx);
            }
            Msg::Choose(key) => {
                self.choice.choose(key);
                self.fetch(ctx);
            }
            Msg::Compare(other) => {
                self.choice.compare(other);
                self.fetch(ctx);
            }
            // What another choice has made useless is not kept.
            Msg::Read(blob, _) if !self.reading.contains(&blob) => return false,
            Msg::Ledger(blob, _) if !self.reading.contains(&blob) => return false,
            Msg::Read(blob, outcome) => {
                self.reading.retain(|other| *other != blob);
                match outcome {
                    Ok(laid) => {
                        let moments = Rc::new(Moments::new(Rc::clone(&laid.schedule)));
                        self.kept.push(Kept { blob, _laid: laid, moments });
                    }
                    Err(why) => self.failure = Some(why),
                }
            }
            Msg::Ledger(blob, outcome) => {
                self.reading.retain(|other| *other != blob);
                // A run whose ledger cannot be read is shown without entitlements; the panel "Why" says what is wrong with it.
                self.ledgers.extend(outcome.ok().map(|ledger| (blob, ledger)));
            }
            Msg::Slide(time_s) => ctx.props().on_time.emit(time_s),
            Msg::Step(step) => {
                self.pause();
                self.step(ctx.props(), step);
            }
            Msg::Toggle if self.playing.is_some() => self.pause(),
            Msg::Toggle => self.play(ctx),
            Msg::Speed(speed) => self.speed = speed,
            Msg::Frame(now_ms) => return self.advance(ctx, now_ms),
            Msg::Hidden => {
                let was_playing = self.playing.is_some();
                self.pause();
                return was_playing;
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let runs = props.runs();
        let blob = self.choice.first(runs).and_then(|table| table.schedule.as_ref());
        let shown: Vec<(&JobTable, &Kept)> = self.shown(props).collect();
        let body = match (blob, shown.first()) {
            (None, _) if props.tables.is_empty() => html! { <p class="note">{ words::OPENED }</p> },
            (None, _) => html! { <p class="note">{ words::NONE }</p> },
            (Some(blob), _) if !self.is_open => html! {
                <div class="g-closed">
                    <button class="btn primary" type="button" data-testid="moment-open" onclick={ctx.link().callback(|_| Msg::Open)}>{ words::OPEN }</button>
                    <span class="muted">{ gantt::size(blob.size()) }</span>
                </div>
            },
            (Some(_), None) if self.failure.is_some() => html! {},
            (Some(_), None) => html! { <p class="note" role="status">{ words::READING }</p> },
            (Some(_), Some(_)) => self.moment(ctx, &shown),
        };
        html! {
            <section class="panel c12" id="p-moment" data-testid="moment-panel" aria-labelledby="moment-h" onkeydown={self.on_key(ctx)}>
                <div class="p-head">
                    <div><h2 id="moment-h">{ words::TITLE }</h2><p>{ words::ABOUT }</p></div>
                    if self.is_open && blob.is_some() {
                        <div class="p-act wrap">
                            { self.choice.selects(runs, &Lists {
                                testid: "moment",
                                with: "beside it",
                                on_choose: ctx.link().callback(Msg::Choose),
                                on_compare: ctx.link().callback(Msg::Compare),
                            }) }
                        </div>
                    }
                </div>
                if let Some(failure) = &self.failure { <p class="bad" role="alert">{ failure.clone() }</p> }
                { body }
            </section>
        }
    }
}

impl Moment {
    fn open_if_small(&mut self, props: &MomentProps) {
        let blob = self.choice.first(props.runs()).and_then(|table| table.schedule.as_ref());
        self.is_open |= blob.is_some_and(|blob| blob.size() <= SMALL_BYTES);
    }

    /// Reads what is to be shown and not there yet.
    fn fetch(&mut self, ctx: &Context<Self>) {
        if !self.is_open {
            return;
        }
        let props = ctx.props();
        let tables: Vec<&JobTable> = [self.choice.first(props.runs()), self.choice.second(props.runs())]
            .into_iter()
            .flatten()
            .collect();
        let schedules: Vec<&Blob> = tables.iter().filter_map(|table| table.schedule.as_ref()).collect();
        let rounds: Vec<&Blob> = tables.iter().filter_map(|table| table.rounds.as_ref()).collect();
        // What is not shown gives its memory back.
        self.kept.retain(|kept| schedules.contains(&&kept.blob));
        self.ledgers.retain(|(blob, _)| rounds.contains(&blob));
        self.reading.retain(|blob| schedules.contains(&blob) || rounds.contains(&blob));
        self.failure = None;
        for blob in schedules {
            if !self.kept.iter().any(|kept| kept.blob == *blob) && !self.reading.contains(blob) {
                self.reading.push(blob.clone());
                let of = blob.clone();
                props
                    .readings
                    .schedules
                    .get(blob, ctx.link().callback(move |read| Msg::Read(of.clone(), read)));
            }
        }
        for blob in rounds {
            if !self.ledgers.iter().any(|(of, _)| of == blob) && !self.reading.contains(blob) {
                self.reading.push(blob.clone());
                let of = blob.clone();
                props
                    .readings
                    .ledgers
                    .get(blob, ctx.link().callback(move |read| Msg::Ledger(of.clone(), read)));
            }
        }
    }

    /// The runs that are shown and were read.
    fn shown<'p>(&'p self, props: &'p MomentProps) -> impl Iterator<Item = (&'p JobTable, &'p Kept)> {
        let tables = [self.choice.first(props.runs()), self.choice.second(props.runs())];
        tables.into_iter().flatten().filter_map(|table| {
            let blob = table.schedule.as_ref()?;
            Some((table, self.kept.iter().find(|kept| kept.blob == *blob)?))
        })
    }

    /// When the last of the runs that are shown ends.
    fn end_s(&self, props: &MomentProps) -> f64 {
        self.shown(props).map(|(_, kept)| kept.moments.end_s()).fold(0.0, f64::max)
    }

    /// The moment that is shown: where the reader has not been anywhere yet, the middle of the run, as there is more to see than at
    /// its beginning.
    fn time_s(&self, props: &MomentProps) -> f64 {
        let end_s = self.end_s(props);
        props.time_s.map_or(end_s / 2.0, |time_s| time_s.clamp(0.0, end_s))
    }

    fn step(&self, props: &MomentProps, step: Step) {
        let (time_s, end_s) = (self.time_s(props), self.end_s(props));
        let of_runs = |change: fn(&Moments, u32) -> Option<u32>| {
            self.shown(props)
                .filter_map(|(_, kept)| {
                    let moments = &*kept.moments;
                    Some(moments.seconds(change(moments, moments.tick(time_s))?))
                })
                .collect::<Vec<f64>>()
        };
        // A boundary is a whole number of microseconds, and so may lie a little beside the product.
        let round = round_at(time_s, props.round_s) as f64;
        let is_at_boundary = (time_s - round * props.round_s).abs() < 1e-5;
        let to = match step {
            Step::On => of_runs(Moments::change_after).into_iter().reduce(f64::min).unwrap_or(end_s),
            Step::Back => of_runs(Moments::change_before).into_iter().reduce(f64::max).unwrap_or(0.0),
            Step::RoundOn => (round + 1.0) * props.round_s,
            Step::RoundBack if is_at_boundary => (round - 1.0).max(0.0) * props.round_s,
            Step::RoundBack => round * props.round_s,
        };
        props.on_time.emit(to.min(end_s));
    }

    fn pause(&mut self) {
        self.playing = None;
        self.moved_ms = None;
    }

    /// Begins to play: from the cursor, or from the beginning where there is none or the end has been reached.
    fn play(&mut self, ctx: &Context<Self>) {
        let props = ctx.props();
        let end_s = self.end_s(props);
        if end_s <= 0.0 {
            return;
        }
        if props.time_s.is_none_or(|time_s| time_s >= end_s) {
            props.on_time.emit(0.0);
        }
        self.moved_ms = None;
        self.move_on(ctx);
    }

    fn move_on(&mut self, ctx: &Context<Self>) {
        let is_calm = window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
        let link = ctx.link().clone();
        self.playing = Some(if is_calm.is_some_and(|query| query.matches()) {
            Motion::Calm(Timeout::new(CALM_STEP_MS, move || link.send_message(Msg::Frame(None))))
        } else {
            Motion::Smooth(request_animation_frame(move |now_ms| link.send_message(Msg::Frame(Some(now_ms)))))
        });
    }

    fn advance(&mut self, ctx: &Context<Self>, now_ms: Option<f64>) -> bool {
        if self.playing.is_none() {
            return false;
        }
        let props = ctx.props();
        let elapsed_ms = match (now_ms, self.moved_ms) {
            (None, _) => f64::from(CALM_STEP_MS),
            (Some(now), Some(last)) => (now - last).min(LONGEST_MS),
            (Some(_), None) => 0.0,
        };
        if self.moved_ms.is_none() || elapsed_ms >= STEP_MS || now_ms.is_none() {
            let end_s = self.end_s(props);
            let time_s = self.speed.after(self.time_s(props), end_s, elapsed_ms / 1_000.0);
            self.moved_ms = now_ms;
            if elapsed_ms > 0.0 {
                props.on_time.emit(time_s);
            }
            if time_s >= end_s {
                self.pause();
                return true;
            }
        }
        self.move_on(ctx);
        false
    }

    /// Keys of the panel: they do not get in the way of its fields.
    fn on_key(&self, ctx: &Context<Self>) -> Callback<KeyboardEvent> {
        ctx.link().batch_callback(|event: KeyboardEvent| {
            if event.ctrl_key() || event.alt_key() || event.meta_key() {
                return None;
            }
            let on = event.target_dyn_into::<HtmlElement>().map(|of| of.tag_name()).unwrap_or_default();
            let is_slider =
                event.target_dyn_into::<HtmlInputElement>().is_some_and(|of| of.type_() == "range");
            let msg = match event.key().as_str() {
                " " if is_slider => Msg::Toggle,
                _ if on == "SELECT" => return None,
                "," => Msg::Step(Step::Back),
                "." => Msg::Step(Step::On),
                "<" => Msg::Step(Step::RoundBack),
                ">" => Msg::Step(Step::RoundOn),
                _ => return None,
            };
            event.prevent_default();
            event.stop_propagation();
            Some(msg)
        })
    }
}

/// What the panel is made of.
impl Moment {
    fn moment(&self, ctx: &Context<Self>, shown: &[(&JobTable, &Kept)]) -> Html {
        let (props, link) = (ctx.props(), ctx.link());
        let (time_s, end_s) = (self.time_s(props), self.end_s(props));
        let now: Vec<Rc<Now>> =
            shown.iter().map(|(_, kept)| Rc::new(kept.moments.at(kept.moments.tick(time_s)))).collect();
        let slider_text =
            shown.first().zip(now.first()).map(|((_, kept), now)| words::slider(&kept.moments, now, time_s));
        let on_slide = link.callback(|event: InputEvent| {
            Msg::Slide(event.target_unchecked_into::<HtmlInputElement>().value_as_number())
        });
        let (play, icon) = match &self.playing {
            Some(_) => ("Pause", Icon::Pause),
            None => ("Play", Icon::Play),
        };
        let titles = if self.playing.is_some() { Titles::Left } else { Titles::Shown };
        let pane = |((table, kept), now): (&(&JobTable, &Kept), &Rc<Now>)| {
            let rounds = table.rounds.as_ref();
            let ledger = rounds.and_then(|of| self.ledgers.iter().find(|(blob, _)| blob == of));
            let run = props.runs().policy(table).to_owned();
            let on_explain = {
                let (on_inspect, key) = (props.on_inspect.clone(), (table.policy.clone(), table.seed));
                let round = round_at(time_s, props.round_s);
                Callback::from(move |()| on_inspect.emit(Inspected::round_of(key.clone(), round)))
            };
            html! {
                <Pane key={format!("{} {}", table.policy, table.seed)} id={format!("mo-{}-{}", table.policy, table.seed)} {run}
                    moments={Pinned(Rc::clone(&kept.moments))} moment={Rc::clone(now)} ledger={ledger.map(|(_, ledger)| Rc::clone(ledger))}
                    round={round_at(time_s, props.round_s)} time_s={time_s} {titles} {on_explain} />
            }
        };
        html! {
            <>
                <div class="mo-bar">
                    <button class="btn" type="button" data-testid="moment-play" onclick={link.callback(|_| Msg::Toggle)}>{ icon.html() }{ play }</button>
                    <label class="inline">{ "the whole run in" }{ self.speeds(ctx) }</label>
                    <div class="btn-group" role="group" aria-label="Step">
                        { step(ctx, "«", "The round before (<)", "moment-round-back", Step::RoundBack) }
                        { step(ctx, "‹", "The change before (,)", "moment-back", Step::Back) }
                        { step(ctx, "›", "The next change (.)", "moment-on", Step::On) }
                        { step(ctx, "»", "The next round (>)", "moment-round-on", Step::RoundOn) }
                    </div>
                    <b class="mo-time" data-testid="moment-time" data-value={time_s.to_string()}>{ words::instant(time_s) }</b>
                    <span class="muted">{ format!("round {} · run ends at {}", round_at(time_s, props.round_s), words::instant(end_s)) }</span>
                </div>
                <input type="range" class="mo-slider" data-testid="moment-slider" min="0" max={end_s.to_string()} step="any" value={time_s.to_string()}
                    aria-label="Moment of the run" aria-valuetext={slider_text.clone()} oninput={on_slide} />
                <p class="g-keys">{ for words::KEYS.iter().map(|(key, what)| html! { <span><kbd>{ *key }</kbd>{ " " }{ *what }</span> }) }</p>
                <Said text={slider_text.filter(|_| self.playing.is_none()).unwrap_or_default()} />
                <div class="g-runs mo-runs">{ for shown.iter().zip(&now).map(pane) }</div>
            </>
        }
    }

    fn speeds(&self, ctx: &Context<Self>) -> Html {
        let on_change = ctx.link().batch_callback(|event: Event| {
            let at = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            usize::try_from(at).ok().and_then(|at| Speed::ALL.get(at)).copied().map(Msg::Speed)
        });
        let option = |speed: Speed| {
            html! { <option selected={speed == self.speed}>{ format!("{} s", speed.seconds()) }</option> }
        };
        html! { <select data-testid="moment-speed" onchange={on_change}>{ for Speed::ALL.into_iter().map(option) }</select> }
    }
}

fn step(
    ctx: &Context<Moment>,
    text: &'static str,
    label: &'static str,
    testid: &'static str,
    step: Step,
) -> Html {
    let on_click = ctx.link().callback(move |_: MouseEvent| Msg::Step(step));
    html! { <button class="btn icon" type="button" title={label} aria-label={label} data-testid={testid} onclick={on_click}><span aria-hidden="true">{ text }</span></button> }
}

/// A run's moments. Two are equal only if they are the same.
#[derive(Clone)]
struct Pinned(Rc<Moments>);

impl PartialEq for Pinned {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

#[derive(Properties, Clone, PartialEq)]
struct SaidProps {
    text: String,
}

/// What is read aloud once the moment has come to rest.
#[component]
fn Said(props: &SaidProps) -> Html {
    let said = use_rested(&props.text, REST_MS);
    html! { <p class="vh" aria-live="polite" data-testid="moment-said">{ said }</p> }
}
