// Owns how a draft is passed to the command policy: a line as a shell parses it, separate words as
// a program's argv, and standard input that a shell would run. Pure.

import type { PolicyContext } from "../policy/policy.ts";
import { judgeArgv, judgeShell } from "../policy/policy.ts";
import type { Judgement as PolicyJudgement } from "../policy/verdict.ts";
import { atLeast } from "../policy/verdict.ts";
import { mentionsShell } from "../sessions/programs.ts";
import type { Draft } from "../terminals/plan.ts";
import { isDataReader, readsOnlyData } from "./data-readers.ts";

/** Enough for a person to recognise the input. */
const TOLD_CHARS = 200;

type Judgement = PolicyJudgement & { readonly notes?: readonly string[] };

const MAY_RUN = "the command, or an editor that it opens, may run what it reads";

export function judgeDraft(
  { command = [], line, input, cwd, added }: Draft,
  policy: PolicyContext,
): Judgement {
  const context = { ...policy, cwd, env: added };
  const own = line === undefined ? judgeArgv(command, context) : judgeShell(line, context);
  if (input === undefined || input.text === "") return own;
  const told = `its input: ${input.text.slice(0, TOLD_CHARS)}`;
  const isData = line === undefined ? isDataReader(command) : readsOnlyData(line);
  // A shell runs what it reads, wherever it comes from.
  const read = mentionsShell(line ?? command.join(" "))
    ? judgeShell(input.text, context)
    : undefined;
  const stricter = read === undefined || atLeast(own.verdict, read.verdict) ? own : read;
  const why = [...new Set([...stricter.why, ...own.why, ...(read?.why ?? [])])];
  // An editor that a safe command opens would take the input as keys.
  if (stricter.verdict === "safe" && read === undefined && !isData) {
    const unknown = { verdict: "unknown", level: "unknown" } as const;
    return { ...stricter, ...unknown, why: [...why, MAY_RUN, told], notes: [told] };
  }
  return { ...stricter, why: [...why, told], notes: [told] };
}

/** Judges a line typed into a terminal, where the shell is interactive and may be any shell. */
export function judgeTyped(line: string, cwd: string, policy: PolicyContext): Judgement {
  return judgeShell(line, { ...policy, cwd, env: {}, isTyped: true });
}
