// Owns hiding secrets in what is written down. Pure. What looks like a secret is replaced; a secret
// that looks like nothing cannot be known.

import { isSecret } from "./names.ts";

export const HIDDEN = "•••";

/** Forms that give a secret away wherever they stand. */
const FORMS: readonly RegExp[] = [
  /\bpp_[0-9A-Za-z]{10}_[0-9A-Za-z]{32}\b/g,
  /\b(?:gh[pousr]|github_pat)_[0-9A-Za-z_]{20,}\b/g,
  /\b(?:sk|rk|pk)[-_][0-9A-Za-z_-]{16,}\b/g,
  /\bA[KS]IA[0-9A-Z]{16}\b/g,
  /\bglpat-[0-9A-Za-z_-]{10,}/g,
  /\bnpm_[0-9A-Za-z]{20,}\b/g,
  /\bAIza[0-9A-Za-z_-]{20,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]{0,20000}?(?:-----END|$)/g,
  /\bxox[abprs]-[0-9A-Za-z-]{10,}\b/g,
  /\beyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{5,}\b/g,
];

const ASSIGNMENT = /\b([A-Za-z_][A-Za-z0-9_]{0,60})=("[^"]*"|'[^']*'|\S+)/g;
const BEARER = /\b(Bearer|Basic|token)([\s:]+)[0-9A-Za-z._~+/=-]{8,}/gi;
const URL_PASSWORD = /(:\/\/)[^/\s@]{0,300}@/g;
const PASSWORD_FLAG =
  /(--?(?:pass|password|passwd|token|secret|api-?key)(?:=|\s+))("[^"]*"|'[^']*'|\S+)/gi;
/** Headers, JSON and YAML: a secret's name, a colon, the secret. */
const NAMED =
  /(\b(?:x-)?(?:api-?key|password|passwd|secret|client-?secret|app-?secret|access-?token|auth-?token|cookie|authorization)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;}]+)/gi;
/** curl's user and password, mysql's password glued to its flag. */
const USER_FLAG = /((?:^|\s)(?:-u|--user)[\s=]+[^\s:]{1,100}:)\S+/g;

export function maskText(text: string): string {
  let masked = text
    .replace(BEARER, `$1$2${HIDDEN}`)
    .replace(URL_PASSWORD, `$1${HIDDEN}@`)
    .replace(PASSWORD_FLAG, `$1${HIDDEN}`)
    .replace(NAMED, `$1${HIDDEN}`)
    .replace(USER_FLAG, `$1${HIDDEN}`)
    .replace(ASSIGNMENT, (whole, name: string) => (isSecret(name) ? `${name}=${HIDDEN}` : whole));
  for (const form of FORMS) masked = masked.replace(form, HIDDEN);
  return masked;
}

/** Every string in a value of JSON; values under secret names are hidden whole. */
export function maskValue(value: unknown, name = ""): unknown {
  if (typeof value === "string") return isSecret(name) ? HIDDEN : maskText(value);
  if (Array.isArray(value)) return maskArguments(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskValue(one, key)]));
}

/** A secret may be the argument behind its flag. */
function maskArguments(values: readonly unknown[]): unknown[] {
  return values.map((value, index) => {
    const before = values[index - 1];
    const named = typeof before === "string" && /^--?[a-z-]+$/i.test(before);
    const name = named ? before.replace(/^-+/, "").replaceAll("-", "_") : "";
    return maskValue(value, name);
  });
}
