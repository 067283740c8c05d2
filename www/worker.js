// A worker's entry: takes the module that the page compiled, then hands every message to Rust.
import { initSync, start_worker, worker_message } from "./app.js";

// A violation inside a worker reaches neither the page nor the console by itself.
self.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  console.error(`Blocked in a worker by the content security policy: ${effectiveDirective} ${blockedURI}`));

// A rejection would stay in the worker; thrown again it is the worker's `error` event, which the page acts on.
const rethrow = (error) => setTimeout(() => { throw error; });

self.onmessage = ({ data }) => {
  initSync({ module: data.module });
  self.onmessage = ({ data }) => void Promise.resolve(worker_message(data)).catch(rethrow);
  start_worker();
};
