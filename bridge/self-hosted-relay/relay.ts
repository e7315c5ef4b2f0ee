// Owns a self-hosted relay in the foreground: the same Worker as anywhere, with durable rooms, kept
// running until it is stopped.

import { rmSync } from "node:fs";
import { ExitCode, messageOf, UserError } from "../errors.ts";
import { builtFile } from "../built-file.ts";
import type { ForegroundLog } from "../logs/foreground-log.ts";
import { VERSION } from "../version.ts";
import { findWorkerd, workerdProblem } from "../workerd/binary.ts";
import { keepRelay } from "../workerd/keep.ts";
import { lineLevel } from "../workerd/line-level.ts";
import {
  findOpenFilesProblem,
  OPEN_FILES_CURE,
  readOpenFilesLimit,
} from "../workerd/open-files.ts";
import { writeRecord } from "../workerd/record.ts";
import type { Exposure } from "./exposure.ts";
import { findPort, openData } from "./place.ts";
import { SWEEP_EVERY_MS, sweepRooms } from "../workerd/sweep.ts";

/** For requests in progress. WebSockets stay open until killed; their clients reconnect. */
const STOP_GRACE_MS = 1_000;

export interface OwnRelayOptions {
  readonly exposure: Exposure;
  /** 0 for any free port. */
  readonly port: number;
  readonly data: string;
  readonly allowedOrigins: readonly string[];
  /** Opens the log of relay, workerd and Worker; called once the data folder is locked. */
  readonly openLog: (folder: string) => ForegroundLog;
  /** Fires at every start of workerd except the first. */
  readonly onRestart: (workerd: number) => void;
}

export interface OwnRelay {
  readonly address: string;
  readonly data: string;
  readonly workerd: number;
  /** Resolves when everything but the data is gone. */
  stop(reason: string): Promise<void>;
}

export async function openOwnRelay(options: OwnRelayOptions): Promise<OwnRelay> {
  const { host, loopback, relayKey } = options.exposure;
  const binary = findWorkerd();
  const data = await openData(options.data);
  const log = options.openLog(data.folder);
  log.keep(
    "info",
    `starting: pairpty ${VERSION}, node ${process.version}, ${host}:${options.port}`,
  );
  const tooFewFiles = findOpenFilesProblem(readOpenFilesLimit());
  if (tooFewFiles !== undefined) log.warn(`${tooFewFiles}. ${OPEN_FILES_CURE}`);
  let workerd = 0;
  let sweeping: NodeJS.Timeout | undefined;
  try {
    // Chosen once: a restarted workerd must listen where the links lead.
    const port = await findPort(host, options.port);
    sweep(false);
    const kept = await keepRelay({
      binary,
      worker: builtFile("..", "relay", "worker.js"),
      plan: {
        host,
        port,
        web: builtFile("..", "web"),
        data: data.rooms,
        loopback,
        allowedOrigins: options.allowedOrigins,
      },
      temporary: data.temporary,
      relayKey,
      onLine: (line) => log[lineLevel(line)](line),
      say: (text) => log.warn(text),
      onUp: (started) => {
        writeRecord(data.record, port, started);
        log.keep("info", `relay on port ${port}, workerd ${started.pid}`);
        if (workerd !== 0) options.onRestart(started.pid);
        workerd = started.pid;
      },
    });
    sweeping = setInterval(() => sweep(true), SWEEP_EVERY_MS);
    return {
      address: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
      data: data.folder,
      workerd,
      stop: async (reason) => {
        log.info(`stopping: ${reason}`);
        await kept.stop(STOP_GRACE_MS);
        leave();
      },
    };
  } catch (error) {
    leave();
    log.keep("error", `not started: ${messageOf(error)}`);
    if (error instanceof UserError) throw error;
    const problem = workerdProblem(binary);
    if (problem === undefined) {
      throw new UserError(`the relay did not start: ${messageOf(error)}`, ExitCode.unavailable);
    }
    const hint = "Run it on another system, or deploy it to Cloudflare (docs/cloudflare.md).";
    throw new UserError(problem, ExitCode.unavailable, hint);
  }

  function sweep(running: boolean): void {
    try {
      const swept = sweepRooms(data.rooms, running);
      if (swept > 0) log.keep("info", `removed ${swept} unclaimed rooms`);
    } catch (error) {
      log.warn(`unclaimed rooms could not be removed: ${messageOf(error)}`);
    }
  }

  function leave(): void {
    clearInterval(sweeping);
    rmSync(data.record, { force: true });
    rmSync(data.temporary, { recursive: true, force: true });
  }
}
