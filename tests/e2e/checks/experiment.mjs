// Experiments: the comparison at several values of one or two things, and what more GPUs would change.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { comparison, finished, hook, scenarioHash } from "../page.mjs";
import { ROOT } from "../server.mjs";

const SHOTS = join(ROOT, "target/shots");

const scenario = (jobs, seeds) => ({
  cluster: { nodes: [{ gpu: "V100-16", count: 4, gpus_per_node: 4 }, { gpu: "P100", count: 2, gpus_per_node: 4 }] },
  workload: { synthetic: { jobs, tenants: 3, arrivals: { kind: "poisson", rate_per_hour: 40 } } },
  policies: [{ name: "sts-fairness" }, { name: "fifo" }, { name: "srtf" }],
  seeds,
});

const experiment = (page) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Experiment" }).click();
const status = (page, text) => page.waitForFunction((text) =>
  document.querySelector('[data-testid="experiment-status"]')?.textContent.replaceAll("\u00a0", " ").includes(text), text, { timeout: 120_000 });

async function values(page, at, text) {
  const field = page.locator(`#exp-levels-${at}`);
  await field.fill(text);
  await field.press("Enter");
}

async function saved(page, id) {
  const [download] = await Promise.all([page.waitForEvent("download"), hook(page, id).click()]);
  return readFile(await download.path(), "utf8");
}

async function accessible(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run({ include: [["main"]] }, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id} ${nodes.map((node) => node.html).join(" | ")}`), []);
}

async function shoot(page, name) {
  await mkdir(SHOTS, { recursive: true });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(200);
      await page.screenshot({ path: join(SHOTS, `experiment-${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, `the page is wider than a window of ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 844 });
}

export default (check) => {
  check("a sweep over the load is run, drawn with intervals, and saved", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(120, [0, 1, 2])) });
    await experiment(page);
    await values(page, 0, "0.5 to 2 by");
    await page.getByText("without a step").waitFor();
    assert.ok(await hook(page, "experiment-run").isDisabled());
    await values(page, 0, "0.5 to 2 by 0.5");
    assert.match((await hook(page, "experiment-plan").innerText()).replaceAll("\u00a0", " "), /4 values × 3 policies × 3 seeds = 36 runs/);
    await hook(page, "experiment-run").click();
    await status(page, "Done · 36 of 36 runs");
    const figure = hook(page, "chart-experiment");
    assert.match(await figure.innerText(), /95.% intervals/);
    await figure.getByText("Data as a table").click();
    await figure.locator(".twin tbody tr").nth(3).waitFor();
    const runs = await saved(page, "experiment-runs");
    assert.equal(runs.trim().split("\n").length, 1 + 36);
    assert.match(await saved(page, "experiment-means"), /^load,policy,metric,seeds,mean,sd,ci_t_low,ci_t_high\n0\.5,sts-fairness,jct_mean_s,3,/);
    await page.locator("#exp-metric").selectOption("utilization");
    await figure.getByRole("heading", { name: "Utilisation" }).waitFor();
    await accessible(page);
    await shoot(page, "lines");
  }, { limit_s: 240 });

  check("a sweep over two things is a map, and a run that nothing touches is carried out once", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(120, [0])) });
    await experiment(page);
    await page.locator("#exp-factor-0").selectOption("param:sts-fairness:formulation");
    await hook(page, "add-axis").click();
    await page.locator("#exp-factor-1").selectOption("gpus:V100-16");
    await values(page, 1, "8, 16, 24, 32");
    assert.match((await hook(page, "experiment-plan").innerText()).replaceAll("\u00a0", " "), /3 values × 4 values × 3 policies × 1 seed = 36 runs, of which 20 differ/);
    await hook(page, "experiment-run").click();
    await status(page, "Done · 20 of 20 runs");
    await page.locator("#exp-map-policy").selectOption({ label: "FIFO" });
    await hook(page, "chart-experiment").getByRole("heading", { name: "Mean JCT, FIFO" }).waitFor();
    await accessible(page);
    await shoot(page, "map");
  }, { limit_s: 240 });

  check("what more GPUs would change is two clicks from the results, which are not run again", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(120, [0, 1, 2])) });
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 120_000 });
    await finished(page);
    const before = Object.fromEntries((await comparison(page)).map(({ label, values }) => [label, values]));
    await experiment(page);
    await hook(page, "what-if-V100-16").click();
    await status(page, "Done · 18 of 18 runs, 9 from the results");
    const cell = hook(page, "what-if").locator('tr:has-text("Mean JCT") [data-metric="jct_mean_s"]').nth(1);
    assert.ok(Number(await cell.getAttribute("data-value")) < 0, "more GPUs shorten FIFO's mean JCT");
    assert.ok(Object.keys(before).length === 3);
    await accessible(page);
    await shoot(page, "what-if");
    await page.locator("#what-if-other").selectOption("A100-80");
    await status(page, "Done · 18 of 18 runs, 9 from the results");
    await page.getByRole("heading", { name: /A100 80 GB: 8 instead of 0/ }).waitFor();
  }, { limit_s: 240 });

  check("set-ups stand side by side, survive a reload, and one can be gone back to", async ({ open }) => {
    const page = await open({ hash: scenarioHash({ name: "own", ...scenario(120, [0, 1, 2]) }) });
    const view = (name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name }).click();
    await experiment(page);
    await hook(page, "compare-set-ups").click();
    await page.getByText("None is kept yet").waitFor();
    assert.ok(await hook(page, "experiment-run").isDisabled());
    await hook(page, "keep-set-up").click();
    await hook(page, "kept-set-up").waitFor();
    await view("Set up");
    const gpus = page.getByLabel("GPUs of row 1");
    await gpus.fill("32");
    await gpus.press("Enter");
    await experiment(page);
    await page.locator("#exp-set-up-0").fill("as it was");
    await page.locator("#exp-set-up-0").press("Enter");
    assert.match((await hook(page, "experiment-plan").innerText()).replaceAll("\u00a0", " "), /2 set-ups × 3 policies × 3 seeds = 18 runs/);
    await page.reload();
    await hook(page, "kept-set-up").waitFor();
    await hook(page, "experiment-run").click();
    await status(page, "Done · 18 of 18 runs");
    const table = hook(page, "what-if");
    await table.getByRole("heading", { name: "Set-up: own instead of as it was" }).waitFor();
    const change = Number(await table.locator('tr:has-text("Mean JCT") [data-metric="jct_mean_s"]').nth(1).getAttribute("data-value"));
    const means = (await saved(page, "experiment-means")).split("\n").filter((line) => line.includes(",fifo,jct_mean_s,"));
    const [before, after] = means.map((line) => Number(line.split(",")[4]));
    assert.ok(Math.abs(after - before - change) < 1e-6 * before && change < 0, `${before} → ${after}, told ${change}`);
    await accessible(page);
    await shoot(page, "set-ups");
    await hook(page, "take-set-up").click();
    await gpus.waitFor();
    assert.equal(await gpus.inputValue(), "16");
  }, { limit_s: 240 });

  check("an experiment is in the link and is cancelled by Esc", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(3000, [0, 1])) });
    await experiment(page);
    await values(page, 0, "0.5 to 3 by 0.25");
    await page.waitForFunction(() => location.hash.includes("vary=load"));
    const other = await open({ hash: new URL(page.url()).hash });
    await hook(other, "experiment").waitFor();
    assert.equal(await other.locator("#exp-levels-0").inputValue(), "0.5 to 3 by 0.25");
    await hook(other, "experiment-run").click();
    await hook(other, "experiment-cancel").waitFor();
    await other.keyboard.press("Escape");
    await status(other, "Cancelled");
  }, { limit_s: 120 });

  check("an experiment is paused, goes on, and is cancelled with what is there", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(3000, [0, 1, 2, 3])) });
    await experiment(page);
    await values(page, 0, "0.5 to 3 by 0.25");
    await hook(page, "experiment-run").click();
    await page.waitForFunction(() => /^[1-9]\d*\sof/.test(document.querySelector('[data-testid="experiment-status"]')?.textContent), undefined, { timeout: 60_000 });
    await hook(page, "experiment-pause").click();
    await status(page, "Paused");
    await page.waitForTimeout(3000);
    const done = await hook(page, "experiment-status").innerText();
    await page.waitForTimeout(2000);
    assert.equal(await hook(page, "experiment-status").innerText(), done, "nothing begins while it is paused");
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Set up" }).click();
    await experiment(page);
    await hook(page, "experiment-resume").click();
    await page.waitForFunction((done) => !document.querySelector('[data-testid="experiment-status"]').textContent.includes(done), done.match(/\d+\sof/)[0], { timeout: 60_000 });
    await hook(page, "experiment-cancel").click();
    await status(page, "Cancelled");
    assert.ok(await hook(page, "chart-experiment").isVisible());
  }, { limit_s: 240 });
};
