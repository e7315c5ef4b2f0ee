// Owns one workerd: from its configuration to the moment it listens, and its end.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import type { ProcessRecord } from "../processes/record.ts";
import { recordProcess } from "../processes/record.ts";
import type { RelayPlan } from "./config.ts";
import { relayConfig, socketsOf, WORKER_FILE } from "./config.ts";
import { isOutOfFiles, OPEN_FILES_CURE } from "./open-files.ts";

export interface WorkerdOptions {
  readonly binary: string;
  /** The built Worker. */
  readonly worker: string;
  readonly plan: RelayPlan;
  /** A folder of its own for the configuration. */
  readonly temporary: string;
  readonly relayKey: string | undefined;
  /** What workerd and the Worker print, line by line. */
  readonly onLine: (line: string) => void;
}

export interface Workerd {
  readonly record: ProcessRecord;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  /** Lets what is under way end for a moment, then ends it. */
  end(graceMs: number): Promise<void>;
}

/** workerd tells on this descriptor when it listens. */
const CONTROL = 3;

/** Resolves when it takes connections. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const config = join(options.temporary, "relay.capnp");
  copyFileSync(options.worker, join(options.temporary, WORKER_FILE));
  writeFileSync(config, relayConfig(options.plan), { mode: 0o600 });
  const { relayKey, plan } = options;
  // A workerd that was killed leaves its socket's file, and the next one would find it taken.
  if (plan.linkSocket !== undefined) rmSync(plan.linkSocket, { force: true });
  const child = spawn(options.binary, ["serve", config, `--control-fd=${CONTROL}`], {
    // Nothing of the user's environment is the Worker's business.
    env: relayKey === undefined ? {} : { RELAY_KEY: relayKey },
    // A group of its own: Ctrl-C is for whoever started it, and that one ends it in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  // Until it listens its words are the reason why it does not, for whoever started it.
  const early: string[] = [];
  let hear = (line: string): void => void early.push(line);
  let outOfFiles = false;
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      outOfFiles ||= isOutOfFiles(line);
      // Addresses inside the program: of no use to anybody here.
      if (!line.startsWith("stack: ")) hear(line);
    });
  }
  const ended = endOf(child).then((how) =>
    outOfFiles ? `${how}: no file descriptor was left. ${OPEN_FILES_CURE}` : how,
  );
  // However this process ends, short of being killed.
  const leave = () => void child.kill("SIGKILL");
  process.on("exit", leave);
  void ended.then(() => process.off("exit", leave));
  const listens = new Promise<void>((resolve) => {
    const silent = new Set(socketsOf(plan).map(([name]) => `"socket":"${name}"`));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a pipe, as asked for above
    const control = child.stdio[CONTROL] as Readable;
    createInterface({ input: control }).on("line", (line) => {
      if (!line.includes('"listen"')) return;
      for (const name of silent) if (line.includes(name)) silent.delete(name);
      if (silent.size === 0) resolve();
    });
  });
  const end = await Promise.race([listens, ended]);
  if (end !== undefined) throw new Error([problemOf(early), end].filter(Boolean).join(" · "));
  hear = options.onLine;
  for (const line of early) hear(line);
  return {
    record: recordProcess(child.pid ?? 0),
    ended,
    end: async (graceMs) => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // Not "exit": the last words come before "close".
    child.once("close", (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
}

/** The reason without where in workerd's source it was found. */
function problemOf(lines: readonly string[]): string {
  const [first = ""] = lines;
  return first.replace(/^\*\*\* Fatal uncaught kj::Exception: \S+ failed: /, "");
}
