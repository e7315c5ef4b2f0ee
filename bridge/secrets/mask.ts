// Owns hiding secrets in text that is logged or stored: what looks like a secret, values of flags
// whose name says so, and of flags that take a password in certain programs (`mysql -pX`). Pure.
// Other secrets cannot be recognised.

import { isSecret } from "./secret-names.ts";

export const MASKED_TEXT = "•••";

/**
 * A longer text is left out completely: searching megabytes would block the bridge, and a cut could
 * split a secret so that it is not recognised. The longest command has this length.
 */
export const MAX_MASKED_CHARS = 64 * 1024;

/** Formats that are secrets in any context. */
const SECRET_FORMATS: readonly RegExp[] = [
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
/** A flag named after a secret: `--client-secret X`, `-password=X`. */
const NAMED_FLAG = /((?:^|\s)--?([a-z][\w-]{2,60})(?:=|\s+))("[^"]*"|'[^']*'|\S+)/gi;
/** Headers, JSON and YAML: the name of a secret, a colon, the secret. */
const NAMED_SECRET =
  /(\b(?:x-)?(?:api-?key|password|passwd|secret|client-?secret|app-?secret|access-?token|auth-?token|cookie|authorization)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;}]+)/gi;
/** User and password of curl. */
const USER_FLAG = /((?:^|\s)(?:-u[\s=]*|--user[\s=]+)[^\s:]{1,100}:)\S+/g;
/** `aws configure set aws_secret_access_key X`, `npm config set //r/:_authToken X` */
const SET_COMMAND = /(\bset\s+(\S{1,200})\s+)("[^"]*"|'[^']*'|\S+)/g;

/** Password arguments of openssl: `-passin pass:…` */
const OPENSSL_PASS = /(\bpass:)\S+/g;

export function maskText(text: string): string {
  let masked = maskPasswordFlags(text, MASKED_TEXT)
    .replace(BEARER, `$1$2${MASKED_TEXT}`)
    .replace(URL_PASSWORD, `$1${MASKED_TEXT}@`)
    .replace(NAMED_FLAG, (whole, flag: string, name: string) =>
      isSecretName(name) ? `${flag}${MASKED_TEXT}` : whole,
    )
    .replace(NAMED_SECRET, `$1${MASKED_TEXT}`)
    .replace(USER_FLAG, `$1${MASKED_TEXT}`)
    .replace(OPENSSL_PASS, `$1${MASKED_TEXT}`)
    .replace(SET_COMMAND, (whole, set: string, name: string) =>
      isSecretName(name) ? `${set}${MASKED_TEXT}` : whole,
    )
    .replace(ASSIGNMENT, (whole, name: string) =>
      isSecret(name) ? `${name}=${MASKED_TEXT}` : whole,
    );
  for (const form of SECRET_FORMATS) masked = masked.replace(form, MASKED_TEXT);
  return masked;
}

/** Fields that name the value beside them, as in `{ name, value }`. */
const NAME_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "key",
  "k",
  "header",
  "variable",
  "var",
  "field",
]);
const VALUE_FIELDS: ReadonlySet<string> = new Set([
  "value",
  "values",
  "val",
  "v",
  "default",
  "content",
]);

/** Masks every string in a JSON value, and everything below the name of a secret; omits very long texts. */
export function maskValue(value: unknown, name = ""): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (Array.isArray(value)) {
    return isSecretName(name) ? value.map((one) => maskValue(one, name)) : maskArray(value);
  }
  if (typeof value === "object") return maskObject(value, name);
  if (isSecretName(name)) return MASKED_TEXT;
  if (typeof value !== "string") return value;
  return value.length > MAX_MASKED_CHARS ? formatOmitted(value.length) : maskText(value);
}

export function formatOmitted(characters: number): string {
  return `(${characters} characters, left out)`;
}

function maskObject(value: object, name: string): unknown {
  const entries = Object.entries(value);
  const inherited = isSecretName(name) ? name : "";
  const namer = entries.find(
    ([key, one]) => NAME_FIELDS.has(key.toLowerCase()) && isSecretName(one),
  );
  const beside = typeof namer?.[1] === "string" ? namer[1] : "";
  const secretNameFor = (key: string) =>
    inherited || (VALUE_FIELDS.has(key.toLowerCase()) && beside) || key;
  return Object.fromEntries(entries.map(([key, one]) => [key, maskValue(one, secretNameFor(key))]));
}

/** Masks an array: a secret may follow its flag, or be the second element of a pair. */
function maskArray(values: readonly unknown[]): unknown[] {
  const maskFlagAt = toFlagMasker(values, MASKED_TEXT);
  return values.map((value, index) => {
    if (isSecretPair(value)) return [value[0], maskValue(value[1], value[0])];
    const flagged = maskFlagAt(index);
    if (flagged !== undefined) return flagged;
    const before = values[index - 1];
    const isSet = values[index - 2] === "set" && isSecretName(before);
    if (typeof before !== "string" || !(isSet || FLAG.test(before))) return maskValue(value);
    if (typeof value === "string" && USER_OPTION.test(before)) return maskUser(value);
    return maskValue(value, before);
  });
}

const FLAG = /^--?[a-z-]+$/i;
const USER_OPTION = /^(-u|--user)$/;

function maskUser(value: string): string {
  return value.replace(/^([^:]{1,100}:).+$/s, `$1${MASKED_TEXT}`);
}

function isSecretPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && isSecretName(value[0]);
}

/** Whether a name is that of a secret, as a variable, flag, header or JSON field, also in the plural. */
function isSecretName(name: unknown): boolean {
  if (typeof name !== "string") return false;
  const words = name
    .replace(/^-+/, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[-.\s]/g, "_");
  return [words, words.replace(/s$/i, "")].some(
    (one) => isSecret(one) || /(^|_)authorization$/i.test(one),
  );
}

interface PasswordFlag {
  /** Names of the programs, as a regular expression. */
  readonly programs: string;
  readonly letter: string;
  /** Whether the password may be the next word, be glued to the letter, or both. */
  readonly next: boolean;
  readonly glued: boolean;
}

const PASSWORD_FLAGS: readonly PasswordFlag[] = [
  // `-p mydb` prompts for the password, and mydb is a database.
  { programs: "mysql\\w*|mariadb[\\w-]*", letter: "p", next: false, glued: true },
  { programs: "sshpass|mongo\\w*|az\\s+login", letter: "p", next: true, glued: true },
  {
    programs: "(?:docker|podman|nerdctl|helm\\s+registry|oras)\\s+login",
    letter: "p",
    next: true,
    glued: true,
  },
  { programs: "7z[ar]?", letter: "p", next: false, glued: true },
  { programs: "redis-cli", letter: "a", next: true, glued: true },
  { programs: "https?|xh", letter: "a", next: true, glued: false },
  { programs: "ldap\\w+", letter: "w", next: true, glued: true },
  { programs: "sqlcmd|bcp|mosquitto_\\w+|zip|unzip|keytool", letter: "P", next: true, glued: true },
];

const VALUE = `"[^"]*"|'[^']*'|[^\\s"']+`;
/** How many characters after the program its flag may be. */
const MAX_DISTANCE = 400;

const IN_LINES: readonly RegExp[] = PASSWORD_FLAGS.map(({ programs, letter, next, glued }) => {
  const between = next ? (glued ? "\\s*" : "\\s+") : "";
  return new RegExp(
    `((?:^|[\\s/;&|('"])(?:${programs})(?=\\s)[^|;&\\n]{0,${MAX_DISTANCE}}?\\s-${letter}${between})(?:${VALUE})`,
    "g",
  );
});

function maskPasswordFlags(text: string, hidden: string): string {
  return IN_LINES.reduce((masked, flag) => masked.replace(flag, `$1${hidden}`), text);
}

/** Words that may precede the program, as in `env A=1 mysql -pX`. */
const MAX_WORDS_BEFORE = 16;
const AMONG_WORDS = PASSWORD_FLAGS.map((row) => ({
  ...row,
  program: new RegExp(`(?:^|[\\s/])(?:${row.programs})(?=\\s|$)`),
}));

/** Returns a function for a list of words: the replacement of a word by its index, or undefined. */
function toFlagMasker(
  words: readonly unknown[],
  hidden: string,
): (index: number) => string | undefined {
  // Cached for all words: thousands of flags after a long word would block the bridge for minutes.
  const behind = new Map<RegExp, number>();
  const isBehind = (program: RegExp, index: number): boolean => {
    const firstIndex = behind.get(program) ?? findFirstIndex(program, words);
    behind.set(program, firstIndex);
    return index >= firstIndex;
  };
  return (index) => {
    const [word, before] = [words[index], words[index - 1]];
    if (typeof word !== "string" || typeof before !== "string") return undefined;
    const row = AMONG_WORDS.filter(
      ({ letter, next, glued }) =>
        (next && before === `-${letter}`) ||
        (glued && word.startsWith(`-${letter}`) && word.length > 2),
    ).find(({ program }) => isBehind(program, index));
    if (row === undefined) return undefined;
    return before === `-${row.letter}` ? hidden : `-${row.letter}${hidden}`;
  };
}

/** Returns the index of the first word after the full name of the program. */
function findFirstIndex(program: RegExp, words: readonly unknown[]): number {
  const first = words
    .slice(0, MAX_WORDS_BEFORE)
    .map((word) => (typeof word === "string" ? word : ""));
  const found = program.exec(first.join(" "));
  if (found === null) return Infinity;
  let rest = found.index + found[0].length;
  return 1 + first.findIndex(({ length }) => (rest -= length + 1) < 0);
}
