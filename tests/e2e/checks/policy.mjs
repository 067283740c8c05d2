// The content security policy, seen from the inside.
import assert from "node:assert/strict";
import { keptOffline, runFirstSample } from "../page.mjs";

/** Whether text can become code there; a worker keeps the answer to itself, a page also reports a violation. */
async function runsText(scope) {
  await scope.evaluate(() => setTimeout("self.textRan = true", 0));
  return scope.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(self.textRan === true), 100)));
}

/** Takes the reports of blocked attempts, and nothing else, off the list. */
function blocked(problems) {
  const seen = problems.splice(0);
  for (const problem of seen) assert.match(problem, /content security policy|policy violation/i);
  return seen.join("\n");
}

export default (check) => {
  check("the policy blocks inline code, inline style, text as code and other origins", async ({ open, problems }) => {
    const page = await open();
    assert.equal(await runsText(page), false);
    const result = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "self.inlineRan = true";
      const styled = document.createElement("div");
      styled.setAttribute("style", "color: red");
      document.body.append(script, styled);
      const fetched = await fetch("http://127.0.0.1:9/").then(() => true, () => false);
      return { script: self.inlineRan === true, style: styled.style.color !== "", fetched };
    });
    assert.deepEqual(result, { script: false, style: false, fetched: false });
    const seen = blocked(problems);
    for (const directive of ["script-src", "style-src", "connect-src"]) assert.ok(seen.includes(directive), seen);
  });

  check("workers are under the policy on a host with headers", async ({ open, problems }) => {
    const page = await open();
    await runFirstSample(page);
    const [worker] = page.workers();
    assert.ok(worker, "the page keeps no worker");
    assert.equal(await runsText(worker), false);
    assert.match(blocked(problems), /Blocked in a worker/);
  });

  check("on a host without headers the service worker brings workers under the policy", async ({ open, serve, problems }) => {
    const host = await serve({ bare: true, pwa: true });
    const page = await open({ url: host.url });
    await keptOffline(page);
    await page.reload();
    await runFirstSample(page);
    const [worker] = page.workers();
    assert.equal(await runsText(worker), false);
    assert.match(blocked(problems), /Blocked in a worker/);
  });
};
