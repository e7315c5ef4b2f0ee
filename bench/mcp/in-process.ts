// Owns the bridge's MCP handler in this very process, as a session of the bridge makes it, with a
// real pty host: what a call costs without room, tunnel and HTTP.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { previewAgents } from "../../bridge/agents/preview.ts";
import { AgentTerminals } from "../../bridge/agents/service.ts";
import { AuditLog, auditRoom } from "../../bridge/audit/log.ts";
import { McpDialect } from "../../bridge/dialects/mcp/dialect.ts";
import type { Grant } from "../../bridge/grants/table.ts";
import { GrantTable } from "../../bridge/grants/table.ts";
import { launch, waitFor } from "../../bridge/launch.ts";
import { createLog } from "../../bridge/log.ts";
import { judgeArgv } from "../../bridge/policy/policy.ts";
import { endProcess, ended, recordProcess } from "../../bridge/processes.ts";
import { HostClient } from "../../bridge/terminals/host-client.ts";
import { Screens } from "../../bridge/screens/screens.ts";
import { TerminalPool } from "../../bridge/terminals/pool.ts";
import { sweepInstance } from "../../bridge/terminals/sweep.ts";
import type { Post, Side } from "./side.ts";
import { historyIsThere, historyProgram, pairptySide } from "./side.ts";

export const IN_PROCESS = "in-process";

const PTY_HOST = join(import.meta.dirname, "..", "bridge", "pty-host.js");
const START_MS = 15_000;
const END_MS = 6_000;
/** The host leaves by itself should this process be killed. */
const GRACE_MS = 5_000;

export class InProcess {
  readonly #folder: string;
  readonly #host: HostClient;
  readonly #pool: TerminalPool;
  readonly #audit: AuditLog;
  readonly #grant: Grant;
  #dialects: McpDialect[] = [];
  #terminalId = "";

  private constructor(folder: string, host: HostClient) {
    this.#folder = folder;
    this.#host = host;
    const log = createLog("silent", () => {});
    this.#pool = new TerminalPool({ folder, shell: "/bin/sh", environment: process.env, log });
    this.#pool.adopt(host);
    const grants = new GrantTable(join(folder, "grants.json"));
    this.#audit = new AuditLog(join(folder, "audit.log"), (problem) => log.error(problem));
    auditRoom(this.#audit, this.#pool, grants);
    previewAgents(this.#pool);
    this.#grant = grants.mint({
      role: "agent",
      scopes: ["read", "spawn", "write"],
      label: "bench",
      expiresAt: null,
      session: true,
    }).grant;
  }

  static async start(parent: string, historyFile: string): Promise<InProcess> {
    const folder = join(parent, "in-process");
    mkdirSync(folder);
    const [socket, log] = [join(folder, "host.sock"), join(folder, "pty-host.log")];
    const child = launch(PTY_HOST, ["--socket", socket, "--grace-ms", String(GRACE_MS)], log);
    const host = await waitFor(() => HostClient.connect(socket), child, log, START_MS);
    const made = new InProcess(folder, host);
    const opened = await made.#pool.spawn({ command: historyProgram(historyFile) });
    if (!opened.ok) throw new Error(opened.error);
    made.#terminalId = opened.terminal.id;
    await historyIsThere(made.#post(), opened.terminal.id);
    return made;
  }

  /** With spawn limits of its own, as a bridge that was started anew has. */
  side(): Side {
    const ground = { terminalId: this.#terminalId, folder: this.#folder };
    return pairptySide(IN_PROCESS, this.#post(), ground);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#dialects.map((dialect) => dialect.close()));
    this.#dialects = [];
    const { pid, instance } = this.#host.welcome;
    const host = recordProcess(pid);
    this.#host.shutdown();
    await ended(host, END_MS);
    await endProcess(host, END_MS);
    sweepInstance(instance);
    this.#host.close();
  }

  #post(): Post {
    const agents = new AgentTerminals({
      pool: this.#pool,
      roots: [this.#folder],
      judge: (argv, cwd) => judgeArgv([...argv], { cwd, ownFolders: [] }),
      environment: process.env,
      audit: this.#audit,
    });
    const screens = new Screens(
      this.#pool,
      createLog("silent", () => {}),
    );
    const dialect = new McpDialect({ pool: this.#pool, screens, agents, audit: this.#audit });
    this.#dialects.push(dialect);
    return (request) => dialect.serve(new Request("http://in-process/mcp", request), this.#grant);
  }
}
