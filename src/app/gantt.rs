//! What the Gantt shows and how that changes: one or two runs of the same jobs, seen through one window.
//!
//! A [`Viewer`] is plain data without a browser: the page hands it gestures and keys, and draws its pictures. Ticks are those of the
//! first run; a second run has its own, which [`Viewer::scaled`] converts.

mod keys;

use std::ops::Range;
use std::rc::Rc;

pub use self::keys::{Press, Shift, press};
use crate::chart::gantt::{
    Bands, Colouring, DIMMED, Extent, Figures, Folding, Folds, Ground, Hit, Picture, Place, Rgb, Row, Rows,
    Scene, Schedule, Shades, Shape, Towards, Window, beside, categories, category, figures, first_start,
    from, hit, mixed, rows, used,
};
use crate::chart::window::TimeWindow;

/// Most bars that the table of what is seen lists.
pub const MOST_LISTED: usize = 200;
/// Part of the window that one step of the cursor is.
const STEP: f64 = 0.01;

/// One run.
#[derive(Debug, Clone)]
pub struct Pane {
    /// What it is called.
    pub title: String,
    /// Its schedule.
    pub schedule: Rc<Schedule>,
    /// Its folded rows.
    pub bands: Rc<Bands>,
    /// The colours of its bars.
    pub shades: Shades,
    /// What was drawn last.
    pub picture: Picture,
}

impl Pane {
    /// A run, not yet coloured.
    #[must_use]
    pub fn new(title: String, schedule: Rc<Schedule>, bands: Rc<Bands>) -> Self {
        Self { title, schedule, bands, shades: Shades::default(), picture: Picture::default() }
    }
}

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cursor {
    /// In which run.
    pub pane: usize,
    /// At which tick of the first run.
    pub tick: f64,
    /// In which row.
    pub row: usize,
    /// How far below the row's upper edge, in px.
    pub y: f64,
    /// On which bar of that run.
    pub bar: Option<u32>,
}

/// A stretch of time on some rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Selection {
    /// In which run.
    pub pane: usize,
    /// From this tick of the first run.
    pub from: f64,
    /// To this tick.
    pub to: f64,
    /// From this height, measured from the first row.
    pub top: f64,
    /// To this height.
    pub bottom: f64,
}

/// Where a bar is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarPlace {
    /// From this fraction of the width.
    pub from: f64,
    /// To this fraction.
    pub to: f64,
    /// Its upper edge, measured from the first row.
    pub top: f64,
    /// Its height.
    pub height: f64,
}

/// What the Gantt shows.
#[derive(Debug, Clone)]
pub struct Viewer {
    panes: Vec<Pane>,
    folds: Folds,
    rows: Rows,
    window: Window,
    room_px: f64,
    colouring: Colouring,
    focus: Option<u8>,
    /// Where the reader is.
    pub cursor: Option<Cursor>,
    /// The job whose history is shown.
    pub pinned: Option<u32>,
    /// What figures are of.
    pub selection: Option<Selection>,
}

impl Viewer {
    /// Shows one run, or two of the same jobs, in a room of this height for each.
    #[must_use]
    pub fn new(panes: Vec<Pane>, room_px: f64) -> Self {
        let folds = panes.first().map(|pane| Folds::fitting(&pane.schedule, room_px)).unwrap_or_default();
        let mut viewer = Self {
            panes,
            folds,
            rows: Rows::default(),
            window: Window::default(),
            room_px,
            colouring: Colouring::Tenant,
            focus: None,
            cursor: None,
            pinned: None,
            selection: None,
        };
        viewer.lay_out();
        viewer.window = Window::whole(&viewer.extent());
        viewer
    }

    /// Shows other runs of the same jobs, where the reader was.
    pub fn show(&mut self, panes: Vec<Pane>) {
        let seconds = self
            .first()
            .map(|schedule| (schedule.seconds(self.window.from), schedule.seconds(self.window.to)));
        let was_whole = self.window == Window::whole(&self.extent());
        self.panes = panes;
        if self.panes.len() < 2 && self.colouring == Colouring::Change {
            self.colouring = Colouring::Tenant;
        }
        self.cursor = None;
        self.selection = None;
        let jobs = self.first().map_or(0, Schedule::jobs);
        self.pinned = self.pinned.filter(|job| (*job as usize) < jobs);
        self.lay_out();
        let extent = self.extent();
        if let (Some((from, to)), Some(schedule), false) = (seconds, self.first(), was_whole) {
            let window = Window { from: schedule.ticks(from), to: schedule.ticks(to), ..self.window };
            self.window = window.within(&extent);
        } else {
            self.window = Window { top: self.window.top, ..Window::whole(&extent) }.within(&extent);
        }
    }

    /// The runs.
    #[must_use]
    pub fn panes(&self) -> &[Pane] {
        &self.panes
    }

    /// The first run's schedule.
    #[must_use]
    pub fn first(&self) -> Option<&Schedule> {
        self.panes.first().map(|pane| &*pane.schedule)
    }

    /// A run's schedule.
    #[must_use]
    pub fn schedule(&self, pane: usize) -> Option<&Schedule> {
        self.panes.get(pane).map(|pane| &*pane.schedule)
    }

    /// The run that a run is compared with.
    #[must_use]
    pub fn other(&self, pane: usize) -> Option<&Pane> {
        if self.panes.len() == 2 { self.panes.get(1 - pane.min(1)) } else { None }
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// What is seen.
    #[must_use]
    pub fn window(&self) -> Window {
        self.window
    }

    /// The same in the ticks of a run.
    #[must_use]
    pub fn window_of(&self, pane: usize) -> Window {
        let Window { from, to, top } = self.window;
        Window { from: self.scaled(pane, from), to: self.scaled(pane, to), top }
    }

    /// A tick of the first run in the ticks of another.
    #[must_use]
    pub fn scaled(&self, pane: usize, tick: f64) -> f64 {
        match (self.first(), self.schedule(pane)) {
            (Some(first), Some(of)) if pane > 0 => of.ticks(first.seconds(tick)),
            _ => tick,
        }
    }

    /// A tick of a run in the ticks of the first.
    #[must_use]
    pub fn of_first(&self, pane: usize, tick: f64) -> f64 {
        match (self.first(), self.schedule(pane)) {
            (Some(first), Some(of)) if pane > 0 => first.ticks(of.seconds(tick)),
            _ => tick,
        }
    }

    /// What there is to be seen.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let ends = (0..self.panes.len()).map(|pane| {
            self.of_first(pane, self.schedule(pane).map_or(0.0, |schedule| f64::from(schedule.end())))
        });
        Extent {
            end: ends.fold(0.0, f64::max),
            ticks_per_s: self.first().map_or(1.0, |schedule| schedule.ticks(1.0)),
            rows_px: self.rows.height,
            room_px: self.room_px,
        }
    }

    /// Height of the room for rows in each run: no more than they need.
    #[must_use]
    pub fn room_px(&self) -> f64 {
        self.room_px.min(self.rows.height)
    }

    /// There is room of another height.
    pub fn set_room(&mut self, room_px: f64) {
        self.room_px = room_px;
        self.window = self.window.within(&self.extent());
    }

    fn lay_out(&mut self) {
        self.rows = self.panes.first().map(|pane| rows(&pane.schedule, &self.folds)).unwrap_or_default();
        self.window = self.window.within(&self.extent());
    }

    /// What bars are coloured by.
    #[must_use]
    pub fn colouring(&self) -> Colouring {
        self.colouring
    }

    /// The only category that is not dimmed.
    #[must_use]
    pub fn focus(&self) -> Option<u8> {
        self.focus
    }

    /// Colours by something else; the page then calls [`Self::shade`].
    pub fn colour_by(&mut self, colouring: Colouring) {
        self.colouring = colouring;
        self.focus = None;
    }

    /// Dims all categories but one, or none if it is that one already; the page then calls [`Self::shade`].
    pub fn focus_on(&mut self, category: u8) {
        self.focus = (self.focus != Some(category)).then_some(category);
    }

    /// Finds the category of every bar and colours it.
    pub fn shade(&mut self, look_up: &impl Fn(&str) -> Rgb) {
        let schedules: Vec<Rc<Schedule>> = self.panes.iter().map(|pane| Rc::clone(&pane.schedule)).collect();
        for (at, pane) in self.panes.iter_mut().enumerate() {
            let other = if schedules.len() == 2 { schedules.get(1 - at) } else { None };
            let of_job: Vec<u8> = (0..pane.schedule.jobs() as u32)
                .map(|job| {
                    let category = category(&pane.schedule, other.map(|other| &**other), self.colouring, job);
                    if self.focus.is_none_or(|focus| focus == category) { category } else { DIMMED }
                })
                .collect();
            let colours = colours(&pane.schedule, self.colouring, look_up);
            pane.shades = Shades::new(&pane.schedule, &of_job, colours);
        }
    }

    /// Colours the same categories anew: the theme is another.
    pub fn recolour(&mut self, look_up: &impl Fn(&str) -> Rgb) {
        for pane in &mut self.panes {
            let colours = colours(&pane.schedule, self.colouring, look_up);
            pane.shades.recolour(&pane.schedule, colours);
        }
    }

    /// Paints what is seen of every run, at so many pixels across.
    pub fn paint(&mut self, width: usize, ground: Ground) {
        for at in 0..self.panes.len() {
            let (window, room_px) = (self.window_of(at), self.room_px());
            let pane = &mut self.panes[at];
            let mut picture = std::mem::take(&mut pane.picture);
            let scene = Scene {
                schedule: &pane.schedule,
                rows: &self.rows,
                shades: &pane.shades,
                bands: &pane.bands,
                ground,
            };
            picture.paint(&scene, &window, room_px, width);
            pane.picture = picture;
        }
    }

    /// What the window of a run looks into.
    #[must_use]
    pub fn scene(&self, pane: usize, ground: Ground) -> Option<Scene<'_>> {
        let pane = self.panes.get(pane)?;
        Some(Scene {
            schedule: &pane.schedule,
            rows: &self.rows,
            shades: &pane.shades,
            bands: &pane.bands,
            ground,
        })
    }

    /// Shows `factor` times as much time; what is at the fraction of the width stays there.
    pub fn zoom(&mut self, factor: f64, fraction: f64) {
        self.window = self.window.zoomed(factor, fraction, &self.extent());
    }

    /// The seconds that are seen; `None` for all of them.
    #[must_use]
    pub fn window_s(&self) -> Option<TimeWindow> {
        let schedule = self.first()?;
        let is_whole = self.window.time() == Window::whole(&self.extent()).time();
        let Window { from, to, .. } = self.window;
        (!is_whole).then(|| TimeWindow { from: schedule.seconds(from), to: schedule.seconds(to) })
    }

    /// Shows these seconds, as far as the runs go; `None` shows all.
    pub fn show_s(&mut self, seconds: Option<TimeWindow>) {
        let Some(schedule) = self.first() else { return };
        let Some(TimeWindow { from, to }) = seconds else { return self.show_all() };
        let time = TimeWindow { from: schedule.ticks(from), to: schedule.ticks(to) };
        self.window = self.window.of_time(time).within(&self.extent());
    }

    /// Shows what is later by this share of the window, and lower by so many px.
    pub fn pan(&mut self, share: f64, down_px: f64) {
        let extent = self.extent();
        self.window = self.window.panned(share, &extent).scrolled(down_px, &extent);
    }

    /// Shows the whole run.
    pub fn show_all(&mut self) {
        self.window = Window { top: self.window.top, ..Window::whole(&self.extent()) };
    }

    /// Shows the pinned job from its submission to its end, or everything.
    pub fn fit(&mut self) {
        let span = self.pinned.and_then(|job| self.span_of(job));
        match span {
            Some((from, to)) => self.window = self.window.around(from, to, &self.extent()),
            None => self.show_all(),
        }
    }

    /// From submission to end in the first run, in its ticks.
    fn span_of(&self, job: u32) -> Option<(f64, f64)> {
        let schedule = self.first()?;
        let of = schedule.job(job)?;
        Some((f64::from(of.submit), f64::from(of.end.min(schedule.end()))))
    }

    /// Centres the window on a fraction of the run.
    pub fn centre(&mut self, fraction: f64) {
        let extent = self.extent();
        let by = (extent.end * fraction - self.window.at(0.5)) / self.window.span().max(f64::MIN_POSITIVE);
        self.window = self.window.panned(by, &extent);
    }

    /// Folds or unfolds a row.
    pub fn toggle(&mut self, place: Place) {
        self.folds.toggle(place);
        self.lay_out();
        self.cursor = None;
    }

    /// Folds or unfolds everything.
    pub fn fold_all(&mut self, folding: Folding) {
        let Some(schedule) = self.first() else { return };
        self.folds = if folding == Folding::Folded { Folds::all(schedule) } else { Folds::none(schedule) };
        self.lay_out();
        self.cursor = None;
    }

    /// Points at a fraction of the width and a height measured from the first row; `px` is the width.
    pub fn point(&mut self, pane: usize, fraction: f64, y: f64, px: f64) {
        let Some(row) = self.rows.at(y) else { return };
        let of = self.rows.rows[row];
        let tick = self.window.at(fraction);
        let mut cursor = Cursor { pane, tick, row, y: (y - of.top).min(of.height), bar: None };
        cursor.bar = self.bar_at(&cursor, self.window.span() / px.max(1.0));
        self.cursor = Some(cursor);
    }

    fn bar_at(&self, cursor: &Cursor, ticks_per_px: f64) -> Option<u32> {
        let schedule = self.schedule(cursor.pane)?;
        let row = self.rows.rows.get(cursor.row)?;
        let reach = self.scaled(cursor.pane, ticks_per_px);
        match hit(schedule, row, self.scaled(cursor.pane, cursor.tick), cursor.y, reach) {
            Hit::Bar(bar) => Some(bar),
            Hit::Row(_) => None,
        }
    }

    /// The row of the cursor.
    #[must_use]
    pub fn cursor_row(&self) -> Option<&Row> {
        self.rows.rows.get(self.cursor?.row)
    }

    /// Moves the cursor by so many steps of time and so many lines; without one it begins in the middle of the first row that is seen.
    /// A line is a row, or a position of an unfolded device.
    pub fn move_cursor(&mut self, steps: f64, lines: i32) {
        let extent = self.extent();
        let Some(mut cursor) = self.cursor else {
            let first = self.rows.at(self.window.top + 1.0).unwrap_or(0);
            self.cursor = Some(Cursor { pane: 0, tick: self.window.at(0.5), row: first, y: 1.0, bar: None });
            self.settle_cursor();
            return;
        };
        cursor.tick = (cursor.tick + self.window.span() * STEP * steps).clamp(0.0, extent.end);
        for _ in 0..lines.unsigned_abs() {
            self.move_line(&mut cursor, lines.signum());
        }
        self.cursor = Some(cursor);
        self.settle_cursor();
    }

    fn move_line(&self, cursor: &mut Cursor, by: i32) {
        let Some(row) = self.rows.rows.get(cursor.row) else { return };
        let line_px = self.line_px(row, cursor.pane);
        let line = (cursor.y / line_px).floor() + f64::from(by);
        if line >= 0.0 && line * line_px < row.height - 1e-6 {
            cursor.y = (line + 0.5) * line_px;
            return;
        }
        let next = cursor.row.checked_add_signed(by as isize).filter(|next| *next < self.rows.rows.len());
        let Some(next) = next else { return };
        cursor.row = next;
        let row = self.rows.rows[next];
        let line_px = self.line_px(&row, cursor.pane);
        cursor.y = if by > 0 { line_px / 2.0 } else { row.height - line_px / 2.0 };
    }

    /// Height of one line of a row.
    fn line_px(&self, row: &Row, pane: usize) -> f64 {
        match (row.shape, row.place, self.schedule(pane)) {
            (Shape::Bars, Place::Device(device), Some(schedule)) => {
                let positions = schedule.kind_of(device).map_or(1, |(_, kind)| kind.positions);
                row.height / f64::from(positions.max(1))
            }
            _ => row.height.max(1.0),
        }
    }

    /// Finds the bar at the cursor, and brings it into sight.
    fn settle_cursor(&mut self) {
        let extent = self.extent();
        let Some(mut cursor) = self.cursor else { return };
        // Half a step is as near as the keyboard comes.
        cursor.bar = self.bar_at(&cursor, self.window.span() * STEP / 4.0);
        if let Some(row) = self.rows.rows.get(cursor.row) {
            self.window = self.window.showing_row(row.top, row.bottom(), &extent);
        }
        self.window = self.window.showing(cursor.tick, &extent);
        self.cursor = Some(cursor);
    }

    /// Puts the cursor at the beginning or the end of the run.
    pub fn cursor_to(&mut self, end: Towards) {
        let tick = if end == Towards::Next { self.extent().end } else { 0.0 };
        let row = self.rows.at(self.window.top + 1.0).unwrap_or(0);
        let cursor = self.cursor.unwrap_or(Cursor { pane: 0, tick, row, y: 1.0, bar: None });
        self.cursor = Some(Cursor { tick, ..cursor });
        self.settle_cursor();
    }

    /// Goes to the next bar of the cursor's device, or of the pinned job where there is one; to the first one seen without a cursor.
    pub fn step(&mut self, towards: Towards) {
        if self.cursor.is_none() {
            self.move_cursor(0.0, 0);
        }
        let Some(cursor) = self.cursor else { return };
        let Some(schedule) = self.schedule(cursor.pane) else { return };
        let place = self.rows.rows.get(cursor.row).map(|row| row.place);
        let found = match (cursor.bar, place) {
            (Some(bar), _) => beside(schedule, bar, towards),
            (None, Some(place)) => from(schedule, place, self.scaled(cursor.pane, cursor.tick), towards),
            (None, None) => None,
        };
        if let Some(bar) = found {
            self.go_to_bar(cursor.pane, bar);
        }
    }

    /// Puts the cursor on a bar and brings it into sight.
    pub fn go_to_bar(&mut self, pane: usize, bar: u32) {
        let Some(schedule) = self.schedule(pane) else { return };
        let (Some(span), Some((_, lane))) = (schedule.span(bar), schedule.lane_of(bar)) else { return };
        let Some(row) = self.rows.holding(schedule, lane.device) else { return };
        let positions = schedule.kind_of(lane.device).map_or(1, |(_, kind)| kind.positions.max(1));
        let of = self.rows.rows[row];
        let y = match of.shape {
            Shape::Bars => (f64::from(lane.first) + 0.5) / f64::from(positions) * of.height,
            Shape::Band => of.height / 2.0,
        };
        let tick = self.of_first(pane, f64::from(span.start));
        let extent = self.extent();
        self.cursor = Some(Cursor { pane, tick, row, y, bar: Some(bar) });
        self.window = self.window.showing(tick, &extent).showing_row(of.top, of.bottom(), &extent);
    }

    /// Pins the job at the cursor, or unfolds the row it is on.
    pub fn act(&mut self) {
        let Some(cursor) = self.cursor else { return };
        let job = self.schedule(cursor.pane).zip(cursor.bar).and_then(|(schedule, bar)| schedule.job_of(bar));
        match (job, self.cursor_row().copied()) {
            (Some(job), _) => self.pinned = (self.pinned != Some(job)).then_some(job),
            (None, Some(row)) if row.folding != Folding::Leaf => {
                self.toggle(row.place);
                let here = self.rows.rows.iter().position(|other| other.place == row.place);
                self.cursor = here.map(|row| Cursor { row, y: 1.0, bar: None, ..cursor });
            }
            _ => {}
        }
    }

    /// Pins a job, unfolds its first device and shows the whole of it.
    pub fn find(&mut self, job: u32) {
        self.pinned = Some(job);
        let schedule = self.panes.first().map(|pane| Rc::clone(&pane.schedule));
        let Some(schedule) = schedule else { return };
        let bar = schedule.leases(job).next().and_then(|lease| schedule.bars_of(lease).first().copied());
        if let Some((_, lane)) = bar.and_then(|bar| schedule.lane_of(bar)) {
            self.folds.unfold(&schedule, lane.device);
            self.lay_out();
        }
        self.fit();
        if let Some(bar) = bar {
            self.go_to_bar(0, bar);
        }
    }

    /// Lets go of the selection, or else of the pinned job; whether there was one.
    pub fn let_go(&mut self) -> bool {
        self.selection.take().is_some() || self.pinned.take().is_some()
    }

    /// Selects what is seen.
    pub fn select_view(&mut self) {
        let Window { from, to, top } = self.window;
        self.selection = Some(Selection { pane: 0, from, to, top, bottom: top + self.room_px() });
    }

    /// Figures of what is selected.
    #[must_use]
    pub fn selected(&self) -> Option<Figures> {
        let selection = self.selection?;
        let schedule = self.schedule(selection.pane)?;
        let rows = self.rows.between(selection.top, selection.bottom);
        // The head of unfolded rows stands for itself only where none of them is selected.
        let rows = self.rows.rows.get(rows)?;
        let leaves: Vec<Place> = rows
            .iter()
            .filter(|row| row.folding != Folding::Unfolded || row.shape == Shape::Bars)
            .map(|row| row.place)
            .collect();
        let all: Vec<Place> = rows.iter().map(|row| row.place).collect();
        let places = if leaves.is_empty() { &all } else { &leaves };
        let (from, to) =
            (self.scaled(selection.pane, selection.from), self.scaled(selection.pane, selection.to));
        Some(figures(schedule, places, from, to))
    }

    /// The share of the cursor's row that is used at the cursor, in the pixel it is on.
    #[must_use]
    pub fn used_at_cursor(&self, px: f64) -> Option<f64> {
        let cursor = self.cursor?;
        let schedule = self.schedule(cursor.pane)?;
        let row = self.rows.rows.get(cursor.row)?;
        let pixel = self.window.span() / px.max(1.0);
        let (from, to) = (cursor.tick - pixel / 2.0, cursor.tick + pixel / 2.0);
        used(schedule, row.place, self.scaled(cursor.pane, from.max(0.0)), self.scaled(cursor.pane, to))
    }

    /// The shares of the whole cluster that are used over the run, in so many equal parts.
    #[must_use]
    pub fn overview(&self, parts: usize) -> Vec<f32> {
        let Some(pane) = self.panes.first() else { return Vec::new() };
        let end = f64::from(pane.schedule.end().max(1));
        let until = self.extent().end / end;
        let mut sums = vec![0.0; parts];
        let mut shares = vec![0.0; parts];
        let all = pane.schedule.devices().max(1) as f32;
        for (index, kind) in (0_u32..).zip(pane.schedule.kinds()) {
            pane.bands.fill(Place::Kind(index), 0.0..until, &mut shares);
            for (at, (sum, share)) in sums.iter_mut().zip(&shares).enumerate() {
                // Beyond the end of this run nothing is used.
                if at as f64 / parts as f64 * until < 1.0 {
                    *sum += share * kind.devices as f32 / all;
                }
            }
        }
        sums
    }

    /// The bars that are seen in unfolded rows of a run, by their beginning, at most [`MOST_LISTED`]; and how many there are.
    #[must_use]
    pub fn listed(&self, pane: usize) -> (Vec<u32>, usize) {
        let Some(schedule) = self.schedule(pane) else { return Default::default() };
        let window = self.window_of(pane);
        let mut bars: Vec<(u32, u32)> = Vec::new();
        let mut count = 0;
        for row in self.seen_rows().iter().filter(|row| row.shape == Shape::Bars) {
            for lane in schedule.lanes_of(crate::chart::gantt::devices(schedule, row.place)) {
                let touching: Range<usize> = schedule.touching(lane, window.from, window.to);
                count += touching.len();
                let first = touching.take(MOST_LISTED).map(|bar| bar as u32);
                bars.extend(first.filter_map(|bar| Some((schedule.span(bar)?.start, bar))));
            }
        }
        bars.sort_unstable();
        (bars.into_iter().take(MOST_LISTED).map(|(_, bar)| bar).collect(), count)
    }

    /// Where a bar is: that of its row where it is folded away.
    #[must_use]
    pub fn place_of(&self, pane: usize, bar: u32) -> Option<BarPlace> {
        let schedule = self.schedule(pane)?;
        let (span, (_, lane)) = (schedule.span(bar)?, schedule.lane_of(bar)?);
        let row = self.rows.rows.get(self.rows.holding(schedule, lane.device)?)?;
        let window = self.window_of(pane);
        let (first, lines) = match row.shape {
            Shape::Bars => (f64::from(lane.first), f64::from(lane.height)),
            Shape::Band => (0.0, 1.0),
        };
        let line_px = self.line_px(row, pane);
        Some(BarPlace {
            from: window.fraction(f64::from(span.start)),
            to: window.fraction(f64::from(span.end)),
            top: row.top + first * line_px,
            height: lines * line_px,
        })
    }

    /// The rows that are seen.
    #[must_use]
    pub fn seen_rows(&self) -> &[Row] {
        let seen = self.rows.between(self.window.top, self.window.top + self.room_px());
        self.rows.rows.get(seen).unwrap_or(&[])
    }

    /// When a job first held something in a run, in ticks of that run.
    #[must_use]
    pub fn first_start(&self, pane: usize, job: u32) -> Option<u32> {
        first_start(self.schedule(pane)?, job)
    }
}

/// The colours of all categories, and last that of dimmed bars.
fn colours(schedule: &Schedule, colouring: Colouring, look_up: &impl Fn(&str) -> Rgb) -> Vec<Rgb> {
    let mut colours: Vec<Rgb> =
        categories(schedule, colouring).iter().map(|category| mixed(category.fill, look_up)).collect();
    colours.push(look_up("axis"));
    colours
}

#[cfg(test)]
mod tests;
