import assert from "node:assert/strict";
import axe from "axe-core";
import { runFirstSample } from "../page.mjs";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function assertAccessible(page, where) {
  await page.evaluate(axe.source); // a script tag would be blocked by the policy
  const { violations, passes } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: "tag", values } }), RULES);
  const shown = ({ id, impact, help, nodes }) => `${impact} ${id}: ${help}\n  ${nodes.map((node) => node.html).join("\n  ")}`;
  const grave = violations.filter(({ id, impact }) => ["serious", "critical"].includes(impact) || id === "landmark-unique");
  assert.deepEqual(grave.map(shown), [], where);
  assert.ok(passes.length > 5, `${where}: axe looked at almost nothing`);
  for (const violation of violations) console.log(`     axe, ${where}: ${shown(violation)}`);
}

export default (check) => {
  for (const colorScheme of ["light", "dark"]) {
    check(`axe finds no serious violation and no two landmarks alike, ${colorScheme}`, async ({ open }) => {
      const page = await open({ colorScheme });
      await assertAccessible(page, `start, ${colorScheme}`);
      await runFirstSample(page);
      await assertAccessible(page, `results, ${colorScheme}`);
    });
  }
};
