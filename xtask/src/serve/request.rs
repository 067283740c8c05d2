//! The head of an HTTP request, as far as a static server needs it.

use std::io::{BufRead, Error, ErrorKind, Read, Result};

/// The longest head that is read.
const MAX_HEAD: u64 = 16 * 1024;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    Get,
    Head,
    Other,
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// Decoded, without query.
    pub(crate) path: String,
    pub(crate) keep_alive: bool,
}

impl Request {
    /// The next request of a connection; `None` at its end.
    pub(crate) fn read(reader: &mut impl BufRead) -> Result<Option<Request>> {
        let mut lines = reader.take(MAX_HEAD).lines();
        let Some(first) = lines.next().transpose()? else { return Ok(None) };
        let malformed = || Error::new(ErrorKind::InvalidData, "not an HTTP request");
        let mut words = first.split(' ');
        let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
            return Err(malformed());
        };
        let method = match method {
            "GET" => Method::Get,
            "HEAD" => Method::Head,
            _ => Method::Other,
        };
        // After a request with a body the connection cannot be used again, for the body is not read.
        let mut keep_alive = version == "HTTP/1.1" && method != Method::Other;
        loop {
            let line = lines.next().transpose()?.ok_or_else(malformed)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(malformed)?;
            keep_alive &=
                !(name.eq_ignore_ascii_case("connection") && value.trim().eq_ignore_ascii_case("close"));
        }
        let path = target.split(['?', '#']).next().unwrap_or_default();
        Ok(Some(Request { method, path: decoded(path), keep_alive }))
    }
}

/// Resolves `%xx`; what is not valid stays as it is.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        match (byte, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(16 * hex(*high) + hex(*low));
                rest = after;
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit.to_ascii_lowercase() - b'a' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Request>> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn two_requests_on_one_connection() {
        let mut connection =
            &b"GET /a%20b.js?v=1 HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nConnection: close\r\n\r\n"[..];
        let first = Request { method: Method::Get, path: "/a b.js".into(), keep_alive: true };
        let second = Request { method: Method::Head, path: "/".into(), keep_alive: false };
        assert_eq!(Request::read(&mut connection).unwrap(), Some(first));
        assert_eq!(Request::read(&mut connection).unwrap(), Some(second));
        assert_eq!(Request::read(&mut connection).unwrap(), None);
    }

    #[test]
    fn a_request_that_may_have_a_body_ends_the_connection() {
        let post = read("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc").unwrap().unwrap();
        assert_eq!((post.method, post.keep_alive), (Method::Other, false));
    }

    #[test]
    fn nonsense_is_an_error() {
        for text in ["hello\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n"] {
            assert!(read(text).is_err(), "{text:?}");
        }
        assert!(read(&format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000))).is_err());
    }

    #[test]
    fn percent_signs_are_resolved_where_valid() {
        assert_eq!(decoded("/a%2e%2E/%zz%+4%4"), "/a../%zz%+4%4");
    }
}
