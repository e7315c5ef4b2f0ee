// Runs all checks at once, each with a time limit, within ten seconds in total. Ends processes that a
// check left.

import { listChildren } from "../processes/process-record.ts";
import { checkAuthorities, checkClock, checkProxy, checkLink } from "./checks/network.ts";
import {
  checkBrowser,
  checkDisk,
  checkNode,
  checkSystem,
  checkFolders,
  checkVersions,
  checkConfig,
} from "./checks/machine.ts";
import {
  checkContainers,
  checkSandbox,
  checkLimits,
  createDoctorIsolation,
} from "./checks/isolation.ts";
import { checkEncryption } from "./checks/encryption.ts";
import { checkPort, checkRelay, checkTunnel } from "./checks/relay.ts";
import { checkPty } from "./checks/pty.ts";
import type { DoctorFacts } from "./doctor-facts.ts";
import type { Finding, CheckResult } from "./finding.ts";
import { runCheck } from "./finding.ts";

const QUICK_MS = 5_000;
/** For checks that start a process of ours or use the network. */
const SLOW_MS = 8_000;

/** Returns the rows in display order; each resolves on its own. */
export function runChecks(facts: DoctorFacts): Promise<CheckResult>[] {
  const stop = new AbortController();
  const pty = checkPty(stop.signal);
  const isolationService = createDoctorIsolation(facts);
  const checks: [string, number, () => Promise<Finding> | Finding][] = [
    ["versions", QUICK_MS, () => checkVersions()],
    ["node", QUICK_MS, () => checkNode()],
    ["system", QUICK_MS, () => checkSystem()],
    ["config", QUICK_MS, () => checkConfig(facts)],
    ["folders", QUICK_MS, () => checkFolders(facts)],
    ["disk", QUICK_MS, () => checkDisk(facts)],
    ["pty host", SLOW_MS, async () => (await pty).host],
    ["pty spawn", SLOW_MS, async () => (await pty).spawn],
    ["embedded relay", SLOW_MS, () => checkRelay(facts, stop.signal)],
    ["port", QUICK_MS, () => checkPort(facts)],
    ["link", SLOW_MS, () => checkLink(facts)],
    ["tunnel", QUICK_MS, () => checkTunnel(facts)],
    ["encryption", QUICK_MS, () => checkEncryption(facts)],
    ["proxy", QUICK_MS, () => checkProxy(facts)],
    ["authorities", QUICK_MS, () => checkAuthorities(facts)],
    ["clock", SLOW_MS, () => checkClock(facts)],
    ["browser", QUICK_MS, () => checkBrowser(facts.environment)],
    ["sandbox", SLOW_MS, () => checkSandbox(isolationService)],
    ["containers", SLOW_MS, () => checkContainers(isolationService)],
    ["limits", SLOW_MS, () => checkLimits(isolationService)],
  ];
  const rows = checks.map(([name, milliseconds, run]) => runCheck(name, milliseconds, run));
  void endAfter(rows, stop);
  return rows;
}

async function endAfter(
  rows: readonly Promise<CheckResult>[],
  stop: AbortController,
): Promise<void> {
  await Promise.all(rows);
  stop.abort();
  killChildren();
}

/** Kills remaining children: all checks are over, so one that still runs hangs. */
export function killChildren(): void {
  for (const pid of listChildren(process.pid)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has just exited.
    }
  }
}
