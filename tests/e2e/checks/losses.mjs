// Nothing the reader made is lost without a word: a worker that crashes, a page that is closed during a run, Back, a link in a fresh profile.
import assert from "node:assert/strict";
import { comparison, finished, hook, scenarioHash } from "../page.mjs";

const scenario = (jobs) => ({
  name: "Losses",
  cluster: { nodes: [{ gpu: "V100-16", count: 4, gpus_per_node: 4 }] },
  workload: { synthetic: { jobs, tenants: 3, arrivals: { kind: "poisson", rate_per_hour: 60 } } },
  policies: [{ name: "fifo" }, { name: "srtf" }, { name: "las" }],
  seeds: [0],
});

/** Makes the worker that is asked for the policy at this position fail as a crashed one does, once. */
const crashOnce = (policy) => {
  const Own = window.Worker;
  let crashed = false;
  window.Worker = class extends Own {
    postMessage(message, ...rest) {
      const request = typeof message?.text === "string" ? JSON.parse(message.text) : {};
      if (!crashed && request.simulate?.policy === policy) {
        crashed = true;
        this.terminate();
        setTimeout(() => this.dispatchEvent(new ErrorEvent("error", { message: "out of memory", cancelable: true })), 50);
        return;
      }
      super.postMessage(message, ...rest);
    }
  };
};

export default (check) => {
  check("a worker that crashes loses its own run alone, which is told, and the next run is whole", async ({ open }) => {
    const page = await open();
    await page.addInitScript(crashOnce, 1);
    await page.goto(page.url().split("#")[0] + scenarioHash(scenario(200)));
    await page.reload();
    await hook(page, "run").click();
    await page.getByText(/The engine stopped in .*SRTF.*out of memory/).waitFor();
    await page.getByText("2 runs were finished and kept").waitFor();
    await page.getByRole("button", { name: /Show/ }).first().click();
    await hook(page, "kpi-table").waitFor();
    assert.deepEqual((await comparison(page)).map(({ label }) => label.split(/[\n(]/)[0].trim()), ["FIFO", "LAS"]);
    await hook(page, "run").click();
    await finished(page);
    assert.equal((await comparison(page)).length, 3);
  });

  check("the browser asks before a page with a run under way is closed, and not otherwise", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(100_000)) });
    const asked = [];
    page.on("dialog", async (dialog) => {
      asked.push(dialog.type());
      await dialog.dismiss();
    });
    await hook(page, "run").click();
    await hook(page, "progress").waitFor();
    await page.close({ runBeforeUnload: true });
    await page.waitForTimeout(500);
    assert.deepEqual(asked, ["beforeunload"]);
    assert.ok(await hook(page, "progress").isVisible(), "the run goes on");
    await hook(page, "cancel").click();
    await hook(page, "progress").waitFor({ state: "hidden" });
    await Promise.all([page.waitForEvent("close"), page.close({ runBeforeUnload: true })]);
    assert.equal(asked.length, 1);
  });

  check("a shared link shows the same in a fresh profile, and Back takes back a change of the set-up", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(150)) });
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor();
    await finished(page);
    const figures = await comparison(page);
    const hash = new URL(page.url()).hash;
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Set up" }).click();
    const gpus = page.getByLabel("GPUs of row 1");
    await gpus.fill("32");
    await gpus.press("Enter");
    await page.goBack();
    await page.waitForFunction(() => document.querySelector('[aria-label="GPUs of row 1"], #nodes-0-gpus')?.value !== "32");
    assert.equal(await gpus.inputValue(), "16");

    const other = await open({ hash });
    await hook(other, "run").click();
    await hook(other, "kpi-table").waitFor();
    await finished(other);
    assert.deepEqual(await comparison(other), figures);
  });
};
