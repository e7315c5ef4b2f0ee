// Owns what a test's bridge and people show at the doors: keys, names and tokens, all of them new.

import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { AnnouncedGrant, Role } from "../../protocol/grant.ts";
import { getRoomRights } from "../../protocol/grant.ts";

export interface Identity {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

export function newIdentity(): Identity {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "jwk" }).x ?? "";
  return { publicKey: Buffer.from(raw, "base64url").toString("hex"), privateKey };
}

export function newInstance(): string {
  return randomBytes(16).toString("hex");
}

export function newWorkspace(prefix = "room"): string {
  return `${prefix}-${randomBytes(6).toString("hex")}`;
}

export interface Token {
  readonly token: string;
  readonly record: AnnouncedGrant;
}

export function newToken(role: Role, expiresAt: number | null = null): Token {
  const id = randomBytes(5).toString("hex");
  const token = `pp_${id}_${randomBytes(16).toString("hex")}`;
  const hash = createHash("sha256").update(token).digest("hex");
  const { doors, speaks } = getRoomRights(role);
  return { token, record: { id, hash, expiresAt, doors: [...doors], speaks, role } };
}
