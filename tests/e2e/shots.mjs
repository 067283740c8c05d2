// Screenshots of every view into target/shots, in both themes, at three widths.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launch, watchedContext } from "./browser.mjs";
import { hook, runFirstSample, started } from "./page.mjs";
import { ROOT, serve } from "./server.mjs";

const SHOTS = join(ROOT, "target/shots");
const VIEWPORTS = [{ width: 1440, height: 900 }, { width: 1024, height: 768 }, { width: 390, height: 844 }];

const SETTLED_MS = 1500;

const [server, browser] = await Promise.all([serve(), launch()]);
const problems = [];
try {
  await mkdir(SHOTS, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of VIEWPORTS) {
      const context = await watchedContext(browser, new URL(server.url).origin, problems, { colorScheme, viewport });
      const page = await context.newPage();
      const shoot = async (view) => {
        const path = join(SHOTS, `${view}-${colorScheme}-${viewport.width}.png`);
        await page.screenshot({ path, fullPage: true });
        console.log(path);
      };
      await page.goto(server.url);
      await started(page);
      await shoot("start");
      await runFirstSample(page);
      await shoot("results");
      const views = page.getByRole("navigation", { name: "Views" });
      for (const [name, view] of [["Set up", "setup"], ["Laboratory", "laboratory"]]) {
        await views.getByRole("link", { name }).click();
        await hook(page, view === "setup" ? "trace-file-input" : "laboratory").first().waitFor({ state: "attached" });
        // What workers answer is drawn when it is there.
        await page.waitForTimeout(SETTLED_MS);
        await shoot(view);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
