// The user's own priority expression: what is wrong is said as one types, and what is right is compared like any policy.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import axe from "axe-core";
import { comparison, finished, hook, importTrace, scenarioHash } from "../page.mjs";
import { ROOT } from "../server.mjs";
import { skip } from "../suite.mjs";

const HELIOS = join(resolve(ROOT, process.env.STS_SHARED ?? "../shared/data"), "traces/helios_csv/CONVERTED_cluster_log.venus.first1200.csv");
const SHOTS = join(ROOT, "target/shots");

const scenario = (workload) => ({
  cluster: { nodes: [{ gpu: "V100-16", count: 24, gpus_per_node: 8 }] },
  workload,
  policies: [{ name: "srtf" }, { name: "fifo" }],
});
const SYNTHETIC = { synthetic: { jobs: 80, tenants: 3, gpus: [{ gpus: 1, weight: 1 }] } };

const field = (page) => page.getByRole("textbox", { name: "Expression" }).first();

/** Waits until what is said under the formula has this text. */
const said = (page, text) => page.waitForFunction((text) => {
  const fields = [...document.querySelectorAll(".formula textarea")];
  return fields.some((field) => document.getElementById(field.getAttribute("aria-describedby"))?.textContent.includes(text));
}, text);

async function accessible(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run({ include: [[".pol-wide"]] }, { runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id} ${nodes.map((node) => node.html).join(" | ")}`), []);
}

export default (check) => {
  check("a formula of the reader's own is corrected as it is typed, and compared on a real trace", async ({ open }) => {
    if (!existsSync(HELIOS)) {
      assert.notEqual(process.env.STS_REQUIRE_SHARED, "1", `${HELIOS} is required and missing`);
      skip(`there is no ${HELIOS} (STS_SHARED)`);
    }
    const page = await open({ hash: scenarioHash(scenario({ trace: { path: HELIOS.split("/").at(-1) } })) });
    await importTrace(page, HELIOS);
    await hook(page, "import-report").waitFor();
    await hook(page, "policy-expression").check();
    const formula = field(page);
    await formula.fill("remainin_s - wait_s / 6");
    await said(page, "Column 1: found `remainin_s`, expected a name; did you mean remaining_s?");
    assert.equal(await formula.getAttribute("aria-invalid"), "true");
    await formula.fill("remaining_s - wait_s /");
    await said(page, "Column 23: found the end");
    await formula.press("Enter");
    await said(page, "The expression before it is used until it is changed.");
    await formula.fill("remaining_s");
    await said(page, "Reads remaining_s. Goes by run times.");
    await formula.press("Enter");
    await page.getByRole("group", { name: "Preemption" }).last().getByRole("button", { name: "rounds" }).click();
    const name = page.getByRole("textbox", { name: "Called" }).first();
    await name.fill("fifo");
    await name.press("Enter");
    await page.getByText("Another policy is called fifo.").waitFor();
    await name.fill("Shortest left");
    await name.press("Enter");
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 120_000 });
    await finished(page);
    const rows = Object.fromEntries((await comparison(page)).map(({ label, values }) => [label, values]));
    const own = Object.keys(rows).find((label) => label.startsWith("Shortest left"));
    assert.ok(own, `the table has ${Object.keys(rows)}`);
    const builtIn = Object.keys(rows).find((label) => label.startsWith("SRTF"));
    assert.deepEqual(rows[own], rows[builtIn], "the formula of SRTF is SRTF");
  }, { limit_s: 240 });

  check("expressions stand beside each other, with examples, fields and names of their own", async ({ open }) => {
    const page = await open({ hash: scenarioHash(scenario(SYNTHETIC)) });
    await hook(page, "policy-expression").check();
    await page.getByRole("combobox", { name: "Example" }).selectOption("Aging");
    assert.equal(await field(page).inputValue(), "remaining_s - wait_s / 6");
    await page.locator(".pol-wide").getByRole("button", { name: "Compare with other parameters" }).click();
    const names = page.getByRole("textbox", { name: "Called" });
    await names.nth(1).waitFor();
    await page.getByRole("combobox", { name: "Example" }).nth(1).selectOption("Fair share now");
    await names.nth(0).fill("Aging");
    await names.nth(0).press("Enter");
    await names.nth(1).fill("Shares");
    await names.nth(1).press("Enter");
    await page.getByText("Fields, operators and functions").first().click();
    for (const text of ["tenant_weight", "GPUs held times time so far", "a where the condition is not 0, else b"]) {
      await page.getByText(text).first().waitFor();
    }
    await field(page).fill("2 * (waits_s");
    await said(page, "did you mean wait_s?");
    await accessible(page);
    await mkdir(SHOTS, { recursive: true });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.locator("#s-policies").screenshot({ path: join(SHOTS, `expression-${width}-${colorScheme}.png`) });
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, `the page is wider than a window of ${width} px`);
    }
    await field(page).fill("remaining_s");
    await field(page).press("Enter");
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 120_000 });
    await finished(page);
    const labels = (await comparison(page)).map(({ label }) => label);
    for (const label of ["Aging", "Shares"]) assert.ok(labels.some((other) => other.startsWith(label)), `${label} is not in ${labels}`);
  });
};
