// Owns the interface through which terminals send to the bridge, if one is connected. connection.ts
// implements it.

import type { Query } from "../../protocol/host.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Ring } from "./ring.ts";

export interface Outlet {
  /** False while the socket is backed up: send no output until it is drained. */
  readonly ready: boolean;
  /** Sends bytes [from, to) of the ring, at most one frame. They are copied or sent on return. */
  output(handle: number, ring: Ring, from: number, to: number): void;
  gap(handle: number, from: number, to: number): void;
  activity(handle: number, end: number): void;
  query(handle: number, query: Query): void;
  /** Sends the title; returns false if it has to be sent later. */
  title(handle: number, title: string): boolean;
  exited(handle: number, exit: Exit, end: number): void;
}
