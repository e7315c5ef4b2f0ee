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

/** Wrappers may stand before the program: `env A=1 mysql -pX`. */
const MOST_BEFORE = 16;
const AMONG_WORDS = ROWS.map((row) => ({
  ...row,
  program: new RegExp(`(?:^|[\\s/])(?:${row.programs})(?=\\s|$)`),
}));

/** The same where each word is an element: what to put in the place of one, or undefined. */
export function maskFlagAt(
  words: readonly unknown[],
  index: number,
  hidden: string,
): string | undefined {
  const [word, before] = [words[index], words[index - 1]];
  if (typeof word !== "string" || typeof before !== "string") return undefined;
  const row = AMONG_WORDS.filter(
    ({ letter, next, glued }) =>
      (next && before === `-${letter}`) ||
      (glued && word.startsWith(`-${letter}`) && word.length > 2),
  ).find(({ program }) => program.test(beginning(words, index)));
  if (row === undefined) return undefined;
  return before === `-${row.letter}` ? hidden : `-${row.letter}${hidden}`;
}

function beginning(words: readonly unknown[], end: number): string {
  return words
    .slice(0, Math.min(end, MOST_BEFORE))
    .filter((word) => typeof word === "string")
    .join(" ");
}
