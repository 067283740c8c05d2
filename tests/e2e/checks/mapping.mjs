// Tables that no format knows, read by saying what their columns are; and another format than the one recognised.
import assert from "node:assert/strict";
import { comparison, finished, hook, importReport } from "../page.mjs";
import axe from "axe-core";

const file = (name, text) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

/** Twelve jobs of a site's own export: its column of GPUs is called so that nobody could guess it. */
const rows = Array.from({ length: 12 }, (_, n) => `j${n};${["nlp", "cv"][n % 2]};${n + 1}.3.2024 12:00;${n % 3 === 0 ? "0,5" : "2"};${30 + n},5`);
const EXPORT = ["Auftrag;Team;Abgabe;Karten;Minuten", ...rows].join("\r\n");

const give = (page, given) => hook(page, "trace-file-input").setInputFiles(given);
const set = (page, key, value) => hook(page, "mapping-dialog").locator(`select[data-key="${key}"]`).selectOption(value);
const readable = (page, text) => hook(page, "mapping-readable").filter({ hasText: text }).waitFor();

export default (check) => {
  check("a mapping by hand makes jobs of a table that no format knows", async ({ open }) => {
    const page = await open();
    await give(page, file("export.csv", EXPORT));
    const dialog = hook(page, "mapping-dialog");
    await dialog.waitFor();
    await dialog.locator('select[data-key="columns.gpus"]').waitFor();
    assert.equal(await dialog.locator('select[data-key="table.delimiter"]').inputValue(), ";");
    assert.equal(await dialog.locator('select[data-key="table.decimal"]').inputValue(), "comma");
    await set(page, "columns.submit", "n:Abgabe");
    await set(page, "columns.gpus", "n:Karten");
    await set(page, "columns.submit.unit", "s");
    await readable(page, "0 of 12");
    assert.match(await dialog.locator("mark").first().innerText(), /3\.2024/, "the bad cell is marked");
    assert.ok(await hook(page, "mapping-use").isDisabled(), "no row is readable");
    await set(page, "columns.submit.unit", "date-dmy");
    await set(page, "columns.duration", "n:Minuten");
    await set(page, "columns.duration.unit", "min");
    await set(page, "columns.id", "n:Auftrag");
    await readable(page, "12 of 12");
    assert.match(await hook(page, "mapping-jobs").innerText(), /j1\s+cv\s+2024-03-02 12:00:00 UTC\s+2\s/);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => window.axe.run('[data-testid="mapping-dialog"]'));
    assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id} ${nodes[0].html}`), []);

    // With the keyboard: the button that ends it.
    await hook(page, "mapping-use").focus();
    await page.keyboard.press("Enter");
    await hook(page, "import-report").waitFor();
    await dialog.waitFor({ state: "detached" });
    const report = await importReport(page);
    for (const [key, value] of Object.entries({ records: 12, jobs: 12, gpu_jobs: 12, gpus_requested_sum: 18, rejected_count: 0, tenants: 2 })) {
      assert.equal(report[key], value, key);
    }
    assert.ok(Math.abs(report.max_duration_s - 41.5 * 60) < 1e-6, `${report.max_duration_s}`);
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 60_000 });
    await finished(page);
    for (const { label, values } of await comparison(page)) assert.ok(values.jct_mean_s > 0, label);

    // The link has the mapping: who opens it and gives the file need not say anything.
    const hash = new URL(page.url()).hash;
    const other = await open({ hash: hash.replace(/&view=\w+/, "&view=setup") });
    await give(other, file("export.csv", EXPORT));
    await hook(other, "import-report").waitFor();
    assert.equal((await importReport(other)).gpus_requested_sum, 18);
  });

  check("the format that was recognised is shown with its evidence, and another can be chosen", async ({ open }) => {
    const page = await open();
    const table = ["submit_s,gpus,duration_s,cards", "0,1,60,4", "10,2,120,8"].join("\n");
    await give(page, file("jobs.csv", table));
    await hook(page, "import-report").waitFor();
    assert.equal((await importReport(page)).gpus_requested_sum, 3);
    await hook(page, "mapping-open").click();
    const dialog = hook(page, "mapping-dialog");
    const own = dialog.locator('[data-format="sts-csv"]');
    await own.waitFor();
    assert.match(await own.innerText(), /submit_s[\s\S]*95 of 100/);
    assert.ok(await own.locator("input").isChecked());
    await dialog.locator('[data-format="generic-csv"] input').check();
    await set(page, "columns.gpus", "n:cards");
    await readable(page, "2 of 2");
    await hook(page, "mapping-use").click();
    await page.waitForFunction(() => document.querySelector('[data-testid="import-report"] [data-metric="gpus_requested_sum"]')?.dataset.value === "12");
    // And back to what it was recognised as.
    await hook(page, "mapping-open").click();
    await own.locator("input").check();
    await hook(page, "mapping-use").click();
    await page.waitForFunction(() => document.querySelector('[data-testid="import-report"] [data-metric="gpus_requested_sum"]')?.dataset.value === "3");
    // A window that is closed changes nothing.
    await hook(page, "mapping-open").click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await importReport(page)).gpus_requested_sum, 3);
  });

  for (const [width, colorScheme] of [[320, "light"], [1440, "dark"]]) {
    check(`the mapping fits ${width} px, ${colorScheme}`, async ({ open }) => {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      await give(page, file("export.csv", EXPORT));
      const dialog = hook(page, "mapping-dialog");
      await dialog.locator('select[data-key="columns.gpus"]').waitFor();
      const wide = await dialog.evaluate((dialog) => [...dialog.querySelectorAll("*")]
        .filter((element) => !element.closest(".scroll-x") && !element.closest(".vh") && element.getBoundingClientRect().right > innerWidth)
        .map((element) => element.outerHTML.slice(0, 80)));
      assert.deepEqual(wide, []);
    });
  }
};
