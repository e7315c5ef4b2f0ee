// Owns a terminal pool with its screens, on a real pty host, for tests.

import { onTestFinished } from "vitest";
import { createLog } from "../../bridge/log.ts";
import { Screens } from "../../bridge/screens/screens.ts";
import { HostClient } from "../../bridge/terminals/host-client.ts";
import { TerminalPool } from "../../bridge/terminals/pool.ts";
import type { PoolTerminal } from "../../bridge/terminals/terminal.ts";
import type { HostProcess } from "./pty-host.ts";
import { until } from "./waiting.ts";

export interface Screening {
  readonly pool: TerminalPool;
  readonly screens: Screens;
  readonly logged: string[];
  /** A shell line in a terminal of its own. */
  readonly run: (script: string, cols?: number, rows?: number) => Promise<PoolTerminal>;
  /** What is on the screen, as lines. */
  readonly lines: (terminal: PoolTerminal) => Promise<string[]>;
  readonly shows: (terminal: PoolTerminal, text: string) => Promise<void>;
  /** Leaves as a bridge that was killed would. */
  readonly die: () => void;
}

export async function startScreens(host: HostProcess): Promise<Screening> {
  const client = await HostClient.connect(host.socket);
  const logged: string[] = [];
  const log = createLog("debug", (line) => logged.push(line));
  const pool = new TerminalPool({ folder: "/", shell: "/bin/sh", environment: process.env, log });
  pool.adopt(client);
  const screens = new Screens(pool, log);
  const die = () => {
    screens.dispose();
    client.close();
  };
  onTestFinished(die);
  const lines = async (terminal: PoolTerminal) => (await screens.view(terminal)).lines;
  return {
    pool,
    screens,
    logged,
    run: async (script, cols = 80, rows = 24) => {
      const command = ["/bin/sh", "-c", script];
      const planned = pool.plan({ command, cols, rows, lane: "user", lifetime: "user" });
      if (!planned.ok) throw new Error(planned.error);
      const spawned = await pool.start(planned.plan);
      if (!spawned.ok) throw new Error(spawned.error);
      const terminal = pool.get(spawned.terminal.id);
      if (terminal === undefined) throw new Error("it is gone already");
      return terminal;
    },
    lines,
    shows: async (terminal, text) => {
      await until(`the screen shows ${text}`, async () =>
        (await lines(terminal)).some((line) => line.includes(text)),
      );
    },
    die,
  };
}
