import assert from "node:assert/strict";
import { hook, runFirstSample, scenarioHash, started } from "../page.mjs";

/** Long enough to be cancelled on any machine. */
const LONG_RUN = {
  version: 1,
  name: "A long run",
  cluster: { nodes: [{ gpu: "V100-16", count: 8, gpus_per_node: 8, layout: "uniform-4" }] },
  workload: { synthetic: { jobs: 100_000, arrivals: { kind: "poisson", rate_per_hour: 60 }, seed: 1 } },
  round: { length_s: 60 },
  policies: [{ name: "sts-fairness" }, { name: "fifo" }],
  seeds: [0],
};

export default (check) => {
  check("a run shows progress, can be cancelled, and the page goes on", async ({ open }) => {
    const page = await open({ hash: scenarioHash(LONG_RUN) });
    await started(page);
    await hook(page, "run").click();
    const progress = hook(page, "progress");
    await progress.waitFor();
    assert.equal(await progress.getAttribute("role"), "progressbar");
    await page.waitForFunction(() => Number(document.querySelector('[data-testid="progress"]')?.getAttribute("aria-valuenow")) > 0);
    await hook(page, "cancel").click();
    await progress.waitFor({ state: "hidden", timeout: 5_000 });
    assert.match(await hook(page, "run-status").innerText(), /cancel/i);
    await runFirstSample(page);
    assert.ok(await hook(page, "kpi-table").isVisible());
  });
};
