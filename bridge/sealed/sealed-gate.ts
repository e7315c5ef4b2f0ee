// Owns the gate at which callers of sealed links shake hands. Whoever confirms a handshake has the
// link's secret, which the relay never had. Comes before every gate that sends anything.

import { SealedFault } from "../../protocol/sealed/faults.ts";
import {
  encodeAgainFrame,
  HANDSHAKE_VERSION,
  HELLO_MARK,
  RECORD_MARK,
} from "../../protocol/sealed/messages.ts";
import type { HelloPayload } from "../../protocol/sealed/messages.ts";
import { toText } from "../../protocol/text.ts";
import type { Caller, CloseReason } from "../callers/caller.ts";
import type { Gate, GateVerdict } from "../callers/gate.ts";
import { PASSED, WAITING } from "../callers/gate.ts";
import { HANDSHAKE_TIMEOUT_MS, SEALED_MESSAGE } from "../callers/proof-gate.ts";
import { logErrors } from "../faults.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import type { Schedule } from "../schedule.ts";
import { scheduleUnref } from "../schedule.ts";
import { HandshakeBudget } from "./handshake-budget.ts";
import { answerHello, openConfirm } from "./host-handshake.ts";
import type { HostSession } from "./host-session.ts";
import type { HostKeyPair } from "./node-crypto.ts";
import { SealedCaller } from "./sealed-caller.ts";

const WRONG_KEY_MESSAGE =
  "This link does not fit the host's keys: copy the whole link again, or ask the host for a new one.";
const VERSION_MESSAGE =
  "The page and the host have different versions of pairpty: reload the page, or update the older one.";
const EARLIER_LINK_MESSAGE =
  "This link is from before end-to-end encryption: ask the host for a new one";
const SILENT_MESSAGE = "The page did not answer in time: connecting again.";
const BUSY_MESSAGE = "Many people are connecting at once: trying again.";

export interface SealedGateDeps {
  readonly grants: { peek(id: string): Grant | undefined };
  readonly hub: { pass(caller: Caller, gate: Gate): void };
  readonly hostKey: HostKeyPair;
  readonly workspace: string;
  /** Returns the origins under which links were printed. */
  readonly origins: () => readonly string[];
  readonly log: Pick<Log, "error">;
  readonly schedule?: Schedule;
  /** Runs an action in a later turn of the event loop. */
  readonly defer?: (action: () => void) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

type HandshakeState =
  /** A hello is expected. */
  | { readonly is: "waiting" }
  /** The hello waits for its turn. */
  | { readonly is: "answering" }
  /** The first record is expected. */
  | { readonly is: "confirming"; readonly session: HostSession; readonly hello: HelloPayload };

interface Pending {
  state: HandshakeState;
  /** Whether the page may still send records of an earlier session. */
  readonly isRepeated: boolean;
  readonly stopTimer: () => void;
}

export class SealedGate implements Gate {
  readonly name = "sealed";
  readonly #deps: SealedGateDeps;
  readonly #schedule: Schedule;
  readonly #defer: (action: () => void) => void;
  readonly #budget: HandshakeBudget;
  readonly #pending = new Map<SealedCaller, Pending>();
  /** Handshakes to answer, one per turn, so that keystrokes of others get through between them. */
  readonly #queue: (() => void)[] = [];

  constructor(deps: SealedGateDeps) {
    this.#deps = deps;
    this.#schedule = deps.schedule ?? scheduleUnref;
    this.#defer = deps.defer ?? setImmediate;
    this.#budget = new HandshakeBudget(deps.now ?? (() => performance.now()));
  }

  check(caller: Caller): GateVerdict {
    if (caller.door.proof !== "ticket") return PASSED;
    const grant = this.#deps.grants.peek(caller.grantId);
    if (grant?.psk === undefined) return checkPlain(grant);
    if (caller instanceof SealedCaller) return WAITING;
    return refuse(SEALED_MESSAGE);
  }

  /** Requires a new handshake: while the link was down, the room dropped records. */
  recheck(caller: Caller): GateVerdict {
    return this.check(caller);
  }

  onWaiting(caller: Caller): void {
    if (!(caller instanceof SealedCaller)) return;
    const isRepeated = caller.isOpen || caller.predatesBridge || this.#pending.has(caller);
    this.onLeave(caller);
    caller.reset();
    const stopTimer = this.#schedule(
      () => this.#onTimeout(caller, isRepeated),
      HANDSHAKE_TIMEOUT_MS,
    );
    this.#pending.set(caller, { state: { is: "waiting" }, isRepeated, stopTimer });
    if (isRepeated) caller.sendHandshake(encodeAgainFrame());
  }

  receive(caller: Caller, payload: Uint8Array): void {
    if (!(caller instanceof SealedCaller)) return undefined;
    const pending = this.#pending.get(caller);
    if (pending === undefined) return undefined;
    const text = toText(payload);
    const { state, isRepeated } = pending;
    switch (state.is) {
      case "waiting":
        if (text.startsWith(HELLO_MARK)) return this.#enqueue(caller, pending, text);
        if (isRepeated && text.startsWith(RECORD_MARK)) return undefined;
        return this.#refuse(caller, SEALED_MESSAGE);
      case "answering":
      case "confirming":
        // A page that got two requests for a handshake sends two hellos: the last one counts.
        if (isRepeated && text.startsWith(HELLO_MARK)) return this.#enqueue(caller, pending, text);
        if (state.is === "confirming") return this.#confirm(caller, state, text);
        return this.#refuse(caller, SEALED_MESSAGE);
    }
  }

  onLeave(caller: Caller): void {
    if (!(caller instanceof SealedCaller)) return;
    this.#pending.get(caller)?.stopTimer();
    this.#pending.delete(caller);
  }

  /** Closes a silent caller. A page that had a session connects again: it may have been asleep. */
  #onTimeout(caller: SealedCaller, isRepeated: boolean): void {
    if (isRepeated) this.#close(caller, { why: "unreadable", message: SILENT_MESSAGE });
    else this.#refuse(caller, SEALED_MESSAGE);
  }

  #enqueue(caller: SealedCaller, pending: Pending, hello: string): void {
    if (!this.#budget.tryTake()) return this.#close(caller, { why: "full", message: BUSY_MESSAGE });
    const state: HandshakeState = { is: "answering" };
    pending.state = state;
    this.#queue.push(
      logErrors(this.#deps.log, "a handshake", () => {
        // The caller may have left, or started again.
        if (this.#pending.get(caller) !== pending || pending.state !== state) return;
        this.#answer(caller, pending, hello);
      }),
    );
    if (this.#queue.length === 1) this.#defer(() => this.#runNext());
    return undefined;
  }

  #runNext(): void {
    this.#queue[0]?.();
    this.#queue.shift();
    if (this.#queue.length > 0) this.#defer(() => this.#runNext());
  }

  #answer(caller: SealedCaller, pending: Pending, text: string): void {
    const { grants, hostKey, workspace, origins } = this.#deps;
    const { grantId: id } = caller;
    const grant = grants.peek(id);
    if (grant?.psk === undefined) return this.#refuse(caller, SEALED_MESSAGE);
    const deps = { hostKey, psk: grant.psk, workspace, origins: origins(), id };
    const payload = { v: HANDSHAKE_VERSION, role: grant.role, caps: [] };
    try {
      const { hello, ready, session } = answerHello(deps, text, payload);
      pending.state = { is: "confirming", session, hello };
      return caller.sendHandshake(ready);
    } catch (error) {
      return this.#refuseFault(caller, error);
    }
  }

  #confirm(
    caller: SealedCaller,
    { session, hello }: Extract<HandshakeState, { is: "confirming" }>,
    text: string,
  ): void {
    try {
      openConfirm(session, text);
    } catch (error) {
      return this.#refuseFault(caller, error);
    }
    this.onLeave(caller);
    caller.begin(session, hello);
    return this.#deps.hub.pass(caller, this);
  }

  #refuseFault(caller: SealedCaller, error: unknown): void {
    if (!(error instanceof SealedFault)) {
      this.#close(caller, { why: "internal", message: SEALED_MESSAGE });
      throw error;
    }
    if (error.code === "version") return this.#refuse(caller, VERSION_MESSAGE);
    const isWrongKey = error.code === "not_authentic";
    return this.#refuse(caller, isWrongKey ? WRONG_KEY_MESSAGE : SEALED_MESSAGE);
  }

  #refuse(caller: SealedCaller, message: string): void {
    this.#close(caller, { why: "sealed", message });
  }

  #close(caller: SealedCaller, reason: CloseReason): void {
    this.onLeave(caller);
    caller.close(reason);
  }
}

/** Lets agents pass, and people whose link the host made plain on purpose. */
function checkPlain(grant: Grant | undefined): GateVerdict {
  if (grant === undefined || grant.role === "agent" || grant.plain === true) return PASSED;
  return refuse(EARLIER_LINK_MESSAGE);
}

function refuse(message: string): GateVerdict {
  return { is: "refused", reason: { why: "sealed", message } };
}
