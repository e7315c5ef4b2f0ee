// Formats the notes about isolation for people who connect agents: that a sandbox is available and its
// cost, or why there is none.

import type { Isolation } from "../../../protocol/isolation.ts";
import { isAtLeast, thickest } from "../../../protocol/isolation.ts";
import { runProgram } from "../../processes/program.ts";
import type { Ability } from "../../providers/ability.ts";
import { sentences } from "../../providers/ability.ts";
import { finderOutside } from "../../providers/find-tool.ts";
import { probeSandbox } from "../../providers/sandbox/probe.ts";

const COST = "no writes outside this folder, no network, 10 to 20 ms slower to start";

let asked: Promise<Ability<unknown>> | undefined;

/** Probes the sandbox once; an early call has the answer ready when it is shown. */
export function sandboxHere(folder: string): Promise<Ability<unknown>> {
  asked ??= probeSandbox(runProgram, finderOutside(process.env["PATH"] ?? "", [folder]));
  return asked;
}

/** Returns the note below the agents' line of the first screen. */
export function screenWords(floor: Isolation, sandbox: Ability<unknown>): string {
  if (floor !== "none") return `agents' commands run in a ${floor}`;
  if (!sandbox.ok)
    return `agents' commands run with your permissions. No sandbox here: ${sentences(sandbox)}`;
  return "agents' commands run with your permissions; --agent-isolation sandbox limits them to this folder, without network (10 to 20 ms slower to start)";
}

/** Returns the note below the output of `connect`. */
export function connectWords(
  isolation: Isolation | undefined,
  floor: Isolation,
  sandbox: Ability<unknown>,
): string {
  const level = thickest(isolation, floor);
  if (isAtLeast(level, "sandbox")) return `Its commands run in a ${level}.`;
  if (!sandbox.ok)
    return `Its commands run with your permissions. No sandbox here: ${sentences(sandbox)}`;
  return `Its commands run with your permissions. --isolation sandbox puts them in a sandbox: ${COST}.`;
}

export function refusedWords(why: string): string {
  return `pairpty will refuse its commands: ${why}`;
}
