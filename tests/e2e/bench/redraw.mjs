// How long charts of 10^5 points take to be drawn anew: a policy of a run of so many jobs is hidden and shown.
import { finished, hook, scenarioHash, started } from "../page.mjs";
import { median } from "./figures.mjs";

const JOBS = 100_000;
const TIMES = 12;

const SCENARIO = {
  version: 1,
  name: `${JOBS} jobs`,
  cluster: { nodes: [{ gpu: "A100-80", count: 8, gpus_per_node: 8, layout: "whole" }, { gpu: "T4", count: 16, gpus_per_node: 4, layout: "whole" }] },
  workload: { synthetic: {
    jobs: JOBS, tenants: 12, seed: 1, gpus: [{ gpus: 1, weight: 1 }],
    arrivals: { kind: "poisson", rate_per_hour: 1_000 },
    duration: { median_s: 120, max_s: 3_600 },
  } },
  round: { length_s: 600 },
  policies: [{ name: "fifo" }, { name: "srtf" }, { name: "las" }],
  seeds: [0],
};

/** Medians: `{ script_ms, frame_ms }`, what runs from the press to the next frame, and how long until that is drawn. */
export async function redraw(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(300_000);
    await page.goto(url + scenarioHash(SCENARIO));
    await started(page);
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor();
    await finished(page);
    await page.waitForTimeout(2_000);
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    const script_ms = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ScriptDuration").value * 1_000;
    const chip = page.getByRole("group", { name: "Policies shown" }).getByRole("button").last();
    const presses = [];
    for (let at = 0; at < TIMES; at += 1) {
      const before = await script_ms();
      const frame_ms = await chip.evaluate(async (chip) => {
        const start = performance.now();
        chip.click();
        // The second frame begins when what the first one shows has been drawn.
        for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
        return performance.now() - start;
      });
      presses.push({ frame_ms, script_ms: await script_ms() - before });
    }
    return { script_ms: median(presses.map(({ script_ms }) => script_ms)), frame_ms: median(presses.map(({ frame_ms }) => frame_ms)) };
  } finally {
    await context.close();
  }
}
