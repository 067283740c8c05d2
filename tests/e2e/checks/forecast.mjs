// What is told before a run: which jobs will be simulated, and that a file without a job is of no use.
import assert from "node:assert/strict";
import { hook, importTrace } from "../page.mjs";

const give = (page, name, text) => importTrace(page, { name, mimeType: "text/csv", buffer: Buffer.from(text) });
const JOBS = "submit_s,gpus,duration_s,tenant\n0,1,60,a\n1,60000,60,b\n2,1,,b\n3,0,60,b\n4,2,60,b\n7200,1,60,b\n";

const told = (page, text) => page.waitForFunction((text) =>
  document.querySelector('[data-testid="forecast"]')?.textContent.replaceAll("\u00a0", " ").includes(text), text);

export default (check) => {
  check("what will be simulated is told before the run, and why the rest will not", async ({ open }) => {
    const page = await open();
    await give(page, "jobs.csv", JOBS);
    await told(page, "3 jobs of 5, of 2 tenants, will be simulated: 1 larger than this cluster allows, 1 without a run time.");
    const window = page.getByRole("textbox", { name: "Window" });
    await window.fill("0 - 1");
    await window.press("Enter");
    await told(page, "2 jobs of 5, of 2 tenants, will be simulated: 1 not taken from the trace");
    await page.waitForFunction(() => document.querySelector("#run-eta").textContent.startsWith("2"));
    await window.fill("1 - 1.5");
    await window.press("Enter");
    await told(page, "none of them in the window");
    assert.ok(await hook(page, "run").isDisabled(), "a run of no job is not offered");
  });

  check("a file of which no row is a job is refused with its rows, and the trace stays", async ({ open }) => {
    const page = await open({ viewport: { width: 390, height: 844 } });
    await give(page, "jobs.csv", JOBS);
    await hook(page, "import-report").waitFor();
    const long = "x".repeat(120);
    await give(page, `${long}.csv`, `submit_s,gpus,duration_s\n0,one,60\n1,two,60\n2,${long},60\n`);
    const refusal = hook(page, "import-error");
    await refusal.waitFor();
    assert.match(await refusal.innerText(), /has no job[\s\S]*of its 3\srecords none is a job[\s\S]*Rejected 3[\s\S]*gpus[\s\S]*one/);
    assert.match(await hook(page, "import-report").innerText(), /jobs\.csv/);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0, "the page is as wide as the window");
  });

  check("ten thousand tenants do not block the page", async ({ open }) => {
    const page = await open();
    await page.evaluate(() => {
      window.longest = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
      }).observe({ type: "longtask", buffered: true });
    });
    const rows = Array.from({ length: 10_000 }, (_, n) => `${n},1,60,tenant-${n}\n`).join("");
    await give(page, "many.csv", `submit_s,gpus,duration_s,tenant\n${rows}`);
    await told(page, "All 10,000 jobs of 10,000 tenants");
    // The set-up comes in parts; the tenants are not among the first.
    await page.locator("#ten-table tbody tr").nth(49).waitFor();
    assert.equal(await page.locator("#ten-table tbody tr").count(), 50);
    assert.equal(await page.locator("#tenant-names option").count(), 200);
    console.log(`     longest task ${Math.round(await page.evaluate(() => window.longest))} ms`);
  });
};
