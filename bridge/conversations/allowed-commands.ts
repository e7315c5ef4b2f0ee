// Owns skipping a second approval: a command that a person allowed in the agent's own question runs
// without another one, for exactly that command and folder, once, within a minute. Pure except for
// its memory; the clock comes in.

import type { AgentCommand } from "./agent-command.ts";
import { isSameCommand } from "./agent-command.ts";

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
