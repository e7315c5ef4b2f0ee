// Owns whether a caller has proved its grant to the bridge. A relay routes by tickets and may lie
// about everything else, so the bridge compares the ticket itself, at every door of the relay and
// again whenever the link comes back. Sockets of this machine prove by their file's permissions.

import { ticketGrantId } from "../../protocol/grant.ts";
import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Log } from "../log.ts";
import type { Schedule } from "../schedule.ts";
import { scheduleUnref } from "../schedule.ts";
import type { Caller, CloseReason } from "./caller.ts";
import { DOORS } from "./caller.ts";
import type { Gate, GateVerdict } from "./gate.ts";
import { PASSED, WAITING } from "./gate.ts";

/** Time for the first message of a handshake. */
export const HANDSHAKE_TIMEOUT_MS = 10_000;

/** As many as there are grants, doors and kinds of claims at worst; no relay may fill the log. */
const MAX_LOGGED = 1_000;

export const SEALED_MESSAGE =
  "This link is end-to-end encrypted; open it in a browser or with pairpty.";
const NO_TICKET_MESSAGE = "The relay lost this client's ticket: connect again.";
const WRONG_DOOR_MESSAGE = "This token is not for this kind of connection.";
const UNPROVEN_MESSAGE = "This ticket does not prove the link that the relay named.";

export interface ProofGateDeps {
  readonly grants: {
    /** Returns the grant whose token this is; undefined if there is none. */
    verify(ticket: string): Grant | undefined;
    /** Returns the valid grant with this id, and records no use: naming one proves nothing. */
    peek(id: string): Grant | undefined;
  };
  readonly log: Pick<Log, "warn">;
  /** Whether the next gate shakes hands with sealed links: people's sockets then pass on to it. */
  readonly hasHandshakes?: boolean;
  readonly schedule?: Schedule;
}

export class ProofGate implements Gate {
  readonly name = "proof";
  readonly #deps: ProofGateDeps;
  readonly #schedule: Schedule;
  /** Callers with a sealed grant that have not shaken hands, and how to stop their timeout. */
  readonly #waiting = new Map<Caller, () => void>();
  readonly #logged = new Set<string>();

  constructor(deps: ProofGateDeps) {
    this.#deps = deps;
    this.#schedule = deps.schedule ?? scheduleUnref;
  }

  check(caller: Caller): GateVerdict {
    if (caller.door.proof !== "ticket") return PASSED;
    const { ticket, grantId, door } = caller;
    const claimed = this.#deps.grants.peek(grantId);
    if (claimed?.psk !== undefined) return this.#checkSealed(caller, claimed);
    if (ticket === undefined) {
      this.#logOnce(caller, "without a ticket");
      return refuse("no ticket", NO_TICKET_MESSAGE);
    }
    const grant = this.#deps.grants.verify(ticket);
    if (grant?.id === grantId) {
      if (DOORS[door.name].roles.includes(grant.role)) return PASSED;
      this.#logOnce(caller, `that role ${grant.role} does not open`);
      return refuse("wrong door", WRONG_DOOR_MESSAGE);
    }
    // An outdated relay may still admit a link that has ended; that is not a false claim.
    if (claimed === undefined && ticketGrantId(ticket) === grantId)
      return refuse("revoked", LINK_ENDED_REASONS.revoked);
    this.#logOnce(
      caller,
      grant === undefined ? "with a wrong ticket" : "with another link's ticket",
    );
    return refuse("unproven", UNPROVEN_MESSAGE);
  }

  recheck(caller: Caller): GateVerdict {
    return this.check(caller);
  }

  onWaiting(caller: Caller): void {
    if (this.#waiting.has(caller)) return;
    const end = () => this.#refuseSealed(caller);
    this.#waiting.set(caller, this.#schedule(end, HANDSHAKE_TIMEOUT_MS));
  }

  /** Closes the caller: no message but a handshake is accepted from a sealed link. */
  receive(caller: Caller): void {
    this.#refuseSealed(caller);
  }

  onLeave(caller: Caller): void {
    this.#waiting.get(caller)?.();
    this.#waiting.delete(caller);
  }

  /**
   * Lets sockets of people go on to the handshake; HTTP and coding agents have none. A plain room
   * knows no handshake, and waits in vain for a first message.
   */
  #checkSealed({ door }: Caller, { role }: Grant): GateVerdict {
    const isOpen = door.name === "people" && DOORS.people.roles.includes(role);
    if (!isOpen) return refuse("sealed", SEALED_MESSAGE);
    return this.#deps.hasHandshakes === true ? PASSED : WAITING;
  }

  #refuseSealed(caller: Caller): void {
    this.onLeave(caller);
    caller.close({ why: "sealed", message: SEALED_MESSAGE });
  }

  /** Logs what a relay claimed, once for each link and kind of claim. */
  #logOnce({ grantId, door }: Caller, what: string): void {
    // Ids that do not exist are countless, and must not use up the lines for those that do.
    const link =
      this.#deps.grants.peek(grantId) === undefined
        ? "a link that does not exist"
        : `the link ${grantId}`;
    const text = `the relay named ${link} for a caller at ${door.name} ${what}; refused`;
    if (this.#logged.has(text) || this.#logged.size >= MAX_LOGGED) return;
    this.#logged.add(text);
    this.#deps.log.warn(text);
  }
}

function refuse(why: CloseReason["why"], message: string): GateVerdict {
  return { is: "refused", reason: { why, message } };
}
