// The results view: distributions, policies against each other, and what leaves the page.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { finished, hook, importTrace, runFirstSample } from "../page.mjs";
import { ROOT } from "../server.mjs";

const HELIOS = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces/helios_csv/CONVERTED_cluster_log.venus.first1200.csv");

const save = async (page, click) => {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
};

export default (check) => {
  check("waits and slowdowns have distributions, and a tail", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const figure = hook(page, "chart-jct-cdf");
    for (const [name, head, says] of [
      ["Wait", /Waited at most/, /wait at most/],
      ["Slowdown", /Slowed at most/, /are slowed at most .*×/],
      ["JCT", /Done by/, /finish within/],
    ]) {
      await figure.getByRole("button", { name, exact: true }).click();
      await figure.locator("table.read").filter({ hasText: head }).waitFor();
      assert.match(await figure.locator("figcaption").innerText(), says);
      assert.ok(await figure.locator("svg.chart path.line").count() >= 2, `${name} has curves`);
    }
    await figure.getByRole("button", { name: "Tail", exact: true }).click();
    await figure.locator("table.read").filter({ hasText: /Not done by/ }).waitFor();
  });

  check("policies are put against each other by two figures that are chosen", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const figure = hook(page, "chart-trade-off");
    const dots = figure.locator("svg.chart").first().locator("circle.dot, path.mk, path.mk-o");
    const policies = await hook(page, "kpi-table").locator("tbody tr").count();
    await dots.first().waitFor({ state: "attached" });
    assert.equal(await dots.count(), policies, "a dot for each policy");
    assert.match(await figure.locator("figcaption").innerText(), /Beaten in both by no other|No policy is beaten/);
    await figure.getByLabel("Up").selectOption("utilization");
    await figure.locator("svg.chart").first().filter({ hasText: /Utilisation \(more is better\)/ }).waitFor();
    await figure.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    await figure.locator('[aria-live="polite"]').filter({ hasText: /Mean JCT .*Utilisation/ }).waitFor({ state: "attached" });
  });

  check("service is mapped by tenant and time, for any policy", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    await hook(page, "chart-fairness").getByRole("button", { name: "Map", exact: true }).click();
    const map = hook(page, "chart-service-map");
    const cells = map.locator("svg.chart").first().locator("rect.heat");
    // Nothing is drawn before the width is known.
    await cells.first().waitFor({ state: "attached" });
    const rows = await cells.count();
    assert.ok(rows > 0 && rows % 24 === 0, `${rows} cells`);
    const before = await map.locator("svg.chart").first().innerHTML();
    await map.getByLabel("Policy").selectOption("fifo");
    await map.locator("figcaption").filter({ hasText: /Service ÷ entitlement, FIFO: from/ }).waitFor();
    assert.notEqual(await map.locator("svg.chart").first().innerHTML(), before);
    await map.locator(".plot").focus();
    await page.keyboard.press("ArrowRight");
    await map.locator('[aria-live="polite"]').filter({ hasText: /Tenant = .*, Time = / }).waitFor({ state: "attached" });
    await map.getByRole("button", { name: "Lines", exact: true }).click();
    await hook(page, "chart-fairness").waitFor();
  });

  check("a chart leaves as SVG and as PNG, and the comparison as a report", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const figure = hook(page, "chart-utilization");
    const svg = await save(page, () => hook(figure, "export-svg").click());
    assert.match(svg.name, /load.*\.svg$/);
    const png = await save(page, () => hook(figure, "export-png").click());
    assert.match(png.name, /load.*\.png$/);
    // A PNG: its size is twice that of the drawing, and it is not of one colour.
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    const [width, height] = [16, 20].map((at) => png.bytes.readUInt32BE(at));
    const drawn = svg.bytes.toString().match(/ width="([\d.]+)" height="([\d.]+)"/);
    assert.deepEqual([width, height], [drawn[1], drawn[2]].map((px) => 2 * Math.floor(Number(px))));
    const colours = await page.evaluate(async (bytes) => {
      const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4) seen.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
      return seen.size;
    }, [...png.bytes]);
    assert.ok(colours > 20, `${colours} colours`);
    await page.locator("details.report summary").click();
    const html = await save(page, () => hook(page, "report-html").click());
    const markdown = await save(page, () => hook(page, "report-markdown").click());
    const title = await page.locator("#headline").innerText();
    assert.match(html.name, /report.*\.html$/);
    assert.match(markdown.name, /report.*\.md$/);
    assert.ok(markdown.bytes.toString().startsWith(`# ${title.replace(/[\\`*_|<>[\]#]/g, "\\$&")}`), "the finding is its title");
    // It stands alone: opened from nowhere it has the finding, drawings and no request.
    const alone = await page.context().newPage();
    const asked = [];
    alone.on("request", (request) => asked.push(request.url()));
    await alone.setContent(html.bytes.toString());
    assert.equal(await alone.locator("h1").innerText(), title);
    assert.ok(await alone.locator("figure svg").count() >= 5);
    assert.deepEqual(asked, []);
    await alone.close();
  });

  check("several seeds are shown as boxes, on a real trace", async ({ open, skip }) => {
    if (!existsSync(HELIOS)) {
      skip(`there is no ${HELIOS} (STS_SHARED)`);
      return;
    }
    const page = await open();
    await importTrace(page, HELIOS);
    await hook(page, "import-report").waitFor();
    await page.locator("#seeds").fill("0-4");
    await page.locator("#seeds").press("Enter");
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 120_000 });
    await finished(page);
    const figure = hook(page, "chart-seeds");
    assert.match(await figure.locator("svg.chart").first().textContent(), /over 5 seeds/);
    await hook(page, "chart-trade-off").locator("line.line").first().waitFor({ state: "attached" });
  }, { limit_s: 180 });
};
