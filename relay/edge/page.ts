// Owns serving the page and its files. What is a file is up to the assets binding; headers are not.

import { refuse } from "./answers.ts";

/** Built files have their hash in the name, so what was fetched once never changes. */
const HASHED = "/assets/";
const FOREVER = "public, max-age=31536000, immutable";

export async function servePage(assets: Fetcher | undefined, request: Request): Promise<Response> {
  return serveAsset(assets, request, "/");
}

export async function serveAsset(
  assets: Fetcher | undefined,
  request: Request,
  path: string,
): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refuse("method_not_allowed", "Only GET and HEAD are answered here.");
  }
  if (assets === undefined) return refuse("not_found", "This relay serves no page.");
  const headers = new Headers();
  const known = request.headers.get("if-none-match");
  if (known !== null) headers.set("if-none-match", known);
  const response = await assets.fetch(
    new Request(new URL(path, "https://assets"), { method: request.method, headers }),
  );
  if (response.status === 404) return refuse("not_found", "There is nothing at this address.");
  if (!path.startsWith(HASHED) || !response.ok) return response;
  const kept = new Response(response.body, response);
  kept.headers.set("cache-control", FOREVER);
  return kept;
}
