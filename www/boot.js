// The page's entry: starts the WebAssembly module, then the service worker. All else is Rust.
import init, { start_page } from "./app.js";

// `cargo xtask serve` turns the service worker off, so that a rebuild is never hidden by a cached page.
const PWA = document.documentElement.dataset.pwa !== "off" && "serviceWorker" in navigator;

try {
  await init({ module_or_path: new URL("app_bg.wasm", import.meta.url) });
  // Compiling ends in one task, the first view is drawn in another, so that neither is long.
  await new Promise((resolve) => setTimeout(resolve));
  start_page(new URL("worker.js", import.meta.url).href);
} catch (error) {
  const note = document.createElement("p");
  note.setAttribute("role", "alert");
  note.textContent = `STS-Sim could not start: ${error}. Reload to fetch its files again; an old browser may lack `
    + "WebAssembly or module workers.";
  document.body.prepend(note);
  throw error;
}

if (PWA) keepOffline().catch((error) => console.warn("STS-Sim keeps no offline copy:", error));

/**
 * Registers the service worker and offers the version it has waiting.
 *
 * The offer is the event `sts-update` on `window`. A page that shows it itself calls `preventDefault()`, and takes it
 * with the event `sts-update-accept`; otherwise the banner below does both.
 */
async function keepOffline() {
  const container = navigator.serviceWorker;
  // Without a controller this is a first visit: the page on screen already is the newest version.
  const controlled = container.controller !== null;
  const registration = await container.register(new URL("sw.js", import.meta.url), { updateViaCache: "none" });

  const offer = () => {
    if (!controlled || !registration.waiting) return;
    if (window.dispatchEvent(new Event("sts-update", { cancelable: true }))) showBanner();
  };
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
  offer();

  window.addEventListener("sts-update-accept", () => {
    container.addEventListener("controllerchange", () => location.reload(), { once: true });
    registration.waiting?.postMessage("activate");
  });
}

function showBanner() {
  const banner = document.createElement("div");
  banner.setAttribute("role", "status");
  banner.dataset.testid = "update-banner";
  banner.style.cssText = "position: fixed; inset: auto 1rem 1rem auto; z-index: 1000; padding: .5rem 1rem; "
    + "color: CanvasText; background: Canvas; border: 1px solid";
  const accept = document.createElement("button");
  accept.type = "button";
  accept.textContent = "Reload";
  accept.addEventListener("click", () => window.dispatchEvent(new Event("sts-update-accept")));
  banner.append("A new version of STS-Sim is ready. ", accept);
  document.body.append(banner);
}
