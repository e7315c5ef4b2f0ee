// Owns whether a person has approved that an agent types into the foreground program of a terminal.
// Editors, pagers and interpreters run what they read, even by keys without Enter, so the first
// keys into a program that no person approved need an approval [Y35]. It covers that program
// instance: its foreground process group. Input that shells read is judged in typing-gate.ts.

import type { Foreground } from "../processes/foreground.ts";
import type { InputReader } from "../sessions/shell-programs.ts";
import type { KeyInput } from "../sessions/named-keys.ts";
import { getProgramName, isInteractiveShell, runsTask } from "../sessions/shell-programs.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { isStartedByAgent } from "../terminals/terminal.ts";
import { isDataReader, readsOnlyData } from "./draft-judgement.ts";

/** A terminal's state right before keys are typed. */
export interface ConsentContext {
  readonly grant: string;
  /** Key of the consent state: the terminal, or the session of a command with pipes. */
  readonly owner: object;
  readonly terminal: PoolTerminal | undefined;
  /** The command that started the session. */
  readonly command: string;
  readonly reader: InputReader;
  readonly foreground: Foreground;
  readonly typed: readonly KeyInput[];
  /** Keys after a line of the same call that may start a program. */
  readonly ahead: readonly KeyInput[];
}

interface ConsentState {
  /** The program instance that a person let this grant type into. */
  readonly program?: { readonly grant: string; readonly group: number | undefined };
  /**
   * Grant whose approval covers the shell's last line; the command that started the session counts
   * as the first line.
   */
  readonly lineApprovedFor: string | undefined;
  /** The terminal's input count after the agents' last input, without replies to queries. */
  readonly inputs: number;
}

/** Keys that scroll, quit or interrupt, in any order; none starts anything. */
const HARMLESS_KEYS: ReadonlySet<string> = new Set(
  "Up Down Left Right Home End PageUp PageDown Space C-c C-d C-z C-\\".split(" "),
);
const HARMLESS_TEXT: ReadonlySet<string> = new Set("q \x03\x04\x1a\x1c");
/** Movement keys of pagers. */
const HARMLESS_IN_PAGER: ReadonlySet<string> = new Set([...HARMLESS_TEXT, ..."gGfbdujk".split("")]);
const PAGERS: ReadonlySet<string> = new Set(["less", "more"]);

const NEXT_PROGRAM = "the program that the previous line starts";

export class TypingConsents {
  readonly #states = new WeakMap<object, ConsentState>();

  /** Returns the reason to ask a person first; undefined if no approval is needed. */
  findReason(look: ConsentContext): string | undefined {
    const { reader, foreground, typed, ahead } = look;
    if (reader === "prompt") {
      return ahead.every((one) => isHarmless(one, HARMLESS_TEXT))
        ? undefined
        : formatReason(NEXT_PROGRAM);
    }
    const names = foreground.front.map((program) => getProgramName(program));
    const text = PAGERS.has(names.at(-1) ?? "") ? HARMLESS_IN_PAGER : HARMLESS_TEXT;
    if (typed.every((one) => isHarmless(one, text))) return undefined;
    if (this.#isApproved(look) || isStartProgramAllowed(look)) return undefined;
    return formatReason(names.at(-1) || "a program");
  }

  /** Updates the state for keys that are typed now. `isAsked`: a person allowed exactly these. */
  record(
    look: ConsentContext,
    { isAsked, sendsLine }: { isAsked: boolean; sendsLine: boolean },
  ): void {
    const { grant, owner, terminal, reader, foreground } = look;
    const before = this.#getState(look);
    const isProgram = reader !== "prompt" && isAsked;
    const program = isProgram ? { grant, group: foreground.group } : before.program;
    const isSame = program?.group === foreground.group;
    const line = isAsked ? grant : undefined;
    const isLine = sendsLine && reader !== "other";
    this.#states.set(owner, {
      ...(program !== undefined && isSame ? { program } : {}),
      lineApprovedFor: isLine ? line : before.lineApprovedFor,
      inputs: countInputs(terminal) + 1,
    });
  }

  #isApproved(look: ConsentContext): boolean {
    const { grant, terminal, reader, foreground } = look;
    const { program, lineApprovedFor } = this.#getState(look);
    if (reader !== "other" && lineApprovedFor === grant) return true;
    // Without a process group, two programs in the foreground cannot be distinguished.
    const isKnown = terminal === undefined || foreground.group !== undefined;
    return isKnown && program?.grant === grant && program.group === foreground.group;
  }

  /** Returns the state; input from others voids the approved line, since it may start programs. */
  #getState({ owner, terminal, grant }: ConsentContext): ConsentState {
    const known = this.#states.get(owner) ?? {
      lineApprovedFor: isStartApproved(terminal, grant) ? grant : undefined,
      inputs: 0,
    };
    const isForeign = terminal !== undefined && known.inputs !== countInputs(terminal);
    return isForeign ? { ...known, lineApprovedFor: undefined } : known;
  }
}

/** Whether a person started the terminal, or approved its start for this grant. */
function isStartApproved(terminal: PoolTerminal | undefined, grant: string): boolean {
  if (terminal === undefined) return false;
  const { startedBy, approved } = terminal.meta;
  if (!isStartedByAgent(terminal.meta)) return true;
  // Sessions of the service have no grant: each has one agent.
  return approved === true && (startedBy === undefined || startedBy.grant === grant);
}

/** Whether the session's own program is in front, and approved or known to take data. */
function isStartProgramAllowed({
  grant,
  terminal,
  command,
  reader,
  foreground,
}: ConsentContext): boolean {
  const { front } = foreground;
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

function isHarmless(one: KeyInput, text: ReadonlySet<string>): boolean {
  if (one.kind === "key") return HARMLESS_KEYS.has(one.name);
  return Array.from(one.text).every((char) => text.has(char));
}

function countInputs(terminal: PoolTerminal | undefined): number {
  return terminal === undefined ? 0 : terminal.inputs - terminal.answers;
}

function formatReason(program: string): string {
  return `it types into ${program}, which may run what it reads and which no person has approved; an allow covers all keys until that program exits`;
}
