// A run moment by moment: the slider, what it shows against the tables of `sts run`, playing, the shared cursor, and rounds in full
// against `sts explain`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import { finished, hook, importTrace, runFirstSample, scenarioHash } from "../page.mjs";
import { ROOT } from "../server.mjs";
import { skip } from "../suite.mjs";

const HELIOS = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces/helios_csv/CONVERTED_cluster_log.venus.first1200.csv");

/** The first 1,200 jobs of a real trace on fewer GPUs than they want, so that there is a queue. */
const REAL = (path) => ({
  version: 1,
  name: "venus",
  cluster: { nodes: [{ gpu: "V100-16", count: 12, gpus_per_node: 8, layout: "whole" }, { gpu: "P100", count: 6, gpus_per_node: 8, layout: "whole" }] },
  workload: { trace: { path, format: "helios-csv" } },
  round: { length_s: 600, start_s: 0, restore_s: 0 },
  policies: [{ name: "fifo" }, { name: "sts-fairness" }],
  seeds: [0],
});

/** Runs `sts` and gives what it wrote to standard output. */
async function sts(...words) {
  const [program, args] = process.env.STS_BIN
    ? [process.env.STS_BIN, words]
    : ["cargo", ["run", "-q", "--bin", "sts", "--", ...words]];
  return (await promisify(execFile)(program, args, { cwd: ROOT, maxBuffer: 1 << 28 })).stdout;
}

/** The real trace in the page, run; and the same scenario as a file for the command line, in a folder that `work` may write to. */
async function withRealTrace(open, work) {
  if (!existsSync(HELIOS)) {
    assert.notEqual(process.env.STS_REQUIRE_SHARED, "1", `${HELIOS} is required and missing`);
    skip(`there is no ${HELIOS} (STS_SHARED)`);
  }
  const folder = await mkdtemp(join(tmpdir(), "sts-moment-"));
  try {
    const file = join(folder, "scenario.json");
    await writeFile(file, JSON.stringify(REAL(HELIOS)));
    const page = await open({ hash: scenarioHash(REAL(basename(HELIOS))), viewport: { width: 1440, height: 1000 } });
    await importTrace(page, HELIOS);
    await hook(page, "import-report").waitFor();
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 200_000 });
    await finished(page);
    await work(page, file, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The rows of a CSV file without quotes. */
async function rows(path) {
  const [head, ...lines] = (await readFile(path, "utf8")).trim().split("\n").map((line) => line.split(","));
  return lines.map((line) => Object.fromEntries(head.map((name, at) => [name, line[at]])));
}

const number = (text) => Number(text.replaceAll(",", ""));

/** What the headline of a run says. */
async function told(run) {
  const text = (await hook(run, "moment-headline").innerText()).replace(/[\u00a0\u202f]/g, " ");
  const [, gpus, all] = text.match(/([\d,]+) of ([\d,]+) GPUs? in use/) ?? assert.fail(text);
  return {
    text, gpus: number(gpus), all: number(all),
    running: number(text.match(/([\d,]+) jobs? runs?\b/)[1]),
    waiting: number((text.match(/([\d,]+) waits?\b/) ?? [0, "0"])[1]),
  };
}

const slide = (page, time_s) => hook(page, "moment-slider").evaluate((slider, value) => {
  slider.value = String(value);
  slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
}, time_s);

const time = async (page) => Number(await hook(page, "moment-time").getAttribute("data-value"));
const timeIs = (page, time_s) => page.waitForFunction(
  (wanted) => Math.abs(Number(document.querySelector('[data-testid="moment-time"]').dataset.value) - wanted) < 1e-3, time_s);
const end = async (page) => Number(await hook(page, "moment-slider").getAttribute("max"));

async function choose(page, select, wanted) {
  // The panels come part by part.
  await hook(page, select).locator("option").first().waitFor({ state: "attached" });
  const labels = await hook(page, select).locator("option").allInnerTexts();
  const label = labels.find((label) => wanted.test(label));
  assert.ok(label, `${wanted} is not among ${labels}`);
  await hook(page, select).selectOption({ label });
}

/** The sample, with its moments in sight. */
async function sample(open, options) {
  const page = await open(options);
  await runFirstSample(page);
  await hook(page, "moment-slider").waitFor();
  await hook(page, "moment-devices").first().locator("svg").waitFor();
  await hook(page, "moment-panel").scrollIntoViewIfNeeded();
  return page;
}

async function accessible(page, part) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate((part) => window.axe.run(part), part);
  const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  assert.deepEqual(grave.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`), []);
}

export default (check) => {
  check("every moment of a real trace agrees with the table of its jobs", async ({ open }) => {
    await withRealTrace(open, async (page, file, folder) => {
      await sts("run", file, "--out", folder, "--quiet");
      const jobs = Object.fromEntries(await Promise.all(["fifo", "sts-fairness"].map(async (policy) =>
        [policy, (await rows(join(folder, `jobs-${policy}-0.csv`))).filter((job) => job.outcome !== "never-fit")])));
      await choose(page, "moment-run", /^FIFO, /);
      await choose(page, "moment-other", /STS/);
      const runs = hook(page, "moment-pane");
      await runs.nth(1).waitFor();
      const end_s = await end(page);
      for (const share of [0.07, 0.21, 0.35, 0.5, 0.66, 0.93]) {
        // Beside the microseconds at which things happen.
        const at = Math.round(end_s * share) + 0.5;
        await slide(page, at);
        await timeIs(page, at);
        const within = (from, to) => from !== "" && Number(from) <= at && (to === "" || at < Number(to));
        const fifo = await told(runs.nth(0));
        assert.equal(fifo.all, 144);
        assert.equal(fifo.running, jobs.fifo.filter((job) => within(job.first_start_s, job.finish_s)).length, fifo.text);
        assert.equal(fifo.waiting, jobs.fifo.filter((job) => Number(job.submit_s) <= at && (job.first_start_s === "" || at < Number(job.first_start_s))).length, fifo.text);
        assert.equal(fifo.gpus, jobs.fifo.filter((job) => within(job.first_start_s, job.finish_s)).reduce((sum, job) => sum + Math.max(1, Number(job.gpus)), 0), fifo.text);
        // Jobs are stopped and started again: what is known of a moment is who is there.
        const there = jobs["sts-fairness"].filter((job) => within(job.submit_s, job.finish_s));
        if (/had ended/.test(await hook(runs.nth(1), "moment-headline").innerText())) {
          assert.equal(there.length, 0);
          continue;
        }
        const fair = await told(runs.nth(1));
        assert.equal(fair.running + fair.waiting, there.length, fair.text);
        for (const [run, { running, waiting }] of [[runs.nth(0), fifo], [runs.nth(1), fair]]) {
          const sum = async (metric) => (await hook(run, "moment-tenants").locator(`[data-metric=${metric}]`).allInnerTexts()).reduce((sum, text) => sum + number(text), 0);
          assert.deepEqual([await sum("running"), await sum("waiting")], [running, waiting]);
          assert.equal(await hook(run, "moment-queue").locator("tbody tr").count(), Math.min(waiting, 50));
        }
      }
      // The queue of FIFO is the first that came, with what they ask and why.
      await slide(page, end_s * 0.35);
      await timeIs(page, end_s * 0.35);
      const waits = jobs.fifo.filter((job) => Number(job.submit_s) <= end_s * 0.35 && Number(job.first_start_s) > end_s * 0.35);
      const listed = await hook(runs.nth(0), "moment-queue").locator("tbody th").allInnerTexts();
      assert.deepEqual(listed.map((text) => text.split("\n")[0].trim()), waits.slice(0, 50).map((job) => job.job));
      if (waits.length > 0) assert.match(await hook(runs.nth(0), "moment-queue").innerText(), /GPUs?\n.*(fit|taken|round)/);
    });
  }, { limit_s: 400 });

  check("a round of a real trace in full agrees with sts explain", async ({ open }) => {
    await withRealTrace(open, async (page, file) => {
      const panel = hook(page, "explain-panel");
      // A round in which jobs wait, under the policy with quotas.
      await choose(page, "moment-run", /STS/);
      const end_s = await end(page);
      for (let share = 0.05; share < 1; share += 0.03) {
        await slide(page, end_s * share);
        await timeIs(page, end_s * share);
        if ((await told(hook(page, "moment-pane"))).waiting > 2) break;
      }
      await hook(page, "moment-explain").first().click();
      await hook(page, "explain-full").waitFor();
      for (const policy of ["sts-fairness", "fifo"]) {
        if (policy === "fifo") await choose(page, "explain-run", /^FIFO, /);
        await hook(page, "explain-full").click();
        const told = hook(page, "explain-round-full");
        await told.waitFor({ timeout: 120_000 });
        const round = await told.getAttribute("data-round");
        const expected = JSON.parse(await sts("explain", file, "--policy", policy, "--round", round, "--jobs", "20"));
        assert.equal(String(expected.round), round);
        const waiting = await hook(panel, "explain-waiting").locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.dataset.job, row.dataset.reason]));
        assert.deepEqual(waiting, expected.waiting.slice(0, 200).map((wait) => [wait.job, wait.reason]));
        const grants = await hook(panel, "explain-grants").locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.querySelector("th").textContent, Number(row.querySelector("td").textContent)]));
        assert.deepEqual(grants, expected.tenants.map((tenant) => [tenant.tenant, tenant.grants.length]));
        if (policy === "fifo") continue;
        assert.ok(expected.waiting.length > 0, "nobody waits in this round");
        const decision = (await hook(panel, "explain-decision").innerText()).replaceAll(",", "");
        for (const part of [expected.method, String(expected.states), String(expected.objective), String(expected.bound)]) {
          assert.ok(decision.includes(part), `${part} is not in ${decision}`);
        }
        const costs = (await hook(panel, "explain-waiting").locator("tbody tr td:last-child").allInnerTexts()).map((text) => text.replaceAll(",", ""));
        for (const [at, wait] of expected.waiting.slice(0, 20).entries()) {
          if (wait.breaks_floors_of.length > 0) assert.ok(wait.breaks_floors_of.every((tenant) => costs[at].includes(tenant)), costs[at]);
          else if (wait.loses_at_least !== null) assert.ok(costs[at].includes(String(Math.abs(wait.loses_at_least))), `${costs[at]}: ${wait.loses_at_least}`);
        }
      }
    });
  }, { limit_s: 400 });

  check("a moment plays, pauses and stops at the end", async ({ open }) => {
    const page = await sample(open, { viewport: { width: 1440, height: 1000 } });
    const play = hook(page, "moment-play");
    await hook(page, "moment-speed").selectOption("5 s");
    await play.click();
    const playing = page.waitForFunction(() => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) > 0);
    await playing;
    assert.match(await play.innerText(), /Pause/);
    await page.waitForTimeout(400);
    await play.click();
    assert.match(await play.innerText(), /Play/);
    const paused = await time(page);
    assert.ok(paused > 0 && paused < await end(page));
    await page.waitForTimeout(300);
    assert.equal(await time(page), paused, "it stands still while it is paused");
    // Leaving the view while it plays is nothing.
    await play.click();
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Set up" }).click();
    await page.waitForTimeout(200);
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Results" }).click();
    await hook(page, "moment-slider").waitFor();
    await slide(page, (await end(page)) * 0.97);
    await hook(page, "moment-slider").focus();
    await page.keyboard.press(" ");
    await page.waitForFunction(() => {
      const slider = document.querySelector('[data-testid="moment-slider"]');
      return Number(slider.value) === Number(slider.max);
    });
    await play.getByText("Play").waitFor();
    // A tab that is not seen does not play.
    await hook(page, "moment-speed").selectOption("60 s");
    await play.click();
    await play.getByText("Pause").waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await play.getByText("Play").waitFor();
  });

  check("where motion is not wanted a moment plays in steps", async ({ open }) => {
    const page = await sample(open, { reducedMotion: "reduce" });
    await hook(page, "moment-speed").selectOption("5 s");
    await hook(page, "moment-play").click();
    const seen = new Set();
    const began = Date.now();
    while (Date.now() - began < 2_600) {
      seen.add(await time(page));
      await page.waitForTimeout(40);
    }
    assert.ok(seen.size >= 2 && seen.size <= 5, `${seen.size} moments`);
  });

  check("the slider, the charts over time and the keys share one moment", async ({ open }) => {
    const page = await sample(open, { viewport: { width: 1440, height: 1000 } });
    const end_s = await end(page);
    const load = hook(page, "chart-utilization");
    const before = await load.locator(".plot > svg").nth(1).innerHTML();
    await slide(page, end_s * 0.4);
    await timeIs(page, end_s * 0.4);
    assert.notEqual(await load.locator(".plot > svg").nth(1).innerHTML(), before, "the cursor of the load chart has moved");
    // And the other way round.
    await load.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((was) => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) !== was, end_s * 0.4);
    await hook(page, "moment-slider").focus();
    const start = await time(page);
    await page.keyboard.press(".");
    await page.waitForFunction((was) => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) > was, start);
    const next = await time(page);
    await page.keyboard.press(".");
    await page.waitForFunction((was) => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) > was, next);
    await page.keyboard.press(",");
    await timeIs(page, next);
    await page.keyboard.press(">");
    await page.waitForFunction((was) => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) > was, next);
    const boundary = await time(page);
    await page.keyboard.press(">");
    await page.waitForFunction((was) => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) > was, boundary);
    const length = (await time(page)) - boundary;
    assert.ok(Math.abs(boundary / length - Math.round(boundary / length)) < 1e-6, "a round begins there");
    await page.keyboard.press("<");
    await timeIs(page, boundary);
    assert.match(await hook(page, "moment-slider").getAttribute("aria-valuetext"), /^[\d:d\s]+; [\d,]+ of [\d,]+\sGPUs in use/);
    // From a job's wait to its moment and its round.
    const waits = hook(page, "explain-waits");
    await waits.locator("tbody tr").first().waitFor();
    const [moment, round] = await waits.locator("tbody tr").first().getByRole("button").all();
    const first = (await round.innerText()).split("–")[0];
    await moment.click();
    await page.waitForFunction((was) => Number(document.querySelector('[data-testid="moment-time"]').dataset.value) !== was, boundary);
    await round.click();
    await hook(page, "explain-round").waitFor();
    assert.ok(Number(await hook(page, "explain-round").inputValue()) <= Number(first));
  });

  for (const [colorScheme, width] of [["light", 1440], ["dark", 390], ["light", 320]]) {
    check(`a moment and a round in full fit and are accessible, ${colorScheme}, ${width} px`, async ({ open }) => {
      const page = await sample(open, { colorScheme, viewport: { width, height: 844 } });
      await hook(page, "moment-other").selectOption({ index: 1 });
      await hook(page, "moment-headline").nth(1).waitFor();
      await hook(page, "moment-explain").first().click();
      await hook(page, "explain-full").click();
      await hook(page, "explain-round-full").waitFor({ timeout: 60_000 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, "the page is wider than its window");
      await accessible(page, "#p-moment");
      await accessible(page, "#p-why");
    }, { long: width === 390 });
  }

  check("nothing takes long while a moment plays", async ({ open }) => {
    const page = await sample(open, { viewport: { width: 1440, height: 1000 } });
    await page.waitForTimeout(1_000);
    await page.evaluate(() => {
      window.long_ms = [];
      new PerformanceObserver((list) => window.long_ms.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
    });
    await hook(page, "moment-speed").selectOption("5 s");
    await hook(page, "moment-play").click();
    await page.waitForTimeout(6_000);
    const long_ms = await page.evaluate(() => window.long_ms);
    assert.deepEqual(long_ms.filter((ms) => ms > 50), []);
  }, { long: true });
};
