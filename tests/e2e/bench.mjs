// The page's own speed: node bench.mjs [part…] measures the parts whose names are given, or all of them. Prints Markdown tables, and
// ends with an error that names every limit that is broken.
//
// STS_PROFILE=1 adds the functions in which long tasks were, by their names in target/pkg; STS_JOURNEY=name takes only that
// journey.
import { gzipSync } from "node:zlib";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { head, MB, row } from "./bench/figures.mjs";
import { ganttFrames } from "./bench/gantt_frames.mjs";
import { redraw } from "./bench/redraw.mjs";
import { start } from "./bench/start.mjs";
import { journeys } from "./bench/tasks.mjs";
import { LONG_MS } from "./bench/tracing.mjs";
import { ROOT, serve } from "./server.mjs";

const FIRST_RENDER_MS = 1_000;
const GANTT_FRAME_MS = 8;
const MILLION_BARS_BYTES = 150e6;

const PROFILE = process.env.STS_PROFILE === "1";

const broken = [];

/** Holds a figure against its limit. */
function hold(what, found, most, unit) {
  if (found > most) broken.push(`${what}: ${found.toFixed(unit === "MB" ? 0 : 1)} ${unit}, more than ${most} ${unit}`);
}

async function compressed() {
  const dist = join(ROOT, "dist");
  const files = (await readdir(dist)).filter((name) => name !== "sw.js");
  const sizes = await Promise.all(files.map(async (name) => gzipSync(await readFile(join(dist, name)), { level: 9 }).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function measureStart({ url }) {
  const { painted_ms, usable_ms, bytes } = await start(url);
  console.log(`\n## First render\n\n${head("first contentful paint, ms", "usable, ms", "transferred, MB", "gzipped, MB")}`);
  console.log(row(painted_ms.toFixed(0), usable_ms.toFixed(0), MB(bytes), MB(await compressed())));
  hold("first render", painted_ms, FIRST_RENDER_MS, "ms");
  hold("usable", usable_ms, FIRST_RENDER_MS, "ms");
}

/** Serves the module that still has the names of its functions. */
async function withNames(context) {
  await context.route("**/*.wasm", (route) => route.fulfill({ path: join(ROOT, "target/pkg/app_bg.wasm"), contentType: "application/wasm" }));
}

const share = ([name, ms]) => `${name} ${ms.toFixed(0)}`;

async function measureTasks({ url, browser }) {
  console.log(`\n## Tasks of the main thread over ${LONG_MS} ms\n\n${head("while", "tasks reported", "the longest, ms", "the longest by the thread's own time, ms", "what that was, ms")}`);
  await journeys(browser, url, (name, { observed, tasks }) => {
    // Which task is the page's longest does not depend on what else the machine does: its thread's own time counts.
    const longest = tasks.reduce((a, b) => (b.cpu_ms > (a?.cpu_ms ?? 0) ? b : a), undefined);
    const kinds = longest ? Object.entries(longest.kinds).sort(([, a], [, b]) => b - a).filter(([, ms]) => ms >= 1).map(share).join(", ") : "";
    const [cpu_ms, ms] = [longest?.cpu_ms ?? 0, Math.max(0, ...observed)];
    console.log(row(name, observed.length, ms > 0 ? ms.toFixed(0) : `< ${LONG_MS}`, cpu_ms.toFixed(0), kinds));
    hold(name, cpu_ms, LONG_MS, "ms");
    if (!PROFILE) return;
    for (const { ms, kinds, functions: { own, all } } of tasks.slice(0, 3)) {
      console.log(`  ${ms.toFixed(0)} ms: ${Object.entries(kinds).map(share).join(", ")}\n    own:`);
      for (const [name, ms] of own) console.log(`      ${ms.toFixed(1)} ${name}`);
      console.log("    with what it calls:");
      for (const [name, ms] of all) console.log(`      ${ms.toFixed(1)} ${name}`);
    }
  }, { profile: PROFILE, context: { prepare: PROFILE ? withNames : undefined }, only: process.env.STS_JOURNEY });
}

async function measureRedraw({ url, browser }) {
  const { script_ms, frame_ms } = await redraw(browser, url);
  console.log(`\n## Charts of 100,000 jobs: a policy is hidden or shown\n\n${head("script, ms", "until it is drawn, ms")}`);
  console.log(row(script_ms.toFixed(1), frame_ms.toFixed(1)));
}

async function measureGantt({ url, browser }) {
  console.log(`\n## Gantt\n\n${head("bars", "rows", "median ms of script", "whole run, ms", "worst ms", "script a frame, ms", "frame to frame, ms",
    "memory of the module, MB", "of the process, MB", "longest task at opening, ms")}`);
  for await (const { bars, results, grown, opening_ms } of ganttFrames(browser, url)) {
    for (const [rows, { median, whole, worst, script, frame }] of Object.entries(results)) {
      const ms = [median, whole, worst, script, frame].map((value) => value.toFixed(1));
      console.log(row(bars.toLocaleString("en"), rows, ...ms, ...grown.map((bytes) => Math.round(bytes / 1e6)), opening_ms.toFixed(0)));
      hold(`Gantt of ${bars.toLocaleString("en")} bars, ${rows}`, median, GANTT_FRAME_MS, "ms");
    }
    hold(`Gantt of ${bars.toLocaleString("en")} bars, memory`, Math.max(...grown) / 1e6, MILLION_BARS_BYTES / 1e6, "MB");
    hold(`Gantt of ${bars.toLocaleString("en")} bars, opening`, opening_ms, LONG_MS, "ms");
  }
}

const PARTS = { start: measureStart, tasks: measureTasks, redraw: measureRedraw, gantt: measureGantt };

const asked = process.argv.slice(2);
const unknown = asked.filter((part) => !(part in PARTS));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}: ${Object.keys(PARTS).join(", ")}`);
const [server, browser] = await Promise.all([serve(), launch()]);
try {
  for (const [part, measure] of Object.entries(PARTS)) {
    if (asked.length === 0 || asked.includes(part)) await measure({ url: server.url, browser });
  }
} finally {
  await browser.close();
  await server.stop();
}
if (broken.length > 0) {
  console.error(`\n${broken.join("\n")}`);
  process.exitCode = 1;
}
