// Owns the states of the link, and what others see of them: events and status. The changes between
// states are in relay-link.ts.

import type { WebSocket } from "ws";
import type { Frame } from "../../protocol/frame.ts";
import type { DialProblem } from "./dial-problem.ts";

export interface LinkListener {
  /** Fires when the room accepted the link: frames may be sent. */
  onUp(): void;
  onFrame(frame: Frame): void;
  /** Fires when an accepted link is lost; `own` if `restart` closed it. */
  onDown(reason: string, own: boolean): void;
  /** Fires when the relay refused the link for good. The link has stopped. */
  onRefused(code: number, reason: string): void;
  /** Fires when a dial failed; another follows. */
  onFailed(problem: DialProblem): void;
  /** Whether sent bytes wait for the room's confirmation. */
  hasUnconfirmed(): boolean;
}

/** State of the link for display. Times are Unix ms. */
export type LinkStatus =
  | { readonly up: true; readonly since: number }
  | {
      readonly up: false;
      readonly since: number;
      readonly problem: string;
      /** Unix ms of the next dial; undefined while dialling, and when there will be none. */
      readonly retryAt: number | undefined;
    };

export type LinkState =
  | { readonly is: "stopped" }
  | { readonly is: "waiting"; readonly timer: NodeJS.Timeout; readonly retryAt: number }
  | { readonly is: "greeting"; readonly socket: WebSocket; readonly timer: NodeJS.Timeout }
  | { readonly is: "up"; readonly socket: WebSocket; readonly timer: NodeJS.Timeout };
