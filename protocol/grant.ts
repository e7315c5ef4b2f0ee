// Owns the grant: roles, scopes, the form of tokens, and the records in the bridge and in the room.
// Decides nothing: the bridge looks every grant up in its own table.

import * as z from "zod/mini";
import { Isolation } from "./isolation.ts";
import { MAX_GRANTS } from "./limits.ts";

/**
 * view: attach and detach. edit: also input, resize, spawn, close. agent: only the agents' doors,
 * within its scopes; no people's socket.
 */
export const Role = z.enum(["view", "edit", "agent"]);
export type Role = z.infer<typeof Role>;

/**
 * read: see and read terminals. spawn: start and end its own terminals. type: type into a person's
 * terminal, if that person allows it.
 */
export const Scope = z.enum(["read", "spawn", "type"]);
export type Scope = z.infer<typeof Scope>;

/** Scopes of a grant that names none; `type` must be requested by name. */
export const DEFAULT_SCOPES: readonly Scope[] = ["read", "spawn"];

/** Drops unknown scopes of other versions: they grant nothing. */
const Scopes = z.pipe(
  z.array(z.string()).check(z.maxLength(16)),
  z.transform((names: string[]) => Scope.options.filter((scope) => names.includes(scope))),
);

/** Which tools an agent gets. Absent means all of them. */
export const ToolSet = z.enum(["terminals", "sessions", "panels"]);
export type ToolSet = z.infer<typeof ToolSet>;

/** Drops unknown sets of other versions, as with scopes. */
const ToolSets = z.pipe(
  z.array(z.string()).check(z.maxLength(16)),
  z.transform((names: string[]) => ToolSet.options.filter((set) => names.includes(set))),
);

/** Options of an agent's grant. Absent: the default. */
export const AgentTerms = z.object({
  tools: z.optional(ToolSets),
  /** Minimum isolation of everything the agent starts. */
  isolation: z.optional(Isolation),
  /** Whether the agent's own client may answer approvals for a person, by a form. */
  trustClient: z.optional(z.boolean()),
  /** Verdict from which background terminals require an approval: "dangerous" by default. */
  spawnApproval: z.optional(z.enum(["unknown", "dangerous"])),
});
export type AgentTerms = z.infer<typeof AgentTerms>;

/** Options of a link for people. Absent: no. */
export const PeopleTerms = z.object({
  /** People with this link wait until the host lets them in. */
  knock: z.optional(z.boolean()),
  /** People with this link may create links for others, in the page. */
  mayShare: z.optional(z.boolean()),
});
export type PeopleTerms = z.infer<typeof PeopleTerms>;

/**
 * `pp_<grant id>_<secret>`: selected as one word by a double click; 190 random bits in the secret.
 */
export const TOKEN_PATTERN = /^pp_([0-9A-Za-z]{10})_[0-9A-Za-z]{32}$/;

/** `pp2_<grant id>_<secret>_<host key>`: the secret part of a sealed link, see sealed/link.ts. */
export const SEALED_LINK_PATTERN = /^pp2_([0-9A-Za-z]{10})_([0-9A-Za-z]{32})_([0-9A-Za-z]{43})$/;

/**
 * The token that a caller brought, as the room passes it on. It routes and proves: the bridge
 * compares its hash, and a caller without one opens nothing.
 */
export const Ticket = z.string().check(z.regex(TOKEN_PATTERN));

/** Returns the id of the grant that a ticket claims; undefined if it is malformed. */
export function ticketGrantId(ticket: string): string | undefined {
  return TOKEN_PATTERN.exec(ticket)?.[1];
}

export const GrantId = z.string().check(z.regex(/^[0-9A-Za-z]{10}$/));

/** SHA-256 of the whole token, in hex: enough to verify a token, useless to log in with. */
export const TokenHash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** 32 random bytes in hex, known to the bridge and to the holders of the link; never to the relay. */
const Psk = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** Shown on other people's screens: one line, without control or bidi characters. */
export const Label = z.string().check(z.maxLength(80), z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u));

/** The bridge's own record, stored in its files. */
export const GrantRecord = z.extend(AgentTerms, {
  id: GrantId,
  role: Role,
  scopes: Scopes,
  label: Label,
  hash: TokenHash,
  /** Unix ms; null: ends with its bridge. */
  expiresAt: z.nullable(z.int()),
  ...PeopleTerms.shape,
  /** The grant that created this one, in the page; they end together. */
  madeBy: z.optional(GrantId),
  /** A first screen's, from before a restart: it works on, is listed with this grant and ends with it. */
  replacedBy: z.optional(GrantId),
  /** Set for a remembered browser: the hash of its id. */
  device: z.optional(TokenHash),
  /** Set for the host's own page, which never waits to be let in. */
  own: z.optional(z.literal(true)),
  /**
   * Set for a sealed grant, from its making: the key of its handshakes. The ticket of a sealed
   * grant proves nothing.
   */
  psk: z.optional(Psk),
  /** Set for a link of a sealed room that is readable by the relay, for clients without sealing. */
  plain: z.optional(z.literal(true)),
  /** Set for a person's link from before its room was sealed: it opens nothing any more. */
  retired: z.optional(z.literal(true)),
});
export type GrantRecord = z.infer<typeof GrantRecord>;

/** The part of a grant that the room needs. */
export interface RoomRights {
  /** Ways in: `people`, `http`, `acp`. A room ignores those that it does not know. */
  readonly doors: readonly string[];
  /** Whether the grant may send input [R30]. */
  readonly speaks: boolean;
}

/** Returns the rights of a role; an unknown role gets those that every token has. */
export function getRoomRights(role: string | undefined): RoomRights {
  return { doors: [...(DOORS_BY_ROLE[role ?? ""] ?? []), "http"], speaks: role === "edit" };
}

const DOORS_BY_ROLE: Readonly<Record<string, readonly string[]>> = {
  view: ["people"],
  edit: ["people"],
  agent: ["acp"],
};

/**
 * A grant as a bridge sends it. Open to unknown roles, doors and fields: a newer bridge must not
 * lose its link to an older room.
 */
const AnnouncedGrant = z.object({
  id: GrantId,
  hash: TokenHash,
  expiresAt: z.nullable(z.int()),
  doors: z.optional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16))),
  speaks: z.optional(z.boolean()),
  /**
   * Sent by older bridges instead of `doors` and `speaks`; stored in case an older relay version
   * reads it.
   */
  role: z.optional(z.string().check(z.maxLength(32))),
});
export type AnnouncedGrant = z.infer<typeof AnnouncedGrant>;

/** The room's record. */
export type RoomGrant = AnnouncedGrant & RoomRights;

/** Fills in the doors and rights that older bridges do not send (they know no `acp`). */
export function toRoomGrant(announced: AnnouncedGrant): RoomGrant {
  const { doors, speaks } = getRoomRights(announced.role);
  const first = doors.filter((door) => door !== "acp");
  return {
    ...announced,
    doors: announced.doors ?? first,
    speaks: announced.speaks ?? speaks,
  };
}

/** B→R. `replace` starts a new list; the room then closes sockets of missing grants. */
export const GrantsUpdate = z.object({
  replace: z.boolean(),
  add: z.array(AnnouncedGrant).check(z.maxLength(MAX_GRANTS)),
  remove: z.array(GrantId).check(z.maxLength(MAX_GRANTS)),
});
export type GrantsUpdate = z.infer<typeof GrantsUpdate>;
