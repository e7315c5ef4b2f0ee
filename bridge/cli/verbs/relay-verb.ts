// Owns `pairpty relay`: a self-hosted relay in the foreground, its output, and its end.

import { ExitCode } from "../../errors.ts";
import type { LogLevel } from "../../log.ts";
import { openForegroundLog } from "../../logs/foreground-log.ts";
import type { Exposure } from "../../self-hosted-relay/exposure.ts";
import { judgeExposure } from "../../self-hosted-relay/exposure.ts";
import { usualData } from "../../self-hosted-relay/place.ts";
import type { OwnRelay } from "../../self-hosted-relay/relay.ts";
import { openOwnRelay } from "../../self-hosted-relay/relay.ts";
import { VERSION } from "../../version.ts";
import { colors, printJson, printLine, say, tell } from "../output/output.ts";
import { typed } from "../output/command-name.ts";

export interface RelayFlags {
  readonly host: string;
  readonly port: number;
  readonly data?: string;
  readonly allowedOrigin?: string[];
  readonly logLevel: LogLevel;
  readonly json?: boolean;
}

export async function relay(flags: RelayFlags): Promise<void> {
  // Rooms hold hashes and keys: only this user may read them.
  process.umask(0o077);
  const stopped = stopSignal();
  const allowedOrigins = flags.allowedOrigin ?? [];
  const exposure = judgeExposure({
    host: flags.host,
    relayKey: process.env["RELAY_KEY"],
    allowedOrigins,
  });
  const own = await openOwnRelay({
    exposure,
    port: flags.port,
    data: flags.data ?? usualData(),
    allowedOrigins,
    openLog: (folder) =>
      openForegroundLog("relay", folder, flags.logLevel, (line) => process.stderr.write(line)),
    onRestart: (workerd) => {
      if (flags.json === true) printJson({ event: "restarted", workerd });
    },
  });
  if (flags.json === true) {
    const { address, data, workerd } = own;
    const key = exposure.relayKey !== undefined;
    printJson({ event: "ready", relay: address, data, key, pid: process.pid, workerd });
  } else {
    show(own, exposure);
  }
  const signal = await stopped;
  await own.stop(signal);
  if (flags.json === true) printJson({ event: "stopped" });
  process.exit(ExitCode.ok);
}

/**
 * Resolves with the first stop signal. Registered early: a signal during the start counts once there is
 * something to stop.
 */
function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, resolve);
  });
}

function show({ address, data }: OwnRelay, exposure: Exposure): void {
  say(
    `\n  ${colors.bold(colors.green("PAIRPTY"))} ${colors.green(`v${VERSION}`)}  ${colors.dim("relay")}\n`,
  );
  printLine(process.stdout.isTTY ? `  ${arrow("Relay")} ${colors.cyan(address)}` : address);
  say(`  ${arrow("Data")} ${data}\n`);
  for (const line of advice(address, exposure)) tell(`  ${line}`, colors.dim);
  tell("  Ctrl-C stops the relay; rooms and links stay in the data folder.\n", colors.dim);
}

function arrow(name: string): string {
  return `${colors.green("➜")}  ${colors.bold(name.padEnd(6))}`;
}

function advice(address: string, { loopback }: Exposure): string[] {
  if (loopback) {
    return [
      `For this machine only: ${typed(`--relay ${address}`)}`,
      "To let others use it, set RELAY_KEY and put a reverse proxy with TLS in front (docs/self-hosting.md).",
    ];
  }
  return [
    "New workspaces need its key. On the machine that shares terminals:",
    "  export PAIRPTY_RELAY_KEY='the same text as RELAY_KEY'",
    `  ${typed("--relay https://your-public-name")}`,
    "The relay speaks plain HTTP: a reverse proxy in front adds TLS (docs/self-hosting.md).",
  ];
}
