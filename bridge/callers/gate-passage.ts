// Owns the way through the gates: asks them in order, and holds the callers that wait, each with its
// gate. A gate that throws refuses. Does not close or greet callers: the hub acts on the verdict.

import { INTERNAL_ERROR, logErrors, logFault } from "../faults.ts";
import type { Log } from "../log.ts";
import type { Caller } from "./caller.ts";
import type { Gate, GateDenial, GateVerdict } from "./gate.ts";
import { PASSED, WAITING } from "./gate.ts";

export class GatePassage {
  readonly #log: Pick<Log, "error">;
  readonly #gates: Gate[] = [];
  readonly #waiting = new Map<Caller, Gate>();

  constructor(log: Pick<Log, "error">) {
    this.#log = log;
  }

  /** Adds a gate behind those that exist; every caller must pass them all. */
  add(gate: Gate): void {
    this.#gates.push(gate);
  }

  /** Asks all gates about a new caller. */
  enter(caller: Caller): GateVerdict {
    return this.#askFrom(0, caller);
  }

  /** Asks the gates after `gate`, which lets the caller go on; undefined if it did not wait there. */
  leaveGate(caller: Caller, gate: Gate): GateVerdict | undefined {
    if (this.#waiting.get(caller) !== gate) return undefined;
    this.#waiting.delete(caller);
    return this.#askFrom(this.#gates.indexOf(gate) + 1, caller);
  }

  /** Asks the gates that let the caller pass once more, after the link came back. */
  recheck(caller: Caller): GateVerdict {
    const waitsAt = this.#waiting.get(caller);
    const passed =
      waitsAt === undefined ? this.#gates : this.#gates.slice(0, this.#gates.indexOf(waitsAt));
    for (const gate of passed) {
      const verdict = this.#ask(gate, caller, () => gate.recheck?.(caller) ?? PASSED);
      // A caller that starts over at an earlier gate has left the one that it waited at.
      if (verdict.is === "waiting") waitsAt?.onLeave?.(caller);
      if (verdict.is !== "passed") return verdict;
    }
    if (waitsAt === undefined) return PASSED;
    waitsAt.onWaiting?.(caller);
    return WAITING;
  }

  isWaiting(caller: Caller): boolean {
    return this.#waiting.has(caller);
  }

  /** Passes a message to the gate that the caller waits at. */
  receive(caller: Caller, payload: Uint8Array): void {
    const gate = this.#waiting.get(caller);
    logErrors(this.#log, "a waiting caller's message", () => gate?.receive?.(caller, payload))();
  }

  /** Removes a caller that disconnected. */
  remove(caller: Caller): void {
    const gate = this.#waiting.get(caller);
    this.#waiting.delete(caller);
    gate?.onLeave?.(caller);
  }

  /** Returns why a gate refuses a request of a caller that passed; undefined if none does. */
  requestDenial(caller: Caller, request: Request): GateDenial | undefined {
    for (const gate of this.#gates) {
      const denial = gate.requestDenial?.(caller, request);
      if (denial !== undefined) return denial;
    }
    return undefined;
  }

  #askFrom(first: number, caller: Caller): GateVerdict {
    for (const gate of this.#gates.slice(first)) {
      const verdict = this.#ask(gate, caller, () => gate.check(caller));
      if (verdict.is !== "passed") return verdict;
    }
    return PASSED;
  }

  #ask(gate: Gate, caller: Caller, decide: () => GateVerdict): GateVerdict {
    const verdict = this.#decide(gate, decide);
    if (verdict.is === "waiting") {
      this.#waiting.set(caller, gate);
      gate.onWaiting?.(caller);
    }
    return verdict;
  }

  #decide(gate: Gate, decide: () => GateVerdict): GateVerdict {
    try {
      return decide();
    } catch (error) {
      logFault(this.#log, `the gate ${gate.name}`, error);
      return { is: "refused", reason: { why: "internal", message: INTERNAL_ERROR } };
    }
  }
}
