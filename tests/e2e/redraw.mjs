// How long the page's script takes to draw its charts anew at 10^5 points, and to list 10^5 jobs: node redraw.mjs [points] [jobs]
//
// Points: the results of the first sample, given back as a file in which every run's load curve and distributions have so many points.
// The load chart is zoomed and panned by keys, one a frame, and the distribution is switched between its figures; script is what the
// event takes until the page has been drawn anew. Jobs: a run of so many jobs under two policies, whose jobs are compared, sorted and
// searched. Milliseconds are of the clock; the longest task is in processor time.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { finished, hook, importTrace, runFirstSample, scenarioHash, started } from "./page.mjs";
import { ROOT, serve } from "./server.mjs";

const [POINTS, JOBS] = [Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 100_000)];

const scenario = {
  version: 1,
  name: `${JOBS} jobs`,
  cluster: { nodes: [{ gpu: "A100-80", count: 8, gpus_per_node: 8, layout: "whole" }, { gpu: "T4", count: 16, gpus_per_node: 4, layout: "whole" }] },
  workload: { synthetic: {
    jobs: JOBS, tenants: 12, seed: 1, gpus: [{ gpus: 1, weight: 1 }],
    arrivals: { kind: "poisson", rate_per_hour: 1_000 }, duration: { median_s: 400, max_s: 7_200 },
  } },
  round: { length_s: 600 },
  policies: [{ name: "fifo" }, { name: "srtf" }],
  seeds: [0],
};

const quantiles = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]?.toFixed(1);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${at(1)} ms`;
};

/** Presses keys in a plot, one a frame: milliseconds until the page has been drawn anew by script. */
const pressed = (page, testid, keys) => page.evaluate(async ([testid, keys]) => {
  const plot = document.querySelector(`[data-testid="${testid}"] .plot`);
  const out = [];
  for (const key of keys) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const start = performance.now();
    plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    // The page is drawn in microtasks after the event.
    await new Promise((resolve) => { const channel = new MessageChannel(); channel.port1.onmessage = resolve; channel.port2.postMessage(0); });
    out.push(performance.now() - start);
  }
  return out;
}, [testid, keys]);

/** What `act` gives, and the processor time that the longest task of the page's own thread took meanwhile: other work on the machine does not count. */
async function traced(page, act) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"] });
  const out = await act();
  await page.waitForTimeout(300);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const mains = new Set(traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(({ name, pid, tid, tdur }) => /RunTask$/.test(name) && tdur !== undefined && mains.has(`${pid} ${tid}`));
  const longest = Math.max(0, ...tasks.map(({ tdur }) => tdur / 1e3));
  return [out, `longest task ${longest.toFixed(1)} ms of processor time`];
}

const [server, browser] = await Promise.all([serve(), launch()]);
const opened = async (hash = "") => {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 1000 } })).newPage();
  page.setDefaultTimeout(300_000);
  await page.goto(server.url + hash);
  await started(page);
  return page;
};

async function points() {
  const first = await opened();
  await runFirstSample(first);
  const [download] = await Promise.all([first.waitForEvent("download"), hook(first, "kept-save").click()]);
  const file = JSON.parse(await readFile(await download.path(), "utf8"));
  await first.context().close();
  let runs = 0;
  const grow = (value) => {
    if (Array.isArray(value)) value.forEach(grow);
    else if (value !== null && typeof value === "object") {
      if (Array.isArray(value.load) && value.load[0]?.at_s !== undefined) {
        runs += 1;
        const end = value.load.at(-1).at_s;
        value.load = Array.from({ length: POINTS }, (_, i) => ({ at_s: Math.round(1e3 * end * i / POINTS) / 1e3, used: Math.round(500 + 400 * Math.sin(i / 97)) / 1e3, waiting: Math.round(40 + 30 * Math.sin(i / 1013)) + i % 7, running: 10 }));
        value.jct_cdf = Array.from({ length: POINTS }, (_, i) => ({ value: Math.round(60e3 * 10 ** (4 * i / POINTS)) / 1e3, share: (i + 1) / POINTS }));
      }
      Object.values(value).forEach(grow);
    }
  };
  grow(file);
  const page = await opened();
  const path = join(ROOT, "target/redraw.json");
  await mkdir(join(ROOT, "target"), { recursive: true });
  await writeFile(path, JSON.stringify(file));
  await importTrace(page, path);
  await hook(page, "kpi-table").waitFor();
  await hook(page, "chart-utilization").locator("svg.chart path.line").first().waitFor({ state: "attached" });
  await rm(path);
  console.log(`${runs} runs of ${POINTS} points each`);
  const keys = [..."wwwwwwwwww", ..."ddddd", ..."aaaaa", ..."ssssssssss", "0"];
  for (const [what, chart, presses] of [
    ["load chart, zoomed and panned", "chart-utilization", [...keys, ...keys, ...keys]],
    ["load chart, cursor", "chart-utilization", Array(60).fill("ArrowRight")],
    ["distribution, cursor", "chart-jct-cdf", Array(60).fill("ArrowRight")],
  ]) {
    const [took_ms, task] = await traced(page, () => pressed(page, chart, presses));
    console.log(`${what}: ${quantiles(took_ms)}; ${task}`);
  }
  await page.context().close();
}

async function jobs() {
  const page = await opened(scenarioHash(scenario));
  await hook(page, "run").click();
  await hook(page, "kpi-table").waitFor();
  await finished(page);
  await page.waitForTimeout(3_000);
  const list = hook(page, "job-changes");
  const answered = async (what, act) => {
    const start = Date.now();
    const [, task] = await traced(page, async () => {
      await act();
      await page.waitForTimeout(200);
      await page.locator('[data-testid="job-changes"][aria-busy="false"] [data-testid="jobs-table"]').waitFor();
    });
    console.log(`${what}: ${Date.now() - start} ms; ${task}`);
  };
  const open = hook(page, "jobs-open");
  await answered("jobs joined and listed", async () => { if (await open.isVisible()) await open.click(); });
  await answered("sorted", () => list.getByRole("button", { name: /^Change/ }).click());
  await answered("searched", () => hook(page, "jobs-search").fill("99"));
  await answered("a job's waits", () => hook(page, "jobs-table").locator("tbody button").first().click());
  const keys = [..."wwwwwwwwww", ..."ddddd", ..."ssssssssss", "0"];
  const [took_ms, task] = await traced(page, () => pressed(page, "chart-utilization", keys));
  console.log(`load chart of the run, zoomed and panned: ${quantiles(took_ms)}; ${task}`);
  const [, of_selection] = await traced(page, async () => {
    await hook(hook(page, "chart-utilization"), "select-seen").click();
    await page.locator('[data-testid="stretch"][aria-busy="false"]').waitFor();
  });
  console.log(`figures of a selection; ${of_selection}`);
  await page.context().close();
}

try {
  await points();
  await jobs();
} finally {
  await browser.close();
  await server.stop();
}
