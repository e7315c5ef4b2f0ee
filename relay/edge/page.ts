// Owns serving the page and its files, from Cloudflare's assets or from a plain folder.

import type { Env } from "../env.ts";
import { refuse } from "./error-responses.ts";

/** Built files have their hash in the name, so their content never changes. */
const HASHED_PREFIX = "/assets/";
const CACHE_FOREVER = "public, max-age=31536000, immutable";

/**
 * Content types, which a folder does not provide; paths with other endings are not files of the
 * page.
 */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript; charset=utf-8"],
  ["css", "text/css; charset=utf-8"],
  ["svg", "image/svg+xml"],
  ["png", "image/png"],
  ["ico", "image/x-icon"],
  ["woff2", "font/woff2"],
  ["wasm", "application/wasm"],
  ["webmanifest", "application/manifest+json"],
  ["json", "application/json"],
  ["map", "application/json"],
]);

export async function servePage(env: Env, request: Request): Promise<Response> {
  return serveAsset(env, request, "/");
}

export async function serveAsset(env: Env, request: Request, path: string): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refuse("method_not_allowed", "This address takes GET and HEAD only.");
  }
  const response = await findAsset(env, request, path);
  if (response === undefined) return refuse("not_found", "This relay has no page.");
  if (response.status === 404) return refuse("not_found", "There is nothing at this address.");
  if (!path.startsWith(HASHED_PREFIX) || !response.ok) return response;
  const cacheable = new Response(response.body, response);
  cacheable.headers.set("cache-control", CACHE_FOREVER);
  return cacheable;
}

async function findAsset(env: Env, request: Request, path: string): Promise<Response | undefined> {
  if (env.FILES !== undefined) return await fetchFromFolder(env.FILES, request.method, path);
  const headers = new Headers();
  const etag = request.headers.get("if-none-match");
  if (etag !== null) headers.set("if-none-match", etag);
  const assetRequest = new Request(`https://assets${path}`, { method: request.method, headers });
  return await env.ASSETS?.fetch(assetRequest);
}

async function fetchFromFolder(files: Fetcher, method: string, path: string): Promise<Response> {
  const file = path === "/" ? "/index.html" : path;
  const type = CONTENT_TYPES.get(file.split(".").at(-1) ?? "");
  // For a folder's path workerd would answer with its listing.
  if (type === undefined) return new Response(null, { status: 404 });
  const found = await files.fetch(new Request(`https://files${file}`, { method }));
  if (!found.ok) return new Response(null, { status: 404 });
  const response = new Response(found.body, found);
  response.headers.set("content-type", type);
  return response;
}
