// Owns parsing a coding agent's command: a program with arguments, or a line for a shell; and
// comparing two of them. Also owns skipping a second approval: a command that a person allowed in
// the agent's own question runs without another one, for exactly that command and folder, once,
// within a minute.

import * as z from "zod/mini";
import { KiB } from "../../protocol/limits.ts";
import { validOrUndefined } from "../lenient-schemas.ts";
import { Failure } from "./agent-ports.ts";

/** Words for a program, or a line for `sh -c`. */
type AgentCommand =
  | { readonly command: readonly string[]; readonly line?: undefined }
  | { readonly line: string; readonly command?: undefined };

/**
 * Limit for words and variables of one command; more is refused before anything parses or quotes
 * it.
 */
export const MAX_WORDS = 4_096;
export const MAX_COMMAND_BYTES = 104 * KiB;

export function assertCommandFits(command: string, ...more: readonly (readonly string[])[]): void {
  const count = more.reduce((sum, words) => sum + words.length, 1);
  if (count > MAX_WORDS) {
    const counted = `The command has ${count} words and variables`;
    throw new Failure("invalid", `${counted}; the limit is ${MAX_WORDS}`);
  }
  const bytes = more
    .flat()
    .reduce((sum, word) => sum + Buffer.byteLength(word), Buffer.byteLength(command));
  if (bytes > MAX_COMMAND_BYTES) {
    const counted = `The command and its variables have ${bytes} bytes`;
    throw new Failure("invalid", `${counted}; the limit is ${MAX_COMMAND_BYTES}: use a file`);
  }
}

/** A word without a special meaning to shells. */
const PLAIN_WORD = /^[\w./+@%:,-]+$/;

/** Parses a command. Without arguments, one plain word is a program; anything else a line. */
export function parseCommand(command: string, args: readonly string[] = []): AgentCommand {
  if (args.length > 0 || PLAIN_WORD.test(command)) return { command: [command, ...args] };
  return { line: command };
}

export function isSameCommand(one: AgentCommand, other: AgentCommand): boolean {
  return JSON.stringify([one.line, one.command]) === JSON.stringify([other.line, other.command]);
}

const RawInput = z.looseObject({
  command: z.union([z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))]),
  args: validOrUndefined(z.array(z.string())),
  cwd: validOrUndefined(z.string()),
});

export interface NamedCommand {
  readonly command: AgentCommand;
  readonly cwd: string | undefined;
}

/** Returns the command that a tool call names, if any. Throws a Failure if it is too long. */
export function findCommand(rawInput: unknown): NamedCommand | undefined {
  const parsed = RawInput.safeParse(rawInput);
  if (!parsed.success) return undefined;
  const { command, args, cwd } = parsed.data;
  assertCommandFits("", [command].flat(), args ?? []);
  const parsedCommand =
    typeof command === "string"
      ? parseCommand(command, args ?? [])
      : { command: [...command, ...(args ?? [])] };
  return { command: parsedCommand, cwd };
}

/** Formats the command for people. */
export function formatCommand({ line, command }: AgentCommand): string | readonly string[] {
  return line ?? command ?? "";
}

// Pure except for its memory; the clock comes in.

export const ALLOWED_MS = 60_000;

interface AllowedCommand {
  readonly command: AgentCommand;
  /** Real path. */
  readonly cwd: string;
  readonly until: number;
}

export class AllowedCommands {
  readonly #now: () => number;
  #allowed: readonly AllowedCommand[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  allow(command: AgentCommand, cwd: string): void {
    this.#allowed = [...this.#current(), { command, cwd, until: this.#now() + ALLOWED_MS }];
  }

  /** Whether the command was just allowed; consumes the permission. */
  take(command: AgentCommand, cwd: string): boolean {
    const current = this.#current();
    const found = current.find((one) => one.cwd === cwd && isSameCommand(one.command, command));
    this.#allowed = current.filter((one) => one !== found);
    return found !== undefined;
  }

  #current(): readonly AllowedCommand[] {
    const now = this.#now();
    return this.#allowed.filter(({ until }) => until > now);
  }
}

/**
 * Variables that agents add to every command, with their values, since a program may read any
 * variable.
 */
const HARMLESS = new RegExp(
  `^(?:${[
    "(?:CI|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CLAUDECODE)=(?:|[0-3]|true|false)",
    "(?:LANG|LC_[A-Z]+)=(?:C|POSIX|C\\.UTF-8|[a-z]{2}_[A-Z]{2}\\.UTF-8)",
    "TERM=(?:dumb|xterm|xterm-256color)",
    "COLORTERM=truecolor",
    "(?:COLUMNS|LINES)=[1-9][0-9]{0,3}",
  ].join("|")})$`,
);

/** Whether the added variables leave the command's meaning unchanged: no person saw them. */
export function areVariablesHarmless(
  added: Readonly<Record<string, string>>,
  command: AgentCommand,
): boolean {
  const commandText = [command.line ?? command.command].flat().join(" ");
  return Object.entries(added).every(
    ([name, value]) => HARMLESS.test(`${name}=${value}`) && !commandText.includes(name),
  );
}
