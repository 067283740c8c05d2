// One window over time for all charts that have a time axis: by wheel, pointer, fingers, keys and buttons; and figures of a selection.
import assert from "node:assert/strict";
import axe from "axe-core";
import { hook, importTrace, runFirstSample } from "../page.mjs";
import { DEVICES, jobsOf, runHelios, saved, seconds } from "../traces.mjs";

const load = (page) => hook(page, "chart-utilization");
const plot = (page) => load(page).locator(".plot");

const windowOf = async (figure) => {
  const group = hook(figure, "time-window");
  return { from: Number(await group.getAttribute("data-from")), to: Number(await group.getAttribute("data-to")) };
};
const span = ({ from, to }) => to - from;

/** Waits until the window of the load chart is as it should be, and gives it. */
async function windowWhen(page, wanted, what) {
  for (let round = 0; round < 40; round += 1) {
    const now = await windowOf(load(page));
    if (wanted(now)) return now;
    await page.waitForTimeout(50);
  }
  assert.fail(`${what}: ${JSON.stringify(await windowOf(load(page)))}`);
}

/** The plot's rectangle on the screen, from its base line. */
async function area(page) {
  const chart = plot(page).locator("svg.chart").first();
  await chart.locator("path.line").first().waitFor({ state: "attached" });
  await plot(page).scrollIntoViewIfNeeded();
  await plot(page).evaluate((node) => node.scrollIntoView({ block: "center" }));
  return chart.evaluate((svg) => {
    const lines = [...svg.querySelectorAll("line.ax")].filter((line) => line.getAttribute("y1") === line.getAttribute("y2"));
    const box = lines.at(-1).getBoundingClientRect();
    return { x: box.left, width: box.width, y: box.top - 60 };
  });
}

async function drag(page, box, from, to) {
  await page.mouse.move(box.x + box.width * from, box.y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * (from + to) / 2, box.y, { steps: 5 });
  await page.mouse.move(box.x + box.width * to, box.y, { steps: 5 });
  await page.mouse.up();
}

const near = (a, b, share, what) => assert.ok(Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b), 1e-9), `${what}: ${a} and ${b}`);

export default (check) => {
  check("charts over time zoom together at the pointer, and the plain wheel is the page's", async ({ open }) => {
    const page = await runHelios(open);
    const whole = await windowOf(load(page));
    assert.equal(whole.from, 0);
    const caption = load(page).locator("figcaption p");
    const coarse = seconds((await caption.innerText()).match(/^Means over ([^;]*);/)[1]);
    const box = await area(page);
    await page.mouse.move(box.x + box.width * 0.25, box.y);
    const scrolled = await page.evaluate(() => scrollY);
    await page.mouse.wheel(0, 120);
    await page.waitForFunction((before) => scrollY > before, scrolled);
    assert.deepEqual(await windowOf(load(page)), whole, "the plain wheel does not zoom");
    await page.mouse.wheel(0, -120);
    await page.waitForFunction((before) => scrollY <= before, scrolled);
    const at = await area(page);
    await page.mouse.move(at.x + at.width * 0.25, at.y);
    await page.keyboard.down("Control");
    for (let turn = 0; turn < 4; turn += 1) await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    const zoomed = await windowWhen(page, (now) => span(now) < span(whole) * 0.2, "it zooms");
    near(zoomed.from + span(zoomed) * 0.25, span(whole) * 0.25, 0.02, "what is pointed at stays there");
    const fine = seconds((await caption.innerText()).match(/^Means over ([^;]*);/)[1]);
    assert.ok(fine < coarse, `means over ${fine} s are finer than over ${coarse} s`);
    assert.deepEqual(await windowOf(hook(page, "chart-fairness")), zoomed, "the service plots have the same window");
    await page.waitForFunction(() => !/([\d.]+\s\w+) of \1 in view/.test(document.querySelector('[data-testid="gantt-panel"] figcaption p').textContent));
    // The schedule zooms the charts.
    await hook(page, "gantt").focus();
    await page.keyboard.press("0");
    await windowWhen(page, (now) => span(now) === span(whole), "the schedule shows everything, and so do the charts");
    await page.keyboard.press("w");
    await windowWhen(page, (now) => span(now) < span(whole) * 0.9, "the schedule zooms, and so do the charts");
    // Shift + wheel and Shift + drag pan, a double click fits.
    const before = await windowOf(load(page));
    const again = await area(page);
    await page.mouse.move(again.x + again.width * 0.5, again.y);
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, -200);
    const panned = await windowWhen(page, (now) => now.from < before.from, "Shift and wheel pan");
    near(span(panned), span(before), 1e-6, "panning does not zoom");
    await drag(page, again, 0.7, 0.4);
    await page.keyboard.up("Shift");
    await windowWhen(page, (now) => now.from > panned.from, "Shift and drag pan");
    assert.equal(await hook(page, "stretch").count(), 0, "panning selects nothing");
    await page.mouse.dblclick(again.x + again.width * 0.5, again.y);
    await windowWhen(page, (now) => span(now) === span(whole), "a double click fits");
  });

  check("charts over time are zoomed and selected in by keys and by buttons", async ({ open }) => {
    const page = await runHelios(open);
    await area(page);
    const whole = await windowOf(load(page));
    await plot(page).focus();
    for (const [key, wanted] of [
      ["w", (now) => span(now) < span(whole)], ["0", (now) => span(now) === span(whole)],
      ["+", (now) => span(now) < span(whole)], ["f", (now) => span(now) === span(whole)],
    ]) {
      await page.keyboard.press(key);
      await windowWhen(page, wanted, key);
    }
    for (let press = 0; press < 6; press += 1) await page.keyboard.press("w");
    const zoomed = await windowWhen(page, (now) => span(now) < span(whole) * 0.3, "w");
    await page.keyboard.press("d");
    const later = await windowWhen(page, (now) => now.from > zoomed.from, "d");
    await page.keyboard.press("a");
    await windowWhen(page, (now) => now.from < later.from, "a");
    await page.keyboard.press("s");
    await windowWhen(page, (now) => span(now) > span(zoomed), "s");
    for (const key of ["ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight"]) await page.keyboard.press(key);
    const stretch = hook(page, "stretch");
    await stretch.waitFor();
    const ends = async () => [Number(await stretch.getAttribute("data-from")), Number(await stretch.getAttribute("data-to"))];
    const [from, to] = await ends();
    assert.ok(to > from);
    await page.keyboard.press("Shift+ArrowLeft");
    await page.waitForFunction((to) => Number(document.querySelector('[data-testid="stretch"]').dataset.to) < to, to);
    assert.equal((await ends())[0], from, "the other end stays");
    await load(page).locator(".plot > [aria-live]").filter({ hasText: /^Selected from/ }).waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await stretch.waitFor({ state: "detached" });
    // The buttons of the service plots do the same.
    const service = hook(page, "chart-fairness");
    await hook(service, "zoom-fit").click();
    await windowWhen(page, (now) => span(now) === span(whole), "fit");
    await hook(service, "zoom-in").click();
    const smaller = await windowWhen(page, (now) => span(now) < span(whole), "in");
    await hook(service, "zoom-out").click();
    await windowWhen(page, (now) => span(now) > span(smaller), "out");
    await hook(service, "zoom-in").click();
    await hook(service, "select-seen").click();
    await stretch.waitFor();
    const seen = await windowOf(service);
    assert.deepEqual(await ends(), [seen.from, seen.to]);
    await hook(page, "stretch-close").click();
    await stretch.waitFor({ state: "detached" });
  });

  check("a selected time has the figures that the job tables say, and leaves as it is seen", async ({ open }) => {
    const page = await runHelios(open);
    const box = await area(page);
    await drag(page, box, 0.2, 0.6);
    const stretch = hook(page, "stretch");
    await stretch.waitFor();
    await page.locator('[data-testid="stretch"][aria-busy="false"]').waitFor();
    const [from, to] = [Number(await stretch.getAttribute("data-from")), Number(await stretch.getAttribute("data-to"))];
    const whole = await windowOf(load(page));
    near(from, span(whole) * 0.2, 0.05, "it begins where the drag did");
    near(to, span(whole) * 0.6, 0.05, "it ends where the drag did");
    const rows = await stretch.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
    const inside = (text) => text !== "" && Number(text) >= from && Number(text) < to;
    for (const [title, policy] of [["FIFO", "fifo"], ["SRTF", "srtf"], ["LAS", "las"]]) {
      const [, use, queue, most, arrived, started, finished, wait, jct] = rows.find(([name]) => name.startsWith(title));
      const jobs = await jobsOf(page, policy);
      const count = (column) => jobs.filter((job) => inside(job[column])).length;
      assert.deepEqual([arrived, started, finished].map((text) => Number(text.replaceAll(",", ""))), ["submit_s", "first_start_s", "finish_s"].map(count), title);
      const done = jobs.filter((job) => inside(job.finish_s));
      const mean = (column) => done.reduce((sum, job) => sum + Number(job[column]), 0) / done.length;
      near(seconds(wait), mean("wait_s"), 0.05, `${title}, mean wait`);
      near(seconds(jct), mean("jct_s"), 0.05, `${title}, mean JCT`);
      if (policy !== "fifo") continue;
      // FIFO stops no job: it waits until its first start and holds its GPUs until it ends.
      const overlap = (begin, end) => Math.max(0, Math.min(end, to) - Math.max(begin, from));
      const at = (text, otherwise) => text === "" ? otherwise : Number(text);
      const waiting = jobs.reduce((sum, job) => sum + overlap(Number(job.submit_s), at(job.first_start_s, Infinity)), 0) / (to - from);
      const used = jobs.reduce((sum, job) => job.first_start_s === "" ? sum : sum + Number(job.gpus) * overlap(Number(job.first_start_s), at(job.finish_s, Infinity)), 0) / (to - from) / DEVICES;
      near(parseFloat(queue.replaceAll(",", "")), waiting, 0.03, "mean queue");
      near(parseFloat(use) / 100, used, 0.03, "mean use");
      assert.ok(parseFloat(most.replaceAll(",", "")) >= parseFloat(queue.replaceAll(",", "")));
    }
    await hook(page, "stretch-show").click();
    await windowWhen(page, (now) => Math.abs(now.from - from) < 1 && Math.abs(now.to - to) < 1, "zoom to the selection");
    // What leaves is what is seen: the same lines, the same ticks, the selection.
    const file = await saved(page, () => hook(load(page), "export-svg").click());
    const drawn = await plot(page).locator("svg.chart").first().locator("path.line").evaluateAll((lines) => lines.map((line) => line.getAttribute("d")));
    assert.equal(drawn.length, 6, "three policies in two panels");
    for (const line of drawn) assert.ok(file.text.includes(line), "a line of the page is in the file");
    assert.match(file.text, /class="sel"/);
    await page.keyboard.press("Escape");
    await hook(page, "stretch-close").click();
    await hook(load(page), "zoom-fit").click();
    await windowWhen(page, (now) => span(now) === span(whole), "fit");
    const all = await saved(page, () => hook(load(page), "export-svg").click());
    for (const line of drawn) assert.ok(!all.text.includes(line), "the whole is another drawing");
    assert.doesNotMatch(all.text, /<rect class="sel"/);
  });

  check("fingers pinch and pan the charts over time", async ({ open }) => {
    const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await runFirstSample(page);
    const box = await area(page);
    const whole = await windowOf(load(page));
    const session = await page.context().newCDPSession(page);
    const touch = (type, ...points) => session.send("Input.dispatchTouchEvent", {
      type, touchPoints: points.map((x, id) => ({ x: box.x + x, y: box.y, id })),
    });
    await touch("touchStart", 120, 160);
    for (let step = 1; step <= 6; step += 1) await touch("touchMove", 120 - 8 * step, 160 + 8 * step);
    await touch("touchEnd");
    const zoomed = await windowWhen(page, (now) => span(now) < span(whole) * 0.7, "a pinch zooms");
    await touch("touchStart", 200);
    for (let step = 1; step <= 6; step += 1) await touch("touchMove", 200 - 14 * step);
    await touch("touchEnd");
    await windowWhen(page, (now) => now.from > zoomed.from, "a finger pans");
    assert.equal(await hook(page, "stretch").count(), 0, "a finger selects nothing");
  });

  check("opened results have figures of a selected time, but say that jobs are not kept", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const file = await saved(page, () => hook(page, "kept-save").click());
    const other = await open();
    await importTrace(other, { name: "results.json", mimeType: "application/json", buffer: Buffer.from(file.text) });
    await hook(other, "kpi-table").waitFor();
    await area(other);
    await hook(load(other), "select-seen").click();
    const cells = await hook(other, "stretch").locator("tbody tr").first().locator("td").allInnerTexts();
    assert.match(cells[0], /%$/);
    assert.deepEqual(cells.slice(3), Array(5).fill("not kept"));
    assert.match(await hook(other, "job-changes").innerText(), /not kept/);
  });

  for (const [colorScheme, width] of [["light", 1440], ["dark", 390], ["dark", 320]]) {
    check(`zoomed charts with a selection fit and are accessible, ${colorScheme}, ${width} px`, async ({ open }) => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      await runFirstSample(page);
      await area(page);
      await hook(load(page), "zoom-in").click();
      await hook(load(page), "select-seen").click();
      await page.locator('[data-testid="stretch"][aria-busy="false"]').waitFor();
      const page_width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(page_width <= width, `the page is ${page_width} px wide`);
      await page.evaluate(axe.source);
      for (const part of ["#p-time", "#p-serv"]) {
        const { violations } = await page.evaluate((part) => window.axe.run(part), part);
        assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`), []);
      }
    }, { long: width === 390 });
  }
};
