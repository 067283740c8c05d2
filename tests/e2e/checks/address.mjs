// What the address and the foot of the page do beside the set-up: a trace of the page's own host, and the report of a fault.
import assert from "node:assert/strict";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hook, importReport } from "../page.mjs";
import { ROOT } from "../server.mjs";

const TRACE = "job,tenant,submit_s,gpus,duration_s\na,x,0,1,100\nb,y,10,2,200\nc,x,20,1,300\n";

/** The page with a trace beside it. */
async function hosted(serve) {
  const dir = join(ROOT, "target/e2e/with-trace");
  await rm(dir, { recursive: true, force: true });
  await cp(join(ROOT, "dist"), dir, { recursive: true });
  await mkdir(join(dir, "traces"));
  await writeFile(join(dir, "traces/july 2025.csv"), TRACE);
  return serve({ dir });
}

export default (check) => {
  check("a link opens a trace of the page's own host, and says why it opens no other", async ({ open, serve, problems }) => {
    const { url } = await hosted(serve);
    const page = await open({ url, hash: "#open=traces/july%202025.csv" });
    await hook(page, "import-report").waitFor();
    assert.equal((await importReport(page)).jobs, 3);
    await page.waitForFunction(() => location.hash.includes("open=traces"));
    await page.reload();
    await hook(page, "import-report").waitFor();

    const missing = await open({ url, hash: "#open=traces/june.csv" });
    await missing.getByText("traces/june.csv was not opened: its host answered 404").waitFor();
    assert.ok(problems.length > 0 && problems.splice(0).every((problem) => problem.includes("404")));
    const foreign = await open({ url, hash: "#open=https://example.org/a.csv" });
    await foreign.getByText("https://example.org/a.csv was not opened: this page asks no host but its own").waitFor();
  });

  check("the report of a fault has the build, the set-up and room for words", async ({ open }) => {
    const page = await open();
    await hook(page, "report-fault").click();
    const text = await hook(page, "report-text").inputValue();
    assert.match(text, /What I expected:[\s\S]*STS-Sim \d+\.\d+\.\d+, build [0-9a-f]{7}/);
    assert.match(text, /Browser: Mozilla/);
    await hook(page, "report-text").fill("changed");
    await page.keyboard.press("Escape");
    await hook(page, "report-text").waitFor({ state: "detached" });
  });
};
