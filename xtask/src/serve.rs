//! A static file server for `dist/`, on this machine only: GET and HEAD, keep-alive, the hosted page's headers.

mod request;

use crate::command::{Result, program, root};
use crate::dist::content_security_policy;
use crate::options::{Headers, Options, Pwa};
use request::{Method, Request};
use std::fs;
use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `sw.js` answers while the service worker is off: a worker that removes the one registered earlier.
const NO_SERVICE_WORKER: &str = include_str!("serve/no_service_worker.js");

/// A connection that is silent for so long is closed.
const IDLE: Duration = Duration::from_secs(60);

/// One folder under one path.
struct Site {
    folder: PathBuf,
    prefix: String,
    pwa: Pwa,
    headers: Headers,
    policy: String,
}

/// A response without its length.
struct Response {
    status: &'static str,
    mime: &'static str,
    cache: &'static str,
    body: Vec<u8>,
}

/// Serves the page until the process ends. The first line on standard output is the page's address.
pub(crate) fn run(options: &Options) -> Result {
    let folder = options.dir.clone().unwrap_or_else(|| root().join("dist"));
    let page = fs::read_to_string(folder.join("index.html")).map_err(|error| {
        format!("{}/index.html: {error}; 'cargo xtask dist' builds dist/", folder.display())
    })?;
    let site = Site {
        folder: folder.canonicalize()?,
        prefix: options.prefix.clone(),
        pwa: options.pwa,
        headers: options.headers,
        policy: content_security_policy(&page)?.to_owned(),
    };
    let port = options.port;
    let listener = TcpListener::bind(("127.0.0.1", port))
        .map_err(|error| format!("port {port}: {error}; choose another with --port N (0: any free one)"))?;
    let address = format!("http://{}{}", listener.local_addr()?, site.prefix);
    println!("{address}");
    eprintln!("serving {}; Ctrl-C stops", folder.display());
    if options.open {
        open(&address);
    }
    serve(&listener, site);
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "the rule is for the engine; a connection needs a thread here")]
fn serve(listener: &TcpListener, site: Site) {
    let site = std::sync::Arc::new(site);
    for stream in listener.incoming().flatten() {
        let site = site.clone();
        // A connection that breaks concerns nobody else.
        std::thread::spawn(move || drop(site.answer_all(stream)));
    }
}

/// Shows the address in the system's browser, if it has one.
fn open(address: &str) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    if program(opener, &[address]).spawn().is_err() {
        eprintln!("no browser could be opened: go to the address above");
    }
}

impl Site {
    fn answer_all(&self, stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(IDLE))?;
        stream.set_nodelay(true)?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(request) = Request::read(&mut reader)? {
            let response = self.answer(&request);
            let connection = if request.keep_alive { "keep-alive" } else { "close" };
            let mut bytes = self.head(&response, connection).into_bytes();
            if request.method != Method::Head {
                bytes.extend_from_slice(&response.body);
            }
            writer.write_all(&bytes)?;
            if !request.keep_alive {
                break;
            }
        }
        Ok(())
    }

    fn answer(&self, request: &Request) -> Response {
        if request.method == Method::Other {
            return Response::error("405 Method Not Allowed");
        }
        match self.file(&request.path) {
            Some(path) => {
                self.content(&path).unwrap_or_else(|_| Response::error("500 Internal Server Error"))
            }
            None => Response::error("404 Not Found"),
        }
    }

    /// The file a path means, if it is one inside the folder.
    fn file(&self, path: &str) -> Option<PathBuf> {
        let name = match path.strip_prefix(&self.prefix)? {
            "" => "index.html",
            name => name,
        };
        let file = self.folder.join(name).canonicalize().ok()?;
        (file.starts_with(&self.folder) && file.is_file()).then_some(file)
    }

    fn content(&self, path: &Path) -> std::io::Result<Response> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let body = match (self.pwa, &*name) {
            (Pwa::Off, "sw.js") => NO_SERVICE_WORKER.as_bytes().to_vec(),
            (Pwa::Off, "index.html") => {
                fs::read_to_string(path)?.replacen("<html", r#"<html data-pwa="off""#, 1).into_bytes()
            }
            _ => fs::read(path)?,
        };
        // Every other name has a hash of the content in it.
        let changes = matches!(&*name, "sw.js" | "index.html");
        let cache = if changes { "no-cache" } else { "public, max-age=31536000, immutable" };
        Ok(Response { status: "200 OK", mime: mime(&name), cache, body })
    }

    fn head(&self, response: &Response, connection: &str) -> String {
        let Response { status, mime, cache, body } = response;
        let length = body.len();
        let mut head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {mime}\r\nContent-Length: {length}\r\nConnection: {connection}\r\n"
        );
        if self.headers == Headers::Hosted {
            head += &format!(
                "Cache-Control: {cache}\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
                 Content-Security-Policy: {}; frame-ancestors 'none'\r\n",
                self.policy
            );
        }
        head + "\r\n"
    }
}

impl Response {
    fn error(status: &'static str) -> Response {
        let body = format!("{status}\n").into_bytes();
        Response { status, mime: "text/plain; charset=utf-8", cache: "no-store", body }
    }
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
