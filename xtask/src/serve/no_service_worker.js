// Serving without offline use: an earlier visit's service worker would go on showing its own copy of the page.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  const prefix = `sts:${self.registration.scope}:`;
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix));
  await Promise.all(names.map((name) => caches.delete(name)));
  await self.registration.unregister();
  for (const client of await self.clients.matchAll({ type: "window" })) await client.navigate(client.url);
}
