// Owns the shape of the way out: what terminals may tell the one bridge, if one is there.
// connection.ts is the real one.

import type { Query } from "../../protocol/host.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Ring } from "./ring.ts";

export interface Outlet {
  /** False while the socket is backed up: send no output until told that it is drained. */
  readonly ready: boolean;
  /** Bytes [from, to) of the ring, at most one frame of them. They are copied or sent on return. */
  output(handle: number, ring: Ring, from: number, to: number): void;
  gap(handle: number, from: number, to: number): void;
  activity(handle: number, end: number): void;
  query(handle: number, query: Query): void;
  /** False when it has to be told later. */
  title(handle: number, title: string): boolean;
  exited(handle: number, exit: Exit, end: number): void;
}
