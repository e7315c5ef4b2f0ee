// Owns a pty host for one program: in a temporary folder, ended with the service, and on its own
// soon after the program died. Bridges have their own, in permanent folders.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "../log.ts";
import { isRunning } from "../processes/process-record.ts";
import { Screens } from "../screens/screens.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { TerminalPool } from "../terminals/pool.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import { sweepInstance } from "../sweep.ts";

/** No client reconnects: this only lets the last answers arrive. */
const GRACE_MS = 1_000;
const PREFIX = "pairpty-service-";

export interface PrivateHostOptions {
  /** Default folder of terminals. */
  readonly folder: string;
  readonly shell: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
}

export class PrivateHost {
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
