// Owns parsing a coding agent's command: a program with arguments, or a line for a shell; and
// comparing two of them. Pure.

import * as z from "zod/mini";
import { KiB } from "../../protocol/limits.ts";
import { validOrUndefined } from "../lenient-schemas.ts";
import { Failure } from "./failure.ts";

/** Words for a program, or a line for `sh -c`. */
export type AgentCommand =
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
