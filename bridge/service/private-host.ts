// Owns a pty host for one program alone: in a temporary folder, ended with the service, and by
// itself soon after the program died. Bridges have their own, in folders that last.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "../log.ts";
import { isRunning } from "../processes/record.ts";
import { Screens } from "../screens/screens.ts";
import type { HostClient } from "../terminals/host-client.ts";
import { TerminalPool } from "../terminals/pool.ts";
import { endHost, openHost } from "../terminals/start-host.ts";
import { sweepInstance } from "../sweep.ts";

/** Nobody comes back for it: this is for the last answers on their way. */
const GRACE_MS = 1_000;
const PREFIX = "pairpty-service-";

export interface PrivateHostWish {
  /** Where terminals start unless they say. */
  readonly folder: string;
  readonly shell: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Log;
}

export class PrivateHost {
  readonly pool: TerminalPool;
  readonly #host: HostClient;
  readonly #place: string;
  /** They answer what programs ask their terminal. */
  readonly screens: Screens;

  private constructor(wish: PrivateHostWish, host: HostClient, place: string) {
    this.#host = host;
    this.#place = place;
    this.pool = new TerminalPool(wish);
    this.pool.adopt(host);
    this.screens = new Screens(this.pool, wish.log);
  }

  static async open(wish: PrivateHostWish): Promise<PrivateHost> {
    removeLeftovers();
    const place = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    const folders = { folder: wish.folder, state: place, runtime: place };
    try {
      return new PrivateHost(wish, await openHost(folders, GRACE_MS), place);
    } catch (error) {
      rmSync(place, { recursive: true, force: true });
      throw error;
    }
  }

  /** Part of every mark, by which processes are found again. */
  get instance(): string {
    return this.#host.welcome.instance;
  }

  /** Ends every terminal and the host. Resolves when nothing is left. */
  async close(): Promise<void> {
    this.screens.dispose();
    await endHost(this.#host);
    this.#host.close();
    sweepInstance(this.instance);
    rmSync(this.#place, { recursive: true, force: true });
  }
}

/** Of programs that were killed: their hosts ended by themselves, and left a log and a folder. */
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split("-")[0]) : NaN;
    if (!Number.isSafeInteger(pid) || pid === process.pid) continue;
    if (isRunning({ pid, started: null })) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}
