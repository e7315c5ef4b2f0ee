// Owns the port for messages to viewers; a dialect implements it. Also owns the port through which
// viewers use terminals: lookup, bytes, size.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { PtyAttached, PtyDriver } from "../../protocol/pty.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { GetChannelMessages } from "../channels/channel-table.ts";
import type { FormatOutput, RenditionName } from "../channels/rendition.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

export interface TerminalSource {
  get(id: string): PoolTerminal | undefined;
  /** Fetches retained bytes; calls `accept` at an exact point of the stream. */
  fetch<T>(
    terminal: PoolTerminal,
    from: number,
    most: number,
    accept: (retained: RetainedBytes) => T,
    to?: number,
    /** Callers are served in turn. */
    caller?: string,
  ): Promise<T>;
  resize(terminal: PoolTerminal, cols: number, rows: number): void;
}

export interface ViewerMessages {
  /** Returns undefined if the dialect has no such message; nothing is sent then. */
  attached(message: Omit<PtyAttached, "type">): string | undefined;
  output(id: string): FormatOutput;
  exit(id: string, exit: Exit): string;
  resized(id: string, cols: number, rows: number): string | undefined;
  driver(message: Omit<PtyDriver, "type">): string | undefined;
  error(code: ErrorCode, message: string, id?: string): string;
}

/** Returns the messages of a rendition's dialect. */
export type MessagesByRendition = (rendition: RenditionName) => ViewerMessages;

/** Returns the messages of one terminal's channels. */
export function toChannelMessages(messagesBy: MessagesByRendition): GetChannelMessages {
  return ({ id }, rendition) => {
    const messages = messagesBy(rendition);
    return { output: messages.output(id), exit: (exit) => messages.exit(id, exit) };
  };
}
