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

/** The same where each word is an element: what to put in the place of one, by its index, or undefined. */
export function flagMasker(
  words: readonly unknown[],
  hidden: string,
): (index: number) => string | undefined {
  // Once for all words: thousands of flags behind a long one would keep the bridge busy for minutes.
  const behind = new Map<RegExp, number>();
  const isBehind = (program: RegExp, index: number): boolean => {
    const least = behind.get(program) ?? leastIndex(program, words);
    behind.set(program, least);
    return index >= least;
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

/** Of the first word that has the whole name of the program before it. */
function leastIndex(program: RegExp, words: readonly unknown[]): number {
  const first = words.slice(0, MOST_BEFORE).map((word) => (typeof word === "string" ? word : ""));
  const found = program.exec(first.join(" "));
  if (found === null) return Infinity;
  let rest = found.index + found[0].length;
  return 1 + first.findIndex(({ length }) => (rest -= length + 1) < 0);
}
