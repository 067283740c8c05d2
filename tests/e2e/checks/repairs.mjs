// What is repaired, shaped and doubted in the set-up, and what the command line and the page agree on.
import assert from "node:assert/strict";
import { comparison, finished, hook, importReport, importTrace } from "../page.mjs";

/** No run time, a very long one, one id twice, types that the cluster lacks, users in two virtual clusters. */
const TRACE = `job,tenant,user,submit_s,gpus,gpu_type,duration_s,outcome
a,vc1,ann,0,1,a100_80,600,completed
b,vc1,bob,60,2,MISC,,completed
c,vc2,ann,120,1,a100_80,900000,failed
d,vc2,bob,180,1,nvidia_geforce_rtx_2080_ti,1200,cancelled
a,vc1,ann,7200,1,,300,completed
`;
const file = (text, name = "faulty.csv") => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

async function read(open) {
  const page = await open();
  await importTrace(page, file(TRACE));
  await hook(page, "import-report").waitFor();
  return page;
}

/** The repairs in the report: `{ key: jobs }`. */
const repaired = (page) => hook(page, "repairs").locator("[data-repair]").evaluateAll((rows) =>
  Object.fromEntries(rows.map((row) => [row.dataset.repair, Number(row.dataset.count)])));

const codes = (page, where) => hook(page, where).locator("[data-warning]").evaluateAll((notes) =>
  notes.map((note) => note.dataset.warning));

export default (check) => {
  check("repairs are off, listed when chosen, and can be taken back", async ({ open }) => {
    const page = await read(open);
    assert.equal((await importReport(page)).with_duration, 4);
    assert.deepEqual(await repaired(page), {});
    assert.ok((await codes(page, "import-report")).includes("no-duration"));
    await page.getByLabel("Missing run times").selectOption("tenant");
    await hook(page, "repairs").locator('[data-repair="fill"]').waitFor();
    assert.deepEqual(await repaired(page), { fill: 1 });
    await page.getByLabel("Run times at most").fill("86400");
    await page.getByLabel("Run times at most").press("Enter");
    await hook(page, "repairs").locator('[data-repair="longest_s"]').waitFor();
    await page.getByLabel("Records of one id").selectOption("first");
    await hook(page, "repairs").locator('[data-repair="repeated_ids"]').waitFor();
    assert.deepEqual(await repaired(page), { repeated_ids: 1, fill: 1, longest_s: 1 });
    const report = await importReport(page);
    assert.deepEqual([report.records, report.jobs, report.with_duration, report.max_duration_s], [5, 4, 4, 86400]);
    assert.match(await hook(page, "repairs").innerText(), /first lines[\s\S]*\b6\b/i);
    // A link carries them.
    const reader = await open({ hash: new URL(page.url()).hash });
    await importTrace(reader, file(TRACE, "theirs.csv"));
    await hook(reader, "import-report").waitFor();
    assert.deepEqual(await repaired(reader), { repeated_ids: 1, fill: 1, longest_s: 1 });
    await page.locator("body").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("Control+z");
    await hook(page, "repairs").locator('[data-repair="repeated_ids"]').waitFor({ state: "detached" });
    assert.deepEqual(await repaired(page), { fill: 1, longest_s: 1 });
  });

  check("previews are drawn, and what is doubtful on this cluster is told", async ({ open }) => {
    const page = await read(open);
    for (const preview of ["run-times", "sizes", "gaps"]) {
      const figure = hook(page, `preview-${preview}`);
      assert.ok(await figure.locator("svg path").count() > 0, preview);
      assert.match(await figure.getAttribute("aria-label"), /in all/);
    }
    assert.ok((await codes(page, "doubts")).includes("types-elsewhere"));
  });

  check("names of GPU types stand for models, tenants are split, outcomes are chosen, and it runs", async ({ open }) => {
    const page = await read(open);
    await page.getByLabel("Missing run times").selectOption("all");
    await hook(page, "repairs").locator('[data-repair="fill"]').waitFor();
    const names = hook(page, "type-names");
    assert.equal(await names.locator("tbody tr").count(), 3);
    await hook(page, "type-names-propose").click();
    await page.getByLabel("What MISC stands for").selectOption("any");
    await hook(page, "doubts").locator('[data-warning="types-elsewhere"]').waitFor({ state: "detached" });
    await page.locator('[id="workload.trace.tenants"]').selectOption("both");
    await hook(page, "state-cancelled").click();
    for (const [label, value] of [["Run times ×", "0.01"]]) {
      const field = page.locator('[id="workload.trace.duration_scale"]');
      await field.fill(value);
      await field.press("Enter");
      assert.equal(await field.inputValue(), value, label);
    }
    assert.deepEqual((await page.locator("#ten-table tbody td:first-child").allInnerTexts()).sort(),
      ["vc1/ann", "vc1/bob", "vc2/ann", "vc2/bob"]);
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 60_000 });
    await finished(page);
    for (const { label, values } of await comparison(page)) assert.equal(values.completed ?? 4, 4, label);
  });
};
