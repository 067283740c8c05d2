// Real trace samples, through the file input, to a comparison on a cluster of three GPU types and layouts.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { comparison, hook, importReport, importTrace, scenarioHash } from "../page.mjs";
import { ROOT } from "../server.mjs";
import { skip } from "../suite.mjs";

const TRACES = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces");
const SHOTS = join(ROOT, "target/shots");

const POLICIES = ["fifo", "fifo-backfill", "srtf", "las", "round-robin", "sts-fairness"];

const SAMPLES = [
  { name: "elasticflow", file: "elasticflow_csv/raw_cluster04.csv", durations: csvColumn("duration") },
  { name: "philly", file: "philly_json/CONVERTED_cluster_job_log.12000.json", durations: phillyDurations },
  { name: "helios", file: "helios_csv/CONVERTED_cluster_log.venus.first1200.csv", durations: csvColumn("duration") },
];

/** What `EXPECTED.json` and the import report both have. */
const COUNTS = [
  "records", "jobs", "gpu_jobs", "zero_gpu_jobs", "gpus_requested_sum", "max_gpus", "with_duration", "zero_duration",
  "duplicate_ids", "max_duration_s", "gpu_hours",
];
const REQUIRED = ["records", "jobs", "gpu_jobs", "gpus_requested_sum", "max_gpus"];

/** No job runs faster than this on the best GPU here than on the reference GPU, a P100, on which the trace's durations count. */
const MAX_SPEEDUP = 8;

const scenario = (file) => ({
  version: 1,
  name: file,
  cluster: {
    nodes: [
      { gpu: "V100-16", count: 32, gpus_per_node: 8, layout: "uniform-4" },
      { gpu: "P100", count: 32, gpus_per_node: 8, layout: "whole" },
      { gpu: "A100-80", count: 20, gpus_per_node: 8, layout: "mig" },
    ],
  },
  workload: {
    trace: { path: file.split("/").at(-1), format: "auto" },
    profiles: { rule: "seeded-mix", reference_gpu: "P100" },
  },
  round: { length_s: 600 },
  policies: POLICIES.map((name) => ({ name })),
  seeds: [0],
});

/** The durations of a plain CSV file (the samples quote nothing). */
function csvColumn(name) {
  return (text) => {
    const [header, ...rows] = text.trim().split(/\r?\n/).map((line) => line.split(","));
    const column = header.indexOf(name);
    assert.notEqual(column, -1, `no column ${name}`);
    return rows.map((row) => Number(row[column]));
  };
}

/** A Philly job's duration is that of its attempts that have both times. */
function phillyDurations(text) {
  const seconds = (time) => Date.parse(`${time.replace(" ", "T")}Z`) / 1000;
  return JSON.parse(text).map(({ attempts }) => attempts
    .filter(({ start_time, end_time }) => start_time && end_time && end_time !== "None")
    .reduce((sum, { start_time, end_time }) => sum + seconds(end_time) - seconds(start_time), 0));
}

function assertPlausible({ label, values }, mean_duration_s) {
  const value = (key) => {
    assert.ok(key in values, `${label}: the table has no ${key}`);
    assert.notEqual(values[key], null, `${label}: ${key} is undefined`);
    return values[key];
  };
  assert.ok(value("utilization") >= 0 && value("utilization") <= 1, `${label}: utilization is ${values.utilization}`);
  assert.ok(value("jct_p50_s") <= value("jct_p95_s"), `${label}: p50 above p95`);
  assert.ok(value("jct_p95_s") <= value("jct_p99_s"), `${label}: p95 above p99`);
  const least = mean_duration_s / MAX_SPEEDUP;
  assert.ok(value("jct_mean_s") >= least, `${label}: the mean JCT ${values.jct_mean_s} s is below ${least} s`);
}

async function screenshots(page, name) {
  await mkdir(SHOTS, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(SHOTS, `real-${name}-${colorScheme}.png`), fullPage: true });
  }
}

export default (check) => {
  for (const { name, file, durations } of SAMPLES) {
    check(`the real ${name} trace is read in full and compared under six policies`, async ({ open }) => {
      const path = join(TRACES, file);
      if (!existsSync(path)) {
        assert.notEqual(process.env.STS_REQUIRE_SHARED, "1", `${path} is required and missing`);
        skip(`there is no ${path} (STS_SHARED)`);
      }
      const expected = JSON.parse(await readFile(join(TRACES, "EXPECTED.json"), "utf8"))[file];
      const all = durations(await readFile(path, "utf8"));
      const mean_duration_s = all.reduce((sum, duration) => sum + duration, 0) / all.length;

      const page = await open({ hash: scenarioHash(scenario(file)), viewport: { width: 1440, height: 900 } });
      await importTrace(page, path);
      await hook(page, "import-report").waitFor({ timeout: 60_000 });
      const report = await importReport(page);
      for (const key of REQUIRED) assert.ok(key in report, `the import report has no ${key}`);
      for (const key of COUNTS.filter((key) => key in report && key in expected)) {
        assert.ok(Math.abs(report[key] - expected[key]) <= 0.001, `${key}: ${report[key]}, expected ${expected[key]}`);
      }

      await hook(page, "run").click();
      await hook(page, "kpi-table").waitFor({ timeout: 300_000 });
      const rows = await comparison(page);
      assert.equal(rows.length, POLICIES.length);
      for (const row of rows) assertPlausible(row, mean_duration_s);
      console.log(`     ${(await hook(page, "run-status").innerText()).trim()}`);
      await screenshots(page, name);
    }, { limit_s: 360, long: name === "philly" });
  }
};
