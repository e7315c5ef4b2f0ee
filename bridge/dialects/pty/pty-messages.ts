// Owns encoding the pty dialect's messages. Pure.

import type { FormatOutput } from "../../channels/output-pieces.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import type { Role } from "../../../protocol/grant.ts";
import type {
  PtyAsked,
  PtyAttached,
  PtyDriver,
  PtyError,
  PtyExit,
  PtyForeground,
  PtyRecording,
  PtyResized,
  PtyRunning,
  Running,
  PtyTerminals,
  PtyTitled,
} from "../../../protocol/pty.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { Exit, Terminal, TerminalEvent } from "../../../protocol/terminal.ts";
import type { ViewerMessages } from "../../viewers/viewer-messages.ts";

/** Encodes by hand, since this runs for every chunk of output: only `data` needs quoting. */
function createOutputEncoder(id: string): FormatOutput {
  const head = `{"type":"pty:output","id":${JSON.stringify(id)},"data":`;
  return (text, offset, next) =>
    `${head}${JSON.stringify(text)},"offset":${offset},"next":${next}}`;
}

function encodeExit(id: string, exit: Exit): string {
  const message: PtyExit = { type: "pty:exit", id, ...exit };
  return JSON.stringify(message);
}

function encodeAttached(message: Omit<PtyAttached, "type">): string {
  return JSON.stringify({ type: "pty:attached", ...message } satisfies PtyAttached);
}

function encodeResized(id: string, cols: number, rows: number): string {
  return JSON.stringify({ type: "pty:resized", id, cols, rows } satisfies PtyResized);
}

function encodeDriver(message: Omit<PtyDriver, "type">): string {
  return JSON.stringify({ type: "pty:driver", ...message } satisfies PtyDriver);
}

export function encodeAsked(id: string, peer: number, label: string, name?: string): string {
  const named = name === undefined ? {} : { name };
  return JSON.stringify({ type: "pty:asked", id, peer, label, ...named } satisfies PtyAsked);
}

export function encodeForeground(message: Omit<PtyForeground, "type">): string {
  return JSON.stringify({ type: "pty:foreground", ...message } satisfies PtyForeground);
}

export function encodeRecording(news: Omit<PtyRecording, "type">): string {
  return JSON.stringify({ type: "pty:recording", ...news } satisfies PtyRecording);
}

export function encodeTitled(id: string, title: string): string {
  return JSON.stringify({ type: "pty:titled", id, title } satisfies PtyTitled);
}

/** Encodes foreground programs, in several messages if there are many. */
export function encodeRunning(all: readonly Running[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at < all.length; at += MAX_RUNNING_PER_MESSAGE) {
    const running = all.slice(at, at + MAX_RUNNING_PER_MESSAGE);
    messages.push(JSON.stringify({ type: "pty:running", running } satisfies PtyRunning));
  }
  return messages;
}

/** Programs in one message; each is a name and a path, both cut. */
const MAX_RUNNING_PER_MESSAGE = 50;

/** Characters of a list; leaves room in a frame for one more terminal with a long path. */
const LIST_CHARS = 64 * KiB;

/** Encodes the list in one message; terminals that do not fit follow as `created`. */
export function encodeTerminals(terminals: Terminal[], role: Role, you: number): string[] {
  let length = 0;
  const fits = (terminal: Terminal) => {
    length += JSON.stringify(terminal).length;
    return length <= LIST_CHARS;
  };
  const first = terminals.filter(fits);
  const rest = terminals
    .slice(first.length)
    .map((terminal): TerminalEvent => ({ type: "terminal", event: "created", terminal }));
  const list: PtyTerminals = { type: "pty:terminals", terminals: first, role, you };
  return [list, ...rest].map((message) => JSON.stringify(message));
}

export function encodeError(code: ErrorCode, error: string, id?: string): string {
  const message: PtyError = { type: "pty:error", ...(id === undefined ? {} : { id }), error, code };
  return JSON.stringify(message);
}

/** Encoders of the messages to viewers, in this dialect. */
export const PTY_MESSAGES: ViewerMessages = {
  attached: encodeAttached,
  output: createOutputEncoder,
  exit: encodeExit,
  resized: encodeResized,
  driver: encodeDriver,
  error: encodeError,
};
