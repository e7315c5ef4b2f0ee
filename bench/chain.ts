// Owns the shape that every chain under test has: a way from a program in a PTY to a viewer.

import type { Viewed } from "./viewing.ts";

export interface OpenTerminal extends Viewed {
  close(): Promise<void>;
}

export interface Chain {
  readonly name: string;
  /** The processes that a byte passes, by what they do. */
  readonly processes: Readonly<Record<string, number>>;
  open(command: readonly string[]): Promise<OpenTerminal>;
}
