// Owns what logs must not show: texts that look like secrets, and secrets from the environment, which
// look like nothing special. Pure.

import { MASKED_TEXT, maskText } from "../secrets/mask.ts";

/** Masking shorter values would hide half of every line. */
const MIN_SECRET_LENGTH = 4;

/** Returns relay keys and proxies' passwords (raw and decoded), longest first. */
export function listEnvironmentSecrets(environment: NodeJS.ProcessEnv): string[] {
  return Object.entries(environment)
    .flatMap(([name, value = ""]) => {
      if (/^(PAIRPTY_)?RELAY_KEY$/.test(name)) return [value];
      return /^(https?|all)_proxy$/i.test(name) ? listPasswords(value) : [];
    })
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}

export function createMask(secrets: readonly string[]): (text: string) => string {
  return (text) =>
    maskText(secrets.reduce((masked, secret) => masked.replaceAll(secret, MASKED_TEXT), text));
}

function listPasswords(address: string): string[] {
  const text = address.includes("://") ? address : `http://${address}`;
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
