//! Which colour class, dash, mark and width a policy has, and which class a tenant or a GPU type has.
//!
//! A policy's colour, dash and mark come from a table keyed by its name, never from its position in a list, so they
//! stay when others are hidden and are the same on every chart, chip and table. No two of the table share colour and
//! dash; marks tell further entries of one policy apart, and stand on every line where there are many. Colours themselves are in
//! `chart.css` (class to custom property) and in [`theme`](super::theme) (custom property to colour).

use super::marker::{self, MARKERS, Marker};
use super::scene::{Area, Line, Node, Pattern, Rect, Scene, Stroke};

/// What a series is in the comparison; it decides the width and the order of drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Role {
    /// One of the policies compared.
    #[default]
    Other,
    /// The one that others are compared with.
    Baseline,
    /// The one the comparison is about, drawn last and heaviest.
    Subject,
}

/// Which lines have marks: the same for all lines of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marked {
    /// Second and further entries of a policy.
    #[default]
    Variants,
    /// Every line: there are so many that dashes alone are too much alike.
    All,
}

impl Marked {
    /// Which lines have marks where so many entries are compared.
    #[must_use]
    pub fn among(entries: usize) -> Self {
        if entries > MOST_UNMARKED { Self::All } else { Self::Variants }
    }
}

/// As many lines are told apart by colour and dash at a glance.
const MOST_UNMARKED: usize = 8;

/// A policy as a chart names and draws it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The policy's name, such as `gavel-max-min`; it decides the colour and the dash.
    pub policy: String,
    /// What is written: unique within a chart.
    pub label: String,
    /// 0 for the first entry of a policy, 1 for the second of the same policy, …: the same colour and dash,
    /// another mark.
    pub variant: usize,
    /// Which lines of the comparison have marks.
    pub marked: Marked,
    /// Its part in the comparison.
    pub role: Role,
}

impl Key {
    /// The first entry of `policy`, under `label`.
    #[must_use]
    pub fn new(policy: impl Into<String>, label: impl Into<String>, role: Role) -> Self {
        Self { policy: policy.into(), label: label.into(), variant: 0, marked: Marked::Variants, role }
    }

    /// The same as the `variant`-th entry of its policy.
    #[must_use]
    pub fn variant(self, variant: usize) -> Self {
        Self { variant, ..self }
    }

    /// The same in a comparison whose lines have such marks.
    #[must_use]
    pub fn marked(self, marked: Marked) -> Self {
        Self { marked, ..self }
    }

    /// The mark on its line, if it has one.
    #[must_use]
    pub fn marker(&self) -> Option<Marker> {
        let is_marked = self.variant > 0 || self.marked == Marked::All;
        is_marked.then(|| MARKERS[self.number() % MARKERS.len()])
    }

    /// Which mark is its own: one of the policy's family by colour, and the next for the next entry.
    fn number(&self) -> usize {
        let own = POLICIES.iter().position(|e| e.name == self.policy).unwrap_or(0);
        own + self.variant
    }

    /// Draws its marks on a line through `corners`, which rise in x.
    pub(super) fn draw_marks(&self, scene: &mut Scene, corners: &[(f64, f64)]) {
        let places = marker::places(corners, self.number());
        if let (Some(marker), false) = (self.marker(), places.is_empty()) {
            scene.add(marker.at(&places, self.class()));
        }
    }

    /// The colour class, such as `p-gavel-max-min`.
    #[must_use]
    pub fn class(&self) -> &'static str {
        policy_class(&self.policy)
    }

    /// Dash and width of its line.
    #[must_use]
    pub fn stroke(&self) -> Stroke {
        let width_px = match self.role {
            Role::Subject => 2.6,
            Role::Baseline => 2.2,
            Role::Other => 1.6,
        };
        Stroke { dash: policy_dash(&self.policy, self.variant), width_px }
    }

    /// The class list of its line.
    #[must_use]
    pub(super) fn line_class(&self) -> String {
        let round = if self.stroke().dash == DOT { " rnd" } else { "" };
        format!("line {}{round}", self.class())
    }

    /// ` b` (bold, to be added to a class list) where the reader's eye is to go, else nothing.
    #[must_use]
    pub(super) fn emphasis(&self) -> &'static str {
        if self.role == Role::Other { "" } else { " b" }
    }
}

/// The order of drawing: others, baseline, subject; within that, as given.
#[must_use]
pub(super) fn drawing_order<T>(series: &[T], key: impl Fn(&T) -> &Key) -> Vec<&T> {
    let mut order: Vec<&T> = series.iter().collect();
    order.sort_by_key(|one| key(one).role);
    order
}

/// Dash patterns, in the units of `stroke-dasharray`. The dotted one needs round caps, which it gets in
/// `chart.css` by the class `rnd`.
const SOLID: &str = "";
const DASH: &str = "8 3";
const SHORT: &str = "5 3";
const FINE: &str = "2 3";
const DOT: &str = ".5 4";
const LONG: &str = "14 4";
const DASH_DOT: &str = "10 3 2 3";
const DASH_DOT_DOT: &str = "9 3 2 3 2 3";

/// For entries of one policy that have used up all marks; no policy has one of these for its own.
const VARIANT_DASHES: [&str; 3] = ["3 6", "16 3 4 3", "1 2 6 2"];

struct Entry {
    name: &'static str,
    class: &'static str,
    dash: &'static str,
}

const fn entry(name: &'static str, class: &'static str, dash: &'static str) -> Entry {
    Entry { name, class, dash }
}

/// In the order of the hues that `chart.css` gives them. The first hue and the solid line belong to
/// STS-Fairness alone, and no two policies share both hue and dash.
const POLICIES: [Entry; 33] = [
    entry("sts-fairness", "p-sts-fairness", SOLID),
    entry("gavel-max-min", "p-gavel-max-min", DASH),
    entry("gavel-water-filling", "p-gavel-water-filling", DOT),
    entry("gavel-max-sum", "p-gavel-max-sum", FINE),
    entry("gavel-makespan", "p-gavel-makespan", LONG),
    entry("gavel-ftf", "p-gavel-ftf", DASH_DOT),
    entry("srtf", "p-srtf", SHORT),
    entry("sjf", "p-sjf", DASH_DOT_DOT),
    entry("themis", "p-themis", FINE),
    entry("round-robin", "p-round-robin", DASH_DOT),
    entry("allox", "p-allox", SHORT),
    entry("gandiva-fair", "p-gandiva-fair", DASH),
    entry("oef-coop", "p-oef-coop", LONG),
    entry("oef-noncoop", "p-oef-noncoop", DASH_DOT_DOT),
    entry("ltrf", "p-ltrf", DOT),
    entry("sia", "p-sia", DASH_DOT),
    entry("fifo-backfill", "p-fifo-backfill", FINE),
    entry("easy", "p-easy", DASH),
    entry("optimus", "p-optimus", SHORT),
    entry("shockwave", "p-shockwave", LONG),
    entry("hadar", "p-hadar", DASH_DOT_DOT),
    entry("miso", "p-miso", DOT),
    entry("tiresias", "p-tiresias", SHORT),
    entry("las", "p-las", DASH),
    entry("gittins", "p-gittins", FINE),
    entry("fgd", "p-fgd", DASH_DOT),
    entry("drf", "p-drf", LONG),
    entry("fifo", "p-fifo", DOT),
    entry("recorded", "p-recorded", LONG),
    entry("random", "p-random", FINE),
    entry("expression", "p-expression", DASH_DOT),
    entry("equal-split", "p-equal-split", DASH),
    entry("proportional", "p-proportional", SHORT),
];

/// The colour class of a policy; one that is not in the table is drawn in the colour of secondary text.
#[must_use]
pub fn policy_class(name: &str) -> &'static str {
    POLICIES.iter().find(|e| e.name == name).map_or("p-other", |e| e.class)
}

/// The dash pattern of the `variant`-th entry of a policy; empty for a solid line. Another one only once every mark has been
/// on a line with the policy's own.
#[must_use]
pub fn policy_dash(name: &str, variant: usize) -> &'static str {
    match (variant / MARKERS.len()).checked_sub(1) {
        None => POLICIES.iter().find(|e| e.name == name).map_or(SOLID, |e| e.dash),
        Some(extra) => VARIANT_DASHES[extra % VARIANT_DASHES.len()],
    }
}

/// Distinct tenant hues; the same hues come again hatched.
const TENANT_HUES: usize = 7;

/// How a tenant's swatch and bars are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantFill {
    /// The colour class, `t0` to `t6`.
    pub class: &'static str,
    /// Whether the surface shows through in stripes.
    pub pattern: TenantPattern,
}

/// The second channel of a tenant's fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantPattern {
    /// Tenants 0 to 6.
    Solid,
    /// Tenants 7 to 13.
    Hatched,
}

/// The fill of tenant number `index` in the order of the workload: 14 different ones, then again from the
/// first (a tenant is always named beside its swatch).
#[must_use]
pub fn tenant_fill(index: usize) -> TenantFill {
    const CLASSES: [&str; TENANT_HUES] = ["t0", "t1", "t2", "t3", "t4", "t5", "t6"];
    let pattern = match (index / TENANT_HUES) % 2 {
        0 => TenantPattern::Solid,
        _ => TenantPattern::Hatched,
    };
    TenantFill { class: CLASSES[index % TENANT_HUES], pattern }
}

/// A sample of a policy's line, for chips, cards and tables: 10 px high.
#[must_use]
pub fn line_sample(key: &Key, width: f64) -> Scene {
    Scene { width, height: 10.0, nodes: line_nodes(key, width), ..Scene::default() }
}

pub(super) fn line_nodes(key: &Key, width: f64) -> Vec<Node> {
    let stroke = Stroke { width_px: key.stroke().width_px.max(2.0), ..key.stroke() };
    let mut nodes: Vec<Node> =
        vec![Line::new(key.line_class(), (1.0, 5.0), (width - 1.0, 5.0)).stroke(stroke).into()];
    nodes.extend(key.marker().map(|marker| marker.at(&[(width / 2.0, 5.0)], key.class())));
    nodes
}

/// A tenant's swatch of `size_px` x `size_px`; `id` must be unique in the page.
#[must_use]
pub fn tenant_swatch(id: impl Into<String>, index: usize, size_px: f64) -> Scene {
    let area = Area::new(0.0, 0.0, size_px, size_px);
    Scene {
        id: id.into(),
        width: size_px,
        height: size_px,
        nodes: tenant_nodes(index, area),
        ..Scene::default()
    }
}

/// A rectangle in a tenant's fill.
pub(super) fn tenant_nodes(index: usize, area: Area) -> Vec<Node> {
    let TenantFill { class, pattern } = tenant_fill(index);
    let rect = Rect::new(format!("blk {class}"), area).radius(2.0);
    match pattern {
        TenantPattern::Solid => vec![rect.into()],
        TenantPattern::Hatched => {
            vec![rect.into(), Rect::new("", area).radius(2.0).fill(Pattern::Hatch).into()]
        }
    }
}

/// The colour class of GPU type number `index` in the order of the cluster, `g0` to `g5`, then again.
#[must_use]
pub fn gpu_class(index: usize) -> &'static str {
    const CLASSES: [&str; 6] = ["g0", "g1", "g2", "g3", "g4", "g5"];
    CLASSES[index % CLASSES.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const NAMES: &str = "recorded fifo fifo-backfill easy sjf srtf las tiresias gittins round-robin equal-split drf \
        proportional gavel-max-min gavel-water-filling gavel-max-sum gavel-makespan gavel-ftf themis allox gandiva-fair \
        oef-coop oef-noncoop sia optimus shockwave hadar miso ltrf fgd random expression sts-fairness";

    /// The custom property that the style sheet gives a class.
    fn hue(class: &str) -> &'static str {
        let rule = include_str!("chart.css")
            .split('}')
            .find(|rule| rule.split([',', '{', '\n']).any(|part| part.trim() == format!(".{class}")))
            .unwrap_or_else(|| panic!("no rule for {class}"));
        rule.split_once("color: var(").and_then(|(_, rest)| rest.split_once(')')).unwrap().0
    }

    #[test]
    fn every_policy_has_its_own_line() {
        let named: BTreeSet<&str> = NAMES.split_whitespace().collect();
        let listed: BTreeSet<&str> = POLICIES.iter().map(|e| e.name).collect();
        assert_eq!(named, listed);
        assert!(POLICIES.iter().all(|e| e.class == format!("p-{}", e.name)));
        let lines: BTreeSet<(&str, &str)> = POLICIES.iter().map(|e| (hue(e.class), e.dash)).collect();
        assert_eq!(lines.len(), POLICIES.len(), "hue and dash together are unique");
        assert!(POLICIES.iter().all(|e| !VARIANT_DASHES.contains(&e.dash)));
        assert_eq!(POLICIES.iter().filter(|e| hue(e.class) == "--p0" || e.dash == SOLID).count(), 1);
    }

    #[test]
    fn the_known_lines_are_as_designed() {
        for (name, property, dash) in [
            ("sts-fairness", "--p0", ""),
            ("gavel-max-min", "--p1", "8 3"),
            ("themis", "--p2", "2 3"),
            ("sia", "--p3", "10 3 2 3"),
            ("tiresias", "--p4", "5 3"),
            ("fifo", "--p5", ".5 4"),
        ] {
            assert_eq!((hue(policy_class(name)), policy_dash(name, 0)), (property, dash), "{name}");
        }
        assert_eq!(hue("t6"), "--t6");
        assert_eq!(hue("g0"), "--accent");
    }

    #[test]
    fn the_second_entry_of_a_policy_differs_in_its_mark_only() {
        let first = Key::new("fifo", "FIFO", Role::Baseline);
        let second = first.clone().variant(1);
        assert_eq!(first.class(), second.class());
        assert_eq!(first.stroke().dash, second.stroke().dash);
        assert_eq!(first.marker(), None);
        assert!(second.marker().is_some_and(|mark| Some(mark) != first.clone().variant(2).marker()));
    }

    /// What tells a line from others.
    fn look(key: &Key) -> (&'static str, &'static str, Option<Marker>) {
        (hue(key.class()), key.stroke().dash, key.marker())
    }

    #[test]
    fn up_to_33_entries_differ_whatever_they_are() {
        assert_eq!(Marked::among(8), Marked::Variants);
        assert_eq!(Marked::among(9), Marked::All);
        let of = |policy: &str, variant: usize, marked| {
            Key::new(policy, "", Role::Other).variant(variant).marked(marked)
        };
        let differ = |keys: &[Key]| keys.iter().map(look).collect::<BTreeSet<_>>().len() == keys.len();
        for marked in [Marked::Variants, Marked::All] {
            // Every policy in as many entries as any two can both have among 33.
            let all = POLICIES.iter().flat_map(|e| (0..16).map(move |variant| of(e.name, variant, marked)));
            assert!(differ(&all.collect::<Vec<_>>()));
            for entry in &POLICIES {
                let one: Vec<Key> = (0..33).map(|variant| of(entry.name, variant, marked)).collect();
                assert!(differ(&one), "{}", entry.name);
                // What is left of 33 for the others.
                for others in &POLICIES {
                    let many = one.iter().take(17).cloned();
                    let few = (0..16).map(|variant| of(others.name, variant, marked));
                    assert!(others.name == entry.name || differ(&many.chain(few).collect::<Vec<_>>()));
                }
            }
        }
    }

    #[test]
    fn with_nine_policies_every_mark_within_a_colour_is_another() {
        let mut seen = BTreeSet::new();
        for entry in &POLICIES {
            let key = Key::new(entry.name, "", Role::Other).marked(Marked::All);
            assert!(seen.insert((hue(entry.class), key.marker())), "{}", entry.name);
        }
    }

    #[test]
    fn an_unknown_policy_is_drawn_plainly() {
        let key = Key::new("<script>", "mine", Role::Other);
        assert_eq!(key.class(), "p-other");
        assert_eq!(key.stroke(), Stroke { dash: "", width_px: 1.6 });
    }

    #[test]
    fn fourteen_tenants_differ() {
        let fills: Vec<TenantFill> = (0..14).map(tenant_fill).collect();
        for (i, fill) in fills.iter().enumerate() {
            assert!(fills[..i].iter().all(|other| other != fill));
        }
        assert_eq!(tenant_fill(14), tenant_fill(0));
    }
}
