// Owns what a lasting answer about a command depends on: the program files that would run, as they
// are on the disk now. No answer lasts for a program or script that the agent can write, since its
// content may change. Reads files; starts nothing. Also owns what a standing rule must name besides
// the program: all words of its sub-command, and every operand outside the shared folders or on
// another machine.

import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, resolve, basename, dirname, join } from "node:path";
import { findSystemCode } from "../errors.ts";
import { listCommands, findPlainWords, runsItsArguments } from "../policy/command-form.ts";
import { findProgram } from "../terminals/program-lookup.ts";
import { isInside } from "./approval-rules.ts";

/** The command that would run, and where. */
export interface CommandContext {
  /** The command as given: a line for a shell. Undefined when it came as words. */
  readonly line: string | undefined;
  readonly words: readonly string[];
  readonly cwd: string;
  /** PATH of the process that would start. */
  readonly path: string;
  /** Whether the request adds environment variables. */
  readonly addsVariables: boolean;
  readonly isUnknown: boolean;
  /** Whether the agent can write the file at this real path. */
  readonly canWrite: (path: string) => boolean;
  /** The shared folders, as real paths. */
  readonly roots: readonly string[];
}

/** A program file at one moment; replacing the file makes it another program. */
export interface FileFingerprint {
  readonly path: string;
  /** Device, inode and ctime, which only root can set back. */
  readonly stamp: string;
}

/** One program with one sub-command, and any arguments inside the shared folders. */
export interface Prefix {
  /** Base name of the program: one file may serve several names. */
  readonly name: string;
  /** All words of the sub-command. */
  readonly verb: string;
  /** Operands outside the shared folders, or on another machine. */
  readonly reach: readonly string[];
  readonly program: FileFingerprint;
}

export interface ApprovalBasis {
  /** Fingerprints of all programs that the command names. */
  readonly programs: readonly FileFingerprint[];
  readonly prefix: Prefix | undefined;
}

/** Returns the programs a lasting answer depends on; undefined if no answer may last. */
export function findApprovalBasis(context: CommandContext): ApprovalBasis | undefined {
  const { line, words } = context;
  const commands = line === undefined ? [[...words]] : listCommands(line);
  const programs = commands === undefined ? undefined : fingerprintPrograms(commands, context);
  if (programs === undefined) return undefined;
  return { programs, prefix: findPrefix(context, programs) };
}

/**
 * Sub-commands followed by a program, a script or a line, so that a prefix would allow anything.
 */
const RUNS_NEXT = /^(?:exec|x|dlx|shell|sh|eval|node|python|explore|run-script)$/;
/** For these programs `run` starts a script of the project; for others any program. */
const RUNS_SCRIPTS = /^(?:npm|pnpm|yarn|bun)$/;

function findPrefix(
  context: CommandContext,
  programs: readonly FileFingerprint[],
): Prefix | undefined {
  const { line, isUnknown, addsVariables } = context;
  if (!isUnknown || addsVariables) return undefined;
  const words = line === undefined ? context.words : findPlainWords(line);
  const [program = "", ...args] = words ?? [];
  const [stamp] = programs;
  if (stamp === undefined || runsItsArguments(program)) return undefined;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const verbs = findSubcommand(name, args);
  if (verbs === undefined) return undefined;
  const runsScript = RUNS_SCRIPTS.test(name) && verbs[0] === "run";
  if (!runsScript && verbs.some((verb) => verb === "run" || RUNS_NEXT.test(verb))) return undefined;
  const reach = findOutsideOperands(args.slice(verbs.length), context);
  return { name, verb: verbs.join(" "), reach, program: stamp };
}

/** Shell built-ins, which need no program file. */
const BUILTINS: ReadonlySet<string> = new Set(
  "cd pwd echo printf test [ true false : export unset set exit wait umask type read".split(" "),
);
/** Limit for nested `sh -c 'sh -c …'`; beyond it no answer lasts. */
const MAX_DEPTH = 4;

/** Returns the fingerprints; undefined if one is missing, unknown or the agent can write it. */
function fingerprintPrograms(
  commands: readonly (readonly string[])[],
  context: CommandContext,
  depth = 0,
): FileFingerprint[] | undefined {
  const stamps: FileFingerprint[] = [];
  for (const [program = "", ...args] of commands) {
    const found = findProgram(program, context.cwd, context.path);
    const isBuiltin = context.line !== undefined && BUILTINS.has(program);
    if (!found.ok && !isBuiltin) return undefined;
    if (found.ok) {
      const stamp = fingerprintFile(found.path);
      if (stamp === undefined || context.canWrite(stamp.path)) return undefined;
      stamps.push(stamp);
    }
    const others = args.map((word) =>
      inspectArgument(word, runsItsArguments(program), context, depth),
    );
    if (others.includes("agent's")) return undefined;
    stamps.push(...others.filter((other) => typeof other === "object").flat());
  }
  return stamps;
}

/**
 * Returns the programs that one argument names, "agent's" for a file that the agent can write, else
 * "nothing".
 */
function inspectArgument(
  word: string,
  isRun: boolean,
  context: CommandContext,
  depth: number,
): FileFingerprint[] | "nothing" | "agent's" {
  const { cwd, path, canWrite } = context;
  const file = findFile(isAbsolute(word) ? word : resolve(cwd, word));
  if (file !== undefined && canWrite(file) && (isRun || isScript(file))) return "agent's";
  if (!isRun || word.startsWith("-")) return "nothing";
  if (/\s/.test(word)) {
    // A shell line, or code in another language.
    const commands = depth < MAX_DEPTH ? listCommands(word) : undefined;
    return (
      (commands && fingerprintPrograms(commands, { ...context, line: word }, depth + 1)) ??
      "agent's"
    );
  }
  const found = findProgram(word, cwd, path);
  const stamp = found.ok ? fingerprintFile(found.path) : undefined;
  if (stamp === undefined) return "nothing";
  return canWrite(stamp.path) ? "agent's" : [stamp];
}

/** Whether the file is executable or starts with `#!`; true if it cannot be read. */
function isScript(path: string): boolean {
  try {
    if ((statSync(path).mode & 0o111) !== 0) return true;
    const start = Buffer.alloc(2);
    const fd = openSync(path, "r");
    try {
      readSync(fd, start, 0, 2, 0);
    } finally {
      closeSync(fd);
    }
    return start.toString("latin1") === "#!";
  } catch (error) {
    // Missing or unreadable: assume the worst.
    if (findSystemCode(error) !== undefined) return true;
    throw error;
  }
}

function fingerprintFile(path: string): FileFingerprint | undefined {
  try {
    const real = realpathSync(path);
    const { dev, ino, ctimeNs } = statSync(real, { bigint: true });
    return { path: real, stamp: `${dev}:${ino}:${ctimeNs}` };
  } catch (error) {
    if (findSystemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Returns the real path of a regular file. */
function findFile(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch (error) {
    if (findSystemCode(error) !== undefined) return undefined;
    throw error;
  }
}

// Reads files; starts nothing.

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
function findSubcommand(
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
function findOutsideOperands(
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
