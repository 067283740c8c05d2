// Generated workloads, workloads like a trace, saved jobs, pasted text.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hook, importReport, importTrace } from "../page.mjs";
import { ROOT } from "../server.mjs";

const TRACE = join(ROOT, "tests/fixtures/page_upload.csv");

const setUp = async (page) => {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Set up" }).click();
  await hook(page, "workload-csv").waitFor();
};

/** Saves the jobs and gives their lines. */
async function saved(page, format) {
  const [download] = await Promise.all([page.waitForEvent("download"), hook(page, `workload-${format}`).click()]);
  assert.match(download.suggestedFilename(), new RegExp(`-workload\\.${format}$`));
  return readFile(await download.path(), "utf8");
}

async function fill(page, id, value) {
  const field = page.locator(`[id="workload.synthetic.${id}"]`);
  await field.fill(value);
  await field.press("Enter");
}

export default (check) => {
  check("workloads are generated in every pattern, and saved jobs read back the same", async ({ open }) => {
    const page = await open();
    await setUp(page);
    await fill(page, "jobs", "120");
    await page.getByText("120\u00a0jobs over").waitFor();
    const seen = new Set();
    for (const kind of ["poisson", "diurnal", "bursty", "mmpp", "batch"]) {
      await page.locator('[id="workload.synthetic.arrivals.kind"]').selectOption(kind);
      await hook(page, "workload-csv").waitFor();
      seen.add(await saved(page, "csv"));
    }
    await page.locator('[id="workload.synthetic.duration.shape"]').selectOption("pareto");
    await fill(page, "duration.exponent", "1.3");
    await hook(page, "workload-csv").waitFor();
    const csv = await saved(page, "csv");
    seen.add(csv);
    assert.equal(seen.size, 6, "every choice gives other jobs");
    assert.equal(csv.trim().split("\n").length, 121);
    await importTrace(page, { name: "back.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
    await hook(page, "import-report").waitFor();
    assert.equal((await importReport(page)).gpu_jobs, 120);
    assert.equal(await saved(page, "csv"), csv);
    assert.match(await saved(page, "json"), /"format": "sts-json"/);
  });

  check("a workload like a trace is generated without its names", async ({ open }) => {
    const page = await open();
    await importTrace(page, TRACE);
    await hook(page, "import-report").waitFor();
    await hook(page, "generate-like").click();
    await hook(page, "synthetic-fitted").waitFor();
    await page.getByText("12\u00a0jobs over").waitFor();
    const csv = await saved(page, "csv");
    assert.equal(csv.trim().split("\n").length, 13);
    assert.ok(!csv.includes("a-01"));
    await page.getByRole("button", { name: "State it instead" }).click();
    await page.locator('[id="workload.synthetic.arrivals.kind"]').waitFor();
  });

  check("pasted text is read as a trace, in the window and anywhere on the page", async ({ open }) => {
    const page = await open();
    await setUp(page);
    const text = await readFile(TRACE, "utf8");
    await page.getByRole("button", { name: "Paste" }).click();
    await page.getByLabel("Text of the trace").fill(text);
    await page.getByRole("button", { name: "Read it" }).click();
    await hook(page, "import-report").waitFor();
    assert.equal((await importReport(page)).jobs, 12);
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }, "submit_s,gpus,duration_s\n0,1,60\n5,2,60\n");
    await page.waitForFunction(() => document.querySelector('[data-testid="import-report"] [data-metric="jobs"]')?.dataset.value === "2");
  });
};
