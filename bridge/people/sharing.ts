// Owns links that people with permission to share make in the page, and the link that a browser
// remembers. Neither gives more rights than its maker has, and both end with the link they came
// from.

import type { ErrorCode } from "../../protocol/codes.ts";
import { DEFAULT_SCOPES } from "../../protocol/grant.ts";
import type { RoomLink, RoomRequest } from "../../protocol/room.ts";
import { calledBy, whyNotKept } from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import { nameOf } from "../callers/caller.ts";
import { may, whyNot } from "../callers/rights.ts";
import type { Grant, GrantTable, NewGrant } from "../grants/table.ts";
import { NotSaved } from "../workspace/durable-file.ts";
import type { Devices } from "./devices.ts";
import type { Visitors } from "./visitors.ts";

/** Valid links made by one link, at most: enough for a team, too few to hoard tokens. */
const MOST_MADE = 20;
/** Characters of a label. */
const LABEL_CHARS = 80;

/**
 * Same as `pairpty connect`: unknown commands that the agent starts in the background need
 * approval.
 */
const AGENT_TERMS: Pick<NewGrant, "scopes" | "spawnApproval"> = {
  scopes: [...DEFAULT_SCOPES],
  spawnApproval: "unknown",
};

type ShareWish = Extract<RoomRequest, { type: "room:share" }>;

export interface SharingParts {
  readonly grants: Pick<GrantTable, "list" | "lookUp" | "mint" | "revoke">;
  readonly visitors: Pick<Visitors, "of">;
  readonly devices: Pick<Devices, "admit">;
  /** Returns the page's address with a token. */
  readonly linkWith: (token: string) => string;
  /** Resolves when the room has the new grant. */
  readonly confirmed: () => Promise<void>;
  readonly now?: () => number;
}

export type Made<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export class Sharing {
  readonly #parts: SharingParts;
  readonly #now: () => number;

  constructor(parts: SharingParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
  }

  mayShare(caller: Caller): boolean {
    const grant = caller.grant();
    return grant?.mayShare === true && may(grant, "change");
  }

  isRemembered(caller: Caller): boolean {
    return this.#parts.grants.lookUp(caller.grantId)?.device !== undefined;
  }

  async share(caller: Caller, wish: ShareWish): Promise<Made<{ link: string; grant: RoomLink }>> {
    const own = this.#parts.grants.lookUp(caller.grantId);
    const refused = this.#refusal(caller);
    if (refused !== undefined || own === undefined) return refused ?? ENDED;
    const { role, label, knock } = wish;
    const made = this.#madeBy(caller);
    if (made.length >= MOST_MADE) {
      const error = `You have made ${MOST_MADE} links. Revoke one first`;
      return { ok: false, code: "too_many", error };
    }
    if (role === "agent" && own.knock === true) {
      const error =
        "A link that requires admission (--knock) cannot make agent tokens: agents cannot wait to be let in";
      return { ok: false, code: "forbidden", error };
    }
    const asked = this.#now() + wish.expiresInMs;
    const minted = this.#mint({
      role,
      ...(role === "agent" ? AGENT_TERMS : { scopes: [] }),
      label:
        label === ""
          ? `made by ${calledBy(caller.standing?.name, nameOf(own))}`.slice(0, LABEL_CHARS)
          : label,
      expiresAt: Math.min(asked, own.expiresAt ?? asked),
      session: own.session,
      madeBy: own.id,
      // A link that requires admission cannot make one that does not.
      ...(role !== "agent" && (knock === true || own.knock === true) ? { knock: true } : {}),
    });
    if (!minted.ok) return minted;
    const { grant, token } = minted.value;
    await this.#parts.confirmed();
    return { ok: true, value: { link: this.#parts.linkWith(token), grant: toLink(grant) } };
  }

  links(caller: Caller): Made<RoomLink[]> {
    const refused = this.#refusal(caller);
    return refused ?? { ok: true, value: this.#madeBy(caller).map(toLink) };
  }

  revoke(caller: Caller, id: string): Made<RoomLink[]> {
    const refused = this.#refusal(caller);
    if (refused !== undefined) return refused;
    if (!this.#madeBy(caller).some((grant) => grant.id === id)) {
      return {
        ok: false,
        code: "not_found",
        error: "That link has ended, or belongs to someone else",
      };
    }
    this.#parts.grants.revoke(id);
    return this.links(caller);
  }

  /** Makes a link for this browser alone, with the rights and expiry of the link it came by. */
  async remember(
    caller: Caller,
    origin: string,
  ): Promise<Made<{ token: string; expiresAt: number | null }>> {
    // The client's origin is unproven: it can only cause a refusal, never permit.
    const { origin: reach } = new URL(this.#parts.linkWith(""));
    const refusal = whyNot(caller, "look") ?? whyNotKept(reach) ?? whyNotKept(origin);
    if (refusal !== undefined) return { ok: false, code: "forbidden", error: refusal };
    if (caller.standing?.limit !== undefined) {
      const error =
        "The host limits you to watching. Ask to be allowed to type first, then remember this browser";
      return { ok: false, code: "forbidden", error };
    }
    const own = this.#parts.grants.lookUp(caller.grantId);
    const device = this.#parts.visitors.of(caller)?.device;
    if (own === undefined) return ENDED;
    if (device === undefined) {
      return { ok: false, code: "bad_request", error: "This browser has not sent its id" };
    }
    if (own.device !== undefined) {
      return { ok: false, code: "bad_request", error: "This browser is remembered already" };
    }
    const called = calledBy(caller.standing?.name, nameOf(own));
    const before = this.#madeBy(caller).filter((grant) => grant.device === device);
    const minted = this.#mint({
      role: own.role,
      scopes: [],
      label: `${called}: this browser`.slice(0, LABEL_CHARS),
      expiresAt: own.expiresAt,
      session: own.session,
      madeBy: own.id,
      device,
      ...(own.mayShare === true ? { mayShare: true } : {}),
    });
    if (!minted.ok) return minted;
    const { grant, token } = minted.value;
    const admitted = orNotSaved(() => this.#parts.devices.admit(device, grant.id, called));
    // Revoked only now: if the new link cannot be saved, the browser keeps the old one.
    const over = admitted.ok ? before : [grant];
    for (const { id } of over) this.#parts.grants.revoke(id);
    if (!admitted.ok) return admitted;
    await this.#parts.confirmed();
    return { ok: true, value: { token, expiresAt: grant.expiresAt } };
  }

  /** Revokes the links that this browser remembered, whichever link it came by. */
  forget(caller: Caller): void {
    const device = this.#parts.visitors.of(caller)?.device;
    if (device === undefined) return;
    const { grants } = this.#parts;
    for (const grant of grants.list()) if (grant.device === device) grants.revoke(grant.id);
  }

  #mint(request: NewGrant): Made<{ grant: Grant; token: string }> {
    return orNotSaved(() => this.#parts.grants.mint(request));
  }

  #madeBy(caller: Caller): Grant[] {
    return this.#parts.grants.list().filter(({ madeBy }) => madeBy === caller.grantId);
  }

  #refusal(caller: Caller): Extract<Made<never>, { ok: false }> | undefined {
    const refusal = whyNot(caller, "change");
    if (refusal !== undefined) return { ok: false, code: "forbidden", error: refusal };
    if (this.mayShare(caller)) return undefined;
    const error =
      "This link cannot make other links. Ask the host for one that can: pairpty share --may-share";
    return { ok: false, code: "forbidden", error };
  }
}

/** Runs `make`; returns a refusal if the change could not be saved first. */
function orNotSaved<T>(make: () => T): Made<T> {
  try {
    return { ok: true, value: make() };
  } catch (error) {
    if (!(error instanceof NotSaved)) throw error;
    return { ok: false, code: "not_saved", error: error.pageMessage };
  }
}

const ENDED = {
  ok: false,
  code: "unauthorized",
  error: "This link has expired or was revoked",
} as const;

function toLink({ id, role, label, expiresAt, knock }: Grant): RoomLink {
  return { id, role, label, expiresAt, ...(knock === true ? { knock: true } : {}) };
}
