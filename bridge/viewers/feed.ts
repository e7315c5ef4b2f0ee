// Owns what viewers need of the terminals, as a port: finding one, its bytes, its size.

import type { Retained } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

export interface Feed {
  get(id: string): PoolTerminal | undefined;
  /** `accept` gets what is retained at an exact place in the stream. */
  fetch<T>(
    terminal: PoolTerminal,
    from: number,
    most: number,
    accept: (retained: Retained) => T,
    to?: number,
    /** Whose turn the fetch takes: callers are served in turn. */
    caller?: string,
  ): Promise<T>;
  resize(terminal: PoolTerminal, cols: number, rows: number): void;
}
