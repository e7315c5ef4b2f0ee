// Owns what a grant is on the wire: roles, scopes, the token's form and the room's record of it.
// Does not decide anything: the bridge looks every grant up in its own table.

import * as z from "zod/mini";
import { MAX_GRANTS } from "./limits.ts";

/**
 * view: attach and detach. edit: also input, resize, spawn, close. agent: no socket of people, only
 * the agents' doors, within its scopes.
 */
export const Role = z.enum(["view", "edit", "agent"]);
export type Role = z.infer<typeof Role>;

export const Scope = z.enum(["read", "spawn", "write"]);
export type Scope = z.infer<typeof Scope>;

/** `pp_<grant id>_<secret>`: one word when double-clicked; 190 random bits in the secret. */
export const TOKEN_PATTERN = /^pp_([0-9A-Za-z]{10})_[0-9A-Za-z]{32}$/;

export const GrantId = z.string().check(z.regex(/^[0-9A-Za-z]{10}$/));

/** SHA-256 of the whole token, in hex: enough to refuse, useless to come in. */
export const TokenHash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** Shown on other people's screens: one line, nothing that moves a cursor or turns text around. */
export const Label = z.string().check(z.maxLength(80), z.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u));

export const GrantRecord = z.object({
  id: GrantId,
  role: Role,
  scopes: z.array(Scope).check(z.maxLength(3)),
  label: Label,
  hash: TokenHash,
  /** Unix ms; null lasts as long as its bridge. */
  expiresAt: z.nullable(z.int()),
});
export type GrantRecord = z.infer<typeof GrantRecord>;

/** B→R. `replace` starts the list anew; sockets of grants that are gone are closed at the end. */
export const GrantsUpdate = z.object({
  replace: z.boolean(),
  add: z.array(GrantRecord).check(z.maxLength(MAX_GRANTS)),
  remove: z.array(GrantId).check(z.maxLength(MAX_GRANTS)),
});
export type GrantsUpdate = z.infer<typeof GrantsUpdate>;
