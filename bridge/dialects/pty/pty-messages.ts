// Owns encoding the pty dialect's messages. Also owns the messages that everyone in the room gets
// unrequested: terminals that are created, change or close, and their titles.

import { compact } from "../../../protocol/compact.ts";
import type { ErrorCode } from "../../../protocol/codes.ts";
import type { Role } from "../../../protocol/grant.ts";
import { KiB } from "../../../protocol/limits.ts";
import type { PtyEvent, PtyEventOf, Running } from "../../../protocol/pty.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { Hub } from "../../callers/hub.ts";
import { canSee } from "../../callers/permissions.ts";
import type { FormatOutput } from "../../channels/rendition.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import type { ViewerMessages } from "../../viewers/viewer-ports.ts";

/** Encodes by hand, since this runs for every chunk of output: only `data` needs quoting. */
function createOutputEncoder(id: string): FormatOutput {
  const head = `{"type":"pty:output","id":${JSON.stringify(id)},"data":`;
  return (text, offset, next) =>
    `${head}${JSON.stringify(text)},"offset":${offset},"next":${next}}`;
}

/** Encodes one message to a client. */
export function encodeEvent<Type extends PtyEvent["type"]>(
  type: Type,
  fields: Omit<PtyEventOf<Type>, "type">,
): string {
  return JSON.stringify({ type, ...fields });
}

/** Encodes foreground programs, in several messages if there are many. */
export function encodeRunning(all: readonly Running[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at < all.length; at += MAX_RUNNING_PER_MESSAGE) {
    const running = all.slice(at, at + MAX_RUNNING_PER_MESSAGE);
    messages.push(encodeEvent("pty:running", { running }));
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
    .map((terminal) => encodeEvent("terminal", { event: "created", terminal }));
  return [encodeEvent("pty:terminals", { terminals: first, role, you }), ...rest];
}

export function encodeError(code: ErrorCode, error: string, id?: string): string {
  return encodeEvent("pty:error", { ...compact({ id }), error, code });
}

/** Encoders of the messages to viewers, in this dialect. */
export const PTY_MESSAGES: ViewerMessages = {
  attached: (message) => encodeEvent("pty:attached", message),
  output: createOutputEncoder,
  exit: (id, exit) => encodeEvent("pty:exit", { id, ...exit }),
  resized: (id, cols, rows) => encodeEvent("pty:resized", { id, cols, rows }),
  driver: (message) => encodeEvent("pty:driver", message),
  error: encodeError,
};

// Callers that may not see a terminal get none about it.

type VisibilityMeta = Parameters<typeof canSee>[1];

/** Sends terminal events and titles to callers that may see the terminal; returns how to stop. */
export function broadcastTerminalNews(
  pool: Pick<TerminalPool, "onEvent" | "onTitle">,
  hub: Pick<Hub, "broadcast">,
): () => void {
  // Decided by the event's own data: the pool may have dropped the terminal before its end is sent.
  const broadcast = (about: VisibilityMeta, message: string, before: VisibilityMeta = about) =>
    hub.broadcast(message, (_caller, grant) => canSee(grant, about) && canSee(grant, before));
  const disposables = [
    // Callers that gain sight by the change get `created` instead (people/terminal-sharing.ts).
    pool.onEvent((event, before) => broadcast(event.terminal, JSON.stringify(event), before)),
    pool.onTitle(({ id, title, meta }) =>
      broadcast(meta, encodeEvent("pty:titled", { id, title })),
    ),
  ];
  return () => {
    for (const dispose of disposables) dispose();
  };
}
