// Screenshots of every view into target/shots, in both themes, at three widths: node shots.mjs [view…] takes only those views.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launch, watchedContext } from "./browser.mjs";
import { hook, importTrace, runFirstSample, scenarioHash, started } from "./page.mjs";
import { ROOT, serve } from "./server.mjs";

const SHOTS = join(ROOT, "target/shots");
const VIEWPORTS = [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }];

/** What workers answer is drawn when it is there. */
const SETTLED_MS = 1500;

const SWEEP = {
  name: "a small cluster",
  cluster: { nodes: [{ gpu: "V100-16", count: 4, gpus_per_node: 4 }, { gpu: "P100", count: 2, gpus_per_node: 4 }] },
  workload: { synthetic: { jobs: 120, tenants: 3, arrivals: { kind: "poisson", rate_per_hour: 40 } } },
  policies: [{ name: "sts-fairness" }, { name: "fifo" }, { name: "srtf" }],
  seeds: [0, 1, 2],
};

/** A site's own export, whose columns nobody could guess. */
const EXPORT = ["Auftrag;Team;Abgabe;Karten;Minuten",
  ...Array.from({ length: 12 }, (_, n) => `j${n};${["nlp", "cv"][n % 2]};${n + 1}.3.2024 12:00;${n % 3 === 0 ? "0,5" : "2"};${30 + n},5`)].join("\r\n");

/** Jobs of two days, some of which cannot be read. */
const DAMAGED = ["job,tenant,submit_s,gpus,duration_s,model",
  ...Array.from({ length: 160 }, (_, n) => `j${n},${["vision", "speech", "search"][n % 3]},${n * 1080},${[1, 1, 2, 4, 8][n % 5]},${[600, 5400, 28_800][n % 3] + n},${["bert", "resnet50", "gpt2"][n % 3]}`),
  "j160,vision,soon,1,60,bert", "j161,vision,9000,-2,60,bert", "j162,speech,9100,1,,bert", "j163,speech"].join("\n");

const view = (page, name) => page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true }).click();

/** Does what needs a worker and waits until the experiment says that it is done. */
async function experiment(page, begin) {
  await begin();
  await page.waitForFunction(() => document.querySelector('[data-testid="experiment-status"]')?.textContent.includes("Done"), undefined, { timeout: 120_000 });
}

/** The views, each reached from a page of its own: `[name, fragment of the address, what is done there]`. */
const VIEWS = [
  ["start", "", async () => {}],
  ["results", "", runFirstSample],
  ["gantt", "", async (page) => {
    await runFirstSample(page);
    const open = hook(page, "gantt-open");
    await hook(page, "gantt-panel").scrollIntoViewIfNeeded();
    if (await open.count() > 0) await open.click();
    await hook(page, "gantt").waitFor();
  }, "gantt-panel"],
  ["setup", "", async (page) => {
    await view(page, "Set up");
    await hook(page, "workload-csv").waitFor();
  }],
  ["import", "", async (page) => {
    await importTrace(page, { name: "jobs.csv", mimeType: "text/csv", buffer: Buffer.from(DAMAGED) });
    await hook(page, "import-report").waitFor();
  }],
  ["refused", "", async (page) => {
    await importTrace(page, { name: "picture.csv", mimeType: "text/csv", buffer: Buffer.from("89504e470d0a1a0a0000000d49484452000000", "hex") });
    await hook(page, "import-error").waitFor();
  }],
  ["mapping", "", async (page) => {
    await importTrace(page, { name: "export.csv", mimeType: "text/csv", buffer: Buffer.from(EXPORT) });
    await hook(page, "mapping-dialog").locator('select[data-key="columns.gpus"]').waitFor();
  }, "window"],
  ["keys", "", (page) => page.keyboard.press("?"), "window"],
  ["share", scenarioHash(SWEEP), (page) => hook(page, "share-link").click(), "window"],
  ["gavel", "", (page) => hook(page, "gavel-open").click(), "window"],
  ["kept", "", async (page) => {
    await runFirstSample(page);
    await hook(page, "kept-keep").click();
    await hook(page, "kept-panel").locator("tr[data-kept]").waitFor();
    await hook(page, "kept-beside").click();
    await hook(page, "beside").waitFor();
  }],
  ["experiment", scenarioHash(SWEEP), async (page) => {
    await view(page, "Experiment");
    await experiment(page, async () => {
      await page.locator("#exp-levels-0").fill("0.5 to 2 by 0.5");
      await page.locator("#exp-levels-0").press("Enter");
      await hook(page, "experiment-run").click();
    });
  }],
  ["what-if", scenarioHash(SWEEP), async (page) => {
    await view(page, "Experiment");
    await experiment(page, () => hook(page, "what-if-V100-16").click());
  }],
  ["laboratory", "#view=laboratory", (page) => page.locator('[data-testid="laboratory"][aria-busy="false"]').waitFor()],
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !VIEWS.some(([view]) => view === name));
if (unknown.length > 0) throw new Error(`there is no view ${unknown.join(", ")}: ${VIEWS.map(([name]) => name).join(", ")}`);

/** What is wrong with a page whatever it shows: it scrolls sideways, or a drawing in it is empty. */
const faults = (page) => page.evaluate(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`${root.scrollWidth - root.clientWidth} px wider than the window`);
  for (const svg of document.querySelectorAll("figure .plot svg.chart:first-of-type")) {
    if (svg.childElementCount === 0) found.push(`an empty drawing in ${svg.closest("figure").dataset.testid}`);
  }
  return found;
});

const [server, browser] = await Promise.all([serve(), launch()]);
const problems = [];
try {
  await mkdir(SHOTS, { recursive: true });
  for (const [name, hash, reach, only] of VIEWS.filter(([view]) => asked.length === 0 || asked.includes(view))) {
    // A view is reached once, and photographed in every theme and width.
    const context = await watchedContext(browser, new URL(server.url).origin, problems, { viewport: VIEWPORTS[0] });
    const page = await context.newPage();
    await page.goto(server.url + hash);
    await started(page);
    await reach(page);
    for (const viewport of VIEWPORTS) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await page.waitForTimeout(SETTLED_MS);
        // At the foot of a window the run bar would stand in the middle of a whole page.
        await page.evaluate(() => document.querySelector(".runbar")?.style.setProperty("position", "static"));
        const path = join(SHOTS, `${name}-${colorScheme}-${viewport.width}.png`);
        // A window stands over the page, so that only what is in sight is of it.
        if (only === undefined) await page.screenshot({ path, fullPage: true });
        else if (only === "window") await page.screenshot({ path });
        else await hook(page, only).screenshot({ path });
        console.log(path);
      }
      problems.push(...(await faults(page)).map((fault) => `${name}, ${viewport.width} px: ${fault}`));
    }
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
