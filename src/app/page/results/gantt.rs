//! The Gantt of a run, or of two: the panel around the canvases.

mod brush;
mod colours;
mod files;
mod panels;
mod stage;

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use gloo::utils::{document, window};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Blob, Element, HtmlCanvasElement, HtmlElement, HtmlInputElement, MutationObserver, MutationObserverInit,
    ResizeObserver, WheelEvent,
};
use yew::prelude::*;

use self::brush::{Brush, OVERVIEW_PX};
use self::files::unsaved;
use self::stage::{Drag, Shared, Stage, Told, change, pressed, recoloured, resized, wake};
use super::JobTable;
use super::choice::{Choice, Key, Lists, Runs, SMALL_BYTES};
use super::job_changes::Wanted;
use super::menu::Menu;
use super::over_time::fit_icon;
use super::readings::{Laid, Outcome, Readings};
use super::save::save_written;
use crate::app::comparison::Comparison;
use crate::app::gantt::{Pane, Press, Shift, Viewer, press};
use crate::app::page::icon::Icon;
use crate::app::pool::{News, Pool};
use crate::app::strings::gantt::{self as words, Reading};
use crate::chart::gantt::{Colouring, Folding, MOST_FOUND, search};
use crate::chart::window::TimeWindow;

/// What the panel needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct GanttProps {
    /// The runs' tables, their schedules among them.
    pub(super) tables: Rc<Vec<JobTable>>,
    /// The comparison, for what policies are called.
    pub(super) comparison: Rc<Comparison>,
    /// What panels have read.
    pub(super) readings: Readings,
    /// The cursor of every chart over time.
    pub(super) time_s: Option<f64>,
    /// The reader moved it.
    pub(super) on_time: Callback<f64>,
    /// The seconds that every chart over time shows; `None` for all.
    pub(super) window: Option<TimeWindow>,
    /// The reader looks at others.
    pub(super) on_window: Callback<Option<TimeWindow>>,
    /// A job that is to be shown.
    pub(super) wanted: Option<Wanted>,
    /// The trace, for file names.
    pub(super) trace_name: AttrValue,
    /// Today, for file names.
    pub(super) today: AttrValue,
    /// Where the data come from.
    pub(super) footnote: AttrValue,
    /// Where a worker's script is.
    pub(super) worker_url: AttrValue,
}

impl GanttProps {
    fn runs(&self) -> Runs<'_> {
        Runs { tables: &self.tables, comparison: &self.comparison }
    }
}

/// A schedule that was read, and what it was read from.
#[derive(Clone)]
struct Kept {
    blob: Blob,
    laid: Rc<Laid>,
}

/// What the panel hears.
pub(super) enum Msg {
    /// The schedule is to be shown.
    Open,
    /// Another run was chosen.
    Choose(Key),
    /// Another run below it, or none.
    Compare(Option<Key>),
    /// A schedule was read, or could not be.
    Read(Blob, Outcome<Laid>),
    /// The stage has something to say.
    Told(Told),
    /// Another colouring.
    Colour(Colouring),
    /// One category alone.
    Focus(u8),
    /// A button that does what a key does.
    Do(Press),
    /// Everything folded, or nothing.
    Fold(Folding),
    /// What a drag does.
    Drag(Drag),
    /// Figures of what is seen.
    SelectView,
    /// No selection any more.
    Unselect,
    /// No pinned job any more.
    Unpin,
    /// A name was typed.
    Search(String),
    /// A job was found.
    Found(u32),
    /// The table was opened or closed.
    Table(bool),
    /// What is seen as a file.
    SaveSvg,
    /// The same as pixels.
    SavePng,
    /// All of the run for Perfetto.
    SaveEvents,
    /// News of the file of this name.
    Written(String, News),
    /// A file could not be saved.
    Unsaved(String),
}

/// The panel.
pub(super) struct Gantt {
    stage: Shared,
    /// Writes large files away from the page's own thread.
    writer: Pool<String>,
    is_open: bool,
    choice: Choice,
    kept: Vec<Kept>,
    /// What is being read.
    reading: Vec<Blob>,
    failure: Option<String>,
    wanted: String,
    found: Vec<u32>,
    is_table_open: bool,
    /// The window that the other charts know of.
    window: Option<TimeWindow>,
    /// A job that is shown once the schedules are read.
    next: Option<(u32, String)>,
    /// What was last said where the cursor came to rest.
    said: String,
    figures: Option<Reading>,
    canvas: [NodeRef; 3],
    plot: NodeRef,
    tip: NodeRef,
    watching: Option<Watching>,
    later: Option<Timeout>,
}

/// What listens as long as there is a canvas.
struct Watching {
    size: Option<ResizeObserver>,
    theme: Option<MutationObserver>,
    _on_size: Closure<dyn FnMut()>,
    _on_theme: Closure<dyn FnMut()>,
    _listeners: Vec<EventListener>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(size) = &self.size {
            size.disconnect();
        }
        if let Some(theme) = &self.theme {
            theme.disconnect();
        }
    }
}

impl Component for Gantt {
    type Message = Msg;
    type Properties = GanttProps;

    fn create(ctx: &Context<Self>) -> Self {
        let tip = NodeRef::default();
        let stage = Rc::new(RefCell::new(Stage::new(tip.clone(), ctx.link().callback(Msg::Told))));
        let mut gantt = Self {
            stage,
            writer: Pool::new(
                &ctx.props().worker_url,
                1,
                ctx.link().callback(|(name, news)| Msg::Written(name, news)),
            ),
            is_open: false,
            choice: Choice::default(),
            kept: Vec::new(),
            reading: Vec::new(),
            failure: None,
            wanted: String::new(),
            found: Vec::new(),
            is_table_open: false,
            window: None,
            next: None,
            said: String::new(),
            figures: None,
            canvas: Default::default(),
            plot: NodeRef::default(),
            tip,
            watching: None,
            later: None,
        };
        gantt.open_if_small(ctx);
        gantt
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &GanttProps) -> bool {
        let props = ctx.props();
        if props.window != old.window && props.window != self.window {
            self.follow(props.window);
        }
        if let Some(wanted) = props.wanted.as_ref().filter(|wanted| Some(*wanted) != old.wanted.as_ref()) {
            self.is_open = true;
            self.choice.choose((wanted.policy.clone(), wanted.seed));
            self.choice.compare(Some((wanted.other.clone(), wanted.seed)));
            self.next = Some((wanted.job, wanted.name.clone()));
            self.fetch(ctx);
            return true;
        }
        if props.tables != old.tables || props.comparison != old.comparison {
            self.open_if_small(ctx);
            self.fetch(ctx);
            return true;
        }
        if props.time_s != old.time_s {
            let is_news = self.stage.borrow().time_s != props.time_s;
            if is_news {
                self.stage.borrow_mut().time_s = props.time_s;
                wake(&self.stage);
            }
        }
        props.footnote != old.footnote
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
            Msg::Read(blob, read) => self.take(ctx, blob, read),
            Msg::Told(told) => return self.hear(ctx, told),
            Msg::Colour(colouring) => {
                self.reshade(|viewer| viewer.colour_by(colouring));
            }
            Msg::Focus(category) => self.reshade(|viewer| viewer.focus_on(category)),
            Msg::Do(press) => {
                pressed(&self.stage, press);
            }
            Msg::Fold(folding) => {
                change(&self.stage, |viewer| viewer.fold_all(folding));
                self.refit();
            }
            Msg::Drag(drag) => self.stage.borrow_mut().drag = drag,
            Msg::SelectView => {
                change(&self.stage, Viewer::select_view);
                self.count();
            }
            Msg::Unselect => {
                change(&self.stage, |viewer| viewer.selection = None);
                self.figures = None;
            }
            Msg::Unpin => change(&self.stage, |viewer| viewer.pinned = None),
            Msg::Search(wanted) => {
                let stage = self.stage.borrow();
                let schedule = stage.viewer.as_ref().and_then(Viewer::first);
                self.found = schedule.map(|schedule| search(schedule, &wanted)).unwrap_or_default();
                drop(stage);
                self.wanted = wanted;
            }
            Msg::Found(job) => {
                change(&self.stage, |viewer| viewer.find(job));
                self.found.clear();
                self.wanted.clear();
                if let Some(plot) = self.plot.cast::<HtmlElement>() {
                    let _ = plot.focus();
                }
            }
            Msg::Table(is_open) => self.is_table_open = is_open,
            Msg::SaveSvg => self.failure = self.save_svg(ctx).err().map(|error| unsaved(&error)),
            Msg::SavePng => self.failure = self.save_png(ctx).err().map(|error| unsaved(&error)),
            Msg::SaveEvents => self.save_events(ctx.props()),
            Msg::Written(name, news) => self.failure = save_written(&name, news).err(),
            Msg::Unsaved(why) => self.failure = Some(why),
        }
        true
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        let canvases =
            [&self.canvas[0], &self.canvas[1], &self.canvas[2]].map(NodeRef::cast::<HtmlCanvasElement>);
        let [Some(base), Some(over), Some(overview)] = canvases else {
            self.watching = None;
            self.stage.borrow_mut().brush = None;
            return;
        };
        let is_drawn_on = self.stage.borrow().brush.as_ref().is_some_and(|brush| *brush.canvas() == base);
        if !is_drawn_on {
            self.stage.borrow_mut().brush = Brush::new(base, over, overview);
            self.watching = self.watch();
            // A million bars are coloured in a task of their own.
            let stage = Rc::downgrade(&self.stage);
            let plot = self.plot.cast::<Element>();
            self.later = Some(Timeout::new(0, move || {
                if let (Some(stage), Some(plot)) = (stage.upgrade(), plot) {
                    stage.borrow_mut().shade();
                    resized(&stage, f64::from(plot.client_width()));
                }
            }));
        }
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let props = ctx.props();
        let has_runs = props.runs().with_schedule().next().is_some();
        let stage = self.stage.borrow();
        let viewer = stage.viewer.as_ref().filter(|_| self.is_open);
        let summary = viewer.map_or_else(|| words::ABOUT.to_owned(), words::summary);
        html! {
            <figure class="panel c12" id="p-gantt" data-testid="gantt-panel" aria-labelledby="gantt-h">
                <div class="p-head">
                    <figcaption><h2 id="gantt-h">{ words::TITLE }</h2><p>{ summary }</p></figcaption>
                    if has_runs && self.is_open { { self.controls(ctx, viewer) } }
                </div>
                if let Some(failure) = &self.failure { <p class="bad" role="alert">{ failure.clone() }</p> }
                if !has_runs {
                    <p class="note">{ words::NONE }</p>
                } else if !self.is_open {
                    { self.closed(ctx) }
                } else if let Some(viewer) = viewer {
                    { self.plot(ctx, viewer) }
                } else if self.failure.is_none() {
                    <p class="note" role="status">{ words::READING }</p>
                }
            </figure>
        }
    }
}

impl Gantt {
    /// The table of the run that is shown.
    fn table<'p>(&self, props: &'p GanttProps) -> Option<&'p JobTable> {
        self.choice.first(props.runs())
    }

    /// The table of the run below, if one is chosen that has the same jobs.
    fn other_table<'p>(&self, props: &'p GanttProps) -> Option<&'p JobTable> {
        self.choice.second(props.runs())
    }

    fn open_if_small(&mut self, ctx: &Context<Self>) {
        let blob = self.table(ctx.props()).and_then(|table| table.schedule.as_ref());
        if !self.is_open && blob.is_some_and(|blob| blob.size() <= SMALL_BYTES) {
            ctx.link().send_message(Msg::Open);
        }
    }

    /// Reads what is to be shown and not there yet; shows it once all of it is.
    fn fetch(&mut self, ctx: &Context<Self>) {
        if !self.is_open {
            return;
        }
        let props = ctx.props();
        let tables = [self.table(props), self.other_table(props)];
        let blobs: Vec<Blob> =
            tables.into_iter().flatten().filter_map(|table| table.schedule.clone()).collect();
        // What is not shown gives its memory back.
        self.kept.retain(|kept| blobs.contains(&kept.blob));
        self.reading.retain(|blob| blobs.contains(blob));
        self.failure = None;
        for blob in &blobs {
            if self.kept.iter().any(|kept| kept.blob == *blob) || self.reading.contains(blob) {
                continue;
            }
            self.reading.push(blob.clone());
            let of = blob.clone();
            let tell = ctx.link().callback(move |read| Msg::Read(of.clone(), read));
            props.readings.schedules.get(blob, tell);
        }
        if self.reading.is_empty() {
            self.show(props);
        }
    }

    fn take(&mut self, ctx: &Context<Self>, blob: Blob, read: Outcome<Laid>) {
        let was_wanted = self.reading.contains(&blob);
        self.reading.retain(|other| *other != blob);
        if !was_wanted {
            return;
        }
        match read {
            Ok(laid) => self.kept.push(Kept { blob, laid }),
            Err(why) => self.failure = Some(why),
        }
        if self.reading.is_empty() {
            self.show(ctx.props());
        }
    }

    /// Shows the runs that are there.
    fn show(&mut self, props: &GanttProps) {
        let tables = [self.table(props), self.other_table(props)];
        let pane = |table: &JobTable| {
            let blob = table.schedule.as_ref()?;
            let kept = self.kept.iter().find(|kept| kept.blob == *blob)?;
            let Laid { schedule, bands } = &*kept.laid;
            Some(Pane::new(props.runs().title(table), Rc::clone(schedule), Rc::clone(bands)))
        };
        let panes: Vec<Pane> = tables.into_iter().flatten().filter_map(pane).collect();
        let Some(first) = panes.first() else {
            self.stage.borrow_mut().viewer = None;
            return;
        };
        {
            let mut stage = self.stage.borrow_mut();
            let room = stage.room_px(panes.len());
            let is_same_cluster = stage.viewer.as_ref().and_then(Viewer::first).is_some_and(|old| {
                old.kinds() == first.schedule.kinds() && old.nodes() == first.schedule.nodes()
            });
            match &mut stage.viewer {
                Some(viewer) if is_same_cluster => {
                    viewer.set_room(room);
                    viewer.show(panes);
                }
                viewer => *viewer = Some(Viewer::new(panes, room)),
            }
            if let Some(brush) = &mut stage.brush {
                brush.forget_run();
            }
            stage.shade();
        }
        self.figures = None;
        self.found.clear();
        self.follow(props.window);
        if let Some((job, name)) = self.next.take() {
            change(&self.stage, |viewer| {
                if viewer.first().is_some_and(|schedule| schedule.name(job) == name) {
                    viewer.find(job);
                }
            });
        }
        wake(&self.stage);
    }

    fn hear(&mut self, ctx: &Context<Self>, told: Told) -> bool {
        match told {
            Told::Time(time_s) => {
                ctx.props().on_time.emit(time_s);
                false
            }
            Told::Pointed => true,
            Told::Rested => {
                let stage = self.stage.borrow();
                let viewer = stage.viewer.as_ref();
                let reading = viewer.and_then(|viewer| words::at_cursor(viewer, stage.layout.plot()));
                let said = reading.map(|reading| reading.sentence()).unwrap_or_default();
                let window = viewer.and_then(Viewer::window_s);
                drop(stage);
                self.said = said;
                // The other charts follow once the window rests, so that no frame waits for them.
                if self.window != window {
                    self.window = window;
                    ctx.props().on_window.emit(window);
                }
                true
            }
            Told::Chosen => {
                self.count();
                self.refit();
                true
            }
        }
    }

    /// Shows the seconds that the other charts show.
    fn follow(&mut self, window: Option<TimeWindow>) {
        change(&self.stage, |viewer| viewer.show_s(window));
        self.window = self.stage.borrow().viewer.as_ref().and_then(Viewer::window_s);
    }

    /// Figures of the selection.
    fn count(&mut self) {
        let stage = self.stage.borrow();
        self.figures = stage
            .viewer
            .as_ref()
            .and_then(|viewer| Some(words::figures(viewer, viewer.selection.as_ref()?, &viewer.selected()?)));
    }

    fn reshade(&mut self, with: impl FnOnce(&mut Viewer)) {
        {
            let mut stage = self.stage.borrow_mut();
            if let Some(viewer) = &mut stage.viewer {
                with(viewer);
            }
            stage.shade();
        }
        wake(&self.stage);
    }

    /// Rows may need another height now.
    fn refit(&self) {
        change(&self.stage, |_| ());
    }

    /// Follows size, theme and wheel.
    fn watch(&self) -> Option<Watching> {
        let plot = self.plot.cast::<Element>()?;
        let on_size = {
            let (stage, plot) = (Rc::downgrade(&self.stage), plot.clone());
            Closure::<dyn FnMut()>::new(move || {
                if let Some(stage) = stage.upgrade() {
                    resized(&stage, f64::from(plot.client_width()));
                }
            })
        };
        let on_theme = {
            let stage = Rc::downgrade(&self.stage);
            Closure::<dyn FnMut()>::new(move || {
                if let Some(stage) = stage.upgrade() {
                    recoloured(&stage);
                }
            })
        };
        let size = ResizeObserver::new(on_size.as_ref().unchecked_ref()).ok();
        if let Some(size) = &size {
            size.observe(&plot);
        }
        let theme = MutationObserver::new(on_theme.as_ref().unchecked_ref()).ok();
        if let (Some(theme), Some(root)) = (&theme, document().document_element()) {
            let options = MutationObserverInit::new();
            options.set_attributes(true);
            let _ = theme.observe_with_options(&root, &options);
        }
        let mut listeners = Vec::new();
        for query in ["(prefers-color-scheme: dark)", "(forced-colors: active)"] {
            if let Ok(Some(query)) = window().match_media(query) {
                let stage = Rc::downgrade(&self.stage);
                listeners.push(EventListener::new(&query, "change", move |_| {
                    if let Some(stage) = stage.upgrade() {
                        recoloured(&stage);
                    }
                }));
            }
        }
        let stage = Rc::downgrade(&self.stage);
        let options = EventListenerOptions::enable_prevent_default();
        let over = self.canvas[1].cast::<Element>()?;
        listeners.push(EventListener::new_with_options(&over, "wheel", options, move |event| {
            let (Some(stage), Some(event)) = (stage.upgrade(), event.dyn_ref::<WheelEvent>()) else { return };
            if stage::wheel(&stage, event) {
                event.prevent_default();
            }
        }));
        Some(Watching { size, theme, _on_size: on_size, _on_theme: on_theme, _listeners: listeners })
    }
}

/// What the panel is made of.
impl Gantt {
    fn closed(&self, ctx: &Context<Self>) -> Html {
        let bytes = self.table(ctx.props()).and_then(|table| table.schedule.as_ref()).map_or(0.0, Blob::size);
        html! {
            <div class="g-closed">
                <button class="btn primary" type="button" data-testid="gantt-open" onclick={ctx.link().callback(|_| Msg::Open)}>{ words::OPEN }</button>
                <span class="muted">{ words::size(bytes) }</span>
            </div>
        }
    }

    fn controls(&self, ctx: &Context<Self>, viewer: Option<&Viewer>) -> Html {
        let link = ctx.link();
        let lists = Lists {
            testid: "gantt",
            with: "below it",
            on_choose: link.callback(Msg::Choose),
            on_compare: link.callback(Msg::Compare),
        };
        html! {
            <div class="p-act wrap">
                { self.choice.selects(ctx.props().runs(), &lists) }
                if let Some(viewer) = viewer {
                    { panels::colourings(viewer, &link.callback(Msg::Colour)) }
                    { self.buttons(ctx) }
                }
            </div>
        }
    }

    fn buttons(&self, ctx: &Context<Self>) -> Html {
        let link = ctx.link();
        let icon = |text: Html, label: &'static str, testid: &'static str, message: fn() -> Msg| {
            html! { <button class="btn icon" type="button" title={label} aria-label={label} data-testid={testid} onclick={link.callback(move |_: MouseEvent| message())}>{ text }</button> }
        };
        let menu = |text: &'static str, kind: &'static str, testid: &'static str, message: fn() -> Msg| {
            html! { <button type="button" data-testid={testid} onclick={link.callback(move |_: MouseEvent| message())}><span>{ kind }</span>{ text }</button> }
        };
        let selects = self.stage.borrow().drag == Drag::Select;
        let drag = if selects { Drag::Pan } else { Drag::Select };
        html! {
            <>
                <div class="btn-group" role="group" aria-label="Window">
                    { icon(Icon::Plus.html(), "Zoom in", "gantt-in", || Msg::Do(Press::Zoom(0.6))) }
                    { icon(html! { <span aria-hidden="true">{ "−" }</span> }, "Zoom out", "gantt-out", || Msg::Do(Press::Zoom(1.0 / 0.6))) }
                    { icon(fit_icon(), "Show everything", "gantt-fit", || Msg::Do(Press::All)) }
                </div>
                <button class="btn" type="button" aria-pressed={selects.to_string()} data-testid="gantt-select" title="Drag to select a stretch of time on some rows"
                    onclick={link.callback(move |_| Msg::Drag(drag))}>{ words::SELECT }</button>
                <Menu class="jobs" title="More">
                    { menu(words::FIGURES_OF_VIEW, "View", "gantt-view-figures", || Msg::SelectView) }
                    { menu("Unfold all rows", "Rows", "gantt-unfold", || Msg::Fold(Folding::Unfolded)) }
                    { menu("Fold all rows", "Rows", "gantt-fold", || Msg::Fold(Folding::Folded)) }
                    { menu("What is seen, for papers", "SVG", "gantt-svg", || Msg::SaveSvg) }
                    { menu("What is seen, as pixels", "PNG", "gantt-png", || Msg::SavePng) }
                    { menu("The whole run, for Perfetto", "JSON", "gantt-events", || Msg::SaveEvents) }
                </Menu>
            </>
        }
    }

    fn plot(&self, ctx: &Context<Self>, viewer: &Viewer) -> Html {
        let link = ctx.link();
        let stage = |act: fn(&Shared, &PointerEvent)| {
            let stage = Rc::clone(&self.stage);
            Callback::from(move |event: PointerEvent| act(&stage, &event))
        };
        let on_key = {
            let stage = Rc::clone(&self.stage);
            Callback::from(move |event: KeyboardEvent| {
                if event.ctrl_key() || event.alt_key() || event.meta_key() {
                    return;
                }
                let shift = if event.shift_key() { Shift::Held } else { Shift::Free };
                if let Some(press) = press(&event.key(), shift)
                    && pressed(&stage, press)
                {
                    event.prevent_default();
                    event.stop_propagation();
                }
            })
        };
        let on_fit = {
            let stage = Rc::clone(&self.stage);
            Callback::from(move |_: MouseEvent| change(&stage, Viewer::show_all))
        };
        let left = {
            let stage = Rc::clone(&self.stage);
            Callback::from(move |_: PointerEvent| stage::left(&stage))
        };
        let on_toggle = link.callback(|event: Event| {
            Msg::Table(event.target_unchecked_into::<Element>().has_attribute("open"))
        });
        let px = self.stage.borrow().layout.plot();
        let tip = words::at_cursor(viewer, px);
        let has_bar = viewer.cursor.is_some_and(|cursor| cursor.bar.is_some());
        html! {
            <>
                <div class="gantt" ref={self.plot.clone()} tabindex="0" role="application" aria-label={words::LABEL} data-testid="gantt" onkeydown={on_key}>
                    <canvas ref={self.canvas[0].clone()} aria-hidden="true" />
                    <canvas ref={self.canvas[1].clone()} class={classes!("over", has_bar.then_some("on-bar"))} aria-hidden="true" data-testid="gantt-canvas"
                        onpointerdown={stage(stage::down)} onpointermove={stage(stage::pointer_moved)} onpointerup={stage(stage::up)}
                        onpointercancel={stage(stage::cancelled)} onpointerleave={left} ondblclick={on_fit} />
                    <div class="g-tip" ref={self.tip.clone()} hidden={tip.is_none()} aria-hidden="true" data-testid="gantt-tip">
                        if let Some(tip) = &tip { { panels::reading(tip) } }
                    </div>
                    <p class="vh" aria-live="polite" data-testid="gantt-said">{ self.said.clone() }</p>
                </div>
                <canvas ref={self.canvas[2].clone()} class="g-overview" height={OVERVIEW_PX.to_string()} aria-hidden="true" data-testid="gantt-overview"
                    onpointerdown={stage(stage::overview)} onpointermove={stage(stage::overview)} />
                { panels::legend(viewer, &link.callback(Msg::Focus)) }
                <div class="g-foot">
                    { self.search(ctx, viewer) }
                    <p class="g-keys">{ for words::POINTER.iter().map(|(key, what)| html! { <span><kbd>{ *key }</kbd>{ " " }{ *what }</span> }) }</p>
                </div>
                if let Some(figures) = &self.figures { { panels::figures(figures, link.callback(|_| Msg::Unselect)) } }
                { panels::pinned(viewer, link.callback(|_| Msg::Unpin), link.callback(|_| Msg::Do(Press::Fit))) }
                <details class="twin" ontoggle={on_toggle} data-testid="gantt-table">
                    <summary>{ "Data as a table" }</summary>
                    if self.is_table_open { { panels::tables(viewer) } }
                </details>
            </>
        }
    }

    fn search(&self, ctx: &Context<Self>, viewer: &Viewer) -> Html {
        let link = ctx.link();
        let on_input = link.callback(|event: InputEvent| {
            Msg::Search(event.target_unchecked_into::<HtmlInputElement>().value())
        });
        let first = self.found.first().copied();
        let on_enter = link.batch_callback(move |event: KeyboardEvent| {
            first.filter(|_| event.key() == "Enter").map(Msg::Found)
        });
        let found = |job: &u32| {
            let job = *job;
            let name = viewer.first().map(|schedule| schedule.name(job).to_owned()).unwrap_or_default();
            html! { <li key={job}><button type="button" onclick={link.callback(move |_: MouseEvent| Msg::Found(job))}>{ name }</button></li> }
        };
        let note = match (self.wanted.trim().is_empty(), self.found.len()) {
            (true, _) => String::new(),
            (false, 0) => words::NOT_FOUND.to_owned(),
            (false, MOST_FOUND..) => format!("the first {MOST_FOUND} jobs"),
            (false, count) => crate::app::strings::jobs(count as u64),
        };
        html! {
            <div class="g-search">
                <label class="inline">{ "Find a job" }
                    <input class="search" type="search" data-testid="gantt-search" value={self.wanted.clone()} oninput={on_input} onkeydown={on_enter} />
                </label>
                <span class="muted" role="status">{ note }</span>
                if !self.found.is_empty() { <ul class="g-found" data-testid="gantt-found">{ for self.found.iter().map(found) }</ul> }
            </div>
        }
    }
}
