// Several files at once: each is recognised as what it is, and a list of machines can be the cluster.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import axe from "axe-core";
import { comparison, finished, hook, importReport } from "../page.mjs";
import { ROOT } from "../server.mjs";

const SHOTS = join(ROOT, "target/shots");

const file = (name, lines) => ({ name, mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\n")}\n`) });
const give = (page, ...files) => hook(page, "trace-file-input").setInputFiles(files);

const JOBS = file("jobs.csv", ["id,tenant,submit_s,gpus,duration_s,gpu_type", ...Array.from({ length: 8 }, (_, n) =>
  `j${n},${["nlp", "cv"][n % 2]},${n * 60},${[1, 2, 8][n % 3]},${600 + n},${["V100M16", "G2"][n % 2]}`)]);
const MACHINES = file("nodes.csv", ["sn,cpu_milli,memory_mib,gpu,model",
  "a,96000,1,8,V100M16", "b,96000,1,8,G2", "c,96000,1,8,V100M16", "d,96000,1,8,G2", "e,96000,1,2,P100", "f,96000,1,0,"]);

const hex = (digit, length) => String(digit).repeat(length);
const PAI_JOBS = file("pai_job_table.csv", [1, 2, 3].map((n) =>
  `${hex(n, 24)},${hex(n, 44)},${hex("a", 12)},Terminated,${1000 + n}.0,${1500 + n}.0`));
const PAI_TASKS = file("pai_task_table.csv", [
  `${hex(1, 24)},worker,4.0,Terminated,1010.0,1400.0,600.0,29.296875,25.0,T4`,
  `${hex(2, 24)},tensorflow,2.0,Terminated,1020.0,1440.0,600.0,29.3,800.0,V100`,
  `${hex(3, 24)},tensorflow,1.0,Terminated,1030.0,1450.0,600.0,29.3,50.0,T4`,
]);
const PAI_HEADER = { ...file("pai_job_table.header", ["job_name,inst_id,user,status,start_time,end_time"]), mimeType: "" };
const PAI_MACHINES = file("pai_machine_spec.csv",
  [[hex("7", 24), "V100", 8], [hex("8", 24), "V100", 8], [hex("9", 24), "T4", 2]].map(([id, type, gpus]) => `${id},${type},96,512,${gpus}`));

const dropped = async (page, files) => {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, text } of files) data.items.add(new File([text], name, { type: "text/csv" }));
    return data;
  }, files.map(({ name, buffer }) => ({ name, text: buffer.toString() })));
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: data });
};
const files = (page) => hook(page, "import-files").locator("tr").allInnerTexts()
  .then((rows) => rows.map((row) => row.replace(/\s+/g, " ").trim()));
const inCluster = (page) => page.evaluate(() => JSON.parse(
  new TextDecoder().decode(Uint8Array.from(atob(location.hash.match(/s=([^&]+)/)[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))),
).cluster.nodes.map(({ gpu, count, gpus_per_node }) => `${count} x ${gpus_per_node} ${gpu}`));

async function accessible(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run("#s-trace"));
  assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id} ${nodes[0].html}`), []);
}

async function runs(page) {
  await hook(page, "run").click();
  await hook(page, "kpi-table").waitFor({ timeout: 60_000 });
  await finished(page);
  for (const { label, values } of await comparison(page)) assert.ok(values.jct_mean_s > 0, label);
}

export default (check) => {
  check("two formats dropped together: jobs are read, machines become the cluster", async ({ open }) => {
    const page = await open();
    await dropped(page, [MACHINES, JOBS]);
    await hook(page, "import-report").waitFor();
    const report = await importReport(page);
    for (const [key, value] of Object.entries({ records: 8, jobs: 8, rejected_count: 0 })) assert.equal(report[key], value, key);
    assert.deepEqual(await files(page), ["nodes.csv Machines (openb-2023): 6", "jobs.csv Jobs (sts-csv): 8 records"]);
    const machines = hook(page, "machines");
    assert.match(await machines.innerText(), /Machines in nodes\.csv[\s\S]*6\smachines with 34\sGPUs/);
    // The cluster is as it was until it is asked for.
    await machines.locator('[data-model="G2"] select').selectOption("A100-80");
    assert.equal(await machines.locator('[data-model="V100M16"] select').inputValue(), "V100-16");
    await machines.locator('[data-model="P100"] select').selectOption({ label: "Leave out" });
    await accessible(page);
    await hook(page, "use-as-cluster").click();
    await hook(page, "machines-used").waitFor();
    await page.waitForFunction(() => location.hash.includes("s="));
    assert.deepEqual(await inCluster(page), ["2 x 8 V100-16", "2 x 8 A100-80"]);
    await runs(page);
  });

  check("a list of machines alone is offered as the cluster, and is no error", async ({ open }) => {
    const page = await open();
    await dropped(page, [MACHINES]);
    await hook(page, "machines-only").waitFor();
    assert.equal(await hook(page, "import-error").count(), 0);
    assert.match(await hook(page, "machines-only").innerText(), /nodes\.csv: machines, no jobs\./);
    await accessible(page);
    await hook(page, "use-as-cluster").click();
    await hook(page, "machines-used").waitFor();
    assert.deepEqual(await inCluster(page), ["4 x 8 V100-16", "1 x 2 P100"]);
    // The jobs, later.
    await give(page, JOBS);
    await hook(page, "import-report").waitFor();
    assert.equal(await hook(page, "machines-only").count(), 0);
    assert.deepEqual(await inCluster(page), ["4 x 8 V100-16", "1 x 2 P100"]);
    await runs(page);
  });

  check("tables of one trace are joined with what names their columns", async ({ open }) => {
    const page = await open();
    await give(page, PAI_TASKS, PAI_MACHINES, PAI_JOBS, PAI_HEADER);
    await hook(page, "import-report").waitFor();
    const report = await importReport(page);
    for (const [key, value] of Object.entries({ records: 3, jobs: 3, gpus_requested_sum: 1 + 16 + 0.5, rejected_count: 0 })) {
      assert.equal(report[key], value, key);
    }
    const read = await files(page);
    assert.equal(read.length, 4);
    for (const row of ["pai_job_table.csv pai_job_table: 3 rows", "pai_task_table.csv pai_task_table: 3 rows"]) {
      assert.ok(read.includes(row), `${row} in ${read.join("; ")}`);
    }
    assert.ok(read.some((row) => /^pai_job_table\.header Names of columns: job_name/.test(row)), read.join("; "));
    await hook(page, "use-as-cluster").click();
    assert.deepEqual(await inCluster(page), ["2 x 8 V100-16", "1 x 2 T4"]);
  });

  check("files that do not belong together are refused, and each can be read alone", async ({ open }) => {
    const page = await open();
    const elsewhere = file("elsewhere.csv", ["job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue",
      "1,u,2,8,1,COMPLETED,2020-05-01 00:00:00,2020-05-01 00:01:00,2020-05-01 00:11:00,600,60"]);
    await give(page, JOBS, elsewhere);
    await hook(page, "import-error").waitFor();
    assert.match(await hook(page, "import-error").innerText(), /jobs\.csv[\s\S]*elsewhere\.csv/);
    await hook(page, "read-alone").first().click();
    await hook(page, "import-report").waitFor();
    assert.equal((await importReport(page)).jobs, 8);
    assert.equal(await hook(page, "import-error").count(), 0);
  });

  for (const [width, colorScheme] of [[320, "light"], [390, "dark"], [1440, "light"], [1440, "dark"]]) {
    check(`lists of machines fit ${width} px, ${colorScheme}`, async ({ open }) => {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      const shoot = async (name) => {
        const outside = await page.evaluate(() => [...document.querySelectorAll("#s-trace *")]
          .filter((element) => !element.closest(".scroll-x") && !element.closest(".vh") && element.getBoundingClientRect().right > innerWidth)
          .map((element) => element.outerHTML.slice(0, 80)));
        await mkdir(SHOTS, { recursive: true });
        await page.locator("#s-trace").screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`) });
        assert.deepEqual(outside, []);
      };
      await give(page, MACHINES);
      await hook(page, "machines-only").waitFor();
      await shoot("machines-alone");
      await give(page, JOBS, MACHINES);
      await hook(page, "import-report").waitFor();
      await shoot("machines-with-jobs");
    });
  }
};
