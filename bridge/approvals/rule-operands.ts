// Owns what a standing rule must name besides the program: all words of its sub-command, and every
// operand outside the shared folders or on another machine. Reads files; starts nothing.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { findSystemCode } from "../errors.ts";
import { isInside } from "./writable-paths.ts";

/**
 * Programs with known sub-commands, and those of their sub-commands that take a second word: `git
 * worktree add`. For any other program, all leading words that look like sub-commands are named.
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

/** Programs that run each of their operands as a target. */
const RUNS_EACH_WORD = /^(?:g?make|bmake|just|task|rake|gradlew?|mvnw?|ant|invoke|doit|nox|tox)$/;

/** A word that is neither an option nor a path. */
const WORD = /^[A-Za-z0-9][\w:.@+-]*$/;
/** The form of sub-commands of unknown programs. */
const LIKE_SUBCOMMAND = /^[a-z][a-z-]*$/;

/** Returns the words of the sub-command; undefined if they may be incomplete. */
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
  // An option may come before the second word.
  return WORD.test(second) ? [first, second] : undefined;
}

/** `https://host/x`, `host:path`, `user@host:path`. */
const ADDRESS = /^[^/\s]+:/;
/** An option's value, after `=` or attached to its letter. */
const OPTION_VALUE = /^--?[\w.-]+=(.*)$|^-[A-Za-z]([./~].*)$/s;

/** Returns the operands that lead outside, sorted: addresses as given, paths resolved. */
export function findOutsideOperands(
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

/** Resolves symlinks in the existing part of a path. */
function findRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (findSystemCode(error) === undefined) throw error;
    const parent = dirname(path);
    return parent === path ? path : join(findRealPath(parent), basename(path));
  }
}
