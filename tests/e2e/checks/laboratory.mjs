// The laboratory: examples with their exact figures, edits, faults, the dynamic program, files and links.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import axe from "axe-core";
import { hook } from "../page.mjs";

const show = (page) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Laboratory" }).click();

async function example(page, id) {
  await hook(page, `lab-example-${id}`).click();
  assert.equal(await hook(page, `lab-example-${id}`).getAttribute("aria-pressed"), "true");
  await settled(page);
}

/** Waits until the answers are those of what stands in the fields. */
const settled = (page) => page.locator('[data-testid="laboratory"][aria-busy="false"]').waitFor();

const plain = (text) => (text === null ? null : Number(text));

/** A row of the comparison: the figures by their metric, rates by tenant. */
async function row(page, policy) {
  const cells = await hook(page, "lab-compare").locator(`tr[data-policy="${policy}"] [data-metric]`).evaluateAll((cells) =>
    cells.map((cell) => [cell.dataset.tenant ? `rate of ${cell.dataset.tenant}` : cell.dataset.metric, cell.dataset.value ?? null]));
  assert.ok(cells.length > 0, `no row of ${policy}`);
  return Object.fromEntries(cells.map(([metric, value]) => [metric, plain(value)]));
}

const near = (found, expected, what) => assert.ok(Math.abs(found - expected) <= 1e-6 * Math.max(1, Math.abs(expected)), `${what}: ${found} is not ${expected}`);

async function assertObjectives(page, expected) {
  for (const [policy, value] of Object.entries(expected)) near((await row(page, policy)).objective, value, policy);
}

export default (check) => {
  check("the laboratory gives the exact figures of worked examples, and marks the best only among the same measure", async ({ open }) => {
    const page = await open();
    await show(page);
    await settled(page);
    await example(page, "G1");
    await assertObjectives(page, { "max-min": 12 / 11, "gavel-max-min": 12 / 11, nash: 6000 });
    const fair = await row(page, "max-min");
    near(fair["rate of job0"], 200 / 11, "job0");
    near(fair["rate of job2"], 600 / 11, "job2");
    assert.match(await hook(page, "lab-decision").innerText(), /least ratio 12\/11/i);
    assert.match(await hook(page, "lab-ef").innerText(), /no\s*job0 would gain 10\/11 with what job1 has/);
    await example(page, "S2");
    await assertObjectives(page, { "max-sum": 5, "max-sum-si": 41 / 9, "max-sum-ef": 9 / 2, nash: 3, "max-min": 54 / 49, "equal-throughput": 54 / 13 });
    const marked = await hook(page, "lab-compare").locator("tr:has(.best)").evaluateAll((rows) => rows.map((row) => row.dataset.policy));
    assert.ok(marked.includes("max-sum") && marked.includes("max-min"), marked.join());
    for (const other of ["max-sum-si", "nash", "partial-allocation"]) assert.ok(!marked.includes(other), other);
    await example(page, "I3");
    await assertObjectives(page, { "max-sum": 171 / 140, "max-sum-ef": 151 / 140 });
    assert.equal(await hook(page, "lab-status").innerText(), "infeasible");
    assert.match(await hook(page, "lab-proof").innerText(), /no allocation satisfies both/);
    await hook(page, "lab-policy-brute-force").click();
    await page.getByText(/36\sallocations fit/).waitFor();
    await example(page, "P-SP");
    await hook(page, "lab-search").click();
    await hook(page, "lab-found").waitFor();
    assert.match(await hook(page, "lab-reports").innerText(), /Not strategy-proof[^]*u2 has .* by reporting its rates on/);
  });

  check("the laboratory answers as one types, takes it back, and marks what is wrong", async ({ open }) => {
    const page = await open({ hash: "#view=laboratory&example=S1" });
    await settled(page);
    near((await row(page, "max-sum")).objective, 6, "max-sum");
    const rate = hook(page, "lab-rate-1-1");
    await rate.focus();
    await page.keyboard.press("End");
    await page.keyboard.type(".5");
    await page.waitForFunction(() => document.querySelector('tr[data-policy="max-sum"] [data-metric="objective"]')?.dataset.value === "6.5");
    assert.equal(await rate.inputValue(), "5.5");
    await rate.fill("many");
    assert.equal(await rate.getAttribute("aria-invalid"), "true");
    assert.match(await page.locator(`[id="${await rate.getAttribute("aria-describedby")}"]`).innerText(), /Must be 0 to 1000000\. Using 5\.5/);
    assert.match(await hook(page, "lab-faults").innerText(), /1\svalue to correct/);
    near((await row(page, "max-sum")).objective, 6.5, "the last good value");
    await rate.fill("5.5");
    assert.equal(await hook(page, "lab-faults").count(), 0);
    await hook(page, "lab-tenant-1").fill("u0");
    await page.getByText("u0 is there already").waitFor();
    await page.getByText("Correct the marked fields").waitFor();
    await hook(page, "lab-tenant-1").fill("u1");
    await hook(page, "lab-decision").click({ position: { x: 5, y: 5 } });
    for (let i = 0; i < 2; i += 1) await page.keyboard.press("Control+z");
    await page.waitForFunction(() => document.querySelector('tr[data-policy="max-sum"] [data-metric="objective"]')?.dataset.value === "6");
    assert.equal(await hook(page, "lab-example-S1").getAttribute("aria-pressed"), "true");
    await hook(page, "lab-add-tenant").click();
    await page.waitForFunction(() => document.querySelectorAll('tr[data-policy="max-sum"] [data-metric="rate"]').length === 3);
    await page.goBack();
    await page.waitForFunction(() => document.querySelectorAll('tr[data-policy="max-sum"] [data-metric="rate"]').length === 2);
  });

  check("the laboratory shows the dynamic program and where a cell comes from", async ({ open }) => {
    const page = await open({ hash: "#view=laboratory" });
    await settled(page);
    await hook(page, "lab-dp-optimum").waitFor();
    assert.match(await hook(page, "lab-dp-optimum").innerText(), /= 18$/);
    const path = await hook(page, "lab-program").locator("td.path").evaluateAll((cells) => cells.map((cell) => [cell.id, Number(cell.dataset.value)]));
    assert.deepEqual(path, [["lab-cell-0-20", 4], ["lab-cell-1-22", 10], ["lab-cell-2-24", 18]]);
    assert.match(await hook(page, "lab-cell").innerText(), /u2 takes 0 slow, 2 fast, worth 8; u0 and u1 inside the other 4 slow, 2 fast are worth 10/);
    await page.locator("#lab-cell-2-24").focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.id === "lab-cell-1-22");
    await page.keyboard.press("ArrowUp");
    assert.match(await hook(page, "lab-cell").innerText(), /Inside 3 slow, 2 fast there is no way/);
    await page.locator("#lab-cell-0-24").hover();
    assert.match(await hook(page, "lab-cell").innerText(), /u0 is worth at most 12/);
    await page.getByRole("button", { name: "Jobs of u1" }).click();
    await page.getByText("What the first jobs of this tenant").waitFor();
    await example(page, "MIG-1");
    assert.match(await hook(page, "lab-no-tables").innerText(), /four dimensions/);
    await page.getByLabel("Layout of A100").selectOption("uniform");
    await hook(page, "lab-dp-optimum").waitFor();
    assert.match(await hook(page, "lab-dp-optimum").innerText(), /5\/4$/);
    await example(page, "S1");
    assert.match(await hook(page, "lab-no-tables").innerText(), /linear program/);
  });

  check("instances go out as files and links and come back the same", async ({ open, site }) => {
    const page = await open({ hash: "#view=laboratory&example=I1" });
    await settled(page);
    const rate = hook(page, "lab-rate-0-1-3");
    await rate.fill("7");
    await hook(page, "lab-policy-nash").click();
    await settled(page);
    const before = await row(page, "max-sum");
    const [download] = await Promise.all([page.waitForEvent("download"), hook(page, "lab-save").click()]);
    const text = await readFile(await download.path(), "utf8");
    assert.equal(JSON.parse(text).tenants[0].jobs[1].options[1].rate, 7);
    await hook(page, "lab-link").click();
    const address = await hook(page, "share-address").inputValue();
    assert.ok(address.startsWith(`${site.url}#view=laboratory&lab=`), address);
    await page.keyboard.press("Escape");

    const other = await open({ hash: new URL(address).hash });
    await settled(other);
    assert.deepEqual(await row(other, "max-sum"), before);
    assert.equal(await hook(other, "lab-policy-nash").getAttribute("aria-pressed"), "true");
    assert.equal(await hook(other, "lab-rate-0-1-3").inputValue(), "7");
    await other.reload();
    await settled(other);
    assert.deepEqual(await row(other, "max-sum"), before);
    await example(other, "S1");
    await hook(other, "lab-open").setInputFiles({ name: "again.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await hook(other, "lab-rate-0-1-3").waitFor();
    await settled(other);
    assert.deepEqual(await row(other, "max-sum"), before);
    await hook(other, "lab-open").setInputFiles({ name: "jobs.json", mimeType: "application/json", buffer: Buffer.from("[1]") });
    assert.match(await hook(other, "lab-refused").innerText(), /no instance/);
    await other.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }, text.replace('"u0"', '"pasted"'));
    await other.locator('[data-testid="lab-compare"] th', { hasText: "pasted" }).waitFor();
    await hook(other, "lab-paste").click();
    await other.getByLabel("Text of the instance").fill('{"types": [{"name": "X", "devices": 2, "slots_per_device": 1, "layout": "uniform"}], "tenants": [{"name": "solo", "rates": {"X": 3}}]}');
    await hook(other, "lab-paste-open").click();
    await hook(other, "lab-refused").waitFor({ state: "detached" });
    await other.waitForFunction(() => document.querySelector('tr[data-policy="max-sum"] [data-metric="objective"]')?.dataset.value === "6");
  });

  for (const colorScheme of ["light", "dark"]) {
    check(`the laboratory fits and is accessible, ${colorScheme}`, async ({ open }) => {
      const page = await open({ colorScheme, hash: "#view=laboratory" });
      for (const id of ["I2b", "S1", "I3", "MIG-1"]) {
        await example(page, id);
        for (const width of [320, 390, 1024, 1440, 2560]) {
          await page.setViewportSize({ width, height: 900 });
          const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          assert.ok(over <= 0, `${id}: ${over} px too wide at ${width}`);
        }
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join("\n")}`), [], id);
      }
    }, { long: colorScheme === "dark" });
  }
};
