// Checks the built page in a real browser: node e2e.mjs [word…] runs the checks whose name has one of the words.
//
// A file of checks/ exports a function that is given `check(name, work, { limit_s, long })`; `work` is given the
// tools that suite.mjs describes. Checks marked long run only with STS_LONG=1.
import { readdir } from "node:fs/promises";
import { launch } from "./browser.mjs";
import { runAll } from "./suite.mjs";

const words = process.argv.slice(2);
const checks = [];
const check = (name, work, { limit_s = 120, long = false } = {}) => {
  const wanted = words.length === 0 || words.some((word) => name.includes(word));
  if (wanted && (!long || process.env.STS_LONG === "1")) checks.push({ name, work, limit_s });
};
const folder = new URL("checks/", import.meta.url);
for (const file of (await readdir(folder)).filter((name) => name.endsWith(".mjs")).sort()) {
  (await import(new URL(file, folder))).default(check);
}

const browser = await launch();
const count = await runAll(checks, browser).finally(() => browser.close());
console.log(`${checks.length} checks: ${count.ok} passed, ${count.skip} skipped, ${count.FAIL} failed`);
process.exitCode = count.FAIL > 0 || checks.length === 0 ? 1 : 0;
