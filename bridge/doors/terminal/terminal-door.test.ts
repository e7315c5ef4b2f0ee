// A viewer at `terminal.sock` that attaches and reads nothing.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MiB, REPLAY_BYTES } from "../../../protocol/limits.ts";
import { OneTerminal } from "../../../test/support/modelled-room.ts";
import { poolTerminal } from "../../../test/support/pool-terminal.ts";
import { until } from "../../../test/support/waiting.ts";
import { Hub } from "../../callers/hub.ts";
import { PTY_MESSAGES } from "../../dialects/pty/pty-messages.ts";
import { GrantTable } from "../../grants/grant-table.ts";
import { createLog } from "../../log.ts";
import type { RetainedBytes } from "../../terminals/host-client.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { Viewers } from "../../viewers/viewers.ts";
import { toChannelMessages } from "../../viewers/viewer-ports.ts";
import { createTerminalDoor } from "./terminal-door.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-door-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("V29 V31 a viewer that reads nothing is sent one buffer; the rest waits as a request", async () => {
  const terminal = poolTerminal();
  terminal.end = REPLAY_BYTES;
  let fetched = 0;
  const pool = new (class extends OneTerminal {
    override fetch<T>(
      _terminal: PoolTerminal,
      from: number,
      most: number,
      accept: (retained: RetainedBytes) => T,
      to = REPLAY_BYTES,
    ): Promise<T> {
      const offset = Math.min(REPLAY_BYTES, Math.max(from, REPLAY_BYTES - most));
      const bytes = Buffer.alloc(Math.max(0, Math.min(to, REPLAY_BYTES) - offset));
      fetched += bytes.length;
      return Promise.resolve(accept({ offset, bytes }));
    }
  })(terminal);
  const log = createLog("silent", () => {});
  const grants = new GrantTable(join(folder, "grants.json"));
  const hub = new Hub(grants, log);
  const screens = { snapshot: () => Promise.reject(new Error("nobody looks")) };
  const viewers = new Viewers(pool, screens, () => PTY_MESSAGES, log);
  const words = toChannelMessages(() => PTY_MESSAGES);
  const door = createTerminalDoor({ pool, grants, hub, viewers, messages: words, log });
  const path = join(folder, "door.sock");
  door.open(path);
  const socket = connect(path).on("error", () => {});
  try {
    await once(socket, "connect");
    await until("the viewer is there", () => viewers.all().length === 1);
    const [peer] = viewers.all();
    if (peer === undefined) return expect.unreachable("nobody is there");
    viewers.attach(peer, terminal, true, { epoch: terminal.epoch, offset: REPLAY_BYTES });
    await until("it has a place", () => peer.attached.get(terminal.id)?.isJoined === true);
    for (let n = 0; n < 200; n++) {
      viewers.attach(peer, terminal, true, { epoch: terminal.epoch, offset: n });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(fetched).toBeGreaterThan(MiB);
    expect(fetched).toBeLessThan(2 * REPLAY_BYTES);
    const waiting = fetched;
    // It was not closed: the queued output arrives once it reads.
    socket.resume();
    await until("the next is sent", () => fetched > waiting);
  } finally {
    socket.destroy();
    door.close();
  }
  return undefined;
});
