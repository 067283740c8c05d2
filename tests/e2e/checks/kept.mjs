// Results that are kept in the browser, leave as a file, are opened again and stand beside others.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { comparison, hook, importTrace, runFirstSample, started } from "../page.mjs";

const panel = (page) => hook(page, "kept-panel");

export default (check) => {
  check("results are kept, survive a reload, and are opened as they were", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const before = await comparison(page);
    const headline = await page.locator("#headline").innerText();
    await hook(page, "kept-keep").click();
    await panel(page).locator("tr[data-kept]").waitFor();
    await page.goto(page.url().split("#")[0]);
    await page.reload();
    await started(page);
    const row = panel(page).locator("tr[data-kept]");
    await row.waitFor();
    assert.match(await row.innerText(), /policies,\s.*seed/);
    await hook(row, "kept-open").click();
    await hook(page, "kpi-table").waitFor();
    assert.deepEqual(await comparison(page), before);
    assert.equal(await page.locator("#headline").innerText(), headline);
    page.once("dialog", (dialog) => dialog.dismiss());
    await hook(page, "kept-forget-all").click();
    assert.equal(await panel(page).getByText("Nothing is kept in this browser.").count(), 0, "it asks first");
    page.once("dialog", (dialog) => dialog.accept());
    await hook(page, "kept-forget-all").click();
    await panel(page).getByText("Nothing is kept in this browser.").waitFor();
  });

  check("a file of results opens from anywhere, and earlier results stand beside others", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const before = await comparison(page);
    const [download] = await Promise.all([page.waitForEvent("download"), hook(page, "kept-save").click()]);
    const text = await readFile(await download.path(), "utf8");
    assert.equal(JSON.parse(text).format, "sts-results");
    // Given as any file is, in a page that has not seen it.
    const other = await open();
    await importTrace(other, { name: "results.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await hook(other, "kpi-table").waitFor();
    assert.deepEqual(await comparison(other), before);
    // Kept, and put beside itself: each policy stands there twice with the same figures.
    await hook(other, "kept-keep").click();
    await hook(other, "kept-beside").click();
    await hook(other, "beside").waitFor();
    await other.setViewportSize({ width: 390, height: 844 });
    const wide = await other.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, "the page is as wide as the window, however long the names");
    await other.setViewportSize({ width: 1280, height: 800 });
    const both = await comparison(other);
    assert.equal(both.length, 2 * before.length);
    both.slice(before.length).forEach(({ values }, at) => assert.equal(values.jct_mean_s, before[at].values.jct_mean_s));
    assert.doesNotMatch(await hook(other, "beside").innerText(), /They have other/);
    await hook(other, "beside-remove").click();
    assert.deepEqual(await comparison(other), before);
  });

  check("a damaged file of results is told where, and what is shown stays", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const before = await comparison(page);
    const [download] = await Promise.all([page.waitForEvent("download"), hook(page, "kept-save").click()]);
    const text = await readFile(await download.path(), "utf8");
    const give = (buffer) => hook(page, "results-file-input").setInputFiles({ name: "r.json", mimeType: "application/json", buffer });
    await give(Buffer.from(text.slice(0, text.length / 2)));
    await panel(page).getByRole("alert").filter({ hasText: /cannot be opened: line 1, column \d+/ }).waitFor();
    await give(Buffer.from(text.replace('"version":1', '"version":7')));
    await panel(page).getByRole("alert").filter({ hasText: /found version 7, expected at most 1/ }).waitFor();
    assert.deepEqual(await comparison(page), before);
  });
};
