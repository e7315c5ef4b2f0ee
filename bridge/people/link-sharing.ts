// Owns links that people with permission to share make in the page, and the link that a browser
// remembers. Neither gives more rights than its maker has, and both end with the link they came
// from.

import type { ErrorCode } from "../../protocol/codes.ts";
import { DEFAULT_SCOPES } from "../../protocol/grant.ts";
import type { RoomLink, RoomRequest } from "../../protocol/room.ts";
import { getNotKeptReason } from "../../protocol/names.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName } from "../callers/caller.ts";
import { hasPermission, permissionDenial } from "../callers/permissions.ts";
import type { Grant, GrantTable, MintedGrant, NewGrant } from "../grants/grant-table.ts";
import { NotSavedError } from "../workspace/durable-file.ts";
import type { Devices } from "./devices.ts";
import type { PresenceTracker } from "./presence-tracker.ts";

/** Valid links made by one link, at most: enough for a team, too few to hoard tokens. */
const MAX_LINKS_MADE = 20;
/** Characters of a label. */
const MAX_LABEL_CHARS = 80;

/**
 * Same as `pairpty connect`: unknown commands that the agent starts in the background need
 * approval.
 */
const AGENT_TERMS: Pick<NewGrant, "scopes" | "spawnApproval"> = {
  scopes: [...DEFAULT_SCOPES],
  spawnApproval: "unknown",
};

type ShareRequest = Extract<RoomRequest, { type: "room:share" }>;

export interface LinkSharingDeps {
  readonly grants: Pick<GrantTable, "list" | "lookUp" | "mint" | "revoke">;
  readonly visitors: Pick<PresenceTracker, "find">;
  readonly devices: Pick<Devices, "admit">;
  /** Returns the page's address with the text behind its `#`. */
  readonly toLinkUrl: (link: string) => string;
  /** Resolves when the room has the new grant. */
  readonly confirmed: () => Promise<void>;
  readonly now?: () => number;
}

export type LinkResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: ErrorCode; readonly error: string };

export class LinkSharing {
  readonly #deps: LinkSharingDeps;
  readonly #now: () => number;

  constructor(deps: LinkSharingDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  mayShare(caller: Caller): boolean {
    const grant = caller.grant();
    return grant?.mayShare === true && hasPermission(grant, "change");
  }

  isRemembered(caller: Caller): boolean {
    return this.#deps.grants.lookUp(caller.grantId)?.device !== undefined;
  }

  async share(
    caller: Caller,
    shareRequest: ShareRequest,
  ): Promise<LinkResult<{ link: string; grant: RoomLink }>> {
    const own = this.#deps.grants.lookUp(caller.grantId);
    const refused = this.#refusal(caller);
    if (refused !== undefined || own === undefined) return refused ?? LINK_ENDED;
    const { role, label, knock } = shareRequest;
    const made = this.#listMadeBy(caller);
    if (made.length >= MAX_LINKS_MADE) {
      const error = `You have made ${MAX_LINKS_MADE} links. Revoke one first`;
      return { ok: false, code: "too_many", error };
    }
    if (role === "agent" && own.knock === true) {
      const error =
        "A link that requires admission (--knock) cannot make agent tokens: agents cannot wait to be let in";
      return { ok: false, code: "forbidden", error };
    }
    const requestedExpiry = this.#now() + shareRequest.expiresInMs;
    const minted = this.#mint({
      role,
      ...(role === "agent" ? AGENT_TERMS : { scopes: [] }),
      label:
        label === ""
          ? `made by ${callerDisplayName(caller, own)}`.slice(0, MAX_LABEL_CHARS)
          : label,
      expiresAt: Math.min(requestedExpiry, own.expiresAt ?? requestedExpiry),
      session: own.session,
      madeBy: own.id,
      // A link that requires admission cannot make one that does not.
      ...(role !== "agent" && (knock === true || own.knock === true) ? { knock: true } : {}),
      ...(role === "agent" ? {} : inheritSealing(own)),
    });
    if (!minted.ok) return minted;
    const { grant, link } = minted.value;
    await this.#deps.confirmed();
    return { ok: true, value: { link: this.#deps.toLinkUrl(link), grant: toLink(grant) } };
  }

  listLinks(caller: Caller): LinkResult<RoomLink[]> {
    const refused = this.#refusal(caller);
    return refused ?? { ok: true, value: this.#listMadeBy(caller).map(toLink) };
  }

  revoke(caller: Caller, id: string): LinkResult<RoomLink[]> {
    const refused = this.#refusal(caller);
    if (refused !== undefined) return refused;
    if (!this.#listMadeBy(caller).some((grant) => grant.id === id)) {
      return {
        ok: false,
        code: "not_found",
        error: "That link has ended, or belongs to someone else",
      };
    }
    this.#deps.grants.revoke(id);
    return this.listLinks(caller);
  }

  /** Makes a link for this browser alone, with the rights and expiry of the link it came by. */
  async remember(
    caller: Caller,
    origin: string,
  ): Promise<LinkResult<{ token: string; expiresAt: number | null }>> {
    // The client's origin is unproven: it can only cause a refusal, never permit.
    const { origin: reach } = new URL(this.#deps.toLinkUrl(""));
    const refusal =
      permissionDenial(caller, "look") ?? getNotKeptReason(reach) ?? getNotKeptReason(origin);
    if (refusal !== undefined) return { ok: false, code: "forbidden", error: refusal };
    if (caller.status?.limit !== undefined) {
      const error =
        "The host limits you to watching. Ask to be allowed to type first, then remember this browser";
      return { ok: false, code: "forbidden", error };
    }
    const own = this.#deps.grants.lookUp(caller.grantId);
    const device = this.#deps.visitors.find(caller)?.device;
    if (own === undefined) return LINK_ENDED;
    if (device === undefined) {
      return { ok: false, code: "bad_request", error: "This browser has not sent its id" };
    }
    if (own.device !== undefined) {
      return { ok: false, code: "bad_request", error: "This browser is remembered already" };
    }
    const personName = callerDisplayName(caller, own);
    const before = this.#listMadeBy(caller).filter((grant) => grant.device === device);
    const minted = this.#mint({
      role: own.role,
      scopes: [],
      label: `${personName}: this browser`.slice(0, MAX_LABEL_CHARS),
      expiresAt: own.expiresAt,
      session: own.session,
      madeBy: own.id,
      device,
      ...(own.mayShare === true ? { mayShare: true } : {}),
      ...inheritSealing(own),
    });
    if (!minted.ok) return minted;
    const { grant, link } = minted.value;
    const admitted = refuseIfNotSaved(() => this.#deps.devices.admit(device, grant.id, personName));
    // Revoked only now: if the new link cannot be saved, the browser keeps the old one.
    const revoked = admitted.ok ? before : [grant];
    for (const { id } of revoked) this.#deps.grants.revoke(id);
    if (!admitted.ok) return admitted;
    await this.#deps.confirmed();
    return { ok: true, value: { token: link, expiresAt: grant.expiresAt } };
  }

  /** Revokes the links that this browser remembered, whichever link it came by. */
  forget(caller: Caller): void {
    const device = this.#deps.visitors.find(caller)?.device;
    if (device === undefined) return;
    const { grants } = this.#deps;
    for (const grant of grants.list()) if (grant.device === device) grants.revoke(grant.id);
  }

  #mint(request: NewGrant): LinkResult<MintedGrant> {
    return refuseIfNotSaved(() => this.#deps.grants.mint(request));
  }

  #listMadeBy(caller: Caller): Grant[] {
    return this.#deps.grants.list().filter(({ madeBy }) => madeBy === caller.grantId);
  }

  #refusal(caller: Caller): Extract<LinkResult<never>, { ok: false }> | undefined {
    const refusal = permissionDenial(caller, "change");
    if (refusal !== undefined) return { ok: false, code: "forbidden", error: refusal };
    if (this.mayShare(caller)) return undefined;
    const error =
      "This link cannot make other links. Ask the host for one that can: pairpty share --may-share";
    return { ok: false, code: "forbidden", error };
  }
}

/** Returns how a link for people is made by another one: sealed by a sealed one, plain by a plain one. */
function inheritSealing({ psk, plain }: Grant): Pick<NewGrant, "sealed" | "plain"> {
  if (psk !== undefined) return { sealed: true };
  return plain === true ? { plain } : {};
}

/** Runs `make`; returns a refusal if the change could not be saved first. */
function refuseIfNotSaved<T>(make: () => T): LinkResult<T> {
  try {
    return { ok: true, value: make() };
  } catch (error) {
    if (!(error instanceof NotSavedError)) throw error;
    return { ok: false, code: "not_saved", error: error.pageMessage };
  }
}

const LINK_ENDED = {
  ok: false,
  code: "unauthorized",
  error: "This link has expired or was revoked",
} as const;

function toLink({ id, role, label, expiresAt, knock }: Grant): RoomLink {
  return { id, role, label, expiresAt, ...(knock === true ? { knock: true } : {}) };
}
