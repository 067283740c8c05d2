// Big views come in parts: soon everything is there, in its order, and what leads to a part finds it.
import assert from "node:assert/strict";
import { finished, hook, runFirstSample, scenarioHash } from "../page.mjs";

const view = (page, name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true }).click();

const STEPS = ["s-trace", "s-cluster", "s-policies", "s-tenants", "s-rounds"];

const RESULTS = ["p-kpi", "p-jct", "p-time", "p-who", "p-serv", "p-trade", "p-gantt", "p-groups", "p-fair", "p-why"];

/** The ids of `of` that are in the page, as they follow each other there. */
const order = (page, of) => page.evaluate((of) => [...document.querySelectorAll(of.map((id) => `#${id}`).join())].map(({ id }) => id), of);

const MANY = {
  cluster: { nodes: [{ gpu: "V100-16", count: 8, gpus_per_node: 8 }] },
  workload: { synthetic: { jobs: 900, tenants: 300, gpus: [{ gpus: 1, weight: 1 }], arrivals: { kind: "poisson", rate_per_hour: 400 }, duration: { median_s: 120, max_s: 3_600 } } },
  policies: [{ name: "fifo" }, { name: "las" }],
};

export default (check) => {
  check("the set-up is all there, in its order, and its steps are found", async ({ open }) => {
    const page = await open();
    for (let visit = 0; visit < 2; visit += 1) {
      await view(page, "Set up");
      await page.locator("#s-rounds").waitFor();
      assert.deepEqual(await order(page, STEPS), STEPS);
      assert.equal(await page.evaluate(() => scrollY), 0, "nothing scrolls by itself");
      assert.equal(await page.evaluate(() => document.activeElement.id), "main");
      await page.getByRole("complementary", { name: "Steps" }).getByRole("button", { name: /Rounds/ }).click();
      await page.waitForFunction(() => document.activeElement.id === "s-rounds");
      assert.ok(await page.locator("#h-rounds").isVisible());
      await view(page, "Start");
    }
  });

  check("the results are all there, in their order, and jumps lead to them", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    for (let visit = 0; visit < 2; visit += 1) {
      await page.getByText("What this result rests on").waitFor();
      assert.deepEqual(await order(page, RESULTS), RESULTS);
      await page.getByRole("navigation", { name: "On this page" }).getByRole("button", { name: "Why" }).click();
      await page.waitForFunction(() => {
        const { top, bottom } = document.getElementById("p-why").getBoundingClientRect();
        return top < innerHeight && bottom > 0;
      });
      await view(page, "Start");
      await view(page, "Results");
    }
  });

  check("of many tenants the first are in the page, and all when they are asked for", async ({ open }) => {
    const page = await open({ hash: scenarioHash(MANY) });
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor();
    await finished(page);
    const panel = hook(page, "breakdown-panel");
    const rows = () => panel.locator("tbody tr").count();
    const all = hook(page, "groups-all");
    await all.waitFor();
    assert.equal(await rows(), 100);
    assert.match(await all.innerText(), /Show all \d+/);
    await all.click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="breakdown-panel"] tbody tr').length > 100);
    await all.click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="breakdown-panel"] tbody tr').length === 100);
  });
};
