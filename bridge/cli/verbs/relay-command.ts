// Owns `pairpty relay`: a self-hosted relay in the foreground, its output, and its end.

import { ExitCode } from "../../errors.ts";
import type { LogLevel } from "../../log.ts";
import { openForegroundLog } from "../../logs/foreground-log.ts";
import type { RelayExposure } from "../../self-hosted-relay/relay-exposure.ts";
import { decideExposure } from "../../self-hosted-relay/relay-exposure.ts";
import { getDefaultDataFolder } from "../../self-hosted-relay/relay-data-folder.ts";
import type { SelfHostedRelay } from "../../self-hosted-relay/self-hosted-relay.ts";
import { openSelfHostedRelay } from "../../self-hosted-relay/self-hosted-relay.ts";
import { VERSION } from "../../build-info.ts";
import { colors, printJson, printLine, printNote, printWrapped } from "../output/output.ts";
import { formatCommand } from "../output/command-name.ts";

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
  const exposure = decideExposure({
    host: flags.host,
    relayKey: process.env["RELAY_KEY"],
    allowedOrigins,
  });
  const selfHosted = await openSelfHostedRelay({
    exposure,
    port: flags.port,
    data: flags.data ?? getDefaultDataFolder(),
    allowedOrigins,
    openLog: (folder) =>
      openForegroundLog("relay", folder, flags.logLevel, (line) => process.stderr.write(line)),
    onRestart: (workerd) => {
      if (flags.json === true) printJson({ event: "restarted", workerd });
    },
  });
  if (flags.json === true) {
    const { address, data, workerd } = selfHosted;
    const key = exposure.relayKey !== undefined;
    printJson({ event: "ready", relay: address, data, key, pid: process.pid, workerd });
  } else {
    printBanner(selfHosted, exposure);
  }
  const signal = await stopped;
  await selfHosted.stop(signal);
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

function printBanner({ address, data }: SelfHostedRelay, exposure: RelayExposure): void {
  printNote(
    `\n  ${colors.bold(colors.green("PAIRPTY"))} ${colors.green(`v${VERSION}`)}  ${colors.dim("relay")}\n`,
  );
  printLine(process.stdout.isTTY ? `  ${formatLabel("Relay")} ${colors.cyan(address)}` : address);
  printNote(`  ${formatLabel("Data")} ${data}\n`);
  for (const line of formatAdvice(address, exposure)) printWrapped(`  ${line}`, colors.dim);
  printWrapped("  Ctrl-C stops the relay; rooms and links stay in the data folder.\n", colors.dim);
}

function formatLabel(name: string): string {
  return `${colors.green("➜")}  ${colors.bold(name.padEnd(6))}`;
}

function formatAdvice(address: string, { loopback }: RelayExposure): string[] {
  if (loopback) {
    return [
      `For this machine only: ${formatCommand(`--relay ${address}`)}`,
      "To let others use it, set RELAY_KEY and put a reverse proxy with TLS in front (docs/self-hosting.md).",
    ];
  }
  return [
    "New workspaces need its key. On the machine that shares terminals:",
    "  export PAIRPTY_RELAY_KEY='the same text as RELAY_KEY'",
    `  ${formatCommand("--relay https://your-public-name")}`,
    "The relay speaks plain HTTP: a reverse proxy in front adds TLS (docs/self-hosting.md).",
  ];
}
