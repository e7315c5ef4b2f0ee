// Owns the flags that hold a password only with certain programs: `mysql -pX`, `redis-cli -a X`. Pure.
// Flags that are called after a secret are mask.ts's.

interface Flags {
  /** By the program's name, in a line. */
  readonly programs: string;
  readonly letter: string;
  /** Whether the password may be the next word, be glued to the letter, or both. */
  readonly next: boolean;
  readonly glued: boolean;
}

const ROWS: readonly Flags[] = [
  // `-p mydb` asks for the password, and names a database.
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
/** How far behind the program's name its flag is looked for. */
const REACH = 400;

const IN_LINES: readonly RegExp[] = ROWS.map(({ programs, letter, next, glued }) => {
  const between = next ? (glued ? "\\s*" : "\\s+") : "";
  return new RegExp(
    `((?:^|[\\s/;&|('"])(?:${programs})(?=\\s)[^|;&\\n]{0,${REACH}}?\\s-${letter}${between})(?:${VALUE})`,
    "g",
  );
});

export function maskFlagsIn(text: string, hidden: string): string {
  return IN_LINES.reduce((masked, flag) => masked.replace(flag, `$1${hidden}`), text);
}

/** The same where each word is an element: what to put in the place of one, or undefined. */
export function maskFlagAt(
  words: readonly unknown[],
  index: number,
  hidden: string,
): string | undefined {
  const word = words[index];
  if (typeof word !== "string") return undefined;
  const before = words.slice(0, index).filter((one) => typeof one === "string");
  const line = before.join(" ");
  for (const { programs, letter, next, glued } of ROWS) {
    if (!new RegExp(`(?:^|[\\s/])(?:${programs})(?=\\s|$)`).test(line)) continue;
    if (next && before.at(-1) === `-${letter}`) return hidden;
    if (glued && word.startsWith(`-${letter}`) && word.length > 2) return `-${letter}${hidden}`;
  }
  return undefined;
}
