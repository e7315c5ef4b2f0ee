// Owns the tables of the scanner: bytes that start or end a sequence, its states, and the sequences that
// nothing listens to. Reads no bytes itself.

import { TERMINAL_QUERIES } from "../../protocol/terminal-queries.ts";
import { MODE_FINALS } from "./mode-table.ts";

export const ESC = 0x1b;
export const CAN = 0x18;
export const SUB = 0x1a;
export const BEL = 0x07;
export const SHIFT_OUT = 0x0e;
export const SHIFT_IN = 0x0f;
/** The first byte of U+0080 to U+00BF: xterm reads the lower half as C1 controls. */
export const C1_LEAD = 0xc2;

/** Style, movement and erasing, by final byte: most sequences, and none has a listener here. */
export const IGNORED_FINALS = new Uint8Array(128).fill(1);
for (const final of [...MODE_FINALS, ...bareQueries()]) IGNORED_FINALS[final.charCodeAt(0)] = 0;

/** Returns the final bytes of queries without prefix and intermediates. */
function bareQueries(): string[] {
  return TERMINAL_QUERIES.flatMap((query) =>
    query.kind === "csi" && query.prefix + query.intermediates === "" ? [query.final] : [],
  );
}

export const State = {
  ground: 0,
  escape: 1,
  csi: 2,
  osc: 3,
  /** SOS, PM, APC: skipped. */
  other: 4,
  dcsHead: 5,
  dcs: 6,
} as const;
export type State = (typeof State)[keyof typeof State];

/**
 * Returns the state after ESC and this byte, if they introduce a longer sequence. A C1 control means
 * the same as ESC and the byte 0x40 below it.
 */
export function findIntroducedState(byte: number): State | undefined {
  switch (byte) {
    case 0x5b:
      return State.csi;
    case 0x5d:
      return State.osc;
    case 0x50:
      return State.dcsHead;
    case 0x58:
    case 0x5e:
    case 0x5f:
      return State.other;
    default:
      return undefined;
  }
}
