// Owns the sentences about isolation for people who connect agents: that a sandbox is available and
// what it costs, or why there is none.

import type { Isolation } from "../../../protocol/isolation.ts";
import { isAtLeast, thickest } from "../../../protocol/isolation.ts";
import { runProgram } from "../../processes/program.ts";
import type { Ability } from "../../providers/ability.ts";
import { sentences } from "../../providers/ability.ts";
import { finderOutside } from "../../providers/find-tool.ts";
import { probeSandbox } from "../../providers/sandbox/probe.ts";

const COST = "it can write only to this folder, has no network, and starts 10 to 20 ms later";

let asked: Promise<Ability<unknown>> | undefined;

/** Asked once: whoever starts early has the answer by the time it is shown. */
export function sandboxHere(folder: string): Promise<Ability<unknown>> {
  asked ??= probeSandbox(runProgram, finderOutside(process.env["PATH"] ?? "", [folder]));
  return asked;
}

/** Below the agents' line of the first screen. */
export function screenWords(floor: Isolation, sandbox: Ability<unknown>): string {
  if (floor !== "none") return `what they start runs in a ${floor}`;
  if (!sandbox.ok) return `what they start runs as you. No sandbox here: ${sentences(sandbox)}`;
  return "what they start runs as you; with --agent-isolation sandbox it can write only to this folder, has no network, and starts 10 to 20 ms later";
}

/** Below what `connect` prints. */
export function connectWords(
  isolation: Isolation | undefined,
  floor: Isolation,
  sandbox: Ability<unknown>,
): string {
  const level = thickest(isolation, floor);
  if (isAtLeast(level, "sandbox")) return `What it starts runs in a ${level}.`;
  if (!sandbox.ok) return `What it starts runs as you. No sandbox here: ${sentences(sandbox)}`;
  return `What it starts runs as you. With --isolation sandbox it runs in a sandbox: ${COST}.`;
}

export function refusedWords(why: string): string {
  return `pairpty will refuse what it starts: ${why}`;
}
