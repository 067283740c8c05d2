//! What stands between gestures and drawing: gestures change the viewer at once, and the next frame draws it. The panel is told only
//! when something that it writes has changed, so that no frame waits for it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use web_sys::{HtmlElement, PointerEvent, WheelEvent};
use yew::{Callback, NodeRef};

use super::brush::{Brush, Layout};
use crate::app::gantt::{Press, Selection, Viewer};
use crate::chart::gantt::Folding;

/// A live region is not told each step of a moving cursor, only where it came to rest.
const REST_MS: u32 = 150;
/// Other charts follow the cursor at most so often.
const FOLLOW_MS: f64 = 90.0;
/// A pointer that moved less has clicked.
const CLICK_PX: f64 = 4.0;
/// How much a px of a turned wheel zooms.
const WHEEL: f64 = 0.002;
/// Room for rows: of one run, and of each of two; on a narrow page less.
const ROOM_PX: f64 = 560.0;
const ROOM_OF_TWO_PX: f64 = 320.0;
const NARROW_ROOM_PX: f64 = 380.0;

/// What the panel is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::app::page::results) enum Told {
    /// The cursor is on something else.
    Pointed,
    /// Nothing has moved for a while.
    Rested,
    /// Something was pinned, folded or selected.
    Chosen,
    /// The cursor is at this second.
    Time(f64),
}

/// What a drag does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app::page::results) enum Drag {
    /// It moves the window.
    Pan,
    /// It selects.
    Select,
}

/// What the pointers are doing.
#[derive(Debug, Default)]
struct Gesture {
    /// Pointers that are down, and where.
    down: BTreeMap<i32, (f64, f64)>,
    /// Where the first one came down.
    began: (f64, f64),
    has_moved: bool,
    selects: bool,
}

/// The viewer, its canvases, and what is going on.
pub(super) struct Stage {
    pub(super) viewer: Option<Viewer>,
    pub(super) brush: Option<Brush>,
    pub(super) layout: Layout,
    /// The cursor of the other charts, in seconds.
    pub(super) time_s: Option<f64>,
    /// What a drag without Shift does.
    pub(super) drag: Drag,
    width: f64,
    gesture: Gesture,
    is_dirty: bool,
    frame: Option<AnimationFrame>,
    rest: Option<Timeout>,
    followed_ms: f64,
    tip: NodeRef,
    tell: Callback<Told>,
}

/// A stage that closures share.
pub(super) type Shared = Rc<RefCell<Stage>>;

impl Stage {
    pub(super) fn new(tip: NodeRef, tell: Callback<Told>) -> Self {
        Self {
            viewer: None,
            brush: None,
            layout: Layout::default(),
            time_s: None,
            drag: Drag::Pan,
            width: 0.0,
            gesture: Gesture::default(),
            is_dirty: false,
            frame: None,
            rest: None,
            followed_ms: 0.0,
            tip,
            tell,
        }
    }

    /// The room that one run has.
    pub(super) fn room_px(&self, panes: usize) -> f64 {
        match panes {
            _ if self.width > 0.0 && self.width < 560.0 => NARROW_ROOM_PX / panes.clamp(1, 2) as f64 * 1.2,
            0 | 1 => ROOM_PX,
            _ => ROOM_OF_TWO_PX,
        }
    }

    /// Colours all bars anew and draws them.
    pub(super) fn shade(&mut self) {
        if let (Some(viewer), Some(brush)) = (&mut self.viewer, &self.brush) {
            viewer.shade(&|name| brush.colours.get(name));
        }
        self.is_dirty = true;
    }

    fn recolour(&mut self) {
        if let (Some(viewer), Some(brush)) = (&mut self.viewer, &mut self.brush) {
            brush.theme_changed();
            viewer.recolour(&|name| brush.colours.get(name));
        }
        self.is_dirty = true;
    }

    fn draw(&mut self) {
        let (Some(viewer), Some(brush)) = (&mut self.viewer, &mut self.brush) else { return };
        if self.width <= 0.0 {
            return;
        }
        if std::mem::take(&mut self.is_dirty) {
            self.layout = Layout::new(viewer, self.width);
            brush.draw(viewer, &self.layout);
            brush.draw_overview(viewer, &self.layout);
        }
        let of_page = self.time_s.and_then(|time_s| viewer.first().map(|schedule| schedule.ticks(time_s)));
        let time = viewer.cursor.map(|cursor| cursor.tick).or(of_page);
        brush.draw_over(viewer, &self.layout, time);
    }

    /// Moves the read-out to the cursor, within the canvas.
    fn place_tip(&self) {
        let (Some(viewer), Some(tip)) = (&self.viewer, self.tip.cast::<HtmlElement>()) else { return };
        let (Some(cursor), Some(row)) = (viewer.cursor, viewer.cursor_row()) else { return };
        let Layout { width, gutter, pane, head, .. } = self.layout;
        let x = gutter + viewer.window().fraction(cursor.tick) * self.layout.plot();
        let y = pane * cursor.pane as f64 + head + row.top + cursor.y - viewer.window().top;
        let (tip_width, tip_height) = (f64::from(tip.offset_width()), f64::from(tip.offset_height()));
        let left = if x + 16.0 + tip_width <= width { x + 16.0 } else { x - 16.0 - tip_width };
        let below = y + 18.0;
        let top =
            if below + tip_height <= self.layout.height() + 40.0 { below } else { y - 14.0 - tip_height };
        let style = tip.style();
        let _ = style.set_property("left", &format!("{}px", left.clamp(0.0, (width - tip_width).max(0.0))));
        let _ = style.set_property("top", &format!("{}px", top.max(-tip_height / 2.0)));
    }

    fn cursor_bar(&self) -> Option<(usize, usize, Option<u32>)> {
        let cursor = self.viewer.as_ref()?.cursor?;
        Some((cursor.pane, cursor.row, cursor.bar))
    }

    /// Where a pointer is: pane, fraction of the plot, height measured from the first row.
    fn place(&self, x: f64, y: f64) -> (usize, f64, f64) {
        let (pane, below) = self.layout.pane_at(y);
        let top = self.viewer.as_ref().map_or(0.0, |viewer| viewer.window().top);
        (pane, self.layout.fraction(x), below.clamp(0.0, self.layout.room) + top)
    }

    fn point(&mut self, x: f64, y: f64) {
        let (pane, fraction, height) = self.place(x, y);
        let px = self.layout.plot();
        if let Some(viewer) = &mut self.viewer {
            viewer.point(pane, fraction.clamp(0.0, 1.0), height, px);
        }
    }

    fn select(&mut self, to: (f64, f64)) {
        let (pane, from_fraction, from_height) = self.place(self.gesture.began.0, self.gesture.began.1);
        let (_, to_fraction, to_height) = {
            let (other, fraction, height) = self.place(to.0, to.1);
            // A selection stays within the run it began in.
            let height = if other == pane { height } else { from_height };
            (other, fraction, height)
        };
        let Some(viewer) = &mut self.viewer else { return };
        let at = |fraction: f64| viewer.window().at(fraction.clamp(0.0, 1.0));
        let (a, b) = (at(from_fraction), at(to_fraction));
        viewer.selection = Some(Selection {
            pane,
            from: a.min(b),
            to: a.max(b),
            top: from_height.min(to_height),
            bottom: from_height.max(to_height),
        });
    }

    /// What a click at a point does: it folds a row by its label, or pins a job.
    fn click(&mut self, x: f64, y: f64) {
        let is_label = x < self.layout.gutter;
        self.point(x, y);
        let Some(viewer) = &mut self.viewer else { return };
        match viewer.cursor_row().copied() {
            Some(row) if is_label && row.folding != Folding::Leaf => viewer.toggle(row.place),
            Some(_) if !is_label && viewer.cursor.is_some_and(|cursor| cursor.bar.is_some()) => viewer.act(),
            _ => {}
        }
        self.is_dirty = true;
        self.tell.emit(Told::Chosen);
    }
}

/// Draws in the next frame, and says when all has come to rest.
pub(super) fn wake(shared: &Shared) {
    let mut stage = shared.borrow_mut();
    if stage.frame.is_none() {
        let weak = Rc::downgrade(shared);
        stage.frame = Some(request_animation_frame(move |now_ms| {
            let Some(shared) = weak.upgrade() else { return };
            let follow = {
                let mut stage = shared.borrow_mut();
                stage.frame = None;
                stage.draw();
                stage.place_tip();
                let cursor = stage
                    .viewer
                    .as_ref()
                    .and_then(|viewer| Some(viewer.first()?.seconds(viewer.cursor?.tick)));
                let is_due = now_ms - stage.followed_ms >= FOLLOW_MS;
                let follow = cursor.filter(|at| is_due && stage.time_s != Some(*at));
                if let Some(at) = follow {
                    stage.followed_ms = now_ms;
                    stage.time_s = Some(at);
                }
                follow.map(|at| (at, stage.tell.clone()))
            };
            if let Some((at, tell)) = follow {
                tell.emit(Told::Time(at));
            }
        }));
    }
    let tell = stage.tell.clone();
    stage.rest = Some(Timeout::new(REST_MS, move || tell.emit(Told::Rested)));
}

/// The window or the cursor has moved.
fn moved(shared: &Shared, before: Option<(usize, usize, Option<u32>)>) {
    let pointed = {
        let stage = shared.borrow();
        (stage.cursor_bar() != before).then(|| stage.tell.clone())
    };
    if let Some(tell) = pointed {
        tell.emit(Told::Pointed);
    }
    wake(shared);
}

/// Changes the viewer and draws it again.
pub(super) fn change(shared: &Shared, with: impl FnOnce(&mut Viewer)) {
    {
        let mut stage = shared.borrow_mut();
        if let Some(viewer) = &mut stage.viewer {
            with(viewer);
        }
        stage.is_dirty = true;
    }
    wake(shared);
}

/// There is another width.
pub(super) fn resized(shared: &Shared, width: f64) {
    {
        let mut stage = shared.borrow_mut();
        stage.width = width;
        if let Some(brush) = &mut stage.brush {
            brush.forget_run();
        }
        let panes = stage.viewer.as_ref().map_or(1, |viewer| viewer.panes().len());
        let room = stage.room_px(panes);
        if let Some(viewer) = &mut stage.viewer {
            viewer.set_room(room);
        }
        stage.is_dirty = true;
    }
    wake(shared);
}

/// There are other colours.
pub(super) fn recoloured(shared: &Shared) {
    shared.borrow_mut().recolour();
    wake(shared);
}

/// A key was pressed; whether it was for the schedule.
pub(super) fn pressed(shared: &Shared, press: Press) -> bool {
    let before = shared.borrow().cursor_bar();
    let is_done = {
        let mut stage = shared.borrow_mut();
        stage.is_dirty = true;
        stage.viewer.as_mut().is_some_and(|viewer| viewer.press(press))
    };
    if is_done {
        let tell = shared.borrow().tell.clone();
        if matches!(press, Press::Act | Press::LetGo) {
            tell.emit(Told::Chosen);
        }
        moved(shared, before);
    }
    is_done
}

fn at(event: &PointerEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

/// A pointer came down.
pub(super) fn down(shared: &Shared, event: &PointerEvent) {
    if event.pointer_type() == "mouse" && event.button() != 0 {
        return;
    }
    let mut stage = shared.borrow_mut();
    let place = at(event);
    if stage.gesture.down.is_empty() {
        let selects = event.shift_key() || stage.drag == Drag::Select;
        stage.gesture = Gesture { began: place, selects, ..Gesture::default() };
    } else {
        // Two fingers zoom, whatever one would do.
        stage.gesture.selects = false;
        stage.gesture.has_moved = true;
    }
    stage.gesture.down.insert(event.pointer_id(), place);
    if let Some(canvas) =
        event.target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(target).ok())
    {
        // A pointer that is gone already cannot be captured, and need not be.
        let _ = canvas.set_pointer_capture(event.pointer_id());
    }
}

/// A pointer moved.
pub(super) fn pointer_moved(shared: &Shared, event: &PointerEvent) {
    let place = at(event);
    let before = shared.borrow().cursor_bar();
    {
        let mut stage = shared.borrow_mut();
        let Some(&old) = stage.gesture.down.get(&event.pointer_id()) else {
            stage.point(place.0, place.1);
            drop(stage);
            moved(shared, before);
            return;
        };
        let (began, fingers) = (stage.gesture.began, stage.gesture.down.len());
        stage.gesture.has_moved |= (place.0 - began.0).hypot(place.1 - began.1) >= CLICK_PX;
        if !stage.gesture.has_moved {
            return;
        }
        let others: Vec<(f64, f64)> = stage
            .gesture
            .down
            .iter()
            .filter(|(id, _)| **id != event.pointer_id())
            .map(|(_, at)| *at)
            .collect();
        stage.gesture.down.insert(event.pointer_id(), place);
        let plot = stage.layout.plot();
        let selects = stage.gesture.selects;
        let layout = stage.layout;
        match (fingers, others.first()) {
            (2, Some(other)) => {
                let distance = |a: (f64, f64)| (a.0 - other.0).abs().max(24.0);
                let (factor, middle) = (distance(old) / distance(place), f64::midpoint(place.0, other.0));
                if let Some(viewer) = &mut stage.viewer {
                    viewer.zoom(factor, layout.fraction(middle).clamp(0.0, 1.0));
                    viewer.pan((old.0 - place.0) / 2.0 / plot, (old.1 - place.1) / 2.0);
                }
            }
            _ if selects => stage.select(place),
            _ => {
                // One finger that moves up or down scrolls the page.
                let down = if event.pointer_type() == "touch" { 0.0 } else { old.1 - place.1 };
                if let Some(viewer) = &mut stage.viewer {
                    viewer.cursor = None;
                    viewer.pan((old.0 - place.0) / plot, down);
                }
            }
        }
        stage.is_dirty = true;
    }
    moved(shared, before);
}

/// A pointer went up.
pub(super) fn up(shared: &Shared, event: &PointerEvent) {
    let mut stage = shared.borrow_mut();
    if stage.gesture.down.remove(&event.pointer_id()).is_none() || !stage.gesture.down.is_empty() {
        return;
    }
    if !stage.gesture.has_moved {
        let place = at(event);
        stage.click(place.0, place.1);
    } else if stage.gesture.selects {
        stage.tell.emit(Told::Chosen);
    }
    drop(stage);
    wake(shared);
}

/// A pointer is the browser's now: it scrolls the page.
pub(super) fn cancelled(shared: &Shared, event: &PointerEvent) {
    shared.borrow_mut().gesture.down.remove(&event.pointer_id());
}

/// The pointer left.
pub(super) fn left(shared: &Shared) {
    let before = shared.borrow().cursor_bar();
    {
        let mut stage = shared.borrow_mut();
        if let Some(viewer) = &mut stage.viewer {
            viewer.cursor = None;
        }
    }
    moved(shared, before);
}

/// The wheel turned; whether that was for the schedule.
pub(super) fn wheel(shared: &Shared, event: &WheelEvent) -> bool {
    let scale = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => 16.0,
        WheelEvent::DOM_DELTA_PAGE => 400.0,
        _ => 1.0,
    };
    let (dx, dy) = (event.delta_x() * scale, event.delta_y() * scale);
    let layout = shared.borrow().layout;
    if event.ctrl_key() || event.meta_key() {
        let fraction = layout.fraction(f64::from(event.offset_x())).clamp(0.0, 1.0);
        change(shared, |viewer| viewer.zoom((dy * WHEEL).clamp(-1.0, 1.0).exp2(), fraction));
        return true;
    }
    let across = if event.shift_key() && dx.abs() < dy.abs() { dy } else { dx };
    if event.shift_key() || dx.abs() > dy.abs() {
        change(shared, |viewer| viewer.pan(across / layout.plot(), 0.0));
        return true;
    }
    false
}

/// The overview was pointed at.
pub(super) fn overview(shared: &Shared, event: &PointerEvent) {
    if event.buttons() == 0 {
        return;
    }
    let fraction = shared.borrow().layout.fraction(f64::from(event.offset_x()));
    change(shared, |viewer| viewer.centre(fraction.clamp(0.0, 1.0)));
}
