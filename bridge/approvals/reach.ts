// Owns what a standing rule must name besides a program: all words of its sub-command, and every operand
// that leads out of the shared folders or to another machine. Looks at files; starts nothing.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "../errors.ts";
import { isInside } from "./places.ts";

/**
 * Programs whose sub-commands are known, with those first words that a further one follows: `git
 * worktree add`. Of every other program all leading words that look like sub-commands are named.
 */
const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    git: "annex bisect bundle commit-graph config credential flow lfs maintenance multi-pack-index notes p4 reflog remote replace rerere sparse-checkout stash submodule subtree svn worktree",
    npm: "access audit cache config create dist-tag hook init org owner pkg profile run run-script team token",
    pnpm: "audit cache config create env init patch run store",
    yarn: "cache config create global init npm plugin policies run set version workspace workspaces",
    bun: "create init pm run",
    cargo: "",
    pip: "cache config index",
    pip3: "cache config index",
    go: "mod telemetry tool work",
    rustup: "component override self set target toolchain",
  }).map(([name, words]) => [name, new Set(words.split(" "))]),
);

/** Each of their words is a target that runs. */
const RUNS_EACH_WORD = /^(?:g?make|bmake|just|task|rake|gradlew?|mvnw?|ant|invoke|doit|nox|tox)$/;

/** A plain word that is no option and no path. */
const WORD = /^[A-Za-z0-9][\w:.@+-]*$/;
/** How sub-commands of unknown programs look. */
const LIKE_SUBCOMMAND = /^[a-z][a-z-]*$/;

/** Returns the words of the sub-command; undefined where they are not known to be all. */
export function findSubcommand(
  name: string,
  [first = "", ...rest]: readonly string[],
): string[] | undefined {
  if (!WORD.test(first)) return undefined;
  if (RUNS_EACH_WORD.test(name)) {
    const words = [first, ...rest].filter((word) => !word.startsWith("-"));
    return words.every((word) => WORD.test(word)) ? words : undefined;
  }
  const groups = GROUPS.get(name);
  if (groups === undefined) {
    const end = rest.findIndex((word) => !LIKE_SUBCOMMAND.test(word));
    return [first, ...(end === -1 ? rest : rest.slice(0, end))];
  }
  const [second] = rest;
  if (!groups.has(first) || second === undefined) return [first];
  // An option may stand before the word that says what is done.
  return WORD.test(second) ? [first, second] : undefined;
}

/** `https://host/x`, `host:path`, `user@host:path`. */
const ADDRESS = /^[^/\s]+:/;
/** The value of an option, behind `=` or glued to its letter. */
const OPTION_VALUE = /^--?[\w.-]+=(.*)$|^-[A-Za-z]([./~].*)$/s;

/** Returns the operands that lead elsewhere: addresses as given, paths resolved; sorted. */
export function findReach(
  words: readonly string[],
  { cwd, roots }: { readonly cwd: string; readonly roots: readonly string[] },
): string[] {
  const reach = new Set<string>();
  for (const word of words) {
    const value = OPTION_VALUE.exec(word);
    const operand = value?.[1] ?? value?.[2] ?? word;
    if (operand === "" || (operand === word && word.startsWith("-"))) continue;
    if (ADDRESS.test(operand)) reach.add(operand);
    else {
      const path = findRealPath(resolve(cwd, operand.replace(/^~(?=\/|$)/, homedir())));
      if (!roots.some((root) => isInside(path, root))) reach.add(path);
    }
  }
  return [...reach].sort();
}

/** Follows links in the part of a path that exists. */
function findRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const parent = dirname(path);
    return parent === path ? path : join(findRealPath(parent), basename(path));
  }
}
