// The Gantt: every allocation of a run on its device, by pointer, keyboard and table; two runs against each other; files.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import axe from "axe-core";
import { hook, finished, importTrace, runFirstSample, scenarioHash } from "../page.mjs";

/** Two GPUs, and four jobs of which the last is short. */
const JOBS = `job,tenant,submit_s,gpus,duration_s
first,vision,0,1,7200
second,speech,0,1,7200
third,vision,60,1,7200
short,speech,120,1,600
`;
const SCENARIO = {
  version: 1,
  name: "Four jobs",
  cluster: { nodes: [{ gpu: "T4", count: 1, gpus_per_node: 2, layout: "whole" }] },
  workload: { trace: { path: "four.csv", format: "sts-csv" } },
  round: { length_s: 60, start_s: 0, restore_s: 0 },
  policies: [{ name: "fifo" }, { name: "srtf" }],
  seeds: [0],
};

async function fourJobs(open, options = {}) {
  const page = await open({ hash: scenarioHash(SCENARIO), viewport: { width: 1440, height: 1000 }, ...options });
  await importTrace(page, { name: "four.csv", mimeType: "text/csv", buffer: Buffer.from(JOBS) });
  await hook(page, "import-report").waitFor();
  await hook(page, "run").click();
  await hook(page, "kpi-table").waitFor();
  await finished(page);
  await hook(page, "gantt").waitFor();
  await choose(page, "gantt-run", /FIFO/);
  return page;
}

async function choose(page, select, wanted) {
  const texts = await hook(page, select).locator("option").allInnerTexts();
  const label = texts.find((text) => wanted.test(text));
  assert.ok(label, `${wanted} is not among ${texts}`);
  await hook(page, select).selectOption({ label });
  // The schedule is read before it is shown.
  await page.waitForFunction((text) => document.querySelector('[data-testid="gantt-panel"] figcaption p').textContent.includes(text), label);
}

const rows = async (table) => (await table.locator("tbody tr").allInnerTexts()).map((text) => text.split(/\t|\n/).map((cell) => cell.trim()));

/** Opens the table and gives the rows of the bars in view. */
async function bars(page) {
  const details = hook(page, "gantt-table");
  if (await details.getAttribute("open") === null) await details.locator("summary").click();
  const table = details.locator("table").first();
  await table.waitFor();
  return rows(table);
}

async function said(page, wanted) {
  await page.waitForFunction(
    ([source]) => new RegExp(source).test(document.querySelector('[data-testid="gantt-said"]').textContent),
    [wanted.source], { timeout: 5_000 });
}

/** The colours of the canvas, as `r,g,b` by how often. */
const colours = (page) => page.evaluate(() => {
  const canvas = document.querySelector(".gantt canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const count = {};
  for (let at = 0; at < data.length; at += 4) {
    const key = data.slice(at, at + 3).join();
    if (data[at + 3] > 0) count[key] = (count[key] ?? 0) + 1;
  }
  return count;
});

export default (check) => {
  check("the Gantt shows every bar, and its table says the same", async ({ open }) => {
    const page = await fourJobs(open);
    const listed = await bars(page);
    assert.deepEqual(listed.map(([job]) => job).sort(), ["first", "second", "short", "third"]);
    for (const [job, tenant, on, from] of listed) {
      assert.equal(tenant, ["first", "third"].includes(job) ? "vision" : "speech", job);
      assert.match(on, /^T4, node 1, GPU [12]$/, job);
      assert.equal(/^0\s/.test(from), ["first", "second"].includes(job), `${job} begins at ${from}`);
    }
    // Both tenants' colours (t0 and t1 of the light theme) are on the canvas.
    const seen = await colours(page);
    for (const colour of ["47,109,181", "186,87,31"]) assert.ok(seen[colour] > 1_000, `${colour}: ${seen[colour]} pixels`);
  });

  check("the Gantt is read and moved by keyboard, and a pinned job tells its history", async ({ open }) => {
    const page = await fourJobs(open);
    const plot = hook(page, "gantt");
    await plot.focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Home"]) await page.keyboard.press(key);
    await said(page, /^(first|second): tenant/);
    await page.keyboard.press(".");
    await said(page, /^(third|short): tenant/);
    await page.keyboard.press(",");
    await said(page, /^(first|second): tenant/);
    await hook(page, "gantt-search").fill("sho");
    await hook(page, "gantt-found").getByRole("button", { name: "short" }).click();
    await said(page, /^short: tenant speech/);
    const history = hook(page, "gantt-pinned");
    assert.match(await history.innerText(), /History of short/);
    const [waited, ran] = [(await rows(history.locator("table"))).at(0), (await rows(history.locator("table"))).at(-1)];
    assert.match(waited[2], /^waited: \w/, "the reason is told");
    assert.match(ran[2], /^ran at 100/);
    assert.match(ran[3], /^T4, node 1, GPU [12]$/);
    await page.keyboard.press("Escape");
    await history.waitFor({ state: "hidden" });
    // W leaves less time in view, 0 all of it.
    const summary = hook(page, "gantt-panel").locator("figcaption p");
    const view = async () => (await summary.innerText()).match(/([\d.]+\s\w+) of ([\d.]+\s\w+) in view/).slice(1);
    await page.keyboard.press("0");
    await page.waitForFunction(() => /([\d.]+\s\w+) of \1 in view/.test(document.querySelector('[data-testid="gantt-panel"] figcaption p').textContent));
    for (let press = 0; press < 4; press += 1) await page.keyboard.press("w");
    await page.waitForFunction(() => !/([\d.]+\s\w+) of \1 in view/.test(document.querySelector('[data-testid="gantt-panel"] figcaption p').textContent));
    const [part, whole] = await view();
    assert.notEqual(part, whole);
    await page.keyboard.press("0");
    await page.waitForFunction(() => /([\d.]+\s\w+) of \1 in view/.test(document.querySelector('[data-testid="gantt-panel"] figcaption p').textContent));
  });

  check("the Gantt is read and moved by pointer, and a selection has figures", async ({ open }) => {
    const page = await fourJobs(open);
    const canvas = hook(page, "gantt-canvas");
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const at = (x, y) => [box.x + 108 + (box.width - 120) * x, box.y + y];
    // The first GPU is in the third row.
    const gpu = 22 + 18 * 2 + 6;
    await page.mouse.move(...at(0.1, gpu));
    const tip = hook(page, "gantt-tip");
    await tip.waitFor();
    assert.match(await tip.innerText(), /^(first|second)\n/);
    await page.mouse.click(...at(0.1, gpu));
    await hook(page, "gantt-pinned").waitFor();
    // The page scrolls with the plain wheel; with Ctrl the schedule zooms.
    const before = await colours(page);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -600);
    await page.keyboard.up("Control");
    await page.waitForTimeout(300);
    assert.notDeepEqual(await colours(page), before);
    await page.mouse.dblclick(...at(0.5, gpu));
    await page.keyboard.down("Shift");
    await page.mouse.move(...at(0.2, 30));
    await page.mouse.down();
    await page.mouse.move(...at(0.5, 60), { steps: 4 });
    await page.mouse.move(...at(0.8, gpu + 12), { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const figures = hook(page, "gantt-figures");
    await figures.waitFor();
    assert.match(await figures.innerText(), /on 2\sGPUs[\s\S]*In use[\s\S]*%[\s\S]*Jobs\s+4/);
  });

  check("two runs of the Gantt stand above each other, coloured by the change", async ({ open }) => {
    const page = await fourJobs(open);
    await choose(page, "gantt-other", /SRTF/);
    await hook(page, "gantt-by-change").click();
    await page.waitForTimeout(300);
    const seen = await colours(page);
    assert.ok(seen["0,95,174"] > 300 || Object.keys(seen).length > 6, "no bar is coloured by its change");
    await hook(page, "gantt-search").fill("short");
    await page.keyboard.press("Enter");
    await said(page, /^short: .*ends .* later than under SRTF/);
    const runs = hook(page, "gantt-pinned").locator("table");
    assert.equal(await runs.count(), 2, "a history under each");
    await hook(page, "gantt-other").selectOption({ index: 0 });
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="gantt-pinned"] table').length === 1);
    assert.equal(await hook(page, "gantt-by-change").count(), 0);
  });

  check("what is seen of the Gantt leaves as SVG and PNG, and the run as trace events", async ({ open }) => {
    const page = await fourJobs(open);
    const saved = async (button) => {
      await hook(page, "gantt-panel").getByText("More", { exact: true }).click();
      const [download] = await Promise.all([page.waitForEvent("download"), hook(page, button).click()]);
      await hook(page, "gantt-panel").getByText("More", { exact: true }).click();
      return [download.suggestedFilename(), await readFile(await download.path())];
    };
    const [name, svg] = await saved("gantt-svg");
    assert.match(name, /^four_schedule-fifo_seed0_[\d-]+\.svg$/);
    const text = svg.toString("utf8");
    for (const part of ["Schedule: FIFO, seed 0", ">first<", ">GPU 2<", "#2f6db5", "scenario"]) assert.ok(text.includes(part), `no ${part}`);
    await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      if (parsed.querySelector("parsererror")) throw new Error(parsed.documentElement.textContent);
    }, text);
    const [png_name, png] = await saved("gantt-png");
    assert.match(png_name, /\.png$/);
    assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.ok(png.length > 5_000, `${png.length} bytes`);
    const [events_name, events] = await saved("gantt-events");
    assert.match(events_name, /^four_trace-events-fifo_seed0_[\d-]+\.json$/);
    const bars = JSON.parse(events).traceEvents.filter((event) => event.ph === "X");
    assert.deepEqual(bars.map((bar) => bar.name).sort(), ["first", "second", "short", "third"]);
  });

  for (const [colorScheme, width] of [["light", 1440], ["dark", 320], ["dark", 2560]]) {
    check(`the Gantt fits and follows the theme, ${colorScheme}, ${width} px`, async ({ open }) => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      await runFirstSample(page);
      await hook(page, "gantt").waitFor();
      await hook(page, "gantt").focus();
      for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", ".", "Enter"]) await page.keyboard.press(key);
      await hook(page, "gantt-pinned").waitFor();
      await bars(page);
      const [page_width, panel] = await page.evaluate(() => [document.documentElement.scrollWidth, document.querySelector('[data-testid="gantt-panel"]').getBoundingClientRect().width]);
      assert.ok(page_width <= width, `the page is ${page_width} px wide`);
      assert.ok(panel > 250 && panel <= 1_440, `${panel} px`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() => window.axe.run('[data-testid="gantt-panel"]'));
      assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`), []);
      // The other theme redraws the canvas.
      const before = await colours(page);
      await page.emulateMedia({ colorScheme: colorScheme === "dark" ? "light" : "dark" });
      await page.waitForTimeout(300);
      assert.notDeepEqual(await colours(page), before);
    }, { long: width === 2560 });
  }

  check("a finger pans the Gantt, and two zoom it", async ({ open }) => {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await runFirstSample(page);
    await hook(page, "gantt").waitFor();
    const canvas = hook(page, "gantt-canvas");
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const summary = hook(page, "gantt-panel").locator("figcaption p");
    assert.match(await summary.innerText(), /([\d.]+\s\w+) of \1 in view/);
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", {
      type, touchPoints: points.map(([x, y], id) => ({ x: box.x + x, y: box.y + y, id })),
    });
    await touch("touchStart", [150, 120], [190, 120]);
    for (let step = 1; step <= 6; step += 1) await touch("touchMove", [150 - 8 * step, 120], [190 + 8 * step, 120]);
    await touch("touchEnd");
    await page.waitForFunction(() => !/([\d.]+\s\w+) of \1 in view/.test(document.querySelector('[data-testid="gantt-panel"] figcaption p').textContent));
    const before = await colours(page);
    await touch("touchStart", [200, 120]);
    for (let step = 1; step <= 6; step += 1) await touch("touchMove", [200 - 14 * step, 120]);
    await touch("touchEnd");
    await page.waitForTimeout(300);
    assert.notDeepEqual(await colours(page), before);
  });
};
