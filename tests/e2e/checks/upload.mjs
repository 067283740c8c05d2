import assert from "node:assert/strict";
import { writeFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { comparison, hook, importReport, importTrace, runFirstSample } from "../page.mjs";
import { ROOT } from "../server.mjs";

const TRACE = join(ROOT, "tests/fixtures/page_upload.csv");

export default (check) => {
  check("an uploaded trace is reported and runs", async ({ open }) => {
    const page = await open();
    await importTrace(page, TRACE);
    await hook(page, "import-report").waitFor();
    const report = await importReport(page);
    const expected = { records: 12, jobs: 12, gpu_jobs: 12, gpus_requested_sum: 28, max_gpus: 8, rejected_count: 0 };
    for (const [key, value] of Object.entries(expected)) assert.equal(report[key], value, key);
    await hook(page, "run").click();
    await hook(page, "kpi-table").waitFor({ timeout: 60_000 });
    for (const { label, values } of await comparison(page)) {
      assert.ok(values.jct_mean_s > 0, `${label}: jct_mean_s is ${values.jct_mean_s}`);
    }
  });

  check("a file that is no trace is refused and earlier results stay", async ({ open }) => {
    const folder = await mkdtemp(join(tmpdir(), "sts-"));
    try {
      const file = join(folder, "picture.csv");
      await writeFile(file, Buffer.from("89504e470d0a1a0a0000000d49484452000000", "hex"));
      const page = await open();
      await runFirstSample(page);
      const before = await comparison(page);
      await importTrace(page, file);
      await hook(page, "import-error").waitFor();
      assert.match(await hook(page, "import-error").innerText(), /\w{3,}/);
      assert.deepEqual(await comparison(page), before);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
};
