// The local server, run as a process of its own.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill()));

/**
 * Serves `dist/`, or `dir`, and returns `{ url, port, stop }`.
 *
 * `pwa`: with the service worker. `bare`: without the hosted page's headers. `port`: 0 is any free one.
 */
export async function serve({ prefix = "/some/path/", pwa = false, bare = false, port = 0, dir = process.env.STS_DIR } = {}) {
  const [program, ...words] = process.env.STS_XTASK ? [process.env.STS_XTASK] : ["cargo", "xtask"];
  words.push("serve", "--no-open", "--no-build", "--port", String(port), "--prefix", prefix);
  if (pwa) words.push("--pwa");
  if (bare) words.push("--bare");
  if (dir) words.push("--dir", dir);
  const child = spawn(program, words, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let complaints = "";
  child.stderr.on("data", (text) => complaints += text);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("error", reject);
    ended.then(() => reject(new Error(`the server ended: ${complaints}`)));
  });
  const stop = async () => {
    child.kill();
    await ended;
    running.delete(child);
  };
  return { url, port: Number(new URL(url).port), stop };
}
