// Owns the wording of the pty dialect's messages. Pure.

import type { Wording } from "../../channels/encoding.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import type { Role } from "../../../protocol/grant.ts";
import type {
  PtyAttached,
  PtyError,
  PtyExit,
  PtyResized,
  PtyTerminals,
} from "../../../protocol/pty.ts";
import type { Exit, Terminal } from "../../../protocol/terminal.ts";

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

export function resizedWords(id: string, cols: number, rows: number): string {
  return JSON.stringify({ type: "pty:resized", id, cols, rows } satisfies PtyResized);
}

export function terminalsWords(terminals: Terminal[], role: Role): string {
  return JSON.stringify({ type: "pty:terminals", terminals, role } satisfies PtyTerminals);
}

export function errorWords(code: ErrorCode, error: string, id?: string): string {
  const message: PtyError = { type: "pty:error", ...(id === undefined ? {} : { id }), error, code };
  return JSON.stringify(message);
}
