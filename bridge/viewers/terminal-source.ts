// Owns the port through which viewers use terminals: lookup, bytes, size.

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
