// Owns the shape that every chain under test has: a way from a program in a PTY to a viewer.

import type { Viewed } from "./viewer/viewing.ts";

export interface OpenTerminal extends Viewed {
  close(): Promise<void>;
}

export interface Chain {
  readonly name: string;
  /** The processes that a byte passes, by what they do. */
  readonly processes: () => Readonly<Record<string, number>>;
  open(command: readonly string[]): Promise<OpenTerminal>;
  /** Whether several viewers look at one program; where it is not, each has its own. */
  readonly isShared?: boolean;
  /** What a crowd comes in with, in turn, where one link is not enough for all of them. */
  readonly crowdProtocols?: () => Promise<readonly (readonly string[])[]>;
}

/** Only what a viewer's process has to know: a terminal's handle does not cross to it. */
export function toViewed({ id, url, protocols, dialect, acks }: Viewed): Viewed {
  return { id, url, protocols, dialect, acks };
}
