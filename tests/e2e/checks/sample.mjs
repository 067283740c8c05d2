import assert from "node:assert/strict";
import { comparison, hook, runFirstSample } from "../page.mjs";

export default (check) => {
  check("one click on a sample ends in a comparison with finite figures", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const rows = await comparison(page);
    assert.ok(rows.length >= 2, "a comparison has at least two policies");
    for (const { label, values } of rows) {
      assert.notEqual(label, "", "a row without the policy's name");
      assert.ok(values.jct_mean_s > 0, `${label}: jct_mean_s is ${values.jct_mean_s}`);
    }
    assert.match(await hook(page, "run-status").innerText(), /\d/);
  });

  check("a job's waits and a round's ledger are told", async ({ open }) => {
    const page = await open();
    await runFirstSample(page);
    const panel = hook(page, "explain-panel");
    const waits = hook(page, "explain-waits");
    await waits.waitFor();
    const shown = await waits.innerText();
    assert.match(await waits.locator("tbody tr").first().innerText(), /\.$/m, "a reason is a sentence");
    const jobs = panel.locator("ul button");
    if (await jobs.count() > 1) {
      await jobs.nth(1).click();
      await page.waitForFunction((before) => document.querySelector('[data-testid="explain-waits"]').innerText !== before, shown);
    }
    await panel.getByRole("button", { name: "Rounds" }).click();
    const ledger = hook(page, "explain-ledger");
    await ledger.waitFor();
    assert.ok(await ledger.locator("tbody tr").count() > 0, "no tenant has a quota");
  });

  check("the same sample gives the same figures again", async ({ open }) => {
    const runs = [];
    for (let run = 0; run < 2; run++) {
      const page = await open();
      await runFirstSample(page);
      runs.push(await comparison(page));
    }
    assert.deepEqual(runs[0], runs[1]);
  });
};
