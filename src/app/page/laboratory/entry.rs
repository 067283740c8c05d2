//! Fields whose text is taken while it is typed.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::laboratory::Change;
use crate::app::laboratory::draft::{Draft, Row};
use crate::app::laboratory::field::Field;
use crate::app::page::icon::Icon;
use crate::app::state::Fault;

/// What a field needs.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct LiveProps {
    /// Which it is.
    pub(super) field: Field,
    /// What a screen reader calls it.
    pub(super) label: AttrValue,
    /// The text of the value.
    pub(super) text: AttrValue,
    /// What is wrong with it.
    pub(super) fault: Option<Fault>,
    /// Which keyboard a phone shows.
    pub(super) inputmode: &'static str,
    /// Something was typed.
    pub(super) change: Callback<Change>,
}

/// A field. What is being typed stays as it is typed until the field is left; the value follows with every letter.
#[component]
pub(super) fn Live(props: &LiveProps) -> Html {
    let typed = use_state(|| None::<String>);
    let LiveProps { field, fault, change, .. } = props;
    let (field, id) = (*field, field.id());
    let oninput = {
        let (typed, change) = (typed.setter(), change.clone());
        Callback::from(move |event: InputEvent| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            typed.set(Some(input.value()));
            change.emit(Change::Enter(field, input.value()));
        })
    };
    let onblur = {
        let typed = typed.setter();
        Callback::from(move |_: FocusEvent| typed.set(None))
    };
    let settled = || fault.as_ref().map_or_else(|| props.text.to_string(), |fault| fault.text.clone());
    let complaint = format!("{id}-fault");
    html! {
        <>
            <input type="text" id={id.clone()} data-testid={id} autocomplete="off" spellcheck="false" inputmode={props.inputmode} aria-label={props.label.clone()}
                value={(*typed).clone().unwrap_or_else(settled)} {oninput} {onblur}
                aria-invalid={fault.is_some().then_some("true")} aria-describedby={fault.is_some().then(|| complaint.clone())} />
            if let Some(fault) = fault {
                <span class="ferr" id={complaint} role="alert">{ Icon::Warn.html() }<span>{ fault.message.clone() }</span></span>
            }
        </>
    }
}

/// What the fields of an instance have in common.
pub(super) struct Fields<'a> {
    pub(super) draft: &'a Draft,
    pub(super) faults: &'a std::collections::BTreeMap<Field, Fault>,
    pub(super) change: &'a Callback<Change>,
}

impl Fields<'_> {
    /// A field for a number.
    pub(super) fn number(&self, field: Field) -> Html {
        self.with_keyboard(field, "decimal")
    }

    /// A field for a name.
    pub(super) fn name(&self, field: Field) -> Html {
        self.with_keyboard(field, "text")
    }

    fn with_keyboard(&self, field: Field, inputmode: &'static str) -> Html {
        html! {
            <Live key={field.id()} {field} label={field.label(self.draft)} text={field.text(self.draft)} fault={self.faults.get(&field).cloned()}
                {inputmode} change={self.change} />
        }
    }

    /// A button that removes a row.
    pub(super) fn remove(&self, label: String, change: Change) -> Html {
        html! {
            <button class="btn ghost icon" type="button" aria-label={label.clone()} title={label}
                onclick={self.change.reform(move |_: MouseEvent| change.clone())}>{ Icon::Cross.html() }</button>
        }
    }

    /// A button that adds one, where there is room.
    pub(super) fn add(&self, text: String, testid: String, what: Row, change: Change) -> Html {
        html! {
            <button class="link" type="button" data-testid={testid} disabled={!self.draft.has_room_for(what)} onclick={self.change.reform(move |_: MouseEvent| change.clone())}>
                { Icon::Plus.html() }{ text }
            </button>
        }
    }
}
