// Owns what is said about the people in a room: who is here, what each is called and looks at, who
// waits at the door, and what a person may do. Decides nothing: `bridge/people/` does.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import type { Role } from "./grant.ts";
import { Label } from "./grant.ts";
import { DEVICE_PATTERN } from "./names.ts";

/** More is no name, however it is cut. */
const MAX_NAME_GIVEN = 400;

/** What others call somebody by: short, and good for a command line. */
export const PersonId = z.string().check(z.regex(/^[0-9a-z-]{1,40}$/));

const GivenName = z.string().check(z.maxLength(MAX_NAME_GIVEN));
const TerminalName = z.string().check(z.maxLength(64));
const DAY_MS = 86_400_000;
/** As `pairpty share` makes them. */
export const LONGEST_SHARED_MS = 30 * DAY_MS;

export const RoomRequest = z.discriminatedUnion("type", [
  /** Who this is: the answer to `room:welcome` and to `room:waiting`. */
  z.object({
    type: z.literal("room:hello"),
    device: z.optional(z.string().check(z.regex(DEVICE_PATTERN))),
    name: z.optional(GivenName),
  }),
  /** Another name; "" goes back to the link's label. */
  z.object({ type: z.literal("room:name"), name: GivenName }),
  /** Which terminal this page shows; null: none. */
  z.object({ type: z.literal("room:look"), id: z.nullable(TerminalName) }),
  /** Lets somebody in who waits, or turns them away. `edit` only. */
  z.object({ type: z.literal("room:admit"), who: PersonId }),
  z.object({ type: z.literal("room:turn-away"), who: PersonId }),
  /** Takes or gives the right to type, of one browser. `edit` only. */
  z.object({ type: z.literal("room:rights"), who: PersonId, role: z.enum(["view", "edit"]) }),
  z.object({ type: z.literal("room:remove"), who: PersonId }),
  /** A link for somebody else, of those whom the host lets share. */
  z.object({
    type: z.literal("room:share"),
    /** `agent`: a token for an agent's program, as `pairpty connect` makes them. */
    role: z.enum(["view", "edit", "agent"]),
    label: Label,
    expiresInMs: z.int().check(z.gte(1_000), z.lte(LONGEST_SHARED_MS)),
    knock: z.optional(z.boolean()),
  }),
  /** The links that were made with this one. */
  z.object({ type: z.literal("room:links") }),
  z.object({ type: z.literal("room:revoke"), id: z.string().check(z.maxLength(16)) }),
  /** A link of this browser's own. `origin`: where the page is, since that is where it is kept. */
  z.object({ type: z.literal("room:remember"), origin: z.string().check(z.maxLength(300)) }),
  /** Ends the link of this browser's own. */
  z.object({ type: z.literal("room:forget") }),
]);
export type RoomRequest = z.infer<typeof RoomRequest>;

/** Somebody who is here. */
export interface Person {
  /** Of their browser: the same in every tab, and after a reload. */
  readonly id: string;
  /** What they call themselves; absent where nobody chose a name. */
  readonly name?: string;
  /** The label of their link, or what kind of link it is. */
  readonly label: string;
  readonly role: Role;
  /** By a link that may type, which the host took back. */
  readonly limited?: true;
  /** At the host's machine or by its own link: no guest limits or removes them. Newer bridges say so. */
  readonly host?: true;
  /** The terminal that they look at, as far as whoever is told may know of it. */
  readonly looking?: string;
  /** The terminal that they type into, now. */
  readonly typing?: string;
  /** Unix ms. */
  readonly since: number;
}

/** Somebody at the door. */
export interface Knock {
  readonly id: string;
  readonly name?: string;
  readonly label: string;
  /** What their link would let them do. */
  readonly role: Role;
  readonly since: number;
}

/** In, now or again: the page answers with `room:hello`. */
export interface RoomWelcome {
  type: "room:welcome";
  /** What people call the workspace: its folder's own name. A bridge of before says none. */
  folder?: string;
}

/** Not in yet, and told nothing else; the page answers with `room:hello`. */
export interface RoomWaiting {
  type: "room:waiting";
}

/** What the bridge knows of this page's own person. */
export interface RoomYou {
  type: "room:you";
  you: string;
  name?: string;
  label: string;
  role: Role;
  limited?: true;
  /** By the host's own link, which nobody else should get. A bridge of before says nothing of it. */
  own?: true;
  /** May make links for others. */
  mayShare?: true;
  /** This browser has a link of its own. */
  remembered?: true;
}

/** Those who came or changed, and those who left. `whole`: the list of before is void. */
export interface RoomPeople {
  type: "room:people";
  people: Person[];
  gone: string[];
  whole?: true;
}

/** Everybody who waits, to those who may let them in. */
export interface RoomKnocks {
  type: "room:knocks";
  knocks: Knock[];
}

/** Why the socket is closed next. */
export interface RoomAway {
  type: "room:away";
  why: "turned away" | "removed" | "full";
  /** Who sent somebody away who was in; a bridge of before does not say. Who only waited is told no names. */
  by?: string;
  /** By which `pairpty admit` lets this browser in again; a bridge of before does not say. */
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

/** A link was made; this once it is told whole. */
export interface RoomShared {
  type: "room:shared";
  link: string;
  grant: RoomLink;
}

export interface RoomLinks {
  type: "room:links";
  links: RoomLink[];
}

/** A token of this browser's own, to be kept by it. */
export interface RoomRemembered {
  type: "room:remembered";
  token: string;
  expiresAt: number | null;
}

/** The link of this browser's own has ended; told before a page that came by it is closed. */
export interface RoomForgotten {
  type: "room:forgotten";
}

/** Where others reach this workspace: a tunnel's address. Told on joining, and when it is another one. */
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
