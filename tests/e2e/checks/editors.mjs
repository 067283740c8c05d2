// What a scenario says of service, weights, rounds and measuring is set in the page, is in its link, and can be taken back.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { finished, hook, importTrace, scenarioHash } from "../page.mjs";
import { ROOT } from "../server.mjs";

const SHOTS = join(ROOT, "target/shots");

const SCENARIO = {
  cluster: { nodes: [{ gpu: "V100-16", count: 2, gpus_per_node: 4 }, { gpu: "P100", count: 2, gpus_per_node: 4 }] },
  workload: { synthetic: { jobs: 80, tenants: 3, gpus: [{ gpus: 1, weight: 1 }] } },
  policies: [{ name: "sts-fairness" }, { name: "fifo" }],
};

const scenarioOf = (page) => page.evaluate(() => {
  const text = location.hash.match(/s=([^&]+)/)[1].replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (c) => c.charCodeAt(0))));
});

/** Waits until the scenario in the link is as `holds` says. */
async function linked(page, holds) {
  for (let tries = 0; tries < 50; tries += 1) {
    if (holds(await scenarioOf(page))) return;
    await page.waitForTimeout(100);
  }
  assert.fail(`${holds}: ${JSON.stringify(await scenarioOf(page))}`);
}

async function type(page, label, value) {
  const field = page.getByLabel(label, { exact: true });
  await field.fill(value);
  await field.press("Enter");
}

const press = (page, group, button) =>
  page.getByRole("group", { name: group, exact: true }).getByRole("button", { name: button, exact: true }).click();

/** Each editor: what is done, and what the scenario then says. */
const EDITS = [
  ["price", (page) => type(page, "Price of a GPU-hour, NVIDIA V100 16 GB", "2.5"), ({ cluster }) => cluster.price_per_gpu_hour?.["V100-16"] === 2.5],
  ["time between failures", (page) => type(page, "Mean time from a repair to the next failure, NVIDIA V100 16 GB", "200"),
    ({ cluster }) => cluster.failures?.["V100-16"]?.mtbf_h === 200],
  ["time of a repair", (page) => type(page, "Mean time of a repair, NVIDIA V100 16 GB", "3"), ({ cluster }) => cluster.failures?.["V100-16"]?.mttr_h === 3],
  ["a change of capacity", (page) => hook(page, "add-capacity").click(), ({ cluster }) => cluster.changes?.length === 1],
  ["its time", (page) => type(page, "Time of change 1", "7200"), ({ cluster }) => cluster.changes?.[0]?.at_s === 7200],
  ["its row", (page) => page.getByLabel("Row of change 1", { exact: true }).selectOption("1"), ({ cluster }) => cluster.changes?.[0]?.row === 1],
  ["its nodes", (page) => type(page, "Nodes of change 1", "1"), ({ cluster }) => cluster.changes?.[0]?.count === 1],
  ["a change of weight", (page) => hook(page, "add-weight-change").click(), ({ tenants }) => tenants?.changes?.length === 1],
  ["when it is", (page) => type(page, "Time of change 1 of a weight", "5400"), ({ tenants }) => tenants?.changes?.[0]?.at_s === 5400],
  ["whose it is", (page) => type(page, "Tenant of change 1 of a weight", "tenant-2"), ({ tenants }) => tenants?.changes?.[0]?.tenant === "tenant-2"],
  ["what it is", (page) => type(page, "Weight of change 1 of a weight", "4"), ({ tenants }) => tenants?.changes?.[0]?.weight === 4],
  ["the weight of all others", (page) => type(page, "Weight of all others", "2"), ({ tenants }) => tenants?.default_weight === 2],
  ["limits", (page) => press(page, "At the run time a job asked for", "Kill it"), ({ round }) => round?.limits === "kill"],
  ["checkpoints", (page) => type(page, "Checkpoint every", "900"), ({ round }) => round?.checkpoint_s === 900],
  ["warm-up", (page) => type(page, "Jobs submitted from", "600"), ({ measure }) => measure?.from_s === 600],
  ["cool-down", (page) => type(page, "Jobs submitted before", "90000"), ({ measure }) => measure?.to_s === 90000],
  ["contention", (page) => type(page, "Contention in finish-time fairness", "3"), ({ measure }) => measure?.ftf_n === 3],
];

async function accessible(page, where) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id} ${nodes.map((node) => node.html).join(" | ")}`), [], where);
}

async function shoot(page, steps, name) {
  await mkdir(SHOTS, { recursive: true });
  for (const step of steps) await page.locator(`#${step}`).screenshot({ path: join(SHOTS, `editors-${step}-${name}.png`) });
}

async function opened(open, options = {}) {
  const page = await open({ hash: scenarioHash(SCENARIO), ...options });
  await hook(page, "workload-csv").waitFor();
  await page.getByText("tenant-3").first().waitFor();
  return page;
}

export default (check) => {
  check("editors write the scenario, and every edit can be taken back", async ({ open }) => {
    const page = await opened(open);
    const undo = page.getByRole("button", { name: /^Undo/ });
    for (const [what, edit, holds] of EDITS) {
      assert.equal(holds(await scenarioOf(page)), false, what);
      await edit(page);
      await linked(page, holds);
    }
    const all = await scenarioOf(page);
    for (const [, , holds] of [...EDITS].reverse()) {
      await undo.click();
      await linked(page, (scenario) => !holds(scenario));
    }
    const again = await open({ hash: scenarioHash(all) });
    assert.equal(await again.getByLabel("Mean time of a repair, NVIDIA V100 16 GB", { exact: true }).inputValue(), "3");
    assert.equal(await again.getByLabel("Checkpoint every", { exact: true }).inputValue(), "900");
    await hook(again, "run").click();
    await hook(again, "kpi-table").waitFor();
    await finished(again);
  });

  check("a scenario of the fluid mode is set in the page and runs", async ({ open }) => {
    const page = await opened(open);
    await press(page, "Time goes in", "Fluid (ideal)");
    await linked(page, ({ round }) => round?.mode === "fluid");
    await hook(page, "policy-sts-fairness").uncheck();
    await hook(page, "policy-fifo").check();
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor();
    await finished(page);
  });

  check("a window can begin with the jobs that ran then", async ({ open }) => {
    const page = await open();
    const jobs = Array.from({ length: 12 }, (_, n) => `j${n},nlp,${n * 600},1,7200,${n * 600 + 10},${n * 600 + 7210}`);
    const text = ["id,tenant,submit_s,gpus,duration_s,start_s,end_s", ...jobs].join("\n");
    await importTrace(page, { name: "ran.csv", mimeType: "text/csv", buffer: Buffer.from(`${text}\n`) });
    await hook(page, "import-report").waitFor();
    await page.locator('[id="workload.trace.window_s"]').fill("1 - 2");
    await page.locator('[id="workload.trace.window_s"]').press("Enter");
    await page.getByLabel("It begins with", { exact: true }).selectOption("include");
    await linked(page, ({ workload }) => workload.trace?.running_at_start === "include");
  });

  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1440, 390]) {
      check(`editors are accessible and fit, ${colorScheme}, ${width} px`, async ({ open }) => {
        const page = await opened(open, { colorScheme, viewport: { width, height: 900 } });
        for (const [, edit, holds] of EDITS) {
          await edit(page);
          await linked(page, holds);
        }
        await accessible(page, `${colorScheme}, ${width} px`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(overflow, 0, "the page scrolls sideways");
        await shoot(page, ["s-cluster", "s-tenants", "s-rounds"], `${colorScheme}-${width}`);
      });
    }
  }
};
