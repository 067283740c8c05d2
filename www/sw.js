// The service worker: keeps one version of the page for offline use. `cargo xtask dist` fills in these three.
const VERSION = "%VERSION%";
const FILES = "%FILES%"; // "./" and every file with a hashed name
const POLICY = "%POLICY%"; // of index.html; here as a header it covers the workers too, on a host that sends none

// Caches belong to the whole origin, so the name says which deployment a cache is of.
const PREFIX = `sts:${self.registration.scope}:`;
const CACHE = PREFIX + VERSION;

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(dropOld().then(() => self.clients.claim())));
// Only on request: a page that is still open goes on with the version it started with.
self.addEventListener("message", ({ data }) => data === "activate" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope)) event.respondWith(answer(event.request));
});

async function fill() {
  const cache = await caches.open(CACHE);
  await Promise.all(FILES.map(async (file) => {
    const response = await fetch(file, { cache: file === "./" ? "no-cache" : "default" });
    if (!response.ok) throw new Error(`${file}: ${response.status} ${response.statusText}`);
    const headers = { "Content-Type": response.headers.get("Content-Type"), "Content-Security-Policy": POLICY };
    await cache.put(file, new Response(response.body, { headers }));
  }));
}

// The version before this one stays: pages opened with it may still start its workers.
async function dropOld() {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
}

async function answer(request) {
  const path = request.url.slice(self.registration.scope.length).split(/[?#]/)[0];
  const isPage = path === "" || path === "index.html";
  const kept = isPage ? await (await caches.open(CACHE)).match("./") : await caches.match(request);
  return kept ?? fetch(request);
}
