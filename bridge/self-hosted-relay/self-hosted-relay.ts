// Owns a self-hosted relay in the foreground: the same Worker as anywhere, with durable rooms, kept
// running until it is stopped.

import { rmSync } from "node:fs";
import { ExitCode, errorMessage, UserError } from "../errors.ts";
import { builtFile, VERSION } from "../build-info.ts";
import type { ForegroundLog } from "../logs/foreground-log.ts";
import {
  findWorkerd,
  findWorkerdProblem,
  findOpenFilesProblem,
  OPEN_FILES_CURE,
  readOpenFilesLimit,
} from "../workerd/binary.ts";
import { keepRelay, getLineLevel } from "../workerd/relay-keeper.ts";
import { writeRelayRecord } from "../workerd/relay-record.ts";
import type { RelayExposure } from "./relay-exposure.ts";
import { reservePort, openDataFolder } from "./relay-data-folder.ts";
import { SWEEP_INTERVAL_MS, sweepRooms } from "../workerd/room-sweep.ts";

/** For requests in progress. WebSockets stay open until killed; their clients reconnect. */
const STOP_GRACE_MS = 1_000;

export interface SelfHostedRelayOptions {
  readonly exposure: RelayExposure;
  /** 0 for any free port. */
  readonly port: number;
  readonly data: string;
  readonly allowedOrigins: readonly string[];
  /** Opens the log of relay, workerd and Worker; called once the data folder is locked. */
  readonly openLog: (folder: string) => ForegroundLog;
  /** Fires at every start of workerd except the first. */
  readonly onRestart: (workerd: number) => void;
}

export interface SelfHostedRelay {
  readonly address: string;
  readonly data: string;
  readonly workerd: number;
  /** Resolves when everything but the data is gone. */
  stop(reason: string): Promise<void>;
}

export async function openSelfHostedRelay(
  options: SelfHostedRelayOptions,
): Promise<SelfHostedRelay> {
  const { host, loopback, relayKey } = options.exposure;
  const binary = findWorkerd();
  const data = await openDataFolder(options.data);
  const log = options.openLog(data.folder);
  log.fileOnly(
    "info",
    `starting: pairpty ${VERSION}, node ${process.version}, ${host}:${options.port}`,
  );
  const tooFewFiles = findOpenFilesProblem(readOpenFilesLimit());
  if (tooFewFiles !== undefined) log.warn(`${tooFewFiles}. ${OPEN_FILES_CURE}`);
  let workerd = 0;
  let sweeping: NodeJS.Timeout | undefined;
  try {
    // Chosen once: a restarted workerd must listen where the links lead.
    const port = await reservePort(host, options.port);
    sweep(false);
    const keeper = await keepRelay({
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
      onLine: (line) => log[getLineLevel(line)](line),
      log: (text) => log.warn(text),
      onUp: (started) => {
        writeRelayRecord(data.record, port, started);
        log.fileOnly("info", `relay on port ${port}, workerd ${started.pid}`);
        if (workerd !== 0) options.onRestart(started.pid);
        workerd = started.pid;
      },
    });
    sweeping = setInterval(() => sweep(true), SWEEP_INTERVAL_MS);
    return {
      address: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
      data: data.folder,
      workerd,
      stop: async (reason) => {
        log.info(`stopping: ${reason}`);
        await keeper.stop(STOP_GRACE_MS);
        leave();
      },
    };
  } catch (error) {
    leave();
    log.fileOnly("error", `not started: ${errorMessage(error)}`);
    if (error instanceof UserError) throw error;
    const problem = findWorkerdProblem(binary);
    if (problem === undefined) {
      throw new UserError(`the relay did not start: ${errorMessage(error)}`, ExitCode.unavailable);
    }
    const hint = "Run it on another system, or deploy it to Cloudflare (docs/cloudflare.md).";
    throw new UserError(problem, ExitCode.unavailable, hint);
  }

  function sweep(running: boolean): void {
    try {
      const swept = sweepRooms(data.rooms, running);
      if (swept > 0) log.fileOnly("info", `removed ${swept} unclaimed rooms`);
    } catch (error) {
      log.warn(`unclaimed rooms could not be removed: ${errorMessage(error)}`);
    }
  }

  function leave(): void {
    clearInterval(sweeping);
    rmSync(data.record, { force: true });
    rmSync(data.temporary, { recursive: true, force: true });
  }
}
