// Formats the notes about isolation for people who connect agents: that a sandbox is available and
// its cost, or why there is none. Formats the note below a link that works only on this machine.

import type { Isolation } from "../../../protocol/isolation.ts";
import { isAtLeast, strictest } from "../../../protocol/isolation.ts";
import { isLoopback } from "../../../protocol/names.ts";
import type { Ability } from "../../isolation/find-tool.ts";
import { formatUnavailable, toOutsideFinder } from "../../isolation/find-tool.ts";
import { probeSandbox } from "../../isolation/sandbox/sandbox-probe.ts";
import { runProgram } from "../../processes/run-program.ts";

const SANDBOX_COST = "no writes outside this folder, no network, 10 to 20 ms slower to start";

let probe: Promise<Ability<unknown>> | undefined;

/** Probes the sandbox once; an early call has the answer ready when it is shown. */
export function probeSandboxHere(folder: string): Promise<Ability<unknown>> {
  probe ??= probeSandbox(runProgram, toOutsideFinder(process.env["PATH"] ?? "", [folder]));
  return probe;
}

/** Returns the note below the agents' line of the first screen. */
export function formatScreenNote(floor: Isolation, sandbox: Ability<unknown>): string {
  if (floor !== "none") return `agents' commands run in a ${floor}`;
  if (!sandbox.ok)
    return `agents' commands run with your permissions. No sandbox here: ${formatUnavailable(sandbox)}`;
  return "agents' commands run with your permissions; --agent-isolation sandbox limits them to this folder, without network (10 to 20 ms slower to start)";
}

/** Returns the note below the output of `connect`. */
export function formatConnectNote(
  isolation: Isolation | undefined,
  floor: Isolation,
  sandbox: Ability<unknown>,
): string {
  const level = strictest(isolation, floor);
  if (isAtLeast(level, "sandbox")) return `Its commands run in a ${level}.`;
  if (!sandbox.ok)
    return `Its commands run with your permissions. No sandbox here: ${formatUnavailable(sandbox)}`;
  return `Its commands run with your permissions. --isolation sandbox puts them in a sandbox: ${SANDBOX_COST}.`;
}

export function formatRefusedNote(why: string): string {
  return `pairpty will refuse its commands: ${why}`;
}

/** Returns the note; undefined for a link that others can open. */
export function formatLocalLinkNote(link: string): string | undefined {
  if (!isLoopback(link)) return undefined;
  return "This link works only on this machine. To invite someone elsewhere, stop pairpty and run `pairpty --tunnel`.";
}
