//! Results in the browser's own store, IndexedDB: a list of what is kept, and the text of each file beside it.

use js_sys::JsString;
use rexie::{Error, ObjectStore, Rexie, TransactionMode};
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};

use crate::app::state::KeptResults;

const NAME: &str = "sts-sim";
const LIST: &str = "list";
const TEXTS: &str = "texts";

/// An entry of the list as it is stored.
#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    date: String,
    about: String,
}

async fn open() -> Result<Rexie, Error> {
    Rexie::builder(NAME)
        .version(1)
        .add_object_store(ObjectStore::new(LIST).auto_increment(true))
        .add_object_store(ObjectStore::new(TEXTS))
        .build()
        .await
}

/// What is kept, newest first.
///
/// # Errors
/// What the browser said, as where a private window keeps nothing.
pub async fn list() -> Result<Vec<KeptResults>, Error> {
    let store = open().await?;
    let transaction = store.transaction(&[LIST], TransactionMode::ReadOnly)?;
    let entries = transaction.store(LIST)?.scan(None, None, None, None).await?;
    let mut kept: Vec<KeptResults> = entries
        .into_iter()
        .filter_map(|(key, value)| {
            let Entry { name, date, about } = serde_wasm_bindgen::from_value(value).ok()?;
            Some(KeptResults { id: key.as_f64()? as u32, name, date, about })
        })
        .collect();
    kept.reverse();
    Ok(kept)
}

/// Keeps the text of a file.
///
/// # Errors
/// What the browser said, as where there is no room.
pub async fn keep(name: String, date: String, about: String, text: String) -> Result<(), Error> {
    let store = open().await?;
    let transaction = store.transaction(&[LIST, TEXTS], TransactionMode::ReadWrite)?;
    let entry = serde_wasm_bindgen::to_value(&Entry { name, date, about }).unwrap_or(JsValue::NULL);
    let key = transaction.store(LIST)?.add(&entry, None).await?;
    transaction.store(TEXTS)?.add(&JsValue::from_str(&text), Some(&key)).await?;
    transaction.done().await.map(drop)
}

/// The text of a file; `None` if it is not kept any more.
///
/// # Errors
/// What the browser said.
pub async fn text(id: u32) -> Result<Option<String>, Error> {
    let store = open().await?;
    let transaction = store.transaction(&[TEXTS], TransactionMode::ReadOnly)?;
    let text = transaction.store(TEXTS)?.get(id.into()).await?;
    Ok(text.and_then(|text| text.dyn_into::<JsString>().ok()).map(String::from))
}

/// Forgets one, or all.
///
/// # Errors
/// What the browser said.
pub async fn forget(id: Option<u32>) -> Result<(), Error> {
    let store = open().await?;
    let transaction = store.transaction(&[LIST, TEXTS], TransactionMode::ReadWrite)?;
    for name in [LIST, TEXTS] {
        let of = transaction.store(name)?;
        match id {
            Some(id) => of.delete(id.into()).await?,
            None => of.clear().await?,
        }
    }
    transaction.done().await.map(drop)
}
