// Owns who has to wait: people that connect, and requests of their browsers. Also remembers the
// callers that a restart made unknown, which may only watch until they identify themselves. Does
// not hold who waits; presence-tracker.ts does.

import { DEVICE_HEADER, DEVICE_PATTERN, SENT_AWAY_MESSAGE } from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import { DOORS } from "../callers/caller.ts";
import type { Gate, GateDenial, GateVerdict } from "../callers/gate.ts";
import { PASSED, WAITING } from "../callers/gate.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Devices } from "./devices.ts";
import { hashDevice } from "./devices.ts";

const WAITING_MESSAGE = "The host has not let this browser in";

export class AdmissionRules implements Pick<Gate, "check" | "requestDenial"> {
  readonly #devices: Pick<Devices, "getVerdict" | "isAdmitted" | "hasRestrictions">;
  readonly #isAdmissionRequired: boolean;
  /** Callers admitted by an earlier bridge; this bridge does not know what its host decided about them. */
  readonly #unverified = new WeakSet<Caller>();

  /** Takes whether everyone but the host's own page has to wait, whatever their link. */
  constructor(
    devices: Pick<Devices, "getVerdict" | "isAdmitted" | "hasRestrictions">,
    isAdmissionRequired: boolean,
  ) {
    this.#devices = devices;
    this.#isAdmissionRequired = isAdmissionRequired;
  }

  /**
   * Decides whether the caller has to wait. Windows on this machine and the host's own page never do.
   * Callers let in by an earlier bridge may only watch until they identify themselves, if they may
   * have been limited or removed, or if people have to wait now.
   */
  check(caller: Caller): GateVerdict {
    const grant = caller.grant();
    const { receivesBroadcasts, trusted } = DOORS[caller.door.name];
    if (!receivesBroadcasts || trusted || grant === undefined || grant.own === true) return PASSED;
    const requiresAdmission = this.requiresAdmission(grant);
    if (caller.wasAdmitted !== true && requiresAdmission) return WAITING;
    const wasConnected = caller.wasAdmitted === true || caller.predatesBridge === true;
    if (wasConnected && (requiresAdmission || this.#devices.hasRestrictions())) {
      this.#unverified.add(caller);
      caller.status = { ...caller.status, limit: "view" };
    }
    return PASSED;
  }

  /** Returns why a request is refused: a link that requires admission serves only admitted browsers. */
  requestDenial(caller: Caller, request: Request): GateDenial | undefined {
    const grant = caller.grant();
    if (caller.door.name !== "http" || grant === undefined || grant.role === "agent") {
      return undefined;
    }
    const given = request.headers.get(DEVICE_HEADER) ?? "";
    const device = DEVICE_PATTERN.test(given) ? hashDevice(given) : undefined;
    const { isAway, limit } = this.#devices.getVerdict(device);
    if (isAway === true) return toForbidden(SENT_AWAY_MESSAGE);
    // A session's person has passed this gate, and its requests end with it.
    const isWaiting = caller.door.proof !== "session" && this.requiresAdmission(grant);
    if (isWaiting && !this.isAdmitted(grant, device)) return toForbidden(WAITING_MESSAGE);
    caller.status = { limit };
    return undefined;
  }

  isUnverified(caller: Caller): boolean {
    return this.#unverified.has(caller);
  }

  /** Forgets that a caller was unknown: it identified itself, or the host decided about it. */
  markVerified(caller: Caller): void {
    this.#unverified.delete(caller);
  }

  /** Whether a browser was let in by this link, or the link is the browser's own. */
  isAdmitted(grant: Grant, device: string | undefined): boolean {
    if (device !== undefined && grant.device === device) return true;
    return this.#devices.isAdmitted(device, grant.id);
  }

  /** Whether a browser need not wait: its link requires no admission, or it was let in. */
  isKnown(grant: Grant | undefined, device: string | undefined): boolean {
    if (grant === undefined || device === undefined) return false;
    return !this.requiresAdmission(grant) || this.isAdmitted(grant, device);
  }

  /** Whether a browser that was not admitted has to wait with this link. */
  requiresAdmission({ knock, device, own }: Grant): boolean {
    if (own === true) return false;
    // A browser's remembered link must not work in another browser.
    return this.#isAdmissionRequired || knock === true || device !== undefined;
  }
}

function toForbidden(error: string): GateDenial {
  return { code: "forbidden", error };
}
