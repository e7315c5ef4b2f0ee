// The pty host's entry: `pty-host --socket PATH [--grace-ms N] [--log FILE]`. Owns arguments,
// signals and the exit; host.ts does the rest.

import { writeSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { keepCompiled } from "../compiled/cache-signal.ts";
import { ignoreDebugSignal } from "../debug-signal.ts";
import { sweepRuns } from "../sweep.ts";
import { Host, listenOn } from "./host.ts";
import { openLog } from "./log.ts";
import { loadNative } from "./native.ts";

const DEFAULT_GRACE_MS = 600_000;

/** Longest delay of setTimeout. */
const MAX_GRACE_MS = 2 ** 31 - 1;

const STDOUT = 1;

/** Leaves time for the last frames to leave the socket. */
const FLUSH_MS = 50;

async function main(): Promise<void> {
  ignoreDebugSignal();
  const { values } = parseArgs({
    options: {
      socket: { type: "string" },
      "grace-ms": { type: "string", default: String(DEFAULT_GRACE_MS) },
      log: { type: "string" },
    },
  });
  const graceMs = Number(values["grace-ms"]);
  if (values.socket === undefined) throw new Error("--socket PATH is required");
  if (!Number.isSafeInteger(graceMs) || graceMs < 0 || graceMs > MAX_GRACE_MS) {
    throw new Error("--grace-ms must be a number of milliseconds");
  }
  const path = resolve(values.socket);
  const log = openLog(values.log);
  loadNative();

  const host = new Host({
    graceMs,
    log,
    // Commands end with their bridge; a killed bridge could not end them.
    onOrphaned: sweepRuns,
    onEnded: (clean) => {
      listening.close();
      log("ended", { clean });
      setTimeout(() => leave(clean), FLUSH_MS);
    },
  });
  const listening = await listenOn(path, (socket) => host.accept(socket));

  // The user's programs depend on this process: a bug is logged, not fatal.
  process.on("uncaughtException", (error) => log("bug", { error: error.stack ?? error.message }));
  process.on("SIGTERM", () => void host.end("SIGTERM"));
  // The host outlives the terminal it was started from, and a ^C there.
  process.on("SIGHUP", () => log("signal-ignored", { signal: "SIGHUP" }));
  process.on("SIGINT", () => log("signal-ignored", { signal: "SIGINT" }));
  // Does not keep a folder busy.
  process.chdir("/");

  log("listening", { pid: process.pid, graceMs });
  announce();
  keepCompiled();
}

/** Prints `ready`; the starter may have left, or provided no stdout. */
function announce(): void {
  try {
    writeSync(STDOUT, '{"event":"ready"}\n');
  } catch {
    // The bridge can also find out by connecting.
  }
}

function leave(clean: boolean): void {
  // A thread that waits for a process stuck in the kernel would keep `exit` from returning.
  if (!clean) process.kill(process.pid, "SIGKILL");
  process.exit(0);
}

main().catch((error: unknown) => {
  process.stderr.write(`pty-host: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
