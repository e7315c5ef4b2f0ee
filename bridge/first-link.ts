// Owns what is said when a start gets no link: why, and what to do. Pure.

import { CloseCode } from "../protocol/codes.ts";
import type { BridgeEvent } from "./bridge.ts";
import { ExitCode, UserError } from "./errors.ts";
import type { RelayAddress } from "./link/address.ts";
import type { DialProblem } from "./link/dial-problem.ts";

export function firstLinkError(
  { origin }: RelayAddress,
  event: BridgeEvent | undefined,
  problem: DialProblem | undefined,
): UserError {
  if (event?.event !== "link_refused") {
    return new UserError(
      `${origin} cannot be reached: ${problem?.reason ?? "no answer yet"}`,
      ExitCode.unavailable,
      problem?.hint ?? "Is the address right, and does the relay run?",
    );
  }
  return new UserError(`${origin} refused: ${event.reason}`, ExitCode.refused, hintFor(event.code));
}

function hintFor(code: number): string {
  switch (code) {
    case CloseCode.anotherBridge:
      return "Another bridge serves this workspace. Stop it, or use another --workspace.";
    case CloseCode.version:
      return "Relay and bridge are of different versions; update the older one.";
    default:
      return "If it is your relay, set PAIRPTY_RELAY_KEY to its RELAY_KEY. If the workspace's name is taken, use another --workspace.";
  }
}
