// Owns what a grant is: roles, scopes, the token's form, the bridge's record of it and the room's.
// Does not decide anything: the bridge looks every grant up in its own table.

import * as z from "zod/mini";
import { Isolation } from "./isolation.ts";
import { MAX_GRANTS } from "./limits.ts";

/**
 * view: attach and detach. edit: also input, resize, spawn, close. agent: no socket of people, only
 * the agents' doors, within its scopes.
 */
export const Role = z.enum(["view", "edit", "agent"]);
export type Role = z.infer<typeof Role>;

/** read: see and read terminals. spawn: start and end its own. type: into a person's, if let. */
export const Scope = z.enum(["read", "spawn", "type"]);
export type Scope = z.infer<typeof Scope>;

/** Whoever asks for none in particular gets these: `type` is only ever given by name. */
export const DEFAULT_SCOPES: readonly Scope[] = ["read", "spawn"];

/** Scopes of another version are left out: what is not known opens nothing. */
const Scopes = z.pipe(
  z.array(z.string()).check(z.maxLength(16)),
  z.transform((names: string[]) => Scope.options.filter((scope) => names.includes(scope))),
);

/** Which tools an agent is shown: seeds 000 and 002, seed 004, seed 003. Absent means all of them. */
export const ToolSet = z.enum(["terminals", "sessions", "panels"]);
export type ToolSet = z.infer<typeof ToolSet>;

/** Sets of another version are left out, as scopes are. */
const ToolSets = z.pipe(
  z.array(z.string()).check(z.maxLength(16)),
  z.transform((names: string[]) => ToolSet.options.filter((set) => names.includes(set))),
);

/** What an agent's grant may be narrowed by, or told to ask for. Absent: the default. */
export const AgentTerms = z.object({
  tools: z.optional(ToolSets),
  /** The least isolation of whatever it starts. */
  isolation: z.optional(Isolation),
  /** Its own side may answer for a person, by a form. */
  trustClient: z.optional(z.boolean()),
  /** From which verdict on its background terminals are asked about: "dangerous" by default. */
  spawnApproval: z.optional(z.enum(["unknown", "dangerous"])),
});
export type AgentTerms = z.infer<typeof AgentTerms>;

/** What a link for people may have beside its role. Absent: no. */
export const PeopleTerms = z.object({
  /** Whoever comes by it waits until the host lets them in. */
  knock: z.optional(z.boolean()),
  /** Whoever comes by it may make links for others, in the page. */
  mayShare: z.optional(z.boolean()),
});
export type PeopleTerms = z.infer<typeof PeopleTerms>;

/** `pp_<grant id>_<secret>`: one word when double-clicked; 190 random bits in the secret. */
export const TOKEN_PATTERN = /^pp_([0-9A-Za-z]{10})_[0-9A-Za-z]{32}$/;

export const GrantId = z.string().check(z.regex(/^[0-9A-Za-z]{10}$/));

/** SHA-256 of the whole token, in hex: enough to refuse, useless to come in. */
export const TokenHash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** Shown on other people's screens: one line, nothing that moves a cursor or turns text around. */
export const Label = z.string().check(z.maxLength(80), z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u));

/** The bridge's own record, in its files. */
export const GrantRecord = z.extend(AgentTerms, {
  id: GrantId,
  role: Role,
  scopes: Scopes,
  label: Label,
  hash: TokenHash,
  /** Unix ms; null lasts as long as its bridge. */
  expiresAt: z.nullable(z.int()),
  ...PeopleTerms.shape,
  /** The grant by which it was made, in the page: it ends with that one. */
  madeBy: z.optional(GrantId),
  /** A first screen's, from before a restart: it works on, is listed with this grant and ends with it. */
  replacedBy: z.optional(GrantId),
  /** Of a browser that is remembered: the hash of its id. */
  device: z.optional(TokenHash),
  /** Of the host's own page: it waits for nobody. */
  own: z.optional(z.literal(true)),
});
export type GrantRecord = z.infer<typeof GrantRecord>;

/** What of a grant is the room's business. */
export interface RoomRights {
  /** Ways in: `people`, `http`, `acp`. A room lets nobody in by one that it does not know. */
  readonly doors: readonly string[];
  /** Whoever comes by it may type [R30]. */
  readonly speaks: boolean;
}

/** A role that is not known opens what every token does. */
export function rightsOf(role: string | undefined): RoomRights {
  return { doors: [...(OWN_DOORS[role ?? ""] ?? []), "http"], speaks: role === "edit" };
}

const OWN_DOORS: Readonly<Record<string, readonly string[]>> = {
  view: ["people"],
  edit: ["people"],
  agent: ["acp"],
};

/**
 * A grant as a bridge tells it. Closed sets are for what one program says to itself: roles, doors
 * and fields that a room does not know cost nobody the link.
 */
const GrantTold = z.object({
  id: GrantId,
  hash: TokenHash,
  expiresAt: z.nullable(z.int()),
  doors: z.optional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16))),
  speaks: z.optional(z.boolean()),
  /** All that a bridge of the version before tells instead; kept, should such a relay wake with it. */
  role: z.optional(z.string().check(z.maxLength(32))),
});
export type GrantTold = z.infer<typeof GrantTold>;

/** The room's record. */
export type RoomGrant = GrantTold & RoomRights;

/**
 * Also for what a relay of the version before has stored. A bridge that tells no doors knows none
 * but the first two.
 */
export function toRoomGrant(told: GrantTold): RoomGrant {
  const { doors, speaks } = rightsOf(told.role);
  const first = doors.filter((door) => door !== "acp");
  return { ...told, doors: told.doors ?? first, speaks: told.speaks ?? speaks };
}

/** B→R. `replace` starts the list anew; sockets of grants that are gone are closed at the end. */
export const GrantsUpdate = z.object({
  replace: z.boolean(),
  add: z.array(GrantTold).check(z.maxLength(MAX_GRANTS)),
  remove: z.array(GrantId).check(z.maxLength(MAX_GRANTS)),
});
export type GrantsUpdate = z.infer<typeof GrantsUpdate>;
