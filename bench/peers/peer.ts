// Owns what an adapter to another terminal server is, where servers are looked for, and the chain that
// one makes. None is a dependency: whoever wants the comparison installs them in a folder and names it.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import { endProcess, recordProcess } from "../../bridge/processes/process-record.ts";
import { singleQuote } from "../../protocol/formats.ts";
import type { Chain } from "../chain.ts";
import type { Viewed } from "../viewer/viewing.ts";

export interface Peer {
  readonly name: string;
  /** Whether several viewers look at one program. */
  readonly isShared: boolean;
  /** Its program, or a sentence why there is none to run. */
  find(folder: string | undefined): Found;
  /** Starts a server that runs this program; `folder` is a new one for whatever it keeps. */
  serve(file: string, script: string, port: number, folder: string): Serving;
  /** Where viewers go, once its port answers. */
  viewed(port: number, script: string): Promise<Viewed>;
}

export type Found =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly why: string };

export interface Serving {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const END_MS = 3_000;
const START_MS = 15_000;

/** By PATH, or in the folder's `bin`, or as a package in it. */
export function findProgram(name: string, folder: string | undefined, packaged?: string): Found {
  const named = folder === undefined ? [] : [join(folder, "bin", name), join(folder, name)];
  const paths = (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, name));
  const own =
    folder === undefined || packaged === undefined ? [] : [join(folder, "node_modules", packaged)];
  const file = [...own, ...named, ...paths].find(isRunnable);
  if (file !== undefined) return { ok: true, file };
  return { ok: false, why: "it is not installed (PATH, or PAIRPTY_BENCH_PEERS=/folder)" };
}

/** One server for each terminal: their own ways of sharing one are not what is compared. */
export function peerChain(peer: Peer, file: string, parent: string): Chain {
  let pid = 0;
  return {
    name: peer.name,
    isShared: peer.isShared,
    processes: () => (pid === 0 ? {} : { server: pid }),
    open: async (command) => {
      const folder = mkdtempSync(join(parent, "peer-"));
      const script = join(folder, "program.sh");
      writeFileSync(script, `#!/bin/sh\nexec ${command.map(singleQuote).join(" ")}\n`, {
        mode: 0o755,
      });
      const port = await findFreePort();
      const serving = peer.serve(file, script, port, folder);
      const child = spawn(serving.file, serving.args, {
        cwd: folder,
        env: { ...process.env, HOME: folder, ...serving.env },
        stdio: "ignore",
      });
      pid = child.pid ?? 0;
      const close = () => end(child);
      try {
        await answers(port, child);
        return { ...(await peer.viewed(port, script)), close };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

async function end({ pid, exitCode }: ChildProcess): Promise<void> {
  if (pid !== undefined && exitCode === null) await endProcess(recordProcess(pid), END_MS);
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + START_MS;
  while (!(await connects(port))) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (performance.now() > until) throw new Error("it did not start");
    await delay(20);
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return existsSync(path);
  } catch {
    return false;
  }
}
