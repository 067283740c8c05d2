//! Everything the page knows and how it changes: plain data, one reducer, no browser.
//!
//! [`State::apply`] takes an [`Action`] (what the reader did or a worker reported) and answers with [`Command`]s for the page to
//! carry out. Whatever can be derived from the state is derived where it is shown and never stored beside it. Reports of work
//! that was given up are recognised by their number and dropped.

pub mod edit;
pub mod foresight;
pub mod history;
pub mod inputs;
pub mod runs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

pub use edit::{Edit, ListEdit};
pub use foresight::Foresight;
pub use history::History;
pub use inputs::{FileInfo, FilesId, Inputs, Loaded, ReadId, ReadReport, Refused, Source, Why};
pub use runs::{ComparisonId, Groups, Older, ResultSet, RunReport, Runs};

use super::comparison::{Freshness, Toggle};
use super::experiment::{self, Desk};
use super::forecast::Forecast;
use super::laboratory::link::Shared;
use super::laboratory::{Change, Laboratory};
use super::link::{self, Link, Remark};
use super::message::WorkloadFile;
use super::plan::Plan;
use super::samples;
use super::strings;
use super::unserved;
use crate::app::beside::Beside;
use crate::policy::registry::RECORDED;
use crate::scenario::results::Results;
use crate::scenario::{Scenario, TraceSpec};
use crate::trace::Refusal;
use crate::trace::mapping::Mapping;
use crate::trace::{ImportOptions, MAPPED};
use crate::workload::synthetic::SyntheticSpec;

/// The views of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// What it is, the drop zone, the samples.
    #[default]
    Start,
    /// Trace, cluster, policies, tenants, rounds.
    SetUp,
    /// The comparison.
    Results,
    /// The comparison at several values of one or two things.
    Experiment,
    /// A small instance under every policy.
    Laboratory,
}

impl View {
    /// Every view, in the order of the header.
    pub const ALL: [Self; 5] = [Self::Start, Self::SetUp, Self::Results, Self::Experiment, Self::Laboratory];

    /// The word in the address.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::SetUp => "setup",
            Self::Results => "results",
            Self::Experiment => "experiment",
            Self::Laboratory => "laboratory",
        }
    }

    /// The view with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.word() == word)
    }
}

/// Which colours the page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Those of the system.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// Every theme, in the order in which the button goes through them.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The word in the page's `data-theme` and in the browser's store.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.word() == word)
    }

    /// The one after it.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

/// Whether single letters do something outside of fields (WCAG 2.1.4 asks for a way to turn that off).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LetterKeys {
    /// They do.
    #[default]
    On,
    /// They do nothing.
    Off,
}

/// A window over the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialog {
    /// The link to this scenario.
    Share,
    /// Keys.
    Keys,
    /// What to send along when something is wrong.
    Report,
    /// Text to be read as a trace.
    Paste,
    /// How the files of the trace are read.
    Mapping,
    /// Gavel's simulator.
    Gavel,
}

/// Faulty fields by their names.
pub type Faults = BTreeMap<String, Fault>;

/// A field whose text is not a value: what was typed and what is wrong with it. The scenario keeps the last good value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// As typed.
    pub text: String,
    /// What is expected, and what is used meanwhile.
    pub message: String,
}

/// What keeps a comparison from being run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// The trace is still being read.
    StillReading,
    /// The scenario names files that the page was not given.
    NoTrace(String),
    /// The workload has no job that asks for GPUs.
    NoJobs,
    /// No job has a run time.
    NoRunTimes,
    /// No policy is chosen.
    NoPolicy,
    /// The traced schedule is to be replayed, and the workload has none.
    NoSchedule,
    /// A policy cannot serve this cluster or these jobs; its title and what it expects.
    Policy(String, String),
    /// A value of the scenario is refused; which and why.
    Scenario(String),
}

/// The moment of an action, as the page's clocks tell it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Now {
    /// Seconds on a clock that only runs forward.
    pub s: f64,
    /// Time of day, `21:14:07`.
    pub clock: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A view was chosen.
    Show(View),
    /// A theme was chosen.
    Theme(Theme),
    /// Letter keys were turned on or off.
    LetterKeys(LetterKeys),
    /// A window was opened.
    Open(Dialog),
    /// The window was closed.
    Close,
    /// The remarks on the link have been read.
    DismissRemarks,
    /// The page was opened with this after `#` in its address. Where nothing else is asked for, it shows what a comparison is.
    Begin(String),
    /// The part of the address after `#` is now this: the reader went back or forth.
    Address(String),
    /// The set-up was changed.
    Edit(Edit),
    /// The set-up was changed through a field, whose text is a value again if it was none.
    Enter(String, Edit),
    /// A field's text is no value.
    Fault(String, Fault),
    /// The last change of the set-up is taken back.
    Undo,
    /// The change last taken back is made again.
    Redo,
    /// A sample of the gallery was chosen: its comparison is to be shown.
    Sample(&'static str),
    /// The reader gave files to the page, which keeps them under this number.
    Files(FilesId, Vec<FileInfo>),
    /// The file at this address of the page's own host is there, kept under a number, or cannot be had, and why.
    Fetched(String, Result<(FilesId, Vec<FileInfo>), String>),
    /// Of the files kept under this number only the one at this position is to be read: the page gives it a number of its own.
    ReadAlone(FilesId, usize),
    /// The files of the trace are to be read as this format (`auto` = as detected).
    Format(String),
    /// The files of the trace are to be read as a table with these columns.
    Mapping(Box<Mapping>),
    /// Of the archive only these members are to be read; none = all.
    Members(Vec<String>),
    /// Of the files only one record in so many is to be read.
    OneIn(u32),
    /// Reading is to stop.
    StopReading,
    /// What the last files were refused for has been read.
    DismissRefusal,
    /// All jobs of a workload are wanted as a file.
    ExportWorkload(ReadId, WorkloadFile),
    /// News of what is being read.
    Read(ReadId, ReadReport),
    /// What would be simulated, as was asked under this number, or why nothing would be.
    Foreseen(u32, Result<Forecast, String>),
    /// The comparison is to be run.
    Run,
    /// The run is to stop.
    Cancel,
    /// News of one run of a comparison: its number in the plan.
    Ran(ComparisonId, usize, RunReport),
    /// The means over common jobs that were asked for, or none of them.
    CommonMeans(ComparisonId, Vec<Option<f64>>),
    /// What was finished of the interrupted comparison is to be shown.
    ShowFinished,
    /// Another baseline was chosen.
    Baseline(String),
    /// A policy's chip was used.
    Toggle(String, Toggle),
    /// Something was done in the laboratory.
    Laboratory(Change),
    /// The form of the experiment was changed.
    Experiment(experiment::Change),
    /// A set-up that was kept is to be the set-up.
    TakeSetUp(Rc<Scenario>),
    /// Results that were run before are to be shown, with the set-up they are of.
    OpenResults(Box<Results>),
    /// Results that were run before are to stand beside those shown; `None` = no more.
    Beside(Option<Rc<Results>>),
    /// What the page keeps in the browser, newest first.
    Kept(Vec<KeptResults>),
    /// Results could not be opened or kept, and why.
    KeptFault(String),
    /// The message about that has been read.
    DismissKeptFault,
}

/// Results that are kept in the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptResults {
    /// The number under which they are kept.
    pub id: u32,
    /// What people call them.
    pub name: String,
    /// The day they were run.
    pub date: String,
    /// Policies and seeds, in words.
    pub about: String,
}

/// What the page has to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Read the files kept under the second number so, and keep the workload under the first.
    Read(ReadId, FilesId, ImportOptions),
    /// Get the file at this address of the page's own host.
    Fetch(String),
    /// Generate a workload and keep it under this number.
    Generate(ReadId, SyntheticSpec),
    /// Write the workload kept under this number as a file of this name.
    ExportWorkload(ReadId, WorkloadFile, String),
    /// Find what of the workload kept under the last number this scenario would simulate; the answer goes by the first number.
    Forecast(u32, Rc<Scenario>, ReadId),
    /// Stop whatever is being read or generated.
    StopReading,
    /// Run these runs of the scenario's plan on the workload kept under the last number.
    Simulate(ComparisonId, Rc<Plan>, Rc<Scenario>, ReadId),
    /// Find the means over the jobs that all runs of a group finished.
    CommonMeans(ComparisonId, Groups),
    /// Stop all runs.
    StopRuns,
    /// Remember the theme.
    SaveTheme(Theme),
    /// Remember whether letter keys do something.
    SaveLetterKeys(LetterKeys),
    /// Put the top of the view into sight.
    ScrollToTop,
    /// Read the file kept under this number as results.
    OpenResults(FilesId),
}

/// Everything the page knows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// What is shown.
    pub view: View,
    /// Colours.
    pub theme: Theme,
    /// Whether letter keys do something.
    pub letter_keys: LetterKeys,
    /// The window over the page.
    pub dialog: Option<Dialog>,
    /// What could not be followed in the link.
    pub remarks: Vec<Remark>,
    /// The set-up.
    pub scenario: Rc<Scenario>,
    /// Fields whose text is no value, by the field's name.
    pub faults: Rc<Faults>,
    /// Workloads.
    pub inputs: Inputs,
    /// Where on the page's own host the file is that was opened last, or is to be opened.
    pub opened: Option<String>,
    /// What of the workload would be simulated.
    pub foresight: Foresight,
    /// Runs and results.
    pub runs: Runs,
    /// Label of the policy that others are compared with; `None` = the results view's own choice.
    pub baseline: Option<String>,
    /// Labels of policies that charts leave out.
    pub hidden: Rc<BTreeSet<String>>,
    /// Changes of the set-up that can be taken back.
    pub history: History,
    /// The laboratory.
    pub laboratory: Rc<Laboratory>,
    /// The form of the experiment.
    pub experiment: Rc<Desk>,
    /// Results that stand beside those shown.
    pub beside: Option<Rc<Beside>>,
    /// Results that are kept in the browser.
    pub kept: Rc<Vec<KeptResults>>,
    /// Why results could not be opened or kept.
    pub kept_fault: Option<String>,
}

/// What becomes of the settings of a trace when files of its name were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Settings {
    /// They are for these files.
    Keep,
    /// They were for others.
    Reset,
}

impl Default for State {
    fn default() -> Self {
        let scenario = Rc::new(samples::default_scenario());
        Self {
            experiment: Rc::new(Desk::of(&scenario)),
            view: View::Start,
            theme: Theme::System,
            letter_keys: LetterKeys::On,
            dialog: None,
            remarks: Vec::new(),
            scenario,
            faults: Rc::default(),
            inputs: Inputs::default(),
            opened: None,
            foresight: Foresight::default(),
            runs: Runs::default(),
            baseline: None,
            hidden: Rc::default(),
            history: History::default(),
            laboratory: Rc::default(),
            beside: None,
            kept: Rc::default(),
            kept_fault: None,
        }
    }
}

impl State {
    /// The workload that the scenario asks for, if the page has it.
    #[must_use]
    pub fn input(&self) -> Option<&Rc<Loaded>> {
        self.inputs.named_by(&self.scenario.workload)
    }

    /// What keeps the comparison from being run; empty when it can be.
    #[must_use]
    pub fn obstacles(&self) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        if let Some(trace) = &self.scenario.workload.trace
            && self.input().is_none()
        {
            obstacles.push(if self.inputs.is_reading(&self.scenario.workload) {
                Obstacle::StillReading
            } else {
                Obstacle::NoTrace(trace.path.clone())
            });
        }
        if self.input().is_some_and(|input| input.contents.digest.gpu_jobs == 0) {
            obstacles.push(Obstacle::NoJobs);
        } else if self.input().is_some_and(|input| input.contents.digest.durations.is_none()) {
            obstacles.push(Obstacle::NoRunTimes);
        }
        let replays = self.scenario.policies.iter().any(|choice| choice.name == RECORDED);
        if replays && self.input().is_some_and(|input| !input.contents.has_schedule) {
            obstacles.push(Obstacle::NoSchedule);
        }
        if self.scenario.policies.is_empty() {
            obstacles.push(Obstacle::NoPolicy);
        } else if let Err(error) = self.scenario.check() {
            obstacles.push(Obstacle::Scenario(error.to_string()));
        } else if let Some(Err(error)) = self.input().map(|input| {
            let by = self.scenario.workload.trace.as_ref().map(|trace| trace.tenants).unwrap_or_default();
            let tenants = input.contents.digest.tenants_by(by);
            self.scenario.tenants.check_names(|name| tenants.iter().any(|tenant| tenant.name == name))
        }) {
            obstacles.push(Obstacle::Scenario(error.to_string()));
        } else if let Some(Err(error)) = self.forecast() {
            obstacles.push(Obstacle::Scenario(error.clone()));
        } else {
            let sizes = self.input().map_or(&[][..], |input| &input.contents.digest.gpu_sizes);
            let refused = unserved::refused(&self.scenario, sizes).into_iter();
            obstacles.extend(refused.map(|(title, expected)| Obstacle::Policy(title, expected)));
        }
        obstacles
    }

    /// What stands beside the results that are shown.
    #[must_use]
    pub fn beside(&self) -> Option<&Rc<Beside>> {
        let (shown, _) = self.displayed()?;
        self.beside.as_ref().filter(|beside| beside.of == shown.id)
    }

    /// What the results view shows, and how that stands to the set-up.
    #[must_use]
    pub fn displayed(&self) -> Option<(&Rc<ResultSet>, Freshness)> {
        let older = self.runs.awaited.or(self.runs.active.as_ref().map(|active| active.older));
        match (older, &self.runs.shown) {
            (Some(Older::Hide), _) | (_, None) => None,
            (Some(Older::Stay), Some(shown)) => Some((shown, Freshness::Stale)),
            (None, Some(shown)) if !shown.answers(&self.scenario) => Some((shown, Freshness::Stale)),
            (None, Some(shown)) if !shown.is_complete() => {
                Some((shown, Freshness::Incomplete { done: shown.results.len(), planned: shown.planned }))
            }
            (None, Some(shown)) => Some((shown, Freshness::Current)),
        }
    }

    /// The files that can be read in another way: those just refused, else those of the trace.
    #[must_use]
    pub fn files_in_question(&self) -> Option<&Source> {
        let refused = self.inputs.refused.as_ref().map(|refused| &refused.source);
        let source = refused.or(self.input().map(|loaded| &loaded.source));
        source.filter(|source| matches!(source, Source::Files { .. }))
    }

    /// Whether a run is under way that would be lost with the page; a sample's can be had again by one click.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.runs.active.as_ref().is_some_and(|active| !samples::is_one(&active.comparison.scenario))
    }

    /// Whether the page must keep the workload of this number.
    #[must_use]
    pub fn needs(&self, read: ReadId) -> bool {
        self.inputs.reading.as_ref().is_some_and(|reading| reading.read == read)
            || self.inputs.keeps(read)
            || self.runs.active.as_ref().is_some_and(|active| active.comparison.origin.read == Some(read))
            // A round of what is shown may be asked for, which is run again.
            || self.runs.shown.as_ref().is_some_and(|shown| shown.origin.read == Some(read))
    }

    /// Whether the page must keep the files of this number.
    #[must_use]
    pub fn needs_files(&self, wanted: FilesId) -> bool {
        self.inputs.sources().any(|source| matches!(source, Source::Files { id, .. } if *id == wanted))
    }

    /// Whether the page must keep what belongs to this comparison.
    #[must_use]
    pub fn needs_comparison(&self, id: ComparisonId) -> bool {
        let is = |comparison: &Rc<ResultSet>| comparison.id == id;
        self.runs.active.as_ref().is_some_and(|active| is(&active.comparison))
            || self.runs.shown.as_ref().is_some_and(is)
            || self.runs.interrupted.as_ref().is_some_and(|interrupted| is(&interrupted.comparison))
    }

    /// What stands after `#` in the address.
    #[must_use]
    pub fn address(&self) -> String {
        let is_untouched = *self.scenario == samples::default_scenario();
        let trace = self
            .input()
            .filter(|input| input.contents.report.is_some())
            .map(|input| input.contents.hash.clone());
        link::encode(&Link {
            scenario: (!is_untouched).then(|| (*self.scenario).clone()),
            view: (self.view != View::Start).then_some(self.view),
            baseline: self.baseline.clone(),
            trace: trace.or_else(|| self.inputs.expected_trace.clone()),
            open: self.opened.clone(),
            laboratory: (*self.laboratory != Laboratory::default()).then(|| Shared::of(&self.laboratory)),
            experiment: (!self.experiment.is_untouched()).then(|| self.experiment.draft().clone()),
        })
    }

    /// What stands after `#` in a link that is sent to others: of the laboratory, the experiment and the set-up only what is shown.
    #[must_use]
    pub fn address_to_share(&self) -> String {
        if self.view == View::Laboratory {
            let laboratory = Some(Shared::of(&self.laboratory));
            return link::encode(&Link { view: Some(self.view), laboratory, ..Link::default() });
        }
        let mut shown = State { laboratory: Rc::default(), ..self.clone() };
        if self.view != View::Experiment {
            shown.experiment = Rc::new(Desk::of(&self.scenario));
        }
        shown.address()
    }

    /// Takes an action, and says what the page has to do about it.
    pub fn apply(&mut self, action: Action, now: &Now) -> Vec<Command> {
        let mut commands = Vec::new();
        match action {
            Action::Show(view) => self.show(view, &mut commands),
            Action::Theme(theme) => {
                self.theme = theme;
                commands.push(Command::SaveTheme(theme));
            }
            Action::LetterKeys(keys) => {
                self.letter_keys = keys;
                commands.push(Command::SaveLetterKeys(keys));
            }
            Action::Open(dialog) => self.dialog = Some(dialog),
            Action::Close => self.dialog = None,
            Action::DismissRemarks => self.remarks.clear(),
            Action::Begin(text) => {
                self.follow(&text, &mut commands);
                if self.view == View::Start && self.remarks.is_empty() {
                    self.ask_run(Older::Stay, now, &mut commands);
                }
            }
            Action::Address(text) => self.follow(&text, &mut commands),
            Action::Edit(edit) => self.edit(edit, now, &mut commands),
            Action::Enter(field, edit) => {
                if self.faults.contains_key(&field) {
                    Rc::make_mut(&mut self.faults).remove(&field);
                }
                self.edit(edit, now, &mut commands);
            }
            Action::Fault(field, fault) => {
                Rc::make_mut(&mut self.faults).insert(field, fault);
            }
            Action::Undo => {
                if self.history.undo(&mut self.scenario) {
                    self.renewed(&mut commands);
                }
            }
            Action::Redo => {
                if self.history.redo(&mut self.scenario) {
                    self.renewed(&mut commands);
                }
            }
            Action::Sample(id) => self.open_sample(id, now, &mut commands),
            Action::Files(id, files) => {
                // What was to run was another workload.
                self.runs.awaited = None;
                self.opened = None;
                // The window of columns is of the files before these.
                self.dialog = self.dialog.filter(|dialog| *dialog != Dialog::Mapping);
                let options = self.options_for(&files);
                self.read(id, files, options, now, &mut commands);
                if self.view == View::Start {
                    self.show(View::SetUp, &mut commands);
                }
            }
            // The reader may have given other files meanwhile.
            Action::Fetched(address, _) if self.opened.as_ref() != Some(&address) => {}
            Action::Fetched(address, Ok((id, files))) => {
                commands = self.apply(Action::Files(id, files), now);
                self.opened = Some(address);
            }
            Action::Fetched(address, Err(why)) => {
                self.opened = None;
                self.remarks.push(Remark::NotOpened { address, why });
            }
            Action::ReadAlone(..) => {}
            Action::Format(format) => {
                let format = Some(format).filter(|format| format != "auto");
                self.dialog = self.dialog.filter(|dialog| *dialog != Dialog::Mapping);
                let read_as = |options: &mut ImportOptions| {
                    options.mapping = None;
                    options.format = format;
                };
                self.read_again(read_as, now, &mut commands);
            }
            Action::Mapping(mapping) => {
                self.dialog = None;
                let read_as = |options: &mut ImportOptions| {
                    options.format = Some(MAPPED.to_owned());
                    options.mapping = Some(mapping);
                };
                self.read_again(read_as, now, &mut commands);
            }
            Action::Members(members) => {
                self.read_again(|options| options.members = members, now, &mut commands);
            }
            Action::OneIn(one_in) => {
                self.read_again(|options| options.one_in = one_in, now, &mut commands);
            }
            Action::StopReading => {
                if self.inputs.reading.take().is_some() {
                    self.runs.awaited = None;
                    commands.push(Command::StopReading);
                }
            }
            Action::DismissRefusal => self.inputs.refused = None,
            Action::ExportWorkload(read, format) => {
                let name = strings::workload_file(&self.scenario, format.extension());
                commands.push(Command::ExportWorkload(read, format, name));
            }
            Action::Read(read, report) => self.hear_reading(read, report, now, &mut commands),
            Action::Foreseen(number, answer) => self.foresight.hear(number, answer),
            Action::Run => self.ask_run(Older::Stay, now, &mut commands),
            Action::Cancel => {
                if let Some(active) = &self.runs.active {
                    let share = active.share();
                    self.runs.end(Some(share), now.s, &now.clock);
                    commands.push(Command::StopRuns);
                } else {
                    self.runs.awaited = None;
                }
            }
            Action::Ran(id, run, report) => {
                if self.runs.hear(id, run, report) {
                    match self.runs.common_groups() {
                        groups if groups.is_empty() => self.finish(now, &mut commands),
                        groups => commands.push(Command::CommonMeans(id, groups)),
                    }
                }
            }
            Action::CommonMeans(id, means) => {
                if self.runs.active.as_ref().is_some_and(|active| active.comparison.id == id) {
                    self.runs.set_common_means(&means);
                    self.finish(now, &mut commands);
                }
            }
            Action::ShowFinished => {
                if let Some(interrupted) = self.runs.interrupted.take() {
                    self.runs.shown = Some(Rc::clone(&interrupted.comparison));
                    self.show(View::Results, &mut commands);
                }
            }
            Action::Baseline(label) => self.baseline = Some(label),
            Action::Toggle(label, toggle) => self.toggle(&label, toggle),
            Action::OpenResults(file) => self.open_results(&file, now, &mut commands),
            Action::Beside(file) => {
                let shown = self.runs.shown.as_ref();
                self.beside = file.zip(shown).map(|(file, shown)| Rc::new(Beside::of(shown, &file)));
            }
            Action::Kept(kept) => self.kept = Rc::new(kept),
            Action::KeptFault(fault) => {
                self.kept_fault = Some(fault);
                self.show(View::Results, &mut commands);
            }
            Action::DismissKeptFault => self.kept_fault = None,
            Action::Laboratory(change) => Rc::make_mut(&mut self.laboratory).apply(change),
            Action::Experiment(change) => Rc::make_mut(&mut self.experiment).apply(change),
            Action::TakeSetUp(set_up) => {
                self.change((*set_up).clone(), &mut commands);
                self.faults = Rc::default();
                self.show(View::SetUp, &mut commands);
            }
        }
        if self.view == View::Experiment && !self.experiment.is_of(&self.scenario) {
            Rc::make_mut(&mut self.experiment).follow(&self.scenario);
        }
        self.foresee(&mut commands);
        commands
    }

    /// What of the workload would be simulated, or why nothing would be; `None` until that is known.
    #[must_use]
    pub fn forecast(&self) -> Option<&Result<Forecast, String>> {
        self.foresight.answer(&self.scenario, self.input()?.read)
    }

    /// The set-up tells what would be simulated, so that is found out whenever it changes; while files are read, after them.
    fn foresee(&mut self, commands: &mut Vec<Command>) {
        if commands.contains(&Command::StopReading) {
            self.foresight.forget_question();
        }
        let Some(read) = self.input().map(|input| input.read) else { return };
        if self.view == View::SetUp && self.inputs.reading.is_none() && self.scenario.check().is_ok() {
            let number = self.foresight.ask(&self.scenario, read);
            commands.extend(number.map(|number| Command::Forecast(number, Rc::clone(&self.scenario), read)));
        }
    }

    fn show(&mut self, view: View, commands: &mut Vec<Command>) {
        if self.view != view {
            self.view = view;
            commands.push(Command::ScrollToTop);
        }
        if matches!(view, View::SetUp | View::Experiment) {
            self.generate_if_needed(commands);
        }
    }

    fn edit(&mut self, edit: Edit, now: &Now, commands: &mut Vec<Command>) {
        if let Edit::Repairs(repairs) = edit
            && self.input().is_some()
        {
            // The scenario follows once the files are read.
            self.read_again(|options| options.repairs = repairs, now, commands);
            return;
        }
        if let Some(fields) = edit.renews() {
            Rc::make_mut(&mut self.faults).retain(|field, _| !field.starts_with(&*fields));
        }
        if let Edit::RenamePolicy { label, to } = &edit
            && self.baseline.as_ref() == Some(label)
        {
            let name = self.scenario.policies.iter().find(|choice| choice.label() == label).map(|c| &c.name);
            self.baseline = to.as_ref().or(name).cloned();
        }
        let mut scenario = (*self.scenario).clone();
        edit.apply(&mut scenario);
        self.change(scenario, commands);
    }

    /// Replaces the scenario by a changed one, which can be taken back.
    fn change(&mut self, scenario: Scenario, commands: &mut Vec<Command>) {
        if scenario == *self.scenario {
            return;
        }
        self.history.change(&mut self.scenario, scenario);
        if self.view == View::SetUp {
            self.generate_if_needed(commands);
        }
    }

    /// The scenario became another one as a whole.
    fn renewed(&mut self, commands: &mut Vec<Command>) {
        self.faults = Rc::default();
        if self.view == View::SetUp {
            self.generate_if_needed(commands);
        }
    }

    /// The set-up shows what is in a generated workload, so it is generated without being asked for; unless the reader has just
    /// given files, which come first.
    fn generate_if_needed(&mut self, commands: &mut Vec<Command>) {
        let workload = &self.scenario.workload;
        let Some(spec) = &workload.synthetic else { return };
        if workload.trace.is_some()
            || self.input().is_some()
            || self.inputs.is_reading(workload)
            || self.inputs.is_reading_files()
            || spec.check().is_err()
        {
            return;
        }
        let spec = spec.clone();
        if self.inputs.reading.is_some() {
            commands.push(Command::StopReading);
        }
        let read = self.inputs.begin(Source::Synthetic(spec.clone()), 0.0);
        commands.push(Command::Generate(read, spec));
    }

    fn follow(&mut self, text: &str, commands: &mut Vec<Command>) {
        let (link, remarks) = link::decode(text);
        self.remarks = remarks;
        self.baseline = link.baseline;
        self.inputs.expected_trace = link.trace;
        if let Some(address) = link.open.filter(|address| self.opened.as_ref() != Some(address)) {
            commands.push(Command::Fetch(address.clone()));
            self.opened = Some(address);
        }
        let fallback = if link.scenario.is_some() { View::SetUp } else { View::Start };
        let view = link.view.unwrap_or(fallback);
        Rc::make_mut(&mut self.laboratory).follow(link.laboratory);
        let scenario = link.scenario.unwrap_or_else(samples::default_scenario);
        if self.history.before() == Some(&scenario) {
            commands.extend(self.apply(Action::Undo, &Now::default()));
        } else if self.history.after() == Some(&scenario) {
            commands.extend(self.apply(Action::Redo, &Now::default()));
        } else {
            self.change(scenario, commands);
            self.faults = Rc::default();
        }
        if let Some(draft) = link.experiment {
            Rc::make_mut(&mut self.experiment).open(draft, &self.scenario);
        }
        self.show(view, commands);
    }

    /// Shows results that were run before, with the set-up they are of.
    fn open_results(&mut self, file: &Results, now: &Now, commands: &mut Vec<Command>) {
        if self.runs.active.take().is_some() {
            commands.push(Command::StopRuns);
        }
        self.runs.awaited = None;
        self.kept_fault = None;
        self.beside = None;
        self.baseline = None;
        self.hidden = Rc::default();
        self.change(file.scenario.clone(), commands);
        self.faults = Rc::default();
        self.inputs.expected_trace.clone_from(&file.trace_hash);
        self.runs.open(file, &now.clock);
        self.show(View::Results, commands);
    }

    fn open_sample(&mut self, id: &str, now: &Now, commands: &mut Vec<Command>) {
        let Some(sample) = samples::sample(id) else { return };
        self.change(sample.scenario(), commands);
        self.faults = Rc::default();
        self.show(View::Results, commands);
        let is_there = matches!(self.displayed(), Some((_, Freshness::Current)));
        let is_running =
            self.runs.active.as_ref().is_some_and(|active| active.comparison.answers(&self.scenario));
        match &mut self.runs.active {
            Some(active) if is_running => active.older = Older::Hide,
            _ if is_there => {}
            _ => self.ask_run(Older::Hide, now, commands),
        }
    }

    fn read(
        &mut self,
        id: FilesId,
        files: Vec<FileInfo>,
        options: ImportOptions,
        now: &Now,
        commands: &mut Vec<Command>,
    ) {
        if self.inputs.reading.is_some() {
            commands.push(Command::StopReading);
        }
        let read = self.inputs.begin(Source::Files { id, files, options: options.clone() }, now.s);
        commands.push(Command::Read(read, id, options));
    }

    /// How files that were just given are read: the format by content, and mapped and repaired as the scenario says where it waits for a trace
    /// or names these files.
    fn options_for(&self, files: &[FileInfo]) -> ImportOptions {
        let path = inputs::path_of(files);
        let trace = self.scenario.workload.trace.as_ref();
        let named = trace.filter(|trace| self.input().is_none() || trace.path == path);
        let options = named.map(TraceSpec::import_options).unwrap_or_default();
        // Repairs are for the faults of the file they were chosen for; columns are often those of the last export.
        let options = match self.is_other_content(files) {
            true => ImportOptions { mapping: options.mapping, ..ImportOptions::default() },
            false => options,
        };
        // Another file may have another format, unless the user said how its columns are to be read.
        let format = options.mapping.as_ref().map(|_| MAPPED.to_owned());
        ImportOptions { format, ..options }
    }

    /// Whether a trace is loaded, and these files are none of its: by names, sizes and dates, which is all that is known before they
    /// are read.
    fn is_other_content(&self, files: &[FileInfo]) -> bool {
        match self.input().map(|loaded| &loaded.source) {
            Some(Source::Files { files: known, .. }) => known[..] != *files,
            _ => false,
        }
    }

    /// Reads the files of the trace, or those just refused, once more in another way.
    fn read_again(
        &mut self,
        change: impl FnOnce(&mut ImportOptions),
        now: &Now,
        commands: &mut Vec<Command>,
    ) {
        if let Some(Source::Files { id, files, options }) = self.files_in_question() {
            let (id, files, mut options) = (*id, files.clone(), options.clone());
            change(&mut options);
            self.read(id, files, options, now, commands);
        }
    }

    fn hear_reading(&mut self, read: ReadId, report: ReadReport, now: &Now, commands: &mut Vec<Command>) {
        let Some(reading) = self.inputs.reading.as_mut().filter(|reading| reading.read == read) else {
            return;
        };
        match report {
            ReadReport::Progress { bytes, records } => {
                reading.bytes = bytes;
                reading.records = records;
            }
            ReadReport::Read(contents) => {
                let source = reading.source.clone();
                let mut contents = *contents;
                if let Some(report) = contents.report.take_if(|report| report.jobs == 0) {
                    return self.refuse(source, Why::NoJob(Box::new(report)));
                }
                let seconds = now.s - reading.started_s;
                self.inputs.reading = None;
                let is_other = matches!(&source, Source::Files { files, .. } if self.is_other_content(files));
                let kept = if is_other { Settings::Reset } else { Settings::Keep };
                let loaded = self.inputs.keep(Loaded { read, source, contents, seconds });
                if loaded.contents.report.is_some() {
                    self.leave_sample(commands);
                    self.use_trace(&loaded, kept, commands);
                }
                if let Some(older) = self.runs.awaited {
                    self.run(older, now, commands);
                }
            }
            ReadReport::Refused(why) => {
                let source = reading.source.clone();
                // Of several files that do not go together it is not known which one the columns would be of.
                let is_one = matches!(&source, Source::Files { files, .. } if files.len() == 1);
                if let (true, Why::NoTrace(Refusal::Results), Source::Files { id, .. }) =
                    (is_one, &why, &source)
                {
                    self.inputs.reading = None;
                    commands.push(Command::OpenResults(*id));
                    return;
                }
                if is_one && why.asks_for_mapping() && self.dialog.is_none() {
                    self.dialog = Some(Dialog::Mapping);
                }
                self.refuse(source, why);
            }
        }
    }

    /// Gives up a sample that is being run: the reader has a trace now, and would wait for what was only to be looked at.
    fn leave_sample(&mut self, commands: &mut Vec<Command>) {
        let is_sample = |active: &runs::Active| samples::is_one(&active.comparison.scenario);
        if self.runs.active.take_if(|active| is_sample(active)).is_some() {
            commands.push(Command::StopRuns);
        }
    }

    /// What was read is of no use; what was loaded before stays.
    fn refuse(&mut self, source: Source, why: Why) {
        self.inputs.reading = None;
        self.runs.awaited = None;
        self.inputs.refused = Some(Rc::new(Refused { source, why }));
    }

    /// Makes files that were just read the scenario's trace. What the scenario says about a trace that is not there (it came with
    /// a link) holds for these files; else they are taken whole.
    fn use_trace(&mut self, loaded: &Rc<Loaded>, settings: Settings, commands: &mut Vec<Command>) {
        let (Some(path), Source::Files { options, .. }) = (loaded.source.path(), &loaded.source) else {
            return;
        };
        let format = options.format.clone().unwrap_or_else(|| "auto".to_owned());
        let mut scenario = (*self.scenario).clone();
        let is_awaited = self.input().is_none();
        let is_named = |trace: &TraceSpec| is_awaited || (trace.path == path && settings == Settings::Keep);
        match scenario.workload.trace.as_mut().filter(|trace| is_named(trace)) {
            Some(trace) => {
                trace.path = path;
                trace.format = format;
                trace.mapping.clone_from(&options.mapping);
                trace.repairs = options.repairs;
                trace.members.clone_from(&options.members);
                trace.one_in = options.one_in;
            }
            None => {
                scenario.name.clone_from(&path);
                scenario.tenants.weights.clear();
                scenario.tenants.changes.clear();
                let trace = TraceSpec {
                    format,
                    mapping: options.mapping.clone(),
                    repairs: options.repairs,
                    members: options.members.clone(),
                    one_in: options.one_in,
                    ..TraceSpec::whole(path)
                };
                Edit::Trace(trace).apply(&mut scenario);
            }
        }
        self.change(scenario, commands);
        if let Some(expected) = self.inputs.expected_trace.take().filter(|hash| *hash != loaded.contents.hash)
        {
            self.remarks.push(Remark::OtherTrace { expected, found: loaded.contents.hash.clone() });
        }
        self.show(View::SetUp, commands);
    }

    /// Runs what is set up, for somebody who is at this view now.
    fn ask_run(&mut self, older: Older, now: &Now, commands: &mut Vec<Command>) {
        self.runs.asked_in = self.view;
        self.run(older, now, commands);
    }

    fn run(&mut self, older: Older, now: &Now, commands: &mut Vec<Command>) {
        if !self.obstacles().is_empty() {
            return;
        }
        let Some(input) = self.input().cloned() else {
            self.runs.awaited = Some(older);
            self.generate_if_needed(commands);
            return;
        };
        if self.runs.active.is_some() {
            commands.push(Command::StopRuns);
        }
        let read = input.read;
        let scenario = Rc::clone(&self.scenario);
        let active = self.runs.begin(Rc::clone(&scenario), &input, older, now.s);
        commands.push(Command::Simulate(active.comparison.id, Rc::clone(&active.plan), scenario, read));
    }

    /// Every run of the comparison has ended. A reader who is still where the run was started is taken to the results.
    fn finish(&mut self, now: &Now, commands: &mut Vec<Command>) {
        let is_as_run =
            self.runs.active.as_ref().is_some_and(|active| active.comparison.answers(&self.scenario));
        self.runs.end(None, now.s, &now.clock);
        let has_results = self.runs.shown.is_some();
        let is_still_there = self.view == View::SetUp && self.runs.asked_in == View::SetUp;
        if is_still_there && is_as_run && has_results {
            self.show(View::Results, commands);
        }
    }

    fn toggle(&mut self, label: &str, toggle: Toggle) {
        let Some((comparison, _)) = self.displayed() else { return };
        let labels: BTreeSet<String> =
            comparison.scenario.policies.iter().map(|choice| choice.label().to_owned()).collect();
        let mut hidden = (*self.hidden).clone();
        match toggle {
            Toggle::Flip => {
                if !hidden.remove(label) {
                    hidden.insert(label.to_owned());
                }
            }
            Toggle::Solo => {
                let others: BTreeSet<String> =
                    labels.iter().filter(|other| *other != label).cloned().collect();
                let is_alone = others.iter().all(|other| hidden.contains(other)) && !hidden.contains(label);
                hidden = if is_alone { BTreeSet::new() } else { others };
            }
        }
        self.hidden = Rc::new(hidden);
    }
}
