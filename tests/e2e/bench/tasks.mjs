// The main thread's long tasks while somebody uses the page: from the start over a trace and six policies to every view.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { finished, hook, importTrace, scenarioHash, started } from "../page.mjs";
import { ROOT } from "../server.mjs";
import { COLLECT_TASKS, traced } from "./tracing.mjs";

const PHILLY = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces/philly_json/CONVERTED_cluster_job_log.12000.json");
const PATIENCE_MS = 300_000;

/** A cluster of three GPU types on which a trace of some thousand jobs runs, under six policies. */
const SCENARIO = {
  version: 1,
  name: "six policies",
  cluster: { nodes: [
    { gpu: "V100-16", count: 32, gpus_per_node: 8, layout: "uniform-4" },
    { gpu: "P100", count: 32, gpus_per_node: 8, layout: "whole" },
    { gpu: "A100-80", count: 20, gpus_per_node: 8, layout: "mig" },
  ] },
  workload: { trace: { path: "trace", format: "auto" }, profiles: { rule: "seeded-mix", reference_gpu: "P100" } },
  round: { length_s: 600 },
  policies: ["fifo", "fifo-backfill", "srtf", "las", "round-robin", "sts-fairness"].map((name) => ({ name })),
  seeds: [0],
};

const SWEEP = {
  cluster: { nodes: [{ gpu: "V100-16", count: 4, gpus_per_node: 4 }, { gpu: "P100", count: 2, gpus_per_node: 4 }] },
  workload: { synthetic: { jobs: 120, tenants: 3, arrivals: { kind: "poisson", rate_per_hour: 40 } } },
  policies: [{ name: "sts-fairness" }, { name: "fifo" }, { name: "srtf" }],
  seeds: [0, 1, 2],
};

const TENANTS = 10_000;

const many_tenants = {
  ...SWEEP,
  workload: { synthetic: { jobs: 12_000, tenants: TENANTS, arrivals: { kind: "poisson", rate_per_hour: 4_000 }, duration: { median_s: 120, max_s: 3_600 } } },
  policies: [{ name: "fifo" }, { name: "las" }],
  seeds: [0],
};

/** A table of so many jobs, as a file on disk: handed over by a script it would cost the page what reading it does not. */
async function table(jobs, tenants) {
  const lines = ["job,tenant,submit_s,gpus,duration_s"];
  for (let n = 0; n < jobs; n += 1) lines.push(`j${n},t${(n * 7_919) % tenants},${n * 13},${[1, 1, 2, 4][n % 4]},${60 + ((n * 104_729) % 7_200)}`);
  const folder = join(ROOT, "target/bench");
  const path = join(folder, `${jobs}.csv`);
  await mkdir(folder, { recursive: true });
  await writeFile(path, `${lines.join("\n")}\n`);
  return path;
}

const view = (page, name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true }).click();
const frames = (page, count) => page.evaluate(async (count) => {
  for (let at = 0; at < count; at += 1) await new Promise(requestAnimationFrame);
}, count);

/** Moves the pointer through the plot that is there at `at`, or does nothing where there is none. */
async function sweep_over(page, plot) {
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (box === null) return;
  const y = Math.min(box.y + box.height / 2, 850);
  for (let at = 1; at < 20; at += 1) await page.mouse.move(box.x + (box.width * at) / 20, y);
  await frames(page, 2);
}

async function scroll_through(page) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.mouse.move(700, 450);
  for (let y = 0; y < height; y += 400) {
    await page.mouse.wheel(0, 400);
    await frames(page, 2);
  }
  await page.evaluate(() => scrollTo(0, 0));
}

const settled = (page) => page.locator('[data-testid="laboratory"][aria-busy="false"]').waitFor();

/** Journeys: where each begins, and its steps. A step is given the page. */
const JOURNEYS = [
  { name: "a trace and six policies", hash: scenarioHash(SCENARIO), steps: [
    [existsSync(PHILLY) ? "importing Philly, 12,000 jobs" : "importing a table, 12,000 jobs", async (page) => {
      await importTrace(page, existsSync(PHILLY) ? PHILLY : await table(12_000, 14));
      await hook(page, "import-report").waitFor({ timeout: PATIENCE_MS });
      await page.waitForTimeout(1_000);
    }],
    ["running six policies, and their results", async (page) => {
      await hook(page, "run").click();
      await hook(page, "kpi-table").waitFor({ timeout: PATIENCE_MS });
      await finished(page);
    }],
    ["leaving the results for the start", (page) => view(page, "Start")],
    ["opening the results", async (page) => {
      await view(page, "Results");
      await hook(page, "kpi-table").waitFor();
      await page.waitForTimeout(1_000);
    }],
    ["scrolling through the results", scroll_through],
    ["the cursor over every chart", async (page) => {
      for (const plot of await page.locator("figure .plot").all()) await sweep_over(page, plot);
    }],
    ["hiding a policy and showing it", async (page) => {
      const chip = page.getByRole("group", { name: "Policies shown" }).getByRole("button").nth(2);
      for (let at = 0; at < 4; at += 1) {
        await chip.click();
        await frames(page, 5);
      }
    }],
    ["another baseline", async (page) => {
      const choice = page.locator(".series-bar select");
      for (const policy of ["srtf", "fifo"]) {
        await choice.selectOption(policy);
        await frames(page, 5);
      }
    }],
    ["sorting the key figures", async (page) => {
      const head = hook(page, "kpi-table").locator("button.sort");
      for (const at of [0, 0, 1]) {
        await head.nth(at).click();
        await frames(page, 3);
      }
    }],
    ["opening the Gantt", async (page) => {
      await hook(page, "gantt-panel").scrollIntoViewIfNeeded();
      const open = hook(page, "gantt-open");
      if (await open.count() > 0) await open.click();
      await hook(page, "gantt").waitFor();
      await page.waitForTimeout(1_000);
    }],
    ["zooming and panning the Gantt", async (page) => {
      await hook(page, "gantt").focus();
      for (const key of "wwwwwwddddaaaassssss") {
        await page.keyboard.press(key);
        await frames(page, 1);
      }
    }],
    ["from the results to the set-up", async (page) => {
      await view(page, "Set up");
      await page.locator("#s-rounds").waitFor({ state: "attached" });
    }],
    ["typing in the set-up", async (page) => {
      const seeds = page.locator("#seeds");
      await seeds.fill("");
      await seeds.pressSequentially("0, 1");
      await seeds.press("Enter");
      await page.waitForTimeout(300);
    }],
  ] },
  { name: "from the start", hash: "", steps: [
    ["opening the set-up", async (page) => {
      await view(page, "Set up");
      await page.locator("#s-rounds").waitFor({ state: "attached" });
    }],
    ["importing a table, 200,000 jobs", async (page) => {
      await importTrace(page, await table(200_000, 40));
      await hook(page, "import-report").waitFor({ timeout: PATIENCE_MS });
      await page.waitForTimeout(1_000);
    }],
    ["opening the laboratory", async (page) => {
      await view(page, "Laboratory");
      await settled(page);
    }],
    ["typing in the laboratory", async (page) => {
      const rate = hook(page, "laboratory").locator('input[data-testid^="lab-rate-"]').first();
      for (const text of ["7", "7.5", "7"]) {
        await rate.fill(text);
        await frames(page, 3);
      }
      await settled(page);
    }],
    ["another example of the laboratory", async (page) => {
      await hook(page, "lab-example-MIG-1").click();
      await settled(page);
    }],
  ] },
  { name: "a small scenario", hash: scenarioHash(SWEEP), steps: [
    ["opening the experiment", async (page) => {
      await view(page, "Experiment");
      await hook(page, "experiment-run").waitFor();
    }],
    ["an experiment of 36 runs", async (page) => {
      await page.locator("#exp-levels-0").fill("0.5 to 2 by 0.5");
      await page.locator("#exp-levels-0").press("Enter");
      await hook(page, "experiment-run").click();
      await page.waitForFunction(() => document.querySelector('[data-testid="experiment-status"]')?.textContent.includes("Done"), undefined, { timeout: PATIENCE_MS });
    }],
  ] },
  { name: "many tenants", hash: scenarioHash(many_tenants), steps: [
    [`the set-up with ${TENANTS.toLocaleString("en")} tenants`, async (page) => {
      await view(page, "Set up");
      await hook(page, "workload-csv").waitFor({ timeout: PATIENCE_MS });
      await page.waitForTimeout(1_000);
    }],
    [`a run with ${TENANTS.toLocaleString("en")} tenants, and its results`, async (page) => {
      await hook(page, "run").click();
      await hook(page, "kpi-table").waitFor({ timeout: PATIENCE_MS });
      await finished(page);
      await page.waitForTimeout(1_000);
    }],
    ["hiding a policy of it", async (page) => {
      const chip = page.getByRole("group", { name: "Policies shown" }).getByRole("button").nth(1);
      for (let at = 0; at < 2; at += 1) {
        await chip.click();
        await frames(page, 5);
      }
    }],
  ] },
];

/** Goes through the journeys; `told` is given each step with its long tasks, the first of them the start. */
export async function journeys(browser, url, told, { profile, context: options = {}, only } = {}) {
  for (const { name, hash, steps } of JOURNEYS) {
    if (only && name !== only) continue;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(COLLECT_TASKS);
    await options.prepare?.(context);
    const page = await context.newPage();
    try {
      told(`starting, ${hash === "" ? "at the beginning" : "from a link to a set-up"}`, await traced(browser, page, async () => {
        await page.goto(url + hash);
        await started(page);
      }, { profile }));
      for (const [name, step] of steps) told(name, await traced(browser, page, () => step(page), { profile }));
    } finally {
      await context.close();
    }
  }
}
