// Checks the embedded relay: its port, and the Worker in workerd, which gets one request. Reports
// the installed tunnel programs.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { workspacePath } from "../../../protocol/workspace.ts";
import { builtFile } from "../../build-info.ts";
import { errorMessage, UserError } from "../../errors.ts";
import { toOutsideFinder } from "../../isolation/find-tool.ts";
import { isRunning } from "../../processes/process-record.ts";
import {
  NO_TUNNEL,
  planTunnel,
  TUNNEL_PROGRAMS,
  listInstalledTunnels,
} from "../../tunnels/tunnel-programs.ts";
import { findWorkerd, findWorkerdProblem } from "../../workerd/binary.ts";
import { findFreePort } from "../../workerd/free-port.ts";
import { readRelayRecord } from "../../workerd/relay-record.ts";
import { startWorkerd } from "../../workerd/workerd-process.ts";
import { readOptionalFile } from "../../workspace/private-file.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok, warn } from "../finding.ts";

const REQUEST_TIMEOUT_MS = 3_000;

export async function checkRelay(facts: DoctorFacts, signal: AbortSignal): Promise<Finding> {
  const finding = await tryRelay(signal);
  // With a relay elsewhere, the embedded one is not needed.
  if (finding.status !== "fail" || facts.relay === undefined) return finding;
  return warn(finding.message, finding.cure ?? "");
}

async function tryRelay(signal: AbortSignal): Promise<Finding> {
  let binary: string;
  try {
    binary = findWorkerd();
  } catch (error) {
    const hint = error instanceof UserError ? error.hint : undefined;
    return fail(errorMessage(error), hint ?? "Use a relay elsewhere: --relay URL.");
  }
  const folder = mkdtempSync(join(tmpdir(), "pairpty-doctor-"));
  const data = join(folder, "rooms");
  mkdirSync(data);
  const clean = () => rmSync(folder, { recursive: true, force: true });
  signal.addEventListener("abort", clean, { once: true });
  try {
    const began = performance.now();
    const port = await findFreePort();
    const workerd = await startWorkerd({
      binary,
      worker: builtFile("..", "relay", "worker.js"),
      plan: {
        host: "127.0.0.1",
        port,
        web: builtFile("..", "web"),
        data,
        loopback: true,
        allowedOrigins: [],
      },
      temporary: folder,
      relayKey: undefined,
      onLine: () => {},
    });
    try {
      const url = `http://127.0.0.1:${port}${workspacePath("any", "/health")}`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
      await answer.arrayBuffer();
      const time = `${Math.round(performance.now() - began)} ms`;
      if (answer.ok) return ok(`workerd starts and answers in ${time}`);
      return fail(`workerd runs, but the relay answered ${answer.status}`, "Reinstall pairpty.");
    } finally {
      await workerd.end(0);
    }
  } catch (error) {
    const problem = findWorkerdProblem(binary) ?? errorMessage(error);
    return fail(`does not start: ${problem}`, "You can use a relay elsewhere: --relay URL.");
  } finally {
    signal.removeEventListener("abort", clean);
    clean();
  }
}

const PortFile = z.object({ port: z.nullable(z.int()) });

export async function checkPort(facts: DoctorFacts): Promise<Finding> {
  const { folders, configuration, relay } = facts;
  if (relay !== undefined) return ok("none is needed: the relay is elsewhere");
  if (typeof folders === "string") return ok("unknown until the folders work");
  const bridge = await facts.bridge;
  if (bridge?.embedded === true) return ok(`${new URL(bridge.relay).port}, this folder's relay`);
  const configured = configuration.merged.values.port;
  if (configured === 0) return ok("any that is free");
  const port = configured ?? readLastPort(folders.state);
  if (port === undefined) return ok("none yet: the first start chooses a free one");
  if (await isFree(port)) return ok(`${port} is free`);
  // A crashed bridge leaves its relay to the next one.
  if (readRelayRecord(join(folders.state, "relay.json")).some((one) => isRunning(one))) {
    return ok(`${port}, this folder's relay, which waits for a bridge`);
  }
  const message = `${port} is in use by another program`;
  if (configured !== undefined) return fail(message, "Choose another with --port, or set none.");
  return warn(message, "End that program, or older links to this folder will not work.");
}

function readLastPort(state: string): number | undefined {
  const text = readOptionalFile(join(state, "workspace.json"));
  const kept = text === undefined ? undefined : parseText(PortFile, text);
  return kept?.ok === true ? (kept.value.port ?? undefined) : undefined;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

export async function checkTunnel(facts: DoctorFacts): Promise<Finding> {
  const { configuration, environment, folders } = facts;
  const bridge = await facts.bridge;
  if (bridge?.tunnel !== undefined) {
    const { program, up, address } = bridge.tunnel;
    if (up) return ok(`${address} by ${program}`);
    return warn(`${program} is down`, "pairpty restarts it; `pairpty logs` shows why it exited.");
  }
  const roots = typeof folders === "string" ? [] : [folders.folder];
  const find = toOutsideFinder(environment["PATH"] ?? "", roots);
  const { tunnel = NO_TUNNEL } = configuration.merged.values;
  if (tunnel !== NO_TUNNEL) {
    try {
      return ok(`set to ${tunnel}: ${planTunnel(tunnel, find).name}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return warn(errorMessage(error), error.hint ?? "Correct the setting.");
    }
  }
  const installed = listInstalledTunnels(find);
  if (installed.length > 0) return ok(`${installed.join(", ")}, for --tunnel`);
  return ok(`off; --tunnel needs one of ${TUNNEL_PROGRAMS.join(", ")}, none is installed`);
}
