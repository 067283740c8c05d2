// How long the page's script takes for a frame of the Gantt, at 10^4, 10^5 and 10^6 bars, and what memory it takes.
//
// Each size is a real run: so many jobs of one GPU each under FIFO, none of which waits, so that no other panel reads waits. Then the window is zoomed and panned for 100 frames over
// everything from the whole run to a few bars. Script is what runs in the key's event and in the frame's callback; "script a frame" is
// the whole of it by the browser's own account, what Yew does after it included.
import { readFile } from "node:fs/promises";
import { finished, hook, scenarioHash, started } from "../page.mjs";
import { median } from "./figures.mjs";

const SIZES = [10_000, 100_000, 1_000_000];
const FRAMES = 100;

const scenario = (jobs) => ({
  version: 1,
  name: `${jobs} jobs`,
  cluster: { nodes: [
    { gpu: "A100-80", count: 8, gpus_per_node: 8, layout: "whole" },
    { gpu: "T4", count: 16, gpus_per_node: 4, layout: "whole" },
  ] },
  workload: { synthetic: {
    jobs, tenants: 12, seed: 1, gpus: [{ gpus: 1, weight: 1 }],
    arrivals: { kind: "poisson", rate_per_hour: 1_000 },
    duration: { median_s: 120, max_s: 3_600 },
  } },
  round: { length_s: 600 },
  policies: [{ name: "fifo" }],
  seeds: [0],
});

/** Counts the time of every frame's callback and of every key, and keeps the memory of the page's module. */
const MEASURE = () => {
  for (const name of ["instantiate", "instantiateStreaming"]) {
    const own = WebAssembly[name].bind(WebAssembly);
    WebAssembly[name] = async (...given) => {
      const made = await own(...given);
      window.module_memory = (made.instance ?? made).exports.memory;
      return made;
    };
  }
  const frames = window.frames_ms = [];
  const own = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => own((now) => {
    const start = performance.now();
    callback(now);
    frames.push([now, performance.now() - start]);
  });
  window.tasks_ms = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.tasks_ms.push(entry.duration))).observe({ type: "longtask" });
};

/** Presses keys, one a frame, and gives the milliseconds of script of each. */
const drive = (page, keys) => page.evaluate(async (keys) => {
  const plot = document.querySelector('[data-testid="gantt"]');
  const out = [];
  let last = await new Promise((resolve) => requestAnimationFrame(resolve));
  for (const key of keys) {
    window.frames_ms.length = 0;
    const start = performance.now();
    plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const event_ms = performance.now() - start;
    const now = await new Promise((resolve) => requestAnimationFrame(resolve));
    const callbacks_ms = window.frames_ms.filter(([at]) => at === now).reduce((sum, [, ms]) => sum + ms, 0);
    out.push({ script_ms: event_ms + callbacks_ms, frame_ms: now - last });
    last = now;
  }
  return out;
}, keys);

async function measure(browser, url, jobs) {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  page.setDefaultTimeout(300_000);
  await page.addInitScript(MEASURE);
  await page.goto(url + scenarioHash(scenario(jobs)));
  await started(page);
  await hook(page, "run").click();
  await hook(page, "kpi-table").waitFor({ timeout: 300_000 });
  await finished(page);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const control = await browser.newBrowserCDPSession();
  // Of the module, and of the whole process: the workers are in it, but do nothing meanwhile.
  const memory = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { processInfo } = await control.send("SystemInfo.getProcessInfo");
    const kB = await Promise.all(processInfo.filter(({ type }) => type === "renderer").map(async ({ id }) =>
      Number((await readFile(`/proc/${id}/status`, "utf8").catch(() => "")).match(/VmRSS:\s+(\d+)/)?.[1] ?? 0)));
    return [await page.evaluate(() => window.module_memory?.buffer.byteLength ?? 0), Math.max(...kB) * 1_024];
  };
  const script = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ScriptDuration").value * 1_000;
  const before = await memory();
  await page.evaluate(() => window.tasks_ms.length = 0);
  const open = hook(page, "gantt-open");
  if (await open.count() > 0) await open.click();
  await hook(page, "gantt").waitFor();
  await page.waitForTimeout(1_500);
  const opening_ms = await page.evaluate(() => Math.max(0, ...window.tasks_ms));
  const grown = (await memory()).map((bytes, at) => bytes - before[at]);
  await hook(page, "gantt").scrollIntoViewIfNeeded();
  await hook(page, "gantt").focus();
  const results = {};
  const unfold = async (testid) => {
    await hook(page, "gantt-panel").getByText("More", { exact: true }).click();
    await hook(page, testid).click();
    await hook(page, "gantt-panel").getByText("More", { exact: true }).click();
    await hook(page, "gantt").focus();
    await page.waitForTimeout(300);
  };
  for (const [name, prepare] of [["unfolded", "gantt-unfold"], ["folded", "gantt-fold"]]) {
    await unfold(prepare);
    // From the whole run to a ten-thousandth of it, panning at every depth, and back.
    const way = Array.from({ length: FRAMES }, (_, at) => (at < 32 ? "w" : at < 68 ? "ad"[at % 2] : "s"));
    await drive(page, ["0"]);
    const began = await script();
    const frames = await drive(page, way);
    const whole = await drive(page, ["0", ...Array.from({ length: 20 }, (_, at) => "ws"[at % 2])]);
    const all_ms = await script() - began;
    results[name] = {
      median: median(frames.map(({ script_ms }) => script_ms)),
      whole: median(whole.map(({ script_ms }) => script_ms)),
      worst: Math.max(...frames.map(({ script_ms }) => script_ms)),
      script: all_ms / (frames.length + whole.length),
      frame: median(frames.map(({ frame_ms }) => frame_ms)),
    };
  }
  const bars = await hook(page, "gantt-panel").locator("figcaption p").innerText();
  await page.context().close();
  return { bars: Number(bars.match(/([\d,]+)\sallocations/)[1].replaceAll(",", "")), results, grown, opening_ms };
}

/**
 * Each size in turn: `{ bars, results: { unfolded, folded }, grown, opening_ms }`, where a result has milliseconds of script a frame
 * and `grown` is what opening adds to the memory of the module and of the process, in bytes.
 */
export async function* ganttFrames(browser, url, sizes = SIZES) {
  for (const jobs of sizes) yield await measure(browser, url, jobs);
}
