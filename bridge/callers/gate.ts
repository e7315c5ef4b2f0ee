// Owns the shape of a gate: one condition that a caller must meet before the hub opens it. The hub
// asks its gates in order. Until all have let a caller pass, nothing that the bridge makes reaches
// it, and its messages go to the gate that it waits at.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { Caller, CloseReason } from "./caller.ts";

export type GateVerdict =
  | { readonly is: "passed" }
  | { readonly is: "waiting" }
  | { readonly is: "refused"; readonly reason: CloseReason };

export const PASSED: GateVerdict = { is: "passed" };
export const WAITING: GateVerdict = { is: "waiting" };

export interface Gate {
  /** For the log. */
  readonly name: string;
  /** Decides about a caller that connects. A gate that throws refuses. */
  check(caller: Caller): GateVerdict;
  /** Decides again when the link comes back; absent: the first decision stands. */
  recheck?(caller: Caller): GateVerdict;
  /** Fires when a caller starts to wait here, and again when the link comes back meanwhile. */
  onWaiting?(caller: Caller): void;
  /** Handles a message of a caller that waits here. Each gate limits how many it accepts. */
  receive?(caller: Caller, payload: Uint8Array): void;
  /** Fires when a caller that waits here disconnects. */
  onLeave?(caller: Caller): void;
  /** Returns why a request of a caller that passed is refused; undefined if it is allowed. */
  requestDenial?(caller: Caller, request: Request): GateDenial | undefined;
}

export interface GateDenial {
  readonly code: ErrorCode;
  readonly error: string;
}
