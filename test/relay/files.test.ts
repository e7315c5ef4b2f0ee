// The page's files as a workerd on this machine serves them, embedded and self-hosted: each by its
// type, none run as something else.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findWorkerd } from "../../bridge/workerd/binary.ts";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import type { Workerd } from "../../bridge/workerd/workerd-process.ts";
import { startWorkerd } from "../../bridge/workerd/workerd-process.ts";
import { ask } from "../support/asking.ts";

const TYPES = {
  "assets/letters-0123abcd.woff2": "font/woff2",
  "assets/picture-0123abcd.png": "image/png",
  "assets/decoder-0123abcd.wasm": "application/wasm",
  "assets/main-0123abcd.js": "text/javascript; charset=utf-8",
  "assets/main-0123abcd.js.map": "application/json",
  "assets/data-0123abcd.json": "application/json",
  "assets/style-0123abcd.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "favicon.ico": "image/x-icon",
  "app.webmanifest": "application/manifest+json",
};

describe.each([
  ["embedded", true],
  ["self-hosted", false],
])("%s", (_name, loopback) => {
  const folder = mkdtempSync(join(tmpdir(), "pp-files-"));
  let workerd: Workerd;
  let port: number;

  beforeAll(async () => {
    const web = join(folder, "web");
    const data = join(folder, "data");
    const temporary = join(folder, "tmp");
    for (const path of [join(web, "assets"), data, temporary]) mkdirSync(path, { recursive: true });
    for (const path of [
      ...Object.keys(TYPES),
      "index.html",
      "secret.txt",
      "assets/a.constructor",
    ]) {
      writeFileSync(join(web, path), path);
    }
    port = await findFreePort();
    workerd = await startWorkerd({
      binary: findWorkerd(),
      worker: "dist/relay/worker.js",
      plan: { host: "127.0.0.1", port, web, data, loopback, allowedOrigins: [] },
      temporary,
      relayKey: loopback ? undefined : "a key of the tests",
      onLine: () => undefined,
    });
  });
  afterAll(async () => {
    await workerd.end(1000);
    rmSync(folder, { recursive: true });
  });

  test.each(Object.entries(TYPES))("W23 /%s is %s", async (path, type) => {
    const { status, text, headers } = await ask(port, `/${path}`);
    expect([status, text, headers["content-type"]]).toEqual([200, path, type]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe(
      path.startsWith("assets/") ? "public, max-age=31536000, immutable" : undefined,
    );
  });

  test("W108 what the policy allows is the relay's own, and no code is made of text or wasm", async () => {
    const { headers } = await ask(port, "/");
    const policy = String(headers["content-security-policy"]);
    for (const part of ["font-src 'self'", "img-src 'self' data:", "manifest-src 'self'"])
      expect(policy.split("; ")).toContain(part);
    expect(policy.split("; ")).toContain("script-src 'self'");
    expect(policy).not.toMatch(/eval|https?:|\*/);
  });

  test.each(["/secret.txt", "/assets/a.constructor", "/assets", "/assets/none.woff2"])(
    "W23 %s is no file of the page",
    async (path) => {
      expect((await ask(port, path)).status).toBe(404);
    },
  );
});
