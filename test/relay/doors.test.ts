// The doors of a relay as it is configured: workerd itself, without anything of the tests around it.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { findWorkerd } from "../../bridge/workerd/binary.ts";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import { startWorkerd } from "../../bridge/workerd/workerd-process.ts";
import { newWorkspace } from "../support/credentials.ts";
import { strangeToken } from "../support/stranger.ts";

const DIST = join(import.meta.dirname, "../../dist");

/** The extensions that were agreed on with a client that offers compression. */
function agreed(url: string, protocols: string[]): Promise<string> {
  const socket = new WebSocket(url, protocols, { perMessageDeflate: { threshold: 0 } });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      resolve(socket.extensions);
      socket.terminate();
    });
  });
}

test.each([
  ["embedded", true],
  ["self-hosted", false],
])("R41 no door of an %s relay agrees on compression", async (_kind, loopback) => {
  const folder = mkdtempSync(join(tmpdir(), "pp-doors-"));
  const [data, temporary] = [join(folder, "rooms"), join(folder, "config")];
  for (const path of [data, temporary]) mkdirSync(path);
  const port = await findFreePort();
  const workerd = await startWorkerd({
    binary: findWorkerd(),
    worker: join(DIST, "relay/worker.js"),
    plan: {
      host: "127.0.0.1",
      port,
      web: join(DIST, "web"),
      data,
      loopback,
      allowedOrigins: [],
    },
    temporary,
    relayKey: loopback ? undefined : "a key",
    onLine: () => undefined,
  });
  try {
    const workspace = newWorkspace();
    const base = `ws://127.0.0.1:${port}`;
    const people = `${base}/parties/workspace/${workspace}`;
    expect(await agreed(`${base}/w/${workspace}/bridge`, [])).toBe("");
    expect(await agreed(people, ["pairpty.v1"])).toBe("");
    expect(await agreed(people, ["pairpty.v1", strangeToken()])).toBe("");
  } finally {
    await workerd.end(1_000);
    rmSync(folder, { recursive: true, force: true });
  }
});
