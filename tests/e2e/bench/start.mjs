// How soon a visitor who has never been here sees the page and can use it.
import { launch } from "../browser.mjs";
import { started } from "../page.mjs";
import { median } from "./figures.mjs";

const VISITS = 5;

/** Notes when the first view is there. */
const NOTE_USABLE = () => {
  new MutationObserver((_, observer) => {
    if (!document.querySelector('[data-testid="trace-file-input"]')) return;
    observer.disconnect();
    window.usable_ms = performance.now();
  }).observe(document, { childList: true, subtree: true });
};

/** Visits with a new browser each: `{ painted_ms, usable_ms, bytes }`, medians. */
export async function start(url) {
  const visits = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    const browser = await launch();
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.addInitScript(NOTE_USABLE);
      await page.goto(url);
      await started(page);
      await page.waitForTimeout(500);
      visits.push(await page.evaluate(() => {
        const files = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
        return {
          painted_ms: performance.getEntriesByName("first-contentful-paint")[0].startTime,
          usable_ms: window.usable_ms,
          // A file that is preloaded and then used is listed twice, the second time from the cache.
          bytes: files.reduce((sum, { transferSize }) => sum + transferSize, 0),
        };
      }));
    } finally {
      await browser.close();
    }
  }
  const middle = (key) => median(visits.map((visit) => visit[key]));
  return { painted_ms: middle("painted_ms"), usable_ms: middle("usable_ms"), bytes: middle("bytes") };
}
