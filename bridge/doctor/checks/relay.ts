// Checks the embedded relay: starts the Worker in workerd on a free port, sends one request, ends it.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workspacePath } from "../../../protocol/workspace.ts";
import { errorMessage, UserError } from "../../errors.ts";
import { builtFile } from "../../build-info.ts";
import { findWorkerd, findWorkerdProblem } from "../../workerd/binary.ts";
import { findFreePort } from "../../workerd/free-port.ts";
import { startWorkerd } from "../../workerd/workerd-process.ts";
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
