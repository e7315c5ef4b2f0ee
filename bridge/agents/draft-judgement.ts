// Owns how a draft is passed to the command policy: a line as a shell parses it, separate words as
// a program's argv, and standard input that a shell would run. Pure.

import type { PolicyContext } from "../policy/policy.ts";
import { judgeArgv, judgeShell } from "../policy/policy.ts";
import type { Judgement as PolicyJudgement } from "../policy/verdict.ts";
import { isAtLeastVerdict } from "../policy/verdict.ts";
import { mentionsShell } from "../sessions/shell-programs.ts";
import type { PlanDraft } from "../terminals/spawn-plan.ts";
import { isDataReader, readsOnlyData } from "./data-readers.ts";

/** Enough for a person to recognise the input. */
const MAX_INPUT_SHOWN_CHARS = 200;

type Judgement = PolicyJudgement & { readonly notes?: readonly string[] };

const MAY_RUN_INPUT = "the command, or an editor that it opens, may run what it reads";

export function judgeDraft(
  { command = [], line, input, cwd, added }: PlanDraft,
  policy: PolicyContext,
): Judgement {
  const context = { ...policy, cwd, env: added };
  const own = line === undefined ? judgeArgv(command, context) : judgeShell(line, context);
  if (input === undefined || input.text === "") return own;
  const inputNote = `its input: ${input.text.slice(0, MAX_INPUT_SHOWN_CHARS)}`;
  const isData = line === undefined ? isDataReader(command) : readsOnlyData(line);
  // A shell runs any input it reads, whatever its source.
  const read = mentionsShell(line ?? command.join(" "))
    ? judgeShell(input.text, context)
    : undefined;
  const stricter = read === undefined || isAtLeastVerdict(own.verdict, read.verdict) ? own : read;
  const why = [...new Set([...stricter.why, ...own.why, ...(read?.why ?? [])])];
  // An editor that a safe command opens would take the input as keys.
  if (stricter.verdict === "safe" && read === undefined && !isData) {
    const unknown = { verdict: "unknown", level: "unknown" } as const;
    return { ...stricter, ...unknown, why: [...why, MAY_RUN_INPUT, inputNote], notes: [inputNote] };
  }
  return { ...stricter, why: [...why, inputNote], notes: [inputNote] };
}

/** Judges a line typed into a terminal, where the shell is interactive and may be any shell. */
export function judgeTypedLine(line: string, cwd: string, policy: PolicyContext): Judgement {
  return judgeShell(line, { ...policy, cwd, env: {}, isTyped: true });
}
