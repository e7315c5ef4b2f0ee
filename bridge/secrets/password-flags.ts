// Owns flags that take a password only in certain programs: `mysql -pX`, `redis-cli -a X`. Pure.
// mask.ts handles flags whose name says that they take a secret.

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

export function maskPasswordFlags(text: string, hidden: string): string {
  return IN_LINES.reduce((masked, flag) => masked.replace(flag, `$1${hidden}`), text);
}

/** Words that may precede the program, as in `env A=1 mysql -pX`. */
const MAX_WORDS_BEFORE = 16;
const AMONG_WORDS = PASSWORD_FLAGS.map((row) => ({
  ...row,
  program: new RegExp(`(?:^|[\\s/])(?:${row.programs})(?=\\s|$)`),
}));

/** Returns a function for a list of words: the replacement of a word by its index, or undefined. */
export function toFlagMasker(
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
