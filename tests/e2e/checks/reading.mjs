// How files come in: packed, in archives, cancelled half way, given twice, and refused for each reason there is.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { hook, importReport, importTrace, scenarioHash } from "../page.mjs";
import { ROOT } from "../server.mjs";

const FIXTURES = join(ROOT, "tests/fixtures");
const HEADER = "submit_s,gpus,duration_s\n";

const give = (page, ...files) => importTrace(page, ...files.map(([name, content]) =>
  ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) })));
const jobs = (count) => HEADER + Array.from({ length: count }, (_, n) => `${n},1,60\n`).join("");
const ids = (count, from = 0) => `job,submit_s,gpus,duration_s\n${Array.from({ length: count }, (_, n) => `j${from + n},${n},1,60\n`).join("")}`;

/** Waits for the report of so many jobs. */
const reported = (page, count) => page.waitForFunction((count) =>
  document.querySelector('[data-testid="import-report"] [data-metric="jobs"]')?.dataset.value === String(count), count);

/** Drops a file that is one text after another, `times` over, and too large to be handed to the browser from outside. */
const dropLarge = (page, begins, text, times) => page.evaluate(({ begins, text, times }) => {
  const part = new Blob([text]);
  const data = new DataTransfer();
  data.items.add(new File([begins, ...Array(times).fill(part)], "large.csv"));
  for (const type of ["dragenter", "drop"]) {
    document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
  }
}, { begins, text, times });

/** A ZIP archive of stored members. */
function zip(members) {
  const parts = members.map(([name, content]) => {
    const [bytes, path] = [Buffer.from(content), Buffer.from(name)];
    const head = Buffer.alloc(30);
    head.write("PK\x03\x04\x14", "latin1");
    head.writeUInt32LE(crc32(bytes), 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt32LE(bytes.length, 22);
    head.writeUInt16LE(path.length, 26);
    return Buffer.concat([head, path, bytes]);
  });
  return Buffer.concat([...parts, Buffer.from("PK\x05\x06", "latin1"), Buffer.alloc(18)]);
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

const gzipTimes = (text, times) => times === 0 ? text : gzipTimes(gzipSync(text), times - 1);

/** For each reason the files that are refused for it, and what the page says. The rest have checks of their own. */
const REFUSALS = [
  ["empty", [["a.csv", ""]], /is empty: it has no byte/],
  ["header-only", [["a.csv", HEADER]], /a header and no job: submit_s, gpus, duration_s/],
  ["binary", [["a.parquet", "PAR1\x15\x04"]], /Parquet/],
  ["lfs-pointer", [["a.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234567\n"]], /git lfs pull/],
  ["not-jobs", [["a.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,4808,10\n"]], /requests to a model/],
  ["unknown-table", [["a.csv", "id,when,how_many\n1,2,3\n"]], /columns id, when, how_many/],
  ["unknown-json", [["a.json", '{"a": 1}']], /JSON of no known format/],
  ["missing-columns", [["a.txt", "JobID|JobName|State\n1|a|COMPLETED\n"]], /lacks[\s\S]*Submit/],
  ["mixed-formats", [["a.csv", jobs(2)], ["b.csv", "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n" +
    "1,u,v,2,8,1,COMPLETED,2020-05-01 00:00:00,2020-05-01 00:01:00,2020-05-01 00:11:00,600,60\n"]], /different formats/],
  ["truncated", [["a.json", '[{"status": "Pass", "vc": "v", "jobid": "a", "attempts": [], "submitted_time": "2017-08-07 01:02:03", "user": "u"},\n{"status"']],
    /ends in the middle, at line 2/],
  ["broken-json", [["a.json", '[{"status": "Pass", "vc": "v", "jobid": "a", "attempts": [], "submitted_time": "2017-08-07 01:02:03", "user": "u"} x']],
    /broken at line 1, column \d+/],
  ["long-record", [["a.csv", `${HEADER}0,1,${"1".repeat(2 << 20)}`]], /line 2 is longer than 1 MB/],
  ["too-many-columns", [["a.csv", `${HEADER}${",".repeat(2000)}`]], /Line 2 has more than 1024 columns/],
  ["damaged", [["a.csv.gz", gzipSync(jobs(100)).subarray(0, 60)]], /gzip[\s\S]*damaged/],
  ["bomb", [["a.csv.gz", gzipSync(HEADER + "\n".repeat(70_000_000))]], /unpacks to more than \d+ MB from/],
  ["packed", [["a.csv.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0xa8, 0x01, 0, 0])]], /cannot be unpacked[\s\S]*--long=31/],
  ["packed-too-often", [["a.csv.gz", gzipTimes(jobs(2), 4)]], /more than 3 times over/],
  ["too-many-members", [["a.zip", zip(Array(10_001).fill(["a", ""]))]], /more than \d+ members/],
  ["no-trace-inside", [["a.zip", zip([["a.png", Buffer.from("\x89PNG\r\n", "latin1")], ["b.csv", ""]])]], /no trace that can be read: a\.png/],
  ["encoding", [["a.csv", Buffer.from("submit_s,gpus", "utf16le")]], /text in UTF-16/],
];

export default (check) => {
  check("a gzip file is read as what is in it", async ({ open }) => {
    const page = await open();
    await give(page, ["page_upload.csv.gz", gzipSync(await readFile(join(FIXTURES, "page_upload.csv")))]);
    await reported(page, 12);
    const report = await importReport(page);
    for (const [key, value] of Object.entries({ records: 12, gpus_requested_sum: 28, rejected_count: 0 })) assert.equal(report[key], value, key);
  });

  check("the members of a ZIP archive are listed, and one is chosen", async ({ open }) => {
    const page = await open();
    await importTrace(page, join(FIXTURES, "archives/infozip.zip"));
    await reported(page, 3);
    const members = hook(page, "import-members");
    await members.locator("summary").click();
    assert.match(await members.locator("summary").innerText(), /4\smembers/);
    const row = (name) => members.locator("tr").filter({ hasText: name });
    assert.match(await row("README.md").innerText(), /a text about the data/);
    await row("data/more.csv").getByRole("button", { name: "Read only this" }).click();
    await reported(page, 1);
    assert.match(await row("data/jobs.csv").innerText(), /it was not chosen/);
    await members.getByRole("button", { name: "Read all" }).click();
    await reported(page, 3);
  });

  check("reading is cancelled half way, and what was there before stays", async ({ open }) => {
    const page = await open();
    await give(page, ["small.csv", jobs(5)]);
    await reported(page, 5);
    // Long rows: much to read, few jobs.
    const row = `0,1,60,${"m".repeat(400)}\n`;
    await dropLarge(page, "submit_s,gpus,duration_s,model\n", row.repeat(10_000), 200);
    const stopped = await page.waitForFunction(() => {
      const percent = Number(document.querySelector('[data-testid="import-progress"]')?.getAttribute("aria-valuenow") ?? 0);
      const status = document.querySelector('[data-testid="import-status"]')?.textContent;
      if (percent < 50) return false;
      document.querySelector('[data-testid="import-cancel"]').click();
      return { percent, status };
    }, undefined, { timeout: 90_000 }).then((handle) => handle.jsonValue());
    assert.ok(stopped.percent < 100, `it was read to ${stopped.percent} %`);
    assert.match(stopped.status, /^\d+\sMB of 816\sMB · [\d,]+\srecords$/);
    await hook(page, "import-progress").waitFor({ state: "detached" });
    assert.equal(await hook(page, "import-error").count(), 0);
    assert.equal((await importReport(page)).jobs, 5);
    // The page goes on: the next file is read.
    await give(page, ["next.csv", jobs(7)]);
    await reported(page, 7);
  }, { limit_s: 180 });

  check("the same file chosen twice is read twice, as it then is", async ({ open }) => {
    const folder = await mkdtemp(join(tmpdir(), "sts-"));
    try {
      const page = await open();
      const file = join(folder, "jobs.csv");
      for (const count of [4, 4, 6]) {
        await writeFile(file, ids(count));
        await importTrace(page, file);
        await reported(page, count);
        // A browser tells of a choice only where it is another one than the last.
        assert.equal(await hook(page, "trace-file-input").inputValue(), "");
      }
      // Together with itself: each job once.
      await give(page, ["jobs.csv", ids(6)], ["jobs.csv", ids(6)]);
      await page.waitForFunction(() => document.querySelector('[data-testid="import-report"]')?.textContent.includes("very bytes of another file"));
      assert.equal((await importReport(page)).jobs, 6);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  check("a file is refused for each reason, which is told, and what was there before stays", async ({ open }) => {
    const page = await open();
    await give(page, ["small.csv", jobs(5)]);
    await reported(page, 5);
    const error = hook(page, "import-error");
    for (const [code, files, says] of REFUSALS) {
      await give(page, ...files);
      await error.waitFor();
      const text = await error.innerText();
      assert.match(text, says, `${code}: ${text}`);
      assert.match(text, /What was loaded before is kept\./, `${code}: ${text}`);
      assert.ok(text.includes(files[0][0]), `${code}: no ${files[0][0]} in ${text}`);
      assert.equal((await importReport(page)).jobs, 5, code);
      if (code === "unknown-table") {
        // The window in which the columns are named opens by itself.
        await hook(page, "mapping-dialog").waitFor();
        await page.keyboard.press("Escape");
        await hook(page, "mapping-dialog").waitFor({ state: "detached" });
        // Nothing is read by columns that nobody has seen: they are said in the window alone.
        assert.equal(await error.locator('#trace-format option[value="generic-csv"]').count(), 0);
        await hook(error, "mapping-open").click();
        await hook(page, "mapping-dialog").waitFor();
        await page.keyboard.press("Escape");
      }
      await error.getByRole("button", { name: "Close" }).click();
      await error.waitFor({ state: "detached" });
    }
  }, { limit_s: 180 });

  check("a trace that does not fit into memory is refused with a sample that does", async ({ open }) => {
    const page = await open();
    await dropLarge(page, HEADER, "1,1,1\n".repeat(500_000), 80);
    const error = hook(page, "import-error");
    await error.waitFor({ timeout: 60_000 });
    assert.match(await error.innerText(), /about \d+ jobs, which need \d+ MB of memory; there are \d+ MB/);
    assert.match(await hook(page, "import-sample").innerText(), /^Read one job in \d+$/);
  });

  check("a file that is gone, a member that is not there, and a mapping of other columns are told", async ({ open }) => {
    const folder = await mkdtemp(join(tmpdir(), "sts-"));
    try {
      const page = await open();
      const file = join(folder, "jobs.zip");
      await writeFile(file, zip([["a.csv", jobs(2)], ["b.csv", jobs(2)]]));
      await importTrace(page, file);
      await reported(page, 4);
      await rm(file);
      const members = hook(page, "import-members");
      await members.locator("summary").click();
      await members.getByRole("button", { name: "Read only this" }).first().click();
      const error = hook(page, "import-error");
      await error.waitFor();
      assert.match(await error.innerText(), /cannot be read: /);
    } finally {
      await rm(folder, { recursive: true });
    }
    // What is asked of a trace stands in the scenario that waits for it.
    for (const [asked, says] of [
      [{ path: "a.zip", format: "auto", members: ["x.csv"] }, /no member x\.csv[\s\S]*b\.csv/],
      [{ path: "b.csv", format: "generic-csv", mapping: { columns: { submit: { column: "when", unit: "s" }, gpus: { column: "many" } } } }, /lacks the columns "when"/],
    ]) {
      const page = await open({ hash: scenarioHash({
        version: 1,
        name: "Waiting",
        cluster: { nodes: [{ gpu: "V100-16", count: 1, gpus_per_node: 8, layout: "whole" }] },
        workload: { trace: asked },
        round: { length_s: 60 },
        policies: [{ name: "fifo" }],
        seeds: [0],
      }) });
      await give(page, asked.path === "a.zip" ? ["a.zip", zip([["a.csv", jobs(2)], ["b.csv", jobs(2)]])] : ["b.csv", jobs(2)]);
      await hook(page, "import-error").waitFor();
      assert.match(await hook(page, "import-error").innerText(), says);
    }
  });
};
