// Owns how a coding agent's command is read: a program with its arguments, or a line for a shell;
// and when two of them are the very same. Pure.

import * as z from "zod/mini";
import { lenient } from "../lenient.ts";

/** Words for a program, or a line for `sh -c`. */
export type AgentCommand =
  | { readonly command: readonly string[]; readonly line?: undefined }
  | { readonly line: string; readonly command?: undefined };

/** Nothing in it means anything to a shell. */
const PLAIN_WORD = /^[\w./+@%:,-]+$/;

/** Without arguments, one plain word is a program, which has to be there; anything else is a line. */
export function commandOf(command: string, args: readonly string[] = []): AgentCommand {
  if (args.length > 0 || PLAIN_WORD.test(command)) return { command: [command, ...args] };
  return { line: command };
}

export function isSame(one: AgentCommand, other: AgentCommand): boolean {
  return JSON.stringify([one.line, one.command]) === JSON.stringify([other.line, other.command]);
}

const RawInput = z.looseObject({
  command: z.union([z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))]),
  args: lenient(z.array(z.string())),
  cwd: lenient(z.string()),
});

export interface SaidCommand {
  readonly command: AgentCommand;
  readonly cwd: string | undefined;
}

/** The command in what an agent says that it will do; undefined when it names none. */
export function commandIn(rawInput: unknown): SaidCommand | undefined {
  const parsed = RawInput.safeParse(rawInput);
  if (!parsed.success) return undefined;
  const { command, args, cwd } = parsed.data;
  const said =
    typeof command === "string"
      ? commandOf(command, args ?? [])
      : { command: [...command, ...(args ?? [])] };
  return { command: said, cwd };
}

/** As people read it. */
export function commandWords({ line, command }: AgentCommand): string | readonly string[] {
  return line ?? command ?? "";
}
