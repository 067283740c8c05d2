import assert from "node:assert/strict";
import { hook, runFirstSample } from "../page.mjs";

export default (check) => {
  check("the page loads with its title and what a newcomer needs", async ({ open }) => {
    const page = await open();
    assert.match(await page.title(), /STS-Sim/);
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.ok(await page.locator('[data-testid^="sample-"]').count() >= 1, "no sample in the gallery");
    assert.equal(await page.getByRole("main").count(), 1);
  });

  check("the page needs no cross-origin isolation and registers no service worker by itself", async ({ open }) => {
    const page = await open();
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    assert.equal(await page.evaluate(() => typeof SharedArrayBuffer), "undefined");
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
  });

  check("the page runs at a host's root, without headers of its own", async ({ open, serve }) => {
    const host = await serve({ prefix: "/", bare: true });
    const page = await open({ url: host.url });
    await runFirstSample(page);
    assert.ok(await hook(page, "kpi-table").isVisible());
  });
};
