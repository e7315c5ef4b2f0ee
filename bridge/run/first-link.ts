// Owns the outcome of a start's first connection to the relay: success, or an error with its reason and
// a hint.

import { CloseCode } from "../../protocol/codes.ts";
import type { BridgeEvent } from "./run-options.ts";
import { ExitCode, UserError } from "../errors.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import type { DialProblem } from "../link/dial-problem.ts";

const FIRST_LINK_MS = 8_000;

export class FirstLink {
  /** Resolves once: undefined when the room accepted the bridge, else the error. Never rejects. */
  readonly outcome: Promise<UserError | undefined>;
  /** True once the room has accepted the bridge. */
  isEstablished = false;
  readonly #address: RelayAddress;
  #settle: (outcome: UserError | undefined) => void = () => {};
  #problem: DialProblem | undefined;

  constructor(address: RelayAddress) {
    this.#address = address;
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
      setTimeout(() => resolve(this.#error()), FIRST_LINK_MS).unref();
    });
  }

  onEvent(event: BridgeEvent): void {
    if (event.event === "link_refused") return this.#settle(this.#error(event));
    if (event.event !== "link_up") return undefined;
    this.isEstablished = true;
    return this.#settle(undefined);
  }

  onDialFailed(problem: DialProblem): void {
    this.#problem = problem;
    if (problem.isPermanent) this.#settle(this.#error());
  }

  #error(refusal?: Extract<BridgeEvent, { event: "link_refused" }>): UserError {
    const { origin } = this.#address;
    if (refusal !== undefined) {
      const { code, reason } = refusal;
      return new UserError(`${origin} refused: ${reason}`, ExitCode.refused, getHint(code));
    }
    return new UserError(
      `${origin} cannot be reached: ${this.#problem?.reason ?? "no answer yet"}`,
      ExitCode.unavailable,
      this.#problem?.hint ?? "Is the address right, and is the relay running?",
    );
  }
}

function getHint(code: number): string {
  switch (code) {
    case CloseCode.anotherBridge:
      return "Another bridge serves this workspace. Stop it, or use another --workspace.";
    case CloseCode.version:
      return "Relay and bridge are of different versions; update the older one.";
    case CloseCode.unauthorized:
      return "This room name is taken. Choose another --workspace, or leave it out; --new gives the folder a new room.";
    default:
      return "If it is your relay, set PAIRPTY_RELAY_KEY to its RELAY_KEY.";
  }
}
