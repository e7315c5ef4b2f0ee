// Owns what a lasting answer about a command can stand on: the programs that would run, as they are
// on the disk now. Nothing lasts for a program or script that the agent can write, since it would be
// another one by tomorrow. Looks at files; starts nothing.

import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { systemCode } from "../errors.ts";
import { commandsIn, plainWords, runsOthers } from "../policy/simple.ts";
import { findProgram } from "../terminals/lookup.ts";
import { findReach, findSubcommand } from "./reach.ts";

/** What would run, and where. */
export interface Running {
  /** As it was given: a line for a shell, or words. */
  readonly line: string | undefined;
  readonly words: readonly string[];
  readonly cwd: string;
  /** PATH of what would run. */
  readonly path: string;
  /** Whether the request adds variables. */
  readonly addsVariables: boolean;
  readonly isUnknown: boolean;
  /** Whether the agent can write this file, given by its real path. */
  readonly canWrite: (path: string) => boolean;
  /** The shared folders, as real paths. */
  readonly roots: readonly string[];
}

/** A program's file as it was: another one by the same name is another program. */
export interface Stamp {
  readonly path: string;
  /** Device, inode and time of the last change, which nobody but root can set back. */
  readonly stamp: string;
}

/** One program with one of its sub-commands, whatever follows inside the shared folders. */
export interface Prefix {
  /** The last part of its name: one file may be many programs. */
  readonly name: string;
  /** All words of the sub-command. */
  readonly verb: string;
  /** Operands that lead out of the shared folders, or to another machine. */
  readonly reach: readonly string[];
  readonly program: Stamp;
}

export interface Footing {
  /** Of every program that the command names. */
  readonly programs: readonly Stamp[];
  readonly prefix: Prefix | undefined;
}

/** Undefined when nothing lasting can be said about it. */
export function footingOf(running: Running): Footing | undefined {
  const { line, words } = running;
  const commands = line === undefined ? [[...words]] : commandsIn(line);
  const programs = commands === undefined ? undefined : stampsOf(commands, running);
  if (programs === undefined) return undefined;
  return { programs, prefix: prefixOf(running, programs) };
}

/** What follows these is a program, a script or a line, and not the program's own business. */
const RUNS_NEXT = /^(?:exec|x|dlx|shell|sh|eval|node|python|explore|run-script)$/;
/** Of these `run` is a script of the project, of others any program. */
const RUNS_SCRIPTS = /^(?:npm|pnpm|yarn|bun)$/;

function prefixOf(running: Running, programs: readonly Stamp[]): Prefix | undefined {
  const { line, isUnknown, addsVariables } = running;
  if (!isUnknown || addsVariables) return undefined;
  const words = line === undefined ? running.words : plainWords(line);
  const [program = "", ...args] = words ?? [];
  const [stamp] = programs;
  if (stamp === undefined || runsOthers(program)) return undefined;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const verbs = findSubcommand(name, args);
  if (verbs === undefined) return undefined;
  const isScript = RUNS_SCRIPTS.test(name) && verbs[0] === "run";
  if (!isScript && verbs.some((verb) => verb === "run" || RUNS_NEXT.test(verb))) return undefined;
  const reach = findReach(args.slice(verbs.length), running);
  return { name, verb: verbs.join(" "), reach, program: stamp };
}

/** What shells do by themselves, without a program. */
const BUILTINS: ReadonlySet<string> = new Set(
  "cd pwd echo printf test [ true false : export unset set exit wait umask type read".split(" "),
);
/** `sh -c 'sh -c …'` goes on; nobody remembers an answer about that. */
const MAX_DEPTH = 4;

/** Undefined when one is not there, not known, or the agent's. */
function stampsOf(
  commands: readonly (readonly string[])[],
  running: Running,
  depth = 0,
): Stamp[] | undefined {
  const stamps: Stamp[] = [];
  for (const [program = "", ...args] of commands) {
    const found = findProgram(program, running.cwd, running.path);
    const isBuiltin = running.line !== undefined && BUILTINS.has(program);
    if (!found.ok && !isBuiltin) return undefined;
    if (found.ok) {
      const stamp = stampOf(found.path);
      if (stamp === undefined || running.canWrite(stamp.path)) return undefined;
      stamps.push(stamp);
    }
    const others = args.map((word) => told(word, runsOthers(program), running, depth));
    if (others.includes("agent's")) return undefined;
    stamps.push(...others.filter((other) => typeof other === "object").flat());
  }
  return stamps;
}

/** What one word of a command brings in: nothing, programs that it names, or what is the agent's. */
function told(
  word: string,
  isRun: boolean,
  running: Running,
  depth: number,
): Stamp[] | "nothing" | "agent's" {
  const { cwd, path, canWrite } = running;
  const file = fileAt(isAbsolute(word) ? word : resolve(cwd, word));
  if (file !== undefined && canWrite(file) && (isRun || isScript(file))) return "agent's";
  if (!isRun || word.startsWith("-")) return "nothing";
  if (/\s/.test(word)) {
    // A line, or code of another language.
    const commands = depth < MAX_DEPTH ? commandsIn(word) : undefined;
    return (commands && stampsOf(commands, { ...running, line: word }, depth + 1)) ?? "agent's";
  }
  const found = findProgram(word, cwd, path);
  const stamp = found.ok ? stampOf(found.path) : undefined;
  if (stamp === undefined) return "nothing";
  return canWrite(stamp.path) ? "agent's" : [stamp];
}

/** A file that says that it is to be run. */
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
    // Gone, or not to be read: then nobody knows.
    if (systemCode(error) !== undefined) return true;
    throw error;
  }
}

function stampOf(path: string): Stamp | undefined {
  try {
    const real = realpathSync(path);
    const { dev, ino, ctimeNs } = statSync(real, { bigint: true });
    return { path: real, stamp: `${dev}:${ino}:${ctimeNs}` };
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** The real path of a plain file. */
function fileAt(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch (error) {
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
