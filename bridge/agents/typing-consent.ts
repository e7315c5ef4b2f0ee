// Owns whether a person knows that an agent types into the program in front of a terminal. Editors,
// pagers and interpreters run what they read, by keys without an Enter too, so the first keys into a
// program that no person approved are asked about [Y35]. The answer holds for that program instance:
// its foreground process group. What shells read is judged by agents/typing.ts.

import type { Foreground } from "../processes/foreground.ts";
import type { InputReader } from "../sessions/input-reader.ts";
import type { Typed } from "../sessions/keys.ts";
import { getProgramName, isInteractiveShell, runsTask } from "../sessions/programs.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { isStartedByAgent } from "../terminals/terminal.ts";
import { isDataReader, readsOnlyData } from "./data-readers.ts";

/** What one look at a terminal finds, right before keys are typed. */
export interface ConsentLook {
  readonly grant: string;
  /** What the state belongs to: the terminal, or the session of a command by pipes. */
  readonly owner: object;
  readonly terminal: PoolTerminal | undefined;
  /** How the session was started. */
  readonly command: string;
  readonly reader: InputReader;
  readonly around: Foreground;
  readonly typed: readonly Typed[];
  /** The keys behind a line of the same call that may start a program. */
  readonly ahead: readonly Typed[];
}

interface ConsentState {
  /** The program instance that a person let this grant type into. */
  readonly program?: { readonly grant: string; readonly group: number | undefined };
  /** Set while a person's approval covers the last line that the shell got; the start is the first. */
  readonly approvedLineOf: string | undefined;
  /** Inputs of the terminal after the agents' last one, without answers to its programs' queries. */
  readonly inputs: number;
}

/** Keys that scroll, leave or interrupt, in whatever order; none of them starts anything by itself. */
const HARMLESS_KEYS: ReadonlySet<string> = new Set(
  "Up Down Left Right Home End PageUp PageDown Space C-c C-d C-z C-\\".split(" "),
);
const HARMLESS_TEXT = /^[q \x03\x04\x1a\x1c]*$/;
/** The movements of pagers. */
const HARMLESS_IN_PAGER = /^[qgGfbdujk \x03\x04\x1a\x1c]*$/;
const PAGERS: ReadonlySet<string> = new Set(["less", "more"]);

const NEXT_PROGRAM = "what the line before it starts";

export class TypingConsents {
  readonly #states = new WeakMap<object, ConsentState>();

  /** Returns the reason to ask a person first; undefined where that is not needed. */
  findReason(look: ConsentLook): string | undefined {
    const { reader, around, typed, ahead } = look;
    if (reader === "prompt") {
      return ahead.every((one) => isHarmless(one, HARMLESS_TEXT))
        ? undefined
        : formatReason(NEXT_PROGRAM);
    }
    const names = around.front.map((program) => getProgramName(program));
    const text = PAGERS.has(names.at(-1) ?? "") ? HARMLESS_IN_PAGER : HARMLESS_TEXT;
    if (typed.every((one) => isHarmless(one, text))) return undefined;
    if (this.#isApproved(look) || isStartProgramAllowed(look)) return undefined;
    return formatReason(names.at(-1) || "a program");
  }

  /** Follows keys that are typed now; `isAsked`: a person allowed just these. */
  record(
    look: ConsentLook,
    { isAsked, sendsLine }: { isAsked: boolean; sendsLine: boolean },
  ): void {
    const { grant, owner, terminal, reader, around } = look;
    const before = this.#stateOf(look);
    const isProgram = reader !== "prompt" && isAsked;
    const program = isProgram ? { grant, group: around.group } : before.program;
    const isSame = program?.group === around.group;
    const line = isAsked ? grant : undefined;
    const isLine = sendsLine && reader !== "other";
    this.#states.set(owner, {
      ...(program !== undefined && isSame ? { program } : {}),
      approvedLineOf: isLine ? line : before.approvedLineOf,
      inputs: countInputs(terminal) + 1,
    });
  }

  #isApproved(look: ConsentLook): boolean {
    const { grant, terminal, reader, around } = look;
    const { program, approvedLineOf } = this.#stateOf(look);
    if (reader !== "other" && approvedLineOf === grant) return true;
    // Without a known process group nothing tells one program from the next.
    const isKnown = terminal === undefined || around.group !== undefined;
    return isKnown && program?.grant === grant && program.group === around.group;
  }

  /** The state for this look: input of anybody else may have started another program. */
  #stateOf({ owner, terminal, grant }: ConsentLook): ConsentState {
    const known = this.#states.get(owner) ?? {
      approvedLineOf: isStartApproved(terminal, grant) ? grant : undefined,
      inputs: 0,
    };
    const isForeign = terminal !== undefined && known.inputs !== countInputs(terminal);
    return isForeign ? { ...known, approvedLineOf: undefined } : known;
  }
}

/** Whether the start was a person's, or approved by one for this grant. */
function isStartApproved(terminal: PoolTerminal | undefined, grant: string): boolean {
  if (terminal === undefined) return false;
  const { startedBy, approved } = terminal.meta;
  if (!isStartedByAgent(terminal.meta)) return true;
  // The service's sessions do not name their agent: each has its own.
  return approved === true && (startedBy === undefined || startedBy.grant === grant);
}

/** Whether the session's own program is in front, and approved or known to take text for data. */
function isStartProgramAllowed({ grant, terminal, command, reader, around }: ConsentLook): boolean {
  const { front } = around;
  if (front.some((program) => isInteractiveShell(program))) return false;
  if (isStartApproved(terminal, grant)) {
    return reader === "other" || front.some(({ pid }) => pid === terminal?.pid);
  }
  if (reader !== "other" || !readsOnlyData(command)) return false;
  if (terminal === undefined) return true;
  return front.every((one) => {
    if (runsTask(one)) return true;
    return isDataReader([getProgramName(one), ...one.argv.slice(1)]);
  });
}

function isHarmless(one: Typed, text: RegExp): boolean {
  return one.kind === "key" ? HARMLESS_KEYS.has(one.name) : text.test(one.text);
}

function countInputs(terminal: PoolTerminal | undefined): number {
  return terminal === undefined ? 0 : terminal.inputs - terminal.answers;
}

function formatReason(program: string): string {
  return `it types into ${program}, which may run what it reads and which no person approved; pairpty does not ask again about keys for this program until it ends`;
}
