// Policies that cannot serve a set-up say so before it is run.
import assert from "node:assert/strict";
import { hook, scenarioHash } from "../page.mjs";

const scenario = ({ layout, gpus, policy }) => ({
  cluster: { nodes: [{ gpu: "A100-80", count: 2, gpus_per_node: 4, layout }] },
  workload: { synthetic: { jobs: 60, gpus: gpus.map((size) => ({ gpus: size, weight: 1 })) } },
  policies: [{ name: "fifo" }, { name: policy }],
});

/** Opens the set-up once its jobs are there. */
async function opened(open, of) {
  const page = await open({ hash: scenarioHash(scenario(of)) });
  await hook(page, "workload-csv").waitFor();
  return page;
}

async function isRefused(page, words) {
  await page.waitForFunction((words) => new RegExp(words).test(document.querySelector('[data-testid="run-status"]')?.textContent), words);
  assert.equal(await hook(page, "run").isDisabled(), true);
}

async function runs(page) {
  await hook(page, "run").click();
  await hook(page, "kpi-table").waitFor();
}

export default (check) => {
  check("AlloX says before the run that it serves no gangs", async ({ open }) => {
    const page = await opened(open, { layout: "whole", gpus: [1, 4], policy: "allox" });
    await isRefused(page, "AlloX needs jobs of one GPU each.*\\d+ ask for several");
    await hook(page, "policy-allox").uncheck();
    await runs(page);
  });

  check("AlloX runs where every job asks for one GPU", async ({ open }) => {
    await runs(await opened(open, { layout: "whole", gpus: [1], policy: "allox" }));
  });

  check("MISO says before the run that it needs MIG", async ({ open }) => {
    const page = await opened(open, { layout: "whole", gpus: [1], policy: "miso" });
    await isRefused(page, "MISO needs a cluster with a GPU type of the layout");
    await page.locator('[id="cluster.nodes.0.layout"]').selectOption("mig");
    await runs(page);
  });
};
