// Every real trace sample whose figures are known, through the file input: the report gives these figures.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { hook, importReport, importTrace } from "../page.mjs";
import { ROOT } from "../server.mjs";
import { skip } from "../suite.mjs";

const TRACES = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces");

/** What the report has under another name, or in the workload and not in the report. */
const ELSEWHERE = new Set(["note", "gpu_hist_top", "typed", "profile_types", "wrong_if_steps_kept_gpus"]);
const NAMES = { state: "states", status: "states" };

const near = (found, expected) => typeof expected === "number"
  ? typeof found === "number" && Math.abs(found - expected) <= 0.001
  : JSON.stringify(found) === JSON.stringify(expected);

/** Counts by name, in one order. */
const sorted = (counts) => Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The browser drops what is saved beyond ten files a second. */
const BETWEEN_FILES_MS = 150;

/** The report as the page saves it. */
async function savedReport(page) {
  await page.waitForTimeout(BETWEEN_FILES_MS);
  const [download] = await Promise.all([page.waitForEvent("download"), hook(page, "import-report-json").click()]);
  assert.match(download.suggestedFilename(), /-report\.json$/);
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

/** What differs between a trace's report and the figures that are known of it. */
async function wrongFigures(page, expected) {
  const report = await savedReport(page);
  const shown = await importReport(page);
  const wrong = [];
  let compared = 0;
  for (const [key, figure] of Object.entries(expected).filter(([key]) => !ELSEWHERE.has(key))) {
    const of = (values) => typeof figure === "object" && figure !== null ? sorted(values) : values;
    const name = NAMES[key] ?? key;
    for (const [where, values] of [["saved", report], ["shown", shown]]) {
      if (!(name in values)) continue;
      compared += 1;
      if (!near(of(values[name]), of(figure))) wrong.push(`${where} ${key}: ${JSON.stringify(values[name])}, expected ${JSON.stringify(figure)}`);
    }
  }
  if (compared < 4) wrong.push(`only ${compared} figures are comparable`);
  return { wrong, compared };
}

/** The machines of a list, as the page tells them: `{ nodes, gpus, models }`. */
async function machines(panel) {
  const text = await panel.innerText();
  const [, nodes, gpus] = text.match(/([\d,]+)\smachines\swith\s([\d,]+)\sGPUs/) ?? assert.fail(`no machines in: ${text}`);
  const number = (digits) => Number(digits.replaceAll(",", ""));
  const rows = await panel.locator("[data-model]").evaluateAll((rows) =>
    rows.map((row) => [row.dataset.model, row.querySelector("td").textContent]));
  return { nodes: number(nodes), gpus: number(gpus), models: Object.fromEntries(rows.map(([model, count]) => [model, number(count)])) };
}

export default (check) => {
  check("every trace with known figures gives them in the page", async ({ open }) => {
    const list = join(TRACES, "EXPECTED.json");
    if (!existsSync(list)) {
      assert.notEqual(process.env.STS_REQUIRE_SHARED, "1", `${list} is required and missing`);
      skip(`there is no ${list} (STS_SHARED)`);
    }
    const files = Object.entries(JSON.parse(await readFile(list, "utf8")));
    const page = await open();
    const failures = [];
    let figures = 0;
    for (const [file, expected] of files) {
      await importTrace(page, join(TRACES, file));
      const name = file.split("/").at(-1);
      // The panel of what was given last, not of the file before.
      const panel = expected.nodes === undefined
        ? hook(page, "import-report").filter({ hasText: name })
        : hook(page, "machines-only").filter({ hasText: name });
      try {
        await panel.waitFor({ timeout: 20_000 });
        if (expected.nodes === undefined) {
          const { wrong, compared } = await wrongFigures(page, expected);
          figures += compared;
          failures.push(...wrong.map((text) => `${file}: ${text}`));
        } else {
          const { nodes, gpus, models } = await machines(panel);
          assert.deepEqual([nodes, gpus], [expected.nodes, expected.gpus]);
          // Machines without GPUs are counted and not named.
          const { CPU, ...named } = expected.models;
          assert.deepEqual(sorted(models), sorted(named));
          figures += 2 + Object.keys(named).length;
        }
      } catch (error) {
        const refused = await hook(page, "import-error").allInnerTexts();
        failures.push(`${file}: ${error.message} ${refused.join(" ")}`);
      }
    }
    assert.deepEqual(failures, []);
    assert.ok(files.length > 0);
    console.log(`     ${files.length} files, ${figures} figures`);
  }, { limit_s: 300 });
};
