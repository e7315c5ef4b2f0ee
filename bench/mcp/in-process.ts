// Owns the bridge's MCP handler in this very process, as a session of the bridge makes it, with a
// real pty host: what a call costs without room, tunnel and HTTP.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AuditLog } from "../../bridge/audit/audit-log.ts";
import type { Caller } from "../../bridge/callers/caller.ts";
import { GrantTable } from "../../bridge/grants/grant-table.ts";
import { launch, waitForAnswer } from "../../bridge/processes/launch.ts";
import { createLog } from "../../bridge/log.ts";
import { endProcess, waitForEnd, recordProcess } from "../../bridge/processes/process-record.ts";
import { Room } from "../../bridge/run/room.ts";
import { HostClient } from "../../bridge/terminals/host-client.ts";
import { TerminalPool } from "../../bridge/terminals/pool.ts";
import { sweepInstance } from "../../bridge/sweep.ts";
import type { Post, Side } from "./side.ts";
import { historyIsThere, historyProgram, pairptySide } from "./side.ts";
import { createRoomDeps } from "../../test/support/room-wish.ts";

export const IN_PROCESS = "in-process";

const PTY_HOST = join(import.meta.dirname, "..", "bridge", "pty-host.js");
const START_MS = 15_000;
const END_MS = 6_000;
/** The host leaves by itself should this process be killed. */
const GRACE_MS = 5_000;
/** Longer than any benchmark. */
const IDLE_MS = 3_600_000;

export class InProcess {
  readonly #folder: string;
  readonly #host: HostClient;
  readonly #pool: TerminalPool;
  readonly #audit: AuditLog;
  readonly #grants: GrantTable;
  readonly #grantId: string;
  readonly #log = createLog("silent", () => {});
  #rooms: Room[] = [];
  #terminalId = "";

  private constructor(folder: string, host: HostClient) {
    this.#folder = folder;
    this.#host = host;
    const log = this.#log;
    this.#pool = new TerminalPool({ folder, shell: "/bin/sh", environment: process.env, log });
    this.#pool.adopt(host);
    this.#grants = new GrantTable(join(folder, "grants.json"));
    this.#audit = new AuditLog(join(folder, "audit.log"), (problem) => log.error(problem));
    this.#grantId = this.#grants.mint({
      role: "agent",
      scopes: ["read", "spawn"],
      label: "bench",
      expiresAt: null,
      session: true,
    }).grant.id;
  }

  static async start(parent: string, historyFile: string): Promise<InProcess> {
    const folder = join(parent, "in-process");
    mkdirSync(folder);
    const [socket, log] = [join(folder, "host.sock"), join(folder, "pty-host.log")];
    const child = launch(PTY_HOST, ["--socket", socket, "--grace-ms", String(GRACE_MS)], log);
    const host = await waitForAnswer(() => HostClient.connect(socket), child, log, START_MS);
    const made = new InProcess(folder, host);
    const command = historyProgram(historyFile);
    const planned = made.#pool.plan({ command, lane: "user", lifetime: "user" });
    if (!planned.ok) throw new Error(planned.error);
    const opened = await made.#pool.start(planned.plan);
    if (!opened.ok) throw new Error(opened.error);
    made.#terminalId = opened.terminal.id;
    await historyIsThere(made.#post(), opened.terminal.id);
    return made;
  }

  /** With spawn limits of its own, as a bridge that was started anew has. */
  side(): Side {
    return pairptySide(IN_PROCESS, this.#post(), this.#terminalId);
  }

  async stop(): Promise<void> {
    for (const room of this.#rooms.splice(0)) room.dispose();
    const { pid, instance } = this.#host.welcome;
    const host = recordProcess(pid);
    this.#host.shutdown();
    await waitForEnd(host, END_MS);
    await endProcess(host, END_MS);
    sweepInstance(instance);
    this.#host.close();
  }

  #post(): Post {
    const ground = {
      pool: this.#pool,
      grants: this.#grants,
      audit: this.#audit,
      log: this.#log,
      folder: this.#folder,
      state: this.#folder,
      instance: () => this.#host.welcome.instance,
    };
    const room = new Room(createRoomDeps(ground, { agentIdleMs: IDLE_MS }));
    this.#rooms.push(room);
    const caller: Caller = {
      door: { name: "http", proof: "socket", sendAll: () => {} },
      since: Date.now(),
      grantId: this.#grantId,
      grant: () => this.#grants.lookUp(this.#grantId),
      send: () => {},
      close: () => {},
    };
    return (request) => room.mcp.serve(caller, new Request("http://in-process/mcp", request));
  }
}
