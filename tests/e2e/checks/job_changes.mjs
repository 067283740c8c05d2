// Who gains and who loses, job by job: against a join of the two job tables made here.
import assert from "node:assert/strict";
import axe from "axe-core";
import { hook, runFirstSample } from "../page.mjs";
import { csvRows, jobsOf, runHelios, saved } from "../traces.mjs";

const panel = (page) => hook(page, "job-changes");
const number = (text) => Number(text.replaceAll(",", ""));

/** Waits until the worker has answered what was last asked. */
const answered = async (page) => {
  await page.waitForTimeout(250);
  await page.locator('[data-testid="job-changes"][aria-busy="false"] [data-testid="jobs-table"]').waitFor();
};

const rows = (page) => hook(page, "jobs-table").locator("tbody tr").evaluateAll((rows) => rows.map((row) => ({
  job: row.dataset.job, before: Number(row.dataset.before), after: Number(row.dataset.after), cells: [...row.children].map((cell) => cell.textContent),
})));

/** The jobs of both runs, by their place in the tables. */
async function joined(page, before, after) {
  const [one, other] = [await jobsOf(page, before), await jobsOf(page, after)];
  assert.equal(one.length, other.length);
  return one.map((job, at) => {
    assert.equal(job.job, other[at].job);
    const [jct_before, jct_after] = [job.jct_s, other[at].jct_s];
    const is_done = jct_before !== "" && jct_after !== "";
    const difference = is_done ? Number(jct_after) - Number(jct_before) : null;
    const outcome = difference === null ? "unfinished" : Math.abs(difference) < 1 ? "same" : difference < 0 ? "gains" : "loses";
    return { job: job.job, tenant: job.tenant, jct_before, jct_after, wait_before: job.wait_s, wait_after: other[at].wait_s, difference, outcome };
  });
}

const sorted = (jobs, way) => jobs.filter((job) => job.difference !== null).sort((a, b) => way * (a.difference - b.difference));

export default (check) => {
  check("jobs gain and lose as a join of their tables says", async ({ open }) => {
    const page = await runHelios(open);
    await hook(page, "jobs-after").selectOption("srtf");
    await answered(page);
    const jobs = await joined(page, "fifo", "srtf");
    const of = (outcome) => jobs.filter((job) => job.outcome === outcome).length;
    const caption = await panel(page).locator(".p-head p").first().innerText();
    const [, all, sooner, later, same] = caption.match(/Of ([\d,]+)\sjobs, ([\d,]+) finish sooner, ([\d,]+) later and ([\d,]+) at the same time/) ?? assert.fail(caption);
    assert.deepEqual([all, sooner, later, same].map(number), [jobs.length, of("gains"), of("loses"), of("same")]);
    assert.ok(of("gains") > 0 && of("loses") > 0, "the policies differ");
    const listed = await rows(page);
    assert.equal(listed.length, 100);
    const best = sorted(jobs, 1);
    listed.forEach((row, at) => assert.ok(Math.abs(row.after - row.before - best[at].difference) < 1e-6, `row ${at}`));
    assert.match(await hook(page, "jobs-shown").innerText(), new RegExp(`The first 100 of ${jobs.length.toLocaleString("en-US")}\\sjobs`));
    // The other way round: who loses most.
    await hook(page, "jobs-table").getByRole("button", { name: /^Change/ }).click();
    await answered(page);
    const worst = sorted(jobs, -1);
    (await rows(page)).forEach((row, at) => assert.ok(Math.abs(row.after - row.before - worst[at].difference) < 1e-6, `row ${at}`));
    assert.equal(await hook(page, "jobs-table").locator('th[aria-sort="descending"]').count(), 1);
    // Only those that lose.
    await hook(page, "jobs-of").getByRole("button", { name: /^Lose/ }).click();
    await answered(page);
    assert.ok((await rows(page)).every((row) => row.after > row.before));
    await hook(page, "jobs-of").getByRole("button", { name: /^All/ }).click();
    // By name.
    const wanted = worst[3].job;
    await hook(page, "jobs-search").fill(wanted);
    await answered(page);
    const found = await rows(page);
    assert.equal(found.length, Math.min(100, jobs.filter((job) => job.job.includes(wanted) || job.tenant.includes(wanted)).length));
    assert.ok(found.some((row) => row.job === wanted));
    // All of them leave.
    const file = await saved(page, () => hook(page, "jobs-csv").click());
    assert.match(file.name, /job-changes-fifo-srtf_seed0_.*\.csv$/);
    const written = csvRows(file.text);
    assert.equal(written.length, jobs.length);
    written.forEach((row, at) => {
      const job = jobs[at];
      assert.deepEqual([row.job, row.tenant, row.outcome], [job.job, job.tenant, job.outcome]);
      for (const [text, expected] of [[row.jct_before_s, job.jct_before], [row.jct_after_s, job.jct_after], [row.wait_before_s, job.wait_before], [row.wait_after_s, job.wait_after]]) {
        assert.equal(text === "" ? "" : Number(text), expected === "" ? "" : Number(expected));
      }
      if (job.difference !== null) assert.ok(Math.abs(Number(row.difference_s) - job.difference) < 1e-5);
    });
  });

  check("from a tenant to its jobs, from a job to its waits and to the schedule", async ({ open }) => {
    const page = await runHelios(open);
    await hook(page, "jobs-after").selectOption("srtf");
    await answered(page);
    const jobs = await joined(page, "fifo", "srtf");
    const bars = hook(page, "chart-tenants").locator(".plot");
    await bars.focus();
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    const drill = hook(page, "jobs-of-tenant");
    await drill.waitFor();
    const tenant = (await page.locator("#p-who .drill").innerText()).split(":")[0];
    await drill.click();
    await answered(page);
    assert.equal(await hook(page, "jobs-tenant").locator("option:checked").innerText(), tenant);
    const of_tenant = jobs.filter((job) => job.tenant === tenant);
    assert.ok(of_tenant.length > 0);
    const listed = await rows(page);
    assert.equal(listed.length, Math.min(100, of_tenant.length));
    assert.ok(listed.every((row) => row.cells[1] === tenant));
    assert.match(await panel(page).locator(".p-head p").innerText(), new RegExp(`^Of ${of_tenant.length.toLocaleString("en-US")}\\sjobs? of `));
    // A job that waited under both.
    await hook(page, "jobs-tenant").selectOption({ index: 0 });
    await answered(page);
    const chosen = sorted(jobs, 1).find((job) => Number(job.wait_before) > 600);
    await hook(page, "jobs-search").fill(chosen.job);
    await answered(page);
    await hook(page, "jobs-table").getByRole("button", { name: chosen.job, exact: true }).first().click();
    const detail = hook(page, "job-detail");
    await detail.locator("table").first().waitFor();
    assert.deepEqual(await detail.locator("h4").allInnerTexts(), ["FIFO", "SRTF"]);
    assert.match(await detail.innerText(), /Done after .*, of which it waited/);
    const reasons = await detail.locator("tbody tr td:last-child").allInnerTexts();
    assert.ok(reasons.length > 0 && reasons.every((text) => /^[A-Z].*\.$/.test(text)), reasons.join());
    await hook(page, "job-show").click();
    const pinned = hook(page, "gantt-pinned");
    await pinned.waitFor();
    assert.match(await pinned.innerText(), new RegExp(`History of ${chosen.job}`));
    assert.equal(await pinned.locator("table").count(), 2, "its history under both");
    assert.match(await hook(page, "gantt-run").locator("option:checked").innerText(), /SRTF/);
    assert.match(await hook(page, "gantt-other").locator("option:checked").innerText(), /FIFO/);
  });

  for (const [colorScheme, width] of [["light", 1440], ["dark", 390], ["dark", 320]]) {
    check(`the jobs that gain and lose fit and are accessible, ${colorScheme}, ${width} px`, async ({ open }) => {
      const page = await open({ colorScheme, viewport: { width, height: 900 } });
      await runFirstSample(page);
      await answered(page);
      await hook(page, "jobs-table").locator("tbody button").first().click();
      await hook(page, "job-detail").waitFor();
      const page_width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(page_width <= width, `the page is ${page_width} px wide`);
      await page.evaluate(axe.source);
      for (const part of ["#p-jobs", "#p-who"]) {
        const { violations } = await page.evaluate((part) => window.axe.run(part), part);
        assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`), []);
      }
    }, { long: width === 390 });
  }
};
