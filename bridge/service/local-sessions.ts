// Owns the sessions of one provider on this machine: terminals of a private pty host, which starts
// with the first session. What may run was decided before. Also owns a pty host for one program: in
// a temporary folder, ended with the service, and on its own soon after the program died. Bridges
// have their own, in permanent folders.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorMessage } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { isRunning } from "../processes/process-record.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import { readSlice } from "../reading/terminal-text.ts";
import { Screens } from "../screens/screens.ts";
import type { SessionTarget } from "../sessions/session-target.ts";
import { toTerminalTarget } from "../sessions/session-target.ts";
import { waitForOutput } from "../sessions/tool-waits.ts";
import { sweepInstance } from "../sweep.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { TerminalPool } from "../terminals/pool.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { InteractiveTerminalOutput, OutputWaitOptions, SessionStatus } from "./types.ts";

/** Everything that the pty host retains of a terminal. */
const ALL = Number.MAX_SAFE_INTEGER;
/** Limit for one answer; the next call continues there. */
const MAX_READ = 200_000;

/** An open session. */
export interface OpenSession {
  readonly terminal: PoolTerminal;
  readonly target: SessionTarget;
}

export class LocalSessions {
  readonly #options: PrivateHostOptions;
  readonly #reads = new SerialQueue();
  #opening: Promise<PrivateHost> | undefined;
  #host: PrivateHost | undefined;
  #isClosed = false;

  constructor(options: PrivateHostOptions) {
    this.#options = options;
  }

  async start(plan: SpawnPlan): Promise<Outcome<OpenSession>> {
    try {
      const { pool } = await this.#open();
      const result = await pool.start(plan);
      if (!result.ok) return refusal(result.error);
      const terminal = pool.get(result.terminal.id);
      if (terminal === undefined) return refusal("It exited immediately");
      return { ok: true, value: { terminal, target: this.#toLive(terminal) } };
    } catch (error) {
      return refusal(errorMessage(error));
    }
  }

  send(id: string, input: string): void {
    this.#getHost(id).pool.input(this.#require(id), Buffer.from(input));
  }

  async collect(
    id: string,
    fromPosition: number,
    { minInterval, settleInterval, maxInterval }: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    const terminal = this.#require(id);
    const intervals = {
      minMs: minInterval * 1_000,
      settleMs: settleInterval * 1_000,
      maxMs: maxInterval * 1_000,
    };
    const settings = { intervals, answerMs: undefined };
    const neverAborts = new AbortController().signal;
    const live = this.#toLive(terminal);
    await waitForOutput(live, fromPosition, undefined, settings, Date.now(), neverAborts);
    const options = { offset: fromPosition, maxBytes: MAX_READ };
    const { text, next } = await this.#getHost(id).pool.fetch(terminal, 0, ALL, (retained) =>
      readSlice(retained, options, terminal.life.state === "finished"),
    );
    const { running, exitCode } = toStatus(terminal);
    // Not complete while there is output to read.
    const isComplete = !running && next >= terminal.end;
    const exit = isComplete && exitCode !== undefined ? { exitCode } : {};
    return { output: text, newPosition: next, isComplete, ...exit };
  }

  async terminate(id: string): Promise<void> {
    const terminal = this.#require(id);
    const { pool } = this.#getHost(id);
    if (terminal.life.state !== "finished") await pool.close(terminal, "closed by the program");
    pool.forget(terminal);
  }

  status(id: string): SessionStatus | null {
    const terminal = this.#host?.pool.get(id);
    return terminal === undefined ? null : toStatus(terminal);
  }

  /** Ends all sessions and the pty host. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const host = await this.#opening?.catch(() => undefined);
    this.#host = undefined;
    await host?.close();
  }

  async #open(): Promise<PrivateHost> {
    if (this.#isClosed) throw new Error("The terminal service was stopped");
    const opening = (this.#opening ??= PrivateHost.open(this.#options));
    try {
      const host = await opening;
      if (this.#host !== host) {
        this.#host = host;
        // A host that dies takes its sessions with it; the next session starts another.
        host.pool.onHostGone(() => {
          if (this.#opening === opening) this.#opening = undefined;
        });
      }
      return host;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  #toLive(terminal: PoolTerminal): SessionTarget {
    const { pool, screens } = this.#getHost(terminal.id);
    const wantsApplicationKeys = (one: PoolTerminal) => screens.wantsApplicationKeys(one);
    // This host belongs to the program alone, so nothing is withheld.
    const own = { pool, output: pool, getInputBlockedReason: () => undefined };
    return toTerminalTarget({ ...own, reads: this.#reads, wantsApplicationKeys }, terminal);
  }

  #getHost(id: string): PrivateHost {
    if (this.#host === undefined) throw notFound(id);
    return this.#host;
  }

  #require(id: string): PoolTerminal {
    const terminal = this.#getHost(id).pool.get(id);
    if (terminal === undefined) throw notFound(id);
    return terminal;
  }
}

function notFound(id: string): Error {
  return new Error(`There is no session ${id}`);
}

function toStatus({ id, life, meta, end }: PoolTerminal): SessionStatus {
  const code = life.state === "finished" ? life.exit.exitCode : null;
  return {
    id,
    running: life.state !== "finished",
    startTime: meta.createdAt,
    outputLength: end,
    ...(code === null ? {} : { exitCode: code }),
  };
}

/** No client reconnects: this only lets the last answers arrive. */
const GRACE_MS = 1_000;
const PREFIX = "pairpty-service-";

interface PrivateHostOptions {
  /** Default folder of terminals. */
  readonly folder: string;
  readonly shell: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
}

class PrivateHost {
  readonly pool: TerminalPool;
  readonly #host: HostClient;
  readonly #folder: string;
  /** Answer the queries that programs send to their terminal. */
  readonly screens: Screens;

  private constructor(options: PrivateHostOptions, host: HostClient, place: string) {
    this.#host = host;
    this.#folder = place;
    this.pool = new TerminalPool(options);
    this.pool.adopt(host);
    this.screens = new Screens(this.pool, options.log);
  }

  static async open(options: PrivateHostOptions): Promise<PrivateHost> {
    removeLeftovers();
    const place = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    const folders = { folder: options.folder, state: place, runtime: place };
    try {
      return new PrivateHost(options, await openHost(folders, GRACE_MS), place);
    } catch (error) {
      rmSync(place, { recursive: true, force: true });
      throw error;
    }
  }

  /** Returns the instance, which is part of every process mark. */
  get instance(): string {
    return this.#host.welcome.instance;
  }

  /** Ends every terminal and the host. Resolves when none is left. */
  async close(): Promise<void> {
    this.screens.dispose();
    await endHost(this.#host);
    this.#host.close();
    sweepInstance(this.instance);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Removes folders of killed programs, whose hosts ended on their own. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split("-")[0]) : NaN;
    if (!Number.isSafeInteger(pid) || pid === process.pid) continue;
    if (isRunning({ pid, started: null })) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Belongs to another user.
    }
  }
}
