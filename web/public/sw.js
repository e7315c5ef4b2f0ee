// Owns what this browser keeps of the page: its own files that have a hash in their name, and nothing
// else. No document, whose address may bear a secret, no answer of a workspace, no header: those go to
// the network as if this file were not there, so a new version of the page comes with the next load.

const CACHE = "pairpty-assets-1";

/** Two versions of the page; the oldest go first. */
const MOST = 80;

/** Nothing behind the name, and nobody named: a file that anybody gets alike. */
function isKept({ method, url, headers }) {
  const { origin, pathname, search, hash } = new URL(url);
  return (
    method === "GET" &&
    origin === self.location.origin &&
    /^\/assets\/[\w.-]+-[\w-]{8}\.\w+$/.test(pathname) &&
    search === "" &&
    hash === "" &&
    !headers.has("authorization")
  );
}

async function keep(cache, request, response) {
  const isWhole = response.status === 200 && response.type === "basic";
  if (!isWhole || !/immutable/.test(response.headers.get("cache-control") ?? "")) return;
  await cache.put(request.url, response);
  const kept = await cache.keys();
  for (const old of kept.slice(0, Math.max(0, kept.length - MOST))) await cache.delete(old);
}

async function answer(event) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(event.request.url);
  if (known) return known;
  const response = await fetch(event.request);
  event.waitUntil(keep(cache, event.request, response.clone()).catch(() => {}));
  return response;
}

async function forgetOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
self.addEventListener("fetch", (event) => {
  if (isKept(event.request)) event.respondWith(answer(event));
});
