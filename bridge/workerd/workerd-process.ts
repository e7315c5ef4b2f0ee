// Starts one workerd from its configuration, waits until it listens, and ends it.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import type { ProcessRecord } from "../processes/process-record.ts";
import { recordProcess } from "../processes/process-record.ts";
import type { RelayPlan } from "./workerd-config.ts";
import { formatRelayConfig, listSockets, WORKER_FILE } from "./workerd-config.ts";
import { isOutOfFiles, OPEN_FILES_CURE } from "./binary.ts";

export interface WorkerdOptions {
  readonly binary: string;
  /** The built Worker. */
  readonly worker: string;
  readonly plan: RelayPlan;
  /** A private folder for the configuration. */
  readonly temporary: string;
  readonly relayKey: string | undefined;
  /** Fires with each line that workerd or the Worker prints. */
  readonly onLine: (line: string) => void;
}

export interface Workerd {
  readonly record: ProcessRecord;
  /** Resolves with how it exited. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM, and SIGKILL after the grace period. */
  end(graceMs: number): Promise<void>;
}

/** workerd reports on this descriptor when it listens. */
const CONTROL_FD = 3;

/** Starts workerd. Resolves when it accepts connections. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const config = join(options.temporary, "relay.capnp");
  copyFileSync(options.worker, join(options.temporary, WORKER_FILE));
  writeFileSync(config, formatRelayConfig(options.plan), { mode: 0o600 });
  const { relayKey, plan } = options;
  // A killed workerd leaves its socket file, which the next one cannot bind over.
  if (plan.linkSocket !== undefined) rmSync(plan.linkSocket, { force: true });
  const child = spawn(options.binary, ["serve", config, `--control-fd=${CONTROL_FD}`], {
    // The Worker gets nothing of the user's environment.
    env: relayKey === undefined ? {} : { RELAY_KEY: relayKey },
    // Runs in its own group, so that Ctrl-C does not reach it: the process that started it ends it
    // in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  // Until workerd listens, its output explains a failed start.
  const early: string[] = [];
  let onLine = (line: string): void => void early.push(line);
  let outOfFiles = false;
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      outOfFiles ||= isOutOfFiles(line);
      // Stack lines hold only addresses inside the program.
      if (!line.startsWith("stack: ")) onLine(line);
    });
  }
  const ended = waitForExit(child).then((how) =>
    outOfFiles ? `${how}: it ran out of file descriptors. ${OPEN_FILES_CURE}` : how,
  );
  // Runs on every exit of this process except SIGKILL.
  const killChild = () => void child.kill("SIGKILL");
  process.on("exit", killChild);
  void ended.then(() => process.off("exit", killChild));
  const listens = new Promise<void>((resolve) => {
    const pendingSockets = new Set(listSockets(plan).map(([name]) => `"socket":"${name}"`));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a pipe, as asked for above
    const control = child.stdio[CONTROL_FD] as Readable;
    createInterface({ input: control }).on("line", (line) => {
      if (!line.includes('"listen"')) return;
      for (const name of pendingSockets) if (line.includes(name)) pendingSockets.delete(name);
      if (pendingSockets.size === 0) resolve();
    });
  });
  const end = await Promise.race([listens, ended]);
  if (end !== undefined)
    throw new Error([formatStartError(early), end].filter(Boolean).join(" · "));
  onLine = options.onLine;
  for (const line of early) onLine(line);
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

function waitForExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // Not "exit": the last output arrives before "close".
    child.once("close", (code, signal) => resolve(`it exited with ${signal ?? code}`));
  });
}

/** Returns the error without its position in workerd's source. */
function formatStartError(lines: readonly string[]): string {
  const [first = ""] = lines;
  return first.replace(/^\*\*\* Fatal uncaught kj::Exception: \S+ failed: /, "");
}
