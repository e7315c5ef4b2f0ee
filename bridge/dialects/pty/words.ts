// Owns the wording of the pty dialect's messages. Pure.

import type { Wording } from "../../channels/encoding.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import { CloseCode } from "../../../protocol/codes.ts";
import type { Role } from "../../../protocol/grant.ts";
import type {
  Ping,
  PtyAsked,
  PtyAttached,
  PtyDriver,
  PtyError,
  PtyExit,
  PtyResized,
  PtyTerminals,
  PtyTitled,
} from "../../../protocol/pty.ts";
import type { PeerClose } from "../../../protocol/link.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { Exit, Terminal, TerminalEvent } from "../../../protocol/terminal.ts";

/** How a viewer is closed whose grant is gone. */
export const GRANT_ENDED: PeerClose = {
  code: CloseCode.unauthorized,
  reason: "this link has expired or was revoked",
};

/** By hand, because it is on the path of every byte: only `data` needs quoting. */
export function outputWording(id: string): Wording {
  const head = `{"type":"pty:output","id":${JSON.stringify(id)},"data":`;
  return (text, offset, next) =>
    `${head}${JSON.stringify(text)},"offset":${offset},"next":${next}}`;
}

export function exitWords(id: string, exit: Exit): string {
  const message: PtyExit = { type: "pty:exit", id, ...exit };
  return JSON.stringify(message);
}

export function attachedWords(message: Omit<PtyAttached, "type">): string {
  return JSON.stringify({ type: "pty:attached", ...message } satisfies PtyAttached);
}

export function pingWords(n: number): string {
  return JSON.stringify({ type: "pairpty:ping", n } satisfies Ping);
}

export function resizedWords(id: string, cols: number, rows: number): string {
  return JSON.stringify({ type: "pty:resized", id, cols, rows } satisfies PtyResized);
}

export function driverWords(message: Omit<PtyDriver, "type">): string {
  return JSON.stringify({ type: "pty:driver", ...message } satisfies PtyDriver);
}

export function askedWords(id: string, peer: number, label: string): string {
  return JSON.stringify({ type: "pty:asked", id, peer, label } satisfies PtyAsked);
}

export function titledWords(id: string, title: string): string {
  return JSON.stringify({ type: "pty:titled", id, title } satisfies PtyTitled);
}

/** Leaves room in a frame for one more terminal, however long its folder's name is. */
const LIST_CHARS = 64 * KiB;

/** The list in one message; those that do not fit follow as if they were created just then. */
export function terminalsWords(terminals: Terminal[], role: Role, you: number): string[] {
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

export function errorWords(code: ErrorCode, error: string, id?: string): string {
  const message: PtyError = { type: "pty:error", ...(id === undefined ? {} : { id }), error, code };
  return JSON.stringify(message);
}
