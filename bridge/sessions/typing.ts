// Owns which of an agent's keys form a command: the lines that they complete, and whether the
// program that reads them would run them. Pure. An incomplete line waits for the keys that complete
// it.

import type { Foreground } from "../processes/foreground.ts";
import type { Typed } from "./keys.ts";
import { isReader, mentionsShell, takesCommands } from "./programs.ts";

/** Typed, and not sent off yet. */
export interface Pending {
  readonly text: string;
  /** Keys changed it in a way that is not followed here: what it says is not known. */
  readonly isEdited: boolean;
}

export const NOTHING_PENDING: Pending = { text: "", isEdited: false };

export interface Lines {
  /** What the keys send off, without the last newline; undefined when they send off nothing. */
  readonly sent: string | undefined;
  /** Something other than plain typing shaped what was sent. */
  readonly isEdited: boolean;
  readonly pending: Pending;
}

/** Keys that end a line in a shell's editor, Enter's other names among them. */
const ENDS = new Set(["\r", "\n", "\x0f"]);
const CANCELS = "\x03";
const ERASES_LINE = "\x15";
const BACKSPACE = "\x7f";
/** In a line it sends off what stands there without an end; before one it is the end of input. */
const END_OF_INPUT = "\x04";
/** The screen, suspending: no text of a line. */
const ASIDE = new Set(["\x0c", "\x1a"]);
/** What one backspace removes as a whole, in every shell. */
const PLAIN = /^[ -~]$/;
/** Interactive shells put lines of before in its place, wherever it stands. */
const HISTORY = /!(?=[^\s=(])|^\s*\^/;

/** Also what runs something by itself counts as sent: an editor for the line, a key with a macro. */
const ACTS = new Set(["\x18", "\x1b"]);

export function linesOf(typed: readonly Typed[], before: Pending): Lines {
  let { text, isEdited } = before;
  const sent: string[] = [];
  let isSentEdited = false;
  const send = () => {
    sent.push(text);
    isSentEdited ||= isEdited || HISTORY.test(text);
    [text, isEdited] = ["", false];
  };
  for (const one of typed) {
    // The cursor keys and completion change a line; they start with what else acts.
    if (one.kind === "key" && isMovement(one.name)) {
      isEdited = true;
      continue;
    }
    for (const char of one.kind === "text" ? one.text : one.bytes) {
      if (ENDS.has(char)) send();
      // Where the cursor stands in a line that keys have changed, and whether a key is taken
      // literally there, is not known: such a line stays until it is sent off.
      else if (char === CANCELS || char === ERASES_LINE) text = isEdited ? text : "";
      else if (char === BACKSPACE) {
        const last = Array.from(text).at(-1) ?? "";
        isEdited ||= last !== "" && !PLAIN.test(last);
        text = text.slice(0, text.length - last.length);
      } else if (char === END_OF_INPUT) {
        if (text === "") continue;
        isEdited = true;
        send();
        // What follows goes on in the same line.
        isEdited = true;
      } else if (ACTS.has(char)) {
        isEdited = true;
        send();
      } else if (char < " " && char !== "\t") isEdited ||= !ASIDE.has(char);
      else text += char;
      // A tab completes what stands before it.
      if (char === "\t") isEdited = true;
    }
  }
  return {
    sent: sent.length === 0 ? undefined : sent.join("\n"),
    isEdited: isSentEdited,
    pending: { text, isEdited },
  };
}

const MOVEMENTS = new Set(["Up", "Down", "Left", "Right", "Home", "End", "Del", "Delete", "Tab"]);

function isMovement(name: string): boolean {
  return MOVEMENTS.has(name);
}

/** What a prompt asks for, and no shell would run. */
const ANSWER = /^\s*(?:y|n|yes|no|\d{1,9})?\s*$/i;

export type Reader =
  /** What is typed is run. */
  | "commands"
  /** It may be, once the program in front has ended. */
  | "commands behind"
  /** It is not, as far as can be known. */
  | "other";

/** Whether what is typed reaches something that runs it. `command` is how the session was started. */
export function readerOf({ front, behind }: Foreground, command: string): Reader {
  if (front.length === 0 || front.some(takesCommands)) return "commands";
  if (front.some(isReader)) return "other";
  return behind.some(takesCommands) || mentionsShell(command) ? "commands behind" : "other";
}

/** Whether these lines are judged before that reader gets them. */
export function isJudged(sent: string, reader: Reader): boolean {
  if (sent.trim() === "" || reader === "other") return false;
  return reader === "commands" || !sent.split("\n").every((line) => ANSWER.test(line));
}
