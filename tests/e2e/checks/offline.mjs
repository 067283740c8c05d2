// The service worker: offline use, new versions, and how a developer's server gets rid of it.
import assert from "node:assert/strict";
import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hook, keptOffline, runFirstSample, started } from "../page.mjs";
import { ROOT } from "../server.mjs";

/** A copy of the page that may be changed under the server. */
async function copyOfPage(name) {
  const copy = join(ROOT, "target/e2e", name);
  await rm(copy, { recursive: true, force: true });
  await cp(join(ROOT, "dist"), copy, { recursive: true });
  return copy;
}

/** Deploys another version: every hash is another one, the old files are gone, the document says so. */
async function deployNext(folder) {
  const names = await readdir(folder);
  const renamed = names.flatMap((name) => {
    const hash = name.match(/-([0-9a-f]{16})\./)?.[1];
    return hash ? [[hash, [...hash].reverse().join("")]] : [];
  });
  assert.ok(renamed.length >= 7);
  const next = (text) => renamed.reduce((text, [hash, other]) => text.replaceAll(hash, other), text);
  for (const name of names) {
    const path = join(folder, name);
    if (/\.(js|html|webmanifest)$/.test(name)) {
      const text = next(await readFile(path, "utf8"))
        .replace("<html", "<html data-release=\"next\"").replace('const VERSION = "', 'const VERSION = "next');
      await writeFile(path, text);
    }
    if (next(name) !== name) await rename(path, join(folder, next(name)));
  }
}

const release = (page) => page.evaluate(() => document.documentElement.dataset.release);

export default (check) => {
  check("the page works offline, with the server gone", async ({ open, serve }) => {
    const host = await serve({ pwa: true });
    const page = await open({ url: host.url });
    await keptOffline(page);
    await host.stop();
    await page.context().setOffline(true);
    await page.reload();
    await started(page);
    await runFirstSample(page);
    assert.ok(await hook(page, "kpi-table").isVisible());
  });

  check("a new version is offered, taken on request, and does not disturb another open page", async ({ open, serve, problems }) => {
    const copy = await copyOfPage("deployed");
    const host = await serve({ pwa: true, dir: copy });
    const page = await open({ url: host.url });
    await keptOffline(page);
    const other = await page.context().newPage();
    await other.goto(host.url);
    await started(other);

    await deployNext(copy);
    await page.reload();
    await started(page);
    assert.equal(await release(page), undefined, "a reload must not mix versions");
    const banner = hook(page, "update-banner");
    await banner.waitFor();
    await Promise.all([page.waitForEvent("load"), banner.getByRole("button").first().click()]);
    await page.waitForFunction(() => document.documentElement.dataset.release === "next");
    await started(page);
    await runFirstSample(page);

    await runFirstSample(other);
    assert.equal(await release(other), undefined);
    assert.deepEqual(problems, []);
  });

  check("a server without offline use removes the service worker of an earlier visit", async ({ open, serve }) => {
    const first = await serve({ pwa: true });
    const page = await open({ url: first.url });
    await keptOffline(page);
    await first.stop();
    await serve({ port: first.port });
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.pwa === "off");
    await started(page);
    const left = await page.evaluate(async () => [await navigator.serviceWorker.getRegistrations(), await caches.keys()].flat().length);
    assert.equal(left, 0);
  });
};
