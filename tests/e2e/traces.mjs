// A run of a real trace under policies that do not agree, and the tables that it leaves.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { finished, hook, importTrace, scenarioHash } from "./page.mjs";
import { ROOT } from "./server.mjs";
import { skip } from "./suite.mjs";

const HELIOS = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces/helios_csv/CONVERTED_cluster_log.venus.first1200.csv");

/** GPUs of the cluster: whole ones, so that a job holds what it asks for. */
export const DEVICES = 64;

const SCENARIO = {
  version: 1,
  name: "Helios on 64 GPUs",
  cluster: { nodes: [{ gpu: "V100-16", count: DEVICES / 8, gpus_per_node: 8, layout: "whole" }] },
  workload: { trace: { path: "helios.csv", format: "auto" } },
  round: { length_s: 600 },
  policies: [{ name: "fifo" }, { name: "srtf" }, { name: "las" }],
  seeds: [0],
};

/** A page with the comparison of FIFO, SRTF and LAS on the first 1,200 jobs of Helios' Venus. */
export async function runHelios(open, options = {}) {
  if (!existsSync(HELIOS)) skip(`there is no ${HELIOS} (STS_SHARED)`);
  const page = await open({ hash: scenarioHash(SCENARIO), viewport: { width: 1440, height: 1000 }, ...options });
  await importTrace(page, HELIOS);
  await hook(page, "import-report").waitFor();
  await hook(page, "run").click();
  await hook(page, "kpi-table").waitFor({ timeout: 120_000 });
  await finished(page);
  return page;
}

/** What a click saves: its name and its bytes. */
export async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** The rows of a CSV text without quotes, as objects of texts. */
export function csvRows(text) {
  const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
}

/** The jobs that were simulated in a run, from the file that the page gives. */
export async function jobsOf(page, policy) {
  const menu = page.locator("#p-kpi details.jobs");
  await menu.locator("summary").click();
  const { text } = await saved(page, () => menu.getByRole("button", { name: new RegExp(`${policy}, seed 0`) }).click());
  await page.keyboard.press("Escape");
  return csvRows(text).filter((job) => job.outcome !== "never-fit");
}

const UNITS_S = { ms: 1e-3, s: 1, min: 60, h: 3600, d: 86_400 };

/** Seconds of a duration as the page writes it. */
export function seconds(text) {
  const [, number, unit] = text.replaceAll(",", "").match(/([\d.]+)\s(ms|s|min|h|d)\b/) ?? [];
  return unit === undefined ? NaN : Number(number) * UNITS_S[unit];
}
