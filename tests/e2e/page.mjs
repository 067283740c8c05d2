// What the checks do with the page and read from it, through its data-testid hooks.
import assert from "node:assert/strict";

export const hook = (page, id) => page.getByTestId(id);

/** Waits until the page is there: every view but the laboratory and the experiment has an input for files. */
export const started = (page) =>
  hook(page, "trace-file-input").or(hook(page, "laboratory")).or(hook(page, "experiment")).first().waitFor({ state: "attached" });

/** The fragment with which the page opens a scenario. */
export const scenarioHash = (scenario) =>
  `#s=${Buffer.from(JSON.stringify(scenario), "utf8").toString("base64url")}&v=1`;

/** Gives files to the page's file input. */
export const importTrace = (page, ...files) => hook(page, "trace-file-input").setInputFiles(files);

/** Waits until the service worker has taken the page over. */
export const keptOffline = (page) => page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");

/** The first sample of the gallery: one click to a finished comparison. */
export async function runFirstSample(page) {
  const sample = page.locator('[data-testid^="sample-"]').first();
  if (!await sample.isVisible()) await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Start" }).click();
  await sample.click();
  await hook(page, "kpi-table").waitFor({ timeout: 120_000 });
  await finished(page);
}

/** Waits until every run of the comparison has ended: results come in one by one. */
export const finished = (page) => page.waitForFunction(() => {
  const [, done, planned] = document.querySelector('[data-testid="run-status"]')?.textContent.match(/(\d+)\sof\s(\d+)\sruns?/) ?? [];
  return done !== undefined && done === planned;
}, undefined, { timeout: 120_000 });

/**
 * The figures of the page's tables stand in elements with `data-metric` and, where defined, the plain number in
 * `data-value`. A figure is a finite number, or null: then the element shows that it is undefined.
 */
async function figuresIn(element) {
  const cells = await element.locator("[data-metric]").evaluateAll((cells) =>
    cells.map((cell) => [cell.dataset.metric, cell.dataset.value ?? "", cell.textContent.trim()]));
  assert.ok(cells.length > 0, "no element has data-metric");
  return Object.fromEntries(cells.map(figure));
}

function figure([metric, value, text]) {
  if (value === "" || value === "null") {
    assert.match(text, /^\D+$/, `${metric} is undefined but shown as '${text}'`);
    return [metric, null];
  }
  assert.ok(Number.isFinite(Number(value)), `${metric} has the value '${value}'`);
  assert.notEqual(text, "", `${metric} has a value but shows nothing`);
  return [metric, Number(value)];
}

/** The import report's figures by key. */
export const importReport = (page) => figuresIn(hook(page, "import-report"));

/** The comparison: `[{ label, values }]`, one entry a policy. */
export async function comparison(page) {
  const rows = await hook(page, "kpi-table").locator("tr:has([data-metric])").all();
  return Promise.all(rows.map(async (row) => ({
    label: (await row.locator("th").first().innerText()).trim(),
    values: await figuresIn(row),
  })));
}
