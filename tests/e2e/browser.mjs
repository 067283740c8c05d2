// Chromium, and pages that are watched for everything that should not happen.
import { chromium } from "playwright-core";

/** Starts the browser: `$CHROMIUM`, or the system's. */
export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});

/**
 * A new context whose pages report to `problems`: console errors and warnings, uncaught errors, failed requests,
 * requests to any other origin and violations of the content security policy. `options` are Playwright's own.
 */
export async function watchedContext(browser, origin, problems, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(30_000);
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console ${message.type()}: ${message.text()}`);
  });
  context.on("weberror", (error) => problems.push(`uncaught: ${error.error().stack ?? error.error()}`));
  context.on("request", (request) => {
    const { protocol, origin: other } = new URL(request.url());
    if (/^(http|ws)s?:$/.test(protocol) && other !== origin) problems.push(`request to another origin: ${request.url()}`);
  });
  context.on("requestfailed", (request) => {
    // A reload ends what the page before it was still loading; that is no fault of the page.
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") problems.push(`failed: ${request.url()} ${reason}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  await context.addInitScript(() => document.addEventListener("securitypolicyviolation",
    (event) => console.error(`policy violation: ${event.effectiveDirective} ${event.blockedURI}`)));
  return context;
}
