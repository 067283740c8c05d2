// A small check framework: named checks, run one after another, each with pages of its own.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { watchedContext } from "./browser.mjs";
import { started } from "./page.mjs";
import { ROOT, serve } from "./server.mjs";

const SHOTS = join(ROOT, "target/e2e");

class Skipped extends Error {}

/** Ends a check that cannot run here. */
export function skip(reason) {
  throw new Skipped(reason);
}

/**
 * What a check is given.
 *
 * `site`: the server all checks share. `problems`: what the watched pages reported; a check that does not empty it
 * fails. `open`: a started page in a context of its own. `serve`: a further server, stopped after the check.
 */
class Check {
  problems = [];
  #contexts = [];
  #servers = [];

  constructor(browser, site) {
    this.browser = browser;
    this.site = site;
  }

  open = async ({ url = this.site.url, hash = "", ...options } = {}) => {
    const context = await watchedContext(this.browser, new URL(url).origin, this.problems, options);
    this.#contexts.push(context);
    const page = await context.newPage();
    await page.goto(url + hash);
    await started(page);
    return page;
  };

  serve = async (options) => {
    const server = await serve(options);
    this.#servers.push(server);
    return server;
  };

  async screenshots(name) {
    await mkdir(SHOTS, { recursive: true });
    const pages = this.#contexts.flatMap((context) => context.pages());
    await Promise.all(pages.map((page, i) =>
      page.screenshot({ path: join(SHOTS, `${name.replace(/\W+/g, "-")}-${i}.png`), fullPage: true, timeout: 5_000 })
        .catch(() => {})));
  }

  async close() {
    await Promise.all(this.#contexts.map((context) => context.close()));
    await Promise.all(this.#servers.map((server) => server.stop()));
  }
}

/** Runs the checks `[{ name, work, limit_s }]`, prints a line for each and returns how many were ok, skip and FAIL. */
export async function runAll(checks, browser) {
  const site = await serve();
  const count = { ok: 0, skip: 0, FAIL: 0 };
  try {
    for (const check of checks) count[await runOne(check, browser, site)] += 1;
  } finally {
    await site.stop();
  }
  return count;
}

async function runOne({ name, work, limit_s }, browser, site) {
  const check = new Check(browser, site);
  const start = performance.now();
  const report = (word, text = "") => {
    const time_s = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${word.padEnd(4)} ${time_s.padStart(6)} s  ${name}${text}`);
    return word;
  };
  try {
    await within(limit_s, work(check));
    if (check.problems.length > 0) throw new Error(`the page reported:\n${check.problems.join("\n")}`);
    return report("ok");
  } catch (error) {
    if (error instanceof Skipped) return report("skip", `: ${error.message}`);
    await check.screenshots(name);
    const seen = check.problems.map((problem) => `\nseen: ${problem}`).join("");
    return report("FAIL", `\n${(error.stack ?? String(error)) + seen}`.replaceAll("\n", "\n       "));
  } finally {
    await check.close();
  }
}

async function within(limit_s, work) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done in ${limit_s} s`)), limit_s * 1000);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
