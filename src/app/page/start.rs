//! The start page: what this is, where files go in, a finished comparison, and the gallery.

use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::File;
use yew::prelude::*;

use super::drawing::{Draw, Drawing};
use super::drop::FileInput;
use super::icon::Icon;
use crate::app::comparison::{Comparison, Freshness};
use crate::app::figures;
use crate::app::headline::Headline;
use crate::app::samples::{SAMPLES, Sample};
use crate::app::state::{Action, Dialog, ResultSet, View};
use crate::app::strings;
use crate::chart::{Card, CdfChart, Chart, Detail, Distributed, MixPart, Scene, format};
use crate::policy::registry::{self, RECORDED};
use crate::scenario::run::generated;
use crate::trace::WorkloadDigest;

/// What the start page shows.
#[derive(Properties, Clone, PartialEq)]
pub struct StartProps {
    /// The results there are.
    pub shown: Option<Rc<ResultSet>>,
    /// How they stand to the set-up.
    pub freshness: Option<Freshness>,
    /// The page.
    pub dispatch: Callback<Action>,
    /// Files were given.
    pub on_files: Callback<Vec<File>>,
}

/// The start page.
#[component]
pub fn Start(props: &StartProps) -> Html {
    let StartProps { shown, freshness, dispatch, on_files } = props;
    let others =
        registry::policies().iter().filter(|spec| ![RECORDED, "sts-fairness"].contains(&spec.name)).count();
    html! {
        <section class="view" aria-labelledby="h-start">
            <div class="hero">
                <div class="hero-copy">
                    <h1 id="h-start">{ "Who gains, who loses, and by how much, if your GPUs were cut into slots and shared fairly?" }</h1>
                    <p class="lede">{ strings::lede(others) }</p>
                    <label class="drop">
                        <FileInput {on_files} />
                        <span class="drop-ic">{ Icon::Up.html() }</span>
                        <span class="drop-t">
                            <b>{ "Drop a job trace anywhere on this page" }</b>
                            <span>{ "or " }<u>{ "choose files" }</u>{ ", or paste text with " }<kbd>{ "Ctrl" }</kbd>{ " " }<kbd>{ "V" }</kbd></span>
                        </span>
                        <span class="drop-f">{ strings::formats() }</span>
                    </label>
                    <p class="stay">{ Icon::Lock.html() }<span><b>{ "Stays in this tab. " }</b>{ "The page makes no network request after it has loaded; its content-security policy forbids it." }</span></p>
                </div>
                { feature(shown.as_ref().zip(*freshness), dispatch) }
            </div>
            <div class="sec-head"><h2>{ "Samples" }</h2><p>{ "Each is simulated in this tab when you open it. Change anything and run it again." }</p></div>
            <div class="gallery">{ for SAMPLES.iter().map(|sample| html! { <SampleCard key={sample.id} id={sample.id} {dispatch} /> }) }</div>
            <p class="gavel-open">
                <button class="btn" type="button" data-testid="gavel-open" onclick={dispatch.reform(|_: MouseEvent| Action::Open(Dialog::Gavel))}>{ strings::GAVEL }</button>
                <span class="muted">{ strings::GAVEL_ABOUT }</span>
            </p>
            <p class="gavel-open">
                <a class="btn" href="#view=laboratory" data-testid="laboratory-open" onclick={dispatch.reform(|event: MouseEvent| { event.prevent_default(); Action::Show(View::Laboratory) })}>{ strings::view(View::Laboratory) }</a>
                <span class="muted">{ strings::laboratory::TEASER }</span>
            </p>
            <div class="promise">
                <div><h3>{ "Exact, or the gap is printed" }</h3><p>{ "STS-Fairness solves each round to the proven optimum by dynamic programming. Where a budget stops it, the bound is shown beside the result." }</p></div>
                <div><h3>{ "Same scenario, same hash" }</h3><p>{ "The browser and the command line give the same result hash for the same scenario, on every machine." }</p></div>
                <div><h3>{ "What is left out is written down" }</h3><p>{ "Network contention, data loading and interference between MPS neighbours are not modelled. The list stands under every result." }</p></div>
            </div>
        </section>
    }
}

/// A finished comparison, or where it will be.
fn feature(shown: Option<(&Rc<ResultSet>, Freshness)>, dispatch: &Callback<Action>) -> Html {
    let Some((set, freshness)) = shown.filter(|(set, _)| set.is_complete()) else { return coming(dispatch) };
    let comparison = Comparison::new(Rc::clone(&set.results), &set.scenario, None);
    let headline =
        Headline::of(&comparison, if freshness == Freshness::Stale { Freshness::Current } else { freshness });
    let facts = format!(
        "{} · {} · {} · {}",
        set.scenario.name,
        strings::jobs(set.origin.gpu_jobs),
        strings::plan(set.scenario.policies.len(), set.scenario.seeds.len()),
        format::duration(set.seconds)
    );
    html! {
        <figure class="panel feature" aria-labelledby="ft-h">
            <figcaption><span class="eyebrow">{ "A finished comparison, computed in this tab" }</span><h2 id="ft-h">{ headline.title }</h2></figcaption>
            <Drawing<Rc<ResultSet>> of={Rc::clone(set)} draw={small_cdf as Draw<_>} />
            <div class="feature-foot">
                <span class="muted">{ facts }</span>
                <button class="btn primary" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::Show(View::Results))}>{ "Open this comparison" }</button>
            </div>
        </figure>
    }
}

fn coming(dispatch: &Callback<Action>) -> Html {
    let sample = &SAMPLES[0];
    html! {
        <figure class="panel feature" aria-labelledby="ft-h">
            <figcaption><span class="eyebrow">{ "A comparison" }</span><h2 id="ft-h">{ sample.title }</h2></figcaption>
            <p class="feature-about">{ sample.about }</p>
            <div class="feature-foot">
                <span class="muted">{ strings::facts(&sample.scenario()) }</span>
                <button class="btn primary" type="button" onclick={dispatch.reform(|_: MouseEvent| Action::Sample(SAMPLES[0].id))}>{ "Compare" }</button>
            </div>
        </figure>
    }
}

/// The distribution of completion times for the policies that the finding is about.
fn small_cdf(set: &Rc<ResultSet>, width: f64) -> Scene {
    const HEIGHT_PX: f64 = 214.0;
    let comparison = Comparison::new(Rc::clone(&set.results), &set.scenario, None);
    let about = [comparison.subject(), comparison.baseline()];
    let hidden: BTreeSet<String> = comparison
        .rows()
        .iter()
        .map(|row| row.label.clone())
        .filter(|label| about.iter().flatten().all(|row| row.label != *label) && label != "fifo")
        .collect();
    let chart = figures::distribution(&comparison, Distributed::CompletionTime, &hidden);
    CdfChart { id: "feature-cdf".into(), width, height: HEIGHT_PX, detail: Detail::Compact, ..chart }
        .scene(None)
}

#[derive(Properties, PartialEq)]
struct CardProps {
    id: &'static str,
    dispatch: Callback<Action>,
}

/// One sample: the whole card opens it.
#[component]
fn SampleCard(props: &CardProps) -> Html {
    let id = props.id;
    let Some(sample) = SAMPLES.iter().find(|sample| sample.id == id) else { return html! {} };
    html! {
        <button class="card" type="button" data-testid={format!("sample-{id}")} onclick={props.dispatch.reform(move |_: MouseEvent| Action::Sample(id))}>
            <h3>{ sample.title }</h3>
            <span class="meta">{ strings::facts(&sample.scenario()) }</span>
            <Drawing<&'static str> of={id} draw={card_at as Draw<_>} />
            <span class="fin">{ sample.about }</span>
            <span class="go">{ "Compare" }</span>
        </button>
    }
}

/// The drawing of a sample. Its jobs are generated for it, so it is made once the page is there, not with it.
fn card_at(id: &&'static str, width: f64) -> Scene {
    let sample = SAMPLES.iter().find(|sample| sample.id == *id);
    sample.map_or_else(Scene::default, |sample| Card { width, ..drawing(sample) }.scene())
}

fn drawing(sample: &Sample) -> Card {
    let scenario = sample.scenario();
    let arrivals =
        generated(&scenario).map(|workload| WorkloadDigest::of(&workload).arrivals.jobs).unwrap_or_default();
    let nodes = scenario.cluster.nodes.iter().enumerate();
    let mix = nodes.map(|(type_index, row)| MixPart {
        type_index,
        name: row.gpu.clone(),
        gpus: u64::from(row.count) * u64::from(row.gpus_per_node),
    });
    Card { width: 0.0, arrivals, mix: mix.collect() }
}
