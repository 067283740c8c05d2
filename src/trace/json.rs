//! Members of one JSON element by their path (`/time/submission`), as texts that the readers of values take; what cannot be
//! read is a fault that names the path.

use std::borrow::Cow;

use serde_json::Value;

use crate::trace::intake::Fault;
use crate::trace::value::{self, Bad};

/// Parses an element. `expected` says what it should be.
pub(super) fn parse(element: &str, expected: &str) -> Result<Value, Fault> {
    match serde_json::from_str(element) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Fault::of_record(element, expected, "")),
        Err(error) => Err(Fault::of_record(
            element,
            expected,
            &format!("{error}, counted from the line of the element"),
        )),
    }
}

/// A text or number as it would stand in a table; empty when there is none, or when it is something else.
pub(super) fn text<'v>(value: &'v Value, path: &str) -> Cow<'v, str> {
    match value.pointer(path) {
        Some(Value::String(text)) => Cow::Borrowed(text.trim()),
        Some(Value::Number(number)) => Cow::Owned(number.to_string()),
        _ => Cow::Borrowed(""),
    }
}

/// The first of several members that is there.
pub(super) fn first_text<'v>(value: &'v Value, paths: &[&str]) -> Cow<'v, str> {
    paths.iter().map(|path| text(value, path)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// The elements of a list; none where there is no list.
pub(super) fn list<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    value.pointer(path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A value that must be there.
pub(super) fn required<T>(
    value: &Value,
    path: &str,
    read: impl FnOnce(&[u8]) -> Result<T, Bad>,
) -> Result<T, Fault> {
    let text = text(value, path);
    read(text.as_bytes()).map_err(|bad| Fault::of_value(&name(path), text.as_bytes(), bad))
}

/// A value that may be missing.
pub(super) fn maybe<T>(
    value: &Value,
    path: &str,
    read: impl FnOnce(&[u8]) -> Result<T, Bad>,
) -> Result<Option<T>, Fault> {
    if value::is_missing(text(value, path).as_bytes()) {
        return Ok(None);
    }
    required(value, path, read).map(Some)
}

/// A path as messages show it.
fn name(path: &str) -> String {
    path.trim_start_matches('/').replace('/', ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_as_texts_and_faults_name_their_path() {
        let job =
            parse(r#"{"time": {"start": 5, "end": " 2020-01-01 "}, "list": [1], "none": null}"#, "").unwrap();
        assert_eq!((text(&job, "/time/start"), text(&job, "/time/end")), ("5".into(), "2020-01-01".into()));
        assert_eq!(
            (text(&job, "/list"), text(&job, "/none"), text(&job, "/no")),
            ("".into(), "".into(), "".into())
        );
        assert_eq!(list(&job, "/list").len(), 1);
        assert!(list(&job, "/time").is_empty());
        let fault = required(&job, "/time/end", value::seconds).unwrap_err();
        assert_eq!((fault.column.as_deref(), fault.value.as_str()), (Some("time.end"), "2020-01-01"));
        assert!(maybe(&job, "/none", value::seconds).unwrap().is_none());
        assert!(parse("[1]", "a job").is_err() && parse("{\"a\":NaN}", "a job").is_err());
    }
}
