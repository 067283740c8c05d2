import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { hook } from "../page.mjs";
import { ROOT } from "../server.mjs";

const FILES = join(ROOT, "tests/fixtures/gavel");
const TABLE = join(FILES, "throughputs.json");
const TRACE = join(FILES, "example.trace");

async function run(page, policy) {
  const rows = hook(page, "gavel-results").locator("tbody tr");
  const before = await rows.count();
  await hook(page, "gavel-policy").selectOption(policy);
  await hook(page, "gavel-run").click();
  await rows.nth(before).waitFor();
  const cells = await rows.nth(before).locator("[data-metric]").evaluateAll((cells) =>
    cells.map((cell) => [cell.dataset.metric, Number(cell.dataset.value)]));
  return Object.fromEntries(cells);
}

async function onTheCommandLine(policy) {
  const words = ["run", "-q", "--bin", "sts", "--", "gavel", "--trace", TRACE, "--throughputs", TABLE,
    "--cluster", "1:1:1", "--policy", policy, "--json", "-"];
  const [program, args] = process.env.STS_BIN ? [process.env.STS_BIN, words.slice(5)] : ["cargo", words];
  return JSON.parse((await promisify(execFile)(program, args, { cwd: ROOT })).stdout);
}

export default (check) => {
  check("Gavel's simulator gives in the page what it gives on the command line", async ({ open }) => {
    const page = await open();
    await hook(page, "gavel-open").click();
    await hook(page, "gavel-run").click();
    assert.match(await hook(page, "gavel-error").innerText(), /throughput table/);
    await hook(page, "gavel-example").click();
    for (const policy of ["fifo_perf", "max_min_fairness_perf"]) {
      const [shown, told] = [await run(page, policy), await onTheCommandLine(policy)];
      for (const key of ["avg_jct_s", "makespan_s", "rounds", "dropped", "lease_extension_pct"]) assert.equal(shown[key], told[key], `${policy}: ${key}`);
      assert.equal(shown.utilization_pct, 100 * told.utilization);
      const [download] = await Promise.all([page.waitForEvent("download"), hook(page, "gavel-save").last().click()]);
      const lines = (await readFile(await download.path(), "utf8")).trim().split("\n").slice(1);
      assert.deepEqual(lines.map((line) => Number(line.split(",").at(-1))), Object.values(told.jct_s));
    }
    assert.equal(await hook(page, "gavel-error").count(), 0);
  });

  check("Gavel's simulator reads the reader's files, says what is wrong with them, and keeps its rows when closed", async ({ open }) => {
    const page = await open();
    await hook(page, "gavel-open").click();
    await hook(page, "gavel-table-input").setInputFiles(TABLE);
    await hook(page, "gavel-trace-input").setInputFiles({ name: "bad.trace", mimeType: "text/plain", buffer: Buffer.from("a\tb\n") });
    await hook(page, "gavel-run").click();
    assert.match(await hook(page, "gavel-error").innerText(), /trace: .*line 1/);
    await hook(page, "gavel-trace-input").setInputFiles(TRACE);
    const { rounds } = await run(page, "fifo");
    assert.ok(rounds > 0);
    await page.keyboard.press("Escape");
    await hook(page, "gavel-results").waitFor({ state: "detached" });
    await hook(page, "gavel-open").click();
    assert.equal(await hook(page, "gavel-results").locator("tbody tr").count(), 1);
  });
};
