// Owns the messages about people in a room: who is here, their names and views, who waits to be let
// in, and what a person may do. `bridge/people/` makes the decisions.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import type { Role } from "./grant.ts";
import { Label } from "./grant.ts";
import { DEVICE_PATTERN } from "./names.ts";

/** Longest name accepted on the wire, before it is cut. */
const MAX_NAME_GIVEN = 400;

/** Short id of a person, also usable on a command line. */
export const PersonId = z.string().check(z.regex(/^[0-9a-z-]{1,40}$/));

const GivenName = z.string().check(z.maxLength(MAX_NAME_GIVEN));
const TerminalName = z.string().check(z.maxLength(64));
const DAY_MS = 86_400_000;
/** The same limit as `pairpty share`. */
export const MAX_SHARED_LINK_MS = 30 * DAY_MS;

export const RoomRequest = z.discriminatedUnion("type", [
  /** Introduces the sender: the answer to `room:welcome` and to `room:waiting`. */
  z.object({
    type: z.literal("room:hello"),
    device: z.optional(z.string().check(z.regex(DEVICE_PATTERN))),
    name: z.optional(GivenName),
  }),
  /** Changes the sender's name; "" restores the link's label. */
  z.object({ type: z.literal("room:name"), name: GivenName }),
  /** The terminal that this page shows; null: none. */
  z.object({ type: z.literal("room:look"), id: z.nullable(TerminalName) }),
  /** Lets a waiting person in, or turns them away. Requires `edit`. */
  z.object({ type: z.literal("room:admit"), who: PersonId }),
  z.object({ type: z.literal("room:turn-away"), who: PersonId }),
  /** Gives or revokes the right to type, per browser. Requires `edit`. */
  z.object({ type: z.literal("room:rights"), who: PersonId, role: z.enum(["view", "edit"]) }),
  z.object({ type: z.literal("room:remove"), who: PersonId }),
  /** Creates a link for someone else; requires the host's permission to share. */
  z.object({
    type: z.literal("room:share"),
    /** `agent`: a token for an agent's program, as `pairpty connect` makes them. */
    role: z.enum(["view", "edit", "agent"]),
    label: Label,
    expiresInMs: z.int().check(z.gte(1_000), z.lte(MAX_SHARED_LINK_MS)),
    knock: z.optional(z.boolean()),
  }),
  /** Requests the links that were created with this one. */
  z.object({ type: z.literal("room:links") }),
  z.object({ type: z.literal("room:revoke"), id: z.string().check(z.maxLength(16)) }),
  /**
   * Creates a link for this browser only. `origin`: the page's address, where the browser stores
   * it.
   */
  z.object({ type: z.literal("room:remember"), origin: z.string().check(z.maxLength(300)) }),
  /** Revokes this browser's own link. */
  z.object({ type: z.literal("room:forget") }),
]);
export type RoomRequest = z.infer<typeof RoomRequest>;

/** A person who is here. */
export interface Person {
  /** Id of their browser: the same in every tab and after a reload. */
  readonly id: string;
  /** Chosen name; absent without one. */
  readonly name?: string;
  /** The label of their link, or its kind. */
  readonly label: string;
  readonly role: Role;
  /** The host revoked typing from this person, though their link allows it. */
  readonly limited?: true;
  /**
   * Whether the person is at the host's machine or has its own link: guests cannot limit or remove
   * them. Absent from older bridges.
   */
  readonly host?: true;
  /** The terminal they view, if the receiver may see it. */
  readonly looking?: string;
  /** The terminal they are typing into now. */
  readonly typing?: string;
  /** Unix ms. */
  readonly since: number;
}

/** A person who waits to be let in. */
export interface Knock {
  readonly id: string;
  readonly name?: string;
  readonly label: string;
  /** The role they would get. */
  readonly role: Role;
  readonly since: number;
  /** Sealed rooms only: six digits from the handshake, which the visitor sees, too. */
  readonly digits?: string;
}

/** Admits the page, first or again: it answers with `room:hello`. */
export interface RoomWelcome {
  type: "room:welcome";
  /** Display name of the workspace: its folder's name. Absent from older bridges. */
  folder?: string;
}

/** Not admitted yet; the page answers with `room:hello` and gets nothing else until then. */
export interface RoomWaiting {
  type: "room:waiting";
}

/** The bridge's record of this page's own person. */
export interface RoomYou {
  type: "room:you";
  you: string;
  name?: string;
  label: string;
  role: Role;
  limited?: true;
  /** Uses the host's own link, which must not be passed on. Absent from older bridges. */
  own?: true;
  /** The link outlasts this run of pairpty. Absent from older bridges. */
  lasts?: true;
  /** May create links for others. */
  mayShare?: true;
  /** This browser has a link of its own. */
  remembered?: true;
}

/** People who came or changed, and ids of those who left. `whole`: replaces the previous list. */
export interface RoomPeople {
  type: "room:people";
  people: Person[];
  gone: string[];
  whole?: true;
}

/** All waiting people; sent to those who may let them in. */
export interface RoomKnocks {
  type: "room:knocks";
  knocks: Knock[];
}

/** Sent before the bridge closes the socket, with the reason. */
export interface RoomAway {
  type: "room:away";
  why: "turned away" | "removed" | "full";
  /**
   * The person who removed them; absent from older bridges and for people who were only waiting.
   */
  by?: string;
  /** Id for `pairpty admit`, to let this browser in again. Absent from older bridges. */
  you?: string;
}

export interface RoomLink {
  readonly id: string;
  readonly role: Role;
  readonly label: string;
  /** Unix ms; null: until pairpty stops. */
  readonly expiresAt: number | null;
  readonly knock?: true;
}

/** Result of `room:share`; the only message that has the whole link. */
export interface RoomShared {
  type: "room:shared";
  link: string;
  grant: RoomLink;
}

export interface RoomLinks {
  type: "room:links";
  links: RoomLink[];
}

/** A token, or the text behind the `#` of a sealed link, for this browser only, to be stored by it. */
export interface RoomRemembered {
  type: "room:remembered";
  token: string;
  expiresAt: number | null;
}

/** This browser's own link has ended; sent before pages that use it are closed. */
export interface RoomForgotten {
  type: "room:forgotten";
}

/** Public address of this workspace, such as a tunnel's. Sent on joining and when it changes. */
export interface RoomAddress {
  type: "room:address";
  origin: string;
}

export interface RoomError {
  type: "room:error";
  code: ErrorCode;
  error: string;
}

export type RoomServerMessage =
  | RoomWelcome
  | RoomWaiting
  | RoomYou
  | RoomPeople
  | RoomKnocks
  | RoomAway
  | RoomShared
  | RoomLinks
  | RoomRemembered
  | RoomForgotten
  | RoomAddress
  | RoomError;
