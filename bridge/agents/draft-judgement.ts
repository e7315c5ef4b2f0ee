// Owns how a draft or a typed line is passed to the command policy: as a shell parses it, as a
// program's argv, or under every way in which a shell may read it; and which programs treat their
// input as data.

import type { Judgement } from "../pipeline/verdicts.ts";
import { listCommands } from "../policy/command-form.ts";
import type { PolicyContext } from "../policy/policy.ts";
import { judgeArgv, judgeShell } from "../policy/policy.ts";
import type { Judgement as PolicyJudgement } from "../policy/verdict.ts";
import { isAtLeastVerdict } from "../policy/verdict.ts";
import type { Foreground } from "../processes/foreground.ts";
import type { InputReader, LineReadings } from "../sessions/shell-programs.ts";
import { mentionsShell } from "../sessions/shell-programs.ts";
import type { UnknownReason } from "../sessions/pending-line.ts";
import type { PlanDraft } from "../terminals/spawn-plan.ts";

/** Enough for a person to recognise the input. */
const MAX_INPUT_SHOWN_CHARS = 200;

type DraftJudgement = PolicyJudgement & { readonly notes?: readonly string[] };

const MAY_RUN_INPUT = "the command, or an editor that it opens, may run what it reads";

export function judgeDraft(
  { command = [], line, input, cwd, added }: PlanDraft,
  policy: PolicyContext,
): DraftJudgement {
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
export function judgeTypedLine(line: string, cwd: string, policy: PolicyContext): DraftJudgement {
  return judgeShell(line, { ...policy, cwd, env: {}, isTyped: true });
}

/** Agents' commands get no pager or editor, and must not change their terminal's modes. */
const READS_DATA: ReadonlySet<string> = new Set(
  "cat head tail wc sort uniq tr cut nl rev tac fold fmt expand paste comm cmp diff grep egrep fgrep rg jq column base64 md5sum sha1sum sha256sum sha512sum cksum od hexdump xxd strings awk gawk mawk nawk sleep true false : echo printf pwd ls cd test [ date whoami id uname basename dirname seq stat file du df".split(
    " ",
  ),
);

const AWK = /^[gmn]?awk$/;
/** Options that read the awk program from a file, maybe from its input; `-F` and `-v` do not. */
const AWK_FILE = /^-(?:[^Fv]|-)/;

/** Whether every program of a line is known to treat its input as data. */
export function readsOnlyData(line: string): boolean {
  return listCommands(line)?.every(isDataReader) === true;
}

/** Whether one program with its arguments is known to treat its input as data. */
export function isDataReader([program = "", ...args]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (!READS_DATA.has(name)) return false;
  return !AWK.test(name) || !args.some((word) => AWK_FILE.test(word));
}

/** Enough for a person to recognise the part of the line. */
const MAX_SHOWN_CHARS = 200;

const TOO_MANY = "it has too many possible readings to check";

/** Returns the strictest judgement of all readings; at least `unknown` if there are notes. */
export function judgeReadings(
  { typed, alternatives, isCut }: LineReadings,
  notes: readonly string[],
  judge: (line: string) => Judgement,
): Judgement {
  const own = judge(typed);
  let strictest = own;
  let reading = typed;
  for (const other of alternatives) {
    const judged = judge(other);
    const isAboutUs = judged.isAboutUs === true && strictest.isAboutUs !== true;
    if (!isAboutUs && isAtLeastVerdict(strictest.verdict, judged.verdict)) continue;
    [strictest, reading] = [judged, other];
  }
  if (isCut && !isAtLeastVerdict(strictest.verdict, "dangerous")) {
    strictest = { ...strictest, verdict: "dangerous", why: [...strictest.why, TOO_MANY] };
  }
  const shown =
    reading === typed ? [] : [`the shell may read: ${reading.slice(0, MAX_SHOWN_CHARS)}`];
  const all = [...notes, ...shown];
  const isRaised = notes.length > 0 && strictest.verdict === "safe";
  return {
    ...strictest,
    why: [...strictest.why, ...all],
    ...(all.length > 0 && { notes: all }),
    ...(isRaised && { verdict: "unknown" }),
  };
}

/** Formats why it is unknown what a shell would run. */
export function formatUnknown(
  why: UnknownReason,
  reader: InputReader,
  { front }: Pick<Foreground, "front">,
): string {
  if (why === "foreign")
    return "someone else has typed here, so the line may already contain text; <C-c> at the prompt clears it";
  if (why === "ahead")
    return "it is typed ahead: the program of an earlier line may read part of it, and the shell runs the rest";
  if (why === "edited")
    return "editing keys or earlier text may change the line, so pairpty cannot check what runs; <C-c> at the prompt clears it";
  const program = front.at(-1);
  const words = program?.argv[0] ?? program?.path ?? "";
  const name = words.slice(words.lastIndexOf("/") + 1) || "a program";
  return reader === "elsewhere"
    ? `${name} passes it to a shell that pairpty cannot see`
    : `if ${name} has exited by then, the shell behind it runs this, or the rest of it, as a command`;
}
